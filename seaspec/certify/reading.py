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
from seaspec.certify.position import Position, World
from seaspec.certify.values import Bool, Group, Number, TooLarge, Value, and_, implies, not_, or_
from seaspec.core import ir, types
from seaspec.core.ir import Binder, Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables

MOST_WORK = 400_000
"""So many expressions are read for one question."""
MOST_STEPS = 20_000
"""So many pairs are gone through where something is reached step by step."""


class Reader:
    """Reads expressions at a position; `old`: the position that `old` means."""

    def __init__(self, world: World, position: Position, old: Position | None = None) -> None:
        self.world = world
        self.game = world.game
        self.position = position
        self.old = old
        self.env: dict[Variable, Value] = {}
        self.when: Bool = True
        self.owed: list[Bool] = []
        self.trusted: list[Bool] = []
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
            case ir.Apply(_, op, arguments):
                return self.apply(expr, op, arguments)
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
                there, best = _best(found, expr.kind is FoldKind.MOST)
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
        _, wanted = _best([(test, key) for _, test, key in found], best[0])
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
        there: dict[Any, list[Bool]] = {}
        for value, test in members:
            for one, is_it in v.cases(value, ty):
                there.setdefault(one, []).append(and_(test, is_it))
        return v.tidy((one, or_(*there[one])) for one in types.as_set(there))

    def pick_one(self, expr: ir.PickOne) -> Value:
        found: list[tuple[Bool, Value]] = []
        in_order = self.each((expr.binder,), lambda test: found.append((test, self.env[expr.binder.variable])))
        tests = [test for test, _ in found]
        if expr.first and not in_order and sum(test is not False for test in tests) > 1:
            raise TooLarge("the order in a row")
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

    # -------------------------------------------------------------------------------------------------- operators

    def apply(self, expr: ir.Apply, op: Op, arguments: Sequence[Expr]) -> Value:
        if op in (Op.AND, Op.OR, Op.IMPLIES):
            return self.junction(op, arguments)
        if op is Op.IN:
            return self.member(*arguments)
        given = [self.value(argument) for argument in arguments]
        kinds = [argument.type for argument in arguments]
        if any(isinstance(kind, types.Fraction) for kind in (expr.type, *kinds)):
            raise TooLarge("odds")
        match op:
            case Op.ADD:
                return v.add(*given)
            case Op.SUBTRACT:
                return given[0] - given[1]
            case Op.MULTIPLY:
                return given[0] * given[1]
            case Op.DIVIDE | Op.MODULO:
                return self.quotient(op, *given)
            case Op.NEGATE:
                return -given[0]
            case Op.ABS:
                return v.pick(v.less(given[0], 0), -given[0], given[0])
            case Op.MIN | Op.MAX:
                return _best([(True, one) for one in given], op is Op.MAX)[1]
            case Op.EQUAL:
                return v.same(given[0], given[1], v.joined(*kinds))
            case Op.UNEQUAL:
                return not_(v.same(given[0], given[1], v.joined(*kinds)))
            case Op.LESS:
                return v.less(*given)
            case Op.AT_MOST:
                return v.at_most(*given)
            case Op.MORE:
                return v.less(given[1], given[0])
            case Op.AT_LEAST:
                return v.at_most(given[1], given[0])
            case Op.NOT:
                return not_(given[0])
            case Op.SIZE:
                return v.ones(there for _, there in v.group(given[0]).members)
            case Op.SET:
                return self.literal(expr, given, kinds)
            case Op.UNION:
                every = [(m, there) for one in given for m, there in v.group(one).members]
                there: dict[Any, list[Bool]] = {}
                for member, test in every:
                    there.setdefault(member, []).append(test)
                return v.tidy((member, or_(*there[member])) for member in types.as_set(there))
            case Op.DIFFERENCE:
                first, gone = v.group(given[0]), dict(v.group(given[1]).members)
                return v.tidy(((m, and_(t, not_(gone.get(m, False)))) for m, t in first.members), first.in_order)
            case Op.RANGE:
                return self.range(given, kinds)
            case Op.PREFIX | Op.NTH:
                return self.counted(expr, op, *given)
            case Op.ONLY | Op.MAYBE:
                return self.single(expr, op, given[0])
            case Op.TURN:
                return (given[0] + given[1]) % _ring(kinds[0])
            case Op.TURNS:
                return (given[1] - given[0]) % _ring(kinds[0])
            case Op.ANGLE:
                steps = (given[1] - given[0]) % _ring(kinds[0])
                back = _ring(kinds[0]) - steps
                return v.pick(v.less(steps, back), steps, back)
            case Op.KEY:
                return self.at_key(given[0], given[1], kinds[0], kinds[1])
            case Op.MAP:
                return tuple(given)
            case Op.CHECK | Op.KNOWN:
                return self.checked(given[0], kinds[0], expr.type, is_owed=op is Op.CHECK)
            case Op.SPOT:
                raise TooLarge("the order in a row")
            case Op.HAS_WON | Op.HAS_LOST:
                named = self.position.won if op is Op.HAS_WON else self.position.lost
                return and_(self.position.over, self.of_seat(given[0], named))
            case Op.IS_OUT:
                return self.of_seat(given[0], self.position.out)
            case _:
                raise TooLarge(f"the operator {op.name.lower()}")

    def junction(self, op: Op, arguments: Sequence[Expr]) -> Bool:
        """From the left; later ones are looked at only if they matter."""
        parts: list[Bool] = []
        going: Bool = True
        for place, argument in enumerate(arguments):
            if going is False:
                break
            with self.under(going):
                part = self.test(argument)
            if op is Op.IMPLIES and place == 0:
                part = not_(part)
            parts.append(part)
            going = and_(going, part if op is Op.AND else not_(part))
        return and_(*parts) if op is Op.AND else or_(*parts)

    def member(self, one: Expr, among: Expr) -> Bool:
        value = self.value(one)
        if isinstance(among, ir.Apply) and among.op is Op.RANGE and isinstance(one.type, types.Int):
            low, high = (self.value(end) for end in among.arguments)
            return and_(v.at_most(low, value), v.at_most(value, high))
        of = among.type.of if isinstance(among.type, types.SetOf | types.Optional) else types.Never()
        ty = v.joined(one.type, of)
        some = v.is_some(value) if isinstance(one.type, types.Optional) else True
        members = self.domain(among).members
        return and_(some, or_(*(and_(there, v.same(value, m, ty)) for m, there in members)))

    def quotient(self, op: Op, a: Number, b: Number) -> Number:
        self.owe(not_(v.equal(b, 0)))
        if isinstance(b, int):
            if b == 0:
                return 0
            if b < 0:
                return (-a) // -b if op is Op.DIVIDE and isinstance(a, int) else self._divided(op, -a, -b, a)
            return self._divided(op, a, b, a)
        down, up = self._divided(op, a, b, a), self._divided(op, -a, -b, a)
        return v.pick(v.less(0, b), down, up)

    def _divided(self, op: Op, a: Number, b: Number, first: Number) -> Number:
        """By a divisor above 0: rounded down, as Z3 does it then; `first`: as it was, if both signs were changed."""
        if op is Op.DIVIDE:
            return a // b if isinstance(a, int) and isinstance(b, int) else _z3(a) / b
        rest = a % b if isinstance(a, int) and isinstance(b, int) else _z3(a) % b
        return rest if a is first else -rest

    def literal(self, expr: ir.Apply, given: Sequence[Value], kinds: Sequence[types.Type]) -> Value:
        assert isinstance(expr.type, types.SetOf)
        if all(map(v.is_known, given)):
            return tuple(dict.fromkeys(given)) if expr.type.ordered else types.as_set(given)
        found = v.group(self.set_of([(one, True) for one in given], expr.type.of))
        return Group(found.members, not expr.type.ordered)

    def range(self, given: Sequence[Value], kinds: Sequence[types.Type]) -> Value:
        if all(map(v.is_known, given)):
            return tuple(range(given[0], given[1] + 1))
        low, high = kinds
        assert isinstance(low, types.Int) and isinstance(high, types.Int)
        if high.high - low.low > v.MOST_VALUES:
            raise TooLarge("a range is too long to be gone through")
        self.trust(and_(v.at_most(low.low, given[0]), v.at_most(given[1], high.high)))
        numbers = range(low.low, high.high + 1)
        return v.tidy((n, and_(v.at_most(given[0], n), v.at_most(n, given[1]))) for n in numbers)

    def counted(self, expr: ir.Apply, op: Op, members: Value, number: Number) -> Value:
        """The first so many members, or the one at a place."""
        found = v.group(members)
        if not found.in_order and len(found.members) > 1:
            raise TooLarge("the order in a row")
        before: list[Bool] = []
        kept = []
        value: Value = None
        for member, there in found.members:
            rank = v.add(v.ones(before), 1)
            kept.append((member, and_(there, v.at_most(rank, number))))
            if op is Op.NTH:
                value = v.choose(and_(there, v.equal(rank, number)), member, value, expr.type)
            before.append(there)
        return value if op is Op.NTH else v.tidy(kept)

    def single(self, expr: ir.Apply, op: Op, members: Value) -> Value:
        found = v.group(members).members
        count = v.ones(there for _, there in found)
        self.owe(v.equal(count, 1) if op is Op.ONLY else v.at_most(count, 1))
        value: Value = v.default(expr.type)
        for member, there in reversed(found):
            value = v.choose(there, member, value, expr.type)
        return value

    def at_key(self, entries: Value, key: Value, ty: types.Type, of: types.Type) -> Value:
        assert isinstance(ty, types.Map)
        there = []
        found: Value = v.default(ty.values)
        for one, entry in zip(v.listed(ty.keys), entries, strict=True):
            test = v.same(key, one, v.joined(of, ty.keys))
            there.append(test)
            found = v.choose(test, entry, found, ty.values)
        self.owe(or_(*there))
        return found

    def checked(self, value: Value, ty: types.Type, wanted: types.Type, *, is_owed: bool) -> Value:
        if isinstance(ty, types.Optional) and not isinstance(wanted, types.Optional):
            if is_owed:
                self.owe(v.is_some(value))
            value = v.inner(value, ty.of)
        if is_owed and isinstance(wanted, types.SetOf):
            allowed = set(v.listed(wanted.of))
            self.owe(and_(*(not_(there) for m, there in v.group(value).members if m not in allowed)))
        elif is_owed and not isinstance(wanted, types.Map):
            self.owe(v.ranges(value, wanted))
        return value

    def of_seat(self, seat: Value, tests: Sequence[Bool]) -> Bool:
        return or_(*(and_(v.equal(seat, number), test) for number, test in enumerate(tests)))

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


def _best(found: Sequence[tuple[Bool, Number]], most: bool) -> tuple[Bool, Number]:
    """The greatest or least of numbers, each if its test holds; and whether there is any."""
    there: Bool = False
    best: Number = 0
    for test, number in found:
        better = v.less(best, number) if most else v.less(number, best)
        best = v.pick(and_(test, or_(not_(there), better)), number, best)
        there = or_(there, test)
    return there, best


def _ring(ty: types.Type) -> int:
    assert isinstance(ty, types.Enum)
    return len(ty.values)


def _plain(ty: types.Type) -> types.Type:
    return ty.of if isinstance(ty, types.Optional) else ty


def _z3(a: Number) -> Number:
    import z3

    return z3.IntVal(a) if isinstance(a, int) else a
