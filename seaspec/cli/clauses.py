"""The texts of clauses, from the rule books that a game's chapters name."""

from __future__ import annotations

from collections.abc import Iterable

from seaspec.check.rules.cover import book_of
from seaspec.cli.output import BLUE, paint, wrapped
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.library import Subject, load_rulebook


def clause_texts(game: Game, ids: Iterable[str]) -> dict[str, str]:
    """What the rule books say under these ids; an id that none of them has is left out."""
    found = _all_texts(game.subject) if game.subject is not None else {}
    return {id: found[id] for id in ids if id in found}


def clause_lines(game: Game, ids: Iterable[str], indent: str = "  ") -> list[str]:
    """The same as lines: `[play.4] Numbers must rise.`"""
    ids = tuple(ids)
    texts = clause_texts(game, ids)
    lines = []
    for id in ids:
        first, *rest = wrapped(f"[{id}] {texts.get(id, '')}".rstrip(), indent).split("\n")
        lines += [first.replace(f"[{id}]", paint(f"[{id}]", BLUE), 1), *rest]
    return lines


def _all_texts(subject: Subject) -> dict[str, str]:
    quiet = Report()
    found: dict[str, str] = {}
    for chapter in (subject.game, *subject.chapters):
        name = book_of(chapter, subject.chapters)
        book = None if name is None else load_rulebook(chapter, name, quiet)
        for id, entry in () if book is None else book.clauses.items():
            found.setdefault(id, entry.text)
    return found
