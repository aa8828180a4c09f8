"""What was checked, or answered by a solver, is kept: served when nothing has changed, and never more than it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from cli_runner import Ran, seaspec
from test_cli_check import LARGE, STICKS

from seaspec.backends.symbolic.logic.smtlib import script
from seaspec.backends.symbolic.logic.solve import Answer, Reply
from seaspec.backends.symbolic.logic.terms import add, eq, less, mul, not_, number, variable
from seaspec.cli.checking import kept_results, provers
from seaspec.cli.checking import schedule as checking
from seaspec.cli.checking.how import How, how
from seaspec.cli.checking.provers import Answered, Provers, key_of

BROKEN = STICKS + 'invariant many "the heap is never low"\n  size of heap > 3\ninvariant few: size of heap < 10\n'


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "cache"))


def check(text: str, *words: str, name: str = "sticks.sea") -> Ran:
    Path(name).write_text(text)
    return seaspec("check", name, "--verbose", *words)


def checked_again(*words: str, text: str = BROKEN, name: str = "sticks.sea") -> bool:
    """Whether a game was checked anew, and not found in the cache."""
    told = json.loads(check(text, *words, "--json", name=name).out)
    return not told["subjects"][0]["cached"]


def entries(kind: str) -> list[Path]:
    return sorted(Path("cache", kind).glob("*"))


# ---------------------------------------------------------------------------------------------------- whole results


def test_what_has_not_changed_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = check(BROKEN)
    saved = Path(".seaspec/many.play").read_text()
    Path(".seaspec/many.play").unlink()

    def fail(*words: object) -> None:
        raise AssertionError("checked again")

    monkeypatch.setattr(checking, "check", fail)
    again = check(BROKEN)
    assert again.code == first.code == 1
    assert again.out.replace(" (cached)", "").replace(" when it was checked; nothing has changed", "") == first.out
    assert again.out.count("(cached)") == 2 and "(cached)" not in first.out
    assert Path(".seaspec/many.play").read_text() == saved
    assert seaspec("replay", ".seaspec/many.play").code == 0


def test_json_is_the_same_and_says_that_it_is_cached() -> None:
    (first,) = json.loads(check(BROKEN, "--json").out)["subjects"]
    (again,) = json.loads(check(BROKEN, "--json").out)["subjects"]
    assert (first.pop("cached"), again.pop("cached")) == (False, True)
    assert first == again and first["promises"][0]["play"] == ".seaspec/many.play"


def test_warnings_are_told_again() -> None:
    text = STICKS + "to sleep\n  nothing\nto sleep_more\n  sleep\n"
    assert check(text).err == check(text).err


@pytest.mark.parametrize(
    "words",
    ["--plays 5", "--seed 2", "--limit 70", "--quick", "--full", "--limit 0", "--memory 9"],
)
def test_another_check_is_another_result(words: str) -> None:
    assert checked_again()
    assert not checked_again()
    assert checked_again(*words.split())
    assert not checked_again(*words.split())
    assert not checked_again()


def test_what_a_result_depends_on() -> None:
    text = BROKEN + "world few of Sticks\nset players = 2\nvariant Short of Sticks\nset players = 2\n"
    assert checked_again(text=text)
    assert not checked_again(text=text)
    assert not checked_again(text=text + "-- another chapter has grown\n")
    assert checked_again(text=text.replace("heap > 3", "heap > 4"))
    assert checked_again(text=text.replace("world few", "-- a comment\nworld few"))
    assert checked_again(text=text + "more of Sticks\nexample low: size of heap < 100\n")
    assert checked_again(text=text + "more of Sticks\nexample low: size of heap < 101\n")
    assert not checked_again(text=text + "more of Short\nexample low: size of heap < 100\n")
    assert checked_again(text=text, name="other.sea")


def test_another_version_checks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked_again() and not checked_again()
    monkeypatch.setattr(kept_results, "tool", lambda: ("another version",))
    assert checked_again() and not checked_again()


def test_a_saved_play_has_the_rules_as_they_are_now() -> None:
    check(BROKEN)
    again = check(BROKEN + 'variant Short of Sticks "shorter"\nset players = 2\n')
    assert "(cached)" in again.out
    assert seaspec("replay", ".seaspec/many.play").code == 0


def test_no_cache_reads_and_writes_nothing() -> None:
    assert checked_again("--no-cache") and not entries("results")
    assert checked_again()
    assert checked_again("--no-cache")


def test_damaged_results_are_replaced() -> None:
    checked_again()
    (entry,) = entries("results")
    whole = entry.read_bytes()
    for damaged in (b"", whole[:40], whole[:-1], whole.replace(b"broken", b"proved"), b"something else"):
        entry.write_bytes(damaged)
        assert checked_again(), damaged[:60]
        assert not checked_again()


def test_a_faulty_text_is_not_kept() -> None:
    assert check(STICKS + "invariant many: size of heap > pile\n").code == 1
    assert not entries("results")


def test_what_was_interrupted_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "proved", interrupted)
    assert check(LARGE + "invariant few: size of heap < 10\n", "--memory", "1").code == 130
    assert not entries("results")


def test_more_time_tries_again() -> None:
    """What is undecided is served to whoever gives as much time, and to nobody else."""
    large = LARGE + "reachable greedy: size of taken[Ann] = 9\n"
    assert checked_again("--memory", "1", "--limit", "3", text=large)
    assert not checked_again("--memory", "1", "--limit", "3", text=large)
    assert checked_again("--memory", "1", "--limit", "4", text=large)


def test_old_results_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_results, "MOST_ENTRIES", 2)
    for seed in ("1", "2", "3"):
        checked_again("--seed", seed)
        for entry in entries("results"):
            os.utime(entry, (entry.stat().st_mtime - 10, entry.stat().st_mtime - 10))
    assert len(entries("results")) == 2
    assert checked_again("--seed", "1") and not checked_again("--seed", "3")


def test_runs_at_the_same_time_do_not_clash() -> None:
    Path("sticks.sea").write_text(BROKEN)
    words = [sys.executable, "-m", "seaspec", "check", "sticks.sea", "--json"]
    runs = [Popen(words, stdout=PIPE, text=True) for _ in range(3)]
    told = [json.loads(run.communicate()[0])["subjects"][0] for run in runs]
    assert [run.returncode for run in runs] == [1] * 3
    for subject in told:
        del subject["cached"], subject["seconds"]
    assert told[0] == told[1] == told[2]
    assert len(entries("results")) == 1


def test_time_has_a_default() -> None:
    assert (how().seconds, how(quick=True).seconds, how(full=True).seconds) == (60, 10, None)
    assert how(full=True, limit=5).seconds == 5
    assert how(limit=0) == How(proves=False, threads=how().threads, folder=how().folder)
    assert how(keeps=False).folder is None


# --------------------------------------------------------------------------------------------------- answers of solvers

X, Y = variable("x", 0, 9), variable("y", 0, 9)
EASY = script([less(X, Y)], [less(X, number(9)), less(Y, number(9))])


def solve(folder: Path, *scripts: object, milliseconds: int = 5_000) -> tuple[list[list[Reply]], int, int]:
    """The replies; how many goals were asked, how many known."""
    with Provers(1, None, milliseconds, Answered(folder)) as provers:
        return provers.solve(scripts, 1), provers.asked, provers.known  # type: ignore[arg-type]


def test_what_was_decided_is_not_asked_again(tmp_path: Path) -> None:
    first, asked, known = solve(tmp_path, EASY)
    assert (asked, known) == (2, 0)
    assert [reply.answer for reply in first[0]] == [Answer.IMPOSSIBLE, Answer.POSSIBLE]
    again, asked, known = solve(tmp_path, EASY)
    assert (asked, known) == (0, 2)
    assert again == first


def test_what_was_not_decided_is_asked_again(tmp_path: Path) -> None:
    a, b, c = (variable(name) for name in "abc")
    cubes = add(*(mul(x, mul(x, x)) for x in (a, b, c)))
    late = script([less(number(9), a)], [not_(eq(cubes, number(42))), less(X, number(10))])
    replies, asked, known = solve(tmp_path, late, milliseconds=50)
    assert [reply.answer for reply in replies[0]] == [Answer.UNKNOWN, Answer.IMPOSSIBLE]
    assert (asked, known) == (2, 0)
    again, asked, known = solve(tmp_path, late, milliseconds=50)
    assert (again, asked, known) == (replies, 1, 1)


def test_in_one_run_nothing_is_asked_twice_with_as_little_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Provers(1, None, 5_000) as provers:
        monkeypatch.setattr("seaspec.cli.checking.provers._Prover.answer", lambda prover: None)  # they all die
        assert {reply.answer for reply in provers.solve([EASY], 1)[0]} == {Answer.UNKNOWN}
        provers.solve([EASY], 1)
        assert provers.asked == 2
        provers.solve([EASY], 2)
        assert provers.asked == 4


def test_another_solver_or_encoding_asks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve(tmp_path, EASY)
    monkeypatch.setattr(provers, "version", lambda: "another solver")
    assert solve(tmp_path, EASY)[1:] == (2, 0)
    monkeypatch.setattr(provers, "_encoding", lambda: b"another encoding")
    assert solve(tmp_path, EASY)[1:] == (2, 0)


def test_damaged_answers_are_asked_again(tmp_path: Path) -> None:
    first, _, _ = solve(tmp_path, EASY)
    (entry,) = (tmp_path / "answers").iterdir()
    whole = entry.read_bytes()
    for damaged in (b"", whole[:-1], whole.replace(b"unsat", b"sat"), b"something else"):
        entry.write_bytes(damaged)
        assert solve(tmp_path, EASY) == (first, 2, 0)
    assert solve(tmp_path, EASY) == (first, 0, 2)


def test_only_what_is_decided_is_kept(tmp_path: Path) -> None:
    known = Answered(tmp_path)
    known.keep(key_of(EASY), {0: Reply(Answer.UNKNOWN)})
    assert not (tmp_path / "answers").exists()
    known.keep(key_of(EASY), {0: Reply(Answer.UNKNOWN), 1: Reply(Answer.POSSIBLE, {"x": 3})})
    assert known.find(key_of(EASY)) == {1: Reply(Answer.POSSIBLE, {"x": 3})}


def test_old_answers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "MOST_ENTRIES", 2)
    solve(tmp_path, *(script([less(X, number(most))]) for most in range(1, 6)))
    assert len(list((tmp_path / "answers").iterdir())) == 2


def test_a_rule_that_changes_is_proved_anew_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two actions about two heaps: a change of the one asks nothing about the other."""
    asked: list[int] = []
    solve_all = Provers.__exit__

    def counting(provers: Provers, *words: object) -> None:
        asked.append(provers.asked)
        solve_all(provers, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(Provers, "__exit__", counting)
    text = """
game Two
const players = 2
state left: 0..1000 = 0
state right: 0..1000 = 0
action step(p: Player)
  needs low: left < 900
  left := left + 1
action leap(p: Player)
  needs far: right < 800
  right := right + 2
to play
  repeat
    for each p in Player in order from seat(1)
      p chooses step
      p chooses leap
invariant left_low: left <= 902
invariant right_low: right <= 804
"""
    for version in (text, text + "\n-- nothing has changed\n", text.replace("right < 800", "right < 700")):
        ran = check(version, "--plays", "0")
        assert "proved: left_low" in ran.out and "proved: right_low" in ran.out
    first, same, changed = asked
    assert first > changed > 0 and same == 0


def test_what_is_kept_is_told_without_what_only_checking_needs() -> None:
    Path("sticks.sea").write_text(BROKEN)
    program = """
import sys
from seaspec.cli.main import main
main(["check", "sticks.sea", "--limit", "0"])
print(*(name for name in sys.modules if name.startswith(("seaspec.backends", "seaspec.core", "llvmlite", "z3"))))
"""
    words = (sys.executable, "-c", program)
    loaded = [subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[-1] for _ in "ab"]
    assert "seaspec.backends.interpreter.machine" in loaded[0].split() and not loaded[1]
