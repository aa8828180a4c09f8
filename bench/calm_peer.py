"""Calm (the standard game, 2 to 5 players) written by hand in plain Python, and played at random.

It serves twice. It is the speed peer: what a good programmer gets from Python for this one game. And it is an
oracle: it shares no line with SeaSpec, so the interpreter, playing `spec/calm.sea` by the same protocol, must reach the
same statistics. The rules are those of the catalogue of Calm (setup.1 to end.6, and the silences gap.1 to gap.34).

The protocol: every choice is uniform over its distinct options. Finishes are identical to each other, a hand never
holds two Starts.

- deed: one choice a turn, over every legal (island, cell), "drop two" and "finish"; whoever holds a Start while none
  lies has only "lay the Start", or loses (start.1, gap.21);
- payment, drop: which cards of the hand pay for an island, or are dropped; nothing is asked when the price is 0;
- share, gift: after a Start each player names a number (gap.22), then picks that many cards.

Two facts make it fast. Laid numbers ascend, so the cells between the laid numbers next below and next above a number v
are all empty, and they are exactly the cells where v fits: a *gap*. And within a gap only the two outer cells have a
laid neighbour, so how many cells a full hand can pay for is a table lookup, mended when an island is laid. Also, on a
turn that may lay an island every other card of the hand may pay: an unlaid Start would have to be laid (gap.23).

Cells are the positions 1..36 of the reading order, seats are 0, 1, ...; run the file to see speed and statistics.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from itertools import combinations
from math import sqrt
from typing import NamedTuple

# Islands are their numbers. These two index the spare places at the end of the tables by number, and a sorted hand
# begins with its Finishes.
FINISH = -2
START = -1


@dataclass(frozen=True, slots=True)
class Config:
    """The size of the game; the defaults are the standard game of four."""

    players: int = 4
    rows: int = 6
    columns: int = 6
    last: int = 80
    finishes: int = 5
    hand_size: int = 5
    dues: int = 8

    def __post_init__(self) -> None:
        """Refuse what the engine was not written for."""
        if not 2 <= self.players <= 5:
            raise ValueError("the peer plays games of 2 to 5 players")
        if min(self.rows, self.columns, self.last, self.hand_size) < 1 or min(self.finishes, self.dues) < 0:
            raise ValueError("a size is too small")

    @property
    def cells(self) -> int:
        """The number of cells of the sea."""
        return self.rows * self.columns

    @property
    def extra(self) -> int:
        """Cards that everybody draws before the dues of a Start (start.12, gap.24)."""
        return 2 if self.players == 2 else 0


SMALL = Config(players=2, rows=2, columns=3, last=12, dues=3)


class Ending(Enum):
    """How a game ended."""

    WON = "won"
    START_UNPAID = "Start unpaid"
    NO_CARD = "stuck, no card"
    ONE_CARD = "stuck, one card"
    PAUSED = "paused"


class Result(NamedTuple):
    """One game. `turns` counts the turns with an action; the turn on which a player is stuck is not counted."""

    ending: Ending
    turns: int
    islands: int
    starts: int
    decisions: int  # choices with two or more options

    @property
    def won(self) -> bool:
        """Whether the team won."""
        return self.ending is Ending.WON


class Kind(Enum):
    """The kinds of choice."""

    DEED = "deed"
    PAYMENT = "payment"
    DROP = "drop"
    SHARE = "share"
    GIFT = "gift"


@dataclass(slots=True)
class Count:
    """Choices of one kind: how many, how many of them with a single option, and the options of all together."""

    asked: int = 0
    forced: int = 0
    options: int = 0


@dataclass(slots=True)
class Tally:
    """The option-count mode: hand one to `play_game` or `simulate`, and it adds up the options of every choice."""

    counts: dict[Kind, Count] = field(default_factory=lambda: {kind: Count() for kind in Kind})

    def add(self, kind: Kind, options: int) -> None:
        """Note one choice. No option at all (the deed of a player who is stuck) is no choice."""
        if options:
            count = self.counts[kind]
            count.asked += 1
            count.options += options
            if options == 1:
                count.forced += 1


class Gap(NamedTuple):
    """A run of empty cells, from cell `first` on, for the numbers strictly between `low` and `high`."""

    first: int
    size: int
    low: int
    high: int


class Sea:
    """The field, and for each number still to come its gap and its room: the cells that a full hand can pay for."""

    __slots__ = ("gap_of", "islands", "numbers", "payers", "room")

    def __init__(self, config: Config) -> None:
        whole = Gap(1, config.cells, 0, config.last + 1)
        nowhere = Gap(1, 0, 0, 0)
        self.payers = config.hand_size - 1
        self.islands = 0
        self.numbers = [0] * (config.cells + 2)  # by cell; 0 is empty, as are the rims 0 and cells + 1
        self.gap_of = [whole] * (config.last + 1) + [nowhere, nowhere]
        self.room = [config.cells] * (config.last + 1) + [0, 0]

    def lay(self, card: int, cell: int) -> None:
        """Lay `card` in a `cell` of its gap, which falls into two."""
        first, size, low, high = self.gap_of[card]
        end = first + size
        self.islands += 1
        self.numbers[cell] = card
        fewer = card - low - 1
        if fewer:
            self.gap_of[low + 1 : card] = [Gap(first, cell - first, low, card)] * fewer
            self.room[low + 1 : card] = room_in_gap(cell - first, fewer, first > 1, True, self.payers)
        more = high - card - 1
        if more:
            self.gap_of[card + 1 : high] = [Gap(cell + 1, end - cell - 1, card, high)] * more
            self.room[card + 1 : high] = room_in_gap(
                end - cell - 1, more, True, end < len(self.numbers) - 1, self.payers
            )

    def room_for(self, hand: list[int]) -> dict[int, int]:
        """The room of each card of a hand that is not full."""
        room = {}
        for card in hand:
            first, size, low, high = self.gap_of[card]
            if size:
                capped = first + size < len(self.numbers) - 1
                room[card] = room_in_gap(size, high - low - 1, first > 1, capped, len(hand) - 1)[card - low - 1]
            else:
                room[card] = 0
        return room


@cache
def room_in_gap(size: int, numbers: int, low_laid: bool, high_laid: bool, payers: int) -> tuple[int, ...]:
    """For each of the `numbers` of a gap of `size` cells, in order, the cells for which `payers` cards can pay.

    The first cell costs the distance to the number below the gap, the last one the distance to the number above it,
    where such a number is laid (cost.2); a single cell costs the smaller of the two (cost.4).

    >>> room_in_gap(3, 7, True, True, 2)  # for example 11..17 between 10 and 18
    (2, 2, 1, 1, 1, 2, 2)
    """
    room = []
    for step in range(1, numbers + 1):
        low_dear = low_laid and step > payers
        high_dear = high_laid and numbers + 1 - step > payers
        if size == 1:
            dear = (low_dear or not low_laid) and (high_dear or not high_laid) and (low_laid or high_laid)
            room.append(0 if dear else 1)
        else:
            room.append(max(0, size - low_dear - high_dear))
    return tuple(room)


@cache
def selections(twins: int, others: int, wanted: int) -> tuple[tuple[int, ...], ...]:
    """The distinct ways to take `wanted` cards of a hand of `twins` identical cards and then `others`.

    Each is given by places in the hand, the highest first, so that they can be deleted in this order.

    >>> selections(2, 1, 2)
    ((2, 0), (1, 0))
    """
    ways: list[tuple[int, ...]] = []
    for count in range(min(twins, wanted) + 1):
        rests = combinations(range(twins, twins + others), wanted - count)
        ways += [(*reversed(rest), *range(count - 1, -1, -1)) for rest in rests]
    return tuple(ways)


@dataclass(slots=True)
class Table:
    """A game in progress. A pile is drawn from its end."""

    config: Config
    sea: Sea
    hands: list[list[int]]
    piles: list[list[int]]
    started: bool = False
    seat: int = 0


def play_game(rng: random.Random, config: Config, tally: Tally | None = None) -> Result:
    """Deal a game and play it at random to its end."""
    return play_on(deal(rng, config), rng, tally)


def deal(rng: random.Random, config: Config) -> Table:
    """Shuffle and deal round the seats from the first one, draw the hands, then mix one Start into each pile."""
    chance = rng.random
    deck = [*range(1, config.last + 1), *[FINISH] * config.finishes]
    deck.sort(key=lambda _: chance())
    hands, piles = [], []
    for seat in range(config.players):
        pile = deck[seat :: config.players]
        hands.append(pile[: config.hand_size])
        del pile[: config.hand_size]
        pile.insert(int(chance() * (len(pile) + 1)), START)
        piles.append(pile)
    return Table(config, Sea(config), hands, piles)


def play_on(table: Table, rng: random.Random, tally: Tally | None = None, turns: int = -1) -> Result:
    """Play at random from any position to the end of the game, or for so many `turns` at most."""
    config, sea, hands, piles = table.config, table.sea, table.hands, table.piles
    numbers, gap_of, full_hand_room = sea.numbers, sea.gap_of, sea.room
    players, cells, full = config.players, config.cells, config.hand_size
    started, seat, chance = table.started, table.seat, rng.random
    played = decisions = 0
    ending = Ending.PAUSED

    while played != turns:
        hand = hands[seat]
        held = len(hand)

        if not started and START in hand:
            if not start_affordable(table):
                ending = Ending.START_UNPAID
                break
            if tally is not None:
                tally.add(Kind.DEED, 1)
            decisions += lay_start(table, seat, chance, tally)
            table.started = started = True
            played += 1
            seat = (seat + 1) % players
            continue

        room: list[int] | dict[int, int] = full_hand_room if held == full else sea.room_for(hand)
        plays = 0
        for card in hand:
            plays += room[card]
        options = plays + 1 if held > 1 else plays
        if started and sea.islands == cells and FINISH in hand:
            options += 1
        if tally is not None:
            tally.add(Kind.DEED, options)
        if options > 1:
            decisions += 1
        elif not options:
            ending = Ending.ONE_CARD if held else Ending.NO_CARD
            break
        played += 1

        pick = int(chance() * options)
        if pick < plays:
            for card in hand:
                if pick < room[card]:
                    break
                pick -= room[card]
            first, size, low, _ = gap_of[card]
            cell = first + pick
            if size > 1 and first > 1 and card - low >= held:
                cell += 1
            before, after = numbers[cell - 1], numbers[cell + 1]
            if before and after:
                wanted = min(card - before, after - card)
            elif before:
                wanted = card - before
            elif after:
                wanted = after - card
            else:
                wanted = 0
            hand.remove(card)
            sea.lay(card, cell)
            if wanted:
                ways = discard(hand, wanted, chance)
                if ways > 1:
                    decisions += 1
                if tally is not None:
                    tally.add(Kind.PAYMENT, ways)
        elif pick == plays and held > 1:
            ways = discard(hand, 2, chance)
            if ways > 1:
                decisions += 1
            if tally is not None:
                tally.add(Kind.DROP, ways)
        else:
            ending = Ending.WON
            break

        pile = piles[seat]
        while pile and len(hand) < full:
            hand.append(pile.pop())
        seat += 1
        if seat == players:
            seat = 0

    table.seat = seat
    return Result(ending, played, sea.islands, int(started), decisions)


def discard(hand: list[int], wanted: int, chance: Callable[[], float]) -> int:
    """Discard `wanted` cards, each distinct selection being as likely as any other; return how many there are."""
    twins = hand.count(FINISH)
    if twins > 1:
        hand.sort()
        ways = selections(twins, len(hand) - twins, wanted)
    else:
        ways = selections(0, len(hand), wanted)
    for place in ways[int(chance() * len(ways))]:
        del hand[place]
    return len(ways)


def start_affordable(table: Table) -> bool:
    """Whether all players together will have the dues once a Start has been laid (gap.21)."""
    extra = table.config.extra
    cards = sum(len(hand) + min(extra, len(pile)) for hand, pile in zip(table.hands, table.piles, strict=True))
    return cards - 1 >= table.config.dues


def lay_start(table: Table, seat: int, chance: Callable[[], float], tally: Tally | None) -> int:
    """Lay the Start of `seat`: extra cards, shares, gifts, and everybody refills; return the number of decisions."""
    config = table.config
    order = [*range(seat, config.players), *range(seat)]
    hands = [table.hands[q] for q in order]
    piles = [table.piles[q] for q in order]
    decisions = 0
    hands[0].remove(START)
    for hand, pile in zip(hands, piles, strict=True):
        draw(hand, pile, len(hand) + config.extra)

    shares = []
    missing = config.dues
    for place, hand in enumerate(hands):
        floor, roof = share_bounds(hand, hands[place + 1 :], missing, config.hand_size)
        share = floor + int(chance() * (roof - floor + 1))
        shares.append(share)
        missing = max(0, missing - share)
        decisions += roof > floor
        if tally is not None:
            tally.add(Kind.SHARE, roof - floor + 1)

    for hand, share in zip(hands, shares, strict=True):
        if share:
            ways = discard(hand, share, chance)
            decisions += ways > 1
            if tally is not None:
                tally.add(Kind.GIFT, ways)
    for hand, pile in zip(hands, piles, strict=True):
        draw(hand, pile, config.hand_size)
    return decisions


def share_bounds(hand: list[int], later: Sequence[list[int]], missing: int, hand_size: int) -> tuple[int, int]:
    """The least and the greatest share of `hand` when `missing` cards are wanted and `later` are asked after it.

    This is gap.22. The range is never empty, since an affordable Start leaves at least `missing` cards in the hands.
    """
    must = max(0, len(hand) - hand_size)
    later_must = sum(max(0, len(other) - hand_size) for other in later)
    later_can = sum(map(len, later))
    floor = max(must, missing - later_can)
    roof = max(must, min(len(hand), missing - later_must))
    return floor, roof


def draw(hand: list[int], pile: list[int], size: int) -> None:
    """Draw until the hand has `size` cards or the pile is empty (turn.3, gap.17)."""
    while pile and len(hand) < size:
        hand.append(pile.pop())


@dataclass(slots=True)
class Summary:
    """Many games of one configuration."""

    config: Config
    endings: Counter[Ending] = field(default_factory=Counter)
    turns: Counter[int] = field(default_factory=Counter)
    islands: Counter[int] = field(default_factory=Counter)
    starts: int = 0
    decisions: int = 0

    def add(self, result: Result) -> None:
        """Count one game."""
        self.endings[result.ending] += 1
        self.turns[result.turns] += 1
        self.islands[result.islands] += 1
        self.starts += result.starts
        self.decisions += result.decisions

    @property
    def games(self) -> int:
        """The number of games."""
        return self.endings.total()

    @property
    def all_turns(self) -> int:
        """The turns of all games together."""
        return sum(turns * games for turns, games in self.turns.items())


def simulate(games: int, seed: int, config: Config, tally: Tally | None = None) -> Summary:
    """Play many games from one seed."""
    rng = random.Random(seed)
    summary = Summary(config)
    for _ in range(games):
        summary.add(play_game(rng, config, tally))
    return summary


def mean_and_deviation(histogram: Counter[int]) -> tuple[float, float]:
    """The mean and the standard deviation of the values that a histogram counts.

    >>> mean_and_deviation(Counter({1: 2, 3: 2}))
    (2.0, 1.0)
    """
    total = histogram.total()
    mean = sum(value * count for value, count in histogram.items()) / total
    return mean, sqrt(sum((value - mean) ** 2 * count for value, count in histogram.items()) / total)


def main() -> None:
    """Print the speed for four players, then a table of statistics."""
    parser = argparse.ArgumentParser(description="Random games of Calm: speed and statistics.")
    parser.add_argument("--games", type=int, default=20_000, help="games of each configuration")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    print_speed(arguments.games, arguments.seed)
    print()
    standard = {f"{players} players": Config(players=players) for players in range(2, 6)}
    print_statistics({**standard, "small": SMALL}, arguments.games, arguments.seed)


def print_speed(games: int, seed: int) -> None:
    """Print what a second of processor time is worth in the standard game of four."""
    config = Config()
    simulate(min(games, 1000), seed, config)  # fills the caches
    began = time.process_time()
    summary = simulate(games, seed, config)
    seconds = time.process_time() - began
    print(f"4 players, {games} games, {seconds:.2f} s of processor time")
    print(f"{summary.all_turns / seconds:12,.0f} turns/s")
    print(f"{summary.decisions / seconds:12,.0f} choices/s (with two or more options)")
    print(f"{games / seconds:12,.0f} games/s")


def print_statistics(configs: dict[str, Config], games: int, seed: int) -> None:
    """Print how the games of each configuration went, then the options of each kind of choice."""
    endings = [ending for ending in Ending if ending is not Ending.PAUSED]
    headings = ["", "turns", "sd", "max", "islands", "sd", "Starts %", "choices", *(f"{e.value} %" for e in endings)]
    print("  ".join(f"{heading:>{max(9, len(heading))}}" for heading in headings))
    tallies = {}
    for name, config in configs.items():
        tally = tallies[name] = Tally()
        summary = simulate(games, seed, config, tally)
        turns, turns_deviation = mean_and_deviation(summary.turns)
        islands, islands_deviation = mean_and_deviation(summary.islands)
        row = [turns, turns_deviation, max(summary.turns), islands, islands_deviation]
        row += [100 * summary.starts / games, summary.decisions / games]
        row += [100 * summary.endings[ending] / games for ending in endings]
        cells = (f"{x:{max(9, len(heading))}.3f}" for x, heading in zip(row, headings[1:], strict=True))
        print("  ".join([f"{name:>9}", *cells]))

    print("\na game of each: choices asked, of these with one option, mean options of a choice")
    print("  ".join([" " * 9, *(f"{kind.value:>22}" for kind in Kind)]))
    for name, tally in tallies.items():
        cells = (
            f"{c.asked / games:8.3f}{c.forced / games:7.3f}{c.options / max(1, c.asked):7.2f}"
            for c in tally.counts.values()
        )
        print("  ".join([f"{name:>9}", *cells]))


if __name__ == "__main__":
    main()
