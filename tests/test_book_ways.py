"""Ways to play a game in its page: what an author lists is there, each once, and what can not be is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import seaspec

from seaspec.cli.booking.serving import Shown

GAME = """game Sticks "Sticks"
option atmost: 3..5 = 3 "so many at once"
option hard: yes or no = no
state left: 0..9 = 9 "what is left"
action take(p: Player, n: 1..atmost) "{p} takes {n}"
  needs enough: n <= left
  left -= n
type Player = ring of Ann, Ben
to play
  repeat
    for each p in Player
      p chooses take
      if left = 0: win for p

variant Short of Sticks "Fewer sticks"
replace state left: 0..9 = 4
"""


@pytest.fixture(autouse=True)
def sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sticks.sea").write_text(GAME, encoding="utf-8")


def listed(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(text.partition("globalThis.seaspecGames = ")[2].partition(";\n")[0])
    return found


def test_what_is_listed_is_loaded_when_it_is_wanted() -> None:
    ways = ["--play", "atmost=all", "--play", "sticks.sea + short atmost = 3,4", "--play", "sticks.sea atmost=4"]
    assert seaspec("book", "sticks.sea", "pages", *ways).code == 0
    games = listed(Path("pages/sticks/play-games.js").read_text(encoding="utf-8"))
    labels = ["atmost 3", "atmost 4", "atmost 5", "Fewer sticks, atmost 3", "Fewer sticks, atmost 4"]
    assert [game["label"] for game in games] == labels
    assert [game["options"] for game in games[:2]] == [{"atmost": "3", "hard": "no"}, {"atmost": "4", "hard": "no"}]
    assert [game["stack"] for game in games[2:4]] == [[], ["Short"]]
    files = ["play-game.js", *(f"play-game-{number}.js" for number in range(2, 6))]
    assert [game["file"] for game in games] == files
    for game in games:
        script = Path(f"pages/sticks/{game['file']}").read_text(encoding="utf-8")
        assert script.startswith(f'(globalThis.seaspecPacked ??= {{}})["{game["digest"]}"] = {{"module":"')
    page = Path("pages/sticks/play-it.md").read_text(encoding="utf-8")
    assert '<script src="play-game.js">' in page and "play-game-2" not in page
    assert seaspec("book", "sticks.sea", "pages", "--check", *ways).code == 0
    assert "stale: pages/sticks/play-game-2.js" in seaspec("book", "sticks.sea", "pages", "--check").out


def test_of_all_values_those_are_left_out_that_do_not_go_with_others() -> None:
    text = GAME.replace('3 "so many at once"', "3 requires atmost < 5")
    Path("sticks.sea").write_text(text, encoding="utf-8")
    for _ in range(2):  # what is kept says the same
        assert seaspec("book", "sticks.sea", "pages", "--play", "atmost=all").code == 0
        games = listed(Path("pages/sticks/play-games.js").read_text(encoding="utf-8"))
        assert [game["label"] for game in games] == ["atmost 3", "atmost 4"]
    assert "it requires atmost < 5" in seaspec("book", "sticks.sea", "pages", "--play", "atmost=4,5").err


def test_one_file_has_all_of_it() -> None:
    assert seaspec("book", "sticks.sea", "--one-file", "one.html", "--play", "atmost=4 hard=yes").code == 0
    text = Path("one.html").read_text(encoding="utf-8")
    games = listed(text)
    assert [game["label"] for game in games] == ["atmost 3, hard no", "atmost 4, hard yes"]
    assert all(f'["{game["digest"]}"] = {{' in text for game in games) and "<script src" not in text


def test_books_that_are_served_have_them() -> None:
    Path("other.sea").write_text(GAME.replace("Sticks", "Stones"), encoding="utf-8")
    shown = Shown(["sticks.sea", "other.sea"], ways=["other.sea atmost=5"])
    assert shown.look() and shown.faults == "" and sorted(shown.books) == ["/", "/sticks", "/stones"]
    labels = [[game["label"] for game in listed(shown.books[name])] for name in ("/sticks", "/stones")]
    assert labels == [["as it stands"], ["atmost 3", "atmost 5"]]


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        (["atmost=9"], "9"),
        (["atmots=4"], "its options are atmost, hard"),
        (["atmots=all"], "its options are atmost, hard"),
        (["atmost=all hrad=yes"], "has no option 'hrad'"),
        (["atmost="], "there is no"),
        (["sticks.sea + shrot"], "did you mean 'short'"),
        (["calm players=2"], "'calm players=2' is to be played, and there is no book of it"),
        ([" "], "a way to play is empty"),
        (["atmost=4 atmost=5"], "'atmost=4 atmost=5' says twice what atmost is"),
        (["atmost=4,,5"], "between commas of 'atmost=4,,5' there is no value"),
    ],
)
def test_what_can_not_be_is_told(ways: list[str], told: str) -> None:
    ran = seaspec("book", "sticks.sea", "pages", *(part for way in ways for part in ("--play", way)))
    assert ran.code != 0 and told in ran.err and not Path("pages").exists()


def test_too_many_ways_and_several_books() -> None:
    Path("sticks.sea").write_text(GAME.replace("3..5", "3..99"), encoding="utf-8")
    assert "in 40 ways at most, not 97" in seaspec("book", "sticks.sea", "pages", "--play", "atmost=all").err
    Path("other.sea").write_text(GAME.replace("Sticks", "Stones"), encoding="utf-8")
    ran = seaspec("book", "sticks.sea", "other.sea", "pages", "--play", "atmost=4")
    assert "of which game is 'atmost=4'? There are books of sticks, stones" in ran.err


def test_what_is_no_machine_code_is_no_way_to_play() -> None:
    Path("sticks.sea").write_text(f"{GAME}\nvariant Odd of Sticks\nstate groups: set of set of 1..2 = {{}}\n")
    ran = seaspec("book", "sticks.sea", "pages", "--play", "sticks.sea + odd")
    assert ran.code != 0 and "'sticks.sea + odd' can not be played in a page: " in ran.err
