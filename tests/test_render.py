"""Diagnostics as text and as JSON."""

from __future__ import annotations

import json

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Diagnostic, Label, Report
from seaspec.diagnostics.render import render, to_json
from seaspec.source import NOWHERE, SourceFile, Span
from seaspec.syntax.parse import parse

A = SourceFile("a.sea", "game Case\nto f\n  move card too hand\n")
B = SourceFile("b.sea", "game Other\n")


def found(text: str) -> list[Diagnostic]:
    report = Report()
    parse(SourceFile("a.sea", text), report)
    return report.diagnostics


def test_one_diagnostic() -> None:
    assert render(found(A.text), colour=False) == (
        "a.sea:3:13: error SEA101: expected `to`, `under` or a capitalised name, but found `too`\n"
        "  3 |   move card too hand\n"
        "    |             ^^^\n"
        "    hint: did you mean 'to'?\n"
        "\n"
        "1 error\n"
    )


def test_nothing_to_say() -> None:
    assert render([], colour=True) == ""


def test_labels_stand_below_with_their_own_lines() -> None:
    labels = (Label(Span(A, 10, 14), "declared here"), Label(Span(B, 5, 10), "and here"))
    diagnostic = Diagnostic(Code.SYNTAX, Span(A, 17, 21), "twice", labels, "choose")
    assert render([diagnostic], colour=False).startswith(
        "a.sea:3:3: error SEA101: twice\n"
        "  3 |   move card too hand\n"
        "    |   ^^^^\n"
        "  2 | to f\n"
        "    | ---- declared here\n"
        "    b.sea:1:6\n"
        "  1 | game Other\n"
        "    |      ----- and here\n"
        "    hint: choose\n"
    )


def test_a_label_on_the_same_line_does_not_repeat_it() -> None:
    lines = render(found("game Case\ndefine a = b and c or d\n"), colour=False).split("\n")
    assert lines[1:4] == [
        "  2 | define a = b and c or d",
        "    |                    ^^",
        "    |              --- `and` here",
    ]


def test_long_lines_are_clipped_round_the_place() -> None:
    text = "game Case\ndefine a = " + "b + " * 50 + "* c" + " + d" * 50 + "\n"
    shown, mark = render(found(text), colour=False).split("\n")[1:3]
    assert len(shown) < 120
    assert shown[mark.index("^")] == "*"
    assert shown.count("…") == 2


def test_wide_letters_and_tabs_keep_the_mark_in_place() -> None:
    shown, mark = render(found('game Case\nnote "海\t" b\n'), colour=False).split("\n")[1:3]
    assert shown == '  2 | note "海    " b'
    assert mark == "    |" + " " * 15 + "^"


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in render(found('game \x1b[31m\nnote "\x07"\n'), colour=False)


def test_colours_change_nothing_else() -> None:
    import re

    diagnostics = found(A.text)
    coloured = render(diagnostics, colour=True)
    assert "\x1b[1;31merror SEA101\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(diagnostics, colour=False)


def test_a_place_without_text() -> None:
    diagnostic = Diagnostic(Code.SYNTAX, NOWHERE, "lost", (Label(NOWHERE, "here, too"),))
    assert render([diagnostic], colour=False) == (
        "<library>: error SEA101: lost\n    <library>: here, too\n\n1 error\n"
    )


def test_the_count_at_the_end() -> None:
    warning = next(code for code in Code if code.is_warning)
    diagnostics = [Diagnostic(code, Span(A, 0, 4), "x") for code in (Code.SYNTAX, warning, Code.SYNTAX)]
    assert render(diagnostics, colour=False).endswith("\n\n2 errors, 1 warning\n")


def test_json() -> None:
    (value,) = to_json(found(A.text))
    assert json.loads(json.dumps(value)) == {
        "code": "SEA101",
        "severity": "error",
        "message": "expected `to`, `under` or a capitalised name, but found `too`",
        "file": "a.sea",
        "line": 3,
        "column": 13,
        "end_line": 3,
        "end_column": 16,
        "hint": "did you mean 'to'?",
        "labels": [],
    }
