"""How a game is drawn, once and for all: the ground, the looks of pieces, what things are called.

`seaspec.drawing` decides all of it; the page (picture.js, svg.js) fills in what a position shows, and draws the same
picture as `draw_svg` does, to the letter.
"""

from __future__ import annotations

from dataclasses import asdict

from seaspec.core import ir, types
from seaspec.core.geometry import column_letters
from seaspec.core.ir import BOX, PlaceOrder
from seaspec.core.show import plain
from seaspec.drawing.colours import PALE, colour_of, paint_of
from seaspec.drawing.lines import called_alike
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
    plain_name,
    seat_printed,
    standing_on,
    title_of,
)
from seaspec.drawing.picture import SHAPES, board_is_used, letter_meaning, told_by_marks
from seaspec.drawing.pieces import Look, drawn_states, has_headings, look, on_board, printed_looks
from seaspec.web.values import Data


def scene(game: ir.Game) -> Data:
    """All that is drawn alike at every position."""
    paints = [paint_of(game, seat) for seat in range(len(game.players))]
    found = [ground for ground in grounds(game) if isinstance(ground, ir.Picture) or board_is_used(game, ground)]
    beside = drawn_states(game) | {state.name for ground in grounds(game) for state in standing_on(game, ground)}
    return {
        "initials": [initials(game.players)[player] for player in game.players],
        "paints": [[paint.fill, paint.ink, paint.rim] for paint in paints],
        "grounds": [_board(game, one) if isinstance(one, ir.Board) else _picture(game, one) for one in found],
        "places": [_place(game, place) for place in game.places.values()],
        "states": [_state(game, state, beside) for state in game.states.values()],
        "pale": list(PALE),
        "printed": {
            title: {"shape": SHAPES[shape].value, **asdict(printed)}
            for title, (shape, printed) in printed_looks(game).items()
        },
    }


def _board(game: ir.Game, board: ir.Board) -> Data:
    cells = {place: number for number, place in enumerate(board.cells)}
    numbers = range(1, board.rows + 1) if board.rows_from_top else range(board.rows, 0, -1)
    rows = [[str(row), [cells.get((column, row)) for column in range(1, board.columns + 1)]] for row in numbers]
    return {
        "kind": "board",
        "name": board.name,
        "columns": [column_letters(column) for column in range(1, board.columns + 1)],
        "rows": rows,
        "cells": list(board.names),
        "letters": list(board.letters),
        "meanings": {letter: letter_meaning(game, board, letter) for letter in sorted({*board.letters} - {"."})},
        "homes": [number for number, state in enumerate(game.states.values()) if _is_home(state, board)],
        **_pieces(game, board),
    }


def _is_home(state: ir.State, board: ir.Board) -> bool:
    """Whether a state says for good which cell is whose."""
    of_players = len(state.index) == 1 and is_player(state.index[0].type)
    ty = inner(state.type)
    return state.fixed and of_players and isinstance(ty, types.Cells) and ty.board == board.name


def _picture(game: ir.Game, drawn: ir.Picture) -> Data:
    states = standing_on(game, drawn)
    return {
        "kind": "picture",
        "board": drawn.board,
        "title": "" if drawn.source.sentence is None else plain(drawn.source.sentence, game),
        "rows": list(drawn.rows),
        "spots": [
            {
                "row": spot.row, "column": spot.column, "name": spot.name, "room": list(spot.room),
                "shows": [_shown(game, name, key) for name, key in spot.shows],
            }
            for spot in drawn.spots
        ],
        "standing": [_standing(game, drawn, state) for state in states],
        **_pieces(game, drawn),
    }  # fmt: skip


def _shown(game: ir.Game, name: str, key: tuple[types.Value, ...]) -> Data:
    """What a spot shows: a place, or an entry of a state."""
    if name in game.places:
        return {"place": name_of(game, game.places[name], key)}
    state = game.states[name]
    return {
        "state": list(game.states).index(name),
        "entry": list(keys(state)).index(key),
        "is_number": isinstance(inner(state.type), types.Int),
    }


def _standing(game: ir.Game, drawn: ir.Picture, state: ir.State) -> Data:
    """Who or what stands where a state says: for each entry a piece, a seat, or a sign with its meaning."""
    others = tuple(other.name for other in standing_on(game, drawn) if not other.index)
    called = state.name.replace("_", " ")
    entries: list[Data] = []
    for key in keys(state):
        ty = state.index[0].type if len(key) == 1 else None
        if isinstance(ty, types.Pieces) and isinstance(key[0], int):
            entries.append({"piece": game.pieces[key[0]].title})
        elif ty is not None and is_player(ty) and isinstance(key[0], int):
            entries.append({"seat": key[0]})
        elif not key:
            sign = initials(others, frozenset(initials(game.players).values()))[state.name]
            entries.append({"sign": sign, "meaning": called})
        else:
            entries.append({"sign": index_of(game, state, key), "meaning": called})
    return {"state": list(game.states).index(state.name), "entries": entries}


