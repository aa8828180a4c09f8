"""The rule book of a game, as pages: a pure function from checked texts to Markdown and pictures.

contents.py    chapters, sections, and the things in them, in the order of the text
code.py        rules as they are written, coloured, with each name linked to where it is declared
parts.py       how a thing, a clause, a verdict is shown
pages.py       the pages
"""

from seaspec.book.contents import Verdict
from seaspec.book.pages import book, navigation
from seaspec.book.parts import Layout

__all__ = ["Layout", "Verdict", "book", "navigation"]
