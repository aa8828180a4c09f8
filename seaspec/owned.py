"""Folders and files that this user alone could have written: whether they are, as ssh asks it of its keys.

A folder has to belong to the user, and nobody else may write to it; nor, in any folder above it, put another one in its
place. A file is opened first and looked at then, so that what is looked at is what is read; no link is followed to it.
Where a system has no such owners (Windows) nothing is asked: there the user's folders are closed to others anyway.

Files are written whole or not at all: first beside, under a name that nobody could know, then renamed.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

HAS_OWNERS = hasattr(os, "geteuid")
_READING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_WRITING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_BINARY"))
_OTHERS_WRITE, _OTHERS_USE = stat.S_IWGRP | stat.S_IWOTH, stat.S_IRWXG | stat.S_IRWXO


class OthersCouldWrite(OSError):
    """Somebody else could have written this; the message says what, and why."""


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are not there, for this user alone."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def own_folder(folder: Path) -> Path:
    """A folder, where it really lies; OthersCouldWrite if it is not this user's alone."""
    found = Path(os.path.realpath(folder))
    _check(os.stat(found), found)
    for above in found.parents if HAS_OWNERS else ():
        seen = os.stat(above)
        if seen.st_uid not in (0, os.geteuid()):
            raise OthersCouldWrite(f"{above} belongs to another user")
        if seen.st_mode & _OTHERS_WRITE and not seen.st_mode & stat.S_ISVTX:  # sticky: nobody moves what is not his
            raise OthersCouldWrite(_writable(above))
    return found


def read_own(path: Path, private: bool = False) -> bytes:
    """What stands in a file; OthersCouldWrite if it is not this user's alone. `private`: nor may others read it."""
    with open(os.open(path, _READING), "rb") as file:
        seen = os.fstat(file.fileno())
        _check(seen, path)
        if not stat.S_ISREG(seen.st_mode):
            raise OthersCouldWrite(f"{path} is no ordinary file")
        if HAS_OWNERS and private and seen.st_mode & _OTHERS_USE:
            raise OthersCouldWrite(f"others can read {path} (remove it, and a new one is made)")
        return file.read()


def write_whole(path: Path, part: str, content: bytes, mode: int) -> None:
    """Write a file: first as `part-..` beside it, so that no half file is ever there, then renamed."""
    beside = path.with_name(f"{part}-{os.urandom(8).hex()}")
    try:
        _write_new(beside, content, mode)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """A file that was not there, nor a link of that name."""
    descriptor = os.open(path, _WRITING, mode)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _check(seen: os.stat_result, path: Path) -> None:
    if not HAS_OWNERS:
        return
    if seen.st_uid != os.geteuid():
        raise OthersCouldWrite(f"{path} belongs to another user")
    if seen.st_mode & _OTHERS_WRITE:
        raise OthersCouldWrite(_writable(path))


def _writable(path: Path) -> str:
    return f"others can write to {path} (chmod go-w '{path}')"
