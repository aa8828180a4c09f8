"""How thoroughly `seaspec check` looks: how long, how many plays, what is kept; and what is the same for all games."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from seaspec.kept import usual_folder

PLAYS, FULL_PLAYS = 12, 100
QUICK_SECONDS, SECONDS, LARGE_SECONDS = 10, 60, 115
"""For the whole check of a game: if it is to be quick; else; with rules so large that each promise is proved alone."""
MEMORY = 1_000
"""Megabytes that exploration may take."""


@dataclass(frozen=True, slots=True)
class How:
    """How one game is checked; with the game itself, and the version of the tool, this decides what comes out."""

    plays: int = PLAYS
    seed: int = 1
    full: bool = False
    seconds: float | None = SECONDS
    """For the whole check of a game; None: as long as it takes."""
    large_seconds: float | None = LARGE_SECONDS
    """The same for a game with large rules, if nothing is broken."""
    proves: bool = True
    memory: int = MEMORY
    threads: int = 1
    folder: Path | None = None
    """Where answers and results are kept; None: nothing is."""
    certifies: bool = False
    """Whether what proofs have found is wanted as a certificate."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Where news go. `folder`: where plays are saved; `as_json`: lines of JSON on the standard output."""

    folder: Path
    as_json: bool = False


def how(
    *,
    plays: int | None = None,
    seed: int = 1,
    full: bool = False,
    quick: bool = False,
    limit: int | None = None,
    memory: int = MEMORY,
    cases: int = 1,
    keeps: bool = True,
    certifies: bool = False,
) -> How:
    """What a user has asked for. `limit`: 0 is no proofs; `cases`: how many games are checked side by side."""
    given = float(limit) if limit else QUICK_SECONDS if quick else None
    is_usual = given is None and not full
    return How(
        plays=plays if plays is not None else FULL_PLAYS if full else PLAYS,
        seed=seed,
        full=full,
        seconds=SECONDS if is_usual else given,
        large_seconds=LARGE_SECONDS if is_usual else given,
        proves=limit != 0,
        memory=memory,
        threads=os.cpu_count() or 1 if cases == 1 else 1,
        folder=usual_folder() if keeps else None,
        certifies=certifies,
    )
