"""What a player has come to know in a play: the measure by which another play looks the same to this player.

`gather` turns the true play into `Evidence`: the lines of the log in the order in which the player heard them, and the
table as the player saw it where the play rested. Nothing else of the true play is kept, so whatever is made from the
evidence can not depend on what is hidden. Pieces are told apart by title alone, as in a view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, assert_never

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.chance import Drawn
from seaspec.backends.interpreter.choices import Options, Shares, Subsets
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import Family, State, contents
from seaspec.backends.interpreter.views import Attention, Step
from seaspec.bots.renaming import renamed
from seaspec.core import flow, ir, types
from seaspec.core.ir import BOX, PlaceOrder
from seaspec.core.show import show_value

Glimpse = tuple[Any, ...]
"""The table as a player sees it: places, states, who is asked; and the options, if it is this player."""
MOST_OPTIONS = 500
"""Of more options, the number alone is compared."""
REMEMBERED = 10_000
"""So many contents of places are kept as they are seen."""


class Eyes:
    """The eyes of one player: what they see of a position, and hear of what happens."""

    def __init__(self, machine: Machine, seat: int) -> None:
        self.machine = machine
        self.seat = seat
        titles = sorted({piece.title for piece in machine.game.pieces})
        number = {title: n for n, title in enumerate(titles)}
        self.labels = tuple(number[piece.title] for piece in machine.game.pieces)
        """What a player can tell apart: pieces of one title have one label."""
        self._label_of = dict(enumerate(self.labels))
        layout = machine.layout
        self._families = [*self._looked_into()]
        """The places, and of each slot whether the player sees what lies there (None: that depends on the position)."""
        always = {slot: sees[n] for f, sees in self._families if sees for n, slot in enumerate(f.all_slots)}
        self.never_seen = frozenset(slot for slot, sees in always.items() if not sees)
        """The places into which the player never sees."""
        self._may_be_hidden = [slot for slot in layout.place_slots if not always.get(slot)]
        self.box = layout.places[BOX].base
        self._as_seen = lru_cache(REMEMBERED)(self._all_as_seen)
        shown = [state for state in machine.game.states.values() if not state.track]
        plain = [state for state in shown if state.sight.all and not _names_pieces(state)]
        self._open = [slice(layout.states[state.name].base, layout.states[state.name].end) for state in plain]
        self._others = [
            (slot, state.type, _names_pieces(state))
            for state in shown
            if state not in plain
            for slot in layout.states[state.name].all_slots
        ]

    def glimpse(self, state: State, attention: Attention) -> Glimpse:
        """All that the player sees where the play rests."""
        machine, seat = self.machine, self.seat
        veiled = attention.before is not None and state.result is None
        table = attention.before if veiled and attention.before is not None else state
        look, sight, slots = machine.look(table), machine.effects.sight, table.slots
        found: list[Any] = [views.asked_as_seen(machine, state, seat, veiled), state.result is not None]
        for family, sees in self._families:
            lies = slots[family.base : family.end]
            if sees is None:
                sees = tuple(
                    self.looks_into_box(table) if family.name == BOX else seat in sight[slot](look)
                    for slot in family.all_slots
                )
            found.append(self._as_seen(family.name, lies, sees))
        found += [slots[part] for part in self._open]
        for slot, ty, names_pieces in self._others:
            if seat not in sight[slot](look):
                found.append("?")
            else:
                found.append(show_value(slots[slot], ty, machine.game) if names_pieces else slots[slot])
        if machine.decider(state) == seat:
            found.append(self._offered(state, machine.options(state)))
        return tuple(found)

    def sees(self, state: State, slot: int) -> bool:
        """Whether the player sees what lies in a place (not the box)."""
        return self.machine.effects.sees(self.machine.look(state), slot, self.seat)

    def looks_into_box(self, state: State) -> bool:
        """Whether the player knows what is still in the box."""
        if any(state.slots[slot] for slot in self.never_seen):
            return False
        return views.all_seen_outside(self.machine, state, self.seat)

    def _looked_into(self) -> Iterator[tuple[Family, tuple[bool, ...] | None]]:
        machine, start = self.machine, self.machine.first_look()
        for name, family in machine.layout.places.items():
            sight = machine.game.places[name].sight
            if name == BOX or (sight.by is not None and machine.program.reads_position(sight.by)):
                yield family, None
            else:
                sees = (sight.all or self.seat in machine.effects.sight[slot](start) for slot in family.all_slots)
                yield family, tuple(sees)

    def _all_as_seen(self, name: str, lies: tuple[Any, ...], sees: tuple[bool, ...]) -> tuple[Any, ...]:
        """The instances of a place: labels where the player sees them, else how many there are, if that is public."""
        place = self.machine.game.places[name]
        found: list[Any] = []
        for held, seen in zip(lies, sees, strict=True):
            if not held and not place.uncounted:
                found.append(0)
            elif seen:
                labels = [self.labels[piece] for piece in contents(place.order, held)]
                found.append(tuple(labels if place.order is PlaceOrder.ROW else sorted(labels)))
            else:
                found.append(None if place.uncounted else len(contents(place.order, held)))
        return tuple(found)

    def _offered(self, state: State, options: Options) -> Any:
        """The options, pieces by label."""
        inner = options.inner
        if isinstance(inner, Subsets | Shares):
            members = sorted(repr(self._labelled(state, member)) for member in _members(inner))
            bounds = sorted(inner.bounds) if isinstance(inner, Shares) else ()
            return options.passing, inner.low, inner.high, tuple(members), tuple(bounds)
        if options.size > MOST_OPTIONS:
            return options.size
        return tuple(sorted(repr(renamed(self.machine, state, option, self._label_of)) for option in options))

    def _labelled(self, state: State, member: Any) -> Any:
        (variable,) = flow.offer_variables(self.machine.node(state).offer)  # type: ignore[union-attr]
        of = types.pieces_of(variable.type) | types.keyed_by(variable.type)
        return self._label_of[member] if isinstance(member, int) and member in of else member

    def lines(self, heard: Iterable[tuple[State, Event]]) -> list[str]:
        """The lines of the log that these events are for the player."""
        found = (views.event_text(self.machine, state, event, self.seat) for state, event in heard)
        return [text for text in found if text is not None]

    def hidden_slots(self, state: State) -> frozenset[int]:
        """The places into which the player does not see."""
        look, sight = self.machine.look(state), self.machine.effects.sight
        found = {slot for slot in self._may_be_hidden if slot in self.never_seen or self.seat not in sight[slot](look)}
        if not self.looks_into_box(state):
            found.update(self.machine.layout.places[BOX].all_slots)
        return frozenset(found)

    def together(self, state: State, one: int, other: int) -> bool:
        """Whether two pieces lie in one place, and in a row or pile in no order: nobody can tell which is which."""
        slot = state.where[one]
        if state.where[other] != slot:
            return False
        match self.machine.effects.order[slot]:
            case PlaceOrder.ROW:
                return False
            case PlaceOrder.PILE:
                return any(one in layer and other in layer for layer in state.slots[slot])
            case PlaceOrder.SET | PlaceOrder.BAG | PlaceOrder.SLOT:
                return True
            case never:
                assert_never(never)


def _names_pieces(state: ir.State) -> bool:
    return bool(types.pieces_of(state.type) | types.keyed_by(state.type))


def _members(inner: Subsets | Shares) -> Iterable[Any]:
    return [m for group in inner.groups for m in group] if isinstance(inner, Subsets) else inner.members


@dataclass(frozen=True, slots=True)
class Stop:
    """The table after so many lines. `vague`: the player could not tell that the play rested there."""

    glimpse: Glimpse
    vague: bool


@dataclass(frozen=True, slots=True)
class Known:
    """An answer or outcome that the player knows in full. `pieces`: those in it, with label and slot (None: any)."""

    answer: Answer
    pieces: tuple[tuple[int, int, int | None], ...]


Turn = tuple[int, int | None, int]
"""After how many lines, whose answer (None: chance), and the how manieth of theirs since then."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a player knows of a play.

    `stops`: by number of lines heard. `known`: answers known by now. `wanted`: at a step that begins after so many
    lines, which pieces (labels) are then known to have lain in which slots.
    """

    lines: tuple[str, ...]
    stops: dict[int, Stop]
    known: dict[Turn, Known]
    wanted: dict[int, tuple[tuple[int, int], ...]]

    def goes_on_from(self, older: Evidence) -> bool:
        """Whether this is the same play, perhaps later."""
        return self.lines[: len(older.lines)] == older.lines and all(
            self.stops.get(count) == stop for count, stop in older.stops.items()
        )


def gather(eyes: Eyes, steps: Sequence[Step], state: State) -> Evidence:
    """The evidence of a player: `steps` is the play so far, `state` where it rests."""
    machine, seat = eyes.machine, eyes.seat
    lines: list[str] = []
    stops: dict[int, Stop] = {}
    wanted: dict[int, tuple[tuple[int, int], ...]] = {}
    turns: list[tuple[Turn, State, Event]] = []
    answered: Counter[tuple[int, int | None]] = Counter()
    heard_of: set[int] = set()
    attention = Attention()
    for number, step in enumerate(steps):
        before, events = step
        begun = len(lines)
        heard, attention = attention.after(step, seat)
        lines += eyes.lines(heard)
        heard_of.update(id(event) for _, event in heard)
        if number > 0:
            who = machine.decider(before)
            first = next((event for event in events if isinstance(event, Answered | Happened | Moved)), None)
            if first is not None:
                turns.append(((begun, who, answered[begun, who]), before, first))
            answered[begun, who] += 1
            wanted.setdefault(begun, _lain(eyes, before, heard))
        after = steps[number + 1][0] if number + 1 < len(steps) else state
        stops[len(lines)] = Stop(eyes.glimpse(after, attention), is_vague(eyes, after, attention))
    known = {}
    for turn, before, event in turns:
        if id(event) in heard_of:
            found = _known(eyes, before, event)
            if found is not None:
                known[turn] = found
    return Evidence(tuple(lines), stops, known, wanted)


def is_vague(eyes: Eyes, state: State, attention: Attention) -> bool:
    """Whether a player may not notice that the play rests here."""
    node = eyes.machine.node(state)
    match node:
        case flow.Decision():
            return views.asked_as_seen(eyes.machine, state, eyes.seat, attention.before is not None)[0] is None
        case flow.DrawNode(origin, to):
            places = eyes.machine.game.places
            return attention.veiled or (places[origin.place].uncounted and places[to.place].uncounted)
        case flow.ChanceNode() | flow.RollNode() | flow.ThrowNode():
            return attention.veiled
        case flow.Over() | flow.Outside():
            return False
        case _:
            assert_never(node)


def _lain(eyes: Eyes, before: State, heard: Sequence[tuple[State, Event]]) -> tuple[tuple[int, int], ...]:
    """Label and slot of each piece that was seen to go from a place, or was shown there."""
    found = []
    moved: set[int] = set()
    for source, event in heard:
        if source is not before or not isinstance(event, Moved):
            continue
        public = not eyes.machine.layout.place_of[event.origin][0].uncounted or eyes.seat in event.seen_leaving
        if public and event.shown_to(eyes.seat):
            found += [(eyes.labels[piece], event.origin) for piece in event.pieces if piece not in moved]
        moved.update(event.pieces)
    return tuple(sorted(found))


def _known(eyes: Eyes, before: State, event: Event) -> Known | None:
    """The answer that an event tells of, if the player knows all of it."""
    machine, seat = eyes.machine, eyes.seat
    match event:
        case Answered(player, choice, _, hidden, _, shown) if player == seat or not hidden:
            answer: Answer = choice
            pieces, seen = machine.pieces_in(before, choice), shown[seat]
        case Happened(outcome, _, shown) if event.seen_by(seat):
            answer, pieces, seen = outcome, machine.pieces_in(before, outcome), shown[seat]
        case Moved() if machine.is_chance(before) and event.shown_to(seat):
            return Known(Drawn(event.pieces[0]), ((event.pieces[0], eyes.labels[event.pieces[0]], None),))
        case _:
            return None
    if not seen.issuperset(pieces):
        return None
    look = machine.look(before)
    told = []
    for piece in pieces:
        slot = before.where[piece]
        uncounted = machine.layout.place_of[slot][0].uncounted and seat not in machine.effects.sight[slot](look)
        told.append((piece, eyes.labels[piece], None if uncounted else slot))
    return Known(answer, tuple(told))
