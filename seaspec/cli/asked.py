"""A position or a condition that is written on the command line: it is read as if it stood in a variant of the game.

So it may use all words that an example or a promise of the text may use, and is checked the same way.
"""

from __future__ import annotations

from dataclasses import replace

from seaspec.cli.output import Fault
from seaspec.compile import parse_text
from seaspec.core import ir
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.loading import LoadError, load_subject

VARIANT, EXAMPLE, PROMISE = "AskedHere", "asked_here", "asked_here_too"


def with_question(game: Game, given: str | None, that: str | None, option: str = "--that") -> Game:
    """The same game, with an example of this position and a promise about this condition; faults are raised. `option`:
    with which the condition was given."""
    if given is None and that is None:
        return game
    if game.subject is None:
        raise Fault("this game has no text that a question could be added to")
    lines = [f"variant {VARIANT} of {game.name}"]
    if that is not None:
        lines.append(f"reachable {PROMISE}: {_one_line(that, option)}")
    if given is not None:
        lines += [f"example {EXAMPLE}", f"  given {_one_line(given, '--given')}", "  then yes"]
    report = Report()
    chapters = parse_text("<command line>", "\n".join(lines) + "\n", report).chapters
    if report.failed:
        raise LoadError(report)
    subject = replace(game.subject, chapters=(*game.subject.chapters, *chapters))
    asked = load_subject(subject, game.options)
    if given is not None and EXAMPLE in asked.rules.inapplicable:
        raise Fault(f"such a position can not be: {asked.rules.inapplicable[EXAMPLE]}")
    return asked


def promise(asked: Game) -> ir.Reachable:
    """What was asked for with `that`, as a promise."""
    return next(p for p in asked.rules.promises if isinstance(p, ir.Reachable) and p.name == PROMISE)


def condition(asked: Game) -> ir.Expr:
    """What was asked for with `that`."""
    return promise(asked).test


def _one_line(text: str, option: str) -> str:
    found = " ".join(text.split())
    if not found:
        raise Fault(f"{option} is empty")
    return found
