"""Operators of mutation over a syntax tree: what could be wrong with a line, one thing at a time.

What is changed: comparisons, `and` and `or`, conditions, numbers, flags, sums, what is returned, elements of sets,
alternatives of a pattern, arguments, slices, `min` and `max`; or a statement is left out. Texts, annotations, what is
raised and asserted stay as they are; `strict=True` asserts that lists are of one length. What is done when a module is
loaded is not looked at: its tables and limits are data, and what reads them is looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from plant.probes import Function, Place, functions, place_of, statements

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OTHER_SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
}  # fmt: skip
OTHER_NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "union": "intersection", "intersection": "union",
    "issubset": "issuperset", "issuperset": "issubset",
}  # fmt: skip
PASSED_THROUGH = ("reversed", "sorted")
OTHER_WORDS = {
    "slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult", "ugt": "uge", "uge": "ugt",
    "eq": "ne", "ne": "eq", "and": "or", "or": "and", "add": "sub", "sub": "add",
}  # fmt: skip
"""Of machine code, which is written as text."""
DEFAULTS = {"bool": ("True", "False"), "int": ("0",), "list": ("[]",), "set": ("set()",), "frozenset": ("frozenset()",),
            "tuple": ("()",), "Sequence": ("()",), "dict": ("{}",), "Collection": ("()",)}  # fmt: skip
UNTOUCHED = ("annotation", "returns", "decorator_list", "type_comment", "type_params", "ctx")
STAYING = (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.ClassDef, ast.Global, *get_args(Function))
FROM_CALLS, ONE_OF = ("argument dropped", "arguments swapped"), 5
"""Calls are many, and nearly all such faults end in an error at once: one of so many is taken."""
MOST_SHIFTED = 64
"""Greater numbers are limits of patience, mostly."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. `statement`: its number in the function; `number`: of the fault in its module."""

    path: str
    place: Place
    statement: int
    line: int
    operator: str
    before: str
    after: str
    number: int

    @property
    def what(self) -> str:
        """What it is known by, wherever it stands in the file."""
        return f"{self.place.name}: {self.before}  ->  {self.after}"


def faults_of(root: Path, path: Path) -> list[Fault]:
    """All faults that can be planted in a file."""
    told, found = path.relative_to(root).as_posix(), []
    for number, change in enumerate(_changes(ast.parse(path.read_text(encoding="utf-8")), path)):
        before = _text(change.shown)
        with change.made():
            after = _text(change.shown)
        if after != before:
            line = change.statement.lineno
            found.append(Fault(told, change.place, change.index, line, change.operator, before, after, number))
    return found


def text_with(root: Path, fault: Fault) -> str:
    """The file with a fault in it."""
    tree = ast.parse((root / fault.path).read_text(encoding="utf-8"))
    change = next(islice(_changes(tree, root / fault.path), fault.number, None))
    with change.made():
        return ast.unparse(tree)


@dataclass(frozen=True, slots=True)
class _Change:
    """Something that may be changed in a tree. `index`: the number of the statement in its function."""

    place: Place
    index: int
    statement: ast.stmt
    shown: ast.AST
    operator: str
    slot: _Slot
    new: Any

    @contextmanager
    def made(self) -> Iterator[None]:
        old = self.slot.value
        self.slot.put(self.new)
        try:
            yield
        finally:
            self.slot.put(old)


