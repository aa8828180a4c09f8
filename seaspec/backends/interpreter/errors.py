"""What goes wrong while a game runs, as data: the game's rules are at fault, or a caller asked for what can not be."""

from __future__ import annotations

from seaspec.source import NOWHERE, Span


class RuleError(Exception):
    """An obligation of the rules is not met: a full place, an index out of range, a short draw. A finding, not a bug.

    `span` is the statement, guard or definition that was run; it is NOWHERE until the machine knows it.
    """

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.message = message
        self.span = span

    def at(self, span: Span) -> RuleError:
        """The same error, with a place if it has none yet."""
        if self.span is NOWHERE:
            self.span = span
        return self

    def __str__(self) -> str:
        return self.message if self.span is NOWHERE else f"{self.span}: {self.message}"


class ChoiceError(ValueError):
    """What was chosen is no option there."""
