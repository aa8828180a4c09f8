"""Random plays by machine code in a process of its own, from the first moment of a check to its last; and plays of the
small worlds in another one, for what only a small world shows.

    with RoamingAside(game, news, how, without) as aside:
        ...
        findings.add(aside.at_first(go_on))        after a million steps, if there is time
        ...
        later = aside.latest()                     all that was found while proofs were sought

    with WorldsAside(news, how) as in_worlds:
        in_worlds.begin(worlds)
        ...
        found = in_worlds(world, go_on)            when all steps in this world were made, if there is time

At first it works as hard as all else; then only where a core is idle. What it finds it tells at once. All worlds have
their first steps first, one after the other; then each has more.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.connection import Connection
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
    from seaspec.verdict.verdicts import World

AT_FIRST = 1_000_000
"""Steps, and plays, that are made in any case, if there is time."""
HASTILY = 60_000
"""The first ones, by machine code that is made in a tenth of a second."""
IN_ALL = 300_000_000
"""Steps after which nothing new is expected."""
PAUSE = 0.05
"""Seconds after which one looks whether there is still time to wait."""
COMPARING, MOST_BUSY = 3.0, 5.0
"""Seconds for which one waits, after all else is done, for what a house rule changes; so many times that where others
work on the machine, too."""
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
        self._process = forking.Companion(_Told(PlayFindings()))

    def __enter__(self) -> RoamingAside:
        if self.how.plays and forking.can_fork():
            _ = self.game.machine, self.game.flow  # made here, so that not each process makes it again
            self._process.begin(_work, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.end()

    @property
    def _told(self) -> _Told:
        return self._process.newest

    @property
    def twins(self) -> Twins | None:
        """In how many plays the house rule makes a difference, if that is known."""
        return self._told.twins

    def card(self) -> Card | None:
        """What the house rule changes, if that is known soon."""
        ends = time.monotonic() + COMPARING * _busy()
        while not (self._told.is_compared or self._told.is_last) and time.monotonic() < ends:
            if self._process.receive(PAUSE) is None:
                break
        return self._told.card

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said: of machine code that can not play the game, or plays otherwise than the interpreter."""
        return self._told.notes

    def at_first(self, go_on: Callable[[], bool]) -> PlayFindings:
        """What has been found when the first steps are made, or one should not wait any longer."""
        while not (self._told.is_first or self._told.is_last) and self._process.receive(PAUSE) is not None and go_on():
            pass
        return self._told.found

    def latest(self) -> PlayFindings:
        """What has been found until now."""
        while self._process.receive(0):
            pass
        return self._told.found


def _work(aside: RoamingAside, connection: Connection) -> None:
    """Play, in a process of its own, as long as somebody is there to be told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = forking.Line(connection)
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


def _busy() -> float:
    """How much longer things take than on a machine on which nobody else works, more or less."""
    return min(MOST_BUSY, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


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


# ------------------------------------------------------------------------------------------------------- small worlds

IN_WORLDS = 30_000, 300_000
"""Steps, and plays, in each world: at first, and in all. The machine code for them is made in a tenth of a second."""
LATER = 5
"""How much the process gives way to others after the first steps."""

_InWorlds = dict[str, tuple[int, PlayFindings, tuple[str, ...]]]
"""Of worlds that were played, by their names: how often it was their turn, what that has shown, what is to be said."""


class WorldsAside:
    """Plays of the small worlds of a check, if any are wanted; where processes can not be forked there are none."""

    def __init__(self, news: News, how: How) -> None:
        self.news, self.how = news, how
        self._process: forking.Companion[_InWorlds] = forking.Companion({})

    def __enter__(self) -> WorldsAside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.end()

    def begin(self, worlds: Sequence[World]) -> None:
        if self.how.plays and worlds and forking.can_fork():
            self._process.begin(_work_in, self, worlds)

    def __call__(self, world: World, go_on: Callable[[], bool]) -> PlayFindings:
        """What plays of a world have shown; when all were made, unless one should not wait any longer."""
        while self._of(world)[0] < len(IN_WORLDS) and self._process.receive(PAUSE) is not None and go_on():
            pass
        return self._of(world)[1]

    def _of(self, world: World) -> tuple[int, PlayFindings, tuple[str, ...]]:
        return self._process.newest.get(world.name, (0, PlayFindings(), ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said: of machine code that plays otherwise than the interpreter."""
        return tuple(note for _, _, notes in self._process.newest.values() for note in notes)


def _work_in(aside: WorldsAside, worlds: Sequence[World], connection: Connection) -> None:
    """Play, in a process of its own, as long as somebody is there to be told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = forking.Line(connection)
    for told in _played_in(aside, worlds):
        line.tell(told)
    line.close()


def _played_in(aside: WorldsAside, worlds: Sequence[World]) -> Iterator[_InWorlds]:
    told: _InWorlds = {}
    playing = {world.name: _World(aside, world) for world in worlds}
    for turn, much in enumerate(IN_WORLDS, 1):
        for world in worlds:
            found, notes = playing[world.name].until(much)
            told[world.name] = turn, found, notes
            yield told
        os.nice(LATER)


class _World:
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
