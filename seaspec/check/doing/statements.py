"""Statements: from syntax to typed core.

`block` elaborates statements in order; each may give names to those after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.check import texts, typing
from seaspec.check.context import (
    BOOL,
    UNKNOWN,
    Context,
    Scope,
    Throws,
    apply,
    declared_here,
    members,
    number,
    piece_in,
    variable,
)
from seaspec.check.declared import headers, shapes, words
from seaspec.check.doing import calls, choices
from seaspec.check.expressions import cases, expressions, names
from seaspec.check.limits import MOST_DICE, MOST_SIDES
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import walk
from seaspec.diagnostics.codes import Code
from seaspec.source import Span
from seaspec.syntax import tree

Block = tuple[ir.Stmt, ...]


def block(ctx: Context, nodes: tuple[tree.Statement, ...], scope: Scope) -> Block:
    """Statements in order."""
    found: list[ir.Stmt] = []
    for node in nodes:
        made, scope = statement(ctx, node, scope)
        found.extend(made)
    return tuple(found)


def statement(ctx: Context, node: tree.Statement, scope: Scope) -> tuple[list[ir.Stmt], Scope]:
    """A statement, and the scope of those after it."""
    match node:
        case tree.Choose() | tree.Share() | tree.AnyOrder() | tree.AllAtOnce():
            return choices.choice(ctx, node, scope)
        case tree.Let() | tree.Draw() | tree.Roll():
            return _naming(ctx, node, scope)
        case tree.If() | tree.ForEach() | tree.Repeat() | tree.MatchStatement():
            return _control(ctx, node, scope), scope
        case tree.Needs():
            ctx.error(Code.MISPLACED, node.span, "`needs` stands at the top of an action, before its effects")
            return [], scope
        case tree.Again() | tree.Gives():
            ctx.error(Code.MISPLACED, node.span, "`again if` and `gives` stand in a `chance` only")
            return [], scope
        case _:
            return _effect(ctx, node, scope), scope


_Effect = (
    tree.Call | tree.Assign | tree.Move | tree.MoveSome | tree.Shuffle | tree.Stop | tree.Say | tree.Show
    | tree.Nothing | tree.Win | tree.Lose | tree.NobodyWins | tree.DropOut | tree.Score
)  # fmt: skip


def _effect(ctx: Context, node: _Effect, scope: Scope) -> list[ir.Stmt]:
    match node:
        case tree.Call():
            return _call(ctx, node, scope)
        case tree.Assign():
            return _assign(ctx, node, scope)
        case tree.Move():
            return _move(ctx, node, node.target, scope)
        case tree.MoveSome():
            return _move_some(ctx, node, scope)
        case tree.Shuffle():
            target = place(ctx, node.place, scope)
            return [] if target is None else [ir.Shuffle(target, texts.source(ctx, node.tail, node.span, scope))]
        case tree.Stop():
            if node.procedure not in ctx.merged.procedures and node.procedure not in ctx.merged.actions:
                every = [*ctx.merged.procedures, *ctx.merged.actions]
                ctx.unknown_name("the procedure", node.procedure, node.span.word(node.procedure), every)
                return []
            return [ir.Stop(headers.reference(ctx, node.procedure), texts.source(ctx, node.tail, node.span, scope))]
        case tree.Say():
            audience = None if node.audience is None else _players(ctx, node.audience, scope)
            return [
                ir.Say(texts.text(ctx, node.sentence, scope), audience, texts.source(ctx, node.tail, node.span, scope))
            ]
        case tree.Show():
            target = place(ctx, node.place, scope)
            audience = _players(ctx, node.audience, scope)
            return [] if target is None else [ir.Show(target, audience, texts.source(ctx, node.tail, node.span, scope))]
        case tree.Nothing():
            return []
        case tree.Win() | tree.Lose():
            outcome = ir.Outcome.WIN if isinstance(node, tree.Win) else ir.Outcome.LOSE
            players = _players(ctx, node.players, scope)
            return [ir.End(outcome, players, texts.source(ctx, node.tail, node.span, scope))]
        case tree.NobodyWins():
            return [ir.End(ir.Outcome.NOBODY, None, texts.source(ctx, node.tail, node.span, scope))]
        case tree.DropOut():
            player = expressions.expression(ctx, node.player, scope.quiet(), ctx.player)
            player = ctx.coerce(player, ctx.player, node.player.span, "who drops out")
            return [ir.DropOut(player, texts.source(ctx, node.tail, node.span, scope))]
        case tree.Score():
            return _score(ctx, node, scope)
        case _:
            assert_never(node)


def _players(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """A player or players, as a set."""
    expr = expressions.expression(ctx, node, scope.quiet(), ctx.player)
    players = types.SetOf(ctx.player)
    if isinstance(expr.type, types.SetOf):
        return ctx.coerce(expr, players, node.span)
    return apply(players, Op.SET, ctx.coerce(expr, ctx.player, node.span))


def _score(ctx: Context, node: tree.Score, scope: Scope) -> list[ir.Stmt]:
    made, inner = names.introduce(ctx, node.name, ctx.player, scope.quiet(), node.span)
    values = []
    for part in (node.value, *node.ties):
        expr = expressions.expression(ctx, part, inner)
        if not isinstance(expr.type, types.Int | types.Never):
            ctx.error(Code.TYPE_MISMATCH, part.span, f"a score is a number, and this is {typing.name(expr.type)}")
        values.append(expr)
    return [ir.Score(made, tuple(values), texts.source(ctx, node.tail, node.span, inner))]


# ------------------------------------------------------------------------------------------------------------- calls


def _call(ctx: Context, node: tree.Call, scope: Scope) -> list[ir.Stmt]:
    made = do(ctx, node.call, scope, texts.source(ctx, node.tail, node.span, scope))
    if made is None:
        return []
    if made.procedure in (ir.SETUP, ir.PLAY):
        ctx.error(Code.MISPLACED, node.call.span, f"`{made.procedure}` starts the game; nothing calls it")
        return []
    return [made]


def do(ctx: Context, node: tree.Expr, scope: Scope, said: ir.Source) -> ir.Do | None:
    """The call of a procedure or an action."""
    call = node if isinstance(node, tree.Apply) else tree.Apply(node.span, node, ())
    if not isinstance(call.function, tree.Name):
        ctx.error(Code.MISPLACED, node.span, "a procedure or action is called by its name, and this is none")
        return None
    word = call.function.name
    clauses: tuple[tree.Procedure, ...] = ()
    if word in ctx.merged.actions:
        params = tuple(p.variable for p in headers.action(ctx, word))
        declared = ctx.merged.actions[word][0].span
    elif word in ctx.merged.procedures:
        params = headers.procedure(ctx, word)
        clauses = ctx.merged.procedures[word]
        declared = clauses[0].span
    else:
        _no_procedure(ctx, call, word, scope)
        return None
    found = calls.arguments(ctx, word, params, call, scope, declared)
    if found is None:
        return None
    words.check_covered(ctx, word, clauses, found, call.span)
    return ir.Do(headers.reference(ctx, word), found, said)


def _no_procedure(ctx: Context, call: tree.Apply, word: str, scope: Scope) -> None:
    merged = ctx.merged
    if word in scope.names or any(
        word in group for group in (merged.defines, merged.states, merged.places, merged.consts)
    ):
        hint = "say what is done: call a procedure, move, choose, or change a state with `:=`"
        ctx.error(Code.NOT_A_VALUE, call.span, f"'{word}' is a value, and a value alone does nothing", hint=hint)
    elif word in merged.chances:
        message = f"'{word}' is thrown where its value is used"
        ctx.error(Code.NOT_IN_EXPRESSION, call.span, message, hint=f"say `let x = {word}(..)`")
    elif word in merged.menus:
        message = f"'{word}' is a menu, and somebody must choose from it"
        ctx.error(Code.NOT_A_VALUE, call.span, message, hint=f"say `p chooses {word}`")
    else:
        every = [*merged.procedures, *merged.actions]
        ctx.unknown_name("the procedure", word, call.function.span, every)


# ----------------------------------------------------------------------------------------------- values and pieces


def _assign(ctx: Context, node: tree.Assign, scope: Scope) -> list[ir.Stmt]:
    target = expressions.expression(ctx, node.target, scope.quiet())
    while isinstance(target, ir.Apply) and target.op in (Op.KNOWN, Op.CHECK):
        target = target.arguments[0]
    if not isinstance(target, ir.StateRead):
        if not isinstance(target.type, types.Never):
            hint = "`let x = ..` names a value; a place changes by `move`"
            ctx.error(Code.NOT_ASSIGNABLE, node.target.span, "only a state can be given a value", hint=hint)
        return []
    state = ctx.states[target.state]
    value = expressions.expression(ctx, node.value, scope.quiet(), state.type)
    if node.op is not None:
        value = _changed(ctx, node, target, value)
    value = ctx.coerce(value, state.type, node.value.span, f"'{state.name}'")
    if value is UNKNOWN:
        return []
    return [ir.Assign(state.name, target.indices, value, texts.source(ctx, node.tail, node.span, scope))]


def _changed(ctx: Context, node: tree.Assign, old: ir.StateRead, by: ir.Expr) -> ir.Expr:
    """`x += e`, `x -= e`: of numbers, rings and sets."""
    minus = node.op is tree.Operator.SUBTRACT
    if by is UNKNOWN:
        return UNKNOWN
    if isinstance(old.type, types.SetOf) and isinstance(by.type, types.SetOf):
        joined = typing.join(old.type.of, by.type.of)
        if joined is None:
            message = f"this is {typing.name(by.type)}, and '{old.state}' is {typing.name(old.type)}"
            return ctx.error(Code.TYPE_MISMATCH, node.value.span, message)
        return apply(old.type, Op.DIFFERENCE, old, by) if minus else apply(types.SetOf(joined), Op.UNION, old, by)
    if isinstance(old.type, types.SetOf):
        message = f"a set is wanted here, and this is {typing.name(by.type)}"
        return ctx.error(Code.NOT_A_SET, node.value.span, message, hint="a set of one: `{x}`")
    if not isinstance(by.type, types.Int):
        message = f"a number is wanted here, and this is {typing.name(by.type)}"
        return ctx.error(Code.TYPE_MISMATCH, node.value.span, message)
    if isinstance(old.type, types.Int):
        (a, b), (c, d) = expressions.bounds(old), expressions.bounds(by)
        low, high = (a - d, b - c) if minus else (a + c, b + d)
        return ctx.number(low, high, Op.SUBTRACT if minus else Op.ADD, node.value.span, old, by)
    if isinstance(old.type, types.Enum) and old.type.ring:
        return apply(old.type, Op.TURN, old, expressions.negative(by) if minus else by)
    return ctx.error(Code.TYPE_MISMATCH, node.target.span, f"nothing can be added to {typing.name(old.type)}")


def place(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Target | None:
    """An instance of a place that pieces are moved to or from: the index must be there."""
    expr = expressions.expression(ctx, node, scope.quiet())
    if isinstance(expr, ir.PlaceRead):
        made = ctx.places[expr.place]
        spans = node.indices if isinstance(node, tree.Index) else (node,) * len(expr.indices)
        indices = tuple(
            ctx.coerce(i, v.type, s.span, f"'{made.name}'")
            for i, v, s in zip(expr.indices, made.index, spans, strict=True)
        )
        return None if UNKNOWN in indices else ir.Target(expr.place, indices)
    if isinstance(expr, ir.Everywhere):
        wanted = ", ".join(v.name for v in ctx.places[expr.place].index)
        message = f"which one? It is {expr.place}[{wanted}]"
        ctx.error(Code.WRONG_COUNT, node.span, message, labels=declared_here(ctx.places[expr.place]))
    elif not isinstance(expr.type, types.Never):
        ctx.error(Code.TYPE_MISMATCH, node.span, f"a place is wanted here, and this is {typing.name(expr.type)}")
    return None


def _destination(
    ctx: Context, target: ir.Target, node: tree.Move | tree.MoveSome, scope: Scope
) -> tuple[ir.Put, ir.Expr | None]:
    """`under` is for piles, `at k` for rows, `at c` for shapes that are laid on a board."""
    place = ctx.places[target.place]
    if node.under:
        if place.order is not ir.PlaceOrder.PILE:
            message = f"'{place.name}' is no pile, so nothing lies under it"
            ctx.error(Code.WRONG_CARGO, node.target.span, message, labels=declared_here(place))
        return ir.Put.UNDER, None
    if node.at is None:
        return ir.Put.ON, None
    if place.laid_on is not None:
        return ir.Put.AT, expressions.expression(ctx, node.at, scope.quiet(), ctx.types.get(place.laid_on))
    if place.order is not ir.PlaceOrder.ROW:
        message = f"'{place.name}' is no row, so there is no spot in it"
        ctx.error(Code.WRONG_CARGO, node.at.span, message, labels=declared_here(place))
    return ir.Put.AT, _count(ctx, node.at, scope)


def _move(ctx: Context, node: tree.Move, target_node: tree.Expr, scope: Scope) -> list[ir.Stmt]:
    if isinstance(target_node, tree.IfElse):
        tested = expressions.test(ctx, target_node.test, scope.quiet())
        then = _move(ctx, node, target_node.then, scope.bind(tested.if_yes))
        otherwise = _move(ctx, node, target_node.otherwise, scope.bind(tested.if_no))
        return [ir.Branch(tested.expr, tuple(then), tuple(otherwise), texts.source(ctx, node.tail, node.span, scope))]
    target = place(ctx, target_node, scope)
    cargo = expressions.expression(ctx, node.cargo, scope.quiet())
    if target is None or cargo is UNKNOWN or not _fits_place(ctx, cargo, target, node.cargo):
        return []
    said = texts.source(ctx, node.tail, node.span, scope)
    put, at = _destination(ctx, target, node, scope)
    if ctx.places[target.place].laid_on is not None:
        piece = piece_in(cargo, optional=False) if ctx.is_single(cargo) else cargo
        return _lay(ctx, piece, target, at, node.cargo, said)
    if isinstance(cargo, ir.PlaceRead):
        origin = place(ctx, node.cargo, scope)
        return [] if origin is None else [ir.Move(None, origin, target, put, at, said)]
    if isinstance(cargo.type, types.Optional):
        hint = "test it first: `if .. is some x`"
        ctx.error(Code.MAY_BE_NONE, node.cargo.span, "this may be none, and none can not be moved", hint=hint)
        return []
    return [ir.Move(cargo, None, target, put, at, said)]


def _lay(
    ctx: Context, piece: ir.Expr, target: ir.Target, at: ir.Expr | None, node: tree.Expr, said: ir.Source
) -> list[ir.Stmt]:
    """A shape is laid on a board."""
    if not isinstance(piece.type, types.Pieces):
        ctx.error(Code.WRONG_CARGO, node.span, f"shapes are laid one by one, and this is {typing.name(piece.type)}")
        return []
    where = shapes.lay(ctx, piece, target, at, said.span)
    return [] if where is None else [ir.Move(piece, None, target, ir.Put.ON, None, said), where]


def _fits_place(ctx: Context, cargo: ir.Expr, target: ir.Target, node: tree.Expr) -> bool:
    of = typing.known(cargo.type)
    if isinstance(of, types.SetOf):
        of = of.of
    place = ctx.places[target.place]
    if not isinstance(of, types.Pieces | types.Never):
        ctx.error(Code.TYPE_MISMATCH, node.span, f"pieces are moved, and this is {typing.name(cargo.type)}")
        return False
    if typing.disjoint(of, place.holds):
        message = f"'{place.name}' holds {place.holds.name}, never {typing.name(of)}"
        ctx.error(Code.WRONG_CARGO, node.span, message, labels=declared_here(place))
        return False
    return True


def _move_some(ctx: Context, node: tree.MoveSome, scope: Scope) -> list[ir.Stmt]:
    kind = names.kind(ctx, node.kind)
    if not isinstance(kind, types.Pieces):
        ctx.unknown_name("the kind", node.kind.name, node.kind.span, ctx.kinds)
        return []
    amount = None if node.amount is None else _amount(ctx, node.amount, scope, "how many are moved")
    origin, target = place(ctx, node.source, scope), place(ctx, node.target, scope)
    if origin is None or target is None:
        return []
    for where, side in ((origin, node.source), (target, node.target)):
        made = ctx.places[where.place]
        if typing.disjoint(kind, made.holds):
            message = f"'{made.name}' holds {made.holds.name}, never {kind.name}"
            ctx.error(Code.WRONG_CARGO, side.span, message, labels=declared_here(made))
            return []
    put, at = _destination(ctx, target, node, scope)
    said = texts.source(ctx, node.tail, node.span, scope)
    if ctx.places[target.place].laid_on is not None:
        if amount != number(1):
            ctx.error(
                Code.WRONG_CARGO, node.kind.span, "shapes are laid one by one", hint=f"say `move 1 {kind.name} ..`"
            )
            return []
        piece, local = variable("piece", kind)
        found, _ = variable("piece", ctx.places[origin.place].holds)
        lying = ir.PlaceRead(types.SetOf(found.type), origin.place, origin.indices)
        of_kind = apply(BOOL, Op.IN, ir.Local(found), members(kind))
        first = ir.PickOne(kind, True, ir.Binder(found, lying, of_kind), None)
        return [ir.Let(piece, first, said), *_lay(ctx, local, target, at, node.kind, said)]
    return [ir.MoveSome(amount, node.up_to, kind, origin, target, put, at, said)]


def _count(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    expr = expressions.expression(ctx, node, scope.quiet())
    if isinstance(expr.type, types.Int | types.Never):
        return expr
    return ctx.error(Code.TYPE_MISMATCH, node.span, f"a number is wanted here, and this is {typing.name(expr.type)}")


def _amount(ctx: Context, node: tree.Expr, scope: Scope, what: str) -> ir.Expr:
    """How many: never less than none."""
    expr = _count(ctx, node, scope)
    if isinstance(expr.type, types.Int) and expr.type.high < 0:
        return ctx.error(Code.OUT_OF_RANGE, node.span, f"{what}: this is {typing.name(expr.type)}, less than none")
    return expr


# ------------------------------------------------------------------------------------------------------------ naming


def _naming(ctx: Context, node: tree.Let | tree.Draw | tree.Roll, scope: Scope) -> tuple[list[ir.Stmt], Scope]:
    said = texts.source(ctx, node.tail, node.span, scope)
    match node:
        case tree.Let():
            throws = Throws()
            value = expressions.expression(ctx, node.value, replace(scope, throws=throws))
            made, inner = names.introduce(ctx, node.name, value.type, scope, node.span)
            return [*throws.found, ir.Let(made, value, said)], inner
        case tree.Draw():
            return _draw(ctx, node, scope, said)
        case tree.Roll():
            dice = number(1) if node.number is None else _amount(ctx, node.number, scope, "how many dice are rolled")
            low, high = expressions.bounds(dice)
            if node.sides < 1:
                ctx.error(Code.OUT_OF_RANGE, node.span, "a die has at least one side")
            if high > MOST_DICE or node.sides > MOST_SIDES:
                message = (
                    f"{high} dice of {node.sides} sides: at most {MOST_DICE} dice of {MOST_SIDES} sides are possible"
                )
                ctx.error(Code.TOO_LARGE, node.span, message)
            ty = types.Int(max(0, low), max(0, high * node.sides))
            made, inner = names.introduce(ctx, node.name, ty, scope, node.span)
            seen = None if node.seen is None else seer(ctx, node.seen, scope)
            return [ir.Roll(dice, node.sides, made, said, seen)], inner
        case _:
            assert_never(node)


SEER = "give a player a name before: `let p = ..`"


def seer(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """The player who alone sees what chance brings: there always is one."""
    expr = expressions.expression(ctx, node, scope.quiet(), ctx.player)
    if isinstance(expr.type, types.SetOf):
        return ctx.error(Code.TYPE_MISMATCH, node.span, "one player sees it, or all do", hint=SEER)
    found = ctx.coerce(expr, ctx.player, node.span, "who sees it")
    parts = [part for part in walk(found) if isinstance(part, ir.Expr)]
    if not all(
        isinstance(part, ir.Const | ir.Local | ir.StateRead) or (isinstance(part, ir.Apply) and part.op is Op.TURN)
        for part in parts
    ):
        return ctx.error(Code.MISPLACED, node.span, "who sees it has no name here", hint=SEER)
    return found


def _draw(ctx: Context, node: tree.Draw, scope: Scope, said: ir.Source) -> tuple[list[ir.Stmt], Scope]:
    """What is drawn has a name if it is drawn; if nothing may be drawn, the name may be none."""
    origin, target = place(ctx, node.source, scope), place(ctx, node.target, scope)
    amount = _amount(ctx, node.amount, scope, "how many are drawn")
    if origin is None or target is None:
        return [], scope if node.name is None else scope.bind({node.name: UNKNOWN})
    drawn, into = ctx.places[origin.place], ctx.places[target.place]
    if typing.disjoint(drawn.holds, into.holds):
        message = f"'{into.name}' holds {into.holds.name}, never {drawn.holds.name}"
        ctx.error(Code.WRONG_CARGO, node.target.span, message, labels=declared_here(into))
    if node.name is None:
        return [ir.Draw(amount, node.up_to, origin, target, None, said)], scope
    ty: types.Type = typing.intersect(drawn.holds, into.holds)
    if node.up_to or expressions.bounds(amount)[0] < 1:
        ty = types.Optional(ty)
    made, inner = names.introduce(ctx, node.name, ty, scope, Span(node.span.file, node.target.span.end, node.span.end))
    return [ir.Draw(amount, node.up_to, origin, target, made, said)], inner


def frozen(ctx: Context, facts: Mapping[str, ir.Expr], scope: Scope, span: Span) -> tuple[list[ir.Stmt], Scope]:
    """What a test has told, kept as values: effects that follow must not change what a name means."""
    found: list[ir.Stmt] = []
    for word, expr in facts.items():
        if _constant(expr):
            scope = scope.bind({word: expr})
        else:
            made, local = variable(word, expr.type)
            found.append(ir.Let(made, expr, ir.Source(span)))
            scope = scope.name(word, local, span.word(word))
    return found, scope


def _constant(expr: ir.Expr) -> bool:
    """Whether the expression is a local name (perhaps known to be narrower) or a constant."""
    while isinstance(expr, ir.Apply) and expr.op is Op.KNOWN:
        expr = expr.arguments[0]
    return isinstance(expr, ir.Local | ir.Const)


# ----------------------------------------------------------------------------------------------------------- control


def _control(
    ctx: Context, node: tree.If | tree.ForEach | tree.Repeat | tree.MatchStatement, scope: Scope
) -> list[ir.Stmt]:
    said = texts.source(ctx, node.tail, node.span, scope)
    match node:
        case tree.If():
            throws = Throws()
            tested = expressions.test(ctx, node.test, replace(scope, throws=throws))
            lets, inner = frozen(ctx, tested.if_yes, scope, node.span)
            with ctx.reached(tested.expr, True, node.span):
                then = (*lets, *block(ctx, node.then, inner))
            lets, inner = frozen(ctx, tested.if_no, scope, node.span)
            with ctx.reached(tested.expr, False, node.span):
                rest = block(ctx, node.otherwise, inner)
            otherwise = (*lets, *rest) if rest else ()
            return [*throws.found, ir.Branch(tested.expr, then, otherwise, said)]
        case tree.ForEach():
            return _for_each(ctx, node, scope, said)
        case tree.Repeat():
            times = None if node.times is None else _count(ctx, node.times, scope)
            until = None if node.until is None else expressions.test(ctx, node.until, scope.quiet()).expr
            return [ir.Repeat(times, until, block(ctx, node.body, scope), said)]
        case tree.MatchStatement():
            return _match(ctx, node, scope, said)
        case _:
            assert_never(node)


def _for_each(ctx: Context, node: tree.ForEach, scope: Scope, said: ir.Source) -> list[ir.Stmt]:
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, inner = names.introduce(ctx, node.name, of, scope, node.span)
    key: tuple[ir.Variable, ir.Expr] | None = None
    if node.order_of is not None:
        sorted_by, sorted_local = variable(node.name, of)
        key = (sorted_by, _count(ctx, node.order_of, scope.bind({node.name: sorted_local})))
    start: ir.Expr | None = None
    if node.order_from is not None:
        if not isinstance(of, types.Enum | types.Never) or (isinstance(of, types.Enum) and not of.ring):
            message = f"`in order from` goes round a ring, and {typing.name(of)} is none"
            ctx.error(Code.TYPE_MISMATCH, node.domain.span, message)
        start = expressions.expression(ctx, node.order_from, scope.quiet(), of)
        start = ctx.coerce(start, of, node.order_from.span)
    where: ir.Expr | None = None
    lets: list[ir.Stmt] = []
    if node.where is not None:
        tested = expressions.test(ctx, node.where, inner.quiet())
        where = tested.expr
        lets, inner = frozen(ctx, tested.if_yes, inner, node.where.span)
    body = (*lets, *block(ctx, node.body, inner))
    return [ir.ForEach(made, domain, key, start, where, body, said)]


def _match(ctx: Context, node: tree.MatchStatement, scope: Scope, said: ir.Source) -> list[ir.Stmt]:
    subject = expressions.single(ctx, expressions.expression(ctx, node.subject, scope.quiet()))
    patterns = cases.cover_cases(ctx, node, subject, [c.patterns for c in node.cases])
    found = []
    for case, values in zip(node.cases, patterns, strict=True):
        inner = cases.case_scope(node.subject, subject, values, scope)
        found.append((values, block(ctx, case.body, inner)))
    return [ir.Cases(subject, tuple(found), said)]


# -------------------------------------------------------------------------------------------------------- throws


@dataclass(slots=True)
class _Chance:
    body: list[ir.Let | ir.Roll] = field(default_factory=list)
    again: list[ir.Expr] = field(default_factory=list)
    gives: ir.Expr | None = None


def chance(ctx: Context, node: tree.Chance) -> ir.ChanceRule | None:
    """A named throw: rolls, `let`s, `again if`, and at the end `gives`."""
    params = headers.variables(ctx, f"chance {node.name}", node.params)
    scope = headers.named(node.params, params)
    headers.obligations(ctx, node.params, scope)
    said = texts.source(ctx, node.tail, node.span, scope)
    found = _Chance()
    for part in node.body:
        if found.gives is not None:
            ctx.error(Code.MISPLACED, part.span, "nothing follows `gives`")
            return None
        match part:
            case tree.Roll():
                if part.seen is not None:
                    ctx.error(Code.MISPLACED, part.seen.span, "all see what comes of a named throw")
                made, scope = statement(ctx, part, scope)
                found.body += (one for one in made if isinstance(one, ir.Let | ir.Roll))
            case tree.Let():
                value = expressions.expression(ctx, part.value, scope)
                variable, scope = names.introduce(ctx, part.name, value.type, scope, part.span)
                found.body.append(ir.Let(variable, value, texts.source(ctx, part.tail, part.span, scope)))
            case tree.Again():
                found.again.append(expressions.test(ctx, part.test, scope).expr)
            case tree.Gives():
                found.gives = expressions.expression(ctx, part.value, scope)
            case _:  # cautious: it is refused
                ctx.error(Code.MISPLACED, part.span, "a `chance` rolls, names values, rolls again, and gives a value")
                return None
    if found.gives is None:
        ctx.error(
            Code.MISPLACED, node.span.word(node.name), f"'{node.name}' gives no value", hint="end it with `gives ..`"
        )
        return None
    if found.again and not any(isinstance(part, ir.Roll) for part in found.body):
        again = next(part for part in node.body if isinstance(part, tree.Again))
        ctx.error(Code.ENDLESS_LOOP, again.span, "nothing is rolled, so it would be the same again and again")
        return None
    if found.gives is UNKNOWN:
        return None
    return ir.ChanceRule(node.name, params, tuple(found.body), tuple(found.again), found.gives, said)
