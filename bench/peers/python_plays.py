"""Random plays of Calm by the plain Python engine, calm_peer.py: what was counted, as JSON.

python python_plays.py PLAYERS SECONDS
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import calm_peer


def main() -> None:
    config, seconds, random = calm_peer.Config(players=int(sys.argv[1])), float(sys.argv[2]), Random(1)
    calm_peer.simulate(100, 1, config)  # fills the caches
    plays = turns = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        turns += calm_peer.play_game(random, config).turns
        plays += 1
    print(json.dumps({"seconds": time.process_time() - began, "plays": plays, "plies": turns}))


if __name__ == "__main__":
    main()
