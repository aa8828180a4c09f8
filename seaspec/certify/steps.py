"""From one choice to the next: the ways through the flow graph, one by one, steps executed one after the other.

A way is followed until the game rests. Where a test is not known, both ways are followed, but for what a solver says
can not be. Calls are gone through as they are; a member of a set that a loop comes to is each that may be the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.certify import asking, moves
from seaspec.certify import values as v
from seaspec.certify.position import Position, World
from seaspec.certify.reading import Reader
from seaspec.certify.solving import is_possible
from seaspec.certify.values import Bool, Group, TooLarge, Value, and_, implies, not_
from seaspec.core import flow, ir

MOST_WAYS = 400
MOST_BLOCKS = 6_000
MOST_ROUNDS = 80
"""So many ways lead from a place; so many blocks are gone through, and each so often on one way."""


@dataclass(frozen=True, eq=False)
class Moment:
    """Something happens on a way, after so many tests: a procedure begins or ends, or (`procedure` None) the game rests
    in passing, at a block."""

    tests: int
    position: Position
    procedure: str | None = None
    ends: bool = False
    block: int = -1


@dataclass(frozen=True, eq=False)
class Claimed:
    """What a promise claims on a way, after so many tests."""

    promise: str
    tests: int
    test: Bool


@dataclass(eq=False)
class Run:
    """A way so far. `trusted`: what the encoding has supposed; it must be shown."""

    position: Position
    tests: list[Bool] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    claimed: list[Claimed] = field(default_factory=list)
    trusted: list[Bool] = field(default_factory=list)
    visits: Counter[int] = field(default_factory=Counter)

    def fork(self, position: Position | None = None) -> Run:
        return Run(
            self.position if position is None else position,
            list(self.tests),
            list(self.moments),
            list(self.claimed),
            list(self.trusted),
            Counter(self.visits),
        )

    def suppose(self, test: Bool) -> Run:
        if test is not True:
            self.tests.append(test)
        return self

    def given(self, reader: Reader, test: Bool) -> Run:
        """A test holds: what reading it has trusted is shown without it."""
        self.take_over(reader)
        return self.suppose(test)

    def take_over(self, reader: Reader) -> None:
        """What reading has trusted, and what it knows of what it has chosen."""
        self.tests += reader.chosen
        reader.chosen.clear()
        self.trusted += [implies(and_(*self.tests), test) for test in reader.trusted]
        reader.trusted.clear()


@dataclass(frozen=True, eq=False)
class Way:
    """A way that has come to a place where the game rests."""

    run: Run
    block: int


class Walker:
    """Goes through the flow graph. `passed`: where ways do not end though the game rests; `watched`: procedures whose
    first position is kept until they end; `measures`: of each `ends within` its promise, by procedure."""

    def __init__(self, world: World, passed: frozenset[int], watched: frozenset[str]) -> None:
        self.world = world
        self.graph = world.graph
        self.passed = passed
        self.watched = watched
        self.measures: dict[str, list[ir.EndsWithin]] = {}
        for promise in world.game.promises:
            if isinstance(promise, ir.EndsWithin) and promise.measure is not None:
                self.measures.setdefault(promise.procedure, []).append(promise)

    def begin(self) -> Iterator[Way]:
        """The ways from the very beginning."""
        yield from self._walk([(Run(self.world.beginning()), self.graph.start)])

    def from_node(self, position: Position, block: int) -> Iterator[Way]:
        """The ways from a place where the game rests."""
        yield from self._walk(list(asking.answers(self.world, Run(position), block)))

    def _walk(self, waiting: list[tuple[Run, int]]) -> Iterator[Way]:
        blocks = ways = 0
        while waiting:
            run, number = waiting.pop()
            blocks += 1
            run.visits[number] += 1
            if blocks > MOST_BLOCKS or run.visits[number] > MOST_ROUNDS:
                raise TooLarge(f"the ways from one choice to the next are too long or too many ({self._line(number)})")
            block = self.graph.blocks[number]
            runs = [run]
            for step in block.steps:
                runs = [after for one in runs for after in self._step(one, step)]
            for one in runs:
                for found in self._exit(one, number):
                    if isinstance(found, Way):
                        ways += 1
                        if ways > MOST_WAYS:
                            raise TooLarge(f"more than {MOST_WAYS} ways from one choice to the next")
                        yield found
                    else:
                        waiting.append(found)

    def _line(self, number: int) -> str:
        exit = self.graph.blocks[number].exit
        source = getattr(exit, "source", None)
        return str(source.span) if isinstance(source, ir.Source) else self.graph.blocks[number].owner

    # -------------------------------------------------------------------------------------------------------- steps

    def _step(self, run: Run, step: flow.Step) -> list[Run]:
        reader = Reader(self.world, run.position, chooses=True)
        match step:
            case flow.Set(variable, value):
                run.position = run.position.with_frame({variable: reader.value(value)})
            case flow.Take():
                run.position = run.position.with_frame({step.variable: self._taken(reader, step)})
            case flow.Pop(variable, rest):
                return list(self._popped(run, variable, rest))
            case flow.Begin(procedure):
                self._begins(run, procedure)
            case flow.Finish(procedure):
                run.moments.append(Moment(len(run.tests), run.position, procedure, ends=True))
                begun = {name: one for name, one in run.position.begun.items() if name != procedure}
                run.position = replace(run.position, begun=begun)
            case flow.Reset(states):
                for name in states:
                    first = {key: self.world.first(name, key) for key in self.world.entries[name]}
                    run.position = run.position.with_state(name, first)
            case flow.Require(test):
                if reader.test(test) is False:
                    return []
            case ir.Assign():
                run.position, in_range = moves.assigned(self.world, reader, step)
                run.given(reader, in_range)
                if in_range is False:
                    return []
            case ir.Move():
                who = moves.cargo(reader, step)
                target = reader.slots_of(step.target.place, step.target.indices)
                run.position = moves.moved(self.world, run.position, who, target)
            case ir.MoveSome():
                who, known = moves.some_of_a_kind(self.world, reader, step)
                run.given(reader, known)
                target = reader.slots_of(step.target.place, step.target.indices)
                run.position = moves.moved(self.world, run.position, who, target)
            case ir.DropOut(player):
                value = reader.value(player)
                out = tuple(v.or_(test, v.equal(value, seat)) for seat, test in enumerate(run.position.out))
                run.position = replace(run.position, out=out)
            case flow.Judge() | flow.Veil() | ir.Shuffle() | ir.Say() | ir.Show():
                pass  # they change nothing that is looked at here, and what they owe is not supposed
            case _:
                assert_never(step)
        run.take_over(reader)
        return [run]

    def _taken(self, reader: Reader, step: flow.Take) -> Value:
        members = reader.domain(step.domain)
        if step.key is None:
            return v.tidy(members.members, members.in_order)
        keyed = []
        for member, there in members.members:
            reader.env[step.key[0]] = member
            keyed.append((reader.value(step.key[1]), member, there))
        if not members.in_order or not all(isinstance(key, int) for key, _, _ in keyed):
            return Group(tuple((member, there) for _, member, there in keyed), in_order=False)
        return v.tidy((member, there) for _, member, there in sorted(keyed, key=lambda one: one[0]))

    def _popped(self, run: Run, variable: ir.Variable, rest: ir.Variable) -> Iterator[Run]:
        members = v.group(run.position.frame[rest])
        before: list[Bool] = []
        for place, (member, there) in enumerate(members.members):
            test = and_(there, *(map(not_, before) if members.in_order else ()))
            others = members.members[place + 1 :] if members.in_order else _without(members, place)
            left = v.tidy(others, members.in_order)
            before.append(there)
            after = run.fork(run.position.with_frame({variable: member, rest: left})).suppose(test)
            if is_possible(after.tests):
                yield after

    def _begins(self, run: Run, procedure: str) -> None:
        position = run.position
        run.moments.append(Moment(len(run.tests), position, procedure))
        for promise in self.measures.get(procedure, ()):
            assert promise.measure is not None
            reader = Reader(self.world, position)
            now, before = reader.value(promise.measure), position.measured[promise.name]
            falls = and_(v.at_most(1, now), v.less(now, before), *reader.owed)
            run.claimed.append(Claimed(promise.name, len(run.tests), falls))
            run.take_over(reader)
            position = replace(position, measured={**position.measured, promise.name: now})
        if procedure in self.watched:
            position = replace(position, begun={**position.begun, procedure: replace(position, begun={})})
        run.position = position

    # -------------------------------------------------------------------------------------------------------- exits

    def _exit(self, run: Run, number: int) -> Iterator[Way | tuple[Run, int]]:
        exit = self.graph.blocks[number].exit
        reader = Reader(self.world, run.position, chooses=True)
        match exit:
            case flow.Goto(target):
                yield run, target
            case flow.Test(test, then, otherwise):
                holds = reader.test(test)
                run.take_over(reader)
                yield from _parted(run, ((holds, then), (not_(holds), otherwise)))
            case flow.Switch(subject, cases, otherwise):
                value = reader.value(subject)
                run.take_over(reader)
                ty = v.joined(subject.type, subject.type)
                tests = [(v.or_(*(v.same(value, one, ty) for one in among)), to) for among, to in cases]
                yield from _parted(run, (*tests, (and_(*(not_(test) for test, _ in tests)), otherwise)))
            case flow.Enter(procedure, back, target):
                slot = self.graph.routines[procedure].back
                if run.position.frame.get(slot) is None:
                    run.position = run.position.with_frame({slot: back})
                    yield run, target
            case flow.Return(procedure, targets):
                yield self._returned(run, procedure, targets)
            case flow.Finding():
                yield from self._finding(run, exit)
            case flow.Decision() | flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.ThrowNode():
                yield from self._arrive(run, number, exit)
            case flow.Over() | flow.Outside():
                yield from self._arrive(run, number, exit)
            case _:
                assert_never(exit)

    def _returned(self, run: Run, procedure: str, targets: tuple[int, ...]) -> tuple[Run, int]:
        routine = self.graph.routines[procedure]
        back = run.position.frame.get(routine.back)
        if not isinstance(back, int):
            raise TooLarge(f"to where {procedure} comes back")
        gone = {routine.back, *routine.locals}
        frame = {name: value for name, value in run.position.frame.items() if name not in gone}
        run.position = replace(run.position, frame=frame)
        return run, targets[back]

    def _finding(self, run: Run, exit: flow.Finding) -> Iterator[tuple[Run, int]]:
        reader = Reader(self.world, run.position, chooses=True)
        ways: list[tuple[Bool, Mapping[ir.Variable, Value]]] = []

        def note(test: Bool) -> None:
            found = {binder.variable: reader.env[binder.variable] for binder in exit.witnesses}
            ways.append((and_(test, reader.test(exit.test)), found))

        reader.each(exit.witnesses, note)
        run.take_over(reader)
        for test, found in ways:  # which of them is the first is left open
            after = run.fork(run.position.with_frame(found)).suppose(test)
            if test is not False and is_possible(after.tests):
                yield after, exit.then
        none = run.fork().suppose(and_(*(not_(test) for test, _ in ways)))
        if is_possible(none.tests):
            yield none, exit.otherwise

    def _arrive(self, run: Run, number: int, exit: flow.Node) -> Iterator[Way | tuple[Run, int]]:
        """The game rests, if there is something to wait for."""
        live = self.graph.blocks[number].live
        if isinstance(exit, flow.Over):
            run.position = moves.over(self.world, Reader(self.world, run.position), exit.how)
        else:
            frame = {name: run.position.frame.get(name) for name in live}
            run.position = replace(run.position, frame={n: one for n, one in frame.items() if one is not None})
        nothing = getattr(exit, "nothing", None)
        if nothing is not None:
            there = asking.is_anything(self.world, run, exit)
            if there is not True:
                other = run.fork()
                other.suppose(True if there is None else not_(there))
                if is_possible(other.tests):
                    yield other, nothing
            if there is False:
                return
            run.suppose(True if there is None else there)
        if isinstance(exit, flow.Decision) and exit.alone:
            yield from asking.answers(self.world, run.fork(), number)
        if number in self.passed and not isinstance(exit, flow.Over):
            run.moments.append(Moment(len(run.tests), run.position, block=number))
            yield from asking.answers(self.world, run, number)
        else:
            yield Way(run, number)


def _parted(run: Run, ways: tuple[tuple[Bool, int], ...]) -> Iterator[tuple[Run, int]]:
    """Each way that can be gone."""
    for test, target in ways:
        if test is True:
            yield run, target
        elif test is not False:
            after = run.fork().suppose(test)
            if is_possible(after.tests):
                yield after, target


def _without(members: Group, place: int) -> tuple[tuple[object, Bool], ...]:
    return members.members[:place] + members.members[place + 1 :]
