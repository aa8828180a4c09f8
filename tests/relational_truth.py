"""The truth of secrets and symmetries in games that are small enough: by comparing all positions there are.

*A symmetry* holds if the beginning is its own image, and at each position that can be reached the image has the images
of the options and outcomes (as likely), which lead to images again.

*A secret* is kept if whatever a player has seen decides what this player sees next. Of each player the positions are
gone through in groups: those that can be reached by plays of which the player has seen the same. In a group all views
are the same; and after an answer or outcome that looks the same, the same happens: as many pieces move from and to the
same places. Told on purpose is what those pieces are, what is said or shown, what is told `openly`, what the player
comes to see, and that the game is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, zip_longest
from typing import Any

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved, Said, ShownPlace, Veiled
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir
from seaspec.sampling.plays import answers_at
from seaspec.sampling.renaming import NoImage
from seaspec.sampling.symmetry import Image

MOST_STEPS = 20_000


class TooLarge(Exception):
    """There are too many positions."""


def is_symmetric(machine: Machine, symmetry: ir.Symmetry) -> bool:
    """Whether plays with renamed values are plays."""
    try:
        image = Image(machine, symmetry)
        first = machine.begin()
        return machine.canonical(image.state(first)) == machine.canonical(first) and all(
            _is_mirrored(machine, image, state) for state in _reached(machine, first)
        )
    except NoImage:
        return False


def _reached(machine: Machine, first: State) -> Iterator[State]:
    seen = {first}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        yield state
        for _, after in _steps(machine, state):
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > MOST_STEPS:
            raise TooLarge


def _steps(machine: Machine, state: State) -> Iterator[tuple[Any, State | None]]:
    """Each answer or outcome, and where it leads; None where the rules fail."""
    for answer in answers_at(machine, state):
        try:
            yield answer, machine.step(state, answer)
        except RuleError:
            yield answer, None


def _is_mirrored(machine: Machine, image: Image, state: State) -> bool:
    other = image.state(state)
    if (state.result is None) is not (other.result is None):
        return False
    if state.result is not None:
        return True
    if machine.is_chance(state):
        return _odds(machine, state, image.state) == _odds(machine, other, lambda after: after)
    if len(machine.options(state)) != len(machine.options(other)):
        return False
    for answer, after in _steps(machine, state):
        try:
            there = machine.step(other, machine.options(other).canonical(image.choice(machine.node(state), answer)))
        except ChoiceError:
            return False
        except RuleError:
            if after is not None:
                return False
            continue
        if after is None or machine.canonical(image.state(after)) != machine.canonical(there):
            return False
    return True


def _odds(machine: Machine, state: State, rename: Callable[[State], State]) -> dict[Any, Fraction]:
    """How likely it is to come to which positions; None: the rules fail."""
    outcomes = machine.outcomes(state)
    found: dict[Any, Fraction] = {}
    for answer, after in _steps(machine, state):
        key = None if after is None else machine.canonical(rename(after))
        found[key] = found.get(key, Fraction(0)) + outcomes.probability(answer)
    return found


# ------------------------------------------------------------------------------------------------------------- secrets


def leak(machine: Machine) -> str | None:
    """What tells somebody what is hidden, if anything does."""
    for seat in machine.effects.seats:
        found = _Groups(machine, seat).look()
        if found is not None:
            return f"{machine.game.players[seat]}: {found}"
    return None


Play = tuple[State, views.Attention]
"""A position, and what a player attends to there (a joint choice hides what others do)."""


@dataclass(frozen=True)
class _Line:
    """Something that a player notices. `said`: on purpose; `pieces`: which they are, if this player sees that."""

    text: str
    shape: str
    said: bool
    pieces: tuple[str, ...] | None = None

    def names_others(self, other: _Line) -> bool:
        """Whether the pieces themselves tell both apart: there are as many, and they are seen to be others."""
        if self.pieces is None or other.pieces is None:
            return False
        return len(self.pieces) == len(other.pieces) and self.pieces != other.pieces


@dataclass(frozen=True)
class _Seen:
    """What a player sees of a step: the answer, what is told openly, what happens, the view after it (None: the game is
    over). `private`: what the answer was is hidden, so what follows may tell of it; `unseen`: what was not to be seen
    before."""

    answer: str
    private: bool
    openly: tuple[Any, ...]
    unseen: frozenset[str]
    lines: tuple[_Line, ...]
    view: tuple[Any, ...] | None

    def differs(self, other: _Seen) -> str | None:
        """What differs that the answer and the pieces that were shown do not say."""
        for one, two in zip_longest(self.lines, other.lines):
            if one == two:
                continue
            lines = [line for line in (one, two) if line is not None]
            if any(line.said for line in lines) or self.private or self.view is None or other.view is None:
                return None
            if len(lines) == 2 and (one.shape == two.shape or one.names_others(two)):
                return None
            return f"after {self.answer}: {' or '.join(line.shape for line in lines)}, or not"
        if self.view is None or other.view is None or self.view == other.view:
            return None
        here, there = _now(self.view), _now(other.view)
        for name in self.unseen & other.unseen & set(here) & set(there):
            if here[name] != there[name]:
                return None
        named = zip(("places", "states", "asked", "menu", "options", "chance"), self.view, other.view, strict=True)
        return next(f"after {self.answer}: {name} {a} or {b}" for name, a, b in named if a != b)


def _now(view: tuple[Any, ...]) -> dict[str, Any]:
    """What is seen in places, and of states."""
    places, states, *_ = view
    return {**{name: lies for name, lies, _ in places if lies is not None}, **dict(states)}


class _Groups:
    """The positions that a player can not tell apart."""

    def __init__(self, machine: Machine, seat: int) -> None:
        self.machine, self.seat = machine, seat
        self.steps = 0

    def look(self) -> str | None:
        events: list[Event] = []
        first = self.machine.begin(events)
        _, attention = views.Attention().after((first, events), self.seat)
        waiting = [frozenset({(first, attention)})]
        known: set[frozenset[Play]] = set()
        while waiting:
            group = waiting.pop()
            if group in known:
                continue
            known.add(group)
            after: dict[_Seen, set[Play]] = {}
            for play in group:
                for seen, onward in self._steps(*play):
                    after.setdefault(seen, set()).add(onward)
            for one, other in combinations(after, 2):
                if (one.answer, one.openly) == (other.answer, other.openly) and (found := one.differs(other)):
                    return found
            waiting += [frozenset(plays) for seen, plays in after.items() if seen.view is not None]
        return None

    def _steps(self, state: State, attention: views.Attention) -> Iterator[tuple[_Seen, Play]]:
        unseen = self._unseen(state)
        for after, events, openly in self._answers(state):
            heard, now = attention.after((state, events), self.seat)
            notice = self._answer(heard)
            for last, told, also, then in self._unnoticed(after, now):
                view, listed = (None, ()) if last.result is not None else self._view(last, then)
                openly_so = (*openly, *also, *listed)
                yield _Seen(*notice, openly_so, unseen, tuple(self._lines([*heard, *told])), view), (last, then)

    def _unseen(self, state: State) -> frozenset[str]:
        effects, layout, look = self.machine.effects, self.machine.layout, self.machine.look(state)
        slots = [*layout.place_slots, *(s for family in layout.states.values() for s in family.all_slots)]
        return frozenset(effects.slot_name(slot) for slot in slots if not effects.sees(look, slot, self.seat))

    def _unnoticed(
        self, state: State, attention: views.Attention
    ) -> Iterator[tuple[State, list[tuple[State, Event]], tuple[Any, ...], views.Attention]]:
        """Where it goes on while others are asked secretly: nobody sees that time passes."""
        node = self.machine.node(state)
        if not (isinstance(node, flow.Decision) and node.secretly and self.machine.decider(state) != self.seat):
            yield state, [], (), attention
            return
        for after, events, openly in self._answers(state):
            heard, now = attention.after((state, events), self.seat)
            for last, told, also, then in self._unnoticed(after, now):
                yield last, [*heard, *told], (*openly, *also), then

    def _answers(self, state: State) -> Iterator[tuple[State, list[Event], tuple[Any, ...]]]:
        """Each way on, what happens, and what is told openly."""
        for answer in answers_at(self.machine, state):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooLarge
            events: list[Event] = []
            try:
                with self._listening() as openly:
                    after = self.machine.step(state, answer, events)
            except RuleError:
                continue
            yield after, events, tuple(openly)

    @contextmanager
    def _listening(self) -> Iterator[list[Any]]:
        """What is told openly meanwhile."""
        told = self.machine.program.told = list[Any]()
        try:
            yield told
        finally:
            self.machine.program.told = None

    def _answer(self, heard: list[tuple[State, Event]]) -> tuple[str, bool]:
        """The answers and outcomes as this player sees them; whether some of them are hidden."""
        found = [(source, event) for source, event in heard if isinstance(event, Answered | Happened)]
        texts = [views.event_text(self.machine, source, event, self.seat) for source, event in found]
        hidden = (e.hidden and e.player != self.seat for _, e in found if isinstance(e, Answered))
        return ", ".join(map(str, texts)), any(hidden)

    def _lines(self, heard: list[tuple[State, Event]]) -> Iterator[_Line]:
        for source, event in heard:
            text = views.event_text(self.machine, source, event, self.seat)
            if text is None or isinstance(event, Answered | Happened):
                continue
            if isinstance(event, Moved):
                shape = f"{len(event.pieces)}: {text.rpartition(': ')[2]}"
                names = tuple(sorted(self.machine.game.pieces[piece].title for piece in event.pieces))
                yield _Line(text, shape, False, names if event.shown_to(self.seat) else None)
            else:
                yield _Line(text, text, isinstance(event, Said | ShownPlace))

    def _view(self, state: State, attention: views.Attention) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What is seen of a position, and what is told openly when its options are listed."""
        with self._listening() as openly:
            seen = self._seen(state, attention)
        return seen, tuple(openly)

    def _seen(self, state: State, attention: views.Attention) -> tuple[Any, ...]:
        machine, seat = self.machine, self.seat
        steps = [] if attention.before is None else [(attention.before, [Veiled(attention.owner, attention.before)])]
        view = views.view(machine, state, steps, seat)
        options: tuple[str, ...] = ()
        if view.options is not None:
            options = tuple(sorted(map(Notation(machine, state).text, view.options)))
        places = tuple((name, place.contents, place.size) for name, place in view.places.items())
        return places, tuple(view.states.items()), view.asked, view.menu, options, self._chance(state)

    def _chance(self, state: State) -> tuple[Any, ...]:
        """How many dice there are, and how likely values are, if this player is to see them."""
        machine, node = self.machine, self.machine.node(state)
        match node:
            case flow.RollNode(number, sides):
                return machine.effects.value(machine.look(state), number), sides
            case flow.ThrowNode() | flow.ChanceNode():
                if isinstance(node, flow.ChanceNode) and node.seen is not None and machine.seer(state) != self.seat:
                    return ()
                outcomes = machine.outcomes(state)
                odds = tuple((repr(outcome), outcomes.probability(outcome)) for outcome in outcomes.each())
                return () if any(machine.pieces_in(state, outcome) for outcome in outcomes.each()) else odds
            case _:
                return ()
