"""What a piece on a board looks like, from general notions alone.

- Whose it is: a lasting state of the piece that names a player; else the player printed on it.
- Where it heads: a state of the piece whose values are the directions of the board. A piece that belongs to somebody
  and can not head anywhere, on a board where others do, is a wall.
- Its pips: the first lasting state of the piece that is a small number. It is always shown if pieces begin with
  something of it (there is something to lose), else where it is not as at first.
- Its flags: lasting states, yes or no, that are not as at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from seaspec.core import ir, types
from seaspec.drawing.names import (
    Ground,
    first_value,
    grounds,
    inner,
    is_player,
    members_on,
    plain_name,
    standing_on,
    states_of,
)

_MOST_PIPS = 9


@dataclass(frozen=True, slots=True)
class Look:
    """The states that tell how a piece is drawn. `numbers`: small numbers beside the pips, shown if not as at first."""

    owner: ir.State | None
    heading: ir.State | None
    pips: ir.State | None
    has_pips_always: bool
    numbers: tuple[ir.State, ...]
    flags: tuple[ir.State, ...]


@lru_cache(maxsize=4096)
def look(game: ir.Game, board: Ground, piece: ir.Piece) -> Look:
    """How a piece is drawn on a board."""
    where = standing_on(game, board)
    states = [state for state in states_of(game, piece) if not state.track and state not in where]
    lasting = [state for state in states if state.until is None]
    numbers = [state for state in lasting if isinstance(state.type, types.Int)]
    pips = next((state for state in numbers if _is_small(state)), None)
    return Look(
        owner=next((state for state in lasting if is_player(inner(state.type))), None),
        heading=next((state for state in states if _is_direction(state, board)), None),
        pips=pips,
        has_pips_always=pips is not None and first_value(game, pips, (piece.id,)) not in (None, "0"),
        numbers=tuple(state for state in numbers if state is not pips),
        flags=tuple(state for state in lasting if isinstance(state.type, types.Bool)),
    )


def _is_small(state: ir.State) -> bool:
    return isinstance(state.type, types.Int) and state.type.low >= 0 and state.type.high <= _MOST_PIPS


def _is_direction(state: ir.State, board: Ground) -> bool:
    return isinstance(state.type, types.Enum) and state.type.name == board.compass


@lru_cache(maxsize=64)
def on_board(game: ir.Game, board: Ground) -> tuple[ir.Piece, ...]:
    """The pieces that can lie on a board, one of those that are alike."""
    members = sorted(members_on(game, board))
    return tuple({game.pieces[member].title: game.pieces[member] for member in members}.values())


@lru_cache(maxsize=64)
def has_headings(game: ir.Game, board: Ground) -> bool:
    """Whether some piece on the board heads somewhere."""
    return any(look(game, board, piece).heading is not None for piece in on_board(game, board))


def drawn_states(game: ir.Game) -> set[str]:
    """The states that boards show with their pieces; they need no line."""
    return {
        name for ground in grounds(game) for piece in on_board(game, ground) for name in _shown(game, ground, piece)
    }


def _shown(game: ir.Game, board: Ground, piece: ir.Piece) -> Iterator[str]:
    shown = look(game, board, piece)
    for state in (shown.owner, shown.heading, shown.pips, *shown.numbers, *shown.flags):
        if state is not None:
            yield state.name


def flag_name(state: ir.State, shown: str) -> str:
    """What a flag says: `lame`, `not ready`."""
    return plain_name(state) if shown == "yes" else f"not {plain_name(state)}"
