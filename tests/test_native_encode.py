"""A native state that is read and written again is the same, byte by byte, all along plays of every game."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from native_cases import games, some_cases

from seaspec.backends.native.machine import Machine
from seaspec.backends.native.values.encode import Encoder

STEPS = 150


@pytest.mark.parametrize("path", [path for _, path in games()], ids=lambda path: path.stem)
def test_states_are_written_as_they_were(path: Path) -> None:
    steps = 0
    for case in [case for case in some_cases(path, 6) if case.world is None]:
        game = case.game()
        if game is None:
            continue
        native, random = Machine(game.flow), Random(case.name)
        encoder = Encoder(native.layout)
        state = native.begin()
        for _ in range(STEPS):
            if native.is_over(state):
                state = native.begin()
            used = native.layout.end
            assert encoder.state(native.position(state))[:used] == state[:used], case.name
            count = native.count(state)
            if not count:
                break  # somebody is stuck, and the rules do not say what then
            state = native.step(state, random.randrange(count))
            steps += 1
    assert steps
