"""Plays that need not end: one that comes back to where it was can go the same way again, as often as one likes.

Machine code wanders: it plays at random, and where a play would be over it goes some steps back and chooses otherwise.
From where it then is it looks for a way back to this very position, always on from the position that is most like it.
At last a shorter way to that position is looked for. What is found so the interpreter goes again, and judges for itself
(returning.py).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from operator import ne
from random import Random

from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.native import machine as native
from seaspec.backends.native.errors import NotCompiled, RuleError
from seaspec.backends.native.watcher import Watcher
from seaspec.core import flow
from seaspec.game import Game
from seaspec.sampling.following import Following
from seaspec.sampling.reference import NotFollowed
from seaspec.sampling.returning import returning
from seaspec.sampling.watch import Found

LENGTHS = 20, 60, 200, 400
"""Steps that one wanders, by turns."""
TRIES = 10
"""Steps that are tried for each one of these."""
OPTIONS = 12
"""Options that are looked at in a position; of more, so many are drawn."""
BACK, THERE = 2_000, 10_000
"""Steps that are tried to come back, and to find a shorter way there."""

Move = tuple[int, native.State]
"""The number of an option, and what it leads to."""


class Wandering:
    """A search for a play that comes back to where it was, as long as one likes; a seed gives the same search."""

    def __init__(self, machine: Machine, compiled: native.Machine, seed: int) -> None:
        self.machine, self.compiled = machine, compiled
        self.random = Random(seed)
        self.tried = 0
        """Steps that were made."""
        self._turn = 0
        self._go_on: Callable[[], bool] = lambda: True

    def look(self, most: int, go_on: Callable[[], bool]) -> Found | None:
        """Look until about so many steps were made in all, or one should not go on."""
        self._go_on = go_on
        while self._has_time(most):
            way = self._wander(LENGTHS[self._turn % len(LENGTHS)])
            self._turn += 1
            self.tried += 1
            found = None if len(way) < 2 else self._around(way)
            if found is not None:
                return found
        return None

    def _around(self, way: list[Move]) -> Found | None:
        """A play that goes this way, or a shorter one, and back to where it leads."""
        begin, there = way[0][1], way[-1][1]
        round_ = self._towards(there, there, BACK)
        if round_ is None:
            return None
        shorter = self._towards(begin, there, THERE)
        return self._gone([*(way[1:] if shorter is None or len(shorter) >= len(way) else shorter), *round_])

    def _gone(self, way: Sequence[Move]) -> Found | None:
        """The same by the interpreter; None if it can not go this way, or does not come back."""
        following = Following(self.machine, self.compiled)
        state, here = self.machine.begin(), self.compiled.begin()
        answers = []
        try:
            for number, after in way:
                answers.append(following.answer(state, self.compiled.options(here, [number])[0], after))
                state, here = self.machine.step(state, answers[-1]), after
        except NotFollowed:
            return None
        return returning(self.machine, answers)

    def _wander(self, length: int) -> list[Move]:
        """A way of about so many steps, from the beginning to a choice; shorter, if nothing longer comes up soon."""
        try:
            way: list[Move] = [(0, self.compiled.begin())]
        except RuleError:
            return []
        farthest, lost = 1, 0
        end = self.tried + 2 * TRIES * length
        while self._has_time(end) and not (len(way) >= length and self._is_choice(way[-1][1])):
            move = next(self._moves(way[-1][1], 1), None)
            if move is None:
                lost += 1
                del way[max(1, len(way) - self.random.randrange(1, 2 + lost // 4)) :]
            else:
                way.append(move)
            if len(way) > farthest:
                farthest, lost = len(way), 0
        while len(way) > 1 and not self._is_choice(way[-1][1]):
            way.pop()
        return way

    def _towards(self, start: native.State, goal: native.State, most: int) -> list[Move] | None:
        """A way of at least one step; None if trying so many steps has not led there."""
        came: dict[native.State, tuple[native.State, int] | None] = {start: None}
        waiting = [(0, 0, 0, start)]
        end = self.tried + most
        while waiting and self._has_time(end):
            _, _, depth, here = heapq.heappop(waiting)
            for number, after in self._moves(here, OPTIONS):
                if after == goal:
                    return [*_way_to(came, here), (number, after)]
                if after not in came:
                    came[after] = here, number
                    far = 2 * sum(map(ne, after, goal)) + depth
                    heapq.heappush(waiting, (far, -len(came), depth + 1, after))
        return None

    def _moves(self, state: native.State, most: int) -> Iterator[Move]:
        """Options, or outcomes of chance, by their numbers, and what they lead to; but none that ends the play."""
        compiled = self.compiled
        self.tried += 1
        if compiled.is_over(state):
            return
        try:
            options = range(compiled.count(state))
        except RuleError:
            return
        for number in options if len(options) <= most else self.random.sample(options, most):
            self.tried += 1
            try:
                after = compiled.step(state, number)
            except RuleError:
                continue
            if not compiled.is_over(after):
                yield number, after

    def _has_time(self, most: int) -> bool:
        return self.tried < most and self._go_on()

    def _is_choice(self, state: native.State) -> bool:
        return isinstance(self.compiled.node(state), flow.Decision)


def comes_back(game: Game, seed: int, most: int, go_on: Callable[[], bool]) -> bool:
    """Whether a play of this game is found that need not end."""
    try:
        return Wandering(game.machine, Watcher(game.flow, hasty=True), seed).look(most, go_on) is not None
    except NotCompiled:
        return False


def _way_to(came: dict[native.State, tuple[native.State, int] | None], here: native.State) -> list[Move]:
    way = []
    while (before := came[here]) is not None:
        way.append((before[1], here))
        here = before[0]
    return way[::-1]
