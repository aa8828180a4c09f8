"""What somebody sees of a position, as far as drawing asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class SeenPlace(Protocol):
    """What is seen of an instance of a place: the titles of the pieces, or their number alone, or nothing."""

    @property
    def contents(self) -> tuple[str, ...] | None: ...
    @property
    def size(self) -> int | None: ...


class Seen(Protocol):
    """What somebody sees: places and states by their names (`hand[Ann]`)."""

    @property
    def places(self) -> Mapping[str, SeenPlace]: ...
    @property
    def states(self) -> Mapping[str, str]: ...
