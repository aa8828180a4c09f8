"""Promises: invariants, lemmas and the like, to core."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from seaspec.check import typing
from seaspec.check.context import UNKNOWN, YES, Context, Scope, Where, declared_here
from seaspec.check.declared import headers, things
from seaspec.check.describe import declares, promise_name
from seaspec.check.doing import calls
from seaspec.check.expressions import expressions, names
from seaspec.check.promised import examples
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span
from seaspec.syntax import tree

CLAIMS = {
    tree.When.NODES: ir.Claim.NODES,
    tree.When.AT: ir.Claim.AT,
    tree.When.AT_END: ir.Claim.AT_END,
    tree.When.OUTSIDE: ir.Claim.OUTSIDE,
}


@dataclass(slots=True)
class Promised:
    """What this module makes; `breaks`: promises that must fail, by their names in the core, and why."""

    promises: list[ir.Promise] = field(default_factory=list)
    examples: list[ir.Example] = field(default_factory=list)
    breaks: dict[str, str] = field(default_factory=dict)


def promises(ctx: Context) -> Promised:
    """All promises and examples of the merged game."""
    made = Promised()
    for node in ctx.merged.promises:
        breaks = _breaks(ctx, node)
        if isinstance(node, tree.Example):
            example = _applicable(ctx, node)
            if example is not None:
                made.examples.append(example)
        else:
            promise = _promise(ctx, node)
            if promise is not None:
                made.promises.append(promise)
                if breaks is not None:
                    made.breaks[promise.name] = breaks.because
        if isinstance(node, tree.Example) and breaks is not None:
            made.breaks[node.name] = breaks.because
    return made


def _breaks(ctx: Context, promise: tree.Promise) -> tree.Breaks | None:
    """That a variant breaks a promise; not what it promises itself, though that may be called the same: `ends`."""
    found = ctx.merged.breaks.get(promise_name(promise))
    if found is None:
        return None
    variants = [chapter for chapter in ctx.merged.chapters if chapter.kind is not tree.ChapterKind.GAME]
    own = any(declares(chapter, found) and declares(chapter, promise) for chapter in variants)
    return None if own else found


def _applicable(ctx: Context, node: tree.Example) -> ir.Example | None:
    """An example, unless it names what is not there: a seat too many, or something that a variant has removed."""
    own = ctx.merged.chapters[-1]
    is_own = declares(own, node)
    if own.kind is tree.ChapterKind.WORLD and not is_own:
        ctx.inapplicable[node.name] = "worlds are too small for the examples of the game"
        return None
    missing = {Code.NOT_WITH_OPTIONS} if is_own else {Code.NOT_WITH_OPTIONS, Code.NOT_HERE, Code.OUT_OF_RANGE}
    report, ctx.report = ctx.report, Report()
    made = examples.example(ctx, node)
    trial, ctx.report = ctx.report, report
    removed = [f"'{name}'" for name in ctx.merged.removed]
    gone = [d for d in trial if d.code in missing or any(name in d.message for name in removed)]
    if gone:
        ctx.inapplicable[node.name] = gone[0].message
        return None
    report.extend(trial)
    return made


PROMISE = Scope(where=Where.PROMISES)


def _promise(ctx: Context, node: tree.Promise) -> ir.Promise | None:
    scope = PROMISE
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
        case tree.Winnable():
            test = expressions.test(ctx, node.property, scope).expr
            needed = None if node.needed is None else expressions.test(ctx, node.needed, scope).expr
            return ir.Winnable(node.name, needed, test, node.myth, source(ctx, node.tail, node.span, scope))
        case tree.NeverStuck():
            return ir.NeverStuck("never stuck", node.myth, source(ctx, node.tail, node.span, scope))
        case tree.Ends():
            return _ends(ctx, node, scope)
        case tree.Secret():
            return _secret(ctx, node, scope)
        case tree.OddsPromise():
            return _odds(ctx, node, scope)
        case tree.Symmetry():
            return _symmetry(ctx, node, scope)
        case tree.Example():
            return None
        case _:
            assert_never(node)


def _procedures(ctx: Context, procedures: tuple[str, ...], node: tree.Promise) -> None:
    for word in procedures:
        if word not in ctx.merged.procedures and word not in ctx.merged.actions:
            every = [*ctx.merged.procedures, *ctx.merged.actions]
            ctx.unknown_name("the procedure", word, node.span.word(word), every)


def _always(ctx: Context, node: tree.Always) -> ir.Promise | None:
    """The names of the first head are those of the promise; other heads must have them, too."""
    if not node.after:
        scope = Scope(where=Where.STEPS)
        test = expressions.test(ctx, node.property, scope).expr
        return ir.Always(node.name, (), test, node.myth, source(ctx, node.tail, node.span, scope))
    found = []
    said = ir.Source(node.span)
    first_test: ir.Expr = YES
    for position, head in enumerate(node.after):
        params: tuple[ir.Variable, ...]
        if head.name in ctx.merged.actions:
            params = tuple(p.variable for p in headers.action(ctx, head.name))
            declared = ctx.merged.actions[head.name][0].span
        elif head.name in ctx.merged.procedures:
            params = headers.procedure(ctx, head.name)
            declared = ctx.merged.procedures[head.name][0].span
        else:
            every = [*ctx.merged.procedures, *ctx.merged.actions]
            ctx.unknown_name("the procedure", head.name, head.span.word(head.name), every)
            return None
        if len(head.params) > len(params):
            message = f"'{head.name}' has {len(params)} parameters, and {len(head.params)} names are given"
            ctx.error(Code.WRONG_COUNT, head.span, message, labels=[Label(declared, "declared here")])
            return None
        scope = Scope(where=Where.STEPS)
        variables = []
        for param, variable in zip(head.params, params, strict=False):
            made, scope = names.introduce(ctx, param.name, variable.type, scope, param.span)
            variables.append(made)
        test = expressions.test(ctx, node.property, scope).expr
        if not position:
            first_test = test
            said = source(ctx, node.tail, node.span, scope)
        found.append((headers.reference(ctx, head.name), tuple(variables), test))
    return ir.Always(node.name, tuple(found), first_test, node.myth, said)


def _ends(ctx: Context, node: tree.Ends, scope: Scope) -> ir.Promise | None:
    _procedures(ctx, (node.procedure,), node)
    within = _calls(ctx, node, scope)
    measure = None if node.measure is None else expressions.expression(ctx, node.measure, scope)
    if node.measure is not None and measure is not None and not isinstance(measure.type, types.Int | types.Never):
        message = f"a measure is a number that falls, and this is {typing.name(measure.type)}"
        ctx.error(Code.TYPE_MISMATCH, node.measure.span, message)
    if within is None:
        return None
    name = f"ends within {within} calls of {node.procedure}"
    said = source(ctx, node.tail, node.span, scope)
    return ir.EndsWithin(name, within, headers.reference(ctx, node.procedure), measure, node.myth, said)


def _calls(ctx: Context, node: tree.Ends, scope: Scope) -> int | None:
    within = things.number_of(ctx, node.within, "`ends within`")
    if within is not None and within < 0:
        ctx.error(Code.OUT_OF_RANGE, node.within.span, f"there can not be {within} calls")
        return None
    return within


def _secret(ctx: Context, node: tree.Secret, scope: Scope) -> ir.Promise:
    for word in node.names:
        thing = ctx.places.get(word) or ctx.states.get(word)
        if thing is None:
            ctx.unknown_name("the place or state", word, node.span.word(word), [*ctx.places, *ctx.states])
        elif thing.sight.all:
            message = f"all see '{word}', so it is no secret"
            ctx.error(Code.MISPLACED, node.span.word(word), message, labels=declared_here(thing))
    name = "secret " + ", ".join(node.names)
    return ir.Secret(name, node.names, node.myth, source(ctx, node.tail, node.span, scope))


def _odds(ctx: Context, node: tree.OddsPromise, scope: Scope) -> ir.Promise | None:
    word = "mean" if node.mean else "odds"
    found = calls.chance_odds(ctx, word, node.call, scope)
    value = calls.fraction(ctx, node.value, scope) if word == "odds" else calls.number(ctx, node.value, scope)
    if not isinstance(found, ir.Odds) or value is UNKNOWN:
        return None
    name = f"{word} {node.call.span.text}"
    return ir.OddsPromise(name, found, value, node.myth, source(ctx, node.tail, node.span, scope))


def _symmetry(ctx: Context, node: tree.Symmetry, scope: Scope) -> ir.Promise | None:
    """Each type is renamed once, and each of its values gets another."""
    found: list[tuple[ir.Variable, ir.Expr]] = []
    seen: dict[str, Span] = {}
    for renaming in node.renamings:
        ty = names.named_type(ctx, renaming.type, renaming.span)
        if ty is None:
            known = [*ctx.merged.types, *ctx.merged.boards, *ctx.kinds]
            ctx.unknown_name("the type", renaming.type, renaming.span.word(renaming.type), known)
            return None
        if renaming.type in seen:
            labels = [Label(seen[renaming.type], "here first")]
            ctx.error(Code.HIDES, renaming.span, f"{renaming.type} is renamed twice", labels=labels)
        seen[renaming.type] = renaming.span
        variable, inner = names.introduce(ctx, renaming.name, ty, scope, renaming.span)
        image = expressions.expression(ctx, renaming.image, inner, ty)
        found.append((variable, ctx.coerce(image, ty, renaming.image.span, "the image")))
    return ir.Symmetry(node.name, tuple(found), node.myth, source(ctx, node.tail, node.span, scope))
