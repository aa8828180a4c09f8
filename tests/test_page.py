"""Games in the page: its engine, in node or a browser, plays, tells, sees, explains, draws as the interpreter does."""

from __future__ import annotations

import gzip
import json
import shutil
import zlib
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import test_bots_supposing as hidden
from chromium import program as browser
from cli_runner import seaspec
from page_agreement import Disagreement, compare, compare_guesses, guessed, packed_data, replayed, told_by_page
from small_games import flow_game, game_of

from seaspec.game import Game
from seaspec.loading import load
from seaspec.saved import to_json
from seaspec.web import page_script, page_style

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "games"
LOOKS = ROOT / "tests" / "cases" / "looks.sea"


@pytest.mark.parametrize("path", [LOOKS, *sorted(CASES.glob("*.sea"))], ids=lambda path: path.stem)
def test_small_games(path: Path, tmp_path: Path) -> None:
    assert compare(load(str(path)), 2, 3, tmp_path, most_moves=60, every=5) >= 4


@pytest.mark.parametrize(("name", "every"), [("calm", 40), ("admiral", 60), ("pirate_bay", 60), ("sea_lords", 50)])
def test_games(name: str, every: int, tmp_path: Path) -> None:
    game = load(name)
    packed = packed_data(game)
    assert len(json.dumps(packed)) < 200_000
    assert compare(game, 1, 5, tmp_path, most_moves=180, every=every, packed=packed) >= 3


@pytest.mark.parametrize("program", list(filter(None, (shutil.which("node"), browser()))))
def test_wherever_it_runs(program: str, tmp_path: Path) -> None:
    """Modules, streams and texts are those of who runs it."""
    game = load(str(CASES / "liars_dice.sea"))
    data = {
        "game": packed_data(game),
        "plays": [{"moves": [[True, "3"], [True, "5"]], "asks": [[], None, []], "most": 50}],
    }
    (told,) = told_by_page(data, tmp_path, program)["plays"]
    assert told[1]["brief"][1:] == [None, 6]
    assert [text for text, _ in told[0]["options"]] == ["1", "2", "3", "4", "5", "6"]
    first, second = told[2]["views"]
    assert (first["states"]["die[Ann]"], "die[Ben]" in first["states"]) == ("3", False)
    assert (second["states"]["die[Ben]"], "die[Ann]" in second["states"]) == ("5", False)
    assert second["log"] == ["Ann rolls in secret", "chance: 5"] and told[2]["count"] == 12


TAKEN = """game Sticks "Sticks"
state left: 0..10 = 10 "what is left"
action take(p: Player, n: 1..3) "{p} takes {n}"
  needs enough: n <= left "only {left} are left"
  left -= n
type Player = ring of Ann, Ben
to play
  repeat
    for each p in Player
      p chooses take
      if left = 0: win for p
"""


def test_what_is_no_play_of_the_game_is_told(tmp_path: Path) -> None:
    game, other = game_of(TAKEN), game_of(TAKEN.replace("= 10", "= 9"))
    saved = to_json(game.start(seed=1).do("take(2)"))
    wrong = saved["moves"][0] | {"does": "take(7)"}
    files: list[Any] = [
        saved, None, 7, [], {}, {"format": "seaspec play", "version": 2}, to_json(other.start(seed=1)),
        {**saved, "players": ["Ann", "Cid"]}, {**saved, "moves": "none"}, {**saved, "moves": [None]},
        {**saved, "moves": [wrong]}, {**saved, "moves": [{"chance": "6"}]},
    ]  # fmt: skip
    rules = saved["rules"]
    nonsense = [
        None, 7, [], {"rules": rules}, {"rules": [], "moves": []}, {"rules": rules["digest"], "moves": []},
        {"rules": rules, "moves": {"length": 3}},
    ]  # fmt: skip
    data = {
        "game": packed_data(game),
        "plays": [],
        "files": files,
        "links": [
            "",
            "%%%",
            "eJwDAAAAAAE",
            "q1YqLkrMLEotVrJSMlSqBQA",
            linked(["a"] * 2_000_000),
            *map(linked, nonsense),
        ],
    }
    told = told_by_page(data, tmp_path)["faults"]
    assert told[: len(files)] == [
        1, "this is no saved play", "this is no saved play", "this is no saved play", "this is no saved play",
        "version 2 of saved plays is not known here",
        "it was played by another version of the rules than this one",
        "it was played by others than Ann, Ben", "its moves are missing", "move 1: 'nothing' is no option there",
        "move 1: 'take(7)' is no option there", "move 1: somebody is asked there",
    ]  # fmt: skip
    assert all(text.startswith("the link holds ") for text in told[len(files) :])
    assert told[len(files) + 4].startswith("the link holds no play"), "what swells to megabytes is not even read"


