"""Coverage, both ways: which clauses of the rule book are cited by what, and which rules cite nothing.

Everything with a tail can cite. A rule that cites a clause implements it. A `note` excuses a clause: it says that the
clause is heard, and is nothing that the tool can do. What promises, examples, worlds and headings cite is exampled:
they do nothing in a play. A silence is to be cited together with an `assume` (or a note) that says how it is read.

A chapter cites the rule book that it, or else what it is built on, names with `rulebook`; a module's own book has tags,
which stand for clauses of each game.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from seaspec.check.describe import describe
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report, near
from seaspec.rulebook import ClauseEntry, EntryKind, Rulebook
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
    """`clauses`: those to cover; `gaps`: the silences of the book.

    By id: `rules`, who implements it; `notes`, who excuses it; `others`: what else cites it. `worded`: the ids that are
    cited with words of our own. `silent`: the rules that cite nothing and assume nothing.
    """

    rulebook: Rulebook
    clauses: tuple[ClauseEntry, ...]
    gaps: tuple[ClauseEntry, ...]
    rules: dict[str, tuple[Use, ...]]
    notes: dict[str, tuple[Use, ...]]
    others: dict[str, tuple[Use, ...]]
    worded: frozenset[str]
    silent: tuple[Use, ...]
    tags: dict[str, dict[str, tuple[str, ...]]]
    """By chapter that cites a book of tags, and tag: the clauses of this book that it stands for."""

    @property
    def cited(self) -> dict[str, tuple[Use, ...]]:
        """By id, who cites it, rules first; notes aside."""
        return {id: self.rules.get(id, ()) + self.others.get(id, ()) for id in (self.rules | self.others)}

    @property
    def implemented(self) -> tuple[ClauseEntry, ...]:
        """The clauses that a rule cites."""
        return tuple(entry for entry in self.clauses if entry.id in self.rules)

    @property
    def excused(self) -> tuple[ClauseEntry, ...]:
        """The clauses that no rule cites, and a note does."""
        return tuple(entry for entry in self.clauses if entry.id in self.notes and entry.id not in self.rules)

    @property
    def exampled(self) -> tuple[ClauseEntry, ...]:
        """The clauses of which only examples, promises, worlds and headings speak."""
        known = self.rules.keys() | self.notes.keys()
        return tuple(entry for entry in self.clauses if entry.id in self.others and entry.id not in known)

    @property
    def missing(self) -> tuple[ClauseEntry, ...]:
        """The clauses that nothing cites and nothing excuses."""
        known = self.rules.keys() | self.notes.keys() | self.others.keys()
        return tuple(entry for entry in self.clauses if entry.id not in known)

    @property
    def assumed(self) -> tuple[ClauseEntry, ...]:
        """The silences of which the text says in words how it reads them."""
        return tuple(entry for entry in self.gaps if entry.id in self.worded)

    @property
    def wordless(self) -> tuple[ClauseEntry, ...]:
        """The silences that are cited, and nowhere with words."""
        known = self.rules.keys() | self.others.keys()
        return tuple(entry for entry in self.gaps if entry.id in known and entry.id not in self.worded)

    @property
    def unread(self) -> tuple[ClauseEntry, ...]:
        """The silences that nothing cites."""
        known = self.rules.keys() | self.notes.keys() | self.others.keys()
        return tuple(entry for entry in self.gaps if entry.id not in known)


def cover(chapters: Sequence[tree.Chapter], rulebook: Rulebook, shared: Mapping[str, Rulebook]) -> Coverage:
    """Who cites what of a rule book; `shared`: the books of modules, by name."""
    rules: dict[str, list[Use]] = {}
    notes: dict[str, list[Use]] = {}
    others: dict[str, list[Use]] = {}
    worded: set[str] = set()
    silent: list[Use] = []
    of_tags: dict[str, dict[str, tuple[str, ...]]] = {}
    words_of_play = _words_of_play(chapters)
    records = frozenset(
        node.name
        for chapter in chapters
        for node in chapter.declarations
        if isinstance(node, tree.State) and node.track
    )
    for chapter in chapters:
        book = book_of(chapter, chapters) or rulebook.name
        books = shared[book].tags if book in shared and book != rulebook.name else {}
        tags = of_tags[chapter.name] = {tag: stands_for.get(rulebook.name, ()) for tag, stands_for in books.items()}
        in_play = chapter.kind is not tree.ChapterKind.WORLD
        plays = {id(node): in_play and _plays(node, words_of_play, records) for node in chapter.declarations}
        for cited in _citations(chapter):
            is_note = isinstance(cited.node, tree.Note)
            home = notes if is_note else rules if plays.get(id(cited.node)) else others
            for clause in tags.get(cited.id, (cited.id,)):
                home.setdefault(clause, []).append(Use(cited.what, cited.span))
                if cited.worded or is_note:
                    worded.add(clause)
        for declaration in chapter.declarations:
            if plays[id(declaration)]:
                silent.extend(_silent_rules(declaration))
    return Coverage(
        rulebook,
        rulebook.to_cover(),
        tuple(entry for entry in rulebook.clauses.values() if entry.kind is EntryKind.GAP),
        _settled(rules),
        _settled(notes),
        _settled(others),
        frozenset(worded),
        tuple(silent),
        of_tags,
    )


def _settled(uses: Mapping[str, Sequence[Use]]) -> dict[str, tuple[Use, ...]]:
    return {id: tuple(several) for id, several in uses.items()}


def check_citations(chapters: Sequence[tree.Chapter], books: Mapping[str, Rulebook], report: Report) -> None:
    """Report ids after `cites` that the rule book of the chapter does not have."""
    for chapter in chapters:
        book = books.get(book_of(chapter, chapters) or "")
        if book is None:
            continue
        for cited in _citations(chapter):
            if cited.id not in book.clauses:
                message = f"the rule book {book.name} has no clause {cited.id}"
                report.add(Code.UNKNOWN_CLAUSE, cited.span, message, hint=near(cited.id, book.clauses))


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


@dataclass(frozen=True, slots=True)
class _Citation:
    """A clause cited in `node`, by `what` of it; `worded`: an `assume` stands beside it."""

    node: tree.Node
    what: str
    id: str
    span: Span
    worded: bool


def _citations(chapter: tree.Chapter) -> Iterator[_Citation]:
    """All clauses cited in a chapter, with the declaration they stand in, or else the chapter."""
    yield from _cited_by(chapter.tail, chapter, f"{chapter.kind.value} {chapter.name}")
    for declaration in chapter.declarations:
        yield from _cited_in(declaration, declaration, describe(declaration))


def _cited_in(node: tree.Node, declaration: tree.Node, what: str) -> Iterator[_Citation]:
    for child in children(node):
        match child:
            case tree.Tail():
                yield from _cited_by(child, declaration, what)
            case tree.Needs(name=str() as name):
                yield from _cited_in(child, declaration, f"guard {name} of {what}")
            case tree.KindDecl():
                yield from _cited_in(child, declaration, describe(child))
            case _:  # cautious: what is cited in it belongs to what it stands in
                yield from _cited_in(child, declaration, what)


def _cited_by(tail: tree.Tail, declaration: tree.Node, what: str) -> Iterator[_Citation]:
    for clause in tail.cites:
        yield _Citation(declaration, what, clause.id, clause.span, bool(tail.assumes))


# ------------------------------------------------------------------------------------------------- rules without source


def _silent_rules(declaration: tree.Declaration) -> Iterator[Use]:
    """The rules in a declaration that should cite something, and neither cite nor assume anything.

    Actions, procedures with a body, throws, `whenever`, what variants replace, forbid, allow or hook: if nothing in
    them does; named guards of actions by themselves; defines with a sentence, since only these are read aloud.
    (What only promises need is no rule: `cover` leaves it out.)
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
            | tree.Component() | tree.Place() | tree.State() | tree.Picture() | tree.Look() | tree.Menu()
            | tree.Title() | tree.Term() | tree.Rulebook() | tree.Uses() | tree.Combines() | tree.Note()
            | tree.Remove() | tree.AddItems() | tree.AddKind() | tree.SetValue() | tree.SetCapital() | tree.Breaks()
            | tree.Drops() | tree.Invariant() | tree.Always() | tree.Lemma() | tree.Reachable() | tree.Winnable()
            | tree.NeverStuck() | tree.Ends() | tree.Secret() | tree.OddsPromise() | tree.Symmetry() | tree.Example()
        ):  # fmt: skip
            pass
        case _:
            assert_never(declaration)


