"""Where paths are cut though nobody chooses there: at the heads of loops that would make them many or long.

Rounds are cut always: loops over players in which somebody is asked or something is drawn. Who is still to come is
forgotten there, so that what a turn does is looked at once, and not once for each player who may be next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from seaspec.analysis.control import comebacks, loop_heads
from seaspec.backends.symbolic.seats import names_players
from seaspec.core import flow, types
from seaspec.core.ir import Variable


@dataclass(frozen=True, slots=True)
class Cuts:
    """`blocks`: where paths end and begin. `rounds`: the heads of rounds, by the variable that says who is to come."""

    blocks: frozenset[int] = frozenset()
    rounds: Mapping[Variable, int] = field(default_factory=dict)

    def also(self, block: int) -> Cuts:
        return Cuts(self.blocks | {block}, self.rounds)


def rounds(graph: flow.Flow) -> Cuts:
    """The heads of rounds, but of those within the turn of some player: there it matters who is next."""
    found: dict[Variable, int] = {}
    for block in graph.blocks:
        for step in block.steps:
            if isinstance(step, flow.Take) and _are_players(step.variable) and isinstance(block.exit, flow.Goto):
                head = block.exit.target
                others = [name for name in graph.blocks[head].live if name is not step.variable]
                if not any(names_players(name.type) for name in others) and _rests_within(graph, head):
                    found[step.variable] = head
    return Cuts(frozenset(found.values()), found)


def next_cut(graph: flow.Flow, cuts: Cuts, visits: Mapping[int, int]) -> int | None:
    """Where to cut ways that are too many or too long: at the head of the loop they came through most often; where
    there is none, at the block to which most ways come together."""
    heads = loop_heads(graph)
    coming: Counter[int] = Counter(target for block in graph.blocks for target in flow.targets(block.exit))
    free = [b for b in visits if b not in cuts.blocks and not flow.is_node(graph.blocks[b].exit)]
    found = [block for block in free if block in heads] or [block for block in free if coming[block] > 1]
    return max(found, key=lambda block: visits[block], default=None)


def _are_players(variable: Variable) -> bool:
    ty = variable.type
    return isinstance(ty, types.SetOf) and isinstance(ty.of, types.Enum) and names_players(ty.of)


def _rests_within(graph: flow.Flow, head: int) -> bool:
    """Whether the game may rest between the head of a loop and its next turn."""
    exit = graph.blocks[head].exit
    assert isinstance(exit, flow.Test)
    seen = {head}
    waiting = [exit.then]
    while waiting:
        block = waiting.pop()
        if block in seen:
            continue
        seen.add(block)
        here = graph.blocks[block].exit
        if flow.is_node(here) and not isinstance(here, flow.Over | flow.Outside):
            return True
        match here:
            case flow.Enter(procedure, back, target):
                waiting += (target, *comebacks(graph, procedure, back))
            case flow.Return():
                continue
            case (
                flow.Goto() | flow.Test() | flow.Switch() | flow.Finding() | flow.Decision() | flow.ChanceNode()
                | flow.DrawNode() | flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside()
            ):  # fmt: skip
                waiting += flow.targets(here)
            case _:
                assert_never(here)
    return False
