"""Hypothesis strategies: plays and positions of a game.

    @given(plays(game))
    def test_somebody_is_asked(play: Play) -> None: ...

A play is drawn as a number of choices, a seed for chance, and for each choice the index of an option; nothing is ever
filtered, so every example counts. Shrinking tries fewer choices first, then smaller indices.
"""

from __future__ import annotations

from hypothesis import strategies as st

from seaspec.backends.interpreter.state import State
from seaspec.game import Game
from seaspec.play import Play


@st.composite
def plays(draw: st.DrawFn, game: Game, max_plies: int = 60) -> Play:
    """Plays with up to `max_plies` choices: begun, half way, or over."""
    plies = draw(st.integers(0, max_plies))
    play = game.start(seed=draw(st.integers(0, 2**32 - 1)))
    for _ in range(plies):
        options = play.options
        if options is None:
            break
        play.do(options[draw(st.integers(0, options.size - 1))])
    return play


def positions(game: Game, max_plies: int = 60) -> st.SearchStrategy[State]:
    """Positions that can be reached."""
    return plays(game, max_plies).map(lambda play: play.position)
