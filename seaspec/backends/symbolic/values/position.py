"""A position of terms: what the states are, where the pieces lie, the frame, who is out, how the game has ended.

Positions are values: what changes one makes a new one. A family of entries (a state, or something about places) is read
with terms for its index. Small families hold a term for each entry; large ones are a function with changes on top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import NO, YES, Term, and_, eq, ite, number
from seaspec.backends.symbolic.values.sets import Value, choose
from seaspec.core.ir import Variable

if TYPE_CHECKING:
    from seaspec.backends.symbolic.values.places import Places
from seaspec.analysis.reads import Reads

Key = tuple[int, ...]
Args = tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Entries:
    """A value for each key, written out."""

    values: dict[Key, Value]

    def read(self, args: Args) -> Value:
        if all(arg.is_const for arg in args):
            found = self.values.get(tuple(arg.value for arg in args))
            if found is None:
                return next(iter(self.values.values()))  # outside of the index: any value; that it is inside is owed
            return found
        candidates = [(test, value) for key, value in self.values.items() if (test := _is_key(args, key)) is not NO]
        if not candidates:
            return next(iter(self.values.values()))
        found = candidates[-1][1]
        for test, value in reversed(candidates[:-1]):
            found = choose(test, value, found)
        return found

    def write(self, args: Args, value: Value, when: Term = YES) -> Entries:
        new = dict(self.values)
        for key, old in self.values.items():
            here = and_(when, _is_key(args, key))
            if here is not NO:
                new[key] = choose(here, value, old)
        return Entries(new)

    def change(self, value: Callable[[Args, Value], Value]) -> Entries:
        """Every entry anew, from its index and what it was."""
        return Entries({key: value(tuple(map(number, key)), old) for key, old in self.values.items()})

    def merged(self, test: Term, other: Family) -> Family:
        """These entries, or the others where the test does not hold."""
        if isinstance(other, Entries):
            return Entries({key: choose(test, value, other.values[key]) for key, value in self.values.items()})
        raise Unsupported("families of different forms are merged")


@dataclass(frozen=True, eq=False)
class Mapped:
    """A function of the index, by its changes."""

    function: Callable[[Args], Value]

    def read(self, args: Args) -> Value:
        return self.function(args)

    def write(self, args: Args, value: Value, when: Term = YES) -> Mapped:
        old = self.function

        def read(at: Args) -> Value:
            here = and_(when, *(eq(a, b) for a, b in zip(at, args, strict=True)))
            return choose(here, value, old(at)) if here is not NO else old(at)

        return Mapped(read)

    def change(self, value: Callable[[Args, Value], Value]) -> Mapped:
        old = self.function
        return Mapped(lambda at: value(at, old(at)))

    def merged(self, test: Term, other: Family) -> Family:
        mine = self.function
        return Mapped(lambda at: choose(test, mine(at), other.read(at)))


Family = Entries | Mapped


def _is_key(args: Args, key: Key) -> Term:
    return and_(*(eq(arg, number(constant)) for arg, constant in zip(args, key, strict=True)))


@dataclass(frozen=True, eq=False)
class Result:
    """Who has won, who has lost, seat by seat."""

    winners: tuple[Term, ...]
    losers: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Position:
    """All of it. `frame`: the variables that have a value. `begun`: the position when a procedure that runs began."""

    states: dict[str, Family]
    places: Places
    out: tuple[Term, ...]
    frame: dict[Variable, Value] = field(default_factory=dict)
    result: Result | None = None
    begun: dict[str, Position] = field(default_factory=dict)

    def with_state(self, name: str, family: Family) -> Position:
        return replace(self, states={**self.states, name: family})

    def with_frame(self, values: dict[Variable, Value]) -> Position:
        return replace(self, frame={**self.frame, **values})

    def without_frame(self, variables: tuple[Variable, ...]) -> Position:
        gone = set(variables)
        return replace(self, frame={v: value for v, value in self.frame.items() if v not in gone})

    def is_out(self, player: Term) -> Term:
        """Whether a player has dropped out."""
        return by_seat(player, self.out)


def by_seat(player: Term, values: tuple[Term, ...]) -> Term:
    """The yes or no of a seat."""
    if player.is_const:
        return values[player.value] if 0 <= player.value < len(values) else NO
    found = NO
    for seat, value in enumerate(values):
        found = ite(eq(player, number(seat)), value, found)
    return found


def footprint(read: Reads, position: Position) -> tuple[object, ...] | None:
    """All that is read at a position; None if that is not known. Where all that lies in a place is asked for, it is
    read where each piece is."""
    places, states, others = read
    if others:
        return None
    lying = (position.places.holder.get(place, position.places.where) for place in sorted(places))
    return position.out, position.result, *(position.states[state] for state in sorted(states)), *lying


def is_same(read: Reads, one: Position, other: Position) -> bool:
    """Whether nothing that is read differs between two positions."""
    here, there = footprint(read, one), footprint(read, other)
    return here is not None and there is not None and all(a is b for a, b in zip(here, there, strict=True))
