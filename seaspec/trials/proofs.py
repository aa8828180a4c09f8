"""Proofs: which promises are tried to be proved, and how: all together, or each alone with as little as it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.seats import Seats
from seaspec.backends.symbolic.smtlib import Script
from seaspec.backends.symbolic.world import PLACES
from seaspec.core import flow, ir
from seaspec.trials.certificate import steps_of
from seaspec.trials.entailment import Solver
from seaspec.trials.facts import facts_of
from seaspec.trials.falling import AtBegin, Between, Provable, as_one, parts_of
from seaspec.trials.induction import Induction
from seaspec.trials.lookalikes import kept_secret
from seaspec.trials.mirrored import mirrored
from seaspec.trials.offered import Offered, offers
from seaspec.trials.proof import Proof, Step
from seaspec.trials.related import related
from seaspec.trials.sights import sights
from seaspec.trials.unchanging import with_constants
from seaspec.trials.vacuity import emptiness, never_forbids

MOST_TOGETHER = 200
"""Rules of more blocks than this are not looked at as a whole: each promise is proved alone."""


def prove(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> dict[str, Proof]:
    """Try to prove promises of the kinds that there are proofs of (`is_provable`); nothing is said of others.

    `go_on` is asked now and then whether there is time left.
    """
    return prove_in_steps(graph, wanted, solve, go_on)[0]


def certificate(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> Iterator[Script]:
    """All that the proofs of promises rest on: scripts in which every goal follows (each check answers `unsat`)."""
    yield from (step.script for step in prove_in_steps(graph, wanted, solve, go_on)[1])


def prove_in_steps(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> tuple[dict[str, Proof], Iterator[Step]]:
    """Try to prove promises; and the steps of all proofs that were found, made one after the other."""
    graph, wanted = with_constants(graph), [promise for promise in wanted if is_provable(graph.game, promise)]
    at_once, shown = _side_by_side(graph, wanted, solve, go_on)
    wanted = [promise for promise in wanted if promise.name not in at_once]
    found, inductions = _prove(graph, wanted, solve, go_on)
    return at_once | _of_wholes(graph, wanted, found), chain(shown, _steps(graph, wanted, inductions))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of trying to prove promises. `steps` of all proofs, made as they are wanted; `idle`: the guards,
    of those asked about, that are shown never to forbid anything."""

    proofs: dict[str, Proof]
    steps: Iterator[Step]
    idle: tuple[ir.Guard, ...]


def prove_and_doubt(
    graph: flow.Flow,
    wanted: Sequence[ir.Promise],
    guards: Sequence[tuple[str, ir.Guard]],
    solve: Solver,
    go_on: Callable[[], bool],
    *,
    thorough: bool,
) -> Outcome:
    """Try to prove promises; then also whether those that are proved say nothing, and guards forbid nothing.

    `guards`: of which action, those that no play has seen at work. `thorough`: whatever time that takes.
    """
    graph, wanted = with_constants(graph), [promise for promise in wanted if is_provable(graph.game, promise)]
    at_once, shown = _side_by_side(graph, wanted, solve, go_on)
    wanted = [promise for promise in wanted if promise.name not in at_once]
    found, inductions = _prove(graph, wanted, solve, go_on)
    ready = [one for one in inductions if one.alive]
    for one in ready:
        for promise in wanted:
            proof = found.get(promise.name)
            if proof is not None and proof.proved and one.found.get(promise.name) is proof and go_on():
                found[promise.name] = replace(proof, empty=emptiness(one, promise, thorough))
    if guards and not ready and (thorough or len(graph.blocks) <= MOST_TOGETHER) and go_on():
        ready = _without_promises(graph, solve, go_on)
    idle = (guard for action, guard in guards if go_on() and any(never_forbids(one, action, guard) for one in ready))
    proofs = at_once | _of_wholes(graph, wanted, found)
    return Outcome(proofs, chain(shown, _steps(graph, wanted, inductions)), tuple(idle))


def _without_promises(graph: flow.Flow, solve: Solver, go_on: Callable[[], bool]) -> list[Induction]:
    """The paths of a game, with nothing that is known to hold on them."""
    bare = Induction(graph, [], solve, go_on, alike=True)
    try:
        bare.prepare([])
    except Unsupported:
        return []
    return [bare]


