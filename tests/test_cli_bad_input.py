"""Bad input of every kind: one clear message, the right exit code, no traceback, and soon."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_runner import ISLETS, TIC_TAC_TOE, Ran, seaspec

from seaspec.loading import load

FILE_COMMANDS = {
    "emit": ["--stage", "core"],
    "simulate": ["--plays", "2"],
    "why": ["draw_sign(B2)"],
    "play": [],
}


def clearly_wrong(ran: Ran, *told: str) -> None:
    """The command has failed as it should."""
    assert ran.code == 1, (ran.out, ran.err)
    assert ran.out == ""
    for part in told:
        assert part in ran.err, ran.err
    assert "Traceback" not in ran.err
    assert "seaspec itself failed" not in ran.err


@pytest.mark.parametrize("command", FILE_COMMANDS)
class TestFiles:
    def test_an_unknown_file(self, command: str) -> None:
        clearly_wrong(seaspec(command, "no_such.sea", *FILE_COMMANDS[command]), "there is no file no_such.sea")

    def test_an_unknown_game(self, command: str) -> None:
        clearly_wrong(seaspec(command, "clam", *FILE_COMMANDS[command]), "there is no game 'clam'", "calm")

    def test_an_unknown_variant(self, command: str) -> None:
        clearly_wrong(seaspec(command, "calm + reef", *FILE_COMMANDS[command]), "no variant 'reef'", "reefs")

    def test_a_directory(self, command: str) -> None:
        clearly_wrong(seaspec(command, "tests/cases", *FILE_COMMANDS[command]), "is a directory")

    def test_not_utf8(self, command: str, tmp_path: Path) -> None:
        path = tmp_path / "latin.sea"
        path.write_bytes(b'game G "G\xe9ant"\n')
        clearly_wrong(seaspec(command, str(path), *FILE_COMMANDS[command]), "is not UTF-8: byte 9")

    def test_a_faulty_text(self, command: str, tmp_path: Path) -> None:
        path = tmp_path / "faulty.sea"
        path.write_text('game G "G"\nto play\n  move too far\n')
        clearly_wrong(seaspec(command, str(path), *FILE_COMMANDS[command]), "faulty.sea:3:", "error SEA")

    def test_an_empty_file(self, command: str, tmp_path: Path) -> None:
        path = tmp_path / "empty.sea"
        path.write_text("")
        clearly_wrong(seaspec(command, str(path), *FILE_COMMANDS[command]), "empty.sea")

    def test_an_unknown_option(self, command: str) -> None:
        words = [command, "calm", *FILE_COMMANDS[command], "--set", "plyers=3"]
        clearly_wrong(seaspec(*words), "no option 'plyers'", "players")

    @pytest.mark.parametrize("value", ["9", "many", "2.5", "-1", "99999999999999999999"])
    def test_an_unknown_value(self, command: str, value: str) -> None:
        words = [command, "calm", *FILE_COMMANDS[command], "--set", f"players={value}"]
        clearly_wrong(seaspec(*words), "players", value)

    @pytest.mark.parametrize("option", ["players", "=3", "players=", "3=players", "Players=3"])
    def test_a_malformed_option(self, command: str, option: str) -> None:
        words = [command, "calm", *FILE_COMMANDS[command], "--set", option]
        clearly_wrong(seaspec(*words), f"'{option}' is no option", "players=3")

    def test_an_option_set_twice(self, command: str) -> None:
        words = [command, "calm", *FILE_COMMANDS[command], "--set", "players=3", "--set", "players=4"]
        clearly_wrong(seaspec(*words), "the option players is set twice: 3 and 4")


def test_json_errors_are_json() -> None:
    for words in (["simulate", "clam"], ["why", TIC_TAC_TOE, "draw_sign"], ["replay", "no.play"], ["play", "clam"]):
        ran = seaspec(*words, "--json")
        assert ran.code == 1
        found = json.loads(ran.out)
        assert found["error"] and "diagnostics" in found
        assert ran.err == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["why", TIC_TAC_TOE, "draw_sign(B2)", "--player", "Nuoght"], "there is no player Nuoght"),
        (["why", TIC_TAC_TOE, "draw_sign(B2)", "--example", "take"], "did you mean 'taken'?"),
        (["why", TIC_TAC_TOE, "draw_sign(Z9)"], "'Z9' can not be the c of draw_sign"),
        (["why", TIC_TAC_TOE, "draw_sign(B2, B3, B4)"], "draw_sign wants c\n"),
        (["why", TIC_TAC_TOE, "  "], "no move is given"),
        (["why", TIC_TAC_TOE, "draw_sign"], "draw_sign wants c"),
        (["why", TIC_TAC_TOE, "draw_sign(B2)", "--play", "no_such.play"], "no_such.play"),
        (["play", TIC_TAC_TOE, "--bots", "Nuoght"], "there is no player Nuoght"),
        (["play", TIC_TAC_TOE, "--bots", "Cross,Nought"], "somebody has to play"),
        (["play", TIC_TAC_TOE, "--load", "no_such.play"], "no_such.play"),
        (["emit", TIC_TAC_TOE, "--stage", "tree", "--set", "players=3"], "comes before options are fixed"),
        (["replay", "no_such.play"], "no_such.play"),
        (["replay", "tests"], "is a directory"),
        (["replay", TIC_TAC_TOE], "this is no JSON"),
        (["replay", "/dev/null"], "/dev/null: this is no ordinary file"),
        (["play", TIC_TAC_TOE, "--load", "tests"], "tests: this is a directory, not a saved play"),
        (["play", TIC_TAC_TOE, "--save", "no_such/a.play"], "no_such is no directory"),
        (["play", TIC_TAC_TOE, "--save", "tests"], "tests: this is a directory"),
    ],
)
def test_other_faults(words: list[str], told: str) -> None:
    ran = seaspec(*words)
    assert ran.code == 1
    assert told in ran.err
    assert "Traceback" not in ran.err and "itself failed" not in ran.err


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A play of which three moves are played."""
    path = tmp_path / "some.play"
    play = load(TIC_TAC_TOE).start(seed=1)
    for move in ("draw_sign(B2)", "draw_sign(A1)", "draw_sign(C3)"):
        play.do(move)
    play.save(path)
    return path


