"""What may be supposed where one player stands for all: the same of all of them, whatever reasons there are for it."""

from __future__ import annotations

from dataclasses import replace

from small_games import game_of
from test_symbolic import solve

from seaspec.prove.facts import Fact, first_values
from seaspec.prove.induction import Induction

ROUND = """
game Round "Whose turn it is does not matter"
const players = 2
state hit[p: Player]: yes or no = no
action strike(p: Player) "strike": hit[p] := not hit[p]
to play
  repeat 3 times
    for each p in Player in order from seat(1)
      p chooses strike
invariant never: no p in Player: hit[p]
"""


def prepared() -> tuple[Induction, list[Fact]]:
    """The proof of a game before anything is supposed; and that each player is not hit."""
    game = game_of(ROUND)
    induction = Induction(game.flow, list(game.rules.promises), solve, lambda: True, True)
    induction.prepare(list(game.rules.promises))
    return induction, list(first_values(game.rules))


def test_two_reasons_for_one_player_are_no_reason_for_all() -> None:
    induction, (ann, ben) = prepared()
    location = next(place for place in induction.paths.locations if not place.turned)
    assert induction.world.alike is not None
    twice: dict[Fact, None] = {ann: None, replace(ann): None}
    induction.candidates.complete(location, twice, ())
    assert not twice
    both: dict[Fact, None] = {ann: None, ben: None}
    induction.candidates.complete(location, both, ())
    assert list(both) == [ann, ben]
    assert set(induction.candidates.siblings(location.number, ann)) == {ann, ben}


def test_what_says_less_is_supposed_of_all_or_of_nobody() -> None:
    """Where what says more does not hold, what is left for one player alone is not supposed."""
    induction, (ann, ben) = prepared()
    location = next(place for place in induction.paths.locations if not place.turned)
    induction.known.alive[location.number].clear()
    new: dict[int, dict[Fact, None]] = {location.number: {}}
    less = replace(ann, weaker_than=ben)
    induction.loop.spare = {(location.number, ben): [less]}
    assert induction.loop.weaker_than([(location.number, ben)], new) == []
    assert less not in induction.known.alive[location.number]
