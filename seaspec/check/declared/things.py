"""Options, constants and types: elaborated when they are first needed."""

from __future__ import annotations

from typing import assert_never

from seaspec.check import texts, typing
from seaspec.check.context import UNKNOWN, Context, Scope
from seaspec.check.declared import boards
from seaspec.check.expressions import expressions
from seaspec.check.limits import LARGEST_BASE, LARGEST_BOUND, LARGEST_LISTED, MOST_PLAYERS
from seaspec.core import ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree

SEATS = ("Ann", "Ben", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal")
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
    ty, allowed = _option_type(ctx, declared)
    value = None if isinstance(ty, types.Never) else _option_value(ctx, declared, ty, allowed)
    ctx.end()
    if value is None:
        ctx.failed.add(what)
        return None
    values = (value,) if name in ctx.merged.fixed_options else allowed
    made = ir.OptionValue(name, ty, value, values, texts.source(ctx, declared.tail, declared.span, Scope()))
    ctx.options[name] = made
    return made


def option_read(ctx: Context, name: str, span: Span) -> ir.Expr:
    """An option as an expression: its value is known. (A variant may fix one that users can not choose.)"""
    made = option(ctx, name, span)
    if made is None:
        return UNKNOWN
    ty = made.type
    if isinstance(ty, types.Int) and isinstance(made.value, int):
        ty = types.Int(min(ty.low, made.value), max(ty.high, made.value))
    return ir.Const(ty, made.value)


def _option_type(ctx: Context, declared: tree.Option) -> tuple[Type, tuple[Value, ...]]:
    """The type of an option, and its values: `one of 2, 3, 4, 6` has gaps."""
    node = declared.type
    if isinstance(node, tree.OneOf) and all(v.name.isdigit() for v in node.values):
        numbers = [int(v.name) for v in node.values]
        _check_double(ctx, node)
        return types.Int(min(numbers), max(numbers)), types.as_set(numbers)
    ty = type_of(ctx, node, declared.name)
    if isinstance(ty, types.Never):
        return FAULTY, ()
    if not isinstance(ty, types.Int | types.Enum | types.Bool):
        message = f"an option is a number, a word or yes or no, and this is {typing.name(ty)}"
        ctx.error(Code.TYPE_MISMATCH, node.span, message)
        return FAULTY, ()
    if types.size(ty) > LARGEST_LISTED:
        message = f"an option with {types.size(ty):,} values; at most {LARGEST_LISTED:,} are possible"
        ctx.error(Code.TOO_LARGE, node.span, message)
        return FAULTY, ()
    return ty, tuple(types.values(ty))


def _option_value(ctx: Context, declared: tree.Option, ty: Type, allowed: tuple[Value, ...]) -> Value:
    fixed = ctx.merged.fixed_options.get(declared.name)
    text = ctx.chosen.get(declared.name)
    if text is not None and fixed is None:
        return _chosen(ctx, declared, ty, allowed, text)
    node = fixed.value if fixed is not None else declared.default
    if node is None:
        return allowed[0]
    expr = expressions.expression(ctx, node, Scope(), ty)
    if fixed is None:
        expr = ctx.coerce(expr, ty, node.span, f"'{declared.name}'")
    value = ctx.constant(expr, node.span)
    if value is None:
        return None
    if fixed is None and value not in allowed:
        message = f"the default of '{declared.name}' is not one of its values, {_listed(ctx, ty, allowed)}"
        ctx.error(Code.OPTION, node.span, message)
        return None
    if text is not None and text != show_value(value, ty, ctx):
        assert fixed is not None
        message = f"'{declared.name}' is fixed here to {show_value(value, ty, ctx)}, so it can not be {text}"
        ctx.error(Code.OPTION, fixed.span, message, labels=[Label(declared.span, "the option")])
        return None
    return value


def _chosen(ctx: Context, declared: tree.Option, ty: Type, allowed: tuple[Value, ...], text: str) -> Value:
    """The value that a user has given as text."""
    shown = {show_value(v, ty, ctx): v for v in allowed}
    if text in shown:
        return shown[text]
    message = f"the option '{declared.name}' has no value {text}; it is one of {_listed(ctx, ty, allowed)}"
    ctx.error(Code.OPTION, declared.span, message, hint=near(text, shown))
    return None


def _listed(ctx: Context, ty: Type, allowed: tuple[Value, ...]) -> str:
    if isinstance(ty, types.Int) and len(allowed) == types.size(ty):
        return typing.name(ty)
    return ", ".join(show_value(v, ty, ctx) for v in allowed)


def requirements(ctx: Context) -> None:
    """What options require of each other."""
    for name, declared in ctx.merged.options.items():
        made = option(ctx, name, declared.span)
        if made is None or declared.requires is None:
            continue
        tested = expressions.test(ctx, declared.requires, Scope())
        if ctx.constant(tested.expr, declared.requires.span) is False:
            shown = show_value(made.value, made.type, ctx)
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
    if expr is UNKNOWN:
        return None
    if not isinstance(expr.type, types.Int):
        ctx.error(Code.TYPE_MISMATCH, node.span, f"{what} wants a number, and this is {typing.name(expr.type)}")
        return None
    value = ctx.constant(expr, node.span)
    if not isinstance(value, int):
        return None
    if abs(value) > LARGEST_BOUND:
        ctx.error(Code.TOO_LARGE, node.span, f"{value:,} is too large a number here")
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
        made = boards.board(ctx, name, span)
        return FAULTY if made is None else ctx.types[name]
    declared = ctx.merged.types.get(name)
    if declared is None and name != types.PLAYER:
        return None
    if not ctx.begin(what, span):
        return FAULTY
    if declared is None:
        ty: Type = _seats(ctx, span)
    else:
        assert declared.type is not None, "the merger closes what is left open"
        ty = type_of(ctx, declared.type, name)
    ctx.end()
    if name == types.PLAYER and declared is not None and not isinstance(ty, types.Enum | types.Never):
        message = f"the players are a ring of names: `type Player = ring of White, Black`; this is {typing.name(ty)}"
        ctx.error(Code.TYPE_MISMATCH, declared.span, message)
        ty = FAULTY
    if isinstance(ty, types.Never):
        ctx.failed.add(what)
        return ty
    ctx.types[name] = ty
    if isinstance(ty, types.Pieces):
        ctx.kinds[name] = ty
    return ty


def _seats(ctx: Context, span: Span) -> types.Enum:
    """The seats, if the game does not declare its players: as many as `players` says."""
    count: Value = 1
    if "players" in ctx.merged.options:
        span = ctx.merged.options["players"].span
        made = option(ctx, "players", span)
        count = made.value if made is not None else 1
    elif "players" in ctx.merged.consts:
        span = ctx.merged.consts["players"].span
        expr = constant(ctx, "players", span)
        count = expr.value if isinstance(expr, ir.Const) and expr is not UNKNOWN else 1
    if isinstance(count, bool) or not isinstance(count, int):
        ctx.error(Code.TYPE_MISMATCH, span, "`players` is the number of players, or `type Player` names them")
        count = 1
    if not 1 <= count <= MOST_PLAYERS:
        ctx.error(Code.OPTION, span, f"there can not be {count} players, but 1 to {MOST_PLAYERS}")
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
            return range_type(ctx, node)
        case tree.YesNoType():
            return types.Bool()
        case tree.NoneType():
            return types.Optional(FAULTY)
        case tree.UnionType(_, options):
            return _union(ctx, node, [type_of(ctx, o) for o in options], name)
        case tree.SetType(_, of):
            inner = _base(ctx, of, "a set")
            return FAULTY if inner is None else types.SetOf(inner)
        case tree.MapType(_, key_node, value_node):
            keys, values = _base(ctx, key_node, "a map"), type_of(ctx, value_node)
            return FAULTY if keys is None or isinstance(values, types.Never) else types.Map(keys, values)
        case tree.OneOf():
            return _one_of(ctx, node, name)
        case _:
            assert_never(node)


def _base(ctx: Context, node: tree.TypeExpr, what: str) -> Type | None:
    """The type of members of a set, or of keys: small enough to list. Of sets and maps, a set holds what is put in."""
    ty = type_of(ctx, node)
    if isinstance(ty, types.Never):
        return None  # cautious: any other type is one whose size is asked, below
    if isinstance(ty, types.SetOf) and what == "a map":
        ctx.error(Code.TYPE_MISMATCH, node.span, "sets can not be the keys of a map")
        return None
    if isinstance(ty, types.Optional):
        ctx.error(Code.MAY_BE_NONE, node.span, f"none can not belong to {what}")
        return None
    held = isinstance(ty, types.SetOf) or (isinstance(ty, types.Map) and what == "a set")
    if not held and types.size(ty) > LARGEST_BASE:
        counted = f"{types.size(ty):,}" if types.size(ty) < types.MANY else "too many"
        ctx.error(
            Code.TOO_LARGE,
            node.span,
            f"{what} of {typing.name(ty)}: that has {counted} values; {LARGEST_BASE:,} are possible",
        )
        return None
    return ty


def range_type(ctx: Context, node: tree.RangeType) -> Type:
    """`a..b` with bounds that are known before the game begins."""
    low, high = number_of(ctx, node.low, "a range"), number_of(ctx, node.high, "a range")
    if low is None or high is None:
        return FAULTY
    if low > high:
        ctx.error(Code.OUT_OF_RANGE, node.span, f"the range {low}..{high} is empty")
        return FAULTY
    return types.Int(low, high)


def _union(ctx: Context, node: tree.UnionType, options: list[Type], name: str) -> Type:
    """`Card or Coin`, `Suit or none`."""
    if any(option == FAULTY for option in options):
        return FAULTY
    optional = any(isinstance(option, types.Optional) for option in options)
    ty: Type = FAULTY
    for part, option in zip(node.options, options, strict=True):
        joined = typing.join(ty, typing.known(option))
        if joined is None:
            message = f"this is {typing.name(option)}, and that before `or` is {typing.name(ty)}"
            hint = "one type of all their words, `one of ..`; `or` joins kinds of pieces, and `none`"
            ctx.error(Code.TYPE_MISMATCH, part.span, message, hint=hint)
            return FAULTY
        if isinstance(joined, types.Int) and isinstance(ty, types.Int) and isinstance(option, types.Int):
            if types.size(joined) > types.size(ty) + types.size(option):
                ctx.error(
                    Code.TYPE_MISMATCH, part.span, f"a range has no gaps: {typing.name(ty)} or {typing.name(option)}"
                )
                return FAULTY
        ty = joined
    if isinstance(ty, types.Pieces) and name and sum(option != types.Optional(FAULTY) for option in options) > 1:
        ty = types.Pieces(name, ty.members)  # kinds that are joined have the name under which they are
    return types.Optional(ty) if optional else ty


def _one_of(ctx: Context, node: tree.OneOf, name: str) -> Type:
    values = tuple(v.name for v in node.values)
    if not _check_double(ctx, node):
        return FAULTY
    numbers = [v for v in node.values if v.name.isdigit()]
    if numbers:
        ctx.error(
            Code.TYPE_MISMATCH,
            numbers[0].span,
            "the values of a type have names; only an option is `one of` some numbers",
        )
        return FAULTY
    if name == types.PLAYER:
        if len(values) > MOST_PLAYERS:
            ctx.error(Code.TOO_LARGE, node.span, f"{len(values)} players; at most {MOST_PLAYERS} are possible")
            return FAULTY
        return ctx.enum(types.Enum(types.PLAYER, values, ring=True))
    if len(values) > LARGEST_LISTED:
        ctx.error(Code.TOO_LARGE, node.span, f"{len(values):,} values are too many")
        return FAULTY
    return ctx.enum(types.Enum(name or "/".join(values), values, node.ring, tuple(v.drawn for v in node.values)))


def _check_double(ctx: Context, node: tree.OneOf) -> bool:
    """Report values and letters that stand twice."""
    seen: dict[str, Span] = {}
    for value in node.values:
        for word in (value.name, value.drawn):
            if word is not None and word in seen:
                ctx.error(
                    Code.NOT_ALL_CASES, value.span, f"'{word}' stands twice", labels=[Label(seen[word], "here first")]
                )
                return False
        for word in {value.name, value.drawn or value.name}:
            seen[word] = value.span
    return True
