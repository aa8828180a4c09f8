"""All that the proofs of an induction rest on, as questions that can be asked again: of each, every goal follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seaspec.backends.symbolic.logic.smtlib import script
from seaspec.backends.symbolic.paths.paths import Path
from seaspec.prove.entail import Goal
from seaspec.prove.induction import Induction
from seaspec.prove.proof import Step


def steps_of(induction: Induction) -> Iterator[Step]:
    """That the facts that are left are kept by every path, and that what is proved follows from them."""
    for place, path in enumerate(induction.paths.paths):
        goals = induction.known.steps(((place, fact) for fact in induction.known.targets(path)), induction.go_on)
        longer = (one for goal in goals for one in _as_shown(induction, place, goal))
        yield from _steps(induction, None, f"{_place_of(induction, path)}: what holds there is kept", longer)
    for name, shown in induction.shown:
        if induction.found[name].proved:
            yield from _steps(induction, name, f"{name} follows", (goal for one in shown for goal in one.goals))


def _as_shown(induction: Induction, place: int, goal: Goal) -> Iterable[Goal]:
    """A goal at the end of a path as it was shown: behind the ways that were looked at, if it took that."""
    assert goal.fact is not None
    ways = induction.known.shown_by[place, goal.fact].ways
    return (replace(induction.behind.behind(goal, way), whole=True) for way in ways) if ways else (goal,)


def _place_of(induction: Induction, path: Path) -> str:
    if path.source is None:
        return path.word
    location = induction.paths.locations[path.source]
    return f"{path.word}, from place {path.source} in {induction.graph.blocks[location.block].owner}"


def _steps(induction: Induction, of: str | None, comment: str, goals: Iterable[Goal]) -> Iterator[Step]:
    for goal in goals:
        if induction.entailment.plainly(goal) is None:
            given = goal.relevant([goal.goal])
            yield Step(script([term for term, _ in given], [goal.goal], comment), of)
