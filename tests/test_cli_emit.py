"""`seaspec emit`: each stage as text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import ISLETS, TIC_TAC_TOE, seaspec

from seaspec.cli.outline import data_of, lines_of
from seaspec.core.types import Int, Map


@pytest.mark.parametrize("stage", ["tree", "merged", "core", "flow"])
@pytest.mark.parametrize("game", [TIC_TAC_TOE, ISLETS, "calm + reefs", "rules/calm.sea"])
def test_every_stage_can_be_printed(stage: str, game: str) -> None:
    ran = seaspec("emit", game, "--stage", stage)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.lines) > 20


@pytest.mark.parametrize("stage", ["tree", "merged", "core", "flow"])
def test_json(stage: str) -> None:
    ran = seaspec("emit", TIC_TAC_TOE, "--stage", stage, "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    top = found[0] if stage == "tree" else found
    assert top.get("node") in ("Chapter", "Game", None)


def test_the_merged_game_is_a_game(tmp_path: Path) -> None:
    merged = seaspec("emit", "calm + reefs", "--stage", "merged")
    path = tmp_path / "merged.sea"
    path.write_text(merged.out.replace("rulebook calm\n", ""))
    again = seaspec("emit", str(path), "--stage", "core")
    assert again.code == 0, again.err


def test_options_are_fixed_in_the_core() -> None:
    assert "players: 2..5 = 3" in seaspec("emit", "calm", "--stage", "core", "--set", "players=3").out


def test_outlines() -> None:
    assert list(lines_of(Map(Int(1, 2), Int(0, 9)))) == [
        "Map",
        "  keys: Int low=1 high=2",
        "  values: Int low=0 high=9",
    ]
    assert data_of((Int(1, 2), None, True)) == [{"node": "Int", "low": 1, "high": 2}, None, True]
