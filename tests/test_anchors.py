"""The games of spec/anchors agree with OpenSpiel, which nobody here wrote, ply by ply along random plays.

At each ply both are asked the same: who chooses, or whether chance does, with which odds; the sets of moves, mapped by
meaning, are compared in full, both go on with the same one, and both end at the same ply with the same returns.
Counts of plays to a depth (perft) are compared where that is quick.

SEASPEC_ANCHOR_PLAYS multiplies the numbers of plays: 1 by default, which is a minute at most; 100 before a release.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import pyspiel
import pytest
from roamed import broken, seen

import seaspec
from seaspec.backends.interpreter.chance import Drawn, Outcome
from seaspec.backends.interpreter.choices import Act, Choice, Values
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.native.flow.judging import Event
from seaspec.core import ir
from seaspec.core.show import UNSEEN
from seaspec.diagnostics.model import Report
from seaspec.explore.native import explore_natively
from seaspec.explore.reach import Ended, reach
from seaspec.game import Game
from seaspec.library import load_subjects
from seaspec.loading import load_subject
from seaspec.play import Play
from seaspec.verdict.check import check_game

ANCHORS = Path(__file__).resolve().parent.parent / "spec" / "anchors"
PLAYS = float(os.environ.get("SEASPEC_ANCHOR_PLAYS", "1"))

STEPS, POSITIONS = 500_000, 300_000
"""So much is played, and explored, of each."""

Meaning = Any
"""What a move means: a number, a text, or a tuple of these; the same from either side."""
Foreign = Any
"""A state of OpenSpiel."""
Move = tuple[tuple[Choice, ...], int]
"""Our choices, and the action of OpenSpiel that means the same."""
Moves = Sequence[Move]


@cache
def anchor(name: str, **options: int) -> Game:
    """A game of the folder, or a small world of it: `hanabi + small`."""
    first, *rest = name.split(" + ")
    return seaspec.load(" + ".join([str(ANCHORS / f"{first}.sea"), *rest]), **options)


# ------------------------------------------------------------------------------------------------- what moves mean


class Meanings:
    """What the moves of one game mean: the same value for the same move, from either side."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.machine: Machine = game.machine

    def moves(self, state: State) -> dict[Meaning, tuple[Choice, ...]]:
        """What may be chosen: one of our options each, or several one after another."""
        options = self.machine.options(state)
        found: dict[Meaning, tuple[Choice, ...]] = {self.ours(state, choice): (choice,) for choice in options}
        assert len(found) == len(options), "two options mean the same"
        return found

    def ours(self, state: State, choice: Choice) -> Meaning:
        """The meaning of one of our options."""
        raise NotImplementedError

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        """The meaning of one of OpenSpiel's legal actions."""
        raise NotImplementedError

    def our_chance(self, state: State, outcome: Outcome) -> Meaning:
        raise NotImplementedError

    def their_chance(self, foreign: Foreign, action: int) -> Meaning:
        raise NotImplementedError

    def returns(self, state: State) -> list[float]:
        """What OpenSpiel calls returns: 1 for the winner of two, -1 for the loser."""
        assert state.result is not None
        winners, losers, _ = state.result
        return [float((seat in winners) - (seat in losers)) for seat in range(len(self.game.players))]

    def compare(self, state: State, foreign: Foreign) -> None:
        """What else can be seen to be the same."""

    def pick(self, state: State, moves: Moves, random: Random) -> Move:
        """Where a random play goes on."""
        return random.choice(moves)


def actions(choice: Choice) -> tuple[str, tuple[Any, ...]]:
    """An action's name and its arguments without the player."""
    assert isinstance(choice, Act)
    return choice.action, choice.arguments[1:]


class Cells(Meanings):
    """One cell is chosen, and OpenSpiel numbers them by rows."""

    board: str
    passing = -1

    def ours(self, state: State, choice: Choice) -> Meaning:
        _, arguments = actions(choice)
        return self.number(arguments[0]) if arguments else self.passing

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        return action

    def number(self, cell: int) -> int:
        """The number of a cell, by rows from the top left."""
        board = self.game.rules.boards[self.board]
        column, row = board.cells[cell]
        return (row - 1) * board.columns + column - 1


