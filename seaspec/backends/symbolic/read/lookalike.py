"""Positions that look alike to a player: what this one sees is the same, and all else may be anything.

What is seen is read at the first position, so that it is not only equal but the same term. In places that are not seen
as many pieces lie, unless they are uncounted. Nobody sees what lies in `box`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from seaspec.analysis.reads import reads
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import NO, YES, Term, add, and_, eq, ite, number, or_, sub, within
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.run.anything import free_family
from seaspec.backends.symbolic.values.places import Places, anywhere
from seaspec.backends.symbolic.values.position import Args, Family, Mapped, Position
from seaspec.backends.symbolic.values.sets import NONE, Value, choose
from seaspec.backends.symbolic.values.world import World
from seaspec.core import ir, types
from seaspec.core.ir import BOX

MOST_SEEN = 60
"""A place of more instances, of which a player sees some, has no encoding here."""

Sees = Callable[[str, Args], Term]
"""Whether the player sees an instance of a place or state."""


def lookalike(world: World, position: Position, seat: int, public: Collection[str], told: list[Term]) -> Position:
    """Any position that looks to a player as this one does. `public`: states that are the same in any case."""

    def sees(name: str, args: Args) -> Term:
        return _sees(world, position, seat, name, args)

    states: dict[str, Family] = {}
    for name, family in position.states.items():
        if name in public or world.game.states[name].sight.all:
            states[name] = family
        else:
            states[name] = _seen_or_other(name, sees, family, free_family(world, f"other.{name}", name, told))
    other = anywhere(world, "other", told)
    places = Lookalike(world, other.where, other.counts, other.holder, {}, position.places, sees)
    return replace(position, states=states, places=places)


def _seen_or_other(name: str, sees: Sees, family: Family, other: Family) -> Family:
    def read(args: Args) -> Value:
        seen = sees(name, args)
        if seen.is_const:
            return family.read(args) if seen.value else other.read(args)
        return choose(seen, family.read(args), other.read(args))

    return Mapped(read)


def _sees(world: World, position: Position, seat: int, name: str, args: Args) -> Term:
    things: ir.Place | ir.State = world.game.places.get(name) or world.game.states[name]
    by = things.sight.by
    if things.sight.all or by is None or name == BOX:
        return YES if things.sight.all and name != BOX else NO
    _is_open(world.game, by)
    reader = Reader(world, position)
    reader.env.update(zip((variable for variable in things.index), args, strict=True))
    if isinstance(by.type, types.SetOf | types.Optional):
        found = reader.set(by).member(number(seat))
    else:
        found = eq(reader.number(by), number(seat))
    if reader.told or not world.owed.is_total(by):
        raise Unsupported(f"who sees {name}")
    return found


def _is_open(game: ir.Game, by: ir.Expr) -> None:
    """Who sees a thing must be known to all: else positions that look alike might differ in that."""
    places, states, others = reads(game, by)
    sights = [game.places[name].sight for name in places] + [game.states[name].sight for name in states]
    if others or BOX in places or not all(sight.all for sight in sights):
        raise Unsupported("who sees what depends on what not all see")


@dataclass(frozen=True, eq=False)
class Lookalike(Places):
    """Where the pieces are: what is seen lies where it `real`ly does, all else where the fields of its own say."""

    real: Places
    sees: Sees

    def slot_of(self, piece: Term) -> Term:
        mine = self.real.slot_of(piece)
        return ite(or_(*self._seen_slots(mine)), mine, super().slot_of(piece))

    def _seen_slots(self, slot: Term) -> Iterator[Term]:
        for name, instances in self.world.places.items():
            if self._is_all_seen(name):
                yield within(slot, instances.base, instances.end - 1)
                continue
            if len(instances.keys) > MOST_SEEN:
                raise Unsupported(f"who sees some {name}")
            for place, key in enumerate(instances.keys, instances.base):
                yield and_(eq(slot, number(place)), self.sees(name, tuple(map(number, key))))

    def _is_all_seen(self, place: str) -> bool:
        return place != BOX and self.world.game.places[place].sight.all

    def lies_in(self, piece: Term, place: str, args: Args) -> Term:
        if place in self.holder:
            return eq(self.holding(place, args), piece)
        seen = self.sees(place, args)
        if seen is YES:
            return self.real.lies_in(piece, place, args)
        other = eq(self.where_else(piece), self.world.slot(place, args))
        return ite(seen, self.real.lies_in(piece, place, args), other)

    def where_else(self, piece: Term) -> Term:
        """Where a piece lies that is not seen."""
        return Places.slot_of(self, piece)

    def lies_anywhere_in(self, piece: Term, place: str) -> Term:
        if self._is_all_seen(place):
            return self.real.lies_anywhere_in(piece, place)
        return super().lies_anywhere_in(piece, place)

    def holding(self, place: str, args: Args) -> Term:
        seen = self.sees(place, args)
        real, other = self.real.holding(place, args), super().holding(place, args)
        if not self.world.game.places[place].uncounted:  # one lies there, or none, as in the first position
            other = ite(eq(real, NONE), NONE, ite(eq(other, NONE), real, other))
        return ite(seen, real, other)

    def numbers(self, place: str, args: Args) -> tuple[Term, ...]:
        seen = self.sees(place, args)
        real = self.real.numbers(place, args)
        if seen is YES:
            return real
        other = list(super().numbers(place, args))
        counted = [sort for sort in range(len(other)) if (place, sort) in self.counts]
        if counted and not self.world.game.places[place].uncounted:
            rest = add(*(other[sort] for sort in counted[:-1]))
            other[counted[-1]] = sub(add(*real), rest)
        return tuple(ite(seen, a, b) for a, b in zip(real, other, strict=True))
