"""`seaspec play`: a game at the terminal, hot-seat or against bots; or as JSON lines, for programs."""

from __future__ import annotations

import argparse
from random import Random

from seaspec.cli.arguments import add_json, add_spec, load_game, player_named, whole
from seaspec.cli.output import Fault
from seaspec.cli.play_json import play_json
from seaspec.cli.play_terminal import play_terminal
from seaspec.cli.session import Session
from seaspec.game import Game

_EXAMPLE = """\
Without --bots and --as, people play all seats at one keyboard; each sees only what the rules let them see.

example:
  seaspec play calm --set players=2
  seaspec play calm --as Ann                 against bots, which choose at random
  seaspec play "calm + reefs" --bots Ben,Cid --load my.play
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "play",
        help="play a game, at one keyboard or against bots",
        description="Play a game at the terminal. Type the number of an option, or a part of it; 'help' says more.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--bots", metavar="NAMES", help="players that choose at random, such as Ben,Cid")
    who.add_argument("--as", dest="people", metavar="NAMES", help="the players that people play; the others are bots")
    parser.add_argument("--seed", type=whole, help="the seed of all chance; a new one without")
    parser.add_argument("--load", metavar="SAVED", help="go on with a saved play")
    parser.add_argument("--save", metavar="FILE", help="save the play here when it ends, or is left")
    add_json(parser, "an event a line; answers are read from stdin, by index (from 0) or text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the end."""
    game = load_game(args)
    people = _people(args, game)
    seed = Random().getrandbits(63) if args.seed is None else args.seed
    session = Session(game, people, seed, asks_all=args.json)
    if args.load is not None:
        session.load(args.load)
    try:
        if args.json:
            play_json(session)
        else:
            play_terminal(session)
    finally:
        if args.save is not None:
            session.save(args.save)
    return 0


def _people(args: argparse.Namespace, game: Game) -> frozenset[str]:
    """The players that people play."""
    everybody = frozenset(game.players)
    if args.people is not None:
        return frozenset(player_named(game, name) for name in args.people.split(","))
    if args.bots is None:
        return everybody
    people = everybody - {player_named(game, name) for name in args.bots.split(",")}
    if not people:
        raise Fault("somebody has to play", "'seaspec simulate' plays without people")
    return people
