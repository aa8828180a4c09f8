"""Whether a player sees all that an expression reads, as a test that can be asked of a position.

What the interpreter finds out at one position (backends/interpreter/why.py, `Eyes`), said beforehand for all of them.
The player hears what is asked `openly`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seaspec.core import ir, types
from seaspec.core.ir import Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import children, free_variables, substitute

SEEN = ir.Const(types.Bool(), True)
UNSEEN = ir.Const(types.Bool(), False)


def seen_by(game: ir.Game, nodes: Sequence[object], names: Sequence[Variable], seat: Variable) -> Expr:
    """A test over the names and the seat."""
    tests = dict.fromkeys(_Eyes(game, seat, []).tests(tuple(nodes), frozenset(names)))
    if UNSEEN in tests:
        return UNSEEN
    return ir.Apply(types.Bool(), Op.AND, tuple(tests)) if len(tests) > 1 else next(iter(tests), SEEN)


class _Eyes:
    def __init__(self, game: ir.Game, seat: Variable, within: list[object]) -> None:
        self.game = game
        self.seat = seat
        self.within = within
        """The defines that are being looked into."""

    def tests(self, node: object, known: frozenset[Variable]) -> Iterator[Expr]:
        """What has to hold. `known`: the names that have a value."""
        game = self.game
        match node:
            case None | ir.Source() | ir.Openly():
                return
            case tuple() | list():
                for part in node:
                    yield from self.tests(part, known)
            case ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place, indices),)) if not game.places[place].uncounted:
                yield from self.tests(indices, known)
            case ir.Apply(_, Op.SPOT):
                rows = [place for place in game.places.values() if place.order is PlaceOrder.ROW]
                if not all(row.sight.all for row in rows):
                    yield UNSEEN
                yield from self.tests(tuple(children(node)), known)
            case ir.StateRead(_, name, indices):
                yield from self._instance(game.states[name], indices, known)
                yield from self.tests(indices, known)
            case ir.PlaceRead(_, name, indices):
                yield from self._instance(game.places[name], indices, known)
                yield from self.tests(indices, known)
            case ir.Everywhere(_, name) | ir.WhereIs(_, name):
                yield from self._all(game.places[name])
                yield from self.tests(tuple(children(node)), known)
            case ir.Call(_, name, arguments):
                yield from self.tests(arguments, known)
                yield from self._body(name, arguments, known)
            case ir.Can(_, name):
                yield from self.tests(tuple(children(node)), known)
                action = game.actions[name]
                tests = [(param.domain, param.test) for param in action.params]
                guards = [(guard.test, *(test for test, _ in guard.exceptions)) for guard in action.guards]
                yield from self.tests((tests, guards), frozenset())
            case _:  # cautious: it is seen if all its parts are
                yield from self.tests(tuple(children(node)), known)

    def _body(self, name: str, arguments: Sequence[Expr], known: frozenset[Variable]) -> Iterator[Expr]:
        """What is read where a define is worked out; of one that calls itself alike, once."""
        function = self.game.functions[name]
        pairs = zip(function.params, arguments, strict=True)
        given = {variable: argument for variable, argument in pairs if set(free_variables(argument)) <= known}
        call = name, tuple(given.items())
        if call in self.within or sum(other[0] == name for other in self.within if isinstance(other, tuple)) > 1:
            return
        self.within.append(call)
        yield from self.tests(substitute(function.body, given), known)
        self.within.pop()

    def _instance(
        self, thing: ir.Place | ir.State, indices: Sequence[Expr], known: frozenset[Variable]
    ) -> Iterator[Expr]:
        """An entry is seen; if it is not known which one, all of them are."""
        if thing.sight.all:
            return
        if thing.sight.by is None or not all(set(free_variables(index)) <= known for index in indices):
            yield from self._all(thing)
            return
        yield self._among(substitute(thing.sight.by, dict(zip(thing.index, indices, strict=True))))

    def _all(self, thing: ir.Place | ir.State) -> Iterator[Expr]:
        if thing.sight.all:
            return
        if thing.sight.by is None:
            yield UNSEEN
            return
        if not thing.index:
            yield self._among(thing.sight.by)
            return
        binders = []
        for variable in thing.index:
            everything = ir.Const(types.SetOf(variable.type), tuple(types.values(variable.type)))
            binders.append(ir.Binder(variable, everything, None, False))
        yield ir.Fold(types.Bool(), FoldKind.EVERY, tuple(binders), self._among(thing.sight.by), None)

    def _among(self, seers: Expr) -> Expr:
        op = Op.IN if isinstance(seers.type, types.SetOf) else Op.EQUAL
        return ir.Apply(types.Bool(), op, (ir.Local(self.seat), seers))
