"""Coverage of the rule book: who cites what, and `seaspec cover`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seaspec import library, shelf
from seaspec.check.rules.cover import _PROMISES, Coverage, book_of, check_citations, cover
from seaspec.cli.main import main
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report
from seaspec.rulebook import ClauseEntry, Rulebook, read_rulebook
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.parse import parse
from seaspec.syntax.walk import walk

CASES = Path(__file__).parent / "cases"
GAME = """\
module sailing
rulebook sailing
to draw_wind
  cites wind.rose, gap.2
  nothing

game Calm "Calm"
rulebook calm
note "No talking." cites turn.2
component Card
  Island times 80
    cites part.1

action play(p: Player) "{p} plays"
  cites ex.1
  needs turn: p = seat(1) "not yet"
    assume "by seats" cites gap.1
  needs silent: yes "not now"
  nothing

define bold(p: Player) "{p} is bold" = p = seat(1)
define plain(p: Player) = bold(p)
define proof(p: Player) "only promises need it" = yes
to turn(p: Player)
  if plain(p)
    play(p)
to empty(p: Player): nothing
to unsaid(p: Player) left open
invariant fine: every p in Player: proof(p)

variant House of Calm "House"
  cites house.1
forbid play(p) when p = seat(2) "no"

world tiny of Calm
replace turn(p)
  play(p)
