"""The check of one game with fixed options: what is run, in which order, and how much time each part has.

The text is compiled, with its small worlds; examples and random plays are run; the game and its worlds are explored;
what is open then is tried to be proved. What comes out is plain data (result.py).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.symbolic.logic.solve import another_version, ask_another, version
from seaspec.cli.checking.ahead import Ahead
from seaspec.cli.checking.aside import RoamingAside, WorldsAside
from seaspec.cli.checking.because import SECONDS as EXPLAINING
from seaspec.cli.checking.because import Because
from seaspec.cli.checking.beside import Beside
from seaspec.cli.checking.certificates import certificate_of, certified, told_of
from seaspec.cli.checking.exploring import SECONDS as EXPLORING
from seaspec.cli.checking.exploring import Exploring
from seaspec.cli.checking.house import is_changed, is_own, of_the_base, words_of_rule
from seaspec.cli.checking.how import Channel, How
from seaspec.cli.checking.news import News
from seaspec.cli.checking.provers import FULL_PATIENCE, PATIENCE, SECOND_PATIENCE, Answered, Provers, are_there
from seaspec.cli.checking.result import (
    Certification,
    Contradiction,
    CrossCheck,
    ExampleResult,
    FailureResult,
    PlaysResult,
    PromiseResult,
    Result,
    Shown,
    UnusedResult,
    place_of,
)
from seaspec.cli.checking.seeking import Seeking
from seaspec.cli.progress import Progress
from seaspec.core import ir
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report, Severity
from seaspec.drawing import draw_text
from seaspec.examples import run as examples
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject, option_values
from seaspec.prove.audit.places import Notebook
from seaspec.prove.audit.second_solver import Agreement, cross_check
from seaspec.prove.explain.grounds import does_without
from seaspec.prove.proof import Step
from seaspec.prove.proofs import is_large
from seaspec.sampling.plays import at_the_beginning, fails_at_last, last_position
from seaspec.sampling.plays import place_of as place_in_plays
from seaspec.sampling.telling import as_play, begins, each_step, in_general, is_at_first, open_table, sentence_of, steps
from seaspec.sampling.twins import Twins
from seaspec.sampling.watch import Found
from seaspec.saved import to_json as play_to_json
from seaspec.syntax import tree
from seaspec.verdict import verdicts
from seaspec.verdict.check import (
    Checked,
    Unused,
    attacked,
    check_game,
    is_as_said,
    is_searched,
    look_into_worlds,
    may_be_exhaustive,
    proved,
    run_in_worlds,
    sought,
    taken_in,
    uses_sought,
    where_is,
    without_contested,
    without_refuted,
)

WORLD_PLAYS = 200
"""Plays in each small world, for what plays of the game leave undecided."""
LOOKING, LOOKED = 0.6, 0.75
"""The part of the time after which no further exploration is begun, and those that are begun end."""
SOUGHT = 0.8
"""The part of the time after which nothing is searched for any more."""
PLAYING, PLAYING_AT_FIRST = 0.15, 5.0
"""The part of the time, besides so many seconds, after which nobody plays, and in any case after half of it: where
there is much time, it is for what plays do not show."""
PLAYING_LEAST = 0.15
"""The part of the time that there is for plays in any case, however long the examples took."""
MOST_SHOWN = 120
"""Of what is as it should be, longer plays are not kept."""
CERTIFYING = 120.0
"""Seconds for the checker of certificates, with `--full`."""
LEAST_AT_ONCE, AT_ONCE, MOST_AT_ONCE = 0.7, 1.5, 0.3
"""Processor seconds in which it is looked, before all else, whether secrets are told: so many in any case, however busy
the machine is, and these, but not after this part of the time."""
TELLING = 0.05
"""The part of the time, besides a second, that is left for beginning and for telling what was found."""


def check(subject: Subject, options: Mapping[str, str], how: How, channel: Channel | None = None) -> Result:
    """Check a game. Ctrl-C while it is explored or proved ends that; what is known then is told. What breaks is told
    at once on the channel."""
    begun = time.monotonic()
    report = Report()
    try:
        game = load_subject(subject, options, report)
    except LoadError as error:
        return faulty(subject, options, error.report)
    news = News(game, channel, begun)
    if how.plays:
        news.look(at_the_beginning(game.machine))
    with (
        RoamingAside(game, news, how, lambda: _without(subject, options)) as aside,
        WorldsAside(news, how) as in_worlds,
    ):
        return _checked(_Asked(subject, options, how), game, report, _Clock(begun, None), aside, in_worlds)


def _without(subject: Subject, options: Mapping[str, str]) -> Game | None:
    """The game without the house rule that is checked; None if it is none."""
    if not subject.asked or any(chapter.kind is tree.ChapterKind.WORLD for chapter in subject.asked):
        return None
    plain = replace(subject, chapters=tuple(c for c in subject.chapters if c not in subject.asked), asked=())
    try:
        known = option_values(plain)
        return load_subject(plain, {name: value for name, value in options.items() if name in known})
    except LoadError:
        return None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be checked, and how thoroughly."""

    subject: Subject
    options: Mapping[str, str]
    how: How


