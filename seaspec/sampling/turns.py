"""The order of turns in a play of the interpreter: who is asked first once `play` has begun, who second, and so on.
And how often each procedure begins."""

from __future__ import annotations

from collections import Counter

from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Watch
from seaspec.core import ir


class Turns:
    """Notes who is asked; to be told of procedures (as `watch`), for what is asked in `setup` does not count. What it
    is told it passes on, if somebody else wants to know."""

    def __init__(self, another: Watch | None = None) -> None:
        self.another = another
        self.asked: list[int] = []
        self.begun: Counter[str] = Counter()

    def begin(self, procedure: str, look: Look) -> None:
        self.begun[procedure] += 1
        if procedure == ir.PLAY:
            self.asked.clear()
        if self.another is not None:
            self.another.begin(procedure, look)

    def finish(self, procedure: str, look: Look) -> None:
        if self.another is not None:
            self.another.finish(procedure, look)

    def ask(self, seat: int | None) -> None:
        if seat is not None and seat not in self.asked:
            self.asked.append(seat)

    def order(self, seats: int) -> list[int]:
        """Of each seat the how manieth it was, from 1; 0 if it was never asked.

        >>> turns = Turns()
        >>> turns.ask(2), turns.ask(0), turns.ask(2)
        (None, None, None)
        >>> turns.order(3)
        [2, 0, 1]
        """
        return [self.asked.index(seat) + 1 if seat in self.asked else 0 for seat in range(seats)]
