"""What a proved promise rests on: other promises, and guards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import seaspec
from small_games import game_of

from seaspec.cli.checking.provers import Provers
from seaspec.prove.explain.grounds import does_without
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import prove

TWO = """game Two
const players = 2
state left: 0..1000 = 0
state right: 0..1000 = 0
state total: 0..2000 = 0
action step(p: Player)
  needs low: left < 900
  left := left + 1
  total := total + 1
action leap(p: Player)
  needs far: right < 800
  needs even: left + right < 5000
  right := right + 2
  total := total + 2
to play
  repeat
    for each p in Player in order from seat(1)
      p chooses step
      p chooses leap
invariant left_low: left <= 900
invariant right_low: right <= 802
invariant adds: total = left + right
invariant few: total <= 1702
invariant whatever: left >= 0
lemma rises(a: 0..9, b: 0..9): a < b and b < left implies a + 1 < left
"""


def proofs(text: str) -> dict[str, Proof]:
    game = game_of(text)
    with Provers(1, None, 5_000) as provers:
        return prove(game.flow, game.rules.promises, provers.solve)


def test_what_each_proof_rests_on() -> None:
    found = proofs(TWO)
    assert all(proof.proved for proof in found.values()), found
    assert found["left_low"].rests_on == ("guard low of step",)
    assert found["right_low"].rests_on == ("guard far of leap",)
    assert found["adds"].rests_on == found["whatever"].rests_on == found["rises"].rests_on == ()


def test_what_one_promise_rests_on_by_another_is_named_too() -> None:
    """The sum is low because it is the sum, and both parts are low; and they are because of guards."""
    used = proofs(TWO)["few"].rests_on
    assert used[0].startswith("invariant ") and "invariant adds" in used
    assert used[-2:] == ("guard low of step", "guard far of leap")
    assert not proofs(TWO.replace("total = left + right", "yes"))["few"].proved


def test_what_is_not_proved_rests_on_nothing() -> None:
    found = proofs(TWO.replace("<= 900", "<= 800"))["left_low"]
    assert not found.proved and found.rests_on == ()


def test_what_a_proof_does_without() -> None:
    """Guards that cite the clause that a promise cites, if its proof rests on none of them."""
    text = TWO.replace("  needs low: left < 900\n", "  needs low: left < 900\n    cites rule.one\n")
    text = text.replace(
        "  needs even: left + right < 5000\n", "  needs even: left + right < 5000\n    cites rule.two, rule.one\n"
    )
    for cites, names in (
        ("rule.one", ()),
        ("rule.two", ("guard even of leap (rule.two)",)),
        ("rule.two, rule.one", ("guard even of leap (rule.two)",)),
        ("rule.three", ()),
    ):
        game = game_of(text.replace("left <= 900\n", f"left <= 900\n  cites {cites}\n")).rules
        (promise,) = (promise for promise in game.promises if promise.name == "left_low")
        assert does_without(game, promise, ("guard low of step",)) == names
        assert len(does_without(game, promise, ())) == (0 if cites == "rule.three" else 2 if "one" in cites else 1)


def test_a_check_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "cache"))
    Path("two.sea").write_text(TWO)
    for cached in (False, True):
        (subject,) = json.loads(seaspec("check", "two.sea", "--plays", "0", "--json").out)["subjects"]
        used = {promise["name"]: promise["rests_on"] for promise in subject["promises"]}
        assert subject["cached"] is cached
        assert all(promise["does_without"] == [] for promise in subject["promises"])
        assert used["left_low"] == ["guard low of step"] and used["rises"] == [] and "invariant adds" in used["few"]
    told = seaspec("check", "two.sea", "--plays", "0", "--verbose").lines
    place = next(place for place, line in enumerate(told) if "proved: left_low" in line)
    assert told[place + 1].strip() == "rests on guard low of step"
    assert "rests on" not in seaspec("check", "two.sea", "--plays", "0").out
