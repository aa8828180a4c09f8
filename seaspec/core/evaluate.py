"""The value of an expression without state: counts, sizes, printed facts, entries of tables.

A plain walk over the tree, used while a game is built. Anything that reads a position raises `NotConstant`, and what
takes too long raises `TooLong`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, assert_never

from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Value

MOST_STEPS = 500_000
"""Nodes that are visited, and members of ranges: about half a second."""


class NotConstant(Exception):
    """The expression reads the position, or has no value; the text says why: `it reads 'hand'`."""


class Unknown(NotConstant):
    """A part of the expression stands for an error."""


class TooLong(NotConstant):
    """The value takes too many steps to work out."""


Environment = Mapping[ir.Variable, Value]


def evaluate(
    expr: ir.Expr,
    tables: Mapping[str, ir.Table],
    functions: Mapping[str, ir.Function],
    env: Environment | None = None,
    most_steps: int = MOST_STEPS,
) -> Any:
    """The value of a constant expression.

    >>> two = ir.Const(types.Int(2, 2), 2)
    >>> evaluate(ir.Apply(types.Int(4, 4), Op.ADD, (two, two)), {}, {})
    4
    """
    try:
        return _Evaluation(tables, functions, most_steps).value(expr, env or {})
    except RecursionError:
        raise TooLong from None


def table_entry(table: ir.Table, indices: tuple[Value, ...]) -> Value:
    """The entry at these indices."""
    place = 0
    for ty, index in zip(table.index, indices, strict=True):
        position = types.position(ty, index)
        if position is None:
            raise NotConstant(f"'{table.name}' has no entry for it")
        place = place * types.size(ty) + position
    return table.entries[place]


class _Evaluation:
    def __init__(self, tables: Mapping[str, ir.Table], functions: Mapping[str, ir.Function], most_steps: int) -> None:
        self.tables = tables
        self.functions = functions
        self.steps_left = most_steps

    def value(self, expr: ir.Expr, env: Environment) -> Any:
        self.steps_left -= 1
        if self.steps_left < 0:
            raise TooLong
        match expr:  # nearly all are one of the first three
            case ir.Apply():
                return self.apply(expr, env)
            case ir.Local():
                variable = expr.variable
                if variable not in env:
                    raise NotConstant(f"it reads '{variable.name}'")
                return env[variable]
            case ir.Const(types.Never()):
                raise Unknown
            case ir.Const():
                return expr.value
            case ir.Lookup(_, table, indices):
                return table_entry(self.tables[table], tuple(self.value(i, env) for i in indices))
            case ir.Call(_, name, arguments):
                function = self.functions.get(name)
                if function is None:
                    raise Unknown
                given = [self.value(a, env) for a in arguments]
                return self.value(function.body, dict(zip(function.params, given, strict=True)))
            case ir.If(_, test, then, otherwise):
                return self.value(then if self.value(test, env) else otherwise, env)
            case ir.Switch(_, subject, cases):
                found = self.value(subject, env)
                case = next((e for patterns, e in cases if found in patterns), None)
                if case is None:
                    raise Unknown
                return self.value(case, env)
            case ir.LetIn(variable, bound, body):
                return self.value(body, {**env, variable: self.value(bound, env)})
            case ir.Fold():
                return self.fold(expr, env)
            case ir.Select():
                return self.select(expr, env)
            case ir.Collect(ty, term, binders):
                collected = [self.value(term, e) for e in self.bind(binders, env)]
                return tuple(collected) if isinstance(ty, types.Map) else types.as_set(set(collected))
            case ir.PickOne(_, first, binder, otherwise):
                found_members = [e[binder.variable] for e in self.bind((binder,), env)]
                if not found_members and otherwise is not None:
                    return self.value(otherwise, env)
                return found_members[0] if found_members and first else _only(tuple(found_members))
            case ir.Openly(inner):
                return self.value(inner, env)
            case ir.StateRead(_, name) | ir.PlaceRead(_, name) | ir.Everywhere(_, name) | ir.WhereIs(_, name):
                raise NotConstant(f"it reads '{name}'")
            case _:  # cautious: no constant
                raise NotConstant("it reads the position")

    def count(self, steps: int) -> None:
        self.steps_left -= steps
        if self.steps_left < 0:
            raise TooLong

    def bind(self, binders: tuple[ir.Binder, ...], env: Environment) -> Iterator[Environment]:
        if not binders:
            yield env
            return
        binder, *rest = binders
        domain = self.value(binder.domain, env)
        members = () if domain is None else domain if isinstance(domain, tuple) else (domain,)
        for member in members:
            self.count(1)
            inner = {**env, binder.variable: member}
            if binder.test is not None and not self.value(binder.test, inner):
                if binder.prefix:
                    return
                continue
            yield from self.bind(tuple(rest), inner)

    def select(self, expr: ir.Select, env: Environment) -> Value:
        found = list(self.bind((expr.binder,), env))
        if expr.best is not None and found:
            most, key = expr.best
            keys = [self.value(key, e) for e in found]
            best = max(keys) if most else min(keys)
            found = [e for e, k in zip(found, keys, strict=True) if k == best]
        return tuple(e[expr.binder.variable] for e in found)

    def fold(self, expr: ir.Fold, env: Environment) -> Value:
        found: Iterator[Any] = (self.value(expr.body, e) for e in self.bind(expr.binders, env))
        match expr.kind:
            case ir.FoldKind.EVERY:
                return all(found)
            case ir.FoldKind.SOME:
                return any(found)
            case ir.FoldKind.COUNT:
                return sum(1 for _ in found)
            case ir.FoldKind.SUM:
                return sum(found)
            case ir.FoldKind.MOST | ir.FoldKind.LEAST:
                terms = list(found)
                if terms:
                    return max(terms) if expr.kind is ir.FoldKind.MOST else min(terms)
                if expr.otherwise is None:
                    raise NotConstant("there is nothing to choose from")
                return self.value(expr.otherwise, env)
            case _:
                assert_never(expr.kind)

    def apply(self, expr: ir.Apply, env: Environment) -> Any:
        plainly = AT_ONCE.get(expr.op)
        if plainly is not None:
            return plainly(*[self.value(a, env) for a in expr.arguments])
        match expr.op:
            case Op.AND:
                return all(self.value(a, env) for a in expr.arguments)
            case Op.OR:
                return any(self.value(a, env) for a in expr.arguments)
            case Op.IMPLIES:
                return not self.value(expr.arguments[0], env) or self.value(expr.arguments[1], env)
            case _:  # cautious: all arguments are looked at; if one has no value, there is none
                arguments = [self.value(a, env) for a in expr.arguments]
        match expr.op:
            case Op.TURN | Op.TURNS | Op.ANGLE:
                return _turned(expr, *arguments)
            case Op.DIVIDE | Op.MODULO if arguments[1] == 0:
                raise NotConstant("it divides by 0")
            case Op.DIVIDE if isinstance(expr.type, types.Fraction):
                return Fraction(arguments[0]) / arguments[1]
            case Op.EQUAL | Op.UNEQUAL:
                if all(isinstance(a.type, types.SetOf) for a in expr.arguments):
                    arguments = [types.as_set(a) for a in arguments]
                return (arguments[0] == arguments[1]) is (expr.op is Op.EQUAL)
            case Op.RANGE:
                self.count(max(0, arguments[1] - arguments[0]))
            case Op.CHECK if not _lies_in(arguments[0], expr.type):
                raise NotConstant("it is out of range")
            case Op.KEY:
                mapping = expr.arguments[0].type
                assert isinstance(mapping, types.Map)
                position = types.position(mapping.keys, arguments[1])
                if position is None:
                    raise NotConstant("the map has no such key")
                return arguments[0][position]
            case _:  # cautious: what is not in the table has no value here
                pass
        if expr.op not in PLAIN:
            raise NotConstant("it reads the position")
        return PLAIN[expr.op](*arguments)


def _turned(expr: ir.Apply, first: int, second: int) -> int:
    ring = expr.arguments[0].type
    assert isinstance(ring, types.Enum)
    count = len(ring.values)
    if expr.op is Op.TURN:
        return (first + second) % count
    onward = (second - first) % count
    return onward if expr.op is Op.TURNS else min(onward, count - onward)


def _lies_in(value: Value, ty: types.Type) -> bool:
    """Whether an obligation holds."""
    if isinstance(ty, types.SetOf):
        return isinstance(value, tuple) and all(_lies_in(member, ty.of) for member in value)
    return types.position(ty, value) is not None


def _nth(members: tuple[Value, ...], position: int) -> Value:
    return members[position - 1] if 1 <= position <= len(members) else None


def _only(members: tuple[Value, ...]) -> Value:
    if len(members) != 1:
        raise NotConstant("there is not exactly one")
    return members[0]


def _maybe(members: tuple[Value, ...]) -> Value:
    return _only(members) if members else None


PLAIN: dict[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
    Op.DIVIDE: lambda a, b: a // b,
    Op.MODULO: lambda a, b: a % b,
    Op.NEGATE: lambda a: -a,
    Op.ABS: abs,
    Op.MIN: lambda *a: min(a),
    Op.MAX: lambda *a: max(a),
    Op.LESS: lambda a, b: a < b,
    Op.AT_MOST: lambda a, b: a <= b,
    Op.MORE: lambda a, b: a > b,
    Op.AT_LEAST: lambda a, b: a >= b,
    Op.NOT: lambda a: not a,
    Op.IN: lambda a, s: a in s,
    Op.SIZE: len,
    Op.SET: lambda *a: types.as_set(set(a)),
    Op.UNION: lambda a, b: types.as_set({*a, *b}),
    Op.DIFFERENCE: lambda a, b: tuple(x for x in a if x not in b),
    Op.RANGE: lambda a, b: tuple(range(a, b + 1)),
    Op.PREFIX: lambda s, n: s[: max(0, n)],
    Op.NTH: _nth,
    Op.ONLY: _only,
    Op.MAYBE: _maybe,
    Op.MAP: lambda *a: tuple(a),
    Op.CHECK: lambda a: a,
    Op.KNOWN: lambda a: a,
}

AT_ONCE: dict[Op, Callable[..., Any]] = {
    op: meaning for op, meaning in PLAIN.items() if op not in (Op.DIVIDE, Op.MODULO, Op.RANGE, Op.CHECK)
}
"""Those of which nothing has to be looked at first."""
