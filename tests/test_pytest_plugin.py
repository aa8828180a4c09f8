"""The plugin for pytest: an item for each promise and example of a `.sea` file, and none where nobody asks for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from test_cli_check import LARGE, STICKS

ROOT = Path(__file__).parent.parent
PLUGIN = "seaspec.cli.pytest_plugin"
FEW = "invariant few: size of heap < 10\n"
TEXT = (
    STICKS
    + FEW
    + 'invariant many "the heap is never low"\n  size of heap > 3\n'
    + "example right: heap = {9 Stick}\nexample wrong: heap = {8 Stick}\n"
)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str, settings: str = "") -> tuple[int, str]:
    """Run pytest here: its exit code, and what it prints."""
    Path("pytest.ini").write_text(f"[pytest]\n{settings}")
    plugins = ["-p", "no:seaspec", "-p", PLUGIN, "-p", "no:cacheprovider"]  # once, installed or not
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "--seaspec-limit", "20", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "150"},
    )
    assert "INTERNALERROR" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


def outcomes(told: str) -> dict[str, str]:
    """What came out for each test, by its name."""
    return dict(re.findall(r"^(\S.*?) (PASSED|FAILED|SKIPPED|ERROR)\b", told, re.MULTILINE))


def test_each_promise_and_example_is_a_test() -> None:
    Path("sticks.sea").write_text(TEXT)
    code, told = run("-v", "sticks.sea")
    assert code == 1
    assert outcomes(told) == {
        "sticks.sea::sticks::text": "PASSED",
        "sticks.sea::sticks::rules": "PASSED",
        "sticks.sea::sticks::promise few": "PASSED",
        "sticks.sea::sticks::promise many": "FAILED",
        "sticks.sea::sticks::example right": "PASSED",
        "sticks.sea::sticks::example wrong": "FAILED",
    }
    assert 'invariant many "the heap is never low"   sticks.sea:25' in told
    assert "1. Ann takes 3" in told and "heap: 3 Stick" in told and "Traceback" not in told
    assert "replay: seaspec replay .seaspec/sticks/many.play" in told and Path(".seaspec/sticks/many.play").is_file()
    assert "this does not hold" in told
    assert re.search(r"^seaspec: .*, 20 s for the check of a game, results are kept in ", told, re.MULTILINE)
    code, told = run("-v", "sticks.sea::sticks::promise few")
    assert code == 0 and list(outcomes(told)) == ["sticks.sea::sticks::promise few"]


def test_only_who_asks_gets_files_of_a_folder() -> None:
    Path("games").mkdir()
    Path("games/sticks.sea").write_text(STICKS + FEW)
    Path("games/shared.sea").write_text("module shared\ntype Heap = 1..3\n")
    Path("test_other.py").write_text("def test_other():\n    pass\n")
    code, told = run("-v")
    assert code == 0 and "seaspec:" not in told
    assert list(outcomes(told)) == ["test_other.py::test_other"]
    code, told = run("-v", settings="seaspec = true")
    assert code == 0 and "seaspec:" in told
    assert set(outcomes(told)) == {
        "test_other.py::test_other",
        *(f"games/sticks.sea::sticks::{name}" for name in ("text", "rules", "promise few")),
    }


def test_what_is_undecided_is_skipped_or_fails() -> None:
    Path("large.sea").write_text(LARGE + "reachable greedy: size of taken[Ann] = 40\n")
    code, told = run("-v", "-rs", "large.sea", "--seaspec-limit", "3")
    assert code == 0 and outcomes(told)["large.sea::sticks::promise greedy"] == "SKIPPED"
    assert re.search("undecided: not met in [0-9]+ plays", told)
    code, told = run("-v", "large.sea", "--seaspec-limit", "3", "--seaspec-strict")
    assert code == 1 and outcomes(told)["large.sea::sticks::promise greedy"] == "FAILED"


def test_a_faulty_text_is_a_test_that_fails() -> None:
    Path("wrong.sea").write_text("game ( Wrong\n")
    Path("sticks.sea").write_text(STICKS + "invariant many: size of pile > 3\n")
    Path("world.sea").write_text(STICKS + FEW + "world odd of Sticks\nset heaped = 1\n")
    code, told = run("-v", "wrong.sea", "sticks.sea", "world.sea")
    assert code == 1
    assert outcomes(told) == {
        "wrong.sea::text": "FAILED",
        "sticks.sea::sticks::text": "FAILED",
        "world.sea::sticks::text": "FAILED",
    }
    assert "error SEA" in told and "sticks.sea:24:" in told and "Traceback" not in told


def test_each_variant_of_a_file_is_a_group() -> None:
    Path("sticks.sea").write_text(STICKS + FEW)
    Path("rules.sea").write_text(
        "variant One of Sticks\nset players = 2\nexample one: heap = {9 Stick}\n"
        + "variant Two of Sticks\nset players = 2\n"
    )
    code, told = run("-v", "rules.sea", "--seaspec-quick", "-k", "promise or example")
    assert code == 0
    assert list(outcomes(told)) == [
        "rules.sea::sticks + one::promise few",
        "rules.sea::sticks + one::example one",
        "rules.sea::sticks + two::promise few",
    ]


def test_pytest_finds_the_plugin() -> None:
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert entries == {"seaspec": PLUGIN}


def test_where_there_is_no_game_nothing_is_loaded() -> None:
    program = f"import sys, {PLUGIN}; print(*(m for m in sys.modules if m.startswith('seaspec')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert set(done.stdout.split()) == {"seaspec", "seaspec.cli", PLUGIN}
