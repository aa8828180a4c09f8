"""Expressions with sets and maps: as masks, as loops over members in order, as sequences and entries in memory."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from typing import assert_never

from seaspec.backends.native.assembly import Loop, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import Each
from seaspec.backends.native.expressions.operators import MASKS, first_bits, has_member, is_ordered
from seaspec.backends.native.expressions.runs import run_of
from seaspec.backends.native.expressions.singles import Singles
from seaspec.backends.native.values.layout import Kind
from seaspec.backends.native.values.shapes import (
    NONE,
    Bound,
    Entries,
    Member,
    Packed,
    Sequence,
    Universe,
    is_single,
    ordinals,
    packed,
    universe,
)
from seaspec.core import ir, types
from seaspec.core.ir import Binder, Expr
from seaspec.core.ops import Op
from seaspec.core.types import Value


class Sets(Singles):
    """The part of the writer for sets and maps."""

    # ------------------------------------------------------------------------------------------------------ masks

    def mask(self, expr: Expr) -> Operand:
        code = self.code
        form = self.universe(expr.type)
        match expr:
            case ir.Const(_, value):
                assert isinstance(value, tuple), value
                return form.mask(value)
            case ir.Local(variable):
                return self._local_mask(variable, form)
            case ir.PlaceRead(_, place, indices):
                return self.contents(place, indices)
            case ir.Everywhere(_, place):
                return self.everywhere(place)
            case ir.StateRead():
                field = self.layout.states[expr.state]
                if field.maps is not None:
                    raise self.not_compiled(expr)
                return self.load_mask(
                    self.state_pointer(expr), field.bits, form.ty, self.unit.tag(f"state {expr.state}")
                )
            case ir.Lookup():
                table = self.unit.constants.tables[expr.table]
                array = self.unit.masks([form.mask(_tuple(entry)) for entry in table.entries], form)
                return self.mask_at(array, self.table_entry(expr), form)
            case ir.Apply(_, op) if op in MASKS:
                return MASKS[op](self, expr)
            case ir.If(_, test, then, otherwise):
                holds = self.truth(test)
                return code.choose(
                    holds, form.ty, lambda: self.mask_in(then, form), lambda: self.mask_in(otherwise, form)
                )
            case ir.Switch():
                return self.switch(expr, form.ty, lambda body: self.mask_in(body, form))
            case ir.LetIn(variable, value, body):
                self.bind(variable, value)
                return self.mask_in(body, form)
            case ir.Call():
                return self.call(expr, self.mask) if not is_ordered(expr) else self.mask_in(self.opened(expr), form)
            case ir.Select(_, binder, best):
                if best is None and not binder.prefix and is_single(binder.variable.type):
                    found = self.chosen(binder)
                    return self.adapt(found, self.of_variable(binder.variable), form)
                if best is not None and not binder.prefix:
                    return self._best_of(expr, form)
                run = run_of(self, binder) if best is None else None
                return (
                    self._collected(expr, form)
                    if run is None
                    else self.adapt(run, self.of_variable(binder.variable), form)
                )
            case ir.Collect(_, term, binders):
                return self._terms(term, binders, form)
            case ir.Reach():
                return self._reach(expr, form)
            case ir.Openly(inner):
                return self.mask(inner)
            case ir.Apply(_, Op.PREFIX):
                return self._collected(expr, form)
            case (
                ir.WhereIs() | ir.Apply() | ir.Fold() | ir.PickOne() | ir.Ways() | ir.Can() | ir.Asked()
                | ir.Odds() | ir.Old()
            ):  # fmt: skip
                raise self.not_compiled(expr)
            case _:
                assert_never(expr)
        raise self.not_compiled(expr)

    def _local_mask(self, variable: ir.Variable, form: Universe) -> Operand:
        value = self.local(variable)
        match value:
            case Sequence():
                result = self.code.slot(form.ty)
                self.code.store(form.ty, 0, result)
                with self.code.count_up(0, value.length) as loop:
                    member = self.load(self.element(value.pointer, loop.value, value.packed), value.packed, value.tag)
                    self._add_to(result, self.singleton(member, form, False), form)
                return self.code.load(form.ty, result)
            case Member(sets, number):
                return self.mask_at(self.unit.masks([form.mask(s) for s in sets], form), number, form)
            case Entries():
                raise NotCompiled(f"the map {variable.name} as a set")
            case _:
                return value

    def mask_at(self, array: str, number: Operand, form: Universe) -> Operand:
        """An entry of a constant array of masks."""
        pointer = self.code.offset(array, self.code.mul(number, int(form.ty[1:]) // 8))
        return self.code.load(form.ty, pointer, "", 8)

    def _add_to(self, result: str, mask: Operand, form: Universe) -> None:
        before = self.code.load(form.ty, result)
        self.code.store(form.ty, self.code.binary("or", before, mask, form.ty), result)

    def _collected(self, expr: Expr, form: Universe) -> Operand:
        """A set, member by member."""
        result = self.code.slot(form.ty)
        self.code.store(form.ty, 0, result)
        optional = isinstance(expr.type, types.SetOf) and isinstance(expr.type.of, types.Optional)
        self.each(expr, lambda value, _: self._add_to(result, self._bit_of(value, form, optional), form))
        return self.code.load(form.ty, result)

    def _bit_of(self, value: Bound, form: Universe, optional: bool) -> Operand:
        assert isinstance(value, int | str)
        bit = self.code.bit(self.code.add(value, form.shift), form.ty)
        return self.code.select(self.code.compare("eq", value, NONE), 1, bit, form.ty) if optional else bit

    def _terms(self, term: Expr, binders: Listed[Binder], form: Universe) -> Operand:
        result = self.code.slot(form.ty)
        self.code.store(form.ty, 0, result)
        optional = isinstance(term.type, types.Optional)
        self.every(binders, lambda: self._add_to(result, self._bit_of(self.number(term), form, optional), form))
        return self.code.load(form.ty, result)

    def _best_of(self, expr: ir.Select, form: Universe) -> Operand:
        """Those with the most, or least, of something: worked out once for each."""
        code = self.code
        assert expr.best is not None
        most, key = expr.best
        variable = expr.binder.variable
        among = self.of_variable(variable)
        members = self.chosen(expr.binder)
        keys, best = code.slot("i64", among.width), code.slot("i64")
        code.store("i64", -(2**63) if most else 2**63 - 1, best)
        with code.bits(members, among.ty) as loop, self.binding(variable, self.member_value(loop.value, among)):
            found = self.number(key)
            code.store("i64", found, code.offset(keys, code.mul(loop.value, 8)))
            before = code.load("i64", best)
            better = code.compare("sgt" if most else "slt", found, before)
            code.store("i64", code.select(better, found, before), best)
        result = code.slot(among.ty)
        code.store(among.ty, 0, result)
        wanted = code.load("i64", best)
        with code.bits(members, among.ty) as loop:
            found = code.load("i64", code.offset(keys, code.mul(loop.value, 8)))
            with code.when(code.compare("eq", found, wanted)):
                self._add_to(result, code.bit(loop.value, among.ty), among)
        return self.adapt(code.load(among.ty, result), among, form)

    def _reach(self, expr: ir.Reach, form: Universe) -> Operand:
        """All that can be reached, the start among it: for each that was reached, those that are one step on."""
        code = self.code
        here = self.of_variable(expr.here)
        every = here.mask(list(types.values(expr.there.type)))
        found, waiting = code.slot(here.ty), code.slot(here.ty)
        start = self.mask_in(expr.start, here)
        code.store(here.ty, start, found)
        code.store(here.ty, start, waiting)
        head, body, done = code.label("head"), code.label("body"), code.label("done")
        code.place(head)
        left = code.load(here.ty, waiting)
        code.branch(code.compare("ne", left, 0, here.ty), body, done)
        code.place(body)
        position = code.lowest(left, here.ty)
        code.store(here.ty, code.binary("and", left, code.binary("add", left, -1, here.ty), here.ty), waiting)
        with self.binding(expr.here, self.member_value(position, here)):
            unseen = code.complement(code.load(here.ty, found), here.ty)
            new = self.where(expr.relation, expr.there, code.binary("and", unseen, every, here.ty))
        self._add_to(found, new, here)
        self._add_to(waiting, new, here)
        code.jump(head)
        code.place(done)
        return self.adapt(code.load(here.ty, found), here, form)

    def chosen(self, binder: Binder) -> Operand:
        """The members of a domain for which the test of the binder holds, in the universe of its variable."""
        members = self.mask_in(binder.domain, self.of_variable(binder.variable))
        return members if binder.test is None else self.where(binder.test, binder.variable, members)

    # ------------------------------------------------------------------------------------------------------ loops

    def each(self, expr: Expr, body: Each) -> None:
        code = self.code
        match expr:
            case ir.Const(_, value) if isinstance(value, tuple):
                self._each_constant(value, expr, body)
            case ir.Openly(inner):
                self.each(inner, body)
            case _ if is_single(expr.type):
                found = self.number(expr)
                onward = code.label("next")
                if isinstance(expr.type, types.Optional):
                    then = code.label("some")
                    code.branch(code.compare("ne", found, NONE), then, onward)
                    code.place(then)
                body(found, Loop(found, onward, onward))
                code.place(onward)
            case ir.Apply(_, Op.RANGE, (low, high)):
                first, last = self.number(low), self.number(high)
                with code.count_up(first, code.add(last, 1)) as loop:
                    body(loop.value, loop)
            case ir.Ways():
                self._each_way(expr, body)
            case ir.Select(_, binder, None):
                self.each(binder.domain, lambda value, loop: self._if_chosen(binder, value, loop, body))
            case ir.LetIn(variable, value, inner):
                self.bind(variable, value)
                self.each(inner, body)
            case ir.Call() if is_ordered(expr):
                self.each(self.opened(expr), body)
            case ir.Apply(_, Op.DIFFERENCE, (members, less)) if is_ordered(expr):
                form = self.universe(less.type)
                mask = self.mask(less)
                self.each(members, lambda value, loop: self._unless_in(mask, form, members, value, loop, body))
            case _ if self._has_order(expr):
                found_sequence = self.sequence(expr)
                with code.count_up(0, found_sequence.length) as loop:
                    pointer = self.element(found_sequence.pointer, loop.value, found_sequence.packed)
                    body(self.load(pointer, found_sequence.packed, found_sequence.tag), loop)
            case ir.Apply(_, Op.SET) if not _of_singles(expr):
                raise NotCompiled("a set of sets that is no constant")
            case _:  # cautious: any set has a mask, or is not compiled
                form = self.universe(expr.type)
                with code.bits(self.mask(expr), form.ty) as loop:
                    body(self.member_value(loop.value, form), loop)

    def _has_order(self, expr: Expr) -> bool:
        if isinstance(expr, ir.PlaceRead):
            return self.layout.places[expr.place].kind is Kind.ROWS
        return is_ordered(expr) and not isinstance(expr, ir.PlaceRead)

    def _each_constant(self, members: tuple[Value, ...], expr: Expr, body: Each) -> None:
        code = self.code
        if members and any(isinstance(member, tuple) for member in members):
            with code.count_up(0, len(members)) as loop:
                body(Member(tuple(map(_tuple, members)), loop.value), loop)
            return
        numbers = [NONE if member is None else int(member) for member in members]  # type: ignore[call-overload]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers)) if numbers else []):
            with code.count_up(numbers[0] if numbers else 0, numbers[-1] + 1 if numbers else 0) as loop:
                body(loop.value, loop)
            return
        assert isinstance(expr.type, types.SetOf)
        array, form = self.unit.numbers(members, expr.type.of)
        with code.count_up(0, len(members)) as loop:
            body(self.load(self.element(array, loop.value, form), form), loop)

    def _if_chosen(self, binder: Binder, value: Bound, loop: Loop, body: Each) -> None:
        with self.binding(binder.variable, value):
            if binder.test is not None:
                yes = self.code.label("yes")
                self.code.branch(self.truth(binder.test), yes, loop.done if binder.prefix else loop.onward)
                self.code.place(yes)
            body(value, loop)

    def _unless_in(self, mask: Operand, form: Universe, members: Expr, value: Bound, loop: Loop, body: Each) -> None:
        assert isinstance(value, int | str) and isinstance(members.type, types.SetOf)
        variable = ir.Variable("member", members.type.of)
        keep = self.code.label("keep")
        self.code.branch(has_member(self, mask, value, form, ir.Local(variable)), loop.onward, keep)
        self.code.place(keep)
        body(value, loop)

    def every(self, binders: Listed[Binder], body: object) -> None:
        """A loop over all ways to bind; the body is a function without arguments."""
        assert callable(body)
        if not binders:
            body()
            return
        first, *rest = binders
        if (
            first.test is None
            or first.prefix
            or not is_single(first.variable.type)
            or self._has_order(first.domain)
            or not self.given(first.test)
        ):
            self.each(
                first.domain,
                lambda value, loop: self._if_chosen(first, value, loop, lambda v, inner: self.every(rest, body)),
            )
            return
        form = self.of_variable(first.variable)
        with self.code.bits(self.chosen(first), form.ty) as loop:
            value = self.member_value(loop.value, form)
            with self.binding(first.variable, value):
                self.every(rest, body)

    def _each_way(self, expr: ir.Ways, body: Each) -> None:
        """All maps that give each of the domain one of its choices: an odometer, the last member turning fastest."""
        code = self.code
        assert isinstance(expr.type, types.SetOf) and isinstance(expr.type.of, types.Map)
        held = expr.type.of
        keys, form = ordinals(held.keys), packed(held.values, zero=True)
        member_form, choice_form = self.of_variable(expr.variable), self.universe(expr.choices.type)
        ty = choice_form.ty
        given = code.slot(form.ty, keys.size)
        members, choices = code.slot("i64", member_form.width), code.slot(ty, member_form.width)
        count, impossible = code.slot("i64"), code.slot("i1")
        code.store("i64", 0, count)
        code.store("i1", 0, impossible)
        none: Operand = NONE if form.optional else 0
        with code.count_up(0, keys.size) as loop:
            self.store(none, self.element(given, loop.value, form), form)
        step = int(ty[1:]) // 8 if int(ty[1:]) <= 64 else -(-int(ty[1:]) // 128) * 16

        def spot(number: Operand) -> str:
            return code.offset(choices, code.mul(number, step))

        def give(number: Operand, mask: Operand) -> None:
            key = code.load("i64", code.offset(members, code.mul(number, 8)))
            value = self.member_value(code.lowest(mask, ty), choice_form)
            self.store(value, self.element(given, key, form), form)

        def one_member(value: Bound, loop: Loop) -> None:
            assert isinstance(value, int | str)
            number = code.load("i64", count)
            with self.binding(expr.variable, value):
                mask = self.mask_in(expr.choices, choice_form)
            ordinal, _ = self.ordinal(value, expr.variable.type, held.keys)
            code.store("i64", ordinal, code.offset(members, code.mul(number, 8)))
            code.store(ty, mask, spot(number))
            nothing = code.compare("eq", mask, 0, ty)
            code.store("i1", code.either(code.load("i1", impossible), nothing), impossible)
            with code.when(code.complement(nothing)):
                give(number, mask)
            code.store("i64", code.add(number, 1), count)

        self.each(expr.domain, one_member)
        head, go, turn, higher, reset, done = (
            code.label(hint) for hint in ("head", "way", "turn", "higher", "reset", "done")
        )
        place = code.slot("i64")
        total = code.load("i64", count)
        code.branch(code.load("i1", impossible), done, head)
        code.place(head)
        onward = code.label("next")
        body(Entries(given, form), Loop(0, onward, done))
        code.place(onward)
        code.store("i64", code.sub(total, 1), place)
        code.place(turn)
        here = code.load("i64", place)
        code.branch(code.compare("slt", here, 0), done, go)
        code.place(go)
        key = code.load("i64", code.offset(members, code.mul(here, 8)))
        value = self.load(self.element(given, key, form), form)
        position = code.add(value, choice_form.shift)
        lower = first_bits(self, code.add(position, 1), ty)
        rest = code.binary("and", code.load(ty, spot(here)), code.complement(lower, ty), ty)
        code.branch(code.compare("ne", rest, 0, ty), higher, reset)
        code.place(reset)
        give(here, code.load(ty, spot(here)))
        code.store("i64", code.sub(here, 1), place)
        code.jump(turn)
        code.place(higher)
        give(here, rest)
        code.jump(head)
        code.place(done)

    # -------------------------------------------------------------------------------------------------- in memory

    def sequence(self, expr: Expr) -> Sequence:
        code = self.code
        assert isinstance(expr.type, types.SetOf), expr
        match expr:
            case ir.Local(variable):
                value = self.local(variable)
                if isinstance(value, Sequence):
                    return value
                if isinstance(value, Member):
                    return self._constant_sequence(value.sets, value.number, expr.type.of)
            case ir.Lookup():
                table = self.unit.constants.tables[expr.table]
                sets = tuple(map(_tuple, table.entries))
                return self._constant_sequence(sets, self.table_entry(expr), expr.type.of)
            case ir.PlaceRead(_, place, indices) if self.layout.places[place].kind is Kind.ROWS:
                return self.row(place, indices)
            case ir.Const(_, value) if _of_singles(expr):
                return self._constant_sequence((_tuple(value),), 0, expr.type.of)
            case ir.LetIn(variable, value, body):
                self.bind(variable, value)
                return self.sequence(body)
            case ir.Call() if is_ordered(expr):
                return self.sequence(self.opened(expr))
            case ir.Apply(_, Op.PREFIX, (members, count)):
                whole = self.sequence(members)
                most = self.number(count)
                most = code.select(code.compare("slt", most, 0), 0, most)
                length = code.select(code.compare("slt", most, whole.length), most, whole.length)
                return Sequence(whole.pointer, length, whole.packed, whole.tag)
            case ir.Apply(_, Op.KNOWN, (inner,)):
                return self.sequence(inner)
            case _:  # cautious: the members are collected one by one, below
                pass
        buffer = self.buffer(expr.type.of)
        assert isinstance(buffer.length, str)
        code.store("i64", 0, buffer.length)
        self._fill(expr, buffer)
        return Sequence(buffer.pointer, code.load("i64", buffer.length), buffer.packed)

    def _constant_sequence(self, sets: tuple[tuple[Value, ...], ...], number: Operand, of: types.Type) -> Sequence:
        form = packed(of)
        code = self.code
        if isinstance(number, int):
            values = [form.encode(value) for value in sets[number]]
            return Sequence(self.unit.array(values, form.bits), len(values), form)
        array = self.unit.array([form.encode(value) for members in sets for value in members], form.bits)
        starts = [0]
        for members in sets:
            starts.append(starts[-1] + len(members))
        offsets = self.unit.array(starts, 32)
        here = code.offset(offsets, code.mul(number, 4))
        start = code.convert(code.load("i32", here), "i32", "i64")
        end = code.convert(code.load("i32", code.offset(here, 4)), "i32", "i64")
        return Sequence(self.element(array, start, form), code.sub(end, start), form)

    def _fill(self, expr: Expr, buffer: Sequence) -> None:
        """The members of a set are put at the end of a buffer."""
        code = self.code
        match expr:
            case ir.If(_, test, then, otherwise):
                code.choose(
                    self.truth(test),
                    "i1",
                    lambda: self._fill_arm(then, buffer),
                    lambda: self._fill_arm(otherwise, buffer),
                )
            case ir.Apply(_, Op.SET, arguments):
                form = self.universe(expr.type)
                seen = code.slot(form.ty)
                code.store(form.ty, 0, seen)
                for argument in arguments:
                    value = self.number(argument)
                    bit = self._bit_of(value, form, isinstance(argument.type, types.Optional))
                    before = code.load(form.ty, seen)
                    new = code.compare("eq", code.binary("and", before, bit, form.ty), 0, form.ty)
                    with code.when(new):
                        code.store(form.ty, code.binary("or", before, bit, form.ty), seen)
                        self.append(buffer, value)
            case ir.Select(_, binder, (_, _)):
                mask = self._best_of(expr, self.universe(expr.type))
                form = self.universe(expr.type)
                local = ir.Local(ir.Variable("member", binder.variable.type))
                self.each(binder.domain, lambda value, loop: self._append_if(mask, form, local, value, buffer))
            case ir.Select() | ir.Apply(_, Op.DIFFERENCE | Op.RANGE) | ir.Const():
                self.each(expr, lambda value, _: self.append(buffer, value))
            case (
                ir.Switch() | ir.Reach() | ir.Collect() | ir.StateRead() | ir.PlaceRead() | ir.Everywhere() | ir.Apply()
            ):
                form = self.universe(expr.type)
                with code.bits(self.mask(expr), form.ty) as loop:
                    self.append(buffer, self.member_value(loop.value, form))
            case _:  # cautious: as it is gone through
                self.each(expr, lambda value, _: self.append(buffer, value))

    def _fill_arm(self, expr: Expr, buffer: Sequence) -> Operand:
        self.each(expr, lambda value, _: self.append(buffer, value))
        return 0

    def _append_if(self, mask: Operand, form: Universe, local: Expr, value: Bound, buffer: Sequence) -> None:
        assert isinstance(value, int | str)
        with self.code.when(has_member(self, mask, value, form, local)):
            self.append(buffer, value)

    def append(self, buffer: Sequence, value: Bound) -> None:
        """A member is put at the end of a buffer."""
        assert isinstance(value, int | str) and isinstance(buffer.length, str)
        length = self.code.load("i64", buffer.length)
        self.store(value, self.element(buffer.pointer, length, buffer.packed), buffer.packed)
        self.code.store("i64", self.code.add(length, 1), buffer.length)

    def entries(self, expr: Expr) -> Entries:
        code = self.code
        assert isinstance(expr.type, types.Map), expr
        match expr:
            case ir.Local(variable):
                bound = self.local(variable)
                assert isinstance(bound, Entries)
                return bound
            case ir.LetIn(variable, given, body):
                self.bind(variable, given)
                return self.entries(body)
            case ir.Call():
                return self.entries(self.opened(expr))
            case ir.Apply(_, Op.KNOWN, (inner,)) | ir.Openly(inner):
                return self.entries(inner)
            case _:  # cautious: the entries are worked out, below
                pass
        keys, form = expr.type.keys, packed(expr.type.values, zero=True)
        result = code.slot(form.ty, max(1, ordinals(keys).size))
        match expr:
            case ir.Const(_, constant):
                for number, entry in enumerate(_tuple(constant)):
                    stored = NONE if entry is None else int(entry)  # type: ignore[call-overload]
                    self.store(stored, self.element(result, number, form), form)
            case ir.Apply(_, Op.MAP, arguments):
                for number, argument in enumerate(arguments):
                    self.store(self.number(argument), self.element(result, number, form), form)
            case ir.Collect(_, term, binders):
                count = code.slot("i64")
                code.store("i64", 0, count)

                def one() -> None:
                    number = code.load("i64", count)
                    self.store(self.number(term), self.element(result, number, form), form)
                    code.store("i64", code.add(number, 1), count)

                self.every(binders, one)
            case ir.If(_, test, then, otherwise):

                def copied(arm: Expr) -> Operand:
                    held = self.entries(arm)
                    with code.count_up(0, ordinals(keys).size) as loop:
                        entry = self.load(self.element(held.pointer, loop.value, held.packed), held.packed, held.tag)
                        self.store(entry, self.element(result, loop.value, form), form)
                    return 0

                code.choose(self.truth(test), "i1", lambda: copied(then), lambda: copied(otherwise))
            case _:  # cautious: not compiled
                raise self.not_compiled(expr)
        return Entries(result, form)


def _of_singles(expr: Expr) -> bool:
    return isinstance(expr.type, types.SetOf) and is_single(expr.type.of) and not _holds_sets(expr)


def _holds_sets(expr: Expr) -> bool:
    return isinstance(expr, ir.Const) and any(isinstance(member, tuple) for member in _tuple(expr.value))


def _tuple(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, tuple), value
    return value


__all__ = ["Packed", "Sets", "universe"]
