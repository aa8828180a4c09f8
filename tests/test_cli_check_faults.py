"""What `seaspec check` says where something is wrong aside: in worlds, with other options, in explorations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_runner import Ran, seaspec
from test_cli_check import FEW, LARGE, STICKS

PROMISE = "invariant few: size of heap < 10\n"
NARROW = STICKS.replace("needs enough:", "needs even: size of heap != 1 or size of taken[Ann] != 2\n  needs enough:")
"""Rarely, somebody is stuck: random plays do not find it."""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str, *words: str) -> Ran:
    Path("sticks.sea").write_text(text)
    return seaspec("check", "sticks.sea", "--verbose", *words)


def in_a_large_game(text: str) -> str:
    """The same rules in a game that is too large to explore, with a small world."""
    return LARGE.replace(STICKS.split("to setup")[0], text.split("to setup")[0])


# --------------------------------------------------------------------------------------------------------------- worlds


def test_a_world_that_does_not_load_is_told() -> None:
    ran = check(STICKS + PROMISE + "world odd of Sticks\nset heaped = 1\n")
    assert ran.code == 1
    assert "error SEA202" in ran.err and "heaped" in ran.err
    told = json.loads(check(STICKS + PROMISE + "world odd of Sticks\nset heaped = 1\n", "--json").out)
    assert [d["code"] for d in told["subjects"][0]["diagnostics"]] == ["SEA202"]


def test_a_world_that_does_not_go_with_a_variant_is_told() -> None:
    state = "state mood: 0..3 = 0\n"
    world = "world odd of Sticks\ninvariant glad: mood < 2\n"
    variant = "variant Bare of Sticks\nremove mood\n"
    Path("sticks.sea").write_text(STICKS + state + PROMISE + world + variant)
    ran = seaspec("check", "sticks.sea + bare")
    assert ran.code == 0
    assert "worlds     left out   odd does not go with this stack: " in ran.out
    assert seaspec("check", "sticks.sea").out.count("left out") == 0


def test_an_unknown_clause_is_told_wherever_it_stands() -> None:
    book = "# Sticks\n\n## Clauses\n\n| id | kind | text |\n|---|---|---|\n| take.1 | rule | Take. |\n"
    Path("rulebooks").mkdir()
    Path("rulebooks/sticks.md").write_text(book)
    cites = "set players = 2\n  cites take.7\n"
    text = STICKS + "rulebook sticks\n" + PROMISE
    ran = check(text + "world few of Sticks\n" + cites)
    assert ran.code == 1 and "SEA215" in ran.err and "take.7" in ran.err
    Path("sticks.sea").write_text(text)
    Path("rules.sea").write_text("variant First of Sticks\nset players = 2\nvariant Second of Sticks\n" + cites)
    ran = seaspec("check", "rules.sea")
    assert ran.code == 1 and "SEA215" in ran.err and "take.7" in ran.err


@pytest.fixture
def few_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code does not play: so plays find nothing."""
    monkeypatch.setattr("seaspec.cli.forking.can_fork", lambda: False)


@pytest.mark.usefixtures("few_plays")
def test_a_promise_that_a_world_breaks_is_told_with_the_world() -> None:
    words = ("--memory", "1", "--limit", "0", "--plays", "1")
    undecided = "reachable greedy: size of taken[Ann] = 9\n"
    for promise in ("invariant polite: size of taken[Ann] < 7\n", "ends within 7 calls of turn\n"):
        assert check(LARGE + promise + undecided, *words).code == 0
        ran = check(LARGE + promise + undecided + FEW, *words)
        assert ran.code == 1
        assert promise.split(":")[0].strip() in ran.out.split("\nbroken: ")[1]
        assert "in the world few" in ran.out.split("\nbroken: ")[1]


# -------------------------------------------------------------------------------------------------------- other options

OPTIONAL = STICKS.replace("const players = 2", "option players: 2..4 = 2") + PROMISE
THREE = "example three\n  given players = 3\n  then size of taken[Cid] = 0\n"


def test_an_example_whose_options_make_the_text_faulty_is_told() -> None:
    assert check(OPTIONAL + THREE).code == 0
    faulty = OPTIONAL + "const half = 12 / (3 - players)\n" + THREE
    ran = check(faulty)
    assert ran.code == 1
    assert "broken: example three" in ran.out and "with players 3 the text is faulty: sticks.sea:" in ran.out
    assert check(faulty.replace("example three", "myth example three")).code == 1


def test_an_example_whose_options_do_not_go_together_does_not_apply() -> None:
    few = "option players: 2..4 = 2\noption team: yes or no = yes requires not team or players = 2"
    text = OPTIONAL.replace("option players: 2..4 = 2", few)
    ran = check(text + THREE)
    assert ran.code == 0
    assert "1 do not apply" in ran.out


# ---------------------------------------------------------------------------------------------------- rules that fail


