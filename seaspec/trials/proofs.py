"""Proofs: which promises are tried to be proved, and how: all together, or each alone with as little as it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seaspec.backends.symbolic.smtlib import Script
from seaspec.core import flow, ir
from seaspec.trials.entailment import Solver
from seaspec.trials.facts import facts_of
from seaspec.trials.induction import Induction, Proof, Step
from seaspec.trials.sights import sights


def prove(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> dict[str, Proof]:
    """Try to prove promises: invariants, `always`, lemmas, `never stuck`; nothing is said of others.

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
    provable = [promise for promise in wanted if is_provable(graph.game, promise)]
    together = Induction(graph, provable, solve, go_on)
    found = together.run()
    inductions = [together]
    for promise in provable if together.is_too_much else ():
        if isinstance(promise, ir.Lemma):
            continue
        for alone in _alone(graph, promise, solve, go_on):
            found.update(alone.run())
            if found[promise.name].proved:
                inductions.append(alone)
                break
    return found, (step for one in inductions for step in one.certificate())


def _alone(graph: flow.Flow, promise: ir.Promise, solve: Solver, go_on: Callable[[], bool]) -> Iterator[Induction]:
    """Inductions for one promise that look at more and more."""
    facts = list(facts_of(graph.game, promise)) if isinstance(promise, ir.Invariant | ir.Always) else []
    for sight in sights(graph, facts):
        if not go_on():
            return
        yield Induction(graph, [promise], solve, go_on, sight)


def is_provable(game: ir.Game, promise: ir.Promise) -> bool:
    """Whether a proof may be tried: not of what is known to be false."""
    kinds = ir.Invariant | ir.Always | ir.Lemma | ir.NeverStuck
    return isinstance(promise, kinds) and not promise.myth and promise.name not in game.breaks
