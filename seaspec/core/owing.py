"""What the steps and exits of the flow graph owe, in the order in which the interpreter meets it.

As with expressions (see definedness.py), whatever is `certain` holds once the step is taken. All tests are about the
position before the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from seaspec.core import flow, ir, types
from seaspec.core.definedness import (
    BOOL,
    Definedness,
    Obligation,
    Obligations,
    at_most,
    both,
    equal,
    given_values,
    is_in,
    is_of,
    negated,
    number,
    over,
    perhaps,
    size,
    under,
)
from seaspec.core.ir import Binder, Const, Expr, FoldKind, Local, PlaceOrder, Put, Target, Variable
from seaspec.core.ops import Op
from seaspec.core.types import Int, SetOf, lies_within
from seaspec.core.walk import expressions

FULL = "a place is full"
FOREIGN = "a piece can not lie there"
NO_SPOT = "there is no such spot"
TOO_FEW = "fewer are there than are to go"
LEAVES_RANGE = "a state leaves its range"
NOT_RUNNING = "a state is set while the procedure of its clock does not run"
LIES_ELSEWHERE = "a state is set for a piece that does not lie where it is kept"
NOT_ALLOWED = "an action is called where it is not allowed"
NOBODY = "there is nobody to choose"
FOR_EVER = "is thrown again for ever"


def of_step(owed: Definedness, graph: flow.Flow, step: flow.Step) -> Iterator[Obligation]:
    """What a step owes."""
    match step:
        case flow.Set(_, value):
            yield from owed.of(value)
        case flow.Take(_, domain, key):
            yield from owed.of(domain)
            if key is not None:
                yield from over(Binder(key[0], domain), owed.of(key[1]))
        case flow.Judge(action):
            rules = owed.game.actions[action]
            given = tuple(map(Local, graph.routines[action].params))
            yield from owed.judging(rules, given)
            yield Obligation(ir.Can(BOOL, action, given), NOT_ALLOWED)
        case flow.Require(test, message):
            yield from owed.of(test)
            yield Obligation(test, message)
        case ir.Assign():
            yield from _assign(owed, graph, step)
        case ir.Move():
            yield from _move(owed, step)
        case ir.MoveSome():
            yield from _move_some(owed, step)
        case ir.Shuffle(place):
            yield from instance(owed, place)
        case ir.DropOut(player):
            yield from owed.of(player)
        case ir.Say() | ir.Show():
            return  # looked at only where somebody reads what happens
        case flow.Pop() | flow.Begin() | flow.Finish() | flow.Reset() | flow.Veil():
            return
        case _:
            assert_never(step)


def of_exit(owed: Definedness, exit: flow.Exit) -> Iterator[Obligation]:
    """What an exit owes before the flow goes on, or rests there. What is offered is perhaps not all looked at then."""
    match exit:
        case flow.Test(test):
            yield from owed.of(test)
        case flow.Switch(subject):
            yield from owed.of(subject)
        case flow.Finding(witnesses, test):
            yield from owed.each(witnesses, owed.of(test), stops=True)
        case flow.Decision(decider, offer):
            if isinstance(decider.type, types.Optional):
                yield from owed.of(decider)
                yield Obligation(negated(equal(decider, Const(decider.type, None))), NOBODY)
            yield from _offers(owed, offer)
        case flow.ChanceNode(offer):
            yield from _offers(owed, offer)
        case flow.DrawNode(origin):
            yield from instance(owed, origin)
        case flow.Over(how):
            yield from _ends(owed, how)
        case flow.RollNode() | flow.ThrowNode():
            return
        case flow.Goto() | flow.Enter() | flow.Return() | flow.Outside():
            return
        case _:
            assert_never(exit)


def _offers(owed: Definedness, offer: flow.AnyOffer) -> Iterator[Obligation]:
    """What is looked at to know whether there is an option: of actions and values perhaps no more than the first."""
    match offer:
        case ir.OfferSubset(low, high, domain):
            yield from owed.all_of((domain, low, high))
        case ir.OfferShare(low, high, member, domain, bound):
            yield from owed.all_of((low, high, domain))
            if bound is not None:
                yield from over(Binder(member, domain), owed.of(bound))
        case ir.OfferValues(binders, weights):
            tested = () if weights is None else perhaps(owed.of(weights))
            yield from owed.each(binders, tuple(tested), stops=True)
        case ir.OfferActions(alternatives):
            for alternative in alternatives:
                yield from perhaps(owed.of(is_legal(alternative)))
        case flow.OfferLines(_, tests):
            yield from perhaps(owed.all_of(test for test in tests if test is not None))
        case _:
            assert_never(offer)


def is_legal(alternative: ir.Alternative) -> Expr:
    """That some way to take an alternative is legal."""
    can = ir.Can(BOOL, alternative.action, alternative.arguments)
    return can if alternative.loop is None else ir.Fold(BOOL, FoldKind.SOME, (alternative.loop,), can)


def _ends(owed: Definedness, how: ir.End | ir.Score | None) -> Iterator[Obligation]:
    match how:
        case ir.End(outcome, players) if players is not None and outcome is not ir.Outcome.NOBODY:
            yield from owed.of(players)
        case ir.Score(player, values):
            everybody = Const(SetOf(player.type, ordered=True), tuple(types.values(player.type)))
            is_out = ir.Apply(BOOL, Op.IS_OUT, (Local(player),))
            yield from over(Binder(player, everybody, negated(is_out)), owed.all_of(values))
        case ir.End() | None:
            pass
        case _:
            assert_never(how)


def instance(owed: Definedness, target: Target) -> Iterator[Obligation]:
    """That there is such an instance of a place."""
    return owed.inside(owed.game.places[target.place].index, target.indices)


# --------------------------------------------------------------------------------------------------------------- states


def _assign(owed: Definedness, graph: flow.Flow, step: ir.Assign) -> Iterator[Obligation]:
    state = owed.game.states[step.state]
    yield from owed.inside(state.index, step.indices)
    yield from owed.of(step.value)
    if isinstance(state.type, Int):
        low, high = state.bound or (number(state.type.low), number(state.type.high))
        values = dict(zip(state.index, step.indices, strict=True))
        yield from given_values(values, owed.all_of((low, high)))
        if state.bound is not None or not lies_within(step.value.type, state.type):
            between = ir.Apply(SetOf(state.type, ordered=True), Op.RANGE, (low, high))
            yield from given_values(values, [Obligation(is_in(step.value, between), LEAVES_RANGE)])
    if state.until is not None and state.until in graph.routines:
        back = graph.routines[state.until].back
        yield Obligation(negated(equal(Local(back), Const(back.type, None))), NOT_RUNNING)
    if state.while_in is not None:
        kept = ir.Everywhere(SetOf(owed.game.places[state.while_in].holds), state.while_in)
        yield Obligation(is_in(step.indices[0], kept), LIES_ELSEWHERE)


# --------------------------------------------------------------------------------------------------------------- pieces


def contents(game: ir.Game, target: Target) -> Expr:
    """The pieces in an instance of a place."""
    place = game.places[target.place]
    return ir.PlaceRead(SetOf(place.holds, place.order is PlaceOrder.ROW), target.place, target.indices)


def cargo_of(game: ir.Game, step: ir.Move) -> Expr:
    """What a step moves, as a set."""
    if step.whole is not None:
        return contents(game, step.whole)
    assert step.cargo is not None
    match step.cargo.type:
        case SetOf():
            return step.cargo
        case types.Optional(of):
            return ir.Select(SetOf(of), Binder(Variable("piece", of), step.cargo))
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Map() | types.Never() | types.Fraction()
        ):  # fmt: skip
            return ir.Apply(SetOf(step.cargo.type), Op.SET, (step.cargo,))
        case _:
            assert_never(step.cargo.type)


def is_filled(members: Expr) -> Expr:
    assert isinstance(members.type, SetOf)
    binder = Binder(Variable("member", members.type.of), members)
    return ir.Fold(BOOL, FoldKind.SOME, (binder,), Const(BOOL, True))


def _move(owed: Definedness, step: ir.Move) -> Iterator[Obligation]:
    game = owed.game
    cargo = cargo_of(game, step)
    moves: list[Expr] = []
    if step.whole is not None:
        yield from instance(owed, step.whole)
    else:
        assert step.cargo is not None
        yield from owed.of(step.cargo)
    yield from instance(owed, step.target)
    spot: Obligations = () if step.at is None else owed.of(step.at)
    if step.whole is not None and step.whole.place == step.target.place:
        moves.append(negated(_is_same(step.whole, step.target)))
        yield from under(moves[0], spot)
    else:
        yield from spot
    is_one = step.cargo is not None and isinstance(step.cargo.type, types.Pieces)
    if not is_one:
        moves.append(is_filled(cargo))
    parted = isinstance(cargo.type, SetOf) and cargo.type.ordered
    there = contents(game, step.target)
    rest = there if step.whole is not None else ir.Apply(there.type, Op.DIFFERENCE, (there, cargo))
    more = cargo if step.whole is not None else ir.Apply(cargo.type, Op.DIFFERENCE, (cargo, there))
    found = (
        *_fitting(owed, cargo, step.target),
        *_spots(owed, step.put, step.at, step.target, size(rest), parted),
        *_room(owed, step.target, _sum(size(there), size(more))),
    )
    yield from under(both(moves), found) if moves else found


def _move_some(owed: Definedness, step: ir.MoveSome) -> Iterator[Obligation]:
    game = owed.game
    yield from instance(owed, step.origin)
    held = some_kind(game, step)
    amount = step.amount
    if amount is not None:
        yield from owed.of(amount)
        if not step.up_to:
            yield Obligation(at_most(amount, size(held)), TOO_FEW)
    moves = [is_filled(held)]
    if amount is not None and not (isinstance(amount.type, Int) and amount.type.low > 0):
        moves.insert(0, at_most(number(1), amount))
    if amount is not None and not step.up_to:
        del moves[1:]  # so many are there
    found = [*owed.of(step.at)] if step.at is not None else []
    found += instance(owed, step.target)
    fitting = tuple(_fitting(owed, held, step.target))
    found += fitting if amount is None else perhaps(fitting)
    count = size(held) if amount is None else _least(amount, size(held)) if step.up_to else amount
    there = contents(game, step.target)
    if step.origin.place == step.target.place:
        same = _is_same(step.origin, step.target)
        within = (
            *_spots(owed, step.put, step.at, step.target, _difference(size(there), count), False),
            *_room(owed, step.target, size(there)),
        )
        found += under(same, within)
        beyond = (
            *_spots(owed, step.put, step.at, step.target, size(there), False),
            *_room(owed, step.target, _sum(size(there), count)),
        )
        found += under(negated(same), beyond)
    else:
        found += _spots(owed, step.put, step.at, step.target, size(there), False)
        found += _room(owed, step.target, _sum(size(there), count))
    yield from under(both(moves), found) if moves else found


def some_kind(game: ir.Game, step: ir.MoveSome) -> Expr:
    """The pieces of the kind that are there."""
    held = contents(game, step.origin)
    assert isinstance(held.type, SetOf)
    if lies_within(held.type.of, step.kind):
        return held
    piece = Variable("piece", held.type.of)
    kind = Const(SetOf(step.kind), step.kind.members)
    return ir.Select(held.type, Binder(piece, held, is_in(Local(piece), kind)))


def _fitting(owed: Definedness, cargo: Expr, target: Target) -> Iterator[Obligation]:
    """That the pieces can lie there."""
    assert isinstance(cargo.type, SetOf)
    piece = Variable("piece", cargo.type.of)
    test = is_of(Local(piece), owed.game.places[target.place].holds)
    if test is not None:
        yield from over(Binder(piece, cargo), [Obligation(test, FOREIGN)])


def _spots(
    owed: Definedness, put: Put, at: Expr | None, target: Target, others: Expr, parted: bool
) -> Iterator[Obligation]:
    """That a row has such a spot, where so many others lie in it. `parted`: pieces come one after the other."""
    if put is not Put.AT or at is None or owed.game.places[target.place].order is not PlaceOrder.ROW:
        return
    yield Obligation(at_most(number(1), at), NO_SPOT)
    last = Obligation(at_most(at, _sum(others, number(1))), NO_SPOT)
    yield from perhaps([last]) if parted else [last]


def _room(owed: Definedness, target: Target, held: Expr) -> Iterator[Obligation]:
    """That a place has room for so many pieces. How many it may hold is looked at when they have come; that it reads
    something that has changed with them is not ruled out, unless it reads no pieces and no state that they lose."""
    place = owed.game.places[target.place]
    if place.capacity is None:
        return
    if isinstance(place.capacity, Const) and place.capacity.value == len(owed.game.pieces):
        return
    values = dict(zip(place.index, target.indices, strict=True))
    found = [*owed.of(place.capacity), Obligation(at_most(held, place.capacity), FULL)]
    if reads_pieces(owed.game, place.capacity):
        yield Obligation(Const(BOOL, False), FULL, certain=False)
    else:
        yield from given_values(values, found)


def reads_pieces(game: ir.Game, expr: Expr, seen: tuple[str, ...] = ()) -> bool:
    """Whether an expression may have another value after pieces have moved."""
    for node in expressions(expr):
        match node:
            case ir.PlaceRead() | ir.Everywhere() | ir.WhereIs() | ir.Can() | ir.Old() | ir.Odds() | ir.Asked():
                return True
            case ir.StateRead(_, state) if game.states[state].while_in is not None:
                return True
            case ir.Apply(_, op) if op.reads_position:
                return True
            case ir.Call(_, name) if name not in seen:
                if reads_pieces(game, game.functions[name].body, (*seen, name)):
                    return True
            case (
                ir.Const() | ir.Local() | ir.StateRead() | ir.Lookup() | ir.Apply() | ir.Call() | ir.If() | ir.Switch()
                | ir.LetIn() | ir.Fold() | ir.Select() | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Ways()
                | ir.Openly()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
    return False


def _is_same(one: Target, other: Target) -> Expr:
    """Whether two instances of a place are one."""
    return both(equal(a, b) for a, b in zip(one.indices, other.indices, strict=True))


def _sum(a: Expr, b: Expr) -> Expr:
    return ir.Apply(Int(0, 10**6), Op.ADD, (a, b))


def _difference(a: Expr, b: Expr) -> Expr:
    return ir.Apply(Int(0, 10**6), Op.SUBTRACT, (a, b))


def _least(a: Expr, b: Expr) -> Expr:
    return ir.Apply(Int(0, 10**6), Op.MIN, (a, b))