def _changes(tree: ast.Module, path: Path) -> Iterator[_Change]:
    for name, function in functions(tree):
        place = place_of(path, name, function)
        about = _Around(function)
        for index, statement in enumerate(statements(function)):
            calls = 0
            for found in _in_statement(statement, about):
                calls += found[1] in FROM_CALLS
                if found[1] not in FROM_CALLS or not (calls + index) % ONE_OF:
                    yield _Change(place, index, statement, *found)


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a node hangs in the tree."""

    parent: ast.AST
    field: str
    index: int | None

    @property
    def value(self) -> Any:
        found = getattr(self.parent, self.field)
        return found if self.index is None else found[self.index]

    def put(self, value: Any) -> None:
        if self.index is None:
            setattr(self.parent, self.field, value)
        else:
            getattr(self.parent, self.field)[self.index] = value


Found = tuple[ast.AST, str, _Slot, Any]
"""What is shown of the change, the operator, where, and what comes there."""


class _Around:
    """Where the statements of a function stand, from which function each returns, and which plain `return`s are the
    last thing that it would do in any case."""

    def __init__(self, function: Function) -> None:
        self.slots: dict[int, _Slot] = {}
        self.returns: dict[int, Function] = {}
        self.last: set[int] = set()
        self._look(function, function)
        self._end(function.body)

    def _end(self, body: list[ast.stmt]) -> None:
        match body[-1]:
            case ast.Return(None) as last:
                self.last.add(id(last))
            case ast.If(_, then, otherwise):
                for part in (then, otherwise):
                    self._end(part or [ast.Pass()])
            case ast.Match(_, cases):
                for case in cases:
                    self._end(case.body)
            case ast.With(_, inner):
                self._end(inner)
            case _:
                pass

    def _look(self, node: ast.AST, within: Function) -> None:
        for name, value in ast.iter_fields(node):
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.stmt):
                    self.slots[id(child)] = _Slot(node, name, index)
                    self.returns[id(child)] = within
                if isinstance(child, ast.AST):
                    self._look(child, child if isinstance(child, Function) else within)


def _in_statement(statement: ast.stmt, about: _Around) -> Iterator[Found]:
    """What can be changed in a statement, but for the statements within."""
    if isinstance(
        statement, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.ClassDef | ast.Global | Function
    ):
        return
    if _is_never(statement):
        return
    if isinstance(statement, ast.Return) and statement.value is not None:
        yield from _returned(statement, about.returns[id(statement)])
    if isinstance(statement, ast.If | ast.While):
        yield from _condition(statement, _Slot(statement, "test", None))
    if id(statement) in about.slots and id(statement) not in about.last:
        yield from _left_out(statement, about.slots[id(statement)])
    yield from _within(statement, statement)


def _is_never(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "assert_never"
    )


def _left_out(statement: ast.stmt, slot: _Slot) -> Iterator[Found]:
    """A statement that is not done: only such that what comes after it has all its names."""
    match statement:
        case ast.Continue() | ast.Break() | ast.Return(None) | ast.AugAssign() | ast.Delete() | ast.Expr():
            yield _Whole(slot), "statement dropped", slot, ast.Pass()
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield _Whole(slot), "statement dropped", slot, ast.Pass()
        case _:
            pass
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.BitOr):
        target = statement.target
        yield _Whole(slot), "statement", slot, ast.Assign([target], statement.value, lineno=statement.lineno)


class _Whole(ast.AST):
    """What stands in a slot, whatever it is."""

    def __init__(self, slot: _Slot) -> None:
        self.slot = slot


def _returned(statement: ast.Return, function: Function) -> Iterator[Found]:
    wanted = "" if function.returns is None else ast.unparse(function.returns)
    found = DEFAULTS.get(wanted.split("[")[0], ())
    if wanted.endswith("| None"):
        found = ("None",)
    for text in found:
        yield statement, "default returned", _Slot(statement, "value", None), ast.parse(text, mode="eval").body


def _condition(shown: ast.AST, slot: _Slot) -> Iterator[Found]:
    """A condition turned; comparisons and `not` are turned themselves."""
    test = slot.value
    if not isinstance(test, ast.Compare | ast.Constant) and not _is_not(test):
        yield shown, "condition negated", slot, ast.UnaryOp(ast.Not(), test)


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _within(node: ast.AST, shown: ast.AST) -> Iterator[Found]:
    for name, value in ast.iter_fields(node):
        if name in UNTOUCHED:
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.JoinedStr):
                slot = _Slot(node, name, index)
                here = child if isinstance(child, ast.match_case) else shown
                yield from ((here, operator, slot, new) for operator, new in _instead(child, node))
                yield from _lists(child, here)
                yield from _within(child, here)


def _lists(node: ast.AST, shown: ast.AST) -> Iterator[Found]:
    """What is changed in the lists of a node."""
    match node:
        case ast.match_case(guard=guard) if guard is not None:
            yield node, "guard dropped", _Slot(node, "guard", None), None
            yield from _condition(node, _Slot(node, "guard", None))
        case ast.comprehension(ifs=ifs) if ifs:
            for index in range(len(ifs)):
                yield shown, "condition dropped", _Slot(node, "ifs", None), ifs[:index] + ifs[index + 1 :]
                yield from _condition(shown, _Slot(node, "ifs", index))
        case ast.MatchOr(patterns=patterns) if len(patterns) > 1:
            for index in range(len(patterns)):
                yield shown, "element dropped", _Slot(node, "patterns", None), patterns[:index] + patterns[index + 1 :]
        case ast.Set(elts=elements) | ast.List(elts=elements) if len(elements) > 1 and _is_read(node):
            for index in range(len(elements)):
                yield shown, "element dropped", _Slot(node, "elts", None), elements[:index] + elements[index + 1 :]
        case ast.Call(args=args, keywords=keywords):
            for index in [index for index, keyword in enumerate(keywords) if not _is_strict(keyword)]:
                yield shown, "argument dropped", _Slot(node, "keywords", None), keywords[:index] + keywords[index + 1 :]
            if len(args) > 1:
                yield shown, "argument dropped", _Slot(node, "args", None), args[:-1]
                yield shown, "arguments swapped", _Slot(node, "args", None), [args[1], args[0], *args[2:]]
        case _:
            pass


def _is_strict(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _is_read(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", None), ast.Store)


def _instead(node: ast.AST, parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What may stand in the place of a node."""
    match node:
        case ast.Compare(left, ops, comparators):
            for index, op in enumerate(ops):
                turned = [*ops[:index], TURNED[type(op)](), *ops[index + 1 :]]
                yield "comparison turned", ast.Compare(left, turned, comparators)
        case ast.BoolOp(op, values):
            yield "and, or", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for index in range(len(values)):
                rest = values[:index] + values[index + 1 :]
                yield "condition dropped", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(ast.Not(), operand):
            yield "condition negated", operand
        case ast.IfExp(test, body, other) if not isinstance(test, ast.Compare) and not _is_not(test):
            yield "condition negated", ast.IfExp(test, other, body)
        case ast.Constant() if _is_strict(parent):
            pass
        case ast.Constant(bool() as flag):
            yield "flag turned", ast.Constant(not flag)
        case ast.Constant(int() as number) if abs(number) <= MOST_SHIFTED:
            yield "constant shifted", ast.Constant(number + 1)
            if number == 1:
                yield "constant shifted", ast.Constant(0)
        case ast.Constant(str() as word) if word in OTHER_WORDS and isinstance(parent, ast.Call):
            yield "other word", ast.Constant(OTHER_WORDS[word])
        case ast.BinOp(left, ast.BitOr(), right):
            yield "part dropped", left
            yield "part dropped", right
        case ast.BinOp(left, op, right) if type(op) in OTHER_SUMS:
            yield "sum turned", ast.BinOp(left, OTHER_SUMS[type(op)](), right)
            if isinstance(op, ast.Sub | ast.BitAnd):
                yield "part dropped", left
        case ast.Name(name) if name in OTHER_NAMES and isinstance(parent, ast.Call):
            yield "other name", ast.Name(OTHER_NAMES[name], ast.Load())
        case ast.Attribute(value, name) if name in OTHER_NAMES and isinstance(parent, ast.Call):
            yield "other name", ast.Attribute(value, OTHER_NAMES[name], ast.Load())
        case ast.Call(ast.Name(name), [only]) if name in PASSED_THROUGH:
            yield "order dropped", only
        case ast.Tuple(elements) if len(elements) > 1 and isinstance(parent, ast.Compare | ast.For):
            for index in range(len(elements)):
                if _is_read(node):
                    yield "element dropped", ast.Tuple(elements[:index] + elements[index + 1 :], ast.Load())
        case ast.Slice(lower, upper, step):
            if lower is not None and not isinstance(lower, ast.Constant):
                yield "slice shifted", ast.Slice(_one_more(lower), upper, step)
            if upper is not None and not isinstance(upper, ast.Constant):
                yield "slice shifted", ast.Slice(lower, _one_more(upper), step)
        case _:
            pass


def _one_more(node: ast.expr) -> ast.expr:
    return ast.BinOp(node, ast.Add(), ast.Constant(1))


def _text(node: ast.AST) -> str:
    """What people read of a node: of a statement with others in it, its head."""
    if isinstance(node, _Whole):
        return _text(node.slot.value)
    if isinstance(node, ast.match_case):
        guard = "" if node.guard is None else f" if {ast.unparse(node.guard)}"
        return f"case {ast.unparse(node.pattern)}{guard}"
    heads = {name: [ast.Pass()] for name in ("body", "cases") if isinstance(getattr(node, name, None), list)}
    if isinstance(node, ast.Match):
        return f"match {ast.unparse(node.subject)}"
    if isinstance(node, ast.Try):
        return "try"
    if isinstance(node, ast.stmt) and heads:
        fields = {name: value for name, value in ast.iter_fields(node) if name not in ("orelse", "finalbody")}
        head = (
            type(node)(**{**fields, **heads}, orelse=[]) if "orelse" in node._fields else type(node)(**fields | heads)
        )
        return ast.unparse(ast.fix_missing_locations(head)).split("\n    pass")[0].rstrip(":")
    return ast.unparse(node)
