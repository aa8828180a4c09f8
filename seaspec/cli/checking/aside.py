"""Random plays by machine code in a process of its own, from the first moment of a check to its last.

    with RoamingAside(game, news, how, without) as aside:
        ...
        findings.add(aside.at_first(go_on))        after a million steps, if there is time
        ...
        later = aside.latest()                     all that was found while proofs were sought

At first it works as hard as all else; then only where a core is idle. What it finds it tells at once.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Condition, Thread
from types import TracebackType
from typing import TYPE_CHECKING

import seaspec.cli.forking as forking
from seaspec.backends.native.errors import NotCompiled
from seaspec.cli.checking.how import How
from seaspec.cli.checking.news import News
from seaspec.core import ir
from seaspec.game import Game
from seaspec.sampling.card import Card
from seaspec.sampling.plays import PlayFindings
from seaspec.sampling.twins import TwinPlays, Twins

if TYPE_CHECKING:
    from seaspec.sampling.roaming import Roaming

AT_FIRST = 1_000_000
"""Steps, and plays, that are made in any case, if there is time."""
HASTILY = 60_000
"""The first ones, by machine code that is made in a tenth of a second."""
IN_ALL = 300_000_000
"""Steps after which nothing new is expected."""
PAUSE = 0.05
"""Seconds after which one looks whether there is still time to wait."""
COMPARING = 3.0
"""Seconds for which one waits, after all else is done, for what a house rule changes."""
WANDERING = (30_000, 0.7), (160_000, 4.0)
"""Steps, and processor seconds, in which a play is looked for that comes back to where it was: soon, and after the
first plays (at once, where they are longer than promised and do not end). Without the house rule: twice as many."""
PARTING = 1.0
"""Seconds in which plays without the house rule and with it are compared, step by step."""
NICER = 19


@dataclass(slots=True)
class _Told:
    """What a process hands over. `is_first`: the steps that are made in any case are made; `is_last`: nothing comes
    after it."""

    found: PlayFindings
    notes: tuple[str, ...] = ()
    is_first: bool = False
    is_last: bool = False
    card: Card | None = None
    """What the house rule changes, if it is one."""
    twins: Twins | None = None
    """In how many plays something differs with it, and what is used without it."""
    is_compared: bool = False
    """It is known what it changes, or that this can not be known."""


class RoamingAside:
    """Plays of a seed, if any are wanted; where processes can not be forked there are none."""

    def __init__(self, game: Game, news: News, how: How, without: Callable[[], Game | None]) -> None:
        self.game, self.news, self.how, self.without = game, news, how, cache(without)
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._told = _Told(PlayFindings())

    def __enter__(self) -> RoamingAside:
        if self.how.plays and forking.can_fork():
            _ = self.game.machine, self.game.flow  # made here, so that not each process makes it again
            self._process, self._connection = forking.begin(_work, self, daemon=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._connection is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None

    @property
    def twins(self) -> Twins | None:
        """In how many plays the house rule makes a difference, if that is known."""
        return self._told.twins

    def card(self) -> Card | None:
        """What the house rule changes, if that is known soon."""
        ends = time.monotonic() + COMPARING
        while not (self._told.is_compared or self._told.is_last) and time.monotonic() < ends:
            if self._receive(PAUSE) is None:
                break
        return self._told.card

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said: of machine code that can not play the game, or plays otherwise than the interpreter."""
        return self._told.notes

    def at_first(self, go_on: Callable[[], bool]) -> PlayFindings:
        """What has been found when the first steps are made, or one should not wait any longer."""
        while not (self._told.is_first or self._told.is_last) and self._receive(PAUSE) is not None and go_on():
            pass
        return self._told.found

    def latest(self) -> PlayFindings:
        """What has been found until now."""
        while self._receive(0):
            pass
        return self._told.found

    def _receive(self, patience: float) -> bool | None:
        """Whether something has come; None: nobody is there any more."""
        if self._process is None or self._connection is None:
            return None
        try:
            if not self._connection.poll(patience):
                return False
            self._told = self._connection.recv()
        except (EOFError, OSError):
            self._told.is_last = True
            return None
        return True


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


