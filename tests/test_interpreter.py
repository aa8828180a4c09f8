"""The interpreter, construct by construct: what a small text does when it is run."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from random import Random

import pytest
from small_games import TINY, flow_game, game_of, seen, state, texts

from seaspec.backends.interpreter.chance import Drawn, Rolled, Thrown
from seaspec.backends.interpreter.choices import Act, Choice, Line, Pass, Share, Values
from seaspec.backends.interpreter.choices import Subset as Chosen
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.state import State
from seaspec.core.ops import Op
from seaspec.play import Play, PlayError, Subset, random_play


def run(body: str, things: str = "", players: int = 2, **how: object) -> Play:
    return flow_game(body, things, players).start(**(how or {"seed": 1}))  # type: ignore[arg-type]


def test_every_operator_has_a_meaning() -> None:
    from seaspec.backends.interpreter.operators import SPECIAL, TEMPLATES

    assert {*TEMPLATES, *SPECIAL} == set(Op)
    assert not set(TEMPLATES) & set(SPECIAL)


# ------------------------------------------------------------------------------------------------------------- effects


def test_play_that_returns_ends_without_a_winner() -> None:
    play = run("nothing")
    assert play.is_over
    assert play.result is not None
    assert play.result.winners == () and play.result.reason == "the game is over"


def test_assignments_and_rings() -> None:
    play = run("count_up := 4\ncount_up -= 1\nlight += 2\nlight := next(light)\nmark[seat(2)] := count_up + 1")
    assert state(play, "count_up") == "3"
    assert state(play, "light") == "red"
    assert state(play, "mark[Ben]") == "4"


def test_moves_to_every_kind_of_place() -> None:
    play = run("move all B from stock to line\nmove 1 A from stock to slot\nmove stock to heap\nmove line to stock")
    assert seen(play, "stock") == ("B", "B", "B")
    assert seen(play, "slot") == ("A",)
    assert play.view("Ann").places["heap"].size == 2
    assert seen(play, "heap") is None


def test_rows_keep_their_order() -> None:
    play = run("move C(2) to line\nmove A to line\nmove C(1) to line at 2")
    assert seen(play, "line") == ("C 2", "C 1", "A")


def test_a_full_place_is_an_error_of_the_rules() -> None:
    with pytest.raises(RuleError, match="slot is full: it holds 1, and would hold 3") as caught:
        run("move all B from stock to slot")
    assert "small.sea:" in str(caught.value.span)


def test_a_value_out_of_range_is_an_error_of_the_rules() -> None:
    with pytest.raises(RuleError, match=r"10 is not in 0\.\.9|count_up would be 10"):
        run("count_up := 9\ncount_up += 1")


def test_a_short_move_and_up_to() -> None:
    with pytest.raises(RuleError, match="4 B are to go from stock, 3 are there"):
        run("move 4 B from stock to hand[seat(1)]")
    play = run("move up to 4 B from stock to hand[seat(1)]")
    assert seen(play, "hand[Ann]") == ("B", "B", "B")


def test_a_short_draw_and_up_to() -> None:
    with pytest.raises(RuleError, match="nothing left to draw in stock"):
        run("draw 9 from stock to heap")
    assert run("draw up to 9 from stock to heap").view("Ann").places["heap"].size == 6


def test_kept_where_it_lies() -> None:
    things = "state burning[x: Piece]: yes or no = no while in line\n"
    play = run(
        "move A to line\nA.burning := yes\nif A.burning: count_up := 1\nmove A to stock\nif A.burning: count_up := 2",
        things,
    )
    assert state(play, "count_up") == "1"


def test_identical_pieces_with_different_kept_states_are_told_apart() -> None:
    things = (
        "state burning[x: Piece]: yes or no = no while in stock\n"
        "to light_one\n"
        "  seat(1) chooses 1 of {x in stock where x is B} as them\n"
        "  for each x in them: x.burning := yes\n"
    )
    body = "light_one\nseat(1) chooses 1 of {x in stock where x is B} as one\n  move one to hand[seat(1)]"
    play = run(body, things)
    play.do(0)
    assert texts(play) == ["{B in stock #1}", "{B in stock #2}"]


# ---------------------------------------------------------------------------------------------------------------- flow


def test_branches_loops_and_matches() -> None:
    play = run(
        "repeat 3 times: count_up += 1\n"
        "repeat at most 5 times until count_up = 5: count_up += 1\n"
        "if count_up = 5 and light is red: light := amber\n"
        "else: light := green\n"
        "match light\n"
        "  red: mark[seat(1)] := 1\n"
        "  amber, green: mark[seat(1)] := 2\n"
        "for each p in Player in order from seat(2) where p is not seat(1): mark[p] := 7"
    )
    assert (state(play, "count_up"), state(play, "light")) == ("5", "amber")
    assert (state(play, "mark[Ann]"), state(play, "mark[Ben]")) == ("2", "7")


def test_for_each_takes_its_set_once() -> None:
    play = run("for each x in stock\n  move stock to hand[seat(1)]\n  count_up += 1")
    assert state(play, "count_up") == "6"


def test_in_order_of() -> None:
    play = run("for each x in {x in stock where x is C} in order of 0 - worth_of(x): move x to line", WORTH)
    assert seen(play, "line") == ("C 2", "C 1")


WORTH = "define worth_of(x: Piece): 0..2 = if x = C(1) then 1 else if x = C(2) then 2 else 0\n"


def test_stop_leaves_the_procedure_and_skips_its_after_hooks() -> None:
    things = (
        "state clock: 0..9 = 0 until end of outer\n"
        "to outer\n  clock := 1\n  inner\n  count_up := 9\n"
        "to inner\n  if clock = 1: stop outer\n  count_up := 8\n"
        "after outer: mark[seat(1)] := 5\n"
    )
    play = run("outer\nmark[seat(2)] := 1 + clock", things)
    assert state(play, "count_up") == "0"
    assert state(play, "mark[Ann]") == "0"
    assert state(play, "mark[Ben]") == "1"


def test_hooks_stand_round_the_body_and_clocks_are_reset_at_the_end() -> None:
    things = (
        "state clock: 0..9 = 0 until end of outer\n"
        "to outer\n  clock += 2\n  mark[seat(1)] := clock\n"
        "before outer: clock := 3\n"
        "after outer: mark[seat(2)] := clock\n"
    )
    play = run("outer\ncount_up := clock", things)
    assert (state(play, "mark[Ann]"), state(play, "mark[Ben]"), state(play, "count_up")) == ("5", "5", "0")


def test_whenever_settles_from_the_top_again() -> None:
    things = (
        "whenever third: count_up = 3\n  count_up := 5\n"
        "whenever odd: some p in Player: mark[p] = 1\n  mark[p] := 2\n  count_up := 3\n"
    )
    play = run("mark[seat(2)] := 1\nseat(1) may bump\n", things)
    assert state(play, "count_up") == "5"
    assert state(play, "mark[Ben]") == "2"


def test_an_endless_settling_is_an_error_of_the_rules() -> None:
    with pytest.raises(RuleError, match="do not come to rest"):
        run("seat(1) may bump", "whenever restless: count_up < 9\n  light := next(light)\n")


def test_an_end_inside_the_settling() -> None:
    play = run("seat(1) may bump\nseat(2) may bump", "whenever won: count_up = 1\n  win for seat(2)\n")
    play.do("bump")
    assert play.result is not None
    assert play.result.winners == ("Ben",) and play.result.losers == ("Ann",)


def test_scores_and_ties() -> None:
    play = run(
        "for each p in Player: mark[p] := 3\nmark[seat(3)] := 1\nscore p: mark[p] tie by 5 - size of hand[p]", players=3
    )
    assert play.result is not None
    assert play.result.winners == ("Ann", "Ben")
    assert play.result.scores == {"Ann": (3, 5), "Ben": (3, 5), "Cid": (1, 5)}


def test_who_drops_out_is_skipped_in_turn_order() -> None:
    play = run(
        "seat(2) drops out\nfor each p in Player in order from seat(1): mark[p] := 1\nlose for seat(1)", players=3
    )
    assert [state(play, f"mark[{p}]") for p in ("Ann", "Ben", "Cid")] == ["1", "0", "1"]
    assert play.result is not None and play.result.winners == ("Cid",)


# ------------------------------------------------------------------------------------------------------------- choices


def test_identical_pieces_are_one_option() -> None:
    play = run("seat(1) chooses take")
    assert texts(play) == ["take(B)", "take(C 1)", "take(C 2)"]


def test_subsets_are_multisets_of_identical_pieces() -> None:
    play = run("seat(1) chooses 2 of stock as them\n  move them to hand[seat(1)]")
    assert len(play.choices) == 7
    assert Counter(texts(play))["{B, B}"] == 1
    assert all(play.options is not None and play.options.position(c) == n for n, c in enumerate(play.choices))
    play.do("{B, C 2}")
    assert seen(play, "hand[Ann]") == ("B", "C 2")


def test_large_subsets_are_never_listed() -> None:
    things = "component Token\n  Token times 60\n  Coin(number: 1..40) one each\nplace bank bag of Token open\n"
    things += "place purse set of Token open\n"
    play = run("move all Token from box to bank\nseat(1) chooses any of bank as them\n  move them to purse", things)
    options = play.options
    assert options is not None
    assert len(options) == 61 * 2**40
    choice = options[len(options) // 3]
    assert options.position(choice) == len(options) // 3
    assert isinstance(choice, Subset)
    play.do(options.random(Random(4)))
    assert play.is_over


def test_shares() -> None:
    play = run("seat(1) shares 3 among p in Player at most 2 as gift\nfor each p in Player: mark[p] := gift[p]")
    assert texts(play) == ["2 to Ann, 1 to Ben", "1 to Ann, 2 to Ben"]
    play.do("1 to Ann, 2 to Ben")
    assert state(play, "mark[Ben]") == "2"


def test_shares_among_identical_pieces_are_sorted() -> None:
    play = run("seat(1) shares 1..2 among x in {x in stock where x is B} as gift")
    assert texts(play) == ["1 to B", "2 to B", "1 to B, 1 to B"]
    assert all(play.options is not None and play.options.position(c) == n for n, c in enumerate(play.choices))


def test_values_and_otherwise() -> None:
    play = run("seat(1) chooses n in 2..1\n  count_up := n\notherwise: count_up := 7")
    assert state(play, "count_up") == "7"
    play = run("seat(1) chooses n in 3..5 where n != 4\n  count_up := n")
    assert texts(play) == ["3", "5"]
    assert state(play.do("5"), "count_up") == "5"


def test_a_choice_without_options_and_otherwise_is_stuck() -> None:
    with pytest.raises(RuleError, match=r"stuck: Ann must choose"):
        run("move stock to hand[seat(2)]\nseat(1) chooses take")


def test_may_repeatedly_until() -> None:
    play = run("seat(1) may repeatedly take until size of hand[seat(1)] = 2\ncount_up := 1")
    assert texts(play)[-1] == "pass"
    play.do("take(B)").do("take(B)")
    assert play.is_over
    play = run("seat(1) may repeatedly take until size of hand[seat(1)] = 2\ncount_up := 1")
    assert play.do("pass").is_over
    assert state(play, "count_up") == "1"


def test_any_order_asks_until_one_line_is_left() -> None:
    play = run(
        "seat(1) in any order\n  count_up := 2 * count_up\n  count_up += 3\n  if light is green: count_up := 0\n"
    )
    assert len(play.choices) == 2
    play.do(1)
    assert play.is_over and state(play, "count_up") == "6"


def test_an_action_called_where_it_is_not_allowed() -> None:
    with pytest.raises(RuleError, match="take is called where it is not allowed"):
        run("take(seat(1), A)")


def test_a_choice_that_is_no_option() -> None:
    play = run("seat(1) chooses take")
    with pytest.raises(PlayError, match=r"move 1: 'take\(A\)' is no option here; did you mean"):
        play.do("take(A)")
    with pytest.raises(PlayError, match="there are 3 options"):
        play.do(3)


# -------------------------------------------------------------------------------------------------------------- chance


TWICE = """\
game Twice "Two menus with one action, given and chosen; one may pass"
const players = 2
component Coin(worth: 1..2)
  Coin times 3 each
