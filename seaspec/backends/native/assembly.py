"""A writer of LLVM assembly: the text of one function after the other, constants folded on the way.

Text, because it is several times faster than building objects that are turned into text in the end. An operand is a
Python number (a constant) or the name of a value. Values that differ by path go through memory of the function
(`slot`), which LLVM turns into registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

Operand = int | str
"""A constant, or the name of a value."""
Mark = tuple[int, int, int, bool]
NARROW = 128
"""Integers of more bits are worked on word by word where they can be: LLVM makes long code of shifts and searches."""
MIDDLE = 63
"""Which of twice as many words and one is not 0 in the constant `@one_bit`."""


def width(ty: str) -> int:
    """The bits of an integer type.

    >>> width("i64")
    64
    """
    return int(ty[1:])


def signed(value: int, bits: int) -> int:
    """A number as LLVM prints it.

    >>> signed(255, 8), signed(511, 8)
    (-1, -1)
    """
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


@dataclass(frozen=True, slots=True)
class Loop:
    """Inside a loop: its value, where to go for the next one, where to leave."""

    value: Operand
    onward: str
    done: str


class Code:
    """The text of one function."""

    def __init__(self, name: str, result: str, params: Sequence[tuple[str, str]], attributes: str = "internal") -> None:
        self.name = name
        self.result = result
        self.params = tuple(params)
        self.attributes = attributes
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.count = 0
        self.open = True
        """Whether the current block still needs an end."""
        self.fails = False
        """Whether anything in it may fail."""

    @property
    def text(self) -> str:
        params = ", ".join(f"{ty} {name}" for ty, name in self.params)
        body = "\n".join([*self.slots, "  br label %start", "start:", *self.lines])
        return f"define {self.attributes} {self.result} @{self.name}({params}) #0 {{\nentry:\n{body}\n}}\n"

    # ------------------------------------------------------------------------------------------------------- writing

    def mark(self) -> Mark:
        return len(self.slots), len(self.lines), self.count, self.open

    def rollback(self, mark: Mark) -> None:
        """Forget all that was written since the mark."""
        slots, lines, self.count, self.open = mark
        del self.slots[slots:]
        del self.lines[lines:]

    def value(self, text: str) -> str:
        """An instruction with a result."""
        self.count += 1
        name = f"%v{self.count}"
        self.line(f"{name} = {text}")
        return name

    def line(self, text: str) -> None:
        assert self.open, f"nothing leads to: {text}"
        self.lines.append(f"  {text}")

    def slot(self, ty: str, count: int = 1) -> str:
        """Memory of the function."""
        self.count += 1
        name = f"%m{self.count}"
        array = ty if count == 1 else f"[{count} x {ty}]"
        self.slots.append(f"  {name} = alloca {array}, align {16 if count > 1 else 8}")
        return name

    # ----------------------------------------------------------------------------------------------------- arithmetic

    def binary(self, op: str, a: Operand, b: Operand, ty: str = "i64") -> Operand:
        bits = width(ty)
        a = signed(a, bits) if isinstance(a, int) else a
        b = signed(b, bits) if isinstance(b, int) else b
        if isinstance(a, int) and isinstance(b, int):
            return signed(_FOLDED[op](a, b, bits), bits)
        if isinstance(b, int) and b == _NEUTRAL.get(op):
            return a
        if isinstance(a, int) and a == _NEUTRAL.get(op) and op in _COMMUTATIVE:
            return b
        if 0 in (a, b) and op in ("and", "mul"):
            return 0
        if op == "or" and -1 in (a, b):
            return -1
        return self.value(f"{op} {ty} {a}, {b}")

    def add(self, a: Operand, b: Operand) -> Operand:
        return self.binary("add", a, b)

    def sub(self, a: Operand, b: Operand) -> Operand:
        return self.binary("sub", a, b)

    def mul(self, a: Operand, b: Operand) -> Operand:
        return self.binary("mul", a, b)

    def both(self, a: Operand, b: Operand, ty: str = "i1") -> Operand:
        if ty == "i1" and 1 in (a, b):
            return b if a == 1 else a
        return self.binary("and", a, b, ty)

    def either(self, a: Operand, b: Operand, ty: str = "i1") -> Operand:
        if ty == "i1" and 1 in (a, b):
            return 1
        return self.binary("or", a, b, ty)

    def complement(self, a: Operand, ty: str = "i1") -> Operand:
        """All bits turned."""
        if ty == "i1":
            return 1 - a if isinstance(a, int) else self.value(f"xor i1 {a}, true")
        return self.binary("xor", a, -1, ty)

    def compare(self, predicate: str, a: Operand, b: Operand, ty: str = "i64") -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            bits = width(ty)
            x, y = signed(a, bits), signed(b, bits)
            if predicate[0] == "u":
                x, y = x & ((1 << bits) - 1), y & ((1 << bits) - 1)
            return int(_COMPARED[predicate[-2:]](x, y))
        return self.value(f"icmp {predicate} {ty} {a}, {b}")

    def select(self, test: Operand, a: Operand, b: Operand, ty: str = "i64") -> Operand:
        if isinstance(test, int):
            return a if test else b
        return a if a == b else self.value(f"select i1 {test}, {ty} {a}, {ty} {b}")

    def convert(self, a: Operand, source: str, target: str, sign: bool = False) -> Operand:
        """To a wider or narrower integer type."""
        before, after = width(source), width(target)
        if before == after:
            return a
        if isinstance(a, int):
            return signed(a if sign else a & ((1 << before) - 1), after)
        op = "trunc" if after < before else "sext" if sign else "zext"
        return self.value(f"{op} {source} {a} to {target}")

    def spread(self, test: Operand, ty: str) -> Operand:
        """All bits, or none."""
        return self.convert(test, "i1", ty, sign=True) if isinstance(test, str) else -test

    def intrinsic(self, name: str, ty: str, *arguments: Operand | tuple[str, Operand]) -> str:
        shown = ", ".join(f"{a[0]} {a[1]}" if isinstance(a, tuple) else f"{ty} {a}" for a in arguments)
        return self.value(f"call {ty} @llvm.{name}.{ty}({shown})")

    def population(self, mask: Operand, ty: str) -> Operand:
        """How many bits are set, as i64."""
        if isinstance(mask, int):
            return (mask & ((1 << width(ty)) - 1)).bit_count()
        return self.convert(self.intrinsic("ctpop", ty, mask), ty, "i64")

    def lowest(self, mask: Operand, ty: str) -> Operand:
        """The number of the lowest bit, as i64; some bit is set."""
        if isinstance(mask, int) and mask:
            return (mask & -mask).bit_length() - 1
        return self.convert(self.intrinsic("cttz", ty, mask, ("i1", "true")), ty, "i64")

    def bit(self, number: Operand, ty: str) -> Operand:
        if width(ty) <= NARROW or isinstance(number, int):
            return self.binary("shl", 1, self.convert(number, "i64", ty), ty)
        # A window on zeros in which the word of the bit is 1; then all words are moved alike.
        words = width(ty) // 64
        vector = f"<{words} x i64>"
        start = self.both(self.sub(MIDDLE, self.binary("lshr", number, 6)), MIDDLE, "i64")
        window = self.load(vector, self.offset("@one_bit", self.mul(start, 8)), "", 8)
        first = self.value(f"insertelement {vector} poison, i64 {self.both(number, 63, 'i64')}, i64 0")
        steps = self.value(f"shufflevector {vector} {first}, {vector} poison, <{words} x i32> zeroinitializer")
        moved = self.value(f"shl {vector} {window}, {steps}")
        return self.value(f"bitcast {vector} {moved} to {ty}")

    def has_bit(self, mask: Operand, number: Operand, ty: str) -> Operand:
        if ty == "i64":
            shifted = self.binary("lshr", mask, number, ty)
            return self.convert(shifted, ty, "i1")
        if width(ty) > NARROW and isinstance(number, str):
            memory = self.slot(ty)
            self.store(ty, mask, memory)
            inside = self.compare("ult", number, width(ty))
            word = self.load("i64", self._word_of(memory, self.select(inside, number, 0)))
            shifted = self.binary("lshr", word, self.both(number, 63, "i64"), "i64")
            return self.both(inside, self.convert(shifted, "i64", "i1"))
        return self.compare("ne", self.binary("and", mask, self.bit(number, ty), ty), 0, ty)

    def put_bit(self, memory: str, number: Operand, holds: Operand, ty: str) -> None:
        """A set in memory of the function gets a bit, if a test holds."""
        if width(ty) <= NARROW:
            bit = self.binary("shl", self.convert(holds, "i1", ty), self.convert(number, "i64", ty), ty)
            self.store(ty, self.binary("or", self.load(ty, memory), bit, ty), memory)
            return
        word = self._word_of(memory, number)
        bit = self.binary("shl", self.convert(holds, "i1", "i64"), self.both(number, 63, "i64"))
        self.store("i64", self.binary("or", self.load("i64", word), bit), word)

    def _word_of(self, memory: str, number: Operand) -> str:
        """Where in a set in memory the word with a bit stands."""
        return self.offset(memory, self.mul(self.binary("lshr", number, 6), 8))

    # --------------------------------------------------------------------------------------------------------- memory

    def offset(self, pointer: str, offset: Operand) -> str:
        """A pointer so many bytes on."""
        return pointer if offset == 0 else self.value(f"getelementptr inbounds i8, ptr {pointer}, i64 {offset}")

    def load(self, ty: str, pointer: str, tag: str = "", align: int = 0) -> str:
        aligned = f", align {align}" if align else ""
        return self.value(f"load {ty}, ptr {pointer}{aligned}{tag}")

    def store(self, ty: str, value: Operand, pointer: str, tag: str = "", align: int = 0) -> None:
        aligned = f", align {align}" if align else ""
        self.line(f"store {ty} {value}, ptr {pointer}{aligned}{tag}")

    def call(self, ty: str, name: str, arguments: Sequence[tuple[str, Operand]], rare: bool = False) -> str:
        """Call a function; a `rare` call is never worked into its caller."""
        shown = ", ".join(f"{ty} {value}" for ty, value in arguments)
        text = f"call {ty} @{name}({shown}){' noinline' if rare else ''}"
        if ty == "void":
            self.line(text)
            return ""
        return self.value(text)

    # -------------------------------------------------------------------------------------------------------- control

    def label(self, hint: str) -> str:
        self.count += 1
        return f"{hint}.{self.count}"

    def place(self, label: str) -> None:
        """A block begins; what stands before it leads on into it."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.open = True

    def jump(self, label: str) -> None:
        if self.open:
            self.lines.append(f"  br label %{label}")
            self.open = False

    def branch(self, test: Operand, then: str, otherwise: str) -> None:
        if isinstance(test, int):
            self.jump(then if test else otherwise)
        elif self.open:
            self.lines.append(f"  br i1 {test}, label %{then}, label %{otherwise}")
            self.open = False

    def switch(self, subject: Operand, otherwise: str, cases: Sequence[tuple[int, str]], ty: str = "i64") -> None:
        if self.open:
            listed = " ".join(f"{ty} {value}, label %{label}" for value, label in cases)
            self.lines.append(f"  switch {ty} {subject}, label %{otherwise} [ {listed} ]")
            self.open = False

    def give(self, value: Operand = 0) -> None:
        """Return."""
        if self.open:
            self.lines.append("  ret void" if self.result == "void" else f"  ret {self.result} {value}")
            self.open = False

    @contextmanager
    def when(self, test: Operand) -> Iterator[None]:
        """What is written inside runs only if the test holds."""
        then, end = self.label("then"), self.label("end")
        self.branch(test, then, end)
        self.place(then)
        yield
        self.place(end)

    def choose(self, test: Operand, ty: str, then: Callable[[], Operand], otherwise: Callable[[], Operand]) -> Operand:
        """One of two values, of which only that one is worked out."""
        if isinstance(test, int):
            return then() if test else otherwise()
        result = self.slot(ty)
        first, second, end = self.label("then"), self.label("else"), self.label("end")
        self.branch(test, first, second)
        for label, make in ((first, then), (second, otherwise)):
            self.place(label)
            self.store(ty, make(), result)
            self.jump(end)
        self.place(end)
        return self.load(ty, result)

    @contextmanager
    def count_up(self, low: Operand, end: Operand) -> Iterator[Loop]:
        """A loop over low, low + 1, .. end - 1."""
        counter = self.slot("i64")
        head, body, onward, done = (self.label(hint) for hint in ("head", "body", "next", "done"))
        self.store("i64", low, counter)
        self.place(head)
        value = self.load("i64", counter)
        self.branch(self.compare("slt", value, end), body, done)
        self.place(body)
        yield Loop(value, onward, done)
        self.place(onward)
        self.store("i64", self.add(value, 1), counter)
        self.jump(head)
        self.place(done)

    @contextmanager
    def bits(self, mask: Operand, ty: str) -> Iterator[Loop]:
        """A loop over the numbers of the bits that are set, from the lowest."""
        if width(ty) > NARROW:
            with self._bits_by_word(mask, ty) as loop:
                yield loop
            return
        rest = self.slot(ty)
        head, body, onward, done = (self.label(hint) for hint in ("head", "body", "next", "done"))
        self.store(ty, mask, rest)
        self.place(head)
        left = self.load(ty, rest)
        self.branch(self.compare("ne", left, 0, ty), body, done)
        self.place(body)
        value = self.lowest(left, ty)
        less = self.binary("add", left, -1, ty)
        self.store(ty, self.binary("and", left, less, ty), rest)
        yield Loop(value, onward, done)
        self.place(onward)
        self.jump(head)
        self.place(done)

    @contextmanager
    def _bits_by_word(self, mask: Operand, ty: str) -> Iterator[Loop]:
        """The same of a wide set, a word after the other."""
        memory, rest = self.slot(ty), self.slot("i64")
        self.store(ty, mask, memory)
        with self.count_up(0, width(ty) // 64) as words:
            self.store("i64", self.load("i64", self.offset(memory, self.mul(words.value, 8))), rest)
            head, body, onward, done = (self.label(hint) for hint in ("head", "body", "next", "all"))
            self.place(head)
            left = self.load("i64", rest)
            self.branch(self.compare("ne", left, 0), body, words.onward)
            self.place(body)
            self.store("i64", self.binary("and", left, self.add(left, -1)), rest)
            value = self.add(self.mul(words.value, 64), self.lowest(left, "i64"))
            yield Loop(value, onward, done)
            self.place(onward)
            self.jump(head)
        self.place(done)


_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "and": -1, "or": 0, "xor": 0, "shl": 0, "lshr": 0, "sdiv": 1, "udiv": 1}
_COMMUTATIVE = ("add", "mul", "and", "or", "xor")
_FOLDED: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "mul": lambda a, b, bits: a * b,
    "and": lambda a, b, bits: a & b,
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "shl": lambda a, b, bits: a << b if b < bits else 0,
    "lshr": lambda a, b, bits: (a & ((1 << bits) - 1)) >> b,
    "sdiv": lambda a, b, bits: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "srem": lambda a, b, bits: abs(a) % abs(b) * (-1 if a < 0 else 1),
}
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
