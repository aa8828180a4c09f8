"""Machine code beside the interpreter: expressions and steps at random, at positions at random.

Each is an action that may always be chosen; where the rules fail, both have to say so, and where.
"""

from __future__ import annotations

from random import Random

import pytest
from native_agreement import Comparison, Tally
from test_definedness import GAME, compiled, position
from test_owing import MORE, Steps

from seaspec.backends.interpreter.state import PC, State
from seaspec.backends.native.machine import Machine
from seaspec.core import flow
from seaspec.game import Game

EXPRESSIONS, CELLS, STEPS = 70, 50, 60
PLAYS, PLIES = 120, 8


def random_game(random: Random) -> Game:
    """A game in which all that is drawn can be done at any time."""
    rules = GAME.replace("  seat(1) may give or lift\n  {promises}\n", "  repeat until k > 9\n    seat(1) chooses {}\n")
    rules = rules.replace("state gift: map Player to 0..3 = [1, 0]", "state gift[p: Player]: 0..3 = 1")
    rules += MORE.replace("end of s0", "end of play") + "state hit: yes or no = no\n"
    deeds = [f"hit := {Steps(random).test(3)}" for _ in range(EXPRESSIONS)]
    deeds += [f"k := min(4, size of {{c in Sea where {Steps(random).of_cell('c', 2)}}})" for _ in range(CELLS)]
    deeds += [f"hit := size of {Steps(random).cells(3)} > 1" for _ in range(CELLS)]
    deeds += [Steps(random).step() for _ in range(STEPS)]
    lines = [f'action d{number}(p: Player) "does it": {deed}' for number, deed in enumerate(deeds)]
    accepted = compiled(rules.format("give"), lines).rules.actions
    told = [line for number, line in enumerate(lines) if f"d{number}" in accepted]
    menu = "menu deed(p: Player) = " + " or ".join(name for name in accepted if name.startswith("d"))
    return compiled(rules.format("deed(seat(1))") + menu + "\n", told)


@pytest.mark.parametrize("seed", range(2))
def test_expressions_and_steps_at_random(seed: int) -> None:
    random = Random(seed)
    game = random_game(random)
    native = Machine(game.flow, traces=True)
    compared = Comparison(game, native, views_every=10)
    (block,) = [n for n, block in enumerate(game.flow.blocks) if isinstance(block.exit, flow.Decision)]
    tally = Tally()
    for _ in range(PLAYS):
        look = position(game.machine, random)
        look.s[PC] = block
        for slot in game.machine.layout.frame.values():
            look.s[slot] = None
        compared.from_state(State(tuple(look.s), tuple(look.w)), PLIES, random, tally)
    assert tally.plies > 100 and len(tally.failures) > 10
