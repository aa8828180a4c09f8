"""The image of a position under a renaming: the same families, read through the renaming and renamed.

A renaming is known by the images of the values of each type (None: all stay what they are). Values of a type go to
values of that type, and each is the image of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import Term, eq, ite, number
from seaspec.backends.symbolic.values import sets
from seaspec.backends.symbolic.values.places import Places
from seaspec.backends.symbolic.values.position import Args, Family, Mapped, Position
from seaspec.backends.symbolic.values.sets import NONE, Listed, Value, Where, by_cases
from seaspec.backends.symbolic.values.world import World, as_number
from seaspec.core import types
from seaspec.core.types import Type

Images = Callable[[Type], Mapping[object, object] | None]
"""The images of the values of a type that is no set and no map; None: all stay what they are."""


@dataclass(eq=False)
class Image:
    """Makes images of values and positions of a world."""

    world: World
    images: Images
    _back: dict[Type, tuple[tuple[int, int], ...] | None] = field(default_factory=dict)
    _there: dict[Type, tuple[tuple[int, int], ...] | None] = field(default_factory=dict)

    def value(self, value: Value, ty: Type) -> Value:
        """The image of a value of a type. Sets that are in order have none here."""
        match ty:
            case types.SetOf(of):
                return self._set(value, of, ty.ordered)
            case types.Map(keys, held):
                assert isinstance(value, sets.Map)
                entries = [value.at(self.back(number(key), keys)) for key in value.keys]
                return sets.Map(value.keys, tuple(self.value(entry, held) for entry in entries))
            case (
                types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
                | types.Optional() | types.Never() | types.Fraction()
            ):  # fmt: skip
                pass
            case _:
                assert_never(ty)
        if isinstance(value, Listed | Where):  # a value of `T or none` that stands for a set
            return self._set(value, ty, ordered=False)
        assert isinstance(value, Term)
        return self._renamed(value, ty, self._lines(ty, self._there, is_back=False))

    def back(self, value: Term, ty: Type) -> Term:
        """The value that this one is the image of."""
        return self._renamed(value, ty, self._lines(ty, self._back, is_back=True))

    def position(self, position: Position) -> Position:
        """The image of a position."""
        game = self.world.game
        states: dict[str, Family] = {}
        for name, family in position.states.items():
            states[name] = self._family(family, self.world.states[name].index, game.states[name].type)
        player = game.types[types.PLAYER]
        out = tuple(position.out[self.back(number(seat), player).value] for seat in self.world.seats)
        return Position(states, self._places(position.places), out)

    def _renamed(self, value: Term, ty: Type, lines: tuple[tuple[int, int], ...] | None) -> Term:
        if lines is None:
            return value
        if isinstance(ty, types.Optional):
            return ite(eq(value, NONE), NONE, by_cases(value, lines))
        return by_cases(value, lines)

    def _lines(
        self, ty: Type, known: dict[Type, tuple[tuple[int, int], ...] | None], is_back: bool
    ) -> tuple[tuple[int, int], ...] | None:
        if ty not in known:
            inner = ty.of if isinstance(ty, types.Optional) else ty
            found = None if isinstance(inner, types.Bool | types.Never) else self.images(inner)
            pairs = [(as_number(a), as_number(b)) for a, b in found.items()] if found is not None else []
            known[ty] = tuple(sorted((b, a) if is_back else (a, b) for a, b in pairs)) if pairs else None
        return known[ty]

    def _set(self, value: Value, of: Type, ordered: bool) -> Value:
        if isinstance(of, types.SetOf | types.Map):
            assert isinstance(value, Listed | Where)
            items = tuple((there, self.value(item, of)) for there, item in value.items)
            return Listed(of, items)
        if self._lines(of, self._there, is_back=False) is None:
            return value
        if isinstance(value, Listed):
            items = tuple((there, self.value(item, of)) for there, item in value.items)
            return Listed(value.of, items, value.ordered)
        if ordered:
            raise Unsupported("the image of a set in order")
        assert isinstance(value, Where)
        there = dict(self._lines(of, self._there, is_back=False) or ())
        members = tuple(sorted(there.get(member, member) for member in value.members))
        counted = value.counted if isinstance(of, types.Pieces) else None  # the image of a piece is of the same sort
        return Where(value.of, members, lambda x: value.member(self.back(x, of)), value.wide, counted)

    def _family(self, family: Family, index: tuple[Type, ...], ty: Type) -> Family:
        return Mapped(lambda args: self.value(family.read(self._from(args, index)), ty))

    def _moved(self, family: Family, index: tuple[Type, ...]) -> Family:
        """The same values elsewhere."""
        return Mapped(lambda args: family.read(self._from(args, index)))

    def _from(self, args: Args, index: tuple[Type, ...]) -> Args:
        return tuple(self.back(arg, ty) for arg, ty in zip(args, index, strict=True))

    def _places(self, places: Places) -> Places:
        world, game = self.world, self.world.game
        pieces = types.Pieces("", tuple(piece.id for piece in game.pieces))
        slots = sorted(
            (slot, instances.base + instances.keys.index(self._key(key, instances.index)))
            for instances in world.places.values()
            for slot, key in enumerate(instances.keys, instances.base)
        )

        def where(args: Args) -> Value:
            slot = places.where.read((self.back(args[0], pieces),))
            assert isinstance(slot, Term)
            return by_cases(slot, slots)

        counts: dict[tuple[str, int], Family] = {}
        for (name, sort), family in places.counts.items():
            counts[name, sort] = self._moved(family, world.places[name].index)
        holder: dict[str, Family] = {}
        for name, family in places.holder.items():
            held = types.Optional(game.places[name].holds)
            holder[name] = self._family(family, world.places[name].index, held)
        return replace(places, where=Mapped(where), counts=counts, holder=holder, known={})

    def _key(self, key: tuple[int, ...], index: tuple[Type, ...]) -> tuple[int, ...]:
        found = [self.value(number(value), ty) for value, ty in zip(key, index, strict=True)]
        return tuple(value.value for value in found if isinstance(value, Term))
