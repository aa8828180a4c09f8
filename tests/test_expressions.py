"""Expressions at a position: what each form gives, by the interpreter."""

from __future__ import annotations

import pytest
from small_games import flow_game, state

from seaspec.backends.interpreter.errors import RuleError

THINGS = """\
board Sea: grid 4 by 3 from the bottom left towards Wind
type Wind = ring of n, e, s, w
table worth(l: Light): 0..9
  red    1
  amber  4
  green  9
state wind: Wind = n
state spots: set of Sea = {A1, B2, D3}
state grid[c: Sea]: 0..9 = 0
define counted_from(n: 0..9): map 1..3 to 1..12 = [k + n for k in 1..3]
define fib(k: 0..9): 0..40 shrinking k = if k < 2 then k else fib(k - 1) + fib(k - 2)
define odd(n: 0..99) = n mod 2 = 1
define even(n: 0..9): yes or no shrinking n = if n = 0 then yes else not even(n - 1)
define steps(c: Sea, k: 0..3): Sea or none
  match k
    0: c
    1, 2: next(c, e)
    3: none
define neighbours(c: Sea) = beside(c)
define near(c: Sea, n: 0..3): 0..20
  let m = n + 1
  size of (reach from {c} by a to b where distance(c, b) < m) + m
"""

SETUP = """\
move all B from stock to hand[seat(1)]
move C(2) to line
move C(1) to line
grid[B1] := 3
grid[C1] := 5
"""

NUMBERS = [
    ("2 + 3 * 2 - 1", 7),
    ("7 / 2 + 0 * (7 mod 3)", 3),
    ("(0 - 7) mod 3", 2),
    ("abs(3 - 8)", 5),
    ("min(4, 2, 3) + max(1, 2)", 4),
    ("if light is red then 1 else 2", 1),
    ("worth(green)", 9),
    ("worth(light)", 1),
    ("fib(7) - 10", 3),
    ("count x in 1..9 where odd(x)", 5),
    ("size of hand[seat(1)]", 3),
    ("count B in hand[seat(1)]", 3),
    ("sum grid[c] for c in Sea", 8),
    ("most grid[c] for c in Sea", 5),
    ("least grid[c] for c in Sea where grid[c] > 0", 3),
    ("least grid[c] for c in Sea where grid[c] > 7 otherwise 6", 6),
    ("size of {c in Sea where grid[c] = 0 and c.row = 1}", 2),
    ("size of {c.row for c in Sea}", 3),
    ("size of {c in Sea where even(c.row)}", 4),
    ("size of ({1, 2, 3} + {3, 4})", 4),
    ("size of ({1, 2, 3} - {3, 4})", 2),
    ("size of (2..5)", 4),
    ("size of (5..2)", 0),
    ("(the c in Sea where grid[c] = 5).column", 3),
    ("(first c in Sea where grid[c] > 0).column", 2),
    ("(the c in Sea where grid[c] = 9 otherwise D1).column", 4),
    ("if (first x in line) is C(2) then 2 else 1", 2),
    ("count c in ray(A1, e) while grid[c] > 0", 2),
    ("count c in ray(A1, n)", 2),
    ("turns(red, green)", 1),
    ("turns(green, red)", 1),
    ("size of (reach from {A1} by a to b where b in neighbours(a) and b not in spots) - 2", 8),
    ("near(A1, 1)", 6),
    ("sum counted_from(grid[B1])[j] for j in 1..2", 9),
    ("most (sum m[x] for x in 1..2) for m in (ways to give each x in 1..2 one of {1, x})", 3),
    ("sum [k + 1 for k in 1..3][j] for j in 1..2", 5),
    ("let_in(3)", 9),
    ("size of {c in Sea where c.row < 9 or distance(c, A1) = 6 / count_up} - 5", 7),
    ("size of {c in Sea where c in spots or c.row < 9 or c.column < 6 / count_up} - 5", 7),
    ("size of {c in Sea where c.row > 8 and c.column = 6 / count_up}", 0),
    ("size of {c in Sea where c.row > 2 and (c.row < 9 or c.column = 6 / count_up)}", 4),
    ("size of {c in Sea where next(c, wind) is some d and d.column != count_up}", 8),
    ("(first c in (ray(D1, w) - {C1})).column", 2),
    ("(first c in (if light is red then ray(D1, w) - {C1} else ray(A1, e))).column", 2),
    ("(first c in (if light is red then ray(A3, next(next(wind))) - {B1} else ray(A1, e))).row", 2),
    ("size of {c in Sea where (some d in next(c, e): d.column = 2)}", 3),
    ("size of {c in Sea where (some d in next(A1, e): d.row = c.row)}", 4),
    ("size of (hand[seat(1)] + line)", 5),
    ("most (sum m[x] for x in 1..2) for m in (ways to give each x in 1..2 one of {k in 1..2 where k > count_up})", 4),
    ("if steps(A1, 1) is some c then c.column else 9", 2),
    ("if steps(D1, 1) is none then 1 else 0", 1),
    ("if steps(A1, 3) is none then 1 else 0", 1),
]

