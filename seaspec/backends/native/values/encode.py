"""From what a position holds, in terms of the core, to a native state: what decode.py does, the other way round.

Only positions of games that are not over: native code goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.values.layout import FrameField, FrameKind, Kind, Layout, PlaceField, StateField
from seaspec.backends.native.values.shapes import universe
from seaspec.core import ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.types import Value


class Encoder:
    """Writes states of one layout, part by part: a state is all its parts, laid over one another."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.game = layout.game

    def head(self, block: int, out: Sequence[int]) -> bytes:
        """A state in which nothing stands but where it rests, and who is out."""
        found = bytearray(self.layout.size)
        _put(found, self.layout.PC, 2, block)
        _put(found, self.layout.OUT, 8, sum(1 << seat for seat in out))
        return bytes(found)

    def part_of_state(self, name: str) -> Callable[[Sequence[Value]], bytes]:
        """Writes states in which nothing stands but the values of one state of the game, in the order of its keys."""
        held = self.layout.states.get(name)
        return self._part(lambda found, values: None if held is None else self._put_state(found, held, values))

    def part_of_frame(self, variable: ir.Variable) -> Callable[[Value], bytes]:
        """Writes states in which nothing stands but the value of a variable."""
        field = self.layout.frame.get(variable)
        return self._part(lambda found, value: None if field is None else self._put_variable(found, field, value))

    def part_of_place(self, name: str) -> Callable[[Sequence[tuple[object, ...]]], bytes]:
        """Writes states in which nothing stands but what lies in one place of the game, in the order of its keys."""
        place, where = self.game.places[name], self.layout.places[name]
        return self._part(lambda found, instances: self._put_place(found, place, where, instances))

    def _part(self, put: Callable[[bytearray, Any], None]) -> Callable[[Any], bytes]:
        def write(held: Any) -> bytes:
            found = bytearray(self.layout.size)
            put(found, held)
            return bytes(found)

        return write

    def _put_state(self, found: bytearray, held: StateField, values: Iterable[Value]) -> None:
        for number, value in enumerate(values):
            start = held.offset + number * held.stride
            found[start : start + held.stride] = entry_image(held, value)

    def _put_variable(self, found: bytearray, held: FrameField, value: Value) -> None:
        at, size = held.offset, held.packed.size
        if held.kind is FrameKind.SINGLE:
            _put(found, at, size, held.packed.encode(value))
            return
        assert isinstance(value, tuple)
        if held.kind is FrameKind.SET:
            assert isinstance(held.variable.type, types.SetOf)
            found[at] = 1
            _put(found, at + 8, held.most // 8, universe(held.variable.type.of, self.game).mask(value))
            return
        _put(found, at, 2, len(value) + 1 if held.kind is FrameKind.SEQUENCE else 1)
        for number, member in enumerate(value):
            _put(found, at + 8 + number * size, size, held.packed.encode(member))

    def _put_place(
        self, found: bytearray, place: ir.Place, held: PlaceField, instances: Sequence[tuple[object, ...]]
    ) -> None:
        filled = 0
        for number, contents in enumerate(instances):
            if not contents:
                continue
            filled |= 1 << number
            layers = _layers(place, contents)
            at = held.offset + number * held.stride
            for order, layer in enumerate(layers):
                for piece in layer:
                    self._put_piece(found, held.slot + number, piece)
                    if held.kind is Kind.PILES:
                        size = self.layout.order_bits // 8
                        _put(found, self.layout.order + piece * size, size, order)
            pieces = [piece for layer in layers for piece in layer]
            match held.kind:
                case Kind.MASKS:
                    _put(found, at, held.mask_bytes, _mask(pieces, held))
                case Kind.CELLS:
                    _put(found, at, held.cell.size, held.cell.encode(pieces[0]))
                case Kind.ROWS:
                    _put(found, at, 2, len(pieces))
                    for spot, piece in enumerate(pieces):
                        _put(found, at + 2 + spot * held.cell.size, held.cell.size, held.cell.encode(piece))
                case Kind.PILES:
                    _put(found, at, held.mask_bytes, _mask(pieces, held))
                    _put(found, at + held.mask_bytes, held.mask_bytes, _mask(layers[-1], held))
                    _put(found, at + 2 * held.mask_bytes, 2, len(layers))
        if held.kind is Kind.CELLS:
            _put(found, held.filled, -(-held.count // 8), filled)

    def _put_piece(self, found: bytearray, slot: int, piece: int) -> None:
        size = self.layout.where_bits // 8
        _put(found, self.layout.where + piece * size, size, slot)


def entry_image(held: StateField, value: Value) -> bytes:
    """An entry of a state as it stands in memory; NotCompiled if it has no room there."""
    if held.packed is not None:
        stored = held.packed.encode(value)
    else:
        assert isinstance(value, tuple)
        stored = held.universe.mask(value) if held.universe is not None else _maps_in(held, value)
    if not 0 <= stored < 1 << held.bits:
        raise NotCompiled(f"a value of the state {held.name}")
    return stored.to_bytes(held.stride, "little")


def _maps_in(held: StateField, members: Sequence[Value]) -> int:
    """A set of maps: how many, then these, ascending by their words."""
    maps = held.maps
    assert maps is not None
    if len(members) > maps.most:
        raise NotCompiled(f"{len(members)} maps in the state {held.name}")
    found = bytearray(8 * maps.words * len(members))
    for number, member in enumerate(members):
        assert isinstance(member, tuple)
        for place, entry in enumerate(member):
            start = 8 * maps.words * number + maps.packed.size * place
            _put(found, start, maps.packed.size, maps.packed.encode(entry))
    words = [int.from_bytes(found[start : start + 8], "little") for start in range(0, len(found), 8)]
    ascending = sorted(tuple(words[start : start + maps.words]) for start in range(0, len(words), maps.words))
    image = len(members).to_bytes(8, "little") + b"".join(w.to_bytes(8, "little") for one in ascending for w in one)
    return int.from_bytes(image, "little")


def _layers(place: ir.Place, contents: Sequence[object]) -> list[tuple[int, ...]]:
    """The pieces of a place: the layers of a pile, else all as one."""
    if place.order is PlaceOrder.PILE:
        return [layer for layer in contents if isinstance(layer, tuple)]
    return [tuple(piece for piece in contents if isinstance(piece, int))]


def _mask(pieces: Iterable[int], held: PlaceField) -> int:
    return sum(1 << (piece - held.low) for piece in pieces)


def _put(found: bytearray, offset: int, size: int, value: int) -> None:
    found[offset : offset + size] = value.to_bytes(size, "little")
