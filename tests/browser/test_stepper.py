"""A play is stepped through in a page that is opened from a file: buttons, keys, links; nonsense does no harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import DESK, Watched
from cli_runner import DICE_RACE, seaspec


@pytest.fixture
def race(browser: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    game = Path(DICE_RACE).resolve()
    monkeypatch.chdir(tmp_path)
    assert seaspec("book", str(game), "--one-file", "race.html").code == 0
    watched = Watched(browser, f"{tmp_path.as_uri()}/", DESK)  # type: ignore[arg-type]
    watched.page.set_default_timeout(5_000)
    yield watched
    watched.close()


def test_a_play_is_stepped_through(race: Watched) -> None:
    page = race.open("race.html")
    page.wait_for_selector(".stepper.runs", state="attached")
    box = page.locator('[data-play="one_loses"]')
    shown = 'document.querySelector(\'[data-play="one_loses"] .said\').textContent.split(":")[0]'
    drawn = "document.querySelector('[data-play=\"one_loses\"] img')"
    assert race.ask(shown) == "4 of 4", "the end, as without a script"
    assert box.get_by_label("the next step").is_disabled()
    box.get_by_label("one step back").click()
    assert race.ask(shown) == "3 of 4" and page.url.endswith("#one_loses-step-3")
    pictures = set()
    for key, there in (("Home", "0"), ("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1"), ("End", "4")):
        box.focus()
        page.keyboard.press(key)
        assert race.ask(shown) == f"{there} of 4"
        page.wait_for_function(f"{drawn}.complete && {drawn}.naturalWidth > 0")
        pictures.add(race.ask(f"{drawn}.src"))
    assert len(pictures) > 1
    box.locator("li").nth(2).click(position={"x": 5, "y": 5})
    assert race.ask(shown) == "2 of 4" and "chance: 6" in race.ask(f"{drawn}.alt")
    assert race.faults == []


@pytest.mark.parametrize(
    ("link", "there"), [("#two_rolls-step-2", "2 of"), ("#two_rolls-step-99", ""), ("#%E0%A4%A", ""), ("#<b>", "")]
)
def test_a_link_keeps_the_place(race: Watched, link: str, there: str) -> None:
    race.open(f"race.html{link}").wait_for_selector(".stepper.runs", state="attached")
    said = race.ask("document.querySelector('[data-play=\"two_rolls\"] .said').textContent")
    assert said.startswith(there or "5 of 5") and race.faults == []
