"""Every fact is evaluated by the interpreter, wherever its place is come to: in random plays, in searches for a position
at which a promise fails, and at all positions of what is small enough to be explored. One that fails is an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.native import machine as native
from seaspec.backends.native.errors import NotCompiled
from seaspec.certify.rules import At, Rules, Said
from seaspec.core import flow, ir, types
from seaspec.core.ops import Op
from seaspec.explore.reach import reach
from seaspec.explore.reference import explore
from seaspec.sampling.watch import Found
from seaspec.translating import state_of


@dataclass(frozen=True, slots=True)
class Alarm:
    """A fact, or a promise (`of`), that fails at a position: a proof has shown what is not so. `found`: the play."""

    says: str
    of: str | None
    block: int
    found: Found


@dataclass(frozen=True, slots=True)
class Evaluated:
    """How often facts were looked at, how many of them at all, of how many; at how many positions; what failed."""

    looked: int
    facts: int
    of: int
    positions: int
    complete: bool
    alarms: tuple[Alarm, ...]


class _Watched(Machine):
    """A machine whose positions are looked at as they come up."""

    def __init__(self, rules: Rules, promises: Sequence[ir.Promise]) -> None:
        super().__init__(rules.graph)
        self.alarms: dict[str, Alarm] = {}
        self.came: dict[State, tuple[State, Answer] | None] = {}
        self.looked = 0
        self.seen: set[Said] = set()
        self.looking: dict[str, Look] = {}
        self.here: tuple[State, Answer] | None = None
        self.at: dict[int, list[tuple[At, list[tuple[Said, Callable[..., Any]]]]]] = {}
        self.promises = [
            (p.name, self.program.compile(p.test, (), "promise"), p.procedures)
            for p in promises
            if isinstance(p, ir.Invariant) and p.claim in (ir.Claim.NODES, ir.Claim.OUTSIDE)
        ]
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
                self._judge(at, tests, frozen, at.block)

        self.blocks[at.block] = ((*steps, note) if at.ends else (note, *steps)), follow

    def come_to(self, state: State) -> None:
        """A position is come to."""
        if state in self.came:
            return
        self.came[state] = self.here
        look = self.look(state)
        for at, tests in self.at.get(state.block, ()):
            self._judge(at, tests, look, state.block)
        for name, test, outside in self.promises:
            backs = [self.layout.frame[self.flow.routines[one].back] for one in outside]
            if all(state.slots[back] is None for back in backs) and self._fails(test, look):
                self._alarm(name, name, state.block)

    def _judge(self, at: At, tests: Sequence[tuple[Said, Callable[..., Any]]], look: Look, block: int) -> None:
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
                self._alarm(said.text, None, block)

    def _fails(self, test: Callable[..., Any], look: Look, *values: Any) -> bool:
        try:
            return not test(look, *values)
        except RuleError:
            return True

    def _alarm(self, text: str, of: str | None, block: int) -> None:
        if text not in self.alarms:
            self.alarms[text] = Alarm(text, of, block, Found(tuple(self._way())))

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
        state = super().begin(events, watch)
        self.come_to(state)
        return state

    def step(self, state: State, answer: Answer, events: Any = None, watch: Any = None) -> State:
        self.here = state, answer
        after = super().step(state, answer, events, watch)
        self.come_to(after)
        return after


class _Begun:
    """Keeps what procedures began with, for facts that compare with that."""

    def __init__(self, machine: _Watched, watched: set[str]) -> None:
        self.machine = machine
        self.watched = watched

    def begin(self, procedure: str, look: Look) -> None:
        if procedure in self.watched:
            self.machine.looking[procedure] = Look(self.machine.program, tuple(look.s), tuple(look.w))

    def finish(self, procedure: str, look: Look) -> None:
        self.machine.looking.pop(procedure, None)


def evaluate(
    rules: Rules, wanted: Sequence[str], plays: int, positions: int, go_on: Callable[[], bool], seed: int = 1
) -> Evaluated:
    """Look at facts, and at the promises of these names: in so many plays, and at so many positions in each search."""
    promises = [promise for promise in rules.game.rules.promises if promise.name in wanted]
    machine = _Watched(rules, promises)
    is_complete = False
    for number in range(plays):
        if go_on():
            _play(machine, rules, Random(f"certify:{seed}:{number}"))
    _native(machine, rules, plays, seed, go_on)
    machine.looking.clear()
    if go_on():
        is_complete = explore(machine, positions).complete
    for promise in promises:
        if isinstance(promise, ir.Invariant) and not is_complete and go_on():
            fails = ir.Apply(types.Bool(), Op.NOT, (promise.test,))
            budget = iter(range(max(1, positions // 256)))
            begin = machine.begin()
            reach(machine, begin, fails, (), lambda found, memory: go_on() and next(budget, None) is not None)
    facts = {said for at in rules.places for said in at.facts}
    return Evaluated(
        machine.looked, len(machine.seen), len(facts), len(machine.came), is_complete, tuple(machine.alarms.values())
    )


def _play(machine: _Watched, rules: Rules, random: Random, most: int = 400) -> None:
    """A random play."""
    watch = _Begun(machine, {said.after for at in rules.places for said in at.facts if said.after is not None})
    machine.looking.clear()
    try:
        state = machine.begin(watch=watch)
        for _ in range(most):
            if state.result is not None:
                return
            if machine.is_chance(state):
                answer: Answer = machine.outcomes(state).sample(random)
            else:
                answer = machine.options(state).random(random)
            state = machine.step(state, answer, watch=watch)
    except RuleError:
        return  # what the rules owe is another promise's affair


def _native(machine: _Watched, rules: Rules, plays: int, seed: int, go_on: Callable[[], bool]) -> None:
    """Positions of random plays of machine code: of those a play is not known."""
    try:
        quick = native.Machine(rules.graph)
        for number in range(plays):
            if not go_on():
                return
            for state, _ in islice(quick.record(seed, number), 400):
                machine.here = None
                machine.come_to(state_of(machine, quick.position(state)))
    except (NotCompiled, RuleError, native.RuleError):
        return
