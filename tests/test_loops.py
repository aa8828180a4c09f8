"""Loops whose turns may come in any order: which bodies are such, and which are not."""

from __future__ import annotations

import pytest
from small_games import flow_game

from seaspec.analysis.loops import in_any_order
from seaspec.core import flow

THINGS = """
state best: Player or none = none
define low(p: Player) = mark[p] < 3
define low_onward(p: Player) = low(next(p))
define lit(p: Player) = light is red
define lit_twice(p: Player) = lit(p) and (light is red or lit(next(p)))
action boast(p: Player) "{p} boasts"
  needs high: some q in Player: mark[q] > 3
define able(p: Player) = p can boast
define able_or_lit(p: Player) = lit(p) or able(p)
"""
ANY_ORDER = [
    "mark[p] := 1",
    "mark[p] := mark[p] + 1",
    "if mark[p] > 3: mark[p] := 0",
    "if light is red: mark[p] := count_up\nelse: mark[p] := 2",
    "if lit(p): mark[p] := 0",
    "if lit_twice(p): mark[p] := 0",
    "let n = mark[p] / 2\nmark[p] := n",
    "mark[p] := size of hand[next(p)]",
]
IN_ORDER = [
    "mark[next(p)] := 1",
    "mark[p] := mark[next(p)]",
    "if mark[next(p)] > 3: mark[p] := 0",
    "if low(next(p)): mark[p] := 0",
    "if low_onward(p): mark[p] := 0",
    "count_up := mark[p]",
    "best := p",
    "if able(p): mark[p] := 0",
    "if able_or_lit(p): mark[p] := 0",
    "if p can bump: mark[p] := 0",
    "move 1 B from stock to hand[p]",
    'mark[p] := 1\nsay "{p}"',
    "p chooses bump",
    "if mark[p] > 8: stop play",
    "mark[p] := 1\nmark[seat(1)] := 2",
]


def turns_may_come_in_any_order(body: str) -> bool:
    lines = "\n".join("  " + line for line in body.split("\n"))
    graph = flow_game(f"for each p in Player\n{lines}", THINGS, players=3).flow
    steps = [(number, step) for number, block in enumerate(graph.blocks) for step in block.steps]
    ((block, take),) = ((number, step) for number, step in steps if isinstance(step, flow.Take))
    return in_any_order(graph, block, take.variable)


@pytest.mark.parametrize("body", ANY_ORDER)
def test_each_turn_for_itself(body: str) -> None:
    assert turns_may_come_in_any_order(body)


@pytest.mark.parametrize("body", IN_ORDER)
def test_a_turn_that_looks_at_another_one(body: str) -> None:
    assert not turns_may_come_in_any_order(body)
