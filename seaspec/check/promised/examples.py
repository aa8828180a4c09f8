"""Worked examples: the position given, the steps, what must follow; to core."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from seaspec.check import typing
from seaspec.check.context import BOOL, UNKNOWN, Context, Scope, Where, apply, conjunction, number, variable
from seaspec.check.declared import headers, pieces, things
from seaspec.check.doing import calls, statements
from seaspec.check.expressions import expressions, folds, names
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.show import show_value
from seaspec.core.types import Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import Operator

PROMISE = Scope(where=Where.PROMISES)
SIZES = {
    Operator.EQUAL: Op.EQUAL,
    Operator.AT_LEAST: Op.AT_LEAST,
    Operator.AT_MOST: Op.AT_MOST,
}


@dataclass(slots=True)
class _Example:
    """An example while its lines are read, in order: names, the position, steps and what follows."""

    scope: Scope = PROMISE
    any: list[ir.Binder] = field(default_factory=list)
    lets: list[tuple[ir.Variable, ir.SomePieces | ir.Expr]] = field(default_factory=list)
    given: list[ir.GivenFact] = field(default_factory=list)
    at: ir.At | None = None
    lines: list[ir.Step | ir.Expect] = field(default_factory=list)


def example(ctx: Context, node: tree.Example) -> ir.Example | None:
    """An example; only its options if it wants other ones than this game has."""
    options = _options(ctx, node)
    said = source(ctx, node.tail, node.span, PROMISE)
    made = _Example()
    if all(name not in ctx.options or ctx.options[name].value == value for name, value in options):
        for line in node.lines:
            _line(ctx, line, made)
    return ir.Example(
        node.name,
        options,
        tuple(made.any),
        tuple(made.lets),
        tuple(made.given),
        made.at,
        tuple(made.lines),
        node.myth,
        said,
    )


def _line(ctx: Context, line: tree.ExampleLine, made: _Example) -> None:
    if made.lines and isinstance(line, tree.ForAny | tree.Given | tree.At):
        what = {tree.ForAny: "for any", tree.Given: "given", tree.At: "at"}[type(line)]
        ctx.error(Code.MISPLACED, line.span, f"`{what}` says how it begins, so it stands before `when` and `then`")
    match line:
        case tree.ForAny():
            where = None if line.where is None else tree.Filter(line.where.span, line.where, False)
            more, made.scope = folds.bind_names(ctx, line.names, line.domain, where, made.scope, line.span)
            made.any.extend(more)
        case tree.ExampleLet():
            let, made.scope = _let(ctx, line, made.scope)
            made.lets.append(let)
        case tree.Given():
            for fact in line.facts:
                if not _is_option(ctx, fact):
                    made.given.extend(_fact(ctx, fact, made.scope))
        case tree.At():
            if made.at is not None:
                ctx.error(Code.MISPLACED, line.span, "the flow can stand at one place only")
            made.at = _at(ctx, line, made.scope)
        case tree.Step():
            made.lines.append(_step(ctx, line, made.scope))
        case tree.Then():
            made.lines.append(_then(ctx, line, made))
        case _:
            assert_never(line)


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
        case _:  # cautious: no option is named; then it is a condition on the position
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
                shown = show_value(value, expr.type, ctx)
                ctx.error(Code.NOT_WITH_OPTIONS, value_node.span, f"'{name}' is never {shown} here")
            elif value is not None:
                found.append((name, value))
    return tuple(found)


# ------------------------------------------------------------------------------------------------------------- given


def _let(
    ctx: Context, line: tree.ExampleLet, scope: Scope
) -> tuple[tuple[ir.Variable, ir.SomePieces | ir.Expr], Scope]:
    """A name for a piece (any that fits the description), or for a value."""
    candidates = pieces.matching(ctx, line.value, scope) if _describes(ctx, line.value, scope) else None
    if candidates == ():
        ctx.error(Code.NOT_HERE, line.value.span, f"there is no {line.value.span.text} in this game")
    if candidates is not None:
        ty: types.Type = types.Pieces(ctx.kinds[_kind_name(line.value)].name, candidates)
        value: ir.SomePieces | ir.Expr = ir.SomePieces(1, ir.Const(types.SetOf(ty), candidates))
    else:
        value = expressions.expression(ctx, line.value, scope)
        ty = value.type
    made, inner = names.introduce(ctx, line.name, ty, scope, line.span)
    return (made, value), inner


def _describes(ctx: Context, node: tree.Expr, scope: Scope) -> bool:
    """Whether an expression describes pieces by constants: `Joker`, `Card(hearts, 4)`, and no `Card(hearts, n + 1)`."""
    function = node.function if isinstance(node, tree.Apply) else node
    if not isinstance(function, tree.Capital) or function.name not in ctx.kinds:
        return False
    return pieces.matching(ctx, node, scope) is not None


def _kind_name(node: tree.Expr) -> str:
    function = node.function if isinstance(node, tree.Apply) else node
    assert isinstance(function, tree.Capital)
    return function.name


def _fact(ctx: Context, fact: tree.Expr, scope: Scope) -> list[ir.GivenFact]:
    """One thing that is given about the position."""
    match fact:
        case tree.Binary(_, Operator.AND, left, right):
            return [*_fact(ctx, left, scope), *_fact(ctx, right, scope)]
        case tree.Is(_, subject, tree.Test.EMPTY, False) if (target := _target(ctx, subject, scope)) is not None:
            return [ir.GivenPlace(target, ())]
        case tree.Is(_, subject, tree.Test.VALUE, False, None, value) if value is not None:
            return _equal(ctx, fact, subject, value, scope)
        case tree.Binary(_, Operator.EQUAL, left, right):
            return _equal(ctx, fact, left, right, scope)
        case tree.Binary(_, op, tree.Unary(_, Operator.SIZE, subject), right) if op in SIZES:
            target = _target(ctx, subject, scope)
            if target is not None:
                return [ir.GivenSize(target, SIZES[op], folds.number(ctx, right, scope))]
        case tree.Binary(_, Operator.IN, left, right) if (target := _target(ctx, right, scope)) is not None:
            piece = _piece(ctx, left, scope)
            return [] if piece is None else [ir.GivenWhere(piece, target)]
        case tree.Unary(_, Operator.NOT, inner):
            state = expressions.expression(ctx, inner, scope)
            if isinstance(state, ir.StateRead) and isinstance(state.type, types.Bool):
                return [ir.GivenState(state.state, state.indices, ir.Const(BOOL, False))]
        case _:  # cautious: any other condition is tested of the position
            pass
    expr = expressions.test(ctx, fact, scope).expr
    if isinstance(expr, ir.StateRead):
        return [ir.GivenState(expr.state, expr.indices, ir.Const(BOOL, True))]
    return [ir.GivenTest(expr)]


def _equal(ctx: Context, fact: tree.Expr, left: tree.Expr, right: tree.Expr, scope: Scope) -> list[ir.GivenFact]:
    """`hand[Ann] = {..}`, `size of deck[Ben] = 5`, `x.cell = B1`, `wind is n`"""
    if isinstance(left, tree.Unary) and left.op is Operator.SIZE:
        target = _target(ctx, left.operand, scope)
        if target is not None:
            return [ir.GivenSize(target, Op.EQUAL, folds.number(ctx, right, scope))]
    target = _target(ctx, left, scope)
    if target is not None:
        contents = _contents(ctx, right, scope, alike=True)
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
        ctx.error(Code.AMBIGUOUS, left.span, f"which place? {len(found)} places have the index '{left.name}'")
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


def _contents(
    ctx: Context, node: tree.Expr, scope: Scope, *, alike: bool
) -> tuple[ir.SomePieces | ir.Expr, ...] | None:
    """What a place holds: a piece, or a set of them. `alike`: so many of them must be identical ones."""
    items: tuple[tree.Expr | tree.Several, ...] = (node,)
    if isinstance(node, tree.SetLiteral | tree.MapLiteral):
        items = node.items
    elif isinstance(node, tree.NoneValue):
        items = ()
    found: list[ir.SomePieces | ir.Expr] = []
    for item in items:
        if isinstance(item, tree.Several):
            several = pieces.several(ctx, item, scope, alike=alike)
            if several is None:
                return None
            found.append(ir.SomePieces(item.number, several))
            continue
        piece = _piece(ctx, item, scope)
        if piece is None:
            return None
        found.append(_one_of(piece) if _describes(ctx, item, scope) else piece)
    return tuple(found)


def _one_of(described: ir.Expr) -> ir.SomePieces:
    """Any piece of those described."""
    assert isinstance(described.type, types.Pieces)
    return ir.SomePieces(1, ir.Const(types.SetOf(described.type), described.type.members))


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
    return statements.do(ctx, node, scope, ir.Source(node.span))


def _at(ctx: Context, line: tree.At, scope: Scope) -> ir.At | None:
    call = _call(ctx, line.call, scope)
    if line.number < 1:
        ctx.error(Code.OUT_OF_RANGE, line.span, "calls are counted from the 1st on")
    return None if call is None else ir.At(line.number, call)


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
        answer = (
            _answer(ctx, line.chooses[0], scope)
            if len(line.chooses) == 1
            else ir.SetAnswer(tuple(_member(ctx, c, scope) for c in line.chooses))
        )
    elif line.shares is not None:
        answer = ir.ShareAnswer(tuple((folds.number(ctx, n, scope), _value(ctx, to, scope)) for n, to in line.shares))
    elif line.passes:
        answer = ir.PassAnswer()
    elif line.call is not None:
        call = _call(ctx, line.call, scope)
    rolling = tuple(folds.number(ctx, r, scope) for r in line.rolling)
    choosing = tuple(_answer(ctx, c, scope) for c in line.choosing)
    return ir.Step(player, answer, call, rolling, choosing, line.span)


def _action(ctx: Context, item: tree.MenuItem, scope: Scope, player: ir.Expr | None) -> ir.AnyAnswer:
    """`lay(Card(46), b)`: pieces may be described."""
    if item.name not in ctx.merged.actions:
        ctx.unknown_name("the action", item.name, item.span.word(item.name), ctx.merged.actions)
        return ir.PassAnswer()
    params = headers.action(ctx, item.name)
    given = list(item.arguments or ())
    filled: list[ir.Expr | ir.PieceArgument | None] = [None] * len(params)
    start = 0
    if headers.asks(ctx, params) and player is not None and len(given) < len(params):
        if not _names_player(ctx, given, params, scope):
            filled[0] = player
            start = 1
    if start + len(given) > len(params):
        message = f"'{item.name}' has {len(params)} parameters, and {start + len(given)} are given"
        labels = [Label(ctx.merged.actions[item.name][0].span, "declared here")]
        ctx.error(Code.WRONG_COUNT, item.span, message, labels=labels)
        return ir.PassAnswer()
    for position, argument in enumerate(given, start):
        filled[position] = _value(ctx, argument, scope, params[position].variable.type)
    return ir.ActionAnswer(item.name, tuple(filled))


def _names_player(ctx: Context, given: list[tree.Expr], params: tuple[ir.Param, ...], scope: Scope) -> bool:
    """Whether the first argument is for the player who is asked, and no piece or the like."""
    if not given or _describes(ctx, given[0], scope) or (len(params) > 1 and params[1].variable.type == ctx.player):
        return False
    return calls.is_player(ctx, given[0], scope)


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
        case _:  # cautious: any other expression is a value
            return _value(ctx, node, scope)


def _first_player(ctx: Context, word: str) -> ir.Expr | None:
    """Answers name no player: any that is asked."""
    params = headers.action(ctx, word)
    return ir.Const(types.Never(), None) if headers.asks(ctx, params) else None


def _member(ctx: Context, item: tree.Expr | tree.Several, scope: Scope) -> ir.Expr | ir.SomePieces:
    if isinstance(item, tree.Several):
        several = pieces.several(ctx, item, scope, alike=True)
        return UNKNOWN if several is None else ir.SomePieces(item.number, several)
    if _describes(ctx, item, scope):
        piece = _piece(ctx, item, scope)
        return UNKNOWN if piece is None else _one_of(piece)
    return expressions.expression(ctx, item, scope)


def _then(ctx: Context, line: tree.Then, made: _Example) -> ir.Expect:
    tests: list[ir.Expr] = []
    refused = False
    guard: str | None = None
    for outcome in line.outcomes:
        if isinstance(outcome, tree.Refused):
            refused, guard = True, outcome.guard
            _check_refused(ctx, outcome, made)
        else:
            tests.append(_outcome(ctx, outcome, made.scope))
    odds = None if line.odds is None else calls.fraction(ctx, line.odds, made.scope)
    return ir.Expect(tuple(tests), refused, guard, odds, line.span)


def _check_refused(ctx: Context, outcome: tree.Refused, made: _Example) -> None:
    """The last step was refused: by a guard of the action that was tried."""
    step = made.lines[-1] if made.lines else None
    if not isinstance(step, ir.Step):
        ctx.error(Code.MISPLACED, outcome.span, "`refused` follows a step: `when Ann does play(..)`")
        return
    if outcome.guard is None:
        return
    action = step.answer.action if isinstance(step.answer, ir.ActionAnswer) else None
    if action is None and step.call is not None:
        action = step.call.procedure
    guards = ctx.guards.get(action or "", ())
    if outcome.guard not in guards:
        tried = f"'{action}' has no guard" if action else "this step has no guard"
        message = f"{tried} '{outcome.guard}'"
        hint = near(outcome.guard, guards)
        if hint is None and _is_replaced(ctx, action or "", outcome.span):
            hint = f"whoever replaces '{action}' gives its guards, too: they are gone where they are not said again"
        ctx.error(Code.UNKNOWN_NAME, outcome.span.word(outcome.guard), message, hint=hint)


def _is_replaced(ctx: Context, action: str, example: Span) -> bool:
    """Whether a later chapter than that of an example says what an action does."""
    made = ctx.merged.actions.get(action, ())
    return any(ctx.order_of(one.span) > ctx.order_of(example) for one in made)


def _outcome(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """A test; `hand[Ann] = {..}`, `some Joker in lost[Ann]`, `Joker in corner` may describe pieces."""
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
        case _:  # cautious: any other test is a test like elsewhere
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
    contents = _contents(ctx, node, scope, alike=False)
    of = typing.member(read.type)
    if contents is None or of is None:
        return UNKNOWN
    total = len(contents)
    size = apply(types.Int(0, max(total, folds.most_members(ctx, read))), Op.SIZE, read)
    tests: list[ir.Expr] = [apply(BOOL, Op.EQUAL, size, number(total))]
    for position, item in enumerate(contents, 1):
        there = apply(types.Optional(of), Op.NTH, read, number(position))
        if isinstance(item, ir.SomePieces):
            tests.append(apply(BOOL, Op.IN, there, item.candidates))
        else:
            tests.append(apply(BOOL, Op.EQUAL, there, item))
    return conjunction(tests)


def _holds(ctx: Context, read: ir.Expr, node: tree.Expr, scope: Scope) -> ir.Expr:
    """The place holds exactly what is described: the right number in all, and of each description."""
    contents = _contents(ctx, node, scope, alike=False)
    of = typing.member(read.type)
    if contents is None or of is None:
        return UNKNOWN
    wanted: dict[ir.Expr, int] = {}
    tests: list[ir.Expr] = []
    total = 0
    for item in contents:
        if isinstance(item, ir.SomePieces):
            wanted[item.candidates] = wanted.get(item.candidates, 0) + item.number
            total += item.number
        else:
            tests.append(apply(BOOL, Op.IN, item, read))
            total += 1
    most = types.Int(0, max(total, folds.most_members(ctx, read)))
    size = apply(most, Op.SIZE, read)
    tests.append(apply(BOOL, Op.EQUAL, size, number(total)))
    for candidates, least in wanted.items():
        made, local = variable("x", of)
        test = apply(BOOL, Op.IN, local, candidates)
        count = ir.Fold(most, ir.FoldKind.COUNT, (ir.Binder(made, read, test),), ir.Const(BOOL, True))
        tests.append(apply(BOOL, Op.AT_LEAST, count, number(least)))
    return tests[0] if len(tests) == 1 else ir.Apply(BOOL, Op.AND, tuple(tests))
