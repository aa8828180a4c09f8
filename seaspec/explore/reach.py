"""Can a condition still be reached from a position? A search with open cards, all choices and all chance in its favour.

The nearest positions are looked at first (nearness.py); of those the latest, and of those that were found together the
one with most to spare of what the goal needs. That goes straight to the goal where the guess is good. Where it is bad,
it would stay in a corner for long: so half of the time tries are made from elsewhere, each in the same manner, from a
position of a random class of positions that are equally near and equally deep.

Each position is looked at once; a key of 16 bytes stands for it. Where somebody decides, and something is missing that
the goal needs, the search does not go on. So it ends with a way, or with all positions looked at, or at a limit, and
says which.

What is looked for may also be seen in a step, not in a position: then a watcher (watch.py) is told of each step.
"""

from __future__ import annotations

import heapq
import marshal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from hashlib import blake2b
from random import Random
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import ir
from seaspec.explore.distance import distance, margin
from seaspec.explore.reference import holds
from seaspec.sampling.plays import answers_at
from seaspec.sampling.watch import Watcher

Test = Callable[..., Any]
LENGTH = 50
"""After so many positions a try is made from elsewhere, for as many."""
TOLD_EVERY = 256
"""Steps after which it is asked whether to go on."""


class Ended(Enum):
    """How a search has ended."""

    FOUND = "found"
    ALL = "all"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"


@dataclass(slots=True)
class Reached:
    """What a search has found. `way`: the answers that lead to the goal. `left`: positions not gone on from, by the
    name of what they lack; `failed`: steps at which the rules failed."""

    ended: Ended = Ended.LIMIT
    way: tuple[Answer, ...] = ()
    positions: int = 0
    steps: int = 0
    left: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    nearest: int | None = None


def reach(
    machine: Machine,
    start: State,
    goal: ir.Expr,
    needed: Sequence[tuple[str, ir.Expr]],
    go_on: Callable[[Reached, int], bool],
    seed: int = 1,
    watcher: Watcher | None = None,
) -> Reached:
    """Search from a position. `go_on` is asked now and then, and told the bytes in use; at an interrupt it ends, too.

    `needed`: without this the goal can not be reached, at each decision. The same seed gives the same search.
    `watcher`: the goal only says where to go, and may speak of the position before; what is looked for is a step in
    which a promise is seen to be broken, or met.
    """
    search = _Search(machine, goal, needed, seed, go_on, watcher)
    try:
        search.run(start)
    except KeyboardInterrupt:
        search.found.ended = Ended.INTERRUPTED
    return search.found


@dataclass(slots=True)
class _Known:
    """A position that was found: from where, by which answer; its state until all its steps are made."""

    parent: int
    answer: Answer | None
    state: State | None
    depth: int


