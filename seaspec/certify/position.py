"""Positions that are not known: a value for each entry of a state, and for each piece where it lies.

Places are numbered: a *slot* is one instance of a place. In which order pieces lie in a row or pile is left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from seaspec.certify.values import Bool, Names, Number, TooLarge, Value, equal, or_, ranges
from seaspec.core import flow, ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Variable

MOST_ENTRIES = 3_000


@dataclass(frozen=True, eq=False)
class Position:
    """`won` and `lost`: by seat, where the game is `over`. `begun`: where procedures that are watched have begun."""

    states: Mapping[tuple[str, tuple[Any, ...]], Value]
    where: tuple[Number, ...]
    out: tuple[Bool, ...]
    frame: Mapping[Variable, Value]
    over: Bool = False
    won: tuple[Bool, ...] = ()
    lost: tuple[Bool, ...] = ()
    begun: Mapping[str, Position] = field(default_factory=dict)
    measured: Mapping[str, Number] = field(default_factory=dict)
    """Of each `ends within`: what was measured when its procedure began last; at first one more than its calls."""

    def with_state(self, name: str, entries: Mapping[tuple[Any, ...], Value]) -> Position:
        return replace(self, states={**self.states, **{(name, key): value for key, value in entries.items()}})

    def with_frame(self, values: Mapping[Variable, Value]) -> Position:
        return replace(self, frame={**self.frame, **values})


class World:
    """The rules as the encoding knows them."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.game = game = graph.game
        self.names = Names()
        self.seats = len(game.players)
        self.slots: dict[tuple[str, tuple[Any, ...]], int] = {}
        for name, place in game.places.items():
            for key in product(*(tuple(types.values(variable.type)) for variable in place.index)):
                self.slots[name, key] = len(self.slots)
        self.keys: dict[str, list[tuple[Any, ...]]] = {name: [] for name in game.places}
        for name, key in self.slots:
            self.keys[name].append(key)
        self.entries = {
            name: list(product(*(tuple(types.values(variable.type)) for variable in state.index)))
            for name, state in game.states.items()
        }
        if sum(map(len, self.entries.values())) + len(self.slots) > MOST_ENTRIES:
            raise TooLarge("there are too many entries of states and places")
        steps = [step for block in graph.blocks for step in block.steps]
        self.may_drop_out = any(isinstance(step, ir.DropOut) for step in steps)
        self.assigned = {step.state for step in steps if isinstance(step, ir.Assign)}
        self.moves = any(
            isinstance(node, ir.Move | ir.MoveSome | flow.DrawNode)
            for block in graph.blocks
            for node in (*block.steps, block.exit)
        )
        self.tables: dict[str, dict[tuple[Any, ...], Any]] = {}

    def table(self, name: str) -> dict[tuple[Any, ...], Any]:
        if name not in self.tables:
            table = self.game.tables[name]
            keys = product(*(tuple(types.values(ty)) for ty in table.index))
            self.tables[name] = dict(zip(keys, table.entries, strict=True))
        return self.tables[name]

    def first(self, name: str, key: tuple[Any, ...]) -> Value:
        """The first value of an entry of a state."""
        state = self.game.states[name]
        try:
            return evaluate(
                state.initial, self.game.tables, self.game.functions, dict(zip(state.index, key, strict=True))
            )
        except NotConstant as why:
            raise TooLarge(f"the first value of {name} is not to be worked out ({why})") from None

    def beginning(self) -> Position:
        """Before anything has happened."""
        states = {(name, key): self.first(name, key) for name, keys in self.entries.items() for key in keys}
        where = tuple(self.slots[piece.home, self.keys[piece.home][0]] for piece in self.game.pieces)
        nobody = (False,) * self.seats
        measured = {p.name: p.calls + 1 for p in self.game.promises if isinstance(p, ir.EndsWithin)}
        return Position(states, where, nobody, {}, False, nobody, nobody, {}, measured)

    def anything(self, word: str, frame: Mapping[Variable, Value], is_over: Bool) -> Position:
        """Any position: nothing is said of it but what never changes."""
        names = self.names
        states: dict[tuple[str, tuple[Any, ...]], Value] = {}
        for name, keys in self.entries.items():
            ty = self.game.states[name].type
            for key in keys:
                is_fixed = name not in self.assigned
                states[name, key] = self.first(name, key) if is_fixed else names.value(f"{word}{name}{key}", ty)
        first = self.beginning()
        where = tuple(
            names.int(f"{word}where {piece.id}") if self.moves else first.where[piece.id] for piece in self.game.pieces
        )
        seats = range(self.seats)
        out = tuple(names.bool(f"{word}out {seat}") if self.may_drop_out else False for seat in seats)
        won = tuple(False if is_over is False else names.bool(f"{word}won {seat}") for seat in seats)
        lost = tuple(False if is_over is False else names.bool(f"{word}lost {seat}") for seat in seats)
        measured = {name: names.int(f"{word}measured") for name in first.measured}
        return Position(states, where, out, frame, is_over, won, lost, {}, measured)

    def in_range(self, position: Position) -> list[tuple[object, Bool]]:
        """That values lie in their types, and pieces where they can lie: each is supposed only where it is shown."""
        found: list[tuple[object, Bool]] = []
        for (name, key), value in position.states.items():
            found.append((("state", name, key), ranges(value, self.game.states[name].type)))
        for variable, value in position.frame.items():
            if not isinstance(value, tuple) or isinstance(variable.type, types.Map):
                found.append((("frame", variable), ranges(value, loosened(variable.type))))
        for piece, slot in enumerate(position.where):
            found.append((("where", piece), self._is_slot(piece, slot)))
        return [(what, test) for what, test in found if test is not True]

    def _is_slot(self, piece: int, slot: Number) -> Bool:
        if isinstance(slot, int):
            return True
        places = self.game.places.items()
        held = {name for name, place in places if piece in place.holds.members}
        return or_(*(equal(slot, number) for (name, _), number in self.slots.items() if name in held))


def loosened(ty: types.Type) -> types.Type:
    """The type of a variable of the frame with what it may be besides: counters go down to 0, and below by one."""
    if isinstance(ty, types.Int):
        return types.Int(min(ty.low, 0), ty.high)
    return ty
