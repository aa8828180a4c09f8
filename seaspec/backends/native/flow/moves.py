"""Pieces go from place to place. Whatever kind of place it is, `where` is kept right, and what stands beside it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from collections.abc import Sequence as Listed

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import FRAME_PARAMS, Happening
from seaspec.backends.native.expressions.lanes import Lanes
from seaspec.backends.native.expressions.places import filled_bits, lanes_for
from seaspec.backends.native.values.layout import Kind, PlaceField
from seaspec.backends.native.values.shapes import NONE, Packed, ordinals
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant
from seaspec.core.ir import Expr, Put, Target

FULL = "{} is full"


class Aim:
    """The instance of a place that pieces go to: its number, and the values of its indices."""

    def __init__(self, field: PlaceField, number: Operand, values: Listed[Operand]) -> None:
        self.field = field
        self.number = number
        self.values = values


class Moves(Lanes):
    """The part of the writer that moves pieces."""

    def aim(self, target: Target) -> Aim:
        """The instance that a target names; that there is one is an obligation."""
        field = self.layout.places[target.place]
        index = self.game.places[target.place].index
        number: Operand = 0
        valid: Operand = 1
        values = []
        for variable, expr in zip(index, target.indices, strict=True):
            value = self.number(expr)
            values.append(value)
            part, inside = self.ordinal(value, expr.type, variable.type)
            number = self.code.add(self.code.mul(number, ordinals(variable.type).size), part)
            valid = self.code.both(valid, inside)
        self.require(valid, f"there is no such {target.place}")
        return Aim(field, self.code.select(valid, number, 0), values)

    @abstractmethod
    def tell_leaving(self, slot: Operand) -> None:
        """Who sees the place that a piece is about to leave."""

    @abstractmethod
    def tell_laid(self, slot: Operand) -> None:
        """Pieces have come to a place."""

    # -------------------------------------------------------------------------------------------------- moving

    def move_set(
        self,
        pieces: Operand,
        aim: Aim,
        put: Put,
        at: Operand | None,
        kind: types.Type | None,
        origin: Aim | None = None,
    ) -> None:
        """Pieces go to a place, together; `kind`: what is known of them; `origin`: where they lie, if that is known."""
        self._require_fit(pieces, aim.field, kind)
        self._put(aim, put, at, (self.pieces_ty, pieces), Moves.put_set, origin)

    def move_piece(
        self,
        piece: Operand,
        aim: Aim,
        put: Put,
        at: Operand | None,
        kind: types.Type | None,
        origin: Aim | None = None,
    ) -> None:
        """A piece goes to a place."""
        holds = self.game.places[aim.field.name].holds
        if kind is None or not types.lies_within(kind, holds):
            self._require_fit(self.code.bit(piece, self.pieces_ty), aim.field, None)
        self._put(aim, put, at, ("i64", piece), Moves.put_piece, origin)

    def _put(
        self,
        aim: Aim,
        put: Put,
        at: Operand | None,
        cargo: tuple[str, Operand],
        write: Callable[[Moves, Operand, Aim, Put, Operand | None, Aim | None], None],
        origin: Aim | None,
    ) -> None:
        """Pieces are moved by a function of their own for each place; written here if its capacity may change."""
        capacity = self.game.places[aim.field.name].capacity
        if capacity is not None and not isinstance(self.unit.constants.simplify(capacity), ir.Const):
            write(self, cargo[1], aim, put, at, origin)
            return

        def function(name: str) -> Code:
            params = [(cargo[0], "%cargo"), ("i64", "%number"), ("i64", "%at"), ("i64", "%origin")]
            code = Code(name, "void", [*FRAME_PARAMS, *params])
            writer = self.another(code)
            assert isinstance(writer, Moves)
            known = None if origin is None else Aim(origin.field, "%origin", ())
            write(writer, "%cargo", Aim(aim.field, "%number", ()), put, "%at", known)
            code.give()
            return code

        place = aim.field.name
        source = None if origin is None else origin.field.name
        numbers = aim.number, 0 if at is None else at, 0 if origin is None else origin.number
        arguments = [cargo, *(("i64", number) for number in numbers)]
        self.invoke("void", (write, place, put, source), f"put_in_{place}", function, arguments)

    def put_set(self, pieces: Operand, aim: Aim, put: Put, at: Operand | None, origin: Aim | None) -> None:
        slot = self.code.add(aim.number, aim.field.slot)
        with self.code.bits(pieces, self.pieces_ty) as loop:
            self._carry(loop.value, slot, origin)
        self._lay_set(pieces, aim, put, at)
        self._require_room(aim)
        if self.unit.tells:
            self.tell_laid(slot)

    def put_piece(self, piece: Operand, aim: Aim, put: Put, at: Operand | None, origin: Aim | None) -> None:
        self._carry(piece, self.code.add(aim.number, aim.field.slot), origin)
        match aim.field.kind:
            case Kind.MASKS:
                self._turn_bit(self.element_of(aim.field, aim.number), aim.field, piece, True)
            case Kind.CELLS:
                self._fill_cell(aim, piece)
            case Kind.WHERE:
                pass
            case Kind.ROWS:
                self._insert(aim, piece, self._spot(aim, put, at))
            case Kind.PILES:
                self._lay_layer(self.code.bit(piece, self.pieces_ty), aim, put)
        self._require_room(aim)
        if self.unit.tells:
            self.tell_laid(self.code.add(aim.number, aim.field.slot))

    def _require_fit(self, pieces: Operand, field: PlaceField, kind: types.Type | None) -> None:
        holds = self.game.places[field.name].holds
        if kind is not None and types.lies_within(kind, holds):
            return
        others = ~self.layout.all_pieces.mask(holds.members)
        wrong = self.code.binary("and", pieces, others, self.pieces_ty)
        self.require(self.code.compare("eq", wrong, 0, self.pieces_ty), f"a piece can not lie in {field.name}")

    def _carry(self, piece: Operand, slot: Operand, origin: Aim | None) -> None:
        """A piece leaves where it lies, and is on its way to a slot."""
        if self.unit.tells:
            self.tell_leaving(self.where_is(piece))
        if self.unit.traces:
            self.trace(Happening.MOVED, piece, self.where_is(piece), slot)
        if origin is None:
            self.invoke("void", ("lift",), "lift", self._write_lift, [("i64", piece), ("i64", slot)])
        else:
            field = origin.field
            arguments = [("i64", piece), ("i64", slot), ("i64", origin.number)]
            hint = f"take_from_{field.name}"
            self.invoke("void", ("take", field.name), hint, lambda name: self._write_take(name, field), arguments)
        form = Packed(0, self.layout.where_bits, False)
        self.store(slot, self.element(self.at(self.layout.where), piece, form), form, self.unit.tag("where"))

    def _require_room(self, aim: Aim) -> None:
        """The capacity of a place, judged after the move."""
        place = self.game.places[aim.field.name]
        if place.capacity is None or aim.field.kind is Kind.CELLS:
            return
        code = self.code
        if aim.field.kind is Kind.ROWS:
            pointer = self.element_of(aim.field, aim.number)
            stored = code.load("i16", pointer, self.unit.tag(f"place {place.name}"), 2)
            held = code.convert(stored, "i16", "i64")
        else:
            held = code.population(self.contents_of(aim.field, aim.number), self.pieces_ty)
        capacity = self.unit.constants.simplify(place.capacity)
        if not isinstance(capacity, ir.Const):
            self.env.update(zip(place.index, aim.values, strict=True))
        most = self.number(capacity)
        self.require(code.compare("sle", held, most), FULL.format(place.name))

    # -------------------------------------------------------------------------------------------------- laying

    def _lay_set(self, pieces: Operand, aim: Aim, put: Put, at: Operand | None) -> None:
        code = self.code
        match aim.field.kind:
            case Kind.MASKS:
                field = aim.field
                pointer, tag = self.element_of(field, aim.number), self.unit.tag(f"place {field.name}")
                before = self.load_mask(pointer, field.bits, self.pieces_ty, tag, field.low)
                self._store_mask(code.binary("or", before, pieces, self.pieces_ty), pointer, field, tag)
            case Kind.CELLS:
                with code.bits(pieces, self.pieces_ty) as loop:
                    self._fill_cell(aim, loop.value)
            case Kind.WHERE:
                pass
            case Kind.ROWS:
                spot = code.slot("i64")
                code.store("i64", self._spot(aim, put, at), spot)
                with code.bits(pieces, self.pieces_ty) as loop:
                    here = code.load("i64", spot)
                    self._insert(aim, loop.value, here)
                    code.store("i64", code.add(here, 1), spot)
            case Kind.PILES:
                with code.when(code.compare("ne", pieces, 0, self.pieces_ty)):
                    self._lay_layer(pieces, aim, put)

    def _store_mask(self, mask: Operand, pointer: str, field: PlaceField, tag: str) -> None:
        moved = self.code.binary("lshr", mask, field.low, self.pieces_ty)
        narrow = self.code.convert(moved, self.pieces_ty, f"i{field.bits}")
        self.code.store(f"i{field.bits}", narrow, pointer, tag, min(8, field.mask_bytes))

    def _turn_bit(self, pointer: str, field: PlaceField, piece: Operand, on: bool) -> None:
        """A piece is put in a mask in memory, or taken out."""
        steps = self.code.sub(piece, field.low)
        self.turn_bit(pointer, field.bits, steps, on, self.unit.tag(f"place {field.name}"))

    def turn_bit(self, pointer: str, bits: int, number: Operand, on: bool, tag: str) -> None:
        code = self.code
        if bits > 64:
            pointer = code.offset(pointer, code.mul(code.binary("lshr", number, 6), 8))
            number, bits = code.binary("and", number, 63), 64
        ty = f"i{bits}"
        bit = code.bit(number, ty)
        before = code.load(ty, pointer, tag, bits // 8)
        after = code.binary("or", before, bit, ty) if on else code.binary("and", before, code.complement(bit, ty), ty)
        code.store(ty, after, pointer, tag, bits // 8)

    def _fill_cell(self, aim: Aim, piece: Operand) -> None:
        field = aim.field
        code = self.code
        pointer, tag = self.element_of(field, aim.number), self.unit.tag(f"place {field.name}")
        before = code.load(field.cell.ty, pointer, tag)
        self.require(code.compare("eq", before, 0, field.cell.ty), FULL.format(field.name))
        self.store(piece, pointer, Packed(field.cell.low - 1, field.cell.bits, False), tag)
        self.turn_bit(
            self.at(field.filled), filled_bits(field), aim.number, True, self.unit.tag(f"filled {field.name}")
        )

    def _spot(self, aim: Aim, put: Put, at: Operand | None) -> Operand:
        """Where in a row the next piece goes, from 0."""
        code = self.code
        if put is Put.UNDER:
            return 0
        pointer = self.element_of(aim.field, aim.number)
        length = code.convert(code.load("i16", pointer, self.unit.tag(f"place {aim.field.name}"), 2), "i16", "i64")
        if put is Put.ON:
            return length
        assert at is not None
        spot = code.sub(at, 1)
        inside = code.compare("ule", spot, length)
        self.require(inside, f"{aim.field.name} has no such spot")
        return code.select(inside, spot, 0)

    def _insert(self, aim: Aim, piece: Operand, spot: Operand) -> None:
        """A piece goes into a row."""
        field = aim.field
        code = self.code
        pointer, tag = self.element_of(field, aim.number), self.unit.tag(f"place {field.name}")
        length = code.convert(code.load("i16", pointer, tag, 2), "i16", "i64")
        most = (field.stride - 2) // field.cell.size - 1
        room = code.compare("slt", length, most + 1)
        self.require(room, FULL.format(field.name))
        with code.when(room):
            here = self.element(code.offset(pointer, 2), spot, field.cell)
            after = code.mul(code.sub(length, spot), field.cell.size)
            beyond = code.offset(here, field.cell.size)
            code.line(f"call void @llvm.memmove.p0.p0.i64(ptr {beyond}, ptr {here}, i64 {after}, i1 false){tag}")
            self.store(piece, here, Packed(field.cell.low - 1, field.cell.bits, False), tag)
            code.store("i16", code.convert(code.add(length, 1), "i64", "i16"), pointer, tag, 2)

    # --------------------------------------------------------------------------------------------------- piles

    def pile_parts(self, pointer: str, field: PlaceField) -> tuple[str, str]:
        """Where the mask of the top layer and the number of layers stand."""
        return self.code.offset(pointer, field.mask_bytes), self.code.offset(pointer, 2 * field.mask_bytes)

    def layers(self, pointer: str, field: PlaceField) -> Operand:
        count = self.code.load("i16", self.pile_parts(pointer, field)[1], self.unit.tag(f"place {field.name}"), 2)
        return self.code.convert(count, "i16", "i64")

    def top_layer(self, pointer: str, field: PlaceField) -> Operand:
        tag = self.unit.tag(f"place {field.name}")
        return self.load_mask(self.pile_parts(pointer, field)[0], field.bits, self.pieces_ty, tag, field.low)

    def _lay_layer(self, pieces: Operand, aim: Aim, put: Put) -> None:
        """Pieces go on a pile, or under it, as one layer."""
        field = aim.field
        code = self.code
        pointer, tag = self.element_of(field, aim.number), self.unit.tag(f"place {field.name}")
        top, count = self.pile_parts(pointer, field)
        before = self.load_mask(pointer, field.bits, self.pieces_ty, tag, field.low)
        layers = self.layers(pointer, field)
        if put is Put.UNDER:
            self._shift_orders(field, before, "add", None)
            layer: Operand = 0
            was_empty = code.compare("eq", layers, 0)
            new_top = code.select(was_empty, pieces, self.top_layer(pointer, field), self.pieces_ty)
            self._store_mask(new_top, top, field, tag)
        else:
            layer = layers
            self._store_mask(pieces, top, field, tag)
        self.set_orders(pieces, layer)
        self._store_mask(code.binary("or", before, pieces, self.pieces_ty), pointer, field, tag)
        code.store("i16", code.convert(code.add(layers, 1), "i64", "i16"), count, tag, 2)

    def set_orders(self, pieces: Operand, layer: Operand) -> None:
        """These pieces lie in a layer."""
        form = Packed(0, self.layout.order_bits, False)
        with self.code.bits(pieces, self.pieces_ty) as loop:
            entry = self.element(self.at(self.layout.order), loop.value, form)
            self.store(layer, entry, form, self.unit.tag("order"))

    def in_layer(self, field: PlaceField, predicate: str, layer: Operand) -> Operand:
        """The pieces (of all piles) whose layer compares so with a number."""
        code, bits = self.code, self.layout.order_bits
        lanes = lanes_for(field.span)
        vector = f"<{lanes} x i{bits}>"
        pointer = self.at(self.layout.order + field.low * bits // 8)
        orders = code.load(vector, pointer, self.unit.tag("order"), 1)
        found = code.value(f"icmp {predicate} {vector} {orders}, {self.splat(layer, lanes, bits)}")
        plain = code.value(f"bitcast <{lanes} x i1> {found} to i{lanes}")
        mask = code.convert(plain, f"i{lanes}", self.pieces_ty)
        return code.binary("shl", mask, field.low, self.pieces_ty)

    def _shift_orders(self, field: PlaceField, pieces: Operand, op: str, above: Operand | None) -> None:
        """The layers of these pieces (of those above a layer, if it is given) have a number more, or less."""
        code = self.code
        form = Packed(0, self.layout.order_bits, False)
        if above is not None:
            pieces = code.binary("and", pieces, self.in_layer(field, "ugt", above), self.pieces_ty)
        with code.bits(pieces, self.pieces_ty) as loop:
            entry = self.element(self.at(self.layout.order), loop.value, form)
            layer = self.load(entry, form, self.unit.tag("order"))
            self.store(code.binary(op, layer, 1), entry, form, self.unit.tag("order"))

    def _take_from_pile(self, field: PlaceField, pointer: str, piece: Operand) -> None:
        code = self.code
        tag = self.unit.tag(f"place {field.name}")
        top, count = self.pile_parts(pointer, field)
        form = Packed(0, self.layout.order_bits, False)
        entry = self.element(self.at(self.layout.order), piece, form)
        layer = self.load(entry, form, self.unit.tag("order"))
        self.store(0, entry, form, self.unit.tag("order"))
        self._turn_bit(pointer, field, piece, False)
        left = self.load_mask(pointer, field.bits, self.pieces_ty, tag, field.low)
        last = code.sub(self.layers(pointer, field), 1)
        on_top, below, end = code.label("top"), code.label("below"), code.label("end")
        code.branch(code.compare("eq", layer, last), on_top, below)
        code.place(on_top)
        self._turn_bit(top, field, piece, False)
        gone = code.compare("eq", self.top_layer(pointer, field), 0, self.pieces_ty)
        with code.when(gone):
            code.store("i16", code.convert(last, "i64", "i16"), count, tag, 2)
            new = code.binary("and", left, self.in_layer(field, "eq", code.sub(last, 1)), self.pieces_ty)
            self._store_mask(new, top, field, tag)
        code.jump(end)
        code.place(below)
        same = code.binary("and", left, self.in_layer(field, "eq", layer), self.pieces_ty)
        with code.when(code.compare("eq", same, 0, self.pieces_ty)):
            self._shift_orders(field, left, "sub", layer)
            code.store("i16", code.convert(last, "i64", "i16"), count, tag, 2)
        code.place(end)

    def shuffle(self, target: Target) -> None:
        aim = self.aim(target)
        field = aim.field
        if field.kind is not Kind.PILES:
            return
        code = self.code
        pointer, tag = self.element_of(field, aim.number), self.unit.tag(f"place {field.name}")
        pieces = self.load_mask(pointer, field.bits, self.pieces_ty, tag, field.low)
        with code.when(code.compare("ne", pieces, 0, self.pieces_ty)):
            self.set_orders(pieces, 0)
            top, count = self.pile_parts(pointer, field)
            self._store_mask(pieces, top, field, tag)
            code.store("i16", 1, count, tag, 2)

    # -------------------------------------------------------------------------------------------------- lifting

    def _write_lift(self, name: str) -> Code:
        """A function: a piece is taken out of the place that it lies in; what it carried there is forgotten."""
        code = Code(name, "void", [*FRAME_PARAMS, ("i64", "%piece"), ("i64", "%target")])
        writer = self.another(code)
        assert isinstance(writer, Moves)
        writer.write_lift_body()
        return code

    def _write_take(self, name: str, field: PlaceField) -> Code:
        """The same of a piece that lies in this place."""
        code = Code(name, "void", [*FRAME_PARAMS, ("i64", "%piece"), ("i64", "%target"), ("i64", "%number")])
        writer = self.another(code)
        assert isinstance(writer, Moves)
        writer.write_take_body(field, "%number")
        code.give()
        return code

    def write_take_body(self, field: PlaceField, number: Operand) -> None:
        self._lift_from(field, number)
        for state in self.game.states.values():
            if state.while_in == field.name:
                self._forget_kept(state, field)

    def write_lift_body(self) -> None:
        code = self.code
        fields = list(self.layout.places.values())
        kinds = [number for number, field in enumerate(fields) for _ in range(field.count)]
        slot = self.where_is("%piece")
        form = Packed(0, 8 if len(fields) < 256 else 16, False)
        array = self.unit.array(kinds, form.bits)
        labels = [code.label(f"from_{field.kind.value}") for field in fields]
        end = code.label("end")
        code.switch(self.load(self.element(array, slot, form), form), end, list(enumerate(labels)))
        for field, label in zip(fields, labels, strict=True):
            code.place(label)
            self.write_take_body(field, code.sub(slot, field.slot))
            code.jump(end)
        code.place(end)
        code.give()

    def _lift_from(self, field: PlaceField, number: Operand) -> None:
        code = self.code
        tag = self.unit.tag(f"place {field.name}")
        match field.kind:
            case Kind.MASKS:
                self._turn_bit(self.element_of(field, number), field, "%piece", False)
            case Kind.CELLS:
                code.store(field.cell.ty, 0, self.element_of(field, number), tag)
                tag = self.unit.tag(f"filled {field.name}")
                self.turn_bit(self.at(field.filled), filled_bits(field), number, False, tag)
            case Kind.WHERE:
                pass
            case Kind.ROWS:
                self._take_from_row(field, self.element_of(field, number))
            case Kind.PILES:
                self._take_from_pile(field, self.element_of(field, number), "%piece")

    def _take_from_row(self, field: PlaceField, pointer: str) -> None:
        code = self.code
        tag = self.unit.tag(f"place {field.name}")
        length = code.convert(code.load("i16", pointer, tag, 2), "i16", "i64")
        first = code.offset(pointer, 2)
        with code.count_up(0, length) as loop:
            here = self.element(first, loop.value, field.cell)
            same = code.compare("eq", self.load(here, field.cell, tag), "%piece")
            with code.when(same):
                beyond = code.offset(here, field.cell.size)
                after = code.mul(code.sub(code.sub(length, loop.value), 1), field.cell.size)
                code.line(f"call void @llvm.memmove.p0.p0.i64(ptr {here}, ptr {beyond}, i64 {after}, i1 false){tag}")
                last = code.sub(length, 1)
                code.store(field.cell.ty, 0, self.element(first, last, field.cell), tag)
                code.store("i16", code.convert(last, "i64", "i16"), pointer, tag, 2)
                code.jump(loop.done)

    def _forget_kept(self, state: ir.State, field: PlaceField) -> None:
        """A state that is kept while a piece lies there has its first value again when the piece leaves the place."""
        code = self.code
        steps = code.sub("%target", field.slot)
        index = state.index[0].type
        number, valid = self.ordinal("%piece", types.Int(-1, -1), index)
        with code.when(code.both(code.compare("uge", steps, field.count), valid)):
            entry = self.layout.states[state.name]
            values = [first_value(self, state, (value,)) for value in types.values(index)]
            pointer = self.at(code.add(code.mul(number, entry.stride), entry.offset))
            tag = self.unit.tag(f"state {state.name}")
            if entry.packed is None:
                raise NotCompiled(f"the state {state.name}, a set that pieces carry with them", state.source.span)
            array, form = self.unit.numbers(values, state.type)
            self.store(self.load(self.element(array, number, form), form), pointer, entry.packed, tag)


def first_value(e: Lanes, state: ir.State, key: tuple[types.Value, ...]) -> types.Value:
    """The first value of an entry of a state."""
    env = dict(zip(state.index, key, strict=True))
    try:
        return e.unit.constants.value(e.unit.constants.simplify(state.initial), env)
    except NotConstant as reason:
        raise e.not_compiled(state.initial) from reason


def is_one_piece(expr: Expr) -> bool:
    return isinstance(expr.type, types.Pieces)


__all__ = ["NONE", "Aim", "Moves", "first_value", "is_one_piece"]
