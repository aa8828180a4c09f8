"""The same machine code for browsers: a module of WebAssembly, made by LLVM, and linked here.

No linker is needed: a game is one object file, whose functions have their numbers and whose constants have their
addresses, from 0 on. What it lacks is told here: which functions are exported, under their names. What linkers read is
left out. Whoever runs it gives memory (`env.__linear_memory`) and the top of a stack (`env.__stack_pointer`), beyond
`WebModule.constants`.

States, options, outcomes and random numbers are those of the machine code of this computer, byte by byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm

from seaspec.backends.native import build
from seaspec.backends.native.shown.asking import Asked, write_asking
from seaspec.backends.native.shown.telling import VEILED
from seaspec.backends.native.values.layout import Layout
from seaspec.backends.native.values.unit import Unit
from seaspec.core import ir
from seaspec.core.flow import Flow

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+mutable-globals,+nontrapping-fptoint"
"""What browsers have had since 2020."""
EXPORTED = ("begin", "run", "options", "tell", "decider", "seed", "simulate")
TO_SHOW = (*EXPORTED, "ask")
"""What a page needs, too."""

_CUSTOM, _IMPORTS, _GLOBALS, _EXPORTS, _DATA = 0, 2, 6, 7, 11
_FUNCTION_SYMBOL, _DATA_SYMBOL, _SECTION_SYMBOL = 0, 1, 3
_SYMBOLS = 8
_UNDEFINED, _NAMED = 0x10, 0x40
_PAST = {_CUSTOM: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, 12: 10, 10: 11, 11: 12}
"""The order of sections: that of counts of data stands before the code."""


class NotLinked(Exception):
    """The object file is not such as is made here: a fault of this program, or of another version of LLVM."""


@dataclass(frozen=True)
class WebModule:
    """A module, what one must know to use it, and up to where its constants reach in memory."""

    code: bytes
    facts: build.Facts
    constants: int


@dataclass(frozen=True)
class ShownModule(WebModule):
    """A module for a page that shows the game: what it can be asked, what it says, where the veiled table stands."""

    asked: Asked
    said: tuple[ir.Text, ...]
    veiled: int


def web_module(graph: Flow) -> WebModule:
    """A game for browsers. Raises `NotCompiled` as the machine code of this computer does."""
    text, facts = build.write(graph, features="")
    code, constants = _made(text, EXPORTED)
    return WebModule(code, facts, constants)


def shown_module(graph: Flow) -> ShownModule:
    """A game for a page that shows it. Raises `NotCompiled`, too."""
    unit = Unit(graph, Layout(graph), tells=True)
    build.write_playing(unit)
    asked = write_asking(unit)
    text, facts = build.finish(unit, features="")
    code, constants = _made(text, TO_SHOW)
    return ShownModule(
        code,
        constants=constants,
        facts=facts,
        asked=asked,
        said=tuple(unit.said),
        veiled=unit.context.part(VEILED, unit.layout.end),
    )


def _made(text: str, exported: Sequence[str]) -> tuple[bytes, int]:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=build.EFFORT, reloc="static", codemodel="default"
    )
    return linked(build.compile_text(text + _WIDE, machine=machine), exported)


def linked(file: bytes, exported: Sequence[str] = EXPORTED) -> tuple[bytes, int]:
    """An object file as a module, and where its constants end."""
    sections = list(_sections(file))
    bodies = dict(sections)
    functions = dict(_functions(next((_after_name(body) for kind, body in sections if _is_linking(kind, body)), b"")))
    missing = [name for name in exported if name not in functions]
    foreign = [name for name in _imported(bodies.get(_IMPORTS, b"")) if not name.startswith("__linear_memory")]
    if missing or foreign not in ([], ["__stack_pointer"]):
        raise NotLinked(f"missing: {missing}, asked for: {foreign}")
    entries = [_text(name) + b"\0" + _number(functions[name]) for name in exported]
    kept = [(kind, body) for kind, body in sections if kind != _CUSTOM]
    kept.append((_EXPORTS, _number(len(entries)) + b"".join(entries)))
    kept.sort(key=lambda section: _PAST[section[0]])
    module = file[:8] + b"".join(bytes([kind]) + _number(len(body)) + body for kind, body in kept)
    return module, _end_of_data(bodies.get(_DATA, b"\0"))


# ------------------------------------------------------------------------------------------------------ the format


class _Bytes:
    """What is read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self) -> int:
        found = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self) -> str:
        return self.take(self.number()).decode()


def _number(value: int) -> bytes:
    """LEB128.

    >>> _number(300).hex()
    'ac02'
    """
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _text(name: str) -> bytes:
    return _number(len(name.encode())) + name.encode()


def _sections(file: bytes) -> Iterator[tuple[int, bytes]]:
    if file[:8] != b"\0asm\1\0\0\0":
        raise NotLinked("no module of WebAssembly")
    reader = _Bytes(file)
    reader.at = 8
    while reader.at < len(file):
        kind = reader.take(1)[0]
        yield kind, reader.take(reader.number())


