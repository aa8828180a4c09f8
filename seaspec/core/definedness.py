"""What an expression owes: under which conditions the rules have a value for it. The one home of that question.

`Definedness.of` gives the obligations of an expression in the order in which the interpreter meets them. Each is a
test, an expression itself, that has a value if those before it hold; laziness is said in it (what comes after an
answer is not looked at). An obligation is of one of two sorts:

- `certain`: it comes up wherever the expression is looked at. If the expression has a value, the test holds: whoever
  has passed the expression may rely on it.
- otherwise it perhaps comes up: a `some` that stops early does not look at all members. It is enough, and no more:
  nobody may rely on it.

So if all obligations hold, the expression has a value; if it has one, all that are certain hold. Where all of them are
certain, it has a value exactly if they hold.

A call of a define owes what its body owes. That is said once for all calls: by companions, defines over the same
parameters whose value is whether a part of the obligations holds. `Definedness.game` is the game with its companions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import assert_never

from seaspec.core import ir, types
from seaspec.core.ir import Binder, Const, Expr, FoldKind, Local, PlaceOrder, Variable
from seaspec.core.ops import Op
from seaspec.core.types import Bool, Int, SetOf, Type, lies_within
from seaspec.core.walk import free_variables

BOOL = Bool()
YES = Const(BOOL, True)
NO = Const(BOOL, False)
MOST_COMPANIONS = 6
"""A define with more sorts of obligations has two companions: all of them, and those that are certain."""

DIVIDED = "a number is divided by 0"
OUT_OF_TYPE = "a value is not in its type"
NO_INDEX = "there is no such index"
NO_KEY = "a map has no such key"
ELSEWHERE = "a piece does not lie in the place that is asked about"
NO_ROW = "a piece does not lie in a row"
NONE_OF_ONE = "exactly one was expected, there is none, or there are several"
SEVERAL = "at most one was expected, there are several"
NOTHING = "nothing is in the set of which one is wanted"
NO_EXTREME = "the most or the least of nothing has no value"
UNKNOWN = "it is not known whether there is a value"


@dataclass(frozen=True, slots=True)
class Obligation:
    """A test that must hold, or the rules fail with a message. `certain`: it comes up, and may be relied on after."""

    test: Expr
    message: str
    certain: bool = True


Obligations = tuple[Obligation, ...]


class Definedness:
    """What the expressions of one game owe. `game`: the game, with the companions of those defines that were asked for;
    `complete` asks for all."""

    def __init__(self, game: ir.Game) -> None:
        self.game = replace(game, functions=dict(game.functions))
        self._known: dict[int, Obligations] = {}
        self._kept: list[Expr] = []
        self._functions: dict[str, Obligations] = {}
        """What a call of a define with its own parameters as arguments owes, besides these."""

    def complete(self) -> ir.Game:
        """The game with all companions."""
        for name in list(self.game.functions):
            self._of_function(name)
        return self.game

    def is_total(self, *exprs: Expr) -> bool:
        """Whether expressions have a value at every position."""
        return not any(map(self.of, exprs))

    def of(self, expr: Expr) -> Obligations:
        """What an expression owes, in order."""
        if id(expr) not in self._known:
            self._known[id(expr)] = tuple(self._of(expr))
            self._kept.append(expr)
        return self._known[id(expr)]

    def all_of(self, exprs: Iterable[Expr]) -> Iterator[Obligation]:
        """What expressions owe that are looked at one after the other."""
        for expr in exprs:
            yield from self.of(expr)

    def sufficient(self, expr: Expr) -> Expr:
        """A test that always has a value, and is enough for the expression to have one."""
        return both(o.test for o in self.of(expr))

    def _of(self, expr: Expr) -> Iterator[Obligation]:
        match expr:
            case ir.Const() | ir.Local() | ir.Everywhere():
                return
            case ir.StateRead(_, state, indices):
                yield from self.inside(self.game.states[state].index, indices)
            case ir.PlaceRead(_, _, indices):
                yield from self.all_of(indices)
            case ir.WhereIs(_, place, piece):
                yield from self.of(piece)
                lying = ir.Everywhere(SetOf(self.game.places[place].holds), place)
                yield Obligation(is_in(piece, lying), ELSEWHERE)
            case ir.Lookup(_, table, indices):
                index = tuple(Variable("index", ty) for ty in self.game.tables[table].index)
                yield from self.inside(index, indices)
            case ir.Apply():
                yield from self._operator(expr)
            case ir.Call(_, function, arguments):
                yield from self.all_of(arguments)
                yield from self._called(function, arguments)
            case ir.If(_, test, then, otherwise):
                yield from self.of(test)
                yield from under(test, self.of(then))
                yield from under(negated(test), self.of(otherwise))
            case ir.Switch(_, subject, cases):
                yield from self.of(subject)
                yield from self._cases(subject, cases)
            case ir.LetIn(variable, value, body):
                yield from self.of(value)
                yield from where(variable, value, self.of(body))
            case ir.Fold():
                yield from self._fold(expr)
            case ir.Select(_, binder, best):
                yield from self.each((binder,), ())
                if best is not None:
                    yield from over(binder, self.of(best[1]))
            case ir.Collect(_, term, binders):
                yield from self.each(binders, self.of(term))
            case ir.PickOne():
                yield from self._pick_one(expr)
            case ir.Reach(_, start, here, there, relation):
                yield from self.of(start)
                ends = (Binder(here, members(here.type)), Binder(there, members(there.type)))
                yield from perhaps(over(ends[0], over(ends[1], self.of(relation))))
            case ir.Ways(_, variable, domain, choices):
                yield from self.each((Binder(variable, domain),), self.of(choices))
            case ir.Can(_, action, arguments):
                yield from self.all_of(argument for argument in arguments if argument is not None)
                yield from self.judging(self.game.actions[action], arguments)
            case ir.Asked(_, player):
                yield from self.of(player)
            case ir.Odds(_, _, arguments):
                yield from self.all_of(arguments)
                yield Obligation(NO, UNKNOWN, certain=False)
            case ir.Old(inner):
                yield from (replace(o, test=ir.Old(o.test)) for o in self.of(inner))
            case ir.Openly(inner):
                yield from self.of(inner)
            case _:
                assert_never(expr)

    # -------------------------------------------------------------------------------------------------- operators

    def _operator(self, expr: ir.Apply) -> Iterator[Obligation]:
        arguments = expr.arguments
        if expr.op.is_lazy:
            yield from self._lazy(expr.op, arguments)
            return
        yield from self.all_of(arguments)
        match expr.op:
            case Op.DIVIDE | Op.MODULO:
                divisor = arguments[1]
                if not (isinstance(divisor.type, Int) and not divisor.type.low <= 0 <= divisor.type.high):
                    yield Obligation(negated(equal(divisor, number(0))), DIVIDED)
            case Op.ONLY:
                yield Obligation(equal(size(arguments[0]), number(1)), NONE_OF_ONE)
            case Op.MAYBE:
                if not self._holds_one(arguments[0]):
                    yield Obligation(at_most(size(arguments[0]), number(1)), SEVERAL)
            case Op.KEY:
                mapping, key = arguments
                assert isinstance(mapping.type, types.Map)
                yield from self.in_type(key, mapping.type.keys, NO_KEY)
            case Op.CHECK:
                yield from self.in_type(arguments[0], expr.type, OUT_OF_TYPE)
            case Op.SPOT:
                places = self.game.places.values()
                rows = (p for p in places if p.order is PlaceOrder.ROW)
                lying = (is_in(arguments[0], ir.Everywhere(SetOf(row.holds), row.name)) for row in rows)
                yield Obligation(either(lying), NO_ROW)
            case _:  # cautious: a partial operator that is not listed is no slip that goes unseen
                assert not expr.op.is_partial, expr.op

    def _holds_one(self, members: Expr) -> bool:
        """Whether a set is what lies in a place that never holds more than one piece."""
        if not isinstance(members, ir.PlaceRead):
            return False
        capacity = self.game.places[members.place].capacity
        return isinstance(capacity, Const) and isinstance(capacity.value, int) and capacity.value <= 1

    def _lazy(self, op: Op, arguments: Sequence[Expr]) -> Iterator[Obligation]:
        if op is Op.IN:
            member, among = arguments
            if isinstance(among, ir.Apply) and among.op is Op.RANGE and isinstance(member.type, Int):
                low, high = among.arguments
                yield from self.of(low)
                yield from self.of(member)
                yield from under(at_most(low, member), self.of(high))
                return
            yield from self.all_of(arguments)
            return
        assert op in (Op.AND, Op.OR, Op.IMPLIES), op
        for place, argument in enumerate(arguments):
            found = self.of(argument)
            before = arguments[:place]
            if found and before:
                onward = before if op in (Op.AND, Op.IMPLIES) else tuple(map(negated, before))
                found = tuple(under(both(onward), found))
            yield from found

    def in_type(self, value: Expr, ty: Type, message: str) -> Iterator[Obligation]:
        """That a value lies in a type."""
        test = is_of(value, ty)
        if test is not None:
            yield Obligation(test, message)

    def inside(self, index: Sequence[Variable], indices: Sequence[Expr]) -> Iterator[Obligation]:
        """That there is something with these indices."""
        yield from self.all_of(indices)
        for variable, expr in zip(index, indices, strict=True):
            yield from self.in_type(expr, variable.type, NO_INDEX)
            yield from self._is_some(expr)

    def _is_some(self, index: Expr) -> Iterator[Obligation]:
        """An index that may be none was tested before: whoever looks at the reading alone must know it."""
        if isinstance(index, ir.Apply) and index.op is Op.KNOWN:
            (subject,) = index.arguments
            if isinstance(subject.type, types.Optional) and not isinstance(index.type, types.Optional):
                yield Obligation(negated(equal(subject, Const(subject.type, None))), NO_INDEX)

    # ------------------------------------------------------------------------------------------------------ loops

    def each(self, binders: Sequence[Binder], body: Obligations, stops: bool = False) -> Iterator[Obligation]:
        """What is owed where all members are gone through, and `body` for each; `stops`: perhaps not all of them."""
        if not binders:
            yield from body
            return
        binder, rest = binders[0], binders[1:]
        yield from self.of(binder.domain)
        tested = () if binder.test is None else self.of(binder.test)
        found = (*over(replace(binder, test=None, prefix=False), tested), *over(binder, self.each(rest, body)))
        yield from perhaps(found) if stops or binder.prefix else found

    def _fold(self, expr: ir.Fold) -> Iterator[Obligation]:
        body = self.of(expr.body)
        match expr.kind:
            case FoldKind.EVERY | FoldKind.SOME:
                yield from self.each(expr.binders, body, stops=True)
            case FoldKind.COUNT | FoldKind.SUM:
                yield from self.each(expr.binders, body)
            case FoldKind.MOST | FoldKind.LEAST:
                yield from self.each(expr.binders, body)
                there_is = ir.Fold(BOOL, FoldKind.SOME, expr.binders, YES)
                if expr.otherwise is None:
                    yield Obligation(there_is, NO_EXTREME)
                else:
                    yield from under(negated(there_is), self.of(expr.otherwise))
            case _:
                assert_never(expr.kind)

    def _pick_one(self, expr: ir.PickOne) -> Iterator[Obligation]:
        yield from self.each((expr.binder,), (), stops=expr.first)
        there_is = ir.Fold(BOOL, FoldKind.SOME, (expr.binder,), YES)
        if expr.otherwise is not None:
            yield from under(negated(there_is), self.of(expr.otherwise))
        elif expr.first:
            yield Obligation(there_is, NOTHING)
        if not expr.first:
            held = ir.Select(SetOf(expr.binder.variable.type), expr.binder)
            if expr.otherwise is None:
                yield Obligation(equal(size(held), number(1)), NONE_OF_ONE)
            else:
                yield Obligation(at_most(size(held), number(1)), SEVERAL)

    def _cases(self, subject: Expr, cases: Sequence[tuple[tuple[types.Value, ...], Expr]]) -> Iterator[Obligation]:
        """All values are covered, each once."""
        for place, (values, body) in enumerate(cases):
            found = self.of(body)
            if not found:
                continue
            if place == len(cases) - 1:
                others = tuple(value for earlier, _ in cases[:-1] for value in earlier)
                yield from under(negated(is_one_of(subject, others)), found)
            else:
                yield from under(is_one_of(subject, values), found)

    # ---------------------------------------------------------------------------------------------------- defines

    def _called(self, name: str, arguments: tuple[Expr, ...]) -> Iterator[Obligation]:
        for found in self._of_function(name):
            assert isinstance(found.test, ir.Call)
            yield replace(found, test=replace(found.test, arguments=arguments))

    def _of_function(self, name: str) -> Obligations:
        if name not in self._functions:
            function = self.game.functions[name]
            if function.shrinking is not None:
                self._functions[name] = self._of_recursion(function)
            else:
                self._functions[name] = self._companions(function, self.of(function.body))
        return self._functions[name]

    def _of_recursion(self, function: ir.Function) -> Obligations:
        """A define that calls itself: its companion does, too, if there is anything but the calls that it owes."""
        before, functions = set(self._known), set(self._functions)
        self._functions[function.name] = ()
        once = self.of(function.body)
        if not once:
            return ()
        for key in set(self._known) - before:
            del self._known[key]
        for name in set(self._functions) - functions:
            del self._functions[name]
        whole = self._companion(function, "a value", NO)
        certain = all(o.certain for o in once)
        self._functions[function.name] = (Obligation(whole, f"{function.name} has no value", certain),)
        tests = both(o.test for o in self.of(function.body))
        self._companion(function, "a value", tests)
        return self._functions[function.name]

    def _companions(self, function: ir.Function, found: Obligations) -> Obligations:
        parts = [(key, list(part)) for key, part in groupby(found, key=lambda o: (o.message, o.certain))]
        if len(parts) > MOST_COMPANIONS:
            surely = [o for o in found if o.certain]
            message = f"{function.name} has no value"
            parts = [((message, True), surely)] if surely else []
            if len(surely) < len(found):
                parts.append(((message, False), list(found)))
        return tuple(
            Obligation(self._companion(function, str(place), both(o.test for o in part)), message, certain)
            for place, ((message, certain), part) in enumerate(parts, 1)
        )

    def _companion(self, function: ir.Function, word: str, test: Expr) -> ir.Call:
        name = f"{function.name} has {word}"
        made = ir.Function(name, function.params, BOOL, test, function.shrinking, function.source)
        self.game.functions[name] = made
        self._functions[name] = ()
        return ir.Call(BOOL, name, tuple(map(Local, function.params)))

    # ---------------------------------------------------------------------------------------------------- actions

    def judging(self, action: ir.Action, arguments: Sequence[Expr | None]) -> Iterator[Obligation]:
        """What is owed for asking whether some way to do an action is legal, where these arguments are given, and have
        a value. First those are looked at, then the guards that read no other parameters, in the order in which they
        stand; all else comes up in an order of its own, up to the first way that is legal."""
        given = {p.variable: a for p, a in zip(action.params, arguments, strict=True) if a is not None}
        own = {param.variable for param in action.params}
        needs = {id(guard): own & set(free_variables(*tests_of(guard))) for guard in action.guards}
        early = [guard for guard in action.guards if needs[id(guard)] <= set(given)]

        def chain() -> Iterator[tuple[Expr, Obligations]]:
            for param in action.params:
                if param.variable not in given:
                    continue
                if param.domain is not None:
                    yield is_in(Local(param.variable), param.domain), self.of(param.domain)
                if param.test is not None:
                    yield param.test, self.of(param.test)
            for guard in early:
                test = guard_test(guard)
                yield test, self.of(test)

        passed: list[Expr] = []
        for test, found in chain():
            yield from given_values(given, under(both(passed), found) if passed else found)
            passed.append(test)
        for place, param in enumerate(action.params):
            if param.variable in given:
                continue
            before = list(action.params[:place])
            if param.domain is not None:
                yield from self._freely(before, free_variables(param.domain), given, self.of(param.domain))
            if param.test is not None:
                with_it = [*before, replace(param, test=None)]
                reads = (*free_variables(param.test), param.variable)
                yield from self._freely(with_it, reads, given, self.of(param.test))
        for place, guard in enumerate(action.guards):
            if guard in early:
                continue
            mine = needs[id(guard)]
            earlier = [guard_test(g) for g in action.guards[:place] if needs[id(g)] <= mine]
            found = self.of(guard_test(guard))
            if found:
                owed = tuple(under(both(earlier), found)) if earlier else found
                yield from self._freely(action.params, mine, given, owed)

    def _freely(
        self,
        params: Sequence[ir.Param],
        reads: Iterable[Variable],
        given: dict[Variable, Expr],
        found: Obligations,
    ) -> Iterator[Obligation]:
        """What is owed for all values of those parameters that are read, as far as they may be chosen."""
        if not found:
            return
        wanted = set(reads)
        for param in reversed(params):
            if param.variable in wanted:
                wanted |= set(free_variables(*(e for e in (param.domain, param.test) if e is not None)))
        for param in reversed(params):
            if param.variable not in wanted:
                continue
            if param.variable in given:
                tests = [] if param.domain is None else [is_in(Local(param.variable), param.domain)]
                tests += [] if param.test is None else [param.test]
                found = tuple(under(both(tests), found)) if tests else found
            else:
                domain = members(param.variable.type) if param.domain is None else param.domain
                found = tuple(over(Binder(param.variable, domain, param.test), found))
        yield from perhaps(given_values(given, found))


# ------------------------------------------------------------------------------------------------------------ building


def given_values(values: dict[Variable, Expr], found: Iterable[Obligation]) -> Iterator[Obligation]:
    """Obligations over variables that stand for values."""
    for obligation in found:
        test = obligation.test
        used = set(free_variables(test))
        for variable, value in reversed(values.items()):
            if variable in used and value != Local(variable):
                test = ir.LetIn(variable, value, test)
        yield replace(obligation, test=test)


def where(variable: Variable, value: Expr, found: Iterable[Obligation]) -> Iterator[Obligation]:
    """Obligations over a variable that has a value."""
    return given_values({variable: value}, found)


def under(condition: Expr, found: Iterable[Obligation]) -> Iterator[Obligation]:
    """Obligations that come up where a condition holds; but for those that it says itself."""
    said = list(_conjuncts(condition))
    rest = (o for o in found if not any(_says(one, o.test) for one in said))
    return (replace(o, test=ir.Apply(BOOL, Op.IMPLIES, (condition, o.test))) for o in rest)


def _conjuncts(test: Expr) -> Iterator[Expr]:
    if isinstance(test, ir.Apply) and test.op is Op.AND:
        for one in test.arguments:
            yield from _conjuncts(one)
    else:
        yield test


def _says(condition: Expr, test: Expr) -> bool:
    """Whether a condition plainly is what a test asks for."""
    something = _something(condition)
    return condition == test or (something is not None and something == _something(test))


def _something(test: Expr) -> Expr | None:
    """`x` of a test that x is not none."""
    match test:
        case ir.Apply(_, Op.UNEQUAL, (subject, ir.Const(value=None))):
            return subject
        case ir.Apply(_, Op.NOT, (ir.Apply(_, Op.EQUAL, (subject, ir.Const(value=None))),)):
            return subject
        case _:  # cautious: what is not seen to be said is owed
            return None


def over(binder: Binder, found: Iterable[Obligation]) -> Iterator[Obligation]:
    """Obligations for each member; but for that it is one."""
    member = is_in(Local(binder.variable), binder.domain)
    rest = (o for o in found if o.test != member)
    return (replace(o, test=ir.Fold(BOOL, FoldKind.EVERY, (binder,), o.test)) for o in rest)


def perhaps(found: Iterable[Obligation]) -> Iterator[Obligation]:
    """Obligations that perhaps do not come up."""
    return (replace(o, certain=False) for o in found)


def tests_of(guard: ir.Guard) -> tuple[Expr, ...]:
    """The test of a guard, and the exceptions to it."""
    return (guard.test, *(test for test, _ in guard.exceptions))


def guard_test(guard: ir.Guard) -> Expr:
    """That a guard holds, or an exception to it does."""
    return either(tests_of(guard))


def is_of(value: Expr, ty: Type) -> Expr | None:
    """That a value lies in a type; None if its own type says so."""
    if lies_within(value.type, ty):
        return None
    match ty:
        case Int(low, high):
            return is_in(value, ir.Apply(SetOf(ty, ordered=True), Op.RANGE, (number(low), number(high))))
        case types.Optional(of):
            known = value.type.of if isinstance(value.type, types.Optional) else value.type
            inner = is_of(ir.Apply(known, Op.KNOWN, (value,)), of)
            return None if inner is None else either((equal(value, Const(ty, None)), inner))
        case SetOf(of):
            if not isinstance(value.type, SetOf):
                return None
            member = Variable("member", value.type.of)
            inner = is_of(Local(member), of)
            return None if inner is None else ir.Fold(BOOL, FoldKind.EVERY, (Binder(member, value),), inner)
        case types.Bool() | types.Map() | types.Fraction():
            return None
        case types.Never():
            return NO
        case types.Enum() | types.Cells() | types.Pieces() | types.Borders():
            return is_in(value, members(ty))
        case _:
            assert_never(ty)
    assert_never(ty)


def is_one_of(subject: Expr, values: Sequence[types.Value]) -> Expr:
    """That a value is one of some constants."""
    plain = tuple(sorted(value for value in values if isinstance(value, int) and not isinstance(value, bool)))
    inner = subject.type.of if isinstance(subject.type, types.Optional) else subject.type
    tests = [is_in(subject, Const(SetOf(inner), plain))] if plain else []
    others = [value for value in values if isinstance(value, bool) or not isinstance(value, int)]
    tests += [equal(subject, Const(subject.type, value)) for value in others]
    return either(tests)


def members(ty: Type) -> Expr:
    """A type as the set of its values."""
    return Const(SetOf(ty, ordered=True), tuple(types.values(ty)))


def number(value: int) -> Const:
    return Const(Int(value, value), value)


def size(members: Expr) -> Expr:
    most = 10**6
    return ir.Apply(Int(0, most), Op.SIZE, (members,))


def equal(a: Expr, b: Expr) -> Expr:
    return ir.Apply(BOOL, Op.EQUAL, (a, b))


def at_most(a: Expr, b: Expr) -> Expr:
    return ir.Apply(BOOL, Op.AT_MOST, (a, b))


def is_in(member: Expr, among: Expr) -> Expr:
    return ir.Apply(BOOL, Op.IN, (member, among))


def negated(test: Expr) -> Expr:
    return ir.Apply(BOOL, Op.NOT, (test,))


def both(tests: Iterable[Expr]) -> Expr:
    """That all hold, looked at from the left."""
    found = tuple(test for test in tests if test is not YES)
    if not found:
        return YES
    return found[0] if len(found) == 1 else ir.Apply(BOOL, Op.AND, found)


def either(tests: Iterable[Expr]) -> Expr:
    """That one holds, looked at from the left."""
    found = tuple(tests)
    return found[0] if len(found) == 1 else ir.Apply(BOOL, Op.OR, found)
