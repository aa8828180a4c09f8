"""Expressions at a position that is not known: expanded over the members of finite types, as the interpreter would go
through them.

`owed` collects what must hold so that the expression has a value, wherever it may be looked at: of several members all
are looked at, and only `and`, `or`, `implies`, `if` and tests before bodies save anything. `trusted` collects what the
expansion itself supposes of the types of numbers; it must be shown before anything is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, assert_never

from seaspec.certify import values as v
from seaspec.certify.operators import apply, best_of
from seaspec.certify.position import Position, World
from seaspec.certify.values import Bool, Group, TooLarge, Value, and_, implies, not_, or_
from seaspec.core import ir, types
from seaspec.core.ir import Binder, Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.walk import free_variables

MOST_WORK = 400_000
"""So many expressions are read for one question."""
MOST_STEPS = 20_000
"""So many pairs are gone through where something is reached step by step."""


class Reader:
    """Reads expressions at a position; `old`: the position that `old` means."""

    def __init__(self, world: World, position: Position, old: Position | None = None, *, chooses: bool = False) -> None:
        self.world = world
        self.game = world.game
        self.position = position
        self.old = old
        self.env: dict[Variable, Value] = {}
        self.when: Bool = True
        self.owed: list[Bool] = []
        self.trusted: list[Bool] = []
        self.chooses = chooses
        """Whether any piece may stand for the first one of a row, whose order is left open: where steps are made."""
        self.chosen: list[Bool] = []
        """What is known of such pieces."""
        self.work = 0
        self._known: dict[tuple[Any, ...], tuple[Value, Bool, Bool]] = {}
        self._free: dict[int, tuple[Variable, ...]] = {}
        self._kept: list[object] = []

    # ------------------------------------------------------------------------------------------------ what is owed

    def owe(self, test: Bool) -> None:
        if test is not True:
            self.owed.append(implies(self.when, test))

    def trust(self, test: Bool) -> None:
        if test is not True:
            self.trusted.append(implies(self.when, test))

    @contextmanager
    def under(self, test: Bool) -> Iterator[None]:
        """What is read here is looked at only if this holds."""
        before = self.when
        self.when = and_(before, test)
        yield
        self.when = before

    def test(self, expr: Expr) -> Bool:
        return self.value(expr)

    def value(self, expr: Expr) -> Value:
        """The value of an expression. What was read before, with the same names, is not read again."""
        self.work += 1
        if self.work > MOST_WORK:
            raise TooLarge("an expression is too large to be written out")
        if isinstance(expr, ir.Const | ir.Local | ir.Lookup | ir.Old | ir.Openly | ir.LetIn | ir.If | ir.Apply):
            return self._read(expr)
        if id(expr) not in self._free:
            self._kept.append(expr)
            self._free[id(expr)] = free_variables(expr)
        own = [name for name in self._free[id(expr)] if name in self.env]
        bound = tuple(self.env[name] for name in own)
        if not all(map(v.is_known, bound)):
            return self._read(expr)
        key = id(expr), id(self.position), tuple(own), bound
        if key not in self._known:
            self._kept.append(self.position)
            before = self.when, self.owed, self.trusted
            self.when, self.owed, self.trusted = True, [], []
            value = self._read(expr)
            self._known[key] = value, and_(*self.owed), and_(*self.trusted)
            self.when, self.owed, self.trusted = before
        value, owed, trusted = self._known[key]
        self.owe(owed)
        self.trust(trusted)
        return value

    def _read(self, expr: Expr) -> Value:
        match expr:
            case ir.Const(_, value):
                return value
            case ir.Local(variable):
                return self.local(variable)
            case ir.StateRead(ty, name, indices):
                keys = self.world.entries[name]
                index = [variable.type for variable in self.game.states[name].index]
                return self.entry(ty, indices, index, {key: self.position.states[name, key] for key in keys})
            case ir.PlaceRead(_, place, indices):
                return self.lying(place, indices)
            case ir.Everywhere(_, place):
                slots = [self.world.slots[place, key] for key in self.world.keys[place]]
                held = self.game.places[place].holds.members
                return v.tidy((piece, self.is_in(piece, slots)) for piece in held)
            case ir.WhereIs():
                return self.where_is(expr)
            case ir.Lookup(ty, table, indices):
                return self.entry(ty, indices, self.game.tables[table].index, self.world.table(table))
            case ir.Apply():
                return apply(self, expr)
            case ir.Call(_, function, arguments):
                return self.call(function, arguments)
            case ir.If(ty, test, then, otherwise):
                return self.branch(self.test(test), then, otherwise, ty)
            case ir.Switch(ty, subject, cases):
                return self.switch(ty, subject, cases)
            case ir.LetIn(variable, value, body):
                self.env[variable] = self.value(value)
                return self.value(body)
            case ir.Fold():
                return self.fold(expr)
            case ir.Select(_, binder, best):
                return self.select(binder, best)
            case ir.Collect():
                return self.collect(expr)
            case ir.PickOne():
                return self.pick_one(expr)
            case ir.Reach():
                return self.reach(expr)
            case ir.Can(_, action, arguments):
                return self.can(action, arguments)
            case ir.Old(inner):
                return self.before(inner)
            case ir.Openly(inner):
                return self.value(inner)
            case ir.Ways() | ir.Asked() | ir.Odds():
                raise TooLarge("all maps, who is asked, or odds")
            case _:
                assert_never(expr)

    def local(self, variable: Variable) -> Value:
        if variable in self.env:
            return self.env[variable]
        if variable not in self.position.frame and not isinstance(variable.type, types.Optional):
            raise TooLarge(f"the name {variable.name}, which has no value there")
        return self.position.frame.get(variable)

    def before(self, inner: Expr) -> Value:
        if self.old is None:
            raise TooLarge("what was before is not known there")
        here, self.position = self.position, self.old
        value = self.value(inner)
        self.position = here
        return value

    # ------------------------------------------------------------------------------------------- entries and places

    def entry(
        self, ty: types.Type, indices: Sequence[Expr], index: Sequence[types.Type], entries: Mapping[Any, Value]
    ) -> Value:
        """The entry of a state or table."""
        given = [(self.value(expr), expr.type) for expr in indices]
        if all(v.is_known(value) for value, _ in given):
            key = tuple(value for value, _ in given)
            self.owe(key in entries)
            return entries.get(key, v.default(ty))
        found: Value = v.default(ty)
        there = []
        for key, test in self.matching(given, index):
            if key in entries:
                found = v.choose(test, entries[key], found, ty)
                there.append(test)
        self.owe(or_(*there))
        return found

    def matching(
        self, given: Sequence[tuple[Value, types.Type]], index: Sequence[types.Type], key: tuple[Any, ...] = ()
    ) -> Iterator[tuple[tuple[Any, ...], Bool]]:
        """The keys that indices may mean, each with the condition under which they do."""
        if not given:
            yield key, True
            return
        (value, ty), *rest = given
        one = index[0]
        every = [value] if v.is_known(value) else v.listed(one)
        for member in every:
            test = v.same(value, member, v.joined(ty, one))
            if test is not False:
                for longer, more in self.matching(rest, index[1:], (*key, member)):
                    yield longer, and_(test, more)

    def is_in(self, piece: int, slots: Sequence[int]) -> Bool:
        return or_(*(v.equal(self.position.where[piece], slot) for slot in slots))

    def slots_of(self, place: str, indices: Sequence[Expr]) -> list[tuple[int, Bool]]:
        """The slots that an index may mean, each with the condition under which it does."""
        given = [(self.value(expr), expr.type) for expr in indices]
        index = [variable.type for variable in self.game.places[place].index]
        found = self.matching(given, index)
        return [(self.world.slots[place, key], test) for key, test in found if (place, key) in self.world.slots]

    def lying(self, place: str, indices: Sequence[Expr]) -> Value:
        slots = self.slots_of(place, indices)
        where = self.position.where
        rules = self.game.places[place]
        held = rules.holds.members
        there = ((p, or_(*(and_(test, v.equal(where[p], slot)) for slot, test in slots))) for p in held)
        return v.tidy(there, in_order=rules.order is not PlaceOrder.ROW)

    def where_is(self, expr: ir.WhereIs) -> Value:
        value = self.value(expr.piece)
        found: Value = v.default(expr.type)
        there = []
        for piece, is_it in v.cases(value, _plain(expr.piece.type)):
            for key in self.world.keys[expr.place]:
                here = and_(is_it, v.equal(self.position.where[piece], self.world.slots[expr.place, key]))
                if here is not False:
                    found = v.choose(here, key[expr.position], found, expr.type)
                    there.append(here)
        self.owe(or_(*there))
        return found

    # --------------------------------------------------------------------------------------------------- branches

    def branch(self, test: Bool, then: Expr, otherwise: Expr, ty: types.Type) -> Value:
        if test is True or test is False:
            return self.value(then if test else otherwise)
        with self.under(test):
            a = self.value(then)
        with self.under(not_(test)):
            b = self.value(otherwise)
        return v.choose(test, a, b, ty)

    def switch(self, ty: types.Type, subject: Expr, cases: Sequence[tuple[tuple[types.Value, ...], Expr]]) -> Value:
        value = self.value(subject)
        found: Value = v.default(ty)
        for among, body in cases:
            test = or_(*(v.same(value, one, v.joined(subject.type, subject.type)) for one in among))
            if test is not False:
                with self.under(test):
                    found = v.choose(test, self.value(body), found, ty)
        return found

    def call(self, name: str, arguments: Sequence[Expr]) -> Value:
        function = self.game.functions[name]
        given = [self.value(argument) for argument in arguments]
        number = function.shrinking
        if number is not None and not v.is_known(given[number]):
            found: Value = v.default(function.type)
            for one, test in v.cases(given[number], function.params[number].type):
                with self.under(test):
                    known = [*given[:number], one, *given[number + 1 :]]
                    found = v.choose(test, self._called(function, known), found, function.type)
            return found
        return self._called(function, given)

    def _called(self, function: ir.Function, given: Sequence[Value]) -> Value:
        outside, self.env = self.env, dict(zip(function.params, given, strict=True))
        value = self.value(function.body)
        self.env = outside
        return value

    # ---------------------------------------------------------------------------------------------------- binders

    def domain(self, expr: Expr) -> Group:
        """The members that a domain may have; a value of `T or none` is a set of at most one."""
        value = self.value(expr)
        if isinstance(expr.type, types.Optional):
            some, of = v.is_some(value), expr.type.of
            if some is False:
                return Group(())
            each = v.cases(v.inner(value, of), of)
            return Group(tuple((one, and_(some, test)) for one, test in each))
        return v.group(value)

    def each(self, binders: Sequence[Binder], act: Callable[[Bool], None], test: Bool = True) -> bool:
        """Do something for each way to bind names; whether they come in a known order."""
        if not binders:
            act(test)
            return True
        binder, *rest = binders
        members = self.domain(binder.domain)
        if binder.prefix and not members.in_order:
            raise TooLarge("the order in a row")
        in_order, going = members.in_order, True
        for member, there in members.members:
            here = and_(there, going)
            if here is False:
                continue
            with self.under(here):
                self.env[binder.variable] = member
                holds = True if binder.test is None else self.test(binder.test)
                if binder.prefix:
                    going = and_(going, implies(there, holds))
                if holds is not False:
                    with self.under(holds):
                        in_order &= self.each(rest, act, and_(test, here, holds))
        return in_order

    def fold(self, expr: ir.Fold) -> Value:
        found: list[tuple[Bool, Value]] = []
        self.each(expr.binders, lambda test: found.append((test, self.value(expr.body))))
        match expr.kind:
            case FoldKind.EVERY:
                return and_(*(implies(test, body) for test, body in found))
            case FoldKind.SOME:
                return or_(*(and_(test, body) for test, body in found))
            case FoldKind.COUNT:
                return v.ones(and_(test, body) for test, body in found)
            case FoldKind.SUM:
                return v.add(*(v.pick(test, body, 0) for test, body in found))
            case FoldKind.MOST | FoldKind.LEAST:
                there, best = best_of(found, expr.kind is FoldKind.MOST)
                if expr.otherwise is None:
                    self.owe(there)
                    return best
                with self.under(not_(there)):
                    return v.choose(there, best, self.value(expr.otherwise), expr.type)
            case _:
                assert_never(expr.kind)

    def select(self, binder: Binder, best: tuple[bool, Expr] | None) -> Value:
        found: list[tuple[Any, Bool, Value]] = []

        def note(test: Bool) -> None:
            key = 0 if best is None else self.value(best[1])
            found.append((self.env[binder.variable], test, key))

        in_order = self.each((binder,), note)
        if best is None:
            return v.tidy(((member, test) for member, test, _ in found), in_order)
        _, wanted = best_of([(test, key) for _, test, key in found], best[0])
        return v.tidy(((member, and_(test, v.equal(key, wanted))) for member, test, key in found), in_order)

    def collect(self, expr: ir.Collect) -> Value:
        found: list[tuple[Bool, Value]] = []
        in_order = self.each(expr.binders, lambda test: found.append((test, self.value(expr.term))))
        if isinstance(expr.type, types.Map):
            if not in_order or not all(test is True for test, _ in found):
                raise TooLarge("a map whose keys are not known")
            return tuple(value for _, value in found)
        return self.set_of([(value, test) for test, value in found], expr.term.type)

    def set_of(self, members: Sequence[tuple[Value, Bool]], ty: types.Type) -> Value:
        """The set of values, each if its test holds: sorted."""
        return v.collected((one, and_(test, is_it)) for value, test in members for one, is_it in v.cases(value, ty))

    def pick_one(self, expr: ir.PickOne) -> Value:
        found: list[tuple[Bool, Value]] = []
        in_order = self.each((expr.binder,), lambda test: found.append((test, self.env[expr.binder.variable])))
        tests = [test for test, _ in found]
        if expr.first and not in_order and sum(test is not False for test in tests) > 1:
            value = self.any_of(found, expr.type)
        else:
            value = v.default(expr.type)
            for test, one in reversed(found):
                value = v.choose(test, one, value, expr.type)
        if not expr.first:
            self.owe(v.at_most(v.ones(tests), 1))
        there = or_(*tests)
        if expr.otherwise is None:
            self.owe(there)
            return value
        if there is True:
            return value
        with self.under(not_(there)):
            return v.choose(there, value, self.value(expr.otherwise), expr.type)

    def any_of(self, found: Sequence[tuple[Bool, Value]], ty: types.Type) -> Value:
        """One of the values whose tests hold, if there is one."""
        if not self.chooses:
            raise TooLarge("the order in a row")
        value = self.world.names.value("one", ty)
        is_one = or_(*(and_(test, v.same(value, one, ty)) for test, one in found))
        self.chosen.append(or_(is_one, not_(or_(*(test for test, _ in found)))))
        return value

    def reach(self, expr: ir.Reach) -> Value:
        every = v.listed(expr.there.type)
        start = dict(v.group(self.value(expr.start)).members)
        steps: dict[Any, list[tuple[Any, Bool]]] = {one: [] for one in every}
        for here in every:
            for there in every:
                self.env[expr.here], self.env[expr.there] = here, there
                holds = self.test(expr.relation)
                if holds is not False and here != there:
                    steps[there].append((here, holds))
        if sum(map(len, steps.values())) * len(every) > MOST_STEPS:
            raise TooLarge("what can be reached step by step")
        found = {one: start.get(one, False) for one in every}
        for _ in every:
            onward = {one: or_(found[one], *(and_(found[a], test) for a, test in steps[one])) for one in every}
            if all(found[one] is onward[one] for one in every):
                break
            found = onward
        return v.tidy((one, found[one]) for one in every)

    # ------------------------------------------------------------------------------------------- what can be done

    def can(self, action: str, given: Sequence[Expr | None]) -> Bool:
        """Whether some way to do it is legal."""
        ways: list[Bool] = []
        rules = self.game.actions[action]
        outside = self.env
        values = [None if one is None else (self.value(one), one.type) for one in given]
        self.env = dict(outside)
        guards = [(guard, set(free_variables(guard.test, *(t for t, _ in guard.exceptions)))) for guard in rules.guards]
        own = {param.variable for param in rules.params}

        def bind(place: int, test: Bool, left: Sequence[tuple[ir.Guard, set[Variable]]]) -> None:
            known = {param.variable for param in rules.params[:place]}
            later = []
            for guard, names in left:
                if names & own <= known:
                    test = and_(test, self.allowed(guard))
                else:
                    later.append((guard, names))
            if test is False:
                return
            if place == len(rules.params):
                ways.append(test)
                return
            param, value = rules.params[place], values[place]
            for member, is_it in self.candidates(param, value):
                self.env[param.variable] = member
                with self.under(is_it):
                    holds = True if param.test is None else self.test(param.test)
                    bind(place + 1, and_(test, is_it, holds), later)

        bind(0, True, guards)
        self.env = outside
        return or_(*ways)

    def candidates(self, param: ir.Param, value: tuple[Value, types.Type] | None) -> Sequence[tuple[Value, Bool]]:
        ty = param.variable.type
        if value is None:
            return [(one, True) for one in v.listed(ty)] if param.domain is None else self.domain(param.domain).members
        if param.domain is None:
            return [(value[0], True)]
        members = self.domain(param.domain).members
        if v.is_known(value[0]):
            return [(value[0], or_(*(there for one, there in members if one == value[0])))]
        return [(one, and_(there, v.same(value[0], one, value[1]))) for one, there in members]

    def allowed(self, guard: ir.Guard) -> Bool:
        return or_(self.test(guard.test), *(self.test(test) for test, _ in guard.exceptions))


def _plain(ty: types.Type) -> types.Type:
    return ty.of if isinstance(ty, types.Optional) else ty
