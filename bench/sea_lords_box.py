"""What lies in the box of Sea Lords, for the referee in sea_lords_peer.py: the field, the boards, the mercenaries.

The pictures that show boards and mercenaries are missing; these are the catalogue's default data D1 and D2.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

ROWS, COLUMNS = 6, 7
CELLS = range(ROWS * COLUMNS)
HOME = tuple(frozenset(range(row * COLUMNS, (row + 1) * COLUMNS)) for row in (0, ROWS - 1))
HALF = (frozenset(CELLS[:21]), frozenset(CELLS[21:]))
STRAIGHT = {"north": (1, 0), "east": (0, 1), "south": (-1, 0), "west": (0, -1)}
DIAGONAL = {"northeast": (1, 1), "southeast": (-1, 1), "southwest": (-1, -1), "northwest": (1, -1)}
STEPS = STRAIGHT | DIAGONAL
LINES = [
    *([row * COLUMNS + column for column in range(COLUMNS)] for row in range(ROWS)),
    *([row * COLUMNS + column for row in range(ROWS)] for column in range(COLUMNS)),
]


@cache
def neighbours(cell: int) -> tuple[int, ...]:
    """The cells right, left, above and below."""
    return tuple(ray(cell, direction)[0] for direction in STRAIGHT if ray(cell, direction))


@cache
def ray(cell: int, direction: str) -> tuple[int, ...]:
    """The cells from here to the edge."""
    up, right = STEPS[direction]
    row, column = cell // COLUMNS + up, cell % COLUMNS + right
    found = []
    while 0 <= row < ROWS and 0 <= column < COLUMNS:
        found.append(row * COLUMNS + column)
        row, column = row + up, column + right
    return tuple(found)


class Effect(Enum):
    """What a mercenary does, or counts at the end."""

    SHIELD = "shield"
    RECRUIT = "recruit"
    SWEEP = "sweep"
    MINES = "mines"
    BROADSIDE = "broadside"
    ROWS = "rows"
    DIAGONALS = "diagonals"
    BOARD = "board"
    FLAGSHIP = "flagship"
    BULWARK = "bulwark"
    SETS = "sets"


class Mercenary(NamedTuple):
    """A ship for hire; the numbers are those its owner may pick one of."""

    name: str
    effect: Effect
    cost: int
    numbers: tuple[int, ...]


ANY_NUMBER = tuple(range(1, 10))
MERCENARIES = (
    Mercenary("Shield ship I", Effect.SHIELD, 3, (1, 2, 3)),
    Mercenary("Shield ship II", Effect.SHIELD, 3, (7, 8, 9)),
    Mercenary("Recruiter", Effect.RECRUIT, 3, (4, 5, 6)),
    Mercenary("Sweeper", Effect.SWEEP, 3, (2, 5, 8)),
    Mercenary("Minelayer", Effect.MINES, 3, (1, 4, 7)),
    Mercenary("Broadside", Effect.BROADSIDE, 3, (3, 6, 9)),
    Mercenary("Row gunner", Effect.ROWS, 4, (2, 4, 6, 8)),
    Mercenary("Diagonal gunner", Effect.DIAGONALS, 4, (1, 3, 7, 9)),
    Mercenary("Boarder", Effect.BOARD, 4, ANY_NUMBER),
    Mercenary("Flagship", Effect.FLAGSHIP, 5, (5,)),
    Mercenary("Bulwark", Effect.BULWARK, 5, (1, 9)),
    Mercenary("Quartermaster", Effect.SETS, 5, ANY_NUMBER),
)
HIRED = {3: 3, 4: 1, 5: 1}  # so many of each cost are in a game

VP, SHOT, SLANT, REPAIR, MINE, EXTRA = "VSXRMH"
BOARDS = {
    "Large 1": (("XVS", "MRH", "SXV"), ("SHX", "RSM", "XVS")),
    "Large 2": (("VSM", "XHR", "SVX"), ("XRS", "VXH", "MSX")),
    "Small": (("H", "V", "M"), ("M", "R", "H")),
}
"""Each board by side; its rows as the owner sees them, the nearest last."""


class Laid(NamedTuple):
    """How a board lies: which side is up, and by how many quarters it is turned clockwise."""

    board: str
    side: int
    quarters: int

    def rows(self) -> list[str]:
        """The three rows, the nearest last."""
        rows = list(BOARDS[self.board][self.side])
        if self.board == "Small":
            return rows[::-1] if self.quarters else rows
        for _ in range(self.quarters):
            rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        return rows


Arrangement = tuple[Laid, Laid, Laid]  # from the owner's left
PRINTED: Arrangement = (Laid("Large 1", 0, 0), Laid("Small", 0, 0), Laid("Large 2", 0, 0))


def turns_of(board: str) -> tuple[int, ...]:
    """The quarters by which a board may be turned: a strip of three cells stands upright (gap.1, gap.5)."""
    return (0, 2) if board == "Small" else (0, 1, 2, 3)


@cache
def arrangements() -> tuple[Arrangement, ...]:
    """All 1536 ways in which a player may join the three boards (setup.5 to setup.8, gap.5)."""
    found: list[Arrangement] = []
    for left, middle, right in permutations(BOARDS):
        ways = [[Laid(name, side, k) for side in (0, 1) for k in turns_of(name)] for name in (left, middle, right)]
        found += product(*ways)  # type: ignore[arg-type]
    return tuple(found)


def changes(own: Arrangement) -> Iterator[Arrangement]:
    """What the first player may make of these boards by turning or by moving one of them (expert.2 to .5, gap.53)."""
    for place, laid in enumerate(own):
        for quarters in turns_of(laid.board):
            if quarters:
                turned = list(own)
                turned[place] = laid._replace(quarters=(laid.quarters + quarters) % 4)
                yield (turned[0], turned[1], turned[2])
    for order in permutations(own):
        if order not in (own, own[::-1]):
            yield (order[0], order[1], order[2])


def sea_of(light: Arrangement, dark: Arrangement) -> str:
    """The kinds of the 42 cells."""
    halves = ["".join(map("".join, zip(*(laid.rows()[::-1] for laid in own), strict=True))) for own in (light, dark)]
    return halves[0] + halves[1][::-1]
