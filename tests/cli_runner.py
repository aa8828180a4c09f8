"""The command line for tests: run in this process, with what it prints and what is typed."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from seaspec.cli.main import main

GAMES = "tests/cases/games"
TIC_TAC_TOE = f"{GAMES}/tic_tac_toe.sea"
ISLETS = f"{GAMES}/islets.sea"
DICE_RACE = f"{GAMES}/dice_race.sea"
TRICKS = f"{GAMES}/tricks.sea"
LIARS_DICE = f"{GAMES}/liars_dice.sea"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def seaspec(*words: str, typed: str = "") -> Ran:
    """Run a command; `typed`: what stands on stdin."""
    out, err = io.StringIO(), io.StringIO()
    begun = time.monotonic()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.StringIO(typed)),
    ):
        code = main(words)
    return Ran(code, out.getvalue(), err.getvalue(), time.monotonic() - begun)


def press_ctrl_c_once(folder: Path) -> None:
    """In a process that was begun: interrupt the one that has begun it, if none of its processes has done so yet."""
    with contextlib.suppress(FileExistsError):
        (folder / "interrupted").touch(exist_ok=False)
        os.kill(os.getppid(), signal.SIGINT)
