"""How far a position is from a condition: a number for a truth, 0 where it holds. A search goes where it is small.

Of `a and b` the distances are added, of `a or b` the least one counts; `every x in S: P` adds up over S, `some` takes
the least; a comparison tells how much is missing. What says nothing of how far it is counts 1 where it does not hold.
"p has won" is as far as the nearest end of the game that makes somebody win: the guards of its action, and the tests
round it, with the best values for their names. It is a guess and nothing else: whatever it is, only the order of a
search depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from seaspec.core import ir, types
from seaspec.core.ir import Apply, Const, Expr, Fold, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables, substitute

FAR = types.Int(0, 1_000_000)
DEEP = 12
"""Defines are looked into so deep."""
MOST_VALUES = 200
"""Values that are tried for a name of an ending."""
MOST_NAMES = 2


def distance(game: ir.Game, goal: Expr) -> Expr:
    """An expression for how far it is to a condition; closed, if the condition is."""
    return _Distance(game).to(goal, 0)


def margin(game: ir.Game, needed: Sequence[Expr]) -> Expr:
    """An expression for what there is more than what is needed: the spare in its comparisons, added up."""
    return _sum([spare for test in needed for spare in _Distance(game).spare(test, 0)])


class _Distance:
    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self._to_win: Expr | None = None

    def to(self, test: Expr, depth: int) -> Expr:
        match test:
            case Const(_, value):
                return _number(0 if value else 1)
            case Apply(_, Op.AND, arguments):
                return _sum([self.to(argument, depth) for argument in arguments])
            case Apply(_, Op.OR, arguments):
                return _least([self.to(argument, depth) for argument in arguments])
            case Apply(_, Op.IMPLIES, (premise, conclusion)):
                return ir.If(FAR, premise, self.to(conclusion, depth), _number(0))
            case Apply(_, Op.NOT, (inner,)):
                return self.away_from(inner, depth)
            case Apply(_, Op.HAS_WON, _):
                return ir.If(FAR, test, _number(0), Apply(FAR, Op.ADD, (_number(1), self.to_win())))
            case Apply(_, op, (left, right)) if op in _MISSING and _are_numbers(left, right):
                return _MISSING[op](left, right)
            case Fold(_, FoldKind.EVERY, binders, body):
                return Fold(FAR, FoldKind.SUM, binders, self.to(body, depth))
            case Fold(_, FoldKind.SOME, binders, body):
                return Fold(FAR, FoldKind.LEAST, binders, self.to(body, depth), _number(1))
            case ir.If(_, inner, then, otherwise):
                return ir.If(FAR, inner, self.to(then, depth), self.to(otherwise, depth))
            case ir.LetIn(variable, value, body):
                return ir.LetIn(variable, value, self.to(body, depth))
            case ir.Openly(inner):
                return self.to(inner, depth)
            case ir.Call() if (opened := self._opened(test, depth)) is not None:
                return self.to(opened, depth + 1)
            case _:  # cautious: holds or does not: a distance guides a search, and decides nothing
                return ir.If(FAR, test, _number(0), _number(1))

    def away_from(self, test: Expr, depth: int) -> Expr:
        """How far it is to where a condition does not hold."""
        match test:
            case Const(_, value):
                return _number(1 if value else 0)
            case Apply(_, Op.AND, arguments):
                return _least([self.away_from(argument, depth) for argument in arguments])
            case Apply(_, Op.OR, arguments):
                return _sum([self.away_from(argument, depth) for argument in arguments])
            case Apply(_, Op.IMPLIES, (premise, conclusion)):
                return _sum([self.to(premise, depth), self.away_from(conclusion, depth)])
            case Apply(_, Op.NOT, (inner,)):
                return self.to(inner, depth)
            case Apply(_, op, (left, right)) if op in _OPPOSITE and _are_numbers(left, right):
                return _MISSING[_OPPOSITE[op]](left, right)
            case Fold(_, FoldKind.SOME, binders, body):
                return Fold(FAR, FoldKind.SUM, binders, self.away_from(body, depth))
            case Fold(_, FoldKind.EVERY, binders, body):
                return Fold(FAR, FoldKind.LEAST, binders, self.away_from(body, depth), _number(1))
            case ir.Openly(inner):
                return self.away_from(inner, depth)
            case ir.Call() if (opened := self._opened(test, depth)) is not None:
                return self.away_from(opened, depth + 1)
            case _:  # cautious: holds or does not: a distance guides a search, and decides nothing
                return ir.If(FAR, test, _number(1), _number(0))

    def spare(self, test: Expr, depth: int) -> Iterator[Expr]:
        """How far the comparisons of a condition are from failing; what stands under quantifiers is not looked at."""
        match test:
            case Apply(_, Op.AND, arguments):
                for argument in arguments:
                    yield from self.spare(argument, depth)
            case Apply(_, Op.IMPLIES, (_, conclusion)):
                yield from self.spare(conclusion, depth)
            case Apply(_, op, (left, right)) if op in _OPPOSITE and _are_numbers(left, right):
                yield _MISSING[_OPPOSITE[op]](left, right)
            case ir.Openly(inner):
                yield from self.spare(inner, depth)
            case ir.Call() if (opened := self._opened(test, depth)) is not None:
                yield from self.spare(opened, depth + 1)
            case _:  # cautious: nothing to spare is known: a distance guides a search, and decides nothing
                pass

    def _opened(self, call: ir.Call, depth: int) -> Expr | None:
        """The body of a define with the arguments filled in, if it may be looked into."""
        function = self.game.functions.get(call.function)
        if function is None or function.shrinking is not None or depth >= DEEP:
            return None
        return substitute(function.body, dict(zip(function.params, call.arguments, strict=True)))

    def to_win(self) -> Expr:
        """How far it is to the nearest end that makes somebody win."""
        if self._to_win is None:
            self._to_win = _number(0)  # what asks, on the way to a win, who has won
            ways = [self._along(tests) for tests in _ways(self.game, _makes_win)]
            self._to_win = _least(ways) if ways else _number(0)
        return self._to_win

    def _along(self, tests: Sequence[Expr]) -> Expr:
        """How far it is until all of this holds, for the values of its names that are best."""
        few, binders = _few(tests)
        found = _sum([self.to(test, 0) for test in few])
        return Fold(FAR, FoldKind.LEAST, binders, found, _number(0)) if binders else found


def way_to(game: ir.Game, action: str | None, ending: ir.Source | None, guard: ir.Guard | None = None) -> Expr:
    """What is so, as far as one sees, where an action may be taken, or the game ends at a place of the text. `guard`:
    where this guard of the action forbids it."""
    if action is not None:
        ways = [_before_action(game.actions[action], guard)]
    else:
        ways = [*_ways(game, lambda statement: isinstance(statement, ir.End | ir.Score) and statement.source == ending)]
    found = []
    for tests in ways:
        few, binders = _few(tests)
        held = Apply(types.Bool(), Op.AND, tuple(few)) if len(few) > 1 else few[0] if few else Const(types.Bool(), True)
        found.append(Fold(types.Bool(), FoldKind.SOME, binders, held) if binders else held)
    if len(found) < 2:
        return found[0] if found else Const(types.Bool(), False)
    return Apply(types.Bool(), Op.OR, tuple(found))


def _few(tests: Sequence[Expr]) -> tuple[list[Expr], tuple[ir.Binder, ...]]:
    """Those tests whose names can be tried, and all values of these names."""
    few: list[Expr] = []
    names: list[Variable] = []
    for test in tests:
        free = [variable for variable in free_variables(test) if variable not in names]
        if len(names) + len(free) <= MOST_NAMES and all(is_small(variable.type) for variable in free):
            few.append(test)
            names += free
    return few, tuple(ir.Binder(n, Const(types.SetOf(n.type), tuple(types.values(n.type)))) for n in names)


def _before_action(action: ir.Action, forbids: ir.Guard | None = None) -> list[Expr]:
    """What stands before an action: there are arguments for it, and no guard forbids it; or this one does."""
    before: list[Expr] = []
    for param in action.params:
        if param.domain is not None and isinstance(param.domain.type, types.SetOf):
            before.append(Apply(types.Bool(), Op.MORE, (Apply(FAR, Op.SIZE, (param.domain,)), _number(0))))
    if forbids is not None:
        return [*before, Apply(types.Bool(), Op.NOT, (forbids.test,))]
    return before + [guard.test for guard in action.guards if not guard.exceptions]


IsGoal = Callable[[ir.Stmt], bool]


def _makes_win(statement: ir.Stmt) -> bool:
    return isinstance(statement, ir.End) and statement.outcome is ir.Outcome.WIN


def _ways(game: ir.Game, is_goal: IsGoal) -> Iterator[list[Expr]]:
    """For each statement that is a goal: the tests that stand before it."""
    for procedure in game.procedures.values():
        action = game.actions.get(procedure.name)
        before = [] if action is None else _before_action(action)
        for body in (procedure.before, procedure.body, procedure.after):
            yield from _goals(body, before, is_goal)
    for whenever in game.whenevers:
        domains = tuple(whenever.witnesses)
        test = Fold(types.Bool(), FoldKind.SOME, domains, whenever.test) if domains else whenever.test
        yield from _goals(whenever.body, [test], is_goal)


def _goals(body: Sequence[ir.Stmt], before: list[Expr], is_goal: IsGoal) -> Iterator[list[Expr]]:
    for statement in body:
        if is_goal(statement):
            yield before
        match statement:
            case ir.Branch(test, then, otherwise):
                yield from _goals(then, [*before, test], is_goal)
                yield from _goals(otherwise, [*before, Apply(types.Bool(), Op.NOT, (test,))], is_goal)
            case ir.ForEach(test=test, body=inner):
                yield from _goals(inner, before if test is None else [*before, test], is_goal)
            case ir.Repeat(body=inner) | ir.AllAtOnce(body=inner):
                yield from _goals(inner, before, is_goal)
            case ir.Choose(body=inner, otherwise=nothing):
                yield from _goals(inner, before, is_goal)
                yield from _goals(nothing or (), before, is_goal)
            case (
                ir.Do() | ir.Let() | ir.Assign() | ir.Move() | ir.MoveSome() | ir.Draw() | ir.Shuffle() | ir.Roll()
                | ir.Throw() | ir.Stop() | ir.Say() | ir.Show() | ir.End() | ir.Score() | ir.DropOut() | ir.Cases()
                | ir.AnyOrder()
            ):  # fmt: skip
                pass
            case _:
                assert_never(statement)


def _number(value: int) -> Expr:
    return Const(types.Int(value, value), value)


def _sum(parts: Sequence[Expr]) -> Expr:
    found = parts[0] if parts else _number(0)
    for part in parts[1:]:
        found = Apply(FAR, Op.ADD, (found, part))
    return found


def _least(parts: Sequence[Expr]) -> Expr:
    return parts[0] if len(parts) == 1 else Apply(FAR, Op.MIN, tuple(parts))


def is_small(ty: types.Type) -> bool:
    return not isinstance(ty, types.SetOf | types.Map | types.Fraction) and types.size(ty) <= MOST_VALUES


def _are_numbers(left: Expr, right: Expr) -> bool:
    return isinstance(left.type, types.Int) and isinstance(right.type, types.Int)


def _above(left: Expr, right: Expr, least: int) -> Expr:
    """How much is missing until left is at least so much above right."""
    gap = Apply(FAR, Op.SUBTRACT, (right, left))
    return Apply(FAR, Op.MAX, (_number(0), Apply(FAR, Op.ADD, (gap, _number(least)))))


_MISSING: dict[Op, Callable[[Expr, Expr], Expr]] = {
    Op.EQUAL: lambda left, right: Apply(FAR, Op.ABS, (Apply(FAR, Op.SUBTRACT, (left, right)),)),
    Op.UNEQUAL: lambda left, right: ir.If(FAR, Apply(types.Bool(), Op.EQUAL, (left, right)), _number(1), _number(0)),
    Op.MORE: lambda left, right: _above(left, right, 1),
    Op.AT_LEAST: lambda left, right: _above(left, right, 0),
    Op.LESS: lambda left, right: _above(right, left, 1),
    Op.AT_MOST: lambda left, right: _above(right, left, 0),
}
"""How far apart two numbers are from comparing so."""
_OPPOSITE = {
    Op.EQUAL: Op.UNEQUAL,
    Op.UNEQUAL: Op.EQUAL,
    Op.MORE: Op.AT_MOST,
    Op.AT_MOST: Op.MORE,
    Op.LESS: Op.AT_LEAST,
    Op.AT_LEAST: Op.LESS,
}
