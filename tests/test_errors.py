"""Every chunk of cases/errors is refused as it says, and for no other reason (the notation: chunked.py)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from chunked import faults, read_chunks

from seaspec.check.merging.merge import merge
from seaspec.compile import compile_chapters
from seaspec.diagnostics.model import Report, Stop
from seaspec.source import SourceFile
from seaspec.syntax.parse import parse

CASES = sorted((Path(__file__).parent / "cases" / "errors").glob("*.sea"))


def check_syntax(source: SourceFile, _: Mapping[str, str], report: Report) -> None:
    parse(source, report)


def check_merge(source: SourceFile, _: Mapping[str, str], report: Report) -> None:
    file = parse(source, report)
    with suppress(Stop):
        merge(file.chapters, report)


def check_all(source: SourceFile, options: Mapping[str, str], report: Report) -> None:
    file = parse(source, report)
    if report.failed:
        return
    with suppress(Stop):
        compile_chapters(file.chapters, options, report)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_errors(path: Path) -> None:
    found = []
    for chunk in read_chunks(path):
        if path.stem.startswith("syntax"):
            found += faults(chunk, check_syntax)
        elif path.stem == "merge":
            found += faults(chunk, check_merge)
        else:
            found += faults(chunk.as_game(), check_all)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("word", ["piece", "tokens", "dice"])
def test_what_is_played_with_is_a_component(word: str) -> None:
    report = Report()
    parse(SourceFile("a.sea", f'game A "A"\n{word} Marker times 3\n'), report)
    (found,) = report
    assert found.hint is not None and "`component Card`" in found.hint


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("return", "`stop` ends it sooner than"),
        ("random 1..3", "chance chooses n in 1..3"),
        ("while x > 1", "repeat until P"),
        ("for y in 1..3", "for each x in S"),
        ("set price(v, c) = 3", "replace price(..) = .."),
        ("var y = 3", "declares what can change"),
        ("chance privately chooses y in 1..3", "chance chooses x in S"),
    ],
)
def test_habits_from_elsewhere_are_understood(line: str, hint: str) -> None:
    report = Report()
    text = f'game A "A"\nstate x: 0..3 = 0\nto play\n  {line}\n  nobody wins\n'
    check_all(SourceFile("a.sea", text), {}, report)
    (error,) = report
    assert error.hint is not None and hint in error.hint and "may not pass" not in error.message
