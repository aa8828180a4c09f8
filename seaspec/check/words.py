"""Defines and named throws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from seaspec.check import expressions, headers, statements, things, typing
from seaspec.check.context import BOOL, UNKNOWN, Context, Scope, apply, members
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree

Clause = TypeVar("Clause")


def function(ctx: Context, name: str, span: Span) -> ir.Function | None:
    """The function of a define; None if it is faulty (reported)."""
    if name in ctx.functions:
        return ctx.functions[name]
    what = f"the define '{name}'"
    if what in ctx.failed:
        return None
    clauses = ctx.merged.defines[name]
    if clauses[0].shrinking is None and not ctx.begin(what, span):
        ctx.failed.add(what)
        return None
    made = _function(ctx, name, clauses)
    if clauses[0].shrinking is None:
        ctx.end()
    if made is None:
        ctx.failed.add(what)
        ctx.functions.pop(name, None)
    else:
        ctx.functions[name] = made
    return made


def _function(ctx: Context, name: str, clauses: tuple[tree.Define, ...]) -> ir.Function | None:
    head = clauses[0]
    if any(clause.body is None for clause in clauses):
        ctx.error(Code.LEFT_OPEN, head.span, f"the define '{name}' is left open and gets no body in this game")
        return None
    params = headers.family(ctx, f"define {name}", name, [(c.params, c.span) for c in clauses])
    if any(isinstance(p.type, types.Never) for p in params):
        return None
    declared = things.type_of(ctx, head.result) if head.result is not None else None
    if isinstance(declared, types.Never):
        return None
    said = source(ctx, head.tail, head.span, headers.scope_of(params))
    shrinking = None
    if head.shrinking is not None:
        shrinking = next((i for i, p in enumerate(params) if p.name == head.shrinking), None)
        if shrinking is None:
            ctx.error(Code.DEFINED_IN_CIRCLE, head.span, f"`shrinking {head.shrinking}` names no parameter")
            return None
        declared = declared or BOOL
        ctx.functions[name] = ir.Function(name, params, declared, UNKNOWN, shrinking, said)

    def clause_body(clause: tree.Define, scope: Scope) -> ir.Expr:
        assert clause.body is not None
        for param in clause.params:
            if param.within is not None:
                expressions.domain(ctx, param.within, scope)
        body = expressions.expression(ctx, clause.body, scope, declared)
        return ctx.coerce(body, declared, clause.body.span, f"'{name}'") if declared is not None else body

    bodies = by_kind(ctx, name, clauses, params, clause_body)
    body = _joined(ctx, name, bodies, head)
    if isinstance(body.type, types.Never) and declared is None:
        return None
    ty = declared or body.type
    return ir.Function(name, params, ty, body, shrinking, said)


def _joined(
    ctx: Context, name: str, bodies: list[tuple[types.Pieces | None, ir.Variable | None, ir.Expr]], head: tree.Define
) -> ir.Expr:
    """The bodies of a family as one expression."""
    result = bodies[-1][2]
    for kind, first, body in reversed(bodies[:-1]):
        assert kind is not None and first is not None
        ty = typing.join(body.type, result.type)
        if ty is None:
            message = f"the clauses of '{name}' give {typing.name(body.type)} and {typing.name(result.type)}"
            return ctx.error(Code.TYPE_MISMATCH, head.span, message)
        result = ir.If(ty, apply(BOOL, Op.IN, ir.Local(first), members(kind)), body, result)
    return result


def by_kind(
    ctx: Context,
    name: str,
    clauses: Sequence[tree.Define] | Sequence[tree.Procedure],
    params: tuple[ir.Variable, ...],
    build: Callable[..., Clause],
) -> list[tuple[types.Pieces | None, ir.Variable | None, Clause]]:
    """The clauses of a family, the most particular kind first, each with its names for the parameters."""
    found: list[tuple[types.Pieces | None, ir.Variable | None, Clause]] = []
    if len(clauses) == 1:
        clause = clauses[0]
        scope = Scope({p.name: ir.Local(v) for p, v in zip(clause.params, params, strict=True)}, procedure=name)
        return [(None, None, build(clause, scope))]
    kinds: list[tuple[types.Pieces, tree.Define | tree.Procedure]] = []
    for clause in clauses:
        ty = headers.param_type(ctx, clause.params[0]) if clause.params else types.Never()
        if not isinstance(ty, types.Pieces):
            if not isinstance(ty, types.Never):
                message = f"the clauses of '{name}' must be told apart by the kind of their first parameter"
                ctx.error(Code.TYPE_MISMATCH, clause.span, message)
            continue
        for other, first in kinds:
            if other.members == ty.members and other.members:
                labels = [Label(first.span, "here first")]
                ctx.error(Code.NOT_ALL_CASES, clause.span, f"'{name}' has two clauses for {ty.name}", labels=labels)
        kinds.append((ty, clause))
    kinds.sort(key=lambda pair: len(pair[0].members))
    for ty, clause in kinds:
        if len(clause.params) != len(params):
            continue
        narrowed: Type = ty
        first_param = apply(narrowed, Op.KNOWN, ir.Local(params[0]))
        names: dict[str, ir.Expr] = {clause.params[0].name: first_param}
        names.update({p.name: ir.Local(v) for p, v in zip(clause.params[1:], params[1:], strict=True)})
        found.append((ty, params[0], build(clause, Scope(names, procedure=name))))
    return found


def chance_rule(ctx: Context, name: str, span: Span) -> ir.ChanceRule | None:
    """A named throw; None if it is faulty."""
    what = f"the throw '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    found = ctx.chance_rules.get(name)
    if found is None:
        found = statements.chance(ctx, ctx.merged.chances[name])
        if found is None:
            ctx.failed.add(what)
        else:
            ctx.chance_rules[name] = found
    ctx.end()
    return found
