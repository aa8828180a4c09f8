"""`seaspec accept`: what a house rule changes in worked examples is written into it, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copy

import pytest
from cli_runner import seaspec

from seaspec.diagnostics.model import Report
from seaspec.examples.run import run_examples
from seaspec.library import load_subjects
from seaspec.loading import load_subject
from seaspec.verdict.check import is_as_said

ROOT = Path(__file__).parent
HEAD = '-- Of mine.\n\nvariant Mine of Stalls "My rule"  -- and here\n'
CASES = {
    "replace price(c) = if c.row = 1 then 3 else 1": (
        'breaks laid because "coins[Ann] is 2"\n',
        "example laid_mine\n",
        "  then coins[Ann] = 2\n",
    ),
    "replace price(c) = 0": (
        'breaks poor because "it is allowed"\n',
        "example cheap_mine\n",
        "  then coins[Ann] = 5\n",
    ),
    'forbid drop_two(p) when size of hand[p] > 1 "{p} may not"': (
        'breaks two_gone because "Ann may not"\n',
        "  when Ann does drop_two choosing {Ware(3), Ware(4)}\n  then refused\n",
    ),
    "replace drop_two(p)\n  p privately chooses 1 of hand[p] as gone\n  move gone to waste": (
        'breaks two_gone because "1 of the answers was not asked for"\n',
    ),
}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy(ROOT / "cases" / "house_rules" / "stalls.sea", tmp_path)
    monkeypatch.chdir(tmp_path)


def write(body: str, end: str = "\n") -> Path:
    path = Path("mine.sea")
    path.write_bytes((HEAD + body + end).encode())
    return path


@pytest.mark.parametrize("body", CASES)
def test_what_changes_is_written_once(body: str) -> None:
    path = write(body, end="")
    shown = seaspec("accept", "mine.sea", "--dry-run")
    assert shown.code == 0 and path.read_text() == HEAD + body
    ran = seaspec("accept", "mine.sea", "--yes")
    text = path.read_text()
    assert ran.code == 0 and "written: mine.sea" in ran.out and shown.out in ran.out
    assert text.startswith(HEAD + body + "\n\nbreaks ")
    for words in CASES[body]:
        assert words in text and all("+" + line in ran.out for line in words.splitlines())
    assert_as_said()
    again = seaspec("accept", "mine.sea")
    assert (again.code, again.out) == (0, "stalls + mine: there is nothing to accept\n")
    assert path.read_text() == text


def assert_as_said() -> None:
    (subject,) = load_subjects("mine.sea", Report())
    game = load_subject(subject, {})
    assert all(is_as_said(game.rules, result) for result in run_examples(game))


def test_only_what_is_said_is_done() -> None:
    path = write("set hand_size = 3\nreplace price(c) = 0")
    before = path.read_bytes()
    for typed in ("n\n", "", "\n"):
        ran = seaspec("accept", "mine.sea", typed=typed)
        assert ran.code == 1 and path.read_bytes() == before and "with --yes it is" in ran.out
    told = json.loads(seaspec("accept", "mine.sea", "--json").out)
    assert [each["name"] for each in told[0]["accepted"]] == ["laid", "cheap", "poor"] and not told[0]["written"]
    assert path.read_bytes() == before
    told = json.loads(seaspec("accept", "mine.sea", "--json", "--yes").out)
    assert told[0]["written"] and told[0]["diff"].startswith("--- mine.sea\n")
    assert_as_said()


def test_who_is_stuck_and_what_fails_is_never_accepted() -> None:
    path = write("remove rest\nreplace price(c) = 0")
    ran = seaspec("accept", "mine.sea", "--yes")
    assert ran.code == 1 and "not accepted: example laid" in ran.out and "stuck: Ben must choose" in ran.out
    assert "breaks poor because" in path.read_text() and "breaks laid" not in path.read_text()


def test_each_house_rule_of_a_file_gets_its_own_lines() -> None:
    body = (
        "replace price(c) = 0\r\n\r\nvariant Other of Stalls\r\n-- of the other one\r\nreplace price(c) = 1\r\n-- end"
    )
    path = write(body.replace("\r\n", "\n").replace("\n", "\r\n"), end="")
    assert seaspec("accept", "mine.sea", "--yes").code == 0
    text = path.read_bytes().decode()
    first, second = text.split("variant Other of Stalls")
    assert "example laid_mine\r\n" in first and 'breaks poor because "it is allowed"\r\n' in first
    assert "example laid_other\r\n" in second and second.endswith("\r\n-- end") and "poor" not in second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stalls.sea",), "stalls is not one house rule"),
        (("calm + reefs",), "comes with the tool"),
        (("none.sea",), "there is no file none.sea"),
    ],
)
def test_what_is_no_house_rule_is_told(words: tuple[str, ...], said: str) -> None:
    ran = seaspec("accept", *words)
    assert ran.code == 1 and said in ran.err and not ran.out
