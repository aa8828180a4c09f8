"""Cells judged at once in native code: wide boards, what depends on the cell of a piece, pieces that lie elsewhere."""

from __future__ import annotations

import pytest
from native_agreement import Comparison
from small_games import game_of

from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.machine import Machine
from seaspec.backends.native.values.facts import Facts
from seaspec.core import ir
from seaspec.core.walk import walk

WIDE = """\
game Wide "Wide"
option players: 1..2 = 2
board Sea: grid 15 by {rows}
component Boat(owner: Player, number: 1..3)
  Boat(p, k) for p in Player for k in 1..3 kept in port
place port set of Boat open
place sea[cell: Sea] {room} open
place berth[b: Boat] at most 1 Boat open
state fast[b: Boat]: yes or no = no
define near(a: Sea, b: Sea) = b in around(a)
define reaches(b: Boat, c: Sea)
  let x = abs(b.cell.column - c.column)
  let y = abs(b.cell.row - c.row)
  x <= 3 and y <= 3
  x = y or x = 0 or y = 0
define safe(p: Player, c: Sea)
  no b in sea where b.owner is not p: near(b.cell, c)
  no q in Player where q is not p: some b in boats(q): reaches(b, c)
define boats(p: Player) = {{b in Boat where b.owner is p and b in sea}}
define crowd(c: Sea) = count b in sea where near(b.cell, c)
define alone(c: Sea) = every b in sea[c]: no d in sea[c]: b is not d
"""
PLAY = """
to play
  repeat 8 times
    for each p in Player
      if port is filled
        p chooses b in port
          p chooses c in {x in Sea where sea[x] is empty and safe(p, x)}
            move b to sea[c]
          otherwise: nothing
      if boats(p) is filled
        p chooses b in boats(p)
          b.fast := not b.fast
          p chooses c in {x in Sea where alone(x) and reaches(b, x) and sea[x] is empty}
            move b to sea[c]
          otherwise: nothing
      p chooses c in {x in Sea where crowd(x) >= 2 or (some b in sea where b.fast: near(b.cell, x))}
        if sea[c] is filled: move sea[c] to port
      otherwise: nothing
  win for seat(1)
"""


@pytest.mark.parametrize("rows", [3, 8, 20])
@pytest.mark.parametrize("room", ["at most 1 Boat", "at most 2 Boat", "set of Boat"])
def test_cells_are_judged_as_one_by_one(rows: int, room: str) -> None:
    game = game_of(WIDE.format(rows=rows, room=room) + PLAY)
    tally = Comparison(game, Machine(game.flow)).plies(700, seed=3)
    assert tally.plies >= 700 and not tally.failures


ELSEWHERE = "a piece in sea was expected, it lies elsewhere"
FAILING = """
to play
  seat(1) chooses b in port
    seat(1) chooses c in {x in Sea where %s}
      move b to sea[c]
    otherwise: nothing
  win for seat(1)
"""


@pytest.mark.parametrize("test", ["near(b.cell, x)", "reaches(b, x)", "sea[x] is empty and near(b.cell, x)"])
def test_a_piece_that_lies_elsewhere_fails_on_both_sides(test: str) -> None:
    game = game_of(WIDE.format(rows=15, room="at most 1 Boat") + FAILING % test)
    native = Machine(game.flow)
    tally = Comparison(game, native).plies(10, seed=1)
    assert tally.failures == {ELSEWHERE: tally.plays - 1}  # the last play is not looked at to its end
    with pytest.raises(RuleError, match=ELSEWHERE):
        native.step(native.begin(), 0)


@pytest.mark.parametrize("test", ["sea[x] is filled and near(b.cell, x)", "(some d in sea[x]: reaches(b, d.cell))"])
def test_where_nothing_is_left_nothing_fails(test: str) -> None:
    game = game_of(WIDE.format(rows=15, room="at most 1 Boat") + FAILING % test)
    tally = Comparison(game, Machine(game.flow)).plies(10, seed=1)
    assert tally.plies == 10 and not tally.failures


def test_facts_know_where_bound_pieces_lie() -> None:
    game = game_of(WIDE.format(rows=15, room="at most 1 Boat") + PLAY).rules
    facts = Facts(game)
    for function in game.functions.values():
        facts.learn(function.body)
    wheres = {
        name: [node for node in walk(game.functions[name].body) if isinstance(node, ir.WhereIs)]
        for name in ("reaches", "safe", "crowd")
    }
    assert wheres["crowd"] and all(map(facts.given, wheres["crowd"] + wheres["safe"]))
    assert not any(map(facts.given, wheres["reaches"]))  # a parameter may be any boat
    assert not any(facts.total(node) or facts.bold(node) for nodes in wheres.values() for node in nodes)
    assert facts.total(game.functions["safe"].body) and facts.total(game.functions["crowd"].body)
