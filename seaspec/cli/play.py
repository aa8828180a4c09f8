"""`seaspec play`: a game at the terminal, hot-seat or against bots; or as JSON lines, for programs."""

from __future__ import annotations

import argparse
from random import Random
from time import monotonic

from seaspec.bots import Bot
from seaspec.cli.arguments import add_json, add_spec, bot_of, bots_named, load_game, player_named, whole
from seaspec.cli.output import Fault, print_error
from seaspec.cli.play_json import play_json
from seaspec.cli.play_terminal import play_terminal
from seaspec.cli.session import Session, path_named
from seaspec.game import Game

_EXAMPLE = """\
Without --bots and --as, people play all seats at one keyboard; each sees only what the rules let them see.

example:
  seaspec play calm --set players=2
  seaspec play calm --as Ann                     against bots, which choose at random
  seaspec play calm --as Ann --bots mcts:2s      against bots that think for two seconds
  seaspec play "calm + reefs" --bots Ben,Cid=mcts --load my.play

bots:
  random          each option is equally likely
  greedy          what is best by the score of the game, one move ahead; greedy:NAME by a define or state of a player
  mcts            looks ahead by tree search, 400 random plays a choice; mcts:2000 so many, mcts:2s as many as it can
Bots know what the player knows that they play, and no more.
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
    parser.add_argument("--bots", metavar="BOTS", help="which players are bots, and which: Ben,Cid=mcts; mcts for all")
    parser.add_argument("--as", dest="people", metavar="NAMES", help="the players that people play; others are bots")
    parser.add_argument("--seed", type=whole, help="the seed of all chance; a new one without")
    parser.add_argument("--load", metavar="SAVED", help="go on with a saved play")
    parser.add_argument("--save", metavar="FILE", help="save the play here when it ends, or is left")
    add_json(parser, "an event a line; answers are read from stdin, by index (from 0) or text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the end."""
    game = load_game(args)
    people, bots = _table(args, game)
    if args.save is not None and not path_named(args.save).parent.is_dir():
        raise Fault(f"{path_named(args.save).parent} is no directory, so the play could not be saved there")
    seed = Random().getrandbits(63) if args.seed is None else args.seed
    session = Session(game, people, seed, asks_all=args.json, bots=bots)
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
        for name, bot in bots.items():
            if bot.baffled:
                print_error(f"{name} chose at random {bot.baffled} times: found no position that fits all {name} knew")
    return 0


def _table(args: argparse.Namespace, game: Game) -> tuple[frozenset[str], dict[str, Bot]]:
    """The players that people play, and the bots."""
    named, others = ({}, None) if args.bots is None else bots_named(game, args.bots)
    if args.people is not None:
        people = frozenset(player_named(game, name) for name in args.people.split(","))
        if both := people & named.keys():
            raise Fault(f"{', '.join(sorted(both))} can not be played by a bot and by somebody")
    else:
        people = frozenset(game.players) - named.keys()
        if not people or others is not None:
            raise Fault("somebody has to play", "say who with --as; 'seaspec simulate' plays without people")
    kinds = {name: named.get(name, others or "random") for name in game.players if name not in people}
    return people, {name: bot_of(game, kind, monotonic) for name, kind in kinds.items()}
