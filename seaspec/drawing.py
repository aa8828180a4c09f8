"""A position as a picture, for any game: its boards in text or SVG, and the rest of the table in lines.

What is drawn comes from the core alone. Each place indexed by a cell shows its pieces there, by a short label
(`labels`); each state of a cell its value, by the letter that it is `drawn` with; the letter of a drawn board, or of a
state fixed after setup, stands in cells that are empty otherwise. Everything else that lies open stands in lines below.
Who looks is up to the caller: a player's view shows that player's table, and nothing else is asked.

In: `Seen`, the names of places and states with what is seen of them. Out: `picture` gives data, `draw_text` and
`draw_svg` two renderings of it.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Protocol

from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.geometry import column_letters
from seaspec.core.ir import BOX, PlaceOrder
from seaspec.core.show import render, show_value
from seaspec.core.types import PLAYER, Value
from seaspec.core.walk import free_variables


class SeenPlace(Protocol):
    """What is seen of an instance of a place: the titles of the pieces, or their number alone, or nothing."""

    @property
    def contents(self) -> tuple[str, ...] | None: ...
    @property
    def size(self) -> int | None: ...


class Seen(Protocol):
    """What somebody sees: places and states by their names (`hand[Ann]`)."""

    @property
    def places(self) -> Mapping[str, SeenPlace]: ...
    @property
    def states(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Mark:
    """One sign in a cell. `meaning`: for the legend, if it needs one; `owner`: the seat it belongs to; `ground`: it is
    what the cell is made of, and not something in it; `arrow`: where it heads; `badges`: what is not as at first with a
    piece, each a sign and its meaning."""

    sign: str
    meaning: str | None
    owner: int | None = None
    ground: bool = False
    arrow: str = ""
    badges: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        return self.sign + self.arrow + "".join(sign for sign, _ in self.badges)


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A board: rows from the top of the picture, None where there is no cell."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[Mark, ...] | None, ...]], ...]

    @property
    def legend(self) -> list[str]:
        """Signs that do not speak for themselves, and what they mean: `b boat`, `1 2 3 Hill`."""
        marks = {mark for _, cells in self.rows for cell in cells for mark in cell or ()}
        signs: dict[str, list[str]] = {}
        told = {(mark.sign, mark.meaning) for mark in marks if mark.meaning is not None}
        for sign, meaning in [*sorted(told), *sorted({badge for mark in marks for badge in mark.badges})]:
            signs.setdefault(meaning, []).append(sign)
        return [f"{' '.join(found)} {meaning}" for meaning, found in signs.items()]


@dataclass(frozen=True, slots=True)
class Picture:
    """Boards, and lines: what, and the things that are there."""

    boards: tuple[BoardPicture, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]


def picture(game: ir.Game, seen: Seen) -> Picture:
    """All that is seen of a position, laid out."""
    boards = [_board(game, board, seen) for board in game.boards.values() if _is_used(game, board)]
    return Picture(tuple(boards), (*_place_lines(game, seen), *_state_lines(game, seen)))


def draw_text(game: ir.Game, seen: Seen, width: int = 100) -> str:
    """The position in plain text.

    2  45   .
    1   .  12
        A   B

    the hand of Ann: Card 3, Joker
    """
    drawn = picture(game, seen)
    parts = ["\n".join(_text_rows(board, width)) for board in drawn.boards]
    lines = [line for name, items in drawn.lines for line in _wrapped(f"{name}: ", items, width)]
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


# ----------------------------------------------------------------------------------------------------------------- text


_EVEN = 120
"""Up to this width all columns of a board are equally wide, if need be without a space between them."""


def _text_rows(board: BoardPicture, width: int) -> Iterator[str]:
    rows = [(name, ["" if cell is None else sign_of(cell) for cell in cells]) for name, cells in board.rows]
    rows.append(("", list(board.columns)))
    wide = [max(map(len, column)) for column in zip(*(cells for _, cells in rows), strict=True)]
    margin = max(len(name) for name, _ in rows)
    between = " "
    for space in (" ", ""):
        if (max(wide) + len(space)) * len(wide) + margin < max(width, _EVEN):
            wide, between = [max(wide)] * len(wide), space
            break
    for name, cells in rows:
        row = between.join(cell.rjust(space) for cell, space in zip(cells, wide, strict=True))
        yield f"{name:>{margin}}  {row}".rstrip()
    if board.legend:
        yield ""
        yield from _wrapped("  ", board.legend, width)


def _wrapped(head: str, items: Sequence[str], width: int) -> list[str]:
    """Items with commas, as many on a line as fit; only between items is a line broken."""
    solid = [item.replace(" ", "\0") for item in items]
    indent = head if head.isspace() else "    "
    lines = textwrap.wrap(
        ", ".join(solid), width, initial_indent=head, subsequent_indent=indent,
        break_on_hyphens=False, break_long_words=False, drop_whitespace=True,
    )  # fmt: skip
    return [line.replace("\0", " ") for line in lines]


def sign_of(cell: Sequence[Mark]) -> str:
    """The text of a cell: what lies in it; else what it is made of; else a dot."""
    upper = [mark.text for mark in cell if not mark.ground]
    if upper:
        counted = Counter(upper)
        return ",".join(sign if number == 1 else f"{number}x{sign}" for sign, number in counted.items())
    return "".join(mark.sign for mark in cell) or "."


# ------------------------------------------------------------------------------------------------------------------ SVG

_CELL, _MARGIN, _LINE = 48, 28, 18
_INK, _PAPER, _GRID = "#1f2933", "#fbfaf6", "#b9c2cb"
_OWNERS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#975a16", "#2c7a7b", "#4a5568")
_STYLE = " ".join(
    [
        f"text {{ font-family: sans-serif; font-size: 12px; fill: {_INK} }}",
        ".edge, .sign, .ground { text-anchor: middle }",
        ".sign { font-weight: bold }",
        ".ground { opacity: 0.6 }",
    ]
)
_TINTS = ("#e6eff5", "#f3ead9", "#e3efe0", "#efe3ef", "#f5e3e0", "#e0edee")


def draw_svg(game: ir.Game, seen: Seen, title: str = "") -> str:
    """The position as an SVG picture."""
    drawn = picture(game, seen)
    body: list[str] = []
    top, widest = 0, 240
    for board in drawn.boards:
        shift = _MARGIN
        body.append(f'<g transform="translate({shift},{top + 8})">')
        body += _svg_board(board)
        body.append("</g>")
        top += len(board.rows) * _CELL + _MARGIN + 16
        widest = max(widest, len(board.columns) * _CELL + 2 * _MARGIN)
    columns = max(30, widest // 7)
    for line in _svg_lines(drawn, columns):
        top += _LINE
        body.append(f'<text x="{_MARGIN // 2}" y="{top}">{escape(line)}</text>')
    height = top + _LINE
    size = f'width="{widest}" height="{height}" viewBox="0 0 {widest} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            *([f"<title>{escape(title)}</title>"] if title else []),
            f"<style>{_STYLE}</style>",
            f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
            *body,
            "</svg>\n",
        ]
    )


def _svg_board(board: BoardPicture) -> Iterator[str]:
    tints: dict[str, str] = {}
    for row, (name, cells) in enumerate(board.rows):
        yield f'<text x="-12" y="{row * _CELL + _CELL // 2 + 4}" class="edge">{escape(name)}</text>'
        for column, cell in enumerate(cells):
            if cell is None:
                continue
            ground = "".join(mark.sign for mark in cell if mark.ground)
            tint = tints.setdefault(ground, _TINTS[len(tints) % len(_TINTS)]) if ground else "#ffffff"
            x, y = column * _CELL, row * _CELL
            yield f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{tint}" stroke="{_GRID}"/>'
            yield from _svg_cell(cell, x, y)
    for column, name in enumerate(board.columns):
        x, y = column * _CELL + _CELL // 2, len(board.rows) * _CELL + 16
        yield f'<text x="{x}" y="{y}" class="edge">{escape(name)}</text>'


def _svg_cell(cell: Sequence[Mark], x: int, y: int) -> Iterator[str]:
    centre = x + _CELL // 2
    ground = "".join(mark.sign for mark in cell if mark.ground)
    upper = [mark for mark in cell if not mark.ground]
    if ground:
        low = y + (_CELL - 5 if upper else _CELL // 2 + 5)
        yield f'<text x="{centre}" y="{low}" class="ground">{escape(ground)}</text>'
    if not upper:
        return
    text = sign_of(upper)
    size = min(15, int((_CELL - 8) / max(1, len(text)) * 1.5))
    owner = next((mark.owner for mark in upper if mark.owner is not None), None)
    paint = _INK if owner is None else _OWNERS[owner % len(_OWNERS)]
    yield (
        f'<rect x="{x + 4}" y="{y + 9}" width="{_CELL - 8}" height="{_CELL - 22}" rx="6" fill="#ffffff" '
        f'stroke="{paint}" stroke-width="1.5"/>'
    )
    yield (
        f'<text x="{centre}" y="{y + _CELL // 2 + 2}" class="sign" style="font-size:{size}px;fill:{paint}">'
        f"{escape(text)}</text>"
    )


def _svg_lines(drawn: Picture, columns: int) -> Iterator[str]:
    for board in drawn.boards:
        if board.legend:
            yield from _wrapped("  ", board.legend, columns)
    for name, items in drawn.lines:
        yield from _wrapped(f"{name}: ", items, columns)


# ---------------------------------------------------------------------------------------------------------------- cells


def _board(game: ir.Game, board: ir.Board, seen: Seen) -> BoardPicture:
    cells = {place: tuple(_marks(game, board, seen, index)) for index, place in enumerate(board.cells)}
    numbers = range(1, board.rows + 1) if board.rows_from_top else range(board.rows, 0, -1)
    rows = [(str(row), tuple(cells.get((column, row)) for column in range(1, board.columns + 1))) for row in numbers]
    return BoardPicture(board.name, tuple(column_letters(c) for c in range(1, board.columns + 1)), tuple(rows))


def _is_used(game: ir.Game, board: ir.Board) -> bool:
    """Whether anything can be in the cells of a board: some boards are there to count with."""
    things: Iterable[ir.Place | ir.State] = (*game.places.values(), *game.states.values())
    return any(_is_on(thing, board) for thing in things) or bool(board.letters)


def _is_on(thing: ir.Place | ir.State, board: ir.Board) -> bool:
    """Whether a place or state has one cell of the board as its index."""
    return len(thing.index) == 1 and isinstance(ty := thing.index[0].type, types.Cells) and ty.board == board.name


def _marks(game: ir.Game, board: ir.Board, seen: Seen, cell: int) -> Iterator[Mark]:
    name = board.names[cell]
    for place in game.places.values():
        if _is_on(place, board) and (there := seen.places.get(f"{place.name}[{name}]")) is not None:
            yield from _piece_marks(game, board, seen, there)
    for state in game.states.values():
        if _is_on(state, board) and (shown := seen.states.get(f"{state.name}[{name}]")) is not None:
            yield from _state_marks(game, state, shown, cell)
    if board.letters and board.letters[cell] != ".":
        yield Mark(board.letters[cell], _letter_meaning(game, board, board.letters[cell]), ground=True)


def _piece_marks(game: ir.Game, board: ir.Board, seen: Seen, there: SeenPlace) -> Iterator[Mark]:
    if there.contents is None:
        yield from [Mark("?", "unseen")] * (there.size or 0)
        return
    signs = labels(game)
    for title in there.contents:
        owner, is_told = _owner(game, seen, title)
        sign = signs.get(title, title)
        if owner is not None and not is_told:
            sign = initials(game.players)[game.players[owner]] + sign
        meaning = None if sign.isdigit() or sign == title else title
        badges = tuple(_badges(game, seen, title))
        yield Mark(sign, meaning, owner, arrow=_arrow(game, board.compass, seen, title), badges=badges)


def _owner(game: ir.Game, seen: Seen, title: str) -> tuple[int | None, bool]:
    """The seat that a piece belongs to now, by a state, else by a printed fact; and whether its title names a seat."""
    piece = next((piece for piece in game.pieces if piece.title == title), None)
    if piece is None:
        return None, False
    seats = (v for _, v, ty in piece.facts if isinstance(ty, types.Enum) and ty.name == PLAYER and isinstance(v, int))
    printed = next(seats, None)
    for state in _states_of(game, piece):
        inner = state.type.of if isinstance(state.type, types.Optional) else state.type
        if isinstance(inner, types.Enum) and inner.name == PLAYER:
            shown = seen.states.get(f"{state.name}[{title}]")
            if shown in game.players:
                return game.players.index(shown), printed is not None
    return printed, printed is not None


_ARROWS = "↑↗→↘↓↙←↖"


def _arrow(game: ir.Game, compass: str | None, seen: Seen, title: str) -> str:
    """Where a piece heads, if a state says so."""
    piece = next((piece for piece in game.pieces if piece.title == title), None)
    for state in _states_of(game, piece) if piece is not None else ():
        if isinstance(state.type, types.Enum) and state.type.name == compass:
            shown = seen.states.get(f"{state.name}[{title}]")
            if shown in state.type.values:
                return _ARROWS[state.type.values.index(shown) * (8 // len(state.type.values))]
    return ""


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _badges(game: ir.Game, seen: Seen, title: str) -> Iterator[tuple[str, str]]:
    """Lasting numbers and yes or no of a piece that are not as at first: a raised number, a star."""
    piece = next((piece for piece in game.pieces if piece.title == title), None)
    for state in _states_of(game, piece) if piece is not None else ():
        if state.track or state.until is not None or not isinstance(state.type, types.Int | types.Bool):
            continue
        shown = seen.states.get(f"{state.name}[{title}]")
        assert piece is not None
        if shown is None or shown == first_value(game, state, (piece.id,)):
            continue
        name = _plain_name(state)
        if isinstance(state.type, types.Int):
            yield shown.translate(_RAISED), name
        else:
            yield "*", name if shown == "yes" else f"not {name}"


def _states_of(game: ir.Game, piece: ir.Piece) -> Iterator[ir.State]:
    for state in game.states.values():
        if len(state.index) == 1 and isinstance(ty := state.index[0].type, types.Pieces) and piece.id in ty.members:
            yield state


def _state_marks(game: ir.Game, state: ir.State, shown: str, cell: int) -> Iterator[Mark]:
    """The value of a state of a cell, unless it is nothing to speak of."""
    if state.fixed:
        if shown not in ("no", "none"):
            yield _mark_of_value(game, state, shown)
    elif shown != first_value(game, state, (cell,)):
        yield _mark_of_value(game, state, shown)


def _mark_of_value(game: ir.Game, state: ir.State, shown: str) -> Mark:
    inner = state.type.of if isinstance(state.type, types.Optional) else state.type
    if isinstance(inner, types.Bool):
        sign, meaning = (state.name[0], state.name) if shown == "yes" else (f"-{state.name[0]}", f"not {state.name}")
        return Mark(sign, meaning, ground=state.fixed)
    if not isinstance(inner, types.Enum) or shown not in inner.values:
        return Mark(shown, None if shown.isdigit() else state.name, ground=state.fixed)
    drawn = inner.drawn[inner.values.index(shown)] if inner.drawn else None
    sign = drawn or initials(inner.values)[shown]
    owner = game.players.index(shown) if inner.name == PLAYER else None
    return Mark(sign, None if sign == shown else shown, owner, ground=state.fixed)


def _letter_meaning(game: ir.Game, board: ir.Board, letter: str) -> str | None:
    """The subset types that all cells with a letter belong to."""
    cells = {index for index, drawn in enumerate(board.letters) if drawn == letter}
    found = []
    for name, ty in game.types.items():
        if isinstance(ty, types.Cells) and ty.board == board.name and name != board.name and cells <= set(ty.members):
            found.append(name)
    return " and ".join(found) or None


# --------------------------------------------------------------------------------------------------------------- labels


@lru_cache(maxsize=16)
def labels(game: ir.Game) -> dict[str, str]:
    """A short label for each title of a piece that can lie on a board: its facts, after its kind where need be."""
    on_boards = [place for place in game.places.values() if any(_is_on(place, b) for b in game.boards.values())]
    members = sorted({piece for place in on_boards for piece in place.holds.members})
    pieces = list({game.pieces[member].title: game.pieces[member] for member in members}.values())
    kinds = initials(tuple(dict.fromkeys(piece.kinds[0] for piece in pieces)))
    short = {piece.title: _facts_label(game, piece) for piece in pieces}
    found = Counter(short.values())
    labelled = {}
    for piece in pieces:
        facts = short[piece.title]
        unclear = not facts or found[facts] > 1 or (facts[0].isdigit() and len(kinds) > 1)
        labelled[piece.title] = kinds[piece.kinds[0]] + facts if unclear else facts
    taken = Counter(labelled.values())
    return {title: label if taken[label] == 1 else title for title, label in labelled.items()}


def _facts_label(game: ir.Game, piece: ir.Piece) -> str:
    label = ""
    for _, value, ty in piece.facts:
        if isinstance(ty, types.Enum) and isinstance(value, int):
            word = (ty.drawn[value] if ty.drawn else None) or initials(ty.values)[ty.values[value]]
        elif isinstance(ty, types.Int | types.Cells):
            word = show_value(value, ty, game)
        else:
            continue
        label += f".{word}" if label[-1:].isdigit() and word[:1].isdigit() else word
    return label


@lru_cache(maxsize=256)
def initials(names: tuple[str, ...]) -> dict[str, str]:
    """Each name by its capitals or first letters, as few as tell it from the others.

    >>> initials(("boat", "barrel", "RedKnight", "Rook"))
    {'boat': 'bo', 'barrel': 'ba', 'RedKnight': 'RK', 'Rook': 'R'}
    """
    found: dict[str, str] = {}
    firsts = Counter(name[:1] for name in names)
    for name in names:
        capitals = "".join(c for c in name if c.isupper() or c.isdigit())
        least = 1 if firsts[name[:1]] == 1 or name[:1].isupper() else 2
        prefixes = [name[:length] for length in range(least, len(name) + 1)]
        candidates = [capitals, *prefixes] if len(capitals) > 1 else prefixes
        found[name] = next((c for c in candidates if c not in found.values()), name)
    return found


# ---------------------------------------------------------------------------------------------------------------- lines


def _place_lines(game: ir.Game, seen: Seen) -> Iterator[tuple[str, tuple[str, ...]]]:
    for place in game.places.values():
        if any(_is_on(place, board) for board in game.boards.values()):
            continue
        there_is = {key: seen.places.get(_name(game, place, key)) for key in _keys(place)}
        found = [(key, there) for key, there in there_is.items() if there is not None]
        unseen = [(key, there.size) for key, there in found if there.contents is None]
        sizes = [f"{_value(game, place, key)} {size}" for key, size in unseen if len(key) == 1 and size is not None]
        if len(sizes) > 1:
            yield f"{_plain_name(place)}, unseen", tuple(sizes)
        for key, there in found:
            if there.contents:
                yield _title(game, place, key), _contents(place, there.contents)
            elif there.contents is None and there.size and len(sizes) < 2:
                yield _title(game, place, key), (f"{there.size} unseen",)


def _contents(place: ir.Place, titles: tuple[str, ...]) -> tuple[str, ...]:
    """What lies there; equal pieces are counted, and of the box only the number is told."""
    if place.name == BOX:
        return (str(len(titles)),)
    if place.order is PlaceOrder.ROW:
        return titles
    counted = Counter(titles)
    return tuple(title if number == 1 else f"{number} {title}" for title, number in counted.items())


def _state_lines(game: ir.Game, seen: Seen) -> Iterator[tuple[str, tuple[str, ...]]]:
    for state in game.states.values():
        if state.track or any(_is_on(state, board) for board in game.boards.values()):
            continue
        shown = {key: text for key in _keys(state) if (text := seen.states.get(_name(game, state, key))) is not None}
        if not state.index:
            if () in shown and not _is_quiet(game, state, shown[()]):
                yield _title(game, state, ()), (shown[()],)
            continue
        told = {key: text for key, text in shown.items() if text != first_value(game, state, key)}
        if told and len(state.index) == 1 and _is_player(state.index[0].type):
            yield _plain_name(state), tuple(f"{_value(game, state, key)} {text}" for key, text in shown.items())
        elif told and not _is_drawn_as_arrow(game, state):
            by_value: dict[str, list[str]] = {}
            for key, text in told.items():
                by_value.setdefault(text, []).append(_index(game, state, key))
            for text, keys in by_value.items():
                yield _plain_name(state) + ("" if text == "yes" else f" {text}"), tuple(keys)


def _is_quiet(game: ir.Game, state: ir.State, shown: str) -> bool:
    """Whether the value of a state without index is not worth a line."""
    is_passing = state.until is not None or isinstance(state.type, types.Bool)
    return shown == "none" or (is_passing and shown == first_value(game, state, ()))


def _is_drawn_as_arrow(game: ir.Game, state: ir.State) -> bool:
    compasses = [board.compass for board in game.boards.values()]
    of_pieces = len(state.index) == 1 and isinstance(state.index[0].type, types.Pieces)
    return of_pieces and isinstance(state.type, types.Enum) and state.type.name in compasses


def _is_player(ty: types.Type) -> bool:
    return isinstance(ty, types.Enum) and ty.name == PLAYER


def _keys(thing: ir.Place | ir.State) -> Iterator[tuple[Value, ...]]:
    """The indices of all instances."""
    found: list[tuple[Value, ...]] = [()]
    for variable in thing.index:
        found = [(*key, value) for key in found for value in types.values(variable.type)]
    yield from found


def _name(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    return f"{thing.name}[{_index(game, thing, key)}]" if key else thing.name


def _index(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    return ", ".join(show_value(value, variable.type, game) for variable, value in zip(thing.index, key, strict=True))


def _value(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    return show_value(key[0], thing.index[0].type, game)


def _title(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    """An instance as the author calls it, if the sentence tells it from the others; else its name."""
    sentence = thing.source.sentence
    if sentence is None or not set(thing.index) <= set(free_variables(sentence)):
        return _name(game, thing, key)
    env = dict(zip(thing.index, key, strict=True))
    try:
        return render(sentence, lambda expr: evaluate(expr, game.tables, game.functions, env), game)
    except NotConstant:
        return _name(game, thing, key)


def _plain_name(thing: ir.Place | ir.State) -> str:
    return thing.name.replace("_", " ")


def first_value(game: ir.Game, state: ir.State, key: tuple[Value, ...]) -> str | None:
    """The first value of a state, as it is shown; None if that can not be told from the text alone."""
    try:
        value = evaluate(state.initial, game.tables, game.functions, dict(zip(state.index, key, strict=True)))
    except NotConstant:
        return None
    return show_value(value, state.type, game)