def _is_linking(kind: int, body: bytes) -> bool:
    return kind == _CUSTOM and _Bytes(body).text() == "linking"


def _after_name(body: bytes) -> bytes:
    reader = _Bytes(body)
    reader.text()
    return body[reader.at :]


def _functions(linking: bytes) -> Iterator[tuple[str, int]]:
    """The functions that the object file defines, by name."""
    reader = _Bytes(linking)
    if linking:
        reader.number()  # the version
    while reader.at < len(linking):
        kind = reader.take(1)[0]
        part = _Bytes(reader.take(reader.number()))
        for _ in range(part.number() if kind == _SYMBOLS else 0):
            symbol, flags = part.take(1)[0], part.number()
            if symbol == _DATA_SYMBOL:
                part.text()
                for _ in range(0 if flags & _UNDEFINED else 3):
                    part.number()
                continue
            index = part.number()
            if symbol != _SECTION_SYMBOL and (not flags & _UNDEFINED or flags & _NAMED):
                name = part.text()
                if symbol == _FUNCTION_SYMBOL and not flags & _UNDEFINED:
                    yield name, index


def _imported(body: bytes) -> Iterator[str]:
    reader = _Bytes(body)
    for _ in range(reader.number() if body else 0):
        reader.text()
        yield reader.text()
        match reader.take(1)[0]:
            case 0:
                reader.number()
            case 2:
                for _ in range(2 if reader.take(1)[0] & 1 else 1):
                    reader.number()
            case 3:
                reader.take(2)
            case kind:
                raise NotLinked(f"an import of the kind {kind}")


def _end_of_data(body: bytes) -> int:
    """Where the last constant ends."""
    reader = _Bytes(body)
    end = 0
    for _ in range(reader.number()):
        reader.number()  # active, in the only memory: `i32.const address`, `end`
        if reader.take(1) != b"\x41":
            raise NotLinked("constants without an address")
        address = _signed(reader)
        reader.take(1)
        size = reader.number()
        reader.take(size)
        end = max(end, address + size)
    return end


def _signed(reader: _Bytes) -> int:
    begin = reader.at
    value = reader.number()
    bits = 7 * (reader.at - begin)
    return value - (1 << bits) if value >> (bits - 1) else value


_WIDE = """
; What LLVM calls for numbers of 128 bits, which WebAssembly does not have.
; Not optimised: the product by halves would be seen for what it is, and made a call of itself.
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.fshr.i64(i64, i64, i64)
define void @__multi3(ptr %out, i64 %a, i64 %a.high, i64 %b, i64 %b.high) nounwind noinline optnone {
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %p00 = mul i64 %a0, %b0
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %p11 = mul i64 %a1, %b1
  %carried = lshr i64 %p00, 32
  %m0 = add i64 %p01, %carried
  %m0.low = and i64 %m0, 4294967295
  %m0.high = lshr i64 %m0, 32
  %m1 = add i64 %p10, %m0.low
  %m1.high = lshr i64 %m1, 32
  %h0 = add i64 %p11, %m0.high
  %h1 = add i64 %h0, %m1.high
  %cross0 = mul i64 %a, %b.high
  %cross1 = mul i64 %a.high, %b
  %h2 = add i64 %h1, %cross0
  %high = add i64 %h2, %cross1
  %low = mul i64 %a, %b
  store i64 %low, ptr %out
  %next = getelementptr i8, ptr %out, i64 8
  store i64 %high, ptr %next
  ret void
}
define void @__ashlti3(ptr %out, i64 %low, i64 %high, i32 %count) nounwind {
  %n = zext i32 %count to i64
  %far.bit = and i64 %n, 64
  %far = icmp ne i64 %far.bit, 0
  %within = and i64 %n, 63
  %up = shl i64 %low, %within
  %both = call i64 @llvm.fshl.i64(i64 %high, i64 %low, i64 %within)
  %new.low = select i1 %far, i64 0, i64 %up
  %new.high = select i1 %far, i64 %up, i64 %both
  store i64 %new.low, ptr %out
  %next = getelementptr i8, ptr %out, i64 8
  store i64 %new.high, ptr %next
  ret void
}
define void @__lshrti3(ptr %out, i64 %low, i64 %high, i32 %count) nounwind {
  %n = zext i32 %count to i64
  %far.bit = and i64 %n, 64
  %far = icmp ne i64 %far.bit, 0
  %within = and i64 %n, 63
  %down = lshr i64 %high, %within
  %both = call i64 @llvm.fshr.i64(i64 %high, i64 %low, i64 %within)
  %new.low = select i1 %far, i64 %down, i64 %both
  %new.high = select i1 %far, i64 0, i64 %down
  store i64 %new.low, ptr %out
  %next = getelementptr i8, ptr %out, i64 8
  store i64 %new.high, ptr %next
  ret void
}
"""
