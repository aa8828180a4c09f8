"""In which order chapters are merged, and for which two of them that order is settled by the text.

Modules first (what a module uses before it), then the game, then variants as stacked (what a variant builds on before
it, and what its heading names after `after`, if that is in the stack at all), then worlds. All else keeps the order
in which it was given.

Also: which variants may be played together at all. What a variant says of it holds for all that are built on it.
Whoever says `combines with` insists: that is stronger than `never with`, so a house rule that is built on one of two
variants can have both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seaspec.check.describe import describe_chapter, snake_case
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.syntax import tree

_RANK = {
    tree.ChapterKind.MODULE: 0,
    tree.ChapterKind.GAME: 1,
    tree.ChapterKind.VARIANT: 2,
    tree.ChapterKind.WORLD: 3,
}


@dataclass(frozen=True, slots=True)
class MergeOrder:
    """Chapters in merge order; `before` has for each the names of those that the text says go before it."""

    chapters: tuple[tree.Chapter, ...]
    before: Mapping[str, frozenset[str]]

    def is_settled(self, one: tree.Chapter, other: tree.Chapter) -> bool:
        """Whether the text says which of the two goes first: only then may both change the same thing."""
        if one.name == other.name or one.kind is not other.kind:
            return True
        return one.name in self.before[other.name] or other.name in self.before[one.name]

    def goes_before(self, one: tree.Chapter, other: tree.Chapter) -> bool:
        """Whether the text says that the changes of the first are made before those of the other."""
        if one.kind is not other.kind:
            return _RANK[one.kind] < _RANK[other.kind]
        return one.name in self.before[other.name]


def order_chapters(chapters: Sequence[tree.Chapter], report: Report) -> MergeOrder:
    """Put chapters into merge order; headings that run in a circle are reported, and then ignored."""
    waiting: dict[str, tree.Chapter] = {}
    for chapter in sorted(chapters, key=lambda chapter: _RANK[chapter.kind]):
        known = waiting.setdefault(chapter.name, chapter)
        if known is not chapter:
            message = f"there are two chapters '{chapter.name}'"
            report.add(Code.DECLARED_TWICE, chapter.span, message, labels=[Label(known.span, "the other")])
    wants = {name: _wanted(chapter, waiting) for name, chapter in waiting.items()}
    ordered: list[tree.Chapter] = []
    before: dict[str, frozenset[str]] = {}
    while waiting:
        free = [name for name in waiting if wants[name] <= before.keys()]
        if free:
            name = free[0]
        else:
            name = _report_circle(waiting, wants, report)
        ordered.append(waiting.pop(name))
        settled = wants[name] & before.keys()
        before[name] = settled.union(*(before[other] for other in settled))
    return MergeOrder(tuple(ordered), before)


def _wanted(chapter: tree.Chapter, known: Mapping[str, tree.Chapter]) -> frozenset[str]:
    """The chapters of the same kind that go before this one."""
    names = {*chapter.after, *([chapter.of] if chapter.of else [])}
    for declaration in chapter.declarations:
        if isinstance(declaration, tree.Uses):
            names.update(declaration.names)
    return frozenset(name for name in names if name in known and known[name].kind is chapter.kind)


def _report_circle(waiting: Mapping[str, tree.Chapter], wants: Mapping[str, frozenset[str]], report: Report) -> str:
    """Report one circle; returns the name of the chapter in it that shall go first."""
    path = [next(iter(waiting))]
    while (following := next(name for name in sorted(wants[path[-1]]) if name in waiting)) not in path:
        path.append(following)
    circle = sorted(path[path.index(following) :])
    first, *others = (waiting[name] for name in circle)
    if others:
        message = f"{', '.join(circle)} each want to go after another of them"
    else:
        message = f"{describe_chapter(first)} is built on itself"
    labels = [Label(other.span, describe_chapter(other)) for other in others]
    report.add(Code.CIRCLE, first.span, message, labels=labels)
    return first.name


# ------------------------------------------------------------------------------------------------- what goes together


def lineage(variant: tree.Chapter, chapters: Iterable[tree.Chapter]) -> list[tree.Chapter]:
    """A variant and the variants that it is built on, the nearest first."""
    known = {chapter.name: chapter for chapter in chapters}
    found = [variant]
    while (base := known.get(found[-1].of or "")) is not None and base.kind is tree.ChapterKind.VARIANT:
        if any(base is chapter for chapter in found):
            break
        found.append(base)
    return found


def is_built_on(one: tree.Chapter, other: tree.Chapter, chapters: Sequence[tree.Chapter]) -> bool:
    """Whether one of two variants is built on the other: then they always go together."""
    return _has(lineage(one, chapters), other) or _has(lineage(other, chapters), one)


def _has(chapters: Iterable[tree.Chapter], one: tree.Chapter) -> bool:
    return any(chapter.name == one.name for chapter in chapters)


def says(one: tree.Chapter, other: tree.Chapter, chapters: Sequence[tree.Chapter], allowed: bool) -> bool:
    """Whether one of two variants, or what it is built on, says `combines with` the other, or else `never with`."""
    pairs = [(a, b) for a in lineage(one, chapters) for b in lineage(other, chapters)]
    return any(_names(a, b, allowed) or _names(b, a, allowed) for a, b in pairs)


def _names(chapter: tree.Chapter, other: tree.Chapter, allowed: bool) -> bool:
    return any(
        name in (other.name, snake_case(other.name))
        for declaration in chapter.declarations
        if isinstance(declaration, tree.Combines) and declaration.allowed is allowed
        for name in declaration.names
    )


def forbidden_pairs(stack: Sequence[tree.Chapter]) -> Iterator[tuple[tree.Chapter, tree.Chapter]]:
    """The pairs of a stack of which a variant says `never with`, and nobody who is built on them `combines with`."""
    variants = [chapter for chapter in stack if chapter.kind is tree.ChapterKind.VARIANT]
    for index, one in enumerate(variants):
        for other in variants[index + 1 :]:
            if not (_names(one, other, False) or _names(other, one, False)):
                continue
            heirs = [[heir for heir in variants if _has(lineage(heir, stack), base)] for base in (one, other)]
            if not any(says(a, b, stack, True) for a in heirs[0] for b in heirs[1] if a is not b):
                yield one, other