TESTS = [
    ("every c in Sea: grid[c] <= 5", True),
    ("some c in Sea where c.row = 1: grid[c] = 5", True),
    ("no c in Sea: grid[c] = 9", True),
    ("light is red implies count_up = 0", True),
    ("light is green implies count_up = 3", True),
    ("A in stock and not (A in line)", True),
    ("some x in line: x is C(2) or 6 / count_up = 1", True),
    ("every x in line: x is not C(2) and 6 / count_up = 1", False),
    ("A1 in spots and A2 not in spots", True),
    ("3 in 2..4 and not (5 in 2..4)", True),
    ("spots = {D3, B2, A1}", True),
    ("spots != {A1}", True),
    ("counted_from(0) = counted_from(grid[A1])", True),
    ("counted_from(0) = counted_from(grid[B1])", False),
    ("slot is empty and line is filled", True),
    ("some B in hand[seat(1)]", True),
    ("some A in hand[seat(1)]", False),
    ("next(A1, w) is none", True),
    ("next(A1, n) is some c and c = A2", True),
    ("C(1) in line and C(1) != C(2)", True),
    ("hand[seat(2)] is empty", True),
    ("seat(1) can take(C(1))", False),
    ("seat(1) can bump", True),
    ("out(seat(1))", False),
    ("every a in Sea: every b in neighbours(a): a in neighbours(b)", True),
]

LET_IN = "define let_in(n: 0..9): 0..99\n  let m = n * n\n  m\n"


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_numbers(text: str, value: int) -> None:
    play = flow_game(SETUP + f"count_up := {text}\nseat(1) may bump", THINGS + LET_IN).start(seed=1)
    assert state(play, "count_up") == str(value)


@pytest.mark.parametrize(("text", "value"), TESTS)
def test_tests(text: str, value: bool) -> None:
    play = flow_game(SETUP + f"if {text}: count_up := 1\nseat(1) may bump", THINGS).start(seed=1)
    assert state(play, "count_up") == str(int(value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / count_up", "1 is divided by 0"),
        ("1 mod count_up", "1 is divided by 0"),
        ("(the c in Sea where grid[c] = 0).column", "exactly one was expected, there are 10"),
        ("most grid[c] for c in Sea where grid[c] > 7", "`most` of nothing has no value"),
        ("(first c in Sea where grid[c] > 7).column", "there is no first"),
        ("size of {c in Sea where C(1) in line}", "12"),
    ],
)
def test_obligations(text: str, message: str) -> None:
    with pytest.raises(RuleError, match=message) as caught:
        flow_game(SETUP + f"count_up := {text}\nseat(1) may bump", THINGS).start(seed=1)
    assert "small.sea" in str(caught.value)


def test_places_outside_their_index_are_empty() -> None:
    things = THINGS + "place berth[c: Sea] at most 1 Piece open\n"
    body = "move A to berth[B1]\nfor each c in {A1, D1}\n"
    body += "  if next(c, e) is none or berth[next(c, e)] is empty: count_up += 1"
    play = flow_game(body, things).start(seed=1)
    assert state(play, "count_up") == "1"
