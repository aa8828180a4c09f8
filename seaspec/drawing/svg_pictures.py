"""A picture that the author gives, in SVG: its lines as they are, what is at a cell in the colour of its owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from seaspec.core import ir
from seaspec.drawing.colours import INK, paint_of
from seaspec.drawing.picture import DrawnSpot, FreePicture, Mark, Shape
from seaspec.drawing.text_cells import ARROWS, Cells
from seaspec.drawing.text_pictures import at_spot, manner_of, where

_WIDE, _HIGH = 10, 22
"""The size of a sign."""
_FONT = "font-family:'DejaVu Sans Mono',monospace;font-size:16px"
_FAINT = "#8a97a5"


def size_of(drawn: FreePicture) -> tuple[int, int]:
    """How wide and high it is."""
    columns = max([*map(len, drawn.rows), *(spot.room[1] for spot in drawn.spots if spot.marks), len(drawn.title), 1])
    return columns * _WIDE, (len(drawn.rows) + bool(drawn.title)) * _HIGH


def draw_free(game: ir.Game, drawn: FreePicture, before: FreePicture | None) -> Iterator[str]:
    """The picture; where something else is than before, there is a frame."""
    cells = Cells(ARROWS, None)
    manner = manner_of(drawn)
    top = 0
    if drawn.title:
        yield f'<text x="0" y="0">{escape(drawn.title)}</text>'
        top = _HIGH
    names = {(spot.row, column) for spot in drawn.spots for column in _columns(spot)}
    for row, text in enumerate(drawn.rows):
        for column, sign in enumerate(text):
            if sign != " " and (row, column) not in names:
                yield _text(column, top + row * _HIGH, sign, _FAINT)
    earlier: Mapping[str, tuple[Mark, ...]] = {} if before is None else {spot.name: spot.marks for spot in before.spots}
    for spot in drawn.spots:
        pieces, _ = at_spot(spot, cells, manner)
        y = top + spot.row * _HIGH
        column = begin = where(spot, length := sum(len(text) for text, _ in pieces))
        told = ", ".join(" ".join([mark.meaning or mark.name, *mark.flags]) for mark in spot.marks)
        yield f"<g><title>{escape(f'{spot.name}: {told}' if told else spot.name)}</title>"
        if any(mark.shape is not Shape.GROUND for mark in spot.marks):
            yield (
                f'<rect x="{begin * _WIDE - 2}" y="{y - 16}" width="{length * _WIDE + 4}" height="{_HIGH - 1}" rx="4" '
                f'fill="#dce8f0"{_frame(before is not None and earlier.get(spot.name) != spot.marks)}/>'
            )
        for text, owner in pieces:
            yield _text(column, y, text, INK if owner is None else paint_of(game, owner).fill)
            column += len(text)
        yield "</g>"


def _columns(spot: DrawnSpot) -> range:
    return range(spot.column, spot.column + len(spot.name))


def _frame(is_new: bool) -> str:
    return f' stroke="{INK}" stroke-width="1.5"' if is_new else ""


def _text(column: int, y: int, text: str, fill: str) -> str:
    wide = f'textLength="{len(text) * _WIDE}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{column * _WIDE}" y="{y}" {wide} style="{_FONT};fill:{fill}">{escape(text)}</text>'
