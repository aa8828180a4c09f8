"""Worked examples: what holds, what fails and why, and what is left open."""

from __future__ import annotations

import pytest
from small_games import FRAME, TINY, game_of

from seaspec.examples.run import ExampleResult, Verdict, run_example, run_examples


def result(example: str, text: str = TINY) -> ExampleResult:
    game = game_of(text + "\n" + example)
    return run_example(game, game.rules.examples[0])


def failure(example: str, text: str = TINY) -> str:
    found = result(example, text)
    assert found.verdict is Verdict.FAILS and found.failure is not None
    return found.failure.message


def holds(example: str, text: str = TINY) -> ExampleResult:
    found = result(example, text)
    assert found.verdict is Verdict.HOLDS, found.failure
    return found


def test_a_step_and_what_follows() -> None:
    holds(
        "example a\n"
        "  given field[A1] = Island(3), hand[Ann] = {Island(5)}, hand[Ben] = {Island(9)}\n"
        "  when Ann does lay(Island(5), C1)\n"
        "  then hand[Ann] is empty, number(C1) = 5, Ben is asked at deed\n"
    )


def test_what_is_given_of_states_may_speak_of_pieces_that_are_given() -> None:
    text = FRAME.format(players=2) + "state warm[x: C]: yes or no = no\nto play: nothing\n"
    example = (
        "example a\n  given warm[the x in C where x in heap], heap = {C(2)}, count_up = size of line, line = {C(1)}\n"
    )
    holds(f"{example}  then warm[C(2)], not warm[C(1)], count_up = 1\n", text)


def test_the_second_player_may_be_asked_first() -> None:
    holds("example a\n  given hand[Ben] = {Island(5)}\n  when Ben does drop_one\n  then size of lost[Ben] = 1\n")


def test_a_test_that_fails_is_told_with_the_moves() -> None:
    found = result(
        "example a\n  given hand[Ann] = {Island(5)}\n  when Ann does lay(Island(5), B1)\n  then number(B1) = 6\n"
    )
    assert found.failure is not None
    assert found.failure.message == "this does not hold: number(B1) = 6; number(B1) is 5"
    assert found.failure.moves == ("Ann: lay(Island 5, B1)",)
    assert "small.sea:" in str(found.failure.span)


def test_refusals() -> None:
    given = "  given field[A1] = Island(7), hand[Ann] = {Island(5)}\n"
    holds(f"example a\n{given}  when Ann does lay(Island(5), B1) then refused by rising\n")
    holds(f"example a\n{given}  when Ann does lay(Island(5), A1) then refused\n")
    assert failure(f"example a\n{given}  when Ann does lay(Island(5), B1) then refused by free\n").startswith(
        "refused, but not by free: rising: numbers must rise"
    )
    assert "should be refused" in failure(
        "example a\n  given hand[Ann] = {Island(5)}\n  when Ann does lay(Island(5), B1) then refused\n"
    )
    assert failure(f"example a\n{given}  when Ann does lay(Island(5), B1)\n  then yes\n").startswith("refused: rising")


def test_for_any_runs_each_tuple() -> None:
    found = holds(
        "example a\n  for any c in Sea where c.row = 1\n  given hand[Ann] = {Island(5)}\n"
        "  when Ann does lay(Island(5), c)\n  then number(c) = 5\n"
    )
    assert found.runs == 3
    names = result("example a\n  for any c in Sea\n  given hand[Ann] = {Island(5)}\n  then c.row = 1\n").failure
    assert names is not None and names.names == "c = A2"


def test_identical_pieces_and_sizes() -> None:
    holds("example a\n  given hand[Ann] = {2 Finish, Island(1)}\n  then (count Finish in hand[Ann]) = 2\n")
    found = holds("example a\n  given size of hand[Ben] = 4\n  then size of hand[Ben] = 4, size of box = 7\n")
    assert found.runs > 1
    given = "given hand[Ann] = {2 Finish}, hand[Ben] = {Finish}"
    message = failure(f"example a\n  {given}\n  then yes\n")
    assert message == "this can not be given: 3 Finish are given in all, and there are 2"


