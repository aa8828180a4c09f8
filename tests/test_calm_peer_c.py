"""The hand-written C engine of bench/ plays the game that calm_peer.py plays: the same means within statistical error.

calm_peer.py in turn is compared with the interpreter, in test_peer_agreement.py. These tests need a C compiler, and
fail with a plain message where there is none.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from math import sqrt
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import c_programs
import calm_peer

PEER_GAMES = 4_000
GAMES = 200_000
MOST_DEVIATIONS = 4.5
"""With fixed seeds the test either always passes or never; a wrong rule is off by far more."""
RARE = 0.0005
"""What hardly ever happens need not have come up in the fewer games of the peer, so deviations can be too small."""


@pytest.fixture(scope="module", params=["", "PLAIN"], ids=["clever", "plain"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c_programs.build("calm_peer", tmp_path_factory.mktemp("bench"), *request.param.split())


def run(program: Path, *words: int) -> dict:
    return json.loads(subprocess.run([program, *map(str, words)], capture_output=True, check=True, text=True).stdout)


def means_of_c(program: Path, players: int) -> dict[str, float]:
    """What a game has on average."""
    found = run(program, players, 1, GAMES, 0)
    assert found["plays"] == GAMES
    plain = {
        name: found[name] for name in ("plies", "plies squared", "islands", "islands squared", "starts", "decisions")
    }
    groups = ("endings", "asked", "forced", "options")
    nested = {f"{group} {name}": count for group in groups for name, count in found[group].items()}
    return {name: total / GAMES for name, total in {**plain, **nested}.items()}


def histograms_of_peer(players: int) -> dict[str, Counter[int]]:
    """What each single game had."""
    config, random = calm_peer.Config(players=players), Random(1)
    found: dict[str, Counter[int]] = {}

    def note(name: str, value: int) -> None:
        found.setdefault(name, Counter())[value] += 1

    for _ in range(PEER_GAMES):
        tally = calm_peer.Tally()
        game = calm_peer.play_game(random, config, tally)
        note("plies", game.turns)
        note("plies squared", game.turns**2)
        note("islands", game.islands)
        note("islands squared", game.islands**2)
        note("starts", game.starts)
        note("decisions", game.decisions)
        for ending in calm_peer.Ending:
            note(f"endings {ending.value}", game.ending is ending)
        for kind, count in tally.counts.items():
            note(f"asked {kind.value}", count.asked)
            note(f"forced {kind.value}", count.forced)
            note(f"options {kind.value}", count.options)
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_c_engine_agrees_with_the_python_engine(program: Path, players: int) -> None:
    ours, peer = means_of_c(program, players), histograms_of_peer(players)
    assert set(peer) - set(ours) == {"endings paused"} and set(ours) <= set(peer)
    for name, mean in ours.items():
        peer_mean, deviation = calm_peer.mean_and_deviation(peer[name])
        error = deviation * sqrt(1 / PEER_GAMES + 1 / GAMES)
        allowed = MOST_DEVIATIONS * error + RARE * max(1, mean)
        assert abs(mean - peer_mean) <= allowed, (name, mean, peer_mean, error)


def test_a_seed_is_a_run_and_other_seeds_are_others(program: Path) -> None:
    def counted(seed: int) -> dict:
        return {name: value for name, value in run(program, 4, seed, 1000, 0).items() if name != "seconds"}

    assert counted(7) == counted(7) != counted(8)


def test_wrong_words_are_refused(program: Path) -> None:
    done = subprocess.run([program, "6", "1", "10", "0"], capture_output=True, check=False, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_without_a_compiler_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(c_programs.NoCompilerError, match="no C compiler was found"):
        c_programs.build("calm_peer", tmp_path)
