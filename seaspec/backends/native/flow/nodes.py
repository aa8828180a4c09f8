"""What a node offers, for one who asks: counted and noted (`count_node`), told one by one (`option`), who is asked;
and how a game ends (`write_over`)."""

from __future__ import annotations

from typing import assert_never

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import LISTED, NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.offers import Plan, RowForm
from seaspec.backends.native.flow.steps import Steps
from seaspec.backends.native.values.shapes import NONE, Entries, is_single, ordinals, universe
from seaspec.backends.native.values.unit import Context, Unit
from seaspec.core import flow, ir, types
from seaspec.core.flow import Block
from seaspec.core.ir import Expr, Variable

PASS = -1
"""The alternative that passing is."""


class Writer(Steps):
    """The whole writer."""

    def another(self, code: Code) -> Writer:
        return Writer(self.unit, code)

    def seats_of(self, players: Expr) -> Operand:
        """The seats that an expression (a player, or a set) names, as a set."""
        return self.mask_in(players, universe(types.Enum("Player", self.game.players, True), self.game))


def row_form(writer: Writer, node: flow.Node) -> RowForm:
    """The rows in which the options of a node are noted."""
    match node:
        case flow.Decision() | flow.ChanceNode():
            return writer.plans(node)[1]
        case flow.ThrowNode():
            return writer.throw_form(node)
        case flow.DrawNode() | flow.RollNode() | flow.Over() | flow.Outside():
            return RowForm(1, 0)
        case _:
            assert_never(node)


def simple_binder(writer: Writer, binder: ir.Binder) -> ir.Binder:
    test = None if binder.test is None else writer.simple(binder.test)
    return ir.Binder(binder.variable, writer.simple(binder.domain), test, binder.prefix)


def count_node(unit: Unit, name: str, number: Block) -> Code:
    """A function: the options of the node are noted; how many there are (at a chance node, the sum of the weights).

    Passing is not counted.
    """
    node = unit.flow.blocks[number].exit
    assert isinstance(node, flow.Node)
    code = Code(name, "i64", FRAME_PARAMS)
    writer = Writer(unit, code)
    writer.live = unit.flow.blocks[number].live
    match node:
        case flow.Decision() | flow.ChanceNode():
            weighs = isinstance(node, flow.ChanceNode)
            match node.offer:
                case ir.OfferSubset() as offer:
                    total = writer.count_subsets(offer, weighs)
                case ir.OfferShare() as offer:
                    total = writer.count_shares(offer)
                case ir.OfferActions() | ir.OfferValues() | flow.OfferLines():
                    total = writer.write_rows(node)
                    if not weighs:
                        writer.require(code.compare("sle", total, flow.MOST_OPTIONS), LISTED)
                case _:
                    assert_never(node.offer)
        case flow.DrawNode():
            total = writer.list_draws(node)
        case flow.RollNode():
            total = writer.list_rolls(node)
        case flow.ThrowNode():
            total = writer.list_throws(node)
        case flow.Over() | flow.Outside():
            raise AssertionError(node)
        case _:
            assert_never(node)
    if isinstance(node, flow.Decision) and node.passing is not None:
        code.store("i64", total, writer.memory("total", 64))
    code.give(total)
    return code


def read_row(writer: Writer, node: flow.Decision | flow.ChanceNode, place: int, row: str) -> None:
    """What is chosen by a row: the variables of the alternative stand for their values."""
    code = writer.code
    tag = writer.unit.tag("rows")
    plans, form = writer.plans(node)
    plan: Plan = plans[place]
    if plan.loop is not None:
        writer.env[plan.loop] = code.load("i64", code.offset(row, form.offset(-1)), tag)
    for number, variable in enumerate(plan.variables):
        writer.env[variable] = code.load("i64", code.offset(row, form.offset(number)), tag)
    if plan.last is not None:
        among = writer.of_variable(plan.last)
        picked = code.load("i64", code.offset(CONTEXT, Context.PICKED))
        position = writer.select_bit(code.offset(row, form.set_offset), picked, among.ty)
        writer.env[plan.last] = writer.member_value(position, among)
    if isinstance(node.offer, ir.OfferActions):
        alternative = node.offer.alternatives[place]
        params = writer.game.actions[alternative.action].params
        for param, argument in zip(params, alternative.arguments, strict=True):
            if argument is not None and not is_single(param.variable.type):
                writer.bind(param.variable, writer.simple(argument))


