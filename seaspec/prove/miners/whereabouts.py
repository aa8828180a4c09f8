"""Which kinds of pieces may lie where, block by block: a rough look at where the rules move them.

Nothing is proved here, and nothing rests on it: it tells which facts are worth trying. Calls are told apart by where
they come back to; instances of a place are not told apart, nor is it known who moves what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from seaspec.core import flow, ir, types
from seaspec.core.ir import Variable
from seaspec.core.ops import Op
from seaspec.core.walk import children

MOST_VISITS = 40_000
"""So many times a block is looked at, all in all; if that is not enough, calls are not told apart."""


@dataclass(frozen=True, slots=True)
class Lies:
    """A piece of a kind may lie in a place. `drawn`: it is the one that this variable stands for."""

    kind: str
    place: str
    drawn: Variable | None = None


Stack = tuple[tuple[str, int], ...]
"""The procedures that run, each with where it comes back to."""
Where = frozenset[Lies]


class Lying:
    """Follows the pieces of a game through its rules."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.game = graph.game
        self.places = self.game.places
        self.kind_of = {piece.id: piece.kinds[0] for piece in self.game.pieces}
        self.all_of: dict[str, set[int]] = {}
        for piece, kind in self.kind_of.items():
            self.all_of.setdefault(kind, set()).add(piece)
        self.named: dict[Variable, frozenset[str]] = {}
        """The kinds of what a variable may stand for."""
        self.roots = _roots(graph)
        self.at: dict[tuple[int, Stack], Where] = {}
        self.by_block: dict[int, dict[frozenset[tuple[str, object]], Where]] = {}
        for told_apart in (True, False):
            if self._follow(told_apart):
                break
        for (block, stack), here in self.at.items():
            self.by_block.setdefault(block, {})[frozenset(stack)] = here  # none runs twice: a stack, whatever its order

    def may_lie(self, block: int, running: Mapping[str, object] | None = None) -> frozenset[tuple[str, str]]:
        """The kinds that may lie in places where a block begins. `running`: the procedures that run, and where they
        come back to, if all are known."""
        runs = self.by_block.get(block, {})
        known = None if running is None else runs.get(frozenset(running.items()))
        every = (lies for here in runs.values() for lies in here) if known is None else known
        return frozenset((lies.kind, lies.place) for lies in every)

    def _follow(self, told_apart: bool) -> bool:
        """Go through the rules until nothing more is found; False: that takes too long."""
        self.at = {}
        self.named = {}
        homes = frozenset(Lies(piece.kinds[0], piece.home) for piece in self.game.pieces)
        visits = 0
        known = -1
        while known != sum(map(len, self.named.values())):  # what names stand for is known only afterwards
            known = sum(map(len, self.named.values()))
            begin: tuple[int, Stack] = (self.graph.start, ())
            self.at[begin] = homes
            waiting = dict.fromkeys(self.at)
            while waiting:
                block, stack = key = next(iter(waiting))
                del waiting[key]
                visits += 1
                if visits > MOST_VISITS and told_apart:
                    return False
                for there, after, now in self._onward(block, stack if told_apart else (), self.at[key]):
                    target = there, after if told_apart else ()
                    before = self.at.get(target)
                    if before is None or not now <= before:
                        self.at[target] = now if before is None else before | now
                        waiting[target] = None
        return True

    # ------------------------------------------------------------------------------------------------ the rules

    def _onward(self, block: int, stack: Stack, here: Where) -> Iterator[tuple[int, Stack, Where]]:
        for step in self.graph.blocks[block].steps:
            here = self._after(step, here)
        match exit := self.graph.blocks[block].exit:
            case flow.Enter(procedure, back, target):
                yield target, (*stack, (procedure, back)), here
            case flow.Return(procedure, targets):
                backs = [back for name, back in stack if name == procedure]
                left = tuple(one for one in stack if one[0] != procedure)
                yield from ((targets[back], left, here) for back in backs or range(len(targets)))
            case flow.Test(test, then, otherwise):
                yield then, stack, self._if(test, True, here)
                yield otherwise, stack, self._if(test, False, here)
            case flow.DrawNode(origin, to, variable, target, nothing):
                held = {self.kind_of[piece] for piece in self.places[to.place].holds.members}
                drawn = self._in(origin.place, here) & held
                if variable is not None:
                    self._name(variable, drawn)
                    variable = self.roots.get(variable, variable)
                yield target, stack, here | {Lies(kind, to.place, variable) for kind in drawn}
                if nothing is not None:
                    yield nothing, stack, self._emptied(origin.place, drawn, here)
            case flow.Decision() | flow.ChanceNode():
                if isinstance(exit.offer, ir.OfferActions):  # cautious: of other offers nothing is named
                    self._offered(exit.offer, here)
                elif isinstance(exit.offer, ir.OfferValues):
                    for binder in exit.offer.binders:
                        self._name(binder.variable, self._kinds(binder.domain, here))
                elif isinstance(exit.offer, ir.OfferSubset):
                    self._name(exit.offer.variable, self._kinds(exit.offer.domain, here))
                for launch in exit.launches:
                    yield launch.target, (*stack, (launch.action, launch.back)), here
                passing = exit.passing if isinstance(exit, flow.Decision) else None
                yield from ((there, stack, here) for there in (exit.target, passing, exit.nothing) if there is not None)
            case (
                flow.Goto() | flow.Switch() | flow.Finding() | flow.RollNode() | flow.ThrowNode() | flow.Over()
                | flow.Outside()
            ):  # fmt: skip
                if isinstance(exit, flow.Finding):
                    for binder in exit.witnesses:
                        self._name(binder.variable, self._kinds(binder.domain, here))
                yield from ((there, stack, here) for there in flow.targets(exit))
            case never:
                assert_never(never)

    def _offered(self, offer: ir.OfferActions, here: Where) -> None:
        for alternative in offer.alternatives:
            if alternative.loop is not None:
                self._name(alternative.loop.variable, self._kinds(alternative.loop.domain, here))
            params = self.game.actions[alternative.action].params
            names = self.graph.routines[alternative.action].params
            for param, name, given in zip(params, names, alternative.arguments, strict=True):
                domain = given if given is not None else param.domain
                for variable in (param.variable, name):
                    kinds = self._of_type(variable.type) if domain is None else self._kinds(domain, here)
                    self._name(variable, kinds)

    def _after(self, step: flow.Step, here: Where) -> Where:
        match step:
            case flow.Set(variable, value) | flow.Take(variable, value):
                self._name(variable, self._kinds(value, here))
                if variable not in self.roots:  # what it stood for lies where it lay
                    here = frozenset(Lies(one.kind, one.place) if one.drawn is variable else one for one in here)
            case flow.Pop(variable, rest):
                self._name(variable, self.named.get(rest, frozenset()))
            case ir.Move(cargo, whole, target):
                origin = whole.place if whole is not None else cargo.place if isinstance(cargo, ir.PlaceRead) else None
                if origin is not None:
                    kinds = self._in(origin, here)
                    here = self._emptied(origin, kinds, here)
                else:
                    assert cargo is not None
                    kinds = self._kinds(cargo, here) & {lies.kind for lies in here}
                    while isinstance(cargo, ir.Apply) and len(cargo.arguments) == 1:
                        (cargo,) = cargo.arguments
                    if isinstance(cargo, ir.Local):
                        root = self.roots.get(cargo.variable, cargo.variable)
                        here = frozenset(lies for lies in here if lies.drawn is not root)
                here |= self._laid(kinds, target.place)
            case ir.MoveSome(amount, _, kind, origin_, target):
                kinds = self._kinds_of(kind.members) & self._in(origin_.place, here)
                if amount is None:
                    here = self._emptied(origin_.place, [k for k in kinds if self.all_of[k] <= {*kind.members}], here)
                here |= self._laid(kinds, target.place)
            case (
                flow.Begin() | flow.Finish() | flow.Judge() | flow.Reset() | flow.Require() | flow.Veil()
                | ir.Assign() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut()
            ):  # fmt: skip
                pass
            case _:
                assert_never(step)
        return here

    def _laid(self, kinds: Iterable[str], place: str) -> Where:
        held = self._kinds_of(self.places[place].holds.members)
        return frozenset(Lies(kind, place) for kind in kinds if kind in held)

    def _emptied(self, place: str, kinds: Iterable[str], here: Where) -> Where:
        """None of these kinds lies in a place, if there is one of it only."""
        if self.places[place].index:
            return here
        return here - {lies for lies in here if lies.place == place and lies.kind in kinds}

    def _if(self, test: ir.Expr, holds: bool, here: Where) -> Where:
        match test:
            case ir.Apply(_, Op.NOT, (inner,)):
                return self._if(inner, not holds, here)
            case ir.Apply(_, Op.AND | Op.OR as op, parts) if (op is Op.AND) is holds:
                for part in parts:
                    here = self._if(part, holds, here)
            case ir.Apply(_, op, (ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place),)), ir.Const(_, 0))):
                if (op is Op.EQUAL and holds) or (op in (Op.MORE, Op.UNEQUAL) and not holds):
                    here = self._emptied(place, self._in(place, here), here)
            case ir.Apply(_, Op.IN, (ir.Local(variable), ir.Const(_, tuple() as members))):
                root = self.roots.get(variable, variable)
                named = {kind for kind, pieces in self.all_of.items() if pieces & {*members}}
                whole = {kind for kind in named if self.all_of[kind] <= {*members}}
                gone = {*self.all_of} - named if holds else whole
                here = frozenset(lies for lies in here if lies.drawn is not root or lies.kind not in gone)
            case _:  # cautious: the test tells nothing of where pieces lie
                pass
        return here

    # --------------------------------------------------------------------------------------------- what is meant

    def _in(self, place: str, here: Where) -> frozenset[str]:
        return frozenset(lies.kind for lies in here if lies.place == place)

    def _name(self, variable: Variable, kinds: Iterable[str]) -> None:
        self.named[variable] = self.named.get(variable, frozenset()).union(kinds)

    def _kinds_of(self, pieces: Iterable[int]) -> frozenset[str]:
        return frozenset(self.kind_of[piece] for piece in pieces)

    def _of_type(self, ty: types.Type) -> frozenset[str]:
        while isinstance(ty, types.SetOf | types.Optional):
            ty = ty.of
        return self._kinds_of(ty.members) if isinstance(ty, types.Pieces) else frozenset()

    def _kinds(self, expr: ir.Expr, here: Where) -> frozenset[str]:
        """The kinds of the pieces that are meant."""
        kinds = self._of_type(expr.type)
        if not kinds:
            return kinds
        match expr:
            case ir.Const(_, value):
                members = value if isinstance(value, tuple) else () if value is None else (value,)
                return self._kinds_of(piece for piece in members if isinstance(piece, int))
            case ir.Local(variable):
                return kinds & self.named.get(variable, frozenset())
            case ir.PlaceRead(_, place) | ir.Everywhere(_, place):
                return kinds & self._in(place, here)
            case ir.Select(_, binder) | ir.PickOne(_, _, binder, None):
                found = kinds & self._kinds(binder.domain, here)
                self._name(binder.variable, found)
                return found
            case ir.Apply(_, Op.DIFFERENCE, (first, _)):
                return kinds & self._kinds(first, here)
            case ir.Call(_, function, arguments):
                called = self.game.functions[function]
                if called.shrinking is not None:
                    return kinds
                for param, argument in zip(called.params, arguments, strict=True):
                    self._name(param, self._kinds(argument, here))
                return kinds & self._kinds(called.body, here)
            case ir.Apply() | ir.If():
                parts = [part for part in children(expr) if self._of_type(getattr(part, "type", expr.type))]
                return kinds & frozenset[str]().union(*(self._kinds(part, here) for part in parts))
            case _:  # cautious: any kind of its type
                return kinds


def _roots(graph: flow.Flow) -> dict[Variable, Variable]:
    """Parameters that always stand for what one other variable stands for: for which."""
    given: dict[Variable, set[Variable | None]] = {}
    for block in graph.blocks:
        for step in block.steps:
            if isinstance(step, flow.Set):
                value = step.value.variable if isinstance(step.value, ir.Local) else None
                given.setdefault(step.variable, set()).add(value)
    first = {variable: next(iter(values)) for variable, values in given.items() if len(values) == 1}
    found: dict[Variable, Variable] = {}
    for variable in first:
        root = variable
        while (before := first.get(root)) is not None:
            root = before
        if root is not variable:
            found[variable] = root
    return found
