"""What lies beside the boards, in lines: places and states, and of each only what says something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from seaspec.core import ir, types
from seaspec.core.ir import BOX, PlaceOrder
from seaspec.drawing.names import (
    first_value,
    grounds,
    index_of,
    inner,
    is_on,
    is_player,
    keys,
    name_of,
    plain_name,
    standing_on,
    title_of,
)
from seaspec.drawing.pieces import drawn_states
from seaspec.drawing.seen import SeenPlace

Line = tuple[str, tuple[str, ...]]
"""What it is, and the things that are there; none, if saying what it is says it all."""


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies in a place, or in some of one sort: `cards` with their numbers; or `unseen` ones, whose, and how many.
    `names`: what is written on the cards, which is less than what they are called if all are called alike there."""

    name: str
    cards: tuple[tuple[str, int], ...] = ()
    unseen: tuple[tuple[str, int], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def line(self) -> Line:
        """In words."""
        if not self.unseen:
            return self.name, tuple(title if number == 1 else f"{number} {title}" for title, number in self.cards)
        if len(self.unseen) == 1 and not self.unseen[0][0]:
            return self.name, (f"{self.unseen[0][1]} unseen",)
        return f"{self.name}, unseen", tuple(f"{whose} {number}" for whose, number in self.unseen)


def lying(game: ir.Game, places: Mapping[str, SeenPlace]) -> Iterator[Lying]:
    """The places that are no cells. What is in the box is not in the game."""
    for place in game.places.values():
        if place.name == BOX or any(is_on(place, ground) for ground in grounds(game)):
            continue
        there_is = {key: places.get(name_of(game, place, key)) for key in keys(place)}
        found = [(key, there) for key, there in there_is.items() if there is not None]
        unseen = [(key, there.size) for key, there in found if there.contents is None]
        sizes = [(index_of(game, place, key), size) for key, size in unseen if len(key) == 1 and size is not None]
        if len(sizes) > 1:
            yield Lying(plain_name(place), unseen=tuple(sizes))
        for key, there in found:
            if there.contents:
                cards = _counted(place, there.contents)
                alike = f"{called_alike(game, place)} "
                names = tuple(title.removeprefix(alike) for title, _ in cards)
                yield Lying(title_of(game, place, key), cards, names=names)
            elif there.contents is None and there.size and len(sizes) < 2:
                yield Lying(title_of(game, place, key), unseen=(("", there.size),))


def _counted(place: ir.Place, titles: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """What lies there; equal pieces are counted, unless their order matters."""
    if place.order is PlaceOrder.ROW:
        return tuple((title, 1) for title in titles)
    return tuple(Counter(titles).items())


@lru_cache(maxsize=256)
def called_alike(game: ir.Game, place: ir.Place) -> str:
    """The first word of all pieces that can lie in a place, if it is the same."""
    words = {game.pieces[member].title.partition(" ")[0] for member in place.holds.members}
    return words.pop() if len(words) == 1 else ""


def state_lines(game: ir.Game, states: Mapping[str, str]) -> Iterator[Line]:
    """The states that no board shows; of most only what is not as at first, and no sets of maps: they are long."""
    on_boards = drawn_states(game) | {state.name for ground in grounds(game) for state in standing_on(game, ground)}
    for state in game.states.values():
        is_drawn = state.name in on_boards or any(is_on(state, ground) for ground in grounds(game))
        if state.track or is_drawn or types.is_set_of_maps(state.type):
            continue
        shown = {key: text for key in keys(state) if (text := states.get(name_of(game, state, key))) is not None}
        if not state.index:
            if () in shown and not _is_quiet(game, state, shown[()]):
                yield title_of(game, state, ()), () if shown[()] == "yes" else (shown[()],)
            continue
        told = {key: text for key, text in shown.items() if text != first_value(game, state, key)}
        if len(state.index) == 1 and is_player(state.index[0].type):
            if told or (shown and state.fixed):
                yield plain_name(state), tuple(f"{index_of(game, state, key)} {text}" for key, text in shown.items())
        else:
            yield from _by_value(game, state, told)


def _by_value(game: ir.Game, state: ir.State, told: Mapping[tuple[types.Value, ...], str]) -> Iterator[Line]:
    found: dict[str, list[str]] = {}
    for key, text in told.items():
        found.setdefault(text, []).append(index_of(game, state, key))
    for text, indices in found.items():
        yield plain_name(state) + ("" if text == "yes" else f" {text}"), tuple(indices)


def _is_quiet(game: ir.Game, state: ir.State, shown: str) -> bool:
    """Whether the value of a state without index is not worth a line."""
    is_counter = state.until is not None or isinstance(inner(state.type), types.Bool | types.Int)
    return shown == "none" or (is_counter and not state.fixed and shown == first_value(game, state, ()))
