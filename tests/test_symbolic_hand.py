"""Proofs procedure by procedure, of what an action lays and what is done with it in the procedures that it calls: each
false twin differs in one line."""

from __future__ import annotations

import pytest
from small_games import game_of
from test_symbolic import solve
from test_symbolic_calls import apart

from seaspec.backends.symbolic.paths.changing import Changing
from seaspec.backends.symbolic.values.world import PLACES
from seaspec.prove import proofs
from seaspec.prove.entail import Solver
from seaspec.prove.portfolio import Attempt, Attempts, GoOn, Tell, Tried, view_of

COAST = """\
game Coast "Boats are laid, hit and mended"
type Player = ring of Ann, Ben
board Lake: grid 3 by 3 from the bottom left
component Boat
  Skiff(owner: Player, number: 1..5) one each
place wharf[p: Player] set of Boat open
place hand[p: Player] set of Boat open
place water[c: Lake] at most 1 Boat open
place sunk set of Boat open
state leaking[b: Boat]: yes or no = no while in water
define own(p: Player, c: Lake) = water[c] is some b and not leaking[b] and b.owner is p
define leaks(c: Lake) = water[c] is some b and leaking[b]
action lay(p: Player, b: Boat in hand[p], c: Lake) "{p} lays {b} in {c}"
  needs free: water[c] is empty
    unless own(rival(p), c) and b.number = 5
  move water[c] to sunk
  move b to water[c]
  effect(p, c)
  mend(p)
to effect(p: Player, c: Lake)
  p chooses what in 1..3
  match what
    1: hit(p, c)
    2: mend(p)
    3: fetch(p)
to hit(p: Player, c: Lake)
  p chooses x in Lake where own(rival(p), x)
    if water[x] is some b: leaking[b] := yes
  otherwise: nothing
to mend(p: Player)
  p chooses x in Lake where leaks(x)
    if water[x] is some b: leaking[b] := no
  otherwise: nothing
to fetch(p: Player)
  p chooses b in wharf[p]
    move b to hand[p]
  otherwise: nothing
to setup
  for each b in Boat
    move b to wharf[b.owner]
to play
  repeat 4 times
    for each p in Player
      fetch(p)
      fetch(p)
      p chooses lay
      otherwise: nothing
"""
COLOURS = """
invariant colours
  every p in Player:
    every b in wharf[p]: b.owner is p
    every b in hand[p]: b.owner is p
"""
PROMISES = """
always laid after lay(p, b, c): water[c] is some x and x.owner is p
always afloat after lay(p, b, c): own(p, c)
always room after lay(p, b, c): old (water[c] is empty or own(rival(p), c))
"""


def proved(*changes: tuple[str, str], promises: str = COLOURS + PROMISES) -> set[str]:
    text = COAST
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return apart(game_of(text + promises))


def test_what_an_action_lays_is_there_when_it_ends() -> None:
    """Though others are hit and mended in the meantime. It takes that boats in hand are the own ones, and that the
    guard holds, or its exception."""
    assert proved() == {"colours", "laid", "afloat", "room"}


def test_it_takes_what_another_promise_says() -> None:
    assert proved(promises=PROMISES) == {"room"}


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("x in Lake where own(rival(p), x)", "x in Lake where water[x] is filled", {"colours", "laid", "room"}),
        ("leaking[b] := no", "leaking[b] := yes", {"colours", "laid", "room"}),
        ("    unless own(rival(p), c) and b.number = 5\n", "    unless b.number = 5\n", {"colours", "laid", "afloat"}),
        ("p chooses b in wharf[p]", "p chooses b in Boat where b.owner is p", {"colours", "room"}),
    ],
)
def test_what_is_false_is_not_proved(old: str, new: str, left: set[str]) -> None:
    """Any boat is hit; none is mended, but one more leaks; any boat may be covered; one is fetched from anywhere."""
    if "leaking" in new:
        assert proved((old, new), ("is some b and leaking[b]", "is some b and not leaking[b]")) == left
    else:
        assert proved((old, new)) == left


def test_what_is_chosen_from_a_place_leaves_all_others() -> None:
    """Of a piece that may lie anywhere it is not known."""
    assert "water" not in Changing(game_of(COAST).flow).of("fetch").moved.places
    anywhere = COAST.replace("p chooses b in wharf[p]", "p chooses b in Boat where b.owner is p")
    assert "water" in Changing(game_of(anywhere).flow).of("fetch").moved.places
    moved_before = COAST.replace("    move b to hand[p]\n", "    move wharf[p] to hand[p]\n    move b to hand[p]\n")
    assert "water" in Changing(game_of(moved_before).flow).of("fetch").moved.places


def test_a_state_keeps_its_value_or_is_given_one_of_few() -> None:
    changing = Changing(game_of(COAST).flow)
    assert changing.of("mend").given == {"leaking": {False}}
    assert changing.of("effect").given == {"leaking": {False, True}}


COUNTS = """
invariant few: size of water <= 8
invariant own_ones: (count c in Lake where own(Ann, c)) <= 8
invariant there: every p in Player: size of hand[p] <= 5
"""


def test_what_counts_many_is_dear() -> None:
    rules = game_of(COAST + COUNTS).rules
    views = {p.name: view_of(rules, p, frozenset((PLACES,)), again=False) for p in rules.promises}  # type: ignore[arg-type]
    assert {name: view.counts for name, view in views.items()} == {"few": True, "own_ones": True, "there": False}


def test_what_is_proved_helps_before_anything_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "MOST_TOGETHER", 0)
    made: list[set[str]] = []
    make = Attempts._made

    def noted(self: Attempts, attempt: Attempt, solve: Solver, go_on: GoOn, tell: Tell) -> Tried:
        made.append({promise.name for promise in attempt.promises})
        return make(self, attempt, solve, go_on, tell)

    monkeypatch.setattr(Attempts, "_made", noted)
    few = "invariant few: (count c in Lake where own(Ann, c)) <= 3\n"
    game = game_of(COAST + COLOURS + PROMISES + few)
    wanted = [promise for promise in game.rules.promises if promise.name in ("colours", "laid", "few")]
    found = proofs.prove(game.flow, wanted, solve, lambda: {"few"} not in made)
    assert {name for name, proof in found.items() if proof.proved} == {"colours", "laid"}
    assert made.index({"colours", "laid"}) < made.index({"few"})
