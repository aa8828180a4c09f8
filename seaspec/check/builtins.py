"""Calls: of defines, tables, throws, constructors (`Fleet(Light, 4)`, `Spot(2, 1)`), and the words of the library.

The words of the library are ordinary names: a game may define its own of the same name.
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.check import calls, expressions, names, pieces, shapes, tables, things, typing, words
from seaspec.check.context import BOOL, NONE, UNKNOWN, Context, Scope, apply, members, number, variable
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.syntax import tree

Builtin = Callable[[Context, tree.Apply, Scope], ir.Expr]


def call(ctx: Context, node: tree.Apply, scope: Scope, expected: Type | None) -> ir.Expr:
    """`f(x, y)`"""
    if isinstance(node.function, tree.Capital):
        return _construct(ctx, node, node.function, scope)
    if not isinstance(node.function, tree.Name):
        return ctx.error(Code.NOT_A_VALUE, node.span, "only a name can be called")
    word = node.function.name
    merged = ctx.merged
    if word in scope.names:
        return ctx.error(Code.NOT_A_VALUE, node.span, f"'{word}' is a value and can not be called")
    if word in merged.defines:
        return _define(ctx, node, word, scope)
    if word in merged.tables:
        table = tables.named(ctx, word, node.span)
        return UNKNOWN if table is None else _lookup(ctx, node, word, table, scope)
    if word in merged.chances:
        return calls.throw(ctx, node, word, scope)
    if word == "odds":
        return calls.odds(ctx, node, scope)
    if word in LIBRARY:
        return LIBRARY[word](ctx, node, scope)
    if word in merged.actions or word in merged.procedures:
        what = "an action" if word in merged.actions else "a procedure"
        return ctx.error(Code.NOT_A_VALUE, node.span, f"'{word}' is {what}, which has no value here")
    return ctx.unknown_name("the define", word, node.function.span, [*merged.defines, *merged.tables, *LIBRARY])


def _define(ctx: Context, node: tree.Apply, word: str, scope: Scope) -> ir.Expr:
    function = words.function(ctx, word, node.span)
    if function is None:
        for argument in node.arguments:
            expressions.expression(ctx, argument, scope.quiet())
        return UNKNOWN
    arguments = calls.arguments(ctx, word, function.params, node, scope)
    return UNKNOWN if arguments is None else ir.Call(function.type, word, arguments)


def _lookup(ctx: Context, node: tree.Apply, word: str, table: ir.Table, scope: Scope) -> ir.Expr:
    params = tuple(ir.Variable(str(i + 1), ty) for i, ty in enumerate(table.index))
    arguments = calls.arguments(ctx, word, params, node, scope)
    return UNKNOWN if arguments is None else ir.Lookup(table.type, table.name, arguments)


def _construct(ctx: Context, node: tree.Apply, function: tree.Capital, scope: Scope) -> ir.Expr:
    """A piece by its facts, or a cell by column and row."""
    if function.name in ctx.kinds:
        found = pieces.matching(ctx, node, scope)
        if found is None:
            return pieces.described(ctx, ctx.kinds[function.name], node, scope)
        if not found:
            return ctx.error(Code.NOT_HERE, node.span, f"there is no {node.span.text} in this game")
        if len(found) > 1:
            return ctx.error(Code.AMBIGUOUS, node.span, f"{node.span.text} may be any of {len(found)} pieces")
        return ir.Const(types.Pieces(function.name, found), found[0])
    if function.name in ctx.merged.boards:
        board = things.board(ctx, function.name, function.span)
        if board is None:
            return UNKNOWN
        if len(node.arguments) != 2:
            return ctx.error(Code.WRONG_COUNT, node.span, f"a cell is {function.name}(column, row)")
        cell = ctx.types[function.name]
        column, row = (expressions.expression(ctx, a, scope.quiet()) for a in node.arguments)
        return _cell_at(ctx, cell, column, row)
    if function.name in ctx.merged.components:
        return ctx.error(Code.UNKNOWN_NAME, node.span, f"there is no {node.span.text} in this game")
    return ctx.unknown_name("the kind", function.name, function.span, [*ctx.kinds, *ctx.merged.boards])


def _cell_at(ctx: Context, cell: Type, column: ir.Expr, row: ir.Expr) -> ir.Expr:
    """The cell with this column and row (obligation: there is one)."""
    assert isinstance(cell, types.Cells)
    made, local = variable("c", cell)
    where = []
    for what, wanted in (("column", column), ("row", row)):
        table = ctx.tables[f"{cell.board}.{what}"]
        where.append(apply(BOOL, Op.EQUAL, ir.Lookup(table.type, table.name, (local,)), wanted))
    binder = ir.Binder(made, members(cell), ir.Apply(BOOL, Op.AND, tuple(where)))
    return ir.PickOne(cell, False, binder, None)


# --------------------------------------------------------------------------------------------------------- library


def _values(ctx: Context, node: tree.Apply, scope: Scope, least: int, most: int | None = None) -> list[ir.Expr] | None:
    most = least if most is None else most
    if not least <= len(node.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        ctx.error(Code.WRONG_COUNT, node.span, f"{node.function.span.text} wants {wanted} arguments")
        return None
    found = [expressions.single(ctx, expressions.expression(ctx, a, scope.quiet())) for a in node.arguments]
    return None if any(isinstance(e.type, types.Never) for e in found) else found


def _cell(ctx: Context, expr: ir.Expr, node: tree.Expr) -> tuple[ir.Expr, types.Cells] | None:
    if isinstance(expr.type, types.Optional):
        hint = "test it first: `.. is some c` gives it the name c"
        ctx.error(Code.MAY_BE_NONE, node.span, "this cell may be none", hint=hint)
        return None
    if not isinstance(expr.type, types.Cells):
        found = typing.name(expr.type)
        ctx.error(Code.TYPE_MISMATCH, node.span, f"a cell is wanted here, and this is {found}")
        return None
    return expr, expr.type


def _board_table(ctx: Context, cell: types.Cells, what: str, node: tree.Apply) -> ir.Table | None:
    table = ctx.tables.get(f"{cell.board}.{what}")
    if table is None:
        hint = f"say `board {cell.board}: .. towards Direction` with a ring of 8 directions"
        ctx.error(Code.TYPE_MISMATCH, node.span, f"the board {cell.board} has no directions", hint=hint)
    return table


def _geometry(what: str, extra: int) -> Builtin:
    """`beside(c)`, `next(c, d)`, `border(c, d)`, `rotated(c, q)`: an entry of a table of the board."""

    def build(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
        if len(node.arguments) != 1 + extra:
            return ctx.error(Code.WRONG_COUNT, node.span, f"{what} wants {1 + extra} arguments")
        first = expressions.single(ctx, expressions.expression(ctx, node.arguments[0], scope.quiet()))
        if isinstance(first.type, types.Never):
            return UNKNOWN
        found = _cell(ctx, first, node.arguments[0])
        table = None if found is None else _board_table(ctx, found[1], what, node)
        if found is None or table is None:
            return UNKNOWN
        indices = [found[0]]
        for argument, ty in zip(node.arguments[1:], table.index[1:], strict=True):
            expr = expressions.expression(ctx, argument, scope.quiet(), ty)
            if what == "rotated" and isinstance(expr.type, types.Int):
                expr = apply(types.Int(0, 3), Op.MODULO, expr, number(4)) if expr.type != types.Int(0, 3) else expr
                if isinstance(expr.type, types.Int) and isinstance(expr, ir.Apply) and isinstance(expr.arguments[0], ir.Const):
                    value = expr.arguments[0].value
                    expr = number(value % 4) if isinstance(value, int) else expr
            indices.append(ctx.coerce(expr, ty, argument.span, what))
        ty = table.type
        board = ctx.boards[found[1].board]
        if what == "rotated" and (board.rows == board.columns or _half_turn(indices[1])):
            ty = typing.known(ty) if len(board.cells) == board.rows * board.columns else ty
        return ir.Lookup(ty, table.name, tuple(indices))

    return build


def _half_turn(quarters: ir.Expr) -> bool:
    return isinstance(quarters, ir.Const) and quarters.value in (0, 2)


def _next(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The cell next to c in direction d, or the next value of a ring."""
    if len(node.arguments) == 2:
        return _geometry("next", 1)(ctx, node, scope)
    return _turned(1)(ctx, node, scope)


