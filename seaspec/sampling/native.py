"""Random plays by machine code, counted; those that fail are gone again by the interpreter, move by move."""

from __future__ import annotations

from itertools import islice

from seaspec.backends.interpreter import errors
from seaspec.backends.native import machine as native
from seaspec.backends.native.errors import RuleError
from seaspec.core import flow
from seaspec.game import Game
from seaspec.play import Play
from seaspec.sampling.following import TRIED, Following
from seaspec.sampling.plays import answers_at
from seaspec.sampling.reference import NotFollowed, failure
from seaspec.sampling.statistics import Statistics


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
            turns=totals.turns,
            won=totals.won,
            scores=totals.scores,
            begun=totals.begun,
        )

    def failed_play(self, number: int) -> Play:
        """The play of this number on the interpreter, up to where the rules fail. `NotFollowed` if they do not."""
        play = self.game.start(automatic=False)
        moves, error = self._recorded(number)
        following = Following(self.game.machine, self.machine)
        for option, after in moves:
            answer = following.answer(play.position, option, after)
            if isinstance(self.game.machine.node(play.position), flow.Decision):
                play.do(answer)  # type: ignore[arg-type]
            else:
                play.happen(answer)
        self._must_fail(play, error)
        return play

    def _recorded(self, number: int) -> tuple[list[tuple[native.Option, native.State]], RuleError]:
        """What machine code chose in a play that fails, with the state after it; and how it fails in the end."""
        moves = []
        try:
            for _, option, after in self.machine.moves(self.seed, number):
                moves.append((option, after))
        except RuleError as error:
            return moves, error
        raise NotFollowed("the play does not fail when it is played again")

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
