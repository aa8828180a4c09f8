"""`seaspec simulate`: what happens in many plays of a game, at random or by bots."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.native.errors import NotCompiled
from seaspec.cli.arguments import add_json, add_spec, bot_of, bots_named, described, load_game, positive, whole
from seaspec.cli.main import BROKEN, INTERRUPTED, OK, TOOL_FAILED
from seaspec.cli.output import BOLD, Fault, aligned, paint, print_error, print_json, wrapped
from seaspec.cli.progress import Progress
from seaspec.cli.saving import save_aside
from seaspec.cli.simulating.find import find
from seaspec.cli.simulating.histogram import histogram
from seaspec.cli.simulating.random_plays import cores, workers
from seaspec.cli.simulating.seats import (
    percent,
    scores_data,
    scores_lines,
    share_data,
    spread_data,
    turns_data,
    turns_lines,
)
from seaspec.game import Game
from seaspec.sampling.batches import NATIVE, REFERENCE, Plan, Plays, in_batches, plays_of
from seaspec.sampling.reference import NotFollowed
from seaspec.sampling.statistics import (
    Goal,
    Statistics,
    menus,
    outcomes,
    widest,
    wins,
)

_EXAMPLE = """\
Without --bots each choice is made at random, every option with the same probability. A play of a given number and seed
is always the same, whatever --jobs is, here or on a cluster. Machine code and the interpreter (--engine reference)
draw other plays from a seed; in many plays they agree. The bots are random, greedy, greedy:SCORE, mcts,
mcts:ITERATIONS; see 'seaspec play --help'. Bots other than random play on the interpreter only.

examples:
  seaspec simulate calm --set players=2 --plays 1000000
  seaspec simulate calm --until width=0.5%              until all shares are known so well
  seaspec simulate calm --until width=1%,length=0.1 --plays 5000000
  seaspec simulate calm --set players=2 --bots Ann=mcts:20,Ben=greedy:free_places --plays 4
  seaspec simulate rules/calm.sea --plays 2000 --json
  seaspec simulate calm --find "corner is filled" --save corner.play     the first play that comes to this
  seaspec simulate rules/calm.sea --find stuck
  seaspec simulate calm --ray auto --plays 100000000    on a Ray cluster
"""

_TOLD = 5
"""So many failures are told."""
_PLAYS = {NATIVE: 10_000, REFERENCE: 200}
"""How many plays, if it is not said."""
_MOST_PLAYS = 1_000_000
"""How many at most until a goal is reached."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "simulate",
        help="play a game at random many times: outcomes, lengths, choices",
        description="Play a game at random many times, and tell how the plays end, how long they are, how much there "
        "is to choose. Ctrl-C ends it, and what was found so far is told.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    parser.add_argument("--bots", metavar="BOTS", help="who chooses how: Ben,Cid=mcts:100; mcts for all not named")
    parser.add_argument(
        "--plays", type=positive, metavar="N", help="how many plays (10000; by the reference engine 200)"
    )
    parser.add_argument(
        "--until",
        type=goal,
        metavar="GOAL",
        help="stop when enough is known: width=0.5%% (of the 95 %% interval of each share), length=0.1 (half of that "
        "of the mean length); --plays is then the maximum (1000000)",
    )
    text = "stop at the first play in which this holds (a condition in words of the game), or: stuck, fails"
    parser.add_argument("--find", metavar="CONDITION", help=text)
    parser.add_argument("--save", metavar="FILE", help="where to keep the play that is found, for replay and why")
    parser.add_argument("--seed", type=whole, help="the seed of all chance; a new one without")
    parser.add_argument(
        "--engine",
        choices=(NATIVE, REFERENCE),
        help="machine code, or the interpreter; native if the game can be compiled and no bot thinks",
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="threads, or processes of the reference engine (all cores)"
    )
    parser.add_argument("--ray", metavar="ADDRESS", help="play on this Ray cluster; auto: the one this machine is in")
    parser.add_argument("--limit", type=positive, default=20_000, metavar="N", help="choices at most in a play (20000)")
    text = "also wins by seat and order of turns, and the scores that break ties"
    parser.add_argument("--verbose", action="store_true", help=text)
    add_json(
        parser,
        "engine, seed, bots, plays, until, interrupted, outcomes, wins, turns, scores, length, branching, decisions, "
        "failed, failures, seconds; with --find: found, play, steps, saved, plays",
    )
    parser.set_defaults(run=run)


def goal(text: str) -> Goal:
    """What `--until` says.

    >>> goal("width=0.5%,length=2")
    Goal(width=0.005, length=2.0)
    """
    found: dict[str, float] = {}
    for word in text.split(","):
        told = re.fullmatch(r"\s*(width|length)=(\d{1,9}(?:\.\d{1,9})?)(%?)\s*", word)
        if told is None or told[1] in found or (told[3] and told[1] == "length"):
            raise argparse.ArgumentTypeError(f"width=0.5% or length=0.1 or both are wanted, not '{text[:40]}'")
        found[told[1]] = float(told[2]) / (100 if told[3] else 1)
    if not 0 < found.get("width", 0.5) < 1:
        raise argparse.ArgumentTypeError("the width of an interval of shares is between 0 and 1, or 0% and 100%")
    if not found.get("length", 1):
        raise argparse.ArgumentTypeError("the mean length is never known exactly: length=0.1, or the like")
    return Goal(**found)


