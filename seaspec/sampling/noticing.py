"""What a player notices of a step of a play, and how two plays that looked alike so far come to look different.

A `Moment` is all that a player comes to know between one choice or chance event that this player notices and the
next: the answer, as it is seen; what was said, shown and moved; what was told `openly`; and the view after it. Told on
purpose is which pieces they are that one sees move, what is said or shown, who has won, and how much happens after an
answer that is hidden itself (who discards in secret, and draws as many again, tells how many).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import zip_longest

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.chance import Rolls
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved, Said, ShownPlace, Veiled
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.core import flow

MOST_OPTIONS = 300
"""Of more options only the number is compared."""
MOST_UNNOTICED = 200
"""So many choices that a player does not notice are followed, from one that is noticed to the next."""
SEVERAL = 8
"""So many pieces, or options, are named in what is said of a difference."""


@dataclass(frozen=True, slots=True)
class Life:
    """A play as one player lives it: where it has come to, what this player attends to, its answers so far, and where
    the player has last looked at the table."""

    state: State
    attention: views.Attention
    answers: tuple[Answer, ...]
    looked: State


@dataclass(frozen=True, slots=True)
class Line:
    """Something that a player notices. `shape`: but for which pieces they are; `said`: on purpose; `shown`: pieces that
    this player sees, these ones."""

    text: str
    shape: str
    said: bool
    shown: str = ""

    def tells_pieces(self, other: Line) -> bool:
        """Whether it differs from something else by which pieces they are, and what follows from that: as many, and
        others, which this player sees."""
        as_many = self.shape.partition(": ")[0] == other.shape.partition(": ")[0]
        both_seen = bool(self.shown and other.shown)
        return self.shape == other.shape or (as_many and both_seen and self.shown != other.shown)


@dataclass(frozen=True, slots=True)
class Sight:
    """All that a player sees now. `luck`: what chance may bring next, where all can tell."""

    places: dict[str, views.SeenPlace] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    asked: str | None = None
    menu: str | None = None
    number: int = 0
    options: tuple[str, ...] = ()
    luck: tuple[str, ...] = ()

    def of(self, name: str) -> object:
        """What is seen in a place, or of a state; None: nothing."""
        return self.places[name].contents if name in self.places else self.states.get(name)


@dataclass(frozen=True, slots=True)
class Moment:
    """What a player notices of a step. `hidden`: another's answer is not seen; `openly`: what was told so; `after`:
    None when the game is over; `unseen`: places and states that were not to be seen before."""

    answer: tuple[str, ...]
    hidden: bool
    openly: tuple[object, ...]
    lines: tuple[Line, ...]
    after: Sight | None
    unseen: Callable[[], frozenset[str]] = field(compare=False)

    def looks_alike(self, other: Moment) -> bool:
        """Whether it is the same answer, as far as this player sees, and the same was told openly."""
        return self.answer == other.answer and self.openly == other.openly

    def difference(self, other: Moment, called: Callable[[str], str]) -> str | None:
        """What is different at two moments that look alike so far, and is not told on purpose. `called`: what a place
        or state is called."""
        for here, there in zip_longest(self.lines, other.lines):
            if here == there:
                continue
            lines = [line for line in (here, there) if line is not None]
            is_told = len(lines) == 2 and here.tells_pieces(there)
            if is_told or self.hidden or self.after is None or other.after is None or any(x.said for x in lines):
                return None
            texts = ["nothing" if line is None else f"'{line.text}'" for line in (here, there)]
            return f"in one of them {texts[0]} happens, in the other one {texts[1]}"
        if self.after is None or other.after is None or self.after == other.after:
            return None
        for name in self.unseen() & other.unseen():  # what one comes to see is hidden no more
            if self.after.of(name) != other.after.of(name) and None not in (self.after.of(name), other.after.of(name)):
                return None
        return next(_differences(self.after, other.after, called))


def _quoted(name: str) -> str:
    """A sentence as one: the words of a state may be `Ann shows the flag`."""
    return f"'{name}'" if " " in name else name


def _differences(one: Sight, other: Sight, called: Callable[[str], str]) -> Iterator[str]:
    for name, state in one.states.items():
        if other.states.get(name) != state:
            there = other.states.get(name, "not to be seen")
            yield f"{_quoted(called(name))} is {state} in one of them, and {there} in the other one"
    for name, place in one.places.items():
        lying = other.places[name]
        if lying != place:
            yield f"in {called(name)} there is {_lying(place)} in one of them, and {_lying(lying)} in the other one"
    for name in other.states:
        if name not in one.states:
            yield f"{_quoted(called(name))} is to be seen in one of them only"
    if (one.asked, one.menu) != (other.asked, other.menu):
        asked = ["nobody" if o.asked is None else f"{o.asked} ({o.menu})" for o in (one, other)]
        yield f"{asked[0]} is asked in one of them, and {asked[1]} in the other one"
    if one.luck != other.luck:
        yield f"chance may bring {_luck_text(one.luck)} in one of them, and {_luck_text(other.luck)} in the other one"
    only = sorted({*one.options} ^ {*other.options})
    if only:
        more = f", and {len(only) - SEVERAL} more" if len(only) > SEVERAL else ""
        yield f"in one of them only there is the option {', '.join(only[:SEVERAL])}{more}"
    yield f"there are {one.number} options in one of them, and {other.number} in the other one"


def _luck_text(luck: tuple[str, ...]) -> str:
    return (", ".join(luck[:SEVERAL]) + (", .." if len(luck) > SEVERAL else "")) or "nothing that is known"


def _lying(place: views.SeenPlace) -> str:
    if place.contents is None:
        return "something" if place.size is None else f"{place.size}" if place.size else "nothing"
    more = ", .." if len(place.contents) > SEVERAL else ""
    return (", ".join(place.contents[:SEVERAL]) + more) or "nothing"


@dataclass(frozen=True, slots=True)
class Senses:
    """What a player notices of plays of a game."""

    machine: Machine
    seat: int

    @property
    def player(self) -> str:
        return self.machine.game.players[self.seat]

    def begin(self, state: State, events: list[Event]) -> Life:
        _, attention = views.Attention().after((state, events), self.seat)
        return Life(state, attention, (), state)

    def notices(self, state: State) -> bool:
        """Whether this player notices that it is asked, or left to chance, what comes next."""
        node = self.machine.node(state)
        return not (isinstance(node, flow.Decision) and node.secretly and self.machine.decider(state) != self.seat)

    def live(self, life: Life, answer: Answer, next_answer: Callable[[State], Answer]) -> tuple[Life, Moment]:
        """What an answer leads to, up to where this player notices something again; `next_answer` is asked till then.
        `RuleError` where the rules fail."""
        program = self.machine.program
        program.told = []
        try:
            before, heard = life.looked, list[tuple[State, Event]]()
            for _ in range(MOST_UNNOTICED):
                events: list[Event] = []
                state = self.machine.step(life.state, answer, events)
                now, attention = life.attention.after((life.state, events), self.seat)
                heard += now
                life = Life(state, attention, (*life.answers, answer), before)
                if state.result is not None or self.notices(state):
                    break
                answer = next_answer(state)
            if life.state.result is not None:
                after = None
            elif self.machine.is_chance(life.state):
                after = Sight(luck=self._luck(life.state))  # what is different at the table mostly is so later
            else:
                after, life = self._sight(life), replace(life, looked=life.state)
            return life, self._moment(heard, tuple(program.told), after, lambda: self._unseen(before))
        finally:
            program.told = None

    def _luck(self, state: State) -> tuple[str, ...]:
        """How many dice are thrown, or how likely values are, as far as this player may know. Which pieces may come is
        hidden where they lie."""
        machine, node = self.machine, self.machine.node(state)
        outcomes = machine.outcomes(state)
        if isinstance(outcomes, Rolls):
            return (f"{outcomes.number} d{outcomes.sides}",)
        is_hidden = isinstance(node, flow.ChanceNode) and flow.is_unseen(node) and machine.seer(state) != self.seat
        if is_hidden or isinstance(node, flow.DrawNode) or outcomes.count() > MOST_OPTIONS:
            return ()
        found = outcomes.weighted()
        if any(machine.pieces_in(state, outcome) for outcome, _ in found):
            return ()
        notation, whole = Notation(machine, state), sum(Fraction(weight) for _, weight in found)
        return tuple(sorted(f"{notation.text(outcome)} ({Fraction(weight) / whole})" for outcome, weight in found))

    def _unseen(self, state: State) -> frozenset[str]:
        machine, look = self.machine, self.machine.look(state)
        slots = [*machine.layout.place_slots, *(s for f in machine.layout.states.values() for s in f.all_slots)]
        return frozenset(
            machine.effects.slot_name(slot) for slot in slots if not machine.effects.sees(look, slot, self.seat)
        )

    def _moment(
        self,
        heard: list[tuple[State, Event]],
        openly: tuple[object, ...],
        after: Sight | None,
        unseen: Callable[[], frozenset[str]],
    ) -> Moment:
        answers, lines, hidden = [], [], False
        for source, event in heard:
            text = views.event_text(self.machine, source, event, self.seat)
            if isinstance(event, Answered | Happened):
                answers += [] if text is None else [text]
                hidden |= isinstance(event, Answered) and event.hidden and event.player != self.seat
            elif text is not None and isinstance(event, Moved):
                pieces, _, ends = text.rpartition(": ")
                shown = pieces if event.shown_to(self.seat) else ""
                lines.append(Line(text, f"{len(event.pieces)}: {ends}", False, shown))
            elif text is not None:
                lines.append(Line(text, text, said=isinstance(event, Said | ShownPlace)))
        return Moment(tuple(answers), hidden, openly, tuple(lines), after, unseen)

    def _sight(self, life: Life) -> Sight:
        attention = life.attention
        veil = [] if attention.before is None else [Veiled(attention.owner, attention.before)]
        view = views.view(self.machine, life.state, [(attention.before, veil)] if attention.before else [], self.seat)
        options: tuple[str, ...] = ()
        if view.options is not None and view.number_of_options <= MOST_OPTIONS:
            options = tuple(sorted(map(Notation(self.machine, life.state).text, view.options)))
        return Sight(view.places, view.states, view.asked, view.menu, view.number_of_options, options)