def _turned(by: int) -> Builtin:
    def build(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
        found = _values(ctx, node, scope, 1)
        if found is None:
            return UNKNOWN
        ring = _ring(ctx, found[0], node.arguments[0])
        return UNKNOWN if ring is None else apply(ring, Op.TURN, found[0], number(by or len(ring.values) // 2))

    return build


def _ring(ctx: Context, expr: ir.Expr, node: tree.Expr) -> types.Enum | None:
    if isinstance(expr.type, types.Enum) and expr.type.ring:
        return expr.type
    ctx.error(Code.TYPE_MISMATCH, node.span, f"a value of a ring is wanted here, and this is {typing.name(expr.type)}")
    return None


def _turns(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """Steps from a to b: onward for seats, the shorter way round for directions."""
    found = _values(ctx, node, scope, 2)
    if found is None:
        return UNKNOWN
    ring = _ring(ctx, found[0], node.arguments[0])
    if ring is None:
        return UNKNOWN
    second = ctx.coerce(found[1], ring, node.arguments[1].span)
    count = len(ring.values)
    if ring.name == types.PLAYER:
        return apply(types.Int(0, count - 1), Op.TURNS, found[0], second)
    return apply(types.Int(0, count // 2), Op.ANGLE, found[0], second)


def _ray(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The cells from c on in direction d, c not among them; at most n."""
    if len(node.arguments) == 2:
        return _geometry("ray", 1)(ctx, node, scope)
    if len(node.arguments) != 3:
        return ctx.error(Code.WRONG_COUNT, node.span, "ray wants a cell, a direction and perhaps a length")
    whole = _geometry("ray", 1)(ctx, tree.Apply(node.span, node.function, node.arguments[:2]), scope)
    length = expressions.expression(ctx, node.arguments[2], scope.quiet())
    if isinstance(whole.type, types.Never) or not isinstance(length.type, types.Int):
        return UNKNOWN if isinstance(length.type, types.Int | types.Never) else ctx.error(
            Code.TYPE_MISMATCH, node.arguments[2].span, "the length of a ray is a number"
        )
    return apply(whole.type, Op.PREFIX, whole, length)


def _distance(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """Steps of a king from a to b."""
    found = _values(ctx, node, scope, 2)
    if found is None:
        return UNKNOWN
    first, second = (_cell(ctx, e, n) for e, n in zip(found, node.arguments, strict=True))
    if first is None or second is None:
        return UNKNOWN
    parts = []
    for what in ("column", "row"):
        table = ctx.tables[f"{first[1].board}.{what}"]
        assert isinstance(table.type, types.Int)
        far = table.type.high - 1
        a, b = (ir.Lookup(table.type, table.name, (cell,)) for cell, _ in (first, second))
        parts.append(apply(types.Int(0, far), Op.ABS, apply(types.Int(-far, far), Op.SUBTRACT, a, b)))
    board = ctx.boards[first[1].board]
    return ir.Apply(types.Int(0, max(board.rows, board.columns) - 1), Op.MAX, tuple(parts))


def _towards(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The direction in which b lies from a, or none."""
    found = _values(ctx, node, scope, 2)
    if found is None:
        return UNKNOWN
    first, second = (_cell(ctx, e, n) for e, n in zip(found, node.arguments, strict=True))
    if first is None or second is None:
        return UNKNOWN
    table = _board_table(ctx, first[1], "ray", node)
    if table is None:
        return UNKNOWN
    made, local = variable("d", table.index[1])
    ahead = ir.Lookup(table.type, table.name, (first[0], local))
    binder = ir.Binder(made, members(table.index[1]), apply(BOOL, Op.IN, second[0], ahead))
    return ir.PickOne(types.Optional(table.index[1]), True, binder, NONE)


def _of_board(ctx: Context, node: tree.Apply, what: str) -> ir.Board | None:
    if len(node.arguments) == 1 and isinstance(node.arguments[0], tree.Capital):
        word = node.arguments[0].name
        if word in ctx.merged.boards:
            return things.board(ctx, word, node.span)
    ctx.error(Code.TYPE_MISMATCH, node.span, f"{what} wants a board: {what}(Sea)")
    return None


def _edge(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    board = _of_board(ctx, node, "edge")
    if board is None:
        return UNKNOWN
    return ir.Const(types.SetOf(ctx.types[board.name]), names.geometry.edge(board))


def _lines(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    board = _of_board(ctx, node, "lines")
    if board is None:
        return UNKNOWN
    line = types.SetOf(ctx.types[board.name], ordered=True)
    return ir.Const(types.SetOf(line, ordered=True), names.geometry.lines(board))


def _cell_of(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The k-th member of an ordered set, or none."""
    found = _values(ctx, node, scope, 2)
    if found is None:
        return UNKNOWN
    of = typing.member(found[0].type)
    if not isinstance(found[0].type, types.SetOf) or of is None or not isinstance(found[1].type, types.Int):
        return ctx.error(Code.TYPE_MISMATCH, node.span, "cell_at wants an ordered set and a number")
    return apply(types.Optional(of), Op.NTH, found[0], found[1])


def _extreme(op: Op) -> Builtin:
    def build(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
        found = _values(ctx, node, scope, 1, 64)
        if found is None:
            return UNKNOWN
        bounds = []
        for expr, argument in zip(found, node.arguments, strict=True):
            if not isinstance(expr.type, types.Int):
                shown = typing.name(expr.type)
                return ctx.error(Code.TYPE_MISMATCH, argument.span, f"a number is wanted here, and this is {shown}")
            bounds.append(expressions.bounds(expr))
        pick = min if op is Op.MIN else max
        ty = types.Int(pick(low for low, _ in bounds), pick(high for _, high in bounds))
        return ir.Apply(ty, op, tuple(found))

    return build


def _abs(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    if not isinstance(found[0].type, types.Int):
        return ctx.error(Code.TYPE_MISMATCH, node.span, "abs wants a number")
    low, high = expressions.bounds(found[0])
    least = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return apply(types.Int(least, max(abs(low), abs(high))), Op.ABS, found[0])


def _seat(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The n-th seat, from 1."""
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    seats = ctx.player
    if isinstance(found[0], ir.Const) and isinstance(found[0].value, int):
        if not 1 <= found[0].value <= len(seats.values):
            return ctx.error(Code.OUT_OF_RANGE, node.span, f"there are {len(seats.values)} seats")
        return ir.Const(seats, found[0].value - 1)
    if not isinstance(found[0].type, types.Int):
        return ctx.error(Code.TYPE_MISMATCH, node.span, "seat wants a number")
    low, high = expressions.bounds(found[0])
    steps = apply(types.Int(low - 1, high - 1), Op.SUBTRACT, found[0], number(1))
    return apply(seats, Op.TURN, ir.Const(seats, 0), steps)


def _rival(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The other one of two players."""
    if len(ctx.player.values) != 2:
        return ctx.error(Code.TYPE_MISMATCH, node.span, "a rival there is in games of two players only")
    return _turned(1)(ctx, node, scope)


def _out(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    return apply(BOOL, Op.IS_OUT, ctx.coerce(found[0], ctx.player, node.span, "out"))


def _spot(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The place of a piece in the row it lies in, from 1."""
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    ty = found[0].type
    if not isinstance(ty, types.Pieces):
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"spot wants a piece, and this is {typing.name(ty)}")
    rows = [p for p in ctx.places.values() if p.order is ir.PlaceOrder.ROW and set(p.holds.members) & set(ty.members)]
    if not rows:
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"no row ever holds {typing.name(ty)}")
    return apply(types.Int(1, max(1, max(len(p.holds.members) for p in rows))), Op.SPOT, found[0])


def _covered(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The letter with which shapes laid in a place cover a cell or border, or none."""
    if len(node.arguments) != 2 or not isinstance(node.arguments[0], tree.Name):
        return ctx.error(Code.WRONG_COUNT, node.span, "covered wants a place of shapes, and a cell or border")
    word = node.arguments[0].name
    place = ctx.places.get(word)
    if place is None or place.laid_on is None:
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[0].span, f"no shapes are laid in '{word}'")
    where = expressions.expression(ctx, node.arguments[1], scope.quiet())
    if not isinstance(where.type, types.Cells | types.Borders | types.Never):
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[1].span, "a cell or border is wanted here")
    if ctx.coverings is None:
        return ctx.error(Code.TYPE_MISMATCH, node.span, "no shape says with what it covers cells")
    return UNKNOWN if isinstance(where.type, types.Never) else shapes.covered(ctx, place, where)


LIBRARY: dict[str, Builtin] = {
    "next": _next,
    "previous": _turned(-1),
    "opposite": _turned(0),
    "turns": _turns,
    "beside": _geometry("beside", 0),
    "around": _geometry("around", 0),
    "border": _geometry("border", 1),
    "rotated": _geometry("rotated", 1),
    "ray": _ray,
    "distance": _distance,
    "towards": _towards,
    "edge": _edge,
    "lines": _lines,
    "cell_at": _cell_of,
    "spot": _spot,
    "min": _extreme(Op.MIN),
    "max": _extreme(Op.MAX),
    "abs": _abs,
    "seat": _seat,
    "rival": _rival,
    "out": _out,
    "covered": _covered,
}
