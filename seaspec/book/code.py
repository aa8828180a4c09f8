"""Rules as they are written: coloured as seaspec/highlighting.py does, each name a link to where it is declared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from html import escape
from itertools import accumulate

from seaspec.source import SourceFile, Span
from seaspec.syntax.tokens import Look, Piece, pieces

_CLASSES = {
    Look.COMMENT: "c1",
    Look.KEYWORD: "k",
    Look.HEAD: "kd",
    Look.TYPE: "nc",
    Look.NUMBER: "mi",
    Look.SENTENCE: "s",
    Look.CLAUSE: "nl",
    Look.WRONG: "err",
}


class Code:
    """The texts of files, cut up once."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[list[int], list[Piece]]] = {}

    def inline(self, span: Span, link: Callable[[str], str | None]) -> str:
        """A stretch of a line."""
        starts, found = self._of(span.file)
        within = found[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        return "".join(_shown(piece, link) for piece in within)

    def html(self, file: SourceFile, start: int, end: int, link: Callable[[str], str | None]) -> str:
        """A stretch of a file as a block of HTML; its last blank lines are left out."""
        text = file.text[start:end].rstrip()
        starts, found = self._of(file)
        within = found[bisect_left(starts, start) : bisect_left(starts, start + len(text))]
        shown = "".join(_shown(piece, link) for piece in within)
        return f'<div class="codehilite"><pre><code>{shown.rstrip()}</code></pre></div>'

    def names(self, span: Span) -> set[str]:
        """The names that stand in a stretch of text."""
        return {piece.text for _, piece in self._within(span) if piece.look in (Look.NAME, Look.TYPE)}

    def places(self, span: Span, name: str) -> list[int]:
        """Where a name stands in it."""
        return [start for start, piece in self._within(span) if piece.text == name and piece.look is not Look.COMMENT]

    def _within(self, span: Span) -> list[tuple[int, Piece]]:
        starts, found = self._of(span.file)
        first, last = bisect_left(starts, span.start), bisect_left(starts, span.end)
        return list(zip(starts[first:last], found[first:last], strict=True))

    def _of(self, file: SourceFile) -> tuple[list[int], list[Piece]]:
        if file.name not in self._files:
            found = list(pieces(file.text))
            self._files[file.name] = [0, *accumulate(len(piece.text) for piece in found)][:-1], found
        return self._files[file.name]


def _shown(piece: Piece, link: Callable[[str], str | None]) -> str:
    text = escape(piece.text, quote=False)
    look = _CLASSES.get(piece.look)
    target = link(piece.text) if piece.look in (Look.NAME, Look.TYPE, Look.CLAUSE) else None
    if target is not None:
        text = f'<a href="{escape(target)}">{text}</a>'
    return f'<span class="{look}">{text}</span>' if look else text
