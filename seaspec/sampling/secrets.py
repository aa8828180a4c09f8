"""The two-run test of secrets: plays that differ only in what is hidden from a player look alike to this player.

A random play is made. Somewhere in it something happens that a player does not see: a piece is drawn unseen, somebody
chooses in secret. There a second play parts from it: it goes the same way up to there, then something else happens, as
unseen; and it goes on with the same answers and outcomes, as far as this player can tell, or with the pieces that have
changed places. After each step the two are compared: all that the player notices (noticing.py), states, places, sizes,
events, who is asked, options. What is first different is a leak; then both plays are kept, for anybody to look at.
What is told on purpose is none (see there); where the player sees by the answer itself that the plays part, they have.

Both are plays of the game, so what is found is so. What is not found has been tested, and not more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, assert_never

from seaspec.backends.interpreter.chance import Drawn, Draws
from seaspec.backends.interpreter.choices import Act, Subset, Values
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.log import Event
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State, contents
from seaspec.core import flow, ir
from seaspec.core.types import Value
from seaspec.core.walk import walk
from seaspec.drawing.names import keys, name_of, title_of
from seaspec.sampling.noticing import Life, Moment, Senses
from seaspec.sampling.watch import Found

FIRST_DECISIONS = 8
"""In the first play so many are made, in each further one twice as many: a leak is best told by a short play."""
MOST_STEPS = 600
"""Of a play that is longer the rest is not looked at."""
PARTINGS = 6
"""Second plays for each player and play."""
MOST_NAMED = 3
"""So many places and states are named in what is said of a leak."""
TRIES = 3
"""What else may happen, unseen, is tried so often at a step."""


@dataclass(slots=True)
class Leaks:
    """What the two-run test has found: how many pairs of positions were compared, and the leaks by place or state."""

    compared: int = 0
    plays: int = 0
    by_thing: dict[str, int] = field(default_factory=dict)
    """Comparisons in which this place or state was different, and its player could not see it."""
    found: dict[str, Found] = field(default_factory=dict)
    """A leak, by the place or state that leaks: two plays."""
    anyhow: Found | None = None
    """A leak of what lies in no place and no state: a choice, say, of which one name alone knows."""

    def of(self, promise: ir.Secret) -> Found | None:
        """Two plays that break a promise."""
        leaks = [self.found[thing] for thing in promise.things if thing in self.found]
        return min(leaks, key=lambda found: len(found.answers), default=self.anyhow)


@dataclass(frozen=True, slots=True)
class Public:
    """What the rules give away on purpose."""

    actions: frozenset[str]
    states: frozenset[str]


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


def secret_trial(
    machine: Machine,
    plays: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
    go_on: Callable[[], bool] = lambda: True,
    leaks: Leaks | None = None,
) -> Leaks:
    """Play at random, and let second plays part from each; each time `go_on` is asked whether there is time. `leaks`:
    what has been found before, it goes on from there."""
    leaks = Leaks() if leaks is None else leaks
    promised = [promise for promise in machine.game.promises if isinstance(promise, ir.Secret)]
    for number in range(leaks.plays, plays):
        if not go_on() or (promised and all(leaks.of(promise) is not None for promise in promised)):
            break
        random = Random(f"secret {seed}:{number}")
        for senses, life, rest in _partings(machine, random, FIRST_DECISIONS << min(number, MOST_STEPS)):
            if not go_on():
                break
            _compare(senses, life, rest, random, leaks)
        leaks.plays += 1
        tell(leaks.plays)
    return leaks


# ---------------------------------------------------------------------------------------------------------- first plays


def _partings(machine: Machine, random: Random, decisions: int) -> Iterator[tuple[Senses, Life, tuple[Answer, ...]]]:
    """Of a random play, up to so many decisions, for each player some positions from which something comes that this
    player does not see, and how the play goes on from there."""
    try:
        events: list[Event] = []
        state = machine.begin(events)
    except RuleError:
        return
    start, answers, unseen = (state, events), list[Answer](), [list[int]() for _ in machine.effects.seats]
    has_veils = any(isinstance(step, flow.Veil) for block in machine.flow.blocks for step in block.steps)
    while state.result is None and len(answers) < MOST_STEPS and decisions:
        decisions -= not machine.is_chance(state)
        try:
            answer = _any(machine, state, random)
            for seat, places in enumerate(unseen):
                if _may_be_unseen(machine, state, answer, seat, has_veils):
                    places.append(len(answers))
            state = machine.step(state, answer)
        except RuleError:  # also where it is looked for what may be chosen
            break
        answers.append(answer)
    for seat, places in enumerate(unseen):
        senses = Senses(machine, seat)
        chosen = sorted(random.sample(places, min(PARTINGS, len(places))))
        life = senses.begin(*start)
        for place in chosen:
            for answer in answers[len(life.answers) : place]:
                step: list[Event] = []
                after = machine.step(life.state, answer, step)
                _, attention = life.attention.after((life.state, step), seat)
                life = Life(after, attention, (*life.answers, answer), after)
            if place < len(answers):
                yield senses, life, tuple(answers[place:])


def _any(machine: Machine, state: State, random: Random) -> Answer:
    """What happens, or somebody chooses, at random; as it is listed."""
    if machine.is_chance(state):
        outcomes = machine.outcomes(state)
        return outcomes.canonical(outcomes.sample(random))
    return machine.options(state).random(random)


def _may_be_unseen(machine: Machine, state: State, answer: Answer, seat: int, has_veils: bool) -> bool:
    """Whether a player may not see what happens next: where in doubt, one tries. `has_veils`: some choices are made at
    once, and what others answer is not seen."""
    node = machine.node(state)
    match node:
        case flow.DrawNode():
            is_alone = isinstance(answer, Drawn) and machine.layout.twins.alone[answer.piece]
            return not (machine.game.places[node.to.place].sight.all and is_alone)
        case flow.Decision() if machine.decider(state) == seat:
            return False
        case flow.Decision() if has_veils or flow.is_unseen(node):
            return True
        case flow.ChanceNode() | flow.RollNode() if flow.is_unseen(node):
            return machine.seer(state) != seat
        case flow.Decision() | flow.ChanceNode():
            shown = machine.shown(state, answer)[seat]
            alone = machine.layout.twins.alone  # which of identical pieces it is nobody sees
            return any(piece not in shown or not alone[piece] for piece in machine.pieces_in(state, answer))
        case flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside():
            return False  # all see it
        case never:
            assert_never(never)


# --------------------------------------------------------------------------------------------------------- second plays


def _compare(senses: Senses, life: Life, rest: tuple[Answer, ...], random: Random, leaks: Leaks) -> None:
    """Let a second play part from a play, whose further answers are given, and compare them step by step."""
    machine = senses.machine
    other = life
    changed: dict[Value, Value] = {}
    while rest:
        first, second = rest[0], other
        try:
            after, moment = senses.live(life, first, _Next(machine, iter(rest[1:]), random))
        except RuleError:
            return
        found = None
        for answer in _candidates(machine, life, other, first, changed, random):
            try:
                there, seen = senses.live(second, answer, lambda state: _any(machine, state, random))
            except (RuleError, ChoiceError):
                continue
            if not moment.looks_alike(seen):
                continue
            difference = moment.difference(seen, lambda name: _called(machine.game, name))
            if difference is not None:
                _note(senses, (life, other), (after, there), difference, leaks)
                return
            if moment == seen and found is None:
                found = there
                _note_changed(changed, first, answer)
                if life is not other:
                    break
        if found is None:
            return
        rest = rest[len(after.answers) - len(life.answers) :]
        life, other = after, found
        if life.state == other.state:
            return  # they have met again
        leaks.compared += 1
        for thing in _hidden(senses, life.state, other.state):
            leaks.by_thing[thing] = leaks.by_thing.get(thing, 0) + 1


@dataclass(frozen=True, slots=True)
class _Next:
    """The answers that a play has given, one after the other."""

    machine: Machine
    answers: Iterator[Answer]
    random: Random

    def __call__(self, state: State) -> Answer:
        answer = next(self.answers, None)
        return _any(self.machine, state, self.random) if answer is None else answer


def _candidates(
    machine: Machine, life: Life, other: Life, answer: Answer, changed: dict[Value, Value], random: Random
) -> Iterator[Answer]:
    """What may happen in the second play where the first one goes on with an answer: the same with the pieces that have
    changed places, the same, or anything else. Where they part, something else."""
    with suppress(RuleError):  # the rules fail in the second play alone: it is compared no further
        tried = set[Answer]()
        if life is other:
            tried.add(answer)
            other_kind = _of_another_kind(machine, life.state, answer, random) if isinstance(answer, Drawn) else None
            if other_kind is not None:
                tried.add(other_kind)
                yield other_kind
        else:
            offered: Any = (machine.outcomes if machine.is_chance(other.state) else machine.options)(other.state)
            for wanted in (_with(answer, changed), answer):
                if wanted not in tried:
                    tried.add(wanted)
                    with suppress(ChoiceError):
                        yield offered.canonical(wanted)
        for _ in range(TRIES):
            found = _any(machine, other.state, random)
            if found not in tried:
                tried.add(found)
                yield found


def _of_another_kind(machine: Machine, state: State, drawn: Drawn, random: Random) -> Answer | None:
    """Something of another kind that may be drawn, if there is any: each kind is as likely, however rare its pieces
    are, for rules mostly ask what kind a piece is of."""
    outcomes, pieces = machine.outcomes(state), machine.game.pieces
    by_kind: dict[str, list[int]] = {}
    for piece in outcomes.pieces if isinstance(outcomes, Draws) else ():
        by_kind.setdefault(pieces[piece].kinds[0], []).append(piece)
    by_kind.pop(pieces[drawn.piece].kinds[0], None)
    if not by_kind:
        return None
    kind = random.choice(sorted(by_kind))
    return outcomes.canonical(Drawn(random.choice(by_kind[kind])))


def _note_changed(changed: dict[Value, Value], answer: Answer, other: Answer) -> None:
    """Which pieces have taken each other's place, as far as draws tell."""
    if isinstance(answer, Drawn) and isinstance(other, Drawn) and answer != other:
        changed.setdefault(answer.piece, other.piece)
        changed.setdefault(other.piece, answer.piece)


