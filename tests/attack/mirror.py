"""Whether plays go to plays when values are renamed: of all positions, one after the other.

The image of the first position is itself; the images of the positions after a position are the positions after its
image. So plays go to plays, and nothing less will do.
"""

from __future__ import annotations

from typing import Any

from attack.truth import Truth, answers, plain
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import OUT, RESULT, State
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.types import Type


class NoImage(Exception):
    """Something has no image."""


def mirrored(graph: flow.Flow, promise: ir.Symmetry, so: Truth) -> bool | None:
    """Whether a symmetry holds; None where that is not known."""
    machine = plain(graph)
    twins = [piece.twin for piece in graph.game.pieces]
    if len(set(twins)) < len(twins):  # which of pieces that are alike goes to which is open
        return None
    try:
        mirror = _Mirror(machine, promise)
        if not so.positions:
            return None
        if mirror.key(so.positions[0].state, True) != mirror.key(so.positions[0].state, False):
            return False
        for number, position in enumerate(so.positions):
            image = mirror.state(position.state)
            here = {mirror.key(so.positions[onward].state, True) for _, onward, _ in so.onward[number] if onward >= 0}
            if len(so.onward[number]) == 0 and position.state.result is None and not so.complete:
                continue
            if here != {mirror.key(state, False) for state in _after(machine, image)}:
                return False
    except NoImage:
        return None
    return True if so.complete else None


def _after(machine: Machine, state: State) -> list[State]:
    found = []
    try:
        for answer in answers(machine, state):
            try:
                found.append(machine.step(state, answer))
            except RuleError:
                continue
    except RuleError:
        pass
    return found


class _Mirror:
    """The renaming: of values by their types, of pieces by their facts."""

    def __init__(self, machine: Machine, promise: ir.Symmetry) -> None:
        self.machine = machine
        self.renamed: list[tuple[Type, dict[Any, Any]]] = []
        for variable, expr in promise.renamings:
            to = machine.program.compile(expr, (variable,), "mirror")
            images = {v: to(machine.program.constants, v) for v in types.values(variable.type)}
            if set(images.values()) != set(images):
                raise NoImage
            self.renamed.append((variable.type, images))
        pieces = machine.game.pieces
        kinds = {(p.kinds, tuple(v for _, v, _ in p.facts), p.home): p.id for p in pieces}
        self.pieces: dict[int, int] = {}
        for piece in pieces:
            facts = tuple(self.value(value, ty) for _, value, ty in piece.facts)
            image = kinds.get((piece.kinds, facts, piece.home))
            if image is None:
                raise NoImage
            self.pieces[piece.id] = image

    def value(self, value: Any, ty: Type) -> Any:
        if value is None:
            return None
        match ty:
            case types.Optional(of):
                return self.value(value, of)
            case types.SetOf(of, ordered):
                members = [self.value(member, of) for member in value]
                return tuple(members) if ordered else types.as_set(members)
            case types.Map(keys, of):
                pairs = zip(types.values(keys), value, strict=True)
                images = {self.value(key, keys): self.value(held, of) for key, held in pairs}
                return tuple(images[key] for key in types.values(keys))
            case types.Pieces():
                return self.pieces[value]
        for named, images in self.renamed:
            same = isinstance(named, types.Cells) and isinstance(ty, types.Cells) and named.board == ty.board
            if named == ty or same:
                return images[value]
        return value

    def state(self, state: State) -> State:
        """The image of a position."""
        layout, game = self.machine.layout, self.machine.game
        slots = list(state.slots)
        seats = game.types[types.PLAYER]
        slots[OUT] = self.value(slots[OUT], types.SetOf(seats))
        if state.result is not None:
            winners, losers, scores = state.result
            if scores is not None:
                images = {self.value(seat, seats): score for seat, score in enumerate(scores)}
                scores = tuple(images[seat] for seat in range(len(scores)))
            slots[RESULT] = self.value(winners, types.SetOf(seats)), self.value(losers, types.SetOf(seats)), scores
        where = list(state.where)
        for name, family in layout.places.items():
            for key, slot in family.slots.items():
                image = self._slot(family, key)
                slots[image] = self._held(state.slots[slot], game.places[name].order)
                for piece, at in enumerate(state.where):
                    if at == slot:
                        where[self.pieces[piece]] = image
        for name, family in layout.states.items():
            for key, slot in family.slots.items():
                slots[self._slot(family, key)] = self.value(state.slots[slot], game.states[name].type)
        for variable, slot in layout.frame.items():
            slots[slot] = self.value(state.slots[slot], variable.type)
        return State(tuple(slots), tuple(where))

    def _slot(self, family: Any, key: tuple[Any, ...]) -> int:
        image = tuple(self.value(value, ty) for value, ty in zip(key, family.index, strict=True))
        if image not in family.slots:
            raise NoImage
        return family.slots[image]

    def _held(self, held: tuple[Any, ...], order: PlaceOrder) -> tuple[Any, ...]:
        if order is PlaceOrder.PILE:
            return tuple(tuple(sorted(self.pieces[p] for p in layer)) for layer in held)
        found = [self.pieces[piece] for piece in held]
        return tuple(found) if order is PlaceOrder.ROW else tuple(sorted(found))

    def key(self, state: State, image: bool) -> Any:
        """What tells a position, or its image, from others."""
        return (self.state(state) if image else state).slots
