"""Speed of the engine against peers, measured in one run, in turn, on CPU time; prints a table with ratios.

python bench/run.py [--seconds 3]
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))
import calm_peer

from seaspec.backends.interpreter.machine import Machine
from seaspec.core import flow
from seaspec.loading import load

ROUNDS = 3
"""Each engine is measured so many times in turn, so that a busy moment of the machine hits all alike."""


def interpreter_turns(machine: Machine, seconds: float, random: Random) -> tuple[int, float]:
    """Turns of Calm played at random, and the CPU time it took."""
    turns = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        for state in machine.play_out(machine.begin(), random):
            node = machine.node(state)
            turns += isinstance(node, flow.Decision) and node.menu == "deed"
    return turns, time.process_time() - start


def peer_turns(seconds: float, random: Random) -> tuple[int, float]:
    """The same of the hand-written engine."""
    config = calm_peer.Config(players=4)
    turns = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        for _ in range(50):
            turns += calm_peer.play_game(random, config).turns
    return turns, time.process_time() - start


def check_seconds(file: str) -> float:
    """A cold `seaspec check`, wall clock."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "seaspec", "check", file], capture_output=True, check=False)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of each measurement")
    seconds = parser.parse_args().seconds
    machine = load("calm", players=4).machine
    random = Random(1)
    ours: list[tuple[int, float]] = []
    peer: list[tuple[int, float]] = []
    for _ in range(ROUNDS):
        ours.append(interpreter_turns(machine, seconds, random))
        peer.append(peer_turns(seconds, random))
    our_rate = sum(t for t, _ in ours) / sum(s for _, s in ours)
    peer_rate = sum(t for t, _ in peer) / sum(s for _, s in peer)
    spec = str(Path(__file__).parent.parent / "spec" / "calm.sea")
    cold = min(check_seconds(spec) for _ in range(ROUNDS))
    print(f"Python {platform.python_version()}, {platform.machine()}, one core, CPU time")
    print("Calm, 4 players, random play            turns/s     ratio")
    print(f"  plain Python, written by hand   {peer_rate:12,.0f}     1")
    print(f"  interpreter                     {our_rate:12,.0f}     1/{peer_rate / our_rate:.0f}")
    print(f"seaspec check spec/calm.sea, cold {cold:12.2f} s")


if __name__ == "__main__":
    main()
