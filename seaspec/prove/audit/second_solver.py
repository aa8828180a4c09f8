"""Steps of proofs, asked of a second solver: what one finds impossible, the other should not find possible.

The second solver is asked as the step stands. Of what it does not decide soon, or denies, the first one is asked again:
it names what of the given it needs, and the second one is asked with only that. So a step is contested only if both
have decided the same text, and say the contrary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice

from seaspec.backends.symbolic.logic.smtlib import Script, narrowed, told
from seaspec.backends.symbolic.logic.solve import Answer
from seaspec.prove.entail import Solver
from seaspec.prove.proof import Step

AT_ONCE = 64
"""So many steps are made, and asked, before it is looked what came out."""
PATIENT = 4
"""How much more time there is for the second try."""


@dataclass(frozen=True, slots=True)
class Contested:
    """A step about which the solvers contradict each other. `of`: as in `Step`."""

    step: str
    of: str | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the second solver says of steps: how many it agrees to, how many it does not decide, which it denies.

    `complete`: it was asked for all of them.
    """

    agreed: int = 0
    undecided: int = 0
    contested: tuple[Contested, ...] = ()
    complete: bool = False

    @property
    def steps(self) -> int:
        return self.agreed + self.undecided + len(self.contested)


def cross_check(steps: Iterable[Step], first: Solver, second: Solver, go_on: Callable[[], bool]) -> Iterator[Agreement]:
    """Ask a second solver for steps that the first one has found to follow: what has come out, again and again.

    `go_on` is asked now and then whether there is time left; what had no time is not called undecided.
    """
    found = Agreement()
    different = _different(steps)
    while go_on():
        several = list(islice(different, AT_ONCE))
        if not several:
            yield replace(found, complete=True)
            return
        new = _ask(several, first, second)
        undecided = new.undecided if go_on() else 0
        found = Agreement(found.agreed + new.agreed, found.undecided + undecided, found.contested + new.contested)
        yield found


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that is asked: the step, and the question without its words."""

    step: Contested
    question: Script


def _different(steps: Iterable[Step]) -> Iterator[_Asked]:
    """Each question is asked once of the induction, and once for each promise."""
    seen: set[tuple[str | None, bytes]] = set()
    for step in steps:
        said, question = told(step.script)
        key = step.of, blake2b(question.text.encode()).digest()
        if key not in seen:
            seen.add(key)
            yield _Asked(Contested(said, step.of), question)


def _ask(several: Sequence[_Asked], first: Solver, second: Solver) -> Agreement:
    answers = _answers(several, second, 1)
    doubtful = [(asked, answer) for asked, answer in answers if answer is not Answer.IMPOSSIBLE]
    contested = []
    again = []
    for (asked, answer), (reply,) in zip(doubtful, first([one.question for one, _ in doubtful], PATIENT), strict=True):
        if reply.answer is not Answer.IMPOSSIBLE:
            continue
        if answer is Answer.POSSIBLE:
            contested.append(asked.step)
        else:
            again.append(_Asked(asked.step, narrowed(asked.question, reply.used)))
    second_try = _answers(again, second, PATIENT)
    contested += [asked.step for asked, answer in second_try if answer is Answer.POSSIBLE]
    agreed = sum(answer is Answer.IMPOSSIBLE for _, answer in (*answers, *second_try))
    return Agreement(agreed, len(several) - agreed - len(contested), tuple(contested))


def _answers(several: Sequence[_Asked], solve: Solver, patience: int) -> list[tuple[_Asked, Answer]]:
    replies = solve([asked.question for asked in several], patience)
    return [(asked, reply.answer) for asked, (reply,) in zip(several, replies, strict=True)]
