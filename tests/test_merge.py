"""Merging: cases/merge has what comes out, as text; cases/errors/merge.sea what is refused.

A chunk of cases/merge is text, `===`, and the merged game; `pytest --update-golden` writes the second part anew.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from seaspec.check.merging.merge import format_merged, merge
from seaspec.check.merging.merged import MergedGame
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report, Stop
from seaspec.library import allowed_stacks, load_subjects, single_variants
from seaspec.shelf import packaged_spec
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.parse import parse

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases" / "merge").glob("*.sea"))
GAMES = [
    str(path)
    for folder in (HERE / "cases" / "excerpts", packaged_spec())
    for path in sorted(folder.glob("*.sea"))
    if "\ngame " in "\n" + path.read_text(encoding="utf-8")
]


def merge_text(text: str) -> MergedGame:
    """Merge what must be right."""
    report = Report()
    merged = merge(parse(SourceFile("case.sea", text), report).chapters, report)
    complain(report)
    return merged


def complain(report: Report) -> None:
    assert not list(report), [f"{d.span} {d.code.id} {d.message}" for d in report]


def assert_same(one: MergedGame, other: MergedGame) -> None:
    """The same game: the order of what is found by name does not matter."""
    for field in fields(MergedGame):
        if field.name not in ("game", "chapters", "removed"):
            first, second = getattr(one, field.name), getattr(other, field.name)
            if isinstance(first, tuple):
                first = tuple(p for p in first if not isinstance(p, tree.Example))
                second = tuple(p for p in second if not isinstance(p, tree.Example))
            assert first == second, field.name


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases(path: Path, request: pytest.FixtureRequest) -> None:
    chunks = path.read_text(encoding="utf-8").split("---\n")
    written = []
    for chunk in chunks:
        given, _, _ = chunk.partition("===\n")
        merged = merge_text(given)
        text = format_merged(merged)
        assert_same(merged, merge_text(text))
        written.append(f"{given}===\n{text}")
    new = "---\n".join(written)
    if request.config.getoption("--update-golden", default=False):
        path.write_text(new, encoding="utf-8")
    assert new == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES, ids=lambda path: Path(path).parent.name + "/" + Path(path).stem)
def test_whole_games(game: str) -> None:
    """Every variant, every stack that the rule book allows: merged, printed, and merged again; and in every world."""
    report = Report()
    for subject in load_subjects(game, report):
        for stack in (subject, *single_variants(subject, report), *allowed_stacks(subject, report)):
            merged = merge(stack.chapters, report)
            assert_same(merged, merge_text(format_merged(merged)))
            for world in stack.worlds:
                merge(stack.in_world(world), report)
            complain(report)


def test_without_a_game() -> None:
    report = Report()
    with pytest.raises(Stop):
        merge([], report)
    assert report.failed


def test_every_fault_has_a_case() -> None:
    cases = (HERE / "cases" / "errors" / "merge.sea").read_text(encoding="utf-8")
    elsewhere = {Code.UNKNOWN_CLAUSE}  # test_cover.py
    for code in set(Code) - elsewhere:
        assert not code.id.startswith("SEA2") or f"### {code.id} " in cases, code