def _checked(
    asked: _Asked, game: Game, report: Report, clock: _Clock, aside: RoamingAside, in_worlds: WorldsAside
) -> Result:
    """Check a game while it is played aside, and its worlds are."""
    subject, options, how = asked.subject, asked.options, asked.how
    clock.seconds = how.large_seconds if is_large(game.flow) else how.seconds
    worlds, left_out = load_worlds(subject, report)
    if report.failed:
        return faulty(subject, options, report)
    in_worlds.begin(worlds)
    part = EXPLORING if clock.seconds is None else min(EXPLORING, clock.seconds / 10)
    exploring = Exploring(how.full, how.memory, how.threads, part, 1 + len(worlds), clock.has_time_to_look)
    with Ahead(exploring, clock.at(LOOKED), 1 if how.full else how.threads) as ahead:
        if how.plays and how.threads > 1:
            ahead.begin(game, where_is(None))
        with ExitStack() as bars:
            begin = _progress(bars)
            build = rebuild(subject, options)
            checked = check_game(
                game,
                how.plays,
                how.seed,
                begin,
                build,
                clock.has_time_to_play,
                aside.at_first,
                aside.news.look,
                clock.is_early,
                words_of_rule(subject) if subject.asked else (),
            )
        checked = run_in_worlds(checked, [world for world in worlds if _has_examples(subject, world)])
        if how.plays and not checked.plays.interrupted:
            if how.full or checked.undecided or may_be_exhaustive(checked):
                ahead.line_up([(world.game, where_is(world)) for world in worlds])
            checked = look_into_worlds(
                checked,
                worlds,
                WORLD_PLAYS,
                how.seed,
                ahead,
                how.full,
                lambda: clock.has_time_to_look() and not exploring.is_stopped,
                aside.news.look_at,
                lambda world: in_worlds(world, clock.has_time_to_look),
            )
    if how.plays and is_searched(checked) and not (exploring.is_stopped or checked.plays.interrupted):
        seeking = Seeking(clock.seconds, how.memory, how.seed, clock.has_time_to_seek)
        checked = uses_sought(checked, seeking.use, aside.news.look_at)
        checked = sought(checked, worlds, seeking, aside.news.look_at)
    crosscheck, interrupted = None, exploring.is_stopped or checked.plays.interrupted
    certification, certificate = None, ""
    notes = Notebook() if how.certifies or how.full else None
    if not checked.kept:  # who must mend something need not wait for proofs of the rest
        clock.seconds = how.seconds
    if not interrupted:
        checked, crosscheck, interrupted = _proved(checked, how, clock, notes)
    is_proved = any(verdict.verdict is verdicts.Verdict.PROVED for verdict in checked.promises)
    if notes is not None and (how.certifies or is_proved):
        data = certificate_of(game, checked.promises, notes.proofs)
        certificate = json.dumps(data, indent=1, ensure_ascii=False) + "\n" if how.certifies else ""
        if how.full and not interrupted:
            checked, certification = _certified(checked, data)
    card = None if interrupted else aside.card()
    checked, wrong = attacked(checked, aside.latest())
    told = _result(subject, options, checked, aside.twins)
    return replace(
        told,
        left_out=left_out,
        crosscheck=crosscheck,
        certification=certification,
        certificate=certificate,
        wrong=wrong,
        card=card,
        diagnostics=tuple(report),
        notes=(*exploring.notes, *aside.notes, *in_worlds.notes, *told.notes),
        seconds=clock.passed,
        interrupted=interrupted,
    )


