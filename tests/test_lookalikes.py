"""Secrets for all positions: true ones are proved; what leaks in one place is not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from small_games import game_of

import seaspec
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Answer, Reply, ask
from seaspec.core import flow, ir
from seaspec.game import Game
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import certificate, is_provable, prove
from seaspec.prove.relational.secrets import Leaking, kept_secret, same_choices
from seaspec.verdict.check import check_game, proved
from seaspec.verdict.verdicts import Verdict


def solve(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
    return [ask(script, 300 * patience) for script in scripts]


def secrets_of(game: Game) -> list[ir.Secret]:
    return [promise for promise in game.rules.promises if isinstance(promise, ir.Secret)]


def proofs(game: Game) -> list[Proof]:
    return list(prove(game.flow, secrets_of(game), solve).values())


SPIES = """\
game Spies "Spies"
const players = 2
component Paper
  Paper(number: 1..4) one each
  Note times 2
place desk set of Paper seen by {p in Player where spy[p]}
place hand[p: Player] set of Paper seen by p
place drawer at most 1 Paper hidden
place open_desk set of Paper open
state spy[p: Player]: yes or no = no
state code[p: Player]: 0..5 = 0 seen by p
state mover: Player = seat(1)
action look(p: Player, n: 1..4)
  {guards}
  mover := next(p)
action take(p: Player, x: Paper in hand[p])
  move x to {to}
action wait(p: Player): spy[p] := yes
menu deed(p: Player) = look or take or wait
to setup
  for each p in Player: draw 1 from box to hand[p]
  draw 1 from box to desk
to play
  repeat 6 times
    mover chooses deed(mover)
    {then}