class _Search:
    def __init__(
        self,
        machine: Machine,
        goal: ir.Expr,
        needed: Sequence[tuple[str, ir.Expr]],
        seed: int,
        go_on: Callable[[Reached, int], bool],
        watcher: Watcher | None,
    ) -> None:
        compiled = machine.program.compile
        self.machine, self.go_on, self.watcher = machine, go_on, watcher
        self.goal = compiled(goal, (), "promise")
        self.needed = [(name, compiled(test, (), "promise")) for name, test in needed]
        self.far = compiled(distance(machine.game, goal), (), "distance")
        self.margin = compiled(margin(machine.game, [test for _, test in needed]), (), "margin")
        self.random = Random(seed)
        self.found = Reached()
        self.known: list[_Known] = []
        self.keys: set[bytes] = set()
        self.near: list[tuple[int, int, int]] = []
        """How far, minus the turn in which it was put here (the latest comes first), the number."""
        self.trial: list[tuple[int, int, int]] | None = None
        """The same, of what a try from elsewhere has found; None on the way."""
        self.put = 0
        self.classes: dict[tuple[int, int], list[int]] = {}
        self.listed: list[tuple[int, int]] = []
        """The classes that have members; one that has lost them is taken out when it is drawn."""
        self.waiting = 0
        layout = machine.layout
        self.bytes_each = 8 * (layout.size + len(machine.game.pieces)) + 500

    def run(self, start: State) -> None:
        found = self.found
        first: list[tuple[int, int, int]] = []
        if self._meet(start, -1, None, start, first):
            return
        self._wait(first)
        turn = 0
        while self.waiting:
            turn += 1
            number = self._next(turn)
            if number is not None and self._open(number):
                return
        found.ended = Ended.ALL

    def _next(self, turn: int) -> int | None:
        """The position to go on from: on the way that is gone, or on that of a try from elsewhere."""
        if turn % (2 * LENGTH) == LENGTH:
            self.trial = []
            return self._any()
        if turn % (2 * LENGTH) > LENGTH and self.trial:
            return heapq.heappop(self.trial)[2]
        self.trial = None
        return heapq.heappop(self.near)[2] if self.near else None

    def _open(self, number: int) -> bool:
        """Make all steps from a position; whether that ends the search, at the goal or at a limit."""
        known, found = self.known[number], self.found
        state = known.state
        if state is None:
            return False
        known.state = None
        self.waiting -= 1
        new: list[tuple[int, int, int]] = []
        for answer in self._answers(state):
            found.steps += 1
            after = self._after(state, answer)
            if self._is_seen():
                found.ended, found.way = Ended.FOUND, (*self._way(number), answer)
                return True
            if after is not None and self._meet(after, number, answer, state, new):
                return True
            if found.steps % TOLD_EVERY == 0 and not self.go_on(found, self._memory()):
                found.ended = Ended.LIMIT
                return True
        self._wait(new)
        return False

    def _after(self, state: State, answer: Answer) -> State | None:
        """Where a step leads; None where the rules fail, and that is counted. Who watches is told of it."""
        machine, watcher = self.machine, self.watcher
        if watcher is not None:
            watcher.come_to(tuple)
        try:
            after = machine.step(state, answer, watch=watcher)
        except RuleError:
            self.found.failed += 1
            return None
        if watcher is not None:
            watcher.position(state, after)
        return after

    def _is_seen(self) -> bool:
        """Whether the watcher has seen in a step what is looked for."""
        return self.watcher is not None and bool(self.watcher.findings.broken or self.watcher.findings.witnessed)

    def _answers(self, state: State) -> Iterator[Answer]:
        """Every choice or outcome; where the rules fail to say which there are, that is counted."""
        try:
            yield from answers_at(self.machine, state)
        except RuleError:
            self.found.failed += 1

    def _wait(self, new: list[tuple[int, int, int]]) -> None:
        """Positions wait from now on; those with most to spare are put last, so they come first of their kind.

        What a try has found does not draw the search away from its way, but by being nearer.
        """
        for _, number, far in sorted(new):
            self.put += 1
            heapq.heappush(self.near, (far, 0 if self.trial is not None else -self.put, number))
            if self.trial is not None:
                heapq.heappush(self.trial, (far, -self.put, number))

    def _meet(
        self, state: State, parent: int, answer: Answer | None, before: State, new: list[tuple[int, int, int]]
    ) -> bool:
        """A position is found; whether it is the goal. `new` gets what is to wait: its spare, number, distance."""
        key = blake2b(marshal.dumps(self.machine.canonical(state), 2), digest_size=16).digest()
        if key in self.keys:
            return False
        self.keys.add(key)
        found, look = self.found, self._look(state, before)
        found.positions += 1
        number = len(self.known)
        depth = 0 if parent < 0 else self.known[parent].depth + 1
        self.known.append(_Known(parent, answer, None, depth))
        if self.watcher is None and holds(self.goal, look):
            found.ended, found.way = Ended.FOUND, self._way(number)
            return True
        if state.result is not None:
            return False
        lack = self._lack(state)
        if lack is not None:
            found.left[lack] += 1
            return False
        far = self._guess(self.far, look)
        found.nearest = far if found.nearest is None else min(found.nearest, far)
        self.known[number].state = State(state.slots, state.where)
        self.waiting += 1
        new.append((self._guess(self.margin, look), number, far))
        members = self.classes.setdefault((far, depth), [])
        if not members:
            self.listed.append((far, depth))
        members.append(number)
        return False

    def _look(self, state: State, before: State) -> Look:
        """A look at a position; of steps also at the one before."""
        if self.watcher is None:
            return self.machine.look(state)
        return Look(self.machine.program, state.slots, state.where, self.machine.look(before))

    def _lack(self, state: State) -> str | None:
        if self.needed and self.machine.decider(state) is not None:
            look = self.machine.look(state)
            for name, test in self.needed:
                if not holds(test, look):
                    return name
        return None

    def _guess(self, guess: Test, look: Look) -> int:
        """How far, or how great a margin; what has no value is no guess."""
        try:
            return int(guess(look))
        except (RuleError, TypeError, LookupError):  # it looks at more than the promise does, and there is none
            return 0

    def _any(self) -> int | None:
        """A position of a random class."""
        while self.listed:
            place = self.random.randrange(len(self.listed))
            members = self.classes[self.listed[place]]
            while members:
                chosen = self.random.randrange(len(members))
                members[chosen], members[-1] = members[-1], members[chosen]
                number = members.pop()
                if self.known[number].state is not None:
                    if not members:
                        self._drop(place)
                    return number
            self._drop(place)
        return None

    def _drop(self, place: int) -> None:
        self.listed[place] = self.listed[-1]
        self.listed.pop()

    def _way(self, number: int) -> tuple[Answer, ...]:
        found = []
        while (answer := self.known[number].answer) is not None:
            found.append(answer)
            number = self.known[number].parent
        return tuple(reversed(found))

    def _memory(self) -> int:
        """About so many bytes are in use."""
        return self.waiting * self.bytes_each + 450 * len(self.known)
