"""What the encoding of one game knows before it begins: numbers for the instances of places, sorts of pieces, limits.

A piece lies in a *slot*: an instance of a place, as a number; `box` and the other places follow one another. Pieces
are of one *sort* if they are of the same most particular kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count, groupby, product
from typing import TYPE_CHECKING, assert_never

from seaspec.backends.symbolic.cuts import Cuts
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Function,
    Sort,
    Term,
    add,
    and_,
    eq,
    flag,
    less,
    made,
    mul,
    not_,
    number,
    or_,
    truth,
    variable,
)
from seaspec.backends.symbolic.seats import Seats
from seaspec.backends.symbolic.values.sets import (
    NONE,
    Lines,
    Listed,
    Map,
    Value,
    Where,
    along,
    among,
    everything,
    same,
    straight_lines,
)
from seaspec.core import flow, ir, types
from seaspec.core.definedness import Definedness, Obligations
from seaspec.core.ir import Variable
from seaspec.core.owing import FOREIGN, FULL, of_exit, of_step
from seaspec.core.types import Type

if TYPE_CHECKING:
    from seaspec.analysis.reads import Reads
    from seaspec.backends.symbolic.paths.calls import Apart
    from seaspec.backends.symbolic.read.defines import Called
    from seaspec.backends.symbolic.values.places import Places
    from seaspec.backends.symbolic.values.position import Family, Position

PLACES = "places"
"""Among what is looked at in a proof: where the pieces are."""
MOST_AT_ONCE = 40_000
"""A test or a step that takes more terms than this to be read has no encoding."""
MOST_IN_ORDER = 12
"""An ordered set of a larger type than this has no known order."""
MOST_ENTRIES = 20_000
"""A place or state with more instances than this has no encoding."""


@dataclass(frozen=True)
class Instances:
    """The instances of a place or state: the types of its index, and each index as numbers. `base`: the first slot."""

    name: str
    index: tuple[Type, ...]
    keys: tuple[tuple[int, ...], ...]
    base: int

    @property
    def end(self) -> int:
        return self.base + len(self.keys)

    @cached_property
    def lines_of_keys(self) -> tuple[Lines, ...]:
        """For each index, from a value to its place in the order of its type."""
        found = (sorted((value, place) for place, value in enumerate(numbers_of(ty))) for ty in self.index)
        return tuple(map(straight_lines, found))

    @cached_property
    def lines_of_slots(self) -> tuple[Lines, ...]:
        """For each index, from a slot to its value."""
        keys = list(enumerate(self.keys, self.base))
        return tuple(straight_lines([(slot, key[index]) for slot, key in keys]) for index in range(len(self.index)))


class World:
    """A game to be encoded.

    `few`: types with at most so many values are written out, larger ones are quantified over. `counted`: places are
    known by how many pieces of each sort lie in them, and where each lies; else only by the latter. `go_on` is asked
    now and then whether there is time left.
    """

    def __init__(self, graph: flow.Flow, few: int, counted: bool, go_on: Callable[[], bool] = lambda: True) -> None:
        self.graph = graph
        self.owed = definedness(graph.game)
        self.game = self.owed.game
        self.few = few
        self.counted = counted
        self.go_on = go_on
        self.cuts = Cuts()
        self.notes_all = False
        """Whether runs note what perhaps is owed, too: nobody relies on it, but who compares wants to know."""
        self._owed_by: dict[int, Obligations] = {}
        self.params = frozenset(name for routine in graph.routines.values() for name in routine.params)
        sets = (step for block in graph.blocks for step in block.steps if isinstance(step, flow.Set))
        self.none_at_first = frozenset(
            s.variable for s in sets if isinstance(s.value.type, types.Optional)
        ) - frozenset(variable for variable in graph.frame if isinstance(variable.type, types.Optional))
        """Variables of the frame that stand for nothing until they have a value of their type."""
        self.sight: frozenset[str] | None = None
        """The states, and `PLACES`, that are looked at; None: all."""
        self._read = 0
        self._work_ends: int | None = None
        self.budget: int | None = None
        """So many blocks may still be gone through; None: any number."""
        self.idle: frozenset[Variable] = frozenset()
        """Variables of the frame that are left out."""
        self.marked: frozenset[str] | None = None
        """Procedures of which it is noted where they begin and end; None: all."""
        self.apart: Apart | None = None
        """If each procedure is looked at for itself, and calls are single steps: what is known of them."""
        self.alike: Seats | None = None
        """If whoever is next in a round is looked at once for all: where seats are alike."""
        self.visits: Counter[int] = Counter()
        """How often ways have come through each block; whoever wants to know begins anew."""
        self.guards: dict[Term, tuple[str, str]] = {}
        """Conditions that are assumed because of a guard: of which action, and its name."""
        self.places: dict[str, Instances] = {}
        end = 0
        for name, place in self.game.places.items():
            self.places[name] = _instances(name, place.index, end)
            end = self.places[name].end
        self.states = {name: _instances(name, state.index, 0) for name, state in self.game.states.items()}
        self.sorts = tuple(_sorts(self.game))
        self.seats = range(len(self.game.players))
        steps = (step for block in graph.blocks for step in block.steps)
        self.may_drop_out = any(isinstance(step, ir.DropOut) for step in steps)
        self._fresh = count()
        self._slots: dict[tuple[str, tuple[Term, ...]], Term] = {}
        self.evaluated: dict[tuple[object, ...], tuple[object] | None] = {}
        self.readers: dict[str, bool] = {}
        self.called: dict[tuple[object, ...], Called] = {}
        """Calls of defines, with all that they read."""
        self.footprints: dict[str, Reads | None] = {}
        """What defines read; None if that is not known."""
        self.kept: list[object] = []
        self.positions: dict[str, tuple[Position, list[Term]]] = {}
        """Positions that may be any, with what is told of them; and values that variables of the frame may have."""
        self.frame: dict[tuple[Variable, str], tuple[Value, list[Term]]] = {}
        self.changed: dict[tuple[str, str], tuple[Family, list[Term]]] = {}
        self.moved: dict[str, tuple[Places, list[Term]]] = {}
        """What states and places may be after a call, by how many calls there were before on the same way."""
        self.given: dict[tuple[str, str, int], Function] = {}
        """Where a call has given a constant to a state, likewise."""
        self.named: dict[tuple[object, ...], tuple[Term, tuple[Term, ...]]] = {}
        """Names for extremes, and what is told of them."""

    def keeps_state(self, name: str) -> bool:
        """Whether a state is looked at."""
        return self.sight is None or name in self.sight

    @property
    def keeps_places(self) -> bool:
        """Whether it is looked at where the pieces are."""
        return self.sight is None or PLACES in self.sight

    def owed_by_step(self, step: flow.Step) -> Obligations:
        """What a step owes. That pieces can lie where they come, and have room there, is said when they have come."""
        if id(step) not in self._owed_by:
            found = of_step(self.owed, self.graph, step)
            self._owed_by[id(step)] = tuple(o for o in found if o.message not in (FOREIGN, FULL))
        return self._owed_by[id(step)]

    def owed_by_exit(self, exit: flow.Exit) -> Obligations:
        """What an exit owes before the flow goes on, or rests there."""
        if id(exit) not in self._owed_by:
            self._owed_by[id(exit)] = tuple(of_exit(self.owed, exit))
        return self._owed_by[id(exit)]

    def hurry(self) -> None:
        """There is no time left, or too much has been worked out: `Unsupported`."""
        if self.is_worked_out:
            raise Unsupported("more than is worth reading")
        if not self.go_on():
            raise Unsupported("no time left")

    @property
    def is_worked_out(self) -> bool:
        """Whether as many terms have been made as there may be."""
        return self._work_ends is not None and made() > self._work_ends

    def wide(self, size: int) -> bool:
        """Whether so many values are too many to be written out."""
        return size > self.few

    def limit_work(self, terms: int) -> None:
        """From here on so many terms may be made."""
        self._work_ends = made() + terms

    @contextmanager
    def briefly(self, terms: int | None = None) -> Iterator[None]:
        """What is read within may not take long."""
        before = self._work_ends
        here = made() + (MOST_AT_ONCE if terms is None else terms)
        self._work_ends = here if before is None else min(before, here)
        try:
            yield
        finally:
            self._work_ends = before

    def read_another(self) -> None:
        """An expression is read."""
        self._read += 1
        if not self._read % 64:
            self.hurry()

    def name(self, word: str) -> str:
        """A name that nothing else has."""
        return f"{word}!{next(self._fresh)}"

    def sort_of(self, piece: Term, sort: int) -> Term:
        """Whether a piece is of a sort."""
        return among(piece, self.sorts[sort])

    def slot(self, place: str, args: tuple[Term, ...]) -> Term:
        """The number of an instance; its index is inside."""
        if (place, args) in self._slots:
            return self._slots[place, args]
        instances = self.places[place]
        found = number(0)
        for arg, ty, lines in zip(args, instances.index, instances.lines_of_keys, strict=True):
            found = add(mul(found, number(types.size(ty))), along(arg, lines))
        self._slots[place, args] = add(number(instances.base), found)
        return self._slots[place, args]

    def index_of(self, place: str, slot: Term, position: int) -> Term:
        """The index of the instance that a slot is; the slot is one of this place."""
        return along(slot, self.places[place].lines_of_slots[position])

    def is_inside(self, instances: Instances, args: tuple[Term, ...]) -> Term:
        """Whether there is an instance with this index."""
        return and_(*(is_in(arg, ty) for arg, ty in zip(args, instances.index, strict=True)))

    def is_single(self, place: str) -> bool:
        """Whether an instance holds one piece at most, always."""
        capacity = self.game.places[place].capacity
        return isinstance(capacity, ir.Const) and capacity.value == 1

    def is_spread(self, place: str) -> bool:
        """Whether few pieces lie in many instances of a place: what lies in one is worked out from where they are."""
        few = len(self.game.places[place].holds.members)
        return not self.wide(few) and self.wide(len(self.places[place].keys)) and not self.is_single(place)

    # ---------------------------------------------------------------------------------------------- values

    def constant(self, value: object, ty: Type) -> Value:
        """A value that is known before the game."""
        match ty:
            case types.Bool():
                return truth(bool(value))
            case types.SetOf(of):
                assert isinstance(value, tuple)
                simple = not isinstance(of, types.SetOf | types.Map | types.Bool | types.Optional)
                if simple and list(value) == sorted(set(value)):
                    return Where(of, value, everything, self.wide(len(value)))
                items = tuple((YES, self.constant(member, of)) for member in value)
                return Listed(of, items, ty.ordered)
            case types.Map(keys, held):
                assert isinstance(value, tuple)
                return Map(numbers_of(keys), tuple(self.constant(entry, held) for entry in value))
            case types.Fraction():
                raise Unsupported("fractions")
            case (
                types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.Optional()
                | types.Never()
            ):  # fmt: skip
                return number(as_number(value))
            case _:
                assert_never(ty)

    def free(self, word: str, ty: Type, told: list[Term]) -> Value:
        """A value that may be any of its type; what has to hold of it besides its bounds is told."""
        match ty:
            case types.Bool():
                return flag(self.name(word))
            case types.Int(low, high):
                return variable(self.name(word), low, high)
            case types.Enum() | types.Borders():
                return variable(self.name(word), 0, types.size(ty) - 1)
            case types.Cells(_, _, members) | types.Pieces(_, members):
                if not members:
                    raise Unsupported("a value of an empty type")
                found = variable(self.name(word), members[0], members[-1])
                told.append(among(found, members))
                return found
            case types.Optional(of):
                low, high = bounds(of)
                found = variable(self.name(word), NONE.value, high)
                told.append(or_(eq(found, NONE), is_in(found, of)))
                return found
            case types.SetOf(of, ordered):
                return self._free_row(word, of, told) if ordered else self.free_subset(word, of)
            case types.Map(keys, held):
                listed = tuple(as_number(key) for key in types.values(keys))
                return Map(listed, tuple(self.free(word, _unbounded(held), told) for _ in listed))
            case types.Never() | types.Fraction():
                raise Unsupported(f"a free value of {ty}")
            case _:
                assert_never(ty)
        raise Unsupported(f"a free value of {ty}")

    def free_subset(self, word: str, of: Type) -> Where:
        """Any set of members of a type."""
        members = numbers_of(of)
        name = self.name(word)
        if self.wide(len(members)):
            holds = Function(name, 1, Sort.BOOL)
            return Where(of, members, lambda x: holds(x), wide=True)
        flags = {member: flag(f"{name}.{member}") for member in members}

        def test(value: Term) -> Term:
            if value.is_const:
                return flags.get(value.value, NO)
            return or_(*(and_(eq(value, number(member)), there) for member, there in flags.items()))

        return Where(of, members, test)

    def _free_row(self, word: str, of: Type, told: list[Term]) -> Listed | Where:
        """Any ordered set: a length, and as many members, all different; of a large type, with its order not known."""
        size = types.size(of)
        if size > MOST_IN_ORDER:
            return replace(self.free_subset(word, of), scrambled=True)
        length = variable(self.name(f"{word}.length"), 0, size)
        items: list[tuple[Term, Value]] = []
        for place in range(size):
            value = self.free(f"{word}.{place}", of, told)
            there = less(number(place), length)
            told += [or_(not_(there), not_(same(value, other))) for _, other in items]
            items.append((there, value))
        return Listed(of, tuple(items), ordered=True, packed=True)


@lru_cache(4)
def definedness(game: ir.Game) -> Definedness:
    """What the expressions of a game owe: worked out once for all encodings of it."""
    return Definedness(game)


def as_number(value: object) -> int:
    """The number that stands for a plain value.

    >>> as_number(True), as_number(None) == NONE.value
    (1, True)
    """
    if value is None:
        return NONE.value
    if isinstance(value, int):
        return int(value)
    raise Unsupported("a value that is no number")


def plain(value: int, ty: Type) -> object:
    """The plain value that a number stands for.

    >>> plain(1, types.Bool()), plain(NONE.value, types.Optional(types.Int(1, 3)))
    (True, None)
    """
    if isinstance(ty, types.Bool):
        return bool(value)
    return None if isinstance(ty, types.Optional) and value == NONE.value else value


@lru_cache(1_000)
def numbers_of(ty: Type) -> tuple[int, ...]:
    """All values of a type as numbers, in their order."""
    if isinstance(ty, types.SetOf | types.Map | types.Fraction) or types.size(ty) > MOST_ENTRIES:
        raise Unsupported(f"the values of a type, one by one ({ty})")
    return tuple(as_number(value) for value in types.values(ty))


def bounds(ty: Type) -> tuple[int, int]:
    """The least and the greatest number of a type."""
    if isinstance(ty, types.Int):
        return ty.low, ty.high
    found = numbers_of(ty)
    if isinstance(ty, types.Optional | types.Bool) or not found:
        raise Unsupported(f"the numbers of a type ({ty})")
    return min(found), max(found)


def is_in(value: Term, ty: Type) -> Term:
    """Whether a number stands for a value of a type."""
    match ty:
        case types.Int(low, high):
            return (
                among(value, (low,))
                if low == high
                else and_(less(number(low - 1), value), less(value, number(high + 1)))
            )
        case types.Optional(of):
            return or_(eq(value, NONE), is_in(value, of))
        case types.Never():
            return or_()
        case (
            types.Bool() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.SetOf()
            | types.Map() | types.Fraction()
        ):  # fmt: skip
            return among(value, numbers_of(ty))
        case _:
            assert_never(ty)


def _unbounded(ty: Type) -> Type:
    """Numbers in maps are not checked against their range."""
    return types.Int(-(10**15), 10**15) if isinstance(ty, types.Int) else ty


def _instances(name: str, index: tuple[Variable, ...], base: int) -> Instances:
    found = tuple(variable.type for variable in index)
    size = 1
    for ty in found:
        size *= types.size(ty)
    if size > MOST_ENTRIES:
        raise Unsupported(f"{name} has {size} instances")
    return Instances(name, found, tuple(product(*(numbers_of(ty) for ty in found))), base)


def _sorts(game: ir.Game) -> list[tuple[int, ...]]:
    pieces = sorted(game.pieces, key=lambda piece: (piece.kinds[0], piece.id))
    found = [tuple(piece.id for piece in same) for _, same in groupby(pieces, key=lambda piece: piece.kinds[0])]
    return sorted(found)
