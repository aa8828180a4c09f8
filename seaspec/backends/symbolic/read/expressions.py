"""Expressions of the core to terms, at a position.

A `Reader` reads at one position. It always finds a value: it is right wherever the rules give one, and elsewhere it is
some value or other. Under which conditions the rules give one is not decided here, but in core/definedness.py:
`defined` and `certain` read what is owed, as they read all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import exists
from seaspec.backends.symbolic.logic.terms import NO, YES, Sort, Term, and_, at_most, eq, ite, not_, number, or_
from seaspec.backends.symbolic.read.aggregates import best, collect, fold, pick_one, reach
from seaspec.backends.symbolic.read.binders import for_all_members, selected
from seaspec.backends.symbolic.read.defines import Called, call, entry
from seaspec.backends.symbolic.read.operators import OPERATORS
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import NONE, Listed, Set, Value, Where, among, choose, same
from seaspec.backends.symbolic.values.world import World, as_number, numbers_of
from seaspec.core import ir, types
from seaspec.core.definedness import guard_test
from seaspec.core.ir import Expr, Variable
from seaspec.core.ops import Op


class Reader:
    """Reads expressions at a position. `old`: the position before; `told`: what defines names that reading made up."""

    def __init__(self, world: World, position: Position, old: Position | None = None) -> None:
        self.world = world
        self.game = world.game
        self.position = position
        self.old = old
        self.env: dict[Variable, Value] = {}
        self.told: list[Term] = []
        self.memo: dict[tuple[object, ...], Called] = {}
        self.named: dict[int, Term] = {}
        self.kept: list[object] = []
        self.entries: dict[tuple[int, int, int, int], Value] = {}

    # ---------------------------------------------------------------------------------------------- what is asked

    def test(self, expr: Expr) -> Term:
        """A yes or no."""
        found = self.value(expr)
        assert isinstance(found, Term) and found.sort is Sort.BOOL, expr
        return found

    def number(self, expr: Expr) -> Term:
        """A value that a number stands for; yes is 1."""
        return as_index(self.value(expr))

    def set(self, expr: Expr) -> Set:
        """A set; a value of `T or none` stands for one, too."""
        found = self.value(expr)
        if isinstance(found, Term):
            assert isinstance(expr.type, types.Optional), expr
            return Listed(expr.type.of, ((not_(eq(found, NONE)), found),))
        assert isinstance(found, Listed | Where), expr
        return found

    def indices(self, exprs: Sequence[Expr]) -> tuple[Term, ...]:
        return tuple(self.number(expr) for expr in exprs)

    def with_values(self, values: dict[Variable, Value]) -> Reader:
        """A reader of the same position for whom these variables have a value."""
        reader = Reader(self.world, self.position, self.old)
        reader.env = {**self.env, **values}
        reader.told = self.told
        return reader

    def defined(self, *exprs: Expr) -> Term:
        """What is enough for expressions to have a value that are looked at one after the other."""
        return and_(*(self.test(obligation.test) for obligation in self.world.owed.all_of(exprs)))

    def certain(self, *exprs: Expr) -> list[Term]:
        """What holds where the rules have found values of expressions, as far as it can be said."""
        found = []
        for obligation in self.world.owed.all_of(exprs):
            if obligation.certain:
                try:
                    found.append(self.test(obligation.test))
                except Unsupported:
                    self.world.hurry()
        return found

    # ---------------------------------------------------------------------------------------------- expressions

    def value(self, expr: Expr) -> Value:
        """The value of an expression."""
        self.world.read_another()
        if isinstance(expr.type, types.Optional) and isinstance(expr.type.of, types.Bool):
            raise Unsupported("a value of `yes or no or none`")
        match expr:
            case ir.Const(ty, value):
                return self.world.constant(value, ty)
            case ir.Local(variable):
                if variable in self.env:
                    return self.env[variable]
                if variable in self.position.frame:
                    return self.position.frame[variable]
                raise Unsupported(f"the value of {variable.name}")
            case ir.StateRead(_, state, indices):
                if not self.world.keeps_state(state):
                    raise Unsupported(f"{state}, which is left out")
                return self.position.states[state].read(self.indices(indices))
            case ir.PlaceRead() | ir.Everywhere() | ir.WhereIs() if not self.world.keeps_places:
                raise Unsupported("where pieces are, which is left out")
            case ir.PlaceRead(_, place, indices):
                args, instances = self.indices(indices), self.world.places[place]
                inside = YES if _is_where_one_lies(place, indices) else self.world.is_inside(instances, args)
                return self.position.places.pieces_in(place, args, inside)
            case ir.Everywhere(_, place):
                held = self.game.places[place].holds
                places = self.position.places
                wide = self.world.wide(len(held.members))
                return Where(held, held.members, lambda piece: places.lies_anywhere_in(piece, place), wide)
            case ir.WhereIs(_, place, piece, position):
                return self.world.index_of(place, self.position.places.slot_of(self.number(piece)), position)
            case ir.Lookup(_, table, indices):
                return entry(self, self.game.tables[table], self.indices(indices))
            case ir.Apply():
                return self.apply(expr)
            case ir.Call(_, function, arguments):
                return call(self, self.game.functions[function], [self.value(argument) for argument in arguments])
            case ir.If(_, test, then, otherwise):
                holds = self.test(test)
                if holds.is_const:
                    return self.value(then if holds.value else otherwise)
                return choose(holds, self.value(then), self.value(otherwise))
            case ir.Switch():
                return self.switch(expr)
            case ir.LetIn(variable, value, body):
                self.env[variable] = self.value(value)
                return self.value(body)
            case ir.Fold():
                return fold(self, expr)
            case ir.Select(_, binder, wanted):
                members = selected(self, binder)
                return members if wanted is None else best(self, members, binder.variable, *wanted)
            case ir.Collect():
                return collect(self, expr)
            case ir.PickOne():
                return pick_one(self, expr)
            case ir.Reach():
                return reach(self, expr)
            case ir.Can(_, action, arguments):
                given = [None if argument is None else self.value(argument) for argument in arguments]
                return self.can(self.game.actions[action], given)
            case ir.Old(inner):
                if self.old is None:
                    raise Unsupported("a value before")
                reader = Reader(self.world, self.old)
                reader.env, reader.told = self.env, self.told
                return reader.value(inner)
            case ir.Openly(inner):
                return self.value(inner)
            case ir.Ways():
                raise Unsupported("`ways to give`")
            case ir.Asked():
                raise Unsupported("`is asked`")
            case ir.Odds():
                raise Unsupported("odds")
            case _:
                assert_never(expr)
        assert_never(expr)

    def apply(self, expr: ir.Apply) -> Value:
        match expr.op:
            case Op.AND | Op.OR:
                return self.joined(expr.op, expr.arguments)
            case Op.IMPLIES:
                first, second = expr.arguments
                return self.joined(Op.OR, (ir.Apply(types.Bool(), Op.NOT, (first,)), second))
            case Op.IN:
                return self.is_member(*expr.arguments)
            case Op.SPOT if not self.world.keeps_places:
                raise Unsupported("where pieces are, which is left out")
            case _:  # cautious: who is not in the table has no meaning, and a test asks that all are
                return OPERATORS[expr.op](self, expr)

    def joined(self, op: Op, arguments: Sequence[Expr]) -> Term:
        """From the left; what comes after an answer is not looked at."""
        found: list[Term] = []
        for argument in arguments:
            test = self.test(argument)
            if test is (NO if op is Op.AND else YES):
                return test
            found.append(test)
        return and_(*found) if op is Op.AND else or_(*found)

    def is_member(self, member: Expr, members: Expr) -> Term:
        if isinstance(members, ir.Apply) and members.op is Op.RANGE and isinstance(member.type, types.Int):
            low, high = (self.number(end) for end in members.arguments)
            value = self.number(member)
            return and_(at_most(low, value), at_most(value, high))
        found = self.value(member)
        held = self.set(members).member(found)
        if isinstance(member.type, types.Optional) and isinstance(found, Term):
            return and_(not_(eq(found, NONE)), held)
        return held

    def switch(self, expr: ir.Switch) -> Value:
        subject = self.value(expr.subject)
        found: Value | None = None
        for values, body in reversed(expr.cases):
            here = or_(*(same(subject, self.world.constant(value, expr.subject.type)) for value in values))
            if isinstance(subject, Term) and not any(value is None or isinstance(value, bool) for value in values):
                here = among(subject, sorted(as_number(value) for value in values))
            if here is NO:
                continue
            value = self.value(body)
            found = value if found is None else choose(here, value, found)
        if found is None:
            raise Unsupported("a choice of cases without a case")
        return found

    # ---------------------------------------------------------------------------------------------- actions

    def can(self, action: ir.Action, given: Sequence[Value | None]) -> Term:
        """Whether some way to do an action is legal; what is not given is free."""
        return self._can(action, list(zip(action.params, given, strict=True)))

    def _can(self, action: ir.Action, rest: list[tuple[ir.Param, Value | None]]) -> Term:
        if not rest:
            return self.guards(action)
        (param, value), *rest = rest
        domain = self.domain(param)
        if value is not None:
            self.env[param.variable] = value
            held = YES if param.domain is None else domain.member(value)
            tested = YES if param.test is None else self.test(param.test)
            return and_(held, tested, self._can(action, rest))
        if isinstance(domain, Where) and domain.wide:

            def read(name: Term) -> Term:
                self.env[param.variable] = name
                tested = YES if param.test is None else self.test(param.test)
                return and_(tested, self._can(action, rest))

            name, is_member, found = for_all_members(self, domain, read)
            return exists((name,), and_(is_member, found))
        parts = []
        for there, member in domain.items:
            self.env[param.variable] = member
            tested = YES if param.test is None else self.test(param.test)
            parts.append(and_(there, tested, self._can(action, rest)))
        return or_(*parts)

    def domain(self, param: ir.Param) -> Set:
        """Among what a parameter is chosen."""
        if param.domain is not None:
            return self.set(param.domain)
        ty = param.variable.type
        if isinstance(ty, types.Bool):
            return Listed(ty, ((YES, NO), (YES, YES)))
        if isinstance(ty, types.Optional):
            return Listed(ty, tuple((YES, number(value)) for value in numbers_of(ty)))
        members = numbers_of(ty)
        return Where(ty, members, lambda value: YES, self.world.wide(len(members)))

    def guards(self, action: ir.Action) -> Term:
        """Whether all guards hold, or an exception to them does. Where they do, all have been looked at: what they owe
        for certain is so."""
        return and_(*map(self.guard, action.guards), *self.certain(*map(guard_test, action.guards)))

    def guard(self, guard: ir.Guard) -> Term:
        """Whether a guard holds, or an exception to it does."""
        return self.joined(Op.OR, (guard.test, *(test for test, _ in guard.exceptions)))


def as_index(value: Value) -> Term:
    """A value as a number: yes is 1."""
    assert isinstance(value, Term), value
    return ite(value, number(1), number(0)) if value.sort is Sort.BOOL else value


def _is_where_one_lies(place: str, indices: Sequence[Expr]) -> bool:
    """Whether these are the indices of the instance in which some piece lies: there is one."""
    first, *_ = (*indices, None)
    return isinstance(first, ir.WhereIs) and all(
        index == ir.WhereIs(index.type, place, first.piece, position) for position, index in enumerate(indices)
    )
