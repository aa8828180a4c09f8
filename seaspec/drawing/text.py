"""A picture in plain text, in as many columns as there are.

All cells of a board are equally wide, and as wide as what can come there needs, whatever lies there now; so slants stay
slants. If that is too wide for the screen, pieces are drawn in fewer characters, and what they are is told under the
board; if even that is too wide, the board stands in bands, one under the other. A picture that the author gives is as
wide as it is (text_pictures.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seaspec.core import ir
from seaspec.drawing.picture import BoardPicture, Mark, Shape, picture
from seaspec.drawing.seen import Seen
from seaspec.drawing.text_cells import ARROWS, ASCII, Cells, Form, Paint, Signs, line_of, text_of
from seaspec.drawing.text_pictures import picture_lines


def draw_text(game: ir.Game, seen: Seen, width: int = 100, paint: Paint | None = None, plain: bool = False) -> str:
    """The position in text; `plain`: ASCII alone.

    2  45   .
    1   .  12
        A   B

    the hand of Ann: Card 3, Joker
    """
    drawn = picture(game, seen)
    signs = ASCII if plain else ARROWS
    parts = ["\n".join(_Sheet(board, width, signs, paint).lines()) for board in drawn.boards]
    parts += ["\n".join(picture_lines(free, Cells(signs, paint), width)) for free in drawn.free]
    lines = [line for name, items in drawn.lines for line in line_of(name, items, width)]
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


class _Sheet:
    """One board on a screen of so many columns."""

    def __init__(self, board: BoardPicture, width: int, signs: Signs, paint: Paint | None) -> None:
        self.board, self.screen = board, width
        self.cells = Cells(signs, paint)
        self.margin = max((len(name) for name, _ in board.rows), default=0)
        self.form, self.between, self.bands = self._layout()
        self.width = self._cell_width(self.form)

    def _layout(self) -> tuple[Form, str, int]:
        """The fullest form in which the whole board fits; else in as few bands as can be."""
        columns = len(self.board.columns)
        for bands in range(1, columns + 1):
            for form in Form:
                for between in (" ", "") if self.board.heading else (" ",):
                    each = -(-columns // bands)
                    wide = each * self._cell_width(form) + (each - 1) * len(between)
                    if self.margin + 2 + wide <= self.screen:
                        return form, between, bands
        return Form.LEAST, " ", columns

    def _cell_width(self, form: Form) -> int:
        pieces = max((len(text_of(mark, form, self.cells.signs)) for mark in self.board.possible), default=0)
        ground = max((len(_ground(cell)) for _, cells in self.board.rows for cell in cells if cell), default=1)
        pieces += 1 if form is Form.ROOMY and self.board.changes_hands else 0
        both = pieces + sum(self.board.values) if form <= Form.FULL else max(pieces, *self.board.values, 0)
        return max(1, both, ground, *map(len, self.board.columns))

    def lines(self) -> Iterator[str]:
        """The board, and what its signs mean."""
        count = len(self.board.columns)
        each = -(-count // self.bands)
        for start in range(0, count, each):
            if start:
                yield ""
            yield from self._band(slice(start, start + each))
        named = {
            column + row: cell
            for row, cells in self.board.rows
            for column, cell in zip(self.board.columns, cells, strict=True)
            if cell
        }
        notes = [self.cells.in_full(name, cell) for name, cell in named.items() if not self._says_all(cell)]
        yield from self.cells.below(notes, self.board, self.screen)

    def _band(self, columns: slice) -> Iterator[str]:
        for name, cells in self.board.rows:
            row = self.between.join(self._painted(cell) for cell in cells[columns])
            yield f"{name:>{self.margin}}  {row}".rstrip()
        row = self.between.join(name.rjust(self.width) for name in self.board.columns[columns])
        yield f"{'':>{self.margin}}  {row}".rstrip()

    def _painted(self, cell: Sequence[Mark] | None) -> str:
        pieces = [] if cell is None else self.cells.fitting(cell, self.width)[0]
        blank = " " * (self.width - sum(len(text) for text, _ in pieces))
        return blank + self.cells.painted(pieces)

    def _says_all(self, cell: Sequence[Mark]) -> bool:
        return self.cells.fitting(cell, self.width)[1]


def _ground(cell: Sequence[Mark]) -> str:
    return "".join(mark.sign for mark in cell if mark.shape is Shape.GROUND)
