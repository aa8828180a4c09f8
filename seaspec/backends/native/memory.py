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


class Room:
    """Zeroed memory; what is never written takes none."""

    def __init__(self, size: int) -> None:
        self._map = mmap(-1, max(size, 1))
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
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
