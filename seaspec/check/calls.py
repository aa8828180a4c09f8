"""Arguments of calls, actions as they are offered, throws."""

from __future__ import annotations

from fractions import Fraction

from seaspec.check import expressions, folds, headers, names, typing, words
from seaspec.check.context import UNKNOWN, Context, Scope, variable
from seaspec.core import ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.syntax import tree


def arguments(
    ctx: Context, what: str, params: tuple[ir.Variable, ...], node: tree.Apply, scope: Scope
) -> tuple[ir.Expr, ...] | None:
    """The arguments of a call, each fitting its parameter; None if their number is wrong."""
    if len(params) != len(node.arguments):
        wanted = ", ".join(p.name for p in params)
        message = f"'{what}' wants {len(params)} arguments ({wanted}), and {len(node.arguments)} are given"
        ctx.error(Code.WRONG_COUNT, node.span, message)
        return None
    found = []
    for param, argument in zip(params, node.arguments, strict=True):
        expr = expressions.expression(ctx, argument, scope.quiet(), param.type)
        found.append(ctx.coerce(expr, param.type, argument.span, f"'{param.name}' of {what}"))
    return tuple(found)


def alternative(
    ctx: Context, item: tree.MenuItem, scope: Scope, player: ir.Expr | None, loop: ir.Binder | None = None
) -> ir.Alternative | None:
    """An action as it is offered: its first parameter is the player who is asked, if it is a player."""
    if item.name not in ctx.merged.actions:
        if item.name in ctx.merged.procedures:
            message = f"'{item.name}' is a procedure; only an action can be chosen"
            ctx.error(Code.NOT_A_VALUE, item.span, message, hint=f"say `action {item.name}(..)`")
        else:
            ctx.unknown_name("the action", item.name, item.span, [*ctx.merged.actions, *ctx.merged.menus])
        return None
    if item.loop is not None:
        if loop is not None:
            ctx.error(Code.UNSUPPORTED, item.span, "a `for` inside a menu that is itself offered with `for`")
            return None
        loop, scope = folds.bind(ctx, item.loop, scope)
    params = headers.action(ctx, item.name)
    if params is None:
        return None
    asks = headers.asks(ctx, params)
    filled: list[ir.Expr | None] = [None] * len(params)
    given = list(item.arguments or ())
    first = 0
    if asks and player is not None and not _names_player(ctx, given, params, scope):
        filled[0] = player
        first = 1
    if len(given) > len(params) - first:
        message = f"'{item.name}' has {len(params)} parameters, and {len(given) + first} are given"
        labels = [Label(ctx.merged.actions[item.name][0].span, "here it is declared")]
        ctx.error(Code.WRONG_COUNT, item.span, message, labels=labels)
        return None
    for position, argument in enumerate(given, first):
        ty = params[position].variable.type
        expr = expressions.expression(ctx, argument, scope.quiet(), ty)
        filled[position] = ctx.coerce(expr, ty, argument.span, f"'{params[position].variable.name}' of {item.name}")
    return ir.Alternative(item.name, tuple(filled), loop)


def _names_player(ctx: Context, given: list[tree.Expr], params: tuple[ir.Param, ...], scope: Scope) -> bool:
    """Whether the first argument given is for the player who is asked."""
    if not given:
        return False
    if len(given) == len(params):
        return True
    if len(params) > 1 and isinstance(params[1].variable.type, types.Enum):
        if params[1].variable.type.name == types.PLAYER:
            return False
    quiet = Scope(scope.names, scope.promise)
    before = len(ctx.report.diagnostics)
    expr = expressions.expression(ctx, given[0], quiet, ctx.player)
    del ctx.report.diagnostics[before:]
    return isinstance(expr.type, types.Enum) and expr.type.name == types.PLAYER


