"""Finding games, variants, worlds, modules, rule books and options from what stands on the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from seaspec import library, shelf
from seaspec.check.merging.merge import merge
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Diagnostic, Report
from seaspec.library import (
    Subject,
    allowed_stacks,
    load_chapters,
    load_rulebook,
    load_subject_of,
    load_subjects,
    parse_options,
    single_variants,
)

CALM = """\
game Calm "Calm"
rulebook calm
uses sailing
const hand_size = 5

variant Solo of Calm "Solo"
combines with Reefs

variant Reefs of Calm "Reefs"

variant Storms of Calm "Storms" after Reefs
combines with Reefs

variant GreatArch of Calm "The Great Arch"

variant Keystone of GreatArch "Keystone"
combines with Reefs

world tiny of Calm
set hand_size = 2

world arch_only of GreatArch
set hand_size = 3
"""
SAILING = """\
module sailing "Sailing"
uses wind
"""
HOUSE = """\
variant Doldrums of Calm "Doldrums"
set hand_size = 4
"""
RULES = """\
# Calm
## Clauses
### Turn
| id | clause |
|---|---|
| turn.1 | Draw a card. |
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, and a packaged spec beside it."""
    spec = tmp_path / "packaged"
    work = tmp_path / "work"
    for folder in (spec / "calm", spec / "rulebooks", work / "rules"):
        folder.mkdir(parents=True)
    (spec / "calm.sea").write_text(CALM)
    (spec / "calm" / "fewer.sea").write_text('variant Fewer of Calm "Fewer Islands"\n')
    (spec / "sailing.sea").write_text(SAILING)
    (spec / "wind.sea").write_text('module wind "Wind"\n')
    (spec / "rulebooks" / "calm.md").write_text(RULES)
    (work / "rules" / "calm.sea").write_text(HOUSE)
    monkeypatch.setattr(shelf, "packaged_spec", lambda: spec)
    monkeypatch.setattr(library, "packaged_spec", lambda: spec)
    monkeypatch.chdir(work)
    return work


def load(spec: str) -> list[Subject]:
    """Load what must be there."""
    report = Report()
    subjects = load_subjects(spec, report)
    assert not list(report), [d.message for d in report]
    return subjects


def fail(spec: str, code: Code) -> Diagnostic:
    """Load what must fail with one error."""
    report = Report()
    assert load_subjects(spec, report) == []
    (diagnostic,) = report
    assert diagnostic.code is code
    return diagnostic


def names(subject: Subject) -> list[str]:
    return [chapter.name for chapter in subject.chapters]


# ------------------------------------------------------------------------------------------------------------- subjects


def test_a_game_by_its_name(desk: Path) -> None:
    (subject,) = load("calm")
    assert subject.name == "calm"
    assert names(subject) == ["wind", "sailing", "Calm"]
    assert [world.name for world in subject.worlds] == ["tiny"]
    assert [file.name.split("/")[-1] for file in subject.files] == ["wind.sea", "sailing.sea", "calm.sea"]
    family = [chapter.name for chapter in subject.family]
    assert family == ["Solo", "Reefs", "Storms", "GreatArch", "Keystone", "tiny", "arch_only", "Fewer"]


def test_a_game_in_a_folder_of_the_packaged_spec(desk: Path) -> None:
    folder = desk.parent / "packaged" / "small_ones"
    folder.mkdir()
    (folder / "nim.sea").write_text('game Nim "Nim"\nworld heap of Nim\n')
    assert names(*load("nim")) == ["Nim"]
    assert names(*load("nim + heap")) == ["Nim", "heap"]


def test_a_stack_is_put_into_merge_order(desk: Path) -> None:
    (subject,) = load("calm + storms + reefs")
    assert subject.name == "calm + reefs + storms"
    assert names(subject)[2:] == ["Calm", "Reefs", "Storms"]


def test_blanks_in_a_stack_do_not_matter(desk: Path) -> None:
    assert load("calm+reefs")[0].name == "calm + reefs"


def test_a_variant_of_a_variant_brings_its_base(desk: Path) -> None:
    (subject,) = load("calm + keystone")
    assert subject.name == "calm + keystone"
    assert names(subject)[2:] == ["Calm", "GreatArch", "Keystone"]
    assert [world.name for world in subject.worlds] == ["tiny", "arch_only"]


def test_a_world_can_be_asked_for(desk: Path) -> None:
    (subject,) = load("calm + tiny")
    assert names(subject)[-1] == "tiny"


def test_the_chapters_of_a_world(desk: Path) -> None:
    (subject,) = load("calm")
    assert [c.name for c in subject.in_world(subject.worlds[0])] == ["wind", "sailing", "Calm", "tiny"]


def test_a_house_rule_finds_the_packaged_game(desk: Path) -> None:
    (subject,) = load("rules/calm.sea")
    assert subject.name == "calm + doldrums"
    assert [chapter.name for chapter in subject.asked] == ["Doldrums"]
    assert names(subject)[2:] == ["Calm", "Doldrums"]


def test_a_house_rule_file_of_the_name_of_the_game_does_not_hide_it(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk / "rules")
    assert load("calm")[0].name == "calm"


def test_a_house_rule_is_stacked_with_variants(desk: Path) -> None:
    assert load("rules/calm.sea + reefs")[0].name == "calm + doldrums + reefs"
    assert load("calm + rules/calm.sea")[0].name == "calm + doldrums"


def test_a_file_with_several_variants_gives_a_subject_each(desk: Path) -> None:
    (desk / "two.sea").write_text(HOUSE + '\nvariant Squalls of Storms "Squalls"\n')
    assert [subject.name for subject in load("two.sea")] == ["calm + doldrums", "calm + squalls"]
    assert names(load("two.sea")[1])[2:] == ["Calm", "Storms", "Squalls"]


def test_a_game_beside_hides_the_packaged_one(desk: Path) -> None:
    (desk / "rules" / "any.sea").write_text('game Calm "Another"\n')
    (subject,) = load("rules/calm.sea")
    assert names(subject) == ["Calm", "Doldrums"]


def test_a_path_to_a_game(desk: Path) -> None:
    (subject,) = load(str(desk.parent / "packaged" / "calm.sea"))
    assert subject.name == "calm"


def test_a_variant_in_the_folder_of_its_game(desk: Path) -> None:
    assert load("calm + fewer")[0].name == "calm + fewer"
    (subject,) = load("../packaged/calm/fewer.sea")
    assert subject.name == "calm + fewer"


def test_one_of_several_games_of_a_file(desk: Path) -> None:
    (desk / "two.sea").write_text('game One "One"\ngame Two "Two"\nvariant Twice of Two "Twice"\n')
    assert fail("two.sea", Code.SEVERAL_GAMES).hint == "say which: 'two.sea + one'"
    assert load("two.sea + two + twice")[0].name == "two + twice"


def test_one_of_several_variants_of_a_file(desk: Path) -> None:
    (desk / "rules.sea").write_text("variant Early of Calm\nvariant Late of Calm\n")
    assert [subject.name for subject in load("rules.sea")] == ["calm + early", "calm + late"]
    assert [subject.name for subject in load("rules.sea + late")] == ["calm + late"]
    report = Report()
    assert load_subject_of("rules.sea", report) is None
    (diagnostic,) = report
    assert diagnostic.code is Code.SEVERAL_GAMES and diagnostic.hint == "say which: 'rules.sea + early'"


def test_a_file_of_worlds_alone(desk: Path) -> None:
    (desk / "small.sea").write_text("world small of Calm\nset hand_size = 1\n")
    assert load("small.sea")[0].name == "calm + small"


# --------------------------------------------------------------------------------------------------- what is not there


def test_unknown_game_with_a_near_name(desk: Path) -> None:
    diagnostic = fail("clam", Code.NOT_FOUND)
    assert diagnostic.hint == "did you mean 'calm'?"
    assert diagnostic.span.text == "clam"


def test_a_variant_is_no_game(desk: Path) -> None:
    assert fail("storms", Code.NOT_FOUND).hint == "did you mean 'calm + storms'?"


def test_a_module_is_no_game(desk: Path) -> None:
    assert fail("sailing", Code.NOT_FOUND).message == "'sailing' is a module, and no game"


@pytest.mark.parametrize(("wrong", "right"), [("storm", "storms"), ("sol", "solo"), ("great", "great_arch")])
def test_a_slip_is_never_taken_silently(desk: Path, wrong: str, right: str) -> None:
    diagnostic = fail(f"calm + {wrong}", Code.NOT_FOUND)
    assert diagnostic.hint == f"did you mean '{right}'?"
    assert diagnostic.span.text == wrong


def test_no_such_file(desk: Path) -> None:
    assert fail("rules/clam.sea", Code.NOT_FOUND).hint == "did you mean 'rules/calm.sea'?"


@pytest.mark.parametrize("spec", ["", " ", "calm +", "+ calm", "calm + + reefs"])
def test_a_stack_with_a_hole(desk: Path, spec: str) -> None:
    fail(spec, Code.NOT_FOUND)


@pytest.mark.parametrize("spec", ["x" * 5000 + ".sea", "a\0b.sea", "/", "..", "x" * 5000])
def test_strange_specs(desk: Path, spec: str) -> None:
    report = Report()
    assert load_subjects(spec, report) == []
    assert report.failed


def test_a_directory(desk: Path) -> None:
    assert fail("rules/", Code.DIRECTORY).hint == "name a file in it, such as rules/calm.sea"
    assert fail("rules", Code.DIRECTORY)


def test_not_utf8(desk: Path) -> None:
    (desk / "bad.sea").write_bytes("game Штиль\n-- ".encode() + b"\xff\xfe\n")
    diagnostic = fail("bad.sea", Code.NOT_UTF8)
    assert "byte 19 (0xff), in line 2" in diagnostic.message
    assert diagnostic.span.file.position(diagnostic.span.start) == (2, 4)


def test_a_byte_order_mark_is_skipped(desk: Path) -> None:
    (desk / "marked.sea").write_bytes(b"\xef\xbb\xbf" + HOUSE.encode())
    assert load("marked.sea")[0].name == "calm + doldrums"


def test_unreadable(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (desk / "locked.sea").touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert fail("locked.sea", Code.UNREADABLE).message == "locked.sea can not be read: Permission denied"


def test_no_ordinary_file(desk: Path) -> None:
    os.mkfifo(desk / "pipe.sea")
    fail("pipe.sea", Code.UNREADABLE)


def test_links_in_a_circle(desk: Path) -> None:
    (desk / "round.sea").symlink_to("round.sea")
    assert names(*load("calm"))[-1] == "Calm"
    fail("round.sea", Code.NOT_FOUND)
    fail("clam", Code.NOT_FOUND)


def test_too_large(desk: Path) -> None:
    (desk / "large.sea").write_bytes(b"-" * (shelf.MAX_BYTES + 1))
    fail("large.sea", Code.TOO_LONG)


def test_nothing_to_check(desk: Path) -> None:
    (desk / "fog.sea").write_text('module fog "Fog"\n')
    fail("fog.sea", Code.NOTHING_TO_CHECK)


@pytest.mark.parametrize("text", ["", "-- nothing\n"])
def test_an_empty_file(desk: Path, text: str) -> None:
    (desk / "fog.sea").write_text(text)
    fail("fog.sea", Code.NO_HEADING)


def test_a_base_that_is_missing(desk: Path) -> None:
    (desk / "house.sea").write_text('variant House of Clam "House"\n')
    assert fail("house.sea", Code.BASE_MISSING).hint == "did you mean 'Calm'?"


def test_a_module_that_is_missing(desk: Path) -> None:
    (desk / "fog.sea").write_text('game Fog "Fog"\nuses mist\n')
    report = Report()
    load_subjects("fog.sea", report)
    assert [diagnostic.code for diagnostic in report] == [Code.BASE_MISSING]


def test_a_variant_of_itself(desk: Path) -> None:
    (desk / "house.sea").write_text('variant House of House "House"\n')
    assert fail("house.sea", Code.CIRCLE).message == "variant House of House is built on itself"


def test_bases_in_a_circle(desk: Path) -> None:
    (desk / "house.sea").write_text('variant One of Two "One"\nvariant Two of One "Two"\n')
    report = Report()
    assert load_subjects("house.sea", report) == []
    assert {diagnostic.code for diagnostic in report} == {Code.CIRCLE}


def test_a_variant_of_another_game(desk: Path) -> None:
    (desk / "other.sea").write_text('game Other "Other"\n')
    (desk / "house.sea").write_text('variant House of Other "House"\n')
    assert "belongs to Other" in fail("calm + house.sea", Code.NOT_FOUND).message


def test_a_stack_with_a_variant_twice(desk: Path) -> None:
    report = Report()
    load_subjects("calm + reefs + reefs", report)
    assert [diagnostic.code for diagnostic in report] == [Code.TWICE]


def test_headings_that_name_nobody(desk: Path) -> None:
    (desk / "house.sea").write_text('variant House of Calm "House" after Storm\ncombines with Reef\n')
    report = Report()
    load_subjects("house.sea", report)
    assert [diagnostic.hint for diagnostic in report] == ["did you mean 'Storms'?", "did you mean 'Reefs'?"]


# --------------------------------------------------------------------------------------------------- what is combined


def test_a_stack_that_the_rule_book_does_not_know(desk: Path) -> None:
    report = Report()
    (subject,) = load_subjects("calm + solo + storms", report)
    (diagnostic,) = report
    assert diagnostic.code is Code.UNCOMBINED
    assert diagnostic.message == "the rule book does not say whether Solo and Storms go together"
    assert subject.name == "calm + solo + storms"
    assert not report.failed


def test_house_rules_are_nobodys_business(desk: Path) -> None:
    (desk / "other.sea").write_text('variant Other of Calm "Other"\n')
    assert load("rules/calm.sea + other.sea + solo")[0].name == "calm + doldrums + other + solo"


def test_allowed_stacks(desk: Path) -> None:
    (subject,) = load("calm")
    report = Report()
    stacks = [stack.name for stack in allowed_stacks(subject, report)]
    assert stacks == ["calm + solo + reefs", "calm + reefs + storms", "calm + reefs + keystone"]
    assert not list(report)


def test_single_variants(desk: Path) -> None:
    (subject,) = load("calm")
    singles = single_variants(subject, Report())
    assert [single.name for single in singles] == [
        "calm + solo",
        "calm + reefs",
        "calm + storms",
        "calm + great_arch",
        "calm + keystone",
        "calm + fewer",
    ]
    assert names(singles[4]) == ["wind", "sailing", "Calm", "GreatArch", "Keystone"]


# ---------------------------------------------------------------------------------------- chapters, rule books, options


def test_all_chapters_of_a_game(desk: Path) -> None:
    report = Report()
    chapters = [chapter.name for chapter in load_chapters("calm", report)]
    assert chapters[:3] == ["wind", "sailing", "Calm"]
    assert {"Solo", "Fewer", "tiny"} <= set(chapters)
    assert len(chapters) == len(set(chapters))


def test_a_module_alone(desk: Path) -> None:
    assert [chapter.name for chapter in load_chapters("sailing", Report())] == ["sailing"]
    assert [chapter.name for chapter in load_chapters("../packaged/sailing.sea", Report())] == ["sailing"]


def test_the_rule_book_of_a_game(desk: Path) -> None:
    (subject,) = load("calm")
    report = Report()
    book = load_rulebook(subject.game, "calm", report)
    assert book is not None
    assert list(book.clauses) == ["turn.1"]
    assert load_rulebook(subject.game, "clam", report) is None
    (diagnostic,) = report
    assert (diagnostic.code, diagnostic.hint) == (Code.NO_RULEBOOK, "did you mean 'calm'?")


def test_options() -> None:
    report = Report()
    assert parse_options(["players=3", " level = hard ", "players=all"], report) == [
        ("players", "3"),
        ("level", "hard"),
        ("players", "all"),
    ]
    assert not report.failed


@pytest.mark.parametrize("text", ["players", "=3", "players=", "Players=3", "a b=1", "1=1", "", "="])
def test_malformed_options(text: str) -> None:
    report = Report()
    assert parse_options([text], report) == []
    assert [diagnostic.code for diagnostic in report] == [Code.NO_OPTION]


@pytest.mark.parametrize(
    ("stack", "codes"),
    [
        ("calm + fewer + great_arch", []),
        ("calm + great_arch + sun_and_moon", [Code.UNCOMBINED]),
        ("calm + fewer + reefs", [Code.FORBIDDEN_PAIR]),
        ("calm + competitive + solo", [Code.FORBIDDEN_PAIR]),
    ],
)
def test_what_the_book_of_calm_allows_forbids_and_does_not_say(stack: str, codes: list[Code]) -> None:
    report = Report()
    (subject,) = load_subjects(stack, report)
    merge(subject.chapters, report)
    about_pairs = (Code.UNCOMBINED, Code.FORBIDDEN_PAIR)
    assert [diagnostic.code for diagnostic in report if diagnostic.code in about_pairs] == codes


def test_who_insists_may_have_both(tmp_path: Path) -> None:
    house = tmp_path / "stubborn.sea"
    house.write_text('variant Stubborn of Fewer "Fewer islands, and reefs"\ncombines with Reefs\n')
    path = shelf.packaged_spec() / "calm.sea"
    (tmp_path / "calm.sea").write_text(path.read_text("utf-8"), "utf-8")
    report = Report()
    (subject,) = load_subjects(f"{house} + reefs", report)
    merge(subject.chapters, report)
    assert not list(report)
