"""The symbolic back end: its table of operators, and that proofs are right: what is false is never proved."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from small_games import FRAME, TINY, game_of
from solving import answers
from symbolic_agreement import Comparison

import seaspec
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Answer, Reply, ask
from seaspec.backends.symbolic.paths.paths import explore as explore_paths
from seaspec.backends.symbolic.read.operators import OPERATORS
from seaspec.backends.symbolic.values.world import World
from seaspec.core.ops import Op
from seaspec.explore.reference import explore
from seaspec.game import Game
from seaspec.prove.facts import facts_of
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import certificate, is_provable, prove
from seaspec.prove.refute import Seen


def solve(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
    return [answers(script, 300 * patience) for script in scripts]


def proofs(game: Game) -> dict[str, Proof]:
    return prove(game.flow, game.rules.promises, solve)


def proved(game: Game) -> set[str]:
    return {name for name, proof in proofs(game).items() if proof.proved}


def test_every_operator_is_known() -> None:
    assert set(Op) - set(OPERATORS) == {Op.AND, Op.OR, Op.IMPLIES, Op.IN}


# ------------------------------------------------------------------------------------------------- true and false


PLAY = """
to turn(p: Player)
  p chooses {menu}
to play
  repeat 9 times
    for each p in Player in order from seat(1): turn(p)
"""
STEPS = """
action climb(p: Player, n: 1..3) "{p} goes up {n}"
  needs low: count_up + n <= 9 "too high"
  count_up += n
action sink(p: Player) "{p} goes down"
  needs high: count_up > 0 "too low"
  count_up -= 1
action wait(p: Player) "{p} waits": mark[p] := min(9, mark[p] + 1)
action swap(p: Player) "{p} changes the light": light := next(light)
action grab(p: Player, x: Piece in stock) "{p} takes {x}"
  move x to hand[p]
action put_down(p: Player, x: Piece in hand[p]) "{p} puts {x} down"
  needs room: slot is empty "there is no room"
  move x to slot
action give(p: Player, n: 1..3) "{p} gives {n}"
  needs some_there: n <= size of hand[p] "too few"
  p chooses n of hand[p] as given_away
  move given_away to hand[next(p)]
"""
MENU = "climb or sink or wait or swap or grab or put_down or give"


def small(promises: str, menu: str = MENU) -> Game:
    return game_of(FRAME.format(players=2) + STEPS + PLAY.format(menu=menu) + promises)


TRUE = [
    "invariant kept: size of stock + size of slot + (sum size of hand[p] for p in Player) = size of Piece",
    "invariant one: size of slot <= 1",
    "invariant only_one: every x, y in slot: x is y",
    "invariant somewhere: every x in A: x in stock or x in slot or (some p in Player: x in hand[p])",
    "invariant in_range: count_up in 0..9",
    "always onward after climb(p, n): count_up = old count_up + n",
    "always others after wait(p): every q in Player where q is not p: mark[q] = old mark[q]",
    "always given after give(p, n): size of hand[p] = old size of hand[p] - n",
    "lemma least_is_low: (least mark[p] for p in Player) <= mark[seat(1)]",
    "lemma shares(n: 0..9): n / 2 + n mod 2 >= n / 2 and (n / 2) * 2 + n mod 2 = n",
    "lemma turned(l: Light): next(next(next(l))) is l and turns(l, next(l)) = 1",
    "lemma none_is_none: (first x in slot where x not in slot otherwise none) is none",
    "never stuck",
]
HARD = [TRUE[0], TRUE[3], *TRUE[7:11]]
"""Not to be seen without a solver."""
FALSE = [
    "invariant never_nine: count_up < 9",
    "invariant always_red: light is red",
    "invariant full_stock: size of stock >= 3",
    "invariant empty_slot: slot is empty",
    "invariant alike: every x, y in B: x in stock implies y in stock",
    "invariant no_value: (the x in slot) in Piece",
    "invariant divided: 9 / count_up >= 0",
    "invariant greatest: (most size of hand[p] for p in Player) < size of Piece",
    "always still after swap(p): light is old light",
    "always less after grab(p, x): size of hand[p] = old size of hand[p]",
    "always mine after put_down(p, x): size of slot = 0",
    "lemma bounded(n: 0..9): n + count_up <= 17",
    "lemma wrong_turn(l: Light): next(next(l)) is l",
    "lemma somebody: some x in slot: x in Piece",
]


@pytest.mark.parametrize("promise", TRUE)
def test_what_is_true_is_proved(promise: str) -> None:
    game = small(promise + "\n")
    assert proved(game) == {p.name for p in game.rules.promises}, proofs(game)


def test_what_is_false_is_not_proved() -> None:
    assert not proved(small("\n".join(FALSE) + "\n"))


def test_what_fails_is_told_with_a_position() -> None:
    (found,) = proofs(small("invariant never_nine: count_up < 9\n")).values()
    assert not found.proved
    assert (
        found.why.startswith("climb may break it, from a position that no play may reach: ")
        and "count_up = " in found.why
    )


def test_a_myth_is_not_tried() -> None:
    game = small("myth invariant in_range: count_up in 0..9\n")
    assert not [promise for promise in game.rules.promises if is_provable(game.rules, promise)]
    assert proofs(game) == {}


def test_who_must_choose_may_be_stuck() -> None:
    game = small("never stuck\n", menu="climb")
    assert not proved(game)


def test_a_sum_over_a_large_board_follows_from_its_change() -> None:
    """The cells that are filled are not counted anew: one card goes, one cell is filled."""
    large = TINY.replace("grid 3 by 2", "grid 5 by 4")
    counted = (
        "invariant laid_down\n  (count c in Sea where field[c] is filled) + (sum size of hand[p] + size of deck[p] + "
        "size of lost[p] for p in Player) + size of box = size of Card\n"
        "lemma highest: every c in Sea where field[c] is filled: number(c) <= (most number(n) for n in Sea)\n"
    )
    assert proved(game_of(large + counted)) == {"laid_down", "highest"}


LOOP = """
action give_all(p: Player) "{p} gives up all in line"
  for each x in line: move x to hand[next(p)]
