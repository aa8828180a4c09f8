"""Identical pieces: two back ends may take different ones, so those of one are renamed before the two are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from seaspec.core import types
from seaspec.core.ir import PlaceOrder
from seaspec.core.types import Type
from seaspec.game import Game

Slots = tuple[Any, ...]
Names = Sequence[int]
"""For each native piece the piece of the interpreter that it is."""


class Pieces:
    """Which pieces of a game may stand for each other, and what a position says of each."""

    def __init__(self, game: Game) -> None:
        rules, layout = game.rules, game.machine.layout
        self.count = len(rules.pieces)
        self.twin = [piece.twin for piece in rules.pieces]
        self.places = [(s, layout.place_of[s][0].order is PlaceOrder.PILE) for s in layout.place_slots]
        self.ordered = {s for s in layout.place_slots if layout.place_of[s][0].order is PlaceOrder.ROW}
        apart: set[int] = set()
        self.carried: dict[int, list[int]] = {}
        for state in rules.states.values():
            for variable in state.index:
                alone = len(state.index) == 1 and (state.while_in is not None or state.track)
                for piece in _pieces_in(variable.type):
                    if alone:
                        self.carried.setdefault(piece, []).append(layout.states[state.name].slots[(piece,)])
                    else:
                        apart.add(piece)
        for place in rules.places.values():
            for variable in place.index:
                apart |= _pieces_in(variable.type)
        kinds: dict[int, list[int]] = {}
        for piece in rules.pieces:
            if piece.id not in apart:
                kinds.setdefault(piece.twin, []).append(piece.id)
        self.kinds = [members for members in kinds.values() if len(members) > 1]
        self.common = {piece for members in self.kinds for piece in members}
        values = [(s, t.type) for t in rules.states.values() for s in layout.states[t.name].all_slots]
        values += [(slot, variable.type) for variable, slot in layout.frame.items()]
        self.values = [(slot, ty) for slot, ty in values if self.common & (_pieces_in(ty) | _pieces_in(_keys(ty)))]

    def kind_of(self, piece: int) -> Any:
        """The piece, or what it is if there are others like it."""
        return ("one of", self.twin[piece]) if piece in self.common else piece

    def renaming(self, found: Slots, wanted: Slots) -> Names:
        """Native pieces by what is said of them: each becomes a piece of which the other side says the same."""
        names = list(range(self.count))
        theirs, ours = self._said(found), self._said(wanted)
        for members in self.kinds:
            for mine, other in zip(
                sorted(members, key=lambda p: repr(theirs[p])),
                sorted(members, key=lambda p: repr(ours[p])),
                strict=True,
            ):
                names[mine] = other
        return names

    def _said(self, slots: Slots) -> dict[int, list[Any]]:
        """What a position says of each piece that may stand for another."""
        said: dict[int, list[Any]] = {piece: [] for piece in self.common}
        for slot, is_pile in self.places:
            layers = slots[slot] if is_pile else (slots[slot],)
            for layer, pieces in enumerate(layers):
                for spot, piece in enumerate(pieces):
                    if piece in said:
                        said[piece].append((slot, layer, spot if slot in self.ordered else 0))
        for piece, kept in self.carried.items():
            if piece in said:
                said[piece].append([slots[slot] for slot in kept])
        for slot, ty in self.values:
            for piece, how in _mentions(slots[slot], ty):
                if piece in said:
                    said[piece].append((slot, how))
        return said

    def renamed(self, slots: Slots, names: Names) -> Slots:
        found = list(slots)
        for slot, is_pile in self.places:
            if is_pile:
                found[slot] = tuple(tuple(sorted(names[p] for p in layer)) for layer in slots[slot])
            else:
                pieces = [names[p] for p in slots[slot]]
                found[slot] = tuple(pieces if slot in self.ordered else sorted(pieces))
        for piece, kept in self.carried.items():
            for slot, other in zip(kept, self.carried[names[piece]], strict=True):
                found[other] = slots[slot]
        for slot, ty in self.values:
            found[slot] = self.named(slots[slot], ty, names)
        return tuple(found)

    def named(self, value: Any, ty: Type, names: Names) -> Any:
        """A value with its pieces renamed."""
        match ty:
            case _ if value is None:
                return None
            case types.Pieces():
                return names[value]
            case types.Optional(of):
                return self.named(value, of, names)
            case types.SetOf(of, ordered) if _pieces_in(of):
                members = [self.named(member, of, names) for member in value]
                return tuple(members if ordered else sorted(members))
            case types.Map(keys, of):
                held = {
                    self.named(key, keys, names): self.named(member, of, names)
                    for key, member in zip(types.values(keys), value, strict=True)
                }
                return tuple(held[key] for key in types.values(keys))
            case _:
                return value

    def named_all(self, values: Iterable[Any], kinds: Iterable[Type], names: Names) -> tuple[Any, ...]:
        return tuple(self.named(value, ty, names) for value, ty in zip(values, kinds, strict=True))


def _pieces_in(ty: Type | None) -> set[int]:
    match ty:
        case types.Pieces(_, members):
            return set(members)
        case types.Optional(of) | types.SetOf(of):
            return _pieces_in(of)
        case types.Map(_, of):
            return _pieces_in(of)
        case _:
            return set()


def _keys(ty: Type) -> Type | None:
    return ty.keys if isinstance(ty, types.Map) else None


def _mentions(value: Any, ty: Type) -> Iterator[tuple[int, Any]]:
    """The pieces that a value names, and how."""
    if value is None:
        return
    match ty:
        case types.Pieces():
            yield value, 0
        case types.Optional(of):
            yield from _mentions(value, of)
        case types.SetOf(of, ordered):
            for spot, member in enumerate(value):
                for piece, _ in _mentions(member, of):
                    yield piece, spot if ordered else 0
        case types.Map(keys, of):
            for key, member in zip(types.values(keys), value, strict=True):
                for piece, _ in _mentions(key, keys):
                    yield piece, repr(member)
                for piece, _ in _mentions(member, of):
                    yield piece, repr(key)
