"""An error that a variant causes in a line of its base shows both lines."""

from __future__ import annotations

from seaspec.compile import compile_chapters, parse_text
from seaspec.diagnostics.model import Report

BASE = """
game Race "Race"
const length = 5
state step: 1..length = 1
to play
  repeat until step = length
    chance chooses k in 1..2
      step := min(length, step + k)
"""

VARIANT = """
variant Short of Race "Short"
set length = 0
"""


def test_the_change_is_shown_with_the_base_line() -> None:
    report = Report()
    base = parse_text("race.sea", BASE, report).chapters
    variant = parse_text("short.sea", VARIANT, report).chapters
    assert compile_chapters([*base, *variant], {}, report) is None
    problem = report.diagnostics[0]
    assert str(problem.span) == "race.sea:4"
    assert [(str(label.span), label.text) for label in problem.labels] == [("short.sea:3", "'length' is changed here")]
