"""`seaspec mutate`: would the checks find a mistake in the rules? Many small ones are made, one at a time, to see."""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

from seaspec.cli.arguments import add_json, add_spec, count, one_subject, options_of, positive, whole
from seaspec.cli.checking.exploring import Exploring
from seaspec.cli.checking.provers import PATIENCE, Answered, Provers, are_there
from seaspec.cli.mutating.hunters import hunted
from seaspec.cli.mutating.told import Hunted, Telling
from seaspec.cli.output import Fault
from seaspec.cli.progress import Progress
from seaspec.cli.simulating.random_plays import cores
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.kept import usual_folder
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject
from seaspec.mutate.hunt import Effort, Killed, difference, hunt
from seaspec.mutate.mutants import SORTS, Mutant, mutants
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import prove

PLAYS, FULL_PLAYS, WORLD_PLAYS = 12, 100, 40
"""As `seaspec check` has them."""
STEPS = 200_000
"""Of a mutant's plays by machine code."""
SECONDS = 2.0
"""For plays of each kind of a mutant: by machine code, by the interpreter, of secrets, of symmetries."""
ITSELF = -1
"""The number of the game itself, among those of the mutants."""
PROVING = 120.0
"""For the proofs of a mutant, with --full."""
MEMORY = 1_000
DIFFERENT_PLAYS, DIFFERENT_SECONDS = 50, 10.0
"""In which a survivor is compared with the game."""

