"""The house rules of Sea Lords, followed choice by choice by the referee, to whom each is told in Python.

The five are those of the catalogue's last chapter, written here from its sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

import pytest
from test_sea_lords_agreement import Choose, anyhow, box, follow, onward, peer

import seaspec

RULES = Path(__file__).parent.parent / "rules" / "sea_lords"


class More(Enum):
    """Questions that only house rules ask."""

    NUMBER = "number"


class TwoHitsSink(peer.Game):  # type: ignore[misc]
    """A shot also stops at an enemy ship that burns, and removes it from the field."""

    def shoot(self, seat: int, way: Iterable[int]) -> None:
        for cell in way:
            ship = self.ships[cell]
            if ship and ship.burning and ship.owner != seat:
                self.ships[cell] = None
                return
            if ship and ship.owner != seat:
                super().shoot(seat, [cell])
                return


class LiveMines(peer.Game):  # type: ignore[misc]
    """A ship laid on a mine is laid burning (mercenaries excepted), and no token is kept."""

    def go_off(self, seat: int, cell: int) -> None:
        ship = self.ships[cell]
        if self.mines[cell] == "mine" and ship.mercenary is None:
            ship.burning, ship.shields = True, 0
        self.mines[cell] = ""


class Aground(peer.Game):  # type: ignore[misc]
    """A stuck player skips the main action and draws nothing, and the game goes on."""

    def lose(self, seat: int) -> None:
        self.players[seat].turns += 1


class BusyHarbour(peer.Game):  # type: ignore[misc]
    """A mercenary that was hired is replaced at random by one of the same cost from the box."""

    def hire(self, seat: int, action: Any) -> Any:
        yield from super().hire(seat, action)
        (hired,) = (ship for ship in box.MERCENARIES if ship.name == action.name)
        used = [*self.offered, *(ship.mercenary for ship in self.ships if ship)]
        in_box = [ship for ship in box.MERCENARIES if ship.cost == hired.cost and ship not in used]
        if in_box:
            self.offered.append(self.fate.mercenary(in_box))


class Ensigns(peer.Game):  # type: ignore[misc]
    """A mercenary's number is announced when it is laid."""

    def hire(self, seat: int, action: Any) -> Any:
        yield from super().hire(seat, action)
        ship = self.ships[action.cell]
        number = yield from self.ask(More.NUMBER, seat, ship.mercenary.numbers)
        ship.mercenary = ship.mercenary._replace(numbers=(number,))


@pytest.mark.parametrize(
    ("rule", "referee", "choose", "seeds"),
    [
        ("two_hits_sink", TwoHitsSink, onward, (3, 6)),
        ("live_mines", LiveMines, anyhow, (1, 2)),
        ("aground", Aground, onward, (1, 2)),
        ("busy_harbour", BusyHarbour, onward, (0, 1)),
        ("ensigns", Ensigns, anyhow, (0, 1)),
    ],
)
def test_the_referee_follows_a_house_rule(rule: str, referee: Any, choose: Choose, seeds: tuple[int, ...]) -> None:
    game = seaspec.load(f"sea_lords + {RULES / rule}.sea", layout="printed")
    config = peer.Config(peer.Layout.PRINTED)
    for seed in seeds:
        follow(game, config, Random(seed), choose, referee)
    with pytest.raises((AssertionError, IndexError)):  # the rule matters in the first of these plays
        follow(game, config, Random(seeds[0]), choose)
