"""Expressions: from syntax to typed core.

`expression` elaborates any expression; `test` one that must be yes or no, together with what is known where it holds
and where it does not (`x is some y` gives y a meaning, `c is Storm` makes c a Storm); `domain` a set to range over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, assert_never

from seaspec.check import builtins, folds, names, typing
from seaspec.check.context import (
    BOOL,
    LARGEST_LISTED,
    NONE,
    UNKNOWN,
    YES,
    Context,
    Scope,
    apply,
    is_single,
    members,
    negation,
    number,
    variable,
)
from seaspec.check.typing import Fit, fit
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import Operator


class Tested(NamedTuple):
    """A test, and the local names that have a (narrower) meaning where it holds, and where it does not."""

    expr: ir.Expr
    if_yes: Mapping[str, ir.Expr]
    if_no: Mapping[str, ir.Expr]


def expression(ctx: Context, node: tree.Expr, scope: Scope, expected: Type | None = None) -> ir.Expr:
    """The meaning of an expression; `expected` helps where a name alone is ambiguous."""
    match node:
        case tree.Number(_, value):
            return number(value)
        case tree.YesNo(_, value):
            return ir.Const(BOOL, value)
        case tree.NoneValue():
            return NONE
        case tree.Name() | tree.Capital():
            return names.name(ctx, node, scope, expected)
        case tree.Apply():
            return builtins.call(ctx, node, scope, expected)
        case tree.Index():
            return names.index(ctx, node, scope)
        case tree.Dot():
            return names.dot(ctx, node, scope)
        case tree.Unary() | tree.Binary() | tree.Is():
            return _operation(ctx, node, scope, expected)
        case tree.Range(_, low, high):
            return _range(ctx, node, low, high, scope)
        case tree.Can():
            return names.can(ctx, node, scope)
        case tree.Has():
            return _has(ctx, node, scope)
        case tree.IfElse():
            return _if_else(ctx, node, scope, expected)
        case tree.Match():
            return _match(ctx, node, scope, expected)
        case tree.LetIn(_, name, value, body):
            bound = expression(ctx, value, scope.quiet())
            made, local = variable(name, bound.type)
            names.check_fresh(ctx, name, scope, node.span)
            inner = expression(ctx, body, scope.bind({name: local}), expected)
            return ir.LetIn(made, bound, inner)
        case tree.Openly(_, inner_node):
            return ir.Openly(expression(ctx, inner_node, scope, expected))
        case (
            tree.Quantifier() | tree.SomeKind() | tree.Count() | tree.Sum() | tree.Best() | tree.TheOne()
            | tree.Reach() | tree.Ways() | tree.Select() | tree.Collect() | tree.MapFor()
        ):  # fmt: skip
            return folds.fold(ctx, node, scope.quiet(), expected)
        case tree.SetLiteral():
            return _set(ctx, node, scope, expected)
        case tree.MapLiteral():
            return _map(ctx, node, scope, expected)
        case _:
            assert_never(node)


def test(ctx: Context, node: tree.Expr, scope: Scope) -> Tested:
    """An expression that is yes or no, and what it tells."""
    match node:
        case tree.Unary(_, Operator.NOT, operand):
            inner = test(ctx, operand, scope)
            return Tested(negation(inner.expr), inner.if_no, inner.if_yes)
        case tree.Binary(_, Operator.AND, left, right):
            first = test(ctx, left, scope)
            second = test(ctx, right, scope.bind(first.if_yes).quiet())
            return Tested(_joined(Op.AND, first.expr, second.expr), {**first.if_yes, **second.if_yes}, {})
        case tree.Binary(_, Operator.OR, left, right):
            first = test(ctx, left, scope)
            second = test(ctx, right, scope.bind(first.if_no).quiet())
            return Tested(_joined(Op.OR, first.expr, second.expr), {}, {**first.if_no, **second.if_no})
        case tree.Binary(_, Operator.IMPLIES, left, right):
            first = test(ctx, left, scope)
            second = test(ctx, right, scope.bind(first.if_yes).quiet())
            return Tested(apply(BOOL, Op.IMPLIES, first.expr, second.expr), {}, first.if_yes)
        case tree.Is():
            return _is(ctx, node, scope)
        case tree.Openly(_, inner_node):
            inner = test(ctx, inner_node, scope)
            return Tested(ir.Openly(inner.expr), inner.if_yes, inner.if_no)
        case tree.Quantifier() if node.quantity is tree.Quantity.SOME:
            return folds.some_quantifier(ctx, node, scope.quiet())
        case _:
            expr = ctx.coerce(expression(ctx, node, scope, BOOL), BOOL, node.span, "a test")
            return Tested(expr, {}, {})


def domain(ctx: Context, node: tree.Expr, scope: Scope, expected: Type | None = None) -> tuple[ir.Expr, Type]:
    """A set to range over (an optional is a set of at most one), and the type of its members."""
    wanted = types.SetOf(expected or types.Never())
    expr = expression(ctx, node, scope.quiet(), wanted)
    of = typing.member(expr.type)
    if of is None:
        found = typing.name(expr.type)
        ctx.error(Code.NOT_A_SET, node.span, f"a set is wanted here, and this is {found}")
        return UNKNOWN, types.Never()
    return expr, of


def single(ctx: Context, expr: ir.Expr) -> ir.Expr:
    """A place with at most one piece, taken for that piece or none; anything else as it is."""
    if is_single(expr):
        of = typing.member(expr.type)
        assert of is not None
        return apply(types.Optional(of), Op.MAYBE, expr)
    return expr


def _joined(op: Op, first: ir.Expr, second: ir.Expr) -> ir.Expr:
    parts: list[ir.Expr] = []
    for part in (first, second):
        parts.extend(part.arguments if isinstance(part, ir.Apply) and part.op is op else [part])
    return ir.Apply(BOOL, op, tuple(parts))


def _operation(
    ctx: Context, node: tree.Unary | tree.Binary | tree.Is, scope: Scope, expected: Type | None
) -> ir.Expr:
    match node:
        case tree.Is() | tree.Unary(_, Operator.NOT) | tree.Binary(_, Operator.AND | Operator.OR | Operator.IMPLIES):
            return test(ctx, node, scope).expr
        case tree.Unary(_, Operator.NEGATE, operand):
            value = _number(ctx, operand, scope)
            low, high = bounds(value)
            if isinstance(value, ir.Const) and isinstance(value.value, int):
                return number(-value.value)
            return apply(types.Int(-high, -low), Op.NEGATE, value)
        case tree.Unary(_, Operator.OLD, operand):
            if not scope.promise:
                return ctx.error(Code.ONLY_IN_PROMISES, node.span, "`old` has a meaning in promises only")
            return ir.Old(expression(ctx, operand, scope.quiet(), expected))
        case tree.Unary(_, Operator.SIZE, operand):
            subject, _ = domain(ctx, operand, scope)
            return apply(types.Int(0, names.most_members(ctx, subject)), Op.SIZE, subject)
        case tree.Binary(_, Operator.IN | Operator.NOT_IN, left, right):
            return _membership(ctx, node, left, right, scope)
        case tree.Binary(_, Operator.EQUAL | Operator.UNEQUAL, left, right):
            found = equality(ctx, left, right, node, scope)
            return negation(found) if node.op is Operator.UNEQUAL else found
        case tree.Binary(_, Operator.ADD | Operator.SUBTRACT, left, right):
            return _sum(ctx, node, left, right, scope, expected)
        case tree.Binary():
            return _arithmetic(ctx, node, scope)
        case _:
            raise AssertionError(node)


COMPARISONS = {
    Operator.LESS: Op.LESS,
    Operator.AT_MOST: Op.AT_MOST,
    Operator.MORE: Op.MORE,
    Operator.AT_LEAST: Op.AT_LEAST,
}


def _arithmetic(ctx: Context, node: tree.Binary, scope: Scope) -> ir.Expr:
    left, right = _number(ctx, node.left, scope), _number(ctx, node.right, scope)
    if node.op in COMPARISONS:
        _literal_size(ctx, node, left, right)
        return apply(BOOL, COMPARISONS[node.op], left, right)
    (a, b), (c, d) = bounds(left), bounds(right)
    if isinstance(left.type, types.Fraction) or isinstance(right.type, types.Fraction):
        op = {Operator.MULTIPLY: Op.MULTIPLY, Operator.DIVIDE: Op.DIVIDE}.get(node.op)
        if op is None:
            return ctx.error(Code.TYPE_MISMATCH, node.span, "odds can be multiplied, divided and compared")
        return apply(types.Fraction(), op, left, right)
    match node.op:
        case Operator.MULTIPLY:
            products = (a * c, a * d, b * c, b * d)
            return apply(types.Int(min(products), max(products)), Op.MULTIPLY, left, right)
        case Operator.DIVIDE:
            if c == d == 0:
                return ctx.error(Code.OUT_OF_RANGE, node.right.span, "division by 0")
            divisors = [x for x in (c, d, 1, -1) if x and c <= x <= d]
            quotients = [x // y for x in (a, b) for y in divisors]
            return apply(types.Int(min(quotients), max(quotients)), Op.DIVIDE, left, right)
        case Operator.MODULO:
            if c == d == 0:
                return ctx.error(Code.OUT_OF_RANGE, node.right.span, "division by 0")
            if c > 0 and 0 <= a and b < c:
                return apply(types.Int(a, b), Op.MODULO, left, right)
            return apply(types.Int(min(0, c + 1), max(0, d - 1)), Op.MODULO, left, right)
        case _:
            raise AssertionError(node.op)


def _sum(
    ctx: Context, node: tree.Binary, left: tree.Expr, right: tree.Expr, scope: Scope, expected: Type | None
) -> ir.Expr:
    """`+` and `-`: of numbers, of sets, of a ring value and a number."""
    first = expression(ctx, left, scope, expected)
    minus = node.op is Operator.SUBTRACT
    kind = typing.known(first.type) if not isinstance(first.type, types.SetOf) else first.type
    if isinstance(kind, types.Enum):
        if not kind.ring:
            return ctx.error(Code.TYPE_MISMATCH, left.span, f"{kind.name} is no ring, so nothing comes after its values")
        by = _number(ctx, right, scope)
        if minus:
            low, high = bounds(by)
            by = number(-by.value) if isinstance(by, ir.Const) and isinstance(by.value, int) else apply(
                types.Int(-high, -low), Op.NEGATE, by
            )
        return apply(kind, Op.TURN, ctx.coerce(first, kind, left.span), by)
    if isinstance(first.type, types.SetOf):
        second = expression(ctx, right, scope, first.type)
        if not isinstance(second.type, types.SetOf):
            found = typing.name(second.type)
            return ctx.error(Code.NOT_A_SET, right.span, f"a set is wanted here, and this is {found}")
        if minus:
            return apply(first.type, Op.DIFFERENCE, first, second)
        joined = typing.join(first.type, second.type)
        if not isinstance(joined, types.SetOf):
            return _not_comparable(ctx, node, first, second, "joined")
        return apply(types.SetOf(joined.of), Op.UNION, first, second)
    left_number = _as_number(ctx, first, left)
    right_number = _number(ctx, right, scope)
    (a, b), (c, d) = bounds(left_number), bounds(right_number)
    if isinstance(left_number.type, types.Fraction) or isinstance(right_number.type, types.Fraction):
        return apply(types.Fraction(), Op.SUBTRACT if minus else Op.ADD, left_number, right_number)
    if minus:
        return apply(types.Int(a - d, b - c), Op.SUBTRACT, left_number, right_number)
    return apply(types.Int(a + c, b + d), Op.ADD, left_number, right_number)


def _number(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    return _as_number(ctx, expression(ctx, node, scope), node)


def _as_number(ctx: Context, expr: ir.Expr, node: tree.Expr) -> ir.Expr:
    if isinstance(expr.type, types.Int | types.Fraction | types.Never):
        return expr
    hint = "`size of ..` counts the members" if typing.member(expr.type) is not None else None
    return ctx.error(
        Code.TYPE_MISMATCH, node.span, f"a number is wanted here, and this is {typing.name(expr.type)}", hint=hint
    )


def bounds(expr: ir.Expr) -> tuple[int, int]:
    """Least and greatest value of a number."""
    return (expr.type.low, expr.type.high) if isinstance(expr.type, types.Int) else (0, 0)


def _range(ctx: Context, node: tree.Range, low: tree.Expr, high: tree.Expr, scope: Scope) -> ir.Expr:
    first = expression(ctx, low, scope)
    last = expression(ctx, high, scope)
    if isinstance(first.type, types.Cells) and isinstance(last.type, types.Cells):
        return _rectangle(ctx, node, first, last)
    first, last = _as_number(ctx, first, low), _as_number(ctx, last, high)
    (least, _), (_, most) = bounds(first), bounds(last)
    if most - least > LARGEST_LISTED:
        return ctx.error(Code.TOO_LARGE, node.span, f"a range of up to {most - least + 1} numbers is too large")
    return apply(types.SetOf(types.Int(least, most), ordered=True), Op.RANGE, first, last)


def _rectangle(ctx: Context, node: tree.Range, first: ir.Expr, last: ir.Expr) -> ir.Expr:
    """`C1..D3`: the cells between two corners."""
    a, b = ctx.constant(first, node.span), ctx.constant(last, node.span)
    if not (isinstance(a, int) and isinstance(b, int) and isinstance(first.type, types.Cells)):
        return UNKNOWN
    board = ctx.boards[first.type.board]
    (column, row), (other_column, other_row) = board.cells[a], board.cells[b]
    columns, rows = sorted((column, other_column)), sorted((row, other_row))
    found = tuple(
        i for i, (c, r) in enumerate(board.cells) if columns[0] <= c <= columns[1] and rows[0] <= r <= rows[1]
    )
    return ir.Const(types.SetOf(types.Cells(board.name, board.name, found)), found)


def _membership(ctx: Context, node: tree.Binary, left: tree.Expr, right: tree.Expr, scope: Scope) -> ir.Expr:
    container, of = domain(ctx, right, scope)
    subject = single(ctx, expression(ctx, left, scope, of))
    inside = fit(typing.known(subject.type), of)
    if inside is Fit.NO and not _numbers(subject.type, of):
        message = f"{typing.name(subject.type)} is never in a {typing.name(container.type)}"
        return ctx.error(Code.NOT_COMPARABLE, node.span, message)
    found = (
        apply(BOOL, Op.EQUAL, subject, container)
        if isinstance(container.type, types.Optional)
        else apply(BOOL, Op.IN, subject, container)
    )
    if isinstance(container.type, types.Optional):
        found = ir.Apply(BOOL, Op.AND, (apply(BOOL, Op.UNEQUAL, subject, NONE), found))
    return negation(found) if node.op is Operator.NOT_IN else found


def _numbers(a: Type, b: Type) -> bool:
    return isinstance(typing.known(a), types.Int) and isinstance(typing.known(b), types.Int)


def equality(ctx: Context, left: tree.Expr, right: tree.Expr, node: tree.Expr, scope: Scope) -> ir.Expr:
    """`a = b`, `a is b` for two values."""
    first = expression(ctx, left, scope)
    second = expression(ctx, right, scope, typing.known(first.type))
    if is_single(first) and isinstance(second.type, types.SetOf) and not is_single(second):
        return equal(ctx, first, second, node)
    first, second = single(ctx, first), single(ctx, second)
    _literal_size(ctx, node, first, second)
    if isinstance(second.type, types.Enum) and isinstance(left, tree.Name):
        first = single(ctx, expression(ctx, left, scope, second.type))
    if isinstance(left, tree.Capital | tree.Apply):
        first = single(ctx, expression(ctx, left, scope, typing.known(second.type)))
    return equal(ctx, first, second, node)


def _literal_size(ctx: Context, node: tree.Expr, left: ir.Expr, right: ir.Expr) -> None:
    """`c.row = 6` on a board of six rows: it would be wrong in a small world."""
    for place, literal, side in ((left, right, getattr(node, "right", node)), (right, left, getattr(node, "left", node))):
        if not isinstance(side, tree.Number) or not isinstance(place, ir.Lookup) or not isinstance(literal, ir.Const):
            continue
        board, _, what = place.table.partition(".")
        if what in ("row", "column") and board in ctx.boards:
            made = ctx.boards[board]
            if literal.value == (made.rows if what == "row" else made.columns) and literal.value != 1:
                message = f"{literal.value} is the number of {what}s of {board}; in a smaller world it would be wrong"
                ctx.report.add(Code.LITERAL_SIZE, side.span, message, hint=f"say `{board}.{what}s`")


def equal(ctx: Context, first: ir.Expr, second: ir.Expr, node: tree.Expr) -> ir.Expr:
    joined = typing.join(first.type, second.type)
    if joined is None:
        return _not_comparable(ctx, node, first, second, "compared")
    return apply(BOOL, Op.EQUAL, first, second)


def _not_comparable(ctx: Context, node: tree.Expr, first: ir.Expr, second: ir.Expr, what: str) -> ir.Const:
    message = f"{typing.name(first.type)} and {typing.name(second.type)} can not be {what}"
    return ctx.error(Code.NOT_COMPARABLE, node.span, message)


def _is(ctx: Context, node: tree.Is, scope: Scope) -> Tested:
    if node.test is tree.Test.ASKED:
        asked = names.asked(ctx, node, scope)
        return Tested(negation(asked) if node.negated else asked, {}, {})
    if node.test is tree.Test.VALUE and not isinstance(node.value, tree.NoneValue):
        tested = _is_value(ctx, node, scope)
    else:
        subject = expression(ctx, node.subject, scope)
        if node.test in (tree.Test.EMPTY, tree.Test.FILLED):
            tested = _is_empty(ctx, node, subject)
        else:
            tested = _is_some(ctx, node, subject, scope)
    return Tested(negation(tested.expr), tested.if_no, tested.if_yes) if node.negated else tested


def _is_empty(ctx: Context, node: tree.Is, subject: ir.Expr) -> Tested:
    if not isinstance(subject.type, types.SetOf | types.Never):
        found = typing.name(subject.type)
        hint = "say `is none` or `is some`" if isinstance(subject.type, types.Optional) else None
        ctx.error(Code.NOT_A_SET, node.subject.span, f"a place or set can be empty, and this is {found}", hint=hint)
        return Tested(UNKNOWN, {}, {})
    size = apply(types.Int(0, names.most_members(ctx, subject)), Op.SIZE, subject)
    op = Op.EQUAL if node.test is tree.Test.EMPTY else Op.MORE
    return Tested(apply(BOOL, op, size, number(0)), {}, {})


def _is_some(ctx: Context, node: tree.Is, subject: ir.Expr, scope: Scope) -> Tested:
    """`is some`, `is some y`, `is none` (of an optional value, or of a place or set with at most one member)."""
    of = typing.member(subject.type)
    if of is None:
        found = typing.name(subject.type)
        ctx.error(Code.TYPE_MISMATCH, node.subject.span, f"this is never none, it is {found}")
        return Tested(UNKNOWN, {}, {})
    value = subject
    if isinstance(subject.type, types.SetOf):
        value = apply(types.Optional(of), Op.MAYBE, subject)
    there = apply(of, Op.KNOWN, value)
    facts: dict[str, ir.Expr] = {}
    if isinstance(node.subject, tree.Name) and node.subject.name in scope.names and value is subject:
        facts[node.subject.name] = there
    if node.binds is not None:
        names.check_fresh(ctx, node.binds, scope, node.span)
        facts[node.binds] = there
    if node.test is tree.Test.VALUE:
        return Tested(apply(BOOL, Op.EQUAL, value, NONE), {}, facts)
    return Tested(apply(BOOL, Op.UNEQUAL, value, NONE), facts, {})


def _is_value(ctx: Context, node: tree.Is, scope: Scope) -> Tested:
    """`c is Storm` (a kind, a part of a board) or `force is calm`, `p is not q`."""
    assert node.value is not None
    kind = names.kind(ctx, node.value) if isinstance(node.value, tree.Capital) else None
    if kind is None or (isinstance(node.value, tree.Capital) and names.is_value(ctx, node.value, scope)):
        return Tested(equality(ctx, node.subject, node.value, node, scope), {}, {})
    subject = single(ctx, expression(ctx, node.subject, scope))
    if fit(typing.known(subject.type), kind) is Fit.NO and kind.members:
        message = f"{typing.name(typing.known(subject.type))} is never {typing.name(kind)}"
        return Tested(ctx.error(Code.NOT_COMPARABLE, node.span, message), {}, {})
    facts: dict[str, ir.Expr] = {}
    if isinstance(node.subject, tree.Name) and node.subject.name in scope.names:
        narrower = typing.intersect(subject.type, kind)
        facts[node.subject.name] = apply(narrower, Op.KNOWN, subject)
    return Tested(apply(BOOL, Op.IN, subject, members(kind)), facts, {})


def _has(ctx: Context, node: tree.Has, scope: Scope) -> ir.Expr:
    op = Op.HAS_WON if node.won else Op.HAS_LOST
    subject = expression(ctx, node.player, scope, ctx.player)
    of = typing.member(subject.type)
    if isinstance(subject.type, types.SetOf) and of is not None:
        made, local = variable("q", of)
        return ir.Fold(BOOL, ir.FoldKind.EVERY, (ir.Binder(made, subject),), apply(BOOL, op, local))
    return apply(BOOL, op, ctx.coerce(subject, ctx.player, node.player.span))


def _if_else(ctx: Context, node: tree.IfElse, scope: Scope, expected: Type | None) -> ir.Expr:
    tested = test(ctx, node.test, scope.quiet())
    then = expression(ctx, node.then, scope.quiet().bind(tested.if_yes), expected)
    otherwise = expression(ctx, node.otherwise, scope.quiet().bind(tested.if_no), expected or typing.known(then.type))
    ty = typing.join(then.type, otherwise.type)
    if ty is None:
        then, otherwise = single(ctx, then), single(ctx, otherwise)
        ty = typing.join(then.type, otherwise.type)
    if ty is None:
        return _not_comparable(ctx, node, then, otherwise, "given in turn: both sides of an `if` must be of one kind")
    return ir.If(ty, tested.expr, then, otherwise)


def _match(ctx: Context, node: tree.Match, scope: Scope, expected: Type | None) -> ir.Expr:
    subject = single(ctx, expression(ctx, node.subject, scope.quiet()))
    cases: list[tuple[tuple[types.Value, ...], ir.Expr]] = []
    ty: Type = types.Never()
    patterns = cover_cases(ctx, node, subject, [(c.patterns, c.span) for c in node.cases], scope, complete=True)
    for case, values in zip(node.cases, patterns, strict=True):
        inner = scope.quiet()
        if isinstance(node.subject, tree.Name) and isinstance(subject.type, types.Pieces) and len(case.patterns) == 1:
            kind = names.kind(ctx, case.patterns[0]) if isinstance(case.patterns[0], tree.Capital) else None
            if kind is not None:
                inner = inner.bind({node.subject.name: apply(kind, Op.KNOWN, subject)})
        value = expression(ctx, case.value, inner, expected)
        joined = typing.join(ty, value.type)
        if joined is None:
            return ctx.error(
                Code.TYPE_MISMATCH,
                case.span,
                f"this case gives {typing.name(value.type)}, the others {typing.name(ty)}",
            )
        ty = joined
        cases.append((values, value))
    return ir.Switch(ty, subject, tuple(cases))


def cover_cases(
    ctx: Context,
    node: tree.Match | tree.MatchStatement,
    subject: ir.Expr,
    patterns: list[tuple[tuple[tree.Expr, ...], Span]],
    scope: Scope,
    *,
    complete: bool,
) -> list[tuple[types.Value, ...]]:
    """The values that each case of a match covers; reports double and missing ones."""
    if isinstance(subject.type, types.Never):
        return [() for _ in patterns]
    try:
        if types.size(subject.type) > LARGEST_LISTED:
            raise ValueError
        everything = list(types.values(subject.type))
    except ValueError:
        ctx.error(Code.TOO_LARGE, node.subject.span, f"{typing.name(subject.type)} has too many values to match")
        return [() for _ in patterns]
    taken: dict[types.Value, Span] = {}
    result = []
    for expressions, _ in patterns:
        values: list[types.Value] = []
        for pattern in expressions:
            for value in _pattern(ctx, pattern, subject.type, scope):
                if value in taken:
                    labels = [Label(taken[value], "here first")]
                    ctx.error(Code.NOT_ALL_CASES, pattern.span, "this value already has a case", labels=labels)
                elif value in everything:
                    taken[value] = pattern.span
                    values.append(value)
        result.append(tuple(values))
    missing = [v for v in everything if v not in taken]
    if missing and complete:
        shown = ", ".join(names.show_value(ctx, v, subject.type) for v in missing[:4])
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        ctx.error(Code.NOT_ALL_CASES, node.span, f"no case for {shown}{more}")
    return result


def _pattern(ctx: Context, node: tree.Expr, ty: Type, scope: Scope) -> tuple[types.Value, ...]:
    if isinstance(node, tree.Capital):
        kind = names.kind(ctx, node)
        if isinstance(kind, types.Pieces | types.Cells) and not isinstance(typing.known(ty), types.Enum):
            return kind.members
    expr = expression(ctx, node, Scope(), typing.known(ty))
    if isinstance(node, tree.NoneValue):
        return (None,)
    if fit(expr.type, ty) is Fit.NO:
        ctx.error(Code.NOT_COMPARABLE, node.span, f"{typing.name(ty)} never has this value")
        return ()
    value = ctx.constant(expr, node.span)
    return () if value is None else (value,)


def _set(ctx: Context, node: tree.SetLiteral, scope: Scope, expected: Type | None) -> ir.Expr:
    wanted = typing.member(expected) if expected is not None else None
    items: list[ir.Expr] = []
    ty: Type = types.Never()
    for item in node.items:
        if isinstance(item, tree.Several):
            ctx.error(Code.MISPLACED, item.span, "pieces by number stand in examples only")
            continue
        value = expression(ctx, item, scope.quiet(), wanted)
        if isinstance(value.type, types.SetOf) and isinstance(item, tree.Capital):
            ctx.error(Code.AMBIGUOUS, item.span, f"{item.name} stands for several pieces")
            continue
        value = ctx.coerce(value, typing.known(value.type), item.span, "a set")
        joined = typing.join(ty, value.type)
        if joined is None:
            found, others = typing.name(value.type), typing.name(ty)
            ctx.error(Code.TYPE_MISMATCH, item.span, f"this is {found}, and the others are {others}")
            continue
        ty = joined
        items.append(value)
    if all(isinstance(i, ir.Const) for i in items) and not isinstance(ty, types.Optional):
        constants = {i.value for i in items if isinstance(i, ir.Const)}
        return ir.Const(types.SetOf(ty), tuple(sorted(constants)))  # type: ignore[type-var]
    return ir.Apply(types.SetOf(ty), Op.SET, tuple(items))


def _map(ctx: Context, node: tree.MapLiteral, scope: Scope, expected: Type | None) -> ir.Expr:
    wanted = expected.values if isinstance(expected, types.Map) else None
    items = [expression(ctx, item, scope.quiet(), wanted) for item in node.items]
    ty: Type = types.Never()
    for item, value in zip(node.items, items, strict=True):
        joined = typing.join(ty, value.type)
        if joined is None:
            return ctx.error(Code.TYPE_MISMATCH, item.span, f"this is {typing.name(value.type)}")
        ty = joined
    keys: Type = expected.keys if isinstance(expected, types.Map) else types.Int(1, len(items))
    if types.size(keys) != len(items):
        message = f"{len(items)} values, and the map has {types.size(keys)} keys"
        return ctx.error(Code.WRONG_COUNT, node.span, message)
    return ir.Apply(types.Map(keys, ty), Op.MAP, tuple(items))


__all__ = ["YES", "Tested", "bounds", "cover_cases", "domain", "equal", "equality", "expression", "single", "test"]
