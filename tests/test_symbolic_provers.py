"""Solvers in processes of their own: late, killed or out of memory, they know nothing, and all else goes on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cli_runner import press_ctrl_c_once, seaspec

from seaspec.backends.symbolic.logic.formulas import exists, forall
from seaspec.backends.symbolic.logic.smtlib import Script, script
from seaspec.backends.symbolic.logic.solve import Answer, Reply, ask
from seaspec.backends.symbolic.logic.terms import (
    Function,
    Sort,
    Term,
    add,
    and_,
    at_most,
    bound,
    eq,
    less,
    mul,
    not_,
    number,
    or_,
    variable,
)
from seaspec.cli.checking.provers import Provers

X, Y = variable("x", 0, 9), variable("y", 0, 9)
OTHER = script([less(Y, X)], [less(Y, number(9))])
EASY = script([less(X, Y)], [less(X, number(9)), less(Y, number(9))])


def hard() -> list[Term]:
    """A sum of three cubes: nobody finds it in a moment."""
    a, b, c = (variable(name) for name in "abc")
    return [eq(mul(a, mul(a, a)), mul(number(1), variable("s"))), eq(cube(a, b, c), number(42)), less(number(99), a)]


def cube(a: Term, b: Term, c: Term) -> Term:
    return add(mul(a, mul(a, a)), mul(b, mul(b, b)), mul(c, mul(c, c)))


def test_a_sum_of_one_part_is_no_sum() -> None:
    """Solvers want two at least."""
    doubled = script([eq(Function("f", 1, Sort.INT)(mul(number(2), X)), Y)]).text
    assert "(f (* 2 x))" in doubled


def test_each_goal_has_an_answer() -> None:
    with Provers(2, None, 5_000) as provers:
        for replies in provers.solve([EASY, OTHER, EASY], 1)[::2]:
            assert [reply.answer for reply in replies] == [Answer.IMPOSSIBLE, Answer.POSSIBLE]
            assert replies[0].used == (0,)
            assert replies[1].values["y"] == 9


def test_a_quantifier_that_stands_twice_within_another_can_be_read() -> None:
    """What stands several times has a name in each of them."""
    name, other = bound(0, 3), bound(0, 3)
    function = Function("f", 1, Sort.INT, 0, 9)
    total = add(function(other), function(name))
    inner = exists((other,), and_(less(total, number(3)), less(number(1), total)))
    low, high = less(function(name), number(5)), less(number(2), function(name))
    outer = forall((name,), or_(and_(inner, low), and_(not_(inner), high)))
    (reply,) = ask(script([outer, less(X, Y)], [less(X, number(9))]), 5_000)
    assert reply.answer is Answer.IMPOSSIBLE


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


ABANDONED = """
import os
from seaspec.backends.symbolic.logic.smtlib import script
from seaspec.backends.symbolic.logic.terms import NO
from seaspec.cli.checking.provers import Provers
os.dup(1)  # whoever reads what is printed waits for all that may print, solvers too
Provers(2, None, 5_000).solve([script([NO])], 1)
os._exit(0)
"""


def test_solvers_end_with_who_asks() -> None:
    """However that ends: none is left to hold up what waits for all that was begun."""
    done = subprocess.run([sys.executable, "-c", ABANDONED], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_an_interrupt_leaves_the_rest_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    with Provers(1, None, 5_000) as provers:

        def interrupted(busy: object, patient: bool) -> None:
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
import seaspec.cli.checking.provers as provers

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
    monkeypatch.setattr("seaspec.cli.checking.provers.ask", lambda *words: signal.pause())
    with Provers(1, 0.5, 10**9) as provers:
        (late,) = provers.solve([EASY], 1)
        assert {reply.answer for reply in late} == {Answer.UNKNOWN}
    assert not multiprocessing.active_children()


# ------------------------------------------------------------------------------------- solvers that fail in the middle


def dies(*words: object) -> list[Reply]:
    os.kill(os.getpid(), signal.SIGKILL)
    return []


def exhausts(*words: object) -> list[Reply]:
    held = []
    while True:
        held.append(bytearray(2**26))


def hangs(*words: object) -> list[Reply]:
    while True:
        signal.pause()


def raises(*words: object) -> list[Reply]:
    raise RuntimeError("the solver is not well")


FAILS: list[Callable[..., list[Reply]]] = [dies, exhausts, hangs, raises]


@pytest.fixture
def _little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little memory, and little patience with those who are late."""
    monkeypatch.setattr("seaspec.cli.checking.provers.MEGABYTES", 1_000)
    monkeypatch.setattr("seaspec.cli.checking.provers.GRACE", 0.2)


@pytest.mark.usefixtures("_little")
@pytest.mark.parametrize("fails", FAILS)
def test_what_one_question_does_to_a_solver_is_nothing_to_the_others(fails: Callable[..., list[Reply]]) -> None:
    def asks(question: Script, milliseconds: int, wanted: Sequence[int]) -> list[Reply]:
        return fails() if question.text == OTHER.text else ask(question, milliseconds, wanted)

    third = script([less(X, Y)], [less(X, number(9)), less(Y, number(9)), less(Y, X)])
    with Provers(1, None, 200, asks=asks) as provers:
        easy, failed, more = provers.solve([EASY, OTHER, third], 1)
        assert [reply.answer for reply in easy] == [Answer.IMPOSSIBLE, Answer.POSSIBLE]
        assert [reply.answer for reply in failed] == [Answer.UNKNOWN]
        assert [reply.answer for reply in more] == [Answer.IMPOSSIBLE, Answer.POSSIBLE, Answer.POSSIBLE]
    assert not multiprocessing.active_children()


TWO = """game Two
const players = 2
state left: 0..1000 = 0
action step(p: Player)
  needs low: left < 900
  left := left + 1
to play
  repeat
    for each p in Player in order from seat(1)
      p chooses step
invariant small: left <= 902
reachable much: left = 900
example one
  when Ann does step
  then left = 1
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("two.sea").write_text(TWO)
    return "two.sea"


@pytest.mark.usefixtures("_little")
@pytest.mark.parametrize("fails", FAILS)
def test_a_check_tells_all_else_if_solvers_fail(
    fails: Callable[..., list[Reply]], two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["check", two, "--plays", "0", "--memory", "5", "--no-cache", "--verbose", "--limit", "6"]
    assert "proved: small" in seaspec(*words).out
    monkeypatch.setattr("seaspec.cli.checking.provers.ask", fails)
    for more, code in (([], 0), (["--strict"], 2)):
        ran = seaspec(*words, *more)
        assert ran.code == code
        assert "undecided: small" in ran.out and "proved: " not in ran.out.replace("not proved: ", "")
        assert "ok: example one" in ran.out and "undecided: much" in ran.out


def test_ctrl_c_while_a_solver_hangs(two: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupts(*words: object) -> list[Reply]:
        press_ctrl_c_once(tmp_path)
        return hangs()

    monkeypatch.setattr("seaspec.cli.checking.provers.ask", interrupts)
    ran = seaspec("check", two, "--plays", "0", "--memory", "5", "--no-cache", "--verbose")
    assert ran.code == 130
    assert "undecided: small" in ran.out and "ok: example one" in ran.out
    assert not multiprocessing.active_children()


def test_ctrl_c_counts_where_python_drops_what_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something is cleared away, nothing that is raised comes further: here what a weak reference calls."""

    class Thing:
        pass

    def cleared(_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    with Provers(1, 60, 300) as provers:
        thing = Thing()
        reference = weakref.ref(thing, cleared)
        del thing
        assert reference() is None and not provers.go_on
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
