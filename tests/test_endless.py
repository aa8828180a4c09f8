"""Plays that need not end are found, and what ends is not called endless."""

from __future__ import annotations

import pytest
from small_games import game_of

from seaspec.backends.native.watcher import Watcher
from seaspec.game import Game
from seaspec.sampling.endless import Wandering, comes_back
from seaspec.sampling.plays import replay
from seaspec.sampling.returning import calls_in_round
from seaspec.sampling.watch import Found

STEPS = 3_000
GAME = """game Walk "Walk"
const players = {players}
state at: 0..5 = 0
state left: 0..9 = 9
action go(p: Player, way: 0..1) "{{p}} goes"
  needs possible: way = 0 or at > 0
{body}
to setup: nothing
to turn(p: Player)
  p chooses go
to play
  repeat
    for each p in Player: turn(p)
ends within 20 calls of turn
ends within 20 calls of other
to other: nothing
"""
UP_AND_DOWN = "  at := if way = 0 then min(5, at + 1) else at - 1"
COUNTED = UP_AND_DOWN + "\n  left -= 1\n  if left = 0: nobody wins"
NEVER_BACK = "  chance chooses n in 0..1 weights n\n  if n = 1: nobody wins"


def walk(body: str, players: int = 2) -> Game:
    return game_of(GAME.format(body=body, players=players))


def look(game: Game) -> Found | None:
    return Wandering(game.machine, Watcher(game.flow, hasty=True), 1).look(STEPS, lambda: True)


@pytest.mark.parametrize("players", [1, 2])
def test_a_play_that_comes_back_is_found(players: int) -> None:
    game = walk(UP_AND_DOWN, players)
    found = look(game)
    assert found is not None and found.back is not None
    machine = game.machine
    there = replay(machine, Found(found.answers[: found.back]))
    assert machine.canonical(replay(machine, found)) == machine.canonical(there)
    first = f"after step {found.back}" if found.back else "at first"
    assert found.detail == f"plays can go on for ever: after step {len(found.answers)} all is as it was {first}"
    assert calls_in_round(machine, found) == {"ends within 20 calls of turn"}


LATE = """game Late "Late"
const players = 3
component Card(rank: 1..30)
  Card one each
place deck pile of Card hidden
place hand[p: Player] set of Card open
place gone set of Card open
action lay(p: Player, c: Card in hand[p]) "{p} lays {c}": move c to gone
action wait(p: Player) "{p} waits": nothing
to setup
  move all Card from box to deck
  for each p in Player: draw 10 from deck to hand[p]
to turn(p: Player)
  p chooses lay or wait
to play
  repeat until size of gone = 30
    for each p in Player: turn(p)
ends within 90 calls of turn
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_round_that_can_be_gone_at_once_is_shown_at_once(seed: int) -> None:
    """All may wait: that is told by three steps after the deal, and not after half a play."""
    game = game_of(LATE)
    found = Wandering(game.machine, Watcher(game.flow, hasty=True), seed).look(40_000, lambda: True)
    assert found is not None
    assert found.detail == "plays can go on for ever: after step 3 all is as it was at first"
    assert len(found.answers) == 30 + 3 and found.back == 30


@pytest.mark.parametrize("body", [COUNTED, NEVER_BACK, "  nobody wins", "  left := left - 1"])
def test_what_ends_is_not_called_endless(body: str) -> None:
    """Also where only an outcome that never comes would lead back, and where the rules fail before."""
    game = walk(body)
    assert look(game) is None
    assert not comes_back(game, 1, STEPS, lambda: True)


def test_no_time_is_no_search() -> None:
    game = walk(UP_AND_DOWN)
    assert Wandering(game.machine, Watcher(game.flow, hasty=True), 1).look(STEPS, lambda: False) is None
