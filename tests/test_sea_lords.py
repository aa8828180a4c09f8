"""Sea Lords: random plays of each way to lay the boards and to choose mercenaries."""

from __future__ import annotations

from functools import cache

import pytest
from roamed import broken, seen

import seaspec
from seaspec.backends.native.flow.judging import Event
from seaspec.game import Game


@cache
def game(name: str = "sea_lords", **options: str) -> Game:
    return seaspec.load(name, **options)


WAYS = [("drawn", "drawn_by_lot"), ("arranged", "picked"), ("printed", "drawn_by_lot")]
"""To lay the boards, and to choose mercenaries."""


@pytest.mark.parametrize(("layout", "hiring"), WAYS)
def test_random_plays(layout: str, hiring: str) -> None:
    table = game(layout=layout, hiring=hiring)
    found = seen(table, 40_000)
    assert not broken(table, found) and not found.cut_off
    assert Event("taken", "hire") in found.soonest
