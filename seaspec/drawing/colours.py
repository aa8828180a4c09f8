"""Colours of players, of words, and those that an author names.

They are of Okabe and Ito and of Tol, which people who are colour-blind can tell apart; besides, each piece has its
name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seaspec.core import ir

INK = "#1f2933"
_NOBODY = "#6b7785"
NAMED = {
    "black": "#222222", "white": "#ffffff", "grey": "#8a8f98", "red": "#c1272d", "orange": "#d55e00",
    "yellow": "#e0b000", "gold": "#d9a514", "green": "#00795a", "blue": "#0072b2", "purple": "#7b3fa0",
    "brown": "#7a4a2b", "dark": "#3a3a3a", "light": "#f4ead2",
}  # fmt: skip
"""Whatever is called like a colour has it: a player, a suit."""
_OTHERS = ("#0072b2", "#d55e00", "#00795a", "#aa3f8d", "#b58900", "#332288", "#7a4a2b", "#2b2b2b")
PALE = tuple(NAMED[name] for name in ("white", "light", "yellow", "gold"))
"""Colours on which letters are dark."""


@dataclass(frozen=True, slots=True)
class Paint:
    """A colour, that of letters on it, and that of its rim."""

    fill: str
    ink: str = "#ffffff"
    rim: str = "#ffffff"


def paint_of(game: ir.Game, owner: int | None, tint: str = "") -> Paint:
    """How what belongs to a seat is painted; or what has a colour of its own."""
    fill = tint or (_NOBODY if owner is None else colour_of(game.players, owner))
    return Paint(fill, INK, INK) if fill in PALE else Paint(fill)


def colour_of(words: Sequence[str], number: int) -> str:
    """The colour of one of some words: its own, or else one that goes by its number.

    >>> colour_of(("clubs", "red"), 0), colour_of(("clubs", "red"), 1)
    ('#0072b2', '#c1272d')
    """
    return NAMED.get(words[number].lower(), _OTHERS[number % len(_OTHERS)])
