"""The functions that explore a game: all options of some positions, new positions told from known ones.

Positions are explored layer by layer. They are divided among `PARTS` by their fingerprints, and each part numbers its
own; a position is known by its number in its part times PARTS plus the part. The work goes in rounds of two halves:

    expand_all   from blocks of positions: judge them, take every option, judge the steps. What is come to is a
                 *candidate*, and goes into a bucket by its part. Several *lanes* do this side by side
    insert_all   the candidates of each part, lane by lane, into its table. New positions get the next numbers, and go
                 into a block that is expanded with the next layer

So it does not depend on the number of threads what is found, and in which order. A table has a fingerprint of 64 bits
for each position and, for the graph, its number. In the order of numbers stands from where a position was reached
first, and how. A lane and a part are some words of memory; `LANE`, `PART` name them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.build import host_features, initial_state
from seaspec.backends.native.explore.crew import write_crew
from seaspec.backends.native.explore.graphs import Graphs
from seaspec.backends.native.explore.memory import Words
from seaspec.backends.native.explore.packing import Packing, write_packing
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.control import START, STEP, Run
from seaspec.backends.native.flow.judging import (
    CHOSEN,
    EVENTS,
    FLAGS,
    NOTED,
    OLD,
    SOURCE,
    Event,
    Judging,
    Told,
    write_noting,
)
from seaspec.backends.native.flow.nodes import write_options
from seaspec.backends.native.runtime import runtime
from seaspec.backends.native.values.layout import EXPLORED, Layout
from seaspec.backends.native.values.unit import Context, Unit
from seaspec.core import flow
from seaspec.core.flow import Block, Flow

PARTS, PART_BITS = 8, 3
MOST_OPTIONS = 1 << 20
OPTION_BITS = 24
"""A way to a position: the number of the position before it, and in the lowest bits the option."""
NO_WAY = (1 << 64) - 1
TARGET_BITS = 40
"""A step in the graph: where it leads, and above the calls in it."""
RECORD = 24
"""Bytes of a candidate before its words: fingerprint, way, place and calls of the step."""
DECIDES = 1 << 31
"""Of what is noted of a position for the graph: somebody decides there; below stand the goals that hold."""


LANE = Words(
    "state context block count at first buckets room flags events noted unfit sources edges steps endings won scratch "
    "need full settle courses"
)
"""state, context, scratch: memory to work with, and room for a state
block, count, at, first: packed positions, the next one, the number of the first one
buckets, room: for each part, where its candidates are, and how many (two words), so many at most
flags, events, noted: of events
unfit: what native code can not do came up
sources, edges: for each position how many steps leave it, and what is noted of it; the steps; either may be 0
steps, endings, won: so many were made; a counter for each block; ends that somebody has won
need, full: the room that the position `at` takes; there is no more room
settle, courses: only chance takes its courses, other positions lead to themselves; so many positions did not"""
KINDS = ["expand_all", "insert_all", "grow_all"]
"""The kinds of rounds."""
GROW = Words("table numbers size wider more length")
"""A table, and a wider one that its entries are to go into."""
PART = Words("table numbers size ways block new part count")
"""table, numbers (or 0), size: fingerprints; ways, block: where those of the next new position go; new: so many were
new; part, count: of its positions."""


MEASURE = Words("from out index low comp place stack call best0 best1 best2 best3 reach root size endless unfit")
"""For graphs.py: by the number of a position, where its steps stand, what is noted of it, and what is worked out; the
first position, the end of the numbers; which kinds of weights have no bound; whether there was too much to count."""


@dataclass(frozen=True)
class Facts:
    """What one must know beside the machine code."""

    context_size: int
    rows_size: int
    judging: int
    calls: int
    initial: str
    """The first state, in hexadecimal digits."""
    words: int
    """Words of a packed position."""
    messages: list[str]
    sites: list[tuple[int, int]]
    events: list[Event]
    kin: bool
    """Whether there may be identical pieces."""
    within: list[str]
    goals: list[str]

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Facts:
        """From what JSON makes of the fields: pairs are lists there, and events dictionaries."""
        sites = [(block, step) for block, step in data["sites"]]
        return cls(**{**data, "sites": sites, "events": [Event(**event) for event in data["events"]]})

    @property
    def flags(self) -> int:
        """How many events and errors there are."""
        return len(self.events) + len(self.messages) * (len(self.sites) + 1)


def write_exploring(graph: Flow) -> tuple[str, Facts]:
    """The module that explores a game. Raises `NotCompiled` before anything is run."""
    layout = Layout(graph, EXPLORED)
    unit = Unit(graph, layout)
    image = initial_state(unit)
    judging = Judging(unit)
    judging.require_few()
    packing = Packing(unit)
    Stride(unit, judging).write()
    write_options(unit)
    write_packing(unit, packing)
    _write_hash(unit, packing.words)
    expand = _Expand(unit, judging, packing)
    expand.write()
    expand.write_start()
    _write_expand_all(unit)
    _write_insert(unit, packing.words)
    _write_grow(unit)
    write_crew(unit, KINDS)
    Graphs(unit, MEASURE.places, PARTS, TARGET_BITS, DECIDES).write()
    write_noting(unit, judging)
    text = unit.text(runtime("bmi2" in host_features())) + _DECLARED
    facts = Facts(
        context_size=unit.context.size,
        rows_size=unit.context.rows,
        judging=judging.memory,
        calls=judging.calls,
        initial=image.hex(),
        words=packing.words,
        messages=unit.messages,
        sites=unit.sites,
        events=judging.events.known,
        kin=bool(packing.kin.pieces),
        within=[promise.name for promise in judging.within],
        goals=[goal.name for goal in judging.goals],
    )
    return text, facts


_DECLARED = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"


# ---------------------------------------------------------------------------------------------------------- one step


class Stride(Run):
    """`run`, with promises looked at where procedures begin and end; nothing is ever chosen at random."""

    def __init__(self, unit: Unit, judging: Judging) -> None:
        super().__init__(unit)
        self.writer = Told(unit, self.code, judging)

    def _rest_unless_playing(self, number: Block) -> None:
        self._rest(number)
        self.code.place(self.code.label("never"))


# ------------------------------------------------------------------------------------------------------------ expand


class _Expand:
    """Writes `expand`, which works on a lane until its block is done or there is no more room; and `start`."""

    def __init__(self, unit: Unit, judging: Judging, packing: Packing) -> None:
        self.unit, self.judging, self.packing, self.layout = unit, judging, packing, unit.layout
        self.size = 8 * packing.words
        self.code = Code("expand", "void", [*FRAME_PARAMS, ("ptr", "%job")])

    def get(self, name: str) -> str:
        return self.code.load("i64", self.code.offset("%job", LANE[name]))

    def put(self, name: str, value: Operand) -> None:
        self.code.store("i64", value, self.code.offset("%job", LANE[name]))

    def pointer(self, name: str) -> str:
        return self.code.load("ptr", self.code.offset("%job", LANE[name]))

    def note(self, word: int, value: Operand, ty: str = "i64") -> None:
        self.code.store(ty, value, self.code.offset(CONTEXT, self.judging.memory + word))

    def write_start(self) -> None:
        """`start(state, context, lane)`: a position becomes a candidate; the first one, where nothing has happened yet.
        It gives 0, or 1 if it does not come to that."""
        self.code = code = Code("start", "i64", [*FRAME_PARAMS, ("ptr", "%job")], attributes="")
        self._begin()
        self.note(SOURCE, -1)
        self.note(CHOSEN, -1)
        self.judging.write_step_begins(code)
        begin, wrong, fine = code.label("begin"), code.label("wrong"), code.label("fine")
        code.branch(code.compare("eq", code.load("i16", STATE, "", 2), START - 65536, "i16"), begin, fine)
        code.place(begin)
        failed = code.call("i64", "run", [("ptr", STATE), ("ptr", CONTEXT), ("i64", STEP), ("i64", 0)])
        self.judging.write_step_ends(code)
        code.branch(code.compare("eq", failed, 0), fine, wrong)
        code.place(wrong)
        self._error()
        self._end()
        code.give(1)
        code.place(fine)
        self._add(STATE, 0, -1)
        self._end()
        code.give(0)
        self.unit.add(code)

    def write(self) -> None:
        code = self.code
        self._begin()
        block, first, room = self.pointer("block"), self.get("first"), self.get("room")
        full = code.label("full")
        with code.count_up(self.get("at"), self.get("count")) as loop:
            self.put("at", loop.value)
            packed = code.offset(block, code.mul(loop.value, self.size))
            code.line(f"call void @unpack(ptr {packed}, ptr {STATE}, ptr {CONTEXT})")
            code.store("i64", 0, code.offset(CONTEXT, Context.ERROR), self.unit.tag("error"))
            code.store("i64", 0, code.offset(CONTEXT, Context.FUEL), self.unit.tag("fuel"))
            count: Operand = code.call("i64", "options", [("ptr", STATE), ("ptr", CONTEXT)])
            wrong = code.convert(code.compare("ne", code.load("i64", CONTEXT), 0), "i1", "i64")
            self.put("unfit", code.binary("or", self.get("unfit"), wrong))
            stays = self._stays()
            count = code.select(stays, 1, count)
            self.put("courses", code.add(self.get("courses"), code.convert(code.complement(stays), "i1", "i64")))
            self._require_room(count, room, full)
            number = code.add(first, code.mul(loop.value, PARTS))
            self.note(SOURCE, number)
            self.note(CHOSEN, -1)
            self._look(loop.value, count)
            with code.count_up(0, count) as option:
                move, done = code.label("move"), code.label("moved")
                stay = code.label("stay")
                code.branch(stays, stay, move)
                code.place(stay)
                self._add(STATE, self._counted_step(), -1)
                code.jump(done)
                code.place(move)
                self._take(option.value, number)
                code.place(done)
        self.put("at", self.get("count"))
        self._end()
        code.give()
        code.place(full)
        self.put("full", 1)
        self._end()
        code.give()
        self.unit.add(code)
        if self.judging.steps:
            self._write_judge_step()

    def _begin(self) -> None:
        self.note(FLAGS, self.pointer("flags"), "ptr")
        self.note(EVENTS, self.pointer("events"), "ptr")
        self.note(NOTED, self.get("noted"))
        self.put("full", 0)

    def _end(self) -> None:
        self.put("noted", self.code.load("i64", self.code.offset(CONTEXT, self.judging.memory + NOTED)))

    def _require_room(self, count: Operand, room: Operand, full: str) -> None:
        """All that one position leads to must go into this job."""
        code = self.code
        buckets = self.pointer("buckets")
        most = code.slot("i64")
        code.store("i64", 0, most)
        for part in range(PARTS):
            used = code.load("i64", code.offset(buckets, 16 * part + 8))
            before = code.load("i64", most)
            code.store("i64", code.select(code.compare("ugt", used, before), used, before), most)
        self.put("need", count)
        enough = code.compare("ule", code.add(code.load("i64", most), count), room)
        few = code.compare("ule", code.add(self.get("steps"), count), code.mul(room, PARTS))
        fits = code.both(code.both(enough, few), code.compare("ult", count, MOST_OPTIONS))
        go = code.label("go")
        code.branch(fits, go, full)
        code.place(go)

    def _look(self, place: Operand, count: Operand) -> None:
        """A position is judged, and what the graph needs of it is noted."""
        code, judging = self.code, self.judging
        judging.write_position(code)
        over = code.compare("ne", code.load("i8", code.offset(STATE, self.layout.OVER), "", 1), 0, "i8")
        pc = code.convert(code.load("i16", STATE, "", 2), "i16", "i64")
        with code.when(over):
            entry = code.offset(self.pointer("endings"), code.mul(pc, 8))
            code.store("i64", code.add(code.load("i64", entry), 1), entry)
            some = code.compare("ne", code.load("i64", code.offset(STATE, self.layout.WINNERS)), 0)
            self.put("won", code.add(self.get("won"), code.convert(some, "i1", "i64")))
        with code.when(code.compare("ne", self.get("sources"), 0)):
            entry = code.offset(self.pointer("sources"), code.mul(place, 8))
            decides = [int(isinstance(block.exit, flow.Decision)) for block in self.unit.flow.blocks]
            asked = code.load("i8", code.offset(self.unit.array(decides, 8), pc), "", 1)
            marks = code.select(code.compare("ne", asked, 0, "i8"), DECIDES, 0)
            marks = code.binary("or", marks, judging.goals_met(code))
            code.store("i64", code.binary("or", count, code.binary("shl", marks, 32)), entry, "", 8)

    def _stays(self) -> Operand:
        """Whether the position leads to itself alone."""
        code = self.code
        courses = (flow.ChanceNode, flow.DrawNode, flow.RollNode, flow.ThrowNode)
        others = [int(not isinstance(block.exit, courses)) for block in self.unit.flow.blocks]
        pc = code.convert(code.load("i16", STATE, "", 2), "i16", "i64")
        other = code.load("i8", code.offset(self.unit.array(others, 8), pc), "", 1)
        settles = code.compare("ne", self.get("settle"), 0)
        return code.both(settles, code.compare("ne", other, 0, "i8"))

    def _counted_step(self) -> Operand:
        """The number of the next step."""
        steps = self.get("steps")
        self.put("steps", self.code.add(steps, 1))
        return steps

    def _take(self, option: Operand, number: Operand) -> None:
        """An option is taken: the position that it leads to becomes a candidate."""
        code, judging = self.code, self.judging
        after = self.pointer("scratch")
        code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {after}, ptr {STATE}, i64 {self.layout.end}, i1 false)")
        self.note(CHOSEN, option)
        judging.write_step_begins(code)
        failed = code.call("i64", "run", [("ptr", after), ("ptr", CONTEXT), ("i64", STEP), ("i64", option)])
        judging.write_step_ends(code)
        steps = self._counted_step()
        wrong, fine, done = code.label("wrong"), code.label("fine"), code.label("done")
        code.branch(code.compare("eq", failed, 0), fine, wrong)
        code.place(wrong)
        self._error()
        with code.when(code.compare("ne", self.get("edges"), 0)):
            code.store("i64", -1, code.offset(self.pointer("edges"), code.mul(steps, 8)))
        code.jump(done)
        code.place(fine)
        if judging.steps:
            self.note(OLD, STATE, "ptr")
            code.call("void", "judge_step", [("ptr", after), ("ptr", CONTEXT)])
        self._add(after, steps, code.binary("or", code.binary("shl", number, OPTION_BITS), option))
        code.place(done)

    def _write_judge_step(self) -> None:
        code = Code("judge_step", "void", FRAME_PARAMS)
        self.judging.write_step(code)
        code.give()
        self.unit.add(code)

    def _error(self) -> None:
        """An error is an event whose number says what is wrong and where."""
        code = self.code
        message = code.sub(code.load("i64", code.offset(CONTEXT, Context.ERROR)), 1)
        site = code.add(code.load("i64", code.offset(CONTEXT, Context.SITE)), 1)
        code.store("i64", 0, code.offset(CONTEXT, Context.ERROR))
        number = code.add(code.mul(message, len(self.unit.sites) + 1), site)
        self.judging.note(code, code.add(number, len(self.judging.events.known)))

    def _add(self, after: str, steps: Operand, way: Operand) -> None:
        code = self.code
        words = code.slot("i64", self.packing.words + 1)
        wide = code.call("i64", "pack", [("ptr", after), ("ptr", CONTEXT), ("ptr", words)])
        self.put("unfit", code.binary("or", self.get("unfit"), wide))
        print_ = code.call("i64", "fingerprint", [("ptr", words)])
        part = code.binary("lshr", print_, 64 - PART_BITS)
        bucket = code.offset(self.pointer("buckets"), code.mul(part, 16))
        used_at = code.offset(bucket, 8)
        used = code.load("i64", used_at)
        record = code.offset(code.load("ptr", bucket), code.mul(used, RECORD + self.size))
        code.store("i64", print_, record, "", 8)
        code.store("i64", way, code.offset(record, 8), "", 8)
        calls = code.binary("shl", self.judging.calls_in_step(code), TARGET_BITS)
        code.store("i64", code.binary("or", steps, calls), code.offset(record, 16), "", 8)
        body = code.offset(record, RECORD)
        code.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {body}, ptr align 8 {words}, i64 {self.size}, i1 false)"
        )
        code.store("i64", code.add(used, 1), used_at)


def _write_hash(unit: Unit, words: int) -> None:
    """`fingerprint(words)`: 64 bits, never 0. Each word is multiplied to 128 bits, and its halves are joined."""
    code = Code("fingerprint", "i64", [("ptr", "%words")])
    found: Operand = 0x9E3779B97F4A7C15
    for place in range(words):
        word = code.load("i64", code.offset("%words", 8 * place), "", 8)
        mixed = code.value(f"xor i64 {_signed(found) if isinstance(found, int) else found}, {word}")
        found = _folded(code, mixed, 0xA0761D6478BD642F, words - place)
    found = _folded(code, code.value(f"xor i64 {found}, {_signed(0xE7037ED1A0B428DB)}"), 0x8EBC6AF09C88C6E3, 0)
    code.give(code.select(code.compare("eq", found, 0), 1, found))
    unit.add(code)


def _folded(code: Code, word: Operand, factor: int, salt: int) -> Operand:
    wide = code.value(f"zext i64 {word} to i128")
    product = code.value(f"mul i128 {wide}, {factor + 2 * salt}")
    low = code.value(f"trunc i128 {product} to i64")
    shifted = code.value(f"lshr i128 {product}, 64")
    return code.value(f"xor i64 {low}, {code.value(f'trunc i128 {shifted} to i64')}")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _write_expand_all(unit: Unit) -> None:
    """`expand_all(lanes, count, next)`: the lanes that no other thread has taken, one after the other."""
    _write_for_all(unit, "expand_all", LANE.size, [
        "%state = load ptr, ptr {job}",
        f"%memory = getelementptr inbounds i8, ptr {{job}}, i64 {LANE['context']}",
        "%context = load ptr, ptr %memory",
        "call void @expand(ptr %state, ptr %context, ptr {job})",
    ])  # fmt: skip


def _write_for_all(unit: Unit, name: str, size: int, body: list[str]) -> None:
    """A function over jobs, which takes the number of the next job from memory that all threads share."""
    params = [("ptr", "%jobs"), ("i64", "%count"), ("ptr", "%next"), ("ptr", "%lanes"), ("i64", "%among")]
    code = Code(name, "void", params, attributes="")
    head, work, done = code.label("head"), code.label("work"), code.label("done")
    code.place(head)
    number = code.value("atomicrmw add ptr %next, i64 1 seq_cst")
    code.branch(code.compare("slt", number, "%count"), work, done)
    code.place(work)
    job = code.offset("%jobs", code.mul(number, size))
    for line in body:
        code.line(line.format(job=job))
    code.jump(head)
    code.place(done)
    code.give()
    unit.add(code)


# ------------------------------------------------------------------------------------------------------------ insert


def _slot_of(code: Code, print_: Operand, size: Operand) -> Operand:
    """Where in a table of a part a fingerprint belongs: its bits below those of the part, scaled."""
    rest = code.binary("shl", print_, PART_BITS)
    wide = code.value(f"mul i128 {code.value(f'zext i64 {rest} to i128')}, {code.value(f'zext i64 {size} to i128')}")
    return code.value(f"trunc i128 {code.value(f'lshr i128 {wide}, 64')} to i64")


def _write_insert(unit: Unit, words: int) -> None:
    """`insert(part, lanes, count)`: the candidates of a part, lane by lane."""
    code = Code("insert", "void", [("ptr", "%job"), ("ptr", "%lanes"), ("i64", "%among")])

    def get(name: str, ty: str = "i64") -> str:
        return code.load(ty, code.offset("%job", PART[name]))

    table, numbers, size, part, count = (
        get("table", "ptr"),
        get("numbers", "ptr"),
        get("size"),
        get("part"),
        get("count"),
    )
    ways, block = get("ways", "ptr"), get("block", "ptr")
    new = code.slot("i64")
    code.store("i64", 0, new)
    with code.count_up(0, "%among") as lane:
        job = code.offset("%lanes", code.mul(lane.value, LANE.size))
        bucket = code.offset(code.load("ptr", code.offset(job, LANE["buckets"])), code.mul(part, 16))
        edges = code.load("ptr", code.offset(job, LANE["edges"]))
        records, end = code.load("ptr", bucket), code.load("i64", code.offset(bucket, 8))
        _insert_bucket(code, words, (records, end, edges), (table, numbers, size, ways, block, part, count), new)
    code.store("i64", code.load("i64", new), code.offset("%job", PART["new"]))
    code.give()
    unit.add(code)
    _write_for_all(unit, "insert_all", PART.size, [
        "call void @insert(ptr {job}, ptr %lanes, i64 %among)"
    ])  # fmt: skip


def _insert_bucket(
    code: Code, words: int, bucket: tuple[str, str, str], table_of: tuple[str, str, str, str, str, str, str], new: str
) -> None:
    records, end, edges = bucket
    table, numbers, size, ways, block, part, count = table_of
    stride = RECORD + 8 * words
    numbered = code.value(f"icmp ne ptr {numbers}, null")
    joined = code.value(f"icmp ne ptr {edges}, null")
    with code.count_up(0, end) as loop:
        record = code.offset(records, code.mul(loop.value, stride))
        ahead = code.load("i64", code.offset(record, AHEAD * stride), "", 8)
        coming = code.offset(table, code.mul(_slot_of(code, ahead, size), 8))
        code.line(f"call void @llvm.prefetch.p0(ptr {coming}, i32 1, i32 3, i32 1)")
        print_ = code.load("i64", record, "", 8)
        place = code.slot("i64")
        number = code.slot("i64")
        code.store("i64", _slot_of(code, print_, size), place)
        head, other, onward, free, found = (code.label(hint) for hint in ("head", "other", "onward", "free", "found"))
        code.place(head)
        here = code.load("i64", place)
        entry = code.offset(table, code.mul(here, 8))
        held = code.load("i64", entry, "", 8)
        known = code.label("unfit")
        code.branch(code.compare("eq", held, print_), known, other)
        code.place(other)
        code.branch(code.compare("eq", held, 0), free, onward)
        code.place(onward)
        beyond = code.add(here, 1)
        code.store("i64", code.select(code.compare("eq", beyond, size), 0, beyond), place)
        code.jump(head)
        code.place(known)
        with code.when(numbered):
            stored = code.load("i32", code.offset(numbers, code.mul(here, 4)), "", 4)
            code.store("i64", code.convert(stored, "i32", "i64"), number)
        code.jump(found)
        code.place(free)
        fresh = code.load("i64", new)
        code.store("i64", print_, entry, "", 8)
        mine = code.add(count, fresh)
        code.store("i64", mine, number)
        with code.when(numbered):
            code.store("i32", code.convert(mine, "i64", "i32"), code.offset(numbers, code.mul(here, 4)), "", 4)
        way = code.load("i64", code.offset(record, 8), "", 8)
        code.store("i64", way, code.offset(ways, code.mul(fresh, 8)), "", 8)
        body, target = code.offset(record, RECORD), code.offset(block, code.mul(fresh, 8 * words))
        code.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {body}, i64 {8 * words}, i1 false)"
        )
        code.store("i64", code.add(fresh, 1), new)
        code.jump(found)
        code.place(found)
        with code.when(joined):
            step = code.load("i64", code.offset(record, 16), "", 8)
            target_number = code.add(code.mul(code.load("i64", number), PARTS), part)
            calls = code.binary("shl", code.binary("lshr", step, TARGET_BITS), TARGET_BITS)
            index = code.binary("and", step, (1 << TARGET_BITS) - 1)
            code.store("i64", code.binary("or", target_number, calls), code.offset(edges, code.mul(index, 8)), "", 8)


AHEAD = 12
"""So many candidates ahead the table is fetched; the memory of candidates goes on so far after the last one."""


def _write_grow(unit: Unit) -> None:
    """`grow(job)`: all entries of a table into a wider one."""
    code = Code("grow", "void", [("ptr", "%job")], attributes="")

    def get(name: str, ty: str) -> str:
        return code.load(ty, code.offset("%job", GROW[name]))

    table, numbers, size = get("table", "ptr"), get("numbers", "ptr"), get("size", "i64")
    wider, more, length = get("wider", "ptr"), get("more", "ptr"), get("length", "i64")
    numbered = code.value(f"icmp ne ptr {numbers}, null")
    with code.count_up(0, size) as loop:
        print_ = code.load("i64", code.offset(table, code.mul(loop.value, 8)), "", 8)
        with code.when(code.compare("ne", print_, 0)):
            place = code.slot("i64")
            code.store("i64", _slot_of(code, print_, length), place)
            head, onward, free = code.label("head"), code.label("onward"), code.label("free")
            code.place(head)
            here = code.load("i64", place)
            entry = code.offset(wider, code.mul(here, 8))
            code.branch(code.compare("eq", code.load("i64", entry, "", 8), 0), free, onward)
            code.place(onward)
            beyond = code.add(here, 1)
            code.store("i64", code.select(code.compare("eq", beyond, length), 0, beyond), place)
            code.jump(head)
            code.place(free)
            code.store("i64", print_, entry, "", 8)
            with code.when(numbered):
                number = code.load("i32", code.offset(numbers, code.mul(loop.value, 4)), "", 4)
                code.store("i32", number, code.offset(more, code.mul(here, 4)), "", 4)
    code.give()
    unit.add(code)
    _write_for_all(unit, "grow_all", GROW.size, ["call void @grow(ptr {job})"])
