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

from collections.abc import Iterator
from dataclasses import dataclass


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
    """All cells of a board, or a subset of them with its own name (`Anchor`)."""

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
    """A component, a kind, a union of kinds: a set of pieces."""

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


def _maps(ty: Map) -> Iterator[Value]:
    from itertools import product

    yield from product(list(values(ty.values)), repeat=size(ty.keys))


def size(ty: Type) -> int:
    """How many values a type has.

    >>> size(Map(Int(1, 3), Bool()))
    8
    """
    match ty:
        case Bool():
            return 2
        case Int(low, high):
            return max(0, high - low + 1)
        case Enum():
            return len(ty.values)
        case Cells() | Pieces():
            return len(ty.members)
        case Borders():
            return ty.count
        case Optional(of):
            return int(1 + size(of))
        case SetOf(of):
            return int(2 ** size(of))
        case Map():
            return int(size(ty.values) ** size(ty.keys))
        case Never():
            return 0
        case Fraction():
            raise ValueError("fractions are not finite")


PLAYER = "Player"
"""The name of the enumeration of seats."""
