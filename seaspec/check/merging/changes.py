"""The changes of one chapter: `set`, then `replace` (merge_replace.py), `remove`, `add`; the rest is collected."""

from __future__ import annotations

from dataclasses import replace

from seaspec.check.describe import promise_name
from seaspec.check.merging.draft import (
    Draft,
    Removal,
    Sort,
    Touch,
    check_kinds,
    inherit_tail,
    is_open,
    kinds_in,
    rename,
)
from seaspec.check.merging.replace import inherit_directions, replace_body, replace_declaration
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import near
from seaspec.syntax import tree
from seaspec.syntax.walk import walk


def change(draft: Draft, chapter: tree.Chapter) -> None:
    """Make the changes of a chapter, whose own declarations are in the draft already."""
    declarations = chapter.declarations
    for declaration in declarations:
        if isinstance(declaration, tree.SetValue) and draft.has_variant(declaration.beside):
            _set_value(draft, chapter, declaration)
        elif isinstance(declaration, tree.SetCapital):
            _set_capital(draft, chapter, declaration)
    for declaration in declarations:
        if isinstance(declaration, tree.ReplaceBody):
            replace_body(draft, chapter, declaration)
            _add_again(draft, chapter, declaration.name)
        elif isinstance(declaration, tree.ReplaceDeclaration):
            replace_declaration(draft, chapter, declaration)
            if isinstance(declaration.declaration, tree.Component | tree.Menu):
                _add_again(draft, chapter, declaration.declaration.name)
    for declaration in declarations:
        if isinstance(declaration, tree.Remove):
            for name in declaration.names:
                _remove(draft, chapter, declaration, name)
    for declaration in declarations:
        if isinstance(declaration, tree.AddItems):
            _add_items(draft, chapter, declaration)
            draft.added_items.append((chapter, declaration))
        elif isinstance(declaration, tree.AddKind):
            _add_kind(draft, chapter, declaration)
            draft.added_kinds.append((chapter, declaration))
    for declaration in declarations:
        if isinstance(declaration, tree.Forbid | tree.Allow | tree.Hook | tree.Breaks | tree.Drops):
            draft.collected.append((chapter, declaration))


# ----------------------------------------------------------------------------------------------------------------- set


def _set_value(draft: Draft, chapter: tree.Chapter, change: tree.SetValue) -> None:
    draft.touch(change.name, Touch("set", chapter, change.span))
    found = draft.look_up(change.name, change.span, chapter)
    if found is None:
        return
    if isinstance(found.node, tree.Const):
        tail = inherit_tail(change.tail, found.node.tail, {})
        draft.merged.consts[change.name] = tree.Const(change.span, change.name, change.value, tail)
    elif found.sort is Sort.OPTION:
        if chapter.kind is not tree.ChapterKind.WORLD or change.name not in draft.merged.fixed_options:
            draft.merged.fixed_options[change.name] = change
    else:
        message = f"'{change.name}' is {found.sort.words}, and only constants and options can be set"
        hint = f"say 'replace {change.name} = ..'" if found.sort is Sort.DEFINE else None
        draft.wrong_change(change.span, message, found, hint)


def _set_capital(draft: Draft, chapter: tree.Chapter, change: tree.SetCapital) -> None:
    draft.touch(change.name, Touch("set", chapter, change.span))
    found = draft.look_up(change.name, change.span, chapter)
    if found is None:
        return
    is_board = isinstance(found.node, tree.Board)
    if found.sort not in (Sort.TYPE, Sort.BOARD):
        message = f"'{change.name}' is {found.sort.words}, and only types and boards can be set"
        draft.wrong_change(change.span, message, found)
    elif is_open(found.node):
        hint = f"declare it: '{'board' if is_board else 'type'} {change.name} ..'"
        draft.wrong_change(change.span, f"'{change.name}' is left open, and nothing can be set", found, hint)
    elif isinstance(found.node, tree.TypeDecl) and not isinstance(change.form, tree.Grid):
        tail = inherit_tail(change.tail, found.node.tail, {})
        draft.merged.types[change.name] = tree.TypeDecl(change.span, change.name, change.form, tail)
    elif isinstance(found.node, tree.Board) and found.node.form and isinstance(change.form, tree.Grid):
        form = inherit_directions(change.form, found.node.form)
        tail = inherit_tail(change.tail, found.node.tail, {})
        draft.merged.boards[change.name] = tree.Board(change.span, change.name, form, tail)
    else:
        message = f"'{change.name}' is {found.sort.words}, and this is {'no grid' if is_board else 'a grid'}"
        draft.wrong_change(change.span, message, found)


# -------------------------------------------------------------------------------------------------------------- remove


def _remove(draft: Draft, chapter: tree.Chapter, change: tree.Remove, name: str) -> None:
    merged = draft.merged
    draft.touch(name, Touch("remove", chapter, change.span))
    found = draft.find(name)
    if found is not None and found.sort in (Sort.KIND, Sort.COMPONENT):
        assert isinstance(found.node, tree.KindDecl | tree.Component)
        inner = (found.node,) if isinstance(found.node, tree.KindDecl) else found.node.kinds
        for kind in kinds_in(inner):
            merged.removed_kinds.setdefault(kind.name, replace(change, names=(kind.name,)))
        return
    if found is not None:
        del draft.table(found.sort)[name]
        if found.sort in (Sort.ACTION, Sort.MENU):
            _take_off_menus(draft, change, name)
    elif any(rule.name == name for rule in merged.whenevers):
        merged.whenevers = tuple(rule for rule in merged.whenevers if rule.name != name)
    elif name in draft.promises:
        del draft.promises[name]
        merged.promises = tuple(promise for promise in merged.promises if promise_name(promise) != name)
    else:
        if name not in draft.removed or chapter is draft.removed[name].chapter:
            known = [*draft.names(), *draft.promises, *(rule.name for rule in merged.whenevers if rule.name)]
            draft.report.add(Code.NOBODY_HAS, change.span, f"nobody has '{name}'", hint=near(name, known))
        return
    draft.removed[name] = Removal(chapter, change, found.sort if found else None)


