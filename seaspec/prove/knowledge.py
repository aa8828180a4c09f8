"""What is known at each location, as formulas: the facts that are alive, read where paths begin and end.

It is made small on purpose: a fact is read once at a position, and what many questions suppose is put together once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import groupby
from operator import itemgetter

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import NO, Term, made
from seaspec.backends.symbolic.paths.paths import Path, Paths
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.changes import by_change
from seaspec.backends.symbolic.values.position import Position
from seaspec.prove.entail import Given, Goal, names
from seaspec.prove.facts import Fact, Reading, told_with
from seaspec.prove.lookback import Shown

MOST_TO_HELP, MOST_OF_GUARD = 2_800, 12_000
"""A fact that only helps is not supposed if it takes more terms to be read; guards are few, and most worth it."""


class Knowledge:
    """On the paths between locations. `first`: any position at each of them."""

    def __init__(self, paths: Paths, first: Mapping[int, Run]) -> None:
        self.paths = paths
        self.world = paths.world
        self.game = paths.world.graph.game
        self.first = first
        self.alive: dict[int, dict[Fact, None]] = {number: {} for number in first}
        self.shown_by: dict[tuple[int, Fact], Shown] = {}
        """How each fact is shown at the end of each path."""
        self.changes = 0
        """How often what holds has changed."""
        self.kept: list[object] = []
        """What must not go, as long as things are known by it."""
        self._told_at: dict[tuple[int, int], tuple[int, Given]] = {}
        """What holds at a location, said of a position, and after so many changes."""
        self._names_at: dict[tuple[int, int], frozenset[str]] = {}
        self._memo: dict[tuple[int, ...], Reading | None] = {}
        self._dear: set[Fact] = set()
        """What only helps and takes long to read is not read again."""

    def read(self, fact: Fact, position: Position, old: Position | None = None) -> Reading | None:
        """A fact at a position; None if it can not be said."""
        key = (id(fact), *map(id, fact.depends_on(self.game, position)))
        if old is None and key in self._memo:
            return self._memo[key]
        self.kept += (fact, position)
        found: Reading | None = None
        if fact not in self._dear:
            before = made()
            most = MOST_TO_HELP if fact.guard is None else MOST_OF_GUARD
            try:
                with self.world.briefly(most) if fact.promise is None else nullcontext():
                    found = fact.read(self.world, position, old)
            except Unsupported:
                if fact.promise is None and made() - before >= most:
                    self._dear.add(fact)
        if old is None:
            self._memo[key] = found
        return found

    def targets(self, path: Path) -> Collection[Fact]:
        return () if path.target is None else self.alive[path.target]

    def steps(self, asked: Iterable[tuple[int, Fact]], go_on: Callable[[], bool]) -> Iterator[Goal]:
        """That facts hold at the ends of paths. What reading one of them names is known to all on that path."""
        for place, several in groupby(asked, key=itemgetter(0)):
            path = self.paths.paths[place]
            facts = [fact for _, fact in several]
            if not go_on():
                yield from (Goal([], NO, path, fact) for fact in facts)
                continue
            ends = [self.at_end(path, fact) for fact in facts]
            given = [*self.hypothesis(path), *told_with(ends)]
            known = {term for term, _ in given}
            for fact, found in zip(facts, ends, strict=True):
                if found is None or found.goal in known:  # what is given itself needs no other form
                    yield Goal(given, NO if found is None else found.goal, path, fact)
                else:
                    yield Goal(given, self.by_change(found.goal, path), path, fact)

    def at_end(self, path: Path, fact: Fact) -> Reading | None:
        """A fact at the end of a path."""
        if path.source is not None and fact.is_untouched(self.game, path.start, path.run.position):
            return self.read(fact, path.start)
        return self.read(fact, path.run.position)

    def by_change(self, term: Term, path: Path) -> Term:
        """A goal at the end of a path: its sums by what has changed since the beginning."""
        known = frozenset[str]() if path.source is None else self.names_known_at(path.source, path.start)
        return by_change(term, known)

    def hypothesis(self, path: Path, assumed: int | None = None) -> Given:
        """What is known on a path: how it came about, and what held where it began."""
        given: Given = [(term, None) for term in path.run.hypothesis(assumed)]
        for location, position in self.paths.known(path, assumed):
            given += self.known_at(location, position)
        return given

    def names_known_at(self, location: int, start: Position) -> frozenset[str]:
        """The names in what holds at a location."""
        key = id(start), self.changes
        if key not in self._names_at:
            self.kept.append(start)
            terms = (term for term, _ in self.known_at(location, start))
            self._names_at[key] = frozenset[str]().union(*map(names, terms))
        return self._names_at[key]

    def known_at(self, location: int, start: Position) -> Given:
        key = location, id(start)
        if key not in self._told_at or self._told_at[key][0] != self.changes:
            self.kept.append(start)
            self._told_at[key] = self.changes, self._known_at(location, start)
        return self._told_at[key][1]

    def _known_at(self, location: int, start: Position) -> Given:
        read = [(self.read(fact, start), fact) for fact in self.alive[location]]
        told = told_with(found for found, _ in read)
        return [*told, *((found.goal, fact) for found, fact in read if found is not None)]