def _plays(declaration: tree.Declaration, words_of_play: Collection[str], records: Collection[str]) -> bool:
    """Whether a declaration says what happens in a play; what promises alone need does not."""
    match declaration:
        case tree.Define(name=name) | tree.ReplaceBody(name=name):
            return name in words_of_play
        case tree.State(track=track):
            return not track
        case tree.Hook(body=body):
            return not all(_records(node, records) for node in body)
        case (
            tree.Title() | tree.Term() | tree.Rulebook() | tree.Uses() | tree.Note() | tree.Picture() | tree.Look()
            | tree.Breaks() | tree.Drops() | tree.Invariant() | tree.Always() | tree.Lemma() | tree.Reachable()
            | tree.Winnable() | tree.NeverStuck() | tree.Ends() | tree.Secret() | tree.OddsPromise() | tree.Symmetry()
            | tree.Example()
        ):  # fmt: skip
            return False
        case (
            tree.Option() | tree.Const() | tree.TypeDecl() | tree.Board() | tree.Shape() | tree.Table()
            | tree.Component() | tree.Place() | tree.Rules() | tree.Menu() | tree.Action() | tree.Procedure()
            | tree.Chance() | tree.Whenever() | tree.Combines() | tree.ReplaceDeclaration() | tree.Remove()
            | tree.Forbid() | tree.Allow() | tree.AddItems() | tree.AddKind() | tree.SetValue() | tree.SetCapital()
        ):  # fmt: skip
            return True
        case _:
            assert_never(declaration)


def _records(statement: tree.Statement, records: Collection[str]) -> bool:
    """Whether a step only keeps a record for promises: it writes tracks."""
    match statement:
        case tree.Assign(target=target):
            return any(isinstance(node, tree.Name) and node.name in records for node in walk(target))
        case tree.If(then=then, otherwise=otherwise):
            return all(_records(node, records) for node in (*then, *otherwise))
        case tree.ForEach(body=body):
            return all(_records(node, records) for node in body)
        case tree.Let():
            return True
        case _:  # cautious: any other step does something
            return False


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
