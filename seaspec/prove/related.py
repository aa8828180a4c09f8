"""What promises have in common: the states that they speak of, the procedures that they name.

Those that speak of the same states are proved together, for one may need what another says; but only those that say
nothing of where the pieces are: to look at that, too, costs much, and is done for each alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from seaspec.backends.symbolic.values.world import PLACES
from seaspec.core import ir
from seaspec.core.ir import Claim
from seaspec.prove.termination import AtBegin, Between, Provable


def related(
    promises: Sequence[Provable], reads: Mapping[str, frozenset[str]]
) -> Iterator[tuple[list[Provable], frozenset[str]]]:
    """Groups of promises with all the states that they read, `reads` by name; the least to look at comes first.

    Who shares a state with one of a group belongs to it.
    """
    groups: list[tuple[list[Provable], frozenset[str]]] = []
    for promise in promises:
        said = reads[promise.name]
        if PLACES in said or not said:
            continue
        near = [group for group in groups if group[1] & said]
        groups = [group for group in groups if group not in near]
        members = [member for members, _ in near for member in members]
        groups.append(([*members, promise], said.union(*(states for _, states in near))))
    yield from sorted(groups, key=lambda group: (len(group[1]), len(group[0])))


def outside_of(promises: Iterable[Provable]) -> frozenset[str]:
    """The procedures outside of which something is promised."""
    claims = (p for p in promises if isinstance(p, ir.Invariant) and p.claim is Claim.OUTSIDE)
    return frozenset(name for claim in claims for name in claim.procedures)


def procedures_of(promise: Provable) -> frozenset[str]:
    """The procedures that a promise names."""
    if isinstance(promise, ir.Invariant):
        return frozenset(promise.procedures)
    if isinstance(promise, ir.Always):
        return frozenset(procedure for procedure, _, _ in promise.after)
    return frozenset((promise.procedure,)) if isinstance(promise, AtBegin | Between) else frozenset()
