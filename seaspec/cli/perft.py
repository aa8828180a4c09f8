"""`seaspec perft`: in how many ways players can choose, by depth. Two engines with the same rules agree on it."""

from __future__ import annotations

import argparse

from seaspec.cli.arguments import add_json, add_spec, load_game
from seaspec.cli.main import OK
from seaspec.cli.output import aligned, print_json
from seaspec.trials.explore import perft

_EXAMPLE = """\
example:
  seaspec perft tests/cases/games/tic_tac_toe.sea --depth 9     how many games there are, and more

Only choices count; chance takes every course. Equal positions are looked at once.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "perft",
        help="the number of ways to play, by depth",
        description="Count the ways in which players can choose, by the number of choices.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    parser.add_argument("--depth", type=int, default=3, help="choices (3)")
    add_json(parser, "the counts from depth 0 on")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the counts."""
    counts = perft(load_game(args).machine, max(0, args.depth))
    if args.json:
        print_json({"perft": counts})
    else:
        rows = [("depth", "ways"), *((str(depth), f"{count:,}") for depth, count in enumerate(counts))]
        print("\n".join(aligned(rows, right=[0, 1])))
    return OK
