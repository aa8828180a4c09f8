"""A book in one file, opened from the disk: it asks nobody, is legible for everybody, and finds what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import DEAR, SERIOUS, WIDER, Watched, axe
from cli_runner import seaspec


@pytest.fixture
def calm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert seaspec("book", "calm", "--one-file", "calm.html").code == 0
    return tmp_path / "calm.html"


def test_a_book_from_the_disk(browser: object, calm: Path) -> None:
    watched = Watched(browser, calm.as_uri())
    page = watched.open("")
    faults = watched.ask(WIDER)
    for scheme in ("dark", "light"):
        faults += watched.pale(scheme)[1]
    page.evaluate(axe())
    page.get_by_role("searchbox").fill("who pays for the Start?")
    faults += watched.ask(SERIOUS, {"rules": {rule: {"enabled": False} for rule in DEAR}})
    assert faults + watched.faults == []
    for typed, anchors in (
        ("who pays for the Start?", {"play_start", "start.4", "start.3", "rules-what-a-player-does-in-a-turn"}),
        ("cost next to a laid card", {"cost.1"}),
        ("boarding <b>", set()),
        ("островами", {"part.1", "fewer.1", "fewer.5"}),
        ("штилем", {"index", "calm", "gap.1"}),
    ):
        page.get_by_role("searchbox").fill(typed)
        found = page.locator("#book-found a").evaluate_all("all => all.map(way => way.getAttribute('href').slice(1))")
        assert not anchors or anchors & set(found), (typed, found)
    page.get_by_role("searchbox").press("Enter")
    assert page.locator(":target").is_visible()
    page.get_by_role("searchbox").fill("zzqqxx ~")
    assert page.locator("#book-found").inner_text() == "Nothing is found."
    assert watched.faults == []
    watched.close()
