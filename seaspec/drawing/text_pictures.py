"""A picture that the author gives, in text: what is at a cell stands where its name stood.

If every cell has room enough, what is there stands in brackets beside the name, which stays: `a(W2)`; else in place of
the name, in brackets or without, in as few characters as there are. What these do not say is told under the picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from seaspec.drawing.picture import DrawnSpot, FreePicture, Shape
from seaspec.drawing.text_cells import ASCII, Cells, Form, Piece

_LINES = {**dict.fromkeys("─━═╌┄┈╴╶", "-"), **dict.fromkeys("│┃║╎┆┊╵╷", "|"), "╱": "/", "╲": "\\", "╳": "X"}


class Manner(Enum):
    """How what is at a cell is written; the same for all cells of a picture, as far as there is room."""

    BESIDE = "a(W2)"
    BRACKETS = "(W2)"
    BARE = "W2"


def manner_of(drawn: FreePicture) -> Manner:
    """The fullest one for which all cells have room enough for one sign at least."""
    rooms = [(spot.room[1] - spot.room[0], len(spot.name)) for spot in drawn.spots]
    if all(room >= name + len("(W)") for room, name in rooms):
        return Manner.BESIDE
    return Manner.BRACKETS if all(room >= len("(W)") for room, _ in rooms) else Manner.BARE


def picture_lines(drawn: FreePicture, cells: Cells, screen: int) -> Iterator[str]:
    """The lines of a picture, and what stands under it."""
    if drawn.title:
        yield drawn.title
    by_row: dict[int, list[DrawnSpot]] = {}
    for spot in drawn.spots:
        by_row.setdefault(spot.row, []).append(spot)
    manner = manner_of(drawn)
    for row, text in enumerate(drawn.rows):
        yield _line(_plain(text) if cells.signs is ASCII else text, by_row.get(row, []), cells, manner).rstrip()
    notes = [cells.in_full(spot.name, spot.marks) for spot in drawn.spots if not at_spot(spot, cells, manner)[1]]
    yield from cells.below(notes, drawn, screen)


def at_spot(spot: DrawnSpot, cells: Cells, manner: Manner) -> tuple[list[Piece], bool]:
    """What stands at a cell, and whether it says all."""
    room = spot.room[1] - spot.room[0]
    if all(mark.shape is Shape.GROUND for mark in spot.marks):
        return [(spot.name, None)], True
    full = [("(", None), *cells.listed(spot.marks, Form.FULL, ","), (")", None)]
    if manner is Manner.BESIDE and len(spot.name) + sum(len(text) for text, _ in full) <= room:
        return [(spot.name, None), *full], True
    if manner is not Manner.BARE:
        fitting, says_all = cells.fitting(spot.marks, room - len("()"))
        if sum(len(text) for text, _ in fitting) <= room - len("()"):
            return [("(", None), *fitting, (")", None)], says_all
    return cells.fitting(spot.marks, room)


def where(spot: DrawnSpot, length: int) -> int:
    """The column at which a text begins: that of the name, or further to the left if it needs the room."""
    return max(spot.room[0], min(spot.column, spot.room[1] - length))


def _line(text: str, spots: list[DrawnSpot], cells: Cells, manner: Manner) -> str:
    for spot in spots:
        end = spot.column + len(spot.name)
        text = text[: spot.column] + " " * len(spot.name) + text[end:]
    written, at = "", 0
    for spot in sorted(spots, key=lambda spot: spot.column):
        pieces, _ = at_spot(spot, cells, manner)
        length = sum(len(piece) for piece, _ in pieces)
        begin = max(at, where(spot, length))
        written += text[at:begin].ljust(begin - at) + cells.painted(pieces)
        at = begin + length
    return written + text[at:]


def _plain(text: str) -> str:
    """Lines and corners in ASCII."""
    return "".join(sign if sign.isascii() else _LINES.get(sign, "+" if "─" <= sign <= "╿" else "?") for sign in text)
