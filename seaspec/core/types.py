"""The types of the core, all finite, and how their values are represented.

A value is plain Python data, the same in every back end that runs Python:

    yes or no       bool                    a number     int
    enumeration     index of the value      a player     index of the seat, from 0 (a player is an enumeration value)
    a cell          index in `Board.cells`  a border     index in `Board.borders`
    a piece         index in `Game.pieces`  none         None
    a set           tuple without repetition; sorted, unless the type says `ordered`
    a map           tuple of values, in the order of `values(keys)`
    a fraction      fractions.Fraction (odds, in promises only)

What a value means is known from its static type alone; `show_value` in core/show.py prints it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, assert_never


@dataclass(frozen=True, slots=True)
class Bool:
    pass


@dataclass(frozen=True, slots=True)
class Int:
    """Whole numbers low..high; low > high is the empty type."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Enum:
    """An enumeration, cyclic if `ring`. `Player` is one, too."""

    name: str
    values: tuple[str, ...]
    ring: bool
    drawn: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Cells:
    """All cells of a board, or a subset of them with its own name (`Hill`); members ascending."""

    board: str
    name: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Borders:
    """The sides and corners between cells of a board."""

    board: str
    count: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """A component, a kind, a union of kinds: a set of pieces, ascending."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Optional:
    """`T or none`"""

    of: Type


@dataclass(frozen=True, slots=True)
class SetOf:
    """Sets of `of`; `ordered`: rays, rows, ranges, lists sorted by something."""

    of: Type
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Map:
    """Total maps from the values of `keys`."""

    keys: Type
    values: Type


@dataclass(frozen=True, slots=True)
class Never:
    """The type of no value: of the members of `{}`; `Optional(Never())` is the type of `none`."""


@dataclass(frozen=True, slots=True)
class Fraction:
    """Odds, in promises only."""


Type = Bool | Int | Enum | Cells | Borders | Pieces | Optional | SetOf | Map | Never | Fraction
Value = object


def values(ty: Type) -> Iterator[Value]:
    """All values of a type that is small enough to list (not sets, not fractions), in their order.

    >>> list(values(Optional(Int(1, 3))))
    [None, 1, 2, 3]
    """
    match ty:
        case Bool():
            yield from (False, True)
        case Int(low, high):
            yield from range(low, high + 1)
        case Enum():
            yield from range(len(ty.values))
        case Cells() | Pieces():
            yield from ty.members
        case Borders():
            yield from range(ty.count)
        case Optional(of):
            yield None
            yield from values(of)
        case Map():
            yield from _maps(ty)
        case Never():
            return
        case SetOf() | Fraction():
            raise ValueError(f"the values of {ty} are not listed")
        case _:
            assert_never(ty)


def _maps(ty: Map) -> Iterator[Value]:
    yield from product(list(values(ty.values)), repeat=size(ty.keys))


MANY = 10**18
"""More values than can be listed: sizes are counted up to here."""


def size(ty: Type) -> int:
    """How many values a type has; MANY stands for that many and more.

    >>> size(Map(Int(1, 3), Bool()))
    8
    >>> size(SetOf(Map(Int(1, 100), Int(1, 100)))) == MANY
    True
    """
    match ty:
        case Bool():
            return 2
        case Int(low, high):
            return min(MANY, max(0, high - low + 1))
        case Enum():
            return len(ty.values)
        case Cells() | Pieces():
            return len(ty.members)
        case Borders():
            return ty.count
        case Optional(of):
            return min(MANY, 1 + size(of))
        case SetOf(of):
            return _power(2, size(of))
        case Map():
            return _power(size(ty.values), size(ty.keys))
        case Never():
            return 0
        case Fraction():
            raise ValueError("fractions are not finite")
        case _:
            assert_never(ty)


def _power(base: int, exponent: int) -> int:
    return min(MANY, base ** min(exponent, 60)) if base < MANY else MANY if exponent else 1


def position(ty: Type, value: Value) -> int | None:
    """Where a value stands in the order of `values`; None if it does not belong to the type.

    >>> position(Optional(Int(1, 6)), 3), position(Int(1, 6), 7)
    (3, None)
    """
    if isinstance(ty, Int):  # most are
        return value - ty.low if isinstance(value, int) and ty.low <= value <= ty.high else None
    match ty, value:
        case Optional(), None:
            return 0
        case Optional(of), _:
            inner = position(of, value)
            return None if inner is None else inner + 1
        case Bool(), bool():
            return int(value)
        case Enum() | Borders(), int() if 0 <= value < size(ty):
            return value
        case Cells(_, _, members) | Pieces(_, members), int():
            found = bisect_left(members, value)
            return found if found < len(members) and members[found] == value else None
        case Map(keys, held), tuple() if len(value) == size(keys):
            total = 0
            for part in value:
                inner = position(held, part)
                if inner is None:
                    return None
                total = total * size(held) + inner
            return total
        case _:  # cautious: it does not belong to the type
            return None


def lies_within(ty: Type, target: Type) -> bool:
    """Whether each value of a type is for certain one of the target, by the types alone.

    >>> lies_within(Int(2, 3), Int(1, 5)), lies_within(Optional(Int(2, 3)), Int(1, 5))
    (True, False)
    """
    match ty, target:
        case Never(), _:
            return True
        case Optional(of), Optional(inner):
            return lies_within(of, inner)
        case Optional(), _:
            return False
        case _, Optional(inner):
            return lies_within(ty, inner)
        case Int(low, high), Int(least, most):
            return low > high or (least <= low and high <= most)
        case Cells(board, _, members), Cells(other, _, allowed):
            return board == other and _is_part(members, allowed)
        case Pieces(_, members), Pieces(_, allowed):
            return _is_part(members, allowed)
        case Enum(name), Enum(other):
            return name == other
        case SetOf(of), SetOf(inner):
            return lies_within(of, inner)
        case _:  # cautious: not known to lie in it
            return ty == target


def _is_part(members: tuple[int, ...], allowed: tuple[int, ...]) -> bool:
    return members == allowed or all(
        (spot := bisect_left(allowed, m)) < len(allowed) and allowed[spot] == m for m in members
    )


def pieces_of(ty: Type) -> frozenset[int]:
    """The pieces that a value of a type may be or hold (not as keys of a map)."""
    match ty:
        case Pieces(_, members):
            return frozenset(members)
        case Optional(of) | SetOf(of) | Map(_, of):
            return pieces_of(of)
        case Bool() | Int() | Enum() | Cells() | Borders() | Never() | Fraction():
            return frozenset()
        case _:
            assert_never(ty)


def keyed_by(ty: Type) -> frozenset[int]:
    """The pieces that are keys of maps in a type."""
    match ty:
        case Map(keys, inner):
            return pieces_of(keys) | keyed_by(inner)
        case Optional(of) | SetOf(of):
            return keyed_by(of)
        case Bool() | Int() | Enum() | Cells() | Borders() | Pieces() | Never() | Fraction():
            return frozenset()
        case _:
            assert_never(ty)


def pieces_in(ty: Type) -> frozenset[int]:
    """The pieces that a value of a type may be, hold, or be keyed by."""
    return pieces_of(ty) | keyed_by(ty)


def member_type(ty: Type) -> Type:
    """The type of the members of a domain: a set, or a value or none."""
    assert isinstance(ty, SetOf | Optional), ty
    return ty.of


def is_set_of_maps(ty: Type) -> bool:
    """Whether values are sets of maps: of any number, so they may be long (what has been before, say)."""
    return isinstance(ty, SetOf) and isinstance(ty.of, Map)


def type_name(ty: Type) -> str:
    """A type as people call it in a message."""
    match ty:
        case Int(low, high):
            return f"{low}..{high}"
        case Optional(of):
            return f"{type_name(of)} or none"
        case Bool():
            return "yes or no"
        case Enum(name) | Cells(_, name) | Pieces(name):
            return name
        case Borders() | SetOf() | Map() | Never() | Fraction():
            return "its type"
        case _:
            assert_never(ty)


def as_set(members: Iterable[Value]) -> tuple[Value, ...]:
    """A set as it is represented: ascending, without repetition; none comes first.

    >>> as_set([(2, None), (1, 3), (2, None)])
    ((1, 3), (2, None))
    """
    found = set(members)
    try:
        return tuple(sorted(found))  # type: ignore[type-var]
    except TypeError:  # none is compared with a value
        return tuple(sorted(found, key=_order))


def _order(value: Value) -> tuple[Any, ...]:
    if value is None:
        return ()
    return tuple(map(_order, value)) if isinstance(value, tuple) else (value,)


PLAYER = "Player"
"""The name of the enumeration of seats."""
