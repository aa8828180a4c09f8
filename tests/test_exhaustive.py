"""Wherever nodes are taken apart all are named, or the default says why it is cautious.

A match over the members of a closed union (core/ir.py, core/flow.py, core/types.py, core/ops.py, syntax/tree.py) ends
in `assert_never`, so that the type checker names the place when a node is added; or its default hands the node on to a
function that does; or it has a comment that begins with `# cautious:` and says why the default can not prove, allow or
reveal something false.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from nodes import PACKAGE, places


def test_matches_over_nodes_are_exhaustive_or_cautious() -> None:
    wrong = [place for path in sorted(PACKAGE.rglob("*.py")) for place in places(path) if place.fault]
    assert not wrong, "\n".join(map(str, wrong))


# ------------------------------------------------------------------------------------------------- the rule is a rule

HEAD = """\
from typing import assert_never
from seaspec.core import ir
def led_on(offer: ir.OfferActions) -> int: ...
def f(offer: ir.Offer, word: str) -> int:
"""
MATCH = """\
    match offer:
        case ir.OfferValues():
            return 1
"""
CHAIN = """\
    if isinstance(offer, ir.OfferValues):
        return 1
    if isinstance(offer, ir.OfferShare):
        return 2
"""


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        (MATCH, 1),
        (f"{MATCH}    return 0", 1),
        (f"{MATCH}        case _:\n            return 0", 1),
        (f"{MATCH}        case _ if word:\n            assert_never(offer)", 1),
        (f"{MATCH}        case _:\n            assert_never(offer)", 0),
        (f"{MATCH}        case _:  # cautious: nothing is known\n            return 0", 0),
        (f"{MATCH}        case _:\n            # cautious: nothing is known\n            return 0", 0),
        (f"{MATCH}        case _:\n            return led_on(offer)", 0),
        (f"{MATCH}        case _:\n            return f(offer, word)", 1),
        (f"{MATCH}        case _:\n            return led_on(word)", 1),
        ("    match word:\n        case 'a':\n            return 1", 0),
        (CHAIN, 0),
        (f"{CHAIN}    elif isinstance(offer, ir.OfferSubset):\n        return 3", 1),
        (f"{CHAIN}    if isinstance(offer, ir.OfferSubset):\n        return 3\n    return 0", 1),
        (f"{CHAIN}    if isinstance(offer, ir.OfferSubset):\n        return 3\n    return 0  # cautious: none", 0),
    ],
)
def test_the_rule(tmp_path: Path, body: str, faults: int) -> None:
    path = tmp_path / "text.py"
    path.write_text(HEAD + body, encoding="utf-8")
    assert sum(place.fault is not None for place in places(path)) == faults
