"""Sums by their change: a solver need not count anew what a step has left as it was.

An addend in which some value that was chosen is compared with constants is what it would be if none of them were
chosen, and, where one is, the difference. What it would be is mostly what it was before the step; so the two sums,
before and after, have nearly all their addends in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from seaspec.backends.symbolic.logic.formulas import post_order, rebuilt, substitute
from seaspec.backends.symbolic.logic.terms import NO, Kind, Term, add, ite, mul, number, or_, sub, variable

MANY = 6
"""Sums of fewer addends are counted anew."""


def by_change(term: Term, known: frozenset[str]) -> Term:
    """The same with large sums told by their change. `known`: the names of what there was before the step.

    >>> from seaspec.backends.symbolic.logic.terms import at_most, eq, flag, variable
    >>> cell, held = variable("cell", 0, 9), [flag(f"held.{place}") for place in range(MANY)]
    >>> after = [ite(or_(there, eq(cell, number(place))), number(1), number(0)) for place, there in enumerate(held)]
    >>> found = by_change(at_most(add(*after), number(3)), frozenset())
    >>> {ite(there, number(1), number(0)) for there in held} <= set(post_order(found))
    True
    """
    changed: dict[Term, Term] = {}
    for part in post_order(term):
        if part.kind is Kind.SUM and len(part.args) >= MANY and not part.open:
            addends = [mul(number(w), _by_change(arg, known)) for w, arg in zip(part.weights, part.args, strict=True)]
            new = add(*addends, number(part.value))
            if new is not part:
                changed[part] = new
    return substitute(term, changed) if changed else term


def _by_change(addend: Term, known: frozenset[str]) -> Term:
    chosen = [part for part in post_order(addend) if _is_choice(part, known)]
    if not chosen:
        return addend
    before = substitute(addend, dict.fromkeys(chosen, NO))
    return add(before, ite(or_(*chosen), sub(addend, before), number(0)))


def _is_choice(part: Term, known: frozenset[str]) -> bool:
    """Whether a test compares a value that was chosen with a constant."""
    if part.kind is not Kind.EQ or part.open or not part.args[1].is_const:
        return False
    return part.args[0].kind is Kind.VAR and part.args[0].name not in known


def from_afar(given: Sequence[Term], goals: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """The same with names for addends of large sums in what is given, also where they stand in sums of the goals: what
    a step leaves alone cancels out, and nobody has to look into it. Less is said so: not why an addend is what it is.

    >>> from seaspec.backends.symbolic.logic.terms import at_most, flag
    >>> total = add(*(ite(flag(f"held.{place}"), number(1), number(0)) for place in range(MANY)))
    >>> [given], [goal] = from_afar([at_most(total, number(3))], [at_most(total, number(4))])
    >>> {part.name for part in post_order(given) if part.kind is Kind.VAR} == {f"addend.{n}" for n in range(MANY)}
    True
    """
    names: dict[Term, Term] = {}
    for term in given:
        for arg in _addends(term):
            if arg not in names:
                names[arg] = variable(f"addend.{len(names)}", arg.low, arg.high)
    if not names:
        return list(given), list(goals)
    known: dict[Term, Term] = {}

    def named(term: Term) -> Term:
        return term if names.keys().isdisjoint(_addends(term)) else _named(term, names, known)

    return list(map(named, given)), list(map(named, goals))


@lru_cache(100_000)
def _addends(term: Term) -> tuple[Term, ...]:
    """The addends of large sums in a term that are one thing or another."""
    sums = (part for part in post_order(term) if part.kind is Kind.SUM and len(part.args) >= MANY)
    return tuple(dict.fromkeys(arg for part in sums for arg in part.args if arg.kind is Kind.ITE and not arg.open))


def _named(term: Term, names: Mapping[Term, Term], known: dict[Term, Term]) -> Term:
    """A term with names in its outermost large sums."""
    for part in post_order(term):
        if part in known:
            continue
        found = part
        if part.kind is Kind.SUM and len(part.args) >= MANY:
            weighted = zip(part.weights, part.args, strict=True)
            found = add(*(mul(number(weight), names.get(arg, arg)) for weight, arg in weighted), number(part.value))
        elif part.args and not part.open and part.kind not in (Kind.FORALL, Kind.EXISTS):
            args = [known[arg] for arg in part.args]
            same = all(new is old for new, old in zip(args, part.args, strict=True))
            found = part if same else rebuilt(part, args)
        known[part] = found
    return known[term]
