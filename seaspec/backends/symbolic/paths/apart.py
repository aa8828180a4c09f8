"""Paths within one procedure after the other, where calls are single steps (see calls.py).

Nothing of the frame is told apart here but which variables have a value; loops are cut where they begin.
"""

from __future__ import annotations

from collections.abc import Set

from seaspec.analysis.control import loop_heads
from seaspec.backends.symbolic.cuts import Cuts, next_cut, rounds
from seaspec.backends.symbolic.errors import TooMany, Unsupported
from seaspec.backends.symbolic.paths.calls import Apart
from seaspec.backends.symbolic.paths.paths import MOST_CUTS, Location, Path, Paths, beginning, check_kept, paths_from
from seaspec.backends.symbolic.run.onward import run_on
from seaspec.backends.symbolic.run.runs import Run, Within
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow

MOST_LOCATIONS = 1_000


def explore_apart(world: World, watched: frozenset[str], outside: Set[str]) -> Paths:
    """The locations of a game and the paths between them, procedure by procedure. `watched`: procedures whose first
    position is kept until they end; `outside`: those of which it matters whether they run."""
    world.apart = Apart(world.graph, outside)
    world.alike = None
    heads = (head for head in loop_heads(world.graph) if not flow.is_node(world.graph.blocks[head].exit))
    world.cuts = Cuts(frozenset(heads), rounds(world.graph).rounds)
    while True:
        try:
            return _Explorer(world, watched).explore()
        except TooMany:
            cut = next_cut(world.graph, world.cuts, _own_visits(world, world.apart))
            if cut is None or len(world.cuts.blocks) > len(world.apart.heads) + MOST_CUTS:
                raise
            world.cuts = world.cuts.also(cut)


def _own_visits(world: World, apart: Apart) -> dict[int, int]:
    """How often ways have come through blocks, but for those of procedures that are gone through where they are called:
    where paths begin, it is not known who has called these."""
    routines, blocks = world.graph.routines, world.graph.blocks
    gone_through = {name for name in routines if apart.is_gone_through(name)}
    return {block: many for block, many in world.visits.items() if blocks[block].owner not in gone_through}


class _Explorer:
    def __init__(self, world: World, watched: frozenset[str]) -> None:
        self.world = world
        self.watched = watched
        self.found = Paths(world)
        self.numbers: dict[tuple[object, ...], int] = {}

    def explore(self) -> Paths:
        world, found = self.world, self.found
        world.visits.clear()
        begin = beginning(world)
        first = Run(world, begin)
        first.watched = self.watched
        first.within = Within(flow.START, frozenset())
        for run, block in run_on(first, world.graph.start):
            self._add(None, "the beginning", begin, run, block)
        done = 0
        while done < len(found.locations):
            if len(found.locations) > MOST_LOCATIONS:
                raise Unsupported(f"more than {MOST_LOCATIONS} places in the rules to keep apart")
            location = found.locations[done]
            done += 1
            world.visits.clear()
            for word, start, run, block in paths_from(world, location, self.watched):
                self._add(location.number, word, start, run, block)
        return found

    def _add(self, source: int | None, word: str, start: Position, run: Run, block: int | None) -> None:
        target = None if block is None else self._location(run, block)
        self.found.paths.append(Path(source, word, start, run, target))

    def _location(self, run: Run, block: int) -> int:
        assert run.within is not None
        check_kept(self.world.graph, run.position)
        names = tuple(name for name in self.world.graph.frame if name in run.position.frame)
        begun = frozenset(run.position.begun)
        key = (run.within, block, "exit") if run.has_left else (run.within, block, names, begun)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.found.locations)
            place = Location(number, block, {}, names, within=run.within, begun=begun, is_exit=run.has_left)
            self.found.locations.append(place)
            if run.has_left:
                self.found.exits[run.within, block] = number
            elif self._begins(run.within, block):
                self.found.entries[run.within] = number
        return number

    def _begins(self, within: Within, block: int) -> bool:
        """Whether a procedure is entered at a block, and what it compares with is the position there."""
        routine = self.world.graph.routines.get(within.procedure)
        steps = self.world.graph.blocks[block].steps
        is_cut = block in self.world.cuts.blocks
        is_entry = routine is not None and routine.entry == block and not is_cut
        return is_entry and steps[:1] == (flow.Begin(within.procedure),)
