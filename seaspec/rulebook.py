"""Rule books: catalogues in Markdown, whose tables give every clause an id. Text in, a `Rulebook` out.

A table defines ids if its first column is headed `id`, `tag` or `no`, and a row if its first cell is a plain id such as
`play.4` (an id in backticks is only mentioned). The section (`##`) and the id say what kind of entry it is; the tables
under `## Clauses` are the clauses, which a game must cover.

A catalogue with a section `## Tags` belongs to a module: its tags stand for clauses of several games, which have a
column each, headed with the name of their rule book (`Old Maid` is `old_maid`). A sentence such as "gap.1 to gap.32
are the same in both catalogues" makes tags of these ids, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from seaspec.source import SourceFile

ID = re.compile(r"[a-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
_ID_COLUMNS = ("id", "tag", "no")
_NO_RULE_BOOK = ("differs", "difference", "")
_MARK = re.compile(r"^\[[A-Z]:[\w.]+\]\s*")
_SHARED = re.compile(r"\b(\w+)\.(\d+) to (\w+)\.(\d+) are the same")


class EntryKind(Enum):
    """What an entry of a catalogue is."""

    CLAUSE = "clause"
    COMPONENT = "component"
    EXAMPLE = "example"
    VECTOR = "vector"
    GAP = "gap"
    DATA = "data"
    DECISION = "decision"
    CHANCE = "chance"
    INFO = "info"
    PROPERTY = "property"
    VARIANT = "variant"
    HOUSE = "house"
    OTHER = "other"


_BY_PREFIX = {
    "ex": EntryKind.EXAMPLE,
    "vec": EntryKind.VECTOR,
    "der": EntryKind.VECTOR,
    "gap": EntryKind.GAP,
    "dec": EntryKind.DECISION,
    "ch": EntryKind.CHANCE,
    "chance": EntryKind.CHANCE,
    "info": EntryKind.INFO,
    "prop": EntryKind.PROPERTY,
    "var": EntryKind.VARIANT,
    "house": EntryKind.HOUSE,
}
_BY_SECTION = {
    "Components": EntryKind.COMPONENT,
    "Worked examples": EntryKind.EXAMPLE,
    "Silences": EntryKind.DATA,
    "Decisions and information": EntryKind.DECISION,
    "Properties worth proving": EntryKind.PROPERTY,
    "Variants and house rules": EntryKind.HOUSE,
}


@dataclass(frozen=True, slots=True)
class ClauseEntry:
    """One line of the catalogue. `section`: the nearest heading above it; `line`: in the file, from 1; `where`: its
    place in the rule book, in the words of that book, if a column says so."""

    id: str
    text: str
    section: str
    kind: EntryKind
    line: int
    where: str = ""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A catalogue: all its entries by id, in the order of the file."""

    name: str
    title: str
    clauses: dict[str, ClauseEntry]
    tags: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """For a module: by tag and rule book, the clauses that the tag stands for there."""
    repeated: tuple[tuple[str, int], ...] = ()
    """Ids that stand there a second time, and in which line."""

    def to_cover(self) -> tuple[ClauseEntry, ...]:
        """The clauses that a game must cover."""
        return tuple(entry for entry in self.clauses.values() if entry.kind is EntryKind.CLAUSE)


def read_rulebook(source: SourceFile, name: str) -> Rulebook:
    """Read a catalogue.

    >>> text = "## Clauses\\n### Turn\\n| id | clause |\\n|---|---|\\n| turn.1 | Draw a card. |"
    >>> read_rulebook(SourceFile("calm.md", text), "calm").clauses["turn.1"].text
    'Draw a card.'
    """
    title = ""
    clauses: dict[str, ClauseEntry] = {}
    tags: dict[str, dict[str, tuple[str, ...]]] = {}
    repeated: list[tuple[str, int]] = []
    section = heading = ""
    columns: list[str] | None = None
    for line, text in enumerate(source.text.split("\n"), 1):
        found = re.match(r"(#+)\s+(.*)", text)
        if found:
            depth, heading = len(found[1]), found[2].strip()
            title = heading if depth == 1 else title
            section = heading if depth == 2 else section
        if not text.lstrip().startswith("|"):
            columns = None
            if tags:
                _share(text, tags, clauses, heading, line)
            continue
        cells = _cells(text)
        if columns is None:
            columns = cells
        elif columns[0].lower() in _ID_COLUMNS and ID.fullmatch(cells[0]):
            if cells[0] in clauses:
                repeated.append((cells[0], line))
                continue
            kind = _kind(section, cells[0])
            is_tag = columns[0].lower() == "tag"
            text = "".join(cells[1:2]) if is_tag else _text(kind, cells)
            where = dict(zip(columns, cells, strict=False)).get("where", "")
            clauses[cells[0]] = ClauseEntry(cells[0], text, heading, kind, line, where)
            if is_tag:
                tags[cells[0]] = dict(_columns_of_books(columns, cells))
    return Rulebook(name, title, clauses, tags, tuple(repeated))


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def _kind(section: str, id: str) -> EntryKind:
    if section in ("Clauses", "Tags"):
        return EntryKind.CLAUSE
    return _BY_PREFIX.get(id.split(".")[0]) or _BY_SECTION.get(section, EntryKind.OTHER)


def _text(kind: EntryKind, cells: list[str]) -> str:
    """What the entry says, in one line: some kinds need two columns."""
    rest = [_MARK.sub("", cell) for cell in cells[1:]]
    match kind:
        case EntryKind.EXAMPLE | EntryKind.VECTOR | EntryKind.GAP | EntryKind.HOUSE | EntryKind.VARIANT:
            parts = rest[:2]
        case EntryKind.PROPERTY:
            parts = rest[1:2] or rest
        case EntryKind.DECISION | EntryKind.CHANCE | EntryKind.INFO | EntryKind.COMPONENT | EntryKind.DATA:
            parts = rest
        case EntryKind.CLAUSE | EntryKind.OTHER:
            parts = rest[:1]
    return "; ".join(part for part in parts if part)


def _columns_of_books(columns: list[str], cells: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for column, cell in list(zip(columns, cells, strict=False))[2:]:
        if column.lower() not in _NO_RULE_BOOK:
            yield "_".join(column.lower().split()), tuple(id[0] for id in ID.finditer(cell))


def _share(
    text: str,
    tags: dict[str, dict[str, tuple[str, ...]]],
    clauses: dict[str, ClauseEntry],
    heading: str,
    line: int,
) -> None:
    """Tags for ids that a sentence says to be the same in all rule books."""
    books = dict.fromkeys(book for columns in tags.values() for book in columns)
    for group, first, other, last in _SHARED.findall(text):
        for number in range(int(first), int(last) + 1) if group == other else ():
            id = f"{group}.{number}"
            kind = _kind(heading, id)
            clauses.setdefault(id, ClauseEntry(id, "the same in all catalogues", heading, kind, line))
            tags.setdefault(id, dict.fromkeys(books, (id,)))
