"""Quantifiers, counts, sums, the most and the least, the first and the only one.

Over a set of single values the tests are judged for all members at once as far as that can be said (`lane`); what is
left is a loop over the members that still count, left as soon as the answer is known.
"""

from __future__ import annotations

from collections.abc import Sequence as Listed
from typing import assert_never

from seaspec.backends.native.assembly import Loop, Operand
from seaspec.backends.native.expressions.sets import Sets
from seaspec.backends.native.values.shapes import NONE, Bound, is_single
from seaspec.core import ir, types
from seaspec.core.ir import Binder, Expr, FoldKind
from seaspec.core.ops import Op

YES = ir.Const(types.Bool(), True)


class Folds(Sets):
    """The part of the writer for folds."""

    def fold(self, expr: ir.Fold) -> Operand:
        match expr.kind:
            case FoldKind.SOME:
                return self.exists(expr.binders, expr.body)
            case FoldKind.EVERY:
                return self.code.complement(self.exists(expr.binders, negated(expr.body)))
            case FoldKind.COUNT:
                return self._count(expr.binders, expr.body)
            case FoldKind.SUM:
                return self._sum(expr)
            case FoldKind.MOST | FoldKind.LEAST:
                return self._extreme(expr)
            case _:
                assert_never(expr.kind)

    def exists(self, binders: Listed[Binder], body: Expr) -> Operand:
        """Whether the body holds for some way to bind."""
        code = self.code
        if len(binders) == 1 and self.by_mask(binders[0]) and self._in_any_order(binders[0], body):
            mask, rest = self.narrowed(binders[0], [body])
            form = self.of_variable(binders[0].variable)
            if not rest:
                return code.compare("ne", mask, 0, form.ty)
            binder = Binder(binders[0].variable, binders[0].domain)
            return self._found_in(mask, binder, rest)
        found = code.slot("i1")
        yes, end = code.label("found"), code.label("end")
        code.store("i1", 0, found)

        def judge() -> None:
            onward = code.label("no")
            code.branch(self.truth(body), yes, onward)
            code.place(onward)

        self.every(binders, judge)
        code.jump(end)
        code.place(yes)
        code.store("i1", 1, found)
        code.place(end)
        return code.load("i1", found)

    def _in_any_order(self, binder: Binder, body: Expr) -> bool:
        """Whether it makes no difference who is asked first: nothing fails before an answer is found, or there is no
        order but that of the type."""
        tests = [body] if binder.test is None else [binder.test, body]
        return not self._has_order(binder.domain) or all(map(self.given, tests))

    def _found_in(self, mask: Operand, binder: Binder, tests: list[Expr]) -> Operand:
        """Whether all tests hold for some member of a set."""
        code = self.code
        form = self.of_variable(binder.variable)
        found = code.slot("i1")
        yes, end = code.label("found"), code.label("end")
        code.store("i1", 0, found)
        with code.bits(mask, form.ty) as loop, self.binding(binder.variable, self.member_value(loop.value, form)):
            code.branch(self.truth(conjunction(tests)), yes, loop.onward)
        code.jump(end)
        code.place(yes)
        code.store("i1", 1, found)
        code.place(end)
        return code.load("i1", found)

    def by_mask(self, binder: Binder) -> bool:
        """Whether the members are best taken as a set: their order does not matter here."""
        if binder.prefix or not is_single(binder.variable.type):
            return False
        match binder.domain:
            case ir.Apply(_, Op.RANGE | Op.PREFIX):
                return False
            case ir.Const(_, value):
                return not any(isinstance(member, tuple) for member in value)  # type: ignore[attr-defined]
            case ir.Lookup() | ir.Local():
                return not (isinstance(binder.domain.type, types.SetOf) and binder.domain.type.ordered)
            case ir.Select(_, inner, best):
                return best is not None or self.by_mask(inner)
            case (
                ir.StateRead() | ir.PlaceRead() | ir.Everywhere() | ir.WhereIs() | ir.Apply() | ir.Call() | ir.If()
                | ir.Switch() | ir.LetIn() | ir.Fold() | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Ways()
                | ir.Can() | ir.Asked() | ir.Odds() | ir.Old() | ir.Openly()
            ):  # fmt: skip
                return True
            case _:
                assert_never(binder.domain)

    def narrowed(self, binder: Binder, more: list[Expr]) -> tuple[Operand, list[Expr]]:
        """The members for which tests hold, as far as that can be said at once; the tests that are left."""
        variable = binder.variable
        mask = self.mask_in(binder.domain, self.of_variable(variable))
        tests = [*([] if binder.test is None else conjuncts(binder.test)), *(c for e in more for c in conjuncts(e))]
        while tests and self.given(tests[0]):
            mark = self.code.mark()
            found = self.lane(tests[0], variable, mask)
            if found is None:
                self.code.rollback(mark)
                break
            mask = found
            tests.pop(0)
        return mask, tests

    def _count(self, binders: Listed[Binder], body: Expr) -> Operand:
        code = self.code
        total = code.slot("i64")
        code.store("i64", 0, total)
        *outer, last = binders

        def add(amount: Operand) -> None:
            code.store("i64", code.add(code.load("i64", total), amount), total)

        def inner() -> None:
            if self.by_mask(last):
                form = self.of_variable(last.variable)
                mask, rest = self.narrowed(last, [body])
                if rest:
                    mask = self.where(conjunction(rest), last.variable, mask)
                add(code.population(mask, form.ty))
            else:
                self.every([last], lambda: add(code.convert(self.truth(body), "i1", "i64")))

        self.every(outer, inner)
        return code.load("i64", total)

    def _sum(self, expr: ir.Fold) -> Operand:
        code = self.code
        total = code.slot("i64")
        code.store("i64", 0, total)

        def add() -> None:
            term = self.number(expr.body)
            code.store("i64", code.add(code.load("i64", total), term), total)

        self.every(expr.binders, add)
        return code.load("i64", total)

    def _extreme(self, expr: ir.Fold) -> Operand:
        code = self.code
        most = expr.kind is FoldKind.MOST
        best = code.slot("i64")
        nothing = -(2**63) if most else 2**63 - 1
        code.store("i64", nothing, best)

        def better() -> None:
            term = self.number(expr.body)
            before = code.load("i64", best)
            wins = code.compare("sgt" if most else "slt", term, before)
            code.store("i64", code.select(wins, term, before), best)

        self.every(expr.binders, better)
        found = code.load("i64", best)
        some = code.compare("ne", found, nothing)
        otherwise = expr.otherwise
        if otherwise is None:
            self.require(some, f"`{'most' if most else 'least'}` of nothing has no value")
            return code.select(some, found, 0)
        if self.cheap(otherwise):
            return code.select(some, found, self.number(otherwise))
        return code.choose(some, "i64", lambda: found, lambda: self.number(otherwise))

    # -------------------------------------------------------------------------------------------------- pick one

    def pick_one(self, expr: ir.PickOne) -> Operand:
        code = self.code
        result, count = code.slot("i64"), code.slot("i64")
        code.store("i64", 0, count)
        code.store("i64", self._stand_in(expr), result)
        done = code.label("picked")

        def take(value: Bound, loop: Loop) -> None:
            assert isinstance(value, int | str), value
            code.store("i64", value, result)
            code.store("i64", code.add(code.load("i64", count), 1), count)
            if expr.first:
                code.jump(done)

        binder = expr.binder
        if self.by_mask(binder) and not _is_ordered(binder.domain):
            form = self.of_variable(binder.variable)
            with code.bits(self.chosen(binder), form.ty) as loop:
                take(self.member_value(loop.value, form), loop)
        else:
            self.each(binder.domain, lambda value, loop: self._if_chosen(binder, value, loop, take))
        code.place(done)
        found = code.load("i64", count)
        some = code.compare("ne", found, 0)
        if not expr.first:
            fits = code.compare("sle", found, 1)
            if expr.otherwise is None:
                fits = code.both(fits, some)
            self.require(fits, "exactly one was expected")
        elif expr.otherwise is None:
            self.require(some, "there is no first: nothing is in the set")
        value = code.load("i64", result)
        otherwise = expr.otherwise
        if otherwise is None or (isinstance(otherwise, ir.Const) and otherwise.value is None):
            return value
        return code.choose(some, "i64", lambda: value, lambda: self.number(otherwise))

    def _stand_in(self, expr: ir.PickOne) -> Operand:
        """What the value is where there is none: none, or, after an error, any value of the type."""
        if isinstance(expr.type, types.Optional) or expr.otherwise is not None:
            return NONE
        return next((int(v) for v in types.values(expr.type) if isinstance(v, int)), 0)


