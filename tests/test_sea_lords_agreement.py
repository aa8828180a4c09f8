"""Plays of Sea Lords by the interpreter, followed choice by choice by the referee in bench/sea_lords_peer.py.

At each choice both must offer the same options to the same player, and at each end come to the same winner and the
same scores. What chance did in the interpreter is told to the referee, who must ask for exactly that much of it.
"""

from __future__ import annotations

import importlib
import sys
from collections import deque
from collections.abc import Hashable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import seaspec
from seaspec.backends.interpreter.chance import Drawn
from seaspec.backends.interpreter.choices import Act, Line, Pass, Values
from seaspec.backends.interpreter.machine import Machine
from seaspec.core import flow
from seaspec.game import Game

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
peer = importlib.import_module("sea_lords_peer")
box = importlib.import_module("sea_lords_box")
Ask = peer.Ask

BOARDS = {"Large_one": "Large 1", "Large_two": "Large 2", "Strip": "Small"}
SHIPS = {"Shield_one": "Shield ship I", "Shield_two": "Shield ship II"}
MERCENARIES = {mercenary.name: mercenary for mercenary in box.MERCENARIES}
BEARINGS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
GAMES: dict[str, tuple[str, dict[str, str], Any]] = {
    "printed": ("sea_lords", {"layout": "printed"}, peer.Config(peer.Layout.PRINTED)),
    "drawn": ("sea_lords", {"four_of_a_kind": "4"}, peer.Config(four_of_a_kind=4)),
    "arranged": ("sea_lords", {"layout": "arranged"}, peer.Config(peer.Layout.ARRANGED)),
    "picked": ("sea_lords", {"hiring": "picked"}, peer.Config(picked=True)),
    "experienced": ("sea_lords + experienced", {}, peer.Config(experienced=True)),
}


class Told:
    """Chance, as it was in the interpreter: what came, in order."""

    def __init__(self, read: Reading) -> None:
        self.read = read
        self.came: deque[Any] = deque()

    def first_player(self) -> int:
        return int(self.came.popleft())

    def arrangement(self) -> tuple[Any, ...]:
        return tuple(self.read.laid([self.came.popleft() for _ in range(3)]) for _ in range(3))

    def mercenary(self, choice: Sequence[Any]) -> Any:
        mercenary = MERCENARIES[self.read.name(self.came.popleft())]
        assert mercenary in choice
        return mercenary

    def ship(self, pile: Sequence[int]) -> int:
        number = self.read.number(self.came.popleft())
        assert number in pile
        return number


class Reading:
    """What the numbers of the interpreter mean."""

    def __init__(self, game: Game) -> None:
        self.machine: Machine = game.machine
        self.pieces = self.machine.game.pieces

    def name(self, piece: int) -> str:
        """A mercenary, as the referee calls it."""
        kind = self.pieces[piece].kinds[0]
        return SHIPS.get(kind, kind.replace("_", " "))

    def number(self, piece: int) -> int:
        return next(value for name, value, _ in self.pieces[piece].facts if name == "number")  # type: ignore[return-value]

    def laid(self, values: Sequence[Any]) -> Any:
        """A board; the interpreter's quarters go against the clock."""
        board, face, quarters = values
        return box.Laid(BOARDS[self.pieces[board].kinds[0]], face - 1, -quarters % 4)

    def option(self, choice: Any, question: Any, game: Any) -> Hashable:
        """A choice of the interpreter as the referee has it."""
        match choice:
            case Pass():
                return peer.PASS
            case Line(number):
                return (peer.CELL_FIRST, peer.SHIP_FIRST)[number]
            case Act("lay", (_, ship, cell)):
                return peer.Lay(self.number(ship), cell)
            case Act("hire", (_, ship, cell)):
                return peer.Hire(self.name(ship), cell)
            case Act("turn_board" | "shift_board" as action, (seat, board, number)):
                return self.changed(game.boards[seat], action, BOARDS[self.pieces[board].kinds[0]], number)
            case Values(values):
                return self.meant(question.kind, values)
        raise AssertionError(choice)

    @staticmethod
    def changed(own: Sequence[Any], action: str, board: str, number: int) -> Hashable:
        """An arrangement after one board was turned by quarters, or put into a place."""
        place = next(k for k, laid in enumerate(own) if laid.board == board)
        boards = list(own)
        if action == "turn_board":
            boards[place] = own[place]._replace(quarters=(own[place].quarters - number) % 4)
        else:
            boards.insert(number - 1, boards.pop(place))
        return tuple(boards)

    def meant(self, kind: Any, values: Sequence[Any]) -> Hashable:
        if kind is Ask.ARRANGE:
            return self.laid(values)
        (value,) = values
        if kind is Ask.AIM:
            return BEARINGS[value]
        if kind is Ask.TOKEN:
            return {"Mine": "mine", "Fake": "fake"}[self.pieces[value].kinds[0]]
        if kind is Ask.RECRUIT:
            return self.number(value)
        if kind is Ask.PICK:
            return self.name(value)
        return value  # type: ignore[no-any-return]


def follow(game: Game, config: Any, random: Random) -> Any:
    """One play by both; the referee's game at its end."""
    read = Reading(game)
    machine, told = game.machine, Told(read)
    referee = peer.Game(config, told)
    asking = referee.play()
    question = None
    state = machine.begin()
    while True:
        node = machine.node(state)
        if isinstance(node, flow.Decision):
            options = machine.options(state)
            if question is None:
                question = next(asking)
            assert not told.came, "the referee has not asked for all that chance has done"
            offered = {read.option(option, question, referee): option for option in options}
            assert len(offered) == len(options)
            assert question.seat == machine.decider(state), (question, offered)
            assert set(offered) == set(question.options), (question, offered)
            taken = question.options[random.randrange(len(offered))]
            try:
                state = machine.step(state, offered[taken])
                state = chance_on(machine, state, random, told)
                question = asking.send(taken)
            except StopIteration:
                assert not isinstance(machine.node(state), flow.Decision), "the referee sees an end here"
                same_end(machine, state, referee)
                return referee
        else:
            state = chance_on(machine, state, random, told)


def chance_on(machine: Machine, state: Any, random: Random, told: Told) -> Any:
    """To the next decision or end; what comes is told."""
    while machine.is_chance(state):
        outcome = machine.outcomes(state).sample(random)
        told.came.append(outcome.piece if isinstance(outcome, Drawn) else outcome.values[0])  # type: ignore[union-attr]
        state = machine.step(state, outcome)
    return state


def same_end(machine: Machine, state: Any, referee: Any) -> None:
    """Who has won, and with how many points."""
    assert state.result is not None
    winners, losers, scores = state.result
    result = referee.result
    assert winners == ((0, 1) if result.winner is None else (result.winner,)), (state.result, result)
    assert losers == (() if result.winner is None else (1 - result.winner,)), (state.result, result)
    assert (scores is None) == (result.scores is None)
    if scores is not None:
        coins = (player.coins for player in referee.players)
        assert scores == tuple(zip(result.scores, coins, strict=True)), (state.result, result)


@pytest.mark.parametrize("name", GAMES)
def test_the_referee_follows_the_interpreter(name: str) -> None:
    spec, options, config = GAMES[name]
    game = seaspec.load(spec, **options)
    for seed in range(2):
        follow(game, config, Random(seed))
