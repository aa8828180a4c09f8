"""Values of the language over terms: a number, player, cell or piece is a term, `none` is the number `NONE`.

Sets come in two forms. `Listed`: what may be in it one by one, each with the condition under which it is; those that
are in it are all different, and in order if the set is ordered. `Where`: some constants and a test, ascending; only
this form can be large, and is then quantified over instead of written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import exists, forall
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Term,
    add,
    and_,
    at_most,
    bound,
    eq,
    implies,
    ite,
    known_within,
    mul,
    not_,
    number,
    or_,
    within,
)
from seaspec.core import types
from seaspec.core.types import Type

NONE = number(-(10**12))
"""What stands for `none`: below every other number."""
MOST_LISTED = 5000
"""More members than this are not written out."""


@dataclass(frozen=True, eq=False)
class Inside:
    """An instance of a place, as it was when something was read there. `held`: what said then what lies in the place;
    if it is the same still, nothing has come or gone."""

    place: str
    args: tuple[Term, ...]
    held: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Listed:
    """Members one by one, each with whether it is there. `inside`: where they lie, if it is one place. `packed`: none
    is there if the one before it is not."""

    of: Type
    items: tuple[tuple[Term, Value], ...]
    ordered: bool = False
    inside: Inside | None = None
    packed: bool = False

    def member(self, value: Value) -> Term:
        return or_(*(and_(there, same(item, value)) for there, item in self.items))

    @property
    def size(self) -> Term:
        return add(*(_one_if(there) for there, _ in self.items))

    @property
    def filled(self) -> Term:
        return or_(*(there for there, _ in self.items))


@dataclass(frozen=True, eq=False)
class Where:
    """Those of the constants for which the test holds.

    `wide`: not to be written out. `counted`: how many there are of each sort of piece, where that is known without
    counting. `inside`: all of them lie in this instance of a place. `scrambled`: the order of a row is not known here.
    `most`: so many members at most, if that is known.
    """

    of: Type
    members: tuple[int, ...]
    test: Callable[[Term], Term]
    wide: bool = False
    counted: Callable[[], tuple[Term, ...]] | None = None
    inside: Inside | None = None
    scrambled: bool = False
    most: int | None = None

    def member(self, value: Value) -> Term:
        if not self.members:  # of any type: the empty set is written without one
            return NO
        assert isinstance(value, Term)
        return and_(among(value, self.members), self.test(value))

    @property
    def items(self) -> tuple[tuple[Term, Value], ...]:
        if len(self.members) > MOST_LISTED:
            raise Unsupported(f"a set of {len(self.members)} possible members")
        found = ((self.test(number(member)), number(member)) for member in self.members)
        return tuple((there, value) for there, value in found if there is not NO)

    @property
    def ordered(self) -> bool:
        return False

    @property
    def size(self) -> Term:
        if self.most == 0:
            return number(0)
        if self.counted is not None:
            return known_within(add(*self.counted()), 0, len(self.members))
        return add(*(_one_if(there) for there, _ in self.items))

    @property
    def filled(self) -> Term:
        if self.most == 0:
            return NO
        if self.counted is not None:
            return at_most(number(1), self.size)
        if self.wide:
            return not_(for_each(self, lambda value: NO))
        return or_(*(there for there, _ in self.items))


Set = Listed | Where


def everything(value: Term) -> Term:
    """The test of a set of constants that all belong to it."""
    return YES


@dataclass(frozen=True, eq=False)
class Map:
    """A value for each key; `keys` are constants."""

    keys: tuple[int, ...]
    entries: tuple[Value, ...]

    def at(self, key: Term) -> Value:
        if not self.entries:
            raise Unsupported("a map without keys")
        if key.is_const and key.value in self.keys:
            return self.entries[self.keys.index(key.value)]
        found = self.entries[-1]  # whatever, where there is no such key: that there is one is owed
        for constant, entry in zip(self.keys[-2::-1], self.entries[-2::-1], strict=True):
            found = choose(eq(key, number(constant)), entry, found)
        return found


Value = Term | Set | Map


def _one_if(there: Term) -> Term:
    return ite(there, number(1), number(0))


def for_each(members: Set, holds: Callable[[Value], Term]) -> Term:
    """That something holds for all members."""
    if isinstance(members, Listed) or not members.wide:
        return and_(*(implies(there, holds(value)) for there, value in members.items))
    name = bound(members.members[0], members.members[-1]) if members.members else NO
    if name is NO:
        return YES
    return forall((name,), implies(members.member(name), holds(name)))


def for_some(members: Set, holds: Callable[[Value], Term]) -> Term:
    """That something holds for at least one member."""
    if isinstance(members, Listed) or not members.wide:
        return or_(*(and_(there, holds(value)) for there, value in members.items))
    if not members.members:
        return NO
    name = bound(members.members[0], members.members[-1])
    return exists((name,), and_(members.member(name), holds(name)))


def runs(members: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as ranges.

    >>> list(runs((1, 2, 3, 7)))
    [(1, 3), (7, 7)]
    """
    if not members:
        return
    low = members[0]
    for a, b in pairwise(members):
        if b != a + 1:
            yield low, a
            low = b
    yield low, members[-1]


