"""Proofs and a second solver: what it agrees to, what it does not decide, and the alarm if it says the contrary."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_runner import Ran, press_ctrl_c_once, seaspec
from small_games import TINY, game_of

from seaspec.backends.symbolic.logic.smtlib import Script, narrowed, script, told
from seaspec.backends.symbolic.logic.solve import Answer, Reply, another_version, ask, ask_another
from seaspec.backends.symbolic.logic.terms import Function, Sort, add, and_, eq, less, mul, not_, number, variable
from seaspec.cli.checking.provers import Answered, Provers
from seaspec.prove.audit.second_solver import Agreement, Contested, cross_check
from seaspec.prove.proof import Step
from seaspec.prove.proofs import prove_in_steps

X, Y = variable("x", 0, 9), variable("y", 0, 9)
EASY = script([less(X, Y), less(X, number(8))], [less(X, number(9)), less(Y, number(9))], "two goals")
RISES = script([less(X, Y), less(Y, number(9))], [less(X, number(8))], "x is less")
FALLS = script([less(X, Y)], [less(Y, X)], "y is less")
STEPS = [Step(RISES, None), Step(RISES, None), Step(FALLS, "falls")]


def always() -> bool:
    return True


def here(question: Script, milliseconds: int) -> list[Reply]:
    """The replies of the second solver, in this process."""
    return ask_another(question, milliseconds)


class Says:
    """A solver that says the same of everything; `asked`: the texts."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[Script] = []

    def __call__(self, scripts: Sequence[Script], patience: int) -> list[list[Reply]]:
        self.asked += scripts
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [[Reply(answer, used=(0,))] for _ in scripts]


def last(*words: object) -> Agreement:
    return list(cross_check(*words))[-1]  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------------- the second solver


def test_both_solvers_say_the_same_of_each_goal() -> None:
    for question in (EASY, RISES, FALLS, script([less(X, Y)], []), script([less(X, X)], [])):
        assert [reply.answer for reply in here(question, 5_000)] == [reply.answer for reply in ask(question, 5_000)]


def test_only_the_goals_that_are_wanted_are_asked_for() -> None:
    assert [reply.answer for reply in ask_another(EASY, 5_000, [1])] == [Answer.POSSIBLE]
    assert [reply.answer for reply in ask_another(EASY, 5_000, [0])] == [Answer.IMPOSSIBLE]


def test_what_the_second_solver_does_not_decide_is_unknown() -> None:
    a, b, c = (variable(name) for name in "abc")
    cubes = add(*(mul(x, mul(x, x)) for x in (a, b, c)))
    hard = script([less(number(9), a)], [not_(eq(cubes, number(42)))])
    assert [reply.answer for reply in here(hard, 50)] == [Answer.UNKNOWN]


def test_a_part_of_what_is_given() -> None:
    holds = Function("holds", 1, Sort.BOOL)
    question = script([less(X, Y), holds(X), and_(holds(Y), less(Y, number(9)))], [less(X, number(8))], "why")
    (reply,) = ask(question, 5_000)
    assert reply.answer is Answer.IMPOSSIBLE and reply.used == (0, 2)
    less_given = narrowed(question, reply.used)
    assert less_given.given == 2 and len(less_given.text) < len(question.text)
    assert [ask(less_given, 5_000)[0].answer, here(less_given, 5_000)[0].answer] == [Answer.IMPOSSIBLE] * 2
    for used in ((0,), (1,), (2,), ()):
        assert {ask(narrowed(question, used), 5_000)[0].answer, here(narrowed(question, used), 5_000)[0].answer} == {
            Answer.POSSIBLE
        }
    assert told(question) == (
        "why",
        script([less(X, Y), holds(X), and_(holds(Y), less(Y, number(9)))], [less(X, number(8))]),
    )


def test_answers_of_both_solvers_are_kept_apart(tmp_path: Path) -> None:
    for solver, asks in ((None, None), ("cvc5 1", ask_another), ("cvc5 2", ask_another)):
        for asked in (1, 0):
            with Provers(1, None, 5_000, Answered(tmp_path, solver), asks) as provers:
                assert provers.solve([RISES], 1)[0][0].answer is Answer.IMPOSSIBLE
                assert provers.asked == asked


# ------------------------------------------------------------------------------------------------------- all its steps


