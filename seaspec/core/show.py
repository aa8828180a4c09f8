"""The core as text that people read: values by their names, expressions much as they are written in .sea text.

`show_value` prints a value of a type, `show_expr` an expression, `render` a sentence with its values filled in. Whole
games and flow graphs are printed by show_game.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, assert_never

from seaspec.core import ir, types
from seaspec.core.ir import Binder, Expr, FoldKind
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value


class Things(Protocol):
    """What has the names of cells and pieces: a game, or one that is being made."""

    @property
    def boards(self) -> Mapping[str, ir.Board]: ...
    @property
    def pieces(self) -> Sequence[ir.Piece]: ...


def show_value(value: Value, ty: Type, game: Things) -> str:
    """A value as people say it: `Ann`, `B3`, `Card 45`, `{1, 2}`, `yes`, `none`, `2/3`."""
    if value is None:
        return "none"
    match ty:
        case types.Bool():
            return "yes" if value else "no"
        case types.Int() | types.Never():
            return str(value)
        case types.Fraction():
            return str(value)
        case types.Enum(_, names):
            return names[_index(value)]
        case types.Cells(board):
            return game.boards[board].names[_index(value)]
        case types.Borders(board):
            return f"border {value} of {board}"
        case types.Pieces():
            return game.pieces[_index(value)].title
        case types.Optional(of):
            return show_value(value, of, game)
        case types.SetOf(of):
            assert isinstance(value, tuple)
            return "{" + ", ".join(show_value(member, of, game) for member in value) + "}"
        case types.Map(_, inner):
            assert isinstance(value, tuple)
            return "[" + ", ".join(show_value(member, inner, game) for member in value) + "]"
        case _:
            assert_never(ty)


def show_kind(variable: ir.Variable, game: Things) -> str:
    """What a variable stands for: `a ship`, `a cell`; a number by its name."""
    ty = variable.type.of if isinstance(variable.type, types.SetOf) else variable.type
    match ty:
        case types.Cells(board, _, members) if len(members) == len(game.boards[board].cells):
            return "a cell"
        case types.Enum(name) | types.Cells(_, name) | types.Pieces(name):
            words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
            words = words.replace("_", " ")
            return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
        case _:  # cautious: words alone: it is called by its name
            return variable.name.removeprefix("to ").replace("_", " ")


def show_briefly(value: Value, ty: Type, game: Things) -> str:
    """A value as it stands beside others: of a set of maps, which may be long, how many there are."""
    if not types.is_set_of_maps(ty):
        return show_value(value, ty, game)
    assert isinstance(value, tuple)
    return "1 map" if len(value) == 1 else f"{len(value) or 'no'} maps"


UNSEEN = "?"
"""How a piece or a value is written that somebody does not see."""


def render(text: ir.Text, evaluate: Callable[[Expr], Value], game: ir.Game) -> str:
    """A sentence with the values of its expressions filled in; names bound nowhere show as themselves."""
    parts = []
    for part in text.parts:
        if isinstance(part, str):
            parts.append(part)
        else:
            try:
                parts.append(show_value(evaluate(part), part.type, game))
            except LookupError:
                parts.append(show_expr(part, game))
    return "".join(parts)


def plain(text: ir.Text, game: ir.Game) -> str:
    """A sentence with its expressions as they are written: `{p} plays {card}`."""
    return "".join(p if isinstance(p, str) else "{" + show_expr(p, game) + "}" for p in text.parts)


def in_general(text: ir.Text, game: ir.Game) -> str:
    """A sentence that is true of many plays: `a player wins with some points`."""
    parts = []
    for part in text.parts:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, ir.Const):
            parts.append(show_value(part.value, part.type, game))
        else:
            parts.append(_any_of(part.type))
    return "".join(parts)


def _any_of(ty: Type) -> str:
    """Some value of a type, in words."""
    match ty:
        case types.Optional(of):
            return _any_of(of)
        case types.Enum(name) | types.Cells(_, name) | types.Pieces(name):
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
            return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
        case types.Borders():
            return "a border"
        case types.Bool():
            return "yes or no"
        case types.Int() | types.Fraction() | types.SetOf() | types.Map():
            return "some"
        case types.Never():
            return "none"
        case _:
            assert_never(ty)


def show_test(expr: Expr, game: ir.Game) -> str:
    """A test without the brackets that it needs as a part of another one."""
    shown = show_expr(expr, game)
    bracketed = isinstance(expr, ir.Apply | ir.If | ir.Switch | ir.LetIn) and shown.startswith("(")
    return shown[1:-1] if bracketed and _closing(shown) == len(shown) - 1 else shown


def _closing(text: str) -> int:
    """Where the bracket closes with which the text begins."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place
    return -1


