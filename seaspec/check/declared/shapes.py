"""Shapes: pictures with cells, sides and corners, laid on a board.

In the core there are no shapes. A place that is `laid on` a board comes with a state, the cell under the lower left
corner of each piece laid there; the pictures are one table, by piece and by the doubled place within the picture; and
`covered(place, x)` asks which piece, if any, has a letter at x. Cells stand at the even places of a picture, sides
between two cells, corners between four.
"""

from __future__ import annotations

from dataclasses import replace

from seaspec.check.context import BOOL, NONE, Context, apply, conjunction, members, number, variable
from seaspec.core import geometry, ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.source import Span
from seaspec.syntax import tree

PICTURES = ".covering"
"""The table of all pictures."""


def corner_of(place: str) -> str:
    """The state that says where the pieces of a place are laid."""
    return f"{place} at"


def coverings(ctx: Context) -> None:
    """What shapes cover cells with: the values of one enumeration."""
    found: list[str] = []
    for shape in ctx.merged.shapes.values():
        _check_picture(ctx, shape)
        found += [word for _, word in shape.drawing.key if word not in found]
    if found:
        ctx.coverings = ctx.enum(types.Enum("Covering", tuple(found), False))


def _check_picture(ctx: Context, shape: tree.Shape) -> None:
    """A picture is a frame of sides and corners with cells at its even places; it has no letter without meaning."""
    rows = shape.drawing.rows
    for row in rows:
        if len(row) != len(rows[0]):
            message = f"this row has {len(row)} letters, and the first one {len(rows[0])}"
            ctx.error(Code.TABLE, row[0].span.to(row[-1].span), message)
            return
    if len(rows) % 2 == 0 or len(rows[0]) % 2 == 0 or min(len(rows), len(rows[0])) < 3:
        hint = "cells stand at the even places, with a side or corner before, between and after them"
        message = f"a shape has an odd number of rows and columns, and these are {len(rows)} and {len(rows[0])}"
        ctx.error(Code.TABLE, shape.span.word(shape.name), message, hint=hint)
    letters = {letter for letter, _ in shape.drawing.key} | {"."}
    for row in rows:
        for symbol in row:
            if symbol.text not in letters:
                ctx.error(Code.TABLE, symbol.span, f"the letter '{symbol.text}' is not in the key")


def declare(ctx: Context) -> None:
    """The states of places that are laid on a board. Copies lie at different cells, so they get numbers."""
    for place in list(ctx.places.values()):
        cells = ctx.types.get(place.laid_on) if place.laid_on is not None else None
        if cells is None:
            continue
        name = corner_of(place.name)
        ctx.states[name] = ir.State(
            name=name,
            index=(ir.Variable("piece", place.holds),),
            type=types.Optional(cells),
            bound=None,
            initial=NONE,
            sight=ir.Sight(True, None),
            fixed=place.fixed,
            until=None,
            while_in=None,
            track=False,
            source=place.source,
        )
        _number_copies(ctx, place.holds)


def _number_copies(ctx: Context, held: types.Pieces) -> None:
    same: dict[int, list[int]] = {}
    for member in held.members:
        same.setdefault(ctx.pieces[member].twin, []).append(member)
    for copies in same.values():
        for copy, member in enumerate(copies if len(copies) > 1 else (), 1):
            piece = ctx.pieces[member]
            ctx.pieces[member] = replace(piece, title=f"{piece.title} #{copy}")


def lay(ctx: Context, piece: ir.Expr, target: ir.Target, corner: ir.Expr | None, span: Span) -> ir.Stmt | None:
    """The statement that says where a piece is laid."""
    if corner is None:
        hint = f"say `move .. to {target.place} at B3`: the cell under the lower left corner"
        ctx.error(Code.MISPLACED, span, "a shape is laid at a cell", hint=hint)
        return None
    name = corner_of(target.place)
    value = ctx.coerce(corner, ctx.states[name].type, span, "where a shape is laid")
    return ir.Assign(name, (piece,), value, ir.Source(span))


