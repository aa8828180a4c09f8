"""Mark live: which variables of the frame may still be read when a block begins.

In: a flow graph. Out: the same with `frame` and every block's `live` filled in. At a node all other frame variables are
cleared, so that equal positions are equal states. The analysis is the usual one, backwards to a fixed point; a return
leads to all places that a procedure may come back to; so only what belongs to a procedure that can be active is kept
(the one that the block is in, and those that lead to it): the variables of others are None, because a return clears
them. Whether a procedure runs is read off its `back`: if that is asked (clocks, promises `outside` of it), it is read
wherever a play goes on, even if the procedure never comes back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from seaspec.core import flow, ir
from seaspec.core.flow import Flow
from seaspec.core.ir import Variable
from seaspec.core.walk import free_variables


def mark_live(graph: Flow) -> Flow:
    """The graph with its frame, and with the live variables of each block."""
    reads, writes = _reads_and_writes(graph)
    params = [variable for routine in graph.routines.values() for variable in (*routine.params, routine.back)]
    used = [variable for r, w in zip(reads, writes, strict=True) for variable in (*r, *w)]
    frame = tuple(dict.fromkeys([*params, *used]))
    bit = {variable: 1 << number for number, variable in enumerate(frame)}
    runs = _asked_for(graph)
    for block, variables in zip(graph.blocks, reads, strict=True):
        if not isinstance(block.exit, flow.Over):
            variables += runs
    read_bits = [sum(bit[v] for v in set(variables)) for variables in reads]
    kept_bits = [~sum(bit[v] for v in set(variables)) for variables in writes]
    live = _fixed_point(graph, bit, read_bits, kept_bits)
    routines = _with_locals(graph, writes)
    active = _active(graph, routines, bit)
    blocks = []
    for number, block in enumerate(graph.blocks):
        kept = live[number] & active[block.owner]
        blocks.append(replace(block, live=tuple(variable for variable in frame if kept & bit[variable])))
    return replace(graph, blocks=tuple(blocks), frame=frame, routines=routines)


def live_between(graph: Flow, number: int) -> list[frozenset[Variable]]:
    """The variables that may still be read before each step of a block, and before its exit."""
    exit = graph.blocks[number].exit
    after: set[Variable] = set()
    started = {routine.entry: {*routine.params, routine.back} for routine in graph.routines.values()}
    for target in flow.targets(exit):
        launched = isinstance(exit, flow.Decision | flow.ChanceNode) and target in started
        after |= set(graph.blocks[target].live) - (started[target] if launched else set())
    found = []
    for node in (exit, *reversed(graph.blocks[number].steps)):
        after = (after - set(writes_of(graph, node))) | set(reads_of(graph, node))
        found.append(frozenset(after))
    return found[::-1]


def _asked_for(graph: Flow) -> tuple[Variable, ...]:
    """What says of a procedure whether it runs, for those of which something depends on that."""
    names = {state.until for state in graph.game.states.values() if state.until is not None}
    for promise in graph.game.promises:
        if isinstance(promise, ir.Invariant) and promise.claim is ir.Claim.OUTSIDE:
            names.update(promise.procedures)
    return tuple(routine.back for name, routine in graph.routines.items() if name in names)


def _active(graph: Flow, routines: dict[str, flow.Routine], bit: dict[Variable, int]) -> dict[str, int]:
    """For each procedure the variables of it and of all that can be active while it runs."""
    own = {name: sum(bit[v] for v in {*routine.locals, routine.back}) for name, routine in routines.items()}
    own[flow.START] = 0
    calls: dict[str, set[str]] = {}
    for block in graph.blocks:
        if isinstance(block.exit, flow.Enter):
            calls.setdefault(block.owner, set()).add(block.exit.procedure)
        elif isinstance(block.exit, flow.Decision | flow.ChanceNode):
            calls.setdefault(block.owner, set()).update(launch.action for launch in block.exit.launches)
    found = dict(own)
    changed = True
    while changed:
        changed = False
        for caller, callees in calls.items():
            for callee in callees:
                more = found[callee] | found[caller]
                changed = changed or more != found[callee]
                found[callee] = more
    return found


def _with_locals(graph: Flow, writes: list[list[Variable]]) -> dict[str, flow.Routine]:
    """Each routine with the variables that its own blocks set, and its parameters."""
    foreign = {v for routine in graph.routines.values() for v in (*routine.params, routine.back)}
    found = {name: dict.fromkeys(routine.params) for name, routine in graph.routines.items()}
    for block, written in zip(graph.blocks, writes, strict=True):
        if block.owner in found:
            found[block.owner].update(dict.fromkeys(v for v in written if v not in foreign))
    return {name: replace(routine, locals=tuple(found[name])) for name, routine in graph.routines.items()}


def _fixed_point(graph: Flow, bit: dict[Variable, int], reads: list[int], kept: list[int]) -> list[int]:
    live = list(reads)
    before: list[list[int]] = [[] for _ in graph.blocks]
    for number, block in enumerate(graph.blocks):
        for target in flow.targets(block.exit):
            before[target].append(number)
    started = {routine.entry: _started(routine, bit) for routine in graph.routines.values()}
    waiting = list(range(len(graph.blocks)))
    while waiting:
        number = waiting.pop()
        exit = graph.blocks[number].exit
        out = 0
        for target in flow.targets(exit):
            launched = isinstance(exit, flow.Decision | flow.ChanceNode) and target in started
            out |= live[target] & ~started[target] if launched else live[target]
        new = reads[number] | out & kept[number]
        if new != live[number]:
            live[number] = new
            waiting.extend(before[number])
    return live


def _started(routine: flow.Routine, bit: dict[Variable, int]) -> int:
    return sum(bit.get(variable, 0) for variable in {*routine.params, routine.back})


def _reads_and_writes(graph: Flow) -> tuple[list[list[Variable]], list[list[Variable]]]:
    """For each block: what it reads before it writes it, what it writes."""
    reads: list[list[Variable]] = []
    writes: list[list[Variable]] = []
    for block in graph.blocks:
        read: dict[Variable, None] = {}
        written: dict[Variable, None] = {}
        for node in (*block.steps, block.exit):
            read.update(dict.fromkeys(v for v in reads_of(graph, node) if v not in written))
            written.update(dict.fromkeys(writes_of(graph, node)))
        reads.append(list(read))
        writes.append(list(written))
    return reads, writes


def reads_of(graph: Flow, node: flow.Step | flow.Exit) -> tuple[Variable, ...]:
    """The frame variables that a step or exit reads."""
    match node:
        case flow.Pop(_, rest):
            return (rest,)
        case flow.Judge(action):
            return graph.routines[action].params
        case flow.Veil(_, player):
            return () if player is None else (player,)
        case flow.Return(procedure):
            return (graph.routines[procedure].back,)
        case flow.Decision(_, flow.OfferLines(left)):
            return (left, *free_variables(node))
        case flow.Over(how):
            return () if how is None else free_variables(how)
        case flow.Set(_, value):
            return free_variables(value)
        case (
            flow.Take() | flow.Require() | flow.Switch() | flow.Test() | flow.Finding() | flow.Decision()
            | flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.ThrowNode() | ir.Assign() | ir.Move()
            | ir.MoveSome() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut() | flow.Begin() | flow.Finish()
            | flow.Reset() | flow.Goto() | flow.Enter() | flow.Outside()
        ):  # fmt: skip
            return free_variables(node)
        case _:
            assert_never(node)


def writes_of(graph: Flow, node: flow.Step | flow.Exit) -> tuple[Variable, ...]:
    """The frame variables that a step or exit sets, whichever way it leads."""
    match node:
        case flow.Set(variable) | flow.Take(variable) | flow.RollNode(_, _, variable) | flow.ThrowNode(_, _, variable):
            return (variable,)
        case flow.Pop(variable, rest):
            return (variable, rest)
        case flow.Enter(procedure):
            return (graph.routines[procedure].back,)
        case flow.DrawNode():  # without a piece to draw, the variable keeps its value
            return () if node.variable is None or node.nothing is not None else (node.variable,)
        case flow.Finding(witnesses):
            return tuple(binder.variable for binder in witnesses)
        case flow.Decision() | flow.ChanceNode():
            return flow.offer_variables(node.offer)
        case (
            flow.Begin() | flow.Finish() | flow.Judge() | flow.Reset() | flow.Require() | flow.Veil() | flow.Goto()
            | flow.Test() | flow.Switch() | flow.Return() | flow.Over() | flow.Outside() | ir.Assign() | ir.Move()
            | ir.MoveSome() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(node)
