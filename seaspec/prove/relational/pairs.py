"""Two positions side by side: what follows for expressions that are read at both, whatever position the first one is.

The rules have a value for what is read at the first position; that they have one at the second, too, is mostly part of
what is asked. First what is large is quantified over; then it is written out, for each value of one name if it has few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.smtlib import Script, script
from seaspec.backends.symbolic.logic.terms import Term, made
from seaspec.backends.symbolic.paths.paths import Path, anything, free_variable
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import Value
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.types import Type
from seaspec.core.walk import free_variables
from seaspec.prove import lemmas
from seaspec.prove.entail import Entailment, Given, Goal, Solver, relevant
from seaspec.sampling.renaming import NoImage

MOST_CASES = 64
"""A name of at most so many values is looked at value by value."""
MOST_WORK = 1_500_000
"""So many terms are made for one promise."""


@dataclass(frozen=True, eq=False)
class Second:
    """The second position, and what values of names at the first one are there."""

    position: Position
    value: Callable[[Value, Type], Value]


Other = Callable[[World, Position, list[Term]], Second]
"""Makes the second position of a first one; also told: where to note what holds of both."""
Claim = Callable[[Reader, Reader, Second], Term]
"""What is to follow, for readers of the first and the second position."""


class Twins:
    """Asks a solver about positions side by side. `shown`: what was found to follow."""

    def __init__(self, graph: flow.Flow, other: Other, solve: Solver, go_on: Callable[[], bool]) -> None:
        self.graph = graph
        self.other = other
        last = made() + MOST_WORK
        self.go_on: Callable[[], bool] = lambda: go_on() and made() < last
        self.entailment = Entailment(solve, self.go_on, lambda term, fact: None)
        self.shown: list[Goal] = []
        self._worlds: dict[int, World] = {}
        self.unsupported = ""
        """What had no encoding, when something did not follow."""

    def follows(self, exprs: Sequence[Expr], claim: Claim, known: Mapping[Variable, object] = {}) -> bool:
        """Whether a claim about expressions follows. `known`: names that have this value."""
        names = [name for name in free_variables(*exprs) if name not in known]
        few = [name for name in names if 1 < _cases(name.type) <= MOST_CASES]
        split = max(few, key=lambda name: _cases(name.type), default=None)
        self.unsupported = ""
        if self._all_follow(lemmas.FEW, 1, [(names, known)], claim):
            return True
        if split is None:
            return self._all_follow(lemmas.MANY, lemmas.PATIENT, [(names, known)], claim)
        cases = [(names, {**known, split: value}) for value in types.values(split.type)]
        return self._all_follow(lemmas.MANY, 1, cases, claim)

    def scripts(self, comment: str) -> Iterator[Script]:
        """What was found to follow, but what is plain."""
        for goal in self.shown:
            if self.entailment.plainly(goal) is None:
                given = relevant(goal.given, [goal.goal])
                yield script([term for term, _ in given], [goal.goal], comment)

    def _all_follow(
        self,
        few: int,
        patience: int,
        cases: Sequence[tuple[Sequence[Variable], Mapping[Variable, object]]],
        claim: Claim,
    ) -> bool:
        goals: list[Goal] = []
        for names, known in cases:
            goal = self._goal(few, names, known, claim) if self.go_on() else None
            if goal is None or self.entailment.hold([goal], patience)[0] is None:
                return False
            goals.append(goal)
        self.shown += goals
        return True

    def _goal(self, few: int, names: Sequence[Variable], known: Mapping[Variable, object], claim: Claim) -> Goal | None:
        """What is to be shown; None if it has no encoding."""
        world = self._world(few)
        world.limit_work(lemmas.MOST_WORK)
        try:
            told: list[Term] = []
            position = anything(world, told)
            second = self.other(world, position, told)
            reader, other = Reader(world, position), Reader(world, second.position)
            reader.told = other.told = told
            for name in {**known, **dict.fromkeys(names)}:
                value = world.constant(known[name], name.type) if name in known else free_variable(world, name, told)
                reader.env[name], other.env[name] = value, second.value(value, name.type)
            holds = claim(reader, other, second)
        except (Unsupported, NoImage, RecursionError) as found:
            self.unsupported = found.what if isinstance(found, Unsupported) else str(found)
            return None
        given: Given = [(term, None) for term in told]
        path = Path(None, "some position", position, Run(world, position), None)
        return Goal(given, holds, path, None)

    def _world(self, few: int) -> World:
        """A new world, in which what was worked out of constants is known already."""
        world = World(self.graph, few, bool(self.graph.game.pieces), self.go_on)
        before = self._worlds.setdefault(few, world)
        world.evaluated, world.kept = before.evaluated, before.kept
        return world


def _cases(ty: Type) -> int:
    """How many values a type has, if they are plain ones; else 0."""
    return 0 if isinstance(ty, types.SetOf | types.Map | types.Fraction) else types.size(ty)
