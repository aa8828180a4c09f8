"""Whether something follows from what is given: goals are asked of a solver, several at once, and what helps is told.

Only what a solver finds impossible counts: with an answer that is not `unsat` a goal is not known to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import groupby

from seaspec.backends.symbolic.logic.formulas import post_order
from seaspec.backends.symbolic.logic.smtlib import Script, script
from seaspec.backends.symbolic.logic.solve import Answer, Reply
from seaspec.backends.symbolic.logic.terms import NO, YES, Kind, Term
from seaspec.backends.symbolic.paths.paths import Path
from seaspec.backends.symbolic.values.changes import from_afar
from seaspec.prove.explain.grounds import Ground
from seaspec.prove.facts import Fact

Solver = Callable[[Iterable[Script], int], Iterable[Sequence[Reply]]]
"""Answers questions in their order, a reply for each goal; what it has no time for is unknown. Also told: how patient
to be, as a multiple of the usual time. Questions may still be made while the first are answered."""

Given = list[tuple[Term, Fact | None]]
"""What may be relied on, with the fact that it says."""
AT_ONCE = 12
"""So many goals are asked in one script at most."""


@dataclass(eq=False)
class Goal:
    """Something to be shown: from what is given it follows."""

    given: Given
    goal: Term
    path: Path
    fact: Fact | None
    whole: bool = False
    """Whether all that is given counts, also what has nothing to do with the goal: together it may be impossible."""

    def relevant(self, goals: Sequence[Term]) -> Given:
        """What is given that may help to show goals like this."""
        return list(dict(self.given).items()) if self.whole else relevant(self.given, goals)

    @property
    def on(self) -> tuple[int, int]:
        """The path, and what is given: goals that have these in common are asked at once."""
        return id(self.path), id(self.given)

    @property
    def only_helps(self) -> bool:
        """Whether it is a fact that nobody has promised, nor takes for that."""
        return self.fact is not None and self.fact.promise is None and not self.fact.is_wanted


class Form(Enum):
    """How a question is asked, one after the other: about nothing but what the goals and their path name; with what is
    about the same things; with all that is given. What only helps is not asked for in the last one."""

    SIMPLE = 0
    NEAR = 1
    WHOLE = 2


class Entailment:
    """Asks whether goals follow. `ground`: what is relied on with a term that is given. `is_near`: whether a fact is
    about what is tried now.

    `supposed`: of facts that do not follow, a path that breaks them, from a position that the solver made up.
    """

    def __init__(
        self,
        solve: Solver,
        go_on: Callable[[], bool],
        ground: Callable[[Term, Fact | None], Ground | None],
        is_near: Callable[[Fact], bool] = lambda fact: True,
    ) -> None:
        self.solve = solve
        self.go_on = go_on
        self.ground = ground
        self.is_near = is_near
        self.supposed: dict[Fact | None, tuple[Path, dict[str, int]]] = {}

    def hold(self, goals: Iterable[Goal], patience: int = 1) -> list[frozenset[Ground] | None]:
        """For each goal, None if it is not known to follow, else the facts and guards that it rests on.

        Goals may come one after the other: solvers are asked as soon as those on one path are there.
        """
        seen: list[Goal] = []
        results: list[frozenset[Ground] | None] = []

        def coming() -> Iterator[int]:
            for goal in goals:
                seen.append(goal)
                results.append(self.plainly(goal))
                yield len(results) - 1

        for form in Form:
            places = coming() if form is Form.SIMPLE else iter(range(len(seen)))
            left = (place for place in places if results[place] is None and seen[place].goal is not NO)
            asked = (place for place in left if form is not Form.WHOLE or not seen[place].only_helps)
            self._ask(seen, (list(on) for _, on in groupby(asked, lambda p: seen[p].on)), results, patience, form)
        return results

    def _ask(
        self,
        goals: Sequence[Goal],
        groups: Iterable[Sequence[int]],
        results: list[frozenset[Ground] | None],
        patience: int,
        form: Form,
    ) -> None:
        """Ask for goals, those on one path at once, in some form."""
        asked: list[_Asked] = []

        def questions() -> Iterator[Script]:
            for group in groups:
                if not self.go_on():
                    continue
                for places in (group[i : i + AT_ONCE] for i in range(0, len(group), AT_ONCE)):
                    wanted = [goals[place].goal for place in places]
                    question = self._question(form, places, goals[group[0]], wanted)
                    if question is not None:
                        asked.append(question)
                        yield script(question.terms, question.goals or wanted, thorough=patience > 1)

        for number, replies in enumerate(self.solve(questions(), patience)):
            question = asked[number]
            for place, reply in zip(question.places, replies, strict=True):
                if reply.answer is Answer.IMPOSSIBLE:
                    used = (self.ground(*question.given[number]) for number in reply.used)
                    results[place] = frozenset(ground for ground in used if ground is not None)
                elif reply.answer is Answer.POSSIBLE and goals[place].fact is not None and question.is_all:
                    self.supposed.setdefault(goals[place].fact, (goals[place].path, reply.values))

    def _question(self, form: Form, places: Sequence[int], goal: Goal, wanted: Sequence[Term]) -> _Asked | None:
        """A question in some form; None if there is none, or it would be the same as in the form before. `goal`: one of
        those that are asked at once."""
        near = [(term, fact) for term, fact in goal.given if fact is None or self.is_near(fact)]
        if goal.whole or (form is Form.NEAR and len(near) == len(goal.given)):
            return _Asked(places, goal.relevant(wanted)) if form is Form.NEAR else None
        match form:
            case Form.SIMPLE:
                return _simple(places, goal.given, wanted)
            case Form.NEAR:
                return _Asked(places, relevant(near, wanted), is_all=False)
            case Form.WHOLE:
                return None if len(near) == len(goal.given) else _Asked(places, goal.relevant(wanted))

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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: goals that are asked at once, and what is given. `told`, `goals`: the form in which they are asked,
    if it is not the plain one. `is_all`: all that is given is told."""

    places: Sequence[int]
    given: Given
    told: Sequence[Term] = ()
    goals: Sequence[Term] = ()
    is_all: bool = True

    @property
    def terms(self) -> Sequence[Term]:
        return self.told or [term for term, _ in self.given]


