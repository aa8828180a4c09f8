"""Reading catalogues of rule books."""

from __future__ import annotations

from pathlib import Path

import pytest

from seaspec.rulebook import EntryKind, Rulebook, read_rulebook
from seaspec.source import SourceFile

HERE = Path(__file__).parent
PACKAGED = sorted((HERE.parent / "spec" / "rulebooks").glob("*.md"))


def read(path: Path, name: str) -> Rulebook:
    return read_rulebook(SourceFile(path.name, path.read_text(encoding="utf-8")), name)


@pytest.fixture
def calm() -> Rulebook:
    return read(HERE / "cases" / "rulebook.md", "calm")


@pytest.fixture
def sailing() -> Rulebook:
    return read(HERE / "cases" / "rulebook_of_module.md", "sailing")


def test_ids_and_kinds(calm: Rulebook) -> None:
    assert calm.title == "Calm (a small catalogue)"
    assert {id: entry.kind for id, entry in calm.clauses.items()} == {
        "part.1": EntryKind.COMPONENT,
        "turn.1": EntryKind.CLAUSE,
        "turn.2": EntryKind.CLAUSE,
        "move.4.6a": EntryKind.CLAUSE,
        "ex.1": EntryKind.EXAMPLE,
        "vec.1": EntryKind.VECTOR,
        "gap.1": EntryKind.GAP,
        "sit.1": EntryKind.DATA,
        "dec.1": EntryKind.DECISION,
        "ch.1": EntryKind.CHANCE,
        "info.1": EntryKind.INFO,
        "prop.1": EntryKind.PROPERTY,
        "house.1": EntryKind.HOUSE,
        "var.1": EntryKind.VARIANT,
        "else.1": EntryKind.OTHER,
    }


def test_what_entries_say(calm: Rulebook) -> None:
    assert calm.clauses["turn.1"].text == "Clockwise."
    assert calm.clauses["turn.2"].text == "Play | discard."
    assert calm.clauses["ex.1"].text == "3 players; 29 cards"
    assert calm.clauses["gap.1"].text == "Which first?; The oldest."
    assert calm.clauses["prop.1"].text == "Cards are conserved."
    assert calm.clauses["house.1"].text == "No gaps.; play.1"


def test_where_entries_stand(calm: Rulebook) -> None:
    assert calm.clauses["move.4.6a"].section == "Move: eight directions"
    assert calm.clauses["ex.1"].section == "Worked examples"
    lines = (HERE / "cases" / "rulebook.md").read_text(encoding="utf-8").splitlines()
    for id, entry in calm.clauses.items():
        assert lines[entry.line - 1].startswith(f"| {id} |")


def test_only_clauses_are_to_be_covered(calm: Rulebook) -> None:
    assert [entry.id for entry in calm.to_cover()] == ["turn.1", "turn.2", "move.4.6a"]
    assert calm.tags == {}


def test_tags_of_a_module(sailing: Rulebook) -> None:
    assert [entry.id for entry in sailing.to_cover()] == ["wind.rose", "wind.none"]
    assert sailing.tags["wind.rose"] == {"pirate_bay": ("wind.5", "wind.6"), "calm": ("turn.1", "move.4.6a")}
    assert sailing.tags["wind.none"] == {"pirate_bay": (), "calm": ()}
    assert sailing.tags["ex.odds"]["pirate_bay"] == ("ex.15", "ex.16")
    assert sailing.clauses["gap.side"].text == "Each side?"


def test_ids_that_are_the_same_in_all_books(sailing: Rulebook) -> None:
    assert sailing.tags["gap.2"] == {"pirate_bay": ("gap.2",), "calm": ("gap.2",)}
    assert "gap.4" not in sailing.tags
    assert sailing.clauses["gap.2"].kind is EntryKind.GAP


def test_ids_that_stand_twice() -> None:
    text = "## Clauses\n| id | says |\n|---|---|\n| a.1 | one |\n| a.2 | two |\n| a.1 | again |\n"
    book = read_rulebook(SourceFile("twice.md", text), "twice")
    assert book.repeated == (("a.1", 6),)
    assert book.clauses["a.1"].text == "one"


@pytest.mark.parametrize(
    "text", ["", "\n", "| id |", "| id |\n|---|\n||", "## Clauses\n| id |\n| a.1 |\n", "| tag |\n| a.1"]
)
def test_torn_catalogues(text: str) -> None:
    read_rulebook(SourceFile("torn.md", text), "torn")


@pytest.mark.parametrize("path", PACKAGED, ids=lambda path: path.stem)
def test_packaged_catalogues(path: Path) -> None:
    """Every row that begins with an id is read, and the tags of modules lead somewhere."""
    book = read(path, path.stem)
    rows = [line.split("|")[1].strip() for line in path.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    ids = [row for row in rows if row[:1].islower() and "." in row and " " not in row]
    assert set(ids) <= set(book.clauses)
    assert len(ids) == len(set(ids))
    assert book.to_cover()
    for other in {other for columns in book.tags.values() for other in columns}:
        there = read(path.with_name(f"{other}.md"), other).clauses
        assert all(set(columns[other]) <= there.keys() for columns in book.tags.values())
