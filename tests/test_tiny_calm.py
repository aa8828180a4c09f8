"""The search in C of a tiny Calm and the interpreter's explorer on bench/tiny_calm.sea find the same positions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import seaspec
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.cli.main import main
from seaspec.core import flow
from seaspec.explore.reference import explore

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import c_programs

BENCH = Path(__file__).parent.parent / "bench"


class TurnStarts(Machine):
    """Notes the positions at which a turn begins, or which are ends; between them lie payments and draws."""

    seen: set[Any]

    def canonical(self, state: State) -> Any:
        key = super().canonical(state)
        node = self.node(state)
        if state.result is not None or (isinstance(node, flow.Decision) and node.menu == "deed"):
            self.seen.add(key)
        return key


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c_programs.build("tiny_calm", tmp_path_factory.mktemp("bench"))


def search(program: Path, cards: int) -> dict:
    return json.loads(subprocess.run([program, str(cards)], capture_output=True, check=True, text=True).stdout)


@pytest.mark.parametrize(("cards", "positions"), [(8, 138_396), (10, 2_469_246)])
def test_all_positions_are_found(program: Path, cards: int, positions: int) -> None:
    assert search(program, cards)["positions"] == positions


@pytest.mark.parametrize("cards", [4, 5, 6])
def test_the_interpreter_finds_the_same(program: Path, cards: int) -> None:
    machine = TurnStarts(seaspec.load(str(BENCH / "tiny_calm.sea"), cards=cards).flow)
    machine.seen = set()
    found = explore(machine, limit=1_000_000)
    by_hand = search(program, cards)
    assert found.complete and not found.failed and found.stuck is None
    assert len(machine.seen) == by_hand["positions"]
    assert sum(found.endings.values()) == by_hand["ends"]


def test_its_examples_and_promises_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(BENCH / "tiny_calm.sea")]) == 0
    assert "3 of 3" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["0"], ["13"], ["8", "0"]])
def test_wrong_words_are_refused(program: Path, words: list[str]) -> None:
    done = subprocess.run([program, *words], capture_output=True, check=False, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
