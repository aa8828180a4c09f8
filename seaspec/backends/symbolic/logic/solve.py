"""Asks Z3, or cvc5 as a second opinion, in this process: one script, one answer for each goal. Whoever needs a time
limit that holds kills the process.

An answer counts only if the solver gave it: what is unknown, runs out of time or of memory is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import metadata
from typing import Any

from seaspec.backends.symbolic.logic.smtlib import Script, goal_name, mark_name, with_marks

WORK = 3_000
"""Units of the solver's own count of its work, for a millisecond of a machine that has nothing else to do. This is what
ends a search: so what is found out does not depend on the machine."""
PATIENCE = 10
"""On a busy machine it may take so many times as long."""


class Answer(Enum):
    """Whether the assertions of a script can hold together."""

    IMPOSSIBLE = "unsat"
    POSSIBLE = "sat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. `values`: of the variables of the script, if it is possible; yes and no are 1 and 0.

    `used`: if it is impossible, which of what is given makes it so, by place (more may be named than needed).
    """

    answer: Answer
    values: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    used: tuple[int, ...] = ()


def version() -> str | None:
    """The version of the solver; None if it is not installed. It is not loaded for this."""
    return _version("z3", "z3-solver")


def another_version() -> str | None:
    """The version of the second solver; None if it is not installed. It is not loaded for this."""
    return _version("cvc5", "cvc5")


def _version(name: str, package: str) -> str | None:
    try:
        return f"{name} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return None


def ask(script: Script, milliseconds: int, wanted: Sequence[int] | None = None) -> list[Reply]:
    """Whether the contrary of each goal is possible; without goals, whether what is given is. The time is for each.

    `wanted`: the numbers of the goals that are asked for; all of them, if it is not said.
    """
    import z3

    wanted = range(max(1, script.goals)) if wanted is None else wanted
    context = z3.Context()  # of its own, so that an answer does not depend on what was asked before
    solver = z3.SimpleSolver(ctx=context)
    solver.set("smt.mbqi", script.thorough)
    solver.set("smt.arith.solver", 2)  # the older one: a third less work for bounds and sums of this size
    solver.set("rlimit", min(WORK * milliseconds + 1, 2**32 - 1))
    solver.set("timeout", max(1, PATIENCE * milliseconds))
    try:
        solver.from_string(with_marks(script))
    except z3.Z3Exception as error:
        return [Reply(Answer.UNKNOWN, reason=str(error))] * len(wanted)
    marks = [_yes_or_no(context, mark_name(place)) for place in range(script.given)]
    goals = [[_yes_or_no(context, goal_name(place))] if script.goals else [] for place in wanted]
    return [_asked(solver, script, marks, goal) for goal in goals]


def ask_another(script: Script, milliseconds: int, wanted: Sequence[int] | None = None) -> list[Reply]:
    """The same of a second solver, cvc5. It tells neither values nor what was used."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(max(1, milliseconds)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script.text, "script")
    symbols = parser.getSymbolManager()
    wanted = range(max(1, script.goals)) if wanted is None else wanted
    found: list[Reply] = []
    checks = 0
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName().startswith("check-sat"):
            checks += 1
            if checks - 1 not in wanted:
                continue
        said = command.invoke(solver, symbols).strip()
        if said in (Answer.IMPOSSIBLE.value, Answer.POSSIBLE.value):
            found.append(Reply(Answer(said)))
        elif said:
            found.append(Reply(Answer.UNKNOWN, reason=said))
    return found if len(found) == len(wanted) else [Reply(Answer.UNKNOWN, reason="no answer")] * len(wanted)


# The library itself is asked from here on: its wrapper takes longer than it for questions of this size. What is named
# is kept until the context goes; what a model says lives as long as the model.


def _yes_or_no(context: Any, name: str) -> Any:
    """A variable that the text declares."""
    import z3

    inside = context.ref()
    found = z3.Z3_mk_const(inside, z3.Z3_mk_string_symbol(inside, name), z3.Z3_mk_bool_sort(inside))
    z3.Z3_inc_ref(inside, found)
    return found


def _asked(solver: Any, script: Script, marks: list[Any], goal: list[Any]) -> Reply:
    """One answer."""
    import z3

    context = solver.ctx.ref()
    supposed = (z3.Ast * (len(marks) + len(goal)))(*marks, *goal)
    try:
        found = z3.CheckSatResult(z3.Z3_solver_check_assumptions(context, solver.solver, len(supposed), supposed))
        if found == z3.unsat:
            core = {one.get_id() for one in solver.unsat_core()}
            used = (place for place, mark in enumerate(marks) if z3.Z3_get_ast_id(context, mark) in core)
            return Reply(Answer.IMPOSSIBLE, used=tuple(used))
        if found != z3.sat:
            return Reply(Answer.UNKNOWN, reason=solver.reason_unknown())
        return Reply(Answer.POSSIBLE, _values(solver.model(), script))
    except z3.Z3Exception as error:
        return Reply(Answer.UNKNOWN, reason=str(error))


def _values(model: Any, script: Script) -> dict[str, int]:
    """What the model says of the variables of the script."""
    import z3

    context, found = model.ctx.ref(), model.model
    names = {symbol.strip("|"): name for name, symbol in script.names}
    values = {}
    for place in range(z3.Z3_model_get_num_consts(context, found)):
        declared = z3.Z3_model_get_const_decl(context, found, place)
        name = names.get(z3.Z3_get_symbol_string(context, z3.Z3_get_decl_name(context, declared)))
        if name is not None:
            value = z3.Z3_model_get_const_interp(context, found, declared)
            said = z3.Z3_get_bool_value(context, value)
            is_number = said == z3.Z3_L_UNDEF
            values[name] = int(z3.Z3_get_numeral_string(context, value)) if is_number else int(said == z3.Z3_L_TRUE)
    return values
