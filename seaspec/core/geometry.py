"""Boards as tables of constants: neighbours, rays, borders, turns.

Positions are worked with on the doubled picture: cells stand at the even places, sides and corners between them at
the others, so that a border is one thing from both of its sides.
"""

from __future__ import annotations

from collections.abc import Sequence

from seaspec.core import types
from seaspec.core.ir import Board, Table
from seaspec.core.types import Value

CLOCKWISE = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Steps (right, up) of the eight directions, from the top round."""


def column_letters(column: int) -> str:
    """A, B, .. Z, AA, AB ..

    >>> column_letters(28)
    'AB'
    """
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def cell_name(column: int, row: int) -> str:
    """As people say it: B3."""
    return f"{column_letters(column)}{row}"


def table(board: Board, cell: types.Cells, compass: types.Enum | None, what: str) -> Table | None:
    """What is constant about a board, by cell and perhaps direction; None if it wants a compass, and there is none."""
    index: tuple[types.Type, ...] = (cell,)
    ty: types.Type = types.SetOf(cell)
    entries: Sequence[Value]
    match what:
        case "column":
            ty, entries = types.Int(1, board.columns), [column for column, _ in board.cells]
        case "row":
            ty, entries = types.Int(1, board.rows), [row for _, row in board.cells]
        case "beside":
            entries = _neighbours(board, CLOCKWISE[::2])
        case "around":
            entries = _neighbours(board, CLOCKWISE)
        case "rotated":
            index, ty, entries = (cell, types.Int(0, 3)), types.Optional(cell), _rotated(board)
        case _:
            if compass is None:
                return None
            index = (cell, compass)
            ty, entries = _by_direction(board, cell, len(compass.values), what)
    return Table(f"{board.name}.{what}", index, ty, tuple(entries))


def _by_direction(board: Board, cell: types.Cells, directions: int, what: str) -> tuple[types.Type, Sequence[Value]]:
    match what:
        case "next":
            return types.Optional(cell), [n for row in _next(board, directions) for n in row]
        case "ray":
            return types.SetOf(cell, ordered=True), _rays(board, directions)
        case "border":
            numbers = borders(board)
            steps = [_step(board, d, directions) for d in range(directions)]
            found = [numbers[2 * column + right, 2 * row + up] for column, row in board.cells for right, up in steps]
            return types.Borders(board.name, len(numbers)), found
        case _:
            raise ValueError(what)


def edge(board: Board) -> tuple[int, ...]:
    """Cells with fewer than four cells beside them."""
    return tuple(c for c, beside in enumerate(_neighbours(board, CLOCKWISE[::2])) if len(beside) < 4)


def lines(board: Board) -> tuple[tuple[int, ...], ...]:
    """All rows, then all columns, each in order; gaps are left out."""
    rows: list[list[int]] = [[] for _ in range(board.rows)]
    columns: list[list[int]] = [[] for _ in range(board.columns)]
    for number, (column, row) in sorted(enumerate(board.cells), key=lambda cell: cell[1]):
        rows[row - 1].append(number)
        columns[column - 1].append(number)
    return tuple(tuple(line) for line in (*rows, *columns) if line)


def borders(board: Board) -> dict[tuple[int, int], int]:
    """The numbers of all sides and corners by their doubled places."""
    places = {(2 * column + x, 2 * row + y) for column, row in board.cells for x, y in CLOCKWISE}
    return {place: number for number, place in enumerate(sorted(places))}


def _places(board: Board) -> dict[tuple[int, int], int]:
    """The numbers of the cells by (column, row)."""
    return {place: number for number, place in enumerate(board.cells)}


def _step(board: Board, direction: int, directions: int) -> tuple[int, int]:
    """Change of (column, row) of a step in a direction of a compass of 4 or 8."""
    right, up = CLOCKWISE[direction * (8 // directions)]
    return right, (-up if board.rows_from_top else up)


def _neighbours(board: Board, steps: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    places = _places(board)
    found = ([places.get((column + right, row + up)) for right, up in steps] for column, row in board.cells)
    return [tuple(sorted(n for n in near if n is not None)) for near in found]


def _next(board: Board, directions: int) -> list[list[int | None]]:
    """For each cell, the next one in each direction."""
    places = _places(board)
    steps = [_step(board, d, directions) for d in range(directions)]
    return [[places.get((column + right, row + onward)) for right, onward in steps] for column, row in board.cells]


def _rays(board: Board, directions: int) -> list[Value]:
    """The cells from each on in each direction, itself not among them, up to the edge or a gap."""
    onward = _next(board, directions)
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for cell in range(len(board.cells)):
        for direction in range(directions):
            trail = [cell]
            while (ahead := onward[trail[-1]][direction]) is not None and (trail[-1], direction) not in known:
                trail.append(ahead)
            ray = known.get((trail[-1], direction), ())
            known[trail.pop(), direction] = ray
            while trail:
                here = trail.pop()
                ahead = onward[here][direction]
                assert ahead is not None
                ray = (ahead, *ray)
                known[here, direction] = ray
    return [known[cell, direction] for cell in range(len(board.cells)) for direction in range(directions)]


def _rotated(board: Board) -> list[int | None]:
    """For each cell, the one that takes its place after 0 to 3 quarter turns clockwise; None if none does."""
    places = _places(board)
    across, up = board.columns + 1, board.rows + 1
    found: list[int | None] = []
    for column, row in board.cells:
        one, three = (row, across - column), (up - row, column)
        if board.rows_from_top:
            one, three = three, one
        half = places.get((across - column, up - row))
        square = board.rows == board.columns
        quarters = (places.get(one), half, places.get(three)) if square else (None, half, None)
        found.extend((places[column, row], *quarters))
    return found
