"""How long `seaspec check` searches for what no play has met: a small share of its time, shared by all that is open."""

from __future__ import annotations

import time
from collections.abc import Callable

from seaspec.cli.checking.exploring import MEGABYTE
from seaspec.explore.reach import Ended, Reached
from seaspec.explore.seeking import Sought, Use, seek, seek_use
from seaspec.game import Game
from seaspec.sampling.plays import PlayFindings

SHARE, AT_LENGTH, LEAST = 0.05, 60.0, 0.2
"""The part of the time of a check for all searches; seconds, where a check has no end. So many processor seconds there
are in any case, however busy the machine is."""
OF_USES = 0.4
"""The part of that for what is never used."""


GoOn = Callable[[Reached, int], bool]


class Seeking:
    """The searches of a check, one after the other. `seconds`: of the check, None where it has no end; `memory`:
    megabytes; `in_time`: whether there is still time at all."""

    def __init__(self, seconds: float | None, memory: int, seed: int, in_time: Callable[[], bool]) -> None:
        self.left = AT_LENGTH if seconds is None else SHARE * seconds
        """Processor seconds: what is found does not depend on what else the machine does."""
        self.spent = 0.0
        self.left_for_uses = OF_USES * self.left
        self.memory, self.seed, self.in_time = memory, seed, in_time

    def __call__(self, game: Game, promise: Sought, searches: int) -> tuple[int, PlayFindings]:
        """Search for what a promise speaks of, with its share of the time that is left for so many searches."""
        found, shown = self._within(self.left / searches, lambda go_on: seek(game.machine, promise, go_on, self.seed))
        return found.positions, shown

    def use(self, game: Game, use: Use, searches: int) -> tuple[Reached, PlayFindings]:
        """Search for a play that uses something, likewise."""
        share = self.left_for_uses / searches
        before = self.left
        found, shown = self._within(share, lambda go_on: seek_use(game.machine, use, go_on, self.seed))
        self.left_for_uses -= before - self.left
        return found, shown

    def _within(
        self, share: float, search: Callable[[GoOn], tuple[Reached, PlayFindings]]
    ) -> tuple[Reached, PlayFindings]:
        """Make a search of so many seconds at most."""
        began = time.process_time()

        def go_on(found: Reached, memory: int) -> bool:
            worked = time.process_time() - began
            is_soon = worked < share and (self.in_time() or self.spent + worked < LEAST)
            return is_soon and memory < self.memory * MEGABYTE

        if share <= 0 or (not self.in_time() and self.spent >= LEAST):
            return Reached(), PlayFindings()
        found, shown = search(go_on)
        worked = time.process_time() - began
        self.left, self.spent = self.left - worked, self.spent + worked
        if found.ended is Ended.INTERRUPTED:
            raise KeyboardInterrupt
        return found, shown