# -------------------------------------------------------------------------------------------------- for one who asks


def write_options(unit: Unit) -> None:
    """`options(state, context)`: how many options or outcomes there are, passing among them; they are noted."""
    code = Code("options", "i64", FRAME_PARAMS, attributes="")
    writer = Writer(unit, code)
    nodes = asked_nodes(unit)
    none = code.label("none")
    pc = code.load("i16", STATE, unit.tag("pc"), 2)
    code.switch(pc, none, [(number, f"node.{number}") for number in nodes], "i16")
    for number, node in nodes.items():
        code.place(f"node.{number}")
        name = unit.function(("count", number), f"count_{number}", lambda n, number=number: count_node(unit, n, number))  # type: ignore[misc]
        total: Operand = code.call("i64", name, [("ptr", STATE), ("ptr", CONTEXT)], rare=True)
        match node:
            case flow.Decision():
                total = code.add(total, int(node.passing is not None))
            case flow.ChanceNode(ir.OfferSubset() as offer):
                writer.live = unit.flow.blocks[number].live
                total = writer.count_subsets(offer, weighs=False)
            case flow.ChanceNode(ir.OfferShare()):
                pass
            case (
                flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.ThrowNode() | flow.Goto()
                | flow.Test() | flow.Switch() | flow.Enter() | flow.Return() | flow.Finding() | flow.Over()
                | flow.Outside()
            ):  # fmt: skip
                total = code.load("i64", code.offset(CONTEXT, Context.COUNT), unit.tag("context"))
            case _:
                assert_never(node)
        code.give(total)
    code.place(none)
    code.give(0)
    unit.add(code)


def write_tell(unit: Unit) -> dict[Block, int]:
    """`tell(state, context, first, end, out)`: some of the options just noted, in words: weight, alternative, values.

    A set takes the words of its mask, a map one word an entry, all other values one word. Given back: how many words
    an option takes, by node.
    """
    code = Code("option", "void", [*FRAME_PARAMS, ("i64", "%number"), ("ptr", "%out")])
    nodes = asked_nodes(unit)
    words: dict[Block, int] = {}
    none = code.label("none")
    pc = code.load("i16", STATE, unit.tag("pc"), 2)
    code.switch(pc, none, [(number, f"node.{number}") for number in nodes], "i16")
    for number, node in nodes.items():
        code.place(f"node.{number}")
        telling = _Telling(Writer(unit, code), number)
        telling.tell(node)
        words[number] = max(telling.words, telling.most)
        code.give()
    code.place(none)
    code.give()
    unit.add(code)
    params = [*FRAME_PARAMS, ("i64", "%first"), ("i64", "%end"), ("ptr", "%out")]
    code = Code("tell", "void", params, attributes="")
    sizes = unit.array([8 * words.get(number, 0) for number in range(len(unit.flow.blocks))], 64)
    block = code.convert(code.load("i16", STATE, unit.tag("pc"), 2), "i16", "i64")
    size = code.load("i64", code.offset(sizes, code.mul(block, 8)))
    with code.count_up("%first", "%end") as loop:
        place = code.offset("%out", code.mul(code.sub(loop.value, "%first"), size))
        code.call("void", "option", [("ptr", STATE), ("ptr", CONTEXT), ("i64", loop.value), ("ptr", place)])
    code.give()
    unit.add(code)
    return words


