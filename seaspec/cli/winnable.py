"""`seaspec winnable`: can a win (or anything else) still be reached from a position?"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.interpreter.state import State
from seaspec.cli.arguments import add_json, add_spec, count, load_game, player_named, positive, whole
from seaspec.cli.asked import EXAMPLE, condition, with_question
from seaspec.cli.checking.exploring import MEGABYTE, Exploring
from seaspec.cli.clauses import clause_lines
from seaspec.cli.main import BROKEN, INTERRUPTED, OK, UNDECIDED
from seaspec.cli.output import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    RED,
    YELLOW,
    paint,
    print_json,
    redraws,
    wrapped,
    write_anew,
)
from seaspec.cli.positions import after_random_choices, in_example
from seaspec.cli.saving import save_aside
from seaspec.cli.table import table_text
from seaspec.core import ir
from seaspec.core.show import show_expr
from seaspec.explore.reach import Ended, Reached, reach
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject
from seaspec.play import Play
from seaspec.sampling.telling import as_play, open_table, sentence_of, steps
from seaspec.sampling.watch import Found
from seaspec.syntax import tree
from seaspec.verdict.needs import Need, judge, needs_of, trust, usual_goal
from seaspec.verdict.verdicts import PromiseVerdict, Verdict, World

SECONDS = 60
MEMORY = 1_000
"""Megabytes."""
TRUST = 10.0
"""Seconds to see how far a promise that the answer rests on is known to hold."""
PAUSE = 0.2

_EXAMPLE = """\
examples:
  seaspec winnable calm --play my.play                       is this game lost already?
  seaspec winnable calm --example dead_gap                   and in the position of this example?
  seaspec winnable calm --given "field[A1] = Island(9)"      from a position in words of an example
  seaspec winnable "calm + tiny" --seed 3                    a deal: can it be won?
  seaspec winnable calm --that "corner is filled" --seed 1   anything else that may come about

