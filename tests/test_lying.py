"""Which kinds of pieces may lie where: nothing that plays come to is left out, and what is plain is found."""

from __future__ import annotations

from random import Random

import pytest
from small_games import FRAME, game_of

import seaspec
from seaspec.core import flow
from seaspec.prove.miners.whereabouts import Lying

ROUND = """
to play
  move all B from stock to heap
  repeat 3 times
    for each p in Player: turn(p)
to turn(p: Player)
  draw 1 from heap to hand[p] as x
  if x is B: move x to line
  seat(1) chooses bump or take
"""
GIVEN = (
    ROUND.replace("if x is B: move x to line", "for each c in hand[p]: lay(c)")
    + """
to lay(y: Piece)
  move y to line
"""
)
TWICE = """
to play
  pause(seat(1))
  move all B from stock to heap
  pause(seat(1))
  seat(1) chooses bump
to pause(p: Player)
  p chooses take
"""


def test_what_is_plain_is_found() -> None:
    game = game_of(FRAME.format(players=2) + ROUND)
    lying = Lying(game.flow)
    places: dict[str, set[str]] = {}
    for block in range(len(game.flow.blocks)):
        for kind, place in lying.may_lie(block):
            places.setdefault(kind, set()).add(place)
    assert places["B"] == {"stock", "heap", "hand", "line"}
    assert "hand" in places["C"]
    assert not {"heap", "line"} & (places["C"] | places["A"])
    (node,) = (n for n, block in enumerate(game.flow.blocks) if isinstance(block.exit, flow.Decision))
    assert ("B", "line") in lying.may_lie(node)
    assert not {("B", "hand"), ("B", "stock")} & lying.may_lie(node)  # whoever draws it lays it down


def test_what_a_procedure_is_given_is_what_its_caller_has() -> None:
    game = game_of(FRAME.format(players=2) + GIVEN)
    stands_for = {variable.name: root.name for variable, root in Lying(game.flow).roots.items()}
    assert stands_for["y"] == "c"


def test_a_procedure_comes_back_to_where_it_was_called() -> None:
    game = game_of(FRAME.format(players=2) + TWICE)
    nodes = (n for n, block in enumerate(game.flow.blocks) if isinstance(block.exit, flow.Decision))
    (last,) = (n for n in nodes if game.flow.blocks[n].owner != "pause")
    assert ("B", "heap") in Lying(game.flow).may_lie(last)
    assert ("B", "stock") not in Lying(game.flow).may_lie(last)


@pytest.mark.parametrize(
    "name", ["calm", "calm + reefs + monsters + storms", "calm + competitive", "admiral", "pirate_bay", "hanabi"]
)
def test_no_play_comes_to_anything_else(name: str) -> None:
    game = seaspec.load(name)
    lying = Lying(game.flow)
    machine = game.machine
    backs = {routine.back: routine.name for routine in game.flow.routines.values()}
    looked = 0
    for seed in range(3):
        random = Random(f"{name} {seed}")
        state = machine.begin()
        while state.result is None and looked < 1_000 * (seed + 1):
            frame = {variable: state.slots[slot] for variable, slot in machine.layout.frame.items()}
            running = {backs[name]: value for name, value in frame.items() if name in backs and value is not None}
            may = lying.may_lie(state.block, running)
            for piece in game.rules.pieces:
                place, _ = machine.layout.place_of[state.where[piece.id]]
                assert (piece.kinds[0], place.name) in may, (piece.title, place.name, state.block)
            looked += 1
            if machine.is_chance(state):
                answer = machine.outcomes(state).sample(random)
            else:
                answer = machine.options(state).random(random)
            state = machine.step(state, answer)
    assert looked > 50
