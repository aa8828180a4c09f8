"""Monte Carlo tree search: many plays from here are tried, those that go well are tried again.

Each iteration begins at one of the positions that the player must hold possible (never at the true one, unless nothing
is hidden), goes down the tree by UCB, with chance sampled, tries one choice that is new there, and plays on at random.

The nodes of the tree are what the player who is asked there has seen: where nothing is hidden that is the position;
else it is what this player has heard since the root. (Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree
Search, 2012, with a tree for each player.) So a bot can not choose one thing in one guess and another in the next, as
it would if each guess had a tree of its own: it must choose without knowing. What may be chosen depends on the guess,
so a choice is compared with how often it was there. What others held at the root is averaged over.

Who wins gets 1, shared among all winners; if nobody wins or loses, it is shared among all. Where the game keeps a
score, more of it is a little better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from seaspec.backends.interpreter.choices import Choice, Options
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.log import Event
from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import Attention
from seaspec.bots.choosing import Situation
from seaspec.bots.evidence import Eyes
from seaspec.bots.guesses import Guesses, names_at, secret
from seaspec.bots.playouts import Playout, Result, playout_for
from seaspec.bots.renaming import renamed

ITERATIONS = 400
GUESSES = 16
"""Positions thought about at a decision, where something is hidden."""
EXPLORE = 1.0
"""How much what is little known is worth a try; worths are from 0 to 1."""
WIDE = 200
"""Where there are more options than this, they are opened one by one, the more the more often one comes there."""
DEEP = 200
"""Choices at most in the tree."""
KEPT = 10_000
"""Positions that are kept at most, with what was worked out there."""
SCORE_COUNTS = 0.1
"""What the score is worth beside winning."""


@dataclass(slots=True)
class Edge:
    """A choice at a node. `there`: how often it could be chosen."""

    visits: int = 0
    there: int = 0
    shares: float = 0.0
    scores: float = 0.0


@dataclass(slots=True)
class Node:
    visits: int = 0
    edges: dict[Hashable, Edge] = field(default_factory=dict)


@dataclass(slots=True)
class Spot:
    """A position on a way down from where iterations begin, with what was worked out there: it is come to often.
    `attentions`, `heard`: of each seat; None: not worked out yet, from the position before and the events since."""

    state: State
    attentions: tuple[Attention, ...] = ()
    heard: tuple[tuple[Any, ...], ...] | None = None
    before: Spot | None = None
    events: Sequence[Event] = ()
    opened: list[tuple[Hashable, Choice]] | None = None
    after: dict[Answer, Spot] = field(default_factory=dict)


@dataclass(slots=True)
class Span:
    """The least and the most that has come up."""

    low: float = math.inf
    high: float = -math.inf

    def widen(self, value: float) -> None:
        self.low, self.high = min(self.low, value), max(self.high, value)

    @property
    def is_wide(self) -> bool:
        return self.high > self.low

    def part(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low) if self.is_wide else 0.0


class MctsBot:
    """Chooses by so many iterations, or (`seconds`, by `clock`) as many as there is time for."""

    def __init__(
        self,
        iterations: int = ITERATIONS,
        seconds: float | None = None,
        clock: Callable[[], float] | None = None,
        playout: Playout | None = None,
    ) -> None:
        if seconds is not None and clock is None:
            raise ValueError("seconds need a clock")
        self.iterations = iterations
        self.seconds = seconds
        self.clock = clock
        self.playout = playout
        self.guesses = Guesses(GUESSES)
        self.baffled = 0

    def choose(self, situation: Situation, random: Random) -> Choice:
        options = situation.options
        if options.size == 1:
            return options[0]
        until = None if self.seconds is None or self.clock is None else self.clock() + self.seconds
        positions = self.guesses.positions(situation)
        if not positions:
            self.baffled += 1
            return options.random(random)
        search = Search(situation, self.guesses, self.playout or playout_for(situation.machine), random)
        count = 0
        while count < self.iterations if until is None or self.clock is None else count == 0 or self.clock() < until:
            search.iterate(positions[count % len(positions)])
            count += 1
        return search.best()


class Search:
    """The trees of one decision."""

    def __init__(self, situation: Situation, guesses: Guesses, playout: Playout, random: Random) -> None:
        self.machine = machine = situation.machine
        self.guesses = guesses
        self.situation = situation
        self.playout = playout
        self.random = random
        self.is_secret = secret(machine.flow)
        self.seats = len(machine.game.players)
        self.eyes = [Eyes(machine, seat) for seat in range(self.seats)] if self.is_secret else []
        self.nodes: dict[Hashable, Node] = {}
        self.share = Span()
        self.score = Span()
        self.root = self._key(situation.seat, (), situation.state)
        options = situation.options
        drawn = options if options.size <= WIDE else [options.random(random) for _ in range(WIDE)]
        self.offered = dict(self._keyed(situation.seat, situation.state, drawn))
        """What is compared at the root: options of the true position, by what they are to the player."""
        self.attentions = tuple(self._attention(seat) for seat in range(self.seats)) if self.is_secret else ()
        self.spots: dict[State, Spot] = {}
        """Where iterations begin: many guesses are the same position."""
        self.kept = 0

    def _key(self, seat: int, heard: tuple[Any, ...], state: State) -> Hashable:
        return (seat, heard) if self.is_secret else state.slots

    def _attention(self, seat: int) -> Attention:
        attention = Attention()
        for step in self.situation.steps:
            _, attention = attention.after(step, seat)
        return attention

    # -------------------------------------------------------------------------------------------------- iterations

    def iterate(self, state: State) -> None:
        """Go down the tree from a position, try something new, play on, and remember how it ended."""
        path: list[tuple[Edge, int]] = []
        if state not in self.spots:
            self.spots[state] = Spot(state, self.attentions, ((),) * self.seats)
        try:
            result = self._descend(self.spots[state], path)
        except RuleError:
            result = None  # where the rules fail, nobody wins
        shares = self._shares(result)
        scores = None if result is None else result[2]
        for edge, seat in path:
            edge.visits += 1
            self.share.widen(shares[seat])
            edge.shares += shares[seat]
            score = None if scores is None else scores[seat]
            if isinstance(score, tuple):
                self.score.widen(float(score[0]))
                edge.scores += float(score[0])

    def _descend(self, spot: Spot, path: list[tuple[Edge, int]]) -> Result | None:
        machine, random = self.machine, self.random
        while spot.state.result is None and len(path) < DEEP:
            state = spot.state
            if machine.is_chance(state):
                spot = self._after(spot, machine.outcomes(state).sample(random))
                continue
            seat = machine.decider(state)
            assert seat is not None
            choice, edge = self._chosen(self._key(seat, self._heard(spot)[seat], state), seat, spot)
            path.append((edge, seat))
            spot = self._after(spot, choice)
            if edge.visits == 0:
                break
        return self.playout(spot.state, random)

    def _after(self, spot: Spot, answer: Answer) -> Spot:
        """Where an answer or outcome leads; it is worked out once, as long as there is room."""
        found = spot.after.get(answer)
        if found is None:
            events: list[Event] | None = [] if self.is_secret else None
            state = self.machine.step(spot.state, answer, events)
            found = Spot(state, before=spot, events=events or ())
            if self.kept < KEPT:
                self.kept += 1
                spot.after[answer] = found
        return found

    def _heard(self, spot: Spot) -> tuple[tuple[Any, ...], ...]:
        """What each player has heard since the root; it is worked out where somebody is asked."""
        if spot.heard is None:
            before = spot.before
            assert before is not None
            heard, attentions = list(self._heard(before)), list(before.attentions)
            for eyes in self.eyes:
                known, attentions[eyes.seat] = attentions[eyes.seat].after((before.state, spot.events), eyes.seat)
                lines = eyes.lines(known)
                if lines:
                    heard[eyes.seat] = (heard[eyes.seat], *lines)
            spot.heard, spot.attentions = tuple(heard), tuple(attentions)
        return spot.heard

    def _chosen(self, key: Hashable, seat: int, spot: Spot) -> tuple[Choice, Edge]:
        """The choice that is tried at a node."""
        node = self.nodes.setdefault(key, Node())
        node.visits += 1
        there = [(node.edges.setdefault(name, Edge()), choice) for name, choice in self._opened(key, node, seat, spot)]
        for edge, _ in there:
            edge.there += 1
        new = [(edge, choice) for edge, choice in there if edge.visits == 0]
        if new:
            edge, choice = self.random.choice(new)
        else:
            edge, choice = max(there, key=lambda entry: self._promise(entry[0]))
        return choice, edge

    def _opened(self, key: Hashable, node: Node, seat: int, spot: Spot) -> Sequence[tuple[Hashable, Choice]]:
        """The choices that are compared at a node: all, or where there are very many, some."""
        if spot.opened is not None:
            return spot.opened
        state, options = spot.state, self.machine.options(spot.state)
        if options.size <= WIDE:
            spot.opened = self._keyed(seat, state, options)
            return spot.opened
        if key == self.root:
            choices = ((name, self.guesses.counterpart(self.situation, state, o)) for name, o in self.offered.items())
            spot.opened = [(name, choice) for name, choice in choices if choice is not None]
            return spot.opened
        known = [] if self.is_secret else [choice for choice in node.edges if choice in options]
        drawn = self._keyed(seat, state, [*known, options.random(self.random)])  # type: ignore[list-item]
        is_open = len(node.edges) < 8 * math.sqrt(node.visits)
        return [entry for entry in drawn if is_open or entry[0] in node.edges] or drawn

    def _keyed(self, seat: int, state: State, choices: Options | Sequence[Choice]) -> list[tuple[Hashable, Choice]]:
        """Choices with what they are to the player, in every guess."""
        if not self.is_secret:
            return [(choice, choice) for choice in choices]
        names = names_at(self.eyes[seat], state)
        found: dict[Hashable, Choice] = {}
        for choice in choices:
            found.setdefault(renamed(self.machine, state, choice, names), choice)
        return list(found.items())

    # ------------------------------------------------------------------------------------------------------ worths

    def _shares(self, result: Result | None) -> list[float]:
        winners, losers = ((), ()) if result is None else result[:2]
        if not winners and not losers:
            return [1 / self.seats] * self.seats
        return [1 / len(winners) if seat in winners else 0.0 for seat in range(self.seats)]

    def worth(self, edge: Edge) -> float:
        """How well a choice has done, from 0 to 1."""
        parts = [(self.share, edge.shares, 1.0), (self.score, edge.scores, SCORE_COUNTS)]
        weights = sum(weight for span, _, weight in parts if span.is_wide)
        if not weights or not edge.visits:
            return 0.0
        return sum(weight * span.part(total / edge.visits) for span, total, weight in parts) / weights

    def _promise(self, edge: Edge) -> float:
        return self.worth(edge) + EXPLORE * math.sqrt(math.log(edge.there) / edge.visits)

    def best(self) -> Choice:
        """The option of the true position that has done best, with little trust in what was tried seldom."""
        edges = self.nodes[self.root].edges
        found = [(edges[key], choice) for key, choice in self.offered.items() if key in edges]
        return max(found, key=lambda entry: self.worth(entry[0]) - EXPLORE / math.sqrt(max(1, entry[0].visits)))[1]