class TicTacToe(Cells):
    board = "Square"


class Hex(Cells):
    board = "Cell"


class Reversi(Cells):
    board = "Square"
    passing = 64


class ConnectFour(Meanings):
    def ours(self, state: State, choice: Choice) -> Meaning:
        return actions(choice)[1][0] - 1

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        return action


class Pig(Meanings):
    def ours(self, state: State, choice: Choice) -> Meaning:
        return {"go_on": "roll", "hold": "stop"}[actions(choice)[0]]

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        return foreign.action_to_string(foreign.current_player(), action)

    def our_chance(self, state: State, outcome: Outcome) -> Meaning:
        assert isinstance(outcome, Values)
        return f"Roll {outcome.values[0]}"

    def their_chance(self, foreign: Foreign, action: int) -> Meaning:
        return foreign.action_to_string(foreign.current_player(), action)

    def returns(self, state: State) -> list[float]:
        """The losers share what the winner gains."""
        return [gain if gain >= 0 else gain / (len(self.game.players) - 1) for gain in super().returns(state)]


class Breakthrough(Meanings):
    """OpenSpiel writes a move as `a2b3`, with a star if a man is taken."""

    def ours(self, state: State, choice: Choice) -> Meaning:
        cells = self.game.rules.boards["Square"].cells
        from_to = [cells[cell] for cell in actions(choice)[1]]
        return "".join(f"{'abcdefghijkl'[column - 1]}{row}" for column, row in from_to)

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        return foreign.action_to_string(foreign.current_player(), action).removesuffix("*")


class Battleship(Meanings):
    """OpenSpiel writes `place ship vertically with top-left corner in (8, 9)`, rows first, from 0."""

    def ours(self, state: State, choice: Choice) -> Meaning:
        name, arguments = actions(choice)
        column, row = self.game.rules.boards["Sea"].cells[arguments[-1] if name == "fire" else arguments[1]]
        what = "shoot" if name == "fire" else ("horizontally", "vertically")[arguments[2]]
        return what, row - 1, column - 1

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        text = foreign.action_to_string(foreign.current_player(), action)
        what, row, column = read(r"(shoot|horizontally|vertically).*\((\d+), (\d+)\)", text)
        return what, int(row), int(column)

    def returns(self, state: State) -> list[float]:
        return scores(state)

    def compare_views(self, play: Play, foreign: Foreign) -> None:
        """Each sees the own ships and what the own shots have met."""
        board = self.game.rules.boards["Sea"]
        for seat, player in enumerate(self.game.players):
            seen = play.view(player).states
            own, met = re.findall(r"^\|(.*)\|$", foreign.observation_string(seat), re.M), []
            own, met = own[: board.rows], own[board.rows :]
            for cell, (column, row) in enumerate(board.cells):
                name = board.names[cell]
                other = self.game.players[1 - seat]
                ship = seen[f"lies[{player}, {name}]"]
                shot_at = seen[f"mark[{other}, {name}]"]
                theirs = own[row - 1][column - 1]
                assert theirs == " *"[shot_at != "unknown"] if ship == "none" else theirs.isalpha()
                assert ship == "none" or theirs.isupper() == (shot_at == "hit")
                assert f"lies[{other}, {name}]" not in seen or seen[f"lies[{other}, {name}]"] == UNSEEN
                mark = {" ": "unknown", "@": "water", "#": "hit"}[met[row - 1][column - 1]]
                assert seen[f"mark[{player}, {name}]"] == mark


