"""Tables of constants: rows of index values and an entry, a row of columns, or a picture."""

from __future__ import annotations

from itertools import product

from seaspec.check import expressions, names, things, typing
from seaspec.check.context import Context, Scope
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree

LARGEST_TABLE = 1_000_000
Entries = dict[tuple[Value, ...], Value]


def named(ctx: Context, name: str, span: Span) -> ir.Table | None:
    """A table with parameters."""
    if name in ctx.tables:
        return ctx.tables[name]
    what = f"the table '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    declared = ctx.merged.tables[name]
    made = _make(ctx, declared, name)
    ctx.end()
    if made is None:
        ctx.failed.add(what)
        return None
    ctx.tables[name] = made
    return made


def of(ctx: Context, type_name: str) -> dict[str, ir.Table]:
    """`table of Class`: a table for each column, named Class.column."""
    declared = ctx.merged.tables.get(f"of {type_name}")
    if declared is None:
        return {}
    prefix = f"{type_name}."
    what = f"the tables of '{type_name}'"
    if what not in ctx.failed and not any(n.startswith(prefix) for n in ctx.tables):
        ctx.failed.add(what)
        _make_columns(ctx, declared, type_name)
    return {n: t for n, t in ctx.tables.items() if n.startswith(prefix)}


def _make_columns(ctx: Context, declared: tree.Table, type_name: str) -> None:
    index = things.type_named(ctx, type_name, declared.span)
    ty = things.type_of(ctx, declared.type)
    if index is None or not isinstance(index, types.Enum) or isinstance(ty, types.Never):
        if index is not None and not isinstance(index, types.Enum | types.Never):
            ctx.error(Code.TABLE, declared.span, f"a table of an enumeration, and {type_name} is none")
        return
    rows = declared.drawing.rows if declared.drawing is not None else ()
    if not rows or len(rows[0]) < 2:
        ctx.error(Code.TABLE, declared.span, "the first row names the columns: `column hull shots ..`")
        return
    columns = [symbol.text for symbol in rows[0][1:]]
    entries: dict[str, Entries] = {c: {} for c in columns}
    for row in rows[1:]:
        key = symbol_value(ctx, row[0], index)
        if len(row) != len(columns) + 1:
            message = f"{len(row) - 1} entries, and there are {len(columns)} columns"
            ctx.error(Code.TABLE, _row_span(row), message)
            continue
        for column, symbol in zip(columns, row[1:], strict=True):
            if key is not None:
                entries[column][(key,)] = symbol_value(ctx, symbol, ty)
    for column in columns:
        name = f"{type_name}.{column}"
        made = _table(ctx, declared, name, (index,), ty, entries[column])
        if made is not None:
            ctx.tables[name] = made


def _make(ctx: Context, declared: tree.Table, name: str) -> ir.Table | None:
    index = tuple(
        things.type_of(ctx, p.type) if p.type is not None else types.Never() for p in declared.params
    )
    ty = things.type_of(ctx, declared.type)
    if any(isinstance(t, types.Never) for t in (*index, ty)):
        return None
    count = 1
    for part in index:
        count *= types.size(part)
    if count > LARGEST_TABLE:
        ctx.error(Code.TOO_LARGE, declared.span, f"a table with {count} entries is too large")
        return None
    if declared.value is not None:
        expr = ctx.coerce(expressions.expression(ctx, declared.value, Scope(), ty), ty, declared.value.span, name)
        value = ctx.constant(expr, declared.value.span)
        return ir.Table(name, index, ty, (value,) * count, source(ctx, declared.tail, declared.span, Scope()))
    rows = declared.drawing.rows if declared.drawing is not None else ()
    if isinstance(index[-1], types.Cells) and len(index) > 1:
        entries = _picture(ctx, declared, rows, index, ty)
    elif rows and rows[0][0].text == declared.params[-1].name:
        entries = _columns(ctx, rows, index, ty)
    else:
        entries = _plain(ctx, rows, index, ty)
    return _table(ctx, declared, name, index, ty, entries)


def _plain(ctx: Context, rows: tuple[tuple[tree.Symbol, ...], ...], index: tuple[Type, ...], ty: Type) -> Entries:
    """Index values, then the entry; or all but the last index, then an entry for each value of the last."""
    entries: Entries = {}
    for row in rows:
        if len(row) == len(index) + 1:
            for key in _keys(ctx, row[: len(index)], index):
                _enter(ctx, entries, key, row[-1], ty)
            continue
        head, tail = row[: len(index) - 1], row[len(index) - 1 :]
        last = list(types.values(index[-1]))
        if len(index) < 2 or (len(tail) != len(last) and not _seats(index[-1])):
            message = f"a row has {len(index)} index values and an entry, and this has {len(row)} words"
            ctx.error(Code.TABLE, _row_span(row), message)
            continue
        for key in _keys(ctx, head, index[:-1]):
            for value, symbol in zip(last, tail, strict=False):
                _enter(ctx, entries, (*key, value), symbol, ty)
    return entries


def _seats(ty: Type) -> bool:
    return isinstance(ty, types.Enum) and ty.name == types.PLAYER


def _columns(ctx: Context, rows: tuple[tuple[tree.Symbol, ...], ...], index: tuple[Type, ...], ty: Type) -> Entries:
    """A first row with the values of the last index."""
    entries: Entries = {}
    columns = [(symbol, symbol_value(ctx, symbol, index[-1])) for symbol in rows[0][1:]]
    for row in rows[1:]:
        head, tail = row[: len(index) - 1], row[len(index) - 1 :]
        if len(tail) != len(columns):
            ctx.error(Code.TABLE, _row_span(row), f"{len(tail)} entries, and there are {len(columns)} columns")
            continue
        for key in _keys(ctx, head, index[:-1]):
            for (_, column), symbol in zip(columns, tail, strict=True):
                _enter(ctx, entries, (*key, column), symbol, ty)
    return entries


