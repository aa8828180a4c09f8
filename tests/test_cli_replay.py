"""`seaspec replay`: a saved play as it was, by the rules as they are now or as they were stored."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from random import Random

import pytest
from cli_runner import ISLETS, TIC_TAC_TOE, seaspec

from seaspec.loading import load
from seaspec.play import random_play


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A whole play of tic-tac-toe, by a copy of its rules."""
    shutil.copy(TIC_TAC_TOE, tmp_path / "rules.sea")
    play = load(str(tmp_path / "rules.sea")).start(seed=1)
    for cell in ("B2", "A1", "C3", "A3", "A2", "C2", "C1", "B1", "B3"):
        if not play.is_over:
            play.do(f"draw_sign({cell})")
    play.save(tmp_path / "a.play")
    return tmp_path / "a.play"


def test_all_moves_the_board_and_the_end(saved: Path) -> None:
    ran = seaspec("replay", str(saved))
    assert ran.code == 0 and ran.err == ""
    assert ran.lines[0] == "Tic-tac-toe   TicTacToe"
    assert "   1. Cross: draw_sign(B2)" in ran.lines
    assert "2  C C N" in ran.lines
    assert ran.lines[-1] == "Nobody wins: all cells are marked"


def test_a_part_of_it(saved: Path) -> None:
    ran = seaspec("replay", str(saved), "--at", "2")
    assert "2  . C ." in ran.lines and "1  N . ." in ran.lines
    assert "wins" not in ran.out
    assert "so --at can not be 10" in seaspec("replay", str(saved), "--at", "10").err


def test_step_by_step(saved: Path) -> None:
    ran = seaspec("replay", str(saved), "--step", typed="\n" * 20)
    assert ran.out.count("   A B C\n") == 9
    impatient = seaspec("replay", str(saved), "--step", typed="\n")
    assert impatient.out.count("   A B C\n") == 2
    assert impatient.out.count("draw_sign(") == 9


def test_as_json(saved: Path) -> None:
    found = json.loads(seaspec("replay", str(saved), "--json").out)
    assert [move["does"] for move in found["moves"]][:2] == ["draw_sign(B2)", "draw_sign(A1)"]
    assert found["result"]["winners"] == []
    assert found["table"]["states"]["mark[B2]"] == "Cross"


