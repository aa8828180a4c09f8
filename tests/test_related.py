"""Which promises are proved together, which procedures they name, and how much there is to look at for one."""

from __future__ import annotations

import pytest
from small_games import flow_game

from seaspec.backends.symbolic.values.world import PLACES
from seaspec.core import ir
from seaspec.prove.cone import procedures_of, related
from seaspec.prove.portfolio import view_of
from seaspec.prove.termination import parts_of

THINGS = """
place chest at most 1 A open
to turn(p: Player): p may take
invariant a: count_up < 9
invariant b: count_up < 9
invariant c: count_up < 9
invariant d: count_up < 9
invariant e: count_up < 9
invariant f: count_up < 9
invariant g: count_up < 9
invariant at_turn at turn: count_up < 9
always onward after turn(p): count_up >= old count_up
ends within 9 calls of turn by 9 - count_up
lemma known(n: 1..9): n > 0
invariant kept: every x in A: x in chest or count_up = 0
invariant low: count_up < 9
"""
READS = {"a": "x", "b": "y", "c": "xz", "d": f"x{PLACES}", "e": "", "f": "yz", "g": "w"}


@pytest.fixture(scope="module")
def rules() -> ir.Game:
    return flow_game("for each p in Player: turn(p)", THINGS).rules


def promise(rules: ir.Game, name: str) -> ir.Promise:
    return next(one for one in rules.promises if one.name == name)


def test_those_that_share_a_state_are_proved_together(rules: ir.Game) -> None:
    reads = {name: frozenset({PLACES} if PLACES in read else set()) | set(read.replace(PLACES, ""))
             for name, read in READS.items()}  # fmt: skip
    found = list(related([promise(rules, name) for name in READS], reads))  # type: ignore[misc]
    said = [("".join(one.name for one in group), "".join(sorted(states))) for group, states in found]
    assert said == [("g", "w"), ("bacf", "xyz")]


def test_the_procedures_that_a_promise_names(rules: ir.Game) -> None:
    (ends,) = (one for one in rules.promises if isinstance(one, ir.EndsWithin))
    named = [promise(rules, "at_turn"), promise(rules, "onward"), *parts_of(ends)]
    assert [procedures_of(one) for one in named] == [{"turn"}] * 5  # type: ignore[arg-type]
    assert not procedures_of(promise(rules, "known")) and not procedures_of(promise(rules, "a"))  # type: ignore[arg-type]


def test_how_much_there_is_to_look_at(rules: ir.Game) -> None:
    def looked_at(name: str, *sight: str) -> tuple[bool, bool, bool, bool, int, int, int]:
        return view_of(rules, promise(rules, name), frozenset(sight), False).how_much  # type: ignore[arg-type]

    few, none = len(rules.places["chest"].holds.members), 0
    assert looked_at("kept", PLACES, "count_up") == (True, False, False, False, few, 2, 0) and few == 1
    assert looked_at("kept", "count_up") == (False, False, False, False, none, 1, 0)
    assert looked_at("low", PLACES, "count_up") == (True, False, False, False, len(rules.pieces), 2, 0)
    assert looked_at("onward", "count_up") == (False, False, False, False, none, 1, 1)
