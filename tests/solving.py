"""Answers of solvers that are not asked for again: attempts at a proof ask much of the same once more.

An answer depends on nothing but the text of the question and the time for it (`logic/solve.py`).
"""

from __future__ import annotations

from hashlib import blake2b

from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Reply, ask

MOST = 100_000
_known: dict[bytes, list[Reply]] = {}


def answers(script: Script, milliseconds: int) -> list[Reply]:
    """What a solver answers, or has answered."""
    asked = script.text, script.names, script.given, script.goals, script.thorough, milliseconds
    key = blake2b(repr(asked).encode(), digest_size=16).digest()
    if key not in _known:
        if len(_known) >= MOST:
            _known.clear()
        _known[key] = ask(script, milliseconds)
    return _known[key]
