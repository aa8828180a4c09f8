"""Values that are not known, over Z3: each is a plain Python value where it is known, else made of Z3 terms.

    yes or no, numbers, enumerations, cells, pieces    bool or int, or a Z3 term of that sort
    `T or none`      None, a value of T, or `Maybe`: whether there is one, and which
    a set            a tuple, or `Group`: each value that may be a member, with the condition under which it is one
    a map            a tuple of values, in the order of its keys

What has no value (an entry that is not there, a division by 0) gets any value that is at hand: where the interpreter
would look at it, the play ends with an error, and whatever is said of what comes after it is true. Only that what is
*claimed* has a value must be shown; see `Reader.owed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, assert_never

import z3

from seaspec.core import types
from seaspec.core.types import Type

Bool = Any
"""True, False, or a z3.BoolRef. (z3 has no types that mypy knows.)"""
Number = Any
"""An int, or a z3.ArithRef."""
Value = Any
MOST_VALUES = 600
"""A type with more values is not gone through."""


class TooLarge(Exception):
    """There is more than can be gone through: it is not derived again, and this says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Maybe:
    some: Bool
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """`in_order`: the members are gone through in this order; else the order is not known."""

    members: tuple[tuple[Any, Bool], ...]
    in_order: bool = True


# ------------------------------------------------------------------------------------------------------ yes or no


def is_known(value: Value) -> bool:
    """Whether a value is plain data through and through."""
    if isinstance(value, tuple):
        return all(map(is_known, value))
    return value is None or isinstance(value, bool | int)


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
    if not found:
        return not ends
    return next(iter(found.values())) if len(found) == 1 else join(*found.values())


def implies(a: Bool, b: Bool) -> Bool:
    return or_(not_(a), b)


# --------------------------------------------------------------------------------------------------------- numbers


def add(*parts: Number) -> Number:
    known = sum(part for part in parts if isinstance(part, int))
    terms = [part for part in parts if not isinstance(part, int)]
    if not terms:
        return known
    total = terms[0] if len(terms) == 1 else z3.Sum(terms)
    return total + known if known else total


def negate(a: Number) -> Number:
    return -a


def less(a: Number, b: Number) -> Bool:
    return a < b


def at_most(a: Number, b: Number) -> Bool:
    return a <= b


