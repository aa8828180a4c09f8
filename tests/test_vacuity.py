"""Promises that are proved and say nothing, guards that never forbid anything: both are told, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli_runner import seaspec
from small_games import FRAME, game_of
from test_symbolic import MENU, PLAY, STEPS

from seaspec.cli.checking.provers import Provers
from seaspec.game import Game
from seaspec.prove.audit.vacuity import ANYWHERE, NEVER_SO, WHATEVER
from seaspec.prove.proofs import Outcome, prove_and_doubt
from seaspec.prove.refute import Seen

EMPTY = {
    "invariant in_range: count_up in 0..9": ANYWHERE,
    "invariant one_way: size of slot <= 1 and (every p in Player: mark[p] <= 9)": ANYWHERE,
    "invariant too_far: count_up > 9 implies light is red": ANYWHERE,
    "invariant says_little: light is red implies light is red or count_up = 3": ANYWHERE,
    "always fair after wait(p): mark[p] >= 0": WHATEVER,
    "always named after climb(p, n): n <= 3 and p is not next(p)": WHATEVER,
    "always small_steps: count_up - old count_up <= 9": WHATEVER,
    "invariant lined_up: size of line > 0 implies light is red": f"{NEVER_SO}: size of line > 0",
    "invariant lined_up: every p in Player where size of line > 0: mark[p] = 0":
        f"{NEVER_SO}: some p in Player where (size of line > 0)",
    "invariant lined_up: count_up in 1..3 implies (size of heap > 0 implies mark[seat(1)] = 3)":
        f"{NEVER_SO}: size of heap > 0",
    "invariant parts: size of slot + size of line + size of box < 2 and (size of line > 0 implies count_up = 1)":
        f"{NEVER_SO}: size of line > 0",
    "invariant lined_up: not (line is empty) implies light is red": f"{NEVER_SO}: not (size of line = 0)",
    "always lined_up after wait(p): size of line > 0 implies light is red": f"{NEVER_SO}: size of line > 0",
}  # fmt: skip
HONEST = [
    "invariant kept: size of stock + size of slot + (sum size of hand[p] for p in Player) = size of Piece",
    "invariant somewhere: every x in A: x in stock or x in slot or (some p in Player: x in hand[p])",
    "invariant there: size of slot = 1 implies size of line = 0",
    "invariant theirs: every p in Player where size of hand[p] > 2: size of line = 0",
    "invariant nowhere: size of line = 0",
    "invariant nobody: every p in Player: not p has won",
    "always onward after climb(p, n): count_up = old count_up + n",
    "always no_light after climb(p, n): light is old light",
    "always low after climb(p, n): count_up >= n",
    "always one_light: light is old light or light is next(old light)",
    "always no_more_line: old size of line = 0 implies size of line = 0",
    "lemma least_is_low: (least mark[p] for p in Player) <= mark[seat(1)]",
]


def doubt(game: Game, guards: Sequence[str] = (), *, thorough: bool = False) -> Outcome:
    asked = [(a.name, g) for a in game.rules.actions.values() for g in a.guards if g.name in guards]
    with Provers(1, None, 500) as provers:
        return prove_and_doubt(
            game.flow, game.rules.promises, asked, provers.solve, lambda: provers.go_on, thorough=thorough
        )


def small(promise: str) -> Game:
    return game_of(FRAME.format(players=2) + STEPS + PLAY.format(menu=MENU) + promise + "\n")


@pytest.mark.parametrize("promise", EMPTY)
def test_what_says_nothing_is_told(promise: str) -> None:
    (found,) = doubt(small(promise)).proofs.values()
    assert found.proved and found.empty == EMPTY[promise]


def test_what_says_something_is_not_told_to_say_nothing() -> None:
    found = doubt(small("\n".join(HONEST)), thorough=True).proofs
    assert {name for name, proof in found.items() if proof.empty} == set()
    assert {name for name, proof in found.items() if not proof.proved} == {"one_light"}


def test_what_is_supposed_rarely_is_not_said_to_be_never_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """No random play comes so far; it could be so all the same."""
    monkeypatch.setattr(Seen, "speaks_against", lambda *any_: False)
    promise = "invariant rare: count_up = 9 and mark[seat(1)] = 9 and mark[seat(2)] = 9 implies size of line = 0"
    found = doubt(small(promise), thorough=True).proofs["rare"]
    assert found.proved and found.empty == ""
    barred = small(promise.replace("count_up = 9", "size of heap = 1"))
    assert doubt(barred, thorough=True).proofs["rare"].empty.startswith(NEVER_SO)


TOGETHER = (
    FRAME.format(players=2)
    + """
state shut: 0..1 = 0
action open_up(p: Player) "{p} opens"
  needs few: count_up < 5 and shut = 0 "too late"
  count_up += 1
action shut_down(p: Player) "{p} shuts"
  needs low: count_up <= 3 "too high"
  shut := 1
