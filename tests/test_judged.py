"""What a check says of house rules, harmful and harmless ones: cases/house_rules/judged.sea tells what it must say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seaspec.cli.checking import aside
from seaspec.cli.checking.how import How
from seaspec.cli.checking.schedule import check
from seaspec.cli.checking.verdict_text import print_result
from seaspec.diagnostics.model import Report
from seaspec.library import Subject, load_subjects
from seaspec.sampling import comparing

CASES = Path(__file__).parent / "cases" / "house_rules" / "judged.sea"
SOON = How(plays=4, seconds=6.0, large_seconds=6.0, proves=False)
"""On one core, and without proofs: what is asked for here is found by playing."""
REPORT = Report()
SUBJECTS = load_subjects(str(CASES), REPORT)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.asked[0].name)
def test_house_rules_are_judged(
    subject: Subject, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aside, "AT_FIRST", 50_000)
    monkeypatch.setattr(aside, "PARTING", 0.3)
    monkeypatch.setattr(comparing, "PLAYS", 500)
    print_result(check(subject, {}, SOON), verbose=False)
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    wanted = said_of(subject)
    assert wanted
    for is_said, words in wanted:
        assert (words in told) is is_said, f"{words!r}\n{told}"


def said_of(subject: Subject) -> list[tuple[bool, str]]:
    """What must be said, and what must not."""
    assert not REPORT.failed
    (variant,) = subject.asked
    text = CASES.read_text("utf-8").partition(f"variant {variant.name} ")[2].partition("\nvariant ")[0]
    return [(not negation, words) for negation, words in re.findall(r'^-- ### (not )?"(.*)"$', text, re.MULTILINE)]
