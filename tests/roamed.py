"""What thousands of random plays by machine code show of a game, with every promise watched: for tests of whole games.

Hasty machine code is made in a tenth of a second, and makes a hundred thousand steps and more a second.
"""

from __future__ import annotations

from seaspec.backends.native.flow.judging import Event
from seaspec.backends.native.watcher import Failing, Seen, Watcher
from seaspec.game import Game


def seen(game: Game, much: int = 40_000, limit: int = 20_000) -> Seen:
    """So many steps, and plays, at random."""
    watcher = Watcher(game.flow, hasty=True)
    found = Seen()
    while found.steps + found.plays < much and not found.failed:
        found.add(watcher.watch(1, found.plays, much, limit, much))
    return found


def broken(game: Game, found: Seen) -> set[str]:
    """The promises that break, and should not; and where the rules fail, or somebody is stuck."""
    meant = {promise.name for promise in game.rules.promises if promise.myth} | set(game.rules.breaks)
    promised = {event.name for event in found.soonest if isinstance(event, Event) and event.what == "broken"}
    failures = {f"the rules fail: {event.message}" for event in found.soonest if isinstance(event, Failing)}
    return (promised - meant) | failures
