"""Variants, as what they change: each rule before and after, what is struck, and what becomes of the promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from seaspec.book.contents import Check, Contents, Sort, Thing, changed_names, sort_of
from seaspec.book.links import Book, names_of
from seaspec.book.texts import folded, prose, rows, said
from seaspec.book.verdicts import blamed, lost, stepped
from seaspec.check.merging.draft import is_open
from seaspec.syntax import tree

_PUT_IN_PLACE = (tree.ReplaceBody, tree.ReplaceDeclaration, tree.SetValue, tree.SetCapital)
_GIVEN_UP = (tree.Drops, tree.Breaks)
_MOST_SHOWN = 4
"""So many clauses of what is changed are shown as they were."""


def is_change(node: tree.Declaration) -> bool:
    return bool(changed_names(node))


def before_and_after(book: Book, thing: Thing) -> str:
    """A change, with what it changes as it was before."""
    if isinstance(thing.node, _GIVEN_UP):
        lines = "".join(f"<li>{_given_up(book, thing, name)}</li>" for name in changed_names(thing.node))
        return f"<ul>{lines}</ul><p>for {prose(thing.node.because)}</p>"
    earlier = [found for name in changed_names(thing.node) for found in _earlier(book, thing, name)]
    more = f"<p>and {len(earlier) - _MOST_SHOWN} more</p>" if len(earlier) > _MOST_SHOWN else ""
    if isinstance(thing.node, tree.Remove):
        struck = "".join(_struck(book, one) for one in earlier)
        return f'<div class="before struck"><b>not any more</b>{struck}</div>'
    was = "".join(book.written(one) for one in earlier[:_MOST_SHOWN]) + more
    now = f'<div class="after"><b>with {_called(thing)}</b>{book.written(thing)}</div>'
    if not was:
        return now
    if isinstance(thing.node, _PUT_IN_PLACE):
        return f'<div class="before"><b>before</b>{was}</div>\n{now}'
    return f"{now}\n{folded('what it is added to', was)}"


def _earlier(book: Book, thing: Thing, name: str) -> Iterator[Thing]:
    """What has a name in the chapters that a variant builds on; where none of them has it, in any other one."""
    declared = [one for one in book.declared.get(name, ()) if one.chapter.name != thing.chapter.name]
    base = [one for one in declared if one.chapter.kind is not tree.ChapterKind.VARIANT]
    built_on = {thing.chapter.of, *thing.chapter.after}
    found = base + [one for one in declared if one not in base and one.chapter.name in built_on] or declared
    yield from [one for one in found if not is_open(one.node)] or found


def _struck(book: Book, thing: Thing) -> str:
    sentence = f" <i>{said(thing.tail.sentence)}</i>" if thing.tail.sentence is not None else ""
    return f"<del>{book.to_thing(thing)}{sentence}</del>{folded('as it was', book.written(thing))}"


def _given_up(book: Book, thing: Thing, name: str) -> str:
    of = next(_earlier(book, thing, name), None)
    if of is None:
        return f"<del>{escape(name)}</del>"
    sentence = f" <i>{said(of.tail.sentence)}</i>" if of.tail.sentence is not None else ""
    return f"<del>{book.to_thing(of)}{sentence}</del>"


def _called(thing: Thing) -> str:
    """The variant, as its author calls it."""
    return said(thing.chapter.tail.sentence) or escape(thing.chapter.name)


def marks(book: Book, thing: Thing) -> Iterator[str]:
    """Beside a rule, in a book with variants: what they make of it."""
    if thing.chapter.kind is tree.ChapterKind.VARIANT:
        if not book.here.startswith("variant-"):
            yield f'<p class="margin">by {_called(thing)}</p>'
        return
    names = [*names_of(thing.node), *([thing.name] if sort_of(thing.node) != Sort.RULE else ())]
    for change in [change for name in names for change in book.changes.get(name, ())]:
        what = "struck by" if isinstance(change.node, (tree.Remove, *_GIVEN_UP)) else "changed by"
        yield (
            f'<div class="margin"><p>{what} {_called(change)}: {book.to_thing(change)}</p>{book.written(change)}</div>'
        )


def summary(book: Book, part: Contents) -> str:
    """What is different, in lines."""
    found: dict[str, list[Thing]] = {}
    for thing in part.things:
        found.setdefault(_what(thing.node), []).append(thing)
    lines = [f"- {words}: {', '.join(map(book.to_thing, things))}" for words, things in found.items()]
    return "\n".join(sorted(lines, key=lambda line: list(_ORDER).index(line[2:].partition(":")[0])))


def in_short(part: Contents) -> str:
    """How much is different."""
    counts = Counter(_what(thing.node) for thing in part.things)
    told = [f"{counts[words]} {short}" for words, short in _SHORT.items() if counts[words]]
    return ", ".join(told)


_SHORT = {"changed": "changed", "removed": "removed", "added": "new", "shown by examples": "examples"}
_ORDER = ("changed", "removed", "added", "shown by examples", "promised besides", "not promised any more")


def _what(node: tree.Declaration) -> str:
    if isinstance(node, _GIVEN_UP):
        return "not promised any more"
    if isinstance(node, tree.Remove):
        return "removed"
    if is_change(node):
        return "changed"
    return {Sort.PROMISE: "promised besides", Sort.EXAMPLE: "shown by examples"}.get(sort_of(node), "added")


def changed_examples(book: Book, variant: str, check: Check) -> Iterator[str]:
    """The worked examples of the base that end otherwise, stepped."""
    if not check.changed:
        return
    yield book.heading("What ends otherwise")
    drawn = book.alone[variant].changed if variant in book.alone else {}
    for name, because in check.changed.items():
        steps = drawn.get(name)
        play = stepped(book, f"{book.here}-{name}", steps) if steps else ""
        yield folded(f"the example {book.named(name)}", play + blamed(because))


def promises(book: Book, variant: str, check: Check, command: str) -> Iterator[str]:
    """What becomes of the promises, as far as a check of the variant tells; and what it changes in numbers."""
    if not check.verdicts:
        yield f"What becomes of the promises is not checked yet: `{command}` tells it."
        return
    base = book.check.verdicts
    lines = []
    for name in dict.fromkeys([*base, *check.verdicts]):
        before, after = base.get(name), check.verdicts.get(name)
        same = before is not None and after is not None and before.level == after.level
        if not same:
            fate = "gained" if before is None else "given up" if after is None else _fate(before.kept, after.kept)
            shown = [verdict.level if verdict is not None else "" for verdict in (before, after)]
            lines.append([book.named(name), *shown, fate])
    same_number = len(check.verdicts) - sum(bool(line[2]) for line in lines)
    if lines:
        yield rows(("promise", "without it", "with it", ""), lines)
    yield from lost(book, variant, check.verdicts)
    yield f"{same_number} promises stand as before." + (" (The check is stale.)" if check.stale else "")
    if check.card:
        cells = [[prose(what), before, after, "differs" if sure else ""] for what, before, after, sure in check.card]
        yield rows(("in random plays", "without it", "with it", ""), cells)


def _fate(before: bool | None, after: bool | None) -> str:
    if after is False:
        return "**lost**"
    return "kept" if after else "not decided" if before else ""
