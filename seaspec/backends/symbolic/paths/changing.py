"""What procedures may change before they come back: found by looking through them, so that a call can be one step.

A state is changed at certain instances, if they are named by parameters that keep their value, or anywhere. What is
done on the way to the end of the game changes nothing for whoever has called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.analysis.control import onward_within
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import Function, Sort, Term, flag, or_
from seaspec.backends.symbolic.run.anything import free_family
from seaspec.backends.symbolic.run.firsts import first_elsewhere
from seaspec.backends.symbolic.run.moving import NOTHING, Moved, forgetful, moved_by, somewhere_else, together
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.places import Places, anywhere
from seaspec.backends.symbolic.values.position import Args, Family
from seaspec.backends.symbolic.values.sets import Value, choose
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.walk import Node, free_variables, substitute, walk

MOST_INSTANCES = 6
"""A state that is changed at more instances may be changed anywhere."""
MOST_GIVEN = 2
"""A state that is given more constants than this may be given any value."""
Index = tuple[Expr, ...]


@dataclass(eq=False)
class Changes:
    """`states`: at which instances, None: anywhere. `given`: the constants that a state is given, None: any value.
    `moved`: what may move; `carried`: the same of pieces that are
    named by parameters that keep their value."""

    states: dict[str, set[Index] | None] = field(default_factory=dict)
    given: dict[str, set[object] | None] = field(default_factory=dict)
    moved: Moved = NOTHING
    carried: dict[Index, Moved] = field(default_factory=dict)
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

    def give(self, state: str, values: Collection[object] | None) -> None:
        """A state may be given one of these constants; None: any value."""
        known = self.given.setdefault(state, set())
        if known is None:
            return
        if values is None or len(known | set(values)) > MOST_GIVEN:
            self.given[state] = None
        else:
            known.update(values)

    def move(self, piece: Index | None, moved: Moved) -> None:
        """A piece may move that is named so; None: any of these."""
        if piece is None or (piece not in self.carried and len(self.carried) >= MOST_INSTANCES):
            self.moved = together((self.moved, moved))
        else:
            self.carried[piece] = together((self.carried.get(piece, NOTHING), moved))


class Changing:
    """Looks through the procedures of one game."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.game = graph.game
        self._found: dict[str, Changes] = {}
        self._blocks: dict[str, list[int]] = {}
        self._coming: dict[int, list[int]] = {}
        """From which blocks each is come to."""
        for number, block in enumerate(graph.blocks):
            self._blocks.setdefault(block.owner, []).append(number)
            for target in set(flow.targets(block.exit)):
                self._coming.setdefault(target, []).append(number)

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
                for place, step in enumerate(block.steps):
                    origin = self._chosen_in(number, place, step)
                    if origin is None:
                        self._step(changes, step, stable)
                    else:
                        self._move(changes, origin, None)
                for called, arguments in self._calls(block):
                    self._call(changes, called, arguments, stable)
                if isinstance(block.exit, flow.DrawNode):
                    self._move(changes, moved_by(self.game, block.exit), None)
        return self._found[procedure]

    def _chosen_in(self, number: int, place: int, step: flow.Step) -> Moved | None:
        """What a step may move, if that is a piece that has just been chosen from a place: it lies there still."""
        match step:
            case ir.Move(ir.Local(piece), None, target) if isinstance(piece.type, types.Pieces):
                before = self.graph.blocks[number].steps[:place]
            case _:  # cautious: it may lie wherever its type says
                return None
        if any(isinstance(one, ir.Move | ir.MoveSome) or piece in _set_by(one) for one in before):
            return None
        origins = {_domain_of(piece, self.graph.blocks[block].exit, number) for block in self._coming.get(number, ())}
        begins = {self.graph.start, *(routine.entry for routine in self.graph.routines.values())}
        if not origins or None in origins or number in begins:
            return None
        places = frozenset(origin for origin in origins if origin is not None)
        return Moved(frozenset(piece.type.members), places | {target.place})

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
            case (
                flow.Decision(offer=ir.OfferActions(alternatives))
                | flow.ChanceNode(offer=ir.OfferActions(alternatives))
            ):
                for alternative in alternatives:
                    params = self.graph.routines[alternative.action].params
                    given = zip(params, alternative.arguments, strict=True)
                    yield alternative.action, {param: value for param, value in given if value is not None}
            case flow.Decision(launches=launches) | flow.ChanceNode(launches=launches):
                yield from ((launch.action, {}) for launch in launches)
            case (
                flow.Goto() | flow.Test() | flow.Switch() | flow.Return() | flow.Finding() | flow.DrawNode()
                | flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside()
            ):  # fmt: skip
                return
            case exit:
                assert_never(exit)

    def _call(
        self, changes: Changes, called: str, arguments: Mapping[Variable, Expr], stable: frozenset[Variable]
    ) -> None:
        inner = self.of(called)
        changes.move(None, inner.moved)
        for piece, moved in inner.carried.items():
            changes.move(_named(piece, arguments, stable), moved)
        changes.drops_out |= inner.drops_out
        for state, indices in inner.states.items():
            for index in (None,) if indices is None else indices:
                changes.change(state, None if index is None else _named(index, arguments, stable))
            changes.give(state, inner.given.get(state))

    def _step(self, changes: Changes, step: flow.Step, stable: frozenset[Variable]) -> None:
        match step:
            case ir.Assign(state, indices, value):
                changes.change(state, _named(indices, {}, stable))
                changes.give(state, _constant(value))
            case flow.Reset(states):
                for state in states:
                    changes.change(state, None)
                    changes.give(state, _constant(self.game.states[state].initial))
            case ir.DropOut():
                changes.drops_out = True
            case ir.Move(cargo) if cargo is not None and isinstance(cargo.type, types.Pieces):
                self._move(changes, moved_by(self.game, step), _named((cargo,), {}, stable))
            case ir.Move() | ir.MoveSome():
                self._move(changes, moved_by(self.game, step), None)
            case (
                flow.Set() | flow.Take() | flow.Pop() | flow.Begin() | flow.Finish() | flow.Judge() | flow.Require()
                | flow.Veil() | ir.Shuffle() | ir.Say() | ir.Show()
            ):  # fmt: skip
                return
            case _:
                assert_never(step)

    def _move(self, changes: Changes, moved: Moved | None, piece: Index | None) -> None:
        if moved is None:
            return
        changes.move(piece, moved)
        for name in forgetful(self.game, moved):
            changes.change(name, None)
            changes.give(name, _constant(self.game.states[name].initial))


