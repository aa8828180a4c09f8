"""What stands in a certificate: which promises are said to be proved, and which facts hold at which places.

    {"format": "seaspec certificate", "version": 1,
     "rules": {"name", "stack", "options", "digest", "texts": {file: text}}, "flow": hash of the flow graph,
     "promises": [{"name", "kind", "rests_on", "over", "text"}, ..],
     "proofs": [{"promises": {part: steps in a row}, "places": [{"block", "ends", "passed", "within", "running",
                 "known", "facts": [{"says", "of", "after", "names", "rests_on"}, ..], "wordless"}, ..]}, ..]}

Reading checks every part that is used; what is wrong is a CertificateError that says where.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from seaspec.core import flow
from seaspec.core.show_game import show_flow

FORMAT = "seaspec certificate"
VERSION = 1
T = TypeVar("T")


class CertificateError(ValueError):
    """A certificate is no good; `where`: the part of the file."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in words. `after`: it compares with the moment in which this procedure began; `names`: what it calls the
    first arguments of that."""

    says: str
    of: str | None
    after: str | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A place, and what is said to hold there: the beginning of a block, or (`ends`) its end, where the frame is so.
    `passed`: no step of the proof begins or ends there, though the game rests."""

    block: int
    ends: bool
    passed: bool
    within: str | None
    running: Mapping[str, int]
    known: Mapping[str, str]
    facts: tuple[Fact, ...]
    wordless: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Promised:
    """A promise that is said to be proved, over so many steps in a row."""

    name: str
    kind: str
    over: int


@dataclass(frozen=True, slots=True)
class Certificate:
    rules: Mapping[str, Any]
    flow: str
    promises: tuple[Promised, ...]
    places: tuple[Place, ...]


def digest_of_flow(graph: flow.Flow) -> str:
    """A fingerprint of a flow graph: the numbers of its blocks mean the same where this is the same."""
    return hashlib.blake2b(show_flow(graph).encode(), digest_size=16).hexdigest()


def read_certificate(data: Any) -> Certificate:
    """The certificate that the data of a file are."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError("this is no certificate")
    if data.get("version") != VERSION:
        raise CertificateError(f"version {data.get('version')!r} is not known; this tool reads {VERSION}")
    rules = _part(data, "rules", dict, "")
    for name in ("texts", "options"):
        _texts(_part(rules, name, dict, "rules"), f"rules.{name}")
    _part(rules, "name", str, "rules")
    _part(rules, "digest", str, "rules")
    _strings(_part(rules, "stack", list, "rules"), "rules.stack")
    promises = tuple(
        Promised(_part(one, "name", str, where), _part(one, "kind", str, where), _part(one, "over", int, where))
        for where, one in _each(data, "promises", "")
    )
    places = tuple(
        _place(one, inner) for where, proof in _each(data, "proofs", "") for inner, one in _each(proof, "places", where)
    )
    return Certificate(rules, _part(data, "flow", str, ""), promises, places)


def _place(data: Mapping[str, Any], where: str) -> Place:
    running = _part(data, "running", dict, where)
    if not all(isinstance(back, int) for back in running.values()):
        raise CertificateError("numbers are wanted", f"{where}.running")
    within = data.get("within")
    if within is not None and not isinstance(within, str):
        raise CertificateError("the name of a procedure is wanted", f"{where}.within")
    return Place(
        _part(data, "block", int, where),
        _part(data, "ends", bool, where),
        _part(data, "passed", bool, where),
        within,
        running,
        _texts(_part(data, "known", dict, where), f"{where}.known"),
        tuple(_fact(one, inner) for inner, one in _each(data, "facts", where)),
        _strings(_part(data, "wordless", list, where), f"{where}.wordless"),
    )


def _fact(data: Mapping[str, Any], where: str) -> Fact:
    for name in ("of", "after"):
        if not isinstance(data.get(name), str | None):
            raise CertificateError("a name is wanted", f"{where}.{name}")
    names = _strings(_part(data, "names", list, where), f"{where}.names")
    return Fact(_part(data, "says", str, where), data.get("of"), data.get("after"), names)


def _each(data: Mapping[str, Any], name: str, where: str) -> list[tuple[str, Any]]:
    """The objects of a list, each with where it stands."""
    prefix = f"{where}.{name}" if where else name
    found = [(f"{prefix}[{number}]", one) for number, one in enumerate(_part(data, name, list, where))]
    for inner, one in found:
        if not isinstance(one, dict):
            raise CertificateError("an object is wanted", inner)
    return found


def _part(data: Mapping[str, Any], name: str, wanted: type[T], where: str) -> T:
    found = data.get(name)
    if not isinstance(found, wanted) or (wanted is int and isinstance(found, bool)):
        raise CertificateError(f"'{name}' is missing or not as it should be", where)
    return found


def _texts(found: Mapping[str, Any], where: str) -> Mapping[str, str]:
    if not all(isinstance(text, str) for text in found.values()):
        raise CertificateError("texts are wanted", where)
    return found


def _strings(found: list[Any], where: str) -> tuple[str, ...]:
    if not all(isinstance(one, str) for one in found):
        raise CertificateError("texts are wanted", where)
    return tuple(found)
