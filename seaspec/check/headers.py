"""Parameters of actions, procedures and the like, known before their bodies are."""

from __future__ import annotations

from seaspec.check import expressions, things, typing
from seaspec.check.context import BOOL, Context, Scope, apply, conjunction, members, variable
from seaspec.check.typing import Fit, fit
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree


STARTS = ("setup", "play")
"""Procedures that start a game; nothing calls them."""


def variables(ctx: Context, key: str, params: tuple[tree.Param, ...]) -> tuple[ir.Variable, ...]:
    """Variables for plain parameters; the same ones whenever they are asked for under the same key."""
    if key not in ctx.params:
        made = []
        for param in params:
            made.append(ir.Param(ir.Variable(param.name, param_type(ctx, param)), None, None))
        ctx.params[key] = tuple(made)
    return tuple(p.variable for p in ctx.params[key])


def param_type(ctx: Context, param: tree.Param) -> Type:
    """The declared type of a parameter."""
    if param.type is None:
        ctx.error(Code.UNKNOWN_NAME, param.span, f"the parameter '{param.name}' has no type", hint=f"say `{param.name}: Type`")
        return types.Never()
    return things.type_of(ctx, param.type)


def scope_of(params: tuple[ir.Variable, ...], **more: object) -> Scope:
    return Scope({p.name: ir.Local(p) for p in params})


def asks(ctx: Context, params: tuple[ir.Param, ...]) -> bool:
    """Whether the first parameter of an action is the player who is asked."""
    return bool(params) and params[0].variable.type == ctx.player


def action(ctx: Context, name: str) -> tuple[ir.Param, ...] | None:
    """The parameters of an action, what each is chosen from and where."""
    key = f"action {name}"
    if key in ctx.params:
        return ctx.params[key]
    clauses = ctx.merged.actions[name]
    if len(clauses) > 1:
        labels = [Label(clauses[1].span, "and here again")]
        ctx.error(Code.UNSUPPORTED, clauses[0].span, f"the action '{name}' has several clauses", labels=labels)
    params: list[ir.Param] = []
    scope = Scope()
    for node in clauses[0].params:
        param, scope = chosen(ctx, node, scope)
        params.append(param)
    ctx.params[key] = tuple(params)
    return ctx.params[key]


def chosen(ctx: Context, node: tree.Param, scope: Scope) -> tuple[ir.Param, Scope]:
    """A parameter that is chosen: `card: Island in hand[p] where P`."""
    ty = param_type(ctx, node)
    made, local = variable(node.name, ty)
    if node.name in scope.names:
        ctx.error(Code.HIDES, node.span, f"the parameter '{node.name}' stands twice")
    domain: ir.Expr | None = None
    tests: list[ir.Expr] = []
    if node.within is not None:
        domain, of = expressions.domain(ctx, node.within, scope, ty)
        if fit(of, ty) is Fit.NO and types_differ(of, ty):
            message = f"there is never a {typing.name(ty)} among {typing.name(of)}"
            ctx.error(Code.NOT_COMPARABLE, node.within.span, message)
        elif fit(of, ty) is not Fit.YES and isinstance(ty, types.Pieces | types.Cells | types.Int):
            tests.append(apply(BOOL, Op.IN, local, members(ty)))
    inner = scope.bind({node.name: local})
    if node.where is not None:
        tested = expressions.test(ctx, node.where, inner)
        tests.append(tested.expr)
        inner = inner.bind(tested.if_yes)
    return ir.Param(made, domain, conjunction(tests) if tests else None), inner


def types_differ(a: Type, b: Type) -> bool:
    """Whether two types have nothing in common and this is no matter of an empty kind."""
    empty = any(isinstance(t, types.Pieces) and not t.members for t in (a, b))
    return not empty and not isinstance(a, types.Never)


def reference(ctx: Context, name: str) -> str:
    """The key of the procedure or action that a name means: an action may share its name with one of the starts."""
    return f"to {name}" if name in STARTS and name not in ctx.merged.actions else name


def procedure(ctx: Context, name: str) -> tuple[ir.Variable, ...]:
    """The parameters of a procedure; of several clauses the first one ranges over all their kinds."""
    key = f"to {name}"
    if key in ctx.params:
        return tuple(p.variable for p in ctx.params[key])
    clauses = ctx.merged.procedures[name]
    return family(ctx, key, name, [(c.params, c.span) for c in clauses])


def family(
    ctx: Context, key: str, name: str, clauses: list[tuple[tuple[tree.Param, ...], Span]]
) -> tuple[ir.Variable, ...]:
    """The parameters of a family of clauses."""
    first_params, first_span = clauses[0]
    made = [ir.Variable(p.name, param_type(ctx, p)) for p in first_params]
    for params, span in clauses[1:]:
        if len(params) != len(made) or not params:
            labels = [Label(first_span, "the first clause")]
            message = f"the clauses of '{name}' have different numbers of parameters"
            ctx.error(Code.WRONG_COUNT, span, message, labels=labels)
            continue
        for position, param in enumerate(params):
            ty = param_type(ctx, param)
            joined = typing.join(made[position].type, ty)
            if joined is None or (position and fit(ty, made[position].type) is not Fit.YES):
                labels = [Label(first_params[position].span, "in the first clause")]
                message = f"'{param.name}' is {typing.name(ty)} here, and {typing.name(made[position].type)} there"
                ctx.error(Code.TYPE_MISMATCH, param.span, message, labels=labels)
            elif not position:
                made[0] = ir.Variable(made[0].name, joined)
    ctx.params[key] = tuple(ir.Param(v, None, None) for v in made)
    return tuple(made)
