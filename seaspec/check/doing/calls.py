"""Arguments of calls, actions as they are offered, throws."""

from __future__ import annotations

from fractions import Fraction

from seaspec.check import typing
from seaspec.check.context import UNKNOWN, Context, Scope, Where, variable
from seaspec.check.declared import headers, words
from seaspec.check.describe import counted
from seaspec.check.expressions import expressions, folds
from seaspec.core import ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree


def arguments(
    ctx: Context, what: str, params: tuple[ir.Variable, ...], node: tree.Apply, scope: Scope, declared: Span
) -> tuple[ir.Expr, ...] | None:
    """The arguments of a call, each fitting its parameter; None after an error."""
    if len(params) != len(node.arguments):
        wanted = f" ({', '.join(p.name for p in params)})" if params else ""
        message = f"'{what}' wants {counted(len(params))}{wanted}, and {counted(len(node.arguments), noun=False)} given"
        ctx.error(Code.WRONG_COUNT, node.span, message, labels=[Label(declared, "declared here")])
        return None
    found = []
    for param, argument in zip(params, node.arguments, strict=True):
        expr = expressions.expression(ctx, argument, scope.quiet(), param.type)
        found.append(ctx.coerce(expr, param.type, argument.span, f"'{param.name}' of '{what}'"))
    return None if UNKNOWN in found else tuple(found)


# ------------------------------------------------------------------------------------------------------------ offers


def menu_items(
    ctx: Context, item: tree.MenuItem, scope: Scope, player: ir.Expr | None, loop: ir.Binder | None = None
) -> list[ir.Alternative]:
    """The actions of a menu (or one action), with the parameters of the menu filled in."""
    if item.loop is not None:
        if loop is not None:
            ctx.error(Code.UNSUPPORTED, item.span, "a `for` inside a menu that is itself offered with `for`")
            return []
        loop, scope = folds.bind(ctx, item.loop, scope)
    if item.name in ctx.merged.menus:
        return _menu(ctx, ctx.merged.menus[item.name], item, scope, player, loop)
    found = _alternative(ctx, item, scope, player, loop)
    return [] if found is None else [found]


def _menu(
    ctx: Context, menu: tree.Menu, item: tree.MenuItem, scope: Scope, player: ir.Expr | None, loop: ir.Binder | None
) -> list[ir.Alternative]:
    if not ctx.begin(f"the menu '{menu.name}'", item.span):
        return []
    params = headers.variables(ctx, f"menu {menu.name}", menu.params)
    given = item.arguments or ()
    values: list[ir.Expr] = []
    if player is not None and len(given) < len(params) and params[0].type == ctx.player:
        values.append(player)
    found: list[ir.Alternative] = []
    if len(values) + len(given) != len(params):
        wanted = f" ({', '.join(p.name for p in params)})" if params else ""
        message = (
            f"the menu '{menu.name}' wants {counted(len(params))}{wanted}, and {counted(len(given), noun=False)} given"
        )
        ctx.error(Code.WRONG_COUNT, item.span, message, labels=[Label(menu.span, "declared here")])
    else:
        for param, argument in zip(params[len(values) :], given, strict=True):
            expr = expressions.expression(ctx, argument, scope.quiet(), param.type)
            values.append(ctx.coerce(expr, param.type, argument.span, f"'{param.name}' of '{menu.name}'"))
        inner = Scope({p.name: v for p, v in zip(params, values, strict=True)}, where=scope.where)
        for entry in menu.items:
            found.extend(menu_items(ctx, entry, inner, player, loop))
    ctx.end()
    return found


def _alternative(
    ctx: Context, item: tree.MenuItem, scope: Scope, player: ir.Expr | None, loop: ir.Binder | None
) -> ir.Alternative | None:
    """An action as it is offered: its first parameter is the player who is asked, if it is a player."""
    if item.name not in ctx.merged.actions:
        if item.name in ctx.merged.procedures:
            message = f"'{item.name}' is a procedure; only an action can be chosen"
            ctx.error(Code.NOT_A_VALUE, item.span.word(item.name), message, hint=f"say `action {item.name}(..)`")
        else:
            known = [*ctx.merged.actions, *ctx.merged.menus]
            ctx.unknown_name("the action", item.name, item.span.word(item.name), known)
        return None
    params = headers.action(ctx, item.name)
    filled: list[ir.Expr | None] = [None] * len(params)
    given = item.arguments or ()
    first = 0
    if headers.asks(ctx, params) and player is not None and not _names_player(ctx, given, params, scope):
        filled[0] = player
        first = 1
    if first + len(given) > len(params):
        message = f"'{item.name}' has {len(params)} parameters, and {first + len(given)} are given"
        labels = [Label(ctx.merged.actions[item.name][0].span, "declared here")]
        ctx.error(Code.WRONG_COUNT, item.span, message, labels=labels)
        return None
    for position, argument in enumerate(given, first):
        ty = params[position].variable.type
        expr = expressions.expression(ctx, argument, scope.quiet(), ty)
        filled[position] = ctx.coerce(expr, ty, argument.span, f"'{params[position].variable.name}' of '{item.name}'")
    return None if UNKNOWN in filled else ir.Alternative(item.name, tuple(filled), loop)