def _is_ordered(expr: Expr) -> bool:
    return isinstance(expr.type, types.SetOf) and expr.type.ordered and not isinstance(expr, ir.Const)


def conjuncts(expr: Expr) -> list[Expr]:
    if isinstance(expr, ir.Apply) and expr.op is Op.AND:
        return [part for argument in expr.arguments for part in conjuncts(argument)]
    return [] if isinstance(expr, ir.Const) and expr.value is True else [expr]


def conjunction(tests: list[Expr]) -> Expr:
    if len(tests) == 1:
        return tests[0]
    return ir.Apply(types.Bool(), Op.AND, tuple(tests)) if tests else YES


def negated(expr: Expr) -> Expr:
    """The contrary, said so that single tests stand alone.

    >>> negated(ir.Apply(types.Bool(), Op.NOT, (YES,))) is YES
    True
    """
    match expr:
        case ir.Const(ty, value):
            return ir.Const(ty, not value)
        case ir.Apply(_, Op.NOT, (inner,)):
            return inner
        case ir.Apply(ty, Op.OR, arguments):
            return ir.Apply(ty, Op.AND, tuple(map(negated, arguments)))
        case ir.Apply(ty, Op.AND, arguments):
            return ir.Apply(ty, Op.OR, tuple(map(negated, arguments)))
        case ir.Apply(ty, Op.IMPLIES, (test, then)):
            return ir.Apply(ty, Op.AND, (test, negated(then)))
        case _:  # cautious: the contrary of the whole is right for any test
            return ir.Apply(types.Bool(), Op.NOT, (expr,))
