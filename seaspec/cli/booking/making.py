"""The pages of games by their specs, with what their rule books and the last checks say."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from seaspec.book import Layout, Verdict, book
from seaspec.cli.checking import kept_results
from seaspec.cli.checking.how import how
from seaspec.diagnostics.model import Report
from seaspec.library import Subject, load_chapters, load_coverage, load_subject_of
from seaspec.loading import LoadError, load_subject, option_values

STYLE = "seaspec.css"


def pages_of(specs: Sequence[str], layout: Layout) -> dict[str, str]:
    """The pages of the books, by path. LoadError with all that is wrong with any of the texts."""
    report = Report()
    found: dict[str, str] = {}
    for spec in specs:
        subject = load_subject_of(spec, report)
        if subject is None or report.failed:
            continue
        game = load_subject(subject, {}, report)
        coverage = load_coverage(load_chapters(spec, report), report)
        found |= book(game, option_values(subject), coverage, verdicts_of(subject), layout)
    if report.failed:
        raise LoadError(report)
    return found


def verdicts_of(subject: Subject) -> dict[str, Verdict]:
    """What `seaspec check` has found out last about these very texts, if it is still kept."""
    result = kept_results.find(subject, {}, how())
    if result is None:
        return {}
    return {
        promise.name: Verdict(
            promise.verdict,
            promise.kept,
            promise.detail,
            () if promise.play is None else promise.play.steps,
            "" if promise.play is None else promise.play.board,
        )
        for promise in result.promises
    }


def style() -> str:
    """How pages look: colours of rules, verdicts, folds."""
    return resources.files("seaspec.book").joinpath(STYLE).read_text(encoding="utf-8")
