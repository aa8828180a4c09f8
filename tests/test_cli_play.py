"""`seaspec play`: transcripts at the terminal and as JSON lines, secrets at one keyboard, undo, saving."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_runner import DICE_RACE, ISLETS, LIARS_DICE, TIC_TAC_TOE, TRICKS, Ran, seaspec

from seaspec.cli.playing import keeping as play_keeping
from seaspec.cli.playing.question import Question
from seaspec.cli.playing.session import Session, has_secret_offers, has_secrets_between
from seaspec.loading import load
from seaspec.play import PlayError


@pytest.fixture(autouse=True)
def last_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where plays are kept of which nothing is said."""
    folder = tmp_path / "kept"
    monkeypatch.setattr(play_keeping, "LAST", folder / "last.play")
    monkeypatch.setattr(play_keeping, "BEFORE", folder / "previous.play")
    return folder / "last.play"


def typed(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


# ---------------------------------------------------------------------------------------------------------- transcripts


def test_a_whole_game_of_tic_tac_toe() -> None:
    moves = typed("draw_sign(B2)", "A1", "draw_sign(C3)", "1", "draw_sign(A2)", "draw_sign(C2)", "draw_sign(B3)")
    ran = seaspec("play", TIC_TAC_TOE, typed=moves + typed("draw_sign(B3)", "draw_sign(C1)", "draw_sign(B1)"))
    assert ran.code == 0, ran.err
    assert "Pass the keyboard" not in ran.out  # nothing is secret
    assert "\n3  . . .\n2  . C .\n1  . . .\n   A B C\n\n  C Cross\n" in ran.out
    assert "  Cross marks B2\n" in ran.out
    assert "  Nought marks A1\n" in ran.out
    assert "has won: " in ran.out or "Nobody wins" in ran.out


def test_options_are_listed_and_chosen_by_number() -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed("4"))
    assert "Cross: turn\n   1 Cross marks A1 " in ran.out
    assert "   4 Cross marks A2" in ran.out
    assert "  Cross marks A2\n" in ran.out
    assert "You have left the table; the play is not over." in ran.out


def test_why_not_with_the_words_of_the_rules() -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed("draw_sign(B2)", "draw_sign(B2)", "B2", "why B2", "why C3"))
    assert ran.out.count("free: B2 is taken") == 3
    assert "needs free: mark[c] is none   tests/cases/games/tic_tac_toe.sea:" in ran.out
    assert "draw_sign(C3) by Nought: legal" in ran.out


@pytest.mark.parametrize("game", [TIC_TAC_TOE, ISLETS, "calm", "pirate_bay"])
def test_no_question_ends_the_play(game: str) -> None:
    actions = load(game).rules.actions
    words = [form for action in actions for form in (action, f"{action}()", f"{action} north", f"{action}(x, y, z)")]
    asked = typed("", *(f"why {word}" for word in words), *words[:0], "quit")
    ran = seaspec("play", game, "--as", load(game).players[0], "--seed", "1", typed=asked)
    assert ran.code == 0, ran.err
    assert "You have left the table; the play is not over.\n" in ran.out


def test_why_tells_the_options_of_an_action_or_what_stands_against_all() -> None:
    words = ["play", ISLETS, "--as", "Light", "--seed", "1"]
    ran = seaspec(*words, typed=typed("why land", "why claim", "why steer", "why steer north", "why laod(x)"))
    assert "land(b, c)\n  can be done now, such as:\n    land(" in ran.out
    assert ran.out.count("steer is not on the menu here: you are asked for land or claim") == 2
    assert "there is no action laod; did you mean 'land'?" in ran.out


@pytest.mark.parametrize("path", ["~nosuchuser/x", "a\0b", "\udc80\ud800"])
def test_names_that_no_file_can_have(path: str) -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed(f"save {path}", f"load {path}", "1"))
    assert ran.code == 0 and "Cross marks A1\n" in ran.out
    assert ran.out.count("there is no such user" if "~" in path else "is no name of a file") == 2
    refused = seaspec("play", TIC_TAC_TOE, "--save", path)
    assert refused.code == 1 and "seaspec itself failed" not in refused.err
    told = seaspec("play", TIC_TAC_TOE, "--json", typed=json.dumps({"save": path}) + "\n")
    assert [event["event"] for event in events(told)] == ["start", "asked", "refused", "left"]


