"""What steps do to a position that is not known. Nothing is supposed of what they owe; if they fail, anything may be.

One exception: a number that goes into a state lies in its range, for at that very step the interpreter refuses another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from seaspec.certify import values as v
from seaspec.certify.position import Position, World
from seaspec.certify.reading import Reader
from seaspec.certify.values import Bool, Number, TooLarge, and_, implies, not_, or_
from seaspec.core import ir, types
from seaspec.core.ir import PlaceOrder


def assigned(world: World, reader: Reader, step: ir.Assign) -> tuple[Position, Bool]:
    """After a state has got a value; and that the value lies in its range."""
    position, state = reader.position, world.game.states[step.state]
    given = [(reader.value(expr), expr.type) for expr in step.indices]
    value = reader.value(step.value)
    index = [variable.type for variable in state.index]
    entries = {}
    in_range: list[Bool] = []
    for key, test in reader.matching(given, index):
        if test is False:
            continue
        before = position.states[step.state, key]
        entries[key] = v.choose(test, value, before, state.type)
        if isinstance(state.type, types.Int):
            low, high = state.type.low, state.type.high
            if state.bound is not None:
                reader.env.update(zip(state.index, key, strict=True))
                low, high = (reader.value(bound) for bound in state.bound)
            in_range.append(implies(test, and_(v.at_most(low, value), v.at_most(value, high))))
    return position.with_state(step.state, entries), and_(*in_range)


def moved(world: World, position: Position, who: Mapping[int, Bool], target: Sequence[tuple[int, Bool]]) -> Position:
    """After pieces have gone to a place, each if its test holds; `target`: the slots that may be meant."""
    goal: Number | None = None
    for slot, test in reversed(target):
        goal = slot if goal is None else v.pick(test, slot, goal)
    if goal is None:
        return position
    where = list(position.where)
    states = dict(position.states)
    for piece, test in who.items():
        if test is False:
            continue
        before = where[piece]
        where[piece] = v.pick(test, goal, before)
        for name, state in world.game.states.items():
            if state.while_in is None or (name, (piece,)) not in states:
                continue
            inside = [world.slots[state.while_in, key] for key in world.keys[state.while_in]]
            was, comes = (or_(*(v.equal(slot, one) for one in inside)) for slot in (before, goal))
            forgotten = and_(test, was, not_(comes))
            states[name, (piece,)] = v.choose(
                forgotten, world.first(name, (piece,)), states[name, (piece,)], state.type
            )
    return Position(
        states, tuple(where), position.out, position.frame, position.over, position.won, position.lost,
        position.begun, position.measured,
    )  # fmt: skip


def cargo(reader: Reader, step: ir.Move) -> dict[int, Bool]:
    """Which pieces a step moves."""
    if step.whole is not None:
        members = v.group(reader.lying(step.whole.place, step.whole.indices)).members
    else:
        assert step.cargo is not None
        if isinstance(step.cargo.type, types.Pieces):
            members = tuple(v.cases(reader.value(step.cargo), step.cargo.type))
        else:
            members = reader.domain(step.cargo).members
    return dict(members)


def some_of_a_kind(world: World, reader: Reader, step: ir.MoveSome) -> tuple[dict[int, Bool], Bool]:
    """Which pieces are taken, of those of a kind; and what is known of it where the rules leave that open."""
    lying = dict(v.group(reader.lying(step.origin.place, step.origin.indices)).members)
    there = {piece: lying[piece] for piece in lying if piece in set(step.kind.members)}
    if step.amount is None:
        return there, True
    amount = reader.value(step.amount)
    if world.game.places[step.origin.place].order in (PlaceOrder.PILE, PlaceOrder.ROW):
        taken = {piece: and_(test, world.names.bool(f"taken {piece}")) for piece, test in there.items()}
        count, every = v.ones(taken.values()), v.ones(there.values())
        wanted = v.pick(v.less(amount, 0), 0, v.pick(v.less(every, amount), every, amount))
        return taken, v.equal(count, wanted)
    found: dict[int, Bool] = {}
    before: list[Bool] = []
    for piece, test in sorted(there.items()):
        found[piece] = and_(test, v.less(v.ones(before), amount))
        before.append(test)
    return found, True


def over(world: World, reader: Reader, how: ir.End | ir.Score | None) -> Position:
    """The position when the game is over."""
    position, seats = reader.position, range(world.seats)
    won: list[Bool] = [False] * world.seats
    lost: list[Bool] = [False] * world.seats
    match how:
        case ir.End(ir.Outcome.NOBODY) | None:
            pass
        case ir.End(outcome, players):
            named = [True] * world.seats if players is None else _named(reader, players, world.seats)
            if outcome is ir.Outcome.WIN:
                won, lost = named, [not_(test) for test in named]
            else:
                won = [and_(not_(named[seat]), not_(position.out[seat])) for seat in seats]
                lost = [not_(test) for test in won]
        case ir.Score(player, values):
            scores = []
            for seat in seats:
                reader.env[player] = seat
                scores.append([reader.value(value) for value in values])
            for seat in seats:
                best = [or_(position.out[other], _no_less(scores[seat], scores[other])) for other in seats]
                won[seat] = and_(not_(position.out[seat]), *best)
                lost[seat] = not_(won[seat])
        case _:
            assert_never(how)
    return Position(
        position.states, position.where, position.out, {}, True, tuple(won), tuple(lost),
        position.begun, position.measured,
    )  # fmt: skip


def _named(reader: Reader, players: ir.Expr, seats: int) -> list[Bool]:
    if isinstance(players.type, types.SetOf | types.Optional):
        members = dict(reader.domain(players).members)
        return [members.get(seat, False) for seat in range(seats)]
    value = reader.value(players)
    return [v.equal(value, seat) for seat in range(seats)]


def _no_less(a: Sequence[Number], b: Sequence[Number]) -> Bool:
    """Whether scores are at least as high as others: the first that differs tells."""
    if not a:
        return True
    if isinstance(a[0], v.Group | v.Maybe | tuple) or a[0] is None:
        raise TooLarge("scores that are no numbers")
    return or_(v.less(b[0], a[0]), and_(v.equal(a[0], b[0]), _no_less(a[1:], b[1:])))
