"""A game explored completely, breadth first: every choice, every outcome of chance, each position once.

Identical pieces are interchangeable, so positions are told apart by `Machine.canonical`. What is found is a shortest
play that shows it (counted in choices and outcomes). It ends when there is nothing new, or at a limit, and says which.
This is the reference, at some thousands of positions a second: for small worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow
from seaspec.trials.plays import Ending, place_of
from seaspec.trials.watching import Findings, Found, Watcher

Key = Any


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


def answers_at(machine: Machine, state: State) -> Iterator[Answer]:
    """Every choice or outcome at a position; none at an end."""
    if state.result is not None:
        return
    if machine.is_chance(state):
        yield from (outcome for outcome, _ in machine.outcomes(state).weighted())
    else:
        yield from machine.options(state)


def explore(machine: Machine, limit: int, tell: Callable[[int], None] = lambda done: None) -> Explored:
    """Explore until nothing is new, or more than `limit` positions are known."""
    found = Explored()
    watcher = Watcher(machine)
    found.watched = watcher.findings
    came: dict[Key, tuple[Key, Answer] | None] = {}
    watcher.follow()
    try:
        first = machine.begin(watch=watcher)
    except RuleError as error:
        _fail(found, error, Found((), error.message))
        return found
    key = machine.canonical(first)
    came[key] = None
    watcher.position(None, first)
    layer: list[tuple[Key, State]] = [(key, first)]
    while layer:
        onward: list[tuple[Key, State]] = []
        for key, state in layer:
            _end(machine, found, state)
            for answer in answers_at(machine, state):
                found.steps += 1
                watcher.come_to(lambda key=key, answer=answer: (*_way(came, key), answer))  # type: ignore[misc]
                try:
                    after = machine.step(state, answer, watch=watcher)
                except RuleError as error:
                    _fail(found, error, Found((*_way(came, key), answer), error.message))
                    continue
                new = machine.canonical(after)
                if watcher.watches_steps or new not in came:
                    watcher.position(state, after)
                if new not in came:
                    came[new] = (key, answer)
                    onward.append((new, after))
            tell(len(came))
            if len(came) > limit:
                found.positions = len(came)
                return found
        layer = onward
        found.depth += bool(onward)
    found.positions = len(came)
    found.complete = True
    return found


def _way(came: dict[Key, tuple[Key, Answer] | None], key: Key) -> tuple[Answer, ...]:
    """The answers that lead to a position, along its first ways."""
    found: list[Answer] = []
    step = came[key]
    while step is not None:
        key, answer = step
        found.append(answer)
        step = came[key]
    return tuple(reversed(found))


def _end(machine: Machine, found: Explored, state: State) -> None:
    if state.result is None:
        return
    node = machine.node(state)
    place = place_of(node.how.source) if isinstance(node, flow.Over) and node.how is not None else ("", 0)
    found.endings[place] = found.endings.get(place, 0) + 1
    found.won += bool(state.result[0])


def _fail(found: Explored, error: RuleError, play: Found) -> None:
    if error.message.startswith("stuck:"):
        found.stuck = found.stuck or (error, play)
    else:
        found.failed.setdefault(f"{error.span}: {error.message}", (error, play))


def perft(machine: Machine, depth: int) -> list[int]:
    """The number of ways in which players can choose, by depth: only choices count, chance takes every course.

    Equal positions are counted once and weighed by the ways that lead there.
    """
    counts = [1]
    layer = _settled(machine, [(machine.begin(), 1)])
    for _ in range(depth):
        onward = []
        total = 0
        for state, ways in layer:
            if state.result is None:
                for option in machine.options(state):
                    onward.append((machine.step(state, option), ways))
                    total += ways
        counts.append(total)
        layer = _settled(machine, onward)
    return counts


def _settled(machine: Machine, layer: list[tuple[State, int]]) -> list[tuple[State, int]]:
    """The positions at which players choose, chance having taken every course, each with its number of ways."""
    merged: dict[Key, tuple[State, int]] = {}
    todo = layer
    while todo:
        rest: dict[Key, tuple[State, int]] = {}
        for state, ways in todo:
            if state.result is None and machine.is_chance(state):
                for outcome, _ in machine.outcomes(state).weighted():
                    _add(machine, rest, machine.step(state, outcome), ways)
            else:
                _add(machine, merged, state, ways)
        todo = list(rest.values())
    return list(merged.values())


def _add(machine: Machine, into: dict[Key, tuple[State, int]], state: State, ways: int) -> None:
    key = machine.canonical(state)
    old = into.get(key)
    into[key] = (state, ways if old is None else old[1] + ways)