def _take_off_menus(draft: Draft, change: tree.Remove, name: str) -> None:
    for menu in draft.merged.menus.values():
        items = tuple(item for item in menu.items if item.name != name)
        if not items:
            message = f"without '{name}' nothing is left on the menu '{menu.name}'"
            hint = f"say 'replace {menu.name}(..) = ..'"
            draft.report.add(Code.EMPTY_MENU, change.span, message, hint=hint)
        elif len(items) < len(menu.items):
            draft.merged.menus[menu.name] = replace(menu, items=items)


# ----------------------------------------------------------------------------------------------------------------- add


def _add_again(draft: Draft, chapter: tree.Chapter, name: str) -> None:
    """What a variant has added to a menu or component stays when another one replaces it, if their order is open."""
    for other, items in draft.added_items:
        if items.menu == name and not draft.order.goes_before(other, chapter):
            _add_items(draft, other, items)
    for other, kind in draft.added_kinds:
        if kind.component == name and not draft.order.goes_before(other, chapter):
            _add_kind(draft, other, kind)


def _add_items(draft: Draft, chapter: tree.Chapter, change: tree.AddItems) -> None:
    found = draft.look_up(change.menu, change.span, chapter)
    if found is None:
        return
    menu = found.node
    if not isinstance(menu, tree.Menu):
        message = f"'{change.menu}' is {found.sort.words}, and options are added to menus"
        draft.wrong_change(change.span, message, found)
        return
    if len(change.params) > len(menu.params):
        draft.wrong_count(menu.name, change.span, len(change.params), len(menu.params), menu.span)
        return
    names = {new.name: old.name for new, old in zip(change.params, menu.params, strict=False)}
    items = tuple(_rename_item(item, names) for item in change.items)
    known = [*draft.merged.actions, *draft.merged.menus, *draft.removed, *_names_to_come(draft)]
    for item in items:
        if item.name not in known:
            draft.report.add(
                Code.NOBODY_HAS, item.span, f"there is no action '{item.name}'", hint=near(item.name, known)
            )
    items = tuple(item for item in items if item.name in known and item.name not in draft.removed)
    draft.merged.menus[menu.name] = replace(menu, items=(*menu.items, *items))


def _names_to_come(draft: Draft) -> list[str]:
    """Actions and menus of all chapters: an option may be added before it is declared."""
    return [
        declaration.name
        for chapter in draft.order.chapters
        for declaration in chapter.declarations
        if isinstance(declaration, tree.Action | tree.Menu)
    ]


def _rename_item(item: tree.MenuItem, names: dict[str, str]) -> tree.MenuItem:
    """An item with the parameter names of the menu; a loop's own name gives way to them."""
    if item.loop is not None and item.loop.name in set(names.values()) - {names.get(item.loop.name)}:
        taken = {node.name for node in walk(item) if isinstance(node, tree.Name)} | set(names.values())
        fresh = item.loop.name
        while fresh in taken or fresh in names:
            fresh += "_"
        names = {**names, item.loop.name: fresh}
        loop = replace(item.loop, name=fresh)
        item = replace(item, loop=loop)
    return rename(item, names)


def _add_kind(draft: Draft, chapter: tree.Chapter, change: tree.AddKind) -> None:
    name = change.component
    found = draft.look_up(name, change.span, chapter)
    if found is None:
        return
    if found.sort not in (Sort.COMPONENT, Sort.KIND):
        message = f"'{name}' is {found.sort.words}, and kinds are added to components"
        draft.wrong_change(change.span, message, found)
        return
    _forget_removed(draft, chapter, change.kind.name)
    owner = next(
        component
        for component in draft.merged.components.values()
        if component.name == name or any(kind.name == name for kind in kinds_in(component.kinds))
    )
    if owner.left_open:
        message = f"'{owner.name}' is left open, and nothing can be added"
        draft.wrong_change(change.span, message, found, f"declare it: 'component {owner.name}' and its kinds")
        return
    if not check_kinds(draft, owner.name, (change.kind,), owner.kinds):
        return
    if owner.name == name:
        kinds = (*owner.kinds, change.kind)
    else:
        kinds = tuple(_with_kind(kind, name, change.kind) for kind in owner.kinds)
    draft.merged.components[owner.name] = replace(owner, kinds=kinds)


def _with_kind(kind: tree.KindDecl, name: str, new: tree.KindDecl) -> tree.KindDecl:
    if kind.name == name:
        return replace(kind, kinds=(*kind.kinds, new))
    return replace(kind, kinds=tuple(_with_kind(inner, name, new) for inner in kind.kinds)) if kind.kinds else kind


def _forget_removed(draft: Draft, chapter: tree.Chapter, name: str) -> None:
    """A kind that was removed may be added anew (with another number, say)."""
    if draft.merged.removed_kinds.pop(name, None) is None:
        return
    draft.touch(name, Touch("add", chapter, chapter.span))
    for component in draft.merged.components.values():
        kinds = tuple(kind for kind in component.kinds if kind.name != name)
        if len(kinds) < len(component.kinds):
            draft.merged.components[component.name] = replace(component, kinds=kinds)