def _picture(
    ctx: Context, declared: tree.Table, rows: tuple[tuple[tree.Symbol, ...], ...], index: tuple[Type, ...], ty: Type
) -> Entries:
    """Pictures of a board side by side, under a row that names the other indices of each."""
    cells = index[-1]
    assert isinstance(cells, types.Cells)
    board = ctx.boards[cells.board]
    width = len(index) - 1
    entries: Entries = {}
    if not rows or len(rows[0]) % width:
        ctx.error(Code.TABLE, declared.span, f"the first row names {width} index values for each picture")
        return entries
    groups = [rows[0][i : i + width] for i in range(0, len(rows[0]), width)]
    place = {cell: i for i, cell in enumerate(board.cells)}
    for line, row in enumerate(rows[1:]):
        onward = line + 1 if board.rows_from_top else board.rows - line
        if len(row) != board.columns * len(groups) or not 1 <= onward <= board.rows:
            message = f"a row of {len(groups)} pictures has {board.columns * len(groups)} letters; there are {board.rows} rows"
            ctx.error(Code.TABLE, _row_span(row), message)
            continue
        for number, group in enumerate(groups):
            keys = _keys(ctx, group, index[:-1])
            for column in range(1, board.columns + 1):
                symbol = row[number * board.columns + column - 1]
                cell = place.get((column, onward))
                if symbol.text == "." or cell is None:
                    continue
                for key in keys:
                    _enter(ctx, entries, (*key, cell), symbol, ty)
    return entries


def _keys(ctx: Context, symbols: tuple[tree.Symbol, ...], index: tuple[Type, ...]) -> list[tuple[Value, ...]]:
    """The index values that some words name; a kind names all of its pieces."""
    choices: list[list[Value]] = []
    for symbol, ty in zip(symbols, index, strict=False):
        if isinstance(ty, types.Pieces) and symbol.text in ctx.kinds:
            choices.append([m for m in ctx.kinds[symbol.text].members if m in ty.members])
            continue
        value = symbol_value(ctx, symbol, ty)
        if value is None and not isinstance(ty, types.Optional):
            return []
        choices.append([value])
    return list(product(*choices))


def _enter(ctx: Context, entries: Entries, key: tuple[Value, ...], symbol: tree.Symbol, ty: Type) -> None:
    if key in entries:
        ctx.error(Code.TABLE, symbol.span, "this entry stands twice")
    entries[key] = symbol_value(ctx, symbol, ty)


def _table(
    ctx: Context, declared: tree.Table, name: str, index: tuple[Type, ...], ty: Type, entries: Entries
) -> ir.Table | None:
    keys = list(product(*(list(types.values(t)) for t in index)))
    missing = [k for k in keys if k not in entries]
    partial = isinstance(index[-1], types.Cells) or _seats(index[-1]) or not keys
    if missing and not partial:
        shown = ", ".join(names.show_value(ctx, v, t) for v, t in zip(missing[0], index, strict=True))
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        ctx.error(Code.TABLE, declared.span, f"the table '{name}' has no entry for {shown}{more}")
        return None
    filler = next(iter(entries.values()), None)
    found = tuple(entries.get(k, filler) for k in keys)
    return ir.Table(name, index, _exact(ty, found), found, source(ctx, declared.tail, declared.span, Scope()))


def _exact(ty: Type, entries: tuple[Value, ...]) -> Type:
    """The range of the entries that there are: it lets fewer obligations arise."""
    numbers = [e for e in entries if isinstance(e, int)]
    if isinstance(ty, types.Int) and numbers and len(numbers) == len(entries):
        return types.Int(min(numbers), max(numbers))
    return ty


def symbol_value(ctx: Context, symbol: tree.Symbol, ty: Type) -> Value:
    """The value that a word of a table means; None after an error (or for `none`)."""
    text = symbol.text
    match ty:
        case types.Optional(of):
            return None if text == "none" else symbol_value(ctx, symbol, of)
        case types.Int(low, high):
            if text.lstrip("-").isdigit() and len(text) < 12:
                value = int(text)
                if low <= value <= high:
                    return value
                ctx.error(Code.OUT_OF_RANGE, symbol.span, f"{text} is not in {typing.name(ty)}")
                return None
        case types.Bool() if text in ("yes", "no"):
            return text == "yes"
        case types.Enum():
            if text in ty.values:
                return ty.values.index(text)
            if text in ty.drawn:
                return ty.drawn.index(text)
            every = [*ty.values, *(d for d in ty.drawn if d is not None)]
            ctx.error(Code.TABLE, symbol.span, f"'{text}' is no {ty.name}", hint=near(text, every))
            return None
        case types.Cells(board):
            made = ctx.boards[board]
            if text in made.names:
                return made.names.index(text)
            first, last = made.names[0], made.names[-1]
            ctx.error(Code.TABLE, symbol.span, f"'{text}' is no cell of {board} ({first} to {last})")
            return None
        case types.Pieces():
            kind = ctx.kinds.get(text)
            if kind is not None and len(kind.members) == 1:
                return kind.members[0]
        case _:
            pass
    ctx.error(Code.TABLE, symbol.span, f"'{text}' is no {typing.name(ty)}")
    return None


def _row_span(row: tuple[tree.Symbol, ...]) -> Span:
    return row[0].span.to(row[-1].span)


__all__ = ["Label", "named", "of", "symbol_value"]
