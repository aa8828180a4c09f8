"""Positions in a few words: equal words, equal position, but for which of identical pieces lies where.

    pack(state, context, words)     0, or 1 if a value does not fit (it never should)
    unpack(words, state, context)

First come the codes of the pieces: where each lies, and how far up in a row or pile. Then the number of the node, the
states, and what belongs to the node: the variables that are live there, or how the game ended. Each value takes as many
bits as its type needs. What a state keeps beside that (sets of pieces of a place, and so on) is worked out anew.

Identical pieces are sorted first, by all that a position says of each (`Kin`), and get their numbers in this order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.explore.kin import Kin
from seaspec.backends.native.expressions.emitter import CONTEXT, STATE
from seaspec.backends.native.expressions.places import filled_bits
from seaspec.backends.native.flow.nodes import Writer
from seaspec.backends.native.values.layout import FrameField, FrameKind, Kind, PlaceField, StateField
from seaspec.backends.native.values.shapes import Packed, extent
from seaspec.backends.native.values.unit import Unit
from seaspec.core import flow, ir, types
from seaspec.core.flow import Block

MOST_PIECES = 1024
MOST_WORDS = 512
MOST_SCANNED = 16
"""Instances of a place whose pieces are found one instance after the other."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some bits of the state: `width` of the number of `bits` bits that stands at an offset."""

    offset: int
    bits: int
    width: int


