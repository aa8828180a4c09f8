"""The table of operators: for each `Op` its meaning in Python, as a template over the texts of its arguments.

Operators whose text depends on the types of their arguments are in `SPECIAL`; together the tables cover every `Op`
(a test asks that).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from seaspec.backends.interpreter.state import OUT, RESULT
from seaspec.core import ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.ops import Op

if TYPE_CHECKING:
    from seaspec.backends.interpreter.expressions import Emitter

TEMPLATES: dict[Op, str] = {
    Op.ADD: "({0} + {1})",
    Op.SUBTRACT: "({0} - {1})",
    Op.MULTIPLY: "({0} * {1})",
    Op.NEGATE: "(-{0})",
    Op.ABS: "abs({0})",
    Op.LESS: "({0} < {1})",
    Op.AT_MOST: "({0} <= {1})",
    Op.MORE: "({0} > {1})",
    Op.AT_LEAST: "({0} >= {1})",
    Op.NOT: "(not {0})",
    Op.IMPLIES: "(not {0} or {1})",
    Op.UNION: "union({0}, {1})",
    Op.DIFFERENCE: "minus({0}, {1})",
    Op.RANGE: "tuple(range({0}, {1} + 1))",
    Op.PREFIX: "{0}[:max(0, {1})]",
    Op.KNOWN: "{0}",
    Op.NTH: "nth({0}, {1})",
    Op.ONLY: "only({0})",
    Op.MAYBE: "maybe({0})",
    Op.HAS_WON: f"({{0}} in (s[{RESULT}] or ((), ()))[0])",
    Op.HAS_LOST: f"({{0}} in (s[{RESULT}] or ((), ()))[1])",
    Op.IS_OUT: f"({{0}} in s[{OUT}])",
}

Special = Callable[["Emitter", ir.Apply], str]


def _many(name: str) -> Special:
    def emit(emitter: Emitter, expr: ir.Apply) -> str:
        texts = [emitter.expr(a) for a in expr.arguments]
        return texts[0] if len(texts) == 1 else f"{name}({', '.join(texts)})"

    return emit


def _joined(word: str, empty: str) -> Special:
    def emit(emitter: Emitter, expr: ir.Apply) -> str:
        texts = [emitter.expr(a) for a in expr.arguments]
        return f"({f' {word} '.join(texts)})" if texts else empty

    return emit


def _quotient(sign: str, function: str) -> Special:
    def emit(emitter: Emitter, expr: ir.Apply) -> str:
        a, b = (emitter.expr(argument) for argument in expr.arguments)
        if isinstance(expr.type, types.Fraction):
            return f"share({a}, {b})"
        divisor = expr.arguments[1]
        safe = isinstance(divisor, ir.Const) and divisor.value != 0
        return f"({a} {sign} {b})" if safe else f"{function}({a}, {b})"

    return emit


def _equal(sign: str) -> Special:
    def emit(emitter: Emitter, expr: ir.Apply) -> str:
        a, b = expr.arguments
        texts = [emitter.expr(a), emitter.expr(b)]
        if any(isinstance(side.type, types.SetOf) and side.type.ordered for side in (a, b)):
            texts = [f"as_set({text})" for text in texts]
        if isinstance(b, ir.Const) and b.value is None:
            return f"({texts[0]} {'is' if sign == '==' else 'is not'} None)"
        return f"({texts[0]} {sign} {texts[1]})"

    return emit


def _in(emitter: Emitter, expr: ir.Apply) -> str:
    member, among = expr.arguments
    a = emitter.expr(member)
    match among:
        case ir.Apply(_, Op.RANGE, (low, high)) if isinstance(member.type, types.Int):
            return f"({emitter.expr(low)} <= {a} <= {emitter.expr(high)})"
        case ir.PlaceRead(_, place, indices) if isinstance(member.type, types.Pieces):
            return f"({emitter.where()}[{a}] == {emitter.place_slot(place, indices)})"
        case ir.Everywhere(_, place) if isinstance(member.type, types.Pieces):
            family = emitter.layout.places[place]
            return f"({family.base} <= {emitter.where()}[{a}] < {family.end})"
        case ir.Const(_, value) if isinstance(value, tuple):
            return f"({a} in {emitter.constant(frozenset(value))})"
        case _:  # cautious: any other set is made, and asked
            pass
    return f"({a} in {emitter.expr(among)})"


def _size(emitter: Emitter, expr: ir.Apply) -> str:
    (members,) = expr.arguments
    if isinstance(members, ir.PlaceRead) and emitter.game.places[members.place].order is PlaceOrder.PILE:
        return f"sum(map(len, {emitter.slot(members)}))"
    return f"len({emitter.expr(members)})"


def _set(emitter: Emitter, expr: ir.Apply) -> str:
    texts = [emitter.expr(a) for a in expr.arguments]
    if len(texts) < 2:
        return f"({texts[0]},)" if texts else "()"
    ordered = isinstance(expr.type, types.SetOf) and expr.type.ordered
    return f"{'in_order' if ordered else 'as_set'}(({', '.join(texts)}))"


def _ring_size(ring: types.Type) -> int:
    assert isinstance(ring, types.Enum), ring
    return len(ring.values)


def _turn(emitter: Emitter, expr: ir.Apply) -> str:
    a, b = (emitter.expr(argument) for argument in expr.arguments)
    return f"(({a} + {b}) % {_ring_size(expr.arguments[0].type)})"


def _turns(emitter: Emitter, expr: ir.Apply) -> str:
    a, b = (emitter.expr(argument) for argument in expr.arguments)
    return f"((-{a} + {b}) % {_ring_size(expr.arguments[0].type)})"


def _angle(emitter: Emitter, expr: ir.Apply) -> str:
    a, b = (emitter.expr(argument) for argument in expr.arguments)
    return f"angle({a}, {b}, {_ring_size(expr.arguments[0].type)})"


def _key(emitter: Emitter, expr: ir.Apply) -> str:
    mapping, key = expr.arguments
    assert isinstance(mapping.type, types.Map), mapping.type
    return f"{emitter.expr(mapping)}[{emitter.key_positions(mapping.type.keys)}[{emitter.expr(key)}]]"


def _map(emitter: Emitter, expr: ir.Apply) -> str:
    return f"({''.join(emitter.expr(a) + ', ' for a in expr.arguments)})"


def _check(emitter: Emitter, expr: ir.Apply) -> str:
    (value,) = expr.arguments
    return emitter.checked(emitter.expr(value), value.type, expr.type)


def _spot(emitter: Emitter, expr: ir.Apply) -> str:
    return f"spot_of(c, {emitter.expr(expr.arguments[0])})"


SPECIAL: dict[Op, Special] = {
    Op.DIVIDE: _quotient("//", "divide"),
    Op.MODULO: _quotient("%", "modulo"),
    Op.MIN: _many("min"),
    Op.MAX: _many("max"),
    Op.EQUAL: _equal("=="),
    Op.UNEQUAL: _equal("!="),
    Op.AND: _joined("and", "True"),
    Op.OR: _joined("or", "False"),
    Op.IN: _in,
    Op.SIZE: _size,
    Op.SET: _set,
    Op.TURN: _turn,
    Op.TURNS: _turns,
    Op.ANGLE: _angle,
    Op.KEY: _key,
    Op.MAP: _map,
    Op.CHECK: _check,
    Op.SPOT: _spot,
}
