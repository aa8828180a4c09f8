"""Every fact is evaluated by the interpreter, wherever its place is come to: in random plays, in searches for a
position at which a promise fails, and at all positions of what is small enough to be explored. If one fails, that is
an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine, Watch
from seaspec.backends.interpreter.state import State
from seaspec.backends.native import errors
from seaspec.backends.native import machine as native
from seaspec.certify.rules import At, Rules, Said
from seaspec.core import flow, ir, types
from seaspec.core.ops import Op
from seaspec.explore.reach import TOLD_EVERY, reach
from seaspec.explore.reference import explore
from seaspec.sampling.plays import watched_plays
from seaspec.sampling.watch import Found
from seaspec.translating import state_of

MOST_ANSWERS = 400
"""So far a play of machine code is looked at."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A fact, or a promise (`of`), that fails at a position: a proof has shown what is not so. `found`: the play."""

    says: str
    of: str | None
    found: Found


@dataclass(frozen=True, slots=True)
class Evaluated:
    """How often facts were looked at, how many of them at all, of how many; at how many positions; what failed."""

    looked: int = 0
    facts: int = 0
    of: int = 0
    positions: int = 0
    complete: bool = False
    alarms: tuple[Alarm, ...] = ()


class _Watched(Machine):
    """A machine whose positions are looked at as they come up."""

    def __init__(self, rules: Rules, go_on: Callable[[], bool]) -> None:
        super().__init__(rules.graph)
        self.go_on = go_on
        self.alarms: dict[str, Alarm] = {}
        self.came: dict[State, tuple[State, Answer] | None] = {}
        self.looked = 0
        self.seen: set[Said] = set()
        self.looking: dict[str, Look] = {}
        self.here: tuple[State, Answer] | None = None
        self.at: dict[int, list[tuple[At, list[tuple[Said, Callable[..., Any]]]]]] = {}
        self.watched = frozenset(said.after for at in rules.places for said in at.facts if said.after is not None)
        for at in rules.places:
            tests = [(said, self.program.compile(said.test, said.names, "fact")) for said in at.facts]
            if not flow.is_node(rules.graph.blocks[at.block].exit):
                self._note(at, tests)
            elif at.within is None:
                self.at.setdefault(at.block, []).append((at, tests))

    def _note(self, at: At, tests: Sequence[tuple[Said, Callable[..., Any]]]) -> None:
        """Look where a block begins or ends at which no play rests."""
        steps, follow = self.blocks[at.block]

        def note(look: Look) -> None:
            if at.within is None:
                frozen = Look(self.program, tuple(look.s), tuple(look.w))
                self._judge(at, tests, frozen)

        self.blocks[at.block] = ((*steps, note) if at.ends else (note, *steps)), follow

    def come_to(self, state: State) -> None:
        """A position is come to."""
        if state in self.came:
            return
        if len(self.came) % 64 == 63 and not self.go_on():
            raise _Enough
        self.came[state] = self.here
        look = self.look(state)
        for at, tests in self.at.get(state.block, ()):
            self._judge(at, tests, look)

    def _judge(self, at: At, tests: Sequence[tuple[Said, Callable[..., Any]]], look: Look) -> None:
        if any(look.s[self.layout.frame[name]] != value for name, value in at.known.items()):
            return
        for said, test in tests:
            begun = None if said.after is None else self.looking.get(said.after)
            if said.after is not None and begun is None:
                continue
            params = () if said.after is None else self.flow.routines[said.after].params[: len(said.names)]
            values = [] if begun is None else [begun.s[self.layout.frame[param]] for param in params]
            there = look if begun is None else Look(self.program, look.s, look.w, begun)
            self.looked += 1
            self.seen.add(said)
            if said.text not in self.alarms and self._fails(test, there, *values):
                self.alarms[said.text] = Alarm(said.text, None, Found(tuple(self._way())))

    def _fails(self, test: Callable[..., Any], look: Look, *values: Any) -> bool:
        try:
            return not test(look, *values)
        except RuleError:
            return True
        except (TypeError, LookupError):  # it names what has no value here: it says nothing
            return False

    def _way(self) -> Iterator[Answer]:
        """The answers that lead here."""
        found, here = [], self.here
        while here is not None:
            state, answer = here
            found.append(answer)
            here = self.came.get(state)
        yield from reversed(found)

    def begin(self, events: Any = None, watch: Any = None) -> State:
        self.here = None
        self.looking.clear()
        state = super().begin(events, _Begun(self, watch))
        self.come_to(state)
        return state

    def step(self, state: State, answer: Answer, events: Any = None, watch: Any = None) -> State:
        self.here = state, answer
        after = super().step(state, answer, events, _Begun(self, watch))
        self.come_to(after)
        return after


