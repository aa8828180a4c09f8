"""The first play in which something comes about: a condition holds, somebody is stuck, the rules fail.

Random plays are looked through by machine code, and the interpreter, which judges, goes the one again that shows it;
plays by bots are looked through by the interpreter alone. Play `n` of a seed is the play that `simulate` counts as it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from seaspec.backends.interpreter.errors import RuleError
from seaspec.core import ir
from seaspec.game import Game
from seaspec.sampling.reference import ReferencePlays
from seaspec.sampling.watch import Found
from seaspec.sampling.watch import Watcher as Judge

AT_ONCE = 250_000
"""Steps by machine code that is made soon; from then on by machine code that runs fast."""


class Trouble(Enum):
    """What may come about beside a condition."""

    STUCK = "stuck"
    FAILS = "fails"


Sought = ir.Reachable | Trouble


@dataclass(frozen=True, slots=True)
class Hit:
    """A play that shows it: its number, and its answers; how the rules fail in the end, if they do."""

    play: int
    found: Found
    error: RuleError | None = None


@dataclass(slots=True)
class Search:
    """What was looked through. `notes`: where machine code and interpreter do not agree, a mistake of the tool."""

    plays: int = 0
    failed: int = 0
    cut_off: int = 0
    hit: Hit | None = None
    notes: tuple[str, ...] = ()


def only(game: Game, sought: Sought) -> Game:
    """The game in which nothing else is promised than what is looked for."""
    return Game(replace(game.rules, promises=() if isinstance(sought, Trouble) else (sought,), breaks={}), game.subject)


def find_natively(
    game: Game, sought: Sought, seed: int, limit: int, most: int, told: Callable[[Search], None]
) -> Search:
    """Look through so many plays, of so many steps each. Of those of a batch the one is taken that shows it soonest.
    Raises `NotCompiled`."""
    from seaspec.backends.native.flow.judging import Event
    from seaspec.backends.native.watcher import Failing
    from seaspec.sampling.roaming import Roaming

    def is_sought(event: Event | Failing) -> bool:
        if isinstance(event, Event):
            return isinstance(sought, ir.Reachable) and event == Event("met", sought.name)
        return isinstance(sought, Trouble) and sought is _trouble(event.message)

    roaming = Roaming(only(game, sought), seed, hasty=True, limit=limit, wanted=is_sought)
    search = Search()
    while search.hit is None and search.plays < most:
        if roaming.watcher.is_hasty and roaming.has_played(AT_ONCE):
            roaming.compile_well()
        for _ in roaming.go_on(most - search.plays):
            found = roaming.found
            seen = {event: at for event, at in roaming.seen.soonest.items() if is_sought(event)}
            number = min(seen.values())[1]
            if isinstance(sought, ir.Reachable):
                shown = found.watched.witnessed.get(sought.name)
                search.hit = None if shown is None else Hit(number, shown)
            else:
                failed = found.stuck if sought is Trouble.STUCK else next(iter(found.failed.values()), None)
                search.hit = None if failed is None else Hit(number, failed[1], failed[0])
            if search.hit is not None:
                break
        search.plays, search.failed, search.cut_off = roaming.seen.plays, roaming.seen.failed, roaming.seen.cut_off
        search.notes = tuple(roaming.notes)
        told(search)
        if search.notes:
            break
    return search


def find_by_interpreter(
    game: Game,
    sought: Sought,
    seed: int,
    limit: int,
    most: int,
    told: Callable[[Search], None],
    bots: Sequence[str] = (),
) -> Search:
    """The same on the interpreter, where bots can play; so many choices each, one play after the other."""
    plays = ReferencePlays(only(game, sought), seed, limit, bots)
    search = Search()
    while search.hit is None and search.plays < most:
        judge = Judge(plays.game.machine)
        one = plays.one_play(search.plays, judge)
        if isinstance(sought, ir.Reachable):
            shown = judge.findings.witnessed.get(sought.name)
            search.hit = None if shown is None else Hit(search.plays, shown)
        elif one.error is not None and _trouble(one.error.message) is sought:
            search.hit = Hit(search.plays, Found(one.answers, one.error.message), one.error)
        search.plays += 1
        search.failed += one.counted.failed
        search.cut_off += one.counted.cut_off
        told(search)
    return search


def _trouble(message: str) -> Trouble:
    return Trouble.STUCK if message.startswith("stuck:") else Trouble.FAILS
