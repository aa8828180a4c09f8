"""From a native state, and from a told option, back to values of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from seaspec.backends.native.layout import FrameKind, Kind, Layout, PlaceField
from seaspec.backends.native.shapes import NONE, is_single, ordinals, universe
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder, Variable
from seaspec.core.types import Type, Value

Key = tuple[Value, ...]
Reader = Callable[[Sequence[int]], Value]
"""From the words of an option to one of its values."""


@dataclass(frozen=True)
class Position:
    """A state in terms of the core. Contents of places: sorted pieces; of rows in order; of piles layers, the top last.

    `frame`: the variables that have a value. `result`: winners, losers, scores by seat, once the game is over.
    """

    block: int
    result: tuple[tuple[int, ...], tuple[int, ...], tuple[Value, ...] | None] | None
    out: tuple[int, ...]
    places: dict[str, dict[Key, tuple[object, ...]]]
    states: dict[str, dict[Key, Value]]
    frame: dict[Variable, Value] = field(hash=False)


class Decoder:
    """Reads states of one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.game = layout.game

    def position(self, state: bytes) -> Position:
        layout = self.layout
        return Position(
            number(state, layout.PC, 2),
            self._result(state) if state[layout.OVER] else None,
            _seats(number(state, layout.OUT, 8)),
            {name: dict(self._place(state, place)) for name, place in self.game.places.items()},
            {name: dict(self._state(state, thing)) for name, thing in self.game.states.items()},
            {v: value for v in layout.frame if (value := self._variable(state, v)) is not None},
        )

    def _result(self, state: bytes) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Value, ...] | None]:
        layout = self.layout
        scores: tuple[Value, ...] | None = None
        if state[layout.SCORED]:
            scores = tuple(self._scores_of(state, seat) for seat in range(layout.seats))
        return _seats(number(state, layout.WINNERS, 8)), _seats(number(state, layout.LOSERS, 8)), scores

    def _scores_of(self, state: bytes, seat: int) -> Value:
        start = self.layout.scores + 8 * self.layout.terms * seat
        terms = [word(state, start + 8 * place) for place in range(self.layout.terms)]
        return tuple(term for term in terms if term != NONE) or None

    def _place(self, state: bytes, place: ir.Place) -> Iterator[tuple[Key, tuple[object, ...]]]:
        layout = self.layout
        held = layout.places[place.name]
        size = layout.where_bits // 8
        lying: dict[int, list[int]] = {}
        for piece in range(layout.pieces):
            lying.setdefault(number(state, layout.where + size * piece, size), []).append(piece)
        for instance, key in enumerate(_keys(place.index)):
            pieces = tuple(lying.get(held.slot + instance, ()))
            match place.order:
                case PlaceOrder.PILE:
                    yield key, self._layers(state, pieces)
                case PlaceOrder.ROW:
                    yield key, self._row(state, held, instance)
                case _:
                    yield key, pieces

    def _layers(self, state: bytes, pieces: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        size = self.layout.order_bits // 8
        layers: dict[int, list[int]] = {}
        for piece in pieces:
            layers.setdefault(number(state, self.layout.order + size * piece, size), []).append(piece)
        assert sorted(layers) == list(range(len(layers))), layers
        return tuple(tuple(layers[layer]) for layer in sorted(layers))

    def _row(self, state: bytes, held: PlaceField, instance: int) -> tuple[int, ...]:
        start = held.offset + instance * held.stride
        form = held.cell
        count = number(state, start, 2)
        found = [form.decode(number(state, start + 2 + form.size * place, form.size)) for place in range(count)]
        return tuple(piece for piece in found if piece is not None)

    def _state(self, state: bytes, thing: ir.State) -> Iterator[tuple[Key, Value]]:
        held = self.layout.states[thing.name]
        for entry, key in enumerate(_keys(thing.index)):
            stored = number(state, held.offset + entry * held.stride, held.stride)
            if held.packed is not None:
                yield key, typed(held.packed.decode(stored), thing.type)
            else:
                assert held.universe is not None
                yield key, held.universe.members(stored)

    def _variable(self, state: bytes, variable: Variable) -> Value:
        held = self.layout.frame[variable]
        start, ty = held.offset, variable.type
        match held.kind:
            case FrameKind.SINGLE:
                return typed(held.packed.decode(number(state, start, held.packed.size)), ty)
            case FrameKind.SET if state[start] and isinstance(ty, types.SetOf):
                return universe(ty.of, self.game).members(number(state, start + 8, held.most // 8))
            case FrameKind.SEQUENCE if number(state, start, 2):
                count = number(state, start, 2) - 1
                return self._listed(state, start + 8, held.packed.size, count, variable)
            case FrameKind.MAP if state[start]:
                return self._listed(state, start + 8, held.packed.size, held.most, variable)
        return None

    def _listed(self, state: bytes, start: int, size: int, count: int, variable: Variable) -> Value:
        held = self.layout.frame[variable]
        ty = variable.type
        assert isinstance(ty, types.SetOf | types.Map)
        of = ty.of if isinstance(ty, types.SetOf) else ty.values
        return tuple(typed(held.packed.decode(number(state, start + size * n, size)), of) for n in range(count))

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
            case _:
                return [(None, self._readers([types.Int(0, 0)]))]

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
        if isinstance(ty, types.Map):
            of, count = ty.values, ordinals(ty.keys).size
            return lambda words: tuple(typed(_value(w), of) for w in words[place : place + count]), count
        if isinstance(ty, types.SetOf) and is_single(ty.of):
            among = universe(ty.of, self.game)
            count = int(among.ty[1:]) // 64

            def members(words: Sequence[int]) -> Value:
                parts = enumerate(words[place : place + count])
                return among.members(sum((w & (1 << 64) - 1) << 64 * number for number, w in parts))

            return members, count
        if isinstance(ty, types.Bool):
            return lambda words: bool(words[place]), 1
        if isinstance(ty, types.Optional):
            return lambda words: typed(_value(words[place]), ty), 1
        return lambda words: words[place], 1


def number(state: bytes, offset: int, size: int) -> int:
    return int.from_bytes(state[offset : offset + size], "little")


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
