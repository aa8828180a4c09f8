"""Short names: of values by their initials, of pieces by what tells them apart; and what things are called in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.show import render, show_value
from seaspec.core.types import PLAYER, Value
from seaspec.core.walk import free_variables

Ground = ir.Board | ir.Picture
"""What cells are drawn on."""


@dataclass(frozen=True, slots=True)
class Label:
    """`who`: the initial of the player who is printed on a piece; `what`: the rest, which tells it from his others."""

    who: str
    what: str


def labels(game: ir.Game) -> dict[str, str]:
    """A short label for each title of a piece that can lie on a board."""
    return {title: label.who + label.what for title, label in labels_in_parts(game).items()}


@lru_cache(maxsize=16)
def labels_in_parts(game: ir.Game) -> dict[str, Label]:
    """Labels by title: facts that differ between pieces of a kind, after the initial of the kind where need be."""
    pieces = list({piece.title: piece for piece in on_boards(game)}.values())
    owners = {piece.title: seat_printed(piece) for piece in pieces}
    seats = initials(game.players)
    who = {title: "" if seat is None else seats[game.players[seat]] for title, seat in owners.items()}
    kinds = tuple(dict.fromkeys(piece.kinds[0] for piece in pieces))
    signs = initials(kinds, frozenset(who.values()))
    facts = {piece.title: _facts_label(game, piece, pieces) for piece in pieces}
    with_kind = {piece.kinds[0] for piece in pieces if _wants_its_kind(game, who, facts, piece, kinds)}
    while True:
        made = {
            piece.title: (signs[piece.kinds[0]] if piece.kinds[0] in with_kind else "") + facts[piece.title]
            for piece in pieces
        }
        found = Counter(who[title] + label for title, label in made.items())
        unclear = {p.kinds[0] for p in pieces if found[who[p.title] + made[p.title]] > 1} - with_kind
        if not unclear:
            break
        with_kind |= unclear
    return {
        title: Label(who[title], label) if found[who[title] + label] == 1 else Label("", title)
        for title, label in made.items()
    }


def _wants_its_kind(
    game: ir.Game, who: dict[str, str], facts: dict[str, str], piece: ir.Piece, kinds: tuple[str, ...]
) -> bool:
    label, said = who[piece.title] + facts[piece.title], look_of(game, piece)
    is_numbered = said is not None and said.numbered != ()
    return not label or (label[0].isdigit() and len(kinds) > 1 and not is_numbered)


def _facts_label(game: ir.Game, piece: ir.Piece, pieces: list[ir.Piece]) -> str:
    """The facts of a piece but its player, those left out in which no piece of its kind differs from it."""
    kin = [other for other in pieces if other.kinds[0] == piece.kinds[0]]
    said = look_of(game, piece)
    if said is not None and said.numbered and _tell_apart(said.numbered, kin):
        return _label_of(game, [(value, ty) for name, value, ty in piece.facts if name in said.numbered])
    return _label_of(
        game,
        [
            (value, ty)
            for number, (_, value, ty) in enumerate(piece.facts)
            if not is_player(ty) and (len(kin) == 1 or any(other.facts[number][1] != value for other in kin))
        ],
    )


def _tell_apart(names: tuple[str, ...], kin: list[ir.Piece]) -> bool:
    """Whether these facts tell pieces of a kind from one another, those of a player alone."""
    found = {(seat_printed(piece), *((name, v) for name, v, _ in piece.facts if name in names)) for piece in kin}
    return len(found) == len(kin)


def _label_of(game: ir.Game, facts: list[tuple[Value, types.Type]]) -> str:
    label = ""
    for value, ty in facts:
        if isinstance(ty, types.Enum) and isinstance(value, int):
            word = (ty.drawn[value] if ty.drawn else None) or initials(ty.values)[ty.values[value]]
        elif isinstance(ty, types.Int | types.Cells):
            word = show_value(value, ty, game)
        else:
            continue
        label += f".{word}" if label[-1:].isdigit() and word[:1].isdigit() else word
    return label


@lru_cache(maxsize=256)
def initials(names: tuple[str, ...], taken: frozenset[str] = frozenset()) -> dict[str, str]:
    """Each name by its capitals or first letters, as few as tell it from the others, and from what is taken.

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
        found[name] = next((c for c in candidates if c not in found.values() and c not in taken), name)
    return found


def on_boards(game: ir.Game) -> Iterator[ir.Piece]:
    """The pieces that can lie in cells."""
    for member in sorted({piece for ground in grounds(game) for piece in members_on(game, ground)}):
        yield game.pieces[member]


def grounds(game: ir.Game) -> tuple[Ground, ...]:
    """The boards, and the pictures that the author gives of other things, or in place of a board."""
    pictured = {picture.board for picture in game.pictures.values()}
    return *(board for board in game.boards.values() if board.name not in pictured), *game.pictures.values()


