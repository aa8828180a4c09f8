"""Random plays of tic_tac_toe.qnt by Quint's simulator, its own back end in TypeScript: what was counted, as JSON.

python quint_plays.py QUINT SECONDS

The program is run for many traces and for one; the difference is the time of the traces. A trace is a play: it ends
where no step can be taken.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

SPEC = Path(__file__).resolve().parent / "tic_tac_toe.qnt"
LENGTH = 3203 / 420
"""Plies of a random play on average, by summing over all courses of the game with their odds."""


def seconds_of(quint: str, traces: int) -> float:
    """Processor time of a run."""
    words = [quint, "run", "--backend=typescript", f"--max-samples={traces}", "--max-steps=10", "--verbosity=1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*words, "--seed=1", str(SPEC)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    quint, wanted = sys.argv[1], float(sys.argv[2])
    start = seconds_of(quint, 1)
    traces = 500
    while (took := seconds_of(quint, traces) - start) < wanted / 2:
        traces *= 2
    print(json.dumps({"seconds": took, "plays": traces, "plies": traces * LENGTH}))


if __name__ == "__main__":
    main()
