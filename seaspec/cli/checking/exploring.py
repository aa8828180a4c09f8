"""How far `seaspec check` explores a game: within bounds of positions, time and memory, with a line that tells.

First the interpreter, for small games; where it does not come to the end, machine code. What that can not do is said,
and the interpreter goes on. Ctrl-C ends it; what was covered until then still counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from seaspec.cli.output import redraws, write_anew
from seaspec.explore.reference import Explored, explore
from seaspec.game import Game

SMALL = 1_000
"""Games of so many positions are explored by the interpreter: that is done before machine code is compiled."""
BY_INTERPRETER = 200_000
"""With --full, positions up to which the interpreter goes on where machine code can not."""
POSITIONS = 2_000_000
SECONDS = 5.0
"""For machine code, in a game and all its worlds, if not everything is asked for."""
MEGABYTE = 1_000_000
PAUSE = 0.2


@dataclass(slots=True)
class Exploring:
    """The exploration of a game and its worlds, one after the other. `memory`: megabytes."""

    full: bool
    memory: int
    threads: int
    left: float = SECONDS
    """Seconds that may still be used."""
    games: int = 1
    """So many are still to be explored; each gets its share of the seconds."""
    in_time: Callable[[], bool] = lambda: True
    """Whether there is still time to begin with machine code."""
    is_stopped: bool = False
    """Somebody has interrupted it."""
    notes: list[str] = field(default_factory=list)
    """What is to be said of how it was done."""
    first: Callable[[Explored], None] = lambda found: None
    """Is given what the interpreter has found, before machine code is compiled: that may take some seconds."""
    is_wanted: Callable[[], bool] = lambda: True
    """Whether anybody still waits for what comes out."""
    shows: Callable[[], bool] = lambda: redraws(sys.stderr)
    """Whether anybody sees the line that tells how far it has got."""

    def __call__(self, game: Game, where: str) -> Explored:
        """Explore one of them. What was not looked at at all is an exploration of nothing."""
        if self.is_stopped:
            return Explored()
        try:
            found = explore(game.machine, SMALL)
            if not found.complete and (self.full or self.left > 0) and self.in_time():
                self.first(found)
                found = self._natively(game, where, found)
        except KeyboardInterrupt:
            self.is_stopped = True
            return Explored()
        self.games -= 1
        self.is_stopped = found.interrupted
        return found

    def _natively(self, game: Game, where: str, so_far: Explored) -> Explored:
        try:
            from seaspec.backends.native.errors import NotCompiled
            from seaspec.explore.native import Differs, explore_natively
        except ImportError as error:  # llvmlite is not there
            return self._by_interpreter(game, f"there is no machine code: {error}", so_far)
        limit = 1 << 62 if self.full else POSITIONS
        line = _Line(where, self.shows)
        share = self.left / max(1, self.games)
        began = 0.0

        def go_on(positions: int, waiting: int, steps: int, memory: int) -> bool:
            nonlocal began
            began = began or time.monotonic()
            seconds = time.monotonic() - began
            line.tell(positions, waiting, steps, memory, seconds)
            return self.is_wanted() and memory < self.memory * MEGABYTE and (self.full or seconds < share)

        try:
            return explore_natively(game.machine, limit, self.threads, go_on)
        except NotCompiled as error:
            return self._by_interpreter(game, str(error), so_far)
        except Differs as error:
            return self._by_interpreter(game, f"machine code and interpreter do not agree: {error}", so_far)
        finally:
            line.clear()
            self.left -= time.monotonic() - began if began else 0.0

    def _by_interpreter(self, game: Game, reason: str, so_far: Explored) -> Explored:
        said = f"explored by the interpreter, up to {BY_INTERPRETER if self.full else SMALL} positions: {reason}"
        self.notes.append(said)
        return explore(game.machine, BY_INTERPRETER) if self.full else so_far


class _Line:
    """How far it has got, on stderr where a person looks."""

    def __init__(self, where: str, shows: Callable[[], bool]) -> None:
        self._where = where
        self._shows = shows
        self._next = PAUSE

    def tell(self, positions: int, waiting: int, steps: int, memory: int, seconds: float) -> None:
        if seconds >= self._next and self._shows():
            self._next = seconds + PAUSE
            write_anew(told(self._where, positions, waiting, steps, memory, seconds))

    def clear(self) -> None:
        if self._shows():
            clear_line()


def clear_line() -> None:
    write_anew()


def told(where: str, positions: int, waiting: int, steps: int, memory: int, seconds: float) -> str:
    """The line itself.

    >>> told("the game", 1500000, 20000, 4000000, 45000000, 2.0)
    'the game: 1,500,000 positions, 20,000 to go in this layer, 2,000,000 steps a second, 45 MB'
    """
    speed = int(steps / seconds) if seconds else 0
    megabytes = memory // MEGABYTE
    return (
        f"{where}: {positions:,} positions, {waiting:,} to go in this layer, {speed:,} steps a second, {megabytes} MB"
    )
