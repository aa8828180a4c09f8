"""House rules that tell what is hidden: `seaspec check` says so at once, and shows two plays side by side."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from cli_runner import seaspec
from small_games import game_of

from seaspec.cli.checking.result import Shown
from seaspec.cli.checking.schedule import _Clock
from seaspec.cli.checking.verdict_text import beside_lines
from seaspec.sampling.secrets import look_different, secret_trial

BOAST = """\
variant Boast of Pairs "Boast"
state proud[p: Player]: yes or no = no
{rule}
"""
PAIRS = """\
game Pairs "Pairs"
const players = 2
component Card
  Card(rank: 1..9) one each
place deck pile of Card hidden
place hand[p: Player] set of Card seen by p
place table set of Card open
state last: Player = seat(1)
secret hand
to setup
  move all Card from box to deck
  for each p in Player: draw 2 from deck to hand[p]
action lay(p: Player, c: Card in hand[p]) "{p} lays {c}": move c to table
action take(p: Player) "{p} takes a card": draw 1 from deck to hand[p]
to turn(p: Player)
  p chooses lay or take
to play
  repeat 2 times
    for each p in Player: turn(p)
"""
TOLD = "after turn(p): proud[p] := some c in hand[p]: c.rank = 6"
LEAKS = {
    "a state": TOLD,
    "how many": "after turn(p)\n  if (some c in hand[p]: c.rank = 6): draw up to 1 from deck to hand[p]",
    "who comes last": "after turn(p)\n  for each q in Player in order of (sum c.rank for c in hand[q]): last := q",
    "which goes": "after turn(p)\n  for each c in hand[p]\n    if c.rank = 6: move c under deck",
}
KEPT = {
    "nothing": "after turn(p): proud[p] := size of hand[p] > 2",
    "openly": "after turn(p): proud[p] := openly some c in hand[p]: c.rank = 6",
    "to p": "state own[p: Player]: 0..6 = 0 seen by p\nafter turn(p)\n  for each c in hand[p]: own[p] := c.rank",
}


RARE = PAIRS.replace(
    "component Card\n  Card(rank: 1..9) one each", "component Card\n  Card(rank: 1..60) one each\n  Joker"
)


@pytest.mark.parametrize("seed", range(1, 7))
def test_what_only_a_rare_kind_tells_is_found_soon(seed: int) -> None:
    """One card of 61 is a joker: each kind is tried as often, not each card."""
    rule = "after turn(p): proud[p] := some c in hand[p]: c is Joker"
    game = game_of(f"{RARE}\n{BOAST.format(rule=rule)}")
    assert secret_trial(game.machine, 2, seed).found


def test_a_state_that_differs_is_told_by_its_sentence() -> None:
    """In quotes: it is one, and "is no" comes after it."""
    boast = BOAST.replace("= no", '= no "{{p}} is proud"')
    found = secret_trial(game_of(f"{PAIRS}\n{boast.format(rule=TOLD)}").machine, 20, seed=1).found["hand"]
    assert re.search(r"as at the end '(Ann|Ben) is proud' is (yes|no) in one of them", found.detail)


def test_what_is_the_same_in_both_plays_is_told_in_a_line() -> None:
    """But for the last steps, where they come to look different."""
    steps = [str(number) for number in range(1, 31)]
    other = ["1", "2", "another 3", *steps[3:14], "another 15", "16", "17", *steps[17:]]
    lines = list(beside_lines(Shown(tuple(steps), "", {}), Shown(tuple(other), "", {})))
    rows = [" ".join(line.split()) for line in lines]
    assert rows == [
        "after 2 steps that are the same, one play, and the other one:",
        "3. 3 | another 3",
        "... 11 steps that are the same",
        "15. 15 | another 15",
        "... 12 steps that are the same",
        "28. 28 | 28",
        "29. 29 | 29",
        "30. 30 | 30",
    ]


def test_of_much_that_is_different_the_middle_is_left_out() -> None:
    one, other = ([f"{word} {number}" for number in range(60)] for word in ("here", "there"))
    lines = list(beside_lines(Shown(tuple(one), "", {}), Shown(tuple(other), "", {})))
    assert [line for line in lines if "..." in line] == ["    ... 30 steps"] and len(lines) == 1 + 10 + 1 + 20


@pytest.mark.parametrize("what", LEAKS)
def test_what_is_told_is_found(what: str) -> None:
    game = game_of(f"{PAIRS}\n{BOAST.format(rule=LEAKS[what])}")
    found = secret_trial(game.machine, 20, seed=1).found["hand"]
    assert found.beside is not None and look_different(game.machine, found.answers, found.beside)


@pytest.mark.parametrize("what", KEPT)
def test_what_is_not_told_is_not_found(what: str) -> None:
    found = secret_trial(game_of(f"{PAIRS}\n{BOAST.format(rule=KEPT[what])}").machine, 20, seed=1)
    assert not found.found and found.anyhow is None and found.by_thing["hand"] > 100


@pytest.fixture
def rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.sea").write_text(PAIRS)
    return tmp_path / "boast.sea"


def test_two_plays_side_by_side(rule: Path) -> None:
    rule.write_text(BOAST.format(rule=TOLD))
    ran = seaspec("check", str(rule), "--limit", "0", "--no-cache")
    assert ran.code == 1, ran.out + ran.err
    assert "broken: secret hand" in ran.err, "it is told at once"
    told = ran.out[ran.out.index("broken: secret hand") :]
    assert "these two plays look different to" in told and "the same, one play, and the other one:" in told
    assert f"because of {TOLD}" in told
    one, other = Path(".seaspec/secret_hand.play"), Path(".seaspec/secret_hand_beside.play")
    assert f"replay: seaspec replay {one}" in told and f"replay: seaspec replay {other}" in told
    assert all(seaspec("replay", str(path)).code == 0 for path in (one, other))


def test_two_plays_as_json(rule: Path) -> None:
    rule.write_text(BOAST.format(rule=TOLD))
    ran = seaspec("check", str(rule), "--limit", "0", "--json-lines")
    news, result = (json.loads(line) for line in (ran.lines[0], ran.lines[-1]))
    (promise,) = (p for p in result["subjects"][0]["promises"] if p["kind"] == "secret")
    for told in (news["beside"], promise["beside"]["steps"]):
        assert len(told) == len(news["steps"]) and told != news["steps"]
    assert Path(promise["beside"]["play"]).exists()


def test_secrets_are_looked_for_on_a_busy_machine_too() -> None:
    """Where the time of a check is over before it has begun to work, there is some for that all the same."""
    clock = _Clock(time.monotonic() - 100, 10)
    assert not clock.is_before(1) and clock.is_early()