def test_as_svg(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    assert seaspec("replay", str(saved), "--svg", str(path)).code == 0
    assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_as_svg_on_stdout(saved: Path) -> None:
    ran = seaspec("replay", str(saved), "--at", "2", "--svg", "-")
    assert ran.code == 0 and "Cross is asked" in ran.out
    assert ElementTree.fromstring(ran.out).tag.endswith("svg")
    assert not Path("-").exists()
    assert "nothing else goes there" in seaspec("replay", str(saved), "--svg", "-", "--step").err


def test_a_screen_without_arrows(tmp_path: Path) -> None:
    play = load(ISLETS).start(seed=1)
    play.do("land(Sloop Light 2, A1)")
    play.save(tmp_path / "a.play")
    words = [sys.executable, "-m", "seaspec", "replay", str(tmp_path / "a.play")]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    out = subprocess.run(words, env=environment, capture_output=True, check=True).stdout.decode("ascii")
    assert "1  2xLn    R    S    S" in out.splitlines()
    environment = {**environment, "PYTHONIOENCODING": "utf-8", "COLUMNS": "40"}
    out = subprocess.run(words, env=environment, capture_output=True, check=True).stdout.decode()
    assert "1  2×L↑    R    S    S" in out.splitlines()


def test_what_a_player_saw(tmp_path: Path) -> None:
    path = tmp_path / "islets.play"
    random_play(load(ISLETS), Random(2)).save(path)
    everything = seaspec("replay", str(path))
    assert "the chest of Light: " in everything.out and "the chest of Dark: " in everything.out
    seen = seaspec("replay", str(path), "--as", "light")
    assert "Dark chooses" in seen.out
    assert not any(line.startswith("the chest of Dark: ") and "unseen" not in line for line in seen.lines)
    data = json.loads(seaspec("replay", str(path), "--as", "light", "--json").out)
    assert "moves" not in data and "Dark chooses" in data["log"]
    assert isinstance(data["table"]["places"]["chest[Light]"], list)
    assert isinstance(data["table"]["places"]["chest[Dark]"], int)


VAULT = """game Vault "Vault"
const players = 2
component Gem
  Gem times 3
state has_key[p: Player]: yes or no = no
place vault set of Gem seen by {p in Player where has_key[p]}
action unlock(p: Player) "{p} unlocks it"
  has_key[p] := yes
to setup
  move all Gem from box to vault
to play
  seat(1) chooses unlock
  seat(1) chooses unlock
  nobody wins
"""


def test_what_nobody_sees_now_is_told_by_its_size(tmp_path: Path) -> None:
    (tmp_path / "vault.sea").write_text(VAULT)
    play = load(str(tmp_path / "vault.sea")).start(seed=1)
    play.do("unlock")
    play.save(tmp_path / "a.play")

    def seen(*words: str) -> object:
        told = json.loads(seaspec("replay", str(tmp_path / "a.play"), "--json", *words).out)
        return told["table"]["places"]["vault"]

    assert seen("--at", "0") == 3
    assert seen() == ["Gem", "Gem", "Gem"]


def test_rules_that_have_changed_are_shown(saved: Path) -> None:
    rules = saved.parent / "rules.sea"
    rules.write_text(rules.read_text().replace("is taken", "is full"))
    ran = seaspec("replay", str(saved))
    assert ran.code == 1
    assert "the rules have changed since" in ran.err
    assert '-  needs free: mark[c] is none "{c} is taken"' in ran.err
    assert '+  needs free: mark[c] is none "{c} is full"' in ran.err
    stored = seaspec("replay", str(saved), "--stored")
    assert stored.code == 0 and stored.lines[-1] == "Nobody wins: all cells are marked"


def test_a_play_that_was_moved_with_or_without_its_rules(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = saved.parent / "there"
    shutil.copytree(saved.parent, there)
    (saved.parent / "rules.sea").unlink()
    monkeypatch.chdir(there)
    assert seaspec("replay", "a.play").code == 0
    assert seaspec("why", "rules.sea", "draw_sign(A1)", "--play", "a.play").err.startswith("error: the game is over")
    (there / "rules.sea").rename(there / "other.sea")
    assert seaspec("play", "other.sea", "--load", "a.play").code == 0
    (there / "other.sea").write_text((there / "other.sea").read_text().replace("is taken", "is full"))
    changed = seaspec("play", "other.sea", "--load", "a.play").err
    assert len(changed.splitlines()) == 5 and '+  needs free: mark[c] is none "{c} is full"' in changed


def test_rules_that_are_gone_or_faulty(saved: Path) -> None:
    rules = saved.parent / "rules.sea"
    rules.write_text(rules.read_text() + "\nto to to\n")
    ran = seaspec("replay", str(saved))
    assert ran.code == 1 and "have changed, and are faulty now" in ran.err and "--stored" in ran.err
    rules.unlink()
    ran = seaspec("replay", str(saved))
    assert ran.code == 1 and "is not there any more" in ran.err and "--stored" in ran.err
    assert seaspec("replay", str(saved), "--stored").code == 0


def test_a_stack_with_options(tmp_path: Path) -> None:
    path = tmp_path / "calm.play"
    random_play(load("rules/calm.sea", players=3), Random(1)).save(path)
    ran = seaspec("replay", str(path))
    assert ran.code == 0, ran.err
    assert ran.lines[0] == "Calm   Calm + Doldrums, players=3, first_player=Ann"
    assert "[end.2]" in ran.out
    assert seaspec("replay", str(path), "--stored").out == ran.out
