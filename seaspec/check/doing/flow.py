"""Actions, procedures, hooks, `whenever`: the flow of the game, to core."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from seaspec.check import texts, typing
from seaspec.check.context import BOOL, YES, Context, Scope, apply, members, negation
from seaspec.check.declared import headers, words
from seaspec.check.doing import calls, statements
from seaspec.check.expressions import expressions, folds, names
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.syntax import tree


@dataclass(slots=True)
class Flow:
    """What this module makes."""

    actions: dict[str, ir.Action] = field(default_factory=dict)
    procedures: dict[str, ir.Procedure] = field(default_factory=dict)
    whenevers: list[ir.Whenever] = field(default_factory=list)
    menus: dict[str, ir.Menu] = field(default_factory=dict)


def flow(ctx: Context) -> Flow:
    """All of the game's flow."""
    made = Flow()
    for name, actions in ctx.merged.actions.items():
        if len(actions) > 1:
            labels = [Label(actions[1].span, "and here again")]
            message = f"the action '{name}' is given for several kinds"
            hint = "let it call a procedure that is: `to resolve(card: Joker) ..`"
            ctx.error(Code.UNSUPPORTED, actions[0].span, message, labels=labels, hint=hint)
        _action(ctx, made, name)
    for name, procedures in ctx.merged.procedures.items():
        _procedure(ctx, made, name, procedures)
    for number, rule in enumerate(ctx.merged.whenevers):
        made.whenevers.append(_whenever(ctx, rule, number))
    for name, menu in ctx.merged.menus.items():
        made.menus[name] = _menu(ctx, menu)
    for name in ctx.merged.chances:
        words.chance_rule(ctx, name, ctx.merged.chances[name].span)
    return made


def _menu(ctx: Context, menu: tree.Menu) -> ir.Menu:
    params = headers.variables(ctx, f"menu {menu.name}", menu.params)
    scope = headers.named(menu.params, params)
    headers.obligations(ctx, menu.params, scope)
    player = ir.Local(params[0]) if params and params[0].type == ctx.player else None
    found = [alternative for item in menu.items for alternative in calls.menu_items(ctx, item, scope, player)]
    actions = dict.fromkeys(alternative.action for alternative in found)
    return ir.Menu(
        menu.name, tuple(actions), texts.source(ctx, menu.tail, menu.span, scope), tuple(params), tuple(found)
    )


# ----------------------------------------------------------------------------------------------------------- actions


@dataclass(slots=True)
class _Opening:
    """The top of an action: `let`s and `needs`, and what the guards tell about names."""

    scope: Scope
    lets: list[ir.Let] = field(default_factory=list)
    guards: list[ir.Guard] = field(default_factory=list)


def _action(ctx: Context, made: Flow, name: str) -> None:
    node = ctx.merged.actions[name][0]
    params = headers.action(ctx, name)
    variables = tuple(p.variable for p in params)
    scope = headers.named(node.params, variables, name)
    opening = _Opening(scope)
    last = max((i for i, part in enumerate(node.body) if isinstance(part, tree.Needs)), default=-1)
    body = list(node.body)
    while body and isinstance(body[0], tree.Needs | tree.Let) and len(node.body) - len(body) <= last:
        _opening_line(ctx, opening, body.pop(0), name)
    _check_guard_names(ctx, opening, name)
    _changes(ctx, opening, name, variables)
    lets, inner = statements.frozen(ctx, _told(opening, scope), scope, node.span)
    core = (*opening.lets, *lets, *statements.block(ctx, tuple(body), inner))
    said = texts.source(ctx, node.tail, node.span, scope)
    ctx.guards[name] = tuple(guard.name for guard in opening.guards)
    made.actions[name] = ir.Action(name, params, headers.asks(ctx, params), tuple(opening.guards), said)
    before, after = _hooks(ctx, made, name, node.params, variables)
    made.procedures[name] = ir.Procedure(name, variables, before, core, after, _clocks(ctx, name), True, said)


