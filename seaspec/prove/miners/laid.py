"""Where pieces are laid: the rules move each to an instance that is worked out from the piece itself. Then it may be
that all that lie in that place lie there, as long as nothing has moved them on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables, substitute
from seaspec.prove.facts import Fact


@dataclass(frozen=True, slots=True)
class Laid:
    """That all pieces in a place lie where they are laid. `while_laying`: the procedures that are about to lay them."""

    fact: Fact
    while_laying: frozenset[str]


def where_they_are_laid(graph: flow.Flow) -> Iterator[Laid]:
    """Where a step, or a call of a procedure that moves one, lays pieces."""
    named: dict[str, dict[Variable, Expr]] = {}
    for block in graph.blocks:
        sets = {step.variable: step.value for step in block.steps if isinstance(step, flow.Set)}
        named.setdefault(block.owner, {}).update(sets)
    for owner, piece, target in _moves(graph):
        for caller, cargo, indices in _as_called(graph, owner, piece, target, named):
            for fact in _all_lie(graph.game, target.place, cargo, indices):
                yield Laid(fact, _callers(graph, caller))


def _callers(graph: flow.Flow, procedure: str) -> frozenset[str]:
    """A procedure, those that call it, and so on."""
    found = {procedure}
    while True:
        calls = ((block.owner, block.exit) for block in graph.blocks if block.owner not in found)
        more = {owner for owner, exit in calls if isinstance(exit, flow.Enter) and exit.procedure in found}
        if not more:
            return frozenset(found)
        found |= more


def _moves(graph: flow.Flow) -> Iterator[tuple[str, Variable, ir.Target]]:
    """The steps that move one piece to one of several instances, and in which procedures they stand."""
    for block in graph.blocks:
        for step in block.steps:
            if isinstance(step, ir.Move) and isinstance(step.cargo, ir.Local) and step.target.indices:
                yield block.owner, step.cargo.variable, step.target


def _as_called(
    graph: flow.Flow, owner: str, piece: Variable, target: ir.Target, named: Mapping[str, Mapping[Variable, Expr]]
) -> Iterator[tuple[str, Expr, Sequence[Expr]]]:
    """What is moved and whereto, in the words of the procedure itself, and of those that call it: which, and what."""
    said: tuple[Expr, ...] = (ir.Local(piece), *target.indices)
    own = {name: value for name, value in named.get(owner, {}).items() if name != piece}
    cargo, *indices = (substitute(part, own) for part in said)
    yield owner, cargo, indices
    params = graph.routines[owner].params if owner in graph.routines else ()
    for block in graph.blocks:
        if isinstance(block.exit, flow.Enter) and block.exit.procedure == owner:
            given = {step.variable: step.value for step in block.steps if isinstance(step, flow.Set)}
            if all(param in given for param in params):
                cargo, *indices = (substitute(part, given) for part in said)
                yield block.owner, cargo, indices


def _all_lie(game: ir.Game, place: str, cargo: Expr, indices: Sequence[Expr]) -> Iterator[Fact]:
    held = game.places[place].holds
    if not isinstance(cargo, ir.Local) or free_variables(*indices) != (cargo.variable,):
        return
    if not isinstance(cargo.variable.type, types.Pieces) or not set(held.members) <= set(cargo.variable.type.members):
        return
    piece = Variable("x", held)
    there = (substitute(index, {cargo.variable: ir.Local(piece)}) for index in indices)
    keys = enumerate(zip(game.places[place].index, there, strict=True))
    lies = tuple(
        ir.Apply(types.Bool(), Op.EQUAL, (ir.WhereIs(key.type, place, ir.Local(piece), at), index))
        for at, (key, index) in keys
    )
    test = lies[0] if len(lies) == 1 else ir.Apply(types.Bool(), Op.AND, lies)
    everywhere = ir.Everywhere(types.SetOf(held), place)
    yield Fact(None, (), ir.Fold(types.Bool(), FoldKind.EVERY, (ir.Binder(piece, everywhere),), test))
