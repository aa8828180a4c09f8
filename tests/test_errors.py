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
