"""Plays: choosing, chance, undo, why not, results; saved plays that are read back, and ones that are damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from small_games import TINY, flow_game, game_of, texts

from seaspec.backends.interpreter.errors import RuleError
from seaspec.game import Game
from seaspec.play import Play, PlayError, random_play
from seaspec.strategies import plays, positions

GAME = game_of(TINY)


def test_a_play_from_a_seed_is_the_same_again() -> None:
    one, other = GAME.start(seed=7), GAME.start(seed=7)
    while not one.is_over:
        one.do(len(one.choices) // 2)
        other.do(len(other.choices) // 2)
        assert one.position == other.position
    assert one.result == other.result


def test_choices_may_be_given_as_text_index_or_value() -> None:
    play = GAME.start(seed=3)
    text = play.text(play.choices[1])
    for choice in (text, text.upper().replace(", ", " ,  "), 1, play.choices[1]):
        again = GAME.start(seed=3).do(choice)
        assert [move.text for move in again.history if move.player] == [text]


NUMBERED = """
game Numbered "N"
const players = 2
component Card
  Plain times 3
place table set of Card open
place shelf bag of Card open
action take(x: Card in shelf)
  move x to table
to setup
  move all Plain from box to shelf
to play
  seat(1) may take
  move (first x in Card) to shelf
"""


def test_of_identical_pieces_the_option_is_done_and_a_saved_play_is_the_same(tmp_path: Path) -> None:
    """Rules may go by the numbers of pieces: what is not offered is in no play, and so in no verdict."""
    game = game_of(NUMBERED)
    option = game.start().choices[0]
    other = replace(option, arguments=(2,))  # type: ignore[arg-type, type-var]
    played = game.start().do(other)
    assert played.position == game.start().do(option).position
    played.save(tmp_path / "numbered.play")
    assert Play.load(tmp_path / "numbered.play", game).position == played.position


def test_outcomes_may_be_given() -> None:
    game = flow_game("roll 2 d6 as total\ncount_up := total mod 10\nroll 1 d6 as other\nseat(1) may bump")
    play = game.start(outcomes=["7"])
    assert play.chance is not None and play.asked is None
    play.happen("3")
    assert play.asked == "Ann" and play.chance is None
    with pytest.raises(PlayError, match="'13' can not happen here"):
        game.start(outcomes=["13"])
    waiting = game.start(automatic=False)
    assert waiting.history == () and waiting.chance is not None
    with pytest.raises(PlayError, match="nobody is asked now"):
        waiting.do("bump")


def test_undo_takes_back_a_choice_and_the_luck_that_followed() -> None:
    play = GAME.start(seed=5)
    before = play.position
    play.do(0)
    after = play.position
    play.undo()
    assert play.position == before
    assert play.do(0).position == after
    play.undo()
    with pytest.raises(PlayError, match="no choice to take back"):
        play.undo()


def test_a_result_tells_why() -> None:
    play = random_play(GAME, Random(2))
    result = play.result
    assert result is not None and result.span is not None
    assert {*result.winners, *result.losers} == {"Ann", "Ben"}
    assert result.reason in ("the sea is full", "Ann can not go on", "Ben can not go on")
    if result.losers:
        assert result.cites == ("end.1",)


@pytest.mark.parametrize("move", ["lay(Card(hearts, 2))", "Lay( Card( hearts,2 ) )", "lay(Card hearts 2)"])
def test_a_piece_may_be_written_as_in_a_text(move: str) -> None:
    play = CARDS.start(seed=1)
    assert play.why_not("Ann", move) == () and play.do(move).is_over


def test_pieces_of_sets_and_shares_too() -> None:
    play = CARDS.start(seed=1).do("give").do("{Gold_card(clubs), Card(hearts, 1)}").do("Card(hearts, 2)")
    assert play.history[-2].text == "{Card hearts 1, Gold card clubs}" and play.is_over


CARDS = game_of("""game Cards "Cards"
const players = 1
type Suit = one of clubs, hearts
component Card(suit: Suit, rank: 1..2)
  Card one each
