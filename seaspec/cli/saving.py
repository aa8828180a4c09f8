"""Plays that are saved beside what is told: where that can not be done it is told, and nothing else is lost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def save_aside(path: Path, write: Callable[[Path], None]) -> Path | None:
    """Have a play written, in a folder that may have to be made; None if it can not be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except OSError as error:
        print(f"note: the play is not saved: {error.filename or path}: {error.strerror or error}", file=sys.stderr)
        return None
    return path
