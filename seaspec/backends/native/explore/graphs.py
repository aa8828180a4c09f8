"""The graph of a game that was explored, in machine code: the longest way, calls on it, what can be reached from where.

    lay(first, count, sources, edges, from, out)     enter positions and the steps that leave them
    measure(job)                                     one walk through all (Tarjan): strongly connected components
    first_doomed(first, count, bit, out, reach)      the first position where somebody decides, and a goal is lost
    first_lacking(first, count, bit, lack, out, reach)
                                                     .. what a goal is said to need is missing, and it is not lost
    find_round(job, kind)                            a step that weighs something and leads back to where it begins
    pour(first, count, sources, edges, ways, onward, total)
                                                     the ways to positions lead on along their steps, and are added up

When a component is complete, all that can be reached from it is known; then the heaviest way that begins in it is. It
has a weight for each kind: steps, and the calls of up to three procedures. A component with a step inside of it that
weighs something has no heaviest way: this is noted, and the weight is then that of ways out of it.
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.flow.judging import CALL_BITS, MOST_COUNTED
from seaspec.backends.native.values.unit import Unit

KINDS = 1 + MOST_COUNTED
MOST_CALLS = (1 << CALL_BITS) - 1


class Graphs:
    """Writes the functions. `words`: the job of `measure`; the other numbers are as exploring.py has them."""

    def __init__(self, unit: Unit, words: dict[str, int], parts: int, target_bits: int, decides: int) -> None:
        self.unit, self.words, self.parts, self.target_bits, self.decides = unit, words, parts, target_bits, decides
        self.code = Code("none", "void", ())

    def write(self) -> None:
        self._write_lay()
        self._write_measure()
        self._write_first_doomed()
        self._write_first_lacking()
        self._write_find_round()
        self._write_pour()

    # ----------------------------------------------------------------------------------------------------- memory

    def array(self, name: str) -> str:
        return self.code.load("ptr", self.code.offset("%job", self.words[name]))

    def get(self, array: str, place: Operand, ty: str = "i32") -> Operand:
        code, size = self.code, int(ty[1:]) // 8
        return code.convert(code.load(ty, code.offset(array, code.mul(place, size)), "", size), ty, "i64")

    def put(self, array: str, place: Operand, value: Operand, ty: str = "i32") -> None:
        code, size = self.code, int(ty[1:]) // 8
        code.store(ty, code.convert(value, "i64", ty), code.offset(array, code.mul(place, size)), "", size)

    def target(self, step: Operand) -> Operand:
        return self.code.binary("and", step, (1 << self.target_bits) - 1)

    def weight(self, step: Operand, kind: int) -> Operand:
        if kind == 0:
            return 1
        shifted = self.code.binary("lshr", step, self.target_bits + CALL_BITS * (kind - 1))
        return self.code.binary("and", shifted, MOST_CALLS)

    def more(self, slot: str, value: Operand) -> None:
        """A slot keeps the greatest value."""
        code = self.code
        before = code.load("i64", slot)
        code.store("i64", code.select(code.compare("ugt", value, before), value, before), slot)

    def bump(self, slot: str, by: int) -> Operand:
        value = self.code.add(self.code.load("i64", slot), by)
        self.code.store("i64", value, slot)
        return value

    def done(self) -> None:
        self.code.give(0)
        self.unit.add(self.code)

    # -------------------------------------------------------------------------------------------------- functions

    def _write_lay(self) -> None:
        params = [("i64", "%first"), ("i64", "%count"), ("ptr", "%sources"), ("i64", "%edges")]
        self.code = code = Code("lay", "i64", [*params, ("ptr", "%from"), ("ptr", "%out")], attributes="")
        place = code.slot("i64")
        code.store("i64", "%edges", place)
        with code.count_up(0, "%count") as loop:
            number = code.add("%first", code.mul(loop.value, self.parts))
            here = code.load("i64", place)
            noted = self.get("%sources", loop.value, "i64")
            self.put("%from", number, here, "i64")
            self.put("%out", number, noted, "i64")
            steps = code.binary("and", noted, (1 << 32) - 1)
            code.store("i64", code.add(here, code.mul(steps, 8)), place)
        self.done()

    def _steps(self, number: Operand) -> tuple[str, Operand]:
        """The memory of the steps that leave a position, and how many there are."""
        code = self.code
        start = code.value(f"inttoptr i64 {self.get(self.array('from'), number, 'i64')} to ptr")
        return start, code.binary("and", self.get(self.array("out"), number, "i64"), (1 << 32) - 1)

    def _write_measure(self) -> None:
        self.code = code = Code("measure", "i64", [("ptr", "%job")], attributes="")
        self.index, self.low, self.comp = self.array("index"), self.array("low"), self.array("comp")
        self.place, self.stack, self.call = self.array("place"), self.array("stack"), self.array("call")
        self.best = [self.array(f"best{kind}") for kind in range(KINDS)]
        self.reach = self.array("reach")
        self.clock, self.height, self.depth, self.comps = (code.slot("i64") for _ in range(4))
        for slot in (self.clock, self.height, self.depth, self.comps):
            code.store("i64", 0, slot)
        self._visit(code.load("i64", code.offset("%job", self.words["root"])))
        head, body, end = code.label("head"), code.label("body"), code.label("end")
        code.place(head)
        depth = code.load("i64", self.depth)
        code.branch(code.compare("eq", depth, 0), end, body)
        code.place(body)
        here = self.get(self.call, code.sub(depth, 1))
        start, count = self._steps(here)
        at = self.get(self.place, here)
        follow, leave = code.label("follow"), code.label("leave")
        code.branch(code.compare("ult", at, count), follow, leave)
        code.place(follow)
        self.put(self.place, here, code.add(at, 1))
        step = self.get(start, at, "i64")
        real = code.label("real")
        code.branch(code.compare("eq", step, -1), head, real)
        code.place(real)
        target = self.target(step)
        seen, new, pending = self.get(self.index, target), code.label("new"), code.label("old")
        code.branch(code.compare("eq", seen, 0), new, pending)
        code.place(new)
        self._visit(target)
        code.jump(head)
        code.place(pending)
        with code.when(code.compare("eq", self.get(self.comp, target), 0)):
            self._lower(here, seen)
        code.jump(head)
        code.place(leave)
        self.bump(self.depth, -1)
        with code.when(code.compare("ugt", depth, 1)):
            self._lower(self.get(self.call, code.sub(depth, 2)), self.get(self.low, here))
        with code.when(code.compare("eq", self.get(self.low, here), self.get(self.index, here))):
            self._complete(here)
        code.jump(head)
        code.place(end)
        self.done()

    def _visit(self, number: Operand) -> None:
        clock = self.bump(self.clock, 1)
        self.put(self.index, number, clock)
        self.put(self.low, number, clock)
        self.put(self.stack, self.code.sub(self.bump(self.height, 1), 1), number)
        self.put(self.call, self.code.sub(self.bump(self.depth, 1), 1), number)

    def _lower(self, number: Operand, value: Operand) -> None:
        before = self.get(self.low, number)
        self.put(self.low, number, self.code.select(self.code.compare("ult", value, before), value, before))

    def _complete(self, number: Operand) -> None:
        """All that is on the stack down to a position is a component."""
        code = self.code
        mine = self.bump(self.comps, 1)
        top, base = code.load("i64", self.height), code.slot("i64")
        code.store("i64", top, base)
        again, done = code.label("again"), code.label("whole")
        code.place(again)
        member = self.get(self.stack, self.bump(base, -1))
        self.put(self.comp, member, mine)
        code.branch(code.compare("eq", member, number), done, again)
        code.place(done)
        bottom = code.load("i64", base)
        best, reach, endless = [code.slot("i64") for _ in range(KINDS)], code.slot("i64"), code.slot("i64")
        for slot in (*best, reach, endless):
            code.store("i64", 0, slot)
        with code.count_up(bottom, top) as loop:
            here = self.get(self.stack, loop.value)
            goals = code.binary("lshr", self.get(self.array("out"), here, "i64"), 32)
            self._join(reach, goals)
            start, count = self._steps(here)
            with code.count_up(0, count) as steps:
                step = self.get(start, steps.value, "i64")
                with code.when(code.compare("ne", step, -1)):
                    self._weigh(step, mine, best, reach, endless)
        with code.count_up(bottom, top) as loop:
            here = self.get(self.stack, loop.value)
            for kind in range(KINDS):
                self.put(self.best[kind], here, code.load("i64", best[kind]))
            self.put(self.reach, here, code.load("i64", reach))
        code.store("i64", bottom, self.height)
        noted = code.offset("%job", self.words["endless"])
        code.store("i64", code.binary("or", code.load("i64", noted), code.load("i64", endless)), noted)

    def _join(self, slot: str, bits: Operand) -> None:
        self.code.store("i64", self.code.binary("or", self.code.load("i64", slot), bits), slot)

    def _weigh(self, step: Operand, mine: Operand, best: list[str], reach: str, endless: str) -> None:
        code = self.code
        target = self.target(step)
        inside, outside, end = code.label("inside"), code.label("outside"), code.label("weighed")
        code.branch(code.compare("eq", self.get(self.comp, target), mine), inside, outside)
        code.place(inside)
        for kind in range(KINDS):
            some = code.compare("ne", self.weight(step, kind), 0)
            self._join(endless, code.binary("shl", code.convert(some, "i1", "i64"), kind))
        code.jump(end)
        code.place(outside)
        self._join(reach, self.get(self.reach, target))
        for kind in range(KINDS):
            self.more(best[kind], code.add(self.get(self.best[kind], target), self.weight(step, kind)))
        code.jump(end)
        code.place(end)
        for kind in range(1, KINDS):  # more calls than can be told
            with code.when(code.compare("eq", self.weight(step, kind), MOST_CALLS)):
                code.store("i64", 1, code.offset("%job", self.words["unfit"]))

    def _write_first_doomed(self) -> None:
        self._write_first("first_doomed", [], lambda noted, reached: self.code.compare("eq", reached, 0))

    def _write_first_lacking(self) -> None:
        def is_wrong(noted: Operand, reached: Operand) -> Operand:
            code = self.code
            lacks = code.binary("and", code.binary("lshr", noted, "%lack"), 1)
            return code.compare("ne", code.binary("and", lacks, reached), 0)

        self._write_first("first_lacking", [("i64", "%lack")], is_wrong)

    def _write_first(
        self, name: str, more: list[tuple[str, str]], is_wrong: Callable[[Operand, Operand], Operand]
    ) -> None:
        """The first position where somebody decides, and what is noted of it and can be reached is wrong; or -1."""
        params = [("i64", "%first"), ("i64", "%count"), ("i64", "%bit"), *more, ("ptr", "%out"), ("ptr", "%reach")]
        self.code = code = Code(name, "i64", params, attributes="")
        with code.count_up(0, "%count") as loop:
            number = code.add("%first", code.mul(loop.value, self.parts))
            noted = code.binary("lshr", self.get("%out", number, "i64"), 32)
            decides = code.compare("ne", code.binary("and", noted, self.decides), 0)
            reached = code.binary("and", code.binary("lshr", self.get("%reach", number), "%bit"), 1)
            with code.when(code.both(decides, is_wrong(noted, reached))):
                code.give(loop.value)
        code.give(-1)
        self.unit.add(code)

    def _write_find_round(self) -> None:
        """The number of the position, and above its 32 bits that of the option; -1: there is none."""
        self.code = code = Code("find_round", "i64", [("ptr", "%job"), ("i64", "%kind")], attributes="")
        comp = self.array("comp")
        with code.count_up(0, code.load("i64", code.offset("%job", self.words["size"]))) as loop:
            mine = self.get(comp, loop.value)
            with code.when(code.compare("ne", mine, 0)):
                start, count = self._steps(loop.value)
                with code.count_up(0, count) as steps:
                    step = self.get(start, steps.value, "i64")
                    with code.when(code.compare("ne", step, -1)):
                        same = code.compare("eq", self.get(comp, self.target(step)), mine)
                        weights = [self.weight(step, kind) for kind in range(KINDS)]
                        weight = weights[0]
                        for kind in range(1, KINDS):
                            weight = code.select(code.compare("eq", "%kind", kind), weights[kind], weight)
                        with code.when(code.both(same, code.compare("ne", weight, 0))):
                            code.give(code.binary("or", loop.value, code.binary("shl", steps.value, 32)))
        code.give(-1)
        self.unit.add(code)

    def _write_pour(self) -> None:
        """1, if there are too many ways. `total`: the sum over decisions of ways times options, in two words."""
        params = [("i64", "%first"), ("i64", "%count"), ("ptr", "%sources"), ("ptr", "%edges"), ("ptr", "%ways")]
        params += [("ptr", "%onward"), ("ptr", "%total")]
        self.code = code = Code("pour", "i64", params, attributes="")
        place = code.slot("i64")
        code.store("i64", 0, place)
        wrong = code.label("wrong")
        with code.count_up(0, "%count") as loop:
            number = code.add("%first", code.mul(loop.value, self.parts))
            ways = self.get("%ways", number, "i64")
            noted = self.get("%sources", loop.value, "i64")
            options = code.binary("and", noted, (1 << 32) - 1)
            decides = code.compare("slt", noted, 0)
            factor = code.select(decides, options, 0)
            product = code.value(f"mul i128 {self._wide(ways)}, {self._wide(factor)}")
            sum_ = code.value(f"add i128 {code.load('i128', '%total', '', 8)}, {product}")
            code.store("i128", sum_, "%total", "", 8)
            with code.count_up(0, options):
                here = code.load("i64", place)
                code.store("i64", code.add(here, 1), place)
                target = self.target(self.get("%edges", here, "i64"))
                before = self.get("%onward", target, "i64")
                after = code.add(before, ways)
                self.put("%onward", target, after, "i64")
                fits = code.label("fits")
                code.branch(code.compare("ult", after, before), wrong, fits)
                code.place(fits)
        code.give(0)
        code.place(wrong)
        code.give(1)
        self.unit.add(code)

    def _wide(self, value: Operand) -> str:
        return self.code.value(f"zext i64 {value} to i128")
