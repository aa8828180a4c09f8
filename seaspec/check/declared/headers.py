"""Parameters of actions, procedures and the like, known before their bodies are."""

from __future__ import annotations

from collections.abc import Sequence

from seaspec.check import typing
from seaspec.check.context import BOOL, Context, Scope, apply, conjunction, members
from seaspec.check.declared import things
from seaspec.check.expressions import expressions, names
from seaspec.check.limits import LARGEST_LISTED
from seaspec.check.typing import Fit, fit
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.syntax import tree

STARTS = ("setup", "play")
"""Procedures that start a game; nothing calls them."""


def variables(ctx: Context, key: str, params: tuple[tree.Param, ...]) -> tuple[ir.Variable, ...]:
    """Variables for plain parameters; the same ones whenever they are asked for under the same key."""
    if key not in ctx.params:
        scope = Scope()
        made = []
        for param in params:
            variable, scope = names.introduce(ctx, param.name, param_type(ctx, param), scope, param.span)
            made.append(ir.Param(variable, None, None))
        ctx.params[key] = tuple(made)
    return tuple(p.variable for p in ctx.params[key])


def index(ctx: Context, key: str, params: tuple[tree.Param, ...]) -> tuple[ir.Variable, ...]:
    """Variables for the index of a place, state or table: types alone say what it ranges over."""
    found = variables(ctx, key, params)
    for param in params:
        at = param.within or param.where
        if at is not None:
            ctx.error(Code.MISPLACED, at.span, f"an index ranges over a type, so '{param.name}' has a type only")
    return found


def param_type(ctx: Context, param: tree.Param) -> Type:
    """The declared type of a parameter."""
    if param.type is None:
        hint = f"say `{param.name}: Type`"
        ctx.error(Code.UNKNOWN_NAME, param.span, f"the parameter '{param.name}' has no type", hint=hint)
        return types.Never()
    return things.type_of(ctx, param.type)


def named(params: Sequence[tree.Param], variables: Sequence[ir.Variable], procedure: str | None = None) -> Scope:
    """The scope in which variables have the names of these parameters."""
    pairs = list(zip(params, variables, strict=False))
    return Scope(
        {p.name: ir.Local(v) for p, v in pairs}, {p.name: p.span.word(p.name) for p, _ in pairs}, procedure=procedure
    )


def obligations(ctx: Context, params: Sequence[tree.Param], scope: Scope) -> None:
    """`b: Boat in afloat` of a define or procedure is what callers see to; here it must make sense."""
    for param in params:
        if param.within is not None:
            ty = scope.names[param.name].type
            _, of = expressions.domain(ctx, param.within, scope, ty)
            _check_within(ctx, param.within, of, ty)
        if param.where is not None:
            expressions.test(ctx, param.where, scope)


def _check_within(ctx: Context, node: tree.Expr, of: Type, ty: Type) -> None:
    if typing.disjoint(of, ty):
        ctx.error(Code.NOT_COMPARABLE, node.span, f"there is never a {typing.name(ty)} among {typing.name(of)}")


def asks(ctx: Context, params: tuple[ir.Param, ...]) -> bool:
    """Whether the first parameter of an action is the player who is asked."""
    return bool(params) and params[0].variable.type == ctx.player


def action(ctx: Context, name: str) -> tuple[ir.Param, ...]:
    """The parameters of an action, what each is chosen from and where."""
    key = f"action {name}"
    if key in ctx.params:
        return ctx.params[key]
    params: list[ir.Param] = []
    scope = Scope()
    for node in ctx.merged.actions[name][0].params:
        param, scope = chosen(ctx, node, scope)
        _check_choice(ctx, node, param.variable.type)
        params.append(param)
    ctx.params[key] = tuple(params)
    return ctx.params[key]


def chosen(ctx: Context, node: tree.Param, scope: Scope) -> tuple[ir.Param, Scope]:
    """A parameter that is chosen: `card: Card in hand[p] where P`."""
    ty = param_type(ctx, node)
    made, inner = names.introduce(ctx, node.name, ty, scope, node.span)
    local = inner.names[node.name]
    domain: ir.Expr | None = None
    tests: list[ir.Expr] = []
    if node.within is not None:
        domain, of = expressions.domain(ctx, node.within, scope, ty)
        _check_within(ctx, node.within, of, ty)
        if fit(of, ty) is not Fit.YES and isinstance(ty, types.Pieces | types.Cells | types.Int):
            tests.append(apply(BOOL, Op.IN, local, members(ty)))
    if node.where is not None:
        tested = expressions.test(ctx, node.where, inner)
        tests.append(tested.expr)
        inner = inner.bind(tested.if_yes)
    return ir.Param(made, domain, conjunction(tests) if tests else None), inner


def _check_choice(ctx: Context, node: tree.Param, ty: Type) -> None:
    """A parameter of an action is chosen from a list."""
    if isinstance(ty, types.SetOf | types.Map):
        hint = "choose it inside the action: `p chooses 2 of S as xs`"
        message = f"'{node.name}' is {typing.name(ty)}, and that is not chosen with the action"
        ctx.error(Code.TYPE_MISMATCH, node.span, message, hint=hint)
    elif types.size(ty) > LARGEST_LISTED:
        ctx.error(Code.TOO_LARGE, node.span, f"'{node.name}' has {types.size(ty):,} values, too many to choose from")


def reference(ctx: Context, name: str) -> str:
    """The key of the procedure or action that a name means: an action may share its name with one of the starts."""
    return f"to {name}" if name in STARTS and name not in ctx.merged.actions else name


def procedure(ctx: Context, name: str) -> tuple[ir.Variable, ...]:
    """The parameters of a procedure; of several clauses the first one ranges over all their kinds."""
    return family(ctx, f"to {name}", name, ctx.merged.procedures[name])


def family(
    ctx: Context, key: str, name: str, clauses: Sequence[tree.Define] | Sequence[tree.Procedure]
) -> tuple[ir.Variable, ...]:
    """The parameters of a family of clauses, told apart by the kind of the first one."""
    if key not in ctx.params:
        ctx.params[key] = tuple(ir.Param(v, None, None) for v in _family(ctx, name, clauses))
    return tuple(p.variable for p in ctx.params[key])


def _family(ctx: Context, name: str, clauses: Sequence[tree.Define] | Sequence[tree.Procedure]) -> list[ir.Variable]:
    first = clauses[0]
    made: list[ir.Variable] = []
    for clause in clauses:
        scope = Scope()
        found = []
        for param in clause.params:
            variable, scope = names.introduce(ctx, param.name, param_type(ctx, param), scope, param.span)
            found.append(variable)
        if clause is first:
            made = found
            continue
        for position, (param, variable) in enumerate(zip(clause.params, found, strict=False)):
            other = made[position].type
            joined = typing.join(other, variable.type)
            if joined is None or (position and not typing.same_values(variable.type, other)):
                labels = [Label(first.params[position].span, "in the first clause")]
                message = (
                    f"'{param.name}' is {typing.name(variable.type)} here, and {typing.name(other)} in the first clause"
                )
                ctx.error(Code.TYPE_MISMATCH, param.span, message, labels=labels)
            elif not position:
                made[0] = ir.Variable(made[0].name, joined)
    return made