def edited(path: Path, *way: str | int, value: Any) -> None:
    """Change a part of a saved play."""
    data = json.loads(path.read_text())
    part = data
    for step in way[:-1]:
        part = part[step]
    part[way[-1]] = value
    path.write_text(json.dumps(data))


@pytest.mark.parametrize("share", [0, 0.3, 0.9, 0.999])
def test_a_saved_play_that_was_cut(saved: Path, share: float) -> None:
    text = saved.read_text()
    saved.write_text(text[: int(len(text) * share)])
    clearly_wrong(seaspec("replay", str(saved)), "this is no JSON")


@pytest.mark.parametrize(
    ("way", "value", "told"),
    [
        (["format"], "chess", "no saved play"),
        (["version"], 99, "version 99"),
        (["rules"], None, "no saved play"),
        (["rules", "texts"], [], "the rules of the saved play are not all there"),
        (["rules", "texts"], {"gone.sea": ""}, "gone.sea"),
        (["rules", "stack"], [1], "not all there"),
        (["rules", "stack"], ["Nobody"], "have no Nobody"),
        (["rules", "name"], "Nobody", "have no Nobody"),
        (["rules", "options"], {"size": "3"}, "no option 'size'"),
        (["rules", "digest"], "0", "edited"),
        (["players"], ["Ann"], "played by Ann"),
        (["moves"], None, "moves"),
        (["moves", 1], "pass", "move 2"),
        (["moves", 1, "does"], "draw_sign(B2)", "move 2: 'draw_sign(B2)' is no option here"),
        (["moves", 1, "does"], 7, "move 2"),
        (["moves", 1, "player"], "Cross", "move 2: Cross chooses, but Nought is asked"),
        (["seed"], "x", "seed"),
        (["result"], {"winners": ["Cross"], "losers": [], "reason": ""}, "result"),
    ],
)
def test_a_saved_play_that_was_edited(saved: Path, way: list[str | int], value: Any, told: str) -> None:
    edited(saved, *way, value=value)
    clearly_wrong(seaspec("replay", str(saved)), told)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 10_000])