_EXAMPLE = """\
examples:
  seaspec mutate calm --only guards           is each guard missed, if it is not there?
  seaspec mutate calm --sample 50             fifty mutants, drawn by --seed
  seaspec mutate "calm + reefs" --quick       those of the variant, by examples and plays alone
  seaspec mutate admiral --quick --for 60     what is found in a minute

Each that survives is told at once; Ctrl-C keeps what was found, and --for 60 ends it after a minute.

A mutant is found if a check breaks that is kept without it: the language, an example, a play with promises watched, the
exploration of the game or of a small world; with --full also if what is proved of the game is not proved any more. One
that survives, and is another game, is a hole in the checks: write an example, or a promise. Exit code: 0 all were
found, 1 there is a hole, 2 some survive in which no difference was found (with --strict), 3 bad command line.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "mutate",
        help="would the checks find a mistake in the rules?",
        description="Make small mistakes in the rules, one at a time, and see whether the checks find them. Of a stack "
        "with variants, the mistakes are made in the variants.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    text = f"which mistakes, with commas: {', '.join(SORTS)} (all)"
    parser.add_argument("--only", metavar="SORTS", type=sorts, default=SORTS, help=text)
    parser.add_argument("--sample", metavar="N", type=positive, help="so many of them, drawn at random")
    parser.add_argument("--seed", type=whole, default=1, help="of the sample and of the plays (1)")
    parser.add_argument("--plays", metavar="N", type=count, help=f"random plays ({PLAYS}; {FULL_PLAYS} with --full)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="nothing is explored")
    text = "explore until all is done, or the memory is used up; look whether what is proved still is"
    how.add_argument("--full", action="store_true", help=text)
    text = "seconds for all together; mutants for which there is no time are left"
    parser.add_argument("--limit", "--for", metavar="N", type=positive, help=text)
    text = f"megabytes that exploration may take, each process ({MEMORY})"
    parser.add_argument("--memory", metavar="MB", type=positive, default=MEMORY, help=text)
    parser.add_argument("--jobs", metavar="N", type=positive, help="processes (all cores)")
    parser.add_argument("--strict", action="store_true", help="exit with 2 if survivors may be no other game")
    parser.add_argument("--verbose", action="store_true", help="a line for each mutant")
    add_json(parser, "game, mutants, killed, survivors, left, seconds, median")
    text = "print JSON, a line for each mutant as soon as it is known; the last line is what --json prints"
    parser.add_argument("--json-lines", action="store_true", help=text)
    parser.set_defaults(run=run)


def sorts(text: str) -> tuple[str, ...]:
    """The sorts of mistakes that are named."""
    names = tuple(word.strip() for word in text.split(","))
    for name in names:
        if name not in SORTS:
            raise argparse.ArgumentTypeError(f"there is no '{name}'; there are {', '.join(SORTS)}")
    return names


def run(args: argparse.Namespace) -> int:
    """Make mutants, look which are found; the exit code tells the worst."""
    report = Report()
    subject = one_subject(args.file, report)
    options = options_of(args.set, report)
    if report.failed:
        raise LoadError(report)
    made = list(mutants(subject, args.only))
    if not made:
        raise Fault(f"there is nothing to get wrong: no {', '.join(args.only)}")
    with tempfile.TemporaryDirectory(prefix="seaspec-") as folder:
        end = math.inf if args.limit is None else time.monotonic() + args.limit
        effort = _effort(args, Path(folder), end)
        if args.full and are_there():
            effort = _with_proofs(effort, load_subject(subject, options))
        if args.sample is not None and args.sample < len(made):
            made = [made[place] for place in sorted(Random(args.seed).sample(range(len(made)), args.sample))]
        return _hunt_all(Telling(args, subject, made), _Work(subject, made, options, effort, args, end))


def _hunt_all(telling: Telling, work: _Work) -> int:
    """Tell what becomes of the mutants, as it becomes known; Ctrl-C loses nothing of that. The game itself comes first:
    the checks must find nothing in it."""
    began, interrupted = time.monotonic(), False
    order = Random(work.args.seed).sample(range(len(work.made)), len(work.made))  # what comes first is of all sorts
    try:
        with Progress("mutants", len(work.made)) as progress:
            progress.draw()
            for one in hunted([ITSELF, *order], work.hunt, min(work.args.jobs or cores(), len(order))):
                if isinstance(one, Killed):
                    message = f"the checks find something in the game itself: {one.by}, {one.what}"
                    raise Fault(message, "see seaspec check")
                if one is not None:
                    progress.clear()
                    telling.tell(one)
                    progress.label = f"mutants, {telling.survivors} survive"
                    progress.advance()
    except KeyboardInterrupt:
        interrupted = True
    return telling.tell_all(time.monotonic() - began, interrupted)


def _effort(args: argparse.Namespace, cache: Path, end: float) -> Effort:
    plays = args.plays if args.plays is not None else FULL_PLAYS if args.full else PLAYS
    seconds = SECONDS * (10 if args.full else 1)
    begin = partial(_within, seconds, end)
    return Effort(plays, WORLD_PLAYS, not args.quick, args.seed, begin, steps=STEPS, cache=cache)


def _with_proofs(effort: Effort, game: Game) -> Effort:
    """The same; besides, it is looked whether what is proved of the game is proved of a mutant."""
    found = _prove(game, {promise.name for promise in game.rules.promises})
    return replace(effort, proved=frozenset(name for name, proof in found.items() if proof.proved), prove=_prove)


def _prove(game: Game, names: Collection[str]) -> Mapping[str, Proof]:
    wanted = [promise for promise in game.rules.promises if promise.name in names]
    with Provers(1, PROVING, PATIENCE, Answered(usual_folder())) as provers:
        found = prove(game.flow, wanted, provers.solve, lambda: provers.go_on)
        if provers.interrupted:
            raise KeyboardInterrupt
        return found


def _within(seconds: float, end: float = math.inf) -> Callable[[], bool]:
    """Whether so many seconds, from now on, are not over yet, and it is not the end of all."""
    until = min(end, time.monotonic() + seconds)
    return lambda: time.monotonic() < until


def _exploring(args: argparse.Namespace) -> Exploring:
    return Exploring(args.full, args.memory, 1)


@dataclass(frozen=True, slots=True)
class _Work:
    """All that a process has to know."""

    subject: Subject
    made: Sequence[Mutant]
    options: Mapping[str, str]
    effort: Effort
    args: argparse.Namespace
    end: float
    """When all is to be over."""

    def hunt(self, number: int) -> Hunted | Killed | None:
        """Hunt a mutant; None if there was no time to look for all that could find it. Of the game itself: what finds
        something in it."""
        args, exploring, go_on = self.args, _exploring(self.args), self.effort.begin
        if number == ITSELF:
            return hunt(self.subject, self.options, self.effort, exploring)
        if not go_on()():
            return None
        mutant, began = self.made[number], time.monotonic()
        killed = hunt(mutant.subject, self.options, self.effort, exploring, mutant.within)
        seconds = time.monotonic() - began
        if killed is not None:
            return Hunted(number, killed, seconds)
        if not go_on()():
            return None
        base, other = load_subject(self.subject, self.options), load_subject(mutant.subject, self.options)
        found, plays = difference(base, other, DIFFERENT_PLAYS, args.seed, _within(DIFFERENT_SECONDS, self.end))
        return Hunted(number, None, seconds, found, plays)