def _with(answer: Answer, changed: dict[Value, Value]) -> Answer:
    """The answer with the pieces that have changed places; a number that is none may be meant, then it is refused or
    looks different."""
    match answer:
        case Drawn(piece):
            return Drawn(changed.get(piece, piece))  # type: ignore[arg-type]
        case Act(action, arguments):
            return Act(action, tuple(changed.get(value, value) for value in arguments))
        case Values(values):
            return Values(tuple(changed.get(value, value) for value in values))
        case Subset(members):
            return Subset(tuple(sorted(changed.get(value, value) for value in members)))  # type: ignore[type-var]
        case _:  # cautious: it names no pieces, or the same
            return answer


# --------------------------------------------------------------------------------------------------------------- leaks


def _note(senses: Senses, before: tuple[Life, Life], after: tuple[Life, Life], difference: str, leaks: Leaks) -> None:
    """Two plays look different: keep them for what was hidden, at first or then, and is not the same in both."""
    pairs = [(one.state, other.state) for one, other in (before, after)]
    things = _hidden(senses, *pairs[0]) or _hidden(senses, *pairs[1])
    named = sorted({_called(senses.machine.game, name) for names in things.values() for name in names})
    what = f"what is hidden in {' and '.join(named[:MOST_NAMED])}" if things else "what has happened unseen"
    detail = f"{senses.player} can tell {what}: these two plays look different to {senses.player}, as at the end "
    found = Found(after[0].answers, detail + difference, beside=after[1].answers)
    for thing in things:
        leaks.found[thing] = found.shorter(leaks.found.get(thing))
    if not things:
        leaks.anyhow = found.shorter(leaks.anyhow)


