"""The greedy bot: looks one ply ahead, and takes the option after which the score is best.

The score is the one by which the game itself is decided (`score p: ..`), or a define or state of a player, or of
nobody, by its name. A won game is better than any score, and a lost one worse. Where the option, or what chance does
before the next choice, may lead to several positions, and where something is hidden, the mean counts.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from seaspec.backends.interpreter.choices import Choice
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.bots.choosing import BotError, Situation
from seaspec.bots.guesses import Guesses
from seaspec.core import ir, types
from seaspec.core.walk import free_variables, walk

GUESSES = 8
"""Positions thought about where something is hidden."""
THROWS = 8
"""Times that chance is let happen after an option."""
MOST_OPTIONS = 1_000
"""Of more options, so many are looked at, drawn at random."""

Score = Callable[[Look, int], Any]
Worth = tuple[float, float]
"""Won (1) or lost (-1), on average; the score, on average."""


class GreedyBot:
    """Takes the option with the best score after one ply; equal ones at random."""

    def __init__(self, machine: Machine, name: str | None = None) -> None:
        self.score = score_of(machine, name)
        self.guesses = Guesses(GUESSES)
        self.baffled = 0

    def choose(self, situation: Situation, random: Random) -> Choice:
        options = situation.options
        if options.size == 1:
            return options[0]
        positions = self.guesses.positions(situation)
        if not positions:
            self.baffled += 1
            return options.random(random)
        ahead = _Ahead(situation.machine, situation.seat, self.score)
        positions = [ahead.known(position) for position in positions]
        looked_at = options
        if options.size > MOST_OPTIONS:
            looked_at = [options.random(random) for _ in range(MOST_OPTIONS)]  # type: ignore[assignment]
        worths = [(self._worth(situation, positions, option, ahead, random), option) for option in looked_at]
        best = max(worth for worth, _ in worths)
        return random.choice([option for worth, option in worths if worth == best])

    def _worth(
        self, situation: Situation, positions: list[State], option: Choice, ahead: _Ahead, random: Random
    ) -> Worth:
        """What an option of the true position is worth, on average over the guesses."""
        found: list[Worth] = []
        choices: dict[State, Choice | None] = {}
        for position in positions:
            if position not in choices:
                choices[position] = self.guesses.counterpart(situation, position, option)
            choice = choices[position]
            if choice is None:
                continue
            for _ in range(THROWS):
                worth, was_chance = ahead.after(position, choice, random)
                found.append(worth)
                if not was_chance:
                    break
        if not found:
            return -1.0, 0.0
        return sum(won for won, _ in found) / len(found), sum(score for _, score in found) / len(found)


class _Ahead:
    """What comes of options, at one decision. Guesses are often the same position, and chance gives the same again: so
    each step is worked out once."""

    def __init__(self, machine: Machine, seat: int, score: Score) -> None:
        self.machine = machine
        self.seat = seat
        self.score = score
        self._known: dict[State, State] = {}
        self._after: dict[tuple[int, Answer], State] = {}
        self._worth: dict[int, Worth] = {}

    def known(self, state: State) -> State:
        """The same position, as it was met first."""
        return self._known.setdefault(state, state)

    def after(self, position: State, choice: Choice, random: Random) -> tuple[Worth, bool]:
        """The worth of the next decision, and whether chance came before it."""
        machine = self.machine
        state = self._step(position, choice)
        was_chance = machine.is_chance(state)
        while machine.is_chance(state):
            state = self._step(state, machine.outcomes(state).sample(random))
        if id(state) not in self._worth:
            won = 0.0
            if state.result is not None:
                winners, losers, _ = state.result
                won = float(self.seat in winners) - float(self.seat in losers)
            self._worth[id(state)] = won, float(self.score(machine.look(state), self.seat))
        return self._worth[id(state)], was_chance

    def _step(self, state: State, answer: Answer) -> State:
        """`state` is one that is known, so no other has its id."""
        if (id(state), answer) not in self._after:
            self._after[id(state), answer] = self.known(self.machine.step(state, answer))
        return self._after[id(state), answer]


def score_of(machine: Machine, name: str | None = None) -> Score:
    """The score of a player at a position; BotError if there is none, or none of that name."""
    found = _declared(machine) if name is None else _named(machine, name)
    try:
        found(machine.look(machine.begin()), 0)
    except RuleError as error:
        raise BotError(f"the score has no value while the game goes on: {error.message}", _hint(machine)) from None
    return found


def _declared(machine: Machine) -> Score:
    scores = [node for node in walk(machine.game) if isinstance(node, ir.Score)]
    texts = {repr(node.values) for node in scores}
    if not scores:
        raise BotError(
            f"{machine.game.name} has no `score`, so a greedy bot has to be told what counts", _hint(machine)
        )
    first = scores[0]
    if len(texts) > 1 or set(free_variables(*first.values)) - {first.player}:
        raise BotError(f"{machine.game.name} has more than one score, or none for all positions", _hint(machine))
    return machine.program.compile(first.values[0], (first.player,), "score")


def _named(machine: Machine, name: str) -> Score:
    game, player = machine.game, ir.Variable("player", machine.game.types[types.PLAYER])
    if name not in _countable(machine):
        raise BotError(f"there is no score '{name}' in {game.name}", _hint(machine))
    if name in game.functions:
        function = game.functions[name]
        arguments = (ir.Local(player),) if function.params else ()
        expr: ir.Expr = ir.Call(function.type, name, arguments)
    else:
        state = game.states[name]
        expr = ir.StateRead(state.type, name, (ir.Local(player),) if state.index else ())
    return machine.program.compile(expr, (player,), "score")


def _countable(machine: Machine) -> list[str]:
    """Defines and states that are a number for a player, or a number."""
    game = machine.game
    things = [(name, function.type, function.params) for name, function in game.functions.items()]
    things += [(name, state.type, state.index) for name, state in game.states.items()]
    return sorted(
        name
        for name, ty, index in things
        if isinstance(ty, types.Int) and (not index or (len(index) == 1 and _is_player(index[0].type)))
    )


def _is_player(ty: types.Type) -> bool:
    return isinstance(ty, types.Enum) and ty.name == types.PLAYER


def _hint(machine: Machine) -> str | None:
    names = _countable(machine)
    return f"name one of these, as in greedy:{names[0]}: {', '.join(names)}" if names else None