component Gold_card(suit: Suit)
  Gold_card one each
place heap set of Card or Gold_card open
to setup
  move all Card from box to heap
  move all Gold_card from box to heap
action lay(p: Player, c: Card) "{p} lays {c}"
  nobody wins
action give(p: Player) "{p} gives"
  p chooses 2 of heap as gift
    move gift to box
  p chooses c in heap
    nobody wins
to play
  seat(1) chooses lay or give
""")


def test_states_and_defines_can_be_read() -> None:
    text = (
        'game Read "Read"\nconst players = 2\ntype Mood = one of calm, wild\ncomponent Card(rank: 1..2)\n'
        "  Card one each\nstate points[p: Player]: 0..9 = 3\nstate mood: Mood = wild\nstate last: Card or none = none\n"
        "define worth(c: Card, n: 1..3): 0..9 = c.rank * n\ndefine fair = points[seat(1)] = points[seat(2)]\n"
        "define third: 1..9 = 12 / (points[seat(1)] - 2)\n"
        'action gain(p: Player) "{p} gains": points[p] += 1\nto play\n  seat(1) chooses gain\n  last := Card(2)\n'
        "  seat(1) chooses gain\n"
    )
    play = game_of(text).start(seed=1)
    assert [play.value(words) for words in ("points[Ann]", "fair", "mood", "last")] == [3, True, "wild", None]
    assert play.do("gain").value("points[ann]") == 4 and play.value("fair") is False
    assert play.value("last") == "Card 2" and play.value("worth(Card(2), 3)") == play.value("worth(Card 2, 3)") == 6
    for wrong in ("point[Ann]", "points", "points[Zoe]", "points[Ann, 1]", "worth(Card 2)", "fair(2)", "", "mood["):
        with pytest.raises(PlayError):
            play.value(wrong)


def test_why_not_names_the_guard_its_values_and_its_clause() -> None:
    play = GAME.start(outcomes=[]).draw_from(1)
    card = next(text for text in texts(play) if text.startswith("lay("))
    play.do(card)
    name, cell = card.removeprefix("lay(").removesuffix(")").split(", ")
    hand = play.view("Ben").places["hand[Ben]"].contents
    assert hand is not None
    own = next(title for title in hand if title.startswith("Island"))
    reasons = play.why_not("Ben", f"lay({own}, {cell})")
    assert "free" in [reason.guard for reason in reasons]
    free = next(reason for reason in reasons if reason.guard == "free")
    assert free.text == "the cell is taken" and free.cites == ("lay.1",)
    assert str(free).endswith("[lay.1]")
    assert f"{name} is not in hand[Ben]" in [r.text for r in play.why_not("Ben", f"lay({name}, {cell})")]
    assert "it is not your turn: Ben is asked" in [r.text for r in play.why_not("Ann", f"lay({own}, {cell})")]


def test_why_not_finds_the_witness_of_a_guard() -> None:
    things = (
        "action push(p: Player, n: 1..9)\n"
        '  needs lower: no x in 1..9 where x < n: x mod 3 = 0 "{x} must be pushed first"\n'
        '  needs all_small: every x in 1..n: x < 8 "{x} is too large"\n'
        "  count_up := n\n"
        "action pull(p: Player, n: 1..9)\n"
        "  let m = n + 2\n"
        '  needs weak: every x in 3..4: x != m "{m} is too much, {x}"\n'
        "  count_up := m\n"
    )
    play = flow_game("seat(1) chooses push or pull", things).start(seed=1)
    assert play.why_not("Ann", "push(2)") == ()
    assert [reason.text for reason in play.why_not("Ann", "pull(2)")] == ["4 is too much, 4"]
    assert [reason.text for reason in play.why_not("Ann", "push(9)")] == ["3 must be pushed first", "8 is too large"]
    (reason,) = play.why_not("Ann", "bump")
    assert reason.text == "bump is not on the menu here: you are asked for push or pull"
    with pytest.raises(PlayError, match="there is no action fly"):
        play.why_not("Ann", "fly")


def test_rules_that_fail_leave_the_play_where_it_was() -> None:
    play = flow_game("seat(1) chooses n in 8..9\ncount_up := 2\ncount_up += n").start(seed=1)
    with pytest.raises(RuleError):
        play.do("9")
    assert play.asked == "Ann" and play.history == ()


# --------------------------------------------------------------------------------------------------------- saved plays


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(plays(GAME, 30))
def test_saved_plays_are_read_back(tmp_path_factory: pytest.TempPathFactory, play: Play) -> None:
    path = tmp_path_factory.mktemp("saved") / "a.play"
    play.save(path)
    again = Play.load(path, GAME)
    assert again.position == play.position and again.history == play.history and again.result == play.result
    assert [again.view(p) for p in GAME.players] == [play.view(p) for p in GAME.players]
    assert [p.name for p in path.parent.iterdir()] == ["a.play"]
    if not play.is_over:
        assert again.do(0).position == play.do(0).position


def saved(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "x.play"
    random_play(GAME, Random(4)).save(path)
    return path, json.loads(path.read_text())


def damaged(tmp_path: Path, change: Any, game: Game = GAME) -> str:
    path, data = saved(tmp_path)
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(PlayError) as caught:
        Play.load(path, game)
    return str(caught.value)


def test_a_cut_file(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    path.write_text(path.read_text()[:-50])
    with pytest.raises(PlayError, match=r"this is no JSON .*; was the file cut"):
        Play.load(path, GAME)
    path.write_bytes(b"\xff\xfe\x00\x00")
    with pytest.raises(PlayError, match="this is no text file"):
        Play.load(path, GAME)


def test_damaged_plays(tmp_path: Path) -> None:
    assert damaged(tmp_path, lambda d: d.update(format="x")).startswith("this is no saved play")
    assert "version 9" in damaged(tmp_path, lambda d: d.update(version=9))
    assert damaged(tmp_path, lambda d: d.pop("moves")) == 'the file: "moves" is missing'
    assert damaged(tmp_path, lambda d: d.update(moves={})) == "moves: a list was expected, not dict"
    assert damaged(tmp_path, lambda d: d["moves"].insert(0, 3)) == "move 1: an object was expected, not int"
    assert "were moves cut?" in damaged(tmp_path, lambda d: d["moves"].pop())
    assert "winners" in damaged(tmp_path, lambda d: d["result"].update(winners=["Zoe"]))
    assert "a whole number or null" in damaged(tmp_path, lambda d: d.update(seed="7"))
    assert "is no option here" in damaged(tmp_path, lambda d: _first_choice(d).update(does="lay(Island 99, A1)"))
    assert "is asked" in damaged(tmp_path, lambda d: _first_choice(d).update(player="Ben"))
    assert "can not happen here" in damaged(tmp_path, lambda d: d["moves"][0].update(chance="Island 99"))
    assert "move 1, chance: a text was expected" in damaged(tmp_path, lambda d: d["moves"][0].update(chance=7))


def _first_choice(data: dict[str, Any]) -> dict[str, Any]:
    return next(move for move in data["moves"] if "does" in move)


def test_other_rules(tmp_path: Path) -> None:
    changed = game_of(TINY.replace("draw 2 from deck[p]", "draw 3 from deck[p]"))
    message = damaged(tmp_path, lambda d: None, changed)
    assert "the rules have changed since" in message
    assert "-    draw 2 from deck[p] to hand[p]" in message and "+    draw 3 from deck[p] to hand[p]" in message
    three = game_of(TINY, players="3")
    assert "players: '2' then, '3' now" in damaged(tmp_path, lambda d: None, three)
    assert "the file was edited" in damaged(tmp_path, lambda d: d["rules"].update(digest="0"))


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(positions(GAME, 10))
def test_positions_rest_at_a_node(state: object) -> None:
    assert GAME.machine.node(state) is not None  # type: ignore[arg-type]
