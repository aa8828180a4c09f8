"""What stands in a cell in text: pieces by their names, in as many characters as there are; and what signs mean."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from seaspec.drawing.names import in_runs
from seaspec.drawing.picture import BoardPicture, FreePicture, Mark, Shape

Paint = Callable[[str, int], str]
"""A text in the colour of a seat."""
Piece = tuple[str, int | None]
"""A text, and the seat it belongs to."""


def line_of(name: str, items: Sequence[str], width: int) -> list[str]:
    """What lies beside the boards, wrapped: the name, and the things that are there, if any."""
    return wrapped(f"{name}: ", items, width) if items else textwrap.wrap(name, width, subsequent_indent="    ")


def wrapped(head: str, items: Sequence[str], width: int) -> list[str]:
    """Items with commas, as many on a line as fit; only between items is a line broken, if they are not too long. If
    nothing fits beside the head, it has lines of its own."""
    if items and not head.isspace() and len(head) + len(items[0]) > width:
        return [*textwrap.wrap(head, width, subsequent_indent="    "), *wrapped("    ", items, width)]
    solid = [item if len(item) + 5 > width else item.replace(" ", "\0") for item in items]
    indent = head if head.isspace() else "    "
    lines = textwrap.wrap(
        ", ".join(solid), width, initial_indent=head, subsequent_indent=indent,
        break_on_hyphens=False, break_long_words=False, drop_whitespace=True,
    )  # fmt: skip
    return [line.replace("\0", " ") for line in lines]


# ---------------------------------------------------------------------------------------------------------------- signs


@dataclass(frozen=True, slots=True)
class Signs:
    headings: tuple[str, ...]
    times: str
    and_: str


ARROWS = Signs(tuple("↑↗→↘↓↙←↖"), "×", "×")
ASCII = Signs(("n", "ne", "e", "se", "s", "sw", "w", "nw"), "x", "+")


class Form(IntEnum):
    """How much of a piece stands in its cell; ROOMY: all, and of one that has changed hands, too."""

    ROOMY = 0
    FULL = 1
    SHORT = 2
    LEAST = 3


def text_of(mark: Mark, form: Form, signs: Signs) -> str:
    """A mark: `BF1↘2`, `B↘2`, `B↘`; a wall `#B1`, `#B`."""
    flag = "x" if mark.flags else ""
    if mark.shape is Shape.WALL:
        return (flag or "#") + (mark.who or mark.sign[:1] if form is Form.LEAST else mark.name)
    arrow = "" if mark.heading is None else signs.headings[mark.heading]
    pips = "" if mark.pips is None else str(mark.pips)
    if mark.shape is Shape.HULL and form > Form.FULL:
        return (mark.who or mark.sign[:1]) + arrow + ((flag or pips) if form is Form.SHORT else "")
    numbers = "".join(f":{number}" for number, _ in mark.numbers)
    word = f":{mark.word}" if mark.word and mark.word not in (mark.meaning or mark.name).split() else ""
    return mark.name + arrow + (f":{pips}" if pips and not arrow else pips) + numbers + word + flag


# --------------------------------------------------------------------------------------------------------------- cells


class Cells:
    """How cells are written: with which signs, in which colours."""

    def __init__(self, signs: Signs, paint: Paint | None) -> None:
        self.signs = signs
        self.paint = paint or (lambda text, _: text)

    def painted(self, pieces: Sequence[Piece]) -> str:
        return "".join(text if owner is None else self.paint(text, owner) for text, owner in pieces)

    def fitting(self, cell: Sequence[Mark], width: int) -> tuple[list[Piece], bool]:
        """The text of a cell: what lies in it, as fully as there is room; else what it is made of; else a dot.

        And whether it says all of what lies there.
        """
        upper = [mark for mark in cell if mark.shape is not Shape.GROUND]
        if not upper:
            return [(mark.sign, mark.owner) for mark in cell] or [(".", None)], True
        ways = list(self._ways(upper, width))
        fit = (way for way in ways if sum(len(text) for text, _ in way[0]) <= width)
        return next(fit, ways[-1])

    def _ways(self, marks: Sequence[Mark], width: int) -> Iterator[tuple[list[Piece], bool]]:
        """The texts of some marks, the fullest first, and whether they say all."""
        yield self.listed(marks, Form.FULL, ","), True
        if sum(mark.shape is not Shape.VALUE for mark in marks) == 1:
            yield self.listed(marks, Form.FULL, ""), True
        if len(marks) > 1:
            yield _joined([(mark.name, mark.owner) for mark in marks], self.signs.and_), False
        for form in (Form.SHORT, Form.LEAST):
            yield self.listed(marks, form, self.signs.and_), False
        letters = [(mark.who or mark.sign[:1], mark.owner) for mark in marks]
        yield _joined(letters, self.signs.and_), False
        if len(marks) > 1 and len(set(letters)) == 1:
            yield [(f"{len(marks)}{letters[0][0]}", letters[0][1])], False
        yield [(f"{len(marks)}{self.signs.times}" if len(marks) > 1 else marks[0].name[:width], None)], False

    def listed(self, marks: Sequence[Mark], form: Form, between: str) -> list[Piece]:
        """Marks one after the other, those that look alike counted."""
        counted = Counter((text_of(mark, form, self.signs), mark.owner) for mark in marks)
        texts = [
            (text if number == 1 else f"{number}{self.signs.times}{text}", owner)
            for (text, owner), number in counted.items()
        ]
        return _joined(texts, between)

    # ---- under the board

    def in_full(self, name: str, cell: Sequence[Mark]) -> str:
        """All of what lies in a cell that says it in short."""
        upper = [mark for mark in cell if mark.shape is not Shape.GROUND]
        texts = [text for text, _ in self.listed(upper, Form.FULL, ",") if text != ","]
        return f"{name} {' and '.join(texts)}"

    def below(self, notes: Sequence[str], drawn: BoardPicture | FreePicture, screen: int) -> Iterator[str]:
        """What stands under a board: what cells say in short, and what its signs mean."""
        legend = self._legend(drawn)
        if notes or legend:
            yield ""
        yield from wrapped("  ", notes, screen)
        yield from wrapped("  ", legend, screen)

    def _legend(self, drawn: BoardPicture | FreePicture) -> list[str]:
        """Signs that do not speak for themselves: `b boat`, `1-3 Hill`."""
        marks = drawn.marks
        told = {("#" * (mark.shape is Shape.WALL) + mark.name, mark.meaning) for mark in marks if mark.meaning}
        legend = in_runs(sorted((sign, meaning) for sign, meaning in told if meaning is not None))
        hulls = [mark for mark in marks if mark.heading is not None and mark.pips is not None]
        if hulls and drawn.heading:
            legend.append(f"{self.signs.headings[1]}{hulls[0].pips} {drawn.heading} and {drawn.pips}")
        elif drawn.pips and any(mark.pips is not None for mark in marks):
            legend.append(f":n {drawn.pips}")
        legend += sorted({f":n {meaning}" for mark in marks for _, meaning in mark.numbers})
        return legend + sorted({f"x {flag}" for mark in marks for flag in mark.flags})


def _joined(texts: Sequence[Piece], between: str) -> list[Piece]:
    joined: list[Piece] = []
    for piece in texts:
        joined += [(between, None), piece] if joined else [piece]
    return joined
