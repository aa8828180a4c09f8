"""Answers of solvers, kept on disk: what was decided once is not asked again.

The text of a question (SMT-LIB) is exactly what its answer depends on; the solver's version, and the sources of the
encoding, are part of the key all the same. Only what a solver has decided is kept, goal by goal: never that it had no
time, or died. Whoever changes one rule asks anew what speaks of that rule, and nothing else.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import seaspec.backends.symbolic
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Answer, Reply, version
from seaspec.kept import Entries, digest, digest_of_files

MAGIC = b"seaspec answers\n"
MOST_ENTRIES = 20_000
"""The oldest ones beyond this number are removed; one takes some hundred bytes."""


def key_of(script: Script) -> bytes:
    """What tells a question from others."""
    return digest([script.text, repr((script.names, script.given, script.goals))])


class Answered:
    """The answers that are known, in a folder. `solver`: the version of the one that is asked, if it is not Z3."""

    def __init__(self, folder: Path, solver: str | None = None) -> None:
        self._entries = Entries(folder / "answers", "answer", MAGIC)
        self._by = digest([solver or version() or "", _encoding()])

    def find(self, key: bytes) -> dict[int, Reply]:
        """What is known of the goals of a question, by their numbers."""
        entry = self._entries.read(digest([self._by, key]))
        if entry is None:
            return {}
        return {int(goal): _reply(told) for goal, told in json.loads(entry).items()}

    def keep(self, key: bytes, known: dict[int, Reply]) -> None:
        """Keep what was decided."""
        told = {goal: _told(reply) for goal, reply in known.items() if reply.answer is not Answer.UNKNOWN}
        if told:
            self._entries.write(digest([self._by, key]), json.dumps(told).encode())

    def tidy(self) -> None:
        """Remove what is too much."""
        self._entries.keep_newest(MOST_ENTRIES)


@cache
def _encoding() -> bytes:
    """What tells this encoding from others; as it was when this process began."""
    return digest_of_files(Path(seaspec.backends.symbolic.__file__).parent.rglob("*.py"))


def _told(reply: Reply) -> list[object]:
    return [reply.answer.value, reply.values, reply.used]


def _reply(told: list[object]) -> Reply:
    answer, values, used = told
    assert isinstance(values, dict) and isinstance(used, list)
    return Reply(Answer(answer), values, used=tuple(used))
