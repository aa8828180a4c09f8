"""Positions that a solver made up, in the words of the game: what a proof that fails supposes.

Nobody knows whether a play comes to such a position. What is shown differs from the beginning of the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seaspec.backends.symbolic.logic.terms import Kind, Term
from seaspec.backends.symbolic.values.position import Entries, Position
from seaspec.backends.symbolic.values.world import World, plain
from seaspec.core import ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value

MOST = 6
"""So much is said of a position at most."""


def described(world: World, position: Position, first: Position, values: Mapping[str, int]) -> str:
    """A position in a few words, for the values that a solver gave to what was unknown there."""
    said = [
        *_frame(world, position, values),
        *_states(world, position, first, values),
        *_places(world, position, values),
    ]
    left = len(said) - MOST
    return ", ".join(said[:MOST]) + (f", and {left} more" if left > 0 else "")


def _frame(world: World, position: Position, values: Mapping[str, int]) -> Iterator[str]:
    for variable, value in position.frame.items():
        if isinstance(value, Term) and value.kind is Kind.VAR and value.name in values and "." not in variable.name:
            yield f"{variable.name} = {_shown(world, values[value.name], variable.type)}"


def _states(world: World, position: Position, first: Position, values: Mapping[str, int]) -> Iterator[str]:
    for name, family in position.states.items():
        before = first.states[name]
        for key, value in family.values.items() if isinstance(family, Entries) else ():
            if not isinstance(value, Term) or value.kind is not Kind.VAR or value.name not in values:
                continue
            old = before.values.get(key) if isinstance(before, Entries) else None
            if isinstance(old, Term) and old.is_const and old.value == values[value.name]:
                continue
            rules = world.game.states[name]
            yield f"{name}{_index(world, rules.index, key)} = {_shown(world, values[value.name], rules.type)}"


def _places(world: World, position: Position, values: Mapping[str, int]) -> Iterator[str]:
    for (name, sort), family in position.places.counts.items():
        for key, value in family.values.items() if isinstance(family, Entries) else ():
            if isinstance(value, Term) and value.kind is Kind.VAR and values.get(value.name, 0) > 0:
                kind = world.game.pieces[world.sorts[sort][0]].kinds[0]
                yield f"{values[value.name]} {kind} in {name}{_index(world, world.game.places[name].index, key)}"
    for name, family in position.places.holder.items():
        for key, value in family.values.items() if isinstance(family, Entries) else ():
            if isinstance(value, Term) and value.kind is Kind.VAR and values.get(value.name, -1) >= 0:
                piece = world.game.pieces[values[value.name]].title
                yield f"{piece} in {name}{_index(world, world.game.places[name].index, key)}"


def _index(world: World, index: tuple[ir.Variable, ...], key: tuple[int, ...]) -> str:
    shown = [_shown(world, value, variable.type) for variable, value in zip(index, key, strict=True)]
    return f"[{', '.join(shown)}]" if shown else ""


def _shown(world: World, value: int, ty: Type) -> str:
    known: Value = plain(value, ty)
    if isinstance(ty, types.Int | types.Never):
        return str(value)
    return show_value(known, ty, world.game)
