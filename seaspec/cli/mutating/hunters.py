"""Processes that look at mutants, each at one at a time. They are forked, so that texts and trees need not be sent."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from multiprocessing.connection import Connection, wait
from typing import TypeVar

from seaspec.cli.forking import can_fork, uninterrupted
from seaspec.cli.output import Fault

Found = TypeVar("Found")


def hunted(numbers: Iterable[int], hunt: Callable[[int], Found], jobs: int) -> Iterator[Found]:
    """What is found of each number, as soon as it is known, in whatever order. Who stops listening ends all."""
    if jobs < 2 or not can_fork():
        for number in numbers:
            yield hunt(number)
        return
    waiting = iter(numbers)
    context = multiprocessing.get_context("fork")
    with ExitStack() as stack:
        busy: list[Connection] = []
        with uninterrupted():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, [*busy, ours], hunt), daemon=True)
                process.start()
                stack.callback(process.terminate)
                theirs.close()
                busy.append(ours)
        busy = [connection for connection in busy if _ask(connection, waiting)]
        while busy:
            for connection in wait(busy):
                assert isinstance(connection, Connection)
                try:
                    found = connection.recv()
                except (EOFError, OSError):
                    hint = "is there enough memory? --jobs 1 needs least"
                    raise Fault("a process that looked at a mutant has died", hint) from None
                if isinstance(found, BaseException):
                    raise found
                yield found
                if not _ask(connection, waiting):
                    busy.remove(connection)


def _ask(connection: Connection, waiting: Iterator[int]) -> bool:
    """Whether there was anything left to ask."""
    number = next(waiting, None)
    if number is not None:
        connection.send(number)
    return number is not None


def _serve(connection: Connection, of_who_asks: Iterable[Connection], hunt: Callable[[int], Found]) -> None:
    """Look at what one is asked for, until nobody asks any more."""
    for other in of_who_asks:
        other.close()  # else it would stay open here, and nobody would notice that there is nobody left to ask
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        try:
            connection.send(hunt(number))
        except BrokenPipeError:
            return
        except Exception as error:  # who asks is to tell it
            connection.send(error)
