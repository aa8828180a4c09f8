"""What compiled expressions call: operations that one line of Python can not say. All values as core/types.py says."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.core.types import as_set


def in_order(members: Iterable[Any]) -> tuple[Any, ...]:
    """An ordered set: each member where it comes first."""
    return tuple(dict.fromkeys(members))


def optional(value: Any) -> tuple[Any, ...]:
    """`T or none` as a set of at most one."""
    return () if value is None else (value,)


def union(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return as_set((*a, *b))


def minus(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([x for x in a if x not in b]) if b else a


def share(a: Any, b: Any) -> Fraction:
    """Odds by odds: nothing is rounded."""
    if b == 0:
        raise RuleError(f"{a} is divided by 0")
    return Fraction(a, b)


def divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise RuleError(f"{a} is divided by 0")
    return a // b


def modulo(a: Any, b: Any) -> Any:
    if b == 0:
        raise RuleError(f"{a} is divided by 0")
    return a % b


def nth(members: tuple[Any, ...], number: int) -> Any:
    return members[number - 1] if 1 <= number <= len(members) else None


def only(members: tuple[Any, ...]) -> Any:
    if len(members) != 1:
        raise RuleError(f"exactly one was expected, there are {len(members)}")
    return members[0]


def maybe(members: tuple[Any, ...]) -> Any:
    if len(members) > 1:
        raise RuleError(f"at most one was expected, there are {len(members)}")
    return members[0] if members else None


def first(members: Iterator[Any]) -> Any:
    for member in members:
        return member
    raise RuleError("there is no first: nothing is in the set")


def the(members: tuple[Any, ...], otherwise: Callable[[], Any] | None = None) -> Any:
    if not members and otherwise is not None:
        return otherwise()
    return only(members)


def extreme(members: list[Any], most: bool) -> Any:
    if not members:
        raise RuleError(f"`{'most' if most else 'least'}` of nothing has no value")
    return max(members) if most else min(members)


def best(members: tuple[Any, ...], key: Callable[[Any], Any], most: bool) -> tuple[Any, ...]:
    """Those with the most (or least) of something."""
    if not members:
        return members
    found = [key(member) for member in members]
    wanted = max(found) if most else min(found)
    return tuple([member for member, value in zip(members, found, strict=True) if value == wanted])


def angle(a: int, b: int, size: int) -> int:
    steps = (b - a) % size
    return min(steps, size - steps)


def check(value: Any, allowed: Container[Any], what: str, show: Callable[[Any], str]) -> Any:
    if value not in allowed:
        raise RuleError(f"{show(value)} is not in {what}")
    return value


def check_number(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise RuleError(f"{value} is not in {low}..{high}")
    return value


def check_set(
    value: tuple[Any, ...], allowed: Container[Any], what: str, show: Callable[[Any], str]
) -> tuple[Any, ...]:
    for member in value:
        check(member, allowed, what, show)
    return value


def reach(start: tuple[Any, ...], onward: Callable[[Any], Iterable[Any]]) -> tuple[Any, ...]:
    """All that can be reached, the start among it."""
    found = set(start)
    waiting = list(start)
    while waiting:
        for there in onward(waiting.pop()):
            if there not in found:
                found.add(there)
                waiting.append(there)
    return as_set(found)


def ways(domain: tuple[Any, ...], choices: Callable[[Any], tuple[Any, ...]], keys: tuple[Any, ...]) -> Iterator[Any]:
    """All maps from `keys` that give each of the domain one of its choices, and the other keys none.

    >>> list(ways((1, 3), lambda x: (0, 5), (1, 2, 3)))
    [(0, None, 0), (0, None, 5), (5, None, 0), (5, None, 5)]
    """
    spots = [keys.index(member) for member in domain]
    empty: list[Any] = [None] * len(keys)
    for chosen in product(*(choices(member) for member in domain)):
        for spot, value in zip(spots, chosen, strict=True):
            empty[spot] = value
        yield tuple(empty)
