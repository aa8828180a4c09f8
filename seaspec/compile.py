"""Text to core, one short function a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seaspec.check.elaborate import elaborate
from seaspec.check.merging.merge import merge
from seaspec.check.merging.trace import trace_changes
from seaspec.check.rules.static_rules import check_rules
from seaspec.core import ir
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.parse import parse


def parse_text(name: str, text: str, report: Report) -> tree.File:
    """The syntax tree of a text."""
    return parse(SourceFile(name, text), report)


def compile_chapters(chapters: Sequence[tree.Chapter], options: Mapping[str, str], report: Report) -> ir.Game | None:
    """The core of a game given by its chapters in merge order; None if there are errors (reported)."""
    merged = merge(chapters, report)
    if report.failed:
        return None
    game = elaborate(merged, options, report)
    if game is not None:
        _check(game, merged.game, report)
    trace_changes(merged.chapters, report)
    return None if report.failed else game


def _check(game: ir.Game, heading: tree.Chapter, report: Report) -> None:
    try:
        check_rules(game, report)
    except RecursionError:
        message = f"the procedures of '{heading.name}' lead too deep: each calls another one, which calls the next"
        report.add(Code.TOO_DEEP, heading.span, message, hint="let one procedure call several, one after the other")


def chapters_of(texts: Mapping[str, str], report: Report) -> dict[str, tree.Chapter]:
    """The chapters of stored texts, by name."""
    chapters: dict[str, tree.Chapter] = {}
    for name, text in texts.items():
        for chapter in parse_text(name, text, report).chapters:
            chapters.setdefault(chapter.name, chapter)
    return chapters


def stacked(chapters: Mapping[str, tree.Chapter], names: Sequence[str]) -> list[tree.Chapter]:
    """A game and what is stacked on it, those that are there; before them the modules that the game uses."""
    modules: dict[str, tree.Chapter] = {}
    waiting = [chapters[name] for name in names[:1] if name in chapters]
    while waiting:
        for declaration in waiting.pop().declarations:
            for name in declaration.names if isinstance(declaration, tree.Uses) else ():
                if name in chapters and name not in modules:
                    modules[name] = chapters[name]
                    waiting.append(chapters[name])
    return [*modules.values(), *(chapters[name] for name in names if name in chapters)]