class Packing:
    """How the positions of a game are packed."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        layout = self.layout = unit.layout
        if layout.pieces > MOST_PIECES:
            raise NotCompiled(f"exploring with {layout.pieces} pieces")
        self.nodes = [
            number
            for number, block in enumerate(unit.flow.blocks)
            if flow.is_node(block.exit) and not isinstance(block.exit, flow.Outside)
        ]
        self.first_codes, count = self._count_codes()
        self.piled = count > layout.slots
        """Whether codes say more than where a piece lies."""
        self.code_bits = max(1, (count - 1).bit_length())
        self.code_size = 1 if count <= 256 else 2
        self.node_bits = max(1, (len(self.nodes) - 1).bit_length())
        self.start = layout.pieces * self.code_bits
        self.common = [*self._of_result_less(), *(p for s in layout.states.values() for p in state_parts(unit, s))]
        self.special = {number: list(self._of_node(number)) for number in self.nodes}
        common = self.start + self.node_bits + sum(part.width for part in self.common)
        most = common + max((sum(part.width for part in parts) for parts in self.special.values()), default=0)
        self.words = -(-most // 64)
        if self.words > MOST_WORDS:
            raise NotCompiled(f"exploring positions of {most} bits")
        self.kin = Kin(unit, self.code_bits)

    def _count_codes(self) -> tuple[list[int], int]:
        """The first code of each slot, and how many codes there are."""
        firsts, count = [], 0
        for place in self.layout.places.values():
            several = place.kind in (Kind.ROWS, Kind.PILES)
            for _ in range(place.count):
                firsts.append(count)
                count += place.span if several else 1
        return firsts, count

    def _of_result_less(self) -> Iterator[Part]:
        if any(isinstance(step, ir.DropOut) for block in self.unit.flow.blocks for step in block.steps):
            yield Part(self.layout.OUT, 64, self.layout.seats)

    def _of_node(self, number: Block) -> Iterator[Part]:
        block = self.unit.flow.blocks[number]
        for variable in block.live:
            yield from frame_parts(self.layout.frame[variable])
        if not isinstance(block.exit, flow.Over):
            return
        yield Part(self.layout.WINNERS, 64, self.layout.seats)
        yield Part(self.layout.LOSERS, 64, self.layout.seats)
        if isinstance(block.exit.how, ir.Score):
            for entry in range(self.layout.seats * self.layout.terms):
                yield Part(self.layout.scores + 8 * entry, 64, 64)


def state_parts(unit: Unit, field: StateField) -> Iterator[Part]:
    """The entries of a state."""
    state = unit.game.states[field.name]
    for entry in range(field.count):
        offset = field.offset + entry * field.stride
        if field.maps is not None:
            yield from (Part(offset + at, 64, 64) for at in range(0, field.stride, 8))
        elif field.packed is not None:
            bounded = state.bound is not None
            yield Part(offset, field.packed.bits, field.packed.bits if bounded else width_of(state.type, field.packed))
        else:
            assert field.universe is not None
            yield from _mask_parts(offset, field.bits, field.universe.width)


def frame_parts(field: FrameField) -> Iterator[Part]:
    """A variable of the frame."""
    ty = field.variable.type
    match field.kind:
        case FrameKind.SINGLE:
            yield Part(field.offset, field.packed.bits, width_of(ty, field.packed, zero=isinstance(ty, types.Int)))
        case FrameKind.SET:
            yield Part(field.offset, 8, 1)
            yield from _mask_parts(field.offset + 8, field.most, field.most)
        case FrameKind.SEQUENCE | FrameKind.MAP:
            length = field.most + 1 if field.kind is FrameKind.SEQUENCE else 1
            yield Part(field.offset, 16, length.bit_length())
            assert isinstance(ty, types.SetOf | types.Map)
            of = ty.of if isinstance(ty, types.SetOf) else ty.values
            width = width_of(of, field.packed, zero=isinstance(ty, types.Map))
            for entry in range(field.most):
                yield Part(field.offset + 8 + entry * field.packed.size, field.packed.bits, width)


def width_of(ty: types.Type, form: Packed, zero: bool = False) -> int:
    """The bits that values of a type take as they are stored."""
    high = extent(ty)[1]
    if zero:
        high = max(high, 0)
    return max(1, (high + form.shift).bit_length())


def _mask_parts(offset: int, bits: int, width: int) -> Iterator[Part]:
    for start in range(0, width, 64):
        yield Part(offset + start // 8, min(64, bits), min(64, width - start))


# --------------------------------------------------------------------------------------------------------------- pack


def write_packing(unit: Unit, packing: Packing) -> None:
    """The functions `pack` and `unpack`."""
    unit.add(_Pack(unit, packing).write())
    unit.add(_Unpack(unit, packing).write())


class _Pack:
    def __init__(self, unit: Unit, packing: Packing) -> None:
        self.unit, self.packing, self.layout = unit, packing, unit.layout
        params = [("ptr", STATE), ("ptr", CONTEXT), ("ptr", "%words")]
        self.code = Code("pack", "i64", params, attributes="")
        self.writer = Writer(unit, self.code)
        self.words: list[Operand] = [0] * packing.words
        self.excess: Operand = 0
        """Bits of values that are too wide."""

    def write(self) -> Code:
        code, packing = self.code, self.packing
        codes = self._codes()
        pc = code.load("i16", STATE, "", 2)
        source = packing.kin.write_sorting(self.writer, codes, packing.code_size)
        for piece in range(self.layout.pieces):
            self._put(self._load(codes, Part(piece * packing.code_size, 8 * packing.code_size, packing.code_bits)),
                      piece * packing.code_bits, packing.code_bits)  # fmt: skip
        position = packing.start + packing.node_bits
        position = self._put_all(source, packing.common, position)
        words, excess = list(self.words), self.excess
        wrong = code.label("wrong")
        labels = [code.label("node") for _ in packing.nodes]
        code.switch(pc, wrong, list(zip(packing.nodes, labels, strict=True)), "i16")
        for number, (node, label) in enumerate(zip(packing.nodes, labels, strict=True)):
            code.place(label)
            self.words, self.excess = list(words), excess
            self._put(number, packing.start, packing.node_bits)
            self._put_all(source, packing.special[node], position)
            for place, word in enumerate(self.words):
                code.store("i64", word, code.offset("%words", 8 * place), "", 8)
            code.give(code.convert(code.compare("ne", self.excess, 0), "i1", "i64"))
        code.place(wrong)
        code.give(1)
        return code

    def _codes(self) -> str:
        """The codes of the pieces, in memory."""
        code, layout, packing = self.code, self.layout, self.packing
        codes = self.writer.memory("codes", packing.code_size * layout.pieces + 64)
        where = Packed(0, layout.where_bits, False)
        form = Packed(0, 8 * packing.code_size, False)
        if not packing.piled and where.bits == form.bits:
            size = layout.pieces * form.size
            where_at = self.writer.at(layout.where)
            code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {codes}, ptr {where_at}, i64 {size}, i1 false)")
            return codes
        firsts = self.unit.array(packing.first_codes, 16)
        first_form = Packed(0, 16, False)
        has_piles = any(field.kind is Kind.PILES for field in layout.places.values())
        with code.count_up(0, layout.pieces) as loop:
            slot = self.writer.where_is(loop.value)
            found = self.writer.load(self.writer.element(firsts, slot, first_form), first_form)
            if has_piles:  # no piece but in a pile has a layer other than 0
                order = Packed(0, layout.order_bits, False)
                found = code.add(
                    found, self.writer.load(self.writer.element(self.writer.at(layout.order), loop.value, order), order)
                )
            self.writer.store(found, self.writer.element(codes, loop.value, form), form)
        for field in layout.places.values():
            if field.kind is Kind.ROWS:
                self._add_spots(field, codes, form)
        return codes

    def _add_spots(self, field: PlaceField, codes: str, form: Packed) -> None:
        """In a row the code of a piece says its spot, too."""
        code, writer = self.code, self.writer
        with code.count_up(0, field.count) as instance:
            start = writer.element_of(field, instance.value)
            length = code.convert(code.load("i16", start, "", 2), "i16", "i64")
            with code.count_up(0, length) as spot:
                pointer = writer.element(code.offset(start, 2), spot.value, field.cell)
                stored = code.convert(code.load(field.cell.ty, pointer, "", field.cell.size), field.cell.ty, "i64")
                entry = writer.element(codes, code.sub(stored, field.cell.shift), form)
                writer.store(code.add(writer.load(entry, form), spot.value), entry, form)

    def _put_all(self, source: str, parts: Sequence[Part], position: int) -> int:
        for part in parts:
            self._put(self._load(source, part), position, part.width, part.bits)
            position += part.width
        return position

    def _load(self, source: str, part: Part) -> Operand:
        code = self.code
        ty = f"i{part.bits}"
        return code.convert(code.load(ty, code.offset(source, part.offset), "", 1), ty, "i64")

    def _put(self, value: Operand, position: int, width: int, bits: int = 0) -> None:
        """A value goes to a place in the words; `bits`: it might have so many, which is looked at."""
        code = self.code
        if bits > width:
            self.excess = code.binary("or", self.excess, code.binary("lshr", value, width))
        word, shift = divmod(position, 64)
        self.words[word] = code.binary("or", self.words[word], code.binary("shl", value, shift))
        if shift + width > 64:
            rest = code.binary("lshr", value, 64 - shift)
            self.words[word + 1] = code.binary("or", self.words[word + 1], rest)


# ------------------------------------------------------------------------------------------------------------- unpack


class _Unpack:
    def __init__(self, unit: Unit, packing: Packing) -> None:
        self.unit, self.packing, self.layout = unit, packing, unit.layout
        params = [("ptr", "%words"), ("ptr", STATE), ("ptr", CONTEXT)]
        self.code = Code("unpack", "void", params, attributes="")
        self.writer = Writer(unit, self.code)

    def write(self) -> Code:
        code, packing, layout = self.code, self.packing, self.layout
        self.words = [code.load("i64", code.offset("%words", 8 * place), "", 8) for place in range(packing.words)]
        code.line(f"call void @llvm.memset.p0.i64(ptr {STATE}, i8 0, i64 {layout.end}, i1 false)")
        self._pieces()
        position = packing.start + packing.node_bits
        position = self._take_all(packing.common, position)
        wrong = code.label("wrong")
        labels = [code.label("node") for _ in packing.nodes]
        number = self._take(packing.start, packing.node_bits)
        code.switch(number, wrong, list(enumerate(labels)))
        for node, label in zip(packing.nodes, labels, strict=True):
            code.place(label)
            code.store("i16", node, STATE, "", 2)
            exit = self.unit.flow.blocks[node].exit
            if isinstance(exit, flow.Over):
                code.store("i8", 1, self.writer.at(layout.OVER))
                code.store("i8", int(isinstance(exit.how, ir.Score)), self.writer.at(layout.SCORED))
            self._take_all(packing.special[node], position)
            code.give()
        code.place(wrong)
        code.give()
        return code

    def _take(self, position: int, width: int) -> Operand:
        code = self.code
        word, shift = divmod(position, 64)
        value = code.binary("lshr", self.words[word], shift)
        if shift + width > 64:
            value = code.binary("or", value, code.binary("shl", self.words[word + 1], 64 - shift))
        return value if width == 64 else code.binary("and", value, (1 << width) - 1)

    def _take_all(self, parts: Sequence[Part], position: int) -> int:
        code = self.code
        for part in parts:
            value = code.convert(self._take(position, part.width), "i64", f"i{part.bits}")
            code.store(f"i{part.bits}", value, self.writer.at(part.offset), "", 1)
            position += part.width
        return position

    def _pieces(self) -> None:
        """Where the pieces lie, and all that follows from that."""
        code, writer, layout, packing = self.code, self.writer, self.layout, self.packing
        slots, orders = self._slots_and_orders()
        slot_form = Packed(0, 16, False)
        order = Packed(0, layout.order_bits, False)
        for piece in range(layout.pieces):
            found = self._take(piece * packing.code_bits, packing.code_bits)
            if packing.piled:
                slot = writer.load(writer.element(slots, found, slot_form), slot_form)
                if orders:
                    layer = writer.load(writer.element(orders, found, slot_form), slot_form)
                    entry = writer.at(layout.order + piece * order.size)
                    code.store(order.ty, code.convert(layer, "i64", order.ty), entry, "", 1)
                spot_memory = writer.memory("spots", 2 * layout.pieces)
                spot = writer.load(writer.element(self._spots, found, slot_form), slot_form)
                code.store("i16", code.convert(spot, "i64", "i16"), code.offset(spot_memory, 2 * piece), "", 2)
                found = slot
            ty = f"i{layout.where_bits}"
            pointer = writer.at(layout.where + piece * layout.where_bits // 8)
            code.store(ty, code.convert(found, "i64", ty), pointer, "", 1)
        for field in layout.places.values():
            self._fill(field)

    def _slots_and_orders(self) -> tuple[str, str]:
        """By code: the slot; the layer, if it is in a pile; the spot."""
        slots: list[int] = []
        orders: list[int] = []
        spots: list[int] = []
        for field in self.layout.places.values():
            several = field.kind in (Kind.ROWS, Kind.PILES)
            for instance in range(field.count):
                for spot in range(field.span if several else 1):
                    slots.append(field.slot + instance)
                    orders.append(spot if field.kind is Kind.PILES else 0)
                    spots.append(spot)
        self._spots = self.unit.array(spots, 16) if self.packing.piled else ""
        has_piles = any(field.kind is Kind.PILES for field in self.layout.places.values())
        return self.unit.array(slots, 16), self.unit.array(orders, 16) if has_piles else ""

    def _fill(self, field: PlaceField) -> None:
        code, writer = self.code, self.writer
        ty = writer.pieces_ty
        if field.kind is Kind.MASKS and field.count <= MOST_SCANNED:
            for instance in range(field.count):
                mask = writer.scan(field, "eq", field.slot + instance)
                mask = code.convert(code.binary("lshr", mask, field.low, ty), ty, f"i{field.bits}")
                code.store(f"i{field.bits}", mask, writer.at(field.offset + instance * field.stride), "", 1)
            return
        if field.kind is Kind.WHERE:
            return
        lying = writer.scan(field, "ult", field.count, field.slot)
        with code.bits(lying, ty) as loop:
            self._lay(field, loop.value)
        if field.kind is Kind.PILES:
            with code.bits(lying, ty) as loop:
                self._show_top(field, loop.value)

    def _lay(self, field: PlaceField, piece: Operand) -> None:
        """A piece lies in an instance."""
        code, writer = self.code, self.writer
        instance = code.sub(writer.where_is(piece), field.slot)
        start = writer.element_of(field, instance)
        match field.kind:
            case Kind.CELLS:
                writer.store(piece, start, field.cell)
                bits = filled_bits(field)
                filled = writer.at(field.filled)
                both = code.binary(
                    "or", code.load(f"i{bits}", filled, "", 1), code.bit(instance, f"i{bits}"), f"i{bits}"
                )
                code.store(f"i{bits}", both, filled, "", 1)
            case Kind.MASKS:
                self._add_to_mask(start, field, piece)
            case Kind.PILES:
                self._add_to_mask(start, field, piece)
                layers = code.offset(start, 2 * field.mask_bytes)
                height = code.add(self._spot(piece), 1)
                before = code.convert(code.load("i16", layers, "", 1), "i16", "i64")
                higher = code.select(code.compare("ugt", height, before), height, before)
                code.store("i16", code.convert(higher, "i64", "i16"), layers, "", 1)
            case Kind.ROWS:
                before = code.load("i16", start, "", 1)
                code.store("i16", code.binary("add", before, 1, "i16"), start, "", 1)
                writer.store(piece, writer.element(code.offset(start, 2), self._spot(piece), field.cell), field.cell)

    def _show_top(self, field: PlaceField, piece: Operand) -> None:
        """A piece in the top layer of a pile."""
        code, writer = self.code, self.writer
        start = writer.element_of(field, code.sub(writer.where_is(piece), field.slot))
        layers = code.convert(code.load("i16", code.offset(start, 2 * field.mask_bytes), "", 1), "i16", "i64")
        with code.when(code.compare("eq", code.add(self._spot(piece), 1), layers)):
            self._add_to_mask(code.offset(start, field.mask_bytes), field, piece)

    def _spot(self, piece: Operand) -> Operand:
        code = self.code
        memory = self.writer.memory("spots", 2 * self.layout.pieces)
        return code.convert(code.load("i16", code.offset(memory, code.mul(piece, 2)), "", 2), "i16", "i64")

    def _add_to_mask(self, pointer: str, field: PlaceField, piece: Operand) -> None:
        code = self.code
        ty = f"i{field.bits}"
        bit = code.binary("shl", 1, code.convert(code.sub(piece, field.low), "i64", ty), ty)
        code.store(ty, code.binary("or", code.load(ty, pointer, "", 1), bit, ty), pointer, "", 1)
