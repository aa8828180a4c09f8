"""A model explored completely by Spin: seconds of processor time of one exploration and what was counted, as JSON.

python spin_explore.py SPIN CC MODEL SECONDS     repeated until so many seconds are used

What is timed is the verifier that Spin writes, compiled, with its start; Spin's own work and the C compiler are not.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = ("-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=2000")


def main() -> None:
    spin, compiler, model, seconds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([spin, "-a", str(HERE / f"{model}.pml")], cwd=folder, check=True, capture_output=True)
        subprocess.run([compiler, *FLAGS, "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
        spent, repeats, text = 0.0, 0, ""
        while spent < float(seconds):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(["./pan", "-m10000", "-w18"], cwd=folder, check=True, capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            repeats += 1
            text = done.stdout
    found = {name: int(re.search(rf"(\d+) {name}", text)[1]) for name in ("states, stored", "transitions")}  # type: ignore[index]
    if "errors: 0" not in text or "max search depth too small" in text:
        raise SystemExit("the model was not explored completely")
    print(json.dumps({"seconds": spent / repeats, "positions": found["states, stored"], "steps": found["transitions"]}))


if __name__ == "__main__":
    main()
