"""What a piece looks like: as its author says in a look, and for all that it does not say, from general notions alone.

- Whose it is: a lasting state of the piece that names a player; else the player printed on it.
- Where it heads: a state of the piece whose values are the directions of the board. A piece that belongs to somebody
  and can not head anywhere, on a board where others do, is a wall.
- Its pips: the first lasting state of the piece that is a small number. It is always shown if pieces begin with
  something of it (there is something to lose), else where it is not as at first.
- Its flags: lasting states, yes or no, that are not as at first.

What a look says of one of these stands in place of it. What it shows is always shown, but for yes or no.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from seaspec.core import ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value
from seaspec.drawing.colours import NAMED, colour_of
from seaspec.drawing.names import (
    Ground,
    first_value,
    grounds,
    inner,
    is_player,
    look_of,
    members_on,
    plain_name,
    seat_printed,
    standing_on,
    states_of,
)

_MOST_PIPS = 9


@dataclass(frozen=True, slots=True)
class Printed:
    """What a look says of a piece that never changes: whose it is, where it points, its pips, other numbers with what
    they are; the colour that it has, and the word for which it stands, if it does."""

    seat: int | None = None
    heading: int | None = None
    pips: int | None = None
    numbers: tuple[tuple[str, str], ...] = ()
    tint: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """The states that tell how a piece is drawn. `numbers`: values beside the pips, shown if not as at first, or
    `always`; `tinted`: its words have colours; `shape`: the one that the author gives."""

    owner: ir.State | None
    heading: ir.State | None
    pips: ir.State | None
    has_pips_always: bool
    numbers: tuple[ir.State, ...]
    flags: tuple[ir.State, ...]
    always: bool = False
    tinted: ir.State | None = None
    shape: ir.LookShape | None = None
    printed: Printed = Printed()


@lru_cache(maxsize=4096)
def look(game: ir.Game, board: Ground, piece: ir.Piece) -> Look:
    """How a piece is drawn on a board."""
    guessed, said = _guessed(game, board, piece), look_of(game, piece)
    return guessed if said is None else _said(game, piece, said, guessed)


@lru_cache(maxsize=16)
def printed_looks(game: ir.Game) -> dict[str, tuple[ir.LookShape, Printed]]:
    """The shapes that the author gives to pieces, by their titles, with what is printed on them."""
    found: dict[str, tuple[ir.LookShape, Printed]] = {}
    for piece in game.pieces:
        said = look_of(game, piece)
        if said is not None and piece.title not in found:
            found[piece.title] = said.shape, _printed(game, piece, said)
    return found


def _said(game: ir.Game, piece: ir.Piece, said: ir.Look, guessed: Look) -> Look:
    """A guess, with what the author says in place of it."""
    states = {state.name: state for state in states_of(game, piece)}
    facts = {name for name, _, _ in piece.facts}
    changing = [states[name] for name in said.showing if name in states and name not in facts]
    pips = states.get(_pips_of(game, piece, said) or "")
    pips = pips if pips in changing else None
    shown = said.showing != ()
    pointing, coloured = (None if name in facts else states.get(name or "") for name in (said.pointing, said.coloured))
    is_of_player = coloured is not None and is_player(inner(coloured.type))
    return Look(
        owner=guessed.owner if said.coloured is None else coloured if is_of_player else None,
        heading=guessed.heading if said.pointing is None else pointing,
        pips=pips if shown else guessed.pips,
        has_pips_always=shown or guessed.has_pips_always,
        numbers=tuple(s for s in changing if s is not pips and not isinstance(s.type, types.Bool))
        if shown
        else guessed.numbers,
        flags=tuple(s for s in changing if isinstance(s.type, types.Bool)) if shown else guessed.flags,
        always=shown,
        tinted=None if is_of_player else coloured,
        shape=said.shape,
        printed=_printed(game, piece, said),
    )


def _printed(game: ir.Game, piece: ir.Piece, said: ir.Look) -> Printed:
    """What is seen of the facts of a piece."""
    facts: dict[str, tuple[Value, Type]] = {name: (value, ty) for name, value, ty in piece.facts}
    seat, heading, pips = seat_printed(piece), None, None
    tint, meaning = NAMED.get(said.colour or "", ""), ""
    value, ty = facts.get(said.pointing or "", (None, None))
    if isinstance(ty, types.Enum) and isinstance(value, int):
        heading = value * (8 // len(ty.values))
    value, ty = facts.get(said.coloured or "", (None, None))
    if isinstance(ty, types.Enum) and isinstance(value, int):
        if is_player(ty):
            seat = value
        else:
            tint, meaning = colour_of(ty.values, value), ty.values[value]
    numbers = []
    for name in said.showing:
        value, ty = facts.get(name, (None, None))
        if isinstance(value, int) and name == _pips_of(game, piece, said):
            pips = value
        elif ty is not None and value is not None:
            numbers.append((show_value(value, ty, game), name.replace("_", " ")))
    return Printed(seat, heading, pips, tuple(numbers), tint, meaning)


def _pips_of(game: ir.Game, piece: ir.Piece, said: ir.Look) -> str | None:
    """The first number that a look shows of a piece."""
    types_of = {state.name: state.type for state in states_of(game, piece)}
    types_of |= {name: ty for name, _, ty in piece.facts}
    return next((name for name in said.showing if isinstance(types_of.get(name), types.Int)), None)


def _guessed(game: ir.Game, board: Ground, piece: ir.Piece) -> Look:
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
    for state in (shown.owner, shown.tinted, shown.heading, shown.pips, *shown.numbers, *shown.flags):
        if state is not None:
            yield state.name


def flag_name(state: ir.State, shown: str) -> str:
    """What a flag says: `lame`, `not ready`."""
    return plain_name(state) if shown == "yes" else f"not {plain_name(state)}"
