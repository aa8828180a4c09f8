"""Symmetries for all positions: true ones are proved; with one fault, wherever it is, they are not."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from small_games import game_of

import seaspec
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Answer, Reply, ask
from seaspec.core import ir
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.loading import LoadError, load_subject, load_subject_of
from seaspec.mutate.mutants import mutants
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import certificate, is_provable, prove
from seaspec.sampling.symmetry import symmetry_trial
from seaspec.verdict.check import check_game, proved
from seaspec.verdict.verdicts import Verdict


def solve(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
    return [ask(script, 300 * patience) for script in scripts]


def symmetry_of(game: Game) -> ir.Symmetry:
    (found,) = [promise for promise in game.rules.promises if isinstance(promise, ir.Symmetry)]
    return found


def proof(game: Game) -> Proof:
    symmetry = symmetry_of(game)
    return prove(game.flow, [symmetry], solve)[symmetry.name]


GARDEN = """\
game Garden "Garden"
const players = 2
type Number = 1..9
type Way = ring of north, east, south, west
board Bed: grid 3 by 3 towards Way
component Plant
  Tulip(number: Number) one each
  Rose times 3
place bag set of Plant hidden
place hand[p: Player] set of Plant seen by p
place bed[c: Bed] at most 1 Tulip open
place row row of Plant open
state water[c: Bed]: 0..5 = 1
state last: Bed or none = none
state best: Number or none = none
state turns: 0..9 = 0 until end of turn
define number(c: Bed): 0..9 = if bed[c] is some x then x.number else 0
define across(c: Bed): Bed = rotated(c, 2)
define fits(v: Number, c: Bed)
  no d in Bed where bed[d] is filled and number(d) > 0:
    (d.row < c.row and number(d) >= v) or (d.row > c.row and number(d) <= v)
action plant(p: Player, x: Tulip in hand[p], c: Bed)
  needs free: bed[c] is empty
  needs rising: {rising}
  {guard}
  move x to bed[c]
  last := c
  {effect}
action pour(p: Player, c: Bed)
  needs dry: water[c] < 5
  water[c] += 1
  {pouring}
  for each d in beside(c) where water[d] < 5: water[d] += 1
action rest(p: Player): nothing
menu deed(p: Player) = plant or pour or rest
to setup
  {setup}
  for each p in Player
    repeat 3 times
      draw 1 from box to hand[p]
to turn(p: Player)
  turns += 1
  p chooses deed(p)
  {after}
  chance chooses c in {chance}
    water[c] := 0
to play
  repeat 6 times
    for each p in Player in order from seat(1): turn(p)
  {end}
symmetry turned
  c: Bed to rotated(c, 2)
  v: Number to 10 - v
  d: Way to opposite(d)
