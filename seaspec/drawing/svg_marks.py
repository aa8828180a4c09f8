"""What lies in a cell of an SVG board: hulls that point where they head, walls, cards, backs, counters.

No letter is smaller than 9 pixels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from seaspec.core import ir
from seaspec.drawing.colours import INK, Paint, paint_of
from seaspec.drawing.picture import Mark, Shape

CELL = 48
DEFS = (
    '<path id="hull" d="M0,-20C4,-13 8,-6 8,2C8,8 7,13 5.5,17L-5.5,17C-7,13 -8,8 -8,2C-8,-6 -4,-13 0,-20z"/>'
    '<pattern id="back" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" fill="#7c8da6"/><rect width="2.5" height="6" fill="#65768f"/></pattern>'
)
_SPARS = {1: (1,), 2: (-5, 7), 3: (-8, 1, 10), 4: (-10, -3, 4, 11)}
_LEAST_SIZE = 9
_BELOW = (Shape.HULL, Shape.PAWN, Shape.FLAG)
"""What has its name below it."""
_ROOM = {Shape.CARD: 36, Shape.FACE: 26, Shape.DISC: 26, Shape.TOKEN: 30, Shape.DIE: 26}
"""How wide the name on it can be."""
_DOTS = {
    1: ((0, 0),), 2: ((-8, -8), (8, 8)), 3: ((-8, -8), (0, 0), (8, 8)), 4: ((-8, -8), (8, -8), (-8, 8), (8, 8)),
    5: ((-8, -8), (8, -8), (0, 0), (-8, 8), (8, 8)), 6: ((-8, -8), (8, -8), (-8, 0), (8, 0), (-8, 8), (8, 8)),
}  # fmt: skip
"""Where the pips of a die are."""
_MOST_APART = 4
_LONGEST_BESIDE = 4
"""Of pieces side by side no longer name has room."""


def ground_of(cell: Sequence[Mark]) -> str:
    """What a cell is made of, whoever it belongs to."""
    return "".join(mark.sign for mark in cell if mark.shape is Shape.GROUND and mark.owner is None)


def swatch(game: ir.Game, mark: Mark) -> str:
    """A mark in a key, 26 by 18."""
    paint = paint_of(game, mark.owner, mark.tint)
    if mark.shape is Shape.GROUND:
        return f'<rect x="4" width="18" height="18" fill="none" stroke="{paint.fill}" stroke-width="3"/>'
    scale = 0.6 if mark.shape is Shape.HULL else 0.42 if mark.shape is Shape.FACE else 0.5
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
    if of > 1 and len(name) > _LONGEST_BESIDE:
        name = f"{count}×" if count > 1 else name[:_LONGEST_BESIDE]
    paint = paint_of(game, mark.owner, mark.tint)
    if mark.shape in _BELOW or (mark.shape is Shape.DIE and mark.pips in _DOTS):
        y -= 5 if of <= 2 else 3
        yield f'<g transform="translate({x},{y}) scale({scale})">{_shape(paint, mark)}</g>'
        yield from _text(name, x, 46 if of <= 2 else y + 14, 10 if of == 1 else 9)
        return
    yield f'<g transform="translate({x},{y}) scale({scale})">{_shape(paint, mark)}</g>'
    if mark.shape is Shape.BACK:
        yield from _text(f"×{count}", x, y + 4, 10, 'style="fill:#fff;font-size:10px"') if count > 1 else ()
        return
    is_filled = (mark.owner is not None or mark.tint) and not mark.flags
    room = _ROOM.get(mark.shape, 32) * scale
    size = max(_LEAST_SIZE, min(15 if of == 1 else 11, int(room / (0.72 * max(1, len(name))))))
    small = " ".join([*([] if mark.pips is None else [str(mark.pips)]), *(value for value, _ in mark.numbers)])
    clear = " clear" if mark.flags else ""
    style = f'class="bold{clear}" style="font-size:{size}px;fill:{paint.ink if is_filled else INK}"'
    yield f'<text x="{x}" y="{y + size * 0.36:.1f}" {style}>{escape(name)}</text>'
    if small and of == 1:
        ink = paint.ink if is_filled and mark.shape is Shape.FACE else INK
        yield from _text(small, x, 41 if mark.shape is Shape.FACE else 45, 10, f'style="font-size:10px;fill:{ink}"')


def _shape(paint: Paint, mark: Mark) -> str:
    """A mark of full size about the origin."""
    fill = paint.fill
    pale = ' fill-opacity="0.3"' if mark.flags else ""
    body, line = ("#ffffff", "#8894a1") if mark.owner is None and not mark.tint else (fill, paint.rim)
    around = f'fill="{body}"{pale} stroke="{line}" stroke-width="2"'
    match mark.shape:
        case Shape.HULL:
            turn = f' transform="rotate({45 * mark.heading})"' if mark.heading else ""
            hull = f'<use href="#hull" fill="{fill}"{pale} stroke="{paint.rim}" stroke-width="1.2"/>{_spars(mark.pips)}'
            return f"<g{turn}>{hull}</g>" + _cross(mark, 11)
        case Shape.WALL:
            return (
                f'<rect x="-19" y="-17" width="38" height="34" fill="{fill}"{pale} stroke="{fill}" stroke-width="2"/>'
                + _cross(mark, 15)
            )
        case Shape.CARD:
            card = (
                f'<rect x="-20" y="-15" width="40" height="30" rx="5" fill="{body}" stroke="{line}" stroke-width="2"/>'
            )
            return card + _arrow(mark, 15) + _cross(mark, 13)
        case Shape.FACE:
            inside = f'<rect x="-13" y="-18" width="26" height="36" rx="2" fill="none" stroke="{line}" opacity="0.6"/>'
            card = f'<rect x="-16" y="-21" width="32" height="42" rx="4" {around}/>{inside}'
            return card + _arrow(mark, 20) + _cross(mark, 14)
        case Shape.DISC:
            inside = f'<circle r="14" fill="none" stroke="{line}" opacity="0.6"/>'
            return f'<circle r="17" {around}/>{inside}' + _arrow(mark, 16) + _cross(mark, 12)
        case Shape.TOKEN:
            return f'<path d="M-10,-17h20l10,17l-10,17h-20l-10,-17z" {around}/>' + _arrow(mark, 16) + _cross(mark, 12)
        case Shape.PAWN:
            return f'<path d="{_PAWN}" {around}/>' + _arrow(mark, 20) + _cross(mark, 12)
        case Shape.FLAG:
            pole = f'<path d="M-10,-18v36" stroke="{INK}" stroke-width="2.5"/>'
            return f'{pole}<path d="M-10,-17h26l-7,9l7,9h-26z" {around}/>' + _arrow(mark, 20) + _cross(mark, 12)
        case Shape.DIE:
            die = f'<rect x="-15" y="-15" width="30" height="30" rx="6" {around}/>'
            return die + dots(mark.pips, paint.ink if body == fill else INK) + _arrow(mark, 16) + _cross(mark, 12)
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


_PAWN = "M0,-18a6,6 0 0 1 4.5,10h4.5v3h-4l4,14h3v5h-24v-5h3l4,-14h-4v-3h4.5a6,6 0 0 1 4.5,-10z"


def dots(pips: int | None, fill: str) -> str:
    """The pips of a die about the origin; nothing if it has no such side."""
    places = _DOTS.get(pips or 0, ())
    return "".join(f'<circle cx="{x}" cy="{y}" r="3.2" fill="{fill}"/>' for x, y in places)


def _arrow(mark: Mark, far: int) -> str:
    """Where it points, at its rim."""
    if mark.heading is None:
        return ""
    tip = f"M0,-{far + 5}l4,7h-8z"
    return f'<path d="{tip}" transform="rotate({45 * mark.heading})" fill="{INK}" stroke="#ffffff"/>'


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
