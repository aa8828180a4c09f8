"""Sets of maps that a state keeps: how many members there are, whether a map is among them, putting one in.

The members stand in memory one after the other, ascending by their words: equal sets are equal memory. A state is read,
filled and emptied; a set of maps that is worked out in any other way is not compiled.
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import REMEMBERED, NotCompiled
from seaspec.backends.native.expressions.emitter import Base
from seaspec.backends.native.expressions.places import Places
from seaspec.backends.native.values.layout import Maps
from seaspec.backends.native.values.shapes import NONE
from seaspec.core import ir, types
from seaspec.core.ir import Expr
from seaspec.core.ops import Op


def count_maps(e: Places, members: Expr) -> Operand:
    """How many members a set of maps has."""
    pointer, _, tag = _kept(e, members)
    return e.code.load("i64", pointer, tag)


def has_map(e: Places, member: Expr, among: Expr) -> Operand:
    """Whether a map is in a set of maps."""
    pointer, maps, _ = _kept(e, among)
    key, fits = _words(e, member, maps)
    at = _find(e, pointer, key, maps)
    return e.code.both(fits, e.code.compare("sge", at, 0))


def keep_maps(
    e: Places, target: ir.Assign, value: Expr, maps: Maps, pointer: str, may_be_set: Callable[[], None]
) -> None:
    """A state gets another set of maps: itself with some, or without some, or these."""
    code, tag = e.code, e.unit.tag(f"state {target.state}")
    op: Op | None = None
    match value:
        case ir.Apply(_, (Op.UNION | Op.DIFFERENCE) as kind, (before, given)) if _is_target(target, before):
            op, members = kind, _listed(given)
        case _:  # cautious: what is no list of maps is not compiled
            members = _listed(value)
    if members is None:
        raise NotCompiled(f"the set of maps that {target.state} gets")
    keys = [_words(e, member, maps) for member in members]
    if op is not Op.DIFFERENCE:
        for _, fits in keys:
            e.require(fits, "a value is not in its type")
    may_be_set()
    if op is None:
        size = 8 + 8 * maps.words * maps.most
        code.line(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false){tag}")
    for key, fits in keys:
        at = _find(e, pointer, key, maps)
        if op is Op.DIFFERENCE:
            with code.when(code.both(fits, code.compare("sge", at, 0))):
                _take_out(e, pointer, at, maps, tag)
        else:
            with code.when(code.both(fits, code.compare("slt", at, 0))):
                _put_in(e, pointer, key, code.sub(-1, at), maps, tag)


def _listed(members: Expr) -> list[Expr] | None:
    """The members of a set that is written out."""
    match members:
        case ir.Apply(_, Op.SET, given):
            return list(given)
        case ir.Const(types.SetOf(of), tuple() as values):
            return [ir.Const(of, value) for value in values]
        case _:  # cautious: not known one by one
            return None


def _is_target(target: ir.Assign, read: Expr) -> bool:
    return isinstance(read, ir.StateRead) and (read.state, read.indices) == (target.state, target.indices)


def _kept(e: Places, members: Expr) -> tuple[str, Maps, str]:
    """Where a set of maps stands, and in which form."""
    if isinstance(members, ir.Openly):
        return _kept(e, members.inner)
    if not isinstance(members, ir.StateRead):
        raise NotCompiled("a set of maps that is not read from a state")
    maps = e.layout.states[members.state].maps
    assert maps is not None
    return e.state_pointer(members), maps, e.unit.tag(f"state {members.state}")


def _words(e: Base, mapping: Expr, maps: Maps) -> tuple[str, Operand]:
    """A map in memory as members are kept, and whether all its entries can be."""
    code = e.code
    given = e.entries(mapping)
    key, fits = code.slot("i64", maps.words), code.slot("i1")
    code.store("i64", 0, code.offset(key, 8 * (maps.words - 1)))
    code.store("i1", 1, fits)
    assert isinstance(mapping.type, types.Map)
    with code.count_up(0, maps.keys) as loop:
        value = e.load(e.element(given.pointer, loop.value, given.packed), given.packed, given.tag)
        code.store("i1", code.both(code.load("i1", fits), _fits(e, value, maps)), fits)
        e.store(value, e.element(key, loop.value, maps.packed), maps.packed)
    return key, code.load("i1", fits)


def _fits(e: Base, value: Operand, maps: Maps) -> Operand:
    """Whether an entry can be kept, and nothing else is kept as it is."""
    code, form = e.code, maps.packed
    plain = code.add(value, form.shift)
    fits: Operand = code.compare("ule", plain, (1 << form.bits) - 1) if form.bits < 64 else 1
    if not form.optional:
        return fits
    return code.either(code.compare("eq", value, NONE), code.both(fits, code.compare("ne", plain, 0)))


def _find(e: Base, pointer: str, key: str, maps: Maps) -> Operand:
    """Where a member stands; if it is not there, -1 less where it would."""
    name = e.unit.function(("find a map", maps.words), "find_map", lambda name: _write_find(name, maps.words))
    return e.code.call("i64", name, [("ptr", pointer), ("ptr", key)])


def _write_find(name: str, words: int) -> Code:
    code = Code(name, "i64", [("ptr", "%set"), ("ptr", "%key")])
    count, place = code.load("i64", "%set"), code.slot("i64")
    code.store("i64", 0, place)
    head, body, onward, missing = (code.label(hint) for hint in ("head", "body", "onward", "missing"))
    code.place(head)
    here = code.load("i64", place)
    code.branch(code.compare("ult", here, count), body, missing)
    code.place(body)
    member = code.offset("%set", code.add(code.mul(here, 8 * words), 8))
    with code.count_up(0, words) as loop:
        spot = code.mul(loop.value, 8)
        one, other = (code.load("i64", code.offset(start, spot)) for start in (member, "%key"))
        differs = code.label("differs")
        code.branch(code.compare("eq", one, other), loop.onward, differs)
        code.place(differs)
        code.branch(code.compare("ult", one, other), onward, missing)
    code.give(here)
    code.place(onward)
    code.store("i64", code.add(here, 1), place)
    code.jump(head)
    code.place(missing)
    code.give(code.sub(-1, code.load("i64", place)))
    return code


def _put_in(e: Base, pointer: str, key: str, place: Operand, maps: Maps, tag: str) -> None:
    """A map gets its place among the members, if there is room."""
    code, size = e.code, 8 * maps.words
    count = code.load("i64", pointer, tag)
    room: Operand = 1 if maps.closed else code.compare("ult", count, maps.most)
    e.require(room, REMEMBERED)
    with code.when(room):
        first = code.offset(pointer, code.add(code.mul(place, size), 8))
        behind = code.mul(code.sub(count, place), size)
        second = code.offset(first, size)
        code.line(f"call void @llvm.memmove.p0.p0.i64(ptr {second}, ptr {first}, i64 {behind}, i1 false){tag}")
        code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {first}, ptr {key}, i64 {size}, i1 false)")
        code.store("i64", code.add(count, 1), pointer, tag)


def _take_out(e: Base, pointer: str, place: Operand, maps: Maps, tag: str) -> None:
    """A member goes, and what stood behind it moves up."""
    code, size = e.code, 8 * maps.words
    count = code.sub(code.load("i64", pointer, tag), 1)
    first = code.offset(pointer, code.add(code.mul(place, size), 8))
    behind = code.mul(code.sub(count, place), size)
    second = code.offset(first, size)
    code.line(f"call void @llvm.memmove.p0.p0.i64(ptr {first}, ptr {second}, i64 {behind}, i1 false){tag}")
    last = code.offset(pointer, code.add(code.mul(count, size), 8))
    code.line(f"call void @llvm.memset.p0.i64(ptr {last}, i8 0, i64 {size}, i1 false){tag}")
    code.store("i64", count, pointer, tag)
