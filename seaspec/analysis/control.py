"""Ways through the flow graph: how they go on within a procedure, where calls come back to, the heads of loops,
orders in which no two of those come equal that are gone through."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from seaspec.core import flow, ir
from seaspec.core.ir import Expr, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import closure, free_variables


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
