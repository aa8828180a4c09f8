"""Random plays with every promise watched: `roam` plays, and notes for each event the play that shows it soonest.

Events are those of judging.py, and that an action is taken; after these come the errors, by message and place. Of each
is kept in which play it came up after the fewest steps, and after how many. What would be found later than that is not
judged again. Whoever reads it goes the play again (seed and number say all) with the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seaspec.backends.native import build
from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.control import SAMPLE, STEP, Run
from seaspec.backends.native.flow.judging import CHOSEN, EVENTS, FLAGS, OLD, SOURCE, Event, Judging, Told
from seaspec.backends.native.flow.playing import write_begin
from seaspec.backends.native.values.layout import Layout
from seaspec.backends.native.values.unit import Context, Unit
from seaspec.core import ir
from seaspec.core.flow import Block, Flow
from seaspec.core.ir import Expr, Variable

PLAYS, STEPS, CUT_OFF, FAILED, LONGEST, UNTIL = range(0, 48, 8)
"""What is counted: plays, steps, plays that were cut off, plays in which the rules failed, steps of the longest; and
after so many steps `roam` ends, between two plays."""
WORDS = 6
"""Words before the endings, of which there is one for each block; then come the most calls in a play, one for each
`ends within`."""
MOST_FAILED = 20
"""After so many plays in which the rules failed `roam` ends: it may take long until it is known that they run on."""


@dataclass(frozen=True)
class Facts(build.Facts):
    """What one must know beside the machine code. `judging`: where in the context the memory of events is said."""

    judging: int
    events: list[Event]
    within: list[str]
    """The names of the promises whose calls are counted."""

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Facts:
        plain = build.Facts.from_data({name: data[name] for name in build.Facts.__dataclass_fields__})
        events = [Event(**event) for event in data["events"]]
        return cls(**vars(plain), judging=data["judging"], events=events, within=data["within"])

    @property
    def numbers(self) -> int:
        """How many events and errors there are."""
        return len(self.events) + len(self.messages) * (len(self.sites) + 1)


def write_watching(graph: Flow) -> tuple[str, Facts]:
    """The module that plays a game and watches its promises. Raises `NotCompiled` before anything is run."""
    unit = Unit(graph, Layout(graph))
    write_begin(unit, build.initial_state(unit))
    judging = Soonest(unit)
    Watched(unit, judging).write()
    judging.write_functions()
    _write_roam(unit, judging)
    text, facts = build.finish(unit)
    within = [promise.name for promise in judging.within]
    return text, Facts(**vars(facts), judging=judging.memory, events=judging.events.known, within=within)


class Soonest(Judging):
    """Judges as long as what it may find would be found sooner than before."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.events.known += [Event("taken", name) for name in unit.game.actions]
        self.supposed = {promise.name: what for promise in unit.game.promises if (what := ir.supposition(promise))}
        self.events.known += [Event("supposed", name) for name in self.supposed]

    def _judge(
        self, code: Code, name: str, test: Expr, variables: Sequence[Variable] = (), arguments: Sequence[Operand] = ()
    ) -> None:
        if name in self.supposed:
            number = self.events.number("supposed", name)
            with code.when(self._unknown(code, number)), code.when(self._holds(code, self.supposed[name])):
                self.note(code, number)
        super()._judge(code, name, test, variables, arguments)

    def _unknown(self, code: Code, number: Operand) -> Operand:
        best = code.load("ptr", code.offset(CONTEXT, self.memory + FLAGS))
        so_far = code.load("i64", code.offset(CONTEXT, self.memory + CHOSEN))
        return code.compare("ugt", code.load("i64", code.offset(best, code.mul(number, 8)), "", 8), so_far)

    def write_functions(self) -> None:
        """The function that notes an event, and those that judge a position and a step."""
        code = Code("note_event", "void", [("ptr", CONTEXT), ("i64", "%number")], "internal")
        with code.when(self._unknown(code, "%number")):
            for table, word in ((FLAGS, CHOSEN), (EVENTS, SOURCE)):
                pointer = code.load("ptr", code.offset(CONTEXT, self.memory + table))
                value = code.load("i64", code.offset(CONTEXT, self.memory + word))
                code.store("i64", value, code.offset(pointer, code.mul("%number", 8)), "", 8)
        code.give()
        self.unit.add(code)
        for name, write in (("judge_position", self.write_position), ("judge_step", self.write_step)):
            code = Code(name, "void", FRAME_PARAMS)
            write(code)
            code.give()
            self.unit.add(code)

    def write_error(self, code: Code) -> None:
        """An error is an event whose number says what is wrong and where."""
        message = code.sub(code.load("i64", code.offset(CONTEXT, Context.ERROR)), 1)
        site = code.add(code.load("i64", code.offset(CONTEXT, Context.SITE)), 1)
        number = code.add(code.mul(message, len(self.unit.sites) + 1), site)
        self.note(code, code.add(number, len(self.events.known)))


