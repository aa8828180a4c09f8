"""Solvers in processes of their own, which can be killed: for each question a time, for all of them together a limit.

    with Provers(2, seconds=60) as provers: proofs = prove(flow, promises, provers.solve)

A question that takes too long, a process that needs too much memory or dies, Ctrl-C: the answer is that nothing is
known, and all else goes on. What was decided before, in this run or an earlier one, is not asked again; nor is in a run
what a solver did not decide in as much time. Without a solver installed there are no provers at all.

The solver is Z3, if no other is named; `Provers(.., ask_another)` are processes of the second one.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType, TracebackType

import seaspec.backends.symbolic
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Answer, Reply, ask, version
from seaspec.cli.forking import can_fork, uninterrupted
from seaspec.kept import Entries, digest, digest_of_files

Asks = Callable[[Script, int, Sequence[int]], list[Reply]]
"""Asks a solver in this process: a script, the milliseconds for a goal, which goals."""

PATIENCE, FULL_PATIENCE, SECOND_PATIENCE = 300, 5_000, 2_000
"""Milliseconds for one step of a proof; for a second solver."""
MEGABYTES = 2_000
"""Memory that a process may take."""
LATE, GRACE = 10, 2.0
"""A solver is killed that takes so many times as long as it should, and so many seconds more."""
AHEAD = 6
"""So many questions wait, while more are made, until some prover has time for them."""
MOST_SCRIPTS = 400
"""After so many scripts a process is replaced by a fresh one."""


class Provers:
    """A few processes that answer scripts. `milliseconds`: for each goal; `answered`: what is known already; `asks`:
    another solver than Z3."""

    def __init__(
        self,
        processes: int,
        seconds: float | None,
        milliseconds: int,
        answered: Answered | None = None,
        asks: Asks | None = None,
    ) -> None:
        self.ends = None if seconds is None else time.monotonic() + seconds
        self.milliseconds = milliseconds
        self.interrupted = False
        self.asked = self.known = 0
        """Goals that a solver was asked for, and goals whose answer was known already."""
        self.worked = 0.0
        """Processor seconds that solvers have told of."""
        self._answered = answered
        self._tried: dict[tuple[bytes, int], int] = {}
        """Goals that a solver did not decide in so many milliseconds."""
        self._all = [_Prover(asks or ask) for _ in range(processes)]
        self._idle = list(self._all)

    def __enter__(self) -> Provers:
        is_heard = threading.current_thread() is threading.main_thread()
        if is_heard and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for prover in self._all:
            prover.kill()
        if self._answered is not None and self.asked:
            self._answered.tidy()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C: it is noted, too, for where terms are cleared away Python drops what is raised."""
        self.interrupted = True
        raise KeyboardInterrupt

    @property
    def go_on(self) -> bool:
        """Whether there is time left."""
        return not self.interrupted and (self.ends is None or time.monotonic() < self.ends)

    def another(self, processes: int) -> Provers:
        """More of the same, for another process: with the time that is left, and what is known."""
        seconds = None if self.ends is None else self.ends - time.monotonic()
        return Provers(processes, seconds, self.milliseconds, self._answered)

    def solve(self, scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
        """The replies to scripts, in their order. `patience`: how many times the usual time there is for a goal.

        Scripts are taken one after the other: while the first are answered, more may be made.
        """
        questions: dict[bytes, _Question] = {}
        keys: list[bytes] = []
        waiting: deque[_Question] = deque()
        busy: _Busy = {}
        for script in scripts:
            keys.append(key_of(script))
            if keys[-1] in questions:
                continue
            question = questions[keys[-1]] = self._question(keys[-1], script, self.milliseconds * patience)
            if question.open:
                waiting.append(question)
                self._ask(waiting, busy, until=AHEAD)
        self._ask(waiting, busy, until=0)
        return [questions[key].replies() for key in keys]

    def _ask(self, waiting: deque[_Question], busy: _Busy, until: int) -> None:
        """Ask what waits until so few questions are left; with none left, all answers are waited for, too."""
        try:
            while waiting or busy:
                if not self.go_on:
                    waiting.clear()
                while waiting and self._idle:
                    prover, question = self._idle.pop(), waiting.popleft()
                    busy[prover.begin(question, self._seconds_left())] = (prover, question)
                is_enough = len(waiting) <= until and until > 0
                for connection, replies in self._answers(busy, patient=not is_enough):
                    prover, question = busy.pop(connection)
                    self.worked += prover.worked
                    self._idle.append(prover)
                    self._note(question, replies)
                if is_enough and not (waiting and self._idle):
                    return
        except KeyboardInterrupt:
            self.interrupted = True
            for prover in self._all:
                prover.kill()
            self._idle = list(self._all)
            waiting.clear()
            busy.clear()

    def _question(self, key: bytes, script: Script, milliseconds: int) -> _Question:
        """What is to be asked of a script: goals that are not known, nor too hard for this time."""
        question = _Question(script, milliseconds, key)
        if self._answered is not None:
            question.known = self._answered.find(question.key)
            self.known += len(question.known)
        question.open = [
            goal
            for goal in range(max(1, script.goals))
            if goal not in question.known and self._tried.get((question.key, goal), 0) < milliseconds
        ]
        return question

    def _note(self, question: _Question, replies: list[Reply] | None) -> None:
        """Keep what has come out. Without replies the solver was late, or has died."""
        self.asked += len(question.open)
        decided = False
        for goal, reply in zip(question.open, replies or [_NOTHING] * len(question.open), strict=True):
            if reply.answer is Answer.UNKNOWN:
                self._tried[question.key, goal] = question.milliseconds
            else:
                question.known[goal] = reply
                decided = True
        if decided and self._answered is not None:
            self._answered.keep(question.key, question.known)

    def _seconds_left(self) -> float:
        return float("inf") if self.ends is None else max(0.0, self.ends - time.monotonic())

    def _answers(self, busy: _Busy, patient: bool) -> Iterator[tuple[Connection, list[Reply] | None]]:
        """Who has answered, or is late. `patient`: wait for it."""
        now = time.monotonic()
        late = min((prover.until for prover, _ in busy.values()), default=now) if patient else now
        ready = set(wait(list(busy), max(0.0, late - now)))
        now = time.monotonic()
        for connection, (prover, _) in list(busy.items()):
            if connection in ready:
                yield connection, prover.answer()
            elif now >= prover.until:
                prover.kill()
                yield connection, None


@dataclass(slots=True)
class _Question:
    """A script, the goals of it that are asked for (`open`), and what is known of its goals."""

    script: Script
    milliseconds: int
    key: bytes
    open: list[int] = field(default_factory=list)
    known: dict[int, Reply] = field(default_factory=dict)

    def replies(self) -> list[Reply]:
        return [self.known.get(goal, _NOTHING) for goal in range(max(1, self.script.goals))]


_NOTHING = Reply(Answer.UNKNOWN, reason="not decided in time")


_Busy = dict[Connection, tuple["_Prover", _Question]]


class _Prover:
    """One process, begun when it is first needed."""

    def __init__(self, asks: Asks) -> None:
        self.asks = asks
        self.process: multiprocessing.process.BaseProcess | None = None
        self.connection: Connection | None = None
        self.until = 0.0
        self.asked = 0
        self.worked = 0.0
        """Processor seconds for the last answer."""

    def begin(self, question: _Question, seconds_left: float) -> Connection:
        if self.asked >= MOST_SCRIPTS:
            self.kill()
        if self.process is None or self.connection is None:
            context = multiprocessing.get_context("fork")
            with uninterrupted():
                self.connection, other = context.Pipe()
                self.process = context.Process(target=_serve, args=(other, self.connection, self.asks), daemon=True)
                self.process.start()
                other.close()
            self.asked = 0
        self.asked += 1
        usual = len(question.open) * LATE * question.milliseconds / 1000 + GRACE
        self.until = time.monotonic() + min(usual, seconds_left)
        with contextlib.suppress(OSError):  # it has died: there will be no answer
            self.connection.send((question.script, question.milliseconds, question.open))
        return self.connection

    def answer(self) -> list[Reply] | None:
        """What it says; None if it has died."""
        try:
            assert self.connection is not None
            found: list[Reply]
            found, self.worked = self.connection.recv()
        except (EOFError, OSError):
            self.kill()
            return None
        return found

    def kill(self) -> None:
        if self.process is not None and self.process.pid is not None:  # else it has not begun
            self.process.kill()
            self.process.join()
        if self.connection is not None:
            self.connection.close()
        self.process = self.connection = None
        self.asked = 0
        self.worked = 0.0


def _serve(connection: Connection, of_who_asks: Connection, asks: Asks) -> None:
    """Answer scripts until nobody asks any more. Whatever a solver prints, its last words too, is for nobody."""
    of_who_asks.close()  # else it would stay open here, and nobody would notice that there is nobody left to ask
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES * 2**20, MEGABYTES * 2**20))
    except (ImportError, ValueError, OSError):
        pass  # there is no limit to be had here
    while True:
        try:
            script, milliseconds, wanted = connection.recv()
        except (EOFError, OSError):
            return
        before = time.process_time()
        try:
            replies = asks(script, milliseconds, wanted)
        except Exception as error:  # whatever the solver does, nothing is known then
            replies = [Reply(Answer.UNKNOWN, reason=str(error))] * len(wanted)
        connection.send((replies, time.process_time() - before))


