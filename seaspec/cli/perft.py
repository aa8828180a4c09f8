"""`seaspec perft`: in how many ways players can choose, by depth. Two engines with the same rules agree on it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import islice

from seaspec.backends.interpreter.machine import Machine
from seaspec.cli.arguments import add_json, add_spec, count, load_game, positive
from seaspec.cli.main import OK
from seaspec.cli.output import Fault, print_json
from seaspec.explore.reference import TooMany, perft

LIMIT, BY_INTERPRETER = 2_000_000, 100_000
"""Positions that are kept at a time, in machine code and without it; some hundred MB."""

_EXAMPLE = """\
example:
  seaspec perft spec/anchors/tic_tac_toe.sea --depth 9     how many games there are, and more

Only choices count; chance takes every course. Equal positions are looked at once, and counted as often as there are
ways to them.
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
    parser.add_argument("--depth", metavar="N", type=count, default=3, help="choices (3)")
    parser.add_argument("--limit", metavar="N", type=positive, default=LIMIT, help=f"positions at a time ({LIMIT})")
    add_json(parser, "perft, the counts from depth 0 on")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the counts as they are known; a fault if there are too many positions."""
    counts: list[int] = []
    machine = load_game(args).machine
    if not args.json:
        print(f"{'depth':>7}  {'ways':>15}", flush=True)
    try:
        for ways in _counted(machine, args.depth, args.limit):
            if not args.json:
                print(f"{len(counts):>7}  {ways:>15,}", flush=True)
            counts.append(ways)
    except TooMany:
        hint = "chance takes every course; try a small world, or a smaller --depth"
        message = f"for depth {len(counts)}, more than {args.limit:,} positions would have to be kept"
        raise Fault(message, hint) from None
    if args.json:
        print_json({"perft": counts})
    return OK


def _counted(machine: Machine, depth: int, limit: int) -> Iterator[int]:
    """By machine code; from where that can not go on, by the interpreter."""
    known = 0
    try:
        from seaspec.backends.native.errors import NotCompiled
        from seaspec.explore.native import perft_natively
    except ImportError:  # llvmlite is not there
        yield from perft(machine, depth, min(limit, BY_INTERPRETER))
        return
    try:
        for ways in perft_natively(machine, depth, limit, os.cpu_count() or 1):
            known += 1
            yield ways
    except NotCompiled:
        yield from islice(perft(machine, depth, min(limit, BY_INTERPRETER)), known, None)
