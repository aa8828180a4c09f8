"""Plays of Sea Lords by the interpreter, followed choice by choice by the referee in bench/sea_lords_peer.py.

At each choice both must offer the same options to the same player, and at each end come to the same winner and the
same scores. What chance did in the interpreter is told to the referee, who must ask for exactly that much of it.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import seaspec
from seaspec.backends.interpreter.chance import Drawn
from seaspec.backends.interpreter.choices import Act, Line, Pass, Values
from seaspec.backends.interpreter.machine import Machine
from seaspec.game import Game

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
peer = importlib.import_module("sea_lords_peer")
box = importlib.import_module("sea_lords_box")
Ask = peer.Ask
Choose = Callable[[Any, Any, Random], Hashable]

BOARDS = {"Large_one": "Large 1", "Large_two": "Large 2", "Strip": "Small"}
SHIPS = {"Shield_one": "Shield ship I", "Shield_two": "Shield ship II"}
MERCENARIES = {mercenary.name: mercenary for mercenary in box.MERCENARIES}
BEARINGS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
GAMES: dict[str, tuple[str, dict[str, str], Any]] = {
    "printed": ("sea_lords", {"layout": "printed"}, peer.Config(peer.Layout.PRINTED)),
    "drawn": ("sea_lords", {"layout": "drawn", "four_of_a_kind": "4"}, peer.Config(four_of_a_kind=4)),
    "arranged": ("sea_lords", {"layout": "arranged"}, peer.Config(peer.Layout.ARRANGED)),
    "picked": ("sea_lords", {"hiring": "picked"}, peer.Config(peer.Layout.ARRANGED, picked=True)),
    "experienced": ("sea_lords + experienced", {}, peer.Config(experienced=True)),
}


class Told:
    """Chance, as it was in the interpreter: what was drawn from each player's piles, and all else; each in order."""

    def __init__(self, read: Reading) -> None:
        self.read = read
        self.drawn: tuple[deque[int], deque[int]] = (deque(), deque())
        self.came: deque[Any] = deque()

    def note(self, outcome: Any) -> None:
        if isinstance(outcome, Drawn):
            self.drawn[self.read.fact(outcome.piece, "owner")].append(self.read.fact(outcome.piece, "number"))
        else:
            self.came += outcome.values

    def nothing_left(self) -> bool:
        """Whether the referee has asked for all that chance has done."""
        return not (self.came or self.drawn[0] or self.drawn[1])

    def first_player(self) -> int:
        return int(self.came.popleft())

    def arrangement(self, seat: int) -> tuple[Any, ...]:
        return tuple(self.read.laid([self.came.popleft() for _ in range(3)]) for _ in range(3))

    def mercenary(self, choice: Sequence[Any]) -> Any:
        mercenary = MERCENARIES[self.read.name(self.came.popleft())]
        assert mercenary in choice
        return mercenary

    def ship(self, seat: int, pile: Sequence[int]) -> int:
        number = self.drawn[seat].popleft()
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

    def fact(self, piece: int, wanted: str) -> int:
        """What is printed on a ship of a fleet."""
        return next(value for name, value, _ in self.pieces[piece].facts if name == wanted)  # type: ignore[return-value]

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
                return peer.Lay(self.fact(ship, "number"), cell)
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
            return self.fact(value, "number")
        if kind is Ask.PICK:
            return self.name(value)
        return value  # type: ignore[no-any-return]


def anyhow(game: Any, question: Any, random: Random) -> Hashable:
    """Any option, each alike."""
    return question.options[random.randrange(len(question.options))]  # type: ignore[no-any-return]


def onward(game: Any, question: Any, random: Random) -> Hashable:
    """Ships go as far forward as can be, and mercenaries are hired: at times the other home row is closed."""
    if question.kind not in (Ask.LAY, Ask.HIRE):
        return anyhow(game, question, random)
    ships = [option for option in question.options if option != peer.PASS]
    return max(ships, key=lambda ship: (abs(ship.cell // 7 - 5 * question.seat), random.random()))  # type: ignore[no-any-return]


def greedily(game: Any, question: Any, random: Random) -> Hashable:
    """Ships go where they score most, so that there is much to count; coins are kept for mercenaries that score."""
    if question.kind not in (Ask.LAY, Ask.HIRE):
        return anyhow(game, question, random)
    ships = [option for option in question.options if option != peer.PASS]
    if question.kind is Ask.HIRE:
        ships = [hire for hire in ships if MERCENARIES[hire.name].cost == 5]
    few = random.sample(ships, min(len(ships), 12))
    return max(few, key=lambda ship: (worth(game, question.seat, ship), random.random()), default=peer.PASS)


def worth(game: Any, seat: int, option: Any) -> int:
    """The score of a player who has laid this ship."""
    there = game.ships[option.cell]
    ship = peer.Ship(seat, getattr(option, "number", 0), MERCENARIES.get(getattr(option, "name", "")))
    game.ships[option.cell] = ship
    score = game.score(seat)
    game.ships[option.cell] = there
    return int(score)


def follow(game: Game, config: Any, random: Random, choose: Choose = anyhow, rules: Any = peer.Game) -> Any:
    """One play by both; the referee's game at its end. `rules`: those that the referee goes by."""
    read = Reading(game)
    machine, told = game.machine, Told(read)
    referee = rules(config, told)
    asking = referee.play()
    state = chance_on(machine, machine.begin(), random, told)
    question = next(asking)
    while True:
        assert told.nothing_left()
        options = machine.options(state)
        offered = {read.option(option, question, referee): option for option in options}
        assert len(offered) == len(options)
        assert question.seat == machine.decider(state), (question, offered)
        assert set(offered) == set(question.options), (question, offered)
        taken = choose(referee, question, random)
        state = chance_on(machine, machine.step(state, offered[taken]), random, told)
        try:
            question = asking.send(taken)
        except StopIteration:
            assert told.nothing_left()
            same_end(state, referee)
            return referee


def chance_on(machine: Machine, state: Any, random: Random, told: Told) -> Any:
    """To the next decision or end; what comes is told."""
    while machine.is_chance(state):
        outcome = machine.outcomes(state).sample(random)
        told.note(outcome)
        state = machine.step(state, outcome)
    return state


def same_end(state: Any, referee: Any) -> None:
    """Who has won, and with how many points."""
    assert state.result is not None, "the referee sees an end here"
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
    for seed in range(4):
        follow(game, config, Random(seed))


def test_the_referee_follows_to_ends_where_somebody_is_stuck() -> None:
    spec, options, config = GAMES["printed"]
    game = seaspec.load(spec, **options)
    stuck = Counter(follow(game, config, Random(seed), onward).result.stuck for seed in range(12))
    assert set(stuck) == {None, 0, 1}


def test_the_referee_follows_to_ends_where_much_is_scored() -> None:
    spec, options, config = GAMES["printed"]
    game = seaspec.load(spec, **options)
    ends = [follow(game, config, Random(seed), greedily) for seed in range(8)]
    assert max(max(end.result.scores) for end in ends if end.result.scores) > 15


def test_somebody_can_be_stuck_when_the_other_has_had_nine_turns() -> None:
    """The bound of prop.13 is reached."""
    random = Random(1151)
    game = peer.Game(peer.Config(peer.Layout.PRINTED), peer.RandomFate(random))
    asking = game.play()
    question = next(asking)
    with pytest.raises(StopIteration):
        while True:
            question = asking.send(onward(game, question, random))
    assert game.players[1 - game.result.stuck].turns == 9
