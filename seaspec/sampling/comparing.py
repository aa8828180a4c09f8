"""What a house rule changes, in numbers: the same random plays without it and with it, by machine code.

Plays of one seed and number are the same as long as the rules are; so where nothing at all is counted otherwise, the
house rule did not come into play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from seaspec.game import Game
from seaspec.sampling.card import Card, Measured, Row
from seaspec.sampling.native import NativePlays
from seaspec.sampling.statistics import Statistics, menus, share_of, spread_of, wins

PLAYS, PLIES = 10_000, 1_000_000
"""So many plays of each, or so many choices and chance events."""
LIMIT = 5_000
"""Choices in a play, at most."""
FIRST = 64


def compared(before: Game, after: Game, seed: int, go_on: Callable[[], bool]) -> Card | None:
    """The card of a house rule; None without a play. Raises `NotCompiled` where there is no machine code for it."""
    games = before, after
    plays = [NativePlays(game, seed, LIMIT) for game in games]
    found = [Statistics(), Statistics()]
    count = FIRST
    while go_on() and found[0].plays < PLAYS and max(one.plies for one in found) < PLIES:
        first = found[0].plays
        for one, totals in zip(plays, found, strict=True):
            totals.add(one.play(range(first, min(first + count, PLAYS))))
        count *= 2
    if not found[0].plays:
        return None
    counted = [(one.plays, one.plies, one.lengths, one.failed, one.asked.total(), one.offered.total()) for one in found]
    rows = tuple(_rows(games, (found[0], found[1])))
    return Card(found[0].plays, counted[0] == counted[1] and not any(row.differs for row in rows), rows)


def _rows(games: tuple[Game, Game], found: tuple[Statistics, Statistics]) -> Iterator[Row]:
    lengths = [_mean(one) for one in found]
    yield Row("choices a play", lengths[0], lengths[1], is_share=False)
    options = [Measured(one.offered.total() / max(1, one.asked.total())) for one in found]
    yield Row("options a choice", options[0], options[1], is_share=False)
    seats = [wins(game, one) for game, one in zip(games, found, strict=True)]
    for seat, name in enumerate(games[0].players):
        if name in games[1].players:
            other = games[1].players.index(name)
            yield _shares(f"{name} wins", (seats[0][seat], seats[1][other]), (found[0].ended, found[1].ended))
    nobody = [sum(n for (_, winners, _), n in one.endings.items() if not winners) for one in found]
    shared = [sum(n for (_, winners, _), n in one.endings.items() if len(winners) > 1) for one in found]
    for what, numbers in (("nobody wins", nobody), ("several win", shared)):
        if any(numbers):
            yield _shares(what, (numbers[0], numbers[1]), (found[0].ended, found[1].ended))
    for what, counts in (
        (f"not over after {LIMIT} choices", [one.cut_off for one in found]),
        ("the rules fail, or somebody is stuck", [one.failed for one in found]),
    ):
        if any(counts):
            yield _shares(what, (counts[0], counts[1]), (found[0].plays, found[1].plays))
    yield from _menus(games, found)


def _menus(games: tuple[Game, Game], found: tuple[Statistics, Statistics]) -> Iterator[Row]:
    """How often it is chosen where: only where that differs much."""
    asked = [menus(game, one.asked) for game, one in zip(games, found, strict=True)]
    for menu in dict.fromkeys((*asked[0], *asked[1])):
        number = [Measured(counts[menu] / max(1, one.good)) for counts, one in zip(asked, found, strict=True)]
        much = max(number[0].value, number[1].value)
        if abs(number[0].value - number[1].value) > much / 4 and much > 0.01:
            yield Row(f"choices at {menu}, a play", number[0], number[1], is_share=False)


def _mean(found: Statistics) -> Measured:
    spread = spread_of(found.lengths)
    if spread is None:
        return Measured(0.0)
    half = spread.half or 0.0
    return Measured(spread.mean, spread.mean - half, spread.mean + half)


def _shares(what: str, parts: tuple[int, int], wholes: tuple[int, int]) -> Row:
    before, after = (share_of(part, whole) for part, whole in zip(parts, wholes, strict=True))
    return Row(
        what,
        Measured(before.share, before.low, before.high),
        Measured(after.share, after.low, after.high),
        is_share=True,
    )
