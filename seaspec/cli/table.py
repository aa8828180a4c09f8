"""A position on this terminal: as wide as it is, players in colour where there is colour, ASCII where need be."""

from __future__ import annotations

import sys

from seaspec.cli.output import BOLD, paint, screen_width
from seaspec.core import ir
from seaspec.drawing import Seen, draw_text

_SEATS = ("34", "33", "32", "35", "36", "31", "94", "95")
_BEYOND_ASCII = "↑↗→↘↓↙←↖×"


def table_text(game: ir.Game, seen: Seen) -> str:
    """What is seen of a position, to be printed on stdout."""
    return draw_text(game, seen, screen_width(), _in_colour, plain=not _can_print(_BEYOND_ASCII))


def _in_colour(text: str, seat: int) -> str:
    return paint(text, BOLD, _SEATS[seat % len(_SEATS)])


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