def _prove(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool]
) -> tuple[dict[str, Proof], list[Induction]]:
    """Try to prove promises: what comes out for each part, and the inductions with which they were tried."""
    parts = [part for promise in wanted for part in provable_parts(graph, promise)]
    lemmas = [part for part in parts if isinstance(part, ir.Lemma)]
    rest = [part for part in parts if not isinstance(part, ir.Lemma)]
    seats = Seats(graph)
    found: dict[str, Proof] = {}
    inductions: list[Induction] = []
    for alike in (True, False):
        group = [part for part in rest if seats.are_alike_for(said(part)) is alike]
        is_large = len(graph.blocks) > MOST_TOGETHER
        together = Induction(graph, [*(lemmas if alike else ()), *(() if is_large else group)], solve, go_on, alike)
        found.update(together.run())
        inductions.append(together)
        if is_large or together.is_too_much:
            of_one_moment = [promise for promise in group if not isinstance(promise, AtBegin | Between)]
            inductions += _by_states(graph, of_one_moment, solve, go_on, alike, found)
            waiting = [promise for promise in of_one_moment if not found[promise.name].proved]
            inductions += _by_sight(graph, waiting, solve, go_on, alike, found, apart=True)
            left = [promise for promise in group if promise.name not in found or not found[promise.name].proved]
            inductions += _by_sight(graph, left, solve, go_on, alike, found, apart=False)
    for one in inductions:
        if one.sight is None:
            found.update(one.look_back())
    return found, inductions


def _of_wholes(graph: flow.Flow, wanted: Sequence[ir.Promise], found: Mapping[str, Proof]) -> dict[str, Proof]:
    """What comes out for promises, from what came out for their parts."""
    parts = {promise.name: provable_parts(graph, promise) for promise in wanted}
    return {promise.name: as_one(promise, [found[part.name] for part in parts[promise.name]]) for promise in wanted}


def _steps(graph: flow.Flow, wanted: Sequence[ir.Promise], inductions: Sequence[Induction]) -> Iterator[Step]:
    """The steps of proofs, with the promises that they show at last."""
    whole = {part.name: promise.name for promise in wanted for part in provable_parts(graph, promise)}
    for one in inductions:
        for step in steps_of(one):
            yield step if step.of is None else replace(step, of=whole.get(step.of, step.of))


def _side_by_side(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool]
) -> tuple[dict[str, Proof], list[Step]]:
    """Proofs of symmetries and secrets, and their steps: they rest on nothing else, and take seconds."""
    found: dict[str, Proof] = {}
    shown: list[Step] = []
    for promise in wanted:
        if isinstance(promise, ir.Symmetry):
            found[promise.name], steps = mirrored(graph, promise, solve, go_on)
            shown += steps
    secrets = [promise for promise in wanted if isinstance(promise, ir.Secret)]
    if secrets:
        proofs, steps = kept_secret(graph, secrets, solve, go_on)
        found.update(proofs)
        shown += steps
    return found, shown


def provable_parts(graph: flow.Flow, promise: ir.Promise) -> tuple[Provable, ...]:
    """What is proved for a promise."""
    match promise:
        case ir.Invariant() | ir.Always() | ir.Lemma():
            return (promise,)
        case ir.NeverStuck():
            return tuple(offers(graph, promise))
        case ir.EndsWithin():
            return tuple(parts_of(promise))
    return ()


def _by_states(
    graph: flow.Flow,
    promises: Sequence[Provable],
    solve: Solver,
    go_on: Callable[[], bool],
    alike: bool,
    found: dict[str, Proof],
) -> Iterator[Induction]:
    """Inductions procedure by procedure, together of promises that speak of the same states."""
    found.update((promise.name, Proof(promise.name, False, "no time left")) for promise in promises)
    reads = {promise.name: next(_sights_of(graph, promise)) for promise in promises}
    for group, sight in related(promises, reads):
        if go_on():
            induction = Induction(graph, group, solve, go_on, alike, sight, apart=True)
            outcomes = induction.run()
            found.update(outcomes)
            if any(outcome.proved for outcome in outcomes.values()):
                yield induction


