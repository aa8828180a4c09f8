"""Choices: of actions, values, subsets, shares; joint and free order."""

from __future__ import annotations

from seaspec.check import calls, expressions, folds, names, statements, typing
from seaspec.check.context import UNKNOWN, Context, Scope, apply, number, variable
from seaspec.check.texts import plain, source, text
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.diagnostics.codes import Code
from seaspec.syntax import tree

Made = tuple[list[ir.Stmt], Scope]


def choice(
    ctx: Context, node: tree.Choose | tree.Share | tree.AnyOrder | tree.AllAtOnce, scope: Scope
) -> Made:
    """A choice statement, and the scope of what follows."""
    match node:
        case tree.Choose():
            return _choose(ctx, node, scope)
        case tree.Share():
            return _share(ctx, node, scope)
        case tree.AnyOrder():
            return [_any_order(ctx, node, scope)], scope
        case tree.AllAtOnce():
            names.check_fresh(ctx, node.name, scope, node.span)
            domain, of = expressions.domain(ctx, node.domain, scope)
            made, local = variable(node.name, of)
            body = statements.block(ctx, node.body, scope.bind({node.name: local}))
            return [ir.AllAtOnce(made, domain, body, ir.Source(node.span))], scope


def decider_of(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """Who decides: a player, or none for chance."""
    expr = expressions.expression(ctx, node, scope.quiet(), ctx.player)
    if isinstance(expr.type, types.Optional) and typing.fit(expr.type.of, ctx.player) is typing.Fit.YES:
        return expr
    return ctx.coerce(expr, ctx.player, node.span, "who chooses")


def _choose(ctx: Context, node: tree.Choose, scope: Scope) -> Made:
    decider = None if node.decider is None else decider_of(ctx, node.decider, scope)
    inner = scope
    lets: list[ir.Stmt] = []
    until: ir.Expr | None = None
    match node.offer:
        case tree.OfferActions():
            offer: ir.Offer = _actions(ctx, node.offer, scope, decider)
            if node.offer.until is not None:
                until = expressions.test(ctx, node.offer.until, scope.quiet()).expr
        case tree.OfferValues():
            offer, inner, lets = _values(ctx, node.offer, scope, chance=decider is None)
        case tree.OfferSubset():
            offer, inner = _subset(ctx, node.offer, scope)
    if decider is None and isinstance(offer, ir.OfferActions):
        ctx.error(Code.MISPLACED, node.span, "chance chooses values, no actions")
    body = (*lets, *statements.block(ctx, node.body, inner)) if node.body else tuple(lets)
    otherwise = None if node.otherwise is None else statements.block(ctx, node.otherwise, scope)
    made = ir.Choose(
        decider,
        node.manner in (tree.Manner.MAY, tree.Manner.MAY_SECRETLY, tree.Manner.MAY_REPEATEDLY),
        node.manner is tree.Manner.MAY_SECRETLY,
        node.manner is tree.Manner.PRIVATELY,
        node.manner in (tree.Manner.REPEATEDLY, tree.Manner.MAY_REPEATEDLY),
        until,
        offer,
        body,
        otherwise,
        _menu(node.offer, ctx, scope),
        source(ctx, node.tail, node.span, scope),
    )
    keeps_names = not node.body and node.otherwise is None and not isinstance(offer, ir.OfferActions)
    return [made], inner if keeps_names else scope


def _menu(offer: tree.Offer, ctx: Context, scope: Scope) -> str:
    """The name of the choice point: the menu offered, else the procedure it stands in."""
    if isinstance(offer, tree.OfferActions) and len(offer.items) == 1 and offer.items[0].name in ctx.merged.menus:
        return offer.items[0].name
    return scope.procedure or ""


def _actions(ctx: Context, offer: tree.OfferActions, scope: Scope, decider: ir.Expr | None) -> ir.OfferActions:
    found: list[ir.Alternative] = []
    for item in offer.items:
        found.extend(calls.menu_items(ctx, item, scope.quiet(), decider))
    return ir.OfferActions(tuple(found))


def _values(
    ctx: Context, offer: tree.OfferValues, scope: Scope, *, chance: bool
) -> tuple[ir.OfferValues, Scope, list[ir.Stmt]]:
    inner = scope
    binders = []
    for pick in offer.picks:
        binder, inner = folds.bind(ctx, pick, inner.quiet())
        binders.append(binder)
    weights = None
    if offer.weights is not None:
        weights = expressions.expression(ctx, offer.weights, inner.quiet())
        if not isinstance(weights.type, types.Int | types.Never):
            ctx.error(Code.TYPE_MISMATCH, offer.weights.span, "weights are numbers")
        if not chance:
            ctx.error(Code.MISPLACED, offer.weights.span, "only chance has weights")
    facts = {
        word: expr
        for word, expr in inner.names.items()
        if word not in scope.names and not isinstance(expr, ir.Local)
    }
    lets, bound = statements.frozen(ctx, facts, inner, offer.picks[0].span)
    return ir.OfferValues(tuple(binders), weights), Scope(
        bound.names, scope.promise, scope.throws, scope.procedure
    ), lets


def _subset(ctx: Context, offer: tree.OfferSubset, scope: Scope) -> tuple[ir.OfferSubset, Scope]:
    names.check_fresh(ctx, offer.name, scope, offer.span)
    domain, of = expressions.domain(ctx, offer.domain, scope)
    if offer.where is not None:
        element = _element_name(offer.domain)
        made, local = variable(element, of)
        tested = expressions.test(ctx, offer.where, scope.quiet().bind({element: local}))
        domain = ir.Select(types.SetOf(of), ir.Binder(made, domain, tested.expr))
    most = number(names.most_members(ctx, domain))
    size = apply(types.Int(0, most.value if isinstance(most.value, int) else 0), Op.SIZE, domain)
    high: ir.Expr = size if offer.high is None else _quota(ctx, offer.high, scope)
    low: ir.Expr = number(0)
    if offer.exact:
        low = high
    elif offer.low is not None:
        low = _quota(ctx, offer.low, scope)
    made_set, local_set = variable(offer.name, types.SetOf(of))
    found = ir.OfferSubset(low, high, domain, made_set)
    return found, scope.bind({offer.name: local_set})


def _element_name(node: tree.Expr) -> str:
    return "it"


def _quota(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    expr = expressions.expression(ctx, node, scope.quiet())
    if isinstance(expr.type, types.Int | types.Never):
        return expr
    return ctx.error(Code.TYPE_MISMATCH, node.span, f"how many? This is {typing.name(expr.type)}")


def _share(ctx: Context, node: tree.Share, scope: Scope) -> Made:
    decider = decider_of(ctx, node.player, scope)
    for word in (node.name, node.gift):
        names.check_fresh(ctx, word, scope, node.span)
    if isinstance(node.total, tree.Range):
        low, high = _quota(ctx, node.total.low, scope), _quota(ctx, node.total.high, scope)
    else:
        low = high = _quota(ctx, node.total, scope)
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, local = variable(node.name, of)
    at_most = None
    if node.at_most is not None:
        at_most = _quota(ctx, node.at_most, scope.bind({node.name: local}))
    most = expressions.bounds(high)[1]
    if at_most is not None:
        most = min(most, expressions.bounds(at_most)[1])
    gift, gift_local = variable(node.gift, types.Map(of, types.Int(0, max(0, most))))
    offer = ir.OfferShare(low, high, made, domain, at_most, gift)
    said = source(ctx, node.tail, node.span, scope)
    menu = scope.procedure or ""
    chosen = ir.Choose(decider, False, False, False, False, None, offer, (), None, menu, said)
    return [chosen], scope.bind({node.gift: gift_local})


def _any_order(ctx: Context, node: tree.AnyOrder, scope: Scope) -> ir.Stmt:
    """Each line of the block may come next; an `if` without `else` says whether the line is there at all."""
    player = ctx.coerce(
        expressions.expression(ctx, node.player, scope.quiet(), ctx.player), ctx.player, node.player.span
    )
    lines = []
    for line in node.lines:
        test: ir.Expr | None = None
        body: tuple[ir.Stmt, ...]
        if isinstance(line, tree.If) and not line.otherwise:
            tested = expressions.test(ctx, line.test, scope.quiet())
            test = tested.expr
            lets, inner = statements.frozen(ctx, tested.if_yes, scope, line.span)
            body = (*lets, *statements.block(ctx, line.then, inner))
        else:
            body = statements.block(ctx, (line,), scope)
        lines.append((test, _line_text(ctx, line, scope), body))
    return ir.AnyOrder(player, tuple(lines), source(ctx, node.tail, node.span, scope))


def _line_text(ctx: Context, line: tree.Statement, scope: Scope) -> ir.Text:
    """How the line is called when it is offered: its sentence, else what it does."""
    tail = getattr(line, "tail", None)
    if isinstance(tail, tree.Tail) and tail.sentence is not None:
        return text(ctx, tail.sentence, scope)
    inner = line.then[0] if isinstance(line, tree.If) and line.then else line
    return ir.Text((inner.span.text.splitlines()[0].strip(),))


__all__ = ["UNKNOWN", "choice", "plain"]
