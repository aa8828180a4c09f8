"""`seaspec check`: what is told of kept and broken rules, of what is not used, and of small worlds."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from cli_runner import TIC_TAC_TOE, seaspec

from seaspec.cli.checking.provers import Provers
from seaspec.cli.checking.result import PlaysResult
from seaspec.cli.checking.verdict_text import _print_plays
from seaspec.sampling.plays import Trial, play_once

STICKS = """game Sticks "Sticks"

const players = 2
component Stick
  Stick times 9

place heap set of Stick open
place taken[p: Player] set of Stick open

action take(p: Player, n: 1..3) "{p} takes {n}"
  needs enough: n <= size of heap "only {size of heap} are left"
  move n Stick from heap to taken[p]

to setup
  move all Stick from box to heap

to turn(p: Player)
  p chooses take
  if heap is empty: win for p "{p} has taken the last stick"

to play
  repeat
    for each p in Player in order from seat(1): turn(p)
"""


LARGE = (
    STICKS.replace("to setup\n", "to setup\n  repeat lots times: draw 1 from box to drawn\n")
    + """
const lots = 12
component Lot(number: 1..lots)
  Lot one each
place drawn row of Lot open
"""
)
"""The same after lots are drawn, which can come in more ways than can be explored."""
FEW = "world few of Sticks\nset lots = 1\n"


def sticks(folder: Path, more: str) -> str:
    """The game of sticks with more lines, as a file."""
    path = folder / "sticks.sea"
    path.write_text(STICKS + more)
    return str(path)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").symlink_to(Path(__file__).parent)
    monkeypatch.chdir(tmp_path)


def test_a_game_whose_promises_hold_is_kept() -> None:
    ran = seaspec("check", TIC_TAC_TOE)
    assert ran.code == 0
    assert ran.lines[-1].startswith("kept")


def test_a_broken_promise_comes_with_a_play_that_replays(tmp_path: Path) -> None:
    ran = seaspec("check", sticks(tmp_path, 'invariant many "the heap is never low"\n  size of heap > 3\n'))
    assert ran.code == 1
    assert 'broken: invariant many "the heap is never low"' in ran.out
    again = seaspec("replay", ".seaspec/many.play")
    assert again.code == 0
    assert "Ben: take(3)" in again.out


def test_a_failed_example_names_the_values(tmp_path: Path) -> None:
    ran = seaspec("check", sticks(tmp_path, "example wrong\n  when Ann does take(2)\n  then size of taken[Ann] = 3\n"))
    assert ran.code == 1
    assert "refused: enough: only 0 are left" in ran.out
    lines = "example wrong\n  given heap = {5 Stick}\n  when Ann does take(2)\n  then size of taken[Ann] = 3\n"
    ran = seaspec("check", sticks(tmp_path, lines))
    assert "this does not hold: size of taken[Ann] = 3; size of taken[Ann] is 2" in ran.out


def test_what_is_never_used_is_noted(tmp_path: Path) -> None:
    ran = seaspec("check", sticks(tmp_path, "action rest(p: Player)\n  win for p\n"))
    assert ran.code == 0
    assert "note: the action rest is never taken" in ran.out


def test_a_small_game_is_explored(tmp_path: Path) -> None:
    ran = seaspec("check", sticks(tmp_path, "invariant few: size of heap < 10\nnever stuck\n"), "--verbose")
    assert ran.code == 0
    assert "exhaustive: few (in the game, all 50 positions)" in ran.out
    ran = seaspec("check", sticks(tmp_path, "reachable greedy: size of taken[Ann] = 9\n"))
    assert ran.code == 1
    assert "never met in the game, all 50 positions" in ran.out


def test_winnable_shows_the_first_doomed_decision(tmp_path: Path) -> None:
    ran = seaspec("check", sticks(tmp_path, 'winnable fair "both can have three": size of taken[Ann] = 3\n'))
    assert ran.code == 1
    assert "broken: winnable fair" in ran.out
    again = seaspec("replay", ".seaspec/fair.play")
    assert again.code == 0 and "The play goes on" in again.out


def test_strict_does_not_let_the_undecided_pass(tmp_path: Path) -> None:
    Path("large.sea").write_text(LARGE + "reachable greedy: size of taken[Ann] = 9\n")
    assert seaspec("check", "large.sea", "--memory", "1").code == 0
    assert seaspec("check", "large.sea", "--memory", "1", "--strict").code == 2


def test_what_is_explored_in_part_is_bounded(tmp_path: Path) -> None:
    Path("large.sea").write_text(LARGE + "invariant few: size of heap < 10\nends within 9 calls of turn\n")
    ran = seaspec("check", "large.sea", "--memory", "1", "--limit", "0", "--verbose")
    assert ran.code == 0
    assert "bounded: few (in the game, all positions up to " in ran.out
    assert "tested: ends within 9 calls of turn (" in ran.out and " plays, at most 9 calls)" in ran.out


def test_what_was_found_before_plays_were_interrupted_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(ready: Trial, random: Random, go_on: Callable[[], bool], most: int) -> None:
        if ready.findings.plays == 3:
            raise KeyboardInterrupt
        play_once(ready, random, go_on, most)

    monkeypatch.setattr("seaspec.sampling.plays.play_once", interrupted)
    ran = seaspec("check", sticks(tmp_path, "invariant few: size of heap < 10\n"), "--no-cache")
    assert ran.code == 130
    assert "3 at random" in ran.out and "interrupted: more was to be looked at" in ran.lines[-1]
    assert "proved" not in ran.out
    told = json.loads(seaspec("check", "sticks.sea", "--no-cache", "--json").out)
    assert told["subjects"][0]["interrupted"]


def test_what_was_covered_before_an_interruption_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(line: object, positions: int, *more: float) -> None:
        if positions > 5000:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("seaspec.cli.checking.exploring._Line.tell", interrupt)
    Path("large.sea").write_text(LARGE + "invariant few: size of heap < 10\n" + FEW)
    ran = seaspec("check", "large.sea", "--full", "--verbose")
    assert ran.code == 130
    assert "bounded: few (in the game, all positions up to " in ran.out


def test_a_world_shows_what_the_game_is_too_large_for(tmp_path: Path) -> None:
    (tmp_path / "large.sea").write_text(LARGE + "myth winnable fair: size of taken[Ann] = 3\n" + FEW)
    ran = seaspec("check", "large.sea", "--memory", "1", "--limit", "0", "--verbose")
    assert ran.code == 0
    assert "refuted: myth fair (in the world few)" in ran.out


def test_the_examples_of_a_world_are_run_in_it(tmp_path: Path) -> None:
    world = """
