"""Pirate Bay: examples and promises in its worlds, random plays of each size, house rules, exact odds, coverage.

SEASPEC_PLAYS says how much is played of each size: 100,000 steps times 3, by default.
"""

from __future__ import annotations

import os
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from roamed import broken, seen

import seaspec
from seaspec.backends.interpreter.choices import PASS, Act, Choice
from seaspec.backends.interpreter.state import State
from seaspec.backends.native.flow.judging import Event
from seaspec.cli.positions import in_example
from seaspec.core import ir
from seaspec.examples.run import Verdict, run_examples
from seaspec.explore.native import explore_natively
from seaspec.explore.reference import explore
from seaspec.game import Game
from seaspec.rulebook import Rulebook, read_rulebook
from seaspec.sampling.plays import watched_plays
from seaspec.sampling.secrets import secret_trial
from seaspec.sampling.symmetry import symmetry_trial
from seaspec.source import SourceFile
from seaspec.verdict.check import is_as_said
from seaspec.verdict.odds import outcomes

PLAYS = int(os.environ.get("SEASPEC_PLAYS", "3"))
RULES = Path("rules/pirate_bay")
SPEC = Path("spec")


@cache
def game(name: str = "pirate_bay", **options: str) -> Game:
    return seaspec.load(name, **options)


def house_rule(name: str, *worlds: str, **options: str) -> Game:
    return game(" + ".join([str(RULES / f"{name}.sea"), *worlds]), **options)


def failed_examples(of: Game) -> list[str]:
    """The examples that do not say what the rules do (nor are said to break); those about other options aside."""
    results = [r for r in run_examples(of) if r.verdict is not Verdict.OTHER_OPTIONS]
    assert results
    return [r.example.name for r in results if not is_as_said(of.rules, r)]


# ------------------------------------------------------------------------------------------ the rules of the book


NOT_IN_THE_BOOK = {
    "islets": "by_plan",
    "booty": "as_wished",
    "landfall": "after_the_move",
    "landing_limit": "as_loading",
}
"""The other value of each option whose first value is what the book says."""


@pytest.mark.parametrize("players", ["2", "3", "8"])
def test_examples(players: str) -> None:
    assert failed_examples(game(players=players)) == []


def test_what_the_book_says_comes_first() -> None:
    options = game().options
    assert {option for option, value in NOT_IN_THE_BOOK.items() if options[option] == value} == set()
    assert options.keys() >= NOT_IN_THE_BOOK.keys()


@pytest.mark.parametrize("option", NOT_IN_THE_BOOK)
def test_examples_with_what_is_not_in_the_book(option: str) -> None:
    assert failed_examples(game(**{option: NOT_IN_THE_BOOK[option]})) == []


def test_every_example_is_run_with_some_options() -> None:
    stacks = [{"players": players} for players in "567"] + [{"players": n, "islets": "by_plan"} for n in "238"]
    stacks += [{option: value} for option, value in NOT_IN_THE_BOOK.items() if option != "islets"]
    results = [r for options in stacks for r in run_examples(game(**options))]
    results = [r for r in results if r.verdict is not Verdict.OTHER_OPTIONS]
    assert {r.example.name for r in results} == {example.name for example in game().rules.examples}
    assert {r.verdict for r in results} == {Verdict.HOLDS}


@pytest.mark.parametrize("by", ["the book", "what is not in the book"])
@pytest.mark.parametrize("players", ["2", "3", "4", "5", "6", "7", "8"])
def test_random_plays(players: str, by: str) -> None:
    options = {} if by == "the book" else NOT_IN_THE_BOOK
    table = game(players=players, **options, last_round="20")
    found = seen(table, 100_000 * PLAYS)
    assert not broken(table, found) and not found.cut_off
    assert Event("taken", "steer") in found.soonest


def test_the_cove_keeps_all_but_what_is_not_so() -> None:
    cove = game("pirate_bay + cove")
    findings = watched_plays(cove.machine, 40, seed=1)
    assert not findings.failed and findings.stuck is None
    myths = {p.name for p in cove.rules.promises if p.myth}
    assert {"anchor_is_free", "order_in_own_turn"} <= set(findings.watched.broken) <= myths
    reachable = {p.name for p in cove.rules.promises if isinstance(p, ir.Reachable)}
    assert set(findings.watched.witnessed) == reachable == {"order_decides"}