def covered(ctx: Context, place: ir.Place, where: ir.Expr) -> ir.Expr:
    """The letter with which a shape laid in the place covers a cell or border, or none."""
    assert ctx.coverings is not None and place.laid_on is not None
    board = ctx.boards[place.laid_on]
    widest, highest = _picture_table(ctx)
    letter_variable, letter = variable("letter", ctx.coverings)
    piece_variable, piece = variable("piece", place.holds)
    corner = ir.StateRead(ctx.states[corner_of(place.name)].type, corner_of(place.name), (piece,))
    cell = apply(ctx.types[place.laid_on], Op.KNOWN, corner)
    column, row = (_doubled(ctx, board, cell, axis) for axis in ("x", "y"))
    at_column, at_row = (_doubled(ctx, board, where, axis) for axis in ("x", "y"))
    across = _difference(at_column, column)
    up = _difference(row, at_row) if board.rows_from_top else _difference(at_row, row)
    inside = conjunction(
        [apply(BOOL, Op.UNEQUAL, corner, NONE)]
        + [apply(BOOL, Op.AT_LEAST, part, number(0)) for part in (across, up)]
        + [apply(BOOL, Op.AT_MOST, part, number(most)) for part, most in ((across, widest), (up, highest))]
    )
    within = (apply(types.Int(0, widest), Op.KNOWN, across), apply(types.Int(0, highest), Op.KNOWN, up))
    found = ir.Lookup(types.Optional(ctx.coverings), PICTURES, (piece, *within))
    test = conjunction([inside, apply(BOOL, Op.EQUAL, found, letter)])
    lying = ir.PlaceRead(types.SetOf(place.holds), place.name, ())
    some = ir.Fold(BOOL, ir.FoldKind.SOME, (ir.Binder(piece_variable, lying),), test)
    binder = ir.Binder(letter_variable, members(ctx.coverings), some)
    return ir.PickOne(types.Optional(ctx.coverings), True, binder, NONE)


def _difference(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """a - b + 1: the first cell of a picture stands at its place 1."""
    assert isinstance(a.type, types.Int) and isinstance(b.type, types.Int)
    low, high = a.type.low - b.type.high, a.type.high - b.type.low
    return apply(types.Int(low + 1, high + 1), Op.ADD, apply(types.Int(low, high), Op.SUBTRACT, a, b), number(1))


def _doubled(ctx: Context, board: ir.Board, expr: ir.Expr, axis: str) -> ir.Expr:
    """The doubled column or row of a cell or border."""
    side = 0 if axis == "x" else 1
    borders = isinstance(expr.type, types.Borders)
    name = f"{board.name}.{'border ' if borders else ''}{axis}"
    if name not in ctx.tables:
        places = geometry.borders(board) if borders else [(2 * column, 2 * row) for column, row in board.cells]
        entries = tuple(place[side] for place in places)
        index: Type = expr.type if borders else ctx.types[board.name]
        ctx.tables[name] = ir.Table(name, (index,), types.Int(min(entries), max(entries)), entries)
    return ir.Lookup(ctx.tables[name].type, name, (expr,))


def _picture_table(ctx: Context) -> tuple[int, int]:
    """The table of all pictures, made when it is first needed; its greatest indices."""
    shapes = {name: shape.drawing.rows for name, shape in ctx.merged.shapes.items()}
    widest = max(len(row) for rows in shapes.values() for row in rows) - 1
    highest = max(len(rows) for rows in shapes.values()) - 1
    if PICTURES in ctx.tables:
        return widest, highest
    assert ctx.coverings is not None
    pieces = [piece for piece in ctx.pieces if any(kind in shapes for kind in piece.kinds)]
    entries: list[Value] = []
    for piece in pieces:
        name = next(kind for kind in piece.kinds if kind in shapes)
        letters = dict(ctx.merged.shapes[name].drawing.key)
        for across in range(widest + 1):
            for up in range(highest + 1):
                entries.append(_letter(shapes[name], letters, across, up, ctx.coverings))
    index = types.Pieces("shapes", tuple(piece.id for piece in pieces))
    ctx.tables[PICTURES] = ir.Table(
        PICTURES,
        (index, types.Int(0, widest), types.Int(0, highest)),
        types.Optional(ctx.coverings),
        tuple(entries),
    )
    return widest, highest


def _letter(
    rows: tuple[tuple[tree.Symbol, ...], ...], letters: dict[str, str], across: int, up: int, coverings: types.Enum
) -> Value:
    """What stands in a picture, counted from its lower left corner."""
    if up >= len(rows) or across >= len(rows[len(rows) - 1 - up]):
        return None
    word = letters.get(rows[len(rows) - 1 - up][across].text)
    return None if word is None else coverings.values.index(word)
