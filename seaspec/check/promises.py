"""Promises: invariants, lemmas and the like, to core."""

from __future__ import annotations

from seaspec.check import calls, examples, expressions, headers, names, things, typing
from seaspec.check.context import YES, Context, Scope
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report
from seaspec.syntax import tree

CLAIMS = {
    tree.When.NODES: ir.Claim.NODES,
    tree.When.AT: ir.Claim.AT,
    tree.When.AT_END: ir.Claim.AT_END,
    tree.When.OUTSIDE: ir.Claim.OUTSIDE,
}


def promises(ctx: Context) -> tuple[tuple[ir.Promise, ...], tuple[ir.Example, ...]]:
    """All promises and examples of the merged game."""
    found: list[ir.Promise] = []
    shown: list[ir.Example] = []
    for node in ctx.merged.promises:
        if getattr(node, "name", None) in ctx.merged.drops:
            continue
        if isinstance(node, tree.Example):
            example = _applicable(ctx, node)
            if example is not None:
                shown.append(example)
        else:
            made = _promise(ctx, node)
            if made is not None:
                found.append(made)
    return tuple(found), tuple(shown)


def _applicable(ctx: Context, node: tree.Example) -> ir.Example | None:
    """An example, unless it names what is not there: a seat too many, or something that a variant has removed."""
    own = ctx.merged.chapters[-1]
    if own.kind is tree.ChapterKind.WORLD:
        ctx.inapplicable[node.name] = "worlds are too small for examples"
        return None
    is_own = any(declaration is node for declaration in own.declarations)
    missing = {Code.NOT_WITH_OPTIONS} if is_own else {Code.NOT_WITH_OPTIONS, Code.NOT_HERE, Code.OUT_OF_RANGE}
    report, ctx.report = ctx.report, Report()
    made = examples.example(ctx, node)
    trial, ctx.report = ctx.report, report
    removed = [f"'{name}'" for name in ctx.merged.removed]
    gone = [d for d in trial if d.code in missing or any(name in d.message for name in removed)]
    if gone:
        ctx.inapplicable[node.name] = gone[0].message
        return None
    for problem in trial:
        report.add(problem.code, problem.span, problem.message, labels=problem.labels, hint=problem.hint)
    return made


def _promise(ctx: Context, node: tree.Promise) -> ir.Promise | None:
    scope = Scope(promise=True)
    match node:
        case tree.Invariant():
            _procedures(ctx, node.procedures, node)
            said = source(ctx, node.tail, node.span, scope)
            test = expressions.test(ctx, node.property, scope).expr
            procedures = tuple(headers.reference(ctx, p) for p in node.procedures)
            return ir.Invariant(node.name, CLAIMS[node.when], procedures, test, node.myth, said)
        case tree.Always():
            return _always(ctx, node)
        case tree.Lemma():
            params = []
            for param in node.params:
                made, scope = headers.chosen(ctx, param, scope)
                params.append(made)
            test = expressions.test(ctx, node.property, scope).expr
            return ir.Lemma(node.name, tuple(params), test, node.myth, source(ctx, node.tail, node.span, scope))
        case tree.Reachable():
            test = expressions.test(ctx, node.property, scope).expr
            return ir.Reachable(node.name, test, node.myth, source(ctx, node.tail, node.span, scope))
        case tree.NeverStuck():
            return ir.NeverStuck("never stuck", node.myth, source(ctx, node.tail, node.span, scope))
        case tree.Ends():
            return _ends(ctx, node, scope)
        case tree.Secret():
            for word in node.names:
                if word not in ctx.places and word not in ctx.states:
                    ctx.unknown_name("the place or state", word, node.span, [*ctx.places, *ctx.states])
            name = "secret " + ", ".join(node.names)
            return ir.Secret(name, node.names, node.myth, source(ctx, node.tail, node.span, scope))
        case tree.OddsPromise():
            return _odds(ctx, node, scope)
        case tree.Symmetry():
            return _symmetry(ctx, node, scope)
        case tree.Example():
            return None


