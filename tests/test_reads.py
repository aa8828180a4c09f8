"""What expressions read of a position, through the defines that they call and the actions that they ask about."""

from __future__ import annotations

import pytest
from small_games import flow_game

from seaspec.analysis.reads import expressions_through, reads
from seaspec.core import ir

THINGS = """
define held(x: Piece) = x in hand
define held_by_somebody(x: Piece) = held(x) or count_up > 3
define own(p: Player) = size of hand[p]
define able(p: Player) = p can take
define fixed(n: 0..9) = n * 2
"""
READ = {
    "held": ({"hand", "all of hand"}, set()),
    "held_by_somebody": ({"hand", "all of hand"}, {"count_up"}),
    "own": ({"hand"}, set()),
    "able": ({"stock"}, set()),
    "fixed": (set(), set()),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_read(name: str) -> None:
    rules = flow_game("nothing", THINGS).rules
    found = reads(rules, rules.functions[name].body)
    assert (found.places, found.states) == READ[name] and not found.others


def test_a_define_is_looked_into_once() -> None:
    rules = flow_game("nothing", f"{THINGS}define twice(x: Piece, y: Piece) = held(x) or held(y)\n").rules
    found = expressions_through(rules, rules.functions["twice"].body)
    assert sum(isinstance(expr, ir.Everywhere) for expr in found) == 1


BESIDE = [("spot(A) = 1", True), ("p is asked", True), ("out(p)", False), ("old count_up = 1", False)]


@pytest.mark.parametrize(("text", "others"), BESIDE)
def test_what_is_read_beside_places_and_states(text: str, others: bool) -> None:
    rules = flow_game("nothing", f"always so: some p in Player: {text}\n").rules
    (promise,) = rules.promises
    assert isinstance(promise, ir.Always) and reads(rules, promise.test).others is others
