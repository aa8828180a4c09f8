"""The texts of clauses, from the rule books that a game's chapters name."""

from __future__ import annotations

from collections.abc import Iterable

from seaspec.check.rules.cover import book_of
from seaspec.cli.output import BLUE, paint, wrapped
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.library import Subject, load_rulebook
from seaspec.source import NOWHERE, Span


def clause_texts(game: Game, ids: Iterable[str], cited_at: Span = NOWHERE) -> dict[str, str]:
    """What the rule books say under these ids, as cited there; an id that none of them has is left out.

    A module cites tags: they are told as the clauses that they stand for in the rule book of the game.
    """
    found = _all_texts(game.subject) if game.subject is not None else {}
    return {id: found[id] for id in clauses_meant(game, ids, cited_at) if id in found}


def clause_lines(game: Game, ids: Iterable[str], indent: str = "  ", cited_at: Span = NOWHERE) -> list[str]:
    """The same as lines: `[play.4] Numbers must rise.`"""
    ids = clauses_meant(game, ids, cited_at)
    found = clause_texts(game, ids)
    lines = []
    for id in ids:
        first, *rest = wrapped(f"[{id}] {found.get(id, '')}".rstrip(), indent).split("\n")
        lines += [first.replace(f"[{id}]", paint(f"[{id}]", BLUE), 1), *rest]
    return lines


def clauses_meant(game: Game, ids: Iterable[str], cited_at: Span) -> tuple[str, ...]:
    """The clauses of the game that are cited there: of tags of a module, those that they stand for."""
    subject = game.subject
    own = None if subject is None else book_of(subject.game, subject.chapters)
    if subject is None or own is None or cited_at is NOWHERE:
        return tuple(ids)
    chapter = next((one for one in subject.chapters if any(_holds(d.span, cited_at) for d in one.declarations)), None)
    name = None if chapter is None else book_of(chapter, subject.chapters)
    book = None if chapter is None or name in (None, own) else load_rulebook(chapter, str(name), Report())
    tags = {} if book is None else book.tags
    return tuple(clause for id in ids for clause in tags.get(id, {}).get(own, (id,)))


def _holds(whole: Span, part: Span) -> bool:
    return whole.file is part.file and whole.start <= part.start < whole.end


def _all_texts(subject: Subject) -> dict[str, str]:
    quiet = Report()
    found: dict[str, str] = {}
    for chapter in (subject.game, *subject.chapters):
        name = book_of(chapter, subject.chapters)
        book = None if name is None else load_rulebook(chapter, name, quiet)
        for id, entry in () if book is None else book.clauses.items():
            found.setdefault(id, entry.text)
    return found