def among(value: Term, members: Sequence[int]) -> Term:
    """That a number is one of these, which ascend."""
    return or_(*(within(value, low, high) for low, high in runs(members)))


def same(a: Value, b: Value) -> Term:
    """That two values are equal; sets whatever their order."""
    if isinstance(a, Term) and isinstance(b, Term):
        return eq(a, b)
    if isinstance(a, Map) and isinstance(b, Map):
        return and_(*(same(x, y) for x, y in zip(a.entries, b.entries, strict=True)))
    if isinstance(a, Listed | Where) and isinstance(b, Listed | Where):
        return and_(for_each(a, b.member), for_each(b, a.member))
    raise Unsupported("values of different sorts are compared")


def choose(test: Term, then: Value, otherwise: Value) -> Value:
    """The one value or the other."""
    if test.is_const:
        return then if test.value else otherwise
    if then is otherwise:
        return then
    if isinstance(then, Term) and isinstance(otherwise, Term):
        return ite(test, then, otherwise)
    if isinstance(then, Map) and isinstance(otherwise, Map):
        both = zip(then.entries, otherwise.entries, strict=True)
        return Map(then.keys, tuple(choose(test, a, b) for a, b in both))
    if isinstance(then, Where) and isinstance(otherwise, Where):
        members = tuple(sorted({*then.members, *otherwise.members}))
        one, other = then, otherwise
        wide = then.wide or otherwise.wide
        scrambled = then.scrambled or otherwise.scrambled
        return Where(then.of, members, lambda x: ite(test, one.member(x), other.member(x)), wide, scrambled=scrambled)
    if isinstance(then, Listed | Where) and isinstance(otherwise, Listed | Where):
        if any(isinstance(one, Where) and one.scrambled for one in (then, otherwise)):
            return choose(test, _scrambled(then), _scrambled(otherwise))
        ordered = then.ordered or otherwise.ordered
        ways = ((test, then), (not_(test), otherwise))
        items = ((and_(way, there), value) for way, one in ways for there, value in _items(one, ordered))
        return Listed(then.of, tuple((there, value) for there, value in items if there is not NO), ordered)
    raise Unsupported("one value or another of different sorts")


def _items(members: Set, ordered: bool) -> tuple[tuple[Term, Value], ...]:
    """The items of a set; `ordered`: in the order in which they are gone through."""
    return ascending(members) if ordered else members.items


def _scrambled(members: Set) -> Where:
    """The same members; their order is not known."""
    return replace(as_where(members), scrambled=True)


def listable(ty: Type) -> tuple[int, ...]:
    """The values of a type as numbers; `Unsupported` for types without numbers, or with too many."""
    if isinstance(ty, types.SetOf | types.Map | types.Fraction | types.Bool | types.Optional):
        raise Unsupported("the values of a type can not be listed as numbers")
    if types.size(ty) > MOST_LISTED:
        raise Unsupported(f"a type of {types.size(ty)} values is listed")
    return tuple(v for v in types.values(ty) if isinstance(v, int))


