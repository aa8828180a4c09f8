"""What has to follow for a lemma: it is to hold at any position at all, whoever its parameters are."""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.backends.symbolic.logic.terms import Term, and_
from seaspec.backends.symbolic.paths.paths import Path, anything, perhaps_over
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.world import World
from seaspec.core import ir
from seaspec.prove.entail import Given, Goal

FEW, MANY = 8, 200
"""Types with at most so many values are written out."""
PATIENT = 4
"""How much more time there is for the last encoding that is tried."""
MOST_WORK = 200_000
"""So many terms are made for a try."""


def tries(world: World, lemma: ir.Lemma) -> Iterator[tuple[Goal, int]]:
    """A lemma in one encoding after the other, with quantifiers first; and how patient to be."""
    for few, patience in ((FEW, 1), (MANY, PATIENT)):
        other = World(world.graph, few, world.counted, world.go_on)
        other.limit_work(MOST_WORK)
        yield _goal(other, lemma), patience


def _goal(world: World, lemma: ir.Lemma) -> Goal:
    told: list[Term] = []
    run = Run(world, perhaps_over(world, anything(world, told)))
    run.told = told
    reader = run.reader()
    for param in lemma.params:
        domain = reader.domain(param)
        value = world.free(param.variable.name, param.variable.type, told)
        reader.env[param.variable] = value
        run.assume(domain.member(value))
        if param.test is not None:
            run.assume(reader.test(param.test))
    test = and_(reader.test(lemma.test), reader.defined(lemma.test))
    given: Given = [(term, None) for term in run.hypothesis()]
    return Goal(given, test, Path(None, "some position", run.position, run, None), None)