def linked(data: Any) -> str:
    """What stands in a link."""
    squeezed = zlib.compress(json.dumps(data).encode(), 9, -zlib.MAX_WBITS)
    return urlsafe_b64encode(squeezed).decode().rstrip("=")


def test_of_a_play_by_other_options_it_is_told_which(tmp_path: Path) -> None:
    text = f"{TAKEN}option upto: 3..9 = 3\n".replace("n: 1..3", "n: 1..upto")
    three, four = game_of(text), game_of(text, upto="4")
    hostile: dict[str, Any] = {"toString": 1, "valueOf": 1}
    named = {"name": "Sticks", "digest": "0"}
    rules = [
        to_json(four.start(seed=1))["rules"], {**named, "stack": ["Longer"], "options": {"upto": "3"}}, named,
        {"name": "<b>Sticks</b>" * 30}, {"name": hostile, "stack": hostile, "options": [1]},
        {**named, "stack": [hostile], "options": {"upto": hostile}},
    ]  # fmt: skip
    files = [{"format": "seaspec play", "version": 1, "rules": one} for one in rules]
    files.append({"format": "seaspec play", "version": hostile})
    told = told_by_page({"game": packed_data(three), "plays": [], "files": files}, tmp_path)["faults"]
    assert told[:3] == [
        f"it was played with {how}, and here it can be played otherwise"
        for how in ("upto = 4", "Longer", "other options")
    ]
    assert told[3] == f"it is a play of {('<b>Sticks</b>' * 30)[:60]}.., and this is Sticks"
    assert all(text.startswith(("it is a play of", "it was played with", "version")) for text in told[4:])


@pytest.mark.parametrize(
    ("before", "after"),
    [("only ", "just "), ('"enough"', '"room"'), (" takes ", " took "), ("what is left", "left over")],
)
def test_what_differs_is_found(before: str, after: str, tmp_path: Path) -> None:
    """A page that is told something false."""
    game = game_of(TAKEN)
    with pytest.raises(Disagreement):
        compare(game, 12, 1, tmp_path, packed=told_otherwise(game, before, after))


def told_otherwise(game: Game, before: str, after: str) -> Any:
    data = packed_data(game)
    about = json.dumps(json.loads(gzip.decompress(b64decode(data["about"]))))
    text, _, rest = about.partition('"memory"')  # the text of the rules stays as it is
    assert before in rest
    changed = f'{text}"memory"{rest.replace(before, after)}'
    return data | {"about": b64encode(gzip.compress(changed.encode())).decode()}


