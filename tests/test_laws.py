"""Laws that hold at every position of every game: pieces are conserved, options are ranked and written without loss."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_games import TINY, flow_game, game_of

from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State, contents
from seaspec.game import Game
from seaspec.play import Play
from seaspec.strategies import plays

BUSY = """
repeat 4 times
  for each p in Player in order from seat(2)
    let n = size of hand[p]
    p may repeatedly take until size of hand[p] = 2
    p in any order
      count_up := n
      if n = 0: light := next(light)
    draw up to 1 from stock to line as x
    roll 2 d6 as total
    if total > 9: move line to heap
    all at once each q in Player
      q privately chooses any of hand[q] as them
        move them to stock
    p shares 2 among q in Player as gift
    mark[p] := gift[p]
    if size of line = 3: move line to stock
    shuffle heap
    move heap to stock
"""
GAMES = [
    game_of(TINY),
    game_of(TINY, players="3"),
    flow_game(BUSY, "whenever full: count_up = 9\n  count_up := 0\n", 3),
]
LAWS = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def drawn(game: Game, data: st.DataObject) -> Play:
    return data.draw(plays(game, 25))


@pytest.mark.parametrize("game", GAMES)
@given(st.data())
@LAWS
def test_every_piece_is_in_one_place(game: Game, data: st.DataObject) -> None:
    machine = game.machine
    play = drawn(game, data)
    for state, _ in [*play.steps, (play.position, ())]:
        where = {
            piece: slot
            for slot in machine.layout.place_slots
            for piece in contents(machine.effects.order[slot], state.slots[slot])
        }
        assert where == dict(enumerate(state.where))


@pytest.mark.parametrize("game", GAMES)
@given(st.data())
@LAWS
def test_options_are_ranked_and_written_without_loss(game: Game, data: st.DataObject) -> None:
    play = drawn(game, data)
    options = play.options
    if options is None:
        return
    texts = set()
    for number, choice in enumerate(options):
        assert options.position(choice) == number and choice in options and options.canonical(choice) == choice
        text = play.text(choice)
        texts.add(text)
        assert Notation(game.machine, play.position).read(text) == choice
    assert len(texts) == len(options)


@pytest.mark.parametrize("game", GAMES)
@given(st.data())
@LAWS
def test_a_position_is_all_that_matters(game: Game, data: st.DataObject) -> None:
    """What was computed on the way to a position plays no part in it."""
    machine = game.machine
    play = drawn(game, data)
    fresh = State(play.position.slots, play.position.where)
    assert machine.canonical(fresh) == machine.canonical(play.position)
    if play.options is not None:
        assert list(machine.options(fresh)) == list(play.options)
        assert machine.step(fresh, play.options[0]) == machine.step(play.position, play.options[0])


@pytest.mark.parametrize("game", GAMES)
@given(st.data())
@LAWS
def test_chances_add_up(game: Game, data: st.DataObject) -> None:
    play = drawn(game, data)
    for state, _ in play.steps:
        if game.machine.is_chance(state):
            outcomes = game.machine.outcomes(state)
            assert sum(outcomes.probability(outcome) for outcome, _ in outcomes.weighted()) == 1
