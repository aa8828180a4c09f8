"""How the values of the core are represented while native code runs, by their types alone.

    yes or no           i1 where it is tested, else i64 0 or 1
    other single values i64: the number of core/types.py; none is NONE
    a set               an integer with a bit a value (`Universe`: which bit)
    an ordered set      where its order matters, a stretch of memory (`Sequence`), else as a set
    a map               memory with an entry a key, in the order of the keys (`Entries`)

In memory of the state, a single value takes as few bytes as it can (`Packed`).
"""

from __future__ import annotations

from collections.abc import Sequence as Listed
from dataclasses import dataclass
from typing import assert_never

from seaspec.backends.native.assembly import Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.core import ir, types
from seaspec.core.types import Type, Value

NONE = -(1 << 63)
WIDEST = 4096
"""Sets over more values than this are not compiled."""


@dataclass(frozen=True, slots=True)
class Universe:
    """The values base, base + 1, .. of which sets hold some; `optional`: none, too, which is the first bit."""

    base: int
    width: int
    optional: bool = False

    @property
    def ty(self) -> str:
        """The integer type of its sets."""
        return f"i{max(1, (self.width + 63) // 64) * 64}"

    @property
    def shift(self) -> int:
        """The bit of a value is the value plus this."""
        return int(self.optional) - self.base

    def position(self, value: Value) -> int:
        return 0 if value is None else _number(value) + self.shift

    def mask(self, members: Listed[Value]) -> int:
        """A constant set."""
        found = 0
        for member in members:
            found |= 1 << self.position(member)
        return found

    def value(self, position: int) -> int | None:
        return None if self.optional and position == 0 else position - self.shift

    def members(self, mask: int) -> tuple[int | None, ...]:
        return tuple(self.value(i) for i in range(self.width) if mask >> i & 1)


@dataclass(frozen=True, slots=True)
class Packed:
    """A single value in memory: bits 8, 16, 32 or 64; what is stored is value - low, plus 1 with 0 for none."""

    low: int
    bits: int
    optional: bool

    @property
    def ty(self) -> str:
        return f"i{self.bits}"

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def shift(self) -> int:
        return int(self.optional) - self.low

    def encode(self, value: Value) -> int:
        return 0 if value is None else _number(value) + self.shift

    def decode(self, stored: int) -> int | None:
        return None if self.optional and stored == 0 else stored - self.shift


@dataclass(frozen=True, slots=True)
class Sequence:
    """An ordered set in memory: `length` members from `pointer` on, each packed; `tag` says what memory it is."""

    pointer: str
    length: Operand
    packed: Packed
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Entries:
    """A map in memory."""

    pointer: str
    packed: Packed
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a constant set of sets: its number among them."""

    sets: tuple[tuple[Value, ...], ...]
    number: Operand


Bound = Operand | Sequence | Entries | Member
"""What a variable stands for."""


def packed(ty: Type, optional: bool = False, zero: bool = False) -> Packed:
    """How a single value of a type is stored. `zero`: it may be 0, too, whatever the type says."""
    if isinstance(ty, types.Optional):
        ty, optional = ty.of, True
    low, high = extent(ty)
    if zero:
        low, high = min(low, 0), max(high, 0)
    most = high - low + optional
    bits = next((bits for bits in (8, 16, 32) if most < 1 << bits), 64)
    return Packed(low, bits, optional)


def extent(ty: Type) -> tuple[int, int]:
    """The least and the greatest number of a type of single values."""
    match ty:
        case types.Bool():
            return 0, 1
        case types.Int(low, high):
            if not low > -(2**62) or not high < 2**62:
                raise NotCompiled(f"numbers {low}..{high}")
            return (low, high) if low <= high else (low, low)
        case types.Enum():
            return 0, max(0, len(ty.values) - 1)
        case types.Cells() | types.Pieces():
            return (ty.members[0], ty.members[-1]) if ty.members else (0, 0)
        case types.Borders():
            return 0, max(0, ty.count - 1)
        case types.Optional(of):
            return extent(of)
        case types.Never():
            return 0, 0
        case types.SetOf() | types.Map() | types.Fraction():
            raise NotCompiled(f"a single value of type {type(ty).__name__}")
        case _:
            assert_never(ty)


def is_single(ty: Type) -> bool:
    """Whether values of a type are numbers, or none."""
    match ty:
        case types.Optional(of):
            return is_single(of) and not isinstance(of, types.Optional)
        case types.SetOf() | types.Map() | types.Fraction():
            return False
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Never()
        ):  # fmt: skip
            return True
        case _:
            assert_never(ty)


def universe(ty: Type, game: ir.Game) -> Universe:
    """The universe of the sets of a type's values."""
    match ty:
        case types.Optional(of):
            inner = universe(of, game)
            return Universe(inner.base, inner.width + 1, True)
        case types.Cells(board):
            return Universe(0, len(game.boards[board].cells))
        case types.Pieces():
            return Universe(0, max(1, len(game.pieces)))
        case types.Never():
            return Universe(0, 1)
        case types.SetOf() | types.Map() | types.Fraction():
            raise NotCompiled(f"a set of values of type {type(ty).__name__}")
        case types.Bool() | types.Int() | types.Enum() | types.Borders():
            low, high = extent(ty)
            if low >= 0 and high < 128:
                low = 0
            if high - low >= WIDEST:
                raise NotCompiled(f"a set of numbers {low}..{high}")
            return Universe(low, high - low + 1)
        case _:
            assert_never(ty)


def joined(a: Universe, b: Universe) -> Universe:
    """A universe that holds both."""
    base = min(a.base, b.base)
    end = max(a.base + a.width - a.optional, b.base + b.width - b.optional)
    optional = a.optional or b.optional
    return Universe(base, end - base + optional, optional)


@dataclass(frozen=True, slots=True)
class Ordinals:
    """The numbers 0, 1, .. of the values of an index type, in the order of `types.values`.

    Contiguous values have the number value - first (+ 1 where none comes first); else `table` has, for each value from
    `first` on, its number, or -1.
    """

    first: int
    size: int
    optional: bool
    table: tuple[int, ...] | None

    def number(self, value: Value) -> int:
        if value is None:
            return 0
        steps = _number(value) - self.first
        return (steps if self.table is None else self.table[steps]) + self.optional


def ordinals(ty: Type) -> Ordinals:
    if not is_single(ty):
        raise NotCompiled(f"an index of type {type(ty).__name__}")
    optional = isinstance(ty, types.Optional)
    inner = ty.of if isinstance(ty, types.Optional) else ty
    members = [_number(value) for value in types.values(inner)]
    if not members:
        return Ordinals(0, int(optional), optional, None)
    first, last = members[0], members[-1]
    if last - first + 1 == len(members):
        return Ordinals(first, len(members) + optional, optional, None)
    table = [-1] * (last - first + 1)
    for number, value in enumerate(members):
        table[value - first] = number
    return Ordinals(first, len(members) + optional, optional, tuple(table))


def _number(value: Value) -> int:
    assert isinstance(value, int), value
    return int(value)