def _check_guard_names(ctx: Context, opening: _Opening, name: str) -> None:
    """`allow .. despite g` and `refused by g` mean one guard."""
    seen: dict[str, ir.Guard] = {}
    for guard in opening.guards:
        first = seen.setdefault(guard.name, guard)
        if first is not guard:
            message = f"two guards of '{name}' are called '{guard.name}'"
            labels = [Label(first.source.span, "the other one")]
            ctx.error(Code.HIDES, guard.source.span, message, labels=labels)


def _told(opening: _Opening, scope: Scope) -> dict[str, ir.Expr]:
    """Names that the guards have given a (narrower) meaning."""
    return {word: expr for word, expr in opening.scope.names.items() if scope.names.get(word) is not expr}


def _opening_line(ctx: Context, opening: _Opening, node: tree.Statement, action: str) -> None:
    if isinstance(node, tree.Let):
        found, opening.scope = statements.statement(ctx, node, opening.scope)
        for made in found:
            if isinstance(made, ir.Let):
                opening.lets.append(made)
            else:
                ctx.error(Code.MISPLACED, node.span, "no throw may stand before the guards of an action")
        return
    assert isinstance(node, tree.Needs)
    spliced = _spliced(ctx, node)
    if spliced is not None:
        _splice(ctx, opening, spliced, node, action)
        return
    guard, tells = _guard(ctx, node, opening.scope, f"guard {len(opening.guards) + 1}")
    opening.guards.append(_with_lets(guard, opening.lets))
    excepted = any(allow.despite == node.name for allow in ctx.merged.allows.get(action, ()))
    if not node.exceptions and not excepted:
        opening.scope = opening.scope.bind(tells)


def _spliced(ctx: Context, node: tree.Needs) -> tree.Rules | None:
    """The `rules` that a guard line calls, if it does."""
    if node.name is not None or not isinstance(node.test, tree.Apply) or not isinstance(node.test.function, tree.Name):
        return None
    return ctx.merged.rules.get(node.test.function.name)


def _splice(ctx: Context, opening: _Opening, rules: tree.Rules, node: tree.Needs, action: str) -> None:
    assert isinstance(node.test, tree.Apply)
    params = headers.variables(ctx, f"rules {rules.name}", rules.params)
    given = calls.arguments(ctx, rules.name, params, node.test, opening.scope, rules.span)
    if node.exceptions:
        message = f"which guard of '{rules.name}' has this exception?"
        hint = "say `unless` in the rules, or `allow .. despite`"
        ctx.error(Code.MISPLACED, node.exceptions[0].span, message, hint=hint)
    headers.obligations(ctx, rules.params, headers.named(rules.params, params))
    if given is None or not ctx.begin(f"the rules '{rules.name}'", node.span):
        return
    known = {p.name: apply(p.type, Op.KNOWN, e) for p, e in zip(params, given, strict=True)}
    inner = _Opening(Scope(known, headers.named(rules.params, params).spans), list(opening.lets), opening.guards)
    for line in rules.body:
        if isinstance(line, tree.Needs | tree.Let):
            _opening_line(ctx, inner, line, action)
        else:
            ctx.error(Code.MISPLACED, line.span, "`rules` hold guards (`needs ..`) and `let`s only")
    ctx.end()


def _guard(ctx: Context, node: tree.Needs, scope: Scope, default: str) -> tuple[ir.Guard, dict[str, ir.Expr]]:
    tested = expressions.test(ctx, node.test, scope)
    exceptions = []
    for exception in node.exceptions:
        inner = expressions.test(ctx, exception.test, scope)
        exceptions.append((inner.expr, texts.source(ctx, exception.tail, exception.span, scope)))
    said = texts.source(ctx, node.tail, node.span, scope.bind(tested.if_yes).bind(witnesses(tested.expr)))
    return ir.Guard(node.name or default, tested.expr, tuple(exceptions), said), dict(tested.if_yes)