def test_words_that_mean_nothing() -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed("zz", "why", "why zz", "77", "draw_sign", "save", "load", "undo"))
    assert "'zz' is no option here" in ran.out
    assert "why what?" in ran.out
    assert "'zz' is not understood" in ran.out
    assert "'77' is no option here" in ran.out
    assert "save where?" in ran.out and "load what?" in ran.out
    assert "there is no choice to take back" in ran.out


def test_many_options_are_told_by_what_there_is_to_choose() -> None:
    ran = seaspec("play", "calm", "--seed", "3", "--set", "players=2", typed=typed("", "play 45", "45 B3", "", ""))
    assert "180 options" in ran.out
    assert "    card: Island 5, Island 8, Island 35, Island 45, Island 61\n    cell: any\n" in ran.out
    assert " 144 Ann plays Island 45 in E5\n" in ran.out
    assert "Ann plays Island 61 in" not in ran.out
    assert "Pass the keyboard to Ben. Ben, press Enter." in ran.out


def test_commands_in_any_case_and_help_from_the_options_at_hand() -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed("HELP", "Options", "", "12", "3", "Undo", "QUIT"))
    assert "  B2                 the option with these words" in ran.out
    assert "  why B2             why this" in ran.out
    assert ran.out.count("Cross: turn") == 4
    assert "'12' is no option here; there are 9, such as 'B2'; Enter tells" in ran.out
    assert "The last choice of Cross is taken back." in ran.out and "You have left the table" in ran.out


def test_help_board_log_and_options() -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed("1", "help", "board", "log", "options", "quit"))
    assert "take back the last choice" in ran.out
    assert ran.out.count("1  C . .") == 2
    assert ran.out.count("  Cross marks A1\n") == 2
    assert ran.out.count("Nought: turn") == 2


def test_nobody_sees_the_secrets_of_the_one_before() -> None:
    ran = seaspec(
        "play", "calm", "--seed", "3", "--set", "players=2", typed=typed("", "play(Island 45, B3)", "", "", "1")
    )
    ann, ben = ran.out.split("Pass the keyboard to Ben.")
    assert ann.count("  Ann plays Island 45 in B3\n") == 1  # what came of it
    assert ann.endswith("Ann, press Enter, and the screen is wiped. ")
    assert "Island 61" in ann
    for hidden in ("Island 61", "Island 5,", "Island 35"):
        assert hidden not in ben
    assert "the hand of Ann: 5 unseen" in ben


def test_what_can_be_typed_when_the_keyboard_is_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "a.play"
    moves = typed(
        "help", "", "play(Island 45, B3)", f"save {path}", "zz", "", "undo", "", "play(Island 45, B4)", "undo"
    )
    ran = seaspec("play", "calm", "--seed", "3", "--set", "players=2", typed=moves + typed("quit"))
    assert path.exists()
    assert "press Enter to go on; undo, save, load, quit and help can be typed, too" in ran.out
    assert ran.out.count("The last choice of Ann is taken back.") == 2
    assert ran.out.count("Pass the keyboard to Ann.") == 2 + 1  # help asks again
    assert ran.out.count("Ann: what Ann may do") == 3 and "Ben: what" not in ran.out
    assert "You have left the table" in ran.out


def test_a_bot_plays_the_other_side() -> None:
    for words in (["--as", "nought"], ["--bots", "Cross"]):
        ran = seaspec("play", TIC_TAC_TOE, *words, "--seed", "5", typed="")
        assert re.search(r"\n  Cross marks \w\d\n", ran.out)
        assert "Nought: turn" in ran.out and "Cross: turn" not in ran.out


def test_the_title_comes_first_and_bots_say_that_they_think() -> None:
    ran = seaspec("play", TIC_TAC_TOE, "--as", "Nought", "--bots", "mcts:20", "--seed", "5", typed=typed("1"))
    assert ran.lines[0].startswith("Tic-tac-toe: Cross, Nought.")
    assert ran.lines[2] == "Cross is thinking .." and ran.out.count("Cross is thinking ..") == 2
    assert "thinking" not in seaspec("play", TIC_TAC_TOE, "--as", "Nought", typed="").out


def test_the_end_is_told_in_the_words_of_the_rules() -> None:
    ran = seaspec("play", TIC_TAC_TOE, typed=typed(*["1"] * 9))
    assert ran.lines[-2].endswith("has won: Cross has three in a row")
    calm = seaspec("play", "calm", "--as", "Ann", "--seed", "1", typed=typed(*["1"] * 400))
    assert not re.search(r"^  \[\w+\.\w+\]", calm.out, re.MULTILINE)


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    ran = seaspec("play", TIC_TAC_TOE, "--as", "Nought", "--seed", "5", typed=typed("1", "undo", "1", "undo", "undo"))
    assert ran.out.count("The last choice of Nought is taken back.") == 2
    assert "there is no choice to take back" in ran.out
    boards = re.findall(r"3  .*\n2  .*\n1  .*\n", ran.out)
    assert boards[0] == boards[2] == boards[4]
    assert boards[1] == boards[3]