def are_there() -> bool:
    """Whether there is a solver, and processes can be forked."""
    return version() is not None and can_fork()


MAGIC = b"seaspec answers\n"
MOST_ENTRIES = 20_000
"""The oldest ones beyond this number are removed; one takes some hundred bytes."""


def key_of(script: Script) -> bytes:
    """What tells a question from others."""
    return digest([script.text, repr((script.names, script.given, script.goals))])


class Answered:
    """The answers that are known, in a folder. `solver`: the version of the one that is asked, if it is not Z3.

    The text of a question (SMT-LIB) is exactly what its answer depends on; the solver's version, and the sources of the
    encoding, are part of the key all the same. Only what a solver has decided is kept, goal by goal: never that it had
    no time, or died.
    """

    def __init__(self, folder: Path, solver: str | None = None) -> None:
        self._entries = Entries(folder / "answers", "answer", MAGIC)
        self._by = digest([solver or version() or "", _encoding()])

    def find(self, key: bytes) -> dict[int, Reply]:
        """What is known of the goals of a question, by their numbers."""
        entry = self._entries.read(digest([self._by, key]))
        if entry is None:
            return {}
        return {int(goal): _reply(told) for goal, told in json.loads(entry).items()}

    def keep(self, key: bytes, known: dict[int, Reply]) -> None:
        """Keep what was decided."""
        told = {goal: _told(reply) for goal, reply in known.items() if reply.answer is not Answer.UNKNOWN}
        if told:
            self._entries.write(digest([self._by, key]), json.dumps(told).encode())

    def tidy(self) -> None:
        """Remove what is too much."""
        self._entries.keep_newest(MOST_ENTRIES)


@cache
def _encoding() -> bytes:
    """What tells this encoding from others; as it was when this process began."""
    return digest_of_files(Path(seaspec.backends.symbolic.__file__).parent.rglob("*.py"))


def _told(reply: Reply) -> list[object]:
    return [reply.answer.value, reply.values, reply.used]


def _reply(told: list[object]) -> Reply:
    answer, values, used = told
    assert isinstance(values, dict) and isinstance(used, list)
    return Reply(Answer(answer), values, used=tuple(used))
