"""What expressions read of a position: where that is the same in two positions, so is their value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from seaspec.core import ir
from seaspec.core.ir import Expr
from seaspec.core.ops import Op
from seaspec.core.walk import Node, expressions

RESULTS = frozenset({Op.HAS_WON, Op.HAS_LOST, Op.IS_OUT})
"""The operators that read who has won, lost or is out."""


@dataclass(frozen=True, slots=True)
class Own:
    """What an expression reads itself, not in its parts. `everywhere`: of these places all that lies there, wherever.
    `result`: who has won, lost or is out. `other`: more than all of this says. `calls`, `asks`: the defines and the
    actions in which there is more that is looked at."""

    place: str | None = None
    everywhere: str | None = None
    state: str | None = None
    result: bool = False
    other: bool = False
    calls: str | None = None
    asks: str | None = None

    @property
    def reads_position(self) -> bool:
        """Whether its value may differ from position to position, apart from what it calls."""
        found = self.place or self.everywhere or self.state or self.asks
        return found is not None or self.result or self.other


_NOTHING = Own()


def read_by(expr: Expr) -> Own:
    """What this very expression reads."""
    match expr:
        case ir.PlaceRead(_, place):
            return Own(place=place)
        case ir.Everywhere(_, place) | ir.WhereIs(_, place):
            return Own(everywhere=place)
        case ir.StateRead(_, state):
            return Own(state=state)
        case ir.Apply(_, op):
            return Own(result=op in RESULTS, other=op not in RESULTS) if op.reads_position else _NOTHING
        case ir.Call(_, name):
            return Own(calls=name)
        case ir.Can(_, action):
            return Own(asks=action)
        case ir.Asked() | ir.Odds() | ir.Old():
            return Own(other=True)
        case (
            ir.Const() | ir.Local() | ir.Lookup() | ir.If() | ir.Switch() | ir.LetIn() | ir.Fold() | ir.Select()
            | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Ways() | ir.Openly()
        ):  # fmt: skip
            return _NOTHING
        case _:
            assert_never(expr)


class Reads(NamedTuple):
    """The places and states that are read (`all of P`: wherever in P); and whether anything else is, besides who is
    out and who has won."""

    places: frozenset[str]
    states: frozenset[str]
    others: bool


def reads(game: ir.Game, *nodes: Node) -> Reads:
    """What the expressions in nodes read, through the defines they call and the actions that they ask about. (What
    they read of an older position counts as well.)"""
    places: set[str] = set()
    states: set[str] = set()
    others = False
    for expr in expressions_through(game, *nodes):
        found = read_by(expr)
        if found.place is not None:
            places.add(found.place)
        others |= found.other and not isinstance(expr, ir.Old)
        if found.everywhere is not None:
            places |= {found.everywhere, f"all of {found.everywhere}"}
        if found.state is not None:
            states.add(found.state)
    return Reads(frozenset(places), frozenset(states), others)


def expressions_through(game: ir.Game, *nodes: Node) -> Iterator[Expr]:
    """All expressions in nodes, in the defines that they call, and in what the actions ask that they ask about."""
    seen: set[tuple[str, str]] = set()
    waiting: list[Node] = list(nodes)
    while waiting:
        for expr in expressions(waiting.pop()):
            yield expr
            found = read_by(expr)
            for sort, name in (("define", found.calls), ("action", found.asks)):
                if name is not None and (sort, name) not in seen:
                    seen.add((sort, name))
                    waiting += _within(game, sort, name)


def _within(game: ir.Game, sort: str, name: str) -> list[Node]:
    if sort == "define":
        return [game.functions[name].body]
    return [*game.actions[name].params, *game.actions[name].guards]