def test_equal_steps_are_asked_once() -> None:
    first, second = Says(Answer.POSSIBLE), Says(Answer.IMPOSSIBLE)
    assert last(STEPS, first, second, always) == Agreement(2, 0, (), complete=True)
    assert [question.text for question in second.asked] == [told(RISES)[1].text, told(FALLS)[1].text]
    assert not first.asked


def test_what_only_one_of_them_denies_is_contested() -> None:
    found = last(STEPS, Says(Answer.IMPOSSIBLE), Says(Answer.POSSIBLE), always)
    assert found == Agreement(0, 0, (Contested("x is less", None), Contested("y is less", "falls")), complete=True)


@pytest.mark.parametrize("first", [Answer.POSSIBLE, Answer.UNKNOWN])
@pytest.mark.parametrize("second", [Answer.POSSIBLE, Answer.UNKNOWN])
def test_without_the_word_of_the_first_solver_nothing_is_contested(first: Answer, second: Answer) -> None:
    assert last(STEPS, Says(first), Says(second), always) == Agreement(0, 2, (), complete=True)


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        (Answer.IMPOSSIBLE, Agreement(2, 0, (), complete=True)),
        (Answer.UNKNOWN, Agreement(0, 2, (), complete=True)),
        (
            Answer.POSSIBLE,
            Agreement(0, 0, (Contested("x is less", None), Contested("y is less", "falls")), complete=True),
        ),
    ],
)
def test_what_is_not_decided_soon_is_asked_with_what_is_needed(again: Answer, expected: Agreement) -> None:
    second = Says(Answer.UNKNOWN, again)
    assert last(STEPS, Says(Answer.IMPOSSIBLE), second, always) == expected
    assert [question.given for question in second.asked] == [2, 1, 1, 1]


def test_what_there_was_no_time_for_is_not_called_undecided() -> None:
    left = iter((True, False, False))
    found = last(STEPS, Says(Answer.UNKNOWN), Says(Answer.UNKNOWN), lambda: next(left))
    assert found == Agreement(0, 0, (), complete=False)
    assert list(cross_check(STEPS, Says(Answer.UNKNOWN), Says(Answer.UNKNOWN), lambda: False)) == []


def test_the_steps_of_proofs_follow_for_both_solvers() -> None:
    game = game_of(TINY + "invariant rising: every c in Sea: field[c] is some card implies rises(card.number, c)\n")
    with Provers(1, None, 5_000) as provers:
        proofs, made = prove_in_steps(game.flow, game.rules.promises, provers.solve)
        assert proofs["rising"].proved
        steps = list(made)
        found = last(steps, provers.solve, Says(Answer.POSSIBLE), always)
        assert len(found.contested) == found.steps > 10
        with Provers(1, None, 5_000, asks=ask_another) as others:
            assert last(steps, provers.solve, others.solve, always) == Agreement(found.steps, 0, (), complete=True)


# -------------------------------------------------------------------------------------------------------- seaspec check

