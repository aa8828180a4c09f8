"""Complete exploration and perft, against numbers that are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from seaspec.compile import compile_chapters, parse_text
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.loading import load
from seaspec.trials.explore import explore, perft
from seaspec.trials.plays import replay

GAMES = Path(__file__).parent / "cases" / "games"


@pytest.fixture(scope="module")
def noughts() -> Game:
    return load(str(GAMES / "tic_tac_toe.sea"))


def test_all_positions_of_tic_tac_toe(noughts: Game) -> None:
    found = explore(noughts.machine, limit=10_000)
    assert (found.positions, found.steps, found.depth, found.complete) == (5478, 16167, 9, True)
    assert (found.won, sum(found.endings.values())) == (942, 958)
    assert not found.watched.broken and not found.failed and found.stuck is None


def test_perft_of_tic_tac_toe(noughts: Game) -> None:
    assert perft(noughts.machine, 9) == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_a_limit_is_no_complete_exploration(noughts: Game) -> None:
    found = explore(noughts.machine, limit=100)
    assert not found.complete and found.positions > 100


def test_the_shortest_play_that_breaks_a_promise_is_found() -> None:
    text = """
game Steps "steps"
state at: 0..20 = 0
action small(p: Player): at += 1
action big(p: Player): at += 3
to play
  repeat until at >= 9
    seat(1) chooses small or big
invariant short: at < 7
"""
    report = Report()
    rules = compile_chapters(parse_text("steps.sea", text, report).chapters, {}, report)
    assert rules is not None, [d.message for d in report]
    machine = Game(rules).machine
    found = explore(machine, limit=1000)
    play = found.watched.broken["short"]
    assert len(play.answers) == 3
    assert machine.game.states["at"].name == "at"
    state = replay(machine, play)
    assert state.slots[machine.layout.states["at"].base] in (7, 9)


def test_chance_takes_every_course() -> None:
    text = """
game Race "race"
type Player = ring of One
state at: 0..8 = 0
to play
  repeat until at >= 3
    roll d2 as step
    at += step
"""
    report = Report()
    rules = compile_chapters(parse_text("race.sea", text, report).chapters, {}, report)
    assert rules is not None, [d.message for d in report]
    found = explore(Game(rules).machine, limit=100)
    assert (found.complete, found.positions, found.depth) == (True, 5, 2)
