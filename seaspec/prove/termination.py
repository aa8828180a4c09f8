"""That plays end: `ends within n calls of P by m` is proved in parts.

When P begins, the measure m is at least 1 and at most n; when P ends it has fallen; and from the end of one call to
the beginning of the next it does not rise. So the k-th call finds a measure of at most n + 1 - k, and there are no more
than n calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.paths.paths import Path, Paths
from seaspec.backends.symbolic.values.position import Position
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr
from seaspec.core.ops import Op
from seaspec.core.walk import closure
from seaspec.prove.proof import Proof
from seaspec.prove.stuck import Offered


@dataclass(frozen=True, slots=True)
class AtBegin:
    """A test of each moment in which a procedure begins; it is supposed nowhere else."""

    name: str
    procedure: str
    test: Expr


@dataclass(frozen=True, slots=True)
class Between:
    """A test of each stretch of a play between two calls of a procedure: it compares the stretch's two ends. It must
    hold of the whole if it holds of the parts."""

    name: str
    procedure: str
    test: Expr


@dataclass(frozen=True, slots=True)
class Falls(ir.Always):
    """That a measure falls with each call of a procedure."""


OF_WHOLE_PLAYS = AtBegin | Falls | Between
"""What says that plays end: nothing else rests on it."""
Provable = ir.Invariant | ir.Always | ir.Lemma | Offered | AtBegin | Between
"""What can be proved, of a promise or of a part of it."""


def parts_of(promise: ir.EndsWithin) -> Iterator[Provable]:
    """The parts of a promise; there are none without a measure."""
    if promise.measure is None:
        return
    measure, name, source, calls = promise.measure, promise.name, promise.source, promise.calls
    in_range = _both(_at_most(_number(1), measure), _at_most(measure, _number(calls)))
    yield AtBegin(f"{name}: in range", promise.procedure, in_range)
    number, step = falling(measure)
    # That it has not risen is so from the beginning of the call on.
    falls = _both(_at_most(number, ir.Old(number)), _at_most(_plus(number, step), ir.Old(number)))
    yield Falls(f"{name}: falls", ((promise.procedure, (), falls),), falls, False, source)
    yield Between(f"{name}: does not rise", promise.procedure, _at_most(number, ir.Old(number)))


def falling(measure: Expr) -> tuple[Expr, int]:
    """A number, and by how much it has to fall so that the measure falls.

    >>> number = ir.Const(types.Int(0, 9), 9)
    >>> half = ir.Apply(types.Int(0, 4), Op.DIVIDE, (number, ir.Const(types.Int(2, 2), 2)))
    >>> falling(ir.Apply(types.Int(1, 5), Op.ADD, (half, ir.Const(types.Int(1, 1), 1)))) == (number, 2)
    True
    """
    match measure:
        case ir.Apply(_, Op.ADD, (number, ir.Const()) | (ir.Const(), number)):
            return falling(number)
        case ir.Apply(_, Op.SUBTRACT, (number, ir.Const())):
            return falling(number)
        case ir.Apply(_, Op.DIVIDE, (number, ir.Const(_, int() as divisor))) if divisor > 0:
            return number, divisor
        case _:  # cautious: it falls by one if the measure does
            return measure, 1


def stretches(
    paths: Paths, procedure: str, runs_at: Callable[[int], bool]
) -> Iterator[tuple[Path, int | None, Position, Position]]:
    """The parts of paths between two calls of a procedure: the path, how much of what it assumes belongs to it, the
    positions at both ends. What comes before the first call is left out. `runs_at`: whether the procedure runs at a
    location."""
    begun = _begun(paths, procedure, runs_at)
    for path in paths.paths:
        runs = path.source is not None and runs_at(path.source)
        before = path.start if path.source in begun and not runs else None
        for moment in path.run.moments:
            if moment.procedure == procedure:
                if runs is not moment.ends:
                    raise Unsupported(f"{procedure} is left in the middle")
                if before is not None:
                    yield path, moment.assumed, before, moment.position
                runs = not moment.ends
                before = moment.position if moment.ends else None
        if path.target is None or isinstance(_exit(paths, path.target), flow.Over):
            continue
        if runs is not runs_at(path.target):
            raise Unsupported(f"{procedure} is left in the middle")
        if before is not None:
            yield path, None, before, path.run.position


def _begun(paths: Paths, procedure: str, runs_at: Callable[[int], bool]) -> set[int]:
    """The locations that may be reached after a procedure has begun."""
    onward: dict[int, list[int]] = {}
    waiting = [place.number for place in paths.locations if runs_at(place.number)]
    for path in paths.paths:
        if path.target is not None:
            if path.source is not None:
                onward.setdefault(path.source, []).append(path.target)
            if any(moment.procedure == procedure for moment in path.run.moments):
                waiting.append(path.target)
    return set(closure(waiting, lambda here: onward.get(here, ())))


def _exit(paths: Paths, location: int) -> flow.Exit:
    return paths.world.graph.blocks[paths.locations[location].block].exit


def as_one(promise: ir.Promise, proofs: Sequence[Proof]) -> Proof:
    """What the proofs of the parts say of the promise."""
    if not proofs:
        return Proof(promise.name, True)
    failed = next((proof for proof in proofs if not proof.proved), None)
    if failed is not None:
        return replace(failed, name=promise.name, why=_in_words(failed, promise))
    rests_on = dict.fromkeys(ground for proof in proofs for ground in proof.rests_on)
    over = max(proof.over for proof in proofs)
    return replace(proofs[0], name=promise.name, rests_on=tuple(rests_on), over=over)


def _in_words(failed: Proof, promise: ir.Promise) -> str:
    what = _WORDS.get(failed.name.removeprefix(f"{promise.name}: "))
    return failed.why if what is None else f"that the measure {what}: {failed.why}"


_WORDS = {
    "in range": "is at least 1 and never more than the calls",
    "falls": "falls with each call",
    "does not rise": "does not rise between calls",
}


def _number(value: int) -> Expr:
    return ir.Const(types.Int(value, value), value)


def _plus(number: Expr, more: int) -> Expr:
    assert isinstance(number.type, types.Int)
    return ir.Apply(types.Int(number.type.low + more, number.type.high + more), Op.ADD, (number, _number(more)))


def _at_most(low: Expr, high: Expr) -> Expr:
    return ir.Apply(types.Bool(), Op.AT_MOST, (low, high))


def _both(first: Expr, second: Expr) -> Expr:
    return ir.Apply(types.Bool(), Op.AND, (first, second))
