"""Worked examples: the position given, the steps, what must follow; to core."""

from __future__ import annotations

from seaspec.check import calls, expressions, headers, names, pieces, statements, things, typing
from seaspec.check.context import BOOL, UNKNOWN, Context, Scope, apply, conjunction, members, number, variable
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Value
from seaspec.diagnostics.codes import Code
from seaspec.syntax import tree
from seaspec.syntax.tree import Operator

SIZES = {
    Operator.EQUAL: Op.EQUAL,
    Operator.AT_LEAST: Op.AT_LEAST,
    Operator.AT_MOST: Op.AT_MOST,
}


def example(ctx: Context, node: tree.Example) -> ir.Example | None:
    """An example; only its options if it wants other ones than this game has."""
    options = _options(ctx, node)
    said = source(ctx, node.tail, node.span, Scope(promise=True))
    if any(name in ctx.options and ctx.options[name].value != value for name, value in options):
        return ir.Example(node.name, options, (), (), (), None, (), node.myth, said)
    scope = Scope(promise=True)
    binders: list[ir.Binder] = []
    lets: list[tuple[ir.Variable, ir.SomePieces | ir.Expr]] = []
    given: list[ir.GivenFact] = []
    lines: list[ir.Step | ir.Expect] = []
    at: ir.Do | None = None
    for line in node.lines:
        match line:
            case tree.ForAny():
                more, scope = _for_any(ctx, line, scope)
                binders.extend(more)
            case tree.ExampleLet():
                made, scope = _let(ctx, line, scope)
                lets.append(made)
            case tree.Given():
                for fact in line.facts:
                    if not _is_option(ctx, fact):
                        found, scope = _fact(ctx, fact, scope)
                        given.extend(found)
            case tree.At():
                at = _call(ctx, line.call, scope)
            case tree.Step():
                lines.append(_step(ctx, line, scope))
            case tree.Then():
                lines.append(_then(ctx, line, scope))
    return ir.Example(
        node.name, options, tuple(binders), tuple(lets), tuple(given), at, tuple(lines), node.myth, said
    )


# ----------------------------------------------------------------------------------------------------------- options


def _is_option(ctx: Context, fact: tree.Expr) -> bool:
    return _option_fact(ctx, fact) is not None


def _option_fact(ctx: Context, fact: tree.Expr) -> tuple[str, tree.Expr] | None:
    """`players = 2`, `level is hard`"""
    match fact:
        case tree.Binary(_, Operator.EQUAL, tree.Name(_, name), value) if name in ctx.merged.options:
            return name, value
        case tree.Is(_, tree.Name(_, name), tree.Test.VALUE, False, None, value) if name in ctx.merged.options:
            return None if value is None else (name, value)
        case _:
            return None


def _options(ctx: Context, node: tree.Example) -> tuple[tuple[str, Value], ...]:
    found: list[tuple[str, Value]] = []
    for line in node.lines:
        if not isinstance(line, tree.Given):
            continue
        for fact in line.facts:
            option = _option_fact(ctx, fact)
            if option is None:
                continue
            name, value_node = option
            declared = things.option(ctx, name, value_node.span)
            if declared is None:
                continue
            expr = expressions.expression(ctx, value_node, Scope(), declared.type)
            value = ctx.constant(expr, value_node.span)
            if value is not None and value not in declared.values:
                shown = names.show_value(ctx, value, expr.type)
                ctx.error(Code.NOT_WITH_OPTIONS, value_node.span, f"'{name}' is never {shown} here")
            elif value is not None:
                found.append((name, value))
    return tuple(found)


# ------------------------------------------------------------------------------------------------------------- given


def _for_any(ctx: Context, line: tree.ForAny, scope: Scope) -> tuple[list[ir.Binder], Scope]:
    domain, of = expressions.domain(ctx, line.domain, scope)
    found: list[ir.Binder] = []
    for word in line.names:
        names.check_fresh(ctx, word, scope, line.span)
        made, local = variable(word, of)
        scope = scope.bind({word: local})
        found.append(ir.Binder(made, domain))
    if line.where is not None:
        tested = expressions.test(ctx, line.where, scope)
        found[-1] = ir.Binder(found[-1].variable, domain, tested.expr)
    return found, scope


