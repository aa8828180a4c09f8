"""What a house rule changes, in numbers: the same random plays without it and with it, by machine code.

Plays of one seed and number are the same as long as the rules are; so where nothing at all is counted otherwise, the
house rule did not come into play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from seaspec.game import Game
from seaspec.sampling.card import Card, Measured, Row
from seaspec.sampling.native import NativePlays
from seaspec.sampling.statistics import (
    Statistics,
    Turn,
    fixed_order,
    menus,
    ordinal,
    places,
    share_of,
    spread_of,
    wins,
)

PLAYS, PLIES = 10_000, 6_000_000
"""So many plays of each, or so many choices and chance events: some tenths of a second."""
LIMIT = 5_000
"""Choices in a play, at most."""
FIRST = 64

Games = tuple[Game, Game]
Pair = tuple[Statistics, Statistics]
"""Without the house rule, and with it."""


def compared(before: Game, after: Game, seed: int, go_on: Callable[[], bool]) -> Card | None:
    """The card of a house rule; None without a play. Raises `NotCompiled` where there is no machine code for it."""
    games = before, after
    plays = [NativePlays(game, seed, LIMIT) for game in games]
    found = [Statistics(), Statistics()]
    count = FIRST
    while go_on() and count > 0 and found[0].plays < PLAYS:
        first = found[0].plays
        for one, totals in zip(plays, found, strict=True):
            totals.add(one.play(range(first, min(first + count, PLAYS))))
        plies = max(one.plies for one in found)
        count = min(2 * count, 1 + (PLIES - plies) * found[0].plays // max(1, plies))
    if not found[0].plays:
        return None
    counted = [(one.plays, one.plies, one.lengths, one.failed, one.asked.total(), one.offered.total()) for one in found]
    rows = tuple(_rows(games, (found[0], found[1])))
    return Card(found[0].plays, counted[0] == counted[1] and not any(row.differs for row in rows), rows)


def _rows(games: Games, found: Pair) -> Iterator[Row]:
    if any(one.ended for one in found):
        yield Row("choices a play", _mean(found[0].lengths), _mean(found[1].lengths), is_share=False)
    options = [Measured(one.offered.total() / max(1, one.asked.total())) for one in found]
    yield Row("options a choice", options[0], options[1], is_share=False)
    yield from _wins(games, found)
    nobody = [sum(n for (_, winners, _), n in one.endings.items() if not winners) for one in found]
    shared = [sum(n for (_, winners, _), n in one.endings.items() if len(winners) > 1) for one in found]
    for what, numbers in (("nobody wins", nobody), ("several win", shared)):
        if any(numbers) and all(one.ended for one in found):
            yield _shares(what, (numbers[0], numbers[1]), (found[0].ended, found[1].ended))
    for what, counts in (
        (f"not over after {LIMIT} choices", [one.cut_off for one in found]),
        ("the rules fail, or somebody is stuck", [one.failed for one in found]),
    ):
        if any(counts):
            yield _shares(what, (counts[0], counts[1]), (found[0].plays, found[1].plays))
    yield from _scores(games, found)
    yield from _begun(found)
    yield from _menus(games, found)


def _wins(games: Games, found: Pair) -> Iterator[Row]:
    """By order of turns, if that is not always the same; then by seat only where that differs."""
    if not all(one.ended for one in found):
        return
    by_turn = any(fixed_order(game, one) is None and one.ended for game, one in zip(games, found, strict=True))
    by = [[one.won for one in found], [one.turns for one in found]]
    for nth in sorted({*places(found[0]), *places(found[1])} - {0}) if by_turn else ():
        won, plays = ([_with_place(counts, nth) for counts in pair] for pair in by)
        yield _shares(f"{ordinal(nth)} in turn wins", (won[0], won[1]), (plays[0], plays[1]))
    seats = [wins(game, one) for game, one in zip(games, found, strict=True)]
    for seat, other, name in _seats(games):
        row = _shares(f"{name} wins", (seats[0][seat], seats[1][other]), (found[0].ended, found[1].ended))
        if not by_turn or row.differs:
            yield row


def _with_place(counts: Counter[Turn], nth: int) -> int:
    return sum(number for (_, place), number in counts.items() if place == nth)


def _seats(games: Games) -> Iterator[tuple[int, int, str]]:
    """Who plays in both games, with the seats there."""
    for seat, name in enumerate(games[0].players):
        if name in games[1].players:
            yield seat, games[1].players.index(name), name


def _scores(games: Games, found: Pair) -> Iterator[Row]:
    """Of all seats together; then of each in turn, and of each seat, where that differs."""
    if not all(one.scores for one in found):
        return
    yield Row("score", _score(found[0]), _score(found[1]), is_share=False)
    for nth in sorted({*places(found[0]), *places(found[1])} - {0}):
        row = Row(
            f"score, {ordinal(nth)} in turn", _score(found[0], nth=nth), _score(found[1], nth=nth), is_share=False
        )
        if row.differs:
            yield row
    for seat, other, name in _seats(games):
        row = Row(f"score of {name}", _score(found[0], seat), _score(found[1], other), is_share=False)
        if row.differs:
            yield row


def _score(found: Statistics, seat: int | None = None, nth: int | None = None) -> Measured:
    """The mean of the scores that count first: of this seat, or of who has this place in the order of turns."""
    values: Counter[int] = Counter()
    for (own, place, number, value), times in found.scores.items():
        if number == 0 and seat in (None, own) and nth in (None, place):
            values[value] += times
    return _mean(values)


def _begun(found: Pair) -> Iterator[Row]:
    """Actions and procedures that only one of the two games uses; first those that the house rule leaves unused."""
    for one, other in ((0, 1), (1, 0)):
        for name in found[one].begun:
            if not found[other].begun[name] and found[other].good:
                before, after = (Measured(counted.begun[name] / max(1, counted.good)) for counted in found)
                yield Row(f"{name}, a play", before, after, is_share=False)


def _menus(games: Games, found: Pair) -> Iterator[Row]:
    """How often it is chosen where: only where that differs much."""
    asked = [menus(game, one.asked) for game, one in zip(games, found, strict=True)]
    for menu in dict.fromkeys((*asked[0], *asked[1])):
        number = [Measured(counts[menu] / max(1, one.good)) for counts, one in zip(asked, found, strict=True)]
        much = max(number[0].value, number[1].value)
        if abs(number[0].value - number[1].value) > much / 4 and much > 0.01:
            yield Row(f"choices at {menu}, a play", number[0], number[1], is_share=False)


def _mean(counts: Counter[int]) -> Measured:
    spread = spread_of(counts)
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
