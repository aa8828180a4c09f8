"""The checker of certificates: what it derives again, and above all that it says no."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from small_games import game_of
from test_proof_cases import ALL, Case
from test_symbolic import solve

from seaspec.certify.certificate import FORMAT, VERSION, CertificateError, digest_of_flow, read_certificate
from seaspec.certify.derive import Derivation, derive
from seaspec.certify.evaluate import evaluate
from seaspec.certify.rules import rules_of
from seaspec.core import flow, ir
from seaspec.core.written import NoWords, names_of_frame, written
from seaspec.game import Game
from seaspec.prove.audit.places import Notebook
from seaspec.prove.proofs import is_provable, prove_and_doubt

SECONDS, FEW_SECONDS = 60, 15
STICKS = """\
game Sticks "Sticks"
const players = 2
component Stick
  Stick times 4
place heap set of Stick open
place taken[p: Player] set of Stick open
state noise[i: 1..3]: yes or no = no
state turns: 0..90 = 0
state late: yes or no = no
action flip(p: Player, i: 1..3) "flip {i}": noise[i] := not noise[i]
action take(p: Player, n: 1..3) "{p} takes {n}"
  needs enough: n <= size of heap "only {size of heap} are left"
  move n Stick from heap to taken[p]
action hurry(p: Player) "hurry"
  needs soon: turns > 5
  late := yes
to setup
  move all Stick from box to heap
to turn(p: Player)
  p chooses take or flip or hurry
  if turns < 5: turns += 1
  if late: turns := 9
  if heap is empty: win for p "{p} has taken the last stick"
to play
  repeat
    for each p in Player in order from seat(1): turn(p)
invariant all_there: size of heap + (sum size of taken[p] for p in Player) = 4
invariant early: turns <= 5
invariant in_time: not late
never stuck
"""


def data_of(game: Game, promises: list[str], proofs: list[dict[str, Any]]) -> dict[str, Any]:
    rules = {
        "name": game.name,
        "stack": list(game.stack),
        "options": game.options,
        "digest": game.digest,
        "texts": dict(game.texts),
    }
    told = [{"name": name, "kind": "invariant", "over": 1} for name in promises]
    flow_ = digest_of_flow(game.flow)
    return {"format": FORMAT, "version": VERSION, "rules": rules, "flow": flow_, "promises": told, "proofs": proofs}


def certificate(game: Game) -> dict[str, Any]:
    """What the prover finds, as a certificate."""
    found = Notebook()
    wanted = [promise for promise in game.rules.promises if is_provable(game.rules, promise)]
    outcome = prove_and_doubt(game.flow, wanted, (), solve, lambda: True, thorough=False, notes=found)
    proved = [name for name, proof in outcome.proofs.items() if proof.proved]
    proofs = [{"places": [asdict(place) for place in one.places]} for one in found.proofs]
    return json.loads(json.dumps(data_of(game, proved, proofs)))  # type: ignore[no-any-return]


def derived(data: dict[str, Any]) -> Derivation:
    main, _ = rules_of(read_certificate(data))
    return derive(main, [promise["name"] for promise in data["promises"]], until(SECONDS))


def until(seconds: float) -> Any:
    ends = time.monotonic() + seconds
    return lambda: time.monotonic() < ends


def again(data: dict[str, Any]) -> set[str]:
    return {name for name, one in derived(data).promises.items() if one.again}


def facts(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for proof in data["proofs"]:
        for place in proof["places"]:
            yield from place["facts"]


def claims(game: Game) -> dict[str, Any]:
    """A certificate that claims all that is promised, wherever the game rests."""
    names = names_of_frame(game.flow)
    said: list[dict[str, Any]] = []
    for promise in game.rules.promises:
        if isinstance(promise, ir.Invariant):
            try:
                text = written(promise.test, game.rules, names)
            except NoWords:
                continue
            said.append({"says": text, "of": promise.name, "after": None, "names": []})
    places: list[dict[str, Any]] = [
        {
            "block": number, "ends": False, "passed": False, "within": None, "running": {}, "known": {},
            "facts": said, "wordless": [],
        }
        for number, block in enumerate(game.flow.blocks)
        if flow.is_node(block.exit)
    ]  # fmt: skip
    return data_of(game, [promise.name for promise in game.rules.promises], [{"places": places}])


@pytest.fixture
def sticks() -> dict[str, Any]:
    return claims(game_of(STICKS))


def test_a_proof_is_derived_again() -> None:
    game = game_of(STICKS)
    data = certificate(game)
    proved = {promise["name"] for promise in data["promises"]}
    assert "all_there" in proved
    found = derived(data)
    assert {name for name, one in found.promises.items() if one.again} == proved, found
    assert found.facts == found.of > 0


def test_what_holds_together_is_derived_together(sticks: dict[str, Any]) -> None:
    found = derived(sticks)
    assert all(one.again for one in found.promises.values()) and len(found.promises) == 4, found
    assert found.facts == found.of == 3


def test_facts_are_evaluated(sticks: dict[str, Any]) -> None:
    main, _ = rules_of(read_certificate(sticks))
    found = evaluate(main, [promise["name"] for promise in sticks["promises"]], 3, 300, until(SECONDS))
    assert not found.alarms and found.facts == found.of and found.positions > 50


def test_a_false_fact_is_an_alarm(sticks: dict[str, Any]) -> None:
    for fact in facts(sticks):
        fact["says"] = fact["says"].replace("<= 5", "<= 3")
    assert "early" not in again(sticks)
    main, _ = rules_of(read_certificate(sticks))
    alarms = evaluate(main, [], 3, 300, until(SECONDS)).alarms
    assert [alarm.says for alarm in alarms] == ["(turns <= 3)"] and alarms[0].found.answers


def test_what_rests_on_a_fact_that_is_gone_is_not_derived(sticks: dict[str, Any]) -> None:
    for proof in sticks["proofs"]:
        for place in proof["places"]:
            place["facts"] = [fact for fact in place["facts"] if "late" not in fact["says"]]
    assert again(sticks) == {"all_there", "never stuck"}


def test_a_place_that_is_missing(sticks: dict[str, Any]) -> None:
    game = game_of(STICKS)
    for proof in sticks["proofs"]:
        proof["places"] = [
            place for place in proof["places"] if not isinstance(game.flow.blocks[place["block"]].exit, flow.Decision)
        ]
    found = derived(sticks)
    assert not any(one.again for one in found.promises.values())
    assert "says nothing of a place in turn" in found.promises["all_there"].why


@pytest.mark.parametrize("part", ["flow", "digest", "text", "format", "places"])
def test_a_certificate_that_was_changed(sticks: dict[str, Any], part: str) -> None:
    match part:
        case "flow":
            sticks["flow"] = "0" * 32
        case "digest":
            sticks["rules"]["digest"] = "0" * 32
        case "text":
            sticks["rules"]["texts"] = {name: text + "\n" for name, text in sticks["rules"]["texts"].items()}
        case "format":
            sticks["format"] = "something else"
        case "places":
            sticks["proofs"] = [{"places": [{"block": "here"}]}]
    with pytest.raises(CertificateError):
        rules_of(read_certificate(sticks))


def test_a_fact_that_can_not_be_read_is_none(sticks: dict[str, Any]) -> None:
    for fact in facts(sticks):
        fact["says"] = "size of nowhere = " + fact["says"]
    main, _ = rules_of(read_certificate(sticks))
    assert main.unread and not any(at.facts for at in main.places)


ROWS = """\
game Rows "Rows"
component Card
  Card(number: 1..3) one each
