"""Which pieces of a game may ever be identical."""

from __future__ import annotations

from collections.abc import Collection

from seaspec.core import ir, types
from seaspec.core.types import Type


class Twins:
    """Which pieces of a game may be identical.

    `classes`: sets of pieces of one kind and facts, more than one each, that nothing is indexed by (but what they carry
    along: `carried`, the states that are kept while a piece lies somewhere). `merged`: those of which the pieces stand
    for one another, so that positions which differ by these alone are one (passes/mark_alike.py).
    """

    def __init__(self, game: ir.Game, alike: Collection[int]) -> None:
        marked: set[int] = set()
        self.carried: list[ir.State] = []
        for state in game.states.values():
            for variable in state.index:
                kept = (state.while_in is not None or state.track) and len(state.index) == 1
                if not kept:
                    marked |= types.pieces_in(variable.type)
                elif not state.track and types.pieces_in(variable.type):
                    self.carried.append(state)
        for place in game.places.values():
            for variable in place.index:
                marked |= types.pieces_in(variable.type)
        by_twin: dict[int, list[int]] = {}
        for piece in game.pieces:
            if piece.id not in marked:
                by_twin.setdefault(piece.twin, []).append(piece.id)
        self.classes = [tuple(members) for members in by_twin.values() if len(members) > 1]
        self.merged = [members for members in self.classes if set(members) <= set(alike)]
        self.common = {piece for members in self.classes for piece in members}

    def numbered(self, ty: Type) -> bool:
        """Whether rules may go by the numbers of identical pieces of a type: then which of them it is makes a
        difference, and it is always the first."""
        held = types.pieces_in(ty)
        return any(len(held.intersection(members)) > 1 for members in self.classes if members not in self.merged)

    def of_type(self, ty: Type) -> list[tuple[int, ...]]:
        """The classes of which a value of the type may be two."""
        held = types.pieces_in(ty)
        return [members for members in self.classes if len(held.intersection(members)) > 1]
