"""Chance: what may happen at a node, with exact weights in whole numbers; and one of it at random, without listing all.

Draws and values are rows, as options are; the count of a row is its weight. Of dice the totals are listed, with the
number of ways each comes up; of a named throw the totals of all its rolls, where it is not thrown again.
"""

from __future__ import annotations

from typing import assert_never

from seaspec.backends.native.assembly import Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT
from seaspec.backends.native.flow.offers import Plan, RowForm, _Rows
from seaspec.backends.native.flow.subsets import Subsets
from seaspec.backends.native.values.layout import Kind
from seaspec.backends.native.values.shapes import is_single
from seaspec.core import flow, ir, types
from seaspec.core.ir import BOX, Variable
from seaspec.core.owing import FOR_EVER
from seaspec.core.types import Type

MOST_THROWS = 100_000
"""So often a throw is thrown again before the run is given up."""
TOTALS, MOST_ROLLS = "totals", 64
"""Memory for the totals of the rolls of a throw."""


class Chances(Subsets):
    """The part of the writer for chance."""

    def random(self, count: Operand) -> Operand:
        """A number below a count, from the random generator of the thread."""
        return self.code.call("i64", "random_below", [("ptr", CONTEXT), ("i64", count)])

    # -------------------------------------------------------------------------------------------------------- draws

    def drawable(self, node: flow.DrawNode) -> Operand:
        """The pieces that may be drawn: of a pile from the top layer; of `box` only what the target can hold."""
        field = self.layout.places[node.origin.place]
        aim = self.aim(node.origin)
        if field.kind is Kind.PILES:
            return self.top_layer(self.element_of(field, aim.number), field)
        pieces = self.contents_of(field, aim.number)
        if node.origin.place == BOX:
            fits = self.layout.all_pieces.mask(self.game.places[node.to.place].holds.members)
            pieces = self.code.binary("and", pieces, fits, self.pieces_ty)
        return pieces

    def random_piece(self, pieces: Operand, ty: Type) -> Operand:
        """One of a set of pieces of a type at random; of identical ones the first."""
        drawn = self._random_bit(pieces)
        if not self.twins.numbered(ty):
            return drawn
        return self.code.lowest(self.like(drawn, pieces), self.pieces_ty)

    def _random_bit(self, pieces: Operand) -> Operand:
        code = self.code
        number = self.random(code.population(pieces, self.pieces_ty))
        if self.pieces_ty == "i64":
            return code.call("i64", "select64", [("i64", pieces), ("i64", number)])
        memory = code.slot(self.pieces_ty)
        code.store(self.pieces_ty, pieces, memory)
        return self.select_bit(memory, number, self.pieces_ty)

    def list_draws(self, node: flow.DrawNode) -> Operand:
        """A row for each sort of pieces that may be drawn."""
        code = self.code
        piece = Variable("piece", self.game.places[node.origin.place].holds)
        rows = _Rows(self, RowForm(1, 0))
        rows.begin(0, Plan((piece,), None), None)
        pieces = self.drawable(node)
        together = self.layout.places[node.origin.place].kind is not Kind.ROWS
        each = self.one_of_each(pieces, piece.type, [], together)
        with code.bits(each, self.pieces_ty) as loop, self.binding(piece, loop.value):
            same: Operand = 1
            if self.twins.of_type(piece.type):
                same = code.population(self.like(loop.value, pieces), self.pieces_ty)
            rows.note(same, None)
        return rows.finish()

    # --------------------------------------------------------------------------------------------------------- dice

    def random_roll(self, number: Operand, sides: int) -> Operand:
        """The sum of some dice."""
        code = self.code
        total = code.slot("i64")
        code.store("i64", 0, total)
        with code.count_up(0, number):
            rolled = code.add(self.random(sides), 1)
            code.store("i64", code.add(code.load("i64", total), rolled), total)
        return code.load("i64", total)

    def list_rolls(self, node: flow.RollNode) -> Operand:
        code = self.code
        number = self.number(self.unit.constants.simplify(node.number))
        rows = _Rows(self, RowForm(1, 0))
        rows.begin(0, Plan((node.variable,), None), None)
        number = code.select(code.compare("slt", number, 0), 0, number)
        with self._totals(number, node.sides) as loop, self.binding(node.variable, loop.value):
            rows.note(self._ways_to_roll(number, node.sides, loop.value, _most_dice(node.number.type)), None)
        return rows.finish()

    def _totals(self, number: Operand, sides: int):  # type: ignore[no-untyped-def]
        return self.code.count_up(number, self.code.add(self.code.mul(number, sides), 1))

    def _ways_to_roll(self, number: Operand, sides: int, total: Operand, most: int) -> Operand:
        """In how many ways some dice come to a total."""
        table: list[int] = []
        width = most * sides + 1
        for dice in range(most + 1):
            ways = flow.ways_to_roll(dice, sides)
            if max(ways) >= 1 << 62:
                raise NotCompiled(f"the odds of {most} dice with {sides} sides")
            table += [*[0] * dice, *ways, *[0] * (width - dice - len(ways))]
        code = self.code
        known = code.compare("sle", number, most)
        self.require(known, "more dice are rolled than the rules allow")
        number = code.select(known, number, 0)
        entry = code.add(code.mul(number, width), code.select(known, total, 0))
        return code.load("i64", code.offset(self.unit.array(table, 64), code.mul(entry, 8)))

    # ------------------------------------------------------------------------------------------------- named throws

    def _begin_throw(self, node: flow.ThrowNode) -> ir.ChanceRule:
        rule = self.game.chances[node.chance]
        for param, argument in zip(rule.params, node.arguments, strict=True):
            self.bind(param, self.unit.constants.simplify(argument))
        return rule

    def random_throw(self, node: flow.ThrowNode) -> Operand:
        """A throw that counts: the value that it gives."""
        code = self.code
        rule = self._begin_throw(node)
        counts = code.label("counts")
        totals = self.memory(TOTALS, MOST_ROLLS * 8)
        if sum(isinstance(stmt, ir.Roll) for stmt in rule.body) > MOST_ROLLS:
            raise NotCompiled(f"the throw {rule.name}", rule.source.span)
        result = code.slot("i64")
        code.store("i64", 0, result)
        with code.count_up(0, MOST_THROWS) as loop:
            rolls = 0
            for stmt in rule.body:
                match stmt:
                    case ir.Roll(number, sides, variable):
                        total = self.random_roll(self.number(self.unit.constants.simplify(number)), sides)
                        self.env[variable] = total
                        code.store("i64", total, code.offset(totals, 8 * rolls))
                        rolls += 1
                    case ir.Let(variable, value):
                        self.bind(variable, self.unit.constants.simplify(value))
                    case _:
                        assert_never(stmt)
            for test in rule.again:
                onward = code.label("so_far")
                code.branch(self.truth(self.unit.constants.simplify(test)), loop.onward, onward)
                code.place(onward)
            code.store("i64", self.number(self.unit.constants.simplify(rule.gives)), result)
            code.jump(counts)
        self.fail(f"{rule.name} {FOR_EVER}")
        code.place(counts)
        return code.load("i64", result)

    def throw_form(self, node: flow.ThrowNode) -> RowForm:
        rolls = sum(isinstance(stmt, ir.Roll) for stmt in self.game.chances[node.chance].body)
        return RowForm(rolls + 1, 0)

    def list_throws(self, node: flow.ThrowNode) -> Operand:
        """A row for each list of totals that counts: the totals, then the value."""
        code = self.code
        rule = self._begin_throw(node)
        if not is_single(rule.gives.type):
            raise NotCompiled(f"the value of the throw {rule.name}", rule.source.span)
        given = Variable("value", rule.gives.type)
        totals = [stmt.variable for stmt in rule.body if isinstance(stmt, ir.Roll)]
        rows = _Rows(self, self.throw_form(node))
        rows.begin(0, Plan((*totals, given), None), None)
        scale = 1
        for stmt in rule.body:
            if isinstance(stmt, ir.Roll):
                scale *= stmt.sides ** _most_dice(stmt.number.type)
        if scale >= 1 << 62:
            raise NotCompiled(f"the odds of the throw {rule.name}", rule.source.span)

        def judge(weight: Operand) -> None:
            end = code.label("end")
            for test in rule.again:
                onward = code.label("so_far")
                code.branch(self.truth(self.unit.constants.simplify(test)), end, onward)
                code.place(onward)
            with self.binding(given, self.number(self.unit.constants.simplify(rule.gives))):
                rows.note(weight, None)
            code.place(end)

        def run(step: int, weight: Operand) -> None:
            if step == len(rule.body):
                judge(weight)
                return
            match rule.body[step]:
                case ir.Roll(dice, sides, variable):
                    number = self.number(self.unit.constants.simplify(dice))
                    most = _most_dice(dice.type)
                    with self._totals(number, sides) as loop, self.binding(variable, loop.value):
                        ways = self._ways_to_roll(number, sides, loop.value, most)
                        evened = self._power(sides, code.sub(most, number), most)
                        run(step + 1, code.mul(weight, code.mul(ways, evened)))
                case ir.Let(variable, value):
                    self.bind(variable, self.unit.constants.simplify(value))
                    run(step + 1, weight)
                case never:
                    assert_never(never)

        run(0, 1)
        total = rows.finish()
        self.require(code.compare("ne", total, 0), f"{rule.name} {FOR_EVER}")
        return total

    def _power(self, base: int, exponent: Operand, most: int) -> Operand:
        if isinstance(exponent, int):
            return int(base ** max(0, exponent))
        code = self.code
        inside = code.compare("ule", exponent, most)
        array = self.unit.array([base**n for n in range(most + 1)], 64)
        return code.load("i64", code.offset(array, code.mul(code.select(inside, exponent, 0), 8)))


def _most_dice(ty: types.Type) -> int:
    assert isinstance(ty, types.Int), ty
    return max(0, ty.high)
