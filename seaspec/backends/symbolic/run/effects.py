"""The steps of the flow graph: what each does to a run. Most leave one run; some part the way, and leave several."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from seaspec.analysis.bounds import narrowed
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Term,
    add,
    and_,
    at_most,
    eq,
    implies,
    ite,
    least,
    less,
    most,
    not_,
    number,
    or_,
    variable,
)
from seaspec.backends.symbolic.read.binders import selected
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.run.anything import change_somehow, forget_somehow
from seaspec.backends.symbolic.run.firsts import first_values
from seaspec.backends.symbolic.run.moving import moved_by
from seaspec.backends.symbolic.run.offers import some_member, some_subset
from seaspec.backends.symbolic.run.runs import Run, some_of
from seaspec.backends.symbolic.seats import names_players
from seaspec.backends.symbolic.values.places import of_kind
from seaspec.backends.symbolic.values.position import Args, Family
from seaspec.backends.symbolic.values.sets import NONE, Listed, Set, Value, Where, among, as_where, ascending, choose
from seaspec.backends.symbolic.values.world import World, numbers_of, plain
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder, Variable
from seaspec.core.walk import children, free_variables, rewrite

MOST_ORDERS = 8
"""So many ways to begin an order are told apart, no more."""
MOST_SUMMED = 100
"""So many pieces are counted one by one, where a part of what lies somewhere is moved."""


def do(run: Run, step: flow.Step) -> list[Run]:
    """Take a step. Where it has no encoding, anything may come of it."""
    # cautious: what is left out is forgotten; any other step is taken, or anything may come of it
    if isinstance(step, ir.Assign) and not run.world.keeps_state(step.state):
        return [run]
    if isinstance(step, ir.Move | ir.MoveSome) and not run.world.keeps_places:
        forget_somehow(run, moved_by(run.world.game, step))
        return [run]
    if isinstance(step, flow.Set) and step.variable in run.world.idle:
        return [run]
    owed = run.world.owed_by_step(step)
    if owed:
        run.pass_by(run.reader(), owed, _source_of(step))
        if not run.possible:
            return [run]
    try:
        with run.world.briefly():
            return _do(run, step)
    except Unsupported:
        run.world.hurry()
        change_somehow(run, step)
        return [run]


def _source_of(step: flow.Step) -> ir.Source:
    found = getattr(step, "source", None)
    return found if isinstance(found, ir.Source) else ir.Source()


def _do(run: Run, step: flow.Step) -> list[Run]:
    match step:
        case flow.Set(variable, ir.PickOne(_, True, binder, None)) if _is_scrambled(run, binder):
            return _whichever(run, variable, binder)
        case flow.Set(variable, value):
            run.position = run.position.with_frame({variable: run.reader().value(value)})
        case flow.Take():
            return _take(run, step)
        case flow.Pop():
            return _pop(run, step)
        case flow.Begin(procedure):
            run.mark(procedure, ends=False)
        case flow.Finish(procedure):
            run.mark(procedure, ends=True)
        case flow.Reset(states):
            for state in filter(run.world.keeps_state, states):
                run.position = run.position.with_state(state, first_values(run.world, state))
        case flow.Judge() | flow.Require() | flow.Veil() | ir.Say() | ir.Show():
            pass
        case ir.Assign():
            _assign(run, step)
        case ir.Move():
            _move(run, step)
        case ir.MoveSome():
            _move_some(run, step)
        case ir.Shuffle():
            pass
        case ir.DropOut(player):
            seat = run.reader().number(player)
            out = tuple(or_(old, eq(seat, number(q))) for q, old in enumerate(run.position.out))
            run.position = replace(run.position, out=out)
        case _:
            assert_never(step)
    return [run]


def _is_scrambled(run: Run, binder: ir.Binder) -> bool:
    """Whether it is not known which member comes first."""
    members = selected(run.reader(), binder)
    return isinstance(members, Where) and members.scrambled


def _whichever(run: Run, variable: Variable, binder: ir.Binder) -> list[Run]:
    """The first member, where any may be the first."""
    members = selected(run.reader(), binder)
    run.exact = False
    if not run.possible:
        return [run]
    found = []
    for value, after in some_member(run, members, variable.name):
        after.position = after.position.with_frame({variable: value})
        found.append(after)
    return found


def known_or_any(run: Run, expr: ir.Expr, source: ir.Source) -> Value:
    """The value of an expression; where it has no encoding, any value of its type, and whether it has one is open."""
    try:
        return run.reader().value(expr)
    except Unsupported as unknown:
        run.exact = False
        run.owe(NO, f"not known: {unknown.what}", source, exact=False)
        return run.world.free("any", narrowed(run.world.game, expr), run.told)


# -------------------------------------------------------------------------------------------------------------- states


def _assign(run: Run, step: ir.Assign) -> None:
    world = run.world
    state = world.game.states[step.state]
    reader = run.reader()
    args = reader.indices(step.indices)
    value = known_or_any(run, step.value, step.source)
    if isinstance(value, Term) and isinstance(state.type, types.Int):
        low, high = number(state.type.low), number(state.type.high)
        if state.bound is not None:
            reader.env.update(zip(state.index, args, strict=True))
            low, high = (reader.number(bound) for bound in state.bound)
        run.assume(at_most(low, value), at_most(value, high))  # whatever the value is: it is looked at
        run.fails |= not run.possible
    if state.until is not None and state.until in world.graph.routines and run.within is None:
        if world.graph.routines[state.until].back not in run.position.frame:
            run.owe(NO, f"{step.state} is set while {state.until} does not run", step.source)
    family = run.position.states[step.state].write(args, value)
    run.position = run.position.with_state(step.state, family)


# -------------------------------------------------------------------------------------------------------------- pieces


def _move(run: Run, step: ir.Move) -> None:
    reader = run.reader()
    args = reader.indices(step.target.indices)
    cargo: Set | Term
    if step.whole is not None:
        cargo = reader.position.places.pieces_in(step.whole.place, reader.indices(step.whole.indices), YES)
    else:
        assert step.cargo is not None
        single = isinstance(step.cargo.type, types.Pieces)
        cargo = reader.number(step.cargo) if single else reader.set(step.cargo)
    lay(run, cargo, step.target.place, args, step.source)


def lay(run: Run, cargo: Set | Term, place: str, args: Args, source: ir.Source) -> None:
    """Pieces go to an instance of a place. Whatever has come there can lie there, and there was room for it."""
    world = run.world
    moves = YES if isinstance(cargo, Term) else cargo.filled
    _forget(run, cargo, place)
    held = world.game.places[place].holds.members
    full = f"{place} is full"
    if isinstance(cargo, Where):
        cargo = _numbered(run, cargo)
    if isinstance(cargo, Term):
        run.owe(among(cargo, held), f"a piece can not lie in {place}", source)
        cargo = Listed(world.game.places[place].holds, ((YES, cargo),))
    elif isinstance(cargo, Where) and not set(cargo.members) <= set(held):
        foreign = replace(cargo, members=tuple(sorted(set(cargo.members) - set(held))), counted=None)
        run.owe(not_(foreign.filled), f"a piece can not lie in {place}", source)
    if place in run.position.places.holder and isinstance(cargo, Listed):
        for there, piece in cargo.items:
            assert isinstance(piece, Term)
            lies = run.position.places.holding(place, args)
            run.owe(implies(there, or_(eq(lies, NONE), eq(lies, piece))), full, source)
            one: Set | Term = piece if there is YES else Listed(cargo.of, ((there, piece),))
            run.position = replace(run.position, places=run.position.places.moved(one, place, args))
        return
    if isinstance(cargo, Listed) and len(cargo.items) == 1 and cargo.items[0][0] is YES:
        (_, piece) = cargo.items[0]
        assert isinstance(piece, Term)
        run.position = replace(run.position, places=run.position.places.moved(piece, place, args))
    else:
        run.position = replace(run.position, places=run.position.places.moved(cargo, place, args))
    capacity = world.game.places[place].capacity
    if capacity is not None:
        reader = run.reader()
        reader.env.update(zip(world.game.places[place].index, args, strict=True))
        size = run.position.places.pieces_in(place, args, YES).size
        run.owe(implies(moves, at_most(size, reader.number(capacity))), full, source)


def _numbered(run: Run, cargo: Where) -> Where:
    """Many pieces from one instance, of which it is not known how many they are of each sort: now that has a name."""
    there = cargo.inside
    if not (cargo.wide and cargo.counted is None and there is not None and run.position.places.is_still(there)):
        return cargo
    numbers: list[Term] = []
    for sort, held in zip(run.world.sorts, run.position.places.numbers(there.place, there.args), strict=True):
        few = tuple(member for member in cargo.members if member in sort)
        taken = number(0)
        if few:
            taken = variable(run.world.name("taken"), 0, len(few))
            run.assume(at_most(taken, held))
            if len(few) <= MOST_SUMMED:
                run.assume(eq(taken, replace(cargo, members=few, counted=None).size))
        numbers.append(taken)
    return replace(cargo, counted=lambda: tuple(numbers))


def _forget(run: Run, cargo: Set | Term, place: str) -> None:
    """`while in`: what is forgotten about pieces that leave a place."""
    places = run.position.places
    for name, state in run.world.game.states.items():
        if state.while_in is None or state.while_in == place or not run.world.keeps_state(name):
            continue
        first = first_values(run.world, name)
        home = state.while_in

        def new(at: Args, old: Value, first: Family = first, home: str = home) -> Value:
            goes = eq(at[0], cargo) if isinstance(cargo, Term) else cargo.member(at[0])
            return choose(and_(goes, places.lies_anywhere_in(at[0], home)), first.read(at), old)

        run.position = run.position.with_state(name, run.position.states[name].change(new))


def _move_some(run: Run, step: ir.MoveSome) -> None:
    world = run.world
    reader = run.reader()
    origin = reader.indices(step.origin.indices)
    args = reader.indices(step.target.indices)
    wanted = None if step.amount is None else _amount(run, reader, step.amount)
    inside = world.is_inside(world.places[step.origin.place], origin)
    members = of_kind(world, run.position.places.pieces_in(step.origin.place, origin, inside), step.kind.members)
    if wanted is None:
        lay(run, members, step.target.place, args, step.source)
        return
    if step.up_to:
        wanted = least(wanted, members.size)
    else:
        run.assume(at_most(wanted, members.size))  # however many they are: so many are there
        run.fails |= not run.possible
    if isinstance(members, Where) and step.target.place in run.position.places.holder and wanted.high == 1:
        lay(run, _some_one(run, members, wanted), step.target.place, args, step.source)
        return
    if isinstance(members, Where) and (members.wide or members.scrambled or _is_pile(world, step.origin.place)):
        run.exact = False
        moved: Set = some_subset(run, members, "moved")
        run.assume(eq(moved.size, wanted))
    else:
        items, before = [], number(0)
        for there, piece in members.items:
            items.append((and_(there, less(before, wanted)), piece))
            before = add(before, ite(there, number(1), number(0)))
        moved = Listed(members.of, tuple(item for item in items if item[0] is not NO))
        if isinstance(members, Where) and members.counted is not None:
            counted = members.counted()
            if sum(1 for held in counted if held is not number(0)) == 1:
                shares = tuple(held if held is number(0) else wanted for held in counted)
                moved = replace(members, test=moved.member, counted=lambda: shares)
    lay(run, moved, step.target.place, args, step.source)


def _some_one(run: Run, members: Where, wanted: Term) -> Listed:
    """Some member, if one is wanted: whichever."""
    run.exact = False
    there = eq(wanted, number(1))
    if not members.members:
        return Listed(members.of, ())
    one = variable(run.world.name("one"), members.members[0], members.members[-1])
    run.assume(implies(there, members.member(one)))
    if there is YES and members.inside is not None and run.position.places.is_still(members.inside):
        places, told = run.position.places.learnt(one, members.inside.place, members.inside.args)
        run.position = replace(run.position, places=places)
        run.assume(*told)
    return Listed(members.of, ((there, one),), inside=members.inside)


def _amount(run: Run, reader: Reader, amount: ir.Expr) -> Term:
    """How many are meant; any number, if that has no encoding."""
    try:
        return most(number(0), reader.number(amount))
    except Unsupported:
        run.exact = False
        return variable(run.world.name("amount"), 0, len(run.world.game.pieces))


def _is_pile(world: World, place: str) -> bool:
    return world.game.places[place].order is PlaceOrder.PILE


# --------------------------------------------------------------------------------------------------------------- loops


def _take(run: Run, step: flow.Take) -> list[Run]:
    reader = run.reader()
    members = reader.set(step.domain)
    of = step.variable.type
    assert isinstance(of, types.SetOf)
    if step.variable in run.world.cuts.rounds:
        run.exact = False
        rest = replace(as_where(members), scrambled=True)
        run.position = run.position.with_frame({step.variable: rest})
        return [run]
    if step.key is None and run.turned and names_players(of):
        return _from_any_seat(run, members, step)
    if step.key is None and isinstance(members, Where) and members.scrambled:
        run.exact = False  # any member may come next: the order is not known
        size = members.size.high if members.counted is not None else None
        rest = replace(members, counted=None, inside=None, most=len(members.members) if size is None else size)
        run.position = run.position.with_frame({step.variable: rest})
        return [run]
    if step.key is None:
        run.position = run.position.with_frame({step.variable: Listed(of.of, ascending(members), ordered=True)})
        return [run]
    member, key = step.key
    free = _unknown_part(key, member)
    if free is None or free.type is None:
        return [_sorted_by(run, members, step, key)]
    start = reader.number(free)
    if start.is_const:
        return [_sorted_by(run, members, step, key)]
    if types.size(free.type) > MOST_ORDERS:
        raise Unsupported("an order that begins anywhere", step.source)
    found = []
    for value in numbers_of(free.type):
        after = run.fork().assume(eq(start, number(value)))
        if after.possible:
            constant = ir.Const(free.type, plain(value, free.type))
            found.append(_sorted_by(after, members, step, _with_part(key, free, constant)))
    return found


def _from_any_seat(run: Run, members: Set, step: flow.Take) -> list[Run]:
    """Players by their seats, where it is not known who has the first seat."""
    items = ascending(members)
    if not items:  # nobody is to come: the round is over before it begins
        run.position = run.position.with_frame({step.variable: Listed(members.of, (), ordered=True)})
        return [run]
    if any(not isinstance(member, Term) or not member.is_const for _, member in items):
        raise Unsupported("players in the order of their seats", step.source)
    found = []
    for first in range(max(1, len(items))):  # a round over nobody is none, and the game goes on
        after = run.fork()
        rest = Listed(members.of, (*items[first:], *items[:first]), ordered=True)
        after.position = after.position.with_frame({step.variable: rest})
        found.append(after)
    return found


def _next_player(run: Run, step: flow.Pop, rest: Where) -> list[tuple[Term, Run]]:
    """Whoever may be next in a round: where seats are alike, the first one stands for all."""
    found = []
    for seat in run.world.seats:
        after = run.fork().assume(rest.member(number(seat)))
        if after.possible:
            found.append((number(seat), after))
        if run.world.alike is not None and step.rest in run.world.cuts.rounds and not run.turned:
            after.turned = True
            break
    return found


def _pop_any(run: Run, step: flow.Pop, rest: Where) -> list[Run]:
    """Some member of a set whose order is not known, and the others."""
    found = []
    if names_players(rest.of):
        taken_runs: Iterable[tuple[Value, Run]] = _next_player(run, step, rest)
    else:
        taken_runs = some_member(run.fork(), rest, step.variable.name)
    for taken, after in taken_runs:
        assert isinstance(taken, Term)
        most_ = None if rest.most is None else rest.most - 1
        left = replace(rest, test=_without(rest, taken), most=most_)
        after.position = after.position.with_frame({step.variable: taken, step.rest: left})
        found.append(after)
    return found


def _without(members: Where, gone: Term) -> Callable[[Term], Term]:
    return lambda member: and_(members.test(member), not_(eq(member, gone)))


def _sorted_by(run: Run, members: Set, step: flow.Take, key: ir.Expr) -> Run:
    """The members in order of a key that is known for each."""
    assert step.key is not None
    member, _ = step.key
    keyed: list[tuple[int, Term, Value]] = []
    for there, value in ascending(members):
        reader = run.reader()
        reader.env[member] = value
        found = reader.number(key)
        if not found.is_const:
            raise Unsupported("an order that depends on the position", step.source)
        keyed.append((found.value, there, value))
    keyed.sort(key=lambda entry: entry[0])
    items = tuple((there, value) for _, there, value in keyed)
    run.position = run.position.with_frame({step.variable: Listed(members.of, items, ordered=True)})
    return run


def _unknown_part(key: ir.Expr, member: ir.Variable) -> ir.Expr | None:
    """The one largest part of a key that does not depend on the member, if it is no constant."""
    parts: list[ir.Expr] = []

    def look(expr: ir.Expr | ir.Binder) -> None:
        if isinstance(expr, ir.Const):
            return
        if not isinstance(expr, ir.Binder) and member not in free_variables(expr):
            parts.append(expr)
            return
        for inner in children(expr):
            look(inner)

    look(key)
    return parts[0] if len(parts) == 1 and not isinstance(parts[0].type, types.SetOf | types.Map) else None


def _with_part(key: ir.Expr, part: ir.Expr, constant: ir.Expr) -> ir.Expr:
    return rewrite(key, lambda node: constant if node is part else node)


def _pop(run: Run, step: flow.Pop) -> list[Run]:
    rest = run.position.frame.get(step.rest)
    if rest is None:
        raise Unsupported("who is still to come")
    assert isinstance(rest, Listed | Where)
    if isinstance(rest, Where) and rest.scrambled:
        return _pop_any(run, step, rest)
    items = ascending(rest)
    packed = isinstance(rest, Listed) and rest.packed
    found = []
    for place, after in some_of(run, [there for there, _ in items[: 1 if packed else None]]):
        left = Listed(rest.of, items[place + 1 :], ordered=True, packed=packed)
        after.position = after.position.with_frame({step.variable: items[place][1], step.rest: left})
        found.append(after)
    return found
