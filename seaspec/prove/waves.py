"""In which order facts are asked for at the ends of paths: what is dropped by one path need not be asked of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seaspec.backends.symbolic.paths.paths import Path
from seaspec.prove.facts import Fact

Asked = tuple[int, Fact]
"""A path, by its place in the list of paths, and a fact at its end."""


def in_waves(waiting: Sequence[Asked], paths: Sequence[Path]) -> Iterator[list[Asked]]:
    """First what is asked of one path to each location, then of more and more paths."""
    asked: dict[int, list[Fact]] = {}
    for place, fact in waiting:
        asked.setdefault(place, []).append(fact)
    ways: dict[int | None, list[int]] = {}
    for place in asked:
        ways.setdefault(paths[place].target, []).append(place)
    done, several = 0, 1
    while any(len(places) > done for places in ways.values()):
        now = [place for places in ways.values() for place in places[done : done + several]]
        yield [(place, fact) for place in now for fact in asked[place]]
        done, several = done + several, 3 * several
