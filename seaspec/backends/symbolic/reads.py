"""What expressions read of a position: where that is the same in two positions, so is their value."""

from __future__ import annotations

from seaspec.backends.symbolic.values.position import Position
from seaspec.core import ir
from seaspec.core.ir import Expr
from seaspec.core.ops import Op
from seaspec.core.walk import walk

Reads = tuple[frozenset[str], frozenset[str], bool]
"""The places and states that are read; and whether anything else is, besides who is out and who has won."""


def reads(game: ir.Game, *exprs: Expr) -> Reads:
    """What expressions read, through the defines they call and the actions that they ask about. (What they read of an
    older position counts as well.)"""
    places: set[str] = set()
    states: set[str] = set()
    others = False
    seen: set[str] = set()
    actions: set[str] = set()
    waiting: list[object] = list(exprs)
    while waiting:
        for node in walk(waiting.pop()):
            match node:
                case ir.PlaceRead(_, place):
                    places.add(place)
                case ir.StateRead(_, state):
                    states.add(state)
                case ir.Everywhere(_, place) | ir.WhereIs(place=place):
                    places |= {place, f"all of {place}"}
                case ir.Can(_, name) if name not in actions:
                    actions.add(name)
                    waiting += game.actions[name].params
                    for guard in game.actions[name].guards:
                        waiting += (guard.test, *(test for test, _ in guard.exceptions))
                case ir.Asked() | ir.Odds():
                    others = True
                case ir.Apply(_, Op.SPOT):
                    others = True
                case ir.Call(_, function) if function not in seen:
                    seen.add(function)
                    waiting.append(game.functions[function].body)
    return frozenset(places), frozenset(states), others


def footprint(read: Reads, position: Position) -> tuple[object, ...] | None:
    """All that is read at a position; None if that is not known. Where all that lies in a place is asked for, it is
    read where each piece is."""
    places, states, others = read
    if others:
        return None
    lying = (position.places.holder.get(place, position.places.where) for place in sorted(places))
    return position.out, position.result, *(position.states[state] for state in sorted(states)), *lying


def is_same(read: Reads, one: Position, other: Position) -> bool:
    """Whether nothing that is read differs between two positions."""
    here, there = footprint(read, one), footprint(read, other)
    return here is not None and there is not None and all(a is b for a, b in zip(here, there, strict=True))
