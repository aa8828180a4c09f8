"""Plays: one run of a game, with its history, views, undo, and a form in which it is saved.

A play is its list of moves: the choices of players and the outcomes of chance, in order. Chance comes from a seed (each
event from the seed and its number, so undoing and going on again meets the same luck), or from a given list, or from
the caller, event by event. Saved plays hold names, never indices, and the full text of the rules they were played by.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.chance import Drawn, Outcome, Outcomes, Rolled, Thrown
from seaspec.backends.interpreter.choices import Act, Choice, Line, Options, Pass, Share, Subset, Values
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.log import Event
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation, plain, read_value, split
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import View
from seaspec.backends.interpreter.why import Reason, evaluate, why_not
from seaspec.bots.choosing import Bot, Situation
from seaspec.core import flow, ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Value
from seaspec.diagnostics.model import near
from seaspec.files import read_play, write_whole
from seaspec.saved import PlayError, from_json, to_json
from seaspec.source import Span

if TYPE_CHECKING:
    from seaspec.game import Game


@dataclass(frozen=True, slots=True)
class Move:
    """One entry of a history: who chose what, or (player None) what happened by chance. `text` names it in full."""

    player: str | None
    menu: str
    text: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Result:
    """How a play ended. `scores`: by player, the score and what breaks ties; None for who dropped out."""

    winners: tuple[str, ...]
    losers: tuple[str, ...]
    scores: dict[str, tuple[int, ...] | None] | None
    reason: str
    cites: tuple[str, ...]
    span: Span | None


Calls = dict[str, tuple[Value, ...]]
"""Procedures that run, outermost first, with their arguments."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A procedure has begun; `before`: how many of the events of its step had happened by then."""

    before: int
    procedure: str
    arguments: tuple[Value, ...]


