"""Promises as machine code: what is looked at in a position, in a step, when a procedure begins or ends.

What is found is noted as an *event*: a number that stands for something (`Events`), the position, the option that was
taken there. Each is noted once; who reads the events finds a play that shows it, and lets the interpreter judge.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Listed
from dataclasses import dataclass, field
from typing import TypeVar, assert_never

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.nodes import Writer
from seaspec.backends.native.values.shapes import Entries, Sequence, is_single
from seaspec.backends.native.values.unit import Unit
from seaspec.core import flow, ir
from seaspec.core.ir import Expr, Variable

FLAGS, EVENTS, NOTED, SOURCE, CHOSEN, OLD = 0, 8, 16, 24, 32, 40
"""Words of memory of the thread: which events are known (a byte each), where new ones go, how many there are; the
position that is looked at, and the option taken there; the position before a step."""
WORDS = 48
CALL_BITS, MOST_COUNTED, MOST_GOALS = 8, 3, 16


Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that may be found. `what`: broken, met, spread (a promise about a way with a decision in it), or looked
    (at a promise about a procedure)."""

    what: str
    name: str


@dataclass
class Events:
    """The events of a game, by number; after them come the errors, by message and place."""

    known: list[Event] = field(default_factory=list)

    def number(self, what: str, name: str) -> int:
        return self.known.index(Event(what, name))


@dataclass(frozen=True, slots=True)
class _After:
    name: str
    variables: tuple[Variable, ...]
    test: Expr


