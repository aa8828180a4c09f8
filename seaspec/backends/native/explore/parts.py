"""The positions of one part of an exploration: its table of fingerprints, the ways to them, those that wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seaspec.backends.native.explore.exploring import NO_WAY, OPTION_BITS, PARTS
from seaspec.backends.native.explore.memory import Job, Room

if TYPE_CHECKING:
    from seaspec.backends.native.explore.explorer import Explorer

FULLEST, FIRST_SIZE = 0.75, 256
"""A table is at most so full; it grows by half."""


@dataclass(slots=True)
class Block:
    """Packed positions of a part, the first with a number in the part."""

    room: Room
    part: int
    first: int
    count: int = 0
    capacity: int = 0


class Part:
    """The positions of a part: its table, the ways to them, those that wait."""

    def __init__(self, number: int, job: Job, explorer: Explorer, graph: bool) -> None:
        self.number, self.job, self.graph = number, job, graph
        self.words = explorer.facts.words
        self.count = 0
        self.ways: list[tuple[int, int, Room]] = []
        """The number of the first position, how many there is room for, memory."""
        self.waiting: list[Block] = []
        self._take(*self._rooms(FIRST_SIZE), FIRST_SIZE)

    def is_too_small(self, coming: int) -> bool:
        return self.count + coming > FULLEST * self.size

    def widen(self, coming: int, job: Job) -> Callable[[], None]:
        """A table that has room for so many new positions; first, what is in this one must go into it, says the job.

        What is returned must be called afterwards.
        """
        needed = int((self.count + coming) / FULLEST) + 1
        size = max(needed, self.size + self.size // 2)
        table, numbers = self._rooms(size)
        job["table"], job["size"], job["wider"], job["length"] = self.table.address, self.size, table.address, size
        job["numbers"], job["more"] = (self.numbers.address, numbers.address) if self.graph else (0, 0)
        return lambda: self._take(table, numbers, size)

    def prepare(self, coming: int) -> None:
        """Make room for so many new positions. The table is large enough."""
        first, capacity, room = self.ways[-1] if self.ways else (0, 0, Room(8))
        if self.count + coming > first + capacity:
            first, capacity = self.count, max(4 * coming, 1 << 14)
            room = Room(8 * capacity)
            self.ways.append((first, capacity, room))
        self.job["ways"] = room.address + 8 * (self.count - first)
        size = 8 * self.words
        block = self.waiting[-1] if self.waiting else None
        if block is None or block.count + coming > block.capacity:
            capacity = max(2 * coming, FIRST_SIZE)
            block = Block(Room(capacity * size), self.number, self.count, 0, capacity)
            self.waiting.append(block)
        self.job["block"] = block.room.address + block.count * size
        self.job["count"] = self.count
        self.job["part"] = self.number

    def done(self) -> None:
        """New positions have come."""
        new = self.job["new"]
        self.count += new
        self.waiting[-1].count += new

    def _rooms(self, size: int) -> tuple[Room, Room]:
        return Room(8 * size), Room(4 * size if self.graph else 8)

    def _take(self, table: Room, numbers: Room, size: int) -> None:
        self.table, self.numbers, self.size = table, numbers, size
        self.job["table"], self.job["size"] = table.address, size
        self.job["numbers"] = numbers.address if self.graph else 0

    def way(self, number: int) -> int:
        for first, capacity, room in reversed(self.ways):
            if first <= number < first + capacity:
                return room.word(number - first)
        raise AssertionError(number)

    @property
    def memory(self) -> int:
        """Bytes in use."""
        slot = 12 if self.graph else 8
        waiting = sum(block.count for block in self.waiting)
        return slot * self.size + 8 * self.count + 8 * self.words * waiting


def way_to(parts: Sequence[Part], number: int) -> tuple[int, ...]:
    """The options that lead to a position, along the way on which it was found first."""
    found: list[int] = []
    while True:
        step = parts[number % PARTS].way(number // PARTS)
        if step == NO_WAY:
            return tuple(reversed(found))
        found.append(step & (1 << OPTION_BITS) - 1)
        number = step >> OPTION_BITS