def equal(a: Number, b: Number) -> Bool:
    """Whether two numbers (or two of the same sort of scalars) are the same."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if isinstance(a, bool) or isinstance(b, bool) or z3.is_bool(a):
        return and_(implies(a, b), implies(b, a))
    return a == b


def ones(tests: Iterable[Bool]) -> Number:
    """How many of these hold."""
    return add(*(pick(test, 1, 0) for test in tests))


def pick(test: Bool, a: Any, b: Any) -> Any:
    """One of two scalars."""
    if isinstance(test, bool):
        return a if test else b
    if isinstance(a, bool) or isinstance(b, bool) or z3.is_bool(a):
        return and_(implies(test, a), implies(not_(test), b))
    if isinstance(a, int) and isinstance(b, int) and a == b:
        return a
    return z3.If(test, a, b)


# ---------------------------------------------------------------------------------------------- values of all types


def default(ty: Type) -> Value:
    """Some value, for what has none."""
    match ty:
        case types.Optional():
            return None
        case types.SetOf():
            return ()
        case types.Map(keys, held):
            return (default(held),) * listed_size(keys)
        case types.Never() | types.Fraction():
            return 0
        case types.Bool():
            return False
        case types.Int(low, _):
            return low
        case types.Enum() | types.Cells() | types.Borders() | types.Pieces():
            return next(types.values(ty), 0)
        case _:
            assert_never(ty)


def is_some(value: Value) -> Bool:
    if isinstance(value, Maybe):
        return value.some
    return value is not None


def inner(value: Value, of: Type) -> Value:
    """What is there, if something is."""
    if isinstance(value, Maybe):
        return value.value
    return default(of) if value is None else value


def group(value: Value) -> Group:
    """A set as its members."""
    return value if isinstance(value, Group) else Group(tuple((member, True) for member in value))


def tidy(members: Iterable[tuple[Any, Bool]], in_order: bool = True) -> Value:
    """A set: plain data if it is known."""
    left = tuple((member, there) for member, there in members if there is not False)
    if in_order and all(there is True for _, there in left):
        return tuple(member for member, _ in left)
    return Group(left, in_order)


def collected(members: Iterable[tuple[Any, Bool]]) -> Value:
    """A set of values, sorted; one may come several times."""
    there: dict[Any, list[Bool]] = {}
    for member, test in members:
        there.setdefault(member, []).append(test)
    return tidy((member, or_(*there[member])) for member in types.as_set(there))


def choose(test: Bool, a: Value, b: Value, ty: Type) -> Value:
    """One of two values of a type."""
    if isinstance(test, bool):
        return a if test else b
    if a is b:
        return a
    match ty:
        case types.Optional(of):
            some = pick(test, is_some(a), is_some(b))
            if some is False:
                return None
            if a is None or b is None:
                return Maybe(some, inner(b if a is None else a, of))
            return Maybe(some, choose(test, inner(a, of), inner(b, of), of))
        case types.SetOf():
            first, second = group(a), group(b)
            there = dict(second.members)
            here = dict(first.members)
            order = _merged([m for m, _ in first.members], [m for m, _ in second.members])
            in_order = first.in_order and second.in_order and order is not None
            every = order if order is not None else list(dict.fromkeys([*here, *there]))
            return tidy(((m, pick(test, here.get(m, False), there.get(m, False))) for m in every), in_order)
        case types.Map(_, held):
            return tuple(choose(test, x, y, held) for x, y in zip(a, b, strict=True))
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Never() | types.Fraction()
        ):  # fmt: skip
            return pick(test, a, b)
        case _:
            assert_never(ty)


def _merged(a: list[Any], b: list[Any]) -> list[Any] | None:
    """One order that goes with both; None if there is none."""
    places = {member: number for number, member in enumerate(b)}
    found: list[Any] = []
    done = 0
    for member in a:
        if member in places:
            if places[member] < done:
                return None
            found += b[done : places[member]]
            done = places[member] + 1
        found.append(member)
    found += b[done:]
    return found if len(found) == len(set(found)) else None


def same(a: Value, b: Value, ty: Type) -> Bool:
    """Whether two values of a type are equal."""
    match ty:
        case types.Optional(of):
            both = and_(is_some(a), is_some(b))
            neither = and_(not_(is_some(a)), not_(is_some(b)))
            return or_(neither, and_(both, same(inner(a, of), inner(b, of), of)) if both is not False else False)
        case types.SetOf():
            here, there = dict(group(a).members), dict(group(b).members)
            every = dict.fromkeys([*here, *there])
            return and_(*(equal(here.get(m, False), there.get(m, False)) for m in every))
        case types.Map(_, held):
            return and_(*(same(x, y, held) for x, y in zip(a, b, strict=True)))
        case types.Never():
            return True
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Fraction()
        ):  # fmt: skip
            return equal(a, b)
        case _:
            assert_never(ty)


def joined(a: Type, b: Type) -> Type:
    """The type in which values of two types are compared."""
    if isinstance(a, types.Optional) or isinstance(b, types.Optional):
        of = [ty.of if isinstance(ty, types.Optional) else ty for ty in (a, b)]
        return types.Optional(of[1] if isinstance(of[0], types.Never) else of[0])
    return b if isinstance(a, types.Never) else a


def listed(ty: Type) -> tuple[Any, ...]:
    """All values of a type that can be gone through."""
    if isinstance(ty, types.SetOf | types.Fraction) or types.size(ty) > MOST_VALUES:
        raise TooLarge("a type has too many values to be gone through")
    return tuple(types.values(ty))


def listed_size(ty: Type) -> int:
    return len(listed(ty))


def cases(value: Value, ty: Type) -> Iterator[tuple[Any, Bool]]:
    """The plain values of a type that a value may be, each with the condition under which it is that."""
    if is_known(value):
        yield value, True
        return
    for one in listed(ty):
        test = same(value, one, ty)
        if test is not False:
            yield one, test


class Names:
    """Makes up values that may be anything."""

    def __init__(self) -> None:
        self.count = 0

    def bool(self, name: str) -> Bool:
        self.count += 1
        return z3.Bool(f"{name}!{self.count}")

    def int(self, name: str) -> Number:
        self.count += 1
        return z3.Int(f"{name}!{self.count}")

    def value(self, name: str, ty: Type) -> Value:
        """A value of a type, as far as its sort goes: nothing says that a number lies in its range."""
        match ty:
            case types.Bool():
                return self.bool(name)
            case types.Optional(types.Never()):
                return None
            case types.Optional(of):
                return Maybe(self.bool(f"{name}?"), self.value(name, of))
            case types.SetOf(of, ordered):
                return Group(tuple((one, self.bool(f"{name}.{one}")) for one in listed(of)), not ordered)
            case types.Map(keys, held):
                return tuple(self.value(f"{name}[{key}]", held) for key in listed(keys))
            case types.Fraction() | types.Never():
                raise TooLarge("odds")
            case types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces():
                return self.int(name)
            case _:
                assert_never(ty)


def ranges(value: Value, ty: Type) -> Bool:
    """That a value lies in its type. It is supposed only where it is shown."""
    match ty:
        case types.Int(low, high) if not isinstance(value, Group | Maybe | tuple):
            return and_(at_most(low, value), at_most(value, high))
        case types.Enum() | types.Cells() | types.Pieces() | types.Borders():
            if isinstance(value, int):
                return True
            every = tuple(types.values(ty))
            if every and every == tuple(range(int(str(every[0])), int(str(every[-1])) + 1)):
                return and_(at_most(every[0], value), at_most(value, every[-1]))
            return or_(*(equal(value, one) for one in every))
        case types.Optional(of):
            return implies(is_some(value), ranges(inner(value, of), of))
        case types.Map(_, held):
            return and_(*(ranges(entry, held) for entry in value))
        case _:  # cautious: nothing is shown of it, and nothing supposed
            return True
