"""Symmetries tested on plays: a position and its image have the same options, and a choice leads to images again.

What the images of values and pieces are: renaming.py. For all positions: mirrored.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from seaspec.backends.interpreter.choices import Act, Choice, Share, Subset, Values
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import OUT, RESULT, Family, State
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.types import Value
from seaspec.sampling.renaming import NoImage, Renaming
from seaspec.sampling.watch import Found

LOOKED_AT = 10
"""One of so many decisions is looked at."""
MOST_OPTIONS = 400
"""Options compared at a position."""


@dataclass(slots=True)
class Mirrored:
    """How many positions were compared with their images, and the first that differs."""

    compared: int = 0
    broken: Found | None = None
    reason: str | None = None
    """Why it can not be tested."""


def symmetry_trial(
    machine: Machine, symmetry: ir.Symmetry, plays: int, seed: int, go_on: Callable[[], bool] = lambda: True
) -> Mirrored:
    """Play at random and compare positions with their images. After each of them `go_on` is asked if there is time."""
    found = Mirrored()
    try:
        image = Image(machine, symmetry)
    except NoImage as error:
        found.reason = str(error)
        return found
    for number in range(plays):
        _one_play(machine, image, Random(f"{symmetry.name} {seed}:{number}"), found, go_on)
        if found.broken is not None or found.reason is not None or not go_on():
            break
    return found


def _one_play(machine: Machine, image: Image, random: Random, found: Mirrored, go_on: Callable[[], bool]) -> None:
    answers: list[Answer] = []
    try:
        state = machine.begin()
        while state.result is None and len(answers) < 5_000:
            answer: Answer
            if machine.is_chance(state):
                answer = machine.outcomes(state).canonical(machine.outcomes(state).sample(random))
            else:
                answer = machine.options(state).random(random)
                if random.randrange(LOOKED_AT) == 0:
                    found.compared += 1
                    difference = _difference(machine, image, state, answer)
                    if difference is not None:
                        found.broken = Found(tuple(answers), difference)
                    if difference is not None or not go_on():
                        return
            answers.append(answer)
            state = machine.step(state, answer)
    except RuleError:
        return
    except NoImage as error:
        found.reason = str(error)


def _difference(machine: Machine, image: Image, state: State, answer: Choice) -> str | None:
    """What is different in the image of a position, if anything is."""
    other = image.state(state)
    ours = machine.options(state)
    try:
        theirs = machine.options(other)
    except RuleError as error:
        return f"what may be chosen can not be said in the image: {error}"
    if len(ours) != len(theirs):
        return f"{len(ours)} options here, and {len(theirs)} in the image"
    if len(ours) <= MOST_OPTIONS:
        for option in ours:
            try:
                theirs.canonical(image.choice(machine.node(state), option))
            except ChoiceError:
                return "an option has no counterpart in the image"
    after = machine.step(state, answer)
    try:
        mirrored = machine.step(other, theirs.canonical(image.choice(machine.node(state), answer)))
    except (ChoiceError, RuleError) as error:
        return f"the image of a choice fails: {error}"
    if machine.canonical(image.state(after)) != machine.canonical(mirrored):
        return "the same choice leads to positions that are no images of each other"
    return None


class Image(Renaming):
    """The renaming, of answers and positions, too."""

    def choice(self, node: flow.Node, choice: Choice) -> Choice:
        """The image of an answer."""
        match choice:
            case Act(action, arguments):
                params = self.machine.game.actions[action].params
                renamed = zip(arguments, params, strict=True)
                return Act(action, tuple(self.value(value, param.variable.type) for value, param in renamed))
            case Values(values):
                found = zip(values, self._variables(node), strict=True)
                return Values(tuple(self.value(value, variable.type) for value, variable in found))
            case Subset(members):
                return Subset(self.value(members, self._variables(node)[0].type))
            case Share(gift):
                return Share(self.value(gift, self._variables(node)[0].type))
            case _:
                return choice

    def _variables(self, node: flow.Node) -> tuple[ir.Variable, ...]:
        assert isinstance(node, flow.Decision)
        return flow.offer_variables(node.offer)

    def state(self, state: State) -> State:
        """The image of a position."""
        machine, layout = self.machine, self.machine.layout
        slots = list(state.slots)
        where = list(state.where)
        slots[OUT] = self.value(slots[OUT], types.SetOf(machine.game.types[types.PLAYER]))
        slots[RESULT] = self._result(state)
        for name, family in layout.places.items():
            order = machine.game.places[name].order
            for key, slot in family.slots.items():
                slots[self._entry(name, family, key)] = self._pieces(state.slots[slot], order)
        for name, family in layout.states.items():
            ty = machine.game.states[name].type
            for key, slot in family.slots.items():
                slots[self._entry(name, family, key)] = self.value(state.slots[slot], ty)
        for variable, slot in layout.frame.items():
            slots[slot] = self.value(state.slots[slot], variable.type)
        moved = {slot: self._slot(slot) for slot in set(state.where)}
        for piece, slot in enumerate(state.where):
            where[self.pieces[piece]] = moved[slot]
        return State(tuple(slots), tuple(where))

    def _result(self, state: State) -> object:
        """The image of who has won, who has lost, and the scores by seat."""
        if state.result is None:
            return None
        seats = self.machine.game.types[types.PLAYER]
        winners, losers, scores = state.result
        if scores is not None:
            by_seat = {self.value(seat, seats): score for seat, score in enumerate(scores)}
            scores = tuple(by_seat[seat] for seat in range(len(scores)))
        return self.value(winners, types.SetOf(seats)), self.value(losers, types.SetOf(seats)), scores

    def _entry(self, name: str, family: Family, key: tuple[Value, ...]) -> int:
        """The slot of the image of an entry of a place or state."""
        renamed = tuple(self.value(value, ty) for value, ty in zip(key, family.index, strict=True))
        if renamed not in family.slots:
            raise NoImage(f"some {name} has no image")
        return family.slots[renamed]

    def _slot(self, slot: int) -> int:
        place, key = self.machine.layout.place_of[slot]
        return self._entry(place.name, self.machine.layout.places[place.name], key)

    def _pieces(self, held: tuple[Any, ...], order: PlaceOrder) -> tuple[Any, ...]:
        if order is PlaceOrder.PILE:
            return tuple(self._pieces(layer, PlaceOrder.SET) for layer in held)
        found = [self.pieces[piece] for piece in held]
        return tuple(found) if order is PlaceOrder.ROW else tuple(sorted(found))
