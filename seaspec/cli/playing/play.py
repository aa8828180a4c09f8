"""`seaspec play`: a game at the terminal, hot-seat or against bots; or as JSON lines, for programs."""

from __future__ import annotations

import argparse
import shlex
from random import Random
from time import monotonic

from seaspec.bots import Bot
from seaspec.check.describe import snake_case
from seaspec.cli.arguments import add_json, add_spec, bot_of, bots_named, load_game, one_subject, player_named, whole
from seaspec.cli.output import Fault, print_error
from seaspec.cli.playing.keeping import Keeper, ended_like_ctrl_c, path_named
from seaspec.cli.playing.programs import play_json
from seaspec.cli.playing.session import Session
from seaspec.cli.playing.terminal import play_terminal
from seaspec.cli.stored_rules import read_rules
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.syntax import tree

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
    parser.add_argument("--load", metavar="SAVED", help="go on with a saved play, and its options")
    parser.add_argument("--save", metavar="FILE", help="save the play here, after each choice (.seaspec/last.play)")
    add_json(parser, "an event a line; answers are read from stdin, by index (from 0) or text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the end."""
    game = _game(args)
    people, bots = _table(args, game)
    keeper = Keeper(None if args.save is None else path_named(args.save))
    seed = Random().getrandbits(63) if args.seed is None else args.seed
    session = Session(game, people, seed, asks_all=args.json, bots=bots)
    if args.load is not None:
        session.load(args.load)
    if args.save is not None or not args.json:
        keeper.try_to_write()
    try:
        with ended_like_ctrl_c():
            if args.json:
                play_json(session, keeper if keeper.is_asked else None)
            else:
                play_terminal(session, keeper, _how_to_go_on(args))
    finally:
        if keeper.is_asked:
            keeper.keep(session.play)
        for name, bot in bots.items():
            if bot.baffled:
                print_error(f"{name} chose at random {bot.baffled} times: found no position that fits all {name} knew")
    return 0


def _game(args: argparse.Namespace) -> Game:
    """The game that is to be played. A play that is loaded must be one of it, and brings its options."""
    if args.load is None:
        return load_game(args)
    rules = read_rules(path_named(args.load))["rules"]
    report = Report()
    subject = one_subject(args.file, report)
    variants = [c.name for c in subject.chapters if c.kind in (tree.ChapterKind.VARIANT, tree.ChapterKind.WORLD)]
    saved, asked = [rules["name"], *rules["stack"]], [subject.game.name, *variants]
    if saved != asked:
        names = " + ".join(map(snake_case, saved))
        hint = f"seaspec play {shlex.quote(names)} --load {shlex.quote(args.load)}"
        raise Fault(f"{args.load} is a play of {' + '.join(saved)}, and this is {' + '.join(asked)}", hint)
    if not args.set:
        args.set = [f"{name}={value}" for name, value in rules["options"].items()]
    return load_game(args)


def _how_to_go_on(args: argparse.Namespace) -> str:
    """The command that goes on with a play, but for the file."""
    named = [("--as", args.people), ("--bots", args.bots), ("--save", args.save)]
    options = [word for name, value in named if value is not None for word in (name, value)]
    return shlex.join(["seaspec", "play", args.file, *options, "--load"])


def _table(args: argparse.Namespace, game: Game) -> tuple[frozenset[str], dict[str, Bot]]:
    """The players that people play, and the bots."""
    for option, value in (("--as", args.people), ("--bots", args.bots)):
        if value is not None and not all(word.strip() for word in value.split(",")):
            raise Fault(f"{option} wants names of players, not '{value}'", f"there are {', '.join(game.players)}")
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
