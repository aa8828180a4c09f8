"""Diagnostics as text for a terminal, and as plain values for JSON.

    a.sea:3:13: error SEA101: expected `to` or `under`, but found `too`
      3 |   move card too hand
        |             ^^^
        hint: did you mean 'to'?

A label at a second place has a line of its own, underlined with `-`. Lines that are too long are clipped round the
place; what has no fixed width on a terminal (tabs, control characters) is replaced.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from seaspec.diagnostics.model import Diagnostic, Label, Severity
from seaspec.source import Span

WIDTH = 100
_BEFORE_PLACE = 40
_TAB = "    "
_BOLD, _RED, _YELLOW, _BLUE, _CYAN = "1", "1;31", "1;33", "34", "36"
_COLOURS = {Severity.ERROR: _RED, Severity.WARNING: _YELLOW}


def render(diagnostics: Iterable[Diagnostic], colour: bool) -> str:
    """All diagnostics, and how many there are; "" if there are none."""
    found = list(diagnostics)
    if not found:
        return ""
    paint = _painted if colour else _plain
    parts = ["\n".join(_diagnostic(diagnostic, paint)) for diagnostic in found]
    return "\n\n".join([*parts, _counted(found)]) + "\n"


def to_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Values that json.dumps takes; lines and columns count from 1, ends are exclusive."""
    return [
        {
            "code": diagnostic.code.id,
            "severity": diagnostic.severity.value,
            "message": diagnostic.message,
            **_place(diagnostic.span),
            "hint": diagnostic.hint,
            "labels": [{"text": label.text, **_place(label.span)} for label in diagnostic.labels],
        }
        for diagnostic in diagnostics
    ]


def _place(span: Span) -> dict[str, Any]:
    line, column = span.file.position(span.start)
    end_line, end_column = span.file.position(max(span.start, span.end))
    return {"file": span.file.name, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _counted(diagnostics: Sequence[Diagnostic]) -> str:
    parts = []
    for severity in Severity:
        number = sum(diagnostic.severity is severity for diagnostic in diagnostics)
        if number:
            parts.append(f"{number} {severity.value}{'s' * (number > 1)}")
    return ", ".join(parts)


class _Plain:
    def __call__(self, text: str, style: str) -> str:
        return text


class _Painted:
    def __call__(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m"


_plain, _painted = _Plain(), _Painted()


def _diagnostic(diagnostic: Diagnostic, paint: _Plain | _Painted) -> list[str]:
    style = _COLOURS[diagnostic.severity]
    name = paint(f"{diagnostic.severity.value} {diagnostic.code.id}", style)
    message = _visible(diagnostic.message)
    lines = [f"{paint(_where(diagnostic.span), _BOLD)}: {name}: {paint(message, _BOLD)}"]
    numbers = [label.span.file.position(label.span.start)[0] for label in diagnostic.labels]
    gutter = len(str(max([diagnostic.span.file.position(diagnostic.span.start)[0], *numbers]))) + 2
    lines += _excerpt(Label(diagnostic.span, ""), "^", style, gutter, paint)
    for label in diagnostic.labels:
        if label.span.file.name != diagnostic.span.file.name:
            lines.append(f"{' ' * gutter} {_where(label.span)}")
        excerpt = _excerpt(label, "-", _BLUE, gutter, paint)
        if excerpt and excerpt[0] in lines[1:2]:
            del excerpt[0]  # the same line: once is enough
        lines += excerpt or [f"{' ' * gutter} {_where(label.span)}: {_visible(label.text)}"]
    if diagnostic.hint is not None:
        lines.append(f"{' ' * gutter} {paint('hint:', _CYAN)} {_visible(diagnostic.hint)}")
    return lines


def _where(span: Span) -> str:
    if not span.file.text:
        return _visible(span.file.name)
    line, column = span.file.position(span.start)
    return f"{_visible(span.file.name)}:{line}:{column}"


def _excerpt(label: Label, mark: str, style: str, gutter: int, paint: _Plain | _Painted) -> list[str]:
    """The line of a place, with a mark under it; of a place of several lines the first."""
    span = label.span
    if not span.file.text:
        return []
    number, column = span.file.position(span.start)
    line = span.file.line(number)
    start = min(column - 1, len(line))
    end = min(max(start + 1, start + span.end - span.start), max(len(line), start + 1))
    first = max(0, start - _BEFORE_PLACE) if len(line) > WIDTH else 0
    last = min(len(line), first + WIDTH)
    before, marked, after = line[first:start], line[start : min(end, last)], line[min(end, last) : last]
    dots_before, dots_after = "…" * (first > 0), "…" * (last < len(line))
    shown = dots_before + _visible(before + marked + after) + dots_after
    margin = " " * (len(dots_before) + _width(_visible(before)))
    under = paint(mark * max(1, _width(_visible(marked))), style)
    bar = paint("|", _BLUE)
    return [
        f"{paint(str(number).rjust(gutter), _BLUE)} {bar} {shown}".rstrip(),
        f"{' ' * gutter} {bar} {margin}{under}" + (f" {paint(_visible(label.text), style)}" if label.text else ""),
    ]


def _visible(text: str) -> str:
    """Tabs as blanks; what would act on the terminal instead of being shown as a mark."""
    if text.isprintable():
        return text
    return "".join(_TAB if c == "\t" else c if c.isprintable() else "\ufffd" for c in text)


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