def test_the_narrows_show_it_by_plays_that_are_easy_to_follow() -> None:
    narrows = game("pirate_bay + narrows")
    found = explore_natively(narrows.machine, 1_000_000, 1)
    assert found.complete and not found.failed and found.stuck is None
    myths = {p.name for p in narrows.rules.promises if p.myth}
    others = {"bigger_is_better", "ends within 120 calls of turn"}  # about odds alone; about plays without a last round
    assert set(found.watched.broken) == myths - others
    assert max(len(play.answers) for play in found.watched.broken.values()) <= 18
    assert set(found.watched.witnessed) == {"order_decides"}


def test_by_the_letter_the_hunt_goes_on_when_the_last_treasure_has_sunk() -> None:
    findings = watched_plays(game("pirate_bay + by_the_letter + cove").machine, 40, seed=1)
    assert not findings.failed
    assert "endless" in findings.watched.witnessed


def test_without_a_last_round_a_play_goes_on() -> None:
    """A hundred rounds and more of random plays: nobody has to bring treasure home."""
    many = iter(range(20))
    findings = watched_plays(game().machine, 1, seed=1, go_on=lambda: next(many, None) is not None)
    assert findings.unfinished == 1 and not findings.failed
    assert "ends within 120 calls of turn" in findings.watched.broken


@pytest.mark.parametrize("world", ["beach", "narrows"])
def test_odds_in_small_worlds(world: str) -> None:
    """Of the first cards of the beach; of who is first."""
    assert failed_examples(game(f"pirate_bay + {world}")) == []


def test_secrets() -> None:
    leaks = secret_trial(game("pirate_bay + pond").machine, 3, seed=1)
    assert leaks.compared and not leaks.found
    assert "face_down" in leaks.by_thing
    assert "merchant" not in leaks.by_thing, "there is one card for it, and all know which"


@pytest.mark.parametrize("islets", ["by_choice", "by_plan"])
@pytest.mark.parametrize("players", ["2", "3", "4", "6", "8"])
def test_seats_are_alike(players: str, islets: str) -> None:
    of = game(players=players, last_round="20", islets=islets)
    (symmetry,) = [p for p in of.rules.promises if isinstance(p, ir.Symmetry)]
    found = symmetry_trial(of.machine, symmetry, 4, seed=1)
    assert found.compared and found.broken is None and found.reason is None


def test_one_round_of_the_creek_is_all_kept() -> None:
    found = explore(game("pirate_bay + creek").machine, 20_000)
    assert not found.failed and found.stuck is None
    promises = {p.name: p for p in game("pirate_bay + creek").rules.promises}
    assert [name for name in found.watched.broken if not promises[name].myth] == []


# ---------------------------------------------------------------------------------------------------------- house rules

HOUSE_RULES = ["calm_cards", "last_bell", "no_free_ride", "once_a_roll", "raids", "wild_islands"]


def test_house_rules_are_known_and_short() -> None:
    assert sorted(path.stem for path in RULES.glob("*.sea")) == HOUSE_RULES
    for path in RULES.glob("*.sea"):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("--")]
        assert len(lines) <= 12, path


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_examples_with_house_rules(name: str) -> None:
    assert failed_examples(house_rule(name)) == []


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_promises_with_house_rules(name: str) -> None:
    """What no house rule says to break holds, and what one says to break is broken by some play."""
    cove = house_rule(name, "cove")
    findings = watched_plays(cove.machine, 40, seed=1)
    assert not findings.failed and findings.stuck is None and not findings.unfinished
    broken = set(findings.watched.broken) - {p.name for p in cove.rules.promises if p.myth}
    assert broken == ({"safe_at_home"} if name == "raids" else set())
    assert broken <= set(cove.rules.breaks)
    if name == "no_free_ride":
        assert findings.watched.looked["dear"] > 0
    if name == "calm_cards":
        assert findings.watched.looked["drifting"] > 0
    if name == "raids":
        assert findings.taken["raid"] > 0


def test_calm_cards_do_not_treat_all_seats_alike() -> None:
    of = house_rule("calm_cards", last_round="20")
    (symmetry,) = [p for p in of.rules.promises if isinstance(p, ir.Symmetry)]
    assert symmetry.name in of.rules.breaks
    assert symmetry_trial(of.machine, symmetry, 4, seed=1).broken is not None


def test_with_the_last_bell_a_play_is_short() -> None:
    findings = watched_plays(house_rule("last_bell").machine, PLAYS, seed=1)
    assert not findings.failed and not findings.unfinished
    assert findings.watched.looked["short_game"] > 0 and "short_game" not in findings.watched.broken
    assert "out_of_time" in findings.watched.witnessed


