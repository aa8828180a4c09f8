"""What the native back end raises."""

from __future__ import annotations

from seaspec.source import NOWHERE, Span


class NotCompiled(Exception):
    """A construct that is not compiled: told before anything runs. The interpreter can run it."""

    def __init__(self, construct: str, span: Span = NOWHERE) -> None:
        super().__init__(construct)
        self.construct = construct
        self.span = span

    def at(self, span: Span) -> NotCompiled:
        """The same, told to be there, unless it is known where it is."""
        return self if self.span is not NOWHERE else type(self)(self.construct, span)

    def __str__(self) -> str:
        told = f"{self.construct} is not compiled"
        return told if self.span is NOWHERE else f"{self.span}: {told}"


LISTED = "there are more options than native code can list"
COUNTED = "there are more options than native code can count"
REMEMBERED = "there are more maps in a set than native code can keep"
LIMITS = (LISTED, COUNTED, REMEMBERED)
"""Of the messages of running code, those that are no fault of the rules."""


class LimitReached(NotCompiled):
    """Something came up while native code ran that is too big for it. The interpreter can run it."""

    def __str__(self) -> str:
        return self.construct if self.span is NOWHERE else f"{self.span}: {self.construct}"


class RuleError(Exception):
    """An obligation of the rules is not met; `span` is the statement that was run. A finding, not a bug."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.message = message
        self.span = span

    def __str__(self) -> str:
        return self.message if self.span is NOWHERE else f"{self.span}: {self.message}"