def run(args: argparse.Namespace) -> int:
    """Play, and print what was found; 1 if the rules failed in a play."""
    game = load_game(args)
    bots = _bots(args, game)
    if args.ray is not None and args.jobs is not None:
        raise Fault("--jobs is about this machine; a cluster plays on all its processors")
    if bots and args.engine == NATIVE:
        raise Fault("bots that think play by the reference engine", "leave out --engine native")
    seed = Random().randrange(10**6) if args.seed is None else args.seed
    plan = Plan(REFERENCE if bots else args.engine or NATIVE, seed, args.limit, bots)
    if args.find is not None:
        return find(args, game, plan)
    if args.save is not None:
        raise Fault("--save keeps the play that --find finds", 'seaspec simulate GAME --find "CONDITION" --save FILE')
    try:
        trial = _play(args, game, plan)
    except NotCompiled as error:
        if args.engine == NATIVE:
            raise Fault(f"not by the native engine: {error}", "--engine reference can do it") from None
        print(f"note: by the reference engine, since {error}", file=sys.stderr)
        trial = _play(args, game, replace(plan, engine=REFERENCE))
    found = summary(game, trial)
    if args.json:
        print_json(found)
    else:
        print("\n".join(_as_text(game, found, trial, args.verbose)))
    code = _tell_failures(game, trial, args.json)
    return INTERRUPTED if trial.is_interrupted else code


def _bots(args: argparse.Namespace, game: Game) -> tuple[str, ...]:
    """The bots by seat; none if all choose at random."""
    named, others = ({}, None) if args.bots is None else bots_named(game, args.bots)
    kinds = tuple(named.get(name, others or "random") for name in game.players)
    for kind in kinds:
        bot_of(game, kind)
    return () if set(kinds) == {"random"} else kinds


@dataclass(slots=True)
class Trial:
    """Plays, and what they show so far. `most`: how many there may be."""

    plan: Plan
    plays: Plays
    most: int
    goal: Goal | None
    found: Statistics = field(default_factory=Statistics)
    is_reached: bool = False
    is_interrupted: bool = False
    seconds: float = 0.0


