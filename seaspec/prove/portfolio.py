"""Promises of a large game, a few at a time: each attempt looks at as little as it takes. What is left out may be
anything.

Attempts do not depend on one another: they may be made side by side, each with solvers of its own, and be paused, so
that none keeps others waiting. Whoever wants the steps of the proofs makes them in turn, and keeps the inductions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Protocol

from seaspec.backends.symbolic.values.world import PLACES
from seaspec.core import flow, ir, types
from seaspec.core.ir import FoldKind
from seaspec.core.ops import Op
from seaspec.core.walk import walk
from seaspec.prove.audit.vacuity import emptiness
from seaspec.prove.cone import related, sights
from seaspec.prove.entail import Solver
from seaspec.prove.facts import facts_of
from seaspec.prove.induction import Induction
from seaspec.prove.proof import Proof
from seaspec.prove.stuck import Offered
from seaspec.prove.termination import AtBegin, Between, Provable

GoOn = Callable[[], bool]
Tell = Callable[[Proof], None]
"""Is told each proof as soon as it is found, in case that the attempt is paused."""
Job = Callable[[Solver, GoOn, Tell], "Tried"]
_Waiting = tuple[Provable, frozenset[str]]
"""A promise that is to be tried, and what is looked at."""
SLICES: tuple[float | None, ...] = (3.0, 6.0, 12.0, 24.0, 48.0, None)
"""Processor seconds that an attempt has in each round, before it is paused; in the last one it comes to its end."""
FOR_LITTLE, FOR_PLAIN = 5, 2
"""So many times as long for what looks at little, and for what counts nothing, when it begins: it comes to its end
soonest."""
FOR_SEVERAL, SEVERAL = 3, 3
"""So many times as long for promises that are tried together; from so many on that count nothing and look at the same,
they are tried together at once."""
FEW_PIECES = 8
PIECES_LATER = 2
"""As a whole nothing is tried that looks at pieces before so many rounds are over."""
_NO_PIECES = (False,)
_LITTLE = (True, False, False)
"""No more than few pieces, and of them what is looked at first: see `View.how_much`."""
_PLAIN = (True, False, True, False)
"""However many pieces, if they are not counted, and of them what is looked at first."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """To prove some promises at once. `sight`: what is looked at; `apart`: each procedure is looked at for itself, else
    all that is called from one choice to the next; `alike`: there one player may stand for all; `again`: with what was
    proved before; `several`: they help one another."""

    promises: tuple[Provable, ...]
    sight: frozenset[str]
    apart: bool
    alike: bool = True
    again: bool = False
    several: bool = False

    @property
    def key(self) -> tuple[frozenset[str], frozenset[str]]:
        """What tells it from others: the names of promises, and what is looked at."""
        return frozenset(promise.name for promise in self.promises), self.sight

    def slice(self, seconds: float | None) -> float | None:
        """How long it has in a round in which others have so many seconds."""
        return _times(FOR_SEVERAL, seconds) if self.several else seconds


@dataclass(frozen=True)
class Tried:
    """What has come out of an attempt. `is_too_much`: there is more than can be looked at; `induction`: with which it
    was made, if it was made in this process; `is_paused`: its time was over, and it may go on later: then `proofs` are
    those that it has found so far."""

    attempt: Attempt
    proofs: Mapping[str, Proof]
    is_too_much: bool = False
    induction: Induction | None = None
    written: object = None
    """What it has found, in words, if that is wanted and the induction is not kept."""
    is_paused: bool = False


class Beside(Protocol):
    """Makes attempts side by side: `begin` each, then ask what has `ended`, as often. After so many processor seconds,
    if it is said how many, an attempt is paused, and has ended for now; then it may `go_on`, or is dropped."""

    at_once: int

    def begin(self, job: Job, lost: Tried, seconds: float | None = None) -> None:
        """Begin an attempt. `lost`: what has come out of it if its process ends before it does."""
        ...

    def go_on(self, attempt: Attempt, seconds: float | None) -> None: ...

    def drop(self, attempt: Attempt) -> None: ...

    def ended(self) -> Tried: ...


class Notes(Protocol):
    """Takes down what each proof has found: `write` where it is made, in whatever process; `keep` where all is gathered
    (see `audit/places.py`)."""

    def write(self, induction: Induction) -> object: ...

    def keep(self, written: object) -> None: ...


class InTurn:
    """One attempt after the other, in this process, each to its end."""

    at_once = 1

    def __init__(self, solve: Solver, go_on: GoOn) -> None:
        self.solve = solve
        self.has_time = go_on
        self._made: deque[Tried] = deque()

    def begin(self, job: Job, lost: Tried, seconds: float | None = None) -> None:
        self._made.append(job(self.solve, self.has_time, lambda proof: None))

    def go_on(self, attempt: Attempt, seconds: float | None) -> None:
        raise AssertionError("nothing is paused here")

    def drop(self, attempt: Attempt) -> None:
        raise AssertionError("nothing is paused here")

    def ended(self) -> Tried:
        return self._made.popleft()


class _Way:
    """One of the ways to look at the rules: `apart`, procedure by procedure, or as a whole, where one player may stand
    for all if they are `alike` for the promises; and how far that has come.
    `last`: at what was looked last for each promise that is tried alone; `in_group`: the same of others; `more`: at
    what may be looked next."""

    def __init__(self, graph: flow.Flow, promises: Sequence[Provable], *, apart: bool, alike: bool = True) -> None:
        self.promises = promises
        self.apart = apart
        self.alike = alike
        self.groups: deque[Attempt] = deque()
        if apart:  # what speaks of the same states is tried together, before all else
            reads = {promise.name: next(sights_of(graph, promise)) for promise in promises}
            self.groups += (Attempt(tuple(group), sight, apart) for group, sight in related(promises, reads))
        self.in_group = {promise.name: group.sight for group in self.groups for promise in group.promises}
        self.more = {promise.name: sights_of(graph, promise, with_places=apart) for promise in promises}
        alone = (promise for promise in promises if promise.name not in self.in_group)
        self.waiting: list[_Waiting] = [(one, sight) for one in alone for sight in islice(self.more[one.name], 1)]
        self.last: dict[str, frozenset[str]] = {}
        self.begun: set[Attempt] = set()
        self.paused: list[Attempt] = []
        self.tried: set[tuple[frozenset[str], frozenset[str]]] = set()
        """The attempts that were begun, by their keys."""

    @property
    def choices(self) -> list[Provable]:
        return [promise for promise in self.promises if isinstance(promise, Offered)]

    def looked_at(self, promise: Provable) -> frozenset[str] | None:
        """What was looked at last for a promise; None if it was not tried yet."""
        return self.last.get(promise.name, self.in_group.get(promise.name))

    def proved(self, found: Mapping[str, Proof]) -> dict[Provable, frozenset[str]]:
        """What is proved, and may help others, with what was looked at for it."""
        tried = ((one, self.looked_at(one)) for one in self.promises if not isinstance(one, Offered))
        return {one: sight for one, sight in tried if sight is not None and found[one.name].proved}

    def widen(self, promises: Iterable[Provable]) -> None:
        """These are not proved: next it is looked at more."""
        self.waiting += ((promise, wider) for promise in promises for wider in islice(self.more[promise.name], 1))


class Attempts:
    """All attempts at the promises of a game. `found`: what has come out for each promise; `inductions`: those that
    have proved something, if they were made in this process.

    They are made in rounds: in each, an attempt has more time than in the one before, after which it is paused. So what
    takes little is not kept waiting by what takes long, and nothing is found twice.
    """

    def __init__(
        self,
        graph: flow.Flow,
        found: dict[str, Proof],
        beside: Beside,
        go_on: GoOn,
        *,
        keeps: bool,
        notes: Notes | None = None,
    ) -> None:
        self.graph = graph
        self.found = found
        self.beside = beside
        self.go_on = go_on
        self.keeps = keeps
        """Whether inductions are kept; else it is looked at once whether what is proved says nothing."""
        self.notes = notes
        self.inductions: list[Induction] = []
        self._too_much: list[frozenset[str]] = []
        self._telling: set[Attempt] = set()
        """Those that have told of proofs when they were paused."""

    def make(self, promises: Mapping[bool, Sequence[Provable]]) -> None:
        """Try to prove promises, by whether players are alike for them: procedure by procedure those that are about one
        moment, or about one step, all in one, for there no player stands for others; then as a whole, from one choice
        to the next, through all that is called."""
        of_one_moment = [one for group in promises.values() for one in group if not isinstance(one, AtBegin | Between)]
        ways = [self.apart(of_one_moment), *(self.whole(group, alike) for alike, group in promises.items())]
        for number, seconds in enumerate(SLICES):
            for way in ways:
                self._round(way, seconds, () if way.apart or number >= PIECES_LATER else _NO_PIECES)
            if not any(way.paused or way.waiting for way in ways):
                return

    def apart(self, promises: Sequence[Provable]) -> _Way:
        return _Way(self.graph, promises, apart=True)

    def whole(self, promises: Sequence[Provable], alike: bool) -> _Way:
        return _Way(self.graph, promises, apart=False, alike=alike)

    def _round(self, way: _Way, seconds: float | None, most: tuple[bool, ...] = ()) -> None:
        """Together what looks at the same, and what there is little to look at for first, but for what is tried in
        groups before that. What is not proved so is tried once more, with what is proved by then; choices as soon as
        all is tried that looks at few pieces; what looks at pieces also before it looks at more. `most`: how much
        there may be to look at."""
        paused, way.paused = iter(sorted(way.paused, key=lambda attempt: not attempt.several)), []
        self._run(way, lambda: next((one for one in paused if not self._is_done(one)), None), seconds)
        self._least_first(way, most or _LITTLE, _times(FOR_LITTLE, seconds))
        self._once_more(way, way.choices, seconds)
        if way.apart:
            self._least_first(way, _PLAIN, _times(FOR_PLAIN, seconds))
            self._run(way, lambda: next(self._together(way), None), seconds, at_most=1)
        self._least_first(way, most, seconds)
        self._once_more(way, way.promises, seconds)

    def _run(
        self, way: _Way, following: Callable[[], Attempt | None], seconds: float | None, at_most: int | None = None
    ) -> None:
        """Make attempts, as they follow, so many at a time."""
        running = begun = 0
        while True:
            while running < self.beside.at_once and self.go_on() and (at_most is None or begun < at_most):
                attempt = following()
                if attempt is None:
                    break
                self._begin(way, attempt, seconds)
                running += 1
                begun += 1
            if not running:
                return
            self._note(way, self._ended())
            running -= 1

    def _note(self, way: _Way, tried: Tried) -> None:
        """What has come out of an attempt."""
        attempt = tried.attempt
        for promise in attempt.promises:
            proof, before = tried.proofs.get(promise.name), self.found[promise.name]
            is_better = proof is not None and (proof.proved or not (before.proved or attempt.again))
            if proof is not None and is_better and not before.empty:
                self.found[promise.name] = proof
        if tried.is_paused:
            way.paused.append(attempt)
            self._telling |= {attempt} if tried.proofs else set()
        elif not attempt.again:
            way.widen(promise for promise in attempt.promises if not self.found[promise.name].proved)

    def _is_done(self, attempt: Attempt) -> bool:
        """Whether all that a paused attempt is for is proved by others; then it is dropped. What it has proved itself
        is still to be doubted."""
        if attempt in self._telling or not all(self.found[promise.name].proved for promise in attempt.promises):
            return False
        self.beside.drop(attempt)
        return True

    def _least_first(self, way: _Way, most: tuple[bool, ...], seconds: float | None) -> None:
        """Make attempts, those at which there is little to look first; `most`: no more than that."""
        self._run(way, lambda: self._next(way, most), seconds)

    def _next(self, way: _Way, most: tuple[bool, ...]) -> Attempt | None:
        while True:
            if way.groups:
                return way.groups.popleft()
            attempt = self._least(way, most)
            if attempt is None or way.apart or not self._is_too_much(attempt.sight):
                return attempt

    def _least(self, way: _Way, most: tuple[bool, ...]) -> Attempt | None:
        """The attempt at which there is least to look, taken from those that wait; None if that is too much."""
        way.waiting = [one for one in way.waiting if not self.found[one[0].name].proved]
        views = [view_of(self.graph.game, promise, sight, promise.name in way.last) for promise, sight in way.waiting]
        least = min(views, key=lambda view: view.how_much, default=None)
        if least is None or (most and least.how_much[: len(most)] > most):
            return None
        now = tuple(promise for (promise, _), view in zip(way.waiting, views, strict=True) if view == least)
        alike = tuple(promise for (promise, _), view in zip(way.waiting, views, strict=True) if view.is_like(least))
        several = way.apart and most == _PLAIN and len(alike) >= SEVERAL
        if several:
            now = alike
        way.waiting = [one for one in way.waiting if one[0] not in now]
        helping = [one for one, sight in way.proved(self.found).items() if several and sight <= least.states]
        way.last.update((promise.name, least.states) for promise in now)
        attempt = Attempt((*helping, *now), least.states, way.apart, way.alike, several=several)
        way.tried.add(attempt.key)
        return attempt

    def _once_more(self, way: _Way, promises: Sequence[Provable], seconds: float | None) -> None:
        attempts = self._again(way, promises)
        self._run(way, lambda: next(attempts, None), seconds)

    def _again(self, way: _Way, promises: Sequence[Provable]) -> Iterator[Attempt]:
        """What is not proved, once more, with what is."""
        for promise in promises:
            for others, sight in self._with_others(way, promise):
                if not self.found[promise.name].proved and (way.apart or not self._is_too_much(sight)):
                    yield from self._if_new(way, Attempt((*others, promise), sight, way.apart, way.alike, again=True))

    def _if_new(self, way: _Way, attempt: Attempt) -> Iterator[Attempt]:
        """An attempt, if it was not made before."""
        if attempt.key not in way.tried:
            way.tried.add(attempt.key)
            yield attempt

    def _with_others(self, way: _Way, promise: Provable) -> Iterator[tuple[list[Provable], frozenset[str]]]:
        """With which of the promises that are proved one may be tried once more, and what is looked at then: with all
        that look at no more; a choice, of which nothing else is said, also with each invariant, those first that look
        at pieces, and at little more than it does. Not while it is tried alone."""
        if any(promise in attempt.promises for attempt in way.paused):
            return
        proved, own = way.proved(self.found), way.last.get(promise.name, frozenset())
        within = [other for other, sight in proved.items() if sight <= own]
        if within:
            yield within, own
        if isinstance(promise, Offered):
            beyond = [other for other in proved if other not in within and isinstance(other, ir.Invariant)]
            for own in sights_of(self.graph, promise, with_places=True):
                for other in sorted(beyond, key=lambda other: (PLACES not in proved[other], len(proved[other]))):
                    yield [other], proved[other] | own

    def _together(self, way: _Way) -> Iterator[Attempt]:
        """What is not proved, counts nothing and looks at the same, with all that is proved and looks at no more; what
        may rest on most comes first."""
        proved, last = way.proved(self.found), way.last
        alone = [one for one in way.promises if not isinstance(one, Offered) and one.name in last and one not in proved]
        plain = [promise for promise in alone if not _counts(self.graph.game, promise)]
        sights = dict.fromkeys(last[promise.name] for promise in plain)
        others = {sight: [other for other, less in proved.items() if less <= sight] for sight in sights}
        for sight in sorted(sights, key=lambda sight: (-len(others[sight]), len(sight))):
            left = [p for p in plain if last[p.name] == sight and not self.found[p.name].proved]
            if others[sight] and left:
                together = Attempt((*others[sight], *left), sight, apart=True, again=True, several=True)
                yield from self._if_new(way, together)

    def _is_too_much(self, sight: frozenset[str]) -> bool:
        """Whether less than this was too much to look at as a whole."""
        return any(less <= sight for less in self._too_much)

    # ---------------------------------------------------------------------------------------------- one after the other

    def _begin(self, way: _Way, attempt: Attempt, seconds: float | None) -> None:
        """Begin an attempt, or go on with one that was paused."""
        if attempt in way.begun:
            self.beside.go_on(attempt, attempt.slice(seconds))
            return
        way.begun.add(attempt)
        lost = {promise.name: Proof(promise.name, False, "no time left") for promise in attempt.promises}
        job = partial(self._made, attempt)
        self.beside.begin(job, Tried(attempt, lost), attempt.slice(seconds))

    def _made(self, attempt: Attempt, solve: Solver, go_on: GoOn, tell: Tell) -> Tried:
        """Make an attempt."""
        induction = Induction(self.graph, attempt.promises, solve, go_on, attempt.alike, attempt.sight, attempt.apart)
        if self.notes is None:  # what is taken down is whole at the end only
            induction.tell = tell
        proofs = induction.run()
        if self.keeps:
            return Tried(attempt, proofs, induction.is_too_much, induction)
        for promise in attempt.promises:
            if proofs[promise.name].proved and isinstance(promise, ir.Promise) and go_on():
                empty = emptiness(induction, promise, thorough=False)
                proofs[promise.name] = replace(proofs[promise.name], empty=empty)
        is_written = self.notes is not None and any(proof.proved for proof in proofs.values())
        written = self.notes.write(induction) if is_written and self.notes is not None else None
        return Tried(attempt, proofs, induction.is_too_much, None, written)

    def _ended(self) -> Tried:
        tried = self.beside.ended()
        if tried.is_too_much and not tried.attempt.apart:
            self._too_much.append(tried.attempt.sight)
        if tried.induction is not None and any(proof.proved for proof in tried.proofs.values()):
            self.inductions.append(tried.induction)
        if tried.written is not None and self.notes is not None:
            self.notes.keep(tried.written)
        return tried


def _times(factor: int, seconds: float | None) -> float | None:
    return None if seconds is None else factor * seconds


@dataclass(frozen=True, slots=True)
class View:
    """What a proof looks at: the states; how many pieces there are of which it speaks, or may have to, but for choices,
    which are looked at where they are; the procedures of which it must know where they began. `again`: less was not
    enough; `counts`: many are counted, or summed up over."""

    states: frozenset[str]
    again: bool
    counts: bool
    pieces: int
    procedures: frozenset[str]

    @property
    def how_much(self) -> tuple[bool, bool, bool, bool, int, int, int]:
        """How much there is to look at. What is counted is dear to a solver."""
        pieces = self.pieces > FEW_PIECES, self.counts, self.pieces
        return PLACES in self.states, self.again, *pieces, len(self.states), len(self.procedures)

    def is_like(self, other: View) -> bool:
        """Whether it looks at the same states, and at pieces in the same way."""
        return self.states == other.states and self.how_much[: len(_PLAIN)] == other.how_much[: len(_PLAIN)]


def view_of(game: ir.Game, promise: Provable, sight: frozenset[str], again: bool) -> View:
    procedures = promise.after if isinstance(promise, ir.Always) else ()
    facts = () if isinstance(promise, ir.Lemma) else facts_of(game, promise)
    places = frozenset[str]().union(*(fact.reads(game)[0] for fact in facts)) & set(game.places)
    spoken_of = frozenset[int]().union(*(game.places[place].holds.members for place in places))
    is_little = PLACES not in sight or isinstance(promise, Offered)
    pieces = 0 if is_little else len(spoken_of) or len(game.pieces)
    counts = not is_little and _counts(game, promise)
    return View(sight, again, counts, pieces, frozenset(procedure for procedure, _, _ in procedures))


def _counts(game: ir.Game, promise: Provable) -> bool:
    """Whether what is promised counts many, or sums up over them: not how much lies in one instance of a place."""
    facts = () if isinstance(promise, ir.Lemma) else facts_of(game, promise)
    waiting = [expr for fact in facts for expr in (fact.test, *fact.guards)]
    called: set[str] = set()
    while waiting:
        for node in walk(waiting.pop()):
            match node:
                case ir.Fold(_, FoldKind.COUNT | FoldKind.SUM, binders):
                    if any(types.size(binder.variable.type) > FEW_PIECES for binder in binders):
                        return True
                case ir.Apply(_, Op.SIZE, (ir.Everywhere(),)):
                    return True
                case ir.Call(_, function) if function not in called:
                    called.add(function)
                    waiting.append(game.functions[function].body)
                case _:  # cautious: a promise is tried a little earlier than others
                    pass
    return False


def sights_of(graph: flow.Flow, promise: Provable, *, with_places: bool = False) -> Iterator[frozenset[str]]:
    """What a proof of a promise looks at, less first. `with_places`: only that in which pieces are looked at."""
    if with_places:
        yield from (sight for sight in sights_of(graph, promise) if PLACES in sight)
        return
    facts = () if isinstance(promise, ir.Lemma) else facts_of(graph.game, promise)
    yield from islice(sights(graph, list(facts)), 1 if isinstance(promise, Offered) else None)
