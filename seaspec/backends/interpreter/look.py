"""A look at a position: what compiled expressions read, and what they need compute only once.

A `Look` has the slots `s` and the inverse `w` (see state.py). Other attributes come into being when first asked for, by
the function that `program.getters` has under that name: closed sub-expressions (`H7`), memos of functions (`F3`). So
they are computed at most once a position. Whoever changes the slots calls `forget`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from seaspec.backends.interpreter.errors import RuleError

if TYPE_CHECKING:
    from seaspec.backends.interpreter.expressions import Program


TOO_DEEP = "defines call one another, one call within another, more often than can be followed"
OWN = ("program", "s", "w", "old", "events", "watch")


class Look:
    """`old`: the look at the position before, for promises. `events`: where the log goes, if anybody wants it."""

    def __init__(self, program: Program, s: Sequence[Any], w: Sequence[int], old: Look | None = None) -> None:
        self.program = program
        self.s: Any = s
        self.w: Any = w
        self.old = old
        self.events: list[Any] | None = None
        self.watch: Any = None

    def __getattr__(self, name: str) -> Any:
        getter = self.program.getters.get(name)
        if getter is None:
            raise AttributeError(name)
        value = getter(self)
        self.__dict__[name] = value
        return value

    def forget(self) -> None:
        """The slots have changed."""
        own = self.__dict__
        if len(own) > len(OWN):
            kept = [own[name] for name in OWN]
            own.clear()
            own.update(zip(OWN, kept, strict=True))


class Memo(dict[Any, Any]):
    """The values of a function of several arguments, computed when first asked for: `memo[a, b]`."""

    __slots__ = ("function", "look")

    def __init__(self, function: Callable[..., Any], look: Look) -> None:
        self.function = function
        self.look = look

    def __missing__(self, key: tuple[Any, ...]) -> Any:
        try:
            value = self[key] = self.function(self.look, *key)
        except RecursionError:
            raise RuleError(TOO_DEEP) from None
        return value


class MemoOfOne(Memo):
    """The same for a function of one argument: `memo[a]`."""

    __slots__ = ()

    def __missing__(self, key: Any) -> Any:
        try:
            value = self[key] = self.function(self.look, key)
        except RecursionError:
            raise RuleError(TOO_DEEP) from None
        return value


class Entries(dict[Any, Any]):
    """What stands at an index; `missing` says what is wrong if there is nothing."""

    __slots__ = ("missing",)

    def __init__(self, entries: dict[Any, Any], missing: Callable[[Any], str]) -> None:
        super().__init__(entries)
        self.missing = missing

    def __missing__(self, key: Any) -> Any:
        raise RuleError(self.missing(key))
