"""The two-run test of secrets: pieces that are exchanged unseen, states with another value."""

from __future__ import annotations

import pytest
from small_games import game_of

from seaspec.core import ir
from seaspec.sampling.secrets import Leaks, secret_trial
from seaspec.sampling.symmetry import symmetry_trial
from seaspec.verdict.check import check_game
from seaspec.verdict.verdicts import PromiseVerdict, Verdict

AUCTION = """\
game Auction "Auction"
const players = 2
state bid[p: Player]: 0..5 = 0 seen by p
state winner: Player = seat(1)
secret bid
to play
  repeat 8 times
    all at once each p in Player
      p privately chooses n in 0..5
        bid[p] := n
"""
SPIES = """\
game Spies "Who sees the desk is hidden from the others"
const players = 2
component Paper
  Paper(number: 1..4) one each
place desk set of Paper seen by {p in Player where spy[p]}
state spy[p: Player]: yes or no = no hidden
secret spy
secret desk
to setup: move all Paper from box to desk
to play
  seat(2) privately chooses n in 0..1
    if n = 1: spy[seat(1)] := yes
  repeat 4 times
    seat(1) chooses n in 1..3
"""
HANDS = """\
game Hands "Hands"
const players = 2
component Card
  Card(rank: 1..6) one each
place hand[p: Player] set of Card seen by p
place deck pile of Card hidden
secret hand
secret deck
to setup
  move all Card from box to deck
  for each p in Player: draw 2 from deck to hand[p]
action lay(p: Player, c: Card in hand[p])
  move c under deck
  draw 1 from deck to hand[p]
to play
  repeat 8 times
    for each p in Player: p chooses lay
"""
TELLING = """\
game Telling "Who is asked has more options if a secret is so"
const players = 2
state spy: yes or no = no hidden
secret spy
to play
  seat(2) privately chooses n in 0..1
    if n = 1: spy := yes
  seat(1) chooses n in 1..(if spy then 3 else 2)
"""
MIXED = """\
game Mixed "All have seen the cards, and then two of the pile are laid aside"
const players = 2
component Card
  Card(rank: 1..9) one each
place shown set of Card open
place deck pile of Card hidden
place aside set of Card hidden
secret deck, aside
to setup
  move all Card from box to shown
  move shown to deck
{mixing}
to play
  repeat 20 times
    seat(1) chooses n in 1..2
"""
MIXING = "  draw 2 from deck to aside\n"


def leaks(text: str) -> Leaks:
    return secret_trial(game_of(text).machine, 20, seed=1)


def verdict(text: str, thing: str) -> PromiseVerdict:
    game = game_of(text)
    checked = check_game(game, 60, 1, lambda label, total: lambda done: None, lambda options: game)
    found = (v for v in checked.promises if isinstance(v.promise, ir.Secret) and thing in v.promise.things)
    return next(found)


