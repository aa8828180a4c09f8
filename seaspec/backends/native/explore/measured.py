"""What the graph of an explored game says: the longest play, the most calls, where a goal is lost.

graphs.py works it out. Ways are numbers of options, from the first position on.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from seaspec.backends.native.errors import LimitReached
from seaspec.backends.native.explore.exploring import MEASURE, PARTS, TARGET_BITS
from seaspec.backends.native.explore.graphs import KINDS
from seaspec.backends.native.explore.memory import Job, Room
from seaspec.backends.native.explore.parts import Block, Part, way_to
from seaspec.backends.native.flow.judging import CALL_BITS

Steps = tuple[Block, int, int, Room, bytes]
"""Of a block of positions the first and last that are meant, what is noted of them, the steps that leave them."""
NAMES = [name for name in MEASURE.places if name not in ("root", "size", "endless", "unfit")]
WIDE = ("from", "out")
"""Words of 8 bytes; all others have 4."""
MEASURED = sum(8 if name in WIDE else 4 for name in NAMES)
"""Bytes for each position."""
WIDEST = 1 << 32
"""Numbers of positions in a graph lie below."""


class Measured:
    """The graph of a game that was explored completely."""

    def __init__(
        self, functions: dict[str, Callable[..., int]], parts: Sequence[Part], steps: Sequence[Steps], root: int
    ) -> None:
        self._functions, self._parts, self._laid, self.root = functions, parts, steps, root
        size = PARTS * max(part.count for part in parts)
        if size >= WIDEST:
            raise LimitReached(f"a graph of {size} positions")
        self._rooms = {name: Room((8 if name in WIDE else 4) * size) for name in NAMES}
        self._words = Room(MEASURE.size)
        self._job = Job(self._words.address, MEASURE)
        for name, room in self._rooms.items():
            self._job[name] = room.address
        self._job["size"] = size
        self._job["root"] = root
        for block, first, end, sources, edges in steps:
            number = (block.first + first) * PARTS + block.part
            start = ctypes.cast(ctypes.c_char_p(edges), ctypes.c_void_p).value or 0
            tables = self._job["from"], self._job["out"]
            functions["lay"](number, end - first, sources.address + 8 * first, start, *tables)
        functions["measure"](self._job.address)
        if self._job["unfit"]:
            raise LimitReached("more calls in a step than can be counted")

    def heaviest(self, kind: int) -> int | None:
        """The weight of the heaviest way: 0 of steps, from 1 on of calls. None: ways can weigh as much as one likes."""
        return None if self._job["endless"] >> kind & 1 else self._read(f"best{kind}", self.root)

    def first_doomed(self, goal: int) -> tuple[int, ...] | None:
        """A shortest way to where somebody decides, and a goal can not be reached any more."""
        doomed = self._first("first_doomed", goal)
        return None if doomed is None else way_to(self._parts, doomed)

    def first_lacking(self, goal: int, lack: int) -> tuple[int, ...] | None:
        """A way to a goal, past somebody's decision at which what is said to be needed is missing (bit `lack`)."""
        lacking = self._first("first_lacking", goal, lack)
        if lacking is None:
            return None
        came: dict[int, tuple[int, int]] = {}
        todo = deque([lacking])
        while not self._rooms["out"].word(todo[0]) >> 32 + goal & 1:
            here = todo.popleft()
            for option, target, _ in self._steps(here):
                if target not in came and target != lacking:
                    came[target] = here, option
                    todo.append(target)
        return (*way_to(self._parts, lacking), *self._back(came, lacking, todo[0]))

    def _first(self, function: str, *bits: int) -> int | None:
        """The number of the first position that a function of graphs.py finds."""
        for block, first, end, _, _ in self._laid:
            number = (block.first + first) * PARTS + block.part
            tables = self._job["out"], self._job["reach"]
            found = self._functions[function](number, end - first, *bits, *tables)
            if found >= 0:
                return number + found * PARTS
        return None

    def heaviest_way(self, kind: int) -> tuple[int, ...]:
        """A heaviest way, if there is one."""
        here, found = self.root, []
        while self._read(f"best{kind}", here):
            steps, here = self._to_next_weight(here, kind)
            found += steps
        return tuple(found)

    def _to_next_weight(self, start: int, kind: int) -> tuple[list[int], int]:
        """A shortest way along a heaviest one, up to the next step that weighs something."""
        best = f"best{kind}"
        came: dict[int, tuple[int, int]] = {}
        layer = [start]
        while layer:
            onward = []
            for here in layer:
                for option, target, weights in self._steps(here):
                    if self._read(best, target) + weights[kind] != self._read(best, start):
                        continue
                    if weights[kind]:
                        return [*self._back(came, start, here), option], target
                    if target not in came and target != start:
                        came[target] = here, option
                        onward.append(target)
            layer = onward
        raise AssertionError(start)

    def way_around(self, kind: int, more_than: int) -> tuple[int, ...]:
        """A way that weighs more than that, if there is no heaviest one: round and round."""
        found = self._functions["find_round"](self._job.address, kind)
        source, option = found & WIDEST - 1, found >> 32
        steps = list(self._steps(source))
        target, weight = next((target, weights[kind]) for number, target, weights in steps if number == option)
        back, lap = self._within(target, source, kind)
        way, weighs = self._weighed(way_to(self._parts, source), kind)
        while weighs <= more_than:
            way += [option, *back]
            weighs += weight + lap
        return tuple(way)

    def _weighed(self, way: tuple[int, ...], kind: int) -> tuple[list[int], int]:
        here, weighs = self.root, 0
        for option in way:
            here, weights = next((target, weights) for number, target, weights in self._steps(here) if number == option)
            weighs += weights[kind]
        return list(way), weighs

    def _within(self, start: int, goal: int, kind: int) -> tuple[list[int], int]:
        """A shortest way inside a component, and what it weighs."""
        component = self._read("comp", start)
        came: dict[int, tuple[int, int]] = {}
        layer = [start]
        while goal not in came and goal != start:
            onward = []
            for here in layer:
                for option, target, _ in self._steps(here):
                    if self._read("comp", target) == component and target not in came and target != start:
                        came[target] = here, option
                        onward.append(target)
            layer = onward
        way = self._back(came, start, goal)
        here, weighs = start, 0
        for chosen in way:
            here, weights = next((target, weights) for option, target, weights in self._steps(here) if option == chosen)
            weighs += weights[kind]
        return way, weighs

    def _back(self, came: dict[int, tuple[int, int]], start: int, goal: int) -> list[int]:
        way = []
        while goal != start:
            goal, option = came[goal]
            way.append(option)
        return way[::-1]

    def _steps(self, number: int) -> Iterator[tuple[int, int, list[int]]]:
        """The steps that leave a position: option, target, weights."""
        start = self._rooms["from"].word(number)
        for option in range(self._rooms["out"].word(number) & WIDEST - 1):
            step = ctypes.c_uint64.from_address(start + 8 * option).value
            if step != (1 << 64) - 1:
                calls = [step >> TARGET_BITS + CALL_BITS * kind & (1 << CALL_BITS) - 1 for kind in range(KINDS - 1)]
                yield option, step & (1 << TARGET_BITS) - 1, [1, *calls]

    def _read(self, name: str, number: int) -> int:
        return ctypes.c_uint32.from_address(self._rooms[name].address + 4 * number).value
