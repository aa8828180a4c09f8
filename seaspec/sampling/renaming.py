"""Renamings: what a symmetry makes of values and pieces.

A renaming is of values of one type: cells, seats, numbers of a range. Values are told apart by their declared types, so
a renaming of the numbers 1..80 changes nothing that is counted 0..8. A piece goes to the piece of the same kind whose
printed facts are the images of its own.
"""

from __future__ import annotations

from typing import Any, assert_never

from seaspec.backends.interpreter.machine import Machine
from seaspec.core import ir, types
from seaspec.core.types import Type, Value


class NoImage(Exception):
    """A value has no image: the renaming is none of this game."""


class Renaming:
    """The renaming of a symmetry, of values and pieces."""

    def __init__(self, machine: Machine, symmetry: ir.Symmetry) -> None:
        self.machine = machine
        game = machine.game
        look = machine.program.constants
        self.maps: list[tuple[Type, dict[Value, Value]]] = []
        for variable, expr in symmetry.renamings:
            if machine.program.reads_position(expr):
                raise NoImage(f"the renaming of {variable.name} depends on the position")
            to = machine.program.compile(expr, (variable,), "image")
            renamed = {value: to(look, value) for value in types.values(variable.type)}
            if set(renamed.values()) != set(renamed):
                raise NoImage(f"the renaming of {variable.name} does not reach every value once")
            self.maps.append((variable.type, renamed))
        by_facts: dict[Any, list[int]] = {}
        for piece in game.pieces:
            by_facts.setdefault((piece.kinds, piece.home, tuple(v for _, v, _ in piece.facts)), []).append(piece.id)
        self.pieces: dict[int, int] = {}
        for piece in game.pieces:
            facts = tuple(self.value(value, ty) for _, value, ty in piece.facts)
            twins = by_facts.get((piece.kinds, piece.home, facts))
            own = by_facts[piece.kinds, piece.home, tuple(v for _, v, _ in piece.facts)]
            if twins is None or len(twins) != len(own):
                raise NoImage(f"{piece.title} has no image")
            self.pieces[piece.id] = twins[own.index(piece.id)]

    def value(self, value: Any, ty: Type) -> Any:
        """The image of a value of a type."""
        if value is None:
            return None
        match ty:
            case types.Optional(of):
                return self.value(value, of)
            case types.SetOf(of, ordered):
                members = [self.value(v, of) for v in value]
                return tuple(members) if ordered else types.as_set(members)
            case types.Map(keys, of):
                by_key = {
                    self.value(key, keys): self.value(v, of) for key, v in zip(types.values(keys), value, strict=True)
                }
                return tuple(by_key[key] for key in types.values(keys))
            case types.Pieces():
                return self.pieces[value]
            case (
                types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Never()
                | types.Fraction()
            ):  # fmt: skip
                pass
            case _:
                assert_never(ty)
        named = self.named(ty)
        return value if named is None else named[value]

    def named(self, ty: Type) -> dict[Value, Value] | None:
        """The images of the values of a type, if the symmetry names it: all cells of one board go together."""
        for named, renamed in self.maps:
            same_board = isinstance(named, types.Cells) and isinstance(ty, types.Cells) and named.board == ty.board
            if named == ty or same_board:
                return renamed
        return None
