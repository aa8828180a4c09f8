"""The interpreter plays Calm as a plain hand-written engine does: the same means within statistical error.

Both choose uniformly among the distinct options of each decision. The peer stands in bench/calm_peer.py.
"""

from __future__ import annotations

import sys
from collections import Counter
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from seaspec.backends.interpreter.machine import Machine
from seaspec.compile import compile_chapters
from seaspec.core import flow
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.library import load_subjects

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import calm_peer

GAMES = 200
PEER_GAMES = 10_000
MOST_DEVIATIONS = 4.5
"""With a fixed seed the test either always passes or never; a wrong rule is off by far more."""


def machine_of(world: str | None, **options: str) -> Machine:
    report = Report()
    (subject,) = load_subjects("calm", report)
    chapters = subject.chapters
    if world is not None:
        chapters = subject.in_world(next(w for w in subject.worlds if w.name == world))
    game = compile_chapters(chapters, options, report)
    assert game is not None, list(report)
    return Machine(Game(game).flow)


def plays(machine: Machine, games: int) -> dict[str, Counter[int]]:
    """Histograms of turns, islands laid, Starts played, games won, games lost by a player without a card."""
    found: dict[str, Counter[int]] = {name: Counter() for name in ("turns", "islands", "starts", "won", "no card")}
    for seed in range(games):
        turns, next_player = 0, 0
        state = begin = machine.begin()
        for state in machine.play_out(begin, Random(seed)):
            node = machine.node(state)
            if isinstance(node, flow.Decision) and node.menu == "deed":
                turns += 1
                next_player = ((machine.decider(state) or 0) + 1) % len(machine.game.players)
        assert state.result is not None
        found["turns"][turns] += 1
        field = [place(machine, state, "field", cell) for cell in range(len(machine.game.boards["Sea"].cells))]
        found["islands"][sum(map(len, field))] += 1
        found["starts"][len(place(machine, state, "corner", None))] += 1
        won = bool(state.result[0])
        found["won"][int(won)] += 1
        found["no card"][int(not won and not place(machine, state, "hand", next_player))] += 1
    return found


def place(machine: Machine, state, name: str, index: int | None) -> tuple[int, ...]:
    base = machine.layout.places[name].base
    return state.slots[base + (index or 0)]


def assert_same_mean(name: str, ours: Counter[int], peer: Counter[int]) -> None:
    ours_mean, ours_deviation = calm_peer.mean_and_deviation(ours)
    peer_mean, peer_deviation = calm_peer.mean_and_deviation(peer)
    error = sqrt(ours_deviation**2 / ours.total() + peer_deviation**2 / peer.total())
    assert abs(ours_mean - peer_mean) <= MOST_DEVIATIONS * error + 1e-9, (name, ours_mean, peer_mean, error)


def compare(machine: Machine, config: calm_peer.Config, games: int) -> dict[str, Counter[int]]:
    ours = plays(machine, games)
    summary = calm_peer.simulate(PEER_GAMES, 1, config)
    assert_same_mean("turns", ours["turns"], summary.turns)
    assert_same_mean("islands", ours["islands"], summary.islands)
    starts = Counter({1: summary.starts, 0: summary.games - summary.starts})
    assert_same_mean("starts", ours["starts"], starts)
    won = summary.endings[calm_peer.Ending.WON]
    assert_same_mean("won", ours["won"], Counter({1: won, 0: summary.games - won}))
    no_card = summary.endings[calm_peer.Ending.NO_CARD]
    assert_same_mean("no card", ours["no card"], Counter({1: no_card, 0: summary.games - no_card}))
    return ours


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_standard_game_agrees_with_the_peer(players: int) -> None:
    ours = compare(machine_of(None, players=str(players)), calm_peer.Config(players=players), GAMES)
    assert ours["won"][1] == 0, "random play does not win on 36 cells"


def test_a_small_field_agrees_with_the_peer_and_is_won_at_times() -> None:
    config = calm_peer.Config(players=2, rows=2, columns=1, last=6, finishes=2, hand_size=2, dues=2)
    ours = compare(machine_of("drop"), config, 5 * GAMES)
    assert ours["won"][1] > 0
