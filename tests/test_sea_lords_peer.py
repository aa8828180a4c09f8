"""The hand-written Sea Lords of bench/ against the examples, worked out by hand, of the rule catalogue."""

from __future__ import annotations

import doctest
import importlib
import random
import sys
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
box = importlib.import_module("sea_lords_box")
peer = importlib.import_module("sea_lords_peer")
plays = importlib.import_module("sea_lords_plays")

Ask, Lay, Hire, Ship, PASS, FIRST = peer.Ask, peer.Lay, peer.Hire, peer.Ship, peer.PASS, peer.CELL_FIRST
NAMED = {mercenary.name: mercenary for mercenary in box.MERCENARIES}
SEA = """
X V S M V X S
R H X V H R M
M S V H S V X
X V S H V S M
M R H V X H R
S X V M S V X
"""
"""The standard sea as the catalogue draws it, Dark Blue's home row first."""


def at(row: int, column: int) -> int:
    """The cell in the catalogue's count from 1."""
    return (row - 1) * 7 + column - 1


def position(*hand: int, ships: dict[int, Any] | None = None, seat: int = 0, **more: Any) -> Any:
    """A position on the standard sea, in which one player has this hand."""
    game = peer.Game(peer.Config(peer.Layout.PRINTED), peer.RandomFate(random.Random(1)))
    game.sea = box.sea_of(box.PRINTED, box.PRINTED)
    for cell, ship in (ships or {}).items():
        game.ships[cell] = ship
    for name in ("hand", "main", "spare"):
        setattr(game.players[seat], name, list(more.pop(name, hand if name == "hand" else ())))
    for name, value in more.items():
        setattr(game.players[seat], name, value)
    return game


def turn(game: Any, *answers: Hashable, seat: int = 0) -> list[Any]:
    """Take a turn with these answers, which must be all that it asks for; give the questions."""
    asking, waiting, questions = game.turn(seat), [*answers], []
    try:
        question = next(asking)
        while True:
            questions.append(question)
            assert waiting, question
            question = asking.send(waiting.pop(0))
    except StopIteration:
        assert not waiting
        return questions


def test_the_standard_sea_is_the_one_drawn_in_the_catalogue() -> None:
    drawn = [row.replace(" ", "") for row in SEA.split("\n") if row]
    assert box.sea_of(box.PRINTED, box.PRINTED) == "".join(reversed(drawn))


def test_arrangements() -> None:
    """gap.5 and gap.53; whatever is arranged, the field keeps its cells for mines and extra ships (D1)."""
    ways = box.arrangements()
    assert len(ways) == len(set(ways)) == 1536
    for own in random.Random(1).sample(ways, 50):
        sea = box.sea_of(own, own)
        assert len(sea) == 42 and sea == sea[::-1] and sea.count("M") == sea.count("H") == 6
        changed = list(box.changes(own))
        assert len(set(changed)) == len(changed) == 11 and own not in changed and set(changed) < set(ways)


def test_a_quarter_turn_is_clockwise() -> None:
    assert box.Laid("Large 1", 0, 1).rows() == ["SMX", "XRV", "VHS"]
    assert box.Laid("Small", 0, 2).rows() == ["M", "V", "H"]


@pytest.mark.parametrize(
    ("line", "plain", "with_quartermaster"),
    [
        ("234", 2, 2), ("432", 2, 2), ("243", 0, 0), ("23", 0, 0), ("2345", 3, 3), ("34555", 3, 4), ("76555", 3, 4),
        ("1234567", 6, 6), ("5555", 5, 6), ("55555", 5, 6), ("555555", 6, 8), ("5555555", 8, 10), ("234555", 5, 6),
        ("1233345", 4, 4), ("123321", 4, 4), ("2345432", 5, 5), ("333345", 5, 6), ("891", 0, 0), ("12034", 0, 0),
        ("1223", 0, 0), ("222", 3, 4),
    ],
)  # fmt: skip
def test_lines(line: str, plain: int, with_quartermaster: int) -> None:
    """ex.1 to ex.5 and der.1 to der.11, read both ways."""
    numbers = tuple(map(int, line))
    for way in (numbers, numbers[::-1]):
        assert peer.best_of_line(way, 5, 0) == plain
        assert peer.best_of_line(way, 5, 1) == with_quartermaster