TWO = """game Two
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
invariant left_low "few": left <= 902
lemma larger(a: 0..9, b: 0..9): a < b and b < left implies a + 1 < left
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(*words: str, text: str = TWO) -> Ran:
    Path("two.sea").write_text(text)
    return seaspec("check", "two.sea", "--plays", "0", "--memory", "5", "--no-cache", *words)


def as_json(*words: str) -> dict[str, object]:
    (subject,) = json.loads(check("--json", *words).out)["subjects"]
    assert isinstance(subject, dict)
    return subject


def number_of_steps() -> int:
    """How many different steps the proofs have; those of the lemma are one."""
    crosscheck = as_json("--full")["crosscheck"]
    assert isinstance(crosscheck, dict) and crosscheck["steps"] >= 2
    return int(crosscheck["steps"])


def test_a_full_check_asks_a_second_solver() -> None:
    ran = check("--full")
    assert ran.code == 0
    version = another_version()
    assert version is not None and version.startswith("cvc5 ")
    steps = number_of_steps()
    assert f"crosscheck ok         {steps} of {steps} steps agreed on by {version}" in ran.out
    assert as_json("--full")["crosscheck"] == {
        "solver": version,
        "steps": steps,
        "agreed": steps,
        "undecided": 0,
        "contradictions": [],
        "complete": True,
    }


def test_other_checks_and_what_is_not_proved_need_no_second_solver() -> None:
    assert "crosscheck" not in check().out and as_json()["crosscheck"] is None
    assert "crosscheck" not in check("--full", "--limit", "0").out
    assert "crosscheck" not in check("--full", text=TWO[: TWO.index("invariant")]).out


def test_without_a_second_solver_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seaspec.cli.checking.schedule.another_version", lambda: None)
    ran = check("--full", "--strict", "--junit", "report.xml")
    assert ran.code == 0
    assert "crosscheck none" in ran.out and "pip install 'seaspec[crosscheck]'" in ran.out
    found = as_json("--full")["crosscheck"]
    assert isinstance(found, dict) and found["solver"] is None and found["complete"] is False
    (case,) = (c for c in ElementTree.parse("report.xml").iter("testcase") if c.attrib["name"] == "crosscheck")
    assert "pip install" in case.findtext("skipped", "")


def denies(question: Script, milliseconds: int, wanted: Sequence[int]) -> list[Reply]:
    return [Reply(Answer.POSSIBLE)] * len(wanted)


@pytest.mark.parametrize("words", [[], ["--strict"]])
def test_solvers_that_contradict_each_other_are_an_alarm(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    steps = number_of_steps()
    monkeypatch.setattr("seaspec.cli.checking.schedule.ask_another", denies)
    ran = check("--full", "--junit", "report.xml", "--sarif", "report.sarif", *words)
    assert ran.code == 2
    assert "proved" not in [line.split()[0].rstrip(":") for line in ran.lines if line.strip()]
    assert "promises   undecided  2 undecided" in ran.out and f"{steps} IT CONTRADICTS" in ran.out
    assert f"contradicts Z3 about {steps} steps of proofs: one of the two is wrong" in ran.out
    assert "so these are not proved: left_low, larger" in ran.out
    assert ran.lines[-1].startswith("ALARM: the solvers contradict each other")
    cases = {case.attrib["name"]: case for case in ElementTree.parse("report.xml").iter("testcase")}
    (failure,) = cases["crosscheck"]
    assert failure.tag == "failure" and "left_low" in (failure.text or "")
    (run,) = json.loads(Path("report.sarif").read_text())["runs"]
    told_of = [(r["ruleId"], r["level"]) for r in run["results"]]
    assert told_of.count(("solvers-disagree", "error")) == 2


def test_a_step_for_one_promise_leaves_the_others_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def denies_lemmas(question: Script, milliseconds: int, wanted: Sequence[int]) -> list[Reply]:
        of_lemma = "|a" in question.text or " a " in question.text
        return denies(question, milliseconds, wanted) if of_lemma else ask_another(question, milliseconds, wanted)

    steps = number_of_steps()
    monkeypatch.setattr("seaspec.cli.checking.schedule.ask_another", denies_lemmas)
    found = as_json("--full")
    assert [(p["name"], p["verdict"]) for p in found["promises"]] == [("left_low", "proved"), ("larger", "undecided")]  # type: ignore[attr-defined]
    crosscheck = found["crosscheck"]
    assert isinstance(crosscheck, dict)
    assert (crosscheck["agreed"], crosscheck["steps"]) == (steps - 1, steps)
    assert crosscheck["contradictions"] == [{"step": "larger follows", "promises": ["larger"]}]


def dies(question: Script, milliseconds: int, wanted: Sequence[int]) -> list[Reply]:
    os.kill(os.getpid(), signal.SIGKILL)
    return []


def exhausts(question: Script, milliseconds: int, wanted: Sequence[int]) -> list[Reply]:
    held = []
    while True:
        held.append(bytearray(2**26))


@pytest.mark.parametrize("fails", [dies, exhausts])
def test_a_second_solver_that_fails_has_decided_nothing(fails: object, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = number_of_steps()
    monkeypatch.setattr("seaspec.cli.checking.schedule.ask_another", fails)
    monkeypatch.setattr("seaspec.cli.checking.provers.MEGABYTES", 1_000)
    ran = check("--full", "--verbose")
    assert ran.code == 0
    assert f"crosscheck in part    0 of {steps} steps agreed on by cvc5" in ran.out
    assert f"{steps} it did not decide" in ran.out and "2 proved" in ran.out


def test_ctrl_c_while_the_second_solver_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupts(question: Script, milliseconds: int, wanted: Sequence[int]) -> list[Reply]:
        press_ctrl_c_once(tmp_path)
        signal.pause()
        return []

    monkeypatch.setattr("seaspec.cli.checking.schedule.ask_another", interrupts)
    ran = check("--full", "--verbose")
    assert ran.code == 130
    assert "proved: left_low" in ran.out
    assert "crosscheck in part    0 of 0 steps agreed on by cvc5" in ran.out
    assert "the others were not asked for" in ran.out
