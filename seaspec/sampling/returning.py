"""Plays that come back to where they were: so they need not end, for the same way can be gone again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.core import flow
from seaspec.sampling.telling import steps
from seaspec.sampling.watch import Found, Watcher
from seaspec.sampling.words import ENDLESS, LONGER


def returning(machine: Machine, answers: Sequence[Answer]) -> Found | None:
    """The play up to where it first comes back to a choice where it was; None if it never does."""
    state = machine.begin()
    been: dict[Any, int] = {}
    for number, answer in enumerate((*answers, None)):
        if isinstance(machine.node(state), flow.Decision):
            first = been.setdefault(machine.canonical(state), number)
            if first < number:
                return Found(tuple(answers[:number]), _said(machine, answers[:number], first), first)
        if answer is not None:
            state = machine.step(state, answer)
    return None


def too_long(machine: Machine, procedure: str, answers: Sequence[Answer], calls: int | None) -> Found:
    """A play in which a procedure is called too often; None: without end, so that the play need not end."""
    found = returning(machine, answers) if calls is None else None
    times = "without end" if calls is None else f"{calls} times"
    return found or Found(tuple(answers), f"{LONGER}: {procedure} is called {times}")


def calls_in_round(machine: Machine, found: Found) -> frozenset[str]:
    """The promises `ends within` whose procedure is called on the way back: so it is called without end."""
    assert found.back is not None
    watcher = Watcher(machine)
    watcher.follow()
    state = machine.begin(watch=watcher)
    before = dict(watcher.calls)
    for number, answer in enumerate(found.answers):
        if number == found.back:
            before = dict(watcher.calls)
        state = machine.step(state, answer, watch=watcher)
    return frozenset(name for name, calls in watcher.calls.items() if calls > before.get(name, 0))


def _said(machine: Machine, answers: Sequence[Answer], first: int) -> str:
    """In words; steps have the numbers that they have where the play is told."""
    there, here = (len(list(steps(machine, Found(tuple(part))))) for part in (answers[:first], answers))
    return f"{ENDLESS}: after step {here} all is as it was {f'after step {there}' if there else 'at first'}"
