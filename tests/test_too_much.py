"""Texts that are too much: too deep, too large, too many errors. Each gets a clear error soon, and at a place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import Ran, seaspec

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import LONGEST, MOST, Report, near
from seaspec.source import SourceFile, Span

HEAD = 'game Much "Much"\nstate s: 0..9 = 0\n'
FLOW = 'action go(p: Player, n: 1..3) "{p} goes"\n  s := n\nto play\n  repeat 3 times\n    seat(1) chooses go\n'
HUGE = "some a in 1..1000: some b in 1..1000: some c in 1..1000: a * b * c = 1000000007 + s"


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(text: str, *words: str) -> Ran:
    Path("much.sea").write_text(text, encoding="utf-8")
    ran = seaspec("emit", "much.sea", "--stage", "core", *words)
    assert "Traceback" not in ran.err and "itself failed" not in ran.err
    return ran


def test_the_game_itself_is_fine() -> None:
    assert checked(HEAD + FLOW).code == 0


# ---------------------------------------------------------------------------------------------------------------- deep


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("const c{} = c{}", "const c{} = 1"),
        ("define c{} = c{}", "define c{} = s"),
        ("type C{} = set of C{}", "type C{} = 1..3"),
        ("table c{0}(a: 1..2): 0..9 = c{1}(1)", "table c{}(a: 1..2): 0..9 = 2"),
        ("rules c{}(p: Player)\n  needs c{}(p)", "rules c{}(p: Player)\n  needs ok: s = 0"),
        ("menu c{}(p: Player) = c{}(p) or go", "menu c{}(p: Player) = go"),
    ],
)
def test_what_leads_on_and_on_is_told_where_it_begins(line: str, last: str) -> None:
    text = "".join(line.format(number, number + 1) + "\n" for number in range(700)) + last.format(700) + "\n"
    used = FLOW.replace("s := n", "needs c0(p)\n  s := n") if line.startswith("rules") else FLOW
    used = used.replace("chooses go", "chooses c0") if line.startswith("menu") else used
    ran = checked(HEAD + text + used)
    assert ran.code == 1 and "error SEA110: " in ran.err and "0' leads too deep: through " in ran.err
    assert "declare first what others need" in ran.err
    assert len(ran.err.splitlines()) < 20


def test_procedures_that_call_on_and_on() -> None:
    text = "".join(f"to c{number}: c{number + 1}\n" for number in range(700)) + "to c700: s := 1\n"
    ran = checked(HEAD + text + FLOW.replace("s := n", "c0"))
    assert ran.code == 1 and "SEA110: the procedures of 'Much' lead too deep" in ran.err


def test_types_in_a_circle() -> None:
    ran = checked(HEAD + "type A = set of B\ntype B = set of A\n" + FLOW)
    assert ran.code == 1 and "SEA307: the type 'A' is defined by itself" in ran.err


def test_a_define_that_calls_itself_too_often() -> None:
    deep = "define f(n: 0..{}): 0..1 shrinking n = if n < 2 then 1 else f(n - 1)\n"
    ran = checked(HEAD + deep.format(1000) + FLOW)
    assert ran.code == 1 and "'f' may call itself 1,001 times, one call within another; at most 200" in ran.err
    Path("much.sea").write_text(HEAD + deep.format(199) + FLOW.replace("s := n", "s := f(199)"), encoding="utf-8")
    ran = seaspec("simulate", "much.sea", "--plays", "1", "--engine", "reference", "--jobs", "1", "--seed", "1")
    assert ran.code in (0, 1) and "Traceback" not in ran.err and "itself failed" not in ran.err
    assert ran.code == 0 or "defines call one another, one call within another" in ran.err


# ---------------------------------------------------------------------------------------------------------------- much


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"define hard = {HUGE}\n", 3),
        (f"invariant hard: not ({HUGE})\n", 3),
        (f"lemma hard(p: Player): not ({HUGE})\n", 3),
        (f"whenever hard: {HUGE}\n  s := 1\n", 3),
        (f"example hard\n  given s = 1\n  then ({HUGE})\n", 3),
        (f"state t: yes or no = ({HUGE.replace(' + s', '')})\n", 3),
        (f'to other "it is {{{HUGE}}}"\n  s := 1\n', 3),
        (f"to other\n  if ({HUGE}): s := 1\n", 4),
        (f"action other(p: Player)\n  needs hard: {HUGE}\n  s := 1\n", 4),
        ("define hard = some m in (ways to give each k in 1..9 one of 1..9): m[1] = 3\n", 3),
        ("define hard = {{a, b, c} for a in 1..999 for b in 1..999 for c in 1..999}\n", 3),
        ("board B: grid 100 by 100\ndefine hard = reach from {A1} by a to b where (some d in 1..9: d > 9)\n", 4),
    ],
)
def test_sets_within_sets_that_take_years(text: str, line: int) -> None:
    ran = checked(HEAD + text + FLOW)
    assert ran.code == 1 and "SEA405: this may have to look at too much: " in ran.err, ran.err
    assert f"much.sea:{line}:" in ran.err and "at most 250,000,000 are possible" in ran.err


def test_what_is_not_too_much() -> None:
    few = HUGE.replace("some c in 1..1000", "some c in 1..100")
    ways = "define w(k: set of 1..30) = some m in (ways to give each x in k one of 1..30): m[1] is some\n"
    assert checked(HEAD + f"define fine = {few}\ndefine both = fine and fine\n" + ways + FLOW).code == 0


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"define a{number} = nope{number}\n" for number in range(600)),
        "".join(f"define a{number} = 1 + yes\n" for number in range(300)),
        "define a = 1\n" * 300,
    ],
    ids=["unknown", "types", "twice"],
)
def test_of_many_errors_the_first_are_told(text: str) -> None:
    ran = checked(HEAD + text + FLOW)
    assert ran.code == 1 and f"SEA119: there are more errors than these {MOST}" in ran.err
    assert f"{MOST + 1} errors" in ran.err and len(ran.err) < 100_000
    told = json.loads(checked(HEAD + text + FLOW, "--json").out)
    assert len(told["diagnostics"]) == MOST + 1


def test_many_warnings_hide_no_error() -> None:
    report, span = Report(most=3), Span(SourceFile("a.sea", "text\n"), 0, 4)
    for number in range(9):
        report.add(Code.UNREACHED, span, f"warning {number}")
    assert not report.failed and [d.code for d in report][-1] is Code.TOO_MANY_WARNINGS and len(list(report)) == 4
    report.add(Code.UNKNOWN_NAME, span, "an error")
    assert report.failed and not report.is_full
    assert any(d.message == "an error" for d in report)


def test_names_without_end_are_cut() -> None:
    ran = checked(HEAD + f"define a = {'y' * 100_000}\n" + FLOW)
    assert ran.code == 1 and "SEA301: the name 'yyy" in ran.err and len(ran.err) < 3 * LONGEST
    many = [f"name{number}" for number in range(5_000)]
    assert near("nmae77", many) is not None and near("x" * 100_000, many) is None


# ------------------------------------------------------------------------------------------------------------- options


WIDE = """game Wide "Wide"
state s: 0..9 = 0
action go(p: Player, {}) "{{p}} goes"
  {}
  s := 1
