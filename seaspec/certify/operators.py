"""The operators of the language, of values that are not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import z3

from seaspec.certify import values as v
from seaspec.certify.values import Bool, Group, Number, TooLarge, Value, and_, not_, or_
from seaspec.core import ir, types
from seaspec.core.ir import Expr
from seaspec.core.ops import Op

if TYPE_CHECKING:
    from seaspec.certify.reading import Reader


def apply(reader: Reader, expr: ir.Apply) -> Value:
    """The value of an operator at a position."""
    op, arguments = expr.op, expr.arguments
    if op in (Op.AND, Op.OR, Op.IMPLIES):
        return _junction(reader, op, arguments)
    if op is Op.IN:
        return _member(reader, *arguments)
    given = [reader.value(argument) for argument in arguments]
    kinds = [argument.type for argument in arguments]
    if any(isinstance(kind, types.Fraction) for kind in (expr.type, *kinds)):
        raise TooLarge("odds")
    match op:
        case Op.ADD:
            return v.add(*given)
        case Op.SUBTRACT:
            return given[0] - given[1]
        case Op.MULTIPLY:
            return given[0] * given[1]
        case Op.DIVIDE | Op.MODULO:
            return _quotient(reader, op, *given)
        case Op.NEGATE:
            return -given[0]
        case Op.ABS:
            return v.pick(v.less(given[0], 0), -given[0], given[0])
        case Op.MIN | Op.MAX:
            return best_of([(True, one) for one in given], op is Op.MAX)[1]
        case Op.EQUAL:
            return v.same(given[0], given[1], v.joined(*kinds))
        case Op.UNEQUAL:
            return not_(v.same(given[0], given[1], v.joined(*kinds)))
        case Op.LESS:
            return v.less(*given)
        case Op.AT_MOST:
            return v.at_most(*given)
        case Op.MORE:
            return v.less(given[1], given[0])
        case Op.AT_LEAST:
            return v.at_most(given[1], given[0])
        case Op.NOT:
            return not_(given[0])
        case Op.SIZE:
            return v.ones(there for _, there in v.group(given[0]).members)
        case Op.SET:
            return _literal(reader, expr, given, kinds)
        case Op.UNION:
            return v.collected(member for one in given for member in v.group(one).members)
        case Op.DIFFERENCE:
            first, gone = v.group(given[0]), dict(v.group(given[1]).members)
            return v.tidy(((m, and_(t, not_(gone.get(m, False)))) for m, t in first.members), first.in_order)
        case Op.RANGE:
            return _range(reader, given, kinds)
        case Op.PREFIX | Op.NTH:
            return _counted(reader, expr, op, *given)
        case Op.ONLY | Op.MAYBE:
            return _single(reader, expr, op, given[0])
        case Op.TURN:
            return (given[0] + given[1]) % _ring(kinds[0])
        case Op.TURNS:
            return (given[1] - given[0]) % _ring(kinds[0])
        case Op.ANGLE:
            steps = (given[1] - given[0]) % _ring(kinds[0])
            back = _ring(kinds[0]) - steps
            return v.pick(v.less(steps, back), steps, back)
        case Op.KEY:
            return _at_key(reader, given[0], given[1], kinds[0], kinds[1])
        case Op.MAP:
            return tuple(given)
        case Op.CHECK | Op.KNOWN:
            return _checked(reader, given[0], kinds[0], expr.type, is_owed=op is Op.CHECK)
        case Op.SPOT if reader.chooses:
            return reader.world.names.int("spot")
        case Op.SPOT:
            raise TooLarge("the order in a row")
        case Op.HAS_WON | Op.HAS_LOST:
            named = reader.position.won if op is Op.HAS_WON else reader.position.lost
            return and_(reader.position.over, _of_seat(reader, given[0], named))
        case Op.IS_OUT:
            return _of_seat(reader, given[0], reader.position.out)
        case _:  # cautious: it is not derived, and that is said
            raise TooLarge(f"the operator {op.name.lower()}")


def _junction(reader: Reader, op: Op, arguments: Sequence[Expr]) -> Bool:
    """From the left; later ones are looked at only if they matter."""
    parts: list[Bool] = []
    going: Bool = True
    for place, argument in enumerate(arguments):
        if going is False:
            break
        with reader.under(going):
            part = reader.test(argument)
        if op is Op.IMPLIES and place == 0:
            part = not_(part)
        parts.append(part)
        going = and_(going, part if op is Op.AND else not_(part))
    return and_(*parts) if op is Op.AND else or_(*parts)


def _member(reader: Reader, one: Expr, among: Expr) -> Bool:
    value = reader.value(one)
    if isinstance(among, ir.Apply) and among.op is Op.RANGE and isinstance(one.type, types.Int):
        low, high = (reader.value(end) for end in among.arguments)
        return and_(v.at_most(low, value), v.at_most(value, high))
    of = among.type.of if isinstance(among.type, types.SetOf | types.Optional) else types.Never()
    ty = v.joined(one.type, of)
    some = v.is_some(value) if isinstance(one.type, types.Optional) else True
    members = reader.domain(among).members
    return and_(some, or_(*(and_(there, v.same(value, m, ty)) for m, there in members)))


def _quotient(reader: Reader, op: Op, a: Number, b: Number) -> Number:
    reader.owe(not_(v.equal(b, 0)))
    if isinstance(b, int):
        if b == 0:
            return 0
        if b < 0:
            return (-a) // -b if op is Op.DIVIDE and isinstance(a, int) else _divided(op, -a, -b, a)
        return _divided(op, a, b, a)
    down, up = _divided(op, a, b, a), _divided(op, -a, -b, a)
    return v.pick(v.less(0, b), down, up)


def _divided(op: Op, a: Number, b: Number, first: Number) -> Number:
    """By a divisor above 0: rounded down, as Z3 does it then; `first`: as it was, if both signs were changed."""
    if op is Op.DIVIDE:
        return a // b if isinstance(a, int) and isinstance(b, int) else _z3(a) / b
    rest = a % b if isinstance(a, int) and isinstance(b, int) else _z3(a) % b
    return rest if a is first else -rest


def _literal(reader: Reader, expr: ir.Apply, given: Sequence[Value], kinds: Sequence[types.Type]) -> Value:
    assert isinstance(expr.type, types.SetOf)
    if all(map(v.is_known, given)):
        return tuple(dict.fromkeys(given)) if expr.type.ordered else types.as_set(given)
    found = v.group(reader.set_of([(one, True) for one in given], expr.type.of))
    return Group(found.members, not expr.type.ordered)


def _range(reader: Reader, given: Sequence[Value], kinds: Sequence[types.Type]) -> Value:
    if all(map(v.is_known, given)):
        return tuple(range(given[0], given[1] + 1))
    low, high = kinds
    assert isinstance(low, types.Int) and isinstance(high, types.Int)
    if high.high - low.low > v.MOST_VALUES:
        raise TooLarge("a range is too long to be gone through")
    reader.trust(and_(v.at_most(low.low, given[0]), v.at_most(given[1], high.high)))
    numbers = range(low.low, high.high + 1)
    return v.tidy((n, and_(v.at_most(given[0], n), v.at_most(n, given[1]))) for n in numbers)


def _counted(reader: Reader, expr: ir.Apply, op: Op, members: Value, number: Number) -> Value:
    """The first so many members, or the one at a place."""
    found = v.group(members)
    if not found.in_order and len(found.members) > 1:
        raise TooLarge("the order in a row")
    before: list[Bool] = []
    kept = []
    value: Value = None
    for member, there in found.members:
        rank = v.add(v.ones(before), 1)
        kept.append((member, and_(there, v.at_most(rank, number))))
        if op is Op.NTH:
            value = v.choose(and_(there, v.equal(rank, number)), member, value, expr.type)
        before.append(there)
    return value if op is Op.NTH else v.tidy(kept)


def _single(reader: Reader, expr: ir.Apply, op: Op, members: Value) -> Value:
    found = v.group(members).members
    count = v.ones(there for _, there in found)
    reader.owe(v.equal(count, 1) if op is Op.ONLY else v.at_most(count, 1))
    value: Value = v.default(expr.type)
    for member, there in reversed(found):
        value = v.choose(there, member, value, expr.type)
    return value


def _at_key(reader: Reader, entries: Value, key: Value, ty: types.Type, of: types.Type) -> Value:
    assert isinstance(ty, types.Map)
    there = []
    found: Value = v.default(ty.values)
    for one, entry in zip(v.listed(ty.keys), entries, strict=True):
        test = v.same(key, one, v.joined(of, ty.keys))
        there.append(test)
        found = v.choose(test, entry, found, ty.values)
    reader.owe(or_(*there))
    return found


def _checked(reader: Reader, value: Value, ty: types.Type, wanted: types.Type, *, is_owed: bool) -> Value:
    if isinstance(ty, types.Optional) and not isinstance(wanted, types.Optional):
        if is_owed:
            reader.owe(v.is_some(value))
        value = v.inner(value, ty.of)
    if is_owed and isinstance(wanted, types.SetOf):
        allowed = set(v.listed(wanted.of))
        reader.owe(and_(*(not_(there) for m, there in v.group(value).members if m not in allowed)))
    elif is_owed and not isinstance(wanted, types.Map):
        reader.owe(v.ranges(value, wanted))
    return value


def _of_seat(reader: Reader, seat: Value, tests: Sequence[Bool]) -> Bool:
    return or_(*(and_(v.equal(seat, number), test) for number, test in enumerate(tests)))


def best_of(found: Sequence[tuple[Bool, Number]], most: bool) -> tuple[Bool, Number]:
    """The greatest or least of numbers, each if its test holds; and whether there is any."""
    there: Bool = False
    best: Number = 0
    for test, number in found:
        better = v.less(best, number) if most else v.less(number, best)
        best = v.pick(and_(test, or_(not_(there), better)), number, best)
        there = or_(there, test)
    return there, best


def _ring(ty: types.Type) -> int:
    assert isinstance(ty, types.Enum)
    return len(ty.values)


def _z3(a: Number) -> Number:
    return z3.IntVal(a) if isinstance(a, int) else a