class _Telling:
    """Writes what tells an option of a node."""

    def __init__(self, writer: Writer, number: Block) -> None:
        self.writer = writer
        self.code = writer.code
        self.words = 0
        self.most = 2
        """Words that any alternative takes."""
        self.live = writer.unit.flow.blocks[number].live

    def word(self, value: Operand) -> None:
        self.code.store("i64", value, self.code.offset("%out", 8 * self.words))
        self.words += 1

    def value(self, variable: Variable) -> None:
        """The value of a variable."""
        value = self.writer.env[variable]
        match value:
            case Entries():
                count = ordinals(_keys(variable)).size
                with self.code.count_up(0, count) as loop:
                    entry = self.writer.load(
                        self.writer.element(value.pointer, loop.value, value.packed), value.packed, value.tag
                    )
                    place = self.code.add(self.code.mul(loop.value, 8), 8 * self.words)
                    self.code.store("i64", entry, self.code.offset("%out", place))
                self.words += count
            case int() | str() if is_single(variable.type):
                self.word(value)
            case int() | str():
                self.mask(value, self.writer.result_type(variable.type))
            case _:
                raise NotCompiled(f"an option with the ordered set {variable.name}")

    def mask(self, mask: Operand, ty: str) -> None:
        self.code.store(ty, mask, self.code.offset("%out", 8 * self.words), "", 8)
        self.words += int(ty[1:]) // 64

    def tell(self, node: flow.Node) -> None:
        code, writer = self.code, self.writer
        if isinstance(node, flow.Decision) and node.passing is not None:
            passing, other = code.label("pass"), code.label("other")
            total = code.load("i64", writer.memory("total", 64))
            code.branch(code.compare("eq", "%number", total), passing, other)
            code.place(passing)
            code.store("i64", 1, "%out")
            code.store("i64", PASS, code.offset("%out", 8))
            code.give()
            code.place(other)
        match node:
            case flow.Decision(_, ir.OfferSubset() as offer) | flow.ChanceNode(ir.OfferSubset() as offer):
                subset = writer.subset_at(offer, "%number")
                self.word(writer.subset_weight(offer, subset) if isinstance(node, flow.ChanceNode) else 1)
                self.word(0)
                self.mask(subset, writer.subset_memory(offer).form.ty)
            case flow.Decision(_, ir.OfferShare() as offer) | flow.ChanceNode(ir.OfferShare() as offer):
                writer.env[offer.gift] = writer.share_at(offer, "%number")
                self.word(1)
                self.word(0)
                self.value(offer.gift)
            case flow.Decision():
                stride = row_form(writer, node).stride
                row = code.call("ptr", "pick_row", [("ptr", CONTEXT), ("i64", stride), ("i64", "%number")])
                self.row(node, row)
            case (
                flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.ThrowNode() | flow.Over()
                | flow.Outside()
            ):  # fmt: skip
                form = row_form(writer, node)
                rows = code.load("ptr", code.offset(CONTEXT, Context.ROWS))
                row = code.offset(rows, code.mul("%number", form.stride))
                code.store("i64", 0, code.offset(CONTEXT, Context.PICKED))
                if isinstance(node, flow.ChanceNode):
                    self.row(node, row)
                else:
                    self.plain_row(form, row)
            case _:
                assert_never(node)

    def plain_row(self, form: RowForm, row: str) -> None:
        for offset in (0, 8, *(form.offset(number) for number in range(form.values))):
            self.word(self.code.load("i64", self.code.offset(row, offset), self.writer.unit.tag("rows")))

    def row(self, node: flow.Decision | flow.ChanceNode, row: str) -> None:
        """The values of an alternative, in the order of its parameters."""
        code, writer = self.code, self.writer
        tag = writer.unit.tag("rows")
        weight = code.load("i64", row, tag)
        self.word(weight if isinstance(node, flow.ChanceNode) else 1)
        alternative = code.load("i64", code.offset(row, 8), tag)
        self.word(alternative)
        if not isinstance(node.offer, ir.OfferActions):
            read_row(writer, node, 0, row)
            for variable in flow.offer_variables(node.offer):
                self.value(variable)
            return
        labels = [code.label("alternative") for _ in node.launches]
        end = code.label("told")
        code.switch(alternative, end, list(enumerate(labels)))
        for place, (launch, label) in enumerate(zip(node.launches, labels, strict=True)):
            code.place(label)
            read_row(writer, node, place, row)
            words = self.words
            for param in writer.game.actions[launch.action].params:
                self.value(param.variable)
            self.most = max(self.most, self.words)
            self.words = words
            code.jump(end)
        code.place(end)


