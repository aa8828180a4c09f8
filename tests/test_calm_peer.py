"""The hand-written Calm of bench/ against the vectors, worked out by hand, of the rule catalogue."""

import doctest
import importlib
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
peer = importlib.import_module("calm_peer")

F, S = peer.FINISH, peer.START
WON, START_UNPAID = peer.Ending.WON, peer.Ending.START_UNPAID
NO_CARD, ONE_CARD, PAUSED = peer.Ending.NO_CARD, peer.Ending.ONE_CARD, peer.Ending.PAUSED
FULL = {cell: 2 * cell for cell in range(1, 37)}
FULL_BUT_ONE = {cell: card for cell, card in FULL.items() if cell != 20}


def position(*hands: list[int], sea: dict[int, int] | None = None, piles: Any = None, **more: Any) -> Any:
    """Give the table with these hands (one empty hand is added to a lone one), a Start laid unless told otherwise."""
    seats = [list(hand) for hand in hands] + [[]] * (len(hands) == 1)
    config = more.pop("config", peer.Config(players=len(seats)))
    field = peer.Sea(config)
    for cell, card in (sea or {}).items():
        field.lay(card, cell)
    full_piles = [list(pile) for pile in piles] if piles else [[] for _ in seats]
    return peer.Table(config, field, seats, full_piles, **{"started": True, **more})


def options(table: Any, kind: Any = peer.Kind.DEED) -> int:
    """Play one turn; give the number of options that its choices of one kind had."""
    tally = peer.Tally()
    peer.play_on(table, random.Random(1), tally, turns=1)
    return int(tally.counts[kind].options)


def price(hand: list[int], sea: dict[int, int], card: int, cell: int) -> int | None:
    """Give what is paid for `card` in `cell` when a random player gets round to it, or None if that never comes."""
    for seed in range(600):
        table = position(hand, sea=sea)
        peer.play_on(table, random.Random(seed), turns=1)
        if table.sea.numbers[cell] == card:
            return len(hand) - 1 - len(table.hands[0])
    return None


@pytest.mark.parametrize(("players", "piles"), [(2, [39, 38]), (3, [25, 24, 24]), (4, [18, 17, 17, 17]), (5, [13] * 5)])
def test_deal(players: int, piles: list[int]) -> None:
    """vec.1, setup.12, setup.13."""
    table = peer.deal(random.Random(1), peer.Config(players=players))
    assert [len(pile) for pile in table.piles] == piles
    assert [len(hand) for hand in table.hands] == [5] * players
    assert all(S not in hand for hand in table.hands)
    assert [pile.count(S) for pile in table.piles] == [1] * players
    cards = [card for cards in (*table.hands, *table.piles) for card in cards]
    assert sorted(cards) == sorted([*range(1, 81), *[F] * 5, *[S] * players])


def test_a_lone_neighbour_costs_on_either_side() -> None:
    """ex.3 and vec.3."""
    assert price([5, F, F, 80, 79], {8: 3}, 5, 9) == 2
    assert price([3, F, F, 80, 79], {9: 5}, 3, 8) == 2


def test_neighbours_go_by_reading_order() -> None:
    """ex.4 (from the end of a row to the next one) and vec.4 (not from a row to the one above)."""
    assert price([47, F, F], {12: 45}, 47, 13) == 2
    assert price([40], {3: 10}, 40, 9) == 0


def test_between_two_the_nearer_counts() -> None:
    """ex.5, from either side."""
    assert price([46, F], {20: 45, 22: 49}, 46, 21) == 1
    assert price([48, F], {20: 45, 22: 49}, 48, 21) == 1
    assert price([60, F], {20: 45, 22: 62}, 60, 21) is None


def test_numbers_ascend() -> None:
    """ex.2: cells 1..9 of 36 are left for 18 when 20 lies in cell 10, and the ninth costs 2."""
    assert options(position([18], sea={10: 20})) == 8
    assert options(position([18, F, F], sea={10: 20})) == 9 + 1
    assert price([18, F, F], {10: 20}, 18, 11) is None


def test_empty_field() -> None:
    """vec.5: every island fits in every cell, for nothing."""
    assert options(position([1, 2, 40, 79, 80])) == 5 * 36 + 1
    assert options(position([1])) == 36
    assert price([80], {}, 80, 1) == 0
    assert price([1], {}, 1, 36) == 0


