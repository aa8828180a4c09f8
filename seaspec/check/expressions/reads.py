"""What is read of things: `hand[p]`, `fuel[b]`, `card.number`, `s.cell`, `p can play`, `p is asked`."""

from __future__ import annotations

from seaspec.check import typing
from seaspec.check.context import (
    BOOL,
    UNKNOWN,
    Context,
    Scope,
    Where,
    apply,
    declared_here,
    members,
    number,
    piece_in,
)
from seaspec.check.declared import boards, tables
from seaspec.check.doing import calls
from seaspec.check.expressions import expressions
from seaspec.check.typing import Fit, fit
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.syntax import tree

# ------------------------------------------------------------------------------------------------------------- index


def index(ctx: Context, node: tree.Index, scope: Scope) -> ir.Expr:
    """`hand[p]`, `fuel[b]`, `gift[x]`"""
    if isinstance(node.base, tree.Name) and node.base.name not in scope.names:
        word = node.base.name
        if word in ctx.places:
            return _place(ctx, word, node, scope)
        if word in ctx.states and (ctx.states[word].index or not isinstance(ctx.states[word].type, types.Map)):
            return _state(ctx, word, node, scope)
        if word not in ctx.states and (word in ctx.merged.places or word in ctx.merged.states):
            return ctx.error(
                Code.NOT_CONSTANT, node.span, f"this must be known before the game begins, and it reads '{word}'"
            )
    base = expressions.expression(ctx, node.base, scope)
    if base is UNKNOWN:
        return UNKNOWN
    if not isinstance(base.type, types.Map) or len(node.indices) != 1:
        found = typing.name(base.type)
        return ctx.error(Code.NOT_A_VALUE, node.span, f"places, states and maps have an index, and this is {found}")
    key = expressions.expression(ctx, node.indices[0], scope, base.type.keys)
    return apply(base.type.values, Op.KEY, base, ctx.coerce(key, base.type.keys, node.indices[0].span, "the map"))


def _indices(ctx: Context, thing: ir.Place | ir.State, node: tree.Index, scope: Scope) -> list[ir.Expr] | None:
    if len(thing.index) != len(node.indices):
        wanted = ", ".join(v.name for v in thing.index)
        message = f"{len(node.indices)} indices are given, and " + (
            f"it is {thing.name}[{wanted}]" if wanted else f"'{thing.name}' has none"
        )
        ctx.error(Code.WRONG_COUNT, node.span, message, labels=declared_here(thing))
        return None
    return [expressions.expression(ctx, i, scope, v.type) for i, v in zip(node.indices, thing.index, strict=True)]


def _place(ctx: Context, word: str, node: tree.Index, scope: Scope) -> ir.Expr:
    """An index that is none or outside reads as empty, one of another kind is an error."""
    place = ctx.places[word]
    found = _indices(ctx, place, node, scope)
    if found is None:
        return UNKNOWN
    singles = tuple(expressions.single(ctx, expr) for expr in found)
    for expr, variable, part in zip(singles, place.index, node.indices, strict=True):
        if typing.disjoint(expr.type, variable.type):
            message = f"this is {typing.name(expr.type)}, and '{word}' is there for each {typing.name(variable.type)}"
            return ctx.error(Code.TYPE_MISMATCH, part.span, message, labels=declared_here(place))
    return UNKNOWN if UNKNOWN in singles else _contents(place, singles)


def _contents(place: ir.Place, indices: tuple[ir.Expr, ...]) -> ir.PlaceRead:
    ordered = place.order in (ir.PlaceOrder.ROW, ir.PlaceOrder.PILE)
    return ir.PlaceRead(types.SetOf(place.holds, ordered), place.name, indices)


def _state(ctx: Context, word: str, node: tree.Index, scope: Scope) -> ir.Expr:
    state = ctx.states[word]
    found = _indices(ctx, state, node, scope)
    if found is None:
        return UNKNOWN
    parts = zip(found, state.index, node.indices, strict=True)
    fitting = tuple(ctx.coerce(expr, variable.type, part.span, f"'{word}'") for expr, variable, part in parts)
    return UNKNOWN if UNKNOWN in fitting else ir.StateRead(state.type, word, fitting)


def whole(ctx: Context, node: tree.Name) -> ir.Expr | None:
    """A place or state by its name alone: of an indexed place all that lies in it."""
    word = node.name
    if word in ctx.places:
        place = ctx.places[word]
        return ir.Everywhere(types.SetOf(place.holds), word) if place.index else _contents(place, ())
    if word in ctx.states:
        state = ctx.states[word]
        if not state.index:
            return ir.StateRead(state.type, word, ())
        wanted = ", ".join(v.name for v in state.index)
        message = f"which one? It is {word}[{wanted}]"
        return ctx.error(Code.WRONG_COUNT, node.span, message, labels=declared_here(state))
    if word in ctx.merged.places or word in ctx.merged.states:
        return ctx.error(
            Code.NOT_CONSTANT, node.span, f"this must be known before the game begins, and it reads '{word}'"
        )
    return None