def ascending(members: Set) -> tuple[tuple[Term, Value], ...]:
    """The items in the order in which they are gone through: that of the set, else that of the type."""
    if isinstance(members, Where) and members.scrambled:
        raise Unsupported("the order of a row")
    if isinstance(members, Where) or members.ordered:
        return members.items
    values = [value.value for _, value in members.items if isinstance(value, Term) and value.is_const]
    if len(values) == len(members.items) and values == sorted(values):
        return members.items
    return as_where(members).items


def in_type_order(members: Set) -> Set:
    """The same members, gone through in the order of their type."""
    if isinstance(members, Where):
        return replace(members, scrambled=False)
    return Listed(members.of, members.items)


def as_where(members: Set, wide: bool = False) -> Where:
    """A set of numbers, as constants and a test. Its order is that of their type, whatever it was."""
    if isinstance(members, Where):
        return members
    values = {value.value for _, value in members.items if isinstance(value, Term) and value.is_const}
    if all(isinstance(value, Term) and value.is_const for _, value in members.items):
        return Where(members.of, tuple(sorted(values)), members.member, wide)
    return Where(members.of, listable(members.of), members.member, wide)


def distinct(of: Type, items: Iterable[tuple[Term, Value]], ordered: bool = False) -> Listed:
    """A set of values that may be equal: each stands for itself where it comes first."""
    kept: list[tuple[Term, Value]] = []
    for there, value in items:
        new = and_(there, *(not_(and_(before, same(other, value))) for before, other in kept))
        if new is not NO:
            kept.append((new, value))
    return Listed(of, tuple(kept), ordered)


def by_cases(key: Term, entries: Sequence[tuple[int, int]]) -> Term:
    """A table of constants at a term, as few straight lines as it takes. Keys ascend.

    >>> from seaspec.backends.symbolic.logic.terms import variable
    >>> by_cases(variable("x", 0, 3), [(0, 1), (1, 2), (2, 3), (3, 4)])
    (+ 1*x 1)
    """
    return along(key, straight_lines(entries))


Lines = tuple[tuple[int, int, int, int], ...]
"""Straight lines: the first and the last key of each, its slope, and its first value."""


def straight_lines(entries: Sequence[tuple[int, int]]) -> Lines:
    """A table of constants as few straight lines as it takes. Keys ascend."""
    lines: list[tuple[int, int, int, int]] = []
    start = 0
    while start < len(entries):
        end = start + 1
        slope = 0
        if end < len(entries) and entries[end][0] == entries[start][0] + 1:
            slope = entries[end][1] - entries[start][1]
            if abs(slope) > 10**6:
                slope = 0
        while end < len(entries) and _on_line(entries[start], entries[end], slope):
            end += 1
        if slope and end - start == 2 and end < len(entries) and entries[end][1] == entries[end - 1][1]:
            end, slope = start + 1, 0  # the next one begins a level stretch
        lines.append((entries[start][0], entries[end - 1][0], slope, entries[start][1]))
        start = end
    return tuple(lines)


def along(key: Term, lines: Lines) -> Term:
    """The value of straight lines at a term."""
    low, _, slope, first = lines[-1]
    found = _line(key, low, slope, first)
    for low, high, slope, first in reversed(lines[:-1]):
        found = ite(at_most(key, number(high)), _line(key, low, slope, first), found)
    return found


def _on_line(start: tuple[int, int], entry: tuple[int, int], slope: int) -> bool:
    return entry[1] == start[1] + slope * (entry[0] - start[0])


def _line(key: Term, low: int, slope: int, first: int) -> Term:
    return add(mul(number(slope), key), number(first - slope * low))


def known_key(value: Value) -> object:
    """What a value is, if it is known through and through; else None."""
    if isinstance(value, Term):
        return value.value if value.is_const else None
    if isinstance(value, Map):
        keys = tuple(known_key(entry) for entry in value.entries)
        return None if None in keys else keys
    if isinstance(value, Where) and value.wide:
        return None
    keys = tuple(known_key(member) if there is YES else None for there, member in value.items)
    return None if None in keys else ("set", *keys)
