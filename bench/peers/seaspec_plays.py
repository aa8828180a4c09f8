"""Random plays by SeaSpec for some seconds of processor time: what was counted, as JSON.

python seaspec_plays.py native|interpreter SPEC SECONDS [NAME=VALUE ..]
"""

from __future__ import annotations

import json
import sys
import time
from random import Random

import seaspec
from seaspec.backends.native.machine import Machine
from seaspec.game import Game


def native(game: Game, seconds: float) -> dict[str, float]:
    """Plays of the compiled game, in calls that are long enough for Python not to matter."""
    machine = Machine(game.flow)
    first, count, spent, plies = 0, 1, 0.0, 0
    while spent < seconds:
        began = time.process_time()
        totals = machine.simulate(1, first, count, with_scores=False)
        took = time.process_time() - began
        spent += took
        plies += totals.plies
        first += count
        if took < seconds / 20:
            count *= 2
    return {"seconds": spent, "plays": first, "plies": plies}


def interpreter(game: Game, seconds: float) -> dict[str, float]:
    """Plays of the reference."""
    machine, random = game.machine, Random(1)
    plays = plies = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        plies += sum(1 for _ in machine.play_out(machine.begin(), random))
        plays += 1
    return {"seconds": time.process_time() - began, "plays": plays, "plies": plies}


def main() -> None:
    engine, spec, seconds, *options = sys.argv[1:]
    game = seaspec.load(spec, **dict(option.split("=") for option in options))
    run = {"native": native, "interpreter": interpreter}[engine]
    run(game, 0.01)  # what is made at first use is made here
    print(json.dumps(run(game, float(seconds))))


if __name__ == "__main__":
    main()
