"""Texts whose promises are known to be true or false: no level may say otherwise.

    ---                                             parts texts; each is a game by itself
    invariant low: count_up <= 3      ### proved    it is true, and a proof finds it
    invariant fair: points < 9        ### true      nothing may break it; a proof need not find it
    invariant never: mark is no       ### false     nothing may prove it
    invariant low: count_up <= 3      ### proved, rests on guard low of climb; invariant kept
    invariant low: count_up >= 0      ### proved, rests on nothing

Each text is asked of the solver alone: guesses are not thrown out by plays first. Rules are looked at as a whole, and
for what is false once more procedure by procedure, as large ones are; what is asked again is answered once
(solving.py). Some are asked once more behind a lock (attack/lock.py), with all that there is. What is small enough is
explored completely by the interpreter, too, so that the marks are the truth and not an opinion; what lies behind a lock
(see tests/cases/proofs/) has a small twin. Secrets and symmetries are decided by comparing all positions
(relational_truth.py).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from attack.lock import locked
from relational_truth import is_symmetric, leak
from small_games import game_of
from test_symbolic import solve

from seaspec.backends.interpreter.machine import Machine
from seaspec.core import ir
from seaspec.explore.reference import explore
from seaspec.game import Game
from seaspec.prove import proofs
from seaspec.prove.refute import Seen
from seaspec.sampling.secrets import look_different, secret_trial

CASES = Path(__file__).parent / "cases" / "proofs"
MOST_POSITIONS = 3_000
PAIRS = 8
"""Plays beside which others go."""
_MARK = re.compile(r"###\s*(proved|true|false)(?:, rests on (.+?))?\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A text, and what is so of its promises: by the name, in the order of the text."""

    name: str
    text: str
    marks: tuple[str, ...]
    grounds: tuple[str, ...] = ()
    """What the proof of each promise rests on, where that is said."""

    @property
    def game(self) -> Game:
        return _game_of(self.text)

    def said(self, game: Game) -> dict[str, str]:
        """What is marked of each promise."""
        return dict(zip(_in_order(game), self.marks, strict=True))

    def rests_on(self, game: Game) -> dict[str, set[str]]:
        """What is said of what proofs rest on."""
        named = zip(_in_order(game), self.grounds, strict=True)
        return {name: set(grounds.split("; ")) - {"nothing"} for name, grounds in named if grounds}


@cache
def _game_of(text: str) -> Game:
    return game_of(text)


def _in_order(game: Game) -> list[str]:
    """The promises, in the order of the text."""
    return [promise.name for promise in sorted(game.rules.promises, key=lambda promise: promise.source.span.start)]


def cases() -> Iterator[Case]:
    for path in sorted(CASES.glob("*.sea")):
        for number, text in enumerate(path.read_text(encoding="utf-8").split("---\n"), 1):
            marks = [found.groups("") for found in _MARK.finditer(text)]
            name = f"{path.stem}-{number}"
            yield Case(name, _MARK.sub("", text), tuple(m for m, _ in marks), tuple(g for _, g in marks))


ALL = list(cases())


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays speak against no guess."""
    monkeypatch.setattr(Seen, "speaks_against", lambda *_: False)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_solver_alone(case: Case, alone: None) -> None:
    game = case.game
    tried = proofs.prove(game.flow, game.rules.promises, solve)
    found = {name for name, proof in tried.items() if proof.proved}
    said = case.said(game)
    assert not {name for name in found if said[name] == "false"}, "a false promise is proved"
    assert {name for name, mark in said.items() if mark == "proved"} <= found
    for name, grounds in case.rests_on(game).items():
        assert grounds <= set(tried[name].rests_on) and (grounds or not tried[name].rests_on), tried[name].rests_on


@pytest.mark.parametrize("case", [case for case in ALL if "false" in case.marks], ids=lambda case: case.name)
def test_procedure_by_procedure(case: Case, alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "MOST_TOGETHER", 0)
    game = case.game
    said = case.said(game)
    false = [promise for promise in game.rules.promises if said[promise.name] == "false"]
    assert not any(proof.proved for proof in proofs.prove(game.flow, false, solve).values())


BEHIND = random.Random(13).sample([case for case in ALL if "false" in case.marks and "\nto play" in case.text], 5)


@pytest.mark.parametrize("case", BEHIND, ids=lambda case: case.name)
def test_behind_a_lock(case: Case) -> None:
    """Plays do not come to where it matters: what they have seen speaks against nothing that is false."""
    game = game_of(locked(case.text))
    tried = proofs.prove(game.flow, game.rules.promises, solve)
    assert not {name for name, proof in tried.items() if proof.proved and case.said(game)[name] == "false"}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_secrets_and_symmetries_are_as_marked(case: Case) -> None:
    """By comparing all positions with one another, or with their images."""
    game = case.game
    said = case.said(game)
    for promise in game.rules.promises:
        match promise:
            case ir.Secret():
                is_told = said[promise.name] == "false"
                assert (leak(game.machine) is not None) is is_told, leak(game.machine)
                trials = (secret_trial(game.machine, PAIRS, seed).of(promise) for seed in range(4 if is_told else 1))
                found = next((one for one in trials if one is not None), None)
                assert (found is not None) is is_told, "two plays side by side say otherwise"
                assert found is None or look_different(game.machine, found.answers, found.beside or ())
            case ir.Symmetry():
                assert is_symmetric(game.machine, promise) is (said[promise.name] != "false")


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_marks_are_true(case: Case) -> None:
    """Where all positions can be looked at."""
    game = case.game
    found = explore(Machine(game.flow), MOST_POSITIONS)
    if not found.complete:
        return
    promises = {promise.name: promise for promise in game.rules.promises}
    broken = set(found.watched.broken) | set(found.too_long) | set(found.doomed)
    for name, mark in case.said(game).items():
        if name in found.spread:
            continue
        assert not (name in broken and mark != "false"), f"{name} is broken"
        if isinstance(promises[name], ir.Invariant | ir.Always):
            assert name in broken or mark != "false", f"{name} is kept"
