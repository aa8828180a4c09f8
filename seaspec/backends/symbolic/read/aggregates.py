"""What is made of many members: counts, sums, extremes, the one that is meant, what can be reached."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import exists, forall
from seaspec.backends.symbolic.logic.terms import (
    NO,
    YES,
    Function,
    Sort,
    Term,
    add,
    and_,
    at_most,
    bound,
    eq,
    implies,
    ite,
    less,
    not_,
    number,
    or_,
    variable,
)
from seaspec.backends.symbolic.read.binders import each, for_all_members, quantified, selected
from seaspec.backends.symbolic.values.sets import (
    NONE,
    Listed,
    Map,
    Set,
    Value,
    Where,
    as_where,
    ascending,
    choose,
    distinct,
)
from seaspec.backends.symbolic.values.world import numbers_of
from seaspec.core import ir, types
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op

if TYPE_CHECKING:
    from seaspec.backends.symbolic.read.expressions import Reader

MOST_REACHED = 40
"""Of more cells than this it is not worked out what can be reached."""


def fold(reader: Reader, expr: ir.Fold) -> Value:
    if expr.kind is FoldKind.EVERY:
        return quantified(reader, expr.binders, expr.body, every=True)
    if expr.kind is FoldKind.SOME:
        counted = _some_by_count(reader, expr)
        return quantified(reader, expr.binders, expr.body, every=False) if counted is None else counted
    if expr.kind is FoldKind.COUNT and len(expr.binders) == 1 and _is_yes(expr.body):
        return selected(reader, expr.binders[0]).size
    if expr.kind in (FoldKind.MOST, FoldKind.LEAST) and len(expr.binders) == 1:
        named = _named_extreme(reader, expr)
        if named is not None:
            return named
    terms: list[tuple[Term, Term]] = []

    def note(there: Term) -> None:
        found = reader.value(expr.body)
        assert isinstance(found, Term)
        terms.append((there, found))

    each(reader, expr.binders, YES, note)
    match expr.kind:
        case FoldKind.COUNT:
            return add(*(ite(and_(there, holds), number(1), number(0)) for there, holds in terms))
        case FoldKind.SUM:
            return add(*(ite(there, term, number(0)) for there, term in terms))
        case FoldKind.MOST | FoldKind.LEAST:
            return extreme(reader, expr, terms)
        case _:
            assert_never(expr.kind)


def _some_by_count(reader: Reader, expr: ir.Fold) -> Term | None:
    """`some Coin in S`, where numbers of pieces are known."""
    if len(expr.binders) != 1 or not reader.world.counted:
        return None
    binder = expr.binders[0]
    domain = reader.value(binder.domain)
    if not isinstance(domain, Where) or domain.counted is None:
        return None
    if not _is_yes(expr.body):
        test = expr.body if binder.test is None else ir.Apply(types.Bool(), Op.AND, (binder.test, expr.body))
        binder = replace(binder, test=test)
    found = selected(reader, binder)
    return found.filled if isinstance(found, Where) and found.counted is not None else None


def _named_extreme(reader: Reader, expr: ir.Fold) -> Value | None:
    """The greatest or least over a large set, by a name: some member has it, and none has more, or less."""
    (binder,) = expr.binders
    members = reader.set(binder.domain)
    if binder.prefix or not isinstance(members, Where) or not members.wide or not members.members:
        return None
    bodies: list[Term] = []

    def read(member: Term) -> Term:
        reader.env[binder.variable] = member
        tested = YES if binder.test is None else reader.test(binder.test)
        body = reader.value(expr.body)
        assert isinstance(body, Term)
        bodies.append(body)
        return tested

    name, is_member, tested = for_all_members(reader, members, read)
    (body,) = bodies
    there = and_(is_member, tested)
    others = sorted((there.open | body.open) - {name}, key=lambda other: other.name)
    # Equal questions have equal answers: the same name stands for both.
    probe = exists((name,), and_(there, eq(body, _PROBE)))
    key = ("extreme", expr.kind, probe, tuple(others))
    any_there = exists((name,), there)
    if key not in reader.world.named:
        word = reader.world.name(expr.kind.value)
        if others:
            found = Function(word, len(others), Sort.INT, body.low, body.high)(*others)
        else:
            found = variable(word, body.low, body.high)
        beyond = at_most(body, found) if expr.kind is FoldKind.MOST else at_most(found, body)
        told = (
            forall(others, implies(any_there, exists((name,), and_(there, eq(body, found))))),
            forall((*others, name), implies(there, beyond)),
        )
        reader.world.named[key] = found, told
    found, defined = reader.world.named[key]
    reader.told += [term for term in defined if term not in reader.told]
    return found if expr.otherwise is None else choose(any_there, found, reader.value(expr.otherwise))


_PROBE = variable("any number")
"""Stands for a value when two questions are compared."""


def extreme(reader: Reader, expr: ir.Fold, terms: list[tuple[Term, Term]]) -> Value:
    """The greatest or least of terms, each with whether it is there."""
    found, any_there = _extreme(terms, expr.kind is FoldKind.MOST)
    if expr.otherwise is None:
        return number(0) if found is None else found
    otherwise = reader.value(expr.otherwise)
    return otherwise if found is None else choose(any_there, found, otherwise)


def best(reader: Reader, members: Set, variable: Variable, most: bool, key: Expr) -> Set:
    """Those with the most, or the least, of something."""
    terms: list[tuple[Term, Term]] = []
    for there, value in members.items:
        reader.env[variable] = value
        terms.append((there, reader.number(key)))
    found, _ = _extreme(terms, most)
    if found is None:
        return members
    pairs = zip(members.items, terms, strict=True)
    items = tuple((and_(there, eq(term, found)), value) for (there, value), (_, term) in pairs)
    kept = Listed(members.of, tuple(item for item in items if item[0] is not NO), members.ordered)
    return replace(as_where(kept), scrambled=True) if isinstance(members, Where) and members.scrambled else kept


def collect(reader: Reader, expr: ir.Collect) -> Value:
    found: list[tuple[Term, Value]] = []
    each(reader, expr.binders, YES, lambda there: found.append((there, reader.value(expr.term))))
    if isinstance(expr.type, types.Map):
        return Map(numbers_of(expr.type.keys), tuple(value for _, value in found))
    assert isinstance(expr.type, types.SetOf)
    return distinct(expr.type.of, found)


def pick_one(reader: Reader, expr: ir.PickOne) -> Value:
    """`first x in S`, `the x in S`"""
    members = selected(reader, expr.binder)
    found = one_of(reader, members, first=expr.first)
    return found if expr.otherwise is None else choose(members.filled, found, reader.value(expr.otherwise))


def one_of(reader: Reader, members: Set, first: bool) -> Value:
    """A member of a set that has one: the first, or whichever."""
    if isinstance(members, Where) and members.wide and not first:
        return _named(reader, members)
    items = ascending(members) if first else members.items
    if not items:
        return NONE
    found = items[-1][1]
    for there, value in reversed(items[:-1]):
        found = choose(there, value, found)
    return found


def _named(reader: Reader, members: Where) -> Term:
    """A name for a member of a set, if it has one."""
    low, high = members.members[0], members.members[-1]
    name = bound(low, high)
    is_member = members.member(name)
    some = exists((name,), is_member)
    if some.open:
        raise Unsupported("one member of a large set, in turn for many others")
    key = id(some)
    if key not in reader.named:
        one = variable(reader.world.name("one"), low, high)
        reader.told.append(implies(some, members.member(one)))
        reader.named[key] = one
        reader.kept.append(some)
    return reader.named[key]


def reach(reader: Reader, expr: ir.Reach) -> Set:
    """What can be reached, step by step; as many steps as there are members."""
    assert isinstance(expr.type, types.SetOf)
    members = numbers_of(expr.there.type)
    if len(members) > MOST_REACHED:
        raise Unsupported(f"what can be reached among {len(members)}")
    start = reader.set(expr.start)
    reached = {member: start.member(number(member)) for member in members}
    step: dict[tuple[int, int], Term] = {}
    for a in members:
        for b in members:
            reader.env[expr.here], reader.env[expr.there] = number(a), number(b)
            step[a, b] = reader.test(expr.relation)
    for _ in members:
        new = {b: or_(reached[b], *(and_(reached[a], step[a, b]) for a in members)) for b in members}
        if all(new[b] is reached[b] for b in members):
            break
        reached = new
    return Listed(expr.type.of, tuple((there, number(b)) for b, there in reached.items() if there is not NO))


def at_most_one(members: Set) -> Term:
    """Whether a set has no two members."""
    if isinstance(members, Where) and members.counted is not None:
        return at_most(members.size, number(1))
    if isinstance(members, Where) and members.wide:
        if not members.members:
            return YES
        a, b = (bound(members.members[0], members.members[-1]) for _ in range(2))
        return forall((a, b), implies(and_(members.member(a), members.member(b)), eq(a, b)))
    return at_most(members.size, number(1))


def _extreme(terms: list[tuple[Term, Term]], most: bool) -> tuple[Term | None, Term]:
    found: Term | None = None
    any_there = NO
    for there, term in terms:
        if found is None:
            found = term
        else:
            better = less(found, term) if most else less(term, found)
            found = ite(and_(there, or_(not_(any_there), better)), term, found)
        any_there = or_(any_there, there)
    return found, any_there


def _is_yes(expr: Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is True