"""


def books() -> dict[str, Rulebook]:
    def read(file: str, name: str) -> Rulebook:
        return read_rulebook(SourceFile(file, (CASES / file).read_text(encoding="utf-8")), name)

    return {"calm": read("rulebook.md", "calm"), "sailing": read("rulebook_of_module.md", "sailing")}


def cover_text(text: str, name: str = "calm") -> Coverage:
    report = Report()
    chapters = parse(SourceFile("case.sea", text), report).chapters
    assert not list(report), [d.message for d in report]
    if name == "sailing":
        chapters = chapters[:1]
    return cover(chapters, books()[name], books())


def test_who_cites_what() -> None:
    coverage = cover_text(GAME)
    cited = {id: [use.what for use in uses] for id, uses in coverage.cited.items()}
    assert cited == {
        "turn.1": ["to draw_wind"],
        "move.4.6a": ["to draw_wind"],
        "gap.2": ["to draw_wind"],
        "part.1": ["kind Island"],
        "ex.1": ["action play"],
        "gap.1": ["guard turn of action play"],
        "house.1": ["variant House"],
    }
    assert [use.span.text for use in coverage.cited["part.1"]] == ["part.1"]


def test_what_a_note_excuses() -> None:
    coverage = cover_text(GAME)
    assert ids(coverage.excused) == ["turn.2"]
    assert coverage.missing == ()


def test_what_is_missing() -> None:
    coverage = cover_text('game Calm\nrulebook calm\nnote "x" cites turn.1\nconst a = 1\n  cites turn.1\n')
    assert coverage.excused == ()
    assert ids(coverage.implemented) == ["turn.1"]
    assert ids(coverage.missing) == ["turn.2", "move.4.6a"]


RULES = {
    "a guard": 'action go(p: Player) "{p} goes"\n  needs early: p = seat(1) "no"\n    cites turn.1\n  nothing\n',
    "a define that play needs": 'define one = 1\n  cites turn.1\nto play\n  say "{one}"\n',
    "an option": "option players: 2..4 = 2\n  cites turn.1\n",
    "a state": "state points: 0..9 = 0\n  cites turn.1\n",
    "a variant's change": 'variant House of Calm "House"\nafter turn(p): nothing\n  cites turn.1\n',
    "a hook that does more than keep a record": "track t: 0..9 = 0\nstate s: 0..9 = 0\nafter turn(p)\n  cites turn.1\n"
    "  t += 1\n  if t > 3: s := 1\n",
    "what is taken away": 'variant House of Calm "House"\nremove play\n  cites turn.1\n',
}
TOLD = {
    "an example": "example small\n  cites turn.1\n  then 1 = 1\n",
    "an invariant": "invariant sound: 1 = 1\n  cites turn.1\n",
    "a myth": "myth invariant sound: 1 = 2\n  cites turn.1\n",
    "odds": "chance flip\n  roll d2 as n\n  gives n > 1\nodds flip = 1/2\n  cites turn.1\n",
    "a define that only promises need": "define one = 1\n  cites turn.1\ninvariant sound: one = 1\n",
    "a record": "track t: 0..9 = 0\n  cites turn.1\n",
    "a hook that keeps a record": "track t: 0..9 = 0\nafter turn(p)\n  let n = 1\n  for each q in Player\n"
    "    if t < 9: t += n\n      cites turn.1\n",
    "a heading": 'variant House of Calm "House"\n  cites turn.1\n',
    "a small world": "const width = 9\nworld tiny of Calm\nset width = 2\n  cites turn.1\n",
    "what breaks": 'variant House of Calm "House"\nbreaks sound because "so"\n  cites turn.1\n',
}


@pytest.mark.parametrize("text", RULES.values(), ids=RULES)
def test_a_rule_implements_what_it_cites(text: str) -> None:
    coverage = cover_text(f"game Calm\nrulebook calm\n{text}")
    assert ids(coverage.implemented) == ["turn.1"]
    assert coverage.exampled == ()


@pytest.mark.parametrize("text", TOLD.values(), ids=TOLD)
def test_what_does_nothing_in_a_play_implements_nothing(text: str) -> None:
    coverage = cover_text(f"game Calm\nrulebook calm\n{text}")
    assert coverage.implemented == ()
    assert ids(coverage.exampled) == ["turn.1"]
    assert ids(coverage.missing) == ["turn.2", "move.4.6a"]
    noted = cover_text(f'game Calm\nrulebook calm\nnote "At the table." cites turn.1\n{text}')
    assert ids(noted.excused) == ["turn.1"] and noted.exampled == ()


def test_who_keeps_a_record_need_not_cite() -> None:
    text = TOLD["a hook that keeps a record"].replace("      cites turn.1\n", "")
    assert cover_text(f"game Calm\nrulebook calm\n{text}").silent == ()
    does_more = RULES["a hook that does more than keep a record"].replace("  cites turn.1\n", "")
    assert [use.what for use in cover_text(f"game Calm\nrulebook calm\n{does_more}").silent] == ["after turn"]


@pytest.mark.parametrize(
    ("text", "which"),
    [
        ('const a = 1\n  assume "one" cites gap.1\n', "assumed"),
        ('const a = 1\n  assume "one"\n  cites gap.1\n', "assumed"),
        ('const a = 1 cites gap.1\nconst b = 1\n  assume "one" cites gap.1\n', "assumed"),
        ('note "One." cites gap.1\n', "assumed"),
        ("const a = 1 cites gap.1\n", "wordless"),
        ('const a = 1 cites gap.1\nconst b = 1\n  assume "two" cites turn.1\n', "wordless"),
        ("example small\n  cites gap.1\n  then 1 = 1\n", "wordless"),
        ("const a = 1 cites turn.1\n", "unread"),
    ],
)
def test_silences(text: str, which: str) -> None:
    coverage = cover_text(f"game Calm\nrulebook calm\n{text}")
    found = {name: ids(getattr(coverage, name)) for name in ("assumed", "wordless", "unread")}
    assert found == {"assumed": [], "wordless": [], "unread": []} | {which: ["gap.1"]}


def test_silences_of_a_module_stand_for_those_of_the_game() -> None:
    text = 'module sailing\nrulebook sailing\nconst a = 1\n  assume "each" cites gap.side\ngame Calm\nrulebook calm\n'
    assert ids(cover_text(text).assumed) == ["gap.1"]


def ids(entries: tuple[ClauseEntry, ...]) -> list[str]:
    return [entry.id for entry in entries]


def test_a_module_alone_covers_its_tags() -> None:
    coverage = cover_text(GAME, "sailing")
    assert set(coverage.cited) == {"wind.rose", "gap.2"}
    assert [entry.id for entry in coverage.missing] == ["wind.none"]


def test_rules_that_cite_nothing() -> None:
    coverage = cover_text(GAME)
    assert [use.what for use in coverage.silent] == [
        "guard silent of action play",
        "define bold",
        "to turn",
        "forbid play",
    ]


def test_unknown_clauses() -> None:
    text = """\
module sailing
rulebook sailing
const far = 8
  cites wind.nose
