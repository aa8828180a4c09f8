"""Expressions with a single value: numbers and tests. Calls of defines, for values of every sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS
from seaspec.backends.native.expressions.operators import NUMBERS, TRUTHS
from seaspec.backends.native.expressions.places import Places
from seaspec.backends.native.values.shapes import (
    NONE,
    Bound,
    Entries,
    Packed,
    Sequence,
    is_single,
    ordinals,
    packed,
    universe,
)
from seaspec.core import ir, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.types import Type
from seaspec.core.walk import walk

CHEAP = 10
"""Tests of at most so many nodes are worked out without looking whether they matter."""
REMEMBERED = 1 << 16
"""A recursive define remembers its values if it has at most so many arguments that change."""

_DEAR = (
    ir.Fold, ir.Select, ir.Collect, ir.PickOne, ir.Reach, ir.Ways, ir.Can, ir.Call, ir.Everywhere, ir.Switch
)  # fmt: skip


class Singles(Places):
    """The part of the writer for numbers and tests."""

    def cheap(self, expr: Expr) -> bool:
        """Whether it costs less to work a thing out than to look whether it matters."""
        if not self.facts.bold(expr):
            return False
        nodes = list(walk(expr))
        return len(nodes) <= CHEAP and not any(isinstance(node, _DEAR) for node in nodes)

    def number(self, expr: Expr) -> Operand:
        code = self.code
        match expr:
            case ir.Const(_, value):
                assert value is None or isinstance(value, int), value
                return NONE if value is None else int(value)
            case ir.Local(variable):
                return self.single(variable)
            case ir.Apply(_, op) if op in NUMBERS:
                return NUMBERS[op](self, expr)
            case ir.StateRead():
                return self.state_entry(expr)
            case ir.Lookup():
                return self.lookup(expr)
            case ir.WhereIs():
                return self.index_of(expr)
            case ir.If(_, test, then, otherwise) if not isinstance(expr.type, types.Bool):
                if self.cheap(then) and self.cheap(otherwise):
                    return code.select(self.truth(test), self.number(then), self.number(otherwise))
                holds = self.truth(test)
                return code.choose(holds, "i64", lambda: self.number(then), lambda: self.number(otherwise))
            case ir.Switch():
                return self.switch(expr, "i64", self.number)
            case ir.LetIn(variable, value, body):
                self.bind(variable, value)
                return self.number(body)
            case ir.Call() if not isinstance(expr.type, types.Bool):
                return self.call(expr, self.number)
            case ir.Fold() if not isinstance(expr.type, types.Bool):
                return self.fold(expr)
            case ir.PickOne():
                return self.pick_one(expr)
            case ir.Openly(inner):
                return self.number(inner)
            case _ if isinstance(expr.type, types.Bool):
                return code.convert(self.truth(expr), "i1", "i64")
            case (
                ir.PlaceRead() | ir.Everywhere() | ir.Apply() | ir.If() | ir.Call() | ir.Fold() | ir.Select()
                | ir.Collect() | ir.Reach() | ir.Ways() | ir.Can() | ir.Asked() | ir.Odds() | ir.Old()
            ):  # fmt: skip
                raise self.not_compiled(expr)
            case _:
                assert_never(expr)
        raise self.not_compiled(expr)

    def truth(self, expr: Expr) -> Operand:
        code = self.code
        match expr:
            case ir.Const(_, value):
                return int(bool(value))
            case ir.Apply(_, op) if op in TRUTHS:
                return TRUTHS[op](self, expr)
            case ir.Fold():
                return self.fold(expr)
            case ir.If(_, test, then, otherwise):
                if self.cheap(then) and self.cheap(otherwise):
                    return code.select(self.truth(test), self.truth(then), self.truth(otherwise), "i1")
                return code.choose(self.truth(test), "i1", lambda: self.truth(then), lambda: self.truth(otherwise))
            case ir.Call():
                return self.call(expr, self.truth)
            case ir.LetIn(variable, value, body):
                self.bind(variable, value)
                return self.truth(body)
            case ir.Can():
                return self.can(expr)
            case ir.Openly(inner):
                return self.truth(inner)
            case ir.Asked() | ir.Odds() | ir.Old():
                raise self.not_compiled(expr)
            case (
                ir.Local() | ir.StateRead() | ir.PlaceRead() | ir.Everywhere() | ir.WhereIs() | ir.Lookup()
                | ir.Apply() | ir.Switch() | ir.Select() | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Ways()
            ):  # fmt: skip
                return code.compare("ne", self.number(expr), 0)
            case _:
                assert_never(expr)

    def not_compiled(self, expr: Expr) -> NotCompiled:
        return NotCompiled(f"an expression of the sort {type(expr).__name__} and type {type(expr.type).__name__}")

    # --------------------------------------------------------------------------------------------- what is stored

    def state_entry(self, expr: ir.StateRead) -> Operand:
        """The entry of a state of single values."""
        field = self.layout.states[expr.state]
        if field.packed is None:
            raise self.not_compiled(expr)
        return self.load(self.state_pointer(expr), field.packed, self.unit.tag(f"state {expr.state}"))

    def state_pointer(self, expr: ir.StateRead | ir.Assign) -> str:
        """Where the entry of a state stands; that there is one is an obligation."""
        field = self.layout.states[expr.state]
        number, valid = self.instance(self.game.states[expr.state].index, expr.indices)
        self.require(valid, f"there is no such entry of {expr.state}")
        number = self.code.select(valid, number, 0)
        return self.at(self.code.add(self.code.mul(number, field.stride), field.offset))

    def table_entry(self, expr: ir.Lookup) -> Operand:
        """The number of an entry of a table; that there is one is an obligation."""
        table = self.unit.constants.tables[expr.table]
        params = [Variable(table.name, ty) for ty in table.index]
        number, valid = self.instance(params, expr.indices)
        if expr.table in self.game.tables:
            self.require(valid, f"{table.name} has no such entry")
        return self.code.select(valid, number, 0)

    def lookup(self, expr: ir.Lookup) -> Operand:
        table = self.unit.constants.tables[expr.table]
        number = self.table_entry(expr)
        line = straight(table)
        if line is not None:
            return self.code.add(self.code.mul(number, line[1]), line[0])
        array, form = self.unit.numbers(table.entries, table.type)
        return self.load(self.element(array, number, form), form)

    def index_of(self, expr: ir.WhereIs) -> Operand:
        """The index of the instance that a piece lies in."""
        code = self.code
        field = self.layout.places[expr.place]
        steps = code.sub(self.where_is(self.number(expr.piece)), field.slot)
        if not self.given(expr):
            inside = code.compare("ult", steps, field.count)
            self.require(inside, f"a piece in {expr.place} was expected, it lies elsewhere")
            steps = code.select(inside, steps, 0)
        after = 1
        for part in field.index[expr.position + 1 :]:
            after *= part.size
        size = field.index[expr.position].size
        number = code.binary("sdiv", steps, after)
        if expr.position:
            number = code.binary("srem", number, size)
        form = field.index[expr.position]
        if form.table is None and not form.optional:
            return code.add(number, form.first)
        values = list(types.values(self.game.places[expr.place].index[expr.position].type))
        array, entry = self.unit.numbers(values, expr.type)
        return self.load(self.element(array, number, entry), entry)

    # ----------------------------------------------------------------------------------------------------- choice

    def switch(self, expr: ir.Switch, ty: str, write: Callable[[Expr], Operand]) -> Operand:
        code = self.code
        subject = self.number(expr.subject)
        result, end = code.slot(ty), code.label("end")
        labels = [code.label("case") for _ in expr.cases]
        pairs = [
            (NONE if value is None else int(value), label)  # type: ignore[call-overload]
            for (values, _), label in zip(expr.cases, labels, strict=True)
            for value in values
        ]
        last = labels[-1]
        code.switch(subject, last, [pair for pair in pairs if pair[1] != last])
        for (_, body), label in zip(expr.cases, labels, strict=True):
            code.place(label)
            code.store(ty, write(body), result)
            code.jump(end)
        code.place(end)
        return code.load(ty, result)

    # ------------------------------------------------------------------------------------------------------ calls

    def call(self, expr: ir.Call, write: Callable[[Expr], Operand]) -> Operand:
        """A call of a define: of a function, or, where values of its sort can not be passed, its body."""
        function = self.game.functions[expr.function]
        if not _has_one_result(function.type):
            return write(self.opened(expr))
        arguments: list[tuple[str, Operand]] = []
        changing = changing_params(function)
        remembers = _remembers(function, changing)
        if remembers:
            arguments.append(("i64", self._stamp(function)))
        for param, argument in zip(function.params, expr.arguments, strict=True):
            arguments.extend(self.passed(param, argument))
        key = ("define", function.name)
        ty = self.result_type(function.type)
        return self.invoke(ty, key, function.name, lambda name: self._define(name, function, remembers), arguments)

    def opened(self, expr: ir.Call) -> Expr:
        """The body of a define, its parameters bound to the arguments."""
        function = self.game.functions[expr.function]
        values = [self.value_as(a, p.type) for a, p in zip(expr.arguments, function.params, strict=True)]
        self.env.update(zip(function.params, values, strict=True))
        return self.unit.constants.simplify(function.body)

    def result_type(self, ty: Type) -> str:
        match ty:
            case types.Bool():
                return "i1"
            case types.SetOf(of):
                return universe(of, self.game).ty
            case (
                types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.Optional()
                | types.Map() | types.Never() | types.Fraction()
            ):  # fmt: skip
                return "i64"
            case _:
                assert_never(ty)

    def passed(self, param: Variable, argument: Expr) -> list[tuple[str, Operand]]:
        """How an argument is passed."""
        value = self.value_as(argument, param.type)
        match value:
            case Sequence():
                value = self._in_plain_form(value, param.type)
                return [("ptr", value.pointer), ("i64", value.length)]
            case Entries():
                return [("ptr", value.pointer)]
            case int() | str():
                return [(self.param_type(param), value)]
            case _:
                raise NotCompiled(f"a set of sets for the parameter {param.name}")

    def _in_plain_form(self, value: Sequence, ty: Type) -> Sequence:
        assert isinstance(ty, types.SetOf)
        if value.packed == packed(ty.of):
            return value
        buffer = self.buffer(ty.of)
        self.copy(value, buffer)
        return Sequence(buffer.pointer, value.length, buffer.packed)

    def param_type(self, param: Variable) -> str:
        return self.result_type(param.type) if isinstance(param.type, types.SetOf) else "i64"

    def received(self, params: tuple[Variable, ...]) -> tuple[list[tuple[str, str]], dict[Variable, Bound]]:
        """The parameters of a function as it is written, and what each variable stands for."""
        written: list[tuple[str, str]] = []
        env: dict[Variable, Bound] = {}
        for number, param in enumerate(params):
            name = f"%a{number}"
            match param.type:
                case types.SetOf(of, True) if is_single(of):
                    written += [("ptr", name), ("i64", f"{name}n")]
                    env[param] = Sequence(name, f"{name}n", packed(of))
                case types.Map(_, held):
                    written.append(("ptr", name))
                    env[param] = Entries(name, map_form(held))
                case (
                    types.SetOf() | types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders()
                    | types.Pieces() | types.Optional() | types.Never() | types.Fraction()
                ):  # fmt: skip
                    written.append((self.param_type(param), name))
                    env[param] = name
                case _:
                    assert_never(param.type)
        return written, env

    def _define(self, name: str, function: ir.Function, remembers: bool) -> Code:
        written, env = self.received(function.params)
        stamp = [("i64", "%stamp")] if remembers else []
        code = Code(name, self.result_type(function.type), [*FRAME_PARAMS, *stamp, *written])
        writer = self.another(code)
        writer.env.update(env)
        body = self.unit.constants.simplify(function.body)
        assert isinstance(writer, Singles)
        if remembers:
            writer.write_remembering(function, body)
        else:
            code.give(writer.result(body))
        return code

    def result(self, expr: Expr) -> Operand:
        """The value of an expression as functions give it back."""
        match expr.type:
            case types.Bool():
                return self.truth(expr)
            case types.SetOf():
                return self.mask(expr)
            case (
                types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.Optional()
                | types.Map() | types.Never() | types.Fraction()
            ):  # fmt: skip
                return self.number(expr)
            case _:
                assert_never(expr.type)

    # ---------------------------------------------------------------------------------------- what is remembered

    def _stamp(self, function: ir.Function) -> Operand:
        """What marks the values remembered for this outermost call."""
        if ("stamp", function.name) in self.inside:
            return "%stamp"
        code = self.code
        pointer = code.offset(CONTEXT, self.unit.context.STAMP)
        stamp = code.add(code.load("i64", pointer), 1)
        code.store("i64", stamp, pointer)
        return stamp

    @property
    def inside(self) -> set[tuple[str, str]]:
        """The recursive define that this function is, if any."""
        return getattr(self, "_inside", set())

    def write_remembering(self, function: ir.Function, body: Expr) -> None:
        """A recursive define: what it gave for the same arguments within one outermost call is remembered."""
        code = self.code
        self._inside = {("stamp", function.name)}
        changing = changing_params(function)
        count = 1
        number: Operand = 0
        for param in changing:
            form = ordinals(param.type)
            number = code.add(code.mul(number, form.size), self.ordinal(self.single(param), param.type, param.type)[0])
            count *= form.size
        memory = self.memory(f"remembered {function.name}", count * 16)
        entry = code.offset(memory, code.mul(number, 16))
        known, new = code.label("known"), code.label("new")
        stored = code.load("i64", entry)
        value = code.offset(entry, 8)
        code.branch(code.compare("eq", stored, "%stamp"), known, new)
        ty = self.result_type(function.type)
        code.place(known)
        code.give(code.convert(code.load("i64", value), "i64", ty))
        code.place(new)
        failed = code.label("failed")
        go = code.label("go")
        code.branch(self.failed(), failed, go)
        code.place(failed)
        code.give(0)
        code.place(go)
        found = self.result(body)
        code.store("i64", "%stamp", entry)
        code.store("i64", code.convert(found, ty, "i64"), value)
        code.give(found)


def map_form(values: Type) -> Packed:
    return packed(values, zero=True)


def changing_params(function: ir.Function) -> list[Variable]:
    """The parameters of a recursive define that its calls of itself do not just pass on."""
    if function.shrinking is None:
        return []
    calls = [n for n in walk(function.body) if isinstance(n, ir.Call) and n.function == function.name]
    return [
        param
        for position, param in enumerate(function.params)
        if any(call.arguments[position] != ir.Local(param) for call in calls)
    ]


def _remembers(function: ir.Function, changing: list[Variable]) -> bool:
    if function.shrinking is None or isinstance(function.type, types.SetOf):
        return False
    count = 1
    for param in changing:
        if not is_single(param.type):
            return False
        count *= ordinals(param.type).size
    return count <= REMEMBERED


def _has_one_result(ty: Type) -> bool:
    return is_single(ty) or (isinstance(ty, types.SetOf) and not ty.ordered and is_single(ty.of))


def straight(table: ir.Table) -> tuple[int, int] | None:
    """First entry and step of a table whose entries rise evenly over all its indices."""
    entries = table.entries
    if len(entries) < 2 or not all(isinstance(value, int) for value in entries):
        return (int(entries[0]), 0) if len(entries) == 1 and isinstance(entries[0], int) else None
    numbers = [int(value) for value in entries]  # type: ignore[call-overload]
    step = numbers[1] - numbers[0]
    if all(value == numbers[0] + step * number for number, value in enumerate(numbers)):
        return numbers[0], step
    return None
