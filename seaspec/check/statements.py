"""Statements: from syntax to typed core.

`block` elaborates statements in order; each may give names to those after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.check import calls, choices, expressions, headers, names, shapes, typing
from seaspec.check.context import BOOL, UNKNOWN, Context, Scope, Throws, apply, members, number, variable
from seaspec.check.texts import source, text
from seaspec.check.typing import Fit, fit
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import near
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


def _effect(ctx: Context, node: tree.Statement, scope: Scope) -> list[ir.Stmt]:
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
            return [] if target is None else [ir.Shuffle(target, source(ctx, node.tail, node.span, scope))]
        case tree.Stop():
            if node.procedure not in ctx.merged.procedures and node.procedure not in ctx.merged.actions:
                every = [*ctx.merged.procedures, *ctx.merged.actions]
                ctx.unknown_name("the procedure", node.procedure, node.span, every)
                return []
            return [ir.Stop(headers.reference(ctx, node.procedure), source(ctx, node.tail, node.span, scope))]
        case tree.Say():
            audience = None if node.audience is None else _players(ctx, node.audience, scope)
            return [ir.Say(text(ctx, node.sentence, scope), audience, source(ctx, node.tail, node.span, scope))]
        case tree.Show():
            target = place(ctx, node.place, scope)
            audience = _players(ctx, node.audience, scope)
            return [] if target is None else [ir.Show(target, audience, source(ctx, node.tail, node.span, scope))]
        case tree.Nothing():
            return []
        case tree.Win() | tree.Lose():
            outcome = ir.Outcome.WIN if isinstance(node, tree.Win) else ir.Outcome.LOSE
            players = _players(ctx, node.players, scope)
            return [ir.End(outcome, players, source(ctx, node.tail, node.span, scope))]
        case tree.NobodyWins():
            return [ir.End(ir.Outcome.NOBODY, None, source(ctx, node.tail, node.span, scope))]
        case tree.DropOut():
            player = ctx.coerce(
                expressions.expression(ctx, node.player, scope.quiet(), ctx.player), ctx.player, node.player.span
            )
            return [ir.DropOut(player, source(ctx, node.tail, node.span, scope))]
        case tree.Score():
            return _score(ctx, node, scope)
        case _:
            raise AssertionError(node)


def _players(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    """A player or players, as a set."""
    expr = expressions.expression(ctx, node, scope.quiet(), ctx.player)
    players = types.SetOf(ctx.player)
    if isinstance(expr.type, types.SetOf):
        return ctx.coerce(expr, players, node.span)
    return apply(players, Op.SET, ctx.coerce(expr, ctx.player, node.span))


def _score(ctx: Context, node: tree.Score, scope: Scope) -> list[ir.Stmt]:
    names.check_fresh(ctx, node.name, scope, node.span)
    made, local = variable(node.name, ctx.player)
    inner = scope.quiet().bind({node.name: local})
    values = []
    for part in (node.value, *node.ties):
        expr = expressions.expression(ctx, part, inner)
        if not isinstance(expr.type, types.Int | types.Never):
            ctx.error(Code.TYPE_MISMATCH, part.span, f"a score is a number, and this is {typing.name(expr.type)}")
        values.append(expr)
    return [ir.Score(made, tuple(values), source(ctx, node.tail, node.span, inner))]


# ------------------------------------------------------------------------------------------------------------- calls


def _call(ctx: Context, node: tree.Call, scope: Scope) -> list[ir.Stmt]:
    call = node.call if isinstance(node.call, tree.Apply) else tree.Apply(node.span, node.call, ())
    if not isinstance(call.function, tree.Name):
        ctx.error(Code.MISPLACED, node.span, "this is no statement")
        return []
    made = do(ctx, call, scope, source(ctx, node.tail, node.span, scope))
    return [] if made is None else [made]


def do(ctx: Context, call: tree.Apply, scope: Scope, said: ir.Source) -> ir.Do | None:
    """The call of a procedure or an action."""
    assert isinstance(call.function, tree.Name)
    word = call.function.name
    if word in ctx.merged.actions:
        params = tuple(p.variable for p in headers.action(ctx, word) or ())
    elif word in ctx.merged.procedures:
        params = headers.procedure(ctx, word)
    else:
        every = [*ctx.merged.procedures, *ctx.merged.actions]
        hint = near(word, every)
        if word in ctx.merged.defines or word in ctx.states or word in ctx.places:
            message, hint = f"'{word}' is a value, and a value alone does nothing", None
        else:
            message = f"the procedure '{word}' is not known"
        ctx.error(Code.UNKNOWN_NAME, call.span, message, hint=hint)
        return None
    found = calls.arguments(ctx, word, params, call, scope)
    return None if found is None else ir.Do(headers.reference(ctx, word), found, said)


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
    return [ir.Assign(state.name, target.indices, value, source(ctx, node.tail, node.span, scope))]


def _changed(ctx: Context, node: tree.Assign, old: ir.StateRead, by: ir.Expr) -> ir.Expr:
    """`x += e`, `x -= e`: of numbers, rings and sets."""
    minus = node.op is tree.Operator.SUBTRACT
    if isinstance(old.type, types.SetOf) and isinstance(by.type, types.SetOf):
        return apply(old.type, Op.DIFFERENCE if minus else Op.UNION, old, by)
    if isinstance(by.type, types.Never):
        return UNKNOWN
    if not isinstance(by.type, types.Int):
        return ctx.error(
            Code.TYPE_MISMATCH, node.value.span, f"a number is wanted here, and this is {typing.name(by.type)}"
        )
    if isinstance(old.type, types.Int):
        (a, b), (c, d) = expressions.bounds(old), expressions.bounds(by)
        if minus:
            return apply(types.Int(a - d, b - c), Op.SUBTRACT, old, by)
        return apply(types.Int(a + c, b + d), Op.ADD, old, by)
    if isinstance(old.type, types.Enum) and old.type.ring:
        steps = apply(types.Int(-by.type.high, -by.type.low), Op.NEGATE, by) if minus else by
        return apply(old.type, Op.TURN, old, steps)
    return ctx.error(Code.TYPE_MISMATCH, node.target.span, f"nothing can be added to {typing.name(old.type)}")


def place(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Target | None:
    """An instance of a place that pieces are moved to or from: the index must be there."""
    expr = expressions.expression(ctx, node, scope.quiet())
    if isinstance(expr, ir.PlaceRead):
        made = ctx.places[expr.place]
        spans = node.indices if isinstance(node, tree.Index) else (node,) * len(expr.indices)
        indices = tuple(
            ctx.coerce(i, v.type, s.span, made.name) for i, v, s in zip(expr.indices, made.index, spans, strict=True)
        )
        return ir.Target(expr.place, indices)
    if isinstance(expr, ir.Everywhere):
        wanted = ", ".join(v.name for v in ctx.places[expr.place].index)
        ctx.error(Code.WRONG_COUNT, node.span, f"which one? '{expr.place}' is indexed: {expr.place}[{wanted}]")
    elif not isinstance(expr.type, types.Never):
        ctx.error(Code.TYPE_MISMATCH, node.span, f"a place is wanted here, and this is {typing.name(expr.type)}")
    return None


def _put(under: bool, at: tree.Expr | None) -> ir.Put:
    return ir.Put.UNDER if under else ir.Put.AT if at is not None else ir.Put.ON


def _at(ctx: Context, node: tree.Expr | None, scope: Scope) -> ir.Expr | None:
    return None if node is None else expressions.expression(ctx, node, scope.quiet())


def _move(ctx: Context, node: tree.Move, target_node: tree.Expr, scope: Scope) -> list[ir.Stmt]:
    if isinstance(target_node, tree.IfElse):
        tested = expressions.test(ctx, target_node.test, scope.quiet())
        then = _move(ctx, node, target_node.then, scope.bind(tested.if_yes))
        otherwise = _move(ctx, node, target_node.otherwise, scope.bind(tested.if_no))
        return [ir.Branch(tested.expr, tuple(then), tuple(otherwise), source(ctx, node.tail, node.span, scope))]
    target = place(ctx, target_node, scope)
    cargo = expressions.expression(ctx, node.cargo, scope.quiet())
    if target is None or isinstance(cargo.type, types.Never):
        return []
    said = source(ctx, node.tail, node.span, scope)
    put, at = _put(node.under, node.at), _at(ctx, node.at, scope)
    if not _fits_place(ctx, cargo, target, node.cargo):
        return []
    if isinstance(cargo, ir.PlaceRead):
        origin = place(ctx, node.cargo, scope)
        return [] if origin is None else [ir.Move(None, origin, target, put, at, said)]
    if isinstance(cargo.type, types.Optional):
        hint = "test it first: `if .. is some x`"
        ctx.error(Code.MAY_BE_NONE, node.cargo.span, "this may be none, and none can not be moved", hint=hint)
        return []
    if ctx.places[target.place].laid_on is not None:
        return _lay(ctx, cargo, target, at, said)
    return [ir.Move(cargo, None, target, put, at, said)]


def _lay(ctx: Context, piece: ir.Expr, target: ir.Target, at: ir.Expr | None, said: ir.Source) -> list[ir.Stmt]:
    """A shape is laid on a board."""
    where = shapes.lay(ctx, piece, target, at, said.span)
    return [] if where is None else [ir.Move(piece, None, target, ir.Put.ON, None, said), where]


def _fits_place(ctx: Context, cargo: ir.Expr, target: ir.Target, node: tree.Expr) -> bool:
    of = typing.known(cargo.type)
    if isinstance(of, types.SetOf):
        of = of.of
    holds = ctx.places[target.place].holds
    if not isinstance(of, types.Pieces):
        if not isinstance(of, types.Never):
            ctx.error(Code.TYPE_MISMATCH, node.span, f"pieces are moved, and this is {typing.name(cargo.type)}")
            return False
        return True
    if fit(of, holds) is Fit.NO and of.members:
        message = f"'{target.place}' holds {holds.name}, never {of.name}"
        ctx.error(Code.WRONG_CARGO, node.span, message)
        return False
    return True


def _move_some(ctx: Context, node: tree.MoveSome, scope: Scope) -> list[ir.Stmt]:
    kind = names.kind(ctx, node.kind)
    if not isinstance(kind, types.Pieces):
        ctx.unknown_name("the kind", node.kind.name, node.kind.span, ctx.kinds)
        return []
    amount = None if node.amount is None else _count(ctx, node.amount, scope)
    origin, target = place(ctx, node.source, scope), place(ctx, node.target, scope)
    if origin is None or target is None:
        return []
    for where, side in ((origin, node.source), (target, node.target)):
        holds = ctx.places[where.place].holds
        if kind.members and fit(kind, holds) is Fit.NO:
            ctx.error(Code.WRONG_CARGO, side.span, f"'{where.place}' holds {holds.name}, never {kind.name}")
            return []
    put, at = _put(node.under, node.at), _at(ctx, node.at, scope)
    said = source(ctx, node.tail, node.span, scope)
    if ctx.places[target.place].laid_on is not None:
        made, local = variable("piece", kind)
        found, _ = variable("piece", ctx.places[origin.place].holds)
        lying = ir.PlaceRead(types.SetOf(found.type), origin.place, origin.indices)
        of_kind = apply(BOOL, Op.IN, ir.Local(found), members(kind))
        first = ir.PickOne(kind, True, ir.Binder(found, lying, of_kind), None)
        return [ir.Let(made, first, said), *_lay(ctx, local, target, at, said)]
    return [ir.MoveSome(amount, node.up_to, kind, origin, target, put, at, said)]


def _count(ctx: Context, node: tree.Expr, scope: Scope) -> ir.Expr:
    expr = expressions.expression(ctx, node, scope.quiet())
    if isinstance(expr.type, types.Int | types.Never):
        return expr
    return ctx.error(
        Code.TYPE_MISMATCH, node.span, f"a number is wanted here, and this is {typing.name(expr.type)}"
    )


# ------------------------------------------------------------------------------------------------------------ naming


def _naming(ctx: Context, node: tree.Let | tree.Draw | tree.Roll, scope: Scope) -> tuple[list[ir.Stmt], Scope]:
    said = source(ctx, node.tail, node.span, scope)
    if node.name is not None:
        names.check_fresh(ctx, node.name, scope, node.span)
    match node:
        case tree.Let():
            throws = Throws()
            value = expressions.expression(ctx, node.value, replace(scope, throws=throws))
            made, local = variable(node.name, value.type)
            return [*throws.found, ir.Let(made, value, said)], scope.bind({node.name: local})
        case tree.Draw():
            return _draw(ctx, node, scope, said)
        case tree.Roll():
            dice = number(1) if node.number is None else _count(ctx, node.number, scope)
            low, high = expressions.bounds(dice)
            if node.sides < 1:
                ctx.error(Code.OUT_OF_RANGE, node.span, "a die has at least one side")
            made, local = variable(node.name, types.Int(low, max(low, high * node.sides)))
            return [ir.Roll(dice, node.sides, made, said)], scope.bind({node.name: local})
        case _:
            assert_never(node)


def _draw(ctx: Context, node: tree.Draw, scope: Scope, said: ir.Source) -> tuple[list[ir.Stmt], Scope]:
    origin, target = place(ctx, node.source, scope), place(ctx, node.target, scope)
    amount = _count(ctx, node.amount, scope)
    if origin is None or target is None:
        return [], scope.bind({node.name: UNKNOWN}) if node.name is not None else scope
    drawn = ctx.places[origin.place].holds
    into = ctx.places[target.place].holds
    if drawn.members and into.members and fit(drawn, into) is Fit.NO:
        ctx.error(Code.WRONG_CARGO, node.span, f"'{target.place}' holds {into.name}, never {drawn.name}")
    if node.name is None:
        return [ir.Draw(amount, node.up_to, origin, target, None, said)], scope
    both = tuple(m for m in drawn.members if m in set(into.members))
    of: types.Type = into if both == into.members else types.Pieces(drawn.name, both)
    made, local = variable(node.name, types.Optional(of) if node.up_to else of)
    return [ir.Draw(amount, node.up_to, origin, target, made, said)], scope.bind({node.name: local})


def frozen(ctx: Context, facts: Mapping[str, ir.Expr], scope: Scope, span: Span) -> tuple[list[ir.Stmt], Scope]:
    """What a test has told, kept as values: effects that follow must not change what a name means."""
    found: list[ir.Stmt] = []
    bound: dict[str, ir.Expr] = {}
    for word, expr in facts.items():
        if _constant(expr):
            bound[word] = expr
        else:
            made, local = variable(word, expr.type)
            found.append(ir.Let(made, expr, ir.Source(span)))
            bound[word] = local
    return found, scope.bind(bound)


def _constant(expr: ir.Expr) -> bool:
    """Whether the expression is a local name (perhaps known to be narrower) or a constant."""
    while isinstance(expr, ir.Apply) and expr.op is Op.KNOWN:
        expr = expr.arguments[0]
    return isinstance(expr, ir.Local | ir.Const)


# ----------------------------------------------------------------------------------------------------------- control


def _control(
    ctx: Context, node: tree.If | tree.ForEach | tree.Repeat | tree.MatchStatement, scope: Scope
) -> list[ir.Stmt]:
    said = source(ctx, node.tail, node.span, scope)
    match node:
        case tree.If():
            throws = Throws()
            tested = expressions.test(ctx, node.test, replace(scope, throws=throws))
            lets, inner = frozen(ctx, tested.if_yes, scope, node.span)
            then = (*lets, *block(ctx, node.then, inner))
            lets, inner = frozen(ctx, tested.if_no, scope, node.span)
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
    names.check_fresh(ctx, node.name, scope, node.span)
    domain, of = expressions.domain(ctx, node.domain, scope)
    made, local = variable(node.name, of)
    inner = scope.quiet().bind({node.name: local})
    key: tuple[ir.Variable, ir.Expr] | None = None
    if node.order_of is not None:
        sorted_by, sorted_local = variable(node.name, of)
        key = (sorted_by, _count(ctx, node.order_of, scope.bind({node.name: sorted_local})))
    start: ir.Expr | None = None
    if node.order_from is not None:
        if not isinstance(of, types.Enum | types.Never) or (isinstance(of, types.Enum) and not of.ring):
            message = f"`in order from` goes round a ring, and {typing.name(of)} is none"
            ctx.error(Code.TYPE_MISMATCH, node.order_from.span, message)
        start = expressions.expression(ctx, node.order_from, scope.quiet(), of)
        start = ctx.coerce(start, of, node.order_from.span)
    where: ir.Expr | None = None
    lets: list[ir.Stmt] = []
    body_scope = scope.bind({node.name: local})
    if node.where is not None:
        tested = expressions.test(ctx, node.where, inner)
        where = tested.expr
        lets, body_scope = frozen(ctx, tested.if_yes, body_scope, node.span)
    body = (*lets, *block(ctx, node.body, body_scope))
    return [ir.ForEach(made, domain, key, start, where, body, said)]


def _match(ctx: Context, node: tree.MatchStatement, scope: Scope, said: ir.Source) -> list[ir.Stmt]:
    subject = expressions.single(ctx, expressions.expression(ctx, node.subject, scope.quiet()))
    patterns = expressions.cover_cases(
        ctx, node, subject, [(c.patterns, c.span) for c in node.cases], scope, complete=True
    )
    cases = []
    for case, values in zip(node.cases, patterns, strict=True):
        cases.append((values, block(ctx, case.body, scope)))
    return [ir.Cases(subject, tuple(cases), said)]


# -------------------------------------------------------------------------------------------------------- throws


@dataclass(slots=True)
class _Chance:
    body: list[ir.Stmt] = field(default_factory=list)
    again: list[ir.Expr] = field(default_factory=list)
    gives: ir.Expr | None = None


def chance(ctx: Context, node: tree.Chance) -> ir.ChanceRule | None:
    """A named throw: rolls, `let`s, `again if`, and at the end `gives`."""
    params = headers.variables(ctx, f"chance {node.name}", node.params)
    scope = headers.scope_of(params)
    found = _Chance()
    for part in node.body:
        if found.gives is not None:
            ctx.error(Code.MISPLACED, part.span, "nothing follows `gives`")
            return None
        match part:
            case tree.Roll() | tree.Let():
                made, scope = statement(ctx, part, scope)
                found.body.extend(made)
            case tree.Again():
                found.again.append(expressions.test(ctx, part.test, scope).expr)
            case tree.Gives():
                found.gives = expressions.expression(ctx, part.value, scope)
            case _:
                ctx.error(Code.MISPLACED, part.span, "a `chance` rolls, names values, rolls again, and gives a value")
                return None
    if found.gives is None:
        ctx.error(Code.MISPLACED, node.span, f"the throw '{node.name}' gives no value", hint="end it with `gives ..`")
        return None
    if isinstance(found.gives.type, types.Never):
        return None
    said = source(ctx, node.tail, node.span, headers.scope_of(params))
    return ir.ChanceRule(node.name, params, tuple(found.body), tuple(found.again), found.gives, said)


__all__ = ["BOOL", "block", "chance", "do", "frozen", "place", "statement"]