to play
  repeat 3 times: seat(1) chooses go
  nobody wins
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("params", "guard", "said"),
    [
        (", ".join(f"a{number}: 1..9" for number in range(20)), "", "there are more than 20,000 options"),
        ("a: 1..201, b: 1..100", "", "there are more than 20,000 options"),
        ("a: 1..9999, b: 1..9999, c: 1..9", "needs no_way: a * b * c = 0", "more than 60,000 ways to do go would"),
    ],
)
def test_more_options_than_anybody_can_list(
    params: str, guard: str, said: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("seaspec.backends.interpreter.offers", "seaspec.core.flow"):
        monkeypatch.setattr(f"{module}.MOST_OPTIONS", 20_000)
        monkeypatch.setattr(f"{module}.MOST_TRIED", 60_000)
    Path("wide.sea").write_text(WIDE.format(params, guard))
    words = ["simulate", "wide.sea", "--plays", "2", "--seed", "1", "--jobs", "1"]
    ran = seaspec(*words, *(["--engine", "reference"] if engine == "reference" else []))
    assert ran.code == 1 and said in ran.err and "wide.sea:3" in ran.err
    assert ("note: by the reference engine, since " in ran.err) == (engine == "native")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_as_many_options_as_can_be_listed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seaspec.backends.interpreter.offers.MOST_OPTIONS", 20_000)
    monkeypatch.setattr("seaspec.core.flow.MOST_OPTIONS", 20_000)
    Path("wide.sea").write_text(WIDE.format("a: 1..200, b: 1..100", ""))
    ran = seaspec("simulate", "wide.sea", "--plays", "1", "--seed", "1", "--jobs", "1", "--engine", engine, "--json")
    assert ran.code == 0 and json.loads(ran.out)["branching"]["mean"] == 20_000


# ---------------------------------------------------------------------------------------------------------------- dice


def test_more_dice_than_can_be_gone_through() -> None:
    text = 'chance hit "a hit"\n{}  gives a0 > 3\n'
    few = "".join(f"  roll 1 d6 as a{number}\n" for number in range(6))
    many = "".join(f"  roll 1 d6 as a{number}\n" for number in range(9))
    assert checked(HEAD + text.format(few) + FLOW).code == 0
    ran = checked(HEAD + text.format(many) + FLOW)
    assert ran.code == 1 and "the dice of 'hit' may fall in 10,077,696 ways; at most 1,000,000" in ran.err


def test_a_hundred_dice_of_a_thousand_sides() -> None:
    flow = FLOW.replace("s := n", "roll 100 d1000 as x\n  s := x mod 2")
    Path("much.sea").write_text(HEAD + flow)
    ran = seaspec("simulate", "much.sea", "--plays", "3", "--seed", "1", "--jobs", "1")
    assert ran.code == 0 and "100 dice with 1000 sides is not compiled" in ran.err
