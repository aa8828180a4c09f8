"""`seaspec why`: why a move is or is not legal, in the words of the rules, with their clauses."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from itertools import islice, product
from typing import Any

from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.notation import plain
from seaspec.backends.interpreter.why import reasons_of_turn, why_not
from seaspec.cli.arguments import add_json, add_spec, count, load_game, player_named, whole
from seaspec.cli.clauses import clause_lines, clause_texts, clauses_meant
from seaspec.cli.output import BOLD, CYAN, DIM, GREEN, RED, Fault, paint, print_json
from seaspec.cli.positions import after_random_choices, in_example
from seaspec.cli.table import table_text
from seaspec.core import ir, types
from seaspec.core.show import show_expr
from seaspec.diagnostics.model import near
from seaspec.game import Game
from seaspec.play import Play, PlayError, Reason
from seaspec.sampling.telling import open_table
from seaspec.source import NOWHERE, Span

_EXAMPLE = """\
MOVE is written as in a list of options: an action with its arguments, or any other answer ('{Island 7, Island 9}').

example:
  seaspec why calm "play(Island 45, B3)" --seed 1 --after 12
  seaspec why calm "finish(Finish)" --player Ben --play my.play
  seaspec why calm "play(Island 12, B1)" --example between
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "why",
        help="why a move is or is not legal",
        description="Say whether a move is legal: at the start, in a saved play, in the position of an example, or "
        "after some random choices; and which rule says so. The exit code is 0 if it is legal, else 1.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    parser.add_argument("move", metavar="MOVE", help="such as 'play(Island 45, B3)'")
    parser.add_argument("--player", metavar="NAME", help="who makes it; without, who is asked")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--play", metavar="SAVED", help="in this saved play")
    where.add_argument("--example", metavar="NAME", help="in the position of this example of the text")
    where.add_argument("--after", metavar="K", type=count, help="after so many random choices")
    parser.add_argument("--seed", type=whole, help="of the setup and the random choices (1)")
    parser.add_argument("--board", action="store_true", help="draw the position, with nothing hidden")
    add_json(parser, "move, player, legal, reasons")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tell; 0 if the move is legal, else 1."""
    if not args.move.strip():
        raise Fault("no move is given", "write an action with its arguments, as in 'lay(Card 45, B3)'")
    game = load_game(args)
    player = None if args.player is None else player_named(game, args.player)
    play = _position(args, game, player)
    if play.is_over:
        raise Fault("the game is over there, so nobody may do anything")
    who = player or play.asked or play.game.players[0]
    verdict = explain(play, who, args.move)
    if args.json:
        print_json(verdict.data)
    else:
        if args.board:
            table = open_table(play.game.machine, play.position)
            print(table_text(play.game.rules, table), end="\n\n")
        print("\n".join(verdict.lines))
    return 0 if verdict.data["legal"] else 1


def _position(args: argparse.Namespace, game: Game, player: str | None) -> Play:
    seed = 1 if args.seed is None else args.seed
    if args.play is not None:
        return Play.load(args.play, game)
    if args.example is not None:
        return in_example(game, args.example, player, action_named(game, args.move) or "")
    return after_random_choices(game, seed, args.after or 0)


class Verdict:
    """Whether a move is legal, and why: as data and as lines of text."""

    def __init__(self, play: Play, who: str, move: str, index: int | None, reasons: Sequence[Reason]) -> None:
        self.game = play.game
        self.action = action_named(play.game, move)
        legal = index is not None
        options = len(play.options or ())
        self.data: dict[str, Any] = {
            "move": move,
            "player": who,
            "asked": play.asked,
            "menu": play.menu,
            "legal": legal,
            "option": index,
            "options": options,
            "reasons": [self._reason_data(reason) for reason in reasons],
        }
        verdict = paint("legal", BOLD, GREEN) if legal else paint("not legal", BOLD, RED)
        self.lines = [f"{paint(move, BOLD)} by {who}: {verdict}"]
        if index is not None:
            self.lines += self._legal_lines(index, options)
        for reason in reasons:
            self.lines += ["", *self._reason_lines(reason)]

    def _legal_lines(self, index: int, options: int) -> list[str]:
        lines = [f"  it is option {index + 1} of {options}"]
        guards = self.game.rules.actions[self.action].guards if self.action else ()
        if guards:
            lines += ["", "  What the rules ask of it, and it fulfils:"]
        for guard in guards:
            lines += self._guard_lines(guard)
        return lines

    def _guard_lines(self, guard: ir.Guard) -> list[str]:
        return [
            f"    {written(guard.source.span)}",
            *clause_lines(self.game, guard.source.cites, "      ", guard.source.span),
        ]

    def _reason_lines(self, reason: Reason) -> list[str]:
        name = f"{paint(reason.guard, CYAN)}: " if reason.guard else ""
        lines = [f"  {name}{reason.text}"]
        lines += [f"    {part} = {value}" for part, value in reason.values]
        if reason.span is not NOWHERE:
            lines.append(f"    {written(reason.span)}   {paint(str(reason.span), DIM)}")
        return [*lines, *clause_lines(self.game, reason.cites, "    ", reason.span)]

    def _test(self, reason: Reason) -> ir.Expr | None:
        guards = self.game.rules.actions[self.action].guards if self.action else ()
        return next((guard.test for guard in guards if guard.name == reason.guard), None)

    def _reason_data(self, reason: Reason) -> dict[str, Any]:
        test = self._test(reason)
        return {
            "text": reason.text,
            "guard": reason.guard,
            "written": None if reason.span is NOWHERE else written(reason.span),
            "test": None if test is None else show_expr(test, self.game.rules),
            "values": dict(reason.values),
            "cites": list(clauses_meant(self.game, reason.cites, reason.span)),
            "clauses": clause_texts(self.game, reason.cites, reason.span),
            "at": None if reason.span is NOWHERE else str(reason.span),
        }


def explain(play: Play, who: str, move: str, openly: bool = True) -> Verdict:
    """Whether a player may make a move now, and why. `openly`: see `reasons_against`."""
    index = None
    refused = ""
    if play.asked == who and play.options is not None:
        try:
            index = play.options.position(_read(play, move))
        except PlayError as error:
            refused = error.message
    if index is not None:
        return Verdict(play, who, move, index, ())
    name = action_named(play.game, move)
    if name is None and (meant := re.match(r"\s*(\w+)\s*\(", move)):
        actions = play.game.rules.actions
        raise Fault(f"there is no action {meant[1]}", near(meant[1], actions) or f"there are {', '.join(actions)}")
    if name is None:
        asked = f"{play.asked} is asked ({play.menu})" if play.asked else "nobody is asked"
        return Verdict(play, who, move, None, [Reason(f"{asked}: {refused}" if refused else asked)])
    action = play.game.rules.actions[name]
    params = ", ".join(param.variable.name for param in action.params[action.asks :])
    if params and "(" not in move:
        raise Fault(f"{name} wants {params}", f"write it as in '{name}({params})'")
    reasons = reasons_against(play, who, move, openly)
    return Verdict(play, who, move, None, reasons or [Reason(refused or "that is no option here")])


def explain_action(play: Play, who: str, name: str) -> list[str]:
    """What there is to say of an action without its arguments: its options now, else what stands against all of them.

    No more is told than who asks of each of them would be told.
    """
    action = play.game.rules.actions[name]
    params = [param.variable for param in action.params[action.asks :]]
    form = f"{name}({', '.join(param.name for param in params)})" if params else name
    lines = [paint(form, BOLD)]
    seat = play.game.players.index(who)
    if untimely := reasons_of_turn(play.game.machine, play.position, seat, name):
        return [*lines, *(f"  {reason.text}" for reason in untimely)]
    open_now = [choice for choice in play.choices if isinstance(choice, Act) and choice.action == name]
    if open_now:
        shown = [f"    {play.text(choice)}" for choice in open_now[:FORMS]]
        more = [f"    and {len(open_now) - FORMS} more"] if len(open_now) > FORMS else []
        return [*lines, "  can be done now, such as:" if more else "  can be done now:", *shown, *more]
    reasons = _reasons_whatever(play, seat, action, params)
    told = [f"  {paint(guard, CYAN)}: {text}" for guard, text in reasons[:FORMS]]
    return [*lines, *(told or ["  there is nothing to choose for it now"])]


FORMS = 6
"""So many options of an action, or reasons against it, are told."""
ATTEMPTS = 2000
"""So many arguments of an action are tried, to see what stands against it."""


def _reasons_whatever(play: Play, seat: int, action: ir.Action, params: Sequence[ir.Variable]) -> list[tuple[str, str]]:
    """The guards, and their sentences, that stand against each way to do an action that could be chosen at all."""
    if any(isinstance(param.type, types.SetOf | types.Map | types.Fraction) for param in params):
        return []
    found: dict[tuple[str, str], None] = {}
    for way in islice(product(*(tuple(types.values(param.type)) for param in params)), ATTEMPTS):
        arguments = (seat, *way) if action.asks else way
        reasons = why_not(play.game.machine, play.position, seat, action.name, arguments)
        guards = {(reason.guard, reason.text): None for reason in reasons if reason.guard is not None}
        if len(guards) == len(reasons):
            found.update(guards)
    return list(found)


def reasons_against(play: Play, who: str, move: str, openly: bool) -> tuple[Reason, ...]:
    """What stands against an action.

    Not `openly`: nothing is told of guards if the player can not even choose such a thing, for what they say of it may
    be a secret.
    """
    reasons = play.why_not(who, move)
    outside = tuple(reason for reason in reasons if reason.guard is None)
    return reasons if openly else outside or reasons


def _read(play: Play, move: str) -> Any:
    from seaspec.backends.interpreter.errors import ChoiceError
    from seaspec.backends.interpreter.notation import Notation

    try:
        return Notation(play.game.machine, play.position).read(move)
    except ChoiceError as error:
        raise PlayError(str(error)) from error


def action_named(game: Game, move: str) -> str | None:
    """The action that a move names."""
    name = plain(move.partition("(")[0])
    return next((action for action in game.rules.actions if plain(action) == name), None)


def written(span: Span) -> str:
    """A guard as its author wrote it, without its sentence and its sources.

    >>> from seaspec.source import SourceFile
    >>> text = 'needs free: field[c] is empty "taken"\\n  cites play.3'
    >>> written(Span(SourceFile("a.sea", text), 0, len(text)))
    'needs free: field[c] is empty'
    """
    test = re.split(r'"|\s(?:cites|unless|assume)\b', span.text)[0]
    return " ".join(test.split())