@pytest.mark.parametrize(
    ("rows", "plain", "with_quartermaster"),
    [
        (["111", "222", "333"], 15, 18), (["123", "234", "345"], 12, 12), (["0002", "034X", "0002"], 3, 4),
        (["0002", "033X", "0004"], 5, 6), (["33X", "007", "000"], 3, 4), (["0005", "033X", "0007"], 3, 4),
        (["0070000", "0070000", "12X4560"], 5, 6),
    ],
)  # fmt: skip
def test_blocks(rows: list[str], plain: int, with_quartermaster: int) -> None:
    """ex.6 and der.12 to der.16."""
    own = {}
    for row, text in enumerate(rows):
        for column, sign in enumerate(text):
            if sign != "0":
                own[7 * row + column] = Ship(0, mercenary=NAMED["Boarder"]) if sign == "X" else Ship(0, int(sign))
    assert position().combinations_of(own, 0) == plain
    assert position().combinations_of(own, 1) == with_quartermaster


def test_a_shot_hits_the_first_combat_ship_of_the_opponent() -> None:
    """der.17: past own and burning ships; one shield goes, nothing else changes."""
    ships = {at(1, 2): Ship(0, 2), at(1, 3): Ship(1, 2, burning=True), at(1, 4): Ship(1, 2, shields=2)}
    game = position(3, ships={**ships, at(1, 5): Ship(1, 2)})
    turn(game, Lay(3, at(1, 1)), FIRST, "east", "north")
    assert game.ships[at(1, 4)] == Ship(1, 2, shields=1) and not game.ships[at(1, 5)].burning
    assert game.ships[at(1, 2)] == Ship(0, 2) and game.ships[at(1, 3)].burning


@pytest.mark.parametrize("shields", [0, 1])
def test_a_mercenary_stops_a_shot(shields: int) -> None:
    """der.18 and gap.36: a token of a mercenary goes first; without one nothing changes."""
    guard = Ship(1, mercenary=NAMED["Boarder"], shields=shields)
    game = position(9, ships={at(1, 3): guard, at(1, 4): Ship(1, 2)})
    turn(game, Lay(9, at(1, 1)), FIRST, "east", "east")
    assert guard.shields == 0 and not guard.burning and not game.ships[at(1, 4)].burning


def test_the_row_gunner_shoots_twice_one_after_the_other() -> None:
    """der.19."""
    game = position(2, 2, ships={at(1, 3): Ship(1, 2), at(1, 5): Ship(1, 4, shields=1)}, coins=4)
    game.offered = [NAMED["Row gunner"]]
    asked = turn(game, Hire("Row gunner", at(1, 1)), "east", "east", Lay(2, at(1, 6)), FIRST)
    assert asked[1].options == ("east", "west")
    assert game.ships[at(1, 3)].burning and game.ships[at(1, 5)] == Ship(1, 4)
    assert game.players[0].coins == 1


@pytest.mark.parametrize(("elsewhere", "taken"), [(False, 0), (True, 1)])
def test_a_seven_may_sweep_its_own_cell(elsewhere: bool, taken: int) -> None:
    """der.20 and der.21; the cell brings its point either way (gap.24)."""
    game = position(7)
    game.mines[at(1, 3)] = game.mines[at(4, 4)] = "mine"
    turn(game, Lay(7, at(1, 3)), peer.SHIP_FIRST, at(4, 4) if elsewhere else at(1, 3))
    assert game.players[0].mines == taken and game.players[0].points == 1
    assert game.mined() == ([] if elsewhere else [at(4, 4)])


def test_a_nine_on_the_extra_ship_cell() -> None:
    """der.22: two ships, two tokens, then the draw."""
    game = position(9, 1, 1, ships={at(1, 3): Ship(0, 2)}, spare=[1] * 9, main=[2])
    turn(game, Lay(9, at(2, 3)), FIRST)
    assert sorted(game.players[0].hand) == [1, 1, 1, 1, 2] and game.players[0].bonus == 2


