"""Attempts at the promises of a large game are made in rounds: none keeps others waiting, nothing is begun twice."""

from __future__ import annotations

import pytest
from small_games import flow_game

from seaspec.core import flow, ir
from seaspec.prove import portfolio
from seaspec.prove.portfolio import Attempt, Attempts, Job, Tried
from seaspec.prove.proof import Proof
from seaspec.prove.termination import Provable

THINGS = """
place chest at most 1 A open
to turn(p: Player): p may take
invariant kept: every x in A: x in chest or count_up = 0
invariant few: size of chest <= 1
always onward after turn(p): count_up >= old count_up
"""


class Made:
    """Makes no attempt, and says of each what it is told to: what is `late` is proved in the last round alone, what is
    `open` never. Of those that are paused, what is `early` is proved then."""

    at_once = 1

    def __init__(self, late: set[str], open: frozenset[str] = frozenset(), early: frozenset[str] = frozenset()) -> None:
        self.late, self.open, self.early = late, open, early
        self.said: list[str] = []
        self.paused: set[Attempt] = set()
        self._ended: list[Tried] = []

    def begin(self, job: Job, lost: Tried, seconds: float | None = None) -> None:
        self._work("begin", lost.attempt, seconds)

    def go_on(self, attempt: Attempt, seconds: float | None) -> None:
        self.paused.remove(attempt)
        self._work("go on", attempt, seconds)

    def drop(self, attempt: Attempt) -> None:
        self.paused.remove(attempt)
        self.said.append(f"drop {' '.join(promise.name for promise in attempt.promises)}")

    def ended(self) -> Tried:
        return self._ended.pop()

    def _work(self, word: str, attempt: Attempt, seconds: float | None) -> None:
        names = [promise.name for promise in attempt.promises]
        self.said.append(f"{word} {' '.join(names)}")
        if seconds is None or not self.late & set(names):
            proofs = {name: Proof(name, name not in self.open) for name in names}
            self._ended.append(Tried(attempt, proofs))
        else:
            self.paused.add(attempt)
            told = {name: Proof(name, True) for name in names if name in self.early}
            self._ended.append(Tried(attempt, told, is_paused=True))


@pytest.fixture(scope="module")
def graph() -> flow.Flow:
    return flow_game("for each p in Player: turn(p)", THINGS).flow


@pytest.fixture(autouse=True)
def procedure_by_procedure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is tried as a whole."""
    monkeypatch.setattr(Attempts, "whole", lambda attempts, *_: attempts.apart(()))


def tried(graph: flow.Flow, made: Made, *names: str) -> dict[str, bool]:
    """What is proved of promises."""
    promises: list[Provable] = [one for one in graph.game.promises if one.name in names]  # type: ignore[misc]
    found = {name: Proof(name, False, "no time left") for name in names}
    attempts = Attempts(graph, found, made, lambda: True, keeps=False)
    attempts.make({True: promises})
    return {name: proof.proved for name, proof in found.items()}


def test_what_takes_long_keeps_nothing_waiting(graph: flow.Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "SLICES", (1.0, 2.0, None))
    made = Made(late={"onward"})
    assert tried(graph, made, "onward", "kept", "few") == {"onward": True, "kept": True, "few": True}
    assert made.said == ["begin onward", "begin few", "begin kept", "go on onward", "go on onward"]


def test_where_nothing_waits_there_is_no_other_round(graph: flow.Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Made(late=set(), open=frozenset({"onward"}))
    assert not tried(graph, made, "onward")["onward"]
    once = list(made.said)
    monkeypatch.setattr(portfolio, "SLICES", (1.0, None))
    again = Made(late=set(), open=frozenset({"onward"}))
    tried(graph, again, "onward")
    assert again.said == once


def test_what_is_proved_before_a_pause_counts(graph: flow.Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "SLICES", (1.0,))
    made = Made(late={"onward", "few"}, early=frozenset({"few"}))
    assert tried(graph, made, "onward", "few") == {"onward": False, "few": True}
    assert len(made.paused) == 2


def test_what_others_have_proved_is_dropped(graph: flow.Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "SLICES", (1.0, None))
    made = Made(late={"kept"})
    promises: list[Provable] = [one for one in graph.game.promises if one.name == "kept"]  # type: ignore[misc]
    found = {"kept": Proof("kept", False)}
    attempts = Attempts(graph, found, made, lambda: True, keeps=False)
    way = attempts.apart(promises)
    attempts._round(way, 1.0)
    assert made.said == ["begin kept"] and len(made.paused) == 1
    found["kept"] = Proof("kept", True)
    attempts._round(way, None)
    assert made.said == ["begin kept", "drop kept"] and not made.paused


def test_what_names_a_seat_does_not_wait_for_what_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Procedure by procedure nobody stands for others: all is tried in the same rounds."""
    monkeypatch.setattr(portfolio, "SLICES", (1.0, None))
    game = flow_game("for each p in Player: turn(p)", THINGS)
    few, onward = (next(p for p in game.rules.promises if p.name == name) for name in ("few", "onward"))
    assert isinstance(few, ir.Invariant) and isinstance(onward, ir.Always)
    made = Made(late={"few"})
    found = {name: Proof(name, False) for name in ("few", "onward")}
    Attempts(game.flow, found, made, lambda: True, keeps=False).make({True: [few], False: [onward]})
    assert made.said == ["begin onward", "begin few", "go on few"]


def test_several_that_look_at_the_same_are_tried_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """And when all that is paused goes on, they are first."""
    monkeypatch.setattr(portfolio, "SLICES", (1.0, None))
    monkeypatch.setattr(portfolio, "FEW_PIECES", 0)
    said = "".join(f"invariant {name}: every x in A: x in chest or x in stock\n" for name in ("one", "two"))
    game = flow_game("for each p in Player: turn(p)", THINGS + said)
    made = Made(late={"onward", "two"})
    assert all(tried(game.flow, made, "onward", "few", "one", "two").values())
    assert made.said == ["begin onward", "begin few one two", "go on few one two", "go on onward"]
    fewer = Made(late=set())
    assert all(tried(game.flow, fewer, "few", "one").values())
    assert fewer.said == ["begin few", "begin one"]
