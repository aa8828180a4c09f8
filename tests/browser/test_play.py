"""Games are played in the page: by keys or on the board, against bots, by several at one screen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from chromium import DESK, PALE, PHONE, SERIOUS, WIDER, Watched, axe
from cli_runner import seaspec

from seaspec.files import read_play
from seaspec.loading import load
from seaspec.saved import from_json

CASES = Path(__file__).parent.parent / "cases" / "games"
FOCUS = "document.activeElement.innerText"
ROOT = "document.getElementById('seaspec-play')"
TABLE = f"{ROOT}.table"
LAST = "document.querySelector('.log').lastElementChild.innerText"


def opened(
    browser: object, folder: Path, game: str, size: tuple[int, int] = PHONE, ways: tuple[str, ...] = ()
) -> Watched:
    """The book of a small game in one file, opened without a server."""
    file = folder / f"{game}.html"
    spec = folder / f"{game}.sea" if (folder / f"{game}.sea").exists() else CASES / f"{game}.sea"
    if not file.exists():
        plays = (part for way in ways for part in ("--play", way))
        assert seaspec("book", str(spec), "--one-file", str(file), *plays).code == 0
    watched = Watched(browser, file.as_uri(), size)  # type: ignore[arg-type]
    watched.page.set_default_timeout(10_000)
    watched.open("").wait_for_selector("#seaspec-play[data-ready]", state="attached")
    watched.ask(f"() => {{ {TABLE}.pause = 0 }}")
    return watched


def seats(watched: Watched, *kinds: str) -> None:
    for seat, kind in enumerate(kinds):
        watched.page.select_option(f"#seat-{seat}", kind)


def test_by_keys_alone_against_a_bot(browser: object, tmp_path: Path) -> None:
    watched = opened(browser, tmp_path, "tic_tac_toe")
    page = watched.page
    page.get_by_role("button", name="Begin").focus()
    for _ in range(6):  # it begins, and Cross chooses five times at most
        page.keyboard.press("Enter")
        page.wait_for_function(f"{TABLE}.play.asked === 0 || {TABLE}.play.isOver")
        if watched.ask(f"{TABLE}.play.isOver"):
            break
        assert watched.ask(FOCUS).startswith("Cross marks ")
        assert "Cross is asked" in page.locator(".news").inner_text()
    assert watched.ask(f"{TABLE}.play.isOver") and watched.ask(FOCUS) == "Play again"
    assert page.locator(".ending h3").inner_text() in {"Cross wins", "Nought wins", "Nobody wins"}
    assert watched.faults == [] and watched.ask(WIDER) == []
    watched.close()


def test_on_the_board_with_a_bot_that_thinks(browser: object, tmp_path: Path) -> None:
    """It takes the cell that wins; a play is taken back, told as a link, saved, and opened again."""
    watched = opened(browser, tmp_path, "tic_tac_toe", DESK)
    page = watched.page
    seats(watched, "person", "person")
    page.get_by_role("button", name="Begin").click()
    for name in ("A1", "C1", "B2", "C2"):
        page.locator("rect.cell").nth(watched.ask(f"name => {NAMES}.indexOf(name)", name)).click()
    assert page.locator(".log li").all_inner_texts()[-1] == "Nought marks C2"
    page.get_by_role("button", name="Take back").click()
    assert page.locator(".log li").all_inner_texts() == ["Cross marks A1", "Nought marks C1", "Cross marks B2"]
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save").click()
    play = from_json(read_play(saving.value.path()), load(str(CASES / "tic_tac_toe.sea")))
    assert [move.text for move in play.history] == ["draw_sign(A1)", "draw_sign(C1)", "draw_sign(B2)"]
    page.get_by_role("button", name="Copy a link").click()
    page.wait_for_function("location.hash.startsWith('#play=')")
    page.reload()
    page.wait_for_function("document.querySelectorAll('.log li').length === 3")
    page.get_by_role("button", name="New play").click()
    seats(watched, "search", "person")
    page.set_input_files("#saved-play", saving.value.path())
    page.wait_for_function("document.querySelectorAll('.log li').length === 3")
    page.locator(".options button", has_text="Nought marks A2").click()
    page.wait_for_function(f"{TABLE}.play.isOver", timeout=20_000)
    assert page.locator(".ending h3").inner_text() == "Cross wins" and watched.faults == []
    assert watched.ask(f"typeof {TABLE}.thinker") == "function", "it has thought in a process of its own"
    watched.close()


NAMES = f"""[...'321'].flatMap(row => [...'ABC'].map(column => column + row)).filter(
  cell => {TABLE}.cellsOfOptions().has('Square ' + cell))"""
"""The cells that can be clicked, in the order of the picture."""


def test_hands_are_covered(browser: object, tmp_path: Path) -> None:
    watched = opened(browser, tmp_path, "liars_dice")
    page = watched.page
    assert "covered, not locked away" in page.locator(".start").inner_text()
    seats(watched, "person", "person")
    page.get_by_role("button", name="Begin").click()
    for name, other in (("Ann", "Ben"), ("Ben", "Ann")):
        page.get_by_role("button", name=f"I am {name}").wait_for()
        assert watched.ask(FOCUS) == f"I am {name}" and page.locator(".table, .log").count() == 0
        page.keyboard.press("Enter")
        shown = page.locator("#seaspec-play").inner_text()
        assert re.findall(r">die: (\w+) \d<", page.locator(".table").inner_html()) == [name]
        assert f"{other} rolls in secret" in shown
        page.locator(".options button").first.click()
    watched.close()


def test_nothing_is_shown_before_somebody_says_who_they_are(browser: object, tmp_path: Path) -> None:
    """Not even if a bot comes first; while bots choose, who was last at the screen looks on."""
    watched = opened(browser, tmp_path, "tricks")
    page = watched.page
    seats(watched, "person", "random", "person")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I am Ann").wait_for()
    assert page.locator(".table, .log").count() == 0 and watched.ask(f"{TABLE}.play.asked") == 1, "Ben leads"
    page.keyboard.press("Enter")
    page.get_by_role("button", name="I am Cid").wait_for()
    assert page.locator(".table, .log").count() == 0
    page.keyboard.press("Enter")
    assert "As Cid sees it" in page.locator("#seaspec-play").inner_text()
    page.locator(".options li button").first.click()
    page.get_by_role("button", name="I am Ann").wait_for()
    assert watched.faults == []
    watched.close()


def test_why_not_is_told_with_its_words(browser: object, tmp_path: Path) -> None:
    watched = opened(browser, tmp_path, "liars_dice")
    page = watched.page
    page.get_by_role("button", name="Begin").click()
    page.locator(".why summary").click()
    page.select_option("#why-action", "doubt")
    page.get_by_role("button", name="Tell").click()
    assert "nothing has been bid" in page.locator(".why li").inner_text()
    page.select_option("#why-action", "bid")
    page.select_option("#why-1", label="1")
    page.select_option("#why-2", label="1")
    page.get_by_role("button", name="Tell").click()
    assert "it can be done now" in page.locator(".why").inner_text()
    watched.close()


@pytest.mark.parametrize("nonsense", ["%%%", "q1YqLkrMLEotVrJSMlSqBQA", ""])
def test_nonsense_is_told(nonsense: str, browser: object, tmp_path: Path) -> None:
    watched = opened(browser, tmp_path, "tic_tac_toe")
    page = watched.open(f"#play={nonsense}")
    page.reload()
    page.locator(".alert:not([hidden])").wait_for()
    assert "That play can not be opened: the link holds" in page.locator(".alert").inner_text()
    (tmp_path / "play.json").write_text('{"format": "seaspec play", ', encoding="utf-8")
    page.set_input_files("#saved-play", tmp_path / "play.json")
    page.get_by_text("Was it cut?").wait_for()
    (tmp_path / "other.json").write_text(json.dumps({"format": "seaspec play", "version": 1, "rules": {"name": "Go"}}))
    page.set_input_files("#saved-play", tmp_path / "other.json")
    page.get_by_text("it is a play of Go, and this is TicTacToe").wait_for()
    page.get_by_role("button", name="Begin").click()
    assert page.locator(".alert").is_hidden() and page.locator(".options button").count() == 9
    assert watched.faults == []
    watched.close()


MARKED = """game Marked "A <img src=x onerror=alert(1)> game"
option hard: yes or no = no
state left: 0..3 = 3 "what <b>is</b> left"
const players = 2
component Stone(number: 1..2) "<u>stones</u>"
  Stone one each
