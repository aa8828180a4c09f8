"""A procedure as a diagram: a box a row, in the order of the rules; arrows back are left, past others right.

The picture stands in the page itself, for its boxes are links. Colours are in seaspec.css; each sort has a shape, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from seaspec.book.turn import Box, Sort, Turn

_WIDE, _LANE, _EDGE = 430, 16, 14
_LINE, _ROOM, _GAP = 17, 8, 24
_LONGEST = 58
"""Signs in a line."""

Link = Callable[[str], str | None]
"""Where a procedure or an action is told of."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A box that has its place: `lines` of words with links."""

    box: Box
    top: int
    height: int
    lines: tuple[str, ...]

    @property
    def middle(self) -> int:
        return self.top + self.height // 2

    @property
    def bottom(self) -> int:
        return self.top + self.height


def draw(turn: Turn, link: Link, tones: Sequence[str]) -> str:
    """The diagram. `tones`: who decides anywhere in the game, each with a colour of its own."""
    rows: list[_Row] = []
    top = _EDGE
    for box in turn.boxes:
        lines = tuple(_lines(box, link))
        rows.append(_Row(box, top, len(lines) * _LINE + _ROOM, lines))
        top += rows[-1].height + _GAP
    ways = [(here, arrow.to) for here, row in enumerate(rows) for arrow in row.box.arrows]
    back = _lanes([(here, to) for here, to in ways if to <= here])
    past = _lanes([(here, to) for here, to in ways if to > here + 1])
    left = _EDGE + _LANE * (1 + max(back.values(), default=-1)) + (8 if back else 0)
    width = left + _WIDE + _LANE * (1 + max(past.values(), default=-1)) + (8 if past else 0) + _EDGE
    drawn = [part for here in range(len(rows)) for part in _arrows(rows, here, left, back, past)]
    drawn += [part for row in rows for part in _box(row, left, tones)]
    height = top - _GAP + _EDGE
    told = f"{turn.title}: " + "; ".join(box.words for box in turn.boxes)
    return (
        f'<div class="flow"><svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="group" '
        f'aria-label="{escape(told)}">{"".join(drawn)}</svg></div>'
    )


def _lanes(ways: Sequence[tuple[int, int]]) -> dict[int, int]:
    """A lane for the arrows to each row; the short ones are nearest."""
    spans: dict[int, tuple[int, int]] = {}
    for here, to in ways:
        low, high = spans.get(to, (to, to))
        spans[to] = min(low, here), max(high, here)
    lanes: dict[int, int] = {}
    for to, (low, high) in sorted(spans.items(), key=lambda item: (item[1][1] - item[1][0], item)):
        taken = {lane for other, lane in lanes.items() if spans[other][0] <= high and low <= spans[other][1]}
        lanes[to] = next(lane for lane in range(len(taken) + 1) if lane not in taken)
    return lanes


def _lines(box: Box, link: Link) -> Iterator[str]:
    """The words of a box, in lines; the names in it are links."""
    if box.sort == Sort.CALLS:
        yield _linked(box.words, box.names[0], link)
        return
    if len(box.names) == 1 and box.words.endswith(f" {box.names[0]}"):
        yield escape(_short(box.words.removesuffix(box.names[0])), quote=False) + _linked(
            box.names[0], box.names[0], link
        )
        return
    yield escape(_short(box.words), quote=False)
    line, length = "", 0
    for number, name in enumerate(box.names):
        comma = "," if number + 1 < len(box.names) else ""
        if length and length + len(name) > _LONGEST:
            yield line
            line, length = "", 0
        line += (" " if line else "") + _linked(name, name, link) + comma
        length += len(name) + 2
    if line:
        yield line


def _linked(words: str, name: str, link: Link) -> str:
    address = link(name)
    shown = escape(_short(words), quote=False)
    return shown if address is None else f'<a href="{escape(address)}">{shown}</a>'


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 2]} .."


def _box(row: _Row, left: int, tones: Sequence[str]) -> Iterator[str]:
    box = row.box
    round_by = {Sort.TESTS: 12, Sort.RETURNS: 12, Sort.CHANCE: 8}.get(box.sort, 2)
    tone = f" tone{tones.index(box.who)}" if box.who in tones else ""
    yield f'<g class="{box.sort}{tone}">'
    yield f'<rect x="{left}" y="{row.top}" width="{_WIDE}" height="{row.height}" rx="{round_by}"/>'
    for number, line in enumerate(row.lines):
        y = row.top + _ROOM // 2 + _LINE * number + 13
        yield f'<text x="{left + 12}" y="{y}">{line}</text>'
    yield "</g>"


TONES = 4
"""So many who decide can be told apart."""


def _arrows(
    rows: Sequence[_Row], here: int, left: int, back: Mapping[int, int], past: Mapping[int, int]
) -> Iterator[str]:
    """The arrows that begin at a box."""
    row, right = rows[here], left + _WIDE
    for arrow in row.box.arrows:
        there = rows[arrow.to]
        if arrow.to == here + 1:
            x = left + 40
            yield f'<path d="M{x},{row.bottom}V{there.top}"/>{_tip(x, there.top, "down")}'
            yield from _label(arrow.label, x + 7, row.bottom + 15, "")
        elif arrow.to > here:
            lane = right + 8 + _LANE * (past[arrow.to] + 1) - 4
            y, end = row.middle + 3, there.middle - 3
            yield f'<path d="M{right},{y}H{lane}V{end}H{right + 1}"/>{_tip(right + 1, end, "left")}'
            yield from _label(arrow.label, right - 4, row.bottom + 14, "from")
        else:
            lane = left - 8 - _LANE * (back[arrow.to] + 1) + 4
            y, end = row.middle + 3, there.middle - 3
            yield f'<path d="M{left},{y}H{lane}V{end}H{left - 1}"/>{_tip(left - 1, end, "right")}'
            yield from _label(arrow.label, left + 4, row.bottom + 13, "")


def _tip(x: int, y: int, to: str) -> str:
    shape = {"down": "l-4,-7h8z", "left": "l7,-4v8z", "right": "l-7,-4v8z"}[to]
    return f'<path class="tip" d="M{x},{y}{shape}"/>'


def _label(text: str, x: int, y: int, side: str) -> Iterator[str]:
    if text:
        yield f'<text class="label {side}" x="{x}" y="{y}">{escape(text, quote=False)}</text>'
