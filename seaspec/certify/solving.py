"""Questions to solvers: Z3 works them out, cvc5 is asked for a second opinion. Only `unsat` counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import z3

from seaspec.certify.values import Bool, not_

Z3Exception = z3.Z3Exception
SOON, PATIENT = 300, 15_000
"""Milliseconds."""


def is_possible(tests: Sequence[Bool]) -> bool:
    """Whether these may hold together: no, only if a solver says so soon."""
    if any(test is False for test in tests):
        return False
    terms = [test for test in tests if test is not True]
    if len({term.get_id() for term in terms} & {not_(term).get_id() for term in terms}):
        return False
    return not terms or bool(_solver(terms, SOON).check() != z3.unsat)


def follows(given: Sequence[Bool], goal: Bool, milliseconds: int = PATIENT) -> tuple[bool, Any]:
    """Whether a goal follows; else a model in which it fails, if there is one."""
    if goal is True or any(one is False for one in given):
        return True, None
    terms = [one for one in given if one is not True]
    if goal is not False and goal.get_id() in {term.get_id() for term in terms}:
        return True, None
    solver = _solver([*terms, *(() if goal is False else (not_(goal),))], milliseconds)
    answer = solver.check()
    return bool(answer == z3.unsat), solver.model() if answer == z3.sat else None


def fails_in(model: Any, goal: Bool) -> bool:
    """Whether a goal fails in a model."""
    return not goal if isinstance(goal, bool) else bool(z3.is_false(model.eval(goal, model_completion=True)))


def apart(term: Any) -> Any:
    """A term with other names throughout: another moment."""
    if isinstance(term, bool):
        return term
    names, waiting, seen = [], [term], set()
    while waiting:
        here = waiting.pop()
        if here.get_id() not in seen:
            seen.add(here.get_id())
            waiting += here.children()
            if z3.is_const(here) and here.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                names.append((here, z3.Const(f"{here.decl().name()}~", here.sort())))
    return z3.substitute(term, *names)


def exchanged(term: Any, names: Sequence[tuple[Any, Any]]) -> Any:
    """A term with some names for others."""
    return term if isinstance(term, bool) else z3.substitute(term, *names)


def script(given: Sequence[Bool], goal: Bool) -> str:
    """A question as SMT-LIB text: it should have no answer."""
    return str(_solver([*(one for one in given if not isinstance(one, bool)), z3.Not(goal)], PATIENT).to_smt2())


def denies(text: str, milliseconds: int = PATIENT) -> bool:
    """Whether cvc5, if it is there, finds an answer where Z3 has found that there is none."""
    try:
        import cvc5
    except ImportError:
        return False
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "(set-logic ALL)\n" + text, "question")
    symbols = parser.getSymbolManager()
    said = ""
    with suppress(RuntimeError):  # it can not read the question, and has no opinion
        while not (command := parser.nextCommand()).isNull():
            said += str(command.invoke(solver, symbols))
    return said.strip() == "sat"


def _solver(terms: Sequence[Any], milliseconds: int) -> Any:
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.add(*terms)
    return solver
