"""`seaspec perft`: counts by depth, and what it says of games with too many positions."""

from __future__ import annotations

import json

from cli_runner import TIC_TAC_TOE, seaspec


def test_counts() -> None:
    ran = seaspec("perft", TIC_TAC_TOE, "--depth", "4")
    assert ran.code == 0
    assert [line.split() for line in ran.lines] == [
        ["depth", "ways"],
        ["0", "1"],
        ["1", "9"],
        ["2", "72"],
        ["3", "504"],
        ["4", "3,024"],
    ]
    assert json.loads(seaspec("perft", TIC_TAC_TOE, "--depth", "2", "--json").out) == {"perft": [1, 9, 72]}


def test_what_is_known_is_told_before_there_are_too_many_positions() -> None:
    ran = seaspec("perft", TIC_TAC_TOE, "--depth", "9", "--limit", "100")
    assert ran.code == 1
    assert ran.lines[-1].split() == ["2", "72"]
    assert "for depth 3, more than 100 positions would have to be kept" in ran.err


def test_a_game_that_is_dealt_by_chance() -> None:
    ran = seaspec("perft", "calm", "--limit", "200", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["error"] == "for depth 1, more than 200 positions would have to be kept"
