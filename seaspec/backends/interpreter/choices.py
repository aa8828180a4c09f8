"""The options of a decision, as a sequence that is never written out in full where it is large.

A choice is one of the small classes below. Choices that lead to the same position are one option: identical pieces
(`Identity`) count once, a subset is a multiset of identical pieces, shares among identical pieces are sorted.
`Options` is a lazy `Sequence`: `len`, indexing (unranking), iteration, `position` (ranking), uniform `random`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, assert_never, overload

from seaspec.backends.interpreter.errors import ChoiceError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.state import Layout
from seaspec.core import types
from seaspec.core.ir import Game, PlaceOrder
from seaspec.core.types import Type, Value


@dataclass(frozen=True, slots=True)
class Act:
    """An action with all its arguments, the player who is asked among them."""

    action: str
    arguments: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Values:
    """One value for each name of the choice."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Subset:
    members: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """A map from all values of the member's type to numbers."""

    gift: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """Which line of `in any order` comes next, from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class Pass:
    pass


Choice = Act | Values | Subset | Share | Line | Pass
PASS = Pass()


class Identity:
    """Which pieces can not be told apart at a position: same kind and facts, same place, nothing else points at one.

    `alike`: pieces that stand for one another wherever they lie (passes/mark_alike.py); positions that differ by these
    alone have one key. That is less: of identical pieces one is offered, and rules may go by numbers all the same.
    """

    def __init__(self, game: Game, layout: Layout, alike: Collection[int] = ()) -> None:
        self.layout = layout
        self.twins = layout.twins
        typed = [(slot, state.type) for state in game.states.values() for slot in layout.states[state.name].all_slots]
        typed += [(slot, variable.type) for variable, slot in layout.frame.items()]
        common = {i for i, alone in enumerate(self.twins.alone) if not alone}
        self.holding = [(slot, ty) for slot, ty in typed if common & (types.pieces_of(ty) | types.keyed_by(ty))]
        orders = {slot: place.order for slot, (place, _) in layout.place_of.items()}
        merged = frozenset(alike)
        self.told_apart = [alone or piece not in merged for piece, alone in enumerate(self.twins.alone)]
        self.ordered = {slot for slot, order in orders.items() if order in (PlaceOrder.ROW, PlaceOrder.PILE)}

    def named(self, look: Look) -> dict[int, tuple[Any, ...]]:
        """For pieces that a state or variable points at: which, and how."""
        found: dict[int, tuple[Any, ...]] = {}
        for slot, ty in self.holding:
            for piece, how in mentions(look.s[slot], ty):
                found[piece] = (*found.get(piece, ()), (slot, how))
        return found

    def key(self, look: Look, piece: int) -> Any:
        """Pieces with equal keys are identical."""
        if self.twins.alone[piece]:
            return piece
        slot = look.w[piece]
        spot = _spot(look.s[slot], piece) if slot in self.ordered else 0
        kept = [look.s[self.layout.states[name].slots[(piece,)]] for name in self.twins.kept.get(piece, ())]
        return (self.twins.twin[piece], slot, spot, *kept, look.named.get(piece, ()))

    def canonical(self, look: Look) -> tuple[Any, ...]:
        """The position with pieces that are alike interchangeable: equal keys, the same game from here on.

        Places hold, for each piece, what it is (its kind, what it carries along, what points at it, and how) instead of
        which it is; what points at such pieces is left out of its own slot.
        """
        named, slots = look.named, list(look.s)
        for slot, ty in self.holding:
            slots[slot] = _without(slots[slot], ty, self.told_apart)
        for slot in self.layout.place_slots:
            lies = slots[slot]
            if not lies:
                continue
            if slot not in self.ordered:
                slots[slot] = self._sorts(look, lies, named)
            elif lies and isinstance(lies[0], tuple):
                slots[slot] = tuple(self._sorts(look, layer, named) for layer in lies)
            else:
                slots[slot] = tuple(self._sort(look, piece, named) for piece in lies)
        for piece, names in (*self.twins.kept.items(), *self.twins.tracked.items()):
            if not self.told_apart[piece]:
                for name in names:
                    slots[self.layout.states[name].slots[(piece,)]] = None
        return tuple(slots)

    def _sorts(self, look: Look, pieces: Sequence[int], named: dict[int, tuple[Any, ...]]) -> tuple[Any, ...]:
        return tuple(sorted((self._sort(look, piece, named) for piece in pieces), key=repr))

    def _sort(self, look: Look, piece: int, named: dict[int, tuple[Any, ...]]) -> Any:
        if self.told_apart[piece]:
            return piece
        names = (*self.twins.kept.get(piece, ()), *self.twins.tracked.get(piece, ()))
        kept = tuple(look.s[self.layout.states[name].slots[(piece,)]] for name in names)
        return (self.twins.twin[piece], kept, named.get(piece, ()))

    def unlike(self, look: Look, members: Sequence[Any], earlier: tuple[Any, ...] = ()) -> list[Any]:
        """One of each sort of identical pieces; those chosen earlier stand for themselves."""
        seen = set()
        found = []
        for piece in members:
            key = ("chosen", piece) if piece in earlier or piece is None else self.key(look, piece)
            if key not in seen:
                seen.add(key)
                found.append(piece)
        return found

    def signature(self, look: Look, arguments: Sequence[Value], kinds: Sequence[Type]) -> tuple[Any, ...]:
        """Equal for arguments that differ by identical pieces only."""
        found: list[Any] = []
        earlier: dict[int, int] = {}  # of each piece, where it was named first
        for number, (value, ty) in enumerate(zip(arguments, kinds, strict=True)):
            piece = isinstance(ty, types.Pieces) or (isinstance(ty, types.Optional) and isinstance(ty.of, types.Pieces))
            if not piece or not isinstance(value, int):
                found.append(value)
            elif value in earlier:
                found.append(("same", earlier[value]))
            else:
                earlier[value] = number
                found.append(self.key(look, value))
        return tuple(found)


def mentions(value: Any, ty: Type) -> Iterator[tuple[int, Any]]:
    """The pieces that a value speaks of, and how."""
    match ty:
        case types.Pieces():
            if value is not None:
                yield value, 0
        case types.Optional(of):
            if value is not None:
                yield from mentions(value, of)
        case types.SetOf(of, ordered):
            for number, member in enumerate(value or ()):
                for piece, _ in mentions(member, of):
                    yield piece, number if ordered else 0
        case types.Map(keys, of):
            for number, (key, member) in enumerate(zip(types.values(keys), value or (), strict=False)):
                if member and isinstance(keys, types.Pieces) and isinstance(key, int):
                    yield key, member
                for piece, _ in mentions(member, of):
                    yield piece, number
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Never()
            | types.Fraction()
        ):  # fmt: skip
            return
        case _:
            assert_never(ty)


def _without(value: Any, ty: Type, alone: Sequence[bool]) -> Any:
    """A value without the pieces in it that are not alone of their kind: which they are is told where they lie."""
    match ty:
        case types.Pieces():
            return value if value is None or alone[value] else "some"
        case types.Optional(of):
            return None if value is None else _without(value, of, alone)
        case types.SetOf(of):
            return None if value is None else tuple(_without(member, of, alone) for member in value)
        case types.Map(keys, of) if value is not None and isinstance(keys, types.Pieces):
            pairs = zip(keys.members, value, strict=True)
            return tuple((_without(member, of, alone) if alone[key] else None) for key, member in pairs)
        case types.Map(_, of):
            return None if value is None else tuple(_without(member, of, alone) for member in value)
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Never()
            | types.Fraction()
        ):  # fmt: skip
            return value
        case _:
            assert_never(ty)


def _spot(value: Any, piece: int) -> int:
    for number, member in enumerate(value):
        if member == piece or (isinstance(member, tuple) and piece in member):
            return number
    return -1


class Options(Sequence[Choice]):
    """The options of a decision; passing, if one may, is the last."""

    def __init__(self, look: Look, inner: Inner, passing: bool) -> None:
        self.look = look
        self.inner = inner
        self.passing = passing

    @property
    def any(self) -> bool:
        """Whether there is anything to choose besides passing."""
        return self.inner.any()

    @property
    def size(self) -> int:
        """How many there are; `len` can not say it if there are more than 2 ** 63."""
        return self.inner.count() + self.passing

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Choice: ...
    @overload
    def __getitem__(self, index: slice) -> list[Choice]: ...
    def __getitem__(self, index: int | slice) -> Choice | list[Choice]:
        size = self.size
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(size))]
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError(f"there are {size} options, and number {index} is none of them")
        if self.passing and index == size - 1:
            return PASS
        return self.inner.at(index)

    def position(self, choice: Choice) -> int:
        """The index of the option that a choice is; `ChoiceError` if it is none."""
        if isinstance(choice, Pass):
            if not self.passing:
                raise ChoiceError("one may not pass here")
            return self.size - 1
        return self.inner.find(choice)

    def canonical(self, choice: Choice) -> Choice:
        """The option that a choice is: other pieces perhaps, but identical ones."""
        return self[self.position(choice)]

    def __contains__(self, choice: object) -> bool:
        if not isinstance(choice, Pass):
            known = self.inner.allows(choice)  # type: ignore[arg-type]
            if known is not None:
                return known
        try:
            self.position(choice)  # type: ignore[arg-type]
        except ChoiceError:
            return False
        return True

    def random(self, random: Random) -> Choice:
        """Each option with the same probability."""
        return self[random.randrange(self.size)]


class Inner:
    """Options without passing."""

    def any(self) -> bool:
        return self.count() > 0

    def count(self) -> int:
        raise NotImplementedError

    def at(self, index: int) -> Choice:
        raise NotImplementedError

    def find(self, choice: Choice) -> int:
        raise NotImplementedError

    def allows(self, choice: Choice) -> bool | None:
        """Whether a choice is one of them, if that is known without finding it."""
        return None


Judge = Callable[[Look, Choice], bool | None]


class Listed(Inner):
    """Options that are produced one after another, as far as needed. `kinds`: the types of each choice's values;
    `judge`: whether a choice is one of them, if that can be told without listing them."""

    def __init__(
        self,
        look: Look,
        identity: Identity,
        source: Iterator[Choice],
        kinds: dict[str, tuple[Type, ...]],
        judge: Judge | None = None,
    ) -> None:
        self.look = look
        self.identity = identity
        self.source: Iterator[Choice] | None = source
        self.kinds = kinds
        self.judge = judge
        self.found: list[Choice] = []
        self.positions: dict[Any, int] | None = None

    def any(self) -> bool:
        if not self.found and self.source is not None:
            first = next(self.source, None)
            if first is not None:
                self.found.append(first)
        return bool(self.found)

    def all(self) -> list[Choice]:
        if self.source is not None:
            self.found.extend(self.source)
            self.source = None
        return self.found

    def count(self) -> int:
        return len(self.all())

    def at(self, index: int) -> Choice:
        return self.all()[index]

    def allows(self, choice: Choice) -> bool | None:
        return None if self.judge is None or self.positions is not None else self.judge(self.look, choice)

    def find(self, choice: Choice) -> int:
        if self.positions is None:
            self.positions = {}
            for number, option in enumerate(self.all()):
                self.positions.setdefault(self.signature(option), number)
        found = self.positions.get(self.signature(choice))
        if found is None:
            raise ChoiceError("that is no option here")
        return found

    def signature(self, choice: Choice) -> Any:
        return choice_signature(self.look, self.identity, choice, self.kinds)


def choice_signature(look: Look, identity: Identity, choice: Choice, kinds: dict[str, tuple[Type, ...]]) -> Any:
    """Equal for choices that are one option. `kinds`: by action, or "" for values."""
    match choice:
        case Act(action, arguments) if len(arguments) == len(kinds.get(action, ())):
            return action, identity.signature(look, arguments, kinds[action])
        case Values(values) if len(values) == len(kinds.get("", ())):
            return identity.signature(look, values, kinds[""])
        case _:
            return choice


class Subsets(Inner):
    """Subsets of low..high members, identical ones counted once: small ones first."""

    def __init__(self, look: Look, identity: Identity, members: Sequence[Any], of: Type, low: int, high: int) -> None:
        groups: dict[Any, list[Any]] = {}
        for member in members:
            key = identity.key(look, member) if isinstance(of, types.Pieces) else member
            groups.setdefault(key, []).append(member)
        self.groups = list(groups.values())
        self.group_of = {member: number for number, group in enumerate(self.groups) for member in group}
        self.low, self.high = max(0, low), min(high, len(members))
        self.ways = cache(self._ways)

    def _ways(self, group: int, size: int) -> int:
        """How many subsets of so many members the groups from this one on have."""
        if group == len(self.groups):
            return int(size == 0)
        most = min(size, len(self.groups[group]))
        return sum(self.ways(group + 1, size - taken) for taken in range(most + 1))

    def any(self) -> bool:
        return self.low <= self.high

    def count(self) -> int:
        return sum(self.ways(0, size) for size in range(self.low, self.high + 1))

    def at(self, index: int) -> Choice:
        for size in range(self.low, self.high + 1):
            if index < self.ways(0, size):
                return Subset(tuple(sorted(self._unranked(index, size))))
            index -= self.ways(0, size)
        raise IndexError(index)

    def _unranked(self, index: int, size: int) -> Iterator[Any]:
        for number, group in enumerate(self.groups):
            for taken in range(min(size, len(group)), -1, -1):
                ways = self.ways(number + 1, size - taken)
                if index < ways:
                    yield from group[:taken]
                    size -= taken
                    break
                index -= ways

    def find(self, choice: Choice) -> int:
        if not isinstance(choice, Subset):
            raise ChoiceError("a set is to be chosen here")
        size = len(choice.members)
        if len(set(choice.members)) < size or not self.low <= size <= self.high:
            wanted = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
            raise ChoiceError(f"{wanted} are to be chosen here, not {size}")
        taken = [0] * len(self.groups)
        for member in choice.members:
            if member not in self.group_of:
                raise ChoiceError("something in this set can not be chosen here")
            taken[self.group_of[member]] += 1
        index = sum(self.ways(0, smaller) for smaller in range(self.low, size))
        for number, group in enumerate(self.groups):
            for more in range(min(size, len(group)), taken[number], -1):
                index += self.ways(number + 1, size - more)
            size -= taken[number]
        return index


class Shares(Inner):
    """Shares of a total in low..high: a number for each member, falling within a group of identical members."""

    def __init__(
        self, look: Look, identity: Identity, members: Sequence[Any], of: Type, low: int, high: int, most: Sequence[int]
    ) -> None:
        self.keys = {key: number for number, key in enumerate(types.values(of))}
        groups: dict[Any, list[tuple[Any, int]]] = {}
        for member, bound in zip(members, most, strict=True):
            key = identity.key(look, member) if isinstance(of, types.Pieces) else member
            groups.setdefault((key, bound), []).append((member, bound))
        self.members = [member for group in groups.values() for member, _ in group]
        self.bounds = [bound for group in groups.values() for _, bound in group]
        self.first = [number == 0 for group in groups.values() for number in range(len(group))]
        self.low, self.high = low, high
        self.ways = cache(self._ways)

    def _cap(self, number: int, before: int) -> int:
        return self.bounds[number] if self.first[number] else min(self.bounds[number], before)

    def _ways(self, number: int, before: int, total: int) -> int:
        """How many ways there are to give a total to the members from this one on."""
        if number == len(self.members):
            return int(total == 0)
        most = min(total, self._cap(number, before))
        return sum(self.ways(number + 1, given, total - given) for given in range(most + 1))

    def count(self) -> int:
        return sum(self.ways(0, 0, total) for total in range(max(0, self.low), self.high + 1))

    def any(self) -> bool:
        return any(self.ways(0, 0, total) for total in range(max(0, self.low), self.high + 1))

    def at(self, index: int) -> Choice:
        for total in range(max(0, self.low), self.high + 1):
            if index < self.ways(0, 0, total):
                return self._share(list(self._unranked(index, total)))
            index -= self.ways(0, 0, total)
        raise IndexError(index)

    def _share(self, given: Sequence[int]) -> Choice:
        gift = [0] * len(self.keys)
        for member, number in zip(self.members, given, strict=True):
            gift[self.keys[member]] = number
        return Share(tuple(gift))

    def _unranked(self, index: int, total: int) -> Iterator[int]:
        before = 0
        for number in range(len(self.members)):
            for given in range(min(total, self._cap(number, before)), -1, -1):
                ways = self.ways(number + 1, given, total - given)
                if index < ways:
                    yield given
                    before, total = given, total - given
                    break
                index -= ways

    def find(self, choice: Choice) -> int:
        if not isinstance(choice, Share) or len(choice.gift) != len(self.keys):
            raise ChoiceError("numbers are to be shared out here")
        given = [choice.gift[self.keys[member]] for member in self.members]
        total = sum(given)
        if total != sum(choice.gift) or not self.low <= total <= self.high:
            wanted = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
            raise ChoiceError(f"{wanted} are to be shared out among those who may get some, not {sum(choice.gift)}")
        start = 0
        for end in [*(n for n, first in enumerate(self.first) if first and n), len(given)]:
            given[start:end] = sorted(given[start:end], reverse=True)
            start = end
        index = sum(self.ways(0, 0, smaller) for smaller in range(max(0, self.low), total))
        before = 0
        for number, value in enumerate(given):
            most = min(total, self._cap(number, before))
            if not 0 <= value <= most:
                raise ChoiceError(f"at most {most} can be given there, not {value}")
            for more in range(most, value, -1):
                index += self.ways(number + 1, more, total - more)
            before, total = value, total - value
        return index
