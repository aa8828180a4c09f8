"""What many plays have shown, as counts that can be added up: more plays take no more memory.

Counts are whole numbers, so it does not matter in which order or in how many parts they are added. All else is worked
out from them: shares with intervals, means, quantiles.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from seaspec.core import flow
from seaspec.core.show import in_general
from seaspec.game import Game

KEPT = 100
"""So many failures are kept; the others are only counted."""
LEAST = 100
"""No fewer plays are enough for a goal: a few may be alike by accident."""
Z = 1.959964
"""So many standard deviations to both sides hold 95 % of the normal distribution."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

Ending = tuple[int, tuple[int, ...], tuple[int, ...]]
"""The block in which a play ended, the winners and the losers (seats)."""
Turn = tuple[int, int]
"""A seat, and its place in the order of turns: from 1, or 0 if it was never asked."""
Scored = tuple[int, int, int, int]
"""The same, which of its scores, and what it is."""


@dataclass(slots=True)
class Statistics:
    """Counts. `plies`: choices and chance; `lengths`: plays that came to an end, by choices; `asked`, `offered`: by
    block, how often somebody had to choose, and how many options there were in all; `cut_off`: plays that were not over
    after as many choices as were allowed; `baffled`: how often a bot that thinks had to choose at random. Of the plays
    that came to an end, by seat and its place in the order of turns (from 1; 0: never asked): `turns`, how many there
    were; `won`, how many of these it has won; `scores`, how often which of its scores (by number, from 0) was what. Of
    all plays, `begun`: how often which procedure began.

    Of a play in which the rules fail only the failure is counted. `failures`: numbers and messages of the first ones.
    """

    plays: int = 0
    plies: int = 0
    cut_off: int = 0
    endings: Counter[Ending] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    asked: Counter[int] = field(default_factory=Counter)
    offered: Counter[int] = field(default_factory=Counter)
    failed: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    baffled: int = 0
    turns: Counter[Turn] = field(default_factory=Counter)
    won: Counter[Turn] = field(default_factory=Counter)
    scores: Counter[Scored] = field(default_factory=Counter)
    begun: Counter[str] = field(default_factory=Counter)

    def add(self, other: Statistics) -> None:
        """Count other plays, too: those that come after these."""
        self.plays += other.plays
        self.plies += other.plies
        self.cut_off += other.cut_off
        self.endings.update(other.endings)
        self.lengths.update(other.lengths)
        self.asked.update(other.asked)
        self.offered.update(other.offered)
        self.failed += other.failed
        self.failures += other.failures[: KEPT - len(self.failures)]
        self.baffled += other.baffled
        self.turns.update(other.turns)
        self.won.update(other.won)
        self.scores.update(other.scores)
        self.begun.update(other.begun)

    def plus(self, other: Statistics) -> Statistics:
        """Both, without a change to either."""
        both = Statistics()
        both.add(self)
        both.add(other)
        return both

    def count_seats(self, order: Sequence[int], winners: Sequence[int], scores: Sequence[Any] | None) -> None:
        """How a play ended for each seat: its place in the order of turns, whether it has won, its scores."""
        for seat, nth in enumerate(order):
            self.turns[seat, nth] += 1
            self.won[seat, nth] += seat in winners
            own = None if scores is None else scores[seat]
            for number, score in enumerate(() if own is None else own):
                self.scores[seat, nth, number, score] += 1

    def fail(self, number: int, message: str) -> None:
        """In the play of this number the rules failed."""
        self.plays += 1
        self.failed += 1
        if len(self.failures) < KEPT:
            self.failures.append((number, message))

    @property
    def good(self) -> int:
        """Plays in which the rules did not fail."""
        return self.plays - self.failed

    @property
    def ended(self) -> int:
        """Plays that came to an end."""
        return self.good - self.cut_off


@dataclass(frozen=True, slots=True)
class Share:
    """A share of plays, with the interval (Wilson's) in which the true one lies with a probability of 95 %."""

    share: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


