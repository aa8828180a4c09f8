"""Calls: of defines, tables, throws, constructors (`Card(hearts, 4)`, `Water(2, 1)`), and the words of the library.

The words of the library are ordinary names: a game may define its own of the same name.
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.check import typing
from seaspec.check.context import BOOL, NONE, UNKNOWN, Context, Scope, apply, members, number, variable
from seaspec.check.declared import boards, pieces, shapes, tables, words
from seaspec.check.describe import counted
from seaspec.check.doing import calls
from seaspec.check.expressions import expressions, folds
from seaspec.core import geometry, ir, types
from seaspec.core.ops import Op
from seaspec.diagnostics.codes import Code
from seaspec.syntax import tree

Builtin = Callable[[Context, tree.Apply, Scope], ir.Expr]


def call(ctx: Context, node: tree.Apply, scope: Scope, expected: types.Type | None) -> ir.Expr:
    """`f(x, y)`"""
    if isinstance(node.function, tree.Capital):
        return _construct(ctx, node, node.function, scope)
    if not isinstance(node.function, tree.Name):
        return ctx.error(Code.NOT_A_VALUE, node.function.span, "only a name can be called")
    word = node.function.name
    merged = ctx.merged
    if word in scope.names:
        return ctx.error(Code.NOT_A_VALUE, node.function.span, f"'{word}' is a value here and can not be called")
    if word in merged.defines:
        function = words.function(ctx, word, node.function.span)
        if function is None:
            return _after_error(ctx, node, scope)
        arguments = calls.arguments(ctx, word, function.params, node, scope, merged.defines[word][0].span)
        if arguments is None:
            return UNKNOWN
        words.check_covered(ctx, word, merged.defines[word], arguments, node.span)
        return ir.Call(function.type, word, arguments)
    if word in merged.tables:
        table = tables.named(ctx, word, node.function.span)
        return _after_error(ctx, node, scope) if table is None else _lookup(ctx, node, word, table, scope)
    if word in merged.chances:
        return calls.throw(ctx, node, word, scope)
    if word in calls.EXACT:
        return calls.odds(ctx, word, node, scope)
    if word in LIBRARY:
        return LIBRARY[word](ctx, node, scope)
    for group, what in (
        (merged.actions, "an action, and has no value"),
        (merged.procedures, "a procedure, and has no value"),
        (merged.places, "a place: its index stands in [ ]"),
        (merged.states, "a state: its index stands in [ ]"),
        (merged.consts, "a constant, and takes no arguments"),
        (merged.options, "an option, and takes no arguments"),
    ):
        if word in group:
            return ctx.error(Code.NOT_A_VALUE, node.function.span, f"'{word}' is {what}")
    known = [*merged.defines, *merged.tables, *merged.chances, *LIBRARY]
    _after_error(ctx, node, scope)
    return ctx.unknown_name("the define", word, node.function.span, known)


def _after_error(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The arguments of something faulty may have errors of their own."""
    for argument in node.arguments:
        expressions.expression(ctx, argument, scope.quiet())
    return UNKNOWN


def _lookup(ctx: Context, node: tree.Apply, word: str, table: ir.Table, scope: Scope) -> ir.Expr:
    declared = ctx.merged.tables[word]
    params = tuple(ir.Variable(p.name, ty) for p, ty in zip(declared.params, table.index, strict=True))
    arguments = calls.arguments(ctx, word, params, node, scope, declared.span)
    return UNKNOWN if arguments is None else ir.Lookup(table.type, table.name, arguments)


def _construct(ctx: Context, node: tree.Apply, function: tree.Capital, scope: Scope) -> ir.Expr:
    """A piece by its facts, or a cell by column and row."""
    word = function.name
    if word in ctx.kinds:
        return pieces.described(ctx, ctx.kinds[word], node, scope)
    if word in ctx.merged.boards:
        board = boards.board(ctx, word, function.span)
        if board is None:
            return UNKNOWN
        if len(node.arguments) != 2:
            message = f"a cell is {word}(column, row), and {len(node.arguments)} arguments are given"
            return ctx.error(Code.WRONG_COUNT, node.span, message)
        return _cell_at(ctx, node, board, scope)
    if word in ctx.merged.components:
        return ctx.error(Code.NOT_CONSTANT, node.span, "the pieces are not known yet where this must be known")
    return ctx.unknown_name("the kind", word, function.span, [*ctx.kinds, *ctx.merged.boards])


