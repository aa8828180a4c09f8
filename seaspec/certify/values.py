"""Values that are not known, over Z3: each is plain data where it is known.

    yes or no          bool, or a Z3 term
    a number           int, or a Z3 term
    any other value    `Cases`: each value that it may be, with the condition under which it is that
    a set              a tuple, or `Group`: each value that may be a member, with the condition under which it is one
    a map              a tuple of values, in the order of its keys

What has no value (an entry that is not there, a division by 0) gets any value that is at hand: where the interpreter
would look at it, the play ends with an error, and whatever is said of what comes after it is true. Only what is
*claimed* must be shown to have a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import z3

from seaspec.core import types
from seaspec.core.types import Type

Bool = Any
"""True, False, or a z3.BoolRef. (z3 has no types that mypy knows.)"""
Number = Any
Value = Any
MOST_VALUES = 600
"""A type with more values is not gone through."""


class TooLarge(Exception):
    """There is more than can be gone through, or no encoding: it is not derived again, and this says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """One of several values; no two conditions hold at once. A value that is a term is a number, and not None."""

    table: Mapping[Any, Bool]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A set. `ranks`: members come in their order; None: as they stand here."""

    members: tuple[tuple[Any, Bool], ...]
    ranks: tuple[Number, ...] | None = None

    def before(self, a: int, b: int) -> Bool:
        """Whether one member comes before another, if both are there."""
        return a < b if self.ranks is None else self.ranks[a] < self.ranks[b]

    def earlier(self, one: int) -> Iterator[tuple[int, Bool]]:
        """The members that may come before one, each with the condition under which it is there and does."""
        for other, (_, there) in enumerate(self.members):
            test = and_(there, self.before(other, one)) if other != one else False
            if test is not False:
                yield other, test

    def rank(self, one: int) -> Number:
        """Which it is, from 1, if it is a member."""
        return add(1, ones(test for _, test in self.earlier(one)))

    def first(self, one: int) -> Bool:
        """Whether it is the first."""
        return and_(self.members[one][1], *(not_(test) for _, test in self.earlier(one)))


def is_known(value: Value) -> bool:
    """Whether a value is plain data through and through."""
    if isinstance(value, tuple):
        return all(map(is_known, value))
    return value is None or isinstance(value, bool | int)


# --------------------------------------------------------------------------------------------- yes or no, and numbers


def not_(a: Bool) -> Bool:
    if isinstance(a, bool):
        return not a
    return a.arg(0) if z3.is_not(a) else z3.Not(a)


def and_(*parts: Bool) -> Bool:
    return _joined(parts, False, z3.And)


def or_(*parts: Bool) -> Bool:
    return _joined(parts, True, z3.Or)


def _joined(parts: Iterable[Bool], ends: bool, join: Callable[..., Bool]) -> Bool:
    found: dict[int, Bool] = {}
    for part in parts:
        if isinstance(part, bool):
            if part is ends:
                return ends
        else:
            found[part.get_id()] = part
    if len(found) < 2:
        return next(iter(found.values()), not ends)
    return join(*found.values())


def implies(a: Bool, b: Bool) -> Bool:
    return or_(not_(a), b)


def add(*parts: Number) -> Number:
    known = sum(part for part in parts if isinstance(part, int))
    terms = [part for part in parts if not isinstance(part, int)]
    if not terms:
        return known
    total = terms[0] if len(terms) == 1 else z3.Sum(terms)
    return total + known if known else total


def ones(tests: Iterable[Bool]) -> Number:
    """How many of these hold."""
    return add(*(pick(test, 1, 0) for test in tests))


def pick(test: Bool, a: Any, b: Any) -> Any:
    """One of two numbers, or of two truths."""
    if isinstance(test, bool):
        return a if test else b
    if isinstance(a, bool) or isinstance(b, bool) or z3.is_bool(a):
        return and_(implies(test, a), implies(not_(test), b))
    return a if isinstance(a, int) and isinstance(b, int) and a == b else z3.If(test, a, b)


def equal(a: Any, b: Any) -> Bool:
    """Whether two numbers, two truths or plain values are the same."""
    if is_known(a) and is_known(b):
        return bool(a == b)
    if a is None or b is None:
        return False
    if isinstance(a, bool) or isinstance(b, bool) or z3.is_bool(a):
        return and_(implies(a, b), implies(b, a))
    return a == b


# ---------------------------------------------------------------------------------------------- values of all types


def table(value: Value) -> Mapping[Any, Bool]:
    """What a value that is no set and no map may be."""
    return value.table if isinstance(value, Cases) else {value: True}


def tabled(parts: Iterable[tuple[Value, Bool]]) -> Value:
    """The value that is one of these, each under a condition."""
    found: dict[Any, list[Bool]] = {}
    terms: list[tuple[Number, Bool]] = []
    for part, test in parts:
        for one, here in table(part).items():
            both = and_(test, here)
            if both is not False:
                (found.setdefault(one, []) if is_known(one) else []).append(both)
                if not is_known(one):
                    terms.append((one, both))
    if terms:  # one number stands for all of them
        terms += [(one, or_(*found.pop(one))) for one in list(found) if one is not None]
        number = reduce(lambda rest, one: pick(one[1], one[0], rest), terms[1:], terms[0][0])
        found[number] = [test for _, test in terms]
    cases = {one: or_(*tests) for one, tests in found.items()}
    return next(iter(cases)) if list(cases.values()) == [True] else Cases(cases)


def gather(parts: Iterable[tuple[Bool, Value]], ty: Type, every: bool = False) -> Value:
    """The value of a type that is one of these, no two of whose conditions hold at once. If none does (`every`: one
    does), it is none, if that is a value, else any."""
    found = [(test, value) for test, value in parts if test is not False]
    sure = [value for test, value in found if test is True]
    if sure or not found:
        return sure[0] if sure else default(ty)
    match ty:
        case types.SetOf():
            return _one_of(found, ty.ordered)
        case types.Map(_, held):
            columns = zip(*(value for _, value in found), strict=True)
            return tuple(gather([(t, x) for (t, _), x in zip(found, xs, strict=True)], held, every) for xs in columns)
        case types.Bool():
            return or_(*(and_(test, value) for test, value in found))
        case types.Int():
            return reduce(lambda rest, part: pick(part[0], part[1], rest), reversed(found[:-1]), found[-1][1])
        case _:  # cautious: what is neither a scalar nor none has no table, and that is said
            if not every:
                left = not_(or_(*(test for test, _ in found)))
                optional = isinstance(ty, types.Optional)
                found.append((left, None if optional else found[-1][1]))
            return tabled((value, test) for test, value in found)


def choose(test: Bool, a: Value, b: Value, ty: Type) -> Value:
    """One of two values of a type."""
    return a if a is b else gather([(test, a), (not_(test), b)], ty, every=True)


def default(ty: Type) -> Value:
    """Some value, for what has none."""
    if isinstance(ty, types.Map):
        return (default(ty.values),) * len(listed(ty.keys))
    return () if isinstance(ty, types.SetOf) else 0 if isinstance(ty, types.Fraction) else next(types.values(ty), 0)


def _one_of(found: Sequence[tuple[Bool, Value]], ordered: bool) -> Value:
    there: dict[Any, list[Bool]] = {}
    ranks: dict[Any, Number] = {}
    for test, value in found:
        one = group(value)
        for (member, here), rank in zip(one.members, one.ranks or range(len(one.members)), strict=True):
            there.setdefault(member, []).append(and_(test, here))
            ranks[member] = pick(test, rank, ranks[member]) if member in ranks else rank
    every = types.as_set(there)
    return tidy([(m, or_(*there[m])) for m in every], [ranks[m] for m in every] if ordered else None)


def same(a: Value, b: Value, ty: Type) -> Bool:
    """Whether two values of a type are equal."""
    match ty:
        case types.SetOf():
            here, there = dict(group(a).members), dict(group(b).members)
            return and_(*(equal(here.get(m, False), there.get(m, False)) for m in {**here, **there}))
        case types.Map(_, held):
            return and_(*(same(x, y, held) for x, y in zip(a, b, strict=True)))
        case _ if not isinstance(a, Cases) and not isinstance(b, Cases):
            return equal(a, b)
        case _:  # cautious: where no case holds, nothing is equal
            one, other = table(a), table(b)
            if all(map(is_known, (*one, *other))):
                return or_(*(and_(test, other[key]) for key, test in one.items() if key in other))
            return or_(*(and_(s, t, equal(x, y)) for x, s in one.items() for y, t in other.items()))


def cases(value: Value, ty: Type) -> list[tuple[Any, Bool]]:
    """The plain values that a value may be, each with the condition under which it is that."""
    if is_known(value):
        return [(value, True)]
    if isinstance(value, Cases):
        inner = ty.of if isinstance(ty, types.Optional) else ty
        return [(one, and_(test, here)) for part, test in value.table.items() for one, here in cases(part, inner)]
    found = ((one, same(value, one, ty)) for one in listed(ty))
    return [(one, test) for one, test in found if test is not False]


def lifted(act: Callable[..., Any], given: Sequence[tuple[Value, Type]], ty: Type) -> Value:
    """What comes of plain values, for each of those that are given; its type is `ty`."""
    ways = product(*(cases(value, kind) for value, kind in given))
    return gather(((and_(*(t for _, t in way)), act(*(one for one, _ in way))) for way in ways), ty)


def group(value: Value) -> Group:
    """A set, or a value of `T or none` that is no number, as its members."""
    if isinstance(value, Group):
        return value
    if isinstance(value, tuple):
        return Group(tuple((member, True) for member in value))
    return Group(tuple((one, test) for one, test in table(value).items() if one is not None))


def tidy(members: Iterable[tuple[Any, Bool]], ranks: Iterable[Number] | None = None) -> Value:
    """A set: plain data if it is known, in its order if that is known."""
    if ranks is None:
        left = [(member, there) for member, there in members if there is not False]
        return tuple(m for m, _ in left) if all(t is True for _, t in left) else Group(tuple(left))
    both = [(one, rank) for one, rank in zip(members, ranks, strict=True) if one[1] is not False]
    if all(isinstance(rank, int) for _, rank in both):
        return tidy([one for one, _ in sorted(both, key=lambda pair: int(pair[1]))])
    return Group(tuple(one for one, _ in both), tuple(rank for _, rank in both))


def collected(members: Iterable[tuple[Value, Bool]], ty: Type) -> Value:
    """The set of values of a type, each if its test holds: sorted; one may come several times."""
    there: dict[Any, list[Bool]] = {}
    for value, test in members:
        for one, is_it in cases(value, ty):
            there.setdefault(one, []).append(and_(test, is_it))
    return tidy((member, or_(*there[member])) for member in types.as_set(there))


def listed(ty: Type) -> tuple[Any, ...]:
    """All values of a type that can be gone through."""
    if isinstance(ty, types.SetOf | types.Fraction) or types.size(ty) > MOST_VALUES:
        raise TooLarge("a type has too many values to be gone through")
    return tuple(types.values(ty))


class Names:
    """Makes up values that may be anything of a type."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def term(self, name: str, sort: Callable[[str], Any]) -> Any:
        plain = re.sub("[^A-Za-z0-9_]", "_", name)  # all solvers read such names
        self.made.append(sort(f"{plain}!{len(self.made)}"))
        return self.made[-1]

    def value(self, name: str, ty: Type) -> Value:
        """A value of a type. Nothing says that a number lies in its range, or that one of the cases holds."""
        match ty:
            case types.Bool():
                return self.term(name, z3.Bool)
            case types.Int():
                return self.term(name, z3.Int)
            case types.Optional(types.Int()):
                some = self.term(f"{name}?", z3.Bool)
                return Cases({None: not_(some), self.term(name, z3.Int): some})
            case types.SetOf(of, ordered):
                members = tuple((one, self.term(f"{name}.{one}", z3.Bool)) for one in listed(of))
                return Group(members, tuple(self.term(name, z3.Int) for _ in members) if ordered else None)
            case types.Map(keys, held):
                return tuple(self.value(f"{name}[{key}]", held) for key in listed(keys))
            case types.Optional() | types.Enum() | types.Cells() | types.Borders() | types.Pieces():
                number = self.term(name, z3.Int)
                return Cases({one: number == place for place, one in enumerate(listed(ty))})
            case _:  # cautious: there is no value of it
                raise TooLarge("odds")


def ranges(value: Value, ty: Type) -> Bool:
    """That a value lies in its type. It is supposed only where it is shown."""
    match ty:
        case types.Int(low, high):
            return and_(low <= value, value <= high)
        case types.Map(_, held):
            return and_(*(ranges(entry, held) for entry in value))
        case types.SetOf(of):
            return and_(*(not_(there) for member, there in group(value).members if types.position(of, member) is None))
        case types.Bool() | types.Never() | types.Fraction():
            return True
        case _:  # cautious: one of the values of the type
            inner = ty.of if isinstance(ty, types.Optional) else ty
            parts = table(value).items()
            return or_(
                *(
                    and_(test, types.position(ty, one) is not None if is_known(one) else ranges(one, inner))
                    for one, test in parts
                )
            )
