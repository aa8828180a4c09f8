"""Positions of machine code as states of the interpreter, and back."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import FIRST, OUT, PC, RESULT, State
from seaspec.backends.native.values.decode import Position
from seaspec.backends.native.values.encode import Encoder
from seaspec.backends.native.values.layout import Layout

MOST_PARTS = 50_000
"""Parts of states that are kept at most."""


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


class Translator:
    """Positions of a game that is not over as native states. From one position to the next most places and states stay
    as they are, so each is written once for what it holds: a state is all of its parts laid over one another."""

    def __init__(self, machine: Machine, layout: Layout) -> None:
        self._size = layout.size
        self._encoder = encoder = Encoder(layout)
        self._parts: dict[tuple[int, Hashable], int] = {}
        families = machine.layout.places, machine.layout.states
        self._places, self._states = ([(name, [*f.slots.values()]) for name, f in kind.items()] for kind in families)
        self._variables = [*machine.layout.frame.items()]
        writers = [encoder.part_of_place(name) for name, _ in self._places]
        writers += [encoder.part_of_state(name) for name, _ in self._states]
        writers += [encoder.part_of_frame(variable) for variable, _ in self._variables]
        self._writers: list[Callable[[Any], bytes]] = [*writers, lambda held: encoder.head(*held)]

    def native(self, state: State) -> bytes:
        """The same as bytes. Raises `NotCompiled` where something has no room there."""
        slots, found, number = state.slots, 0, 0
        for _, held in (*self._places, *self._states):
            found |= self._part(number, tuple([slots[slot] for slot in held]))
            number += 1
        for _, slot in self._variables:
            if slots[slot] is not None:
                found |= self._part(number, slots[slot])
            number += 1
        found |= self._part(number, (slots[PC], slots[OUT]))
        return found.to_bytes(self._size, "little")

    def _part(self, number: int, held: Any) -> int:
        known = self._parts.get((number, held))
        if known is None:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()
            known = self._parts[number, held] = int.from_bytes(self._writers[number](held), "little")
        return known
