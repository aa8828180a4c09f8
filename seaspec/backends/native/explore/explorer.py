"""Complete exploration by machine code, from Python: rounds of work on all threads, memory, what was found.

    explorer = Explorer(game.flow)
    world = explorer.explore(limit=2_000_000, threads=2)
    world.positions, world.complete, world.findings

What is found is data: each `Finding` has the way from the beginning to it, as numbers of options. Whoever uses it lets
the interpreter play it. exploring.py says how it works.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from seaspec.backends.native.cache import compiled_to_explore
from seaspec.backends.native.errors import LIMITS, LimitReached
from seaspec.backends.native.explore.crew import Crew
from seaspec.backends.native.explore.exploring import (
    AHEAD,
    GROW,
    KINDS,
    LANE,
    MOST_OPTIONS,
    PART,
    PARTS,
    RECORD,
)
from seaspec.backends.native.explore.measured import MEASURED, Measured, Steps
from seaspec.backends.native.explore.memory import Job, Room
from seaspec.backends.native.explore.parts import Block, Part, way_to
from seaspec.backends.native.flow.control import STEP
from seaspec.backends.native.flow.judging import Event
from seaspec.backends.native.machine import Memory, loaded
from seaspec.backends.native.values.layout import EXPLORED, Layout
from seaspec.core import ir
from seaspec.core.flow import Flow
from seaspec.source import NOWHERE, Span

LANES = 8
ROOM, MOST_ROOM = 1024, 32_768
"""Candidates that a lane has room for, for each part; more in a large layer, so that rounds are long enough to be worth
dividing, and where a position has more options."""
SHARE = 16
"""In a layer of so many positions times some there is room for some."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found: an event, or, `error`, what is wrong and where. `way`: the numbers of the options."""

    event: Event | None
    error: tuple[str, int] | None
    way: tuple[int, ...]
    in_step: bool
    """The last option of the way makes a step that shows it; else the position that the way leads to does."""


@dataclass(slots=True)
class Progress:
    """How far an exploration has got."""

    positions: int = 0
    waiting: int = 0
    steps: int = 0
    memory: int = 0
    """Bytes."""
    layers: int = 0
    """So many layers are known completely."""


@dataclass(slots=True)
class World:
    """What exploration has found. `covered`: all positions that so many steps lead to were looked at; -1: none."""

    positions: int = 0
    steps: int = 0
    depth: int = 0
    covered: int = -1
    complete: bool = False
    interrupted: bool = False
    endings: dict[int, int] = field(default_factory=dict)
    """How many positions end at a block."""
    won: int = 0
    findings: list[Finding] = field(default_factory=list)
    layers: list[int] = field(default_factory=list)
    """How many positions so many steps lead to, and no fewer."""
    calls_at_first: list[int] = field(default_factory=list)
    """For each `ends within`: the calls before the first position."""
    memory: int = 0
    """Bytes, when there were most of them: tables, ways, positions that wait, the graph."""
    graph: Measured | None = None
    """What the graph says, if it was asked for and all is explored."""


_SIGNATURES = {
    "run": (ctypes.c_int64, 4),
    "pack": (ctypes.c_int64, 3),
    "unpack": (None, 3),
    "start": (ctypes.c_int64, 3),
    "lead": (ctypes.c_int64, 1),
    "attend": (ctypes.c_int64, 1),
    "lay": (ctypes.c_int64, 6),
    "measure": (ctypes.c_int64, 1),
    "first_doomed": (ctypes.c_int64, 5),
    "first_lacking": (ctypes.c_int64, 6),
    "find_round": (ctypes.c_int64, 2),
    "pour": (ctypes.c_int64, 7),
}


