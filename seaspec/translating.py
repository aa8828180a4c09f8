"""Positions of machine code as states of the interpreter, and back."""

from __future__ import annotations

from typing import Any

from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import FIRST, OUT, PC, RESULT, State
from seaspec.backends.native.values.decode import Position


def state_of(machine: Machine, position: Position) -> State:
    """A position of machine code as a state of the interpreter."""
    layout = machine.layout
    slots: list[Any] = [None] * layout.size
    slots[PC], slots[RESULT], slots[OUT] = position.block, position.result, position.out
    slots[FIRST - 1] = ()
    where = [0] * len(machine.game.pieces)
    for families, values in ((layout.places, position.places), (layout.states, position.states)):
        for name, family in families.items():
            for key, slot in family.slots.items():
                slots[slot] = values[name][key]
    for slot in layout.place_slots:
        for lying in slots[slot]:
            for piece in lying if isinstance(lying, tuple) else (lying,):
                where[piece] = slot
    for variable, slot in layout.frame.items():
        slots[slot] = position.frame.get(variable)
    return State(tuple(slots), tuple(where))


def position_of(machine: Machine, state: State) -> Position:
    """A state of the interpreter as a position of machine code."""
    layout, slots = machine.layout, state.slots
    places, states = (
        {name: {key: slots[slot] for key, slot in family.slots.items()} for name, family in families.items()}
        for families in (layout.places, layout.states)
    )
    frame = {variable: slots[slot] for variable, slot in layout.frame.items()}
    return Position(slots[PC], state.result, slots[OUT], places, states, frame)
