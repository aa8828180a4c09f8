"""Sea Lords: worked examples, and random plays of each way to lay the boards and to choose mercenaries."""

from __future__ import annotations

from functools import cache

import pytest
from roamed import broken, seen

import seaspec
from seaspec.backends.native.flow.judging import Event
from seaspec.examples.run import Verdict, run_examples
from seaspec.game import Game
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
    ("sea_lords", {"layout": "arranged", "hiring": "picked"}),
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


@pytest.mark.parametrize("name", ["sea_lords", EXPERIENCED])
def test_examples(name: str) -> None:
    assert failed_examples(game(name)) == []


def test_examples_with_another_worth_of_four_alike() -> None:
    assert failed_examples(game(four_of_a_kind="3")) == []
