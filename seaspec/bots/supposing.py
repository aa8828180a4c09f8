"""Plays that a player must hold possible: the resampler of what is hidden.

A *supposed* play is another play of the same game that has looked the same to a player all along: the same lines of
the log in the same order, the same table wherever the play rested, the same options when it was this player's turn. Its
position is one of those that agree with all that the player knows. It is made from the `Evidence` alone, step by step:
what the player knows of an answer or outcome is followed, what is hidden is drawn at random, as the rules would.

Sooner or later a draw turns out to be wrong: another player lays a card that lies elsewhere in the supposed play. Then
two pieces change roles from where they last lay together, or a hidden answer is changed, and the play is run again from
there; it must still look the same. So no step of a supposed play is against the rules or against the evidence.

How likely: a supposed play weighs as much as chance gives it, times one part in n for each hidden answer out of n (what
others chose openly is taken as it is: nothing is concluded from it). Where hidden things come from draws alone, all
positions that agree are equally likely. Drawing and exchanging come close to that, and at each decision of the player
`STIRS` random changes, accepted by the rule of Metropolis, come closer; small games are compared with brute force.
Not tried is a change after which a hidden question comes up, or does not come up any more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from random import Random

from seaspec.backends.interpreter.chance import Drawn, Draws, Outcome
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.log import Event, Moved
from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import Attention, Step
from seaspec.bots.blind import blind_in
from seaspec.bots.evidence import Evidence, Eyes, Known, gather, is_vague
from seaspec.bots.renaming import renamed

STIRS = 4
"""Random changes tried at each decision of the player."""
MOST_LISTED = 2**31 - 1
"""Of more options none is taken by its number: a range of so many has a length on any machine."""
TRIED = 64
"""Hidden answers tried at a step before something earlier is changed."""
EXCHANGES = 24
"""Exchanges tried to bring a piece to where it was seen."""
REPAIRS = 400
"""Random changes tried where a play does not go on."""
RESTARTS = 3
WALKED = 20_000
"""So many steps are kept for other supposed plays."""
QUIET = 1_000
"""Steps at most of which the player hears nothing, one after another."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a supposed play stands: after `count` lines, and the steps of `since` then (whose they were).

    `agrees`: the table looks as the evidence says. `told`: the pieces that the player has seen in what was heard on the
    way there; None if more was heard than moves.
    """

    state: State
    attention: Attention
    count: int
    since: tuple[int | None, ...]
    agrees: bool
    told: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Taken:
    """A step of a supposed play, from `stand`. `hidden`: the player does not know the answer; `weight`: as a log."""

    stand: Stand
    answer: Answer
    hidden: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Supposed:
    """A play that looks the same to a player, up to where it stands."""

    steps: tuple[Taken, ...]
    stand: Stand

    @property
    def weight(self) -> float:
        return sum(taken.weight for taken in self.steps)


class Walked:
    """Where steps lead, for all supposed plays that are made from the same evidence: most of these go the same way for
    long, and what looks the same is the same position, unless something hidden has come in between."""

    def __init__(self) -> None:
        self._begun: list[Stand | None] = []
        self._after: dict[tuple[int, Answer], tuple[Stand, Stand | None]] = {}

    def begun(self, begin: Callable[[], Stand | None]) -> Stand | None:
        if not self._begun:
            self._begun.append(begin())
        return self._begun[0]

    def after(self, stand: Stand, answer: Answer, step: Callable[[Stand, Answer], Stand | None]) -> Stand | None:
        found = self._after.get((id(stand), answer))
        if found is None:
            if len(self._after) >= WALKED:
                self._after.clear()
            found = self._after[id(stand), answer] = stand, step(stand, answer)  # kept, so that no other has its id
        return found[1]


class Supposing:
    """Makes supposed plays for one player from the evidence. `walked`: what others have worked out from it."""

    def __init__(
        self, eyes: Eyes, evidence: Evidence, random: Random, stirs: int = STIRS, walked: Walked | None = None
    ) -> None:
        self.eyes = eyes
        self.machine = eyes.machine
        self.evidence = evidence
        self.random = random
        self.stirs = stirs
        self.walked = Walked() if walked is None else walked
        self.blind = blind_in(eyes.machine)
        self.by_label: dict[int, list[int]] = {}
        for piece, label in enumerate(eyes.labels):
            self.by_label.setdefault(label, []).append(piece)

    # ----------------------------------------------------------------------------------------------------- growing

    def begin(self) -> Supposed | None:
        """The beginning of a play."""
        stand = self.walked.begun(self._first)
        return None if stand is None else Supposed((), stand)

    def _first(self) -> Stand | None:
        events: list[Event] = []
        try:
            state = self.machine.begin(events)
        except RuleError:
            return None
        return self._stand(None, state, events)

    def grow(self, supposed: Supposed | None) -> Supposed | None:
        """Go on to where the evidence ends; None if that was not managed."""
        for _ in range(RESTARTS):
            found = self._grown(supposed or self.begin())
            if found is not None:
                return found
            supposed = None
        return None

    def _grown(self, supposed: Supposed | None) -> Supposed | None:
        fresh = supposed is not None and not self._is_own(supposed.stand)
        while supposed is not None:
            stand = supposed.stand
            if self._is_own(stand) and fresh:
                for _ in range(self.stirs):
                    supposed = self._changed(supposed) or supposed
            if stand.count == len(self.evidence.lines) and stand.agrees and self._is_own(stand):
                return supposed
            if len(stand.since) > QUIET:
                return None
            supposed = self._extended(supposed) or self._repaired(supposed)
            fresh = True
        return None

    def _is_own(self, stand: Stand) -> bool:
        return self.machine.decider(stand.state) == self.eyes.seat

    def _extended(self, supposed: Supposed, strictly: bool = True) -> Supposed | None:
        """One step more, if there is one that agrees with the evidence."""
        for answer, hidden in self._candidates(supposed.stand, strictly):
            stand = self._stepped(supposed.stand, answer)
            if stand is not None:
                taken = Taken(supposed.stand, answer, hidden, self._weight(supposed.stand, answer, hidden))
                return Supposed((*supposed.steps, taken), stand)
        return None

    def _stepped(self, stand: Stand, answer: Answer) -> Stand | None:
        """Where an answer leads; None if that does not look like the evidence."""
        return self.walked.after(stand, answer, self._worked_out)

    def _worked_out(self, stand: Stand, answer: Answer) -> Stand | None:
        events: list[Event] = []
        try:
            state = self.machine.step(stand.state, answer, events)
        except (RuleError, ChoiceError):
            return None
        return self._stand(stand, state, events)

    def _stand(self, before: Stand | None, state: State, events: list[Event]) -> Stand | None:
        eyes, evidence = self.eyes, self.evidence
        if state.result is not None:
            return None
        source = state if before is None else before.state
        heard, attention = (Attention() if before is None else before.attention).after((source, events), eyes.seat)
        lines = eyes.lines(heard)
        begun = 0 if before is None else before.count
        count = begun + len(lines)
        if evidence.lines[begun:count] != tuple(lines):
            return None
        if lines and before is not None:
            stops = (evidence.stops.get(passed) for passed in range(begun + 1, count))
            if any(stop is not None and not stop.vague for stop in stops):
                return None
            if begun in evidence.stops and not before.agrees:
                return None
        stop = evidence.stops.get(count)
        agrees = stop is not None and eyes.glimpse(state, attention) == stop.glimpse
        if not agrees and not is_vague(eyes, state, attention):
            return None
        since = () if before is None or lines else (*before.since, self.machine.decider(before.state))
        told = _seen_to_move(heard, eyes.seat)
        return Stand(State(state.slots, state.where), attention, count, since, agrees, told)

    # -------------------------------------------------------------------------------------------------- candidates

    def _candidates(self, stand: Stand, strictly: bool) -> Iterator[tuple[Answer, bool]]:
        """Answers to be tried at a step, and whether the player does not know them."""
        known = self._known(stand)
        if known is not None and isinstance(known.answer, Drawn):
            for piece in self._drawable(stand, known, strictly):
                yield Drawn(piece), False
            return
        if known is not None:
            yield from ((answer, False) for answer in self._counterparts(stand, known))
            return
        if self.machine.is_chance(stand.state):
            yield from ((outcome, True) for outcome in self._outcomes(stand))
            return
        options = self.machine.options(stand.state)
        order = self.random.sample(range(options.size), min(TRIED, options.size)) if options.size <= MOST_LISTED else ()
        yield from ((options[index], True) for index in order)

    def _known(self, stand: Stand) -> Known | None:
        who = self.machine.decider(stand.state)
        return self.evidence.known.get((stand.count, who, stand.since.count(who)))

    def _counterparts(self, stand: Stand, known: Known) -> Iterator[Answer]:
        """The answers that are the same to the player: with pieces of the same titles in the same places."""
        where = stand.state.where
        among = [
            [p for p in self.by_label[label] if slot is None or where[p] == slot] for _, label, slot in known.pieces
        ]
        for chosen in islice(product(*among), TRIED):
            if len(set(chosen)) < len({piece for piece, _, _ in known.pieces}):
                continue
            names = {piece: other for (piece, _, _), other in zip(known.pieces, chosen, strict=True)}
            answer = renamed(self.machine, stand.state, known.answer, names)
            if self._is_legal(stand.state, answer):
                yield answer

    def _is_legal(self, state: State, answer: Answer) -> bool:
        if self.machine.is_chance(state):
            return self.machine.outcomes(state).allows(answer)
        return answer in self.machine.options(state)

    def _drawable(self, stand: Stand, known: Known, strictly: bool) -> Sequence[int]:
        """Pieces of the title that was drawn. Strictly: one of those that are hidden, if it can be drawn at all."""
        outcomes = self.machine.outcomes(stand.state)
        if not isinstance(outcomes, Draws):
            return ()
        ((_, label, _),) = known.pieces
        there = [piece for piece in outcomes.pieces if self.eyes.labels[piece] == label]
        if not strictly:
            return self.random.sample(there, len(there))
        hidden = self.eyes.hidden_slots(stand.state)
        pool = [p for p in self.by_label[label] if stand.state.where[p] in hidden or p in there]
        chosen = self.random.choice(pool) if pool else -1
        return [chosen] if chosen in there else ()

    def _outcomes(self, stand: Stand) -> Iterator[Outcome]:
        outcomes = self.machine.outcomes(stand.state)
        for _ in range(TRIED if not isinstance(outcomes, Draws) else 1):
            yield outcomes.canonical(outcomes.sample(self.random))

    def _weight(self, stand: Stand, answer: Answer, hidden: bool) -> float:
        """The logarithm of how likely a hidden answer or outcome is."""
        if not hidden:
            return 0.0
        if not self.machine.is_chance(stand.state):
            return -math.log(self.machine.options(stand.state).size)
        outcomes = self.machine.outcomes(stand.state)
        if isinstance(outcomes, Draws):
            return -math.log(len(outcomes.pieces))
        return math.log(outcomes.probability(answer))

    # ------------------------------------------------------------------------------------------------------ changes

    def _again(self, supposed: Supposed, first: int, answers: Sequence[Answer]) -> Supposed | None:
        """The play with other answers from a step on, if it looks the same."""
        stand = supposed.steps[first].stand
        steps = list(supposed.steps[:first])
        for answer in answers:
            found = self._taken_again(stand, answer)
            if found is None:
                return None
            step, stand = found
            steps.append(step)
        return Supposed(tuple(steps), stand)

    def _taken_again(self, stand: Stand, answer: Answer) -> tuple[Taken, Stand] | None:
        """A step with this answer, or with one that is the same to the player; and where it leads."""
        known = self._known(stand)
        choices: Iterator[Answer] = iter((answer,) if self._is_legal(stand.state, answer) else ())
        if known is not None and not isinstance(known.answer, Drawn):
            choices = iter((*choices, *self._counterparts(stand, known)))
        for choice in choices:
            after = self._stepped(stand, choice)
            if after is not None:
                return Taken(stand, choice, known is None, self._weight(stand, choice, known is None)), after
        return None

    def _exchanged(self, supposed: Supposed, one: int, other: int, since: int) -> Supposed | None:
        """The play with two pieces in each other's place from a step on, up to which they lay together.

        As long as it is the image of the older play, what is dealt to nobody's eyes is taken from there (blind.py).
        """
        names = {one: other, other: one}
        stand = supposed.steps[since].stand
        steps = list(supposed.steps[:since])
        stands = [*(taken.stand for taken in supposed.steps[since + 1 :]), supposed.stand]
        is_image = self._is_image(stand, stand, one, other)
        for taken, older in zip(supposed.steps[since:], stands, strict=True):
            answer = renamed(self.machine, taken.stand.state, taken.answer, names)
            after = self._image(taken, older, one, other) if is_image else None
            if after is not None:
                steps.append(Taken(stand, answer, taken.hidden, taken.weight))
            else:
                found = self._taken_again(stand, answer)
                if found is None:
                    return None
                step, after = found
                steps.append(step)
                is_image = self._is_image(after, older, one, other)
            stand = after
        return Supposed(tuple(steps), stand)

    def _is_image(self, stand: Stand, older: Stand, one: int, other: int) -> bool:
        """Whether it is the position of the older play with two pieces exchanged."""
        if not self.blind.can_change(one, other):
            return False
        image = self.blind.exchanged(older.state, one, other)
        return image is not None and image.slots == stand.state.slots and stand.since == older.since

    def _image(self, taken: Taken, after: Stand, one: int, other: int) -> Stand | None:
        """Where a step of a play leads once two pieces have changed their parts before it, if that is plain: nobody
        looks at what goes, and this player sees neither of the two."""
        before = taken.stand
        if after.told is None or one in after.told or other in after.told or after.attention != Attention():
            return None
        if not isinstance(taken.answer, Drawn) or not self.blind.leads(before.state, after.state):
            return None
        if not (self._is_unseen(after, one) and self._is_unseen(after, other)):
            return None
        image = self.blind.exchanged(after.state, one, other)
        return None if image is None or not self.blind.is_settled(image) else replace(after, state=image)

    def _is_unseen(self, stand: Stand, piece: int) -> bool:
        slot = stand.state.where[piece]
        if slot in self.eyes.never_seen:
            return True
        if slot == self.eyes.box:
            return not self.eyes.looks_into_box(stand.state)
        return self.blind.sees_by_counting(slot) and not self.eyes.sees(stand.state, slot)

    def _partings(self, supposed: Supposed, one: int, other: int) -> list[int]:
        """The steps at which two pieces, that nobody could tell apart by where they lay, were parted; latest first."""
        found = []
        apart = True
        for number in range(len(supposed.steps) - 1, -1, -1):
            together = self.eyes.together(supposed.steps[number].stand.state, one, other)
            if together and apart:
                found.append(number)
            apart = not together
        return found

    def _changed(self, supposed: Supposed) -> Supposed | None:
        """A random change, if it looks the same and is accepted: pieces exchanged, or a hidden answer drawn anew."""
        choices = self._hidden_choices(supposed)
        hidden = self._hidden_pieces(supposed.stand)
        drawn: int | None = None  # a step whose answer is drawn as likely as it weighs: that counts once
        if len(hidden) > 1 and (not choices or self.random.random() < 0.5):
            one, other = self.random.sample(hidden, 2)
            partings = self._partings(supposed, one, other) if self.eyes.labels[one] != self.eyes.labels[other] else ()
            if not partings:
                return None
            found = self._exchanged(supposed, one, other, self.random.choice(partings))
        elif choices:
            drawn = number = self.random.choice(choices)
            stand = supposed.steps[number].stand
            outcomes = self.machine.outcomes(stand.state) if self.machine.is_chance(stand.state) else None
            if outcomes is None:
                answer: Answer = self.machine.options(stand.state).random(self.random)
            else:
                answer = outcomes.canonical(outcomes.sample(self.random))
            found = self._again(supposed, number, [answer, *(taken.answer for taken in supposed.steps[number + 1 :])])
        else:
            return None
        if found is None or not self._stands_like(found.stand, supposed.stand):
            return None
        gain = found.weight - supposed.weight
        if drawn is not None:
            gain -= found.steps[drawn].weight - supposed.steps[drawn].weight
        if choices and len(hidden) < 2:
            gain += math.log(len(choices) / max(1, len(self._hidden_choices(found))))
        return found if gain >= 0 or self.random.random() < math.exp(gain) else None

    def _stands_like(self, stand: Stand, other: Stand) -> bool:
        """Whether two plays are at the same point; a hidden question may have come up in one of them alone."""
        deciders = [self.machine.decider(one.state) for one in (stand, other)]
        return stand.count == other.count and stand.agrees == other.agrees and deciders[0] == deciders[1]

    def _hidden_choices(self, supposed: Supposed) -> list[int]:
        """The steps whose answers are hidden, draws aside (there pieces are exchanged)."""
        return [n for n, taken in enumerate(supposed.steps) if taken.hidden and not isinstance(taken.answer, Drawn)]

    def _hidden_pieces(self, stand: Stand) -> list[int]:
        slots = self.eyes.hidden_slots(stand.state)
        return [piece for piece, slot in enumerate(stand.state.where) if slot in slots]

    # ------------------------------------------------------------------------------------------------------ repairs

    def _repaired(self, supposed: Supposed) -> Supposed | None:
        """Change something earlier so that the play goes on by one step."""
        found = self._brought(supposed) or self._extended(supposed, strictly=False)
        for _ in range(REPAIRS):
            if found is not None:
                break
            other = self._changed(supposed)
            if other is not None:
                supposed = other
                found = self._extended(supposed, strictly=False)
        return found

    def _brought(self, supposed: Supposed) -> Supposed | None:
        """Pieces that were seen to come from somewhere are brought there by exchanges, one after another."""
        missing = self._missing(supposed.stand)
        while missing:
            found = None
            ways = (
                (one, other, since)
                for one, other in self._pairs(supposed.stand, missing[0])
                for since in self._partings(supposed, one, other)
            )
            for one, other, since in islice(ways, EXCHANGES):
                moved = self._exchanged(supposed, one, other, since)
                if moved is None:
                    continue
                extended = self._extended(moved, strictly=False)  # the piece that was brought is drawn
                if extended is not None:
                    return extended
                if len(self._missing(moved.stand)) < len(missing):
                    found = moved
            if found is None:
                return None
            supposed, missing = found, self._missing(found.stand)
        return None

    def _pairs(self, stand: Stand, missing: Missing) -> Iterator[tuple[int, int]]:
        """Which pieces may be exchanged so that a piece is where it is missing."""
        hidden = self.eyes.hidden_slots(stand.state)
        ones = [p for p in self.by_label[missing.label] if stand.state.where[p] in hidden and p not in missing.among]
        for one in self.random.sample(ones, len(ones)):
            for other in self.random.sample(missing.others, len(missing.others)):
                yield one, other

    def _missing(self, stand: Stand) -> list[Missing]:
        """What should lie in a certain place for the next step to be as it was seen, and does not."""
        where, labels = stand.state.where, self.eyes.labels
        if self.machine.is_chance(stand.state):
            known, outcomes = self._known(stand), self.machine.outcomes(stand.state)
            if known is None or not isinstance(outcomes, Draws):
                return []
            return [Missing(known.pieces[0][1], outcomes.pieces, outcomes.pieces)]
        wanted = Counter(self.evidence.wanted.get(stand.count, ()))
        found = []
        for (label, slot), number in wanted.items():
            there = [p for p, lies in enumerate(where) if lies == slot]
            if sum(labels[p] == label for p in there) < number:
                others = [p for p in there if (labels[p], slot) not in wanted]
                found.append(Missing(label, there, others))
        return found


def _seen_to_move(heard: Sequence[tuple[State, Event]], seat: int) -> frozenset[int] | None:
    """The pieces that a player has seen to move; None if anything else was heard."""
    moves = [event for _, event in heard if isinstance(event, Moved)]
    if len(moves) < len(heard):
        return None
    return frozenset(piece for event in moves if event.shown_to(seat) for piece in event.pieces)


@dataclass(frozen=True, slots=True)
class Missing:
    """A piece of this label is wanted `among` these; it may come instead of one of the `others`."""

    label: int
    among: Sequence[int]
    others: Sequence[int]


class Beliefs:
    """Supposed plays of one player that are kept while a play goes on, so that each new step is looked at once."""

    def __init__(self, eyes: Eyes, size: int, seed: str, stirs: int = STIRS) -> None:
        self.eyes = eyes
        self.stirs = stirs
        self.seed = seed
        self.size = size
        self._older: Evidence | None = None
        self._randoms: list[Random] = []
        self._plays: list[Supposed | None] = []

    def positions(self, steps: Sequence[Step], state: State) -> list[State]:
        """Positions that the player must hold possible; fewer than asked for where some were not found.

        `steps` is the true play so far and `state` where it rests: the player's own decision.
        """
        evidence = gather(self.eyes, steps, state)
        if self._older is None or not evidence.goes_on_from(self._older):
            self._randoms = [Random(f"{self.seed}:{number}") for number in range(self.size)]
            self._plays = [None] * self.size
        self._older = evidence
        walked = Walked()
        for number, random in enumerate(self._randoms):
            supposing = Supposing(self.eyes, evidence, random, self.stirs, walked)
            self._plays[number] = supposing.grow(self._plays[number])
        return [play.stand.state for play in self._plays if play is not None]


def resample(eyes: Eyes, steps: Sequence[Step], state: State, random: Random, stirs: int = STIRS) -> State | None:
    """A position that agrees with all that a player knows; None if none was found."""
    found = Supposing(eyes, gather(eyes, steps, state), random, stirs).grow(None)
    return None if found is None else found.stand.state
