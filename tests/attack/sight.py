"""Whether a secret is told: two positions that a player sees alike, at which something that this player sees is not.

Looked at are positions that plays come to, and copies of them in which nothing but what is hidden has changed: two
pieces of a hidden place have changed sides, or a hidden state has another value. Who is asked, and the options, must be
the same; and where the same answer is given to both, what the player then sees, but for what moves and draws show.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from attack.truth import Truth
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State, contents
from seaspec.core import flow, ir, types
from seaspec.core.walk import walk

MOST = 60
"""So many positions are looked at."""


def leaks(graph: flow.Flow, promise: ir.Secret, so: Truth) -> bool:
    """Whether something is seen to be told."""
    game = graph.game
    if any(isinstance(node, ir.Openly) for node in walk(game)):
        return False
    if any(isinstance(node, flow.Veil) for block in graph.blocks for node in block.steps):
        return False
    machine = Machine(graph)
    for position in so.positions[:MOST]:
        state = State(position.state.slots, position.state.where)  # what was worked out of it is of another machine
        if state.result is not None or machine.is_chance(state):
            continue
        for seat in range(len(game.players)):
            try:
                here = _seen(machine, state, seat)
            except RuleError:  # nobody is asked there
                continue
            for other in _others(machine, state, seat, promise):
                if _table(machine, other, seat) != _table(machine, state, seat):
                    continue
                try:
                    if _seen(machine, other, seat) != here:
                        return True
                except RuleError:
                    continue
    return False


def _table(machine: Machine, state: State, seat: int) -> tuple[Any, ...]:
    """What a player sees of places and states."""
    look = machine.look(state)
    found: list[Any] = []
    for slot in machine.layout.place_slots:
        place, _ = machine.layout.place_of[slot]
        lies = contents(place.order, state.slots[slot])
        sees = machine.effects.sees(look, slot, seat)
        titles = [machine.game.pieces[piece].title for piece in lies]
        if not sees:
            found.append(None if place.uncounted else len(lies))
        else:
            found.append(tuple(titles) if place.order is ir.PlaceOrder.ROW else tuple(sorted(titles)))
    for family in machine.layout.states.values():
        for slot in family.all_slots:
            found.append(state.slots[slot] if machine.effects.sees(look, slot, seat) else None)
    return tuple(found)


def _seen(machine: Machine, state: State, seat: int) -> tuple[Any, ...]:
    """Who is asked, and the options of the one who is."""
    node = machine.node(state)
    decider = machine.decider(state)
    if not isinstance(node, flow.Decision):
        return ("nobody",)
    if decider != seat:
        return (None if node.secretly else decider,)
    options = machine.options(state)
    if not options.any:
        return decider, ()
    notation = Notation(machine, state)
    return decider, tuple(sorted(notation.text(option) for option in options))


def _others(machine: Machine, state: State, seat: int, promise: ir.Secret) -> Iterator[State]:
    """Positions that differ in what is hidden from a player alone."""
    look = machine.look(state)
    hidden = [
        piece.id
        for piece in machine.game.pieces
        if machine.layout.place_of[state.where[piece.id]][0].name != ir.BOX
        and not machine.effects.sees(look, state.where[piece.id], seat)
    ]
    named = _pieces_named(machine, state)
    for a, b in combinations(hidden, 2):
        if state.where[a] == state.where[b] or {a, b} & named:
            continue
        places = {machine.layout.place_of[state.where[piece]][0].name for piece in (a, b)}
        if not places & set(promise.things):
            continue
        other = _exchanged(machine, state, a, b)
        if other is not None:
            yield other
    for name, family in machine.layout.states.items():
        thing = machine.game.states[name]
        if name not in promise.things or isinstance(thing.type, types.SetOf) or thing.while_in or thing.bound:
            continue
        for slot in family.all_slots:
            if machine.effects.sees(look, slot, seat):
                continue
            for value in list(types.values(thing.type))[:4]:
                if value != state.slots[slot]:
                    slots = (*state.slots[:slot], value, *state.slots[slot + 1 :])
                    yield State(slots, state.where)


def _pieces_named(machine: Machine, state: State) -> set[int]:
    """Pieces that the names of the rules stand for."""
    found: set[int] = set()

    def note(value: Any, ty: types.Type) -> None:
        match ty:
            case types.Pieces() if value is not None:
                found.add(value)
            case types.Optional(of):
                note(value, of)
            case types.SetOf(of) if value is not None:
                for member in value:
                    note(member, of)
            case types.Map() if value is not None:
                found.update(range(len(machine.game.pieces)))

    for variable, slot in machine.layout.frame.items():
        note(state.slots[slot], variable.type)
    return found


def _exchanged(machine: Machine, state: State, a: int, b: int) -> State | None:
    """The position with two pieces in each other's place."""
    slots, where = list(state.slots), list(state.where)
    for piece, other in ((a, b), (b, a)):
        place, _ = machine.layout.place_of[where[other]]
        if piece not in place.holds.members:
            return None

    def exchanged(lies: tuple[Any, ...], old: int, new: int, order: ir.PlaceOrder) -> tuple[Any, ...]:
        if order is ir.PlaceOrder.PILE:
            return tuple(exchanged(layer, old, new, ir.PlaceOrder.SET) for layer in lies)
        found = [new if piece == old else piece for piece in lies]
        return tuple(found) if order is ir.PlaceOrder.ROW else tuple(sorted(found))

    for slot, old, new in ((where[a], a, b), (where[b], b, a)):
        slots[slot] = exchanged(slots[slot], old, new, machine.layout.place_of[slot][0].order)
    where[a], where[b] = where[b], where[a]
    for name, family in machine.layout.states.items():  # what a piece carries goes with the place, not with it
        if machine.game.states[name].while_in is not None:
            x, y = family.slots.get((a,)), family.slots.get((b,))
            if x is not None and y is not None and slots[x] != slots[y]:
                return None
    return State(tuple(slots), tuple(where))
