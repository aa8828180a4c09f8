"""Complete exploration by machine code, told as the reference tells it: what was found are plays of the interpreter.

The machine code gives ways, numbers of its own options. Each is gone again in both: step by step the interpreter takes
the answer that leads to the same position, and judges for itself whether the way shows what it is said to show. If it
does not, `Differs` is raised, and nothing is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.native.explore import counting
from seaspec.backends.native.explore.explorer import Exploration, Explorer, Finding
from seaspec.backends.native.values.decode import Decoder
from seaspec.core import flow, ir
from seaspec.explore.reference import Explored, TooMany, holds, note_failure
from seaspec.sampling.following import said
from seaspec.sampling.plays import answers_at, place_of
from seaspec.sampling.returning import too_long
from seaspec.sampling.watch import Findings, Found, Watcher
from seaspec.translating import state_of

GoOn = Callable[[int, int, int, int], bool]
NAMED = (ir.Claim.AT, ir.Claim.AT_END)
GRAPH_LIMIT = 5_000_000
"""The graph of so many positions is always kept; of more only where a promise needs it."""


class Differs(Exception):
    """Machine code and interpreter do not agree on a play."""


def explore_natively(
    machine: Machine, limit: int, threads: int = 1, go_on: GoOn = lambda positions, waiting, steps, memory: True
) -> Explored:
    """Explore as `explore` does, as long as one should go on: that is asked now and then, and told how far it has got
    (bytes of memory). Raises `NotCompiled` where native code can not do it, and `Differs`."""
    explorer = Explorer(machine.flow)
    needed = any(isinstance(promise, ir.Winnable | ir.EndsWithin) for promise in machine.game.promises)
    exploration = Exploration(explorer, needed or limit <= GRAPH_LIMIT)
    world = exploration.run(limit, threads, lambda p: go_on(p.positions, p.waiting, p.steps, p.memory))
    told = _Telling(machine, exploration)
    found = told.found
    found.positions, found.steps, found.depth = world.positions, world.steps, world.depth
    found.complete, found.covered, found.won = world.complete, world.covered, world.won
    found.prints, found.interrupted = True, world.interrupted
    for block, count in world.endings.items():
        node = machine.flow.blocks[block].exit
        place = place_of(node.how.source) if isinstance(node, flow.Over) and node.how is not None else ("", 0)
        found.endings[place] = found.endings.get(place, 0) + count
    for finding in world.findings:
        told.tell(finding)
    found.measured = world.graph is not None
    if world.graph is not None:
        told.measure()
    return found


def perft_natively(machine: Machine, depth: int, limit: int, threads: int = 1) -> Iterator[int]:
    """As `perft`. Raises `NotCompiled` where native code can not do it, also after some numbers."""
    try:
        yield from counting.perft(Explorer(machine.flow), depth, limit, threads)
    except counting.TooMany:
        raise TooMany from None


class _Telling:
    """Plays of the interpreter for what machine code has found."""

    def __init__(self, machine: Machine, exploration: Exploration) -> None:
        self.machine, self.exploration = machine, exploration
        self.decoder = Decoder(exploration.explorer.layout)
        self.watcher = Watcher(machine)
        self.found = Explored()
        for promise in machine.game.promises:  # of others than these it is noted that one has looked
            after = isinstance(promise, ir.Always) and bool(promise.after)
            named = isinstance(promise, ir.Invariant) and promise.claim in NAMED
            self.found.watched.looked[promise.name] += not (after or named)

    def tell(self, finding: Finding) -> None:
        """A finding, as the interpreter sees it."""
        event = finding.event
        if event is None:
            self._tell_error(finding)
        elif event.what == "spread":
            self.found.spread |= {event.name}
        elif event.what == "looked":
            self.found.watched.looked[event.name] += 1
        else:
            kept = self.found.watched.broken if event.what == "broken" else self.found.watched.witnessed
            for findings in self._looks(finding):
                shown = findings.broken if event.what == "broken" else findings.witnessed
                if event.name in shown:
                    kept[event.name] = shown[event.name]
                    return
            raise Differs(f"{event.name}: only machine code finds it {event.what}")

    def _looks(self, finding: Finding) -> Iterator[Findings]:
        """What the interpreter sees at the end of a way, or of those that differ in the last answer alone."""
        watcher, machine = self.watcher, self.machine
        if not finding.way:
            self._begin_to_watch(())
            with suppress(RuleError):  # what comes before the rules fail counts
                watcher.position(None, machine.begin(watch=watcher))
            yield watcher.findings
            return
        answers, states = self._play(finding.way[:-1])
        before = states[-1]
        goal = self._key(finding.way)
        for answer, after in self._next(before):
            if machine.canonical(after) == goal:
                self._begin_to_watch((*answers, answer))
                after = machine.step(before, answer, watch=watcher)
                watcher.position(before, after)
                yield watcher.findings
        for answer in self._failing(before):  # what comes before the rules fail counts, too
            self._begin_to_watch((*answers, answer))
            with suppress(RuleError):
                machine.step(before, answer, watch=watcher)
            yield watcher.findings

    def _failing(self, state: State) -> Iterator[Answer]:
        """The answers after which the rules fail."""
        with suppress(RuleError):
            for answer in answers_at(self.machine, state):
                try:
                    self.machine.step(state, answer)
                except RuleError:
                    yield answer

    def _begin_to_watch(self, way: tuple[Answer, ...]) -> None:
        self.watcher.findings = Findings()
        self.watcher.come_to(lambda: way)

    def _listed(self, state: State) -> None:
        """Work out all that one may choose: the interpreter looks for one option, machine code for all of them."""
        for _ in answers_at(self.machine, state):
            pass

    def _tell_error(self, finding: Finding) -> None:
        assert finding.error is not None
        message, site = finding.error
        errors: list[tuple[RuleError, tuple[Answer, ...]]] = []
        if not finding.way:
            try:
                self._listed(self.machine.begin())
            except RuleError as error:
                errors.append((error, ()))
        else:
            answers, states = self._play(finding.way[:-1])
            try:
                for answer in answers_at(self.machine, states[-1]):
                    try:
                        self._listed(self.machine.step(states[-1], answer))
                    except RuleError as error:
                        errors.append((error, (*answers, answer)))
            except RuleError as error:  # there is no saying what one may choose
                errors.append((error, answers))
        span = self.exploration.explorer.span(site)
        fitting = [e for e in errors if e[0].span == span] or [e for e in errors if said(e[0].message) == said(message)]
        if not fitting:
            raise Differs(f"{span}: only machine code finds: {message}")
        failure, way = fitting[0]
        note_failure(self.found, failure, Found(way, failure.message))

    # -------------------------------------------------------------------------------------------------- the graph

    def measure(self) -> None:
        """What the graph says."""
        world, found, game = self.exploration.world, self.found, self.machine.game
        assert world.graph is not None
        found.longest = world.graph.heaviest(0)
        within = [promise for promise in game.promises if isinstance(promise, ir.EndsWithin)]
        for place, promise in enumerate(within):
            most = world.graph.heaviest(place + 1)
            at_first = world.calls_at_first[place]
            found.most_calls[promise.name] = None if most is None else most + at_first
            if most is None:
                way = world.graph.way_around(place + 1, promise.calls - at_first)
            elif most + at_first > promise.calls:
                way = world.graph.heaviest_way(place + 1)
            else:
                continue
            answers = self._counted(promise, way, at_first)
            found.too_long[promise.name] = too_long(
                self.machine, promise.procedure, answers, found.most_calls[promise.name]
            )
        goals = [promise for promise in game.promises if isinstance(promise, ir.Winnable)]
        lack = len(goals)
        for place, goal in enumerate(goals):
            if goal.needed is None:
                doomed = world.graph.first_doomed(place)
                if doomed is not None:
                    found.doomed[goal.name] = Found(self._play(doomed)[0])
            else:
                past = world.graph.first_lacking(place, lack)
                lack += 1
                if past is not None:
                    found.doomed[goal.name] = Found(self._lacking(goal, goal.needed, past))

    def _lacking(self, goal: ir.Winnable, needed: ir.Expr, way: Sequence[int]) -> tuple[Answer, ...]:
        """The answers of a way to a goal from where it should be lost; the interpreter judges both."""
        machine = self.machine
        answers, states = self._play(way)
        needs, met = (machine.program.compile(test, (), "promise") for test in (needed, goal.test))
        lacks = [machine.decider(s) is not None and not holds(needs, machine.look(s)) for s in states]
        if not any(lacks) or not holds(met, machine.look(states[-1])):
            raise Differs(f"{goal.name}: only machine code finds a way")
        return answers

    def _counted(self, promise: ir.EndsWithin, way: Sequence[int], at_first: int) -> tuple[Answer, ...]:
        """The answers of a way in which a procedure is called too often, counted anew by the interpreter."""
        calls = at_first
        answers: list[Answer] = []
        state = self.machine.begin()
        targets = self._keys(way)[1:]
        for target in targets:
            most: tuple[int, Answer, State] | None = None
            for answer, after in self._next(state):
                if self.machine.canonical(after) == target:
                    self._begin_to_watch(())
                    self.machine.step(state, answer, watch=self.watcher)
                    here = self.watcher.calls[promise.name]
                    if most is None or here > most[0]:
                        most = here, answer, after
            if most is None:
                raise Differs("a step that only machine code can make")
            calls += most[0]
            answers.append(most[1])
            state = most[2]
        if calls <= promise.calls:
            raise Differs(f"{promise.name}: the interpreter counts {calls} calls")
        return tuple(answers)

    # ------------------------------------------------------------------------------------------------------- plays

    def _play(self, way: Sequence[int]) -> tuple[tuple[Answer, ...], list[State]]:
        """The answers that lead along a way, and the positions on it."""
        keys = self._keys(way)
        states = [self.machine.begin()]
        answers: list[Answer] = []
        if self.machine.canonical(states[0]) != keys[0]:
            raise Differs("the first positions differ")
        for key in keys[1:]:
            for answer, after in self._next(states[-1]):
                if self.machine.canonical(after) == key:
                    answers.append(answer)
                    states.append(after)
                    break
            else:
                raise Differs("a step that only machine code can make")
        return tuple(answers), states

    def _next(self, state: State) -> Iterator[tuple[Answer, State]]:
        for answer in answers_at(self.machine, state):
            try:
                yield answer, self.machine.step(state, answer)
            except RuleError:
                continue

    def _key(self, way: Sequence[int]) -> Any:
        return self._keys(way)[-1]

    def _keys(self, way: Sequence[int]) -> list[Any]:
        """What tells the positions on a way from others."""
        return [
            self.machine.canonical(state_of(self.machine, self.decoder.position(state)))
            for state in self.exploration.states(way)
        ]
