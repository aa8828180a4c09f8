"""Explorations in processes of their own: they begin ahead of time, on a core that is idle, and none outlasts its time.

    with Ahead(exploring, ends, at_once) as ahead:
        ahead.begin(game, "the game")
        ...
        explored = ahead(game, "the game")

A process that is not ready when the time is over is killed: also while it compiles machine code, which nothing else can
end. What the interpreter has found until then still counts. Where processes can not be forked all is done here, when it
is asked for. Ctrl-C while one waits ends the exploration; what it has covered is handed over.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from ctypes import c_byte
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType, TracebackType

import seaspec.cli.forking as forking
from seaspec.cli.checking.exploring import Exploring, clear_line
from seaspec.cli.output import redraws
from seaspec.explore.reference import Explored
from seaspec.game import Game

GRACE = 3.0
"""Seconds that a process has to hand over what it has covered, after Ctrl-C."""


@dataclass(slots=True)
class _Given:
    """What a process hands over. `is_last`: there is nothing more to come."""

    found: Explored
    is_last: bool
    notes: Sequence[str] = ()
    left: float = 0.0
    """Seconds of its share that were not used."""


@dataclass(slots=True)
class _Aside:
    """A process that explores a game. `is_watched`: somebody waits for it, so it may draw its line."""

    process: BaseProcess
    connection: Connection
    is_watched: c_byte


class Ahead:
    """Explores as `exploring` does. `ends`: when a process is killed at the latest, by `time.monotonic`; `at_once`: so
    many processes at a time."""

    def __init__(self, exploring: Exploring, ends: float | None, at_once: int) -> None:
        self.exploring = exploring
        self.ends = ends
        self.at_once = at_once
        self._begun: dict[Game, _Aside] = {}
        self._next: list[tuple[Game, str]] = []

    def __enter__(self) -> Ahead:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for aside in self._begun.values():
            _end(aside)
        self._begun.clear()

    def line_up(self, games: Sequence[tuple[Game, str]]) -> None:
        """These will be asked for next: each begins as soon as there are not too many processes."""
        self._next = list(games)

    def begin(self, game: Game, where: str) -> None:
        """Begin with a game, if there is time."""
        exploring = self.exploring
        if game in self._begun or exploring.is_stopped or not forking.can_fork() or not exploring.in_time():
            return
        share = exploring.left / max(1, exploring.games)
        here = os.getpid()
        own = replace(exploring, left=share, games=1, notes=[], is_wanted=lambda: os.getppid() == here)
        exploring.left -= share
        exploring.games -= 1
        _ = game.machine  # made here, so that not each process makes it again
        watched = multiprocessing.get_context("fork").RawValue(c_byte, 0)
        process, ours = forking.begin(_work, own, game, where, watched, daemon=True)
        self._begun[game] = _Aside(process, ours, watched)

    def __call__(self, game: Game, where: str) -> Explored:
        """What there is to be found out about a game; the next one begins meanwhile."""
        self.begin(game, where)
        while self._next and len(self._begun) < self.at_once and self.exploring.in_time():
            self.begin(*self._next.pop(0))
        aside = self._begun.get(game)
        if aside is None:
            return self.exploring(game, where)
        self._next = [other for other in self._next if other[0] is not game]
        given = _Given(Explored(), is_last=False)
        aside.is_watched.value = 1
        try:
            given = self._wait(aside, given, self.ends)
        except KeyboardInterrupt:
            self.exploring.is_stopped = True
            _interrupt(aside)
            given = self._wait(aside, given, time.monotonic() + GRACE)
        if redraws(sys.stderr):
            clear_line()
        _end(aside)
        del self._begun[game]
        self._account(given, where, aside)
        return given.found

    def _wait(self, aside: _Aside, given: _Given, ends: float | None) -> _Given:
        """The last that a process hands over in time."""
        while not given.is_last:
            if not aside.connection.poll(None if ends is None else max(0.0, ends - time.monotonic())):
                return given
            try:
                told = aside.connection.recv()
            except EOFError:
                return given
            if isinstance(told, BaseException):
                raise told
            given = told
        return given

    def _account(self, given: _Given, where: str, aside: _Aside) -> None:
        exploring = self.exploring
        exploring.notes += given.notes
        exploring.left += given.left
        exploring.is_stopped |= given.found.interrupted
        if not given.is_last and not exploring.is_stopped:
            died = self.ends is None or time.monotonic() < self.ends
            said = "the process that explored it has died" if died else "there was no time left to explore it further"
            exploring.notes.append(f"{where}: {said}")


def _interrupt(aside: _Aside) -> None:
    if aside.process.pid is not None and aside.process.is_alive():
        os.kill(aside.process.pid, signal.SIGINT)


def _end(aside: _Aside) -> None:
    aside.process.kill()
    aside.process.join()
    aside.connection.close()


def _work(exploring: Exploring, game: Game, where: str, watched: c_byte, connection: Connection) -> None:
    """Explore, in a process of its own."""
    signal.signal(signal.SIGINT, _interrupted_once)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    exploring.shows = lambda: bool(watched.value) and redraws(sys.stderr)
    exploring.first = lambda found: connection.send(_Given(found, is_last=False))
    with suppress(BrokenPipeError, KeyboardInterrupt):  # nobody waits any more
        try:
            found = exploring(game, where)
        except Exception as error:
            connection.send(error)
            return
        found.interrupted = exploring.is_stopped
        connection.send(_Given(found, is_last=True, notes=exploring.notes, left=exploring.left))


def _interrupted_once(number: int, frame: FrameType | None) -> None:
    """Ctrl-C may come from the keyboard and from the process that waits: it is the same one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
