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
    """The diagnostics of a run, each once: file by file as they were first found in, and from top to bottom in each."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
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
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(Diagnostic(code, span, message, tuple(labels), hint))

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
    known = list(names)
    found = [one for one in known if one.lower() == name.lower() and one != name] or get_close_matches(
        name, known, 1, 0.6
    )
    return f"did you mean '{found[0]}'?" if found else None
