"""House rules are short, and each says in its first lines what `seaspec check` says of it: here examples and plays.

SEASPEC_PLAYS says how much is played of each: 50,000 steps times 2, by default.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from roamed import broken, seen

from seaspec.diagnostics.model import Report
from seaspec.examples.run import Verdict, run_examples
from seaspec.library import load_subjects
from seaspec.loading import load_subject, option_values

ROOT = Path(__file__).parent.parent
PLAYS = int(os.environ.get("SEASPEC_PLAYS", "2"))
HOUSE_RULES = sorted((ROOT / "rules").glob("*/*.sea"))
SHORT = {"admiral": {"truce": "6"}, "pirate_bay": {"last_round": "20"}}
"""Options with which plays of a game come to an end, but where a house rule sets them itself."""


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
