"""`seaspec certify`: look again, by other means, at what `seaspec check --certificate` says to be proved."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seaspec.certify.certificate import CertificateError
from seaspec.cli.arguments import add_json, positive
from seaspec.cli.checking.certificates import certified, told_of
from seaspec.cli.main import OK, UNDECIDED
from seaspec.cli.output import BOLD, GREEN, RED, YELLOW, Fault, paint, print_json, wrapped
from seaspec.files import read_play

SECONDS = 300
_EXAMPLE = """\
examples:
  seaspec check calm --certificate calm.proof     prove, and write down what was found
  seaspec certify calm.proof                      look at it again

Every fact is evaluated in plays, searches and explorations, and derived again by an encoding of its own. What could not
be derived again is said; that is no fault. What is refuted is an ALARM: a mistake of SeaSpec.
Exit code: 0 nothing is refuted, 1 the certificate can not be read, 2 something is refuted, 3 bad command line.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "certify",
        help="look again at what was proved, by other means",
        description="Check a certificate of proofs: evaluate each fact in plays and explorations, and derive it again.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("certificate", metavar="CERTIFICATE", help="as seaspec check --certificate wrote it")
    parser.add_argument(
        "--limit", metavar="N", type=positive, default=SECONDS, help=f"seconds for all of it ({SECONDS})"
    )
    add_json(parser, "game, promises, alarms, parts")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check a certificate; 2 if something in it is refuted."""
    ends = time.monotonic() + args.limit

    def soon(part: float) -> Callable[[], bool]:
        then = time.monotonic() + part * max(0.0, ends - time.monotonic())
        return lambda: time.monotonic() < then

    try:
        data = read_play(Path(args.certificate))
        found = certified(data, lambda: time.monotonic() < ends, soon)
    except CertificateError as error:
        raise Fault(f"{args.certificate}: {error}") from None
    told = told_of(found)
    if args.json:
        print_json(told)
    else:
        print("\n".join(lines_of(told)))
    return UNDECIDED if told["alarms"] else OK


def lines_of(told: dict[str, Any]) -> list[str]:
    """What came out, for people."""
    lines = [paint(told["game"], BOLD)]
    for part in told["parts"]:
        where = "the game" if part["world"] is None else f"the world {part['world']}"
        said = [f"{part['derived']} facts derived again at {part['places']} places"]
        if part["positions"]:
            every = "all" if part["complete"] else "some"
            looked = (
                f"{part['evaluated']} of {part['facts']} facts evaluated at {part['positions']} positions ({every})"
            )
            said.insert(0, looked)
        lines.append(wrapped(f"{where}: {', '.join(said)}", "  "))
    for promise in told["promises"]:
        if promise["verdict"] == "re-derived":
            world = "" if promise["world"] is None else f" for the world {promise['world']}"
            lines.append(f"  {paint('re-derived', GREEN)}{world}: {promise['name']}")
        else:
            lines.append(wrapped(f"{paint('not re-derived', YELLOW)}: {promise['name']}: {promise['why']}", "  "))
    for text in told["unread"]:
        lines.append(wrapped(f"{paint('not read', YELLOW)}: {text}", "  "))
    for alarm in told["alarms"]:
        lines.append(f"{paint('ALARM', BOLD, RED)}: this fails, and was said to hold: {alarm['says']}")
        lines += [f"    {number}. {step}" for number, step in enumerate(alarm["play"], 1)]
    if told["alarms"]:
        lines.append("This is a mistake of SeaSpec: please report it, with the certificate.")
    return lines
