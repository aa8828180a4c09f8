"""Machine code kept on disk, so that a game is compiled once: by a digest of all that the code depends on.

That is what the game means (its flow graph, without sentences and places in the text), the compiler (its own source,
and LLVM), and the processor. An entry is a file in the folder SEASPEC_CACHE, or else `seaspec` in the user's folder for
caches. It is written whole or not at all, under another name first; so runs at the same time do not disturb each other.
An entry that is damaged, or belongs to something else, is as good as none: the game is compiled, the entry replaced.
Where no entry can be written, there is none.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from seaspec.backends.native.build import Facts, compile_text, compiler, write
from seaspec.core.flow import Flow
from seaspec.core.ir import Source

MAGIC = b"seaspec machine code\n"
DIGEST = 32
"""Bytes of a digest."""
MOST_ENTRIES = 500
"""The oldest ones beyond this number are removed."""


def compiled(graph: Flow, folder: Path | None = None, traces: bool = False) -> tuple[bytes, Facts]:
    """The machine code of a game, from the cache if it is there. `folder`: the cache, if it is not the usual one."""
    key = digest(graph, traces)
    path = (folder or usual_folder()) / f"native-{key.hex()}"
    found = _read(path, key)
    if found is None:
        text, facts = write(graph, traces)
        found = compile_text(text), facts
        _write(path, key, *found)
    return found


def usual_folder() -> Path:
    """Where entries are kept unless it is said otherwise."""
    chosen = os.environ.get("SEASPEC_CACHE")
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME")
    return Path(caches or os.path.join(os.path.expanduser("~"), ".cache")) / "seaspec"


# ------------------------------------------------------------------------------------------------------------- entries


def _read(path: Path, key: bytes) -> tuple[bytes, Facts] | None:
    """An entry: magic, key, digest of the rest; the length of the facts, these, the code. None if anything is off."""
    try:
        entry = path.read_bytes()
    except OSError:
        return None
    head = MAGIC + key
    rest = entry[len(head) + DIGEST :]
    if entry[: len(head)] != head or entry[len(head) : len(head) + DIGEST] != _hash(rest) or len(rest) < 8:
        return None
    end = 8 + int.from_bytes(rest[:8], "little")
    with suppress(OSError):
        os.utime(path)  # what is used is not old
    return rest[end:], Facts.from_data(json.loads(rest[8:end]))


def _write(path: Path, key: bytes, code: bytes, facts: Facts) -> None:
    told = json.dumps(asdict(facts)).encode()
    rest = len(told).to_bytes(8, "little") + told + code
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix="native-new-", delete=False) as file:
            try:
                file.write(MAGIC + key + _hash(rest) + rest)
                file.close()
                os.replace(file.name, path)
            except OSError:
                os.unlink(file.name)
                raise
        _remove_old(path.parent)
    except OSError:
        return


def _remove_old(folder: Path) -> None:
    entries = list(folder.glob("native-*"))
    if len(entries) > MOST_ENTRIES:
        by_age = sorted((entry.stat().st_mtime, entry) for entry in entries)
        for _, entry in by_age[: len(entries) - MOST_ENTRIES]:
            entry.unlink(missing_ok=True)


# ------------------------------------------------------------------------------------------------------------- digests


def digest(graph: Flow, traces: bool = False) -> bytes:
    """What machine code depends on, in a few bytes."""
    game = graph.game
    means = (
        graph.blocks, graph.start, graph.frame, graph.routines,
        game.boards, game.pieces, game.places, game.states, game.tables, game.functions, game.actions, game.chances,
        game.players, traces,
    )  # fmt: skip
    return _hash("\0".join([compiler(), _own_source(), *_told(means, {})]).encode())


def _told(value: Any, known: dict[int, int]) -> Iterator[str]:
    """A value as text, so that different ones differ; what occurs again (a variable, above all) by its number."""
    match value:
        case int() | str() | None:
            yield repr(value)
        case tuple() | list():
            yield "("
            for member in value:
                yield from _told(member, known)
            yield ")"
        case dict():
            yield "{"
            for name, member in value.items():
                yield from _told(name, known)
                yield from _told(member, known)
            yield "}"
        case Source():
            pass
        case Enum():
            yield value.name
        case _ if id(value) in known:
            yield f"@{known[id(value)]}"
        case _:
            assert is_dataclass(value), value
            known[id(value)] = len(known)
            yield f"{type(value).__module__}.{type(value).__name__}"
            for field in fields(value):
                yield from _told(getattr(value, field.name), known)


@cache
def _own_source() -> str:
    """A digest of the compiler and of the core."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), *sorted((here.parent.parent / "core").glob("*.py"))]
    return _hash(b"\0".join(path.read_bytes() for path in files)).hex()


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST).digest()