game Calm
rulebook calm
const size_of_hand = 5
  cites turn.3, wind.rose, gap.1
variant House of Calm
set size_of_hand = 4
  cites turn.7
game Other
const free = 1
  cites any.1
"""
    report = Report()
    check_citations(parse(SourceFile("case.sea", text), report).chapters, books(), report)
    assert {diagnostic.code for diagnostic in report} == {Code.UNKNOWN_CLAUSE}
    assert [(d.span.text, d.hint) for d in report] == [
        ("wind.nose", "did you mean 'wind.rose'?"),
        ("turn.3", "did you mean 'turn.2'?"),
        ("wind.rose", None),
        ("turn.7", "did you mean 'turn.2'?"),
    ]


HOUSE_RULES = sorted(str(path) for path in Path("rules").glob("*/*.sea"))


@pytest.mark.parametrize("game", [*(path.stem for path in sorted(shelf.packaged_spec().glob("*.sea"))), *HOUSE_RULES])
def test_packaged_games_cite_what_is_there(game: str) -> None:
    report = Report()
    chapters = library.load_chapters(game, report)
    names = {name for chapter in chapters if (name := book_of(chapter, chapters))}
    found = {name: library.load_rulebook(chapters[0], name, report) for name in names}
    check_citations(chapters, {name: book for name, book in found.items() if book}, report)
    assert not list(report), [f"{d.span} {d.message}" for d in report]


WITHOUT_WORDS: dict[str, set[str]] = {
    "calm": set(),
    "admiral": set(),
    "pirate_bay": set(),
    "sea_lords": set(),
}
"""Silences that a rule cites, though nothing says in words how they are read. None is meant to be left."""


@pytest.mark.parametrize("game", WITHOUT_WORDS)
def test_readings_of_silences_are_told_in_words(game: str) -> None:
    cited, told = set(), set()
    for chapter in library.load_chapters(game, Report()):
        rules = [declaration for declaration in chapter.declarations if not isinstance(declaration, _PROMISES)]
        for rule in (chapter.tail, *rules):
            for tail in walk(rule):
                if isinstance(tail, tree.Tail):
                    gaps = {clause.id for clause in tail.cites if clause.id.startswith("gap.")}
                    cited |= gaps
                    told |= gaps if tail.assumes or (isinstance(rule, tree.Note) and tail.sentence) else set()
    assert cited - told <= WITHOUT_WORDS[game]


# ----------------------------------------------------------------------------------------------------- the command line


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (library, shelf):
        monkeypatch.setattr(module, "packaged_spec", lambda: tmp_path / "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rulebooks").mkdir()
    (tmp_path / "rulebooks" / "calm.md").write_text((CASES / "rulebook.md").read_text(encoding="utf-8"))
    (tmp_path / "rulebooks" / "sailing.md").write_text((CASES / "rulebook_of_module.md").read_text(encoding="utf-8"))
    (tmp_path / "calm.sea").write_text(GAME.replace("rulebook calm", "rulebook calm\nuses sailing"))
    return tmp_path


def run(*words: str) -> int:
    return main(["cover", *words])


def test_all_is_covered(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("calm") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("calm: 3 clauses, 2 implemented, 0 exampled only, 1 excused by a note, 0 missing\n")
    assert "\n      1 silence, 1 assumed in words, 0 cited without words, 0 not cited\n" in out
    assert "  Turn                      2 of   2\n" in out
    assert "4 rules cite nothing and assume nothing:\n  calm.sea:19  guard silent of action play\n" in out


def test_something_is_missing(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "calm.sea").write_text("game Calm\nrulebook calm\n")
    assert run("calm.sea") == 1
    out, _ = capsys.readouterr()
    assert "Turn                      0 of   2   2 missing" in out
    assert "missing:\n  turn.1  Clockwise.\n  turn.2  Play | discard.\n  move.4.6a  Straight.\n" in out


def test_json(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("calm", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["clauses"]) == ["turn.1", "turn.2", "move.4.6a"]
    assert data["clauses"]["turn.2"] == {"text": "Play | discard.", "section": "Turn"}
    assert data["cited"]["turn.1"] == [{"what": "to draw_wind", "file": "calm.sea", "line": 4}]
    assert list(data["excused"]) == ["turn.2"]
    assert data["missing"] == []
    assert data["implemented"] == ["turn.1", "move.4.6a"] and data["exampled"] == []
    assert data["gaps"] == {"assumed": ["gap.1"], "wordless": [], "unread": []}
    assert run("clam", "--json") == 1
    assert json.loads(capsys.readouterr().out)["error"] == "there is no game 'clam'"


def test_what_is_exampled_only_is_told_and_is_no_fault(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "calm.sea").write_text(
        "game Calm\nrulebook calm\nconst a = 1 cites turn.1, move.4.6a\n"
        "example small\n  cites turn.2, gap.1\n  then a = 1\n"
    )
    assert run("calm.sea") == 0
    out, _ = capsys.readouterr()
    assert out.startswith("calm: 3 clauses, 2 implemented, 1 exampled only, 0 excused by a note, 0 missing\n")
    assert "  Turn                      1 of   2   1 exampled only\n" in out
    assert "exampled only: no rule cites them, and no note says why\n  turn.2  Play | discard.\n" in out
    assert "silences that are cited without words:\n  gap.1  Which first?; The oldest.\n" in out
    assert run("calm.sea", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["exampled"] == ["turn.2"]
    assert data["cited"]["turn.2"] == [{"what": "example small", "file": "calm.sea", "line": 5}]
    assert data["gaps"] == {"assumed": [], "wordless": ["gap.1"], "unread": []}


def test_silences_that_nothing_cites_are_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "calm.sea").write_text("game Calm\nrulebook calm\n")
    assert run("calm.sea") == 1
    assert "silences that nothing cites:\n  gap.1  Which first?; The oldest.\n" in capsys.readouterr().out


def test_a_module(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sailing") == 1
    assert "missing:\n  wind.none  Nobody has it.\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("game Calm\n", "Calm names no rule book"),
        ("game Calm\nrulebook clam\n", "there is no rule book 'clam'"),
        ("game Calm\nrulebook calm\nconst a = 1\n  cites turn.9\n", "has no clause turn.9"),
        ("module fog\n", "fog names no rule book"),
    ],
)
def test_faults(desk: Path, capsys: pytest.CaptureFixture[str], text: str, error: str) -> None:
    (desk / "calm.sea").write_text(text)
    assert run("calm.sea") == 1
    assert error in capsys.readouterr().err


def test_no_such_game(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("clam") == 1
    assert "SEA601" in capsys.readouterr().err


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    assert "seaspec cover calm" in capsys.readouterr().out


def test_a_faulty_text_is_told_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "faulty.sea"
    path.write_text('game Faulty "Faulty"\nto to to\nto play: nothing\n')
    assert main(["cover", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == "" and "faulty.sea:2:7: error SEA101" in told.err and "rule book" not in told.err


def test_faults_of_the_catalogue_and_of_the_citations_stand_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "g.sea").write_text(
        'game G "G"\nrulebook g\nstate s: 0..1 = 0\n  cites a.1, b.9\n'
        "to play\n  cites z.1\n  win for seat(1)\n    cites a.7\n"
    )
    (tmp_path / "rulebooks").mkdir()
    catalogue = "## Clauses\n| id | says |\n|---|---|\n| a.1 | one |\n| a.1 | two |\n"
    (tmp_path / "rulebooks" / "g.md").write_text(catalogue)
    for command in (["cover"], ["check", "--plays", "0"]):
        assert main([command[0], str(tmp_path / "g.sea"), *command[1:]]) == 1
        told = [line.rpartition("/")[2] for line in capsys.readouterr().err.splitlines() if "error SEA" in line]
        assert told == [
            "g.md:5:3: error SEA609: the clause a.1 stands twice in the rule book g",
            "g.sea:4:14: error SEA215: the rule book g has no clause b.9",
            "g.sea:6:9: error SEA215: the rule book g has no clause z.1",
            "g.sea:8:11: error SEA215: the rule book g has no clause a.7",
        ]
    (tmp_path / "rulebooks" / "g.md").write_text("# Nothing\n")
    assert main(["check", str(tmp_path / "g.sea"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["error"] == "the rule book g has no clauses"
    assert found["diagnostics"][0]["code"] == Code.BAD_RULEBOOK.id == "SEA609"
