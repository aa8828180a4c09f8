"""Answers with other pieces in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seaspec.backends.interpreter.chance import Drawn
from seaspec.backends.interpreter.choices import Act, Share, Subset, Values
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, types
from seaspec.core.types import Type


def renamed(machine: Machine, state: State, answer: Answer, names: Mapping[int, int]) -> Answer:
    """The answer with each piece replaced by the one it is mapped to; an answer of another sort stays as it is."""
    node = machine.node(state)
    match answer:
        case Drawn(piece):
            return Drawn(names.get(piece, piece))
        case Act(action, arguments):
            kinds = machine.offers.kinds[action]
            return Act(action, tuple(_value(v, ty, names) for v, ty in zip(arguments, kinds, strict=True)))
    if not isinstance(node, flow.Decision | flow.ChanceNode):
        return answer
    variables = flow.offer_variables(node.offer)
    match answer:
        case Values(values) if len(values) == len(variables):
            return Values(tuple(_value(v, x.type, names) for v, x in zip(values, variables, strict=True)))
        case Subset(members) if len(variables) == 1 and isinstance(variables[0].type, types.SetOf):
            of = variables[0].type.of
            return Subset(tuple(sorted(_value(member, of, names) for member in members)))
        case Share(gift) if len(variables) == 1 and isinstance(variables[0].type, types.Map):
            return Share(_value(gift, variables[0].type, names))
    return answer


def _value(value: Any, ty: Type, names: Mapping[int, int]) -> Any:
    match ty:
        case types.Pieces() if value is not None:
            return names.get(value, value)
        case types.Optional(of) if value is not None:
            return _value(value, of, names)
        case types.SetOf(of, ordered) if value is not None:
            members = [_value(member, of, names) for member in value]
            return tuple(members if ordered else sorted(members))
        case types.Map(keys, of) if value is not None:
            entries = dict(zip(types.values(keys), value, strict=True))
            moved = {_value(key, keys, names): _value(entry, of, names) for key, entry in entries.items()}
            return tuple(moved.get(key, entries[key]) for key in types.values(keys))
        case _:  # cautious: a value that holds no pieces has none to rename; bots only guess
            return value
