"""Quantifiers, counts, sums, sets by description: everything that ranges over a set."""

from __future__ import annotations

from typing import assert_never

from seaspec.check import expressions, names, typing
from seaspec.check.context import (
    BOOL,
    LARGEST_LISTED,
    NONE,
    UNKNOWN,
    YES,
    Context,
    Scope,
    apply,
    conjunction,
    members,
    negation,
    variable,
)
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.core.walk import walk
from seaspec.diagnostics.codes import Code
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
            return _ways(ctx, node, scope)
        case tree.Select():
            return _select(ctx, node, scope, expected)
        case tree.Collect():
            binders, inner = bind_all(ctx, node.bindings, scope)
            wanted = typing.member(expected) if expected is not None else None
            term = expressions.expression(ctx, node.term, inner, wanted)
            return ir.Collect(types.SetOf(term.type), term, binders)
        case tree.MapFor():
            return _map_for(ctx, node, scope, expected)
        case _:
            assert_never(node)


def bind(ctx: Context, node: tree.Binding, scope: Scope) -> tuple[ir.Binder, Scope]:
    """`x in S where P`: the binder, and the scope in which x is known (and what P tells)."""
    names.check_fresh(ctx, node.name, scope, node.span)
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, local = variable(node.name, of)
    inner = scope.bind({node.name: local})
    if node.filter is None:
        return ir.Binder(made, domain), inner
    tested = expressions.test(ctx, node.filter.test, inner)
    binder = ir.Binder(made, domain, tested.expr, node.filter.prefix)
    return binder, inner.bind(tested.if_yes)


def bind_all(ctx: Context, nodes: tuple[tree.Binding, ...], scope: Scope) -> tuple[tuple[ir.Binder, ...], Scope]:
    binders = []
    for node in nodes:
        binder, scope = bind(ctx, node, scope)
        binders.append(binder)
    return tuple(binders), scope


def _bind_names(ctx: Context, node: tree.Quantifier, scope: Scope) -> tuple[tuple[ir.Binder, ...], Scope]:
    """`a, b in S where P`: the filter is judged when all are bound."""
    domain, of = expressions.domain(ctx, node.domain, scope)
    binders: list[ir.Binder] = []
    inner = scope
    for word in node.names:
        names.check_fresh(ctx, word, inner, node.span)
        made, local = variable(word, of)
        binders.append(ir.Binder(made, domain))
        inner = inner.bind({word: local})
    if node.filter is not None:
        tested = expressions.test(ctx, node.filter.test, inner)
        inner = inner.bind(tested.if_yes)
        return _filtered(binders, tested.expr, prefix=node.filter.prefix), inner
    return tuple(binders), inner


def _filtered(binders: list[ir.Binder], test: ir.Expr, *, prefix: bool) -> tuple[ir.Binder, ...]:
    """The filter at the last name, but for those of its parts that speak of earlier names alone and always have a value:
    they stand there, so that fewer pairs need be looked at."""
    if prefix or len(binders) == 1:
        last = binders[-1]
        return (*binders[:-1], ir.Binder(last.variable, last.domain, test, prefix))
    parts = test.arguments if isinstance(test, ir.Apply) and test.op is Op.AND else (test,)
    tests: list[list[ir.Expr]] = [[] for _ in binders]
    for part in parts:
        used = {node.variable for node in walk(part) if isinstance(node, ir.Local)}
        last_used = max((i for i, b in enumerate(binders) if b.variable in used), default=len(binders) - 1)
        safe = all(isinstance(node, ir.Expr) and not _may_fail(node) for node in walk(part))
        tests[last_used if safe else -1].append(part)
    return tuple(
        ir.Binder(b.variable, b.domain, conjunction(found) if found else None) for b, found in zip(binders, tests, strict=True)
    )


def _may_fail(node: ir.Expr) -> bool:
    """Whether an expression comes with an obligation of its own."""
    partial = (Op.CHECK, Op.ONLY, Op.MAYBE, Op.DIVIDE, Op.MODULO, Op.KEY, Op.SPOT)
    return isinstance(node, ir.WhereIs | ir.PickOne | ir.Call) or (isinstance(node, ir.Apply) and node.op in partial)