First the conditions are looked at that the game itself says to be needed (its promises `winnable .. only if ..`).
Then a play is looked for, with all cards open, and all choices and all chance as one would wish. Exit code: 0 yes,
1 no, 2 undecided, 3 bad command line.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "winnable",
        help="can a win still be reached from a position?",
        description="Say whether a win, or any other condition, can still be reached: from the start, a deal, a saved "
        "play, the position of an example, or one that is given in words. All is open, and luck is good.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--play", metavar="SAVED", help="from where this saved play stands")
    where.add_argument("--example", metavar="NAME", help="from the position of this example of the text")
    where.add_argument("--given", metavar="TEXT", help="from a position, as in `given` of an example")
    where.add_argument("--after", metavar="K", type=count, help="after so many random choices")
    parser.add_argument("--player", metavar="NAME", help="with --example or --given: who is to choose")
    text = "of the setup and the random choices; without it and --after the setup is left to chance, too"
    parser.add_argument("--seed", type=whole, help=text)
    text = "what is to be reached; without it: what the game promises to be `winnable`, else that somebody has won"
    parser.add_argument("--that", metavar="EXPRESSION", help=text)
    text = "search even if a needed condition fails, and everywhere"
    parser.add_argument("--unpruned", action="store_true", help=text)
    text = f"seconds for the search ({SECONDS})"
    parser.add_argument("--limit", metavar="N", type=positive, default=SECONDS, help=text)
    text = f"megabytes for the search ({MEMORY})"
    parser.add_argument("--memory", metavar="MB", type=positive, default=MEMORY, help=text)
    parser.add_argument("--board", action="store_true", help="draw the position, with nothing hidden")
    add_json(parser, "answer, why, asked, goal, conditions, positions, play, saved")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Answer; 0 yes, 1 no, 2 undecided."""
    game = load_game(args)
    asked = with_question(game, args.given, args.that)
    play = _position(args, asked)
    rules = play.game.rules  # the position may be one of other options
    question = Question(args, game, play, usual_goal(rules) if args.that is None else condition(play.game))
    if not args.json:
        question.tell_position()
    answer = question.answer()
    if args.json:
        print_json(answer.data)
    else:
        print("\n".join(answer.lines))
    return answer.code


def _position(args: argparse.Namespace, game: Game) -> Play:
    player = None if args.player is None else player_named(game, args.player)
    if args.play is not None:
        return Play.load(args.play, game) if args.that is None else _replayed(args.play, game, load_game(args))
    if args.example is not None or args.given is not None:
        return in_example(game, args.example or EXAMPLE, player, "")
    if args.after is not None or args.seed is not None:
        return after_random_choices(game, 1 if args.seed is None else args.seed, args.after or 0)
    return game.start(automatic=False)


def _replayed(path: str, asked: Game, game: Game) -> Play:
    """A saved play of the game, in the game with a question."""
    return as_play(asked, Found(tuple(move.answer for move in Play.load(path, game).history)))


@dataclass(frozen=True, slots=True)
class Said:
    """What is said in the end."""

    code: int
    data: dict[str, Any]
    lines: list[str]


class Question:
    """What is asked of a position, and how the answer is found and told."""

    def __init__(self, args: argparse.Namespace, game: Game, play: Play, goal: ir.Expr) -> None:
        self.args, self.game, self.play, self.goal = args, game, play, goal
        self.machine, self.rules = play.game.machine, play.game.rules
        self.start: State = play.position
        self.needed = () if args.unpruned else needs_of(self.rules, goal)
        decides = self.machine.decider(self.start) is not None
        self.needs: tuple[Need, ...] = judge(self.machine, self.start, self.needed) if decides else ()
        self.broken: dict[str, str] = {}
        """Promises that are no help, as they are broken, and what is known of that."""

    def tell_position(self) -> None:
        nobody = "the game is over" if self.play.is_over else "chance comes first"
        who = nobody if self.play.asked is None else f"{self.play.asked} is asked"
        print(f"{paint(self.play.game.name, BOLD)}: can this still be reached?  {show_expr(self.goal, self.rules)}")
        print(paint(f"  {who}, all is open, choices and chance as one would wish", DIM))
        if self.args.board:
            print(table_text(self.rules, open_table(self.machine, self.start)))
        for need in self.needs:
            print(*self._need_lines(need), sep="\n")
        print(flush=True)

    def _need_lines(self, need: Need) -> Iterator[str]:
        word = paint("holds", GREEN) if need.holds else paint("fails", RED)
        sentence = sentence_of(self.rules, need.promise.source)
        yield f"  {word}  {paint(need.promise.name, CYAN)}" + (f'  "{sentence}"' if sentence else "")
        for lack in need.lacks:
            yield f"           {lack.text}   {paint(str(lack.source.span), DIM)}"
            if lack.values:
                yield wrapped(", ".join(f"{name} = {value}" for name, value in lack.values), " " * 13)
            yield from clause_lines(self.play.game, lack.source.cites, " " * 13, lack.source.span)

    # ------------------------------------------------------------------------------------------------- answering

    def answer(self) -> Said:
        lacking = [need.promise for need in self.needs if not need.holds and need.promise.name not in self.broken]
        failing = self._relied_on(lacking)
        if failing:
            return self._lost(failing)
        began = time.monotonic()
        line = _Line()

        def go_on(found: Reached, memory: int) -> bool:
            seconds = time.monotonic() - began
            line.tell(found, seconds)
            return bool(seconds < self.args.limit and memory < self.args.memory * MEGABYTE)

        needed = [(promise.name, promise.needed) for promise in self.needed if promise.needed is not None]
        try:
            found = reach(self.machine, self.start, self.goal, needed, go_on)
        finally:
            line.clear()
        seconds = time.monotonic() - began
        match found.ended:
            case Ended.FOUND:
                return self._reached(found, seconds)
            case Ended.ALL:
                left = [promise for promise in self.needed if promise.name in found.left]
                kept = self._relied_on(left)
                if len(kept) < len(left):  # what was not gone on from has to be
                    return self.answer()
                return self._searched(found, seconds, kept)
            case Ended.LIMIT | Ended.INTERRUPTED:
                return self._open(found, seconds)

    def _relied_on(self, promises: Sequence[ir.Winnable]) -> list[PromiseVerdict]:
        """How far promises are known to hold; those that are broken are not relied on, here and from now on."""
        found = self._trust(promises) if promises else ()
        self.broken |= {v.name: _told(v) for v in found if v.verdict is Verdict.BROKEN}
        self.needed = tuple(promise for promise in self.needed if promise.name not in self.broken)
        return [verdict for verdict in found if verdict.name not in self.broken]

    def _lost(self, found: Sequence[PromiseVerdict]) -> Said:
        """A condition fails: the answer is as good as the promise that it is needed."""
        names = ", ".join(verdict.name for verdict in found)
        best = [v for v in found if v.verdict in SURE and v.world is None]
        certain = f"no: {names} fail{'s' if len(found) == 1 else ''}"
        lines = [paint(certain, BOLD, RED)]
        lines += [f"  it rests on: winnable {v.name}, {_told(v)}" for v in found]
        if not best:
            lines.append("  that it is needed is not shown for the game itself; --unpruned searches all the same")
        return self._answer(BROKEN, f"{names} fails", lines, rests_on={v.name: _told(v) for v in found})

    def _trust(self, promises: Sequence[ir.Winnable]) -> tuple[PromiseVerdict, ...]:
        subject = self.game.subject
        worlds = [] if subject is None else [world for world in subject.worlds if world not in subject.chapters]
        builds = [partial(_in_world, subject, world) for world in worlds if subject is not None]
        return trust(self.game, promises, builds, Exploring(False, self.args.memory, os.cpu_count() or 1, left=TRUST))

    def _reached(self, found: Reached, seconds: float) -> Said:
        way = Found(found.way)
        told = list(steps(self.machine, way, self.start))
        end = self.start
        for answer in found.way:
            end = self.machine.step(end, answer)
        if not self.machine.program.compile(self.goal, (), "promise")(self.machine.look(end)):
            raise AssertionError("the play that was found does not reach the goal")
        choices = self._choices(found.way)
        saved = self._save(found.way)
        head = f"yes: after {_count(len(found.way), 'step')}, {_count(choices, 'choice')} among them"
        lines = [paint(head, BOLD, GREEN) + f"   {found.positions:,} positions, {seconds:.1f} s"]
        lines += [f"  {number:>4}. {line}" for number, line in enumerate(told, 1)]
        lines.append("")
        lines.append(table_text(self.rules, open_table(self.machine, end)))
        if saved:
            lines.append(f"  replay: seaspec replay {saved}")
        data = {"play": told, "steps": len(found.way), "choices": choices, "saved": saved}
        return self._answer(OK, "a play was found", lines, found, **data)

    def _choices(self, way: Sequence[Answer]) -> int:
        state, choices = self.start, 0
        for answer in way:
            choices += self.machine.decider(state) is not None
            state = self.machine.step(state, answer)
        return choices

    def _searched(self, found: Reached, seconds: float, relied_on: Sequence[PromiseVerdict]) -> Said:
        why = f"all {found.positions:,} positions were searched"
        lines = [paint(f"no: {why}", BOLD, RED) + f"   {seconds:.1f} s"]
        rests: dict[str, str] = {}
        if found.left:
            rests = {v.name: _told(v) for v in relied_on}
            left = ", ".join(f"{name} {number:,}" for name, number in found.left.items())
            lines.append(f"  not gone on from where a needed condition failed: {left}")
            lines += [f"  it rests on: winnable {name}, {told}" for name, told in rests.items()]
        if found.failed:
            lines.append(f"  at {_count(found.failed, 'step')} the rules failed; those plays end there")
        return self._answer(BROKEN, why, lines, found, rests_on=rests)

    def _open(self, found: Reached, seconds: float) -> Said:
        interrupted = found.ended is Ended.INTERRUPTED
        why = f"after {found.positions:,} positions" + (", interrupted" if interrupted else "")
        lines = [paint(f"undecided {why}", BOLD, YELLOW) + f"   {seconds:.1f} s"]
        if not interrupted:
            lines.append("  more time: --limit, more memory: --memory")
        return self._answer(INTERRUPTED if interrupted else UNDECIDED, why, lines, found)

    def _answer(self, code: int, why: str, lines: list[str], found: Reached | None = None, **more: object) -> Said:
        words = {OK: "yes", BROKEN: "no"}
        lines += [f"  not relied on: winnable {name}, {told}" for name, told in self.broken.items()]
        data: dict[str, Any] = {
            "answer": words.get(code, "undecided"),
            "why": why,
            "asked": self.play.asked,
            "goal": show_expr(self.goal, self.rules),
            "conditions": [_need_data(self.rules, need) for need in self.needs],
            "positions": 0 if found is None else found.positions,
            "left": {} if found is None else dict(found.left),
            "not_relied_on": self.broken,
            **more,
        }
        return Said(code, data, lines)

    def _save(self, way: Sequence[Answer]) -> str | None:
        """The whole play in a file; None where it does not begin at the start of the game, or can not be written."""
        if self.args.example is not None or self.args.given is not None:
            return None
        play = as_play(self.game, Found((*(move.answer for move in self.play.history), *way)))
        path = save_aside(Path(".seaspec") / "winnable.play", play.save)
        return None if path is None else str(path)


SURE = (Verdict.PROVED, Verdict.EXHAUSTIVE)


def _told(verdict: PromiseVerdict) -> str:
    if verdict.verdict is Verdict.UNDECIDED:
        return verdict.detail
    return f"{verdict.verdict.value} {verdict.detail}"


def _need_data(rules: ir.Game, need: Need) -> dict[str, Any]:
    return {
        "name": need.promise.name,
        "sentence": sentence_of(rules, need.promise.source),
        "holds": need.holds,
        "cites": list(need.promise.source.cites),
        "where": str(need.promise.source.span),
        "lacks": [
            {"text": lack.text, "name": lack.name, "values": dict(lack.values), "where": str(lack.source.span)}
            for lack in need.lacks
        ],
    }


def _in_world(subject: Subject, world: tree.Chapter) -> World | None:
    """The game in a small world; None where the world does not go with the stack."""
    try:
        return World(world.name, load_subject(replace(subject, chapters=subject.in_world(world)), {}))
    except LoadError:
        return None


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class _Line:
    """How far the search has got, on stderr where a person looks."""

    def __init__(self) -> None:
        self._is_shown = redraws(sys.stderr)
        self._next = PAUSE

    def tell(self, found: Reached, seconds: float) -> None:
        if self._is_shown and seconds >= self._next:
            self._next = seconds + PAUSE
            near = "" if found.nearest is None else f", the nearest {found.nearest} away"
            write_anew(f"{found.positions:,} positions{near}, {seconds:.0f} s")

    def clear(self) -> None:
        if self._is_shown:
            write_anew()
