"""`seaspec simulate`: the numbers, their independence of seed and jobs, plays that are cut off or fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_runner import DICE_RACE, ISLETS, TIC_TAC_TOE, seaspec

from seaspec.cli.random_plays import random_play
from seaspec.loading import load


def simulated(*words: str) -> dict[str, Any]:
    ran = seaspec("simulate", *words, "--json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_the_numbers_fit_together() -> None:
    found = simulated(TIC_TAC_TOE, "--plays", "150", "--seed", "1", "--jobs", "1")
    assert found["plays"] == found["length"]["plays"] == 150
    assert sum(outcome["plays"] for outcome in found["outcomes"]) == 150
    wins = [seat["plays"] for seat in found["wins"].values()]
    assert sum(wins) == next(o["plays"] for o in found["outcomes"] if o["outcome"].startswith("one wins"))
    assert 5 <= found["length"]["least"] <= found["length"]["mean"] <= found["length"]["most"] <= 9
    assert found["decisions"]["turn"]["a_play"] == pytest.approx(found["length"]["mean"])
    assert found["failures"] == []
    for outcome in found["outcomes"]:
        low, high = outcome["interval"]
        assert 0 <= low < outcome["share"] < high <= 1


def test_jobs_change_nothing() -> None:
    runs = [simulated(ISLETS, "--plays", "30", "--seed", "7", "--jobs", jobs) for jobs in ("1", "2", "5")]
    for run in runs:
        del run["seconds"], run["plays_per_second"]
    assert runs[0] == runs[1] == runs[2]


def test_a_seed_changes_much() -> None:
    lengths = {simulated(DICE_RACE, "--plays", "20", "--seed", seed)["length"]["mean"] for seed in "1234"}
    assert len(lengths) > 1


def test_without_a_seed_one_is_drawn_and_told() -> None:
    found = simulated(TIC_TAC_TOE, "--plays", "5")
    again = simulated(TIC_TAC_TOE, "--plays", "5", "--seed", str(found["seed"]))
    assert found["length"] == again["length"]


def test_as_text() -> None:
    ran = seaspec("simulate", "calm", "--plays", "10", "--seed", "1", "--set", "players=3", "--jobs", "1")
    assert ran.code == 0 and ran.err == ""
    assert ran.lines[0] == "Calm   Calm, players=3, first_player=Ann"
    assert ran.lines[1].startswith("10 random plays of seed 1 in ")
    assert "all lose: {p} cannot take a turn" in ran.out
    for section in ("outcomes", "wins", "length", "choices"):
        assert f"\n{section}" in ran.out
    assert sum(int(line.split()[-1]) for line in ran.lines if " | " in line) == 10


def test_plays_that_do_not_end_are_cut_off_and_counted() -> None:
    found = simulated(TIC_TAC_TOE, "--plays", "4", "--limit", "3")
    assert found["outcomes"][0]["outcome"] == "not over yet when it was cut off, after 3 choices"
    assert found["length"] == {"plays": 0}
    assert seaspec("simulate", TIC_TAC_TOE, "--plays", "4", "--limit", "3").code == 0


def test_the_same_play_whoever_plays_it() -> None:
    game = load(ISLETS)
    assert random_play(game, 3, 5, 1000) == random_play(load(ISLETS), 3, 5, 1000)