class Play:
    """A play that goes on or is over; see `Game.start`.

    `do` chooses, `undo` takes back, `view` is what a player sees. Where the rules themselves fail, `do` raises
    RuleError and the play stays where it was.

    >>> import seaspec
    >>> play = seaspec.load("calm", players=3).start(seed=1)
    >>> play.asked, play.menu
    ('Ann', 'deed')
    >>> play = play.do("drop_two").do(0)
    >>> play.history[-1].player is None, play.undo().undo().is_over
    (True, False)
    """

    def __init__(self, game: Game, seed: int | None, outcomes: Iterable[Outcome | str] | None = None) -> None:
        self.game = game
        self.seed = seed
        self._given = None if outcomes is None else list(outcomes)
        self._moves: list[Move] = []
        self._states: list[State] = []
        self._events: list[list[Event]] = []
        first: list[Event] = []
        account = _Account(game.machine, {}, first)
        self._states.append(game.machine.begin(first, account))
        self._events.append([])
        self._accounts = [account]
        self._first_events = first
        self._settle_chance()

    # --------------------------------------------------------------------------------------------- where it stands

    @property
    def position(self) -> State:
        """The state of the game now."""
        return self._states[-1]

    @property
    def is_over(self) -> bool:
        return self.position.result is not None

    @property
    def asked(self) -> str | None:
        """Who has to choose; None if chance has, or the play is over."""
        seat = self.game.machine.decider(self.position)
        return None if seat is None else self.game.players[seat]

    @property
    def menu(self) -> str | None:
        """The name of the choice point: a menu, or the procedure it stands in."""
        node = self.game.machine.node(self.position)
        return node.menu if isinstance(node, flow.Decision) else None

    @property
    def choices(self) -> Sequence[Choice]:
        """The options of who is asked: a sequence with `len`, index and iteration, produced lazily; () if nobody is."""
        return self.options or ()

    @property
    def options(self) -> Options | None:
        """The same as `Options`, with `position`, `canonical`, `random`; None if nobody is asked."""
        if self.asked is None:
            return None
        return self.game.machine.options(self.position)

    @property
    def chance(self) -> Outcomes | None:
        """The chance event that waits for `happen`; None if none does."""
        machine = self.game.machine
        return machine.outcomes(self.position) if machine.is_chance(self.position) else None

    @property
    def history(self) -> tuple[Move, ...]:
        """All moves, with what no player may see: for records and tools, not for players (see `View.log`)."""
        return tuple(self._moves)

    @property
    def result(self) -> Result | None:
        """How the play ended; None while it goes on."""
        found = self.position.result
        if found is None:
            return None
        winners, losers, scores = found
        names = self.game.players
        how = self._how()
        source = ir.Source() if how is None else how.source
        by_name: dict[str, Any] | None = None if scores is None else dict(zip(names, scores, strict=True))
        return Result(
            tuple(names[q] for q in winners),
            tuple(names[q] for q in losers),
            by_name,
            self._reason(source) if how is not None else "the game is over",
            source.cites,
            None if how is None else source.span,
        )

    def _how(self) -> ir.End | ir.Score | None:
        node = self.game.machine.node(self.position)
        return node.how if isinstance(node, flow.Over) else None

    def _reason(self, source: ir.Source) -> str:
        if source.sentence is None:
            return "the game is over"
        machine = self.game.machine
        return machine.effects.text(machine.look(self.position), source.sentence)

    def text(self, choice: Answer) -> str:
        """An option (or outcome) as text: `lay(Card 45, B3)`."""
        return Notation(self.game.machine, self.position).text(choice)

    def view(self, player: str | int) -> View:
        """What a player sees, now."""
        return views.view(self.game.machine, self.position, self.steps, self._seat(player))

    @property
    def steps(self) -> list[views.Step]:
        """The states and what happened after each: what views are made from."""
        begun = (self._states[0], self._first_events)
        return [begun, *zip(self._states, self._events[1:], strict=False)]

    @property
    def calls(self) -> Calls:
        """The procedures that run where it stands, outermost first, with their arguments."""
        return dict(self._accounts[-1].running)

    @property
    def begun(self) -> list[list[Begun]]:
        """Which procedures began in each step of `steps` but the last; for records and tools, not for players."""
        return [account.begun for account in self._accounts]

    def why_not(self, player: str | int, action: str, *arguments: Value) -> tuple[Reason, ...]:
        """What stands against an action now; empty if nothing does.

        The action with its arguments as text, `why_not("Ann", "lay(Card 45, B3)")`, or the arguments as values (with
        the player first, if the action asks one). Identical pieces: the first that fares best.
        """
        seat = self._seat(player)
        found = [
            why_not(self.game.machine, self.position, seat, name, values)
            for name, values in self._meant(seat, action, arguments)
        ]
        return min(found, key=len)

    def value(self, words: str) -> int | bool | str | None:
        """What a state or a define is now, with nothing hidden: `value("points[Ann]")`, `value("price(3, B2)")`.

        Numbers and `yes or no` are those of Python, `none` is None; all else is told by name.
        """
        machine = self.game.machine
        expr = _read_out(self.game, words)
        found: Value = evaluate(machine, machine.look(self.position), expr, {})
        ty = expr.type.of if isinstance(expr.type, types.Optional) else expr.type
        if found is None or (isinstance(found, int) and isinstance(ty, types.Int | types.Bool)):
            return found
        return show_value(found, ty, self.game.rules)

    # ------------------------------------------------------------------------------------------------------ playing

    def do(self, choice: Choice | str | int) -> Play:
        """Choose an option: one of `choices`, its text or its index. Raises PlayError if it is none.

        A choice may name other pieces than the option does, if they are identical: the option is what is done.
        """
        options = self.options
        if options is None:
            raise PlayError("the game is over" if self.is_over else "nobody is asked now", self._where())
        try:
            if isinstance(choice, str):
                answer: Any = Notation(self.game.machine, self.position).read(choice)
            elif isinstance(choice, int):
                answer = options[choice]
            else:
                answer = options.canonical(choice)
        except (ChoiceError, IndexError) as error:
            raise PlayError(str(error), self._where()) from error
        self._take(answer)
        self._settle_chance()
        return self

    def leave_to(self, bot: Bot) -> Play:
        """Let a bot choose for whoever is asked (see `Game.bot`).

        Its luck comes from the seed and the number of the move.
        """
        if self.asked is None:
            raise PlayError("the game is over" if self.is_over else "nobody is asked now", self._where())
        luck = Random() if self.seed is None else Random(f"{self.seed}:bot:{len(self._moves)}")
        return self.do(bot.choose(Situation(self.game.machine, self.steps, self.position), luck))

    def happen(self, outcome: Outcome | str | None = None) -> Play:
        """Let a chance event happen that waits: this outcome, or (None) one by the seed, or by luck without a seed."""
        outcomes = self.chance
        if outcomes is None:
            raise PlayError("nothing is left to chance now", self._where())
        try:
            if outcome is None:
                found: Answer = outcomes.canonical(outcomes.sample(self._luck()))
            elif isinstance(outcome, str):
                found = Notation(self.game.machine, self.position).read(outcome)
            else:
                found = outcomes.canonical(outcome)
        except ChoiceError as error:
            raise PlayError(str(error), self._where()) from error
        self._take(found)
        self._settle_chance()
        return self

    def undo(self) -> Play:
        """Take back the last choice, and all that chance did since."""
        last = next((n for n in range(len(self._moves) - 1, -1, -1) if self._moves[n].player is not None), None)
        if last is None:
            raise PlayError("there is no choice to take back")
        if self._given is not None:
            since = [move.answer for move in self._moves[last:] if move.player is None]
            self._given = [*since, *self._given]
        del self._moves[last:], self._states[last + 1 :], self._events[last + 1 :], self._accounts[last + 1 :]
        return self

    def draw_from(self, seed: int) -> Play:
        """From here on chance is drawn from this seed."""
        self.seed = seed
        self._given = None
        self._settle_chance()
        return self

    def _settle_chance(self) -> None:
        """Let all happen that need not wait for the caller."""
        while self.chance is not None and (self._given or self._given is None):
            if self._given is None:
                self._take(self.chance.canonical(self.chance.sample(self._luck())))
                continue
            given = self._given.pop(0)
            try:
                if isinstance(given, str):
                    answer = Notation(self.game.machine, self.position).read(given)
                else:
                    answer = self.chance.canonical(given)
            except ChoiceError as error:
                raise PlayError(str(error), self._where()) from error
            self._take(answer)

    def _luck(self) -> Random:
        return Random() if self.seed is None else Random(f"{self.seed}:{len(self._moves)}")

    def _take(self, answer: Answer) -> None:
        machine = self.game.machine
        state = self.position
        node = machine.node(state)
        menu = node.menu if isinstance(node, flow.Decision) else self.game.flow.blocks[state.block].owner
        player = self.asked
        events: list[Event] = []
        account = _Account(machine, self._accounts[-1].running, events)
        after = machine.step(state, answer, events, account)
        self._moves.append(Move(player, menu, Notation(machine, state).text(answer), answer))
        self._states.append(after)
        self._events.append(events)
        self._accounts.append(account)

    def _where(self) -> str:
        return f"move {len(self._moves) + 1}"

    def _seat(self, player: str | int) -> int:
        names = self.game.players
        if isinstance(player, int) and 0 <= player < len(names):
            return player
        if player in names:
            return names.index(str(player))
        raise PlayError(f"there is no player {player}; there are {', '.join(names)}")

    def _meant(self, seat: int, action: str, arguments: tuple[Value, ...]) -> Iterator[tuple[str, tuple[Value, ...]]]:
        """The ways to read an action with arguments: several for identical pieces."""
        name, _, rest = action.partition("(")
        name = next((a for a in self.game.rules.actions if plain(a) == plain(name)), name)
        rules = self.game.rules.actions.get(name)
        if rules is None:
            raise PlayError(f"there is no action {name}; there are {', '.join(self.game.rules.actions)}")
        params = list(rules.params)
        wanted = ", ".join(param.variable.name for param in params[rules.asks :]) or "no arguments"
        if arguments or not rest:
            values = arguments if len(arguments) == len(params) or not rules.asks else (seat, *arguments)
            if len(values) != len(params):
                raise PlayError(f"{name} wants {wanted}")
            yield name, tuple(values)
            return
        words = split(rest.removesuffix(")"))
        fixed: list[list[Value]] = []
        if rules.asks and len(words) == len(params) - 1:
            fixed, params = [[seat]], params[1:]
        if len(words) != len(params):
            raise PlayError(f"{name} wants {wanted}")
        for param, word in zip(params, words, strict=True):
            found = read_value(word, param.variable.type, self.game.rules)
            if not found:
                raise PlayError(f"'{word}' can not be the {param.variable.name} of {name}")
            fixed.append(found)
        ways: list[tuple[Value, ...]] = [()]
        for values_of_one in fixed:
            ways = [(*way, value) for way in ways for value in values_of_one]
        yield from ((name, way) for way in ways)

    # ------------------------------------------------------------------------------------------------------- saving

    def save(self, path: str | Path) -> None:
        """Write the play to a file."""
        write_whole(Path(path), json.dumps(to_json(self), indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def load(path: str | Path, game: Game) -> Play:
        """A saved play, replayed by the rules of `game`; PlayError if the file or the rules are not as they were."""
        return from_json(read_play(Path(path)), game)

    def __repr__(self) -> str:
        return f"<Play of {self.game.name}, {len(self._moves)} moves{', over' if self.is_over else ''}>"


@lru_cache(maxsize=1000)
def _read_out(game: Game, words: str) -> ir.Expr:
    """The expression that reads a state or a define; its arguments are given as text."""
    rules = game.rules
    read = re.fullmatch(r"\s*(\w+)\s*(?:\[(.*)\]|\((.*)\))?\s*", words)
    if read is None:
        raise PlayError(f"'{words}' is no state or define: write `name`, `name[index]` or `name(argument)`")
    name = read[1]
    if name in rules.states:
        state = rules.states[name]
        wanted, ty = [(variable.name, variable.type) for variable in state.index], state.type
    elif name in rules.functions:
        function = rules.functions[name]
        wanted, ty = [(variable.name, variable.type) for variable in function.params], function.type
    else:
        hint = near(name, [*rules.states, *rules.functions])
        raise PlayError(f"there is no state or define {name}" + (f"; {hint}" if hint else ""))
    given = split(read[2] or read[3] or "")
    if len(given) != len(wanted):
        raise PlayError(f"{name} wants {', '.join(param for param, _ in wanted) or 'no arguments'}")
    arguments = []
    for (param, of), word in zip(wanted, given, strict=True):
        values = read_value(word, of, rules)
        if not values:
            raise PlayError(f"'{word}' can not be the {param} of {name}")
        arguments.append(ir.Const(of, values[0]))
    if name in rules.states:
        return ir.StateRead(ty, name, tuple(arguments))
    return ir.Call(ty, name, tuple(arguments))


class _Account:
    """Watches the procedures that begin and end in a step."""

    def __init__(self, machine: Machine, running: Calls, events: list[Event]) -> None:
        self.running = dict(running)
        self.begun: list[Begun] = []
        self._machine = machine
        self._events = events

    def begin(self, procedure: str, look: Look) -> None:
        frame = self._machine.layout.frame
        params = self._machine.flow.routines[procedure].params
        arguments = tuple(look.s[frame[param]] if param in frame else None for param in params)
        self.running.pop(procedure, None)
        self.running[procedure] = arguments
        self.begun.append(Begun(len(self._events), procedure, arguments))

    def finish(self, procedure: str, look: Look) -> None:
        self.running.pop(procedure, None)


def random_play(game: Game, random: Random, max_plies: int = 100_000) -> Play:
    """A play in which everybody chooses at random; it may end early, after so many choices.

    Where the rules fail, RuleError is raised.
    """
    play = game.start(seed=random.getrandbits(63))
    for _ in range(max_plies):
        options = play.options
        if options is None:
            break
        play.do(options.random(random))
    return play


PASS = Pass()

__all__ = [
    "PASS", "Act", "Drawn", "Line", "Move", "Outcome", "Pass", "Play", "PlayError", "Reason", "Result", "Rolled",
    "RuleError", "Share", "Subset", "Thrown", "Values", "View", "random_play",
]  # fmt: skip
