"""Shapes laid on a board: what `covered` says of cells, sides and corners."""

from __future__ import annotations

from seaspec.compile import compile_chapters, parse_text
from seaspec.diagnostics.model import Report
from seaspec.examples.run import run_examples
from seaspec.game import Game

TEXT = """
game Reef "a shape on a board"
type Direction = ring of n, ne, e, se, s, sw, w, nw
board Sea: grid 4 by 3 from the bottom left towards Direction
shape Rock
  # # # . .
  # L . M .
  . . . . .
  key L = Shore, M = Land, # = Closed
component Island
  Rock times 2
place islands set of Island laid on Sea open fixed after setup
define shut(c: Sea, d: Direction) = covered(islands, border(c, d)) is Closed
to setup: move 1 Rock from box to islands at B2
to play: nobody wins
example cells: covered(islands, B2) is Shore and covered(islands, C2) is Land and covered(islands, D2) is none
example below: covered(islands, B1) is none
example sides: shut(B2, n) and shut(B2, nw) and shut(B2, ne) and shut(B2, w) and not shut(B2, s) and not shut(B2, e)
example same_side_from_beyond: shut(A2, e) and shut(B3, s) and not shut(C2, n) and shut(C3, sw)
example same_corner_from_beyond: shut(A3, se)
"""


def test_covered_cells_sides_and_corners() -> None:
    report = Report()
    rules = compile_chapters(parse_text("reef.sea", TEXT, report).chapters, {}, report)
    assert rules is not None, [d.message for d in report]
    for result in run_examples(Game(rules)):
        assert result.is_as_told, (result.example.name, result.failure)