MEN = """game Men "Men"
type Player = ring of White, Black
component Man(owner: Player)
  Man(White) times 7
  Man(Black) times 3
component Crown
  Crown times 1
place reserve[p: Player] set of Man or Crown open
place field bag of Man open
action put(p: Player) "{p} puts": move 1 Man from reserve[p] to field
to play
  for each p in Player
    p chooses put
"""


def test_so_many_identical_pieces_by_their_facts() -> None:
    holds(
        "example a\n  given reserve[White] = {5 Man(White), Crown}\n  when White does put\n"
        "  then reserve[White] = {4 Man(White), Crown}, field = {1 Man(White)}\n",
        MEN,
    )
    holds(
        "example a\n  for any p in Player\n  given reserve[p] = {3 Man(p)}, field = {3 Man(next(p))}\n"
        "  then field = {3 Man(next(p))}, reserve[p] = {3 Man(p)}\n",
        MEN.replace("Man(Black) times 3", "Man(Black) times 6"),
    )
    assert failure("example a\n  given reserve[White] = {5 Man(White)}\n  then field = {Man(White)}\n", MEN)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("given reserve[White] = {5 Man(White)}, field = {3 Man(White)}", "8 Man White are given in all"),
        ("for any p in Player\n  given reserve[p] = {4 Man(p)}", "4 Man Black are given in all, and there are 3"),
        ("let x = Man(White)\n  given reserve[White] = {x, x}", "Man White is given twice"),
        ("let x = Man(White)\n  given reserve[White] = {x}, field = {x}", "Man White is given twice"),
        ("let x = Man(White)\n  given reserve[White] = {x, 7 Man(White)}", "8 Man White are given in all"),
    ],
)
def test_pieces_that_can_not_be_given(given: str, message: str) -> None:
    assert message in failure(f"example a\n  {given}\n  then yes\n", MEN)


def test_what_is_left_open_must_not_matter() -> None:
    given = "  given hand[Ann] = {Island(1), Island(2)}\n  when Ann does drop_one\n"
    holds(f"example a\n{given}  then size of hand[Ann] = 1\n")
    assert "does not hold" in failure(f"example a\n{given}  then Island(1) in hand[Ann]\n")
    holds(
        "example a\n  given hand[Ann] = {Island(1), Island(2)}\n"
        "  when Ann does drop_one choosing {Island(2)}\n  then Island(1) in hand[Ann]\n"
    )
    holds(f"example a\n{given}  when Ann chooses Island(2)\n  then Island(1) in hand[Ann]\n")


def test_procedures_may_be_run() -> None:
    holds("example a\n  given hand[Ann] is empty, deck[Ann] is empty\n  when turn(Ann)\n  then everyone has lost\n")


SALE = """
game Sale "Sale"
const players = 2
component Lot
  Lot(worth: 1..3) one each
place stock bag of Lot hidden
place won[p: Player] set of Lot open
to sale
  draw 1 from stock to won[seat(1)] as lot
  seat(1) chooses n in 0..2
  if lot.worth > n: move lot to won[seat(2)]
to play: sale
"""


def test_what_is_not_done_can_not_be_needed_later() -> None:
    skipped = "example a\n  given stock = {Lot(3)}\n  at sale\n  when Ann chooses 2\n  then won[Ben] is empty\n"
    assert failure(skipped, SALE).startswith("'lot' would come from steps before this choice")
    holds("example a\n  given stock = {Lot(3)}\n  when sale choosing 2\n  then won[Ben] = {Lot(3)}\n", SALE)


def test_what_there_is_instead_of_an_answer() -> None:
    text = "game Two\nconst players = 2\nto play\n  seat(2) chooses n in 1..9\n  seat(1) chooses m in 1..2\n"
    wrong = "example a\n  when Ben chooses {}\n  when {} then yes\n"
    assert failure(wrong.format("10", "Ann chooses 1"), text) == (
        "refused: that is no option; there are 1, 2, 3, 4, 5 and 4 more"
    )
    assert failure(wrong.format("1", "Ann chooses 3"), text) == "refused: that is no option; there are 1, 2"


