"""Constants worked out before anything is compiled: closed expressions, and defines over few constants as tables.

In: expressions of the core. Out: expressions of the core that mean the same, with more `Const` and `Lookup` in them.

    price(v, c) = .. for n in neighbours(c) ..    becomes    .. for n in =neighbours<c> ..
"""

from __future__ import annotations

from itertools import product
from typing import Any

from seaspec.backends.native.values.facts import Facts
from seaspec.backends.native.values.shapes import is_single
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Const, Expr
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value
from seaspec.core.walk import children, rewrite

MOST_ENTRIES = 4096
"""A define is tabulated if it has at most so many arguments in all,"""
MOST_WORK = 60_000
"""and if at most about so many nodes have to be visited for that;"""
ALL_WORK = 400_000
"""and so many for all tables of a game."""


class Constants:
    """The tables of a game, with those that are made here."""

    def __init__(self, game: ir.Game, facts: Facts) -> None:
        self.game = game
        self.facts = facts
        self.tables = game.tables.copy()
        self._left = ALL_WORK
        self._tabulated: dict[str, Const | str | None] = {}
        self._simple: dict[int, tuple[Expr, Expr]] = {}

    def simplify(self, expr: Expr) -> Expr:
        """The expression with all that is constant worked out."""
        known = self._simple.get(id(expr))
        if known is None:
            known = self._simple[id(expr)] = expr, rewrite(expr, self._change)
            self.facts.learn(known[1])
        return known[1]

    def value(self, expr: Expr, env: dict[ir.Variable, Value]) -> Value:
        """The value of an expression that does not read the position; `NotConstant` if it has none."""
        return evaluate(expr, self.tables, self.game.functions, env)

    def _change(self, node: Any) -> Any:
        match node:
            case ir.Openly(inner):
                return inner
            case ir.Call(_, function, arguments):
                table = self._table(function)
                if isinstance(table, Const):
                    return table
                if table is not None:
                    node = ir.Lookup(node.type, table, arguments)
            case ir.Apply(_, Op.KNOWN, (inner,)) if types.lies_within(inner.type, node.type):
                return inner
            case ir.Apply(_, Op.AND | Op.OR | Op.IMPLIES):
                node = _pruned(node)
            case ir.If(_, Const(_, test), then, otherwise):
                return then if test else otherwise
            case _:  # cautious: it is left as it is
                pass
        return self._folded(node)

    def _folded(self, node: Any) -> Any:
        match node:
            case ir.Apply() | ir.Lookup() | ir.If() | ir.Switch() | ir.LetIn() | ir.Fold() | ir.Select():
                pass
            case ir.Collect() | ir.PickOne() | ir.Call():
                pass
            case _:  # cautious: it is worked out where it stands
                return node
        if self.facts.free(node) or self.facts.reads(node):
            return node
        try:
            return Const(node.type, self.value(node, {}))
        except NotConstant:
            return node

    def _table(self, name: str) -> Const | str | None:
        """The table that stands for a define, or its value if it has but one."""
        if name not in self._tabulated:
            self._tabulated[name] = None
            self._tabulated[name] = self._tabulate(self.game.functions[name])
        return self._tabulated[name]

    def _tabulate(self, function: ir.Function) -> Const | str | None:
        if self.facts.reads(function.body) or function.shrinking is not None or not _can_stand_in_table(function.type):
            return None
        entries = 1
        for param in function.params:
            if not is_single(param.type):
                return None
            entries *= types.size(param.type)
        if entries > MOST_ENTRIES:
            return None
        body = self.simplify(function.body)
        work = entries * _work(body)
        if work > min(MOST_WORK, self._left):
            return None
        self._left -= work
        keys = product(*(tuple(types.values(param.type)) for param in function.params))
        try:
            found = tuple(self.value(body, dict(zip(function.params, key, strict=True))) for key in keys)
        except NotConstant:
            return None
        if len(set(found)) == 1:
            return Const(function.type, found[0])
        name = f"={function.name}"
        self.tables[name] = ir.Table(name, tuple(p.type for p in function.params), function.type, found)
        return name


def _work(node: Any) -> int:
    """About how many nodes are visited when an expression is worked out."""
    inner = sum(map(_work, children(node)))
    for binder in children(node):
        if isinstance(binder, ir.Binder):
            inner *= _members(binder)
    return 1 + inner


def _members(binder: ir.Binder) -> int:
    match binder.domain:
        case Const(_, tuple() as members):
            return len(members)
        case ir.Lookup():
            return 4
        case _:  # cautious: a guess of how much work it is; all work is counted while it is done
            return types.size(binder.variable.type) if is_single(binder.variable.type) else 4


def _can_stand_in_table(ty: Type) -> bool:
    return is_single(ty) or (isinstance(ty, types.SetOf) and is_single(ty.of))


def _pruned(expr: ir.Apply) -> Expr:
    """Without what is known to hold, or not."""
    if expr.op is Op.IMPLIES:
        test, then = expr.arguments
        if isinstance(test, Const):
            return then if test.value else Const(expr.type, True)
        return expr
    keeps = expr.op is Op.AND
    kept: list[Expr] = []
    for argument in expr.arguments:
        if isinstance(argument, Const) and argument.value is keeps:
            continue
        kept.append(argument)
        if isinstance(argument, Const):
            break
    if not kept:
        return Const(expr.type, keeps)
    return kept[0] if len(kept) == 1 else ir.Apply(expr.type, expr.op, tuple(kept))