def test_an_action_with_the_name_of_a_command_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "log.sea"
    path.write_text(
        'game Log "Log"\noption players: 1..2 = 1\nstate number: 0..9 = 0\n'
        'action log(p: Player) "{p} logs"\n  number += 1\n'
        "action halt(p: Player): nothing\nto play\n  repeat 2 times\n"
        "    for each p in Player: p chooses log or halt\n"
    )
    ran = seaspec("play", str(path), typed=typed("log", "/log", "halt"))
    assert "  Ann logs\n" in ran.out
    assert "The play goes on" not in ran.out and "the game is over" in ran.out


def test_saving_and_going_on(tmp_path: Path) -> None:
    path = tmp_path / "my.play"
    first = seaspec("play", TIC_TAC_TOE, "--seed", "1", typed=typed("draw_sign(B2)", f"save {path}", "quit"))
    assert f"Saved in {path}." in first.out
    second = seaspec("play", TIC_TAC_TOE, "--load", str(path), typed=typed("draw_sign(A1)", f"load {path}"))
    assert second.out.count("2  . C .\n1  . . .") == 2
    assert "2  . C .\n1  N . ." in second.out
    missing = seaspec("play", TIC_TAC_TOE, typed=typed(f"save {tmp_path}/no/such", f"load {tmp_path}/no/such"))
    assert missing.out.count("No such file or directory") == 2


def test_a_play_is_kept_after_each_choice(last_play: Path) -> None:
    first = seaspec("play", TIC_TAC_TOE, "--as", "Nought,Cross", "--seed", "1", typed=typed("5", "1"))
    assert first.lines[-1] == f"It is saved: seaspec play {TIC_TAC_TOE} --as Nought,Cross --load {last_play}"
    second = seaspec("play", TIC_TAC_TOE, "--load", str(last_play), typed=typed("7", "quit"))
    assert second.code == 0 and "3  . . C\n2  . C .\n1  N . .\n" in second.out
    assert len(json.loads(last_play.read_text())["moves"]) == 3
    assert len(json.loads((last_play.parent / "previous.play").read_text())["moves"]) == 2
    nothing = seaspec("play", TIC_TAC_TOE, typed="")
    assert "It is saved" not in nothing.out
    assert len(json.loads(last_play.read_text())["moves"]) == 3


def test_a_play_that_is_over_can_be_looked_at(last_play: Path) -> None:
    ran = seaspec("play", DICE_RACE, "--seed", "2", typed=typed(*["go_on", "halt"] * 60))
    assert ran.lines[-1] == f"It is saved: seaspec replay {last_play}"
    assert seaspec("replay", str(last_play)).code == 0


