"""Whether what is read (analysis/reads.py) is the same in two positions: so the values of expressions are."""

from __future__ import annotations

from seaspec.analysis.reads import Reads
from seaspec.backends.symbolic.values.position import Position


def footprint(read: Reads, position: Position) -> tuple[object, ...] | None:
    """All that is read at a position; None if that is not known. Where all that lies in a place is asked for, it is
    read where each piece is."""
    places, states, others = read
    if others:
        return None
    lying = (position.places.holder.get(place, position.places.where) for place in sorted(places))
    return position.out, position.result, *(position.states[state] for state in sorted(states)), *lying


def is_same(read: Reads, one: Position, other: Position) -> bool:
    """Whether nothing that is read differs between two positions."""
    here, there = footprint(read, one), footprint(read, other)
    return here is not None and there is not None and all(a is b for a, b in zip(here, there, strict=True))