def share_of(part: int, whole: int) -> Share:
    """How many of the whole.

    >>> share_of(50, 100)
    Share(share=0.5, low=0.4038..., high=0.5961...)
    >>> share_of(0, 0)
    Share(share=0.0, low=0.0, high=1.0)
    """
    if whole == 0:
        return Share(0.0, 0.0, 1.0)
    share = part / whole
    middle = (share + Z * Z / (2 * whole)) / (1 + Z * Z / whole)
    half = Z / (1 + Z * Z / whole) * math.sqrt(share * (1 - share) / whole + Z * Z / (4 * whole * whole))
    return Share(share, max(0.0, middle - half) if part else 0.0, min(1.0, middle + half) if part < whole else 1.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """How numbers are spread. `half`: half the width of the interval in which the true mean lies with a probability of
    95 %; None for a single number. A quantile is one of the numbers."""

    mean: float
    sd: float
    half: float | None
    least: int
    most: int
    quantiles: dict[float, int]


def spread_of(counts: Counter[int]) -> Spread | None:
    """How numbers, each counted so often, are spread; None if there are none.

    >>> spread = spread_of(Counter({1: 2, 4: 2}))
    >>> spread.mean, round(spread.sd, 3), spread.quantiles[0.5]
    (2.5, 1.732, 4)
    """
    number = counts.total()
    if not number:
        return None
    ordered = sorted(counts.items())
    total = sum(value * count for value, count in ordered)
    squares = sum(value * value * count for value, count in ordered)
    sd, half = 0.0, None
    if number > 1:
        sd = math.sqrt((number * squares - total * total) / (number * (number - 1)))
        half = Z * sd / math.sqrt(number)
    quantiles, below, wanted = {}, 0, list(QUANTILES)
    for value, count in ordered:
        below += count
        while wanted and min(number - 1, int(wanted[0] * number)) < below:
            quantiles[wanted.pop(0)] = value
    return Spread(total / number, sd, half, ordered[0][0], ordered[-1][0], quantiles)


def outcomes(game: Game, found: Statistics, limit: int) -> Counter[str]:
    """How plays ended, in words: how many win, and the sentence of the rule that ended it."""
    counts: Counter[str] = Counter()
    for (block, winners, losers), number in found.endings.items():
        counts[_outcome(game, block, len(winners), len(losers))] += number
    if found.cut_off:
        counts[f"not over yet when it was cut off, after {limit} choices"] = found.cut_off
    return counts


def _outcome(game: Game, block: int, winners: int, losers: int) -> str:
    node = game.flow.blocks[block].exit
    sentence = node.how.source.sentence if isinstance(node, flow.Over) and node.how is not None else None
    told = _who_wins(len(game.players), winners, losers)
    return told if sentence is None else f"{told}: {in_general(sentence, game.rules)}"


def _who_wins(players: int, winners: int, losers: int) -> str:
    if winners == 0:
        return "nobody wins" if losers == 0 else "all lose"
    if winners == players:
        return "all win" if players > 1 else "a win"
    return "one wins" if winners == 1 else f"{winners} win"


def wins(game: Game, found: Statistics) -> list[int]:
    """How many plays each seat has won."""
    counts = [0] * len(game.players)
    for (_, winners, _), number in found.endings.items():
        for seat in winners:
            counts[seat] += number
    return counts


def places(found: Statistics) -> list[int]:
    """The places in the order of turns that anybody had; last 0, of those who were never asked."""
    return sorted({nth for _, nth in found.turns}, key=lambda nth: (nth == 0, nth))


def fixed_order(game: Game, found: Statistics) -> list[int] | None:
    """The seats in the order of turns, if that was the same in all plays; None if it was not."""
    order = sorted((nth, seat) for seat, nth in found.turns)
    seats = [seat for nth, seat in order if nth]
    return seats if len(order) == len(game.players) == len(seats) else None


def ordinal(place: int) -> str:
    """A place in the order of turns.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 21)]
    ['1st', '2nd', '3rd', '4th', '11th', '21st']
    """
    ending = "th" if place // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def menus(game: Game, by_block: Counter[int]) -> Counter[str]:
    """Counts by choice point: a menu, or the procedure in which somebody chooses."""
    counts: Counter[str] = Counter()
    for block, number in by_block.items():
        node = game.flow.blocks[block].exit
        assert isinstance(node, flow.Decision)
        counts[node.menu] += number
    return counts


@dataclass(frozen=True, slots=True)
class Goal:
    """How much is to be known. `width`: of the interval of each share of wins and of outcomes, at most; `length`: half
    the width of the interval of the mean length."""

    width: float | None = None
    length: float | None = None

    def is_reached(self, game: Game, found: Statistics) -> bool:
        if found.good < LEAST:
            return False
        return (self.width is None or widest(game, found) <= self.width) and (
            self.length is None or _half(found) <= self.length
        )


def widest(game: Game, found: Statistics) -> float:
    """The width of the widest interval of all shares."""
    shares = [share_of(number, found.good) for number in outcomes(game, found, 0).values()]
    shares += [share_of(number, found.ended) for number in wins(game, found)]
    return max((share.width for share in shares), default=1.0)


def _half(found: Statistics) -> float:
    spread = spread_of(found.lengths)
    return math.inf if spread is None or spread.half is None or found.ended < LEAST else spread.half
