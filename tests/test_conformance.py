"""`make conformance` itself: it compares what it says, and tells what does not agree and how to repeat it."""

from __future__ import annotations

import shlex

import conformance
import pytest
from conformance import Order, main, run_case
from native_cases import games

from seaspec.backends.native.machine import Machine

ORDER = Order("tic_tac_toe", "tic_tac_toe in whole", plies=60, plays=5, seed=3)


def test_each_case_has_its_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "tic_tac_toe", "hanabi", "--plies", "90", "--plays", "5", "--jobs", "2"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("  ")]
    assert [line.partition(" plies")[0] for line in told] == ["tic_tac_toe: 90", "hanabi: 90", "all agree"]


def test_small_games_have_a_smaller_share() -> None:
    small = {name for name, path in games() if conformance.is_small(path)}
    assert {"islets", "tricks"} <= small and not small & {"hex", "bombat_admiral"}


def test_what_does_not_agree_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run_case(ORDER)
    assert found.fault is None and found.tally.plies == 60 and found.plays == 5 and found.views > 0
    monkeypatch.setattr(Machine, "decider", lambda self, state: 0)
    found = run_case(ORDER)
    assert found.fault is not None and "is asked" in found.fault


def test_plays_that_do_not_end_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    simulate = Machine.simulate
    monkeypatch.setattr(Machine, "simulate", lambda self, *numbers: simulate(self, *numbers, limit=6))
    found = run_case(ORDER)
    assert found.plays == 5 and 0 < found.cut_off <= 5 and f"{found.cut_off} are cut off" in str(found)


def test_the_command_repeats_the_case() -> None:
    _, script, *texts = shlex.split(ORDER.command)
    args = conformance.arguments(texts)
    assert script == "tests/conformance.py" and args.games == [ORDER.game]
    assert Order(args.games[0], args.case, args.plies, args.plays, args.seed) == ORDER


def test_an_unknown_case_is_refused() -> None:
    with pytest.raises(SystemExit, match="no case"):
        main(["--games", "hex", "--case", "hex in chess"])