def faulty(subject: Subject, options: Mapping[str, str], report: Report) -> Result:
    """Nothing could be tried."""
    return Result(subject.name, dict(options), faulty=True, diagnostics=tuple(report))


class _Clock:
    """The time for all of it; None: there is no end."""

    def __init__(self, begun: float, seconds: float | None) -> None:
        self.begun = begun
        self.seconds = seconds
        self._played_from = self._worked_from = 0.0

    @property
    def passed(self) -> float:
        return time.monotonic() - self.begun

    def is_before(self, part: float) -> bool:
        """Whether less than this part of the time has passed."""
        return self.seconds is None or self.passed < part * self.seconds

    def at(self, part: float) -> float | None:
        """When so much of the time will have passed, by `time.monotonic`."""
        return None if self.seconds is None else self.begun + part * self.seconds

    def has_time_to_play(self, part: float) -> bool:
        """Whether less than this part of the time for plays has passed; some there is, if examples took long."""
        self._played_from = self._played_from or self.passed
        if self.seconds is None:
            return True
        playing = min(0.5, PLAYING + PLAYING_AT_FIRST / self.seconds)
        return self.is_before(max(part * playing, self._played_from / self.seconds + part * PLAYING_LEAST))

    def is_early(self) -> bool:
        """Whether it is time for what is wanted first; it begins when this is first asked."""
        self._worked_from = self._worked_from or time.process_time()
        worked = time.process_time() - self._worked_from
        return worked < (AT_ONCE if self.is_before(MOST_AT_ONCE) else LEAST_AT_ONCE)

    def has_time_to_look(self) -> bool:
        return self.is_before(LOOKING)

    def has_time_to_seek(self) -> bool:
        return self.is_before(SOUGHT)

    def left(self, but: float) -> float | None:
        """Seconds that may be spent on proofs, if so many are needed after them."""
        return None if self.seconds is None else max(0.0, (1 - TELLING) * self.seconds - 1 - but - self.passed)


def _progress(bars: ExitStack) -> Callable[[str, int], Callable[[int], None]]:
    """Begins a bar, and gives what moves it."""

    def begin(label: str, total: int) -> Callable[[int], None]:
        bar = bars.enter_context(Progress(label, total))

        def tell(done: int) -> None:
            bar.advance(done - bar.done)

        return tell

    return begin


def rebuild(subject: Subject, options: Mapping[str, str]) -> examples.Rebuild:
    """Makes the game with other options. None where they do not go together; what is wrong else is a fault."""

    def rebuild(other: Mapping[str, str]) -> Game | None:
        try:
            return load_subject(subject, {**options, **other})
        except LoadError as error:
            wrong = [d for d in error.report if d.severity is Severity.ERROR and d.code is not Code.OPTION]
            if not wrong:
                return None
            raise examples.Faulty(f"{wrong[0].span}: {wrong[0].message}") from None

    return rebuild


# --------------------------------------------------------------------------------------------------------------- worlds


def worlds_of(subject: Subject) -> list[tree.Chapter]:
    """The small worlds of a subject, first those that are made for its variants; one that is a small world itself has
    none."""
    is_world = any(chapter.kind is tree.ChapterKind.WORLD for chapter in subject.chapters)
    return [] if is_world else sorted(subject.worlds, key=lambda world: -len(_built_on(world, subject)))


