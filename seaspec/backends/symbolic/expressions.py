"""Expressions of the core to terms, at a position.

A `Reader` reads at one position. Where the rules put a duty on the author (an obligation: a divisor that is not 0, one
member exactly), the reader notes it, with the condition under which it comes up; the value is then some value or other.
So the value is right wherever the rules give one. A duty may be noted that never comes up, because the rules stop
looking once an answer is known; then `exact` is off, and it may be proved, but not assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.operators import OPERATORS
from seaspec.backends.symbolic.position import Position
from seaspec.backends.symbolic.sets import (
    NONE,
    Listed,
    Map,
    Set,
    Value,
    Where,
    among,
    ascending,
    by_cases,
    choose,
    distinct,
    same,
)
from seaspec.backends.symbolic.terms import (
    NO,
    YES,
    Sort,
    Term,
    add,
    and_,
    at_most,
    bound,
    eq,
    exists,
    forall,
    implies,
    ite,
    less,
    not_,
    number,
    or_,
    variable,
)
from seaspec.backends.symbolic.world import World, as_number, numbers_of, plain
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Binder, Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import walk

TABULATED = 2000
"""A define that reads no position is tabulated if its argument has at most so many values."""
MOST_REACHED = 40
"""Of more cells than this it is not worked out what can be reached."""

_READS = (ir.StateRead, ir.PlaceRead, ir.Everywhere, ir.WhereIs, ir.Can, ir.Asked, ir.Old, ir.Odds)
_POSITION_OPS = (Op.SPOT, Op.HAS_WON, Op.HAS_LOST, Op.IS_OUT)


@dataclass(frozen=True, eq=False)
class Duty:
    """What has to hold, or the rules have no answer. `exact`: it comes up for certain where its condition holds."""

    test: Term
    message: str
    exact: bool = True


class Reader:
    """Reads expressions at a position. `old`: the position before; `told`: what defines names that reading made up."""

    def __init__(self, world: World, position: Position, old: Position | None = None) -> None:
        self.world = world
        self.game = world.game
        self.position = position
        self.old = old
        self.env: dict[Variable, Value] = {}
        self.duties: list[Duty] = []
        self.told: list[Term] = []
        self.conditions: list[Term] = []
        self.exact = True
        self._memo: dict[tuple[object, ...], tuple[Value, list[Duty]]] = {}
        self._kept: list[object] = []
        self._entries: dict[tuple[int, int, int], Value] = {}

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
        """A reader of the same position for whom these variables have a value; its duties are its own."""
        reader = Reader(self.world, self.position, self.old)
        reader.env = {**self.env, **values}
        reader.told = self.told
        return reader

    def duty(self, test: Term, message: str) -> None:
        """This has to hold here."""
        needed = implies(and_(*self.conditions), test)
        if needed is not YES:
            self.duties.append(Duty(needed, message, self.exact))

    @contextmanager
    def given(self, *conditions: Term) -> Iterator[None]:
        """What is read within is looked at only where the conditions hold."""
        self.conditions += conditions
        yield
        del self.conditions[len(self.conditions) - len(conditions) :]

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """What is read within is perhaps not looked at."""
        before, self.exact = self.exact, False
        yield
        self.exact = before

    # ---------------------------------------------------------------------------------------------- expressions

    def value(self, expr: Expr) -> Value:
        """The value of an expression."""
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
                return self.position.states[state].read(self.indices(indices))
            case ir.PlaceRead(_, place, indices):
                args = self.indices(indices)
                inside = self.world.is_inside(self.world.places[place], args)
                return self.position.places.pieces_in(place, args, inside)
            case ir.Everywhere(_, place):
                held = self.game.places[place].holds
                places = self.position.places
                wide = self.world.wide(len(held.members))
                return Where(held, held.members, lambda piece: places.lies_anywhere_in(piece, place), wide)
            case ir.WhereIs(_, place, piece, position):
                lying = self.number(piece)
                self.duty(self.position.places.lies_anywhere_in(lying, place), f"the piece does not lie in {place}")
                return self.world.index_of(place, self.position.places.slot_of(lying), position)
            case ir.Lookup(_, table, indices):
                return self.entry(self.game.tables[table], self.indices(indices))
            case ir.Apply():
                return self.apply(expr)
            case ir.Call(_, function, arguments):
                return self.call(self.game.functions[function], [self.value(argument) for argument in arguments])
            case ir.If(_, test, then, otherwise):
                holds = self.test(test)
                if holds.is_const:
                    return self.value(then if holds.value else otherwise)
                with self.given(holds):
                    one = self.value(then)
                with self.given(not_(holds)):
                    other = self.value(otherwise)
                return choose(holds, one, other)
            case ir.Switch():
                return self.switch(expr)
            case ir.LetIn(variable, value, body):
                self.env[variable] = self.value(value)
                return self.value(body)
            case ir.Fold():
                return self.fold(expr)
            case ir.Select(_, binder, best):
                members = self.selected(binder)
                return members if best is None else self.best(members, binder.variable, *best)
            case ir.Collect():
                return self.collect(expr)
            case ir.PickOne():
                return self.pick_one(expr)
            case ir.Reach():
                return self.reach(expr)
            case ir.Can(_, action, arguments):
                given = [None if argument is None else self.value(argument) for argument in arguments]
                return self.can(self.game.actions[action], given)
            case ir.Old(inner):
                if self.old is None:
                    raise Unsupported("a value before")
                reader = Reader(self.world, self.old)
                reader.env, reader.told = self.env, self.told
                reader.conditions, reader.duties, reader.exact = self.conditions, self.duties, self.exact
                return reader.value(inner)
            case ir.Openly(inner):
                return self.value(inner)
            case ir.Ways():
                raise Unsupported("`ways to give`")
            case ir.Asked():
                raise Unsupported("`is asked`")
            case ir.Odds():
                raise Unsupported("odds")
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
            case _:
                return OPERATORS[expr.op](self, expr)

    def joined(self, op: Op, arguments: Sequence[Expr]) -> Term:
        """From the left; what comes after an answer is not looked at."""
        found: list[Term] = []
        before = len(self.conditions)
        for argument in arguments:
            test = self.test(argument)
            if test is (NO if op is Op.AND else YES):
                found = [test]
                break
            found.append(test)
            self.conditions.append(test if op is Op.AND else not_(test))
        del self.conditions[before:]
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
            with self.given(here):
                value = self.value(body)
            found = value if found is None else choose(here, value, found)
        if found is None:
            raise Unsupported("a choice of cases without a case")
        return found

    # ---------------------------------------------------------------------------------------------- tables, defines

    def entry(self, table: ir.Table, indices: tuple[Term, ...]) -> Value:
        """An entry of a table; the indices are in range."""
        keys = [numbers_of(ty) for ty in table.index]
        return self._entry(table, keys, indices, 0, 0)

    def _entry(
        self, table: ir.Table, keys: list[tuple[int, ...]], indices: tuple[Term, ...], at: int, row: int
    ) -> Value:
        if at == len(keys):
            return self.world.constant(table.entries[row], table.type)
        here = indices[at]
        first = row * len(keys[at])
        if here.is_const:
            place = keys[at].index(here.value) if here.value in keys[at] else 0
            return self._entry(table, keys, indices, at + 1, first + place)
        rows = {key: first + place for place, key in enumerate(keys[at]) if may_be(here, key)}
        if at == len(keys) - 1:
            known = (id(table), id(here), row)
            if known not in self._entries:
                cases = {key: self._entry(table, keys, indices, at + 1, row) for key, row in sorted(rows.items())}
                self._entries[known] = (
                    _picked(here, cases) if cases else self._entry(table, keys, indices, at + 1, first)
                )
                self._kept.append(here)
            return self._entries[known]
        inner = {key: self._entry(table, keys, indices, at + 1, row) for key, row in sorted(rows.items())}
        return _picked(here, inner) if inner else self._entry(table, keys, indices, at + 1, first)

    def call(self, function: ir.Function, arguments: Sequence[Value]) -> Value:
        """A define with these arguments."""
        free = not self.reads_position(function.name)
        if free:
            tabulated = self._tabulated(function, arguments)
            if tabulated is not None:
                return tabulated
        if function.shrinking is not None:
            shrinks = arguments[function.shrinking]
            assert isinstance(shrinks, Term)
            if not shrinks.is_const:
                return self._split(function, arguments, function.shrinking)
        key = (function.name, *map(id, arguments))
        if key not in self._memo:
            self.world.hurry()
            reader = self.with_values(dict(zip(function.params, arguments, strict=True)))
            reader.env = dict(zip(function.params, arguments, strict=True))
            reader._memo = self._memo
            reader._kept = self._kept
            value = reader.value(function.body)
            self._kept.append(tuple(arguments))
            self._memo[key] = value, reader.duties
        value, duties = self._memo[key]
        for duty in duties:
            needed = implies(and_(*self.conditions), duty.test)
            self.duties.append(Duty(needed, duty.message, duty.exact and self.exact))
        return value

    def _split(self, function: ir.Function, arguments: Sequence[Value], place: int) -> Value:
        """A call that shrinks on a number that is not known: one case for each of its values."""
        shrinks = arguments[place]
        ty = function.params[place].type
        assert isinstance(shrinks, Term) and isinstance(ty, types.Int)
        cases: dict[int, Value] = {}
        for value in range(ty.low, ty.high + 1):
            here = eq(shrinks, number(value))
            if here is not NO:
                with self.given(here):
                    cases[value] = self.call(function, [*arguments[:place], number(value), *arguments[place + 1 :]])
        return _picked(shrinks, cases)

    def _tabulated(self, function: ir.Function, arguments: Sequence[Value]) -> Value | None:
        """The value of a define that reads no position, where at most one argument is not known."""
        if isinstance(function.type, types.Map | types.Fraction):
            return None
        known: list[object] = []
        unknown: int | None = None
        for place, argument in enumerate(arguments):
            ty = function.params[place].type
            if not isinstance(argument, Term) or isinstance(ty, types.SetOf):
                return None
            if argument.is_const:
                known.append(plain(argument.value, ty))
            elif unknown is None and types.size(ty) <= TABULATED and not isinstance(ty, types.Optional | types.Bool):
                unknown = place
                known.append(None)
            else:
                return None
        if unknown is None:
            found = self._evaluated(function, known)
            return None if found is None else self.world.constant(found[0], function.type)
        if isinstance(function.type, types.SetOf):
            return None
        argument = arguments[unknown]
        assert isinstance(argument, Term)
        cases: dict[int, Value] = {}
        for value in numbers_of(function.params[unknown].type):
            if not may_be(argument, value):
                continue
            found = self._evaluated(function, [*known[:unknown], value, *known[unknown + 1 :]])
            if found is None:
                return None
            cases[value] = self.world.constant(found[0], function.type)
        return _picked(argument, cases) if cases else None

    def _evaluated(self, function: ir.Function, arguments: Sequence[object]) -> tuple[object] | None:
        key = ("evaluated", function.name, *arguments)
        known = self.world.evaluated
        if key not in known:
            try:
                env = dict(zip(function.params, arguments, strict=True))
                known[key] = (evaluate(function.body, self.game.tables, self.game.functions, env),)
            except NotConstant:
                known[key] = None
        return known[key]

    def reads_position(self, name: str) -> bool:
        """Whether a define may differ from position to position."""
        known = self.world.readers
        if name not in known:
            known[name] = False  # a call of itself adds nothing
            known[name] = any(
                isinstance(node, _READS)
                or (isinstance(node, ir.Apply) and node.op in _POSITION_OPS)
                or (isinstance(node, ir.Call) and self.reads_position(node.function))
                for node in walk(self.game.functions[name].body)
            )
        return known[name]

    # ---------------------------------------------------------------------------------------------- binders

    def selected(self, binder: Binder) -> Set:
        """`{x in S where P}`"""
        members = self.set(binder.domain)
        if binder.test is None:
            return members
        if binder.prefix:
            return self._prefix(binder, members)
        test = binder.test
        if isinstance(members, Listed):
            items = []
            for there, value in members.items:
                with self.given(there):
                    holds = and_(there, self._at(binder.variable, value, test))
                if holds is not NO:
                    items.append((holds, value))
            return Listed(members.of, tuple(items), members.ordered)
        return self._filtered(members, binder.variable, test)

    def _filtered(self, members: Where, variable: Variable, test: Expr) -> Where:
        """Those for which a test holds. Its duties are noted now, for all members; later readings note none."""
        silent = self.with_values({})

        def holds(value: Term) -> Term:
            return and_(members.test(value), silent._at(variable, value, test))

        if members.wide:
            self._for_all(members, lambda value: self._at(variable, value, test))
            counted = None if members.counted is None else self._counts(members, variable, test, silent)
            return replace(members, test=holds, counted=counted)
        known: dict[int, Term] = {}
        for there, value in members.items:
            assert isinstance(value, Term)
            with self.given(there):
                known[value.value] = and_(there, self._at(variable, value, test))
        counted = None if members.counted is None else self._counts(members, variable, test, silent)
        kept = tuple(member for member, there in known.items() if there is not NO)
        return replace(
            members,
            members=kept,
            test=lambda value: known[value.value] if value.is_const and value.value in known else holds(value),
            counted=counted,
        )

    def _counts(
        self, members: Where, variable: Variable, test: Expr, silent: Reader
    ) -> Callable[[], tuple[Term, ...]] | None:
        """How many of each sort are left, if the test says the same of all pieces of a sort."""
        before = members.counted
        assert before is not None
        answers: list[Term] = []
        for sort in self.world.sorts:
            held = [piece for piece in sort if piece in set(members.members)]
            if not held:
                answers.append(NO)
                continue
            one = bound(held[0], held[-1])
            answer = silent._at(variable, one, test)
            if one in answer.open or held != list(range(held[0], held[-1] + 1)):
                return None
            answers.append(answer)
        return lambda: tuple(ite(a, n, number(0)) for a, n in zip(answers, before(), strict=True))

    def _prefix(self, binder: Binder, members: Set) -> Listed:
        assert binder.test is not None
        running, items = YES, []
        for there, value in ascending(members):
            with self.given(running, there):
                holds = self._at(binder.variable, value, binder.test)
            items.append((and_(there, running, holds), value))
            running = and_(running, implies(there, holds))
        return Listed(members.of, tuple((there, value) for there, value in items if there is not NO), ordered=True)

    def _at(self, variable: Variable, value: Value, expr: Expr) -> Term:
        self.env[variable] = value
        return self.test(expr)

    def _for_all(self, members: Where, read: Callable[[Term], Term]) -> tuple[Term, Term, Term]:
        """Read something at any member: the name it has, that it is one, what was read. Duties are closed over it."""
        name = bound(members.members[0], members.members[-1]) if members.members else bound(0, 0)
        before = len(self.duties)
        is_member = members.member(name) if members.members else NO
        with self.given(is_member):
            found = read(name)
        self.duties[before:] = [replace(d, test=forall((name,), d.test)) for d in self.duties[before:]]
        return name, is_member, found

    def fold(self, expr: ir.Fold) -> Value:
        if expr.kind is FoldKind.EVERY:
            with self.perhaps():
                return self.quantified(expr.binders, expr.body, every=True)
        if expr.kind is FoldKind.SOME:
            counted = self._some_by_count(expr)
            if counted is not None:
                return counted
            with self.perhaps():
                return self.quantified(expr.binders, expr.body, every=False)
        if expr.kind is FoldKind.COUNT and len(expr.binders) == 1 and _is_yes(expr.body):
            return self.selected(expr.binders[0]).size
        terms: list[tuple[Term, Term]] = []

        def note(there: Term) -> None:
            found = self.value(expr.body)
            assert isinstance(found, Term)
            terms.append((there, found))

        self.each(expr.binders, YES, note)
        match expr.kind:
            case FoldKind.COUNT:
                return add(*(ite(and_(there, holds), number(1), number(0)) for there, holds in terms))
            case FoldKind.SUM:
                return add(*(ite(there, term, number(0)) for there, term in terms))
            case _:
                return self.extreme(expr, terms)

    def _some_by_count(self, expr: ir.Fold) -> Term | None:
        """`some Coin in S`, where numbers of pieces are known."""
        if len(expr.binders) != 1 or not self.world.counted:
            return None
        binder = expr.binders[0]
        domain = self.value(binder.domain)
        if not isinstance(domain, Where) or domain.counted is None:
            return None
        if not _is_yes(expr.body):
            test = expr.body if binder.test is None else ir.Apply(types.Bool(), Op.AND, (binder.test, expr.body))
            binder = replace(binder, test=test)
        found = self.selected(binder)
        return found.filled if isinstance(found, Where) and found.counted is not None else None

    def quantified(self, binders: Sequence[Binder], body: Expr, every: bool) -> Term:
        """`every` or `some` over the binders."""
        if not binders:
            return self.test(body)
        binder, rest = binders[0], binders[1:]
        members = self.set(binder.domain)
        if isinstance(members, Where) and members.wide and not binder.prefix:

            def read(value: Term) -> Term:
                self.env[binder.variable] = value
                tested = YES if binder.test is None else self.test(binder.test)
                with self.given(tested):
                    inner = self.quantified(rest, body, every)
                return implies(tested, inner) if every else and_(tested, inner)

            name, is_member, found = self._for_all(members, read)
            return forall((name,), implies(is_member, found)) if every else exists((name,), and_(is_member, found))
        parts: list[Term] = []
        items = self._prefix(binder, members).items if binder.prefix else members.items
        for there, value in items:
            with self.given(there):
                self.env[binder.variable] = value
                test = binder.test
                tested = YES if test is None or binder.prefix else self.test(test)
                with self.given(tested):
                    inner = self.quantified(rest, body, every)
            holds = and_(there, tested)
            parts.append(implies(holds, inner) if every else and_(holds, inner))
            if parts[-1] is (NO if every else YES):
                break
        return and_(*parts) if every else or_(*parts)

    def each(self, binders: Sequence[Binder], when: Term, then: Callable[[Term], None]) -> None:
        """Go through all members, written out; `then` is told the condition under which they are members."""
        if not binders:
            with self.given(when):
                then(when)
            return
        binder, rest = binders[0], binders[1:]
        with self.given(when):
            members = self.set(binder.domain)
        items = self._prefix(binder, members).items if binder.prefix else members.items
        for there, value in items:
            here = and_(when, there)
            self.env[binder.variable] = value
            if binder.test is not None and not binder.prefix:
                with self.given(here):
                    here = and_(here, self.test(binder.test))
            if here is not NO:
                self.each(rest, here, then)

    def extreme(self, expr: ir.Fold, terms: list[tuple[Term, Term]]) -> Value:
        """The greatest or least of terms, each with whether it is there."""
        found, any_there = _extreme(terms, expr.kind is FoldKind.MOST)
        if expr.otherwise is None:
            self.duty(any_there, f"`{expr.kind.value}` of nothing has no value")
            return number(0) if found is None else found
        with self.given(not_(any_there)):
            otherwise = self.value(expr.otherwise)
        return otherwise if found is None else choose(any_there, found, otherwise)

    def best(self, members: Set, variable: Variable, most: bool, key: Expr) -> Set:
        """Those with the most, or the least, of something."""
        terms: list[tuple[Term, Term]] = []
        for there, value in members.items:
            self.env[variable] = value
            with self.given(there):
                terms.append((there, self.number(key)))
        found, _ = _extreme(terms, most)
        if found is None:
            return members
        pairs = zip(members.items, terms, strict=True)
        items = tuple((and_(there, eq(term, found)), value) for (there, value), (_, term) in pairs)
        return Listed(members.of, tuple(item for item in items if item[0] is not NO), members.ordered)

    def collect(self, expr: ir.Collect) -> Value:
        found: list[tuple[Term, Value]] = []
        self.each(expr.binders, YES, lambda there: found.append((there, self.value(expr.term))))
        if isinstance(expr.type, types.Map):
            return Map(numbers_of(expr.type.keys), tuple(value for _, value in found))
        assert isinstance(expr.type, types.SetOf)
        return distinct(expr.type.of, found)

    def pick_one(self, expr: ir.PickOne) -> Value:
        """`first x in S`, `the x in S`"""
        members = self.selected(expr.binder)
        filled = members.filled
        if expr.otherwise is None:
            self.duty(filled, "nothing is in the set of which one is wanted")
        if not expr.first:
            self.duty(at_most_one(members), "one was expected, there are several")
        found = self.one_of(members, first=expr.first)
        if expr.otherwise is None:
            return found
        with self.given(not_(filled)):
            otherwise = self.value(expr.otherwise)
        return choose(filled, found, otherwise)

    def one_of(self, members: Set, first: bool) -> Value:
        """A member of a set that has one: the first, or whichever."""
        if isinstance(members, Where) and members.wide and not first:
            return self._named(members)
        items = ascending(members) if first else members.items
        if not items:
            return NONE
        found = items[-1][1]
        for there, value in reversed(items[:-1]):
            found = choose(there, value, found)
        return found

    def _named(self, members: Where) -> Term:
        """A name for a member of a set, if it has one."""
        low, high = members.members[0], members.members[-1]
        name = bound(low, high)
        is_member = members.member(name)
        some = exists((name,), is_member)
        if some.open:
            raise Unsupported("one member of a large set, in turn for many others")
        key = ("named", id(some))
        if key not in self._memo:
            one = variable(self.world.name("one"), low, high)
            self.told.append(implies(some, members.member(one)))
            self._memo[key] = one, []
            self._kept.append(some)
        found = self._memo[key][0]
        assert isinstance(found, Term)
        return found

    def reach(self, expr: ir.Reach) -> Set:
        """What can be reached, step by step; as many steps as there are members."""
        assert isinstance(expr.type, types.SetOf)
        members = numbers_of(expr.there.type)
        if len(members) > MOST_REACHED:
            raise Unsupported(f"what can be reached among {len(members)}")
        start = self.set(expr.start)
        reached = {member: start.member(number(member)) for member in members}
        step: dict[tuple[int, int], Term] = {}
        with self.perhaps():
            for a in members:
                for b in members:
                    self.env[expr.here], self.env[expr.there] = number(a), number(b)
                    step[a, b] = self.test(expr.relation)
        for _ in members:
            new = {b: or_(reached[b], *(and_(reached[a], step[a, b]) for a in members)) for b in members}
            if all(new[b] is reached[b] for b in members):
                break
            reached = new
        return Listed(expr.type.of, tuple((there, number(b)) for b, there in reached.items() if there is not NO))

    # ---------------------------------------------------------------------------------------------- actions

    def can(self, action: ir.Action, given: Sequence[Value | None]) -> Term:
        """Whether some way to do an action is legal; what is not given is free."""
        with self.perhaps():
            return self._can(action, list(zip(action.params, given, strict=True)))

    def _can(self, action: ir.Action, rest: list[tuple[ir.Param, Value | None]]) -> Term:
        if not rest:
            return self.guards(action)
        (param, value), *rest = rest
        domain = self.domain(param)
        if value is not None:
            with self.given():
                self.env[param.variable] = value
                held = YES if domain is None or param.domain is None else domain.member(value)
                with self.given(held):
                    tested = YES if param.test is None else self.test(param.test)
                    with self.given(tested):
                        return and_(held, tested, self._can(action, rest))
        if isinstance(domain, Where) and domain.wide:

            def read(name: Term) -> Term:
                self.env[param.variable] = name
                tested = YES if param.test is None else self.test(param.test)
                with self.given(tested):
                    return and_(tested, self._can(action, rest))

            name, is_member, found = self._for_all(domain, read)
            return exists((name,), and_(is_member, found))
        parts = []
        for there, member in domain.items:
            with self.given(there):
                self.env[param.variable] = member
                tested = YES if param.test is None else self.test(param.test)
                with self.given(tested):
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
        """Whether all guards hold, or an exception to them does."""
        found: list[Term] = []
        for guard in action.guards:
            tests = (guard.test, *(test for test, _ in guard.exceptions))
            with self.given(*found):
                found.append(self.joined(Op.OR, tests))
        return and_(*found)


def as_index(value: Value) -> Term:
    """A value as a number: yes is 1."""
    assert isinstance(value, Term), value
    return ite(value, number(1), number(0)) if value.sort is Sort.BOOL else value


def may_be(term: Term, value: int) -> bool:
    """Whether a number lies within the bounds of a term."""
    return (term.low is None or term.low <= value) and (term.high is None or value <= term.high)


def at_most_one(members: Set) -> Term:
    """Whether a set has no two members."""
    if isinstance(members, Where) and members.counted is not None:
        return at_most(members.size, number(1))
    if isinstance(members, Where) and members.wide:
        if not members.members:
            return YES
        a, b = (bound(members.members[0], members.members[-1]) for _ in range(2))
        return forall((a, b), implies(and_(members.member(a), members.member(b)), eq(a, b)))
    return at_most(members.size, number(1))


def _extreme(terms: list[tuple[Term, Term]], most: bool) -> tuple[Term | None, Term]:
    found: Term | None = None
    any_there = NO
    for there, term in terms:
        if found is None:
            found = term
        else:
            better = less(found, term) if most else less(term, found)
            found = ite(and_(there, or_(not_(any_there), better)), term, found)
        any_there = or_(any_there, there)
    return found, any_there


def _picked(key: Term, cases: dict[int, Value]) -> Value:
    """The case of a number; it is one of them."""
    values = list(cases.values())
    if all(isinstance(value, Term) and value.is_const for value in values):
        plain = [(k, value) for k, value in cases.items() if isinstance(value, Term)]
        if plain[0][1].sort is Sort.BOOL:
            holding = [k for k, value in plain if value.value]
            failing = [k for k, value in plain if not value.value]
            return not_(among(key, failing)) if len(failing) < len(holding) else among(key, holding)
        return by_cases(key, [(k, value.value) for k, value in plain])
    keys = list(cases)
    found = values[-1]
    for k, value in zip(reversed(keys[:-1]), reversed(values[:-1]), strict=True):
        found = choose(eq(key, number(k)), value, found)
    return found


def _is_yes(expr: Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is True
