"""What no play at random meets is searched for: `reachable`, and what is known to be false; and never called more."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_runner import seaspec
from small_games import game_of

from seaspec.cli.checking.schedule import sought as sought_by_check
from seaspec.cli.checking.seeking import AT_LENGTH, LEAST, OF_USES, SHARE, Seeking
from seaspec.explore.reach import Ended, Reached
from seaspec.explore.seeking import Sought, Use, seek
from seaspec.game import Game
from seaspec.sampling.plays import PlayFindings, replay, watched_plays
from seaspec.verdict.check import Checked, check_game, sought, to_be_sought, uses_sought
from seaspec.verdict.verdicts import Verdict, World

LOCK = """
game Lock "A lock with six dials"
const players = 1
type Dial = 0..5
state dial[i: Dial]: 0..9 = 0
state tries: 0..40 = 0
state seen: 0..9 = 0
action turn(p: Player, i: Dial, n: 0..9) "{p} turns dial {i} to {n}"
  dial[i] := n
to look_at(n: 0..9)
  seen := n
to play
  repeat 40 times
    seat(1) chooses turn
    tries += 1
    if sum_of_dials = 52: look_at(7)
  nobody wins
define sum_of_dials = sum dial[i] for i in Dial
define open = every i in Dial: dial[i] = 9 - i
"""
FOUND = [
    "reachable opened: open",
    "reachable nearly: sum_of_dials = 51",
    "myth invariant closed: not open",
    "myth invariant little: sum_of_dials < 54",
    "myth invariant unseen at look_at: sum_of_dials != 52",
    "myth invariant after_it at end of look_at: sum_of_dials != 52 or seen != 7",
    "myth always slow: sum_of_dials < 52 or sum_of_dials - 4 <= old sum_of_dials",
    "myth always unlooked after look_at(n): sum_of_dials < 52 or old seen = n",
]
NOT_FOUND = [
    "reachable soon: open and tries < 5",
    "reachable too_much: sum_of_dials = 55",
    "myth invariant late: open implies tries >= 5",
    "myth always by_nine: sum_of_dials - old sum_of_dials <= 9",
    "myth always unlooked after look_at(n): n = 7",
]
STEPS = 12_000


def promised(text: str) -> tuple[Game, Sought]:
    game = game_of(LOCK + text + "\n")
    (promise,) = game.rules.promises
    assert isinstance(promise, Sought)
    return game, promise


def soon(found: Reached, memory: int) -> bool:
    return found.steps < STEPS


def show(findings: PlayFindings) -> set[str]:
    return {*findings.watched.broken, *findings.watched.witnessed}


@pytest.mark.parametrize("text", FOUND)
def test_what_is_true_is_found(text: str) -> None:
    game, promise = promised(text)
    assert not show(watched_plays(game.machine, 10, 1))
    found, findings = seek(game.machine, promise, soon, 1)
    assert found.ended is Ended.FOUND and show(findings) == {promise.name}
    (play,) = {**findings.watched.broken, **findings.watched.witnessed}.values()
    assert play.answers == found.way and replay(game.machine, play).result is None


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_can_not_be_is_not_found(text: str) -> None:
    game, promise = promised(text)
    found, findings = seek(game.machine, promise, soon, 1)
    assert found.ended is Ended.LIMIT and not show(findings) and found.positions > 1000


# ------------------------------------------------------------------------------------------------------------ verdicts


def played(game: Game, plays: int = 2) -> Checked:
    return check_game(game, plays, 1, lambda label, total: lambda done: None, lambda options: game)


def searched(game: Game, promise: Sought, searches: int) -> tuple[int, PlayFindings]:
    found, findings = seek(game.machine, promise, soon, 1)
    return found.positions, findings


SAID = [
    ("reachable opened: open", Verdict.WITNESSED, True),
    ("myth reachable opened: open", Verdict.BROKEN, False),
    ("reachable soon: open and tries < 5", Verdict.UNDECIDED, None),
    ("myth reachable soon: open and tries < 5", Verdict.UNDECIDED, None),
    ("myth invariant closed: not open", Verdict.REFUTED, True),
    ("myth invariant late: open implies tries >= 5", Verdict.UNDECIDED, None),
    ("myth always slow: sum_of_dials < 52 or sum_of_dials - 4 <= old sum_of_dials", Verdict.REFUTED, True),
]


@pytest.mark.parametrize(("text", "verdict", "kept"), SAID)
def test_what_is_said(text: str, verdict: Verdict, kept: bool | None) -> None:
    told: list[Checked] = []
    before = played(game_of(LOCK + text + "\n"))
    assert before.promises[0].kept is None
    found = sought(before, (), searched, told.append)
    (said,) = found.promises
    assert (said.verdict, said.kept, said.world) == (verdict, kept, None)
    assert told == ([] if kept is None else [replace(found, promises=told[0].promises)])
    if kept is None:
        assert "a guided search of " in said.detail and before.promises[0].detail in said.detail
    else:
        assert said.found is not None and len(said.found.answers) <= 40


def test_what_is_said_to_break_is_searched_for() -> None:
    text = 'invariant closed: not open\nvariant Known of Lock\nbreaks closed because "locks can be opened"\n'
    (said,) = sought(played(game_of(LOCK + text)), (), searched, lambda checked: None).promises
    assert (said.verdict, said.kept, said.detail) == (Verdict.BROKEN, True, "as said: locks can be opened")


def test_only_what_is_open_and_shown_by_a_play_is_searched_for() -> None:
    text = """