action line_up(p: Player, x: Piece in stock) "{p} lines {x} up"
  needs room: size of line < 3 "no room"
  move x to line at 1
action give_first(p: Player) "{p} gives up the first in line"
  needs some_there: line is filled "nobody is in line"
  let x = first y in line
  move x to heap
to play
  repeat 4 times
    for each p in Player in order from seat(1): p chooses line_up or give_all or give_first
"""


def test_a_row_is_gone_through_in_any_order() -> None:
    game = game_of(FRAME.format(players=2) + LOOP)
    for few, counted in ((10**6, False), (4, True)):
        comparison = Comparison(game, few, counted)
        comparison.play(1, steps=8, answers=2)
        assert comparison.tally.answers > 8


STALE = """
action go(p: Player) "{p} goes"
  let whole = stock
  for each x in {y in stock where y is A}: move x to hand[seat(1)]
  move whole to hand[seat(2)]
  count_up := 1
to play
  repeat 2 times
    for each p in Player in order from seat(1): p chooses go
"""


def test_a_set_is_what_it_was_though_its_members_have_gone_elsewhere() -> None:
    first_has = "invariant {name}: count_up = 1 implies size of hand[seat(1)] {than} 0\n"
    promises = first_has.format(name="nothing", than="=") + first_has.format(name="something", than=">")
    game = game_of(FRAME.format(players=2) + STALE + promises)
    for few, counted in ((10**6, False), (10**6, True), (4, True)):
        comparison = Comparison(game, few, counted)
        comparison.play(1, steps=4, answers=2)
        assert comparison.tally.answers >= 4
    assert proved(game) == {"nothing"}


SWAP = """
action lay(p: Player, x: Piece in stock) "{p} lays {x}"
  needs free: slot is empty "it is taken"
  move x to slot
action lift(p: Player) "{p} lifts what lies there"
  needs there: slot is filled "nothing lies there"
  move slot to heap
to play
  repeat
    for each p in Player in order from seat(1)
      p chooses lay or lift
      otherwise: nobody wins
"""


def test_no_piece_is_ever_missing() -> None:
    """Only who knows that all pieces lie somewhere can say where the last ones are."""
    promise = "invariant {name}: some p in Player: p has won or size of stock + size of heap + size of slot {what}\n"
    all_there = promise.format(name="all", what="= size of Piece") + promise.format(name="few", what="< size of Piece")
    game = game_of(FRAME.format(players=2) + SWAP + all_there.replace("some p in Player: p has won or ", ""))
    assert proved(game) == {"all"}


def test_positions_of_plays_speak_against_what_is_false() -> None:
    game = small("invariant in_range: count_up in 0..9\ninvariant never_up: count_up = 0\n")
    seen = Seen(game.flow, frozenset(), lambda: True)
    true, false = (next(facts_of(game.rules, promise)) for promise in game.rules.promises)
    locations = explore_paths(World(game.flow, 8, True)).locations
    assert not any(seen.speaks_against(true, location) for location in locations)
    assert any(seen.speaks_against(false, location) for location in locations)


def test_nothing_is_proved_without_answers() -> None:
    game = small("\n".join(HARD) + "\n")

    def silent(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
        return [[Reply(Answer.UNKNOWN)] * max(1, script.goals) for script in scripts]

    assert not any(proof.proved for proof in prove(game.flow, game.rules.promises, silent).values())


def test_nothing_is_proved_without_time() -> None:
    game = small("\n".join(HARD) + "\n")
    found = prove(game.flow, game.rules.promises, solve, go_on=lambda: False)
    assert not any(proof.proved for proof in found.values())


def test_all_that_a_proof_rests_on_can_be_asked_again() -> None:
    game = small("\n".join(HARD) + "\n")
    scripts = list(certificate(game.flow, game.rules.promises, solve))
    assert len(scripts) >= len(HARD)
    for script in scripts:
        assert [reply.answer for reply in ask(script, 5_000)] == [Answer.IMPOSSIBLE], script.text


def test_exploration_breaks_nothing_that_is_proved() -> None:
    game = seaspec.load("calm + drop")
    names = {"rising", "home", "together", "hands", "starts_wait", "stuck_when_poor", "needed", "stays_dead"}
    wanted = [promise for promise in game.rules.promises if promise.name in names]
    here = {name for name, proof in prove(game.flow, wanted, solve).items() if proof.proved}
    assert {"rising", "home", "together", "needed"} <= here
    found = explore(game.machine, 3_000)
    assert not here & set(found.watched.broken)
