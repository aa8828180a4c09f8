"""A compiled game, from Python: states are bytes, options are numbered.

    machine = Machine(game.flow)
    state = machine.begin()
    while not machine.is_over(state):
        state = machine.step(state, randrange(machine.count(state)))

All calls of machine code let other threads of Python run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm

from seaspec.backends.native.build import Facts, compile_text, target_machine, write
from seaspec.backends.native.control import PLAY, REST
from seaspec.backends.native.decode import Decoder, Position
from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.layout import Layout
from seaspec.backends.native.nodes import PASS
from seaspec.backends.native.unit import Context
from seaspec.core import flow, ir
from seaspec.core.flow import Flow
from seaspec.core.types import Value
from seaspec.source import NOWHERE, Span

State = bytes
"""A position at a node. Equal positions are equal bytes, but for which of identical pieces lies where."""

_SIGNATURES = {
    "begin": (None, 1),
    "run": (ctypes.c_int64, 4),
    "options": (ctypes.c_int64, 2),
    "option": (None, 4),
    "decider": (ctypes.c_int64, 2),
    "seed": (None, 3),
    "simulate": (ctypes.c_int64, 6),
}
"""Results and numbers of parameters; these are pointers and numbers of 64 bits."""


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


class Machine:
    """A compiled game."""

    def __init__(self, graph: Flow) -> None:
        self.flow = graph
        self.layout = Layout(graph)
        self.decoder = Decoder(self.layout)
        text, self.facts = write(graph)
        self._engine = _loaded(compile_text(text))
        self.functions = {name: self._function(name) for name in _SIGNATURES}
        self.memory = Memory(self.facts)
        self._initial = bytes.fromhex(self.facts.initial)

    def _function(self, name: str) -> Callable[..., int]:
        result, count = _SIGNATURES[name]
        kind = ctypes.CFUNCTYPE(result, *[ctypes.c_void_p if i < 2 else ctypes.c_int64 for i in range(count)])
        return kind(self._engine.get_function_address(name))

    # ---------------------------------------------------------------------------------------------------- running

    def begin(self) -> State:
        """The first node, before anything is chosen or drawn."""
        return self._run(self._initial, REST, 0)

    def step(self, state: State, number: int) -> State:
        """The next node after the option or outcome with this number, in the order of `options`."""
        return self._run(state, REST, number)

    def play_out(self, state: State, seed: int, play: int = 0) -> State:
        """The end of a random play; the state is one of `begin`."""
        self.functions["seed"](self.memory.address, seed, play)
        return self._run(self._initial, PLAY, 0)

    def _run(self, state: State, mode: int, number: int) -> State:
        buffer = ctypes.create_string_buffer(state, len(state))
        self.memory.reset()
        if self.functions["run"](ctypes.addressof(buffer), self.memory.address, mode, number):
            raise self.error(self.memory)
        return buffer.raw

    def error(self, memory: Memory) -> RuleError:
        """What went wrong in machine code."""
        message, site = memory.word(Context.ERROR), memory.word(Context.SITE)
        return RuleError(self.facts.messages[message - 1], self._span(site))

    def _span(self, site: int) -> Span:
        if site < 0:
            return NOWHERE
        number, step = self.facts.sites[site]
        block = self.flow.blocks[number]
        source = getattr(block.exit if step < 0 else block.steps[step], "source", None)
        return source.span if isinstance(source, ir.Source) else NOWHERE

    # ------------------------------------------------------------------------------------------------------ nodes

    def node(self, state: State) -> flow.Exit:
        """The node at which a state rests."""
        return self.flow.blocks[self.block(state)].exit

    def block(self, state: State) -> int:
        return int.from_bytes(state[:2], "little")

    def is_over(self, state: State) -> bool:
        return bool(state[Layout.OVER])

    def decider(self, state: State) -> int | None:
        """The seat that is asked; None where chance or nobody is."""
        buffer = ctypes.create_string_buffer(state, len(state))
        seat = self.functions["decider"](ctypes.addressof(buffer), self.memory.address)
        return None if seat < 0 else seat

    def count(self, state: State) -> int:
        """How many options or outcomes there are."""
        buffer = ctypes.create_string_buffer(state, len(state))
        self.memory.reset()
        count: int = self.functions["options"](ctypes.addressof(buffer), self.memory.address)
        if self.memory.word(Context.ERROR):
            raise self.error(self.memory)
        return count

    def options(self, state: State, numbers: Sequence[int] | None = None) -> list[Option]:
        """The options or outcomes (those with these numbers), in their order; passing, if one may, is the last."""
        count = self.count(state)
        buffer = ctypes.create_string_buffer(state, len(state))
        words = (ctypes.c_int64 * MOST_WORDS)()
        node = self.node(state)
        found = []
        for number in range(count) if numbers is None else numbers:
            self.functions["option"](ctypes.addressof(buffer), self.memory.address, number, ctypes.addressof(words))
            if words[1] == PASS:
                found.append(Option(1, None, (), is_pass=True))
                continue
            assert flow.is_node(node)
            action, values = self.decoder.chosen(node, words[1:])  # type: ignore[arg-type]
            found.append(Option(words[0], action, values))
        return found

    def position(self, state: State) -> Position:
        """A state in terms of the core."""
        return self.decoder.position(state)


MOST_WORDS = 4096
"""Words that an option takes at most."""


class Memory:
    """What a thread works with beside the state."""

    def __init__(self, facts: Facts) -> None:
        self._context = ctypes.create_string_buffer(facts.context_size + 64)
        self._rows = ctypes.create_string_buffer(facts.rows_size + 64)
        self.address = -(-ctypes.addressof(self._context) // 64) * 64
        self.put(Context.ROWS, -(-ctypes.addressof(self._rows) // 64) * 64)

    def word(self, offset: int) -> int:
        return ctypes.c_int64.from_address(self.address + offset).value

    def put(self, offset: int, value: int) -> None:
        ctypes.c_int64.from_address(self.address + offset).value = value

    def reset(self) -> None:
        """No error, nothing burnt."""
        self.put(Context.ERROR, 0)
        self.put(Context.FUEL, 0)


def _loaded(code: bytes) -> llvm.ExecutionEngine:
    """Machine code, ready to be called."""
    machine = target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
