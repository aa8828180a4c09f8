"""What lies in a cell of an SVG board: hulls that point where they head, walls, cards, backs, counters.

No letter is smaller than 9 pixels. Colours are of Okabe and Ito and of Tol, which people who are colour-blind can tell
apart; besides, each piece has its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from seaspec.core import ir
from seaspec.drawing.picture import Mark, Shape

CELL = 48
INK = "#1f2933"
_NOBODY = "#6b7785"
_NAMED = {
    "black": "#222222", "white": "#ffffff", "red": "#c1272d", "blue": "#0072b2", "green": "#00795a",
    "yellow": "#e0b000", "dark": "#3a3a3a", "light": "#f4ead2",
}  # fmt: skip
"""A player who is called like a colour has it."""
_SEATS = ("#0072b2", "#d55e00", "#00795a", "#aa3f8d", "#b58900", "#332288", "#7a4a2b", "#2b2b2b")
DEFS = (
    '<path id="hull" d="M0,-20C4,-13 8,-6 8,2C8,8 7,13 5.5,17L-5.5,17C-7,13 -8,8 -8,2C-8,-6 -4,-13 0,-20z"/>'
    '<pattern id="back" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" fill="#7c8da6"/><rect width="2.5" height="6" fill="#65768f"/></pattern>'
)
_SPARS = {1: (1,), 2: (-5, 7), 3: (-8, 1, 10), 4: (-10, -3, 4, 11)}
_PALE = ("#ffffff", "#f4ead2", "#e0b000")
_LEAST_SIZE = 9
_MOST_APART = 4


@dataclass(frozen=True, slots=True)
class Paint:
    """A colour, that of letters on it, and that of its rim."""

    fill: str
    ink: str = "#ffffff"
    rim: str = "#ffffff"


def paint_of(game: ir.Game, owner: int | None) -> Paint:
    """How what belongs to a seat is painted."""
    if owner is None:
        return Paint(_NOBODY)
    fill = _NAMED.get(game.players[owner].lower(), _SEATS[owner % len(_SEATS)])
    return Paint(fill, INK, INK) if fill in _PALE else Paint(fill)


def ground_of(cell: Sequence[Mark]) -> str:
    """What a cell is made of, whoever it belongs to."""
    return "".join(mark.sign for mark in cell if mark.shape is Shape.GROUND and mark.owner is None)


def swatch(game: ir.Game, mark: Mark) -> str:
    """A mark in a key, 26 by 18."""
    paint = paint_of(game, mark.owner)
    if mark.shape is Shape.GROUND:
        return f'<rect x="4" width="18" height="18" fill="none" stroke="{paint.fill}" stroke-width="3"/>'
    scale = 0.6 if mark.shape is Shape.HULL else 0.5
    return f'<g transform="translate(13,9) scale({scale})">{_shape(paint, mark)}</g>'


def shapes(game: ir.Game, cell: Sequence[Mark]) -> Iterator[str]:
    """The marks of a cell whose upper left corner is the origin."""
    upper = [mark for mark in cell if mark.shape is not Shape.GROUND]
    for mark in cell:
        if mark.shape is Shape.GROUND and mark.owner is not None:
            yield (
                f'<rect x="2.5" y="2.5" width="{CELL - 5}" height="{CELL - 5}" fill="none" '
                f'stroke="{paint_of(game, mark.owner).fill}" stroke-width="3"/>'
            )
    if not upper:
        own = "".join(mark.sign for mark in cell if mark.owner is not None)
        yield from _text(ground_of(cell), 24, 28, 11, 'opacity="0.5"') if not own else _text(own, 24, 29, 13)
        return
    counted = list(Counter(upper).items()) if len(upper) > 2 else [(mark, 1) for mark in upper]
    shown = counted if len(counted) <= _MOST_APART else counted[: _MOST_APART - 1]
    for number, (mark, count) in enumerate(shown):
        yield from _placed(game, mark, count, number, len(shown) + (len(shown) < len(counted)))
    if len(shown) < len(counted):
        yield from _text(f"+{len(counted) - len(shown)}", 36, 39, 11)


def _placed(game: ir.Game, mark: Mark, count: int, number: int, of: int) -> Iterator[str]:
    """One of some marks side by side, with its name."""
    x, y, scale = (24, 24, 1.0) if of == 1 else (12 + 24 * (number % 2), 24, 0.64)
    if of > 2:
        y, scale = 12 + 24 * (number // 2), 0.5
    name = (f"{count}×" if count > 1 else "") + mark.name
    if mark.shape is Shape.HULL:
        y -= 5 if of <= 2 else 3
        yield f'<g transform="translate({x},{y}) scale({scale})">{_shape(paint_of(game, mark.owner), mark)}</g>'
        yield from _text(name, x, 46 if of <= 2 else y + 14, 10 if of == 1 else 9)
        return
    yield f'<g transform="translate({x},{y}) scale({scale})">{_shape(paint_of(game, mark.owner), mark)}</g>'
    if mark.shape is Shape.BACK:
        yield from _text(f"×{count}", x, y + 4, 10, 'style="fill:#fff;font-size:10px"') if count > 1 else ()
        return
    ink = paint_of(game, mark.owner).ink if mark.owner is not None and not mark.flags else INK
    room = (36 if mark.shape is Shape.CARD else 32) * scale
    size = max(_LEAST_SIZE, min(15 if of == 1 else 11, int(room / (0.72 * max(1, len(name))))))
    small = "" if mark.pips is None else str(mark.pips)
    clear = " clear" if mark.flags else ""
    style = f'class="bold{clear}" style="font-size:{size}px;fill:{ink}"'
    yield f'<text x="{x}" y="{y + size * 0.36:.1f}" {style}>{escape(name)}</text>'
    if small and of == 1:
        yield from _text(small, x, 44, 10)


def _shape(paint: Paint, mark: Mark) -> str:
    """A mark of full size about the origin."""
    fill = paint.fill
    pale = ' fill-opacity="0.3"' if mark.flags else ""
    match mark.shape:
        case Shape.HULL:
            turn = f' transform="rotate({45 * mark.heading})"' if mark.heading else ""
            body = f'<use href="#hull" fill="{fill}"{pale} stroke="{paint.rim}" stroke-width="1.2"/>{_spars(mark.pips)}'
            return f"<g{turn}>{body}</g>" + _cross(mark, 11)
        case Shape.WALL:
            return (
                f'<rect x="-19" y="-17" width="38" height="34" fill="{fill}"{pale} stroke="{fill}" stroke-width="2"/>'
                + _cross(mark, 15)
            )
        case Shape.CARD:
            body, line = ("#ffffff", "#8894a1") if mark.owner is None else (fill, paint.rim)
            card = (
                f'<rect x="-20" y="-15" width="40" height="30" rx="5" fill="{body}" stroke="{line}" stroke-width="2"/>'
            )
            return card + _cross(mark, 13)
        case Shape.BACK:
            return (
                '<rect x="-13" y="-17" width="26" height="34" rx="3" fill="url(#back)" stroke="#ffffff" '
                'stroke-width="2"/>'
            )
        case Shape.VALUE:
            if mark.owner is None:
                return '<rect x="-17" y="-13" width="34" height="26" rx="13" fill="#ffffff" opacity="0.75"/>'
            return f'<circle r="18" fill="{fill}" stroke="{paint.rim}" stroke-width="1.5"/>'
        case Shape.GROUND:
            return ""


def _spars(pips: int | None) -> str:
    """A line across for each, or a number if there are too many."""
    if not pips:
        return ""
    if pips not in _SPARS:
        return f'<text y="6" class="bold" style="font-size:15px;fill:#fff">{pips}</text>'
    lines = "".join(f"M-9,{y}h18" for y in _SPARS[pips])
    return f'<path d="{lines}" stroke="{INK}" stroke-width="2.4"/>'


def _cross(mark: Mark, half: int) -> str:
    if not mark.flags:
        return ""
    return f'<path d="M-{half},-{half}L{half},{half}M-{half},{half}L{half},-{half}" stroke="{INK}" stroke-width="1.8"/>'


def _text(text: str, x: float, y: float, size: int, more: str = "") -> Iterator[str]:
    if text:
        style = more or f'style="font-size:{size}px"'
        if more and "style" not in more:
            style = f'{more} style="font-size:{size}px"'
        yield f'<text x="{x}" y="{y}" class="mid" {style}>{escape(text)}</text>'
