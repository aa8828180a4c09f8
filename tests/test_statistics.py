"""Statistics of plays: what is worked out from counts, batches, goals, and that both engines agree."""

from __future__ import annotations

import pickle
import statistics
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from math import sqrt
from pathlib import Path
from random import Random

import pytest
from cli_runner import DICE_RACE, ISLETS, TIC_TAC_TOE

from seaspec.backends.native.errors import LimitReached
from seaspec.core.show import in_general
from seaspec.game import Game
from seaspec.loading import load
from seaspec.sampling.batches import BY_REFERENCE, MOST, NATIVE, REFERENCE, Plan, in_batches, plays_of, size_of_batches
from seaspec.sampling.reference import ReferencePlays
from seaspec.sampling.statistics import (
    KEPT,
    Goal,
    Statistics,
    menus,
    outcomes,
    share_of,
    spread_of,
    widest,
    wins,
)

ENGINES = NATIVE, REFERENCE


@cache
def game_of(name: str) -> Game:
    return load(name)


def played(game: Game, plan: Plan, count: int) -> Statistics:
    return plays_of(game, plan).play(range(count))


# ------------------------------------------------------------------------------------------------------------- numbers


def test_a_share_lies_in_its_interval() -> None:
    for part, whole in ((0, 10), (10, 10), (1, 3), (500, 1000)):
        share = share_of(part, whole)
        assert 0 <= share.low <= share.share <= share.high <= 1
    assert share_of(0, 50).low == 0 and share_of(50, 50).high == 1
    assert share_of(500, 1000).width == pytest.approx(0.0619, abs=1e-3)  # R: prop.test(500, 1000, correct=FALSE)
    assert share_of(0, 0).width == 1


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = Random(1)
    hits = 0
    for _ in range(2000):
        share = share_of(sum(random.random() < 0.3 for _ in range(100)), 100)
        hits += share.low <= 0.3 <= share.high
    assert 0.93 < hits / 2000 < 0.97


def test_a_spread_is_that_of_the_numbers() -> None:
    random = Random(2)
    numbers = [random.randrange(50) for _ in range(777)]
    spread = spread_of(Counter(numbers))
    assert spread is not None and spread.half is not None
    assert spread.mean == pytest.approx(statistics.fmean(numbers))
    assert spread.sd == pytest.approx(statistics.stdev(numbers))
    assert spread.half == pytest.approx(1.96 * statistics.stdev(numbers) / sqrt(777), rel=1e-3)
    assert (spread.least, spread.most) == (min(numbers), max(numbers))
    ordered = sorted(numbers)
    assert spread.quantiles == {q: ordered[int(q * 777)] for q in (0.05, 0.25, 0.5, 0.75, 0.95)}


def test_a_spread_of_one_number_and_of_none() -> None:
    one = spread_of(Counter([7]))
    assert one is not None and (one.mean, one.sd, one.half, set(one.quantiles.values())) == (7, 0, None, {7})
    assert spread_of(Counter()) is None


def test_counts_do_not_grow_with_the_plays() -> None:
    game = game_of(TIC_TAC_TOE)
    plays = plays_of(game, Plan(NATIVE, 1, 1000))
    few, many = plays.play(range(20_000)), plays.play(range(200_000))
    assert many.plays == 200_000
    assert abs(len(pickle.dumps(many)) - len(pickle.dumps(few))) < 100


def test_only_the_first_failures_are_kept() -> None:
    found, alone = Statistics(), Statistics()
    for number in range(3 * KEPT):
        part = Statistics()
        part.fail(number, "no")
        found.add(part)
        alone.fail(number, "no")
    assert (found.plays, found.failed, found.good) == (3 * KEPT, 3 * KEPT, 0)
    assert found.failures == alone.failures == [(number, "no") for number in range(KEPT)]


# ------------------------------------------------------------------------------------------------------------- batches


@pytest.mark.parametrize("engine", ENGINES)
def test_plays_may_be_divided_as_one_likes(engine: str) -> None:
    plays = plays_of(game_of(DICE_RACE), Plan(engine, 4, 1000))
    whole = plays.play(range(60))
    parts = Statistics()
    with ThreadPoolExecutor(3) as pool:
        for part in pool.map(lambda first: plays.play(range(first, first + 20)), (0, 20, 40)):
            parts.add(part)
    assert parts == whole
    assert plays.play(range(1, 61)) != whole


def one_by_one(found: list[range], most: int) -> Callable[[range], Callable[[], Statistics]]:
    """Begins batches that are told later; fails if more than `most` are waited for."""
    waiting: list[range] = []

    def start(batch: range) -> Callable[[], Statistics]:
        waiting.append(batch)
        assert len(waiting) <= most
        return partial(tell, batch)

    def tell(batch: range) -> Statistics:
        assert waiting.pop(0) == batch
        found.append(batch)
        return Statistics(plays=len(batch), plies=60 * len(batch))

    return start