class Judging:
    """The promises of a game, and the functions that judge them."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.events = Events()
        self.memory = unit.context.part("judging", WORDS)
        self.begins: dict[str, list[ir.Invariant]] = {}
        self.ends: dict[str, list[ir.Invariant]] = {}
        self.after: dict[str, list[_After]] = {}
        self.counted: dict[str, list[tuple[int, ir.EndsWithin]]] = {}
        self.within: list[ir.EndsWithin] = []
        self.nodes: list[ir.Invariant] = []
        self.steps: list[ir.Always] = []
        self.reachable: list[ir.Reachable] = []
        self.goals: list[ir.Winnable] = []
        for promise in unit.game.promises:
            self._add(promise)
            for what in ("met",) if isinstance(promise, ir.Reachable) else ("broken", "spread", "looked"):
                self.events.known.append(Event(what, promise.name))
        self.calls = unit.context.part("calls", 8 * max(1, len(self.within)))
        """How often the procedures of `ends within` were called in this step, a word each."""

    def require_few(self) -> None:
        """Exploration has room for so many promises about whole plays."""
        marks = len(self.goals) + sum(goal.needed is not None for goal in self.goals)
        if len(self.within) > MOST_COUNTED or marks > MOST_GOALS:
            raise NotCompiled("exploring with so many promises about whole plays")

    def _add(self, promise: ir.Promise) -> None:
        routines = self.unit.flow.routines
        match promise:
            case ir.Invariant(_, ir.Claim.AT, procedures):
                for procedure in procedures:
                    self.begins.setdefault(procedure, []).append(promise)
            case ir.Invariant(_, ir.Claim.AT_END, procedures):
                for procedure in procedures:
                    self.ends.setdefault(procedure, []).append(promise)
            case ir.Invariant():
                self.nodes.append(promise)
            case ir.Always(name, after):
                if not after:
                    self.steps.append(promise)
                for procedure, variables, test in after:
                    if procedure in routines:
                        self.after.setdefault(procedure, []).append(_After(name, variables, test))
            case ir.Reachable():
                self.reachable.append(promise)
            case ir.EndsWithin(procedure=procedure):
                self.counted.setdefault(procedure, []).append((len(self.within), promise))
                self.within.append(promise)
            case ir.Winnable():
                self.goals.append(promise)
            case ir.Lemma() | ir.NeverStuck() | ir.Secret() | ir.OddsPromise() | ir.Symmetry():
                pass
            case _:
                assert_never(promise)

    # ------------------------------------------------------------------------------------------------- procedures

    def write_begin(self, code: Code, writer: Writer, procedure: str) -> None:
        """What is looked at when a procedure begins. Its parameters have their values."""
        for number, promise in self.counted.get(procedure, ()):
            pointer = code.offset(CONTEXT, self.calls + 8 * number)
            calls = code.add(code.load("i64", pointer), 1)
            code.store("i64", calls, pointer)
            with code.when(code.compare("ugt", calls, promise.calls)):
                self.note(code, self.events.number("broken", promise.name))
        for invariant in self.begins.get(procedure, ()):
            self.note(code, self.events.number("looked", invariant.name))
            self._judge(code, invariant.name, invariant.test)
        if procedure in self.after:
            self._keep(code, writer, procedure)

    def write_finish(self, code: Code, procedure: str) -> None:
        """What is looked at when a procedure has ended."""
        for invariant in self.ends.get(procedure, ()):
            self.note(code, self.events.number("looked", invariant.name))
            self._judge(code, invariant.name, invariant.test)
        if procedure not in self.after:
            return
        active, image, values = self._kept(procedure)
        with code.when(code.compare("ne", code.load("i64", code.offset(CONTEXT, active)), 0)):
            code.store("i64", 0, code.offset(CONTEXT, active))
            code.store("ptr", code.offset(CONTEXT, image), code.offset(CONTEXT, self.memory + OLD))
            for after in self.after[procedure]:
                arguments = [
                    code.load("i64", code.offset(CONTEXT, values + 8 * n)) for n in range(len(after.variables))
                ]
                self.note(code, self.events.number("looked", after.name))
                self._judge(code, after.name, after.test, after.variables, arguments)

    def _kept(self, procedure: str) -> tuple[int, int, int]:
        """Where in the context stand: whether a procedure runs, the position when it began, its arguments."""
        part = self.unit.context.part
        active = part(f"{procedure} runs", 8)
        image = part(f"before {procedure}", self.unit.layout.size)
        return active, image, part(f"arguments of {procedure}", 8 * 64)

    def _keep(self, code: Code, writer: Writer, procedure: str) -> None:
        active, image, values = self._kept(procedure)
        params = self.unit.flow.routines[procedure].params
        most = max(len(after.variables) for after in self.after[procedure])
        for place, param in enumerate(params[:most]):
            if not is_single(param.type):
                raise NotCompiled(f"a promise about {procedure} with its {param.name}")
            value = writer.single(param)
            code.store("i64", value, code.offset(CONTEXT, values + 8 * place))
        size = self.unit.layout.end
        code.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {code.offset(CONTEXT, image)}, ptr {STATE}, i64 {size}, i1 false)"
        )
        code.store("i64", 1, code.offset(CONTEXT, active))

    def write_step_begins(self, code: Code) -> None:
        """A step begins: nothing was called in it yet, nothing runs that is followed."""
        for number in range(len(self.within)):
            code.store("i64", 0, code.offset(CONTEXT, self.calls + 8 * number))
        for procedure in self.after:
            code.store("i64", 0, code.offset(CONTEXT, self._kept(procedure)[0]))

    def write_step_ends(self, code: Code) -> None:
        """A step is done: what still runs is spread over several."""
        for procedure, promises in self.after.items():
            with code.when(code.compare("ne", code.load("i64", code.offset(CONTEXT, self._kept(procedure)[0])), 0)):
                for after in promises:
                    self.note(code, self.events.number("spread", after.name))

    def calls_in_step(self, code: Code) -> Operand:
        """The calls in this step, CALL_BITS each; so many as that can say, or more, are all its bits."""
        found: Operand = 0
        most = (1 << CALL_BITS) - 1
        for number in range(len(self.within)):
            calls = code.load("i64", code.offset(CONTEXT, self.calls + 8 * number))
            few = code.select(code.compare("ult", calls, most), calls, most)
            found = code.binary("or", found, code.binary("shl", few, CALL_BITS * number))
        return found

    # -------------------------------------------------------------------------------------------------- positions

    def write_position(self, code: Code) -> None:
        """What is looked at in each position."""
        layout = self.unit.layout
        for promise in self.nodes:
            end = code.label("outside")
            for procedure in promise.procedures:
                routine = self.unit.flow.routines.get(procedure)
                if routine is None or routine.back not in layout.frame:
                    continue
                field = layout.frame[routine.back]
                runs = code.load(field.packed.ty, code.offset(STATE, field.offset), "", 1)
                onward = code.label("inside")
                code.branch(code.compare("ne", runs, 0, field.packed.ty), end, onward)
                code.place(onward)
            self._judge(code, promise.name, promise.test)
            code.place(end)
        for met in self.reachable:
            number = self.events.number("met", met.name)
            with code.when(self._unknown(code, number)), code.when(self._holds(code, met.test)):
                self.note(code, number)

    def write_step(self, code: Code) -> None:
        """What is looked at in each step; the position before it is kept in OLD."""
        for promise in self.steps:
            self._judge(code, promise.name, promise.test)

    def goals_met(self, code: Code) -> Operand:
        """Which goals hold in a position, a bit each; then which of them lack what they need, a bit for each `only
        if`."""
        found: Operand = 0
        lacks = [code.complement(self._holds(code, goal.needed)) for goal in self.goals if goal.needed is not None]
        for place, holds in enumerate([*(self._holds(code, goal.test) for goal in self.goals), *lacks]):
            found = code.binary("or", found, code.binary("shl", code.convert(holds, "i1", "i64"), place))
        return found

    # ---------------------------------------------------------------------------------------------------- judging

    def _judge(
        self,
        code: Code,
        name: str,
        test: Expr,
        variables: Listed[Variable] = (),
        arguments: Listed[Operand] = (),
    ) -> None:
        number = self.events.number("broken", name)
        with code.when(self._unknown(code, number)):
            holds = self._holds(code, test, variables, arguments)
            with code.when(code.complement(holds)):
                self.note(code, number)

    def _unknown(self, code: Code, number: Operand) -> Operand:
        flags = code.load("ptr", code.offset(CONTEXT, self.memory + FLAGS))
        return code.compare("eq", code.load("i8", code.offset(flags, number), "", 1), 0, "i8")

    def note(self, code: Code, number: Operand) -> None:
        """Note an event, if it is new."""
        code.call("void", "note_event", [("ptr", CONTEXT), ("i64", number)])

    def _holds(
        self, code: Code, test: Expr, variables: Listed[Variable] = (), arguments: Listed[Operand] = ()
    ) -> Operand:
        """Whether a test holds; without a value it does not."""
        key = "judge", id(test)

        def write(name: str) -> Code:
            params = [("i64", f"%a{place}") for place in range(len(variables))]
            inner = Code(name, "i1", [*FRAME_PARAMS, *params])
            writer = Judge(self.unit, inner, self.memory)
            writer.env.update(zip(variables, (name for _, name in params), strict=True))
            found = writer.truth(writer.simple(test))
            if inner.fails:
                found = inner.both(found, inner.complement(writer.failed()))
                inner.store("i64", 0, CONTEXT, self.unit.tag("error"))
            inner.give(found)
            return inner

        name = self.unit.function(key, "judge", write)
        given = [("i64", argument) for argument in arguments]
        return code.call("i1", name, [("ptr", STATE), ("ptr", CONTEXT), *given])


class Told(Writer):
    """A writer of steps that looks at promises."""

    def __init__(self, unit: Unit, code: Code, judging: Judging) -> None:
        super().__init__(unit, code)
        self.judging = judging

    def step(self, step: flow.Step) -> None:
        match step:
            case flow.Begin(procedure):
                self.judging.write_begin(self.code, self, procedure)
            case flow.Finish(procedure):
                self.judging.write_finish(self.code, procedure)
            case _:  # cautious: the step itself names all others
                super().step(step)


class Judge(Writer):
    """A writer that also knows `old`: the same in the position before."""

    def __init__(self, unit: Unit, code: Code, memory: int) -> None:
        super().__init__(unit, code)
        self.before = memory

    def another(self, code: Code) -> Judge:
        return Judge(self.unit, code, self.before)

    def number(self, expr: Expr) -> Operand:
        return self._old(expr, super().number)

    def truth(self, expr: Expr) -> Operand:
        if isinstance(expr, ir.Asked):
            return self._asked(expr)
        return self._old(expr, super().truth)

    def _asked(self, expr: ir.Asked) -> Operand:
        """Whether the position rests at a decision of this player; at this menu, if one is named."""
        code = self.code
        player = self.number(expr.player)
        found, none, end = code.slot("i64"), code.label("none"), code.label("asked")
        code.store("i64", 0, found)
        nodes = {
            number: block.exit
            for number, block in enumerate(self.unit.flow.blocks)
            if isinstance(block.exit, flow.Decision) and expr.menu in (None, block.exit.menu)
        }
        labels = {number: code.label(f"node.{number}") for number in nodes}
        pc = code.load("i16", STATE, self.unit.tag("pc"), 2)
        code.switch(pc, none, list(labels.items()), "i16")
        for number, node in nodes.items():
            code.place(labels[number])
            decider = Judge(self.unit, code, self.before).number(self.simple(node.decider))
            code.store("i64", code.convert(code.compare("eq", decider, player), "i1", "i64"), found)
            code.jump(end)
        code.place(none)
        code.jump(end)
        code.place(end)
        return code.compare("ne", code.load("i64", found), 0)

    def mask(self, expr: Expr) -> Operand:
        return self._old(expr, super().mask)

    def sequence(self, expr: Expr) -> Sequence:
        return self._old(expr, super().sequence)

    def entries(self, expr: Expr) -> Entries:
        return self._old(expr, super().entries)

    def _old(self, expr: Expr, write: Callable[[Expr], Found]) -> Found:
        """An expression; what stands in an `old` is read in the position before."""
        if not isinstance(expr, ir.Old):
            return write(expr)
        here, self.state = self.state, self.code.load("ptr", self.code.offset(CONTEXT, self.before + OLD))
        found = write(expr.inner)
        self.state = here
        return found


def write_noting(unit: Unit, judging: Judging) -> None:
    """The function that notes an event."""
    code = Code("note_event", "void", [("ptr", CONTEXT), ("i64", "%number")], "internal")
    base = judging.memory
    flag = code.offset(code.load("ptr", code.offset(CONTEXT, base + FLAGS)), "%number")
    with code.when(code.compare("eq", code.load("i8", flag, "", 1), 0, "i8")):
        code.store("i8", 1, flag, "", 1)
        count = code.load("i64", code.offset(CONTEXT, base + NOTED))
        entry = code.offset(code.load("ptr", code.offset(CONTEXT, base + EVENTS)), code.mul(count, 24))
        code.store("i64", "%number", entry, "", 8)
        for place, word in ((8, SOURCE), (16, CHOSEN)):
            code.store("i64", code.load("i64", code.offset(CONTEXT, base + word)), code.offset(entry, place), "", 8)
        code.store("i64", code.add(count, 1), code.offset(CONTEXT, base + NOTED))
    code.give()
    unit.add(code)
