"""The steps of the flow graph: each changes the state, or fails an obligation."""

from __future__ import annotations

from itertools import product
from typing import assert_never

from seaspec.backends.native.assembly import Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, Happening
from seaspec.backends.native.expressions.maps import keep_maps
from seaspec.backends.native.flow.moves import first_value
from seaspec.backends.native.flow.turns import forget_asked
from seaspec.backends.native.shown.telling import Telling
from seaspec.backends.native.values.encode import entry_image
from seaspec.backends.native.values.layout import FrameKind, Kind
from seaspec.backends.native.values.shapes import NONE, Sequence, is_single, ordinals, packed, universe
from seaspec.core import flow, ir, types
from seaspec.core.evaluate import NotConstant
from seaspec.core.flow import Step
from seaspec.core.ir import Expr, Put, Variable
from seaspec.core.ops import Op
from seaspec.core.types import Value

MOST_ORDERS = 64
"""A set in an order that depends on few constants only is kept for at most so many of them."""


class Steps(Telling):
    """The part of the writer for steps."""

    def simple(self, expr: Expr) -> Expr:
        return self.unit.constants.simplify(expr)

    def step(self, step: Step) -> None:
        match step:
            case flow.Set(variable, value):
                self.set_local(variable, self.value_as(self.simple(value), variable.type))
            case flow.Take():
                self._take(step)
            case flow.Pop(variable, rest):
                self._pop(variable, rest)
            case flow.Judge(action):
                params = self.unit.flow.routines[action].params
                can = ir.Can(types.Bool(), action, tuple(map(ir.Local, params)))
                self.require(self.can(can), f"{action} is called where it is not allowed")
            case flow.Reset(states):
                for state in states:
                    self._reset(state)
            case flow.Require(test, message):
                self.require(self.truth(self.simple(test)), message)
            case ir.Assign():
                self._assign(step)
            case ir.Move():
                self._move(step)
            case ir.MoveSome():
                self._move_some(step)
            case ir.Shuffle(place):
                self.shuffle(place)
            case ir.DropOut(player):
                seat = self.number(self.simple(player))
                pointer, tag = self.at(self.layout.OUT), self.unit.tag("seats")
                before = self.code.load("i64", pointer, tag)
                with self.code.when(self.code.complement(self.code.has_bit(before, seat, "i64"))):
                    self.trace(Happening.OUT, seat)
                out = self.code.binary("or", before, self.code.bit(seat, "i64"))
                self.code.store("i64", out, pointer, tag)
            case ir.Say() if self.unit.tells:
                self.tell_said(step)
            case ir.Show() if self.unit.tells:
                self.tell_shown(step)
            case flow.Veil() if self.unit.tells:
                self.tell_veil(step)
            case ir.Say():
                self.trace(Happening.SAID)
            case ir.Show():
                self.trace(Happening.SHOWN)
            case flow.Veil(lift):
                self.trace(Happening.UNVEILED if lift else Happening.VEILED)
            case flow.Begin(procedure):
                self._begin(procedure)
            case flow.Finish():
                pass
            case _:
                assert_never(step)

    def _begin(self, procedure: str) -> None:
        """It is counted how often a procedure begins; what is asked in `setup` is no part of the order of turns."""
        names = list(self.unit.flow.routines)
        place = self.unit.context.part("begun", 8 * len(names)) + 8 * names.index(procedure)
        pointer, tag = self.code.offset(CONTEXT, place), self.unit.tag("begun")
        self.code.store("i64", self.code.add(self.code.load("i64", pointer, tag), 1), pointer, tag)
        if procedure == ir.PLAY:
            forget_asked(self.unit, self.code)

    # ---------------------------------------------------------------------------------------------------- variables

    def _take(self, step: flow.Take) -> None:
        field, _, _ = self.frame_field(step.variable)
        domain = self.simple(step.domain)
        if field.kind is FrameKind.SET:
            assert isinstance(step.variable.type, types.SetOf)
            self.set_local(step.variable, self.mask_in(domain, universe(step.variable.type.of, self.game)))
            return
        key = None if step.key is None else (step.key[0], self.simple(step.key[1]))
        if self._take_constant(step.variable, domain, key):
            return
        members = self._members_in_order(domain)
        if key is not None:
            members = self._sorted(members, key, step.variable)
        self.set_local(step.variable, members)

    def _members_in_order(self, domain: Expr) -> Sequence:
        if isinstance(domain.type, types.SetOf):
            return self.sequence(domain)
        assert isinstance(domain.type, types.Optional), domain
        buffer = self.buffer(domain.type.of)
        assert isinstance(buffer.length, str)
        self.code.store("i64", 0, buffer.length)
        self.each(domain, lambda value, _: self.append(buffer, value))
        return Sequence(buffer.pointer, self.code.load("i64", buffer.length), buffer.packed)

    def _take_constant(self, variable: Variable, domain: Expr, key: tuple[Variable, Expr] | None) -> bool:
        """A constant set, in an order that depends on few constants: as one word from a table."""
        field, pointer, tag = self.frame_field(variable)
        if not isinstance(domain, ir.Const) or not isinstance(domain.value, tuple) or field.size > 16:
            return False
        others: tuple[Variable, ...] = ()
        if key is not None:
            if self.facts.reads(key[1]):
                return False
            others = tuple(sorted(self.facts.free(key[1]) - {key[0]}, key=lambda v: v.name))
        count = 1
        for other in others:
            if not is_single(other.type):
                return False
            count *= types.size(other.type)
        if count > MOST_ORDERS:
            return False
        words, lengths = [], []
        for values in product(*(tuple(types.values(other.type)) for other in others)):
            try:
                members = self._in_order(domain.value, key, dict(zip(others, values, strict=True)))
            except NotConstant:
                return False
            form = field.packed
            words.append(sum(form.encode(member) << form.bits * place for place, member in enumerate(members)))
            lengths.append(len(members))
        code = self.code
        number: Operand = 0
        for other in others:
            part, _ = self.ordinal(self.single(other), other.type, other.type)
            number = code.add(code.mul(number, ordinals(other.type).size), part)
        array = self.unit.array(words, 64)
        word = code.load("i64", code.offset(array, code.mul(number, 8)), "", 8)
        code.store("i64", word, code.offset(pointer, 8), tag, 8)
        code.store("i16", lengths[0] + 1, pointer, tag, 2)
        return len(set(lengths)) == 1

    def _in_order(
        self, members: tuple[Value, ...], key: tuple[Variable, Expr] | None, env: dict[Variable, Value]
    ) -> list[Value]:
        if key is None:
            return list(members)
        variable, expr = key
        keys = {member: self.unit.constants.value(expr, {**env, variable: member}) for member in members}
        return sorted(members, key=lambda member: keys[member])  # type: ignore[arg-type,return-value]

    def _sorted(self, members: Sequence, key: tuple[Variable, Expr], variable: Variable) -> Sequence:
        """In order of a key; those with equal keys stay as they are."""
        code = self.code
        assert isinstance(variable.type, types.SetOf)
        form = packed(variable.type.of)
        width = universe(variable.type.of, self.game).width + 1
        sorted_members, keys = code.slot(form.ty, width), code.slot("i64", width)
        place = code.slot("i64")
        with code.count_up(0, members.length) as loop:
            value = self.load(self.element(members.pointer, loop.value, members.packed), members.packed, members.tag)
            with self.binding(key[0], value):
                own = self.number(key[1])
            code.store("i64", loop.value, place)
            head, body, shift, done = (code.label(hint) for hint in ("head", "body", "shift", "done"))
            code.place(head)
            here = code.load("i64", place)
            code.branch(code.compare("sgt", here, 0), body, done)
            code.place(body)
            before = code.sub(here, 1)
            other = code.load("i64", code.offset(keys, code.mul(before, 8)))
            code.branch(code.compare("sgt", other, own), shift, done)
            code.place(shift)
            code.store("i64", other, code.offset(keys, code.mul(here, 8)))
            moved = self.load(self.element(sorted_members, before, form), form)
            self.store(moved, self.element(sorted_members, here, form), form)
            code.store("i64", before, place)
            code.jump(head)
            code.place(done)
            code.store("i64", own, code.offset(keys, code.mul(here, 8)))
            self.store(value, self.element(sorted_members, here, form), form)
        return Sequence(sorted_members, members.length, form)

    def _pop(self, variable: Variable, rest: Variable) -> None:
        """The first member is taken out; of a set without order the least."""
        code = self.code
        field, pointer, tag = self.frame_field(rest)
        if field.kind is FrameKind.SET:
            form = universe(variable.type, self.game)
            members = code.load(form.ty, code.offset(pointer, 8), tag, 8)
            self.set_local(variable, self.member_value(code.lowest(members, form.ty), form))
            less = code.binary("and", members, code.binary("add", members, -1, form.ty), form.ty)
            code.store(form.ty, less, code.offset(pointer, 8), tag, 8)
            return
        first = code.offset(pointer, 8)
        self.set_local(variable, self.load(first, field.packed, tag))
        if field.size == 16:
            word = code.binary("lshr", code.load("i64", first, tag, 8), field.packed.bits)
            code.store("i64", word, first, tag, 8)
        else:
            size, whole = field.packed.size, field.size - 8
            second = code.offset(first, size)
            code.line(
                f"call void @llvm.memmove.p0.p0.i64(ptr {first}, ptr {second}, i64 {whole - size}, i1 false){tag}"
            )
            code.store(field.packed.ty, 0, code.offset(first, whole - size), tag, size)
        count = code.load("i16", pointer, tag, 2)
        code.store("i16", code.binary("add", count, -1, "i16"), pointer, tag, 2)

    # ------------------------------------------------------------------------------------------------------- states

    def _assign(self, step: ir.Assign) -> None:
        code = self.code
        state = self.game.states[step.state]
        field = self.layout.states[step.state]
        simple = ir.Assign(step.state, tuple(map(self.simple, step.indices)), step.value, step.source)
        pointer = self.state_pointer(simple)
        keys = [self.number(index) for index in simple.indices]
        value_expr = self.simple(step.value)
        tag = self.unit.tag(f"state {state.name}")
        if field.maps is not None:
            keep_maps(self, simple, value_expr, field.maps, pointer, lambda: self._may_be_set(state, keys))
            return
        if field.packed is None:
            assert field.universe is not None
            mask = self.mask_in(value_expr, field.universe)
            self._may_be_set(state, keys)
            narrow = code.convert(mask, field.universe.ty, f"i{field.bits}")
            code.store(f"i{field.bits}", narrow, pointer, tag, min(8, field.bits // 8))
            return
        value = self.number(value_expr)
        self._require_bounds(state, value, value_expr, keys)
        self._may_be_set(state, keys)
        self.store(value, pointer, field.packed, tag)

    def _require_bounds(self, state: ir.State, value: Operand, expr: Expr, keys: list[Operand]) -> None:
        code = self.code
        message = f"{state.name} would be out of its bounds"
        if state.bound is None:
            if not isinstance(state.type, types.Int) or self._is_inside(expr, state.type):
                return
            low: Operand = state.type.low
            high: Operand = state.type.high
        else:
            for variable, key in zip(state.index, keys, strict=True):
                self.env[variable] = key
            low, high = (self.number(self.simple(bound)) for bound in state.bound)
        self.require(code.both(code.compare("sge", value, low), code.compare("sle", value, high)), message)

    def _is_inside(self, expr: Expr, ty: types.Int) -> bool:
        """Whether a value is surely in a range: a constant, or tested."""
        if isinstance(expr, ir.Const) and isinstance(expr.value, int):
            return ty.low <= expr.value <= ty.high
        inner = expr.type
        tested = isinstance(expr, ir.Apply) and expr.op is Op.CHECK
        return tested and isinstance(inner, types.Int) and ty.low <= inner.low and inner.high <= ty.high

    def _may_be_set(self, state: ir.State, keys: list[Operand]) -> None:
        """A clock only while its procedure runs, what a piece carries only while it lies there."""
        code = self.code
        routines = self.unit.flow.routines
        if state.until is not None and state.until in routines:
            running, pointer, tag = self.frame_field(routines[state.until].back)
            stored = code.load(running.packed.ty, pointer, tag)
            runs = code.compare("ne", stored, 0, running.packed.ty)
            self.require(runs, f"{state.name} is set while {state.until} does not run")
        if state.while_in is not None:
            place = self.layout.places[state.while_in]
            steps = code.sub(self.where_is(keys[0]), place.slot)
            lies = code.compare("ult", steps, place.count)
            self.require(lies, f"{state.name} is set for a piece that does not lie in {state.while_in}")

    def _reset(self, name: str) -> None:
        """All entries have their first values again."""
        state = self.game.states[name]
        field = self.layout.states[name]
        image = state_image(self, state)
        tag = self.unit.tag(f"state {name}")
        size = field.count * field.stride
        if size <= 8:
            for number in range(field.count):
                part = image[number * field.stride : (number + 1) * field.stride]
                pointer = self.at(field.offset + number * field.stride)
                self.code.store(f"i{field.bits}", int.from_bytes(part, "little"), pointer, tag, field.stride)
            return
        array = self.unit.array(list(image), 8)
        pointer = self.at(field.offset)
        self.code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {pointer}, ptr {array}, i64 {size}, i1 false){tag}")

    # -------------------------------------------------------------------------------------------------------- moves

    def _move(self, step: ir.Move) -> None:
        at = None if step.at is None else self.simple(step.at)
        if step.whole is not None:
            self._move_whole(step.whole, step, at)
            return
        assert step.cargo is not None
        cargo = self.simple(step.cargo)
        kind = cargo.type.of if isinstance(cargo.type, types.SetOf | types.Optional) else cargo.type
        if isinstance(cargo.type, types.Pieces):
            piece = self.number(cargo)
            self.move_piece(piece, self.aim(step.target), step.put, self._spot_of(at), kind)
        elif isinstance(cargo.type, types.SetOf) and cargo.type.ordered:
            members = self.sequence(cargo)
            copy = self.buffer(cargo.type.of)
            self.copy(members, copy)
            aim = self.aim(step.target)
            spot = self._spot_of(at)
            with self.code.count_up(0, members.length) as loop:
                piece = self.load(self.element(copy.pointer, loop.value, copy.packed), copy.packed)
                self.move_piece(piece, aim, step.put, spot, kind)
        else:
            pieces = self.mask_in(cargo, self.layout.all_pieces)
            aim = self.aim(step.target)
            self._move_if_any(pieces, aim, step.put, self._spot_of(at), kind)

    def _spot_of(self, at: Expr | None) -> Operand | None:
        return None if at is None else self.number(at)

    def _move_if_any(
        self, pieces: Operand, aim: object, put: Put, spot: Operand | None, kind: types.Type | None
    ) -> None:
        with self.code.when(self.code.compare("ne", pieces, 0, self.pieces_ty)):
            self.move_set(pieces, aim, put, spot, kind)  # type: ignore[arg-type]

    def _move_whole(self, whole: ir.Target, step: ir.Move, at: Expr | None) -> None:
        code = self.code
        origin, target = self.aim(self._simple_target(whole)), self.aim(self._simple_target(step.target))
        kind = self.game.places[whole.place].holds
        here, there = (code.add(aim.number, aim.field.slot) for aim in (origin, target))
        with code.when(code.compare("ne", here, there)):
            spot = self._spot_of(at)
            if origin.field.kind is Kind.PILES and target.field.kind is Kind.PILES:
                self._move_layers(origin, target, step.put, spot, kind)
            elif origin.field.kind is Kind.ROWS:
                row = self.row(whole.place, self._simple_target(whole).indices)
                copy = self.buffer(kind)
                self.copy(row, copy)
                with code.count_up(0, row.length) as loop:
                    piece = self.load(self.element(copy.pointer, loop.value, copy.packed), copy.packed)
                    self.move_piece(piece, target, step.put, spot, kind)
            else:
                pieces = self.contents_of(origin.field, origin.number)
                self._move_if_any(pieces, target, step.put, spot, kind)

    def _simple_target(self, target: ir.Target) -> ir.Target:
        return ir.Target(target.place, tuple(map(self.simple, target.indices)))

    def _move_layers(self, origin, target, put: Put, spot: Operand | None, kind: types.Type) -> None:  # type: ignore[no-untyped-def]
        """A pile onto a pile from its lowest layer, or under it from its top."""
        code = self.code
        pointer = self.element_of(origin.field, origin.number)
        head, body, done = code.label("head"), code.label("body"), code.label("done")
        code.place(head)
        pieces = self.contents_of(origin.field, origin.number)
        code.branch(code.compare("ne", pieces, 0, self.pieces_ty), body, done)
        code.place(body)
        if put is Put.UNDER:
            layer = self.top_layer(pointer, origin.field)
        else:
            layer = code.binary("and", pieces, self.in_layer(origin.field, "eq", 0), self.pieces_ty)
        self.move_set(layer, target, put, spot, kind)
        code.jump(head)
        code.place(done)

    def _move_some(self, step: ir.MoveSome) -> None:
        """So many pieces of a kind: of a pile those on top, of a row the first."""
        code = self.code
        origin = self.aim(self._simple_target(step.origin))
        of_kind = self.layout.all_pieces.mask(step.kind.members)
        there = code.binary("and", self.contents_of(origin.field, origin.number), of_kind, self.pieces_ty)
        count = code.population(there, self.pieces_ty)
        if step.amount is None:
            taken: Operand = there
        else:
            amount = self.number(self.simple(step.amount))
            amount = code.select(code.compare("slt", amount, 0), 0, amount)
            enough = code.compare("sle", amount, count)
            if not step.up_to:
                self.require(enough, f"there are not so many {step.kind.name} in {step.origin.place}")
            amount = code.select(enough, amount, count)
            taken = self._first_pieces(origin, there, amount)
        with code.when(code.compare("ne", taken, 0, self.pieces_ty)):
            spot = self._spot_of(None if step.at is None else self.simple(step.at))
            self.move_set(taken, self.aim(self._simple_target(step.target)), step.put, spot, step.kind, origin)

    def _first_pieces(self, origin, there: Operand, amount: Operand) -> Operand:  # type: ignore[no-untyped-def]
        code = self.code
        form = self.layout.all_pieces
        result, left = code.slot(form.ty), code.slot("i64")
        code.store(form.ty, 0, result)
        code.store("i64", amount, left)

        def take(pieces: Operand) -> None:
            with code.bits(pieces, form.ty) as loop:
                more = code.label("more")
                rest = code.load("i64", left)
                code.branch(code.compare("sgt", rest, 0), more, loop.done)
                code.place(more)
                code.store("i64", code.sub(rest, 1), left)
                self._add_to(result, code.bit(loop.value, form.ty), form)

        match origin.field.kind:
            case Kind.PILES:
                layers = self.layers(self.element_of(origin.field, origin.number), origin.field)
                with code.count_up(0, layers) as loop:
                    layer = self.in_layer(origin.field, "eq", code.sub(code.sub(layers, 1), loop.value))
                    take(code.binary("and", there, layer, form.ty))
            case Kind.ROWS:
                pointer = self.element_of(origin.field, origin.number)
                tag = self.unit.tag(f"place {origin.field.name}")
                length = code.convert(code.load("i16", pointer, tag, 2), "i16", "i64")
                with code.count_up(0, length) as loop:
                    entry = self.element(code.offset(pointer, 2), loop.value, origin.field.cell)
                    bit = code.bit(self.load(entry, origin.field.cell, tag), form.ty)
                    take(code.binary("and", there, bit, form.ty))
            case _:
                take(there)
        return code.load(form.ty, result)


def state_image(e: Telling, state: ir.State) -> bytes:
    """The first values of all entries of a state, as they stand in memory."""
    field = e.layout.states[state.name]
    found = bytearray()
    for key in product(*(tuple(types.values(variable.type)) for variable in state.index)):
        try:
            found += entry_image(field, first_value(e, state, key))
        except NotCompiled as reason:
            raise reason.at(state.source.span) from None
    return bytes(found)


__all__ = ["NONE", "Steps", "state_image"]
