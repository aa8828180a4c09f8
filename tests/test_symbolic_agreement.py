"""Translation validation: on positions of random plays the symbolic transitions are those of the interpreter.

SEASPEC_SYMBOLIC_PLAYS multiplies the numbers of plays: 1 by default.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from symbolic_agreement import Comparison

import seaspec

ROOT = Path(__file__).parent.parent
PLAYS = float(os.environ.get("SEASPEC_SYMBOLIC_PLAYS", "1"))
WRITTEN_OUT, QUANTIFIED = 10**6, 6

GAMES = [
    ("tests/cases/games/dice_race.sea", WRITTEN_OUT, False),
    ("tests/cases/games/islets.sea", WRITTEN_OUT, False),
    ("tests/cases/games/islets.sea", QUANTIFIED, True),
    ("tests/cases/games/tic_tac_toe.sea", WRITTEN_OUT, False),
    ("tests/cases/games/tic_tac_toe.sea", QUANTIFIED, False),
    ("spec/anchors/pig.sea", WRITTEN_OUT, False),
    ("calm + drop", WRITTEN_OUT, False),
    ("calm + drop", QUANTIFIED, True),
]


FAR = [("tests/cases/games/islets.sea", WRITTEN_OUT, False), ("calm + drop", QUANTIFIED, True)]


@pytest.mark.parametrize(("spec", "few", "counted"), FAR)
def test_a_play_follows_the_longer_paths(spec: str, few: int, counted: bool) -> None:
    path = ROOT / spec
    comparison = Comparison(seaspec.load(str(path) if path.exists() else spec), few, counted, far=True)
    comparison.play(1, steps=25, answers=1)
    assert comparison.tally.answers > 8 and comparison.tally.passed > 0


@pytest.mark.parametrize(("spec", "few", "counted"), GAMES)
def test_a_play_follows_the_paths(spec: str, few: int, counted: bool) -> None:
    path = ROOT / spec
    comparison = Comparison(seaspec.load(str(path) if path.exists() else spec), few, counted)
    for seed in range(max(1, round(2 * PLAYS))):
        comparison.play(seed, steps=15, answers=2)
    assert comparison.tally.answers > 10
