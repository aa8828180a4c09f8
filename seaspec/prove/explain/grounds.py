"""What a proof rests on, in words: other promises that it supposes, and guards of the rules that it needs; and the
guards that one would think it needs, and it does not.

A solver names what of the given makes a step impossible, which may be more than is needed; and where it does without a
guard, so does the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from seaspec.backends.symbolic.paths.paths import Path
from seaspec.core import ir
from seaspec.prove.facts import Fact

Ground = Fact | tuple[str, str]
"""A fact that holds where a path begins, or a guard that holds on its way: of which action, and its name."""
Rooted = tuple[int | None, Ground]
"""A ground, with the location for which it is needed."""


def rooted(location: int | None, found: Iterable[Ground]) -> frozenset[Rooted]:
    """Grounds that are needed for a location."""
    return frozenset((location, ground) for ground in found)


def grounds(
    roots: Iterable[Rooted], paths: Sequence[Path], used: Callable[[int, Fact], Iterable[Rooted]]
) -> set[Rooted]:
    """All that the roots rest on, themselves with them. `used`: what a fact at the end of a path rests on."""
    into: dict[int | None, list[int]] = {}
    for place, path in enumerate(paths):
        into.setdefault(path.target, []).append(place)
    seen: set[Rooted] = set()
    waiting = list(roots)
    while waiting:
        location, ground = root = waiting.pop()
        if root in seen:
            continue
        seen.add(root)
        if isinstance(ground, Fact) and location is not None:
            for place in into.get(location, ()):
                waiting += used(place, ground)
    return seen


def in_words(game: ir.Game, name: str, found: Collection[Ground]) -> tuple[str, ...]:
    """Promises but for this one, then guards, in the order in which they are written."""
    used = {ground.guard if isinstance(ground, Fact) else ground for ground in found}
    promises = {ground.promise for ground in found if isinstance(ground, Fact)} - {name}
    guards = ((action.name, guard.name) for action in game.actions.values() for guard in action.guards)
    return (
        *(_promise(promise) for promise in game.promises if promise.name in promises),
        *dict.fromkeys(_guard(*guard) for guard in guards if guard in used),
    )


def does_without(game: ir.Game, promise: ir.Promise, rests_on: Collection[str]) -> tuple[str, ...]:
    """Of the clauses that a proved promise cites, those that guards cite, too, while its proof rests on none of these:
    the guards, each with the clause. Something else sees to it, or the promise says less than one would think."""
    guards = [
        (_guard(action.name, guard.name), guard.source.cites)
        for action in game.actions.values()
        for guard in action.guards
    ]
    found: dict[str, str] = {}
    for clause in promise.source.cites:
        citing = [guard for guard, cites in guards if clause in cites]
        if not set(citing) & set(rests_on):
            found.update((guard, clause) for guard in citing)
    return tuple(f"{guard} ({clause})" for guard, clause in found.items())


def _guard(action: str, name: str) -> str:
    return f"guard {name} of {action}"


def _promise(promise: ir.Promise) -> str:
    kind = "invariant" if isinstance(promise, ir.Invariant) else "always"
    return f"{kind} {promise.name}"
