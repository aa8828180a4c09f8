"""Books of rules: nothing is lost, no link is dead, nothing is taken for markup, what is written is whole."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from built_site import ROOT, built_site
from cli_runner import seaspec

from seaspec.book import Check, Verdict, book
from seaspec.book.drawn import plays
from seaspec.book.plays import MOST_STEPS, of_play
from seaspec.book.turn import turns
from seaspec.compile import compile_chapters
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.loading import load
from seaspec.saved import to_json

STICKS = """-- Sticks: who takes the last one wins.
--
-- Ten lie there. <b>Be quick</b>.

game Sticks "Sticks & <script>alert(1)</script>"
rulebook sticks

-- 1. What lies there

const all = 10 "sticks | at first"
  cites a.1
state left: 0..10 = all "what is left"

-- 2. A turn

action take(p: Player, n: 1..3) "{p} takes {n} *sticks*"
  cites a.2
  needs enough: n <= left "only {left} are left"
  left -= n
type Player = ring of Ann, Ben
to play
  repeat
    for each p in Player
      p chooses take
      if left = 0: win for p

-- What is promised

invariant few "never more than ten": left <= all
  cites a.1
example begins "all are there": left = 10
  cites a.1
variant Short of Sticks "Short"
set all = 7
"""
CATALOGUE = """# Sticks

## Clauses

### A <i>turn</i>

| id | clause | where |
|---|---|---|
| a.1 | Ten `sticks` & a **stone** <img src=x onerror=alert(2)>. | Палочки <i>1 |
| a.2 | One takes one to three. | |
| a.3 | Nobody speaks. |
"""


class Page(HTMLParser):
    """The names and the links of a page, and its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: Counter[str] = Counter()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attributes:
            if name == "id" and value is not None:
                self.ids.append(value)
            if name in ("href", "src") and value is not None:
                self.links.append(value)


@pytest.fixture
def sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sticks.sea").write_text(STICKS, encoding="utf-8")
    Path("rulebooks").mkdir()
    Path("rulebooks/sticks.md").write_text(CATALOGUE, encoding="utf-8")
    return tmp_path


def test_the_site_asks_no_other_host_and_has_no_dead_link() -> None:
    site = built_site()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.stem != "404"}
    games = {path.name for path in site.iterdir() if (path / "rules").is_dir()}
    assert games == {path.stem for path in (ROOT / "spec").glob("*.sea")} - {"sailing"}
    for path, page in pages.items():
        text = path.read_text(encoding="utf-8")
        asked = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="((?:https?:)?//[^"]*)"', text)
        assert asked == [], path
        assert not [name for name, times in Counter(page.ids).items() if times > 1], path
        for link in page.links:
            if re.match(r"https?:|data:", link):
                continue
            target, _, name = link.partition("#")
            there = (path.parent / target).resolve() if target else path
            there = there / "index.html" if there.is_dir() else there
            assert there.is_file(), (path, link)
            assert not name or name in pages[there].ids, (path, link)
    for path in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", path.read_text(encoding="utf-8")), path
    assert '<span class="kd">game</span>' in (site / "tutorial" / "index.html").read_text(encoding="utf-8")
    calm = (site / "calm" / "rules" / "index.html").read_text(encoding="utf-8")
    assert len(list((site / "sea_lords").glob("example-*.svg"))) > 20
    assert 'href="../clauses/#play.4"' in calm and '<h2 id="rules-what-a-player-may-spend"' in calm


