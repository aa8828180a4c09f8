"""Boards, their named parts, and their tables, which are made when they are first needed."""

from __future__ import annotations

from dataclasses import replace

from seaspec.check import texts, typing
from seaspec.check.context import Context, Scope
from seaspec.check.declared import things
from seaspec.check.expressions import expressions
from seaspec.check.limits import LARGEST_BOARD
from seaspec.core import geometry, ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree


def board(ctx: Context, name: str, span: Span) -> ir.Board | None:
    """A board, and with it its type and the types of its parts; None if it is faulty."""
    if name in ctx.boards:
        return ctx.boards[name]
    what = f"the board '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    declared = ctx.merged.boards[name]
    form = declared.form
    assert form is not None, "the merger closes what is left open"
    compass = _compass(ctx, form.towards, form.span) if form.towards is not None else None
    said = texts.source(ctx, declared.tail, declared.span, Scope())
    if isinstance(form, tree.DrawnBoard):
        made = _drawn(ctx, declared, form, compass, said)
    else:
        made = _grid(ctx, declared, form, compass, said)
    ctx.end()
    if made is None:
        ctx.failed.add(what)
        return None
    _know(ctx, made)
    if isinstance(form, tree.DrawnBoard):
        _parts(ctx, made, form)
    return made


def table(ctx: Context, board_name: str, what: str) -> ir.Table | None:
    """What is constant about a board: `Water.next`; None if the board has no directions, and they are needed."""
    name = f"{board_name}.{what}"
    if name not in ctx.tables:
        made = ctx.boards[board_name]
        compass = None if made.compass is None else ctx.types[made.compass]
        cell = ctx.types[board_name]
        assert isinstance(cell, types.Cells) and isinstance(compass, types.Enum | None)
        found = geometry.table(made, cell, compass, what)
        if found is None:
            return None
        ctx.tables[name] = found
    return ctx.tables[name]


def _know(ctx: Context, made: ir.Board) -> None:
    ctx.boards[made.name] = made
    ctx.types[made.name] = types.Cells(made.name, made.name, tuple(range(len(made.cells))))


def _compass(ctx: Context, name: str, span: Span) -> str | None:
    ty = things.type_named(ctx, name, span)
    span = span.word(name)
    if ty is None:
        ctx.unknown_name("the ring of directions", name, span, ctx.merged.types)
        return None
    if isinstance(ty, types.Enum) and ty.ring and len(ty.values) in (4, 8):
        return name
    if not isinstance(ty, types.Never):
        ctx.error(Code.TYPE_MISMATCH, span, f"the directions of a board are a ring of 4 or 8, and {name} is not")
    return None


# ------------------------------------------------------------------------------------------------------------- grids


def _grid(ctx: Context, declared: tree.Board, form: tree.Grid, compass: str | None, said: ir.Source) -> ir.Board | None:
    columns = things.number_of(ctx, form.columns, "a board")
    rows = things.number_of(ctx, form.rows, "a board")
    if columns is None or rows is None:
        return None
    if columns < 1 or rows < 1:
        ctx.error(Code.OUT_OF_RANGE, form.span, f"a board of {columns} by {rows} has no cells")
        return None
    if columns * rows > LARGEST_BOARD:
        message = f"a board of {columns} by {rows} has {columns * rows:,} cells; at most {LARGEST_BOARD:,} are possible"
        ctx.error(Code.TOO_LARGE, form.span, message)
        return None
    cells = tuple((c, r) for r in range(1, rows + 1) for c in range(1, columns + 1))
    names = tuple(geometry.cell_name(*c) for c in cells)
    made = ir.Board(declared.name, columns, rows, form.from_top is not False, cells, names, compass, (), said)
    return made if form.without is None else _without(ctx, made, form.without)


def _without(ctx: Context, made: ir.Board, node: tree.Expr) -> ir.Board | None:
    """The board less some of its cells. Which they are is worked out on the whole board, and then forgotten."""
    known = (ctx.boards, ctx.types, ctx.tables, ctx.functions, ctx.consts)
    before = [dict(names) for names in known]
    _know(ctx, made)
    expr = expressions.expression(ctx, node, Scope(), ctx.types[made.name])
    of = expr.type.of if isinstance(expr.type, types.SetOf) else expr.type
    value = ctx.constant(expr, node.span)
    gone = value if isinstance(value, tuple) else (value,)
    ctx.boards, ctx.types, ctx.tables, ctx.functions, ctx.consts = before  # type: ignore[assignment]
    if value is None:
        return None
    if not isinstance(of, types.Cells) or of.board != made.name:
        ctx.error(
            Code.TYPE_MISMATCH, node.span, f"cells of {made.name} are left out, and this is {typing.name(expr.type)}"
        )
        return None
    kept = [i for i in range(len(made.cells)) if i not in gone]
    if not kept:
        ctx.error(Code.OUT_OF_RANGE, node.span, f"no cell of {made.name} is left")
        return None
    return replace(made, cells=tuple(made.cells[i] for i in kept), names=tuple(made.names[i] for i in kept))


# ------------------------------------------------------------------------------------------------------------- drawn


def _drawn(
    ctx: Context, declared: tree.Board, form: tree.DrawnBoard, compass: str | None, said: ir.Source
) -> ir.Board | None:
    """A picture, top row first; row 1 is the top row. Dots and letters are cells; `#` is left out."""
    rows = form.drawing.rows
    columns = len(rows[0])
    for row in rows:
        if len(row) != columns:
            message = f"this row has {len(row)} cells, and the first one {columns}"
            ctx.error(
                Code.TABLE, row[0].span.to(row[-1].span), message, labels=[Label(rows[0][0].span, "the first row")]
            )
            return None
    found = [((c, r), s.text) for r, row in enumerate(rows, 1) for c, s in enumerate(row, 1) if s.text != "#"]
    if not found or len(found) > LARGEST_BOARD:
        code = Code.TOO_LARGE if found else Code.OUT_OF_RANGE
        ctx.error(code, declared.span, f"the board has {len(found):,} cells; there must be 1 to {LARGEST_BOARD:,}")
        return None
    cells = tuple(place for place, _ in found)
    names = tuple(geometry.cell_name(*c) for c in cells)
    letters = tuple(letter for _, letter in found)
    return ir.Board(declared.name, columns, len(rows), True, cells, names, compass, letters, said)


def _parts(ctx: Context, made: ir.Board, form: tree.DrawnBoard) -> None:
    """`key a = Hill, b = Lake`: each name is the type of the cells with its letters."""
    named: dict[str, list[int]] = {}
    letters: dict[str, str] = {}
    for letter, word in form.drawing.key:
        if letters.setdefault(letter, word) != word:
            message = f"the key gives '{letter}' two meanings, {letters[letter]} and {word}"
            ctx.error(Code.TABLE, form.span.word(word), message)
        named.setdefault(word, []).extend(i for i, found in enumerate(made.letters) if found == letter)
    for word, indices in named.items():
        if word in ctx.types or word in ctx.merged.types or word in ctx.merged.boards:
            ctx.error(Code.HIDES, form.span.word(word), f"'{word}' is the name of a type already")
        else:
            ctx.types[word] = types.Cells(made.name, word, tuple(sorted(set(indices))))
    known = {*letters, ".", "#"}
    for row in form.drawing.rows:
        for symbol in row:
            if symbol.text not in known:
                hint = near(symbol.text, known)
                ctx.error(Code.TABLE, symbol.span, f"the letter '{symbol.text}' is not in the key", hint=hint)
