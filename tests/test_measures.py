"""`ends within n calls of P by m`, proved: what a measure must do, and that it is not proved of one that does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

import seaspec
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Reply, ask
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import certificate, prove

RULES = """
game Countdown "Countdown"
option players: 2..4 = 3
const start = 9
state left: 0..start = start
state pauses: 0..2 = 2
action take(p: Player, n: 1..3) "{p} takes {n}"
  needs enough: n <= left "there are only {left}"
  left := left - n
action rest(p: Player) "{p} rests, and one comes back"
  needs lazy: pauses > 0 "nobody may rest any more"
  pauses -= 1
  left := min(start, left + 1)
to turn(p: Player)
  if left = 0 and pauses = 0
    nobody wins
  p chooses take or rest
to play
  repeat
    for each p in Player: turn(p)
"""
MEASURE = "left + 2 * pauses + 1"
Prove = Callable[[str], Proof]


@pytest.fixture
def proof(tmp_path: Path) -> Prove:
    def proof_of(text: str) -> Proof:
        file = tmp_path / "countdown.sea"
        file.write_text(text)
        game = seaspec.load(str(file))
        (found,) = prove(game.flow, game.rules.promises, solve).values()
        return found

    return proof_of


def solve(scripts: Iterable[Script], patience: int) -> Iterable[Sequence[Reply]]:
    return [ask(script, 300 * patience) for script in scripts]


def test_a_measure_that_falls_is_an_end(proof: Prove) -> None:
    found = proof(RULES + f"ends within 14 calls of turn by {MEASURE}\n")
    assert found.proved, found.why


def test_a_measure_that_is_halved_falls_by_two(proof: Prove) -> None:
    found = proof(RULES + "ends within 15 calls of turn by (2 * left + 4 * pauses + 2) / 2 + 1\n")
    assert found.proved, found.why
    found = proof(RULES + "ends within 15 calls of turn by (left + 2 * pauses + 2) / 2 + 1\n")
    assert "falls with each call" in found.why


def test_a_measure_that_is_too_great_at_first(proof: Prove) -> None:
    found = proof(RULES + f"ends within 13 calls of turn by {MEASURE}\n")
    assert not found.proved
    assert "never more than the calls" in found.why


def test_a_measure_may_not_be_used_up_before_the_end(proof: Prove) -> None:
    found = proof(RULES + "ends within 13 calls of turn by left + 2 * pauses\n")
    assert not found.proved
    assert "at least 1" in found.why


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("  pauses -= 1\n", ""),
        ("left := left - n", "left := left - n / 2"),
        ("  if left = 0 and pauses = 0\n    nobody wins\n", "  if left = 0\n    left := start\n"),
        ("for each p in Player: turn(p)", "for each p in Player: turn(p)\n    if left < 3 and pauses = 0: left := 3"),
        ("for each p in Player: turn(p)", "left := start\n    for each p in Player: turn(p)"),
    ],
)
def test_what_does_not_fall_is_no_measure(proof: Prove, right: str, wrong: str) -> None:
    assert right in RULES
    found = proof(RULES.replace(right, wrong) + f"ends within 14 calls of turn by {MEASURE}\n")
    assert not found.proved


def test_a_measure_may_rise_before_the_first_call(proof: Prove) -> None:
    text = RULES.replace("to play\n", "to setup\n  left := 0\n  seat(1) chooses n in 1..9\n  left := n\nto play\n")
    found = proof(text + f"ends within 14 calls of turn by {MEASURE}\n")
    assert found.proved, found.why


def test_a_call_that_is_left_in_the_middle_proves_nothing(proof: Prove) -> None:
    text = RULES.replace("to turn(p: Player)\n", "to turn(p: Player)\n  if pauses = 1: stop round\n")
    text = text.replace("    for each p in Player: turn(p)\n", "    round\nto round\n  for each p in Player: turn(p)\n")
    found = proof(text + f"ends within 14 calls of turn by {MEASURE}\n")
    assert not found.proved


def test_without_a_measure_nothing_is_tried(tmp_path: Path) -> None:
    file = tmp_path / "countdown.sea"
    file.write_text(RULES + "ends within 14 calls of turn\n")
    game = seaspec.load(str(file))
    assert prove(game.flow, game.rules.promises, solve) == {}


def test_the_steps_are_those_of_the_promise(tmp_path: Path) -> None:
    file = tmp_path / "countdown.sea"
    file.write_text(RULES + f"ends within 14 calls of turn by {MEASURE}\n")
    game = seaspec.load(str(file))
    scripts = list(certificate(game.flow, game.rules.promises, solve))
    comments = [script.text.splitlines()[0] for script in scripts]
    assert any("falls follows" in comment for comment in comments)
    assert all(reply.answer.value == "unsat" for script in scripts for reply in ask(script, 3000))
