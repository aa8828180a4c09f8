"""Loops whose turns may come in any order: each turn writes, of the states, entries of its own member alone, and reads
no such entry of another member. So what is left at the end does not depend on who came first."""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.analysis.reads import read_by, reads
from seaspec.core import flow, ir
from seaspec.core.ir import Expr, Variable
from seaspec.core.walk import expressions

MOST_BLOCKS = 30
"""Loops of more blocks are not looked at."""


def in_any_order(graph: flow.Flow, block: int, rest: Variable) -> bool:
    """Whether the turns of a loop may come in any order; it goes through a set that is taken at the end of a block."""
    entry = graph.blocks[block].exit
    head = entry.target if isinstance(entry, flow.Goto) else block
    turn = _turn(graph, head)
    if turn is None:
        return False
    steps = [step for number in turn for step in graph.blocks[number].steps]
    first = graph.blocks[turn[0]].steps[:1]
    if not first or not isinstance(first[0], flow.Pop) or first[0].rest is not rest:
        return False
    member = first[0].variable
    own: dict[str, int] = {}
    for step in steps[1:]:
        match step:
            case flow.Set(variable):
                if variable in graph.blocks[head].live:
                    return False
            case ir.Assign(state, indices):
                places = [place for place, index in enumerate(indices) if index == ir.Local(member)]
                if not places or own.setdefault(state, places[0]) not in places:
                    return False
            case _:  # cautious: no other step is known to come in any order
                return False
    return all(_reads_its_own(graph.game, expr, own, member) for expr in _exprs(graph, turn))


def _turn(graph: flow.Flow, head: int) -> list[int] | None:
    """The blocks of a turn, the first one first; None if they are not straight steps and tests."""
    exit = graph.blocks[head].exit
    if graph.blocks[head].steps or not isinstance(exit, flow.Test):
        return None
    found = [exit.then]
    for block in found:
        here = graph.blocks[block].exit
        if not isinstance(here, flow.Goto | flow.Test) or len(found) > MOST_BLOCKS:
            return None
        found += (target for target in flow.targets(here) if target != head and target not in found)
    return None if exit.otherwise in found else found


def _exprs(graph: flow.Flow, turn: list[int]) -> Iterator[Expr]:
    for block in turn:
        here = graph.blocks[block]
        for step in here.steps:
            match step:
                case flow.Set(_, value):
                    yield value
                case ir.Assign(state, indices, value):
                    yield from (*indices, value, *(graph.game.states[state].bound or ()))
                case flow.Pop():
                    pass  # it reads what is still to come, and that is no state
                case _:  # cautious: whoever asks has refused all other steps
                    raise AssertionError(step)
        if isinstance(here.exit, flow.Test):
            yield here.exit.test


def _reads_its_own(game: ir.Game, expr: Expr, own: dict[str, int], member: Variable) -> bool:
    """Whether an expression reads no entry of another member."""
    for inner in expressions(expr):
        found = read_by(inner)
        if isinstance(inner, ir.StateRead) and inner.state in own:
            if inner.indices[own[inner.state]] != ir.Local(member):
                return False
        elif found.asks is not None or found.other:
            return False
        elif found.calls is not None:
            called = reads(game, game.functions[found.calls].body)
            if called.others or called.states & set(own):
                return False
    return True
