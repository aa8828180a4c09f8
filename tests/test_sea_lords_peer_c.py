"""The C engine of bench/ plays the Sea Lords that the referee in Python plays: the same means within statistical error.

The referee in turn is compared with the interpreter, in test_sea_lords_agreement.py. These tests need a C compiler, and
fail with a plain message where there is none.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import c_programs

peer = importlib.import_module("sea_lords_peer")
peer_plays = importlib.import_module("sea_lords_plays")

PEER_PLAYS = 120
PLAYS = 20_000
MOST_DEVIATIONS = 4.5
"""With fixed seeds the test either always passes or never; a wrong rule is off by far more."""
RARE = 0.005
"""What hardly ever happens need not have come up in the fewer plays of the peer, so deviations can be too small."""
CONFIGURATIONS = dict(peer_plays.configurations()) | {"drawn": peer.Config(four_of_a_kind=4)}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c_programs.build("sea_lords_peer", tmp_path_factory.mktemp("bench"))


def run(program: Path, *words: object) -> dict[str, Any]:
    done = subprocess.run([program, *map(str, words)], capture_output=True, check=True, text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize("layout", CONFIGURATIONS)
def test_the_c_engine_agrees_with_the_referee(program: Path, layout: str) -> None:
    config = CONFIGURATIONS[layout]
    found = run(program, layout, config.four_of_a_kind, 1, PLAYS, 0)
    ours, theirs = found["sums and squares"], peer_plays.simulate(PEER_PLAYS, 1, config)
    assert found["plays"] == PLAYS and found["plies"] == ours["plies"][0]
    assert set(ours) == set(theirs)
    for name, (total, squares) in ours.items():
        mean = total / PLAYS
        peer_mean, _ = peer_plays.mean_and_deviation(theirs[name])
        error = sqrt((squares / PLAYS - mean**2) * (1 / PEER_PLAYS + 1 / PLAYS))
        assert abs(mean - peer_mean) <= MOST_DEVIATIONS * error + RARE, (name, mean, peer_mean, error)


def test_a_seed_is_a_run_and_other_seeds_are_others(program: Path) -> None:
    def counted(seed: int) -> dict[str, Any]:
        return {name: value for name, value in run(program, "drawn", 5, seed, 100, 0).items() if name != "seconds"}

    assert counted(7) == counted(7) != counted(8)


def test_wrong_words_are_refused(program: Path) -> None:
    done = subprocess.run([program, "by lot", "5", "1", "10", "0"], capture_output=True, check=False, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