def test_without_a_position_the_game_is_set_up() -> None:
    found = holds("example a\n  then every p in Player: size of hand[p] = 2\n")
    assert found.cut


def test_setting_up_ends_before_what_may_be_done_in_the_game() -> None:
    text = FRAME.format(players=2) + (
        "to early\n  seat(1) may bump\nto turn\n  seat(2) may bump\nto play\n  repeat 5 times: turn\n"
    )
    text = text.replace("to setup: nothing", "to setup: early")
    holds("example a\n  then count_up <= 1\n", text)


def test_myths_must_fail() -> None:
    assert result("myth example a\n  given hand[Ann] = {Island(5)}\n  then hand[Ann] is empty\n").is_as_told
    assert not result("myth example a\n  given hand[Ann] = {Island(5)}\n  then hand[Ann] is filled\n").is_as_told


def test_other_options_need_another_game() -> None:
    game = game_of(TINY + "example a\n  given players = 3\n  then size of hand[Ann] = 2\n")
    (found,) = run_examples(game)
    assert found.verdict is Verdict.OTHER_OPTIONS
    (found,) = run_examples(game, lambda options: game_of(TINY + EXAMPLE, **options))
    assert found.verdict is Verdict.HOLDS


EXAMPLE = "example a\n  given players = 3\n  then size of hand[Cid] = 2\n"

DICE = FRAME.format(players=2) + (
    "const threes = 3\n"
    "action throw(p: Player)\n"
    "  roll 2 d6 as total\n"
    "  roll d6 as bonus\n"
    "  count_up := min(9, if total = 7 then bonus else 0)\n"
    "chance beats(m: 1..3)\n"
    "  roll m d6 as mine\n"
    "  roll d6 as theirs\n"
    "  again if mine = theirs\n"
    "  gives mine > theirs\n"
    "action fight(p: Player)\n"
    "  if beats(1): count_up := 1\n"
    "action ask(p: Player)\n"
    "  p chooses n in 1..3\n"
    "  p may bump\n"
    "  count_up += n\n"
    "to play\n"
    "  repeat: seat(1) chooses throw or fight or ask\n"
)


@pytest.mark.parametrize(
    "lines",
    [
        "when Ann does throw rolling 3, 4, 5\n  then count_up = 5",
        "when Ann does throw rolling 3, 3, 5\n  then count_up = 0",
        "when Ann does fight rolling 4, 4, 2, 1\n  then count_up = 1",
        "when Ann does fight\n  then count_up = 1 with odds 1/2",
        "when Ann does throw\n  then count_up >= 1 with odds 1/6",
        "when Ann does throw\n  then count_up = 0 with odds 1 - 1 / (2 * threes)",
        "for any n in 2..5\n  when Ann does throw\n  then count_up in 1..n with odds n / 36",
        "when Ann does ask choosing 2\n  then count_up = 2",
        "when Ann does ask choosing 2, bump\n  then count_up = 3",
        "when Ann does ask\n  when Ann chooses 3\n  when Ann passes\n  then count_up = 3",
        "when Ann does ask\n  then count_up <= 3",
    ],
)
def test_dice_answers_and_odds(lines: str) -> None:
    holds(f"example a\n  given count_up = 0\n  {lines}\n", DICE)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("when Ann does throw rolling 3, 4\n  then count_up = 5", "1 dice are rolled, and 0 are left|does not hold"),
        ("when Ann does throw rolling 3, 4, 5, 6\n  then count_up = 5", "not rolled: 6"),
        ("when Ann does throw rolling 3, 7, 5\n  then count_up = 5", "a die with 6 sides never shows 7"),
        ("when Ann does fight\n  then count_up = 1 with odds 1/3", "the odds are 1/2, not 1/3"),
        ("when Ann does ask\n  then count_up = 1 with odds 1/2", "the odds depend on an answer that is left open"),
        ("when Ann does ask choosing 2, 3\n  then count_up = 2", "1 of the answers .* Ann is asked for an action"),
        ("when Ann chooses 2\n  then yes", "asked for that: Ann is asked for an action, so the answer is one: throw"),
        ("when Ben does throw\n  then yes", "Ben is never asked for that"),
    ],
)
def test_dice_answers_and_odds_that_are_wrong(lines: str, message: str) -> None:
    import re

    assert re.search(message, failure(f"example a\n  given count_up = 0\n  {lines}\n", DICE))


