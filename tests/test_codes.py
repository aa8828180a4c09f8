"""Every code is stable, explained, given by something, and triggered by a case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seaspec.diagnostics.codes import Code

ROOT = Path(__file__).parent.parent
SOURCES = [p for p in (ROOT / "seaspec").rglob("*.py") if p.name != "codes.py"]
CASES = [p for p in (ROOT / "tests").rglob("*") if p.suffix in (".py", ".sea", ".txt", ".json") and p != Path(__file__)]


def _texts(paths: list[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_ids_are_unique_and_in_order() -> None:
    ids = [code.id for code in Code]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"SEA[1-9]\d\d", id) for id in ids)


@pytest.mark.parametrize("code", Code, ids=lambda code: code.id)
def test_explained(code: Code) -> None:
    assert code.title and code.title[0].islower() == (code.title[0].isalpha() and not code.title.startswith("UTF"))
    assert code.explanation.endswith(".") and len(code.explanation) > 20


def test_all_are_given_by_something() -> None:
    text = _texts(SOURCES)
    assert [code.name for code in Code if not re.search(rf"Code\.{code.name}\b", text)] == []


def test_all_are_triggered_by_a_case() -> None:
    """In cases/errors by the id, in tests of files and the command line by the name."""
    text = _texts(CASES)
    assert [code.id for code in Code if code.id not in text and f"Code.{code.name}" not in text] == []
