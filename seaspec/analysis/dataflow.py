"""The one worklist: all that is reached from somewhere, step by step."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def closure(start: Iterable[T], onward: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """The start and all that it leads to, each once: a thing, then what its first step leads to, and so on (depth
    first).

    >>> list(closure([8], lambda n: [n // 2, n - 6] if n > 1 else []))
    [8, 4, 2, 1, -4, -2]
    """
    found: dict[T, None] = {}
    waiting = list(start)[::-1]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found[here] = None
            waiting += list(onward(here))[::-1]
    return found