@pytest.mark.parametrize("owner", [0, 1])
def test_over_a_burning_ship_the_cell_has_no_effect(owner: int) -> None:
    """place.8, place.9, gap.19 to gap.24: not even for a 9; a ship's own effect stands."""
    for number, questions in ((9, 1), (3, 2)):
        game = position(number, ships={at(1, 1): Ship(owner, 4, burning=True)})
        answers = [Lay(number, at(1, 1)), "east"][:questions]
        assert len(turn(game, *answers)) == questions
        assert game.ships[at(1, 1)] == Ship(0, number)


def test_where_a_ship_may_be_laid() -> None:
    """place.1 to place.14: the home row, and what is beside an own combat ship; burning ships neither bar nor help."""
    ships = {at(4, 4): Ship(0, 2), at(4, 5): Ship(1, 2), at(5, 4): Ship(1, 2, burning=True), at(3, 1): Ship(0, 2)}
    ships[at(3, 1)].burning = True
    game = position(2, ships={**ships, at(1, 7): Ship(1, 2), at(1, 6): Ship(1, 2, burning=True)})
    home = {at(1, column) for column in range(1, 7)}
    assert set(game.available(0)) == home | {at(4, 3), at(3, 4), at(5, 4)}


def test_the_boarder_takes_a_ship_without_a_shield() -> None:
    """m_board.1 to m_board.4: near enough, not shielded, no mercenary, not burning; an ordinary cell will do, too."""
    ships = {
        at(1, 1): Ship(1, 2), at(1, 2): Ship(1, 2, shields=1), at(1, 3): Ship(1, mercenary=NAMED["Bulwark"]),
        at(3, 3): Ship(1, 5), at(1, 4): Ship(0, 2), at(2, 4): Ship(1, 7),
    }  # fmt: skip
    game = position(2, ships=ships, coins=4)
    game.offered = [NAMED["Boarder"]]
    cells = [hire.cell for hire in game.hires(0)]
    assert cells == [at(1, 1), at(1, 5), at(1, 6), at(1, 7), at(2, 4)]
    turn(game, Hire("Boarder", at(2, 4)), Lay(2, at(3, 4)), FIRST)
    assert game.ships[at(2, 4)] == Ship(0, mercenary=NAMED["Boarder"])


def test_the_broadside_shoots_at_the_four_cells_beside_it() -> None:
    """m_four.1 and gap.38: nothing further away."""
    ships = {at(2, 4): Ship(1, 2), at(1, 3): Ship(1, 2, shields=1), at(1, 6): Ship(1, 2), at(1, 5): Ship(0, 2)}
    game = position(2, ships=ships, coins=3)
    game.offered = [NAMED["Broadside"]]
    turn(game, Hire("Broadside", at(1, 4)), Lay(2, at(1, 7)), FIRST, "southeast")
    assert game.ships[at(2, 4)].burning and game.ships[at(1, 3)] == Ship(1, 2) and game.ships[at(1, 6)] == Ship(1, 2)


def test_the_first_ship_carries_the_first_players_shield() -> None:
    """setup.22, setup.23; the token is not in the reserve meanwhile (gap.32)."""
    game = position(1, ships={at(6, 1): Ship(1, 1, shields=6)}, owes_shield=True)
    turn(game, Lay(1, at(1, 3)), FIRST)
    assert game.ships[at(1, 3)].shields == 1 and not game.players[0].owes_shield


def test_who_cannot_lay_a_ship_loses_and_who_might_after_a_purchase_does_not() -> None:
    """end.4, gap.41: the boarder opens cells that a ship of the hand could not reach."""
    wall = {at(1, column): Ship(1, 2) for column in range(1, 8)}
    stuck = position(2, ships=wall)
    assert turn(stuck) == [] and stuck.result == peer.Result(1, 0, None)
    for answer, lost in ((PASS, True), (Hire("Boarder", at(1, 1)), False)):
        game = position(2, ships=wall, coins=4)
        game.offered = [NAMED["Boarder"]]
        rest = () if lost else (Lay(2, at(2, 1)), FIRST, at(5, 5))
        asked = turn(game, answer, *rest)
        assert asked[0].options[-1] == PASS and len(asked[0].options) == 8
        assert (game.result is not None) == lost


