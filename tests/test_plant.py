"""What plants faults: which ones there are, that each is one change, and that the list of harmless ones is true."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from fast import Spent
from plant import __main__ as command
from plant.faults import Fault, faults_of, text_with
from plant.field import ROOT
from plant.probes import Map, Place, modules
from plant.recording import LONGEST, SHARE, recorded

TEXT = '''\
"""Words: they stay as they are."""
LIMIT = 3


def few(numbers, most: int = 7) -> bool:
    """Whether there are few."""
    if len(numbers) < 2 and not numbers[1:most]:
        return True
    for number in sorted(numbers):
        match number:
            case 1 | 2 if most > 3:
                break
            case _:
                raise ValueError("a number", number)
        most -= min(number, 1)
    for _ in zip(numbers, numbers, strict=True):
        most -= 1
    return any(number in {1, 5} for number in numbers if number)
'''
THERE_ARE = {
    ("comparison turned", "if len(numbers) <= 2 and (not numbers[1:most])"),
    ("and, or", "if len(numbers) < 2 or not numbers[1:most]"),
    ("condition dropped", "if not numbers[1:most]"),
    ("condition dropped", "if len(numbers) < 2"),
    ("condition negated", "if not (len(numbers) < 2 and (not numbers[1:most]))"),
    ("condition negated", "if len(numbers) < 2 and numbers[1:most]"),
    ("constant shifted", "if len(numbers) < 3 and (not numbers[1:most])"),
    ("constant shifted", "if len(numbers) < 2 and (not numbers[0:most])"),
    ("slice shifted", "if len(numbers) < 2 and (not numbers[1:most + 1])"),
    ("default returned", "return False"),
    ("flag turned", "return False"),
    ("order dropped", "for number in numbers"),
    ("element dropped", "case 2 if most > 3"),
    ("guard dropped", "case 1 | 2"),
    ("comparison turned", "case 1 | 2 if most >= 3"),
    ("statement dropped", "pass"),
    ("other name", "most -= max(number, 1)"),
    ("other name", "return all((number in {1, 5} for number in numbers if number))"),
    ("comparison turned", "return any((number not in {1, 5} for number in numbers if number))"),
    ("element dropped", "return any((number in {5} for number in numbers if number))"),
    ("condition dropped", "return any((number in {1, 5} for number in numbers))"),
}
STAYS = ("LIMIT", "Words", "Whether", "raise", "most: int", "def few")


LAST = """\
def told(numbers):
    match numbers:
        case []:
            return
        case _ if len(numbers) > 2:
            for number in numbers:
                if number:
                    return
            yield 1
        case _:
            pass
"""


def test_what_is_done_in_any_case_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "last.py").write_text(LAST, encoding="utf-8")
    dropped = [fault.line for fault in faults_of(tmp_path, tmp_path / "last.py") if fault.before == "return"]
    assert dropped == [8], "the other one ends the function, as its end does"


@pytest.fixture
def found(tmp_path: Path) -> list[Fault]:
    (tmp_path / "few.py").write_text(TEXT, encoding="utf-8")
    return faults_of(tmp_path, tmp_path / "few.py")


def test_what_may_be_wrong(found: list[Fault]) -> None:
    assert {(fault.operator, fault.after) for fault in found} >= THERE_ARE
    assert not [fault for fault in found if fault.before.startswith(STAYS)]
    assert sum(fault.after == "pass" for fault in found) == 3, "break, and what is taken off"
    assert not [fault for fault in found if fault.after.count("strict=True") < fault.before.count("strict=True")]


def test_each_fault_is_one_change(found: list[Fault], tmp_path: Path) -> None:
    texts = [text_with(tmp_path, fault) for fault in found]
    plain = ast.unparse(ast.parse(TEXT)).splitlines()
    for fault, text in zip(found, texts, strict=True):
        lines = ast.unparse(ast.parse(text)).splitlines()
        assert len(lines) == len(plain) and sum(a != b for a, b in zip(lines, plain, strict=True)) == 1, fault
    assert (tmp_path / "few.py").read_text(encoding="utf-8") == TEXT


def test_tests_that_were_recorded_before_a_function_changed_may_run_all_of_it(tmp_path: Path) -> None:
    lines = [
        {
            "test": "tests/test_a.py::old",
            "seconds": 1,
            "ran": [["few", "few", "before", [0, 3]], ["few", "f", "x", [0]]],
        },
        {"test": "tests/test_a.py::new", "seconds": 1, "ran": [["few", "few", "now", [0, 2]]]},
        {"test": "tests/test_gone.py::gone", "seconds": 1, "ran": [["few", "few", "now", [0, 1]]]},
    ]
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").touch()
    (tmp_path / "map").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    known = Map.read(tmp_path / "map", tmp_path)

    def running(function: str, digest: str, statement: int) -> set[str]:
        found = known.running(Place("few", function, digest), statement)
        return {known.tests[number].test.split("::")[1] for number in found}

    assert running("few", "now", 2) == {"old", "new"}, "whether the old one comes here is not known"
    assert running("few", "now", 1) == {"old"}
    assert running("f", "x", 0) == {"old"} and running("f", "x", 1) == set()
    assert running("unknown", "x", 0) == {"old", "new"}, "all of its module"
    assert known.running(Place("many", "f", "x"), 0) == set()


def test_what_takes_long_is_not_recorded_and_of_many_cases_some() -> None:
    cases = ["a::long", *(f"a::many[{number}]" for number in range(6)), "a::new"]
    known = {"a::long": Spent(2 * LONGEST, 1), "a::many": Spent(2 * SHARE, 1000)}
    assert list(recorded(cases, known)) == ["a::many[0]", "a::many[2]", "a::many[4]", "a::new"]


def test_the_type_checker_looks_at_one_fault_of_each_file_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("a.py", ""), ("b.py", ""), ("c.py", "x = 1  # type: ignore\n"), ("far.py", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    asked: list[set[str]] = []

    def complained(root: Path, texts: Mapping[str, str]) -> set[str]:
        asked.append(set(texts))
        far = {"far.py"} if "wrong elsewhere" in texts.values() else set()
        return {path for path, text in texts.items() if text == "wrong"} | far

    monkeypatch.setattr(command, "_complained", complained)
    plain = {("a.py", "1"): "wrong", ("a.py", "2"): "fine", ("b.py", "3"): "fine", ("c.py", "4"): "wrong"}
    assert command._without_types(tmp_path, plain) == {("a.py", "1")}
    assert sorted(map(sorted, asked)) == [["a.py"], ["a.py", "b.py"]]
    far = {("a.py", "1"): "wrong elsewhere", ("b.py", "2"): "fine"}
    assert command._without_types(tmp_path, far) == {("a.py", "1")}


def test_what_is_harmless_is_still_there() -> None:
    """Each entry is a fault that can be planted today, and says why nobody could notice it."""
    entries = tomllib.loads((ROOT / "tests/plant/harmless.toml").read_text(encoding="utf-8")).get("harmless", [])
    assert all(entry["because"] for entry in entries)
    named = {entry["fault"].split(":")[0] for entry in entries}
    known = {fault.what for path in modules(ROOT) if path.stem in named for fault in faults_of(ROOT, path)}
    assert {entry["fault"] for entry in entries} <= known
