"""What an example looks like: the position that it gives, what is done, and the position at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.interpreter.state import State
from seaspec.core import ir
from seaspec.examples.positions import tuples
from seaspec.examples.run import Branch, Failed, Run
from seaspec.game import Game


@dataclass(frozen=True, slots=True)
class Course:
    """One way in which an example goes: procedures that are run, by name, and what is answered at which position;
    `refused`: what is not allowed, in words, and before which of these moves it is tried; `wrong`: of an example that
    does not hold, what is not so at the end."""

    first: State
    moves: tuple[str | tuple[State, Answer], ...]
    last: State
    refused: tuple[tuple[int, str], ...]
    wrong: str = ""


class _Watched(Run):
    """A run that keeps where it began, and what was refused."""

    first: State | None = None
    all_refused: tuple[tuple[int, str], ...] = ()
    failed: Branch | None = None

    def _follow(self) -> None:
        try:
            super()._follow()
        except Failed as failed:
            self.failed = failed.branch or next(iter(self.branches), None)
            raise

    def _begin(self, lines: Sequence[ir.Step | ir.Expect]) -> None:
        super()._begin(lines)
        self.first = self.branches[0].state

    def _answer(self, step: ir.Step, expected_refusal: bool) -> None:
        super()._answer(step, expected_refusal)
        if expected_refusal and self.branches:
            reasons = "; ".join(self.refused or ())
            words = f"not allowed: {step.span.text.removeprefix('when ')}" + (f" ({reasons})" if reasons else "")
            self.all_refused = (*self.all_refused, (len(self.branches[0].moves), words))


def course_of(game: Game, example: ir.Example, holds: bool = True) -> Course | None:
    """Of the first names that the example may mean, the first course; None where it does not come to its end, or, of
    one that does not hold, where nothing comes of it. Its options are those of the game."""
    try:
        env = next(iter(tuples(game.machine, example.any)), None)
    except RuleError:
        return None
    if env is None:
        return None
    run = _Watched(game.machine, example, env, None)
    failure = run.result()
    if not holds and failure is not None and run.first is not None and run.failed is not None:
        return Course(run.first, run.failed.moves, run.failed.state, run.all_refused, failure.message)
    if failure is not None or run.first is None or not run.branches:
        return None
    course = run.branches[0]
    return Course(run.first, course.moves, course.state, run.all_refused)