def _procedures(ctx: Context, procedures: tuple[str, ...], node: tree.Promise) -> None:
    for word in procedures:
        if word not in ctx.merged.procedures and word not in ctx.merged.actions:
            every = [*ctx.merged.procedures, *ctx.merged.actions]
            ctx.unknown_name("the procedure", word, node.span, every)


def _always(ctx: Context, node: tree.Always) -> ir.Promise | None:
    """The names of the first head are those of the promise; other heads must have them, too."""
    if not node.after:
        scope = Scope(promise=True)
        test = expressions.test(ctx, node.property, scope).expr
        return ir.Always(node.name, (), test, node.myth, source(ctx, node.tail, node.span, scope))
    found = []
    said = ir.Source(node.span)
    first_test: ir.Expr = YES
    for position, head in enumerate(node.after):
        if head.name in ctx.merged.actions:
            types_of = [p.variable.type for p in headers.action(ctx, head.name) or ()]
        elif head.name in ctx.merged.procedures:
            types_of = [v.type for v in headers.procedure(ctx, head.name)]
        else:
            every = [*ctx.merged.procedures, *ctx.merged.actions]
            ctx.unknown_name("the procedure", head.name, head.span, every)
            return None
        if len(head.params) > len(types_of):
            message = f"'{head.name}' has {len(types_of)} parameters, and {len(head.params)} names are given"
            ctx.error(Code.WRONG_COUNT, head.span, message)
            return None
        variables = tuple(ir.Variable(p.name, ty) for p, ty in zip(head.params, types_of, strict=False))
        scope = Scope({v.name: ir.Local(v) for v in variables}, promise=True)
        test = expressions.test(ctx, node.property, scope).expr
        if not position:
            first_test = test
            said = source(ctx, node.tail, node.span, scope)
        found.append((headers.reference(ctx, head.name), variables, test))
    return ir.Always(node.name, tuple(found), first_test, node.myth, said)


def _ends(ctx: Context, node: tree.Ends, scope: Scope) -> ir.Promise | None:
    _procedures(ctx, (node.procedure,), node)
    within = things.number_of(ctx, node.within, "`ends within`")
    measure = None if node.measure is None else expressions.expression(ctx, node.measure, scope)
    if within is None:
        return None
    name = f"ends within {within} calls of {node.procedure}"
    said = source(ctx, node.tail, node.span, scope)
    return ir.EndsWithin(name, within, headers.reference(ctx, node.procedure), measure, node.myth, said)


def _odds(ctx: Context, node: tree.OddsPromise, scope: Scope) -> ir.Promise | None:
    if not isinstance(node.call, tree.Apply) or not isinstance(node.call.function, tree.Name):
        ctx.error(Code.WRONG_COUNT, node.span, "odds wants a throw: `odds beats(3, 1) = 1261/1276`")
        return None
    found = calls.chance_odds(ctx, node.call, node.call.function.name, scope)
    value = calls.fraction(ctx, node.value, scope)
    if not isinstance(found, ir.Odds):
        return None
    name = f"odds {node.call.span.text}"
    return ir.OddsPromise(name, found, value, node.myth, source(ctx, node.tail, node.span, scope))


def _symmetry(ctx: Context, node: tree.Symmetry, scope: Scope) -> ir.Promise | None:
    found = []
    for renaming in node.renamings:
        ty = names.named_type(ctx, renaming.type, renaming.span)
        if ty is None:
            ctx.unknown_name("the type", renaming.type, renaming.span, [*ctx.merged.types, *ctx.merged.boards])
            return None
        variable = ir.Variable(renaming.name, ty)
        inner = scope.bind({renaming.name: ir.Local(variable)})
        image = expressions.expression(ctx, renaming.image, inner, ty)
        found.append((variable, ctx.coerce(image, ty, renaming.image.span, "the image")))
    return ir.Symmetry(node.name, tuple(found), node.myth, source(ctx, node.tail, node.span, scope))
