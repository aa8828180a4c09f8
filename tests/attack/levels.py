"""What each level says of the promises of a game, with all the others switched off.

A level says of a promise that it is kept, or that it is not (of a myth: of what it says); or nothing. Where machine
code and interpreter differ in what they find, or something fails that should not, it is said, too.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from attack.truth import Truth
from seaspec.backends.interpreter import machine as interpreter
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Reply, ask, ask_another
from seaspec.core import flow, ir
from seaspec.explore.native import Differs, explore_natively
from seaspec.explore.reference import Explored, explore
from seaspec.game import Game
from seaspec.prove import proofs
from seaspec.prove.audit.second_solver import cross_check
from seaspec.prove.proofs import is_provable
from seaspec.prove.refute import Seen
from seaspec.sampling import plays as sampling
from seaspec.sampling.native import NativePlays
from seaspec.sampling.plays import watched_plays
from seaspec.sampling.reference import NotFollowed
from seaspec.verdict.odds import odds_of, worked_out
from seaspec.verdict.verdicts import shown_in

LEVELS = ("whole", "apart", "thinned", "plays", "reference", "native", "native plays", "odds", "cvc5", "locked")
PATIENCE = 150
"""Milliseconds for a question, on a machine that has nothing else to do."""
JUMPS = 20_000
"""Rules that run on without a choice are given up sooner than in earnest."""


@dataclass(frozen=True)
class Said:
    """What a level says of a promise: whether it is kept. `how`: proved, exhaustive, broken .."""

    level: str
    promise: str
    kept: bool
    how: str


@dataclass(frozen=True)
class Oddity:
    """Something that must never happen, whatever is promised: a traceback, machine code that differs."""

    level: str
    what: str


def solve(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
    return [ask(script, PATIENCE * patience) for script in scripts]


def solve_otherwise(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
    return [ask_another(script, PATIENCE * patience) for script in scripts]


@contextmanager
def patched(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Attributes have other values for a while."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def says(level: str, game: Game, found: Truth, seconds: float, seed: str = "") -> Iterator[Said | Oddity]:
    """What a level says, within this time where it takes long."""
    end = monotonic() + seconds
    try:
        with patched((interpreter, "JUMPS", JUMPS)):
            yield from _LEVELS[level](game, found, lambda: monotonic() < end, seed)
    except NotCompiled:
        return
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        name = at.filename.split("seaspec/", 1)[-1]
        yield Oddity(level, f"{type(error).__name__}: {str(error)[:100]} ({name}, {at.name})")


Say = Callable[[Game, Truth, Callable[[], bool], str], Iterator[Said | Oddity]]


def _proofs(game: Game, go_on: Callable[[], bool], level: str, *changes: tuple[Any, str, Any]) -> Iterator[Said]:
    with patched(*changes):
        found = proofs.prove(game.flow, game.rules.promises, solve, go_on)
    for name, proof in found.items():
        if proof.proved:
            yield Said(level, name, True, "proved")


def _unrefuted(*_: Any) -> bool:
    """Plays speak against no guess: the solver alone decides."""
    return False


def _whole(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said]:
    yield from _proofs(game, go_on, "whole", (Seen, "speaks_against", _unrefuted))


def _apart(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said]:
    changes = (Seen, "speaks_against", _unrefuted), (proofs, "MOST_TOGETHER", 0)
    yield from _proofs(game, go_on, "apart", *changes)


def _thinned(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said]:
    """Half of the guesses are missing, which half is chance: what is proved may not rest on what was thrown out."""

    kept: dict[Any, int] = {}

    def thinned(self: Seen, fact: Any, location: Any) -> bool:
        if fact.promise is not None:
            return False
        here = kept.setdefault(fact, len(kept))
        return hashlib.blake2b(f"{seed} {here}".encode(), digest_size=1).digest()[0] % 2 == 0

    apart = [(proofs, "MOST_TOGETHER", 0)] if seed.endswith(("1", "3", "5", "7", "9")) else []
    yield from _proofs(game, go_on, "thinned", (Seen, "speaks_against", thinned), *apart)


def _locked(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said]:
    """A game behind a lock, with all that there is: plays may speak against guesses, and do not get there."""
    yield from _proofs(game, go_on, "locked")


def _cvc5(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said | Oddity]:
    """Each step of the proofs is asked of another solver."""
    with patched((Seen, "speaks_against", _unrefuted)):
        shown, steps = proofs.prove_in_steps(game.flow, game.rules.promises, solve, go_on)
        for name, proof in shown.items():
            if proof.proved:
                yield Said("cvc5", name, True, "proved")
        for agreement in cross_check(steps, solve, solve_otherwise, go_on):
            for contested in agreement.contested:
                yield Oddity("cvc5", f"contested: {contested.step}")


def _plays(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said | Oddity]:
    """Plays of the interpreter, as it is."""
    with patched((sampling, "MOST_ANSWERS", 80)):
        findings = watched_plays(Machine(game.flow), 8, 0, go_on=go_on)
    for name in findings.watched.broken:
        yield Said("plays", name, False, "broken")
    for name in findings.watched.witnessed:
        yield Said("plays", name, True, "witnessed")
    for promise in game.rules.promises:
        if isinstance(promise, ir.NeverStuck) and findings.stuck is not None:
            yield Said("plays", promise.name, False, "broken")
    if found.complete:
        yield from _new_failures("plays", {str(e.span): e.message for e, _ in findings.failed.values()}, found)


def _new_failures(level: str, failures: dict[str, str], found: Truth) -> Iterator[Oddity]:
    for span, message in failures.items():
        if span not in found.failures and message not in found.failures.values():
            yield Oddity(level, f"only here the rules fail: {message}")


def _explored(level: str, game: Game, explored: Explored, found: Truth) -> Iterator[Said | Oddity]:
    for promise in game.rules.promises:
        if isinstance(promise, ir.Reachable):
            if promise.name in explored.watched.witnessed:
                yield Said(level, promise.name, True, "witnessed")
            elif explored.complete:
                yield Said(level, promise.name, False, "never met")
            continue
        shown, decides = shown_in(promise, explored)
        if shown is not None:
            yield Said(level, promise.name, False, "broken")
        elif decides and explored.complete:
            yield Said(level, promise.name, True, "exhaustive")
    if found.complete and explored.complete:
        yield from _new_failures(level, {str(e.span): e.message for e, _ in explored.failed.values()}, found)


def _reference(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said | Oddity]:
    yield from _explored("reference", game, explore(Machine(game.flow), len(found.positions) + 10), found)


def _native(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said | Oddity]:
    """Machine code explores; what it finds must be what the interpreter finds."""
    machine = Machine(game.flow)
    limit = len(found.positions) + 10
    try:
        theirs = explore_natively(machine, limit, 1)
    except Differs as error:
        yield Oddity("native", f"differs: {error}")
        return
    yield from _explored("native", game, theirs, found)
    if found.complete and theirs.complete:
        ours = explore(machine, limit)
        for what in ("positions", "steps", "depth", "won", "longest", "most_calls", "endings", "spread"):
            if ours.complete and getattr(ours, what) != getattr(theirs, what):
                yield Oddity("native", f"{what} differ: {getattr(ours, what)} and {getattr(theirs, what)}"[:160])
                return


def _native_plays(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said | Oddity]:
    """Machine code plays: how its plays end is how plays can end."""
    plays = NativePlays(game, 1, 300)
    counted = plays.play(range(200))
    if found.complete:
        for _, winners, losers in counted.endings:
            if (winners, losers) not in found.endings:
                yield Oddity("native plays", f"a play ends that can not: won {winners}, lost {losers}")
    for number, _ in counted.failures[:2]:
        try:
            plays.failed_play(number)
        except NotFollowed as error:
            yield Oddity("native plays", f"the interpreter can not follow: {error}")
        except RuleError:  # they fail at once
            continue
    if counted.failed and found.complete and not found.failures and not found.stuck:
        yield Oddity("native plays", f"only here the rules fail: {counted.failures[0][1]}")


def _odds(game: Game, found: Truth, go_on: Callable[[], bool], seed: str) -> Iterator[Said]:
    """Odds, and lemmas about nothing but odds and numbers."""
    for promise in game.rules.promises:
        if isinstance(promise, ir.OddsPromise):
            exact = odds_of(game.rules, promise.odds)
            if exact is not None and isinstance(promise.value, ir.Const):
                yield Said("odds", promise.name, exact == promise.value.value, "exact")
        if isinstance(promise, ir.Lemma):
            holds = worked_out(game.rules, promise)
            if holds is not None:
                yield Said("odds", promise.name, holds, "exact")


_LEVELS: dict[str, Say] = {
    "whole": _whole,
    "apart": _apart,
    "thinned": _thinned,
    "plays": _plays,
    "reference": _reference,
    "native": _native,
    "native plays": _native_plays,
    "odds": _odds,
    "cvc5": _cvc5,
    "locked": _locked,
}


def provable(game: Game) -> list[ir.Promise]:
    """Promises of which a proof is tried."""
    return [promise for promise in game.rules.promises if is_provable(game.rules, promise)]


def blocks(graph: flow.Flow) -> int:
    return len(graph.blocks)