def _work(aside: RoamingAside, connection: Connection) -> None:
    """Play, in a process of its own, as long as somebody is there to be told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = Line(connection)
    told = _Told(PlayFindings())
    try:
        for told in _played(aside):
            line.tell(told)
    except (ImportError, NotCompiled) as error:
        told = replace(told, notes=(*told.notes, f"no plays by machine code: {error}"))
    except Exception as error:  # all else is found out all the same
        note = f"plays by machine code have failed: {type(error).__name__}: {error}; this is a bug of seaspec"
        told = replace(told, notes=(*told.notes, note))
    line.tell(replace(told, is_last=True))
    line.close()


def _played(aside: RoamingAside) -> Iterator[_Told]:
    from seaspec.sampling.roaming import Roaming

    parent = os.getppid()
    roaming = Roaming(aside.game, aside.how.seed, hasty=True)
    while not roaming.has_played(AT_FIRST) and os.getppid() == parent:
        if roaming.watcher.is_hasty and roaming.has_played(HASTILY):
            if _comes_back(aside, roaming, *WANDERING[_is_endless_perhaps(roaming)]):
                yield _Told(roaming.found, tuple(roaming.notes))
            roaming.compile_well()
        for _ in roaming.go_on():
            aside.news.look(roaming.found)
            yield _Told(roaming.found, tuple(roaming.notes))
    roaming.shorten()
    told = _Told(roaming.found, tuple(roaming.notes), is_first=True)
    yield told
    if _comes_back(aside, roaming, *WANDERING[1]):
        told = replace(told, found=roaming.found)
        yield told
    told = replace(told, twins=_twins(aside))
    yield told
    told = replace(told, card=_card(aside, lambda: os.getppid() == parent), is_compared=True)
    yield told
    os.nice(NICER)
    most = IN_ALL if aside.how.threads > 1 else AT_FIRST
    while not roaming.has_played(most) and os.getppid() == parent:
        for _ in roaming.go_on():
            aside.news.look(roaming.found)
            told = replace(told, found=roaming.found, notes=tuple(roaming.notes))
            yield told


def _comes_back(aside: RoamingAside, roaming: Roaming, steps: int, seconds: float) -> bool:
    """Look for plays that need not end, unless it is known. Whether there is news: a promise is broken, or it is the
    house rule that makes it so."""
    within = _ends_within(aside.game.rules)
    if roaming.comes_back or (not within and aside.without() is None):  # of such a game nobody says that it ends
        return False
    found, broken = roaming.come_back(steps, _working(seconds))
    if found is not None and not broken and _ends_without(aside, within, 2 * steps, 2 * seconds):
        roaming.found.endless = found
    is_new = bool(broken) or roaming.found.endless is not None
    if is_new:
        aside.news.look(roaming.found)
    return is_new


def _is_endless_perhaps(roaming: Roaming) -> bool:
    """Whether plays are longer than they are promised to be, and did not end while one looked."""
    within = _ends_within(roaming.machine.game)
    return bool(roaming.seen.cut_off) and not within.isdisjoint(roaming.found.watched.broken)


def _ends_without(aside: RoamingAside, within: set[str], steps: int, seconds: float) -> bool:
    """Whether plays end without the house rule, as far as one sees, and nobody has dropped the promise that they do."""
    from seaspec.sampling.endless import comes_back

    without = aside.without()
    is_said = without is not None and bool(_ends_within(without.rules) - within)
    return without is not None and not is_said and not comes_back(without, aside.how.seed, steps, _working(seconds))


def _ends_within(rules: ir.Game) -> set[str]:
    return {promise.name for promise in rules.promises if isinstance(promise, ir.EndsWithin)}


def _for(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def _working(seconds: float) -> Callable[[], bool]:
    """The same by the clock of this process: what is found does not depend on what else the machine does."""
    end = time.process_time() + seconds
    return lambda: time.process_time() < end


def _twins(aside: RoamingAside) -> Twins | None:
    without = aside.without()
    if without is None:
        return None
    try:
        return TwinPlays(without, aside.game, aside.how.seed).compared(_for(PARTING))
    except NotCompiled:
        return None


def _card(aside: RoamingAside, go_on: Callable[[], bool]) -> Card | None:
    without = aside.without()
    if without is None:
        return None
    from seaspec.sampling.comparing import compared

    try:
        return compared(without, aside.game, aside.how.seed, go_on)
    except NotCompiled:
        return None