def test_hidden_states_are_given_other_values() -> None:
    found = leaks(AUCTION)
    assert not found.found
    assert found.by_thing["bid"] > 10
    assert "winner" not in found.by_thing, "all see it"
    assert verdict(AUCTION, "bid").verdict is Verdict.TESTED


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that the checker would refuse: who sees the desk depends on what is hidden (SEA504)."""
    monkeypatch.setattr("seaspec.compile.check_rules", lambda game, report: None)


@pytest.mark.usefixtures("unchecked")
def test_a_state_that_shows_in_what_somebody_sees_leaks() -> None:
    found = leaks(SPIES).found["spy"]
    assert found.detail.startswith("Ann can tell what is hidden in spy[Ann]: these two plays look different to Ann")
    assert found.beside is not None and len(found.answers) == len(found.beside) == 1
    broken = verdict(SPIES, "spy")
    assert broken.verdict is Verdict.BROKEN and broken.kept is False


@pytest.mark.usefixtures("unchecked")
def test_what_is_the_same_in_all_plays_can_not_be_told() -> None:
    said = "no two plays that look alike, and in which it is different, were met"
    assert verdict(SPIES, "desk").detail == said


@pytest.mark.parametrize("place", ["hand", "deck"])
def test_hidden_pieces_are_exchanged(place: str) -> None:
    found = leaks(HANDS)
    assert not found.found and found.by_thing[place] > 10


@pytest.mark.usefixtures("unchecked")
def test_states_that_are_read_openly_are_left_out() -> None:
    told = "    if openly spy[seat(1)]: nothing\n"
    assert not leaks(SPIES.replace("spy[seat(1)] := yes\n", "spy[seat(1)] := yes\n" + told[2:])).found


@pytest.mark.usefixtures("unchecked")
def test_what_may_be_chosen_must_not_tell() -> None:
    assert "spy" in leaks(TELLING).found
    assert not leaks(TELLING.replace("if spy", "if (openly spy)")).found, "it is said on purpose"


def test_what_was_seen_is_unknown_after_something_unseen_has_moved() -> None:
    assert not leaks(MIXED.format(mixing="")).by_thing, "all know what lies there, though nobody sees it now"
    assert set(leaks(MIXED.format(mixing=MIXING)).by_thing) == {"deck", "aside"}


GUESSES = """\
game Guesses "Guesses"
const players = 2
component Card
  Card(rank: 1..4) one each
place hand[p: Player] set of Card seen by p
place left set of Card hidden
place right set of Card hidden
place middle set of Card hidden
{secrets}
to setup
  {setup}
to play
  repeat 20 times
    seat(2) chooses n in 1..{most}
"""


def guesses(most: str, setup: str, things: str) -> Leaks:
    secrets = "\n".join(f"secret {thing}" for thing in things.split())
    return leaks(GUESSES.format(most=most, setup="\n  ".join(setup.split("; ")), secrets=secrets))


@pytest.mark.usefixtures("unchecked")
def test_options_alone_may_leak() -> None:
    """The same is asked, and all that lies there looks the same: what one may choose tells it."""
    deal = "draw 2 from box to left; draw 2 from box to right; draw 1 from left to hand[seat(1)]"
    found = guesses("(if some c in hand[seat(1)]: c.rank = 4 then 3 else 2)", deal, "hand left")
    assert set(found.found) >= {"hand", "right"}
    assert "these two plays look different to Ben" in found.found["hand"].detail


FOUR = "(if some c in right: c.rank = 4 then 3 else 2)"


@pytest.mark.usefixtures("unchecked")
def test_what_was_shown_is_known_until_it_is_mixed() -> None:
    shown = "move all Card from box to left; show left to seat(2)"
    known = guesses(FOUR, shown, "left")
    assert "left" not in known.by_thing, "Ben knows where all of them lie"
    mixed = guesses(FOUR, f"{shown}; draw 1 from left to right", "left")
    assert set(mixed.found) == {"left", "right"}, "which one has gone, Ben does not know"


@pytest.mark.usefixtures("unchecked")
def test_what_lies_elsewhere_is_not_forgotten() -> None:
    shown = (
        "move {c in Card where c.rank > 2} to left; show left to seat(2); move {c in Card where c.rank = 1} to middle"
    )
    found = guesses(FOUR, f"{shown}; move middle to right", "left")
    assert "left" not in found.by_thing and not found.found


def test_where_the_rules_fail_at_the_first_choice_nothing_is_compared() -> None:
    game = game_of(FAILS)
    (symmetry,) = (promise for promise in game.rules.promises if isinstance(promise, ir.Symmetry))
    assert secret_trial(game.machine, 2, 0).compared == 0
    assert symmetry_trial(game.machine, symmetry, 2, 0).compared == 0


FAILS = """\
game Failing "The rules fail before anybody is asked"
const players = 2
state at: 0..2 = 0
state low[i: 1..2]: 0..1 = 0
state code[p: Player]: 0..1 = 0 seen by p
action go(p: Player, i: 0..1) "{p} goes"
  needs low: low[at] = 0
  at := i
to play
  for each p in Player: p chooses go
symmetry turned
  p: Player to next(p)
secret code
"""
