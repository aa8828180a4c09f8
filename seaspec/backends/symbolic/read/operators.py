"""The table of operators: for each `Op` what it is as a term. AND, OR, IMPLIES, IN stand in expressions.py: they stop
looking early, or need not build a set. A test asks that each `Op` is in one of these places, or in `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Term,
    add,
    and_,
    at_most,
    div,
    eq,
    ite,
    least,
    less,
    mod,
    most,
    mul,
    neg,
    not_,
    number,
    or_,
    sub,
)
from seaspec.backends.symbolic.values.position import by_seat
from seaspec.backends.symbolic.values.sets import (
    NONE,
    Listed,
    Map,
    Set,
    Value,
    Where,
    as_where,
    ascending,
    choose,
    distinct,
    in_type_order,
    same,
)
from seaspec.backends.symbolic.values.world import numbers_of
from seaspec.core import ir, types
from seaspec.core.ops import Op

if TYPE_CHECKING:
    from seaspec.backends.symbolic.read.expressions import Reader

Meaning = Callable[["Reader", ir.Apply], Value]
MOST_OF_RANGE = 400
"""A range of more numbers is not written out."""


def _numbers(make: Callable[..., Term]) -> Meaning:
    return lambda reader, expr: make(*(reader.number(argument) for argument in expr.arguments))


def _abs(a: Term) -> Term:
    return ite(at_most(number(0), a), a, neg(a))


def _equal(reader: Reader, expr: ir.Apply) -> Term:
    a, b = (reader.value(argument) for argument in expr.arguments)
    return same(a, b)


def _set(reader: Reader, expr: ir.Apply) -> Set:
    assert isinstance(expr.type, types.SetOf)
    items = [(YES, reader.value(argument)) for argument in expr.arguments]
    return distinct(expr.type.of, items, expr.type.ordered)


def _union(reader: Reader, expr: ir.Apply) -> Set:
    a, b = (reader.set(argument) for argument in expr.arguments)
    assert isinstance(expr.type, types.SetOf)
    if a.filled is NO or b.filled is NO:
        return in_type_order(b if a.filled is NO else a)
    if isinstance(expr.type.of, types.SetOf | types.Map | types.Bool | types.Optional):
        return distinct(expr.type.of, (*a.items, *b.items))
    one, other = as_where(a), as_where(b)
    members = tuple(sorted({*one.members, *other.members}))
    wide = one.wide or other.wide
    return Where(expr.type.of, members, lambda x: or_(a.member(x), b.member(x)), wide)


def _difference(reader: Reader, expr: ir.Apply) -> Set:
    a, b = (reader.set(argument) for argument in expr.arguments)
    if isinstance(a, Listed):
        items = tuple((and_(there, not_(b.member(value))), value) for there, value in a.items)
        return Listed(a.of, tuple(item for item in items if item[0] is not NO), a.ordered)
    counted = None
    if a.counted is not None and isinstance(b, Listed):
        counted = _counts_without(reader, a, b)
    return Where(a.of, a.members, lambda x: and_(a.test(x), not_(b.member(x))), a.wide, counted, a.inside, a.scrambled)


def _counts_without(reader: Reader, a: Where, b: Listed) -> Callable[[], tuple[Term, ...]]:
    def counted() -> tuple[Term, ...]:
        assert a.counted is not None
        found = []
        for sort, held in enumerate(a.counted()):
            gone = [
                ite(and_(there, a.member(value), reader.world.sort_of(value, sort)), number(-1), number(0))
                for there, value in b.items
                if isinstance(value, Term)
            ]
            found.append(add(held, *gone))
        return tuple(found)

    return counted


def _range(reader: Reader, expr: ir.Apply) -> Set:
    low, high = (reader.number(argument) for argument in expr.arguments)
    assert isinstance(expr.type, types.SetOf) and isinstance(expr.type.of, types.Int)
    first = max(end for end in (low.low, expr.type.of.low) if end is not None)
    last = min(end for end in (high.high, expr.type.of.high) if end is not None)
    if last - first >= MOST_OF_RANGE:
        raise Unsupported("a range of many numbers, as a set")
    members = tuple(range(first, last + 1))
    wide = reader.world.wide(len(members))
    return Where(expr.type.of, members, lambda x: and_(at_most(low, x), at_most(x, high)), wide)


def _prefix(reader: Reader, expr: ir.Apply) -> Set:
    members, length = reader.set(expr.arguments[0]), reader.number(expr.arguments[1])
    items, before = [], number(0)
    for there, value in ascending(members):
        items.append((and_(there, less(before, length)), value))
        before = add(before, ite(there, number(1), number(0)))
    return Listed(members.of, tuple(item for item in items if item[0] is not NO), ordered=True)


def _nth(reader: Reader, expr: ir.Apply) -> Value:
    members, place = reader.set(expr.arguments[0]), reader.number(expr.arguments[1])
    found: Value = NONE
    before = number(0)
    for there, value in ascending(members):
        if not isinstance(value, Term):
            raise Unsupported("the n-th of a set of sets")
        before = add(before, ite(there, number(1), number(0)))
        found = choose(and_(there, eq(before, place)), value, found)
    return found


def _one(optional: bool) -> Meaning:
    def read(reader: Reader, expr: ir.Apply) -> Value:
        from seaspec.backends.symbolic.read.aggregates import one_of

        members = reader.set(expr.arguments[0])
        found = one_of(reader, members, first=False)
        return choose(members.filled, found, NONE) if optional else found

    return read


def _ring(reader: Reader, expr: ir.Apply) -> int:
    ring = expr.arguments[0].type
    assert isinstance(ring, types.Enum), ring
    return len(ring.values)


def _turn(reader: Reader, expr: ir.Apply) -> Term:
    a, b = (reader.number(argument) for argument in expr.arguments)
    return mod(add(a, b), number(_ring(reader, expr)))


def _turns(reader: Reader, expr: ir.Apply) -> Term:
    a, b = (reader.number(argument) for argument in expr.arguments)
    return mod(sub(b, a), number(_ring(reader, expr)))


def _angle(reader: Reader, expr: ir.Apply) -> Term:
    steps = _turns(reader, expr)
    return least(steps, sub(number(_ring(reader, expr)), steps))


def _key(reader: Reader, expr: ir.Apply) -> Value:
    mapping, key = reader.value(expr.arguments[0]), reader.number(expr.arguments[1])
    assert isinstance(mapping, Map)
    return mapping.at(key)


def _map(reader: Reader, expr: ir.Apply) -> Map:
    assert isinstance(expr.type, types.Map)
    return Map(numbers_of(expr.type.keys), tuple(reader.value(argument) for argument in expr.arguments))


def _known(reader: Reader, expr: ir.Apply) -> Value:
    return reader.value(expr.arguments[0])


def _size(reader: Reader, expr: ir.Apply) -> Term:
    return reader.set(expr.arguments[0]).size


def _has(won: bool) -> Meaning:
    def read(reader: Reader, expr: ir.Apply) -> Term:
        result = reader.position.result
        player = reader.number(expr.arguments[0])
        if result is None:
            return NO
        return by_seat(player, result.winners if won else result.losers)

    return read


def _is_out(reader: Reader, expr: ir.Apply) -> Term:
    return reader.position.is_out(reader.number(expr.arguments[0]))


def _not(reader: Reader, expr: ir.Apply) -> Term:
    return not_(reader.test(expr.arguments[0]))


def _unequal(reader: Reader, expr: ir.Apply) -> Term:
    return not_(_equal(reader, expr))


def _spot(reader: Reader, expr: ir.Apply) -> Value:
    raise Unsupported("the order of a row")


OPERATORS: dict[Op, Meaning] = {
    Op.ADD: _numbers(add),
    Op.SUBTRACT: _numbers(sub),
    Op.MULTIPLY: _numbers(mul),
    Op.DIVIDE: _numbers(div),
    Op.MODULO: _numbers(mod),
    Op.NEGATE: _numbers(neg),
    Op.ABS: _numbers(_abs),
    Op.MIN: _numbers(least),
    Op.MAX: _numbers(most),
    Op.EQUAL: _equal,
    Op.UNEQUAL: _unequal,
    Op.LESS: _numbers(less),
    Op.AT_MOST: _numbers(at_most),
    Op.MORE: _numbers(lambda a, b: less(b, a)),
    Op.AT_LEAST: _numbers(lambda a, b: at_most(b, a)),
    Op.NOT: _not,
    Op.SIZE: _size,
    Op.SET: _set,
    Op.UNION: _union,
    Op.DIFFERENCE: _difference,
    Op.RANGE: _range,
    Op.PREFIX: _prefix,
    Op.NTH: _nth,
    Op.ONLY: _one(optional=False),
    Op.MAYBE: _one(optional=True),
    Op.TURN: _turn,
    Op.TURNS: _turns,
    Op.ANGLE: _angle,
    Op.KEY: _key,
    Op.MAP: _map,
    Op.CHECK: _known,
    Op.KNOWN: _known,
    Op.SPOT: _spot,
    Op.HAS_WON: _has(won=True),
    Op.HAS_LOST: _has(won=False),
    Op.IS_OUT: _is_out,
}
