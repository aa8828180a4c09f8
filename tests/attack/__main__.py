"""Attacks many games: `python -m attack`, or `make attack`.

cd tests && python -m attack --games 2000 --seed 7 --levels whole,apart --out /tmp/wrong
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import monotonic

from attack.campaign import NoCluster, attacked, died, one
from attack.judge import Outcome, Wrong
from attack.levels import LEVELS


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack, and say what came out: 0 if nothing is wrong, 1 if something is."""
    options = _parser().parse_args(arguments)
    levels = tuple(options.levels.split(",")) if options.levels else None
    unknown = set(levels or ()) - set(LEVELS)
    if unknown:
        print(f"attack: no such level: {', '.join(sorted(unknown))}; there are {', '.join(LEVELS)}", file=sys.stderr)
        return 2
    seeds = [f"{options.seed}:{number}" for number in range(options.first, options.first + options.games)]
    total, began = Outcome(), monotonic()
    try:
        _attack_all(seeds, levels, options, total, began)
    except NoCluster as error:
        print(f"attack: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("attack: stopped", file=sys.stderr)
    _summary(total, monotonic() - began, options.json)
    return 1 if total.wrong else 0


def _attack_all(
    seeds: list[str], levels: tuple[str, ...] | None, options: argparse.Namespace, total: Outcome, began: float
) -> None:
    run = partial(one, levels=levels, shrink=0.0 if options.no_shrink else options.shrink)
    for number, (seed, result) in enumerate(attacked(run, seeds, options.jobs, options.ray), 1):
        outcome, texts = died(seed, result, levels, options.shrink) if isinstance(result, int) else result
        total.add(outcome)
        for wrong, text in zip(outcome.wrong, texts, strict=True):
            _tell(wrong, text, options)
        if not options.json and (number % 25 == 0 or number == len(seeds)):
            _progress(number, len(seeds), total, monotonic() - began)


def _tell(wrong: Wrong, text: str, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({**asdict(wrong), "smallest": text}), flush=True)
    else:
        print(f"\nWRONG {wrong.seed} {wrong.level}: {wrong.how} ({wrong.so})\n  {wrong.promise}", flush=True)
    if options.out:
        folder = Path(options.out)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{wrong.kind}-{wrong.level}-{wrong.seed}".lower().replace(" ", "_").replace(":", "_")
        (folder / f"{name}.sea").write_text(text, encoding="utf-8")


def _progress(done: int, all_: int, total: Outcome, seconds: float) -> None:
    proved = sum(n for (_, kept, how), n in total.counts.items() if how.endswith("proved") and kept == "true")
    line = f"{done} of {all_} games, {seconds:.0f} s, {len(total.wrong)} wrong, {proved} true promises proved"
    print(f"\r{line}", end="" if sys.stdout.isatty() and done < all_ else "\n", flush=True)


def _summary(total: Outcome, seconds: float, as_json: bool) -> None:
    rows: Counter[tuple[str, str, str]] = total.counts
    if as_json:
        counts = [{"kind": k, "kept": kept, "said": how, "number": n} for (k, kept, how), n in sorted(rows.items())]
        said = {name: getattr(total, name) for name in ("games", "refused", "idle", "whole")}
        print(json.dumps({**said, "wrong": len(total.wrong), "seconds": round(seconds, 1), "counts": counts}))
        return
    print(f"\n{total.games} games: {total.refused} refused, {total.idle} idle, {total.whole} known completely")
    print(f"{total.seconds / max(1, total.games):.2f} s a game; {len(total.wrong)} wrong")
    for (kind, kept, how), number in sorted(rows.items()):
        print(f"  {kind:14} {kept:8} {how:24} {number:6}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m attack",
        description="Attacks the verdicts: random games, random promises, and what each level says of them.",
        epilog="example: python -m attack --games 2000 --seed 7 --levels whole,apart --out /tmp/wrong",
    )
    parser.add_argument("--games", type=int, default=2000, help="how many games (2000)")
    parser.add_argument("--seed", default="1", help="another seed, other games (1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game (0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (all cores)")
    parser.add_argument("--levels", default="", help=f"of {', '.join(LEVELS)}; else drawn for each game")
    parser.add_argument("--shrink", type=float, default=45.0, help="seconds to make a text small (45)")
    parser.add_argument("--no-shrink", action="store_true", help="show texts as they were drawn")
    parser.add_argument("--out", default="", help="a folder for texts of which something wrong is said")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="on a Ray cluster: HOST:PORT or auto")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser


if __name__ == "__main__":
    sys.exit(main())
