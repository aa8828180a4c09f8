"""Quantifiers, and what is done with whole terms: all that is in them, with other values, made anew of other parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from seaspec.backends.symbolic.logic.terms import (
    Kind,
    Sort,
    Term,
    add,
    and_,
    at_most,
    eq,
    euclid,
    ite,
    make,
    mod,
    mul,
    not_,
    number,
    or_,
    weighted,
)


def forall(names: Sequence[Term], body: Term) -> Term:
    """For all values of the variables within their bounds.

    >>> from seaspec.backends.symbolic.logic.terms import bound
    >>> x, y = bound(0, 9), bound(0, 9)
    >>> forall((x,), at_most(x, number(3))) is forall((y,), at_most(y, number(3)))
    True
    """
    return _quantified(Kind.FORALL, names, body)


def exists(names: Sequence[Term], body: Term) -> Term:
    return _quantified(Kind.EXISTS, names, body)


def _quantified(kind: Kind, names: Sequence[Term], body: Term) -> Term:
    used = [name for name in names if name in body.open]
    if not used:
        return body
    level = body.height + 1
    renamed = {}
    for position, name in enumerate(used):
        canonical = make(Kind.VAR, Sort.INT, name=f"?{level}.{position}", low=name.low, high=name.high)
        canonical.open = frozenset((canonical,))
        renamed[name] = canonical
    inner = substitute(body, renamed)
    term = make(kind, Sort.BOOL, (*renamed.values(), inner), value=len(used))
    term.open = inner.open - set(renamed.values())
    term.height = level
    return term


def post_order(*roots: Term) -> Iterator[Term]:
    """Every subterm once, parts before wholes."""
    seen: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            yield term
        elif id(term) not in seen:
            seen.add(id(term))
            stack.append((term, True))
            stack.extend((arg, False) for arg in reversed(term.args))


def substitute(root: Term, values: Mapping[Term, Term]) -> Term:
    """The term with variables replaced, simplified anew.

    >>> from seaspec.backends.symbolic.logic.terms import variable
    >>> x = variable("x", 0, 9)
    >>> substitute(add(x, number(1)), {x: number(4)})
    5
    """
    found: dict[Term, Term] = dict(values)
    for term in post_order(root):
        if term in found:
            continue
        if not term.args:
            found[term] = term
            continue
        args = [found[arg] for arg in term.args]
        same = all(new is old for new, old in zip(args, term.args, strict=True))
        found[term] = term if same else rebuilt(term, args)
    return found[root]


def rebuilt(term: Term, args: Sequence[Term]) -> Term:
    """A term of the same kind over other parts."""
    match term.kind:
        case Kind.CONST | Kind.VAR:
            return term
        case Kind.APPLY:
            return make(Kind.APPLY, term.sort, tuple(args), name=term.name, low=term.low, high=term.high)
        case Kind.NOT:
            return not_(args[0])
        case Kind.AND:
            return and_(*args)
        case Kind.OR:
            return or_(*args)
        case Kind.EQ:
            return eq(args[0], args[1])
        case Kind.AT_MOST:
            return at_most(args[0], args[1])
        case Kind.ITE:
            return ite(args[0], args[1], args[2])
        case Kind.SUM:
            return add(weighted(zip(args, term.weights, strict=True)), number(term.value))
        case Kind.TIMES:
            return mul(args[0], args[1])
        case Kind.DIV:
            return euclid(args[0], args[1])
        case Kind.MOD:
            return mod(args[0], args[1])
        case Kind.FORALL | Kind.EXISTS:
            return _quantified(term.kind, args[: term.value], args[term.value])