def load_worlds(subject: Subject, report: Report) -> tuple[list[verdicts.World], dict[str, str]]:
    """The game in each of its small worlds; and those that do not go with variants that they know nothing of, and why.

    What is wrong with a world is reported.
    """
    found = []
    left_out = {}
    for chapter in worlds_of(subject):
        small = replace(subject, name=f"{subject.name} in {chapter.name}", chapters=subject.in_world(chapter))
        own = Report()
        try:
            found.append(verdicts.World(chapter.name, load_subject(small, {}, own)))
        except LoadError as error:
            if _knows_all_of(chapter, subject):
                report.extend(error.report)
            else:
                first = next(d for d in error.report if d.severity is Severity.ERROR)
                left_out[chapter.name] = f"{first.message} ({first.span})"
    return found, left_out


def _knows_all_of(world: tree.Chapter, subject: Subject) -> bool:
    """Whether a world is built on all variants of a subject."""
    below = _built_on(world, subject)
    return all(chapter.name in below for chapter in subject.chapters if chapter.kind is tree.ChapterKind.VARIANT)


def _built_on(world: tree.Chapter, subject: Subject) -> set[str]:
    """The chapters of a subject that a world is built on, by name."""
    by_name = {chapter.name: chapter for chapter in subject.chapters}
    below: set[str] = set()
    here: tree.Chapter | None = world
    while here is not None and here.of is not None and here.of not in below:
        below.add(here.of)
        here = by_name.get(here.of)
    return below


def _has_examples(subject: Subject, world: verdicts.World) -> bool:
    chapter = next(chapter for chapter in subject.worlds if chapter.name == world.name)
    return any(isinstance(declared, tree.Example) for declared in chapter.declarations)


# --------------------------------------------------------------------------------------------------------------- proofs


def _certified(checked: Checked, data: dict[str, Any]) -> tuple[Checked, Certification]:
    """What is left of proofs after the checker of certificates has looked at them, and what it says."""
    begun = time.monotonic()

    def soon(part: float) -> Callable[[], bool]:
        then = time.monotonic() + part * max(0.0, begun + CERTIFYING - time.monotonic())
        return lambda: time.monotonic() < then

    found = certified(json.loads(json.dumps(data)), soon(1), soon)  # what a file would say
    told = told_of(found)
    derived = tuple(p["name"] for p in told["promises"] if p["verdict"] == "re-derived")
    left = tuple(f"{p['name']}: {p['why']}" for p in told["promises"] if p["verdict"] != "re-derived")
    alarms = tuple(alarm["says"] for alarm in told["alarms"])
    refuted = {name for alarm in told["alarms"] for name in alarm["promises"]}
    return without_refuted(checked, refuted), Certification(derived, left, alarms)


def _proved(
    checked: Checked, how: How, clock: _Clock, notes: Notebook | None
) -> tuple[Checked, CrossCheck | None, bool]:
    """Proofs of what is still open, as far as there is time and a solver; what a second solver says of them, with
    `--full`; and whether somebody has interrupted it. `notes` takes down what each proof has found."""
    seconds = clock.left(0 if checked.kept else EXPLAINING)
    if not how.proves or seconds == 0 or not are_there():
        return checked, None, False
    patience = FULL_PATIENCE if how.full else PATIENCE
    answered = None if how.folder is None else Answered(how.folder)
    crosscheck = None
    with Provers(how.threads, seconds, patience, answered) as provers, Beside(provers, how.threads) as beside:
        aside = None if how.full else beside  # what a second solver is asked, too, is made here
        try:
            checked, steps = proved(
                checked, provers.solve, lambda: provers.go_on, aside, thorough=how.full, notes=notes
            )
            if how.full and any(v.verdict is verdicts.Verdict.PROVED for v in checked.promises):
                checked, crosscheck = _cross_checked(checked, steps, provers, how, clock)
        except KeyboardInterrupt:
            return checked, crosscheck, True
        return checked, crosscheck, provers.interrupted


