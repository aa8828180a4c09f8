"""How long an author of a house rule waits for `seaspec check --quick`: for the first news, the break, the end.

By the clock, on all cores, in a folder with a cache of its own: once with nothing in the cache, once again with nothing
changed, once after a line of the file has changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "rules"
TIMEOUT = 600.0
"""Seconds after which a check is given up."""
EDITED = "\n-- a line more\n"


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds from the start of the command; None: there was nothing to wait for."""

    news: float | None
    broken: float | None
    end: float


@dataclass(frozen=True, slots=True)
class Check:
    """A file, and how long its check took: with an empty cache, unchanged, and with a line that has changed. `why`: it
    could not be measured."""

    name: str
    cold: Waited | None = None
    unchanged: Waited | None = None
    edited: Waited | None = None
    why: str = ""


def files() -> Iterator[tuple[str, Path]]:
    """All house rules, by name."""
    for path in sorted(RULES.rglob("*.sea")):
        yield path.relative_to(RULES).as_posix(), path


def checked(path: Path, name: str) -> Check:
    """Measure the check of a file; nothing of it is changed but a copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        try:
            cold, unchanged = _wait(copy), _wait(copy)
            with copy.open("a", encoding="utf-8") as text:
                text.write(EDITED)
            return Check(name, cold, unchanged, _wait(copy))
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return Check(name, why=str(error))


def _wait(path: Path) -> Waited:
    environment = {
        **os.environ,
        "SEASPEC_CACHE": str(path.parent / "cache"),
        "XDG_CACHE_HOME": str(path.parent / "cache"),
        "XDG_CONFIG_HOME": str(path.parent / "config"),
    }
    command = [sys.executable, "-m", "seaspec", "check", "--quick", "--json-lines", path.name]
    began = time.monotonic()
    news = broken = None
    with subprocess.Popen(
        command, cwd=path.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            now = time.monotonic() - began
            told = json.loads(line)
            if "news" in told:
                news = now if news is None else news
                if told["news"] == "broken" and broken is None:
                    broken = now
        code = process.wait(TIMEOUT)
    if code not in (0, 1):
        raise ValueError(f"the check ended with code {code}")
    return Waited(news, broken, time.monotonic() - began)