def _called(game: ir.Game, name: str) -> str:
    """An instance of a place or state as the author calls it: `the hand of Ann` for `hand[Ann]`."""
    thing = game.places.get(name.partition("[")[0]) or game.states.get(name.partition("[")[0])
    if thing is None:
        return name
    return next((title_of(game, thing, key) for key in keys(thing) if name_of(game, thing, key) == name), name)


def look_different(machine: Machine, one: Sequence[Answer], other: Sequence[Answer]) -> bool:
    """Whether two plays look alike to somebody, but for what is told on purpose, up to the last step of them."""
    for seat in machine.effects.seats:
        senses = Senses(machine, seat)
        events: list[Event] = []
        here = there = senses.begin(machine.begin(events), events)
        while len(here.answers) < len(one) and len(there.answers) < len(other):
            here, seen = _lived(senses, here, one)
            there, seen_there = _lived(senses, there, other)
            if seen != seen_there:
                if seen.looks_alike(seen_there) and seen.difference(seen_there, str) is not None:
                    return True
                break
    return False


def _lived(senses: Senses, life: Life, answers: Sequence[Answer]) -> tuple[Life, Moment]:
    first, *more = answers[len(life.answers) :]
    return senses.live(life, first, _Next(senses.machine, iter(more), Random(0)))


def _hidden(senses: Senses, one: State, other: State) -> dict[str, list[str]]:
    """Places and states that are different at two positions, and that a player does not see at either; with the names
    of those instances of them."""
    machine = senses.machine
    slots = [slot for slot, (here, there) in enumerate(zip(one.slots, other.slots, strict=True)) if here != there]
    looks = machine.look(one), machine.look(other)
    names = {slot: name for name, family in machine.layout.states.items() for slot in family.all_slots}
    found: dict[str, list[str]] = {}
    for slot in slots:
        if slot in machine.layout.place_of:
            place, _ = machine.layout.place_of[slot]
            name = place.name
            here, there = (_titles(machine, place, state.slots[slot]) for state in (one, other))
            if name == ir.BOX or here == there:
                continue
        elif slot in names and not machine.game.states[names[slot]].track:
            name = names[slot]
        else:
            continue
        if not any(machine.effects.sees(look, slot, senses.seat) for look in looks):
            found.setdefault(name, []).append(machine.effects.slot_name(slot))
    return found


def _titles(machine: Machine, place: ir.Place, lying: tuple[Any, ...]) -> list[str]:
    titles = [machine.game.pieces[piece].title for piece in contents(place.order, lying)]
    return titles if place.order is ir.PlaceOrder.ROW else sorted(titles)
