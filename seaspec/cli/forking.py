"""Processes that are forked: whether they can be; Ctrl-C spares them as they begin; they end with who forked; what they
tell meanwhile."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


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


def begin(
    work: Callable[..., None], *given: object, daemon: bool = False, both_ways: bool = False
) -> tuple[BaseProcess, Connection]:
    """A process that does some work, given these things and a connection to tell of it; and our end of that.
    `both_ways`: it is also told something."""
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=both_ways)
    with uninterrupted():
        process = forking.Process(target=_work, args=(work, given, ours, theirs), daemon=daemon)
        process.start()
    theirs.close()
    return process, ours


def _work(work: Callable[..., None], given: tuple[object, ...], ours: Connection, theirs: Connection) -> None:
    ours.close()  # else, if the other process is killed, who tells would wait for ever until somebody listens
    work(*given, theirs)


class Companion(Generic[T]):
    """A process that works beside this one, and tells the newest from time to time; `newest` is what has come last."""

    def __init__(self, newest: T) -> None:
        self.newest = newest
        self.is_gone = False
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def begin(self, work: Callable[..., None], *given: object) -> None:
        self._process, self._connection = begin(work, *given, daemon=True)

    def receive(self, patience: float) -> bool | None:
        """Whether something has come; None: nobody is there any more."""
        if self._connection is None or self.is_gone:
            return None
        try:
            if not self._connection.poll(patience):
                return False
            self.newest = self._connection.recv()
        except (EOFError, OSError):
            self.is_gone = True
            return None
        return True

    def end(self) -> None:
        if self._process is not None and self._connection is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = self._connection = None


class Line:
    """What tells the newest as soon as somebody listens; who plays does not wait for that."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._newest: bytes | None = None
        self._is_closed = False
        self._changed = Condition()
        self._thread = Thread(target=self._send, daemon=True)
        self._thread.start()

    def tell(self, told: object) -> None:
        with self._changed:
            self._newest = pickle.dumps(told)
            self._changed.notify()

    def close(self) -> None:
        """When the last has been told, and heard."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _send(self) -> None:
        with suppress(BrokenPipeError):
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._newest is not None or self._is_closed)
                    newest, self._newest = self._newest, None
                if newest is None:
                    break
                self._connection.send_bytes(newest)