def menu_items(
    ctx: Context, item: tree.MenuItem, scope: Scope, player: ir.Expr | None, loop: ir.Binder | None = None
) -> list[ir.Alternative]:
    """The actions of a menu (or one action), with the parameters of the menu filled in."""
    if item.name not in ctx.merged.menus:
        found = alternative(ctx, item, scope, player, loop)
        return [] if found is None else [found]
    if item.loop is not None:
        loop, scope = folds.bind(ctx, item.loop, scope)
    if not ctx.begin(f"the menu '{item.name}'", item.span):
        return []
    menu = ctx.merged.menus[item.name]
    params = headers.variables(ctx, f"menu {menu.name}", menu.params)
    given = list(item.arguments or ())
    values: list[ir.Expr] = []
    if player is not None and len(given) < len(params) and params and params[0].type == ctx.player:
        values.append(player)
    for param, argument in zip(params[len(values) :], given, strict=False):
        expr = expressions.expression(ctx, argument, scope.quiet(), param.type)
        values.append(ctx.coerce(expr, param.type, argument.span, f"'{param.name}' of {menu.name}"))
    found_items: list[ir.Alternative] = []
    if len(values) != len(params) or len(given) > len(params):
        wanted = ", ".join(p.name for p in params)
        ctx.error(Code.WRONG_COUNT, item.span, f"the menu '{menu.name}' wants ({wanted})")
    else:
        inner = Scope({p.name: v for p, v in zip(params, values, strict=True)}, scope.promise)
        for entry in menu.items:
            found_items.extend(menu_items(ctx, entry, inner, player, loop))
    ctx.end()
    return found_items


def throw(ctx: Context, node: tree.Apply, word: str, scope: Scope) -> ir.Expr:
    """A named throw: it happens before the statement whose test or value it is."""
    rule = words.chance_rule(ctx, word, node.span)
    if rule is None:
        return UNKNOWN
    given = arguments(ctx, word, rule.params, node, scope)
    if given is None:
        return UNKNOWN
    if scope.throws is None:
        hint = "say `let x = " + node.span.text.split("\n")[0] + "` before"
        return ctx.error(
            Code.NOT_IN_EXPRESSION, node.span, f"'{word}' is thrown, so it must be a whole test or value", hint=hint
        )
    made, local = variable(word, rule.gives.type)
    scope.throws.found.append(ir.Throw(word, given, made, ir.Source(node.span)))
    return local


def odds(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """`odds(beats(3, 1))`: a fraction, in promises."""
    if not scope.promise:
        return ctx.error(Code.ONLY_IN_PROMISES, node.span, "`odds(..)` has a meaning in promises only")
    inner = node.arguments[0] if len(node.arguments) == 1 else None
    if not isinstance(inner, tree.Apply) or not isinstance(inner.function, tree.Name):
        return ctx.error(Code.WRONG_COUNT, node.span, "odds wants a throw: odds(beats(3, 1))")
    return chance_odds(ctx, inner, inner.function.name, scope)


def fraction(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """Odds as they are written, `5/16`: here `/` does not round."""
    if isinstance(node, tree.Binary) and node.op is tree.Operator.DIVIDE:
        left, right = node.left, node.right
        if isinstance(left, tree.Number) and isinstance(right, tree.Number) and right.value:
            return ir.Const(types.Fraction(), Fraction(left.value, right.value))
    expr = expressions.expression(ctx, node, scope)
    if not isinstance(expr.type, types.Int | types.Fraction | types.Never):
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"odds are a fraction, and this is {typing.name(expr.type)}")
    return expr


def chance_odds(ctx: Context, node: tree.Apply, word: str, scope: Scope) -> ir.Expr:
    if word not in ctx.merged.chances:
        return ctx.unknown_name("the throw", word, node.span, ctx.merged.chances)
    rule = words.chance_rule(ctx, word, node.span)
    if rule is None:
        return UNKNOWN
    if not isinstance(rule.gives.type, types.Bool | types.Never):
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"'{word}' gives {typing.name(rule.gives.type)}, no yes or no")
    given = arguments(ctx, word, rule.params, node, scope)
    return UNKNOWN if given is None else ir.Odds(types.Fraction(), word, given)


__all__ = ["alternative", "arguments", "chance_odds", "menu_items", "names", "odds", "throw"]