def _simple(places: Sequence[int], given: Given, wanted: Sequence[Term]) -> _Asked | None:
    """A question without what says much at once of the way of a path (that there is an option, at its end) and without
    facts that also speak of other things, and with sums from afar; None if it is no simpler so."""
    way = relevant([(term, fact) for term, fact in given if fact is None and term.height <= 1], wanted)
    spoken_of = frozenset[str]().union(*map(names, wanted), *(names(term) for term, _ in way))
    less = [*way, *dict.fromkeys((term, fact) for term, fact in given if fact is not None and names(term) <= spoken_of)]
    terms = [term for term, _ in less]
    told, goals = from_afar(terms, wanted)
    if told != terms or goals != wanted:
        return _Asked(places, less, told, goals, is_all=False)
    return _Asked(places, less, is_all=False) if len(less) < len(relevant(given, wanted)) else None


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


# In which order facts are asked for at the ends of paths: what is dropped by one path need not be asked of others.

Asked = tuple[int, Fact]
"""A path, by its place in the list of paths, and a fact at its end."""


def in_waves(waiting: Sequence[Asked], paths: Sequence[Path]) -> Iterator[list[Asked]]:
    """First what is asked of one path to each location, then of more and more paths."""
    asked: dict[int, list[Fact]] = {}
    for place, fact in waiting:
        asked.setdefault(place, []).append(fact)
    ways: dict[int | None, list[int]] = {}
    for place in asked:
        ways.setdefault(paths[place].target, []).append(place)
    done, several = 0, 1
    while any(len(places) > done for places in ways.values()):
        now = [place for places in ways.values() for place in places[done : done + several]]
        yield [(place, fact) for place in now for fact in asked[place]]
        done, several = done + several, 3 * several