class Hanabi(Meanings):
    """OpenSpiel writes `(Play 0)`, `(Reveal player +1 color R)`, `(Deal R1)`."""

    COLOURS = "RYGWB"

    def ours(self, state: State, choice: Choice) -> Meaning:
        name, arguments = actions(choice)
        if name in ("throw_away", "build"):
            return f"({'Play' if name == 'build' else 'Discard'} {arguments[0] - 1})"
        asked = self.machine.decider(state)
        assert asked is not None
        onward = (arguments[0] - asked) % len(self.game.players)
        what = f"color {self.COLOURS[arguments[1]]}" if name == "tell_colour" else f"rank {arguments[1]}"
        return f"(Reveal player +{onward} {what})"

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        return foreign.action_to_string(foreign.current_player(), action)

    def our_chance(self, state: State, outcome: Outcome) -> Meaning:
        assert isinstance(outcome, Drawn)
        return f"(Deal {self.card(self.game.rules.pieces[outcome.piece].title)})"

    def their_chance(self, foreign: Foreign, action: int) -> Meaning:
        return self.theirs(foreign, action)

    def card(self, title: str) -> str:
        """`Card red 1` is R1 for OpenSpiel."""
        colour, rank = read(r"(\w+)\W+(\d)\W*$", title)
        return colour[0].upper() + rank

    def returns(self, state: State) -> list[float]:
        return scores(state)

    def pick(self, state: State, moves: Moves, random: Random) -> Move:
        """Mostly what goes well, or fireworks would never be complete and the deck never run out."""
        building = [move for move in moves if actions(move[0][0])[0] == "build"]
        good = [move for move in building if self.goes_well(state, move[0][0])]
        luck = random.random()
        if good and luck < 0.5:
            return random.choice(good)
        return random.choice([move for move in moves if move not in building or luck > 0.93] or moves)

    def goes_well(self, state: State, choice: Choice) -> bool:
        seat = self.machine.decider(state)
        places = self.machine.layout.places
        card = state.slots[places["hand"].slots[seat,]][actions(choice)[1][0] - 1]
        name = self.card(self.game.rules.pieces[card].title)
        return len(state.slots[places["built"].slots[self.COLOURS.index(name[0]),]]) + 1 == int(name[1])

    def compare_views(self, play: Play, foreign: Foreign) -> None:
        """Each sees all hands but the own, the fireworks, what has been discarded, and the counts."""
        for seat, player in enumerate(self.game.players):
            text = foreign.observation_string(seat)
            seen = play.view(player)
            assert seen.states["lives"] == number_after("Life tokens: ", text)
            assert seen.states["clues"] == number_after("Info tokens: ", text)
            assert str(seen.places["deck"].size) == number_after("Deck size: ", text)
            for colour, height in re.findall(r"([A-Z])(\d)", text.split("Fireworks: ")[1].split("\n")[0]):
                name = next(n for n in seen.places if n.startswith(f"built[{'rygwb'[self.COLOURS.index(colour)]}"))
                assert seen.places[name].size == int(height)
            thrown = seen.places["discard"].contents
            assert thrown is not None
            assert sorted(map(self.card, thrown)) == sorted(text.split("Discards:")[1].split())
            # the hands are listed from the observer on
            hands = text.split("Hands:\n")[1].split("Deck size")[0].replace("Cur player\n", "").split("-----\n")
            for offset, hand in enumerate(hands):
                place = seen.places[f"hand[{self.game.players[(seat + offset) % len(hands)]}]"]
                cards = [line.split()[0] for line in hand.splitlines()]
                assert place.size == len(cards)
                shown = ["XX"] * len(cards) if offset == 0 else list(map(self.card, place.contents or ()))
                assert (place.contents is None) == (offset == 0)
                assert cards == shown


