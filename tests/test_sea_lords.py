"""Sea Lords: worked examples, and random plays of each way to lay the boards and to choose mercenaries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest
from roamed import broken, seen
from test_symbolic import solve

import seaspec
from seaspec.backends.native.flow.judging import Event
from seaspec.backends.native.watcher import Seen
from seaspec.core import ir, types
from seaspec.core.evaluate import evaluate
from seaspec.examples.run import Verdict, run_examples
from seaspec.game import Game
from seaspec.prove.proofs import prove
from seaspec.rulebook import read_rulebook
from seaspec.sampling.secrets import secret_trial
from seaspec.sampling.symmetry import symmetry_trial
from seaspec.source import SourceFile
from seaspec.verdict.check import is_as_said


@cache
def game(name: str = "sea_lords", **options: str) -> Game:
    return seaspec.load(name, **options)


def failed_examples(of: Game) -> list[str]:
    """The examples that do not say what the rules do (nor are said to break); those about other options aside."""
    results = [r for r in run_examples(of) if r.verdict is not Verdict.OTHER_OPTIONS]
    assert results
    return [r.example.name for r in results if not is_as_said(of.rules, r)]


# ------------------------------------------------------------------------------------------ the rules of the book

EXPERIENCED = "sea_lords + experienced"
WAYS = [
    ("sea_lords", {}),
    ("sea_lords", {"layout": "drawn", "hiring": "picked"}),
    ("sea_lords", {"layout": "printed", "four_of_a_kind": "4"}),
    (EXPERIENCED, {"hiring": "picked", "four_of_a_kind": "6"}),
]
"""Each value of each option at least once."""


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_random_plays(name: str, options: dict[str, str]) -> None:
    table = game(name, **options)
    found = seen(table, 40_000)
    assert not broken(table, found) and not found.cut_off
    assert Event("taken", "hire") in found.soonest
    assert (Event("taken", "shift_board") in found.soonest) == (name == EXPERIENCED)


def test_what_comes_first_is_asked_in_words() -> None:
    play = game(layout="printed").start(seed=1)
    play.do(0)
    assert [re.sub(r"\w+$", "", play.text(choice)) for choice in play.choices] == [
        "the effect of the cell: ", "the effect of the ship: ",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["sea_lords", EXPERIENCED])
def test_examples(name: str) -> None:
    assert failed_examples(game(name)) == []


def test_examples_with_another_worth_of_four_alike() -> None:
    assert failed_examples(game(four_of_a_kind="3")) == []


def happened(found: Seen, what: str) -> set[str]:
    return {event.name for event in found.soonest if isinstance(event, Event) and event.what == what}


def test_the_cove_shows_what_is_rare() -> None:
    """All that is promised there holds, and plays show what is not so, and every way for the game to end."""
    cove = game("sea_lords + cove")
    found = seen(cove, 300_000)
    assert not broken(cove, found) and not found.cut_off
    assert happened(found, "broken") == {
        "coins_suffice", "hiring_leaves_room", "linked", "room_for_mines", "shield_saves",
    }  # fmt: skip
    assert happened(found, "met") == {p.name for p in cove.rules.promises if isinstance(p, ir.Reachable)}


def test_shields_can_run_out_in_the_whole_game() -> None:
    found = seen(game(layout="drawn"), 200_000)
    assert {"linked", "shield_saves", "shields_suffice"} <= happened(found, "broken")


LEMMAS = {
    "column_at_most", "filled", "harbour", "mirror", "no_choice_is_better", "numbers_do_not_matter", "row_at_most",
    "upside_down",
}  # fmt: skip


def proved(of: Game, promises: Sequence[ir.Promise]) -> set[str]:
    return {name for name, proof in prove(of.flow, promises, solve).items() if proof.proved}


def test_lemmas_are_proved() -> None:
    assert proved(game(), [p for p in game().rules.promises if p.name in LEMMAS]) == LEMMAS


@pytest.mark.parametrize("name", ["sea_lords", EXPERIENCED])
def test_nothing_that_is_hidden_shows(name: str) -> None:
    """Proved of the base game; where both lay their boards at once, plays side by side are compared."""
    of = game(name)
    (secret,) = [p for p in of.rules.promises if isinstance(p, ir.Secret)]
    assert bool(proved(of, [secret])) == (name == "sea_lords")
    leaks = secret_trial(of.machine, 2, seed=1)
    assert leaks.compared and not leaks.found


def test_the_sides_are_alike() -> None:
    (symmetry,) = [p for p in game().rules.promises if isinstance(p, ir.Symmetry)]
    found = symmetry_trial(game().machine, symmetry, 2, seed=1)
    assert found.compared and found.broken is None


# ------------------------------------------------------------------------------------------------------ lines of ships


def by_hand(line: tuple[int, ...], four: int, more: int) -> int:
    """The best of all ways to choose combinations that do not overlap, one after the other."""

    def worth(part: tuple[int, ...]) -> int:
        steps = {b - a for a, b in pairwise(part)}
        if 0 in part or len(part) < 3 or len(steps) > 1:
            return 0
        if steps == {0}:
            return {3: 3 + more, 4: four + more}.get(len(part), 0)
        return len(part) - 1 if steps <= {1, -1} else 0

    ends = range(len(line) + 1)
    ways = [0]
    for a, b in combinations(ends, 2):
        if worth(line[a:b]):
            ways.append(worth(line[a:b]) + by_hand(line[b:], four, more))
    return max(ways)


def best_of(of: Game, line: tuple[int, ...], more: int) -> object:
    """What the rules say."""
    rules = of.rules
    given = zip(rules.functions["best"].params, (line, len(line), more), strict=True)
    constants = tuple(ir.Const(param.type, value) for param, value in given)
    return evaluate(ir.Call(types.Int(0, 14), "best", constants), rules.tables, rules.functions)


def test_the_best_of_a_line_is_what_all_choices_bring() -> None:
    of = game()
    luck = Random(1)
    for _ in range(100):
        low = luck.randrange(1, 8)
        line = tuple(luck.choice((0, low, low, low + 1, low + 1, low + 2)) for _ in range(7))
        more = luck.randrange(2)
        assert best_of(of, line, more) == by_hand(line, 5, more), (line, more)


# ------------------------------------------------------------------------------------------------------------ the text


def test_all_ids_of_the_rule_book_are_cited() -> None:
    """Clauses, silences, examples, properties, house rules."""
    book = Path("spec/rulebooks/sea_lords.md")
    ids = read_rulebook(SourceFile(str(book), book.read_text(encoding="utf-8")), "sea_lords").clauses
    texts = [Path("spec/sea_lords.sea"), *Path("rules/sea_lords").glob("*.sea")]
    cited = {id for path in texts for id in re.findall(r"\b[a-z_]+\.\w+\b", path.read_text(encoding="utf-8"))}
    assert len([id for id in ids if id.startswith("gap.")]) == 59
    assert [id for id in ids if id not in cited] == []
