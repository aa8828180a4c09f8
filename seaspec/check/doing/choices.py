"""Choices: of actions, values, subsets, shares; joint and free order."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from seaspec.check import texts, typing
from seaspec.check.context import UNKNOWN, Context, Scope, apply, number
from seaspec.check.doing import calls, statements
from seaspec.check.expressions import expressions, folds, names
from seaspec.check.limits import LARGEST_BASE
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.diagnostics.codes import Code
from seaspec.source import Span
from seaspec.syntax import tree

Made = tuple[list[ir.Stmt], Scope]


def choice(ctx: Context, node: tree.Choose | tree.Share | tree.AnyOrder | tree.AllAtOnce, scope: Scope) -> Made:
    """A choice statement, and the scope of what follows."""
    match node:
        case tree.Choose():
            return _choose(ctx, node, scope)
        case tree.Share():
            return _share(ctx, node, scope)
        case tree.AnyOrder():
            return [_any_order(ctx, node, scope)], scope
        case tree.AllAtOnce():
            domain, of = expressions.domain(ctx, node.domain, scope, ctx.player)
            if of not in (ctx.player, types.Never()):
                message = f"`all at once` is for players, and this is {typing.name(of)}"
                ctx.error(Code.TYPE_MISMATCH, node.domain.span, message)
            made, inner = names.introduce(ctx, node.name, of, scope, node.span)
            return [ir.AllAtOnce(made, domain, statements.block(ctx, node.body, inner), ir.Source(node.span))], scope
        case _:
            assert_never(node)


def _decider(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """Who decides."""
    expr = expressions.expression(ctx, node, scope.quiet(), ctx.player)
    return ctx.coerce(expr, ctx.player, node.span, "who chooses")


CHANCE = "say `chance chooses x in S`, or `chance chooses k of S as xs`"
CHANCE_UNSEEN = "say `chance chooses x in S seen by p`, where p is a player"
MAY = (tree.Manner.MAY, tree.Manner.MAY_SECRETLY, tree.Manner.MAY_REPEATEDLY)
AGAIN = (tree.Manner.REPEATEDLY, tree.Manner.MAY_REPEATEDLY)


def _choose(ctx: Context, node: tree.Choose, scope: Scope) -> Made:
    decider = None if node.decider is None else _decider(ctx, node.decider, scope)
    _check_manner(ctx, node)
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
        case _:
            assert_never(node.offer)
    body = (*lets, *statements.block(ctx, node.body, inner))
    otherwise = None if node.otherwise is None else statements.block(ctx, node.otherwise, scope)
    made = ir.Choose(
        decider,
        node.manner in MAY,
        node.manner is tree.Manner.MAY_SECRETLY,
        node.manner is tree.Manner.PRIVATELY,
        node.manner in AGAIN,
        until,
        offer,
        body,
        otherwise,
        _menu(node.offer, ctx, scope),
        texts.source(ctx, node.tail, node.span, scope),
        None if node.seen is None else statements.seer(ctx, node.seen, scope),
    )
    keeps_names = not node.body and node.otherwise is None and not isinstance(offer, ir.OfferActions)
    return [made], inner if keeps_names else scope


def _check_manner(ctx: Context, node: tree.Choose) -> None:
    """What can be offered in which way: actions in all, values with `chooses` alone, and by chance."""
    actions = isinstance(node.offer, tree.OfferActions)
    if node.decider is None and (actions or node.manner is not tree.Manner.CHOOSES):
        if node.manner is tree.Manner.PRIVATELY and not actions:
            message, hint = "chance has no secrets of its own: say who sees what it chooses", CHANCE_UNSEEN
        else:
            message, hint = "chance chooses values, and may not pass", CHANCE
        ctx.error(Code.MISPLACED, node.span, message, hint=hint)
    elif node.decider is not None and node.seen is not None:
        message = "what a player chooses is seen by all, or `privately` by this player"
        ctx.error(Code.MISPLACED, node.seen.span, message, hint="`seen by` is for what chance chooses")
    elif not actions and (node.manner in MAY or node.manner in AGAIN):
        message = f"`{node.manner.value}` offers actions; a value is chosen with `chooses`"
        ctx.error(Code.MISPLACED, node.span, message)
    if isinstance(node.offer, tree.OfferActions) and node.offer.until is not None and node.manner not in AGAIN:
        message = "`until` ends what is offered repeatedly"
        ctx.error(Code.MISPLACED, node.offer.until.span, message, hint="say `repeatedly chooses`, or `may repeatedly`")


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
    inner = scope.quiet()
    binders = []
    for pick in offer.picks:
        binder, inner = folds.bind(ctx, pick, inner)
        binders.append(binder)
    weights = None if offer.weights is None else _weights(ctx, offer.weights, inner, chance=chance)
    told = {word: expr for word, expr in inner.names.items() if scope.names.get(word) is not expr}
    chosen = {b.variable.name: ir.Local(b.variable) for b in binders}
    facts = {word: expr for word, expr in told.items() if not isinstance(expr, ir.Local)}
    named = replace(inner.bind(chosen), throws=scope.throws)
    lets, known = statements.frozen(ctx, facts, named, offer.picks[0].span)
    return ir.OfferValues(tuple(binders), weights), known, lets


def _weights(ctx: Context, node: tree.Expr, scope: Scope, *, chance: bool) -> ir.Expr:
    weights = expressions.expression(ctx, node, scope)
    if not chance:
        ctx.error(Code.MISPLACED, node.span, "only chance has weights", hint="say `chance chooses .. weights ..`")
    if weights is UNKNOWN:
        return UNKNOWN
    if not isinstance(weights.type, types.Int):
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"weights are numbers, and this is {typing.name(weights.type)}")
    if weights.type.high < 1:
        return ctx.error(Code.OUT_OF_RANGE, node.span, "nothing has a weight above 0, so nothing can be chosen")
    return ctx.coerce(weights, types.Int(0, weights.type.high), node.span, "a weight")


def _subset(ctx: Context, offer: tree.OfferSubset, scope: Scope) -> tuple[ir.OfferSubset, Scope]:
    domain, of = expressions.domain(ctx, offer.domain, scope)
    if offer.where is not None:
        made, each = names.introduce(ctx, MEMBER, of, scope.quiet(), offer.where.span)
        tested = expressions.test(ctx, offer.where, each)
        domain = ir.Select(types.SetOf(of), ir.Binder(made, domain, tested.expr))
    most = folds.most_members(ctx, domain)
    high: ir.Expr = apply(types.Int(0, most), Op.SIZE, domain)
    if offer.high is not None:
        high = _quota(ctx, offer.high, scope)
    low: ir.Expr = high if offer.exact else number(0)
    if offer.low is not None and not offer.exact:
        low = _quota(ctx, offer.low, scope)
    wanted = offer.low or offer.high
    if wanted is not None and domain is not UNKNOWN and expressions.bounds(low)[0] > most:
        shown = f"there are never more than {most}" if most else "there are none"
        ctx.error(Code.OUT_OF_RANGE, wanted.span, f"so many can not be chosen: {shown}")
    if offer.high is not None and expressions.bounds(high)[1] < 0:
        ctx.error(Code.OUT_OF_RANGE, offer.high.span, "how many? This is less than none")
    made, inner = names.introduce(ctx, offer.name, types.SetOf(of), scope, _after(offer.span, offer.domain))
    return ir.OfferSubset(low, high, domain, made), inner


MEMBER = "it"
"""What a member is called in the `where` of a subset: `2 of hand[p] where it.number > 3 as pair`."""


def _after(span: Span, node: tree.Expr) -> Span:
    """The part of a span after an expression in it."""
    return Span(span.file, node.span.end, max(node.span.end, span.end))


def _quota(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    expr = expressions.expression(ctx, node, scope.quiet())
    if isinstance(expr.type, types.Int | types.Never):
        return expr
    return ctx.error(
        Code.TYPE_MISMATCH, node.span, f"how many? A number is wanted, and this is {typing.name(expr.type)}"
    )


def _share(ctx: Context, node: tree.Share, scope: Scope) -> Made:
    decider = _decider(ctx, node.player, scope)
    if isinstance(node.total, tree.Range):
        low, high = _quota(ctx, node.total.low, scope), _quota(ctx, node.total.high, scope)
    else:
        low = high = _quota(ctx, node.total, scope)
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, each = names.introduce(ctx, node.name, of, scope, _after(node.span, node.total))
    at_most = None if node.at_most is None else _quota(ctx, node.at_most, each)
    most = expressions.bounds(high)[1]
    if at_most is not None:
        most = min(most, expressions.bounds(at_most)[1])
    if most < 0:
        ctx.error(Code.OUT_OF_RANGE, (node.at_most or node.total).span, "nobody can be given less than nothing")
    ty = types.Map(of, types.Int(0, max(0, most)))
    if types.size(of) > LARGEST_BASE:
        ctx.error(
            Code.TOO_LARGE,
            node.domain.span,
            f"{typing.name(of)} has {types.size(of):,} members, too many to share among",
        )
        ty = types.Map(types.Never(), types.Int(0, 0))
    gift, inner = names.introduce(ctx, node.gift, ty, scope, _after(node.span, node.at_most or node.domain))
    offer = ir.OfferShare(low, high, made, domain, at_most, gift)
    said = texts.source(ctx, node.tail, node.span, scope)
    menu = scope.procedure or ""
    return [ir.Choose(decider, False, False, False, False, None, offer, (), None, menu, said)], inner


def _any_order(ctx: Context, node: tree.AnyOrder, scope: Scope) -> ir.Stmt:
    """Each line of the block may come next; an `if` without `else` says whether the line is there at all."""
    player = _decider(ctx, node.player, scope)
    lines = []
    for line in node.lines:
        test: ir.Expr | None = None
        body: tuple[ir.Stmt, ...]
        if isinstance(line, tree.If) and not line.otherwise:
            tested = expressions.test(ctx, line.test, scope.quiet())
            test = tested.expr
            lets, inner = statements.frozen(ctx, tested.if_yes, scope, line.test.span)
            body = (*lets, *statements.block(ctx, line.then, inner))
        else:
            body = statements.block(ctx, (line,), scope)
        lines.append((test, _line_text(ctx, line, scope), body))
    return ir.AnyOrder(player, tuple(lines), texts.source(ctx, node.tail, node.span, scope))


def _line_text(ctx: Context, line: tree.Statement, scope: Scope) -> ir.Text:
    """How the line is called when it is offered: its sentence (after `if P:` that of the step), else what it does."""
    inner = line.then[0] if isinstance(line, tree.If) and line.then else line
    for part in (line, inner):
        tail = getattr(part, "tail", None)
        if isinstance(tail, tree.Tail) and tail.sentence is not None:
            return texts.text(ctx, tail.sentence, scope)
    return ir.Text((inner.span.text.splitlines()[0].strip(),))
