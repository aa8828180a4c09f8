"""Promises watched while a game runs: compiled tests, told of procedures as they begin and end.

A `Watcher` is made once a game; `follow` starts a play, and is then told of each position. What breaks is kept by name,
with the answers that led there; a promise is looked at wherever it is claimed, and how often is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import ir, types
from seaspec.core.types import Value
from seaspec.sampling.words import LONGER

Test = Callable[..., Any]
LEMMA_TRIES = 3
"""Values tried for the parameters of a lemma at a position."""


@dataclass(frozen=True, slots=True)
class Found:
    """A play that shows something: its answers and outcomes, in order. `detail`: what is wrong, beyond the promise.
    `back`: at the end all is as it was after so many answers; so what is between can be done for ever. `beside`: the
    answers of another play, which looked alike to somebody up to its last step."""

    answers: tuple[Answer, ...]
    detail: str = ""
    back: int | None = None
    beside: tuple[Answer, ...] | None = None

    def shorter(self, other: Found | None) -> Found:
        """The one that is easier to follow; one that comes back to where it was says more than any other."""
        return self if other is None or self._worth < other._worth else other

    @property
    def _worth(self) -> tuple[bool, int]:
        return self.back is None, len(self.answers)


@dataclass(slots=True)
class Findings:
    """What watching has shown."""

    looked: Counter[str] = field(default_factory=Counter)
    """How often each promise was looked at."""
    broken: dict[str, Found] = field(default_factory=dict)
    witnessed: dict[str, Found] = field(default_factory=dict)
    most_calls: Counter[str] = field(default_factory=Counter)
    """Of each `ends within`: the most calls seen in a play."""
    unsupposed: set[str] = field(default_factory=set)
    """Promises `a implies b` that were looked at, and `a` was never so. Exploration by machine code does not tell."""

    def add(self, other: Findings) -> None:
        """What others have seen: of two plays that show the same, the shorter one."""
        self.unsupposed = {
            name
            for name in self.unsupposed | other.unsupposed
            if all(name in one.unsupposed or not one.looked[name] for one in (self, other))
        }
        self.looked += other.looked
        self.most_calls |= other.most_calls
        for mine, theirs in ((self.broken, other.broken), (self.witnessed, other.witnessed)):
            for name, found in theirs.items():
                mine[name] = found.shorter(mine.get(name))


@dataclass(slots=True)
class _After:
    name: str
    procedure: str
    slots: tuple[int, ...]
    test: Test


class Watcher:
    """The promises of a game, or some of them, ready to be watched."""

    def __init__(self, machine: Machine, promises: Sequence[ir.Promise] | None = None) -> None:
        self.machine = machine
        self.findings = Findings()
        self._answers: list[Answer] = []
        self._way: Callable[[], tuple[Answer, ...]] = lambda: tuple(self._answers)
        self._explores = False
        """Positions come nearest first, so the first play that breaks a promise is a shortest one."""
        self.calls: Counter[str] = Counter()
        """Of each `ends within`: the calls so far, in this play or in this step."""
        self.spread: set[str] = set()
        """What is claimed of a procedure in which somebody decides: exploring step by step, it is not seen."""
        self._before: dict[str, tuple[Look, tuple[Value, ...]]] = {}
        self._nodes: list[tuple[str, Test, tuple[int, ...]]] = []
        self._begins: dict[str, list[tuple[str, Test]]] = {}
        self._ends: dict[str, list[tuple[str, Test]]] = {}
        self._steps: list[tuple[str, Test]] = []
        self._after: dict[str, list[_After]] = {}
        self._lemmas: list[tuple[str, Test, tuple[ir.Param, ...], list[Test | None], list[Test | None]]] = []
        self._reachable: list[tuple[str, Test]] = []
        self._within: dict[str, list[ir.EndsWithin]] = {}
        self._needed: list[tuple[str, Test, Test]] = []
        self._supposed: dict[str, Test] = {}
        """Of promises `a implies b` the `a`, as long as it was never so."""
        self._lacking: set[str] = set()
        """Of each `winnable .. only if`: in this play somebody had to decide without what is said to be needed."""
        self._decisions: list[State] = []
        """Where somebody had to decide in this play; kept for these promises alone."""
        self._seen: Counter[str] = Counter()
        """How many of them have been looked at."""
        for promise in machine.game.promises if promises is None else promises:
            self._add(promise)
        self._snapshots = frozenset(self._after)

    def _compile(self, test: ir.Expr, params: tuple[ir.Variable, ...] = ()) -> Test:
        return self.machine.program.compile(test, params, "promise")

    def _add(self, promise: ir.Promise) -> None:
        supposed = ir.supposition(promise)
        if supposed is not None:
            self._supposed[promise.name] = self._compile(supposed)
        match promise:
            case ir.Invariant():
                test = self._compile(promise.test)
                if promise.claim is ir.Claim.AT:
                    for procedure in promise.procedures:
                        self._begins.setdefault(procedure, []).append((promise.name, test))
                elif promise.claim is ir.Claim.AT_END:
                    for procedure in promise.procedures:
                        self._ends.setdefault(procedure, []).append((promise.name, test))
                else:
                    self._nodes.append((promise.name, test, self._back_slots(promise.procedures)))
            case ir.Always():
                if not promise.after:
                    self._steps.append((promise.name, self._compile(promise.test)))
                for procedure, variables, test_expr in promise.after:
                    routine = self.machine.flow.routines.get(procedure)
                    if routine is None:
                        continue
                    slots = tuple(self.machine.layout.frame[v] for v in routine.params[: len(variables)])
                    test = self._compile(test_expr, variables)
                    self._after.setdefault(procedure, []).append(_After(promise.name, procedure, slots, test))
            case ir.Lemma():
                params = tuple(p.variable for p in promise.params)
                domains = [
                    None if p.domain is None else self._compile(p.domain, params[:i])
                    for i, p in enumerate(promise.params)
                ]
                tests = [
                    None if p.test is None else self._compile(p.test, params[: i + 1])
                    for i, p in enumerate(promise.params)
                ]
                self._lemmas.append((promise.name, self._compile(promise.test, params), promise.params, domains, tests))
            case ir.Reachable():
                self._reachable.append((promise.name, self._compile(promise.test)))
            case ir.EndsWithin():
                self._within.setdefault(promise.procedure, []).append(promise)
            case ir.Winnable() if promise.needed is not None:
                needed, test = self._compile(promise.needed), self._compile(promise.test)
                self._needed.append((promise.name, needed, test))
            case ir.Winnable() | ir.NeverStuck() | ir.Secret() | ir.OddsPromise() | ir.Symmetry():
                pass
            case _:
                assert_never(promise)

    def _back_slots(self, procedures: tuple[str, ...]) -> tuple[int, ...]:
        routines = self.machine.flow.routines
        return tuple(self.machine.layout.frame[routines[p].back] for p in procedures if p in routines)

    # ------------------------------------------------------------------------------------------------------ watching

    def follow(self) -> None:
        """A new play begins."""
        self._answers = []
        self.calls.clear()
        self._before.clear()
        self._lacking.clear()
        self._decisions.clear()
        self._seen.clear()

    def begin(self, procedure: str, look: Look) -> None:
        """A procedure begins (called by the machine)."""
        for promise in self._within.get(procedure, ()):
            self.calls[promise.name] += 1
            self.findings.looked[promise.name] += 1
            if self.calls[promise.name] > promise.calls:
                self._broken(promise.name, f"{LONGER}: {procedure} is called {self.calls[promise.name]} times")
        for name, test in self._begins.get(procedure, ()):
            self._judge(name, test, look)
        if procedure in self._snapshots:
            slots, where = tuple(look.s), tuple(look.w)
            values = tuple(slots[s] for s in self._after[procedure][0].slots)
            self._before[procedure] = Look(self.machine.program, slots, where), values

    def finish(self, procedure: str, look: Look) -> None:
        """A procedure has ended (called by the machine)."""
        for name, test in self._ends.get(procedure, ()):
            self._judge(name, test, look)
        if procedure in self._before:
            old, _ = self._before.pop(procedure)
            here = Look(self.machine.program, tuple(look.s), tuple(look.w), old)
            for after in self._after[procedure]:
                self._judge(after.name, after.test, here, *(old.s[s] for s in after.slots))

    @property
    def watches_steps(self) -> bool:
        """Whether some promise is about each step, and not only about positions."""
        return bool(self._steps)

    def come_to(self, way: Callable[[], tuple[Answer, ...]]) -> None:
        """The next step is reached by this way, and belongs to no play that is followed: nothing before it counts."""
        self._way = way
        self._explores = True
        self.calls.clear()
        for procedure in self._before:
            self.spread |= {after.name for after in self._after[procedure]}
        self._before.clear()

    def answered(self, answer: Answer) -> None:
        """The next answer or outcome; told before the step is made."""
        self._answers.append(answer)

    def unanswered(self) -> None:
        """The last answer is taken back."""
        self._answers.pop()

    def position(self, before: State | None, state: State) -> None:
        """The play has come to a node."""
        look = self.machine.look(state)
        for name, test, outside in self._nodes:
            if not any(state.slots[slot] is not None for slot in outside):
                self._judge(name, test, look)
        if self._steps and before is not None:
            here = Look(self.machine.program, state.slots, state.where, self.machine.look(before))
            for name, test in self._steps:
                self._judge(name, test, here)
        for name, test in self._reachable:
            if name not in self.findings.witnessed and self._holds(test, look):
                self.findings.witnessed[name] = Found(self._way())
            self.findings.looked[name] += 1
        if self._needed and not self._explores:
            self._judge_needed(state, look)

    def _judge_needed(self, state: State, look: Look) -> None:
        """Who gets to a goal never lacked what it is said to need; that is seen in whole plays only.

        What is needed may be much to work out, so it is looked at only once somebody gets there.
        """
        if self.machine.decider(state) is not None:
            self._decisions.append(state)
        for name, needed, goal in self._needed:
            if self._holds(goal, look):
                self.findings.looked[name] += 1
                if self._has_lacked(name, needed):
                    self._broken(name, "it lacked what is said to be needed, and got there")

    def _has_lacked(self, name: str, needed: Test) -> bool:
        """Whether at some decision of this play what is needed was not there."""
        if name not in self._lacking:
            new = self._decisions[self._seen[name] :]
            self._seen[name] = len(self._decisions)
            if any(not self._holds(needed, self.machine.look(before)) for before in new):
                self._lacking.add(name)
        return name in self._lacking

    def lemmas(self, state: State, random: Random) -> None:
        """Try the lemmas at a position, with a few values for their parameters."""
        look = self.machine.look(state)
        for name, test, params, domains, tests in self._lemmas:
            for _ in range(LEMMA_TRIES if params else 1):
                values = self._draw(look, params, domains, tests, random)
                if values is not None:
                    self._judge(name, test, look, *values)

    def _draw(
        self,
        look: Look,
        params: tuple[ir.Param, ...],
        domains: list[Test | None],
        tests: list[Test | None],
        random: Random,
    ) -> list[Value] | None:
        values: list[Value] = []
        for param, domain, test in zip(params, domains, tests, strict=True):
            among = tuple(domain(look, *values)) if domain is not None else _listed(param.variable.type)
            if not among:
                return None
            values.append(random.choice(among))
            if test is not None and not test(look, *values):
                return None
        return values

    def _holds(self, test: Test, look: Look, *values: Value) -> bool:
        try:
            return bool(test(look, *values))
        except RuleError:
            return False

    def _judge(self, name: str, test: Test, look: Look, *values: Value) -> None:
        self.findings.looked[name] += 1
        if name in self._supposed:
            self._suppose(name, look)
        try:
            if test(look, *values):
                return
            self._broken(name, "")
        except RuleError as error:
            self._broken(name, f"it has no value here: {error.message}")

    def _suppose(self, name: str, look: Look) -> None:
        """Note whether what a promise supposes is so here."""
        if self._holds(self._supposed[name], look):
            del self._supposed[name]
            self.findings.unsupposed.discard(name)
        else:
            self.findings.unsupposed.add(name)

    def _broken(self, name: str, detail: str) -> None:
        if self._explores and name in self.findings.broken:
            return
        found = Found(self._way(), detail)
        self.findings.broken[name] = found.shorter(self.findings.broken.get(name))

    def over(self) -> None:
        """The play is over. What was lacking at its last decision is not known to have come back."""
        for name, needed, _ in self._needed if self._decisions else ():
            self.findings.looked[name] += not self._holds(needed, self.machine.look(self._decisions[-1]))
        for name, calls in self.calls.items():
            self.findings.most_calls[name] = max(self.findings.most_calls[name], calls)


def _listed(ty: types.Type) -> tuple[Value, ...]:
    """All values of a type; of a map, a few."""
    if isinstance(ty, types.SetOf | types.Fraction) or types.size(ty) > 100_000:
        return ()
    return tuple(types.values(ty))
