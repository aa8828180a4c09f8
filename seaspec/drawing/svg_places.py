"""What lies beside the boards, in SVG: what is seen as cards with their names, what is not as piles of backs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from seaspec.core import ir
from seaspec.drawing.colours import paint_of
from seaspec.drawing.lines import Lying
from seaspec.drawing.picture import Mark, Shape, printed_mark
from seaspec.drawing.svg_marks import swatch

_HIGH, _GAP, _SIGN = 24, 6, 7
_MOST = 40
"""More cards in one place are told in words."""


def is_drawn(place: Lying) -> bool:
    return len(place.cards) <= _MOST


def draw_places(game: ir.Game, places: Sequence[Lying], left: int, width: int, top: int) -> tuple[list[str], int]:
    """The places one below another, each behind its name; and where they end."""
    body: list[str] = []
    for place in places:
        top += _GAP
        body.append(f'<text x="{left}" y="{top + 16}">{escape(place.name)}</text>')
        begins = x = left + 13 * len(place.name) // 2 + 2 * _GAP
        if begins > width // 2:  # beside a long name there is no room
            begins = x = left + 2 * _GAP
            top += _HIGH - 2
        for drawn, wide in [*_cards(game, place), *_backs(place)]:
            if x > begins and x + wide > width - left:
                begins = x = left + 2 * _GAP
                top += _HIGH + _GAP
            body.append(f'<g transform="translate({x},{top})">{drawn}</g>')
            x += wide + _GAP
        top += _HIGH
    return body, top


def _cards(game: ir.Game, place: Lying) -> Iterator[tuple[str, int]]:
    """Each card, and how wide it is; of equal ones one, with their number. What looks like something else has its
    shape beside its name."""
    for (title, number), name in zip(place.cards, place.names, strict=True):
        text = name if number == 1 else f"{number}× {name}"
        mark = printed_mark(game, title)
        if mark is not None and mark.shape is not Shape.FACE:
            drawn = f'<g transform="translate(0,3)">{swatch(game, mark)}</g><text x="29" y="16">{escape(text)}</text>'
            yield f"<title>{escape(title)}</title>{drawn}", 33 + _SIGN * len(text)
            continue
        wide = max(20, _SIGN * len(text) + 14)
        yield (
            (
                f"<title>{escape(title)}</title>"
                f'<rect width="{wide}" height="{_HIGH}" rx="4" fill="#ffffff" stroke="{_rim(game, mark)}" '
                f'stroke-width="{1.3 if mark is None else 2}"/>'
                f'<text x="{wide // 2}" y="16" class="mid">{escape(text)}</text>'
            ),
            wide,
        )


def _rim(game: ir.Game, mark: Mark | None) -> str:
    """The colour of a card."""
    is_coloured = mark is not None and (mark.owner is not None or mark.tint)
    return paint_of(game, mark.owner, mark.tint).fill if mark is not None and is_coloured else "#8894a1"


def _backs(place: Lying) -> Iterator[tuple[str, int]]:
    """Piles whose cards are not seen, with whose they are, and their numbers."""
    for whose, number in place.unseen:
        text = f"{whose} {number}".strip()
        back = f'width="17" height="{_HIGH}" rx="3"'
        pile = "".join(
            f'<rect x="{2 * card}" y="{-2 * card}" {back} fill="url(#back)" stroke="#ffffff"/>'
            for card in range(min(3, number))
        )
        if not number:
            pile = f'<rect {back} fill="none" stroke="#8894a1" stroke-dasharray="3 3"/>'
        yield f'{pile}<text x="28" y="16">{escape(text)}</text>', 30 + _SIGN * len(text)
