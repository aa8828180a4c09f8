"""Steps in which nobody looks which pieces go: what is taken from an older play is what playing it would give."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from small_games import game_of
from test_bots_supposing import ALIKE, SMALL, played, the_game

from seaspec.backends.interpreter.machine import Answer
from seaspec.bots.blind import Blind, blind_in
from seaspec.bots.evidence import Eyes, gather
from seaspec.bots.supposing import Stand, Supposed, Supposing
from seaspec.game import Game
from seaspec.play import Play

DEALT = """\
game Dealt "Cards are dealt, and nobody looks at them"
const players = 2
component Card
  Plain(rank: 1..6) one each
  Joker times 2
place deck[p: Player] pile of Card hidden
place hand[p: Player] set of Card seen by p
place lot at most 1 Card open
state met[c: Plain]: 0..3 = 0 seen by seat(1)
state best: Card or none = none seen by seat(1)
to taken(p: Player, c: Card): nothing
to setup
  repeat until box is empty
    for each p in Player: draw up to 1 from box to deck[p]
  for each p in Player
    repeat until size of hand[p] >= 2
      draw 1 from deck[p] to hand[p] as c
      taken(p, c)
to play
  repeat 3 times
    for each p in Player
      p chooses n in 1..2
        say "{p} says {n}"
"""
LOOKS = {
    "asks what it is": ("taken(p: Player, c: Card): nothing", "taken(p: Player, c: Card)\n  if c is Joker: best := c"),
    "keeps it": ("taken(p: Player, c: Card): nothing", "taken(p: Player, c: Card): best := c"),
    "counts": (
        "taken(p: Player, c: Card): nothing",
        "taken(p: Player, c: Card)\n  if c is Plain and met[c] < 3: met[c] += 1",
    ),
    "goes on": (
        "until size of hand[p] >= 2",
        "until (size of hand[p] >= 2 and (some c in hand[p]: c is Plain)) or deck[p] is empty",
    ),
    "settles": ("to setup\n", "whenever jokers: (count c in hand[seat(1)] where c is Joker) > 1\n"
                "  move hand[seat(1)] to deck[seat(1)]\nto setup\n"),
    "shows one": ("to setup\n", "to setup\n  draw 1 from box to lot\n"),
}  # fmt: skip


def everywhere(play: Play, luck: int) -> list[list[Supposed | None]]:
    """A supposed play with any two pieces exchanged at any parting: taken from the older play, and played."""
    eyes = Eyes(play.game.machine, 0)
    evidence = gather(eyes, play.steps, play.position)
    found: list[list[Supposed | None]] = []
    supposed = Supposing(eyes, evidence, Random(luck)).grow(None)
    assert supposed is not None
    pieces = range(len(play.game.rules.pieces))
    for one, other in Random(luck).sample([*combinations(pieces, 2)], min(40, len(pieces))):
        for since in Supposing(eyes, evidence, Random(1))._partings(supposed, one, other)[:2]:
            plays = []
            for plays_all in (False, True):
                supposing = Supposing(eyes, evidence, Random(1))
                if plays_all:
                    supposing._is_image = lambda *given: False  # type: ignore[method-assign]
                plays.append(supposing._exchanged(supposed, one, other, since))
            found.append(plays)
    return found


def told(play: Supposed | None) -> object:
    """All of a supposed play."""
    if play is None:
        return None
    stands = [*(taken.stand for taken in play.steps), play.stand]
    steps = [(taken.answer, taken.hidden, taken.weight) for taken in play.steps]
    return steps, [(s.state.slots, s.state.where, s.count, s.since, s.agrees) for s in stands]


def draws_that_are_blind(game: Game) -> int:
    blind = blind_in(game.machine)
    return sum(len(found) for found in blind._onward.values())


@pytest.mark.parametrize("name", ["plain", *LOOKS, *SMALL, "calm", "competitive"])
def test_what_is_taken_over_is_what_would_be_played(name: str) -> None:
    if name in SMALL or name in ("calm", "competitive"):
        game = the_game(name)
    else:
        game = game_of(DEALT if name == "plain" else DEALT.replace(*LOOKS[name]))
    went_on = 0
    for seed in (3, 4):
        for taken, by_playing in everywhere(played(game, seed, 0), seed):
            assert told(taken) == told(by_playing)
            went_on += taken is not None
    assert went_on or name in ("keeps it", "Bids", "Dice")


def test_dealing_is_blind_and_looking_is_not() -> None:
    assert draws_that_are_blind(game_of(DEALT)) == 3, "from box to box, from box to hand, from hand to hand"
    assert draws_that_are_blind(game_of(ALIKE)) == 3
    for name in ("asks what it is", "counts", "goes on"):
        assert draws_that_are_blind(game_of(DEALT.replace(*LOOKS[name]))) < 3, name


def test_most_of_a_deal_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise it would be right, and no faster."""
    play = played(the_game("calm"), 4, 0)
    eyes = Eyes(play.game.machine, 0)
    supposing = Supposing(eyes, gather(eyes, play.steps, play.position), Random(2))
    supposed = supposing.grow(None)
    assert supposed is not None
    steps = []

    def counted(stand: Stand, answer: Answer) -> object:
        steps.append(answer)
        return Supposing._taken_again(supposing, stand, answer)

    monkeypatch.setattr(supposing, "_taken_again", counted)
    hidden = supposing._hidden_pieces(supposed.stand)
    one, other = hidden[:2]  # two islands; a Start can not lie wherever they can
    since = supposing._partings(supposed, one, other)[-1]
    supposing._exchanged(supposed, one, other, since)
    assert len(steps) < (len(supposed.steps) - since) / 4


def test_a_position_with_two_pieces_exchanged() -> None:
    game = game_of(DEALT)
    state = game.start(seed=1).position
    blind = Blind(game.machine)
    for one, other in combinations(range(6), 2):
        image = blind.exchanged(state, one, other)
        assert image is not None
        assert [image.where[one], image.where[other]] == [state.where[other], state.where[one]]
        again = blind.exchanged(image, one, other)
        assert again is not None and again.slots == state.slots and again.where == state.where
    kept = game_of(DEALT.replace(*LOOKS["keeps it"]))
    state = kept.start(seed=1).position
    named = state.slots[kept.machine.layout.states["best"].base]
    assert Blind(kept.machine).exchanged(state, named, (named + 1) % 8) is None, "a state speaks of it"
