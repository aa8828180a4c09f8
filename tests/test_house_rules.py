"""House rules are short, and each says in its first lines what `seaspec check` says of it: here examples and plays.

SEASPEC_PLAYS says how much is played of each: 50,000 steps times 2, by default. Others, harmful and harmless ones, are
in cases/house_rules/dozen.sea: what is wrong with each is found in about a second, by what a check does first.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from roamed import broken, seen

from seaspec.backends.native.flow.judging import Event
from seaspec.backends.native.watcher import Watcher
from seaspec.core import ir
from seaspec.diagnostics.model import Report
from seaspec.examples.run import Verdict, other_options, run_example, run_examples
from seaspec.game import Game
from seaspec.library import Subject, load_subjects
from seaspec.loading import load_subject, option_values
from seaspec.sampling.endless import Wandering
from seaspec.sampling.secrets import secret_trial

ROOT = Path(__file__).parent.parent
PLAYS = int(os.environ.get("SEASPEC_PLAYS", "2"))
HOUSE_RULES = sorted((ROOT / "rules").glob("*/*.sea"))
SHORT = {"admiral": {"truce": "6"}, "pirate_bay": {"last_round": "20"}}
"""Options with which plays of a game come to an end, but where a house rule sets them itself."""
DOZEN = ROOT / "tests" / "cases" / "house_rules" / "dozen.sea"
REPORT = Report()
SUBJECTS = load_subjects(str(DOZEN), REPORT)
UNUSED = {"calm": {"finish"}, "admiral": {"own_salvo", "react", "keep_both"}, "pirate_bay": set[str]()}
"""Actions that few plays of a base show, or none."""


@pytest.mark.parametrize("path", HOUSE_RULES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_house_rules_do_what_they_say(path: Path) -> None:
    text = path.read_text("utf-8")
    told = re.search(r"\bVerdict: (kept|broken)\b", text)
    assert told is not None
    assert len([line for line in text.splitlines() if line and not line.startswith("--")]) <= 12
    failed, breaks = judged(path, PLAYS, SHORT.get(path.parent.name, {}))
    assert bool(failed or breaks) == (told[1] == "broken"), (failed, breaks)


@pytest.mark.parametrize(
    ("name", "options", "failed", "breaks"),
    [
        ("admiral", {"truce": "20"}, {"lone_mast"}, {"crews", "the rules fail: a value is not in 0..3"}),
        (
            "calm",
            {},
            {"between", "last_two", "dear_but_near", "trio_lays_start", "set_up_two", "set_up_three", "set_up_five"}
            | {"set_up_four"},
            {"all_open"},
        ),
    ],
)
def test_the_house_rules_to_show_break_what_matters(
    name: str, options: dict[str, str], failed: set[str], breaks: set[str]
) -> None:
    assert judged(ROOT / "rules" / f"{name}.sea", 12, options) == (failed, breaks)


def judged(path: Path, plays: int, options: dict[str, str]) -> tuple[set[str], set[str]]:
    """Examples that fail, and promises that plays break, and should not."""
    (subject,) = load_subjects(str(path), Report())
    free = {name for name, option in option_values(subject).items() if len(option.values) > 1}
    game = load_subject(subject, {name: value for name, value in options.items() if name in free})
    results = run_examples(game, lambda other: load_subject(subject, {**game.options, **other}))
    told = [result for result in results if result.verdict is not Verdict.OTHER_OPTIONS]
    assert told
    failed = {r.example.name for r in told if r.is_as_told == (r.example.name in game.rules.breaks)}
    return failed, broken(game, seen(game, 50_000 * plays))


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.asked[-1].name)
def test_what_is_wrong_with_a_house_rule_is_found_soon(subject: Subject) -> None:
    assert not REPORT.failed
    told, report = said_of(subject), Report()
    game = load_subject(subject, {}, report)
    assert {diagnostic.code.id for diagnostic in report} == told["warned"]
    played = seen(game, 50_000)
    breaks = {"stuck" if "stuck:" in name else name.removeprefix("the rules fail: ") for name in broken(game, played)}
    assert breaks == told["broken"]
    taken = {event.name for event in played.soonest if isinstance(event, Event) and event.what == "taken"}
    assert game.rules.actions.keys() - taken - UNUSED[subject.game.name.lower().replace("b", "_b")] == told["never"]
    if told["leak"] or subject.game.name == "Calm":  # plays of others are long
        leaks = secret_trial(game.machine, 6 if told["leak"] else 1, seed=1)
        assert leaks.found.keys() == told["leak"] and leaks.anyhow is None
    if any(name.startswith("ends within") for name in breaks):
        found = Wandering(game.machine, Watcher(game.flow, hasty=True), seed=1).look(40_000, lambda: True)
        assert (found is not None and found.back is not None) is ("endless" in told)
    assert not [name for name in told["changed"] if not ends_otherwise(subject, game, name)]


def said_of(subject: Subject) -> dict[str, set[str]]:
    """What is to be found, by its sort."""
    text = DOZEN.read_text("utf-8").partition(f"variant {subject.asked[-1].name} ")[2].partition("\nvariant ")[0]
    told: dict[str, set[str]] = {sort: set() for sort in ("broken", "leak", "never", "warned", "changed")}
    for sort, names in re.findall(r"^-- ### (\w+)(?:: (.*))?$", text, re.MULTILINE):
        told.setdefault(sort, set()).update(names.split(", "))
    return told


def ends_otherwise(subject: Subject, game: Game, name: str) -> bool:
    """Whether an example, with its own options, does not show what the base says."""
    if other := other_options(game, named(game, name)):
        game = load_subject(subject, other)
    return not run_example(game, named(game, name)).is_as_told


def named(game: Game, name: str) -> ir.Example:
    return next(example for example in game.rules.examples if example.name == name)