def _cell_at(ctx: Context, node: tree.Apply, board: ir.Board, scope: Scope) -> ir.Expr:
    """The cell with this column and row (obligation: there is one)."""
    wanted = []
    for argument in node.arguments:
        expr = expressions.expression(ctx, argument, scope.quiet())
        wanted.append(ctx.coerce(expr, types.Int(1, max(board.columns, board.rows)), argument.span, board.name))
    if UNKNOWN in wanted:
        return UNKNOWN
    cell = ctx.types[board.name]
    if all(isinstance(w, ir.Const) for w in wanted):
        place = tuple(w.value for w in wanted if isinstance(w, ir.Const))
        if place not in board.cells:
            return ctx.error(Code.NOT_HERE, node.span, f"there is no cell {node.span.text} on {board.name}")
        return ir.Const(cell, board.cells.index(place))
    made, local = variable("c", cell)
    where = []
    for what, expr in zip(("column", "row"), wanted, strict=True):
        table = boards.table(ctx, board.name, what)
        assert table is not None
        where.append(apply(BOOL, Op.EQUAL, ir.Lookup(table.type, table.name, (local,)), expr))
    return ir.PickOne(cell, False, ir.Binder(made, members(cell), apply(BOOL, Op.AND, *where)), None)


# --------------------------------------------------------------------------------------------------------- library


def _values(ctx: Context, node: tree.Apply, scope: Scope, least: int, most: int | None = None) -> list[ir.Expr] | None:
    most = least if most is None else most
    if not _counted(ctx, node, least, most):
        return None
    found = [expressions.single(ctx, expressions.expression(ctx, a, scope.quiet())) for a in node.arguments]
    return None if any(isinstance(e.type, types.Never) for e in found) else found


def _counted(ctx: Context, node: tree.Apply, least: int, most: int) -> bool:
    """Whether a word of the library has as many arguments as it wants."""
    if least <= len(node.arguments) <= most:
        return True
    wanted = "1 argument" if most == 1 else f"{least} arguments" if least == most else f"{least} to {most} arguments"
    message = f"'{node.function.span.text}' wants {wanted}, and {counted(len(node.arguments), noun=False)} given"
    ctx.error(Code.WRONG_COUNT, node.span, message)
    return False


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
    table = boards.table(ctx, cell.board, what)
    if table is None:
        hint = f"say `board {cell.board}: .. towards Compass` with a ring of 4 or 8 directions"
        ctx.error(Code.TYPE_MISMATCH, node.span, f"the board {cell.board} has no directions", hint=hint)
    return table


