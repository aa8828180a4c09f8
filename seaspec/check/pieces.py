"""Components: the pieces of the game, their kinds and printed facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from seaspec.check import expressions, names, things, typing
from seaspec.check.context import Context, Scope, apply, conjunction, members, variable
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.source import NOWHERE
from seaspec.syntax import tree

MOST_PIECES = 4096
Facts = dict[str, tuple[Value, Type]]


@dataclass(slots=True)
class _Draft:
    """A piece before all are known."""

    kinds: tuple[str, ...]
    facts: tuple[tuple[str, Value, Type], ...]
    home: str
    order: int = field(default=0)


def components(ctx: Context) -> None:
    """Make all pieces, the kinds as types, the facts as tables."""
    drafts: list[_Draft] = []
    kind_names: dict[str, tree.KindDecl | tree.Component] = {}
    for component in ctx.merged.components.values():
        if component.left_open:
            message = f"the component '{component.name}' is left open and gets no body in this game"
            ctx.error(Code.LEFT_OPEN, component.span, message)
            continue
        if component.requires is not None and not _required(ctx, component.requires):
            _declare(component, kind_names)
            continue
        _declare(component, kind_names)
        declared = _declared_facts(ctx, component.facts)
        for kind in component.kinds:
            drafts.extend(_kind(ctx, kind, (component.name,), declared, {}))
            if len(drafts) > MOST_PIECES:
                ctx.error(Code.TOO_LARGE, kind.span, f"more than {MOST_PIECES} pieces are too many")
                drafts.clear()
    _finish(ctx, drafts, kind_names)


def _declare(component: tree.Component, found: dict[str, tree.KindDecl | tree.Component]) -> None:
    found[component.name] = component

    def walk(kinds: tuple[tree.KindDecl, ...]) -> None:
        for kind in kinds:
            found.setdefault(kind.name, kind)
            walk(kind.kinds)

    walk(component.kinds)


def _required(ctx: Context, node: tree.Expr) -> bool:
    tested = expressions.test(ctx, node, Scope())
    return ctx.constant(tested.expr, node.span) is True


def _declared_facts(ctx: Context, facts: tuple[tree.Fact, ...]) -> dict[str, Type]:
    """Names and types of facts that are declared and not given."""
    return {
        fact.name: things.type_of(ctx, fact.type) for fact in facts if fact.name is not None and fact.type is not None
    }


def _kind(
    ctx: Context, node: tree.KindDecl, above: tuple[str, ...], open_facts: Mapping[str, Type], given: Facts
) -> Iterator[_Draft]:
    """The pieces of a kind. `open_facts` are declared above and still want a value."""
    if node.name in ctx.merged.removed_kinds:
        return
    kinds = above if above[0] == node.name else (node.name, *above)
    for env, scope in _loops(ctx, node.loops):
        declared = {**open_facts, **_declared_facts(ctx, node.facts)}
        facts = dict(given)
        values = [f for f in node.facts if f.value is not None]
        if len(values) > len(open_facts):
            message = f"{len(values)} facts are given, and {above[-1]} declares {len(open_facts)}"
            ctx.error(Code.COMPONENT, node.span, message)
            return
        for (name, ty), fact in zip(open_facts.items(), values, strict=False):
            assert fact.value is not None
            expr = ctx.coerce(expressions.expression(ctx, fact.value, scope, ty), ty, fact.span, f"the fact '{name}'")
            value = ctx.constant(expr, fact.span, env)
            if value is None and not isinstance(ty, types.Optional):
                return
            facts[name] = (value, ty)
            declared.pop(name)
        if node.kinds:
            for inner in node.kinds:
                yield from _kind(ctx, inner, kinds, declared, facts)
            continue
        yield from _leaves(ctx, node, kinds, declared, facts, env, scope)


def _leaves(
    ctx: Context,
    node: tree.KindDecl,
    kinds: tuple[str, ...],
    declared: Mapping[str, Type],
    facts: Facts,
    env: Mapping[ir.Variable, Value],
    scope: Scope,
) -> Iterator[_Draft]:
    times = 1
    if node.times is not None:
        expr = expressions.expression(ctx, node.times, scope)
        value = ctx.constant(expr, node.times.span, env)
        if isinstance(value, bool) or not isinstance(value, int):
            if value is not None:
                ctx.error(Code.TYPE_MISMATCH, node.times.span, "the number of pieces must be a number")
            return
        if value < 0:
            ctx.error(Code.OUT_OF_RANGE, node.times.span, f"there can not be {value} pieces")
            return
        times = value
    if declared and not node.each:
        wanted = ", ".join(declared)
        hint = "say `one each` for a piece of each value, or give the facts in brackets"
        ctx.error(Code.COMPONENT, node.span, f"the facts {wanted} of {node.name} are not given", hint=hint)
        return
    count = times
    for ty in declared.values():
        count *= 0 if isinstance(ty, types.Never) else 1 if isinstance(ty, types.SetOf) else types.size(ty)
    if count > MOST_PIECES:
        ctx.error(Code.TOO_LARGE, node.span, f"{count} pieces are too many; at most {MOST_PIECES} are possible")
        return
    if any(isinstance(ty, types.SetOf | types.Never) for ty in declared.values()):
        return
    for values in product(*(list(types.values(ty)) for ty in declared.values())):
        each = {name: (value, ty) for (name, ty), value in zip(declared.items(), values, strict=True)}
        found = tuple((name, value, ty) for name, (value, ty) in {**facts, **each}.items())
        for _ in range(times):
            yield _Draft(kinds, found, node.kept_in or ir.BOX)


def _loops(
    ctx: Context, loops: tuple[tree.Binding, ...]
) -> Iterator[tuple[dict[ir.Variable, Value], Scope]]:
    """`for p in Player where ..`: the environments of all loops."""
    found: list[tuple[dict[ir.Variable, Value], Scope]] = [({}, Scope())]
    for loop in loops:
        more: list[tuple[dict[ir.Variable, Value], Scope]] = []
        for env, scope in found:
            domain, of = expressions.domain(ctx, loop.domain, scope)
            listed = ctx.constant(domain, loop.domain.span, env)
            if not isinstance(listed, tuple):
                continue
            made, local = variable(loop.name, of)
            inner = scope.bind({loop.name: local})
            for value in listed:
                bound = {**env, made: value}
                if loop.filter is not None:
                    tested = expressions.test(ctx, loop.filter.test, inner)
                    if ctx.constant(tested.expr, loop.filter.span, bound) is not True:
                        continue
                more.append((bound, inner))
        found = more
    yield from found


def _finish(ctx: Context, drafts: list[_Draft], kind_names: dict[str, tree.KindDecl | tree.Component]) -> None:
    twins: dict[tuple[object, ...], int] = {}
    for index, draft in enumerate(drafts):
        twin = twins.setdefault((draft.kinds, draft.facts, draft.home), len(twins))
        values = " ".join(names.show_value(ctx, value, ty) for _, value, ty in draft.facts if not _inherited(ty))
        title = f"{draft.kinds[0].replace('_', ' ')} {values}".strip()
        ctx.pieces.append(ir.Piece(index, draft.kinds, draft.facts, twin, draft.home, title))
    of_kind: dict[str, list[int]] = {name: [] for name in kind_names}
    for piece in ctx.pieces:
        for kind in piece.kinds:
            of_kind.setdefault(kind, []).append(piece.id)
    for name, found in of_kind.items():
        if name in ctx.merged.types or name in ctx.merged.boards:
            ctx.error(Code.HIDES, kind_names[name].span, f"'{name}' is the name of a type, too")
        ctx.kinds[name] = types.Pieces(name, tuple(found))
        ctx.failed.discard(f"the type '{name}'")
    _fact_tables(ctx)


def _inherited(ty: Type) -> bool:
    return isinstance(ty, types.SetOf)


def _fact_tables(ctx: Context) -> None:
    """A table a fact, over all pieces that have it: `.number`."""
    held: dict[str, list[tuple[int, Value, Type]]] = {}
    for piece in ctx.pieces:
        for name, value, ty in piece.facts:
            held.setdefault(name, []).append((piece.id, value, ty))
    for name, entries in held.items():
        joined: Type | None = types.Never()
        for _, _, ty in entries:
            joined = typing.join(joined, ty) if joined is not None else None
        if joined is None:
            ctx.error(Code.COMPONENT, NOWHERE, f"the fact '{name}' is of different kinds in different components")
            continue
        index = types.Pieces(f"pieces with {name}", tuple(i for i, _, _ in entries))
        ctx.tables[f".{name}"] = ir.Table(f".{name}", (index,), joined, tuple(v for _, v, _ in entries))


def _given_facts(ctx: Context, kind: types.Pieces, node: tree.Apply, scope: Scope) -> list[ir.Expr]:
    found = []
    for argument, (name, _, ty) in zip(node.arguments, ctx.pieces[kind.members[0]].facts, strict=False):
        expr = expressions.expression(ctx, argument, scope.quiet(), ty)
        found.append(ctx.coerce(expr, ty, argument.span, f"the fact '{name}'"))
    return found


def described(ctx: Context, kind: types.Pieces, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The piece with facts that are not constant: `Island(n + 1)` (obligation: there is one)."""
    made, local = variable("x", kind)
    tests: list[ir.Expr] = []
    for (name, _, ty), expr in zip(ctx.pieces[kind.members[0]].facts, _given_facts(ctx, kind, node, scope), strict=False):
        tests.append(apply(types.Bool(), Op.EQUAL, ir.Lookup(ty, f".{name}", (local,)), expr))
    return ir.PickOne(kind, True, ir.Binder(made, members(kind), conjunction(tests)), None)


