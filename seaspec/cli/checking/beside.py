"""Attempts at proofs side by side: each in a process of its own, with a solver of its own.

    with Beside(provers, 2) as beside: prove_and_doubt(flow, promises, guards, provers.solve, go_on, beside, ..)

A process that dies, or takes longer than there is time, has proved nothing; one whose slice of time is over waits until
it may go on. Ctrl-C ends them all.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from types import TracebackType

import seaspec.cli.forking as forking
from seaspec.cli.checking.provers import GRACE, Provers
from seaspec.prove.portfolio import Attempt, Job, Tried
from seaspec.prove.proof import Proof

PAUSE = 1.0
"""Seconds after which one that is paused looks whether anybody is left who may want it to go on."""
SELDOM = 100_000, 20, 50
"""How seldom it is looked for what goes round in circles: terms do not, and looking takes a sixth of the time."""


@dataclass(frozen=True)
class _Begun:
    process: multiprocessing.process.BaseProcess
    lost: Tried


class Beside:
    """So many attempts at once. They share the time and the answers that are known with `provers`. One that is paused
    keeps what it has found so far: its process waits."""

    def __init__(self, provers: Provers, at_once: int) -> None:
        self.provers = provers
        self.at_once = at_once
        self._begun: dict[Connection, _Begun] = {}
        self._paused: dict[Attempt, tuple[Connection, _Begun]] = {}

    def __enter__(self) -> Beside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for attempt in list(self._paused):
            self.drop(attempt)
        for connection, begun in self._begun.items():
            _end(connection, begun)
        self._begun.clear()

    def begin(self, job: Job, lost: Tried, seconds: float | None = None) -> None:
        process, ours = forking.begin(_work, job, self.provers, seconds, both_ways=True)
        self._begun[ours] = _Begun(process, lost)

    def go_on(self, attempt: Attempt, seconds: float | None) -> None:
        """Go on with one that is paused."""
        connection, begun = self._paused.pop(attempt)
        with contextlib.suppress(OSError):  # it has died: that is found out when it is waited for
            connection.send(seconds)
        self._begun[connection] = begun

    def drop(self, attempt: Attempt) -> None:
        """One that is paused is not wanted any more."""
        _end(*self._paused.pop(attempt))

    def ended(self) -> Tried:
        """What has come out of the next one that ends, or is paused."""
        try:
            ready = wait(list(self._begun), self._patience())
        except KeyboardInterrupt:
            self.provers.interrupted = True
            ready = []
        connection = next((one for one in self._begun if one in ready), next(iter(self._begun)))
        begun = self._begun.pop(connection)
        found: Tried | dict[str, Proof] = begun.lost
        if ready:
            with contextlib.suppress(EOFError, OSError):  # it has died
                found = connection.recv()
        if isinstance(found, Tried):
            _end(connection, begun)
            return found if found is begun.lost else replace(found, attempt=begun.lost.attempt)
        self._paused[begun.lost.attempt] = connection, begun
        return Tried(begun.lost.attempt, found, is_paused=True)

    def _patience(self) -> float | None:
        """So many seconds may be waited; None: any number."""
        if self.provers.interrupted:
            return 0.0
        return None if self.provers.ends is None else max(0.0, self.provers.ends - time.monotonic()) + GRACE


def _end(connection: Connection, begun: _Begun) -> None:
    begun.process.kill()
    begun.process.join()
    connection.close()


class _Slice:
    """The processor time that an attempt has, with its solver. When it is over, whoever has begun it is told, and says
    how much more there is."""

    def __init__(self, provers: Provers, seconds: float | None, connection: Connection) -> None:
        self.provers = provers
        self.connection = connection
        self.parent = os.getppid()
        self.proofs: dict[str, Proof] = {}
        """What was found so far."""
        self._ends = self._after(seconds)

    def go_on(self) -> bool:
        """Whether to go on; it may be a while until that is known."""
        if self._ends is not None and self._worked > self._ends and self._is_wanted:
            self.connection.send(self.proofs)
            while self._is_wanted and not self.connection.poll(PAUSE):
                pass
            if self._is_wanted:
                self._ends = self._after(self.connection.recv())
        return self._is_wanted

    def tell(self, proof: Proof) -> None:
        self.proofs[proof.name] = proof

    @property
    def _is_wanted(self) -> bool:
        return self.provers.go_on and os.getppid() == self.parent

    @property
    def _worked(self) -> float:
        return time.process_time() + self.provers.worked

    def _after(self, seconds: float | None) -> float | None:
        return None if seconds is None else self._worked + seconds


def _work(job: Job, provers: Provers, seconds: float | None, connection: Connection) -> None:
    """Make an attempt, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(*SELDOM)
    with provers.another(1) as own, contextlib.suppress(BrokenPipeError, EOFError):  # nobody waits any more
        ours = _Slice(own, seconds, connection)
        connection.send(job(own.solve, ours.go_on, ours.tell))
