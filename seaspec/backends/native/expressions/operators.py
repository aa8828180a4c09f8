"""The table of operators: for each `Op` how it is written, by what its value is.

`NUMBERS` give an i64, `TRUTHS` an i1, `MASKS` a set, `SEQUENCES` an ordered set. An operator may stand in two of them.
Together they cover every `Op` (a test asks that).
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.backends.native.assembly import Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import Base
from seaspec.backends.native.expressions.maps import count_maps, has_map
from seaspec.backends.native.expressions.places import Places
from seaspec.backends.native.values.shapes import NONE, Universe, is_single, joined, universe
from seaspec.core import ir, types
from seaspec.core.ir import Expr
from seaspec.core.ops import Op
from seaspec.core.types import Type

Write = Callable[[Places, ir.Apply], Operand]


def _arithmetic(op: str) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        a, b = (e.number(argument) for argument in expr.arguments)
        return e.code.binary(op, a, b)

    return write


def _extreme(predicate: str) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        best = e.number(expr.arguments[0])
        for argument in expr.arguments[1:]:
            value = e.number(argument)
            best = e.code.select(e.code.compare(predicate, value, best), value, best)
        return best

    return write


def _negate(e: Places, expr: ir.Apply) -> Operand:
    return e.code.sub(0, e.number(expr.arguments[0]))


def _abs(e: Places, expr: ir.Apply) -> Operand:
    value = e.number(expr.arguments[0])
    return e.code.select(e.code.compare("slt", value, 0), e.code.sub(0, value), value)


def _quotient(modulo: bool) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        code = e.code
        a, b = (e.number(argument) for argument in expr.arguments)
        divisor = expr.arguments[1].type
        zero = code.compare("eq", b, 0)
        if not isinstance(divisor, types.Int) or divisor.low <= 0 <= divisor.high:
            e.require(code.complement(zero), "a number is divided by 0")
        b = code.select(zero, 1, b)  # whatever its type: where the rules have failed before, a value is no value
        quotient, rest = code.binary("sdiv", a, b), code.binary("srem", a, b)
        low = expr.arguments[0].type
        if isinstance(b, int) and b > 0 and isinstance(low, types.Int) and low.low >= 0:
            return rest if modulo else quotient
        crosses = code.compare("slt", code.binary("xor", rest, b), 0)
        uneven = code.both(crosses, code.compare("ne", rest, 0))
        if modulo:
            return code.add(rest, code.select(uneven, b, 0))
        return code.sub(quotient, code.convert(uneven, "i1", "i64"))

    return write


def _turn(e: Places, expr: ir.Apply) -> Operand:
    a, b = (e.number(argument) for argument in expr.arguments)
    return wrapped(e, e.code.add(a, b), _steps(expr.arguments[1].type, 0), _ring_size(expr))


def _turns(e: Places, expr: ir.Apply) -> Operand:
    a, b = (e.number(argument) for argument in expr.arguments)
    size = _ring_size(expr)
    return wrapped(e, e.code.sub(b, a), (1 - size, size - 1), size)


def _angle(e: Places, expr: ir.Apply) -> Operand:
    steps = _turns(e, expr)
    back = e.code.sub(_ring_size(expr), steps)
    return e.code.select(e.code.compare("slt", steps, back), steps, back)


def _ring_size(expr: ir.Apply) -> int:
    ring = expr.arguments[0].type
    assert isinstance(ring, types.Enum), ring
    return len(ring.values)


def _steps(ty: Type, otherwise: int) -> tuple[int, int]:
    return (ty.low, ty.high) if isinstance(ty, types.Int) else (otherwise, otherwise)


def wrapped(e: Places, value: Operand, steps: tuple[int, int], size: int) -> Operand:
    """A number in a ring of some size; it is at most as far outside as these steps lead."""
    code = e.code
    if -size <= steps[0] and steps[1] <= size:
        value = code.select(code.compare("slt", value, 0), code.add(value, size), value)
        return code.select(code.compare("sge", value, size), code.sub(value, size), value)
    rest = code.binary("srem", value, size)
    return code.select(code.compare("slt", rest, 0), code.add(rest, size), rest)


def _size(e: Places, expr: ir.Apply) -> Operand:
    (members,) = expr.arguments
    if types.is_set_of_maps(members.type):
        return count_maps(e, members)
    if is_ordered(members) and isinstance(members, ir.Local | ir.PlaceRead):
        if not (isinstance(members, ir.PlaceRead) and e.layout.places[members.place].kind.name != "ROWS"):
            return e.sequence(members).length
    if isinstance(members, ir.Apply) and members.op is Op.RANGE:
        low, high = (e.number(argument) for argument in members.arguments)
        count = e.code.add(e.code.sub(high, low), 1)
        return e.code.select(e.code.compare("slt", count, 0), 0, count)
    return e.code.population(e.mask(members), e.universe(members.type).ty)


def is_ordered(expr: Expr) -> bool:
    return isinstance(expr.type, types.SetOf) and expr.type.ordered


def _nth(e: Places, expr: ir.Apply) -> Operand:
    code = e.code
    members = e.sequence(expr.arguments[0])
    spot = code.sub(e.number(expr.arguments[1]), 1)
    inside = code.compare("ult", spot, members.length)
    pointer = e.element(members.pointer, code.select(inside, spot, 0), members.packed)
    return code.choose(inside, "i64", lambda: e.load(pointer, members.packed, members.tag), lambda: NONE)


def _one(message: str, none_too: bool) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        (members,) = expr.arguments
        if isinstance(members, ir.PlaceRead) and e.facts.at_most_one(members):
            return e.only_piece(members, None if none_too else message)
        among = e.universe(members.type)
        mask = e.mask(members)
        return one_of(e, mask, among, message, none_too)

    return write


def one_of(e: Base, mask: Operand, among: Universe, message: str, none_too: bool) -> Operand:
    """The member of a set of (at most) one; an error if there are more."""
    code = e.code
    rest = code.binary("and", mask, code.binary("add", mask, -1, among.ty), among.ty)
    single = code.compare("eq", rest, 0, among.ty)
    some = code.compare("ne", mask, 0, among.ty)
    e.require(single if none_too else code.both(single, some), message)
    value = e.member_value(code.lowest(code.select(some, mask, 1, among.ty), among.ty), among)
    return code.select(some, value, NONE) if none_too else value


def _key(e: Places, expr: ir.Apply) -> Operand:
    mapping, key = expr.arguments
    assert isinstance(mapping.type, types.Map), mapping.type
    held = e.entries(mapping)
    number, valid = e.ordinal(e.number(key), key.type, mapping.type.keys)
    e.require(valid, "a map has no such key")
    number = e.code.select(valid, number, 0)
    return e.load(e.element(held.pointer, number, held.packed), held.packed, held.tag)


def _check(e: Places, expr: ir.Apply) -> Operand:
    value = e.number(expr.arguments[0])
    given = expr.arguments[0].type
    if types.lies_within(given, expr.type):
        return value
    ty = expr.type
    message = f"a value is not in {types.type_name(ty)}"
    if isinstance(ty, types.Int):
        low = e.code.compare("sge", value, ty.low)
        inside = e.code.both(low, e.code.compare("sle", value, ty.high))
        first = ty.low
    else:
        _, inside = e.ordinal(value, types.Optional(types.Int(-1, -1)), ty)
        first = next((int(v) for v in types.values(ty) if isinstance(v, int)), 0)
    e.require(inside, message)
    return e.code.select(inside, value, first)


def _known(e: Places, expr: ir.Apply) -> Operand:
    return e.number(expr.arguments[0])


def _spot(e: Places, expr: ir.Apply) -> Operand:
    """Its place in the row that it lies in: each row is looked through."""
    code = e.code
    piece = e.number(expr.arguments[0])
    slot = e.where_is(piece)
    found = code.slot("i64")
    code.store("i64", 0, found)
    for field in e.layout.places.values():
        if field.kind.name != "ROWS":
            continue
        steps = code.sub(slot, field.slot)
        with code.when(code.compare("ult", steps, field.count)):
            pointer = e.element_of(field, steps)
            tag = e.unit.tag(f"place {field.name}")
            length = code.convert(code.load("i16", pointer, tag, 2), "i16", "i64")
            with code.count_up(0, length) as loop:
                entry = e.element(code.offset(pointer, 2), loop.value, field.cell)
                with code.when(code.compare("eq", e.load(entry, field.cell, tag), piece)):
                    code.store("i64", code.add(loop.value, 1), found)
    value = code.load("i64", found)
    e.require(code.compare("ne", value, 0), "a piece does not lie in a row")
    return value


# --------------------------------------------------------------------------------------------------------------- tests


def _compared(predicate: str) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        asked = e.emptiness(expr)
        if asked is not None:
            return _emptiness(e, *asked)
        a, b = (e.number(argument) for argument in expr.arguments)
        return e.code.compare(predicate, a, b)

    return write


def _emptiness(e: Places, read: ir.PlaceRead, empty: bool) -> Operand:
    found = e.is_empty(read)
    return found if empty else e.code.complement(found)


def _equal(same: bool) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        asked = e.emptiness(expr)
        if asked is not None:
            return _emptiness(e, *asked)
        a, b = expr.arguments
        equal = equality(e, a, b)
        return equal if same else e.code.complement(equal)

    return write


def equality(e: Places, a: Expr, b: Expr) -> Operand:
    code = e.code
    if isinstance(a.type, types.Map) and isinstance(b.type, types.Map):
        return _maps_equal(e, a, b)
    if is_single(a.type) and is_single(b.type):
        if isinstance(a.type, types.Bool) and isinstance(b.type, types.Bool):
            return code.compare("eq", e.truth(a), e.truth(b), "i1")
        return code.compare("eq", e.number(a), e.number(b))
    if b == ir.Const(b.type, ()) and types.is_set_of_maps(a.type):
        return code.compare("eq", count_maps(e, a), 0)
    for side in (a, b):
        if isinstance(side.type, types.Fraction):
            raise NotCompiled("odds")
    among = joined(e.universe(a.type), e.universe(b.type))
    return code.compare("eq", e.mask_in(a, among), e.mask_in(b, among), among.ty)


def _maps_equal(e: Places, a: Expr, b: Expr) -> Operand:
    code = e.code
    assert isinstance(a.type, types.Map)
    first, second = e.entries(a), e.entries(b)
    equal = code.slot("i1")
    code.store("i1", 1, equal)
    with code.count_up(0, types.size(a.type.keys)) as loop:
        x = e.load(e.element(first.pointer, loop.value, first.packed), first.packed, first.tag)
        y = e.load(e.element(second.pointer, loop.value, second.packed), second.packed, second.tag)
        with code.when(code.compare("ne", x, y)):
            code.store("i1", 0, equal)
    return code.load("i1", equal)


def _and(e: Places, expr: ir.Apply) -> Operand:
    return _joined(e, list(expr.arguments), True)


def _or(e: Places, expr: ir.Apply) -> Operand:
    return _joined(e, list(expr.arguments), False)


def _joined(e: Places, arguments: list[Expr], every: bool) -> Operand:
    """From the left; later ones are worked out only where they matter, or where that is cheap and does no harm."""
    if not arguments:
        return int(every)
    code = e.code
    first = e.truth(arguments[0])
    if len(arguments) == 1:
        return first
    rest = arguments[1:]
    if isinstance(first, int):
        return _joined(e, rest, every) if bool(first) is every else first
    if e.cheap(rest[0]):
        second = e.truth(rest[0])
        both = code.both(first, second) if every else code.either(first, second)
        if len(rest) == 1:
            return both
        later = _Given(both)
        return _joined_after(e, later, rest[1:], every)
    return _joined_after(e, _Given(first), rest, every)


class _Given:
    """A test that is worked out already."""

    def __init__(self, value: Operand) -> None:
        self.value = value


def _joined_after(e: Places, first: _Given, rest: list[Expr], every: bool) -> Operand:
    code = e.code
    if e.cheap(rest[0]):
        second = e.truth(rest[0])
        both = code.both(first.value, second) if every else code.either(first.value, second)
        return both if len(rest) == 1 else _joined_after(e, _Given(both), rest[1:], every)
    if every:
        return code.choose(first.value, "i1", lambda: _joined(e, rest, every), lambda: 0)
    return code.choose(first.value, "i1", lambda: 1, lambda: _joined(e, rest, every))


def _not(e: Places, expr: ir.Apply) -> Operand:
    return e.code.complement(e.truth(expr.arguments[0]))


def _implies(e: Places, expr: ir.Apply) -> Operand:
    test, then = expr.arguments
    not_test = ir.Apply(types.Bool(), Op.NOT, (test,))
    return _joined(e, [not_test, then], False)


def _in(e: Places, expr: ir.Apply) -> Operand:
    code = e.code
    member, among = expr.arguments
    if isinstance(member.type, types.Map):
        return has_map(e, member, among)
    if not is_single(member.type):
        return _set_in(e, member, among)
    match among:
        case ir.Apply(_, Op.RANGE, (low, high)):
            first, value = e.number(low), e.number(member)
            above = code.compare("sge", value, first)
            if e.cheap(high):
                return code.both(above, code.compare("sle", value, e.number(high)))
            return code.choose(above, "i1", lambda: code.compare("sle", value, e.number(high)), lambda: 0)
        case ir.PlaceRead(_, place, indices) if isinstance(among.type, types.SetOf):
            return e.lies_in(member, place, indices)
        case ir.Everywhere(_, place):
            return e.lies_somewhere_in(member, place)
        case _:  # cautious: any other set is made, and asked
            pass
    form = e.universe(among.type)
    value = e.number(member)
    mask = e.mask_in(among, form)
    return has_member(e, mask, value, form, member)


def has_member(e: Base, mask: Operand, value: Operand, form: Universe, member: Expr) -> Operand:
    """Whether a value is in a set; none is in no set."""
    code = e.code
    position = code.add(value, form.shift)
    low = int(form.optional)
    if low:
        mask = code.binary("and", mask, -2, form.ty)
    ty = member.type
    given = None if isinstance(ty, types.Optional) or not e.facts.sound(member) else universe(ty, e.game)
    if given is not None and given.base >= form.base and given.base + given.width <= form.base + form.width:
        return code.has_bit(mask, position, form.ty)
    inside = code.compare("ult", position, form.width)
    return code.both(inside, code.has_bit(mask, code.select(inside, position, 0), form.ty))


def _set_in(e: Places, member: Expr, among: Expr) -> Operand:
    """A set among sets, a map among maps: compared with each."""
    code = e.code
    assert isinstance(among, ir.Apply | ir.Const) and isinstance(among.type, types.SetOf), among
    candidates: list[Expr]
    if isinstance(among, ir.Const):
        assert isinstance(among.value, tuple)
        candidates = [ir.Const(member.type, value) for value in among.value]
    else:
        candidates = list(among.arguments)
    found: Operand = 0
    for candidate in candidates:
        found = code.either(found, equality(e, member, candidate))
    return found


def _seat(offset: int) -> Write:
    def write(e: Places, expr: ir.Apply) -> Operand:
        word = e.code.load("i64", e.at(offset), e.unit.tag("seats"), 8)
        return e.code.has_bit(word, e.number(expr.arguments[0]), "i64")

    return write


# ---------------------------------------------------------------------------------------------------------------- sets


def _set(e: Places, expr: ir.Apply) -> Operand:
    among = e.universe(expr.type)
    mask: Operand = 0
    for argument in expr.arguments:
        value = e.number(argument)
        bit = e.code.bit(e.code.add(value, among.shift), among.ty)
        if isinstance(argument.type, types.Optional):
            none = 1 if among.optional else 0
            bit = e.code.select(e.code.compare("eq", value, NONE), none, bit, among.ty)
        mask = e.code.binary("or", mask, bit, among.ty)
    return mask


def _union(e: Places, expr: ir.Apply) -> Operand:
    among = e.universe(expr.type)
    a, b = (e.mask_in(argument, among) for argument in expr.arguments)
    return e.code.binary("or", a, b, among.ty)


def _difference(e: Places, expr: ir.Apply) -> Operand:
    among = e.universe(expr.type)
    a, b = (e.mask_in(argument, among) for argument in expr.arguments)
    return e.code.binary("and", a, e.code.complement(b, among.ty), among.ty)


def _range(e: Places, expr: ir.Apply) -> Operand:
    among = e.universe(expr.type)
    code = e.code
    low, high = (e.number(argument) for argument in expr.arguments)
    low = code.select(code.compare("slt", low, among.base), among.base, low)
    last = among.base + among.width - 1
    high = code.select(code.compare("sgt", high, last), last, high)
    count = code.add(code.sub(high, low), 1)
    some = code.compare("sgt", count, 0)
    full = first_bits(e, code.select(some, count, 1), among.ty)
    start = code.select(some, code.add(low, among.shift), 0)
    mask = code.binary("shl", full, code.convert(start, "i64", among.ty), among.ty)
    return code.select(some, mask, 0, among.ty)


def first_bits(e: Base, count: Operand, ty: str) -> Operand:
    """So many bits, at least one: from the lowest."""
    code = e.code
    up = code.convert(code.sub(int(ty[1:]), count), "i64", ty)
    return code.binary("lshr", -1, up, ty)


def _known_set(e: Places, expr: ir.Apply) -> Operand:
    return e.mask_in(expr.arguments[0], e.universe(expr.type))


def _checked_set(e: Places, expr: ir.Apply) -> Operand:
    (members,) = expr.arguments
    given, target = e.universe(members.type), e.universe(expr.type)
    mask = e.mask(members)
    assert isinstance(expr.type, types.SetOf)
    allowed = [value for value in types.values(expr.type.of) if _in_universe(value, given)]
    outside = e.code.binary("and", mask, ~given.mask(allowed), given.ty)
    e.require(e.code.compare("eq", outside, 0, given.ty), f"a member is not in {types.type_name(expr.type.of)}")
    return e.adapt(e.code.binary("and", mask, given.mask(allowed), given.ty), given, target)


def _in_universe(value: object, form: Universe) -> bool:
    return form.optional if value is None else isinstance(value, int) and 0 <= value + form.shift < form.width


NUMBERS: dict[Op, Write] = {
    Op.ADD: _arithmetic("add"),
    Op.SUBTRACT: _arithmetic("sub"),
    Op.MULTIPLY: _arithmetic("mul"),
    Op.DIVIDE: _quotient(False),
    Op.MODULO: _quotient(True),
    Op.NEGATE: _negate,
    Op.ABS: _abs,
    Op.MIN: _extreme("slt"),
    Op.MAX: _extreme("sgt"),
    Op.SIZE: _size,
    Op.NTH: _nth,
    Op.ONLY: _one("exactly one was expected", False),
    Op.MAYBE: _one("at most one was expected", True),
    Op.TURN: _turn,
    Op.TURNS: _turns,
    Op.ANGLE: _angle,
    Op.KEY: _key,
    Op.CHECK: _check,
    Op.KNOWN: _known,
    Op.SPOT: _spot,
}

TRUTHS: dict[Op, Write] = {
    Op.EQUAL: _equal(True),
    Op.UNEQUAL: _equal(False),
    Op.LESS: _compared("slt"),
    Op.AT_MOST: _compared("sle"),
    Op.MORE: _compared("sgt"),
    Op.AT_LEAST: _compared("sge"),
    Op.AND: _and,
    Op.OR: _or,
    Op.NOT: _not,
    Op.IMPLIES: _implies,
    Op.IN: _in,
    Op.HAS_WON: _seat(8),
    Op.HAS_LOST: _seat(16),
    Op.IS_OUT: _seat(24),
}

MASKS: dict[Op, Write] = {
    Op.SET: _set,
    Op.UNION: _union,
    Op.DIFFERENCE: _difference,
    Op.RANGE: _range,
    Op.KNOWN: _known_set,
    Op.CHECK: _checked_set,
}
