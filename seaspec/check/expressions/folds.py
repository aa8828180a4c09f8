"""Quantifiers, counts, sums, sets by description: everything that ranges over a set."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import assert_never

from seaspec.check import typing
from seaspec.check.context import BOOL, UNKNOWN, YES, Context, Scope, apply, declared_here, members, negation, variable
from seaspec.check.expressions import expressions, names
from seaspec.check.limits import LARGEST_BASE, LARGEST_NUMBER
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.source import Span
from seaspec.syntax import tree

Ranging = (
    tree.Quantifier | tree.SomeKind | tree.Count | tree.Sum | tree.Best | tree.TheOne | tree.Reach | tree.Ways
    | tree.Select | tree.Collect | tree.MapFor
)  # fmt: skip


def fold(ctx: Context, node: Ranging, scope: Scope, expected: Type | None) -> ir.Expr:
    """Any expression that ranges over a set."""
    match node:
        case tree.Quantifier():
            return _quantifier(ctx, node, scope)
        case tree.SomeKind():
            return _some_kind(ctx, node, scope)
        case tree.Count():
            return _count(ctx, node, scope)
        case tree.Sum():
            return _sum(ctx, node, scope)
        case tree.Best():
            return _best(ctx, node, scope)
        case tree.TheOne():
            return _the_one(ctx, node, scope, expected)
        case tree.Reach():
            return _reach(ctx, node, scope)
        case tree.Ways():
            hint = "they may be what `most`, `least`, `some`, `every` or `no` range over"
            return ctx.error(Code.MISPLACED, node.span, "there may be too many ways to list them here", hint=hint)
        case tree.Select():
            return _select(ctx, node, scope)
        case tree.Collect():
            return _collect(ctx, node, scope, expected)
        case tree.MapFor():
            return _map_for(ctx, node, scope, expected)
        case _:
            assert_never(node)


# ------------------------------------------------------------------------------------------------------------ binding


def bind(ctx: Context, node: tree.Binding, scope: Scope, *, ways: bool = False) -> tuple[ir.Binder, Scope]:
    """`x in S where P`: the binder, and the scope in which x is known (and what P tells)."""
    binders, inner = bind_names(ctx, (node.name,), node.domain, node.filter, scope, node.span, ways=ways)
    return binders[0], inner


def bind_all(
    ctx: Context, nodes: Sequence[tree.Binding], scope: Scope, *, ways: bool = False
) -> tuple[tuple[ir.Binder, ...], Scope]:
    binders = []
    for node in nodes:
        binder, scope = bind(ctx, node, scope, ways=ways)
        binders.append(binder)
    return tuple(binders), scope


def bind_names(
    ctx: Context,
    words: Sequence[str],
    domain_node: tree.Expr,
    filter: tree.Filter | None,
    scope: Scope,
    span: Span,
    *,
    ways: bool = False,
) -> tuple[tuple[ir.Binder, ...], Scope]:
    """`a, b in S where P`: all range over S; P is judged when all are bound. `ways`: S may be ways to give."""
    if ways and isinstance(domain_node, tree.Ways):
        domain, of = _ways(ctx, domain_node, scope)
    else:
        domain, of = expressions.domain(ctx, domain_node, scope)
    if filter is not None and filter.prefix:
        check_ordered(ctx, domain, domain_node, "`while` takes the first ones")
    binders: list[ir.Binder] = []
    inner = scope
    for word in words:
        made, inner = names.introduce(ctx, word, of, inner, span)
        binders.append(ir.Binder(made, domain))
    if filter is not None:
        tested = expressions.test(ctx, filter.test, inner)
        last = binders[-1]
        binders[-1] = ir.Binder(last.variable, last.domain, tested.expr, filter.prefix)
        inner = inner.bind(tested.if_yes)
    return tuple(binders), inner


def check_ordered(ctx: Context, domain: ir.Expr, node: tree.Expr, what: str) -> None:
    """Pieces that lie together have an order in a row or pile only; if they are all alike, it does not matter."""
    inner = domain
    while isinstance(inner, ir.Select):
        inner = inner.binder.domain
    if isinstance(inner, ir.PlaceRead | ir.Everywhere):
        place = ctx.places[inner.place]
        ordered = isinstance(inner, ir.PlaceRead) and place.order in (ir.PlaceOrder.ROW, ir.PlaceOrder.PILE)
        if not ordered and len({ctx.pieces[member].twin for member in place.holds.members}) > 1:
            hint = "rows, piles, rays, lines, ranges and types have an order"
            message = f"{what}, and what lies in '{place.name}' is in no order"
            ctx.error(Code.NOT_A_SET, node.span, message, hint=hint, labels=declared_here(place))


def most_members(ctx: Context, expr: ir.Expr) -> int:
    """The most members that a set can have."""
    match expr:
        case ir.PlaceRead(_, name):
            place = ctx.places[name]
            if isinstance(place.capacity, ir.Const) and isinstance(place.capacity.value, int):
                return min(place.capacity.value, len(place.holds.members))
            return len(place.holds.members)
        case ir.Const(_, tuple() as value):
            return len(value)
        case ir.Apply(_, Op.DIFFERENCE, (first, _)):
            return most_members(ctx, first)
        case ir.Apply(_, Op.SET, arguments):
            return len(arguments)
        case ir.Select(_, binder):
            return most_members(ctx, binder.domain)
        case _:  # cautious: as many as its type has, below
            pass
    if isinstance(expr.type, types.Optional):
        return 1
    of = typing.member(expr.type)
    return 0 if of is None else types.size(of)


# -------------------------------------------------------------------------------------------------- tests and counts


def _quantifier(ctx: Context, node: tree.Quantifier, scope: Scope) -> ir.Expr:
    binders, inner = bind_names(ctx, node.names, node.domain, node.filter, scope, node.span, ways=True)
    body = expressions.test(ctx, node.body, inner).expr
    if node.quantity is tree.Quantity.EVERY:
        return ir.Fold(BOOL, ir.FoldKind.EVERY, binders, body)
    found = ir.Fold(BOOL, ir.FoldKind.SOME, binders, body)
    return negation(found) if node.quantity is tree.Quantity.NO else found


def _some_kind(ctx: Context, node: tree.SomeKind, scope: Scope) -> ir.Expr:
    binder = _of_kind(ctx, node.kind, node.domain, scope)
    if binder is None:
        return UNKNOWN
    there = ir.Fold(BOOL, ir.FoldKind.SOME, (binder,), YES)
    return negation(there) if node.quantity is tree.Quantity.NO else there


def _of_kind(ctx: Context, kind_node: tree.Capital, domain_node: tree.Expr, scope: Scope) -> ir.Binder | None:
    """The members of a kind in a set."""
    kind = names.kind(ctx, kind_node)
    domain, of = expressions.domain(ctx, domain_node, scope)
    if kind is None:
        known = [*ctx.kinds, *ctx.merged.types, *ctx.merged.boards]
        ctx.unknown_name("the kind", kind_node.name, kind_node.span, known)
        return None
    if domain is UNKNOWN:
        return None
    if typing.disjoint(of, kind):
        message = f"there is never a {kind_node.name} among {typing.name(of)}"
        ctx.error(Code.NOT_COMPARABLE, kind_node.span, message)
        return None
    made, local = variable("x", of)
    return ir.Binder(made, domain, apply(BOOL, Op.IN, local, members(kind)))


def _count(ctx: Context, node: tree.Count, scope: Scope) -> ir.Expr:
    if node.kind is not None:
        binder = _of_kind(ctx, node.kind, node.domain, scope)
        kind = names.kind(ctx, node.kind)
        if binder is None or kind is None:
            return UNKNOWN
        most = min(most_members(ctx, binder.domain), len(kind.members))
    else:
        assert node.name is not None
        binder, _ = bind(ctx, tree.Binding(node.span, node.name, node.domain, node.filter), scope)
        most = most_members(ctx, binder.domain)
    return ir.Fold(types.Int(0, most), ir.FoldKind.COUNT, (binder,), YES)


# ----------------------------------------------------------------------------------------------------------- numbers


def _sum(ctx: Context, node: tree.Sum, scope: Scope) -> ir.Expr:
    binders, inner = bind_all(ctx, node.bindings, scope)
    term = number(ctx, node.term, inner)
    if term is UNKNOWN:
        return UNKNOWN
    low, high = expressions.bounds(term)
    times = prod(most_members(ctx, binder.domain) for binder in binders)
    if max(abs(low), abs(high)) * times > LARGEST_NUMBER:
        return ctx.error(Code.TOO_LARGE, node.span, f"this may add up to more than {LARGEST_NUMBER:,}")
    return ir.Fold(types.Int(min(0, low * times), max(0, high * times)), ir.FoldKind.SUM, binders, term)


def number(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """An expression that is a number."""
    term = expressions.expression(ctx, node, scope)
    if isinstance(term.type, types.Int | types.Never):
        return term
    return ctx.error(Code.TYPE_MISMATCH, node.span, f"a number is wanted here, and this is {typing.name(term.type)}")


def _best(ctx: Context, node: tree.Best, scope: Scope) -> ir.Expr:
    binders, inner = bind_all(ctx, node.bindings, scope, ways=True)
    term = number(ctx, node.term, inner)
    otherwise = None if node.otherwise is None else number(ctx, node.otherwise, scope)
    if term is UNKNOWN or otherwise is UNKNOWN:
        return UNKNOWN
    kind = ir.FoldKind.MOST if node.most else ir.FoldKind.LEAST
    ty = term.type if otherwise is None else typing.join(term.type, otherwise.type) or term.type
    return ir.Fold(ty, kind, binders, term, otherwise)


def _the_one(ctx: Context, node: tree.TheOne, scope: Scope, expected: Type | None) -> ir.Expr:
    binder, inner = bind(ctx, node.binding, scope)
    of = _found_type(binder, inner, node.binding.name)
    if node.otherwise is None:
        return ir.PickOne(of, node.first, binder, None)
    otherwise = expressions.expression(ctx, node.otherwise, scope, expected or of)
    ty = typing.join(of, otherwise.type)
    if ty is None:
        message = f"this is {typing.name(otherwise.type)}, and what is looked for is {typing.name(of)}"
        return ctx.error(Code.TYPE_MISMATCH, node.otherwise.span, message)
    return UNKNOWN if otherwise is UNKNOWN else ir.PickOne(ty, node.first, binder, otherwise)


def _found_type(binder: ir.Binder, inner: Scope, name: str) -> Type:
    """The type of the members for which the filter holds: it may tell more (`c in hand[p] where c is Joker`)."""
    narrowed = inner.names[name].type
    return binder.variable.type if isinstance(narrowed, types.Optional | types.Never) else narrowed


# -------------------------------------------------------------------------------------------------------------- sets


def _select(ctx: Context, node: tree.Select, scope: Scope) -> ir.Expr:
    binder, inner = bind(ctx, node.binding, scope)
    ordered = isinstance(binder.domain.type, types.SetOf) and binder.domain.type.ordered
    ty = types.SetOf(_found_type(binder, inner, node.binding.name), ordered)
    if node.best is None:
        return ir.Select(ty, binder)
    most, key = node.best
    return ir.Select(ty, binder, (most, number(ctx, key, inner)))


def _collect(ctx: Context, node: tree.Collect, scope: Scope, expected: Type | None) -> ir.Expr:
    binders, inner = bind_all(ctx, node.bindings, scope)
    wanted = typing.member(expected) if expected is not None else None
    term = expressions.single(ctx, expressions.expression(ctx, node.term, inner, wanted))
    if isinstance(term.type, types.Optional):
        hint = "leave those out: `for x in S where f(x) is some`"
        return ctx.error(Code.MAY_BE_NONE, node.term.span, "this may be none, and none belongs to no set", hint=hint)
    return UNKNOWN if term is UNKNOWN else ir.Collect(types.SetOf(term.type), term, binders)


def _map_for(ctx: Context, node: tree.MapFor, scope: Scope, expected: Type | None) -> ir.Expr:
    if len(node.bindings) != 1 or node.bindings[0].filter is not None:
        hint = "a map is total: `[e for k in K]`, without `where`"
        return ctx.error(Code.MISPLACED, node.span, "a map has one key, and a value for each of its values", hint=hint)
    binder, inner = bind(ctx, node.bindings[0], scope)
    keys = _keys(ctx, binder, node.bindings[0])
    if isinstance(keys, types.Never):
        return UNKNOWN
    wanted = expected.values if isinstance(expected, types.Map) else None
    term = expressions.single(ctx, expressions.expression(ctx, node.term, inner, wanted))
    return UNKNOWN if term is UNKNOWN else ir.Collect(types.Map(keys, term.type), term, (binder,))


def _keys(ctx: Context, binder: ir.Binder, node: tree.Binding) -> Type:
    """The type whose values are just the members of the set: a type, or a range that is known."""
    keys = binder.variable.type
    if isinstance(keys, types.Never):
        return keys
    found = ctx.constant(binder.domain, node.domain.span)
    if not isinstance(found, tuple):
        return types.Never()
    if isinstance(keys, types.Int) and found:
        keys = types.Int(min(found), max(found))
    if isinstance(keys, types.SetOf) or len(found) > LARGEST_BASE:
        ctx.error(
            Code.TOO_LARGE, node.domain.span, f"a map with {len(found):,} keys; at most {LARGEST_BASE:,} are possible"
        )
        return types.Never()
    if found != tuple(types.values(keys)):
        ctx.error(
            Code.TYPE_MISMATCH,
            node.domain.span,
            f"a map has all of {typing.name(keys)} as keys, and this is a part of it",
        )
        return types.Never()
    return keys


def _reach(ctx: Context, node: tree.Reach, scope: Scope) -> ir.Expr:
    start, of = expressions.domain(ctx, node.start, scope)
    wide: Type = of
    if isinstance(of, types.Cells):
        wide = ctx.types[of.board]
    elif isinstance(of, types.Pieces):
        wide = _components(ctx, of)
    here, inner = names.introduce(ctx, node.here, wide, scope, node.span)
    there, inner = names.introduce(ctx, node.there, wide, inner, node.span)
    relation = expressions.test(ctx, node.relation, inner).expr
    return UNKNOWN if UNKNOWN in (start, relation) else ir.Reach(types.SetOf(wide), start, here, there, relation)


def _components(ctx: Context, ty: types.Pieces) -> types.Pieces:
    """All of the components that pieces belong to."""
    found = {ctx.pieces[member].kinds[-1] for member in ty.members}
    wholes = [ctx.kinds[name] for name in sorted(found)]
    if len(wholes) == 1:
        return wholes[0]
    return types.Pieces(ty.name, tuple(sorted(m for whole in wholes for m in whole.members)))


def _ways(ctx: Context, node: tree.Ways, scope: Scope) -> tuple[ir.Expr, Type]:
    """All maps that give each of some things one of its choices; what gets nothing has none."""
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, inner = names.introduce(ctx, node.name, of, scope, node.span)
    choices, value = expressions.domain(ctx, node.choices, inner)
    if UNKNOWN in (domain, choices):
        return UNKNOWN, types.Never()
    all_get_one = ctx.known_value(domain) == tuple(types.values(of))
    ty = types.Map(of, value if all_get_one else types.Optional(typing.known(value)))
    return ir.Ways(types.SetOf(ty), made, domain, choices), ty