def _let(
    ctx: Context, line: tree.ExampleLet, scope: Scope
) -> tuple[tuple[ir.Variable, ir.SomePieces | ir.Expr], Scope]:
    """A name for a piece (any that fits the description), or for a value."""
    names.check_fresh(ctx, line.name, scope, line.span)
    candidates = pieces.matching(ctx, line.value, scope) if _describes(ctx, line.value, scope) else None
    if candidates == ():
        ctx.error(Code.NOT_HERE, line.value.span, f"there is no {line.value.span.text} in this game")
        return (ir.Variable(line.name, types.Never()), UNKNOWN), scope.bind({line.name: UNKNOWN})
    if candidates is not None:
        kind = ctx.kinds[_kind_name(line.value)]
        made, local = variable(line.name, types.Pieces(kind.name, candidates))
        return (made, ir.SomePieces(1, candidates)), scope.bind({line.name: local})
    value = expressions.expression(ctx, line.value, scope)
    made, local = variable(line.name, value.type)
    return (made, value), scope.bind({line.name: local})


def _describes(ctx: Context, node: tree.Expr, scope: Scope) -> bool:
    """Whether an expression describes pieces by constants: `Start`, `Fleet(Light, 4)`, and no `Island(n + 1)`."""
    function = node.function if isinstance(node, tree.Apply) else node
    if not isinstance(function, tree.Capital) or function.name not in ctx.kinds:
        return False
    return pieces.matching(ctx, node, scope) is not None


def _kind_name(node: tree.Expr) -> str:
    function = node.function if isinstance(node, tree.Apply) else node
    assert isinstance(function, tree.Capital)
    return function.name


def _fact(ctx: Context, fact: tree.Expr, scope: Scope) -> tuple[list[ir.GivenFact], Scope]:
    """One thing that is given about the position."""
    match fact:
        case tree.Binary(_, Operator.AND, left, right):
            first, scope = _fact(ctx, left, scope)
            second, scope = _fact(ctx, right, scope)
            return [*first, *second], scope
        case tree.Is(_, subject, tree.Test.EMPTY, False) if (target := _target(ctx, subject, scope)) is not None:
            return [ir.GivenPlace(target, ())], scope
        case tree.Is(_, subject, tree.Test.VALUE, False, None, value) if value is not None:
            return _equal(ctx, fact, subject, value, scope), scope
        case tree.Binary(_, Operator.EQUAL, left, right):
            return _equal(ctx, fact, left, right, scope), scope
        case tree.Binary(_, op, tree.Unary(_, Operator.SIZE, subject), right) if op in SIZES:
            target = _target(ctx, subject, scope)
            if target is not None:
                number = expressions.expression(ctx, right, scope)
                return [ir.GivenSize(target, SIZES[op], number)], scope
        case tree.Binary(_, Operator.IN, left, right) if (target := _target(ctx, right, scope)) is not None:
            piece = _piece(ctx, left, scope)
            if piece is not None:
                return [ir.GivenWhere(piece, target)], scope
        case tree.Unary(_, Operator.NOT, inner):
            state = expressions.expression(ctx, inner, scope)
            if isinstance(state, ir.StateRead):
                return [ir.GivenState(state.state, state.indices, ir.Const(BOOL, False))], scope
        case _:
            pass
    expr = expressions.test(ctx, fact, scope).expr
    if isinstance(expr, ir.StateRead):
        return [ir.GivenState(expr.state, expr.indices, ir.Const(BOOL, True))], scope
    return [ir.GivenTest(expr)], scope


def _equal(
    ctx: Context, fact: tree.Expr, left: tree.Expr, right: tree.Expr, scope: Scope
) -> list[ir.GivenFact]:
    """`hand[Ann] = {..}`, `size of deck[Ben] = 5`, `x.cell = B1`, `wind is n`"""
    if isinstance(left, tree.Unary) and left.op is Operator.SIZE:
        target = _target(ctx, left.operand, scope)
        if target is not None:
            return [ir.GivenSize(target, Op.EQUAL, expressions.expression(ctx, right, scope))]
    target = _target(ctx, left, scope)
    if target is not None:
        contents = _contents(ctx, right, scope)
        return [] if contents is None else [ir.GivenPlace(target, contents)]
    expr = expressions.expression(ctx, left, scope)
    if isinstance(expr, ir.StateRead):
        state = ctx.states[expr.state]
        value = expressions.expression(ctx, right, scope, state.type)
        value = ctx.coerce(value, state.type, right.span, f"'{state.name}'")
        return [ir.GivenState(expr.state, expr.indices, value)]
    if isinstance(expr, ir.WhereIs | ir.If) and isinstance(left, tree.Dot):
        return _where(ctx, left, right, scope)
    if isinstance(expr.type, types.Never):
        return []
    return [ir.GivenTest(expressions.equality(ctx, left, right, fact, scope))]


