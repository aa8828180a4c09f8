"""A throw, in SVG: one die with six sides by its pips, a sum of several dice, or another die, by its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seaspec.drawing.colours import INK
from seaspec.drawing.svg_marks import dots

_SIDES = 6
_WIDE, _SIGN, _GAP = 30, 7, 10
HIGH = 40


@dataclass(frozen=True, slots=True)
class Thrown:
    """The sum of some dice that were thrown together, each of so many sides."""

    total: int
    dice: int
    sides: int


def draw_dice(thrown: Sequence[Thrown], left: int, top: int) -> Iterator[str]:
    """The dice side by side, 40 pixels high."""
    x = left
    for throw in thrown:
        is_plain = throw.dice == 1 and throw.sides == _SIDES
        told = str(throw.total) if is_plain else f"{throw.total} with {throw.dice} d{throw.sides}"
        body = f'<rect x="-15" y="-15" width="30" height="30" rx="6" fill="#ffffff" stroke="{INK}" stroke-width="1.6"/>'
        number = f'<text y="5" class="bold" style="font-size:14px">{throw.total}</text>'
        face = dots(throw.total, INK) if is_plain else number
        yield f'<g transform="translate({x + 15},{top + 18})"><title>{told}</title>{body}{face}</g>'
        x += _WIDE + _GAP
        if not is_plain:
            words = f"{throw.dice} d{throw.sides}" if throw.dice > 1 else f"d{throw.sides}"
            yield f'<text x="{x - 4}" y="{top + 22}">{words}</text>'
            x += _SIGN * len(words) + _GAP
