"""A picture in plain text, in as many columns as there are.

All cells of a board are equally wide, and as wide as what can come there needs, whatever lies there now; so slants stay
slants. If that is too wide for the screen, pieces are drawn in fewer characters, and what they are is told under the
board; if even that is too wide, the board stands in bands, one under the other.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from seaspec.core import ir
from seaspec.drawing.names import in_runs
from seaspec.drawing.picture import BoardPicture, Mark, Shape, picture
from seaspec.drawing.seen import Seen

Paint = Callable[[str, int], str]
"""A text in the colour of a seat."""


def draw_text(game: ir.Game, seen: Seen, width: int = 100, paint: Paint | None = None, plain: bool = False) -> str:
    """The position in text; `plain`: ASCII alone.

    2  45   .
    1   .  12
        A   B

    the hand of Ann: Card 3, Joker
    """
    drawn = picture(game, seen)
    signs = _ASCII if plain else _ARROWS
    parts = ["\n".join(_Sheet(board, width, signs, paint).lines()) for board in drawn.boards]
    lines = [line for name, items in drawn.lines for line in line_of(name, items, width)]
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def line_of(name: str, items: Sequence[str], width: int) -> list[str]:
    """What lies beside the boards, wrapped: the name, and the things that are there, if any."""
    return wrapped(f"{name}: ", items, width) if items else textwrap.wrap(name, width, subsequent_indent="    ")


def wrapped(head: str, items: Sequence[str], width: int) -> list[str]:
    """Items with commas, as many on a line as fit; only between items is a line broken, if they are not too long."""
    solid = [item if len(item) + 5 > width else item.replace(" ", "\0") for item in items]
    indent = head if head.isspace() else "    "
    lines = textwrap.wrap(
        ", ".join(solid), width, initial_indent=head, subsequent_indent=indent,
        break_on_hyphens=False, break_long_words=False, drop_whitespace=True,
    )  # fmt: skip
    return [line.replace("\0", " ") for line in lines]


# ---------------------------------------------------------------------------------------------------------------- signs


@dataclass(frozen=True, slots=True)
class _Signs:
    headings: tuple[str, ...]
    times: str
    and_: str


_ARROWS = _Signs(tuple("↑↗→↘↓↙←↖"), "×", "×")
_ASCII = _Signs(("n", "ne", "e", "se", "s", "sw", "w", "nw"), "x", "+")


class _Form(IntEnum):
    """How much of a piece stands in its cell; ROOMY: all, and of one that has changed hands, too."""

    ROOMY = 0
    FULL = 1
    SHORT = 2
    LEAST = 3


def _text(mark: Mark, form: _Form, signs: _Signs) -> str:
    """A mark: `BF1↘2`, `B↘2`, `B↘`; a wall `#B1`, `#B`."""
    flag = "x" if mark.flags else ""
    if mark.shape is Shape.WALL:
        return (flag or "#") + (mark.who or mark.sign[:1] if form is _Form.LEAST else mark.name)
    arrow = "" if mark.heading is None else signs.headings[mark.heading]
    pips = "" if mark.pips is None else str(mark.pips)
    if mark.shape is Shape.HULL and form > _Form.FULL:
        return (mark.who or mark.sign[:1]) + arrow + ((flag or pips) if form is _Form.SHORT else "")
    numbers = "".join(f":{number}" for number, _ in mark.numbers)
    return mark.name + arrow + (f":{pips}" if pips and not arrow else pips) + numbers + flag


# --------------------------------------------------------------------------------------------------------------- boards

_Piece = tuple[str, int | None]
"""A text, and the seat it belongs to."""


class _Sheet:
    """One board on a screen of so many columns."""

    def __init__(self, board: BoardPicture, width: int, signs: _Signs, paint: Paint | None) -> None:
        self.board, self.signs, self.screen = board, signs, width
        self.paint = paint or (lambda text, _: text)
        self.margin = max((len(name) for name, _ in board.rows), default=0)
        self.form, self.between, self.bands = self._layout()
        self.width = self._cell_width(self.form)

    def _layout(self) -> tuple[_Form, str, int]:
        """The fullest form in which the whole board fits; else in as few bands as can be."""
        columns = len(self.board.columns)
        for bands in range(1, columns + 1):
            for form in _Form:
                for between in (" ", "") if self.board.heading else (" ",):
                    each = -(-columns // bands)
                    wide = each * self._cell_width(form) + (each - 1) * len(between)
                    if self.margin + 2 + wide <= self.screen:
                        return form, between, bands
        return _Form.LEAST, " ", columns

    def _cell_width(self, form: _Form) -> int:
        pieces = max((len(_text(mark, form, self.signs)) for mark in self.board.possible), default=0)
        ground = max((len(_ground(cell)) for _, cells in self.board.rows for cell in cells if cell), default=1)
        pieces += 1 if form is _Form.ROOMY and self.board.changes_hands else 0
        both = pieces + sum(self.board.values) if form <= _Form.FULL else max(pieces, *self.board.values, 0)
        return max(1, both, ground, *map(len, self.board.columns))

    def lines(self) -> Iterator[str]:
        """The board, and what its signs mean."""
        count = len(self.board.columns)
        each = -(-count // self.bands)
        for start in range(0, count, each):
            if start:
                yield ""
            yield from self._band(slice(start, start + each))
        notes = list(self._in_short())
        legend = self._legend()
        if notes or legend:
            yield ""
        yield from wrapped("  ", notes, self.screen)
        yield from wrapped("  ", legend, self.screen)

    def _band(self, columns: slice) -> Iterator[str]:
        for name, cells in self.board.rows:
            row = self.between.join(self._painted(cell) for cell in cells[columns])
            yield f"{name:>{self.margin}}  {row}".rstrip()
        row = self.between.join(name.rjust(self.width) for name in self.board.columns[columns])
        yield f"{'':>{self.margin}}  {row}".rstrip()

    def _painted(self, cell: Sequence[Mark] | None) -> str:
        pieces = [] if cell is None else self._fitting(cell)[0]
        blank = " " * (self.width - sum(len(text) for text, _ in pieces))
        return blank + "".join(text if owner is None else self.paint(text, owner) for text, owner in pieces)

    def _fitting(self, cell: Sequence[Mark]) -> tuple[list[_Piece], bool]:
        """The text of a cell: what lies in it, as fully as there is room; else what it is made of; else a dot.

        And whether it says all of what lies there.
        """
        upper = [mark for mark in cell if mark.shape is not Shape.GROUND]
        if not upper:
            return [(mark.sign, mark.owner) for mark in cell] or [(".", None)], True
        ways = list(self._ways(upper))
        fit = (way for way in ways if sum(len(text) for text, _ in way[0]) <= self.width)
        return next(fit, ways[-1])

    def _ways(self, marks: Sequence[Mark]) -> Iterator[tuple[list[_Piece], bool]]:
        """The texts of some marks, the fullest first, and whether they say all."""
        yield self._listed(marks, _Form.FULL, ","), True
        if sum(mark.shape is not Shape.VALUE for mark in marks) == 1:
            yield self._listed(marks, _Form.FULL, ""), True
        if len(marks) > 1:
            yield _joined([(mark.name, mark.owner) for mark in marks], self.signs.and_), False
        for form in (_Form.SHORT, _Form.LEAST):
            yield self._listed(marks, form, self.signs.and_), False
        yield _joined([(mark.who or mark.sign[:1], mark.owner) for mark in marks], self.signs.and_), False
        yield [(f"{len(marks)}{self.signs.times}" if len(marks) > 1 else marks[0].name[: self.width], None)], False

    def _listed(self, marks: Sequence[Mark], form: _Form, between: str) -> list[_Piece]:
        counted = Counter((_text(mark, form, self.signs), mark.owner) for mark in marks)
        texts = [
            (text if number == 1 else f"{number}{self.signs.times}{text}", owner)
            for (text, owner), number in counted.items()
        ]
        return _joined(texts, between)

    # ---- under the board

    def _in_short(self) -> Iterator[str]:
        """Cells that do not say all of what lies in them."""
        for row, cells in self.board.rows:
            for column, cell in zip(self.board.columns, cells, strict=True):
                if cell and not self._fitting(cell)[1]:
                    upper = [mark for mark in cell if mark.shape is not Shape.GROUND]
                    texts = [text for text, _ in self._listed(upper, _Form.FULL, ",") if text != ","]
                    yield f"{column}{row} {' and '.join(texts)}"

    def _legend(self) -> list[str]:
        """Signs that do not speak for themselves: `b boat`, `1-3 Hill`."""
        marks = self.board.marks
        told = {("#" * (mark.shape is Shape.WALL) + mark.name, mark.meaning) for mark in marks if mark.meaning}
        legend = in_runs(sorted((sign, meaning) for sign, meaning in told if meaning is not None))
        hulls = [mark for mark in marks if mark.heading is not None and mark.pips is not None]
        if hulls and self.board.heading:
            legend.append(f"{self.signs.headings[1]}{hulls[0].pips} {self.board.heading} and {self.board.pips}")
        elif self.board.pips and any(mark.pips is not None for mark in marks):
            legend.append(f":n {self.board.pips}")
        legend += sorted({f":n {meaning}" for mark in marks for _, meaning in mark.numbers})
        return legend + sorted({f"x {flag}" for mark in marks for flag in mark.flags})


def _joined(texts: Sequence[_Piece], between: str) -> list[_Piece]:
    joined: list[_Piece] = []
    for piece in texts:
        joined += [(between, None), piece] if joined else [piece]
    return joined


def _ground(cell: Sequence[Mark]) -> str:
    return "".join(mark.sign for mark in cell if mark.shape is Shape.GROUND)
