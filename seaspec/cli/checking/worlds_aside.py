"""Random plays of small worlds by machine code, in a process of its own: what only a small world shows is told soon.

    with WorldsAside(news, how) as aside:
        aside.begin(worlds)
        ...
        found = aside(world, go_on)        when all steps in this world were made, if there is time

All worlds have their first steps first, one after the other; then each has more.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import TYPE_CHECKING

import seaspec.cli.forking as forking
from seaspec.backends.native.errors import NotCompiled
from seaspec.cli.checking.aside import PAUSE, Line
from seaspec.cli.checking.how import How
from seaspec.cli.checking.news import News
from seaspec.sampling.plays import PlayFindings

if TYPE_CHECKING:
    from seaspec.sampling.roaming import Roaming
    from seaspec.verdict.verdicts import World

STEPS = 30_000, 300_000
"""Steps, and plays, in each world: at first, and in all. The machine code for them is made in a tenth of a second."""
LATER = 5
"""How much the process gives way to others after the first steps."""

Told = dict[str, tuple[int, PlayFindings, tuple[str, ...]]]
"""Of worlds that were played, by their names: how often it was their turn, what that has shown, what is to be said."""


class WorldsAside:
    """Plays of the small worlds of a check, if any are wanted; where processes can not be forked there are none."""

    def __init__(self, news: News, how: How) -> None:
        self.news, self.how = news, how
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._told: Told = {}

    def __enter__(self) -> WorldsAside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._connection is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None

    def begin(self, worlds: Sequence[World]) -> None:
        if self.how.plays and worlds and forking.can_fork():
            self._process, self._connection = forking.begin(_work, self, worlds, daemon=True)

    def __call__(self, world: World, go_on: Callable[[], bool]) -> PlayFindings:
        """What plays of a world have shown; when all were made, unless one should not wait any longer."""
        while self._turns(world) < len(STEPS) and self._receive(PAUSE) is not None and go_on():
            pass
        return self._told[world.name][1] if world.name in self._told else PlayFindings()

    def _turns(self, world: World) -> int:
        return self._told[world.name][0] if world.name in self._told else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said: of machine code that plays otherwise than the interpreter."""
        return tuple(note for _, _, notes in self._told.values() for note in notes)

    def _receive(self, patience: float) -> bool | None:
        """Whether something has come; None: nobody is there any more."""
        if self._process is None or self._connection is None:
            return None
        try:
            if not self._connection.poll(patience):
                return False
            self._told = self._connection.recv()
        except (EOFError, OSError):
            self.__exit__(None, None, None)
            return None
        return True


def _work(aside: WorldsAside, worlds: Sequence[World], connection: Connection) -> None:
    """Play, in a process of its own, as long as somebody is there to be told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = Line(connection)
    for told in _played(aside, worlds):
        line.tell(told)
    line.close()


def _played(aside: WorldsAside, worlds: Sequence[World]) -> Iterator[Told]:
    told: Told = {}
    playing = {world.name: _Playing(aside, world) for world in worlds}
    for turn, much in enumerate(STEPS, 1):
        for world in worlds:
            found, notes = playing[world.name].until(much)
            told[world.name] = turn, found, notes
            yield told
        os.nice(LATER)


class _Playing:
    """Plays of one world; what they break is told at once."""

    def __init__(self, aside: WorldsAside, world: World) -> None:
        self.aside, self.world = aside, world
        self.parent = os.getppid()
        self.roaming: Roaming | None = None
        self.is_possible = True
        self.notes: tuple[str, ...] = ()

    def until(self, much: int) -> tuple[PlayFindings, tuple[str, ...]]:
        """What has been found when so much has been played, and what is to be said of it."""
        try:
            if self.is_possible:
                self._play(much)
        except (ImportError, NotCompiled):  # of the game it is said why
            self.is_possible = False
        except Exception as error:  # all else is found out all the same
            self.is_possible = False
            what = f"plays of the world {self.world.name} by machine code have failed"
            self.notes = (f"{what}: {type(error).__name__}: {error}; this is a bug of seaspec",)
        return PlayFindings() if self.roaming is None else self.roaming.found, self.notes

    def _play(self, much: int) -> None:
        if self.roaming is None:
            from seaspec.sampling.roaming import Roaming

            self.roaming = Roaming(self.world.game, self.aside.how.seed, hasty=True)
        while not self.roaming.has_played(much) and os.getppid() == self.parent:
            for _ in self.roaming.go_on():
                self.aside.news.look_in(self.world, self.roaming.found)
        self.roaming.shorten()
        self.notes = tuple(f"the world {self.world.name}: {note}" for note in self.roaming.notes)
