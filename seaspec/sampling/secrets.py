"""The two-run test of secrets: what a player sees does not change when only hidden things change.

At a position of a play two pieces are swapped that a player has never seen and may not see where they lie, or a state
that this player may not see gets another value. The view of that player must stay the same: places, states, who is
asked, and (if it is this player) the options. The log is the same by itself: it is made from events, and who notices
them was settled when they happened. What the rules give away on purpose is left out: actions whose guards say `openly`,
and states that are read after `openly`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from random import Random

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved, ShownPlace, Unveiled, Veiled
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.core import ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.show import show_value
from seaspec.core.types import Value
from seaspec.core.walk import walk
from seaspec.sampling.watch import Found

SWAPS = 2
"""Swaps of pieces, and values of states, tried for each player at a position."""
LOOKED_AT = 12
"""One of so many decisions is looked at .."""
OFTEN = 16
""".. and half as many after so many looks: a long play has positions enough."""
MOST_VALUES = 10_000
"""States with more values are left as they are."""


@dataclass(slots=True)
class Leaks:
    """What the two-run test has found: how many pairs of positions were compared, and the leaks by place or state."""

    compared: int = 0
    by_thing: dict[str, int] = field(default_factory=dict)
    """Comparisons in which something in this place was swapped, or this state changed."""
    found: dict[str, Found] = field(default_factory=dict)
    """A leak, by the place or state that leaks."""


@dataclass(frozen=True, slots=True)
class Public:
    """What the rules give away on purpose."""

    actions: frozenset[str]
    states: frozenset[str]


def secret_trial(
    machine: Machine,
    plays: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
    go_on: Callable[[], bool] = lambda: True,
) -> Leaks:
    """Play at random, and compare pairs of positions on the way; each time `go_on` is asked whether there is time."""
    leaks = Leaks()
    game = machine.game
    public = public_of(game)
    for number in range(plays):
        _one_play(machine, Random(f"secret {seed}:{number}"), public, leaks, go_on)
        tell(number + 1)
        if not go_on():
            break
    return leaks


def public_of(game: ir.Game) -> Public:
    """What the rules of a game give away on purpose."""
    told = [node for node in walk(game) if isinstance(node, ir.Openly)]
    return Public(
        frozenset(
            n for n, action in game.actions.items() if any(isinstance(x, ir.Openly) for x in _read(game, action))
        ),
        frozenset(x.state for node in told for x in _read(game, node) if isinstance(x, ir.StateRead)),
    )


def _read(game: ir.Game, thing: object) -> Iterator[object]:
    """All nodes of a thing, and of the defines that it uses."""
    seen: set[str] = set()
    todo: list[object] = [thing]
    while todo:
        for node in walk(todo.pop()):
            yield node
            if isinstance(node, ir.Call) and node.function not in seen:
                seen.add(node.function)
                todo.append(game.functions[node.function].body)


def _one_play(machine: Machine, random: Random, public: Public, leaks: Leaks, go_on: Callable[[], bool]) -> None:
    events: list[Event] = []
    answers: list[Answer] = []
    known: list[set[int]] = [set() for _ in machine.effects.seats]
    looks = 0
    try:
        state = machine.begin(events)
        veils = _veils(state, events)
        _learn(known, events, state)
        while state.result is None and len(answers) < 5_000:
            if not machine.is_chance(state) and random.randrange(LOOKED_AT << looks // OFTEN) == 0:
                looks += 1
                for seat in machine.effects.seats:
                    others = chain(
                        _swaps(machine, state, seat, known[seat], random),
                        _changes(machine, state, seat, public, random),
                    )
                    _compare(_Sight(machine, veils, seat, public), state, others, answers, leaks)
                if not go_on():
                    return
            answer: Answer = (
                machine.outcomes(state).canonical(machine.outcomes(state).sample(random))
                if machine.is_chance(state)
                else machine.options(state).random(random)
            )
            answers.append(answer)
            events = []
            before, state = state, machine.step(state, answer, events)
            veils += _veils(before, events)
            _learn(known, events, state)
    except RuleError:
        return


def _veils(before: State, events: Sequence[Event]) -> list[views.Step]:
    """Of what happened, that a joint choice began or ended: it says which table is seen."""
    found = [event for event in events if isinstance(event, Veiled | Unveiled)]
    return [(before, found)] if found else []


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


@dataclass(frozen=True, slots=True)
class _Other:
    """A position that a player can not tell from another one: what was changed, in words, and in which things."""

    state: State
    what: str
    things: frozenset[str]


def _compare(sight: _Sight, state: State, others: Iterator[_Other], answers: list[Answer], leaks: Leaks) -> None:
    seen: tuple[object, ...] | None = None
    for other in others:
        seen = seen or sight.of(state)
        try:
            found = sight.of(other.state)
        except RuleError:
            continue  # such a position can not be
        leaks.compared += 1
        for thing in other.things:
            leaks.by_thing[thing] = leaks.by_thing.get(thing, 0) + 1
        if found != seen:
            detail = f"{sight.player} sees a difference if {other.what}"
            for thing in other.things:
                leaks.found[thing] = Found(tuple(answers), detail).shorter(leaks.found.get(thing))


def _swaps(machine: Machine, state: State, seat: int, known: set[int], random: Random) -> Iterator[_Other]:
    """Two hidden pieces in each other's place."""
    hidden = list(_hidden(machine, state, seat, known))
    for _ in range(SWAPS if len(hidden) > 1 else 0):
        first, second = random.sample(hidden, 2)
        other = swapped(machine, state, first, second)
        if other is not None:
            titles = " and ".join(machine.game.pieces[piece].title for piece in (first, second))
            things = (machine.layout.place_of[state.where[piece]][0].name for piece in (first, second))
            yield _Other(other, f"{titles} change places", frozenset(things))