world few of Sticks "four sticks"
replace component Stick
  Stick times 4
example last_of_four
  given heap = {4 Stick}
  when Ann does take(3)
  then size of heap = %d
"""
    assert seaspec("check", sticks(tmp_path, world % 1)).code == 0
    ran = seaspec("check", sticks(tmp_path, world % 2))
    assert ran.code == 1
    assert ran.out.count("broken: example last_of_four") == 1


def test_json_has_a_verdict_for_each_promise_and_example(tmp_path: Path) -> None:
    path = sticks(tmp_path, "invariant few: size of heap < 10\nexample nothing: heap = {9 Stick}\n")
    told = json.loads(seaspec("check", path, "--json").out)
    (subject,) = told["subjects"]
    assert subject["kept"] is True
    assert [(p["name"], p["verdict"]) for p in subject["promises"]] == [("few", "exhaustive")]
    assert [(e["name"], e["ok"]) for e in subject["examples"]] == [("nothing", True)]


def test_what_only_a_small_world_shows_breaks_what_plays_of_the_game_keep(tmp_path: Path) -> None:
    """Nothing is explored: machine code plays the worlds, too."""
    rare = "invariant modest: size of Lot != 11 or size of taken[Ann] < 7\n"
    (tmp_path / "large.sea").write_text(LARGE + rare + FEW.replace("1", "11") + FEW.replace("few", "other"))
    ran = seaspec("check", "large.sea", "--memory", "1", "--json", "--no-cache")
    assert ran.code == 1
    (modest,) = json.loads(ran.out)["subjects"][0]["promises"]
    assert (modest["verdict"], modest["world"]) == ("broken", "few") and len(modest["steps"]) >= 5
    (tmp_path / "large.sea").write_text(LARGE + rare + FEW)
    assert seaspec("check", "large.sea", "--memory", "1").code == 0


def test_plays_of_a_world_that_fail_lose_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of the tool")

    monkeypatch.setattr("seaspec.cli.checking.news.News.look_in", fail)
    (tmp_path / "large.sea").write_text(LARGE + "invariant many: size of heap > 3\n" + FEW)
    ran = seaspec("check", "large.sea", "--no-cache")
    assert ran.code == 1 and "broken: invariant many" in ran.out
    assert "plays of the world few by machine code have failed: ZeroDivisionError: of the tool" in ran.err


def test_what_no_play_of_the_game_looks_at_is_tested_in_a_world(tmp_path: Path) -> None:
    text = (
        LARGE
        + "action bow(p: Player): nothing\nto greeting\n  if size of Lot = 11\n    seat(1) chooses bow\n"
        + "before turn(p): greeting\nalways polite after bow(p): size of heap %s old size of heap\n"
        + FEW.replace("1", "11")
    )
    (tmp_path / "large.sea").write_text(text % "=")
    ran = seaspec("check", "large.sea", "--memory", "1", "--limit", "0", "--verbose")
    assert ran.code == 0
    assert re.search(r"tested: polite \([0-9]{4,} plays in the world few\)", ran.out), "by machine code"
    (tmp_path / "large.sea").write_text(text % "<")
    ran = seaspec("check", "large.sea", "--memory", "1")
    assert ran.code == 1
    assert "broken: always polite" in ran.out and "heap: 9 Stick" in ran.out


@pytest.mark.parametrize(
    ("lemma", "verdict"),
    [
        ("lemma odd: 2 * odds(hit(3)) = 1", "exact: odd (worked out)"),
        ("lemma odd: 3 * odds(hit(3)) = 1", "broken: odd (worked out)"),
        ("myth lemma odd: odds(hit(3)) > odds(hit(2))", "refuted: myth odd (worked out)"),
        ("myth lemma odd: odds(hit(3)) < odds(hit(2))", "broken: myth odd (worked out)"),
        ("lemma odd: a < 3 or 2 * odds(hit(3)) = 1", "tested: odd"),
    ],
)
def test_a_lemma_about_odds_alone_is_worked_out(tmp_path: Path, lemma: str, verdict: str) -> None:
    text = (
        "game Dice\nconst players = 1\nstate a: 0..9 = 0\nchance hit(n: 1..6)\n  roll d6 as die\n  gives die > n\n"
        "action throw(p: Player)\n  if hit(3): a := 1\nto play\n  seat(1) chooses throw\n"
    )
    (tmp_path / "dice.sea").write_text(f"{text}{lemma}\n")
    ran = seaspec("check", "dice.sea", "--verbose", "--limit", "0")
    assert verdict in ran.out


def test_a_small_world_is_checked_without_the_others(tmp_path: Path) -> None:
    (tmp_path / "lots.sea").write_text(
        "game Lots\nconst players = 1\nconst lots = 3\nstate a: 0..9 = 0\n"
        "action add(p: Player): a := min(a + 1, lots)\nto play\n  repeat 9 times: seat(1) chooses add\n"
        "invariant few: a <= lots\n"
        "world one of Lots\nset lots = 1\nworld two of Lots\nset lots = 2\n"
    )
    ran = seaspec("check", "lots.sea + one", "--limit", "0", "--verbose")
    assert ran.code == 0 and "exhaustive: few" in ran.out and "two" not in ran.out


@pytest.mark.parametrize(
    ("end", "verdict"),
    [("win for p", "tested"), ("lose for p", "tested"), ("score q: steps[q]", "tested"), ("win for seat(1)", "broken")],
)
def test_a_renaming_of_seats_renames_who_has_won(tmp_path: Path, end: str, verdict: str) -> None:
    text = (
        "game Race\nconst players = 2\nstate steps[p: Player]: 0..9 = 0\nstate mover: Player = seat(1)\n"
        "action go(p: Player, n: 1..3)\n  steps[p] += n\n  mover := next(p)\n"
        f"whenever home: some p in Player: steps[p] > 5\n  {end}\n"
        "to play\n  repeat 9 times: mover chooses go\nsymmetry seats\n  p: Player to next(p)\n"
    )
    (tmp_path / "race.sea").write_text(text)
    ran = seaspec("check", "race.sea", "--verbose", "--limit", "0")
    assert f"{verdict}: seats" in ran.out


def test_a_renaming_that_leads_out_of_a_part_of_the_board(tmp_path: Path) -> None:
    text = (
        "game Isle\nboard Map: drawn\n  s .\n  . .\n  key s = Sand\nstate dug[c: Sand]: yes or no = no\n"
        "action dig(p: Player, c: Sand): dug[c] := yes\nto play\n  repeat 90 times: seat(1) chooses dig\n"
        "symmetry turned\n  c: Map to rotated(c, 2)\n"
    )
    (tmp_path / "isle.sea").write_text(text)
    ran = seaspec("check", "isle.sea")
    assert ran.code == 1
    assert "broken: symmetry turned" in ran.out and "some dug has no image" in ran.out


def test_when_time_is_over_no_play_and_no_world_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large.sea").write_text(LARGE + "myth winnable fair: size of taken[Ann] = 3\n" + FEW)
    ran = seaspec("check", "large.sea", "--memory", "1", "--limit", "0")
    assert "12 at random" in ran.out and "1 refuted" in ran.out
    monkeypatch.setattr("seaspec.cli.checking.schedule._Clock.is_before", lambda clock, part: False)
    ran = seaspec("check", "large.sea", "--memory", "1", "--limit", "0", "--no-cache")
    assert " 1 at random" in ran.out and "1 undecided" in ran.out


def test_proofs_have_the_time_that_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    class Watched(Provers):
        def __init__(self, processes: int, seconds: float | None, *more: object) -> None:
            given.append(seconds)
            super().__init__(processes, seconds, *more)  # type: ignore[arg-type]

    monkeypatch.setattr("seaspec.cli.checking.schedule.Provers", Watched)
    path = sticks(tmp_path, "always falls: size of heap <= old size of heap\nnever stuck\n")
    for words in (["--quick"], ["--limit", "40"], ["--full"], ["--limit", "0"], ["--limit", "1"]):
        seaspec("check", path, "--plays", "0", *words)
    quick, limited, full, second = given  # the second solver is asked with --full
    assert quick is not None and limited is not None and full is None and second is None
    assert 0 < quick < 9 and quick < limited < 38


ODDS = """
chance high(k: 1..6)
  roll d6 as face
  gives face > k
