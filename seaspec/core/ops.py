"""The operators of the core: the one table of what there is.

Each has a name, the number of its arguments (None: any number), and a line that says what it means and what its
edge cases are. The checker, the back ends and docs/language.md read this table; a test asks that every back end
covers it.
"""

from __future__ import annotations

from enum import Enum


class Op(Enum):
    """`OP = (number of arguments, meaning)`"""

    def __init__(self, arity: int | None, meaning: str) -> None:
        self.arity = arity
        self.meaning = meaning

    ADD = (2, "a + b")
    SUBTRACT = (2, "a - b")
    MULTIPLY = (2, "a * b")
    DIVIDE = (2, "a / b, rounded down, but for odds; b is never 0 (obligation)")
    MODULO = (2, "a mod b, with the sign of b; b is never 0 (obligation)")
    NEGATE = (1, "-a")
    ABS = (1, "abs(a)")
    MIN = (None, "the least of the arguments")
    MAX = (None, "the greatest of the arguments")
    EQUAL = (2, "a = b, for two values of one kind; none equals none only; sets are equal whatever their order")
    UNEQUAL = (2, "a != b")
    LESS = (2, "a < b")
    AT_MOST = (2, "a <= b")
    MORE = (2, "a > b")
    AT_LEAST = (2, "a >= b")
    AND = (None, "all hold; from the left, later ones are not looked at after a `no`")
    OR = (None, "one holds; from the left, later ones are not looked at after a `yes`")
    NOT = (1, "not a")
    IMPLIES = (2, "b holds, or a does not; b is not looked at then")
    IN = (2, "a is a member of the set b; none is a member of no set")
    SIZE = (1, "the number of members of a set")
    SET = (None, "the set of the arguments")
    UNION = (2, "members of a or of b")
    DIFFERENCE = (2, "members of a that are not in b, in the order of a")
    RANGE = (2, "the ordered set of numbers from a to b; empty if b < a")
    PREFIX = (2, "the first b members of the ordered set a, or as many as there are")
    NTH = (2, "the b-th member of the ordered set a, from 1; none if there is none")
    ONLY = (1, "the one member of a set with exactly one (obligation)")
    MAYBE = (1, "the one member of a set with at most one (obligation), none if it is empty")
    TURN = (2, "the value b steps on from a in its ring; b may be negative")
    TURNS = (2, "how many steps onward lead from a to b in their ring")
    ANGLE = (2, "how many steps lie between a and b in their ring, the shorter way")
    KEY = (2, "the value of the map a at b; b is a key (obligation)")
    MAP = (None, "the map with these values, in the order of its keys")
    CHECK = (1, "a, which lies in the type of this expression (obligation)")
    KNOWN = (1, "a, which is known to lie in the type of this expression (a test before it said so)")
    SPOT = (1, "the place of the piece a in the row it lies in, from 1 (obligation: it lies in a row)")
    HAS_WON = (1, "the game is over and the player a has won")
    HAS_LOST = (1, "the game is over and the player a has lost")
    IS_OUT = (1, "the player a has dropped out")
