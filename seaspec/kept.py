"""What took long to make is kept on disk: the grammar's table, machine code, answers of solvers, results of checks.

All of it lies in one folder: SEASPEC_CACHE, or else `seaspec` in the user's folder for caches. An entry is a file,
named by a digest of all that its content depends on. It is written whole or not at all, under another name first; so
runs at the same time do not disturb each other. An entry that is damaged, or belongs to something else, is as good as
none. Where no entry can be written, there is none. The folder may be deleted at any time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

DIGEST = 32
"""Bytes of a digest."""


def usual_folder() -> Path:
    """Where entries are kept unless it is said otherwise."""
    chosen = os.environ.get("SEASPEC_CACHE")
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME", "")
    return Path(caches if os.path.isabs(caches) else os.path.join(os.path.expanduser("~"), ".cache")) / "seaspec"


def digest(parts: Iterable[str | bytes]) -> bytes:
    """A few bytes that tell these parts from others.

    >>> digest(["a", "bc"]) == digest(["ab", "c"])
    False
    """
    state = blake2b(digest_size=DIGEST)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data) + data)
    return state.digest()


def digest_of_files(paths: Iterable[Path]) -> bytes:
    """What tells these files, with their names, from others."""
    return digest(part for path in sorted(paths) for part in (path.name, path.read_bytes()))


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of one kind: files `name-..` in a folder, which begin with a word of their own (`magic`)."""

    folder: Path
    name: str
    magic: bytes

    def read(self, key: bytes) -> bytes | None:
        """The content of an entry; None if there is none that is whole."""
        path = self.path(key)
        try:
            entry = path.read_bytes()
        except OSError:
            return None
        head = self.magic + key
        content = entry[len(head) + DIGEST :]
        if entry[: len(head)] != head or entry[len(head) : len(head) + DIGEST] != digest([content]):
            return None
        with suppress(OSError):
            os.utime(path)  # what is used is not old
        return content

    def write(self, key: bytes, content: bytes) -> None:
        """Keep an entry, if it can be done."""
        import tempfile  # costs as much as all the rest of a start, and is seldom wanted

        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, prefix=f"{self.name}-new-", delete=False) as file:
                try:
                    file.write(self.magic + key + digest([content]) + content)
                    file.close()
                    os.replace(file.name, self.path(key))
                except BaseException:
                    os.unlink(file.name)
                    raise

    def keep_newest(self, most: int) -> None:
        """Remove the entries that were not used for the longest time, if there are more than so many."""
        with suppress(OSError):
            entries = list(self.folder.glob(f"{self.name}-*"))
            if len(entries) > most:
                by_age = sorted((entry.stat().st_mtime, entry) for entry in entries)
                for _, entry in by_age[: len(entries) - most]:
                    entry.unlink(missing_ok=True)

    def path(self, key: bytes) -> Path:
        return self.folder / f"{self.name}-{key.hex()}"