def _names_player(ctx: Context, given: tuple[tree.Expr, ...], params: tuple[ir.Param, ...], scope: Scope) -> bool:
    """Whether the first argument given is for the player who is asked."""
    if not given or len(given) == len(params):
        return bool(given)
    if len(params) > 1 and params[1].variable.type == ctx.player:
        return False
    return is_player(ctx, given[0], scope)


def is_player(ctx: Context, node: tree.Expr, scope: Scope) -> bool:
    """Whether an expression stands for a player. What is wrong with it itself is not reported here."""
    with ctx.overlooking(node.span, list(Code)):
        return expressions.expression(ctx, node, scope.quiet(), ctx.player).type == ctx.player


# ------------------------------------------------------------------------------------------------------------ throws


def throw(ctx: Context, node: tree.Apply, word: str, scope: Scope) -> ir.Expr:
    """A named throw: it happens before the statement whose test or value it is."""
    rule = words.chance_rule(ctx, word, node.span)
    if rule is None:
        return UNKNOWN
    given = arguments(ctx, word, rule.params, node, scope, rule.source.span)
    if given is None:
        return UNKNOWN
    if scope.throws is None:
        hint = "say `let x = " + node.span.text.split("\n")[0] + "` before"
        message = f"'{word}' is thrown, so it must be the whole test of an `if`, or the whole value of a `let`"
        return ctx.error(Code.NOT_IN_EXPRESSION, node.span, message, hint=hint)
    made, local = variable(word, rule.gives.type)
    scope.throws.found.append(ir.Throw(word, given, made, ir.Source(node.span)))
    return local


EXACT = ("odds", "mean")
"""What can be worked out of a throw: how likely a yes is, or which number it gives in the mean."""


def odds(ctx: Context, word: str, node: tree.Apply, scope: Scope) -> ir.Expr:
    """`odds(beats(3, 1))`, `mean(damage(2))`: a fraction, in promises."""
    if scope.where is Where.RULES:
        return ctx.error(Code.ONLY_IN_PROMISES, node.span, f"`{word}(..)` has a meaning in promises only")
    inner = node.arguments[0] if len(node.arguments) == 1 else None
    if inner is None:
        return ctx.error(Code.WRONG_COUNT, node.span, f"`{word}` wants one throw: {word}(name(..))")
    return chance_odds(ctx, word, inner, scope)


def chance_odds(ctx: Context, word: str, node: tree.Expr, scope: Scope) -> ir.Expr:
    """The odds of a throw that gives yes or no, or the mean of one that gives a number."""
    call = node if isinstance(node, tree.Apply) else tree.Apply(node.span, node, ())
    if not isinstance(call.function, tree.Name) or call.function.name not in ctx.merged.chances:
        return ctx.unknown_name(
            "the throw", call.function.span.text.split("\n")[0], call.function.span, ctx.merged.chances
        )
    throw = call.function.name
    rule = words.chance_rule(ctx, throw, node.span)
    if rule is None:
        return UNKNOWN
    if not isinstance(rule.gives.type, types.Bool if word == "odds" else types.Int):
        meant = "odds are those of a yes" if word == "odds" else "a mean is that of a number"
        message = f"'{throw}' gives {typing.name(rule.gives.type)}, and {meant}"
        hint = {types.Int: f"`mean {throw}(..)`", types.Bool: f"`odds {throw}(..)`"}.get(type(rule.gives.type))
        labels = [Label(rule.source.span, "declared here")]
        return ctx.error(Code.TYPE_MISMATCH, node.span, message, hint=hint, labels=labels)
    given = arguments(ctx, throw, rule.params, call, scope, rule.source.span)
    return UNKNOWN if given is None else ir.Odds(types.Fraction(), throw, given)


def fraction(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """Odds as they are written, `5/16`, `hits / 36`."""
    expr = number(ctx, node, scope, "odds are a fraction")
    if isinstance(expr, ir.Const) and isinstance(expr.value, int | Fraction) and not 0 <= expr.value <= 1:
        return ctx.error(Code.OUT_OF_RANGE, node.span, f"odds lie between 0 and 1, and this is {expr.value}")
    return expr


def number(ctx: Context, node: tree.Expr, scope: Scope, wanted: str = "a mean is a number") -> ir.Expr:
    """A number that is meant exactly: `7/2`."""
    expr = expressions.exact(ctx, node, scope)
    if not isinstance(expr.type, types.Int | types.Fraction | types.Never):
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"{wanted}, and this is {typing.name(expr.type)}")
    return expr
