"""What the formatter prints parses back to an equal tree, with no more brackets than it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from seaspec.diagnostics.model import Report
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.format import format_declaration, format_expr, format_file
from seaspec.syntax.parse import parse, parse_expression

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path
    for folder in ("spec", "rules", "tests/cases")
    for path in (ROOT / folder).rglob("*.sea")
    if not {"---", "###"} & set(path.read_text(encoding="utf-8").split())  # small texts with marks: see chunked.py
)


UNBROKEN = ('assume "', 'note "')
"""Sentences stand on one line."""


def read(text: str) -> tree.File:
    report = Report()
    file = parse(SourceFile("a.sea", text), report)
    assert not report.diagnostics, report.diagnostics[0].message
    return file


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_round_trip(path: Path) -> None:
    file = read(path.read_text(encoding="utf-8"))
    text = format_file(file)
    again = read(text)
    assert again == file
    assert format_file(again) == text
    lines = text.split("\n")
    assert max(len(line) for line in lines if not line.lstrip().startswith(UNBROKEN)) <= 100
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize(
    "text",
    [
        "a or b or c",
        "(a or b) and c",
        "a and (b and c)",
        "not a and not (b or c)",
        "a implies b implies c",
        "(a implies b) implies c",
        "a - b - c",
        "a - (b - c)",
        "(a + b) * c / (d * e)",
        "-a * -(b + c)",
        "-(-a)",
        "old size of a.b[c](d)",
        "(old a).b",
        "size of (spendable(p) - {card})",
        "a in 1..b - 1",
        "(if a then b else c) + 1",
        "if a then b else if c then d else e",
        "f(if a then b else c, every x in S: x = a)",
        "every a, b in S where a != b: some c in T: c in {a, b}",
        "(some Start in hand[p]) and not (no x in S: x is filled)",
        "a is not some b and c is some",
        "c is (empty)",
        "x is asked at sea",
        "{x in S where (every y in T: x < y) with least f(x)}",
        "{3 Cannon, 2 Gold}",
        "{5 Man(White), 2 Gun(3, north)}",
        "{a + b for a in S while p(a) for b in T}",
        "[(if k = 1 then a else b) for k in 1..7]",
        "[1, -1, 0]",
        "most f(a) for a in (ways to give each m in crew(p) one of m.numbers) otherwise 0",
        "the i in field[x] where i is Fleet otherwise none",
        "reach from {s} by a to b where b.ahead is a",
        "openly p can play(a, b)",
        "p has won implies not q has lost",
        "count Mine in kept[p]",
        "count x in S while f(x)",
    ],
)
def test_expressions(text: str) -> None:
    report = Report()
    expr = parse_expression(SourceFile("a.sea", text), report)
    assert not report.diagnostics
    assert expr is not None
    assert format_expr(expr) == text


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("((a)) + (b)", "a + b"),
        ("(a * b) + c", "a * b + c"),
        ("not (not (a))", "not not a"),
        ("(every x in S: (x))", "every x in S: x"),
    ],
)
def test_brackets_that_are_not_needed_go(written: str, printed: str) -> None:
    expr = parse_expression(SourceFile("a.sea", written), Report())
    assert expr is not None
    assert format_expr(expr) == printed


def test_long_lines_are_broken_where_they_may_go_on() -> None:
    long = " and ".join(f"field[cell_{number}] is filled" for number in range(12))
    file = read(f"game Case\ndefine f(x: A) = {long}\n")
    text = format_declaration(file.chapters[0].declarations[0])
    assert text.split("\n")[1:3] == [
        "  = field[cell_0] is filled and field[cell_1] is filled and field[cell_2] is filled",
        "      and field[cell_3] is filled and field[cell_4] is filled and field[cell_5] is filled",
    ]
    assert read(f"game Case\n{text}\n") == file


def test_a_name_that_is_spelt_like_a_keyword_stands_in_brackets() -> None:
    text = "game Case\nto f\n  move (up) to (any)\n  p chooses (any) of S as x\n  (win)(x)\n"
    assert "  move (up) to any\n  p chooses (any) of S as x\n  (win)(x)\n" in format_file(read(text))
