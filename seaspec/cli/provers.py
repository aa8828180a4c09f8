"""Solvers in processes of their own, which can be killed: for each question a time, for all of them together a limit.

    with Provers(2, seconds=60) as provers: proofs = prove(flow, promises, provers.solve)

A question that takes too long, a process that needs too much memory or dies, Ctrl-C: the answer is that nothing is
known, and all else goes on. Without a solver installed there are no provers at all.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from types import TracebackType

from seaspec.backends.symbolic.smtlib import Script
from seaspec.backends.symbolic.solve import Answer, Reply, ask, version

QUICK_SECONDS, SECONDS = 10, 60
"""For all proofs of a game."""
PATIENCE, FULL_PATIENCE = 300, 5_000
"""Milliseconds for one step of a proof."""
MEGABYTES = 2_000
"""Memory that a process may take."""
GRACE = 2.0
"""Seconds that a solver may be late before its process is killed."""
MOST_SCRIPTS = 400
"""After so many scripts a process is replaced by a fresh one."""


class Provers:
    """A few processes that answer scripts. `milliseconds`: for each goal."""

    def __init__(self, processes: int, seconds: float | None, milliseconds: int) -> None:
        self.ends = None if seconds is None else time.monotonic() + seconds
        self.milliseconds = milliseconds
        self.interrupted = False
        self._idle = [_Prover() for _ in range(processes)]

    def __enter__(self) -> Provers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for prover in self._idle:
            prover.kill()

    @property
    def go_on(self) -> bool:
        """Whether there is time left."""
        return not self.interrupted and (self.ends is None or time.monotonic() < self.ends)

    def solve(self, scripts: Sequence[Script], patience: int) -> list[list[Reply]]:
        """The replies to scripts, in their order. `patience`: how many times the usual time there is for a goal."""
        found: list[list[Reply]] = [[_NOTHING] * max(1, script.goals) for script in scripts]
        waiting = list(reversed(range(len(scripts))))
        busy: dict[Connection, tuple[_Prover, int]] = {}
        try:
            while (waiting and self.go_on) or busy:
                while waiting and self._idle and self.go_on:
                    place = waiting.pop()
                    prover = self._idle.pop()
                    busy[prover.begin(scripts[place], self.milliseconds * patience)] = (prover, place)
                for connection, reply in self._answers(busy):
                    prover, place = busy.pop(connection)
                    found[place] = reply or found[place]
                    self._idle.append(prover)
        except KeyboardInterrupt:
            self.interrupted = True
            for prover, _ in busy.values():
                prover.kill()
                self._idle.append(prover)
        return found

    def _answers(self, busy: dict[Connection, tuple[_Prover, int]]) -> Iterator[tuple[Connection, list[Reply] | None]]:
        """Who has answered, or is late."""
        now = time.monotonic()
        late = min((prover.until for prover, _ in busy.values()), default=now)
        if self.ends is not None:
            late = min(late, self.ends + GRACE)
        ready = set(wait(list(busy), max(0.0, late - now)))
        now = time.monotonic()
        for connection, (prover, _) in list(busy.items()):
            if connection in ready:
                yield connection, prover.answer()
            elif now >= prover.until or (self.ends is not None and now >= self.ends + GRACE):
                prover.kill()
                yield connection, None


_NOTHING = Reply(Answer.UNKNOWN, reason="no time left")


class _Prover:
    """One process, begun when it is first needed."""

    def __init__(self) -> None:
        self.process: multiprocessing.process.BaseProcess | None = None
        self.connection: Connection | None = None
        self.until = 0.0
        self.asked = 0

    def begin(self, script: Script, milliseconds: int) -> Connection:
        if self.asked >= MOST_SCRIPTS:
            self.kill()
        if self.process is None or self.connection is None:
            context = multiprocessing.get_context("fork")
            self.connection, other = context.Pipe()
            self.process = context.Process(target=_serve, args=(other,), daemon=True)
            self.process.start()
            other.close()
            self.asked = 0
        self.asked += 1
        self.until = time.monotonic() + max(1, script.goals) * milliseconds / 1000 + GRACE
        with contextlib.suppress(OSError):  # it has died: there will be no answer
            self.connection.send((script, milliseconds))
        return self.connection

    def answer(self) -> list[Reply] | None:
        """What it says; None if it has died."""
        try:
            assert self.connection is not None
            found: list[Reply] = self.connection.recv()
        except (EOFError, OSError):
            self.kill()
            return None
        return found

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
        if self.connection is not None:
            self.connection.close()
        self.process = self.connection = None
        self.asked = 0


def _serve(connection: Connection) -> None:
    """Answer scripts until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES * 2**20, MEGABYTES * 2**20))
    except (ImportError, ValueError, OSError):
        pass  # there is no limit to be had here
    while True:
        try:
            script, milliseconds = connection.recv()
        except (EOFError, OSError):
            return
        try:
            replies = ask(script, milliseconds)
        except Exception as error:  # whatever the solver does, nothing is known then
            replies = [Reply(Answer.UNKNOWN, reason=str(error))] * max(1, script.goals)
        connection.send(replies)


def are_there() -> bool:
    """Whether there is a solver, and processes can be forked."""
    return version() is not None and "fork" in multiprocessing.get_all_start_methods()
