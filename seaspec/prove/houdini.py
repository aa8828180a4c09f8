"""Houdini: what is supposed at all locations at once is dropped where it does not follow, until nothing changes.

Of each path it is asked whether the facts at its beginning give each fact at its end. What does not follow is dropped
at that location, and what rested on it is asked again. What is left holds in every position that a play can reach, for
it holds at the beginning and every step keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from seaspec.backends.symbolic.paths.paths import Path
from seaspec.prove.entail import Entailment, in_waves
from seaspec.prove.explain.grounds import Ground, Rooted, rooted
from seaspec.prove.facts import Fact
from seaspec.prove.knowledge import Knowledge
from seaspec.prove.lookback import Behind, Shown
from seaspec.prove.miners.candidates import Candidates, Help

PATIENT = 4
"""How much more time there is for what decides a promise."""


class Houdini:
    """The loop. `behind` shows what does not follow in one step, at last."""

    def __init__(
        self,
        known: Knowledge,
        entailment: Entailment,
        candidates: Candidates,
        behind: Behind,
        go_on: Callable[[], bool],
    ) -> None:
        self.known = known
        self.hold = entailment.hold
        self.candidates = candidates
        self.behind = behind
        self.go_on = go_on
        self.help = Help.NONE
        """With help there is also more time for what decides a promise (see `is_patient`)."""
        self.is_broken = False
        """Whether something that is promised, and was supposed last, does not follow somewhere."""
        self.spare: dict[tuple[int, Fact], list[Fact]] = {}
        """What is supposed at a location only if something that says more does not hold there."""

    def settle(self, new: dict[int, dict[Fact, None]]) -> None:
        """Drop what does not follow, until nothing changes. Facts that are not new hold without the new ones."""
        waiting = [
            (place, fact)
            for place, path in enumerate(self.known.paths.paths)
            if path.target is not None
            for fact in new[path.target]
        ]
        while waiting:
            dropped: set[tuple[int, Fact]] = set()
            weaker: list[tuple[int, Fact]] = []
            for wave in in_waves(waiting, self.known.paths.paths):
                left = [
                    (place, fact) for place, fact in wave if fact in self.known.targets(self.known.paths.paths[place])
                ]
                here = self.keep_what_follows(left)
                dropped |= here
                if not self.go_on() or (dropped and self.help is Help.BEHIND):
                    self.give_up(new)
                    return
                weaker += self.weaker_than(here, new)  # at once: what comes later may need no more
            waiting = list(dict.fromkeys([*self.resting_on(dropped), *weaker]))

    def weaker_than(
        self, dropped: Collection[tuple[int, Fact]], new: dict[int, dict[Fact, None]]
    ) -> list[tuple[int, Fact]]:
        """What may hold still where something that says more does not, at the ends of paths: it is supposed now."""
        weaker: dict[int, dict[Fact, None]] = {}
        for number, fact in dropped:
            for less in self.spare.pop((number, fact), ()):
                if self.known.read(less, self.known.first[number].position) is not None:
                    weaker.setdefault(number, {})[less] = None
        for number, facts in weaker.items():
            self.candidates.complete(self.known.paths.locations[number], facts, self.known.alive[number])
            self.known.alive[number].update(facts)
            new[number].update(facts)
        self.known.changes += 1
        ends = ((place, path.target) for place, path in enumerate(self.known.paths.paths))
        return [(place, fact) for place, target in ends if target is not None for fact in weaker.get(target, {})]

    def resting_on(self, dropped: Collection[tuple[int, Fact]]) -> list[tuple[int, Fact]]:
        """What has to be looked at again without these: facts at the ends of paths."""
        return [
            (place, fact)
            for place, path in enumerate(self.known.paths.paths)
            for fact in self.known.targets(path)
            if (place, fact) in self.known.shown_by and not self.known.shown_by[place, fact].grounds.isdisjoint(dropped)
        ]

    def forget(self, own: Collection[Fact]) -> None:
        """These facts are not relied on any more, even where they hold."""
        gone = {(number, fact) for number, facts in self.known.alive.items() for fact in own if fact in facts}
        for number, fact in gone:
            del self.known.alive[number][fact]
        self.known.changes += 1
        while gone:
            again = self.resting_on(gone)
            if self.go_on():
                gone = self.keep_what_follows(again)
            else:
                gone = {one for place, fact in again for one in self.drop(place, fact)}

    def keep_what_follows(self, asked: Sequence[tuple[int, Fact]]) -> set[tuple[int, Fact]]:
        """Drop the facts that do not follow at the ends of paths: which, and where."""
        dropped: set[tuple[int, Fact]] = set()
        for (place, fact), at_once in zip(asked, self.hold(self.known.steps(asked, self.go_on)), strict=True):
            used = at_once
            if used is None and self.is_patient and fact.promise is not None and not dropped:
                (used,) = self.hold(self.known.steps([(place, fact)], self.go_on), PATIENT)  # all may depend on it
            if used is not None:
                shown: Shown | None = Shown((), self.rooted(self.known.paths.paths[place], used))
            else:
                shown = None if dropped else self.looked_back(place, fact)
            if shown is not None:
                self.known.shown_by[place, fact] = shown
            else:
                self.is_broken |= fact.promise is not None
                dropped |= self.drop(place, fact)
        return dropped

    @property
    def is_patient(self) -> bool:
        """Whether there is more time for what decides a promise."""
        return self.help > Help.NONE or not self.is_broken

    def rooted(self, path: Path, used: Collection[Ground]) -> frozenset[Rooted]:
        """What was used on a path, at all locations where it may hold that are relied on there."""
        places = (path.source, *(at for at, _ in self.known.paths.known(path)))
        return frozenset[Rooted]().union(*(rooted(at, used) for at in places))

    def looked_back(self, place: int, fact: Fact) -> Shown | None:
        """At last: how a fact of a promise follows at the end of a path by what went before."""
        if self.help is not Help.BEHIND or fact.promise is None:
            return None
        (goal,) = self.known.steps([(place, fact)], self.go_on)
        return self.behind.follow(goal)

    def drop(self, place: int, fact: Fact) -> set[tuple[int, Fact]]:
        """A fact does not follow at the end of a path: what is dropped with it."""
        target = self.known.paths.paths[place].target
        assert target is not None
        if fact not in self.known.alive[target]:
            return set()
        together = [one for one in self.candidates.siblings(target, fact) if one in self.known.alive[target]]
        for sibling in together:
            del self.known.alive[target][sibling]
        self.known.changes += 1
        return {(target, sibling) for sibling in together}

    def give_up(self, new: dict[int, dict[Fact, None]]) -> None:
        """There is no time, or it is not worth it: of what is new nothing holds."""
        self.known.changes += 1
        gone = {(number, fact) for number, facts in new.items() for fact in facts if fact in self.known.alive[number]}
        for number, fact in gone:
            del self.known.alive[number][fact]
        while gone:  # what was shown with them is not known to hold
            gone = {one for place, fact in self.resting_on(gone) for one in self.drop(place, fact)}
