"""From a node to the next: what may be answered there, and what happens then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from seaspec.backends.symbolic.errors import TooMany, Uneven, Unsupported
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Term,
    and_,
    at_most,
    eq,
    flag,
    less,
    most,
    mul,
    not_,
    number,
    or_,
    variable,
)
from seaspec.backends.symbolic.read.binders import quantified
from seaspec.backends.symbolic.run.anything import forget_somehow, set_to_anything
from seaspec.backends.symbolic.run.effects import do, lay
from seaspec.backends.symbolic.run.moving import moved_by
from seaspec.backends.symbolic.run.offers import answers, bind, enough_for_option, has_option, some_member
from seaspec.backends.symbolic.run.runs import Rest, Run, some_of
from seaspec.backends.symbolic.run.said import assume_parts, contrary, known
from seaspec.backends.symbolic.values.places import of_kind
from seaspec.backends.symbolic.values.position import Result
from seaspec.backends.symbolic.values.sets import NONE, Listed, Set, Where, same
from seaspec.core import flow, ir, types
from seaspec.core.ir import BOX, PlaceOrder, Variable
from seaspec.core.owing import NOBODY, instance

MOST_BLOCKS = 3_000
"""A path through more blocks than this is given up."""
MOST_VISITS = 4_000
"""So many blocks on the ways from one place to the next, no more."""


def onward(run: Run, start: int) -> Iterator[tuple[str, Run, int | None]]:
    """From an answer at a node, or from where paths are cut, to the next such place."""
    exit = run.world.graph.blocks[start].exit
    if not flow.is_node(exit):
        for after, there in run_on(run, start, is_cut=True):
            yield "what follows", after, there
        return
    for word, answered, block in _answered(run, exit):
        for after, there in _begun(answered, block):
            yield word, after, there


def _begun(run: Run, block: int) -> Iterator[tuple[Run, int | None]]:
    """Run on from where an answer leads; if that is an action, it may be a single step."""
    apart = run.world.apart
    action = None if apart is None else apart.entries.get(block)
    if apart is None or action is None or apart.is_gone_through(action):
        yield from run_on(run, block)
        return
    routine = run.world.graph.routines[action]
    back = run.position.frame[routine.back]
    assert isinstance(back, Term) and back.is_const
    yield apart.begins(run, action), block
    for after, there in apart.comes_back(run, action, back.value):
        yield from run_on(after, there)


def source_of(exit: flow.Exit) -> ir.Source | None:
    found = getattr(exit, "source", None)
    return found if isinstance(found, ir.Source) else None


def _answered(run: Run, exit: flow.Exit) -> Iterator[tuple[str, Run, int]]:
    _look_at(run, exit)  # the game has rested here: this was looked at
    if not run.possible:
        return
    match exit:
        case flow.Decision() | flow.ChanceNode():
            for taken in answers(run, exit.offer, exit.launches, exit.source):
                after = taken.run
                after.position = after.position.with_frame(taken.values)
                if taken.launch is not None:
                    launch = exit.launches[taken.launch]
                    back = run.world.graph.routines[launch.action].back
                    after.position = after.position.with_frame({back: number(launch.back)})
                    yield taken.word, after, launch.target
                else:
                    assert exit.target is not None
                    yield taken.word, after, exit.target
            if isinstance(exit, flow.Decision) and exit.passing is not None:
                after = run.fork()
                reader = after.reader()
                try:
                    there_is = has_option(reader, exit.offer)
                    after.assume(there_is)
                except Unsupported:
                    after.exact = False
                if after.possible:
                    yield "pass", after, exit.passing
        case flow.DrawNode() if not run.world.keeps_places:
            if exit.variable is not None:
                set_to_anything(run, exit.variable)
            forget_somehow(run, moved_by(run.world.game, exit))
            yield "draw", run, exit.target
        case flow.DrawNode():
            members = _drawable(run, exit)
            if run.world.game.places[exit.origin.place].order is PlaceOrder.PILE:
                run.exact = False
            for piece, after in some_member(run, members, "drawn"):
                assert isinstance(piece, Term)
                if exit.variable is not None:
                    after.position = after.position.with_frame({exit.variable: piece})
                reader = after.reader()
                args = reader.indices(exit.to.indices)
                after.pass_by(reader, instance(run.world.owed, exit.to), exit.source)
                lay(after, piece, exit.to.place, args, exit.source)
                if after.possible:
                    yield "draw", after, exit.target
        case flow.RollNode(dice, sides, variable_, target, source):
            reader = run.reader()
            try:
                total = _rolled(run, most(number(0), reader.number(dice)), sides, variable_)
                run.look_at(reader, (dice,), source)
                run.position = run.position.with_frame({variable_: total})
            except Unsupported:
                set_to_anything(run, variable_)
            yield "roll", run, target
        case flow.ThrowNode():
            after = run.fork()
            try:
                after = _thrown(after, exit)
            except Unsupported:
                after = run.fork()
                set_to_anything(after, exit.variable)
            yield "throw", after, exit.target
        case (
            flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return() | flow.Finding() | flow.Over()
            | flow.Outside()
        ):  # fmt: skip
            raise AssertionError("nobody is asked there, and chance does nothing")
        case _:
            assert_never(exit)


def _look_at(run: Run, exit: flow.Exit) -> None:
    """What an exit owes is so, or the rules fail."""
    owed = run.world.owed_by_exit(exit)
    if owed:
        run.pass_by(run.reader(), owed, source_of(exit) or ir.Source())


def _drawable(run: Run, exit: flow.DrawNode) -> Set:
    reader = run.reader()
    args = reader.indices(exit.origin.indices)
    inside = run.world.is_inside(run.world.places[exit.origin.place], args)
    members = run.position.places.pieces_in(exit.origin.place, args, inside)
    if exit.origin.place == BOX:
        members = of_kind(run.world, members, run.world.game.places[exit.to.place].holds.members)
    return members


def _rolled(run: Run, dice: Term, sides: int, name: Variable) -> Term:
    high = None if dice.high is None else dice.high * sides
    total = variable(run.world.name(name.name), dice.low, high)
    run.assume(at_most(dice, total), at_most(total, mul(number(sides), dice)))
    return total


def _thrown(run: Run, exit: flow.ThrowNode) -> Run:
    rule = run.world.game.chances[exit.chance]
    reader = run.reader()
    reader.env.update(zip(rule.params, [reader.value(argument) for argument in exit.arguments], strict=True))
    run.look_at(reader, exit.arguments, exit.source)
    for stmt in rule.body:
        match stmt:
            case ir.Roll(dice, sides, variable_):
                run.look_at(reader, (dice,), exit.source)
                reader.env[variable_] = _rolled(run, most(number(0), reader.number(dice)), sides, variable_)
            case ir.Let(variable_, value):
                run.look_at(reader, (value,), exit.source)
                reader.env[variable_] = reader.value(value)
            case _:
                assert_never(stmt)
    for test in rule.again:
        run.assume(not_(reader.test(test)))
    run.look_at(reader, (*rule.again, rule.gives), exit.source)
    gives = reader.value(rule.gives)
    run.position = run.position.with_frame({exit.variable: gives})
    return run


def run_on(run: Run, block: int, is_cut: bool = False) -> Iterator[tuple[Run, int | None]]:
    """Run from a block to the nodes and cuts that may come next. None: nobody can go on there. `is_cut`: the block is
    where paths are cut, and this one begins there."""
    world = run.world
    waiting = [(run, block, 0)]
    met: set[tuple[object, ...]] = set()
    total = 0
    while waiting:
        run, block, length = waiting.pop()
        here = world.graph.blocks[block]
        total += 1
        world.visits[block] += 1
        if world.budget is not None:
            world.budget -= 1
            if world.budget < 0:
                raise Unsupported("more ways than can be looked at together")
        if world.sight is not None:
            state = run.state_at(block, here.live)
            if state in met:
                continue
            met.add(state)
        if length > MOST_BLOCKS or total > MOST_VISITS:
            raise TooMany("a long way from one choice to the next", source_of(here.exit))
        world.hurry()
        if block in world.cuts.blocks and (length or not is_cut):
            _keep(run, here)
            yield run, block
            continue
        _check_seats(run, block)
        if flow.is_node(here.exit):
            for after, there in _arrived(run, block, here):
                if there == block and run.within is not None and _is_passed(here.exit):
                    ways = list(_gone_through(after, here.exit, length + 1))
                    waiting += ways
                    if not ways:
                        yield after, None
                elif there == block or there is None:
                    yield after, there
                else:
                    waiting.append((after, there, length + 1))
            continue
        runs = [run]
        for step in here.steps:
            found = [after for one in runs for after in do(one, step) or ([one] if one.fails else [])]
            yield from ((one, None) for one in found if one.fails)
            runs = [one for one in found if one.possible]
        for one in runs:
            _check_seats(one, block)  # who stands for all may have come up in this very block
            if world.apart is not None and world.apart.is_exit(one, here.exit):
                world.apart.leaves(one)
                yield one, block
                continue
            if world.apart is not None and isinstance(here.exit, flow.Enter):
                called = here.exit.procedure
                if not world.apart.is_gone_through(called):
                    yield world.apart.begins(one, called), here.exit.target
                    came_back = world.apart.comes_back(one, called, here.exit.back)
                    waiting += ((after, there, length + 1) for after, there in came_back)
                    continue
            jumped = list(_jumped(one, here.exit))
            waiting.extend((after, there, length + 1) for after, there in jumped if after.possible)
            failing = dict.fromkeys((one, *(after for after, _ in jumped)))
            yield from ((after, None) for after in failing if after.fails)


def _is_passed(exit: flow.Exit) -> bool:
    """Whether ways go on through a node in a procedure that is looked at for itself: dice and draws."""
    return isinstance(exit, flow.DrawNode | flow.RollNode | flow.ThrowNode)


def _gone_through(run: Run, exit: flow.Exit, length: int) -> Iterator[tuple[Run, int, int]]:
    """What may come of dice or of a draw; the game has rested there."""
    assert run.within is not None
    run.rests.append(Rest(run.within, len(run.assumed), run.position))
    run.assumed.append(YES)  # what comes later is known to come later
    for _, after, target in _answered(run, exit):
        yield after, target, length


def _check_seats(run: Run, block: int) -> None:
    """Where one player stands for all, the rules must treat all alike."""
    seats = run.world.alike
    if run.turned and seats is not None and not seats.are_alike_in(block):
        raise Uneven


def _jumped(run: Run, exit: flow.Exit) -> Iterator[tuple[Run, int]]:
    match exit:
        case flow.Goto(target):
            yield run, target
        case flow.Test(test, then, otherwise, source):
            holds = known(run, test, source)
            if holds is None:
                other = run.fork()
                assume_parts(run, {}, test, source)
                yield run, then
                assume_parts(other, {}, contrary(test), source)
                yield other, otherwise
                return
            assert isinstance(holds, Term)
            yield run.fork().assume(holds), then
            yield run.assume(not_(holds)), otherwise
        case flow.Switch(subject, cases, otherwise, source):
            found = known(run, subject, source)
            if found is None:
                yield from ((run.fork(), target) for target in dict.fromkeys(flow.targets(exit)))
                return
            tests = [
                or_(*(same(found, run.world.constant(value, subject.type)) for value in values)) for values, _ in cases
            ]
            for case, after in some_of(run, [*tests, YES]):
                yield after, otherwise if case == len(cases) else cases[case][1]
        case flow.Enter(procedure, back, target):
            slot = run.world.graph.routines[procedure].back
            run.position = run.position.with_frame({slot: number(back)})
            yield run, target
        case flow.Return(procedure, targets):
            routine = run.world.graph.routines[procedure]
            slot_value = run.position.frame[routine.back]
            assert isinstance(slot_value, Term) and slot_value.is_const
            run.position = run.position.without_frame((routine.back, *routine.locals))
            yield run, targets[slot_value.value]
        case flow.Finding():
            try:
                yield from list(_found(run.fork(), exit))
            except Unsupported:
                run.exact = False
                yield run.fork(), exit.otherwise
                for binder in exit.witnesses:
                    set_to_anything(run, binder.variable)
                assume_parts(run, {}, exit.test, exit.source)
                yield run, exit.then
        case (
            flow.Decision() | flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.ThrowNode() | flow.Over()
            | flow.Outside()
        ):  # fmt: skip
            raise AssertionError("the game rests there")
        case _:
            assert_never(exit)


def _found(run: Run, exit: flow.Finding) -> Iterator[tuple[Run, int]]:
    """Any witness may be found here, where the rules take the first."""
    reader = run.reader()
    if not exit.witnesses:
        holds = reader.test(exit.test)
        run.look_at(reader, (exit.test,), exit.source)
        yield run.fork().assume(holds), exit.then
        yield run.assume(not_(holds)), exit.otherwise
        return
    there_is = quantified(reader, exit.witnesses, exit.test, every=False)
    some = run.fork().assume(there_is)
    if some.possible:
        for after, inner in bind(some, exit.witnesses, exit.source):
            after.assume(inner.test(exit.test))
            after.look_at(inner, (exit.test,), exit.source)
            after.exact = False
            values = {binder.variable: inner.env[binder.variable] for binder in exit.witnesses}
            after.position = after.position.with_frame(values)
            yield after, exit.then
    yield run.assume(not_(there_is)), exit.otherwise


def _arrived(run: Run, block: int, here: flow.BasicBlock) -> Iterator[tuple[Run, int | None]]:
    """At a node: the game rests here, or goes on at once."""
    _keep(run, here)
    exit = here.exit
    match exit:
        case flow.Decision():
            decider = known(run, exit.decider, exit.source) if isinstance(exit.decider.type, types.Optional) else None
            if isinstance(decider, Term):
                run.owe(not_(eq(decider, NONE)), NOBODY, exit.source)
            yield from _asked(run, block, exit)
        case flow.ChanceNode():
            yield from _asked(run, block, exit)
        case flow.DrawNode() if not run.world.keeps_places:
            yield from _perhaps(run, block, exit.nothing)
        case flow.DrawNode():
            _look_at(run, exit)
            there_is = at_most(number(1), _drawable(run, exit).size)
            yield from _rests(run, block, there_is, exit.nothing, exit.source, None)
        case flow.RollNode() | flow.ThrowNode():
            yield run, block
        case flow.Over(how):
            _look_at(run, exit)
            try:
                result = _result(run, how)
            except Unsupported:
                flags = [tuple(flag(run.world.name(word)) for _ in run.world.seats) for word in ("wins", "loses")]
                result = Result(*flags)
            run.position = replace(run.position, result=result)
            yield run, block
        case flow.Outside():
            return
        case flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return() | flow.Finding():
            raise AssertionError("the game does not rest there")
        case _:
            assert_never(exit)


def _keep(run: Run, here: flow.BasicBlock) -> None:
    """Leave out what of the frame is not read any more."""
    live = {*here.live, *(() if run.world.apart is None else run.world.apart.kept(run))}
    frame = {v: value for v, value in run.position.frame.items() if v in live}
    run.position = replace(run.position, frame=frame)


def _asked(run: Run, block: int, exit: flow.Decision | flow.ChanceNode) -> Iterator[tuple[Run, int | None]]:
    chooses = block if isinstance(exit, flow.Decision) else None
    _look_at(run, exit)
    reader = run.reader()
    try:
        there_is = has_option(reader, exit.offer)
    except Unsupported:
        if exit.nothing is None:
            enough = enough_for_option(run, exit.offer)
            run.owe(enough, "whether there is an option is not known", exit.source, chooses, exact=False)
        if isinstance(exit, flow.Decision) and exit.alone and isinstance(exit.offer, flow.OfferLines):
            for line in range(len(exit.offer.tests)):  # perhaps it is the last one, and nobody is asked
                one = run.fork()
                one.position = one.position.with_frame({exit.offer.line: number(line)})
                yield one, exit.target
        yield from _perhaps(run, block, exit.nothing)
        return
    if isinstance(exit, flow.Decision) and exit.alone and isinstance(exit.offer, flow.OfferLines):
        yield from _alone(run, block, exit, exit.offer)
        return
    yield from _rests(run, block, there_is, exit.nothing, exit.source, chooses)


def _perhaps(run: Run, block: int, nothing: int | None) -> Iterator[tuple[Run, int | None]]:
    """Perhaps there is an option, perhaps not: both ways are followed."""
    run.exact = False
    if nothing is not None:
        yield run.fork(), nothing
    yield run, block


def _rests(
    run: Run, block: int, there_is: Term, nothing: int | None, source: ir.Source, chooses: int | None
) -> Iterator[tuple[Run, int | None]]:
    if nothing is not None:
        other = run.fork().assume(not_(there_is))
        if other.possible:
            yield other, nothing
    else:
        run.owe(there_is, "there is nothing to choose from", source, chooses)
    run.assume(there_is)
    if run.possible:
        yield run, block
    elif run.fails:
        yield run, None


def _alone(run: Run, block: int, exit: flow.Decision, offer: flow.OfferLines) -> Iterator[tuple[Run, int | None]]:
    """The last line that is left is done without asking."""
    reader = run.reader()
    left = reader.value(ir.Local(offer.left))
    assert isinstance(left, Listed | Where)
    lines = [
        and_(left.member(number(line)), YES if test is None else reader.test(test))
        for line, test in enumerate(offer.tests)
    ]
    assert exit.nothing is not None and exit.target is not None
    nothing = run.fork().assume(not_(or_(*lines)))
    if nothing.possible:
        yield nothing, exit.nothing
    for line, there in enumerate(lines):
        others = [test for number_, test in enumerate(lines) if number_ != line]
        one = run.fork().assume(there, not_(or_(*others)))
        if one.possible:
            one.position = one.position.with_frame({offer.line: number(line)})
            yield one, exit.target
    several = [and_(a, b) for place, a in enumerate(lines) for b in lines[:place]]
    run.assume(or_(*several))
    if run.possible:
        yield run, block
    elif run.fails:
        yield run, None


def _result(run: Run, how: ir.End | ir.Score | None) -> Result:
    seats = run.world.seats
    nobody = tuple(NO for _ in seats)
    if how is None:
        return Result(nobody, nobody)
    reader = run.reader()
    out = run.position.out
    if isinstance(how, ir.Score):
        terms = []
        for seat in seats:
            reader.env[how.player] = number(seat)
            terms.append([reader.number(value) for value in how.values])
        winners = tuple(
            and_(not_(out[p]), *(or_(out[q], _not_below(terms[p], terms[q])) for q in seats if q != p)) for p in seats
        )
        return Result(winners, tuple(map(not_, winners)))
    if how.outcome is ir.Outcome.NOBODY or how.players is None:
        return Result(nobody, nobody)
    if isinstance(how.players.type, types.SetOf | types.Optional):
        members = reader.set(how.players)
        named = tuple(members.member(number(seat)) for seat in seats)
    else:
        player = reader.number(how.players)
        named = tuple(eq(player, number(seat)) for seat in seats)
    if how.outcome is ir.Outcome.WIN:
        return Result(named, tuple(map(not_, named)))
    others = tuple(and_(not_(name), not_(gone)) for name, gone in zip(named, out, strict=True))
    return Result(others, tuple(map(not_, others)))


def _not_below(a: list[Term], b: list[Term]) -> Term:
    """Whether scores, compared one after the other, are as high."""
    if not a:
        return YES
    return or_(less(b[0], a[0]), and_(eq(a[0], b[0]), _not_below(a[1:], b[1:])))
