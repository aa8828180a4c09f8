"""Attempts at proofs side by side: each in a process of its own, with a solver of its own.

    with Beside(provers, 2) as beside: prove_and_doubt(flow, promises, guards, provers.solve, go_on, beside, ..)

A process that dies, or takes longer than there is time, has proved nothing. Ctrl-C ends them all.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import TracebackType

import seaspec.cli.forking as forking
from seaspec.cli.checking.provers import GRACE, Provers
from seaspec.prove.entail import Solver
from seaspec.prove.portfolio import GoOn, Tried

Job = Callable[[Solver, GoOn], Tried]


@dataclass(frozen=True)
class _Begun:
    process: multiprocessing.process.BaseProcess
    lost: Tried


class Beside:
    """So many attempts at once. They share the time and the answers that are known with `provers`."""

    def __init__(self, provers: Provers, at_once: int) -> None:
        self.provers = provers
        self.at_once = at_once
        self._begun: dict[Connection, _Begun] = {}

    def __enter__(self) -> Beside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in list(self._begun):
            self._end(connection)

    def begin(self, job: Job, lost: Tried) -> None:
        process, ours = forking.begin(_work, job, self.provers)
        self._begun[ours] = _Begun(process, lost)

    def ended(self) -> Tried:
        """What has come out of the next one that ends."""
        try:
            ready = wait(list(self._begun), self._patience())
        except KeyboardInterrupt:
            self.provers.interrupted = True
            ready = []
        connection = next((one for one in self._begun if one in ready), next(iter(self._begun)))
        found = self._begun[connection].lost
        if ready:
            with contextlib.suppress(EOFError, OSError):  # it has died
                found = connection.recv()
        self._end(connection)
        return found

    def _patience(self) -> float | None:
        """So many seconds may be waited; None: any number."""
        if self.provers.interrupted:
            return 0.0
        return None if self.provers.ends is None else max(0.0, self.provers.ends - time.monotonic()) + GRACE

    def _end(self, connection: Connection) -> None:
        process = self._begun.pop(connection).process
        process.kill()
        process.join()
        connection.close()


def _work(job: Job, provers: Provers, connection: Connection) -> None:
    """Make an attempt, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    here = os.getppid()
    with provers.another(1) as own, contextlib.suppress(BrokenPipeError):  # nobody waits any more
        connection.send(job(own.solve, lambda: own.go_on and os.getppid() == here))