class _Enough(Exception):
    """There is no time left."""


class _Begun:
    """Keeps what procedures began with, for facts that compare with that; and tells who else wants to know."""

    def __init__(self, machine: _Watched, other: Watch | None) -> None:
        self.machine = machine
        self.other = other

    def begin(self, procedure: str, look: Look) -> None:
        if procedure in self.machine.watched:
            self.machine.looking[procedure] = Look(self.machine.program, tuple(look.s), tuple(look.w))
        if self.other is not None:
            self.other.begin(procedure, look)

    def finish(self, procedure: str, look: Look) -> None:
        self.machine.looking.pop(procedure, None)
        if self.other is not None:
            self.other.finish(procedure, look)


def evaluate(
    rules: Rules, wanted: Sequence[str], plays: int, positions: int, go_on: Callable[[], bool], seed: int = 1
) -> Evaluated:
    """Look at facts, and at the promises of these names: in so many plays, and at so many positions in each search."""
    promises = [promise for promise in rules.game.rules.promises if promise.name in wanted]
    machine = _Watched(rules, go_on)
    broken: dict[str, Found] = {}
    is_complete = False
    with suppress(_Enough):
        broken |= watched_plays(machine, plays, seed, go_on=go_on).watched.broken
        _native(machine, rules, plays, seed, go_on)
        machine.watched = frozenset()
        for promise in promises:
            if isinstance(promise, ir.Invariant) and promise.name not in broken:
                way = _search(machine, promise, positions, go_on)
                broken |= {promise.name: Found(way)} if way else {}
        found = explore(machine, positions)
        is_complete = found.complete
        broken = {**found.watched.broken, **found.too_long, **broken}
        if found.stuck is not None:
            broken |= {p.name: found.stuck[1] for p in promises if isinstance(p, ir.NeverStuck)}
    facts = {said for at in rules.places for said in at.facts}
    alarms = [Alarm(f"the promise {name}", name, found) for name, found in broken.items() if name in wanted]
    return Evaluated(
        machine.looked,
        len(machine.seen),
        len(facts),
        len(machine.came),
        is_complete,
        (*alarms, *machine.alarms.values()),
    )


def _search(machine: _Watched, promise: ir.Invariant, positions: int, go_on: Callable[[], bool]) -> tuple[Answer, ...]:
    """The way to a position at which an invariant fails, if a search finds one."""
    if promise.claim is not ir.Claim.NODES:
        return ()
    fails = ir.Apply(types.Bool(), Op.NOT, (promise.test,))
    budget = iter(range(max(1, positions // TOLD_EVERY)))
    begin = machine.begin()
    return reach(machine, begin, fails, (), lambda found, memory: go_on() and next(budget, None) is not None).way


def _native(machine: _Watched, rules: Rules, plays: int, seed: int, go_on: Callable[[], bool]) -> None:
    """Positions of random plays of machine code: of those a play is not known."""
    try:
        quick = native.Machine(rules.graph)
        for number in range(plays):
            if not go_on():
                return
            for state, _ in islice(quick.record(seed, number), MOST_ANSWERS):
                machine.here = None
                machine.come_to(state_of(machine, quick.position(state)))
    except (errors.NotCompiled, RuleError, errors.RuleError):
        return