def _quantifier(ctx: Context, node: tree.Quantifier, scope: Scope) -> ir.Expr:
    binders, inner = _bind_names(ctx, node, scope)
    body = expressions.test(ctx, node.body, inner).expr
    if node.quantity is tree.Quantity.EVERY:
        return ir.Fold(BOOL, ir.FoldKind.EVERY, binders, body)
    found = ir.Fold(BOOL, ir.FoldKind.SOME, binders, body)
    return negation(found) if node.quantity is tree.Quantity.NO else found


def some_quantifier(ctx: Context, node: tree.Quantifier, scope: Scope) -> expressions.Tested:
    """`some x in S: P` as a test: where it holds, nothing is bound (only `whenever` binds a witness)."""
    return expressions.Tested(_quantifier(ctx, node, scope), {}, {})


def _some_kind(ctx: Context, node: tree.SomeKind, scope: Scope) -> ir.Expr:
    found = _of_kind(ctx, node.kind, node.domain, scope)
    if found is UNKNOWN:
        return UNKNOWN
    assert isinstance(found, ir.Fold)
    there = ir.Fold(BOOL, ir.FoldKind.SOME, found.binders, YES)
    return negation(there) if node.quantity is tree.Quantity.NO else there


def _of_kind(ctx: Context, kind_node: tree.Capital, domain_node: tree.Expr, scope: Scope) -> ir.Expr:
    """How many members of a kind a set has."""
    kind = names.kind(ctx, kind_node)
    if kind is None:
        every = [*ctx.kinds, *ctx.merged.types]
        return ctx.unknown_name("the kind", kind_node.name, kind_node.span, every)
    domain, of = expressions.domain(ctx, domain_node, scope)
    if isinstance(of, types.Never):
        return UNKNOWN if domain is UNKNOWN else ir.Fold(types.Int(0, 0), ir.FoldKind.COUNT, (), YES)
    if typing.fit(of, kind) is typing.Fit.NO and kind.members:
        message = f"there is never a {kind_node.name} among {typing.name(of)}"
        return ctx.error(Code.NOT_COMPARABLE, kind_node.span, message)
    made, local = variable("x", of)
    most = min(names.most_members(ctx, domain), len(kind.members))
    binder = ir.Binder(made, domain, apply(BOOL, Op.IN, local, members(kind)))
    return ir.Fold(types.Int(0, most), ir.FoldKind.COUNT, (binder,), YES)


def _count(ctx: Context, node: tree.Count, scope: Scope) -> ir.Expr:
    if node.kind is not None:
        return _of_kind(ctx, node.kind, node.domain, scope)
    assert node.name is not None
    binder, _ = bind(ctx, tree.Binding(node.span, node.name, node.domain, node.filter), scope)
    most = names.most_members(ctx, binder.domain)
    return ir.Fold(types.Int(0, most), ir.FoldKind.COUNT, (binder,), YES)


def _sum(ctx: Context, node: tree.Sum, scope: Scope) -> ir.Expr:
    binders, inner = bind_all(ctx, node.bindings, scope)
    term = _number(ctx, node.term, inner)
    low, high = expressions.bounds(term)
    most = 1
    for binder in binders:
        most *= max(0, names.most_members(ctx, binder.domain))
    return ir.Fold(types.Int(min(0, low * most), max(0, high * most)), ir.FoldKind.SUM, binders, term)