def _where(ctx: Context, left: tree.Dot, right: tree.Expr, scope: Scope) -> list[ir.GivenFact]:
    """The place whose index is called so, and that can hold this piece."""
    piece = expressions.expression(ctx, left.base, scope)
    found: list[ir.GivenFact] = []
    for place in ctx.places.values():
        if len(place.index) == 1 and place.index[0].name == left.name and isinstance(piece.type, types.Pieces):
            if set(piece.type.members) <= set(place.holds.members):
                index = expressions.expression(ctx, right, scope, place.index[0].type)
                index = ctx.coerce(index, place.index[0].type, right.span, place.name)
                found.append(ir.GivenWhere(piece, ir.Target(place.name, (index,))))
    if len(found) != 1:
        ctx.error(Code.AMBIGUOUS, left.span, f"which place? {len(found)} places have an index '{left.name}'")
        return []
    return found


def _target(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Target | None:
    """An instance of a place, if the expression is one."""
    base = node.base if isinstance(node, tree.Index | tree.Dot) else node
    if isinstance(node, tree.Dot) and node.name in ctx.places:
        return statements.place(ctx, node, scope)
    if isinstance(node, tree.Dot) or not isinstance(base, tree.Name) or base.name not in ctx.places:
        return None
    if base.name in scope.names:
        return None
    return statements.place(ctx, node, scope)


def _contents(ctx: Context, node: tree.Expr, scope: Scope) -> tuple[ir.SomePieces | ir.Expr, ...] | None:
    """What a place holds: a piece, or a set of them."""
    items: tuple[tree.Expr | tree.Several, ...] = (node,)
    if isinstance(node, tree.SetLiteral):
        items = node.items
    elif isinstance(node, tree.MapLiteral):
        items = node.items
    elif isinstance(node, tree.NoneValue):
        items = ()
    found: list[ir.SomePieces | ir.Expr] = []
    for item in items:
        if isinstance(item, tree.Several):
            candidates = pieces.matching(ctx, item.kind, scope)
            if candidates is None:
                ctx.unknown_name("the kind", item.kind.name, item.kind.span, ctx.kinds)
                return None
            if len(candidates) < item.number:
                there = f"there are {len(candidates)}" if candidates else "there is none"
                ctx.error(Code.NOT_HERE, item.span, f"{item.span.text}: {there} in this game")
                return None
            found.append(ir.SomePieces(item.number, candidates))
            continue
        piece = _piece(ctx, item, scope)
        if piece is None:
            return None
        candidates = pieces.matching(ctx, item, scope) if _describes(ctx, item, scope) else None
        found.append(ir.SomePieces(1, candidates) if candidates is not None else piece)
    return tuple(found)


def _piece(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr | None:
    """A piece by name, or the first of those described (only its kind matters then)."""
    if _describes(ctx, node, scope):
        candidates = pieces.matching(ctx, node, scope)
        if not candidates:
            if candidates is not None:
                ctx.error(Code.NOT_HERE, node.span, f"there is no {node.span.text} in this game")
            return None
        return ir.Const(types.Pieces(_kind_name(node), candidates), candidates[0])
    expr = expressions.expression(ctx, node, scope)
    if isinstance(expr.type, types.Pieces):
        return expr
    if isinstance(expr, ir.PlaceRead | ir.Select | ir.Const) and isinstance(expr.type, types.SetOf):
        return expr
    if not isinstance(expr.type, types.Never):
        ctx.error(Code.TYPE_MISMATCH, node.span, f"a piece is wanted here, and this is {typing.name(expr.type)}")
    return None


# ------------------------------------------------------------------------------------------------------ steps, tests


def _call(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Do | None:
    call = node if isinstance(node, tree.Apply) else tree.Apply(node.span, node, ())
    if not isinstance(call.function, tree.Name):
        ctx.error(Code.MISPLACED, node.span, "a procedure is wanted here: `at turn(Ann)`")
        return None
    return statements.do(ctx, call, scope, ir.Source(node.span))


def _step(ctx: Context, line: tree.Step, scope: Scope) -> ir.Step:
    player: ir.Expr | None = None
    if line.player is not None:
        player = expressions.expression(ctx, line.player, scope, ctx.player)
        player = ctx.coerce(player, ctx.player, line.player.span, "who acts")
    answer: ir.AnyAnswer | None = None
    call: ir.Do | None = None
    if line.does is not None:
        answer = _action(ctx, line.does, scope, player)
    elif line.chooses is not None:
        answer = _answer(ctx, line.chooses[0], scope) if len(line.chooses) == 1 else ir.SetAnswer(
            tuple(_member(ctx, c, scope) for c in line.chooses)
        )
    elif line.shares is not None:
        answer = ir.ShareAnswer(
            tuple((expressions.expression(ctx, n, scope), _value(ctx, to, scope)) for n, to in line.shares)
        )
    elif line.passes:
        answer = ir.PassAnswer()
    elif line.call is not None:
        call = _call(ctx, line.call, scope)
    rolling = tuple(expressions.expression(ctx, r, scope) for r in line.rolling)
    choosing = tuple(_answer(ctx, c, scope) for c in line.choosing)
    return ir.Step(player, answer, call, rolling, choosing, line.span)


def _action(ctx: Context, item: tree.MenuItem, scope: Scope, player: ir.Expr | None) -> ir.AnyAnswer:
    """`play(Island(46), b)`: pieces may be described."""
    if item.name not in ctx.merged.actions:
        ctx.unknown_name("the action", item.name, item.span, ctx.merged.actions)
        return ir.PassAnswer()
    params = headers.action(ctx, item.name) or ()
    given = list(item.arguments or ())
    filled: list[ir.Expr | ir.PieceArgument | None] = [None] * len(params)
    start = 0
    if headers.asks(ctx, params) and player is not None and len(given) < len(params):
        plain = [a for a in given[:1] if not _describes(ctx, a, scope)]
        if not plain or not _is_player(ctx, plain[0], params, scope):
            filled[0] = player
            start = 1
    if start + len(given) > len(params):
        message = f"'{item.name}' has {len(params)} parameters, and {start + len(given)} are given"
        ctx.error(Code.WRONG_COUNT, item.span, message)
        return ir.PassAnswer()
    for position, argument in enumerate(given, start):
        filled[position] = _value(ctx, argument, scope, params[position].variable.type)
    return ir.ActionAnswer(item.name, tuple(filled))


def _is_player(ctx: Context, node: tree.Expr, params: tuple[ir.Param, ...], scope: Scope) -> bool:
    if len(params) > 1 and params[1].variable.type == ctx.player:
        return False
    before = len(ctx.report.diagnostics)
    expr = expressions.expression(ctx, node, scope, ctx.player)
    del ctx.report.diagnostics[before:]
    return expr.type == ctx.player


def _value(
    ctx: Context, node: tree.Expr, scope: Scope, expected: types.Type | None = None
) -> ir.Expr | ir.PieceArgument:
    if _describes(ctx, node, scope) and not isinstance(expected, types.Enum | types.Cells):
        return ir.PieceArgument(pieces.matching(ctx, node, scope) or ())
    expr = expressions.expression(ctx, node, scope, expected)
    return ctx.coerce(expr, expected, node.span) if expected is not None else expr


def _answer(ctx: Context, node: tree.Expr, scope: Scope) -> ir.AnyAnswer:
    """The answer to a choice: an action, a set, a piece or a value."""
    match node:
        case tree.SetLiteral(_, items):
            return ir.SetAnswer(tuple(_member(ctx, item, scope) for item in items))
        case tree.Apply(_, tree.Name(_, word), arguments) if word in ctx.merged.actions:
            return _action(ctx, tree.MenuItem(node.span, word, arguments), scope, _first_player(ctx, word))
        case tree.Name(_, word) if word in ctx.merged.actions and word not in scope.names:
            return _action(ctx, tree.MenuItem(node.span, word, None), scope, _first_player(ctx, word))
        case _:
            return _value(ctx, node, scope)


def _first_player(ctx: Context, word: str) -> ir.Expr | None:
    """Answers name no player: any that is asked."""
    params = headers.action(ctx, word) or ()
    return ir.Const(types.Never(), None) if headers.asks(ctx, params) else None


def _member(ctx: Context, item: tree.Expr | tree.Several, scope: Scope) -> ir.Expr | ir.SomePieces:
    if isinstance(item, tree.Several):
        return ir.SomePieces(item.number, pieces.matching(ctx, item.kind, scope) or ())
    if _describes(ctx, item, scope):
        return ir.SomePieces(1, pieces.matching(ctx, item, scope) or ())
    return expressions.expression(ctx, item, scope)


def _then(ctx: Context, line: tree.Then, scope: Scope) -> ir.Expect:
    tests: list[ir.Expr] = []
    refused = False
    guard: str | None = None
    for outcome in line.outcomes:
        if isinstance(outcome, tree.Refused):
            refused, guard = True, outcome.guard
        else:
            tests.append(_outcome(ctx, outcome, scope))
    odds = None if line.odds is None else calls.fraction(ctx, line.odds, scope)
    return ir.Expect(tuple(tests), refused, guard, odds, line.span)


def _outcome(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """A test; `hand[Ann] = {..}`, `some Finish in lost[Ann]`, `Start in corner` may describe pieces."""
    match node:
        case tree.Binary(_, Operator.EQUAL, left, right) | tree.Is(_, left, tree.Test.VALUE, False, None, right):
            target = None if right is None else _read(ctx, left, scope)
            if target is not None and isinstance(right, tree.MapLiteral):
                return _in_order(ctx, target, right, scope)
            if target is not None and right is not None and _describes_some(ctx, right, scope):
                return _holds(ctx, target, right, scope)
        case tree.Binary(_, Operator.IN, left, right) if _describes(ctx, left, scope):
            domain, of = expressions.domain(ctx, right, scope)
            made, local = variable("x", of)
            candidates = pieces.matching(ctx, left, scope) or ()
            kind = ir.Const(types.SetOf(of), candidates)
            test = apply(BOOL, Op.IN, local, kind)
            return ir.Fold(BOOL, ir.FoldKind.SOME, (ir.Binder(made, domain),), test)
        case _:
            pass
    return expressions.test(ctx, node, scope).expr


def _read(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr | None:
    target = _target(ctx, node, scope)
    return None if target is None else expressions.expression(ctx, node, scope)


def _describes_some(ctx: Context, node: tree.Expr, scope: Scope) -> bool:
    if isinstance(node, tree.SetLiteral):
        return any(isinstance(i, tree.Several) or _describes(ctx, i, scope) for i in node.items)
    return _describes(ctx, node, scope)


def _in_order(ctx: Context, read: ir.Expr, node: tree.MapLiteral, scope: Scope) -> ir.Expr:
    """A row holds what is described, in this order."""
    contents = _contents(ctx, node, scope)
    of = typing.member(read.type)
    if contents is None or of is None:
        return UNKNOWN
    total = len(contents)
    size = apply(types.Int(0, max(total, names.most_members(ctx, read))), Op.SIZE, read)
    tests: list[ir.Expr] = [apply(BOOL, Op.EQUAL, size, number(total))]
    for position, item in enumerate(contents, 1):
        there = apply(types.Optional(of), Op.NTH, read, number(position))
        if isinstance(item, ir.SomePieces):
            tests.append(apply(BOOL, Op.IN, there, ir.Const(types.SetOf(of), item.candidates)))
        else:
            tests.append(apply(BOOL, Op.EQUAL, there, item))
    return conjunction(tests)


def _holds(ctx: Context, read: ir.Expr, node: tree.Expr, scope: Scope) -> ir.Expr:
    """The place holds exactly what is described: the right number in all, and of each description."""
    contents = _contents(ctx, node, scope)
    of = typing.member(read.type)
    if contents is None or of is None:
        return UNKNOWN
    wanted: dict[tuple[int, ...], int] = {}
    tests: list[ir.Expr] = []
    total = 0
    for item in contents:
        if isinstance(item, ir.SomePieces):
            wanted[item.candidates] = wanted.get(item.candidates, 0) + item.number
            total += item.number
        else:
            tests.append(apply(BOOL, Op.IN, item, read))
            total += 1
    most = types.Int(0, max(total, names.most_members(ctx, read)))
    size = apply(most, Op.SIZE, read)
    tests.append(apply(BOOL, Op.EQUAL, size, ir.Const(types.Int(total, total), total)))
    for candidates, number in wanted.items():
        made, local = variable("x", of)
        test = apply(BOOL, Op.IN, local, ir.Const(types.SetOf(of), candidates))
        count = ir.Fold(most, ir.FoldKind.COUNT, (ir.Binder(made, read, test),), ir.Const(BOOL, True))
        tests.append(apply(BOOL, Op.AT_LEAST, count, ir.Const(types.Int(number, number), number)))
    return tests[0] if len(tests) == 1 else ir.Apply(BOOL, Op.AND, tuple(tests))


__all__ = ["calls", "example", "members"]
