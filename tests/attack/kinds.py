"""What a game that is being written has so far: types, things, names; and the dice that decide what comes next.

All is typed from the start, so that texts compile: a word is drawn for the type that is wanted. Ranges of numbers are
followed as the checker follows them, so that a value that can never lie in its state is not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Num:
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}..{self.high}" if self.low >= 0 else f"({self.low})..{self.high}"

    def overlaps(self, other: Num) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Flag:
    def __str__(self) -> str:
        return "yes or no"


@dataclass(frozen=True, slots=True)
class Word:
    """An enumeration or a ring; players are one. `values`: as they are written."""

    name: str
    values: tuple[str, ...]
    ring: bool

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Piece:
    """The pieces of a component, or of one of its kinds."""

    name: str
    component: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Cell:
    board: str

    def __str__(self) -> str:
        return self.board


@dataclass(frozen=True, slots=True)
class Maybe:
    of: Type

    def __str__(self) -> str:
        return f"{self.of} or none"


@dataclass(frozen=True, slots=True)
class Many:
    of: Type

    def __str__(self) -> str:
        return f"set of {self.of}"


@dataclass(frozen=True, slots=True)
class Keyed:
    keys: Type
    held: Type

    def __str__(self) -> str:
        return f"map {self.keys} to {self.held}"


Type = Num | Flag | Word | Piece | Cell | Maybe | Many | Keyed


@dataclass(frozen=True, slots=True)
class Name:
    """A name in scope. `open`: all may know it; `mine`: who is asked may know it, too."""

    name: str
    type: Type
    open: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of a component; `alone`: there is one such piece, so that its name is a piece; `facts`: by name."""

    name: str
    alone: bool


@dataclass(frozen=True, slots=True)
class Component:
    name: str
    facts: tuple[tuple[str, Type], ...]
    kinds: tuple[Kind, ...]
    size: int

    @property
    def type(self) -> Piece:
        return Piece(self.name, self.name)


@dataclass(frozen=True, slots=True)
class Board:
    name: str
    columns: int
    rows: int
    cells: tuple[str, ...]
    compass: Word | None


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    index: tuple[Type, ...]
    order: str
    capacity: str | None
    holds: str
    open: bool
    label: str = "i"
    own: bool = False
    """Seen by the player that is its index."""


@dataclass(frozen=True, slots=True)
class State:
    name: str
    index: tuple[Type, ...]
    type: Type
    open: bool
    clock: str | None = None
    while_in: str | None = None
    fixed: bool = False
    track: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A define, a table or a named throw."""

    name: str
    params: tuple[Type, ...]
    type: Type
    open: bool


@dataclass(frozen=True, slots=True)
class Deed:
    """An action or a procedure, with its parameters (of an action without the one who is asked)."""

    name: str
    params: tuple[Type, ...]
    asks: bool = False
    """Somebody is asked in it, or chance."""
    quiet: bool = False
    """It changes states and places, and nothing else: nobody is asked, nothing ends."""


@dataclass(slots=True)
class World:
    """All that is declared so far."""

    players: Word
    words: list[Word] = field(default_factory=list)
    components: dict[str, Component] = field(default_factory=dict)
    boards: dict[str, Board] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    tables: list[Function] = field(default_factory=list)
    throws: list[Function] = field(default_factory=list)
    actions: list[Deed] = field(default_factory=list)
    procedures: list[Deed] = field(default_factory=list)
    menus: list[Deed] = field(default_factory=list)
    constants: list[tuple[str, int]] = field(default_factory=list)
    guards: dict[str, list[str]] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)
    """Guards that actions share, for a player."""

    @property
    def seats(self) -> int:
        return len(self.players.values)


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be written here. `open`: nothing that is hidden may be read; `mine`: whose secrets may be read all the
    same; `promise`: in a promise; `constant`: no position is there to read; `asks`: somebody may be asked, or chance;
    `clocks`: procedures that run for sure, whose clocks may be written and which may be stopped."""

    names: tuple[Name, ...] = ()
    open: bool = False
    mine: str | None = None
    promise: bool = False
    constant: bool = False
    asks: bool = False
    clocks: tuple[str, ...] = ()
    old: bool = False
    stops: bool = True
    setup: bool = False
    ends: bool = True

    def plus(self, *names: Name) -> Scope:
        return replace(self, names=(*self.names, *names))

    def public(self) -> Scope:
        return replace(self, open=True)


@dataclass(slots=True)
class Dice:
    """What decides. Names are never used twice."""

    random: Random
    used: int = 0

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, among: Sequence[T]) -> T:
        return among[self.random.randrange(len(among))]

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def new(self, stem: str) -> str:
        self.used += 1
        return f"{stem}{self.used}"
