"""Terms of logic: whole numbers and yes or no, simplified while they are made.

Equal terms are one object, so they can be compared by identity. A term of numbers knows bounds that its value lies in
for certain (`low`, `high`; None: no bound); a variable and a function declare theirs, and whoever asks a solver asserts
them. A constructor returns something simpler where that is plain, always equal in value within the declared bounds.

Quantified variables have canonical names, so that equal formulas are equal terms.

    value      bool or int, of constants
    name       of variables, functions
    args       subterms; of a sum: its addends, with `weights` and a constant `value`
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from itertools import count
from weakref import WeakValueDictionary


class Sort(Enum):
    __hash__ = object.__hash__

    BOOL = "Bool"
    INT = "Int"


class Kind(Enum):
    """What a term is made of."""

    __hash__ = object.__hash__  # quicker than by name

    CONST = "constant"
    VAR = "variable"
    APPLY = "function"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "="
    AT_MOST = "<="
    ITE = "ite"
    SUM = "+"
    TIMES = "*"
    DIV = "div"
    MOD = "mod"
    FORALL = "forall"
    EXISTS = "exists"


class Term:
    """One term; made by the functions below only."""

    __slots__ = ("__weakref__", "args", "height", "high", "kind", "low", "name", "open", "sort", "value", "weights")

    kind: Kind
    sort: Sort
    args: tuple[Term, ...]
    value: int
    name: str
    weights: tuple[int, ...]
    low: int | None
    high: int | None
    open: frozenset[Term]
    """The variables that a quantifier further out must bind."""
    height: int
    """How many quantifiers lie within one another."""

    def __repr__(self) -> str:
        return show(self)

    @property
    def is_const(self) -> bool:
        return self.kind is Kind.CONST


class Function:
    """An uninterpreted function of numbers; its values lie in low..high."""

    __slots__ = ("arity", "high", "low", "name", "sort")

    def __init__(self, name: str, arity: int, sort: Sort, low: int | None = None, high: int | None = None) -> None:
        self.name = name
        self.arity = arity
        self.sort = sort
        self.low = low
        self.high = high

    def __call__(self, *args: Term) -> Term:
        return make(Kind.APPLY, self.sort, args, name=self.name, low=self.low, high=self.high)


_TABLE: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()
_NOTHING: frozenset[Term] = frozenset()


_made = 0


def made() -> int:
    """How many terms have been asked for: a measure of work that is the same on every machine."""
    return _made


def make(
    kind: Kind,
    sort: Sort,
    args: tuple[Term, ...] = (),
    value: int = 0,
    name: str = "",
    weights: tuple[int, ...] = (),
    low: int | None = None,
    high: int | None = None,
) -> Term:
    global _made
    _made += 1
    key = (kind, sort, tuple(map(id, args)), value, name, weights, low, high)
    found = _TABLE.get(key)
    if found is not None:
        return found
    term = Term()
    term.kind, term.sort, term.args, term.value = kind, sort, args, value
    term.name, term.weights, term.low, term.high = name, weights, low, high
    term.open = _NOTHING
    term.height = 0
    for arg in args:
        if arg.open:
            term.open = term.open | arg.open if term.open else arg.open
        term.height = max(term.height, arg.height)
    _TABLE[key] = term
    return term


# ----------------------------------------------------------------------------------------------------------- constants


def number(value: int) -> Term:
    """
    >>> number(3)
    3
    """
    global _made
    if _LOW <= value < _HIGH:
        _made += 1
        return _SMALL[value - _LOW]
    return _constant(value)


def _constant(value: int) -> Term:
    return make(Kind.CONST, Sort.INT, value=value, low=value, high=value)


YES = make(Kind.CONST, Sort.BOOL, value=1)
NO = make(Kind.CONST, Sort.BOOL, value=0)
_LOW, _HIGH = -64, 512
_SMALL = [_constant(value) for value in range(_LOW, _HIGH)]
"""Small numbers stay, so that they need not be made again."""


def truth(value: bool) -> Term:
    return YES if value else NO


def variable(name: str, low: int | None = None, high: int | None = None) -> Term:
    """A number that may be any in low..high."""
    if low is not None and low == high:
        return number(low)
    return make(Kind.VAR, Sort.INT, name=name, low=low, high=high)


def flag(name: str) -> Term:
    """A yes or no that may be either."""
    return make(Kind.VAR, Sort.BOOL, name=name)


_FRESH = count()


def bound(low: int | None = None, high: int | None = None) -> Term:
    """A new variable for a quantifier to bind."""
    term = make(Kind.VAR, Sort.INT, name=f"?new{next(_FRESH)}", low=low, high=high)
    term.open = frozenset((term,))
    return term


# ------------------------------------------------------------------------------------------------------------- logic


def not_(term: Term) -> Term:
    """
    >>> a = flag("a")
    >>> not_(not_(a)) is a
    True
    """
    if term.is_const:
        return NO if term.value else YES
    if term.kind is Kind.NOT:
        return term.args[0]
    return make(Kind.NOT, Sort.BOOL, (term,))


def and_(*terms: Term) -> Term:
    """
    >>> a, b = flag("a"), flag("b")
    >>> and_(a, YES, and_(b, a)), and_(a, not_(a))
    ((and a b), no)
    """
    return _joined(Kind.AND, YES, NO, terms)


def or_(*terms: Term) -> Term:
    return _joined(Kind.OR, NO, YES, terms)


def _joined(kind: Kind, neutral: Term, final: Term, terms: Iterable[Term]) -> Term:
    found: dict[Term, None] = {}
    for term in terms:
        if term is final:
            return final
        if term.kind is kind:
            found.update(dict.fromkeys(term.args))
        elif term is not neutral:
            found[term] = None
    for term in found:
        if term.kind is Kind.NOT and term.args[0] in found:
            return final
    if len(found) < 2:
        return next(iter(found), neutral)
    return make(kind, Sort.BOOL, tuple(found))


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def iff(a: Term, b: Term) -> Term:
    return eq(a, b)


def conjuncts(term: Term) -> tuple[Term, ...]:
    """
    >>> conjuncts(YES), len(conjuncts(and_(flag("a"), flag("b"))))
    ((), 2)
    """
    if term is YES:
        return ()
    return term.args if term.kind is Kind.AND else (term,)


def ite(test: Term, then: Term, otherwise: Term) -> Term:
    """
    >>> ite(flag("a"), number(1), number(1))
    1
    """
    if test.is_const:
        return then if test.value else otherwise
    if then is otherwise:
        return then
    if then.sort is Sort.BOOL:
        if then.is_const or otherwise.is_const:
            if then is YES:
                return or_(test, otherwise)
            if then is NO:
                return and_(not_(test), otherwise)
            return or_(not_(test), then) if otherwise is YES else and_(test, then)
        return make(Kind.ITE, Sort.BOOL, (test, then, otherwise))
    if test.kind is Kind.NOT:
        test, then, otherwise = test.args[0], otherwise, then
    if otherwise.kind is Kind.ITE and otherwise.args[0] is test:
        otherwise = otherwise.args[2]
    if then.kind is Kind.ITE and then.args[0] is test:
        then = then.args[1]
    if then is otherwise:
        return then
    low, high = _least(then.low, otherwise.low), _most(then.high, otherwise.high)
    return make(Kind.ITE, Sort.INT, (test, then, otherwise), low=low, high=high)


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


# ------------------------------------------------------------------------------------------------------------ numbers


def add(*terms: Term) -> Term:
    """
    >>> x = variable("x", 0, 9)
    >>> add(x, number(2), neg(x)), add(x, x).high
    (2, 18)
    """
    return weighted([(term, 1) for term in terms])


def sub(a: Term, b: Term) -> Term:
    if b.kind is Kind.CONST and a.kind not in _MERGED:
        return a if b.value == 0 else _shifted(a, 1, -b.value)
    if a.kind is Kind.CONST and b.kind not in _MERGED:
        return _shifted(b, -1, a.value)
    return weighted([(a, 1), (b, -1)])


_MERGED = (Kind.CONST, Kind.SUM)
"""What a sum takes up."""


def _shifted(term: Term, weight: int, value: int) -> Term:
    """One addend and a constant: what most sums are."""
    least, most = (term.low, term.high) if weight > 0 else (term.high, term.low)
    low = None if least is None else value + weight * least
    high = None if most is None else value + weight * most
    return make(Kind.SUM, Sort.INT, (term,), value, weights=(weight,), low=low, high=high)


def neg(a: Term) -> Term:
    return weighted([(a, -1)])


def weighted(parts: Iterable[tuple[Term, int]]) -> Term:
    constant = 0
    weights: dict[Term, int] = {}
    low: int | None = 0
    high: int | None = 0
    for term, weight in parts:
        least, most = (term.low, term.high) if weight > 0 else (term.high, term.low)
        low = None if low is None or least is None else low + weight * least
        high = None if high is None or most is None else high + weight * most
        if term.is_const:
            constant += weight * term.value
        elif term.kind is Kind.SUM:
            constant += weight * term.value
            for arg, inner in zip(term.args, term.weights, strict=True):
                weights[arg] = weights.get(arg, 0) + weight * inner
        else:
            weights[term] = weights.get(term, 0) + weight
    kept = {term: weight for term, weight in weights.items() if weight}
    if not kept:
        return number(constant)
    if constant == 0 and len(kept) == 1:
        ((term, weight),) = kept.items()
        if weight == 1:
            return term
    lower: int | None = constant
    upper: int | None = constant
    for term, weight in kept.items():
        least, most = (term.low, term.high) if weight > 0 else (term.high, term.low)
        lower = None if lower is None or least is None else lower + weight * least
        upper = None if upper is None or most is None else upper + weight * most
    args, factors = tuple(kept), tuple(kept.values())
    return make(Kind.SUM, Sort.INT, args, constant, weights=factors, low=_higher(low, lower), high=_lower(high, upper))


def _higher(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def _lower(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


def _is_counted(term: Term) -> bool:
    """Whether a term is 1 where something holds, else 0."""
    return term.kind is Kind.ITE and term.args[1:] == (number(1), number(0))


def known_within(term: Term, low: int, high: int) -> Term:
    """The same term; that it lies between these is known from elsewhere.

    >>> x = variable("x", 0, 9)
    >>> eq(known_within(sub(x, number(1)), 0, 9), number(-1))
    no
    """
    low = low if term.low is None else max(low, term.low)
    high = high if term.high is None else min(high, term.high)
    if (low, high) == (term.low, term.high) or term.kind is not Kind.SUM:
        return term
    return make(term.kind, term.sort, term.args, term.value, weights=term.weights, low=low, high=high)


def mul(a: Term, b: Term) -> Term:
    """
    >>> mul(number(2), variable("x", 0, 9)).high
    18
    """
    if a.is_const:
        return weighted([(b, a.value)])
    if b.is_const:
        return weighted([(a, b.value)])
    low = high = None
    if a.low is not None and a.high is not None and b.low is not None and b.high is not None:
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(ends), max(ends)
    return make(Kind.TIMES, Sort.INT, (a, b), low=low, high=high)


def div(a: Term, b: Term) -> Term:
    """Rounded down. What is divided by 0 has some value; that it is not 0 is owed.

    >>> div(number(-7), number(2)), div(number(7), number(-2))
    (-4, -4)
    """
    if not b.is_const:
        return ite(at_most(number(1), b), euclid(a, b), euclid(neg(a), neg(b)))
    if b.value < 0:
        return div(neg(a), number(-b.value))
    if b.value == 0:
        return number(0)
    return euclid(a, b)


def euclid(a: Term, b: Term) -> Term:
    """With a divisor above 0, where rounding down and Euclid's division agree."""
    if not b.is_const or b.value <= 0:  # what comes of other divisors is never asked for, and may be anything
        return make(Kind.DIV, Sort.INT, (a, b))
    if a.is_const:
        return number(a.value // b.value)
    if b.value == 1:
        return a
    low = None if a.low is None else a.low // b.value
    high = None if a.high is None else a.high // b.value
    if low is not None and low == high:
        return number(low)
    return make(Kind.DIV, Sort.INT, (a, b), low=low, high=high)


def mod(a: Term, b: Term) -> Term:
    """With the sign of b.

    >>> mod(number(-7), number(3)), mod(number(7), number(-3))
    (2, -2)
    """
    if not b.is_const or b.value <= 0:
        return sub(a, mul(b, div(a, b)))
    if a.is_const:
        return number(a.value % b.value)
    if a.low is not None and a.high is not None and a.low // b.value == a.high // b.value:
        return sub(a, number(a.low // b.value * b.value))
    return make(Kind.MOD, Sort.INT, (a, b), low=0, high=b.value - 1)


def at_most(a: Term, b: Term) -> Term:
    """a <= b

    >>> x = variable("x", 0, 9)
    >>> at_most(x, number(9)), at_most(add(x, number(1)), x)
    (yes, no)
    """
    global _made
    if a.high is not None and b.low is not None and a.high <= b.low:
        _made += 1
        return YES
    if a.low is not None and b.high is not None and a.low > b.high:
        _made += 1
        return NO
    difference = sub(a, b)
    if difference.high is not None and difference.high <= 0:
        return YES
    if difference.low is not None and difference.low > 0:
        return NO
    if a.kind is Kind.ITE and b.is_const and a.args[1].is_const:
        return ite(a.args[0], at_most(a.args[1], b), at_most(a.args[2], b))
    # One form for what says the same: 0 <= e, where e has its first weight above 0, or not (0 <= -e - 1).
    term = neg(difference)
    if term.kind is Kind.SUM and term.weights[0] < 0:
        return not_(_not_negative(sub(difference, number(1))))
    return _not_negative(term)


def _not_negative(term: Term) -> Term:
    if term.low is not None and term.low >= 0:
        return YES
    if term.high is not None and term.high < 0:
        return NO
    if term.high == 0:
        return eq(term, number(0))
    if term.low == -1:
        return not_(eq(term, number(-1)))
    return make(Kind.AT_MOST, Sort.BOOL, (number(0), term))


def less(a: Term, b: Term) -> Term:
    return not_(at_most(b, a))


def eq(a: Term, b: Term) -> Term:
    """
    >>> x = variable("x", 0, 9)
    >>> eq(x, number(10)), eq(ite(flag("a"), number(1), number(2)), number(2))
    (no, (not a))
    """
    if a is b:
        return YES
    if a.sort is Sort.BOOL:
        if a.is_const:
            return b if a.value else not_(b)
        if b.is_const:
            return a if b.value else not_(a)
        if not_(a) is b:
            return NO
        return make(Kind.EQ, Sort.BOOL, (a, b))
    if a.is_const and b.is_const:
        return NO
    if (a.high is not None and b.low is not None and a.high < b.low) or (
        b.high is not None and a.low is not None and b.high < a.low
    ):
        return NO
    if b.is_const and a.kind is Kind.ITE and (a.args[1].is_const or a.args[2].is_const):
        return ite(a.args[0], eq(a.args[1], b), eq(a.args[2], b))
    if a.is_const and b.kind is Kind.ITE:
        return eq(b, a)
    difference = sub(a, b)
    if difference.is_const:
        return truth(difference.value == 0)
    if b.is_const and a.kind is not Kind.SUM:
        return make(Kind.EQ, Sort.BOOL, (a, b))
    if a.is_const and b.kind is not Kind.SUM:
        return make(Kind.EQ, Sort.BOOL, (b, a))
    if difference.kind is Kind.SUM and len(difference.args) == 1 and abs(difference.weights[0]) == 1:
        return eq(difference.args[0], number(-difference.value * difference.weights[0]))
    if (difference.low or 0) > 0 or (difference.high or 0) < 0:
        return NO
    if a.kind is Kind.SUM and a.value == 1 and b is number(1) and min(a.weights) > 0 and all(map(_is_counted, a.args)):
        return and_(*(not_(arg.args[0]) for arg in a.args))  # one is counted already, so nothing else is
    if difference.kind is Kind.SUM and difference.weights[0] < 0:
        difference = neg(difference)
    return make(Kind.EQ, Sort.BOOL, (difference, number(0)))


def least(*terms: Term) -> Term:
    """
    >>> least(variable("x", 3, 9), number(2))
    2
    """
    first, *rest = terms
    for term in rest:
        first = ite(at_most(first, term), first, term)
    return first


def most(*terms: Term) -> Term:
    first, *rest = terms
    for term in rest:
        first = ite(at_most(term, first), first, term)
    return first


def within(term: Term, low: int, high: int) -> Term:
    """low <= term <= high"""
    return and_(at_most(number(low), term), at_most(term, number(high)))


def show(term: Term) -> str:
    """A term as people read it in a test that fails."""
    if term.is_const:
        return str(term.value) if term.sort is Sort.INT else "yes" if term.value else "no"
    if term.kind is Kind.VAR:
        return term.name
    if term.kind is Kind.SUM:
        parts = [f"{w}*{show(a)}" for w, a in zip(term.weights, term.args, strict=True)]
        return f"(+ {' '.join(parts)} {term.value})"
    name = term.name if term.kind is Kind.APPLY else term.kind.value
    return f"({name} {' '.join(map(show, term.args))})"
