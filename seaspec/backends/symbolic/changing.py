"""What procedures may change before they come back: found by looking through them, so that a call can be one step.

A state is changed at certain instances, if they are named by parameters that keep their value, or anywhere. What is
done on the way to the end of the game changes nothing for whoever has called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from seaspec.backends.symbolic.anything import free_family
from seaspec.backends.symbolic.cuts import onward_within
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.places import anywhere
from seaspec.backends.symbolic.position import Args, Family
from seaspec.backends.symbolic.runs import Run
from seaspec.backends.symbolic.sets import Value, among, choose
from seaspec.backends.symbolic.terms import flag, or_
from seaspec.core import flow, ir, types
from seaspec.core.ir import BOX, Expr, Variable
from seaspec.core.walk import free_variables, substitute, walk

MOST_INSTANCES = 6
"""A state that is changed at more instances may be changed anywhere."""
Index = tuple[Expr, ...]


@dataclass(eq=False)
class Changes:
    """`states`: at which instances, None: anywhere. `moved`: pieces that may move; `places`: between which places."""

    states: dict[str, set[Index] | None] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    drops_out: bool = False

    def change(self, state: str, index: Index | None) -> None:
        """A state may be changed at an instance; None: anywhere."""
        known = self.states.setdefault(state, set())
        if known is None:
            return
        if index is None or len(known) >= MOST_INSTANCES:
            self.states[state] = None
        else:
            known.add(index)


class Changing:
    """Looks through the procedures of one game."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.game = graph.game
        self._found: dict[str, Changes] = {}
        self._blocks: dict[str, list[int]] = {}
        for number, block in enumerate(graph.blocks):
            self._blocks.setdefault(block.owner, []).append(number)

    def blocks(self, procedure: str) -> list[int]:
        return self._blocks.get(procedure, [])

    def stable(self, procedure: str) -> tuple[Variable, ...]:
        """The parameters that keep their value while a procedure runs."""
        changed = {name for block in self.blocks(procedure) for name in set_in(self.graph.blocks[block])}
        # A block that calls sets the parameters of what it calls; none calls itself.
        return tuple(name for name in self.graph.routines[procedure].params if name not in changed)

    def of(self, procedure: str) -> Changes:
        """What a procedure may change, with all that it calls; instances by its own parameters."""
        if procedure not in self._found:
            changes = self._found[procedure] = Changes()
            stable = frozenset(self.stable(procedure))
            for number in self._coming_back(procedure):
                block = self.graph.blocks[number]
                for step in block.steps:
                    self._step(changes, step, stable)
                for called, arguments in self._calls(block):
                    self._call(changes, called, arguments, stable)
                if isinstance(block.exit, flow.DrawNode):
                    members = self.game.places[block.exit.to.place].holds.members
                    self._move(changes, set(members), {block.exit.origin.place, block.exit.to.place})
        return self._found[procedure]

    def _coming_back(self, procedure: str) -> list[int]:
        """The blocks of a procedure from which it may come back."""
        own = set(self.blocks(procedure))
        found = {block for block in own if isinstance(self.graph.blocks[block].exit, flow.Return)}
        while True:
            more = {block for block in own - found if not found.isdisjoint(onward_within(self.graph, block))}
            if not more:
                return sorted(found)
            found |= more

    def _calls(self, block: flow.BasicBlock) -> Iterator[tuple[str, Mapping[Variable, Expr]]]:
        """The procedures that a block calls or launches, with what is known of their arguments."""
        match block.exit:
            case flow.Enter(procedure):
                params = self.graph.routines[procedure].params
                sets = {step.variable: step.value for step in block.steps if isinstance(step, flow.Set)}
                yield procedure, {param: sets[param] for param in params if param in sets}
            case flow.Decision(offer=ir.OfferActions(alternatives)) | flow.ChanceNode(
                offer=ir.OfferActions(alternatives)
            ):
                for alternative in alternatives:
                    params = self.graph.routines[alternative.action].params
                    given = zip(params, alternative.arguments, strict=True)
                    yield alternative.action, {param: value for param, value in given if value is not None}

    def _call(
        self, changes: Changes, called: str, arguments: Mapping[Variable, Expr], stable: frozenset[Variable]
    ) -> None:
        inner = self.of(called)
        changes.moved |= inner.moved
        changes.places |= inner.places
        changes.drops_out |= inner.drops_out
        for state, indices in inner.states.items():
            for index in (None,) if indices is None else indices:
                changes.change(state, None if index is None else _named(index, arguments, stable))

    def _step(self, changes: Changes, step: flow.Step, stable: frozenset[Variable]) -> None:
        match step:
            case ir.Assign(state, indices):
                changes.change(state, _named(indices, {}, stable))
            case flow.Reset(states):
                for state in states:
                    changes.change(state, None)
            case ir.DropOut():
                changes.drops_out = True
            case ir.Move(cargo, whole, target):
                origin = whole.place if whole is not None else None
                if isinstance(cargo, ir.PlaceRead):
                    origin = cargo.place
                members = set(self.game.places[origin].holds.members) if origin is not None else _members(cargo)
                self._move(changes, members, {target.place} | self._holding(members, origin))
            case ir.MoveSome(kind=kind, origin=from_, target=target):
                self._move(changes, set(kind.members), {from_.place, target.place})

    def _holding(self, members: set[int], origin: str | None) -> set[str]:
        """The places where such pieces may lie; their origin, if that is known."""
        if origin is not None:
            return {origin}
        homes = {self.game.pieces[piece].home for piece in members}
        return homes | {name for name, place in self.game.places.items() if members & set(place.holds.members)}

    def _move(self, changes: Changes, members: set[int], places: set[str]) -> None:
        if BOX in places:
            members = members or {piece.id for piece in self.game.pieces}
        changes.moved |= members
        changes.places |= places
        for name, state in self.game.states.items():
            if state.while_in is not None:
                changes.change(name, None)


