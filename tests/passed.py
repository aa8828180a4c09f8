"""How many files of the engine a thing passes through: those of which a function runs, not those that are only read.

    python tests/passed.py            counts them
    python tests/passed.py --names    names them, too

Counted are two things that whoever changes the engine must understand: how an option comes to be offered (a text is
read, a play begins, and the first options are told with what a player sees), and how the verdict of a promise that is
proved comes to be printed (`seaspec check`, child processes and all). tests/test_architecture.py holds the numbers.
"""

from __future__ import annotations

import os
import pkgutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import FrameType

import seaspec
from seaspec.cli.main import main

PACKAGE = Path(seaspec.__file__).parent
NOT_IMPORTED = {"seaspec.__main__", "seaspec.cli.cluster"}
"""What would run at once, and what wants Ray. All else is imported first: a body that runs then passes nothing."""
COUNTED = """\
game Counted "Counted"
const players = 2
state level: 0..1000000 = 0
action climb(p: Player, n: 1..1000) "{p} climbs {n}"
  needs low: level + n <= 999999 "too high"
  level += n
to play
  repeat 100 times
    for each p in Player: p chooses climb
  nobody wins
invariant lower: level < 1000000
"""
"""A game that is too large to be explored, with a promise that is easily proved."""


def passed(act: Callable[[], object]) -> set[str]:
    """The files of which a function runs while something is done, here, in other threads, and in processes forked."""
    known: set[str] = set()
    for module in pkgutil.walk_packages(seaspec.__path__, "seaspec."):
        if module.name not in NOT_IMPORTED:
            import_module(module.name)
    with tempfile.TemporaryFile() as told:
        number = told.fileno()

        def look(frame: FrameType, event: str, _: object) -> None:
            code = frame.f_code
            if code.co_name != "<module>" and code.co_filename not in known:
                known.add(code.co_filename)
                os.write(number, f"{code.co_filename}\n".encode())

        sys.settrace(look)
        threading.settrace(look)
        try:
            act()
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
        told.seek(0)
        files = {Path(line) for line in told.read().decode().splitlines()}
    return {path.relative_to(PACKAGE).as_posix() for path in files if path.is_relative_to(PACKAGE)}


def offering() -> set[str]:
    """The files that are passed to offer an option: of a large game, so that each construct has its part."""

    def act() -> None:
        play = seaspec.load("calm").start(seed=1)
        assert [play.text(choice) for choice in play.choices] and play.view("Ann")

    return passed(act)


def proving() -> set[str]:
    """The files that are passed to print one verdict that is proved. Nobody plays and nothing is explored before:
    how far that comes is a matter of time, and so is what it passes, some twenty more."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()) as printed:
        path = Path(folder) / "counted.sea"
        path.write_text(COUNTED, encoding="utf-8")
        found = passed(
            lambda: main(["check", str(path), "--no-cache", "--plays", "0", "--jobs", "1", "--limit", "600"])
        )
    assert "proved" in printed.getvalue(), printed.getvalue()
    return found


if __name__ == "__main__":
    for what, found in (("offering an option", offering()), ("printing a proved verdict", proving())):
        print(f"{what}: {len(found)} files")
        if "--names" in sys.argv:
            print("\n".join(f"  {name}" for name in sorted(found)))