class Explorer:
    """A game, compiled to be explored. Raises `NotCompiled` if native code can not explore it."""

    def __init__(self, graph: Flow) -> None:
        self.flow = graph
        self.layout = Layout(graph, EXPLORED)
        code, self.facts = compiled_to_explore(graph)
        self.initial = bytes.fromhex(self.facts.initial)
        self._engine = loaded(code)
        self.functions = {name: self._function(name) for name in _SIGNATURES}
        self.has_kin = self.facts.kin

    def _function(self, name: str) -> Callable[..., int]:
        result, count = _SIGNATURES[name]
        kind = ctypes.CFUNCTYPE(result, *[ctypes.c_int64] * count)
        return kind(self._engine.get_function_address(name))

    def span(self, site: int) -> Span:
        """Where a statement stands."""
        if site < 0:
            return NOWHERE
        number, step = self.facts.sites[site]
        block = self.flow.blocks[number]
        source = getattr(block.exit if step < 0 else block.steps[step], "source", None)
        return source.span if isinstance(source, ir.Source) else NOWHERE

    def explore(
        self, limit: int, threads: int = 1, graph: bool = False, go_on: Callable[[Progress], bool] = lambda _: True
    ) -> World:
        """Explore until nothing is new, there are more positions than the limit, or one should not go on."""
        return Exploration(self, graph).run(limit, threads, go_on)


class _Lane:
    """What works on a block of positions."""

    def __init__(self, job: Job, explorer: Explorer, graph: bool) -> None:
        self.job, self.graph = job, graph
        facts = explorer.facts
        self.words = facts.words
        self.state = Room(explorer.layout.size + 64)
        self.scratch = Room(explorer.layout.size + 64)
        self.memory = Memory(facts)
        self.flags, self.events = Room(facts.flags), Room(24 * facts.flags)
        self.endings = Room(8 * len(explorer.flow.blocks))
        self.buckets = Room(16 * PARTS)
        self.block: Block | None = None
        self.records: list[Room] = []
        self.edges = self.sources = Room(8)
        self.room = 0
        for name, room in (("state", self.state), ("scratch", self.scratch), ("flags", self.flags),
                           ("events", self.events), ("endings", self.endings), ("buckets", self.buckets)):  # fmt: skip
            job[name] = room.address
        job["context"] = self.memory.address
        self.make_room(ROOM)

    def make_room(self, room: int) -> None:
        """Room for more candidates."""
        self.room = self.job["room"] = room
        record = RECORD + 8 * self.words
        self.records = [Room(record * (room + AHEAD)) for _ in range(PARTS)]
        for part, memory in enumerate(self.records):
            ctypes.c_int64.from_address(self.buckets.address + 16 * part).value = memory.address
        if self.graph:
            self.edges = Room(8 * PARTS * room)
            self.job["edges"] = self.edges.address

    def take(self, block: Block) -> None:
        job = self.job
        self.block = block
        job["block"], job["count"], job["at"] = block.room.address, block.count, 0
        job["first"] = block.first * PARTS + block.part
        if self.graph:
            self.sources = Room(8 * block.count)
            job["sources"] = self.sources.address

    def prepare(self, known: bytearray) -> None:
        """Before it works: what is known is not noted again; the buckets are empty."""
        ctypes.memmove(self.flags.address, (ctypes.c_char * len(known)).from_buffer(known), len(known))
        self.job["noted"] = self.job["steps"] = 0
        for part in range(PARTS):
            ctypes.c_int64.from_address(self.buckets.address + 16 * part + 8).value = 0

    def candidates(self, part: int) -> int:
        return ctypes.c_int64.from_address(self.buckets.address + 16 * part + 8).value

    def noted(self) -> Iterator[tuple[int, int, int]]:
        """The events: number, position, option."""
        for place in range(self.job["noted"]):
            words = (ctypes.c_int64 * 3).from_address(self.events.address + 24 * place)
            yield words[0], words[1], words[2]


