"""Expressions at a position that is not known: expanded over the members of finite types, as the interpreter would go
through them.

`owed` collects what must hold so that the expression has a value, wherever it may be looked at: of several members all
are looked at, and only `and`, `or`, `implies`, `if` and tests before bodies save anything. `trusted` collects what the
expansion itself supposes of the types of numbers; it must be shown before anything is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any, assert_never

import z3

from seaspec.certify import values as v
from seaspec.certify.position import Position, World
from seaspec.certify.values import Bool, Group, TooLarge, Value, and_, implies, not_, or_
from seaspec.core import ir, types
from seaspec.core.definedness import BOOL, YES, both, guard_test, is_in
from seaspec.core.evaluate import PLAIN
from seaspec.core.ir import Binder, Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables

MOST_WORK = 400_000
"""So many expressions are read for one question."""
SIMPLE = ir.Const | ir.Local | ir.Lookup | ir.Old | ir.Openly | ir.LetIn | ir.If | ir.Apply
"""What is read again rather than remembered."""
ARITHMETIC = {Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.NEGATE, Op.LESS, Op.AT_MOST, Op.MORE, Op.AT_LEAST}
Bound = tuple[Any, Bool, Any]
"""A member, whether it comes, and its rank in the set that it comes from, or None."""


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

    def owe(self, test: Bool) -> None:
        if test is not True:
            self.owed.append(implies(self.when, test))

    @contextmanager
    def under(self, test: Bool) -> Iterator[None]:
        """What is read here is looked at only if this holds."""
        before, self.when = self.when, and_(self.when, test)
        yield
        self.when = before

    def value(self, expr: Expr) -> Value:
        """The value of an expression. What was read before, with the same names, is not read again."""
        self.work += 1
        if self.work > MOST_WORK:
            raise TooLarge("an expression is too large to be written out")
        if isinstance(expr, SIMPLE):
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
            before = self.when, self.owed, self.trusted
            self.when, self.owed, self.trusted = True, [], []
            value = self._read(expr)
            self._known[key] = value, and_(*self.owed), and_(*self.trusted)
            self.when, self.owed, self.trusted = before
        value, owed, trusted = self._known[key]
        self.owe(owed)
        if trusted is not True:
            self.trusted.append(implies(self.when, trusted))
        return value

    def _read(self, expr: Expr) -> Value:
        match expr:
            case ir.Const(_, value):
                return value
            case ir.Local(variable):
                return self.local(variable)
            case ir.StateRead(ty, name, indices):
                entries = {key: self.position.states[name, key] for key in self.world.entries[name]}
                keys = self.matching(indices, [variable.type for variable in self.game.states[name].index])
                return self.entry(ty, keys, entries)
            case ir.Lookup(ty, name, indices):
                return self.entry(ty, self.matching(indices, self.game.tables[name].index), self.world.tables[name])
            case ir.PlaceRead(_, place, indices):
                return self.lying(place, self.slots_of(place, indices))
            case ir.Everywhere(_, place):
                slots = [self.world.slots[place, key] for key in self.world.keys[place]]
                held = self.game.places[place].holds.members
                return v.tidy((piece, self.position.lies(piece, slots)) for piece in held)
            case ir.WhereIs():
                return self.where_is(expr)
            case ir.Apply():
                return self.apply(expr)
            case ir.Call(_, function, arguments):
                return self.call(self.game.functions[function], [self.value(argument) for argument in arguments])
            case ir.If(ty, test, then, otherwise):
                holds = self.value(test)
                return self.one_of([(holds, then), (not_(holds), otherwise)], ty)
            case ir.Switch(ty, subject, ways):
                value = self.value(subject)
                tests = (or_(*(v.same(value, one, subject.type) for one in among)) for among, _ in ways)
                return self.one_of(list(zip(tests, (body for _, body in ways), strict=True)), ty)
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
                found = v.group(self.select(expr.binder, None))
                if not expr.first:
                    count = v.ones(there for _, there in found.members)
                    self.owe(v.equal(count, 1) if expr.otherwise is None else count <= 1)
                firsts = [(found.first(place), one) for place, (one, _) in enumerate(found.members)]
                return self.or_else(or_(*(there for _, there in found.members)), v.gather(firsts, expr.type), expr)
            case ir.Reach():
                return self.reach(expr)
            case ir.Can(_, action, arguments):
                return self.value(self.can(action, arguments))
            case ir.Old(inner):
                if self.old is None:
                    raise TooLarge("what was before is not known there")
                here, self.position = self.position, self.old
                value = self.value(inner)
                self.position = here
                return value
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

    def one_of(self, ways: Iterable[tuple[Bool, Expr]], ty: types.Type) -> Value:
        """The expression whose test holds, as one does; it alone is looked at."""
        found = []
        for test, body in ways:
            if test is not False:
                with self.under(test):
                    found.append((test, self.value(body)))
        return v.gather(found, ty, every=True)

    def or_else(self, there: Bool, value: Value, expr: ir.Fold | ir.PickOne) -> Value:
        """A value, if there is one, else what stands for it."""
        if expr.otherwise is None:
            self.owe(there)
            return value
        if there is True:
            return value
        with self.under(not_(there)):
            return v.choose(there, value, self.value(expr.otherwise), expr.type)

    def call(self, function: ir.Function, given: Sequence[Value]) -> Value:
        number = function.shrinking
        if number is not None and not v.is_known(given[number]):
            found = []
            for one, test in v.cases(given[number], function.params[number].type):
                with self.under(test):
                    found.append((test, self.call(function, [*given[:number], one, *given[number + 1 :]])))
            return v.gather(found, function.type)
        outside, self.env = self.env, dict(zip(function.params, given, strict=True))
        value = self.value(function.body)
        self.env = outside
        return value

    # ------------------------------------------------------------------------------------------- entries and places

    def matching(self, indices: Sequence[Expr], index: Sequence[types.Type]) -> dict[tuple[Any, ...], Bool]:
        """The keys that indices may mean, each with the condition under which they do."""
        every = [v.cases(self.value(expr), ty) for expr, ty in zip(indices, index, strict=True)]
        found = {tuple(one for one, _ in way): and_(*(test for _, test in way)) for way in product(*every)}
        return {key: test for key, test in found.items() if test is not False}

    def entry(self, ty: types.Type, keys: Mapping[Any, Bool], entries: Mapping[Any, Value]) -> Value:
        """The entry of a state or table."""
        there = {key: test for key, test in keys.items() if key in entries}
        self.owe(or_(*there.values()))
        return v.gather([(test, entries[key]) for key, test in there.items()], ty)

    def slots_of(self, place: str, indices: Sequence[Expr]) -> dict[int, Bool]:
        """The slots that an index may mean, each with the condition under which it does."""
        keys = self.matching(indices, [variable.type for variable in self.game.places[place].index])
        slots = self.world.slots
        return {slots[place, key]: test for key, test in keys.items() if (place, key) in slots}

    def lying(self, place: str, slots: Mapping[int, Bool]) -> Value:
        rules, lies = self.game.places[place], self.position.lies
        held = rules.holds.members
        there = [(p, or_(*(and_(test, lies(p, [slot])) for slot, test in slots.items()))) for p in held]
        return v.tidy(there, (self.position.rank[p] for p in held) if rules.order is PlaceOrder.ROW else None)

    def where_is(self, expr: ir.WhereIs) -> Value:
        ways = [
            (and_(is_it, self.position.lies(piece, [self.world.slots[expr.place, key]])), key[expr.position])
            for piece, is_it in v.cases(self.value(expr.piece), expr.piece.type)
            if piece is not None
            for key in self.world.keys[expr.place]
        ]
        self.owe(or_(*(test for test, _ in ways)))
        return v.gather((way for way in ways if way[0] is not False), expr.type)

    # ------------------------------------------------------------------------------------------------------ binders

    def domain(self, expr: Expr) -> Group:
        """The members that a domain may have; a value, or none, is a set of at most one."""
        value = self.value(expr)
        if isinstance(expr.type, types.SetOf):
            return v.group(value)
        return Group(tuple((one, test) for one, test in v.cases(value, expr.type) if one is not None))

    def each(self, binders: Sequence[Binder], act: Callable[[Bool, Any], None], test: Bool = True) -> None:
        """Do something for each way to bind names; with the rank of the first, if it is not as they come."""
        if not binders:
            act(test, None)
            return
        binder, *rest = binders
        found = self.domain(binder.domain)
        holding: list[Bool] = []
        for member, there in found.members:
            here = and_(there, *holding) if binder.prefix and found.ranks is None else there
            with self.under(here):
                self.env[binder.variable] = member
                holds = True if binder.test is None or here is False else self.value(binder.test)
            holding.append(implies(there, holds) if binder.prefix else holds)
        for place, (member, there) in enumerate(found.members):
            goes = and_(there, holding[place])
            if binder.prefix:
                goes = and_(goes, *(implies(test, holding[other]) for other, test in found.earlier(place)))
            if goes is not False:
                with self.under(goes):
                    self.env[binder.variable] = member
                    rank = None if found.ranks is None else found.ranks[place]
                    if rest:
                        self.each(rest, act, and_(test, goes))
                    else:
                        act(and_(test, goes), rank)

    def bound(self, binders: Sequence[Binder], body: Callable[[], Value]) -> list[Bound]:
        found: list[Bound] = []
        self.each(binders, lambda test, rank: found.append((body(), test, rank)))
        return found

    def fold(self, expr: ir.Fold) -> Value:
        found = [(body, test) for body, test, _ in self.bound(expr.binders, partial(self.value, expr.body))]
        match expr.kind:
            case FoldKind.EVERY:
                return and_(*(implies(test, body) for body, test in found))
            case FoldKind.SOME:
                return or_(*(and_(test, body) for body, test in found))
            case FoldKind.COUNT:
                return v.ones(and_(test, body) for body, test in found)
            case FoldKind.SUM:
                return v.add(*(v.pick(test, body, 0) for body, test in found))
            case FoldKind.MOST | FoldKind.LEAST:
                return self.or_else(or_(*(t for _, t in found)), best_of(found, expr.kind is FoldKind.MOST), expr)
            case _:
                assert_never(expr.kind)

    def select(self, binder: Binder, best: tuple[bool, Expr] | None) -> Value:
        def read() -> tuple[Any, Value]:
            return self.env[binder.variable], 0 if best is None else self.value(best[1])

        found = self.bound((binder,), read)
        if best is not None:
            wanted = best_of([(key, test) for (_, key), test, _ in found], best[0])
            found = [(one, and_(test, v.equal(one[1], wanted)), rank) for one, test, rank in found]
        ranks = [rank for _, _, rank in found]
        return v.tidy([(one[0], test) for one, test, _ in found], ranks if found and ranks[0] is not None else None)

    def collect(self, expr: ir.Collect) -> Value:
        found = self.bound(expr.binders, partial(self.value, expr.term))
        if isinstance(expr.type, types.Map):
            if not all(test is True and rank is None for _, test, rank in found):
                raise TooLarge("a map whose keys are not known")
            return tuple(value for value, _, _ in found)
        return v.collected(((value, test) for value, test, _ in found), expr.term.type)

    def reach(self, expr: ir.Reach) -> Value:
        every = v.listed(expr.there.type)
        steps: dict[Any, list[tuple[Any, Bool]]] = {one: [] for one in every}
        for here, there in product(every, repeat=2):
            self.env[expr.here], self.env[expr.there] = here, there
            holds = self.value(expr.relation)
            if holds is not False and here != there:
                steps[there].append((here, holds))
        start = dict(v.group(self.value(expr.start)).members)
        found = {one: start.get(one, False) for one in every}
        for _ in every:
            onward = {one: or_(found[one], *(and_(found[a], test) for a, test in steps[one])) for one in every}
            self.work += len(every)
            if all(found[one] is onward[one] for one in every) or self.work > MOST_WORK:
                break
            found = onward
        return v.tidy((one, found[one]) for one in every)

    # -------------------------------------------------------------------------------------------- what can be done

    def can(self, action: str, given: Sequence[Expr | None]) -> Expr:
        """That some way to do it is legal, as an expression."""
        params = self.game.actions[action].params
        fixed = [(p, value) for p, value in zip(params, given, strict=True) if value is not None]
        tests, binders = ways_of(self.game.actions[action], [value is not None for value in given])
        test: Expr = both((*tests, ir.Fold(BOOL, FoldKind.SOME, binders, YES) if binders else YES))
        for param, value in reversed(fixed):
            test = ir.LetIn(param.variable, value, test)
        return test

    # --------------------------------------------------------------------------------------------------- operators

    def apply(self, expr: ir.Apply) -> Value:
        op, arguments = expr.op, expr.arguments
        kinds = [argument.type for argument in arguments]
        if any(isinstance(kind, types.Fraction) for kind in (expr.type, *kinds)):
            raise TooLarge("odds")
        if op in (Op.AND, Op.OR, Op.IMPLIES):
            return self.junction(op, arguments)
        if op is Op.IN:
            return self.member(*arguments)
        given = [self.value(argument) for argument in arguments]
        match op:
            case _ if op in ARITHMETIC:
                return PLAIN[op](*given)
            case Op.DIVIDE | Op.MODULO:
                return self.quotient(op, *given)
            case Op.ABS:
                return v.pick(given[0] < 0, -given[0], given[0])
            case Op.MIN | Op.MAX:
                return best_of([(one, True) for one in given], op is Op.MAX)
            case Op.EQUAL | Op.UNEQUAL:
                test = v.same(given[0], given[1], kinds[0])
                return test if op is Op.EQUAL else not_(test)
            case Op.NOT:
                return not_(given[0])
            case Op.SIZE:
                return v.ones(there for _, there in v.group(given[0]).members)
            case Op.SET | Op.UNION | Op.DIFFERENCE | Op.RANGE | Op.PREFIX:
                return self.set(expr, given, kinds)
            case Op.NTH | Op.ONLY | Op.MAYBE:
                found = v.group(given[0])
                count = v.ones(there for _, there in found.members)
                self.owe(True if op is Op.NTH else v.equal(count, 1) if op is Op.ONLY else count <= 1)
                number = given[1] if op is Op.NTH else 1
                ways = [
                    (and_(there, v.equal(found.rank(place), number)), one)
                    for place, (one, there) in enumerate(found.members)
                ]
                return v.gather(ways, expr.type)
            case Op.TURN | Op.TURNS | Op.ANGLE:
                assert isinstance(kinds[0], types.Enum)
                size = len(kinds[0].values)
                turns = {
                    Op.TURN: lambda a, b: (a + b) % size,
                    Op.TURNS: lambda a, b: (b - a) % size,
                    Op.ANGLE: lambda a, b: min((b - a) % size, (a - b) % size),
                }
                return v.lifted(turns[op], list(zip(given, kinds, strict=True)), expr.type)
            case Op.KEY:
                assert isinstance(kinds[0], types.Map)
                keys = v.listed(kinds[0].keys)
                meant = dict(v.cases(given[1], kinds[0].keys))
                return self.entry(expr.type, meant, dict(zip(keys, given[0], strict=True)))
            case Op.MAP:
                return tuple(given)
            case Op.CHECK | Op.KNOWN:
                return self.checked(given[0], kinds[0], expr.type, is_owed=op is Op.CHECK)
            case Op.SPOT:
                ways = [
                    (and_(is_it, self.position.lies(piece, self.world.rows)), self.position.rank[piece])
                    for piece, is_it in v.cases(given[0], kinds[0])
                ]
                self.owe(or_(*(test for test, _ in ways)))
                return v.gather(ways, expr.type)
            case Op.HAS_WON | Op.HAS_LOST | Op.IS_OUT:
                here = self.position
                named = {Op.HAS_WON: here.won, Op.HAS_LOST: here.lost, Op.IS_OUT: here.out}[op]
                return or_(*(and_(test, named[seat]) for seat, test in v.cases(given[0], kinds[0]) if named))
            case _:  # cautious: it is not derived, and that is said
                raise TooLarge(f"the operator {op.name.lower()}")

    def junction(self, op: Op, arguments: Sequence[Expr]) -> Bool:
        """From the left; later ones are looked at only if they matter."""
        parts: list[Bool] = []
        going: Bool = True
        for place, argument in enumerate(arguments):
            if going is False:
                break
            with self.under(going):
                part = self.value(argument)
            parts.append(not_(part) if op is Op.IMPLIES and place == 0 else part)
            going = and_(going, part if op is Op.AND else not_(parts[-1]))
        return and_(*parts) if op is Op.AND else or_(*parts)

    def member(self, one: Expr, among: Expr) -> Bool:
        value = self.value(one)
        if isinstance(among, ir.Apply) and among.op is Op.RANGE and isinstance(one.type, types.Int):
            low, high = map(self.value, among.arguments)
            return and_(low <= value, value <= high)
        return or_(*(and_(there, v.same(value, m, one.type)) for m, there in self.domain(among).members))

    def quotient(self, op: Op, a: Any, b: Any) -> Any:
        """Rounded down. So does Z3, if it divides by what is above 0; so numbers are turned round."""
        self.owe(not_(v.equal(b, 0)))
        if isinstance(a, int) and isinstance(b, int):
            return PLAIN[op](a, b) if b else 0
        x, y = (z3.IntVal(one) if isinstance(one, int) else one for one in (a, b))
        if op is Op.DIVIDE:
            return v.pick(b > 0, x / y, -x / -y)
        return v.pick(b > 0, x % y, -(-x % -y))

    def set(self, expr: ir.Apply, given: Sequence[Value], kinds: Sequence[types.Type]) -> Value:
        assert isinstance(expr.type, types.SetOf)
        op = expr.op
        if op is Op.SET:
            if all(map(v.is_known, given)):
                return tuple(dict.fromkeys(given)) if expr.type.ordered else types.as_set(given)
            if expr.type.ordered:
                raise TooLarge("a list of values that are not known")
            return v.collected([(one, True) for one in given], expr.type.of)
        if op is Op.RANGE:
            if all(map(v.is_known, given)):
                return tuple(range(given[0], given[1] + 1))
            low, high = kinds
            assert isinstance(low, types.Int) and isinstance(high, types.Int)
            least = min(low.low, 0)
            numbers = v.listed(types.Int(least, high.high))
            self.trusted.append(implies(self.when, and_(least <= given[0], given[1] <= high.high)))
            return v.tidy((n, and_(given[0] <= n, n <= given[1])) for n in numbers)
        first = v.group(given[0])
        if op is Op.PREFIX:
            members = [(m, and_(t, first.rank(place) <= given[1])) for place, (m, t) in enumerate(first.members)]
            return v.tidy(members, first.ranks)
        second = dict(v.group(given[1]).members)
        if op is Op.DIFFERENCE:
            return v.tidy([(m, and_(t, not_(second.get(m, False)))) for m, t in first.members], first.ranks)
        return v.collected((*first.members, *second.items()), expr.type.of)

    def checked(self, value: Value, ty: types.Type, wanted: types.Type, *, is_owed: bool) -> Value:
        if is_owed:
            self.owe(v.ranges(value, wanted))
        if isinstance(ty, types.Optional) and not isinstance(wanted, types.Optional):
            return v.gather([(test, one) for one, test in v.table(value).items() if one is not None], wanted)
        return value


def ways_of(rules: ir.Action, given: Sequence[bool]) -> tuple[list[Expr], tuple[Binder, ...]]:
    """The ways to do an action, as binders; and what must hold of the arguments that are given."""
    own = {param.variable for param in rules.params}
    guards = [(guard_test(guard), own & set(free_variables(guard_test(guard)))) for guard in rules.guards]
    known = {param.variable for param, is_given in zip(rules.params, given, strict=True) if is_given}

    def tested(test: Expr | None) -> list[Expr]:
        nonlocal guards
        ready = [guard for guard, needs in guards if needs <= known]
        guards = [(guard, needs) for guard, needs in guards if not needs <= known]
        return [*([] if test is None else [test]), *ready]

    tests: list[Expr] = []
    for param, is_given in zip(rules.params, given, strict=True):
        if is_given and param.domain is not None:
            tests.append(is_in(ir.Local(param.variable), param.domain))
        if is_given and param.test is not None:
            tests.append(param.test)
    tests += tested(None)
    binders: list[Binder] = []
    for param, is_given in zip(rules.params, given, strict=True):
        if not is_given:
            known.add(param.variable)
            domain = param.domain or every(param.variable.type)
            binders.append(Binder(param.variable, domain, both(tested(param.test))))
    return tests, tuple(binders)


def every(ty: types.Type) -> Expr:
    """A type as the set of its values."""
    return ir.Const(types.SetOf(ty, ordered=True), v.listed(ty))


def best_of(found: Sequence[tuple[Any, Bool]], most: bool) -> Any:
    """The greatest or least of numbers, each if its test holds; 0 if there is none."""
    there: Bool = False
    best: Any = 0
    for number, test in found:
        better = best < number if most else number < best
        best = v.pick(and_(test, or_(not_(there), better)), number, best)
        there = or_(there, test)
    return best
