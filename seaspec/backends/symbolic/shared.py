"""Procedures that are called from so many places that ways through the rules would be many if each call were gone
through: those are looked at for themselves, once (see calls.py), though all else is looked at together."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cache

from seaspec.analysis.control import loop_heads
from seaspec.core import flow

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
