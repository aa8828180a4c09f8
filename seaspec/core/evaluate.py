"""The value of an expression without state: counts, sizes, printed facts, entries of tables.

A plain walk over the tree, used while a game is built. Anything that reads a position raises `NotConstant`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Value


class NotConstant(Exception):
    """The expression reads the position, or has no value."""


Environment = Mapping[ir.Variable, Value]


def evaluate(
    expr: ir.Expr,
    tables: Mapping[str, ir.Table],
    functions: Mapping[str, ir.Function],
    env: Environment | None = None,
) -> Any:
    """The value of a constant expression.

    >>> evaluate(ir.Apply(types.Int(0, 9), Op.ADD, (ir.Const(types.Int(2, 2), 2), ir.Const(types.Int(3, 3), 3))), {}, {})
    5
    """
    env = env or {}

    def value(inner: ir.Expr, more: Environment = env) -> Any:
        return evaluate(inner, tables, functions, more)

    match expr:
        case ir.Const():
            return expr.value
        case ir.Local(variable):
            if variable not in env:
                raise NotConstant(variable.name)
            return env[variable]
        case ir.Apply():
            return _apply(expr, value)
        case ir.Lookup(_, table, indices):
            return table_entry(tables[table], tuple(value(i) for i in indices))
        case ir.Call(_, name, arguments):
            function = functions[name]
            return value(function.body, dict(zip(function.params, map(value, arguments), strict=True)))
        case ir.If(_, test, then, otherwise):
            return value(then) if value(test) else value(otherwise)
        case ir.Switch(_, subject, cases):
            found = value(subject)
            return next(value(e) for patterns, e in cases if found in patterns)
        case ir.LetIn(variable, bound, body):
            return value(body, {**env, variable: value(bound)})
        case ir.Fold():
            return _fold(expr, value, env)
        case ir.Select(_, binder, best):
            if best is not None:
                raise NotConstant("with least")
            return tuple(e[binder.variable] for e in _bind((binder,), value, env))
        case ir.Collect(ty, term, binders):
            found_values = [value(term, e) for e in _bind(binders, value, env)]
            return tuple(found_values) if isinstance(ty, types.Map) else tuple(sorted(set(found_values)))
        case ir.PickOne(_, _, binder, otherwise):
            for e in _bind((binder,), value, env):
                return e[binder.variable]
            if otherwise is None:
                raise NotConstant("nothing found")
            return value(otherwise)
        case ir.Openly(inner):
            return value(inner)
        case _:
            raise NotConstant(type(expr).__name__)


def table_entry(table: ir.Table, indices: tuple[Value, ...]) -> Value:
    """The entry at these indices."""
    position = 0
    for ty, index in zip(table.index, indices, strict=True):
        allowed = list(types.values(ty))
        if index not in allowed:
            raise NotConstant(f"{table.name} has no entry {index}")
        position = position * len(allowed) + allowed.index(index)
    return table.entries[position]


def _bind(binders: tuple[ir.Binder, ...], value: Callable[..., Any], env: Environment) -> Iterator[Environment]:
    if not binders:
        yield env
        return
    binder, *rest = binders
    domain = value(binder.domain, env)
    members = () if domain is None else domain if isinstance(domain, tuple) else (domain,)
    for member in members:
        inner = {**env, binder.variable: member}
        if binder.test is not None and not value(binder.test, inner):
            if binder.prefix:
                return
            continue
        yield from _bind(tuple(rest), value, inner)


def _fold(expr: ir.Fold, value: Callable[..., Any], env: Environment) -> Value:
    found: list[Any] = [value(expr.body, e) for e in _bind(expr.binders, value, env)]
    match expr.kind:
        case ir.FoldKind.EVERY:
            return all(found)
        case ir.FoldKind.SOME:
            return any(found)
        case ir.FoldKind.COUNT:
            return len(found)
        case ir.FoldKind.SUM:
            return sum(found)
        case ir.FoldKind.MOST | ir.FoldKind.LEAST:
            if found:
                return max(found) if expr.kind is ir.FoldKind.MOST else min(found)
            if expr.otherwise is None:
                raise NotConstant("nothing to choose from")
            return value(expr.otherwise, env)


def _apply(expr: ir.Apply, value: Callable[..., Any]) -> Any:
    match expr.op:
        case Op.AND:
            return all(value(a) for a in expr.arguments)
        case Op.OR:
            return any(value(a) for a in expr.arguments)
        case Op.IMPLIES:
            return not value(expr.arguments[0]) or value(expr.arguments[1])
        case Op.TURN | Op.TURNS | Op.ANGLE:
            ring = expr.arguments[0].type
            assert isinstance(ring, types.Enum)
            first, second = (value(a) for a in expr.arguments)
            count = len(ring.values)
            if expr.op is Op.TURN:
                return (first + second) % count
            onward = (second - first) % count
            return onward if expr.op is Op.TURNS else min(onward, count - onward)
    arguments = [value(a) for a in expr.arguments]
    if expr.op not in PLAIN:
        raise NotConstant(expr.op.name)
    if expr.op in (Op.DIVIDE, Op.MODULO) and arguments[1] == 0:
        raise NotConstant("division by 0")
    return PLAIN[expr.op](*arguments)


def _nth(members: tuple[Value, ...], position: int) -> Value:
    return members[position - 1] if 1 <= position <= len(members) else None


def _only(members: tuple[Value, ...]) -> Value:
    if len(members) != 1:
        raise NotConstant("not exactly one")
    return members[0]


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
    Op.EQUAL: lambda a, b: a == b,
    Op.UNEQUAL: lambda a, b: a != b,
    Op.LESS: lambda a, b: a < b,
    Op.AT_MOST: lambda a, b: a <= b,
    Op.MORE: lambda a, b: a > b,
    Op.AT_LEAST: lambda a, b: a >= b,
    Op.NOT: lambda a: not a,
    Op.IN: lambda a, s: a in s,
    Op.SIZE: len,
    Op.SET: lambda *a: tuple(sorted(set(a))),
    Op.UNION: lambda a, b: tuple(sorted({*a, *b})),
    Op.DIFFERENCE: lambda a, b: tuple(x for x in a if x not in b),
    Op.RANGE: lambda a, b: tuple(range(a, b + 1)),
    Op.PREFIX: lambda s, n: s[: max(0, n)],
    Op.NTH: _nth,
    Op.ONLY: _only,
    Op.MAYBE: lambda s: s[0] if s else None,
    Op.MAP: lambda *a: tuple(a),
    Op.CHECK: lambda a: a,
    Op.KNOWN: lambda a: a,
}