def test_a_book_in_one_file(sticks: Path) -> None:
    assert seaspec("check", "sticks.sea", "--limit", "0").code == 0
    ran = seaspec("book", "sticks.sea", "--one-file", "sticks.html")
    assert (ran.code, ran.out) == (0, "written: sticks.html\n")
    text = Path("sticks.html").read_text(encoding="utf-8")
    page = Page(text)
    # each thing, page and clause has one name, and all links lead to one
    assert not [name for name, times in Counter(page.ids).items() if times > 1]
    pages = {"index", "rules", "examples", "promises", "glossary", "clauses", "variant-short", "play-it"}
    assert pages | {"take", "left", "few", "begins", "a.3"} <= set(page.ids)
    links = [link for link in page.links if not link.startswith("data:")]
    assert links and all(link.startswith("#") and link[1:] in page.ids for link in links)
    # nothing that an author, or a catalogue, writes is markup
    assert page.tags["script"] == 6, (
        "the search; the game, how it can be played, what plays it; pictures, and who puts them"
    )
    assert "&#60;b&#62;Be quick" in text and "<b>Be quick" not in text
    assert page.tags["img"] == 1 and text.count('<img data-picture="beginning.svg" alt="') == 1
    (picture,) = unsqueezed(text)["plays"]["beginning.svg"]
    assert picture and "onerror" not in re.sub(r"&#60;img[^<]*", "", text)
    assert "Sticks &amp; &#60;script&#62;" in text and "<em>sticks</em>" not in text
    # the course of the game: what only sets a number is left out
    _, _, course = text.partition("all of it as a list</summary>")
    lines = re.findall(r"<code[^>]*>(.*?)</code>", course[: course.index("</div>")])
    assert [re.sub(r"<[^>]*>", "", line) for line in lines] == [
        "repeat",
        "for each p in Player",
        "p chooses take",
        "if left = 0",
        "win for p",
    ]
    # what is said, read, cited, guarded
    assert "<h2 " in text and ">A turn</h2>" in text and 'only <a href="#left"><var>left</var></a> are left' in text
    assert "Ten <code>sticks</code> &amp; a <strong>stone</strong> &#60;img" in text
    assert "in the rule book: Палочки &#60;i&#62;1</small>" in text and text.count("in the rule book: ") == 1
    assert "no rule cites it" in text and "2 of 3 clauses of the rule book are covered" in text
    assert 'class="verdict kept">' in text and "It was not asked for as usual." in text


MANY = """left <= all
invariant many "more than eight": left > 8
myth invariant full "none is taken": left = all
never stuck
ends within 20 calls of play
reachable last "one is left": left = 1
"""


def test_names_of_pages_may_be_names_of_rules(sticks: Path) -> None:
    named = "state found: 0..2 = 0\nstate rules: 0..2 = 0\ndefine odds = rules + found\n"
    Path("sticks.sea").write_text(STICKS.replace("-- What is", f"{named}\n-- What is"), encoding="utf-8")
    assert seaspec("book", "sticks.sea", "--one-file", "sticks.html").code == 0
    page = Page(Path("sticks.html").read_text(encoding="utf-8"))
    assert not [name for name, times in Counter(page.ids).items() if times > 1]
    assert {"rules", "rules-2", "odds-2", "found"} <= set(page.ids) and "#rules-2" in page.links


def test_what_was_found_out_is_told_with_its_play(sticks: Path) -> None:
    text = STICKS.replace("left <= all\n", MANY)
    Path("sticks.sea").write_text(text, encoding="utf-8")
    assert seaspec("check", "sticks.sea").code == 1
    seaspec("book", "sticks.sea", "pages")
    page = Path("pages/sticks/promises.md").read_text(encoding="utf-8")
    assert page.count("not checked yet") == 0
    assert re.search(r'{#few}.*?class="verdict kept">(proved|exhaustive)<', page, re.DOTALL)
    assert re.search(
        r'{#many}.*?class="verdict broken">broken<.*?the play that shows it.*?<li [^>]*>Ann takes', page, re.DOTALL
    )
    index = Path("pages/sticks/index.md").read_text(encoding="utf-8")
    assert "promises: " in index and "1 broken" in index
    # the play is stepped through: the promise holds until the step that breaks it, each by a rule
    steps = re.findall(r'<li id="many-step-(\d+)" value="\d+" class="([\w-]*)">', page)
    assert [number for number, _ in steps] == [str(number) for number in range(len(steps))] and len(steps) > 1
    assert [mark for _, mark in steps] == ["holds"] * (len(steps) - 1) + ["broken"]
    assert '<a class="by" href="rules.html#take">take</a>' in page
    shown = {name: len(pictures) for name, pictures in drawn("sticks", "promises").items()}
    assert set(shown) == {"many", "full", "last"} and (shown["many"], shown["full"]) == (len(steps), 2)
    # what is reachable is met at the end
    marks = re.findall(r'<li id="last-step-\d+" value="\d+" class="([\w-]*)">', page)
    assert set(marks[:-1]) == {"not-yet"} and marks[-1] == "met" and len(marks) == shown["last"]
    # a myth says so
    assert re.search(r"You may think:</b> <i>none is taken</i>. <b>It is not so.</b>.*?refuted<", page)
    # of another text it is stale, and no play of it is shown by rules that do not allow it
    Path("sticks.sea").write_text(text.replace("left > 8", "left > 7").replace("1..3)", "1..1)"), encoding="utf-8")
    seaspec("book", "sticks.sea", "pages")
    page = Path("pages/sticks/promises.md").read_text(encoding="utf-8")
    assert "these verdicts are stale" in page and "`seaspec check sticks` finds them anew" in page
    assert page.count('class="verdict stale">stale: ') == 6 and "1 broken" in index
    # what has another name is another promise
    Path("sticks.sea").write_text(text.replace("invariant many", "invariant several"), encoding="utf-8")
    seaspec("book", "sticks.sea", "pages")
    assert Path("pages/sticks/promises.md").read_text(encoding="utf-8").count("not checked yet") == 1


