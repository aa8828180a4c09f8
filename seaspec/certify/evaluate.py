"""Every fact is evaluated by the interpreter, wherever its place is come to: in random plays, in searches for a
position at which a promise fails, and at all positions of what is small enough to be explored. If one fails, that is
an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from seaspec.core import flow, ir
from seaspec.core.definedness import negated
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


class _Enough(Exception):
    """There is no time left."""


class _Watched(Machine):
    """A machine whose positions are looked at as they come up."""

    def __init__(self, rules: Rules, go_on: Callable[[], bool]) -> None:
        super().__init__(rules.graph)
        self.go_on = go_on
        self.alarms: dict[str, Alarm] = {}
        self.came: dict[State, tuple[State, Answer] | None] = {}
        self.looked = 0
        self.seen: set[Said] = set()
        self.begun: dict[str, Look] = {}
        self.here: tuple[State, Answer] | None = None
        self.at: dict[int, list[At]] = {}
        self.tests: dict[Said, Callable[..., Any]] = {}
        self.watched = frozenset(said.after for at in rules.places for said in at.facts)
        for at in rules.places:
            block = at.place.block
            self.tests |= {said: self.program.compile(said.test, said.names, "fact") for said in at.facts}
            if at.place.within is None and flow.is_node(rules.graph.blocks[block].exit):
                self.at.setdefault(block, []).append(at)
            elif at.place.within is None:
                self._note(at)

    def _note(self, at: At) -> None:
        """Look where a block begins or ends at which no play rests."""
        steps, follow = self.blocks[at.place.block]

        def note(look: Look) -> None:
            self._judge(at, Look(self.program, tuple(look.s), tuple(look.w)))

        self.blocks[at.place.block] = ((*steps, note) if at.place.ends else (note, *steps)), follow

    def come_to(self, state: State) -> None:
        """A position is come to."""
        if state in self.came:
            return
        if len(self.came) % 64 == 63 and not self.go_on():
            raise _Enough
        self.came[state] = self.here
        for at in self.at.get(state.block, ()):
            self._judge(at, self.look(state))

    def _judge(self, at: At, look: Look) -> None:
        if any(look.s[self.layout.frame[name]] != value for name, value in at.known.items()):
            return
        for said in at.facts:
            begun = None if said.after is None else self.begun.get(said.after)
            if said.after is None or begun is not None:
                params = self.flow.routines[said.after].params[: len(said.names)] if said.after is not None else ()
                values = [] if begun is None else [begun.s[self.layout.frame[param]] for param in params]
                self.looked += 1
                self.seen.add(said)
                there = look if begun is None else Look(self.program, look.s, look.w, begun)
                if said.text not in self.alarms and self._fails(said, there, *values):
                    self.alarms[said.text] = Alarm(said.text, None, Found(self._way()))

    def _fails(self, said: Said, look: Look, *values: Any) -> bool:
        try:
            return not self.tests[said](look, *values)
        except RuleError:
            return True
        except (TypeError, LookupError):  # it names what has no value here: it says nothing
            return False

    def _way(self) -> tuple[Answer, ...]:
        """The answers that lead here."""
        found, here = [], self.here
        while here is not None:
            state, answer = here
            found.append(answer)
            here = self.came.get(state)
        return tuple(reversed(found))

    def begin(self, events: Any = None, watch: Any = None) -> State:
        self.here = None
        self.begun.clear()
        state = super().begin(events, _Begun(self, watch))
        self.come_to(state)
        return state

    def step(self, state: State, answer: Answer, events: Any = None, watch: Any = None) -> State:
        self.here = state, answer
        after = super().step(state, answer, events, _Begun(self, watch))
        self.come_to(after)
        return after


class _Begun:
    """Keeps what procedures began with, for facts that compare with that; and tells who else wants to know."""

    def __init__(self, machine: _Watched, other: Watch | None) -> None:
        self.machine = machine
        self.other = other

    def begin(self, procedure: str, look: Look) -> None:
        if procedure in self.machine.watched:
            self.machine.begun[procedure] = Look(self.machine.program, tuple(look.s), tuple(look.w))
        if self.other is not None:
            self.other.begin(procedure, look)

    def finish(self, procedure: str, look: Look) -> None:
        self.machine.begun.pop(procedure, None)
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
    alarms = [Alarm(f"the promise {name}", name, found) for name, found in broken.items() if name in wanted]
    every = (*alarms, *machine.alarms.values())
    return Evaluated(machine.looked, len(machine.seen), len(machine.tests), len(machine.came), is_complete, every)


def _search(machine: _Watched, promise: ir.Invariant, positions: int, go_on: Callable[[], bool]) -> tuple[Answer, ...]:
    """The way to a position at which an invariant fails, if a search finds one."""
    if promise.claim is not ir.Claim.NODES:
        return ()
    budget = iter(range(max(1, positions // TOLD_EVERY)))
    goes_on: Callable[..., bool] = lambda *_: go_on() and next(budget, None) is not None  # noqa: E731
    return reach(machine, machine.begin(), negated(promise.test), (), goes_on).way


def _native(machine: _Watched, rules: Rules, plays: int, seed: int, go_on: Callable[[], bool]) -> None:
    """Positions of random plays of machine code: of those a play is not known."""
    with suppress(errors.NotCompiled, RuleError, errors.RuleError):
        quick = native.Machine(rules.graph)
        for number in range(plays):
            for state, _ in islice(quick.record(seed, number), MOST_ANSWERS if go_on() else 0):
                machine.here = None
                machine.come_to(state_of(machine, quick.position(state)))
