"""Expressions: from syntax to typed core.

`expression` elaborates any expression; `test` one that must be yes or no, together with what is known where it holds
and where it does not (`x is some y` gives y a meaning, `c is Joker` makes c a Joker); `domain` a set to range over.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple, assert_never

from seaspec.check import typing
from seaspec.check.context import (
    BOOL,
    NONE,
    UNKNOWN,
    Context,
    Scope,
    Where,
    apply,
    as_ordered,
    members,
    negation,
    number,
    piece_in,
    variable,
)
from seaspec.check.expressions import builtins, cases, folds, names, reads
from seaspec.check.limits import LARGEST_LISTED
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import Operator

NEVER = types.Never()


class Tested(NamedTuple):
    """A test, and the local names that have a (narrower) meaning where it holds, and where it does not."""

    expr: ir.Expr
    if_yes: Mapping[str, ir.Expr]
    if_no: Mapping[str, ir.Expr]


def expression(ctx: Context, node: tree.Expr, scope: Scope, expected: Type | None = None) -> ir.Expr:
    """The meaning of an expression; `expected` helps where a name alone is ambiguous."""
    match node:
        case tree.Apply():
            return builtins.call(ctx, node, scope, expected)
        case tree.Is() | tree.Unary(_, Operator.NOT) | tree.Binary(_, Operator.AND | Operator.OR | Operator.IMPLIES):
            return test(ctx, node, scope).expr
        case tree.Openly(_, inner):
            made = expression(ctx, inner, scope, expected)
            return made if made is UNKNOWN else ir.Openly(made)
        case _:
            return _expression(ctx, node, scope.quiet(), expected)


def _expression(ctx: Context, node: tree.Expr, scope: Scope, expected: Type | None) -> ir.Expr:
    match node:
        case tree.Number(_, value):
            return number(value)
        case tree.YesNo(_, value):
            return ir.Const(BOOL, value)
        case tree.NoneValue():
            return NONE
        case tree.Name() | tree.Capital():
            return names.name(ctx, node, scope, expected)
        case tree.Index():
            return reads.index(ctx, node, scope)
        case tree.Dot():
            return reads.dot(ctx, node, scope)
        case tree.Unary() | tree.Binary():
            return _operation(ctx, node, scope, expected)
        case tree.Range(_, low, high):
            return _range(ctx, node, low, high, scope, expected)
        case tree.Can():
            return reads.can(ctx, node, scope)
        case tree.Has():
            return _has(ctx, node, scope)
        case tree.IfElse():
            return _if_else(ctx, node, scope, expected)
        case tree.Match():
            return _match(ctx, node, scope, expected)
        case tree.LetIn(_, name, value, body):
            bound = expression(ctx, value, scope)
            made, inner = names.introduce(ctx, name, bound.type, scope, node.span)
            return ir.LetIn(made, bound, expression(ctx, body, inner, expected))
        case (
            tree.Quantifier() | tree.SomeKind() | tree.Count() | tree.Sum() | tree.Best() | tree.TheOne()
            | tree.Reach() | tree.Ways() | tree.Select() | tree.Collect() | tree.MapFor()
        ):  # fmt: skip
            return folds.fold(ctx, node, scope, expected)
        case tree.SetLiteral():
            return _set(ctx, node, scope, expected)
        case tree.MapLiteral():
            return _map(ctx, node, scope, expected)
        case tree.Apply() | tree.Is() | tree.Openly():
            raise AssertionError(node)
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
            with ctx.reached(first.expr, True, right.span):
                second = test(ctx, right, scope.bind(first.if_yes).quiet())
            return Tested(_joined(ctx, Op.AND, first.expr, second.expr), {**first.if_yes, **second.if_yes}, {})
        case tree.Binary(_, Operator.OR, left, right):
            first = test(ctx, left, scope)
            with ctx.reached(first.expr, False, right.span):
                second = test(ctx, right, scope.bind(first.if_no).quiet())
            return Tested(_joined(ctx, Op.OR, first.expr, second.expr), {}, {**first.if_no, **second.if_no})
        case tree.Binary(_, Operator.IMPLIES, left, right):
            first = test(ctx, left, scope)
            with ctx.reached(first.expr, True, right.span):
                second = test(ctx, right, scope.bind(first.if_yes).quiet())
            return Tested(_joined(ctx, Op.IMPLIES, first.expr, second.expr), {}, first.if_yes)
        case tree.Is():
            return _is(ctx, node, scope)
        case tree.Openly(_, inner_node):
            inner = test(ctx, inner_node, scope)
            return inner if inner.expr is UNKNOWN else Tested(ir.Openly(inner.expr), inner.if_yes, inner.if_no)
        case _:  # cautious: it tells nothing
            expr = ctx.coerce(expression(ctx, node, scope, BOOL), BOOL, node.span, "a test")
            return Tested(expr, {}, {})


def domain(ctx: Context, node: tree.Expr, scope: Scope, expected: Type | None = None) -> tuple[ir.Expr, Type]:
    """A set to range over (an optional is a set of at most one), and the type of its members."""
    wanted = types.SetOf(expected or types.Never())
    expr = expression(ctx, node, scope.quiet(), wanted)
    of = typing.member(expr.type)
    if of is None:
        message = f"a set is wanted here, and this is {typing.name(expr.type)}"
        return ctx.error(Code.NOT_A_SET, node.span, message), NEVER
    return expr, of


def single(ctx: Context, expr: ir.Expr) -> ir.Expr:
    """A place with at most one piece, taken for that piece or none; anything else as it is."""
    return piece_in(expr, optional=True) if ctx.is_single(expr) else expr


def _joined(ctx: Context, op: Op, first: ir.Expr, second: ir.Expr) -> ir.Expr:
    """Both tests as one. The second may be faulty where the first one, known from the options, decides alone."""
    if second is UNKNOWN and first is not UNKNOWN and ctx.known_value(first) is (op is Op.OR):
        return first if op is not Op.IMPLIES else ir.Const(BOOL, True)
    if op is Op.IMPLIES:
        return apply(BOOL, op, first, second)
    parts: list[ir.Expr] = []
    for part in (first, second):
        parts.extend(part.arguments if isinstance(part, ir.Apply) and part.op is op else [part])
    return apply(BOOL, op, *parts)


def _operation(ctx: Context, node: tree.Unary | tree.Binary, scope: Scope, expected: Type | None) -> ir.Expr:
    match node:
        case tree.Unary(_, Operator.NEGATE, operand):
            return negative(_number(ctx, operand, scope))
        case tree.Unary(_, Operator.OLD, operand):
            if scope.where is not Where.STEPS:
                return ctx.error(
                    Code.ONLY_IN_PROMISES, node.span, "`old` has a meaning in `always` only: there is a before"
                )
            return ir.Old(expression(ctx, operand, scope.quiet(), expected))
        case tree.Unary(_, Operator.SIZE, operand):
            subject, _ = domain(ctx, operand, scope)
            return apply(types.Int(0, folds.most_members(ctx, subject)), Op.SIZE, subject)
        case tree.Binary(_, Operator.IN | Operator.NOT_IN, left, right):
            return _membership(ctx, node, left, right, scope)
        case tree.Binary(_, Operator.EQUAL | Operator.UNEQUAL, left, right):
            found = equality(ctx, left, right, node, scope)
            return negation(found) if node.op is Operator.UNEQUAL else found
        case tree.Binary(_, Operator.ADD | Operator.SUBTRACT, left, right):
            return _sum(ctx, node, left, right, scope, expected)
        case _:  # cautious: no other operator stands before one operand
            assert isinstance(node, tree.Binary)
            return _arithmetic(ctx, node, scope)


COMPARISONS = {
    Operator.LESS: Op.LESS,
    Operator.AT_MOST: Op.AT_MOST,
    Operator.MORE: Op.MORE,
    Operator.AT_LEAST: Op.AT_LEAST,
}


EXACT = {
    Operator.ADD: Op.ADD,
    Operator.SUBTRACT: Op.SUBTRACT,
    Operator.MULTIPLY: Op.MULTIPLY,
    Operator.DIVIDE: Op.DIVIDE,
}
"""What can be done with odds."""


def exact(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """A number that is meant as odds: here `/` does not round."""
    if not isinstance(node, tree.Binary) or node.op not in EXACT:
        return expression(ctx, node, scope)
    left, right = exact(ctx, node.left, scope), exact(ctx, node.right, scope)
    numbers = _as_number(ctx, left, node.left), _as_number(ctx, right, node.right)
    if UNKNOWN in numbers:
        return UNKNOWN
    if node.op is Operator.DIVIDE and ctx.known_value(right) == 0:
        return ctx.error(Code.OUT_OF_RANGE, node.right.span, "division by 0")
    made = apply(types.Fraction(), EXACT[node.op], *numbers)
    value = ctx.known_value(made)
    return ir.Const(made.type, Fraction(value)) if isinstance(value, int | Fraction) else made


def _beside_odds(ctx: Context, node: tree.Expr, expr: ir.Expr, other: ir.Expr, scope: Scope) -> ir.Expr:
    """What is compared or reckoned with odds is meant exactly: `odds(beats(1)) = 1/2`."""
    rounds = isinstance(other.type, types.Fraction) and isinstance(expr.type, types.Int)
    return exact(ctx, node, scope) if rounds else expr


def _arithmetic(ctx: Context, node: tree.Binary, scope: Scope) -> ir.Expr:
    left, right = _number(ctx, node.left, scope), _number(ctx, node.right, scope)
    left = _beside_odds(ctx, node.left, left, right, scope)
    right = _beside_odds(ctx, node.right, right, left, scope)
    if node.op in COMPARISONS:
        _literal_size(ctx, node.left, left, right)
        _literal_size(ctx, node.right, right, left)
        return apply(BOOL, COMPARISONS[node.op], left, right)
    (a, b), (c, d) = bounds(left), bounds(right)
    if isinstance(left.type, types.Fraction) or isinstance(right.type, types.Fraction):
        op = {Operator.MULTIPLY: Op.MULTIPLY, Operator.DIVIDE: Op.DIVIDE}.get(node.op)
        if op is None:
            return ctx.error(Code.TYPE_MISMATCH, node.span, "odds can be multiplied, divided and compared")
        return apply(types.Fraction(), op, left, right)
    if node.op is Operator.MULTIPLY:
        products = (a * c, a * d, b * c, b * d)
        return ctx.number(min(products), max(products), Op.MULTIPLY, node.span, left, right)
    if isinstance(node.right, tree.Number) and c == d == 0:
        return ctx.error(Code.OUT_OF_RANGE, node.right.span, "division by 0")
    if c > d or a > b:  # numbers of an empty range: nobody comes here
        return apply(types.Int(0, 0), Op.DIVIDE if node.op is Operator.DIVIDE else Op.MODULO, left, right)
    if c == d == 0:  # an obligation: this may be where an option or constant is 0, and nobody comes
        return apply(types.Int(0, 0), Op.DIVIDE if node.op is Operator.DIVIDE else Op.MODULO, left, right)
    if node.op is Operator.DIVIDE:
        divisors = [x for x in (c, d, 1, -1) if x and c <= x <= d]
        quotients = [x // y for x in (a, b) for y in divisors]
        return ctx.number(min(quotients), max(quotients), Op.DIVIDE, node.span, left, right)
    if c > 0 and a >= 0 and b < c:
        return apply(types.Int(a, b), Op.MODULO, left, right)
    return apply(types.Int(min(0, c + 1), max(0, d - 1)), Op.MODULO, left, right)


def _sum(
    ctx: Context, node: tree.Binary, left: tree.Expr, right: tree.Expr, scope: Scope, expected: Type | None
) -> ir.Expr:
    """`+` and `-`: of numbers, of sets, of a ring value and a number."""
    first = expression(ctx, left, scope, expected)
    minus = node.op is Operator.SUBTRACT
    if isinstance(first.type, types.SetOf):
        return _sets(ctx, node, first, expression(ctx, right, scope, first.type))
    kind = typing.known(first.type)
    if isinstance(kind, types.Enum):
        if not kind.ring:
            return ctx.error(
                Code.TYPE_MISMATCH, left.span, f"{kind.name} is no ring, so nothing comes after its values"
            )
        steps = _number(ctx, right, scope)
        return apply(kind, Op.TURN, ctx.coerce(first, kind, left.span), negative(steps) if minus else steps)
    left_number = _as_number(ctx, first, left)
    right_number = _number(ctx, right, scope)
    left_number = _beside_odds(ctx, left, left_number, right_number, scope)
    right_number = _beside_odds(ctx, right, right_number, left_number, scope)
    op = Op.SUBTRACT if minus else Op.ADD
    (a, b), (c, d) = bounds(left_number), bounds(right_number)
    if isinstance(left_number.type, types.Fraction) or isinstance(right_number.type, types.Fraction):
        return apply(types.Fraction(), op, left_number, right_number)
    low, high = (a - d, b - c) if minus else (a + c, b + d)
    return ctx.number(low, high, op, node.span, left_number, right_number)


def _sets(ctx: Context, node: tree.Binary, first: ir.Expr, second: ir.Expr) -> ir.Expr:
    """Members of both; or of the first one alone."""
    assert isinstance(first.type, types.SetOf)
    if not isinstance(second.type, types.SetOf):
        if second is UNKNOWN:
            return UNKNOWN
        found = typing.name(second.type)
        hint = "a set of one: `{x}`" if not isinstance(second.type, types.Int) else "`size of ..` counts the members"
        return ctx.error(Code.NOT_A_SET, node.right.span, f"a set is wanted here, and this is {found}", hint=hint)
    joined = typing.join(first.type, second.type)
    if not isinstance(joined, types.SetOf):
        return _not_comparable(ctx, node, first, second, "joined")
    if node.op is Operator.SUBTRACT:
        return apply(first.type, Op.DIFFERENCE, first, second)
    return apply(types.SetOf(joined.of), Op.UNION, first, second)


def negative(value: ir.Expr) -> ir.Expr:
    """A number with the other sign."""
    if isinstance(value, ir.Const) and isinstance(value.value, int):
        return number(-value.value)
    low, high = bounds(value)
    return apply(types.Int(-high, -low), Op.NEGATE, value)


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


def _range(
    ctx: Context, node: tree.Range, low: tree.Expr, high: tree.Expr, scope: Scope, expected: Type | None
) -> ir.Expr:
    wanted = expected.of if isinstance(expected, types.SetOf) else expected
    first = expression(ctx, low, scope, wanted)
    last = expression(ctx, high, scope, typing.known(first.type))
    if isinstance(first.type, types.Cells) and isinstance(last.type, types.Cells):
        return _rectangle(ctx, node, first, last)
    first, last = _as_number(ctx, first, low), _as_number(ctx, last, high)
    (least, _), (_, most) = bounds(first), bounds(last)
    if most - least >= LARGEST_LISTED:
        return ctx.error(Code.TOO_LARGE, node.span, f"a range of up to {most - least + 1:,} numbers is too large")
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
    is_said = isinstance(right, tree.SetLiteral | tree.Range) and not _depends_on_use(ctx, left, scope)
    subject = single(ctx, expression(ctx, left, scope)) if is_said else UNKNOWN
    container, of = domain(ctx, right, scope, typing.known(subject.type))
    subject = subject if is_said else single(ctx, expression(ctx, left, scope, of))
    if typing.disjoint(subject.type, of):
        message = f"{typing.name(subject.type)} is never in a {typing.name(container.type)}"
        return ctx.error(Code.NOT_COMPARABLE, node.span, message, hint=typing.same_words(subject.type, of))
    if isinstance(container.type, types.Optional):
        there = apply(BOOL, Op.UNEQUAL, subject, NONE)
        found = apply(BOOL, Op.AND, there, apply(BOOL, Op.EQUAL, subject, container))
    else:
        found = apply(BOOL, Op.IN, subject, container)
    return negation(found) if node.op is Operator.NOT_IN else found


def equality(ctx: Context, left: tree.Expr, right: tree.Expr, node: tree.Expr, scope: Scope) -> ir.Expr:
    """`a = b`, `a is b` for two values. A place for few pieces stands for the piece in it, if it is not compared with
    a set."""
    if _depends_on_use(ctx, left, scope):
        second = expression(ctx, right, scope)
        first = expression(ctx, left, scope, typing.known(single(ctx, second).type))
    else:
        first = expression(ctx, left, scope)
        second = expression(ctx, right, scope, typing.known(single(ctx, first).type))
    if not isinstance(first.type, types.SetOf) or ctx.is_single(first):
        second = single(ctx, second)
    if not isinstance(second.type, types.SetOf):
        first = single(ctx, first)
    first = _beside_odds(ctx, left, first, second, scope)
    second = _beside_odds(ctx, right, second, first, scope)
    _literal_size(ctx, left, first, second)
    _literal_size(ctx, right, second, first)
    if typing.join(first.type, second.type) is None or _of_other_components(ctx, first.type, second.type):
        return _not_comparable(ctx, node, first, second, "compared")
    return apply(BOOL, Op.EQUAL, first, second)


def _of_other_components(ctx: Context, a: Type, b: Type) -> bool:
    """Whether two values are pieces that can never be the same: a card is no coin."""
    a, b = typing.known(a), typing.known(b)
    if not isinstance(a, types.Pieces) or not isinstance(b, types.Pieces):
        return False
    one, other = ({ctx.pieces[m].kinds[-1] for m in ty.members} for ty in (a, b))
    return bool(one and other) and one.isdisjoint(other)


def _depends_on_use(ctx: Context, node: tree.Expr, scope: Scope) -> bool:
    """Whether the meaning of an expression may depend on what is expected: a value of several types, a map."""
    match node:
        case tree.Name(_, word):
            return word not in scope.names and word in ctx.enum_values
        case tree.Capital() | tree.SetLiteral() | tree.MapLiteral():
            return True
        case _:  # cautious: it means the same wherever it stands; else the types do not fit, and that is an error
            return False


def _literal_size(ctx: Context, node: tree.Expr, literal: ir.Expr, place: ir.Expr) -> None:
    """`c.row = 6` on a board of six rows: it would be wrong in a small world."""
    if not isinstance(node, tree.Number) or not isinstance(place, ir.Lookup) or not isinstance(literal, ir.Const):
        return
    board, _, what = place.table.partition(".")
    if what not in ("row", "column") or board not in ctx.boards:
        return
    made = ctx.boards[board]
    if literal.value == (made.rows if what == "row" else made.columns) and literal.value != 1:
        message = f"{literal.value} is the number of {what}s of {board}; in a smaller world it would be wrong"
        ctx.report.add(Code.LITERAL_SIZE, node.span, message, hint=f"say `{board}.{what}s`")


def _not_comparable(ctx: Context, node: tree.Expr, first: ir.Expr, second: ir.Expr, what: str) -> ir.Const:
    message = f"{typing.name(first.type)} and {typing.name(second.type)} can not be {what}"
    hint = typing.same_words(first.type, second.type)
    for one, other in ((first, second), (second, first)):
        if isinstance(one.type, types.SetOf) and typing.join(one.type.of, other.type) is not None:
            hint = "`in` asks whether it is a member, `{..}` makes a set of it"
    return ctx.error(Code.NOT_COMPARABLE, node.span, message, hint=hint)


def _is(ctx: Context, node: tree.Is, scope: Scope) -> Tested:
    match node.test:
        case tree.Test.ASKED:
            tested = Tested(reads.asked(ctx, node, scope), {}, {})
        case tree.Test.EMPTY | tree.Test.FILLED:
            tested = _is_empty(ctx, node, scope.quiet())
        case tree.Test.VALUE if not isinstance(node.value, tree.NoneValue):
            tested = _is_value(ctx, node, scope.quiet())
        case tree.Test.VALUE | tree.Test.SOME:
            tested = _is_some(ctx, node, scope.quiet())
        case _:
            assert_never(node.test)
    return Tested(negation(tested.expr), tested.if_no, tested.if_yes) if node.negated else tested


def _is_empty(ctx: Context, node: tree.Is, scope: Scope) -> Tested:
    subject = expression(ctx, node.subject, scope)
    if not isinstance(subject.type, types.SetOf | types.Never):
        found = typing.name(subject.type)
        hint = "say `is none` or `is some`" if isinstance(subject.type, types.Optional) else None
        message = f"a place or set can be empty, and this is {found}"
        return Tested(ctx.error(Code.NOT_A_SET, node.subject.span, message, hint=hint), {}, {})
    size = apply(types.Int(0, folds.most_members(ctx, subject)), Op.SIZE, subject)
    op = Op.EQUAL if node.test is tree.Test.EMPTY else Op.MORE
    return Tested(apply(BOOL, op, size, number(0)), {}, {})


def _is_some(ctx: Context, node: tree.Is, scope: Scope) -> Tested:
    """`is some`, `is some y`, `is none` (of an optional value, or of a place with at most one piece)."""
    value = single(ctx, expression(ctx, node.subject, scope))
    facts: dict[str, ir.Expr] = {}
    if not isinstance(value.type, types.Optional):
        if value is not UNKNOWN:
            hint = "say `is empty` or `is filled`" if isinstance(value.type, types.SetOf) else None
            ctx.error(
                Code.TYPE_MISMATCH, node.subject.span, f"this is never none, it is {typing.name(value.type)}", hint=hint
            )
        return Tested(UNKNOWN, {} if node.binds is None else {node.binds: UNKNOWN}, {})
    there = apply(value.type.of, Op.KNOWN, value)
    if isinstance(node.subject, tree.Name) and node.subject.name in scope.names:
        facts[node.subject.name] = there
    if node.binds is not None:
        names.check_fresh(
            ctx, node.binds, scope, Span(node.span.file, node.subject.span.end, node.span.end).word(node.binds)
        )
        facts[node.binds] = there
    if node.test is tree.Test.VALUE:
        return Tested(apply(BOOL, Op.EQUAL, value, NONE), {}, facts)
    return Tested(apply(BOOL, Op.UNEQUAL, value, NONE), facts, {})


def _is_value(ctx: Context, node: tree.Is, scope: Scope) -> Tested:
    """`c is Joker` (a kind, a part of a board) or `suit is clubs`, `p is not q`."""
    assert node.value is not None
    kind = names.kind(ctx, node.value)
    if kind is None:
        return Tested(equality(ctx, node.subject, node.value, node, scope), {}, {})
    subject = single(ctx, expression(ctx, node.subject, scope))
    if typing.disjoint(subject.type, kind):
        message = f"{typing.name(typing.known(subject.type))} is never {typing.name(kind)}"
        return Tested(ctx.error(Code.NOT_COMPARABLE, node.span, message), {}, {})
    facts: dict[str, ir.Expr] = {}
    if isinstance(node.subject, tree.Name) and node.subject.name in scope.names:
        facts[node.subject.name] = apply(typing.intersect(subject.type, kind), Op.KNOWN, subject)
    return Tested(apply(BOOL, Op.IN, subject, members(kind)), facts, {})


def _has(ctx: Context, node: tree.Has, scope: Scope) -> ir.Expr:
    """`p has won`, `everyone has lost`."""
    op = Op.HAS_WON if node.won else Op.HAS_LOST
    subject = expression(ctx, node.player, scope, ctx.player)
    if isinstance(subject.type, types.SetOf):
        made, local = variable("q", subject.type.of)
        player = ctx.coerce(local, ctx.player, node.player.span, "who wins or loses")
        return ir.Fold(BOOL, ir.FoldKind.EVERY, (ir.Binder(made, subject),), apply(BOOL, op, player))
    return apply(BOOL, op, ctx.coerce(subject, ctx.player, node.player.span, "who wins or loses"))


def _if_else(ctx: Context, node: tree.IfElse, scope: Scope, expected: Type | None) -> ir.Expr:
    tested = test(ctx, node.test, scope)
    with ctx.reached(tested.expr, True, node.then.span):
        then = expression(ctx, node.then, scope.bind(tested.if_yes), expected)
    with ctx.reached(tested.expr, False, node.otherwise.span):
        otherwise = expression(ctx, node.otherwise, scope.bind(tested.if_no), expected or typing.known(then.type))
    if UNKNOWN in (then, otherwise):
        known = ctx.known_value(tested.expr)
        return UNKNOWN if known is None else then if known else otherwise
    if typing.join(then.type, otherwise.type) is None:
        then, otherwise = single(ctx, then), single(ctx, otherwise)
    ty = typing.join(then.type, otherwise.type)
    if ty is None:
        message = f"one side of this `if` is {typing.name(then.type)}, the other {typing.name(otherwise.type)}"
        labels = [Label(node.then.span, "the one side")]
        return ctx.error(Code.TYPE_MISMATCH, node.otherwise.span, message, labels=labels)
    return (
        UNKNOWN if tested.expr is UNKNOWN else ir.If(ty, tested.expr, as_ordered(then, ty), as_ordered(otherwise, ty))
    )


def _match(ctx: Context, node: tree.Match, scope: Scope, expected: Type | None) -> ir.Expr:
    subject = single(ctx, expression(ctx, node.subject, scope))
    found: list[tuple[tuple[types.Value, ...], ir.Expr]] = []
    ty: Type = NEVER
    patterns = cases.cover_cases(ctx, node, subject, [c.patterns for c in node.cases])
    for case, values in zip(node.cases, patterns, strict=True):
        value = expression(ctx, case.value, cases.case_scope(node.subject, subject, values, scope), expected)
        joined = typing.join(ty, value.type)
        if joined is None:
            message = f"this case gives {typing.name(value.type)}, those above give {typing.name(ty)}"
            labels = [Label(node.cases[0].value.span, "the first case")]
            return ctx.error(Code.TYPE_MISMATCH, case.value.span, message, labels=labels)
        ty = joined
        found.append((values, value))
    in_order = tuple((values, as_ordered(value, ty)) for values, value in found)
    return UNKNOWN if subject is UNKNOWN else ir.Switch(ty, subject, in_order)


def _set(ctx: Context, node: tree.SetLiteral, scope: Scope, expected: Type | None) -> ir.Expr:
    wanted = typing.member(expected) if expected is not None else None
    items: list[ir.Expr] = []
    ty: Type = NEVER
    for item in node.items:
        if isinstance(item, tree.Several):
            hint = "pieces by number stand in examples, on the right of `=`"
            return ctx.error(Code.MISPLACED, item.span, "which ones?", hint=hint)
        value = single(ctx, expression(ctx, item, scope, wanted))
        if isinstance(item, tree.Capital) and isinstance(value.type, types.SetOf):
            return ctx.error(Code.AMBIGUOUS, item.span, f"'{item.name}' stands for several values, not for one")
        value = ctx.coerce(value, typing.known(value.type), item.span, "a set")
        joined = typing.join(ty, value.type)
        if joined is None:
            message = f"this is {typing.name(value.type)}, and those before are {typing.name(ty)}"
            return ctx.error(Code.TYPE_MISMATCH, item.span, message)
        ty = joined
        items.append(value)
    if any(item is UNKNOWN for item in items):
        return UNKNOWN
    if all(isinstance(item, ir.Const) for item in items):
        return ir.Const(types.SetOf(ty), types.as_set(item.value for item in items if isinstance(item, ir.Const)))
    return apply(types.SetOf(ty), Op.SET, *items)


def _map(ctx: Context, node: tree.MapLiteral, scope: Scope, expected: Type | None) -> ir.Expr:
    wanted = expected.values if isinstance(expected, types.Map) else None
    items = [single(ctx, expression(ctx, item, scope, wanted)) for item in node.items]
    ty: Type = NEVER
    for item, value in zip(node.items, items, strict=True):
        joined = typing.join(ty, value.type)
        if joined is None:
            message = f"this is {typing.name(value.type)}, and those before are {typing.name(ty)}"
            return ctx.error(Code.TYPE_MISMATCH, item.span, message)
        ty = joined
    keys: Type = expected.keys if isinstance(expected, types.Map) else types.Int(1, len(items))
    if types.size(keys) != len(items):
        message = f"{len(items)} values, and the map has {types.size(keys)} keys"
        return ctx.error(Code.WRONG_COUNT, node.span, message)
    return apply(types.Map(keys, ty), Op.MAP, *items)
