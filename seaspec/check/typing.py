"""How types relate: what fits where, the join of two, their names for people."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from seaspec.core import types
from seaspec.core.types import Type


class Fit(Enum):
    """Whether the values of one type lie in another: all, some (an obligation), none."""

    YES = "yes"
    MAYBE = "maybe"
    NO = "no"
    MAY_BE_NONE = "may be none"


def fit(value: Type, target: Type) -> Fit:
    """How the values of one type fit into another.

    >>> fit(types.Int(0, 5), types.Int(0, 3))
    <Fit.MAYBE: 'maybe'>
    """
    match value, target:
        case types.Never(), _:
            return Fit.YES
        case types.Optional(inner), types.Optional(of):
            return fit(inner, of)
        case types.Optional(), _:
            return Fit.MAY_BE_NONE
        case _, types.Optional(of):
            return fit(value, of)
        case types.Int(low, high), types.Int(least, most):
            if low > high or (least <= low and high <= most):
                return Fit.YES
            return Fit.MAYBE if low <= most and least <= high else Fit.NO
        case types.Bool(), types.Bool():
            return Fit.YES
        case types.Enum(name), types.Enum(other):
            return Fit.YES if name == other else Fit.NO
        case types.Borders(name), types.Borders(other):
            return Fit.YES if name == other else Fit.NO
        case types.Cells(board, _, members), types.Cells(other, _, allowed):
            return _members(members, allowed) if board == other else Fit.NO
        case types.Pieces(_, members), types.Pieces(_, allowed):
            return _members(members, allowed)
        case types.SetOf(of), types.SetOf(inner):
            return fit(of, inner)
        case types.Map(keys, held), types.Map(other_keys, allowed_values):
            return fit(held, allowed_values) if same_values(keys, other_keys) else Fit.NO
        case types.Fraction(), types.Fraction():
            return Fit.YES
        case types.Int(), types.Fraction():
            return Fit.YES
        case _:  # cautious: it does not fit
            return Fit.NO


def same_values(a: Type, b: Type) -> bool:
    """Whether two types have the same values."""
    return fit(a, b) is Fit.YES and fit(b, a) is Fit.YES


def _members(members: tuple[int, ...], allowed: tuple[int, ...]) -> Fit:
    inside = set(allowed)
    common = sum(1 for m in members if m in inside)
    if common == len(members):
        return Fit.YES
    return Fit.MAYBE if common else Fit.NO


def disjoint(a: Type, b: Type) -> bool:
    """Whether no value is of both types, whatever the numbers of the game are.

    Ranges of numbers may meet in another world, and a kind without pieces has been removed: neither is a mistake.

    >>> disjoint(types.Int(1, 2), types.Int(5, 6)), disjoint(types.Int(1, 2), types.Bool())
    (False, True)
    """
    a, b = known(a), known(b)
    if isinstance(a, types.Never) or isinstance(b, types.Never):
        return False  # cautious: what does not fit has nothing in common
    if isinstance(a, types.Pieces) and isinstance(b, types.Pieces):
        return bool(a.members and b.members) and set(a.members).isdisjoint(b.members)
    if isinstance(a, types.SetOf) and isinstance(b, types.SetOf):
        return disjoint(a.of, b.of)
    return fit(a, b) is Fit.NO and not (isinstance(a, types.Int) and isinstance(b, types.Int))


def same_words(a: Type, b: Type) -> str | None:
    """A hint where an option has words of its own, and they are those of a type."""
    a, b = known(a), known(b)
    if not isinstance(a, types.Enum) or not isinstance(b, types.Enum) or a.values != b.values:
        return None
    option, other = (a.name, b.name) if a.name[0].islower() else (b.name, a.name)
    return f"these words are a type of their own; with `option {option}: {other} = ..` they are those of {other}"


def join(a: Type, b: Type) -> Type | None:
    """The least type that holds the values of both; None if there is no sensible one."""
    match a, b:
        case types.Never(), other:
            return other
        case other, types.Never():
            return other
        case types.Optional(x), types.Optional(y):
            inner = join(x, y)
            return None if inner is None else types.Optional(inner)
        case (types.Optional(x), other) | (other, types.Optional(x)):
            inner = join(x, other)
            return None if inner is None else types.Optional(inner)
        case types.Int(low, high), types.Int(least, most):
            if low > high:
                return b
            if least > most:
                return a
            return types.Int(min(low, least), max(high, most))
        case types.Cells(board, name, members), types.Cells(other_board, other_name, others) if board == other_board:
            if members == others:
                return a
            return types.Cells(board, board if name != other_name else name, tuple(sorted({*members, *others})))
        case types.Pieces(name, members), types.Pieces(other_name, others):
            if set(members) >= set(others):
                return a
            if set(others) >= set(members):
                return b
            return types.Pieces(f"{name} or {other_name}", tuple(sorted({*members, *others})))
        case types.SetOf(x, ordered), types.SetOf(y, also):
            inner = join(x, y)
            # An empty set is in any order.
            in_order = (ordered or isinstance(x, types.Never)) and (also or isinstance(y, types.Never))
            return None if inner is None else types.SetOf(inner, in_order)
        case types.Map(keys, x), types.Map(others, y) if same_values(keys, others):
            inner = join(x, y)
            return None if inner is None else types.Map(keys, inner)
        case (types.Fraction(), types.Int()) | (types.Int(), types.Fraction()):
            return types.Fraction()
        case _:  # cautious: no type holds both, unless they are the same
            return a if a == b else None


def member(ty: Type) -> Type | None:
    """The type of the members of a set; `T or none` is a set of at most one."""
    match ty:
        case types.SetOf(of) | types.Optional(of):
            return of
        case types.Never():
            return ty
        case _:  # cautious: not a set
            return None


def known(ty: Type) -> Type:
    """The type without none."""
    return ty.of if isinstance(ty, types.Optional) else ty


def name(ty: Type) -> str:
    """A type as people write it.

    >>> name(types.Optional(types.Int(1, 6)))
    '1..6 or none'
    """
    match ty:
        case types.Bool():
            return "yes or no"
        case types.Int(low, high):
            return f"{low}..{high}" if low != high else str(low)
        case types.Enum() | types.Cells() | types.Pieces():
            return ty.name
        case types.Borders(board):
            return f"a border of {board}"
        case types.Optional(types.Never()):
            return "none"
        case types.Optional(of):
            return f"{name(of)} or none"
        case types.SetOf(of):
            return f"set of {name(of)}" if not isinstance(of, types.Never) else "{}"
        case types.Map(keys, held):
            return f"map {name(keys)} to {name(held)}"
        case types.Never():
            return "nothing"
        case types.Fraction():
            return "a fraction"
        case _:
            assert_never(ty)


def intersect(ty: Type, kind: Type) -> Type:
    """The part of a type that also lies in `kind`, as a test has shown."""
    match known(ty), kind:
        case types.Pieces(_, members), types.Pieces(name_, others):
            both = tuple(m for m in members if m in set(others))
            return kind if both == others else types.Pieces(name_, both)
        case types.Cells(board, _, members), types.Cells(_, name_, others):
            return types.Cells(board, name_, tuple(m for m in members if m in set(others)))
        case _:  # cautious: the kind that was tested
            return kind
