"""What developers run all day is what it says: the targets of make, the fast tests, the hooks, the hosted check."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import yaml
from fast import BUDGET, DURATIONS, LONGEST, Spent, chosen, file_of, read

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_each_target_has_help() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "help"], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert sorted(line.split()[1] for line in done.stdout.splitlines()) == sorted(phony.split())


def test_the_hosted_check_is_the_one_list_of_checks() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]


def test_the_hooks_are_a_part_of_it() -> None:
    """Each is a target of make, or a line of what `make lint` runs."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    for hook in hooks:
        entry = hook["entry"].replace(".venv/bin/", "$(BIN)/")
        assert entry in MAKEFILE or f"\n{entry.removeprefix('make ')}:" in MAKEFILE, entry


def test_forms_for_issues_ask_for_something() -> None:
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert form["name"] and form["description"] and form["body"], path.name
        assert len({part["id"] for part in form["body"]}) == len(form["body"]), path.name


def test_the_fast_tests_fit_into_a_minute_and_cover_each_file_that_is_not_dear() -> None:
    known = read()
    runs = chosen(known)
    assert sum(known[name].each * cases for name, cases in runs.items()) <= BUDGET
    assert {file_of(name) for name, cases in runs.items() if cases} >= {
        file_of(name) for name, spent in known.items() if spent.each <= LONGEST
    }


def test_what_is_dear_waits_and_what_has_many_cases_shows_some() -> None:
    known = {
        "a::dear": Spent(90, 1),
        "a::many": Spent(100, 100),
        "a::cheap": Spent(0.1, 20),
        "b::one": Spent(0.6, 1),
        "c::dear": Spent(9, 3),
    }
    runs = chosen(known, 5)
    assert runs["a::dear"] == 0 and 0 < runs["a::many"] < 6 and runs["a::cheap"] == 20 and runs["b::one"] == 1
    assert runs["c::dear"] == 0


def test_durations_name_tests_that_there_are() -> None:
    """A few may have gone since they were measured; if many have, `make durations` is due."""
    names = list(read(DURATIONS))
    gone = [name for name in names if not is_there(name)]
    assert len(gone) <= len(names) / 10, gone


def is_there(function: str) -> bool:
    path, _, name = function.partition("::")
    if not (ROOT / path).exists():
        return False
    text = (ROOT / path).read_text(encoding="utf-8")
    return path.startswith("seaspec/") or f"def {name.rpartition('::')[2]}(" in text