def show_expr(expr: Expr, game: ir.Game) -> str:
    """An expression, much as it would be written."""

    def of(inner: Expr) -> str:
        return show_expr(inner, game)

    def listed(inner: tuple[Expr, ...]) -> str:
        return ", ".join(of(e) for e in inner)

    match expr:
        case ir.Const(types.SetOf(of_type), value) if value and value == _all(of_type):
            return _type_name(of_type)
        case ir.Const(ty, value):
            return show_value(value, ty, game)
        case ir.Local(variable):
            return variable.name
        case ir.StateRead(_, name, indices) | ir.PlaceRead(_, name, indices):
            return f"{name}[{listed(indices)}]" if indices else name
        case ir.Everywhere(_, place):
            return f"all of {place}"
        case ir.WhereIs(_, place, piece, position):
            return f"{of(piece)}.{game.places[place].index[position].name}"
        case ir.Lookup(_, table, indices):
            return f"{listed(indices)}{table}" if table.startswith(".") else f"{table}({listed(indices)})"
        case ir.Apply(ty, op, arguments):
            return _apply(op, [of(a) for a in arguments], ty)
        case ir.Call(_, function, arguments):
            return f"{function}({listed(arguments)})" if arguments else function
        case ir.If(_, test, then, otherwise):
            return f"(if {of(test)} then {of(then)} else {of(otherwise)})"
        case ir.Switch(_, subject, cases):
            lines = "; ".join(f"{_case(values, subject.type, game)}: {of(body)}" for values, body in cases)
            return f"(match {of(subject)}: {lines})"
        case ir.LetIn(variable, value, body):
            return f"(let {variable.name} = {of(value)}: {of(body)})"
        case ir.Fold(_, kind, binders, body, otherwise):
            return _fold(kind, show_binders(binders, game), of(body), None if otherwise is None else of(otherwise))
        case ir.Select(_, binder, best):
            with_best = "" if best is None else f" with {'most' if best[0] else 'least'} {of(best[1])}"
            return f"{{{show_binders((binder,), game)}{with_best}}}"
        case ir.Collect(ty, term, binders):
            inside = f"{of(term)} for {show_binders(binders, game)}"
            return f"[{inside}]" if isinstance(ty, types.Map) else f"{{{inside}}}"
        case ir.PickOne(_, first, binder, otherwise):
            late = "" if otherwise is None else f" otherwise {of(otherwise)}"
            return f"({'first' if first else 'the'} {show_binders((binder,), game)}{late})"
        case ir.Reach(_, start, here, there, relation):
            return f"(reach from {of(start)} by {here.name} to {there.name} where {of(relation)})"
        case ir.Ways(_, variable, domain, choices):
            return f"ways to give each {variable.name} in {of(domain)} one of {of(choices)}"
        case ir.Can(_, action, given):
            return f"can {action}({', '.join('..' if a is None else of(a) for a in given)})"
        case ir.Asked(_, player, menu):
            return f"{of(player)} is asked" + ("" if menu is None else f" at {menu}")
        case ir.Odds(_, chance, arguments):
            word = "odds" if isinstance(game.chances[chance].gives.type, types.Bool) else "mean"
            return f"{word}({chance}({listed(arguments)}))"
        case ir.Old(inner):
            return f"old {of(inner)}"
        case ir.Openly(inner):
            return f"openly {of(inner)}"
        case _:
            assert_never(expr)


SIGNS = {
    Op.ADD: "+", Op.SUBTRACT: "-", Op.MULTIPLY: "*", Op.DIVIDE: "/", Op.MODULO: "mod", Op.EQUAL: "=",
    Op.UNEQUAL: "!=", Op.LESS: "<", Op.AT_MOST: "<=", Op.MORE: ">", Op.AT_LEAST: ">=", Op.AND: "and", Op.OR: "or",
    Op.IMPLIES: "implies", Op.IN: "in", Op.UNION: "+", Op.DIFFERENCE: "-", Op.RANGE: "..",
}  # fmt: skip
"""Operators written between their arguments."""


def _apply(op: Op, arguments: list[str], ty: Type) -> str:
    if op in SIGNS and arguments:
        sign = SIGNS[op]
        return f"({(sign if sign == '..' else f' {sign} ').join(arguments)})"
    match op:
        case Op.NOT:
            return f"not {arguments[0]}"
        case Op.NEGATE:
            return f"-{arguments[0]}"
        case Op.SIZE:
            return f"size of {arguments[0]}"
        case Op.SET:
            return "{" + ", ".join(arguments) + "}"
        case Op.MAP:
            return "[" + ", ".join(arguments) + "]"
        case Op.KEY:
            return f"{arguments[0]}[{arguments[1]}]"
        case Op.CHECK | Op.KNOWN | Op.ONLY | Op.MAYBE:
            return arguments[0]
        case Op.HAS_WON | Op.HAS_LOST:
            return f"{arguments[0]} has {'won' if op is Op.HAS_WON else 'lost'}"
        case _:  # cautious: an operator without a form of its own is shown by its name
            return f"{op.name.lower()}({', '.join(arguments)})"


def _fold(kind: FoldKind, binders: str, body: str, otherwise: str | None) -> str:
    late = "" if otherwise is None else f" otherwise {otherwise}"
    match kind:
        case FoldKind.EVERY | FoldKind.SOME:
            return f"({kind.value} {binders}: {body})"
        case FoldKind.COUNT:
            return f"(count {binders})"
        case FoldKind.SUM | FoldKind.MOST | FoldKind.LEAST:
            return f"({kind.value} {body} for {binders}{late})"
        case _:
            assert_never(kind)


def show_binders(binders: tuple[Binder, ...], game: ir.Game) -> str:
    """`x in S where P, y in T`"""
    parts = []
    for binder in binders:
        word = "while" if binder.prefix else "where"
        test = "" if binder.test is None else f" {word} {show_expr(binder.test, game)}"
        parts.append(f"{binder.variable.name} in {show_expr(binder.domain, game)}{test}")
    return ", ".join(parts)


def _case(values: tuple[Value, ...], ty: Type, game: ir.Game) -> str:
    return ", ".join(show_value(value, ty, game) for value in values)


def _all(ty: Type) -> tuple[Value, ...]:
    """All values of a type that has a name, or is a range."""
    named = isinstance(ty, types.Enum | types.Cells | types.Pieces | types.Int)
    return tuple(types.values(ty)) if named else ()


def _type_name(ty: Type) -> str:
    if isinstance(ty, types.Int):
        return f"{ty.low}..{ty.high}"
    assert isinstance(ty, types.Enum | types.Cells | types.Pieces)
    return ty.name


def _index(value: Any) -> int:
    assert isinstance(value, int), value
    return value
