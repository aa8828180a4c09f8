"""How large things may be. Whatever is larger is an error (SEA405), found without listing it."""

from __future__ import annotations

LARGEST_NUMBER = 10**15
"""The largest number that a value may be."""
LARGEST_BOUND = 2**31
"""The largest number at the end of a declared range."""
LARGEST_LISTED = 100_000
"""The largest type or range that is listed value by value."""
LARGEST_BASE = 10_000
"""The largest type that there are sets of, or maps from."""
LARGEST_BOARD = 10_000
LARGEST_TABLE = 200_000
MOST_INSTANCES = 100_000
"""The most instances of a place or state, by index."""
MOST_PIECES = 4096
MOST_PLAYERS = 64
MOST_DICE = 100
MOST_SIDES = 1000
MOST_LOOKED_AT = 250_000_000
"""The most members that the quantifiers of an expression may go through, one within another."""
DEEPEST_CALLS = 200
"""How often a define may call itself, one call within another."""
MOST_THROWN = 1_000_000
"""In how many ways the dice of a named throw may fall, sums for those that are rolled together."""
