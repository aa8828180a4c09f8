"""Files that the tool itself writes: whole or not at all; and saved plays, read back with care."""

from __future__ import annotations

import errno
import glob
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import seaspec.owned as owned
from seaspec.kept import ABANDONED
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
    """Write a file, whole or not at all; what is a device, or a pipe, is written to. An OSError names `path`. Half a
    character, as names of files may have it, is written as in JSON: \\udcff."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """The same of what is no text."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a directory", str(path))
    try:
        if _is_stream(path):
            with open(path, "wb") as device:
                device.write(content)
            return
        _remove_abandoned(path)
        owned.write_whole(path, _part(path), content, 0o666)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _is_stream(path: Path) -> bool:
    """What no other file can take the place of: devices, pipes, and files that are open, by their other names."""
    is_open = any(path.is_relative_to(name) for name in ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"))
    return is_open or (path.exists() and not path.is_file())


def try_to_write(path: Path) -> None:
    """OSError if no file can be written beside this one."""
    beside = path.with_name(f"{_part(path)}-{os.getpid()}")
    beside.touch(exist_ok=False)
    beside.unlink()


def _part(path: Path) -> str:
    """How the names of files begin that are not yet this one."""
    return f"{path.name[:40]}.part"


def _remove_abandoned(path: Path) -> None:
    """What was left behind by a run that was killed while it wrote this file."""
    with suppress(OSError):
        for part in path.parent.glob(f"{glob.escape(_part(path))}-*"):
            if part.stat().st_mtime < time.time() - ABANDONED:
                part.unlink(missing_ok=True)


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
