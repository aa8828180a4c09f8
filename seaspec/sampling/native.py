"""Random plays by machine code, counted; those that fail are gone again by the interpreter, move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Any, assert_never

from seaspec.backends.interpreter import errors
from seaspec.backends.interpreter.chance import Drawn, Rolled, Thrown
from seaspec.backends.interpreter.choices import PASS, Act, Line, Share, Subset, Values
from seaspec.backends.interpreter.machine import Answer
from seaspec.backends.native import machine as native
from seaspec.backends.native.errors import RuleError
from seaspec.core import flow, ir
from seaspec.game import Game
from seaspec.play import Play
from seaspec.sampling.plays import answers_at
from seaspec.sampling.reference import NotFollowed, failure
from seaspec.sampling.statistics import Statistics
from seaspec.translating import state_of

TRIED = 10_000
"""So many answers at a position are looked through."""


class NativePlays:
    """Random plays of a seed, every option equally likely. `limit`: choices in a play, at most.

    Raises `NotCompiled` if machine code can not run the game; also while it plays, where something gets too big for it.
    """

    def __init__(self, game: Game, seed: int, limit: int) -> None:
        self.game = game
        self.seed = seed
        self.limit = limit
        self.machine = native.Machine(game.flow)

    def play(self, numbers: range) -> Statistics:
        """The plays with these numbers. Many threads may do this at a time, on all cores."""
        found = Statistics()
        first = numbers.start
        while first < numbers.stop:
            try:
                found.add(self._counted(first, numbers.stop))
                break
            except native.PlayFailed as error:
                found.add(self._counted(first, error.play))
                found.fail(error.play, failure(error.error.message, error.error.span))
                first = error.play + 1
        return found

    def _counted(self, first: int, stop: int) -> Statistics:
        totals = self.machine.simulate(self.seed, first, stop - first, self.limit)
        return Statistics(
            totals.plays,
            totals.plies,
            totals.cut_off,
            totals.endings,
            totals.lengths,
            totals.asked,
            totals.offered,
        )

    def failed_play(self, number: int) -> Play:
        """The play of this number on the interpreter, up to where the rules fail. `NotFollowed` if they do not."""
        play = self.game.start(automatic=False)
        moves, error = self._recorded(number)
        for option, after in self._with_next(moves):
            answer = self._answer(play, option, after)
            if isinstance(self.game.machine.node(play.position), flow.Decision):
                play.do(answer)  # type: ignore[arg-type]
            else:
                play.happen(answer)
        self._must_fail(play, error)
        return play

    def _recorded(self, number: int) -> tuple[list[tuple[native.State, native.Option]], RuleError]:
        """The states of a play that fails with what machine code chose there, and how it fails in the end."""
        moves = []
        try:
            for move in self.machine.record(self.seed, number):
                moves.append(move)
        except RuleError as error:
            return moves, error
        raise NotFollowed("the play does not fail when it is played again")

    def _with_next(
        self, moves: Sequence[tuple[native.State, native.Option]]
    ) -> Iterator[tuple[native.Option, native.State]]:
        """What was chosen, and the state after it."""
        for (_, option), (after, _) in pairwise(moves):
            yield option, after
        if moves:
            state, option = moves[-1]
            if self.machine.count(state) > TRIED:
                raise NotFollowed("the last move has too many alternatives to be found again")
            same = [_meaning(other) == _meaning(option) for other in self.machine.options(state)]
            yield option, self.machine.step(state, same.index(True))

    def _answer(self, play: Play, option: native.Option, after: native.State) -> Answer:
        """The answer of the interpreter that leads to the same position."""
        machine = self.game.machine
        goal = machine.canonical(state_of(machine, self.machine.position(after)))
        here = play.position
        for answer in chain([self._told(play, option)], islice(answers_at(machine, here), TRIED)):
            try:
                if machine.canonical(machine.step(here, answer)) == goal:
                    return answer
            except (errors.RuleError, errors.ChoiceError):
                continue
        raise NotFollowed("a move that only machine code can make")

    def _told(self, play: Play, option: native.Option) -> Answer:
        """The option in terms of the interpreter, as it is unless identical pieces have changed their parts."""
        values: Any = option.values
        if option.is_pass:
            return PASS
        if option.action is not None:
            return Act(option.action, values)
        match self.game.machine.node(play.position):
            case flow.DrawNode():
                return Drawn(*values)
            case flow.RollNode():
                return Rolled(*values)
            case flow.ThrowNode():
                return Thrown(values[:-1], values[-1])
            case flow.Decision(offer=ir.OfferSubset()) | flow.ChanceNode(offer=ir.OfferSubset()):
                return Subset(*values)
            case flow.Decision(offer=ir.OfferShare()) | flow.ChanceNode(offer=ir.OfferShare()):
                return Share(*values)
            case flow.Decision(offer=flow.OfferLines()):
                return Line(*values)
            case flow.Decision() | flow.ChanceNode() | flow.Over() | flow.Outside():
                return Values(values)
            case never:
                assert_never(never)

    def _must_fail(self, play: Play, error: RuleError) -> None:
        """There is an answer here after which the rules fail in the same way for the interpreter, too."""
        machine = self.game.machine
        for answer in islice(answers_at(machine, play.position), TRIED):
            try:
                machine.step(play.position, answer)
            except errors.RuleError as same:
                if same.span == error.span or same.message == error.message:
                    return
        raise NotFollowed("the rules fail in machine code only")


def _meaning(option: native.Option) -> tuple[object, ...]:
    """An option without its weight."""
    return option.is_pass, option.action, option.values
