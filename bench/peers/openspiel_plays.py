"""Random plays by OpenSpiel for some seconds of processor time: what was counted, as JSON.

python openspiel_plays.py python|native GAME SECONDS

From Python, `state.apply_action` is called for each ply. The loop in C++ is the one of its random rollouts, which a
tree search begins with: of two simulations the first rolls out from the root, the second from one of its children. How
long a play is, is measured from Python. Games that pay on the way have no rollouts: there two of OpenSpiel's random
bots play, in C++, too. What is counted are players' choices, not outcomes of chance.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from typing import Any

pyspiel = importlib.import_module("pyspiel")
SAMPLE = 200
"""Plays that say how long a play is, and more in games that are quick."""


def begin(game: Any) -> Any:
    """A state at the first choice of a player."""
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        state.apply_action(random.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0])
    return state


def play(state: Any) -> int:
    """Play on to the end at random; give the number of choices."""
    plies = 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(random.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0])
        else:
            state.apply_action(random.choice(state.legal_actions()))
            plies += 1
    return plies


def from_python(game: Any, seconds: float) -> dict[str, float]:
    plays = plies = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        plies += play(begin(game))
        plays += 1
    return {"seconds": time.process_time() - began, "plays": plays, "plies": plies}


def in_native_code(game: Any, seconds: float) -> dict[str, float]:
    short = min(seconds / 4, 0.5)
    lengths = from_python(game, short)
    while lengths["plays"] < SAMPLE:
        more = from_python(game, short)
        lengths = {name: value + more[name] for name, value in lengths.items()}
    length = lengths["plies"] / lengths["plays"]
    if game.get_type().reward_model != pyspiel.GameType.RewardModel.TERMINAL:
        return by_bots(game, seconds, length)
    return by_rollouts(game, seconds, length - 0.5)


def by_rollouts(game: Any, seconds: float, length: float) -> dict[str, float]:
    count, plays, spent = 50, 0, 0.0
    while spent < seconds:
        evaluator = pyspiel.RandomRolloutEvaluator(count, random.getrandbits(30))
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 2, 100, False, random.getrandbits(30), False)
        state = begin(game)
        start = time.process_time()
        bot.step(state)
        took = time.process_time() - start
        spent += took
        plays += 2 * count
        if took < seconds / 20:
            count *= 2
    return {"seconds": spent, "plays": plays, "plies": plays * length}


def by_bots(game: Any, seconds: float, length: float) -> dict[str, float]:
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]
    plays, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, plays)
        plays += 1
    return {"seconds": time.process_time() - began, "plays": plays, "plies": plays * length}


def main() -> None:
    mode, name, seconds = sys.argv[1:]
    random.seed(1)
    run = {"python": from_python, "native": in_native_code}[mode]
    print(json.dumps(run(pyspiel.load_game(name), float(seconds))))


if __name__ == "__main__":
    main()
