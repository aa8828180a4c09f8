"""What the native back end raises."""

from __future__ import annotations

from seaspec.source import NOWHERE, Span


class NotCompiled(Exception):
    """A construct that is not compiled: told before anything runs. The interpreter can run it."""

    def __init__(self, construct: str, span: Span = NOWHERE) -> None:
        super().__init__(construct)
        self.construct = construct
        self.span = span

    def __str__(self) -> str:
        return f"{self.construct} is not compiled" if self.span is NOWHERE else f"{self.span}: {self.construct}"


class RuleError(Exception):
    """An obligation of the rules is not met; `span` is the statement that was run. A finding, not a bug."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.message = message
        self.span = span

    def __str__(self) -> str:
        return self.message if self.span is NOWHERE else f"{self.span}: {self.message}"
