"""What commands have in common: FILE and `--set`, and the one game that they mean.

What loads games, and bots, is imported where it is needed: a check of which nothing has changed needs neither.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from seaspec.cli.output import Fault, print_diagnostics
from seaspec.diagnostics.model import Report, near
from seaspec.library import Subject, load_subject_of, parse_options

if TYPE_CHECKING:
    from seaspec.bots import Bot
    from seaspec.game import Game

_EXAMPLE_FILE = "a .sea file, a game's name, or a stack: 'calm + reefs + storms'"


def add_spec(parser: argparse.ArgumentParser) -> None:
    """FILE and `--set`."""
    parser.add_argument("file", metavar="FILE", help=_EXAMPLE_FILE)
    _add_set(parser)


def add_specs(parser: argparse.ArgumentParser) -> None:
    """FILE, once or more, and `--set`."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=_EXAMPLE_FILE)
    _add_set(parser)


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the value of an option, such as players=3; may be given several times",
    )


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help=f"print JSON: {what}")


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a whole number is wanted, not '{text[:40]}'") from None


def count(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"a whole number from 0 on is wanted, not '{text[:40]}'")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is wanted, not '{text[:40]}'")
    return int(text)


def load_game(args: argparse.Namespace) -> Game:
    """The game that FILE and `--set` mean. Warnings are printed; errors are raised."""
    from seaspec.loading import LoadError, load_subject

    report = Report()
    subject = one_subject(args.file, report)
    options = options_of(args.set, report)
    if report.failed:
        raise LoadError(report)
    game = load_subject(subject, options, report)
    if not args.json:
        print_diagnostics(report)
    return game


def one_subject(spec: str, report: Report) -> Subject:
    """The one subject that a spec means."""
    from seaspec.loading import LoadError

    subject = load_subject_of(spec, report)
    if subject is None:
        raise LoadError(report)
    return subject


def options_of(texts: Sequence[str], report: Report) -> dict[str, str]:
    """The options given with `--set`, each once."""
    options: dict[str, str] = {}
    for name, value in parse_options(texts, report):
        if name in options and options[name] != value:
            raise Fault(f"the option {name} is set twice: {options[name]} and {value}")
        options[name] = value
    return options


def player_named(game: Game, name: str) -> str:
    """A player of the game, by a name in any case."""
    for player in game.players:
        if player.lower() == name.strip().lower():
            return player
    hint = near(name, game.players)
    raise Fault(f"there is no player {name}; there are {', '.join(game.players)}", hint)


def bots_named(game: Game, text: str) -> tuple[dict[str, str], str | None]:
    """What `--bots` says: bots by player, and the bot for all others, if it names one.

    `Ben` chooses at random, `Ben=mcts:400` or `2=mcts:400` as told; `mcts` alone is for all others.
    """
    from seaspec.bots import KINDS

    by_player: dict[str, str] = {}
    others: str | None = None
    for word in text.split(","):
        name, told, bot = word.strip().partition("=")
        is_player = name.lower() in {player.lower() for player in game.players}
        if not told and not is_player and name.partition(":")[0] in KINDS:
            if others is not None:
                raise Fault(f"--bots names two bots for all others: {others} and {name}")
            others = name
            continue
        if told and name.isdecimal() and 1 <= int(name) <= len(game.players):
            name = game.players[int(name) - 1]
        player = player_named(game, name)
        if player in by_player:
            raise Fault(f"--bots names {player} twice")
        by_player[player] = bot if told else "random"
    return by_player, others


def bot_of(game: Game, text: str, clock: Callable[[], float] | None = None) -> Bot:
    """The bot of a name; Fault if there is none."""
    from seaspec.bots import BotError

    try:
        return game.bot(text, clock)
    except BotError as error:
        raise Fault(error.message, error.hint) from None


def described(game: Game) -> str:
    """The chapters and options of a game, in a line: `Cards + Short, players=3`."""
    options = [f"{name}={value}" for name, value in game.options.items()]
    return ", ".join([" + ".join([game.name, *game.stack]), *options])
