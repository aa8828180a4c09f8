"""Diagnostics as data: no layout, no colour. Terminal and JSON are renderings of one list (render.py).

User mistakes are collected and returned, never raised, so that one run reports them all. `Report` is what a pass
writes to. `Stop` is raised by a pass that can not go on at all after it has reported why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum

from seaspec.diagnostics.codes import Code
from seaspec.source import Span

MOST = 200
"""So many errors, and so many warnings, are told of a run; nobody reads more."""
LONGEST = 600
"""What is longer in a message, as a name without end is, is cut."""
MANY_NAMES = 500
"""Among more names, only those that begin or end alike are compared letter by letter."""


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that has to do with the problem, and what it is."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: where, what was found and expected, other places, and what to do about it."""

    code: Code
    span: Span
    message: str
    labels: tuple[Label, ...] = ()
    hint: str | None = None

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.is_warning else Severity.ERROR


@dataclass(slots=True)
class Report:
    """The diagnostics of a run, each once: file by file as they were first found in, and from top to bottom in each.
    After `most` errors, or warnings, the next ones are left out, and that is told."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    most: int = MOST
    _seen: set[tuple[Code, Span, str]] = field(default_factory=set)

    def add(
        self,
        code: Code,
        span: Span,
        message: str,
        *,
        labels: Iterable[Label] = (),
        hint: str | None = None,
    ) -> None:
        key = (code, span, message)
        if key in self._seen:
            return
        if len(self.diagnostics) >= self.most:
            told = self._told(code.is_warning)
            if told > self.most:
                return
            if told == self.most:
                sort = "warnings" if code.is_warning else "errors"
                code = Code.TOO_MANY_WARNINGS if code.is_warning else Code.TOO_MANY
                message = f"there are more {sort} than these {self.most}"
                self.diagnostics.append(Diagnostic(code, Span(span.file, 0, 0), message))
                return
        self._seen.add(key)
        said = tuple(Label(label.span, clipped(label.text)) for label in labels)
        self.diagnostics.append(Diagnostic(code, span, clipped(message), said, None if hint is None else clipped(hint)))

    def _told(self, are_warnings: bool) -> int:
        return sum(d.code.is_warning == are_warnings for d in self.diagnostics)

    @property
    def is_full(self) -> bool:
        """Whether another error would not be told."""
        return len(self.diagnostics) > self.most and self._told(are_warnings=False) > self.most

    def extend(self, found: Iterable[Diagnostic]) -> None:
        """Take over what another report has."""
        for each in found:
            self.add(each.code, each.span, each.message, labels=each.labels, hint=each.hint)

    @property
    def failed(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def __iter__(self) -> Iterator[Diagnostic]:
        files = list(dict.fromkeys(d.span.file.name for d in self.diagnostics))
        return iter(sorted(self.diagnostics, key=lambda d: (files.index(d.span.file.name), d.span.start)))


class Stop(Exception):
    """The text is faulty beyond going on; the report says why."""

    def __init__(self, report: Report) -> None:
        super().__init__("the text has errors")
        self.report = report


def near(name: str, names: Iterable[str]) -> str | None:
    """A hint with the nearest known name, if one is near; before all others one that differs in capitals alone.

    >>> near("nubmer", ["number", "colour"])
    "did you mean 'number'?"
    """
    known = list(names) if len(name) <= LONGEST else []
    found = [one for one in known if one.lower() == name.lower() and one != name]
    if len(known) > MANY_NAMES:
        known = [one for one in known if one[:2] == name[:2] or one[-3:] == name[-3:]][:MANY_NAMES]
    found = found or get_close_matches(name, known, 1, 0.6)
    return f"did you mean '{found[0]}'?" if found else None


def clipped(text: str) -> str:
    """The text, if it is not too long to be told; else its beginning."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