def test_what_a_hand_can_pay() -> None:
    """vec.6 (the difference is 4, then 5) and vec.7."""
    assert price([34, F, F, 1, 2], {36: 38}, 34, 35) == 4
    assert price([33, F, F, 1, 2], {36: 38}, 33, 35) is None
    assert price([11, F], {20: 10}, 11, 21) == 1
    assert price([12, F], {20: 10}, 12, 21) is None


def test_finish() -> None:
    """vec.8, finish.1, and discard.3: with more cards two may be dropped instead."""
    result = peer.play_on(position([F], sea=FULL), random.Random(1))
    assert result == (WON, 1, 36, 1, 0)
    assert peer.play_on(position([F], sea=FULL, started=False), random.Random(1)).ending is ONE_CARD
    assert peer.play_on(position([F], sea={1: 1}), random.Random(1)).ending is ONE_CARD
    assert options(position([F, F, F], sea=FULL)) == 2
    assert options(position([F, 73, 75], sea=FULL)) == 2


def test_stuck() -> None:
    """vec.9, vec.10, ex.6."""
    assert options(position([50], sea={10: 49, 14: 60})) == 1
    assert price([50], {10: 49, 14: 60}, 50, 12) == 0
    assert options(position([1, 2], sea={1: 10})) == 1
    assert peer.play_on(position([]), random.Random(1)) == (NO_CARD, 0, 0, 1, 0)
    assert peer.play_on(position([50], sea={10: 49, 11: 60}), random.Random(1)) == (ONE_CARD, 0, 2, 1, 0)
    assert peer.play_on(position([50], sea={10: 49, 12: 52}), random.Random(1)).ending is ONE_CARD


def test_dead_gaps_are_allowed() -> None:
    """vec.11, gap.14."""
    assert price([21], {7: 20}, 21, 9) == 0


def test_start_of_two() -> None:
    """vec.14: hands of 6 and 7, shares that leave at most 5 to each, and everybody refills."""
    assert peer.share_bounds([1] * 6, [[1] * 7], 8, 5) == (1, 6)
    assert peer.share_bounds([1] * 7, [], 3, 5) == (3, 3)
    assert peer.share_bounds([1] * 7, [[1] * 6], 9, 5) == (3, 7)
    assert peer.share_bounds([1] * 7, [[1] * 7], 8, 5) == (2, 6)
    for seed in range(50):
        piles = [[*range(10, 20)], [*range(20, 30)]]
        table = position([1, 2, 3, 4, S], [5, 6, 7, 8, 9], piles=piles, started=False)
        result = peer.play_on(table, random.Random(seed), turns=1)
        assert result.ending is PAUSED and result.starts == 1 and table.seat == 1
        assert [len(hand) for hand in table.hands] == [5, 5]
        first, second = (10 - len(pile) for pile in table.piles)
        assert 2 <= first <= 7 and 2 <= second <= 7 and first + second == 9  # the eight, and one for the Start


def test_start_of_three() -> None:
    """vec.16, and gap.22 step by step."""
    piles = [[*range(10 * seat, 10 * seat + 10)] for seat in (3, 4, 5)]
    table = position([S, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], piles=piles, started=False)
    assert options(table) == 1
    assert [len(hand) for hand in table.hands] == [5] * 3
    assert sum(map(len, table.piles)) == 30 - 9
    assert peer.share_bounds([1] * 4, [[1] * 5, [1] * 5], 8, 5) == (0, 4)
    assert peer.share_bounds([1] * 5, [[1] * 5], 8, 5) == (3, 5)


def test_start_alone_in_the_hand() -> None:
    """vec.20: the others pay 3 to 5 each, and the active player is stuck when the turn comes back."""
    shares = Counter[int]()
    for seed in range(60):
        others = [1, 2, 3, 4, 5], [6, 7, 8, 9, 10]
        table = position([S], *others, started=False)
        assert peer.play_on(table, random.Random(seed), turns=1).ending is PAUSED
        assert table.hands[0] == [] and sum(map(len, table.hands)) == 2
        shares[5 - len(table.hands[1])] += 1
        table.seat = 0
        assert peer.play_on(table, random.Random(seed)).ending is NO_CARD
    assert set(shares) == {3, 4, 5}


