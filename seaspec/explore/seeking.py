"""What no play has met is looked for by guided search: positions and steps in which a promise is met, or broken;
actions that are taken, guards that forbid something, and endings that are met.

The interpreter goes the way that was found once more, with all promises watched, and judges: so what else comes up on
it is seen, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from random import Random
from typing import assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir, types
from seaspec.core.definedness import either, negated
from seaspec.core.walk import free_variables
from seaspec.explore.distance import MOST_VALUES, is_small, way_to
from seaspec.explore.reach import Ended, Reached, reach
from seaspec.sampling.plays import PlayFindings, note_failure, place_of, trial, try_guards
from seaspec.sampling.watch import Found, Watcher

Sought = ir.Reachable | ir.Invariant | ir.Always
"""Promises that a position or a step shows to be met, or broken."""


def seek(
    machine: Machine, promise: Sought, go_on: Callable[[Reached, int], bool], seed: int
) -> tuple[Reached, PlayFindings]:
    """Search for a play that meets `reachable`, or breaks another promise; and what that play shows, if there is one.

    `go_on` is asked now and then whether there is time for more, and told what was looked at and the bytes in use.
    """
    try:
        start = machine.begin()
    except RuleError:
        return Reached(Ended.ALL), PlayFindings()
    found = reach(machine, start, _guide(promise), (), go_on, seed, Watcher(machine, [promise]))
    return found, _shown(machine, found.way) if found.ended is Ended.FOUND else PlayFindings()


@dataclass(frozen=True, slots=True)
class Use:
    """An action (by its name), or an ending (where it stands in the text), that nobody has been seen to use; or a guard
    of the action that has never forbidden anything."""

    action: str | None
    source: ir.Source
    guard: ir.Guard | None = None


def seek_use(
    machine: Machine, use: Use, go_on: Callable[[Reached, int], bool], seed: int
) -> tuple[Reached, PlayFindings]:
    """Search for a play in which an action is taken, an ending met, or something forbidden by a guard; and what it
    shows, if there is one."""
    try:
        start = machine.begin()
    except RuleError:
        return Reached(Ended.ALL), PlayFindings()
    guide = way_to(machine.game, use.action, None if use.action is not None else use.source, use.guard)
    found = reach(machine, start, guide, (), go_on, seed, _Noticing(machine, use, seed))
    return found, _shown(machine, found.way) if found.ended is Ended.FOUND else PlayFindings()


class _Noticing(Watcher):
    """Watches no promises, but whether something is used."""

    def __init__(self, machine: Machine, use: Use, seed: int) -> None:
        super().__init__(machine, ())
        self._use = use
        self._trial, self._random = None if use.guard is None else trial(machine), Random(seed)

    def begin(self, procedure: str, look: Look) -> None:
        if procedure == self._use.action and self._use.guard is None:
            self._notice()

    def position(self, before: State | None, state: State) -> None:
        node = self.machine.node(state)
        if self._use.guard is not None and self._trial is not None:
            try_guards(self._trial, state, self._random)
            if (self._use.action, self._use.guard.name) in self._trial.findings.bites:
                self._notice()
            return
        if self._use.action is None and isinstance(node, flow.Over) and node.how is not None:
            if place_of(node.how.source) == place_of(self._use.source):
                self._notice()

    def _notice(self) -> None:
        self.findings.witnessed["used"] = Found(())


def _guide(promise: Sought) -> ir.Expr:
    """What to go for. It decides nothing: of what is claimed of a procedure it is enough that it may fail soon."""
    match promise:
        case ir.Reachable():
            return promise.test
        case ir.Always(after=after) if after:
            return either([_failing(test) for _, _, test in after])
        case ir.Invariant() | ir.Always():
            return negated(promise.test)
        case never:
            assert_never(never)


def _failing(test: ir.Expr) -> ir.Expr:
    """That a test fails, whatever the names in it stand for; as it is where those are too many to be tried."""
    names = free_variables(test)
    if not all(is_small(name.type) for name in names) or prod(types.size(name.type) for name in names) > MOST_VALUES:
        return ir.Const(types.Bool(), False)
    binders = tuple(ir.Binder(name, ir.Const(types.SetOf(name.type), tuple(types.values(name.type)))) for name in names)
    return ir.Fold(types.Bool(), ir.FoldKind.SOME, binders, negated(test)) if binders else negated(test)


def _shown(machine: Machine, way: tuple[Answer, ...]) -> PlayFindings:
    """What a play shows, all promises watched."""
    judge = Watcher(machine)
    findings = PlayFindings(watched=judge.findings)
    judge.follow()
    gone: list[Answer] = []
    try:
        state = machine.begin(watch=judge)
        judge.position(None, state)
        for answer in way:
            gone.append(answer)
            judge.answered(answer)
            before, state = state, machine.step(state, answer, watch=judge)
            judge.position(before, state)
    except RuleError as error:
        note_failure(findings, error, Found(tuple(gone), error.message))
    return findings
