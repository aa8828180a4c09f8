"""Proofs: which promises are tried to be proved, and how: all together, or each alone with as little as it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import assert_never

from seaspec.analysis.control import with_constants
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.seats import Seats
from seaspec.core import flow, ir
from seaspec.prove.audit.certificate import steps_of
from seaspec.prove.audit.vacuity import emptiness, never_forbids
from seaspec.prove.entail import Solver
from seaspec.prove.induction import Induction
from seaspec.prove.portfolio import Attempts, Beside, InTurn, Notes
from seaspec.prove.proof import Proof, Step
from seaspec.prove.relational.secrets import kept_secret
from seaspec.prove.relational.symmetry import mirrored
from seaspec.prove.stuck import Offered, offers
from seaspec.prove.termination import AtBegin, Between, Provable, as_one, parts_of

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
    beside: Beside | None = None,
    *,
    thorough: bool,
    notes: Notes | None = None,
) -> Outcome:
    """Try to prove promises; then also whether those that are proved say nothing, and guards forbid nothing.

    `guards`: of which action, those that no play has seen at work. `beside`: what makes attempts at large games side by
    side; of proofs found so there are no steps. `thorough`: whatever time that takes. `notes` takes down what
    each proof has found.
    """
    graph, wanted = with_constants(graph), [promise for promise in wanted if is_provable(graph.game, promise)]
    at_once, shown = _side_by_side(graph, wanted, solve, go_on)
    wanted = [promise for promise in wanted if promise.name not in at_once]
    found, inductions = _prove(graph, wanted, solve, go_on, beside, notes)
    ready = [one for one in inductions if one.known.alive]
    for one in ready:
        for promise in wanted:
            proof = found.get(promise.name)
            if proof is not None and proof.proved and one.found.get(promise.name) is proof and go_on():
                found[promise.name] = replace(proof, empty=emptiness(one, promise, thorough))
    if guards and not ready and (thorough or not is_large(graph)) and go_on():
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
    graph: flow.Flow,
    wanted: Sequence[ir.Promise],
    solve: Solver,
    go_on: Callable[[], bool],
    beside: Beside | None = None,
    notes: Notes | None = None,
) -> tuple[dict[str, Proof], list[Induction]]:
    """Try to prove promises: what comes out for each part, and the inductions with which they were tried, but for those
    that were made `beside`."""
    parts = [part for promise in wanted for part in provable_parts(graph, promise)]
    lemmas = [part for part in parts if isinstance(part, ir.Lemma)]
    rest = [part for part in parts if not isinstance(part, ir.Lemma)]
    seats = Seats(graph)
    found: dict[str, Proof] = {}
    inductions: list[Induction] = []
    one_by_one: dict[bool, Sequence[Provable]] = {}
    for alike in (True, False):
        group = [part for part in rest if seats.are_alike_for(said(part)) is alike]
        is_apart = is_large(graph)
        together = Induction(graph, [*(lemmas if alike else ()), *(() if is_apart else group)], solve, go_on, alike)
        found.update(together.run())
        inductions.append(together)
        if is_apart or together.is_too_much:
            one_by_one[alike] = group
            found.update(
                (part.name, Proof(part.name, False, "no time left")) for part in group if part.name not in found
            )
    if one_by_one:
        turns = InTurn(solve, go_on) if beside is None else beside
        attempts = Attempts(graph, found, turns, go_on, keeps=beside is None, notes=notes)
        attempts.make(one_by_one)
        inductions += attempts.inductions
    for one in inductions:
        if one.sight is None:
            found.update(one.look_back())
    for one in inductions:
        if notes is not None and one.known.alive and any(proof.proved for proof in one.found.values()):
            notes.keep(notes.write(one))
    return found, inductions


def is_large(graph: flow.Flow) -> bool:
    """Whether the rules are too large to be looked at as a whole."""
    return len(graph.blocks) > MOST_TOGETHER


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
        case ir.Reachable() | ir.Winnable() | ir.Secret() | ir.OddsPromise() | ir.Symmetry():
            return ()
        case _:
            assert_never(promise)


def said(promise: Provable) -> tuple[ir.Expr, ...]:
    """What a promise says."""
    match promise:
        case ir.Invariant() | AtBegin() | Between():
            return (promise.test,)
        case ir.Always():
            return (promise.test, *(test for _, _, test in promise.after))
        case ir.Lemma() | Offered():
            return ()  # asked at any position; at a node, whose rules say whether seats are alike
        case _:
            assert_never(promise)


def is_provable(game: ir.Game, promise: ir.Promise) -> bool:
    """Whether a proof may be tried: not of what is known to be false."""
    is_measured = isinstance(promise, ir.EndsWithin) and promise.measure is not None
    kinds = ir.Invariant | ir.Always | ir.Lemma | ir.NeverStuck | ir.Symmetry | ir.Secret
    return (is_measured or isinstance(promise, kinds)) and not promise.myth and promise.name not in game.breaks
