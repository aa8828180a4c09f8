"""Many plays in one call: each from its own seed, its end and its length counted."""

from __future__ import annotations

from seaspec.backends.native.assembly import Code
from seaspec.backends.native.control import PLAY
from seaspec.backends.native.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.unit import Context, Unit

LENGTHS = 2048
"""Lengths of plays are counted one by one up to here; longer ones are counted together."""
ENDINGS = 1024
"""Room for different ends: winners and losers."""
WORDS = 8
"""Words before the lengths: plays, plies, squares of plies, choices, the longest, the play that failed plus 1."""


def write_play(unit: Unit, image: bytes) -> None:
    """`play(state, context)`: from where the state rests at random to the end. `simulate(state, context, seed, first,
    count, totals)`: so many plays, the first with that number; `totals` are added to."""
    begin = Code("begin", "void", [("ptr", STATE)], attributes="")
    size = unit.layout.end
    array = unit.array(list(image[:size]), 8)
    begin.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {STATE}, ptr {array}, i64 {size}, i1 false)")
    begin.give()
    unit.add(begin)
    _write_simulate(unit)


def _write_simulate(unit: Unit) -> None:
    layout = unit.layout
    params = [*FRAME_PARAMS, ("i64", "%seed"), ("i64", "%first"), ("i64", "%count"), ("ptr", "%totals")]
    code = Code("simulate", "i64", params, attributes="")

    def add(place: object, amount: object) -> None:
        pointer = code.offset("%totals", place)  # type: ignore[arg-type]
        code.store("i64", code.add(code.load("i64", pointer), amount), pointer)  # type: ignore[arg-type]

    failed = code.label("failed")
    with code.count_up(0, "%count") as loop:
        number = code.add(loop.value, "%first")
        code.call("void", "begin", [("ptr", STATE)])
        code.call("void", "seed", [("ptr", CONTEXT), ("i64", "%seed"), ("i64", number)])
        for offset in (Context.PLIES, Context.CHOICES, Context.FUEL):
            code.store("i64", 0, code.offset(CONTEXT, offset))
        wrong = code.call("i64", "run", [("ptr", STATE), ("ptr", CONTEXT), ("i64", PLAY), ("i64", 0)])
        fine = code.label("fine")
        code.store("i64", code.add(number, 1), code.offset("%totals", 40))
        code.branch(code.compare("eq", wrong, 0), fine, failed)
        code.place(fine)
        plies = code.load("i64", code.offset(CONTEXT, Context.PLIES))
        add(0, 1)
        add(8, plies)
        add(16, code.mul(plies, plies))
        add(24, code.load("i64", code.offset(CONTEXT, Context.CHOICES)))
        longest = code.load("i64", code.offset("%totals", 32))
        longer = code.select(code.compare("sgt", plies, longest), plies, longest)
        code.store("i64", longer, code.offset("%totals", 32))
        short = code.select(code.compare("slt", plies, LENGTHS - 1), plies, LENGTHS - 1)
        add(code.mul(code.add(short, WORDS), 8), 1)
        winners = code.load("i64", code.offset(STATE, layout.WINNERS))
        losers = code.load("i64", code.offset(STATE, layout.LOSERS))
        with code.count_up(0, ENDINGS) as entry:
            place = code.add(code.mul(entry.value, 24), 8 * (WORDS + LENGTHS))
            counted = code.load("i64", code.offset("%totals", code.add(place, 16)))
            same = code.both(
                code.compare("eq", code.load("i64", code.offset("%totals", place)), winners),
                code.compare("eq", code.load("i64", code.offset("%totals", code.add(place, 8))), losers),
            )
            with code.when(code.either(same, code.compare("eq", counted, 0))):
                code.store("i64", winners, code.offset("%totals", place))
                code.store("i64", losers, code.offset("%totals", code.add(place, 8)))
                code.store("i64", code.add(counted, 1), code.offset("%totals", code.add(place, 16)))
                code.jump(entry.done)
    code.store("i64", 0, code.offset("%totals", 40))
    code.give(0)
    code.place(failed)
    code.give(1)
    unit.add(code)
