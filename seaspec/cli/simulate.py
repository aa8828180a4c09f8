"""`seaspec simulate`: what happens in many random plays of a game."""

from __future__ import annotations

import argparse
import math
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from seaspec.cli.arguments import add_json, add_spec, described, load_game, positive, whole
from seaspec.cli.histogram import histogram
from seaspec.cli.output import BOLD, aligned, paint, print_error, print_json, wrapped
from seaspec.cli.progress import Progress
from seaspec.cli.random_plays import CUT_OFF, Played, failed_play, play_all
from seaspec.game import Game

_EXAMPLE = """\
Each choice is made at random, every option with the same probability. A play of a given number and seed is always the
same, whatever --jobs is.

example:
  seaspec simulate calm --set players=2 --plays 500
  seaspec simulate rules/calm.sea --plays 2000 --json
"""

_TOLD = 5
"""So many failures are told."""
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "simulate",
        help="play a game at random many times: outcomes, lengths, choices",
        description="Play a game at random many times, and tell how the plays end, how long they are, how much there "
        "is to choose.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    parser.add_argument("--plays", type=positive, default=200, metavar="N", help="how many plays (200)")
    parser.add_argument("--seed", type=whole, help="the seed of all chance; a new one without")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1, metavar="N", help="processes (all cores)")
    parser.add_argument("--limit", type=positive, default=20_000, metavar="N", help="choices at most in a play (20000)")
    add_json(parser, "seed, plays, outcomes, wins, length, branching, decisions, failures, seconds")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play, and print what was found; 1 if the rules failed in a play."""
    game = load_game(args)
    seed = Random().randrange(10**6) if args.seed is None else args.seed
    begun = time.perf_counter()
    plays: list[Played] = []
    with Progress("plays", args.plays) as progress:
        for some in play_all(game, args.file, args.set, args.plays, seed, args.limit, args.jobs):
            plays += some
            progress.advance(len(some))
    found = summary(game, plays, seed, time.perf_counter() - begun)
    if args.json:
        print_json(found)
    else:
        print("\n".join(_as_text(game, found, [play.length for play in plays if play.reason != CUT_OFF])))
    for failure in found["failures"][:_TOLD] if not args.json else ():
        path = _save(game, seed, failure["play"])
        told = f"the rules fail in play {failure['play']} of seed {seed}: {failure['message']}"
        print_error(told, None if path is None else f"see how it came to that: seaspec replay {path}")
    return 1 if found["failures"] else 0


def _save(game: Game, seed: int, number: int) -> Path | None:
    """Keep a play in which the rules fail, if anything can be written here."""
    path = Path(".seaspec") / f"{game.name.lower()}_{seed}_{number}.play"
    try:
        path.parent.mkdir(exist_ok=True)
        failed_play(game, seed, number).save(path)
    except OSError:
        return None
    return path


def summary(game: Game, plays: Sequence[Played], seed: int, seconds: float) -> dict[str, Any]:
    """All numbers, ready for JSON."""
    good = [play for play in plays if play.failure is None]
    ended = [play for play in good if play.reason != CUT_OFF]
    outcomes = Counter(play.outcome for play in good)
    wins = Counter(seat for play in ended for seat in play.winners)
    menus = sum((Counter(play.decisions) for play in good), Counter[str]())
    options = sum((Counter(play.options) for play in good), Counter[str]())
    chosen = sum(menus.values())
    return {
        "game": " + ".join([game.name, *game.stack]),
        "options": game.options,
        "seed": seed,
        "plays": len(plays),
        "outcomes": [{"outcome": o, "plays": n, **_share(n, len(good))} for o, n in outcomes.most_common()],
        "wins": {name: {"plays": wins[q], **_share(wins[q], len(ended))} for q, name in enumerate(game.players)},
        "length": _spread([play.length for play in ended]),
        "branching": {"mean": sum(options.values()) / chosen if chosen else 0.0, "choices": chosen},
        "decisions": {
            menu: {"a_play": n / len(good), "options": options[menu] / n} for menu, n in sorted(menus.items())
        },
        "failures": [
            {"play": number, "message": play.failure} for number, play in enumerate(plays) if play.failure is not None
        ],
        "seconds": round(seconds, 3),
        "plays_per_second": round(len(plays) / seconds, 1),
    }


def _share(part: int, whole: int) -> dict[str, float | list[float]]:
    """A share of plays, with the interval (Wilson's) in which the true one lies with a probability of 95 %."""
    if whole == 0:
        return {"share": 0.0, "interval": [0.0, 1.0]}
    z = 1.96
    share = part / whole
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    return {"share": share, "interval": [max(0.0, middle - half), min(1.0, middle + half)]}


def _spread(numbers: Sequence[int]) -> dict[str, Any]:
    """How numbers are spread; a quantile is one of the numbers."""
    if not numbers:
        return {"plays": 0}
    ordered = sorted(numbers)
    quantiles = {str(q): ordered[min(len(ordered) - 1, int(q * len(ordered)))] for q in _QUANTILES}
    return {
        "plays": len(ordered),
        "mean": fmean(ordered),
        "sd": stdev(ordered) if len(ordered) > 1 else 0.0,
        "least": ordered[0],
        "most": ordered[-1],
        "quantiles": quantiles,
    }


# ---------------------------------------------------------------------------------------------------------------- text


def _as_text(game: Game, found: dict[str, Any], lengths: Sequence[int]) -> list[str]:
    rate = found["plays_per_second"]
    lines = [
        paint(game.title, BOLD) + f"   {described(game)}",
        f"{found['plays']} random plays of seed {found['seed']} in {found['seconds']:.1f} s, {rate:.0f} a second",
        "",
        paint("outcomes", BOLD),
        *_outcome_lines(found["outcomes"]),
    ]
    spread = found["length"]
    if spread["plays"]:
        rows = [(name, _percent(wins), str(wins["plays"])) for name, wins in found["wins"].items()]
        lines += ["", paint("wins", BOLD), *aligned(rows, right=[1, 2])]
        quantiles = ", ".join(f"{float(q):.0%} {n}" for q, n in spread["quantiles"].items())
        lines += [
            "",
            paint("length", BOLD) + f"   {spread['mean']:.1f} choices a play, standard deviation {spread['sd']:.1f}",
            f"  from {spread['least']} to {spread['most']}; quantiles: {quantiles}",
            *("  " + line for line in histogram(lengths)),
        ]
    rows = [(menu, f"{d['a_play']:.1f}", f"{d['options']:.1f}") for menu, d in found["decisions"].items()]
    lines += [
        "",
        paint("choices", BOLD) + f"   {found['branching']['mean']:.1f} options on average",
        *aligned([("", "a play", "options"), *rows], right=[1, 2]),
    ]
    return lines


def _outcome_lines(outcomes: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for found in outcomes:
        text = wrapped(found["outcome"], " " * 30).lstrip()
        lines.append(f"  {_percent(found):>19}  {found['plays']:>6}  {text}")
    return lines


def _percent(found: dict[str, Any]) -> str:
    low, high = found["interval"]
    return f"{found['share']:.1%} ({low:.0%}..{high:.0%})"
