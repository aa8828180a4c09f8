"""`seaspec new variant of GAME`: a house rule to begin with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_runner import seaspec

import seaspec as library
from seaspec.examples.run import run_examples

OWN = """game Own "Own"
const players = 2
component Stick
  Stick times 5
place heap set of Stick open
place pile[p: Player] set of Stick open
action take(p: Player) "{p} takes one"
  needs left: heap is filled
  move 1 Stick from heap to pile[p]
to setup
  move all Stick from box to heap
to turn(p: Player)
  p may take
to play
  repeat 3 times
    for each p in Player: turn(p)
variant Short of Own "Short"
set players = 1
"""
BARE = 'game Bare "Bare"\nto play\n  seat(1) chooses n in 1..3\n'


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.sea").write_text(OWN, encoding="utf-8")
    (tmp_path / "bare.sea").write_text(BARE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "game", ["calm", "admiral", "pirate_bay", "calm + storms", "own.sea", "own.sea + short", "bare.sea"]
)
def test_it_is_right_as_it_stands_and_with_all_that_it_offers(game: str) -> None:
    done = json.loads(seaspec("new", "variant", "of", game, "--json").out)
    path = Path(done["file"])
    assert done["variant"] == "House" and path.name.endswith("_house.sea")
    told = [result for result in run_examples(library.load(str(path))) if result.example.name == "at_the_beginning"]
    assert all(result.is_as_told for result in told) and bool(told) is (game not in ("bare.sea", "admiral"))
    text = path.read_text(encoding="utf-8")
    offered = re.sub(r"^-- (set|forbid|after|  say|invariant|drops)", r"\1", text, flags=re.MULTILINE)
    path.write_text(offered, encoding="utf-8")
    assert offered != text and library.load(str(path)).stack[-1] == "House"


def test_a_file_that_is_there_is_left_alone(desk: Path) -> None:
    (desk / "mine.sea").write_text("-- mine", encoding="utf-8")
    refused = seaspec("new", "variant", "of", "own.sea", "mine.sea")
    assert refused.code == 1 and "is there already" in refused.err
    assert (desk / "mine.sea").read_text(encoding="utf-8") == "-- mine"
    (desk / "gone.sea").symlink_to(desk / "nowhere.sea")
    assert seaspec("new", "variant", "of", "own.sea", "gone.sea").code == 1 and not (desk / "nowhere.sea").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["variant", "of", "clam"], 1, "did you mean 'calm'"),
        (["variant", "of", "calm + storms + reefs"], 1, "built on one chapter"),
        (["variant", "of", "own.sea", "--name", "short"], 1, "can not name a variant"),
        (["variant", "of", "own.sea", "--name", "Short"], 1, "has a chapter Short already"),
        (["variant", "of", "own.sea", "rule.txt"], 1, "end in .sea"),
        (["variant", "of", "own.sea", "away/rule.sea"], 1, "away/rule.sea"),
        (["variant", "of", "own.sea", "other/rule.sea"], 1, "Own"),
        (["variant", "from", "own.sea"], 3, "'of'"),
        (["game", "of", "own.sea"], 3, "'variant'"),
        (["variant", "of"], 3, "GAME"),
    ],
)
def test_what_can_not_be_written(desk: Path, words: list[str], code: int, said: str) -> None:
    (desk / "other").mkdir()
    before = sorted(desk.rglob("*"))
    done = seaspec("new", *words)
    assert done.code == code and said in done.err, done.err
    assert sorted(desk.rglob("*")) == before