define one = 1
odds high(2) = (one + 3) / 6
invariant half: odds(high(3)) = 1/2
invariant more: odds(high(3)) > 1/3
invariant less: odds(high(3)) < 1/3
invariant parts: odds(high(3)) / odds(high(2)) + 1/4 = 1
"""


def test_beside_odds_nothing_is_rounded(tmp_path: Path) -> None:
    told = json.loads(seaspec("check", sticks(tmp_path, ODDS), "--json", "--limit", "0").out)
    verdicts = {p["name"]: p["verdict"] for p in told["subjects"][0]["promises"]}
    assert verdicts["odds high(2)"] == "exact"
    assert (verdicts["half"], verdicts["more"], verdicts["parts"]) == ("exhaustive", "exhaustive", "exhaustive")
    assert verdicts["less"] == "broken"


MEANS = """
chance hurt(k: 1..3)
  roll k d3 as hits
  let cap = 2 * k
  roll d4 as armour
  again if hits = armour
  gives min(cap, hits) - armour
mean hurt({dice}) = {mean}
myth mean hurt({dice}) = {mean} + 1/1000000
lemma same: mean(hurt({dice})) * 2 = {mean} * 2
"""


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_a_mean_is_exact(tmp_path: Path, dice: int) -> None:
    thrown = [(sum(hits), armour) for *hits, armour in product(*[range(1, 4)] * dice, range(1, 5))]
    given = [min(2 * dice, hits) - armour for hits, armour in thrown if hits != armour]
    text = MEANS.format(dice=dice, mean=f"{sum(given)}/{len(given)}".replace("-", "0 - "))
    told = json.loads(seaspec("check", sticks(tmp_path, text), "--json", "--limit", "0").out)
    promises = [p for p in told["subjects"][0]["promises"] if p["kind"] in ("mean", "lemma")]
    assert [p["verdict"] for p in promises] == ["exact"] * 3, promises
    assert promises[0]["detail"] == str(Fraction(sum(given), len(given)))
    ran = seaspec("check", sticks(tmp_path, text.replace("myth ", "")), "--limit", "0")
    assert f"it is {promises[0]['detail']}" in ran.out and "broken: mean hurt" in ran.out


def test_a_promise_about_odds_is_none_for_machine_code(tmp_path: Path) -> None:
    (tmp_path / "large.sea").write_text(LARGE + ODDS.replace("invariant less: odds(high(3)) < 1/3\n", ""))
    ran = seaspec("check", "large.sea", "--limit", "0", "--verbose")
    assert ran.code == 0
    assert "explored by the interpreter, up to 1000 positions: odds is not compiled" in ran.err
    assert "tested: half (12 plays)" in ran.out


@pytest.mark.parametrize(("longest", "unfinished", "is_told"), [(20_000, 6, True), (20_000, 5, False), (90, 6, False)])
def test_that_nothing_ends_a_game_is_told(
    longest: int, unfinished: int, is_told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not where a play has ended, nor where all were cut off early, for want of time."""
    played: Any = SimpleNamespace(plays=PlaysResult(2, 9, longest, unfinished, 4, 9), failures=())
    _print_plays(played)
    assert ("note: no play ends: `win for p`" in capsys.readouterr().out) is is_told
