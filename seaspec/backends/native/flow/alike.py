"""Identical pieces: of one kind, in one place, carrying the same, and nothing points at one of them alone.

They are one option and one outcome. At a node only the variables that are live there can point at a piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Listed

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import FRAME_PARAMS
from seaspec.backends.native.flow.moves import Moves
from seaspec.backends.native.values.layout import Kind
from seaspec.backends.native.values.shapes import NONE, Entries, Packed, Sequence, is_single, ordinals
from seaspec.backends.native.values.twins import Twins
from seaspec.core import ir, types
from seaspec.core.ir import Variable
from seaspec.core.types import Type
from seaspec.core.walk import Node

FEW = 3
"""So many classes are handled one by one."""


class Alike(Moves):
    """The part of the writer that tells identical pieces. `live`: the variables that may point at pieces."""

    live: tuple[Variable, ...] = ()

    @property
    def twins(self) -> Twins:
        return self.unit.twins

    def one_of_each(self, pieces: Operand, ty: Type, chosen: Listed[Operand], together: bool) -> Operand:
        """One of each sort of identical pieces in a set. Those `chosen` before stand for themselves. `together`: all
        lie in one place without order."""
        code = self.code
        inner = ty.of if isinstance(ty, types.Optional) else ty
        classes = self.twins.of_type(inner)
        if not classes:
            return pieces
        apart: Operand = 0
        for piece in chosen:
            known = code.compare("ult", piece, self.layout.pieces)
            bit = code.bit(code.select(known, piece, 0), self.pieces_ty)
            apart = code.binary("or", apart, code.select(known, bit, 0, self.pieces_ty), self.pieces_ty)
        common = self.layout.all_pieces.mask(sorted(piece for members in classes for piece in members))
        mine = code.binary("and", pieces, common, self.pieces_ty)
        mine = code.binary("and", mine, code.complement(apart, self.pieces_ty), self.pieces_ty)
        others = code.binary("xor", pieces, mine, self.pieces_ty)
        if not together or any(map(self._told_apart, classes)):
            firsts = self._sorted_out("firsts", mine)
        elif len(classes) > FEW:
            firsts = self._sorted_out("firsts_together", mine)
        else:
            firsts = 0
            for members in classes:
                of_class = code.binary("and", mine, self.layout.all_pieces.mask(members), self.pieces_ty)
                first = code.binary("and", of_class, code.binary("sub", 0, of_class, self.pieces_ty), self.pieces_ty)
                firsts = code.binary("or", firsts, first, self.pieces_ty)
        return code.binary("or", others, firsts, self.pieces_ty)

    def _sorted_out(self, how: str, pieces: Operand) -> Operand:
        """The first of each sort among pieces that are not alone of their kind."""
        ty = self.pieces_ty
        return self.invoke(ty, (how, self.live), how, lambda name: self._write_firsts(name, how), [(ty, pieces)])

    def _write_firsts(self, name: str, how: str) -> Code:
        code = Code(name, self.pieces_ty, [*FRAME_PARAMS, (self.pieces_ty, "%pieces")])
        writer = self.another(code)
        assert isinstance(writer, Alike)
        writer.live = self.live
        writer.write_firsts_body(how == "firsts_together")
        return code

    def write_firsts_body(self, together: bool) -> None:
        code, ty = self.code, self.pieces_ty
        found, rest = code.slot(ty), code.slot(ty)
        code.store(ty, 0, found)
        code.store(ty, "%pieces", rest)
        head, body, done = code.label("head"), code.label("body"), code.label("done")
        code.place(head)
        left = code.load(ty, rest)
        code.branch(code.compare("ne", left, 0, ty), body, done)
        code.place(body)
        piece = code.lowest(left, ty)
        same = self._of_its_class(piece, left) if together else self.like(piece, left)
        both = code.binary("or", code.load(ty, found), code.bit(piece, ty), ty)
        code.store(ty, both, found)
        code.store(ty, code.binary("and", left, code.complement(same, ty), ty), rest)
        code.jump(head)
        code.place(done)
        code.give(code.load(ty, found))

    def _of_its_class(self, piece: Operand, among: Operand) -> Operand:
        """The pieces of a set that are of one kind with a piece."""
        form = self.layout.all_pieces
        class_of = {piece: members for members in self.twins.classes for piece in members}
        sets = [form.mask(class_of.get(number, (number,))) for number in range(self.layout.pieces)]
        return self.code.binary("and", among, self.mask_at(self.unit.masks(sets, form), piece, form), form.ty)

    def like(self, piece: Operand, among: Operand) -> Operand:
        """The pieces of a set that are identical to a piece, itself among them."""
        ty = self.pieces_ty
        return self.invoke(ty, ("like", self.live), "like", self._write_like, [("i64", piece), (ty, among)])

    def _write_like(self, name: str) -> Code:
        code = Code(name, self.pieces_ty, [*FRAME_PARAMS, ("i64", "%piece"), (self.pieces_ty, "%among")])
        writer = self.another(code)
        assert isinstance(writer, Alike)
        writer.live = self.live
        writer.write_like_body()
        return code

    def write_like_body(self) -> None:
        code, ty = self.code, self.pieces_ty
        found = code.slot(ty)
        code.store(ty, code.bit("%piece", ty), found)
        with code.bits(self._of_its_class("%piece", "%among"), ty) as loop, code.when(self.alike("%piece", loop.value)):
            before = code.load(ty, found)
            code.store(ty, code.binary("or", before, code.bit(loop.value, ty), ty), found)
        code.give(code.load(ty, found))

    def alike(self, a: Operand, b: Operand) -> Operand:
        """Whether two pieces are identical (or the same)."""
        key = ("alike", self.live)
        return self.invoke("i1", key, "alike", self._write_alike, [("i64", a), ("i64", b)])

    def _write_alike(self, name: str) -> Code:
        code = Code(name, "i1", [*FRAME_PARAMS, ("i64", "%a"), ("i64", "%b")])
        writer = self.another(code)
        assert isinstance(writer, Alike)
        writer.live = self.live
        writer.write_alike_body()
        return code

    def write_alike_body(self) -> None:
        code = self.code
        twin_of = [piece.twin + 1 if piece.id in self.twins.common else 0 for piece in self.game.pieces]
        same, other, no = code.label("same"), code.label("other"), code.label("no")
        code.branch(code.compare("eq", "%a", "%b"), same, other)
        code.place(same)
        code.give(1)
        code.place(other)

        def need(test: Operand) -> None:
            onward = code.label("so_far")
            code.branch(test, onward, no)
            code.place(onward)

        twins = self.unit.array([*twin_of, 0], 32)
        first, second = (code.load("i32", code.offset(twins, code.mul(piece, 4)), "", 4) for piece in ("%a", "%b"))
        need(code.both(code.compare("eq", first, second, "i32"), code.compare("ne", first, 0, "i32")))
        slot = self.where_is("%a")
        need(code.compare("eq", slot, self.where_is("%b")))
        self._need_same_spot(slot, need)
        for state in self.twins.carried:
            self._need_same_carried(state, need)
        for holder, value in self._holders():
            self._need_same_mention(holder, value, need)
        code.give(1)
        code.place(no)
        code.give(0)

    def _need_same_spot(self, slot: Operand, need: object) -> None:
        """In a row no two pieces are alike; in a pile those of one layer are."""
        assert callable(need)
        code = self.code
        for field in self.layout.places.values():
            if field.kind is Kind.ROWS:
                need(code.compare("uge", code.sub(slot, field.slot), field.count))
        if any(field.kind is Kind.PILES for field in self.layout.places.values()):
            form = Packed(0, self.layout.order_bits, False)
            layers = [self.load(self.element(self.at(self.layout.order), p, form), form) for p in ("%a", "%b")]
            need(code.compare("eq", layers[0], layers[1]))

    def _need_same_carried(self, state: ir.State, need: object) -> None:
        assert callable(need)
        code = self.code
        field = self.layout.states[state.name]
        index = state.index[0].type
        numbers = [self.ordinal(piece, types.Int(-1, -1), index) for piece in ("%a", "%b")]
        inside = code.both(numbers[0][1], numbers[1][1])
        if field.packed is None:
            raise NotCompiled(f"the state {state.name}, a set that pieces carry with them", state.source.span)
        entries = [
            self.load(
                self.at(code.add(code.mul(code.select(inside, number, 0), field.stride), field.offset)),
                field.packed,
                self.unit.tag(f"state {state.name}"),
            )
            for number, _ in numbers
        ]
        need(code.either(code.complement(inside), code.compare("eq", entries[0], entries[1])))

    def _holders(self) -> Iterable[tuple[Type, object]]:
        """What may point at one of several identical pieces: states and live variables, with their values."""
        for state in self.game.states.values():
            if self.twins.common & types.pieces_in(state.type):
                if state.index:
                    raise NotCompiled(f"identical pieces in the entries of {state.name}", state.source.span)
                read = ir.StateRead(state.type, state.name, ())
                yield state.type, self.number(read) if is_single(state.type) else self.mask(read)
        for variable in self.live:
            if self.twins.common & types.pieces_in(variable.type) and variable in self.layout.frame:
                field, pointer, tag = self.frame_field(variable)
                if is_single(variable.type):
                    yield variable.type, self.load(pointer, field.packed, tag)
                else:
                    yield variable.type, self.local(variable)

    def _need_same_mention(self, ty: Type, value: object, need: object) -> None:
        assert callable(need)
        code = self.code
        match ty, value:
            case types.SetOf(_, False), int() | str():
                mask = value
                has = [code.has_bit(mask, piece, self.pieces_ty) for piece in ("%a", "%b")]
                need(code.compare("eq", has[0], has[1], "i1"))
            case types.SetOf(), Sequence():
                with code.count_up(0, value.length) as loop:
                    found = self.load(self.element(value.pointer, loop.value, value.packed), value.packed, value.tag)
                    self._need_neither(found, need)
            case types.Map(keys, values), Entries():
                if types.pieces_in(keys):
                    entries = []
                    for piece in ("%a", "%b"):
                        number, valid = self.ordinal(piece, types.Int(-1, -1), keys)
                        pointer = self.element(value.pointer, code.select(valid, number, 0), value.packed)
                        found = self.load(pointer, value.packed, value.tag)
                        entries.append(code.select(valid, found, 0))
                    none = [code.either(code.compare("eq", e, 0), code.compare("eq", e, NONE)) for e in entries]
                    both_none = code.both(none[0], none[1])
                    need(code.either(code.compare("eq", entries[0], entries[1]), both_none))
                if types.pieces_in(values):
                    with code.count_up(0, ordinals(keys).size) as loop:
                        found = self.load(
                            self.element(value.pointer, loop.value, value.packed), value.packed, value.tag
                        )
                        self._need_neither(found, need)
            case _, int() | str():
                self._need_neither(value, need)
            case _:  # cautious: what is not known to be compared is not explored
                raise NotCompiled("exploring with identical pieces in such a variable")

    def _need_neither(self, value: Operand, need: object) -> None:
        assert callable(need)
        code = self.code
        hit = code.either(code.compare("eq", value, "%a"), code.compare("eq", value, "%b"))
        need(code.complement(hit))

    def _told_apart(self, members: tuple[int, ...]) -> bool:
        """Whether pieces of a class in one place may differ at all here."""
        some = frozenset(members)
        if any(some & types.pieces_in(state.index[0].type) for state in self.twins.carried):
            return True
        if any(some & types.pieces_in(state.type) for state in self.game.states.values()):
            return True
        return any(some & types.pieces_in(variable.type) for variable in self.live)

    def in_one_place(self, expr: Node) -> bool:
        """Whether all members of a set of pieces lie in one instance of a place without order."""
        match expr:
            case ir.PlaceRead(_, place):
                return self.layout.places[place].kind not in (Kind.ROWS, Kind.PILES)
            case ir.Select(_, binder):
                return self.in_one_place(binder.domain)
            case ir.Apply(_, op, (first, _)) if op.name == "DIFFERENCE":
                return self.in_one_place(first)
            case ir.Call(_, function):
                return self.in_one_place(self.unit.constants.simplify(self.game.functions[function].body))
            case _:  # cautious: not known to lie in one place
                return False
