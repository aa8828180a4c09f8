"""`seaspec why`: at the start, in a saved play, in an example, after random choices; for actions and other answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import ISLETS, TIC_TAC_TOE, TRICKS, seaspec

from seaspec.cli.why import explain
from seaspec.loading import load


def test_a_legal_move() -> None:
    ran = seaspec("why", TIC_TAC_TOE, "draw_sign(B2)")
    assert ran.code == 0
    assert ran.lines[0] == "draw_sign(B2) by Cross: legal"
    assert "  it is option 5 of 9" in ran.lines
    assert "    needs free: mark[c] is none" in ran.lines


def test_a_guard_that_forbids_with_clause_sentence_and_values() -> None:
    ran = seaspec("why", "calm", "play(Island 6, A1)", "--set", "players=2", "--example", "between")
    assert ran.code == 1
    assert "  free: A1 is taken" in ran.lines
    assert "    size of field[A1] = 1" in ran.lines
    assert any("[play.3] The place must be an empty cell" in line for line in ran.lines)
    assert any("needs free: field[cell] is empty   spec/calm.sea:" in line for line in ran.lines)


def test_the_same_as_json() -> None:
    ran = seaspec("why", "calm", "play(Island 6, A1)", "--example", "between", "--json")
    assert ran.code == 1
    found = json.loads(ran.out)
    assert found["legal"] is False and found["player"] == "Ann"
    reason = next(reason for reason in found["reasons"] if reason["guard"] == "free")
    assert reason["text"] == "A1 is taken"
    assert reason["written"] == "needs free: field[cell] is empty"
    assert reason["values"] == {"size of field[A1]": "1"}
    assert reason["cites"] == ["play.3"] and "empty cell" in reason["clauses"]["play.3"]
    assert "field[cell]" in reason["test"]


def test_whose_turn_it_is_and_all_guards_at_once() -> None:
    ran = seaspec("why", "calm", "finish(Finish)", "--player", "ben")
    assert ran.code == 1
    assert "it is not your turn: Ann is asked" in ran.out
    assert "complete: the sea is not full" in ran.out
    assert "started: no Start has been laid" in ran.out


def test_another_menu() -> None:
    ran = seaspec("why", ISLETS, "steer(Sloop Light 1, north)")
    assert ran.code == 1
    assert "steer is not on the menu here: you are asked for land or claim" in ran.out
    assert "other: it heads there" in ran.out


def test_after_random_choices_and_with_the_board() -> None:
    runs = [seaspec("why", TIC_TAC_TOE, "draw_sign(A1)", "--after", "8", "--seed", "2", "--board") for _ in range(2)]
    assert runs[0].out == runs[1].out
    rows = [line for line in runs[0].lines if line[:1] in ("1", "2", "3")]
    assert "".join(rows).count(".") == 1


def test_names_keep_their_names_and_nothing_is_told_twice() -> None:
    ran = seaspec("why", ISLETS, "steer(Sloop Light 1, north)")
    assert "    w = north" in ran.lines and "north = north" not in ran.out
    ran = seaspec("why", "calm", "play(Island 12, B1)", "--example", "between")
    assert "    price(Island 12.number, B1) = 33" in ran.lines


def test_after_the_end() -> None:
    ran = seaspec("why", TIC_TAC_TOE, "draw_sign(A1)", "--after", "50")
    assert ran.code == 1
    assert "the game is over there" in ran.err


def test_in_a_saved_play(tmp_path: Path) -> None:
    path = tmp_path / "a.play"
    load(TIC_TAC_TOE).start(seed=1).do("draw_sign(C3)").save(path)
    taken = seaspec("why", TIC_TAC_TOE, "draw_sign(C3)", "--play", str(path))
    assert taken.code == 1 and "C3 is taken" in taken.out
    free = seaspec("why", TIC_TAC_TOE, "draw_sign(A1)", "--play", str(path))
    assert free.code == 0 and free.lines[0] == "draw_sign(A1) by Nought: legal"


def test_in_an_example_that_is_refused() -> None:
    ran = seaspec("why", TIC_TAC_TOE, "draw_sign(B2)", "--example", "taken")
    assert ran.code == 1
    assert ran.lines[0] == "draw_sign(B2) by Nought: not legal"
    assert ran.lines[2:4] == ["  free: B2 is taken", "    mark[B2] = Cross"]


def test_in_an_example_with_other_options() -> None:
    ran = seaspec("why", "calm", "drop_two", "--example", "set_up_two", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["reasons"][0]["text"] == "you cannot discard two cards"


def test_answers_that_are_no_actions() -> None:
    game = load(ISLETS)
    play = game.start(seed=1)
    while play.menu != "offer":
        play.do(0)
    assert explain(play, play.asked or "", "2").data["legal"]
    refused = explain(play, play.asked or "", "9")
    assert not refused.data["legal"]
    assert refused.data["reasons"][0]["text"].endswith("is asked (offer): '9' is no option here")


def test_guards_are_silent_about_what_a_player_can_not_choose() -> None:
    play = load(TRICKS).start(seed=1)
    who = play.asked or ""
    view = play.view(who)
    held = view.places[f"hand[{who}]"].contents or ()
    other = next(piece.title for piece in play.game.rules.pieces if piece.title not in held)
    openly = explain(play, who, f"play_card({other})")
    closely = explain(play, who, f"play_card({other})", openly=False)
    assert len(closely.data["reasons"]) == 1 <= len(openly.data["reasons"])
    assert closely.data["reasons"][0]["text"] == f"{other} is not in hand[{who}]"


@pytest.mark.parametrize("move", ["DRAW_SIGN( b2 )", "draw_sign(B2)", " draw_sign(B2)"])
def test_case_and_blanks_do_not_matter(move: str) -> None:
    assert seaspec("why", TIC_TAC_TOE, move).code == 0


def test_tags_of_a_module_are_told_as_the_clauses_of_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tag turn.1 of the module stands for turn.2 of the game, whose own turn.1 is another clause."""
    monkeypatch.chdir(tmp_path)
    Path("rulebooks").mkdir()
    Path("rulebooks/own.md").write_text(
        "# Own\n\n## Clauses\n\n| id | clause |\n|---|---|\n| turn.1 | Draw a card. |\n| turn.2 | Go one field. |\n"
    )
    Path("rulebooks/both.md").write_text(
        "# Both\n\n## Tags\n\n| tag | meaning | Own | Other | differs |\n|---|---|---|---|---|\n"
        "| turn.1 | One step. | turn.2 | - | - |\n"
    )
    Path("own.sea").write_text(
        "module both\nrulebook both\nstate spot: 0..9 = 0\naction go(p: Player)\n"
        '  needs low: spot < 0 "too far" cites turn.1\n  spot += 1\n'
        'game Own "Own"\nrulebook own\nuses both\nto play\n  seat(1) may go\n  seat(1) chooses wait\n'
        'action wait(p: Player)\n  needs own_first: spot = 0 "wait" cites turn.1\n'
    )
    ran = seaspec("why", "own.sea", "go")
    assert "    [turn.2] Go one field." in ran.lines and "turn.1" not in ran.out
    assert "    [turn.1] Draw a card." in [line[2:] for line in seaspec("why", "own.sea", "wait").lines]
    found = json.loads(seaspec("why", "own.sea", "go", "--json").out)
    (reason,) = [reason for reason in found["reasons"] if reason["guard"] == "low"]
    assert reason["cites"] == ["turn.2"] and reason["clauses"] == {"turn.2": "Go one field."}


def test_defines_that_call_themselves_and_what_has_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a guard would not come to is looked at, too, when it is found out what this player sees."""
    monkeypatch.chdir(tmp_path)
    Path("climb.sea").write_text(
        """game Climb "Climb"
const players = 2
state deep: 0..9 = 5
state code[p: Player]: 0..9 = 0
define down(n: 0..9): 0..9 shrinking n = if n = 0 then 0 else down(n - 1)
action act(p: Player) "{p} acts"
  needs big: down(deep) > 0 "it is {down(deep)}"
  needs right: if deep > 9 then code[seat(deep)] = 1 else deep = 9 "{deep} is not 9"
action rest(p: Player): nothing
to play
  for each p in Player: p chooses act or rest
"""
    )
    ran = seaspec("why", "climb.sea", "act", "--player", "Ann")
    assert ran.code == 1 and "big: it is 0" in ran.out and "Traceback" not in ran.err
