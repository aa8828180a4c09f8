"""Who plays the batches: threads of this process (machine code lets them run side by side), or processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext, SpawnContext
from queue import SimpleQueue

from seaspec.cli.forking import uninterrupted
from seaspec.cli.output import Fault
from seaspec.game import Game
from seaspec.sampling.batches import NATIVE, Plan, Plays, Start, plays_of
from seaspec.sampling.statistics import Statistics


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def workers(game: Game, plan: Plan, plays: Plays, jobs: int) -> Iterator[Start]:
    """Whoever plays so many batches at a time here."""
    if jobs == 1:
        yield lambda batch: partial(plays.play, batch)
    elif plan.engine == NATIVE:
        with _threads(plays.play, jobs) as start:
            yield start
    else:
        with _processes(game, plan, plays, jobs) as start:
            yield start


@contextmanager
def _threads(play: Callable[[range], Statistics], jobs: int) -> Iterator[Start]:
    pool = ThreadPoolExecutor(jobs)
    try:
        yield lambda batch: pool.submit(play, batch).result
    finally:
        pool.shutdown(cancel_futures=True)


# ----------------------------------------------------------------------------------------------------------- processes


@contextmanager
def _processes(game: Game, plan: Plan, plays: Plays, jobs: int) -> Iterator[Start]:
    """A thread for each process, that waits for it."""
    forks = "fork" in multiprocessing.get_all_start_methods()
    context: ForkContext | SpawnContext
    context = multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")
    _ = game.machine  # compiled once, before the processes part
    handed_on = plays if forks else (pickle.dumps(game.rules), plan)
    idle: SimpleQueue[Connection] = SimpleQueue()

    def play(batch: range) -> Statistics:
        connection = idle.get()
        try:
            connection.send(batch)
            found = connection.recv()
        except (EOFError, OSError):
            raise Fault("a process that played has died", "is there enough memory? --jobs 1 needs least") from None
        finally:
            idle.put(connection)
        return found  # type: ignore[no-any-return]

    with ExitStack() as stack:
        start = stack.enter_context(_threads(play, jobs))
        with uninterrupted():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, ours, handed_on), daemon=True)
                process.start()
                stack.callback(process.terminate)  # nobody waits for what it still plays
                theirs.close()
                idle.put(ours)
        yield start


def _serve(connection: Connection, of_who_asks: Connection, handed_on: Plays | tuple[bytes, Plan]) -> None:
    """Play the batches that are asked for, until nobody asks any more."""
    of_who_asks.close()  # else it would stay open here, and nobody would notice that there is nobody left to ask
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plays = handed_on
    if isinstance(plays, tuple):
        rules, plan = plays
        plays = plays_of(Game(pickle.loads(rules)), plan)
    while True:
        try:
            batch = connection.recv()
        except EOFError:
            return
        connection.send(plays.play(batch))
