"""What can be said of an expression: its value, or of a test that has no encoding as a whole, for it reads what is left
out, those parts that have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import Term
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.sets import Value
from seaspec.core import ir
from seaspec.core.ir import FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.types import Bool
from seaspec.core.walk import substitute


def assume(run: Run, env: Mapping[Variable, Value], test: ir.Expr, source: ir.Source) -> None:
    """From here on a test holds, as far as it can be said."""
    if not _is_assumed(run, env, test, source):
        assume_parts(run, env, test, source)


def assume_parts(run: Run, env: Mapping[Variable, Value], test: ir.Expr, source: ir.Source) -> None:
    """From here on a test holds that has no encoding as a whole: what can be said of it."""
    run.exact = False
    for part in parts(run.world.game, test):
        if part is not test:
            _is_assumed(run, env, part, source)


def _is_assumed(run: Run, env: Mapping[Variable, Value], test: ir.Expr, source: ir.Source) -> bool:
    holds = known(run, test, source, env)
    if holds is None:
        return False
    assert isinstance(holds, Term)
    run.assume(holds)
    return True


def known(run: Run, expr: ir.Expr, source: ir.Source, env: Mapping[Variable, Value] | None = None) -> Value | None:
    """The value of an expression; None if it has no encoding."""
    reader = run.reader()
    reader.env.update(env or {})
    try:
        with run.world.briefly():
            found = reader.value(expr)
    except Unsupported:
        run.world.hurry()
        run.exact = False
        return None
    run.look_at(reader, (expr,), source)
    return found


def parts(game: ir.Game, test: ir.Expr) -> Iterator[ir.Expr]:
    """What holds together where a test holds, through the defines that it calls."""
    match test:
        case ir.Apply(_, Op.AND, tests):
            for one in tests:
                yield from parts(game, one)
        case ir.Apply(_, Op.NOT, (ir.Apply(_, Op.OR, tests),)):
            for one in tests:
                yield from parts(game, contrary(one))
        case ir.Apply(_, Op.NOT, (ir.Apply(_, Op.NOT, (inner,)),)):
            yield from parts(game, inner)
        case ir.Fold(_, FoldKind.EVERY, _, body) if body is not None:
            for one in parts(game, body):
                yield replace(test, body=one)
        case ir.Call(_, function) if game.functions[function].shrinking is None:
            yield from parts(game, _called(game, test))
        case ir.Apply(_, Op.NOT, (ir.Call(_, function) as call,)) if game.functions[function].shrinking is None:
            yield from parts(game, contrary(_called(game, call)))
        case _:  # cautious: a test holds where it holds
            yield test


def contrary(test: ir.Expr) -> ir.Expr:
    """That a test does not hold."""
    return ir.Apply(Bool(), Op.NOT, (test,))


def _called(game: ir.Game, call: ir.Call) -> ir.Expr:
    called = game.functions[call.function]
    return substitute(called.body, dict(zip(called.params, call.arguments, strict=True)))
