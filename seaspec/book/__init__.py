"""The rule book of a game, as pages: a pure function from checked texts to Markdown and pictures.

contents.py    chapters, sections, and the things in them, in the order of the text; what a check has found
code.py        rules as they are written, coloured, with each name linked to where it is declared
texts.py       words in pages: what authors write is never markup
plays.py       plays that a reader steps through (stepper.js), and drawn.py which ones there are
links.py       what stands on which page, and how one links to it
verdicts.py    what was found out about a promise
parts.py       how a thing, a clause is shown
course.py      the course of the game as a list; turn.py and diagram.py as diagrams
reference.py   what one looks up: words, options, odds
pages.py       the pages
"""

from seaspec.book.contents import Check, Verdict
from seaspec.book.links import Layout
from seaspec.book.pages import LISTED, SILENT, book, navigation
from seaspec.book.parts import WHERE
from seaspec.book.plays import pictures_script
from seaspec.book.verdicts import STEPPER

__all__ = [
    "LISTED",
    "SILENT",
    "STEPPER",
    "WHERE",
    "Check",
    "Layout",
    "Verdict",
    "book",
    "navigation",
    "pictures_script",
]
