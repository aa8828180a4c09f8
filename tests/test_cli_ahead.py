"""Explorations in processes of their own: they say what one in this process says, and end when their time is over."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import seaspec
from seaspec.cli.checking.ahead import Ahead
from seaspec.cli.checking.exploring import SMALL, Exploring
from seaspec.explore.reference import Explored
from seaspec.game import Game

LOTS = """game Lots "Lots"
const players = 1
component Lot(number: 1..8)
  Lot one each
place drawn row of Lot open
invariant never: size of drawn < 3
to setup
  repeat 8 times: draw 1 from box to drawn
to play
  win for seat(1) "all is drawn"
"""
NATIVELY = "seaspec.explore.native.explore_natively"


@pytest.fixture
def lots(tmp_path: Path) -> Game:
    (tmp_path / "lots.sea").write_text(LOTS)
    return seaspec.load(str(tmp_path / "lots.sea"))


def exploring() -> Exploring:
    return Exploring(full=False, memory=100, threads=1)


def explored(game: Game, ends: float | None = None) -> tuple[Explored, Exploring]:
    own = exploring()
    with Ahead(own, ends, at_once=2) as ahead:
        return ahead(game, "the game"), own


def instead(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Where machine code should explore, this is done, in the process that should."""

    def natively(*arguments: object) -> Explored:
        act()
        return Explored()

    monkeypatch.setattr(NATIVELY, natively)


def test_it_finds_what_is_found_in_this_process(lots: Game) -> None:
    ours, (theirs, own) = exploring()(lots, "the game"), explored(lots)
    assert theirs.positions == ours.positions > SMALL
    assert theirs.complete and theirs.endings == ours.endings
    assert theirs.watched.broken == ours.watched.broken != {}
    assert not own.notes and not own.is_stopped


def test_games_in_line_begin_while_one_waits(tmp_path: Path, lots: Game) -> None:
    (tmp_path / "few.sea").write_text(LOTS.replace("1..8", "1..5").replace("8 times", "5 times"))
    few, own = seaspec.load(str(tmp_path / "few.sea")), exploring()
    with Ahead(own, None, at_once=2) as ahead:
        ahead.begin(lots, "the game")
        ahead.line_up([(few, "the world few")])
        assert ahead(lots, "the game").positions > SMALL
        assert ahead(few, "the world few").complete
    assert own.games == -1


def test_who_is_not_ready_in_time_is_ended(lots: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, lambda: time.sleep(600))
    found, own = explored(lots, time.monotonic() + 4)
    assert not found.complete and found.positions > SMALL, "what the interpreter has found counts"
    assert found.watched.broken
    assert own.notes == ["the game: there was no time left to explore it further"]


def test_a_process_that_dies_is_told(lots: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    found, own = explored(lots)
    assert not found.complete and found.positions > SMALL
    assert own.notes == ["the game: the process that explored it has died"]


def test_a_fault_of_the_tool_is_no_finding(lots: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError("of the tool")

    instead(monkeypatch, fail)
    with pytest.raises(ZeroDivisionError, match="of the tool"):
        explored(lots)


def test_ctrl_c_ends_it(lots: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, lambda: time.sleep(600))
    threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    found, own = explored(lots)
    assert own.is_stopped and not found.complete
