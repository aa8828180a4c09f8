"""A world explored completely by SeaSpec: seconds of processor time of one exploration and what was counted, as JSON.

python seaspec_explore.py native|interpreter SPEC SECONDS [NAME=VALUE ..]     repeated until so many seconds are used
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import seaspec
from seaspec.backends.native.explore.explorer import Explorer
from seaspec.explore.reference import explore
from seaspec.game import Game

LIMIT = 100_000_000
Counted = dict[str, float]


def native(game: Game) -> Callable[[], Counted]:
    """The compiled search, on one thread."""
    explorer = Explorer(game.flow)

    def search() -> Counted:
        world = explorer.explore(LIMIT, threads=1)
        if not world.complete or any(finding.error for finding in world.findings):
            raise SystemExit("the world was not explored completely")
        return {"positions": world.positions, "steps": world.steps, "bytes": world.memory}

    return search


def interpreter(game: Game) -> Callable[[], Counted]:
    """The reference."""
    machine = game.machine

    def search() -> Counted:
        found = explore(machine, LIMIT)
        if not found.complete or found.failed or found.stuck:
            raise SystemExit("the world was not explored completely")
        return {"positions": found.positions, "steps": found.steps}

    return search


def main() -> None:
    engine, spec, seconds, *options = sys.argv[1:]
    search = {"native": native, "interpreter": interpreter}[engine](
        seaspec.load(spec, **dict(option.split("=") for option in options))
    )
    repeats, counted, began = 0, Counted(), time.process_time()
    while not repeats or time.process_time() - began < float(seconds):
        counted = search()
        repeats += 1
    print(json.dumps({"seconds": (time.process_time() - began) / repeats, **counted}))


if __name__ == "__main__":
    main()
