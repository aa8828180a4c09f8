"""Positions that random plays come to: what fails at one of them need not be asked of a solver.

Nothing is proved here, and nothing rests on it: a fact that no position refutes may still be false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.symbolic.paths.paths import Location
from seaspec.backends.symbolic.seats import Seats, names_players
from seaspec.backends.symbolic.values.sets import NONE, known_key
from seaspec.core import flow, types
from seaspec.prove.facts import Fact

PLAYS, MOST_STEPS, MOST_POSITIONS = 12, 400, 3_000
"""So many plays, each cut off after so many steps; so many positions are kept."""
MOST_ON_THE_WAY = 120
"""So many positions are kept of a block at which no play rests: of all of them, whichever."""
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
        locations: Iterable[Location] = (),
    ) -> None:
        self.graph = graph
        self.outside = outside
        """Procedures that locations are told apart by: whether they run."""
        self.machine = Machine(graph)
        self._by_block: dict[tuple[int, bool], list[Position]] = {}
        """Where a block begins, and where it ends."""
        self._begun = _Begun(self.machine, watched)
        for block, ends in sorted({(location.block, location.is_exit) for location in locations}):
            if not flow.is_node(graph.blocks[block].exit):
                self._note_on_the_way(block, ends)
        self._at: dict[int, list[tuple[Position, int]]] = {}
        self._known: dict[tuple[Fact, int], bool] = {}
        self._seats = Seats(graph)
        self._alike: dict[Fact, bool] = {}
        self._tests: dict[Fact, list[Callable[..., Any]]] = {}
        self._play(go_on)

    def _note_on_the_way(self, block: int, ends: bool) -> None:
        """Keep positions where a block begins, or ends, at which a play does not rest."""
        steps, follow = self.machine.blocks[block]
        found = self._by_block[block, ends] = []
        random, passed = Random(f"on the way:{block}"), 0

        def note(look: Look) -> None:
            nonlocal passed
            passed += 1
            place = passed - 1 if passed <= MOST_ON_THE_WAY else int(random.random() * passed)
            if place < MOST_ON_THE_WAY:
                slots, where = tuple(look.s), tuple(look.w)
                state = State(slots, where, Look(self.machine.program, slots, where))
                found[place : place + 1] = [Position(state, dict(self._begun.looks))]

        self.machine.blocks[block] = ((*steps, note) if ends else (note, *steps)), follow

    def _play(self, go_on: Callable[[], bool]) -> None:
        machine, begun, count = self.machine, self._begun, 0
        for seed in range(PLAYS):
            random = Random(f"seen:{seed}")
            begun.looks.clear()
            try:
                state = machine.begin(watch=begun)
                for _ in range(MOST_STEPS):
                    if state.result is not None or count >= MOST_POSITIONS or not go_on():
                        break
                    count += 1
                    self._by_block.setdefault((state.block, False), []).append(Position(state, dict(begun.looks)))
                    if machine.is_chance(state):
                        answer = machine.outcomes(state).sample(random)
                    else:
                        answer = machine.options(state).random(random)
                    state = machine.step(state, answer, watch=begun)
            except RuleError:
                continue

    def speaks_against(self, fact: Fact, location: Location) -> bool:
        """Whether a fact fails at some position that belongs to a location. Of what is promised, only where plays rest:
        where it fails between, a solver tells what breaks it."""
        if fact.promise is not None and not flow.is_node(self.graph.blocks[location.block].exit):
            return False
        key = fact, location.number
        if key not in self._known:
            positions = self._positions(location)
            tests = self._compiled(fact) if positions else []
            self._known[key] = any(self._fails(tests, fact, position, by) for position, by in positions)
        return self._known[key]

    def _positions(self, location: Location) -> Sequence[tuple[Position, int]]:
        """The positions that belong to a location, and by how many seats each is turned there."""
        if location.number not in self._at:
            turns = range(len(self.graph.game.players)) if location.turned and location.within is None else range(1)
            found = self._by_block.get((location.block, location.is_exit), ())
            here = [(p, by) for p in found for by in turns if self._belongs(p.state, location, by)]
            self._at[location.number] = here[:: max(1, len(here) // ENOUGH)]
        return self._at[location.number]

    def _belongs(self, state: State, location: Location, by: int) -> bool:
        frame = self.machine.layout.frame
        if location.within is not None:
            running = {p for p in self.outside if state.slots[frame[self.graph.routines[p].back]] is not None}
            if running != location.within.running & self.outside:
                return False
        seats = len(self.graph.game.players)
        return all(
            plain_key(turned(state.slots[frame[variable]], variable.type, -by, seats), variable.type)
            == known_key(value)
            for variable, value in location.known.items()
        )

    def _compiled(self, fact: Fact) -> list[Callable[..., Any]]:
        if fact not in self._tests:
            names = (*fact.values, *fact.names)
            compile_ = self.machine.program.compile
            self._tests[fact] = [compile_(expr, names, "fact") for expr in (*fact.guards, fact.test)]
        return self._tests[fact]

    def _fails(self, tests: Sequence[Callable[..., Any]], fact: Fact, position: Position, by: int) -> bool:
        if by and not self._is_alike(fact):
            return False
        seats = len(self.graph.game.players)
        values = [turned(value, ty, by, seats) for ty, value in fact.values.values()]
        look = self.machine.look(position.state)
        slots = self.machine.layout.frame
        if any(look.s[slots[name]] is None and not isinstance(name.type, types.Optional) for name in fact.in_frame):
            return False  # what is named there is forgotten already, for nobody reads it any more
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

    def _is_alike(self, fact: Fact) -> bool:
        """Whether a fact says of each player the same, but for those that it names."""
        if fact not in self._alike:
            self._alike[fact] = self._seats.are_alike_for((fact.test, fact.guards))
        return self._alike[fact]


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


def turned(value: Any, ty: types.Type, by: int, seats: int) -> Any:
    """A value in which each player is the one who sits so many seats further on.

    >>> turned((3, 0), types.SetOf(types.Enum(types.PLAYER, ("Ann", "Ben", "Cid", "Dan"), True)), 1, 4)
    (0, 1)
    """
    if not by or value is None or not names_players(ty):
        return value
    match ty:
        case types.SetOf(of):
            return tuple(turned(member, of, by, seats) for member in value)
        case types.Optional(of):
            return turned(value, of, by, seats)
        case types.Enum():
            return (value + by) % seats
        case (
            types.Bool() | types.Int() | types.Cells() | types.Borders() | types.Pieces() | types.Map()
            | types.Never() | types.Fraction()
        ):  # fmt: skip
            return value
        case _:
            assert_never(ty)


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
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Optional() | types.Never() | types.Fraction()
        ):  # fmt: skip
            return NONE.value if value is None else int(value)
        case _:
            assert_never(ty)
