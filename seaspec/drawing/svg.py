"""A picture in SVG: a heading, boards, a key, lines for the rest of the table. What lies in a cell: svg_marks.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape

from seaspec.core import ir
from seaspec.drawing.colours import INK
from seaspec.drawing.names import in_runs
from seaspec.drawing.picture import PIECES, BoardPicture, Dial, Mark, Picture, Shape, picture
from seaspec.drawing.seen import Seen
from seaspec.drawing.svg_dice import HIGH, Thrown, draw_dice
from seaspec.drawing.svg_marks import CELL, DEFS, ground_of, shapes, swatch
from seaspec.drawing.svg_pictures import draw_free, size_of
from seaspec.drawing.svg_places import draw_places, is_drawn
from seaspec.drawing.text_cells import line_of, wrapped

_MARGIN, _LINE, _LEAST_WIDTH = 32, 17, 420
_PAPER, _PLAIN, _GRID, _FAINT = "#fbfaf6", "#dce8f0", "#ffffff", "#52606d"
_GROUNDS = ("#e8d9ae", "#c5dcbf", "#f0cdbb", "#d5cbe8", "#bfe0df", "#dedede", "#f3e3a0", "#c9d3e6")
_STYLE = " ".join(
    [
        f"text {{ font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; fill: {INK} }}",
        f".edge {{ font-size: 11px; fill: {_FAINT}; text-anchor: middle }}",
        ".head { font-size: 19px; font-weight: bold }",
        ".mid { text-anchor: middle }",
        ".bold { font-weight: bold; text-anchor: middle }",
        ".clear { paint-order: stroke; stroke: #ffffff; stroke-width: 3.5px; stroke-linejoin: round }",
        ".end { text-anchor: end }",
    ]
)


def draw_svg(
    game: ir.Game,
    seen: Seen,
    title: str = "",
    note: str = "",
    before: Seen | None = None,
    thrown: Sequence[Thrown] = (),
) -> str:
    """The position as an SVG picture. `note`: a line under the title; `before`: what has moved since is marked;
    `thrown`: the dice that have led to it."""
    drawn = picture(game, seen)
    earlier = None if before is None else picture(game, before)
    boards_wide = [len(board.columns) * CELL for board in drawn.boards]
    width = max(
        [_LEAST_WIDTH, *(wide + 2 * _MARGIN for wide in (*boards_wide, *(size_of(one)[0] for one in drawn.free)))]
    )
    body: list[str] = []
    top = 8
    if title or note or drawn.dials:
        body += _heading(title, note, drawn.dials, width)
        top += 72 if drawn.dials else 30 * bool(title) + 22 * bool(note)
    if thrown:
        body += draw_dice(thrown, _MARGIN // 2, top)
        top += HIGH
    for number, board in enumerate(drawn.boards):
        left = (width - len(board.columns) * CELL) // 2
        body.append(f'<g transform="translate({left},{top + 24})">')
        body += _board(game, board, None if earlier is None else earlier.boards[number])
        body.append("</g>")
        top += len(board.rows) * CELL + 54
    for number, free in enumerate(drawn.free):
        wide, high = size_of(free)
        body.append(f'<g transform="translate({(width - wide) // 2},{top + 24})">')
        body += draw_free(game, free, None if earlier is None else earlier.free[number])
        body.append("</g>")
        top += high + 30
    keys, top = _key(game, drawn, width, top + 6)
    body += keys
    cards, top = draw_places(game, [place for place in drawn.places if is_drawn(place)], _MARGIN // 2, width, top)
    body += cards
    for line in _lines(drawn, (width - _MARGIN) // 7):
        top += _LINE
        left = _MARGIN // 2 + (16 if line.startswith(" ") else 0)
        body.append(f'<text x="{left}" y="{top}">{escape(line.strip())}</text>')
    height = top + _LINE
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            *([f"<title>{escape(title)}</title>"] if title else []),
            f"<style>{_STYLE}</style>",
            f"<defs>{DEFS}</defs>",
            f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
            *body,
            "</svg>\n",
        ]
    )


def _heading(title: str, note: str, dials: Sequence[Dial], width: int) -> Iterator[str]:
    if title:
        yield f'<text x="{_MARGIN // 2}" y="30" class="head">{escape(title)}</text>'
    if note:
        yield f'<text x="{_MARGIN // 2}" y="{52 if title else 26}">{escape(note)}</text>'
    for number, dial in enumerate(dials):
        x = width - 46 - 220 * number
        yield f'<circle cx="{x}" cy="44" r="30" fill="{_PLAIN}" stroke="{_FAINT}"/>'
        for turn in range(0, 360, 45):
            yield f'<path d="M0,-30v4" transform="translate({x},44) rotate({turn})" stroke="{_FAINT}"/>'
        arrow = "M0,-23 8,-9 2.5,-9 2.5,21 -2.5,21 -2.5,-9 -8,-9z"
        yield f'<path d="{arrow}" transform="translate({x},44) rotate({45 * dial.heading})" fill="{INK}"/>'
        yield f'<text x="{x - 40}" y="40" class="end">{escape(dial.place)}</text>'
        yield f'<text x="{x - 40}" y="56" class="end" style="font-weight:bold">{escape(dial.title)}</text>'


# --------------------------------------------------------------------------------------------------------------- boards


def _board(game: ir.Game, board: BoardPicture, before: BoardPicture | None) -> Iterator[str]:
    fills = _fills(board)
    paths: dict[str, list[str]] = {}
    for _, x, y, cell in _cells(board):
        ground = ground_of(cell)
        paths.setdefault(fills.get(ground, _PLAIN) if ground else _PLAIN, []).append(f"M{x},{y}h{CELL}v{CELL}h-{CELL}z")
    for fill, squares in paths.items():
        yield f'<path fill="{fill}" stroke="{_GRID}" d="{"".join(squares)}"/>'
    yield from _edges(board)
    if before is not None:
        yield from _changes(board, before)
    for name, x, y, cell in _cells(board):
        drawn = "".join(shapes(game, cell))
        if drawn:
            yield f'<g transform="translate({x},{y})"><title>{escape(_told(name, cell))}</title>{drawn}</g>'


def _cells(board: BoardPicture) -> Iterator[tuple[str, int, int, tuple[Mark, ...]]]:
    """Each cell: its name, where it lies in the picture, its marks."""
    for row, (number, cells) in enumerate(board.rows):
        for column, cell in enumerate(cells):
            if cell is not None:
                yield board.columns[column] + number, column * CELL, row * CELL, cell


def _fills(board: BoardPicture) -> dict[str, str]:
    """A colour for each ground, the first for what there is most of."""
    found = Counter(ground for _, _, _, cell in _cells(board) if (ground := ground_of(cell)))
    return {ground: _GROUNDS[n % len(_GROUNDS)] for n, (ground, _) in enumerate(found.most_common())}


def _edges(board: BoardPicture) -> Iterator[str]:
    """Coordinates on all four sides."""
    wide, high = len(board.columns) * CELL, len(board.rows) * CELL
    for row, (name, _) in enumerate(board.rows):
        for x in (-14, wide + 14):
            yield f'<text x="{x}" y="{row * CELL + CELL // 2 + 4}" class="edge">{escape(name)}</text>'
    for column, name in enumerate(board.columns):
        for y in (-7, high + 15):
            yield f'<text x="{column * CELL + CELL // 2}" y="{y}" class="edge">{escape(name)}</text>'


def _told(name: str, cell: Sequence[Mark]) -> str:
    """What a browser says of a cell: `B3: Boat 1 (pips: 2)`."""
    upper = [mark for mark in cell if mark.shape is not Shape.GROUND] or cell
    return f"{name}: " + ", ".join(" ".join([mark.meaning or mark.name, *mark.flags]) for mark in upper)


def _changes(board: BoardPicture, before: BoardPicture) -> Iterator[str]:
    """A dotted line for each piece that has moved, a dot where nothing is left, a frame where something is new."""
    now, then = _where(board), _where(before)
    half = CELL // 2
    for mark, (x, y) in now.items():
        if mark in then and then[mark] != (x, y):
            from_x, from_y = then[mark]
            way = f"M{from_x + half},{from_y + half}L{x + half},{y + half}"
            yield f'<path d="{way}" fill="none" stroke="{INK}" stroke-width="3" stroke-dasharray="2 6" opacity="0.5"/>'
    old = {name: set(_upper(cell)) for name, _, _, cell in _cells(before)}
    for name, x, y, cell in _cells(board):
        if old[name] and not _upper(cell):
            yield f'<circle cx="{x + half}" cy="{y + half}" r="5" fill="{INK}" opacity="0.4"/>'
        if set(_upper(cell)) - old[name]:
            yield (
                f'<rect x="{x + 1.5}" y="{y + 1.5}" width="{CELL - 3}" height="{CELL - 3}" fill="none" stroke="{INK}" '
                'stroke-width="1.5" opacity="0.45"/>'
            )


def _upper(cell: Sequence[Mark]) -> list[Mark]:
    return [mark for mark in cell if mark.shape is not Shape.GROUND]


def _where(board: BoardPicture) -> dict[str, tuple[int, int]]:
    """Where pieces lie that are alone of their name."""
    found = [(mark.meaning, (x, y)) for _, x, y, cell in _cells(board) for mark in _upper(cell) if mark.meaning]
    counted = Counter(meaning for meaning, _ in found)
    return {meaning: where for meaning, where in found if counted[meaning] == 1}


# ------------------------------------------------------------------------------------------------------- key and lines


def _key(game: ir.Game, drawn: Picture, width: int, top: int) -> tuple[list[str], int]:
    """Small pictures with words, as many in a row as fit; and where they end."""
    items = [item for board in drawn.boards for item in _key_items(game, board)]
    items += [item for free in drawn.free for item in (*_owners(game, free.marks), *_tints(game, free.marks))]
    body: list[str] = []
    x, top = _MARGIN // 2, top + 10
    for number, (sign, words) in enumerate(items):
        wide = 34 + 7 * len(words) + 14
        if number and x + wide > width:
            x, top = _MARGIN // 2, top + 26
        body.append(f'<g transform="translate({x},{top - 13})">{sign}</g>')
        body.append(f'<text x="{x + 32}" y="{top}">{escape(words)}</text>')
        x += wide
    return body, top + 8 if items else top - 12


def _key_items(game: ir.Game, board: BoardPicture) -> Iterator[tuple[str, str]]:
    marks = board.marks
    yield from _owners(game, marks)
    yield from _tints(game, marks)
    fills = _fills(board)
    meanings = {ground_of(cell): _ground_meaning(cell) for _, _, _, cell in _cells(board)}
    for ground, fill in fills.items():
        yield (
            f'<rect width="26" height="18" rx="2" fill="{fill}" stroke="{_FAINT}" stroke-width="0.5"/>'
            + (f'<text x="13" y="13" class="mid" style="font-size:10px">{escape(ground)}</text>'),
            meanings[ground],
        )
    if any(mark.shape is Shape.BACK for mark in marks):
        yield swatch(game, Mark(Shape.BACK, "", None)), "unseen"
    hulls = [mark for mark in marks if mark.shape is Shape.HULL and mark.pips is not None]
    if hulls and board.pips:
        yield swatch(game, replace(_sample(Shape.HULL), pips=2)), f"two {board.pips}"
    if board.pips and any(mark.shape not in (Shape.HULL, Shape.DIE) and mark.pips is not None for mark in marks):
        yield '<text x="13" y="13" class="mid" style="font-size:10px">n</text>', board.pips
    for flag, kind in sorted({(flag, mark.shape.value) for mark in marks for flag in mark.flags}):
        yield swatch(game, replace(_sample(Shape(kind)), flags=(flag,))), flag


def _sample(shape: Shape) -> Mark:
    """A mark for a key; ships head to the right."""
    return Mark(shape, "", None, heading=2 if shape is Shape.HULL else None)


def _owners(game: ir.Game, marks: Sequence[Mark]) -> Iterator[tuple[str, str]]:
    """The colours of the players of whom something is there."""
    for seat in sorted({mark.owner for mark in marks if mark.owner is not None}):
        own = [mark.shape for mark in marks if mark.owner == seat]
        shape = next(shape for shape in (*PIECES, Shape.VALUE, Shape.GROUND) if shape in own)
        yield swatch(game, replace(_sample(shape), owner=seat)), game.players[seat]


def _tints(game: ir.Game, marks: Sequence[Mark]) -> Iterator[tuple[str, str]]:
    """The colours that stand for words."""
    found: dict[tuple[str, str], Shape] = {}
    for mark in marks:
        if mark.word:
            found.setdefault((mark.word, mark.tint), mark.shape)
    for (word, tint), shape in sorted(found.items(), key=lambda item: item[0]):
        yield swatch(game, replace(_sample(shape), tint=tint)), word


def _ground_meaning(cell: Sequence[Mark]) -> str:
    return ", ".join(mark.meaning or mark.sign for mark in cell if mark.shape is Shape.GROUND and mark.owner is None)


def _lines(drawn: Picture, columns: int) -> Iterator[str]:
    for marks in (*(board.marks for board in drawn.boards), *(free.marks for free in drawn.free)):
        told = {(mark.name, mark.meaning) for mark in marks if mark.shape in PIECES}
        told |= {(mark.name, mark.meaning) for mark in marks if mark.shape is Shape.VALUE and mark.owner is None}
        yield from wrapped(" ", in_runs(sorted((sign, meaning) for sign, meaning in told if meaning)), columns)
    for name, items in (*(place.line for place in drawn.places if not is_drawn(place)), *drawn.states):
        yield from line_of(name, items, columns)
