"""The two-run test of secrets: what a player sees does not change when only hidden things change.

At a position of a play two pieces are swapped that a player has never seen and may not see where they lie. The view
of that player must stay the same: places, states, log, who is asked, and (if it is this player) the options. What the
rules give away on purpose is left out: actions whose guards say `openly`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved, ShownPlace
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.core import ir
from seaspec.core.ir import PlaceOrder
from seaspec.core.walk import walk
from seaspec.trials.watching import Found

SWAPS = 2
"""Swaps tried for each player at a position."""
LOOKED_AT = 12
"""One of so many decisions is looked at."""


@dataclass(slots=True)
class Leaks:
    """What the two-run test has found: how many pairs of positions were compared, and the leaks by place."""

    compared: int = 0
    by_place: dict[str, int] = field(default_factory=dict)
    """Comparisons in which something in this place was swapped."""
    found: dict[str, Found] = field(default_factory=dict)
    """A leak, by the place that leaks."""


def secret_trial(machine: Machine, plays: int, seed: int, tell: Callable[[int], None] = lambda done: None) -> Leaks:
    """Play at random, and compare pairs of positions on the way."""
    leaks = Leaks()
    open_actions = {name for name, action in machine.game.actions.items() if says_openly(machine.game, action)}
    for number in range(plays):
        _one_play(machine, Random(f"secret {seed}:{number}"), open_actions, leaks)
        tell(number + 1)
    return leaks


def says_openly(game: ir.Game, thing: object) -> bool:
    """Whether a guard (or a define that it uses) makes something public on purpose."""
    seen: set[str] = set()
    todo: list[object] = [thing]
    while todo:
        for node in walk(todo.pop()):
            if isinstance(node, ir.Openly):
                return True
            if isinstance(node, ir.Call) and node.function not in seen:
                seen.add(node.function)
                todo.append(game.functions[node.function].body)
    return False


def _one_play(machine: Machine, random: Random, open_actions: set[str], leaks: Leaks) -> None:
    events: list[Event] = []
    state = machine.begin(events)
    steps: list[views.Step] = [(state, events)]
    answers: list[Answer] = []
    known: list[set[int]] = [set() for _ in machine.effects.seats]
    _learn(known, events, state)
    try:
        while state.result is None and len(answers) < 5_000:
            if not machine.is_chance(state) and random.randrange(LOOKED_AT) == 0:
                for seat in machine.effects.seats:
                    _compare(machine, state, steps, seat, known[seat], random, open_actions, answers, leaks)
            answer: Answer = (
                machine.outcomes(state).canonical(machine.outcomes(state).sample(random))
                if machine.is_chance(state)
                else machine.options(state).random(random)
            )
            answers.append(answer)
            events = []
            before, state = state, machine.step(state, answer, events)
            steps.append((before, events))
            _learn(known, events, state)
    except RuleError:
        return


def _learn(known: list[set[int]], events: Sequence[Event], state: State) -> None:
    """The pieces that each player knows where to find: seen there, and nothing unseen has come or gone since."""
    for event in events:
        for seat, seen in enumerate(known):
            match event:
                case Moved() if event.shown_to(seat):
                    seen.update(event.pieces)
                case Moved():
                    seen.difference_update(event.pieces)
                    mixed = (event.origin, event.target)
                    seen.difference_update([piece for piece in seen if state.where[piece] in mixed])
                case Answered() | Happened():
                    seen.update(event.shown[seat])
                case ShownPlace() if seat in event.audience:
                    seen.update(event.pieces)
                case _:
                    pass


def _compare(
    machine: Machine,
    state: State,
    steps: list[views.Step],
    seat: int,
    known: set[int],
    random: Random,
    open_actions: set[str],
    answers: list[Answer],
    leaks: Leaks,
) -> None:
    hidden = list(_hidden(machine, state, seat, known))
    if len(hidden) < 2:
        return
    seen = _sight(machine, state, steps, seat, open_actions)
    for _ in range(SWAPS):
        first, second = random.sample(hidden, 2)
        other = swapped(machine, state, first, second)
        if other is None:
            continue
        leaks.compared += 1
        places = {machine.layout.place_of[state.where[piece]][0].name for piece in (first, second)}
        for place in places:
            leaks.by_place[place] = leaks.by_place.get(place, 0) + 1
        found = _sight(machine, other, steps, seat, open_actions)
        if found != seen:
            titles = " and ".join(machine.game.pieces[piece].title for piece in (first, second))
            detail = f"{machine.game.players[seat]} sees a difference if {titles} change places"
            for place in places:
                leaks.found[place] = Found(tuple(answers), detail).shorter(leaks.found.get(place))


def _hidden(machine: Machine, state: State, seat: int, known: set[int]) -> Iterator[int]:
    """Pieces that a player has never seen and does not see where they lie."""
    look = machine.look(state)
    for piece in machine.game.pieces:
        slot = state.where[piece.id]
        place, _ = machine.layout.place_of[slot]
        if place.name != ir.BOX and piece.id not in known and not machine.effects.sees(look, slot, seat):
            yield piece.id


def swapped(machine: Machine, state: State, first: int, second: int) -> State | None:
    """The position with two pieces in each other's place; None if one can not lie where the other does."""
    slots, where = list(state.slots), list(state.where)
    a, b = where[first], where[second]
    if a == b:
        return None
    for piece, slot in ((first, b), (second, a)):
        if piece not in machine.layout.place_of[slot][0].holds.members:
            return None
    for slot, old, new in ((a, first, second), (b, second, first)):
        slots[slot] = _exchanged(slots[slot], old, new, machine.layout.place_of[slot][0].order)
    for slot in range(machine.layout.frame_start, machine.layout.size):
        if _mentions(slots[slot], first) or _mentions(slots[slot], second):
            return None
    where[first], where[second] = b, a
    return State(tuple(slots), tuple(where))


def _exchanged(held: tuple[object, ...], old: int, new: int, order: PlaceOrder) -> tuple[object, ...]:
    if order is PlaceOrder.PILE:
        return tuple(_exchanged(layer, old, new, PlaceOrder.SET) for layer in held)  # type: ignore[arg-type]
    found = [new if piece == old else piece for piece in held]
    return tuple(found) if order is PlaceOrder.ROW else tuple(sorted(found))  # type: ignore[type-var]


def _mentions(value: object, piece: int) -> bool:
    """Whether something remembered in the flow may be this piece (any equal number counts: better too careful)."""
    if isinstance(value, tuple):
        return any(_mentions(inner, piece) for inner in value)
    return value == piece and not isinstance(value, bool)


def _sight(
    machine: Machine, state: State, steps: list[views.Step], seat: int, open_actions: set[str]
) -> tuple[object, ...]:
    """All that a player sees, what is public on purpose aside."""
    view = views.view(machine, state, steps, seat)
    texts: tuple[str, ...] = ()
    if view.options is not None:
        notation = Notation(machine, state)
        texts = tuple(
            sorted(
                notation.text(option)
                for option in view.options
                if not (isinstance(option, Act) and option.action in open_actions)
            )
        )
    return view.places, view.states, view.log, view.asked, view.menu, view.over, texts
