"""A game explored completely, breadth first: every choice, every outcome of chance, each position once.

Identical pieces are interchangeable, so positions are told apart by `Machine.canonical`. What is found is a shortest
play that shows it (counted in choices and outcomes). It ends when there is nothing new, or at a limit, and says which.
This is the reference, at some thousands of positions a second: for small worlds.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir
from seaspec.explore.graph import Graph
from seaspec.sampling.plays import Ending, answers_at, place_of
from seaspec.sampling.returning import too_long
from seaspec.sampling.watch import Findings, Found, Watcher

Key = Any
MOST_STEPS = 100
"""Steps for each position of the limit, after which exploration is given up."""


@dataclass(slots=True)
class Explored:
    """What exploration has shown. `complete`: everything that can be reached was looked at."""

    positions: int = 0
    steps: int = 0
    depth: int = 0
    complete: bool = False
    watched: Findings = field(default_factory=Findings)
    failed: dict[str, tuple[RuleError, Found]] = field(default_factory=dict)
    stuck: tuple[RuleError, Found] | None = None
    endings: dict[Ending, int] = field(default_factory=dict)
    """How many positions end there."""
    won: int = 0
    longest: int | None = None
    """Choices and outcomes in the longest play; None while it is not known, or where plays may go on for ever."""
    most_calls: dict[str, int | None] = field(default_factory=dict)
    """Of each `ends within`: the most calls in a play, None where there is no most."""
    too_long: dict[str, Found] = field(default_factory=dict)
    """Of each `ends within` that does not hold: a play with more calls."""
    doomed: dict[str, Found] = field(default_factory=dict)
    """Of each `winnable`: a shortest play to a decision from which no play gets there; `only if`: a play that gets
    there from a decision at which what is said to be needed does not hold."""
    spread: frozenset[str] = frozenset()
    """What is claimed of procedures in which somebody decides: it is about ways, and not decided by positions."""
    covered: int = -1
    """All positions that so many choices and outcomes lead to were looked at; -1: that is not known."""
    measured: bool = True
    """Whether the graph was looked at, if all was explored: without it nothing is known of longest plays and goals."""
    prints: bool = False
    """Positions were told apart by fingerprints of 64 bits."""
    interrupted: bool = False
    """Somebody has stopped it."""


def explore(machine: Machine, limit: int, tell: Callable[[int], None] = lambda done: None) -> Explored:
    """Explore until nothing is new, or more than `limit` positions are known, or far more steps were made."""
    return _Exploration(machine, tell).run(limit)


@dataclass(frozen=True, slots=True)
class _Goal:
    """What a `winnable` asks for: where it holds, by the numbers of positions; and where what it needs is missing."""

    name: str
    test: Callable[..., Any]
    needed: Callable[..., Any] | None
    met: bytearray
    lacks: bytearray


class _Exploration:
    """Positions are numbered as they are found."""

    def __init__(self, machine: Machine, tell: Callable[[int], None]) -> None:
        self.machine = machine
        self.tell = tell
        self.watcher = Watcher(machine)
        self.found = Explored(watched=self.watcher.findings)
        self.numbers: dict[Key, int] = {}
        self.came: list[tuple[int, Answer] | None] = []
        """From where each position was found first, and by which answer."""
        self.graph = Graph()
        self.decides = bytearray()
        promises = machine.game.promises
        self.goals = [self._goal(p) for p in promises if isinstance(p, ir.Winnable)]
        self.calls = {p.name: array("H") for p in promises if isinstance(p, ir.EndsWithin)}
        """How often the procedure of an `ends within` is called in each step."""

    def _goal(self, promise: ir.Winnable) -> _Goal:
        compile_test = self.machine.program.compile
        needed = None if promise.needed is None else compile_test(promise.needed, (), "promise")
        return _Goal(promise.name, compile_test(promise.test, (), "promise"), needed, bytearray(), bytearray())

    def run(self, limit: int) -> Explored:
        machine, watcher, found = self.machine, self.watcher, self.found
        watcher.follow()
        try:
            first = machine.begin(watch=watcher)
        except RuleError as error:
            note_failure(found, error, Found((), error.message))
            return found
        at_first = {name: watcher.calls[name] for name in self.calls}
        self._add(machine.canonical(first), None, first)
        watcher.position(None, first)
        layer = [(0, first)]
        while layer:
            onward: list[tuple[int, State]] = []
            for number, state in layer:
                self._end(state)
                for answer in self._choices(number, state):
                    self._step(number, state, answer, onward)
                    if found.steps > MOST_STEPS * limit:
                        break
                self.tell(len(self.came))
                if len(self.came) > limit or found.steps > MOST_STEPS * limit:
                    found.positions = len(self.came)
                    return found
            layer = onward
            found.depth += bool(onward)
        watcher.come_to(tuple)
        found.positions = len(self.came)
        found.complete = True
        self._conclude(at_first)
        return found

    def _add(self, key: Key, came: tuple[int, Answer] | None, state: State) -> int:
        number = self.numbers[key] = len(self.came)
        self.came.append(came)
        self.decides.append(state.result is None and not self.machine.is_chance(state))
        look = self.machine.look(state)
        for goal in self.goals:
            goal.met.append(holds(goal.test, look))
            goal.lacks.append(goal.needed is not None and bool(self.decides[number]) and not holds(goal.needed, look))
        return number

    def _choices(self, number: int, state: State) -> Iterator[Answer]:
        """Every choice or outcome at a position; where the rules fail to say which there are, that is noted."""
        try:
            yield from answers_at(self.machine, state)
        except RuleError as error:
            note_failure(self.found, error, Found(self._way(number), error.message))

    def _step(self, number: int, state: State, answer: Answer, onward: list[tuple[int, State]]) -> None:
        machine, watcher = self.machine, self.watcher
        self.found.steps += 1
        watcher.come_to(lambda: (*self._way(number), answer))
        try:
            after = machine.step(state, answer, watch=watcher)
        except RuleError as error:
            note_failure(self.found, error, Found((*self._way(number), answer), error.message))
            return
        key = machine.canonical(after)
        new = self.numbers.get(key)
        if watcher.watches_steps or new is None:
            watcher.position(state, after)
        if new is None:
            new = self._add(key, (number, answer), after)
            onward.append((new, after))
        self.graph.join(number, new)
        for name, calls in self.calls.items():
            calls.append(watcher.calls[name])

    def _way(self, number: int) -> tuple[Answer, ...]:
        """The answers that lead to a position, along its first ways."""
        found: list[Answer] = []
        step = self.came[number]
        while step is not None:
            number, answer = step
            found.append(answer)
            step = self.came[number]
        return tuple(reversed(found))

    def _end(self, state: State) -> None:
        if state.result is None:
            return
        node = self.machine.node(state)
        place = place_of(node.how.source) if isinstance(node, flow.Over) and node.how is not None else ("", 0)
        self.found.endings[place] = self.found.endings.get(place, 0) + 1
        self.found.won += bool(state.result[0])

    def _conclude(self, at_first: dict[str, int]) -> None:
        """What the whole graph says."""
        found, size = self.found, len(self.came)
        found.spread = frozenset(self.watcher.spread)
        found.longest = self.graph.longest(size).weight
        for promise in self.machine.game.promises:
            if isinstance(promise, ir.EndsWithin):
                self._count_calls(promise, at_first[promise.name])
        for goal in self.goals:
            saved = self.graph.leading_to(goal.met)
            if goal.needed is not None:
                lacking = next((n for n in range(size) if goal.lacks[n] and saved[n]), None)
                if lacking is not None:
                    onward = self._answers(self.graph.way_to(lacking, goal.met), lacking)
                    found.doomed[goal.name] = Found((*self._way(lacking), *onward))
                continue
            doomed = next((n for n in range(size) if self.decides[n] and not saved[n]), None)
            if doomed is not None:
                found.doomed[goal.name] = Found(self._way(doomed))

    def _count_calls(self, promise: ir.EndsWithin, at_first: int) -> None:
        calls = self.calls[promise.name]
        longest = self.graph.longest(len(self.came), calls)
        most = None if longest.weight is None else longest.weight + at_first
        self.found.most_calls[promise.name] = most
        if most is None or most > promise.calls:
            steps = list(longest.way)
            while longest.round and at_first + sum(calls[step] for step in steps) <= promise.calls:
                steps += longest.round
            answers = tuple(self._answers(steps))
            self.found.too_long[promise.name] = too_long(self.machine, promise.procedure, answers, most)

    def _answers(self, steps: Sequence[int], start: int = 0) -> Iterator[Answer]:
        """The answers of steps, from a position on."""
        machine, state = self.machine, self.machine.begin()
        for answer in self._way(start):
            state = machine.step(state, answer)
        for step in steps:
            target = self.graph.ends(step)[1]
            for answer in answers_at(machine, state):
                try:
                    after = machine.step(state, answer)
                except RuleError:
                    continue
                if self.numbers.get(machine.canonical(after)) == target:
                    yield answer
                    state = after
                    break


def holds(test: Callable[..., Any], look: Look) -> bool:
    """Whether a test holds; without a value it does not."""
    try:
        return bool(test(look))
    except RuleError:
        return False


def note_failure(found: Explored, error: RuleError, play: Found) -> None:
    """The rules fail in a play; the first of its sort counts."""
    if error.message.startswith("stuck:"):
        found.stuck = found.stuck or (error, play)
    else:
        found.failed.setdefault(f"{error.span}: {error.message}", (error, play))


class TooMany(Exception):
    """There are more positions than may be kept."""


def perft(machine: Machine, depth: int, limit: int) -> Iterator[int]:
    """The number of ways in which players can choose, by depth: only choices count, chance takes every course.

    Equal positions are counted once and weighed by the ways that lead there. `TooMany` if more than `limit` of them
    have to be kept at one time.
    """
    yield 1
    layer = [(machine.begin(), 1)]
    for _ in range(depth):
        onward: dict[Key, tuple[State, int]] = {}
        total = 0
        for state, ways in _settled(machine, layer, limit):
            if state.result is None:
                for option in machine.options(state):
                    _add(machine, onward, machine.step(state, option), ways, limit)
                    total += ways
        yield total
        layer = list(onward.values())


def _settled(machine: Machine, layer: list[tuple[State, int]], limit: int) -> list[tuple[State, int]]:
    """The positions at which players choose, chance having taken every course, each with its number of ways."""
    merged: dict[Key, tuple[State, int]] = {}
    todo = layer
    while todo:
        rest: dict[Key, tuple[State, int]] = {}
        for state, ways in todo:
            if state.result is None and machine.is_chance(state):
                for outcome in machine.outcomes(state).each():
                    _add(machine, rest, machine.step(state, outcome), ways, limit)
            else:
                _add(machine, merged, state, ways, limit)
        todo = list(rest.values())
    return list(merged.values())


def _add(machine: Machine, into: dict[Key, tuple[State, int]], state: State, ways: int, limit: int) -> None:
    key = machine.canonical(state)
    old = into.get(key)
    into[key] = (state, ways if old is None else old[1] + ways)
    if len(into) > limit:
        raise TooMany
