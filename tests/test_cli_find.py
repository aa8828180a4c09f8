"""`seaspec simulate --find`: the first play in which something comes about, by both engines and by bots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_runner import seaspec

ENGINES = "native", "reference"
GROWING = """\
game Growing "Growing"
option players: 1..3 = 2
option start: 0..9 = 0
state total: 0..12 = start
action add(p: Player, n: 0..2) "{p} adds {n}"
  needs small: start < 9 or n > 2 "too much"
  total += n
to play
  roll 1 d6 as die
  repeat 4 times
    for each p in Player
      if die = 6: total := total + total
      p chooses add
  if total = 5: win for seat(1) "five"
  nobody wins
variant Rare of Growing "a rule that nobody needs"
after add(p, n): nothing
"""


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("growing.sea").write_text(GROWING)


def found(condition: str, *words: str, code: int = 0) -> dict[str, Any]:
    ran = seaspec("simulate", "growing.sea", "--find", condition, "--seed", "1", "--json", *words)
    assert ran.code == code, ran
    data: dict[str, Any] = json.loads(ran.out)
    return data


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("condition", ["total = 7", "Ann has won", "some p in Player: p has won", "total / total = 1"])
def test_a_play_is_found_and_saved_up_to_where_it_comes_about(condition: str, engine: str) -> None:
    told = found(condition, "--engine", engine, "--save", "it.play")
    assert told["found"] and told["saved"] == "it.play" and told["engine"] == engine and told["play"] < told["plays"]
    saved = json.loads(Path("it.play").read_text())
    assert len(saved["moves"]) >= len(told["steps"]) > 0
    replayed = seaspec("replay", "it.play", "--json")
    assert replayed.code == 0
    if condition == "Ann has won":
        assert json.loads(replayed.out)["result"]["winners"] == ["Ann"]
    if condition == "total = 7":
        assert seaspec("replay", "it.play").out.count("total: 7") == 1
        assert seaspec("why", "growing.sea", "add(1)", "--play", "it.play").code == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_where_the_rules_fail_the_play_goes_up_to_there(engine: str) -> None:
    told = found("fails", "--engine", engine, "--save", "it.play")
    assert "12" in told["failure"] and "growing.sea:" in told["failure"] and told["failed"] >= 1
    assert "The play goes on: " in seaspec("replay", "it.play").out
    text = seaspec("simulate", "growing.sea", "--find", "fails", "--seed", "1", "--engine", engine).out
    assert "found: fails, in play " in text and "\n  then: " in text and "\n    1. chance: 6" in text


@pytest.mark.parametrize("engine", ENGINES)
def test_where_somebody_is_stuck(engine: str) -> None:
    told = found("stuck", "--set", "start=9", "--engine", engine, "--set", "players=1", "--save", "it.play")
    assert told["failure"].startswith("stuck: ")
    assert len(told["steps"]) == 1 and told["play"] < told["plays"]
    assert seaspec("replay", "it.play").code == 0
    assert found("stuck", "--engine", engine, "--plays", "40", code=2)["found"] is False


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_not_found_is_not_called_impossible(engine: str) -> None:
    ran = seaspec(
        "simulate", "growing.sea", "--find", "total = 12 and total = 11", "--plays", "30", "--seed", "1",
        "--engine", engine, "--save", "it.play",
    )  # fmt: skip
    assert ran.code == 2 and "looked through 30 plays of seed 1" in ran.out and "is not shown" in ran.out
    assert not Path("it.play").exists()
    cut = seaspec(
        "simulate", "growing.sea", "--find", "Ann has won", "--plays", "5", "--limit", "2", "--engine", engine
    )
    assert cut.code == 2 and "5 were not over after 2 steps" in cut.out


def test_both_engines_call_a_play_by_the_number_that_simulate_counts_it_by() -> None:
    """The play of this number is alone cut out of all: it ends as the one that was found."""
    for engine in ENGINES:
        told = found("Ann has won", "--engine", engine)
        earlier = ["simulate", "growing.sea", "--seed", "1", "--engine", engine, "--json", "--plays"]
        before, after = (
            json.loads(seaspec(*earlier, str(plays)).out)["wins"]["Ann"]["plays"] if plays else 0
            for plays in (told["play"], told["play"] + 1)
        )
        assert after == before + 1


def test_bots_play_until_it_comes_about() -> None:
    told = found("total = 4", "--bots", "greedy:total", "--plays", "60")
    assert told["engine"] == "reference" and told["bots"] == {"Ann": "greedy:total", "Ben": "greedy:total"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--find", "totl = 3"], "did you mean 'total'?"),
        (["--find", "total"], "yes or no"),
        (["--find", "  "], "--find is empty"),
        (["--find", "total = "], "<command line>"),
        (["--find", "stuck", "--until", "width=1%"], "--until does not go with it"),
        (["--find", "stuck", "--ray", "auto"], "--ray does not go with it"),
        (["--find", "stuck", "--jobs", "2"], "--jobs does not go with it"),
        (["--save", "it.play"], "--save keeps the play that --find finds"),
        (["--find", "total = 2", "--save", "nowhere/it.play"], "nowhere"),
    ],
)
def test_wrong_questions(words: list[str], said: str) -> None:
    ran = seaspec("simulate", "growing.sea", *words)
    assert ran.code == 1 and said in ran.err and "Traceback" not in ran.err
    assert not list(Path().glob("*.play*"))


def test_what_is_so_from_the_beginning() -> None:
    for engine in ENGINES:
        ran = seaspec("simulate", "growing.sea", "--find", "total = 0", "--seed", "1", "--engine", engine)
        assert ran.code == 0 and "found: total = 0, in play 0, at the very beginning" in ran.out
