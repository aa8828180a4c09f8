"""Reading places: who lies where, how many, whether any."""

from __future__ import annotations

from collections.abc import Sequence as Listed

from seaspec.backends.native.assembly import Operand
from seaspec.backends.native.expressions.emitter import Base
from seaspec.backends.native.values.layout import PADDING, Kind, PlaceField
from seaspec.backends.native.values.shapes import NONE, Packed, Sequence
from seaspec.core import ir, types
from seaspec.core.ir import Expr
from seaspec.core.ops import Op


class Places(Base):
    """The part of the writer that reads places."""

    def place_instance(self, place: str, indices: Listed[Expr]) -> tuple[Operand, Operand]:
        return self.instance(self.game.places[place].index, indices)

    def contents(self, place: str, indices: Listed[Expr]) -> Operand:
        field = self.layout.places[place]
        number, valid = self.place_instance(place, indices)
        if valid == 1:
            return self.contents_of(field, number)
        return self.code.choose(valid, self.pieces_ty, lambda: self.contents_of(field, number), lambda: 0)

    @property
    def pieces_ty(self) -> str:
        return self.layout.all_pieces.ty

    def contents_of(self, field: PlaceField, number: Operand) -> Operand:
        """The pieces in the instance with a number."""
        code = self.code
        match field.kind:
            case Kind.MASKS | Kind.PILES:
                pointer = self.element_of(field, number)
                tag = self.unit.tag(f"place {field.name}")
                return self.load_mask(pointer, field.bits, self.pieces_ty, tag, field.low)
            case Kind.CELLS:
                piece = self.cell(field, number)
                bit = code.bit(code.select(code.compare("eq", piece, NONE), 0, piece), self.pieces_ty)
                return code.select(code.compare("eq", piece, NONE), 0, bit, self.pieces_ty)
            case Kind.WHERE | Kind.ROWS:
                return self.scan(field, "eq", code.add(number, field.slot))

    def element_of(self, field: PlaceField, number: Operand) -> str:
        """Where the memory of an instance stands."""
        code = self.code
        return self.at(code.add(code.mul(number, field.stride), field.offset))

    def cell(self, field: PlaceField, number: Operand) -> Operand:
        """CELLS: the piece that lies there, or none."""
        return self.load(self.element_of(field, number), field.cell, self.unit.tag(f"place {field.name}"))

    def filled_instances(self, field: PlaceField) -> tuple[Operand, str] | None:
        """The set of the numbers of filled instances, and its type; None if it would take a loop."""
        code = self.code
        lanes = lanes_for(field.count)
        match field.kind:
            case Kind.CELLS:
                bits = filled_bits(field)
                ty = f"i{-(-bits // 64) * 64}"
                return self.load_mask(self.at(field.filled), bits, ty, self.unit.tag(f"filled {field.name}")), ty
            case Kind.MASKS if field.bits <= 64 and (lanes - field.count) * field.stride <= PADDING:
                vector = f"<{lanes} x i{field.bits}>"
                masks = code.load(vector, self.at(field.offset), self.unit.tag(f"place {field.name}"), 1)
                filled = code.value(f"icmp ne {vector} {masks}, zeroinitializer")
                whole = code.value(f"bitcast <{lanes} x i1> {filled} to i{lanes}")
                return code.binary("and", whole, (1 << field.count) - 1, f"i{lanes}"), f"i{lanes}"
            case Kind.WHERE:
                ty = f"i{-(-field.count // 64) * 64}"
                found = code.slot(ty)
                code.store(ty, 0, found)
                with code.bits(self.everywhere(field.name), self.pieces_ty) as loop:
                    code.put_bit(found, code.sub(self.where_is(loop.value), field.slot), 1, ty)
                return code.load(ty, found), ty
            case _:
                return None

    def scan(self, field: PlaceField, predicate: str, slot: Operand, base: int = 0) -> Operand:
        """The pieces of a place whose slot, less `base`, compares so with a number."""
        code, bits = self.code, self.layout.where_bits
        lanes = lanes_for(field.span)
        vector = f"<{lanes} x i{bits}>"
        pointer = self.at(self.layout.where + field.low * bits // 8)
        slots = code.load(vector, pointer, self.unit.tag("where"), 1)
        if base:
            slots = code.value(f"sub {vector} {slots}, {splat(base, lanes, bits)}")
        same = code.value(f"icmp {predicate} {vector} {slots}, {self.splat(slot, lanes, bits)}")
        found = code.value(f"bitcast <{lanes} x i1> {same} to i{lanes}")
        held = self.game.places[field.name].holds.members
        mask = code.convert(found, f"i{lanes}", self.pieces_ty)
        mask = code.binary("shl", mask, field.low, self.pieces_ty)
        return code.binary("and", mask, self.layout.all_pieces.mask(held), self.pieces_ty)

    def splat(self, value: Operand, lanes: int, bits: int) -> str:
        """A vector of equal numbers."""
        if isinstance(value, int):
            return splat(value, lanes, bits)
        narrow = self.code.convert(value, "i64", f"i{bits}")
        vector = f"<{lanes} x i{bits}>"
        first = self.code.value(f"insertelement {vector} poison, i{bits} {narrow}, i64 0")
        return self.code.value(f"shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer")

    def everywhere(self, place: str) -> Operand:
        """The pieces in all instances of a place."""
        field = self.layout.places[place]
        if field.count == 1:
            return self.contents_of(field, 0)
        return self.scan(field, "ult", field.count, field.slot)

    def where_is(self, piece: Operand) -> Operand:
        """The slot that a piece lies in."""
        form = Packed(0, self.layout.where_bits, False)
        pointer = self.code.offset(self.state, self.code.add(self.layout.where, self.code.mul(piece, form.size)))
        return self.load(pointer, form, self.unit.tag("where"))

    def lies_in(self, piece: Expr, place: str, indices: Listed[Expr]) -> Operand:
        """Whether a piece (or none) lies in an instance."""
        field = self.layout.places[place]
        number, valid = self.place_instance(place, indices)
        value = self.number(piece)
        known = self.is_piece(value, piece)
        here = self.code.select(known, value, 0)
        same = self.code.compare("eq", self.where_is(here), self.code.add(number, field.slot))
        return self.code.both(self.code.both(same, valid), known)

    def lies_somewhere_in(self, piece: Expr, place: str) -> Operand:
        """Whether a piece (or none) lies in any instance of a place."""
        field = self.layout.places[place]
        value = self.number(piece)
        known = self.is_piece(value, piece)
        steps = self.code.sub(self.where_is(self.code.select(known, value, 0)), field.slot)
        return self.code.both(self.code.compare("ult", steps, field.count), known)

    def is_piece(self, value: Operand, expr: Expr) -> Operand:
        """Whether a value is a piece at all; true where that is plain from how it is written."""
        if self.facts.sound(expr) and not isinstance(expr.type, types.Optional):
            return 1
        return self.code.compare("ult", value, self.layout.pieces)

    # --------------------------------------------------------------------------------------------------- questions

    def emptiness(self, expr: Expr) -> tuple[ir.PlaceRead, bool] | None:
        """The place that a test asks of whether it is empty (or, False, filled); None for any other test."""
        match expr:
            case ir.Apply(_, op, (ir.Apply(_, Op.SIZE, (ir.PlaceRead() as read,)), ir.Const(_, 0))):
                if op in (Op.EQUAL, Op.AT_MOST):
                    return read, True
                if op in (Op.MORE, Op.UNEQUAL):
                    return read, False
            case ir.Apply(_, Op.EQUAL | Op.UNEQUAL as op, (ir.Apply(_, Op.MAYBE, (ir.PlaceRead() as read,)), other)):
                if isinstance(other, ir.Const) and other.value is None and self.facts.at_most_one(read):
                    return read, op is Op.EQUAL
            case _:  # cautious: not known to ask that; the test is computed as it stands
                pass
        return None

    def is_empty(self, read: ir.PlaceRead) -> Operand:
        field = self.layout.places[read.place]
        code = self.code
        if field.kind is not Kind.CELLS:
            return code.compare("eq", self.contents(read.place, read.indices), 0, self.pieces_ty)
        number, valid = self.place_instance(read.place, read.indices)
        number = code.select(valid, number, 0)
        stored = code.load(field.cell.ty, self.element_of(field, number), self.unit.tag(f"place {field.name}"))
        return code.either(code.compare("eq", stored, 0, field.cell.ty), code.complement(valid))

    def only_piece(self, read: ir.PlaceRead, obligation: str | None) -> Operand:
        """The one piece in an instance; none, or an error, if there is none."""
        field = self.layout.places[read.place]
        code = self.code
        if field.kind is Kind.CELLS:
            number, valid = self.place_instance(read.place, read.indices)
            found = self.cell(field, code.select(valid, number, 0))
            found = code.select(valid, found, NONE)
        else:
            mask = self.contents(read.place, read.indices)
            some = code.compare("ne", mask, 0, self.pieces_ty)
            found = code.select(some, code.lowest(code.select(some, mask, 1, self.pieces_ty), self.pieces_ty), NONE)
        if obligation is not None:
            some = code.compare("ne", found, NONE)
            self.require(some, obligation)
            found = code.select(some, found, field.low)
        return found

    def row(self, place: str, indices: Listed[Expr]) -> Sequence:
        """ROWS: the pieces in order."""
        field = self.layout.places[place]
        code = self.code
        number, valid = self.place_instance(place, indices)
        pointer = self.element_of(field, code.select(valid, number, 0))
        tag = self.unit.tag(f"place {field.name}")
        length = code.convert(code.load("i16", pointer, tag, 2), "i16", "i64")
        return Sequence(code.offset(pointer, 2), code.select(valid, length, 0), field.cell, tag)


def filled_bits(field: PlaceField) -> int:
    """The bits of the set of filled instances."""
    needed = -(-field.count // 8)
    return 8 * next((size for size in (1, 2, 4) if needed <= size), -(-needed // 8) * 8)


def lanes_for(count: int) -> int:
    """Lanes of a vector for so many numbers."""
    return next((lanes for lanes in (8, 16, 32, 64) if count <= lanes), -(-count // 64) * 64)


def splat(value: int, lanes: int, bits: int) -> str:
    signed = value - (1 << bits) if value >= 1 << (bits - 1) else value
    return f"splat (i{bits} {signed})"
