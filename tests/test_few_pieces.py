"""Proofs about few pieces in many places: they are followed one by one. Nothing that is false may be proved so."""

from __future__ import annotations

import pytest
from small_games import game_of
from test_symbolic import solve

from seaspec.analysis.control import unchanging, with_constants
from seaspec.backends.symbolic.run.said import parts
from seaspec.backends.symbolic.values.world import World
from seaspec.core import ir
from seaspec.core.walk import walk
from seaspec.game import Game
from seaspec.prove.induction import Induction
from seaspec.prove.miners.laid import where_they_are_laid

HARBOUR = """
game Harbour "Harbour"
option players: 1..2 = 2
option fog: yes or no = no
board Sea: grid 5 by 5 from the top left
component Boat(owner: Player, number: 1..2)
  Boat(p, k) for p in Player for k in 1..2
place sea[cell: Sea] at most 2 Boat open
place docks set of Boat open
state shore: 1..5 = 1
define berth(b: Boat): Sea = Sea(shore + (if b.owner is seat(1) then 0 else 2), {row})
to setup
  for each b in Boat: launch(b, berth(b))
to launch(b: Boat, c: Sea): move b to sea[c]
to play
  repeat
    for each p in Player
      p chooses sail
      if fog: shore := 2
action sail(p: Player, b: Boat in {{x in sea where x.owner is p}}, c: Sea) "{{b}} sails to {{c}}"
  needs room: {guard} "there is no room"
  move b to sea[c]
  let met = the x in sea[c] where x is not b otherwise none
  if met is some other: fight(b, other)
to fight(b: Boat in sea, other: Boat in sea)
  b.owner chooses away(b, other)
action away(p: Player, b: Boat in sea, other: Boat in sea, loser: Boat in {{b, other}}) "{{loser}} goes"
  move loser to docks
"""
ROOM = "size of sea[c] < 2 and b not in sea[c]"
PROMISES = """
invariant alone outside sail: every b in sea: size of sea[b.cell] = 1
invariant low outside sail: every b in sea: b.cell.row < 5
"""


def harbour(guard: str = ROOM, row: str = "b.number", promises: str = PROMISES) -> Game:
    return game_of(HARBOUR.format(guard=guard, row=row) + promises)


def proved(game: Game) -> set[str]:
    """What is proved by looking at the pieces alone, procedure by procedure."""
    graph, sight = with_constants(game.flow), frozenset({"places"})
    found = Induction(graph, game.rules.promises, solve, lambda: True, False, sight, apart=True).run()
    return {name for name, proof in found.items() if proof.proved}


def test_one_boat_a_cell() -> None:
    """It takes who lies elsewhere than the two that meet, how many may lie there, and where all are laid at first."""
    assert World(harbour().flow, 8, True).is_spread("sea")
    assert proved(harbour()) == {"alone"}


@pytest.mark.parametrize("row", ["1", "max(b.number, 2)"])
def test_what_is_false_is_not_proved(row: str) -> None:
    """Two boats have one berth."""
    assert not proved(harbour(row=row))


def test_where_boats_are_laid() -> None:
    (laid,) = where_they_are_laid(harbour().flow)
    assert laid.fact.promise is None and "to setup" in laid.while_laying
    assert "sail" not in laid.while_laying


def test_what_nothing_changes_is_a_constant() -> None:
    """`shore` changes in a fog only."""
    assert set(unchanging(harbour().flow)) == {"shore"}
    assert not unchanging(game_of(HARBOUR.format(guard=ROOM, row="b.number"), fog="yes").flow)
    graph = with_constants(harbour().flow)
    assert not any(isinstance(node, ir.StateRead) for node in walk(graph.game.functions["berth"].body))


def test_what_can_be_said_of_a_test() -> None:
    told = "invariant x: (every b in sea: b.cell.row < 5 and shore = 1) and not (shore = 2 or not calm_day)\n"
    game = harbour(promises=told + "define calm_day = shore < 4 and size of docks < 3\n")
    (promise,) = (p for p in game.rules.promises if isinstance(p, ir.Invariant))
    assert len(list(parts(game.rules, promise.test))) == 5