# --------------------------------------------------------------------------------------------------------------- dot


def dot(ctx: Context, node: tree.Dot, scope: Scope) -> ir.Expr:
    """Facts, places and states of one thing: `card.number`, `b.cell`, `b.fuel`, `c.suit.worth`, `Water.rows`."""
    if isinstance(node.base, tree.Capital) and node.base.name in ctx.merged.boards and node.name in ("rows", "columns"):
        board = boards.board(ctx, node.base.name, node.span)
        return UNKNOWN if board is None else number(board.rows if node.name == "rows" else board.columns)
    base = expressions.expression(ctx, node.base, scope)
    if ctx.is_single(base):
        base = piece_in(base, optional=False)
    if base is UNKNOWN:
        return UNKNOWN
    if isinstance(base.type, types.Optional):
        hint = "test it first: `.. is some x` gives it the name x"
        return ctx.error(
            Code.MAY_BE_NONE, node.base.span, f"this may be none, and then it has no '{node.name}'", hint=hint
        )
    found = _dot(ctx, base, node)
    if found is not None:
        return found
    message = f"{typing.name(base.type)} has no '{node.name}'"
    known = list(dict.fromkeys(_facts_of(ctx, base.type)))
    meant = near(node.name, known)
    if meant is None and isinstance(base.type, types.SetOf):
        meant = f"a set may have many: `every x in S: x.{node.name} ..`, or `(the x in S).{node.name}` of the only one"
    elif meant is None and known:
        meant = f"it has {', '.join(known[:6])}"
    return ctx.error(Code.NO_SUCH_FACT, node.span, message, hint=meant)


def _dot(ctx: Context, base: ir.Expr, node: tree.Dot) -> ir.Expr | None:
    ty, word = base.type, node.name  # cautious: what has no such fact is refused
    if isinstance(ty, types.Cells) and word in ("row", "column"):
        cells = ctx.boards[ty.board].cells
        positions = [cells[m][word == "row"] for m in ty.members] or [0]
        boards.table(ctx, ty.board, word)
        return ir.Lookup(types.Int(min(positions), max(positions)), f"{ty.board}.{word}", (base,))
    if isinstance(ty, types.Enum) and f"{ty.name}.{word}" in tables.of(ctx, ty.name):
        table = ctx.tables[f"{ty.name}.{word}"]
        return ir.Lookup(table.type, table.name, (base,))
    if isinstance(ty, types.Pieces):
        found = _fact(ctx, base, ty, word) or _where(ctx, base, ty, node)
        if found is not None:
            return found
    if not isinstance(ty, types.Pieces | types.Cells):
        return None
    if word in ctx.states and len(ctx.states[word].index) == 1:
        state = ctx.states[word]
        if fit(ty, state.index[0].type) in (Fit.YES, Fit.MAYBE):
            return ir.StateRead(state.type, word, (ctx.coerce(base, state.index[0].type, node.span, word),))
    if word in ctx.places and len(ctx.places[word].index) == 1:
        place = ctx.places[word]
        if fit(ty, place.index[0].type) in (Fit.YES, Fit.MAYBE):
            return _contents(place, (base,))
    return None


def _facts_of(ctx: Context, ty: Type) -> list[str]:
    """What may stand after a dot, to find a near name."""
    things: tuple[ir.State | ir.Place, ...] = (*ctx.states.values(), *ctx.places.values())
    found = [t.name for t in things if len(t.index) == 1 and not typing.disjoint(ty, t.index[0].type)]
    if isinstance(ty, types.Enum):
        found += [table.removeprefix(f"{ty.name}.") for table in tables.of(ctx, ty.name)]
    if isinstance(ty, types.Cells):
        found += ["row", "column"]
    if isinstance(ty, types.Pieces):
        found += [fact for m in ty.members for fact, _, _ in ctx.pieces[m].facts]
        found += [v.name for p in ctx.places.values() for v in p.index if not typing.disjoint(ty, p.holds)]
    return found