reachable turned: tries = 3
reachable opened: open
myth invariant still: tries < 3
myth invariant closed: not open
myth always slow: sum_of_dials - old sum_of_dials < 10
invariant low: sum_of_dials < 54
never stuck
winnable once: open
"""
    checked = played(game_of(LOCK + text))
    assert [verdict.name for verdict in to_be_sought(checked)] == ["opened", "closed", "slow"]
    asked: list[tuple[str, int]] = []

    def look(game: Game, promise: Sought, searches: int) -> tuple[int, PlayFindings]:
        asked.append((promise.name, searches))
        return searched(game, promise, searches) if promise.name == "opened" else (0, PlayFindings())

    found = sought(checked, (), look, lambda checked: None)
    assert asked == [("opened", 3), ("slow", 1)]  # the play that opens it refutes the myth that it stays closed
    verdicts = {verdict.name: verdict for verdict in found.promises}
    assert verdicts["opened"].verdict is Verdict.WITNESSED and verdicts["closed"].verdict is Verdict.REFUTED
    assert [v for v in found.promises if v.name not in ("opened", "closed")] == [
        v for v in checked.promises if v.name not in ("opened", "closed")
    ]


def test_small_worlds_are_searched_when_the_game_is() -> None:
    promise = "reachable soon: open and tries < 5\nreachable opened: open\n"
    small = LOCK.replace("type Dial = 0..5", "type Dial = 0..3")
    world = World("short", game_of(small + promise))
    asked: list[tuple[str, int]] = []

    def look(game: Game, promise: Sought, searches: int) -> tuple[int, PlayFindings]:
        asked.append((promise.name, searches))
        return searched(game, promise, searches)

    found = sought(played(game_of(LOCK + promise)), [world], look, lambda checked: None)
    assert asked == [("soon", 4), ("opened", 3), ("soon", 2)]
    verdicts = {verdict.name: verdict for verdict in found.promises}
    assert (verdicts["soon"].verdict, verdicts["soon"].world) == (Verdict.WITNESSED, world)
    assert (verdicts["opened"].verdict, verdicts["opened"].world) == (Verdict.WITNESSED, None)


def test_ctrl_c_ends_it_and_what_was_found_stays() -> None:
    def look(game: Game, promise: Sought, searches: int) -> tuple[int, PlayFindings]:
        if promise.name == "soon":
            raise KeyboardInterrupt
        return searched(game, promise, searches)

    text = "reachable opened: open\nreachable soon: open and tries < 5\nreachable nearly: sum_of_dials = 51\n"
    found = sought(played(game_of(LOCK + text)), (), look, lambda checked: None)
    assert [verdict.verdict.value for verdict in found.promises] == ["witnessed", "undecided", "undecided"]
    assert found.plays.interrupted


# ---------------------------------------------------------------------------------------------------------------- time


def test_a_search_has_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()  # a clock that goes on each time that somebody looks
    clock = SimpleNamespace(process_time=lambda: next(ticks) / 100)
    monkeypatch.setattr("seaspec.cli.checking.seeking.time", clock)
    game, promise = promised("reachable soon: open and tries < 5")
    assert Seeking(None, 1, 1, lambda: True).left == AT_LENGTH and Seeking(20, 1, 1, lambda: True).left == 20 * SHARE
    seeking = Seeking(4, 1000, 1, lambda: True)
    positions, findings = seeking(game, promise, 4)
    assert positions > 50 and not show(findings)
    assert 0.7 < seeking.left / (4 * SHARE) < 0.8  # a quarter is gone, the others have their shares still
    late = Seeking(4, 1000, 1, lambda: False)
    late.spent = LEAST
    assert late(game, promise, 1) == (0, PlayFindings())
    few, _ = Seeking(None, 1, 1, lambda: True)(game, promise, 1)  # a megabyte is soon used up
    assert 0 < few < 10_000


def test_check_searches_for_what_it_has_not_met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = LOCK.replace("type Dial = 0..5", "type Dial = 0..8")  # too many to be opened by chance
    Path("lock.sea").write_text(text + "reachable opened: open\nmyth invariant closed: not open\n", encoding="utf-8")
    ran = seaspec("check", "lock.sea", "--plays", "2", "--limit", "40", "--no-cache", "--json")
    (subject,) = json.loads(ran.out)["subjects"]
    told = {promise["name"]: promise["verdict"] for promise in subject["promises"]}
    assert told == {"opened": "witnessed", "closed": "refuted"} and ran.code == 0


def test_check_searches_for_nothing_where_nothing_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def never(*_: object) -> None:
        raise AssertionError("nothing is open")

    assert sought_by_check is sought
    monkeypatch.setattr("seaspec.cli.checking.schedule.sought", never)
    Path("lock.sea").write_text(LOCK + "reachable turned: tries = 3\ninvariant few: tries < 41\n", encoding="utf-8")
    ran = seaspec("check", "lock.sea", "--plays", "2", "--limit", "12", "--no-cache", "--json")
    assert ran.code == 0 and "witnessed" in ran.out


USED = LOCK.replace(
    "to look_at",
    'action enter(p: Player) "{p} goes in"\n  needs opened: open\n  win for p "inside"\n'
    "action leave(p: Player)\n  needs tired: sum_of_dials = 55\n  nothing\nto look_at",
).replace("chooses turn", "chooses turn or enter or leave")


def uses(text: str, limit: float = 20.0) -> tuple[Checked, Checked]:
    """What is never used after a few plays, and after the search."""
    game = game_of(text)
    checked = check_game(game, 3, 1, lambda label, total: lambda done: None, lambda other: None)
    seeking = Seeking(limit / OF_USES / SHARE, 1_000, 1, lambda: True)
    return checked, uses_sought(checked, seeking.use, lambda now: None)


def test_an_action_and_an_ending_that_no_play_has_used_are_searched_for() -> None:
    """A lock of six dials has to be opened to go in; what can never be is told, and how it was looked for."""
    before, after = uses(USED, 2.0)
    assert {(unused.what, unused.name) for unused in before.unused if unused.guard is None} == {
        ("action", "enter"), ("action", "leave"), ("ending", ""),
    }  # fmt: skip
    (left,) = [unused for unused in after.unused if unused.guard is None]
    assert (left.what, left.name) == ("action", "leave")
    assert left.searched.startswith("a guided search of ") and left.searched.endswith(" positions has not found it")


def test_a_guard_that_no_play_has_seen_at_work_is_searched_for() -> None:
    """It forbids something only where the lock is open; another one can never forbid anything."""
    rest = """action rest(p: Player) "{p} rests"
  needs shut: not open "it is open"
  needs counted: tries <= 40 "too often"
  nothing