def _geometry(what: str, extra: int) -> Builtin:
    """`beside(c)`, `next(c, d)`, `border(c, d)`, `rotated(c, q)`: an entry of a table of the board."""

    def build(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
        if not _counted(ctx, node, 1 + extra, 1 + extra):
            return UNKNOWN
        first = expressions.single(ctx, expressions.expression(ctx, node.arguments[0], scope.quiet()))
        if isinstance(first.type, types.Never):
            return _after_error(ctx, node, scope)
        found = _cell(ctx, first, node.arguments[0])
        table = None if found is None else _board_table(ctx, found[1], what, node)
        if found is None or table is None:
            return UNKNOWN
        indices = [found[0]]
        for argument, ty in zip(node.arguments[1:], table.index[1:], strict=True):
            expr = expressions.expression(ctx, argument, scope.quiet(), ty)
            if what == "rotated":
                expr = _quarters(expr)
            indices.append(ctx.coerce(expr, ty, argument.span, f"'{what}'"))
        if UNKNOWN in indices:
            return UNKNOWN
        ty = table.type
        if what == "rotated" and _always_there(ctx.boards[found[1].board], indices[1]):
            ty = typing.known(ty)
        return ir.Lookup(ty, table.name, tuple(indices))

    return build


def _quarters(expr: ir.Expr) -> ir.Expr:
    """Quarter turns, 0 to 3: four are none."""
    if isinstance(expr, ir.Const) and isinstance(expr.value, int) and isinstance(expr.type, types.Int):
        return number(expr.value % 4)
    if isinstance(expr.type, types.Int) and not (expr.type.low >= 0 and expr.type.high <= 3):
        return apply(types.Int(0, 3), Op.MODULO, expr, number(4))
    return expr


def _always_there(board: ir.Board, quarters: ir.Expr) -> bool:
    """Whether a turned cell always falls on a cell."""
    whole = len(board.cells) == board.rows * board.columns
    return whole and (board.rows == board.columns or _half_turn(quarters))


def _half_turn(quarters: ir.Expr) -> bool:
    return isinstance(quarters, ir.Const) and quarters.value in (0, 2)


def _next(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The cell next to c in direction d, or the next value of a ring."""
    if not _counted(ctx, node, 1, 2):
        return UNKNOWN
    if len(node.arguments) == 2:
        return _geometry("next", 1)(ctx, node, scope)
    return _turned(1)(ctx, node, scope)


def _turned(by: int) -> Builtin:
    def build(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
        found = _values(ctx, node, scope, 1)
        if found is None:
            return UNKNOWN
        ring = _ring(ctx, found[0], node.arguments[0])
        if ring is None:
            return UNKNOWN
        if not by and len(ring.values) % 2:
            message = f"{ring.name} has {len(ring.values)} values, so none is opposite to another"
            return ctx.error(Code.TYPE_MISMATCH, node.span, message)
        return apply(ring, Op.TURN, found[0], number(by or len(ring.values) // 2))

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
    second = ctx.coerce(found[1], ring, node.arguments[1].span, "'turns'")
    count = len(ring.values)
    if ring.name == types.PLAYER:
        return apply(types.Int(0, count - 1), Op.TURNS, found[0], second)
    return apply(types.Int(0, count // 2), Op.ANGLE, found[0], second)


def _ray(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The cells from c on in direction d, c not among them; at most n."""
    if not _counted(ctx, node, 2, 3):
        return UNKNOWN
    whole = _geometry("ray", 1)(ctx, tree.Apply(node.span, node.function, node.arguments[:2]), scope)
    if len(node.arguments) == 2:
        return whole
    length = expressions.expression(ctx, node.arguments[2], scope.quiet())
    if not isinstance(length.type, types.Int | types.Never):
        message = f"the length of a ray is a number, and this is {typing.name(length.type)}"
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[2].span, message)
    return apply(whole.type, Op.PREFIX, whole, length)


def _two_cells(ctx: Context, node: tree.Apply, scope: Scope) -> tuple[ir.Expr, ir.Expr, types.Cells] | None:
    """Two cells of one board."""
    found = _values(ctx, node, scope, 2)
    if found is None:
        return None
    first, second = (_cell(ctx, e, n) for e, n in zip(found, node.arguments, strict=True))
    if first is None or second is None:
        return None
    if first[1].board != second[1].board:
        message = f"this is a cell of {second[1].board}, and the other one of {first[1].board}"
        ctx.error(Code.TYPE_MISMATCH, node.arguments[1].span, message)
        return None
    return first[0], second[0], first[1]


def _distance(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """Steps of a king from a to b."""
    cells = _two_cells(ctx, node, scope)
    if cells is None:
        return UNKNOWN
    first, second, ty = cells
    parts = []
    for what in ("column", "row"):
        table = boards.table(ctx, ty.board, what)
        assert table is not None and isinstance(table.type, types.Int)
        far = table.type.high - 1
        a, b = (ir.Lookup(table.type, table.name, (cell,)) for cell in (first, second))
        parts.append(apply(types.Int(0, far), Op.ABS, apply(types.Int(-far, far), Op.SUBTRACT, a, b)))
    board = ctx.boards[ty.board]
    return apply(types.Int(0, max(board.rows, board.columns) - 1), Op.MAX, *parts)


def _steps(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """Steps onward from a to b in their ring; or from cell to cell in a direction, or none."""
    if not _counted(ctx, node, 2, 3):
        return UNKNOWN
    if len(node.arguments) == 3:
        return _steps_ahead(ctx, node, scope)
    found = _values(ctx, node, scope, 2)
    ring = None if found is None else _ring(ctx, found[0], node.arguments[0])
    if found is None or ring is None:
        return UNKNOWN
    second = ctx.coerce(found[1], ring, node.arguments[1].span, "'steps'")
    return apply(types.Int(0, len(ring.values) - 1), Op.TURNS, found[0], second)


def _steps_ahead(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """A ray has no gaps; so of a cell on it the steps to it are its distance."""
    start, end, direction = node.arguments
    there = tree.Apply(node.span, node.function, (start, end))
    ahead = _geometry("ray", 1)(ctx, tree.Apply(node.span, node.function, (start, direction)), scope)
    cells = None if ahead is UNKNOWN else _two_cells(ctx, there, scope)
    if cells is None:
        return UNKNOWN
    far = _distance(ctx, there, scope)
    found = types.Optional(far.type)
    late = ir.If(found, apply(BOOL, Op.IN, cells[1], ahead), far, NONE)
    return ir.If(found, apply(BOOL, Op.EQUAL, cells[0], cells[1]), number(0), late)


def _towards(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The direction in which b lies from a, or none."""
    cells = _two_cells(ctx, node, scope)
    table = None if cells is None else _board_table(ctx, cells[2], "ray", node)
    if cells is None or table is None:
        return UNKNOWN
    made, local = variable("d", table.index[1])
    ahead = ir.Lookup(table.type, table.name, (cells[0], local))
    binder = ir.Binder(made, members(table.index[1]), apply(BOOL, Op.IN, cells[1], ahead))
    return ir.PickOne(types.Optional(table.index[1]), True, binder, NONE)


def _of_board(ctx: Context, node: tree.Apply, what: str) -> ir.Board | None:
    if len(node.arguments) == 1 and isinstance(node.arguments[0], tree.Capital):
        word = node.arguments[0].name
        if word in ctx.merged.boards:
            return boards.board(ctx, word, node.span)
    ctx.error(Code.TYPE_MISMATCH, node.span, f"'{what}' wants a board: {what}(Water)")
    return None


def _edge(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    board = _of_board(ctx, node, "edge")
    if board is None:
        return UNKNOWN
    return ir.Const(types.SetOf(ctx.types[board.name]), geometry.edge(board))


def _lines(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    board = _of_board(ctx, node, "lines")
    if board is None:
        return UNKNOWN
    line = types.SetOf(ctx.types[board.name], ordered=True)
    return ir.Const(types.SetOf(line, ordered=True), geometry.lines(board))


def _cell_of(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The k-th member of an ordered set, or none."""
    found = _values(ctx, node, scope, 2)
    if found is None:
        return UNKNOWN
    of = typing.member(found[0].type)
    if not isinstance(found[0].type, types.SetOf) or of is None or not isinstance(found[1].type, types.Int):
        return ctx.error(Code.TYPE_MISMATCH, node.span, "'cell_at' wants an ordered set and a number")
    folds.check_ordered(ctx, found[0], node.arguments[0], "'cell_at' counts along a set")
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
        return apply(ty, op, *found)

    return build


def _abs(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    if not isinstance(found[0].type, types.Int):
        message = f"'abs' wants a number, and this is {typing.name(found[0].type)}"
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[0].span, message)
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
            return ctx.error(Code.NOT_HERE, node.span, f"there is no {node.span.text}: {len(seats.values)} play")
        return ir.Const(seats, found[0].value - 1)
    if not isinstance(found[0].type, types.Int):
        message = f"'seat' wants a number, and this is {typing.name(found[0].type)}"
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[0].span, message)
    seat = ctx.coerce(found[0], types.Int(1, len(seats.values)), node.arguments[0].span, "'seat'")
    steps = apply(types.Int(0, len(seats.values) - 1), Op.SUBTRACT, seat, number(1))
    return apply(seats, Op.TURN, ir.Const(seats, 0), steps)


def _rival(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The other one of two players."""
    if len(ctx.player.values) != 2:
        message = f"a rival there is in a game of two, and {len(ctx.player.values)} play"
        return ctx.error(Code.TYPE_MISMATCH, node.span, message)
    return _turned(1)(ctx, node, scope)


def _out(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    return apply(BOOL, Op.IS_OUT, ctx.coerce(found[0], ctx.player, node.arguments[0].span, "'out'"))


def _spot(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The place of a piece in the row it lies in, from 1."""
    found = _values(ctx, node, scope, 1)
    if found is None:
        return UNKNOWN
    ty = found[0].type
    if not isinstance(ty, types.Pieces):
        message = f"'spot' wants a piece, and this is {typing.name(ty)}"
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[0].span, message)
    rows = [p for p in ctx.places.values() if p.order is ir.PlaceOrder.ROW and set(p.holds.members) & set(ty.members)]
    if not rows:
        return ctx.error(Code.TYPE_MISMATCH, node.span, f"no row ever holds {typing.name(ty)}")
    return apply(types.Int(1, max(1, max(len(p.holds.members) for p in rows))), Op.SPOT, found[0])


def _covered(ctx: Context, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The letter with which shapes laid in a place cover a cell or border, or none."""
    if len(node.arguments) != 2 or not isinstance(node.arguments[0], tree.Name):
        return ctx.error(Code.WRONG_COUNT, node.span, "'covered' wants a place of shapes, and a cell or border")
    word = node.arguments[0].name
    place = ctx.places.get(word)
    if place is None or place.laid_on is None:
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[0].span, f"no shapes are laid in '{word}'")
    where = expressions.expression(ctx, node.arguments[1], scope.quiet())
    if where is UNKNOWN:
        return UNKNOWN
    if not isinstance(where.type, types.Cells | types.Borders) or where.type.board != place.laid_on:
        message = f"a cell or border of {place.laid_on} is wanted here, and this is {typing.name(where.type)}"
        return ctx.error(Code.TYPE_MISMATCH, node.arguments[1].span, message)
    return shapes.covered(ctx, place, where)


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
    "steps": _steps,
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
