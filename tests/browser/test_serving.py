"""A book that is written: its page is loaded anew by itself, and shows what is wrong with the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import PALE, SERIOUS, WIDER, Watched, axe

from seaspec.cli.booking.serving import Shown, opened

STICKS = """game Sticks "Sticks"
state left: 0..3 = 3 "what is left"
type Player = ring of Ann, Ben
to play
  win for Ann
"""


def test_the_page_follows_the_text(browser: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = Path("sticks.sea")
    text.write_text(STICKS, encoding="utf-8")
    shown = Shown(["sticks.sea"])
    shown.look()
    with opened(shown, 0) as home:
        watched = Watched(browser, home)
        page = watched.open("#rules")
        page.get_by_text("what is left").first.wait_for()
        text.write_text(STICKS.replace("what is left", "sticks there"), encoding="utf-8")
        shown.look()
        page.get_by_text("sticks there").first.wait_for()
        assert page.url.endswith("#rules"), "the reader stays where they were"
        text.write_text(STICKS.replace("= 3", "= <b>tree</b>"), encoding="utf-8")
        shown.look()
        page.get_by_role("alert").get_by_text("sticks.sea:2").wait_for()
        assert page.get_by_text("sticks there").first.is_visible() and page.locator("[role=alert] b").count() == 0
        page.evaluate(axe())
        assert watched.ask(WIDER) == [] == watched.ask(SERIOUS, {})
        text.write_text(STICKS, encoding="utf-8")
        shown.look()
        page.get_by_role("alert").wait_for(state="hidden")
        page.locator("#rules").get_by_text("what is left").first.wait_for()
        assert watched.faults == []
    page.get_by_text("seaspec book has ended.").wait_for()
    page.evaluate("document.body.style.colorScheme = 'light'")
    assert watched.ask(PALE)[1] == []
    watched.close()
