"""What may be chosen, and what may happen by chance: one run for each sort of answer, with free values for the rest.

Identical pieces are not told apart by the rules; here each of them may be the one that is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.symbolic.binders import each, quantified, selected
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.expressions import Reader
from seaspec.backends.symbolic.runs import Run
from seaspec.backends.symbolic.sets import Listed, Map, Set, Value, Where
from seaspec.backends.symbolic.terms import (
    NO,
    YES,
    Function,
    Sort,
    Term,
    add,
    and_,
    at_most,
    flag,
    ite,
    least,
    most,
    not_,
    number,
    or_,
    variable,
    within,
)
from seaspec.backends.symbolic.world import numbers_of
from seaspec.core import flow, ir, types
from seaspec.core.ir import Binder, Variable


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
                    values = dict(zip(routine.params, arguments, strict=True))
                    yield Taken(action.name, number_, values, after)
        case ir.OfferValues(binders, weights):
            for after, reader in bind(run, binders, source):
                values = {binder.variable: reader.env[binder.variable] for binder in binders}
                if weights is not None:
                    after.assume(not_(at_most(reader.number(weights), number(0))))
                    after.settle(reader, source)
                yield Taken(_words(binders), None, values, after)
        case ir.OfferSubset():
            yield _subset(run, offer, source)
        case ir.OfferShare():
            yield from _share(run, offer, source)
        case flow.OfferLines(left, tests, _, line):
            reader = run.reader()
            members = reader.value(ir.Local(left))
            assert isinstance(members, Listed | Where)
            for index, test in enumerate(tests):
                holds = YES if test is None else reader.test(test)
                after = run.fork().assume(members.member(number(index)), holds)
                if after.possible:
                    yield Taken(f"line {index + 1}", None, {line: number(index)}, after)


def has_option(reader: Reader, offer: flow.AnyOffer) -> Term:
    """Whether there is something to choose."""
    match offer:
        case ir.OfferActions(alternatives):
            return or_(*(_some_act(reader, alternative) for alternative in alternatives))
        case ir.OfferValues(binders):
            with reader.perhaps():
                return quantified(reader, binders, ir.Const(types.Bool(), True), every=False)
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
    if members.inside is not None:
        places, told = after.position.places.learnt(taken, *members.inside)
        after.position = replace(after.position, places=places)
        after.assume(*told)
    if after.possible:
        yield taken, after


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
        reader = run.reader()
        reader.env.update(env)
        if binder.prefix:
            members: Set = selected(reader, binder)
        else:
            members = reader.set(binder.domain)
        run.settle(reader, source)
        for value, after in some_member(run, members, binder.variable.name):
            inner = after.reader()
            inner.env.update({**env, binder.variable: value})
            if binder.test is not None and not binder.prefix:
                holds = inner.test(binder.test)
                after.settle(inner, source)
                after.assume(holds)
            if after.possible:
                yield from go(after, {**env, binder.variable: value}, rest[1:])

    for after, env in go(run.fork(), {}, binders):
        reader = after.reader()
        reader.env.update(env)
        yield after, reader


# ------------------------------------------------------------------------------------------------------------- actions


def _acts(run: Run, alternative: ir.Alternative, source: ir.Source) -> Iterator[tuple[Run, list[Value]]]:
    loops = () if alternative.loop is None else (alternative.loop,)
    action = run.world.game.actions[alternative.action]
    for begun, reader in bind(run, loops, source):
        given = [None if argument is None else reader.value(argument) for argument in alternative.arguments]
        begun.settle(reader, source)
        yield from _parameters(begun, action, given, {}, source)


def _parameters(
    run: Run, action: ir.Action, given: Sequence[Value | None], env: dict[Variable, Value], source: ir.Source
) -> Iterator[tuple[Run, list[Value]]]:
    if len(env) == len(action.params):
        reader = run.reader()
        reader.env.update(env)
        holds = reader.guards(action)
        run.settle(reader, action.source)
        run.assume(holds)
        if run.possible:
            yield run, [env[param.variable] for param in action.params]
        return
    place = len(env)
    param, value = action.params[place], given[place]
    reader = run.reader()
    reader.env.update(env)
    domain = reader.domain(param)
    run.settle(reader, action.source)
    if value is None:
        found: Iterator[tuple[Value, Run]] = some_member(run, domain, param.variable.name)
    else:
        held = YES if param.domain is None else domain.member(value)
        found = iter([(value, run.fork().assume(held))])
    for chosen, after in found:
        inner = after.reader()
        inner.env.update({**env, param.variable: chosen})
        if param.test is not None:
            holds = inner.test(param.test)
            after.settle(inner, action.source)
            after.assume(holds)
        if after.possible:
            yield from _parameters(after, action, given, {**env, param.variable: chosen}, source)


def _some_act(reader: Reader, alternative: ir.Alternative) -> Term:
    action = reader.game.actions[alternative.action]

    def legal() -> Term:
        given = [None if argument is None else reader.value(argument) for argument in alternative.arguments]
        return reader.can(action, given)

    if alternative.loop is None:
        return legal()
    found: list[Term] = []
    with reader.perhaps():
        each(reader, (alternative.loop,), YES, lambda there: found.append(and_(there, legal())))
    return or_(*found)


# ------------------------------------------------------------------------------------------------- subsets, shares


def _subset(run: Run, offer: ir.OfferSubset, source: ir.Source) -> Taken:
    after = run.fork()
    reader = after.reader()
    low, high, domain = reader.number(offer.low), reader.number(offer.high), reader.set(offer.domain)
    after.settle(reader, source)
    members = some_subset(after, domain, offer.variable.name)
    after.assume(at_most(low, members.size), at_most(members.size, high))
    return Taken(offer.variable.name, None, {offer.variable: members}, after)


def _bounds(reader: Reader, offer: ir.OfferShare) -> tuple[list[tuple[Term, Value]], list[Term]]:
    """Who gets something, and how much at most: 0 for those who are not in the domain."""
    high = reader.number(offer.high)
    items = list(reader.set(offer.domain).items)
    bounds = []
    for there, value in items:
        reader.env[offer.member] = value
        with reader.given(there):
            bound = high if offer.at_most is None else reader.number(offer.at_most)
        bounds.append(ite(there, bound, number(0)))
    return items, bounds


def _share(run: Run, offer: ir.OfferShare, source: ir.Source) -> Iterator[Taken]:
    after = run.fork()
    reader = after.reader()
    low, high = reader.number(offer.low), reader.number(offer.high)
    items, bounds = _bounds(reader, offer)
    after.settle(reader, source)
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