def _fact(ctx: Context, base: ir.Expr, ty: types.Pieces, word: str) -> ir.Expr | None:
    """A printed fact, if all pieces of the type have it. The range of the values that there are is its type.

    Where there are no pieces, in a small world perhaps, they have any fact that is declared.
    """
    table = ctx.tables.get(f".{word}")
    if table is None:
        return None
    if not ty.members:
        return ir.Lookup(table.type, table.name, (base,))
    positions = [types.position(table.index[0], m) for m in ty.members]
    entries = [table.entries[p] for p in positions if p is not None]
    if not entries or len(entries) < len(positions):
        return None
    numbers = [e for e in entries if isinstance(e, int)]
    exact = isinstance(table.type, types.Int) and len(numbers) == len(entries)
    return ir.Lookup(types.Int(min(numbers), max(numbers)) if exact else table.type, table.name, (base,))


def _where(ctx: Context, base: ir.Expr, ty: types.Pieces, node: tree.Dot) -> ir.Expr | None:
    """The inverse of an indexed place: which place, is said by the kind of the piece."""
    word = node.name
    if not ty.members:
        return _where_nothing(ctx, base, ty, word)
    found: list[tuple[ir.Place, int, frozenset[int]]] = []
    for place in ctx.places.values():
        held = frozenset(place.holds.members) & frozenset(ty.members)
        for position, variable in enumerate(place.index):
            if variable.name == word and held:
                found.append((place, position, held))
    if not found:
        return None
    taken: set[int] = set()
    for _, _, held in found:
        if held & taken:
            labels = [Label(p.source.span, f"'{p.name}'") for p, _, _ in found]
            message = f"'{word}' may be that of any of the places {', '.join(p.name for p, _, _ in found)}"
            return ctx.error(Code.AMBIGUOUS, node.span, message, labels=labels)
        taken |= held
    if taken != set(ty.members):
        missing = ctx.pieces[min(set(ty.members) - taken)].title
        return ctx.error(Code.NO_SUCH_FACT, node.span, f"{missing} never has a '{word}'")
    place, position, _ = found[0]
    result: ir.Expr = ir.WhereIs(place.index[position].type, place.name, base, position)
    for other, at, held in found[1:]:
        there = ir.WhereIs(other.index[at].type, other.name, base, at)
        joined = typing.join(result.type, there.type)
        if joined is None:
            labels = [Label(p.source.span, f"'{p.name}'") for p in (place, other)]
            return ctx.error(Code.AMBIGUOUS, node.span, f"'{word}' is of two kinds here", labels=labels)
        of_kind = members(types.Pieces(other.name, tuple(sorted(held))))
        result = ir.If(joined, apply(BOOL, Op.IN, base, of_kind), there, result)
    return result


def _where_nothing(ctx: Context, base: ir.Expr, ty: types.Pieces, word: str) -> ir.Expr | None:
    """The same of a kind without pieces: a place that is for this kind, or, as none lies anywhere, any that fits."""
    fitting = [(p, at) for p in ctx.places.values() for at, v in enumerate(p.index) if v.name == word]
    if not fitting:
        return None
    place, at = next((f for f in fitting if f[0].holds.name == ty.name), fitting[0])
    return ir.WhereIs(place.index[at].type, place.name, base, at)


# ------------------------------------------------------------------------------------------------------- can, asked


def can(ctx: Context, node: tree.Can, scope: Scope) -> ir.Expr:
    """`p can play`, `s.owner can volley(s, side)`"""
    player = expressions.expression(ctx, node.player, scope, ctx.player)
    player = ctx.coerce(player, ctx.player, node.player.span, "who can do it")
    offered = calls.menu_items(ctx, node.action, scope, player)
    if not offered:
        return UNKNOWN
    tests: list[ir.Expr] = []
    for alternative in offered:
        test: ir.Expr = ir.Can(BOOL, alternative.action, alternative.arguments)
        if alternative.loop is not None:
            test = ir.Fold(BOOL, ir.FoldKind.SOME, (alternative.loop,), test)
        tests.append(test)
    return tests[0] if len(tests) == 1 else apply(BOOL, Op.OR, *tests)


def asked(ctx: Context, node: tree.Is, scope: Scope) -> ir.Expr:
    """`p is asked`, `p is asked at sea`"""
    if scope.where is Where.RULES:
        return ctx.error(Code.ONLY_IN_PROMISES, node.span, "`is asked` stands in promises and examples only")
    player = expressions.expression(ctx, node.subject, scope, ctx.player)
    player = ctx.coerce(player, ctx.player, node.subject.span, "who is asked")
    if node.menu is not None:
        places = [*ctx.merged.menus, *ctx.merged.procedures, *ctx.merged.actions]
        if node.menu not in places:
            return ctx.unknown_name("the menu", node.menu, node.span.word(node.menu), places)
    return UNKNOWN if player is UNKNOWN else ir.Asked(BOOL, player, node.menu)
