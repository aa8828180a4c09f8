"""What names stand for: locals, constants, places, states, values, kinds; `x[i]`, `x.fact`, `p can a`.

The order of search for a small name: local names, then what the game declares, then values of enumerations (the type that
is expected comes first), then words of the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seaspec.check import calls, expressions, tables, things, typing, words
from seaspec.check.context import (
    BOOL,
    LARGEST_LISTED,
    UNKNOWN,
    Context,
    Scope,
    apply,
    is_single,
    members,
    number,
)
from seaspec.check.typing import Fit, fit
from seaspec.core import geometry, ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import near
from seaspec.source import Span
from seaspec.syntax import tree

EVERYONE = "everyone"
CELL = re.compile(r"[A-Z]{1,2}[1-9][0-9]{0,2}")
"""What the name of a cell looks like."""


def name(ctx: Context, node: tree.Name | tree.Capital, scope: Scope, expected: Type | None) -> ir.Expr:
    """A name alone."""
    if isinstance(node, tree.Capital):
        return _capital(ctx, node, expected)
    word = node.name
    if word in scope.names:
        return scope.names[word]
    wanted = typing.known(expected) if expected is not None else None
    if isinstance(wanted, types.Enum) and word in wanted.values:
        return ir.Const(wanted, wanted.values.index(word))
    declared = _declared(ctx, node, word)
    if declared is not None:
        return declared
    values = ctx.enum_values.get(word, [])
    if len(values) == 1:
        ty, index = values[0]
        return ir.Const(ty, index)
    if values:
        owners = " and ".join(ty.name for ty, _ in values)
        return ctx.error(Code.AMBIGUOUS, node.span, f"'{word}' is a value of {owners}")
    if word == EVERYONE:
        return members(ctx.player)
    return _unknown(ctx, node, scope)


def _declared(ctx: Context, node: tree.Name, word: str) -> ir.Expr | None:
    merged = ctx.merged
    if word in merged.consts:
        return things.constant(ctx, word, node.span)
    if word in merged.options:
        option = things.option(ctx, word, node.span)
        return UNKNOWN if option is None else ir.Const(option.type, option.value)
    if word in merged.defines:
        function = words.function(ctx, word, node.span)
        if function is None:
            return UNKNOWN
        if function.params:
            wanted = ", ".join(p.name for p in function.params)
            return ctx.error(Code.WRONG_COUNT, node.span, f"'{word}' wants arguments: {word}({wanted})")
        return ir.Call(function.type, word, ())
    if word in ctx.places:
        place = ctx.places[word]
        of = types.SetOf(place.holds, place.order in (ir.PlaceOrder.ROW, ir.PlaceOrder.PILE))
        if place.index:
            return ir.Everywhere(types.SetOf(place.holds), word)
        return ir.PlaceRead(of, word, ())
    if word in ctx.states:
        state = ctx.states[word]
        if state.index:
            wanted = ", ".join(v.name for v in state.index)
            return ctx.error(Code.WRONG_COUNT, node.span, f"'{word}' is indexed: {word}[{wanted}]")
        return ir.StateRead(state.type, word, ())
    if word in merged.tables and merged.tables[word].params:
        return ctx.error(Code.WRONG_COUNT, node.span, f"the table '{word}' wants arguments")
    for group, what in (
        (merged.actions, "an action"),
        (merged.procedures, "a procedure"),
        (merged.chances, "a throw"),
        (merged.menus, "a menu"),
        (merged.rules, "a list of rules"),
    ):
        if word in group:
            return ctx.error(Code.NOT_A_VALUE, node.span, f"'{word}' is {what}, which has no value here")
    return None


def _unknown(ctx: Context, node: tree.Name, scope: Scope) -> ir.Const:
    everything = [*scope.names, *known_names(ctx), *ctx.enum_values]
    capital = node.name[:1].upper() + node.name[1:]
    if near(node.name, everything) is None and (capital in ctx.merged.types or capital in ctx.kinds):
        return ctx.error(
            Code.UNKNOWN_NAME, node.span, f"'{node.name}' is not known", hint=f"did you mean '{capital}'? Kinds and types begin with a capital"
        )
    return ctx.unknown_name("the name", node.name, node.span, everything)


def known_names(ctx: Context) -> Iterator[str]:
    """All small names that the game declares."""
    merged = ctx.merged
    for group in (
        merged.consts, merged.options, merged.defines, merged.places, merged.states, merged.tables, merged.actions,
        merged.procedures, merged.chances, merged.menus, merged.rules,
    ):  # fmt: skip
        yield from group


def check_fresh(ctx: Context, word: str, scope: Scope, span: Span) -> None:
    """A local name may hide no other name (but values of enumerations)."""
    if word in scope.names:
        ctx.error(Code.HIDES, span, f"'{word}' is already a name here")
    elif word in ctx.merged.consts or word in ctx.merged.options:
        ctx.error(Code.HIDES, span, f"'{word}' is already a constant of the game")
    elif word in ctx.places or word in ctx.states:
        ctx.error(Code.HIDES, span, f"'{word}' is already a place or state of the game")
    elif word in ctx.merged.defines and not any(d.params for d in ctx.merged.defines[word]):
        ctx.error(Code.HIDES, span, f"'{word}' is already defined in the game")


# -------------------------------------------------------------------------------------------------------- capitals


def _capital(ctx: Context, node: tree.Capital, expected: Type | None) -> ir.Expr:
    word = node.name
    wanted = typing.known(expected) if expected is not None else None
    if isinstance(wanted, types.Enum) and word in wanted.values:
        return ir.Const(wanted, wanted.values.index(word))
    if isinstance(wanted, types.Cells):
        cell = _cell(ctx, word, wanted.board)
        if cell is not None:
            return cell
    values = ctx.enum_values.get(word, [])
    if len(values) == 1:
        return ir.Const(*values[0])
    for board in ctx.boards:
        cell = _cell(ctx, word, board)
        if cell is not None:
            return cell
    ty = named_type(ctx, word, node.span)
    if ty is None and word in things.SEATS:
        seats = ", ".join(ctx.player.values)
        return ctx.error(Code.NOT_WITH_OPTIONS, node.span, f"{word} does not play; the players are {seats}")
    if ty is None and ctx.boards and CELL.fullmatch(word):
        boards = " or ".join(f"{b.name} ({b.names[0]} to {b.names[-1]})" for b in ctx.boards.values())
        return ctx.error(Code.NOT_HERE, node.span, f"there is no cell {word} on {boards}")
    if ty is None:
        cells = [c for b in ctx.boards.values() for c in b.names]
        names = [*ctx.merged.types, *ctx.kinds, *ctx.merged.boards, *ctx.enum_values, *cells]
        return ctx.unknown_name("the name", word, node.span, names)
    if isinstance(ty, types.Never):
        return UNKNOWN
    if isinstance(ty, types.Pieces) and not isinstance(expected, types.SetOf) and len(ty.members) == 1:
        return ir.Const(ty, ty.members[0])
    return type_members(ctx, ty, node.span)


def type_members(ctx: Context, ty: Type, span: Span) -> ir.Expr:
    """A type as the set of its values."""
    try:
        if types.size(ty) > LARGEST_LISTED:
            return ctx.error(Code.TOO_LARGE, span, f"{typing.name(ty)} has {types.size(ty)} values, too many to list")
        return members(ty)
    except ValueError:
        return ctx.error(Code.NOT_A_SET, span, f"the values of {typing.name(ty)} can not be listed")


def _cell(ctx: Context, word: str, board: str) -> ir.Const | None:
    made = ctx.boards.get(board)
    if made is None or word not in made.names:
        return None
    ty = ctx.types[board]
    return ir.Const(ty, made.names.index(word))


def named_type(ctx: Context, word: str, span: Span) -> Type | None:
    """A type, board or kind by name; None if there is none; Never if it is faulty."""
    if word in ctx.kinds:
        return ctx.kinds[word]
    return things.type_named(ctx, word, span)


def kind(ctx: Context, node: tree.Expr) -> types.Pieces | types.Cells | None:
    """The kind (or part of a board) that a capital names, if it does."""
    if not isinstance(node, tree.Capital):
        return None
    if node.name in ctx.enum_values and node.name not in ctx.kinds:
        return None
    ty = named_type(ctx, node.name, node.span)
    return ty if isinstance(ty, types.Pieces | types.Cells) else None


def is_value(ctx: Context, node: tree.Capital, scope: Scope) -> bool:
    """Whether a capital names a value and no kind: a seat, a cell, a value of an enumeration."""
    return node.name not in ctx.kinds and node.name not in ctx.types and node.name not in ctx.merged.types


# ---------------------------------------------------------------------------------------------------- index and dot


def index(ctx: Context, node: tree.Index, scope: Scope) -> ir.Expr:
    """`hand[p]`, `masts[s]`, `gift[x]`"""
    if isinstance(node.base, tree.Name) and node.base.name not in scope.names:
        word = node.base.name
        if word in ctx.places:
            return place_read(ctx, word, node, scope)
        if word in ctx.states and (ctx.states[word].index or not isinstance(ctx.states[word].type, types.Map)):
            return state_read(ctx, word, node, scope)
    base = expressions.expression(ctx, node.base, scope.quiet())
    if isinstance(base.type, types.Never):
        return UNKNOWN
    if not isinstance(base.type, types.Map) or len(node.indices) != 1:
        found = typing.name(base.type)
        return ctx.error(Code.NOT_A_VALUE, node.span, f"places, states and maps have an index, and this is {found}")
    key = expressions.expression(ctx, node.indices[0], scope.quiet(), base.type.keys)
    return apply(base.type.values, Op.KEY, base, ctx.coerce(key, base.type.keys, node.indices[0].span, "the map"))


def indices(ctx: Context, what: tuple[ir.Variable, ...], node: tree.Index, scope: Scope) -> list[ir.Expr] | None:
    if len(what) != len(node.indices):
        wanted = ", ".join(v.name for v in what) or "no index"
        ctx.error(Code.WRONG_COUNT, node.span, f"the index here is [{wanted}], and {len(node.indices)} are given")
        return None
    return [
        expressions.expression(ctx, i, scope.quiet(), v.type) for i, v in zip(node.indices, what, strict=True)
    ]


def place_read(ctx: Context, word: str, node: tree.Index, scope: Scope) -> ir.Expr:
    """An index that is none or outside reads as empty, one of another kind is an error."""
    place = ctx.places[word]
    found = indices(ctx, place.index, node, scope)
    if found is None:
        return UNKNOWN
    for position, (expr, variable) in enumerate(zip(found, place.index, strict=True)):
        inner = expressions.single(ctx, expr)
        found[position] = inner
        numbers = isinstance(typing.known(inner.type), types.Int) and isinstance(variable.type, types.Int)
        if fit(typing.known(inner.type), variable.type) is Fit.NO and not numbers:
            wanted = typing.name(variable.type)
            given = typing.name(inner.type)
            ctx.error(Code.TYPE_MISMATCH, node.indices[position].span, f"this is {given}, and {word} is for {wanted}")
            return UNKNOWN
    ordered = place.order in (ir.PlaceOrder.ROW, ir.PlaceOrder.PILE)
    return ir.PlaceRead(types.SetOf(place.holds, ordered), word, tuple(found))


def state_read(ctx: Context, word: str, node: tree.Index, scope: Scope) -> ir.Expr:
    state = ctx.states[word]
    found = indices(ctx, state.index, node, scope)
    if found is None:
        return UNKNOWN
    fitting = tuple(
        ctx.coerce(expr, variable.type, i.span, word)
        for expr, variable, i in zip(found, state.index, node.indices, strict=True)
    )
    return ir.StateRead(state.type, word, fitting)


def dot(ctx: Context, node: tree.Dot, scope: Scope) -> ir.Expr:
    """Facts, places and states of one thing: `card.number`, `s.cell`, `s.masts`, `s.class.hull`, `Sea.rows`."""
    if isinstance(node.base, tree.Capital) and node.base.name in ctx.merged.boards and node.name in ("rows", "columns"):
        board = things.board(ctx, node.base.name, node.span)
        return UNKNOWN if board is None else number(board.rows if node.name == "rows" else board.columns)
    base = expressions.single(ctx, expressions.expression(ctx, node.base, scope.quiet()))
    if isinstance(base.type, types.Never):
        return UNKNOWN
    if isinstance(base.type, types.Optional):
        if is_single(expressions.expression(ctx, node.base, scope.quiet())):
            base = ctx.coerce(base.arguments[0] if isinstance(base, ir.Apply) else base, base.type.of, node.base.span)
        else:
            hint = "test it first: `.. is some x` gives it the name x"
            return ctx.error(Code.MAY_BE_NONE, node.base.span, f"this may be none, so it has no {node.name}", hint=hint)
    found = _dot(ctx, base, node)
    if found is not None:
        return found
    return ctx.error(
        Code.NO_SUCH_FACT, node.span, f"{typing.name(base.type)} has no '{node.name}'", hint=near(node.name, _facts_of(ctx, base.type))
    )


def _dot(ctx: Context, base: ir.Expr, node: tree.Dot) -> ir.Expr | None:
    ty, word = base.type, node.name
    if isinstance(ty, types.Cells) and word in ("row", "column"):
        board = ctx.boards[ty.board]
        positions = [board.cells[m][word == "row"] for m in ty.members] or [0]
        whole = f"{ty.board}.{word}"
        return ir.Lookup(types.Int(min(positions), max(positions)), whole, (base,))
    if isinstance(ty, types.Enum) and f"{ty.name}.{word}" in tables.of(ctx, ty.name):
        table = ctx.tables[f"{ty.name}.{word}"]
        return ir.Lookup(table.type, table.name, (base,))
    if isinstance(ty, types.Pieces):
        fact = _fact(ctx, base, ty, word)
        if fact is not None:
            return fact
        where = _where(ctx, base, ty, word, node)
        if where is not None:
            return where
    if word in ctx.states and len(ctx.states[word].index) == 1:
        state = ctx.states[word]
        if fit(ty, state.index[0].type) in (Fit.YES, Fit.MAYBE):
            return ir.StateRead(state.type, word, (ctx.coerce(base, state.index[0].type, node.span, word),))
    if word in ctx.places and len(ctx.places[word].index) == 1:
        place = ctx.places[word]
        if fit(ty, place.index[0].type) in (Fit.YES, Fit.MAYBE):
            ordered = place.order in (ir.PlaceOrder.ROW, ir.PlaceOrder.PILE)
            return ir.PlaceRead(types.SetOf(place.holds, ordered), word, (base,))
    return None


def _facts_of(ctx: Context, ty: Type) -> list[str]:
    names = [*ctx.states, *(v.name for p in ctx.places.values() for v in p.index)]
    if isinstance(ty, types.Pieces):
        names += [fact for m in ty.members for fact, _, _ in ctx.pieces[m].facts]
    return names


def _fact(ctx: Context, base: ir.Expr, ty: types.Pieces, word: str) -> ir.Expr | None:
    table = ctx.tables.get(f".{word}")
    if table is None:
        return None
    having = table.index[0]
    assert isinstance(having, types.Pieces)
    if not set(ty.members) & set(having.members):
        return None
    if not set(ty.members) <= set(having.members):
        return None
    positions = {m: i for i, m in enumerate(having.members)}
    found: Type = types.Never()
    for m in ty.members:
        value = table.entries[positions[m]]
        declared = next(t for fact, _, t in ctx.pieces[m].facts if fact == word)
        exact = types.Int(value, value) if isinstance(declared, types.Int) and isinstance(value, int) else declared
        found = typing.join(found, exact) or table.type
    return ir.Lookup(found if isinstance(found, types.Int) else table.type, f".{word}", (base,))


def _where(ctx: Context, base: ir.Expr, ty: types.Pieces, word: str, node: tree.Dot) -> ir.Expr | None:
    """The inverse of an indexed place: which place, is said by the kind of the piece."""
    found: list[tuple[ir.Place, int, frozenset[int]]] = []
    for place in ctx.places.values():
        held = frozenset(place.holds.members) & frozenset(ty.members)
        for position, variable in enumerate(place.index):
            if variable.name == word and held:
                found.append((place, position, held))
    if not found:
        return None
    taken: set[int] = set()
    for place, _, held in found:
        if held & taken:
            names = ", ".join(p.name for p, _, _ in found)
            return ctx.error(Code.AMBIGUOUS, node.span, f"'{word}' may be that of any of the places {names}")
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
            return ctx.error(Code.AMBIGUOUS, node.span, f"'{word}' is of two kinds here")
        of_kind = members(types.Pieces(other.name, tuple(sorted(held))))
        result = ir.If(joined, apply(BOOL, Op.IN, base, of_kind), there, result)
    return result


# ------------------------------------------------------------------------------------------------------- can, asked


def can(ctx: Context, node: tree.Can, scope: Scope) -> ir.Expr:
    """`p can play`, `s.owner can volley(s, side)`"""
    player = expressions.expression(ctx, node.player, scope.quiet(), ctx.player)
    player = ctx.coerce(player, ctx.player, node.player.span, "who can do it")
    item = node.action
    if item.name in ctx.merged.menus:
        offered = calls.menu_items(ctx, item, scope, player)
        tests = [ir.Can(BOOL, a.action, a.arguments) for a in offered]
        return tests[0] if len(tests) == 1 else ir.Apply(BOOL, Op.OR, tuple(tests))
    alternative = calls.alternative(ctx, item, scope, player)
    return UNKNOWN if alternative is None else ir.Can(BOOL, alternative.action, alternative.arguments)


def asked(ctx: Context, node: tree.Is, scope: Scope) -> ir.Expr:
    """`p is asked`, `p is asked at sea`"""
    if not scope.promise:
        return ctx.error(Code.ONLY_IN_PROMISES, node.span, "`is asked` stands in promises and examples only")
    player = expressions.expression(ctx, node.subject, scope.quiet(), ctx.player)
    if node.menu is not None:
        places = [*ctx.merged.menus, *ctx.merged.procedures, *ctx.merged.actions]
        if node.menu not in places:
            return ctx.unknown_name("the menu", node.menu, node.span, places)
    return ir.Asked(BOOL, ctx.coerce(player, ctx.player, node.subject.span), node.menu)


# ----------------------------------------------------------------------------------------------------------- sizes


def most_members(ctx: Context, expr: ir.Expr) -> int:
    """The most members that a set can have."""
    if isinstance(expr, ir.PlaceRead):
        place = ctx.places[expr.place]
        if isinstance(place.capacity, ir.Const) and isinstance(place.capacity.value, int):
            return min(place.capacity.value, len(place.holds.members))
        return len(place.holds.members)
    if isinstance(expr, ir.Const) and isinstance(expr.value, tuple):
        return len(expr.value)
    if isinstance(expr, ir.Apply) and expr.op is Op.DIFFERENCE:
        return most_members(ctx, expr.arguments[0])
    if isinstance(expr, ir.Apply) and expr.op is Op.SET:
        return len(expr.arguments)
    if isinstance(expr, ir.Select):
        return most_members(ctx, expr.binder.domain)
    if isinstance(expr.type, types.Optional):
        return 1
    of = typing.member(expr.type)
    return 0 if of is None else types.size(of)


def show_value(ctx: Context, value: Value, ty: Type) -> str:
    """A value as people write it."""
    match ty:
        case types.Bool():
            return "yes" if value else "no"
        case types.Optional(of):
            return "none" if value is None else show_value(ctx, value, of)
        case types.Enum():
            return ty.values[value] if isinstance(value, int) else str(value)
        case types.Cells(board) if isinstance(value, int):
            return ctx.boards[board].names[value]
        case types.Pieces() if isinstance(value, int):
            return ctx.pieces[value].title
        case types.SetOf(of) if isinstance(value, tuple):
            return "{" + ", ".join(show_value(ctx, v, of) for v in value) + "}"
        case _:
            return str(value)


__all__ = ["asked", "can", "check_fresh", "dot", "geometry", "index", "is_value", "kind", "known_names", "name"]
