"""Positions that random plays come to: what fails at one of them need not be asked of a solver.

Nothing is proved here, and nothing rests on it: a fact that no position refutes may still be false.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.symbolic.paths import Location
from seaspec.backends.symbolic.sets import NONE, known_key
from seaspec.core import flow, types
from seaspec.trials.facts import Fact

PLAYS, MOST_STEPS, MOST_POSITIONS = 12, 400, 3_000
"""So many plays, each cut off after so many steps; so many positions are kept."""
ENOUGH = 60
"""Positions at which a fact is looked at, at one location."""


@dataclass(frozen=True, eq=False)
class Position:
    """A position of a play. `begun`: the look at the moment when each procedure that runs began."""

    state: State
    begun: dict[str, Look]


class Seen:
    """Positions of random plays, to be asked whether one of them speaks against a fact."""

    def __init__(
        self,
        graph: flow.Flow,
        watched: frozenset[str],
        go_on: Callable[[], bool],
        outside: frozenset[str] = frozenset(),
    ) -> None:
        self.graph = graph
        self.outside = outside
        """Procedures that locations are told apart by: whether they run."""
        self.machine = Machine(graph)
        self._by_block: dict[int, list[Position]] = {}
        self._at: dict[int, list[Position]] = {}
        self._tests: dict[Fact, list[Callable[..., Any]]] = {}
        self._play(watched, go_on)

    def _play(self, watched: frozenset[str], go_on: Callable[[], bool]) -> None:
        machine, count = self.machine, 0
        for seed in range(PLAYS):
            random = Random(f"seen:{seed}")
            begun = _Begun(machine, watched)
            try:
                state = machine.begin(watch=begun)
                for _ in range(MOST_STEPS):
                    if state.result is not None or count >= MOST_POSITIONS or not go_on():
                        break
                    count += 1
                    self._by_block.setdefault(state.block, []).append(Position(state, dict(begun.looks)))
                    if machine.is_chance(state):
                        answer = machine.outcomes(state).sample(random)
                    else:
                        answer = machine.options(state).random(random)
                    state = machine.step(state, answer, watch=begun)
            except RuleError:
                continue

    def speaks_against(self, fact: Fact, location: Location) -> bool:
        """Whether a fact fails at some position that belongs to a location."""
        positions = self._positions(location)
        if not positions:
            return False
        tests = self._compiled(fact)
        return any(self._fails(tests, fact, position) for position in positions)

    def _positions(self, location: Location) -> Sequence[Position]:
        if location.number not in self._at:
            here = [p for p in self._by_block.get(location.block, ()) if self._belongs(p.state, location)]
            self._at[location.number] = here[:: max(1, len(here) // ENOUGH)]
        return self._at[location.number]

    def _belongs(self, state: State, location: Location) -> bool:
        frame = self.machine.layout.frame
        if location.within is not None:
            running = {p for p in self.outside if state.slots[frame[self.graph.routines[p].back]] is not None}
            if running != location.within.running & self.outside:
                return False
        return all(
            plain_key(state.slots[frame[variable]], variable.type) == known_key(value)
            for variable, value in location.known.items()
        )

    def _compiled(self, fact: Fact) -> list[Callable[..., Any]]:
        if fact not in self._tests:
            names = (*fact.values, *fact.names)
            compile_ = self.machine.program.compile
            self._tests[fact] = [compile_(expr, names, "fact") for expr in (*fact.guards, fact.test)]
        return self._tests[fact]

    def _fails(self, tests: Sequence[Callable[..., Any]], fact: Fact, position: Position) -> bool:
        values = [value for _, value in fact.values.values()]
        look = self.machine.look(position.state)
        if fact.after is not None:
            old = position.begun.get(fact.after)
            if old is None:
                return False
            frame = self.machine.layout.frame
            params = self.graph.routines[fact.after].params
            values += [old.s[frame[param]] for param in params[: len(fact.names)]]
            look = Look(self.machine.program, position.state.slots, position.state.where, old)
        *guards, test = tests
        try:
            return all(guard(look, *values) for guard in guards) and not test(look, *values)
        except (RuleError, TypeError, LookupError):  # it has no value there
            return True


class _Begun:
    """Keeps what procedures began with."""

    def __init__(self, machine: Machine, watched: frozenset[str]) -> None:
        self.machine = machine
        self.watched = watched
        self.looks: dict[str, Look] = {}

    def begin(self, procedure: str, look: Look) -> None:
        if procedure in self.watched:
            self.looks[procedure] = Look(self.machine.program, tuple(look.s), tuple(look.w))

    def finish(self, procedure: str, look: Look) -> None:
        self.looks.pop(procedure, None)


def plain_key(value: Any, ty: types.Type) -> object:
    """A value of the interpreter, in the form in which locations know values.

    >>> plain_key((2, 1), types.SetOf(types.Int(1, 3)))
    ('set', 2, 1)
    """
    match ty:
        case types.SetOf(of):
            return ("set", *(plain_key(member, of) for member in value)) if value is not None else None
        case types.Map(_, held):
            return tuple(plain_key(entry, held) for entry in value) if value is not None else None
    return NONE.value if value is None else int(value)