def witnesses(test: ir.Expr) -> dict[str, ir.Expr]:
    """Names bound by the `no` or `every` of a guard: its sentence may use them for the one that is in the way."""
    while isinstance(test, ir.Apply) and test.op is Op.NOT:
        test = test.arguments[0]
    if isinstance(test, ir.Openly):
        return witnesses(test.inner)
    if isinstance(test, ir.Fold) and test.kind in (ir.FoldKind.SOME, ir.FoldKind.EVERY):
        found: dict[str, ir.Expr] = {b.variable.name: ir.Local(b.variable) for b in test.binders}
        return {**found, **witnesses(test.body)}
    return {}


def _with_lets(guard: ir.Guard, lets: list[ir.Let]) -> ir.Guard:
    """The guard, and what it says, with the values that `let`s above it name."""
    if not lets:
        return guard

    def wrapped(expr: ir.Expr) -> ir.Expr:
        for let in reversed(lets):
            if let.variable in free_variables(expr):
                expr = ir.LetIn(let.variable, let.value, expr)
        return expr

    said = guard.source
    if said.sentence is not None:
        parts = tuple(part if isinstance(part, str) else wrapped(part) for part in said.sentence.parts)
        said = replace(said, sentence=ir.Text(parts))
    exceptions = tuple((wrapped(test), why) for test, why in guard.exceptions)
    return ir.Guard(guard.name, wrapped(guard.test), exceptions, said)


def _changes(ctx: Context, opening: _Opening, name: str, variables: tuple[ir.Variable, ...]) -> None:
    """Guards and exceptions that variants add."""
    declared = ctx.merged.actions[name][0].params
    for number, forbid in enumerate(ctx.merged.forbids.get(name, ())):
        scope = _renamed(ctx, forbid.params, declared, variables)
        tested = expressions.test(ctx, forbid.when, scope)
        said = texts.source(ctx, forbid.tail, forbid.span, scope.bind(tested.if_yes).bind(witnesses(tested.expr)))
        opening.guards.append(
            ir.Guard("forbidden" if number == 0 else f"forbidden {number + 1}", negation(tested.expr), (), said)
        )
    for allow in ctx.merged.allows.get(name, ()):
        scope = _renamed(ctx, allow.params, declared, variables)
        test = YES if allow.when is None else expressions.test(ctx, allow.when, scope).expr
        said = texts.source(ctx, allow.tail, allow.span, scope)
        found = [g for g in opening.guards if g.name == allow.despite]
        if not found:
            every = [g.name for g in opening.guards]
            message = f"'{name}' has no guard '{allow.despite}'"
            ctx.error(Code.UNKNOWN_NAME, allow.span, message, hint=near(allow.despite, every))
        opening.guards[:] = [
            replace(g, exceptions=(*g.exceptions, (test, said))) if g in found else g for g in opening.guards
        ]


def _renamed(
    ctx: Context,
    params: tuple[tree.Param, ...],
    declared: tuple[tree.Param, ...],
    variables: tuple[ir.Variable, ...],
    procedure: str | None = None,
) -> Scope:
    """The names that a change uses for the parameters. If it says their types, they are those declared."""
    scope = Scope(procedure=procedure)
    for param, original, variable in zip(params, declared, variables, strict=False):
        span = param.span.word(param.name)
        names.check_fresh(ctx, param.name, scope, span)
        scope = scope.name(param.name, ir.Local(variable), span)
        if param.type is not None:
            ty = headers.param_type(ctx, param)
            if not isinstance(ty, types.Never) and not typing.same_values(ty, variable.type):
                labels = [Label(original.span, "declared here")]
                message = (
                    f"'{param.name}' is {typing.name(ty)} here, and {typing.name(variable.type)} where it is declared"
                )
                ctx.error(Code.TYPE_MISMATCH, param.span, message, labels=labels)
    return scope


# -------------------------------------------------------------------------------------------------------- procedures


