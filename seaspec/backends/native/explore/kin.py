"""Pieces that are alike in a fixed order, so that positions that differ by such pieces alone become equal.

Of each piece that others stand for a key is made of all that a position says of it: its code (where it lies, and
how far up), the states that it carries along, which states and variables point at it, and how. The pieces of a kind are
sorted by their keys and numbered anew in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.nodes import Writer
from seaspec.backends.native.values.layout import FrameField, FrameKind
from seaspec.backends.native.values.shapes import Packed
from seaspec.backends.native.values.unit import Unit
from seaspec.core import flow, ir, types
from seaspec.core.types import Type

WIDEST_KEY = 1024


@dataclass(frozen=True, slots=True)
class Holder:
    """What may point at pieces: a single value, a set, a sequence or a map by pieces, at an offset of the state."""

    kind: FrameKind
    offset: int
    packed: Packed
    most: int
    """Bits of a set, members of a sequence at most."""
    index: Type | None = None
    """The keys of a map."""

    @property
    def width(self) -> int:
        """Bits that say how it points at a piece."""
        match self.kind:
            case FrameKind.SINGLE | FrameKind.SET:
                return 1
            case FrameKind.SEQUENCE:
                return (self.most + 1).bit_length()
            case FrameKind.MAP:
                return self.packed.bits


class Kin:
    """The pieces of a game that stand for one another, and all that is said of them."""

    def __init__(self, unit: Unit, code_bits: int) -> None:
        self.unit = unit
        self.code_bits = code_bits
        merged = unit.twins.merged
        self.pieces = [piece for members in merged for piece in members]
        self.class_of = [number for number, members in enumerate(merged) for _ in members]
        self.common = frozenset(self.pieces)
        self.carried: list[Holder] = []
        self.holders: list[Holder] = []
        for state in unit.game.states.values():
            self._add_state(state)

    def _add_state(self, state: ir.State) -> None:
        common = self.common
        field = self.unit.layout.states[state.name]
        for variable in state.index:
            if types.pieces_in(variable.type) & common:
                if field.packed is None or types.pieces_in(state.type) & common:
                    raise NotCompiled(f"exploring with the state {state.name}", state.source.span)
                self.carried.append(Holder(FrameKind.MAP, field.offset, field.packed, 0, variable.type))
                return
        if not types.pieces_in(state.type) & common:
            return
        for entry in range(field.count):
            offset = field.offset + entry * field.stride
            if field.packed is not None:
                self.holders.append(Holder(FrameKind.SINGLE, offset, field.packed, 1))
            else:
                self.holders.append(Holder(FrameKind.SET, offset, Packed(0, 64, False), field.bits))

    def _of_node(self, block: flow.BasicBlock) -> tuple[Holder, ...]:
        found = []
        for variable in block.live if flow.is_node(block.exit) else ():
            if types.pieces_in(variable.type) & self.common:
                found.append(self._of_variable(self.unit.layout.frame[variable]))
        return tuple(found)

    def _of_variable(self, field: FrameField) -> Holder:
        ty = field.variable.type
        match field.kind, ty:
            case FrameKind.SINGLE, _:
                return Holder(field.kind, field.offset, field.packed, 1)
            case ((FrameKind.SET | FrameKind.SEQUENCE), _):
                return Holder(field.kind, field.offset + 8, field.packed, field.most)
            case FrameKind.MAP, types.Map(keys, values) if not types.pieces_in(values) & self.common:
                return Holder(field.kind, field.offset + 8, field.packed, field.most, keys)
            case _:  # cautious: such positions are not explored at all, below
                pass
        raise NotCompiled(f"exploring with the variable {field.variable.name}")

    # ---------------------------------------------------------------------------------------------------- sorting

    def write_sorting(self, writer: Writer, codes: str, code_size: int) -> str:
        """The state with its identical pieces sorted; so are their codes. The state itself, where they are."""
        if not self.pieces:
            return STATE
        groups: dict[tuple[Holder, ...], list[int]] = {}
        for number, block in enumerate(self.unit.flow.blocks):
            if flow.is_node(block.exit):
                groups.setdefault(self._of_node(block), []).append(number)
        code = Code("sorted_kin", "ptr", [*FRAME_PARAMS, ("ptr", "%codes")])
        inner = writer.another(code)
        pc = code.load("i16", STATE, "", 2)
        labels = [code.label("group") for _ in groups]
        cases = [(n, label) for numbers, label in zip(groups.values(), labels, strict=True) for n in numbers]
        code.switch(pc, labels[0], [case for case in cases if case[1] != labels[0]], "i16")
        for holders, label in zip(groups, labels, strict=True):
            code.place(label)
            _Sorting(self, inner, code_size, (*self.holders, *holders)).write()
        self.unit.add(code)
        return writer.code.call("ptr", "sorted_kin", [("ptr", STATE), ("ptr", CONTEXT), ("ptr", codes)])


class _Sorting:
    """Writes the sorting at some nodes."""

    def __init__(self, kin: Kin, writer: Writer, code_size: int, holders: tuple[Holder, ...]) -> None:
        self.kin, self.writer, self.code, self.holders = kin, writer, writer.code, holders
        self.form = Packed(0, 8 * code_size, False)
        widths = [kin.code_bits, *(h.width for h in (*kin.carried, *holders)), len(kin.class_of).bit_length()]
        if sum(widths) > WIDEST_KEY:
            raise NotCompiled("exploring with so much that points at identical pieces")
        self.ty = f"i{-(-sum(widths) // 64) * 64}"
        self.key_size = int(self.ty[1:]) // 8
        self.unit = kin.unit
        self.pieces = self.unit.array(kin.pieces, 16)
        self.classes = self.unit.array(kin.class_of, 16)
        self.keys = writer.memory(f"keys of {self.ty}", self.key_size * len(kin.pieces))
        self.ids = writer.memory("sorted pieces", 2 * len(kin.pieces))
        self.names = writer.memory("names of pieces", 2 * self.unit.layout.pieces)
        self.scratch = writer.memory("sorted state", self.unit.layout.size)

    def write(self) -> None:
        code, count = self.code, len(self.kin.pieces)
        falls = code.slot("i64")
        code.store("i64", 0, falls)
        with code.count_up(0, count) as loop:
            piece = self._listed(self.pieces, loop.value)
            key = self._key(piece, loop.value)
            code.store(self.ty, key, self._key_at(loop.value), "", 8)
            self._note(self.ids, loop.value, piece)
            with code.when(code.compare("ne", loop.value, 0)):
                before = code.load(self.ty, self._key_at(code.sub(loop.value, 1)), "", 8)
                fall = code.convert(code.compare("ult", key, before, self.ty), "i1", "i64")
                code.store("i64", code.binary("or", code.load("i64", falls), fall), falls)
        sort, same = code.label("sort"), code.label("same")
        code.branch(code.compare("eq", code.load("i64", falls), 0), same, sort)
        code.place(same)
        code.give(STATE)
        code.place(sort)
        self._sort()
        self._rename()
        code.give(self.scratch)

    def _key(self, piece: Operand, place: Operand) -> Operand:
        code = self.code
        found = code.convert(self._listed(self.classes, place), "i64", self.ty)

        def add(value: Operand, width: int) -> None:
            nonlocal found
            shifted = code.binary("shl", found, width, self.ty)
            found = code.binary("or", shifted, code.convert(value, "i64", self.ty), self.ty)

        add(self.writer.load(self.writer.element("%codes", piece, self.form), self.form), self.kin.code_bits)
        for holder in (*self.kin.carried, *self.holders):
            add(self._mention(holder, piece), holder.width)
        return found

    def _mention(self, holder: Holder, piece: Operand) -> Operand:
        """How something points at a piece; 0: it does not."""
        code, writer = self.code, self.writer
        start = writer.at(holder.offset)
        match holder.kind:
            case FrameKind.SINGLE:
                return code.convert(code.compare("eq", writer.load(start, holder.packed), piece), "i1", "i64")
            case FrameKind.SET:
                ty = f"i{holder.most}"
                return code.convert(code.has_bit(self._mask(start, ty), piece, ty), "i1", "i64")
            case FrameKind.SEQUENCE:
                found = code.slot("i64")
                code.store("i64", 0, found)
                with code.count_up(0, self._length(holder)) as loop:
                    member = writer.load(writer.element(start, loop.value, holder.packed), holder.packed)
                    with code.when(code.compare("eq", member, piece)):
                        code.store("i64", code.add(loop.value, 1), found)
                return code.load("i64", found)
            case FrameKind.MAP:
                number, inside = self._entry(holder, piece)
                entry = writer.element(start, code.select(inside, number, 0), holder.packed)
                stored = code.load(holder.packed.ty, entry, "", 1)
                return code.select(inside, code.convert(stored, holder.packed.ty, "i64"), 0)

    def _mask(self, pointer: str, ty: str) -> Operand:
        return self.code.load(ty, pointer, "", 1)

    def _length(self, holder: Holder) -> Operand:
        """The members of a sequence; without a value, none."""
        code = self.code
        stored = code.convert(code.load("i16", self.writer.at(holder.offset - 8), "", 2), "i16", "i64")
        return code.select(code.compare("eq", stored, 0), 0, code.sub(stored, 1))

    def _entry(self, holder: Holder, piece: Operand) -> tuple[Operand, Operand]:
        assert holder.index is not None
        return self.writer.ordinal(piece, types.Int(-1, -1), holder.index)

    def _sort(self) -> None:
        """By insertion: most are in order already."""
        code = self.code
        with code.count_up(1, len(self.kin.pieces)) as loop:
            key = code.load(self.ty, self._key_at(loop.value), "", 8)
            piece = self._listed(self.ids, loop.value)
            place = code.slot("i64")
            code.store("i64", loop.value, place)
            head, look, move, done = (code.label(hint) for hint in ("head", "look", "move", "done"))
            code.place(head)
            here = code.load("i64", place)
            code.branch(code.compare("eq", here, 0), done, look)
            code.place(look)
            before = code.sub(here, 1)
            other = code.load(self.ty, self._key_at(before), "", 8)
            code.branch(code.compare("ugt", other, key, self.ty), move, done)
            code.place(move)
            code.store(self.ty, other, self._key_at(here), "", 8)
            self._note(self.ids, here, self._listed(self.ids, before))
            code.store("i64", before, place)
            code.jump(head)
            code.place(done)
            last = code.load("i64", place)
            code.store(self.ty, key, self._key_at(last), "", 8)
            self._note(self.ids, last, piece)

    # --------------------------------------------------------------------------------------------------- renaming

    def _rename(self) -> None:
        code, writer, layout = self.code, self.writer, self.unit.layout
        with code.count_up(0, layout.pieces) as loop:
            self._note(self.names, loop.value, loop.value)
        old_codes = writer.memory("codes before", self.form.size * layout.pieces)
        code.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {old_codes}, ptr %codes, "
            f"i64 {self.form.size * layout.pieces}, i1 false)"
        )
        code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {self.scratch}, ptr {STATE}, i64 {layout.end}, i1 false)")
        for piece, name in self._renamed(also_names=True):
            found = writer.load(writer.element(old_codes, piece, self.form), self.form)
            writer.store(found, writer.element("%codes", name, self.form), self.form)
        for holder in (*self.kin.carried, *self.holders):
            self._rename_in(holder)

    def _renamed(self, also_names: bool = False) -> Iterator[tuple[Operand, Operand]]:
        """A loop over pieces and their new names."""
        code = self.code
        with code.count_up(0, len(self.kin.pieces)) as loop:
            piece, name = self._listed(self.ids, loop.value), self._listed(self.pieces, loop.value)
            if also_names:
                self._note(self.names, piece, name)
            yield piece, name

    def _rename_in(self, holder: Holder) -> None:
        code, writer, form = self.code, self.writer, holder.packed
        start, target = writer.at(holder.offset), code.offset(self.scratch, holder.offset)
        match holder.kind:
            case FrameKind.SINGLE:
                self._rename_entry(start, target, form)
            case FrameKind.SET:
                ty = f"i{holder.most}"
                before = self._mask(start, ty)
                common = sum(1 << piece for piece in self.kin.pieces)
                after = code.slot(ty)
                code.store(ty, code.binary("and", before, ~common, ty), after)
                for piece, name in self._renamed():
                    bit = code.convert(code.has_bit(before, piece, ty), "i1", ty)
                    moved = code.binary("shl", bit, code.convert(name, "i64", ty), ty)
                    code.store(ty, code.binary("or", code.load(ty, after), moved, ty), after)
                code.store(ty, code.load(ty, after), target, "", 1)
            case FrameKind.SEQUENCE:
                with code.count_up(0, self._length(holder)) as loop:
                    self._rename_entry(
                        writer.element(start, loop.value, form), writer.element(target, loop.value, form), form
                    )
            case FrameKind.MAP:
                for piece, name in self._renamed():
                    number, inside = self._entry(holder, piece)
                    other, there = self._entry(holder, name)
                    with code.when(code.both(inside, there)):
                        stored = code.load(form.ty, writer.element(start, number, form), "", 1)
                        code.store(form.ty, stored, writer.element(target, other, form), "", 1)

    def _rename_entry(self, start: str, target: str, form: Packed) -> None:
        """A single value: none, or a piece."""
        code, writer = self.code, self.writer
        value = writer.load(start, form)
        with code.when(code.compare("ult", value, self.unit.layout.pieces)):
            writer.store(self._listed(self.names, value), target, form)

    # ----------------------------------------------------------------------------------------------------- memory

    def _key_at(self, place: Operand) -> str:
        return self.code.offset(self.keys, self.code.mul(place, self.key_size))

    def _listed(self, array: str, place: Operand) -> Operand:
        code = self.code
        return code.convert(code.load("i16", code.offset(array, code.mul(place, 2)), "", 2), "i16", "i64")

    def _note(self, array: str, place: Operand, value: Operand) -> None:
        code = self.code
        code.store("i16", code.convert(value, "i64", "i16"), code.offset(array, code.mul(place, 2)), "", 2)
