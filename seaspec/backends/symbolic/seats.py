"""Whether seats are alike in a part of the rules: if everybody moved one seat on, all would go the same way.

Where it does not matter which player comes next, it is then enough to look at one of them: what holds for this one
holds for all, with everything moved round the table. The contrary is said whenever it is not plain: a certain player is
named, players are compared as numbers, a table tells them apart, the first of several players is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from seaspec.analysis.control import tells_apart
from seaspec.core import flow, ir, types
from seaspec.core.types import PLAYER, Type
from seaspec.core.walk import children

_EVEN = (
    ir.Local, ir.StateRead, ir.PlaceRead, ir.Everywhere, ir.WhereIs, ir.If, ir.LetIn, ir.Fold, ir.Collect, ir.Reach,
    ir.Old, ir.Openly, ir.Guard, ir.Param, ir.Let, ir.Roll, ir.ChanceRule, ir.Shuffle, ir.Say, ir.Show, ir.DropOut,
    ir.End, ir.Score, ir.OfferActions, ir.OfferValues, ir.OfferSubset, ir.OfferShare, flow.OfferLines, flow.Launch,
    flow.Set, flow.Take, flow.Pop, flow.Begin, flow.Finish, flow.Require, flow.Veil, flow.Goto, flow.Test, flow.Enter,
    flow.Return, flow.Finding, flow.Decision, flow.ChanceNode, flow.RollNode, flow.Over, flow.Outside,
)  # fmt: skip
"""Nodes that treat all players alike if the parts of them do."""


def names_players(ty: Type) -> bool:
    """Whether a value of a type says something of players.

    >>> names_players(types.SetOf(types.Optional(types.Enum(PLAYER, ("Ann", "Ben"), True))))
    True
    """
    match ty:
        case types.Enum(name):
            return name == PLAYER
        case types.Optional(of) | types.SetOf(of):
            return names_players(of)
        case types.Map(keys, held):
            return names_players(keys) or names_players(held)
        case (
            types.Bool() | types.Int() | types.Cells() | types.Borders() | types.Pieces() | types.Never()
            | types.Fraction()
        ):  # fmt: skip
            return False
        case _:
            assert_never(ty)


class Seats:
    """Looks through the rules of one game."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.game = graph.game
        self._blocks: dict[int, bool] = {}
        self._called: dict[str, bool] = {}

    def are_alike_in(self, block: int) -> bool:
        """Whether seats are alike in a block and its exit."""
        if block not in self._blocks:
            here = self.graph.blocks[block]
            self._blocks[block] = all(map(self.are_alike_for, (*here.steps, here.exit)))
        return self._blocks[block]

    def are_alike_for(self, node: object) -> bool:
        """Whether seats are alike in an expression, a step, an exit, and all that these call."""
        return all(self._is_even(inner) for inner in _below(node))

    def _is_even(self, node: object) -> bool:
        match node:
            case ir.Const(ty, value):
                return not names_players(ty) or value is None or self._is_everybody(ty, value)
            case ir.Lookup(ty, table, _):
                indices = self.game.tables[table].index
                return not names_players(ty) and not any(map(names_players, indices))
            case ir.Apply(ty, op, arguments):
                about = names_players(ty) or any(names_players(argument.type) for argument in arguments)
                return op.is_round or not about
            case ir.Binder(variable, _, _, is_prefix):
                return not is_prefix or not names_players(variable.type)
            case ir.Select(_, binder, best):
                return best is None or not names_players(binder.variable.type)
            case ir.PickOne(_, first, binder):
                return not first or not names_players(binder.variable.type)
            case ir.Call(_, function):
                return self._calls(f"define {function}", self.game.functions[function].body)
            case ir.Can(_, action) | ir.Alternative(action):
                rules = self.game.actions[action]
                return self._calls(f"action {action}", rules.params, rules.guards)
            case flow.Judge(action):
                rules = self.game.actions[action]
                return self._calls(f"action {action}", rules.params, rules.guards)
            case flow.ThrowNode(chance):
                return self._calls(f"chance {chance}", self.game.chances[chance])
            case flow.Switch(subject) | ir.Switch(_, subject):
                return not names_players(subject.type)
            case flow.Take(variable, _, (member, key)) if names_players(variable.type):
                return tells_apart(key, member)  # where some are equal, their seats decide
            case flow.Reset(states):
                return all(self._calls(f"state {name}", self.game.states[name].initial) for name in states)
            case ir.Assign(state):
                return self._calls(f"bound {state}", self.game.states[state].bound)
            case ir.Target(place):
                return self._calls(f"place {place}", self.game.places[place].capacity)
            case ir.Move() | ir.MoveSome() | flow.DrawNode():
                forgotten = (name for name, state in self.game.states.items() if state.while_in is not None)
                return all(self._calls(f"state {name}", self.game.states[name].initial) for name in forgotten)
            case _:  # cautious: of what is not listed it is not known
                return isinstance(node, _EVEN)

    def _is_everybody(self, ty: Type, value: object) -> bool:
        """Whether a constant is all players. In which order they are gone through is left open."""
        return isinstance(ty, types.SetOf) and value == tuple(range(len(self.game.players)))

    def _calls(self, name: str, *nodes: object) -> bool:
        if name not in self._called:
            self._called[name] = True  # a call of itself adds nothing
            self._called[name] = all(map(self.are_alike_for, nodes))
        return self._called[name]


def _below(node: object) -> Iterator[object]:
    """Nodes in nodes; what people read is no rule."""
    stack: list[object] = list(node) if isinstance(node, tuple) else [node]
    while stack:
        here = stack.pop()
        if here is None or isinstance(here, ir.Source | ir.Text):
            continue
        if isinstance(here, tuple):
            stack.extend(here)
            continue
        yield here
        stack.extend(children(here))
