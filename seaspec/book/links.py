"""What all pages of a book share: what stands on which page, and how one links to it.

Links are HTML, for the pages of a site lie where its generator puts them: `Book.link` knows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from html import escape

from seaspec.book.code import Code
from seaspec.book.contents import Check, Contents, Sort, Thing, changed_names, sort_of, told_as
from seaspec.book.drawn import Alone
from seaspec.book.plays import Step
from seaspec.book.texts import prose
from seaspec.book.turn import Turn
from seaspec.check.rules.cover import Coverage
from seaspec.syntax import tree
from seaspec.syntax.walk import walk


class Layout(Enum):
    """What the pages of a book are: files, folders of a site (as MkDocs makes them), parts of one file."""

    FILES = "files"
    FOLDERS = "folders"
    ONE = "one"


@dataclass
class Book:
    """What all pages of a book share. `pages`: which page shows a thing, by anchor; `layout`: what a page is."""

    game: str
    """Its name, or that of the stack, as `seaspec` is told it."""
    main: Sequence[Contents]
    variants: Sequence[Contents]
    check: Check
    coverage: Coverage | None
    layout: Layout
    pictures: dict[str, str]
    """By the names of their files."""
    plays: Mapping[str, tuple[Step, ...]]
    """The plays that show verdicts, by the names of the promises; `examples`: what worked examples show."""
    examples: Mapping[str, tuple[Step, ...]]
    variant_checks: Mapping[str, Check]
    alone: Mapping[str, Alone]
    """Of the game with each variant alone, by its name."""
    turns: Sequence[Turn]
    """Procedures, for diagrams."""
    further: Sequence[str] = ()
    """The pages on which one looks things up."""
    here: str = "index"
    """The page that is written."""
    stepped: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    """The plays that are stepped through in it, by the anchors of what they show."""
    headings: set[str] = field(default_factory=set)
    """The anchors of its headings."""
    code: Code = field(default_factory=Code)
    pages: dict[str, str] = field(default_factory=dict)
    anchors: dict[str, str] = field(default_factory=dict)
    """By name: the thing that is meant, of the game before its variants."""
    declared: dict[str, list[Thing]] = field(default_factory=dict)
    """By name: all that has it, clauses of a family and promises among them."""
    changes: dict[str, list[Thing]] = field(default_factory=dict)
    """By name: what the variants with which the game is played change of it."""
    promised: dict[str, str] = field(default_factory=dict)
    """The same of promises; what they are called may be the name of a rule, too."""
    citing: dict[str, list[Thing]] = field(default_factory=lambda: defaultdict(list))
    terms: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """By name, and language: what the rule book calls it."""

    def __post_init__(self) -> None:
        for contents in (*self.main, *self.variants):
            is_variant = contents in self.variants
            for language, word in _terms(contents.chapter):
                known = self.terms[word.name]
                known[language] = known.get(language, word.word) if is_variant else word.word
            is_played = contents.chapter.kind is tree.ChapterKind.VARIANT and not is_variant
            for thing in contents.things:
                page = f"variant-{variant_page(contents.chapter)}" if is_variant else sort_of(thing.node)
                self.pages[thing.anchor] = page
                for name in changed_names(thing.node) if is_played else ():
                    self.changes.setdefault(name, []).append(thing)
                for name in dict.fromkeys(names_of(thing.node)):
                    self.anchors.setdefault(name, thing.anchor)
                    self.declared.setdefault(name, []).append(thing)
                if sort_of(thing.node) == Sort.PROMISE:
                    self.promised.setdefault(thing.name, thing.anchor)
                    checks = (self.check, *self.variant_checks.values())
                    for told in {told_as(thing.node, check.verdicts) for check in checks} - {None}:
                        self.promised.setdefault(str(told), thing.anchor)
                if sort_of(thing.node) != Sort.RULE:
                    self.declared.setdefault(thing.name, []).append(thing)
                for id in self.cited(thing):
                    self.citing[id].append(thing)

    @cached_property
    def users(self) -> dict[str, list[Thing]]:
        """By name: what speaks of it in the text, of the game as it is played."""
        found: dict[str, list[Thing]] = {}
        for contents in self.main:
            for thing in contents.things:
                for name in self.code.names(thing.node.span):
                    found.setdefault(name, []).append(thing)
        return found

    def cited(self, thing: Thing) -> Iterator[str]:
        """The clauses that a thing cites, each once, in their order; what a module cites stands for such."""
        found = dict.fromkeys(part.id for part in walk(thing.node) if isinstance(part, tree.Clause))
        tags = {} if self.coverage is None else self.coverage.tags.get(thing.chapter.name, {})
        yield from dict.fromkeys(id for tag in found for id in tags.get(tag, (tag,)))

    def address(self, page: str, anchor: str = "") -> str:
        """Of another page of the book, as the one that is written can name it."""
        if page == self.here and anchor:
            return f"#{anchor}"
        up = "" if self.here == "index" else "../"
        match self.layout:
            case Layout.ONE:
                return f"#{anchor or page}"
            case Layout.FILES:
                target = f"{page}.html"
            case Layout.FOLDERS:
                target = (up or "./") if page == "index" else f"{up}{page}/"
        return target + (f"#{anchor}" if anchor else "")

    def link(self, text: str, page: str, anchor: str = "") -> str:
        return f'<a href="{escape(self.address(page, anchor))}">{text}</a>'

    def turn_to(self, page: str) -> None:
        """The next page begins."""
        self.here = page
        self.stepped, self.headings = {}, set()

    def heading(self, text: str) -> str:
        """A heading of a page. Its anchor is made from its words, so that links to it last."""
        words = re.sub(r"[^\w]+|_+", "-", text.lower()).strip("-")
        own = anchor = f"{self.here}-{words or 'section'}"
        number = 1
        while anchor in self.headings:
            number += 1
            anchor = f"{own}-{number}"
        self.headings.add(anchor)
        return f"## {prose(text)} {{#{anchor}}}"

    def asset(self, name: str) -> str:
        """Where a file of the book lies, seen from the page."""
        return f"../{name}" if self.layout is Layout.FOLDERS and self.here != "index" else name

    def beside(self, name: str) -> str:
        """Where a file lies that all books of a site share."""
        return f"../{self.asset(name)}" if self.layout is Layout.FOLDERS else name

    def named(self, text: str) -> str:
        """A name, perhaps with others after a full stop, and a link to what it names."""
        anchor = self.promised.get(text)
        at_promise = None if anchor is None else self.address(self.pages[anchor], anchor)
        address = at_promise or self.to_name(text) or self.to_name(text.partition(".")[0])
        return f'<a href="{escape(address)}">{escape(text)}</a>' if address else escape(text)

    def picture(self, name: str, words: str) -> Iterator[str]:
        """A picture, if there is one."""
        if name in self.pictures:
            yield f'<img src="{self.asset(name)}" alt="{prose(words)}" loading="lazy">'

    def term(self, name: str) -> str:
        """What the rule book calls something, in its own language; nothing if it is not told."""
        words = self.terms.get(name, {}).items()
        return ", ".join(f'<span class="term" lang="{language}">{prose(word)}</span>' for language, word in words)

    def to_thing(self, thing: Thing) -> str:
        return self.link(escape(thing.name), self.pages[thing.anchor], thing.anchor)

    def to_clause(self, id: str) -> str:
        known = self.coverage is not None and id in self.coverage.rulebook.clauses
        return self.link(id, "clauses", id) if known else id

    def to_name(self, name: str) -> str | None:
        """Where a name, or a clause, that stands in the text is told of."""
        if self.coverage is not None and name in self.coverage.rulebook.clauses:
            return self.address("clauses", name)
        anchor = self.anchors.get(name)
        return None if anchor is None else self.address(self.pages[anchor], anchor)

    def written(self, thing: Thing) -> str:
        """A thing as it is written."""
        span = thing.node.span
        start = span.file.text.rfind("\n", 0, span.start) + 1
        return self.code.html(span.file, start, span.end, self.to_name)


def _terms(chapter: tree.Chapter) -> Iterator[tuple[str, tree.TermOf]]:
    for node in chapter.declarations:
        if isinstance(node, tree.Term):
            yield from ((node.language, word) for word in node.words)


def variant_page(chapter: tree.Chapter) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", chapter.name).lower()


_NAMED = (
    tree.Option, tree.Const, tree.TypeDecl, tree.Board, tree.Shape, tree.Table, tree.Component, tree.Place, tree.State,
    tree.Define, tree.Rules, tree.Menu, tree.Action, tree.Procedure, tree.Chance,
)  # fmt: skip


def words_in(node: tree.Declaration) -> Iterator[str]:
    """The names that stand in a declaration and are told of with it: kinds but the first of a name, words of a type."""
    own = getattr(node, "name", None)
    found = (part.name for part in walk(node) if isinstance(part, tree.KindDecl | tree.EnumValue))
    yield from (name for name in dict.fromkeys(found) if name != own)


def names_of(node: tree.Declaration) -> Iterator[str]:
    """The names that a declaration gives to something: its own, and those of kinds and of values in it."""
    if isinstance(node, _NAMED) and node.name is not None:
        yield node.name
    for part in walk(node) if isinstance(node, tree.Component | tree.AddKind) else ():
        if isinstance(part, tree.KindDecl):
            yield part.name
