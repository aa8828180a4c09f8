"""Native code against the interpreter on many plies: `make conformance`, or

    python tests/conformance.py --plies 1000000 [--games calm hex ..] [--plays 10000] [--jobs 2] [--web]
    python tests/conformance.py --page --plays 1000 [--moves 5000] [--games calm ..]

Each game is played in both back ends at once, ply by ply (native_agreement.py), each case (native_cases.py) its share
of the plies: some with what happens on the way and what each player sees, and of the others half from the beginning,
half from the middle of a play. Then native code alone makes so many random plays of each case: all must come to an end.

With `--page` the engine of the page on which games are played (page_agreement.py) follows so many plays of each game,
whole ones: what may be done, who is asked, and at one position of PAGE_EVERY all that is told, seen, explained, drawn.

With `--web` the native code is that for browsers (web_machine.py), and its own plays are compared with this computer's.

Cases run in several processes; they are told in their order. A case depends on the seed and its share alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from native_agreement import Comparison, Disagreement, Tally
from native_cases import FOLDERS, ROOT, Case, cases, games
from page_agreement import Disagreement as DisagreementInPage
from page_agreement import compare as compare_page
from page_agreement import packed_data
from web_machine import WebMachine

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.machine import Machine, PlayFailed
from seaspec.game import Game
from seaspec.loading import LoadError, load

TRACED, TRACED_PART = 1000, 10
"""So many plies of each case, or one of so many if that is more, are compared with what happens on the way,"""
VIEWS_EVERY = 8
"""and at one of so many of these nodes with the table as each player sees it; the log always."""
SMALL_SHARE = 10
"""Games of the tests alone have this part of the plies."""
MOST_DECISIONS = 100_000_000
"""So many decisions native code makes alone in a case; then it is told how many plays these were."""
BATCH = 100
PAGE_BATCH, PAGE_EVERY = 25, 40
PLAYED = ("calm", "admiral", "pirate_bay", "sea_lords")
"""The games of the package, which are played in pages."""
MOST_DECISIONS_WEB, MOST_OF_A_PLAY = 1_000_000, 5_000
"""Likewise of modules of WebAssembly, in plays that are cut off after so many."""


@dataclass(frozen=True)
class Order:
    """A case, by its game and name, and what is to be done with it."""

    game: str
    case: str
    plies: int
    plays: int
    seed: int
    web: bool = False

    @property
    def command(self) -> str:
        """What repeats it."""
        arguments = f"--games {self.game} --case '{self.case}' --plies {self.plies} --plays {self.plays}"
        return f"python tests/conformance.py {arguments} --seed {self.seed}{' --web' * self.web}"


@dataclass
class Found:
    """What came of it. `fault`: why the case failed; `allowed`: whether its options go together."""

    tally: Tally = field(default_factory=Tally)
    plays: int = 0
    cut_off: int = 0
    views: int = 0
    fault: str | None = None
    allowed: bool = True
    seconds: float = 0

    def add(self, other: Found) -> None:
        self.tally.add(other.tally)
        self.plays += other.plays
        self.cut_off += other.cut_off
        self.views += other.views
        self.seconds += other.seconds

    def __str__(self) -> str:
        tally = self.tally
        parts = [f"{tally.plies:,} plies of {tally.plays:,} plays, {tally.options:,} options, {self.views:,} views"]
        if tally.failures:
            parts[0] += f", {sum(tally.failures.values()):,} obligations not met on both sides"
        parts.append(f"{self.plays - self.cut_off:,} plays end")
        if self.cut_off:
            parts[1] += f", {self.cut_off:,} are cut off"
        return "; ".join([*parts, f"{self.seconds:.1f} s"])


def main(texts: Sequence[str] | None = None) -> int:
    args = arguments(texts)
    if args.page:
        return compare_pages(args)
    failed: list[tuple[Order, str]] = []
    paths = dict(games())
    with ProcessPoolExecutor(args.jobs) as pool:
        for name in args.games or paths:
            plies = args.plies // SMALL_SHARE if is_small(paths[name]) and not args.case else args.plies
            names = [case.name for case in cases_of(paths[name]) if args.case in (None, case.name)]
            if not names:
                raise SystemExit(f"{name} has no case {args.case!r}")
            total, count, start = Found(), 0, time.monotonic()
            for order, found in run_cases(pool, args, name, names, plies):
                if found.fault is not None:
                    failed.append((order, found.fault))
                    print(f"  {order.case}: FAILED", flush=True)
                elif found.allowed:
                    count += 1
                    print(f"  {order.case}: {found}", flush=True)
                total.add(found)
            print(f"{name}: {total} in {count} cases, {time.monotonic() - start:.0f} s in all", flush=True)
    for order, fault in failed:
        print(f"FAILED {order.case}\n  {order.command}\n  {fault}")
    print(f"{len(failed)} cases failed" if failed else "all agree")
    return int(bool(failed))


def compare_pages(args: argparse.Namespace) -> int:
    """The engine of the page; its plays are made in batches, so that a fault is told soon."""
    failed = 0
    for name in args.games or PLAYED:
        start, count = time.process_time(), 0
        game = load(name)
        packed = packed_data(game)
        try:
            with TemporaryDirectory() as folder:
                for first in range(0, args.plays, PAGE_BATCH):
                    plays, seed = min(PAGE_BATCH, args.plays - first), f"{args.seed} {first}"
                    count += compare_page(game, plays, seed, Path(folder), args.moves, PAGE_EVERY, packed)
        except DisagreementInPage as fault:
            failed += 1
            print(f"{name}: FAILED after {count:,} positions\n  {fault}", flush=True)
            continue
        print(
            f"{name}: {count:,} positions of {args.plays:,} plays agree; {time.process_time() - start:.0f} s",
            flush=True,
        )
    return int(failed > 0)


def arguments(texts: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    least = "plies of each game, compared (of the small games of the tests a tenth)"
    parser.add_argument("--plies", type=int, default=1_000_000, help=least)
    parser.add_argument("--plays", type=int, default=10_000, help="random plays of each case, by native code alone")
    parser.add_argument("--games", nargs="*", choices=dict(games()), help="these games only, in this order")
    parser.add_argument("--case", help="this case only; it has all the plies")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; as many as there are cores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="compare the engine of the page")
    parser.add_argument("--moves", type=int, default=MOST_OF_A_PLAY, help="with --page: so many moves of each play")
    parser.add_argument("--web", action="store_true", help="compare modules of WebAssembly")
    return parser.parse_args(texts)


def run_cases(
    pool: ProcessPoolExecutor, args: argparse.Namespace, game: str, names: list[str], plies: int
) -> Iterator[tuple[Order, Found]]:
    """The cases of a game, told in order. What a case does not use of its share goes to those after it."""
    left, waiting = plies, list(names)
    running: list[tuple[Order, Future[Found]]] = []
    while waiting or running:
        while waiting and sum(not future.done() for _, future in running) <= args.jobs:
            order = Order(game, waiting[0], -(-left // len(waiting)), args.plays, args.seed, args.web)
            waiting.pop(0)
            left -= order.plies
            running.append((order, pool.submit(run_case, order)))
        if running[0][1].done() or not waiting:
            order, future = running.pop(0)
            found = future.result()
            left += order.plies - found.tally.plies if waiting else 0
            yield order, found
        else:
            time.sleep(0.01)


def run_case(order: Order) -> Found:
    """Compare a case, in a process of the pool."""
    start = time.process_time()
    found = Found()
    try:
        compare(order, found)
    except (Disagreement, PlayFailed, NotCompiled, LoadError) as error:
        found.fault = f"{type(error).__name__}: {error}"
    except Exception:  # one case must not end the run of all others
        found.fault = traceback.format_exc()
    found.seconds = time.process_time() - start
    return found


def compare(order: Order, found: Found) -> None:
    case = next(case for case in cases_of(dict(games())[order.game]) if case.name == order.case)
    game = case.game()
    if game is None:
        found.allowed = False
        return
    if order.web:
        compare_web(order, found, game)
        return
    native = Machine(game.flow)
    traced = Comparison(game, Machine(game.flow, traces=True), VIEWS_EVERY)
    plain = Comparison(game, native)
    found.tally.add(traced.plies(min(order.plies, max(TRACED, order.plies // TRACED_PART)), order.seed))
    found.views = traced.views.compared
    found.tally.add(plain.plies((order.plies - found.tally.plies) // 2, order.seed + 1))
    found.tally.add(plain.plies(order.plies - found.tally.plies, order.seed + 2, midway=True))
    decisions = 0
    while found.plays < order.plays and decisions < MOST_DECISIONS:
        totals = native.simulate(order.seed, found.plays, min(BATCH, order.plays - found.plays))
        found.plays += totals.plays
        found.cut_off += totals.cut_off
        decisions += totals.asked.total()


def compare_web(order: Order, found: Found, game: Game) -> None:
    web, native = WebMachine(game.flow), Machine(game.flow)
    found.tally.add(Comparison(game, web).plies(order.plies, order.seed))
    decisions = 0
    while found.plays < order.plays and decisions < MOST_DECISIONS_WEB:
        span = found.plays, min(BATCH, order.plays - found.plays), MOST_OF_A_PLAY
        totals = web.simulate(order.seed, *span)
        if totals != native.simulate(order.seed, *span):
            raise Disagreement(f"plays {span[0]} to {sum(span[:2])} with the seed {order.seed}")
        found.plays += totals.plays
        found.cut_off += totals.cut_off
        decisions += totals.asked.total()


@cache
def cases_of(path: Path) -> list[Case]:
    return cases(path)


def is_small(path: Path) -> bool:
    return path.parent == ROOT / FOLDERS[2]


if __name__ == "__main__":
    sys.exit(main())