def members_on(game: ir.Game, ground: Ground) -> set[int]:
    """The pieces that can come to cells: those that can lie there, and those of which a state says where they are."""
    found = {member for place in game.places.values() if is_on(place, ground) for member in place.holds.members}
    for state in standing_on(game, ground):
        found |= {
            member for index in state.index if isinstance(index.type, types.Pieces) for member in index.type.members
        }
    return found


def standing_on(game: ir.Game, ground: Ground) -> list[ir.State]:
    """The states whose values are cells of a picture, and are drawn there."""
    return [game.states[name] for name in ground.standing] if isinstance(ground, ir.Picture) else []


def is_on(thing: ir.Place | ir.State, ground: Ground) -> bool:
    """Whether a place or state is drawn in the cells: of a board, if one of its cells is the index."""
    if isinstance(ground, ir.Picture):
        return thing.name in ground.things
    board = ground
    return len(thing.index) == 1 and isinstance(ty := thing.index[0].type, types.Cells) and ty.board == board.name


def is_player(ty: types.Type) -> bool:
    return isinstance(ty, types.Enum) and ty.name == PLAYER


def seat_printed(piece: ir.Piece) -> int | None:
    """The player that a piece names as a fact."""
    seats = (value for _, value, ty in piece.facts if is_player(ty) and isinstance(value, int))
    return next(seats, None)


@lru_cache(maxsize=4096)
def look_of(game: ir.Game, piece: ir.Piece) -> ir.Look | None:
    """The look that the author gives to a piece: that of the most particular of its kinds."""
    looks = {kind: look for look in game.looks.values() for kind in look.kinds}
    return next((looks[kind] for kind in piece.kinds if kind in looks), None)


def states_of(game: ir.Game, piece: ir.Piece) -> Iterator[ir.State]:
    """The states that have this piece as their only index."""
    for state in game.states.values():
        if len(state.index) == 1 and isinstance(ty := state.index[0].type, types.Pieces) and piece.id in ty.members:
            yield state


def inner(ty: types.Type) -> types.Type:
    """`T` of `T or none`."""
    return ty.of if isinstance(ty, types.Optional) else ty


# ----------------------------------------------------------------------------------------------- what things are called


def keys(thing: ir.Place | ir.State) -> Iterator[tuple[Value, ...]]:
    """The indices of all instances."""
    found: list[tuple[Value, ...]] = [()]
    for variable in thing.index:
        found = [(*key, value) for key in found for value in types.values(variable.type)]
    yield from found


def name_of(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    return f"{thing.name}[{index_of(game, thing, key)}]" if key else thing.name


def index_of(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    return ", ".join(show_value(value, variable.type, game) for variable, value in zip(thing.index, key, strict=True))


def title_of(game: ir.Game, thing: ir.Place | ir.State, key: tuple[Value, ...]) -> str:
    """An instance as the author calls it, if the sentence tells it from the others; else its name."""
    sentence = thing.source.sentence
    if sentence is None or not set(thing.index) <= set(free_variables(sentence)):
        return name_of(game, thing, key)
    env = dict(zip(thing.index, key, strict=True))
    try:
        return render(sentence, lambda expr: evaluate(expr, game.tables, game.functions, env), game)
    except NotConstant:
        return name_of(game, thing, key)


def plain_name(thing: ir.Place | ir.State) -> str:
    return thing.name.replace("_", " ")


@lru_cache(maxsize=1 << 14)
def first_value(game: ir.Game, state: ir.State, key: tuple[Value, ...]) -> str | None:
    """The first value of a state, as it is shown; None if that can not be told from the text alone."""
    try:
        value = evaluate(state.initial, game.tables, game.functions, dict(zip(state.index, key, strict=True)))
    except NotConstant:
        return None
    return show_value(value, state.type, game)


def in_runs(items: Iterable[tuple[str, str]]) -> list[str]:
    """Signs with their meanings, those that differ in a last number only told together.

    >>> in_runs([("B1", "Boat 1"), ("B2", "Boat 2"), ("B4", "Boat 4"), ("r", "rock")])
    ['B1-2,4 Boat 1-2,4', 'r rock']
    """
    numbers: dict[tuple[str, str], list[int]] = {}
    for sign, meaning in items:
        number = _last_number(sign)
        if number and number == _last_number(meaning):
            numbers.setdefault((sign.removesuffix(number), meaning.removesuffix(number)), []).append(int(number))
        else:
            numbers.setdefault((sign, meaning), [])
    return [f"{sign}{_runs(found)} {meaning}{_runs(found)}" for (sign, meaning), found in numbers.items()]


def _last_number(text: str) -> str:
    return text[len(text.rstrip("0123456789")) :]


def _runs(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
