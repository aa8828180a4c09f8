"""What a player sees: places and states as `seen by` gives them now, sizes unless uncounted, the log of events seen.

There is no other way to see. A view is made of names only (titles of pieces, not their numbers), so two plays that look
alike to a player have equal views; the number of a ply or of an identical piece is in no view.

- `box` is open to all, but what is drawn from it is not: its contents are shown to who sees all pieces outside it.
- While a joint choice (`all at once`) runs, everybody sees the table as it was when it began, and of what has happened
  since only what belongs to the own part; at the end all is revealed.
- Who is asked is public, except for a secret offer, and while the parts of others are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from seaspec.backends.interpreter.chance import Rolled
from seaspec.backends.interpreter.choices import Options
from seaspec.backends.interpreter.log import (
    Answered,
    Event,
    Happened,
    Moved,
    Out,
    Said,
    ShownPlace,
    Unveiled,
    Veiled,
)
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.notation import NameOf, Notation, sorted_names
from seaspec.backends.interpreter.state import RESULT, State, contents
from seaspec.core import flow
from seaspec.core.ir import BOX, PlaceOrder
from seaspec.core.show import UNSEEN, show_value
from seaspec.core.types import Pieces, Type, Value


@dataclass(frozen=True, slots=True)
class SeenPlace:
    """An instance of a place: titles of what lies there (sorted; a row in order), if seen; how many, if public."""

    contents: tuple[str, ...] | None
    size: int | None


@dataclass(frozen=True, slots=True)
class View:
    """All that one player sees. `asked`: who is asked, as far as this player may know; `options` if it is this one."""

    player: str
    places: dict[str, SeenPlace]
    states: dict[str, str]
    log: tuple[str, ...]
    asked: str | None
    menu: str | None
    over: bool
    number_of_options: int
    options: Options | None = field(compare=False, repr=False, default=None)


Step = tuple[State, Sequence[Event]]
"""A state and what happened on the way from it to the next."""


def view(machine: Machine, state: State, steps: Sequence[Step], seat: int) -> View:
    """What a player sees at a state; `steps` is the play so far."""
    attention, entries = Attention(), []
    for step in steps:
        heard, attention = attention.after(step, seat)
        entries += heard
    is_over = state.result is not None
    if is_over:  # at the end nothing is veiled
        entries += attention.waiting
    before = None if is_over else attention.before
    table = state if before is None else before
    asked, menu = asked_as_seen(machine, state, seat, before is not None)
    options = machine.options(state) if asked == seat and machine.decider(state) == seat else None
    return View(
        machine.game.players[seat],
        _places(machine, table, seat),
        _states(machine, table, seat),
        tuple(text for source, event in entries if (text := event_text(machine, source, event, seat)) is not None),
        None if asked is None else machine.game.players[asked],
        menu,
        state.slots[RESULT] is not None,
        0 if options is None else len(options),
        options,
    )


# --------------------------------------------------------------------------------------------------------------- table


def _places(machine: Machine, state: State, seat: int) -> dict[str, SeenPlace]:
    look = machine.look(state)
    found = {}
    for slot in machine.layout.place_slots:
        place, _ = machine.layout.place_of[slot]
        pieces = contents(place.order, state.slots[slot])
        seen = machine.effects.sees(look, slot, seat)
        if place.name == BOX:
            seen = all_seen_outside(machine, state, seat)
        titles = None
        if seen:
            names = [machine.game.pieces[piece].title for piece in pieces]
            titles = tuple(names if place.order is PlaceOrder.ROW else sorted_names(names))
        size = len(pieces) if seen or not place.uncounted else None
        found[machine.effects.slot_name(slot)] = SeenPlace(titles, size)
    return found


def all_seen_outside(machine: Machine, state: State, seat: int) -> bool:
    """Whether a player sees every piece that is not in `box` (then it is known anyhow what is in it)."""
    look = machine.look(state)
    for slot in machine.layout.place_slots:
        place, _ = machine.layout.place_of[slot]
        if place.name != BOX and state.slots[slot] and not machine.effects.sees(look, slot, seat):
            return False
    return True


def _states(machine: Machine, state: State, seat: int) -> dict[str, str]:
    """Of identical pieces by where they lie; what is still not told apart, is told together."""
    look = machine.look(state)
    found: dict[str, dict[str, list[str]]] = {}
    for name, family in machine.layout.states.items():
        if machine.game.states[name].track:
            continue
        for key, slot in family.slots.items():
            if machine.effects.sees(look, slot, seat):
                where = _whereabouts(machine, look, family.index, key, seat)
                value = show_value(state.slots[slot], machine.game.states[name].type, machine.game)
                found.setdefault(machine.effects.slot_name(slot), {}).setdefault(where, []).append(value)
    return {
        name + where: ", ".join(sorted(values))
        for name, everywhere in found.items()
        for where, values in sorted(everywhere.items())
    }


def _whereabouts(machine: Machine, look: Look, index: tuple[Type, ...], key: tuple[Value, ...], seat: int) -> str:
    """Where the identical pieces of an index lie, as far as a player sees that: ` in field[C3]`."""
    pieces = [value for ty, value in zip(index, key, strict=True) if isinstance(ty, Pieces) and isinstance(value, int)]
    slots = [look.w[piece] for piece in pieces if not machine.layout.twins.alone[piece]]
    seen = [machine.effects.slot_name(slot) for slot in slots if machine.effects.sees(look, slot, seat)]
    return f" in {' and '.join(seen)}" if seen else ""


def asked_as_seen(machine: Machine, state: State, seat: int, veiled: bool) -> tuple[int | None, str | None]:
    """Who is asked, and at which menu, as far as a player may know."""
    node = machine.node(state)
    decider = machine.decider(state)
    if not isinstance(node, flow.Decision) or (decider != seat and (node.secretly or veiled)):
        return None, None
    return decider, node.menu


# ----------------------------------------------------------------------------------------------------------------- log


@dataclass(frozen=True, slots=True)
class Attention:
    """What a player attends to while a play goes on: `after` a step, what is heard of it, and the attention then.

    While a joint choice runs, `before` is the table as it was when it began, and what others do is `waiting` to be
    heard; `owner`: whose part runs.
    """

    before: State | None = None
    veiled: bool = False
    owner: int | None = None
    waiting: tuple[tuple[State, Event], ...] = ()

    def after(self, step: Step, seat: int) -> tuple[list[tuple[State, Event]], Attention]:
        """The events in the order in which the player comes to know of them."""
        state, events = step
        heard: list[tuple[State, Event]] = []
        now = self
        for event in events:
            match event:
                case Veiled(player, before):
                    now = Attention(before if now.before is None else now.before, True, player, now.waiting)
                case Unveiled():
                    heard += now.waiting
                    now = Attention()
                case _ if (
                    now.veiled and now.owner != seat and not (isinstance(event, Answered) and event.player == seat)
                ):
                    now = replace(now, waiting=(*now.waiting, (state, event)))
                case _:
                    heard.append((state, event))
        return heard, now


def event_text(machine: Machine, state: State, event: Event, seat: int) -> str | None:
    """A line of the log as a player sees it; None if the player does not notice the event at all."""
    names = machine.game.players
    match event:
        case Moved():
            return _moved(machine, event, seat)
        case Answered(player, choice, _, hidden, unnoticed, shown):
            if player != seat and unnoticed:
                return None
            if player != seat and hidden:
                return f"{names[player]} chooses"
            return f"{names[player]}: {Notation(machine, state).text(choice, _namer(machine, shown[seat]))}"
        case Happened(outcome, seer=seer) if seer is not None and seer != seat:
            is_rolled = isinstance(outcome, Rolled)
            return f"{names[seer]} rolls in secret" if is_rolled else f"chance chooses, and {names[seer]} alone sees it"
        case Happened(outcome, _, shown):
            return f"chance: {Notation(machine, state).text(outcome, _namer(machine, shown[seat]))}"
        case Said(text, audience):
            return text if seat in audience else None
        case ShownPlace(slot, pieces, audience):
            titles = sorted_names(machine.game.pieces[piece].title for piece in pieces)
            where = machine.effects.slot_name(slot)
            return f"{where} is shown: {', '.join(titles) or 'nothing'}" if seat in audience else None
        case Out(player):
            return f"{names[player]} drops out"
        case Veiled() | Unveiled():
            return None


def _namer(machine: Machine, shown: frozenset[int]) -> NameOf:
    """Names pieces that a player knows; the others are one sign."""
    return lambda piece: machine.game.pieces[piece].title if piece in shown else UNSEEN


def _moved(machine: Machine, event: Moved, seat: int) -> str | None:
    """Where an uncounted place is not seen, it is not seen that something leaves it or comes to it."""
    ends = []
    for slot, seers in ((event.origin, event.seen_leaving), (event.target, event.seen_coming)):
        public = not machine.layout.place_of[slot][0].uncounted or seat in seers
        ends.append(machine.effects.slot_name(slot) if public else UNSEEN)
    if ends == [UNSEEN, UNSEEN]:
        return None
    if event.shown_to(seat):
        what = ", ".join(sorted_names(machine.game.pieces[piece].title for piece in event.pieces))
    else:
        what = ", ".join([UNSEEN] * len(event.pieces))
    return f"{what}: {ends[0]} -> {ends[1]}"