def _procedure(ctx: Context, made: Flow, name: str, clauses: tuple[tree.Procedure, ...]) -> None:
    params = headers.procedure(ctx, name)
    if name in headers.STARTS and params:
        message = f"`to {name}` starts the game, so nobody gives it '{params[0].name}'"
        ctx.error(Code.MISPLACED, clauses[0].params[0].span, message)

    def clause_body(clause: tree.Procedure, scope: Scope) -> tuple[ir.Stmt, ...]:
        headers.obligations(ctx, clause.params, scope)
        return statements.block(ctx, clause.body or (), scope)

    found = words.by_kind(ctx, name, clauses, params, clause_body)
    if not found:
        return
    head = clauses[0]
    said = texts.source(ctx, head.tail, head.span, headers.named(head.params, params))
    *particular, last = found
    core = last.body
    for clause in reversed(particular):
        assert clause.kind is not None
        test = apply(BOOL, Op.IN, ir.Local(params[0]), members(clause.kind))
        core = (ir.Branch(test, clause.body, core, said),)
    key = f"to {name}" if name in headers.STARTS else name
    shared = key != headers.reference(ctx, name)
    before, after = ((), ()) if shared else _hooks(ctx, made, name, head.params, params)
    made.procedures[key] = ir.Procedure(key, params, before, core, after, _clocks(ctx, key), False, said)


def _clocks(ctx: Context, name: str) -> tuple[str, ...]:
    return tuple(s.name for s in ctx.states.values() if s.until is not None and headers.reference(ctx, s.until) == name)


def _hooks(
    ctx: Context, made: Flow, name: str, declared: tuple[tree.Param, ...], variables: tuple[ir.Variable, ...]
) -> tuple[tuple[ir.Stmt, ...], tuple[ir.Stmt, ...]]:
    """What variants do before and after: each hook is a procedure of its own."""
    found: list[list[ir.Stmt]] = [[], []]
    for side, hooks in enumerate((ctx.merged.before.get(name, ()), ctx.merged.after.get(name, ()))):
        for number, hook in enumerate(hooks, 1):
            word = "after" if side else "before"
            own = f"{word} {name}" + (f" {number}" if number > 1 else "")
            params = tuple(ir.Variable(p.name, v.type) for p, v in zip(hook.params, variables, strict=False))
            scope = _renamed(ctx, hook.params, declared, params, own)
            said = texts.source(ctx, hook.tail, hook.span, scope)
            body = statements.block(ctx, hook.body, scope)
            made.procedures[own] = ir.Procedure(own, params, (), body, (), (), False, said)
            arguments = tuple(ir.Local(v) for v in variables[: len(params)])
            found[side].append(ir.Do(own, arguments, said))
    return tuple(found[0]), tuple(found[1])


# ---------------------------------------------------------------------------------------------------------- whenever


def _whenever(ctx: Context, node: tree.Whenever, number: int) -> ir.Whenever:
    """`some x in S: P` binds its witness in the body; so do those inside it."""
    name = node.name or f"whenever {number + 1}"
    binders: list[ir.Binder] = []
    scope = Scope(procedure=name)
    inner = node.test
    while isinstance(inner, tree.Quantifier) and inner.quantity is tree.Quantity.SOME:
        found, scope = folds.bind_names(ctx, inner.names, inner.domain, inner.filter, scope, inner.span)
        binders.extend(found)
        inner = inner.body
    tested = expressions.test(ctx, inner, scope)
    scope = scope.bind(tested.if_yes)
    witnesses = {b.variable.name: ir.Local(b.variable) for b in binders}
    told = {word: expr for word, expr in scope.names.items() if witnesses.get(word) != expr}
    lets, scope = statements.frozen(ctx, told, scope.bind(witnesses), node.test.span)
    body = (*lets, *statements.block(ctx, node.body, scope))
    return ir.Whenever(name, tuple(binders), tested.expr, body, texts.source(ctx, node.tail, node.span, scope))