def _pieces(game: ir.Game, ground: Ground) -> Data:
    """How pieces look on a ground, by their titles; and the states that marks tell."""
    looks: dict[str, Data] = {}
    numbers = {name: number for number, name in enumerate(game.states)}
    for piece in on_board(game, ground):
        shown = look(game, ground, piece)
        label = labels_in_parts(game).get(piece.title, Label("", piece.title))
        data: Data = {"who": label.who, "what": label.what, "seat": seat_printed(piece)}
        if shown.owner is not None:
            data["owner"] = shown.owner.name
        if shown.heading is not None and isinstance(shown.heading.type, types.Enum):
            data["heading"] = [shown.heading.name, list(shown.heading.type.values)]
        if shown.pips is not None:
            first = None if shown.has_pips_always else first_value(game, shown.pips, (piece.id,))
            data["pips"] = [shown.pips.name, shown.has_pips_always, first]
        data["numbers"] = [
            [one.name, None if shown.always else first_value(game, one, (piece.id,))] for one in shown.numbers
        ]
        data["flags"] = [[one.name, first_value(game, one, (piece.id,))] for one in shown.flags]
        if shown.shape is not None:
            data |= _said(shown)
        looks[piece.title] = data
    heading, pips = told_by_marks(look(game, ground, piece) for piece in on_board(game, ground))
    things = (*game.places.values(), *game.states.values())
    return {
        "looks": looks,
        "headings": has_headings(game, ground),
        "heading": heading,
        "pips": pips,
        "places": [thing.name for thing in things if isinstance(thing, ir.Place) and is_on(thing, ground)],
        "states": [numbers[thing.name] for thing in things if isinstance(thing, ir.State) and is_on(thing, ground)],
    }


def _said(shown: Look) -> Data:
    """What the author says of a piece."""
    assert shown.shape is not None
    printed = shown.printed
    data: Data = {"shape": SHAPES[shown.shape].value, "seat": printed.seat, "printed": asdict(printed)}
    if shown.tinted is not None and isinstance(ty := inner(shown.tinted.type), types.Enum):
        colours = {word: colour_of(ty.values, number) for number, word in enumerate(ty.values)}
        data["tinted"] = [shown.tinted.name, colours]
    return data


def _place(game: ir.Game, place: ir.Place) -> Data:
    """What a place is called where it lies beside the boards. `dials`: the direction printed on a piece in it."""
    data: Data = {
        "plain": plain_name(place),
        "beside": place.name != BOX and not any(is_on(place, ground) for ground in grounds(game)),
        "keys": len(place.index),
    }
    if data["beside"]:
        data["titles"] = [title_of(game, place, key) for key in keys(place)]
        data["indices"] = [index_of(game, place, key) for key in keys(place)]
        data["alike"] = called_alike(game, place)
    compasses = {board.compass for board in game.boards.values()} - {None}
    if place.order is PlaceOrder.SLOT and not place.index:
        data["titles"] = [title_of(game, place, ())]
        dials: dict[str, int | None] = {}
        for member in place.holds.members:
            piece = game.pieces[member]
            found = [
                value * (8 // len(ty.values))
                for _, value, ty in piece.facts
                if isinstance(ty, types.Enum) and ty.name in compasses and isinstance(value, int)
            ]
            dials.setdefault(piece.title, found[0] if found else None)
        data["dials"] = {title: heading for title, heading in dials.items() if heading is not None}
    return data


def _state(game: ir.Game, state: ir.State, beside: set[str]) -> Data:
    """How the values of a state are drawn, and what it is called in lines."""
    on_ground = any(is_on(state, ground) for ground in grounds(game))
    ty = inner(state.type)
    signs: dict[str, str] = {}
    if isinstance(ty, types.Enum):
        for value, word in enumerate(ty.values):
            signs[word] = (ty.drawn[value] if ty.drawn else None) or initials(ty.values)[word]
    first = [first_value(game, state, key) for key in keys(state)]
    data: Data = {
        "plain": plain_name(state),
        "fixed": state.fixed,
        "kind": {types.Bool: "yes or no", types.Int: "number", types.Enum: "word"}.get(type(ty), "other"),
        "first": first[0] if len(set(first)) == 1 else first,
        "signs": signs,
        "players": isinstance(ty, types.Enum) and is_player(ty),
        "name": state.name,
    }
    if not (state.track or state.name in beside or on_ground or types.is_set_of_maps(state.type)):
        data["beside"] = True
        data["titles"] = [title_of(game, state, key) for key in keys(state)] if not state.index else []
        data["indices"] = [index_of(game, state, key) for key in keys(state)]
        data["counter"] = state.until is not None or isinstance(ty, types.Bool | types.Int)
        data["of_players"] = len(state.index) == 1 and is_player(state.index[0].type)
    return data