to play
  repeat 9 times
    for each p in Player in order from seat(1): p chooses open_up or shut_down or wait
action wait(p: Player) "{p} waits": nothing
"""
)


@pytest.mark.parametrize(
    "supposed, never",
    [("count_up > 5 and shut = 1", "count_up > 5"), ("count_up > 3 and shut = 1", "(count_up > 3) and (shut = 1)")],
)
def test_one_part_that_is_never_so_is_enough(supposed: str, never: str) -> None:
    found = doubt(game_of(TOGETHER + f"invariant far: {supposed} implies light is red\n")).proofs["far"]
    assert found.empty == f"{NEVER_SO}: {never}"


def test_what_is_so_together_is_not_told() -> None:
    found = doubt(game_of(TOGETHER + "invariant far: count_up > 2 and shut = 1 implies light is red\n"), thorough=True)
    assert found.proofs["far"].proved and not found.proofs["far"].empty


GUARDS = """game Guards
const players = 2
place heap set of Piece open
component Piece
  A times 3 kept in heap
place hand[p: Player] set of Piece seen by p
state left: 0..1000 = 0
action step(p: Player)
  needs under: left <= 900
  needs low: left < 900
  needs still_low: left < 950
  left := left + 1
action grab(p: Player, x: Piece in heap)
  needs there: x in heap
  needs own: x not in hand[p]
  needs early: left < 901
  needs odd: left < 40
  move x to hand[p]
action rest(p: Player)
  needs some_there: heap is filled
  needs second: (first x in heap) is A
  left := 0
to play
  repeat
    for each p in Player in order from seat(1)
      p chooses step
      otherwise: nobody wins
      if heap is filled: p chooses grab or rest
invariant left_low: left <= 900
"""
ALL = ("under", "low", "still_low", "there", "own", "early", "odd", "some_there", "second")


def test_guards_that_never_forbid_anything_are_told() -> None:
    found = {guard.name for guard in doubt(game_of(GUARDS), ALL).idle}
    assert found >= {"under", "still_low", "there", "early"} and not found & {"low", "odd"}
    assert doubt(game_of(GUARDS), ("low", "odd")).idle == ()


def test_a_guard_that_those_after_it_need_forbids_something() -> None:
    """That there is a first one is no sign that something is there: without the guard the rules would fail."""
    anywhere = GUARDS.replace("if heap is filled: p chooses grab or rest", "p chooses grab or rest or step")
    assert anywhere != GUARDS
    assert "some_there" not in {guard.name for guard in doubt(game_of(anywhere), ALL).idle}
    assert "some_there" in {guard.name for guard in doubt(game_of(GUARDS), ALL).idle}


def test_what_is_known_of_a_guard_needs_its_promise() -> None:
    """That it is not above is known by the promise alone; without it a guard may bite."""
    without = GUARDS.replace("invariant left_low: left <= 900\n", "")
    idle = {guard.name for guard in doubt(game_of(without), ALL).idle}
    assert "still_low" in idle and "under" not in idle


def test_an_exception_belongs_to_its_guard() -> None:
    text = GUARDS.replace("  needs odd: left < 40\n", "  needs odd: left < 40\n    unless left >= {least}\n")
    assert [guard.name for guard in doubt(game_of(text.format(least=40)), ["odd"]).idle] == ["odd"]
    assert doubt(game_of(text.format(least=41)), ["odd"]).idle == ()


def test_a_check_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "cache"))
    promises = "invariant nothing: left >= 0\nalways up after step(p): left = old left + 1\n"
    large = GUARDS.replace("1000", "1000000000").replace("90", "90000000").replace("95", "95000000")
    Path("guards.sea").write_text(large + promises)
    how = ("check", "guards.sea", "--plays", "1")
    for cached in (False, True):
        (subject,) = json.loads(seaspec(*how, "--json").out)["subjects"]
        assert subject["cached"] is cached
        empty = {promise["name"]: promise["says_nothing"] for promise in subject["promises"]}
        assert empty == {"left_low": "", "nothing": ANYWHERE, "up": ""}
        proved = {each["name"]: each["proved"] for each in subject["unused"] if each["what"] == "guard"}
        assert proved["still_low of step"] is True and proved["low of step"] is False
    told = seaspec(*how).out
    assert f"note: invariant nothing is proved, but {ANYWHERE}" in told
    assert "note: the guard still_low of step never forbids anything (proved)" in told
    assert "note: the guard low of step never forbids anything (a guided search of " in told
    assert "invariant left_low" not in told
    assert seaspec(*how, "--sarif", "found.sarif").code == 0
    results = json.loads(Path("found.sarif").read_text())["runs"][0]["results"]
    (note,) = [each for each in results if each["ruleId"] == "empty-promise"]
    assert note["level"] == "note" and ANYWHERE in note["message"]["text"]
