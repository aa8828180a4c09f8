"""The excerpts of large games that the language was made for: they are checked and played, and their examples run.

That they parse and are printed back is looked at in test_parse.py and test_format.py, how they merge in test_merge.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from seaspec.core.verify import problems
from seaspec.diagnostics.model import Report
from seaspec.examples.run import run_examples
from seaspec.game import Game
from seaspec.library import Subject, load_subjects, single_variants
from seaspec.loading import load_subject
from seaspec.play import random_play
from seaspec.verdict.check import is_as_said

EXCERPTS = sorted((Path(__file__).parent / "cases" / "excerpts").glob("*.sea"))
PLAYS = 3
LONGEST = 200


def subjects() -> Iterator[Subject]:
    """Each excerpt that is a game, and that with each of its variants."""
    for path in EXCERPTS:
        report = Report()
        for subject in load_subjects(str(path), report) if "\ngame " in path.read_text(encoding="utf-8") else ():
            yield subject
            yield from single_variants(subject, report)
        assert not list(report)


SUBJECTS = {subject.name: subject for subject in subjects()}


@cache
def game(name: str) -> Game:
    return load_subject(SUBJECTS[name], {})


def test_all_games_are_there() -> None:
    assert {"admiral", "bombat", "pirate_bay", "sea_lords"} <= set(SUBJECTS) and len(SUBJECTS) >= 15


@pytest.mark.parametrize("name", SUBJECTS)
def test_they_are_valid(name: str) -> None:
    rules = game(name).rules
    assert problems(rules) == []
    assert rules.actions and rules.procedures and game(name).flow.blocks


@pytest.mark.parametrize("name", SUBJECTS)
def test_they_are_played(name: str) -> None:
    """No play meets an error of the rules; each player has a view, and every option can be written and read."""
    for seed in range(PLAYS):
        play = random_play(game(name), Random(seed), LONGEST)
        assert play.is_over or len(play.history) >= LONGEST
        for player in play.game.players:
            assert set(play.view(player).places) == set(play.view(play.game.players[0]).places)
        if play.options is not None:
            for choice in list(play.options)[:20]:
                assert play.options[play.options.position(choice)] == choice
                assert play.text(choice)


@pytest.mark.parametrize("name", SUBJECTS)
def test_their_examples_hold(name: str) -> None:
    results = run_examples(game(name), lambda options: load_subject(SUBJECTS[name], options))
    wrong = [(r.example.name, r.failure) for r in results if not is_as_said(game(name).rules, r)]
    assert not wrong
