"""`seaspec mutate`: would the checks find a mistake in the rules? Many small ones are made, one at a time, to see."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from seaspec.cli.arguments import add_json, add_spec, count, one_subject, options_of, positive, whole
from seaspec.cli.checking.exploring import Exploring
from seaspec.cli.checking.provers import PATIENCE, Answered, Provers, are_there
from seaspec.cli.main import BROKEN, INTERRUPTED, OK, UNDECIDED
from seaspec.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Fault, aligned, paint, print_json
from seaspec.cli.progress import Progress
from seaspec.cli.saving import save_aside
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.kept import usual_folder
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject
from seaspec.mutate.hunt import Difference, Effort, Killed, difference, hunt
from seaspec.mutate.mutants import SORTS, Mutant, mutants
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import prove
from seaspec.sampling.telling import as_play
from seaspec.sampling.watch import Found

PLAYS, FULL_PLAYS, WORLD_PLAYS = 12, 100, 40
"""As `seaspec check` has them."""
SECONDS = 10.0
"""For the plays of a mutant."""
PROVING = 120.0
"""For the proofs of a mutant, with --full."""
MEMORY = 1_000
DIFFERENT_PLAYS, DIFFERENT_SECONDS = 50, 20.0
"""In which a survivor is compared with the game."""

_EXAMPLE = """\
examples:
  seaspec mutate calm --only guards           is each guard missed, if it is not there?
  seaspec mutate calm --sample 50             fifty mutants, drawn by --seed
  seaspec mutate "calm + reefs" --quick       those of the variant, by examples and plays alone

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
    text = "seconds for all mutants together; those for which there is no time are left"
    parser.add_argument("--limit", metavar="N", type=positive, help=text)
    text = f"megabytes that exploration may take, each process ({MEMORY})"
    parser.add_argument("--memory", metavar="MB", type=positive, default=MEMORY, help=text)
    parser.add_argument("--jobs", metavar="N", type=positive, help="processes (all cores)")
    parser.add_argument("--strict", action="store_true", help="exit with 2 if survivors may be no other game")
    parser.add_argument("--verbose", action="store_true", help="a line for each mutant")
    add_json(parser, "game, mutants, killed, survivors, left, seconds, median")
    parser.set_defaults(run=run)


def sorts(text: str) -> tuple[str, ...]:
    """The sorts of mistakes that are named."""
    names = tuple(word.strip() for word in text.split(","))
    for name in names:
        if name not in SORTS:
            raise argparse.ArgumentTypeError(f"there is no '{name}'; there are {', '.join(SORTS)}")
    return names


@dataclass(frozen=True, slots=True)
class Hunted:
    """What has become of a mutant: found by a check, or not; then what differs, and in how many plays was looked."""

    number: int
    killed: Killed | None
    seconds: float
    different: Difference | None = None
    compared: int = 0


def run(args: argparse.Namespace) -> int:
    """Make mutants, look which are found; the exit code tells the worst."""
    report = Report()
    subject = one_subject(args.file, report)
    options = options_of(args.set, report)
    if report.failed:
        raise LoadError(report)
    effort = _effort(args)
    made = list(mutants(subject, args.only))
    if not made:
        raise Fault(f"there is nothing to get wrong: no {', '.join(args.only)}")
    found = hunt(subject, options, effort, _exploring(args))
    if found is not None:
        raise Fault(f"the checks find something in the game itself: {found.by}, {found.what}", "see seaspec check")
    if args.full and are_there():
        effort = _with_proofs(effort, load_subject(subject, options))
    if args.sample is not None and args.sample < len(made):
        made = [made[place] for place in sorted(Random(args.seed).sample(range(len(made)), args.sample))]
    began = time.monotonic()
    hunted: list[Hunted] = []
    interrupted = False
    try:
        with Progress("mutants", len(made)) as progress:
            for one in _hunted(_Work(subject, made, options, effort, args, began)):
                hunted.append(one)
                progress.advance()
    except KeyboardInterrupt:
        interrupted = True
    return _tell(args, subject, made, hunted, time.monotonic() - began, interrupted)


def _effort(args: argparse.Namespace) -> Effort:
    plays = args.plays if args.plays is not None else FULL_PLAYS if args.full else PLAYS
    seconds = SECONDS * (10 if args.full else 1)
    return Effort(plays, WORLD_PLAYS, not args.quick, args.seed, partial(_within, seconds))


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


def _within(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds, from now on, are not over yet."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


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
    began: float

    def hunt(self, number: int) -> Hunted | None:
        """Hunt a mutant; None if there is no time for it."""
        args, mutant = self.args, self.made[number]
        if args.limit is not None and time.monotonic() - self.began > args.limit:
            return None
        began = time.monotonic()
        killed = hunt(mutant.subject, self.options, self.effort, _exploring(args), mutant.within)
        seconds = time.monotonic() - began
        if killed is not None:
            return Hunted(number, killed, seconds)
        base, other = load_subject(self.subject, self.options), load_subject(mutant.subject, self.options)
        found, plays = difference(base, other, DIFFERENT_PLAYS, args.seed, _within(DIFFERENT_SECONDS))
        return Hunted(number, None, seconds, found, plays)


def _hunted(work: _Work) -> Iterator[Hunted]:
    """What becomes of the mutants, in several processes; those without time are left out."""
    jobs = min(work.args.jobs or os.cpu_count() or 1, len(work.made))
    if jobs < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for number in range(len(work.made)):
            one = work.hunt(number)
            if one is not None:
                yield one
        return
    _Aside.work = work
    forked = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, forked) as pool:
        try:
            for one in pool.map(_Aside.hunt, range(len(work.made))):
                if one is not None:
                    yield one
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Aside:
    """What a process of its own works on. It is forked, so that texts and trees need not be sent to it."""

    work: _Work

    @classmethod
    def hunt(cls, number: int) -> Hunted | None:
        return cls.work.hunt(number)


