"""`seaspec simulate --find`: the first play in which something comes about, told or saved."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

from seaspec.backends.native.errors import NotCompiled
from seaspec.cli.arguments import described
from seaspec.cli.asked import promise, with_question
from seaspec.cli.main import INTERRUPTED, OK, TOOL_FAILED, UNDECIDED
from seaspec.cli.output import BOLD, GREEN, YELLOW, Fault, paint, print_error, print_json, step_lines, wrapped
from seaspec.cli.progress import Progress
from seaspec.game import Game
from seaspec.sampling.batches import NATIVE, REFERENCE, Plan
from seaspec.sampling.finding import Search, Sought, Trouble, find_by_interpreter, find_natively
from seaspec.sampling.reference import failure
from seaspec.sampling.telling import as_play, steps

PLAYS = {NATIVE: 100_000, REFERENCE: 1_000}
"""So many are looked through, if it is not said."""


@dataclass(slots=True)
class _Searched:
    """What came of it, and by which engine."""

    engine: str
    search: Search
    is_interrupted: bool = False


def find(args: argparse.Namespace, game: Game, plan: Plan) -> int:
    """Look for a play, tell or save it: 0 there is one, 2 none was found in so many plays."""
    for name in ("until", "ray", "jobs"):
        if getattr(args, name) is not None:
            raise Fault(f"--find looks through one play after the other: --{name} does not go with it")
    asked, sought = _question(args, game)
    try:
        searched = _search(args, asked, sought, plan)
    except NotCompiled as error:
        if plan.engine == NATIVE and args.engine == NATIVE:
            raise Fault(f"not by the native engine: {error}", "--engine reference can do it") from None
        print(f"note: by the reference engine, since {error}", file=sys.stderr)
        searched = _search(args, asked, sought, Plan(REFERENCE, plan.seed, plan.limit, plan.bots))
    return _tell(args, game, plan, searched)


def _question(args: argparse.Namespace, game: Game) -> tuple[Game, Sought]:
    """What is looked for, and the game in which one can ask for it: its plays are those of the game itself."""
    words = " ".join(args.find.split())
    for trouble in Trouble:
        if words == trouble.value:
            return game, trouble
    asked = with_question(game, None, args.find, "--find")
    return asked, promise(asked)


def _search(args: argparse.Namespace, game: Game, sought: Sought, plan: Plan) -> _Searched:
    most = args.plays or PLAYS[plan.engine]
    searched = _Searched(plan.engine, Search())
    with Progress("plays", most) as progress:

        def told(search: Search) -> None:
            searched.search = search
            progress.advance(search.plays - progress.done)

        try:
            if plan.engine == NATIVE:
                searched.search = find_natively(game, sought, plan.seed, plan.limit, most, told)
            else:
                searched.search = find_by_interpreter(game, sought, plan.seed, plan.limit, most, told, plan.bots)
        except KeyboardInterrupt:
            searched.is_interrupted = True
    return searched


def _tell(args: argparse.Namespace, game: Game, plan: Plan, searched: _Searched) -> int:
    search, hit = searched.search, searched.search.hit
    told = [] if hit is None else list(steps(game.machine, hit.found))
    saved = None
    if hit is not None and args.save is not None:
        as_play(game, hit.found).save(args.save)
        saved = args.save
    if args.json:
        print_json(_data(args, game, plan, searched, told, saved))
    else:
        print("\n".join(_lines(args, game, plan, searched, told, saved)))
    for note in search.notes:
        print_error(note)
    if hit is not None:
        return OK
    return TOOL_FAILED if search.notes else INTERRUPTED if searched.is_interrupted else UNDECIDED


def _lines(
    args: argparse.Namespace, game: Game, plan: Plan, searched: _Searched, told: list[str], saved: str | None
) -> list[str]:
    search, hit = searched.search, searched.search.hit
    plays = f"{search.plays} play{'s' * (search.plays != 1)} of seed {plan.seed}, {searched.engine} engine"
    lines = [paint(game.title, BOLD) + f"   {described(game)}"]
    if hit is None:
        why = " (interrupted)" if searched.is_interrupted else ""
        lines.append(wrapped(f"{paint('not found', YELLOW)}: {args.find}", "  "))
        lines.append(f"  looked through {plays}{why}; that it can not come about is not shown")
        lines += [f"  in {search.failed} of them the rules have failed"] * (search.failed > 0 and args.find != "fails")
        lines += [f"  {search.cut_off} were not over after {plan.limit} steps"] * (search.cut_off > 0)
        return lines
    number = len(hit.found.answers)
    after = f"after {number} step{'s' * (number != 1)}" if number else "at the very beginning"
    lines.append(wrapped(f"{paint('found', GREEN)}: {args.find}, in play {hit.play}, {after}", "  "))
    lines.append(f"  looked through {plays}")
    if saved is not None:
        lines.append(f"  see it: seaspec replay {saved}")
    else:
        lines += step_lines(told)
    if hit.error is not None:
        lines.append(f"  then: {failure(hit.error.message, hit.error.span)}")
    return lines


def _data(
    args: argparse.Namespace, game: Game, plan: Plan, searched: _Searched, told: list[str], saved: str | None
) -> dict[str, Any]:
    search, hit = searched.search, searched.search.hit
    return {
        "game": " + ".join([game.name, *game.stack]),
        "options": game.options,
        "engine": searched.engine,
        "seed": plan.seed,
        "bots": dict(zip(game.players, plan.bots, strict=False)),
        "find": args.find,
        "found": hit is not None,
        "play": None if hit is None else hit.play,
        "steps": told,
        "failure": None if hit is None or hit.error is None else failure(hit.error.message, hit.error.span),
        "saved": saved,
        "plays": search.plays,
        "failed": search.failed,
        "cut_off": search.cut_off,
        "interrupted": searched.is_interrupted,
        "notes": list(search.notes),
    }
