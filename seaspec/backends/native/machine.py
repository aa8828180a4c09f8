"""A compiled game, from Python: states are bytes, options are numbered.

    machine = Machine(game.flow)
    state = machine.begin()
    while not machine.is_over(state):
        state = machine.step(state, randrange(machine.count(state)))

`Machine(flow)` raises `NotCompiled` if native code can not run the game; `LimitReached`, a kind of it, comes up while
it runs, if something is too big for it. `RuleError` is an obligation of the rules that is not met. Whoever catches
`NotCompiled` can go on with the interpreter.

**States.** A `State` is a string of bytes, all of one length, at a node of the flow; layout.py says what stands where.
`position` tells it in terms of the core, with whatever the interpreter has in its slots. Identical pieces have numbers
here, too: equal positions are equal bytes, but for which of identical pieces lies where. Which of them native code
takes is its own affair; so to compare a position with one of the interpreter, compare them with such pieces renamed.

**Options and outcomes** are numbered from 0. `count` says how many there are, `options` which; passing, if one may, is
the last one. The outcomes of chance have weights. `step` takes the number of either.

**Random plays.** The random numbers of a play depend on a seed and the number of the play alone. `simulate(seed, first,
count)` runs so many plays in one call and gives their `Totals`, which can be added up; so the plays can be divided
among threads and machines as one likes. `record` tells a play from its seed and number, answer by answer.

All calls of machine code let other threads of Python run, and each thread has its own memory: one `Machine` can be used
by many threads.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from threading import local
from typing import TYPE_CHECKING, ClassVar, Protocol, assert_never

import llvmlite.binding as llvm

from seaspec.backends.native.build import Facts, target_machine
from seaspec.backends.native.cache import compiled
from seaspec.backends.native.errors import LIMITS, LimitReached, RuleError
from seaspec.backends.native.expressions.emitter import MOST_TRACED, Happening
from seaspec.backends.native.flow import playing
from seaspec.backends.native.flow.control import PLAY, SAMPLE, STEP
from seaspec.backends.native.flow.nodes import PASS
from seaspec.backends.native.values.decode import Decoder, Position, Reader, Result
from seaspec.backends.native.values.layout import Layout
from seaspec.backends.native.values.shapes import NONE
from seaspec.backends.native.values.unit import Context
from seaspec.core import flow, ir
from seaspec.core.flow import Flow
from seaspec.core.types import Value
from seaspec.source import NOWHERE, Span

if TYPE_CHECKING:
    from pathlib import Path

State = bytes

MOST = 2**63 - 1
"""A number of 64 bits can not be greater."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option, or an outcome with its weight. `action`: what is done, None where values alone are chosen.

    Values: the arguments of the action; what is chosen for each name; the members of a subset or the entries of a share
    as one tuple; the piece drawn; the sum rolled; the sums of a throw, then what it gives.
    """

    weight: int
    action: str | None
    values: tuple[Value, ...]
    is_pass: bool = False


@dataclass(slots=True)
class Totals:
    """What is counted of random plays. `plies`: all nodes passed; `choices`: decisions with more than one option;
    `cut_off`: plays that were not over after as many decisions as were allowed.

    Of the others: `endings`, how many ended in this block with these winners and losers (seats); `lengths`, how many
    had so many decisions. Of all: `asked`, how many decisions there were at each block; `offered`, how many options
    these had. `turns`: of how many that ended a seat was so manieth in the order of turns (0: never asked), and `won`,
    how many of these it has won; `scores`: how often a seat with this place in the order had this score (by its number,
    from 0, for there may be several in order). `begun`: how often procedures were begun, in all plays.
    """

    plays: int = 0
    plies: int = 0
    choices: int = 0
    cut_off: int = 0
    endings: Counter[tuple[int, tuple[int, ...], tuple[int, ...]]] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    asked: Counter[int] = field(default_factory=Counter)
    offered: Counter[int] = field(default_factory=Counter)
    turns: Counter[tuple[int, int]] = field(default_factory=Counter)
    won: Counter[tuple[int, int]] = field(default_factory=Counter)
    scores: Counter[tuple[int, int, int, int]] = field(default_factory=Counter)
    begun: Counter[str] = field(default_factory=Counter)

    def add(self, other: Totals) -> None:
        self.plays += other.plays
        self.plies += other.plies
        self.choices += other.choices
        self.cut_off += other.cut_off
        self.endings.update(other.endings)
        self.lengths.update(other.lengths)
        self.asked.update(other.asked)
        self.offered.update(other.offered)
        self.turns.update(other.turns)
        self.won.update(other.won)
        self.scores.update(other.scores)
        self.begun.update(other.begun)


class PlayFailed(Exception):
    """In a random play an obligation of the rules was not met."""

    def __init__(self, play: int, error: RuleError) -> None:
        super().__init__(f"play {play}: {error}")
        self.play = play
        self.error = error


class Machine:
    """A compiled game. `cache`: the folder where machine code is kept, if it is not the usual one (see cache.py).
    `traces`: what happens on the way to each node is noted, for `traced`; that is for comparisons, and slow."""

    SIGNATURES: ClassVar[dict[str, tuple[type[ctypes.c_int64] | None, int]]] = {
        "begin": (None, 1),
        "run": (ctypes.c_int64, 4),
        "options": (ctypes.c_int64, 2),
        "tell": (None, 5),
        "decider": (ctypes.c_int64, 2),
        "seed": (None, 3),
        "simulate": (ctypes.c_int64, 7),
    }
    """Results and numbers of parameters; the first two are pointers, all others numbers of 64 bits."""

    def __init__(self, graph: Flow, cache: Path | None = None, traces: bool = False) -> None:
        self.flow = graph
        self.traces = traces
        self.layout = Layout(graph)
        self.decoder = Decoder(self.layout)
        code, self.facts = self._compiled(cache)
        self.functions = self._load(code)
        self._initial = bytes.fromhex(self.facts.initial)
        self._decisions = [n for n, block in enumerate(graph.blocks) if isinstance(block.exit, flow.Decision)]
        self._alternatives: dict[int, list[tuple[str | None, list[Reader]]]] = {}
        self._of_thread = local()

    def _compiled(self, cache: Path | None) -> tuple[bytes, Facts]:
        return compiled(self.flow, cache, self.traces)

    def _load(self, code: bytes) -> dict[str, Callable[..., int]]:
        """The functions of machine code."""
        self._engine = loaded(code)
        return {name: self._function(name) for name in self.SIGNATURES}

    def _function(self, name: str) -> Callable[..., int]:
        result, count = self.SIGNATURES[name]
        kind = ctypes.CFUNCTYPE(result, *[ctypes.c_void_p if i < 2 else ctypes.c_int64 for i in range(count)])
        return kind(self._engine.get_function_address(name))

    @property
    def memory(self) -> Memory:
        """What this thread works with."""
        found: Memory | None = getattr(self._of_thread, "memory", None)
        if found is None:
            found = self._of_thread.memory = Memory(self.facts)
        return found

    # ---------------------------------------------------------------------------------------------------- running

    def begin(self) -> State:
        """The first node, before anything is chosen or drawn."""
        return self._run(self._initial, STEP, 0)

    def step(self, state: State, number: int) -> State:
        """The next node after the option or outcome with this number, in the order of `options`."""
        return self._run(state, STEP, number)

    def _run(self, state: State, mode: int, number: int) -> State:
        buffer = ctypes.create_string_buffer(state, len(state))
        memory = self.memory
        memory.reset()
        memory.put(self.facts.trace, 0)
        if self.functions["run"](ctypes.addressof(buffer), memory.address, mode, number):
            raise self._error(memory)
        return buffer.raw

    def traced(self) -> list[tuple[Happening, tuple[int, ...]]]:
        """What happened on the way to the node that was reached last, and the numbers that belong to it."""
        memory, start = self.memory, self.facts.trace
        count = memory.word(start)
        if count > MOST_TRACED:
            raise LimitReached(f"more than {MOST_TRACED} things happened between two nodes")
        entries = [[memory.word(start + 8 + 32 * n + 8 * place) for place in range(4)] for n in range(count)]
        return [(Happening(kind), tuple(values)) for kind, *values in entries]

    def _error(self, memory: Memory, place: tuple[int, int] | None = None) -> RuleError | LimitReached:
        """What went wrong in machine code. `place`: block and step (-1: the exit), else where the code left it."""
        message, site = self.facts.messages[memory.word(Context.ERROR) - 1], memory.word(Context.SITE)
        if place is None and site >= 0:
            place = self.facts.sites[site]
        span = NOWHERE if place is None else self._span(*place, memory.word(Context.ALTERNATIVE))
        return LimitReached(message, span) if message in LIMITS else RuleError(message, span)

    def _span(self, number: int, step: int, alternative: int) -> Span:
        """Where in the text a step or exit stands; an action that is offered there, if it is one of them."""
        block = self.flow.blocks[number]
        source = getattr(block.exit if step < 0 else block.steps[step], "source", None)
        match block.exit:
            case flow.Decision(_, ir.OfferActions(alternatives)) | flow.ChanceNode(ir.OfferActions(alternatives)):
                if alternative:
                    source = self.flow.game.actions[alternatives[alternative - 1].action].source
            case _:  # cautious: the exit itself is pointed at
                pass
        return source.span if isinstance(source, ir.Source) else NOWHERE

    # ------------------------------------------------------------------------------------------------------ nodes

    def node(self, state: State) -> flow.Exit:
        """The node at which a state rests."""
        return self.flow.blocks[self.block(state)].exit

    def block(self, state: State) -> int:
        return int.from_bytes(state[Layout.PC : Layout.PC + 2], "little")

    def is_over(self, state: State) -> bool:
        return bool(state[Layout.OVER])

    def decider(self, state: State) -> int | None:
        """The seat that is asked; None where chance or nobody is."""
        buffer = ctypes.create_string_buffer(state, len(state))
        memory = self.memory
        memory.reset()
        seat = self.functions["decider"](ctypes.addressof(buffer), memory.address)
        if memory.word(Context.ERROR):
            raise self._error(memory, (self.block(state), -1))
        return None if seat < 0 else seat

    def count(self, state: State) -> int:
        """How many options or outcomes there are."""
        buffer = ctypes.create_string_buffer(state, len(state))
        memory = self.memory
        memory.reset()
        count: int = self.functions["options"](ctypes.addressof(buffer), memory.address)
        if memory.word(Context.ERROR):
            raise self._error(memory, (self.block(state), -1))
        return count

    def options(self, state: State, numbers: Sequence[int] | None = None) -> list[Option]:
        """The options or outcomes (those with these numbers), in their order; passing, if one may, is the last."""
        count = self.count(state)
        if not count:
            return []
        block = self.block(state)
        size = self.facts.words[block]
        buffer = ctypes.create_string_buffer(state, len(state))
        wanted = range(count) if numbers is None else numbers
        if isinstance(wanted, range) and wanted.step == 1:
            spans = [(wanted.start, wanted.stop)]
        else:
            spans = [(number, number + 1) for number in wanted]
        found = []
        for first, end in spans:
            words = (ctypes.c_int64 * (size * (end - first)))()
            self.functions["tell"](ctypes.addressof(buffer), self.memory.address, first, end, ctypes.addressof(words))
            told = words[:]
            found += [self._option(block, told[at : at + size]) for at in range(0, len(told), size)]
        return found

    def _option(self, block: int, words: Sequence[int]) -> Option:
        weight, alternative = words[:2]
        if alternative == PASS:
            return Option(1, None, (), is_pass=True)
        action, readers = self._read(block)[alternative]
        return Option(weight, action, tuple([read(words) for read in readers]))

    def _read(self, block: int) -> list[tuple[str | None, list[Reader]]]:
        if block not in self._alternatives:
            node = self.flow.blocks[block].exit
            assert flow.is_node(node)
            self._alternatives[block] = self.decoder.alternatives(node)  # type: ignore[arg-type]
        return self._alternatives[block]

    def position(self, state: State) -> Position:
        """A state in terms of the core."""
        return self.decoder.position(state)

    def result(self, state: State) -> Result:
        """How a game that is over has ended."""
        return self.decoder.result(state)

    # ------------------------------------------------------------------------------------------------ random plays

    def simulate(self, seed: int, first: int, count: int, limit: int = 100_000, with_scores: bool = True) -> Totals:
        """Random plays with the numbers from `first` on. `PlayFailed` at the first one that fails; those with more than
        `limit` decisions are cut off. Scores are counted here, one by one: short plays take twice as long with them."""
        if limit > playing.MOST_DECISIONS:
            raise LimitReached(f"native plays have at most {playing.MOST_DECISIONS} decisions")
        if not (self.layout.terms and with_scores):
            return self._simulate(seed, first, count, limit, 0)
        totals = Totals()
        for begin in range(first, first + count, playing.MOST_SCORED):
            now = min(playing.MOST_SCORED, first + count - begin)
            totals.add(self._simulate(seed, begin, now, limit, now))
        return totals

    def _simulate(self, seed: int, first: int, count: int, limit: int, scored_plays: int) -> Totals:
        """`scored_plays`: so many plays have room for their scores; 0: scores are not kept."""
        seats = self.layout.seats
        turns = playing.WORDS + playing.ENDING * playing.ENDINGS
        lengths = turns + playing.turns_words(seats)
        words = (ctypes.c_int64 * (lengths + limit + 1))()
        rows = (ctypes.c_int64 * (scored_plays * playing.scores_words(self.layout)))()
        words[playing.SCORES // 8] = ctypes.addressof(rows) if scored_plays else 0
        buffer = ctypes.create_string_buffer(self._initial, len(self._initial))
        memory = self.memory
        memory.reset()
        blocks, facts = len(self.flow.blocks), self.facts
        parts = (facts.visits, blocks), (facts.offered, blocks), (facts.begun, len(self.flow.routines))
        counted = [(ctypes.c_int64 * length).from_address(memory.address + place) for place, length in parts]
        for counts in counted:
            ctypes.memset(counts, 0, ctypes.sizeof(counts))
        arguments = seed, first, count, limit, ctypes.addressof(words)
        if self.functions["simulate"](ctypes.addressof(buffer), memory.address, *arguments):
            error = self._error(memory)
            raise PlayFailed(words[playing.NUMBER // 8], error) if isinstance(error, RuleError) else error
        plays, choices, cut_off, longest, _, unlisted, scored = words[:7]
        if unlisted:
            raise LimitReached(f"more than {playing.ENDINGS} different endings")
        asked, offered = ({block: counts[block] for block in self._decisions} for counts in counted[:2])
        if max(offered.values(), default=0) == MOST:
            raise LimitReached("more options in all than native code can count")
        totals = Totals(plays, sum(counted[0]), choices, cut_off)
        for at in range(playing.WORDS, turns, playing.ENDING):
            block, winners, losers, number = words[at : at + playing.ENDING]
            if not number:
                break
            totals.endings[block, _seats(winners), _seats(losers)] = number
        by_length = enumerate(words[lengths : lengths + longest + 1])
        totals.lengths.update({length: number for length, number in by_length if number})
        totals.asked.update({block: number for block, number in asked.items() if number})
        totals.offered.update({block: number for block, number in offered.items() if number})
        totals.begun.update({name: n for name, n in zip(self.flow.routines, counted[2], strict=True) if n})
        pairs = list(product(range(seats), range(seats + 1)))
        for by_turn, start in ((totals.turns, turns), (totals.won, turns + 1)):
            by_turn.update({pair: n for pair, n in zip(pairs, words[start:lengths:2], strict=True) if n})
        if scored:
            self._count_scores(totals, rows[: scored * playing.scores_words(self.layout)])
        return totals

    def _count_scores(self, totals: Totals, rows: list[int]) -> None:
        terms = self.layout.terms
        width = playing.scores_words(self.layout)
        for seat, term in product(range(self.layout.seats), range(terms)):
            start = seat * (1 + terms)
            turns_and_values = zip(rows[start::width], rows[start + 1 + term :: width], strict=True)
            for (nth, value), number in Counter(turns_and_values).items():
                if value != NONE:  # who is out has no score
                    totals.scores[seat, nth, term, value] = number

    def record(self, seed: int, play: int) -> Iterator[tuple[State, Option]]:
        """A random play: each node with what is chosen there. It ends where `simulate` ends it, also in an error."""
        return ((state, option) for state, option, _ in self.moves(seed, play))

    def moves(self, seed: int, play: int) -> Iterator[tuple[State, Option, State]]:
        """The same, with the node after it."""
        memory = self.memory
        generator = bytearray(16)
        self.functions["seed"](memory.address, seed, play)
        memory.save(generator)
        state = self.begin()
        while not self.is_over(state):
            memory.load(generator)
            after = self._run(state, SAMPLE, 0)
            memory.save(generator)
            yield state, self._chosen(state, memory), after
            state = after

    def states(self, seed: int, play: int) -> Iterator[State]:
        """Where a random play comes by, its end too."""
        memory = self.memory
        generator = bytearray(16)
        self.functions["seed"](memory.address, seed, play)
        memory.save(generator)
        state = self.begin()
        yield state
        while not self.is_over(state):
            memory.load(generator)
            state = self._run(state, SAMPLE, 0)
            memory.save(generator)
            yield state

    def play_on(self, state: State, seed: int, limit: int) -> State | None:
        """The end of a random play that goes on from a state; None if that takes more than `limit` decisions."""
        buffer = ctypes.create_string_buffer(state, len(state))
        memory = self.memory
        memory.reset()
        memory.put(Context.LEFT, limit + 1)
        self.functions["seed"](memory.address, seed, 0)
        if self.functions["run"](ctypes.addressof(buffer), memory.address, PLAY, 0):
            raise self._error(memory)
        end = buffer.raw
        return end if self.is_over(end) else None

    def _chosen(self, state: State, memory: Memory) -> Option:
        """What was chosen at random at a state, after it was done."""
        block, chosen = self.block(state), memory.word(Context.CHOSEN)
        match self.flow.blocks[block].exit:
            case flow.ChanceNode(ir.OfferSubset()):
                count = self.facts.words[block] - 2
                taken = [memory.word(self.facts.taken[block] + 8 * place) for place in range(count)]
                return self._option(block, [1, 0, *taken])
            case flow.DrawNode() | flow.RollNode():
                return Option(1, None, (chosen,))
            case flow.ThrowNode():
                rolls = self.facts.words[block] - 3
                totals = [memory.word(self.facts.totals + 8 * place) for place in range(rolls)]
                return self._option(block, [1, 0, *totals, chosen])
            case (
                flow.ChanceNode() | flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return()
                | flow.Finding() | flow.Decision() | flow.Over() | flow.Outside()
            ):  # fmt: skip
                return self.options(state, [chosen])[0]
            case never:
                assert_never(never)


class Sizes(Protocol):
    """How much memory functions need beside the state."""

    @property
    def context_size(self) -> int: ...
    @property
    def rows_size(self) -> int: ...


class Memory:
    """What a thread works with beside the state."""

    def __init__(self, facts: Sizes) -> None:
        self._context = ctypes.create_string_buffer(facts.context_size + 64)
        self._rows = ctypes.create_string_buffer(facts.rows_size + 64)
        self.address = -(-ctypes.addressof(self._context) // 64) * 64
        self.put(Context.ROWS, -(-ctypes.addressof(self._rows) // 64) * 64)

    def word(self, offset: int) -> int:
        return ctypes.c_int64.from_address(self.address + offset).value

    def put(self, offset: int, value: int) -> None:
        ctypes.c_int64.from_address(self.address + offset).value = value

    def reset(self) -> None:
        """No error, nothing burnt, any number of decisions."""
        for word in (Context.ERROR, Context.ALTERNATIVE, Context.FUEL):
            self.put(word, 0)
        self.put(Context.LEFT, 0)

    def save(self, generator: bytearray) -> None:
        """Note how far the random generator has got."""
        generator[:] = ctypes.string_at(self.address + Context.SEED, 16)

    def load(self, generator: bytearray) -> None:
        """Let the random generator go on from there."""
        ctypes.memmove(self.address + Context.SEED, bytes(generator), 16)


def loaded(code: bytes) -> llvm.ExecutionEngine:
    """Machine code, ready to be called."""
    machine = target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(64) if mask >> seat & 1)
