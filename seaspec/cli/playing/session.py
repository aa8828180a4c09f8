"""A play at the table: people and bots, what each has seen so far, undo, saving. No input, no output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from seaspec.backends.interpreter.choices import Act, Pass
from seaspec.backends.interpreter.views import SeenPlace
from seaspec.bots import Bot, RandomBot, Situation
from seaspec.cli.playing.keeping import path_named
from seaspec.core import flow, ir, types
from seaspec.core.walk import free_variables
from seaspec.files import read_play
from seaspec.game import Game
from seaspec.play import PlayError, View
from seaspec.saved import from_json


class Session:
    """A play with people; the other players are bots, which choose at random if nothing is said of them.

    The luck of a bot depends on the seed and the number of the move, so going back and on again changes nothing.
    """

    def __init__(
        self,
        game: Game,
        people: frozenset[str],
        seed: int,
        asks_all: bool = True,
        bots: Mapping[str, Bot] | None = None,
    ) -> None:
        """Not `asks_all`: a question with one answer is not asked, unless it is an action."""
        self.game = game
        self.people = people
        self.seed = seed
        self.asks_all = asks_all
        self.bots = {name: RandomBot() for name in game.players if name not in people} | dict(bots or {})
        self.play = game.start(seed=seed)
        self._read: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self.thinking: Callable[[str], None] = lambda player: None
        """Told who it is, before a bot that takes its time chooses."""

    def advance(self) -> None:
        """Let bots choose until a person is asked or the play is over."""
        play = self.play
        while play.asked is not None:
            if play.asked not in self.people:
                situation = Situation(self.game.machine, play.steps, play.position)
                if not isinstance(self.bots[play.asked], RandomBot):
                    self.thinking(play.asked)
                luck = Random(f"{self.seed}:bot:{len(play.history)}")
                play.do(self.bots[play.asked].choose(situation, luck))
            elif self._is_idle():
                play.do(0)
            else:
                break

    def _is_idle(self) -> bool:
        """Whether a question need not be asked."""
        options = self.play.options
        return (
            not self.asks_all and options is not None and len(options) == 1 and not isinstance(options[0], Act | Pass)
        )

    @property
    def asked(self) -> str | None:
        """The person who has to choose; None when the play is over."""
        return self.play.asked

    def view(self) -> View:
        """What the person sees who is asked."""
        assert self.asked is not None
        return self.play.view(self.asked)

    def common_table(self) -> CommonTable:
        """What all the people at the table see."""
        first, *others = [self.play.view(name) for name in sorted(self.people)]
        places = {}
        for name, place in first.places.items():
            seen = all(view.places[name].contents is not None for view in others)
            places[name] = place if seen else SeenPlace(None, place.size)
        states = {name: value for name, value in first.states.items() if all(name in view.states for view in others)}
        return CommonTable(places, states)

    def news(self, view: View) -> tuple[str, ...]:
        """What a player has come to know since this was last asked."""
        first = min(self._read.get(view.player, 0), len(view.log))
        self._read[view.player] = len(view.log)
        return view.log[first:]

    def steps_untold(self, player: str, is_secret: bool) -> int:
        """From which step of the play on a player was told nothing. Not `is_secret`: all know what one is told."""
        number = len(self.play.steps)
        first = min(self._told.get(player, 0), number)
        for name in [player] if is_secret else self.people:
            self._told[name] = number
        return first

    def undo(self) -> str:
        """Take back the last choice of a person, and all since; whose it was."""
        player = None
        while player is None:
            last = max((n for n, move in enumerate(self.play.history) if move.player in self.people), default=None)
            if last is None:
                self.advance()
                raise PlayError("there is no choice to take back")
            while len(self.play.history) > last:
                self.play.undo()
            player = None if self._is_idle() else self.play.asked
        for name in self._read:
            self._read[name] = min(self._read[name], len(self.play.view(name).log))
        for name in self._told:
            self._told[name] = min(self._told[name], len(self.play.steps))
        return player

    def save(self, path: str) -> None:
        """Write the play to a file."""
        self.play.save(path_named(path))

    def load(self, path: str) -> None:
        """Go on with a saved play."""
        data = read_play(path_named(path))
        try:
            self.play = from_json(data, self.game)
        except PlayError as error:
            raise PlayError(str(error), path) from error
        self._read.clear()
        self._told.clear()


@dataclass(frozen=True, slots=True)
class CommonTable:
    """Places and states as several people see them."""

    places: dict[str, SeenPlace]
    states: dict[str, str]


def has_secrets_between(game: Game) -> bool:
    """Whether some player may see what another one does not; if not, all may look at one screen.

    What nobody sees is no secret between them, nor is what all see or nobody.
    """
    rules = game.rules
    things: list[ir.Place | ir.State] = [*rules.places.values(), *rules.states.values()]
    if any(thing.sight.by is not None and not _is_all_or_nobody(thing.sight.by) for thing in things):
        return True
    for block in game.flow.blocks:
        if flow.is_unseen(block.exit):
            return True
        for step in block.steps:
            if isinstance(step, flow.Veil):
                return True
            audience = step.audience if isinstance(step, ir.Say | ir.Show) else None
            if audience is not None and not _is_all_or_nobody(audience):
                return True
    return False


def _is_all_or_nobody(audience: ir.Expr) -> bool:
    """Whether an audience is plainly all players or nobody, whatever it depends on."""
    match audience:
        case ir.Const(types.SetOf(types.Enum(_, names)), tuple() as seats):
            return not seats or len(seats) == len(names)
        case ir.Select(_, binder, None):
            reads = () if binder.test is None else free_variables(binder.test)
            return binder.variable not in reads and _is_all_or_nobody(binder.domain)
        case ir.If(_, _, then, otherwise):
            return _is_all_or_nobody(then) and _is_all_or_nobody(otherwise)
        case _:  # cautious: who hears it is worked out anew
            return False


def has_secret_offers(game: Game) -> bool:
    """Whether some question is asked so that nobody else may notice it."""
    return any(isinstance(block.exit, flow.Decision) and block.exit.secretly for block in game.flow.blocks)