def matching(ctx: Context, node: tree.Expr, scope: Scope) -> tuple[int, ...] | None:
    """The pieces that `Fleet(Light, 4)` or `Start` describes; None if it describes none, or by facts not constant."""
    if isinstance(node, tree.Capital):
        kind = names.kind(ctx, node)
        return kind.members if isinstance(kind, types.Pieces) else None
    if not isinstance(node, tree.Apply) or not isinstance(node.function, tree.Capital):
        return None
    kind = ctx.kinds.get(node.function.name)
    if kind is None:
        return None
    found = []
    if not kind.members:
        return ()
    facts = ctx.pieces[kind.members[0]].facts
    if len(node.arguments) > len(facts):
        message = f"{node.function.name} has {len(facts)} facts, and {len(node.arguments)} are given"
        ctx.error(Code.WRONG_COUNT, node.span, message)
        return ()
    wanted: list[Value] = []
    for argument, expr in zip(node.arguments, _given_facts(ctx, kind, node, scope), strict=True):
        if not isinstance(expr, ir.Const):
            return None
        wanted.append(ctx.constant(expr, argument.span))
    for member in kind.members:
        values = [value for _, value, _ in ctx.pieces[member].facts[: len(wanted)]]
        if values == wanted:
            found.append(member)
    return tuple(found)