@pytest.mark.parametrize(("engine", "count"), [(NATIVE, 1), (NATIVE, 256), (NATIVE, 100_000), (REFERENCE, 1003)])
@pytest.mark.parametrize("at_once", [1, 7])
def test_each_play_is_in_one_batch_and_few_are_under_way(engine: str, count: int, at_once: int) -> None:
    batches: list[range] = []
    told = list(in_batches(Plan(engine, 1, 1000), count, one_by_one(batches, at_once), at_once))
    assert [number for batch in batches for number in batch] == list(range(count))
    assert sum(part.plays for part in told) == count


def test_batches_are_short_where_plays_are_long() -> None:
    sizes = [size_of_batches(Statistics(plays=256, plies=256 * plies)) for plies in (0, 9, 100, 10_000, 10**6)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == MOST and sizes[-1] == 1


# --------------------------------------------------------------------------------------------------------------- goals


def test_a_goal_is_reached_when_all_shares_are_known() -> None:
    game = game_of(TIC_TAC_TOE)
    plays = plays_of(game, Plan(NATIVE, 1, 1000))
    some, many = plays.play(range(1000)), plays.play(range(100_000))
    assert widest(game, some) > 0.05 > widest(game, many)
    goal = Goal(width=0.05)
    assert not goal.is_reached(game, some) and goal.is_reached(game, many)
    length = Goal(length=0.02)
    assert not length.is_reached(game, some) and length.is_reached(game, many)
    assert not Goal(width=0.05, length=1e-6).is_reached(game, many)


def test_a_few_plays_that_are_alike_are_not_enough() -> None:
    game = game_of(TIC_TAC_TOE)
    alike = Statistics(plays=20, endings=Counter({(0, (), ()): 20}), lengths=Counter({9: 20}))
    assert not Goal(length=0.1).is_reached(game, alike)


# ----------------------------------------------------------------------------------------------------------- sentences


def test_sentences_of_endings_name_nobody() -> None:
    game = game_of(TIC_TAC_TOE)
    told = outcomes(game, played(game, Plan(NATIVE, 1, 1000), 500), 1000)
    assert set(told) == {"one wins: a player has three in a row", "nobody wins: all cells are marked"}


def test_what_stands_in_a_sentence_is_told_by_its_type(tmp_path: Path) -> None:
    path = tmp_path / "told.sea"
    path.write_text(
        'game Told "Told"\nconst players = 2\ntype Colour = one of red, blue\n'
        "type EyeColour = one of brown, green\nstate lucky: Player = seat(1)\nstate colour: Colour = red\n"
        "state eye: EyeColour = green\nstate number: 0..3 = 1\n"
        'to play\n  win for lucky "{lucky}: {colour}, {eye}, {number} and {number = 1}"\n'
    )
    game = load(str(path))
    (outcome,) = outcomes(game, played(game, Plan(REFERENCE, 1, 10), 1), 10)
    assert outcome == "one wins: a player: a colour, an eye colour, some and yes or no"
    assert "{" not in outcome


def test_no_sentence_of_an_ending_shows_braces() -> None:
    game = game_of("calm")
    for block in game.flow.blocks:
        how = getattr(block.exit, "how", None)
        if how is not None and how.source.sentence is not None:
            assert "{" not in in_general(how.source.sentence, game.rules)


# --------------------------------------------------------------------------------------------------------- both engines


@pytest.mark.parametrize("engine", ENGINES)
def test_random_tic_tac_toe_is_as_it_must_be(engine: str) -> None:
    """How random plays end is known exactly: 737/1260, 121/420, 8/63."""
    game = game_of(TIC_TAC_TOE)
    plays = 40_000 if engine == NATIVE else 1500
    found = played(game, Plan(engine, 5, 1000), plays)
    first, second = wins(game, found)
    draws = found.endings.total() - first - second
    for number, odds in ((first, 737 / 1260), (second, 121 / 420), (draws, 8 / 63)):
        assert abs(number - plays * odds) < 5 * sqrt(plays * odds * (1 - odds))


@pytest.mark.parametrize("name", [TIC_TAC_TOE, DICE_RACE, ISLETS, "calm"])
def test_engines_agree(name: str) -> None:
    """In means, outcomes and wins: within five standard deviations."""
    game = game_of(name)
    plays = 60 if name == "calm" else 400
    ours = played(game, Plan(REFERENCE, 6, 20_000), plays)
    theirs = played(game, Plan(NATIVE, 6, 20_000), 20_000)
    assert ours.failed == theirs.failed == 0
    mine, other = spread_of(ours.lengths), spread_of(theirs.lengths)
    assert mine is not None and other is not None
    assert abs(mine.mean - other.mean) <= 5 * other.sd / sqrt(plays) + 1e-9
    assert mine.least >= other.least and mine.most <= other.most  # of many more plays
    pairs = [(outcomes(game, ours, 0)[told], n) for told, n in outcomes(game, theirs, 0).items()]
    pairs += list(zip(wins(game, ours), wins(game, theirs), strict=True))
    assert sum(n for n, _ in pairs[: len(outcomes(game, theirs, 0))]) == plays
    for number, of_many in pairs:
        odds = of_many / theirs.plays
        assert abs(number - plays * odds) <= 5 * sqrt(plays * odds * (1 - odds)) + 1
    for menu, asked in menus(game, ours.asked).items():
        assert asked / plays == pytest.approx(menus(game, theirs.asked)[menu] / theirs.plays, rel=0.35, abs=0.1)
        options = menus(game, theirs.offered)[menu] / menus(game, theirs.asked)[menu]
        assert menus(game, ours.offered)[menu] / asked == pytest.approx(options, rel=0.35, abs=0.1)
    assert ours.plies / plays == pytest.approx(theirs.plies / theirs.plays, rel=0.2)


COUNTED = """\
game Counted "Counted"
const players = 3
state rest: 0..9 = 9
action less(p: Player, n: 1..2) "{p} takes {n}"
  rest := max(0, rest - 1)
to play
  repeat until rest = 0
    for each p in Player: p may less
  win for seat(2)
"""
"""A play in which the choices change nothing that is counted."""


def test_engines_agree_exactly_where_chance_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "counted.sea"
    path.write_text(COUNTED.replace("p may less", "p chooses less"))
    game = load(str(path))
    ours, theirs = (played(game, Plan(engine, 1, 1000), 50) for engine in ENGINES)
    assert ours == theirs
    assert ours.lengths == Counter({9: 50}) and wins(game, ours) == [0, 50, 0]
    assert menus(game, ours.offered).total() == 2 * menus(game, ours.asked).total() == 2 * 9 * 50


@pytest.mark.parametrize("limit", [1, 4, 8])
def test_plays_are_cut_off_after_the_same_choice(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "counted.sea"
    path.write_text(COUNTED.replace("p may less", "p chooses less"))
    game = load(str(path))
    ours, theirs = (played(game, Plan(engine, 1, limit), 30) for engine in ENGINES)
    assert ours == theirs
    assert ours.cut_off == 30 and not ours.lengths and ours.asked.total() == 30 * limit
    assert played(game, Plan(NATIVE, 1, 9), 30).cut_off == 0


def test_passing_is_an_option_for_both(tmp_path: Path) -> None:
    path = tmp_path / "counted.sea"
    path.write_text(COUNTED)
    game = load(str(path))
    for engine in ENGINES:
        found = played(game, Plan(engine, 1, 1000), 50)
        assert found.offered.total() == 3 * found.asked.total()


def test_more_choices_than_machine_code_counts() -> None:
    plays = plays_of(game_of(TIC_TAC_TOE), Plan(NATIVE, 1, 10**9))
    with pytest.raises(LimitReached, match="at most 1000000 decisions"):
        plays.play(range(1))


# ------------------------------------------------------------------------------------------------------------ failures

FAILING = """\
game Failing "Failing"
const players = 2
component Token
  Token times 6
place stock bag of Token open
place hand[p: Player] at most 3 Token open
state total: 0..12 = 0
action add(p: Player, n: 1..3) "{p} adds {n}"
  total += n
action take(p: Player, x: Token in stock) "{p} takes one"
  move x to hand[p]
menu deed(p: Player) "what {p} may do" = add or take
to setup
  move all Token from box to stock
to play
  repeat 4 times
    for each p in Player in order from seat(1): p chooses deed(p)
    roll 1 d6 as n
    total := max(0, total - n)
  nobody wins
"""
"""Its rules fail in some plays, in two ways."""


def line_of(message: str) -> int:
    """The line that a failure names."""
    return int(message.rpartition(":")[2].rstrip(")"))


@pytest.fixture
def failing(tmp_path: Path) -> Game:
    path = tmp_path / "failing.sea"
    path.write_text(FAILING)
    return load(str(path))


@pytest.mark.parametrize("engine", ENGINES)
def test_failures_are_found_and_followed(engine: str, failing: Game) -> None:
    plays = plays_of(failing, Plan(engine, 1, 1000))
    found = plays.play(range(400))
    assert found.plays == 400 and found.failed > 0 and found.ended > 0
    assert found.endings.total() == found.lengths.total() == found.ended == 400 - found.failed
    assert {line_of(message) for _, message in found.failures} <= {9, 11}
    for number, _ in found.failures[:10]:
        play = plays.failed_play(number)
        assert not play.is_over
        assert plays.play(range(number, number + 1)).failed == 1


def test_engines_fail_as_often(failing: Game) -> None:
    ours = ReferencePlays(failing, 2, 1000).play(range(1000))
    theirs = played(failing, Plan(NATIVE, 2, 1000), 20_000)
    odds = theirs.failed / theirs.plays
    assert abs(ours.failed - 1000 * odds) < 5 * sqrt(1000 * odds * (1 - odds))
    lines = [{line_of(message) for _, message in found.failures} for found in (ours, theirs)]
    assert lines == [{9, 11}, {9, 11}]
    for block, asked in ours.asked.items():
        assert asked / ours.good == pytest.approx(theirs.asked[block] / theirs.good, rel=0.1)


def test_the_interpreter_plays_batches_that_are_worth_a_process() -> None:
    assert Plan(REFERENCE, 1, 9).least == BY_REFERENCE > 1
    assert Plan(REFERENCE, 1, 9, ("mcts",)).least == Plan(NATIVE, 1, 9).least == 1