def test_a_saved_play_without_end(saved: Path, text: str) -> None:
    saved.write_text(text)
    ran = seaspec("replay", str(saved))
    assert ran.code == 1
    assert "Traceback" not in ran.err and "itself failed" not in ran.err


def test_what_can_not_be_written(saved: Path, tmp_path: Path) -> None:
    for name, told in (("no_such/a.svg", "No such file or directory"), (".", "this is a directory")):
        ran = seaspec("replay", str(saved), "--svg", str(tmp_path / name))
        assert ran.code == 1
        assert f"{tmp_path / name}: {told}" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["some.play"]
    ran = seaspec("play", TIC_TAC_TOE, typed="save no_such/a.play\nsave tests\nsave\n")
    assert ran.code == 0
    for told in ("no_such/a.play: No such file or directory", "tests: this is a directory", "save where?"):
        assert told in ran.out


def test_rules_that_fail_while_they_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "failing.sea"
    path.write_text(
        'game Failing "Failing"\n'
        "option players: 1..2 = 1\n"
        "state number: 0..2 = 0\n"
        'action add(p: Player) "{p} adds"\n'
        "  number += 1\n"
        "to play\n"
        "  repeat 5 times\n"
        "    for each p in Player: p chooses add\n"
    )
    ran = seaspec("simulate", str(path), "--plays", "3", "--jobs", "1")
    assert ran.code == 1
    assert "the rules fail in play 0" in ran.err and "failing.sea:5" in ran.err
    replay = seaspec("replay", ".seaspec/failing_" + ran.err.split(".seaspec/failing_")[1].split()[0])
    assert replay.code == 0 and replay.lines[-1] == "The play goes on: Ann is asked."
    ran = seaspec("check", str(path), "--plays", "2")
    assert ran.code == 1
    assert "  3. Ann adds\n" in ran.out and "number: 2" in ran.out
    ran = seaspec("play", str(path), typed="1\n1\n1\n1\n")
    assert ran.code == 0  # whoever plays may go back, and play on
    assert ran.out.count("the rules fail: 3 is not in 0..2 (") == 2
    assert "failing.sea:5" in ran.out and "is a fault of the rules; 'undo' goes back" in ran.out
    ran = seaspec("play", str(path), "--json", typed="0\n0\n0\n")
    assert ran.code == 1 and "the rules fail: 3 is not in 0..2 (" in ran.out


def test_islets_can_be_played_through_bad_input() -> None:
    lines = ["", "99", "land", "land(Sloop Light 1)", "land(Sloop Light 1, Z9)", "}{", "why", "why x", "save"]
    typed = "\n".join(lines)
    ran = seaspec("play", ISLETS, "--as", "Light", "--seed", "1", typed=typed)
    assert ran.code == 0
    assert "You have left the table" in ran.out
    assert "Traceback" not in ran.out + ran.err


def test_saved_plays_with_random_faults(saved: Path) -> None:
    text = saved.read_text()
    random = Random(1)
    for _ in range(150):
        data = json.loads(text)
        way = random.choice([way for way in ways_into(data) if way])
        edited(saved, *way, value=random.choice([None, 0, -1, "", [], {}, "x", True, 10**30, [1], {"a": 1}]))
        for words in (
            ["replay", str(saved)],
            ["replay", str(saved), "--stored"],
            ["play", TIC_TAC_TOE, "--load", str(saved)],
        ):
            ran = seaspec(*words)
            assert ran.code in (0, 1), (way, ran.err)
            assert "Traceback" not in ran.err
        saved.write_text(text)


def ways_into(data: Any) -> list[list[Any]]:
    """The ways to all parts of some JSON."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    return [[], *([key, *way] for key in keys for way in ways_into(data[key]))]
