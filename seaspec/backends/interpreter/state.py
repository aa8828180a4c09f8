"""States, and where in them everything is.

A `State` is a flat tuple of slots: the block of the flow it rests at, the result, who dropped out, the instances of
places, the entries of states, the variables of the frame. `Layout` says which slot is which. Beside the slots stands
the derived inverse `where`: for each piece the slot of the place instance it lies in; it is no part of the identity.

    a set, bag, `at most`   sorted tuple of pieces
    a row                   tuple of pieces in order
    a pile                  tuple of layers, the top last; a layer is a sorted tuple of pieces in unknown order
    a state, a variable     a value as core/types.py says; a variable that is not live is None
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING, Any

from seaspec.core import ir, types
from seaspec.core.flow import Flow
from seaspec.core.ir import PlaceOrder, Variable
from seaspec.core.types import Type, Value

if TYPE_CHECKING:
    from seaspec.backends.interpreter.look import Look

PC, RESULT, OUT = 0, 1, 2
"""The slots of the block, of the result (None, or winners, losers, scores), of the sorted seats that dropped out."""
EMPTY = 3
"""A slot that always holds the empty set: what is read outside a place's index."""
FIRST = 4


@dataclass(frozen=True, slots=True)
class Family:
    """A place or state with its instances, one slot each, from `base`; `keys` are their indices, in order."""

    name: str
    base: int
    index: tuple[Type, ...]
    keys: tuple[tuple[Value, ...], ...]
    slots: dict[tuple[Value, ...], int]

    @property
    def end(self) -> int:
        return self.base + len(self.keys)

    @property
    def all_slots(self) -> range:
        return range(self.base, self.end)


class Layout:
    """Which slot is which, for one flow."""

    def __init__(self, flow: Flow) -> None:
        game = flow.game
        self.next = FIRST
        self.places = {name: self._family(name, place.index) for name, place in game.places.items()}
        self.place_slots = range(FIRST, self.next)
        self.states = {name: self._family(name, state.index) for name, state in game.states.items()}
        self.frame_start = self.next
        self.frame: dict[Variable, int] = {v: self.next + i for i, v in enumerate(flow.frame)}
        self.size = self.next + len(flow.frame)
        self.place_of: dict[int, tuple[ir.Place, tuple[Value, ...]]] = {
            slot: (game.places[name], key) for name, family in self.places.items() for key, slot in family.slots.items()
        }
        self.twins = Twins(game)

    def _family(self, name: str, index: Sequence[Variable]) -> Family:
        ranges = tuple(variable.type for variable in index)
        keys = tuple(product(*(tuple(types.values(ty)) for ty in ranges)))
        family = Family(name, self.next, ranges, keys, {key: self.next + i for i, key in enumerate(keys)})
        self.next += len(keys)
        return family


class Twins:
    """Which pieces are alike for ever, and which can be told apart because something is indexed by them.

    `alone[piece]`: no other piece is like it. `kept`: the `while in` states that a piece carries with it; `tracked`:
    the `track`s of it, which only promises read.
    """

    def __init__(self, game: ir.Game) -> None:
        count: dict[int, int] = {}
        for piece in game.pieces:
            count[piece.twin] = count.get(piece.twin, 0) + 1
        marked: set[int] = set()
        self.kept: dict[int, tuple[str, ...]] = {}
        self.tracked: dict[int, tuple[str, ...]] = {}
        for state in game.states.values():
            for variable in state.index:
                members = types.pieces_of(variable.type)
                carried = self.tracked if state.track else self.kept
                if (state.while_in is None and not state.track) or len(state.index) > 1:
                    marked |= members
                else:
                    for piece_id in members:
                        carried[piece_id] = (*carried.get(piece_id, ()), state.name)
        for place in game.places.values():
            for variable in place.index:
                marked |= types.pieces_of(variable.type)
        self.twin = tuple(piece.twin for piece in game.pieces)
        self.alone = tuple(count[piece.twin] == 1 or piece.id in marked for piece in game.pieces)


class State:
    """A position, resting at a node. Immutable; equal if all slots are."""

    __slots__ = ("_look", "slots", "where")

    def __init__(self, slots: tuple[Any, ...], where: tuple[int, ...], look: Look | None = None) -> None:
        self.slots = slots
        self.where = where
        self._look = look

    @property
    def block(self) -> int:
        """The block of the flow whose node it rests at."""
        return self.slots[PC]  # type: ignore[no-any-return]

    @property
    def result(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Value, ...] | None] | None:
        """Winners, losers, scores by seat; None while the game goes on."""
        return self.slots[RESULT]  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.slots == other.slots

    def __hash__(self) -> int:
        return hash(self.slots)

    @property
    def digest(self) -> int:
        """64 bits that are the same in every process."""
        return int.from_bytes(blake2b(repr(self.slots).encode(), digest_size=8).digest(), "big")

    def __repr__(self) -> str:
        return f"<State {self.digest:016x} at block {self.block}>"


def flat(layers: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The pieces of a pile as a set.

    >>> flat(((2, 5), (1,)))
    (1, 2, 5)
    """
    return layers[0] if len(layers) == 1 else tuple(sorted(piece for layer in layers for piece in layer))


def contents(order: PlaceOrder, value: Any) -> tuple[int, ...]:
    """The pieces in a slot of a place: in order for a row, else sorted."""
    return flat(value) if order is PlaceOrder.PILE else value
