"""Boards as tables of constants: neighbours, rays, borders, turns.

Positions are worked with on the doubled picture: cells stand at the even places, sides and corners between them at
the others, so that a border is one thing from both of its sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from seaspec.core.ir import Board

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


@cache
def places(board: Board) -> dict[tuple[int, int], int]:
    """Index of a cell by (column, row)."""
    return {place: index for index, place in enumerate(board.cells)}


def step(board: Board, direction: int, directions: int) -> tuple[int, int]:
    """Change of (column, row) of a step in a direction of a compass of 4 or 8."""
    right, up = CLOCKWISE[direction * (8 // directions)]
    return right, (-up if board.rows_from_top else up)


def next_cell(board: Board, cell: int, direction: int, directions: int) -> int | None:
    column, row = board.cells[cell]
    right, onward = step(board, direction, directions)
    return places(board).get((column + right, row + onward))


def ray(board: Board, cell: int, direction: int, directions: int) -> Iterator[int]:
    """The cells from `cell` on, itself not among them, up to the edge or a gap."""
    here = next_cell(board, cell, direction, directions)
    while here is not None:
        yield here
        here = next_cell(board, here, direction, directions)


def neighbours(board: Board, cell: int, corners: bool) -> tuple[int, ...]:
    column, row = board.cells[cell]
    found = (
        places(board).get((column + right, row + up))
        for right in (-1, 0, 1)
        for up in (-1, 0, 1)
        if (right or up) and (corners or not (right and up))
    )
    return tuple(sorted(n for n in found if n is not None))


def edge(board: Board) -> tuple[int, ...]:
    """Cells with fewer than four cells beside them."""
    return tuple(c for c in range(len(board.cells)) if len(neighbours(board, c, corners=False)) < 4)


def lines(board: Board) -> tuple[tuple[int, ...], ...]:
    """All rows, then all columns, each in order; gaps are left out."""
    rows = [[i for i, (_, row) in enumerate(board.cells) if row == r] for r in range(1, board.rows + 1)]
    columns = [[i for i, (column, _) in enumerate(board.cells) if column == c] for c in range(1, board.columns + 1)]
    by_column = [sorted(row, key=lambda i: board.cells[i][0]) for row in rows]
    by_row = [sorted(column, key=lambda i: board.cells[i][1]) for column in columns]
    return tuple(tuple(line) for line in (*by_column, *by_row) if line)


def rotated(board: Board, cell: int, quarters: int) -> int | None:
    """The cell that takes the place of `cell` when the board is turned clockwise; None if none does."""
    column, row = board.cells[cell]
    columns, rows = board.columns, board.rows
    for _ in range(quarters % 4):
        up = (rows + 1 - row) if board.rows_from_top else row
        column, up = up, columns + 1 - column
        columns, rows = rows, columns
        row = (rows + 1 - up) if board.rows_from_top else up
    if (columns, rows) != (board.columns, board.rows):
        return None
    return places(board).get((column, row))


def border_place(board: Board, cell: int, direction: int, directions: int) -> tuple[int, int]:
    """The doubled place of the side or corner of a cell."""
    column, row = board.cells[cell]
    right, onward = step(board, direction, directions)
    return 2 * column + right, 2 * row + onward


@cache
def borders(board: Board) -> tuple[tuple[int, int], ...]:
    """The doubled places of all sides and corners."""
    return tuple(sorted({border_place(board, c, d, 8) for c in range(len(board.cells)) for d in range(8)}))
