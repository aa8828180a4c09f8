"""Plays by bots on the interpreter, counted. Play `n` of a seed is the same whoever plays it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.log import Event
from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.interpreter.views import Step
from seaspec.bots import Situation
from seaspec.core import flow
from seaspec.game import Game
from seaspec.play import Play
from seaspec.sampling.statistics import Statistics
from seaspec.sampling.turns import Turns
from seaspec.sampling.watch import Watcher as Judge
from seaspec.source import NOWHERE, Span


class NotFollowed(Exception):
    """The interpreter can not follow a play of machine code: the tool is at fault."""


@dataclass(frozen=True, slots=True)
class Played:
    """A play: what is counted of it, its answers and outcomes, how the rules fail after the last one, if they do."""

    counted: Statistics
    answers: tuple[Answer, ...]
    error: RuleError | None = None


class ReferencePlays:
    """Plays of a seed. `limit`: choices in a play, at most; `bots`: their names by seat; without, all choose at random,
    every option equally likely."""

    def __init__(self, game: Game, seed: int, limit: int, bots: Sequence[str] = ()) -> None:
        self.game = game
        self.seed = seed
        self.limit = limit
        self.bots = tuple(bots)

    def play(self, numbers: range) -> Statistics:
        """The plays with these numbers."""
        found = Statistics()
        for number in numbers:
            found.add(self.one_play(number).counted)
        return found

    def one_play(self, number: int, judge: Judge | None = None) -> Played:
        """The play of this number, looked at by somebody who judges it: up to where what is to be met is met."""
        machine = self.game.machine
        random = self._luck(number)
        thinkers = [self.game.bot(text) for text in self.bots]
        events: list[Event] | None = [] if thinkers else None
        plies = 0
        asked: Counter[int] = Counter()
        offered: Counter[int] = Counter()
        found = Statistics()
        turns = Turns(judge)
        answers: list[Answer] = []
        if judge is not None:
            judge.follow()
        try:
            state = machine.begin(events, turns)
            if judge is not None:
                judge.position(None, state)
            steps: list[Step] = [(state, events or ())]
            while judge is None or not judge.findings.witnessed:
                if isinstance(machine.node(state), flow.Decision):
                    if asked.total() >= self.limit:
                        found.cut_off = 1
                        break
                    options = machine.options(state)
                    asked[state.block] += 1
                    offered[state.block] += options.size
                    seat = machine.decider(state)
                    turns.ask(seat)
                    bot = thinkers[seat or 0] if thinkers else None
                    answer: Answer = (
                        options.random(random) if bot is None else bot.choose(Situation(machine, steps, state), random)
                    )
                elif machine.is_chance(state):
                    answer = machine.outcomes(state).sample(random)
                else:
                    winners, losers, scores = state.result or ((), (), None)
                    found.endings[state.block, winners, losers] = 1
                    found.lengths[asked.total()] = 1
                    found.count_seats(turns.order(len(self.game.players)), winners, scores)
                    break
                plies += 1
                answers.append(answer)
                if judge is not None:
                    judge.answered(answer)
                events = [] if thinkers else None
                before, state = state, machine.step(state, answer, events, turns)
                if events is not None:
                    steps.append((before, events))
                if judge is not None:
                    judge.position(before, state)
        except RuleError as error:
            found.fail(number, failure(error.message, error.span))
            return Played(found, tuple(answers), error)
        found.plays, found.plies, found.asked, found.offered = 1, plies, asked, offered
        found.begun = turns.begun
        found.baffled = sum(bot.baffled for bot in thinkers)
        return Played(found, tuple(answers))

    def failed_play(self, number: int) -> Play:
        """The play of this number again, up to where the rules fail."""
        random = self._luck(number)
        thinkers = [self.game.bot(text) for text in self.bots]
        play = self.game.start(automatic=False)
        try:
            while True:
                if (options := play.options) is not None:
                    situation = Situation(self.game.machine, play.steps, play.position)
                    play.do(thinkers[situation.seat].choose(situation, random) if thinkers else options.random(random))
                elif (outcomes := play.chance) is not None:
                    play.happen(outcomes.canonical(outcomes.sample(random)))
                else:
                    break
        except RuleError:
            pass
        return play

    def _luck(self, number: int) -> Random:
        return Random(f"{self.seed}:{number}")


def failure(message: str, span: Span) -> str:
    """How the rules fail, and where."""
    return message if span is NOWHERE else f"{message} ({span})"
