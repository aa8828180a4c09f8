"""Where paths are cut though nobody chooses there: at the heads of loops that would make them many or long.

Rounds are cut always: loops over players in which somebody is asked or something is drawn. Who is still to come is
forgotten there, so that what a turn does is looked at once, and not once for each player who may be next.

Procedures that are called from so many places that ways through the rules would be many if each call were gone through
are looked at for themselves, once (see calls.py), though all else is looked at together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
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


MANY = 4
"""So many ways lead to a procedure, at least."""


def shared(graph: flow.Flow, marked: Set[str], rounds: Set[int]) -> frozenset[str]:
    """Procedures in which somebody is asked again and again, there or in what is called there, and to which many ways
    lead. Not those in which something of a marked procedure may happen, or a round begins: who stands for all of its
    players is not known behind it."""
    calls = {name: list(_called(graph, name)) for name in (*graph.routines, flow.START, flow.SETTLING)}
    callers: dict[str, list[str]] = {}
    for name, called in calls.items():
        for one in called:
            callers.setdefault(one, []).append(name)

    @cache
    def ways(name: str) -> int:
        return sum(map(ways, callers[name])) if name in callers else 1

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset({name}).union(*map(below, calls[name]))

    apart = marked | {graph.blocks[head].owner for head in rounds}
    choosing = {block.owner for block in graph.blocks if isinstance(block.exit, flow.Decision)}
    asking = {name for name in graph.routines if not below(name).isdisjoint(choosing)}
    looping = {graph.blocks[head].owner for head in loop_heads(graph)}
    begun = {launch.action for block in graph.blocks for launch in _launches(block.exit)}
    found = (name for name in graph.routines if name in (asking & looping) - begun and below(name).isdisjoint(apart))
    return frozenset(name for name in found if ways(name) >= MANY)


def _called(graph: flow.Flow, name: str) -> Iterator[str]:
    """The procedures that are called or begun in one, each as often as that stands there."""
    for block in graph.blocks:
        if block.owner == name:
            if isinstance(block.exit, flow.Enter):
                yield block.exit.procedure
            yield from (launch.action for launch in _launches(block.exit))


def _launches(exit: flow.Exit) -> tuple[flow.Launch, ...]:
    return exit.launches if isinstance(exit, flow.Decision | flow.ChanceNode) else ()
