"""The Hypothesis strategies: what they give, and that what fails is shrunk to a short play."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, find, given, settings
from small_games import TINY, game_of

from seaspec.backends.interpreter.state import State
from seaspec.game import Game
from seaspec.play import Play, random_play
from seaspec.strategies import plays, positions

GAME = game_of(TINY)
COUNT = game_of(
    """\
game Count "Count"
const players = 2
state total: 0..99 = 0
to play
  repeat 12 times
    for each p in Player
      p chooses n in 0..4
        total += n
  nobody wins
"""
)
SEARCH = settings(max_examples=2_000, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@given(plays(GAME))
def test_plays_are_plays(play: Play) -> None:
    again = GAME.start(outcomes=[move.answer for move in play.history if move.player is None], automatic=False)
    for move in play.history:
        if move.player is not None:
            again.do(move.text)
    assert again.position == play.position
    assert sum(move.player is not None for move in play.history) <= 60


@given(plays(GAME, max_plies=3))
def test_plays_are_no_longer_than_wanted(play: Play) -> None:
    assert sum(move.player is not None for move in play.history) <= 3


@given(positions(GAME))
def test_positions_are_positions(position: State) -> None:
    machine = GAME.machine
    assert position.result is not None or machine.is_chance(position) or len(machine.options(position)) > 0


def total(play: Play) -> int:
    return int(play.view(0).states["total"])


@pytest.mark.parametrize(
    ("game", "wanted", "choices"),
    [
        (COUNT, lambda play: len(play.history) >= 5, 5),
        (COUNT, lambda play: total(play) > 0, 1),
        (COUNT, lambda play: total(play) >= 9, 3),
        (COUNT, lambda play: play.is_over, 24),
        (GAME, lambda play: play.is_over and not play.result.winners, None),
    ],
    ids=["five choices", "one that counts", "three that count", "the end", "a loss"],
)
def test_what_is_found_is_shrunk_to_a_short_play(
    game: Game, wanted: Callable[[Play], bool], choices: int | None
) -> None:
    found = find(plays(game), wanted, settings=SEARCH)
    assert wanted(found)
    made = sum(move.player is not None for move in found.history)
    shortest = choices if choices is not None else shortest_loss()
    assert made <= shortest + 2, [move.text for move in found.history]


def shortest_loss() -> int:
    """The least number of choices after which all have lost, in some hundred random plays."""
    found = [random_play(GAME, Random(seed)) for seed in range(300)]
    return min(
        sum(move.player is not None for move in play.history)
        for play in found
        if play.result is not None and not play.result.winners
    )
