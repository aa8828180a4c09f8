"""What a proof has found, as plain data in the words of `.sea`: which facts hold at each of its places, and what each
rests on. It can be sent to other processes, and is what certificates are made of.

Where one player stands for all, a place is written once for each way in which the seats may be turned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from seaspec.backends.symbolic.paths.paths import Location
from seaspec.backends.symbolic.seats import Seats
from seaspec.backends.symbolic.values.sets import NONE, known_key
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.types import Type
from seaspec.core.walk import substitute
from seaspec.core.written import NoWords, names_of_frame, written, written_value
from seaspec.prove.explain.grounds import Ground, Rooted, grounds
from seaspec.prove.facts import Fact
from seaspec.prove.lookback import NOTHING
from seaspec.prove.refute import turned

if TYPE_CHECKING:
    from seaspec.prove.induction import Induction


@dataclass(frozen=True, slots=True)
class WrittenFact:
    """A fact in words. `after`: it compares with the moment in which this procedure began, whose first arguments have
    `names`. `of`: the promise that it is a part of; `rests_on`: what it was shown with, in words, at some place."""

    says: str
    of: str | None
    after: str | None = None
    names: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenPlace:
    """A place of a proof: a block of the flow graph, its beginning or (`ends`) its end, with what is known there: names
    of the frame and their values. `running`: the procedures that run, and to which of its callers each comes back;
    `within`: the only procedure that was looked at; `passed`: no step of the proof begins or ends there, though the
    game rests. `wordless`: facts for which there are no words, and why."""

    block: int
    ends: bool
    passed: bool
    within: str | None
    running: Mapping[str, int]
    known: Mapping[str, str]
    facts: tuple[WrittenFact, ...]
    wordless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenProof:
    """All places of one induction; `promises`: the parts of promises that it proves, and over how many steps each."""

    promises: Mapping[str, int]
    places: tuple[WrittenPlace, ...]


class Notebook:
    """Keeps what proofs have found."""

    def __init__(self) -> None:
        self.proofs: list[WrittenProof] = []

    def write(self, induction: Induction) -> WrittenProof:
        return written_proof(induction)

    def keep(self, written: object) -> None:
        assert isinstance(written, WrittenProof)
        self.proofs.append(written)


def written_proof(induction: Induction) -> WrittenProof:
    """What an induction has found."""
    proved = {name: proof.over for name, proof in induction.found.items() if proof.proved}
    used = _used(induction, proved)
    writer = _Writer(induction, used)
    return WrittenProof(proved, tuple(place for one in induction.paths.locations for place in writer.places(one)))


def _used(induction: Induction, proved: Collection[str]) -> Mapping[Rooted, Collection[Rooted]]:
    """The facts on which proofs rest, at their locations, each with what it was shown with."""
    roots = [root for name, shown in induction.shown if name in proved for one in shown for root in one.grounds]
    roots += [(at, fact) for at, facts in induction.known.alive.items() for fact in facts if fact.promise in proved]
    found = grounds(roots, induction.paths.paths, lambda *end: induction.known.shown_by.get(end, NOTHING).grounds)
    into: dict[Rooted, set[Rooted]] = {root: set() for root in found}
    for (place, fact), shown in induction.known.shown_by.items():
        root = (induction.paths.paths[place].target, fact)
        if root in into:
            into[root] |= shown.grounds
    return into


class _Writer:
    def __init__(self, induction: Induction, used: Mapping[Rooted, Collection[Rooted]]) -> None:
        self.graph = induction.graph
        self.game = induction.game
        self.passed = induction.paths.passed
        self.used = used
        self.at: dict[int, list[Fact]] = {}
        for number, fact in used:
            if isinstance(fact, Fact) and number is not None:
                self.at.setdefault(number, []).append(fact)
        self.names = names_of_frame(self.graph)
        self.backs = {routine.back: name for name, routine in self.graph.routines.items()}
        self.seats = len(self.game.players)
        self.even = Seats(self.graph)

    def places(self, location: Location) -> Iterator[WrittenPlace]:
        """A location, turned in all ways in which it may be."""
        turns = range(self.seats) if location.turned and location.within is None else range(1)
        known = {name: self.plain(known_key(value), name.type) for name, value in location.known.items()}
        for by in turns:
            said: list[WrittenFact] = []
            wordless: list[str] = []
            for fact in self.at.get(location.number, ()):
                if by and not self.even.are_alike_for((fact.test, fact.guards)):
                    continue
                try:
                    said.append(self.fact(location.number, fact, by))
                except NoWords as why:
                    wordless.append(str(why))
            values = ((name, turned(value, name.type, by, self.seats)) for name, value in known.items())
            running, named = {}, {}
            try:
                for name, value in values:
                    if name in self.backs:
                        running[self.backs[name]] = value
                    else:
                        named[self.names[name]] = written_value(value, name.type, self.game)
            except NoWords as why:
                wordless.append(str(why))
                said = []
            yield WrittenPlace(
                location.block,
                location.is_exit,
                location.number in self.passed,
                None if location.within is None else location.within.procedure,
                running,
                named,
                tuple(dict.fromkeys(said)),
                tuple(wordless),
            )

    def plain(self, key: object, ty: Type) -> object:
        """A known value of the frame as the interpreter has it."""
        if key == NONE.value and isinstance(ty, types.Optional):
            return None
        match ty:
            case types.Optional(of):
                return self.plain(key, of)
            case types.SetOf(of):
                assert isinstance(key, tuple)
                return tuple(self.plain(member, of) for member in key[1:])
            case types.Map(_, held):
                assert isinstance(key, tuple)
                return tuple(self.plain(member, held) for member in key)
            case types.Bool():
                return bool(key)
            case (
                types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.Never()
                | types.Fraction()
            ):  # fmt: skip
                return key
            case _:
                assert_never(ty)

    def fact(self, number: int, fact: Fact, by: int) -> WrittenFact:
        says = self.says(fact, by)
        names = tuple(f"argument_{place}_" for place in range(1, len(fact.names) + 1))
        rests_on: dict[str, None] = {}
        for at, ground in self.used[number, fact]:
            rests_on[f"{self.where(at)}: {self.ground(ground)}"] = None
        return WrittenFact(says, fact.promise, fact.after, names, tuple(rests_on))

    def says(self, fact: Fact, by: int) -> str:
        """A fact as one test; `by`: each player that it names is the one so many seats on."""
        values = {name: ir.Const(ty, turned(value, ty, by, self.seats)) for name, (ty, value) in fact.values.items()}
        test = fact.test
        if fact.guards:
            guards = ir.Apply(types.Bool(), Op.AND, fact.guards)
            test = ir.Apply(types.Bool(), Op.IMPLIES, (guards, fact.test))
        names = self.names | {name: f"argument_{place}_" for place, name in enumerate(fact.names, 1)}
        return written(substitute(test, dict(values)), self.game, names)

    def where(self, number: int | None) -> str:
        return "the beginning" if number is None else f"place {number}"

    def ground(self, ground: Ground) -> str:
        if isinstance(ground, tuple):
            return f"guard {ground[1]} of {ground[0]}"
        try:
            return self.says(ground, 0)
        except NoWords as why:
            return f"a fact without words: {why}"
