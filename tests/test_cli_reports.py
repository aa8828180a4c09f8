"""Reports for other tools: JUnit XML, SARIF; and the hook for pre-commit."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from cli_runner import Ran, seaspec
from test_cli_check import LARGE, STICKS
from test_cli_check_faults import NARROW

ROOT = Path(__file__).parent.parent
TEXT = (
    STICKS
    + 'invariant many "the heap is <never> low"\n  size of heap > 3\n'
    + "invariant few: size of heap < 10\nexample wrong: heap = {8 Stick}\nexample right: heap = {9 Stick}\n"
    + "action rest(p: Player): nothing\n"
)
UNDECIDED = LARGE + "reachable greedy: size of taken[Ann] = 9\n"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str, *words: str, name: str = "sticks.sea") -> Ran:
    Path(name).write_text(text)
    return seaspec("check", name, "--memory", "1", *words)


# ---------------------------------------------------------------------------------------------------------------- JUnit


def junit(text: str, *words: str) -> tuple[ElementTree.Element, dict[str, ElementTree.Element]]:
    """The one suite of a report, and its cases by name."""
    check(text, "--junit", "report.xml", *words)
    suites = ElementTree.parse("report.xml").getroot()
    assert suites.tag == "testsuites"
    (suite,) = suites
    cases = {case.attrib["name"]: case for case in suite}
    assert suite.attrib["tests"] == str(len(cases)) == str(len(suite))
    for what, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.attrib[what] == str(len(suite.findall(f"*/{tag}")))
    return suite, cases


def test_junit_has_a_case_for_each_promise_and_example() -> None:
    suite, cases = junit(TEXT)
    assert list(cases) == ["text", "rules", "invariant many", "invariant few", "example wrong", "example right"]
    assert suite.attrib["name"] == "sticks" and suite.attrib["failures"] == "2"
    many = cases["invariant many"]
    assert many.attrib["file"] == "sticks.sea" and many.attrib["line"] == "24"
    (failure,) = many
    assert failure.tag == "failure" and "never" in failure.attrib["message"]
    assert "Ann takes 3" in (failure.text or "") and "heap: 3 Stick" in (failure.text or "")
    assert cases["example wrong"].find("failure") is not None
    assert not list(cases["example right"]) and cases["invariant few"].findtext("system-out", "").startswith(
        "exhaustive"
    )


def test_junit_skips_what_is_undecided_unless_it_is_strict() -> None:
    suite, cases = junit(UNDECIDED)
    assert (suite.attrib["skipped"], suite.attrib["failures"]) == ("1", "0")
    assert "undecided" in cases["reachable greedy"][0].attrib["message"]
    suite, cases = junit(UNDECIDED, "--strict")
    assert (suite.attrib["skipped"], suite.attrib["failures"]) == ("0", "1")


def test_junit_tells_a_faulty_text_and_rules_that_fail() -> None:
    suite, cases = junit(STICKS + "invariant many: size of pile > 3\n")
    assert list(cases) == ["text"] and suite.attrib["errors"] == "1"
    assert "sticks.sea:24:" in (cases["text"][0].text or "")
    _, cases = junit("game ( Sticks\n")
    assert list(cases) == ["text"]
    _, cases = junit(NARROW)
    assert "stuck: Ann must choose" in cases["rules"][0].attrib["message"]


# ---------------------------------------------------------------------------------------------------------------- SARIF


def sarif(text: str, *words: str, name: str = "sticks.sea") -> list[dict[str, Any]]:
    """The results of a report that is as SARIF 2.1.0 wants it."""
    Path("report.sarif").unlink(missing_ok=True)
    check(text, "--sarif", "report.sarif", *words, name=name)
    log = json.loads(Path("report.sarif").read_text())
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "SeaSpec" and re.match(r"\d+\.\d+|\(not installed\)", driver["version"])
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert all(rule["shortDescription"]["text"] and rule["fullDescription"]["text"] for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert isinstance(result["message"]["text"], str) and result["message"]["text"]
        for location in (*result["locations"], *result.get("relatedLocations", ())):
            physical = location["physicalLocation"]
            uri = physical["artifactLocation"]["uri"]
            assert " " not in uri and "\\" not in uri and unquote(uri) == name
            region = physical["region"]
            assert all(isinstance(number, int) and number >= 1 for number in region.values())
            assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
    return list(run["results"])


def places(results: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return [(r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in results]


def test_sarif_tells_what_is_wrong_and_where() -> None:
    found = sarif(TEXT, name="my sticks.sea")
    assert places(found) == [
        ("broken-promise", "error", 24),
        ("failed-example", "error", 27),
        ("never-used", "note", 29),
    ]
    assert "Ann takes 3" in found[0]["message"]["text"]
    assert places(sarif(UNDECIDED)) == [("undecided-promise", "note", 30)]
    assert places(sarif(NARROW)) == [("failing-rules", "error", 19), ("never-used", "note", 11)]
    assert places(sarif(STICKS)) == []


def test_sarif_has_diagnostics() -> None:
    (found,) = sarif(STICKS + "invariant many: size of pile > 3\n")
    assert found["ruleId"].startswith("SEA3") and found["level"] == "error"
    (found, *_) = sarif("game Sticks\nto play\n  repeat repeat\n")
    assert found["ruleId"] == "SEA101"


# ---------------------------------------------------------------------------------------------------------------- files


def test_reports_are_the_same_when_nothing_has_changed() -> None:
    told = []
    for _ in range(2):
        check(TEXT, "--junit", "report.xml", "--sarif", "report.sarif")
        told.append((Path("report.xml").read_text(), Path("report.sarif").read_text()))
    assert told[0] == told[1]


def test_what_xml_can_not_write_is_replaced() -> None:
    path = "tab\x1b.sea"
    check(STICKS + "invariant many: size of pile > 3\n", "--junit", "report.xml", name=path)
    assert "tab\ufffd.sea" in Path("report.xml").read_text()


def test_reports_are_written_whole_or_not_at_all() -> None:
    for option in ("--junit", "--sarif"):
        ran = check(TEXT, option, "no/such/folder/report")
        assert ran.code == 1 and "no/such/folder/report" in ran.err
    assert sorted(path.name for path in Path().iterdir()) == [".seaspec", "sticks.sea"]


def test_several_files_are_checked_in_one_run() -> None:
    Path("other.sea").write_text(STICKS.replace("Sticks", "Straws") + "invariant few: size of heap < 10\n")
    Path("sticks.sea").write_text(TEXT)
    ran = seaspec("check", "sticks.sea", "other.sea", "--json", "--junit", "report.xml")
    assert ran.code == 1
    assert [s["subject"] for s in json.loads(ran.out)["subjects"]] == ["sticks", "straws"]
    assert [suite.attrib["name"] for suite in ElementTree.parse("report.xml").getroot()] == ["sticks", "straws"]
    assert Path(".seaspec/1_sticks/many.play").is_file()


def test_the_hook_for_pre_commit_runs() -> None:
    """It is what `language: python` installs and runs, with the names of files behind it."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    hook = dict(re.findall(r"^[- ] (\w+): (.*)$", text, re.MULTILINE))
    program, *words = shlex.split(hook["entry"])
    assert program in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert hook["language"] == "python" and re.search(hook["files"], "rules/house.sea")
    assert not re.search(hook["files"], "rules/house.md")
    Path("sticks.sea").write_text(STICKS)
    Path("other.sea").write_text(TEXT)
    assert seaspec(*words, "sticks.sea").code == 0
    assert seaspec(*words, "sticks.sea", "other.sea").code == 1