secret desk
secret hand, code, drawer
"""
PARTS = {
    "guards": "needs there: some x in open_desk: x in Note",
    "to": "desk",
    "then": "for each p in Player: p privately chooses n in 1..code[p] + 1",
}


def spies(**parts: str) -> Game:
    text = SPIES
    for name, part in {**PARTS, **parts}.items():
        text = text.replace(f"{{{name}}}", part)
    return game_of(text)


KEPT = {
    "what all see": {},
    "sizes": {"guards": "needs there: size of desk > 1 or drawer is filled or size of hand[next(p)] = n"},
    "the own hand": {"guards": "needs there: some x in hand[p]: x in Note"},
    "who sees it, and only then": {"guards": "needs there: spy[p] and (some x in desk: x in Note)"},
    "what was found, and only by those who see it": {
        "guards": "needs spying: spy[p]\n  needs there: size of {x in desk where x in Note} >= n"
    },
    "the own state": {"guards": "needs there: code[p] = n"},
    "what is given away": {"guards": "needs there: openly some x in hand[next(p)]: x in Note"},
    "what is said on purpose": {"then": 'if some x in desk: x in Note\n      say "there is a note"'},
}


@pytest.mark.parametrize("parts", KEPT.values(), ids=KEPT.keys())
def test_secrets_are_proved(parts: dict[str, str]) -> None:
    for found in proofs(spies(**parts)):
        assert found.proved, found.why
        assert found.said.startswith("who is asked, whether, and the options, for all positions that look alike")
        assert ("openly" in found.said) is ("openly" in parts.get("guards", ""))


LEAKS = {
    "a guard": {"guards": "needs there: some x in desk: x in Note"},
    "a guard behind another": {"guards": "needs spying: not spy[p]\n  needs there: some x in desk: x in Note"},
    "a guard that says little": {"guards": "needs there: (some x in desk: x in Note and n = 4) or spy[p] or n < 4"},
    "an exception": {"guards": "needs there: no\n    unless some x in desk: x in Note"},
    "what can be chosen": {"then": "mover chooses x in desk"},
    "how many can be chosen": {"then": "mover chooses (count x in desk where x in Note) of open_desk as found"},
    "of what one chooses": {"then": "mover chooses 1 of {x in desk where x in Note} as found"},
    "what can be shared": {
        "then": "mover shares 2 among p in Player at most (count x in desk where x in Note) as gift"
    },
}


@pytest.mark.parametrize("parts", LEAKS.values(), ids=LEAKS.keys())
def test_what_leaks_is_not_proved(parts: dict[str, str]) -> None:
    """Who sees the desk is worked out: that a player may not be one of them the rule of who may know can not see."""
    for found in proofs(spies(**parts)):
        assert not found.proved
        assert "what is hidden" in found.why


def hidden(game: Game, *names: str) -> flow.Flow:
    """The flow of a game in which nobody sees some things: as if the rule of who may know had overlooked it."""
    nobody = ir.Sight(False, None)
    rules = game.rules
    places = {n: replace(p, sight=nobody) if n in names else p for n, p in rules.places.items()}
    states = {n: replace(s, sight=nobody) if n in names else s for n, s in rules.states.items()}
    return replace(game.flow, game=replace(rules, places=places, states=states))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("mover", "who is asked may tell Ann"),
        ("open_desk", "what look can do may tell Ann"),
        ("hand", "what take can do may tell Ann"),
        ("code", "what can be chosen may tell Ann"),
    ],
)
def test_each_place_that_leaks_is_found(name: str, what: str) -> None:
    graph = hidden(spies(), name)
    with pytest.raises(Leaking, match=what):
        same_choices(graph, 0, solve)
    assert not any(proof.proved for proof in kept_secret(graph, secrets_of(spies()), solve)[0].values())


def test_what_nobody_reads_may_be_hidden() -> None:
    for step in same_choices(hidden(spies(), "drawer"), 1, solve):
        assert all(reply.answer is Answer.IMPOSSIBLE for reply in ask(step, 5_000))


def test_who_sees_what_must_be_known_to_all() -> None:
    text = SPIES.replace("yes or no = no\n", "yes or no = no seen by p\n")
    for name, part in PARTS.items():
        text = text.replace(f"{{{name}}}", part)
    for found in proofs(game_of(text)):
        assert not found.proved
        assert "who sees desk depends on what not all see" in found.why


def test_an_encoding_that_is_missing_is_said() -> None:
    """Who sees the row is worked out, and the order of a row is not known to a solver."""
    text = SPIES.replace("place desk set", "place desk row")
    for name, part in {**PARTS, "guards": "needs there: spy[p] and (some x in desk: spot(x) = n)"}.items():
        text = text.replace(f"{{{name}}}", part)
    for found in proofs(game_of(text)):
        assert not found.proved
        assert "no encoding: the order of a row" in found.why


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("p privately chooses n in 1..code[p] + 1", ""),
        ("p privately chooses n in 1..code[p] + 1\n        code[p] := n", ""),
        (
            "p privately chooses n in 1..(if spy[next(p)] then 2 else 1)\n        spy[p] := n = 1",
            "spy is read, which others",
        ),
        ("p privately chooses 1 of desk as xs\n        move xs to hand[p]", "desk is read, and pieces move"),
    ],
)
def test_in_a_joint_choice_nobody_reads_what_others_do(step: str, why: str) -> None:
    for found in proofs(spies(then=f"all at once each p in Player\n      {step}")):
        assert found.proved is (not why), found.why
        assert why in found.why


EFFECTS = {
    "who moves next": ("if some x in desk: x in Note\n      mover := seat(1)", "what mover becomes depends on"),
    "a piece that moves": ("if code[Ann] = 1: move up to 1 Paper from desk to drawer", "whether pieces move"),
    "how many move": ("move up to (code[Ann]) Paper from desk to drawer", "how many pieces move"),
    "how many are drawn": ("draw up to (code[Ann]) from desk to hand[Ann]", "how many pieces are drawn"),
    "dice": ("roll (code[Ann]) d6 as n", "how dice are thrown"),
    "what has been rolled": ("roll 1 d4 as n\n    code[Ann] := n", "what code becomes has been told before"),
    "chance": ("chance chooses n in 0..code[Ann]", "what chance may bring"),
    "to whom others see": ("code[Ben] := code[Ann]", "which not all see who see code"),
}


@pytest.mark.parametrize(("then", "why"), EFFECTS.values(), ids=EFFECTS.keys())
def test_what_effects_tell_is_not_proved(then: str, why: str) -> None:
    hidden = "Ann privately chooses k in 0..5\n      code[Ann] := k\n    "
    for found in proofs(spies(then=hidden + then)):
        assert not found.proved
        assert why in found.why


def test_shots_tell_where_ships_lie() -> None:
    (found,) = proofs(seaspec.load("spec/anchors/battleship.sea"))
    assert not found.proved and found.why == "lies is told openly, and left out"


def test_steps_of_the_proof_follow() -> None:
    game = spies(**KEPT["who sees it, and only then"])
    steps = list(certificate(game.flow, secrets_of(game), solve))
    assert steps
    for step in steps:
        assert all(reply.answer is Answer.IMPOSSIBLE for reply in ask(step, 5_000))


def test_a_myth_is_not_tried_and_no_time_proves_nothing() -> None:
    game = spies(**KEPT["who sees it, and only then"])
    (first, *_) = secrets_of(game)
    assert is_provable(game.rules, first) and not is_provable(game.rules, replace(first, myth=True))
    assert not any(p.proved for p in prove(game.flow, [first], solve, go_on=lambda: False).values())


@pytest.mark.parametrize("name", ["anchors/hanabi", "calm", "admiral", "pirate_bay"])
def test_secrets_of_games(name: str) -> None:
    for found in proofs(seaspec.load(f"spec/{name}.sea")):
        assert found.proved, found.why


def test_the_verdict_says_what_is_proved() -> None:
    game = spies()
    build = lambda options: game  # noqa: E731
    checked, _ = proved(check_game(game, 2, 1, lambda label, total: lambda done: None, build), solve, lambda: True)
    for verdict in checked.promises:
        assert verdict.verdict is Verdict.PROVED and verdict.detail.startswith("who is asked, whether, and")