"""
PARTS = {
    "rising": "size of hand[p] > 0",
    "guard": "needs more: water[c] > 0",
    "effect": "best := x.number",
    "pouring": "turns := 2",
    "setup": "best := none",
    "after": "if last is some c: water[c] := 0",
    "chance": "Bed",
    "end": "nobody wins",
}


def garden(**parts: str) -> Game:
    text = GARDEN
    for name, part in {**PARTS, **parts}.items():
        text = text.replace(f"{{{name}}}", part)
    return game_of(text)


def test_a_symmetry_is_proved() -> None:
    game = garden(rising="fits(x.number, c)")
    assert proof(game) == Proof("turned", True)
    assert symmetry_trial(game.machine, symmetry_of(game), 3, seed=1).broken is None


STILL_TRUE = {
    "both ends of the rows": {"guard": "needs more: c.row != 2 or c.column != 2"},
    "a sum over all cells": {"after": "if (sum water[c] for c in Bed) > 20: nobody wins"},
    "the ways of neighbours": {
        "guard": "needs more: (some d in {north, south}: next(c, d) is some e and bed[e] is empty) or water[c] > 0"
    },
    "a loop whose turns may come in any order": {"after": "for each c in Bed where water[c] > 3: water[c] := 1"},
    "what chance may choose": {"chance": "{c in Bed where c.row = 1 or c.row = Bed.rows}"},
    "weights": {"chance": "Bed weights abs(c.row - 2)"},
}


@pytest.mark.parametrize("parts", STILL_TRUE.values(), ids=STILL_TRUE.keys())
def test_what_commutes_as_a_whole(parts: dict[str, str]) -> None:
    game = garden(**parts)
    assert symmetry_trial(game.machine, symmetry_of(game), 3, seed=1).broken is None
    assert proof(game).proved, proof(game).why


def test_a_guard_that_fails_in_one_comparison() -> None:
    text = GARDEN.replace("number(d) <= v)", "number(d) < v)")
    for name, part in {**PARTS, "rising": "fits(x.number, c)"}.items():
        text = text.replace(f"{{{name}}}", part)
    found = proof(game_of(text))
    assert not found.proved and "the guard rising of plant" in found.why


FALSE = {
    "a guard": ({"guard": "needs low: c.row < Bed.rows"}, "the guard low of plant may differ in the image"),
    "a guard at few positions": (
        {"guard": "needs odd: not (number(c) = 0 and size of hand[p] = 1 and x.number = 9 and c.row = Bed.rows)"},
        "the guard odd of plant",
    ),
    "an effect": ({"effect": "best := 1"}, "what is read there may differ"),
    "an effect with a number of another meaning": ({"effect": "turns := x.number"}, "what is read there may differ"),
    "a place": ({"effect": "water[Bed(1, 1)] := 0"}, "what is read there may differ"),
    "a test": ({"after": "if last is some c and c.row = 1: nobody wins"}, "what is read there may differ"),
    "a value at the beginning": ({"setup": "water[Bed(1, 1)] := 0"}, "the beginning is not its own image"),
    "the order of a loop": (
        {"after": "for each c in Bed where water[c] = 0: last := c"},
        "rest_of_c may come in another order",
    ),
    "a loop that reads what others have written": (
        {"after": "for each c in Bed: water[c] := water[Bed(2, 2)]"},
        "rest_of_c may come in another order",
    ),
    "the first of several": (
        {"after": "if (first c in Bed where water[c] = 0 otherwise none) is some c: last := c"},
        "what is read there may differ",
    ),
    "the order in a row": ({"after": "move hand[p] to row"}, "in another order"),
    "what chance may choose": ({"chance": "{c in Bed where c.row < Bed.rows}"}, "what is gone through there"),
    "weights": ({"chance": "Bed weights c.row"}, "what is read there may differ"),
    "the end": (
        {"end": "if last is some c and c.row = 1: win for seat(1)"},
        "what is read there may differ",
    ),
}


@pytest.mark.parametrize(("parts", "why"), FALSE.values(), ids=FALSE.keys())
def test_one_fault_and_it_is_not_proved(parts: dict[str, str], why: str) -> None:
    found = proof(garden(**parts))
    assert not found.proved
    assert why in found.why


def test_what_has_no_encoding_is_not_proved_and_said() -> None:
    """It commutes, but only as a whole, and the order of a row is not known to a solver."""
    first = "some x in Tulip where x in row: spot(x) = 1 and (x.number < 5 or x.number > 5)"
    found = proof(garden(after=f"if {first}: nobody wins"))
    assert not found.proved
    assert "no encoding: the order of a row" in found.why


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "hex", "reversi", "breakthrough"])
def test_symmetries_of_games_that_all_know(name: str) -> None:
    game = seaspec.load(f"spec/anchors/{name}.sea")
    assert symmetry_trial(game.machine, symmetry_of(game), 2, seed=1).broken is None
    assert proof(game).proved, proof(game).why
    for step in certificate(game.flow, [symmetry_of(game)], solve):
        assert all(reply.answer is Answer.IMPOSSIBLE for reply in ask(step, 5_000))


def test_the_verdict_says_so() -> None:
    game = garden()
    checked, _ = proved(
        check_game(game, 1, 1, lambda label, total: lambda done: None, lambda o: game), solve, lambda: True
    )
    (verdict,) = [v for v in checked.promises if v.kind == "symmetry"]
    assert (verdict.verdict, verdict.detail) == (Verdict.PROVED, "for all positions")


def test_who_begins_makes_a_difference() -> None:
    """Each turn is the same for all; but the first seat begins."""
    game = game_of(
        'game Turns "Turns"\nconst players = 2\nto play\n  repeat 3 times\n'
        "    for each p in Player: p chooses n in 1..3\nsymmetry seats\n  p: Player to next(p)\n"
    )
    assert "the beginning is not its own image" in proof(game).why


def test_a_myth_and_what_breaks_are_not_tried() -> None:
    text = GARDEN.replace("symmetry turned", "myth symmetry turned")
    for name, part in PARTS.items():
        text = text.replace(f"{{{name}}}", part)
    game = game_of(text)
    assert not is_provable(game.rules, symmetry_of(game))


def test_without_time_nothing_is_proved() -> None:
    game = garden()
    found = prove(game.flow, [symmetry_of(game)], solve, go_on=lambda: False)
    assert not found["turned"].proved and "no time left" in found["turned"].why


def test_no_mutant_is_both_proved_and_broken() -> None:
    """One small thing is wrong in the rules: whatever breaks the symmetry in a play must not be proved."""
    subject = load_subject_of("spec/anchors/tic_tac_toe.sea", Report())
    assert subject is not None
    outcomes = set()
    for mutant in mutants(subject):
        try:
            game = load_subject(mutant.subject, {})
            broken = symmetry_trial(game.machine, symmetry_of(game), 30, seed=3).broken is not None
        except (LoadError, RuleError):
            continue
        outcomes.add((proof(game).proved, broken))
    assert outcomes == {(True, False), (False, True), (False, False)}
