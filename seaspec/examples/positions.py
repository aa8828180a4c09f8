"""Positions from the `given` of an example: what is named goes where it is said, the rest stays where it is at first.

Pieces that are only described ("4 Coin") are any of their kind that are not used elsewhere: a matching finds them.
Places of which only the size is given are filled last, with whatever they can hold and nothing else needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import contents
from seaspec.backends.interpreter.why import evaluate
from seaspec.core import ir, types
from seaspec.core.ir import BOX, Expr, FoldKind, PlaceOrder, Target, Variable
from seaspec.core.ops import Op
from seaspec.core.show import show_expr, show_value
from seaspec.core.types import Value

Env = dict[Variable, Value]


class GivenError(Exception):
    """What is given can not be: the example is at fault."""


@dataclass(slots=True)
class _Wish:
    """A piece that is wanted: one of the candidates, in a place (a slot) or under a name."""

    candidates: Sequence[int]
    slot: int | None = None
    name: Variable | None = None


@dataclass(slots=True)
class _Plan:
    """What the facts ask for."""

    wishes: list[_Wish] = field(default_factory=list)
    exact: set[int] = field(default_factory=set)
    sizes: list[tuple[int, Op, int]] = field(default_factory=list)
    states: list[tuple[ir.GivenState, Env]] = field(default_factory=list)
    """Set when the pieces lie where they are given, in order: what they say may speak of that."""
    tests: list[tuple[Expr, Env]] = field(default_factory=list)


def tuples(machine: Machine, binders: Sequence[ir.Binder], env: Env | None = None) -> Iterator[Env]:
    """All ways to bind the names of a `for any`."""
    env = env or {}
    if not binders:
        yield env
        return
    look = machine.program.constants
    first, *rest = binders
    for member in members(machine, look, first.domain, env):
        inner = {**env, first.variable: member}
        if first.test is None or evaluate(machine, look, first.test, inner):
            yield from tuples(machine, rest, inner)


def members(machine: Machine, look: Look, domain: Expr, env: Env) -> tuple[Value, ...]:
    """The members of a domain: a set, or an optional value."""
    found: Any = evaluate(machine, look, domain, env)
    if isinstance(domain.type, types.SetOf):
        return tuple(found)
    return () if found is None else (found,)


def build(machine: Machine, example: ir.Example, env: Env, random: Random | None = None) -> tuple[Look, Env]:
    """The position that an example gives, and the names with those of its pieces.

    `random`: how places of a given size are filled (without: with the first pieces that will do).
    """
    look = machine.first_look()
    plan = _Plan()
    env = dict(env)
    for variable, meant in example.lets:
        if isinstance(meant, ir.SomePieces):
            plan.wishes.append(_Wish(_candidates(machine, look, meant, env), name=variable))
    named = list(zip(plan.wishes, _matched(plan.wishes, machine.game.pieces), strict=True))
    env |= {wish.name: piece for wish, piece in named if wish.name is not None}
    for variable, meant in example.lets:
        if not isinstance(meant, ir.SomePieces):
            env[variable] = evaluate(machine, look, meant, env)
    plan.wishes = [_Wish((piece,), name=wish.name) for wish, piece in named]
    for fact in example.given:
        _ask(machine, look, plan, fact, env)
    _lay(machine, look, plan)
    _fill(machine, look, plan, random)
    for state, inner in plan.states:
        _set(machine, look, state, inner)
    for test, inner in plan.tests:
        if not evaluate(machine, look, test, inner):
            raise GivenError(f"this does not hold as it stands: {show_expr(test, machine.game)}")
    return look, env


def _ask(machine: Machine, look: Look, plan: _Plan, fact: ir.GivenFact, env: Env) -> None:
    match fact:
        case ir.GivenPlace(target, inside):
            slot = _slot(machine, look, target, env)
            plan.exact.add(slot)
            for item in inside:
                if isinstance(item, ir.SomePieces):
                    candidates = _candidates(machine, look, item, env)
                    plan.wishes.extend(_Wish(candidates, slot) for _ in range(item.number))
                else:
                    plan.wishes.extend(_Wish(found, slot) for found in _described(machine, look, item, env))
        case ir.GivenSize(target, op, number):
            plan.sizes.append((_slot(machine, look, target, env), op, int(evaluate(machine, look, number, env))))
        case ir.GivenState():
            plan.states.append((fact, env))
        case ir.GivenWhere(piece, target):
            slot = _slot(machine, look, target, env)
            plan.wishes.extend(_Wish(found, slot) for found in _described(machine, look, piece, env))
        case ir.GivenTest(test):
            _make_true(machine, look, plan, test, env)
        case _:
            assert_never(fact)


def _make_true(machine: Machine, look: Look, plan: _Plan, test: Expr, env: Env) -> None:
    """A condition that says what lies where is laid so (`every c in Water: afloat[c] = ..`); others are only tested."""
    match test:
        case ir.Apply(_, Op.AND, arguments):
            for argument in arguments:
                _make_true(machine, look, plan, argument, env)
        case ir.Fold(_, FoldKind.EVERY, binders, body):
            for inner in _bound(machine, look, binders, env):
                _make_true(machine, look, plan, body, inner)
        case ir.Apply(_, Op.EQUAL, (left, right)) if isinstance(_bare(left), ir.PlaceRead):
            place = _bare(left)
            assert isinstance(place, ir.PlaceRead)
            _ask(machine, look, plan, ir.GivenPlace(Target(place.place, place.indices), (right,)), env)
        case ir.Apply(_, Op.EQUAL, (ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place, indices),)), number)):
            _ask(machine, look, plan, ir.GivenSize(Target(place, indices), Op.EQUAL, number), env)
        case ir.Apply(_, Op.EQUAL, (ir.StateRead(_, state, indices), value)):
            _ask(machine, look, plan, ir.GivenState(state, indices, value), env)
        case ir.Apply(_, Op.IN, (piece, ir.PlaceRead(_, place, indices))):
            _ask(machine, look, plan, ir.GivenWhere(piece, Target(place, indices)), env)
        case ir.StateRead(_, state, indices):
            _ask(machine, look, plan, ir.GivenState(state, indices, ir.Const(types.Bool(), True)), env)
        case ir.Apply(_, Op.NOT, (ir.StateRead(_, state, indices),)):
            _ask(machine, look, plan, ir.GivenState(state, indices, ir.Const(types.Bool(), False)), env)
        case _:  # cautious: it is tested of the position as it stands
            plan.tests.append((test, env))


def _set(machine: Machine, look: Look, fact: ir.GivenState, env: Env) -> None:
    key = tuple(evaluate(machine, look, index, env) for index in fact.indices)
    slots = machine.layout.states[fact.state].slots
    if key not in slots:
        raise GivenError(f"there is no {fact.state} at this index")
    look.s[slots[key]] = evaluate(machine, look, fact.value, env)
    look.forget()


def _bare(expr: Expr) -> Expr:
    """The place in `field[c] = x`, where one piece is compared with one."""
    while isinstance(expr, ir.Apply) and expr.op in (Op.MAYBE, Op.ONLY, Op.KNOWN, Op.CHECK):
        expr = expr.arguments[0]
    return expr


def _bound(machine: Machine, look: Look, binders: Sequence[ir.Binder], env: Env) -> Iterator[Env]:
    if not binders:
        yield env
        return
    first, *rest = binders
    for member in members(machine, look, first.domain, env):
        inner = {**env, first.variable: member}
        if first.test is None or evaluate(machine, look, first.test, inner):
            yield from _bound(machine, look, rest, inner)


def _candidates(machine: Machine, look: Look, some: ir.SomePieces, env: Env) -> tuple[int, ...]:
    found: tuple[int, ...] = evaluate(machine, look, some.candidates, env)
    return found


def _described(machine: Machine, look: Look, item: Expr, env: Env) -> list[Sequence[int]]:
    """For each piece that is meant: the pieces it may be. A constant describes a kind, other expressions name some."""
    if isinstance(item, ir.Const) and isinstance(item.type, types.Pieces):
        return [item.type.members]
    found: Any = evaluate(machine, look, item, env)
    if isinstance(item.type, types.SetOf):
        return [(piece,) for piece in found]
    return [] if found is None else [(found,)]


def _slot(machine: Machine, look: Look, target: Target, env: Env) -> int:
    key = tuple(evaluate(machine, look, index, env) for index in target.indices)
    slots = machine.layout.places[target.place].slots
    if key not in slots:
        raise GivenError(f"there is no {target.place} at this index")
    return slots[key]


def _matched(wishes: Sequence[_Wish], pieces: Sequence[ir.Piece]) -> list[int]:
    """A piece for each wish, no piece twice: augmenting paths."""
    owner: dict[int, int] = {}

    def give(number: int, tried: set[int]) -> bool:
        for piece in wishes[number].candidates:
            if piece not in tried:
                tried.add(piece)
                if piece not in owner or give(owner[piece], tried):
                    owner[piece] = number
                    return True
        return False

    for number in range(len(wishes)):
        if not give(number, set()):
            raise GivenError(_too_many(wishes, wishes[number].candidates, pieces))
    found = {number: piece for piece, number in owner.items()}
    return [found[number] for number in range(len(wishes))]


def _too_many(wishes: Sequence[_Wish], candidates: Sequence[int], pieces: Sequence[ir.Piece]) -> str:
    if not candidates:
        return "there are no such pieces"
    wanted = sum(set(wish.candidates) <= set(candidates) for wish in wishes)
    title = pieces[candidates[0]].title
    if len(candidates) == 1:
        return f"{title} is given twice, and there is one"
    return f"{wanted} {title} are given in all, and there are {len(candidates)}"


def _lay(machine: Machine, look: Look, plan: _Plan) -> None:
    """Pieces that lie in an exactly given place and are not wanted there go to the box; then the wishes are laid."""
    chosen = _merged(plan.wishes, machine.game.pieces)
    box = machine.layout.places[BOX].base
    for slot in plan.exact:
        for piece in contents(machine.effects.order[slot], look.s[slot]):
            _put(machine, look, (piece,), box)
    piles: dict[int, list[int]] = {}
    for piece, slot in chosen:
        if machine.effects.order[slot] is PlaceOrder.PILE:
            piles.setdefault(slot, []).append(piece)
        else:
            _put(machine, look, (piece,), slot)
    for slot, pieces in piles.items():
        _put(machine, look, tuple(pieces), slot)


def _merged(wishes: Sequence[_Wish], pieces: Sequence[ir.Piece]) -> list[tuple[int, int]]:
    """Which piece goes where. A piece that has a name and a place is one wish."""
    names = {wish.candidates[0] for wish in wishes if wish.name is not None}
    placed = [wish for wish in wishes if wish.slot is not None]
    fixed = {wish.candidates[0] for wish in placed if len(wish.candidates) == 1}
    taken = names - fixed
    for wish in placed:
        if len(wish.candidates) > 1:
            wish.candidates = [piece for piece in wish.candidates if piece not in taken]
    found = zip(placed, _matched(placed, pieces), strict=True)
    return [(piece, wish.slot) for wish, piece in found if wish.slot is not None]


def _put(machine: Machine, look: Look, pieces: tuple[int, ...], slot: int) -> None:
    try:
        machine.effects.move(look, pieces, slot)
    except RuleError as error:
        raise GivenError(error.message) from error


def _fill(machine: Machine, look: Look, plan: _Plan, random: Random | None) -> None:
    """Sizes: with pieces that are where they are at first, and stand in no other `given`."""
    used = {piece for slot in plan.exact for piece in contents(machine.effects.order[slot], look.s[slot])}
    used |= {piece for wish in plan.wishes for piece in wish.candidates if len(wish.candidates) == 1}
    free = [p.id for p in machine.game.pieces if p.id not in used and look.w[p.id] == _home(machine, p)]
    if random is not None:
        random.shuffle(free)
    for slot, op, number in plan.sizes:
        here = len(contents(machine.effects.order[slot], look.s[slot]))
        if here > number and op is not Op.AT_LEAST:
            raise GivenError(f"{machine.effects.slot_name(slot)} holds {here} already, not {number}")
        if op is Op.AT_MOST or here >= number:
            continue
        holds = machine.effects.holds[machine.layout.place_of[slot][0].name]
        fitting = [piece for piece in free if piece in holds and look.w[piece] != slot][: number - here]
        if len(fitting) < number - here:
            raise GivenError(f"there are not enough pieces for {machine.effects.slot_name(slot)}")
        _put(machine, look, tuple(fitting), slot)
        free = [piece for piece in free if piece not in fitting]


def _home(machine: Machine, piece: ir.Piece) -> int:
    return machine.layout.places[piece.home].base


def shown(env: Mapping[Variable, Value], machine: Machine) -> str:
    """The names of a run and what they stand for: `a = B1, b = C1`."""
    return ", ".join(f"{v.name} = {show_value(value, v.type, machine.game)}" for v, value in env.items())
