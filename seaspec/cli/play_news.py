"""What has happened since a player was asked last, as lines that people read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from seaspec.backends.interpreter.views import UNSEEN


def condensed(log: Sequence[str]) -> list[str]:
    """A log in which moves between the same places that follow one another are told together, in one line.

    >>> condensed(["?: box -> deck", "?: box -> deck", "Ace: deck -> hand", "?: box -> deck", "Ann: pass"])
    ['2 unseen: box -> deck', 'Ace: deck -> hand', 'unseen: box -> deck', 'Ann: pass']
    """
    lines: list[str] = []
    pieces: list[str] = []
    way = ""
    for line in [*log, ""]:
        found = _MOVED.fullmatch(line)
        if pieces and (not found or found[2] != way):
            lines.append(f"{', '.join(_counted(pieces))}: {way}")
            pieces = []
        if found:
            way = found[2]
            pieces += found[1].split(", ")
        else:
            lines.append(line)
    return lines[:-1]


_MOVED = re.compile(r"(.+?): (\S.* -> \S.*)")


def _counted(pieces: Sequence[str]) -> list[str]:
    """Equal pieces together, unseen ones last: `3 Coin`, `2 unseen`."""
    counted = Counter(pieces)
    unseen = counted.pop(UNSEEN, 0)
    told = [piece if number == 1 else f"{number} {piece}" for piece, number in counted.items()]
    return [*told, f"{unseen} unseen" if unseen > 1 else "unseen"] if unseen else told
