"""Each back end covers each operator, expression, step, exit, offer and promise, or names it as unsupported, and why.

What there is is asked of the unions themselves; what is covered is read from the code that takes the nodes apart: a
member is covered where a case that names it does something else than refuse it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest
from nodes import PACKAGE, union

from seaspec.backends.interpreter.operators import SPECIAL, TEMPLATES
from seaspec.backends.native.expressions.operators import MASKS, NUMBERS, TRUTHS
from seaspec.backends.symbolic.read.operators import OPERATORS
from seaspec.core import flow, ir
from seaspec.core.evaluate import PLAIN
from seaspec.core.ops import Op

EXPRESSIONS, STEPS, EXITS = union(ir.Expr), union(flow.Step), union(flow.Exit)
OFFERS, PROMISES = union(flow.AnyOffer), union(ir.Promise)
REFUSALS = {"NotCompiled", "NotConstant", "Unsupported", "AssertionError", "not_compiled", "Unknown"}
"""What is raised where a node is not covered."""

# --------------------------------------------------------------------------------------------------------- operators

IN_DISPATCH = {
    "interpreter": {Op.CHECK, Op.IN},
    "native": {Op.PREFIX, Op.MAP},
    "symbolic": {Op.AND, Op.OR, Op.IMPLIES, Op.IN},
    "constants": {
        Op.AND, Op.OR, Op.IMPLIES, Op.TURN, Op.TURNS, Op.ANGLE, Op.EQUAL, Op.UNEQUAL, Op.RANGE, Op.CHECK, Op.KEY
    },
}  # fmt: skip
"""Operators that are not in the table of a back end, but in a match beside it."""
NOT_CONSTANT = {Op.SPOT, Op.HAS_WON, Op.HAS_LOST, Op.IS_OUT}
"""They read the position, so no constant is computed with them."""
TABLED = {
    "interpreter": {*TEMPLATES, *SPECIAL},
    "native": {*NUMBERS, *TRUTHS, *MASKS},
    "symbolic": {*OPERATORS},
    "constants": {*PLAIN},
}


@pytest.mark.parametrize("who", TABLED)
def test_operators(who: str) -> None:
    unsupported = NOT_CONSTANT if who == "constants" else set()
    missing = set(Op) - TABLED[who] - IN_DISPATCH[who] - unsupported
    assert not missing, f"{who} has no code for {missing}"
    assert not unsupported & TABLED[who]


# ------------------------------------------------------------------------------------------------------------- nodes


@dataclass(frozen=True)
class Dispatch:
    """The functions that take the members of a union apart, by module; what they refuse, and why."""

    members: tuple[type, ...]
    functions: tuple[tuple[str, str], ...]
    unsupported: Mapping[type, str] = field(default_factory=dict)


MARK = "it changes nothing; promises are watched in explore/exploring.py"
OWED = "it only owes, and what a step owes is passed by before it is taken (core/owing.py)"
SAID = "it changes nothing but what people see"
PROMISED = "it says nothing of a single position: {}"
DISPATCH = {
    "interpreter, expressions": Dispatch(EXPRESSIONS, (("backends/interpreter/expressions", "expr"),)),
    "interpreter, steps": Dispatch(STEPS, (("backends/interpreter/effects", "step"),)),
    "interpreter, exits": Dispatch(EXITS, (("backends/interpreter/machine", "_follow"),)),
    "interpreter, offers": Dispatch(OFFERS, (("backends/interpreter/offers", "options"),)),
    "plays, promises": Dispatch(
        PROMISES,
        (("sampling/watch", "_add"),),
        {
            ir.NeverStuck: "who is stuck ends a play, and that is told apart",
            ir.Secret: PROMISED.format("sampling/secrets.py compares two runs"),
            ir.Symmetry: PROMISED.format("sampling/symmetry.py renames plays"),
            ir.OddsPromise: PROMISED.format("verdict/odds.py computes them"),
        },
    ),
    "native, expressions": Dispatch(
        EXPRESSIONS,
        (
            ("backends/native/expressions/singles", "number"),
            ("backends/native/expressions/singles", "truth"),
            ("backends/native/expressions/sets", "mask"),
            ("backends/native/expressions/sets", "each"),
            ("backends/native/expressions/sets", "sequence"),
            ("backends/native/expressions/sets", "entries"),
        ),
        {
            ir.Asked: "in examples and promises only; flow/judging.py",
            ir.Old: "in promises only; flow/judging.py",
            ir.Odds: "in promises only; verdict/odds.py computes them before",
        },
    ),
    "native, steps": Dispatch(STEPS, (("backends/native/flow/steps", "step"),), {flow.Finish: MARK}),
    "native, exits": Dispatch(
        EXITS, (("backends/native/flow/control", "_jump"), ("backends/native/flow/control", "_node"))
    ),
    "native, offers": Dispatch(
        OFFERS, (("backends/native/flow/offers", "write_rows"), ("backends/native/flow/nodes", "count_node"))
    ),
    "native, promises": Dispatch(
        PROMISES,
        (("backends/native/flow/judging", "_add"),),
        {
            ir.Lemma: PROMISED.format("the interpreter goes through its values"),
            ir.NeverStuck: "who is stuck ends a play, and that is told apart",
            ir.Secret: PROMISED.format("sampling/secrets.py compares two runs"),
            ir.Symmetry: PROMISED.format("sampling/symmetry.py renames plays"),
            ir.OddsPromise: PROMISED.format("verdict/odds.py computes them"),
        },
    ),
    "symbolic, expressions": Dispatch(
        EXPRESSIONS,
        (("backends/symbolic/read/expressions", "value"),),
        {
            ir.Ways: "maps are too many to name; what reads them is not proved",
            ir.Asked: "who is asked is known at nodes only; in examples",
            ir.Odds: "verdict/odds.py computes them; what reads them is not proved",
        },
    ),
    "symbolic, steps": Dispatch(
        STEPS,
        (("backends/symbolic/run/effects", "_do"),),
        {
            ir.Shuffle: "what lies in which layer of a pile is left open",
            flow.Judge: OWED,
            flow.Require: OWED,
            ir.Say: SAID,
            ir.Show: SAID,
            flow.Veil: SAID,
        },
    ),
    "symbolic, exits": Dispatch(
        EXITS, (("backends/symbolic/run/onward", "_jumped"), ("backends/symbolic/run/onward", "_arrived"))
    ),
    "symbolic, offers": Dispatch(OFFERS, (("backends/symbolic/run/offers", "answers"),)),
    "proofs, promises": Dispatch(
        PROMISES,
        (("prove/proofs", "provable_parts"), ("prove/proofs", "_side_by_side")),
        {
            ir.Reachable: "one play shows it",
            ir.Winnable: "only a complete exploration shows that there is a way from everywhere",
            ir.OddsPromise: "verdict/odds.py computes them exactly",
        },
    ),
    "text, expressions": Dispatch(EXPRESSIONS, (("core/show", "show_expr"),)),
    "text, steps": Dispatch(STEPS, (("core/show_game", "_step"), ("core/show_game", "_effect"))),
    "text, exits": Dispatch(EXITS, (("core/show_game", "_exit"),)),
    "text, offers": Dispatch(OFFERS, (("core/show_game", "_offer"),)),
    "text, promises": Dispatch(PROMISES, (("core/show_game", "_promise"),)),
}


@pytest.mark.parametrize("who", DISPATCH)
def test_nodes(who: str) -> None:
    dispatch = DISPATCH[who]
    covered = {name for place in dispatch.functions for name in _covered(*place)}
    missing = {one.__name__ for one in dispatch.members} - covered
    named = {one.__name__ for one in dispatch.unsupported}
    assert missing == named, f"{who}: not covered {missing - named}, covered by now {named - missing}"
    assert all(dispatch.unsupported.values())


def _covered(module: str, function: str) -> Iterator[str]:
    """The names of the nodes that a function does something with."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    assert found, f"{module}.py has no function {function}"
    for node in (inner for one in found for inner in ast.walk(one)):
        if isinstance(node, ast.match_case) and not _refuses(node.body):
            yield from (_last(p.cls) for p in ast.walk(node.pattern) if isinstance(p, ast.MatchClass))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from (_last(part) for part in ast.walk(node.args[1]) if isinstance(part, ast.Attribute))


def _refuses(body: list[ast.stmt]) -> bool:
    """Whether a case only says that there is nothing for it here."""
    match body:
        case [ast.Pass()] | [ast.Return(value=ast.Tuple(elts=[]))]:
            return True
        case [ast.Raise(exc=ast.Call(func=func))]:
            return _last(func) in REFUSALS
        case _:
            return False


def _last(named: ast.expr) -> str:
    return named.attr if isinstance(named, ast.Attribute) else named.id if isinstance(named, ast.Name) else ""
