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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seaspec.core import flow
from seaspec.core.show_game import show_flow

FORMAT = "seaspec certificate"
VERSION = 1

_TEXTS = {"*": str}
_FACT = {"says": str, "of": str | None, "after": str | None, "names": [str]}
_PLACE = {
    "block": int, "ends": bool, "passed": bool, "within": str | None, "running": {"*": int}, "known": _TEXTS,
    "facts": [_FACT], "wordless": [str],
}  # fmt: skip
_SHAPE = {
    "rules": {"name": str, "stack": [str], "options": _TEXTS, "digest": str, "texts": _TEXTS},
    "flow": str,
    "promises": [{"name": str, "kind": str, "over": int}],
    "proofs": [{"places": [_PLACE]}],
}
"""What each part is; the entries of `{"*": ..}` have any names."""


class CertificateError(ValueError):
    """A certificate is no good; `where`: the part of the file."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in words. `after`: it compares with the moment in which this procedure began; `names`: what it calls the
    first arguments of that. `of`: the promise that it is a part of."""

    says: str
    of: str | None
    after: str | None
    names: Sequence[str]


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
    facts: Sequence[Fact]
    wordless: Sequence[str]


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
    promises: Sequence[Promised]
    places: Sequence[Place]


def digest_of_flow(graph: flow.Flow) -> str:
    """A fingerprint of a flow graph: the numbers of its blocks mean the same where this is the same."""
    return hashlib.blake2b(show_flow(graph).encode(), digest_size=16).hexdigest()


def read_certificate(data: Any) -> Certificate:
    """The certificate that the data of a file are."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError("this is no certificate")
    if data.get("version") != VERSION:
        raise CertificateError(f"version {data.get('version')!r} is not known; this tool reads {VERSION}")
    told = _read(data, _SHAPE, "")
    places = [place for proof in told["proofs"] for place in proof["places"]]
    read = [Place(**{**place, "facts": [Fact(**fact) for fact in place["facts"]]}) for place in places]
    return Certificate(told["rules"], told["flow"], [Promised(**one) for one in told["promises"]], read)


def _read(data: Any, shape: Any, where: str) -> Any:
    """The parts of data that a shape names."""
    match shape:
        case [inner] if isinstance(data, list):
            return [_read(one, inner, f"{where}[{number}]") for number, one in enumerate(data)]
        case {"*": inner} if isinstance(data, dict):
            return {name: _read(one, inner, f"{where}.{name}") for name, one in data.items()}
        case dict() if isinstance(data, dict):
            return {name: _read(data.get(name), inner, f"{where}.{name}".strip(".")) for name, inner in shape.items()}
        case list() | dict():
            raise CertificateError("it is missing, or not as it should be", where)
        case _:  # cautious: a plain type; yes and no are no numbers
            if not isinstance(data, shape) or (isinstance(data, bool) and shape is int):
                raise CertificateError("it is missing, or not as it should be", where)
            return data