place purse[p: Player] set of Coin open
action pay(p: Player, c: Coin in purse[p], q: Player) "{p} pays {c} to {q}"
  needs other: p is not q "to another"
  move c to purse[q]
to setup: move all Coin from box to purse[seat(1)]
to play
  repeat 4 times
    seat(1) may pay(next(seat(1)))
    for each p in Player
      p may pay
"""


@pytest.mark.parametrize("text", [TWICE, TWICE.replace("pay(next(seat(1)))", "pay"), TINY])
def test_whether_a_choice_is_an_option_is_told_as_by_listing_all(text: str) -> None:
    machine = game_of(text).machine
    offered: set[Choice] = set()
    told = Counter[bool]()
    for seed in range(6):
        for current in machine.play_out(machine.begin(), Random(seed), 30):
            if machine.decider(current) is None:
                continue
            offered.update(machine.options(current))
            anew = machine.options(State(current.slots, current.where))
            for choice in sorted(offered, key=repr):
                is_there = choice in anew
                told[is_there] += 1
                with nullcontext() if is_there else pytest.raises(ChoiceError):
                    machine.options(State(current.slots, current.where)).position(choice)
    assert min(told[True], told[False]) > 10
    assert Pass() in offered or text is TINY


def test_draws_merge_identical_pieces() -> None:
    play = run("draw 1 from stock to heap", outcomes=())
    assert play.chance is not None
    weights = {play.text(outcome): weight for outcome, weight in play.chance.weighted()}
    assert weights == {"A": 1, "B": 3, "C 1": 1, "C 2": 1}


def test_chance_chooses_identical_pieces_as_often_as_there_are() -> None:
    play = run("chance chooses x in stock, y in stock where y is not x\nmove x to line", outcomes=())
    assert play.chance is not None
    weights = {play.text(outcome): weight for outcome, weight in play.chance.weighted()}
    assert weights["A, B"] == weights["B, A"] == 3 and weights["B, B"] == 6 and weights["A, C 1"] == 1, weights


def test_piles_are_drawn_from_the_top_layer() -> None:
    play = run("move all C from stock to heap\nmove A to heap\ndraw 2 from heap to stock", outcomes=())
    assert play.chance is not None
    assert [play.text(outcome) for outcome, _ in play.chance.weighted()] == ["A"]
    play.happen("A")
    assert [play.text(outcome) for outcome, _ in play.chance.weighted()] == ["C 1", "C 2"]


def test_shuffling_makes_one_layer() -> None:
    play = run("move all C from stock to heap\nmove A to heap\nshuffle heap\ndraw 1 from heap to stock", outcomes=())
    assert play.chance is not None
    assert len(play.chance.weighted()) == 3


def test_rolls() -> None:
    play = run("roll 2 d6 as total\ncount_up := total mod 10", outcomes=())
    assert play.chance is not None
    weighted = {play.text(outcome): weight for outcome, weight in play.chance.weighted()}
    assert weighted["7"] == 6 and weighted["12"] == 1
    assert state(play.happen("7"), "count_up") == "7"


def test_weighted_choices_of_chance() -> None:
    play = run(
        "chance chooses x in Light weights (if x is red then 3 else if x is amber then 1 else 0)\nlight := x",
        outcomes=(),
    )
    assert play.chance is not None
    assert [(play.text(o), w, play.chance.probability(o)) for o, w in play.chance.weighted()] == [
        ("red", 3, Fraction(3, 4)),
        ("amber", 1, Fraction(1, 4)),
    ]


def test_throws_are_thrown_again() -> None:
    things = (
        "chance beats(m: 1..3, n: 1..3)\n"
        "  roll m d6 as mine\n"
        "  roll n d6 as theirs\n"
        "  again if mine = theirs\n"
        "  gives mine > theirs\n"
    )
    play = run("if beats(3, 1): count_up := 1", things, outcomes=())
    assert play.chance is not None
    odds = sum(Fraction(w) for o, w in play.chance.weighted() if getattr(o, "value", None))
    assert odds == Fraction(1261, 1276)
    assert sum(Fraction(w) for _, w in play.chance.weighted()) == 1
    assert state(play.happen("3, 2"), "count_up") == "1"


def test_random_subsets_of_chance() -> None:
    play = run("chance chooses 2 of stock as them\nmove them to hand[seat(1)]", outcomes=())
    assert play.chance is not None
    weighted = {play.text(o): w for o, w in play.chance.weighted()}
    assert sum(weighted.values()) == 15 and weighted["{B, B}"] == 3
    play.happen()
    assert play.view("Ann").places["hand[Ann]"].size == 2


# -------------------------------------------------------------------------------------------------------------- states


def test_frames_are_empty_when_they_are_not_needed() -> None:
    things = "to outer(p: Player)\n  let n = 3 + size of hand[p]\n  p may bump\n  count_up := n\n"
    play = run("outer(seat(1))\nseat(2) may bump", things)
    machine = play.game.machine
    frame = play.position.slots[machine.layout.frame_start :]
    assert sum(value is not None for value in frame) == 4  # p, n, and two return slots
    play.do("pass")
    frame = play.position.slots[machine.layout.frame_start :]
    assert sum(value is not None for value in frame) == 1


def test_equal_positions_are_equal_states_whatever_led_there() -> None:
    game = flow_game("seat(1) chooses n in 0..1\n  mark[seat(1)] := n\nmark[seat(1)] := 0\nseat(2) may bump")
    one, other = game.start(seed=1).do(0), game.start(seed=1).do(1)
    assert one.position == other.position and hash(one.position) == hash(other.position)
    assert one.position.digest == other.position.digest


def test_canonical_keys_take_identical_pieces_for_one() -> None:
    game = flow_game(
        "move all B from stock to hand[seat(1)]\nseat(1) chooses x in hand[seat(1)]\n  move x to line\nseat(2) may bump"
    )
    play = game.start(seed=1)
    machine, state_before = game.machine, play.position
    afters = [machine.step(state_before, type(play.choices[0])((piece,))) for piece in (1, 2, 3)]
    assert len(set(afters)) == 3
    assert len({machine.canonical(state) for state in afters}) == 1


def test_digests_do_not_depend_on_the_process() -> None:
    import os
    import subprocess
    import sys

    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from small_games import *\n"
        "print(game_of(TINY).start(seed=5).position.digest)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and found != {""}


def test_random_plays_end_and_are_reproducible() -> None:
    game = game_of(TINY)
    for seed in range(30):
        play = random_play(game, Random(seed))
        assert play.is_over
        again = random_play(game, Random(seed))
        assert [move.text for move in again.history] == [move.text for move in play.history]
        assert again.position == play.position


# ------------------------------------------------------------------------------------- answers that are of another sort

ASKED = {
    "seat(1) chooses take": Act("take", (0, 0)),
    "seat(1) may bump": Pass(),
    "seat(1) chooses n in 1..2, m in 1..2": Values((1, 1)),
    "seat(1) chooses up to 2 of stock as xs": Chosen((1, 2)),
    "seat(1) shares 1 among p in Player as gift": Share((1, 0)),
    "seat(1) in any order\n  count_up += 1\n  count_up := 2": Line(0),
    "roll 1 d6 as n": Rolled(1),
    "draw 1 from stock to heap": Drawn(1),
    "chance chooses n in 1..2": Values((1,)),
}
ANSWERS = {*ASKED.values(), Values((1, 2, 3)), Chosen(()), Act("stop", ()), Thrown((1,), 1)}


@pytest.mark.parametrize("body", ASKED)
def test_an_answer_of_another_sort_is_refused(body: str) -> None:
    machine = flow_game(body).machine
    state = machine.begin()
    own = ASKED[body]
    assert machine.step(state, own) != state
    for answer in ANSWERS - {own}:
        if type(answer) is type(own) and answer != Values((1, 2, 3)) and not isinstance(answer, Act):
            continue  # perhaps not legal, but of this sort
        with pytest.raises(ChoiceError):
            machine.step(state, answer)