@pytest.mark.parametrize(("kept", "told"), [(True, "not so."), (False, "so, though"), (None, "not known")])
def test_a_myth_is_told_as_it_was_found(sticks: Path, kept: bool | None, told: str) -> None:
    Path("sticks.sea").write_text(STICKS.replace("left <= all\n", MANY), encoding="utf-8")
    pages = book(load("sticks.sea"), {}, check=Check({"full": Verdict("tested", kept, "")}))
    assert f"You may think:</b> <i>none is taken</i>. <b>It is {told}" in pages["sticks/promises.md"]


def drawn(book: str, page: str) -> dict[str, list[str]]:
    """The pictures of the plays of a page, put together as the script does it."""
    text = Path(f"pages/{book}/plays-{page}.js").read_text(encoding="utf-8")
    data = unsqueezed(text)
    return {
        name: [
            "\n".join(line for first, count in pairs(runs) for line in data["lines"][first : first + count])
            for runs in pictures
        ]
        for name, pictures in data["plays"].items()
    }


def unsqueezed(script: str) -> Any:
    """What the script takes up."""
    return json.loads(gzip.decompress(b64decode(re.findall(r'push\("([^"]*)"\)', script)[-1])))


def pairs(runs: list[int]) -> list[tuple[int, int]]:
    return list(zip(runs[::2], runs[1::2], strict=True))


def test_examples_are_stepped_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "tests/cases/games/dice_race.sea").read_text(encoding="utf-8")
    Path("race.sea").write_text(text, encoding="utf-8")
    assert seaspec("book", "race.sea", "pages").code == 0
    page = Path("pages/dice_race/examples.md").read_text(encoding="utf-8")
    _, _, course = page.partition('data-play="one_loses"')
    steps = re.findall(r'<li id="one_loses-step-(\d)"[^>]*>(.*?)</li>', course)
    words = [re.sub(r"<[^>]*>", "", step) for _, step in steps]
    assert words == ["how it begins", "Ann rolls go_on", "chance: 6", "Ann rolls go_on", "chance: 1"]
    # a throw is seen where it has come
    pips = [picture.count('r="3.2"') for picture in drawn("dice_race", "examples")["one_loses"]]
    assert pips == [0, 0, 6, 0, 1]
    # what is refused is a step, too, with the reason; after it all is as before
    _, _, refused = page.partition('data-play="first_roll"')
    assert "refused" in refused[:600] and "not allowed: Ann does halt" in refused[:600]
    last, before = (drawn("dice_race", "examples")["first_roll"][place] for place in (-1, 0))
    assert last == before
    # without a script, and before it runs, there is the picture of the end
    assert '<img src="example-one_loses.svg"' in course[:200]
    assert (
        Path("pages/dice_race/example-one_loses.svg").read_text(encoding="utf-8")
        == (drawn("dice_race", "examples")["one_loses"][-1])
    )