place row_of row of Card open
place other row of Card open
place hand set of Card open
action lay(p: Player, card: Card in hand) "{card} comes to the end"
  move card to row_of
action put(p: Player, card: Card in hand) "{card} comes first"
  move card to row_of at 1
action back(p: Player) "all of it goes back"
  needs some_there: row_of is filled
  move row_of to other
  move other to hand
to setup
  move all Card from box to hand
to play
  repeat
    seat(1) chooses lay or put or back
always last after lay(p, card): spot(card) = size of row_of
always foremost after put(p, card)
  spot(card) = 1
  every c in row_of where c is not card: spot(c) = old spot(c) + 1
never stuck
myth always first_still after put(p, card): spot(card) = 2
"""
ECHO = """\
game Echo "Echo"
state said: 0..9 = 0
state heard: 0..9 = 0
action speak(p: Player, n: 0..2) "say {n}"
  heard := said
  said := n
to play
  repeat
    seat(1) chooses speak
invariant low: heard <= WORD
"""


def test_the_order_in_rows() -> None:
    assert again(claims(game_of(ROWS))) == {"last", "foremost", "never stuck"}


@pytest.mark.parametrize(
    ("word", "over", "shown"), [("2", 1, set()), ("2", 2, {"low"}), ("1", 2, set()), ("1", 3, set())]
)
def test_several_steps_in_a_row(word: str, over: int, shown: set[str]) -> None:
    data = claims(game_of(ECHO.replace("WORD", word)))
    data["promises"][0]["over"] = over
    assert again(data) == shown


# ------------------------------------------------------------------------------------- nothing false is derived again


def never_derived(game: Game, false: set[str]) -> None:
    """Facts are claimed of all that is promised; what is not in question need not be derived from them."""
    main, _ = rules_of(read_certificate(claims(game)))
    found = derive(main, [promise.name for promise in game.rules.promises if promise.name in false], until(FEW_SECONDS))
    assert not any(one.again for one in found.promises.values())


@pytest.mark.parametrize("case", [case for case in ALL if "false" in case.marks], ids=lambda case: case.name)
def test_what_is_false_is_not_derived(case: Case) -> None:
    game = case.game
    never_derived(game, {name for name, mark in case.said(game).items() if mark == "false"})


LEMMAS = {
    "abs(a) >= a and abs(a) >= 0 - a and (abs(a) = a or abs(a) = 0 - a)": True,
    "abs(a) = a": False,
    "abs(a) = 0 - a": False,
    "(a / b) * b + a mod b = a and 0 <= a mod b and a mod b < b": True,
    "a / b = a": False,
    "a mod b = a": False,
    "min(a, b) <= a and max(a, b) >= b and (min(a, b) = a or min(a, b) = b)": True,
    "min(a, b) = a": False,
    "max(a, b) = b": False,
    "p has won or p has lost": False,
    "not (p has won)": False,
    "size of {k in 1..4 where k > a} = 4 - max(a, 0)": True,
    "size of {k in 1..4 where k > a} < 4": False,
    "(sum k for k in 1..3 where k != b) = 6 - b": True,
    "(most k for k in 1..3 where k != b) = 3": False,
    "[k + a for k in 1..3][b] = a + b": True,
    "[k + a for k in 1..3][b] = a": False,
}


def test_what_is_worked_out_in_lemmas() -> None:
    lines = [f"lemma l{n}(p: Player, a: -4..4, b: 1..3): {text}\n" for n, text in enumerate(LEMMAS)]
    game = game_of("game Lemmas\nto play: nothing\n" + "".join(lines))
    found = derived(data_of(game, [f"l{n}" for n in range(len(LEMMAS))], [])).promises
    assert {text: found[f"l{n}"].again for n, text in enumerate(LEMMAS)} == LEMMAS