def _by_sight(
    graph: flow.Flow,
    promises: Sequence[Provable],
    solve: Solver,
    go_on: Callable[[], bool],
    alike: bool,
    found: dict[str, Proof],
    *,
    apart: bool,
) -> Iterator[Induction]:
    """Inductions that look at as little as it takes: together what looks at the same, and what there is little to look
    at for first. What is not proved so is tried once more, with all that is proved by then. `apart`: each procedure is
    looked at for itself; else from one choice to the next, through all that is called."""
    for promise in promises:
        found.setdefault(promise.name, Proof(promise.name, False, "no time left"))
    more = {promise.name: _sights_of(graph, promise, with_places=apart) for promise in promises}
    waiting = [(promise, sight) for promise in promises for sight in islice(more[promise.name], 1)]
    last: dict[str, frozenset[str]] = {}
    while waiting and go_on():
        views = [_view(graph.game, promise, sight, promise.name in last) for promise, sight in waiting]
        least = min(views, key=lambda view: view.how_much)
        now = [one for one, view in zip(waiting, views, strict=True) if view == least]
        waiting = [one for one, view in zip(waiting, views, strict=True) if view != least]
        last.update((promise.name, sight) for promise, sight in now)
        induction = Induction(graph, [promise for promise, _ in now], solve, go_on, alike, least.states, apart)
        found.update(induction.run())
        failed = [promise for promise, _ in now if not found[promise.name].proved]
        if len(failed) < len(now):
            yield induction
        waiting += ((promise, wider) for promise in failed for wider in islice(more[promise.name], 1))
    for promise in promises:
        for others, sight in _with_others(graph, promise, promises, found, last):
            if not found[promise.name].proved and go_on():
                together = Induction(graph, [*others, promise], solve, go_on, alike, sight, apart)
                outcome = together.run()[promise.name]
                if outcome.proved:
                    found[promise.name] = outcome
                    yield together


def _with_others(
    graph: flow.Flow,
    promise: Provable,
    promises: Sequence[Provable],
    found: Mapping[str, Proof],
    last: Mapping[str, frozenset[str]],
) -> Iterator[tuple[list[Provable], frozenset[str]]]:
    """With which of the promises that are proved one may be tried once more, and what is looked at then: with all that
    look at no more; a choice, of which nothing else is said, also with each invariant that looks at little more than is
    looked at first."""
    proved = [p for p in promises if not isinstance(p, Offered) and found[p.name].proved and p.name in last]
    within: list[Provable] = [other for other in proved if last[other.name] <= last.get(promise.name, frozenset())]
    if within:
        yield within, last[promise.name]
    if isinstance(promise, Offered):
        beyond = (other for other in proved if other not in within and isinstance(other, ir.Invariant))
        first = next(_sights_of(graph, promise, with_places=True))
        for other in sorted(beyond, key=lambda other: len(last[other.name])):
            yield [other], last[other.name] | first


@dataclass(frozen=True, slots=True)
class _View:
    """What a proof looks at: the states; how many pieces there are of which it speaks (or may have to); the procedures
    of which it must know where they began. `again`: less was not enough."""

    states: frozenset[str]
    again: bool
    pieces: int
    procedures: frozenset[str]

    @property
    def how_much(self) -> tuple[bool, bool, int, int, int]:
        """How much there is to look at."""
        return PLACES in self.states, self.again, self.pieces, len(self.states), len(self.procedures)


def _view(game: ir.Game, promise: Provable, sight: frozenset[str], again: bool) -> _View:
    procedures = promise.after if isinstance(promise, ir.Always) else ()
    facts = () if isinstance(promise, ir.Lemma) else facts_of(game, promise)
    places = frozenset[str]().union(*(fact.reads(game)[0] for fact in facts)) & set(game.places)
    spoken_of = frozenset[int]().union(*(game.places[place].holds.members for place in places))
    pieces = 0 if PLACES not in sight else len(spoken_of) or len(game.pieces)
    return _View(sight, again, pieces, frozenset(procedure for procedure, _, _ in procedures))


def _sights_of(graph: flow.Flow, promise: Provable, *, with_places: bool = False) -> Iterator[frozenset[str]]:
    """What a proof of a promise looks at, less first. `with_places`: only that in which pieces are looked at."""
    if with_places:
        yield from (sight for sight in _sights_of(graph, promise) if PLACES in sight)
        return
    facts = () if isinstance(promise, ir.Lemma) else facts_of(graph.game, promise)
    yield from islice(sights(graph, list(facts)), 1 if isinstance(promise, Offered) else None)


def said(promise: Provable) -> tuple[ir.Expr, ...]:
    """What a promise says."""
    match promise:
        case ir.Invariant() | AtBegin() | Between():
            return (promise.test,)
        case ir.Always():
            return (promise.test, *(test for _, _, test in promise.after))
    return ()


def is_provable(game: ir.Game, promise: ir.Promise) -> bool:
    """Whether a proof may be tried: not of what is known to be false."""
    is_measured = isinstance(promise, ir.EndsWithin) and promise.measure is not None
    kinds = ir.Invariant | ir.Always | ir.Lemma | ir.NeverStuck | ir.Symmetry | ir.Secret
    return (is_measured or isinstance(promise, kinds)) and not promise.myth and promise.name not in game.breaks
