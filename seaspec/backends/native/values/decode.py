"""From a native state, and from a told option, back to values of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import product
from typing import assert_never

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.values.layout import FrameField, FrameKind, Kind, Layout, Maps, PlaceField, StateField
from seaspec.backends.native.values.shapes import NONE, is_single, ordinals, universe
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder, Variable
from seaspec.core.types import Type, Value

Key = tuple[Value, ...]
Reader = Callable[[Sequence[int]], Value]
"""From the words of an option to one of its values."""
Contents = tuple[tuple[int, ...], ...]
"""For each instance of a place the pieces that lie there, sorted."""
Result = tuple[tuple[int, ...], tuple[int, ...], tuple[Value, ...] | None]
"""Winners, losers, scores by seat."""
REMEMBERED = 256
"""So many readings of a place, a state or a variable are kept: from one position to the next most stay as they are."""


@dataclass(frozen=True)
class Position:
    """A state in terms of the core. Contents of places: sorted pieces; of rows in order; of piles layers, the top last.

    `frame`: the variables that have a value. `result`: winners, losers, scores by seat, once the game is over.
    """

    block: int
    result: Result | None
    out: tuple[int, ...]
    places: dict[str, dict[Key, tuple[object, ...]]]
    states: dict[str, dict[Key, Value]]
    frame: dict[Variable, Value] = field(hash=False)


class Decoder:
    """Reads states of one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.game = layout.game
        remembered = lru_cache(REMEMBERED)
        self._where = slice(layout.where, layout.where + layout.pieces * layout.where_bits // 8)
        self._nothing: Contents = ((),) * layout.slots
        self._lying = remembered(self._read_lying)
        self._places = [
            (layout.places[place.name], self._beside_pieces(place), remembered(partial(self._place, place)))
            for place in self.game.places.values()
        ]
        self._states = [
            (
                held.name,
                slice(held.offset, held.offset + held.count * held.stride),
                remembered(partial(self._state, held)),
            )
            for held in (layout.states[name] for name in self.game.states)
        ]
        self._frame = [
            (variable, slice(held.offset, held.offset + held.size), remembered(partial(self._variable, held)))
            for variable, held in layout.frame.items()
        ]

    def position(self, state: bytes) -> Position:
        layout = self.layout
        lying = self.lying(state)
        return Position(
            number(state, layout.PC, 2),
            self.result(state) if state[layout.OVER] else None,
            _seats(number(state, layout.OUT, 8)),
            {
                held.name: read(lying[held.slot : held.slot + held.count], state[beside])
                for held, beside, read in self._places
            },
            {name: read(state[where]) for name, where, read in self._states},
            {v: value for v, where, read in self._frame if (value := read(state[where])) is not None},
        )

    def lying(self, state: bytes) -> Contents:
        """For each slot the pieces that lie there, as `where` has it."""
        return self._lying(state[self._where])

    def _read_lying(self, stored: bytes) -> Contents:
        found: dict[int, list[int]] = {}
        for piece, slot in enumerate(numbers(stored, self.layout.where_bits // 8)):
            found.setdefault(slot, []).append(piece)
        lying = list(self._nothing)
        for slot, pieces in found.items():
            lying[slot] = tuple(pieces)
        return tuple(lying)

    def result(self, state: bytes) -> Result:
        layout = self.layout
        scores: tuple[Value, ...] | None = None
        if state[layout.SCORED]:
            scores = tuple(self._scores_of(state, seat) for seat in range(layout.seats))
        return _seats(number(state, layout.WINNERS, 8)), _seats(number(state, layout.LOSERS, 8)), scores

    def _scores_of(self, state: bytes, seat: int) -> Value:
        start = self.layout.scores + 8 * self.layout.terms * seat
        terms = [word(state, start + 8 * place) for place in range(self.layout.terms)]
        return tuple(term for term in terms if term != NONE) or None

    def _beside_pieces(self, place: ir.Place) -> slice:
        """The bytes that tell the order of pieces in a place."""
        held = self.layout.places[place.name]
        match place.order:
            case PlaceOrder.PILE:
                return slice(self.layout.order, self.layout.order + self.layout.pieces * self.layout.order_bits // 8)
            case PlaceOrder.ROW:
                return slice(held.offset, held.offset + held.count * held.stride)
            case PlaceOrder.SET | PlaceOrder.BAG | PlaceOrder.SLOT:
                return slice(0)
            case _:
                assert_never(place.order)

    def _place(self, place: ir.Place, lying: Contents, stored: bytes) -> dict[Key, tuple[object, ...]]:
        held = self.layout.places[place.name]
        contents: Iterable[tuple[object, ...]] = lying
        match place.order:
            case PlaceOrder.PILE:
                contents = [self._layers(stored, pieces) for pieces in lying]
            case PlaceOrder.ROW:
                rows = range(0, held.count * held.stride, held.stride)
                contents = [self._row(stored[row : row + held.stride], held) for row in rows]
            case PlaceOrder.SET | PlaceOrder.BAG | PlaceOrder.SLOT:
                pass
            case _:
                assert_never(place.order)
        return dict(zip(_keys(place.index), contents, strict=True))

    def _layers(self, stored: bytes, pieces: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        size = self.layout.order_bits // 8
        layers: dict[int, list[int]] = {}
        for piece in pieces:
            layers.setdefault(number(stored, size * piece, size), []).append(piece)
        assert sorted(layers) == list(range(len(layers))), layers
        return tuple(tuple(layers[layer]) for layer in sorted(layers))

    def _row(self, stored: bytes, held: PlaceField) -> tuple[int, ...]:
        form = held.cell
        count = number(stored, 0, 2)
        found = [form.decode(number(stored, 2 + form.size * place, form.size)) for place in range(count)]
        return tuple(piece for piece in found if piece is not None)

    def _state(self, held: StateField, stored: bytes) -> dict[Key, Value]:
        thing = self.game.states[held.name]
        if held.maps is not None:
            starts = range(0, held.count * held.stride, held.stride)
            sets = [self._set_of_maps(held.maps, thing.type, stored[at : at + held.stride]) for at in starts]
            return dict(zip(_keys(thing.index), sets, strict=True))
        entries = numbers(stored, held.stride)
        if held.packed is not None:
            value_of = {entry: typed(held.packed.decode(entry), thing.type) for entry in set(entries)}
            values = [value_of[entry] for entry in entries]
        else:
            assert held.universe is not None
            values = [held.universe.members(entry) for entry in entries]
        return dict(zip(_keys(thing.index), values, strict=True))

    def _set_of_maps(self, maps: Maps, ty: Type, stored: bytes) -> Value:
        assert isinstance(ty, types.SetOf) and isinstance(ty.of, types.Map)
        form, of, found = maps.packed, ty.of.values, []
        for member in range(number(stored, 0, 8)):
            start = 8 + 8 * maps.words * member
            entries = numbers(stored[start : start + maps.keys * form.size], form.size)
            found.append(tuple(typed(form.decode(entry), of) for entry in entries))
        return types.as_set(found)

    def _variable(self, held: FrameField, stored: bytes) -> Value:
        ty = held.variable.type
        match held.kind:
            case FrameKind.SINGLE:
                return typed(held.packed.decode(number(stored, 0, held.packed.size)), ty)
            case FrameKind.SET if stored[0] and isinstance(ty, types.SetOf):
                return universe(ty.of, self.game).members(number(stored, 8, held.most // 8))
            case FrameKind.SEQUENCE if number(stored, 0, 2) and isinstance(ty, types.SetOf):
                return self._listed(stored, held, number(stored, 0, 2) - 1, ty.of)
            case FrameKind.MAP if stored[0] and isinstance(ty, types.Map):
                return self._listed(stored, held, held.most, ty.values)
        return None

    def _listed(self, stored: bytes, held: FrameField, count: int, of: Type) -> Value:
        size = held.packed.size
        return tuple(typed(held.packed.decode(n), of) for n in numbers(stored[8 : 8 + size * count], size))

    # ------------------------------------------------------------------------------------------------------ options

    def alternatives(self, node: flow.Node) -> list[tuple[str | None, list[Reader]]]:
        """How the options of a node are read: for each alternative its action (None where none is chosen), and what
        reads its values, one after the other."""
        match node:
            case flow.Decision(_, ir.OfferActions(alternatives)) | flow.ChanceNode(ir.OfferActions(alternatives)):
                actions = [self.game.actions[alternative.action] for alternative in alternatives]
                return [(a.name, self._readers([param.variable.type for param in a.params])) for a in actions]
            case flow.Decision() | flow.ChanceNode():
                return [(None, self._readers([variable.type for variable in flow.offer_variables(node.offer)]))]
            case flow.ThrowNode(chance):
                rule = self.game.chances[chance]
                rolls = [types.Int(0, 0) for stmt in rule.body if isinstance(stmt, ir.Roll)]
                return [(None, self._readers([*rolls, rule.gives.type]))]
            case flow.DrawNode() | flow.RollNode() | flow.Over() | flow.Outside():
                return [(None, self._readers([types.Int(0, 0)]))]
            case _:
                assert_never(node)

    def _readers(self, kinds: Sequence[Type]) -> list[Reader]:
        found = []
        place = 2  # after the weight and the alternative
        for ty in kinds:
            reader, count = self._reader(ty, place)
            found.append(reader)
            place += count
        return found

    def _reader(self, ty: Type, place: int) -> tuple[Reader, int]:
        """What reads a value from the words of an option, and how many words it takes."""
        match ty:
            case types.Map(keys, of):
                count = ordinals(keys).size
                return lambda words: tuple(typed(_value(w), of) for w in words[place : place + count]), count
            case types.SetOf(of) if is_single(of):
                among = universe(of, self.game)
                count = int(among.ty[1:]) // 64

                def members(words: Sequence[int]) -> Value:
                    parts = enumerate(words[place : place + count])
                    return among.members(sum((w & (1 << 64) - 1) << 64 * number for number, w in parts))

                return members, count
            case types.Bool():
                return lambda words: bool(words[place]), 1
            case types.Optional():
                return lambda words: typed(_value(words[place]), ty), 1
            case types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces():
                return lambda words: words[place], 1
            case types.SetOf() | types.Never() | types.Fraction():
                raise NotCompiled(f"choosing values of type {type(ty).__name__}")
            case _:
                assert_never(ty)


def number(state: bytes, offset: int, size: int) -> int:
    return int.from_bytes(state[offset : offset + size], "little")


def numbers(stored: bytes, size: int) -> Sequence[int]:
    """What stands there one after the other, each of so many bytes."""
    return stored if size == 1 else [number(stored, at, size) for at in range(0, len(stored), size)]


def word(state: bytes, offset: int) -> int:
    return int.from_bytes(state[offset : offset + 8], "little", signed=True)


def typed(value: int | None, ty: Type) -> Value:
    """A number as the value that it is."""
    inner = ty.of if isinstance(ty, types.Optional) else ty
    return bool(value) if isinstance(inner, types.Bool) and value is not None else value


def _value(stored: int) -> int | None:
    return None if stored == NONE else stored


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(64) if mask >> seat & 1)


def _keys(index: Sequence[Variable]) -> Iterator[Key]:
    return product(*(tuple(types.values(variable.type)) for variable in index))


__all__ = ["Decoder", "Kind", "Position"]
