"""Where one path ends the next one begins: what is said of a position, as terms, and that two positions are the same.

Each path has names of its own for the position in which it begins. To look at two in a row, the names of the first are
told apart from those of the second (`Apart`), and what it ends with is set equal to what the second begins with
(`Joints`). What can not be said so is left out: then less is known, and nothing false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import forall, post_order, rebuilt
from seaspec.backends.symbolic.logic.terms import (
    YES,
    Function,
    Kind,
    Sort,
    Term,
    and_,
    bound,
    eq,
    flag,
    implies,
    number,
    variable,
)
from seaspec.backends.symbolic.seats import names_players
from seaspec.backends.symbolic.values.position import Family, Position
from seaspec.backends.symbolic.values.sets import Map, Value
from seaspec.backends.symbolic.values.world import Instances, World, is_in, numbers_of
from seaspec.core import types
from seaspec.core.types import Type

MOST_MEMBERS = 100
"""Sets of a larger type than this are not compared."""
NUMBER = types.Int(0, 0)
"""Stands for any type of numbers."""

Named = Callable[[Term], Term]
"""The same term with other names, or with its own."""
About = tuple[object, ...]


class Apart:
    """Terms with all their names changed.

    >>> from seaspec.backends.symbolic.logic.terms import add
    >>> Apart("'")(add(variable("x", 0, 9), number(1)))
    (+ 1*x' 1)
    """

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self._known: dict[Term, Term] = {}

    def __call__(self, root: Term) -> Term:
        known = self._known
        if root not in known:
            for term in post_order(root):
                if term not in known:
                    known[term] = self._renamed(term, [known[arg] for arg in term.args])
        return known[root]

    def _renamed(self, term: Term, args: list[Term]) -> Term:
        if term.kind is Kind.APPLY:
            return Function(term.name + self.mark, len(args), term.sort, term.low, term.high)(*args)
        if term.kind is Kind.VAR and not term.open:
            name = term.name + self.mark
            return flag(name) if term.sort is Sort.BOOL else variable(name, term.low, term.high)
        return rebuilt(term, args) if args else term


class Joints:
    """Says of positions of one game that they are the same."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._indices: dict[About, tuple[tuple[Term, ...], Term]] = {}
        """Of what is said of all instances of a large place or state at once: which these are."""

    def joined(self, end: Position, start: Position, of_end: Named, of_start: Named, *, turned: bool) -> list[Term]:
        """That a path begins where another has ended. `of_end`, `of_start`: by which names they are known.

        `turned`: seats are counted from another player by now, so only what belongs to no player is the same.
        """
        ended = dict(self._said(end, turned))
        found = []
        for about, term in self._said(start, turned):
            self.world.hurry()
            if about in ended:
                names, inside = self._indices.get(about, ((), YES))
                found.append(forall(names, implies(inside, eq(of_start(term), of_end(ended[about])))))
        return [term for term in found if term is not YES]

    def is_alike(self, one: Position, other: Position) -> bool:
        """Whether all that belongs to no player is plainly the same at two positions."""
        return dict(self._said(one, turned=True)) == dict(self._said(other, turned=True))

    def _said(self, position: Position, turned: bool) -> Iterator[tuple[About, Term]]:
        """What is said of a position, by what it is about."""
        yield from self._said_now(position, turned)
        for procedure, then in position.begun.items():
            for about, term in self._said_now(then, turned):
                self._indices.update({(procedure, *about): self._indices[about]} if about in self._indices else {})
                yield (procedure, *about), term

    def _said_now(self, position: Position, turned: bool) -> Iterator[tuple[About, Term]]:
        game, world = self.world.game, self.world
        for name, family in position.states.items():
            if world.keeps_state(name):
                yield from self._of(family, world.states[name], ("state", name), game.states[name].type, turned)
        for variable_, value in position.frame.items():
            if not (turned and names_players(variable_.type)):
                yield from _parts(("frame", variable_), value, variable_.type)
        if world.keeps_places:
            for (name, sort), family in position.places.counts.items():
                yield from self._of(family, world.places[name], ("count", name, sort), NUMBER, turned)
            for name, family in position.places.holder.items():
                yield from self._of(family, world.places[name], ("holder", name), NUMBER, turned)
            if not turned:  # a slot may be somebody's own
                pieces = types.Int(0, len(game.pieces) - 1)
                keys = tuple((piece.id,) for piece in game.pieces)
                every = Instances("pieces", (pieces,), keys, 0)
                yield from self._of(position.places.where, every, ("where",), NUMBER, turned)
        if not turned:
            yield from ((("out", seat), is_out) for seat, is_out in enumerate(position.out))

    def _of(
        self, family: Family, instances: Instances, about: About, ty: Type, turned: bool
    ) -> Iterator[tuple[About, Term]]:
        """What is said of all instances of something."""
        if turned and any(map(names_players, (ty, *instances.index))):
            return
        with suppress(Unsupported):
            if self.world.wide(len(instances.keys)) and not isinstance(ty, types.SetOf | types.Map):
                names, _ = self._index(about, instances)
                yield from _parts(about, family.read(names), ty)
                return
            for key in instances.keys:
                yield from _parts((*about, *key), family.read(tuple(map(number, key))), ty)

    def _index(self, about: About, instances: Instances) -> tuple[tuple[Term, ...], Term]:
        """Names for any instance, and that it is one."""
        if about not in self._indices:
            columns = [[key[place] for key in instances.keys] for place in range(len(instances.index))]
            names = tuple(bound(min(column), max(column)) for column in columns)
            inside = and_(*(is_in(name, ty) for name, ty in zip(names, instances.index, strict=True)))
            self._indices[about] = names, inside
        return self._indices[about]


def _parts(about: About, value: Value, ty: Type) -> Iterator[tuple[About, Term]]:
    """A value as terms: a set is said by its members."""
    match ty:
        case types.SetOf(of):
            with suppress(Unsupported):
                members = numbers_of(of)
                if len(members) <= MOST_MEMBERS and not isinstance(value, Term | Map):
                    yield from (((*about, member), value.member(number(member))) for member in members)
        case types.Map(_, held):
            if isinstance(value, Map):
                for key, entry in zip(value.keys, value.entries, strict=True):
                    yield from _parts((*about, key), entry, held)
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Optional() | types.Never() | types.Fraction()
        ):  # fmt: skip
            if isinstance(value, Term):
                yield about, value
        case _:
            assert_never(ty)
