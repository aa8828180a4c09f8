"""What holds while a procedure is at work: what a loop has done already, what a call moves and what it leaves alone,
where a piece is about to go. What a mutant of the rules breaks is never proved."""

from __future__ import annotations

import pytest
from small_games import FRAME, game_of
from test_symbolic_calls import apart

from seaspec.backends.symbolic.paths.changing import Changing
from seaspec.game import Game

SHELVES = """
place shelf[n: 1..12] set of Piece open
place lost set of Piece open
state ready: yes or no = no
to play
  for each x in Piece: send(x)
  ready := yes
  repeat
    for each p in Player: visit(p)
to send(x: Piece)
  seat(1) chooses n in {m in 1..12 where m < 11}
    put(x, n)
to put(x: Piece, n: 1..12): move x to shelf[n]
to visit(p: Player)
  p may shift
action shift(p: Player, x: Piece in shelf, n: 1..12) "{p} shifts {x}"
  needs low: n < 11 and n != x.n "not there"
  put(x, n)
invariant all_there: ready implies (every x in Piece: x in shelf)
invariant none_high: every x in shelf: x.n < 11
"""
BOTH = {"all_there", "none_high"}


def shelves(old: str = "", new: str = "") -> Game:
    assert old in SHELVES
    return game_of(FRAME.format(players=2) + (SHELVES.replace(old, new, 1) if old else SHELVES))


def test_what_a_loop_has_done_and_where_a_piece_goes() -> None:
    assert apart(shelves()) == BOTH


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("  for each x in Piece: send(x)", "  for each x in Piece where x is not A: send(x)", {"none_high"}),
        ("  ready := yes\n", "  move A to lost\n  ready := yes\n", {"none_high"}),
        ("    put(x, n)\n", "    put(x, n)\n    move all B from shelf[n] to lost\n", {"none_high"}),
        ("to put(x: Piece, n: 1..12): move x", "to put(x: Piece, n: 1..12): move (first y in Piece)", {"none_high"}),
        ("to shelf[n]\n", "to shelf[min(12, n + 1)]\n", {"all_there"}),
        ("where m < 11", "where m < 12", {"all_there"}),
        ("n < 11 and n != x.n", "n < 12 and n != x.n", {"all_there"}),
        ("  p may shift\n", "  if p is seat(2): move A to shelf[12]\n  p may shift\n", {"all_there"}),
    ],
)
def test_mutants(old: str, new: str, left: set[str]) -> None:
    assert apart(shelves(old, new)) <= left


def test_a_call_moves_what_it_is_given() -> None:
    """A piece that a parameter names; all of a kind where that is not known."""
    game = shelves()
    changing = Changing(game.flow)
    for procedure in ("put", "send"):
        (index,) = changing.of(procedure).carried
        assert index[0].variable.name == "x" and not changing.of(procedure).moved.pieces
    mixed = Changing(shelves("move x to", "move (first y in Piece) to").flow).of("send")
    assert len(mixed.moved.pieces) == len(game.rules.pieces) and not mixed.carried
