"""The cases of a `match`, in expressions and in steps: which values each covers, and what it tells of a name."""

from __future__ import annotations

from collections.abc import Sequence

from seaspec.check import typing
from seaspec.check.context import UNKNOWN, Context, Scope, apply, members
from seaspec.check.expressions import expressions, names
from seaspec.check.limits import LARGEST_LISTED
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.show import show_value
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree


def cover_cases(
    ctx: Context,
    node: tree.Match | tree.MatchStatement,
    subject: ir.Expr,
    cases: Sequence[tuple[tree.Expr, ...]],
) -> list[tuple[types.Value, ...]]:
    """The values that each case of a match covers; reports double and missing ones."""
    nothing: list[tuple[types.Value, ...]] = [() for _ in cases]
    if subject is UNKNOWN:
        return nothing
    if isinstance(subject.type, types.SetOf | types.Fraction) or types.size(subject.type) > LARGEST_LISTED:
        ctx.error(Code.TOO_LARGE, node.subject.span, f"{typing.name(subject.type)} has too many values to match")
        return nothing
    reported = len(ctx.report.diagnostics)
    taken: dict[types.Value, Span] = {}
    result = []
    for patterns in cases:
        values: list[types.Value] = []
        for pattern in patterns:
            for value in _pattern(ctx, pattern, subject.type):
                if value in taken:
                    labels = [Label(taken[value], "here first")]
                    ctx.error(Code.NOT_ALL_CASES, pattern.span, "this value has a case already", labels=labels)
                else:
                    taken[value] = pattern.span
                    values.append(value)
        result.append(tuple(values))
    missing = [v for v in types.values(subject.type) if v not in taken]
    if missing and len(ctx.report.diagnostics) == reported:
        shown = ", ".join(show_value(v, subject.type, ctx) for v in missing[:4])
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        ctx.error(Code.NOT_ALL_CASES, node.subject.span, f"no case for {shown}{more}")
    return result


def _pattern(ctx: Context, node: tree.Expr, ty: Type) -> tuple[types.Value, ...]:
    """The values of the subject's type that a pattern stands for: one, or all of a kind."""
    kind = names.kind(ctx, node)
    expr = members(kind) if kind is not None else expressions.expression(ctx, node, Scope(), typing.known(ty))
    if expr is UNKNOWN:
        return ()
    value = ctx.constant(expr, node.span)
    if value is None and not isinstance(expr.type, types.Optional):
        return ()
    candidates = value if kind is not None and isinstance(value, tuple) else (value,)
    of = kind if kind is not None else expr.type
    found = tuple(v for v in candidates if not typing.disjoint(of, ty) and types.position(ty, v) is not None)
    if not found and candidates:
        ctx.error(Code.NOT_COMPARABLE, node.span, f"{typing.name(ty)} never has this value")
    return found


def case_scope(node: tree.Expr, subject: ir.Expr, values: tuple[types.Value, ...], scope: Scope) -> Scope:
    """What a case tells about the name that is matched."""
    if not isinstance(node, tree.Name) or node.name not in scope.names or not values or None in values:
        return scope
    ty = typing.known(subject.type)
    if isinstance(ty, types.Pieces):
        ty = types.Pieces(ty.name, tuple(v for v in ty.members if v in values))
    return scope if ty == subject.type else scope.bind({node.name: apply(ty, Op.KNOWN, subject)})