def test_a_game_that_is_not_compiled_has_a_page_that_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    state = "state groups: set of set of 1..2 = {}\n"
    Path("sticks.sea").write_text(TAKEN.replace("action take", f"{state}action take", 1), encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    page = Path("pages/sticks/play-it.md").read_text(encoding="utf-8")
    assert page.startswith("# Play\n\nThis game can not be played in a page: ") and "the state groups" in page
    assert not Path("pages/sticks/play.js").exists()


def test_what_is_too_much_for_a_page_is_no_fault_of_the_rules(tmp_path: Path) -> None:
    things = "component Coin(number: 1..90)\n  Coin one each\nplace bank bag of Coin open\n"
    game = flow_game("move all Coin from box to bank\nseat(1) chooses any of bank as them\n  move them to box", things)
    play = {"moves": [], "asks": [[]], "most": 9}
    (told,) = told_by_page({"game": packed_data(game), "plays": [play]}, tmp_path)["plays"]
    assert told == [{"too much": "there are more options than native code can count"}]


@pytest.mark.parametrize("name", ["DEAL", "DISCARD", "BIDS", "TELLING", "DICE"])
def test_bots_suppose_what_looks_the_same(name: str, tmp_path: Path) -> None:
    """Cards that lie elsewhere, what was laid aside or bid in secret, dice that were thrown unseen."""
    found = compare_guesses(game_of(getattr(hidden, name)), 1, tmp_path, most=30, every=4)
    assert found.count >= 8 and found.others > found.count / 4 and found.missing <= found.count / 20


@pytest.mark.parametrize("name", ["calm", "sea_lords"])
def test_bots_suppose_plays_of_games(name: str, tmp_path: Path) -> None:
    found = compare_guesses(load(name), 2, tmp_path, most=118, every=40, size=1)
    assert found.count >= 3 and found.others >= found.count - 1 and found.missing <= found.count / 3


def test_what_is_supposed_is_as_likely_as_it_should_be(tmp_path: Path) -> None:
    """Who has not thrown more than 3 with two dice of three sides has 3 twice as often as 2; spies are as frequent."""
    game = game_of(hidden.DICE)
    play = game.start(outcomes=["5", "spy", "2", "guard"])
    moves = [(move.player is None, move.text) for move in play.history]
    asked = [*moves, (False, "1"), (False, "1")]
    ((*_, look),) = guessed(game, [(asked, 0)], tmp_path, 1, 300)
    states = [replayed(game, supposed).view("Ben").states for supposed in look["plays"]]
    counts = Counter((found["die[Ben]"], found["role[Ben]"]) for found in states)
    shares = {("3", "spy"): 4 / 9, ("3", "guard"): 2 / 9, ("2", "spy"): 2 / 9, ("2", "guard"): 1 / 9}
    assert counts.keys() == shares.keys() and counts.total() == 300
    assert all(abs(counts[key] / 300 - share) < 0.1 for key, share in shares.items()), counts


def test_bots_know_nothing_of_the_truth(tmp_path: Path) -> None:
    """What is supposed of two plays that look alike to a player is the same, to the letter."""
    game = game_of(hidden.DEAL)
    found = compare_guesses(game, 3, tmp_path, most=8, every=4)
    (look,) = found.looks[0][-1:]
    first, again = guessed(game, [(supposed, 0) for supposed in look["plays"][:2]], tmp_path, look["after"], 3)
    assert look["plays"][0] != look["plays"][1] and first == again and len(first[0]["plays"]) == 3


@pytest.mark.parametrize(("text", "is_open"), [(hidden.DEAL, False), (hidden.BIDS, False), (TAKEN, True)])
def test_bots_think_from_what_they_suppose(text: str, is_open: bool, tmp_path: Path) -> None:
    """Never from the true position, unless by chance, or nothing is hidden."""
    game = game_of(text)
    play = game.start(seed=4)
    while len(play.history) < 3 or play.asked != game.players[-1]:
        play.do(play.choices[len(play.choices) // 2])
    asked = {
        "moves": [(move.player is None, move.text) for move in play.history],
        "seat": len(game.players) - 1,
        "milliseconds": 60_000,
    }
    told = told_by_page({"game": packed_data(game), "plays": [], "thought": [asked]}, tmp_path)["thought"]
    ((count, others),) = told
    assert (count, others) == (1, 0) if is_open else count == 6 and others >= 2


def test_a_page_without_its_game_is_small() -> None:
    assert len(page_script()) + len(page_style()) < 150_000