class Backgammon(Meanings):
    """OpenSpiel uses two dice in one move: 26 * second point + first point, plus 676 if the lesser die goes first.

    Points are numbered from 0 in the direction of X, the bar is 24, none is 25. In our text the dice are used one by
    one; so a move here is one or two of our choices.
    """

    def moves(self, state: State) -> dict[Meaning, tuple[Choice, ...]]:
        found: dict[Meaning, tuple[Choice, ...]] = {}
        asked = self.machine.decider(state)
        for choice in self.machine.options(state):
            name, arguments = actions(choice)
            if name == "stay":
                found[(None, None)] = (choice,)
                continue
            after = self.machine.step(state, choice)
            if after.result is None and self.machine.decider(after) == asked and self.second(after):
                for more in self.machine.options(after):
                    found[self.used(asked, arguments), self.used(asked, actions(more)[1])] = choice, more
            else:
                found[self.used(asked, arguments), None] = (choice,)
        return found

    def second(self, state: State) -> bool:
        """Whether the second die of two is to be used."""
        return self.machine.options(state).inner.count() > 0 and self.value(state, "used") is not None

    def value(self, state: State, name: str) -> Any:
        return state.slots[self.machine.layout.states[name].base]

    def used(self, asked: int | None, arguments: tuple[Any, ...]) -> tuple[int, int]:
        """Where a checker leaves, as OpenSpiel numbers points, and the die."""
        point, die = arguments
        return (24 if point == 25 else 24 - point if asked == 0 else point - 1), die

    def theirs(self, foreign: Foreign, action: int) -> Meaning:
        dice = sorted(map(int, read(r"Dice: (\d)(\d)", str(foreign))))
        if action < 676:
            dice.reverse()
        points = action % 676 % 26, action % 676 // 26
        first, second = ((point, die) if point < 25 else None for point, die in zip(points, dice, strict=True))
        return first, second

    def our_chance(self, state: State, outcome: Outcome) -> Meaning:
        assert isinstance(outcome, Values)
        return "".join(map(str, outcome.values))

    def their_chance(self, foreign: Foreign, action: int) -> Meaning:
        return number_after("roll: ", foreign.action_to_string(foreign.current_player(), action))

    def compare(self, state: State, foreign: Foreign) -> None:
        text = str(foreign)
        borne = read(r"Scores, X: (\d+), O: (\d+)", text)
        (bar,) = read(r"Bar:(.*)", text)
        places = self.machine.layout.places["at"].slots
        for seat, letter in enumerate("xo"):
            assert len(state.slots[places[seat, 0]]) == int(borne[seat])
            assert len(state.slots[places[seat, 25]]) == bar.count(letter)


def scores(state: State) -> list[float]:
    assert state.result is not None
    return [float(score[0]) for score in state.result[2] or () if score is not None]


def number_after(label: str, text: str) -> str:
    return read(re.escape(label) + r"(\d+)", text)[0]


def read(pattern: str, text: str) -> tuple[str, ...]:
    """What the groups of a pattern match in a text."""
    found = re.search(pattern, text)
    assert found is not None, text
    return found.groups()


# ----------------------------------------------------------------------------------------------------- random plays


@dataclass
class Agreed:
    """What a run has compared."""

    plays: int = 0
    plies: int = 0
    moves: int = 0
    chances: int = 0
    returns: set[tuple[float, ...]] = field(default_factory=set)


def play(meanings: Meanings, theirs: Any, random: Random, agreed: Agreed) -> None:
    """One random play, by both; AssertionError where they differ."""
    machine = meanings.machine
    state, foreign = machine.begin(), theirs.new_initial_state()
    while not foreign.is_terminal():
        where = f"after {foreign.history_str()}"
        assert state.result is None, f"{where}: ours is over, and theirs goes on"
        agreed.plies += 1
        if foreign.is_chance_node():
            assert machine.is_chance(state), f"{where}: theirs leaves it to chance"
            agreed.chances += 1
            state = chance(meanings, state, foreign, random)
            continue
        assert machine.decider(state) == foreign.current_player(), f"{where}: who is asked?"
        meanings.compare(state, foreign)
        our_moves = meanings.moves(state)
        legal = foreign.legal_actions()
        their_moves = {meanings.theirs(foreign, action): action for action in legal}
        assert len(their_moves) == len(legal), where
        assert our_moves.keys() == their_moves.keys(), where
        agreed.moves += len(legal)
        choices, action = meanings.pick(state, [(our_moves[m], their_moves[m]) for m in our_moves], random)
        for choice in choices:
            state = machine.step(state, choice)
        foreign.apply_action(action)
    where = f"after {foreign.history_str()}"
    assert state.result is not None, f"{where}: theirs is over, and ours goes on"
    returns = meanings.returns(state)
    assert returns == pytest.approx(foreign.returns()), where
    agreed.returns.add(tuple(returns))
    agreed.plays += 1


def chance(meanings: Meanings, state: State, foreign: Foreign, random: Random) -> State:
    """A chance event, by both: the same outcomes with the same odds."""
    ours = meanings.machine.outcomes(state).weighted()
    total = sum(Fraction(weight) for _, weight in ours)
    our_odds = {meanings.our_chance(state, outcome): Fraction(weight) / total for outcome, weight in ours}
    their_odds = {meanings.their_chance(foreign, action): odds for action, odds in foreign.chance_outcomes()}
    assert our_odds.keys() == their_odds.keys(), foreign.history_str()
    assert all(isclose(our_odds[m], their_odds[m], rel_tol=1e-9) for m in our_odds), foreign.history_str()
    outcome, _ = random.choices(ours, [float(weight) for _, weight in ours])[0]
    wanted = meanings.our_chance(state, outcome)
    foreign.apply_action(next(a for a, _ in foreign.chance_outcomes() if meanings.their_chance(foreign, a) == wanted))
    return meanings.machine.step(state, outcome)


