"""Native code against the interpreter on many plies: `make conformance`, or

    python tests/conformance.py --plies 1000000 [--games calm hex ..] [--plays 10000]

Each game is played in both back ends at once, ply by ply (native_agreement.py), each case (native_cases.py) its share
of the plies. Then native code alone makes so many random plays of each case: all must come to an end.
"""

from __future__ import annotations

import argparse
import sys
import time

from native_agreement import Comparison, Disagreement
from native_cases import Case, cases, games

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.machine import Machine, PlayFailed
from seaspec.loading import LoadError

SEED = 1
TRACED = 2000
"""So many plies of each case are compared with what happens on the way."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--plies", type=int, default=1_000_000, help="plies of each game, compared")
    parser.add_argument("--plays", type=int, default=10_000, help="random plays of each case, by native code alone")
    parser.add_argument("--games", nargs="*", help="these games only")
    args = parser.parse_args()
    failed = 0
    for name, path in games():
        if args.games and name not in args.games:
            continue
        listed = cases(path)
        left = args.plies
        for number, case in enumerate(listed):
            share = -(-left // (len(listed) - number))
            compared = run_case(case, share, args.plays)
            failed += compared is None
            left -= compared or 0
        print(f"{name}: {args.plies - left:,} plies in {len(listed)} cases", flush=True)
    print(f"{failed} cases failed" if failed else "all agree")
    return int(failed > 0)


def run_case(case: Case, plies: int, plays: int) -> int | None:
    """How many plies were compared; None if the two do not agree, or one can not run the game."""
    start = time.process_time()
    try:
        game = case.game()
        if game is None:
            return 0
        traced = Comparison(game, Machine(game.flow, traces=True)).plies(min(plies, TRACED), SEED)
        native = Machine(game.flow)
        tally = Comparison(game, native).plies(plies - traced.plies, SEED + 1)
        tally.add(traced)
        totals = native.simulate(SEED, 0, plays)
    except (Disagreement, PlayFailed, NotCompiled, LoadError) as error:
        print(f"  FAILED {case.name}: {error}", flush=True)
        return None
    seconds = time.process_time() - start
    failures = f", {sum(tally.failures.values())} obligations not met on both sides" if tally.failures else ""
    print(
        f"  {case.name}: {tally.plies:,} plies of {tally.plays:,} plays, {tally.options:,} options{failures}; "
        f"{totals.plays:,} plays end; {seconds:.1f} s",
        flush=True,
    )
    return tally.plies


if __name__ == "__main__":
    sys.exit(main())
