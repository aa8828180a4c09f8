"""The attack, on some games: nothing wrong is said; and the generator draws all that there is.

SEASPEC_ATTACK says how many games are attacked (.ci/run: 300). More: `make attack`.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from attack.campaign import levels_for
from attack.drawn import NEVER, constructs, expected
from attack.generator import game
from attack.judge import attack, compiled
from attack.shrink import smallest

GAMES = int(os.environ.get("SEASPEC_ATTACK", "20"))
PARTS = 4
"""Games are attacked in so many tests, so that they can run side by side."""
ENOUGH, TEXTS = 100, 400
"""So many texts are looked at for what they are made of, and so many if something is missing."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_verdict_is_wrong(part: int) -> None:
    for number in range(part, GAMES, PARTS):
        seed = f"test:{number}"
        outcome = attack(seed, levels_for(seed))
        for wrong in outcome.wrong:
            text = smallest(wrong, 20)
            raise AssertionError(f"{wrong.level} says of {wrong.promise!r}: {wrong.how}; it is {wrong.so}\n{text}")


def test_everything_is_drawn() -> None:
    drawn: Counter[str] = Counter()
    wanted = expected()
    refused = number = 0
    while number < TEXTS and (number < ENOUGH or wanted - set(drawn)):
        text = game(f"drawn:{number}", 6, of_all=True)
        rules = compiled(text)
        if rules is None:
            refused += 1
        else:
            drawn += constructs(text, rules)
        number += 1
    assert sorted(wanted - set(drawn)) == [], "nothing that is drawn has these"
    assert sorted(set(NEVER) & set(drawn)) == [], "these are drawn after all"
    assert refused < number // 8, "most of what is drawn must compile"


def test_the_same_seed_gives_the_same_text() -> None:
    assert game("same") == game("same") != game("other")