def test_a_purchase_may_close_the_own_last_cell() -> None:
    """gap.41: then the game is lost."""
    wall = {at(1, column): Ship(1, 2) for column in range(1, 7)} | {at(2, 7): Ship(1, 2)}
    game = position(2, ships=wall, coins=5)
    game.offered = [NAMED["Flagship"]]
    turn(game, Hire("Flagship", at(1, 7)))
    assert game.result == peer.Result(1, 0, None)


def test_the_minelayer_puts_what_there_is_room_for() -> None:
    """m_mines.1 and gap.58: with one or two free cells it is chosen whether the fake one is among them."""
    for free in (1, 2, 3, 4):
        game = position(2)
        game.ships = [Ship(0, 2, burning=True) for _ in box.CELLS]
        for cell in range(free):
            game.ships[cell] = None
        asking = game.lay_mines(0)
        question, answers = next(asking), ["fake", 0, "mine", 1, "mine"]
        assert question.options == tuple(range(free))
        for answer in [free - 1, *answers][: min(2 * free - 1, 5)]:
            question = asking.send(answer)
        assert question.options == {1: ("fake", "mine"), 2: ("mine",), 3: ("mine",), 4: ("mine",)}[free]
        with pytest.raises(StopIteration):
            asking.send(question.options[-1])
        assert [game.mines[cell] for cell in range(free)] == {
            1: ["mine"], 2: ["mine", "fake"], 3: ["mine", "mine", "fake"], 4: ["mine", "mine", "", "fake"]
        }[free]  # fmt: skip


def test_points_at_the_end() -> None:
    """score.12 to score.17, m_adj.1, m_bulwark.1 and .2, m_sets.1, gap.49, gap.50."""
    ships = {
        at(4, 1): Ship(0, mercenary=NAMED["Flagship"]), at(4, 2): Ship(0, mercenary=NAMED["Bulwark"], shields=2),
        at(5, 1): Ship(0, 8, shields=1), at(6, 1): Ship(0, 2, burning=True), at(3, 1): Ship(1, 3),
    }  # fmt: skip
    game = position(ships=ships, points=4, mines=3, coins=2)
    # Beside the Flagship: 2. Shields: 1 + 2 + 2 permanent. In Dark Blue's half: 3. Tokens: 4 - 6.
    assert game.score(0) == 2 + 5 + 3 + 4 - 6
    assert game.score(1) == 1
    game.players[0].mines = 0
    assert game.judged() == peer.Result(0, None, (14, 1))
    game.players[1].points = 13
    assert game.judged().winner == 0, "more coins"
    game.players[1].coins = 2
    assert game.judged().winner is None


def positions(config: Any, count: int) -> Iterator[tuple[Any, list[Any]]]:
    chance = random.Random(1)
    for _ in range(count):
        yield plays.play(chance, config)


@pytest.mark.parametrize("config", [config for _, config in plays.configurations()])
def test_random_plays(config: Any) -> None:
    """prop.1 to prop.4, prop.9, prop.10, prop.12, prop.17 at the ends of plays."""
    for game, asked in positions(config, 10):
        for question in asked:
            assert len(set(question.options)) == len(question.options) > 0
        assert len(game.offered) == 0 or {m.cost for m in game.offered} <= {3, 4, 5}
        assert [player.turns for player in game.players] == [16, 16] and game.result.stuck is None
        for seat, player in enumerate(game.players):
            assert len(player.main) == 0 and len(player.hand) == 2 + player.bonus
            assert len(player.spare) == 9 - player.bonus
            laid = [ship.number for ship in game.ships if ship and ship.owner == seat and ship.number]
            most = max(laid.count(n) + player.hand.count(n) + player.spare.count(n) for n in range(1, 10))
            assert most <= 3
        assert all(not (ship and game.mines[cell]) for cell, ship in enumerate(game.ships))
        assert all(ship.shields == 0 for ship in game.ships if ship and ship.burning)
        assert sum(ship is not None for ship in game.ships) <= 37


def test_doctests() -> None:
    assert doctest.testmod(peer).failed == 0
