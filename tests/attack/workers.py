"""Work that may kill whoever does it: each process does one thing at a time, and one that dies is replaced."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

SPAWN = multiprocessing.get_context("spawn")
TASKS = 300
"""After so many things a process is replaced: what it keeps would grow."""


def done_by(processes: int, work: Callable[[str], Any], things: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What comes out for each thing, in whatever order; the exit code, if the process died of it."""
    todo = list(reversed(things))
    running: dict[Connection, _Worker] = {}
    for _ in range(min(processes, len(todo))):
        _Worker(work).begin(todo.pop(), running)
    while running:
        for ready in wait(list(running)):
            assert isinstance(ready, Connection)
            worker = running.pop(ready)
            thing = worker.thing
            try:
                yield thing, ready.recv()
                worker.done += 1
            except (EOFError, OSError):
                worker.process.join()
                yield thing, worker.process.exitcode
                worker = _Worker(work)
            if worker.done >= TASKS:
                worker.end()
                worker = _Worker(work)
            if todo:
                worker.begin(todo.pop(), running)
            else:
                worker.end()


class _Worker:
    """A process, and what it is doing."""

    def __init__(self, work: Callable[[str], Any]) -> None:
        self.here, there = SPAWN.Pipe()
        self.process: BaseProcess = SPAWN.Process(target=_work, args=(there, work), daemon=True)
        self.process.start()
        there.close()
        self.thing = ""
        self.done = 0

    def begin(self, thing: str, running: dict[Connection, _Worker]) -> None:
        self.thing = thing
        self.here.send(thing)
        running[self.here] = self

    def end(self) -> None:
        self.here.send(None)
        self.process.join()


def _work(connection: Connection, work: Callable[[str], Any]) -> None:
    while (thing := connection.recv()) is not None:
        connection.send(work(thing))


def survived(work: Callable[[], bool]) -> bool | None:
    """Whether something is so, found out in a process of its own; None if that dies of it."""
    here, there = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: there.send(work()))
    process.start()
    there.close()
    try:
        return bool(here.recv())
    except EOFError:
        return None
    finally:
        process.join()