def test_the_order_once_a_roll() -> None:
    rules = house_rule("once_a_roll").rules
    assert outcomes(rules, "beats", (2, 1, 1, 0)) == {True: Fraction(98, 103), False: Fraction(5, 103)}
    assert outcomes(rules, "beats", (2, 0, 1, 1)) == {True: Fraction(32, 39), False: Fraction(7, 39)}


def test_on_wild_islands_a_black_mark_is_lost_from_sight() -> None:
    of = house_rule("wild_islands")
    (marked,) = [r for r in run_examples(of) if r.example.name == "marked"]
    assert marked.verdict is Verdict.FAILS and "marked" in of.rules.breaks


# ------------------------------------------------------------------------------------------------------------ the odds


@pytest.mark.parametrize(
    ("dice", "firer", "defender", "odds"),
    [
        (1, 0, 0, Fraction(1, 2)), (1, 1, 0, Fraction(21, 31)), (1, 0, 1, Fraction(10, 31)),
        (2, 0, 0, Fraction(181, 201)), (2, 1, 0, Fraction(103, 105)), (2, 0, 1, Fraction(32, 39)),
    ],
)  # fmt: skip
def test_hits(dice: int, firer: int, defender: int, odds: Fraction) -> None:
    found = outcomes(game().rules, "beats", (dice, firer, 1, defender))
    assert found == {True: odds, False: 1 - odds}


def test_an_exchange_of_single_shots_played_out() -> None:
    """Two rounds, two masts each, abeam of each other: all ways in which the dice may fall."""
    play = in_example(game(), "two_exchanges", "Ann", "steer")
    play.do("steer(Ship Ann frigate 1, east)")
    machine = play.game.machine
    beaten = machine.layout.states["beaten"].slots
    ann, ben = (slot for _, slot in sorted(beaten.items()))
    ends = dict.fromkeys(("target", "attacker", "nobody"), Fraction(0))
    waiting = {machine.canonical(play.position): (play.position, Fraction(1))}
    while waiting:
        state, odds = waiting.pop(next(iter(waiting)))
        onward: list[tuple[State, Fraction]] = []
        if state.slots[ann] or state.slots[ben]:
            ends["attacker" if state.slots[ann] else "target"] += odds
        elif machine.is_chance(state):
            ways = machine.outcomes(state).weighted()
            total = sum(weight for _, weight in ways)
            onward = [(machine.step(state, outcome), odds * Fraction(weight) / total) for outcome, weight in ways]
        elif (choice := _one_shot(play.game, state)) is None:
            ends["nobody"] += odds
        else:
            onward = [(machine.step(state, choice), odds)]
        for after, part in onward:
            key = machine.canonical(after)
            waiting[key] = after, part + (waiting[key][1] if key in waiting else 0)
    assert ends == {"target": Fraction(1, 4), "attacker": Fraction(3, 16), "nobody": Fraction(9, 16)}


def _one_shot(of: Game, state: State) -> Choice | None:
    """To fire one shot wherever one may; None where the attacker cannot any more."""
    options = [option for option in of.machine.options(state) if option is not PASS]
    acts = [option for option in options if isinstance(option, Act)]
    fights = [act for act in acts if act.action == "fight"]
    shots = [act for act in acts if act.action == "volley" and act.arguments[-1] == 1]
    return next(iter(fights + shots), None)


# ------------------------------------------------------------------------------------------------------------ the text


def rulebook(name: str) -> Rulebook:
    path = SPEC / "rulebooks" / f"{name}.md"
    return read_rulebook(SourceFile(str(path), path.read_text(encoding="utf-8")), name)


def test_all_ids_of_the_rule_book_are_cited() -> None:
    """Clauses, silences, examples, properties, and the rest of the catalogue."""
    shared = rulebook("sailing").tags
    texts = [SPEC / "pirate_bay.sea", *RULES.glob("*.sea")]
    cited = {id for path in texts for id in re.findall(r"\b[a-z]+\.\d+\b", path.read_text(encoding="utf-8"))}
    for tag in re.findall(r"\b[a-z]+\.\w+\b", (SPEC / "sailing.sea").read_text(encoding="utf-8")):
        cited |= set(shared[tag].get("pirate_bay", ())) if tag in shared else {tag}
    ids = rulebook("pirate_bay").clauses
    assert len([id for id in ids if id.startswith("gap.")]) == 67
    assert [id for id in ids if id not in cited] == []
