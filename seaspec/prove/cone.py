"""What a proof of one promise looks at: the fewer states, the fewer and shorter the ways through the rules.

First only what the promise itself reads; what the guards read of whoever calls what it names, or what lays pieces
where it looks; what is worked into that; then also what decides whether that changes; last where the pieces are, too.
What is left out may be anything, so what is proved holds.

Promises that speak of the same states are proved together, for one may need what another says; but only those that say
nothing of where the pieces are: to look at that, too, costs much, and is done for each alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from seaspec.analysis.reads import reads
from seaspec.backends.symbolic.values.world import PLACES
from seaspec.core import flow, ir
from seaspec.core.ir import Claim, Expr, Variable
from seaspec.core.walk import free_variables
from seaspec.passes.mark_live import reads_of
from seaspec.prove.facts import Fact
from seaspec.prove.termination import AtBegin, Between, Provable


def sights(graph: flow.Flow, facts: Iterable[Fact]) -> Iterator[frozenset[str]]:
    """More and more to look at, each once."""
    facts = list(facts)
    own = frozenset[str]().union(*(_read(graph.game, fact.test, *fact.guards) for fact in facts))
    calling = own | _guarding(graph, frozenset(fact.after for fact in facts if fact.after is not None))
    places = frozenset[str]().union(*(reads(graph.game, fact.test, *fact.guards)[0] for fact in facts))
    laying = calling | _guarding(graph, _laying(graph, places))
    flowing = _with_what_flows_in(graph, own)
    deciding = _with_what_flows_in(graph, flowing | _deciding(graph, flowing))
    told: set[frozenset[str]] = set()
    first = calling if PLACES in own else own  # to look at pieces takes long, and for nothing without such guards
    for sight in (first, calling, laying, flowing - {PLACES} | own, deciding - {PLACES} | own, deciding | {PLACES}):
        if sight not in told:
            told.add(sight)
            yield sight


def idle_variables(graph: flow.Flow) -> frozenset[Variable]:
    """Variables of the frame that decide nothing: only what makes sure that the rules do not fail reads them, and they
    themselves for their next value."""
    read: set[Variable] = set()
    written: set[Variable] = set()
    for block in graph.blocks:
        for step in block.steps:
            if isinstance(step, flow.Set):
                written.add(step.variable)
                read |= {name for name in free_variables(step.value) if name is not step.variable}
            elif not isinstance(step, flow.Require):
                read |= set(reads_of(graph, step))
        read |= set(reads_of(graph, block.exit))
    return frozenset(written - read)


def _read(game: ir.Game, *exprs: Expr) -> frozenset[str]:
    places, states, others = reads(game, *exprs)
    return states | ({PLACES} if places or others else set())


def _with_what_flows_in(graph: flow.Flow, sight: frozenset[str]) -> frozenset[str]:
    """Also all that is read for the values of these states."""
    while True:
        found = set(sight)
        for block in graph.blocks:
            for step in block.steps:
                if isinstance(step, ir.Assign) and step.state in sight:
                    found |= _read(graph.game, step.value, *step.indices)
        if found == sight:
            return sight
        sight = frozenset(found)


def _deciding(graph: flow.Flow, sight: frozenset[str]) -> frozenset[str]:
    """What tests and guards read in the procedures that change these."""
    changing = {block.owner for block in graph.blocks for step in block.steps if _changes(step, sight)}
    found: set[str] = set()
    for block in graph.blocks:
        if block.owner in changing and isinstance(block.exit, flow.Test):
            found |= _read(graph.game, block.exit.test)
    for name in changing & set(graph.game.actions):
        for guard in graph.game.actions[name].guards:
            found |= _read(graph.game, guard.test)
    return frozenset(found)


def _guarding(graph: flow.Flow, procedures: frozenset[str]) -> frozenset[str]:
    """What the guards of actions read that call these procedures."""
    exits = ((block.owner, block.exit) for block in graph.blocks)
    calling = {owner for owner, exit in exits if isinstance(exit, flow.Enter) and exit.procedure in procedures}
    actions = (graph.game.actions[name] for name in calling & set(graph.game.actions))
    tests = (_read(graph.game, guard.test) for action in actions for guard in action.guards)
    return frozenset[str]().union(*tests)


def _laying(graph: flow.Flow, places: frozenset[str]) -> frozenset[str]:
    """The procedures that lay pieces in instances of these places."""
    owned = ((block.owner, step) for block in graph.blocks for step in block.steps)
    return frozenset(
        owner
        for owner, step in owned
        if isinstance(step, ir.Move | ir.MoveSome) and step.target.indices and step.target.place in places
    )


def _changes(step: flow.Step, sight: frozenset[str]) -> bool:
    match step:
        case ir.Assign(state):
            return state in sight
        case ir.Move() | ir.MoveSome():
            return PLACES in sight
        case flow.Reset(states):
            return not sight.isdisjoint(states)
        case _:  # cautious: whatever else it changes is looked at in any case, or left out, and then it may be anything
            return False


def related(
    promises: Sequence[Provable], reads: Mapping[str, frozenset[str]]
) -> Iterator[tuple[list[Provable], frozenset[str]]]:
    """Groups of promises with all the states that they read, `reads` by name; the least to look at comes first.

    Who shares a state with one of a group belongs to it.
    """
    groups: list[tuple[list[Provable], frozenset[str]]] = []
    for promise in promises:
        said = reads[promise.name]
        if PLACES in said or not said:
            continue
        near = [group for group in groups if group[1] & said]
        groups = [group for group in groups if group not in near]
        members = [member for members, _ in near for member in members]
        groups.append(([*members, promise], said.union(*(states for _, states in near))))
    yield from sorted(groups, key=lambda group: (len(group[1]), len(group[0])))


def outside_of(promises: Iterable[Provable]) -> frozenset[str]:
    """The procedures outside of which something is promised."""
    claims = (p for p in promises if isinstance(p, ir.Invariant) and p.claim is Claim.OUTSIDE)
    return frozenset(name for claim in claims for name in claim.procedures)


def procedures_of(promise: Provable) -> frozenset[str]:
    """The procedures that a promise names."""
    if isinstance(promise, ir.Invariant):
        return frozenset(promise.procedures)
    if isinstance(promise, ir.Always):
        return frozenset(procedure for procedure, _, _ in promise.after)
    return frozenset((promise.procedure,)) if isinstance(promise, AtBegin | Between) else frozenset()
