"""Whether something follows from what is given: goals are asked of a solver, several at once, and what helps is told.

Only what a solver finds impossible counts: with an answer that is not `unsat` a goal is not known to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from seaspec.backends.symbolic.paths import Path
from seaspec.backends.symbolic.smtlib import Script, script
from seaspec.backends.symbolic.solve import Answer, Reply
from seaspec.backends.symbolic.terms import NO, YES, Kind, Term, post_order
from seaspec.trials.facts import Fact
from seaspec.trials.grounds import Ground

Solver = Callable[[Sequence[Script], int], Iterable[Sequence[Reply]]]
"""Answers questions in their order, a reply for each goal; what it has no time for is unknown. Also told: how patient
to be, as a multiple of the usual time."""

Given = list[tuple[Term, Fact | None]]
"""What may be relied on, with the fact that it says."""
CHUNK = 16
"""So many scripts are asked before it is looked at what came out."""
AT_ONCE = 12
"""So many goals are asked in one script at most."""


@dataclass(eq=False)
class Goal:
    """Something to be shown: from what is given it follows."""

    given: Given
    goal: Term
    path: Path
    fact: Fact | None


class Entailment:
    """Asks whether goals follow. `ground`: what is relied on with a term that is given.

    `supposed`: of facts that do not follow, a path that breaks them, from a position that the solver made up.
    """

    def __init__(
        self, solve: Solver, go_on: Callable[[], bool], ground: Callable[[Term, Fact | None], Ground | None]
    ) -> None:
        self.solve = solve
        self.go_on = go_on
        self.ground = ground
        self.supposed: dict[Fact | None, tuple[Path, dict[str, int]]] = {}

    def hold(self, goals: Sequence[Goal], patience: int = 1) -> list[frozenset[Ground] | None]:
        """For each goal, None if it is not known to follow, else the facts and guards that it rests on."""
        results = [self.plainly(goal) for goal in goals]
        for simpler in (True, False):
            together: dict[tuple[int, int], list[int]] = {}
            for place, goal in enumerate(goals):
                if results[place] is None and goal.goal is not NO:
                    together.setdefault((id(goal.path), id(goal.given)), []).append(place)
            asked: list[tuple[list[int], Given]] = []
            for places in together.values():
                given = _simpler(goals[places[0]].given) if simpler else goals[places[0]].given
                if simpler and len(given) == len(goals[places[0]].given):
                    continue
                for at_once in (places[i : i + AT_ONCE] for i in range(0, len(places), AT_ONCE)):
                    asked.append((at_once, relevant(given, [goals[place].goal for place in at_once])))
            for several in (asked[i : i + CHUNK] for i in range(0, len(asked), CHUNK)):
                self._ask(goals, several, results, patience)
        return results

    def _ask(
        self,
        goals: Sequence[Goal],
        asked: Sequence[tuple[list[int], Given]],
        results: list[frozenset[Ground] | None],
        patience: int,
    ) -> None:
        """Ask some questions at once."""
        if not self.go_on():
            return
        questions = [
            script([term for term, _ in given], [goals[place].goal for place in places], thorough=patience > 1)
            for places, given in asked
        ]
        for (places, given), replies in zip(asked, self.solve(questions, patience), strict=True):
            for place, reply in zip(places, replies, strict=True):
                if reply.answer is Answer.IMPOSSIBLE:
                    used = (self.ground(*given[number]) for number in reply.used)
                    results[place] = frozenset(ground for ground in used if ground is not None)
                elif reply.answer is Answer.POSSIBLE and goals[place].fact is not None:
                    self.supposed.setdefault(goals[place].fact, (goals[place].path, reply.values))

    def plainly(self, goal: Goal) -> frozenset[Ground] | None:
        """What a goal rests on, if it can be seen to follow without a solver."""
        if goal.goal is YES:
            return frozenset()
        known = dict(reversed(goal.given))
        parts = goal.goal.args if goal.goal.kind is Kind.AND else (goal.goal,)
        if not all(part in known for part in parts):
            return None
        used = (self.ground(part, known[part]) for part in parts)
        return frozenset(ground for ground in used if ground is not None)


def _simpler(given: Given) -> Given:
    """What is given without what says much at once of the way of a path (that there is an option, at its end)."""
    return [(term, fact) for term, fact in given if fact is not None or term.height <= 1]


def relevant(given: Given, goals: Sequence[Term]) -> Given:
    """What has names in common with the goals, directly or by way of others."""
    left = list(dict(given).items())
    reached = {name for goal in goals for name in names(goal)}
    chosen: Given = [(term, fact) for term, fact in left if not names(term)]
    while True:
        here = [(term, fact) for term, fact in left if names(term) & reached]
        if not here:
            return chosen
        chosen += here
        for term, _ in here:
            reached |= names(term)
        taken = {term for term, _ in here}
        left = [(term, fact) for term, fact in left if term not in taken]


@lru_cache(100_000)
def names(term: Term) -> frozenset[str]:
    return frozenset(p.name for p in post_order(term) if p.kind in (Kind.VAR, Kind.APPLY) and p.name[0] != "?")
