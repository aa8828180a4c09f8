"""What expressions are to the solver: thousands of expressions at random, at random positions.

Each is read once at a position of which nothing is known, and then with what is so at a position that the interpreter
has made up: the value has to be that of the interpreter, wherever this one finds one.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from symbolic_agreement import Comparison
from test_definedness import GAME, Writer, compiled, position

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.state import State
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import substitute
from seaspec.backends.symbolic.logic.terms import YES, Term, iff, not_, truth
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.core import ir
from seaspec.game import Game

WRITTEN_OUT, QUANTIFIED = 10**6, 2
POSITIONS = 8


class Expressions(Comparison):
    """Expressions of a game in both back ends."""

    def __init__(self, game: Game, few: int) -> None:
        super().__init__(game, few)
        self.start = next(path.start for path in self.paths.paths if path.source is not None)

    def compare_at(self, test: ir.Expr, states: list[State], tally: Counter[str]) -> None:
        reader = Reader(self.world, self.start)
        try:
            found = reader.test(test)
            defined = reader.defined(test)
        except Unsupported:
            tally["unknown"] += 1
            return
        for state in states:
            known = self.bindings(self.start, state)
            try:
                expected = bool(self.machine.effects.value(self.machine.look(state), test))
            except RuleError:
                tally["failed"] += 1
                assert not self.surely(reader.told, defined, known), "it has no value"
                continue
            tally["asked"] += 1
            wanted = iff(found, truth(expected))
            assert substitute(wanted, known) is YES or not self.possible([*reader.told, not_(wanted)], known), expected

    def surely(self, told: list[Term], test: Term, known: dict[Term, Term]) -> bool:
        return substitute(test, known) is YES or not self.possible([*told, not_(test)], known)


@pytest.mark.parametrize(("few", "seed"), [(WRITTEN_OUT, 1), (WRITTEN_OUT, 2), (QUANTIFIED, 3)])
def test_what_is_read_is_what_the_interpreter_finds(few: int, seed: int) -> None:
    random = Random(seed)
    lines = [f"invariant e{number}: {Writer(random).test(random.randint(1, 3))}" for number in range(120)]
    game = compiled(GAME.replace("  {promises}\n", ""), lines)
    compared = Expressions(game, few)
    tally: Counter[str] = Counter()
    for promise in game.rules.promises:
        assert isinstance(promise, ir.Invariant)
        states = []
        for _ in range(POSITIONS):
            look = position(compared.machine, random)
            states.append(State(tuple(look.s), tuple(look.w)))
        try:
            compared.compare_at(promise.test, states, tally)
        except AssertionError as error:
            raise AssertionError(promise.source.span.text) from error
    assert tally["asked"] > 100, tally
    print(tally)
