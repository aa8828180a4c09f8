"""States that nothing in the rules changes, under the options of a game: for a proof they are constants, so that
defines that read nothing else have a value, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import assert_never

from seaspec.analysis.control import onward_within
from seaspec.core import flow, ir
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.walk import Node, closure, rewrite, substitute, variables_bound, walk


def with_constants(graph: flow.Flow) -> flow.Flow:
    """The same rules, where states that nothing changes are read as their first values."""
    constants = unchanging(graph)

    def change(node: Node) -> Node:
        if isinstance(node, ir.StateRead) and node.state in constants:
            state = constants[node.state]
            return substitute(state.initial, dict(zip(state.index, node.indices, strict=True)))
        return node

    return rewrite(graph, change) if constants else graph


def unchanging(graph: flow.Flow) -> Mapping[str, ir.State]:
    """The states that have their first values always, where these bind no names of their own."""
    steps = (step for number in _reachable(graph) for step in graph.blocks[number].steps)
    assigned = {step.state for step in steps if isinstance(step, ir.Assign)}
    states = ((name, state) for name, state in graph.game.states.items() if name not in assigned)
    return {name: state for name, state in states if not _binds(state.initial)}


def _reachable(graph: flow.Flow) -> Collection[int]:
    """The blocks that a play may come to: what is tested of options alone is known."""
    return closure([graph.start], lambda number: _onward(graph, number))


def _onward(graph: flow.Flow, number: int) -> Iterable[int]:
    """Where a block leads: a call to what is called, and to where that comes back to."""
    match graph.blocks[number].exit:
        case flow.Test(test, then, otherwise):
            try:
                return (then if evaluate(test, graph.game.tables, graph.game.functions, {}) else otherwise,)
            except NotConstant:
                return (then, otherwise)
        case flow.Enter(_, _, entry):
            return (entry, *onward_within(graph, number))
        case flow.Decision() | flow.ChanceNode() as node:
            return (*(launch.target for launch in node.launches), *onward_within(graph, number))
        case (
            flow.Goto() | flow.Switch() | flow.Return() | flow.Finding() | flow.DrawNode() | flow.RollNode()
            | flow.ThrowNode() | flow.Over() | flow.Outside()
        ):  # fmt: skip
            return onward_within(graph, number)
        case never:
            assert_never(never)


def _binds(expr: ir.Expr) -> bool:
    return any(True for node in walk(expr) if not isinstance(node, ir.Local) for _ in variables_bound(node))
