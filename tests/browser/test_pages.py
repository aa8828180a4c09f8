"""Every page of the site, in a browser: no error, no foreign request, no sideways scrolling, legible, for everybody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from built_site import ROOT
from chromium import DEAR, DESK, PALE, SERIOUS, WIDER, Watched, axe

LARGEST = 500_000
"""So many bytes may a page have with all that it loads, but for the game."""
EVERY = bool(os.environ.get("SEASPEC_EVERY_PAGE"))
DOCS = {path.stem for path in (ROOT / "docs").glob("*.md")} | {"", "404.html", "search.html"}
SMALL = 1200
"""Elements. What takes axe seconds on a page with more is asked of smaller ones, which look alike; contrasts of all, by
PALE."""


@pytest.fixture(scope="module")
def paths(site: Path) -> list[str]:
    return sorted(str(path.relative_to(site)).removesuffix("index.html") for path in site.rglob("*.html"))


def test_every_page_is_fit_for_everybody(browser: object, home: str, paths: list[str]) -> None:
    watched = Watched(browser, home)
    script = axe()
    found: dict[str, object] = {}
    looked_at: set[str] = set()
    assert len(paths) >= 50
    for path in paths:
        page = watched.open(path)
        if path.endswith("play-it/"):
            page.locator("#seaspec-play[data-ready]").wait_for()
        faults = [*watched.ask(WIDER)]
        faults += [f"{size} bytes" for size in [watched.ask(_WEIGHT)] if size > LARGEST]
        for scheme in ("dark", "light"):
            pairs, pale = watched.pale(scheme)
            assert pairs >= 3
            faults += pale
        faults += watched.faults
        if faults:
            found[path] = faults
        if kind_of(path) in looked_at and not EVERY:
            continue
        looked_at.add(kind_of(path))
        page.evaluate(script)
        small = watched.ask("document.querySelectorAll('body *').length") < SMALL
        serious = watched.ask(SERIOUS, {"rules": {rule: {"enabled": small} for rule in DEAR}})
        if serious:
            found[path] = faults + serious
    watched.close()
    assert found == {}


def kind_of(path: str) -> str:
    """Pages of a kind are made alike: axe looks at the first one of each, and at all if EVERY."""
    *folders, name = path.strip("/").split("/")
    if folders:
        return name.partition("-")[0]
    return name if name in DOCS else "book"


_WEIGHT = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(entry => !/play-game/.test(entry.name))
  .reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""


def test_the_probes_see_what_is_wrong(browser: object, home: str) -> None:
    watched = Watched(browser, home)
    page = watched.open("404.html")
    page.evaluate(axe())
    with page.expect_event("requestfailed"):
        page.evaluate("""() => { document.querySelector('main').innerHTML =
          '<p style="color: #999; background: #fff">pale<p style="width: 500px">wide'
          + '<img src="http://127.0.0.1:9/x.png"><a href="#"></a>'; console.error('said') }""")
    assert any("wide" in fault for fault in watched.ask(WIDER))
    assert any("pale" in fault for fault in watched.ask(PALE)[1])
    found = {fault.partition(":")[0] for fault in watched.ask(SERIOUS, {})}
    assert found >= {"image-alt", "link-name", "color-contrast"}
    assert {"asked: http://127.0.0.1:9/x.png", "console: said"} <= set(watched.faults)
    watched.close()


def test_keys_alone_suffice(browser: object, home: str) -> None:
    """From the front page to a rule, by keys: the text first, all pages in their order, the search."""
    watched = Watched(browser, home, DESK)
    page = watched.open("")
    keys = page.keyboard
    keys.press("Tab")
    assert watched.ask("document.activeElement.textContent") == "To the text"
    keys.press("Enter")
    keys.press("Tab")
    assert watched.ask("document.querySelector('main').contains(document.activeElement)")
    page = watched.open("")
    reached = ["" for _ in range(9)]
    for place in range(len(reached)):
        keys.press("Tab")
        reached[place] = watched.ask("document.activeElement.getAttribute('name') || document.activeElement.innerText")
    assert reached == ["To the text", "SeaSpec", "q", "Search", "All pages", "Start", "Games", *reached[7:]]
    page.locator("nav summary", has_text="Games").focus()
    keys.press("Enter")
    keys.press("Tab")
    assert watched.ask("document.activeElement.innerText") == "Calm"
    keys.press("Enter")
    for _ in range(2):
        keys.press("Tab")
    assert watched.ask("document.activeElement.innerText") == "Rules"
    with page.expect_navigation():
        keys.press("Enter")
    assert page.locator("h1").inner_text() == "The rules" and page.url.endswith("/calm/rules/")
    assert watched.ask("document.querySelector('nav [aria-current]').innerText") == "Rules"
    # what scrolls sideways is reached by keys, and its focus is seen
    assert watched.ask("getComputedStyle(document.querySelector('a')).outlineStyle") == "none"
    keys.press("Tab")
    assert watched.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    watched.close()


def test_a_narrow_screen_begins_with_the_text(browser: object, home: str) -> None:
    watched = Watched(browser, home)
    page = watched.open("calm/rules/")
    assert not page.locator("nav ul").first.is_visible()
    assert page.locator("h1").bounding_box()["y"] < 400
    page.locator("nav summary").first.click()
    assert page.locator("nav ul").first.is_visible()
    watched.close()
