"""Random plays of Sea Lords by the referee in plain Python, sea_lords_peer.py: speed and statistics.

Every choice is uniform over its options. `statistics_of` names what is counted of a play; sea_lords_peer.c counts the
same.

python sea_lords_plays.py [--plays N] [--seed N]     a table for each layout
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from math import sqrt

from sea_lords_peer import Ask, Config, Game, Layout, Question, RandomFate, Result

Histograms = dict[str, Counter[int]]


def play(rng: random.Random, config: Config) -> tuple[Game, list[Question]]:
    """One random play: the game at its end, and what was asked."""
    game = Game(config, RandomFate(rng))
    asking = game.play()
    questions = []
    try:
        question = next(asking)
        while True:
            questions.append(question)
            question = asking.send(question.options[int(rng.random() * len(question.options))])
    except StopIteration:
        return game, questions


def statistics_of(game: Game, questions: list[Question]) -> dict[str, int]:
    """What is counted of a play."""
    result = game.result
    assert isinstance(result, Result)
    first, players = game.first, game.players
    counted = {
        "plies": len(questions),
        "turns": sum(player.turns for player in players),
        "Light Blue wins": result.winner == 0,
        "Dark Blue wins": result.winner == 1,
        "the first player wins": result.winner == first,
        "stuck": result.stuck is not None,
        "hired": 5 - len(game.offered),
        "burning": sum(ship is not None and ship.burning for ship in game.ships),
        "covered cells": sum(ship is not None for ship in game.ships),
        "shields": sum(ship.shields for ship in game.ships if ship),
        "mines lying": len(game.mined()),
        "mines taken": sum(player.mines for player in players),
        "coins": sum(player.coins for player in players),
        "points": sum(player.points for player in players),
        "ships in hand": sum(len(player.hand) for player in players),
        "score": sum(result.scores or ()),
        "score, squared": sum(score**2 for score in result.scores or ()),
    }
    if result.scores is not None:
        counted["lead of the first player"] = result.scores[first] - result.scores[1 - first]
    asked, offered = Counter(q.kind for q in questions), Counter[Ask]()
    for question in questions:
        offered[question.kind] += len(question.options)
    for kind in Ask:
        counted[f"asked: {kind.value}"] = asked[kind]
        counted[f"options: {kind.value}"] = offered[kind]
    return {name: int(number) for name, number in counted.items()}


def simulate(plays: int, seed: int, config: Config) -> Histograms:
    """Histograms of everything that is counted."""
    rng = random.Random(seed)
    found: Histograms = {}
    for _ in range(plays):
        for name, number in statistics_of(*play(rng, config)).items():
            found.setdefault(name, Counter())[number] += 1
    return found


def mean_and_deviation(histogram: Counter[int]) -> tuple[float, float]:
    """The mean and the standard deviation of the values that a histogram counts."""
    total = histogram.total()
    mean = sum(value * count for value, count in histogram.items()) / total
    return mean, sqrt(sum((value - mean) ** 2 * count for value, count in histogram.items()) / total)


def configurations() -> Iterator[tuple[str, Config]]:
    """Every layout, the variant for experienced players, mercenaries that are picked."""
    for layout in Layout:
        yield layout.value, Config(layout)
    yield "experienced", Config(experienced=True)
    yield "picked", Config(picked=True)


def main() -> None:
    """Print the speed and the means of each configuration."""
    parser = argparse.ArgumentParser(description="Random plays of Sea Lords: speed and statistics.")
    parser.add_argument("--plays", type=int, default=1_000, help="plays of each configuration")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name, config in configurations():
        began = time.process_time()
        found = simulate(arguments.plays, arguments.seed, config)
        seconds = time.process_time() - began
        print(f"{name}: {arguments.plays} plays in {seconds:.2f} s of processor time")
        for what, histogram in found.items():
            mean, deviation = mean_and_deviation(histogram)
            if deviation or mean:
                print(f"{what:>26} {mean:10.3f}  sd {deviation:9.3f}  {min(histogram)} .. {max(histogram)}")


if __name__ == "__main__":
    main()
