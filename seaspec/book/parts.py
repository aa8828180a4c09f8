"""How a thing, a clause, a verdict is shown: Markdown with HTML in it, where links and folds are.

Links are HTML, for the pages of a site lie where its generator puts them: `Book.link` knows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from html import escape

from seaspec.book.code import Code
from seaspec.book.contents import Contents, Thing, Verdict, sort_of
from seaspec.book.course import Step, course
from seaspec.book.drawn import of_example
from seaspec.check.describe import describe
from seaspec.check.rules.cover import Coverage
from seaspec.rulebook import ClauseEntry
from seaspec.syntax import tree
from seaspec.syntax.walk import walk

LEVELS = {
    "proved": "for all positions of the game, by induction, with a solver",
    "exhaustive": "all positions of the game, or of the small world that is named, were looked at",
    "exact": "computed, without rounding",
    "bounded": "all plays up to a depth were looked at",
    "tested": "no play that was tried speaks against it",
    "witnessed": "a play shows it",
    "refuted": "a play shows that what one might think is not so",
    "kept": "it is kept in all plays that were tried",
    "undecided": "neither proved nor broken",
    "broken": "a play breaks it",
}
"""The words of verdicts, and what they mean."""


class Layout(Enum):
    """What the pages of a book are: files, folders of a site (as MkDocs makes them), parts of one file."""

    FILES = "files"
    FOLDERS = "folders"
    ONE = "one"


@dataclass
class Book:
    """What all pages of a book share. `pages`: which page shows a thing, by anchor; `layout`: what a
    page is; `pictures`: by the names of their files."""

    main: Sequence[Contents]
    variants: Sequence[Contents]
    coverage: Coverage | None
    verdicts: Mapping[str, Verdict]
    layout: Layout
    pictures: Mapping[str, str]
    here: str = "index"
    """The page that is written."""
    headings: int = 0
    code: Code = field(default_factory=Code)
    pages: dict[str, str] = field(default_factory=dict)
    anchors: dict[str, str] = field(default_factory=dict)
    """By name: the thing that is meant, of the game before its variants."""
    citing: dict[str, list[Thing]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for contents in (*self.main, *self.variants):
            is_variant = contents in self.variants
            for thing in contents.things:
                page = f"variant-{variant_page(contents.chapter)}" if is_variant else sort_of(thing.node)
                self.pages[thing.anchor] = page
                for name in names_of(thing.node):
                    self.anchors.setdefault(name, thing.anchor)
                for id in self.cited(thing):
                    self.citing[id].append(thing)

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

    def heading(self, text: str) -> str:
        """A heading of a page, with a name of its own in the book."""
        self.headings += 1
        return f"## {prose(text)} {{#part-{self.headings}}}"

    def picture(self, name: str, words: str) -> Iterator[str]:
        """A picture, if there is one."""
        if name in self.pictures:
            up = "../" if self.layout is Layout.FOLDERS and self.here != "index" else ""
            yield f'<img src="{up}{name}" alt="{prose(words)}" loading="lazy">'

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


def variant_page(chapter: tree.Chapter) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", chapter.name).lower()


_NAMED = (
    tree.Option, tree.Const, tree.TypeDecl, tree.Board, tree.Shape, tree.Table, tree.Component, tree.Place, tree.State,
    tree.Define, tree.Rules, tree.Menu, tree.Action, tree.Procedure, tree.Chance,
)  # fmt: skip


def names_of(node: tree.Declaration) -> Iterator[str]:
    """The names that a declaration gives to something: its own, and those of kinds and of values in it."""
    if isinstance(node, _NAMED) and node.name is not None:
        yield node.name
    for part in walk(node) if isinstance(node, tree.Component | tree.AddKind) else ():
        if isinstance(part, tree.KindDecl):
            yield part.name


def clauses(book: Book, thing: Thing) -> Iterator[str]:
    """What the rule book says of a thing, in our words: its clauses, but not the silences."""
    if book.coverage is None:
        return
    known = book.coverage.rulebook.clauses
    gaps = {entry.id for entry in book.coverage.gaps}
    said = [known[id] for id in book.cited(thing) if id in known and id not in gaps]
    if said:
        yield "\n".join(f"- {prose(entry.text)} <small>{book.to_clause(entry.id)}</small>" for entry in said)


def readings(thing: Thing, book: Book) -> Iterator[str]:
    """How silences are read."""
    found = []
    for part in walk(thing.node):
        if isinstance(part, tree.Tail):
            ids = ", ".join(book.to_clause(clause.id) for clause in part.cites)
            found += [f"- {said(sentence)}" + (f" <small>{ids}</small>" if ids else "") for sentence in part.assumes]
    if found:
        yield "The book is silent here, and is read so:\n\n" + "\n".join(found)


def guards(thing: Thing) -> Iterator[str]:
    """What must be so, in words: the guards of an action, or of what is spliced into it."""
    if not isinstance(thing.node, tree.Action | tree.Rules):
        return
    found = []
    for line in thing.node.body:
        if isinstance(line, tree.Needs):
            words = said(line.tail.sentence) or escape(line.test.span.text)
            name = f"`{line.name}`: " if line.name is not None else ""
            found.append(f"- {name}{words}")
            for unless in line.exceptions:
                found.append(f"    - unless {said(unless.tail.sentence) or escape(unless.span.text)}")
    if found:
        yield "Not allowed, with these words, unless each holds:\n\n" + "\n".join(found)


def outline(book: Book) -> Iterator[str]:
    """The course of the game at a glance."""
    steps = course(thing.node for contents in book.main for thing in contents.things)
    if steps:
        key = "".join(f'<span class="{sort}">{words}</span> ' for sort, words in _KEY.items())
        yield book.heading("The course of the game")
        yield f'<div class="course"><p>{key}</p>\n{_listed(book, steps)}</div>'


_KEY = {"asked": "somebody is asked", "chance": "chance", "end": "the game ends, or somebody is out of it"}


def _listed(book: Book, steps: Sequence[Step]) -> str:
    lines = []
    for step in steps:
        inner = f"\n{_listed(book, step.inner)}" if step.inner else ""
        lines.append(f'<li><code class="{step.sort}">{book.code.inline(step.span, book.to_name)}</code>{inner}</li>')
    return f"<ol>{''.join(lines)}</ol>"


def block(book: Book, thing: Thing) -> str:
    """All of a thing."""
    if isinstance(thing.node, _SMALL):
        return _small(book, thing)
    parts = [f"### {title_of(thing)} {{#{thing.anchor}}}"]
    if thing.tail.sentence is not None:
        parts.append(f"*{said(thing.tail.sentence)}*")
    parts += verdict(book, thing)
    parts += clauses(book, thing)
    if isinstance(thing.node, tree.Example):
        parts += book.picture(of_example(thing.name), f"{title_of(thing)}: the position at the end")
    parts += guards(thing)
    parts += readings(thing, book)
    parts.append(folded(_WRITTEN, book.written(thing), is_open=isinstance(thing.node, tree.Example)))
    parts += speaking(book, thing)
    return "\n\n".join(parts)


_SMALL = (tree.Option, tree.Const, tree.TypeDecl, tree.State, tree.Place, tree.SetValue, tree.SetCapital)


def _small(book: Book, thing: Thing) -> str:
    """Numbers, types, states, places: no heading each, or a page would have hundreds."""
    inside = [f"<b>{title_of(thing)}</b>"]
    if thing.tail.sentence is not None:
        inside.append(f" <i>{said(thing.tail.sentence)}</i>")
    known = {} if book.coverage is None else book.coverage.rulebook.clauses
    gaps = set() if book.coverage is None else {entry.id for entry in book.coverage.gaps}
    for id in book.cited(thing):
        if id in known and id not in gaps:
            inside.append(f"<br>{prose(known[id].text)} <small>{book.to_clause(id)}</small>")
    for sentence in thing.tail.assumes:
        inside.append(f"<br>The book is silent; it is read so: {said(sentence)}")
    return f'<div class="thing" id="{thing.anchor}">{"".join(inside)}\n{folded(_WRITTEN, book.written(thing))}</div>'


def title_of(thing: Thing) -> str:
    return thing.name.replace("_", " ") if getattr(thing.node, "name", None) == thing.name else describe(thing.node)


_WRITTEN = "as it is written"


def speaking(book: Book, thing: Thing) -> Iterator[str]:
    """Promises and examples that cite one of the same clauses as a rule; the rules, of a promise or an example."""
    wanted = ("promises", "examples") if sort_of(thing.node) == "rules" else ("rules",)
    near: dict[str, Thing] = {}
    for id in book.cited(thing):
        for other in book.citing[id]:
            if other is not thing and sort_of(other.node) in wanted:
                near.setdefault(other.anchor, other)
    if near:
        shown = ", ".join(book.to_thing(other) for other in list(near.values())[:_MOST_NEAR])
        more = f" and {len(near) - _MOST_NEAR} more" if len(near) > _MOST_NEAR else ""
        yield f"<small>{_NEAR[wanted]} {shown}{more}</small>"


_MOST_NEAR = 8
_NEAR = {("promises", "examples"): "promised and shown of it:", ("rules",): "the rules:"}


def verdict(book: Book, thing: Thing) -> Iterator[str]:
    """What was found out about a promise."""
    if sort_of(thing.node) != "promises":
        return
    found = book.verdicts.get(thing.name)
    if found is None:
        yield '<span class="verdict stale">not checked yet</span>'
        return
    look = "broken" if found.kept is False else "kept" if found.kept else "undecided"
    yield f'<span class="verdict {look}">{escape(found.level)}</span> <small>{prose(found.text)}</small>'
    if found.steps:
        steps = "".join(f"<li>{prose(step)}</li>" for step in found.steps)
        board = f"<pre>{escape(found.board, quote=False)}</pre>" if found.board.strip() else ""
        title = f"the play that shows it: {len(found.steps)} step{'s' * (len(found.steps) != 1)}"
        yield folded(title, f"<ol>{steps}</ol>\n{board}")


def clause_row(book: Book, entry: ClauseEntry) -> str:
    """A clause, and who speaks of it."""
    assert book.coverage is not None
    coverage = book.coverage
    by_sort: dict[str, list[Thing]] = defaultdict(list)
    for thing in book.citing[entry.id]:
        by_sort[sort_of(thing.node)].append(thing)
    parts = [f'<dt id="{entry.id}">{entry.id}</dt><dd>{prose(entry.text)}']
    for sort, words in (("rules", "done by"), ("promises", "promised by"), ("examples", "shown by")):
        if by_sort[sort]:
            parts.append(f"<br><small>{words} {', '.join(map(book.to_thing, by_sort[sort]))}</small>")
    if not by_sort["rules"] and entry.id in coverage.notes:
        parts.append("<br><small>nothing that rules can do</small>")
    elif not by_sort["rules"] and entry in coverage.clauses:
        parts.append('<br><small class="missing">no rule cites it</small>')
    return "".join([*parts, "</dd>"])


# ------------------------------------------------------------------------------------------------------------- texts


def said(sentence: tree.Sentence | None) -> str:
    """A sentence, the names in it as variables."""
    if sentence is None:
        return ""
    return "".join(
        prose(part) if isinstance(part, str) else f"<var>{escape(part.span.text)}</var>" for part in sentence.parts
    )


def prose(text: str) -> str:
    """A line of a catalogue, or a comment, in HTML that Markdown leaves alone: `code` and **what is stressed**."""
    parts = text.split("`")
    shown = [f"<code>{_plain(part)}</code>" if place % 2 else _plain(part) for place, part in enumerate(parts)]
    return _STRESSED.sub(r"<strong>\1</strong>", "".join(shown))


_STRESSED = re.compile(r"&#42;&#42;(.+?)&#42;&#42;")


def _plain(text: str) -> str:
    return re.sub(r"[*_\[\]{}\\<>#|~]", lambda sign: f"&#{ord(sign[0])};", text.replace("&", "&amp;"))


def folded(title: str, inside: str, is_open: bool = False) -> str:
    """What is shown on demand."""
    return f"<details{' open' * is_open}><summary>{title}</summary>\n{inside}\n</details>"


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
