"""What states are before anything has happened, and again when they are forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import forall
from seaspec.backends.symbolic.logic.terms import Term, bound, implies, not_, number
from seaspec.backends.symbolic.values.position import Entries, Family, Mapped, Position
from seaspec.backends.symbolic.values.sets import Value, among, same
from seaspec.backends.symbolic.values.world import World, plain
from seaspec.core import types
from seaspec.core.evaluate import NotConstant, evaluate


def first_values(world: World, state: str) -> Family:
    """The first values of a state."""
    rules = world.game.states[state]
    values: dict[tuple[int, ...], Value] = {}
    for key in world.states[state].keys:
        env = {variable: plain(value, variable.type) for variable, value in zip(rules.index, key, strict=True)}
        try:
            first = evaluate(rules.initial, world.game.tables, world.game.functions, env)
        except NotConstant as found:
            raise Unsupported(f"the first value of {state}: {found}", rules.source) from None
        if not isinstance(rules.type, types.SetOf | types.Map) and types.position(rules.type, first) is None:
            raise Unsupported(f"the first value of {state}, which is not in its type", rules.source)
        values[key] = world.constant(first, rules.type)
    if len({id(found) for found in values.values()}) == 1 and world.wide(len(values)):
        one = next(iter(values.values()))
        return Mapped(lambda args: one)
    return Entries(values)


def first_elsewhere(world: World, position: Position) -> Iterator[Term]:
    """That what is kept of pieces while they lie in some place has its first value for all that lie elsewhere."""
    for name, state in world.game.states.items():
        if state.while_in is None or not (world.keeps_places and world.keeps_state(name)):
            continue
        try:
            first = first_values(world, name)
            pieces = tuple(piece for (piece,) in world.states[name].keys)
            family, home = position.states[name], state.while_in

            def is_first(piece: Term, family: Family = family, first: Family = first, home: str = home) -> Term:
                away = not_(position.places.lies_anywhere_in(piece, home))
                return implies(away, same(family.read((piece,)), first.read((piece,))))

            if world.wide(len(pieces)):
                one = bound(pieces[0], pieces[-1])
                yield forall((one,), implies(among(one, pieces), is_first(one)))
            else:
                yield from (is_first(number(piece)) for piece in pieces)
        except Unsupported:
            continue  # it is not known what it is elsewhere
