"""What may be answered where the game rests, by players and by chance: each action with each parameter as a value that
may be anything it is chosen from. More may be allowed than the rules allow; never less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, assert_never

from seaspec.certify import moves
from seaspec.certify import values as v
from seaspec.certify.position import World
from seaspec.certify.reading import Reader
from seaspec.certify.solving import is_possible
from seaspec.certify.values import Bool, TooLarge, Value, and_, not_, or_
from seaspec.core import flow, ir, types
from seaspec.core.ir import BOX, Binder, Variable

if TYPE_CHECKING:
    from seaspec.certify.steps import Run


def answers(world: World, run: Run, number: int) -> Iterator[tuple[Run, int]]:
    """The ways on from a place where the game rests: what is answered is worked in."""
    for after, target in _answers(world, run, world.graph.blocks[number].exit):
        if is_possible(after.tests):
            yield after, target


def _answers(world: World, run: Run, exit: flow.Exit) -> Iterator[tuple[Run, int]]:
    match exit:
        case flow.Decision() | flow.ChanceNode():
            if isinstance(exit, flow.Decision) and exit.passing is not None:
                yield run.fork(), exit.passing
            if isinstance(exit.offer, ir.OfferActions):
                for alternative, launch in zip(exit.offer.alternatives, exit.launches, strict=True):
                    yield _act(world, run.fork(), alternative, launch), launch.target
            elif exit.target is not None:
                for after in _chosen(world, run, exit.offer):
                    yield after, exit.target
        case flow.DrawNode():
            yield from _drawn(world, run, exit)
        case flow.RollNode(number, sides, variable, target):
            after = run.fork()
            total = world.names.int("rolled")
            dice = _read(after, world, number)
            some = v.pick(v.less(dice, 0), 0, dice)
            after.suppose(and_(v.at_most(some, total), v.at_most(total, some * sides)))
            after.position = after.position.with_frame({variable: total})
            yield after, target
        case flow.ThrowNode(chance, arguments, variable, target):
            after = run.fork()
            value = _thrown(world, after, world.game.chances[chance], arguments)
            after.position = after.position.with_frame({variable: value})
            yield after, target
        case (
            flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return() | flow.Finding() | flow.Over()
            | flow.Outside()
        ):  # fmt: skip
            return
        case _:
            assert_never(exit)


def _read(run: Run, world: World, expr: ir.Expr) -> Value:
    reader = Reader(world, run.position, chooses=True)
    value = reader.value(expr)
    run.take_over(reader)
    return value


# ------------------------------------------------------------------------------------------------------------- choices


def _act(world: World, run: Run, alternative: ir.Alternative, launch: flow.Launch) -> Run:
    """An action is chosen: its parameters may be anything that they are chosen from, where its guards allow it."""
    reader = Reader(world, run.position, chooses=True)
    rules = world.game.actions[alternative.action]
    if alternative.loop is not None:
        _bind(world, run, reader, (alternative.loop,))
    given = [None if argument is None else reader.value(argument) for argument in alternative.arguments]
    arguments: list[Value] = []
    for param, value in zip(rules.params, given, strict=True):
        ty = param.variable.type
        if value is None and alternative.arguments[len(arguments)] is None:
            value = world.names.value(param.variable.name, ty)
            if param.domain is None:
                run.given(reader, v.ranges(value, ty))
        if param.domain is not None:
            run.given(reader, _is_member(reader, value, ty, param.domain))
        reader.env[param.variable] = value
        if param.test is not None:
            run.given(reader, reader.test(param.test))
        arguments.append(value)
    for guard in rules.guards:
        run.given(reader, reader.allowed(guard))
    run.take_over(reader)
    routine = world.graph.routines[alternative.action]
    frame = dict(zip(routine.params, arguments, strict=True))
    run.position = run.position.with_frame({**frame, routine.back: launch.back})
    return run


def _is_member(reader: Reader, value: Value, ty: types.Type, domain: ir.Expr) -> Bool:
    of = domain.type.of if isinstance(domain.type, types.SetOf | types.Optional) else types.Never()
    both = v.joined(ty, of)
    return or_(*(and_(there, v.same(value, one, both)) for one, there in reader.domain(domain).members))


def _bind(world: World, run: Run, reader: Reader, binders: Sequence[Binder]) -> Mapping[Variable, Value]:
    """Any values that names may be bound to."""
    found = {}
    for binder in binders:
        ty = binder.variable.type
        value = world.names.value(binder.variable.name, ty)
        run.given(reader, _is_member(reader, value, ty, binder.domain))
        reader.env[binder.variable] = found[binder.variable] = value
        if binder.test is not None and not binder.prefix:
            run.given(reader, reader.test(binder.test))
    return found


def _chosen(world: World, run: Run, offer: flow.AnyOffer) -> Iterator[Run]:
    after = run.fork()
    reader = Reader(world, after.position, chooses=True)
    match offer:
        case ir.OfferValues(binders, weights):
            found = _bind(world, after, reader, binders)
            if weights is not None:
                after.given(reader, v.less(0, reader.value(weights)))
            after.position = after.position.with_frame(found)
        case ir.OfferSubset(low, high, domain, variable):
            members = reader.domain(domain).members
            chosen = tuple((one, and_(there, world.names.bool(f"chosen {one}"))) for one, there in members)
            size = v.ones(test for _, test in chosen)
            after.given(reader, and_(v.at_most(reader.value(low), size), v.at_most(size, reader.value(high))))
            ordered = dict(chosen)
            after.position = after.position.with_frame(
                {variable: v.tidy((one, ordered[one]) for one in types.as_set(ordered))}
            )
        case ir.OfferShare():
            after.position = after.position.with_frame({offer.gift: _shared(world, after, reader, offer)})
        case flow.OfferLines(left, tests, _, line):
            lines = v.group(run.position.frame[left]).members
            for number, there in lines:
                test = tests[number]
                each = run.fork(run.position.with_frame({line: number}))
                reader = Reader(world, run.position, chooses=True)
                each.suppose(there).suppose(True if test is None else reader.test(test))
                each.take_over(reader)
                yield each
            return
        case ir.OfferActions():
            return
        case _:
            assert_never(offer)
    after.take_over(reader)
    yield after


def _shared(world: World, run: Run, reader: Reader, offer: ir.OfferShare) -> Value:
    members = dict(reader.domain(offer.domain).members)
    gift = []
    for key in v.listed(offer.member.type):
        there = members.get(key, False)
        amount = world.names.int(f"gift {key}")
        run.given(reader, v.at_most(0, amount)).suppose(v.implies(not_(there), v.equal(amount, 0)))
        if offer.at_most is not None and there is not False:
            reader.env[offer.member] = key
            run.given(reader, v.implies(there, v.at_most(amount, reader.value(offer.at_most))))
        gift.append(amount)
    total = v.add(*gift)
    run.given(reader, and_(v.at_most(reader.value(offer.low), total), v.at_most(total, reader.value(offer.high))))
    return tuple(gift)


# -------------------------------------------------------------------------------------------------------------- chance


def _drawn(world: World, run: Run, exit: flow.DrawNode) -> Iterator[tuple[Run, int]]:
    """Any piece is drawn that lies there: in which layer of a pile is left open."""
    after = run.fork()
    reader = Reader(world, run.position, chooses=True)
    members = _to_draw(world, reader, exit)
    piece = world.names.int("drawn")
    who = {one: and_(there, v.equal(piece, one)) for one, there in members}
    after.suppose(or_(*who.values()))
    target = reader.slots_of(exit.to.place, exit.to.indices)
    if exit.variable is not None:
        after.position = after.position.with_frame({exit.variable: piece})
    after.position = moves.moved(world, after.position, who, target)
    after.take_over(reader)
    yield after, exit.target


def _to_draw(world: World, reader: Reader, exit: flow.DrawNode) -> list[tuple[int, Bool]]:
    members = v.group(reader.lying(exit.origin.place, exit.origin.indices)).members
    fits = set(world.game.places[exit.to.place].holds.members)
    return [(one, there) for one, there in members if exit.origin.place != BOX or one in fits]


def _thrown(world: World, run: Run, rule: ir.ChanceRule, arguments: Sequence[ir.Expr]) -> Value:
    reader = Reader(world, run.position, chooses=True)
    given = [reader.value(argument) for argument in arguments]
    reader.env.update(zip(rule.params, given, strict=True))
    for stmt in rule.body:
        match stmt:
            case ir.Roll(number, sides, variable):
                dice = reader.value(number)
                total = world.names.int("rolled")
                some = v.pick(v.less(dice, 0), 0, dice)
                run.suppose(and_(v.at_most(some, total), v.at_most(total, some * sides)))
                reader.env[variable] = total
            case ir.Let(variable, value):
                reader.env[variable] = reader.value(value)
            case _:
                assert_never(stmt)
    for test in rule.again:
        run.given(reader, not_(reader.test(test)))
    value = reader.value(rule.gives)
    run.take_over(reader)
    return value


# -------------------------------------------------------------------------------------------- is there anything at all


def is_anything(world: World, run: Run, exit: flow.Exit) -> Bool | None:
    """Whether there is something to choose, draw or throw; None where that is not worked out."""
    reader = Reader(world, run.position)
    try:
        found = _is_anything(world, reader, exit)
    except TooLarge:
        return None
    if reader.trusted:
        return None
    return found


def _is_anything(world: World, reader: Reader, exit: flow.Exit) -> Bool:
    match exit:
        case flow.DrawNode():
            return or_(*(there for _, there in _to_draw(world, reader, exit)))
        case flow.Decision(offer=ir.OfferActions(alternatives)) | flow.ChanceNode(offer=ir.OfferActions(alternatives)):
            found: list[Bool] = []

            def note(one: ir.Alternative, test: Bool) -> None:
                found.append(and_(test, reader.can(one.action, one.arguments)))

            for one in alternatives:
                if one.loop is None:
                    found.append(reader.can(one.action, one.arguments))
                else:
                    reader.each((one.loop,), partial(note, one))
            return or_(*found)
        case flow.Decision(offer=ir.OfferValues(binders, None)) | flow.ChanceNode(offer=ir.OfferValues(binders, None)):
            ways: list[Bool] = []
            reader.each(binders, ways.append)
            return or_(*ways)
        case flow.Decision(offer=ir.OfferSubset(low, high, domain)):
            size = v.ones(there for _, there in reader.domain(domain).members)
            least, most = reader.value(low), reader.value(high)
            least = v.pick(v.less(least, 0), 0, least)
            return and_(v.at_most(least, size), v.at_most(least, most))
        case flow.Decision(offer=flow.OfferLines(left, tests)):
            each = ((there, tests[number]) for number, there in v.group(reader.position.frame[left]).members)
            return or_(*(and_(there, True if test is None else reader.test(test)) for there, test in each))
        case _:  # cautious: it is not derived, and that is said
            raise TooLarge("whether there is anything to choose")
