"""Where the pieces are.

`Exact`: for each piece its slot, and nothing else; what lies in a place, and how much, is worked out from that.
`Counted`: besides, how many pieces of each sort each instance holds, and which piece lies where at most one can; these
are changed by each move, and never counted anew. Only where few pieces lie in many instances, they are. That the
numbers and the slots of pieces agree is not known to a solver, so a position of `Counted` may be none: what is
impossible for it is impossible, but not the other way round.

The order of rows and the layers of piles are not kept: a row is a set here, and a draw may take any piece of a pile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import forall
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Function,
    Sort,
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
    sub,
    variable,
    within,
)
from seaspec.backends.symbolic.values.position import Args, Entries, Family, Mapped
from seaspec.backends.symbolic.values.sets import NONE, Inside, Listed, Set, Value, Where, among, by_cases, choose
from seaspec.backends.symbolic.values.world import World
from seaspec.core import ir
from seaspec.core.ir import PlaceOrder


@dataclass(frozen=True, eq=False)
class Places:
    """Where the pieces are. `counts` and `holder` are empty where places are not counted.

    `where`: the slot of each piece. `counts`: for a place and a sort, how many lie in an instance. `holder`: for a
    place of at most one, the piece in an instance, or `NONE`. `known`: pieces of which it is known, for certain, in
    which instance they lie.
    """

    world: World
    where: Family
    counts: dict[tuple[str, int], Family]
    holder: dict[str, Family]
    known: dict[Term, tuple[str, Args]]

    # ------------------------------------------------------------------------------------------------- reading

    def slot_of(self, piece: Term) -> Term:
        found = self.where.read((piece,))
        assert isinstance(found, Term)
        return found

    def lies_in(self, piece: Term, place: str, args: Args) -> Term:
        """Whether a piece lies in an instance (whose index is inside)."""
        if place in self.holder:
            return eq(self.holding(place, args), piece)
        return eq(self.slot_of(piece), self.world.slot(place, args))

    def lies_anywhere_in(self, piece: Term, place: str) -> Term:
        instances = self.world.places[place]
        return within(self.slot_of(piece), instances.base, instances.end - 1)

    def holding(self, place: str, args: Args) -> Term:
        found = self.holder[place].read(args)
        assert isinstance(found, Term)
        return found

    def pieces_in(self, place: str, args: Args, inside: Term) -> Set:
        """What lies in an instance; nothing, if the index is not inside."""
        rules = self.world.game.places[place]
        is_known = not (inside.open or inside is NO or any(arg.open for arg in args))
        is_counted = self.world.counted and not self.world.is_spread(place)
        there = Inside(place, args, self._held(place)) if is_known and is_counted else None
        if place in self.holder:
            piece = self.holding(place, args)
            return Listed(rules.holds, ((and_(inside, not_(eq(piece, NONE))), piece),), inside=there)
        members = rules.holds.members
        counted = None
        if is_counted:
            counted = lambda: tuple(ite(inside, n, number(0)) for n in self.numbers(place, args))  # noqa: E731
        return Where(
            rules.holds,
            members,
            lambda piece: and_(inside, self.lies_in(piece, place, args)),
            wide=self.world.wide(len(members)),
            counted=counted,
            inside=there,
            scrambled=rules.order is PlaceOrder.ROW,
        )

    def _held(self, place: str) -> tuple[object, ...]:
        """What says what lies in a place."""
        counts = (family for (name, _), family in self.counts.items() if name == place)
        return (self.holder.get(place), *counts)

    def is_still(self, there: Inside | None) -> bool:
        """Whether what lay in a place then lies there still, and nothing else."""
        return there is not None and all(a is b for a, b in zip(there.held, self._held(there.place), strict=True))

    def numbers(self, place: str, args: Args) -> tuple[Term, ...]:
        """How many of each sort lie in an instance."""
        found = []
        for sort, members in enumerate(self.world.sorts):
            family = self.counts.get((place, sort))
            value = self._lying(members, place, args) if family is None else family.read(args)
            assert isinstance(value, Term)
            found.append(known_within(value, 0, len(members)))
        return tuple(found)

    def _lying(self, pieces: Sequence[int], place: str, args: Args) -> Term:
        """How many of these lie in an instance of a place where they are not counted."""
        held = set(pieces) & set(self.world.game.places[place].holds.members)
        here = (self.lies_in(number(piece), place, args) for piece in sorted(held))
        return add(*(ite(there, number(1), number(0)) for there in here))

    def conserved(self) -> Iterator[Term]:
        """That of each sort as many pieces lie somewhere as there are."""
        for sort, members in enumerate(self.world.sorts):
            lying: list[Term] = []
            for name, place in self.world.game.places.items():
                held = sorted(set(members) & set(place.holds.members))
                if self.world.is_spread(name):
                    lie = (self.lies_anywhere_in(number(piece), name) for piece in held)
                    lying += (ite(there, number(1), number(0)) for there in lie)
                    continue
                if not held:
                    continue
                for key in self.world.places[name].keys:
                    args = tuple(map(number, key))
                    if name in self.holder:
                        lying.append(ite(among(self.holding(name, args), members), number(1), number(0)))
                    else:
                        lying.append(self.numbers(name, args)[sort])
            yield eq(add(*lying), number(len(members)))

    # ------------------------------------------------------------------------------------------------- learning

    def learnt(self, piece: Term, place: str, args: Args) -> tuple[Places, list[Term]]:
        """The same, knowing that a piece lies in an instance; and what follows from it."""
        if not self.world.counted or piece.open:
            return self, []
        told = [eq(self.slot_of(piece), self.world.slot(place, args))]
        if place in self.holder:
            told.append(eq(self.holding(place, args), piece))
        elif not self.world.is_spread(place):
            for sort, held in enumerate(self.numbers(place, args)):
                told.append(implies(self.world.sort_of(piece, sort), at_most(number(1), held)))
        return replace(self, known={**self.known, piece: (place, args)}), told

    # ------------------------------------------------------------------------------------------------- moving

    def moved(self, pieces: Set | Term, place: str, args: Args) -> Places:
        """The pieces have gone to an instance (whose index is inside)."""
        if isinstance(pieces, Term):
            return self._moved_one(pieces, place, args, YES)
        if (
            isinstance(pieces, Where)
            and self.world.counted
            and pieces.counted is not None
            and pieces.inside is not None
            and self.is_still(pieces.inside)
        ):
            return self._moved_many(pieces, pieces.counted(), pieces.inside, place, args)
        if isinstance(pieces, Where) and not self.world.counted:
            return replace(self, where=self._all_moved(pieces, place, args), known={})
        if isinstance(pieces, Where) and pieces.wide:
            raise Unsupported("a large set of pieces from several places is moved")
        after = self
        for there, piece in pieces.items:
            assert isinstance(piece, Term)
            lay = pieces.inside if isinstance(pieces, Listed) and after.is_still(pieces.inside) else None
            origin = None if lay is None else (lay.place, lay.args)
            after = after._moved_one(piece, place, args, there, origin)
        return after

    def _all_moved(self, pieces: Where, place: str, args: Args) -> Family:
        slot = self.world.slot(place, args)

        def new(at: Args, old: Value) -> Value:
            return choose(pieces.member(at[0]), slot, old)

        return self.where.change(new)

    def _moved_one(
        self, piece: Term, place: str, args: Args, when: Term, origin: tuple[str, Args] | None = None
    ) -> Places:
        where = self.where.write((piece,), self.world.slot(place, args), when)
        if not self.world.counted:
            return replace(self, where=where)
        origin = origin or self.known.get(piece)
        counts = dict(self.counts)
        for (name, sort), family in self.counts.items():
            is_sort = and_(when, self.world.sort_of(piece, sort))
            if is_sort is NO or (origin is not None and name not in (origin[0], place)):
                continue
            counts[name, sort] = family.change(self._balance(name, piece, is_sort, origin, (place, args)))
        holder = dict(self.holder)
        for name, family in self.holder.items():
            if origin is None:
                family = family.change(self._emptied(piece, when))
            elif origin[0] == name:
                family = family.write(origin[1], NONE, when)
            if name == place:
                family = family.write(args, piece, when)
            holder[name] = family
        known = {piece: (place, args)} if when is YES else {}
        return replace(self, where=where, counts=counts, holder=holder, known=known)

    def _emptied(self, piece: Term, when: Term) -> Callable[[Args, Value], Value]:
        def new(at: Args, old: Value) -> Value:
            assert isinstance(old, Term)
            return ite(and_(when, eq(old, piece)), NONE, old)

        return new

    def _balance(
        self, name: str, piece: Term, is_sort: Term, origin: tuple[str, Args] | None, target: tuple[str, Args]
    ) -> Callable[[Args, Value], Value]:
        """How the number in an instance changes when a piece of that sort goes from one place to another."""
        lay = self.slot_of(piece)

        def new(at: Args, old: Value) -> Value:
            assert isinstance(old, Term)
            comes = and_(is_sort, _equal(at, target[1])) if name == target[0] else NO
            if origin is None:
                leaves = and_(is_sort, eq(lay, self.world.slot(name, at)))
            else:
                leaves = and_(is_sort, _equal(at, origin[1])) if name == origin[0] else NO
            return sub(add(old, ite(comes, number(1), number(0))), ite(leaves, number(1), number(0)))

        return new

    def _moved_many(self, pieces: Where, numbers: tuple[Term, ...], origin: Inside, place: str, args: Args) -> Places:
        """A set all of which lies in one instance."""
        if place in self.holder:
            raise Unsupported("a set of pieces is moved to a place for one")
        counts = dict(self.counts)
        for sort, moved in enumerate(numbers):
            for name, at, sign in ((origin.place, origin.args, -1), (place, args, 1)):
                family = counts.get((name, sort))
                if family is not None:
                    counts[name, sort] = family.change(_more(at, mul(number(sign), moved)))
        return replace(self, where=self._all_moved(pieces, place, args), counts=counts, known={})


def _more(at: Args, amount: Term) -> Callable[[Args, Value], Value]:
    def new(here: Args, old: Value) -> Value:
        assert isinstance(old, Term)
        return add(old, ite(_equal(here, at), amount, number(0)))

    return new


def _equal(a: Args, b: Args) -> Term:
    return and_(*(eq(x, y) for x, y in zip(a, b, strict=True)))


def of_kind(world: World, members: Set, kind: tuple[int, ...]) -> Set:
    """The pieces of a kind among these."""
    if isinstance(members, Listed):
        items = []
        for there, piece in members.items:
            assert isinstance(piece, Term)
            items.append((and_(there, among(piece, kind)), piece))
        return Listed(members.of, tuple(item for item in items if item[0] is not NO), members.ordered)
    kept = set(kind)
    counted = None
    if members.counted is not None and all(set(sort) <= kept or not set(sort) & kept for sort in world.sorts):
        numbers = members.counted
        whole = [bool(set(sort) & kept) for sort in world.sorts]
        counted = lambda: tuple(n if is_in else number(0) for n, is_in in zip(numbers(), whole, strict=True))  # noqa: E731
    return replace(members, members=tuple(m for m in members.members if m in kept), counted=counted)


# ----------------------------------------------------------------------------------------------------- positions


def at_home(world: World) -> Places:
    """The pieces where they are before anything has happened."""
    homes = {piece.id: world.places[piece.home].base for piece in world.game.pieces}
    if world.wide(len(homes)):
        where: Family = Mapped(lambda at: by_cases(at[0], sorted(homes.items())))
    else:
        where = Entries({(piece,): number(home) for piece, home in homes.items()})
    counts: dict[tuple[str, int], Family] = {}
    holder: dict[str, Family] = {}
    if world.counted:
        for name, sort in _counted(world):
            number_held = sum(homes[piece] == world.places[name].base for piece in world.sorts[sort])
            first = world.places[name].keys[0]
            counts[name, sort] = _constants(world, name, {first: number_held}, 0)
        for name in _single(world):
            lies = [piece for piece, home in homes.items() if home == world.places[name].base]
            held = {world.places[name].keys[0]: lies[0]} if lies else {}
            holder[name] = _constants(world, name, held, NONE.value)
    return Places(world, where, counts, holder, {})


def anywhere(world: World, word: str, told: list[Term]) -> Places:
    """The pieces wherever they may lie."""
    pieces = world.game.pieces
    last = max((instances.end for instances in world.places.values()), default=1) - 1
    slots = [tuple(sorted(_slots(world, piece.id))) for piece in pieces]
    if world.wide(len(pieces)):
        function = Function(world.name(f"{word}.where"), 1, Sort.INT, 0, last)
        where: Family = Mapped(lambda at: function(at[0]))
    else:
        free = [
            variable(world.name(f"{word}.where.{piece.id}"), slots[piece.id][0], slots[piece.id][-1])
            for piece in pieces
        ]
        told += [among(slot, slots[piece]) for piece, slot in enumerate(free)]
        where = Entries({(piece,): slot for piece, slot in enumerate(free)})
    counts: dict[tuple[str, int], Family] = {}
    holder: dict[str, Family] = {}
    if world.counted:
        for name, sort in _counted(world):
            most = min(len(world.sorts[sort]), _most_in(world, name))
            counts[name, sort] = _unknown(world, f"{word}.{name}.{sort}", name, 0, most)
        told += _not_too_full(world, counts)
        for name in _single(world):
            held = world.game.places[name].holds.members
            family = holder[name] = _unknown(
                world, f"{word}.{name}", name, NONE.value, held[-1] if held else NONE.value
            )
            told += _holds(world, name, family, held, where)
        told += _not_too_crowded(world, where)
    return Places(world, where, counts, holder, {})


def _most_in(world: World, place: str) -> int:
    """So many pieces may lie in an instance of a place."""
    capacity = world.game.places[place].capacity
    if isinstance(capacity, ir.Const) and isinstance(capacity.value, int):
        return capacity.value
    return len(world.game.pieces)


def _not_too_full(world: World, counts: dict[tuple[str, int], Family]) -> Iterator[Term]:
    """That in no instance of a place there lie more pieces than may, where they are of several sorts."""
    for name, instances in world.places.items():
        sorts = [family for (place, _), family in counts.items() if place == name]
        if len(sorts) > 1 and _most_in(world, name) < len(world.game.pieces) and not world.wide(len(instances.keys)):
            for key in instances.keys:
                numbers = [family.read(tuple(map(number, key))) for family in sorts]
                yield at_most(add(*(n for n in numbers if isinstance(n, Term))), number(_most_in(world, name)))


def _not_too_crowded(world: World, where: Family) -> Iterator[Term]:
    """That with no piece there lie more than may, where few lie in many instances."""
    for name, instances in world.places.items():
        members, most = world.game.places[name].holds.members, _most_in(world, name)
        if not world.is_spread(name) or len(members) <= most:
            continue
        slots = [slot for slot in (where.read((number(piece),)) for piece in members) if isinstance(slot, Term)]
        for place, slot in enumerate(slots):
            others = (ite(eq(slot, other), number(1), number(0)) for other in (*slots[:place], *slots[place + 1 :]))
            lies_there = within(slot, instances.base, instances.end - 1)
            yield implies(lies_there, at_most(add(*others), number(most - 1)))


def _holds(world: World, name: str, family: Family, held: tuple[int, ...], where: Family) -> list[Term]:
    """What is known of the pieces in a place of at most one: they can lie there, and none lies in two instances. Where
    those are many, each lies where its slot says, and so there alone."""
    instances = world.places[name]
    if isinstance(family, Entries):
        values = [value for value in family.values.values() if isinstance(value, Term)]
        told = [or_(eq(value, NONE), among(value, held)) for value in values]
        return told + [or_(eq(a, NONE), not_(eq(a, b))) for number, a in enumerate(values) for b in values[:number]]
    names = [
        bound(min(k[i] for k in instances.keys), max(k[i] for k in instances.keys)) for i in range(len(instances.index))
    ]
    others = [bound(name.low, name.high) for name in names]
    a, b = family.read(tuple(names)), family.read(tuple(others))
    assert isinstance(a, Term) and isinstance(b, Term)
    inside = and_(world.is_inside(instances, tuple(names)), world.is_inside(instances, tuple(others)))
    fits = forall(names, implies(world.is_inside(instances, tuple(names)), or_(eq(a, NONE), among(a, held))))
    alone = implies(and_(inside, eq(a, b), not_(eq(a, NONE))), _equal(tuple(names), tuple(others)))
    if isinstance(where, Mapped):
        slot = where.read((a,))
        assert isinstance(slot, Term)
        lies_there = or_(eq(a, NONE), eq(slot, world.slot(name, tuple(names))))
        return [fits, forall(names, implies(world.is_inside(instances, tuple(names)), lies_there))]
    return [fits, forall((*names, *others), alone)]


def _counted(world: World) -> list[tuple[str, int]]:
    """Places and the sorts of pieces that are counted there."""
    return [
        (name, sort)
        for name, place in world.game.places.items()
        if not world.is_single(name) and not world.is_spread(name)
        for sort, members in enumerate(world.sorts)
        if set(members) & set(place.holds.members)
    ]


def _single(world: World) -> list[str]:
    return [name for name in world.game.places if world.is_single(name)]


def _slots(world: World, piece: int) -> set[int]:
    """The slots that a piece can lie in."""
    found = {world.places[world.game.pieces[piece].home].base}
    for name, place in world.game.places.items():
        if piece in place.holds.members:
            found.update(range(world.places[name].base, world.places[name].end))
    return found


def _constants(world: World, place: str, values: dict[tuple[int, ...], int], otherwise: int) -> Family:
    keys = world.places[place].keys
    if not world.wide(len(keys)):
        return Entries({key: number(values.get(key, otherwise)) for key in keys})

    def read(at: Args) -> Value:
        found = number(otherwise)
        for key, value in values.items():
            found = ite(_equal(at, tuple(map(number, key))), number(value), found)
        return found

    return Mapped(read)


def _unknown(world: World, word: str, place: str, low: int, high: int) -> Family:
    instances = world.places[place]
    if not world.wide(len(instances.keys)):
        return Entries(
            {key: variable(world.name(f"{word}.{'.'.join(map(str, key))}"), low, high) for key in instances.keys}
        )
    function = Function(world.name(word), len(instances.index), Sort.INT, low, high)
    return Mapped(lambda at: function(*at))
