"""The order of turns: who is asked first once `play` has begun, who second, and so on.

It is noted in the context, while a play goes on: a mask of the seats that were asked, and for each seat a byte, the how
manieth it was to be asked for the first time; 0 as long as it was not.
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.expressions.emitter import CONTEXT
from seaspec.backends.native.values.unit import Unit


def forget_asked(unit: Unit, code: Code) -> None:
    """Nobody has been asked yet."""
    mask, nth = _parts(unit, code)
    code.store("i64", 0, mask)
    code.line(f"call void @llvm.memset.p0.i64(ptr {nth}, i8 0, i64 {unit.layout.seats}, i1 false)")


def note_asked(unit: Unit, code: Code, who: Callable[[], Operand]) -> None:
    """Somebody is asked; `who` writes which seat. That it has no value is found elsewhere: here it changes nothing."""
    mask, nth = _parts(unit, code)
    asked = code.load("i64", mask)
    with code.when(code.compare("ne", asked, (1 << unit.layout.seats) - 1)):
        code.fails = False
        seat = who()
        if code.fails:
            code.store("i64", 0, CONTEXT, unit.tag("error"))
        is_new = code.complement(code.has_bit(asked, seat, "i64"))
        with code.when(code.both(code.compare("ult", seat, unit.layout.seats), is_new)):
            count = code.add(code.population(asked, "i64"), 1)
            code.store("i8", code.convert(count, "i64", "i8"), code.offset(nth, seat), "", 1)
            code.store("i64", code.binary("or", asked, code.bit(seat, "i64")), mask)


def nth_asked(unit: Unit, code: Code, seat: Operand) -> Operand:
    """The how manieth this seat was to be asked, from 1; 0 if it never was."""
    _, nth = _parts(unit, code)
    return code.convert(code.load("i8", code.offset(nth, seat), "", 1), "i8", "i64")


def _parts(unit: Unit, code: Code) -> tuple[str, str]:
    mask, nth = (unit.context.part(name, unit.layout.seats) for name in ("seats asked", "order of turns"))
    return code.offset(CONTEXT, mask), code.offset(CONTEXT, nth)