def test_start_that_cannot_be_paid() -> None:
    """vec.21, and one card more."""
    five = [1, 2, 3, 4, 5]
    table = position([S], five, piles=[[], [6, 7, 8]], started=False)
    assert peer.play_on(table, random.Random(1)) == (START_UNPAID, 0, 0, 0, 0)
    table = position([S, 9], five, piles=[[], [6, 7, 8]], started=False)
    assert peer.play_on(table, random.Random(1), turns=1).ending is PAUSED


def test_useless_start_is_discarded_like_any_card() -> None:
    """start.10, start.11: nothing can be played, so the Start is dropped in two of three selections."""
    table = position([S, 1, 2], sea={1: 10})
    assert options(table, peer.Kind.DROP) == 3
    kept = Counter[int]()
    for seed in range(300):
        table = position([S, 1, 2], sea={1: 10})
        peer.play_on(table, random.Random(seed), turns=1)
        kept.update(table.hands[0])
    assert set(kept) == {S, 1, 2} and min(kept.values()) > 70


def test_identical_finishes_count_once() -> None:
    """Of {F, F, 1} two selections of two are distinct, and equally likely; so for a payment."""
    left = Counter[int]()
    for seed in range(400):
        table = position([1, F, F], sea={1: 10})
        assert options(position([1, F, F], sea={1: 10}), peer.Kind.DROP) == 2
        peer.play_on(table, random.Random(seed), turns=1)
        left.update(table.hands[0])
    assert set(left) == {F, 1} and abs(left[1] - 200) < 50
    assert [len(peer.selections(twins, 5 - twins, 2)) for twins in (0, 2, 3, 4, 5)] == [10, 7, 4, 2, 1]
    tally = peer.Tally()
    for seed in range(50):
        peer.play_on(position([39, F, F, F], sea=FULL_BUT_ONE), random.Random(seed), tally, turns=1)
    deed, payment, drop = (tally.counts[kind] for kind in (peer.Kind.DEED, peer.Kind.PAYMENT, peer.Kind.DROP))
    assert deed.options == 2 * 50 and payment.asked + drop.asked == 50
    assert payment.asked == payment.forced > 0 and drop.options == 2 * drop.asked > 0


def test_deeds_are_equally_likely() -> None:
    """7 fits beside 6 only (1 card), 12 beside 13 only (1 card), 1 nowhere (5 cards), or two are dropped."""
    deeds = Counter[tuple[int, ...]]()
    config = peer.Config(players=2, rows=1, columns=5, last=20)
    for seed in range(800):
        table = position([7, 12, F, F, 1], [], sea={2: 6, 5: 13}, config=config)
        peer.play_on(table, random.Random(seed), turns=1)
        deeds[tuple(table.sea.numbers[1:6])] += 1
    assert set(deeds) == {(0, 6, 7, 0, 13), (0, 6, 0, 12, 13), (0, 6, 0, 0, 13)}
    assert all(abs(count - 800 / 3) < 60 for count in deeds.values())


def test_mirror() -> None:
    """vec.22: v to 81 - v and p to 37 - p keep the number of options."""
    rng = random.Random(22)
    for _ in range(60):
        table = peer.deal(rng, peer.Config())
        if peer.play_on(table, rng, turns=rng.randrange(35)).ending is not PAUSED:
            continue
        hands = [[card if card < 0 else 81 - card for card in hand] for hand in table.hands]
        sea = {37 - cell: 81 - card for cell, card in enumerate(table.sea.numbers) if card}
        mirrored = position(*hands, sea=sea, piles=table.piles, started=table.started, seat=table.seat)
        assert options(mirrored) == options(table)


def test_whole_games() -> None:
    """prop.13 bounds the turns; a small sea is sometimes won; the tally and the results agree; a seed is a game."""
    for config in (*(peer.Config(players=players) for players in range(2, 6)), peer.SMALL):
        tally = peer.Tally()
        summary = peer.simulate(300, 7, config, tally)
        assert summary == peer.simulate(300, 7, config)
        assert max(summary.turns) <= 54 and summary.games == 300
        assert tally.counts[peer.Kind.DEED].asked == summary.all_turns
        assert sum(count.asked - count.forced for count in tally.counts.values()) == summary.decisions
    assert peer.simulate(1000, 7, peer.SMALL).endings[WON] > 0


def test_doctests() -> None:
    """The examples of the docstrings hold."""
    assert doctest.testmod(peer).failed == 0