def _cross_checked(
    checked: Checked, steps: Iterable[Step], provers: Provers, how: How, clock: _Clock
) -> tuple[Checked, CrossCheck]:
    """What is left of proofs after a second solver was asked, and what it has said; nothing, if there is none."""
    first, second = version(), another_version()
    if first is None or second is None:
        return checked, CrossCheck(None)
    answered = None if how.folder is None else Answered(how.folder, second)
    seconds = clock.left(0 if checked.kept else EXPLAINING)
    agreement = Agreement()
    with (
        Provers(how.threads, seconds, SECOND_PATIENCE, answered, ask_another) as others,
        Progress("steps cross-checked", 0) as progress,
    ):
        try:
            for agreement in cross_check(steps, provers.solve, others.solve, lambda: provers.go_on and others.go_on):
                progress.advance(agreement.steps - progress.done)
        except KeyboardInterrupt:
            provers.interrupted = True
        provers.interrupted |= others.interrupted
    contradictions = tuple(
        Contradiction(one.step, tuple(v.name for v in checked.promises if verdicts.rests_on(v, one)))
        for one in agreement.contested
    )
    told = CrossCheck(second, agreement.agreed, agreement.undecided, contradictions, agreement.complete)
    return without_contested(checked, agreement.contested, (first, second)), told


# ------------------------------------------------------------------------------------------------------------ as values


def _result(subject: Subject, options: Mapping[str, str], checked: Checked, twins: Twins | None) -> Result:
    game, rules = checked.game, checked.game.rules
    plays = checked.plays
    because = None if checked.kept else Because(subject, options, checked)
    return Result(
        subject.name,
        {**game.options, **options},
        faulty=False,
        title=game.title,
        file=" ".join(dict.fromkeys(chapter.span.file.name for chapter in subject.chapters[-1:])),
        files=len(subject.files),
        inapplicable=dict(rules.inapplicable),
        gone=checked.inapplicable,
        examples=tuple(_example(subject, game, example, because) for example in checked.examples),
        plays=PlaysResult(
            plays.plays, plays.positions, plays.longest, plays.unfinished, plays.compiled, plays.compiled_steps
        ),
        promises=tuple(_promise(checked, verdict, because) for verdict in checked.promises),
        failures=tuple(
            FailureResult(
                "; ".join(part for part in (failure.message, _when(checked, failure.world, failure.found)) if part),
                place_of(failure.span),
                None if failure.world is None else failure.world.name,
                _shown(checked.in_world(failure.world), failure.found),
                because.failure(failure) if because is not None else (),
            )
            for failure in checked.rule_errors
        ),
        unused=tuple(_unused(subject, checked, unused, twins) for unused in checked.unused),
        is_house_rule=is_house_rule(subject),
        compared=0 if twins is None else twins.plays,
        parted=0 if twins is None else twins.parted,
        notes=() if because is None else tuple(because.notes),
    )


def _example(subject: Subject, game: Game, result: examples.ExampleResult, because: Because | None) -> ExampleResult:
    source = result.example.source
    sentence = "" if source.sentence is None else str(source.sentence.parts[0])
    ok = is_as_said(game.rules, result)
    detail = "" if ok and result.failure is None else _why(result)
    lines = () if ok or because is None else because.example(result)
    changed = not ok and is_changed(subject, game, result)
    return ExampleResult(result.example.name, sentence, ok, result.runs, detail, place_of(source.span), lines, changed)


def _unused(subject: Subject, checked: Checked, unused: Unused, twins: Twins | None) -> UnusedResult:
    """What is never used; of a house rule also whether it is used without it, or never bit there either."""
    rules, source = checked.game.rules, unused.source
    whose = "its own"
    if is_house_rule(subject) and not is_own(subject, source.span):
        refusing = {expect.guard for e in rules.examples for expect in e.lines if isinstance(expect, ir.Expect)}
        was_used = (
            (unused.guard is not None and unused.guard[1].name in refusing)
            or (twins is not None and unused.what == "action" and unused.name in twins.taken)
            or (unused.what == "action" and any(unused.name in taken_in(e) for e in of_the_base(subject, rules)))
            or (twins is not None and unused.what == "ending" and place_in_plays(source) in twins.endings)
        )
        whose = "no more" if was_used else "the base's"
    sentence = in_general(rules, source) if unused.what == "action" else ""
    at, looked = place_of(source.span), unused.searched
    return UnusedResult(unused.what, unused.name, at, unused.proved, sentence, whose, looked)


def is_house_rule(subject: Subject) -> bool:
    """Whether variants of a game are checked, and not the game, or a small world."""
    return any(chapter.kind is tree.ChapterKind.VARIANT for chapter in subject.asked)


