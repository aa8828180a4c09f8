"""Machine code kept on disk, so that a game is compiled once: by a digest of all that the code depends on.

That is what the game means (its flow graph, without sentences and places in the text), the compiler (its own source,
and LLVM), and the processor. How entries are kept: seaspec/kept.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import seaspec.kept as kept
from seaspec.backends.native.build import NO_EFFORT, Facts, compile_text, compiler, write
from seaspec.backends.native.explore import exploring
from seaspec.backends.native.flow import watching
from seaspec.core.flow import Flow
from seaspec.core.ir import Source

MAGIC = b"seaspec machine code\n"
MOST_ENTRIES = 500
"""The oldest ones beyond this number are removed."""


F = TypeVar("F", Facts, exploring.Facts, watching.Facts)


def compiled(graph: Flow, folder: Path | None = None, traces: bool = False) -> tuple[bytes, Facts]:
    """The machine code that plays a game, from the cache if it is there. `folder`: the cache, if not the usual one.
    Code that traces is for comparisons, and soon used up: it is made with no effort."""
    effort = NO_EFFORT if traces else None
    return _kept(digest(graph, traces), folder, lambda: write(graph, traces), Facts.from_data, effort)


def compiled_to_explore(graph: Flow, folder: Path | None = None) -> tuple[bytes, exploring.Facts]:
    """The machine code that explores it and judges its promises, likewise."""
    key = digest(graph, graph.game.promises)
    return _kept(key, folder, lambda: exploring.write_exploring(graph), exploring.Facts.from_data)


def compiled_to_watch(graph: Flow, folder: Path | None = None, hasty: bool = False) -> tuple[bytes, watching.Facts]:
    """The machine code that plays it at random and judges its promises, likewise. `hasty`: made with no effort, in a
    tenth of the time."""
    key = digest(graph, ("watched hastily" if hasty else "watched", graph.game.promises))
    effort = NO_EFFORT if hasty else None
    return _kept(key, folder, lambda: watching.write_watching(graph), watching.Facts.from_data, effort)


def _kept(
    key: bytes,
    folder: Path | None,
    make: Callable[[], tuple[str, F]],
    facts_of: Callable[[dict[str, Any]], F],
    effort: int | None = None,
) -> tuple[bytes, F]:
    """An entry: the length of the facts, these, the code."""
    entries = kept.Entries(folder or kept.usual_folder(), "native", MAGIC)
    entry = entries.read(key)
    if entry is not None:
        end = 8 + int.from_bytes(entry[:8], "little")
        return entry[end:], facts_of(json.loads(entry[8:end]))
    text, facts = make()
    code = compile_text(text, effort)
    told = json.dumps(asdict(facts)).encode()
    entries.write(key, len(told).to_bytes(8, "little") + told + code)
    entries.keep_newest(MOST_ENTRIES)
    return code, facts


# ------------------------------------------------------------------------------------------------------------- digests


def digest(graph: Flow, more: object = False) -> bytes:
    """What machine code depends on, in a few bytes. `more`: beside the flow graph."""
    game = graph.game
    means = (
        graph.blocks, graph.start, graph.frame, graph.routines,
        game.boards, game.pieces, game.places, game.states, game.tables, game.functions, game.actions, game.chances,
        game.players, more,
    )  # fmt: skip
    return kept.digest([compiler(), _own_source(), *_told(means, {})])


def _told(value: Any, known: dict[int, int]) -> Iterator[str]:
    """A value as text, so that different ones differ; what occurs again (a variable, above all) by its number."""
    match value:
        case int() | str() | Fraction() | None:
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
    return kept.digest_of_files([*here.rglob("*.py"), *(here.parent.parent / "core").glob("*.py")]).hex()
