"""Twin plays: the same random play without a house rule and with it, as long as both go the same way.

With one seed and number both choose alike where they are offered alike. So where two plays part, the house rule has
made a difference; where none part, it has perhaps never come into play. What both know is looked at after each step:
where pieces lie, what states are, how it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest

from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.flow.judging import Event
from seaspec.backends.native.machine import Machine, State
from seaspec.backends.native.values.layout import Layout, StateField
from seaspec.backends.native.watcher import Watcher
from seaspec.core import flow
from seaspec.game import Game
from seaspec.sampling.plays import Ending, place_of

PLAYS, STEPS = 5_000, 300_000
"""So many plays of each at most, and steps in all."""
LIMIT = 5_000
"""Steps in a play."""
ROAMED = 20_000
"""Steps to see what is used without the house rule."""


@dataclass(frozen=True, slots=True)
class Twins:
    """`parted`: in how many of the plays something differed. `taken`, `endings`: the actions that are taken, and the
    endings that are met, without the house rule."""

    plays: int
    parted: int
    taken: frozenset[str]
    endings: frozenset[Ending]


class TwinPlays:
    """A game without a house rule and with it, ready to be played. Raises `NotCompiled` where machine code can not."""

    def __init__(self, before: Game, after: Game, seed: int) -> None:
        self.machines = Watcher(before.flow, hasty=True), Watcher(after.flow, hasty=True)
        self.seed = seed
        self._stretches = list(_stretches(*(machine.layout for machine in self.machines)))
        self.taken, self.endings = _used(before, self.machines[0], seed)
        self._new = [state for name, state in self.machines[1].layout.states.items() if name not in before.rules.states]

    def compared(self, go_on: Callable[[], bool]) -> Twins:
        """What they show, as long as one should go on."""
        plays = parted = steps = 0
        while go_on() and plays < PLAYS and steps < STEPS:
            is_parted, made = self._parts(plays)
            plays, parted, steps = plays + 1, parted + is_parted, steps + made
        return Twins(plays, parted, self.taken, self.endings)

    def _parts(self, play: int) -> tuple[bool, int]:
        """Whether two plays part, and after how many steps that is known."""
        first: State | None = None
        number = 0
        for number, (one, other) in enumerate(zip_longest(*(_states(m, self.seed, play) for m in self.machines))):
            first = first or other
            if one is None or other is None or first is None or self._differ(one, other, first):
                return True, number + 1
            if number >= LIMIT:
                break
        return False, number + 1

    def _differ(self, one: State, other: State, first: State) -> bool:
        """Whether positions differ in what both games know, or a state that is new has changed."""
        if any(one[a : a + size] != other[b : b + size] for a, b, size in self._stretches):
            return True
        ends = ((state.offset, state.offset + _size(state)) for state in self._new)
        return any(other[begin:end] != first[begin:end] for begin, end in ends)


def _used(game: Game, watcher: Watcher, seed: int) -> tuple[frozenset[str], frozenset[Ending]]:
    """The actions that are taken, and the endings that are met, in random plays."""
    seen = watcher.watch(seed, 0, ROAMED, LIMIT, ROAMED)
    taken = frozenset(event.name for event in seen.soonest if isinstance(event, Event) and event.what == "taken")
    exits = (game.flow.blocks[block].exit for block in seen.endings)
    return taken, frozenset(place_of(e.how.source) for e in exits if isinstance(e, flow.Over) and e.how is not None)


def _states(machine: Machine, seed: int, play: int) -> Iterator[State]:
    """Up to the end, or to where the rules fail."""
    with suppress(RuleError):
        yield from machine.states(seed, play)


def _stretches(before: Layout, after: Layout) -> Iterator[tuple[int, int, int]]:
    """Where the same stands in both: two offsets, and how many bytes."""
    yield Layout.OVER, Layout.OVER, Layout.SCORES - Layout.OVER
    for name, state in before.states.items():
        other = after.states.get(name)
        if other is not None and replace(other, offset=state.offset) == state:
            yield state.offset, other.offset, _size(state)
    if _lie_alike(before, after):
        yield before.where, after.where, before.pieces * before.where_bits // 8


def _size(state: StateField) -> int:
    """Bytes of all that it has one value for."""
    return state.count * (state.bits // 8 if state.packed is None else state.packed.size)


def _lie_alike(before: Layout, after: Layout) -> bool:
    """Whether there are the same pieces, and where they lie is told alike."""
    same = all(
        (other := after.places.get(name)) is not None and (place.slot, place.count) == (other.slot, other.count)
        for name, place in before.places.items()
    )
    pieces = ([piece.title for piece in layout.game.pieces] for layout in (before, after))
    return same and before.where_bits == after.where_bits and next(pieces) == next(pieces)
