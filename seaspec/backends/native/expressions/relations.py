"""Tests over a variable that depend, beside it, on a few values alone that are the same for all of its values.

    adjoins(y, s.cell)    over y: with x for s.cell, a question of the constants about y and x

What does not depend on the variable is worked out first. If what is left does not read the position, the set of the
values for which it holds depends on those first values alone: it is an entry of a table, which is worked out when it is
first asked for, while the game runs. (What is small is a table from the start: lanes.py.)
"""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS
from seaspec.backends.native.expressions.folds import Folds
from seaspec.backends.native.values.shapes import Universe, is_single, ordinals
from seaspec.core import ir, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import Node, children, rewrite, walk

MOST_KEPT = 1 << 19
"""Bytes of a table that is filled in while the game runs, at most."""


class Relations(Folds):
    """The part of the writer for such tests."""

    def related(self, test: Expr, variable: Variable, active: Operand) -> Operand | None:
        """The values for which a test holds; None if it is not of that sort."""
        firsts = list(self._firsts(test, variable, self.facts.free(test), strict=True))
        if not firsts and self.facts.reads(test):
            return None
        names = {id(first): ir.Local(Variable("first", first.type)) for first in firsts}
        rest = rewrite(test, lambda node: names.get(id(node), node))
        form = self.of_variable(variable)

        def found() -> Operand | None:
            for first in firsts:
                self.env[names[id(first)].variable] = self.number(first)
            if self.facts.reads(rest):
                return self.lane(rest, variable, active)
            return self._kept(rest, variable, active, form)

        if self.facts.reads(rest) and not isinstance(rest, ir.Call):
            return None
        if all(map(self.harmless, firsts)):
            return found()
        results: list[Operand | None] = []

        def noted() -> Operand:
            results.append(found())
            return results[0] or 0

        mask = self.code.choose(self.code.compare("ne", active, 0, form.ty), form.ty, noted, lambda: 0)
        return None if None in results else mask

    def _firsts(self, node: Node, variable: Variable, known: frozenset[Variable], strict: bool) -> Iterator[Expr]:
        """The greatest parts of a test that read the position, and that the variable does not matter for. `strict`: the
        part is worked out whenever the test is; others must do no harm."""
        free = self.facts.free(node)
        if not isinstance(node, ir.Binder) and variable not in free and free <= known and self.facts.reads(node):
            if is_single(node.type) and (strict or self.harmless(node)):
                yield node
                return
        for number, child in enumerate(children(node)):
            yield from self._firsts(child, variable, known, strict and _is_strict(node, number))

    def _kept(self, test: Expr, variable: Variable, active: Operand, form: Universe) -> Operand | None:
        """The same for a test that does not read the position, from a table that is filled in while the game runs."""
        used = dict.fromkeys(node.variable for node in walk(test) if isinstance(node, ir.Local))
        others = [other for other in used if other is not variable and other in self.facts.free(test)]
        if not self.facts.bold(test) or not all(is_single(v.type) for v in (variable, *others)):
            return None  # the table is filled for all values, whatever is asked before
        if not all(isinstance(self.local(other), int | str) for other in others):
            return None
        count = 1
        for other in others:
            count *= ordinals(other.type).size
        size = 8 + int(form.ty[1:]) // 8
        if not others or count * size > MOST_KEPT:
            return None
        number: Operand = 0
        for other in others:
            part, _ = self.ordinal(self.single(other), other.type, other.type)
            number = self.code.add(self.code.mul(number, ordinals(other.type).size), part)
        number = self.code.select(self.code.compare("ult", number, count), number, 0)
        key = "kept", test, variable
        fill = self.unit.function(key, "fill", lambda name: self._write_fill(name, test, variable, others))
        entry = self.code.offset(self.memory(f"kept by {fill}", count * size), self.code.mul(number, size))
        with self.code.when(self.code.compare("eq", self.code.load("i64", entry), 0)):
            arguments = [("ptr", self.state), ("ptr", CONTEXT), ("ptr", entry)]
            self.code.call("void", fill, [*arguments, *(("i64", self.single(other)) for other in others)], rare=True)
        return self.code.binary("and", active, self.code.load(form.ty, self.code.offset(entry, 8), "", 8), form.ty)

    def _write_fill(self, name: str, test: Expr, variable: Variable, others: list[Variable]) -> Code:
        """The function that works out an entry."""
        named = [("i64", f"%a{place}") for place in range(len(others))]
        code = Code(name, "void", [*FRAME_PARAMS, ("ptr", "%row"), *named])
        writer = self.another(code)
        assert isinstance(writer, Relations)
        writer.env.update(zip(others, (f"%a{place}" for place in range(len(others))), strict=True))
        form = self.of_variable(variable)
        mask = writer.one_by_one(test, variable, form.mask(list(types.values(variable.type))))
        code.store(form.ty, mask, code.offset("%row", 8), "", 8)
        code.store("i64", 1, "%row")
        code.give()
        return code

    def one_by_one(self, test: Expr, variable: Variable, active: Operand) -> Operand:
        """Those of a set for which a test holds, judged for each."""
        code = self.code
        form = self.of_variable(variable)
        result = code.slot(form.ty)
        code.store(form.ty, 0, result)
        with code.bits(active, form.ty) as loop, self.binding(variable, self.member_value(loop.value, form)):
            code.put_bit(result, loop.value, self.truth(test), form.ty)
        return code.load(form.ty, result)


def _is_strict(node: Node, number: int) -> bool:
    """Whether a child of a node is worked out whenever the node is."""
    match node:
        case ir.Apply(_, Op.AND | Op.OR | Op.IMPLIES) | ir.If() | ir.Switch():
            return number == 0
        case ir.Apply() | ir.Lookup() | ir.Call() | ir.StateRead() | ir.PlaceRead() | ir.WhereIs() | ir.LetIn():
            return True
        case _:  # cautious: perhaps it is not
            return False
