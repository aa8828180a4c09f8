"""Tables of constants: rows of index values and an entry, a row of columns, or a picture.

A table has an entry for every index. Rows may speak of seats that nobody has in this game; nothing else too many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from seaspec.check import texts, typing
from seaspec.check.context import Context, Scope
from seaspec.check.declared import headers, things
from seaspec.check.expressions import expressions
from seaspec.check.limits import LARGEST_TABLE
from seaspec.core import ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import habits, tree

Row = tuple[tree.Symbol, ...]
Key = tuple[Value, ...]


@dataclass(slots=True)
class _Filling:
    """A table while its entries are read."""

    ctx: Context
    name: str
    index: tuple[Type, ...]
    type: Type
    entries: dict[Key, Value] = field(default_factory=dict)
    spans: dict[Key, Span] = field(default_factory=dict)
    faulty: bool = False

    def error(self, span: Span, message: str, hint: str | None = None) -> None:
        self.ctx.error(Code.TABLE, span, message, hint=hint)
        self.faulty = True

    def keys(self, symbols: Row, index: tuple[Type, ...]) -> list[Key]:
        """The index values that some words name; a kind names all of its pieces."""
        return list(product(*(self.values(symbol, ty) for symbol, ty in zip(symbols, index, strict=True))))

    def enter(self, keys: list[Key], symbol: tree.Symbol) -> None:
        values = self.values(symbol, self.type)
        for key in keys:
            if key in self.spans:
                shown = ", ".join(show_value(v, t, self.ctx) for v, t in zip(key, self.index, strict=True))
                labels = [Label(self.spans[key], "here first")]
                self.ctx.error(Code.TABLE, symbol.span, f"the entry for {shown} stands twice", labels=labels)
                self.faulty = True
            self.spans[key] = symbol.span
            if len(values) == 1:
                self.entries[key] = values[0]
            elif values:
                self.error(symbol.span, f"'{symbol.text}' stands for {len(values)} values, not for one")

    def values(self, symbol: tree.Symbol, ty: Type) -> list[Value]:
        """What a word means: one value, all pieces of a kind, or nothing (an error, or a seat that nobody has)."""
        text = symbol.text
        match ty:
            case types.Optional(of):
                return [None] if text in ("none", ".") else self.values(symbol, of)
            case types.Int(low, high) if text.lstrip("-").isdigit():
                if len(text) < 12 and low <= int(text) <= high:
                    return [int(text)]
                self.ctx.error(Code.OUT_OF_RANGE, symbol.span, f"{text} is not in {typing.name(ty)}")
                self.faulty = True
                return []
            case types.Bool() if text in ("yes", "no"):
                return [text == "yes"]
            case types.Enum():
                if text in ty.values:
                    return [ty.values.index(text)]
                if text in ty.drawn:
                    return [ty.drawn.index(text)]
                if _unused_seat(self.ctx, ty, text):
                    return []
                known = [*ty.values, *(d for d in ty.drawn if d is not None)]
                self.error(symbol.span, f"'{text}' is no {ty.name}", near(text, known))
                return []
            case types.Cells(board):
                made = self.ctx.boards[board]
                number = made.names.index(text) if text in made.names else None
                if number is not None and types.position(ty, number) is not None:
                    return [number]
                self.error(
                    symbol.span, f"'{text}' is no cell of {typing.name(ty)} ({made.names[0]} to {made.names[-1]})"
                )
                return []
            case types.Pieces() if text in self.ctx.kinds:
                return [m for m in self.ctx.kinds[text].members if types.position(ty, m) is not None]
            case _:  # cautious: no value is meant; it is refused
                self.error(symbol.span, f"'{text}' is no {typing.name(ty)}", habits.by_name(text))
                return []

    def table(self, declared: tree.Table) -> ir.Table | None:
        if self.faulty:
            return None
        keys = list(product(*(types.values(ty) for ty in self.index)))
        missing = [key for key in keys if key not in self.entries]
        if missing:
            shown = ", ".join(show_value(v, t, self.ctx) for v, t in zip(missing[0], self.index, strict=True))
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            self.error(declared.span, f"the table '{self.name}' has no entry for {shown}{more}")
            return None
        found = tuple(self.entries[key] for key in keys)
        said = texts.source(self.ctx, declared.tail, declared.span, Scope())
        return ir.Table(self.name, self.index, _exact(self.type, found), found, said)


def named(ctx: Context, name: str, span: Span) -> ir.Table | None:
    """A table with parameters."""
    if name in ctx.tables:
        return ctx.tables[name]
    what = f"the table '{name}'"
    if what in ctx.failed or not ctx.begin(what, span):
        return None
    made = _make(ctx, ctx.merged.tables[name], name)
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
    what = f"the tables of '{type_name}'"
    if what not in ctx.failed:
        ctx.failed.add(what)  # made or faulty, but only once
        _make_columns(ctx, declared, type_name)
    return {n: t for n, t in ctx.tables.items() if n.startswith(f"{type_name}.")}


def _make_columns(ctx: Context, declared: tree.Table, type_name: str) -> None:
    index = things.type_named(ctx, type_name, declared.span)
    ty = things.type_of(ctx, declared.type)
    if not isinstance(index, types.Enum):
        if index is None:
            ctx.unknown_name("the type", type_name, declared.span.word(type_name), ctx.merged.types)
        elif not isinstance(index, types.Never):
            message = f"a `table of` is for the values of an enumeration, and {type_name} is none"
            ctx.error(Code.TABLE, declared.span.word(type_name), message)
        return
    assert declared.drawing is not None
    rows = declared.drawing.rows
    if isinstance(ty, types.Never):
        return
    if len(rows[0]) < 2 or rows[0][0].text != "column":
        ctx.error(Code.TABLE, _row_span(rows[0]), "the first row names the columns: `column price weight ..`")
        return
    columns: dict[str, _Filling] = {}
    for symbol in rows[0][1:]:
        if symbol.text in columns:
            ctx.error(Code.TABLE, symbol.span, f"the column '{symbol.text}' stands twice")
        columns[symbol.text] = _Filling(ctx, f"{type_name}.{symbol.text}", (index,), ty)
    for row in rows[1:]:
        if len(row) != len(rows[0]):
            ctx.error(Code.TABLE, _row_span(row), f"{len(row) - 1} entries, and there are {len(columns)} columns")
            return
        keys = next(iter(columns.values())).keys(row[:1], (index,))
        for filling, symbol in zip(columns.values(), row[1:], strict=False):
            filling.enter(keys, symbol)
    for filling in columns.values():
        made = filling.table(declared)
        if made is not None:
            ctx.tables[made.name] = made


def _make(ctx: Context, declared: tree.Table, name: str) -> ir.Table | None:
    index = tuple(v.type for v in headers.index(ctx, f"table {name}", declared.params))
    ty = things.type_of(ctx, declared.type)
    if any(isinstance(t, types.Never) for t in (*index, ty)):
        return None
    count = 1
    for part, param in zip(index, declared.params, strict=True):
        if isinstance(part, types.SetOf | types.Map):
            ctx.error(
                Code.TABLE, param.span, f"a table has entries for single values, not for each {typing.name(part)}"
            )
            return None
        count *= types.size(part)
    if count > LARGEST_TABLE:
        ctx.error(
            Code.TOO_LARGE, declared.span, f"a table with {count:,} entries; at most {LARGEST_TABLE:,} are possible"
        )
        return None
    if declared.value is not None:
        expr = expressions.expression(ctx, declared.value, Scope(), ty)
        expr = ctx.coerce(expr, ty, declared.value.span, f"'{name}'")
        value = ctx.constant(expr, declared.value.span)
        if value is None and not isinstance(ty, types.Optional):
            return None
        said = texts.source(ctx, declared.tail, declared.span, Scope())
        return ir.Table(name, index, _exact(ty, (value,)), (value,) * count, said)
    assert declared.drawing is not None
    rows = declared.drawing.rows
    filling = _Filling(ctx, name, index, ty)
    if isinstance(index[-1], types.Cells) and len(index) > 1:
        _picture(filling, rows)
    elif rows[0][0].text == declared.params[-1].name:
        _columns(filling, rows)
    elif _looks_like_columns(filling, rows[0]):
        last = declared.params[-1].name
        hint = f"a row of columns begins with the name of the last index: '{last}'"
        filling.error(rows[0][0].span, f"'{rows[0][0].text}' is no {typing.name(index[0])}", hint)
    else:
        _plain(filling, rows)
    return filling.table(declared)


def _looks_like_columns(filling: _Filling, row: Row) -> bool:
    """Whether a first row that is no entry names the values of the last index, under a word that is not its name."""
    last = filling.index[-1]
    word = row[0].text
    here = [show_value(value, last, filling.ctx) for value in types.values(last)]
    first = [show_value(value, filling.index[0], filling.ctx) for value in types.values(filling.index[0])]
    return len(filling.index) > 1 and word not in first and [symbol.text for symbol in row[1:]] == here


def _plain(filling: _Filling, rows: tuple[Row, ...]) -> None:
    """Index values, then the entry; or all but the last index, then an entry for each value of the last."""
    index = filling.index
    last = list(types.values(index[-1]))
    for row in rows:
        if len(row) == len(index) + 1:
            filling.enter(filling.keys(row[:-1], index), row[-1])
            continue
        tail = row[len(index) - 1 :]
        enough = len(tail) >= len(last) if _are_seats(filling.ctx, index[-1]) else len(tail) == len(last)
        if len(index) < 2 or not enough:
            message = f"a row has {len(index)} index values and an entry, and this has {len(row)} words"
            filling.error(_row_span(row), message)
            continue
        heads = filling.keys(row[: len(index) - 1], index[:-1])
        for value, symbol in zip(last, tail, strict=False):
            filling.enter([(*head, value) for head in heads], symbol)


def _columns(filling: _Filling, rows: tuple[Row, ...]) -> None:
    """A first row with the values of the last index."""
    index = filling.index
    columns = [filling.values(symbol, index[-1]) for symbol in rows[0][1:]]
    for row in rows[1:]:
        tail = row[len(index) - 1 :]
        if len(tail) != len(columns):
            filling.error(_row_span(row), f"{len(tail)} entries, and there are {len(columns)} columns")
            continue
        heads = filling.keys(row[: len(index) - 1], index[:-1])
        for values, symbol in zip(columns, tail, strict=True):
            filling.enter([(*head, value) for head in heads for value in values], symbol)


def _picture(filling: _Filling, rows: tuple[Row, ...]) -> None:
    """Pictures of a board side by side, under a row that names the other indices of each."""
    index = filling.index
    assert isinstance(index[-1], types.Cells)
    board = filling.ctx.boards[index[-1].board]
    width = len(index) - 1
    if len(rows[0]) % width:
        filling.error(_row_span(rows[0]), f"the first row names {width} index values for each picture")
        return
    groups = [filling.keys(rows[0][i : i + width], index[:-1]) for i in range(0, len(rows[0]), width)]
    place = {cell: i for i, cell in enumerate(board.cells)}
    for line, row in enumerate(rows[1:]):
        onward = line + 1 if board.rows_from_top else board.rows - line
        if len(row) != board.columns * len(groups) or not 1 <= onward <= board.rows:
            size = f"{board.columns * len(groups)} letters in each of {board.rows} rows"
            filling.error(_row_span(row), f"{len(groups)} pictures of {board.name} have {size}")
            continue
        for number, heads in enumerate(groups):
            for column in range(1, board.columns + 1):
                symbol = row[number * board.columns + column - 1]
                cell = place.get((column, onward))
                if cell is not None and types.position(index[-1], cell) is not None:
                    filling.enter([(*head, cell) for head in heads], symbol)


def _are_seats(ctx: Context, ty: Type) -> bool:
    return isinstance(ty, types.Enum) and ty.name == types.PLAYER and types.PLAYER not in ctx.merged.types


def _unused_seat(ctx: Context, ty: types.Enum, word: str) -> bool:
    return _are_seats(ctx, ty) and word in things.SEATS


def _exact(ty: Type, entries: tuple[Value, ...]) -> Type:
    """The range of the entries that there are: it lets fewer obligations arise."""
    numbers = [e for e in entries if isinstance(e, int)]
    if isinstance(ty, types.Int) and numbers and len(numbers) == len(entries):
        return types.Int(min(numbers), max(numbers))
    return ty


def _row_span(row: Row) -> Span:
    return row[0].span.to(row[-1].span)
