"""Tests over a variable judged for all its values at once: the answer is the set of values for which it holds.

    no n in Water where afloat[n] is filled: before(n, c) and worth(n) >= v

over c, with v given: for each filled n the set of the cells after it, from a table, if its number is too high; all
these sets together are the cells that do not fit. What is true of c by the constants alone is a constant set, or a
table of sets by what else it depends on; states and places by cell are compared by vector instructions.

`lane` writes that, or says that it can not; `where` falls back to a loop over the values. Both judge a test only for
the values in `active`, in the order of the text, so an obligation is met or broken as the interpreter has it.
"""

from __future__ import annotations

from collections.abc import Callable

from seaspec.backends.native.assembly import Operand
from seaspec.backends.native.expressions.folds import conjunction, conjuncts, negated
from seaspec.backends.native.expressions.places import lanes_for
from seaspec.backends.native.expressions.relations import Relations
from seaspec.backends.native.values.shapes import NONE, Universe, is_single, ordinals
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.types import Value
from seaspec.core.walk import substitute

MOST_CONSTANTS = 5000
"""A test is worked out beforehand for at most so many combinations of its variables."""
MOST_AT_ONCE = 500
"""The same where there is a way with fewer."""
MIRRORED = {
    Op.EQUAL: Op.EQUAL, Op.UNEQUAL: Op.UNEQUAL, Op.LESS: Op.MORE, Op.AT_MOST: Op.AT_LEAST, Op.MORE: Op.LESS,
    Op.AT_LEAST: Op.AT_MOST,
}  # fmt: skip
"""The comparison with its sides exchanged."""
CONTRARY = {
    Op.EQUAL: Op.UNEQUAL, Op.UNEQUAL: Op.EQUAL, Op.LESS: Op.AT_LEAST, Op.AT_MOST: Op.MORE, Op.MORE: Op.AT_MOST,
    Op.AT_LEAST: Op.LESS,
}  # fmt: skip
PREDICATES = {Op.EQUAL: "eq", Op.LESS: "ult", Op.AT_MOST: "ule", Op.MORE: "ugt", Op.AT_LEAST: "uge"}
DIRECTION = {Op.AT_MOST: FoldKind.LEAST, Op.LESS: FoldKind.LEAST, Op.MORE: FoldKind.MOST, Op.AT_LEAST: FoldKind.MOST}


