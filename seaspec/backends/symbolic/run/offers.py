"""What may be chosen, and what may happen by chance: one run for each sort of answer, with free values for the rest.

Identical pieces are not told apart by the rules; here each of them may be the one that is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Function,
    Sort,
    Term,
    add,
    and_,
    at_most,
    conjuncts,
    flag,
    ite,
    least,
    most,
    number,
    or_,
    variable,
    within,
)
from seaspec.backends.symbolic.read.binders import each, quantified, selected
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.run.anything import any_value
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.run.said import assume, assume_parts
from seaspec.backends.symbolic.values.places import of_kind
from seaspec.backends.symbolic.values.sets import Listed, Map, Set, Value, Where
from seaspec.backends.symbolic.values.world import numbers_of
from seaspec.core import flow, ir, types
from seaspec.core.definedness import guard_test
from seaspec.core.ir import Binder, Variable
from seaspec.core.ops import Op
from seaspec.core.owing import is_legal
from seaspec.core.walk import substitute


@dataclass(frozen=True, eq=False)
class Taken:
    """An answer: what it is called, the launch (if it is an action), the values chosen, the run that has begun."""

    word: str
    launch: int | None
    values: dict[Variable, Value]
    run: Run


def answers(run: Run, offer: flow.AnyOffer, launches: Sequence[flow.Launch], source: ir.Source) -> Iterator[Taken]:
    """All sorts of answers to an offer."""
    match offer:
        case ir.OfferActions(alternatives):
            for number_, alternative in enumerate(alternatives):
                for after, arguments in _acts(run, alternative, source):
                    action = run.world.game.actions[alternative.action]
                    routine = run.world.graph.routines[alternative.action]
                    names = zip(routine.params, action.params, strict=True)
                    values = {name: arguments[param.variable] for name, param in names if param.variable in arguments}
                    yield Taken(action.name, number_, values, after)
        case ir.OfferValues(binders, weights):
            for after, reader in bind(run, binders, source):
                names_ = (binder.variable for binder in binders)
                values = {name: reader.env[name] for name in names_ if name in reader.env}
                if weights is not None:
                    assume(after, reader.env, _may_come(weights), source)
                yield Taken(_words(binders), None, values, after)
        case ir.OfferSubset():
            try:
                yield _subset(run, offer)
            except Unsupported:
                yield _anything(run, offer.variable)
        case ir.OfferShare():
            try:
                yield from list(_share(run, offer))
            except Unsupported:
                yield _anything(run, offer.gift)
        case flow.OfferLines(left, tests, _, line):
            for index, test in enumerate(tests):
                after = run.fork()
                assume(after, {}, ir.Apply(types.Bool(), Op.IN, (_number(index), ir.Local(left))), source)
                if test is not None:
                    assume(after, {}, test, source)
                if after.possible:
                    yield Taken(f"line {index + 1}", None, {line: number(index)}, after)
        case _:
            assert_never(offer)


def _anything(run: Run, variable: Variable) -> Taken:
    """Anything is chosen: what may be chosen has no encoding."""
    after = run.fork()
    after.exact = False
    value = any_value(after, variable)
    return Taken(variable.name, None, {} if value is None else {variable: value}, after)


def _number(value: int) -> ir.Expr:
    return ir.Const(types.Int(value, value), value)


def _may_come(weights: ir.Expr) -> ir.Expr:
    """Whether chance may choose what has this weight."""
    return ir.Apply(types.Bool(), Op.MORE, (weights, _number(0)))


def has_option(reader: Reader, offer: flow.AnyOffer) -> Term:
    """Whether there is something to choose."""
    match offer:
        case ir.OfferActions(alternatives):
            return or_(*(_some_act(reader, alternative) for alternative in alternatives))
        case ir.OfferValues(binders, weights):
            comes = ir.Const(types.Bool(), True) if weights is None else _may_come(weights)
            return quantified(reader, binders, comes, every=False)
        case ir.OfferSubset(low, high, domain):
            least_, most_ = reader.number(low), reader.number(high)
            return at_most(most(number(0), least_), least(most_, reader.set(domain).size))
        case ir.OfferShare(low, high):
            _, bounds = _bounds(reader, offer)
            least_, most_ = reader.number(low), reader.number(high)
            sound = and_(*(at_most(number(0), bound) for bound in bounds))
            return and_(sound, at_most(most(number(0), least_), least(most_, add(*bounds))))
        case flow.OfferLines(left, tests):
            members = reader.value(ir.Local(left))
            assert isinstance(members, Listed | Where)
            parts = []
            for index, test in enumerate(tests):
                parts.append(and_(members.member(number(index)), YES if test is None else reader.test(test)))
            return or_(*parts)
        case _:
            assert_never(offer)


def enough_for_option(run: Run, offer: flow.AnyOffer) -> Term:
    """What is enough for there to be something to choose: of several actions, those of which it can be said."""
    found: list[Term] = []
    for alternative in offer.alternatives if isinstance(offer, ir.OfferActions) else ():
        reader = run.reader()
        try:
            with run.world.briefly():
                legal = and_(_some_act(reader, alternative), reader.defined(is_legal(alternative)))
        except Unsupported:
            run.world.hurry()
        else:
            found.append(legal)
    return or_(*found)


def some_member(run: Run, members: Set, word: str) -> Iterator[tuple[Value, Run]]:
    """Runs in which some member is taken."""
    if isinstance(members, Listed):
        plain = [value for _, value in members.items if isinstance(value, Term) and value.sort is Sort.INT]
        if len(plain) < len(members.items) or len(plain) == 1:
            for there, value in members.items:
                after = run.fork().assume(there)
                if after.possible:
                    yield value, after
        elif plain:
            lows, highs = [value.low for value in plain], [value.high for value in plain]
            low = None if None in lows else min(one for one in lows if one is not None)
            high = None if None in highs else max(one for one in highs if one is not None)
            taken = variable(run.world.name(word), low, high)
            yield taken, run.fork().assume(members.member(taken))
        return
    if not members.members:
        return
    taken = variable(run.world.name(word), members.members[0], members.members[-1])
    after = run.fork().assume(members.member(taken))
    lay = members.inside
    if lay is not None and after.position.places.is_still(lay):
        places, told = after.position.places.learnt(taken, lay.place, lay.args)
        after.position = replace(after.position, places=places)
        after.assume(*told)
    if after.possible:
        yield taken, after


def _of_type(run: Run, members: Set, variable: Variable) -> Set:
    """The members that a variable may have as its value: a test that comes later may leave pieces of one kind only."""
    return of_kind(run.world, members, variable.type.members) if isinstance(variable.type, types.Pieces) else members


def some_subset(run: Run, members: Set, word: str) -> Where | Listed:
    """Any set of members; what is known of their number is assumed."""
    name = run.world.name(word)
    if isinstance(members, Listed):
        items = [(and_(there, flag(f"{name}.{place}")), value) for place, (there, value) in enumerate(members.items)]
        return Listed(members.of, tuple(items), members.ordered)
    if not members.wide:
        flags = {value: flag(f"{name}.{value}") for value in members.members}

        def chosen(value: Term) -> Term:
            if value.is_const:
                return flags.get(value.value, NO)
            return or_(*(and_(within(value, one, one), there) for one, there in flags.items()))

    else:
        holds = Function(name, 1, Sort.BOOL)

        def chosen(value: Term) -> Term:
            return holds(value)

    counted = None
    if members.counted is not None:
        numbers = []
        for sort, most_ in enumerate(members.counted()):
            taken = number(0)
            if most_.high is None or most_.high > 0:
                taken = variable(run.world.name(f"{word}.{sort}"), 0, most_.high)
                run.assume(at_most(taken, most_))
            numbers.append(taken)
        counted = lambda: tuple(numbers)  # noqa: E731
    return replace(members, test=lambda x: and_(members.test(x), chosen(x)), counted=counted)


def bind(run: Run, binders: Sequence[Binder], source: ir.Source) -> Iterator[tuple[Run, Reader]]:
    """Runs in which each binder has some value; the reader of each knows them."""

    def go(run: Run, env: dict[Variable, Value], rest: Sequence[Binder]) -> Iterator[tuple[Run, dict[Variable, Value]]]:
        if not rest:
            yield run, env
            return
        binder = rest[0]
        for value, after in _some_of_domain(run, env, binder, source):
            more = env if value is None else {**env, binder.variable: value}
            if binder.test is not None and not binder.prefix:
                assume(after, more, binder.test, source)
            if after.possible:
                yield from go(after, more, rest[1:])

    for after, env in go(run.fork(), {}, binders):
        reader = after.reader()
        reader.env.update(env)
        yield after, reader


def _some_of_domain(
    run: Run, env: dict[Variable, Value], binder: Binder, source: ir.Source
) -> Iterator[tuple[Value | None, Run]]:
    """Runs in which a binder has a value of its domain."""
    reader = run.reader()
    reader.env.update(env)
    try:
        members: Set = selected(reader, binder) if binder.prefix else reader.set(binder.domain)
        run.look_at(reader, (binder.domain,), source)
        found = list(some_member(run, _of_type(run, members, binder.variable), binder.variable.name))
    except Unsupported:
        yield from _some_of_more(run, env, binder.domain, binder.variable, source)
        return
    yield from found


def _some_of_more(
    run: Run, env: dict[Variable, Value], domain: ir.Expr | None, variable: Variable, source: ir.Source
) -> Iterator[tuple[Value | None, Run]]:
    """Runs in which a variable has a value of a domain, as far as can be said what belongs to that; if nothing can be
    said, any value of its type."""
    run.exact = False
    match domain:
        case ir.Call(_, function, arguments) if run.world.game.functions[function].shrinking is None:
            called = run.world.game.functions[function]
            inlined = substitute(called.body, dict(zip(called.params, arguments, strict=True)))
            yield from _some_of_more(run, env, inlined, variable, source)
        case ir.Select(_, binder):
            for value, after in _some_of_domain(run, env, replace(binder, variable=variable, test=None), source):
                after.exact = False
                if value is not None and binder.test is not None and not binder.prefix:
                    assume(after, {**env, binder.variable: value}, binder.test, source)
                if after.possible:
                    yield value, after
        case _:  # cautious: any value of its type
            yield any_value(run, variable), run


# ------------------------------------------------------------------------------------------------------------- actions


def come_to(run: Run, alternative: ir.Alternative, guard: ir.Guard, source: ir.Source) -> Iterator[tuple[Run, Term]]:
    """The ways to take an action as far as the guards before one of them allow it; and whether that one holds."""
    for after, env in _acts(run, alternative, source, guard):
        reader = after.reader()
        reader.env.update(env)
        holds = reader.guard(guard)
        yield after, and_(holds, *reader.certain(guard_test(guard)))


def _acts(
    run: Run, alternative: ir.Alternative, source: ir.Source, until: ir.Guard | None = None
) -> Iterator[tuple[Run, dict[Variable, Value]]]:
    loops = () if alternative.loop is None else (alternative.loop,)
    action = run.world.game.actions[alternative.action]
    for begun, reader in bind(run, loops, source):
        given: dict[Variable, Value | None] = {}
        for param, argument in zip(action.params, alternative.arguments, strict=True):
            if argument is not None:
                try:
                    given[param.variable] = reader.value(argument)
                except Unsupported:
                    given[param.variable] = any_value(begun, param.variable)
                    begun.exact = False
        begun.look_at(reader, (argument for argument in alternative.arguments if argument is not None), source)
        yield from _parameters(begun, action, action.params, given, {}, until)


def _parameters(
    run: Run,
    action: ir.Action,
    rest: Sequence[ir.Param],
    given: Mapping[Variable, Value | None],
    env: dict[Variable, Value],
    until: ir.Guard | None,
) -> Iterator[tuple[Run, dict[Variable, Value]]]:
    """Runs in which the parameters have values, and all guards hold, or those before one of them."""
    if not rest:
        _guarded(run, action, env, until)
        if run.possible:
            yield run, env
        return
    param = rest[0]
    for value, after in _argument(run, action, param, given, env):
        more = env if value is None else {**env, param.variable: value}
        if param.test is not None:
            assume(after, more, param.test, action.source)
        if after.possible:
            yield from _parameters(after, action, rest[1:], given, more, until)


def _argument(
    run: Run, action: ir.Action, param: ir.Param, given: Mapping[Variable, Value | None], env: dict[Variable, Value]
) -> Iterator[tuple[Value | None, Run]]:
    """Runs in which a parameter has the value that is given, or one of its domain."""
    reader = run.reader()
    reader.env.update(env)
    is_given, value = param.variable in given, given.get(param.variable)
    found: list[tuple[Value | None, Run]]
    try:
        domain = reader.domain(param)
        run.look_at(reader, () if param.domain is None else (param.domain,), action.source)
        if not is_given:
            found = [*some_member(run, _of_type(run, domain, param.variable), param.variable.name)]
        else:
            held = YES if param.domain is None or value is None else domain.member(value)
            found = [(value, run.fork().assume(held))]
    except Unsupported:
        run.exact = False
        if is_given:
            found = [(value, run.fork())]
        else:
            found = [*_some_of_more(run.fork(), env, param.domain, param.variable, action.source)]
    yield from found


def _guarded(run: Run, action: ir.Action, env: dict[Variable, Value], until: ir.Guard | None) -> None:
    """All guards of an action hold, or those before one of them, as far as they can be said."""
    held: list[Term] = []
    for guard in action.guards:
        if guard is until:
            break
        reader = run.reader()
        reader.env.update(env)
        try:
            test = reader.guard(guard)
        except Unsupported:
            run.exact = False
            if run.world.apart is not None and not guard.exceptions:
                assume_parts(run, env, guard.test, action.source)
            continue
        held.append(test)
        run.look_at(reader, (guard_test(guard),), action.source)
        for part in conjuncts(test):
            run.world.guards.setdefault(part, (action.name, guard.name))
    run.assume(*held)


def _some_act(reader: Reader, alternative: ir.Alternative) -> Term:
    action = reader.game.actions[alternative.action]

    def legal() -> Term:
        given = [None if argument is None else reader.value(argument) for argument in alternative.arguments]
        return reader.can(action, given)

    if alternative.loop is None:
        return legal()
    found: list[Term] = []
    each(reader, (alternative.loop,), YES, lambda there: found.append(and_(there, legal())))
    return or_(*found)


# ------------------------------------------------------------------------------------------------- subsets, shares


def _subset(run: Run, offer: ir.OfferSubset) -> Taken:
    after = run.fork()
    domain = after.reader().set(offer.domain)
    members = some_subset(after, domain, offer.variable.name)
    reader = after.reader()
    try:
        low, high = reader.number(offer.low), reader.number(offer.high)
    except Unsupported:
        after.exact = False  # any number of them
    else:
        after.assume(at_most(low, members.size), at_most(members.size, high))
    return Taken(offer.variable.name, None, {offer.variable: members}, after)


def _bounds(reader: Reader, offer: ir.OfferShare) -> tuple[list[tuple[Term, Value]], list[Term]]:
    """Who gets something, and how much at most: 0 for those who are not in the domain."""
    high = reader.number(offer.high)
    items = list(reader.set(offer.domain).items)
    bounds = []
    for there, value in items:
        reader.env[offer.member] = value
        bound = high if offer.at_most is None else reader.number(offer.at_most)
        bounds.append(ite(there, bound, number(0)))
    return items, bounds


def _share(run: Run, offer: ir.OfferShare) -> Iterator[Taken]:
    after = run.fork()
    reader = after.reader()
    low, high = reader.number(offer.low), reader.number(offer.high)
    items, bounds = _bounds(reader, offer)
    given: dict[int, Term] = {}
    for (_, value), bound in zip(items, bounds, strict=True):
        if not isinstance(value, Term) or not value.is_const:
            raise Unsupported("shares among members that are not known")
        part = variable(run.world.name(f"{offer.gift.name}.{value.value}"), 0, bound.high)
        after.assume(at_most(part, bound))
        given[value.value] = part
    total = add(*given.values())
    after.assume(at_most(low, total), at_most(total, high))
    assert isinstance(offer.gift.type, types.Map)
    keys = numbers_of(offer.gift.type.keys)
    gift = Map(keys, tuple(given.get(key, number(0)) for key in keys))
    if after.possible:
        yield Taken(offer.gift.name, None, {offer.gift: gift}, after)


def _words(binders: Sequence[Binder]) -> str:
    return ", ".join(binder.variable.name for binder in binders)
