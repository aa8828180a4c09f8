"""What a book has: chapters, sections, and the things that are declared in them, in the order of the text.

The author's comments at the margin are the headings and the prose between: a short line without a full stop is a
heading, anything else is a paragraph. What stands above the first heading of a file is its introduction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seaspec.check.describe import describe, promise_name, snake_case
from seaspec.source import SourceFile, Span
from seaspec.syntax import tree

_NOT_SHOWN = (tree.Title, tree.Term, tree.Rulebook, tree.Uses, tree.Combines, tree.Note)
_PROMISES = (
    tree.Invariant, tree.Always, tree.Lemma, tree.Reachable, tree.Winnable, tree.NeverStuck, tree.Ends, tree.Secret,
    tree.OddsPromise, tree.Symmetry,
)  # fmt: skip
_COMMENT = re.compile(r"^--[ \t]?(.*)$")
_RULER = re.compile(r"[-=*_ ]{3,}")
_NUMBER = re.compile(r"^(part [\w]+|\d+)[.:]\s*", re.IGNORECASE)
_LIST_OF_PARTS = re.compile(r"part \w+ {2,}", re.IGNORECASE)
_LONGEST_HEADING = 80
PAGES = ("index", "rules", "examples", "promises", "odds", "options", "glossary", "clauses")
"""The pages of a book. In one file their names are anchors, so nothing else is called like them."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a chapter declares. `anchor`: where its page shows it."""

    node: tree.Declaration
    chapter: tree.Chapter
    anchor: str

    @property
    def name(self) -> str:
        if isinstance(self.node, _PROMISES):
            return promise_name(self.node)
        return getattr(self.node, "name", None) or describe(self.node)

    @property
    def tail(self) -> tree.Tail:
        tail = getattr(self.node, "tail", None)
        return tail if isinstance(tail, tree.Tail) else tree.Tail(self.node.span)


def told_as(node: tree.Declaration, names: Iterable[str]) -> str | None:
    """The one of these names by which a check tells of a promise: some have no name but what they say."""
    match node:
        case tree.NeverStuck():
            wanted = "never stuck"
        case tree.Secret():
            wanted = f"secret {', '.join(node.names)}"
        case tree.OddsPromise():
            wanted = f"{'mean' if node.mean else 'odds'} {node.call.span.text}"
        case tree.Ends():
            number = re.compile(rf"ends within \d+ calls of {re.escape(node.procedure)}")
            return next((name for name in names if number.fullmatch(name)), None)
        case _:  # cautious: it has a name
            wanted = getattr(node, "name", "")
    return wanted if wanted in names else None


class Sort:
    """On which page a thing stands."""

    RULE, PROMISE, EXAMPLE = "rules", "promises", "examples"


def sort_of(node: tree.Declaration) -> str:
    if isinstance(node, tree.Example):
        return Sort.EXAMPLE
    return Sort.PROMISE if isinstance(node, _PROMISES) else Sort.RULE


def changed_names(node: tree.Declaration) -> tuple[str, ...]:
    """What a change changes, by name; nothing, if it only adds something new."""
    match node:
        case tree.ReplaceDeclaration(declaration=inner):
            return (inner.name,) if inner.name is not None else ()
        case tree.Remove(names=names) | tree.Drops(names=names):
            return names
        case tree.AddItems(menu=name) | tree.AddKind(component=name):
            return (name,)
        case tree.ReplaceBody() | tree.Forbid() | tree.Allow() | tree.Hook():
            return (node.name,)
        case tree.SetValue() | tree.SetCapital() | tree.Breaks():
            return (node.name,)
        case _:  # cautious: it stands for itself
            return ()


