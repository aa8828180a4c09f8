"""Files that the tool itself writes: whole or not at all; and saved plays, read back with care."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

from seaspec.saved import PlayError

LARGEST_PLAY = 40_000_000
"""Bytes of a saved play."""


def file_name(text: str) -> str:
    """Words as the name of a file.

    >>> file_name("ends within 9 calls of turn")
    'ends_within_9_calls_of_turn'
    """
    return "_".join(text.replace(",", "").replace("+", "").split())


def write_whole(path: Path, text: str) -> None:
    """Write a file: first beside it, then renamed, so that no half file is ever there. An OSError names `path`."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a directory", str(path))
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise type(error)(error.errno, error.strerror, str(path)) from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def read_play(path: Path) -> Any:
    """What stands in the file of a saved play; PlayError if that can not be one."""
    if path.is_dir():
        raise PlayError("this is a directory, not a saved play", str(path))
    if path.exists() and not path.is_file():
        raise PlayError("this is no ordinary file", str(path))
    if path.exists() and path.stat().st_size > LARGEST_PLAY:
        raise PlayError("this is too large for a saved play", str(path))
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise PlayError("this is no text file", str(path)) from error
    except json.JSONDecodeError as error:
        raise PlayError(f"this is no JSON ({error.msg}); was the file cut?", f"{path}:{error.lineno}") from error
    except ValueError as error:
        raise PlayError("a number in it is too long", str(path)) from error
    except RecursionError as error:
        raise PlayError("this is nested too deeply for a saved play", str(path)) from error
