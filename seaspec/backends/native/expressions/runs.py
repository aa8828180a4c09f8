"""The members of an ordered set up to the first for which a test fails, without a loop.

    {x in ray(c, d) while disc[x] is p}

The set is an entry of a table of constants whose members rise, or fall: a ray of a board, a range. All its members for
which the test fails are found at once (lanes.py); the members below the lowest of these, or above the highest, are what
is wanted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence as Listed

from seaspec.backends.native.assembly import Operand, width
from seaspec.backends.native.expressions.emitter import Base
from seaspec.backends.native.values.shapes import Universe, is_single
from seaspec.core import ir
from seaspec.core.ir import Binder, Expr
from seaspec.core.ops import Op
from seaspec.core.types import Value

WIDEST = 128
"""Bits of a set; wider ones are gone through one by one."""


def run_of(e: Base, binder: Binder) -> Operand | None:
    """The members as a set, in the universe of the variable; None where that can not be said without a loop."""
    variable, test = binder.variable, binder.test
    if test is None or not is_single(variable.type) or not e.facts.bold(test):
        return None
    form = e.of_variable(variable)
    found = _entries(e, binder.domain)
    if found is None or form.optional or width(form.ty) > WIDEST:
        return None
    entries, domain = found
    if not all(_rises(entry) or _rises(entry[::-1]) for entry in entries):
        return None
    code = e.code
    mark = code.mark()
    number = e.table_entry(domain) if isinstance(domain, ir.Lookup) else 0
    rising = [form.mask(entry) if _rises(entry) else 0 for entry in entries]
    falling = [0 if _rises(entry) else form.mask(entry) for entry in entries]
    up, down = (_one_of(e, masks, number, form) for masks in (rising, falling))
    holds = e.lane(test, variable, code.binary("or", up, down, form.ty))
    if holds is None:
        code.rollback(mark)
        return None
    fails = code.complement(holds, form.ty)
    return code.binary("or", _below(e, up, fails, form), _above(e, down, fails, form), form.ty)


def _entries(e: Base, domain: Expr) -> tuple[list[tuple[Value, ...]], Expr] | None:
    """The sets that a domain may be, and the look-up that says which."""
    match domain:
        case ir.Lookup():
            sets = [entry for entry in e.unit.constants.tables[domain.table].entries if isinstance(entry, tuple)]
            return sets, domain
        case ir.Const(_, value) if isinstance(value, tuple):
            return [value], domain
        case ir.Apply(_, Op.PREFIX, (members, ir.Const(_, most))) if isinstance(most, int):
            found = _entries(e, members)
            return None if found is None else ([entry[: max(0, most)] for entry in found[0]], found[1])
        case _:  # cautious: no set is known; the members are collected while it runs
            return None


def _rises(members: Listed[Value]) -> bool:
    numbers = [member for member in members if isinstance(member, int)]
    return len(numbers) == len(members) and all(a < b for a, b in itertools.pairwise(numbers))


def _one_of(e: Base, masks: list[int], number: Operand, form: Universe) -> Operand:
    if not any(masks):
        return 0
    if isinstance(number, int):
        return masks[number]
    return e.mask_at(e.unit.masks(masks, form), number, form)


def _below(e: Base, members: Operand, fails: Operand, form: Universe) -> Operand:
    """The members below the lowest that fails."""
    code, ty = e.code, form.ty
    if members == 0:
        return 0
    failing = code.binary("and", members, fails, ty)
    lowest = code.binary("and", failing, code.binary("sub", 0, failing, ty), ty)
    return code.binary("and", members, code.binary("add", lowest, -1, ty), ty)


def _above(e: Base, members: Operand, fails: Operand, form: Universe) -> Operand:
    """The members above the highest that fails."""
    code, ty = e.code, form.ty
    if members == 0:
        return 0
    failing = code.binary("and", members, fails, ty)
    some = code.compare("ne", failing, 0, ty)
    zeros = code.intrinsic("ctlz", ty, code.select(some, failing, 1, ty), ("i1", "true"))
    above = code.binary("shl", -2, code.binary("sub", width(ty) - 1, zeros, ty), ty)
    return code.binary("and", members, code.select(some, above, -1, ty), ty)
