"""Symmetries for all positions: the rules commute with the renaming, block by block.

A *position* is here all that a play depends on: the places with the order of what lies in them, the states, who is
out, the frame, where the flow stands. Its image is the same with all values renamed (renaming.py). If at the image of
any position each step does the image of what it does at the position, each test answers the same, the same blocks
follow, the image of who decides is asked, images of options are options and images of outcomes are outcomes of the
same weight, and if nothing has happened is its own image: then the images of the positions of a play are those of
another play, with the images of its answers and outcomes, and its end is the image of the end. As the renaming leads to
each value from one other, it leads to all plays.

So no paths are looked at, and nothing is supposed of positions; whoever has won is known from the end. Texts that are
said are left out: they change no position. What goes through the members of a set one after the other commutes if the
renaming keeps their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import assert_never

from seaspec.analysis.control import reachable, tells_apart
from seaspec.analysis.loops import in_any_order
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, PlaceOrder, Source, Target
from seaspec.core.types import PLAYER, Type
from seaspec.prove.entail import Solver
from seaspec.prove.proof import Proof, Step
from seaspec.prove.relational.commute import Commuting, in_order
from seaspec.sampling.renaming import NoImage
from seaspec.sampling.symmetry import Image

NOT_ITS_OWN = "the beginning is not its own image"
GONE_THROUGH = "what is gone through there may differ in the image"


class Uneven(Exception):
    """Something in the rules is not known to commute with the renaming: what, and where."""

    def __init__(self, what: str, source: Source | None = None) -> None:
        super().__init__(what if source is None else f"{what} ({source.span})")


def mirrored(
    graph: flow.Flow, symmetry: ir.Symmetry, solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> tuple[Proof, list[Step]]:
    """Try to prove a symmetry: what comes out, and what a solver has found to follow for it."""
    name = symmetry.name
    try:
        image = Image(Machine(graph), symmetry)
        rules = _Rules(graph, image, Commuting(graph, image, solve, go_on))
        rules.look()
    except (Uneven, NoImage, RuleError) as error:
        return Proof(name, False, str(error)), []
    scripts = rules.reads.twins.scripts(f"{name}: reading and renaming commute")
    return Proof(name, True), [Step(one, name) for one in scripts]


class _Rules:
    """All that the positions of plays are made of, and what they become."""

    def __init__(self, graph: flow.Flow, image: Image, reads: Commuting) -> None:
        self.graph = graph
        self.game = graph.game
        self.image = image
        self.reads = reads
        self.program = image.machine.program

    def look(self) -> None:
        """Nothing, if all commutes; else `Uneven`."""
        for ty, _ in self.image.maps:
            if isinstance(ty, types.Pieces | types.SetOf | types.Map | types.Optional):
                raise Uneven("such a renaming has no proof")
        for ty in self._types():
            self.reads.is_still(ty)  # a type that the renaming leads out of has no image
        for routine in self.graph.routines.values():
            self._needs(self.reads.is_still(routine.back.type), f"a counter of {routine.name} is renamed", None)
        begin = self.image.machine.begin()
        self._beginning(begin)
        for place in self.game.places.values():
            if place.capacity is not None:
                self._number(place.capacity, place.source)
        forgotten = {state.name for state in self.game.states.values() if state.while_in is not None}
        for number in reachable(self.graph, begin.block):
            block = self.graph.blocks[number]
            for step in block.steps:
                if isinstance(step, flow.Reset):
                    forgotten.update(step.states)
                self._step(step, number)
            self._exit(block.exit)
        for name in sorted(forgotten):
            self._first_values(self.game.states[name])

    def _types(self) -> Iterator[Type]:
        """The types of all that positions and answers are made of."""
        yield from (variable.type for variable in self.graph.frame)
        for place in self.game.places.values():
            yield from (place.holds, *(variable.type for variable in place.index))
        for state in self.game.states.values():
            yield from (state.type, *(variable.type for variable in state.index))
        for action in self.game.actions.values():
            yield from (param.variable.type for param in action.params)

    def _beginning(self, begin: State) -> None:
        """Where the first answer or outcome is wanted: this position is its own image."""
        image = self.image.state(begin)
        for variable, slot in self.image.machine.layout.frame.items():
            value = begin.slots[slot]
            if isinstance(variable.type, types.SetOf) and isinstance(value, tuple):
                # perhaps it is gone through in this order
                in_turn = tuple(self.image.value(member, variable.type.of) for member in value)
                self._needs(in_turn == value, NOT_ITS_OWN, None)
        canonical = self.image.machine.canonical  # identical pieces are interchangeable
        self._needs(canonical(image) == canonical(begin), NOT_ITS_OWN, None)

    def _needs(self, holds: bool, what: str, source: Source | None) -> None:
        if holds:
            return
        unsupported = self.reads.twins.unsupported
        if not self.reads.go_on():
            what = "no time left"
        elif unsupported:
            what = f"{what}; no encoding: {unsupported}"
        raise Uneven(what, source)

    def _commutes(self, expr: Expr, source: Source, ty: Type | None = None) -> None:
        self._needs(self.reads.commutes(expr, ty), "what is read there may differ in the image", source)

    def _all(self, exprs: Iterable[Expr], tys: Iterable[Type], source: Source) -> None:
        for expr, ty in zip(exprs, tys, strict=True):
            self._commutes(expr, source, ty)

    def _number(self, expr: Expr, source: Source) -> None:
        """A number that stays what it is."""
        self._commutes(expr, source)
        self._needs(self.reads.is_still(expr.type), "a number there is renamed", source)

    def _binders(self, binders: Iterable[ir.Binder], source: Source) -> None:
        holds = all(map(self.reads.binder, binders))
        self._needs(holds, GONE_THROUGH, source)

    # -------------------------------------------------------------------------------------------- what there is

    def _first_values(self, state: ir.State) -> None:
        tys = [variable.type for variable in state.index]
        first = self.program.compile(state.initial, state.index, "first")
        for key in product(*(tuple(types.values(ty)) for ty in tys)):
            image = tuple(self.reads.renaming.value(value, ty) for value, ty in zip(key, tys, strict=True))
            try:
                values = first(self.program.constants, *key), first(self.program.constants, *image)
            except RuleError:
                raise Uneven(f"the first value of {state.name}", state.source) from None
            alike = self.reads.renaming.value(values[0], state.type) == values[1]
            self._needs(alike, f"the first value of {state.name} may differ in the image", state.source)

    # -------------------------------------------------------------------------------------------------------- steps

    def _step(self, step: flow.Step, block: int) -> None:
        match step:
            case flow.Set(variable, value, source):
                self._commutes(value, source, variable.type)
            case flow.Take():
                self._take(step, block)
            case flow.Pop(variable, rest):
                assert isinstance(rest.type, types.SetOf)
                self._needs(self.reads.fits(rest.type, variable.type), f"{variable.name} is renamed", None)
            case flow.Judge(action, source):
                self._action(action, source)
            case flow.Require(test, _, source):
                self._commutes(test, source)
            case ir.Assign(state, indices, value, source):
                rules = self.game.states[state]
                self._all(indices, (variable.type for variable in rules.index), source)
                self._commutes(value, source, rules.type)
                for bound in rules.bound or ():
                    self._number(bound, rules.source)
                    self._needs(self.reads.is_still(rules.type), f"{state} is renamed", source)
            case ir.Move():
                self._move(step)
            case ir.MoveSome():
                self._move_some(step)
            case ir.Shuffle(place, source):
                self._target(place, source)
            case ir.DropOut(player, source):
                self._commutes(player, source, self.game.types[PLAYER])
            case flow.Begin() | flow.Finish() | flow.Reset() | flow.Veil() | ir.Say() | ir.Show():
                pass
            case _:
                assert_never(step)

    def _take(self, step: flow.Take, block: int) -> None:
        """The members of a set one after the other: the image begins with the image of the first, and so on."""
        variable, source = step.variable, step.source
        self._commutes(step.domain, source)
        self._needs(self.reads.fits(step.domain.type, variable.type), "what is gone through there", source)
        if step.key is not None:
            member, key = step.key
            self._number(key, source)
            self._needs(self.reads.fits(step.domain.type, member.type), "what is gone through there", source)
        if not (in_any_order(self.graph, block, variable) or self._is_in_order(step)):
            raise Uneven(f"{variable.name} may come in another order in the image", source)

    def _is_in_order(self, step: flow.Take) -> bool:
        ty = step.domain.type
        if not isinstance(ty, types.SetOf) or self.reads.commutes(step.domain, in_order(ty, True)):
            return True
        if step.key is not None:
            member, key = step.key
            if tells_apart(key, member):
                return True
        return self.reads.comes_in_order(step.domain, step.key)

    def _target(self, target: Target, source: Source) -> None:
        self._all(target.indices, (variable.type for variable in self.game.places[target.place].index), source)

    def _spot(self, at: Expr | None, source: Source) -> None:
        if at is not None:
            self._number(at, source)

    def _move(self, step: ir.Move) -> None:
        source = step.source
        self._target(step.target, source)
        self._spot(step.at, source)
        target = self.game.places[step.target.place].order
        if step.whole is not None:
            self._target(step.whole, source)
            origin = self.game.places[step.whole.place]
            ordered = target is PlaceOrder.ROW and origin.order not in (PlaceOrder.ROW, PlaceOrder.SLOT)
            keeps_order = not ordered or self.reads.keeps_order(origin.holds)
        else:
            assert step.cargo is not None
            ty = step.cargo.type
            one_by_one = isinstance(ty, types.SetOf) and ty.ordered and target is PlaceOrder.PILE
            self._commutes(step.cargo, source)
            keeps_order = self.reads.commutes(step.cargo, in_order(ty, target is PlaceOrder.ROW or one_by_one))
        self._needs(keeps_order, "pieces may lie there in another order in the image", source)

    def _move_some(self, step: ir.MoveSome) -> None:
        source = step.source
        self._target(step.origin, source)
        self._target(step.target, source)
        self._spot(step.at, source)
        if step.amount is not None:
            self._number(step.amount, source)
        is_in_row = self.game.places[step.target.place].order is PlaceOrder.ROW
        any_order = step.amount is None and not is_in_row
        alike = len({self.game.pieces[piece].twin for piece in step.kind.members}) == 1  # their images are in order
        in_order = any_order or alike or self.reads.keeps_order(step.kind)
        self._needs(in_order, "other pieces may be moved there in the image", source)

    # -------------------------------------------------------------------------------------------------------- exits

    def _exit(self, exit: flow.Exit) -> None:
        match exit:
            case flow.Test(test, _, _, source):
                self._commutes(test, source)
            case flow.Switch(subject, _, _, source):
                self._commutes(subject, source)
                self._needs(self.reads.is_still(subject.type), "the cases are told by what is renamed", source)
            case flow.Finding(witnesses, test, _, _, source):
                self._commutes(test, source)
                self._needs(all(self.reads.binder(binder, ordered=True) for binder in witnesses), GONE_THROUGH, source)
                in_order = all(self.reads.is_still(binder.variable.type) for binder in witnesses)
                self._needs(in_order, "another one may be the first that is found in the image", source)
            case flow.Decision(decider, offer, _, _, _, _, _, _, _, _, source):
                player = self.game.types[PLAYER]
                self._commutes(decider, source, types.Optional(player))
                self._offer(offer, source)
            case flow.ChanceNode(offer, _, _, _, source):
                self._offer(offer, source)
            case flow.DrawNode(origin, to, variable, _, _, source):
                self._target(origin, source)
                self._target(to, source)
                holds = self.game.places[origin.place].holds
                fitting = variable is None or self.reads.fits(holds, variable.type)
                self._needs(fitting, "what is drawn there", source)
            case flow.RollNode(number, _, variable, _, source):
                self._number(number, source)
                self._needs(self.reads.is_still(variable.type), "what is rolled there is renamed", source)
            case flow.ThrowNode(chance, arguments, variable, _, source):
                self._throw(self.game.chances[chance], arguments, variable.type, source)
            case flow.Over(ir.End(_, players, source)):
                if players is not None:
                    self._commutes(players, source, types.SetOf(self.game.types[PLAYER]))
            case flow.Over(ir.Score(_, values, source)):
                for value in values:
                    self._number(value, source)
            case flow.Goto() | flow.Enter() | flow.Return() | flow.Over() | flow.Outside():
                pass
            case _:
                assert_never(exit)

    def _offer(self, offer: flow.AnyOffer, source: Source) -> None:
        match offer:
            case ir.OfferActions(alternatives):
                for alternative in alternatives:
                    self._alternative(alternative, source)
            case ir.OfferValues(binders, weights):
                self._binders(binders, source)
                if weights is not None:
                    self._number(weights, source)
            case ir.OfferSubset(low, high, domain, variable):
                self._number(low, source)
                self._number(high, source)
                self._commutes(domain, source)
                sorted_ = variable.type == in_order(variable.type, False) or self.reads.is_still(variable.type)
                fitting = self.reads.fits(domain.type, variable.type)
                self._needs(fitting and sorted_, "what is chosen there", source)
            case ir.OfferShare(low, high, member, domain, at_most, gift):
                for number in (low, high, *(() if at_most is None else (at_most,))):
                    self._number(number, source)
                self._commutes(domain, source)
                assert isinstance(gift.type, types.Map)
                fitting = self.reads.fits(domain.type, member.type) and gift.type.keys == member.type
                fitting = fitting and self.reads.is_still(gift.type.values)
                self._needs(fitting, "the shares are renamed", source)
            case flow.OfferLines(left, tests, _, line):
                still = self.reads.is_still(left.type) and self.reads.is_still(line.type)
                self._needs(still, "the lines are renamed", source)
                for test in tests:
                    if test is not None:
                        self._commutes(test, source)
            case _:
                assert_never(offer)

    def _alternative(self, alternative: ir.Alternative, source: Source) -> None:
        action = self.game.actions[alternative.action]
        if alternative.loop is not None:
            self._binders((alternative.loop,), source)
        for param, argument in zip(action.params, alternative.arguments, strict=True):
            if argument is not None:
                self._commutes(argument, source, param.variable.type)
        routine = self.graph.routines[action.name]
        same_types = all(a.type == p.variable.type for a, p in zip(routine.params, action.params, strict=True))
        self._needs(same_types, f"the parameters of {action.name}", source)
        self._action(action.name, source)

    def _action(self, name: str, source: Source) -> None:
        action = self.game.actions[name]
        for guard in action.guards:
            for test in (guard.test, *(exception for exception, _ in guard.exceptions)):
                self._needs(
                    self.reads.commutes(test), f"the guard {guard.name} of {name} may differ in the image", guard.source
                )
        self._needs(self.reads.action(action), f"the options of {name} may differ in the image", action.source)

    def _throw(self, rule: ir.ChanceRule, arguments: Iterable[Expr], ty: Type, source: Source) -> None:
        self._all(arguments, (variable.type for variable in rule.params), source)
        for stmt in rule.body:
            match stmt:
                case ir.Roll(number, _, variable, _):
                    self._number(number, rule.source)
                    self._needs(self.reads.is_still(variable.type), "what is rolled there is renamed", rule.source)
                case ir.Let(variable, value, _):
                    self._commutes(value, rule.source, variable.type)
                case _:
                    assert_never(stmt)
        for test in rule.again:
            self._commutes(test, rule.source)
        self._commutes(rule.gives, rule.source, ty)
