"""Exact odds and means of a named throw, as fractions, by going through all dice.

A throw that is rolled again while some condition holds has the odds of the rolls for which none does (they are not all
rolled again: else it would never end, and there are no odds).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, assert_never

from seaspec.backends.interpreter.chance import dice
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.types import Value
from seaspec.core.walk import rewrite

Outcomes = dict[Value, Fraction]


def outcomes(game: ir.Game, chance: str, arguments: tuple[Value, ...]) -> Outcomes | None:
    """The odds of each value that a throw gives; None if it is rolled again for ever."""
    rule = game.chances[chance]
    found: Outcomes = {}
    for env, weight in _rolled(game, rule.body, dict(zip(rule.params, arguments, strict=True)), Fraction(1)):
        if any(_value(game, test, env) for test in rule.again):
            continue
        given = _value(game, rule.gives, env)
        found[given] = found.get(given, Fraction(0)) + weight
    total = sum(found.values())
    return {value: weight / total for value, weight in found.items()} if total else None


def _rolled(
    game: ir.Game, body: tuple[ir.Let | ir.Roll, ...], env: dict[ir.Variable, Value], weight: Fraction
) -> Iterator[tuple[dict[ir.Variable, Value], Fraction]]:
    """All ways in which the dice of a throw may fall."""
    if not body:
        yield env, weight
        return
    statement, *rest = body
    match statement:
        case ir.Let(variable, value):
            yield from _rolled(game, tuple(rest), {**env, variable: _value(game, value, env)}, weight)
        case ir.Roll(number, sides, variable):
            ways = dice(_value(game, number, env), sides)
            total = sum(count for _, count in ways)
            for face, count in ways:
                yield from _rolled(game, tuple(rest), {**env, variable: face}, weight * Fraction(count, total))
        case _:
            assert_never(statement)


def _value(game: ir.Game, expr: ir.Expr, env: dict[ir.Variable, Value]) -> Any:
    return evaluate(expr, game.tables, game.functions, env)


def odds_of(game: ir.Game, odds: ir.Odds) -> Fraction | None:
    """The odds that a throw gives yes, or the mean of its numbers; None if that can not be known before the game."""
    try:
        arguments = tuple(_value(game, a, {}) for a in odds.arguments)
        found = outcomes(game, odds.chance, arguments)
    except NotConstant:
        return None
    if found is None:
        return None
    return sum((value * odds for value, odds in found.items() if isinstance(value, int)), Fraction(0))


def claimed(game: ir.Game, promise: ir.OddsPromise) -> Fraction | None:
    """The odds, or the mean, that a promise says."""
    try:
        value = _value(game, promise.value, {})
    except NotConstant:
        return None
    return Fraction(value) if isinstance(promise.value.type, types.Int | types.Fraction) else None


def worked_out(game: ir.Game, lemma: ir.Lemma) -> bool | None:
    """Whether a lemma holds that speaks of odds, means and numbers alone; None if it speaks of anything else."""

    def known(node: Any) -> Any:
        exact = odds_of(game, node) if isinstance(node, ir.Odds) else None
        return node if exact is None else ir.Const(node.type, exact)

    try:
        return bool(_value(game, rewrite(lemma.test, known), {}))
    except NotConstant:
        return None
