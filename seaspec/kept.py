"""What took long to make is kept on disk: the grammar's table, machine code, answers of solvers, results of checks.

All of it lies in one folder: SEASPEC_CACHE, or else `seaspec` in the user's folder for caches. An entry is a file,
named by a digest of all that its content depends on. It is written whole or not at all, under another name first; so
runs at the same time do not disturb each other. An entry that is damaged, or belongs to something else, is as good as
none. Where no entry can be written, there is none. The folder may be deleted at any time.

Nothing is taken that somebody else could have written: neither the folder nor an entry (seaspec/owned.py). And each
entry is signed with a key of the user, which lies elsewhere (`key_file`): for on a shared disk it may only look as if
they were the user's own. What is not taken is told, in a line (`NotTaken`), and made anew.
"""

from __future__ import annotations

import errno
import os
import time
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

from seaspec.owned import OthersCouldWrite, make_folder, own_folder, read_own, write_whole

DIGEST = 32
"""Bytes of a digest, of a signature, of the key."""
ABANDONED = 60
"""Seconds after which a file that is still being written is taken for one that nobody writes any more."""


class NotTaken(UserWarning):
    """What is kept is not used, for somebody else could have written it; or nothing is kept, for want of a key."""


def usual_folder() -> Path:
    """Where entries are kept unless it is said otherwise."""
    chosen = os.environ.get("SEASPEC_CACHE")
    return Path(chosen) if chosen else _own("XDG_CACHE_HOME", ".cache")


def key_file() -> Path:
    """Where the key is with which this user signs entries."""
    return _own("XDG_CONFIG_HOME", ".config") / "cache.key"


def _own(variable: str, usual: str) -> Path:
    """A folder of ours among those of the user."""
    chosen = os.environ.get(variable, "")
    return Path(chosen if os.path.isabs(chosen) else os.path.join(os.path.expanduser("~"), usual)) / "seaspec"


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
        """The content of an entry; None if there is none that is whole, and signed by this user."""
        try:
            path = own_folder(self.folder) / self._file(key)
            entry, secret = read_own(path), _key(key_file())
        except OSError as error:
            _tell(error)
            return None
        head = self.magic + key
        signed, content = len(head) + DIGEST, entry[len(head) + DIGEST :]
        if entry[: len(head)] != head or not compare_digest(entry[len(head) : signed], _sign(secret, head, content)):
            return None
        with suppress(OSError):
            os.utime(path)  # what is used is not old
        return content

    def write(self, key: bytes, content: bytes) -> None:
        """Keep an entry, if it can be done."""
        head = self.magic + key
        try:
            make_folder(self.folder)
            folder, secret = own_folder(self.folder), _key_to_sign()
            whole = head + _sign(secret, head, content) + content
            write_whole(folder / self._file(key), f"{self.name}-new", whole, 0o600)
        except OSError as error:
            _tell(error)

    def keep_newest(self, most: int) -> None:
        """Remove the entries that were not used for the longest time, if there are more than so many; and those that
        were never whole, for whoever wrote them was killed."""
        with suppress(OSError):
            by_age = sorted((file.stat().st_mtime, file) for file in own_folder(self.folder).glob(f"{self.name}-*"))
            for number, (written, file) in enumerate(by_age):
                abandoned = file.name.startswith(f"{self.name}-new-") and written < time.time() - ABANDONED
                if abandoned or number < len(by_age) - most:
                    file.unlink(missing_ok=True)

    def _file(self, key: bytes) -> str:
        return f"{self.name}-{key.hex()}"


class _NoKey(OSError):
    """There is no place for the key."""


def _tell(error: OSError) -> None:
    """What others could have written is told; that there is nothing, or no place for it, needs no words."""
    if isinstance(error, OthersCouldWrite):
        warnings.warn(f"what was kept is not used: {error}", NotTaken, stacklevel=1)
    elif isinstance(error, _NoKey):
        warnings.warn(f"nothing is kept: {error}", NotTaken, stacklevel=1)


# --------------------------------------------------------------------------------------------------------- signatures


def _sign(secret: bytes, head: bytes, content: bytes) -> bytes:
    """What only who has the key can write beside an entry."""
    state = blake2b(head, key=secret, digest_size=DIGEST)
    state.update(content)
    return state.digest()


@cache
def _key(path: Path) -> bytes:
    """The key of this user; FileNotFoundError if there is none that is whole."""
    secret = read_own(own_folder(path.parent) / path.name, private=True)
    if len(secret) != DIGEST:
        raise FileNotFoundError(errno.ENOENT, "this is no key", str(path))
    return secret


def _key_to_sign() -> bytes:
    """The same; it is made if there is none."""
    path = key_file()
    try:
        return _key(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    try:
        make_folder(path.parent)
        write_whole(own_folder(path.parent) / path.name, path.name, os.urandom(DIGEST), 0o600)
        return _key(path)
    except OthersCouldWrite:
        raise
    except OSError as error:
        raise _NoKey(f"no key can be written to {path} ({error.strerror})") from error
