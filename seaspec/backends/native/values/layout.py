"""Where everything is in a native state: a flat stretch of bytes without pointers.

What is first in it is the same for all games: the block it rests at, whether the game is over, who won, lost, dropped
out, the scores. Then come the places, the states, and those variables of the frame that may be live where the game
rests; the others are registers.

Each instance of a place is a *slot*. For each piece stands the slot that it lies in (`where`). Beside that, by the kind
and size of a place:

    MASKS   a set of pieces an instance: few instances
    CELLS   one piece an instance: `at most 1`; beside them the set of filled instances
    WHERE   nothing more: few pieces, many instances
    ROWS    the pieces in order, and how many
    PILES   all pieces, and those of the top layer; how many layers; `order` says for each piece in which one it lies

`where` of the places is enough to tell a position but for rows and piles; all else is derived and kept for speed.

A state that is a set of maps stands last: how many there are, then the maps, ascending by their words. No more of them
are kept than `MOST_MAPS`, and than there is room for: `PLAYED` bytes, or `EXPLORED` where there are many positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.values.shapes import (
    Ordinals,
    Packed,
    Universe,
    extent,
    is_single,
    ordinals,
    packed,
    universe,
)
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder, Variable
from seaspec.core.types import Type

MANY_MASKS = 512
"""Bytes of the masks of a place; what is more is kept as WHERE."""
PLAYED, EXPLORED = 1 << 17, 2 << 10
MOST_MAPS = 512
PADDING = 128
"""Bytes after the end that vector instructions may read."""


class Kind(Enum):
    MASKS = "masks"
    CELLS = "cells"
    WHERE = "where"
    ROWS = "rows"
    PILES = "piles"


@dataclass(frozen=True, slots=True)
class PlaceField:
    """A place. Pieces `low`.. `low + span - 1` may lie there; masks of them start at `low` and have `bits` bits.

    `slot`: the number of the first instance. `stride`: bytes from one instance to the next. In a pile stand the mask,
    the mask of the top layer (after `mask_bytes`), the number of layers; in a row the number of pieces, then these.
    """

    name: str
    kind: Kind
    index: tuple[Ordinals, ...]
    slot: int
    count: int
    low: int
    span: int
    bits: int
    offset: int = 0
    stride: int = 0
    filled: int = 0
    """CELLS: where the set of filled instances stands."""

    @property
    def mask_bytes(self) -> int:
        return self.bits // 8

    @property
    def cell(self) -> Packed:
        """CELLS, ROWS: a piece in memory."""
        return Packed(self.low, 8 if self.span < 256 else 16, True)


@dataclass(frozen=True, slots=True)
class Maps:
    """A set of maps: the number of members, then at most `most` of them, each `keys` entries in whole words."""

    packed: Packed
    keys: int
    most: int
    closed: bool
    """Whether there are no more than that."""

    @property
    def words(self) -> int:
        return max(1, -(-self.keys * self.packed.size // 8))


@dataclass(frozen=True, slots=True)
class StateField:
    name: str
    index: tuple[Ordinals, ...]
    count: int
    packed: Packed | None
    """None: a set, of `bits` bits."""
    bits: int
    universe: Universe | None
    offset: int = 0
    maps: Maps | None = None

    @property
    def stride(self) -> int:
        return self.bits // 8


class FrameKind(Enum):
    SINGLE = "single"
    SET = "set"
    SEQUENCE = "sequence"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class FrameField:
    """A variable of the frame. SINGLE: packed, 0 for none. SET: a byte (has it a value?), then the mask. SEQUENCE: the
    number of members plus 1 (two bytes), then these. MAP: a byte, then the entries."""

    variable: Variable
    kind: FrameKind
    packed: Packed
    most: int
    """Members of a sequence at most; entries of a map; bits of a set."""
    offset: int = 0

    @property
    def size(self) -> int:
        match self.kind:
            case FrameKind.SINGLE:
                return self.packed.size
            case FrameKind.SET:
                return 8 + self.most // 8
            case FrameKind.SEQUENCE | FrameKind.MAP:
                return 8 + -(-self.packed.size * self.most // 8) * 8


class Layout:
    """The layout of the states of one flow."""

    PC = 0
    """The block, two bytes; two more: whether the game is over, and whether scores were given."""
    OVER = 2
    SCORED = 3
    WINNERS, LOSERS, OUT = 8, 16, 24
    SCORES = 32

    def __init__(self, graph: flow.Flow, room: int = PLAYED) -> None:
        self.game = graph.game
        self.flow = graph
        self.pieces = len(self.game.pieces)
        self.seats = len(self.game.players)
        self.terms = max((len(how.values) for how in _scores(graph)), default=0)
        self.all_pieces = universe(types.Pieces("all", tuple(range(self.pieces))), self.game)
        self._next = self.SCORES
        self.scores = self._take(8 * self.seats * self.terms, 8)
        states = self.game.states
        self.states = {
            name: self._state(state) for name, state in states.items() if not types.is_set_of_maps(state.type)
        }
        resting = _resting(graph)
        self.frame_start = self._take(0, 8)
        self.frame = {v: self._frame(v) for v in graph.frame if v in resting}
        self.frame_end = self._take(0, 8)
        slots = 0
        self.places: dict[str, PlaceField] = {}
        for place in self.game.places.values():
            self.places[place.name] = self._place(place, slots)
            slots += self.places[place.name].count
        self.slots = slots
        self.where_bits = 8 if slots <= 256 else 16
        if slots > 65536:
            raise NotCompiled(f"{slots} instances of places")
        self.where = self._take(self.pieces * self.where_bits // 8, 64)
        self.order_bits = 8 if self.pieces < 256 else 16
        piles = any(field.kind is Kind.PILES for field in self.places.values())
        self.order = self._take(self.pieces * self.order_bits // 8 if piles else 0, 8)
        sets = [state for state in states.values() if types.is_set_of_maps(state.type)]
        self.states |= {state.name: self._maps(state, room // len(sets)) for state in sets}
        self.end = self._next
        """What stands from here on is never looked at, only read over."""
        self.size = -(-(self._next + PADDING) // 64) * 64

    def _take(self, size: int, align: int) -> int:
        offset = -(-self._next // align) * align
        self._next = offset + size
        return offset

    def _state(self, state: ir.State) -> StateField:
        index = tuple(ordinals(variable.type) for variable in state.index)
        count = _product(index)
        if is_single(state.type):
            form = packed(_widened(state))
            return StateField(
                state.name, index, count, form, form.bits, None, self._take(count * form.size, min(8, form.size))
            )
        if isinstance(state.type, types.SetOf) and not state.type.ordered and is_single(state.type.of):
            values = universe(state.type.of, self.game)
            bits = _bytes_for(values.width) * 8
            return StateField(
                state.name, index, count, None, bits, values, self._take(count * bits // 8, min(8, bits // 8))
            )
        raise NotCompiled(f"the state {state.name}, which is no single value and no set", state.source.span)

    def _maps(self, state: ir.State, room: int) -> StateField:
        index = tuple(ordinals(variable.type) for variable in state.index)
        assert isinstance(state.type, types.SetOf)
        of = state.type.of
        if not isinstance(of, types.Map) or not is_single(of.keys) or not is_single(of.values) or types.pieces_in(of):
            raise NotCompiled(f"the state {state.name}, a set of maps of sets, of maps or of pieces", state.source.span)
        one = Maps(packed(of.values, zero=True), ordinals(of.keys).size, 1, closed=True)
        count, size = _product(index), types.size(of)
        most = min(size, MOST_MAPS, (room // max(1, count) - 8) // (8 * one.words))
        if most < 1:
            raise NotCompiled(f"the state {state.name}, {count} sets of maps with {one.keys} keys", state.source.span)
        maps = Maps(one.packed, one.keys, most, closed=most == size)
        stride = 8 + 8 * maps.words * most
        return StateField(state.name, index, count, None, 8 * stride, None, self._take(count * stride, 8), maps)

    def _frame(self, variable: Variable) -> FrameField:
        ty = variable.type
        if is_single(ty):
            form = packed(ty, optional=True, zero=isinstance(ty, types.Int))
            return FrameField(variable, FrameKind.SINGLE, form, 1, self._take(form.size, form.size))
        field = unplaced_field(variable, self.game)
        return FrameField(variable, field.kind, field.packed, field.most, self._take(field.size, 8))

    def _place(self, place: ir.Place, slot: int) -> PlaceField:
        index = tuple(ordinals(variable.type) for variable in place.index)
        count = _product(index)
        low, high = extent(place.holds)
        span = high - low + 1
        bits = _bytes_for(span) * 8
        capacity = place.capacity.value if isinstance(place.capacity, ir.Const) else None
        base = PlaceField(place.name, Kind.WHERE, index, slot, count, low, span, bits)
        match place.order:
            case PlaceOrder.ROW:
                most = min(span, capacity) if isinstance(capacity, int) else span
                stride = -(-(2 + (most + 1) * base.cell.size) // 2) * 2
                return _placed(base, Kind.ROWS, self._take(count * stride, 2), stride)
            case PlaceOrder.PILE:
                stride = -(-(2 * bits // 8 + 2) // 8) * 8
                return _placed(base, Kind.PILES, self._take(count * stride, 8), stride)
            case PlaceOrder.SET | PlaceOrder.BAG | PlaceOrder.SLOT:
                pass
            case _:
                assert_never(place.order)
        if capacity == 1 and count > 1:
            offset = self._take(count * base.cell.size, 8)
            return _placed(base, Kind.CELLS, offset, base.cell.size, self._take(_bytes_for(count), 8))
        if count * bits // 8 <= MANY_MASKS:
            return _placed(base, Kind.MASKS, self._take(count * bits // 8, min(8, bits // 8)), bits // 8)
        return base


def unplaced_field(variable: Variable, game: ir.Game) -> FrameField:
    """How a variable of the frame is kept that is no single value, wherever that is."""
    match variable.type:
        case types.SetOf(of, ordered) if is_single(of):
            if ordered:
                return FrameField(variable, FrameKind.SEQUENCE, packed(of), _most_members(of, game))
            return FrameField(variable, FrameKind.SET, Packed(0, 64, False), int(universe(of, game).ty[1:]))
        case types.Map(keys, values) if is_single(keys) and is_single(values):
            return FrameField(variable, FrameKind.MAP, packed(values, zero=True), ordinals(keys).size)
        case _:  # cautious: not compiled
            raise NotCompiled(f"the variable {variable.name}, a set of sets or of maps")


def _resting(graph: flow.Flow) -> set[Variable]:
    """The variables that may have a value where the game rests."""
    return {v for block in graph.blocks if flow.is_node(block.exit) for v in block.live}


def _placed(field: PlaceField, kind: Kind, offset: int, stride: int, filled: int = 0) -> PlaceField:
    parts = field.name, kind, field.index, field.slot, field.count, field.low, field.span, field.bits
    return PlaceField(*parts, offset=offset, stride=stride, filled=filled)


def _product(index: tuple[Ordinals, ...]) -> int:
    count = 1
    for part in index:
        count *= part.size
    return count


def _bytes_for(width: int) -> int:
    """1, 2, 4, or a multiple of 8 bytes."""
    needed = -(-width // 8)
    return next((size for size in (1, 2, 4) if needed <= size), -(-needed // 8) * 8)


def _most_members(of: Type, game: ir.Game) -> int:
    return universe(of, game).width


def _widened(state: ir.State) -> Type:
    """The type of a state; of numbers with bounds by entry, all that these may be."""
    if isinstance(state.type, types.Int) and state.bound is not None:
        low, high = (bound.type for bound in state.bound)
        if isinstance(low, types.Int) and isinstance(high, types.Int):
            return types.Int(min(state.type.low, low.low), max(state.type.high, high.high))
    return state.type


def _scores(graph: flow.Flow) -> list[ir.Score]:
    exits = [block.exit for block in graph.blocks]
    return [exit.how for exit in exits if isinstance(exit, flow.Over) and isinstance(exit.how, ir.Score)]
