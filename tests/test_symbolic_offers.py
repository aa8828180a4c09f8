"""`never stuck`, proved choice by choice: little must be known for each, and nobody who may be stuck is overlooked."""

from __future__ import annotations

import pytest
from small_games import FRAME, game_of
from test_symbolic import solve

from seaspec.analysis.bounds import narrowed
from seaspec.core.types import Int
from seaspec.explore.reference import explore
from seaspec.game import Game
from seaspec.prove.induction import Induction
from seaspec.prove.proofs import provable_parts, prove
from seaspec.prove.stuck import offers

STUCK = """
to play
  repeat
    for each p in Player: visit(p)
to visit(p: Player)
  CHANGE
  p chooses climb or fall
  p chooses x in {y in 1..9 where y + count_up = 10}
    mark[p] := x
action climb(p: Player) "{p} climbs"
  needs low: count_up < 9 "too high"
  count_up := count_up + 1
action fall(p: Player) "{p} falls"
  needs high: count_up > 3 and light is red "not now"
  count_up := 1
never stuck
"""


def stuck(change: str) -> Game:
    return game_of(FRAME.format(players=2) + STUCK.replace("CHANGE", change.replace("; ", "\n  ")))


def proved(game: Game, *, apart: bool, sight: frozenset[str] | None = None) -> list[bool]:
    """Of each choice, in their order, whether it is proved that there is one."""
    (promise,) = game.rules.promises
    parts = provable_parts(game.flow, promise)
    found = Induction(game.flow, parts, solve, lambda: True, False, sight, apart=apart).run()
    return [found[part.name].proved for part in parts]


@pytest.mark.parametrize(
    ("change", "choices"),
    [
        ("count_up := 1", [True, True]),  # 1, then 2 or 1
        ("count_up := 0", [True, True]),  # the way up is open
        ("count_up := 9; light := amber", [False, True]),  # neither is allowed, and nothing comes after that
        ("if count_up > 7: count_up := 2", [True, True]),
        ("light := red", [True, True]),  # up to 9, and down again
        ("count_up := 4; light := amber; mark[p] := 0", [True, True]),
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_each_choice_for_itself(change: str, choices: list[bool], apart: bool) -> None:
    game = stuck(change)
    explored = explore(game.machine, 100_000)
    assert (explored.stuck is None) is all(choices)
    assert all(is_so or not said for is_so, said in zip(choices, proved(game, apart=apart), strict=True))
    assert prove(game.flow, game.rules.promises, solve)["never stuck"].proved is all(choices)


def test_one_of_several_actions_is_enough_and_it_is_the_one_that_asks_for_less() -> None:
    """`fall` reads the light, which is left out: what can be said of `climb` is enough, where it is so."""
    sight = frozenset({"count_up"})
    assert proved(stuck("count_up := 1"), apart=True, sight=sight)[0]
    assert not proved(stuck("count_up := 9; light := amber"), apart=True, sight=sight)[0]
    first, _ = offers(stuck("light := red").flow, stuck("light := red").rules.promises[0])
    assert "climb" in str(first.test) and "fall" not in str(first.test)


BERTHS = """
board Sea: grid 9 by 9
component Ship
  Ship times 2
place water[cell: Sea] at most 1 Ship open
place dock set of Ship open
to play
  move all Ship from box to dock
  repeat
    for each p in Player: berth
to berth
  for each s in dock
    seat(1) chooses c in {x in Sea where TEST with least abs(x.row - 4)}
      move s to water[c]
never stuck
"""


@pytest.mark.parametrize(("test", "is_free"), [("water[x] is empty", True), ("water[x] is empty and x.row > 9", False)])
def test_among_many_cells_one_is_free(test: str, is_free: bool) -> None:
    """Which one, no solver guesses."""
    game = game_of(FRAME.format(players=2) + BERTHS.replace("TEST", test))
    assert prove(game.flow, game.rules.promises, solve)["never stuck"].proved is is_free


FLAGS = """
component Ship
  Ship(number: 1..2) one each
place lane[c: 1..2] at most 2 Ship open
state flag[s: Ship]: Player = seat(1)
to play
  for each s in Ship: move s to lane[s.number]
  repeat
    for each p in Player: visit(p)
to visit(p: Player): p may repeatedly fire
action fire(p: Player, c: 1..2) "{p} fires"
  needs near: p can aim(c) "nobody is there"
  p chooses aim(c)
action aim(p: Player, c: 1..2, n: 1..2) "{p} aims"
  needs enough: count_up + n < 3 "too many"
  needs near: (the s in lane[c] where flag[s] is p otherwise none) is some "nobody is there"
  count_up := count_up + n
never stuck
"""


def test_an_action_that_is_allowed_has_been_looked_at() -> None:
    """Of two ships of one flag in a lane the rules could not tell which is meant: where they have said that an action
    is allowed, there were none."""
    assert proved(game_of(FRAME.format(players=2) + FLAGS), apart=True) == [True]


def test_what_can_not_be_read_lies_between_the_numbers_that_its_text_gives() -> None:
    text = """
define low: 0..9 = min(count_up, 4)
define high(p: Player): 0..20 = if light is red then max(low, 2) + 1 else mark[p] - low
define ready(p: Player): 0..30 = high(p)
to play: win for seat(1)
"""
    game = game_of(FRAME.format(players=2) + text).rules
    found = {name: narrowed(game, function.body) for name, function in game.functions.items()}
    assert [found[name] for name in ("low", "high", "ready")] == [Int(0, 4), Int(0, 9), Int(0, 9)]