def _changes(machine: Machine, state: State, seat: int, public: Public, random: Random) -> Iterator[_Other]:
    """Hidden states with another value."""
    look = machine.look(state)
    hidden = [
        (slot, machine.game.states[name])
        for name, family in machine.layout.states.items()
        if not machine.game.states[name].track and name not in public.states
        for slot in family.all_slots
        if not machine.effects.sees(look, slot, seat)
    ]
    for slot, declared in random.sample(hidden, min(SWAPS, len(hidden))):
        values = [value for value in _values(declared.type) if value != state.slots[slot]]
        if values:
            value = random.choice(values)
            slots = (*state.slots[:slot], value, *state.slots[slot + 1 :])
            said = show_value(value, declared.type, machine.game)
            name = machine.effects.slot_name(slot)
            yield _Other(State(slots, state.where), f"{name} is {said}", frozenset((declared.name,)))


@lru_cache(maxsize=256)
def _values(ty: types.Type) -> tuple[Value, ...]:
    """The values of a type; of a set or of a large type none."""
    if isinstance(ty, types.SetOf | types.Fraction) or types.size(ty) > MOST_VALUES:
        return ()
    return tuple(types.values(ty))


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


@dataclass(frozen=True, slots=True)
class _Sight:
    """All that a player sees of a position, what is public on purpose aside."""

    machine: Machine
    veils: list[views.Step]
    seat: int
    public: Public

    @property
    def player(self) -> str:
        return self.machine.game.players[self.seat]

    def of(self, state: State) -> tuple[object, ...]:
        view = views.view(self.machine, state, self.veils, self.seat)
        texts: tuple[str, ...] = ()
        if view.options is not None:
            notation = Notation(self.machine, state)
            offered = (o for o in view.options if not (isinstance(o, Act) and o.action in self.public.actions))
            texts = tuple(sorted(notation.text(option) for option in offered))
        return view.places, view.states, view.asked, view.menu, view.over, texts
