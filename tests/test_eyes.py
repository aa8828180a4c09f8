"""Whether a player sees all that an expression reads: said beforehand for all positions."""

from __future__ import annotations

import pytest
from small_games import flow_game

from seaspec.analysis.eyes import seen_by
from seaspec.core import ir
from seaspec.core.show import show_expr

THINGS = """
define own(q: Player) = A in hand[q]
define behind(q: Player) = A in hand[next(q)]
define far(k: 0..9, q: Player): yes or no shrinking k = if k = 0 then A in hand[q] else far(k - 1, next(q))
"""
SEEN = {
    "count_up = 1": "yes",
    "A in hand[p]": "(seat = p)",
    "own(p)": "(seat = p)",
    "behind(p)": "(seat = turn(p, 1))",
    "own(p) = behind(p)": "((seat = p) and (seat = turn(p, 1)))",
    "far(1, p)": "((seat = p) and (seat = turn(p, 1)))",
}


@pytest.mark.parametrize("text", SEEN)
def test_who_sees_what_is_read(text: str) -> None:
    rules = flow_game("nothing", f"{THINGS}always so: every p in Player: {text}\n").rules
    (promise,) = rules.promises
    assert isinstance(promise, ir.Always) and isinstance(promise.test, ir.Fold)
    (binder,) = promise.test.binders
    seat = ir.Variable("seat", binder.variable.type)
    seen = seen_by(rules, [promise.test.body], [binder.variable], seat)
    assert show_expr(seen, rules) == SEEN[text]
