"""`seaspec simulate`: the numbers, their independence of jobs, goals, engines, plays that are cut off or fail."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_runner import DICE_RACE, ISLETS, TIC_TAC_TOE, seaspec

from seaspec.cli.output import Fault
from seaspec.cli.simulating.random_plays import workers
from seaspec.loading import load
from seaspec.sampling.batches import REFERENCE, Plan
from seaspec.sampling.reference import ReferencePlays
from seaspec.sampling.statistics import Statistics

ROOT = Path(__file__).parent.parent
ENGINES = "native", "reference"


def simulated(*words: str) -> dict[str, Any]:
    ran = seaspec("simulate", *words, "--json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_the_numbers_fit_together(engine: str) -> None:
    found = simulated(TIC_TAC_TOE, "--plays", "150", "--seed", "1", "--jobs", "1", "--engine", engine)
    assert found["engine"] == engine and found["interrupted"] is False and found["until"] is None
    assert found["plays"] == found["length"]["plays"] == 150
    assert sum(outcome["plays"] for outcome in found["outcomes"]) == 150
    wins = [seat["plays"] for seat in found["wins"].values()]
    assert sum(wins) == next(o["plays"] for o in found["outcomes"] if o["outcome"].startswith("one wins"))
    assert 5 <= found["length"]["least"] <= found["length"]["mean"] <= found["length"]["most"] <= 9
    assert found["decisions"]["turn"]["a_play"] == pytest.approx(found["length"]["mean"])
    assert found["failures"] == [] and found["failed"] == 0
    for outcome in found["outcomes"]:
        low, high = outcome["interval"]
        assert 0 <= low < outcome["share"] < high <= 1


@pytest.mark.parametrize(
    "words",
    [
        ["--engine", "native", "--plays", "9000"],
        ["--engine", "native", "--plays", "50000", "--until", "width=3%"],
        ["--engine", "reference", "--plays", "30"],
        ["--engine", "reference", "--plays", "400", "--until", "width=20%"],
        ["--bots", "Light=mcts:3", "--plays", "3"],
    ],
)
def test_jobs_change_nothing(words: list[str]) -> None:
    runs = [simulated(ISLETS, *words, "--seed", "7", "--jobs", jobs) for jobs in ("1", "2", "5")]
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
    assert ran.lines[1].endswith(" a second, native engine")
    assert "all lose: a player cannot take a turn" in ran.out
    for section in ("outcomes", "wins", "length", "choices"):
        assert f"\n{section}" in ran.out
    assert sum(int(line.split()[-1]) for line in ran.lines if " | " in line) == 10


@pytest.mark.parametrize("engine", ENGINES)
def test_plays_that_do_not_end_are_cut_off_and_counted(engine: str) -> None:
    words = (TIC_TAC_TOE, "--plays", "4", "--limit", "3", "--engine", engine)
    found = simulated(*words)
    assert found["outcomes"][0]["outcome"] == "not over yet when it was cut off, after 3 choices"
    assert found["length"] == {"plays": 0}
    assert seaspec("simulate", *words).code == 0


# ---------------------------------------------------------------------------------------------------- turns and scores

DRAWN = """\
game Drawn "Drawn"
option players: 1..4 = 2
option lot: one of drawn_by_lot, last_seat = drawn_by_lot
state begins: Player = seat(1)
state points[p: Player]: 0..9 = 0
action gain(p: Player, n: 1..2) "{p} takes {n}"
  points[p] += n
to setup
  for each p in Player: p chooses gain
  chance chooses q in Player
    begins := if lot is drawn_by_lot then q else seat(players)
  points[begins] += 4
to play
  for each p in Player in order from begins: p chooses gain
  score p: points[p] tie by 0 - points[p]
