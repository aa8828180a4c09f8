"""The two-run test of secrets: pieces that are exchanged unseen, states with another value."""

from __future__ import annotations

import pytest
from small_games import game_of

from seaspec.cli.playing.wording import asked_about
from seaspec.core import ir
from seaspec.sampling.plays import watched_plays
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


POINTED = """\
game Pointed "What is chosen is pointed at, and there may be none"
const players = 2
component Card
  Card times 2
place row_of[n: 1..2] row of Card open
state few: 0..2 = 0 seen by {seat(1)}
secret few
symmetry turned
  p: Player to next(p)
action rest(p: Player): nothing
action keep(p: Player, c: Card): nothing
to setup
  move 1 Card from box to row_of[1]
to play
  seat(1) privately chooses n in 0..2
    few := n
  seat(2) chooses rest or keep(the c in row_of[1])
  seat(2) chooses rest or keep(the c in row_of[2])
"""


def test_where_it_can_not_be_said_what_may_be_chosen_nothing_is_compared() -> None:
    game = game_of(POINTED)
    (symmetry,) = (promise for promise in game.rules.promises if isinstance(promise, ir.Symmetry))
    assert not secret_trial(game.machine, 4, 0).found
    assert symmetry_trial(game.machine, symmetry, 4, 0).reason is None
    failed = watched_plays(game.machine, 2, 0).failed
    assert [error.message for error, _ in failed.values()] == ["exactly one was expected, there are 0"]


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


ASKING = """\
game Asking "Who asks why hears no secret"
const players = 2
state code[p: Player]: 0..3 = 0 seen by p
action rest(p: Player) "{p} rests": nothing
action peek(p: Player) "{p} peeks"
  needs low: code[Ann] < 2 "Ann has {code[Ann]}"
  nothing
action compare(p: Player, q: Player) "{p} compares"
  needs low: code[q] < 1 "{q} has {code[q]}"
  nothing
action doubt(p: Player) "{p} doubts"
  needs low: openly code[next(p)] < 1 "{next(p)} has {code[next(p)]}"
  nothing
to turn_of(p: Player, k: 0..3) "{p} has a turn": p chooses m in 1..2
to quiet_turn(p: Player, k: 0..3): p chooses m in 1..2
to play
  roll d3 as n seen by Ann
  code[Ann] := n
  Ben chooses doubt or rest
  Ann chooses peek or rest
  for each p in Player: p chooses compare(p) or rest
  Ben chooses k in 1..2 "what Ann has is {code[Ann]}, and you {code[Ben]}"
  turn_of(Ben, n)
  quiet_turn(Ben, n)
"""


def test_who_asks_why_hears_no_secret() -> None:
    """Of guards that read what one does not see, of sentences, and of what is asked openly."""
    play = game_of(ASKING).start(seed=3)
    assert play.value("code[Ann]") == 3 and play.asked == "Ben"
    assert [str(reason) for reason in play.why_not("Ben", "doubt")] == ["Ann has ?"]
    assert len(play.why_not("Ben", "peek")) == 1, "it is not on the menu, and more is not said"
    assert str(play.why_not("Ann", "peek")[1]) == "Ann has 3 (code[Ann] = 3)"
    assert len(play.why_not("Ann", "doubt")) == 1
    play.do("rest").do("rest").do("rest")
    assert play.asked == "Ben" and not play.why_not("Ben", "compare(Ben)")
    assert [str(reason) for reason in play.why_not("Ben", "compare(Ann)")] == ["you do not see whether low holds"]


def test_questions_tell_no_secret() -> None:
    """At the table: sentences, and what procedures are called with."""
    play = game_of(ASKING).start(seed=3)
    for _ in range(4):
        play.do("rest")
    asked = []
    while not play.is_over:
        asked.append(asked_about(play))
        play.do("1")
    assert asked == ["what Ann has is ?, and you 0", "Ben has a turn", "quiet turn"]
