"""An invariant of tic_tac_toe.qnt, tested by Quint's simulator on random plays: processor time, as JSON.

python quint_invariant.py QUINT TRACES
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

SPEC = Path(__file__).resolve().parent / "tic_tac_toe.qnt"


def main() -> None:
    quint, traces = sys.argv[1:]
    words = [quint, "run", "--backend=typescript", f"--max-samples={traces}", "--max-steps=10", "--verbosity=1"]
    done = subprocess.run([*words, "--seed=1", "--invariant=fair", str(SPEC)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the invariant does not hold: {done.stdout}{done.stderr}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"seconds": used.ru_utime + used.ru_stime, "promises": 1}))


if __name__ == "__main__":
    main()
