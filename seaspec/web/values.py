"""The types of values, as the page decodes and names them: a list, in which each refers to others by their numbers."""

from __future__ import annotations

from typing import Any, assert_never

from seaspec.backends.native.values.shapes import is_single, ordinals, universe
from seaspec.core import ir, types
from seaspec.core.types import Type

Data = dict[str, Any]


class Types:
    """The list of types, filled as they are met."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self.listed: list[Data] = []
        self._numbers: dict[Type, int] = {}

    def number(self, ty: Type) -> int:
        """The number of a type."""
        if ty not in self._numbers:
            data = self._data(ty)
            self._numbers[ty] = len(self.listed)
            self.listed.append(data)
        return self._numbers[ty]

    def _data(self, ty: Type) -> Data:
        match ty:
            case types.Bool():
                return {"kind": "yes or no"}
            case types.Int() | types.Fraction():
                return {"kind": "number"}
            case types.Never():
                return {"kind": "nothing"}
            case types.Enum(name, names):
                return {"kind": "word", "name": name, "names": list(names)}
            case types.Cells(board):
                return {"kind": "cell", "board": board}
            case types.Borders(board):
                return {"kind": "border", "board": board}
            case types.Pieces():
                return {"kind": "piece"}
            case types.Optional(of):
                return {"kind": "maybe", "of": self.number(of)}
            case types.SetOf(of, ordered):
                data: Data = {"kind": "row" if ordered else "set", "of": self.number(of)}
                if is_single(of):
                    among = universe(of, self.game)
                    data |= {"shift": among.shift, "optional": among.optional, "width": among.width}
                    data["words"] = 1 + among.width if ordered else int(among.ty[1:]) // 64
                return data
            case types.Map(keys, of):
                values = [None if value is None else _plain(value) for value in types.values(keys)]
                assert len(values) == ordinals(keys).size
                return {
                    "kind": "map", "keys": self.number(keys), "of": self.number(of), "words": len(values),
                    "values": values,
                }  # fmt: skip
            case _:
                assert_never(ty)


def _plain(value: object) -> int | None:
    assert value is None or isinstance(value, int), value
    return None if value is None else int(value)
