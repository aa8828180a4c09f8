"""Binders: `{x in S where P}`, `every` and `some`, and going through the members of sets.

Small sets are written out; over large ones it is quantified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from seaspec.backends.symbolic.logic.formulas import exists, forall
from seaspec.backends.symbolic.logic.terms import NO, YES, Term, and_, at_most, bound, implies, ite, number, or_
from seaspec.backends.symbolic.values.sets import Listed, Set, Value, Where, ascending
from seaspec.backends.symbolic.values.world import plain
from seaspec.core import ir
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Binder, Expr, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables

if TYPE_CHECKING:
    from seaspec.backends.symbolic.read.expressions import Reader


def selected(reader: Reader, binder: Binder) -> Set:
    """`{x in S where P}`"""
    members = reader.set(binder.domain)
    if binder.test is None:
        return members
    if binder.prefix:
        return prefix(reader, binder, members)
    test = binder.test
    if isinstance(members, Listed):
        items = []
        for there, value in members.items:
            holds = and_(there, test_at(reader, binder.variable, value, test))
            if holds is not NO:
                items.append((holds, value))
        return Listed(members.of, tuple(items), members.ordered)
    return _filtered(reader, members, binder.variable, test)


def _filtered(reader: Reader, members: Where, variable: Variable, test: Expr) -> Where:
    """Those for which a test holds."""
    later = reader.with_values({})

    def holds(value: Term) -> Term:
        return and_(members.test(value), test_at(later, variable, value, test))

    if members.wide:
        if members.counted is None:  # whether it can be read is found out now; else counting does
            for_all_members(reader, members, lambda value: test_at(reader, variable, value, test))
        counted = None if members.counted is None else _counts(reader, members, variable, test, later)
        return replace(members, test=holds, counted=counted)
    known: dict[int, Term] = {}
    for there, value in members.items:
        assert isinstance(value, Term)
        known[value.value] = and_(there, test_at(reader, variable, value, test))
    counted = None if members.counted is None else _counts(reader, members, variable, test, later)
    kept = tuple(member for member, there in known.items() if there is not NO)
    return replace(
        members,
        members=kept,
        test=lambda value: known[value.value] if value.is_const and value.value in known else holds(value),
        counted=counted,
    )


def _counts(
    reader: Reader, members: Where, variable: Variable, test: Expr, later: Reader
) -> Callable[[], tuple[Term, ...]] | None:
    """How many of each sort are left, if the test says the same of all pieces of a sort."""
    before = members.counted
    assert before is not None
    answers: list[Term] = []
    lying = set(members.members)
    for sort in reader.world.sorts:
        held = [piece for piece in sort if piece in lying]
        if not held:
            answers.append(NO)
            continue
        one = bound(held[0], held[-1])
        answer = test_at(later, variable, one, test)
        if one in answer.open or held != list(range(held[0], held[-1] + 1)):
            return None
        answers.append(answer)
    return lambda: tuple(ite(a, n, number(0)) for a, n in zip(answers, before(), strict=True))


def _few_of(reader: Reader, binder: Binder, members: Where) -> Where | None:
    """The members for which the test of a binder holds, if it reads no position and they are few; else None."""
    if binder.test is None or members.counted is not None:
        return None
    known: dict[Variable, object] = {}
    for variable in free_variables(binder.test):
        value = reader.env.get(variable, reader.position.frame.get(variable))
        if variable is not binder.variable:
            if not isinstance(value, Term) or not value.is_const:
                return None
            known[variable] = plain(value.value, variable.type)
    key = ("few", id(binder.test), members.members, *known.values())
    if key not in reader.world.evaluated:
        reader.world.kept.append(binder.test)
        kept: list[int] = []
        try:
            for member in members.members:
                env = {**known, binder.variable: plain(member, binder.variable.type)}
                if evaluate(binder.test, reader.game.tables, reader.game.functions, env):
                    kept.append(member)
        except NotConstant:
            reader.world.evaluated[key] = None
        else:
            reader.world.evaluated[key] = None if reader.world.wide(len(kept)) else (tuple(kept),)
    found = reader.world.evaluated[key]
    if found is None:
        return None
    (few,) = found
    assert isinstance(few, tuple)
    return replace(members, members=few, wide=False)


def prefix(reader: Reader, binder: Binder, members: Set) -> Listed:
    assert binder.test is not None
    running, items = YES, []
    for there, value in ascending(members):
        holds = test_at(reader, binder.variable, value, binder.test)
        items.append((and_(there, running, holds), value))
        running = and_(running, implies(there, holds))
    return Listed(members.of, tuple((there, value) for there, value in items if there is not NO), ordered=True)


def test_at(reader: Reader, variable: Variable, value: Value, expr: Expr) -> Term:
    reader.env[variable] = value
    return reader.test(expr)


def for_all_members(reader: Reader, members: Where, read: Callable[[Term], Term]) -> tuple[Term, Term, Term]:
    """Read something at any member: the name it has, that it is one, what was read."""
    name = bound(members.members[0], members.members[-1]) if members.members else bound(0, 0)
    is_member = members.member(name) if members.members else NO
    return name, is_member, read(name)


def quantified(reader: Reader, binders: Sequence[Binder], body: Expr, every: bool) -> Term:
    """`every` or `some` over the binders."""
    if not binders:
        return reader.test(body)
    binder, rest = binders[0], binders[1:]
    match binder.domain, body:
        case ir.Select(ty, among), ir.Const(_, True) if not (every or rest or binder.test):
            binder = replace(binder, domain=ir.Select(ty, among))  # there is a best one if there is any
        case ir.Apply(_, Op.RANGE, (low, high)), ir.Const(_, True) if not (every or rest or binder.test):
            return at_most(reader.number(low), reader.number(high))
        case _:  # cautious: member by member, below
            pass
    members = reader.set(binder.domain)
    if isinstance(members, Where) and members.wide and not binder.prefix:
        few = _few_of(reader, binder, members)
        if few is not None:
            members, binder = few, replace(binder, test=None)
    if isinstance(members, Where) and members.wide and not binder.prefix:

        def read(value: Term) -> Term:
            reader.env[binder.variable] = value
            tested = YES if binder.test is None else reader.test(binder.test)
            inner = quantified(reader, rest, body, every)
            return implies(tested, inner) if every else and_(tested, inner)

        name, is_member, found = for_all_members(reader, members, read)
        return forall((name,), implies(is_member, found)) if every else exists((name,), and_(is_member, found))
    parts: list[Term] = []
    items = prefix(reader, binder, members).items if binder.prefix else members.items
    for there, value in items:
        reader.env[binder.variable] = value
        tested = YES if binder.test is None or binder.prefix else reader.test(binder.test)
        inner = quantified(reader, rest, body, every)
        holds = and_(there, tested)
        parts.append(implies(holds, inner) if every else and_(holds, inner))
        if parts[-1] is (NO if every else YES):
            break
    return and_(*parts) if every else or_(*parts)


def each(reader: Reader, binders: Sequence[Binder], when: Term, then: Callable[[Term], None]) -> None:
    """Go through all members, written out; `then` is told the condition under which they are members."""
    if not binders:
        then(when)
        return
    binder, rest = binders[0], binders[1:]
    members = reader.set(binder.domain)
    items = prefix(reader, binder, members).items if binder.prefix else members.items
    for there, value in items:
        here = and_(when, there)
        reader.env[binder.variable] = value
        if binder.test is not None and not binder.prefix:
            here = and_(here, reader.test(binder.test))
        if here is not NO:
            each(reader, rest, here, then)