class Watched(Run):
    """`run`, with promises looked at where procedures begin and end, and actions noted that are taken."""

    def __init__(self, unit: Unit, judging: Soonest) -> None:
        super().__init__(unit)
        self.writer = Told(unit, self.code, judging)
        self.judging = judging

    def _set_back(self, procedure: str, back: Block) -> None:
        if procedure in self.unit.game.actions:
            self.judging.note(self.code, self.judging.events.number("taken", procedure))
        super()._set_back(procedure, back)


def _write_roam(unit: Unit, judging: Soonest) -> None:
    """`roam(state, context, seed, first, count, limit, totals)`: so many plays, the first with that number, at most so
    many steps in each."""
    numbers = [("i64", "%seed"), ("i64", "%first"), ("i64", "%count"), ("i64", "%limit")]
    code = Code("roam", "void", [*FRAME_PARAMS, *numbers, ("ptr", "%totals")], attributes="")
    layout, base = unit.layout, judging.memory
    before = code.offset(CONTEXT, unit.context.part("before the step", layout.size))
    done = code.label("done")

    def add(place: int) -> None:
        pointer = code.offset("%totals", place)
        code.store("i64", code.add(code.load("i64", pointer), 1), pointer)

    def most(place: int, value: Operand) -> None:
        pointer = code.offset("%totals", place)
        before = code.load("i64", pointer)
        code.store("i64", code.select(code.compare("ugt", value, before), value, before), pointer)

    def run(mode: int) -> str:
        for word in (Context.ERROR, Context.FUEL, Context.LEFT, Context.ALTERNATIVE):
            code.store("i64", 0, code.offset(CONTEXT, word))
        return code.call("i64", "run", [("ptr", STATE), ("ptr", CONTEXT), ("i64", mode), ("i64", 0)])

    with code.count_up(0, "%count") as loop:
        enough = code.compare(
            "uge", code.load("i64", code.offset("%totals", STEPS)), code.load("i64", code.offset("%totals", UNTIL))
        )
        failed_often = code.compare("uge", code.load("i64", code.offset("%totals", FAILED)), MOST_FAILED)
        go = code.label("go")
        code.branch(code.either(enough, failed_often), done, go)
        code.place(go)
        number = code.add(loop.value, "%first")
        code.store("i64", number, code.offset(CONTEXT, base + SOURCE))
        code.store("i64", 0, code.offset(CONTEXT, base + CHOSEN))
        code.call("void", "begin", [("ptr", STATE)])
        code.call("void", "seed", [("ptr", CONTEXT), ("i64", "%seed"), ("i64", number)])
        judging.write_step_begins(code)
        failed, steps = code.slot("i64"), code.slot("i64")
        code.store("i64", 0, steps)
        code.store("i64", run(STEP), failed)
        head, wrong, fine = code.label("head"), code.label("wrong"), code.label("fine")
        over, onward, cut, step, ended = (code.label(hint) for hint in ("over", "onward", "cut", "step", "ended"))
        code.place(head)
        code.branch(code.compare("eq", code.load("i64", failed), 0), fine, wrong)
        code.place(wrong)
        judging.write_error(code)
        add(FAILED)
        code.jump(ended)
        code.place(fine)
        if judging.steps:
            with code.when(code.compare("ne", code.load("i64", steps), 0)):
                code.store("ptr", before, code.offset(CONTEXT, base + OLD))
                code.call("void", "judge_step", [("ptr", STATE), ("ptr", CONTEXT)])
        code.call("void", "judge_position", [("ptr", STATE), ("ptr", CONTEXT)])
        is_over = code.compare("ne", code.load("i8", code.offset(STATE, layout.OVER), "", 1), 0, "i8")
        code.branch(is_over, over, onward)
        code.place(over)
        block = code.convert(code.load("i16", STATE), "i16", "i64")
        entry = code.offset("%totals", code.add(code.mul(block, 8), 8 * WORDS))
        code.store("i64", code.add(code.load("i64", entry), 1), entry)
        code.jump(ended)
        code.place(onward)
        code.branch(code.compare("ult", code.load("i64", steps), "%limit"), step, cut)
        code.place(cut)
        add(CUT_OFF)
        code.jump(ended)
        code.place(step)
        if judging.steps:
            code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {before}, ptr {STATE}, i64 {layout.end}, i1 false)")
        made = code.add(code.load("i64", steps), 1)
        code.store("i64", made, steps)
        code.store("i64", made, code.offset(CONTEXT, base + CHOSEN))
        code.store("i64", run(SAMPLE), failed)
        add(STEPS)
        code.jump(head)
        code.place(ended)
        add(PLAYS)
        most(LONGEST, code.load("i64", steps))
        for place in range(len(judging.within)):
            calls = code.load("i64", code.offset(CONTEXT, judging.calls + 8 * place))
            most(8 * (WORDS + len(unit.flow.blocks) + place), calls)
    code.place(done)
    code.give()
    unit.add(code)
