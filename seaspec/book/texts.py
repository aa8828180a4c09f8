"""Words in pages: what authors write is never markup.

Pages are Markdown with HTML in it; what is shown here is HTML that Markdown leaves alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from seaspec.syntax import tree


def said(sentence: tree.Sentence | None) -> str:
    """A sentence, the names in it as variables."""
    if sentence is None:
        return ""
    return "".join(
        prose(part) if isinstance(part, str) else f"<var>{escape(part.span.text)}</var>" for part in sentence.parts
    )


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
