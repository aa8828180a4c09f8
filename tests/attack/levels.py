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
from time import process_time
from typing import Any

import z3

from attack.truth import Truth
from seaspec.backends.interpreter import machine as interpreter
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.symbolic.logic.smtlib import Script, goal_name, mark_name, with_marks
from seaspec.backends.symbolic.logic.solve import WORK, Answer, Reply, ask, ask_another
from seaspec.core import ir
from seaspec.explore.native import Differs, explore_natively
from seaspec.explore.reference import Explored, explore
from seaspec.game import Game
from seaspec.prove import houdini, induction, proofs
from seaspec.prove.audit.second_solver import cross_check
from seaspec.prove.facts import Fact
from seaspec.prove.induction import Induction
from seaspec.prove.miners.candidates import Help
from seaspec.prove.portfolio import Attempts
from seaspec.sampling.native import NativePlays
from seaspec.sampling.plays import watched_plays
from seaspec.sampling.reference import NotFollowed
from seaspec.sampling.roaming import Roaming
from seaspec.sampling.secrets import secret_trial
from seaspec.sampling.symmetry import symmetry_trial
from seaspec.verdict.odds import odds_of, worked_out
from seaspec.verdict.verdicts import shown_in

LEVELS = (
    "whole",
    "apart",
    "thinned",
    "plays",
    "reference",
    "native",
    "native plays",
    "watched",
    "odds",
    "cvc5",
    "locked",
)
PATIENCE = 150
"""Milliseconds for a question, on a machine that has nothing else to do."""
LONGEST = 80
"""Answers in a play: the games are small."""
LOOKS = 20
"""So many positions of plays are compared with their images."""
BESIDE = 4
"""Plays beside which others go, that differ in what is hidden."""
WATCHED = 20_000
"""Steps of plays that machine code watches."""
JUMPS = 5_000
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