def _why(result: examples.ExampleResult) -> str:
    """What is wrong with an example."""
    if result.failure is None:
        return "it holds, and should not"
    failure = result.failure
    moves = f" after {'; '.join(failure.moves)}" if failure.moves else ""
    names = f" ({failure.names})" if failure.names else ""
    return f"{failure.message}{names}{moves}   {failure.span}"


def _promise(checked: Checked, verdict: verdicts.PromiseVerdict, because: Because | None) -> PromiseResult:
    promise = verdict.promise
    shown = (verdicts.Verdict.REFUTED, verdicts.Verdict.BROKEN, verdicts.Verdict.WITNESSED)
    is_short = verdict.found is not None and len(verdict.found.answers) <= MOST_SHOWN
    told = verdict.kept is False or (verdict.verdict in shown and is_short)
    found = verdict.found if told else None
    return PromiseResult(
        verdict.name,
        verdict.kind,
        promise.myth,
        sentence_of(checked.game.rules, promise.source),
        verdict.verdict.value,
        verdict.kept,
        _detail(checked, verdict),
        place_of(promise.source.span),
        tuple(promise.source.cites),
        None if verdict.world is None else verdict.world.name,
        None if found is None else _shown(checked.where(verdict), found),
        because.promise(verdict) if because is not None else (),
        verdict.rests_on,
        verdict.over,
        verdict.empty,
        _does_without(checked, verdict),
    )


def _does_without(checked: Checked, verdict: verdicts.PromiseVerdict) -> tuple[str, ...]:
    """Guards that a proof might be thought to need: of what is shown by looking at each step of the rules."""
    is_by_steps = isinstance(verdict.promise, ir.Invariant | ir.Always)
    if verdict.verdict is not verdicts.Verdict.PROVED or not is_by_steps:
        return ()
    return does_without(checked.game.rules, verdict.promise, verdict.rests_on)


def _detail(checked: Checked, verdict: verdicts.PromiseVerdict) -> str:
    """What is to be said of a verdict; also that a promise says nothing, or may, as what it supposes was never seen."""
    unseen = verdict.kept is True and verdict.name in checked.plays.watched.unsupposed
    said = "in no play what it supposes was so" if unseen and "vacuous" not in verdict.detail else ""
    said = verdict.empty or said
    is_stuck = isinstance(verdict.promise, ir.NeverStuck) and verdict.found is not None and verdict.kept is False
    when = _when(checked, verdict.world, verdict.found) if is_stuck and verdict.found is not None else ""
    return "; ".join(part for part in (verdict.detail, when, said) if part)


def _when(checked: Checked, world: verdicts.World | None, found: Found) -> str:
    """That somebody is stuck, or the rules fail, as early as can be."""
    machine = checked.in_world(world).machine
    if not found.answers and not begins(machine):
        return "so it is in every play: nobody can ever do anything"
    return "nobody has chosen anything before" if is_at_first(machine, found) else ""


def _shown(game: Game, found: Found) -> Shown:
    """A play in words, and what is saved of it."""
    if not found.answers and not begins(game.machine):
        return Shown((), "", {})
    if found.beside is not None:
        beside = _listed(game, found.beside, None)
        return _listed(game, found.answers, beside)
    told: Iterator[str] = steps(game.machine, found) if found.answers else iter(())
    board = ""
    if found.answers:
        last = last_position(game.machine, found)
        board = draw_text(game.rules, open_table(game.machine, last))
        if board and fails_at_last(game.machine, found):
            board = f"before the last step:\n{board}"
    return Shown(tuple(told), board, _saved(game, found))


def _listed(game: Game, answers: Sequence[Answer], beside: Shown | None) -> Shown:
    """One of two plays that are told side by side, with all that is hidden."""
    return Shown(tuple(each_step(game.machine, answers)), "", _saved(game, Found(tuple(answers))), beside=beside)


def _saved(game: Game, found: Found) -> dict[str, Any]:
    saved = play_to_json(as_play(game, found))
    saved["rules"]["texts"] = dict.fromkeys(saved["rules"]["texts"], "")
    return saved