class Exploration:
    """An exploration while it runs, and all that it knows afterwards."""

    def __init__(self, explorer: Explorer, graph: bool) -> None:
        self.explorer = explorer
        self.facts = explorer.facts
        self.functions = explorer.functions
        self.graph = graph
        self.world = World()
        self._lane_jobs, self._part_jobs = Room(LANE.size * LANES), Room(PART.size * PARTS)
        self.lanes = [_Lane(Job(self._lane_jobs.address + n * LANE.size, LANE), explorer, graph) for n in range(LANES)]
        self.parts = [
            Part(n, Job(self._part_jobs.address + n * PART.size, PART), explorer, graph) for n in range(PARTS)
        ]
        self._grow_jobs = Room(GROW.size * PARTS)
        self._crew = Crew(self.functions, KINDS)
        self.known = bytearray(self.facts.flags)
        self.found: list[tuple[int, int, int]] = []
        self.root = 0
        """The number of the first position."""
        self._next = Room(8)
        self.steps: list[Steps] = []
        """The graph."""
        self._joined = 0
        """Bytes of all that."""

    def run(self, limit: int, threads: int, go_on: Callable[[Progress], bool], starts: Sequence[bytes] = ()) -> World:
        """Explore from the beginning, or from some states (at most ROOM); of the graph only one can be the first."""
        world = self.world
        with self.working(threads):
            try:
                if self.start(starts):
                    world.complete = self._layers(limit, go_on)
            except KeyboardInterrupt:
                world.interrupted = True
        world.positions = self.positions
        world.findings = [self._finding(*event) for event in self.found]
        world.won = sum(lane.job["won"] for lane in self.lanes)
        for lane in self.lanes:
            for block in range(len(self.explorer.flow.blocks)):
                count = lane.endings.word(block)
                if count:
                    world.endings[block] = world.endings.get(block, 0) + count
        if self.graph and world.complete and self.positions:
            world.graph = Measured(self.functions, self.parts, self.steps, self.root)
        return world

    @contextmanager
    def working(self, threads: int) -> Iterator[None]:
        """With so many threads."""
        with self._crew.helped(threads - 1):
            yield

    def anew(self, limit: int, settle: bool) -> int | None:
        """Take all options of the positions that wait, all others being forgotten; None: there were too many then.

        `settle`: only of those where chance chooses. How many of them there were.
        """
        layer = [block for part in self.parts for block in part.waiting if block.count]
        layer.reverse()
        self.steps = []
        self.parts = [Part(part.number, part.job, self.explorer, self.graph) for part in self.parts]
        for lane in self.lanes:
            lane.job["settle"], lane.job["courses"] = int(settle), 0
        while layer or any(lane.block for lane in self.lanes):
            self._round(layer)
            if self.positions > limit:
                return None
        return sum(lane.job["courses"] for lane in self.lanes)

    @property
    def fails(self) -> bool:
        """Whether the rules have failed somewhere."""
        return any(number >= len(self.facts.events) for number, _, _ in self.found)

    @property
    def positions(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def memory(self) -> int:
        """Bytes in use, and those that the graph will take in the end."""
        later = MEASURED * self.positions if self.graph else 0
        return sum(part.memory for part in self.parts) + self._joined + later

    def start(self, starts: Sequence[bytes]) -> bool:
        """Begin; whether it comes to a first position."""
        for lane in self.lanes:
            lane.prepare(self.known)
        lane = self.lanes[0]
        failed = 0
        for image in starts or [self.explorer.initial]:
            ctypes.memmove(lane.state.address, image, len(image))
            failed |= self.functions["start"](lane.state.address, lane.memory.address, lane.job.address)
        self._collect()
        calls = lane.memory.address + self.facts.calls
        self.world.calls_at_first = [
            ctypes.c_int64.from_address(calls + 8 * place).value for place in range(len(self.facts.within))
        ]
        if failed:
            return False
        edges, lane.job["edges"] = lane.job["edges"], 0
        self._insert()
        lane.job["edges"] = edges
        self.root = next(part.number for part in self.parts if part.count)
        return True

    def _layers(self, limit: int, go_on: Callable[[Progress], bool]) -> bool:
        """Whether all is done."""
        world = self.world
        waiting = self.positions
        while waiting:
            world.layers.append(waiting)
            world.depth = len(world.layers) - 1
            layer = [block for part in self.parts for block in part.waiting if block.count]
            layer.reverse()
            for part in self.parts:
                part.waiting = []
            room = min(MOST_ROOM, waiting // SHARE)
            for lane in self.lanes:
                if lane.room < room:
                    lane.make_room(room)
            while layer or any(lane.block for lane in self.lanes):
                self._round(layer)
                memory = self.memory
                world.memory = max(world.memory, memory)
                progress = Progress(self.positions, waiting, world.steps, memory, len(world.layers))
                if self.positions > limit or not go_on(progress):
                    waiting = sum(block.count for part in self.parts for block in part.waiting)
                    return not (layer or any(lane.block for lane in self.lanes) or waiting)
            world.covered = world.depth
            waiting = sum(block.count for part in self.parts for block in part.waiting)
        return True

    def _round(self, layer: list[Block]) -> None:
        for lane in self.lanes:
            lane.prepare(self.known)
            if lane.block is None and layer:
                lane.take(layer.pop())
        begun = [lane.job["at"] for lane in self.lanes]
        self._crew.do("expand_all", self._lane_jobs.address, LANES)
        self._collect()
        self._insert()
        for lane, first in zip(self.lanes, begun, strict=True):
            block, job = lane.block, lane.job
            if block is None:
                continue
            if self.graph and job["at"] > first:
                edges = ctypes.string_at(lane.edges.address, 8 * job["steps"])
                self.steps.append((block, first, job["at"], lane.sources, edges))
                self._joined += len(edges) + 8 * (job["at"] - first)
            self.world.steps += job["steps"]
            if job["at"] == block.count:
                lane.block = None
            elif job["need"] > lane.room:
                if job["need"] >= MOST_OPTIONS:
                    raise LimitReached(f"a position with {job['need']} options")
                lane.make_room(2 * job["need"])

    def _collect(self) -> None:
        """What the lanes have noted."""
        for lane in self.lanes:
            if lane.job["unfit"]:
                raise LimitReached("a position that can not be packed")
            for number, source, option in lane.noted():
                if not self.known[number]:
                    self.known[number] = 1
                    self.found.append((number, source, option))

    def _insert(self) -> None:
        coming = [sum(lane.candidates(part.number) for lane in self.lanes) for part in self.parts]
        self._widen([part for part in self.parts if part.is_too_small(coming[part.number])], coming)
        for part in self.parts:
            part.prepare(coming[part.number])
        self._crew.do("insert_all", self._part_jobs.address, PARTS, self._lane_jobs.address, LANES)
        for part in self.parts:
            part.done()

    def _widen(self, parts: Sequence[Part], coming: Sequence[int]) -> None:
        """Wider tables, for so many positions."""
        if parts:
            jobs = [Job(self._grow_jobs.address + place * GROW.size, GROW) for place in range(len(parts))]
            takes = [part.widen(coming[part.number], job) for part, job in zip(parts, jobs, strict=True)]
            self._crew.do("grow_all", self._grow_jobs.address, len(parts))
            for take in takes:
                take()

    # ----------------------------------------------------------------------------------------------------- findings

    def states(self, way: Sequence[int]) -> list[bytes]:
        """The positions on a way, the first one among them. An option that fails ends it."""
        lane = self.lanes[0]
        ctypes.memmove(lane.state.address, self.explorer.initial, len(self.explorer.initial))
        words = Room(8 * self.facts.words)
        found = []
        for option in (0, *way):
            lane.memory.reset()
            if self.functions["run"](lane.state.address, lane.memory.address, STEP, option):
                break
            self.functions["pack"](lane.state.address, lane.memory.address, words.address)
            self.functions["unpack"](words.address, lane.state.address, lane.memory.address)
            found.append(ctypes.string_at(lane.state.address, self.explorer.layout.size))
        return found

    def way(self, number: int) -> tuple[int, ...]:
        """The options that lead to a position."""
        return way_to(self.parts, number)

    def _finding(self, number: int, source: int, option: int) -> Finding:
        way = () if source < 0 else self.way(source)
        if option >= 0:
            way = (*way, option)
        if number < len(self.facts.events):
            return Finding(self.facts.events[number], None, way, option >= 0)
        message, site = divmod(number - len(self.facts.events), len(self.facts.sites) + 1)
        text = self.facts.messages[message]
        if text in LIMITS:
            raise LimitReached(text)
        return Finding(None, (text, site - 1), way, True)
