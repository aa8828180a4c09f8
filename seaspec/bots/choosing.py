"""What a bot is, and the bot that chooses at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from seaspec.backends.interpreter.choices import Choice, Options
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import Step


class BotError(Exception):
    """There is no such bot for this game. `hint`: what could be done."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Situation:
    """A decision in a true play: `steps` as in views.py, and the position at which somebody is asked.

    It holds all that is hidden. A bot looks at it only through the eyes of the player it chooses for.
    """

    machine: Machine
    steps: Sequence[Step]
    state: State

    @property
    def seat(self) -> int:
        """Who is asked."""
        seat = self.machine.decider(self.state)
        assert seat is not None
        return seat

    @property
    def options(self) -> Options:
        return self.machine.options(self.state)


class Bot(Protocol):
    """Chooses for players of one play. It may remember what it has thought; nobody else may know of it.

    `baffled`: how often it found no position that agrees with all that the player knew, and chose at random.
    """

    baffled: int

    def choose(self, situation: Situation, random: Random) -> Choice: ...


class RandomBot:
    """Takes each option with the same probability."""

    baffled = 0

    def choose(self, situation: Situation, random: Random) -> Choice:
        return situation.options.random(random)
