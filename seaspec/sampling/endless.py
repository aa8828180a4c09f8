"""Plays that need not end: one that comes back to where it was can go the same way again, as often as one likes.

Machine code wanders: it plays at random, and where a play would be over it goes some steps back and chooses otherwise.
From where it then is it looks for a way back to this very position, always on from the position that is most like it;
after a long way also to the position it has come by that is most like it: so rounds are found in which each player
undoes, a turn later, what was done.
At last a shorter way to that position is looked for. What is found so the interpreter goes again, and judges for itself
(returning.py).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import product
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

LENGTHS = 20, 400, 60, 200
"""Steps that one wanders, by turns."""
TRIES = 10
"""Steps that are tried for each one of these."""
OPTIONS = 12
"""Options that are looked at in a position; of more, so many are drawn."""
MANY = 40
"""The same where one comes back from farther away: what was done there has to be undone piece by piece."""
NEAR, LONG = 8, 150
"""Steps that one is away there at least; and of the way, on which nothing is left at last but what can be undone."""
BACK, AFAR, THERE = 2_000, 20_000, 10_000
"""Steps that are tried to come back, from farther away, too, and to find a shorter way there."""
MOST_AGAIN, FIRST_PLACES, MOST_LISTED = 16, 40, 1_000
"""A round of so many steps at most is tried again, at so many choices from the beginning on, where there are no more
options than that."""

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
        """A play that goes this way, or a shorter one, and back to where it leads, or has come by."""
        begin, there = way[0][1], way[-1][1]
        place, round_ = len(way) - 1, self._towards(there, there, BACK)
        if round_ is None:  # where nothing goes back at once, one may come back from farther away
            place = self._alike(way) if len(way) > LONG else 0
            back = self._towards(there, way[place][1], AFAR, MANY) if place else None
            if back is None:
                return None
            round_ = [*way[place + 1 :], *back]
        place, round_ = self._sooner(way, place, round_)
        shorter = self._towards(begin, way[place][1], THERE)
        before = way[1 : place + 1]
        return self._gone([*(before if shorter is None or len(shorter) >= len(before) else shorter), *round_])

    def _sooner(self, way: list[Move], place: int, round_: list[Move]) -> tuple[int, list[Move]]:
        """A round that begins at a place of the way; at an earlier place, if the same can be done there."""
        if len(round_) <= MOST_AGAIN:
            wanted = self._told(way[place][1], round_)
            choices = [earlier for earlier in range(1, place) if self._is_choice(way[earlier][1])]
            for earlier, first in product(choices[:FIRST_PLACES], range(len(wanted))):
                again = self._again(way[earlier][1], [*wanted[first:], *wanted[:first]])
                if again is not None:
                    return earlier, again
        return place, round_

    def _told(self, state: native.State, moves: list[Move]) -> list[native.Option]:
        """What is done in some moves."""
        before = [state, *(after for _, after in moves)]
        return [self.compiled.options(here, [number])[0] for here, (number, _) in zip(before, moves, strict=False)]

    def _again(self, start: native.State, wanted: Sequence[native.Option]) -> list[Move] | None:
        """The same done somewhere else, if it leads back there, too."""
        here, found = start, list[Move]()
        try:
            for option in wanted:
                self.tried += 1
                if self.compiled.is_over(here) or self.compiled.count(here) > MOST_LISTED:
                    return None
                options = self.compiled.options(here)
                if option not in options:
                    return None
                here = self.compiled.step(here, options.index(option))
                found.append((options.index(option), here))
        except RuleError:
            return None
        return found if here == start else None

    def _alike(self, way: list[Move]) -> int:
        """Of the choices on a way, but for its last ones, the one most like where it leads; 0: there is none."""
        there = way[-1][1]
        places = [place for place in range(1, len(way) - NEAR) if self._is_choice(way[place][1])]
        return min(places, key=lambda place: (sum(map(ne, way[place][1], there)), -place), default=0)

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

    def _towards(self, start: native.State, goal: native.State, most: int, options: int = OPTIONS) -> list[Move] | None:
        """A way of at least one step; None if trying so many steps has not led there."""
        came: dict[native.State, tuple[native.State, int] | None] = {start: None}
        waiting = [(0, 0, 0, start)]
        end = self.tried + most
        while waiting and self._has_time(end):
            _, _, depth, here = heapq.heappop(waiting)
            for number, after in self._moves(here, options):
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
