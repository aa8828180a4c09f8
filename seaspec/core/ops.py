"""The operators of the core: the one table of what there is.

Each has a name, the number of its arguments (None: any number), and a line that says what it means and what its
edge cases are. The checker, the back ends and docs/language.md read this table; a test asks that every back end
covers it.
"""

from __future__ import annotations

from enum import Enum, Flag, auto


class Trait(Flag):
    """What has to be known of an operator besides its meaning.

    `PARTIAL`: it has no value for some arguments. `LAZY`: arguments after the first are perhaps not looked at.
    `ORDERED`: the order of its first argument matters. `POSITION`: it reads the position. `ROUND`: it knows players
    only by who they are and how they sit round the table.
    """

    NONE = 0
    PARTIAL = auto()
    LAZY = auto()
    ORDERED = auto()
    POSITION = auto()
    ROUND = auto()


class Op(Enum):
    """`OP = (number of arguments, meaning, traits)`"""

    __hash__ = object.__hash__  # quicker than by name

    def __init__(self, arity: int | None, meaning: str, traits: Trait = Trait.NONE) -> None:
        self.arity = arity
        self.meaning = meaning
        self.traits = traits

    @property
    def is_partial(self) -> bool:
        """Whether it has no value for some arguments."""
        return Trait.PARTIAL in self.traits

    @property
    def is_lazy(self) -> bool:
        """Whether arguments after the first are perhaps not looked at."""
        return Trait.LAZY in self.traits

    @property
    def is_ordered(self) -> bool:
        """Whether the order of its first argument matters."""
        return Trait.ORDERED in self.traits

    @property
    def reads_position(self) -> bool:
        """Whether it reads the position."""
        return Trait.POSITION in self.traits

    @property
    def is_round(self) -> bool:
        """Whether it knows players only by who they are and how they sit round the table."""
        return Trait.ROUND in self.traits

    ADD = (2, "a + b")
    SUBTRACT = (2, "a - b")
    MULTIPLY = (2, "a * b")
    DIVIDE = (2, "a / b, rounded down, but for odds; b is never 0 (obligation)", Trait.PARTIAL)
    MODULO = (2, "a mod b, with the sign of b; b is never 0 (obligation)", Trait.PARTIAL)
    NEGATE = (1, "-a")
    ABS = (1, "abs(a)")
    MIN = (None, "the least of the arguments")
    MAX = (None, "the greatest of the arguments")
    EQUAL = (
        2,
        "a = b, for two values of one kind; none equals none only; sets are equal whatever their order",
        Trait.ROUND,
    )
    UNEQUAL = (2, "a != b", Trait.ROUND)
    LESS = (2, "a < b")
    AT_MOST = (2, "a <= b")
    MORE = (2, "a > b")
    AT_LEAST = (2, "a >= b")
    AND = (None, "all hold; from the left, later ones are not looked at after a `no`", Trait.LAZY | Trait.ROUND)
    OR = (None, "one holds; from the left, later ones are not looked at after a `yes`", Trait.LAZY | Trait.ROUND)
    NOT = (1, "not a", Trait.ROUND)
    IMPLIES = (2, "b holds, or a does not; b is not looked at then", Trait.LAZY | Trait.ROUND)
    IN = (
        2,
        "a is a member of the set b; none is a member of no set",
        Trait.LAZY | Trait.ROUND,
    )
    SIZE = (1, "the number of members of a set", Trait.ROUND)
    SET = (None, "the set of the arguments", Trait.ROUND)
    UNION = (2, "members of a or of b", Trait.ROUND)
    DIFFERENCE = (2, "members of a that are not in b, in the order of a", Trait.ROUND)
    RANGE = (2, "the ordered set of numbers from a to b; empty if b < a")
    PREFIX = (2, "the first b members of the ordered set a, or as many as there are", Trait.ORDERED)
    NTH = (2, "the b-th member of the ordered set a, from 1; none if there is none", Trait.ORDERED)
    ONLY = (1, "the one member of a set with exactly one (obligation)", Trait.PARTIAL | Trait.ROUND)
    MAYBE = (
        1,
        "the one member of a set with at most one (obligation), none if it is empty",
        Trait.PARTIAL | Trait.ROUND,
    )
    TURN = (2, "the value b steps on from a in its ring; b may be negative", Trait.ROUND)
    TURNS = (2, "how many steps onward lead from a to b in their ring", Trait.ROUND)
    ANGLE = (2, "how many steps lie between a and b in their ring, the shorter way", Trait.ROUND)
    KEY = (2, "the value of the map a at b; b is a key (obligation)", Trait.PARTIAL | Trait.ROUND)
    MAP = (None, "the map with these values, in the order of its keys")
    CHECK = (1, "a, which lies in the type of this expression (obligation)", Trait.PARTIAL | Trait.ROUND)
    KNOWN = (1, "a, which is known to lie in the type of this expression (a test before it said so)", Trait.ROUND)
    SPOT = (
        1,
        "the place of the piece a in the row it lies in, from 1 (obligation: it lies in a row)",
        Trait.PARTIAL | Trait.POSITION,
    )
    HAS_WON = (1, "the game is over and the player a has won", Trait.POSITION | Trait.ROUND)
    HAS_LOST = (1, "the game is over and the player a has lost", Trait.POSITION | Trait.ROUND)
    IS_OUT = (1, "the player a has dropped out", Trait.POSITION | Trait.ROUND)
