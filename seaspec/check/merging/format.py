"""The merged game as text: one chapter, which parses back and merges to the same game.

What variants forbid, allow and hook follows what it belongs to. Only what is about other chapters is left out (`uses`,
`combines with`), and examples that name something removed, for they do not apply.
"""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.check.merging.draft import kinds_in
from seaspec.check.merging.merged import MergedGame
from seaspec.syntax import tree
from seaspec.syntax.format import format_chapter
from seaspec.syntax.walk import walk


def format_merged(merged: MergedGame) -> str:
    """The merged game as .sea text."""
    return format_chapter(as_chapter(merged))


def as_chapter(merged: MergedGame) -> tree.Chapter:
    """The merged game as one chapter, in an order that reads well."""
    game = merged.game
    declarations = (*_about(merged), *_things(merged), *_words(merged), *_flow(merged), *_promises(merged))
    return tree.Chapter(game.span, tree.ChapterKind.GAME, game.name, None, (), game.tail, declarations)


def _about(merged: MergedGame) -> Iterator[tree.Declaration]:
    for declaration in merged.game.declarations:
        if isinstance(declaration, tree.Title | tree.Rulebook):
            yield declaration
    for chapter in merged.chapters:
        yield from (declaration for declaration in chapter.declarations if isinstance(declaration, tree.Note))
    for language in dict.fromkeys(language for language, _ in merged.terms):
        words = tuple(word for (of, _), word in merged.terms.items() if of == language)
        yield tree.Term(words[0].span, language, words)


def _things(merged: MergedGame) -> Iterator[tree.Declaration]:
    yield from merged.options.values()
    yield from merged.fixed_options.values()
    yield from merged.consts.values()
    yield from merged.types.values()
    yield from merged.boards.values()
    yield from merged.tables.values()
    yield from merged.shapes.values()
    for component in merged.components.values():
        yield component
        removed = dict.fromkeys(kind.name for kind in kinds_in(component.kinds) if kind.name in merged.removed_kinds)
        yield from (merged.removed_kinds[name] for name in removed)
    yield from merged.places.values()
    yield from merged.states.values()
    yield from merged.pictures.values()
    yield from merged.looks.values()


def _words(merged: MergedGame) -> Iterator[tree.Declaration]:
    for defines in merged.defines.values():
        yield from defines
    yield from merged.rules.values()
    yield from merged.chances.values()


def _flow(merged: MergedGame) -> Iterator[tree.Declaration]:
    for name, actions in merged.actions.items():
        yield from actions
        yield from merged.forbids.get(name, ())
        yield from merged.allows.get(name, ())
        yield from _hooks(merged, name)
    yield from merged.menus.values()
    for name, procedures in merged.procedures.items():
        for procedure in procedures:
            yield tree.Procedure(
                procedure.span, procedure.name, procedure.params, procedure.body or None, procedure.tail
            )
        if name not in merged.actions:
            yield from _hooks(merged, name)
    yield from merged.whenevers


def _hooks(merged: MergedGame, name: str) -> Iterator[tree.Hook]:
    yield from merged.before.get(name, ())
    yield from merged.after.get(name, ())


def _promises(merged: MergedGame) -> Iterator[tree.Declaration]:
    for promise in merged.promises:
        if not isinstance(promise, tree.Example) or not _names_removed(promise, merged):
            yield promise
    yield from merged.breaks.values()


def _names_removed(example: tree.Example, merged: MergedGame) -> bool:
    """Whether an example names something that is not there any more, so that it does not apply."""
    names = {node.name for node in walk(example) if isinstance(node, tree.Name | tree.MenuItem)}
    return any(name in merged.removed for name in names)
