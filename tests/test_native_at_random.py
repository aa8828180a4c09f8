"""Machine code beside the interpreter: expressions and steps at random, at positions at random.

Each is an action that may always be chosen; where the rules fail, both have to say so, and where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from native_agreement import Comparison, Tally
from test_definedness import GAME, compiled, position
from test_owing import MORE, Steps

from seaspec.backends.interpreter import errors
from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.state import PC, State
from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.machine import Machine
from seaspec.core import flow
from seaspec.game import Game
from seaspec.translating import Translator, state_of

EXPRESSIONS, CELLS, STEPS = 70, 50, 60
POSITIONS, PLIES = 20, 8


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
    """Each at many positions; then a few plays from such, with all that happens and is seen."""
    random = Random(seed)
    game = random_game(random)
    machine, native = game.machine, Machine(game.flow, traces=True)
    compared, translator = Comparison(game, native, views_every=10), Translator(machine, native.layout)
    tally, done = Tally(), Counter[str]()

    def read(state: bytes) -> object:
        return machine.canonical(state_of(machine, native.position(state)))

    for _ in range(POSITIONS):
        ours = anywhere(game, random)
        theirs = translator.native(ours)
        for number, answer in enumerate(machine.options(ours)):
            assert isinstance(answer, Act) and native.options(theirs)[number].action == answer.action
            found = after(lambda a=answer, s=ours: machine.canonical(machine.step(s, a)))  # type: ignore[misc]
            told = after(lambda n=number, s=theirs: read(native.step(s, n)))  # type: ignore[misc]
            assert found == told, game.rules.actions[answer.action].source.span.text
            done["failed" if found is None else "taken"] += 1
        compared.from_state(ours, PLIES, random, tally)
    assert min(done.values()) > 500 and tally.plies > 20, done


def after(step: Callable[[], object]) -> object:
    """What a step leads to; None if the rules fail."""
    try:
        return step()
    except (RuleError, errors.RuleError):
        return None


def anywhere(game: Game, random: Random) -> State:
    """A position at the only choice there is, pieces and states anywhere."""
    look = position(game.machine, random)
    (look.s[PC],) = [n for n, block in enumerate(game.flow.blocks) if isinstance(block.exit, flow.Decision)]
    for slot in game.machine.layout.frame.values():
        look.s[slot] = None
    return State(tuple(look.s), tuple(look.w))
