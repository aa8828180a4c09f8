"""What `seaspec check` finds out about one game with fixed options: examples, plays, promises, what is never used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from seaspec.core import ir
from seaspec.examples.run import ExampleResult, Rebuild, run_examples
from seaspec.examples.run import Verdict as Shown
from seaspec.explore.reach import Ended, Reached
from seaspec.explore.reference import Explored
from seaspec.explore.seeking import Sought, Use
from seaspec.prove.audit.second_solver import Contested
from seaspec.prove.entail import Solver
from seaspec.prove.portfolio import Beside, Notes
from seaspec.prove.proof import Step
from seaspec.prove.proofs import is_provable, prove_and_doubt
from seaspec.sampling.plays import PlayFindings, all_endings, asked_at, place_of, watched_plays
from seaspec.sampling.secrets import Leaks, secret_trial
from seaspec.sampling.symmetry import Mirrored, symmetry_trial
from seaspec.sampling.watch import Found
from seaspec.source import Span
from seaspec.verdict.verdicts import (
    PromiseVerdict,
    Verdict,
    World,
    explored_in,
    is_long,
    says_more,
    settled_in,
    shown_by_plays,
    verdicts,
    with_contested,
    with_proof,
    with_refuted,
)

if TYPE_CHECKING:
    from seaspec.game import Game


PLAYED, SECRETS = 0.75, 0.9
"""The part of the time for plays after which they end, and the test of secrets does; what is left is for symmetries."""


AT_ONCE = 40
"""Plays for the test of secrets before all else, if there is time."""
CLOSELY = 2_000
"""Answers in a play that the interpreter watches: long plays are for machine code."""


Tell = Callable[[PlayFindings, Sequence[ExampleResult], Leaks | None], None]
"""Is told what plays have found, examples that do not show what they say, and secrets that are told."""


@dataclass(frozen=True, slots=True)
class Unused:
    """Something that neither plays nor examples ever used: an action, a guard, an ending. `guard`: that one, and of
    which action; `proved`: it can never forbid anything. `searched`: how it was looked for besides."""

    what: str
    name: str
    source: ir.Source
    guard: tuple[str, ir.Guard] | None = None
    proved: bool = False
    searched: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A play in which the rules themselves fail, somebody is stuck, or that need not end. `world`: None for the game
    itself."""

    message: str
    span: Span
    found: Found
    world: World | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found out."""

    game: Game
    examples: tuple[ExampleResult, ...]
    inapplicable: int
    """Examples that do not apply: they name what this game does not have."""
    plays: PlayFindings
    promises: tuple[PromiseVerdict, ...]
    unused: tuple[Unused, ...]
    rule_errors: tuple[Failure, ...] = ()
    """Where the rules themselves fail. That somebody is stuck, or plays need not end, is for a promise, where there
    is one."""

    @property
    def broken(self) -> tuple[PromiseVerdict, ...]:
        return tuple(v for v in self.promises if v.kept is False)

    @property
    def undecided(self) -> tuple[PromiseVerdict, ...]:
        return tuple(v for v in self.promises if v.kept is None)

    def where(self, verdict: PromiseVerdict) -> Game:
        """The game in which the play of a verdict was found: this one, or a small world of it."""
        return self.in_world(verdict.world)

    def in_world(self, world: World | None) -> Game:
        """The game itself, or a small world of it."""
        return self.game if world is None else world.game

    @property
    def failed_examples(self) -> tuple[ExampleResult, ...]:
        return tuple(e for e in self.examples if not is_as_said(self.game.rules, e))

    @property
    def kept(self) -> bool:
        """Nothing is broken (something may be undecided)."""
        return not (self.broken or self.failed_examples or self.rule_errors)


def check_game(
    game: Game,
    plays: int,
    seed: int,
    begin: Callable[[str, int], Callable[[int], None]],
    build: Rebuild,
    is_before: Callable[[float], bool] = lambda part: True,
    more: Callable[[Callable[[], bool]], PlayFindings] = lambda go_on: PlayFindings(),
    tell: Tell = lambda found, failed, leaks: None,
    is_early: Callable[[], bool] = lambda: False,
    near: Collection[str] = (),
) -> Checked:
    """Run examples and plays. `begin(label, total)` gives a function that is told how many are done.

    `build` makes the same game with other options, for examples that want them; `is_before` is asked whether less than
    this part of the time for plays has passed. Examples are run in any case. Ctrl-C ends the plays. `more` gives what
    machine code has found besides, and waits for it as long as one should; `tell` is told what plays have found,
    which examples do not show what they say, and which secrets are told. While it `is_early`, secrets come first.
    `near`: the words of the house rule; the first example that it changes is told at once, the others together.
    """
    has_secrets = any(isinstance(promise, ir.Secret) for promise in game.rules.promises)
    leaks = Leaks() if has_secrets else None
    pairs, interrupted = max(2, plays // 2), False
    try:
        if leaks is not None and plays:
            secret_trial(game.machine, AT_ONCE, seed, lambda done: tell(PlayFindings(), (), leaks), is_early, leaks)
    except KeyboardInterrupt:
        interrupted = True
    failed: list[ExampleResult] = []

    def note(result: ExampleResult) -> None:
        if result.verdict is not Shown.OTHER_OPTIONS and not is_as_said(game.rules, result):
            failed.append(result)
            if len(failed) == 1:
                tell(PlayFindings(), failed, None)

    results = run_examples(game, build, note, near)
    examples = tuple(r for r in results if r.verdict is not Shown.OTHER_OPTIONS)
    tell(PlayFindings(), failed[1:], None)
    go_on = partial(is_before, PLAYED)
    findings = watched_plays(game.machine, 0 if interrupted else plays, seed, begin("plays", plays), go_on, CLOSELY)
    findings.interrupted |= interrupted
    tell(findings, (), None)
    symmetries = [promise for promise in game.rules.promises if isinstance(promise, ir.Symmetry)]
    mirrored = {promise.name: Mirrored() for promise in symmetries}
    try:
        if leaks is not None and not findings.interrupted:
            secret_trial(game.machine, pairs, seed, begin("secrets", pairs), lambda: is_before(SECRETS), leaks)
            tell(PlayFindings(), (), leaks)
        few = 0 if findings.interrupted else min(2, plays)
        for promise in symmetries:
            mirrored[promise.name] = symmetry_trial(game.machine, promise, few, seed, lambda: is_before(1))
        if plays and not interrupted:
            findings.add(more(lambda: is_before(1)))
    except KeyboardInterrupt:
        findings.interrupted = True
    promised = tuple(verdicts(game.rules, findings, leaks, mirrored))
    gone = len(game.rules.inapplicable) + len(results) - len(examples)
    unused = tuple(_unused(game.rules, findings, examples))
    return Checked(game, examples, gone, findings, promised, unused, tuple(_failures(game, None, findings)))


def _failures(game: Game, world: World | None, found: PlayFindings | Explored) -> Iterator[Failure]:
    """Where plays or an exploration have seen the rules fail."""
    failed = list(found.failed.values())
    if found.stuck is not None and not any(isinstance(p, ir.NeverStuck) for p in game.rules.promises):
        failed.append(found.stuck)
    for error, play in failed:
        yield Failure(error.message, error.span, play, world)
    if isinstance(found, PlayFindings) and found.endless is not None:
        yield Failure(found.endless.detail, asked_at(game.machine, found.endless), found.endless, world)


def _with_failures(checked: Checked, new: Iterable[Failure]) -> Checked:
    """What fails in the same way at the same place of the text is told once, by a play that is not long."""
    known: dict[tuple[str, str], Failure] = {}
    for failure in (*checked.rule_errors, *new):
        what = str(failure.span), failure.message
        if what not in known or (is_long(known[what].found) and not is_long(failure.found)):
            known[what] = failure
    return replace(checked, rule_errors=tuple(known.values()))


def attacked(checked: Checked, later: PlayFindings) -> tuple[Checked, tuple[str, ...]]:
    """What plays have shown that went on while proofs were sought; and what they break that was called proved, or
    exhaustive for the whole game: that is a mistake of the tool."""
    wrong, promises = [], []
    for before in checked.promises:
        now = shown_by_plays(checked.game.rules, before.promise, later)
        if now is not None and now.found is not None and before.kept is now.kept is False:
            promises.append(now if says_more(now.found, before.found) else before)
            continue
        if now is None or before.kept is False or (before.kept and now.kept):
            promises.append(before)
            continue
        if before.verdict is Verdict.PROVED or (before.verdict is Verdict.EXHAUSTIVE and before.world is None):
            wrong.append(f"{before.name} was called {before.verdict.value}")
        promises.append(now)
    checked = replace(checked, promises=tuple(promises))
    return _with_failures(checked, _failures(checked.game, None, later)), tuple(wrong)


def is_as_said(game: ir.Game, result: ExampleResult) -> bool:
    """Whether an example shows what its author says; a variant may say that it breaks one of its base."""
    if result.verdict is Shown.FAULTY:
        return False
    return result.is_as_told is not (result.example.name in game.breaks)


def taken_in(example: ir.Example) -> set[str]:
    """The actions that an example takes; to be refused is no use."""
    followed = zip_longest(example.lines, example.lines[1:])
    steps = (
        line
        for line, after in followed
        if isinstance(line, ir.Step) and not (isinstance(after, ir.Expect) and after.refused)
    )
    answers = (answer for step in steps for answer in (step.answer, *step.choosing))
    return {answer.action for answer in answers if isinstance(answer, ir.ActionAnswer)}


def run_in_worlds(checked: Checked, worlds: Iterable[World]) -> Checked:
    """Run the examples that belong to small worlds."""
    found = (result for world in worlds for result in run_examples(world.game))
    return replace(checked, examples=(*checked.examples, *found))


Explore = Callable[["Game", str], Explored]
"""Explores a game, as far as it should; also told: in which world, as people say it."""


def look_into_worlds(
    checked: Checked,
    worlds: Iterable[World],
    plays: int,
    seed: int,
    explore: Explore,
    all_worlds: bool,
    go_on: Callable[[], bool] = lambda: True,
    tell: Callable[[Checked], None] = lambda checked: None,
    roamed: Callable[[World], PlayFindings] = lambda world: PlayFindings(),
) -> Checked:
    """Look in small worlds, one after the other, for what is still undecided, or broken by a long play only.

    The game itself and each world are explored. `all_worlds`: even where nothing is undecided, for a better verdict
    than that plays do not break it. `go_on` is asked whether there is time for more; Ctrl-C ends it, too. `tell` is
    told what is known each time that something was looked at. `roamed` gives what plays by machine code have shown.
    """
    try:
        checked = explored(checked, None, explore)
        tell(checked)
        left = list(worlds)
        while left:
            world = left[0]
            is_open = any(not isinstance(v.promise, ir.Secret | ir.Symmetry) for v in checked.undecided)
            wanted = is_open or _has_long_plays(checked) or may_be_exhaustive(checked)
            if checked.plays.interrupted or not go_on() or not (all_worlds or wanted):
                break
            natively = roamed(left.pop(0))
            checked = _roamed_in(checked, world, natively)
            tell(checked)
            if any(_is_for_plays(v.promise, natively) for v in checked.undecided):
                checked = _played_in(checked, world, watched_plays(world.game.machine, plays, seed, go_on=go_on))
                tell(checked)
            checked = explored(checked, world, explore)
            tell(checked)
        for world in left:  # what was told of it at once is told at last, too
            checked = _roamed_in(checked, world, roamed(world))
    except KeyboardInterrupt:
        checked.plays.interrupted = True
    return checked


def _played_in(checked: Checked, world: World, findings: PlayFindings) -> Checked:
    """What is known after plays in a world."""
    checked.plays.interrupted |= findings.interrupted
    promises = tuple(
        settled_in(world, v, findings) if v.kept is None or isinstance(v.promise, ir.NeverStuck) else v
        for v in checked.promises
    )
    return _with_failures(replace(checked, promises=promises), _failures(world.game, world, findings))


def _is_for_plays(promise: ir.Promise, natively: PlayFindings) -> bool:
    """Whether plays of the interpreter in a world may say something of a promise: of two positions side by side they
    do not, and of most others no more than those of machine code."""
    if isinstance(promise, ir.Secret | ir.Symmetry):
        return False
    return not natively.compiled or isinstance(promise, ir.Lemma | ir.Winnable)


def _roamed_in(checked: Checked, world: World, findings: PlayFindings) -> Checked:
    """What is known after plays by machine code in a world: they break also what plays of the game do not."""
    if not findings.compiled:
        return checked
    checked = _played_in(checked, world, findings)
    watched = findings.watched
    return _explored_in(
        checked,
        world,
        Explored(watched=watched, failed=findings.failed, stuck=findings.stuck, too_long=watched.broken),
    )


Seek = Callable[["Game", Sought, int], tuple[int, PlayFindings]]
"""Searches a game for what a promise speaks of; also told: how many searches are to come, this one among them. Gives
how many positions were looked at, and what the play shows that was found."""


def to_be_sought(checked: Checked) -> list[PromiseVerdict]:
    """What is open, takes a play to be decided, and is shown by a position or a step of that play."""
    breaks = checked.game.rules.breaks
    open_ = (verdict for verdict in checked.undecided if isinstance(verdict.promise, Sought))
    return [v for v in open_ if isinstance(v.promise, ir.Reachable) or v.promise.myth or v.name in breaks]


def sought(checked: Checked, worlds: Sequence[World], seek: Seek, tell: Callable[[Checked], None]) -> Checked:
    """Search the game, then its worlds, for what is to be met, or known to be false, and no play has shown yet.

    `tell` is told what is known each time that something was found. Ctrl-C ends it.
    """
    open_ = [] if checked.plays.interrupted else to_be_sought(checked)
    places: list[World | None] = [None, *worlds]
    left = len(open_) * len(places)
    looked: Counter[str] = Counter()
    try:
        for world in places:
            game = checked.in_world(world)
            there = {promise.name: promise for promise in game.rules.promises}
            for name in (verdict.name for verdict in open_):
                promise = there.get(name)
                if isinstance(promise, Sought) and any(verdict.name == name for verdict in checked.undecided):
                    positions, findings = seek(game, promise, left)
                    looked[name] += positions
                    after = _seen_in(checked, world, findings)
                    if after.undecided != checked.undecided:
                        tell(after)
                    checked = after
                left -= 1
    except KeyboardInterrupt:
        checked.plays.interrupted = True
    return replace(checked, promises=tuple(_not_found(verdict, looked[verdict.name]) for verdict in checked.promises))


SeekUse = Callable[["Game", Use, int], tuple[Reached, PlayFindings]]
"""Searches a game for a play that uses something; also told: how many searches are to come, this one among them."""


def is_searched(checked: Checked) -> bool:
    """Whether there is anything that a guided search might find."""
    return bool(to_be_sought(checked) or never_used(checked))


def never_used(checked: Checked) -> list[Unused]:
    """The actions and endings that nobody was seen to use; then the guards that were never seen to forbid anything."""
    return sorted(checked.unused, key=lambda unused: unused.guard is not None)


def uses_sought(checked: Checked, seek: SeekUse, tell: Callable[[Checked], None]) -> Checked:
    """Search for plays in which the actions are taken, and the endings met, that nobody was seen to use, and in which
    the guards forbid something that were never seen to.

    What is found is used; of the rest it is said how it was looked for. `tell` is told what is known each time that
    something was found. Ctrl-C ends it.
    """
    wanted = never_used(checked)
    try:
        for number, unused in enumerate(wanted):
            use = Use(unused.name if unused.what == "action" else None, unused.source)
            if unused.guard is not None:
                use = Use(unused.guard[0], unused.source, unused.guard[1])
            found, findings = seek(checked.game, use, len(wanted) - number)
            left = [each for each in checked.unused if each is not unused]
            if found.ended is not Ended.FOUND:
                left = [replace(each, searched=_searched(found)) if each is unused else each for each in checked.unused]
            checked = replace(_seen_in(checked, None, findings), unused=tuple(left))
            if found.ended is Ended.FOUND:
                tell(checked)
    except KeyboardInterrupt:
        checked.plays.interrupted = True
    return checked


def _searched(found: Reached) -> str:
    """How something was looked for that was not found."""
    if not found.positions:
        return ""
    if found.ended is Ended.ALL and not found.failed:
        return f"in none of all {found.positions} positions"
    return f"a guided search of {found.positions} positions has not found it"


def _seen_in(checked: Checked, world: World | None, findings: PlayFindings) -> Checked:
    """What a play that was searched for shows: of the game, whatever was thought of a promise before."""
    return attacked(checked, findings)[0] if world is None else _played_in(checked, world, findings)


def _not_found(verdict: PromiseVerdict, positions: int) -> PromiseVerdict:
    if verdict.kept is not None or not positions:
        return verdict
    said = f"a guided search of {positions} position{'' if positions == 1 else 's'} has not found it"
    return replace(verdict, detail="; ".join(part for part in (verdict.detail, said) if part))


def may_be_exhaustive(checked: Checked) -> bool:
    """Whether a small world that is explored completely may say more of something."""
    kinds = ir.Invariant | ir.Always | ir.NeverStuck | ir.EndsWithin | ir.Winnable
    unsure = (Verdict.TESTED, Verdict.BOUNDED)
    return any(isinstance(v.promise, kinds) and v.verdict in unsure for v in checked.promises)


def _has_long_plays(checked: Checked) -> bool:
    """Whether what is broken is shown by a play that is hard to follow."""
    plays = [*(verdict.found for verdict in checked.broken), *(failure.found for failure in checked.rule_errors)]
    return any(is_long(play) for play in plays)


def proved(
    checked: Checked,
    solve: Solver,
    go_on: Callable[[], bool],
    beside: Beside | None = None,
    *,
    thorough: bool = False,
    notes: Notes | None = None,
) -> tuple[Checked, Iterator[Step]]:
    """Try to prove what is not decided for all positions yet; also the steps of the proofs, made as they are wanted.

    Besides, that a promise says nothing, and that a guard which was never seen at work never forbids anything. `beside`
    makes attempts side by side; then there are not all steps. `notes` takes down what each proof has found.
    """
    open_ = [v.promise for v in checked.promises if _is_open(v) and is_provable(checked.game.rules, v.promise)]
    idle = [u.guard for u in checked.unused if u.guard is not None]
    if not open_ and not idle:
        return checked, iter(())
    found = prove_and_doubt(checked.game.flow, open_, idle, solve, go_on, beside, thorough=thorough, notes=notes)
    unused = (replace(u, proved=u.guard is not None and u.guard[1] in found.idle) for u in checked.unused)
    promises = (with_proof(v, found.proofs.get(v.name)) for v in checked.promises)
    return replace(checked, promises=tuple(promises), unused=tuple(unused)), found.steps


def without_contested(checked: Checked, contested: Sequence[Contested], solvers: tuple[str, str]) -> Checked:
    """What is left of proofs after two solvers have contradicted each other about some of their steps."""
    return replace(checked, promises=tuple(with_contested(v, contested, solvers) for v in checked.promises))


def without_refuted(checked: Checked, refuted: Collection[str]) -> Checked:
    """What is left of proofs after the checker of certificates has found plays in which they fail: `refuted` names the
    promises; where a fact fails that is none, all that rests on facts."""
    return replace(checked, promises=tuple(with_refuted(v, refuted) for v in checked.promises))


def _is_open(verdict: PromiseVerdict) -> bool:
    """Whether a proof would say more: not of what is broken, or decided for the whole game."""
    if verdict.kept is False or verdict.verdict in (Verdict.PROVED, Verdict.EXACT):
        return False
    return verdict.verdict is not Verdict.EXHAUSTIVE or verdict.world is not None


def where_is(world: World | None) -> str:
    """A world, or the game itself, as people call it."""
    return "the game" if world is None else f"the world {world.name}"


def explored(checked: Checked, world: World | None, explore: Explore) -> Checked:
    """What is known after exploring the game or a world."""
    return _explored_in(checked, world, explore(checked.in_world(world), where_is(world)))


def _explored_in(checked: Checked, world: World | None, found: Explored) -> Checked:
    """What is known after that. A promise that a world drops is not asked of it."""
    game = checked.in_world(world)
    there = {promise.name for promise in game.rules.promises}
    promises = tuple(
        explored_in(world, v, found, game.rules.breaks.get(v.name)) if v.name in there else v for v in checked.promises
    )
    return _with_failures(replace(checked, promises=promises), _failures(game, world, found))


def _unused(game: ir.Game, findings: PlayFindings, examples: tuple[ExampleResult, ...]) -> Iterator[Unused]:
    """Actions that nobody can be seen to take, guards that never forbid anything, endings that are never met."""
    if not findings.plays:
        return
    taken, bites = set(findings.taken), set(findings.bites)
    for result in examples:
        bites |= result.bites
        if result.verdict is Shown.HOLDS:
            taken |= taken_in(result.example)
    met = set(findings.endings) | {(span.file.name, span.start) for result in examples for span in result.ends}
    for name, action in game.actions.items():
        if name not in taken:
            yield Unused("action", name, action.source)
            continue
        for guard in action.guards:
            if (name, guard.name) not in bites:
                yield Unused("guard", f"{guard.name} of {name}", guard.source, (name, guard))
    seen: set[tuple[str, int]] = set()
    for ending in all_endings(game):
        place = place_of(ending.source)
        if place not in met and place not in seen:
            seen.add(place)
            yield Unused("ending", "", ending.source)
