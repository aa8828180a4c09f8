"""Memory that machine code and Python share while a game is explored."""

from __future__ import annotations

import ctypes
from mmap import mmap


class Words:
    """Names for the words of a job, in order."""

    def __init__(self, names: str) -> None:
        self.places = {name: 8 * place for place, name in enumerate(names.split())}
        self.size = 8 * len(self.places)

    def __getitem__(self, name: str) -> int:
        return self.places[name]


LARGE = 1 << 16
"""A system gives a process only so many maps: what needs less than this has none of its own."""
ALIGNED = 64
"""Addresses are multiples of this."""


class Room:
    """Zeroed memory; of what is large, what is never written takes none."""

    def __init__(self, size: int) -> None:
        self._memory = mmap(-1, size) if size >= LARGE else bytearray(size + ALIGNED)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self.address = begin + -begin % ALIGNED
        self.size = size

    def word(self, place: int) -> int:
        return ctypes.c_uint64.from_address(self.address + 8 * place).value


class Job:
    """Words of memory with names."""

    def __init__(self, address: int, words: Words) -> None:
        self.address, self._words = address, words

    def __getitem__(self, name: str) -> int:
        return ctypes.c_int64.from_address(self.address + self._words[name]).value

    def __setitem__(self, name: str, value: int) -> None:
        ctypes.c_int64.from_address(self.address + self._words[name]).value = value