def test_a_player_who_is_stuck_is_a_verdict_with_its_play() -> None:
    ran = check(NARROW + PROMISE + "never stuck\n", "--plays", "1")
    assert ran.code == 1
    assert "broken: never stuck" in ran.out and "exhaustive: few" in ran.out
    assert "Ann must choose (turn), and there is no option" in ran.out
    assert "replay: seaspec replay .seaspec/never_stuck.play" in ran.out
    assert seaspec("replay", ".seaspec/never_stuck.play").code == 0


BARRED = STICKS.replace("needs enough:", "needs empty: size of heap = 0\n  needs enough:")
"""Nobody can do anything."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BARRED + PROMISE, "broken: somebody is stuck: Ann must choose (turn), and there is no option; so it is"),
        (
            BARRED + PROMISE + "never stuck\n",
            "somebody is stuck: Ann must choose (turn), and there is no option; so it",
        ),
        (
            STICKS.replace("  move all", "  let s = the t in Stick where t in heap\n  move all") + PROMISE,
            "broken: the rules fail: exactly",
        ),
    ],
    ids=["stuck", "never stuck", "failing"],
)
def test_what_goes_wrong_before_the_first_choice_is_told_with_all_else(text: str, words: str) -> None:
    text += "reachable greedy: size of taken[Ann] = 3\n"
    ran = check(text, "--no-cache", "--limit", "0")
    assert ran.code == 1 and "seaspec itself" not in ran.err + ran.out
    assert words in ran.out and "nobody can ever do anything" in ran.out
    assert "examples " in ran.out and "few" in ran.out and "greedy" in ran.out, "the rest is told, too"
    assert "replay:" not in ran.out, "there is no play"
    assert "before anything happens" in ran.err and ("the rules fail" in ran.err) is ("the rules fail" in words)
    ran = seaspec("check", "sticks.sea", "--json-lines", "--no-cache", "--limit", "0")
    assert json.loads(ran.lines[0])["steps"] == [], "it is told first, before the examples that end otherwise"
    assert json.loads(ran.lines[-1])["subjects"]


def test_that_exploration_gets_stuck_is_told() -> None:
    ran = check(NARROW + PROMISE, "--plays", "1")
    assert ran.code == 1
    assert "broken: somebody is stuck: Ann must choose (turn)" in ran.out
    assert "after 4 steps:" in ran.out and "1 exhaustive" in ran.out
    assert "replay: seaspec replay .seaspec/failure_1.play" in ran.out
    assert "2. Ben: take(3)" in seaspec("replay", ".seaspec/failure_1.play").out


@pytest.mark.usefixtures("few_plays")
def test_that_a_world_gets_stuck_is_told_with_the_world() -> None:
    words = ("--plays", "1", "--memory", "1", "--limit", "0")
    text = in_a_large_game(NARROW) + "reachable greedy: size of taken[Ann] = 9\n" + FEW
    ran = check(text, *words)
    assert ran.code == 1
    assert "broken: somebody is stuck: Ann must choose (turn), and there is no option, in the world few" in ran.out
    assert re.search(r"s: broken: somebody is stuck: .* at .*, after [0-9]+ steps, in the world few", ran.err)
    assert "see it: seaspec replay .seaspec/failure_1.play" in ran.err
    ran = check(text.replace("world few", "never stuck\nworld few"), *words)
    assert ran.code == 1
    assert "broken: never stuck, in the world few" in ran.out or "in the world few" in ran.out
    assert re.search(r"s: broken: never stuck: somebody is stuck: .*, after [0-9]+ steps, in the world few", ran.err)
    assert "the rules fail" not in ran.out


def test_rules_that_fail_in_exploration_are_told() -> None:
    text = STICKS.replace("needs enough:", "needs odd: 12 / (size of heap - 1) >= 0\n  needs enough:")
    ran = check(text + PROMISE, "--plays", "1")
    assert ran.code == 1
    assert "broken: the rules fail: 12 is divided by 0" in ran.out and "exhaustive: few" in ran.out


# -------------------------------------------------------------------------------------------------------------- vacuous


def test_what_is_never_looked_at_is_vacuous() -> None:
    text = STICKS.replace("to turn(p: Player)", "to rest\n  nothing\nto turn(p: Player)\n  if size of heap = 10: rest")
    ran = check(text + "invariant resting at rest: size of heap = 3\n")
    assert ran.code == 0
    assert "exhaustive: resting (vacuous: no play comes where it is claimed, in the game, all 50 positions)" in ran.out


def test_what_supposes_what_is_never_so_is_vacuous() -> None:
    ran = check(STICKS + "invariant more: size of heap = 10 implies size of heap = 3\n")
    assert ran.code == 0
    assert "exhaustive: more (vacuous: what it supposes is never so, in the game, all 50 positions)" in ran.out
    ran = check(LARGE + "invariant more: size of heap = 10 implies size of heap = 3\n", "--memory", "1")
    assert "more (for all positions; says nothing of the rules: it holds in any position)" in ran.out
    ran = check(STICKS + "invariant less: size of heap = 4 implies size of heap < 5\n")
    assert "exhaustive: less (in the game, all 50 positions)" in ran.out
