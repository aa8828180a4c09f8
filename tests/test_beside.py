"""Attempts at proofs in processes of their own: they find what is found in turn; none that dies or is late counts."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runner import press_ctrl_c_once
from small_games import FRAME, game_of
from test_symbolic import FALSE, TRUE, small

from seaspec.cli.checking.beside import Beside
from seaspec.cli.checking.provers import Provers
from seaspec.core import flow, ir
from seaspec.prove import portfolio, proofs
from seaspec.prove.entail import Solver
from seaspec.prove.portfolio import Attempt, GoOn, Job, Tell, Tried
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import prove_and_doubt

ONE = Attempt((), frozenset({"one"}), apart=True)
LOST = Tried(ONE, {})
ANOTHER = Tried(Attempt((), frozenset({"another"}), apart=True), {})


def says(*names: str) -> Job:
    return lambda solve, go_on, tell: Tried(ONE, {name: Proof(name, go_on()) for name in names})


def proved(
    graph: flow.Flow, wanted: list[ir.Promise], beside: Beside | None, provers: Provers
) -> dict[str, str | None]:
    found = prove_and_doubt(graph, wanted, (), provers.solve, lambda: provers.go_on, beside, thorough=False)
    return {name: proof.empty if proof.proved else None for name, proof in found.proofs.items()}


def test_side_by_side_the_same_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is told of the same that it says nothing."""
    monkeypatch.setattr(proofs, "MOST_TOGETHER", 0)
    game = small("\n".join([*TRUE[::7], *FALSE[::6]]) + "\n")
    wanted = [promise for promise in game.rules.promises if proofs.is_provable(game.rules, promise)]
    with Provers(1, 300, 300) as provers:
        in_turn = proved(game.flow, wanted, None, provers)
    monkeypatch.setattr(portfolio, "SLICES", (0.05, 0.2, None))
    with Provers(1, 300, 300) as provers, Beside(provers, 2) as beside:
        assert proved(game.flow, wanted, beside, provers) == in_turn
    assert any(empty is not None for empty in in_turn.values()) and None in in_turn.values()
    assert not multiprocessing.active_children()


def test_what_is_empty_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "MOST_TOGETHER", 0)
    text = "to play\n  repeat\n    light := red\n    seat(1) chooses bump\ninvariant idle: count_up >= 0\n"
    game = game_of(FRAME.format(players=2) + text)
    with Provers(1, 60, 300) as provers, Beside(provers, 2) as beside:
        (empty,) = proved(game.flow, list(game.rules.promises), beside, provers).values()
    assert empty is not None and "says nothing" in empty


def test_who_dies_has_found_nothing_and_others_go_on() -> None:
    def dies(solve: Solver, go_on: GoOn, tell: Tell) -> Tried:
        os.kill(os.getpid(), signal.SIGKILL)
        return says("one")(solve, go_on, tell)

    with Provers(1, 60, 300) as provers, Beside(provers, 2) as beside:
        beside.begin(dies, LOST)
        beside.begin(says("one", "two"), LOST)
        found = [beside.ended(), beside.ended()]
    assert sorted(len(tried.proofs) for tried in found) == [0, 2]
    assert all(proof.proved for tried in found for proof in tried.proofs.values())


def asks_often(solve: Solver, go_on: GoOn, tell: Tell) -> Tried:
    own = str(os.getpid())
    go_on()
    tell(Proof("early", True))
    return Tried(ONE, {own: Proof(own, all(go_on() for _ in range(3)))})


def test_who_takes_long_is_paused_and_goes_on_where_it_was() -> None:
    with Provers(1, 300, 300) as provers, Beside(provers, 1) as beside:
        beside.begin(asks_often, LOST, 0.0)
        waits = beside.ended()
        assert waits.is_paused and waits.attempt is LOST.attempt and not waits.proofs
        (process,) = multiprocessing.active_children()
        beside.begin(says("one"), ANOTHER, 60.0)
        other = beside.ended()
        assert other.attempt is ANOTHER.attempt and other.proofs["one"].proved and not other.is_paused
        beside.go_on(LOST.attempt, 0.0)
        waits = beside.ended()
        assert waits.is_paused and [name for name, proof in waits.proofs.items() if proof.proved] == ["early"]
        beside.go_on(LOST.attempt, None)
        ended = beside.ended()
        assert ended.attempt is LOST.attempt and not ended.is_paused
        assert {name: proof.proved for name, proof in ended.proofs.items()} == {str(process.pid): True}


def test_who_waits_may_be_dropped_or_left() -> None:
    with Provers(1, 300, 300) as provers, Beside(provers, 2) as beside:
        for lost in (LOST, ANOTHER):
            beside.begin(asks_often, lost, 0.0)
            assert beside.ended().is_paused
        beside.drop(LOST.attempt)
        assert len(multiprocessing.active_children()) == 1
    assert not multiprocessing.active_children()


def test_who_waits_does_not_outlive_who_was_killed() -> None:
    begun = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert begun.stdout is not None
    with begun.stdout as said:
        assert said.readline() == "both are paused\n"
        begun.send_signal(signal.SIGKILL)
        begun.wait()
        assert said.read() == "", "one is still there: it holds the line open"


def test_who_is_late_has_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seaspec.cli.checking.beside.GRACE", 0.1)

    def late(solve: Solver, go_on: GoOn, tell: Tell) -> Tried:
        time.sleep(60)
        return says("one")(solve, go_on, tell)

    with Provers(1, 0.2, 300) as provers, Beside(provers, 2) as beside:
        beside.begin(late, LOST)
        assert beside.ended() is LOST
    assert not multiprocessing.active_children()


def test_ctrl_c_ends_all(tmp_path: Path) -> None:
    def interrupts(solve: Solver, go_on: GoOn, tell: Tell) -> Tried:
        time.sleep(0.3)  # until both have begun
        press_ctrl_c_once(tmp_path)
        time.sleep(60)
        return says("one")(solve, go_on, tell)

    with Provers(1, 60, 300) as provers, Beside(provers, 2) as beside:
        beside.begin(interrupts, LOST)
        beside.begin(interrupts, LOST)
        assert beside.ended() is LOST and beside.ended() is LOST
        assert provers.interrupted
    assert not multiprocessing.active_children()


def waits_until_it_is_killed() -> None:
    with Provers(1, 300, 300) as provers, Beside(provers, 2) as beside:
        for lost in (LOST, ANOTHER):
            beside.begin(asks_often, lost, 0.0)
            assert beside.ended().is_paused
        print("both are paused", flush=True)
        time.sleep(60)


if __name__ == "__main__":
    waits_until_it_is_killed()
