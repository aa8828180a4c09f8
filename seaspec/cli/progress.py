"""A progress bar on stderr: only where a person looks, gone when all is done."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from seaspec.cli.output import redraws, write_anew

_WIDTH = 30
_PAUSE = 0.1


class Progress:
    """Used as `with Progress("plays", 200) as progress: .. progress.advance(5)`. `total` 0: nobody knows yet."""

    def __init__(self, label: str, total: int) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self.is_shown = redraws(sys.stderr)
        self._begun = self._drawn = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """The bar is gone, until it is drawn again: something else is to be told."""
        if self.is_shown:
            write_anew()

    def advance(self, steps: int = 1) -> None:
        """So many more are done."""
        self.done += steps
        now = time.monotonic()
        if self.is_shown and (now - self._drawn >= _PAUSE or 0 < self.total <= self.done):
            self.draw()

    def draw(self) -> None:
        if self.is_shown:
            self._drawn = time.monotonic()
            write_anew(bar(self.label, self.done, self.total, self._drawn - self._begun))


def bar(label: str, done: int, total: int, seconds: float) -> str:
    """The bar itself.

    >>> bar("plays", 50, 200, 10.0)
    'plays [#######.......................] 50 of 200, 30 s left'
    >>> bar("plays", 50, 0, 10.0)
    'plays: 50'
    """
    if not total:
        return f"{label}: {done}"
    share = min(1.0, done / total)
    filled = int(share * _WIDTH)
    left = f", {seconds / done * (total - done):.0f} s left" if 0 < done < total else ""
    return f"{label} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done} of {total}{left}"
