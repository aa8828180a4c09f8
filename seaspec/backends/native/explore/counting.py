"""How many ways there are to play, by the number of choices (perft), in machine code.

Equal positions are looked at once, and weighed by the ways that lead to them. Before players choose, chance takes every
course; positions where it has nothing to do lead to themselves meanwhile.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from seaspec.backends.native.errors import LimitReached
from seaspec.backends.native.explore.explorer import Exploration, Explorer
from seaspec.backends.native.explore.exploring import PARTS
from seaspec.backends.native.explore.memory import Room
from seaspec.core import flow


class TooMany(Exception):
    """There are more positions than may be kept."""


def perft(explorer: Explorer, depth: int, limit: int, threads: int = 1) -> Iterator[int]:
    """The number of ways in which players can choose, by depth.

    `TooMany` if more than `limit` positions have to be kept at one time; `LimitReached` if it is nothing for native
    code: rules that fail, or 2 ** 64 ways to a position.
    """
    yield 1
    counting = _Counting(explorer, limit)
    with counting.exploration.working(threads):
        counting.begin()
        counting.settle()
        for number in range(depth):
            yield counting.onward(settle=False)[0]
            if number + 1 < depth:
                counting.settle()


class _Counting:
    def __init__(self, explorer: Explorer, limit: int) -> None:
        self.exploration = Exploration(explorer, graph=True)
        self.limit = limit
        self.ways = Room(8)
        kinds = flow.ChanceNode, flow.DrawNode, flow.RollNode, flow.ThrowNode
        self.has_chance = any(isinstance(block.exit, kinds) for block in explorer.flow.blocks)

    def begin(self) -> None:
        exploration = self.exploration
        if not exploration.start([]):
            raise LimitReached("a game that fails before it begins")
        self.ways = Room(8 * PARTS)
        ctypes.c_uint64.from_address(self.ways.address + 8 * exploration.root).value = 1

    def settle(self) -> None:
        """Chance takes its courses, as long as there is any."""
        while self.has_chance and self.onward(settle=True)[1]:
            pass

    def onward(self, settle: bool) -> tuple[int, int]:
        """One step on: the sum of ways times options, and how many positions there were where chance chooses."""
        exploration = self.exploration
        courses = exploration.anew(self.limit, settle)
        if courses is None:
            raise TooMany
        if exploration.fails:
            raise LimitReached("rules that fail")
        onward = Room(8 * PARTS * max(1, *(part.count for part in exploration.parts)))
        total = Room(16)
        for block, first, end, sources, edges in exploration.steps:
            number = (block.first + first) * PARTS + block.part
            start = ctypes.cast(ctypes.c_char_p(edges), ctypes.c_void_p).value or 0
            noted = sources.address + 8 * first
            pour = exploration.functions["pour"]
            if pour(number, end - first, noted, start, self.ways.address, onward.address, total.address):
                raise LimitReached("more ways than can be counted")
        self.ways = onward
        return total.word(0) + (total.word(1) << 64), courses
