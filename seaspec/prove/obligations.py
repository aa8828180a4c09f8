"""Where a promise is claimed: what has to be shown of it on each path, besides what holds where paths begin and end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import Term
from seaspec.backends.symbolic.logic.witnesses import with_witnesses
from seaspec.backends.symbolic.paths.paths import Path, anything, perhaps_over
from seaspec.backends.symbolic.run.runs import Moment, Run
from seaspec.backends.symbolic.values.position import Position
from seaspec.prove.entail import Given, Goal
from seaspec.prove.facts import Fact, told_with
from seaspec.prove.termination import stretches

if TYPE_CHECKING:
    from seaspec.prove.induction import Induction


class Claims:
    """The goals of promises, on the paths of an induction."""

    def __init__(self, induction: Induction) -> None:
        self.induction = induction
        self.given: dict[tuple[int, tuple[Term, ...]], Given] = {}
        """What is given, with what is told in reading a goal: the same for all goals with which that is so."""

    def at_nodes(self, name: str, outside: Sequence[str]) -> Iterable[Goal]:
        """The facts of an invariant where paths rest on the way, and where the game is over."""
        for path in self.induction.paths.paths:
            for rest in path.run.rests:
                at = rest.location
                running = self.induction.running_at(at) if isinstance(at, int) else at.running
                if not running & set(outside):
                    given = self.induction.known.hypothesis(path, rest.assumed)
                    yield from (self.goal(fact, path, given, rest.position) for fact in self.induction.facts[name])
            if path.target is not None and self.induction.is_over(self.induction.paths.locations[path.target]):
                given = self.induction.known.hypothesis(path)
                yield from (self.goal(fact, path, given, path.run.position) for fact in self.induction.facts[name])

    def at_moments(self, name: str, procedures: Sequence[str], ends: bool) -> Iterable[Goal]:
        """The facts of a promise where procedures begin or end."""
        for path in self.induction.paths.paths:
            for moment in path.run.moments:
                if moment.procedure not in procedures or moment.ends is not ends:
                    continue
                given = self.induction.known.hypothesis(path, moment.assumed)
                for fact in self.induction.facts[name]:
                    if fact.after is not None and fact.after != moment.procedure:
                        continue
                    old = self.old_of(fact, moment)
                    yield self.goal(fact, path, given, moment.position, old)

    def old_of(self, fact: Fact, moment: Moment) -> Position | None:
        if fact.after is None:
            return None
        if moment.before is None:
            raise Unsupported("the moment when a procedure began")
        return moment.before

    def over_step(self, name: str, path: Path) -> Iterable[Goal]:
        """The facts of a promise about each step. Before the game rests for the first time there is none."""
        ends = [(rest.assumed, rest.position) for rest in path.run.rests]
        if path.target is not None:
            ends.append((len(path.run.assumed), path.run.position))
        before = None if path.source is None else path.start
        for place, (assumed, position) in enumerate(ends):
            before = next((call.position for call in path.run.calls[::-1] if call.rests == place), before)
            if before is not None:
                given = self.induction.known.hypothesis(path, assumed if place < len(path.run.rests) else None)
                yield from (self.goal(fact, path, given, position, before) for fact in self.induction.facts[name])
            before = position

    def of_parts(self, name: str) -> Iterable[Goal]:
        """That the facts of a promise about each step hold for all of a step, if they hold for its parts. With the last
        of them the game may be over."""
        told: list[Term] = []
        world = self.induction.world
        first, middle, last = (anything(world, told, word) for word in ("first.", "middle.", "last."))
        last = perhaps_over(world, last, "last.")
        path = Path(None, "a step", last, Run(world, last), None)
        for fact in self.induction.facts[name]:
            parts = [
                self.induction.known.read(fact, after, before) for before, after in ((first, middle), (middle, last))
            ]
            whole = self.induction.known.read(fact, last, first)
            if whole is None or None in parts:
                raise Unsupported("it has no encoding")
            given: Given = [*((term, None) for term in told), *told_with([*parts, whole])]
            given += [(part.holds, fact) for part in parts if part is not None]
            yield Goal(given, whole.goal, path, None)

    def between(self, name: str, procedure: str) -> Iterable[Goal]:
        """The facts of a test of what happens between two calls of a procedure."""

        def runs_at(number: int) -> bool:
            return procedure in self.induction.running_at(number)

        for path, assumed, before, after in stretches(self.induction.paths, procedure, runs_at):
            given = self.induction.known.hypothesis(path, assumed)
            yield from (self.goal(fact, path, given, after, before) for fact in self.induction.facts[name])

    def choices(self, block: int) -> Iterable[Goal]:
        """That there is something to choose at a node."""
        for path in self.induction.paths.paths:
            for owed in path.run.owed:
                if owed.chooses == block:
                    given = self.induction.known.hypothesis(path, owed.assumed)
                    yield Goal(given, with_witnesses(owed.test), path, None)

    def goal(self, fact: Fact, path: Path, given: Given, position: Position, old: Position | None = None) -> Goal:
        read = self.induction.known.read(fact, position, old)
        if read is None:
            raise Unsupported("it has no encoding")
        key = id(given), read.told
        if key not in self.given:
            self.induction.known.kept.append(given)
            self.given[key] = [*given, *told_with([read])]
        return Goal(self.given[key], self.induction.known.by_change(read.goal, path), path, fact)
