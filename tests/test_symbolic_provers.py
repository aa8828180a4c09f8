"""Solvers in processes of their own: late, killed or out of memory, they know nothing, and all else goes on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from seaspec.backends.symbolic.smtlib import script
from seaspec.backends.symbolic.solve import Answer
from seaspec.backends.symbolic.terms import Function, Sort, Term, add, and_, at_most, eq, less, mul, number, variable
from seaspec.cli.provers import Provers

X, Y = variable("x", 0, 9), variable("y", 0, 9)
OTHER = script([less(Y, X)], [less(Y, number(9))])
EASY = script([less(X, Y)], [less(X, number(9)), less(Y, number(9))])


def hard() -> list[Term]:
    """A sum of three cubes: nobody finds it in a moment."""
    a, b, c = (variable(name) for name in "abc")
    return [eq(mul(a, mul(a, a)), mul(number(1), variable("s"))), eq(cube(a, b, c), number(42)), less(number(99), a)]


def cube(a: Term, b: Term, c: Term) -> Term:
    return add(mul(a, mul(a, a)), mul(b, mul(b, b)), mul(c, mul(c, c)))


def test_each_goal_has_an_answer() -> None:
    with Provers(2, None, 5_000) as provers:
        for replies in provers.solve([EASY, OTHER, EASY], 1)[::2]:
            assert [reply.answer for reply in replies] == [Answer.IMPOSSIBLE, Answer.POSSIBLE]
            assert replies[0].used == (0,)
            assert replies[1].values["y"] == 9


def test_what_takes_too_long_is_unknown() -> None:
    with Provers(1, None, 50) as provers:
        (late,), easy = provers.solve([script(hard()), EASY], 1)
        assert late.answer is Answer.UNKNOWN
        assert easy[0].answer is Answer.IMPOSSIBLE


def test_without_time_nothing_is_asked() -> None:
    with Provers(1, 0, 5_000) as provers:
        assert not provers.go_on
        assert [reply.answer for reply in provers.solve([EASY], 1)[0]] == [Answer.UNKNOWN] * 2


def test_a_process_that_dies_is_replaced() -> None:
    with Provers(1, None, 5_000) as provers:
        provers.solve([EASY], 1)
        (process,) = multiprocessing.active_children()
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        first, second = provers.solve([EASY, OTHER], 1)
        assert {reply.answer for reply in first} == {Answer.UNKNOWN}
        assert second[0].answer is Answer.IMPOSSIBLE
    assert not multiprocessing.active_children()


def test_an_interrupt_leaves_the_rest_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    with Provers(1, None, 5_000) as provers:

        def interrupted(busy: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(provers, "_answers", interrupted)
        assert [reply.answer for reply in provers.solve([EASY], 1)[0]] == [Answer.UNKNOWN] * 2
        assert provers.interrupted and not provers.go_on


def test_equal_questions_have_equal_texts() -> None:
    holds = Function("holds", 1, Sort.BOOL)
    question = [and_(holds(X), at_most(X, number(3)))]
    assert script(question).text == script(list(question)).text


DIES = """
import os, signal
from test_symbolic_provers import EASY, Provers
import seaspec.cli.provers as provers

def dies(*words):
    os.write(1, b"last words")
    os.write(2, b"last words")
    os.kill(os.getpid(), signal.SIGSEGV)

provers.ask = dies
with Provers(1, None, 5_000) as solvers:
    print(*(reply.answer.value for reply in solvers.solve([EASY], 1)[0]))
"""


def test_what_a_dying_solver_prints_is_for_nobody() -> None:
    words = [sys.executable, "-X", "faulthandler", "-c", DIES]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    assert (done.stdout, done.stderr) == ("unknown unknown\n", "")


def test_at_the_end_of_the_time_solvers_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else this would wait for ever."""
    monkeypatch.setattr("seaspec.cli.provers.ask", lambda *words: signal.pause())
    with Provers(1, 0.5, 10**9) as provers:
        (late,) = provers.solve([EASY], 1)
        assert {reply.answer for reply in late} == {Answer.UNKNOWN}
    assert not multiprocessing.active_children()