def set_in(block: flow.BasicBlock) -> Iterator[Variable]:
    """The variables of the frame that a block and its exit set, but for arguments."""
    for step in block.steps:
        match step:
            case flow.Set(variable) | flow.Take(variable):
                yield variable
            case flow.Pop(variable, rest):
                yield from (variable, rest)
    match block.exit:
        case flow.Decision(offer=offer) | flow.ChanceNode(offer=offer):
            yield from flow.offer_variables(offer)
        case flow.DrawNode(variable=drawn) if drawn is not None:
            yield drawn
        case flow.RollNode(variable=variable) | flow.ThrowNode(variable=variable):
            yield variable
        case flow.Finding(witnesses):
            yield from (binder.variable for binder in witnesses)


def _members(cargo: Expr | None) -> set[int]:
    """The pieces that may be meant."""
    assert cargo is not None
    ty = cargo.type
    while isinstance(ty, types.SetOf | types.Optional):
        ty = ty.of
    assert isinstance(ty, types.Pieces), ty
    return set(ty.members)


def _named(index: Index, arguments: Mapping[Variable, Expr], stable: frozenset[Variable]) -> Index | None:
    """An index by parameters that keep their value; None if it can not be said so."""
    found = tuple(substitute(expr, dict(arguments)) if arguments else expr for expr in index)
    for expr in found:
        if not set(free_variables(expr)) <= stable:
            return None
        if not all(isinstance(node, ir.Local | ir.Const | ir.Apply) for node in walk(expr)):
            return None
    return found


# -------------------------------------------------------------------------------------------------------------- a call


def come_back(run: Run, changes: Changes) -> None:
    """A procedure has been called, with the parameters that are in the frame, and has come back: what it may change is
    anything."""
    world = run.world
    reader = run.reader()
    states = dict(run.position.states)
    for name, indices in changes.states.items():
        if not world.keeps_state(name) or indices == set():
            continue
        try:
            if indices is None:
                raise Unsupported("anywhere")
            family = states[name]
            for index in indices:
                args = reader.indices(index)
                family = family.write(args, world.free(f"{name}.after", world.game.states[name].type, run.told))
            states[name] = family
        except Unsupported:
            states[name] = free_family(world, f"{name}.after", name, run.told)
    run.position = replace(run.position, states=states)
    if changes.drops_out:
        out = tuple(or_(was, flag(world.name("out"))) for was in run.position.out)
        run.position = replace(run.position, out=out)
    if changes.moved and world.keeps_places:
        _move_somehow(run, changes)


def _move_somehow(run: Run, changes: Changes) -> None:
    """Pieces have gone somewhere, between some places."""
    world, old = run.world, run.position.places
    new = anywhere(world, "after", run.told)
    moved = tuple(sorted(changes.moved))

    def lies(at: Args, was: Value) -> Value:
        return choose(among(at[0], moved), new.where.read(at), was)

    where: Family = old.where.change(lies)
    counts = {
        (name, sort): new.counts[name, sort]
        if name in changes.places and changes.moved & set(world.sorts[sort])
        else family
        for (name, sort), family in old.counts.items()
    }
    holder = {
        name: new.holder[name]
        if name in changes.places and changes.moved & set(world.game.places[name].holds.members)
        else family
        for name, family in old.holder.items()
    }
    known = {piece: lay for piece, lay in old.known.items() if piece.is_const and piece.value not in changes.moved}
    run.position = replace(run.position, places=replace(old, where=where, counts=counts, holder=holder, known=known))