def write_decider(unit: Unit) -> None:
    """`decider(state, context)`: the seat that is asked; -1 where none is."""
    code = Code("decider", "i64", FRAME_PARAMS, attributes="")
    nodes = {number: node for number, node in asked_nodes(unit).items() if isinstance(node, flow.Decision)}
    none = code.label("none")
    pc = code.load("i16", STATE, unit.tag("pc"), 2)
    code.switch(pc, none, [(number, f"node.{number}") for number in nodes], "i16")
    for number, node in nodes.items():
        code.place(f"node.{number}")
        writer = Writer(unit, code)
        seat = writer.number(writer.simple(node.decider))
        code.give(code.select(code.compare("eq", seat, NONE), -1, seat))
    code.place(none)
    code.give(-1)
    unit.add(code)


def asked_nodes(unit: Unit) -> dict[Block, flow.Node]:
    """The nodes at which something is to be answered."""
    found: dict[Block, flow.Node] = {}
    for number, block in enumerate(unit.flow.blocks):
        if flow.is_node(block.exit) and not isinstance(block.exit, flow.Over | flow.Outside):
            found[number] = block.exit  # type: ignore[assignment]
    return found


def _keys(variable: Variable) -> types.Type:
    assert isinstance(variable.type, types.Map)
    return variable.type.keys


def write_over(writer: Writer, how: ir.End | ir.Score | None) -> None:
    """The game is over: result and scores stand in the state."""
    code, layout = writer.code, writer.layout
    seats = (1 << layout.seats) - 1
    winners: Operand = 0
    losers: Operand = 0
    match how:
        case ir.End(ir.Outcome.NOBODY) | None:
            pass
        case ir.End(outcome, players):
            named: Operand = seats if players is None else writer.seats_of(writer.simple(players))
            others = code.binary("and", code.complement(named, "i64"), seats)
            if outcome is ir.Outcome.WIN:
                winners, losers = named, others
            else:
                out = code.load("i64", writer.at(layout.OUT), writer.unit.tag("seats"))
                winners = code.binary("and", others, code.complement(out, "i64"))
                losers = code.binary("and", code.complement(winners, "i64"), seats)
        case ir.Score():
            winners = _score(writer, how)
            losers = code.binary("and", code.complement(winners, "i64"), seats)
            code.store("i8", 1, writer.at(layout.SCORED), writer.unit.tag("seats"))
        case _:
            assert_never(how)
    code.store("i8", 1, writer.at(layout.OVER), writer.unit.tag("seats"))
    for offset, value in ((layout.WINNERS, winners), (layout.LOSERS, losers)):
        code.store("i64", value, writer.at(offset), writer.unit.tag("seats"))


def _score(writer: Writer, how: ir.Score) -> Operand:
    """The highest wins, then the ties in order, then they share."""
    code, layout = writer.code, writer.layout
    terms = [writer.simple(value) for value in how.values]
    tag = writer.unit.tag("scores")
    out = code.load("i64", writer.at(layout.OUT), writer.unit.tag("seats"))
    width = 8 * layout.terms
    with code.count_up(0, layout.seats) as loop, writer.binding(how.player, loop.value):
        gone = code.has_bit(out, loop.value, "i64")
        for place in range(layout.terms):
            value = writer.number(terms[place]) if place < len(terms) else NONE
            offset = code.add(code.mul(loop.value, width), layout.scores + 8 * place)
            code.store("i64", code.select(gone, NONE, value), writer.at(offset), tag)
    winners = code.slot("i64")
    in_play = code.binary("and", code.complement(out, "i64"), (1 << layout.seats) - 1)
    code.store("i64", in_play, winners)
    for place in range(len(terms)):
        best, better = code.slot("i64"), code.slot("i64")
        code.store("i64", NONE, best)
        code.store("i64", 0, better)
        with code.bits(code.load("i64", winners), "i64") as loop:
            offset = code.add(code.mul(loop.value, width), layout.scores + 8 * place)
            value = code.load("i64", writer.at(offset), tag)
            bit = code.bit(loop.value, "i64")
            before, held = code.load("i64", best), code.load("i64", better)
            tied = code.select(code.compare("eq", value, before), code.binary("or", held, bit), held)
            more = code.compare("sgt", value, before)
            code.store("i64", code.select(more, bit, tied), better)
            code.store("i64", code.select(more, value, before), best)
        code.store("i64", code.load("i64", better), winners)
    return code.load("i64", winners)