# ------------------------------------------------------------------------------------------------------------- telling


def _tell(
    args: argparse.Namespace,
    subject: Subject,
    made: Sequence[Mutant],
    hunted: Sequence[Hunted],
    seconds: float,
    interrupted: bool,
) -> int:
    holes = [one for one in hunted if one.killed is None and one.different is not None]
    alike = [one for one in hunted if one.killed is None and one.different is None]
    saved = {one.number: _save(args, subject, one) for one in holes}
    if args.json:
        print_json(_as_json(subject, made, hunted, saved, seconds))
    else:
        print("\n".join(_lines(args, subject, made, hunted, saved, seconds)))
    if interrupted:
        return INTERRUPTED
    if holes:
        return BROKEN
    return UNDECIDED if args.strict and (alike or len(hunted) < len(made)) else OK


def _lines(
    args: argparse.Namespace,
    subject: Subject,
    made: Sequence[Mutant],
    hunted: Sequence[Hunted],
    saved: Mapping[int, str | None],
    seconds: float,
) -> Iterator[str]:
    yield f"{paint(subject.name, BOLD)}: {len(made)} mutants, {seconds:.0f} s"
    yield ""
    yield from aligned(_table(made, hunted), range(1, 5 + len(FINDERS)))
    left = len(made) - len(hunted)
    if left:
        yield f"  {left} were not looked at"
    times = [one.seconds for one in hunted if one.killed is not None]
    if times:
        yield f"  found after {median(times):.1f} s in the median, {max(times):.1f} s at most"
    for one in hunted:
        mutant = made[one.number]
        head = f"{mutant.place}  {paint(mutant.within, CYAN)}  {mutant.changed}"
        if one.killed is not None:
            if args.verbose:
                yield f"  {paint('found', GREEN)}  {head}   {paint(f'{one.killed.by}: {one.killed.what}', DIM)}"
        elif one.different is None:
            yield ""
            yield f"{paint('survives', YELLOW)}  {head}"
            yield f"  no difference found in {one.compared} plays: it may be the same game"
        else:
            yield ""
            yield f"{paint('a hole', RED)}  {head}"
            yield from _difference_lines(one.different)
            if saved.get(one.number):
                yield f"  replay: seaspec replay {saved[one.number]}"


def _difference_lines(found: Difference) -> Iterator[str]:
    moves = found.moves
    yield f"  differs after {len(moves)} moves: {found.what}"
    if len(moves) > SHOWN:
        yield f"    .. {len(moves) - SHOWN} moves"
    for number, move in list(enumerate(moves, 1))[-SHOWN:]:
        yield f"    {number:>3}. {move}"


FINDERS = ("language", "example", "play", "world", "proof")
"""What a mutant may be found by, in the order in which it is tried."""
SHOWN = 5
"""The last moves before a difference are told."""


def _table(made: Sequence[Mutant], hunted: Sequence[Hunted]) -> list[list[str]]:
    """How many of each sort were found, and by what."""
    rows = [["", "mutants", "found", "", *FINDERS, "survive"]]
    by_sort: dict[str, list[Hunted]] = {}
    for one in hunted:
        by_sort.setdefault(made[one.number].sort, []).append(one)
    groups = [*by_sort.items(), ("all", list(hunted))] if len(by_sort) > 1 else list(by_sort.items())
    for sort, several in groups:
        by = Counter(one.killed.by for one in several if one.killed is not None)
        killed = sum(by.values())
        share = f"{100 * killed / len(several):.1f}%"
        counts = [str(by[name]) for name in FINDERS]
        rows.append([sort, str(len(several)), str(killed), share, *counts, str(len(several) - killed)])
    return rows


def _save(args: argparse.Namespace, subject: Subject, one: Hunted) -> str | None:
    """The play up to the difference, by the rules of the game; None where nothing can be written."""
    assert one.different is not None
    play = as_play(load_subject(subject, options_of(args.set, Report())), Found(one.different.answers))
    path = save_aside(Path(".seaspec") / f"mutant_{one.number + 1}.play", play.save)
    return None if path is None else str(path)


def _as_json(
    subject: Subject,
    made: Sequence[Mutant],
    hunted: Sequence[Hunted],
    saved: Mapping[int, str | None],
    seconds: float,
) -> dict[str, Any]:
    times = [one.seconds for one in hunted if one.killed is not None]
    return {
        "game": subject.name,
        "mutants": len(made),
        "killed": [_killed_data(made[one.number], one) for one in hunted if one.killed is not None],
        "survivors": [_survivor_data(made[one.number], one, saved) for one in hunted if one.killed is None],
        "left": len(made) - len(hunted),
        "seconds": seconds,
        "median": median(times) if times else None,
    }


def _mutant_data(mutant: Mutant) -> dict[str, Any]:
    return {"sort": mutant.sort, "where": mutant.place, "within": mutant.within, "changed": mutant.changed}


def _killed_data(mutant: Mutant, one: Hunted) -> dict[str, Any]:
    assert one.killed is not None
    return {**_mutant_data(mutant), "by": one.killed.by, "what": one.killed.what, "seconds": one.seconds}


def _survivor_data(mutant: Mutant, one: Hunted, saved: Mapping[int, str | None]) -> dict[str, Any]:
    found = one.different
    return {
        **_mutant_data(mutant),
        "difference": None if found is None else {"what": found.what, "moves": list(found.moves)},
        "compared": one.compared,
        "saved": saved.get(one.number),
    }
