"""Random plays by the engines in plain Python, calm_peer.py and sea_lords_peer.py: what was counted, as JSON.

python python_plays.py calm|sea_lords SECONDS
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import calm_peer
import sea_lords_peer
import sea_lords_plays


def plies_of_calm(random: Random) -> int:
    """One play of four; a ply is a turn."""
    return calm_peer.play_game(random, calm_peer.Config(players=4)).turns


def plies_of_sea_lords(random: Random) -> int:
    """One play on a drawn layout."""
    _, questions = sea_lords_plays.play(random, sea_lords_peer.Config())
    return len(questions)


def main() -> None:
    play = {"calm": plies_of_calm, "sea_lords": plies_of_sea_lords}[sys.argv[1]]
    seconds, random = float(sys.argv[2]), Random(1)
    for _ in range(10):
        play(random)  # fills the caches
    plays = plies = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        plies += play(random)
        plays += 1
    print(json.dumps({"seconds": time.process_time() - began, "plays": plays, "plies": plies}))


if __name__ == "__main__":
    main()
