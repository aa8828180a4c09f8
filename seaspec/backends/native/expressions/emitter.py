"""The base of what writes functions: memory of the state, variables, errors, and what the parts of the writer offer.

`Emitter` is made of parts, one a file: places, singles (numbers and tests), sets, folds, lanes. Each part calls the
others by the methods declared here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Listed
from contextlib import contextmanager
from enum import Enum
from typing import assert_never

from seaspec.backends.native.assembly import Code, Loop, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.values.layout import FrameField, FrameKind, Layout
from seaspec.backends.native.values.shapes import (
    NONE,
    Bound,
    Entries,
    Member,
    Ordinals,
    Packed,
    Sequence,
    Universe,
    is_single,
    ordinals,
    packed,
    universe,
)
from seaspec.backends.native.values.unit import Unit
from seaspec.core import ir, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.types import Type

STATE, CONTEXT = "%s", "%c"
FRAME_PARAMS = (("ptr", STATE), ("ptr", CONTEXT))
"""The first parameters of every function: the state, and the memory of the thread."""

TRACE, MOST_TRACED = "trace", 4096
"""Memory of what happened: how much, then four words of each."""


class Happening(Enum):
    """What is noted: a piece goes from one slot to another; other steps that people are told of; a seat drops out. Of
    the rest: shown/telling.py."""

    MOVED = 1
    SAID = 2
    SHOWN = 3
    VEILED = 4
    UNVEILED = 5
    OUT = 6
    WATCHED = 7
    LAID = 8
    VALUE = 9


Each = Callable[[Bound, Loop], None]
"""The body of a loop over the members of a set."""


class Base:
    """Writes one function."""

    def __init__(self, unit: Unit, code: Code) -> None:
        self.unit = unit
        self.code = code
        self.game = unit.game
        self.layout: Layout = unit.layout
        self.facts = unit.facts
        self.env: dict[Variable, Bound] = {}
        self.state = STATE
        """The state that is read: the parameter, but where promises ask for the one before."""
        self.registers: dict[Variable, tuple[FrameField, str]] = {}
        """Variables of the frame that are not in the state, and the memory of the function that they are in."""

    # ------------------------------------------------------------------------------------- what the parts offer

    @abstractmethod
    def number(self, expr: Expr) -> Operand:
        """The value of an expression of a single type, as i64."""

    @abstractmethod
    def truth(self, expr: Expr) -> Operand:
        """The value of a yes or no, as i1."""

    @abstractmethod
    def mask(self, expr: Expr) -> Operand:
        """A set, in the universe of its type."""

    @abstractmethod
    def sequence(self, expr: Expr) -> Sequence:
        """An ordered set in memory."""

    @abstractmethod
    def entries(self, expr: Expr) -> Entries:
        """A map in memory."""

    @abstractmethod
    def each(self, expr: Expr, body: Each) -> None:
        """A loop over the members of a domain (a set, or a single value or none), in their order."""

    @abstractmethod
    def fold(self, expr: ir.Fold) -> Operand:
        """i64; of `every` and `some` i1."""

    @abstractmethod
    def cheap(self, expr: Expr) -> bool:
        """Whether working an expression out is a matter of a few instructions and never fails."""

    @abstractmethod
    def pick_one(self, expr: ir.PickOne) -> Operand: ...

    @abstractmethod
    def where(self, test: Expr, variable: Variable, active: Operand) -> Operand:
        """Those of a set for which a test over the variable holds; it is judged for no others."""

    @abstractmethod
    def lane(self, test: Expr, variable: Variable, active: Operand) -> Operand | None:
        """The same without a loop over the members; None if that can not be said."""

    @abstractmethod
    def state_pointer(self, expr: ir.StateRead | ir.Assign) -> str:
        """Where the entry of a state stands; that there is one is an obligation."""

    @abstractmethod
    def table_entry(self, expr: ir.Lookup) -> Operand:
        """The number of an entry of a table of constants."""

    @abstractmethod
    def mask_at(self, array: str, number: Operand, form: Universe) -> Operand:
        """An entry of a constant array of sets."""

    @abstractmethod
    def contents(self, place: str, indices: Listed[Expr]) -> Operand:
        """The pieces in an instance of a place, as a set of pieces; outside its index, empty."""

    @abstractmethod
    def can(self, expr: ir.Can) -> Operand: ...

    @abstractmethod
    def another(self, code: Code) -> Base:
        """A writer of the same sort for another function."""

    def invoke(
        self, ty: str, key: object, hint: str, write: Callable[[str], Code], arguments: Listed[tuple[str, Operand]]
    ) -> str:
        """Call a function of this game, which is written when it is first called."""
        name = self.unit.function(key, hint, write)
        self.code.fails = self.code.fails or self.unit.may_fail(name)
        return self.code.call(ty, name, [("ptr", self.state), ("ptr", CONTEXT), *arguments])

    def given(self, expr: Expr) -> bool:
        """Whether an expression has a value here, as far as is known."""
        return self.facts.given(expr) if self.state == STATE else self.facts.total(expr)

    def harmless(self, expr: Expr) -> bool:
        """Whether it may be worked out even if it is not asked for."""
        return self.facts.bold(expr) or (self.given(expr) and self.facts.finds_memory(expr))

    # ---------------------------------------------------------------------------------------------------- memory

    def load(self, pointer: str, form: Packed, tag: str = "") -> Operand:
        """A single value from memory."""
        stored = self.code.convert(self.code.load(form.ty, pointer, tag, form.size), form.ty, "i64")
        value = self.code.sub(stored, form.shift)
        return self.code.select(self.code.compare("eq", stored, 0), NONE, value) if form.optional else value

    def store(self, value: Operand, pointer: str, form: Packed, tag: str = "") -> None:
        self.code.store(form.ty, self.encoded(value, form), pointer, tag, form.size)

    def encoded(self, value: Operand, form: Packed) -> Operand:
        """A value as it is stored."""
        if isinstance(value, int):
            plain = 0 if form.optional and value == NONE else value + form.shift
            return self.code.convert(plain, "i64", form.ty)
        stored = self.code.add(value, form.shift)
        if form.optional:
            stored = self.code.select(self.code.compare("eq", value, NONE), 0, stored)
        return self.code.convert(stored, "i64", form.ty)

    def element(self, pointer: str, number: Operand, form: Packed) -> str:
        """Where the entry with a number stands, from 0."""
        return self.code.offset(pointer, self.code.mul(number, form.size))

    def at(self, offset: Operand) -> str:
        """A place in the state."""
        return self.code.offset(self.state, offset)

    def memory(self, name: str, size: int) -> str:
        """Memory of the thread."""
        return self.code.offset(CONTEXT, self.unit.context.part(name, size))

    def load_mask(self, pointer: str, bits: int, target: str, tag: str, shift: int = 0) -> Operand:
        """A set from memory, as a wider type, moved up by some bits."""
        align = 8 if bits >= 64 else bits // 8
        mask = self.code.convert(self.code.load(f"i{bits}", pointer, tag, align), f"i{bits}", target)
        return self.code.binary("shl", mask, shift, target) if shift else mask

    def trace(self, happening: Happening, *values: Operand) -> None:
        """Note that something happens, if this is wanted."""
        if not self.unit.traces:
            return
        code = self.code
        base = self.memory(TRACE, 8 + 32 * MOST_TRACED)
        count = code.load("i64", base)
        entry = code.offset(
            base, code.add(code.mul(code.select(code.compare("ult", count, MOST_TRACED), count, 0), 32), 8)
        )
        for place, value in enumerate((happening.value, *values)):
            code.store("i64", value, code.offset(entry, 8 * place))
        code.store("i64", code.add(count, 1), base)

    # ---------------------------------------------------------------------------------------------------- errors

    def require(self, holds: Operand, message: str) -> None:
        """An obligation."""
        if holds == 1:
            return
        with self.code.when(self.code.complement(holds)):
            self.fail(message)

    def fail(self, message: str) -> None:
        self.code.fails = True
        self.code.call("void", "fail", [("ptr", CONTEXT), ("i64", self.unit.message(message))])

    def failed(self) -> Operand:
        """Whether something has gone wrong."""
        error = self.code.load("i64", CONTEXT, self.unit.tag("error"))
        return self.code.compare("ne", error, 0)

    # ------------------------------------------------------------------------------------------------- universes

    def universe(self, ty: Type) -> Universe:
        """Of a set type, or of a domain of at most one."""
        assert isinstance(ty, types.SetOf | types.Optional), ty
        return universe(ty.of, self.game)

    def of_variable(self, variable: Variable) -> Universe:
        return universe(variable.type, self.game)

    def adapt(self, mask: Operand, source: Universe, target: Universe) -> Operand:
        """A set in another universe; what is not in it falls away."""
        if source == target or mask == 0:
            return mask
        code = self.code
        if source.optional and not target.optional:
            mask = code.binary("and", mask, -2, source.ty)
        steps = target.shift - source.shift
        wide = max(source.ty, target.ty, key=lambda ty: int(ty[1:]))
        mask = code.convert(mask, source.ty, wide)
        if steps:
            mask = code.binary("shl" if steps > 0 else "lshr", mask, abs(steps), wide)
        if source.optional and target.optional and steps:
            raise NotCompiled("sets of optional numbers of different types")
        return code.convert(mask, wide, target.ty)

    def mask_in(self, expr: Expr, target: Universe) -> Operand:
        """A set in a universe; of a single value or none, the set of at most one."""
        if is_single(expr.type):
            return self.singleton(self.number(expr), target, isinstance(expr.type, types.Optional))
        return self.adapt(self.mask(expr), self.universe(expr.type), target)

    def singleton(self, value: Operand, among: Universe, optional: bool) -> Operand:
        """The set of one value, which lies in the universe; of none the empty set."""
        bit = self.code.bit(self.code.add(value, among.shift), among.ty)
        return self.code.select(self.code.compare("eq", value, NONE), 0, bit, among.ty) if optional else bit

    def member_value(self, position: Operand, among: Universe) -> Operand:
        """The value that a bit stands for."""
        value = self.code.sub(position, among.shift)
        return self.code.select(self.code.compare("eq", position, 0), NONE, value) if among.optional else value

    # -------------------------------------------------------------------------------------------------- indices

    def ordinal(self, value: Operand, given: Type, index: Type) -> tuple[Operand, Operand]:
        """The number of a value in an index type, and whether it lies in it."""
        form = ordinals(index)
        steps = self.code.sub(value, form.first)
        valid: Operand = 1
        if types.lies_within(given, index):
            number = self._known_ordinal(steps, form)
            none = isinstance(given, types.Optional)
        else:
            number, valid = self._tested_ordinal(steps, form)
            none = True
        if not form.optional:
            return number, valid
        number = self.code.add(number, 1)
        if not none:
            return number, valid
        is_none = self.code.compare("eq", value, NONE)
        return self.code.select(is_none, 0, number), self.code.either(valid, is_none)

    def _known_ordinal(self, steps: Operand, form: Ordinals) -> Operand:
        if form.table is None:
            return steps
        return self.load(*self._ordinal_entry(steps, form))

    def _tested_ordinal(self, steps: Operand, form: Ordinals) -> tuple[Operand, Operand]:
        size = form.size - form.optional if form.table is None else len(form.table)
        inside = self.code.compare("ult", steps, size)
        if form.table is None:
            return steps, inside
        found = self.load(*self._ordinal_entry(self.code.select(inside, steps, 0), form))
        return found, self.code.both(inside, self.code.compare("ne", found, -1))

    def _ordinal_entry(self, steps: Operand, form: Ordinals) -> tuple[str, Packed]:
        assert form.table is not None
        array, entry = self.unit.numbers(form.table, types.Int(-1, form.size))
        return self.element(array, steps, entry), entry

    def instance(self, index: Listed[Variable], exprs: Listed[Expr]) -> tuple[Operand, Operand]:
        """The number of an instance or entry by its indices, and whether there is one."""
        number: Operand = 0
        valid: Operand = 1
        for variable, expr in zip(index, exprs, strict=True):
            part, inside = self.ordinal(self.number(expr), expr.type, variable.type)
            number = self.code.add(self.code.mul(number, ordinals(variable.type).size), part)
            valid = self.code.both(valid, inside)
        return number, valid

    # ------------------------------------------------------------------------------------------------- variables

    def bind(self, variable: Variable, expr: Expr) -> None:
        """A variable stands for the value of an expression."""
        self.env[variable] = self.value_as(expr, variable.type)

    def value_as(self, expr: Expr, ty: Type) -> Bound:
        """The value of an expression, represented as values of a type are."""
        match ty:
            case types.SetOf(of, False):
                return self.mask_in(expr, universe(of, self.game))
            case types.SetOf():
                return self.sequence(expr)
            case types.Map():
                return self.entries(expr)
            case (
                types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
                | types.Optional() | types.Never() | types.Fraction()
            ):  # fmt: skip
                return self.number(expr)
            case _:
                assert_never(ty)

    @contextmanager
    def binding(self, variable: Variable, value: Bound) -> Iterator[None]:
        """A variable stands for something while this is written."""
        before = self.env.get(variable)
        self.env[variable] = value
        yield
        if before is None:
            del self.env[variable]
        else:
            self.env[variable] = before

    def frame_field(self, variable: Variable) -> tuple[FrameField, str, str]:
        """A variable of the frame: its form, where it is, the tag of its memory."""
        if variable in self.registers:
            field, pointer = self.registers[variable]
            return field, pointer, ""
        field = self.layout.frame[variable]
        return field, self.at(field.offset), self.unit.tag(f"frame {field.offset}")

    def local(self, variable: Variable) -> Bound:
        """What a variable stands for."""
        if variable in self.env:
            return self.env[variable]
        field, pointer, tag = self.frame_field(variable)
        match field.kind:
            case FrameKind.SINGLE:
                form = field.packed
                if not isinstance(variable.type, types.Optional):  # it is set before it is read
                    form = Packed(form.low - 1, form.bits, False)
                return self.load(pointer, form, tag)
            case FrameKind.SET:
                return self.code.load(f"i{field.most}", self.code.offset(pointer, 8), tag, 8)
            case FrameKind.SEQUENCE:
                stored = self.code.convert(self.code.load("i16", pointer, tag, 2), "i16", "i64")
                return Sequence(self.code.offset(pointer, 8), self.code.sub(stored, 1), field.packed, tag)
            case FrameKind.MAP:
                return Entries(self.code.offset(pointer, 8), field.packed, tag)

    def single(self, variable: Variable) -> Operand:
        value = self.local(variable)
        assert isinstance(value, int | str), variable
        return value

    def set_local(self, variable: Variable, value: Bound) -> None:
        """A variable of the frame gets a value."""
        field, pointer, tag = self.frame_field(variable)
        code = self.code
        match value:
            case Sequence():
                code.line(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {field.size}, i1 false){tag}")
                self.copy(value, Sequence(code.offset(pointer, 8), 0, field.packed, tag))
                stored = code.convert(code.add(value.length, 1), "i64", "i16")
                code.store("i16", stored, pointer, tag, 2)
            case Entries():
                with code.count_up(0, field.most) as loop:
                    entry = self.load(self.element(value.pointer, loop.value, value.packed), value.packed, value.tag)
                    self.store(
                        entry, self.element(code.offset(pointer, 8), loop.value, field.packed), field.packed, tag
                    )
                code.store("i8", 1, pointer, tag)
            case Member():
                raise NotCompiled(f"a set of sets in the variable {variable.name}")
            case _ if field.kind is FrameKind.SET:
                code.store(f"i{field.most}", value, code.offset(pointer, 8), tag, 8)
                code.store("i8", 1, pointer, tag)
            case _:
                self.store(value, pointer, field.packed, tag)

    def clear_local(self, variable: Variable) -> None:
        """A variable of the frame has no value."""
        field, pointer, tag = self.frame_field(variable)
        code = self.code
        match field.kind:
            case FrameKind.SINGLE:
                code.store(field.packed.ty, 0, pointer, tag, field.packed.size)
            case FrameKind.SET:
                code.store("i8", 0, pointer, tag)
                code.store(f"i{field.most}", 0, code.offset(pointer, 8), tag, 8)
            case FrameKind.SEQUENCE | FrameKind.MAP:
                code.line(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {field.size}, i1 false){tag}")

    def copy(self, source: Sequence, target: Sequence) -> None:
        """The members of a sequence, into other memory."""
        with self.code.count_up(0, source.length) as loop:
            value = self.load(self.element(source.pointer, loop.value, source.packed), source.packed, source.tag)
            self.store(value, self.element(target.pointer, loop.value, target.packed), target.packed, target.tag)

    def buffer(self, of: Type) -> Sequence:
        """Memory of the function for an ordered set; the length stands in a slot of its own."""
        form = packed(of)
        return Sequence(self.code.slot(form.ty, universe(of, self.game).width + 1), self.code.slot("i64"), form)
