"""Plays of machine code, gone again by the interpreter: step by step it takes what leads to the same position.

Machine code numbers options and identical pieces in its own way, so what is compared are positions. What can not be
followed is a fault of the tool, and is said to be one (`NotFollowed`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any, assert_never

from seaspec.backends.interpreter import errors
from seaspec.backends.interpreter.chance import Drawn, Rolled, Thrown
from seaspec.backends.interpreter.choices import PASS, Act, Line, Share, Subset, Values
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.native import machine as native
from seaspec.core import flow, ir
from seaspec.sampling.plays import answers_at
from seaspec.sampling.reference import NotFollowed
from seaspec.translating import state_of

TRIED = 10_000
"""So many answers at a position are looked through."""


class Following:
    """Answers of the interpreter for what machine code has done."""

    def __init__(self, machine: Machine, compiled: native.Machine) -> None:
        self.machine, self.native = machine, compiled

    def likely(self, here: State, option: native.Option, after: native.State) -> Answer:
        """The same soon: wrong only where identical pieces have changed their parts."""
        return next(self._option(here, option), None) or self.answer(here, option, after)

    def answer(self, here: State, option: native.Option, after: native.State) -> Answer:
        """The answer of the interpreter that leads to the same position."""
        machine = self.machine
        goal = machine.canonical(state_of(machine, self.native.position(after)))
        for answer in chain(self._option(here, option), islice(answers_at(machine, here), TRIED)):
            try:
                if machine.canonical(machine.step(here, answer)) == goal:
                    return answer
            except (errors.RuleError, errors.ChoiceError):
                continue
        raise NotFollowed("a move that only machine code can make")

    def _option(self, here: State, option: native.Option) -> Iterator[Answer]:
        """The option of the interpreter that it is, unless identical pieces have changed their parts."""
        offered: Any = self.machine.outcomes(here) if self.machine.is_chance(here) else self.machine.options(here)
        with suppress(errors.RuleError, errors.ChoiceError):
            yield offered.canonical(self._told(here, option))

    def _told(self, here: State, option: native.Option) -> Answer:
        """The option in terms of the interpreter."""
        values: Any = option.values
        if option.is_pass:
            return PASS
        if option.action is not None:
            return Act(option.action, values)
        match self.machine.node(here):
            case flow.DrawNode():
                return Drawn(*values)
            case flow.RollNode():
                return Rolled(*values)
            case flow.ThrowNode():
                return Thrown(values[:-1], values[-1])
            case flow.Decision(offer=ir.OfferSubset()) | flow.ChanceNode(offer=ir.OfferSubset()):
                return Subset(*values)
            case flow.Decision(offer=ir.OfferShare()) | flow.ChanceNode(offer=ir.OfferShare()):
                return Share(*values)
            case flow.Decision(offer=flow.OfferLines()):
                return Line(*values)
            case flow.Decision() | flow.ChanceNode() | flow.Over() | flow.Outside():
                return Values(values)
            case never:
                assert_never(never)


def said(message: str) -> str:
    """What a message says, without the values that it names: machine code does not tell them.

    >>> said("3 is not in 1..2") == said("a value is not in 1..2")
    True
    >>> said("What is this is not in 1..2") == said("a value is not in 1..2")
    True
    >>> said("exactly one was expected, there are 2") == said("exactly one was expected")
    True
    """
    told = message.partition(", there are ")[0]
    value, _, wanted = told.rpartition(" is not in ")
    if value:
        return f"not in {wanted.partition(':')[0]}"
    return told.partition(" is ")[2].partition(":")[0] or told
