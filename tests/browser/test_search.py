"""The search of a site finds what players ask, in English and in the language of the rule book."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

import pytest
from chromium import DESK, Watched, served

from seaspec.cli.booking.searching import script

QUESTIONS = Path(__file__).with_name("questions.toml")
FIRST = 6
FOUND = "#mkdocs-search-results article"

ALIKE = """
корабль корабля кораблём корабли кораблей кораблями
корабель кораблі кораблів кораблем кораблями
вітер вітру вітром вітрів вітри
ветер ветра ветром ветру ветров
острів острова острову островом островів островами остров острове
пушка пушки пушек пушкой пушками
мачта мачт мачты мачтою
наёмник наёмника наемники наёмниками
піратський піратського піратські піратських піратським
чёрная чёрной чёрную черные
ніч ночі ночей
кінь коня коней конем
м'яч мяча м’ячі
"""
APART = "порт порох пират пирог мина мачта корабль короб вітер віра шторм штиль форт флот бриг фрегат галеон линкор"


def test_what_players_ask_is_found(browser: object, home: str) -> None:
    questions = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))["question"]
    watched = Watched(browser, home, DESK)
    page = watched.open("calm/rules/")
    page.get_by_role("searchbox").fill(questions[0]["typed"])
    page.keyboard.press("Enter")
    for number, question in enumerate(questions):
        if number:
            page.get_by_role("searchbox").fill(question["typed"])
            page.evaluate("document.querySelector('#mkdocs-search-results').replaceChildren()")
            page.keyboard.press("Shift")
        page.locator(FOUND).first.wait_for()
        found = page.locator(f"{FOUND}:nth-child(-n+{FIRST})").evaluate_all(
            "all => all.map(one => [one.querySelector('a').href, one.innerText])"
        )
        at = home + question["at"]
        assert at in [address for address, _ in found], (question["typed"], found)
        assert any(address == at and question["says"] in text for address, text in found), found
    assert watched.faults == []
    page.locator(f"{FOUND} a").first.click()
    assert page.locator(":target").count() == 1
    watched.close()


def test_nothing_is_found_of_nonsense(browser: object, home: str) -> None:
    watched = Watched(browser, home)
    page = watched.open(f"search.html?q={quote('zzqqxx ~:^')}")
    page.get_by_text("Nothing is found.").wait_for()
    for typed in ("[~*:^", "ъъъъ", "___", "🚢🚢", "-+-+"):
        page.get_by_role("searchbox").fill(typed)
        page.evaluate("document.querySelector('#mkdocs-search-results').replaceChildren()")
        page.keyboard.press("Shift")
        page.get_by_text("Nothing is found.").wait_for()
    assert watched.faults == []
    watched.close()


def test_forms_of_words(browser: object) -> None:
    page = browser.new_page()
    page.evaluate(f"() => {{ {script('words')}; window.seaWords = seaWords }}")
    for line in ALIKE.strip().splitlines():
        cut = page.evaluate("words => words.map(seaWords.cut)", line.split())
        assert len(set(cut)) == 1, (line, cut)
        assert page.evaluate("words => words.map(seaWords.cut)", cut) == cut, "cut once or twice"
    cut = page.evaluate("words => words.map(seaWords.cut)", APART.split())
    assert len(set(cut)) == len(cut)
    assert page.evaluate("seaWords.parted('«Вітер», п’ять: 18!? play.4 м_н')") == [
        "вітер",
        "п’ять",
        "18",
        "play.4",
        "м_н",
    ]
    page.close()


GAME = """game Sails "Sails"
rulebook sails
title uk "Вітрила"
state left: 0..3 = 3
type Player = ring of Ann, Ben
to play
  win for Ann cites a.1
"""
SETTINGS = """site_name: Sails
theme: {name: %s, highlightjs: false}
plugins: [search, seaspec: {games: [sails.sea]}]
"""
CATALOGUE = """# Sails

## Clauses

| id | clause |
|---|---|
| a.1 | The wind (вітер) moves the ships (кораблі) to an island (острів). |
"""


ASKED_UNTIL_FOUND = """() => {
  document.querySelector('#mkdocs-search-query').dispatchEvent(new Event('keyup'));
  return document.querySelector("#mkdocs-search-results a[href*='sails/']");
}"""
"""The index may not be loaded yet: then nobody listens to what is typed."""


@pytest.mark.parametrize("theme", ["readthedocs", "mkdocs"])
def test_words_are_found_in_other_themes(
    browser: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("docs", "rulebooks"):
        Path(folder).mkdir()
    Path("sails.sea").write_text(GAME, encoding="utf-8")
    Path("rulebooks/sails.md").write_text(CATALOGUE, encoding="utf-8")
    Path("docs/index.md").write_text("# Start\n\nA wind-blown page: вітер.\n", encoding="utf-8")
    Path("mkdocs.yml").write_text(SETTINGS % theme, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], check=True)
    with served(tmp_path / "site") as home:
        page = browser.new_page()
        page.goto(f"{home}search.html" if theme == "readthedocs" else home)
        if theme == "mkdocs":
            page.keyboard.press("s")
        for typed in ("вітру", "кораблями", "острова", "вітрила"):
            page.locator("#mkdocs-search-query").fill(typed)
            page.evaluate("document.querySelector('#mkdocs-search-results').replaceChildren()")
            page.wait_for_function(ASKED_UNTIL_FOUND, polling=100)
        page.close()