"""
    text = USED.replace("action enter", f"{rest}action enter")
    before, after = uses(text.replace("turn or enter", "turn or rest or enter"), 6.0)
    assert {"shut of rest", "counted of rest"} <= {unused.name for unused in before.unused}
    left = {unused.name: unused for unused in after.unused}
    assert "shut of rest" not in left
    assert left["counted of rest"].searched.endswith(" positions has not found it")


def test_there_is_time_for_searches_on_a_busy_machine_too() -> None:
    """Where the time of a check is over: a little, and not for each search anew."""
    game = game_of(USED)
    seeking = Seeking(10, 1_000, 1, lambda: False)
    (leave,) = [Use("leave", action.source) for name, action in game.rules.actions.items() if name == "leave"]
    found, _ = seeking.use(game, leave, 1)
    assert found.positions > 0
    seeking.spent = LEAST
    assert seeking.use(game, leave, 1)[0].positions == 0


def test_what_all_positions_do_not_use_is_told_so() -> None:
    small = USED.replace("type Dial = 0..5", "type Dial = 0..1").replace("0..9", "0..1").replace("40", "3")
    small = small.replace("9 - i", "1 - i").replace("look_at(7)", "look_at(1)")
    _, after = uses(small)
    told = {unused.name: unused.searched for unused in after.unused if unused.what == "action"}
    assert told["leave"].startswith("in none of all ") and told["leave"].endswith(" positions")


def test_a_play_that_uses_something_for_the_first_time_is_watched() -> None:
    """What it breaks is broken."""
    text = USED.replace("win for p", "tries := 40\n  win for p") + "invariant few: tries < 40 or not open\n"
    before, after = uses(text, 2.0)
    assert before.kept and not after.kept
    assert after.broken[0].name == "few" and len(after.broken[0].found.answers) >= 6  # type: ignore[union-attr]


def test_how_it_was_looked_for_is_told(tmp_path: Path) -> None:
    (tmp_path / "lock.sea").write_text(USED)
    words = ("check", str(tmp_path / "lock.sea"), "--no-cache", "--limit", "12", "--plays", "3")
    ran = seaspec(*words)
    assert "the action enter" not in ran.out and "this ending is never met" not in ran.out
    assert re.search(r"the action leave is never taken \(a guided search of \d+ positions has not found it\)", ran.out)
    (unused,) = [u for u in json.loads(seaspec(*words, "--json").out)["subjects"][0]["unused"] if u["what"] == "action"]
    assert unused["searched"].startswith("a guided search of ")
