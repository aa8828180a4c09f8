"""The C engine of bench/ plays the Sea Lords that the referee in Python plays: the same means within statistical error.

The referee in turn is compared with the interpreter, in test_sea_lords_agreement.py; and plays of machine code with the
C engine here. These tests need a C compiler, and fail with a plain message where there is none.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import seaspec
from seaspec.backends.native.machine import Machine
from seaspec.core import flow

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import c_programs

peer = importlib.import_module("sea_lords_peer")
peer_plays = importlib.import_module("sea_lords_plays")

PEER_PLAYS = 120
PLAYS = 20_000
NATIVE_PLAYS, C_PLAYS = 4_000, 100_000
MOST_DEVIATIONS = 4.5
"""With fixed seeds the test either always passes or never; a wrong rule is off by far more."""
RARE = 0.005
"""What hardly ever happens need not have come up in the fewer plays of the peer, so deviations can be too small."""
CONFIGURATIONS = dict(peer_plays.configurations()) | {"drawn": peer.Config(four_of_a_kind=4)}

MENUS = {
    "turn": ("hire", "lay"),
    "lay": ("order",),
    "shoot": ("aim",),
    "repair": ("repair",),
    "lay_mine": ("mine",),
    "sweep_one": ("sweep",),
    "shield_one": ("shield",),
    "mercenary_effect": ("recruit", "trap", "token"),
}
"""Which of the referee's questions are asked where in the rules."""


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


def test_the_plain_engine_plays_the_very_same(program: Path, tmp_path: Path) -> None:
    plain = c_programs.build("sea_lords_peer", tmp_path, "PLAIN")
    for layout in ("printed", "experienced"):
        ours, theirs = run(program, layout, 4, 3, 2_000, 0), run(plain, layout, 4, 3, 2_000, 0)
        assert ours["sums and squares"] == theirs["sums and squares"]


def test_wrong_words_are_refused(program: Path) -> None:
    done = subprocess.run([program, "by lot", "5", "1", "10", "0"], capture_output=True, check=False, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_machine_code_plays_as_the_engine_in_c(program: Path) -> None:
    machine = Machine(seaspec.load("sea_lords", layout="drawn").flow)
    totals = machine.simulate(1, 0, NATIVE_PLAYS)
    assert totals.cut_off == 0
    ours = run(program, "drawn", 5, 1, C_PLAYS, 0)["sums and squares"]
    theirs = Counter[str]()
    for block, asked in totals.asked.items():
        decision = machine.flow.blocks[block].exit
        assert isinstance(decision, flow.Decision)
        theirs[f"asked: {decision.menu}"] += asked
        theirs[f"options: {decision.menu}"] += totals.offered[block]
    groups = {f"{what}: {menu}": [f"{what}: {kind}" for kind in kinds]
              for menu, kinds in MENUS.items() for what in ("asked", "options")}  # fmt: skip
    assert set(theirs) == set(groups), "in the rules something else is asked"
    theirs["plies"] = sum(length * plays for length, plays in totals.lengths.items())
    theirs["Light Blue wins"] = sum(plays for (_, winners, _), plays in totals.endings.items() if winners == (0,))
    theirs["Dark Blue wins"] = sum(plays for (_, winners, _), plays in totals.endings.items() if winners == (1,))
    draws = sum(plays for (_, winners, _), plays in totals.endings.items() if len(winners) == 2)
    theirs["the first player wins"] = sum(plays for (_, nth), plays in totals.won.items() if nth == 1) - draws
    for (_, _, term, score), plays in totals.scores.items():
        if term == 0:  # victory points; the other one is coins
            theirs["score"] += score * plays
            theirs["score, squared"] += score**2 * plays
    for name, total in theirs.items():
        kinds = groups.get(name, [name])
        mean = sum(ours[kind][0] for kind in kinds) / C_PLAYS
        deviation = sum(sqrt(ours[kind][1] / C_PLAYS - (ours[kind][0] / C_PLAYS) ** 2) for kind in kinds)
        error = deviation * sqrt(1 / NATIVE_PLAYS + 1 / C_PLAYS)
        assert abs(mean - total / NATIVE_PLAYS) <= MOST_DEVIATIONS * error, (name, mean, total / NATIVE_PLAYS, error)