"""
"""Whoever begins has more than all others, so has won; in `setup` the first seat is asked first all the same."""


@pytest.mark.parametrize("engine", ENGINES)
def test_who_begins_is_seen_though_all_seats_are_alike(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "drawn.sea"
    path.write_text(DRAWN)
    words = (str(path), "--plays", "200", "--seed", "1", "--jobs", "1", "--engine", engine)
    found = simulated(*words)
    assert found["turns"]["order"] is None and 60 < found["wins"]["Ann"]["plays"] < 140
    first, second = found["turns"]["places"]
    assert (first["place"], first["plays"], first["wins"]) == (1, 200, 200) and first["interval"][0] > 0.9
    assert (second["place"], second["plays"], second["wins"]) == (2, 200, 0)
    assert first["seats"]["Ann"]["wins"] == found["wins"]["Ann"]["plays"]
    best, other = (place["scores"] for place in found["scores"]["places"])
    assert best[0]["least"] >= 6 and best[0]["most"] <= 8 and other[0]["least"] >= 2 and other[0]["most"] <= 4
    assert best[1]["mean"] == -best[0]["mean"] and best[0]["plays"] == 200
    text = seaspec("simulate", *words).out
    assert "\nwins by order of turns\n  1st  100.0% " in text and "\nscores\n" in text and "tie 1" not in text
    assert "1st, Ben" in seaspec("simulate", *words, "--verbose").out


@pytest.mark.parametrize("engine", ENGINES)
def test_an_order_of_turns_that_never_changes_is_said_once(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "drawn.sea"
    path.write_text(DRAWN)
    words = (str(path), "--set", "lot=last_seat", "--plays", "9", "--seed", "1", "--jobs", "1", "--engine", engine)
    assert simulated(*words, "--set", "players=3")["turns"]["order"] == ["Cid", "Ann", "Ben"]
    assert "\n  order of turns: Ben, Ann\n" in seaspec("simulate", *words).out
    alone = seaspec("simulate", *words, "--set", "players=1", "--verbose").out
    assert "order of turns" not in alone and "scores, tie 1" in alone


@pytest.mark.parametrize("engine", ENGINES)
def test_who_is_never_asked_has_no_place_and_who_is_out_no_score(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "out.sea"
    path.write_text(
        'game Leaving "Leaving"\nconst players = 3\naction stay(p: Player, n: 0..9) "{p} stays"\n  nothing\n'
        "to play\n  seat(2) chooses stay\n  seat(2) drops out\n  seat(1) chooses stay\n  score p: 7\n"
    )
    found = simulated(str(path), "--plays", "20", "--seed", "1", "--jobs", "1", "--engine", engine)
    assert [place["place"] for place in found["turns"]["places"]] == [1, 2, None]
    assert [list(place["seats"]) for place in found["turns"]["places"]] == [["Ben"], ["Ann"], ["Cid"]]
    assert found["scores"]["seats"]["Ben"] == [{"plays": 0}] and found["scores"]["seats"]["Cid"][0]["mean"] == 7


# --------------------------------------------------------------------------------------------------------------- goals


def test_it_stops_when_enough_is_known() -> None:
    found = simulated(TIC_TAC_TOE, "--until", "width=2%", "--seed", "3", "--plays", "1000000")
    assert found["until"]["reached"] and found["plays"] < 1_000_000
    widths = [share["interval"][1] - share["interval"][0] for share in (*found["outcomes"], *found["wins"].values())]
    assert max(widths) == pytest.approx(found["until"]["widest"]) and max(widths) <= 0.02
    both = simulated(TIC_TAC_TOE, "--until", "width=2%,length=0.01", "--seed", "3", "--plays", "1000000")
    low, high = both["length"]["interval"]
    assert both["plays"] > found["plays"] and high - low <= 0.02 and low < both["length"]["mean"] < high


def test_a_goal_that_is_not_reached() -> None:
    words = (TIC_TAC_TOE, "--until", "width=0.1%", "--seed", "3", "--plays", "3000")
    found = simulated(*words)
    assert found["plays"] == 3000 and found["until"]["reached"] is False
    assert "until width=0.001: not reached, the widest interval of a share is " in seaspec("simulate", *words).out


@pytest.mark.parametrize(
    "goal",
    [
        "",
        "width",
        "width=",
        "width=0",
        "width=100%",
        "width=2",
        "length=0",
        "length=5%",
        "depth=1",
        "width=1%,width=2%",
    ],
)
def test_goals_that_are_none(goal: str) -> None:
    ran = seaspec("simulate", TIC_TAC_TOE, "--until", goal)
    assert ran.code == 3 and "argument --until: " in ran.err


# ------------------------------------------------------------------------------------------------------------- engines


def test_what_machine_code_can_not_do_is_done_by_the_reference() -> None:
    words = ("simulate", TIC_TAC_TOE, "--plays", "20", "--limit", "2000000", "--seed", "1")
    ran = seaspec(*words)
    assert ran.code == 0 and ", reference engine" in ran.lines[1]
    assert ran.err == "note: by the reference engine, since native plays have at most 1000000 decisions\n"
    ran = seaspec(*words, "--engine", "native")
    assert ran.code == 1 and "error: not by the native engine: " in ran.err and "--engine reference" in ran.err


def test_a_game_of_which_too_much_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "wide.sea"
    path.write_text(
        'game Wide "Wide"\nconst players = 2\ncomponent Coin(number: 1..90)\n  Coin one each\n'
        "place bank bag of Coin open\nto setup\n  move all Coin from box to bank\n"
        "to play\n  seat(1) chooses any of bank as them\n  move them to box\n  nobody wins\n"
    )
    ran = seaspec("simulate", str(path), "--plays", "20", "--seed", "1")
    assert ran.code == 0 and ran.err.startswith("note: by the reference engine, since ")
    assert simulated(str(path), "--plays", "20", "--seed", "1")["branching"]["mean"] == 2**90


def test_without_a_compiler_the_reference_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "seaspec.sampling.native":
            raise ImportError("No module named 'llvmlite'")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    ran = seaspec("simulate", TIC_TAC_TOE, "--plays", "20", "--jobs", "1")
    assert ran.code == 0 and "there is no machine code: No module named 'llvmlite'" in ran.err


def test_bots_that_think_play_by_the_reference_engine() -> None:
    bots = (TIC_TAC_TOE, "--plays", "2", "--seed", "1", "--jobs", "1", "--bots")
    assert simulated(*bots, "Cross=mcts:3")["engine"] == "reference"
    assert simulated(*bots, "random")["engine"] == "native"
    ran = seaspec("simulate", *bots, "mcts:3", "--engine", "native")
    assert ran.code == 1 and "bots that think play by the reference engine" in ran.err


@pytest.mark.parametrize("engine", ENGINES)
def test_plays_that_fail_are_told_and_saved(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("brittle.sea").write_text(
        'game Brittle "Brittle"\nconst players = 2\nstate total: 0..9 = 0\n'
        'action add(p: Player, n: 0..2) "{p} adds {n}"\n  total += n\n'
        "to play\n  repeat 4 times\n    for each p in Player: p chooses add\n  nobody wins\n"
    )
    ran = seaspec("simulate", "brittle.sea", "--plays", "500", "--seed", "1", "--engine", engine, "--jobs", "2")
    assert ran.code == 1
    told = [line for line in ran.err.splitlines() if "the rules fail in play " in line]
    saved = [line.split()[-1] for line in ran.err.splitlines() if "seaspec replay " in line]
    assert len(told) == len(saved) == 5 and all("brittle.sea:5" in line for line in told)
    assert " of 500 plays" in ran.err.splitlines()[-1]
    for path in saved:
        replay = seaspec("replay", path)
        assert replay.code == 0 and "The play goes on: " in replay.lines[-1]
    found = seaspec("simulate", "brittle.sea", "--plays", "500", "--seed", "1", "--engine", engine, "--json")
    numbers = json.loads(found.out)
    assert found.code == 1
    assert numbers["failed"] == 500 - numbers["length"]["plays"] >= len(numbers["failures"]) > 5


# ---------------------------------------------------------------------------------------------------------- interrupts


@pytest.mark.parametrize(
    "words",
    [
        ["--engine", "native", "--jobs", "2"],
        ["--engine", "native", "--jobs", "1"],
        ["--engine", "reference", "--jobs", "2"],
    ],
)
def test_an_interrupt_tells_what_was_found(words: list[str]) -> None:
    command = ["simulate", ISLETS, "--plays", "999999999", "--seed", "1", *words, "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED_AFTER_SOME, *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    found = json.loads(out)
    assert found["interrupted"] and 0 < found["plays"] < 999_999_999
    assert sum(outcome["plays"] for outcome in found["outcomes"]) == found["plays"] == found["length"]["plays"]
    assert err == ""


class Dying(ReferencePlays):
    """Plays in which the process is killed, by lack of memory perhaps."""

    def play(self, numbers: range) -> Statistics:
        os.kill(os.getpid(), signal.SIGKILL)
        return super().play(numbers)


def test_a_process_that_dies_is_told() -> None:
    game, plan = load(TIC_TAC_TOE), Plan(REFERENCE, 1, 1000)
    with workers(game, plan, Dying(game, 1, 1000), 2) as start:
        waiting = [start(range(8)), start(range(8, 16))]
        for wait in waiting:
            with pytest.raises(Fault, match="a process that played has died"):
                wait()


INTERRUPTED_AFTER_SOME = """
import os, signal, sys
from seaspec.cli import main, progress

class Counting(progress.Progress):
    def advance(self, steps=1):
        super().advance(steps)
        if self.done > 300 and not hasattr(self, "sent"):
            self.sent = True
            os.kill(os.getpid(), signal.SIGINT)

import seaspec.cli.simulating.simulate
seaspec.cli.simulating.simulate.Progress = Counting
sys.exit(main.main(sys.argv[1:]))
"""
"""The tool, interrupted when some hundred plays are counted."""
