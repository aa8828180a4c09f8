"""Looking back: what does not follow from what held where a path begins may follow from how the play came there.

A goal on a path is asked again behind each path that leads to where its own begins: what held where that one began,
and what happened on it, is supposed besides. Where that is not enough, the paths before that are looked at, too, a few
steps in a row; behind a path from the very beginning there is nothing. So a goal is shown for all plays: a play comes
to a place by one of the paths that lead there; and all that is supposed held earlier in the same play, so there is no
first time at which something fails.

Where one player stands for all, and seats are counted from another one from there on, the path before knows the players
by other names. There only what belongs to no player is said to be the same; that is less than is known, and right. A
path on which nothing happens but that a round begins anew is left out: before and after it the same may be said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import Term
from seaspec.backends.symbolic.paths.paths import Path, Paths
from seaspec.backends.symbolic.values.joints import Apart, Joints, Named
from seaspec.core import flow
from seaspec.prove.entail import Given, Goal
from seaspec.prove.explain.grounds import Ground, Rooted, rooted

MOST_STEPS = 3
"""So many steps in a row are looked at, the last one with them. Where paths are cut and nobody chooses, none begins."""
MOST_PATHS = 8
"""A way has no more paths than this."""
MOST_WAYS = 120
"""More ways that lead to a step than this are not looked at for one goal."""
AT_ONCE = 6
"""So many of them are asked about before it is looked whether one of them fails."""

Way = tuple[Path, ...]
"""The paths before a path, the last one first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How a goal was shown. `ways`: those to where its path begins, if it took to look back at them, and `goals`: what
    was asked, of each. `grounds`: what it rests on, and where. `over`: so many steps in a row were looked at."""

    goals: Sequence[Goal]
    grounds: frozenset[Rooted]
    ways: Sequence[Way] = ()
    over: int = 1


NOTHING = Shown((), frozenset())
"""How is shown what needs no proof."""


class Behind:
    """Shows goals by what went before. `hypothesis`: what is known on a path."""

    def __init__(
        self,
        paths: Paths,
        hypothesis: Callable[[Path], Given],
        hold: Callable[[Sequence[Goal], int], list[frozenset[Ground] | None]],
    ) -> None:
        self.paths = paths
        self.hypothesis = hypothesis
        self.hold = hold
        self.joints = Joints(paths.world)
        self.named: list[Named] = [lambda term: term, *(Apart("'" * back) for back in range(1, MOST_PATHS + 1))]
        self._joints: dict[tuple[int, int, int, bool], list[Term]] = {}
        self._into: dict[int | None, list[Path]] = {}
        self._passed: set[int] = set()
        """Where a round begins anew and nothing happens: from there on it is not known whose turn it is."""
        for path in paths.paths:
            if self._is_idle(path):
                assert path.target is not None
                self._passed.add(path.target)
            else:
                self._into.setdefault(path.target, []).append(path)

    def follow(self, goal: Goal, patience: int = 1) -> Shown | None:
        """How a goal follows, if it takes to look back; None if it is not known to follow."""
        waiting = self._before(goal.path, ())
        shown: list[tuple[Way, Goal]] = []
        found: set[Rooted] = set()
        while waiting:
            now, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
            try:
                self.paths.world.hurry()
                goals = [self.behind(goal, way) for way in now]
            except Unsupported:
                return None
            for way, longer, used in zip(now, goals, self.hold(goals, patience), strict=True):
                if used is None:
                    (used,) = self.hold([longer := replace(longer, whole=True)], patience)
                if used is not None:
                    shown.append((way, longer))
                    for path in (goal.path, *way):
                        found |= rooted(path.source, used)
                    continue
                more = self._before(goal.path, way)
                if more is None or len(more) + len(waiting) + len(shown) > MOST_WAYS:
                    return None
                waiting = more + waiting
        if waiting is None:
            return None
        over = max((self._steps_in((goal.path, *way)) for way, _ in shown), default=1)
        return Shown([longer for _, longer in shown], frozenset(found), [way for way, _ in shown], over)

    def behind(self, goal: Goal, way: Way) -> Goal:
        """The same goal, with what is known if its path comes behind others."""
        given = list(goal.given)
        later = goal.path
        for back, path in enumerate(way, 1):
            named = self.named[back]
            for term, fact in self.hypothesis(path):
                given.append((named(term), fact))
                guard = self.paths.world.guards.get(term)
                if guard is not None:
                    self.paths.world.guards.setdefault(named(term), guard)
            given += ((term, None) for term in self._joined(path, later, back))
            later = path
        return replace(goal, given=given)

    def _joined(self, path: Path, later: Path, back: int) -> list[Term]:
        """That a path begins where the one before it ends."""
        assert path.target is not None
        between = self.paths.locations[path.target]
        turned = path.target in self._passed or not (path.run.turned == between.turned == later.run.turned)
        key = id(path), id(later.start), back, turned
        if key not in self._joints:
            named, then = self.named[back], self.named[back - 1]
            self._joints[key] = self.joints.joined(path.run.position, later.start, named, then, turned=turned)
        return self._joints[key]

    def _is_idle(self, path: Path) -> bool:
        """Whether a path comes back to where it began, and nothing has changed but whose turn it is."""
        if self.paths.world.alike is None or path.source is None or path.source != path.target:
            return False
        return not self._steps_in((path,)) and self.joints.is_alike(path.start, path.run.position)

    def _before(self, path: Path, way: Way) -> list[Way] | None:
        """The ways to a path that are longer by one; None if there may be no longer ones."""
        first = way[-1] if way else path
        if first.source is None or len(way) == MOST_PATHS:
            return None
        longer = [(*way, earlier) for earlier in self._into.get(first.source, ())]
        return longer if all(self._steps_in((path, *one)) <= MOST_STEPS for one in longer) else None

    def _steps_in(self, paths: Way) -> int:
        """How many of these begin where somebody chooses, or chance decides."""
        blocks = self.paths.world.graph.blocks
        places = (self.paths.locations[path.source] for path in paths if path.source is not None)
        return sum(flow.is_node(blocks[place.block].exit) for place in places)
