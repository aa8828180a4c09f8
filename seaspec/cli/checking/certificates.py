"""Certificates: what the proofs of a check have found, as the data of a file; and what their checker says of it
(seaspec/certify/)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from seaspec.certify.certificate import FORMAT, VERSION, digest_of_flow, read_certificate
from seaspec.certify.derive import Derivation, derive
from seaspec.certify.evaluate import Evaluated, evaluate
from seaspec.certify.rules import Rules, rules_of
from seaspec.core import ir
from seaspec.game import Game
from seaspec.prove.audit.places import WrittenProof
from seaspec.sampling.telling import steps
from seaspec.verdict.verdicts import PromiseVerdict, Verdict

PLAYS, POSITIONS = 20, 3_000
"""So many plays are looked at, and so many positions in each exploration and search."""
GoOn = Callable[[], bool]


def certificate_of(game: Game, promises: Sequence[PromiseVerdict], proofs: Sequence[WrittenProof]) -> dict[str, Any]:
    """The certificate of what is proved, as data."""
    rules = {
        "name": game.name,
        "stack": list(game.stack),
        "options": game.options,
        "digest": game.digest,
        "texts": dict(game.texts),
    }
    proved = [verdict for verdict in promises if verdict.verdict is Verdict.PROVED]
    told = [
        {
            "name": v.name,
            "kind": v.kind,
            "rests_on": list(v.rests_on),
            "over": v.over,
            "text": str(v.promise.source.span),
        }
        for v in proved
    ]
    places = [
        {"promises": dict(one.promises), "places": [_place(game, place) for place in one.places]} for one in proofs
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": rules,
        "flow": digest_of_flow(game.flow),
        "promises": told,
        "proofs": places,
    }


def _place(game: Game, place: Any) -> dict[str, Any]:
    """A place, with words for where it is."""
    block = game.flow.blocks[place.block]
    source = getattr(block.exit, "source", None)
    where = {"procedure": block.owner, "exit": type(block.exit).__name__.lower()}
    if isinstance(source, ir.Source):
        where["line"] = str(source.span)
    menu = getattr(block.exit, "menu", None)
    if isinstance(menu, str):
        where["menu"] = menu
    return {**where, **asdict(place)}


@dataclass(frozen=True)
class Certified:
    """What came out for the rules of a certificate, or (`rules.world`) for a small world of them."""

    rules: Rules
    evaluated: Evaluated
    derivation: Derivation
    over: Mapping[str, int]
    """Over how many steps in a row each promise was shown."""

    @property
    def lemmas(self) -> frozenset[str]:
        return frozenset(p.name for p in self.rules.game.rules.promises if isinstance(p, ir.Lemma))


def certified(data: Any, go_on: GoOn, soon: Callable[[float], GoOn]) -> list[Certified]:
    """Evaluate and derive again what a certificate says, of the rules and, where that does not show all of it, of their
    small worlds. `soon`: whether there is time, if no more than a part of it is to be taken."""
    certificate = read_certificate(data)
    main, worlds = rules_of(certificate)
    names = [promise.name for promise in certificate.promises]
    found: list[Certified] = []
    for number, rules in enumerate([main, *worlds]):
        open_ = [name for name in names if not any(_is_shown(one, name) for one in found)]
        if number and (not open_ or not go_on()):
            break
        derivation = derive(rules, open_, soon(1 / (2 + len(worlds) - number)))
        # With other numbers a fact may well fail: what fails in a small world speaks against no proof.
        looked = Evaluated() if number else evaluate(rules, names, PLAYS, POSITIONS, soon(1 / (1 + len(worlds))))
        found.append(Certified(rules, looked, derivation, {one.name: one.over for one in certificate.promises}))
    return found


def told_of(found: Sequence[Certified]) -> dict[str, Any]:
    """What came out, as data."""
    promises = []
    over = found[0].over
    for name, first in found[0].derivation.promises.items():
        where = next((one for one in found if _is_shown(one, name)), None)
        how = "not re-derived" if where is None else "re-derived"
        world = None if where is None else where.rules.world
        why = "" if where is not None else first.why
        if why and over.get(name, 1) > 1:
            why = f"it was shown over {over[name]} steps in a row, and one is not enough: {why}"
        promises.append({"name": name, "verdict": how, "world": world, "why": why})
    return {
        "game": found[0].rules.game.name,
        "promises": promises,
        "alarms": [alarm for one in found for alarm in _alarms(one)],
        "unread": list(found[0].rules.unread),
        "parts": [
            {
                "world": one.rules.world,
                "facts": one.evaluated.of,
                "evaluated": one.evaluated.facts,
                "positions": one.evaluated.positions,
                "complete": one.evaluated.complete,
                "derived": one.derivation.facts,
                "places": one.derivation.places,
            }
            for one in found
        ],
    }


def _alarms(one: Certified) -> list[dict[str, Any]]:
    """What fails, each with the promises of which it was said to be a part, or that may rest on it."""
    world = one.rules.world
    names = [name for name in one.derivation.promises if name not in one.lemmas]
    alarms = [
        {
            "says": alarm.says,
            "world": world,
            "promises": names if alarm.of is None else [alarm.of],
            "play": list(steps(one.rules.game.machine, alarm.found)),
        }
        for alarm in one.evaluated.alarms
    ]
    denied = [d for d in one.derivation.promises.values() if d.denied]
    return [
        *alarms,
        *({"says": f"{d.name}: {d.why}", "world": world, "promises": [d.name], "play": []} for d in denied),
    ]


def _is_shown(one: Certified, name: str) -> bool:
    return name in one.derivation.promises and one.derivation.promises[name].again
