"""What the functions of one compiled game share: constants in memory, memory tags, messages, the functions so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from seaspec.backends.native.assembly import Code, signed
from seaspec.backends.native.values.constants import Constants
from seaspec.backends.native.values.facts import Facts
from seaspec.backends.native.values.layout import Layout
from seaspec.backends.native.values.shapes import Packed, Universe, packed
from seaspec.backends.native.values.twins import Twins
from seaspec.core import ir, types
from seaspec.core.flow import Flow
from seaspec.core.ir import Expr
from seaspec.core.types import Value

SPARE = 8
"""Entries after the end of a table of masks that vector instructions may read."""


@dataclass
class Context:
    """Memory beside the state that a thread works with; `size` grows while functions are written.

    First the error, then the statement that was run, the two words of the random generator, the stamp of remembered
    calls; then counts; where the rows of options are (`rows` bytes), how many there are, what was picked of a row, what
    was chosen at random; how many decisions the play may still have, and one more (0 and less: any number); which
    alternative of an offer an error belongs to, from 1; then whatever functions ask for.
    """

    ERROR, SITE, SEED, GAMMA, STAMP, FUEL, CHOICES = 0, 8, 16, 24, 32, 40, 56
    ROWS, COUNT, PICKED, CHOSEN, LEFT, ALTERNATIVE = 64, 72, 80, 88, 96, 104
    size: int = 128
    rows: int = 4096
    parts: dict[str, int] = field(default_factory=dict)

    def part(self, name: str, size: int) -> int:
        """Where the memory of this name stands; as big as was ever asked for by one who came first."""
        if name not in self.parts:
            self.parts[name] = self.size
            self.size += -(-size // 64) * 64
        return self.parts[name]


class Unit:
    """A game while it is compiled."""

    def __init__(self, graph: Flow, layout: Layout, traces: bool = False, tells: bool = False) -> None:
        self.flow = graph
        self.traces = traces or tells
        """Whether what happens between two nodes is noted, for comparisons."""
        self.tells = tells
        """Whether all is noted that people are told of it (shown/telling.py)."""
        self.said: list[ir.Text] = []
        """The texts that are said, each where it is."""
        self.game = graph.game
        self.layout = layout
        self.facts = Facts(self.game)
        self.constants = Constants(self.game, self.facts)
        self.twins = Twins(self.game, self.flow.alike)
        self.context = Context()
        self.messages: list[str] = []
        self.sites: list[tuple[int, int]] = []
        """The statements that may be at fault: block, and number of the step (-1: the exit)."""
        self._globals: dict[object, str] = {}
        self._global_texts: list[str] = []
        self._functions: dict[object, str] = {}
        self._function_texts: list[str] = []
        self._safe: dict[str, bool] = {}
        self._tags: dict[str, int] = {}
        self.tabulated: dict[object, list[int] | None] = {}
        """Tests by the constants alone: their sets (lanes.py)."""
        self.taken: dict[int, str] = {}
        """The memory in which chance leaves the subset that it took, by block."""
        self.inlined: dict[int, tuple[ir.Call, Expr]] = {}

    # ------------------------------------------------------------------------------------------------------- messages

    def message(self, text: str) -> int:
        """The number of an error, from 1."""
        if text not in self.messages:
            self.messages.append(text)
        return self.messages.index(text) + 1

    def site(self, block: int, step: int) -> int:
        self.sites.append((block, step))
        return len(self.sites) - 1

    def tag(self, name: str) -> str:
        """What marks accesses to one sort of memory: others do not overlap with it."""
        number = self._tags.setdefault(name, len(self._tags))
        return f", !tbaa !{2 * number + 2}"

    # -------------------------------------------------------------------------------------------------------- globals

    def array(self, values: Sequence[int], bits: int) -> str:
        """A constant array in memory."""
        key = tuple(values), bits
        if key not in self._globals:
            name = f"@c{len(self._globals)}"
            shown = ", ".join(f"i{bits} {signed(value, bits)}" for value in values) if values else f"i{bits} 0"
            count = max(1, len(values))
            self._global_texts.append(
                f"{name} = internal unnamed_addr constant [{count} x i{bits}] [{shown}], align 64"
            )
            self._globals[key] = name
        return self._globals[key]

    def numbers(self, values: Sequence[Value], ty: types.Type) -> tuple[str, Packed]:
        """A constant array of single values of a type."""
        plain = [int(value) for value in values if isinstance(value, int)]
        optional = len(plain) < len(values) or isinstance(ty, types.Optional)
        form = packed(types.Int(min(plain, default=0), max(plain, default=0)), optional)
        return self.array([form.encode(value) for value in values], form.bits), form

    def masks(self, sets: Sequence[int], universe: Universe) -> str:
        """A constant array of masks, with some empty ones after the end."""
        words = int(universe.ty[1:]) // 64
        full = [*sets, *([0] * SPARE)]
        return self.array([mask >> 64 * word & (1 << 64) - 1 for mask in full for word in range(words)], 64)

    # ------------------------------------------------------------------------------------------------------ functions

    def function(self, key: object, hint: str, write: Callable[[str], Code]) -> str:
        """The name of a function, written when it is first asked for; it may call itself."""
        if key not in self._functions:
            plain = "".join(c if c.isalnum() and c.isascii() else "_" for c in hint)
            name = self._functions[key] = f"{plain}.{len(self._functions)}"
            code = write(name)
            self._safe[name] = not code.fails
            self._function_texts.append(code.text)
        return self._functions[key]

    def give_up(self) -> None:
        """Functions that were begun, and could not be written to their end, are no more found under their keys."""
        for key, name in list(self._functions.items()):
            if name not in self._safe:
                del self._functions[key]
                self._functions[object()] = name  # the name stays taken

    def may_fail(self, name: str) -> bool:
        """Whether a function may fail, as far as it is written."""
        return not self._safe.get(name, False)

    def add(self, code: Code) -> None:
        self._function_texts.append(code.text)

    def text(self, runtime: str) -> str:
        """The whole module."""
        tags = ['!0 = !{!"sea"}']
        for name, number in self._tags.items():
            tags.append(f'!{2 * number + 1} = !{{!"{name}", !0, i64 0}}')
            tags.append(f"!{2 * number + 2} = !{{!{2 * number + 1}, !{2 * number + 1}, i64 0}}")
        parts = [runtime, *self._global_texts, *self._function_texts, *tags]
        return "\n".join(parts) + "\n"

    def place(self, name: str) -> ir.Place:
        return self.game.places[name]
