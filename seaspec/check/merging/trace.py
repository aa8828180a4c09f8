"""Where an error in a base comes from: the lines of later chapters that changed what the faulty line speaks of.

A variant can make a line of its base wrong that it never names: it sets a constant, removes a kind, replaces a define.
So each error in a chapter gets a label for every change of a later chapter to a name that stands in the faulty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from seaspec.diagnostics.model import Diagnostic, Label, Report
from seaspec.source import Span
from seaspec.syntax import tree

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST_LABELS = 4


def trace_changes(chapters: Sequence[tree.Chapter], report: Report) -> None:
    """Add to each error the changes that may have led to it."""
    changes = [list(_changes(chapter)) for chapter in chapters]
    if not any(changes[1:]):
        return
    for number, problem in enumerate(report.diagnostics):
        found = tuple(_labels(problem, chapters, changes))[:MOST_LABELS]
        if found:
            report.diagnostics[number] = replace(problem, labels=(*problem.labels, *found))


def _labels(
    problem: Diagnostic, chapters: Sequence[tree.Chapter], changes: Sequence[Sequence[tuple[str, Span]]]
) -> Iterator[Label]:
    own = next((i for i, chapter in enumerate(chapters) if _owns(chapter, problem.span)), None)
    if own is None:
        return
    words = set(WORD.findall(_lines(problem.span)))
    known = {label.span for label in problem.labels}
    for later in changes[own + 1 :]:
        for name, span in later:
            if name in words and span not in known:
                known.add(span)
                yield Label(span, f"'{name}' is changed here")


def _owns(chapter: tree.Chapter, span: Span) -> bool:
    return any(
        declaration.span.file is span.file and declaration.span.start <= span.start < max(declaration.span.end, 1)
        for declaration in chapter.declarations
    )


def _lines(span: Span) -> str:
    """The text of the lines that a span touches, the first of many."""
    first, _ = span.file.position(span.start)
    return span.file.line(first)


def _changes(chapter: tree.Chapter) -> Iterator[tuple[str, Span]]:
    """The names that a chapter changes, and where."""
    for declaration in chapter.declarations:
        match declaration:
            case tree.SetValue() | tree.SetCapital() | tree.ReplaceBody() | tree.Forbid() | tree.Allow() | tree.Hook():
                yield declaration.name, declaration.span
            case tree.ReplaceDeclaration():
                name = declaration.declaration.name
                if name is not None:
                    yield name, declaration.span
            case tree.Remove():
                for name in declaration.names:
                    yield name, declaration.span
            case tree.AddItems():
                yield declaration.menu, declaration.span
            case tree.AddKind():
                yield declaration.component, declaration.span
            case _:  # cautious: a new name, or none; nothing is changed
                pass
