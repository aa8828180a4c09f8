"""Whether the argument of a recursive call is less than the parameter: what `shrinking` promises.

`most_above(e, p)` is a number d with e <= p + d, as far as the form of e shows it: by differences, by `min`, by names
bound with `let` or taken from a range whose end is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import walk

Bounds = Mapping[ir.Variable, ir.Expr]
"""Names, and an expression that they are never greater than."""


def falls(argument: ir.Expr, param: ir.Variable, body: ir.Expr) -> bool:
    """Whether an argument, somewhere in the body of a function, is certainly less than the parameter."""
    above = most_above(argument, param, _bounds(body))
    return above is not None and above < 0


def most_above(expr: ir.Expr, param: ir.Variable, bounds: Bounds) -> int | None:
    match expr:
        case ir.Local(variable) if variable is param:
            return 0
        case ir.Local(variable) if variable in bounds:
            return most_above(bounds[variable], param, bounds)
        case ir.Apply(_, Op.CHECK | Op.KNOWN, (inner,)):
            return most_above(inner, param, bounds)
        case ir.Apply(_, Op.SUBTRACT, (a, b)) if isinstance(b.type, types.Int):
            above = most_above(a, param, bounds)
            return None if above is None else above - b.type.low
        case ir.Apply(_, Op.ADD, (a, b)):
            for one, other in ((a, b), (b, a)):
                above = most_above(one, param, bounds)
                if above is not None and isinstance(other.type, types.Int):
                    return above + other.type.high
            return None
        case ir.Apply(_, Op.MIN, arguments):
            found = [d for d in (most_above(a, param, bounds) for a in arguments) if d is not None]
            return min(found, default=None)
        case ir.Apply(_, Op.MAX, arguments):
            every = [most_above(a, param, bounds) for a in arguments]
            known = [d for d in every if d is not None]
            return max(known) if len(known) == len(every) else None
        case _:  # cautious: not known to fall
            return None


def _bounds(body: ir.Expr) -> Bounds:
    found: dict[ir.Variable, ir.Expr] = {}
    for node in walk(body):
        if isinstance(node, ir.LetIn):
            found[node.variable] = node.value
        elif isinstance(node, ir.Binder) and isinstance(node.domain, ir.Apply) and node.domain.op is Op.RANGE:
            found[node.variable] = node.domain.arguments[1]
    return found
