"""Complete exploration and perft, against numbers that are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from seaspec.compile import compile_chapters, parse_text
from seaspec.diagnostics.model import Report
from seaspec.explore.reference import Explored, explore, perft
from seaspec.game import Game
from seaspec.loading import load
from seaspec.sampling.plays import replay

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
    assert list(perft(noughts.machine, 9, 2000)) == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


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


LINE = """
game Line "a line of spots"
state at: 0..6 = 0
action step(p: Player): at += 1
action leap(p: Player)
  needs room: at <= 4
  at += 2
"""


def explored(text: str) -> Explored:
    report = Report()
    rules = compile_chapters(parse_text("line.sea", text, report).chapters, {}, report)
    assert rules is not None, [d.message for d in report]
    return explore(Game(rules).machine, limit=1000)


def test_the_longest_play_is_counted() -> None:
    found = explored(LINE + "to play\n  repeat until at = 6\n    seat(1) chooses step or leap\n")
    assert (found.complete, found.longest) == (True, 6)


TURNS = """
to turn(p: Player)
  p chooses step or leap
to play
  repeat until at = 6: turn(seat(1))
"""


def test_calls_are_counted_along_the_longest_play() -> None:
    found = explored(LINE + TURNS + "ends within 6 calls of turn\n")
    assert found.most_calls == {"ends within 6 calls of turn": 6} and not found.too_long
    found = explored(LINE + TURNS + "ends within 5 calls of turn\n")
    play = found.too_long["ends within 5 calls of turn"]
    assert play.detail == "a play can be longer: turn is called 6 times" and len(play.answers) == 5


def test_a_round_that_never_ends_is_shown_as_far_as_needed() -> None:
    text = LINE + "to turn(p: Player)\n  p chooses step or back\naction back(p: Player): at := 0\n"
    text += "to play\n  repeat until at = 6: turn(seat(1))\nends within 9 calls of turn\n"
    found = explored(text)
    assert found.most_calls == {"ends within 9 calls of turn": None} and found.longest is None
    play = found.too_long["ends within 9 calls of turn"]
    assert play.detail == "plays can go on for ever: after step 2 all is as it was at first" and play.back == 0


def test_winnable_is_lost_at_the_first_decision_that_dooms() -> None:
    text = LINE + TURNS + "winnable third: at = 3\nwinnable end: at = 6\nwinnable second: at <= 2\n"
    found = explored(text)
    assert set(found.doomed) == {"third", "second"}
    assert len(found.doomed["third"].answers) == 2  # 2 and 4: past the third spot
    assert len(found.doomed["second"].answers) == 2


def test_where_chance_decides_nobody_is_lost() -> None:
    """A throw stands between the last decision and the end: no way gets to the goal from there, and nobody decides."""
    text = LINE + "to play\n  seat(1) chooses step or leap\n  roll 1 d2 as n\n"
    assert not explored(text + "winnable near: at = 1\n").doomed
    assert set(explored(text + "  seat(1) chooses step\nwinnable near: at = 1\n").doomed) == {"near"}
    text = LINE + "to play\n  step(seat(1))\n  roll 1 d2 as n\n  leap(seat(1))\nwinnable far only if at = 0: at = 3\n"
    assert not explored(text).doomed
    assert set(explored(text.replace("roll 1 d2 as n\n  leap(seat(1))", "seat(1) chooses leap")).doomed) == {"far"}


def test_claims_about_procedures_with_decisions_are_not_decided_by_positions() -> None:
    text = LINE + TURNS + "always on after turn: at > old at\nalways onward after step: at = old at + 1\n"
    assert explored(text).spread == {"on"}