@dataclass(slots=True)
class Section:
    """A heading of the text, the prose below it, and the things up to the next one."""

    title: str
    prose: list[str] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Contents:
    """A chapter of the text: the introduction of its file, if it is the first one there, and its sections."""

    chapter: tree.Chapter
    introduction: tuple[str, ...]
    sections: tuple[Section, ...]

    def of(self, sort: str) -> Iterator[tuple[Section, list[Thing]]]:
        """The sections that have things of a sort, with these; sections without any thing belong to no page."""
        for section in self.sections:
            things = [thing for thing in section.things if sort_of(thing.node) == sort]
            if things:
                yield section, things

    @property
    def things(self) -> Iterator[Thing]:
        for section in self.sections:
            yield from section.things


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `seaspec check` has found out about a promise: `level` is its word, `text` the rest of the line."""

    level: str
    kept: bool | None
    text: str
    world: str = ""
    """The small world in which it was found."""
    over: int = 1
    """So many steps in a row its proof looks at."""
    rests_on: tuple[str, ...] = ()
    does_without: tuple[str, ...] = ()
    empty: str = ""
    """Why it says nothing, if that is proved."""
    because: tuple[str, ...] = ()
    """The lines without which it would not be broken so."""
    steps: tuple[str, ...] = ()
    """The play that shows it, if there is one, and the `board` at its end; `beside`: another one that looks alike."""
    board: str = ""
    beside: tuple[str, ...] = ()
    saved: Mapping[str, Any] = field(default_factory=dict)
    """The play as it is saved, but for the texts of its rules."""


@dataclass(frozen=True, slots=True)
class Check:
    """The last check of a game, or of a stack: what it has found by the names of promises. `stale`: it was not of this
    text; `remark`: what else sets it apart; `tools`: what was used, with versions."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    stale: bool = False
    remark: str = ""
    seconds: float = 0.0
    plays: int = 0
    tools: Mapping[str, str] = field(default_factory=dict)
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a variant: worked examples of its base that end otherwise, and the lines that make it so."""
    card: tuple[tuple[str, str, str, bool], ...] = ()
    """Of a variant: what is counted in random plays, without it, with it, and whether that differs for certain."""


def contents(chapters: Iterable[tree.Chapter]) -> list[Contents]:
    """The chapters of a book."""
    used = set(PAGES)
    return [_chapter(chapter, used) for chapter in chapters]


def _chapter(chapter: tree.Chapter, used: set[str]) -> Contents:
    sections = [Section("")]
    declared = sorted(chapter.declarations, key=lambda node: node.span.start)
    for node in declared:
        for heading, prose in _remarks(node.span):
            if heading:
                sections.append(Section(heading))
            sections[-1].prose += prose
        if not isinstance(node, _NOT_SHOWN):
            sections[-1].things.append(Thing(node, chapter, _anchor(node, chapter, used)))
    introduction = _introduction(chapter.span.file) if _is_first(chapter) else []
    return Contents(chapter, tuple(introduction), tuple(section for section in sections if section.things))


def _anchor(node: tree.Declaration, chapter: tree.Chapter, used: set[str]) -> str:
    plain = re.sub(r"\W+", "_", getattr(node, "name", None) or describe(node)).strip("_")
    own = plain if chapter.kind is not tree.ChapterKind.VARIANT else f"{snake_case(chapter.name)}-{plain}"
    found, number = own, 1
    while found in used:
        number += 1
        found = f"{own}-{number}"
    used.add(found)
    return found


# ----------------------------------------------------------------------------------------------- comments at the margin


def _remarks(span: Span) -> Iterator[tuple[str, list[str]]]:
    """Heading and prose, in pairs, of what stands in comments right above a declaration, up to the one before."""
    lines = span.file.text[: span.start].split("\n")[:-1]
    above: list[str] = []
    while lines and (not lines[-1].strip() or lines[-1].startswith("--")):
        above.append(lines.pop())
    blocks = _blocks(reversed(above))
    if not lines:
        blocks = []  # the introduction of the file
    for block in blocks:
        text = " ".join(block)
        if len(block) == 1 and len(text) <= _LONGEST_HEADING and not text.endswith("."):
            yield heading(text), []
        else:
            numbered = _NUMBER.match(text)
            first, _, rest = text[numbered.end() if numbered else 0 :].partition(". ")
            yield (heading(first), [rest]) if numbered and rest else ("", [text])


def heading(text: str) -> str:
    """A heading without its number: books number their own.

    >>> heading("7. Laying a ship"), heading("PART ONE. The standard game")
    ('Laying a ship', 'The standard game')
    """
    plain = _NUMBER.sub("", text)
    return plain[:1].upper() + plain[1:]


def _blocks(lines: Iterable[str]) -> list[list[str]]:
    """Comments, as paragraphs of lines; rulers are left out, and part them."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        found = _COMMENT.match(line)
        text = found[1].strip() if found else ""
        titled = re.sub(r"^[-=]{3,}\s*", "", text)
        if not text or _RULER.fullmatch(text):
            blocks.append([])
        elif titled != text:
            blocks += [[titled], []]
        else:
            blocks[-1].append(text)
    return [block for block in blocks if block]


def _introduction(file: SourceFile) -> list[str]:
    """The paragraphs that a file begins with; tables of contents, which are indented lists, are left out."""
    lines: list[str] = []
    for line in file.text.split("\n"):
        if not line.startswith("--"):
            break
        lines.append(line)
    return [text for text in map(" ".join, _blocks(lines)) if not _LIST_OF_PARTS.match(text)]


def _is_first(chapter: tree.Chapter) -> bool:
    """Whether nothing but comments stands above it in its file."""
    above = chapter.span.file.text[: chapter.span.start]
    return all(not line.strip() or line.startswith("--") for line in above.split("\n"))


def main_chapters(chapters: Sequence[tree.Chapter]) -> list[tree.Chapter]:
    """The game, then its modules, then the variants with which it is played."""
    kinds = (tree.ChapterKind.GAME, tree.ChapterKind.MODULE, tree.ChapterKind.VARIANT)
    return [chapter for kind in kinds for chapter in chapters if chapter.kind is kind]
