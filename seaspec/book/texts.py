"""Words in pages: what authors write is never markup.

Pages are Markdown with HTML in it; what is shown here is HTML that Markdown leaves alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

from seaspec.syntax import tree


def said(sentence: tree.Sentence | None, link: Callable[[str], str | None] = lambda name: None) -> str:
    """A sentence, the names in it as variables; `link`: where a name is told of."""
    if sentence is None:
        return ""
    return "".join(prose(part) if isinstance(part, str) else _variable(part.span.text, link) for part in sentence.parts)


def _variable(text: str, link: Callable[[str], str | None]) -> str:
    name = re.match(r"\w{2,}", text)  # one letter is a name for the moment
    address = None if name is None else link(name[0])
    shown = f"<var>{escape(text)}</var>"
    return shown if address is None else f'<a href="{escape(address)}">{shown}</a>'


def prose(text: str) -> str:
    """A line of a catalogue, or a comment, in HTML that Markdown leaves alone: `code` and **what is stressed**."""
    parts = text.split("`")
    shown = [f"<code>{_plain(part)}</code>" if place % 2 else _plain(part) for place, part in enumerate(parts)]
    return _STRESSED.sub(r"<strong>\1</strong>", "".join(shown))


_STRESSED = re.compile(r"&#42;&#42;(.+?)&#42;&#42;")


def _plain(text: str) -> str:
    return re.sub(r"[*_\[\]{}\\<>#|~]", lambda sign: f"&#{ord(sign[0])};", text.replace("&", "&amp;"))


def folded(title: str, inside: str, is_open: bool = False) -> str:
    """What is shown on demand."""
    return f"<details{' open' * is_open}><summary>{title}</summary>\n{inside}\n</details>"


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
