"""Many plays in one call: each from its own seed, its end and its length counted. The length is in decisions."""

from __future__ import annotations

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.control import PLAY
from seaspec.backends.native.flow.turns import forget_asked, nth_asked
from seaspec.backends.native.values.layout import Layout
from seaspec.backends.native.values.unit import Context, Unit

MOST_DECISIONS = 1_000_000
"""A play can have so many decisions; fewer are allowed as one likes."""
ENDINGS = 1024
"""Room for different ends: block, winners, losers, and how many plays had them."""
ENDING = 4
"""Words of an end."""
PLAYS, CHOICES, CUT_OFF, LONGEST, NUMBER, UNLISTED, SCORED, SCORES = range(0, 64, 8)
"""What is counted: plays, choices, plays with too many decisions, decisions of the longest of the others; the
play that runs; plays with an ending for which there was no room; plays that ended with scores, and where these go (0:
nowhere): for each such play, and each seat in it, the how manieth it was in the order of turns, and its scores."""
WORDS = 8
"""Words before the endings; after these come the turns, then the plays by length."""
MOST_SCORED = 4096
"""So many plays at most in one call, if the game has scores."""


def turns_words(seats: int) -> int:
    """Words for the turns: for each seat, and each place in the order of turns (0: never asked), in how many plays it
    had this place, and how many of these it has won."""
    return 2 * seats * (seats + 1)


def scores_words(layout: Layout) -> int:
    """Words for the scores of a play."""
    return layout.seats * (1 + layout.terms) if layout.terms else 0


def write_begin(unit: Unit, image: bytes) -> None:
    """`begin(state)`: as it is before anything has happened."""
    begin = Code("begin", "void", [("ptr", STATE)], attributes="")
    plain = image.rstrip(b"\0")
    begin.line(f"call void @llvm.memset.p0.i64(ptr {STATE}, i8 0, i64 {unit.layout.end}, i1 false)")
    array = unit.array(list(plain), 8)
    begin.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {STATE}, ptr {array}, i64 {len(plain)}, i1 false)")
    begin.give()
    unit.add(begin)


def write_play(unit: Unit) -> None:
    """`simulate(state, context, seed, first, count, limit, totals)`: so many plays, the first with that number, at most
    so many decisions in each; `totals` are added to."""
    layout = unit.layout
    numbers = [("i64", "%seed"), ("i64", "%first"), ("i64", "%count"), ("i64", "%limit")]
    code = Code("simulate", "i64", [*FRAME_PARAMS, *numbers, ("ptr", "%totals")], attributes="")

    def add(place: Operand, amount: Operand) -> None:
        pointer = code.offset("%totals", place)
        code.store("i64", code.add(code.load("i64", pointer), amount), pointer)

    failed = code.label("failed")
    with code.count_up(0, "%count") as loop:
        number = code.add(loop.value, "%first")
        code.call("void", "begin", [("ptr", STATE)])
        code.call("void", "seed", [("ptr", CONTEXT), ("i64", "%seed"), ("i64", number)])
        forget_asked(unit, code)
        for offset in (Context.CHOICES, Context.FUEL):
            code.store("i64", 0, code.offset(CONTEXT, offset))
        code.store("i64", code.add("%limit", 1), code.offset(CONTEXT, Context.LEFT))
        wrong = code.call("i64", "run", [("ptr", STATE), ("ptr", CONTEXT), ("i64", PLAY), ("i64", 0)])
        fine, over, cut_off = code.label("fine"), code.label("over"), code.label("cut.off")
        code.store("i64", number, code.offset("%totals", NUMBER))
        code.branch(code.compare("eq", wrong, 0), fine, failed)
        code.place(fine)
        add(PLAYS, 1)
        add(CHOICES, code.load("i64", code.offset(CONTEXT, Context.CHOICES)))
        left = code.load("i64", code.offset(CONTEXT, Context.LEFT))
        code.branch(code.compare("eq", left, 0), cut_off, over)
        code.place(cut_off)
        add(CUT_OFF, 1)
        code.jump(loop.onward)
        code.place(over)
        length = code.sub(code.add("%limit", 1), left)
        longest = code.load("i64", code.offset("%totals", LONGEST))
        longer = code.select(code.compare("sgt", length, longest), length, longest)
        code.store("i64", longer, code.offset("%totals", LONGEST))
        before = WORDS + ENDING * ENDINGS + turns_words(layout.seats)
        add(code.mul(code.add(length, before), 8), 1)
        block = code.convert(code.load("i16", STATE), "i16", "i64")
        winners = code.load("i64", code.offset(STATE, layout.WINNERS))
        losers = code.load("i64", code.offset(STATE, layout.LOSERS))
        for seat in range(layout.seats):
            nth = nth_asked(unit, code, seat)
            place = code.add(code.mul(nth, 16), 8 * (WORDS + ENDING * ENDINGS) + 16 * (layout.seats + 1) * seat)
            add(place, 1)
            add(code.add(place, 8), code.convert(code.has_bit(winners, seat, "i64"), "i1", "i64"))
        if layout.terms:
            _write_scores(unit, code)
        with code.count_up(0, ENDINGS) as entry:
            place = code.add(code.mul(entry.value, 8 * ENDING), 8 * WORDS)
            words = [code.offset("%totals", code.add(place, 8 * word)) for word in range(ENDING)]
            counted = code.load("i64", words[3])
            same: Operand = 1
            for word, value in zip(words, (block, winners, losers), strict=False):
                same = code.both(same, code.compare("eq", code.load("i64", word), value))
            with code.when(code.either(same, code.compare("eq", counted, 0))):
                for word, value in zip(words, (block, winners, losers, code.add(counted, 1)), strict=True):
                    code.store("i64", value, word)
                code.jump(loop.onward)
        add(UNLISTED, 1)
    code.give(0)
    code.place(failed)
    code.give(1)
    unit.add(code)


def _write_scores(unit: Unit, code: Code) -> None:
    """The scores of a play that is over, if it was decided by them."""
    layout = unit.layout
    scored = code.load("i8", code.offset(STATE, layout.SCORED), "", 1)
    rows = code.load("ptr", code.offset("%totals", SCORES))
    is_wanted = code.compare("ne", code.load("i64", code.offset("%totals", SCORES)), 0)
    with code.when(code.both(is_wanted, code.compare("ne", scored, 0, "i8"))):
        counter = code.offset("%totals", SCORED)
        count = code.load("i64", counter)
        code.store("i64", code.add(count, 1), counter)
        row = code.offset(rows, code.mul(count, 8 * scores_words(layout)))
        for seat in range(layout.seats):
            start = 8 * (1 + layout.terms) * seat
            code.store("i64", nth_asked(unit, code, seat), code.offset(row, start))
            for term in range(layout.terms):
                value = code.load("i64", code.offset(STATE, layout.scores + 8 * (layout.terms * seat + term)))
                code.store("i64", value, code.offset(row, start + 8 * (1 + term)))
