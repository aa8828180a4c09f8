"""Defines and named throws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from seaspec.check import texts, typing
from seaspec.check.context import BOOL, UNKNOWN, Context, Scope, apply, as_ordered, members
from seaspec.check.declared import headers, things
from seaspec.check.doing import statements
from seaspec.check.expressions import expressions
from seaspec.check.rules.falling import falls
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.show import show_value
from seaspec.core.walk import walk
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree

Body = TypeVar("Body")


def function(ctx: Context, name: str, span: Span) -> ir.Function | None:
    """The function of a define; None if it is faulty (reported)."""
    if name in ctx.functions:
        return ctx.functions[name]
    what = f"the define '{name}'"
    if what in ctx.failed:
        return None
    clauses = ctx.merged.defines[name]
    if not ctx.begin(what, span):
        ctx.failed.add(what)
        return None
    made = _function(ctx, name, clauses)
    ctx.end()
    if made is None:
        ctx.failed.add(what)
        ctx.functions.pop(name, None)
    else:
        ctx.functions[name] = made
    return made


def _function(ctx: Context, name: str, clauses: tuple[tree.Define, ...]) -> ir.Function | None:
    head = clauses[0]
    params = headers.family(ctx, f"define {name}", name, clauses)
    declared = _result(ctx, name, clauses)
    if any(isinstance(p.type, types.Never) for p in params) or isinstance(declared, types.Never):
        return None
    said = texts.source(ctx, head.tail, head.span, headers.named(head.params, params))
    shrinking = None
    if head.shrinking is not None:
        shrinking = _shrinking(ctx, head, params)
        if shrinking is None:
            return None
        declared = declared or BOOL
        ctx.functions[name] = ir.Function(name, params, declared, UNKNOWN, shrinking, said)

    def clause_body(clause: tree.Define, scope: Scope) -> ir.Expr:
        assert clause.body is not None, "the merger closes what is left open"
        headers.obligations(ctx, clause.params, scope)
        body = expressions.expression(ctx, clause.body, scope, declared)
        return ctx.coerce(body, declared, clause.body.span, f"'{name}'") if declared is not None else body

    bodies = by_kind(ctx, name, clauses, params, clause_body)
    body = UNKNOWN if any(b.body is UNKNOWN for b in bodies) else _joined(ctx, name, bodies)
    if body is UNKNOWN:
        return None
    made = ir.Function(name, params, declared or body.type, body, shrinking, said)
    if shrinking is not None:
        _check_falling(ctx, made)
    return made


def _result(ctx: Context, name: str, clauses: tuple[tree.Define, ...]) -> types.Type | None:
    """The declared type of the value: all clauses that say one say the same."""
    found: types.Type | None = None
    for clause in clauses:
        if clause.result is None:
            continue
        ty = things.type_of(ctx, clause.result)
        if found is not None and not typing.same_values(ty, found):
            message = f"a clause of '{name}' gives {typing.name(ty)}, and another one {typing.name(found)}"
            ctx.error(Code.TYPE_MISMATCH, clause.result.span, message)
        found = found or ty
    return found


def _shrinking(ctx: Context, head: tree.Define, params: tuple[ir.Variable, ...]) -> int | None:
    """The position of the parameter that falls: a number that has an end below."""
    span = head.span.word("shrinking")
    for position, param in enumerate(params):
        if param.name == head.shrinking:
            if isinstance(param.type, types.Int):
                return position
            message = f"'{param.name}' is {typing.name(param.type)}; what shrinks is a number"
            ctx.error(Code.TYPE_MISMATCH, head.params[position].span, message, labels=[Label(span, "here")])
            return None
    ctx.unknown_name("the parameter", head.shrinking or "", span, [p.name for p in params])
    return None


def _check_falling(ctx: Context, made: ir.Function) -> None:
    """Each time the function calls itself, the parameter must be less."""
    assert made.shrinking is not None
    param = made.params[made.shrinking]
    calls = [n for n in walk(made.body) if isinstance(n, ir.Call) and n.function == made.name]
    for call in calls:
        if not falls(call.arguments[made.shrinking], param, made.body):
            message = f"'{made.name}' calls itself, and nothing shows that '{param.name}' gets less"
            hint = f"give it '{param.name} - 1', or a number from a range that ends below '{param.name}'"
            ctx.error(Code.DEFINED_IN_CIRCLE, made.source.span, message, hint=hint)
            return
    if not calls:
        message = f"'{made.name}' does not call itself, so nothing shrinks"
        ctx.error(Code.DEFINED_IN_CIRCLE, made.source.span.word("shrinking"), message, hint="leave `shrinking` out")


# ----------------------------------------------------------------------------------------------------------- families


@dataclass(frozen=True, slots=True)
class Clause(Generic[Body]):
    """A clause of a family with its kind (None: the only clause), and what was made of its body."""

    kind: types.Pieces | None
    body: Body


def by_kind(
    ctx: Context,
    name: str,
    clauses: Sequence[tree.Define] | Sequence[tree.Procedure],
    params: tuple[ir.Variable, ...],
    build: Callable[..., Body],
) -> list[Clause[Body]]:
    """The clauses of a family, the most particular kind first, each with its own names for the parameters."""
    if len(clauses) == 1:
        return [Clause(None, build(clauses[0], headers.named(clauses[0].params, params, name)))]
    kinds = [(_kind(ctx, name, clause), clause) for clause in clauses]
    found = [(kind, clause) for kind, clause in kinds if kind is not None]
    for position, (kind, clause) in enumerate(found):
        for other, first in found[:position]:
            _check_nested(ctx, name, kind, other, [Label(first.span, "the other clause")], clause.span)
    found.sort(key=lambda pair: len(pair[0].members))
    made = []
    for kind, clause in found:
        scope = headers.named(clause.params, params, name)
        scope = scope.bind({clause.params[0].name: apply(kind, Op.KNOWN, ir.Local(params[0]))})
        made.append(Clause(kind, build(clause, scope)))
    return made


def _kind(ctx: Context, name: str, clause: tree.Define | tree.Procedure) -> types.Pieces | None:
    ty = headers.param_type(ctx, clause.params[0])
    if isinstance(ty, types.Pieces):
        return ty
    if not isinstance(ty, types.Never):
        message = f"the clauses of '{name}' must be told apart by the kind of their first parameter"
        ctx.error(Code.TYPE_MISMATCH, clause.params[0].span, message)
    return None


def _check_nested(
    ctx: Context, name: str, kind: types.Pieces, other: types.Pieces, labels: list[Label], span: Span
) -> None:
    """Of two clauses one must be more particular, or they are about different pieces."""
    both = set(kind.members) & set(other.members)
    if both and kind.members == other.members:
        ctx.error(Code.NOT_ALL_CASES, span, f"'{name}' has two clauses for {kind.name}", labels=labels)
    elif both and len(both) < min(len(kind.members), len(other.members)):
        shown = ctx.pieces[min(both)].title
        message = f"'{name}' has two clauses for {shown}, and neither {kind.name} nor {other.name} is more particular"
        ctx.error(Code.NOT_ALL_CASES, span, message, labels=labels)


def _joined(ctx: Context, name: str, clauses: list[Clause[ir.Expr]]) -> ir.Expr:
    """The bodies of a family as one expression."""
    if not clauses:
        return UNKNOWN
    result = clauses[-1].body
    for clause in reversed(clauses[:-1]):
        assert clause.kind is not None
        ty = typing.join(clause.body.type, result.type)
        if ty is None:
            message = f"the clauses of '{name}' give {typing.name(clause.body.type)} and {typing.name(result.type)}"
            labels = [Label(c.span, "a clause") for c in ctx.merged.defines[name][1:]]
            return ctx.error(Code.TYPE_MISMATCH, ctx.merged.defines[name][0].span, message, labels=labels)
        first = ir.Local(_first_param(ctx, name))
        is_kind = apply(BOOL, Op.IN, first, members(clause.kind))
        result = ir.If(ty, is_kind, as_ordered(clause.body, ty), as_ordered(result, ty))
    return result


def _first_param(ctx: Context, name: str) -> ir.Variable:
    return ctx.params[f"define {name}"][0].variable


def check_covered(
    ctx: Context,
    name: str,
    clauses: Sequence[tree.Define] | Sequence[tree.Procedure],
    arguments: tuple[ir.Expr, ...],
    span: Span,
) -> None:
    """A family must have a clause for every kind of the argument; a clause alone is its caller's obligation."""
    if len(clauses) < 2 or not isinstance(arguments[0], ir.Apply) or arguments[0].op is not Op.CHECK:
        return
    (given,), covered = arguments[0].arguments, arguments[0].type
    ty = typing.known(given.type)
    missing = [m for m in ty.members if types.position(covered, m) is None] if isinstance(ty, types.Pieces) else []
    if missing:
        labels = [Label(clause.span, "a clause") for clause in clauses]
        message = f"'{name}' has no clause for {show_value(missing[0], ty, ctx)}"
        ctx.error(Code.NOT_ALL_CASES, span, message, labels=labels)


# ------------------------------------------------------------------------------------------------------------ throws


def chance_rule(ctx: Context, name: str, span: Span) -> ir.ChanceRule | None:
    """A named throw; None if it is faulty."""
    what = f"the throw '{name}'"
    if name in ctx.chance_rules:
        return ctx.chance_rules[name]
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    found = statements.chance(ctx, ctx.merged.chances[name])
    ctx.end()
    if found is None:
        ctx.failed.add(what)
    else:
        ctx.chance_rules[name] = found
    return found