def test_at_says_where_the_flow_stands() -> None:
    text = FRAME.format(players=2) + (
        "to first_half\n  seat(1) chooses bump\n"
        "to second_half\n  seat(1) chooses bump\n  count_up += 2\n"
        "to play\n  first_half\n  second_half\n"
    )
    holds(
        "example a\n  given count_up = 3\n  when Ann does bump\n  then count_up = 4, Ann is asked at second_half\n",
        text,
    )
    holds("example a\n  given count_up = 3\n  at second_half\n  when Ann does bump\n  then count_up = 6\n", text)


TWICE = FRAME.format(players=2) + (
    "to pick(p: Player)\n  p chooses bump\n"
    "to turn(p: Player)\n  pick(p)\n  if count_up < 9: pick(p)\n"
    "to play\n"
    "  repeat 3 times\n"
    "    for each p in Player: turn(p)\n"
    "  win for seat(2)\n"
)


@pytest.mark.parametrize(
    ("at", "who", "then"),
    [
        ("pick(Ann)", "Ann", "Ann is asked"),
        ("1st pick(Ann)", "Ann", "Ann is asked"),
        ("2nd pick(Ann)", "Ann", "Ben is asked"),
        ("3rd pick(Ann)", "Ann", "Ann is asked"),
        ("3rd turn(Ann)", "Ann", "Ann is asked"),
        ("6th pick(Ben)", "Ben", "Ben has won"),
    ],
)
def test_at_says_in_which_call_the_flow_stands(at: str, who: str, then: str) -> None:
    holds(f"example a\n  at {at}\n  when {who} does bump\n  then {then}\n", TWICE)


def test_there_are_no_more_calls_than_the_position_leads_to() -> None:
    step = "when Ben does bump\n  then yes\n"
    assert failure(f"example a\n  at 7th pick(Ben)\n  {step}", TWICE).endswith("asked for that in call 7 of pick")
    holds(f"example a\n  at 3rd pick(Ben)\n  {step}", TWICE)
    assert failure(f"example a\n  given count_up = 9\n  at 4th pick(Ben)\n  {step}", TWICE)
    endless = TWICE.replace("repeat 3 times", "repeat")
    holds(f"example a\n  at 7th pick(Ben)\n  {step}", endless)


def test_a_test_can_name_the_choice_where_the_flow_stops() -> None:
    text = FRAME.format(players=2) + (
        'action wait(p: Player) "{p} waits": nothing\n'
        "to watch(p: Player)\n  p may repeatedly bump or wait until count_up > 2\n"
        "to play\n  repeat\n    for each p in Player: watch(p)\n"
    )
    begin = "example a\n  given count_up = 0\n  when Ann does bump\n"
    holds(f"{begin}  then count_up = 1, Ann is asked at watch\n", text)
    holds(f"{begin}  when Ann passes\n  then count_up = 1, Ben is asked at watch\n", text)
    assert failure(f"{begin}  then count_up = 1\n", text) == "this leads on and on"


def test_odds_of_a_throw_that_reads_the_position_differ_from_position_to_position() -> None:
    game = game_of(
        'game Luck "Luck"\n'
        "state bonus: 0..3 = 0\n"
        "state hits: 0..9 = 0\n"
        'chance hit(n: 1..2) "more than 3"\n'
        "  roll n d6 as x\n"
        "  gives x + bonus > 3\n"
        "to fire\n"
        "  if hit(1): hits += 1\n"
        "to play: fire\n"
        "example plain\n  given bonus = 0\n  when fire\n  then hits = 1 with odds 1/2\n"
        "example lucky\n  given bonus = 1\n  when fire\n  then hits = 1 with odds 2/3\n"
        "example sure\n  given bonus = 3\n  when fire\n  then hits = 1 with odds 1\n"
    )
    assert [r.verdict for r in run_examples(game)] == [Verdict.HOLDS] * 3
