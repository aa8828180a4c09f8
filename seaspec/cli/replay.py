"""`seaspec replay`: a saved play, move by move, by the rules that it was played by."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.state import State
from seaspec.cli.arguments import add_json, described, player_named, whole
from seaspec.cli.clauses import clause_lines, clause_texts
from seaspec.cli.output import BOLD, DIM, Fault, clear_screen, is_terminal, paint, print_json, screen_width
from seaspec.cli.stored_rules import current_game, read_rules, stored_game
from seaspec.cli.table import table_text
from seaspec.drawing import Seen, draw_svg
from seaspec.files import write_whole
from seaspec.game import Game
from seaspec.play import Play, View
from seaspec.sampling.telling import open_table
from seaspec.saved import from_json

_EXAMPLE = """\
A play is bound to the exact rules that made it. If they have changed since, it is refused, and the lines that changed
are shown; --stored plays it by the rules that were saved with it.

example:
  seaspec replay my.play --step
  seaspec replay my.play --at 20 --svg board.svg
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "replay",
        help="show a saved play, move by move",
        description="Show a saved play, move by move, and the board where it stops; nothing is hidden, unless --as "
        "says who looks.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("saved", metavar="SAVED", help="a saved play")
    parser.add_argument("--step", action="store_true", help="draw the board after each move, and wait for Enter")
    parser.add_argument("--at", type=whole, metavar="N", help="stop after so many moves")
    parser.add_argument("--as", dest="viewer", metavar="NAME", help="show what this player saw")
    parser.add_argument("--svg", metavar="FILE", help="write a picture of the board where the play stops; - for stdout")
    parser.add_argument("--stored", action="store_true", help="by the rules that were saved with the play")
    add_json(parser, "rules, moves (with --as: log), result, table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Replay."""
    data = read_rules(Path(args.saved))
    game = stored_game(data) if args.stored else current_game(data, Path(args.saved))
    play = from_json(data, game)
    viewer = None if args.viewer is None else player_named(game, args.viewer)
    if args.svg == "-" and (args.json or args.step):
        raise Fault("--svg - writes the picture to stdout, and nothing else goes there")
    total = len(play.history)
    if args.at is not None and not 0 <= args.at <= total:
        raise Fault(f"the play has {total} moves, so --at can not be {args.at}")
    shown = total if args.at is None else args.at
    if args.svg == "-":
        print(_as_svg(play, shown, viewer), end="")
        return 0
    if args.json:
        print_json(_as_json(play, shown, viewer))
    else:
        _tell(args, game, play, shown, viewer)
    if args.svg is not None:
        write_whole(Path(args.svg), _as_svg(play, shown, viewer))
    return 0


def _tell(args: argparse.Namespace, game: Game, play: Play, shown: int, viewer: str | None) -> None:
    print(paint(game.title, BOLD) + f"   {described(game)}")
    steps = args.step
    for first, last in _blocks(play, shown):
        lines = list(_move_lines(play, first, last, viewer))
        if steps and lines:
            if is_terminal(sys.stdin):
                clear_screen()
            print("\n".join(lines), end="\n\n")
            print(table_text(game.rules, _seen(play, last, viewer)), flush=True)
            steps = _wait()
        elif lines:
            print("\n".join(lines))
    if not args.step:
        print()
        print(table_text(game.rules, _seen(play, shown, viewer)))
    if shown == len(play.history):
        print()
        print("\n".join(ending_lines(play)))


def _wait() -> bool:
    """Wait for Enter; False if nobody is there to press it."""
    print(paint("Enter: the next move; Ctrl-D: all of them ", DIM), end="", flush=True)
    line = sys.stdin.readline()
    print()
    return bool(line)


def _blocks(play: Play, shown: int) -> Iterator[tuple[int, int]]:
    """Moves that are told together: each choice for itself, what chance does without a choice between."""
    first = 0
    while first < shown:
        last = first + 1
        while play.history[first].player is None and last < shown and play.history[last].player is None:
            last += 1
        yield first, last
        first = last


def _move_lines(play: Play, first: int, last: int, viewer: str | None) -> Iterator[str]:
    """Some moves, as they happened or as a player noticed them."""
    if viewer is not None:
        yield from log_between(play, first, last, viewer)
        return
    who = play.history[first].player or "chance"
    number = f"{first + 1:>4}. " if last == first + 1 else f"{first + 1:>4}..{last}. "
    text = "; ".join(move.text for move in play.history[first:last])
    yield textwrap.fill(f"{number}{who}: {text}", screen_width(), subsequent_indent="      ", break_on_hyphens=False)


def log_between(play: Play, first: int, last: int, viewer: str) -> tuple[str, ...]:
    """What a player came to know of between two moves."""
    before, after = (_view(play, number, viewer).log for number in (first, last))
    return after[len(before) :]


def ending_lines(play: Play) -> list[str]:
    """How a play ended, with the clauses of the rule that ended it."""
    result = play.result
    if result is None:
        return ["The play goes on" + (f": {play.asked} is asked." if play.asked else ".")]
    lines = [paint(f"{who_won(play)}: {result.reason}", BOLD)]
    if result.scores is not None:
        for name, score in result.scores.items():
            lines.append(f"  {name}: {'out' if score is None else ', then '.join(map(str, score))}")
    return [*lines, *clause_lines(play.game, result.cites)]


def who_won(play: Play) -> str:
    """The winners, or the losers if nobody wins."""
    result = play.result
    assert result is not None
    everybody = len(play.game.players)
    if not result.winners:
        return (
            "Nobody wins" if not result.losers else "All have lost" if everybody > 1 else f"{result.losers[0]} has lost"
        )
    if len(result.winners) == everybody > 1:
        return "All have won"
    names = ", ".join(result.winners[:-1]) + " and " * (len(result.winners) > 1) + result.winners[-1]
    return f"{names} {'have' if len(result.winners) > 1 else 'has'} won"


def _seen(play: Play, number: int, viewer: str | None) -> Seen:
    """The table after so many moves."""
    if viewer is not None:
        return _view(play, number, viewer)
    return open_table(play.game.machine, _state(play, number))


def _state(play: Play, number: int) -> State:
    steps = play.steps
    return steps[number + 1][0] if number + 1 < len(steps) else play.position


def _view(play: Play, number: int, viewer: str) -> View:
    """What a player saw after so many moves."""
    seat = play.game.players.index(viewer)
    return views.view(play.game.machine, _state(play, number), play.steps[: number + 1], seat)


def _as_svg(play: Play, shown: int, viewer: str | None) -> str:
    """The table after so many moves as a picture, with what the last choice has changed."""
    game = play.game
    asked = _asked(play, shown)
    stack = " + ".join([game.name, *game.stack])
    note = "  ·  ".join([stack, f"after {shown} moves", *([f"{asked} is asked"] if asked else [])])
    last = next((number for number in reversed(range(shown)) if play.history[number].player is not None), None)
    before = None if last is None else _seen(play, last, viewer)
    return draw_svg(game.rules, _seen(play, shown, viewer), game.title, note, before)


def _asked(play: Play, number: int) -> str | None:
    """Who is asked after so many moves, if it is not chance."""
    return play.history[number].player if number < len(play.history) else play.asked


def _as_json(play: Play, shown: int, viewer: str | None) -> dict[str, Any]:
    """The moves, or what a player came to know of them (`log`); the table as far as it is seen."""
    game = play.game
    result = play.result if shown == len(play.history) else None
    if viewer is None:
        moves = [{"player": move.player, "menu": move.menu, "does": move.text} for move in play.history[:shown]]
        told: dict[str, Any] = {"moves": moves}
    else:
        told = {"viewer": viewer, "log": list(_view(play, shown, viewer).log)}
    return {
        "rules": {"name": game.name, "stack": list(game.stack), "options": game.options, "digest": game.digest},
        "players": list(game.players),
        **told,
        "result": None if result is None else result_data(play),
        "table": table_data(_seen(play, shown, viewer)),
    }


def result_data(play: Play) -> dict[str, Any]:
    """The end of a play for JSON."""
    result = play.result
    assert result is not None
    return {
        "winners": list(result.winners),
        "losers": list(result.losers),
        "scores": result.scores,
        "reason": result.reason,
        "cites": list(result.cites),
        "clauses": clause_texts(play.game, result.cites),
    }


def table_data(seen: Seen) -> dict[str, Any]:
    """A table for JSON: the titles in each place, or their number, or null; and all values of states."""
    places = {
        name: list(place.contents) if place.contents is not None else place.size for name, place in seen.places.items()
    }
    return {"places": places, "states": dict(seen.states)}
