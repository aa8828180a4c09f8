"""Millions of steps at random by machine code, every promise watched; what breaks is told as plays of the interpreter.

Machine code says in which play something came up soonest; that play is gone again by the interpreter, which judges for
itself. What only machine code sees is no finding but a mistake of the tool, and is noted as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.interpreter.state import State
from seaspec.backends.native import machine as native
from seaspec.backends.native.errors import RuleError as NativeError
from seaspec.backends.native.flow.judging import Event
from seaspec.backends.native.watcher import Failing, Seen, Watcher
from seaspec.core import flow, ir
from seaspec.core.owing import FOR_EVER
from seaspec.game import Game
from seaspec.sampling.endless import Wandering
from seaspec.sampling.following import TRIED, Following, said
from seaspec.sampling.plays import Ending, PlayFindings, answers_at, note_failure, place_of
from seaspec.sampling.reference import NotFollowed
from seaspec.sampling.returning import calls_in_round
from seaspec.sampling.watch import Found
from seaspec.sampling.watch import Watcher as Judge

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 20_000
"""Steps in a play, at most."""
FOLLOWED = 2_000
"""A play of more steps shows nothing that anybody could follow."""
FIRST = 2_000
"""Steps in the first batch, and plays, at most; each later one has twice as many as the one before."""
MOST = 1_000_000
"""So many at most."""
FAILURES = 100
"""Where the rules have failed so often, it is known that they do."""
TWICE = 2


class Roaming:
    """Plays of a seed, those of more than `limit` steps cut off; `hasty`: by machine code that is made soon, until
    `compile_well`; `wanted`: what is to be told, by however long a play, if it is not all that can be followed;
    `cache`: where machine code is kept, if not as usual. Raises `NotCompiled` where machine code can not play it."""

    def __init__(
        self,
        game: Game,
        seed: int,
        hasty: bool = False,
        limit: int = LIMIT,
        wanted: Callable[[Event | Failing], bool] | None = None,
        cache: Path | None = None,
    ) -> None:
        self.limit, self.wanted, self.cache = limit, wanted, cache
        self.machine = game.machine
        self.seed = seed
        self.watcher = Watcher(game.flow, cache, hasty)
        self.following = Following(self.machine, self.watcher)
        self._wandering: Wandering | None = None
        self.comes_back = False
        """A play was found that does."""
        self.judge = Judge(self.machine)
        self.seen = Seen()
        self.found = PlayFindings(watched=self.judge.findings)
        self.notes: list[str] = []
        self._told: dict[Event | Failing, int] = {}
        """In how many steps what was told came up."""
        self._batch = FIRST
        self._meant = {promise.name for promise in game.rules.promises if promise.myth} | set(game.rules.breaks)

    def go_on(self, most: int = MOST) -> Iterator[None]:
        """Play a batch of at most so many plays, and tell what is new or much shorter now, one after the other."""
        plays = min(most, self._batch)
        self.seen.add(self.watcher.watch(self.seed, self.seen.plays, plays, self.limit, self._batch))
        self._batch = min(MOST, 2 * self._batch)
        return self._tell_all(TWICE)

    def come_back(self, steps: int, go_on: Callable[[], bool]) -> tuple[Found | None, frozenset[str]]:
        """Look for a play that comes back to where it was, until so many steps were made in all, or one should not go
        on; and for the promises to end that it breaks."""
        self._wandering = self._wandering or Wandering(self.machine, self.watcher, self.seed)
        found = self._wandering.look(steps, go_on)
        if found is None:
            return None, frozenset()
        self.comes_back = True
        within = calls_in_round(self.machine, found)
        broken = self.judge.findings.broken
        for name in within:
            broken[name] = found.shorter(broken.get(name))
        return found, within

    def compile_well(self) -> None:
        """Go on with machine code that runs faster. The plays are the same."""
        self.watcher = Watcher(self.watcher.flow, self.cache)
        self.following = Following(self.machine, self.watcher)

    def has_played(self, much: int) -> bool:
        """Whether so much was played (a play without a step is something, too), or the rules have failed often."""
        return self.seen.steps + self.seen.plays >= much or self.seen.failed >= FAILURES

    def shorten(self) -> None:
        """Tell what breaks by the shortest play that has come up."""
        for _ in self._tell_all(1):
            pass

    def _tell_all(self, times: int) -> Iterator[None]:
        """Tell what is new, what breaks the rules first; and that also by a play that is so many times shorter than
        before."""
        self._count()
        soonest = sorted(self.seen.soonest.items(), key=lambda entry: (not self._breaks(entry[0]), entry[1]))
        for event, (steps, play) in soonest:
            if not self._is_told(event, steps):
                continue
            known = self._told.get(event)
            if known is None or (steps < known and steps * times <= known and self._breaks(event)):
                self._told[event] = steps
                self._tell(event, steps, play)
                yield
        self._count()

    def _is_told(self, event: Event | Failing, steps: int) -> bool:
        if self.wanted is not None:
            return self.wanted(event)
        return steps <= FOLLOWED and (isinstance(event, Failing) or event.what in ("broken", "met"))

    def _breaks(self, event: Event | Failing) -> bool:
        """Whether somebody must mend it; a myth is refuted by any play."""
        return isinstance(event, Failing) or (event.what == "broken" and event.name not in self._meant)

    def _count(self) -> None:
        """What needs no play to be shown."""
        found, seen, game = self.found, self.seen, self.machine.game
        found.compiled, found.compiled_steps = seen.plays, seen.steps
        found.unfinished, found.longest = seen.cut_off, seen.longest
        noted = {(event.what, event.name) for event in seen.soonest if isinstance(event, Event)}
        watched = found.watched
        watched.most_calls |= seen.most_calls
        for promise in game.promises:
            if ("looked", promise.name) in noted or _is_everywhere(promise):
                watched.looked[promise.name] = seen.steps
            if ir.supposition(promise) is not None and ("supposed", promise.name) not in noted:
                watched.unsupposed.add(promise.name)
            else:
                watched.unsupposed.discard(promise.name)
        found.taken.update({name: 1 for what, name in noted if what == "taken" and name not in found.taken})
        found.endings.clear()
        for block, count in seen.endings.items():
            found.endings[self._ending(block)] += count

    def _ending(self, block: int) -> Ending:
        node = self.machine.flow.blocks[block].exit
        return place_of(node.how.source) if isinstance(node, flow.Over) and node.how is not None else ("", 0)

    # ------------------------------------------------------------------------------------------- by the interpreter

    def _tell(self, event: Event | Failing, steps: int, play: int) -> None:
        why = ""
        for by in (self.following.likely, self.following.answer):  # who judges the play sees whether it shows it
            try:
                if any(self._shows(event) for _ in self._gone(steps + isinstance(event, Failing), play, by)):
                    return
                why = "the interpreter does not see it"
            except NotFollowed as error:
                why = str(error)
        if isinstance(event, Failing) and event.message.endswith(FOR_EVER):
            return  # what counts comes so seldom that machine code has given it up
        self._note(f"{_named(event)}: {why}")

    def _note(self, what: str) -> None:
        self.notes.append(f"machine code and interpreter do not agree, which is a mistake of SeaSpec: {what}")

    def _shows(self, event: Event | Failing) -> bool:
        """Whether what was gone last shows it, to the interpreter."""
        watched = self.judge.findings
        if isinstance(event, Failing):
            return self._fails is not None and _is_same(self._fails, event)
        return event.name in (watched.broken if event.what == "broken" else watched.witnessed)

    _fails: RuleError | None = None
    """How the rules have failed in the last step that was made."""

    def _gone(
        self, steps: int, play: int, by: Callable[[State, native.Option, native.State], Answer]
    ) -> Iterator[None]:
        """A play, up to so many steps; where the rules fail in the last one, each answer after which they do."""
        judge, machine = self.judge, self.machine
        judge.follow()
        self._fails = None
        answers: list[Answer] = []
        try:
            state = machine.begin(watch=judge)
            judge.position(None, state)
        except RuleError as error:
            self._failed(error, ())
            yield
            return
        try:
            for _, option, after in islice(self.watcher.moves(self.seed, play), steps):
                answer = by(state, option, after)
                answers.append(answer)
                judge.answered(answer)
                before, state = state, machine.step(state, answer, watch=judge)
                judge.position(before, state)
            yield
        except NativeError:
            yield from self._last(state, answers)

    def _last(self, state: State, answers: list[Answer]) -> Iterator[None]:
        """The last step fails: which answers lead to that is tried out."""
        judge, machine = self.judge, self.machine
        try:
            for answer in islice(answers_at(machine, state), TRIED):
                try:
                    machine.step(state, answer)
                except RuleError as error:
                    judge.answered(answer)
                    try:
                        machine.step(state, answer, watch=judge)
                    except RuleError:
                        self._failed(error, (*answers, answer))
                    yield
                    judge.unanswered()
        except RuleError as error:  # there is no saying what one may choose
            self._failed(error, tuple(answers))
            yield

    def _failed(self, error: RuleError, answers: tuple[Answer, ...]) -> None:
        self._fails = error
        note_failure(self.found, error, Found(answers, error.message))


def _is_everywhere(promise: ir.Promise) -> bool:
    """Whether a promise is looked at in each position or step."""
    match promise:
        case ir.Invariant(_, claim):
            return claim is ir.Claim.NODES
        case ir.Always(_, after):
            return not after
        case ir.Reachable() | ir.NeverStuck():
            return True
        case ir.Lemma() | ir.Winnable() | ir.EndsWithin() | ir.Secret() | ir.OddsPromise() | ir.Symmetry():
            return False
        case never:
            assert_never(never)


def _named(event: Event | Failing) -> str:
    return f"{event.span}: {event.message}" if isinstance(event, Failing) else f"{event.name} {event.what}"


def _is_same(error: RuleError, failing: Failing) -> bool:
    return error.span == failing.span or said(error.message) == said(failing.message)
