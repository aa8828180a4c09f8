"""Coverage, both ways: which clauses of the rule book are cited by what, and which rules cite nothing.

Everything with a tail can cite. A `note` excuses a clause: it says that the clause is heard, and is nothing that the
tool can do. A chapter cites the rule book that it, or else what it is built on, names with `rulebook`; a module's own
book has tags, which stand for clauses of each game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from seaspec.check.describe import describe
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report, near
from seaspec.rulebook import ClauseEntry, Rulebook
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.walk import children, walk

_PROMISES = (
    tree.Invariant, tree.Always, tree.Lemma, tree.Reachable, tree.Winnable, tree.NeverStuck, tree.Ends, tree.Secret,
    tree.OddsPromise, tree.Symmetry, tree.Example,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """Something that cites a clause (or nothing): a few words, and where it stands."""

    what: str
    span: Span


@dataclass(frozen=True, slots=True)
class Coverage:
    """`cited` and `excused`: by id, who does it; `silent`: the rules that cite nothing and assume nothing."""

    rulebook: Rulebook
    clauses: tuple[ClauseEntry, ...]
    cited: dict[str, tuple[Use, ...]]
    excused: dict[str, tuple[Use, ...]]
    silent: tuple[Use, ...]

    @property
    def missing(self) -> tuple[ClauseEntry, ...]:
        """The clauses that nothing cites and nothing excuses."""
        return tuple(entry for entry in self.clauses if entry.id not in self.cited and entry.id not in self.excused)


def cover(chapters: Sequence[tree.Chapter], rulebook: Rulebook, shared: Mapping[str, Rulebook]) -> Coverage:
    """Who cites what of a rule book; `shared`: the books of modules, by name."""
    cited: dict[str, list[Use]] = {}
    excused: dict[str, list[Use]] = {}
    silent: list[Use] = []
    words_of_play = _words_of_play(chapters)
    for chapter in chapters:
        book = book_of(chapter, chapters) or rulebook.name
        tags = shared[book].tags if book in shared and book != rulebook.name else {}
        for node, what, clause in _citations(chapter):
            home = excused if isinstance(node, tree.Note) else cited
            for id in tags[clause.id].get(rulebook.name, ()) if clause.id in tags else (clause.id,):
                home.setdefault(id, []).append(Use(what, clause.span))
        for declaration in chapter.declarations:
            if isinstance(declaration, tree.Define | tree.ReplaceBody) and declaration.name not in words_of_play:
                continue
            if chapter.kind is not tree.ChapterKind.WORLD:
                silent.extend(_silent_rules(declaration))
    return Coverage(
        rulebook,
        rulebook.to_cover(),
        {id: tuple(uses) for id, uses in cited.items()},
        {id: tuple(uses) for id, uses in excused.items() if id not in cited},
        tuple(silent),
    )


def check_citations(chapters: Sequence[tree.Chapter], books: Mapping[str, Rulebook], report: Report) -> None:
    """Report ids after `cites` that the rule book of the chapter does not have."""
    for chapter in chapters:
        book = books.get(book_of(chapter, chapters) or "")
        if book is None:
            continue
        for _, _, clause in _citations(chapter):
            if clause.id not in book.clauses:
                message = f"the rule book {book.name} has no clause {clause.id}"
                report.add(Code.UNKNOWN_CLAUSE, clause.span, message, hint=near(clause.id, book.clauses))


def book_of(chapter: tree.Chapter, chapters: Sequence[tree.Chapter]) -> str | None:
    """The name of the rule book that a chapter cites: its own, or that of what it is built on."""
    by_name = {other.name: other for other in chapters}
    seen: list[tree.Chapter] = []
    here: tree.Chapter | None = chapter
    while here is not None and all(here is not other for other in seen):
        for declaration in here.declarations:
            if isinstance(declaration, tree.Rulebook):
                return declaration.name
        seen.append(here)
        here = by_name.get(here.of) if here.of else None
    return None


def _citations(chapter: tree.Chapter) -> Iterator[tuple[tree.Node, str, tree.Clause]]:
    """All clauses cited in a chapter: the declaration they stand in, and a few words for what cites them."""
    heading = f"{chapter.kind.value} {chapter.name}"
    for clause in _clauses(chapter.tail):
        yield chapter, heading, clause
    for declaration in chapter.declarations:
        yield from ((declaration, what, clause) for what, clause in _cited_in(declaration, describe(declaration)))


def _cited_in(node: tree.Node, what: str) -> Iterator[tuple[str, tree.Clause]]:
    for child in children(node):
        match child:
            case tree.Tail():
                yield from ((what, clause) for clause in _clauses(child))
            case tree.Needs(name=str() as name):
                yield from _cited_in(child, f"guard {name} of {what}")
            case tree.KindDecl():
                yield from _cited_in(child, describe(child))
            case _:  # cautious: what is cited in it belongs to what it stands in
                yield from _cited_in(child, what)


def _clauses(tail: tree.Tail) -> Iterator[tree.Clause]:
    return (node for node in walk(tail) if isinstance(node, tree.Clause))


# ------------------------------------------------------------------------------------------------- rules without source


def _silent_rules(declaration: tree.Declaration) -> Iterator[Use]:
    """The rules in a declaration that should cite something, and neither cite nor assume anything.

    Actions, procedures with a body, throws, `whenever`, what variants replace, forbid, allow or hook: if nothing in
    them does; named guards of actions by themselves; defines with a sentence, since only these are read aloud.
    (Defines that only promises need are no rules: `cover` leaves them out.)
    """
    what = describe(declaration)
    match declaration:
        case tree.Action():
            if not _has_source(declaration):
                yield Use(what, declaration.span)
            for statement in declaration.body:
                if isinstance(statement, tree.Needs) and statement.name and not _has_source(statement):
                    yield Use(f"guard {statement.name} of {what}", statement.span)
        case tree.Procedure(body=body):
            if body and not isinstance(body[0], tree.Nothing) and not _has_source(declaration):
                yield Use(what, declaration.span)
        case tree.Define(tail=tail):
            if tail.sentence is not None and not _has_source(declaration):
                yield Use(what, declaration.span)
        case (
            tree.Chance() | tree.Whenever() | tree.Rules() | tree.ReplaceBody() | tree.ReplaceDeclaration()
            | tree.Forbid() | tree.Allow() | tree.Hook()
        ):  # fmt: skip
            if not _has_source(declaration):
                yield Use(what, declaration.span)
        case (
            tree.Option() | tree.Const() | tree.TypeDecl() | tree.Board() | tree.Shape() | tree.Table()
            | tree.Component() | tree.Place() | tree.State() | tree.Menu() | tree.Title() | tree.Rulebook()
            | tree.Uses() | tree.Combines() | tree.Note() | tree.Remove() | tree.AddItems() | tree.AddKind()
            | tree.SetValue() | tree.SetCapital() | tree.Breaks() | tree.Drops() | tree.Invariant() | tree.Always()
            | tree.Lemma() | tree.Reachable() | tree.Winnable() | tree.NeverStuck() | tree.Ends() | tree.Secret()
            | tree.OddsPromise() | tree.Symmetry() | tree.Example()
        ):  # fmt: skip
            pass
        case _:
            assert_never(declaration)


def _words_of_play(chapters: Sequence[tree.Chapter]) -> frozenset[str]:
    """The names that play depends on: all names of declarations but the defines that only promises need."""
    below: dict[str, set[str]] = {}
    found: set[str] = set()
    for chapter in chapters:
        for declaration in chapter.declarations:
            names = {node.name for node in walk(declaration) if isinstance(node, tree.Name)}
            if isinstance(declaration, tree.Define | tree.ReplaceBody):
                below.setdefault(declaration.name, set()).update(names)
            elif not isinstance(declaration, _PROMISES):
                found |= names
            if isinstance(
                declaration, tree.Action | tree.Procedure | tree.Chance | tree.Rules | tree.Menu | tree.Table
            ):
                found.add(declaration.name or "")
    waiting = list(found)
    while waiting:
        new = below.pop(waiting.pop(), set()) - found
        found |= new
        waiting.extend(new)
    return frozenset(found)


def _has_source(node: tree.Node) -> bool:
    return any(isinstance(tail, tree.Tail) and (tail.cites or tail.assumes) for tail in walk(node))