def _number(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    term = expressions.expression(ctx, node, scope)
    if not isinstance(term.type, types.Int | types.Never):
        return ctx.error(
            Code.TYPE_MISMATCH, node.span, f"a number is wanted here, and this is {typing.name(term.type)}"
        )
    return term


def _best(ctx: Context, node: tree.Best, scope: Scope) -> ir.Expr:
    binders, inner = bind_all(ctx, node.bindings, scope)
    term = _number(ctx, node.term, inner)
    kind = ir.FoldKind.MOST if node.most else ir.FoldKind.LEAST
    if node.otherwise is None:
        return ir.Fold(term.type, kind, binders, term)
    otherwise = _number(ctx, node.otherwise, scope)
    ty = typing.join(term.type, otherwise.type) or term.type
    return ir.Fold(ty, kind, binders, term, otherwise)


def _the_one(ctx: Context, node: tree.TheOne, scope: Scope, expected: Type | None) -> ir.Expr:
    binder, _ = bind(ctx, node.binding, scope)
    of = binder.variable.type
    if node.otherwise is None:
        return ir.PickOne(of, node.first, binder, None)
    otherwise = expressions.expression(ctx, node.otherwise, scope, expected or of)
    ty = typing.join(of, otherwise.type)
    if ty is None:
        found, wanted = typing.name(otherwise.type), typing.name(of)
        return ctx.error(Code.TYPE_MISMATCH, node.otherwise.span, f"this is {found}, and the others are {wanted}")
    return ir.PickOne(ty, node.first, binder, otherwise)


def _reach(ctx: Context, node: tree.Reach, scope: Scope) -> ir.Expr:
    start, of = expressions.domain(ctx, node.start, scope)
    wide: Type = ctx.types[of.board] if isinstance(of, types.Cells) else of
    for word in (node.here, node.there):
        names.check_fresh(ctx, word, scope, node.span)
    if isinstance(wide, types.Pieces):
        wide = _component(ctx, wide)
    here, here_local = variable(node.here, wide)
    there, there_local = variable(node.there, wide)
    inner = scope.bind({node.here: here_local, node.there: there_local})
    relation = expressions.test(ctx, node.relation, inner).expr
    return ir.Reach(types.SetOf(wide), start, here, there, relation)


def _component(ctx: Context, ty: types.Pieces) -> types.Pieces:
    """The whole component that pieces belong to."""
    if not ty.members:
        return ty
    return ctx.kinds[ctx.pieces[ty.members[0]].kinds[-1]]


def _ways(ctx: Context, node: tree.Ways, scope: Scope) -> ir.Expr:
    names.check_fresh(ctx, node.name, scope, node.span)
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, local = variable(node.name, of)
    choices, value = expressions.domain(ctx, node.choices, scope.bind({node.name: local}))
    return ir.Ways(types.SetOf(types.Map(of, value)), made, domain, choices)


def _select(ctx: Context, node: tree.Select, scope: Scope, expected: Type | None) -> ir.Expr:
    binder, inner = bind(ctx, node.binding, scope)
    of: Type = binder.variable.type
    narrowed = inner.names.get(node.binding.name)
    if narrowed is not None and not isinstance(narrowed.type, types.Optional):
        of = narrowed.type
    ordered = isinstance(binder.domain.type, types.SetOf) and binder.domain.type.ordered
    ty = types.SetOf(of, ordered)
    if node.best is None:
        return ir.Select(ty, binder)
    most, key = node.best
    return ir.Select(ty, binder, (most, _number(ctx, key, inner)))


def _map_for(ctx: Context, node: tree.MapFor, scope: Scope, expected: Type | None) -> ir.Expr:
    if len(node.bindings) != 1 or node.bindings[0].filter is not None:
        return ctx.error(Code.WRONG_COUNT, node.span, "a map has one key, and a value for each of its values")
    binder, inner = bind(ctx, node.bindings[0], scope)
    domain = binder.domain
    keys: Type = binder.variable.type
    if isinstance(domain, ir.Apply) and domain.op is Op.RANGE:
        low, high = (ctx.constant(a, node.span) for a in domain.arguments)
        if not (isinstance(low, int) and isinstance(high, int)):
            return UNKNOWN
        keys = types.Int(low, high)
    if types.size(keys) > LARGEST_LISTED:
        return ctx.error(Code.TOO_LARGE, node.span, f"a map with {types.size(keys)} keys is too large")
    wanted = expected.values if isinstance(expected, types.Map) else None
    term = expressions.expression(ctx, node.term, inner, wanted)
    return ir.Collect(types.Map(keys, term.type), term, (binder,))


__all__ = ["NONE", "bind", "bind_all", "fold", "some_quantifier"]
