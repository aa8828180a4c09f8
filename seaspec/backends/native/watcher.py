"""Random plays by machine code that watches promises, from Python.

    watcher = Watcher(game.flow)
    seen = watcher.watch(seed=1, first=0, count=1_000_000, limit=20_000, until=1_000_000)

What is seen is data: of each event in which play it came up soonest, and after how many steps. `record(seed, play)`
tells that play again. It is a `Machine`; many threads can use it, and `Seen` can be added up. What a thread has seen it
looks for only in shorter plays from then on.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from seaspec.backends.native.cache import compiled_to_watch
from seaspec.backends.native.explore.memory import Room
from seaspec.backends.native.flow import watching
from seaspec.backends.native.flow.judging import CHOSEN, EVENTS, FLAGS, Event
from seaspec.backends.native.machine import Machine, Memory
from seaspec.core import ir
from seaspec.core.flow import Flow
from seaspec.source import NOWHERE, Span

if TYPE_CHECKING:
    from pathlib import Path


NOTHING_NEW = -1
"""After so many steps nothing would be found sooner than before: plays that are told again find nothing."""


@dataclass(frozen=True, slots=True)
class Failing:
    """The rules fail: how, and where."""

    message: str
    span: Span


@dataclass(slots=True)
class Seen:
    """What plays have shown. `soonest`: of each event, after how many steps, and in which play."""

    plays: int = 0
    steps: int = 0
    cut_off: int = 0
    failed: int = 0
    longest: int = 0
    endings: Counter[int] = field(default_factory=Counter)
    most_calls: Counter[str] = field(default_factory=Counter)
    soonest: dict[Event | Failing, tuple[int, int]] = field(default_factory=dict)

    def add(self, other: Seen) -> None:
        """And what other plays have shown."""
        self.plays += other.plays
        self.steps += other.steps
        self.cut_off += other.cut_off
        self.failed += other.failed
        self.longest = max(self.longest, other.longest)
        self.endings += other.endings
        self.most_calls |= other.most_calls
        for event, found in other.soonest.items():
            self.soonest[event] = min(found, self.soonest.get(event, found))


class _Memory(Memory):
    """What a thread works with, and what it has seen soonest."""

    def __init__(self, facts: watching.Facts) -> None:
        super().__init__(facts)
        self.soonest, self.plays = Room(8 * facts.numbers), Room(8 * facts.numbers)
        ctypes.memset(self.soonest.address, 0x7F, 8 * facts.numbers)
        self.never = self.soonest.word(0)
        self.put(facts.judging + FLAGS, self.soonest.address)
        self.put(facts.judging + EVENTS, self.plays.address)
        self.put(facts.judging + CHOSEN, NOTHING_NEW)


class Watcher(Machine):
    """A game, compiled to be watched; `hasty`: soon, but slow. Raises `NotCompiled` if native code can not do it."""

    SIGNATURES: ClassVar[dict[str, tuple[type[ctypes.c_int64] | None, int]]] = {
        **{name: signature for name, signature in Machine.SIGNATURES.items() if name != "simulate"},
        "roam": (None, 7),
    }
    facts: watching.Facts

    def __init__(self, graph: Flow, cache: Path | None = None, hasty: bool = False) -> None:
        self.is_hasty = hasty
        super().__init__(graph, cache)

    @property
    def memory(self) -> _Memory:
        found: _Memory | None = getattr(self._of_thread, "memory", None)
        if found is None:
            found = self._of_thread.memory = _Memory(self.facts)
        return found

    def _compiled(self, cache: Path | None) -> tuple[bytes, watching.Facts]:
        return compiled_to_watch(self.flow, cache, self.is_hasty)

    def watch(self, seed: int, first: int, count: int, limit: int, until: int) -> Seen:
        """Random plays with the numbers from `first` on, those that are longer than `limit` steps cut off; no further
        play is begun after so many steps in all (`until`)."""
        memory, facts = self.memory, self.facts
        blocks = len(self.flow.blocks)
        words = (ctypes.c_int64 * (watching.WORDS + blocks + len(facts.within)))()
        words[watching.UNTIL // 8] = until
        state = ctypes.create_string_buffer(self._initial, len(self._initial))
        arguments = seed, first, count, limit, ctypes.addressof(words)
        self.functions["roam"](ctypes.addressof(state), memory.address, *arguments)
        memory.put(facts.judging + CHOSEN, NOTHING_NEW)
        made, steps, cut_off, failed, longest = words[: watching.UNTIL // 8]
        found = Seen(made, steps, cut_off, failed, longest)
        calls = watching.WORDS + blocks
        found.endings.update({block: n for block, n in enumerate(words[watching.WORDS : calls]) if n})
        found.most_calls.update(dict(zip(facts.within, words[calls:], strict=True)))
        for number in range(facts.numbers):
            steps = memory.soonest.word(number)
            if steps != memory.never:
                found.soonest[self._event(number)] = steps, memory.plays.word(number)
        return found

    def _event(self, number: int) -> Event | Failing:
        facts = self.facts
        if number < len(facts.events):
            return facts.events[number]
        message, site = divmod(number - len(facts.events), len(facts.sites) + 1)
        return Failing(facts.messages[message], self._at(*facts.sites[site - 1]) if site else NOWHERE)

    def _at(self, number: int, step: int) -> Span:
        block = self.flow.blocks[number]
        source = getattr(block.exit if step < 0 else block.steps[step], "source", None)
        return source.span if isinstance(source, ir.Source) else NOWHERE