place heap set of Stone open
place hand[p: Player] set of Stone seen by p
action take(p: Player, s: Stone in heap) "{p} <i>takes</i> {s}"
  needs odd: left > 2 or hard "<img src=y> is <s>even</s>"
  move s to hand[p]
  left -= 1
  say "<script>alert(2)</script> {left}"
to setup: move all Stone from box to heap
to play
  repeat
    for each p in Player
      p may take
      if size of heap = 0 or left < 3: win for p "<h1>so</h1>"

variant Loud of Marked "<marquee>loud</marquee>"
set hard = yes
"""


def test_what_authors_write_is_no_markup(browser: object, tmp_path: Path) -> None:
    (tmp_path / "marked.sea").write_text(MARKED, encoding="utf-8")
    watched = opened(browser, tmp_path, "marked", ways=(f"{tmp_path}/marked.sea + loud",))
    page = watched.page
    for seat in range(2):
        page.select_option(f"#seat-{seat}", "person")
    page.select_option("#setting", label="<marquee>loud</marquee>, hard yes")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I am Ann").click()
    page.locator(".options button", has_text="<i>takes</i>").first.click()
    page.locator(".log", has_text="<script>alert(2)</script> 2").wait_for()
    assert "<h1>so</h1>" in page.locator(".ending").inner_text()
    assert (
        watched.ask("document.querySelectorAll('#seaspec-play :is(img, b, i, u, s, h1, marquee, script)').length") == 0
    )
    assert watched.faults == [] and watched.ask(WIDER) == []
    watched.close()


SHORT = {"admiral": "truce 10", "pirate_bay": "last round 10"}
"""As they stand these take random players thousands of choices."""


@pytest.mark.parametrize("game", ["calm", "admiral", "pirate_bay", "sea_lords"])
def test_games_of_the_package(game: str, browser: object, home: str, tmp_path: Path) -> None:
    """A whole play of each against bots, and one by several at one screen: some moves by hand, the others by the page's
    own functions."""
    watched = Watched(browser, home)  # type: ignore[arg-type]
    page = watched.open(f"{game}/play-it/")
    page.wait_for_selector("#seaspec-play[data-ready]")
    watched.ask(f"() => {{ {TABLE}.pause = 0 }}")
    if game in SHORT:
        page.select_option("#setting", label=SHORT[game])
        page.wait_for_function(f"label => {TABLE}.setting.label === label", arg=SHORT[game])
    page.get_by_role("button", name="Begin").click()
    for _ in range(3):
        page.wait_for_function(f"{TABLE}.play.asked === 0 && !document.querySelector('.alert:not([hidden])')")
        choose_first(watched)
    assert watched.ask(WIDER) == []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"{ROOT}.classList.contains('dark') === {str(scheme == 'dark').lower()}")
        assert watched.ask(PALE)[1] == []
    page.evaluate(axe())
    assert watched.ask(SERIOUS, {}) == []
    to_the_end(watched)
    page.get_by_role("button", name="Play again").click()
    for seat in range(watched.ask(f"{TABLE}.about.players.length")):
        page.select_option(f"#seat-{seat}", "person")
    page.get_by_role("button", name="Begin").click()
    for _ in range(3):
        if page.locator(".cover button").count():
            page.locator(".cover button").press("Enter")
        choose_first(watched)
    to_the_end(watched)
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save").click()
    file = tmp_path / "play.json"
    file.write_text(Path(saving.value.path()).read_text(encoding="utf-8"), encoding="utf-8")
    ran = seaspec("replay", str(file))
    result = json.loads(file.read_text(encoding="utf-8"))["result"]
    assert ran.code == 0 and result["reason"] in ran.out, ran.err
    assert watched.faults == []
    watched.close()


def choose_first(watched: Watched) -> None:
    """The first option that is offered, by a key."""
    page = watched.page
    before = watched.ask(f"{TABLE}.play.moves.length")
    for box in page.locator(".member input").all():
        if page.locator(".options button.main").is_disabled():
            box.press("Space")
    page.locator(".options button:not(.small):not(:disabled)").first.press("Enter")
    assert watched.ask(f"{TABLE}.play.moves.length") > before


def to_the_end(watched: Watched) -> None:
    """The play goes on at random; its last choice is made by hand. What then is shown tells how it ended."""
    page = watched.page
    watched.ask(TO_THE_END)
    if page.locator(".cover button").count():
        page.locator(".cover button").press("Enter")
    page.locator(".ending").wait_for()
    told = watched.ask(f"{TABLE}.play.result")
    shown = page.locator(".ending").inner_text()
    winners = " and ".join(told["winners"])
    assert shown.startswith(f"{winners} win" if winners else "Nobody wins") and told["reason"] in shown
    assert page.locator(".log li").count() >= 20 and watched.ask(FOCUS) == "Play again"
    assert all(f"{name}: " in shown for name in watched.ask(f"{TABLE}.about.players") if told["scores"])


TO_THE_END = f"""() => {{
  const table = {TABLE};
  const {{ play, machine }} = table;
  table.turn += 1;  // who is thinking thinks no more
  const choose = (number) => play.choose(machine.options(play.state, number, number + 1)[0]);
  while (!play.isOver && play.moves.length < 20000) choose(Math.floor(Math.random() * machine.count(play.state)));
  table.next();
}}"""


def test_another_way_to_play_is_chosen(browser: object, home: str, tmp_path: Path) -> None:
    """It is loaded then; a play that was saved, and a link, come back with it."""
    watched = Watched(browser, home)  # type: ignore[arg-type]
    page = watched.open("calm/play-it/")
    page.wait_for_selector("#seaspec-play[data-ready]")
    loaded = "performance.getEntriesByType('resource').filter(one => one.name.includes('play-game-')).length"
    assert watched.ask(loaded) == 0 and page.locator("[id^=seat-]").count() == 4
    page.locator("#setting").focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_function("document.querySelectorAll('[id^=seat-]').length === 3")
    page.get_by_role("status").get_by_text("It is played by Ann, Ben, Cid.").wait_for()
    assert 1 <= watched.ask(loaded) <= 2 and watched.ask("document.activeElement.id") == "setting"
    page.get_by_role("button", name="Begin").click()
    choose_first(watched)
    page.get_by_role("button", name="Copy a link").click()
    page.wait_for_function("location.hash.startsWith('#play=')")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save").click()
    saved = json.loads(Path(saving.value.path()).read_text(encoding="utf-8"))
    assert saved["rules"]["options"]["players"] == "3" and len(saved["players"]) == 3
    page.reload()
    page.wait_for_function(f"document.querySelector('.log') && {TABLE}.setting.options.players === '3'")
    page.get_by_role("button", name="New play").click()
    page.select_option("#setting", label="players 2")
    page.wait_for_function("document.querySelectorAll('[id^=seat-]').length === 2")
    open_saved(watched, tmp_path, saved)
    page.wait_for_function(f"document.querySelector('.log') && {TABLE}.setting.options.players === '3'")
    page.get_by_role("button", name="New play").click()
    saved["rules"] |= {"digest": "0", "options": saved["rules"]["options"] | {"players": "<i>9</i>"}}
    open_saved(watched, tmp_path, saved)
    told = "It was played with players = <i>9</i>, and here it can be played with players 4; players 2; players 3;"
    assert page.locator(".alert").inner_text().lower().startswith(f"that play can not be opened: {told.lower()}")
    assert watched.faults == [] and watched.ask(WIDER) == []
    watched.close()


def open_saved(watched: Watched, folder: Path, data: object) -> None:
    (folder / "saved.json").write_text(json.dumps(data), encoding="utf-8")
    watched.page.set_input_files("#saved-play", folder / "saved.json")
    watched.page.wait_for_function("document.querySelector('.log, .alert:not([hidden])')")


def test_a_file_that_is_missing_is_told(browser: object, home: str) -> None:
    """Or that is of another book; the page goes on with what it has."""
    watched = Watched(browser, home)  # type: ignore[arg-type]
    page = watched.page
    page.route("**/play-game-2.js", lambda route: route.fulfill(body="(globalThis.seaspecPacked ??= {})['0'] = {}"))
    watched.open("calm/play-it/").wait_for_selector("#seaspec-play[data-ready]")
    page.select_option("#setting", index=1)
    page.locator(".alert:not([hidden])").wait_for()
    assert "must lie beside this page, and be of the same book" in page.locator(".alert").inner_text()
    page.get_by_role("button", name="Begin").click()
    assert page.locator(".alert").is_hidden() and page.locator(".options button").count() and watched.faults == []
    watched.close()


def test_a_bot_that_thinks_guesses_what_is_hidden(browser: object, home: str) -> None:
    """It moves in time, in a process of its own, by what it supposes."""
    watched = Watched(browser, home)  # type: ignore[arg-type]
    page = watched.open("calm/play-it/")
    page.wait_for_selector("#seaspec-play[data-ready]")
    assert "guesses what is hidden" in page.locator("#seat-1").inner_text()
    for seat in range(4):
        page.select_option(f"#seat-{seat}", "search")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_function(f"{TABLE}.play.moves.filter(move => move.player !== null).length >= 3", timeout=60_000)
    page.get_by_role("button", name="Pause").click()
    assert watched.ask(f"{TABLE}.thinker.baffled") == 0 and watched.faults == []
    watched.close()
