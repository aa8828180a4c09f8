"""Options, constants, types and boards: elaborated when they are first needed."""

from __future__ import annotations

from seaspec.check import expressions, names, typing
from seaspec.check.context import LARGEST_LISTED, UNKNOWN, Context, Scope, number
from seaspec.check.texts import source
from seaspec.check.typing import Fit, fit
from seaspec.core import geometry, ir, types
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import near
from seaspec.source import NOWHERE, Span
from seaspec.syntax import tree

SEATS = ("Ann", "Ben", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal")
LARGEST_BOARD = 10_000
LARGEST_NUMBER = 2**31
FAULTY = types.Never()

# ----------------------------------------------------------------------------------------------- options, constants


def option(ctx: Context, name: str, span: Span) -> ir.OptionValue | None:
    """The value of an option: chosen, fixed by a variant, or its default."""
    if name in ctx.options:
        return ctx.options[name]
    what = f"the option '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    declared = ctx.merged.options[name]
    ty = type_of(ctx, declared.type, name)
    value = _option_value(ctx, declared, ty)
    ctx.end()
    if isinstance(ty, types.Never) or value is None:
        ctx.failed.add(what)
        return None
    values = (value,) if name in ctx.merged.fixed_options else _values(declared, ty)
    made = ir.OptionValue(name, ty, value, values, source(ctx, declared.tail, declared.span, Scope()))
    ctx.options[name] = made
    return made


def _values(declared: tree.Option, ty: Type) -> tuple[Value, ...]:
    """The values that an option may have; `one of 2, 3, 6` leaves gaps in its range."""
    if isinstance(declared.type, tree.OneOf) and isinstance(ty, types.Int):
        return tuple(int(v.name) for v in declared.type.values)
    return tuple(types.values(ty))


def _option_value(ctx: Context, declared: tree.Option, ty: Type) -> Value:
    fixed = ctx.merged.fixed_options.get(declared.name)
    text = ctx.chosen.get(declared.name)
    if text is not None and fixed is None:
        return _chosen(ctx, declared, ty, text)
    node = fixed.value if fixed is not None else declared.default
    if node is None:
        return next(types.values(ty), None)
    expr = expressions.expression(ctx, node, Scope(), ty)
    if fixed is None:
        expr = ctx.coerce(expr, ty, node.span, declared.name)
    value = ctx.constant(expr, node.span)
    if value is not None and fixed is None and value not in list(types.values(ty)):
        ctx.error(Code.OPTION, node.span, f"the default of '{declared.name}' is not one of its values")
        return None
    if text is not None and text != names.show_value(ctx, value, ty):
        assert fixed is not None
        shown = names.show_value(ctx, value, ty)
        ctx.error(Code.OPTION, fixed.span, f"'{declared.name}' is fixed here to {shown}, so it can not be {text}")
        return None
    return value


def _chosen(ctx: Context, declared: tree.Option, ty: Type, text: str) -> Value:
    values = {names.show_value(ctx, v, ty): v for v in types.values(ty)}
    if text in values:
        return values[text]
    shown = typing.name(ty) if isinstance(ty, types.Int) else ", ".join(values)
    ctx.error(
        Code.OPTION,
        declared.span,
        f"the option '{declared.name}' has no value {text}; it is one of {shown}",
        hint=near(text, values),
    )
    return None


def requirements(ctx: Context) -> None:
    """What options require of each other."""
    for name, declared in ctx.merged.options.items():
        made = option(ctx, name, declared.span)
        if made is None or declared.requires is None:
            continue
        tested = expressions.test(ctx, declared.requires, Scope())
        if ctx.constant(tested.expr, declared.requires.span) is False:
            shown = names.show_value(ctx, made.value, made.type)
            message = f"{name} = {shown} does not go with the other options: it requires {declared.requires.span.text}"
            ctx.error(Code.OPTION, declared.requires.span, message)


def constant(ctx: Context, name: str, span: Span) -> ir.Expr:
    """The value of a constant, as an expression."""
    if name in ctx.consts:
        return ctx.consts[name]
    what = f"the constant '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return UNKNOWN
    declared = ctx.merged.consts[name]
    expr = expressions.expression(ctx, declared.value, Scope())
    value = ctx.constant(expr, declared.value.span)
    ctx.end()
    if value is None and not isinstance(expr.type, types.Optional):
        ctx.failed.add(what)
        return UNKNOWN
    ty: Type = types.Int(value, value) if isinstance(value, int) and isinstance(expr.type, types.Int) else expr.type
    ctx.consts[name] = ir.Const(ty, value)
    return ctx.consts[name]


def number_of(ctx: Context, node: tree.Expr, what: str) -> int | None:
    """A number that must be known before the game begins."""
    expr = expressions.expression(ctx, node, Scope())
    if not isinstance(expr.type, types.Int):
        if not isinstance(expr.type, types.Never):
            ctx.error(Code.TYPE_MISMATCH, node.span, f"{what} wants a number, and this is {typing.name(expr.type)}")
        return None
    value = ctx.constant(expr, node.span)
    if not isinstance(value, int):
        return None
    if abs(value) > LARGEST_NUMBER:
        ctx.error(Code.TOO_LARGE, node.span, f"{value} is too large a number here")
        return None
    return value


# ------------------------------------------------------------------------------------------------------------- types


def type_named(ctx: Context, name: str, span: Span) -> Type | None:
    """The type of this name; None if there is none, Never if it is faulty."""
    if name in ctx.types:
        return ctx.types[name]
    if name in ctx.kinds:
        return ctx.kinds[name]
    what = f"the type '{name}'"
    if what in ctx.failed:
        return FAULTY
    if name in ctx.merged.boards:
        made = board(ctx, name, span)
        return FAULTY if made is None else ctx.types[name]
    declared = ctx.merged.types.get(name)
    if declared is None and name != types.PLAYER:
        return None
    if not ctx.begin(what, span):
        return FAULTY
    if declared is None:
        ty: Type = _seats(ctx, span)
    elif declared.type is None:
        ctx.error(Code.LEFT_OPEN, declared.span, f"the type '{name}' is left open and gets no body in this game")
        ty = FAULTY
    else:
        ty = type_of(ctx, declared.type, name)
    ctx.end()
    if isinstance(ty, types.Never):
        ctx.failed.add(what)
        return ty
    ctx.types[name] = ty
    if isinstance(ty, types.Pieces):
        ctx.kinds[name] = ty
    return ty


def _seats(ctx: Context, span: Span) -> types.Enum:
    """The seats, if the game does not declare its players: as many as `players` says."""
    count = 1
    if "players" in ctx.merged.options:
        made = option(ctx, "players", span)
        count = made.value if made is not None and isinstance(made.value, int) else 1
    elif "players" in ctx.merged.consts:
        found = ctx.constant(constant(ctx, "players", span), span)
        count = found if isinstance(found, int) else 1
    if count < 1 or count > 64:
        ctx.error(Code.OPTION, span, f"there can not be {count} players")
        count = 1
    seats = (*SEATS, *(f"Seat{n}" for n in range(len(SEATS) + 1, count + 1)))[:count]
    return ctx.enum(types.Enum(types.PLAYER, seats, ring=True))


def type_of(ctx: Context, node: tree.TypeExpr, name: str = "") -> Type:
    """The meaning of a type expression; `name` is the name it is declared under."""
    match node:
        case tree.TypeName(_, word):
            ty = type_named(ctx, word, node.span)
            if ty is None:
                every = [*ctx.merged.types, *ctx.merged.boards, *ctx.kinds, types.PLAYER]
                ctx.unknown_name("the type", word, node.span, every)
                return FAULTY
            return ty
        case tree.RangeType():
            return range_type(ctx, node)[0]
        case tree.YesNoType():
            return types.Bool()
        case tree.NoneType():
            return types.Optional(types.Never())
        case tree.UnionType(_, options):
            return _union(ctx, node, [type_of(ctx, o) for o in options], name)
        case tree.SetType(_, of):
            inner = type_of(ctx, of)
            return FAULTY if isinstance(inner, types.Never) else types.SetOf(inner)
        case tree.MapType(_, key_node, value_node):
            keys, values = type_of(ctx, key_node), type_of(ctx, value_node)
            if isinstance(keys, types.Never) or isinstance(values, types.Never):
                return FAULTY
            if isinstance(keys, types.SetOf) or types.size(keys) > LARGEST_LISTED:
                ctx.error(Code.TOO_LARGE, key_node.span, "a map with so many keys is too large")
                return FAULTY
            return types.Map(keys, values)
        case tree.OneOf():
            return _one_of(ctx, node, name)


def range_type(ctx: Context, node: tree.RangeType) -> tuple[Type, ir.Expr | None, ir.Expr | None]:
    """`a..b` with constant bounds (then no expressions), or the widest range of bounds that read an index."""
    low = expressions.expression(ctx, node.low, Scope())
    high = expressions.expression(ctx, node.high, Scope())
    bounds = []
    for expr, side in ((low, node.low), (high, node.high)):
        if isinstance(expr.type, types.Never):
            return FAULTY, None, None
        if not isinstance(expr.type, types.Int):
            ctx.error(Code.TYPE_MISMATCH, side.span, f"a range wants numbers, and this is {typing.name(expr.type)}")
            return FAULTY, None, None
        value = ctx.constant(expr, side.span)
        if not isinstance(value, int):
            return FAULTY, None, None
        if abs(value) > LARGEST_NUMBER:
            ctx.error(Code.TOO_LARGE, side.span, f"{value} is too large a number for a range")
            return FAULTY, None, None
        bounds.append(value)
    if bounds[0] > bounds[1]:
        ctx.error(Code.OUT_OF_RANGE, node.span, f"the range {bounds[0]}..{bounds[1]} is empty")
        return FAULTY, None, None
    return types.Int(*bounds), None, None


def _union(ctx: Context, node: tree.UnionType, options: list[Type], name: str) -> Type:
    if any(isinstance(o, types.Never) for o in options):
        return FAULTY
    optional = any(isinstance(o, types.Optional) for o in options)
    parts = [typing.known(o) for o in options]
    ty: Type | None = types.Never()
    for part in parts:
        ty = typing.join(ty, part) if ty is not None else None
    if ty is None:
        listed = " or ".join(typing.name(p) for p in parts)
        ctx.error(Code.TYPE_MISMATCH, node.span, f"{listed}: these are of different kinds")
        return FAULTY
    if isinstance(ty, types.Pieces) and name:
        ty = types.Pieces(name, ty.members)
    return types.Optional(ty) if optional else ty


def _one_of(ctx: Context, node: tree.OneOf, name: str) -> Type:
    values = tuple(v.name for v in node.values)
    if len(set(values)) < len(values):
        double = next(v for v in node.values if values.count(v.name) > 1)
        ctx.error(Code.NOT_ALL_CASES, double.span, f"the value '{double.name}' stands twice")
        return FAULTY
    if all(v.isdigit() for v in values):
        return _numbers(ctx, node, [int(v) for v in values], name)
    if name == types.PLAYER:
        return ctx.enum(types.Enum(types.PLAYER, values, ring=True))
    return ctx.enum(types.Enum(name or "/".join(values), values, node.ring, tuple(v.drawn for v in node.values)))


def _numbers(ctx: Context, node: tree.OneOf, values: list[int], name: str) -> Type:
    """`one of 2, 3, 4, 6` is the range; that the gaps are left out is checked where an option is set."""
    if name in ctx.merged.options:
        text = ctx.chosen.get(name)
        if text is not None and text not in {str(v) for v in values}:
            listed = ", ".join(map(str, values))
            ctx.error(Code.OPTION, node.span, f"the option '{name}' has no value {text}; it is one of {listed}")
            return FAULTY
    return types.Int(min(values), max(values))


# ------------------------------------------------------------------------------------------------------------ boards


def board(ctx: Context, name: str, span: Span) -> ir.Board | None:
    """A board, and with it its type, its subsets and its tables."""
    if name in ctx.boards:
        return ctx.boards[name]
    what = f"the board '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    declared = ctx.merged.boards[name]
    made = _make_board(ctx, declared)
    ctx.end()
    if made is None:
        ctx.failed.add(what)
        return None
    _tables(ctx, made)
    if isinstance(declared.form, tree.DrawnBoard):
        _subsets(ctx, made, declared.form)
    elif isinstance(declared.form, tree.Grid) and declared.form.without is not None:
        return _without(ctx, made, declared.form.without)
    return made


def _make_board(ctx: Context, declared: tree.Board) -> ir.Board | None:
    form = declared.form
    said = source(ctx, declared.tail, declared.span, Scope())
    if form is None:
        ctx.error(Code.LEFT_OPEN, declared.span, f"the board '{declared.name}' is left open and gets no body here")
        return None
    compass = _compass(ctx, form.towards, form.span) if form.towards is not None else None
    if isinstance(form, tree.DrawnBoard):
        return _drawn(declared, form, compass, said)
    columns = number_of(ctx, form.columns, "a board")
    rows = number_of(ctx, form.rows, "a board")
    if columns is None or rows is None:
        return None
    if columns < 1 or rows < 1:
        ctx.error(Code.OUT_OF_RANGE, form.span, f"a board of {columns} by {rows} has no cells")
        return None
    if columns * rows > LARGEST_BOARD:
        message = f"a board of {columns} by {rows} has {columns * rows} cells; at most {LARGEST_BOARD} are possible"
        ctx.error(Code.TOO_LARGE, form.span, message)
        return None
    cells = tuple((c, r) for r in range(1, rows + 1) for c in range(1, columns + 1))
    return ir.Board(
        declared.name, columns, rows, form.from_top, cells, tuple(geometry.cell_name(*c) for c in cells), compass, (), said
    )


def _compass(ctx: Context, name: str, span: Span) -> str | None:
    ty = type_named(ctx, name, span)
    if ty is None:
        ctx.unknown_name("the ring of directions", name, span, ctx.merged.types)
        return None
    if isinstance(ty, types.Never):
        return None
    if not isinstance(ty, types.Enum) or not ty.ring or len(ty.values) not in (4, 8):
        ctx.error(Code.TYPE_MISMATCH, span, f"the directions of a board are a ring of 4 or 8, and {name} is not")
        return None
    return name


def _drawn(declared: tree.Board, form: tree.DrawnBoard, compass: str | None, said: ir.Source) -> ir.Board:
    """A picture, top row first; row 1 is the top row. Dots and `#` alike are cells; `#` is left out."""
    rows = form.drawing.rows
    found = [
        ((c, r), symbol.text) for r, row in enumerate(rows, 1) for c, symbol in enumerate(row, 1) if symbol.text != "#"
    ]
    cells = tuple(place for place, _ in found)
    return ir.Board(
        declared.name,
        max((len(row) for row in rows), default=0),
        len(rows),
        True,
        cells,
        tuple(geometry.cell_name(*c) for c in cells),
        compass,
        tuple(letter for _, letter in found),
        said,
    )


def _subsets(ctx: Context, made: ir.Board, form: tree.DrawnBoard) -> None:
    """`key a = Anchor, b = Bay`: each name is the type of the cells with its letters."""
    named: dict[str, list[int]] = {}
    for letter, word in form.drawing.key:
        named.setdefault(word, []).extend(i for i, found in enumerate(made.letters) if found == letter)
    for word, indices in named.items():
        ctx.types[word] = types.Cells(made.name, word, tuple(sorted(indices)))
    known = {letter for letter, _ in form.drawing.key} | {"."}
    for row in form.drawing.rows:
        for symbol in row:
            if symbol.text not in known and symbol.text != "#":
                ctx.error(
                    Code.TABLE, symbol.span, f"the letter '{symbol.text}' is not in the key", hint=near(symbol.text, known)
                )


def _without(ctx: Context, made: ir.Board, node: tree.Expr) -> ir.Board | None:
    """The board less some of its cells."""
    expr, of = expressions.domain(ctx, node, Scope(), ctx.types[made.name])
    gone = ctx.constant(expr, node.span)
    if not isinstance(gone, tuple) or not isinstance(of, types.Cells):
        if not isinstance(of, types.Cells | types.Never):
            ctx.error(Code.TYPE_MISMATCH, node.span, f"cells are left out of a board, and this is {typing.name(of)}")
        return made
    kept = [i for i in range(len(made.cells)) if i not in gone]
    smaller = ir.Board(
        made.name,
        made.columns,
        made.rows,
        made.rows_from_top,
        tuple(made.cells[i] for i in kept),
        tuple(made.names[i] for i in kept),
        made.compass,
        (),
        made.source,
    )
    _tables(ctx, smaller)
    return smaller


def _tables(ctx: Context, made: ir.Board) -> None:
    """Everything about the board that is constant, under names such as `Sea.next`."""
    count = len(made.cells)
    cell = types.Cells(made.name, made.name, tuple(range(count)))
    ctx.boards[made.name] = made
    ctx.types[made.name] = cell
    some = types.SetOf(cell)

    def add(what: str, more: tuple[Type, ...], ty: Type, entries: list[Value]) -> None:
        name = f"{made.name}.{what}"
        ctx.tables[name] = ir.Table(name, (cell, *more), ty, tuple(entries), ir.Source(NOWHERE))

    every = range(count)
    add("column", (), types.Int(1, max(1, made.columns)), [made.cells[i][0] for i in every])
    add("row", (), types.Int(1, max(1, made.rows)), [made.cells[i][1] for i in every])
    add("beside", (), some, [geometry.neighbours(made, i, corners=False) for i in every])
    add("around", (), some, [geometry.neighbours(made, i, corners=True) for i in every])
    turn = types.Int(0, 3)
    add("rotated", (turn,), types.Optional(cell), [geometry.rotated(made, i, q) for i in every for q in range(4)])
    if made.compass is None:
        return
    compass = ctx.types[made.compass]
    assert isinstance(compass, types.Enum)
    ways = len(compass.values)
    add(
        "next", (compass,), types.Optional(cell), [geometry.next_cell(made, i, d, ways) for i in every for d in range(ways)]
    )
    ordered = types.SetOf(cell, ordered=True)
    add("ray", (compass,), ordered, [tuple(geometry.ray(made, i, d, ways)) for i in every for d in range(ways)])
    between = geometry.borders(made)
    place = {b: i for i, b in enumerate(between)}
    border = types.Borders(made.name, len(between))
    entries: list[Value] = [place[geometry.border_place(made, i, d, ways)] for i in every for d in range(ways)]
    add("border", (compass,), border, entries)


__all__ = ["Fit", "board", "constant", "fit", "number", "option", "range_type", "requirements", "type_named", "type_of"]
