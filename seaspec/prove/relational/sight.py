"""Whether an expression plainly reads only what a player sees: then it has the same value at positions that look alike.

What all see is seen, and how many pieces lie in a place, unless it is uncounted; of what is `seen by p`, the instances
whose index says the player: by a name that stands for this player, here or where a define or an action is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from seaspec.core import flow, ir
from seaspec.core.ir import BOX, Binder, Expr, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import children, free_variables


class Seeing:
    """Looks through the expressions of one game. `same`: states that are the same in any case."""

    def __init__(self, game: ir.Game, same: frozenset[str]) -> None:
        self.game = game
        self.same = same
        self._called: dict[tuple[str, frozenset[Variable]], bool] = {}

    def sees_all(self, node: object, own: frozenset[Variable]) -> bool:
        """Whether a player sees all that is read there. `own`: names that stand for this player."""
        match node:
            case ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place, indices),)) if not self.game.places[place].uncounted:
                return self._all(indices, own)
            case ir.Apply(_, Op.SPOT):
                rows = [place for place in self.game.places.values() if place.order is ir.PlaceOrder.ROW]
                return all(place.sight.all for place in rows) and self._all(children(node), own)
            case ir.PlaceRead(_, name, indices):
                return self._is_seen(self.game.places[name], indices, own) and self._all(indices, own)
            case ir.StateRead(_, name, indices):
                seen = name in self.same or self._is_seen(self.game.states[name], indices, own)
                return seen and self._all(indices, own)
            case ir.Everywhere(_, place) | ir.WhereIs(_, place):
                is_open = place != BOX and self.game.places[place].sight.all
                return is_open and self._all(children(node), own)
            case ir.LetIn(variable, value, body):
                mine = own | {variable} if self._is_own(value, own) else own
                return self.sees_all(value, own) and self.sees_all(body, mine)
            case ir.Call(_, name, arguments):
                function = self.game.functions[name]
                mine = self._given(function.params, arguments, own)
                return self._all(arguments, own) and self._sees_within(f"define {name}", (function.body,), mine)
            case ir.Can(_, name, arguments):
                given = self._all((argument for argument in arguments if argument is not None), own)
                return given and self.sees_options(self.game.actions[name], arguments, own)
            case ir.Asked() | ir.Odds() | ir.Old():
                return False
            case (
                ir.Const() | ir.Local() | ir.Lookup() | ir.Apply() | ir.If() | ir.Switch() | ir.Fold() | ir.Select()
                | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Ways() | ir.Openly() | ir.Binder() | ir.Alternative()
            ):  # fmt: skip
                return self._all(children(node), own)  # names have the same values at both positions
            case _:  # cautious: not known to be seen
                return False

    def sees_whether(self, offer: flow.AnyOffer) -> bool:
        """Whether all players see if there is anything to choose: how many pieces lie somewhere is enough."""
        nobody: frozenset[Variable] = frozenset()
        match offer:
            case ir.OfferActions(alternatives):
                return all(map(self._sees_some, alternatives))
            case ir.OfferValues(binders):
                return self._finds_some(binders, ())
            case ir.OfferSubset(low, high, domain):
                return self._all((low, high), nobody) and (self.sees_all(domain, nobody) or self._is_counted(domain))
            case ir.OfferShare():
                return self._all(children(offer), nobody)
            case flow.OfferLines(_, tests):
                return self._all((test for test in tests if test is not None), nobody)
            case _:
                assert_never(offer)

    def _sees_some(self, alternative: ir.Alternative) -> bool:
        action = self.game.actions[alternative.action]
        loop = () if alternative.loop is None else (alternative.loop,)
        given = [argument for argument in alternative.arguments if argument is not None]
        free = []
        tests: list[Expr] = []
        for param, argument in zip(action.params, alternative.arguments, strict=True):
            if argument is None and param.domain is not None:
                free.append(Binder(param.variable, param.domain, param.test))
            else:
                tests += [part for part in (param.domain, param.test) if part is not None]
        for guard in action.guards:
            tests += [guard.test, *(test for test, _ in guard.exceptions)]
        return self._all((*loop, *given), frozenset()) and self._finds_some(free, tests)

    def _finds_some(self, binders: Sequence[Binder], tests: Sequence[Expr]) -> bool:
        """Whether all see if there are values for which tests hold: nothing is asked of those that are not seen."""
        nobody: frozenset[Variable] = frozenset()
        unseen = {binder.variable for binder in binders if not self.sees_all(binder.domain, nobody)}
        parts = [*tests, *(binder.test for binder in binders if binder.test is not None)]
        parts += [binder.domain for binder in binders if binder.variable not in unseen]
        counted = all(self._is_counted(binder.domain) for binder in binders if binder.variable in unseen)
        return counted and not unseen & set(free_variables(*parts)) and self._all(parts, nobody)

    def _is_counted(self, domain: Expr) -> bool:
        """Whether all know how many members it has, though perhaps not which."""
        match domain:
            case ir.PlaceRead(_, place, indices):
                return not self.game.places[place].uncounted and self._all(indices, frozenset())
            case _:  # cautious: not known to be counted
                return False

    def sees_options(self, action: ir.Action, arguments: Sequence[Expr | None], own: frozenset[Variable]) -> bool:
        """Whether a player sees all that the options of an action depend on."""
        mine = self._given([param.variable for param in action.params], arguments, own)
        parts: list[object] = []
        for param in action.params:
            parts += [part for part in (param.domain, param.test) if part is not None]
        for guard in action.guards:
            parts += [guard.test, *(test for test, _ in guard.exceptions)]
        return self._sees_within(f"action {action.name}", parts, mine)

    def _sees_within(self, name: str, parts: Iterable[object], own: frozenset[Variable]) -> bool:
        key = (name, own)
        if key not in self._called:
            before = set(self._called)
            self._called[key] = True  # a call of itself adds nothing
            if not self._all(parts, own):
                for other in set(self._called) - before:
                    del self._called[other]  # some may have been judged by what is not so
                self._called[key] = False
        return self._called[key]

    def _given(
        self, params: Iterable[Variable], arguments: Iterable[Expr | None], own: frozenset[Variable]
    ) -> frozenset[Variable]:
        """The parameters that stand for the player."""
        pairs = zip(params, arguments, strict=True)
        return frozenset(param for param, argument in pairs if argument is not None and self._is_own(argument, own))

    def _is_own(self, expr: Expr, own: frozenset[Variable]) -> bool:
        if isinstance(expr, ir.Apply) and expr.op in (Op.KNOWN, Op.CHECK):
            return self._is_own(expr.arguments[0], own)
        return isinstance(expr, ir.Local) and expr.variable in own

    def _is_seen(self, thing: ir.Place | ir.State, indices: Sequence[Expr], own: frozenset[Variable]) -> bool:
        by = thing.sight.by
        if thing.sight.all or thing.name == BOX:
            return thing.name != BOX
        if not isinstance(by, ir.Local):
            return False
        return any(by.variable is v and self._is_own(i, own) for v, i in zip(thing.index, indices, strict=True))

    def _all(self, nodes: Iterable[object], own: frozenset[Variable]) -> bool:
        return all(self.sees_all(node, own) for node in nodes)