class Lanes(Relations):
    """The part of the writer for tests over all values of a variable."""

    # ------------------------------------------------------------------------------------------------------ where

    def where(self, test: Expr, variable: Variable, active: Operand) -> Operand:
        code = self.code
        form = self.of_variable(variable)
        if active == 0:
            return 0
        mark = code.mark()
        found = self.lane(test, variable, active)
        if found is not None:
            return found
        code.rollback(mark)
        match test:
            case ir.Apply(_, Op.AND, arguments):
                for argument in arguments:
                    active = self.where(argument, variable, active)
                return active
            case ir.Apply(_, Op.OR, arguments):
                found, rest = 0, active
                for argument in arguments:
                    more = self.where(argument, variable, rest)
                    found = code.binary("or", found, more, form.ty)
                    rest = self.without(rest, more, form)
                return found
            case ir.Apply(_, Op.NOT, (inner,)):
                return self.without(active, self.where(inner, variable, active), form)
            case ir.Apply(_, Op.IMPLIES, (first, then)):
                holds = self.where(first, variable, active)
                return code.binary("or", self.without(active, holds, form), self.where(then, variable, holds), form.ty)
            case ir.LetIn(name, value, body) if variable not in self.facts.free(value) and self.given(value):
                self.bind(name, value)
                return self.where(body, variable, active)
            case ir.Call():
                return (
                    self.where(self.inlined(test), variable, active)
                    if self._opens(test)
                    else self.one_by_one(test, variable, active)
                )
            case _:  # cautious: the test is judged of one member after the other
                return self.one_by_one(test, variable, active)

    def without(self, mask: Operand, less: Operand, form: Universe) -> Operand:
        return self.code.binary("and", mask, self.code.complement(less, form.ty), form.ty)

    # ------------------------------------------------------------------------------------------------------- lane

    def lane(self, test: Expr, variable: Variable, active: Operand) -> Operand | None:
        mark = self.code.mark()
        found = self._lane(test, variable, active)
        if found is None:
            self.code.rollback(mark)
            found = self.related(test, variable, active)
        return found

    def _lane(self, test: Expr, variable: Variable, active: Operand) -> Operand | None:
        code = self.code
        form = self.of_variable(variable)
        if variable not in self.facts.free(test):
            return self._closed(test, form, active)
        constant = self._constant(test, variable, form)
        if constant is not None:
            return code.binary("and", active, constant, form.ty)
        match test:
            case ir.Apply(_, Op.AND, arguments):
                return self._all_of(list(arguments), variable, active)
            case ir.Apply(_, Op.OR, arguments):
                return self._some_of(list(arguments), variable, active, form)
            case ir.Apply(_, Op.NOT, (inner,)):
                found = self.lane(inner, variable, active)
                return None if found is None else self.without(active, found, form)
            case ir.Apply(_, Op.IMPLIES, (first, then)):
                return self._some_of([negated(first), then], variable, active, form)
            case ir.If(_, first, then, otherwise):
                return self._either(first, then, otherwise, variable, active, form)
            case ir.Apply(_, Op.IN, (ir.Local(member), among)) if member is variable:
                return self._in(among, variable, form, active)
            case ir.Apply(_, op, (a, b)) if op in MIRRORED:
                return self._compared(test, op, a, b, variable, active, form)
            case ir.StateRead(_, state, (ir.Local(index),)) if index is variable:
                return self._state_compared(state, Op.MORE, ir.Const(types.Int(0, 0), 0), variable, active, form)
            case ir.Fold(_, FoldKind.SOME | FoldKind.EVERY as kind, binders, body):
                if kind is FoldKind.SOME:
                    return self._some_binding(binders, body, variable, active, form)
                contrary = self._some_binding(binders, negated(body), variable, active, form)
                return None if contrary is None else self.without(active, contrary, form)
            case ir.Call() if self._opens(test):
                return self.lane(self.inlined(test), variable, active)
            case ir.LetIn(name, value, body) if variable not in self.facts.free(value) and self.harmless(value):
                self.bind(name, value)
                return self.lane(body, variable, active)
            case _:  # cautious: no lane; the test is judged of one member after the other
                return None

    def _closed(self, test: Expr, form: Universe, active: Operand) -> Operand:
        """A test that does not depend on the variable: for all values or none."""
        code = self.code

        def judged() -> Operand:
            return code.binary("and", active, code.spread(self.truth(test), form.ty), form.ty)

        if self.harmless(test):
            return judged()
        return code.choose(code.compare("ne", active, 0, form.ty), form.ty, judged, lambda: 0)

    def _all_of(self, tests: list[Expr], variable: Variable, active: Operand) -> Operand | None:
        for test in tests:
            found = self.lane(test, variable, active)
            if found is None:
                return None
            active = found
        return active

    def _some_of(self, tests: list[Expr], variable: Variable, active: Operand, form: Universe) -> Operand | None:
        found: Operand = 0
        rest = active
        for number, test in enumerate(tests, 1):
            more = self.lane(test, variable, rest)
            if more is None:
                return None
            found = self.code.binary("or", found, more, form.ty)
            if not all(map(self.harmless, tests[number:])):  # they are asked of those alone for which none holds yet
                rest = self.without(rest, more, form)
        return found

    def _either(
        self, test: Expr, then: Expr, otherwise: Expr, variable: Variable, active: Operand, form: Universe
    ) -> Operand | None:
        holds = self.lane(test, variable, active)
        if holds is None:
            return None
        first = self.lane(then, variable, holds)
        second = self.lane(otherwise, variable, self.without(active, holds, form))
        return None if first is None or second is None else self.code.binary("or", first, second, form.ty)

    # -------------------------------------------------------------------------------------------------- constants

    def _constant(self, test: Expr, variable: Variable, form: Universe) -> Operand | None:
        """A test by the constants alone: a constant set, or an entry of a table of sets by the other variables."""
        if self.facts.reads(test):
            return None
        others = sorted(self.facts.free(test) - {variable}, key=lambda v: v.name)
        count = types.size(variable.type) if is_single(variable.type) else MOST_CONSTANTS + 1
        for other in others:
            if not is_single(other.type) or not isinstance(self.env.get(other, 0), int | str):
                return None
            count *= types.size(other.type)
        if count > MOST_CONSTANTS or (count > MOST_AT_ONCE and _asks_for_entry(test, variable)):
            return None
        sets = self._tabulated(test, variable, tuple(others), form)
        if sets is None:
            return None
        if not others:
            return sets[0]
        if len(set(sets)) == 1:
            return sets[0]
        number: Operand = 0
        for other in others:
            part, _ = self.ordinal(self.single(other), other.type, other.type)
            number = self.code.add(self.code.mul(number, ordinals(other.type).size), part)
        return self.mask_at(self.unit.masks(sets, form), number, form)

    def _tabulated(
        self, test: Expr, variable: Variable, others: tuple[Variable, ...], form: Universe
    ) -> list[int] | None:
        known = self.unit.tabulated
        key = test, variable, others
        if key not in known:
            try:
                known[key] = [
                    form.mask([v for v in types.values(variable.type) if self._holds(test, {**env, variable: v})])
                    for env in _environments(others)
                ]
            except (NotConstant, TypeError, AssertionError):
                known[key] = None
        return known[key]

    def _holds(self, test: Expr, env: dict[Variable, Value]) -> bool:
        return bool(self.unit.constants.value(test, env))

    # ------------------------------------------------------------------------------------------------ comparisons

    def _in(self, among: Expr, variable: Variable, form: Universe, active: Operand) -> Operand | None:
        if variable in self.facts.free(among):
            return None
        if not self.harmless(among):
            return None
        found = self.mask_in(among, form)
        if form.optional:
            found = self.code.binary("and", found, -2, form.ty)
        return self.code.binary("and", active, found, form.ty)

    def _compared(
        self, test: Expr, op: Op, a: Expr, b: Expr, variable: Variable, active: Operand, form: Universe
    ) -> Operand | None:
        code = self.code
        asked = self.emptiness(test)
        if asked is not None:
            return self._filled(*asked, variable, active, form)
        if variable in self.facts.free(b):
            a, b, op = b, a, MIRRORED[op]
        if variable in self.facts.free(b) or not self.harmless(b) or not is_single(b.type):
            return None
        if isinstance(a, ir.Call) and self._opens(a):
            return self.lane(ir.Apply(types.Bool(), op, (self.inlined(a), b)), variable, active)
        if op is Op.UNEQUAL:
            equal = self._compared(ir.Apply(types.Bool(), Op.EQUAL, (a, b)), Op.EQUAL, a, b, variable, active, form)
            return None if equal is None else self.without(active, equal, form)
        match a:
            case ir.Local(member) if member is variable:
                return code.binary("and", active, self._values(op, self.number(b), form), form.ty)
            case ir.StateRead(_, state, (ir.Local(index),)) if index is variable:
                return self._state_compared(state, op, b, variable, active, form)
            case ir.Fold(_, FoldKind.LEAST | FoldKind.MOST, _, _, otherwise) if otherwise is not None:
                return self._extreme_compared(a, op, b, otherwise, variable, active)
            case ir.Lookup(_, name, (ir.Local(index),)) if index is variable and op is Op.EQUAL:
                return self._entry_equal(name, b, variable, active, form)
            case _:  # cautious: no lane; the test is judged of one member after the other
                return None

    def _values(self, op: Op, limit: Operand, form: Universe) -> Operand:
        """The values that compare so with a number (or none)."""
        code = self.code
        if op is Op.EQUAL:
            position = code.add(limit, form.shift)
            if form.optional:
                position = code.select(code.compare("eq", limit, NONE), 0, position)
            inside = code.compare("ult", position, form.width)
            return code.select(inside, code.bit(code.select(inside, position, 0), form.ty), 0, form.ty)
        end = code.add(limit, form.shift + (op in (Op.AT_MOST, Op.MORE)))  # values below this bit
        end = code.select(code.compare("slt", end, 0), 0, end)
        end = code.select(code.compare("sgt", end, form.width), form.width, end)
        up = code.convert(code.sub(int(form.ty[1:]), end), "i64", form.ty)
        empty = code.compare("eq", end, 0)
        below = code.binary("lshr", -1, code.select(empty, 0, up, form.ty), form.ty)
        below = code.select(empty, 0, below, form.ty)
        return below if op in (Op.LESS, Op.AT_MOST) else code.complement(below, form.ty)

    def _filled(
        self, read: ir.PlaceRead, empty: bool, variable: Variable, active: Operand, form: Universe
    ) -> Operand | None:
        """Which instances of a place are empty, or filled."""
        field = self.layout.places[read.place]
        index = self.game.places[read.place].index
        if len(read.indices) != 1 or not isinstance(read.indices[0], ir.Local):
            return None
        if read.indices[0].variable is not variable or not types.lies_within(variable.type, index[0].type):
            return None
        first = self._first_position(index[0].type, form)
        if first is None:
            return None
        filled = self.filled_instances(field)
        if filled is None:
            return None
        mask = self._placed(*filled, first, form)
        return self.without(active, mask, form) if empty else self.code.binary("and", active, mask, form.ty)

    def _first_position(self, index: types.Type, form: Universe) -> int | None:
        """The bit of the first value of an index type whose values follow one another."""
        order = ordinals(index)
        if order.table is not None or order.optional or form.optional:
            return None
        position = order.first + form.shift
        return position if position >= 0 else None

    def _placed(self, mask: Operand, ty: str, first: int, form: Universe) -> Operand:
        wide = max(ty, form.ty, key=lambda t: int(t[1:]))
        moved = self.code.binary("shl", self.code.convert(mask, ty, wide), first, wide)
        return self.code.convert(moved, wide, form.ty)

    def _state_compared(
        self, state: str, op: Op, limit: Expr, variable: Variable, active: Operand, form: Universe
    ) -> Operand | None:
        """The entries of a state that compare so with a number, by vector instructions."""
        code = self.code
        field = self.layout.states[state]
        index = self.game.states[state].index
        packed = field.packed
        if packed is None or len(index) != 1 or not types.lies_within(variable.type, index[0].type) or packed.bits > 32:
            return None
        if packed.optional and op is not Op.EQUAL:
            return None
        first = self._first_position(index[0].type, form)
        if first is None:
            return None
        lanes, bits = lanes_for(field.count), packed.bits
        value = self.number(limit)
        if packed.optional:
            stored = code.select(code.compare("eq", value, NONE), 0, code.add(value, packed.shift))
        else:
            stored = code.add(value, packed.shift)
        most = (1 << bits) - 1
        inside = code.compare("ule", stored, most)
        above = code.compare("sgt", stored, most)
        held = code.select(inside, stored, code.select(above, most, 0))
        vector = f"<{lanes} x i{bits}>"
        found = code.load(vector, self.at(field.offset), self.unit.tag(f"state {state}"), 1)
        same = code.value(f"icmp {PREDICATES[op]} {vector} {found}, {self.splat(held, lanes, bits)}")
        whole: Operand = code.value(f"bitcast <{lanes} x i1> {same} to i{lanes}")
        whole = code.binary("and", whole, (1 << field.count) - 1, f"i{lanes}")
        # A number that can not be stored equals none, is above all, or below all.
        if op is Op.EQUAL:
            whole = code.select(inside, whole, 0, f"i{lanes}")
        else:
            outside_above = -1 if op in (Op.LESS, Op.AT_MOST) else 0
            outside = code.select(above, outside_above, ~outside_above, f"i{lanes}")
            whole = code.select(inside, whole, outside, f"i{lanes}")
        return code.binary("and", active, self._placed(whole, f"i{lanes}", first, form), form.ty)

    def _entry_equal(
        self, name: str, value: Expr, variable: Variable, active: Operand, form: Universe
    ) -> Operand | None:
        """The indices at which a table has a value."""
        table = self.unit.constants.tables[name]
        if not types.lies_within(variable.type, table.index[0]):
            return None
        indices = list(types.values(table.index[0]))
        by_value: dict[Value, list[Value]] = {}
        for index, entry in zip(indices, table.entries, strict=True):
            by_value.setdefault(entry, []).append(index)
        numbers = [int(v) for v in by_value if isinstance(v, int)]
        if None in by_value or not numbers or max(numbers) - min(numbers) > MOST_CONSTANTS:
            return None
        low, high = min(numbers), max(numbers)
        sets = [form.mask(by_value.get(v, [])) for v in range(low, high + 1)]
        code = self.code
        steps = code.sub(self.number(value), low)
        inside = code.compare("ult", steps, len(sets))
        found = self.mask_at(self.unit.masks(sets, form), code.select(inside, steps, 0), form)
        return code.binary("and", active, code.select(inside, found, 0, form.ty), form.ty)

    def _extreme_compared(
        self, fold: ir.Fold, op: Op, limit: Expr, otherwise: Expr, variable: Variable, active: Operand
    ) -> Operand | None:
        """`least e <= k`: some e <= k; with nothing to choose from, `otherwise` is compared."""
        if op is Op.EQUAL or not self.given(fold):
            return None
        if fold.kind is not DIRECTION[op]:
            contrary = self._extreme_compared(fold, CONTRARY[op], limit, otherwise, variable, active)
            return None if contrary is None else self.without(active, contrary, self.of_variable(variable))
        local = Variable("limit", limit.type)
        self.env[local] = self.number(limit)
        bool_ = types.Bool()
        some = ir.Fold(bool_, FoldKind.SOME, fold.binders, ir.Apply(bool_, op, (fold.body, ir.Local(local))))
        nothing = ir.Apply(bool_, Op.NOT, (ir.Fold(bool_, FoldKind.SOME, fold.binders, ir.Const(bool_, True)),))
        compared = ir.Apply(bool_, op, (otherwise, ir.Local(local)))
        whole = ir.Apply(bool_, Op.OR, (some, ir.Apply(bool_, Op.AND, (compared, nothing))))
        return self.lane(whole, variable, active)

    # ------------------------------------------------------------------------------------------------ quantifiers

    def _some_binding(
        self, binders: tuple[ir.Binder, ...], body: Expr, variable: Variable, active: Operand, form: Universe
    ) -> Operand | None:
        """For each member of the domain, the values for which the tests hold; all of them together."""
        first, *rest = binders
        inner = first.variable
        if first.prefix or not is_single(inner.type) or isinstance(first.domain.type, types.Optional):
            return None
        tests = [] if first.test is None else conjuncts(first.test)
        last = ir.Fold(types.Bool(), FoldKind.SOME, tuple(rest), body) if rest else body
        tests += conjuncts(last)
        if not all(map(self.given, tests)):
            return None
        members = self._members_for(first, variable, tests)
        if members is None:
            return None
        alone = [test for test in tests if variable not in self.facts.free(test)]
        both = [test for test in tests if variable in self.facts.free(test)]
        if alone:
            members = self.where(conjunction(alone), inner, members)
        of_member = self.of_variable(inner)
        mark = self.code.mark()
        plain = self._gathered(conjunction(both), inner, members, of_member, variable, form, dense=False)
        if plain is None or not self._runs_straight(mark) or not self._all_valid(inner, of_member, form, both):
            return None if plain is None else self.code.binary("and", active, plain, form.ty)
        self.code.rollback(mark)
        found = self._gathered(conjunction(both), inner, members, of_member, variable, form, dense=True)
        assert found is not None
        return self.code.binary("and", active, found, form.ty)

    def _members_for(self, binder: ir.Binder, variable: Variable, tests: list[Expr]) -> Operand | None:
        """The members that the domain has for any value of the variable; that it has them is one more test."""
        of_member = self.of_variable(binder.variable)
        domain = binder.domain
        if variable not in self.facts.free(domain):
            return self.mask_in(domain, of_member) if self.given(domain) else None
        if isinstance(domain, ir.PlaceRead):
            return self._pieces_for(domain, binder.variable, variable, tests)
        if not isinstance(domain, ir.Lookup) or self.facts.reads(domain):
            return None
        entries = self.unit.constants.tables[domain.table].entries
        tests.insert(0, ir.Apply(types.Bool(), Op.IN, (ir.Local(binder.variable), domain)))
        return of_member.mask(sorted({m for entry in entries for m in entry}))  # type: ignore[attr-defined]

    def _pieces_for(
        self, domain: ir.PlaceRead, piece: Variable, variable: Variable, tests: list[Expr]
    ) -> Operand | None:
        """The pieces in all instances of a place, where these are more: that one lies in this instance is a test."""
        field = self.layout.places[domain.place]
        index = self.game.places[domain.place].index
        if domain.indices != (ir.Local(variable),) or not types.lies_within(variable.type, index[0].type):
            return None
        if field.span > field.count or isinstance(piece.type, types.Optional):
            return None
        where = ir.WhereIs(index[0].type, domain.place, ir.Local(piece), 0)
        tests.insert(0, ir.Apply(types.Bool(), Op.EQUAL, (ir.Local(variable), where)))
        return self.everywhere(domain.place)

    def _all_valid(self, inner: Variable, of_member: Universe, form: Universe, tests: list[Expr]) -> bool:
        """Whether the tests may be judged for members that the domain has not."""
        whole = types.size(inner.type) == of_member.width and not of_member.optional
        return whole and of_member.ty == "i64" and form.ty == "i64" and all(map(self.facts.bold, tests))

    def _runs_straight(self, mark: tuple[int, int, int, bool]) -> bool:
        """Whether there is but one loop in what was written since."""
        labels = [line for line in self.code.lines[mark[1] :] if not line.startswith(" ")]
        return len(labels) == 4

    def _gathered(
        self, test: Expr, inner: Variable, members: Operand, of_member: Universe, variable: Variable, form: Universe,
        dense: bool,
    ) -> Operand | None:  # fmt: skip
        """All values for which the test holds with some member. `dense`: without looking which members there are, so
        that vector instructions can do it."""
        code = self.code
        result = code.slot(form.ty)
        code.store(form.ty, 0, result)
        every = form.mask(list(types.values(variable.type)))
        loop_over: Callable[..., object] = code.count_up if dense else code.bits
        arguments = (0, of_member.width) if dense else (members, of_member.ty)
        failed = False
        with loop_over(*arguments) as loop, self.binding(inner, self.member_value(loop.value, of_member)):  # type: ignore[attr-defined]
            found = self.lane(test, variable, every)
            if found is None:
                failed = True
            else:
                if dense:
                    bit = code.has_bit(members, loop.value, of_member.ty)
                    found = code.binary("and", found, code.spread(bit, form.ty), form.ty)
                code.store(form.ty, code.binary("or", code.load(form.ty, result), found, form.ty), result)
        return None if failed else code.load(form.ty, result)

    # ---------------------------------------------------------------------------------------------------- inlining

    def _opens(self, call: ir.Call) -> bool:
        """Whether the body of a define may be written where it is called: its arguments are as good twice as once."""
        function = self.game.functions[call.function]
        return function.shrinking is None and all(_is_plain(argument) for argument in call.arguments)

    def inlined(self, call: ir.Call) -> Expr:
        """The body of a define with the arguments filled in."""
        known = self.unit.inlined
        if id(call) not in known:
            function = self.game.functions[call.function]
            values = dict(zip(function.params, call.arguments, strict=True))
            body = substitute(self.unit.constants.simplify(function.body), values)
            known[id(call)] = call, self.unit.constants.simplify(body)
        return known[id(call)][1]


def _asks_for_entry(test: Expr, variable: Variable) -> bool:
    """Whether a test compares an entry of a table, by the variable alone, with something."""
    match test:
        case ir.Apply(_, Op.EQUAL, sides):
            return any(isinstance(s, ir.Lookup) and s.indices == (ir.Local(variable),) for s in sides)
        case _:  # cautious: no entry is known to be asked for; then it is not read ahead
            return False


def _is_plain(expr: Expr) -> bool:
    match expr:
        case ir.Local() | ir.Const():
            return True
        case ir.Apply(_, Op.KNOWN, (inner,)):
            return _is_plain(inner)
        case ir.Lookup(_, _, indices):
            return all(map(_is_plain, indices))
        case _:  # cautious: not plain; it is computed where it stands
            return False


def _environments(variables: tuple[Variable, ...]) -> list[dict[Variable, Value]]:
    found: list[dict[Variable, Value]] = [{}]
    for variable in variables:
        found = [{**env, variable: value} for env in found for value in types.values(variable.type)]
    return found
