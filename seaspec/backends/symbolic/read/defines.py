"""Defines and tables: their value for arguments that are terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from seaspec.analysis.reads import reads
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import NO, Sort, Term, and_, eq, not_, number, or_
from seaspec.backends.symbolic.values.position import footprint
from seaspec.backends.symbolic.values.sets import Listed, Value, Where, among, ascending, by_cases, choose, everything
from seaspec.backends.symbolic.values.world import MOST_ENTRIES, numbers_of, plain
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Expr
from seaspec.core.walk import walk

if TYPE_CHECKING:
    from seaspec.backends.symbolic.read.expressions import Reader

TABULATED = 2000
"""A define that reads no position is tabulated if its argument has at most so many values."""

_READS = (ir.StateRead, ir.PlaceRead, ir.Everywhere, ir.WhereIs, ir.Can, ir.Asked, ir.Old, ir.Odds)


@dataclass(frozen=True, slots=True, eq=False)
class Called:
    """What came out of a call: its value, what is told with it. `kept`: what it is known by."""

    value: Value
    told: Sequence[Term]
    kept: object


def entry(reader: Reader, table: ir.Table, indices: tuple[Term, ...]) -> Value:
    """An entry of a table; the indices are in range."""
    keys = [numbers_of(ty) for ty in table.index]
    if prod(len(members) for members, here in zip(keys, indices, strict=True) if not here.is_const) > MOST_ENTRIES:
        raise Unsupported(f"an entry of {table.name}, which is a large table")
    order = sorted(range(len(keys)), key=lambda axis: 0 if indices[axis].is_const else len(keys[axis]))
    return _entry(reader, table, keys, indices, order, 0)


def _entry(
    reader: Reader,
    table: ir.Table,
    keys: Sequence[tuple[int, ...]],
    indices: tuple[Term, ...],
    axes: Sequence[int],
    row: int,
) -> Value:
    """`axes`: the indices that are still to be looked at, where most is written out last: that is a few lines often."""
    if not axes:
        return reader.world.constant(table.entries[row], table.type)
    axis, *rest = axes
    here = indices[axis]
    stride = prod(map(len, keys[axis + 1 :]))
    places = {key: row + place * stride for place, key in enumerate(keys[axis])}
    if here.is_const:
        return _entry(reader, table, keys, indices, rest, places.get(here.value, row))
    known = (id(table), id(here), axis, row)
    if rest or known not in reader.entries:
        rows = {key: place for key, place in places.items() if may_be(here, key)}
        cases = {key: _entry(reader, table, keys, indices, rest, place) for key, place in sorted(rows.items())}
        found = _picked(here, cases) if cases else _entry(reader, table, keys, indices, rest, row)
        if rest:
            return found
        reader.entries[known] = found
        reader.kept.append(here)
    return reader.entries[known]


def call(reader: Reader, function: ir.Function, arguments: Sequence[Value]) -> Value:
    """A define with these arguments."""
    free = not reads_position(reader, function.name)
    if free:
        tabulated = _tabulated(reader, function, arguments)
        if tabulated is not None:
            return tabulated
    if function.shrinking is not None:
        shrinks = arguments[function.shrinking]
        assert isinstance(shrinks, Term)
        if not shrinks.is_const:
            return _split(reader, function, arguments, function.shrinking)
    key: tuple[object, ...] = (function.name, *map(id, arguments))
    memo = reader.memo
    read = _footprint(reader, function)
    if read is not None:
        memo, key = reader.world.called, (*key, *map(id, read))
    if key not in memo:
        reader.world.hurry()
        inner = reader.with_values({})
        inner.env = dict(zip(function.params, arguments, strict=True))
        inner.memo, inner.named, inner.kept = reader.memo, reader.named, reader.kept
        inner.told = []
        value = inner.value(function.body)
        memo[key] = Called(value, inner.told, (tuple(arguments), read))
    called = memo[key]
    reader.told += (term for term in called.told if term not in reader.told)
    return called.value


def _footprint(reader: Reader, function: ir.Function) -> tuple[object, ...] | None:
    """What of the position the value of a define depends on; None if that is not known, or the value is no number."""
    if isinstance(function.type, types.SetOf | types.Map):
        return None
    known = reader.world.footprints
    if function.name not in known:
        read = reads(reader.game, function.body)
        known[function.name] = None if _looks_back(reader.game, function.body) else read
    read_of = known[function.name]
    return None if read_of is None else footprint(read_of, reader.position)


def _looks_back(game: ir.Game, expr: Expr, seen: tuple[str, ...] = ()) -> bool:
    """Whether an expression reads an older position."""
    return any(
        isinstance(node, ir.Old)
        or (
            isinstance(node, ir.Call)
            and node.function not in seen
            and _looks_back(game, game.functions[node.function].body, (*seen, node.function))
        )
        for node in walk(expr)
    )


def _split(reader: Reader, function: ir.Function, arguments: Sequence[Value], place: int) -> Value:
    """A call that shrinks on a number that is not known: one case for each of its values."""
    shrinks = arguments[place]
    ty = function.params[place].type
    assert isinstance(shrinks, Term) and isinstance(ty, types.Int)
    cases: dict[int, Value] = {}
    for value in range(ty.low, ty.high + 1):
        here = eq(shrinks, number(value))
        if here is not NO:
            cases[value] = call(reader, function, [*arguments[:place], number(value), *arguments[place + 1 :]])
    return _picked(shrinks, cases)


def _tabulated(reader: Reader, function: ir.Function, arguments: Sequence[Value]) -> Value | None:
    """The value of a define that reads no position, where at most one argument is not known."""
    if isinstance(function.type, types.Map | types.Fraction):
        return None
    known: list[object] = []
    unknown: int | None = None
    for place, argument in enumerate(arguments):
        ty = function.params[place].type
        if not isinstance(argument, Term) or isinstance(ty, types.SetOf):
            return None
        if argument.is_const:
            known.append(plain(argument.value, ty))
        elif unknown is None and types.size(ty) <= TABULATED and not isinstance(ty, types.Optional | types.Bool):
            unknown = place
            known.append(None)
        else:
            return None
    if unknown is None:
        found = _evaluated(reader, function, known)
        return None if found is None else reader.world.constant(found[0], function.type)
    if isinstance(function.type, types.SetOf):
        return None
    argument = arguments[unknown]
    assert isinstance(argument, Term)
    cases: dict[int, Value] = {}
    for value in numbers_of(function.params[unknown].type):
        if not may_be(argument, value):
            continue
        found = _evaluated(reader, function, [*known[:unknown], value, *known[unknown + 1 :]])
        if found is None:
            return None
        cases[value] = reader.world.constant(found[0], function.type)
    return _picked(argument, cases) if cases else None


def _evaluated(reader: Reader, function: ir.Function, arguments: Sequence[object]) -> tuple[object] | None:
    key = ("evaluated", function.name, *arguments)
    known = reader.world.evaluated
    if key not in known:
        try:
            env = dict(zip(function.params, arguments, strict=True))
            known[key] = (evaluate(function.body, reader.game.tables, reader.game.functions, env),)
        except NotConstant:
            known[key] = None
    return known[key]


def reads_position(reader: Reader, name: str) -> bool:
    """Whether a define may differ from position to position."""
    known = reader.world.readers
    if name not in known:
        known[name] = False  # a call of itself adds nothing
        known[name] = any(
            isinstance(node, _READS)
            or (isinstance(node, ir.Apply) and node.op.reads_position)
            or (isinstance(node, ir.Call) and reads_position(reader, node.function))
            for node in walk(reader.game.functions[name].body)
        )
    return known[name]


def may_be(term: Term, value: int) -> bool:
    """Whether a number lies within the bounds of a term."""
    return (term.low is None or term.low <= value) and (term.high is None or value <= term.high)


def _picked(key: Term, cases: dict[int, Value]) -> Value:
    """The case of a number; it is one of them."""
    values = list(cases.values())
    if all(isinstance(value, Term) and value.is_const for value in values):
        plain = [(k, value) for k, value in cases.items() if isinstance(value, Term)]
        if plain[0][1].sort is Sort.BOOL:
            holding = [k for k, value in plain if value.value]
            failing = [k for k, value in plain if not value.value]
            return not_(among(key, failing)) if len(failing) < len(holding) else among(key, holding)
        return by_cases(key, [(k, value.value) for k, value in plain])
    sets = {k: value for k, value in cases.items() if isinstance(value, Where) and value.test is everything}
    if len(sets) == len(cases):
        return _picked_set(key, sets)
    rows = {k: value for k, value in cases.items() if isinstance(value, Listed | Where)}
    if len(rows) == len(cases):
        return _picked_row(key, rows)
    keys = list(cases)
    found = values[-1]
    for k, value in zip(reversed(keys[:-1]), reversed(values[:-1]), strict=True):
        found = choose(eq(key, number(k)), value, found)
    return found


def _picked_row(key: Term, cases: dict[int, Listed | Where]) -> Listed:
    """The row of values that belongs to a number: of all rows, those that are in its own."""
    one = next(iter(cases.values()))
    ordered = any(row.ordered for row in cases.values())
    rows = {k: ascending(row) if ordered else row.items for k, row in cases.items()}
    items = ((and_(eq(key, number(k)), there), value) for k, row in rows.items() for there, value in row)
    return Listed(one.of, tuple(item for item in items if item[0] is not NO), ordered)


def _picked_set(key: Term, cases: dict[int, Where]) -> Where:
    """The set of constants that belongs to a number."""
    keys_of: dict[int, list[int]] = {}
    for k, held in cases.items():
        for member in held.members:
            keys_of.setdefault(member, []).append(k)

    def test(value: Term) -> Term:
        if value.is_const:
            return among(key, keys_of.get(value.value, ()))
        return or_(*(and_(eq(key, number(k)), among(value, held.members)) for k, held in cases.items()))

    one = next(iter(cases.values()))
    return Where(one.of, tuple(sorted(keys_of)), test, any(held.wide for held in cases.values()))
