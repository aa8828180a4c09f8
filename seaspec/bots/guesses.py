"""The positions that a bot thinks about: the true one if nothing is hidden, else guesses that agree with its view."""

from __future__ import annotations

from functools import cache
from typing import Any

from seaspec.backends.interpreter.choices import Choice
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.bots.choosing import Situation
from seaspec.bots.evidence import Eyes
from seaspec.bots.renaming import renamed
from seaspec.bots.supposing import Beliefs
from seaspec.core import flow, ir


def has_secrets(graph: flow.Flow) -> bool:
    """Whether some player may know what another does not."""
    things: list[ir.Place | ir.State] = [*graph.game.places.values(), *graph.game.states.values()]
    if any(not thing.sight.all for thing in things if not (isinstance(thing, ir.State) and thing.track)):
        return True
    for block in graph.blocks:
        if flow.is_unseen(block.exit):
            return True
        if any(isinstance(step, flow.Veil) for step in block.steps):
            return True
        if any(isinstance(step, ir.Say) and step.audience is not None for step in block.steps):
            return True
    return False


secret = cache(has_secrets)


class Guesses:
    """The guesses of a bot in one play, for each seat that it chooses for."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._beliefs: dict[tuple[Machine, int], Beliefs] = {}

    def positions(self, situation: Situation) -> list[State]:
        """Positions that the player who is asked must hold possible; none if none was found."""
        if not secret(situation.machine.flow):
            return [situation.state]
        return self._of(situation).positions(situation.steps, situation.state)

    def _of(self, situation: Situation) -> Beliefs:
        machine, seat = situation.machine, situation.seat
        if (machine, seat) not in self._beliefs:
            self._beliefs[machine, seat] = Beliefs(Eyes(machine, seat), self.size, f"guess {seat}")
        return self._beliefs[machine, seat]

    def counterpart(self, situation: Situation, guess: State, option: Choice) -> Choice | None:
        """The option of a guess that is the same to the player: with pieces of the same titles in the same places."""
        if guess is situation.state:
            return option
        machine, labels = situation.machine, self._of(situation).eyes.labels
        free: dict[tuple[int, int], list[int]] = {}
        for piece, slot in enumerate(guess.where):
            free.setdefault((labels[piece], slot), []).append(piece)
        names = {}
        for piece in sorted(set(machine.pieces_in(situation.state, option))):
            same = free.get((labels[piece], situation.state.where[piece]))
            if not same:
                return None
            names[piece] = same.pop(0)
        choice = renamed(machine, guess, option, names)
        return choice if choice in machine.options(guess) else None  # type: ignore[return-value]


def names_at(eyes: Eyes, state: State) -> dict[int, Any]:
    """Pieces by what the player can tell of them at a position, label and place: the same in all guesses."""
    return {piece: (eyes.labels[piece], slot) for piece, slot in enumerate(state.where)}