def test_what_one_looks_up(sticks: Path) -> None:
    text = STICKS.replace("const all = 10", "option all: 5..10 = 10")
    luck = 'chance luck(m: 1..2) "a six with {m} dice"\n  roll m d6 as mine\n  gives mine = 6\nodds luck(1) = 1/6\n'
    Path("sticks.sea").write_text(text.replace("-- What is", f"{luck}\n-- What is"), encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    pages = {
        name: Path(f"pages/sticks/{name}.md").read_text(encoding="utf-8") for name in ("options", "glossary", "odds")
    }
    plain = {name: re.sub(r"<[^>]*>", "", page) for name, page in pages.items()}
    # what an option changes: the lines that read it, and what rests on these
    assert "It changes the rules: left\n" in plain["options"] and "It changes the promises: few\n" in plain["options"]
    assert "left: state left: 0..10 = all" in plain["options"] and "which are used by take, play" in plain["options"]
    assert 'href="options.html#option-all"' in Path("pages/sticks/index.md").read_text(encoding="utf-8")
    # words with their sentences, and where they are used
    assert "| left | state | what is left | take, play, few, begins |" in plain["glossary"]
    # odds, exactly
    assert "| odds luck(1) | 1/6 | 16.7% |  |" in plain["odds"] and "width: 16.7%" in pages["odds"]
    Path("sticks.sea").write_text(STICKS, encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    assert not Path("pages/sticks/options.md").exists() and not Path("pages/sticks/odds.md").exists()


def test_the_words_of_the_rule_book_stand_beside_ours(sticks: Path) -> None:
    text = STICKS.replace(
        "type Player = ring of Ann, Ben", "type Player = ring of Ann, Ben\ntype Pace = one of slow, fast"
    )
    terms = 'term uk left "залишок", take "взяти", Ann "Ганна", slow "повільно"\nterm ru take "взять"\n'
    variant = 'variant Long of Sticks "Long"\nset all = 9\naction skip(p: Player): nothing\nterm uk skip "пропустити"\n'
    Path("sticks.sea").write_text(f"{text}{variant}more of Sticks\n{terms}", encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    rules, glossary, long = (
        Path(f"pages/sticks/{name}.md").read_text(encoding="utf-8") for name in ("rules", "glossary", "variant-long")
    )
    both = '<span class="term" lang="uk">взяти</span>, <span class="term" lang="ru">взять</span>'
    assert f"### take · {both} {{#take}}" in rules
    assert '<b>left · <span class="term" lang="uk">залишок</span></b>' in rules
    assert '<small>in the rule book: slow <span class="term" lang="uk">повільно</span></small>' in rules
    assert '### skip · <span class="term" lang="uk">пропустити</span> {#long-skip}' in long
    plain = re.sub(r"<[^>]*>", "", glossary.replace("<br>", " "))
    assert "| left залишок | state | what is left | take, play, few, begins |" in plain
    assert "| take взяти, взять | action | p takes n &#42;sticks&#42; | play |" in plain
    assert "| slow повільно | value |  |  |" in plain and "| Ann Ганна | value |  |" in plain


WILD = """example last_two "two are left"
  given left = 2
  when Ann does take(2)
  then left = 0
variant Wild of Sticks "Wild"
set all = 7
after take(p, n): left := 10
example grows "they grow again"
  given left = 5
  when Ann does take(3)
  then left = 10
  when Ben does take(1)
  then left = 10
"""


def test_the_plays_of_a_variant_are_stepped_through(sticks: Path) -> None:
    Path("sticks.sea").write_text(STICKS.replace("variant Short", f"{WILD}variant Short"), encoding="utf-8")
    assert seaspec("check", "sticks.sea + wild").code == 1
    assert seaspec("book", "sticks.sea", "pages").code == 0
    page = Path("pages/sticks/variant-wild.md").read_text(encoding="utf-8")
    found = dict(re.findall(r'data-play="([\w-]+)">(.*?)</div>', page, re.DOTALL))
    assert list(found) == ["variant-wild-lost-few", "variant-wild-begins", "variant-wild-last_two", "wild-grows"]
    broken, _, otherwise, own = (re.sub(r"<[^>]*>", " ", part) for part in found.values())
    assert "it does not hold" in broken and "takes" in broken
    assert "otherwise than the example says" in otherwise and "it does not hold" in otherwise
    assert "not hold" not in own and own.count("takes") == 2
    assert "It is so because of<ul><li><code>after take(p, n): left := 10</code></li>" in page
    assert '<img src="example-wild-grows.svg"' in found["wild-grows"]
    assert {name: len(steps) for name, steps in drawn("sticks", "variant-wild").items()} == {
        name: part.count("<li ") for name, part in found.items()
    }
    assert Path("pages/sticks/example-wild-grows.svg").exists()


def test_sums_of_dice_are_no_pips(sticks: Path) -> None:
    luck = (
        'chance luck(m: 1..2) "a throw"\n  roll m d6 as mine\n  let more = m\n  roll more d8 as other\n  gives mine\n'
    )
    text = STICKS.replace("-- What is", f"{luck}\n-- What is").replace(
        "  left -= n\n", "  let n_now = luck(n_dice)\n  left -= n\n"
    )
    text = text.replace("const all = 10", "const n_dice = 2\nconst all = 10")
    shown = "example thrown\n  given left = 3\n  when Ann does take(1) rolling 3, 4, 8, 8\n  then left = 2\n"
    Path("sticks.sea").write_text(text.replace("variant Short", f"{shown}variant Short"), encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    pictures = drawn("sticks", "examples")["thrown"]
    titles = [re.findall(r"<title>(\d+ with [^<]*)</title>", picture) for picture in pictures]
    assert ["7 with 2 d6", "16 with 2 d8"] in titles
    assert not any('r="3.2"' in picture for picture in pictures)


def test_nothing_is_told_twice(sticks: Path) -> None:
    begins = "-- Sticks & <script>alert(1)</script>. Two play. It stands in sticks.sea.\n--\n-- More.\n\ngame"
    text = STICKS[STICKS.index("game") :].replace("game", begins, 1)
    things = (
        "component Coin\n  Coin times 3\n  Penny\nplace bank set of Coin open\ndefine all_coins = size of Coin\n"
        "after take: left -= 0\n"
    )
    variants = (
        'variant Rich of Sticks "Rich"\ntitle uk "Багаті"\nreplace component Coin\n  Coin times 9\n'
        'variant Richer of Rich "Richer"\nset all = 9\naction skip(p: Player): nothing\n'
        "before take: nothing\nafter take: nothing\n"
    )
    Path("sticks.sea").write_text(text.replace("-- What is", f"{things}\n-- What is") + variants, encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    index, rich, richer, glossary = (
        re.sub(r"<[^>]*>", "", Path(f"pages/sticks/{name}.md").read_text(encoding="utf-8"))
        for name in ("index", "variant-rich", "variant-richer", "glossary")
    )
    assert "\nTwo play.\n" in index and "sticks.sea" not in index.partition("What is in the box")[0]
    assert "| Rich | Багаті | 1 changed |" in index and "| Richer |  | 3 changed, 1 new |" in index
    assert "| Short |  | 1 changed |" in index
    assert rich.startswith("# Rich\n\nБагаті\n") and "A variant of Rich: what" in richer
    assert rich.partition("before")[2].partition("with Rich")[0].count("component Coin") == 1
    assert "| left | state | what is left | take, play, few, begins |" in glossary


def test_examples_with_options_of_their_own_are_drawn_where_there_are_several(sticks: Path) -> None:
    text = STICKS.replace("const all = 10", "option all: 5..10 = 10").replace(
        "-- What is", "option slow: yes or no = no\n-- What is"
    )
    examples = "".join(
        f"example e{n}\n  given all = 6, left = {n}\n  when Ann does take({n}) then left = 0\n" for n in (1, 2, 3)
    )
    alone = "example lonely\n  given all = 7, left = 3\n  when Ann does take(3) then left = 0\n"
    Path("sticks.sea").write_text(text.replace("variant Short", f"{examples}{alone}variant Short"), encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    assert set(drawn("sticks", "examples")) == {"e1", "e2", "e3"}


def test_a_play_of_a_small_world_is_stepped_through(sticks: Path) -> None:
    Path("sticks.sea").write_text(f"{STICKS}world few of Sticks\nset all = 3\n", encoding="utf-8")
    game = load("sticks.sea")
    assert game.subject is not None
    core = compile_chapters(game.subject.in_world(game.subject.worlds[0]), {}, Report())
    assert core is not None
    play = Game(core).start(seed=1).do("take(1)").do("take(2)")
    shown = Verdict("broken", False, "", world="few", steps=("..",), saved=to_json(play))
    ((name, steps),) = plays(game, {"few": shown})
    assert name == "few"
    assert [step.words for step in steps] == ["how it begins", "Ann takes 1 *sticks*", "Ben takes 2 *sticks*"]
    assert [step.mark for step in steps] == ["holds", "holds", "broken"] and steps[1].by == "take"
    # by rules that do not allow it, or without the world, it is not shown
    for text in (STICKS, f"{STICKS}world few of Sticks\nset all = 2\n"):
        Path("sticks.sea").write_text(text, encoding="utf-8")
        assert dict(plays(load("sticks.sea"), {"few": shown})) == {}


def test_of_a_long_play_the_end_is_drawn(tmp_path: Path) -> None:
    game = load(str(ROOT / "tests/cases/games/dice_race.sea"))
    play = game.start(seed=2)
    while len(play.history) < MOST_STEPS + 30 and not play.is_over:
        play.do(play.choices[0])
    steps = of_play(game, "none", to_json(play), kept=True)
    assert len(steps) == MOST_STEPS + 1 and steps[0].number == steps[-1].number - MOST_STEPS > 0


VARIANT = """forbid take(p, n) when n = 3 "three are too many"
drops few because "there are fewer"
breaks begins because "seven lie there"
invariant sparse "never more than seven": left <= 7
"""


def test_what_a_variant_loses_is_told_with_its_play(sticks: Path) -> None:
    broken = STICKS.replace("variant Short", 'invariant many "many": all > 8 or left > 4\nvariant Short')
    Path("sticks.sea").write_text(broken, encoding="utf-8")
    assert seaspec("check", "sticks + short").code == 1
    assert seaspec("book", "sticks.sea", "pages").code == 0
    page = Path("pages/sticks/variant-short.md").read_text(encoding="utf-8")
    assert "<summary>many: the play that breaks it, in " in page and "It is so because of<ul>" in page


def test_a_variant_is_shown_as_what_it_changes(sticks: Path) -> None:
    Path("sticks.sea").write_text(STICKS + VARIANT, encoding="utf-8")
    for stack in ("sticks.sea", "sticks + short"):
        assert seaspec("check", stack).code == 0
    assert seaspec("book", "sticks.sea", "sticks + short", "pages").code == 0
    page = Path("pages/sticks/variant-short.md").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]*>", "", page)
    # at a glance
    assert "- changed: all, take\n" in plain and "- promised besides: sparse\n" in plain
    assert "- not promised any more: drops few, begins" in plain and "removed" not in plain
    # before and after; what is given up is struck, with its sentence and the reason
    assert "beforeconst all = 10" in plain and "with Shortset all = 7" in plain
    assert re.search(r"<del><a [^>]*>few</a> <i>never more than ten</i></del>.*?for there are fewer", page, re.DOTALL)
    # promises without it and with it
    assert re.search(r"\| few \| \w+ \|  \| given up \|", plain)
    assert re.search(r"\| sparse \|  \| \w+ \| gained \|", plain)
    assert re.search(r"{#short-sparse}.*?class=.verdict kept.>", page, re.DOTALL), "by the check of the variant"
    # of what is promised with it, the check of the game without it says nothing
    own = Path("sticks.sea").read_text(encoding="utf-8") + "never stuck\n"
    Path("sticks.sea").write_text(own.replace("variant Short", "never stuck\nvariant Short"), encoding="utf-8")
    base = Check({"never stuck": Verdict("proved", True, "")})
    pages = book(load("sticks.sea"), {}, check=base)
    assert (
        "not checked yet" in pages["sticks/variant-short.md"]
        and 'kept">proved<' not in pages["sticks/variant-short.md"]
    )
    assert 'kept">proved<' in pages["sticks/promises.md"]
    card = Check({"few": Verdict("proved", True, "")}, card=(("Ann wins", "50.0%", "61.2%", True),))
    pages = book(load("sticks.sea"), {}, variant_checks={"Short": card})
    head = "| in random plays | without it | with it |  |\n| --- | --- | --- | --- |\n"
    assert f"{head}| Ann wins | 50.0% | 61.2% | differs |" in pages["sticks/variant-short.md"]
    # the whole book with it: a folder of its own, changes marked beside the rules
    whole = Path("pages/sticks_short/rules.md").read_text(encoding="utf-8")
    assert not Path("pages/sticks_short/variant-short.md").exists()
    assert re.search(r"{#take}\n\n.*?<div class=.margin.><p>changed by Short: ", whole, re.DOTALL)
    promises = Path("pages/sticks_short/promises.md").read_text(encoding="utf-8")
    assert re.search(r"{#few}\n\n.*?<div class=.margin.><p>struck by Short: ", promises, re.DOTALL)
    assert '<p class="margin">by Short</p>' in promises
    index = Path("pages/sticks_short/index.md").read_text(encoding="utf-8")
    assert index.startswith("# Sticks &amp; &#60;script&#62;alert(1)&#60;/script&#62; with Short\n")


def test_the_course_is_drawn_from_the_flow_graph(sticks: Path) -> None:
    looking = "to look(p: Player)\n  p may take\n  roll d6 as n\n  if n = 1: p drops out\nto idle: left := all\n"
    text = STICKS.replace("left = 0: win for p\n", "left = 0: win for p\n      look(p)\n")
    Path("sticks.sea").write_text(text.replace("-- What is", looking + "\n-- What is"), encoding="utf-8")
    play, look = turns(load("sticks.sea").flow)
    assert (play.title, look.title) == ("play", "look")
    shown = [(box.sort, box.words, [(arrow.to, arrow.label) for arrow in box.arrows]) for box in play.boxes]
    assert shown == [
        ("asked", "p chooses take", [(1, "")]),  # the rounds end only where the game does, so they part nothing
        ("tests", "if left = 0: win for p", [(2, "yes"), (3, "no")]),
        ("ends", "win for p", []),
        ("calls", "look", [(0, "")]),
    ]
    assert [box.who for box in play.boxes if box.who] == ["p"] and play.boxes[0].names == ("take",)
    assert [box.sort for box in look.boxes] == ["asked", "chance", "tests", "ends", "returns"]
    assert seaspec("book", "sticks.sea", "pages").code == 0
    page = Path("pages/sticks/rules.md").read_text(encoding="utf-8")
    drawings = re.findall(r'<details id="(course-[\w-]+)"( open)?>.*?<svg (.*?)</svg>', page, re.DOTALL)
    assert [drawing[:2] for drawing in drawings] == [("course-to-play", " open"), ("course-look", "")]
    # boxes are links: to the section of an action, to the diagram of a procedure
    assert '<a href="#take">take</a>' in drawings[0][2] and '<a href="#course-look">look</a>' in drawings[0][2]
    assert drawings[0][2].count("<rect") == 4 and "aria-label=" in drawings[0][2]


def test_what_was_checked_elsewhere_is_told_from_its_record(sticks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert seaspec("check", "sticks.sea", "--record", "checks").code == 0
    (record,) = (sticks / "checks").iterdir()
    assert record.name == "sticks.json" and str(sticks) not in record.read_text(encoding="utf-8")
    monkeypatch.setenv("SEASPEC_CACHE", str(sticks / "another"))

    def page(*words: str) -> str:
        assert seaspec("book", "sticks.sea", "pages", *words).code == 0
        return Path("pages/sticks/promises.md").read_text(encoding="utf-8")

    assert "not checked yet" in page()
    assert "not checked yet" not in page("--checks", "checks") and "stale" not in page("--checks", "checks")
    Path("sticks.sea").write_text(STICKS.replace("1..3)", "1..2)"), encoding="utf-8")
    assert "these verdicts are stale" in page("--checks", "checks")
    words = 'more of Sticks "how it looks, and the words of the rule book"\n-- In Russian.\nterm ru take "взять"\n'
    Path("sticks.sea").write_text(STICKS + words, encoding="utf-8")
    assert "stale" not in page("--checks", "checks"), "a text that ends with words of people alone is the same"
    for after in ("invariant more: left >= 0\n", "world few of Sticks\nset all = 3\n"):
        Path("sticks.sea").write_text(STICKS + words + after, encoding="utf-8")
        assert "these verdicts are stale" in page("--checks", "checks"), after
    Path("sticks.sea").write_text(STICKS.replace("1..3)", "1..2)"), encoding="utf-8")
    for text in ("no record", "[]", '{"result": {}}'):
        record.write_text(text, encoding="utf-8")
        assert "not checked yet" in page("--checks", "checks")
    nowhere = seaspec("book", "sticks.sea", "pages", "--checks", "nowhere")
    assert nowhere.code == 1 and "there is no folder nowhere" in nowhere.err
    chosen = seaspec("check", "sticks.sea", "--record", "checks", "--set", "players=2")
    assert chosen.code == 1 and "usual options" in chosen.err


def test_a_numbered_heading_may_go_on_as_prose(sticks: Path) -> None:
    """Prose stands once: with the rules of its section, or, if it has none, with what else there is."""
    text = STICKS.replace("-- What is promised\n", "-- 3. What is promised. It is little.\n")
    text = text.replace("-- 2. A turn\n", "-- 2. A turn. It is short.\n").replace(
        "\nexample", "\n-- Examples\n\nexample"
    )
    Path("sticks.sea").write_text(text, encoding="utf-8")
    assert seaspec("book", "sticks.sea", "pages").code == 0
    page = Path("pages/sticks/promises.md").read_text(encoding="utf-8")
    assert "\n## What is promised {" in page and "\nIt is little" in page
    page = Path("pages/sticks/rules.md").read_text(encoding="utf-8")
    assert "\n## A turn {" in page and "\nIt is short" in page


def test_pages_are_replaced_as_a_whole(sticks: Path) -> None:
    assert seaspec("book", "sticks.sea", "pages").code == 0
    folder = sticks / "pages" / "sticks"
    assert seaspec("book", "sticks.sea", "pages", "--check").code == 0
    (folder / "rules.md").write_text("mine", encoding="utf-8")
    (folder / "old.md").write_text("gone", encoding="utf-8")
    stale = seaspec("book", "sticks.sea", "pages", "--check")
    assert (stale.code, stale.lines) == (1, ["stale: pages/sticks/rules.md", "stale: pages/sticks/old.md"])
    assert seaspec("book", "sticks.sea", "pages").code == 0
    assert seaspec("book", "sticks.sea", "pages", "--check").code == 0 and not (folder / "old.md").exists()
    assert sorted(path.name for path in (sticks / "pages").iterdir()) == ["sticks"], "nothing is left beside"


def test_what_was_not_written_so_is_left_alone(sticks: Path) -> None:
    (sticks / "pages" / "sticks").mkdir(parents=True)
    (sticks / "pages" / "sticks" / "mine.md").write_text("mine", encoding="utf-8")
    ran = seaspec("book", "sticks.sea", "pages")
    assert ran.code == 1 and "was not written by seaspec book" in ran.err
    assert (sticks / "pages" / "sticks" / "mine.md").read_text(encoding="utf-8") == "mine"
    assert "where do the pages go?" in seaspec("book", "sticks.sea").err


def test_a_faulty_text_writes_nothing(sticks: Path) -> None:
    Path("faulty.sea").write_text("game Faulty\nconst one = tow\n", encoding="utf-8")
    ran = seaspec("book", "faulty.sea", "sticks.sea", "pages")
    assert ran.code == 1 and "faulty.sea:2:13" in ran.err and not Path("pages").exists()


def test_the_plugin_tells_of_faulty_texts(sticks: Path) -> None:
    Path("docs").mkdir()
    Path("docs/index.md").write_text("# Games\n", encoding="utf-8")
    Path("faulty.sea").write_text("game Faulty\nconst one = tow\n", encoding="utf-8")
    settings = "site_name: Games\ntheme: {name: readthedocs, highlightjs: false}\nplugins: [{seaspec: {games: [%s]}}]\n"
    for game, code in (("faulty.sea", 1), ("sticks.sea", 0)):
        Path("mkdocs.yml").write_text(settings % game, encoding="utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        assert made.returncode == code, made.stderr
        assert ("faulty.sea:2:13" in made.stderr) == bool(code) and "Traceback" not in made.stderr
    assert "takes" in Path("site/sticks/rules/index.html").read_text(encoding="utf-8")
    # where pages are files, what they ask for lies beside them
    text = STICKS.replace("example begins", 'example one "one": when Ann does take(1) then left = 9\nexample begins')
    Path("sticks.sea").write_text(text, encoding="utf-8")
    Path("mkdocs.yml").write_text(f"{settings % game}use_directory_urls: false\n", encoding="utf-8")
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0
    scripts = re.findall(r'<script src="((?:stepper|plays-).*?)"', Path("site/sticks/examples.html").read_text("utf-8"))
    assert len(scripts) == 2 and all((sticks / "site" / "sticks" / script).is_file() for script in scripts)
