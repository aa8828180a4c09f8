"""What steps owe, beside the interpreter: moves and assignments at random, at random positions.

If all obligations of a step hold, the interpreter takes it; if it takes it, all obligations that are certain held
before. Where all are certain, it fails exactly if one does not hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from test_definedness import CUT, GAME, SAID, Writer, compiled, failing, position, says_the_same

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.core import flow, ir, owing
from seaspec.core.definedness import Definedness

MORE = """
place tray row of up to 3 Card open
place pot[i: 1..3] set of up to (k) Card open
place deck pile of Card open
state shiny[c: Card]: 0..2 = 0 while in tray
state clock: 0..3 = 0 until end of s0
state deep[i: 1..3]: 0..i = 0
"""
SAID_OF_STEPS = SAID | {
    owing.FULL: r"is full",
    owing.FOREIGN: r"can not lie in",
    owing.NO_SPOT: r"has no spot",
    owing.TOO_FEW: r"are to go from",
    owing.LEAVES_RANGE: r"must be in",
    owing.NOT_RUNNING: r"does not run",
    owing.LIES_ELSEWHERE: r"which does not lie in",
    owing.NOT_ALLOWED: r"is called where it is not allowed",
}


class Steps(Writer):
    """Writes steps."""

    def place(self) -> str:
        return self.pick("stock", "line", "tray", "slot", f"pot[{self.number(1)}]", f"hand[{self.player(0)}]", "deck")

    def target(self) -> str:
        row = self.pick("tray", "line")
        return self.pick(self.place(), f"{row} at {self.number(1)}", self.place(), f"water[{self.pick('A1', 'B2')}]")

    def step(self) -> str:
        match self.random.randrange(12):
            case 0:
                return f"k := {self.number(2)}"
            case 1:
                return f"low[{self.number(1)}] := {self.number(1)}"
            case 2:
                return f"deep[{self.number(1)}] := {self.number(1)}"
            case 3:
                return f"{self.card(1)}.shiny := {self.number(1)}"
            case 4:
                return f"clock := {self.number(1)}"
            case 5 | 6:
                return f"move {self.card(1)} to {self.target()}"
            case 7:
                return f"move {self.cards_set(2)} to {self.target()}"
            case 8:
                return f"move {self.place()} to {self.target()}"
            case 9:
                kind = self.pick("Card", "Deuce", "Ace")
                return f"move ({self.number(1)}) {kind} from {self.place()} to {self.target()}"
            case 10:
                kind = self.pick("Card", "Deuce", "Ace")
                many = self.pick("all", f"up to ({self.number(1)})")
                return f"move {many} {kind} from {self.place()} to {self.target()}"
            case _:
                return f"give({self.player(1)}, {self.card(1)}, {self.number(1)})"


def holds(machine: Machine, look: Look, test: ir.Expr) -> bool:
    try:
        return bool(machine.effects.value(look, test))
    except RuleError:
        return False


@pytest.mark.parametrize("seed", range(6))
def test_what_steps_owe_is_what_the_interpreter_asks_for(seed: int) -> None:
    random = Random(seed)
    lines = ["to s0: nothing", *(f"to s{number}: {Steps(random).step()}" for number in range(1, 200))]
    game = compiled(GAME.replace("  {promises}\n", "") + MORE, lines)
    owed = Definedness(game.rules)
    steps = [step for block in game.flow.blocks for step in block.steps if block.owner.startswith("s")]
    found = [(step, tuple(owing.of_step(owed, game.flow, step))) for step in steps]
    machine = Machine(replace(game.flow, game=owed.complete()))
    tally: Counter[str] = Counter()
    running = machine.layout.frame[game.flow.routines["s0"].back]
    for step, obligations in found:
        if not isinstance(step, ir.Assign | ir.Move | ir.MoveSome | flow.Judge):
            continue
        exact = all(obligation.certain for obligation in obligations)
        take = machine.effects.step(step)
        for _ in range(20):
            look = position(machine, random)
            look.s[running] = random.choice([None, 0])
            if isinstance(step, flow.Judge):
                values = (random.randrange(2), random.randrange(4), random.randint(1, 3))
                for variable, value in zip(game.flow.routines[step.action].params, values, strict=True):
                    look.s[machine.layout.frame[variable]] = value
            broken = failing(machine, look, obligations)
            faults = [o.message for o in obligations if o.certain and not holds(machine, look, o.test)]
            text = step.source.span.text
            try:
                take(look)
            except RuleError as error:
                assert broken, f"{text}: {error}, and nothing is owed"
                said = any(m == CUT or says_the_same(m, error.message, SAID_OF_STEPS) for m in broken)
                assert said, (text, error.message, broken)
                tally["failed"] += 1
                tally["failed exactly"] += exact
            else:
                assert not faults, f"{text}: {faults} are no faults"
                assert not (exact and broken), f"{text}: {broken}"
                tally["taken"] += 1
                tally["taken exactly"] += exact
    assert tally["failed exactly"] > 100 and tally["taken exactly"] > 100, tally
