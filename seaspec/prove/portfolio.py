"""Promises of a large game, a few at a time: each attempt looks at as little as it takes. What is left out may be
anything.

Attempts do not depend on one another: they may be made side by side, each with solvers of its own. Whoever wants the
steps of the proofs makes them in turn, and keeps the inductions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from seaspec.prove.termination import Provable

GoOn = Callable[[], bool]
_Waiting = tuple[Provable, frozenset[str]]
"""A promise that is to be tried, and what is looked at."""
FEW_PIECES = 8
_LITTLE = (True, False, False)
"""No more than few pieces, and of them what is looked at first: see `View.how_much`."""
_PLAIN = (True, False, True, False)
"""However many pieces, if they are not counted, and of them what is looked at first."""


@dataclass(frozen=True)
class Attempt:
    """To prove some promises at once. `sight`: what is looked at; `apart`: each procedure is looked at for itself, else
    all that is called from one choice to the next."""

    promises: tuple[Provable, ...]
    sight: frozenset[str]
    apart: bool


@dataclass(frozen=True)
class Tried:
    """What has come out of an attempt. `is_too_much`: there is more than can be looked at; `induction`: with which it
    was made, if it was made in this process."""

    attempt: Attempt
    proofs: Mapping[str, Proof]
    is_too_much: bool = False
    induction: Induction | None = None
    written: object = None
    """What it has found, in words, if that is wanted and the induction is not kept."""


class Beside(Protocol):
    """Makes attempts side by side: `begin` each, then ask what has `ended`, as often."""

    at_once: int

    def begin(self, job: Callable[[Solver, GoOn], Tried], lost: Tried) -> None:
        """Begin an attempt. `lost`: what has come out of it if its process ends before it does."""
        ...

    def ended(self) -> Tried: ...


class Notes(Protocol):
    """Takes down what each proof has found: `write` where it is made, in whatever process; `keep` where all is gathered
    (see `audit/places.py`)."""

    def write(self, induction: Induction) -> object: ...

    def keep(self, written: object) -> None: ...


class InTurn:
    """One attempt after the other, in this process."""

    at_once = 1

    def __init__(self, solve: Solver, go_on: GoOn) -> None:
        self.solve = solve
        self.go_on = go_on
        self._made: deque[Tried] = deque()

    def begin(self, job: Callable[[Solver, GoOn], Tried], lost: Tried) -> None:
        self._made.append(job(self.solve, self.go_on))

    def ended(self) -> Tried:
        return self._made.popleft()


class Attempts:
    """All attempts at the promises of a game. `alike`: one player may stand for all; `found`: what has come out for
    each promise; `inductions`: those that have proved something, if they were made in this process."""

    def __init__(
        self,
        graph: flow.Flow,
        alike: bool,
        found: dict[str, Proof],
        beside: Beside,
        go_on: GoOn,
        *,
        keeps: bool,
        notes: Notes | None = None,
    ) -> None:
        self.graph = graph
        self.alike = alike
        self.found = found
        self.beside = beside
        self.go_on = go_on
        self.keeps = keeps
        """Whether inductions are kept; else it is looked at once whether what is proved says nothing."""
        self.notes = notes
        self.inductions: list[Induction] = []
        self._too_much: list[frozenset[str]] = []

    def procedure_by_procedure(self, promises: Sequence[Provable]) -> None:
        """First together what speaks of the same states."""
        reads = {promise.name: next(sights_of(self.graph, promise)) for promise in promises}
        groups = deque(Attempt(tuple(group), sight, apart=True) for group, sight in related(promises, reads))
        self._by_sight(promises, groups, apart=True)

    def as_a_whole(self, promises: Sequence[Provable]) -> None:
        """From one choice to the next, through all that is called."""
        self._by_sight(promises, deque(), apart=False)

    def _by_sight(self, promises: Sequence[Provable], groups: deque[Attempt], *, apart: bool) -> None:
        """Together what looks at the same, and what there is little to look at for first, but for what is tried in
        groups before that. What is not proved so is tried once more, with what is proved by then; choices as soon as
        all is tried that looks at few pieces; what looks at pieces also before it looks at more."""
        more = {promise.name: sights_of(self.graph, promise, with_places=apart) for promise in promises}
        grouped = {promise.name for group in groups for promise in group.promises}
        alone = (promise for promise in promises if promise.name not in grouped)
        waiting = [(promise, sight) for promise in alone for sight in islice(more[promise.name], 1)]
        last: dict[str, frozenset[str]] = {}
        choices = [promise for promise in promises if isinstance(promise, Offered)]
        self._least_first(groups, waiting, more, last, apart, most=_LITTLE)
        self._try_once_more(choices, promises, last, apart)
        if apart:
            self._least_first(groups, waiting, more, last, apart, most=_PLAIN)
            for tried in self._all(islice(self._together(promises, last), 1)):
                self.found.update((name, proof) for name, proof in tried.proofs.items() if proof.proved)
        self._least_first(groups, waiting, more, last, apart)
        self._try_once_more(promises, promises, last, apart)

    def _least_first(
        self,
        groups: deque[Attempt],
        waiting: list[_Waiting],
        more: Mapping[str, Iterator[frozenset[str]]],
        last: dict[str, frozenset[str]],
        apart: bool,
        most: tuple[bool, ...] = (),
    ) -> None:
        """Make attempts, those at which there is little to look first; `most`: no more than that. What is proved is
        taken from those that wait."""
        running = 0
        while running or self.go_on():
            while running < self.beside.at_once and self.go_on():
                if groups:
                    attempt = groups.popleft()
                else:
                    found = self._least(waiting, last, apart, most)
                    if found is None:
                        break
                    attempt = found
                    last.update((promise.name, attempt.sight) for promise in attempt.promises)
                if apart or not self._is_too_much(attempt.sight):
                    self._begin(attempt)
                    running += 1
            if not running:
                return
            tried = self._ended()
            running -= 1
            self.found.update(tried.proofs)
            failed = [promise for promise in tried.attempt.promises if not self.found[promise.name].proved]
            waiting += ((promise, wider) for promise in failed for wider in islice(more[promise.name], 1))

    def _least(
        self, waiting: list[_Waiting], last: Mapping[str, frozenset[str]], apart: bool, most: tuple[bool, ...]
    ) -> Attempt | None:
        """The attempt at which there is least to look, taken from those that wait; None if that is too much."""
        waiting[:] = [one for one in waiting if not self.found[one[0].name].proved]
        views = [view_of(self.graph.game, promise, sight, promise.name in last) for promise, sight in waiting]
        least = min(views, key=lambda view: view.how_much, default=None)
        if least is None or (most and least.how_much[: len(most)] > most):
            return None
        now = tuple(promise for (promise, _), view in zip(waiting, views, strict=True) if view == least)
        waiting[:] = [one for one, view in zip(waiting, views, strict=True) if view != least]
        return Attempt(now, least.states, apart)

    def _try_once_more(
        self, promises: Sequence[Provable], others: Sequence[Provable], last: Mapping[str, frozenset[str]], apart: bool
    ) -> None:
        for tried in self._all(self._once_more(promises, others, last, apart)):
            self.found.update((name, proof) for name, proof in tried.proofs.items() if proof.proved)

    def _once_more(
        self, promises: Sequence[Provable], among: Sequence[Provable], last: Mapping[str, frozenset[str]], apart: bool
    ) -> Iterator[Attempt]:
        for promise in promises:
            for others, sight in self._with_others(promise, among, last):
                if not self.found[promise.name].proved and (apart or not self._is_too_much(sight)):
                    yield Attempt((*others, promise), sight, apart)

    def _with_others(
        self, promise: Provable, promises: Sequence[Provable], last: Mapping[str, frozenset[str]]
    ) -> Iterator[tuple[list[Provable], frozenset[str]]]:
        """With which of the promises that are proved one may be tried once more, and what is looked at then: with all
        that look at no more; a choice, of which nothing else is said, also with each invariant, those first that look
        at pieces, and at little more than it does."""
        proved = [p for p in promises if not isinstance(p, Offered) and self.found[p.name].proved and p.name in last]
        within: list[Provable] = [other for other in proved if last[other.name] <= last.get(promise.name, frozenset())]
        if within:
            yield within, last[promise.name]
        if isinstance(promise, Offered):
            beyond = [other for other in proved if other not in within and isinstance(other, ir.Invariant)]
            for own in sights_of(self.graph, promise, with_places=True):
                for other in sorted(beyond, key=lambda other: (PLACES not in last[other.name], len(last[other.name]))):
                    yield [other], last[other.name] | own

    def _together(self, promises: Sequence[Provable], last: Mapping[str, frozenset[str]]) -> Iterator[Attempt]:
        """What is not proved, counts nothing and looks at the same, with all that is proved and looks at no more; what
        may rest on most comes first."""
        tried = [promise for promise in promises if not isinstance(promise, Offered) and promise.name in last]
        proved = [promise for promise in tried if self.found[promise.name].proved]
        plain = [p for p in tried if p not in proved and not _counts(self.graph.game, p)]
        sights = dict.fromkeys(last[promise.name] for promise in plain)
        others = {sight: [other for other in proved if last[other.name] <= sight] for sight in sights}
        for sight in sorted(sights, key=lambda sight: (-len(others[sight]), len(sight))):
            left = [p for p in plain if last[p.name] == sight and not self.found[p.name].proved]
            if others[sight] and left:
                yield Attempt((*others[sight], *left), sight, apart=True)

    def _is_too_much(self, sight: frozenset[str]) -> bool:
        """Whether less than this was too much to look at as a whole."""
        return any(less <= sight for less in self._too_much)

    # ---------------------------------------------------------------------------------------------- one after the other

    def _all(self, attempts: Iterator[Attempt]) -> Iterator[Tried]:
        """What has come out of attempts, in the order in which they end."""
        running = 0
        while True:
            while running < self.beside.at_once and self.go_on():
                attempt = next(attempts, None)
                if attempt is None:
                    break
                self._begin(attempt)
                running += 1
            if not running:
                return
            yield self._ended()
            running -= 1

    def _begin(self, attempt: Attempt) -> None:
        lost = {promise.name: Proof(promise.name, False, "no time left") for promise in attempt.promises}
        self.beside.begin(lambda solve, go_on: self._made(attempt, solve, go_on), Tried(attempt, lost))

    def _made(self, attempt: Attempt, solve: Solver, go_on: GoOn) -> Tried:
        """Make an attempt."""
        induction = Induction(self.graph, attempt.promises, solve, go_on, self.alike, attempt.sight, attempt.apart)
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
