"""Actions, procedures, hooks, `whenever`: the flow of the game, to core."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from seaspec.check import calls, expressions, headers, names, statements, words
from seaspec.check.context import BOOL, YES, Context, Scope, apply, members, negation
from seaspec.check.texts import source, text
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import near
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
    for name in ctx.merged.actions:
        _action(ctx, made, name)
    for name, clauses in ctx.merged.procedures.items():
        _procedure(ctx, made, name, clauses)
    for number, rule in enumerate(ctx.merged.whenevers):
        made.whenevers.append(_whenever(ctx, rule, number))
    for name, menu in ctx.merged.menus.items():
        made.menus[name] = _menu(ctx, menu)
    for name in ctx.merged.chances:
        words.chance_rule(ctx, name, ctx.merged.chances[name].span)
    return made


def _menu(ctx: Context, menu: tree.Menu) -> ir.Menu:
    params = headers.variables(ctx, f"menu {menu.name}", menu.params)
    scope = headers.scope_of(params)
    player = ir.Local(params[0]) if params and params[0].type == ctx.player else None
    found: list[str] = []
    for item in menu.items:
        for alternative in calls.menu_items(ctx, item, scope, player):
            if alternative.action not in found:
                found.append(alternative.action)
    return ir.Menu(menu.name, tuple(found), source(ctx, menu.tail, menu.span, scope))


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
    if params is None:
        return
    variables = tuple(p.variable for p in params)
    scope = Scope({v.name: ir.Local(v) for v in variables}, procedure=name)
    opening = _Opening(scope)
    body = list(node.body)
    while body and isinstance(body[0], tree.Needs | tree.Let):
        if isinstance(body[0], tree.Let) and not any(isinstance(n, tree.Needs) for n in body):
            break
        _opening_line(ctx, opening, body.pop(0), name)
    _changes(ctx, opening, name, variables)
    for later in body:
        if isinstance(later, tree.Needs):
            break
    lets, inner = statements.frozen(ctx, _told(opening, scope), scope, node.span)
    core = (*opening.lets, *lets, *statements.block(ctx, tuple(body), inner))
    said = source(ctx, node.tail, node.span, scope)
    asks = headers.asks(ctx, params)
    made.actions[name] = ir.Action(name, params, asks, tuple(opening.guards), said)
    before, after = _hooks(ctx, made, name, variables)
    made.procedures[name] = ir.Procedure(name, variables, before, core, after, _clocks(ctx, name), True, said)


def _told(opening: _Opening, scope: Scope) -> dict[str, ir.Expr]:
    """Names that the guards have given a (narrower) meaning."""
    return {
        word: expr
        for word, expr in opening.scope.names.items()
        if scope.names.get(word) is not expr
    }


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
    given = calls.arguments(ctx, rules.name, params, node.test, opening.scope)
    if given is None or not ctx.begin(f"the rules '{rules.name}'", node.span):
        return
    known = {p.name: apply(p.type, Op.KNOWN, e) for p, e in zip(params, given, strict=True)}
    inner = _Opening(Scope(known), list(opening.lets), opening.guards)
    kept = len(inner.lets)
    for line in rules.body:
        if isinstance(line, tree.Needs | tree.Let):
            _opening_line(ctx, inner, line, action)
        else:
            ctx.error(Code.MISPLACED, line.span, "`rules` hold guards (`needs ..`) and `let`s only")
    del inner.lets[:kept]
    ctx.end()


def _guard(ctx: Context, node: tree.Needs, scope: Scope, default: str) -> tuple[ir.Guard, dict[str, ir.Expr]]:
    tested = expressions.test(ctx, node.test, scope)
    exceptions = []
    for exception in node.exceptions:
        inner = expressions.test(ctx, exception.test, scope)
        exceptions.append((inner.expr, source(ctx, exception.tail, exception.span, scope)))
    said = source(ctx, node.tail, node.span, scope.bind(tested.if_yes).bind(witnesses(tested.expr)))
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
    """The guard with the values that `let`s above it name."""
    if not lets:
        return guard

    def wrapped(test: ir.Expr) -> ir.Expr:
        for let in reversed(lets):
            test = ir.LetIn(let.variable, let.value, test)
        return test

    exceptions = tuple((wrapped(test), said) for test, said in guard.exceptions)
    return ir.Guard(guard.name, wrapped(guard.test), exceptions, guard.source)


def _changes(ctx: Context, opening: _Opening, name: str, variables: tuple[ir.Variable, ...]) -> None:
    """Guards and exceptions that variants add."""
    for number, forbid in enumerate(ctx.merged.forbids.get(name, ())):
        scope = _renamed(forbid.params, variables)
        tested = expressions.test(ctx, forbid.when, scope)
        said = source(ctx, forbid.tail, forbid.span, scope.bind(tested.if_yes).bind(witnesses(tested.expr)))
        opening.guards.append(ir.Guard("forbidden" if number == 0 else f"forbidden {number + 1}", negation(tested.expr), (), said))
    for allow in ctx.merged.allows.get(name, ()):
        scope = _renamed(allow.params, variables)
        test = YES if allow.when is None else expressions.test(ctx, allow.when, scope).expr
        said = source(ctx, allow.tail, allow.span, scope)
        found = [g for g in opening.guards if g.name == allow.despite]
        if not found:
            every = [g.name for g in opening.guards]
            message = f"'{name}' has no guard '{allow.despite}'"
            ctx.error(Code.UNKNOWN_NAME, allow.span, message, hint=near(allow.despite, every))
        opening.guards[:] = [
            replace(g, exceptions=(*g.exceptions, (test, said))) if g in found else g for g in opening.guards
        ]


def _renamed(params: Iterable[tree.Param], variables: tuple[ir.Variable, ...]) -> Scope:
    """The names that a change uses for the parameters."""
    return Scope({p.name: ir.Local(v) for p, v in zip(params, variables, strict=False)})


# -------------------------------------------------------------------------------------------------------- procedures


def _procedure(ctx: Context, made: Flow, name: str, clauses: tuple[tree.Procedure, ...]) -> None:
    params = headers.procedure(ctx, name)

    def clause_body(clause: tree.Procedure, scope: Scope) -> tuple[ir.Stmt, ...]:
        return statements.block(ctx, clause.body or (), scope)

    bodies = words.by_kind(ctx, name, clauses, params, clause_body)
    if not bodies:
        return
    head = clauses[0]
    said = source(ctx, head.tail, head.span, headers.scope_of(params))
    core: tuple[ir.Stmt, ...] = bodies[-1][2]
    last_kind = bodies[-1][0]
    if last_kind is not None:
        core = _of_kind(last_kind, bodies[-1][1], core, (), said)
    for kind, first, body in reversed(bodies[:-1]):
        assert kind is not None
        core = _of_kind(kind, first, body, core, said)
    key = f"to {name}" if name in headers.STARTS else name
    shared = key != headers.reference(ctx, name)
    before, after = ((), ()) if shared else _hooks(ctx, made, name, params)
    made.procedures[key] = ir.Procedure(key, params, before, core, after, _clocks(ctx, key), False, said)


def _of_kind(
    kind: types.Pieces,
    first: ir.Variable | None,
    body: tuple[ir.Stmt, ...],
    otherwise: tuple[ir.Stmt, ...],
    said: ir.Source,
) -> tuple[ir.Stmt, ...]:
    assert first is not None
    test = apply(BOOL, Op.IN, ir.Local(first), members(kind))
    return (ir.Branch(test, body, otherwise, said),)


def _clocks(ctx: Context, name: str) -> tuple[str, ...]:
    return tuple(
        s.name for s in ctx.states.values() if s.until is not None and headers.reference(ctx, s.until) == name
    )


def _hooks(
    ctx: Context, made: Flow, name: str, variables: tuple[ir.Variable, ...]
) -> tuple[tuple[ir.Stmt, ...], tuple[ir.Stmt, ...]]:
    """What variants do before and after: each hook is a procedure of its own."""
    found: list[list[ir.Stmt]] = [[], []]
    for side, hooks in enumerate((ctx.merged.before.get(name, ()), ctx.merged.after.get(name, ()))):
        for number, hook in enumerate(hooks, 1):
            if len(hook.params) > len(variables):
                continue
            word = "after" if side else "before"
            own = f"{word} {name}" + (f" {number}" if number > 1 else "")
            params = tuple(ir.Variable(p.name, v.type) for p, v in zip(hook.params, variables, strict=False))
            scope = Scope({p.name: ir.Local(p) for p in params}, procedure=own)
            for param in hook.params:
                names.check_fresh(ctx, param.name, Scope(), param.span)
            said = source(ctx, hook.tail, hook.span, scope)
            body = statements.block(ctx, hook.body, scope)
            made.procedures[own] = ir.Procedure(own, params, (), body, (), (), False, said)
            arguments = tuple(ir.Local(v) for v in variables[: len(params)])
            found[side].append(ir.Do(own, arguments, said))
    return tuple(found[0]), tuple(found[1])


# ---------------------------------------------------------------------------------------------------------- whenever


def _whenever(ctx: Context, node: tree.Whenever, number: int) -> ir.Whenever:
    name = node.name or f"whenever {number + 1}"
    binders: list[ir.Binder] = []
    scope = Scope(procedure=name)
    inner = node.test
    while isinstance(inner, tree.Quantifier) and inner.quantity is tree.Quantity.SOME:
        for word in inner.names:
            names.check_fresh(ctx, word, scope, inner.span)
            domain, of = expressions.domain(ctx, inner.domain, scope)
            variable = ir.Variable(word, of)
            scope = scope.bind({word: ir.Local(variable)})
            binders.append(ir.Binder(variable, domain))
        if inner.filter is not None:
            filtered = expressions.test(ctx, inner.filter.test, scope)
            last = binders[-1]
            binders[-1] = ir.Binder(last.variable, last.domain, filtered.expr, inner.filter.prefix)
            scope = scope.bind(filtered.if_yes)
        inner = inner.body
    tested = expressions.test(ctx, inner, scope)
    facts = {w: e for w, e in scope.bind(tested.if_yes).names.items() if not isinstance(e, ir.Local)}
    lets, body_scope = statements.frozen(ctx, facts, scope.bind(tested.if_yes), node.span)
    body = (*lets, *statements.block(ctx, node.body, body_scope))
    said = ir.Source(
        node.span,
        None if node.tail.sentence is None else text(ctx, node.tail.sentence, body_scope),
        tuple(c.id for c in node.tail.cites),
    )
    return ir.Whenever(name, tuple(binders), tested.expr, body, said)
