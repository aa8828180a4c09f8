"""The pages of games by their specs, with what their rule books and the last checks say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import resources
from pathlib import Path

from seaspec.book import STEPPER, Check, Layout, Verdict, book
from seaspec.cli.booking.playing import play_page
from seaspec.cli.booking.settings import Setting, settings_of
from seaspec.cli.checking import kept_results
from seaspec.cli.checking.how import how
from seaspec.cli.checking.result import PromiseResult, Result
from seaspec.cli.output import Fault
from seaspec.diagnostics.model import Report
from seaspec.library import Subject, chapters_in_book, load_coverage, load_subject_of, single_variants
from seaspec.loading import LoadError, choices_in, load_subject
from seaspec.sampling.card import Card, number_text

STYLE = "seaspec.css"


def pages_of(
    specs: Sequence[str], layout: Layout, checks: Path | None = None, ways: Sequence[str] = ()
) -> dict[str, str]:
    """The pages of the books, by path. LoadError with all that is wrong with any of the texts. `checks`: a folder with
    records of checks, for what nobody has checked here; `ways`: in which the games can be played in the pages, beside
    that in which they stand (settings.py)."""
    report = Report()
    subjects = [subject for subject in (load_subject_of(spec, report) for spec in specs) if subject is not None]
    if report.failed:
        raise LoadError(report)
    games = [load_subject(subject, {}, report) for subject in subjects]
    listed = settings_of(ways, games, report)
    found: dict[str, str] = {}
    for subject, game, further in zip(subjects, games, listed, strict=True):
        coverage = load_coverage(chapters_in_book(subject), report)
        settings = [Setting(subject), *further]
        stacks = {stack.asked[-1].name: stack for stack in single_variants(subject, Report())}
        variants = {name: last for name, stack in stacks.items() if (last := check_of(stack, checks)).verdicts}
        own = check_of(subject, checks)
        write_play = partial(play_page, settings)
        pages = book(game, choices_in(game.rules), coverage, own, layout, variants, write_play, stacks)
        if twice := pages.keys() & found.keys():
            name = min(twice).partition("/")[0]
            raise Fault(f"two books would be named '{name}'", "write each into a folder of its own")
        found |= pages
    if report.failed:
        raise LoadError(report)
    return found


def check_of(subject: Subject, checks: Path | None = None) -> Check:
    """What `seaspec check` has found out last: about these very texts, or else, and then it says so, about others. What
    was found here goes before what is recorded in `checks`, unless only that is of these texts."""
    usual = how()
    result = kept_results.find(subject, {}, usual)
    if result is not None:
        return _told(result, kept_results.tools())
    here = None if usual.folder is None else kept_results.find_last(subject, {}, usual.folder)
    recorded = None if checks is None else kept_results.find_record(subject, checks)
    found = [last for last in (here, recorded) if last is not None]
    if not found:
        return Check()
    last = max(found, key=lambda last: last.same_text)
    other = "It was another version of SeaSpec." if not last.same_tool else ""
    own = "It was not asked for as usual." if last.same_tool and last.same_text else ""
    return _told(last.result, last.tools, not last.same_text, other or own)


def _told(result: Result, tools: Mapping[str, str], stale: bool = False, remark: str = "") -> Check:
    verdicts = {promise.name: _verdict(promise) for promise in result.promises}
    played = result.plays.number + result.plays.compiled
    changed = {example.name: tuple(line.text for line in example.because) for example in result.changed_examples}
    return Check(verdicts, stale, remark, result.seconds, played, tools, changed, _card(result.card))


def _card(card: Card | None) -> tuple[tuple[str, str, str, bool], ...]:
    rows = () if card is None or card.is_same else card.rows
    return tuple((row.what, number_text(row, row.before), number_text(row, row.after), row.differs) for row in rows)


def _verdict(promise: PromiseResult) -> Verdict:
    play = promise.play
    return Verdict(
        promise.verdict,
        promise.kept,
        promise.detail,
        promise.world or "",
        promise.over,
        promise.rests_on,
        promise.does_without,
        promise.empty,
        tuple(line.text for line in promise.because),
        () if play is None else play.steps,
        "" if play is None else play.board,
        () if play is None or play.beside is None else play.beside.steps,
        {} if play is None else play.saved,
    )


def style() -> str:
    """How pages look: colours of rules, verdicts, folds."""
    return resources.files("seaspec.book").joinpath(STYLE).read_text(encoding="utf-8")


def stepper() -> str:
    """The script that steps through plays."""
    return resources.files("seaspec.book").joinpath(STEPPER).read_text(encoding="utf-8")