def _play(args: argparse.Namespace, game: Game, plan: Plan) -> Trial:
    """Play until all is done, enough is known, or somebody interrupts."""
    most = args.plays or (_PLAYS[plan.engine] if args.until is None else _MOST_PLAYS)
    trial = Trial(plan, plays_of(game, plan), most, args.until)
    with ExitStack() as stack:
        if args.ray is None:
            jobs = min(args.jobs or cores(), -(-most // plan.least))  # no more than there are batches
            start, at_once = stack.enter_context(workers(game, plan, trial.plays, jobs)), 1 if jobs == 1 else 2 * jobs
        else:
            from seaspec.cli.simulating.cluster import cluster

            start, processors = stack.enter_context(cluster(args.ray, game, plan))
            at_once = 2 * processors
        progress = stack.enter_context(Progress("plays", most))
        begun = time.perf_counter()
        try:
            for part in in_batches(plan, most, start, at_once):
                trial.found = trial.found.plus(part)  # whole, whenever somebody interrupts
                progress.advance(part.plays)
                if trial.goal is not None and trial.goal.is_reached(game, trial.found):
                    trial.is_reached = True
                    break
        except KeyboardInterrupt:
            trial.is_interrupted = True
        trial.seconds = time.perf_counter() - begun
    return trial


# ------------------------------------------------------------------------------------------------------------ failures


def _tell_failures(game: Game, trial: Trial, as_json: bool) -> int:
    """Tell how the rules failed and save the plays, and what else went wrong; the exit code."""
    found, seed = trial.found, trial.plan.seed
    code = BROKEN if found.failed else OK
    for number, message in found.failures[:_TOLD] if not as_json else ():
        told = f"the rules fail in play {number} of seed {seed}: {message}"
        try:
            path = _save(game, trial, number)
        except NotFollowed as error:
            print_error(f"{told}; but machine code and interpreter do not agree: {error}", "this is a bug of seaspec")
            code = TOOL_FAILED
            continue
        print_error(told, None if path is None else f"see how it came to that: seaspec replay {path}")
    if found.failed > _TOLD and not as_json:
        print_error(f"the rules fail in {found.failed} of {found.plays} plays")
    if found.baffled:
        print_error(f"bots chose at random {found.baffled} times: found no position that fits all they knew")
    return code


def _save(game: Game, trial: Trial, number: int) -> Path | None:
    """Keep a play in which the rules fail, if it has begun and anything can be written here."""
    path = Path(".seaspec") / f"{game.name.lower()}_{trial.plan.seed}_{number}.play"
    try:
        play = trial.plays.failed_play(number)
    except RuleError:
        return None
    return save_aside(path, play.save)


# ------------------------------------------------------------------------------------------------------------- numbers


def summary(game: Game, trial: Trial) -> dict[str, Any]:
    """All numbers, ready for JSON."""
    found, plan = trial.found, trial.plan
    asked, offered = menus(game, found.asked), menus(game, found.offered)
    choices = asked.total()
    return {
        "game": " + ".join([game.name, *game.stack]),
        "options": game.options,
        "engine": plan.engine,
        "seed": plan.seed,
        "bots": dict(zip(game.players, plan.bots, strict=False)),
        "plays": found.plays,
        "until": None if trial.goal is None else _until(game, trial, trial.goal),
        "interrupted": trial.is_interrupted,
        "outcomes": [
            {"outcome": outcome, "plays": number, **share_data(number, found.good)}
            for outcome, number in outcomes(game, found, plan.limit).most_common()
        ],
        "wins": {
            name: {"plays": number, **share_data(number, found.ended)}
            for name, number in zip(game.players, wins(game, found), strict=True)
        },
        "turns": turns_data(game, found),
        "scores": scores_data(game, found),
        "length": {"plays": found.ended, **spread_data(found.lengths)},
        "branching": {"mean": offered.total() / choices if choices else 0.0, "choices": choices},
        "decisions": {
            menu: {"a_play": number / found.good, "options": offered[menu] / number}
            for menu, number in sorted(asked.items())
        },
        "failed": found.failed,
        "failures": [{"play": number, "message": message} for number, message in found.failures],
        "baffled": found.baffled,
        "seconds": round(trial.seconds, 3),
        "plays_per_second": round(found.plays / trial.seconds, 1) if trial.seconds else 0.0,
    }


def _until(game: Game, trial: Trial, goal: Goal) -> dict[str, Any]:
    return {
        "width": goal.width,
        "length": goal.length,
        "reached": trial.is_reached,
        "widest": widest(game, trial.found),
    }


# ---------------------------------------------------------------------------------------------------------------- text


def _as_text(game: Game, found: dict[str, Any], trial: Trial, is_verbose: bool) -> list[str]:
    rate = found["plays_per_second"]
    lines = [
        paint(game.title, BOLD) + f"   {described(game)}",
        f"{found['plays']} {_by(found)} of seed {found['seed']} in {found['seconds']:.1f} s, {rate:.0f} a second, "
        f"{found['engine']} engine",
        *_stops(found, trial),
        "",
        paint("outcomes", BOLD),
        *_outcome_lines(found["outcomes"]),
    ]
    spread = found["length"]
    if spread["plays"]:
        rows = [(name, percent(wins), str(wins["plays"])) for name, wins in found["wins"].items()]
        lines += ["", paint("wins", BOLD), *aligned(rows, right=[1, 2])]
        lines += [*turns_lines(found["turns"], is_verbose), *scores_lines(game, trial.found, is_verbose)]
        quantiles = ", ".join(f"{float(q):.0%} {n}" for q, n in spread["quantiles"].items())
        within = "" if spread["interval"] is None else f" ({spread['interval'][0]:.5g}..{spread['interval'][1]:.5g})"
        lines += [
            "",
            paint("length", BOLD)
            + f"   {spread['mean']:.1f}{within} choices a play, standard deviation {spread['sd']:.1f}",
            f"  from {spread['least']} to {spread['most']}; quantiles: {quantiles}",
            *("  " + line for line in histogram(trial.found.lengths)),
        ]
    rows = [(menu, f"{d['a_play']:.1f}", f"{d['options']:.1f}") for menu, d in found["decisions"].items()]
    lines += [
        "",
        paint("choices", BOLD) + f"   {found['branching']['mean']:.1f} options on average",
        *aligned([("", "a play", "options"), *rows], right=[1, 2]),
    ]
    return lines


def _stops(found: dict[str, Any], trial: Trial) -> list[str]:
    """Why it has stopped, if not because all plays are played."""
    lines = []
    if trial.is_interrupted:
        lines.append(f"interrupted, after {found['plays']} of {trial.most} plays")
    if trial.goal is not None:
        wanted = [] if trial.goal.width is None else [f"width={trial.goal.width:.4g}"]
        wanted += [] if trial.goal.length is None else [f"length={trial.goal.length:.4g}"]
        told = "reached" if trial.is_reached else "not reached"
        lines.append(
            f"until {','.join(wanted)}: {told}, the widest interval of a share is {found['until']['widest']:.2%}"
        )
    return lines


def _by(found: dict[str, Any]) -> str:
    """Whose plays these are."""
    bots = [f"{name} {bot}" for name, bot in found["bots"].items()]
    return f"plays by {', '.join(bots)}" if bots else "random plays"


def _outcome_lines(outcomes: Sequence[dict[str, Any]]) -> list[str]:
    shares = [percent(found) for found in outcomes]
    counts = [str(found["plays"]) for found in outcomes]
    wide, long = max(map(len, shares), default=0), max(map(len, counts), default=0)
    lines = []
    for found, share, count in zip(outcomes, shares, counts, strict=True):
        text = wrapped(found["outcome"], " " * (wide + long + 6)).lstrip()
        lines.append(f"  {share:>{wide}}  {count:>{long}}  {text}")
    return lines
