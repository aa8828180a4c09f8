"""What commands have in common: FILE and `--set`, and the one game that they mean."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seaspec.cli.output import Fault, print_diagnostics
from seaspec.diagnostics.model import Report, near
from seaspec.library import Subject, load_subjects, parse_options
from seaspec.loading import LoadError, load_subject

if TYPE_CHECKING:
    from seaspec.game import Game


def add_spec(parser: argparse.ArgumentParser) -> None:
    """FILE and `--set`."""
    parser.add_argument("file", metavar="FILE", help="a .sea file, a game's name, or a stack: 'calm + reefs + storms'")
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
    report = Report()
    subject = one_subject(args.file, report)
    options = options_of(args.set, report)
    if report.failed:
        raise LoadError(report)
    if not args.json:
        print_diagnostics(report)
    return game_of(subject, options)


def game_of(subject: Subject, options: Mapping[str, str]) -> Game:
    """A subject with options, which knows what it was loaded from."""
    game = load_subject(subject, options)
    game.subject = subject
    return game


def one_subject(spec: str, report: Report) -> Subject:
    """The one subject that a spec means."""
    subjects = load_subjects(spec, report)
    if report.failed or not subjects:
        raise LoadError(report)
    if len(subjects) > 1:
        names = [subject.name for subject in subjects]
        by_name = next((name for name in names if load_subjects(name, Report())), None)
        hint = "give each variant a file of its own" if by_name is None else f"say which, as in '{by_name}'"
        raise Fault(f"{spec} has {len(names)} variants: {', '.join(names)}", hint)
    return subjects[0]


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


def described(game: Game) -> str:
    """The chapters and options of a game, in a line: `Cards + Short, players=3`."""
    options = [f"{name}={value}" for name, value in game.options.items()]
    return ", ".join([" + ".join([game.name, *game.stack]), *options])
