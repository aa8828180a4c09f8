"""Worked examples of a base that end otherwise with a house rule, counted anew: what a variant has to say of them.

An example is copied under another name, and what it says is corrected until it holds: of `then a = b` the right side is
what the left one is now; a step that is refused now ends it, with `then refused`. Where that is not enough, there is no
copy, and the variant only says that the example breaks. In: the texts of examples, and what makes a game of the variant
with more lines; out: lines of text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from seaspec.backends.interpreter.errors import RuleError
from seaspec.core import ir
from seaspec.core.ops import Op
from seaspec.core.show import show_value
from seaspec.examples.positions import tuples
from seaspec.examples.run import MOST_RUNS, Branch, Failure, Run
from seaspec.game import Game
from seaspec.source import Span
from seaspec.syntax import tree

ROUNDS = 12
"""An example is corrected so often at most."""
LONGEST = 90
"""Letters of a reason."""


@dataclass(frozen=True, slots=True)
class Recounted:
    """What is accepted. `text`: the example as it is now; None: it could not be counted anew."""

    name: str
    because: str
    text: str | None


Made = Mapping[str, tuple[Game, ir.Example, tree.Example]]
"""By name, examples in the game that they are run in, with what is written."""
Make = Callable[[Mapping[str, str]], Made]
"""Makes games in which there are examples of these texts, too; without those whose text is faulty."""


def is_acceptable(failure: Failure) -> bool:
    """Whether the example only ends otherwise: that the rules fail, or somebody is stuck, nobody accepts."""
    return "the rules fail" not in failure.message and "stuck:" not in failure.message


def recounted(texts: Mapping[str, str], make: Make) -> dict[str, str]:
    """The texts, corrected until all that they say holds; without those where that can not be done."""
    done: dict[str, str] = {}
    left = dict(texts)
    for _ in range(ROUNDS):
        made = make(left)
        after = {}
        for name, (game, example, declared) in made.items():
            missed = _first_miss(game, example)
            if missed is None:
                done[name] = left[name]
                continue
            text = _corrected(game, declared, *missed)
            if text is not None and text != left[name]:
                after[name] = text
        left = after
        if not left:
            break
    return done


def because(failure: Failure) -> str:
    """Why an example breaks, in words for the variant."""
    what, _, rest = failure.message.partition(": ")
    if what == "this does not hold":
        said = rest.partition("; ")[2] or f"it is not so that {rest}"
    elif what == "refused":
        said = rest.partition(": ")[2] or rest
    elif failure.message.startswith("this is allowed"):
        said = "it is allowed"
    else:
        said = what
    said = said.translate(str.maketrans('"{}\n\\', "'() /"))
    return said if len(said) <= LONGEST else said[:LONGEST].rpartition(" ")[0] + " .."


class _Recounting(Run):
    """Remembers which test failed, and where."""

    missed: tuple[ir.Expr, Branch] | None = None

    def _said(self, test: ir.Expr, branch: Branch) -> str:
        self.missed = test, branch
        return super()._said(test, branch)


def _first_miss(game: Game, example: ir.Example) -> tuple[Failure, _Recounting] | None:
    """The first run of an example that fails."""
    try:
        envs = list(tuples(game.machine, example.any))[:MOST_RUNS]
    except RuleError:
        envs = []
    for env in envs:
        run = _Recounting(game.machine, example, env, None)
        failure = run.result()
        if failure is not None:
            return failure, run
    return None


def _corrected(game: Game, declared: tree.Example, failure: Failure, run: _Recounting) -> str | None:
    """The text of an example with what is so now; None: there is no saying it."""
    if failure.message.startswith("refused: "):
        step = next((line for line in declared.lines if line.span.start == failure.span.start), None)
        return None if step is None else _until(declared, step.span) + "\n  then refused"
    if run.missed is None:
        return None
    test, branch = run.missed
    then = next(line for line in declared.lines if isinstance(line, tree.Then) and line.span == failure.span)
    expect = next(line for line in run.example.lines if line.span == failure.span)
    assert isinstance(expect, ir.Expect)
    written = [outcome for outcome in then.outcomes if not isinstance(outcome, tree.Refused)]
    outcome = written[next(number for number, each in enumerate(expect.tests) if each is test)]
    match test, outcome:
        case ir.Apply(_, Op.EQUAL, (left, _)), tree.Binary(right=right):
            value = show_value(run.value(left, branch.state), left.type, game.rules)
            return _replaced(declared, right.span, value)
        case _:  # cautious: it is not counted anew
            return None


def _until(declared: tree.Example, span: Span) -> str:
    """The text of an example to the end of a stretch of it."""
    return declared.span.text[: span.end - declared.span.start]


def _replaced(declared: tree.Example, span: Span, value: str) -> str:
    start = declared.span.start
    text = declared.span.text
    return text[: span.start - start] + value + text[span.end - start :]