def _constant(value: Expr) -> tuple[object, ...] | None:
    """The value that is given, if it is known before the game."""
    is_plain = isinstance(value, ir.Const) and isinstance(value.value, int | None)
    return (value.value,) if is_plain and isinstance(value, ir.Const) else None


def set_in(block: flow.BasicBlock) -> Iterator[Variable]:
    """The variables of the frame that a block and its exit set, but for arguments."""
    for step in block.steps:
        yield from _set_by(step)
    match block.exit:
        case flow.Decision(offer=offer) | flow.ChanceNode(offer=offer):
            yield from flow.offer_variables(offer)
        case flow.DrawNode(variable=drawn):
            yield from () if drawn is None else (drawn,)
        case flow.RollNode(variable=variable) | flow.ThrowNode(variable=variable):
            yield variable
        case flow.Finding(witnesses):
            yield from (binder.variable for binder in witnesses)
        case flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return() | flow.Over() | flow.Outside():
            return
        case exit:
            assert_never(exit)


def _set_by(step: flow.Step) -> tuple[Variable, ...]:
    """The variables of the frame that a step sets."""
    match step:
        case flow.Set(variable) | flow.Take(variable):
            return (variable,)
        case flow.Pop(variable, rest):
            return variable, rest
        case (
            flow.Begin() | flow.Finish() | flow.Judge() | flow.Reset() | flow.Require() | flow.Veil()
            | ir.Assign() | ir.Move() | ir.MoveSome() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(step)


def _domain_of(piece: Variable, exit: flow.Exit, target: int) -> str | None:
    """The place from which a piece is chosen at an exit, by whoever comes from there to a block; None if there is
    none."""
    match exit:
        case flow.Decision(offer=ir.OfferValues(binders), passing=passing, nothing=nothing):
            others = {passing, nothing}
        case flow.ChanceNode(offer=ir.OfferValues(binders), nothing=nothing):
            others = {nothing}
        case _:  # cautious: it may lie anywhere
            return None
    if exit.target != target or target in others:
        return None
    for binder in binders:
        domain = binder.domain
        while isinstance(domain, ir.Select):
            domain = domain.binder.domain
        if binder.variable == piece and isinstance(domain, ir.PlaceRead):
            return domain.place
    return None


def _named(index: Index, arguments: Mapping[Variable, Expr], stable: frozenset[Variable]) -> Index | None:
    """An index by parameters that keep their value; None if it can not be said so."""
    found = tuple(substitute(expr, dict(arguments)) if arguments else expr for expr in index)
    for expr in found:
        if not set(free_variables(expr)) <= stable:
            return None
        if not all(map(_is_lasting, walk(expr))):
            return None
    return found


def _is_lasting(node: Node) -> bool:
    """Whether a part of an index means the same when the call begins and when something is changed there."""
    match node:
        case ir.Apply(_, op):
            return not op.reads_position
        case _:  # cautious: of what is not listed it is not known
            return isinstance(node, ir.Local | ir.Const)


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
        given = changes.given.get(name)
        ty = world.game.states[name].type
        try:
            if indices is None:
                raise Unsupported("anywhere")
            family = states[name]
            for index in indices:
                args = reader.indices(index)
                if given is None:
                    found = world.free(f"{name}.after", ty, run.told)
                else:
                    found = family.read(args)
                    for constant in sorted(given, key=repr):
                        perhaps = flag(world.name(f"{name}.given"))
                        found = choose(perhaps, world.constant(constant, ty), found)
                family = family.write(args, found)
            states[name] = family
        except Unsupported:
            if given is None:
                states[name] = _some_state(run, name)
            else:
                states[name] = _some_given(run, name, sorted(given, key=repr))
    run.position = replace(run.position, states=states)
    if changes.drops_out:
        out = tuple(or_(was, flag(world.name("out"))) for was in run.position.out)
        run.position = replace(run.position, out=out)
    if (changes.moved.pieces or changes.carried) and world.keeps_places:
        any_of, named = changes.moved, list[tuple[Term, Moved]]()
        for index, moved in changes.carried.items():
            try:
                named.append((reader.number(index[0]), moved))
            except Unsupported:
                any_of = together((any_of, moved))
        after = somewhere_else(run.position.places, _somewhere(run), any_of, named)
        run.position = replace(run.position, places=after)
        run.told += first_elsewhere(world, run.position)


def _some_given(run: Run, name: str, given: Sequence[object]) -> Family:
    """A state that has one of these values at any instance, or keeps the one that it has there."""
    world, family = run.world, run.position.states[name]
    for place, constant in enumerate(given):
        key = _word(run), name, place
        if key not in world.given:
            instances = len(world.states[name].index)
            world.given[key] = Function(world.name(f"{name}.given"), instances, Sort.BOOL)
        perhaps, value = world.given[key], world.constant(constant, world.game.states[name].type)

        def now(at: Args, old: Value, perhaps: Function = perhaps, value: Value = value) -> Value:
            return choose(perhaps(*at), value, old)

        family = family.change(now)
    return family


def _some_state(run: Run, name: str) -> Family:
    """A state with any values: the same on all ways after so many calls."""
    key = _word(run), name
    if key not in run.world.changed:
        told: list[Term] = []
        run.world.changed[key] = free_family(run.world, f"{name}.{key[0]}", name, told), told
    found, told = run.world.changed[key]
    run.told += told
    return found


def _somewhere(run: Run) -> Places:
    """Pieces anywhere: the same on all ways after so many calls."""
    key = _word(run)
    if key not in run.world.moved:
        told: list[Term] = []
        run.world.moved[key] = anywhere(run.world, key, told), told
    found, told = run.world.moved[key]
    run.told += told
    return found


def _word(run: Run) -> str:
    return f"after{len(run.calls) + 1}"
