"""What an example looks like: the position that it gives, and the one at its end."""

from __future__ import annotations

from collections.abc import Sequence

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.state import State
from seaspec.core import ir
from seaspec.examples.positions import tuples
from seaspec.examples.run import Run
from seaspec.game import Game


class _Watched(Run):
    """A run that keeps where it began."""

    first: State | None = None

    def _begin(self, lines: Sequence[ir.Step | ir.Expect]) -> None:
        super()._begin(lines)
        self.first = self.branches[0].state


def before_and_after(game: Game, example: ir.Example) -> tuple[State, State] | None:
    """Of the first names that the example may mean, the first course; None where it does not come to its end. Its
    options are those of the game."""
    try:
        env = next(iter(tuples(game.machine, example.any)), None)
    except RuleError:
        return None
    if env is None:
        return None
    run = _Watched(game.machine, example, env, None)
    if run.result() is not None or run.first is None or not run.branches:
        return None
    return run.first, run.branches[0].state