@pytest.mark.parametrize("place", ["", ".", "no/such/place", "/dev/null"])
def test_where_nothing_can_be_saved_is_told_at_once(place: str, tmp_path: Path) -> None:
    ran = seaspec(
        "play", TIC_TAC_TOE, "--save", place if place[:1] in ("", "/") else str(tmp_path / place), typed="1\n"
    )
    assert ran.code == 1 and ran.out == "" and "seaspec itself failed" not in ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_who_interrupts_a_play_does_not_lose_it(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "a.play"
    words = [sys.executable, "-m", "seaspec", "play", TIC_TAC_TOE, "--save", str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    before = signal.signal(number, signal.SIG_DFL)  # under nohup one of them is ignored
    with subprocess.Popen(words, text=True, **pipes) as process:  # type: ignore[call-overload]
        signal.signal(number, before)
        process.stdin.write("1\n")
        process.stdin.flush()
        while not path.exists():
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert f"It is saved: seaspec play {TIC_TAC_TOE} --save {path} --load {path}" in out
    assert len(json.loads(path.read_text())["moves"]) == 1


def test_a_play_of_another_game_and_its_options(tmp_path: Path) -> None:
    path = tmp_path / "a.play"
    seaspec("play", "calm", "--set", "players=2", "--seed", "1", "--save", str(path), typed=typed(""))
    other = seaspec("play", "calm + reefs", "--load", str(path))
    assert other.code == 1 and f"{path} is a play of Calm, and this is Calm + Reefs" in other.err
    assert "seaspec play calm --load" in other.err
    same = seaspec("play", "calm", "--load", str(path), typed="")
    assert same.code == 0 and "players=2" in same.lines[1]
    changed = seaspec("play", "calm", "--set", "players=3", "--load", str(path))
    assert changed.code == 1 and f"{path}: rules, options" in changed.err


@pytest.mark.parametrize("words", [["--as", ""], ["--bots", ""], ["--as", "Cross,"]])
def test_names_that_are_left_out(words: list[str]) -> None:
    ran = seaspec("play", TIC_TAC_TOE, *words)
    assert ran.code == 1 and "wants names of players" in ran.err and "Cross, Nought" in ran.err


def test_save_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "end.play"
    seaspec("play", TIC_TAC_TOE, "--save", str(path), typed=typed("1"))
    assert len(json.loads(path.read_text())["moves"]) == 1


def test_sets_are_chosen_by_numbers_or_names() -> None:
    words = ["play", "calm", "--seed", "3", "--set", "players=2", "--as", "Ann"]
    wrong = seaspec(*words, typed=typed("drop_two", "1 2 3", "1 9", "Island 99"))
    assert "choose 2 (dropped)" in wrong.out and "  1 Island 5     2 Island 8 " in wrong.out
    assert "2 are to be chosen here, not 3" in wrong.out
    for answer in ("1 3", "Island 35, Island 5", "{island 5, island 35}"):
        ran = seaspec(*words, typed=typed("drop_two", answer))
        assert "  Ann: {Island 5, Island 35}\n" in ran.out


def test_shares_and_numbers(tmp_path: Path) -> None:
    moves = [
        "land(Sloop Light 2, B2)", "pass", "claim(D3)", "pass", "1", "2", "{}", "2 Gold", "1 to A3, 1 to C3",
    ]  # fmt: skip
    ran = seaspec("play", ISLETS, "--seed", "1", typed="".join(f"\n\n{move}\n" for move in moves))
    assert "Light: offer: choose n\n  0, 1, 2\n" in ran.out
    assert "Light: round: share out 2 (posts)" in ran.out
    assert "choose 0 to 1 (spent)" in ran.out


def test_a_play_of_the_dice_race_ends_with_its_rule() -> None:
    ran = seaspec("play", DICE_RACE, "--seed", "2", typed=typed(*["go_on", "halt"] * 60))
    assert ran.code == 0
    assert re.fullmatch(
        r"(?:Ann|Ben)> (Ann|Ben) has won: \1 has reached the goal|(Ann|Ben) has won: \2 .*", ran.lines[-2]
    )


# ----------------------------------------------------------------------------------------------------------------- JSON


def events(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.lines]


def test_json_events() -> None:
    answers = typed("0", "draw_sign(A1)", '"draw_sign(B2)"', "[]", "99")
    ran = seaspec("play", TIC_TAC_TOE, "--json", "--seed", "1", typed=answers)
    assert ran.code == 0 and ran.err == ""
    found = events(ran)
    kinds = " ".join(event["event"] for event in found)
    assert kinds == "start asked asked refused asked refused refused left"
    start, first, second, refused, third, no_answer, no_index, _ = found
    assert start["players"] == start["people"] == ["Cross", "Nought"]
    assert first["player"] == "Cross" and first["number"] == 9 and first["choices"][0] == "draw_sign(A1)"
    assert second["states"]["mark[A1]"] == "Cross" and second["log"] == ["Cross: draw_sign(A1)"]
    assert refused["reasons"] == ["A1 is taken (mark[A1] = Cross)"]
    assert third["player"] == "Cross"
    assert "expected" in no_answer["message"] and "99" in no_index["message"]


def test_json_reasons_tell_no_more_than_the_player_may_know() -> None:
    def run(*answers: str) -> list[dict[str, Any]]:
        return events(seaspec("play", TRICKS, "--json", "--seed", "1", typed=typed(*answers)))

    hand = [event for event in run("0") if event["event"] == "asked"][1]["places"]["hand[Cid]"]
    cards = [f"Card {suit} {rank}" for suit in ("clubs", "diamonds", "hearts", "spades") for rank in range(7, 15)]
    others = [card for card in cards if card not in hand]
    assert len(hand) + len(others) == 32
    refused = [event for event in run("0", *(f"play_card({card})" for card in others)) if event["event"] == "refused"]
    assert [event["reasons"] for event in refused] == [[f"{card} is not in hand[Cid]"] for card in others]


def test_json_until_the_end() -> None:
    ran = seaspec("play", TIC_TAC_TOE, "--json", typed=typed(*["0"] * 9))
    over = events(ran)[-1]
    assert over["event"] == "over"
    assert over["winners"] == ["Cross"] and over["losers"] == ["Nought"]
    assert over["reason"] == "Cross has three in a row"


def test_json_commands(tmp_path: Path) -> None:
    path = tmp_path / "a.play"
    lines = ["0", json.dumps({"save": str(path)}), "0", '{"undo": true}', json.dumps({"load": str(path)})]
    ran = seaspec("play", TIC_TAC_TOE, "--json", typed=typed(*lines, '{"load": "/no/such"}'))
    found = events(ran)
    assert [event["number"] for event in found if event["event"] == "asked"] == [9, 8, 8, 7, 8, 8]
    assert found[-2]["event"] == "refused"


def test_a_program_can_play_every_game_by_index() -> None:
    for game, answers in ((TIC_TAC_TOE, "0"), (DICE_RACE, "01"), (TRICKS, "0"), (ISLETS, "0"), ("calm", "0")):
        ran = seaspec("play", game, "--json", "--seed", "1", typed=typed(*answers * 400))
        assert events(ran)[-1]["event"] == "over", game


def test_a_die_that_another_player_sees_is_not_told() -> None:
    """Neither in words nor as data."""
    dice = LIARS_DICE
    for words in ((), ("--json",)):
        ran = seaspec("play", dice, *words, "--as", "Ben", "--bots", "Ann=random", "--seed", "2", typed="")
        assert "Ann rolls in secret" in ran.out and "die[Ann]" not in ran.out and "die: Ann" not in ran.out


def test_one_seed_gives_one_play_against_bots() -> None:
    runs = [seaspec("play", TRICKS, "--json", "--as", "Ann", "--seed", "8", typed=typed(*["0"] * 9)) for _ in range(2)]
    assert runs[0].out == runs[1].out


# ------------------------------------------------------------------------------------------------------------ questions


@pytest.mark.parametrize("game", [TIC_TAC_TOE, DICE_RACE, TRICKS, ISLETS, "calm", "calm + storms", "calm + reefs"])
def test_every_option_can_be_typed(game: str) -> None:
    play = load(game).start(seed=4)
    random = Random(4)
    for _ in range(60):
        if play.options is None:
            break
        question = Question(play, 100)
        assert question.who in question.headline()
        assert question.lines()
        question.listed(question.options)
        for option in question.options:
            assert not question.are_numbered or question.exact(str(option.number)) == option.text
            assert question.exact(option.told) == option.text
        choice = play.options.random(random)
        text = question.notation.text(choice)
        play.do(question.exact(text) or text)


@pytest.mark.parametrize("game", [TIC_TAC_TOE, DICE_RACE, "admiral", "pirate_bay"])
def test_what_nobody_sees_is_no_secret_between_players(game: str) -> None:
    assert not has_secrets_between(load(game))


def test_secrets_between_players_are_known() -> None:
    assert has_secrets_between(load(ISLETS))
    assert has_secrets_between(load(TRICKS))
    assert has_secrets_between(load("calm"))
    assert not has_secret_offers(load("calm"))


@pytest.mark.parametrize(
    ("line", "is_secret"),
    [
        ("state x[p: Player]: 0..3 = 0 seen by p", True),
        ("state x[p: Player]: 0..3 = 0 seen by {q in Player where q is not p}", True),
        ("state x: 0..3 = 0 hidden", False),
        ("state y: yes or no = no\nstate x: 0..3 = 0 seen by {q in Player where y}", False),
    ],
)
def test_who_sees_what_decides_about_secrets(line: str, is_secret: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.sea"
    path.write_text(
        f'game A "A"\nconst players = 2\n{line}\naction go(p: Player): nothing\nto play\n  seat(1) chooses go\n'
    )
    assert has_secrets_between(load(str(path))) is is_secret


ASKING = """\
game Asking "Asking"
const players = 2
type Course = one of north, south
component Boat(number: 1..2)
  Boat one each
component Chart
  Storm_chart times 2
place sea set of Boat open
place charts set of Chart open
board Bay: grid 30 by 10
state rested[b: Boat]: yes or no = no
state moored: Bay or none = none

menu helm(b: Boat, c: Course) "before {b} goes {c}" = steer(b) or rest(b, c)
menu silent(q: Player, b: Boat) = rest(b, north)
action steer(b: Boat) "{b} is steered": nothing
action rest(b: Boat, c: Course) "{b} rests": rested[b] := yes
action moor(b: Boat) "{b} looks for a place"
  seat(2) chooses c in Bay
    moored := c
to obey(card: Storm_chart, p: Player)
  p chooses b in Boat
    rested[b] := yes
to look_out(p: Player, b: Boat) "{p} looks out from {b}"
  p chooses k in 1..3
    rested[b] := k > 1
to setup
  move all Boat from box to sea
  move all Chart from box to charts
to play
  let boat = first b in sea
  seat(2) chooses helm(boat, south)
  seat(1) chooses silent(seat(2), boat)
  obey(first c in charts, seat(2))
  look_out(seat(2), boat)
  seat(1) chooses steer or rest "what {boat} does at last"
  seat(2) chooses moor
"""


@pytest.fixture
def asking(tmp_path: Path) -> str:
    path = tmp_path / "asking.sea"
    path.write_text(ASKING)
    return str(path)


def test_questions_in_the_words_of_the_rules(asking: str) -> None:
    ran = seaspec("play", asking, typed=typed("2", "1", "2", "3", "3", "looks 1"))
    questions = re.findall(r"^((?:Ann|Ben): .*)\n  ", ran.out, re.MULTILINE)
    assert questions == [
        "Ben: before Boat 1 goes south",
        "Ann: silent (Boat 1)",
        "Ben: obey (Storm chart): choose a boat",
        "Ben: Ben looks out from Boat 1: choose k",
        "Ann: what Boat 1 does at last",
        "Ben: play",
        "Ben: Boat 1 looks for a place: choose a cell",
    ]
    assert "  1 Boat 1 is steered   2 Boat 1 rests\n" in ran.out
    assert "  3 rest(Boat 1, north) " in ran.out  # a sentence tells two options alike


def test_long_lists_are_narrowed_down_by_parts(asking: str) -> None:
    moves = typed("1", "1", "1", "1", "1", "1", "10", "m 1", "list", "M10")
    ran = seaspec("play", asking, typed=moves)
    assert "  300 options\n    from A1 to AD10\n" in ran.out
    assert "type a part of what you mean, such as: A6, or A or 6 alone; 'list' shows all" in ran.out
    assert re.search(r" 271 A10 .* 299 AC10\n", ran.out) and "  M1: Enter takes it\n" in ran.out
    assert "  Ben: M10\n" in ran.out and "the game is over" in ran.out
    vague = seaspec("play", asking, typed=typed("steer", "undo", "stee", ""))
    assert vague.out.count("  Boat 1 is steered: Enter takes it\n") == 1
    assert vague.out.count("  Ben: Boat 1 is steered\n") >= 2


def test_options_can_be_typed_as_sentences(asking: str) -> None:
    for words in ("Boat 1 is steered", "steered", "steer(Boat 1)", "steer", "1"):
        assert "  Ben: Boat 1 is steered\n" in seaspec("play", asking, typed=typed(words)).out


def test_undo_and_on_again_meets_the_same_luck() -> None:
    session = Session(load(TRICKS), frozenset({"Ann"}), 3)
    session.advance()
    before = session.view()
    session.play.do(0)
    session.advance()
    after = session.view()
    session.undo()
    assert session.view() == before
    session.play.do(0)
    session.advance()
    assert session.view() == after
    while session.play.history and session.asked:
        session.undo()
        if not any(move.player == "Ann" for move in session.play.history):
            break
    with pytest.raises(PlayError):
        session.undo()


def test_people_at_one_table_see_what_all_of_them_see() -> None:
    session = Session(load(ISLETS), frozenset({"Light", "Dark"}), 1)
    session.advance()
    assert session.view().places["chest[Light]"].contents is not None
    assert session.common_table().places["chest[Light]"].contents is None
    alone = Session(load(ISLETS), frozenset({"Light"}), 1)
    assert alone.common_table().places["chest[Light]"].contents == ("Gold",) * 3


def test_news_are_capped_and_told_once_at_one_table(asking: str) -> None:
    ran = seaspec("play", "admiral", "--set", "berths=fixed", "--seed", "1", typed=typed("1"))
    assert ".. 14 more: 'log' shows all\n" in ran.out
    again = seaspec("play", asking, typed=typed("1", "1"))
    assert again.out.count("  Ben: Boat 1 is steered\n") == 1
