"""Processes that are forked: whether they can be; Ctrl-C spares them as they begin; they end with who forked."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess


def can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits, and never comes to processes that are started meanwhile: this one alone is interrupted."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin(work: Callable[..., None], *given: object, daemon: bool = False) -> tuple[BaseProcess, Connection]:
    """A process that does some work, given these things and a connection to tell of it; and our end of that."""
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    with uninterrupted():
        process = forking.Process(target=_work, args=(work, given, ours, theirs), daemon=daemon)
        process.start()
    theirs.close()
    return process, ours


def _work(work: Callable[..., None], given: tuple[object, ...], ours: Connection, theirs: Connection) -> None:
    ours.close()  # else, if the other process is killed, who tells would wait for ever until somebody listens
    work(*given, theirs)