@dataclass(frozen=True)
class Case:
    """A game of ours with options, the same of theirs, and how many plays are compared."""

    name: str
    meanings: Callable[[Game], Meanings]
    theirs: str
    plays: int
    options: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.name, *(f"{name}{value}" for name, value in self.options.items())])


CASES = [
    Case("tic_tac_toe", TicTacToe, "tic_tac_toe", 300),
    Case("connect_four", ConnectFour, "connect_four", 200),
    Case("connect_four", ConnectFour, "connect_four(rows=4,columns=5)", 60, {"rows": 4, "columns": 5}),
    Case("pig", Pig, "pig", 60),
    Case("pig", Pig, "pig(players=3,winscore=30,diceoutcomes=4,horizon=40)", 30,
         {"players": 3, "goal": 30, "sides": 4, "horizon": 40}),
    Case("breakthrough", Breakthrough, "breakthrough", 60),
    Case("breakthrough", Breakthrough, "breakthrough(rows=5,columns=4)", 60, {"rows": 5, "columns": 4}),
    Case("reversi", Reversi, "othello", 40),
    Case("hex", Hex, "hex", 20),
    Case("hex", Hex, "hex(num_rows=4,num_cols=5)", 40, {"rows": 4, "columns": 5}),
    Case("battleship", Battleship, "battleship", 20),
    Case("battleship + cove", Battleship, "battleship(board_width=4,board_height=3,ship_sizes=[2;3;4],"
         "ship_values=[1;1;1],num_shots=6,allow_repeated_shots=False)", 60),
    Case("battleship + puddle", Battleship, "battleship(board_width=3,board_height=2,ship_sizes=[1;2],"
         "ship_values=[1;1],num_shots=4,allow_repeated_shots=False)", 60),
    Case("hanabi", Hanabi, "hanabi", 40),
    Case("hanabi", Hanabi, "hanabi(players=4)", 15, {"players": 4}),
    Case("hanabi + small", Hanabi,
         "hanabi(colors=2,ranks=3,hand_size=2,max_information_tokens=3,max_life_tokens=1)", 30),
    Case("backgammon", Backgammon, "backgammon", 10),
    Case("backgammon", Backgammon, "backgammon(max_player_turns=85)", 20, {"max_turns": 85}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_random_plays_agree(case: Case) -> None:
    game = anchor(case.name, **case.options)
    theirs = pyspiel.load_game(case.theirs)
    meanings = case.meanings(game)
    agreed = Agreed()
    random = Random(f"{case}")
    for _ in range(max(1, int(case.plays * PLAYS))):
        play(meanings, theirs, random, agreed)
    print(f"{case}: {agreed.plays} plays, {agreed.plies} plies, {agreed.moves} moves, returns {sorted(agreed.returns)}")
    assert len(agreed.returns) > 1 or PLAYS < 1


# ---------------------------------------------------------------------------------------------------- hidden things


@pytest.mark.parametrize(("name", "meanings", "plays"), [("battleship", Battleship, 1), ("hanabi", Hanabi, 4)])
def test_each_sees_the_same(name: str, meanings: Callable[[Game], Battleship | Hanabi], plays: int) -> None:
    """What a player sees is what OpenSpiel lets them observe."""
    game = anchor(name)
    meaning = meanings(game)
    random = Random(name)
    for _ in range(max(1, int(plays * PLAYS))):
        foreign = pyspiel.load_game(name).new_initial_state()
        play = game.start(automatic=False)
        while not play.is_over:
            waiting = play.chance
            if waiting is not None:
                outcome = waiting.sample(random)
                wanted = meaning.our_chance(play.position, outcome)
                play.happen(outcome)
            else:
                (choice,), _ = meaning.pick(play.position, [((choice,), 0) for choice in play.choices], random)
                wanted = meaning.ours(play.position, choice)
                play.do(choice)
            theirs = meaning.their_chance if foreign.is_chance_node() else meaning.theirs
            foreign.apply_action(next(a for a in foreign.legal_actions() if theirs(foreign, a) == wanted))
            if not foreign.is_terminal():
                meaning.compare_views(play, foreign)
        assert foreign.is_terminal()


# ----------------------------------------------------------------------------------------------------------- counts


def perft(machine: Machine, state: State, depth: int) -> int:
    """The number of ways to go on for so many choices; shorter plays count to their end."""
    if depth == 0 or state.result is not None:
        return 1
    options = machine.options(state)
    if depth == 1:
        return len(options)
    return sum(perft(machine, machine.step(state, choice), depth - 1) for choice in options)


def their_perft(foreign: Foreign, depth: int) -> int:
    if depth == 0 or foreign.is_terminal():
        return 1
    legal = foreign.legal_actions()
    if depth == 1:
        return len(legal)
    return sum(their_perft(foreign.child(action), depth - 1) for action in legal)


@pytest.mark.parametrize(
    ("name", "theirs", "depth", "known"),
    [
        ("tic_tac_toe", "tic_tac_toe", 5, 15120),
        ("connect_four", "connect_four", 5, 16807),
        ("breakthrough", "breakthrough", 3, 11132),
        ("reversi", "othello", 6, 8200),
        ("hex", "hex", 2, 14520),
        ("hex + small", "hex(board_size=3)", 5, None),
        ("battleship + cove", "battleship(board_width=4,board_height=3,ship_sizes=[2;3;4],ship_values=[1;1;1],"
         "num_shots=6,allow_repeated_shots=False)", 4, None),
        ("battleship + puddle", "battleship(board_width=3,board_height=2,ship_sizes=[1;2],ship_values=[1;1],"
         "num_shots=4,allow_repeated_shots=False)", 5, None),
    ],
    ids=lambda value: value if isinstance(value, str) and "=" not in value else "",
)  # fmt: skip
def test_perft(name: str, theirs: str, depth: int, known: int | None) -> None:
    machine = anchor(name).machine
    found = perft(machine, machine.begin(), depth)
    assert found == their_perft(pyspiel.load_game(theirs).new_initial_state(), depth)
    assert known is None or found == known


def test_tic_tac_toe_has_5478_positions() -> None:
    machine = anchor("tic_tac_toe").machine
    marks = machine.layout.states["mark"]
    waiting = [machine.begin()]
    found = {waiting[0].slots[marks.base : marks.end]}
    while waiting:
        state = waiting.pop()
        for choice in machine.options(state) if state.result is None else ():
            after = machine.step(state, choice)
            board = after.slots[marks.base : marks.end]
            if board not in found:
                found.add(board)
                waiting.append(after)
    assert len(found) == 5478


@pytest.mark.parametrize("path", sorted(ANCHORS.glob("*.sea")), ids=lambda path: path.stem)
def test_keeps_its_promises(path: Path) -> None:
    """Examples, plays and small worlds gone through break nothing; what should be possible is met, or searched for."""
    (subject,) = load_subjects(str(path), Report())
    game = load_subject(subject, {})
    checked = check_game(game, 12, 1, lambda label, total: lambda done: None, lambda more: load_subject(subject, more))
    assert checked.kept, [verdict.name for verdict in checked.broken]
    found = seen(game, STEPS)
    assert not broken(game, found)
    for promise in game.rules.promises:
        if isinstance(promise, ir.Reachable) and Event("met", promise.name) not in found.soonest:
            begin = game.machine.begin()
            search = reach(game.machine, begin, promise.test, (), lambda found, _: found.positions < POSITIONS)
            assert search.ended is Ended.FOUND, promise.name
    for world in re.findall(r"^world (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
        small = anchor(f"{path.stem} + {world}")
        explored = explore_natively(small.machine, POSITIONS, 1, lambda *_: True)
        meant = {promise.name for promise in small.rules.promises if promise.myth} | set(small.rules.breaks)
        assert not {*explored.watched.broken, *explored.too_long, *explored.doomed} - meant
        assert not explored.failed and explored.stuck is None