class Hasty:
    """Asks Z3, in one context, and each question once: most are asked again with another promise, or at another level.
    Told is what follows, and from what; no position is told at which something does not follow."""

    def __init__(self) -> None:
        self.context = z3.Context()
        self.solver = z3.SimpleSolver(ctx=self.context)
        self.known: dict[tuple[Script, int], list[Reply]] = {}

    def solve(self, scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
        found = []
        for script in scripts:
            key = script, patience
            if key not in self.known:
                self.known[key] = self._asked(script, patience)
            found.append(self.known[key])
        return found

    def _asked(self, script: Script, patience: int) -> list[Reply]:
        context, solver = self.context, self.solver
        solver.reset()
        solver.set("smt.mbqi", script.thorough)
        solver.set("smt.arith.solver", 2)
        solver.set("rlimit", WORK * PATIENCE * patience + 1)
        solver.set("timeout", 10 * PATIENCE * patience)
        try:
            solver.from_string(with_marks(script))
        except z3.Z3Exception as error:
            return [Reply(Answer.UNKNOWN, reason=str(error))] * max(1, script.goals)
        marks = [z3.Bool(mark_name(place), context) for place in range(script.given)]
        goals = [[z3.Bool(goal_name(place), context)] for place in range(script.goals)] or [[]]
        return [self._answer(marks, goal) for goal in goals]

    def _answer(self, marks: list[Any], goal: list[Any]) -> Reply:
        supposed = (z3.Ast * (len(marks) + len(goal)))(*(one.as_ast() for one in (*marks, *goal)))
        found = z3.Z3_solver_check_assumptions(self.context.ref(), self.solver.solver, len(supposed), supposed)
        if found == z3.Z3_L_TRUE:
            return Reply(Answer.POSSIBLE)
        if found != z3.Z3_L_FALSE:
            return Reply(Answer.UNKNOWN)
        core = {one.get_id() for one in self.solver.unsat_core()}
        return Reply(Answer.IMPOSSIBLE, used=tuple(i for i, mark in enumerate(marks) if mark.get_id() in core))


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


@dataclass(frozen=True)
class Asked:
    """What a level is asked about. `truth`: as far as it is known; `hasty`: a solver that remembers."""

    game: Game
    truth: Truth
    go_on: Callable[[], bool]
    seed: str
    hasty: Hasty

    def drawn(self, what: str, sides: int) -> int:
        """A number below this, by the seed."""
        return hashlib.blake2b(f"{self.seed} {what}".encode(), digest_size=2).digest()[0] % sides


def says(
    level: str, game: Game, found: Truth, seconds: float, seed: str = "", hasty: Hasty | None = None
) -> Iterator[Said | Oddity]:
    """What a level says, within this time (of the processor, so that nothing depends on who else is at work)."""
    end = process_time() + seconds
    asked = Asked(game, found, lambda: process_time() < end, seed, hasty or Hasty())
    try:
        with patched((interpreter, "JUMPS", JUMPS)):
            yield from _LEVELS[level](asked)
    except NotCompiled:
        return
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        name = at.filename.split("seaspec/", 1)[-1]
        yield Oddity(level, f"{type(error).__name__}: {str(error)[:100]} ({name}, {at.name})")


Say = Callable[[Asked], Iterator[Said | Oddity]]

# ------------------------------------------------------------------------------------------------------------- proofs


class Unseen:
    """In place of plays that speak against guesses: the solver alone decides."""

    def __init__(self, *_: Any) -> None:
        pass

    def speaks_against(self, fact: Fact, location: object) -> bool:
        return False


class Thinned(Unseen):
    """Half of the guesses are missing, which half is chance: what is proved may not rest on what was thrown out."""

    def __init__(self, *_: Any) -> None:
        self.kept: dict[Fact, int] = {}

    def speaks_against(self, fact: Fact, location: object) -> bool:
        if fact.promise is not None:
            return False
        here = self.kept.setdefault(fact, len(self.kept))
        return hashlib.blake2b(f"{here}".encode(), digest_size=1).digest()[0] % 2 == 0


class AtOnce:
    """In place of a ladder of help: no other than this is tried."""

    BEHIND = Help.BEHIND

    def __init__(self, only: Help) -> None:
        self.NONE = self.FAR = only

    def __call__(self, help: int) -> Help:
        return Help(help)


def _proofs(asked: Asked, level: str, *changes: tuple[Any, str, Any]) -> Iterator[Said]:
    """What is proved. What helps is guessed at once, or nothing is, or, as in earnest, step by step more."""
    ladder = asked.drawn("help", 8)
    if ladder < 7:
        once = AtOnce(Help.FAR if ladder < 4 else Help.NONE)
        changes += ((induction, "Help", once), (houdini, "Help", once))
    if ladder % 4:
        changes += ((Induction, "look_back", lambda _: {}),)
    with patched(*changes):
        found = proofs.prove(asked.game.flow, asked.game.rules.promises, asked.hasty.solve, asked.go_on)
    for name, proof in found.items():
        if proof.proved:
            yield Said(level, name, True, "proved")


def _whole(asked: Asked) -> Iterator[Said]:
    yield from _proofs(asked, "whole", (induction, "Seen", Unseen))


def _apart(asked: Asked) -> Iterator[Said]:
    """Procedure by procedure; now and then also as a whole, with as little as it takes."""
    yield from _proofs(asked, "apart", (induction, "Seen", Unseen), *_in_parts(asked))


def _in_parts(asked: Asked) -> list[tuple[Any, str, Any]]:
    both: list[tuple[Any, str, Any]] = [(proofs, "MOST_TOGETHER", 0)]
    if asked.drawn("both", 4) == 0:
        return both
    return [*both, (Attempts, "whole", lambda attempts, *_: attempts.apart(()))]


def _thinned(asked: Asked) -> Iterator[Said]:
    apart = _in_parts(asked) if asked.drawn("apart", 2) else []
    yield from _proofs(asked, "thinned", (induction, "Seen", Thinned), *apart)


def _locked(asked: Asked) -> Iterator[Said]:
    """A game behind a lock, with all that there is: plays may speak against guesses, and do not get there."""
    changes = [(induction, "Seen", Unseen)] if asked.drawn("plays", 8) else []
    apart = _in_parts(asked) if asked.drawn("apart", 2) else []
    yield from _proofs(asked, "locked", *changes, *apart)


def _cvc5(asked: Asked) -> Iterator[Said | Oddity]:
    """Each step of the proofs is asked of another solver."""
    with patched((induction, "Seen", Unseen)):
        graph, promises = asked.game.flow, asked.game.rules.promises
        shown, steps = proofs.prove_in_steps(graph, promises, solve, asked.go_on)
        for name, proof in shown.items():
            if proof.proved:
                yield Said("cvc5", name, True, "proved")
        for agreement in cross_check(steps, solve, solve_otherwise, asked.go_on):
            for contested in agreement.contested:
                yield Oddity("cvc5", f"contested: {contested.step}")


# ------------------------------------------------------------------------------------------------ plays, exploration


def _plays(asked: Asked) -> Iterator[Said | Oddity]:
    """Plays of the interpreter, as it is."""
    findings = watched_plays(Machine(asked.game.flow), 4, 0, go_on=asked.go_on, most=LONGEST)
    for name in findings.watched.broken:
        yield Said("plays", name, False, "broken")
    for name in findings.watched.witnessed:
        yield Said("plays", name, True, "witnessed")
    for promise in asked.game.rules.promises:
        if isinstance(promise, ir.NeverStuck) and findings.stuck is not None:
            yield Said("plays", promise.name, False, "broken")
        if isinstance(promise, ir.Symmetry):
            trial = symmetry_trial(Machine(asked.game.flow), promise, 2, 0, _so_often(LOOKS))
            if trial.broken is not None:
                yield Said("plays", promise.name, False, "broken")
    if any(isinstance(promise, ir.Secret) for promise in asked.game.rules.promises):
        leaks = secret_trial(Machine(asked.game.flow), BESIDE, 0, go_on=asked.go_on)
        for promise in asked.game.rules.promises:
            if isinstance(promise, ir.Secret) and leaks.of(promise) is not None:
                yield Said("plays", promise.name, False, "broken")
    if asked.truth.complete:
        yield from _new_failures("plays", {str(e.span): e.message for e, _ in findings.failed.values()}, asked.truth)


def _so_often(number: int) -> Callable[[], bool]:
    """Whether to go on, which it is worth so often."""
    left = iter(range(number))
    return lambda: next(left, None) is not None


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


def _reference(asked: Asked) -> Iterator[Said | Oddity]:
    yield from _explored(
        "reference", asked.game, explore(Machine(asked.game.flow), len(asked.truth.positions) + 10), asked.truth
    )


def _native(asked: Asked) -> Iterator[Said | Oddity]:
    """Machine code explores; what it finds must be what the interpreter finds."""
    machine = Machine(asked.game.flow)
    limit = len(asked.truth.positions) + 10
    try:
        theirs = explore_natively(machine, limit, 1)
    except Differs as error:
        yield Oddity("native", f"differs: {error}")
        return
    yield from _explored("native", asked.game, theirs, asked.truth)
    if asked.truth.complete and theirs.complete:
        ours = explore(machine, limit)
        for what in ("positions", "steps", "depth", "won", "longest", "most_calls", "endings", "spread"):
            if ours.complete and getattr(ours, what) != getattr(theirs, what):
                yield Oddity("native", f"{what} differ: {getattr(ours, what)} and {getattr(theirs, what)}"[:160])
                return


def _native_plays(asked: Asked) -> Iterator[Said | Oddity]:
    """Machine code plays: how its plays end is how plays can end."""
    plays = NativePlays(asked.game, 1, 300)
    counted = plays.play(range(200))
    if asked.truth.complete:
        for _, winners, losers in counted.endings:
            if (winners, losers) not in asked.truth.endings:
                yield Oddity("native plays", f"a play ends that can not: won {winners}, lost {losers}")
    for number, _ in counted.failures[:2]:
        try:
            plays.failed_play(number)
        except NotFollowed as error:
            yield Oddity("native plays", f"the interpreter can not follow: {error}")
        except RuleError:  # they fail at once
            continue
    if counted.failed and asked.truth.complete and not asked.truth.failures and not asked.truth.stuck:
        yield Oddity("native plays", f"only here the rules fail: {counted.failures[0][1]}")


def _watched(asked: Asked) -> Iterator[Said | Oddity]:
    """Machine code plays and watches: what it finds broken or met is so, and the interpreter sees it, too."""
    roaming = Roaming(asked.game, 1)
    while not roaming.has_played(WATCHED):
        list(roaming.go_on())
    found = roaming.found
    for name in found.watched.broken:
        yield Said("watched", name, False, "broken")
    for name in found.watched.witnessed:
        yield Said("watched", name, True, "witnessed")
    for note in roaming.notes:
        yield Oddity("watched", note)
    if found.failed and asked.truth.complete and not asked.truth.failures:
        yield Oddity("watched", f"only here the rules fail: {next(iter(found.failed))}")


def _odds(asked: Asked) -> Iterator[Said]:
    """Odds, and lemmas about nothing but odds and numbers."""
    for promise in asked.game.rules.promises:
        if isinstance(promise, ir.OddsPromise):
            exact = odds_of(asked.game.rules, promise.odds)
            if exact is not None and isinstance(promise.value, ir.Const):
                yield Said("odds", promise.name, exact == promise.value.value, "exact")
        if isinstance(promise, ir.Lemma):
            holds = worked_out(asked.game.rules, promise)
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
    "watched": _watched,
    "odds": _odds,
    "cvc5": _cvc5,
    "locked": _locked,
}
