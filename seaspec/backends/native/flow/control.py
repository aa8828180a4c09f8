"""The flow graph as one function: from where the state rests, or from the start, to the next node, or to the end.

`run(state, context, mode, number)` goes on from the node at which the state rests, to the next node: with the option
(or outcome) that has this number in the mode STEP, with one at random in the mode SAMPLE. In the mode PLAY all is
chosen at random, to the end of the play. It gives 0, or 1 if an obligation was not met: then the context says which,
and where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.nodes import Writer, count_node, read_row, row_form, simple_binder, write_over
from seaspec.backends.native.flow.turns import note_asked
from seaspec.backends.native.values.layout import FrameField, FrameKind, Layout, unplaced_field
from seaspec.backends.native.values.shapes import NONE, is_single, packed
from seaspec.backends.native.values.unit import Context, Unit
from seaspec.core import flow, ir, types
from seaspec.core.flow import Block
from seaspec.core.types import Value
from seaspec.source import NOWHERE, Span

STEP, PLAY, SAMPLE = 0, 1, 2
FUEL = 1_000_000
"""So often a loop may come round between two nodes before the run is given up."""
START = 65535
"""The block of a state in which nothing has happened."""


class Run:
    """Writes the function `run`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.flow = unit.flow
        self.code = Code("run", "i64", [*FRAME_PARAMS, ("i64", "%mode"), ("i64", "%number")], attributes="")
        self.writer = Writer(unit, self.code)
        self.layout: Layout = unit.layout
        self.mode = self.code.slot("i64")
        """PLAY while nodes are passed at random."""
        self.number = self.code.slot("i64")
        """The number of the option that is taken, or what chance gave."""
        self.row = self.code.slot("ptr")
        """The row of the option that is taken."""
        self.errors: list[tuple[str, int]] = []

    def write(self) -> None:
        code = self.code
        self._declare_registers()
        code.store("i64", "%number", self.number)
        code.store("i64", "%mode", self.mode)
        pc = code.load("i16", STATE, self.unit.tag("pc"), 2)
        wrong = code.label("wrong")
        nodes = [
            number
            for number, block in enumerate(self.flow.blocks)
            if flow.is_node(block.exit) and not isinstance(block.exit, flow.Over | flow.Outside)
        ]
        cases = [(number, f"answer.{number}") for number in nodes]
        code.switch(pc, wrong, [*cases, (START - 65536, _label(self.flow.start))], "i16")
        for number in range(len(self.flow.blocks)):
            self._block(number)
        for number in nodes:
            self._answer(number, wrong)
        for label, site in self.errors:
            code.place(label)
            code.store("i64", site, code.offset(CONTEXT, Context.SITE))
            code.give(1)
        code.place(wrong)
        self.writer.fail("the play is over, or that is no option here")
        code.store("i64", -1, code.offset(CONTEXT, Context.SITE))
        code.give(1)
        self.unit.add(code)

    def _declare_registers(self) -> None:
        """Variables that are live at no node."""
        for variable in self.flow.frame:
            if variable in self.layout.frame:
                continue
            if is_single(variable.type):
                form = packed(variable.type, optional=True, zero=isinstance(variable.type, types.Int))
                field = FrameField(variable, FrameKind.SINGLE, form, 1)
                pointer = self.code.slot(form.ty)
            else:
                field = unplaced_field(variable, self.unit.game)
                pointer = self.code.slot("i64", field.size // 8)
            self.writer.registers[variable] = field, pointer
            self.writer.clear_local(variable)

    # ------------------------------------------------------------------------------------------------------- blocks

    def _block(self, number: Block) -> None:
        block = self.flow.blocks[number]
        self.code.place(_label(number))
        self.writer.env.clear()
        if isinstance(block.exit, flow.Node):
            self._node(number, block.exit)
            return
        self._burn(number)
        for place, step in enumerate(block.steps):
            self._guarded(number, place, lambda step=step: self.writer.step(step))  # type: ignore[misc]
        self._jump(number, block.exit)

    def _guarded(self, number: Block, place: int, write: Callable[[], object]) -> None:
        """Write something; where it may fail, leave if it has."""
        code = self.code
        code.fails = False
        self.writer.env.clear()
        try:
            write()
        except NotCompiled as error:
            raise error.at(self._source(number, place)) from None
        if not code.fails:
            return
        onward = code.label("fine")
        code.branch(self.writer.failed(), self._error(number, place), onward)
        code.place(onward)

    def _source(self, number: Block, place: int) -> Span:
        """Where in the text a step stands; -1: the exit."""
        block = self.flow.blocks[number]
        source = getattr(block.exit if place < 0 else block.steps[place], "source", None)
        return source.span if isinstance(source, ir.Source) else NOWHERE

    def _error(self, number: Block, place: int) -> str:
        """Where to go when the step with this place has failed; -1: the exit."""
        label = self.code.label("error")
        self.errors.append((label, self.unit.site(number, place)))
        return label

    def _burn(self, number: Block) -> None:
        """A block to which a later one leads back is passed only so often between two nodes."""
        if not any(number in flow.targets(other.exit) for other in self.flow.blocks[number:]):
            return
        code = self.code
        pointer, tag = code.offset(CONTEXT, Context.FUEL), self.unit.tag("fuel")
        fuel = code.add(code.load("i64", pointer, tag), 1)
        code.store("i64", fuel, pointer, tag)
        spent, onward = code.label("spent"), code.label("go")
        code.branch(code.compare("ult", fuel, FUEL), onward, spent)
        code.place(spent)
        self.writer.fail("the rules run on without ever coming to a choice")
        code.jump(self._error(number, -1))
        code.place(onward)

    def _judged(self, number: Block, test: ir.Expr) -> Operand:
        found: list[Operand] = []
        self._guarded(number, -1, lambda: found.append(self.writer.truth(self.writer.simple(test))))
        return found[0]

    def _jump(self, number: Block, exit: flow.Jump) -> None:
        code, writer = self.code, self.writer
        match exit:
            case flow.Goto(target):
                code.jump(_label(target))
            case flow.Test(test, then, otherwise):
                code.branch(self._judged(number, test), _label(then), _label(otherwise))
            case flow.Switch(subject, cases, otherwise):
                found: list[Operand] = []
                self._guarded(number, -1, lambda: found.append(writer.number(writer.simple(subject))))
                pairs = [(_plain(value), _label(block)) for values, block in cases for value in values]
                code.switch(found[0], _label(otherwise), pairs)
            case flow.Enter(procedure, back, target):
                self._set_back(procedure, back)
                code.jump(_label(target))
            case flow.Return(procedure, targets):
                self._return(procedure, targets)
            case flow.Finding():
                self._finding(number, exit)
            case _:
                assert_never(exit)

    def _set_back(self, procedure: str, back: int) -> None:
        """A procedure is entered (none is ever active twice: the flow graph is made so)."""
        self.writer.set_local(self.flow.routines[procedure].back, back)

    def _return(self, procedure: str, targets: tuple[Block, ...]) -> None:
        code, writer = self.code, self.writer
        routine = self.flow.routines[procedure]
        field, pointer, tag = writer.frame_field(routine.back)
        back = code.load(field.packed.ty, pointer, tag)
        writer.clear_local(routine.back)
        for variable in routine.locals:
            if variable in self.layout.frame or variable in writer.registers:
                writer.clear_local(variable)
        pairs = [(number + 1, _label(target)) for number, target in enumerate(targets) if target != targets[-1]]
        code.switch(back, _label(targets[-1]), pairs, field.packed.ty)

    def _finding(self, number: Block, exit: flow.Finding) -> None:
        """The first way to bind the witnesses for which the test holds."""
        code, writer = self.code, self.writer
        test = writer.simple(exit.test)
        if not exit.witnesses:
            code.branch(self._judged(number, test), _label(exit.then), _label(exit.otherwise))
            return
        found = code.label("found")
        witnesses = [binder.variable for binder in exit.witnesses]
        binders = [simple_binder(writer, binder) for binder in exit.witnesses]

        def judge() -> None:
            yes, no = code.label("yes"), code.label("no")
            code.branch(writer.truth(test), yes, no)
            code.place(yes)
            for variable in witnesses:
                writer.set_local(variable, writer.env[variable])
            code.jump(found)
            code.place(no)

        self._guarded(number, -1, lambda: writer.every(binders, judge))
        code.jump(_label(exit.otherwise))
        code.place(found)
        onward = code.label("fine")
        code.branch(writer.failed() if code.fails else 0, self._error(number, -1), onward)
        code.place(onward)
        code.jump(_label(exit.then))

    # -------------------------------------------------------------------------------------------------------- nodes

    def _node(self, number: Block, exit: flow.Node) -> None:
        match exit:
            case flow.Decision():
                self._decision(number, exit)
            case flow.Over(how):
                self._guarded(number, -1, lambda: write_over(self.writer, how))
                self._rest(number)
            case flow.Outside():
                self._rest(number)
            case flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.ThrowNode():
                self._chance(number, exit)
            case _:
                assert_never(exit)

    def _decision(self, number: Block, node: flow.Decision) -> None:
        code, writer = self.code, self.writer
        if isinstance(node.decider.type, types.Optional):

            def somebody() -> None:
                decider = writer.number(writer.simple(node.decider))
                writer.require(code.compare("ne", decider, NONE), "there is nobody to choose")

            self._guarded(number, -1, somebody)
        total = self._counted(number, node)
        some = code.label("some")
        if node.nothing is not None:
            code.branch(code.compare("ne", total, 0), some, _label(node.nothing))
        else:
            stuck = code.label("stuck")
            code.branch(code.compare("ne", total, 0), some, stuck)
            code.place(stuck)
            writer.fail(f"stuck: somebody must choose ({node.menu}), and there is no option")
            code.jump(self._error(number, -1))
        code.place(some)
        if node.alone:
            several = code.label("several")
            code.store("i64", 0, self.number)
            code.branch(code.compare("eq", total, 1), f"pick.{number}", several)
            code.place(several)
        self._rest_unless_playing(number)
        every = code.add(total, int(node.passing is not None))
        self._add_to_context(Context.CHOICES, code.convert(code.compare("ugt", every, 1), "i1", "i64"))
        self._add_offered(number, every)
        writer.env.clear()
        note_asked(self.unit, code, lambda: writer.number(writer.simple(node.decider)))
        writer.env.clear()
        self._chose(writer.random(every))
        code.place(f"pick.{number}")
        chosen = code.load("i64", self.number)
        if node.passing is not None:
            # The number of options is noted beside the rows, since this may be reached with an answer.
            take = code.label("take")
            noted = code.load("i64", writer.memory("total", 64))
            code.branch(code.compare("eq", chosen, noted), _label(node.passing), take)
            code.place(take)
        self._take_option(number, node, chosen)

    def _counted(self, number: Block, node: flow.Node, rare: bool = False) -> Operand:
        """How many options a node has; they are noted."""
        found: list[Operand] = []

        def count() -> None:
            name = self.unit.function(("count", number), f"count_{number}", lambda n: count_node(self.unit, n, number))
            self.code.fails = self.code.fails or self.unit.may_fail(name)
            found.append(self.code.call("i64", name, [("ptr", STATE), ("ptr", CONTEXT)], rare))

        self._guarded(number, -1, count)
        return found[0]

    def _rest_unless_playing(self, number: Block) -> None:
        code = self.code
        rest, play = code.label("rest"), code.label("play")
        mode = code.load("i64", self.mode)
        code.branch(code.compare("ne", mode, PLAY), rest, play)
        code.place(rest)
        self._rest(number)
        code.place(play)
        if isinstance(self.flow.blocks[number].exit, flow.Decision):
            onward = code.label("onward")
            left, tag = code.offset(CONTEXT, Context.LEFT), self.unit.tag("left")
            after = code.sub(code.load("i64", left, tag), 1)
            code.store("i64", after, left, tag)
            code.branch(code.compare("eq", after, 0), rest, onward)
            code.place(onward)
        code.store("i64", code.select(code.compare("eq", "%mode", SAMPLE), STEP, mode), self.mode)
        pointer = code.offset(CONTEXT, self.unit.context.part("visits", 8 * len(self.flow.blocks)) + 8 * number)
        tag = self.unit.tag("visits")
        code.store("i64", code.add(code.load("i64", pointer, tag), 1), pointer, tag)
        code.store("i64", 0, code.offset(CONTEXT, Context.FUEL), self.unit.tag("fuel"))

    def _add_offered(self, number: Block, options: Operand) -> None:
        """So many options were offered at a node; a sum that is too big stays at the greatest number there is."""
        code = self.code
        place = self.unit.context.part("offered", 8 * len(self.flow.blocks)) + 8 * number
        pointer, tag = code.offset(CONTEXT, place), self.unit.tag("offered")
        before = code.load("i64", pointer, tag)
        after = code.call("i64", "llvm.sadd.sat.i64", [("i64", before), ("i64", options)])
        code.store("i64", after, pointer, tag)

    def _add_to_context(self, offset: int, amount: Operand) -> None:
        code = self.code
        pointer, tag = code.offset(CONTEXT, offset), self.unit.tag(f"context {offset}")
        code.store("i64", code.add(code.load("i64", pointer, tag), amount), pointer, tag)

    def _rest(self, number: Block) -> None:
        """The state rests at a node: variables that are not live have no value."""
        code = self.code
        kept = bytearray(self.layout.frame_end - self.layout.frame_start)
        for variable in self.flow.blocks[number].live:
            field = self.layout.frame[variable]
            start = field.offset - self.layout.frame_start
            kept[start : start + field.size] = b"\xff" * field.size
        words = [int.from_bytes(kept[at : at + 8], "little") for at in range(0, len(kept), 8)]
        frame = self.writer.at(self.layout.frame_start)
        array = self.unit.array(words, 64)
        code.call("void", "keep", [("ptr", frame), ("ptr", array), ("i64", len(words))])
        code.store("i16", number, STATE, self.unit.tag("pc"), 2)
        code.give(0)

    def _chance(self, number: Block, node: flow.Chance) -> None:
        code, writer = self.code, self.writer
        nothing = node.nothing if isinstance(node, flow.ChanceNode | flow.DrawNode) else None
        total: Operand = 1
        pieces: Operand = 0
        match node:
            case flow.ChanceNode():
                total = self._counted(number, node)
            case flow.DrawNode():
                found: list[Operand] = []
                self._guarded(number, -1, lambda: found.append(writer.drawable(node)))
                pieces = found[0]
                total = code.convert(code.compare("ne", pieces, 0, writer.pieces_ty), "i1", "i64")
            case flow.RollNode() | flow.ThrowNode():
                total = 1
            case _:
                assert_never(node)
        some, none = code.label("some"), code.label("none")
        code.branch(code.compare("ne", total, 0), some, none if nothing is None else _label(nothing))
        if nothing is None:
            code.place(none)
            message = "chance has nothing to choose from"
            if isinstance(node, flow.DrawNode):
                message = f"there is nothing left to draw in {node.origin.place}"
            writer.fail(message)
            code.jump(self._error(number, -1))
        code.place(some)
        self._rest_unless_playing(number)
        self._guarded(number, -1, lambda: self._sample(number, node, total, pieces))
        code.place(f"pick.{number}")
        self._happen(number, node)

    def _chose(self, number: Operand) -> None:
        """What was chosen at random, also for one who asks afterwards."""
        self.code.store("i64", number, self.number)
        self.code.store("i64", number, self.code.offset(CONTEXT, Context.CHOSEN))

    def _sample(self, block: Block, node: flow.Chance, total: Operand, pieces: Operand) -> None:
        """Chance chooses: the row, or the number that it gives."""
        code, writer = self.code, self.writer
        writer.live = self.flow.blocks[block].live
        match node:
            case flow.ChanceNode(ir.OfferSubset() as offer):
                subset = writer.random_subset(offer, writer.random)
                memory = writer.subset_memory(offer)
                self.unit.taken[block] = f"{memory.name} taken"
                code.store(memory.form.ty, subset, memory.pointer("taken"), "", 8)
            case flow.ChanceNode(ir.OfferShare()):
                self._chose(writer.random(total))
            case flow.ChanceNode():
                self._pick_row(node, writer.random(total))
                rows = code.load("i64", code.offset(CONTEXT, Context.ROWS))
                row = code.value(f"ptrtoint ptr {code.load('ptr', self.row)} to i64")
                number = code.binary("udiv", code.sub(row, rows), row_form(writer, node).stride)
                code.store("i64", number, code.offset(CONTEXT, Context.CHOSEN))
            case flow.DrawNode(origin):
                self._chose(writer.random_piece(pieces, self.unit.game.places[origin.place].holds))
            case flow.RollNode(number, sides):
                self._chose(writer.random_roll(writer.number(writer.simple(number)), sides))
            case flow.ThrowNode():
                self._chose(writer.random_throw(node))
            case _:
                assert_never(node)

    def _pick_row(self, node: flow.Node, number: Operand) -> None:
        code = self.code
        stride = row_form(self.writer, node).stride
        row = code.call("ptr", "pick_row", [("ptr", CONTEXT), ("i64", stride), ("i64", number)])
        code.store("ptr", row, self.row)

    def _happen(self, number: Block, node: flow.Chance) -> None:
        """What chance gave is worked in."""
        code, writer = self.code, self.writer
        match node:
            case flow.ChanceNode(ir.OfferSubset() as offer):
                memory = writer.subset_memory(offer)
                writer.set_local(offer.variable, code.load(memory.form.ty, memory.pointer("taken"), "", 8))
                code.jump(_label(_sure(node.target)))
            case flow.ChanceNode(ir.OfferShare() as offer):
                writer.set_local(offer.gift, writer.share_at(offer, code.load("i64", self.number)))
                code.jump(_label(_sure(node.target)))
            case flow.ChanceNode():
                self._take_row(number, node)
            case flow.DrawNode():
                piece = code.load("i64", self.number)
                if node.variable is not None:
                    writer.set_local(node.variable, piece)
                kind = self.unit.game.places[node.origin.place].holds
                fits = kind if node.origin.place != ir.BOX else self.unit.game.places[node.to.place].holds

                def move() -> None:
                    target = ir.Target(node.to.place, tuple(map(writer.simple, node.to.indices)))
                    origin = ir.Target(node.origin.place, tuple(map(writer.simple, node.origin.indices)))
                    writer.move_piece(piece, writer.aim(target), ir.Put.ON, None, fits, writer.aim(origin))

                self._guarded(number, -1, move)
                code.jump(_label(node.target))
            case flow.RollNode() | flow.ThrowNode():
                writer.set_local(node.variable, code.load("i64", self.number))
                code.jump(_label(node.target))
            case _:
                assert_never(node)

    # ------------------------------------------------------------------------------------------------------ answers

    def _answer(self, number: Block, wrong: str) -> None:
        """The state rests at a node, and the option with a number is taken."""
        code, writer = self.code, self.writer
        node = self.flow.blocks[number].exit
        assert flow.is_node(node)
        code.place(f"answer.{number}")
        code.store("i64", 0, code.offset(CONTEXT, Context.FUEL), self.unit.tag("fuel"))
        given_one, sampled = code.label("given"), code.label("sampled")
        code.branch(code.compare("ne", "%mode", STEP), sampled, given_one)
        code.place(sampled)
        code.store("i64", PLAY, self.mode)
        code.jump(_label(number))
        code.place(given_one)
        total = self._counted(number, node, rare=True)  # type: ignore[arg-type]
        given = code.load("i64", self.number)
        if isinstance(node, flow.Decision):
            every = code.add(total, int(node.passing is not None))
            code.branch(code.compare("ult", given, every), f"pick.{number}", wrong)
            return
        right = code.label("right")
        offer = node.offer if isinstance(node, flow.ChanceNode) else None
        if isinstance(offer, ir.OfferSubset):
            writer.count_subsets(offer, weighs=False)
            memory = writer.subset_memory(offer)
            subset = writer.subset_at(offer, given)
            code.store(memory.form.ty, subset, memory.pointer("taken"), "", 8)
            code.jump(f"pick.{number}")
            return
        if isinstance(offer, ir.OfferShare):
            code.branch(code.compare("ult", given, total), f"pick.{number}", wrong)
            return
        count = code.load("i64", code.offset(CONTEXT, Context.COUNT), self.unit.tag("context"))
        code.branch(code.compare("ult", given, count), right, wrong)
        code.place(right)
        form = row_form(writer, node)  # type: ignore[arg-type]
        rows = code.load("ptr", code.offset(CONTEXT, Context.ROWS))
        row = code.offset(rows, code.mul(given, form.stride))
        code.store("ptr", row, self.row)
        code.store("i64", 0, code.offset(CONTEXT, Context.PICKED))
        if not isinstance(node, flow.ChanceNode):
            value = code.load("i64", code.offset(row, form.offset(form.values - 1)), self.unit.tag("rows"))
            code.store("i64", value, self.number)
        code.jump(f"pick.{number}")

    def _take_option(self, number: Block, node: flow.Decision, chosen: Operand) -> None:
        writer, code = self.writer, self.code
        match node.offer:
            case ir.OfferSubset() as offer:
                writer.set_local(offer.variable, writer.subset_at(offer, chosen))
                code.jump(_label(_sure(node.target)))
            case ir.OfferShare() as offer:
                writer.set_local(offer.gift, writer.share_at(offer, chosen))
                code.jump(_label(_sure(node.target)))
            case ir.OfferActions() | ir.OfferValues() | flow.OfferLines():
                self._pick_row(node, chosen)
                self._take_row(number, node)
            case _:
                assert_never(node.offer)

    def _take_row(self, number: Block, node: flow.Decision | flow.ChanceNode) -> None:
        """The values in the row that was picked are set, and the flow goes on."""
        code, writer = self.code, self.writer
        row = code.load("ptr", self.row)
        if not isinstance(node.offer, ir.OfferActions):
            read_row(writer, node, 0, row)
            for variable in flow.offer_variables(node.offer):
                writer.set_local(variable, writer.env[variable])
            writer.env.clear()
            code.jump(_label(_sure(node.target)))
            return
        labels = [code.label("launch") for _ in node.launches]
        if len(labels) > 1:
            alternative = code.load("i64", code.offset(row, 8), self.unit.tag("rows"))
            code.switch(alternative, labels[-1], list(enumerate(labels[:-1])))
        for place, (launch, label) in enumerate(zip(node.launches, labels, strict=True)):
            code.place(label)
            self._guarded(number, -1, lambda place=place: read_row(writer, node, place, row))  # type: ignore[misc]
            chosen = dict(writer.env)
            writer.env.clear()
            for variable in self.flow.routines[launch.action].params:
                writer.set_local(variable, chosen[variable])
            self._set_back(launch.action, launch.back)
            code.jump(_label(launch.target))


def _label(block: Block) -> str:
    return f"block.{block}"


def _plain(value: Value) -> int:
    assert value is None or isinstance(value, int)
    return NONE if value is None else int(value)


def _sure(block: Block | None) -> Block:
    assert block is not None
    return block
