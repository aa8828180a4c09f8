"""Between which numbers an expression lies at any position: found from its text, where it can not be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seaspec.core import ir, types
from seaspec.core.ir import Expr
from seaspec.core.ops import Op


def narrowed(game: ir.Game, expr: Expr) -> types.Type:
    """The type of an expression; of a number, a narrower one if its text, with the defines that it calls, says so."""
    if not isinstance(expr.type, types.Int):
        return expr.type
    low, high = _bounds(game, expr)
    return types.Int(max(low, expr.type.low), min(high, expr.type.high))


def _bounds(game: ir.Game, expr: Expr) -> tuple[int, int]:
    def inner(part: Expr) -> tuple[int, int]:
        found = narrowed(game, part)
        assert isinstance(found, types.Int)
        return found.low, found.high

    match expr:
        case ir.Const(_, int() as value):
            return value, value
        case ir.Call(_, name) if game.functions[name].shrinking is None and _is_number(game.functions[name].body):
            return inner(game.functions[name].body)
        case ir.LetIn(_, _, body) | ir.Apply(_, Op.CHECK, (body,)) if _is_number(body):
            return inner(body)
        case ir.If(_, _, then, otherwise) if _is_number(then) and _is_number(otherwise):
            (a, b), (c, d) = inner(then), inner(otherwise)
            return min(a, c), max(b, d)
        case ir.Apply(_, op, (first, *rest)) if op in _SPANS and all(map(_is_number, expr.arguments)):
            low, high = inner(first)
            for part in rest:
                a, b = inner(part)
                low, high = _SPANS[op](low, high, a, b)
            return low, high
        case _:  # cautious: between the ends of its type
            assert isinstance(expr.type, types.Int)
            return expr.type.low, expr.type.high


_SPANS: Mapping[Op, Callable[[int, int, int, int], tuple[int, int]]] = {
    Op.ADD: lambda low, high, a, b: (low + a, high + b),
    Op.SUBTRACT: lambda low, high, a, b: (low - b, high - a),
    Op.MAX: lambda low, high, a, b: (max(low, a), max(high, b)),
    Op.MIN: lambda low, high, a, b: (min(low, a), min(high, b)),
}
"""Between which numbers a result lies, if one argument lies between the first two, and the next between the others."""


def _is_number(expr: Expr) -> bool:
    return isinstance(expr.type, types.Int)
