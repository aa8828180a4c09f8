"""Admiral: its rule book is covered, its examples hold, plays of every scenario and stack end; and what it says of
islands agrees with a flood fill written here.

SEASPEC_PLAYS says how much is played of each: 100,000 steps times 2, by default.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from random import Random

import pytest
from cli_runner import seaspec
from roamed import broken, seen

from seaspec.backends.interpreter.choices import Act
from seaspec.cli.checking.schedule import load_worlds
from seaspec.diagnostics.model import Report
from seaspec.examples.run import run_examples
from seaspec.game import Game
from seaspec.library import load_subjects
from seaspec.loading import load_subject
from seaspec.rulebook import EntryKind, read_rulebook
from seaspec.sampling.plays import watched_plays
from seaspec.source import SourceFile

ROOT = Path(__file__).parent.parent
PLAYS = int(os.environ.get("SEASPEC_PLAYS", "2"))
SCENARIOS = ("admiral", "admiral + pirates", "admiral + hunt", "admiral + storming")
STACKS = (*SCENARIOS, *(f"{scenario} + lines" for scenario in SCENARIOS))
GAMES = [
    *((stack, {"players": str(players), "truce": "12"}) for stack in STACKS for players in (2, 3, 4)),
    ("admiral", {"players": "8", "sets": "2", "truce": "4"}),
    ("admiral", {"players": "3", "sets": "3", "squadrons": "3", "truce": "4"}),
    ("admiral + pirates", {"players": "6", "sets": "2", "truce": "12"}),
    ("admiral + cove", {}),
    ("admiral + pond", {}),
    ("admiral + lines + cove", {}),
    ("admiral + hunt + cove", {}),
    ("admiral + pirates + cove", {}),
    ("admiral + pirates + roads", {}),
    ("admiral + storming + cove", {}),
]


@cache
def game(stack: str, **options: str) -> Game:
    (subject,) = load_subjects(stack, Report())
    return load_subject(subject, options)


@pytest.mark.parametrize(("stack", "options"), GAMES, ids=str)
def test_random_plays_end_and_keep_what_is_promised(stack: str, options: dict[str, str]) -> None:
    table = game(stack, **options)
    found = seen(table, 100_000 * PLAYS)
    assert not broken(table, found) and not found.cut_off


@pytest.mark.parametrize("stack", STACKS)
def test_examples(stack: str) -> None:
    (subject,) = load_subjects(stack, Report())
    table = load_subject(subject, {})
    results = run_examples(table, lambda options: load_subject(subject, options))
    assert len(results) > 3
    wrong = {r.example.name: r.failure for r in results if r.is_as_told == (r.example.name in table.rules.breaks)}
    assert not wrong


def test_worlds_without_a_fortress_go_with_the_storming() -> None:
    (subject,) = load_subjects("admiral + storming", Report())
    worlds, left_out = load_worlds(subject, Report())
    assert {"hail", "pond"} <= {world.name for world in worlds}
    assert left_out == {}


PAID = """variant Paid of Admiral "What is paid"
myth always no_fine after fine(s) "nobody is fined": s.masts >= old s.masts
myth always no_repair after mend(s, f) "nobody is repaired": s.masts <= old s.masts
"""


def test_ships_are_repaired_and_fined_where_all_is_looked_at(tmp_path: Path) -> None:
    """Else what is exhaustive in that world would say nothing of repairs and fines."""
    (tmp_path / "paid.sea").write_text(PAID)
    found = watched_plays(game(f"{tmp_path / 'paid.sea'} + basin").machine, 100, seed=1)
    assert {"no_fine", "no_repair"} <= set(found.watched.broken)


def test_each_clause_is_covered_and_each_silence_answered() -> None:
    ran = seaspec("cover", "admiral")
    assert ran.code == 0
    assert ran.lines[0].endswith(" 0 missing")
    assert seaspec("cover", "sailing").code == 0
    book = read_rulebook(SourceFile("admiral.md", (ROOT / "spec/rulebooks/admiral.md").read_text("utf-8")), "admiral")
    text = "".join((ROOT / "spec" / name).read_text("utf-8") for name in ("sailing.sea", "admiral.sea"))
    cited = set(re.findall(r"\b(?:gap|ex|prop)\.\d+", text))
    shared = {"gap.112", "gap.60", "ex.17", "ex.18", "ex.19", "prop.2", "prop.6", "prop.8"}
    kinds = (EntryKind.GAP, EntryKind.EXAMPLE, EntryKind.PROPERTY)
    wanted = {entry.id for entry in book.clauses.values() if entry.kind in kinds}
    assert wanted - cited - shared == set(), "shared: by tags of the module"


RING = [(9, 9), (10, 9), (11, 9), (11, 10), (11, 11), (10, 11), (9, 11), (9, 10)]
SIDES = {(10, 9), (11, 10), (10, 11), (9, 10)}
"""Of the cell in the ring: when the last of them is laid, its sea is shut in."""


def test_islands_are_as_a_flood_fill_says() -> None:
    """Cells that are offered for the next card: at sea, off the shore, beside the others, and no sea is shut in."""
    machine = game("admiral + storming").machine
    cells = machine.game.boards["Sea"].cells
    random = Random(5)
    refused_rings = 0
    for _ in range(PLAYS + 2):
        state = machine.begin()
        while machine.is_chance(state):
            state = machine.step(state, machine.outcomes(state).sample(random))
        island: set[tuple[int, int]] = set()
        for _ in range(10):
            acts = [option for option in machine.options(state) if isinstance(option, Act)]
            by_cell = {cells[int(str(option.arguments[1]))]: option for option in acts}
            assert set(by_cell) == {cell for cell in square() if may_lie(cell, island)}
            ring = [cell for cell in RING if cell in by_cell]
            refused_rings += len(island & SIDES) == 3 and not (SIDES - island) & by_cell.keys()
            cell = random.choice(ring or sorted(by_cell))
            island.add(cell)
            state = machine.step(state, by_cell[cell])
    assert refused_rings, "no play comes near to shutting in some sea"


def square() -> list[tuple[int, int]]:
    return [(x, y) for x in range(4, 18) for y in range(4, 18)]


def neighbours(cell: tuple[int, int]) -> set[tuple[int, int]]:
    x, y = cell
    return {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} - {cell}


def may_lie(cell: tuple[int, int], island: set[tuple[int, int]]) -> bool:
    if cell in island or (island and not neighbours(cell) & island):
        return False
    walls = island | {cell}
    sea = {(x, y) for x in range(1, 21) for y in range(1, 21)} - walls
    seen, waiting = {(1, 1)}, [(1, 1)]
    while waiting:
        x, y = waiting.pop()
        for near in {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} & sea - seen:
            seen.add(near)
            waiting.append(near)
    return seen == sea
