"""Plays in batches, to be divided among threads, processes and machines.

What a batch shows depends on the plan and the numbers of its plays alone, and what batches have shown is added up in
their order. So it makes no difference who plays them, and how many at a time; also for one who stops when enough is
known. How long a batch is depends on the plan, too, and with machine code on the length of the first plays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from seaspec.backends.native.errors import LimitReached
from seaspec.game import Game
from seaspec.play import Play
from seaspec.sampling.reference import ReferencePlays
from seaspec.sampling.statistics import Statistics

NATIVE, REFERENCE = "native", "reference"
FIRST = 256
"""Native plays in the first batch."""
PLIES = 200_000
"""A later one has about so many choices and chance events: enough for Python not to matter, and soon done."""
MOST = 2**16
BY_REFERENCE = 8
"""Plays in a batch of the reference engine; if bots think, 1."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played: by which engine, from which seed, how many choices at most in a play, by which bots (by seat;
    none: all choose at random)."""

    engine: str
    seed: int
    limit: int
    bots: tuple[str, ...] = ()

    @property
    def least(self) -> int:
        """Plays in the shortest batches, but for the last."""
        return BY_REFERENCE if self.engine == REFERENCE and not self.bots else 1


class Plays(Protocol):
    """All plays of a plan, by number."""

    def play(self, numbers: range) -> Statistics: ...
    def failed_play(self, number: int) -> Play: ...


Start = Callable[[range], Callable[[], Statistics]]
"""Begins to play a batch; what it gives waits for what the batch has shown."""


def plays_of(game: Game, plan: Plan) -> Plays:
    """The plays of a plan. Raises NotCompiled if it wants machine code, and there is none."""
    if plan.engine == REFERENCE:
        return ReferencePlays(game, plan.seed, plan.limit, plan.bots)
    try:
        from seaspec.sampling.native import NativePlays
    except ImportError as error:  # llvmlite is not there
        raise LimitReached(f"there is no machine code: {error}") from None
    return NativePlays(game, plan.seed, plan.limit)


def in_batches(plan: Plan, count: int, start: Start, at_once: int) -> Iterator[Statistics]:
    """What so many plays show, batch by batch in their order; at most `at_once` batches are begun and not yet told."""
    first, size = 0, plan.least
    if plan.engine == NATIVE:
        first = min(FIRST, count)
        found = start(range(first))()
        yield found
        size = size_of_batches(found)
    numbers = (range(begin, min(begin + size, count)) for begin in range(first, count, size))
    yield from _in_order(numbers, start, at_once)


def size_of_batches(found: Statistics) -> int:
    """How many plays a batch has, if these are the first plays.

    >>> size_of_batches(Statistics(plays=256, plies=256 * 60))
    2048
    """
    size = 1
    while size < MOST and 2 * size * found.plies <= PLIES * found.plays:
        size *= 2
    return size


def _in_order(batches: Iterable[range], start: Start, at_once: int) -> Iterator[Statistics]:
    waiting: deque[Callable[[], Statistics]] = deque()
    for batch in batches:
        waiting.append(start(batch))
        if len(waiting) >= at_once:
            yield waiting.popleft()()
    while waiting:
        yield waiting.popleft()()
