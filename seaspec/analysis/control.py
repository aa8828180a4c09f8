"""Ways through the flow graph: how they go on within a procedure, where calls come back to, the heads of loops,
orders in which no two of those come equal that are gone through; and states that are changed on none of them: for a
proof these are constants, so that defines that read nothing else have a value, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import assert_never

from seaspec.core import flow, ir
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Expr, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import Node, closure, free_variables, rewrite, substitute, variables_bound, walk


def reachable(graph: flow.Flow, start: int) -> list[int]:
    """The blocks that a play may come to from one of them."""
    return sorted(closure([start], lambda number: flow.targets(graph.blocks[number].exit)))


def loop_heads(graph: flow.Flow) -> frozenset[int]:
    """The blocks that a way within one procedure comes back to."""
    found: set[int] = set()
    for routine_entry in (graph.start, *(routine.entry for routine in graph.routines.values())):
        state: dict[int, int] = {}
        stack = [(routine_entry, False)]
        while stack:
            block, done = stack.pop()
            if done:
                state[block] = 2
                continue
            if block in state:
                continue
            state[block] = 1
            stack.append((block, True))
            for target in onward_within(graph, block):
                if state.get(target) == 1:
                    found.add(target)
                elif target not in state:
                    stack.append((target, False))
    return frozenset(found)


def comebacks(graph: flow.Flow, procedure: str, back: int) -> tuple[int, ...]:
    """Where a call may come back to: behind it, or, where `stop` ends the caller as well, to the end of that."""
    return tuple(dict.fromkeys(target for _, target in ways_back(graph, procedure, back)))


def ways_back(graph: flow.Flow, procedure: str, back: int) -> tuple[tuple[int, int], ...]:
    """The same, each with the block in which the procedure ends on that way."""
    return tuple((end, targets[back]) for end, targets in _returns(graph).get(procedure, ()))


@lru_cache(maxsize=8)
def _returns(graph: flow.Flow) -> dict[str, list[tuple[int, tuple[int, ...]]]]:
    found: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
    for number, block in enumerate(graph.blocks):
        if isinstance(block.exit, flow.Return):
            found.setdefault(block.exit.procedure, []).append((number, block.exit.targets))
    return found


def onward_within(graph: flow.Flow, block: int) -> tuple[int, ...]:
    """Where a way within the procedure goes on: a call leads to where it comes back to."""
    match graph.blocks[block].exit:
        case flow.Enter(procedure, back, _):
            return comebacks(graph, procedure, back)
        case flow.Return():
            return ()
        case flow.Decision() | flow.ChanceNode() as node:
            there = [block for launch in node.launches for block in comebacks(graph, launch.action, launch.back)]
            passing = node.passing if isinstance(node, flow.Decision) else None
            more = [target for target in (node.target, passing, node.nothing) if target is not None]
            return (*there, *more)
        case (
            flow.Goto() | flow.Test() | flow.Switch() | flow.Finding() | flow.DrawNode() | flow.RollNode()
            | flow.ThrowNode() | flow.Over() | flow.Outside()
        ) as exit:  # fmt: skip
            return tuple(flow.targets(exit))
        case never:
            assert_never(never)


def tells_apart(key: Expr, member: Variable) -> bool:
    """Whether no two members of a ring have the same key: how far each is from one and the same, or to it."""
    match key:
        case ir.Apply(_, Op.TURNS, (one, other)):
            named, start = (one, other) if one == ir.Local(member) else (other, one)
            return named == ir.Local(member) and member not in free_variables(start)
        case _:  # cautious: other keys may be equal
            return False


# --------------------------------------------------------------------------------------------------- what never changes


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
