"""From a text to the first native move, in a process of its own: the seconds of processor time of each step, as JSON.

python seaspec_start.py SPEC [NAME=VALUE ..]     the cache is where SEASPEC_CACHE and XDG_CACHE_HOME say
"""

from __future__ import annotations

import json
import sys
import time
from random import Random


def main() -> None:
    spec, *options = sys.argv[1:]
    seconds: dict[str, float] = {}
    last = 0.0  # the clock of the process: what Python takes to start counts as imports

    def lap(name: str) -> None:
        nonlocal last
        now = time.process_time()
        seconds[name], last = now - last, now

    import seaspec
    from seaspec.backends.native.machine import Machine

    lap("imports")
    game = seaspec.load(spec, **dict(option.split("=") for option in options))
    lap("read")
    graph = game.flow
    lap("lower")
    machine = Machine(graph)
    lap("compile")
    state = machine.begin()
    machine.step(state, Random(1).randrange(machine.count(state)))
    lap("move")
    print(json.dumps({**seconds, "seconds": last}))


if __name__ == "__main__":
    main()
