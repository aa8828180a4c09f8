"""`WebMachine`: the machine of seaspec/backends/native/machine.py over a module of WebAssembly, run by wasmtime.

So all that machine code is compared by (native_agreement.py, tests/conformance.py --web) compares such modules, too.
The context lies in the memory of the module; states and results are copied in and out at each call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import wasmtime

from seaspec.backends.native.build import Facts
from seaspec.backends.native.flow import playing
from seaspec.backends.native.machine import Machine, Memory
from seaspec.backends.native.values.unit import Context
from seaspec.backends.native.webassembly import WebModule, web_module
from seaspec.core.flow import Flow

PAGE = 65536
STACK = 1 << 20
TOLD = 1 << 20
"""Bytes for the words of options that are told, or for what random plays count."""


class WebMachine(Machine):
    """A game in a module of WebAssembly."""

    def __init__(self, graph: Flow) -> None:
        self.module: WebModule = web_module(graph)
        self.instance = _Instance(self.module)
        super().__init__(graph)

    def _compiled(self, cache: Path | None) -> tuple[bytes, Facts]:
        return b"", self.module.facts

    def _load(self, code: bytes) -> dict[str, Callable[..., int]]:
        return {name: self._calling(name) for name in self.SIGNATURES}

    @property
    def memory(self) -> Memory:
        return self.instance.memory

    def _calling(self, name: str) -> Callable[..., int]:
        """The function with that name; its first argument is where a state stands, the next one the context."""
        inside = self.instance
        size = self.layout.size
        begins_with_state = name != "seed"

        def call(first: int, *rest: int) -> int:
            if not begins_with_state:
                return inside.call(name, inside.context, *rest)
            ctypes.memmove(inside.base + inside.state, first, size)
            arguments = list(rest[1:])
            told = {"tell": 2, "simulate": 4}.get(name)
            words = arguments[told] if told is not None else 0
            count = self._words(name, first, arguments) if words else 0
            if words:
                assert 8 * count <= TOLD
                ctypes.memmove(inside.base + inside.told, words, 8 * count)
                arguments[told or 0] = inside.told
            if name == "simulate":
                scores = _word(inside.base + inside.told + playing.SCORES)
                rows = playing.scores_words(self.layout) * arguments[2]
                assert 8 * (count + rows) <= TOLD
                _word(inside.base + inside.told + playing.SCORES, inside.told + 8 * count)
            result = inside.call(name, inside.state, *([inside.context] if rest else []), *arguments)
            ctypes.memmove(first, inside.base + inside.state, size)
            if name == "simulate":
                _word(inside.base + inside.told + playing.SCORES, scores)
                ctypes.memmove(scores, inside.base + inside.told + 8 * count, 8 * rows)
            if words:
                ctypes.memmove(words, inside.base + inside.told, 8 * count)
            return result

        return call

    def _words(self, name: str, state: int, arguments: list[int]) -> int:
        """How many words a call tells."""
        if name == "tell":
            block = int.from_bytes(ctypes.string_at(state, 2), "little")
            return self.facts.words[block] * (arguments[1] - arguments[0])
        endings = playing.WORDS + playing.ENDING * playing.ENDINGS
        return endings + playing.turns_words(self.layout.seats) + arguments[3] + 1


class _Instance:
    """A module that runs: its memory holds the constants, the context, rows of options, a state, results, a stack."""

    def __init__(self, module: WebModule) -> None:
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        compiled = wasmtime.Module(engine, module.code)
        self.context = _up(module.constants)
        self.rows = _up(self.context + module.facts.context_size)
        self.state = _up(self.rows + module.facts.rows_size)
        self.told = _up(self.state + len(module.facts.initial) // 2)
        size = _up(self.told + TOLD + STACK, PAGE)
        limits = wasmtime.Limits(size // PAGE, None)
        space = wasmtime.Memory(self.store, wasmtime.MemoryType(limits))
        pointer = wasmtime.GlobalType(wasmtime.ValType.i32(), True)
        stack = wasmtime.Global(self.store, pointer, wasmtime.Val.i32(size))
        given = {"__linear_memory": space, "__stack_pointer": stack}
        instance = wasmtime.Instance(self.store, compiled, [given[found.name or ""] for found in compiled.imports])
        self.exports = instance.exports(self.store)
        self.base = ctypes.addressof(space.data_ptr(self.store).contents)
        self.memory = _Inside(self.base + self.context)
        self.memory.put(Context.ROWS, self.rows)

    def call(self, name: str, *arguments: int) -> int:
        function = self.exports[name]
        assert isinstance(function, wasmtime.Func)
        return function(self.store, *arguments) or 0


class _Inside(Memory):
    """The context in the memory of a module."""

    def __init__(self, address: int) -> None:
        self.address = address


def _up(offset: int, to: int = 64) -> int:
    return -(-offset // to) * to


def _word(address: int, value: int | None = None) -> int:
    cell = ctypes.c_int64.from_address(address)
    if value is not None:
        cell.value = value
    return cell.value
