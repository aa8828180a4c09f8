"""Games in the page: its engine, in node or a browser, plays, tells, sees, explains, draws as the interpreter does."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_agreement import compare

from seaspec.loading import load

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "games"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.sea")), ids=lambda path: path.stem)
def test_small_games(path: Path, tmp_path: Path) -> None:
    assert compare(load(str(path)), 2, 3, tmp_path, most_moves=60, every=5) >= 4


@pytest.mark.parametrize(("name", "every"), [("calm", 40), ("admiral", 60), ("pirate_bay", 60), ("sea_lords", 50)])
def test_games(name: str, every: int, tmp_path: Path) -> None:
    assert compare(load(name), 1, 5, tmp_path, most_moves=180, every=every) >= 3
