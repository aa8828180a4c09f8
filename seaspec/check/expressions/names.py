"""What names stand for: locals, constants, places, states, values, kinds.

The order of search for a small name: local names, values of the enumeration that is expected, what the game declares,
values of enumerations, words of the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from seaspec.check import typing
from seaspec.check.context import UNKNOWN, Context, Scope, members, variable
from seaspec.check.declared import pieces, things, words
from seaspec.check.expressions import builtins, reads
from seaspec.check.limits import LARGEST_LISTED
from seaspec.core import ir, types
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree

EVERYONE = "everyone"
CELL = re.compile(r"[A-Z]{1,2}[1-9][0-9]{0,2}")
"""What the name of a cell looks like."""


def name(ctx: Context, node: tree.Name | tree.Capital, scope: Scope, expected: Type | None) -> ir.Expr:
    """A name alone."""
    if isinstance(node, tree.Capital):
        return _capital(ctx, node, scope, expected)
    word = node.name
    if word in scope.names:
        return scope.names[word]
    wanted = typing.known(expected) if expected is not None else None
    if isinstance(wanted, types.SetOf):
        wanted = wanted.of
    if isinstance(wanted, types.Enum) and word in wanted.values:
        return ir.Const(wanted, wanted.values.index(word))
    declared = _declared(ctx, node, word)
    if declared is not None:
        return declared
    values = ctx.enum_values.get(word, [])
    if len(values) == 1:
        return ir.Const(*values[0])
    if values:
        owners = " and ".join(ty.name for ty, _ in values)
        hint = f"give it a name with its type, and say that: `define this_{word}: {values[0][0].name} = {word}`"
        return ctx.error(Code.AMBIGUOUS, node.span, f"'{word}' is a value of {owners}", hint=hint)
    if word == EVERYONE:
        return members(ctx.player)
    return _unknown(ctx, node, scope)


def _declared(ctx: Context, node: tree.Name, word: str) -> ir.Expr | None:
    merged = ctx.merged
    if word in merged.consts:
        return things.constant(ctx, word, node.span)
    if word in merged.options:
        return things.option_read(ctx, word, node.span)
    if word in merged.defines:
        function = words.function(ctx, word, node.span)
        if function is None:
            return UNKNOWN
        if function.params:
            wanted = ", ".join(p.name for p in function.params)
            return ctx.error(Code.WRONG_COUNT, node.span, f"'{word}' wants arguments: {word}({wanted})")
        return ir.Call(function.type, word, ())
    if word in merged.tables:
        wanted = ", ".join(p.name for p in merged.tables[word].params)
        return ctx.error(Code.WRONG_COUNT, node.span, f"the table '{word}' wants arguments: {word}({wanted})")
    for group, what in (
        (merged.actions, "an action"),
        (merged.procedures, "a procedure"),
        (merged.chances, "a throw"),
        (merged.menus, "a menu"),
        (merged.rules, "a list of rules"),
    ):
        if word in group:
            return ctx.error(Code.NOT_A_VALUE, node.span, f"'{word}' is {what}, which has no value here")
    return reads.whole(ctx, node)


def _unknown(ctx: Context, node: tree.Name, scope: Scope) -> ir.Const:
    everything = [*scope.names, *known_names(ctx), *ctx.enum_values]
    capital = node.name[:1].upper() + node.name[1:]
    if node.name not in builtins.LIBRARY and (capital in ctx.types or capital in ctx.kinds):
        hint = f"did you mean '{capital}'? Kinds and types begin with a capital"
        return ctx.error(Code.UNKNOWN_NAME, node.span, f"'{node.name}' is not known", hint=hint)
    if node.name in builtins.LIBRARY:
        return ctx.error(Code.WRONG_COUNT, node.span, f"'{node.name}' is a word of the library that wants arguments")
    return ctx.unknown_name("the name", node.name, node.span, everything)


def known_names(ctx: Context) -> Iterator[str]:
    """All small names that the game declares."""
    merged = ctx.merged
    for group in (
        merged.consts, merged.options, merged.defines, merged.places, merged.states, merged.tables, merged.actions,
        merged.procedures, merged.chances, merged.menus, merged.rules,
    ):  # fmt: skip
        yield from group


def introduce(ctx: Context, word: str, ty: Type, scope: Scope, span: Span) -> tuple[ir.Variable, Scope]:
    """A new local name, found in the span, and the scope that knows it."""
    span = span.word(word)
    check_fresh(ctx, word, scope, span)
    made, local = variable(word, ty)
    return made, scope.name(word, local, span)


def check_fresh(ctx: Context, word: str, scope: Scope, span: Span) -> None:
    """A local name may hide no other name (but words of the library, and values of enumerations)."""
    found = _taken(ctx, word, scope, span)
    if found is not None:
        what, at = found
        labels = [] if at is None else [Label(at, "here")]
        ctx.error(Code.HIDES, span, f"'{word}' is the name of {what} already", labels=labels)


def _taken(ctx: Context, word: str, scope: Scope, span: Span) -> tuple[str, Span | None] | None:
    """What a small name stands for already, and where that is said. What a later chapter declares is no matter, for the
    chapters before it do not know of it; nor are values of enumerations, which may be as short as `n` and `s`."""
    if word in scope.names:
        return "something here", scope.spans.get(word)
    declared = _declaration(ctx, word)
    return None if declared is None or ctx.order_of(declared[1]) > ctx.order_of(span) else declared


def _declaration(ctx: Context, word: str) -> tuple[str, Span] | None:
    """What the game declares under a name, small or capital."""
    merged = ctx.merged
    single: list[tuple[Mapping[str, tree.Declaration], str]] = [
        (merged.consts, "a constant"), (merged.options, "an option"), (merged.places, "a place"),
        (merged.states, "a state"), (merged.tables, "a table"), (merged.menus, "a menu"),
        (merged.rules, "a list of rules"), (merged.chances, "a throw"), (merged.types, "a type"),
        (merged.boards, "a board"), (merged.components, "a component"),
    ]  # fmt: skip
    for group, what in single:
        if word in group:
            return what, group[word].span.word(word)
    families: list[tuple[Mapping[str, Sequence[tree.Declaration]], str]] = [
        (merged.defines, "a define"), (merged.actions, "an action"), (merged.procedures, "a procedure"),
    ]  # fmt: skip
    for family, what in families:
        if word in family:
            return what, family[word][0].span.word(word)
    return None


def check_values(ctx: Context) -> None:
    """Values of enumerations have names of their own (but two types may share one: the context tells)."""
    forms = [t.type for t in ctx.merged.types.values()] + [o.type for o in ctx.merged.options.values()]
    for form in forms:
        if isinstance(form, tree.OneOf):
            for value in form.values:
                found = _declaration(ctx, value.name)
                if found is not None:
                    what, at = found
                    labels = [Label(at, "here")]
                    ctx.error(Code.HIDES, value.span, f"'{value.name}' is the name of {what} already", labels=labels)
    for component in ctx.merged.components.values():
        for kind in pieces.parts(component):
            cell = any(kind.name in board.names for board in ctx.boards.values())
            values = ctx.enum_values.get(kind.name, [])
            if cell or values:
                what = "a cell" if cell else f"a value of {values[0][0].name}"
                ctx.error(Code.HIDES, kind.span.word(kind.name), f"'{kind.name}' is the name of {what} already")


# -------------------------------------------------------------------------------------------------------- capitals


def _says_players(ctx: Context) -> bool:
    return any("players" in group for group in (ctx.merged.consts, ctx.merged.options, ctx.merged.defines))


def _capital(ctx: Context, node: tree.Capital, scope: Scope, expected: Type | None) -> ir.Expr:
    word = node.name
    value = _capital_value(ctx, node, typing.known(expected) if expected is not None else None)
    if value is not None:
        return value
    ty = named_type(ctx, word, node.span)
    if isinstance(ty, types.Never):
        return UNKNOWN
    if ty is not None:
        if isinstance(ty, types.Pieces) and not isinstance(expected, types.SetOf) and len(ty.members) == 1:
            return ir.Const(ty, ty.members[0])
        return type_members(ctx, ty, node.span)
    if ctx.boards and CELL.fullmatch(word):
        boards = " or ".join(f"{b.name} ({b.names[0]} to {b.names[-1]})" for b in ctx.boards.values())
        return ctx.error(Code.NOT_HERE, node.span, f"there is no cell {word} on {boards}")
    if word in things.SEATS and types.PLAYER not in ctx.merged.types:
        seats = ", ".join(ctx.player.values)
        hint = None if _says_players(ctx) else "say `const players = 2`, or `option players: 2..4`"
        return ctx.error(Code.NOT_WITH_OPTIONS, node.span, f"{word} does not play; the players are {seats}", hint=hint)
    cells = [c for b in ctx.boards.values() for c in b.names]
    known = [types.PLAYER, *ctx.merged.types, *ctx.kinds, *ctx.merged.boards, *ctx.enum_values, *cells, *scope.names]
    return ctx.unknown_name("the name", word, node.span, known)


def _capital_value(ctx: Context, node: tree.Capital, wanted: Type | None) -> ir.Expr | None:
    """A value of an enumeration, a seat, a cell."""
    word = node.name
    if isinstance(wanted, types.SetOf):
        wanted = wanted.of
    if isinstance(wanted, types.Enum) and word in wanted.values:
        return ir.Const(wanted, wanted.values.index(word))
    cells = {board: cell for board in ctx.boards if (cell := _cell(ctx, word, board)) is not None}
    if isinstance(wanted, types.Cells) and wanted.board in cells:
        return cells[wanted.board]
    values = [ir.Const(*value) for value in ctx.enum_values.get(word, [])] or list(cells.values())
    if len(values) > 1:
        owners = " and ".join(typing.name(value.type) for value in values)
        hint = _said_in_full(ctx, word, values)
        return ctx.error(Code.AMBIGUOUS, node.span, f"'{word}' is a value of {owners}", hint=hint)
    return values[0] if values else None


def _said_in_full(ctx: Context, word: str, values: Sequence[ir.Const]) -> str:
    """How to say which of several cells, or of several values of that name, is meant."""
    ways = []
    for value in values:
        if isinstance(value.type, types.Cells) and isinstance(value.value, int):
            column, row = ctx.boards[value.type.board].cells[value.value]
            ways.append(f"`{value.type.board}({column}, {row})`")
    if ways:
        return f"say which: {' or '.join(ways)}"
    name = typing.name(values[0].type)
    return f"give it a name with its type, and say that: `define this_{word.lower()}: {name} = {word}`"


def type_members(ctx: Context, ty: Type, span: Span) -> ir.Expr:
    """A type as the set of its values."""
    if isinstance(ty, types.SetOf | types.Fraction) or types.size(ty) > LARGEST_LISTED:
        return ctx.error(Code.TOO_LARGE, span, f"{typing.name(ty)} has too many values to list")
    return members(ty)


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
