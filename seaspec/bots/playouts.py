"""Random plays from a position to the end: by machine code where there is some, else by the interpreter.

Both choose each option with the same probability, so a bot is as wise with one as with the other, but much faster with
machine code.
"""

from __future__ import annotations

from random import Random
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.native import errors
from seaspec.translating import Translator

Result = tuple[tuple[int, ...], tuple[int, ...], Any]
"""Winners, losers, scores by seat."""
LONG = 5_000
"""Steps at most in a random play; then it counts as won by nobody."""


class Playout(Protocol):
    """Plays on at random from a position; how the game ends, or None if it did not, or the rules failed."""

    def __call__(self, state: State, random: Random) -> Result | None: ...


def playout_for(machine: Machine) -> Playout:
    """The faster way."""
    if machine not in _known:
        _known[machine] = _native(machine) or by_interpreter(machine)
    return _known[machine]


_known: WeakKeyDictionary[Machine, Playout] = WeakKeyDictionary()


def by_interpreter(machine: Machine) -> Playout:
    def play_out(state: State, random: Random) -> Result | None:
        try:
            for after in machine.play_out(state, random, LONG):
                state = after
        except RuleError:
            return None
        return state.result

    return play_out


def _native(machine: Machine) -> Playout | None:
    """None if the game is nothing for machine code."""
    try:
        from seaspec.backends.native.machine import Machine as Native

        native = Native(machine.flow)
    except (ImportError, errors.NotCompiled):
        return None
    translator, slower = Translator(machine, native.layout), by_interpreter(machine)

    def play_out(state: State, random: Random) -> Result | None:
        if state.result is not None:
            return state.result
        try:
            end = native.play_on(translator.native(state), random.getrandbits(63), LONG)
        except errors.RuleError:
            return None
        except errors.NotCompiled:  # something is too big for it here
            return slower(state, random)
        return None if end is None else native.result(end)

    return play_out
