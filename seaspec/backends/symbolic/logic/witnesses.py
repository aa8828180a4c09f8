"""Goals that say that something is there: which one it may be, a solver does not guess."""

from __future__ import annotations

from itertools import islice

from seaspec.backends.symbolic.logic.formulas import substitute
from seaspec.backends.symbolic.logic.terms import NO, Kind, Term, and_, number, or_

MOST = 24
"""So many values are written out."""


def with_witnesses(goal: Term) -> Term:
    """The same goal, with some values written out that may be the one that there is.

    >>> from seaspec.backends.symbolic.logic.terms import at_most, bound, variable
    >>> from seaspec.backends.symbolic.logic.formulas import exists
    >>> x, y = bound(0, 99), variable("y", 0, 99)
    >>> with_witnesses(exists((x,), and_(at_most(x, number(1)), at_most(y, x))))
    (or (exists ?1.0 (and (not (<= 0 (+ 1*?1.0 -2))) (not (<= 0 (+ 1*y -1*?1.0 -1))))) (= y 0) (not (<= 0 (+ 1*y -2))))
    """
    match goal.kind:
        case Kind.AND:
            return and_(*map(with_witnesses, goal.args))
        case Kind.OR:
            return or_(*map(with_witnesses, goal.args))
        case Kind.EXISTS if goal.value == 1:
            name, body = goal.args
            if name.low is None or name.high is None:
                return goal
            written = (substitute(body, {name: number(value)}) for value in range(name.low, name.high + 1))
            return or_(goal, *islice((one for one in written if one is not NO), MOST))
    return goal
