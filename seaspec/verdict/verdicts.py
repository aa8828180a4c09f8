"""Verdicts: how sure a promise is, and never called more than that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, assert_never

from seaspec.core import ir
from seaspec.explore.reference import Explored
from seaspec.prove.audit.second_solver import Contested
from seaspec.prove.proof import Proof
from seaspec.sampling.plays import PlayFindings
from seaspec.sampling.secrets import Leaks
from seaspec.sampling.symmetry import Mirrored
from seaspec.sampling.watch import Findings, Found
from seaspec.verdict.odds import claimed, odds_of, worked_out

if TYPE_CHECKING:
    from seaspec.game import Game


class Verdict(Enum):
    """What is known of a promise, from the strongest to nothing."""

    PROVED = "proved"
    EXHAUSTIVE = "exhaustive"
    BOUNDED = "bounded"
    EXACT = "exact"
    WITNESSED = "witnessed"
    REFUTED = "refuted"
    TESTED = "tested"
    UNDECIDED = "undecided"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class PromiseVerdict:
    """The verdict on a promise. `kept` None: undecided. `found`: the play that breaks, refutes or witnesses it."""

    name: str
    kind: str
    promise: ir.Promise
    verdict: Verdict
    detail: str
    kept: bool | None
    found: Found | None = None
    world: World | None = None
    """The small world in which it was found, if it was not in the game itself."""
    rests_on: tuple[str, ...] = ()
    """Promises and guards that its proof uses, if it is proved."""
    over: int = 1
    """So many steps in a row its proof looks at."""
    empty: str = ""
    """Why it says nothing, if that is proved, too."""


@dataclass(frozen=True, slots=True)
class World:
    """A game made small by a `world`."""

    name: str
    game: Game


def with_proof(verdict: PromiseVerdict, proof: Proof | None) -> PromiseVerdict:
    """A verdict after a proof was tried. One that has failed breaks nothing: what is known otherwise still counts."""
    if proof is None:
        return verdict
    if proof.proved:
        return replace(
            verdict,
            verdict=Verdict.PROVED,
            kept=True,
            detail=proof.said + (f", by induction over {proof.over} steps" if proof.over > 1 else ""),
            found=None,
            world=None,
            rests_on=proof.rests_on,
            over=proof.over,
            empty=proof.empty,
        )
    parts = [verdict.detail, f"not proved: {proof.why}" if proof.why else "not proved"]
    return replace(verdict, detail="; ".join(part for part in parts if part))


def with_contested(verdict: PromiseVerdict, contested: Sequence[Contested], solvers: tuple[str, str]) -> PromiseVerdict:
    """A proof that rests on a step about which two solvers contradict each other is none: one of them is wrong."""
    step = next((one.step for one in contested if rests_on(verdict, one)), None)
    if step is None:
        return verdict
    said = f"{solvers[0]} and {solvers[1]} contradict each other about a step of its proof: {step}"
    return replace(verdict, verdict=Verdict.UNDECIDED, kept=None, detail=said, rests_on=(), over=1, empty="")


def with_refuted(verdict: PromiseVerdict, refuted: Collection[str]) -> PromiseVerdict:
    """A proof is none if it fails in a play."""
    if verdict.verdict is not Verdict.PROVED or verdict.name not in refuted:
        return verdict
    said = "its proof says what fails in a play: this is a mistake of SeaSpec"
    return replace(verdict, verdict=Verdict.UNDECIDED, kept=None, detail=said, rests_on=(), over=1, empty="")


def rests_on(verdict: PromiseVerdict, step: Contested) -> bool:
    """Whether it is a proof that may rest on a step."""
    if verdict.verdict is not Verdict.PROVED:
        return False
    return step.of == verdict.name or (step.of is None and not isinstance(verdict.promise, ir.Lemma))


def settled_in(world: World, open_verdict: PromiseVerdict, findings: PlayFindings) -> PromiseVerdict:
    """What plays of a small world say of a promise that plays of the game left undecided, or where nobody got stuck."""
    promise, name = open_verdict.promise, open_verdict.name
    broken = findings.watched.broken.get(name)
    if isinstance(promise, ir.NeverStuck) and findings.stuck is not None:
        broken = findings.stuck[1]
    if isinstance(promise, ir.Reachable):
        found, verdict, kept = findings.watched.witnessed.get(name), Verdict.WITNESSED, not promise.myth
    elif promise.myth or name in world.game.rules.breaks:
        found = broken
        verdict, kept = (Verdict.REFUTED if promise.myth else Verdict.BROKEN), True
    elif isinstance(promise, ir.NeverStuck):
        found, verdict, kept = broken, Verdict.BROKEN, False
    elif isinstance(promise, ir.Invariant | ir.Always) or (isinstance(promise, ir.Winnable) and promise.needed):
        found, verdict, kept = broken, Verdict.BROKEN, False
        if found is None and findings.watched.looked[name]:
            tested = f"{_count(findings.plays + findings.compiled, 'play')} in the world {world.name}"
            return replace(open_verdict, verdict=Verdict.TESTED, kept=True, detail=tested, world=world)
    else:  # cautious: it stays undecided
        return open_verdict
    if found is None:
        return open_verdict
    if not kept:
        verdict = Verdict.BROKEN
    because = world.game.rules.breaks.get(name)
    detail = _joined(found.detail if because is None else _as_said(because), f"in the world {world.name}")
    return replace(open_verdict, verdict=verdict, kept=kept, detail=detail, found=found, world=world)


def explored_in(
    world: World | None, verdict: PromiseVerdict, explored: Explored, because: str | None
) -> PromiseVerdict:
    """What the exploration of a small world (None: of the game itself) adds to what is known of a promise.

    `because`: the rules say that it is broken, and why.
    """
    promise = verdict.promise
    where = "the game" if world is None else f"the world {world.name}"
    whole = f"in {where}, all {_count(explored.positions, 'position')}{missed(explored)}"
    found, decides = shown_in(promise, explored)
    expected = promise.myth or because is not None
    if isinstance(promise, ir.Reachable):
        if found is not None and verdict.verdict is not Verdict.WITNESSED:
            return replace(_reachable(promise, explored.watched, ""), detail=f"in {where}", world=world)
        if found is None and explored.complete and world is None:
            met = Verdict.REFUTED if promise.myth else Verdict.BROKEN
            return replace(verdict, verdict=met, kept=promise.myth, detail=f"never met {whole}", world=world)
        return verdict
    if found is not None:
        if verdict.verdict in (Verdict.BROKEN, Verdict.REFUTED) and not says_more(found, verdict.found):
            return verdict
        broken = Verdict.REFUTED if promise.myth else Verdict.BROKEN
        here = "" if world is None and found.detail else f"in {where}"
        detail = _joined(found.detail if because is None else _as_said(because), here)
        return replace(verdict, verdict=broken, kept=expected, detail=detail, found=found, world=world)
    if not decides or verdict.verdict not in (Verdict.TESTED, Verdict.UNDECIDED, Verdict.BOUNDED):
        return verdict
    if not explored.complete:
        return verdict if expected else _bounded(world, where, verdict, explored)
    if not expected:
        detail = _joined(_vacuous(promise, explored), whole)
        return replace(verdict, verdict=Verdict.EXHAUSTIVE, kept=True, detail=detail, world=world)
    if world is None:
        return replace(verdict, verdict=Verdict.BROKEN, kept=False, detail=f"it holds {whole}", world=world)
    return verdict


LONG = 30
"""A play of more steps than this is hard to follow: one looks for a shorter one in small worlds."""


def is_long(found: Found | None) -> bool:
    return found is not None and len(found.answers) > LONG


def says_more(new: Found, old: Found | None) -> bool:
    """Whether it is worth to leave the game itself for a play of a small world: it is much shorter, or need not end."""
    if old is not None and (old.back is None) != (new.back is None):
        return old.back is None
    return old is not None and is_long(old) and 2 * len(new.answers) < len(old.answers)


def _as_said(because: str) -> str:
    """Of a promise that is broken, as its author says."""
    return f"as said: {because}"


def _vacuous(promise: ir.Promise, explored: Explored) -> str:
    """That a promise says nothing: where it is claimed nobody comes, or what it supposes is never so."""
    if not isinstance(promise, ir.Invariant | ir.Always):
        return ""
    watched = explored.watched
    if not watched.looked[promise.name]:
        return "vacuous: no play comes where it is claimed"
    if promise.name in watched.unsupposed:
        return "vacuous: what it supposes is never so"
    return ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _bounded(world: World | None, where: str, verdict: PromiseVerdict, explored: Explored) -> PromiseVerdict:
    """What an exploration that did not come to its end says of a promise that nothing has broken."""
    of_plays = isinstance(verdict.promise, ir.EndsWithin | ir.Winnable)
    looked = explored.covered > 0 and explored.watched.looked[verdict.name]
    if not looked or of_plays or verdict.verdict is not Verdict.TESTED:
        return verdict
    depth = _count(explored.covered, "step")
    said = f"in {where}, all positions up to {depth}{missed(explored)}; {verdict.detail}"
    return replace(verdict, verdict=Verdict.BOUNDED, kept=True, detail=said, world=world)


def missed(explored: Explored) -> str:
    """How likely it is that a position was taken for another one that has the same fingerprint."""
    if not explored.prints:
        return ""
    odds = (1 << 65) // max(1, explored.positions) ** 2
    return (
        f"; the odds that one was missed are below 1 in 10^{len(str(odds)) - 1}"
        if odds >= 10
        else "; some may be missed"
    )


def shown_in(promise: ir.Promise, explored: Explored) -> tuple[Found | None, bool]:
    """A shortest play that breaks or meets a promise, and whether a complete exploration without one decides it."""
    name = promise.name
    match promise:
        case ir.Reachable():
            return explored.watched.witnessed.get(name), True
        case ir.Winnable():
            return explored.doomed.get(name), explored.measured
        case ir.NeverStuck():
            return None if explored.stuck is None else explored.stuck[1], True
        case ir.EndsWithin():
            # In a step in which the rules then fail, calls are not counted.
            return explored.too_long.get(name), explored.measured and not explored.failed
        case ir.Invariant():
            return explored.watched.broken.get(name), True
        case ir.Always():
            return explored.watched.broken.get(name), name not in explored.spread
        case ir.Lemma() | ir.Secret() | ir.OddsPromise() | ir.Symmetry():
            return None, False
        case _:
            assert_never(promise)


def verdicts(
    game: ir.Game, findings: PlayFindings, leaks: Leaks | None, mirrored: Mapping[str, Mirrored]
) -> Iterator[PromiseVerdict]:
    """A verdict on each promise, from plays and exact odds. `mirrored`: by the name of a symmetry."""
    for promise in game.promises:
        if isinstance(promise, ir.Symmetry):
            yield _symmetry(game, promise, mirrored[promise.name])
        else:
            yield _verdict(game, promise, findings, leaks)


def _symmetry(game: ir.Game, promise: ir.Symmetry, mirrored: Mirrored) -> PromiseVerdict:
    found = mirrored.broken if mirrored.reason is None else Found((), mirrored.reason)
    said = _count(mirrored.compared, "position") + " and their images"
    return _tested(game, promise, "symmetry", found, said, mirrored.compared)


def shown_by_plays(game: ir.Game, promise: ir.Promise, findings: PlayFindings) -> PromiseVerdict | None:
    """The verdict, if a play shows it."""
    if not isinstance(promise, ir.Invariant | ir.Always | ir.Reachable | ir.NeverStuck | ir.EndsWithin):
        return None  # cautious: machine code does not look at others
    found = _verdict(game, promise, findings, None)
    return None if found.found is None else found


def _verdict(game: ir.Game, promise: ir.Promise, findings: PlayFindings, leaks: Leaks | None) -> PromiseVerdict:
    closely, plays = _count(findings.plays, "play"), _count(findings.plays + findings.compiled, "play")
    looked = findings.watched.looked[promise.name]
    match promise:
        case ir.Reachable():
            return _reachable(promise, findings.watched, plays)
        case ir.Winnable() if promise.needed is not None:
            return _tested(game, promise, "winnable", findings.watched.broken.get(promise.name), closely, looked)
        case ir.Winnable():
            said = "plays can not show it; a small world that is explored completely can"
            return PromiseVerdict(promise.name, "winnable", promise, Verdict.UNDECIDED, said, None)
        case ir.OddsPromise():
            return _odds(game, promise)
        case ir.Symmetry():
            raise AssertionError("symmetries have a verdict of their own")
        case ir.Secret():
            return _secret(promise, leaks)
        case ir.NeverStuck():
            found = None if findings.stuck is None else findings.stuck[1]
            return _tested(game, promise, "never stuck", found, plays, findings.answers)
        case ir.EndsWithin():
            most = findings.watched.most_calls[promise.name]
            said = f"{plays}, at most {most} calls"
            return _tested(game, promise, "ends within", findings.watched.broken.get(promise.name), said, looked)
        case ir.Lemma() if (holds := worked_out(game, promise)) is not None:
            sure = Verdict.REFUTED if promise.myth else Verdict.EXACT
            verdict = Verdict.BROKEN if holds is promise.myth else sure
            return PromiseVerdict(promise.name, "lemma", promise, verdict, "worked out", holds is not promise.myth)
        case ir.Lemma():
            said = _count(looked, "position")
            return _tested(game, promise, "lemma", findings.watched.broken.get(promise.name), said, looked)
        case ir.Invariant() | ir.Always():
            kind = "invariant" if isinstance(promise, ir.Invariant) else "always"
            return _tested(game, promise, kind, findings.watched.broken.get(promise.name), plays, looked)
        case _:
            assert_never(promise)


def _tested(
    game: ir.Game, promise: ir.Promise, kind: str, found: Found | None, said: str, looked: int
) -> PromiseVerdict:
    """A promise that a play may break, but never prove."""
    name = promise.name
    because = game.breaks.get(name)
    if promise.myth or because is not None:
        if found is not None:
            verdict = Verdict.REFUTED if promise.myth else Verdict.BROKEN
            detail = "as it should be" if because is None else _as_said(because)
            return PromiseVerdict(name, kind, promise, verdict, detail, True, found)
        wanted = "a myth that no play has refuted" if promise.myth else "said to break, and no play breaks it"
        return PromiseVerdict(name, kind, promise, Verdict.UNDECIDED, f"{wanted} ({said})", None)
    if found is not None:
        return PromiseVerdict(name, kind, promise, Verdict.BROKEN, found.detail, False, found)
    if not looked:
        return PromiseVerdict(name, kind, promise, Verdict.UNDECIDED, f"never looked at in {said}", None)
    return PromiseVerdict(name, kind, promise, Verdict.TESTED, said, True)


def _reachable(promise: ir.Reachable, watched: Findings, plays: str) -> PromiseVerdict:
    found = watched.witnessed.get(promise.name)
    if found is not None:
        verdict = Verdict.BROKEN if promise.myth else Verdict.WITNESSED
        detail = "a myth that holds" if promise.myth else ""
        return PromiseVerdict(promise.name, "reachable", promise, verdict, detail, not promise.myth, found)
    return PromiseVerdict(promise.name, "reachable", promise, Verdict.UNDECIDED, f"not met in {plays}", None)


def _odds(game: ir.Game, promise: ir.OddsPromise) -> PromiseVerdict:
    exact, said = odds_of(game, promise.odds), claimed(game, promise)
    kind = promise.name.split()[0]
    if exact is None or said is None:
        return PromiseVerdict(promise.name, kind, promise, Verdict.UNDECIDED, f"no fixed {kind}", None)
    if (exact == said) is not promise.myth:
        return PromiseVerdict(promise.name, kind, promise, Verdict.EXACT, str(exact), True)
    told = f"they are {exact}" if kind == "odds" else f"it is {exact}"
    return PromiseVerdict(promise.name, kind, promise, Verdict.BROKEN, told, False)


def _secret(promise: ir.Secret, leaks: Leaks | None) -> PromiseVerdict:
    if leaks is None:
        return PromiseVerdict(promise.name, "secret", promise, Verdict.UNDECIDED, "not looked at", None)
    compared = sum(leaks.by_thing.get(thing, 0) for thing in promise.things)
    found = leaks.of(promise)
    if found is not None:
        verdict = Verdict.REFUTED if promise.myth else Verdict.BROKEN
        return PromiseVerdict(promise.name, "secret", promise, verdict, found.detail, promise.myth, found)
    if promise.myth or not compared:
        met = "two plays that look alike, and in which it is different,"
        why = f"no {met} come to look different" if compared else f"no {met} were met"
        return PromiseVerdict(promise.name, "secret", promise, Verdict.UNDECIDED, why, None)
    return PromiseVerdict(
        promise.name, "secret", promise, Verdict.TESTED, _count(compared, "pair") + " of positions", True
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
