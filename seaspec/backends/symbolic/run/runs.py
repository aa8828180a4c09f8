"""A run: what has happened on one way through the flow graph, and under which conditions.

A run is changed as it goes on, and forked where the way parts. `assumed` are the conditions of this way; a run whose
conditions contradict each other in plain sight is dropped. What the rules owe on the way is kept with what was assumed
up to there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import NO, Term, conjuncts, not_
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import known_key
from seaspec.backends.symbolic.values.world import World
from seaspec.core.definedness import Obligation
from seaspec.core.ir import Expr, Source, Variable


@dataclass(frozen=True, eq=False)
class Owed:
    """What has to hold at a point of a run: the first `assumed` conditions of the run imply it, or the rules fail.

    `chooses`: somebody must choose at this node, and this says that there is an option.
    """

    assumed: int
    test: Term
    message: str
    source: Source
    chooses: int | None = None


@dataclass(frozen=True, eq=False)
class PerhapsOwed:
    """What is enough for the rules not to fail at a point of a run, and nobody relies on. It is read when asked for."""

    assumed: int
    reader: Reader
    obligation: Obligation
    source: Source
    chooses: None = None

    @property
    def test(self) -> Term:
        return self.reader.test(self.obligation.test)


@dataclass(frozen=True, eq=False)
class Moment:
    """A procedure begins or ends: the position then, after so many conditions. `before`: when it began, if known."""

    procedure: str
    ends: bool
    assumed: int
    position: Position
    before: Position | None


@dataclass(frozen=True, slots=True)
class Within:
    """The one procedure that is looked at. `running`: of those that matter the ones that run, and this one. `turned`:
    seats are counted from a player who stands for all."""

    procedure: str
    running: frozenset[str]
    turned: bool = False


@dataclass(frozen=True, eq=False)
class Rest:
    """The game rests on the way, at a location or in a procedure: the position there, after so many conditions."""

    location: int | Within
    assumed: int
    position: Position


@dataclass(frozen=True, eq=False)
class Call:
    """A procedure was called and has come back, as one step: the position then, with its parameters as the frame, after
    so many conditions and rests. `end`: the block in which it ended; it may have several, for `stop` may leave it."""

    callee: Within
    end: int
    assumed: int
    rests: int
    position: Position


class Run:
    """One way through the graph so far."""

    def __init__(self, world: World, position: Position) -> None:
        self.world = world
        self.position = position
        self.assumed: list[Term] = []
        self.known: set[Term] = set()
        self.told: list[Term] = []
        self.owed: list[Owed | PerhapsOwed] = []
        self.moments: list[Moment] = []
        self.rests: list[Rest] = []
        self.calls: list[Call] = []
        self.within: Within | None = None
        """Where each procedure is looked at for itself: which one."""
        self.has_left = False
        """Whether it has come to the exit of that one."""
        self.exact = True
        self.possible = True
        self.fails = False
        """Whether it is not possible because the rules fail: what was before that may well come up."""
        self.turned = False
        """Whether seats are counted from a player who stands for whoever is next."""
        self.watched: frozenset[str] = frozenset()
        """Procedures whose first position is kept until they end."""

    def fork(self) -> Run:
        other = Run(self.world, self.position)
        other.assumed = list(self.assumed)
        other.known = set(self.known)
        other.told = list(self.told)
        other.owed = list(self.owed)
        other.moments = list(self.moments)
        other.rests = list(self.rests)
        other.calls = list(self.calls)
        other.within = self.within
        other.exact, other.possible, other.watched = self.exact, self.possible, self.watched
        other.turned = self.turned
        return other

    def assume(self, *tests: Term) -> Run:
        """From here on these hold."""
        for test in tests:
            if test is NO:
                self.possible = False
            for part in conjuncts(test):
                if not_(part) in self.known:
                    self.possible = False
                if part not in self.known:
                    self.known.add(part)
                    self.assumed.append(part)
        return self

    def owe(self, test: Term, message: str, source: Source, chooses: int | None = None, exact: bool = True) -> None:
        """This has to hold here; if it must, what comes later may rely on it."""
        if test in self.known or all(part in self.known for part in conjuncts(test)):
            return
        self.owed.append(Owed(len(self.assumed), test, message, source, chooses))
        if exact:
            before = self.possible
            self.assume(test)
            self.fails |= before and not self.possible

    def reader(self) -> Reader:
        reader = Reader(self.world, self.position)
        reader.told = self.told
        return reader

    def pass_by(self, reader: Reader, obligations: Iterable[Obligation], source: Source) -> None:
        """The rules have come to this: what is owed for certain holds from here on, as far as it can be said; else they
        have failed."""
        for obligation in obligations:
            if obligation.certain:
                try:
                    with self.world.briefly():
                        test = reader.test(obligation.test)
                except Unsupported:
                    self.world.hurry()
                else:
                    self.owe(test, obligation.message, source)
            elif self.world.notes_all:
                self.owed.append(PerhapsOwed(len(self.assumed), reader.with_values({}), obligation, source))

    def look_at(self, reader: Reader, exprs: Iterable[Expr], source: Source) -> None:
        """The rules have looked at expressions."""
        self.pass_by(reader, self.world.owed.all_of(exprs), source)

    def mark(self, procedure: str, ends: bool) -> None:
        """A procedure begins or ends here."""
        if self.world.marked is not None and procedure not in self.world.marked:
            return
        begun = self.position.begun
        before = begun.get(procedure)
        if procedure in self.watched:
            changed = dict(begun)
            if ends and self.within is not None and self.within.procedure == procedure:
                pass  # it is still to be told what it has done
            elif ends:
                changed.pop(procedure, None)
            else:
                changed[procedure] = replace(self.position, begun={})
            self.position = replace(self.position, begun=changed)
        self.moments.append(Moment(procedure, ends, len(self.assumed), self.position, before))

    def state_at(self, block: int, live: Sequence[Variable]) -> tuple[object, ...]:
        """All that what follows depends on, where the run is at a block: runs that agree in it are one."""
        position, world = self.position, self.world
        frame = position.frame
        values = (known_key(frame[name]) or frame[name] for name in live if name in frame)
        names = tuple(name for name in live if name in frame)
        states = tuple(family for name, family in position.states.items() if world.keeps_state(name))
        places = position.places if world.keeps_places else None
        begun: tuple[object, ...] = tuple(position.begun.items())
        conditions, moments = tuple(self.assumed), tuple(self.moments)
        begun += tuple(owed for owed in self.owed if owed.chooses is not None)
        begun += (*self.rests, *self.calls)
        return block, names, tuple(values), states, places, position.out, begun, conditions, moments, self.turned

    def hypothesis(self, assumed: int | None = None) -> list[Term]:
        """What is assumed, up to a point."""
        return [*self.told, *(self.assumed if assumed is None else self.assumed[:assumed])]


def some_of(run: Run, tests: Sequence[Term]) -> list[tuple[int, Run]]:
    """One run for each of these that can hold, if all before it do not."""
    found = []
    rest = run
    for number, test in enumerate(tests):
        here = rest.fork().assume(test)
        if here.possible:
            found.append((number, here))
        rest = rest.fork().assume(not_(test))
        if not rest.possible:
            break
    return found
