"""The scores of crowded positions of Sea Lords: the interpreter's, and those that the referee finds by brute force.

Plays seldom end with long runs, four of a kind or several mercenaries in a line. So positions are made that are full of
them, and told to the interpreter as worked examples.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import seaspec
from seaspec.examples.run import Verdict, run_example

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
peer = importlib.import_module("sea_lords_peer")
box = importlib.import_module("sea_lords_box")

NAMES = {"Shield ship I": "Shield_one", "Shield ship II": "Shield_two"}
PLAYERS = ("Light", "Dark")
LINES, POSITIONS = 80, 15


def crowded(random: Random, four: int) -> Any:
    """A position in which neighbours have equal or neighbouring numbers more often than not."""
    game = peer.Game(peer.Config(four_of_a_kind=four), peer.RandomFate(random))
    left = {(seat, number): 3 for seat in (0, 1) for number in range(1, 10)}
    step, number = random.choice((0, 1, -1)), random.randrange(1, 10)
    for cell in box.CELLS:
        seat = int(random.random() < (0.15, 0.85)[cell // 14 % 2])
        if random.random() < 0.2:
            step, number = random.choice((0, 1, -1)), random.randrange(1, 10)
        number = min(9, max(1, number + step))
        if random.random() < 0.9 and left[seat, number]:
            left[seat, number] -= 1
            game.ships[cell] = peer.Ship(seat, number, burning=random.random() < 0.05)
            if not game.ships[cell].burning:
                game.ships[cell].shields = random.choice((0, 0, 0, 1))
    shields = 0
    for ship in game.ships:  # there are seven shields
        if ship and (shields := shields + ship.shields) > 7:
            ship.shields = 0
    for mercenary in random.sample(box.MERCENARIES, 4):
        game.ships[random.choice(box.CELLS)] = peer.Ship(random.randrange(2), mercenary=mercenary)
    for player in game.players:
        player.points, player.mines = random.randrange(9), random.randrange(4)
    return game


def told(game: Any, name: str) -> str:
    """The position as a worked example that says what both players score."""
    given = []
    for cell, ship in enumerate(game.ships):
        if ship is None:
            continue
        place = f"{'ABCDEFG'[cell % 7]}{cell // 7 + 1}"
        if ship.mercenary:
            piece = NAMES.get(ship.mercenary.name, ship.mercenary.name.replace(" ", "_"))
            given += [f"field[{place}] = {piece}", f"master[{piece}] = {PLAYERS[ship.owner]}"]
        else:
            given.append(f"field[{place}] = Fleet({PLAYERS[ship.owner]}, {ship.number})")
        if ship.burning:
            given.append(f"burning[the x in field[{place}]]")
        if ship.shields:
            given.append(f"armour[{place}] = {{{ship.shields} Shield}}")
    for seat, player in enumerate(game.players):
        given.append(f"vp[{PLAYERS[seat]}] = {player.points}")
        if player.mines:
            given.append(f"kept[{PLAYERS[seat]}] = {{{player.mines} Mine}}")
    then = ", ".join(f"points({PLAYERS[seat]}) = {game.score(seat)}" for seat in (0, 1))
    return f"example {name}\n" + "".join(f"  given {fact}\n" for fact in given) + f"  then {then}\n"


def line_of(random: Random) -> tuple[int, ...]:
    """Flags in a line of seven that make long combinations, and some that compete."""
    step, number, numbers = random.choice((0, 1, -1)), random.randrange(1, 10), []
    for _ in range(7):
        numbers.append(number if random.random() < 0.96 else 0)
        if random.random() < 0.15:
            step = random.choice((0, 1, -1))
        if not 1 <= number + step <= 9:
            step = -step
        number += step
    return tuple(numbers)


@pytest.mark.parametrize("four", [4, 6])
def test_scores_are_the_most_that_all_choices_give(four: int, tmp_path: Path) -> None:
    random = Random(four)
    positions = [crowded(random, four) for _ in range(POSITIONS)]
    examples = [told(game, f"position_{number}") for number, game in enumerate(positions)]
    lines = [(line_of(random), random.randrange(2)) for _ in range(LINES)]
    for number, (line, more) in enumerate(lines):
        brings = peer.best_of_line(line, four, more)
        examples.append(f"example line_{number}: best({[*line]}, longest, {more}) = {brings}\n")
    path = tmp_path / "crowded.sea"
    path.write_text('variant Crowded of SeaLords "Crowded positions"\n\n' + "\n".join(examples), encoding="utf-8")
    game = seaspec.load(f"sea_lords + {path}", four_of_a_kind=str(four))
    ours = [example for example in game.rules.examples if example.name.startswith(("position_", "line_"))]
    assert len(ours) == len(examples)
    for example in ours:
        found = run_example(game, example)
        assert found.verdict is Verdict.HOLDS, (example.name, found.failure)
    assert max(game.score(seat) for game in positions for seat in (0, 1)) > 14
