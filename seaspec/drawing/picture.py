"""The data of a picture: boards with a tuple of marks for each cell, and lines for the rest of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from seaspec.core import ir, types
from seaspec.core.geometry import column_letters
from seaspec.core.ir import PlaceOrder
from seaspec.core.show import plain, show_value
from seaspec.core.types import Value
from seaspec.drawing.colours import colour_of
from seaspec.drawing.lines import Line, Lying, lying, state_lines
from seaspec.drawing.names import (
    Ground,
    Label,
    first_value,
    grounds,
    index_of,
    initials,
    inner,
    is_on,
    is_player,
    keys,
    labels_in_parts,
    name_of,
    seat_printed,
    standing_on,
    title_of,
)
from seaspec.drawing.pieces import Look, flag_name, has_headings, look, on_board, printed_looks
from seaspec.drawing.seen import Seen


class Shape(Enum):
    """What a mark is: what the cell is made of, a value of it; a piece seen from its back, one that lies there, one
    that heads somewhere, one that stands there for good; and what else authors say that pieces look like."""

    GROUND = "ground"
    VALUE = "value"
    BACK = "back"
    CARD = "card"
    HULL = "hull"
    WALL = "wall"
    FACE = "face"
    DISC = "disc"
    TOKEN = "token"
    PAWN = "pawn"
    DIE = "die"
    FLAG = "flag"


SHAPES = {
    ir.LookShape.SHIP: Shape.HULL, ir.LookShape.CARD: Shape.FACE, ir.LookShape.DISC: Shape.DISC,
    ir.LookShape.TOKEN: Shape.TOKEN, ir.LookShape.PAWN: Shape.PAWN, ir.LookShape.DIE: Shape.DIE,
    ir.LookShape.FLAG: Shape.FLAG, ir.LookShape.WALL: Shape.WALL,
}  # fmt: skip
"""What is drawn for the words of looks."""
PIECES = (*SHAPES.values(), Shape.CARD)
"""What pieces are whose front is seen."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing in a cell. `who`: the initial of its owner, if that is part of its name; `sign`: the rest of the name.

    `meaning`: for the legend, if it needs one; `owner`: the seat it belongs to now; `heading`: eighths of a turn from
    the top of the picture, clockwise; `flags`: what is not as at first; `numbers`: others than pips, with what they
    are; `tint`: a colour of its own, and `word` what it stands for.
    """

    shape: Shape
    sign: str
    meaning: str | None
    owner: int | None = None
    who: str = ""
    heading: int | None = None
    pips: int | None = None
    flags: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()
    tint: str = ""
    word: str = ""

    @property
    def name(self) -> str:
        return self.who + self.sign


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A board: rows from the top of the picture, None where there is no cell.

    `possible`: a mark for each piece that can come there, at its widest; `values`: of each state of its cells, how wide
    a value can be. So cells need not become wider during a play. `heading`, `pips`: the states that marks show;
    `changes_hands`: whose a piece is can change.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[Mark, ...] | None, ...]], ...]
    possible: tuple[Mark, ...]
    values: tuple[int, ...]
    heading: str | None
    pips: str | None
    changes_hands: bool

    @property
    def marks(self) -> list[Mark]:
        """All marks, row by row."""
        return [mark for _, cells in self.rows for cell in cells for mark in cell or ()]


@dataclass(frozen=True, slots=True)
class DrawnSpot:
    """A cell of a picture that the author gives: where its name stands, how far it may reach, its marks."""

    row: int
    column: int
    name: str
    room: tuple[int, int]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class FreePicture:
    """A picture that the author gives: its lines with the names in them, and what is at these now."""

    title: str
    rows: tuple[str, ...]
    spots: tuple[DrawnSpot, ...]
    heading: str | None
    pips: str | None

    @property
    def marks(self) -> list[Mark]:
        return [mark for spot in self.spots for mark in spot.marks]


@dataclass(frozen=True, slots=True)
class Dial:
    """A direction that lies open beside the boards, on the one piece that lies in a place."""

    place: str
    title: str
    heading: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Boards, pictures that the author gives, dials, what lies beside them, and states in lines."""

    boards: tuple[BoardPicture, ...]
    free: tuple[FreePicture, ...]
    dials: tuple[Dial, ...]
    places: tuple[Lying, ...]
    states: tuple[Line, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """All that is beside the boards, in words."""
        return *(place.line for place in self.places), *self.states


def picture(game: ir.Game, seen: Seen) -> Picture:
    """All that is seen of a position, laid out."""
    found = grounds(game)
    boards = [
        _board(game, board, seen) for board in found if isinstance(board, ir.Board) and board_is_used(game, board)
    ]
    free = [_free(game, ground, seen) for ground in found if isinstance(ground, ir.Picture)]
    places, states = tuple(lying(game, seen.places)), tuple(state_lines(game, seen.states))
    return Picture(tuple(boards), tuple(free), tuple(_dials(game, seen)), places, states)


def _board(game: ir.Game, board: ir.Board, seen: Seen) -> BoardPicture:
    places = [place for place in game.places.values() if is_on(place, board)]
    states = [state for state in game.states.values() if is_on(state, board) and not state.track]
    homes = _homes(game, board, seen)
    cells = {
        place: (*_marks(game, board, seen, index, places, states), *homes.get(board.names[index], ()))
        for index, place in enumerate(board.cells)
    }
    numbers = range(1, board.rows + 1) if board.rows_from_top else range(board.rows, 0, -1)
    rows = [(str(row), tuple(cells.get((column, row)) for column in range(1, board.columns + 1))) for row in numbers]
    looks = [look(game, board, piece) for piece in on_board(game, board)]
    heading, pips = told_by_marks(looks)
    return BoardPicture(
        board.name,
        tuple(column_letters(c) for c in range(1, board.columns + 1)),
        tuple(rows),
        _possible(game, board),
        tuple(_value_widths(game, board)),
        heading,
        pips,
        any(shown.owner is not None and not shown.owner.fixed for shown in looks),
    )


def told_by_marks(looks: Iterable[Look]) -> tuple[str | None, str | None]:
    """The states that tell where pieces head, and their pips."""
    found = list(looks)
    headings = [shown.heading.name.replace("_", " ") for shown in found if shown.heading is not None]
    pips = [shown.pips.name.replace("_", " ") for shown in found if shown.pips is not None]
    return headings[0] if headings else None, pips[0] if pips else None


def _free(game: ir.Game, drawn: ir.Picture, seen: Seen) -> FreePicture:
    spots = (
        DrawnSpot(spot.row, spot.column, spot.name, spot.room, tuple(_marks_at(game, drawn, seen, spot)))
        for spot in drawn.spots
    )
    title = "" if drawn.source.sentence is None else plain(drawn.source.sentence, game)
    heading, pips = told_by_marks(look(game, drawn, piece) for piece in on_board(game, drawn))
    return FreePicture(title, drawn.rows, tuple(spots), heading, pips)


def _marks_at(game: ir.Game, drawn: ir.Picture, seen: Seen, spot: ir.Spot) -> Iterator[Mark]:
    """What is at a spot: what lies there, and what is said to stand there."""
    for name, key in spot.shows:
        if (place := game.places.get(name)) is not None:
            where = name_of(game, place, key)
            if where in seen.places:
                yield from _piece_marks(game, drawn, seen, where)
        else:
            state = game.states[name]
            shown = seen.states.get(name_of(game, state, key))
            if shown is not None and isinstance(inner(state.type), types.Int) and shown != "none":
                yield _mark_of_value(game, state, shown)
            elif shown is not None:
                yield from _state_marks(game, state, shown, key)
    for state in standing_on(game, drawn):
        for key in keys(state):
            if seen.states.get(name_of(game, state, key)) == spot.name:
                yield _standing_mark(game, drawn, seen, state, key)


def _standing_mark(game: ir.Game, drawn: ir.Picture, seen: Seen, state: ir.State, key: tuple[Value, ...]) -> Mark:
    """Who or what stands somewhere, as a state says: a piece, a player, or the state itself."""
    if len(key) == 1 and isinstance(key[0], int):
        ty = state.index[0].type
        if isinstance(ty, types.Pieces):
            return piece_mark(game, drawn, game.pieces[key[0]], seen.states)
        if is_player(ty):
            player = game.players[key[0]]
            return Mark(Shape.CARD, "", player, key[0], initials(game.players)[player])
    if not key:
        others = tuple(other.name for other in standing_on(game, drawn) if not other.index)
        sign = initials(others, frozenset(initials(game.players).values()))[state.name]
        return Mark(Shape.CARD, sign, state.name.replace("_", " "))
    return Mark(Shape.CARD, index_of(game, state, key), state.name.replace("_", " "))


def _dials(game: ir.Game, seen: Seen) -> Iterator[Dial]:
    """Places for one piece, on no board, in which a piece lies that has a direction of a board printed on it."""
    compasses = {board.compass for board in game.boards.values()} - {None}
    for place in game.places.values():
        there = seen.places.get(place.name)
        if place.order is not PlaceOrder.SLOT or there is None or len(there.contents or ()) != 1:
            continue
        title = (there.contents or ("",))[0]
        piece = next(
            (game.pieces[member] for member in place.holds.members if game.pieces[member].title == title), None
        )
        for _, value, ty in piece.facts if piece is not None else ():
            if isinstance(ty, types.Enum) and ty.name in compasses and isinstance(value, int):
                yield Dial(title_of(game, place, ()), title, value * (8 // len(ty.values)))
                break


def board_is_used(game: ir.Game, board: ir.Board) -> bool:
    """Whether anything can be in the cells of a board: some boards are there to count with."""
    things: Iterable[ir.Place | ir.State] = (*game.places.values(), *game.states.values())
    return any(is_on(thing, board) for thing in things) or bool(board.letters)


# ---------------------------------------------------------------------------------------------------------------- cells


def _marks(
    game: ir.Game,
    board: ir.Board,
    seen: Seen,
    cell: int,
    places: Sequence[ir.Place],
    states: Sequence[ir.State],
) -> Iterator[Mark]:
    """What is in a cell. `places`, `states`: those of cells of the board."""
    name = board.names[cell]
    for place in places:
        where = f"{place.name}[{name}]"
        if where in seen.places:
            yield from _piece_marks(game, board, seen, where)
    for state in states:
        if (shown := seen.states.get(f"{state.name}[{name}]")) is not None:
            yield from _state_marks(game, state, shown, (cell,))
    if board.letters and board.letters[cell] != ".":
        yield Mark(Shape.GROUND, board.letters[cell], letter_meaning(game, board, board.letters[cell]))


def _piece_marks(game: ir.Game, board: Ground, seen: Seen, where: str) -> Iterator[Mark]:
    there = seen.places[where]
    if there.contents is None:
        yield from [Mark(Shape.BACK, "?", "unseen")] * (there.size or 0)
        return
    if not there.contents:
        return
    pieces = {piece.title: piece for piece in on_board(game, board)}
    for title, states in zip(there.contents, _states_there(seen.states, where, there.contents), strict=True):
        if title in pieces:
            yield piece_mark(game, board, pieces[title], states)
        else:
            yield Mark(Shape.CARD, title, None)


def _states_there(states: Mapping[str, str], where: str, titles: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """The states, and by the plain names of pieces those of the copies that lie there: for each of them in turn.

    Of copies that differ in one state alone each has a value of it. If they differ in several, it is not seen which
    belong together, so none of these is told.

    >>> seen = {"lame[Man]": "no", "lame[Man] in field[A1]": "no, yes"}
    >>> [states["lame[Man]"] for states in _states_there(seen, "field[A1]", ("Man", "Man"))]
    ['no', 'yes']
    """
    ending, number = f" in {where}", Counter(titles)
    here = {name.removesuffix(ending): states[name] for name in states if name.endswith(ending)}
    met: Counter[str] = Counter()
    for title in titles:
        own = {name: text.split(", ") for name, text in here.items() if name.endswith(f"[{title}]")}
        listed = {name: values for name, values in own.items() if len(values) == number[title]}
        mixed = [name for name, values in listed.items() if len(set(values)) > 1]
        told = {name: here[name] for name in own} | {name: values[met[title]] for name, values in listed.items()}
        left_out = mixed if len(mixed) > 1 else ()
        yield {name: text for name, text in {**states, **told}.items() if name not in left_out} if own else states
        met[title] += 1


def piece_mark(game: ir.Game, board: Ground, piece: ir.Piece, states: Mapping[str, str]) -> Mark:
    """A piece on a board, as these states have it."""
    shown = look(game, board, piece)
    label = labels_in_parts(game).get(piece.title, Label("", piece.title))
    owner = _owner(game, piece, shown, states)
    who, sign = _name(game, piece, label, owner)
    numbers = shown.numbers if shown.always else ()
    changed = () if shown.always else shown.numbers
    return Mark(
        _shape(game, board, shown, owner),
        sign,
        None if (sign.isdigit() and not who) or sign == piece.title else piece.title,
        owner,
        who,
        _heading(shown, piece, states),
        _pips(game, shown, piece, states),
        tuple(flag_name(state, value) for state, value in _changed(game, piece, shown.flags, states)),
        (
            *shown.printed.numbers,
            *((value, state.name.replace("_", " ")) for state, value in _now(piece, numbers, states)),
            *((value, state.name.replace("_", " ")) for state, value in _changed(game, piece, changed, states)),
        ),
        *_tint(shown, piece, states),
    )


def printed_mark(game: ir.Game, title: str) -> Mark | None:
    """A piece without a name, by what is printed on it; None if its author says nothing of its looks."""
    if title not in printed_looks(game):
        return None
    shape, found = printed_looks(game)[title]
    return Mark(SHAPES[shape], "", None, found.seat, "", found.heading, found.pips, (), (), found.tint, found.meaning)


def _tint(shown: Look, piece: ir.Piece, states: Mapping[str, str]) -> tuple[str, str]:
    """The colour of its own that a piece has now, and the word for which it stands."""
    if shown.tinted is None:
        return shown.printed.tint, shown.printed.meaning
    now, ty = states.get(f"{shown.tinted.name}[{piece.title}]"), inner(shown.tinted.type)
    if not isinstance(ty, types.Enum) or now not in ty.values:
        return "", ""
    return colour_of(ty.values, ty.values.index(now)), now


def _now(piece: ir.Piece, of: Iterable[ir.State], states: Mapping[str, str]) -> Iterator[tuple[ir.State, str]]:
    for state in of:
        now = states.get(f"{state.name}[{piece.title}]")
        if now is not None:
            yield state, now


def _owner(game: ir.Game, piece: ir.Piece, shown: Look, states: Mapping[str, str]) -> int | None:
    now = None if shown.owner is None else states.get(f"{shown.owner.name}[{piece.title}]")
    if now in game.players:
        return game.players.index(now)
    return seat_printed(piece) if shown.shape is None else shown.printed.seat


def _name(game: ir.Game, piece: ir.Piece, label: Label, owner: int | None) -> tuple[str, str]:
    """Whose it is now, and the rest; who has changed hands keeps the initial of the first owner, made small."""
    if owner is None or label.what == piece.title:
        return label.who, label.what
    who = initials(game.players)[game.players[owner]]
    return who, label.what if label.who in ("", who) else label.who.lower() + label.what


def _shape(game: ir.Game, board: Ground, shown: Look, owner: int | None) -> Shape:
    if shown.shape is not None:
        return SHAPES[shown.shape]
    if shown.heading is not None:
        return Shape.HULL
    return Shape.WALL if owner is not None and has_headings(game, board) else Shape.CARD


def _heading(shown: Look, piece: ir.Piece, states: Mapping[str, str]) -> int | None:
    if shown.heading is None or not isinstance(ty := shown.heading.type, types.Enum):
        return shown.printed.heading
    now = states.get(f"{shown.heading.name}[{piece.title}]")
    return ty.values.index(now) * (8 // len(ty.values)) if now in ty.values else None


def _pips(game: ir.Game, shown: Look, piece: ir.Piece, states: Mapping[str, str]) -> int | None:
    if shown.pips is None:
        return shown.printed.pips
    now = states.get(f"{shown.pips.name}[{piece.title}]")
    if now is None or not (shown.has_pips_always or now != first_value(game, shown.pips, (piece.id,))):
        return None
    return int(now)


def _changed(
    game: ir.Game, piece: ir.Piece, of: Iterable[ir.State], states: Mapping[str, str]
) -> Iterator[tuple[ir.State, str]]:
    for state, now in _now(piece, of, states):
        if now != first_value(game, state, (piece.id,)):
            yield state, now


def _state_marks(game: ir.Game, state: ir.State, shown: str, key: tuple[Value, ...]) -> Iterator[Mark]:
    """The value of a state of a cell, unless it is nothing to speak of."""
    if state.fixed:
        if shown not in ("no", "none"):
            yield _mark_of_value(game, state, shown)
    elif shown != first_value(game, state, key):
        yield _mark_of_value(game, state, shown)


def _mark_of_value(game: ir.Game, state: ir.State, shown: str) -> Mark:
    shape = Shape.GROUND if state.fixed else Shape.VALUE
    ty = inner(state.type)
    if isinstance(ty, types.Bool):
        sign, meaning = (state.name[0], state.name) if shown == "yes" else (f"-{state.name[0]}", f"not {state.name}")
        return Mark(shape, sign, meaning.replace("_", " "))
    if not isinstance(ty, types.Enum) or shown not in ty.values:
        return Mark(shape, shown, None if shown.isdigit() else state.name)
    drawn = ty.drawn[ty.values.index(shown)] if ty.drawn else None
    sign = drawn or initials(ty.values)[shown]
    owner = game.players.index(shown) if is_player(ty) else None
    return Mark(shape, sign, None if sign == shown else shown, owner)


@lru_cache(maxsize=256)
def letter_meaning(game: ir.Game, board: ir.Board, letter: str) -> str | None:
    """The subset types that all cells with a letter belong to."""
    cells = {index for index, drawn in enumerate(board.letters) if drawn == letter}
    found = []
    for name, ty in game.types.items():
        if isinstance(ty, types.Cells) and ty.board == board.name and name != board.name and cells <= set(ty.members):
            found.append(name)
    return " and ".join(found) or None


def _homes(game: ir.Game, board: ir.Board, seen: Seen) -> dict[str, list[Mark]]:
    """Whose a cell is for good, by its name: a state of players that is fixed after setup says so, and has a line."""
    found: dict[str, list[Mark]] = {}
    for state in game.states.values():
        of_players = len(state.index) == 1 and is_player(state.index[0].type)
        ty = inner(state.type)
        if not (state.fixed and of_players and isinstance(ty, types.Cells) and ty.board == board.name):
            continue
        for seat, player in enumerate(game.players):
            cell = seen.states.get(name_of(game, state, (seat,)))
            if cell is not None:
                found.setdefault(cell, []).append(Mark(Shape.GROUND, initials(game.players)[player], None, seat))
    return found


# ------------------------------------------------------------------------------------------------------- what can come


@lru_cache(maxsize=64)
def _possible(game: ir.Game, board: ir.Board) -> tuple[Mark, ...]:
    """All pieces that can come to a board, each as wide as it can be drawn while it is with its first owner."""
    found = []
    for piece in on_board(game, board):
        shown = look(game, board, piece)
        states = {
            f"{state.name}[{piece.title}]": _widest(game, state)
            for state in (shown.heading, shown.pips, *(shown.numbers if shown.always else ()))
            if state
        }
        mark = piece_mark(game, board, piece, states)
        flags = tuple(flag_name(state, "yes") for state in shown.flags)
        found.append(
            Mark(mark.shape, mark.sign, None, mark.owner, mark.who, mark.heading, mark.pips, flags, mark.numbers)
        )
    return tuple(found)


def _widest(game: ir.Game, state: ir.State) -> str:
    ty = inner(state.type)
    if isinstance(ty, types.Enum):
        return ty.values[3] if len(ty.values) == 8 else max(ty.values, key=len)
    assert isinstance(ty, types.Int)
    return str(ty.high)


def _value_widths(game: ir.Game, board: ir.Board) -> Iterator[int]:
    """Of each state of cells that can change, how wide its widest value is drawn; of numbers, the ends tell."""
    for state in game.states.values():
        if state.fixed or not is_on(state, board):
            continue
        ty = inner(state.type)
        ends: Iterable[Value] = (ty.low, ty.high) if isinstance(ty, types.Int) else types.values(ty)
        shown = [show_value(value, ty, game) for value in ends]
        yield max(
            (len(_mark_of_value(game, state, s).sign) for s in shown if s != first_value(game, state, (0,))), default=0
        )
