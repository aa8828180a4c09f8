"""Merging: from chapters (modules, a game, variants, a world) to one game, still syntax.

The chapters are taken in merge order (merge_order.py). Of each, first what it declares is added, here; then its
changes are made: `set`, `replace` (merge_replace.py), `remove`, `add`. `forbid`, `allow`, hooks, `breaks` and `drops`
are collected, and looked at when all chapters are merged (merge_final.py), because they stay with what they name
whatever becomes of its body; there, too, everything left open must have found its body. merge_draft.py holds what all
of these work on, and finds conflicts between two variants whose order is not settled.

A declaration whose name is taken is an error, with these exceptions:

- the body of something left open. A table or a constant may give the body of a define;
- a clause of a family: the first parameters have different types of pieces (`price(c: Card)`, `price(c: Coin)`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from seaspec.check.describe import describe_chapter, promise_name
from seaspec.check.merging.changes import change
from seaspec.check.merging.draft import (
    ENTRIES,
    Draft,
    Found,
    Sort,
    check_kinds,
    inherit_params,
    inherit_tail,
    is_open,
    kinds_in,
    renaming,
    table_key,
)
from seaspec.check.merging.final import finish
from seaspec.check.merging.format import format_merged
from seaspec.check.merging.merged import MergedGame
from seaspec.check.merging.order import forbidden_pairs, order_chapters
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report, Stop, near
from seaspec.source import NOWHERE
from seaspec.syntax import tree

__all__ = ["format_merged", "merge"]

_SIMPLE = {
    tree.Option: Sort.OPTION,
    tree.Const: Sort.CONST,
    tree.Shape: Sort.SHAPE,
    tree.Table: Sort.TABLE,
    tree.Place: Sort.PLACE,
    tree.State: Sort.STATE,
    tree.Picture: Sort.PICTURE,
    tree.Look: Sort.LOOK,
    tree.Rules: Sort.RULES,
    tree.Menu: Sort.MENU,
    tree.Chance: Sort.CHANCE,
}

_SORT_OF_THING: dict[type[tree.Node], Sort] = {
    tree.TypeDecl: Sort.TYPE,
    tree.Board: Sort.BOARD,
    tree.Component: Sort.COMPONENT,
}
_SORT_OF_CLAUSE: dict[type[tree.Node], Sort] = {
    tree.Define: Sort.DEFINE,
    tree.Action: Sort.ACTION,
    tree.Procedure: Sort.PROCEDURE,
}

_SORTS_OF_STEPS = (Sort.ACTION, Sort.PROCEDURE)

Clause = tree.Define | tree.Action | tree.Procedure


def merge(chapters: Sequence[tree.Chapter], report: Report) -> MergedGame:
    """Apply the changes of variants (and a world) to a game and its modules.

    Faults are reported, and what is faulty is left out as far as it can be. Without a game there is nothing to go on
    with: then `Stop` is raised.
    """
    order = order_chapters(chapters, report)
    game = _find_game(order.chapters, report)
    _check_bases(order.chapters, report)
    for one, other in forbidden_pairs(order.chapters):
        message = f"the rule book says that {one.name} and {other.name} are not played together"
        labels = [Label(one.span, one.name)]
        hint = f"who insists writes a variant of {other.name} that says 'combines with {one.name}'"
        report.add(Code.FORBIDDEN_PAIR, other.span, message, labels=labels, hint=hint)
    draft = Draft(MergedGame(game, order.chapters), order, report, _names_of_pieces(order.chapters))
    for chapter in order.chapters:
        for declaration in chapter.declarations:
            _declare(draft, declaration)
        if terms := tuple(one for one in chapter.declarations if isinstance(one, tree.Term)):
            draft.terms.append(terms)
        change(draft, chapter)
    finish(draft)
    return draft.merged


def _find_game(chapters: Sequence[tree.Chapter], report: Report) -> tree.Chapter:
    games = [chapter for chapter in chapters if chapter.kind is tree.ChapterKind.GAME]
    if not games:
        report.add(Code.ONE_GAME, chapters[0].span if chapters else NOWHERE, "there is no game to merge into")
        raise Stop(report)
    for other in games[1:]:
        labels = [Label(games[0].span, f"the other is {games[0].name}")]
        report.add(Code.ONE_GAME, other.span, f"{other.name} is a second game", labels=labels)
    return games[0]


def _check_bases(chapters: Sequence[tree.Chapter], report: Report) -> None:
    """Everything that a chapter is built on must be there."""
    builds = [c.name for c in chapters if c.kind in (tree.ChapterKind.GAME, tree.ChapterKind.VARIANT)]
    modules = [c.name for c in chapters if c.kind is tree.ChapterKind.MODULE]
    for chapter in chapters:
        if chapter.of and chapter.of not in builds:
            message = f"{describe_chapter(chapter)}: there is no {chapter.of}"
            report.add(Code.BASE_MISSING, chapter.span, message, hint=near(chapter.of, builds))
        for declaration in chapter.declarations:
            if isinstance(declaration, tree.Uses):
                for name in declaration.names:
                    if name not in modules:
                        message = f"there is no module '{name}'"
                        report.add(Code.BASE_MISSING, declaration.span, message, hint=near(name, modules))


def _names_of_pieces(chapters: Sequence[tree.Chapter]) -> frozenset[str]:
    """All names of components, their kinds, and unions of these."""
    names: set[str] = set()
    types: list[tree.TypeDecl] = []
    for chapter in chapters:
        for declaration in chapter.declarations:
            if isinstance(declaration, tree.ReplaceDeclaration):
                declaration = declaration.declaration
            if isinstance(declaration, tree.Component):
                names.update((declaration.name, *(kind.name for kind in kinds_in(declaration.kinds))))
            elif isinstance(declaration, tree.AddKind):
                names.update(kind.name for kind in kinds_in((declaration.kind,)))
            elif isinstance(declaration, tree.TypeDecl):
                types.append(declaration)  # cautious: no other names pieces; what is missed is no family, and refused
    for _ in types:
        names.update(d.name for d in types if d.type is not None and is_of_pieces(d.type, names))
    return frozenset(names)


def is_of_pieces(type: tree.TypeExpr | None, pieces: set[str] | frozenset[str]) -> bool:
    """Whether a type is one of pieces: only by such a first parameter can the clauses of a family be told apart."""
    if isinstance(type, tree.UnionType):
        return all(is_of_pieces(option, pieces) for option in type.options)
    return isinstance(type, tree.TypeName) and type.name in pieces


# -------------------------------------------------------------------------------------------------------- declarations


def _declare(draft: Draft, declaration: tree.Declaration) -> None:
    match declaration:
        case tree.Define() | tree.Action() | tree.Procedure():
            _declare_clause(draft, declaration)
        case tree.TypeDecl() | tree.Board() | tree.Component():
            _declare_thing(draft, declaration)
        case tree.Whenever():
            _declare_whenever(draft, declaration)
        case (
            tree.Option() | tree.Const() | tree.Shape() | tree.Table() | tree.Place() | tree.State() | tree.Picture()
            | tree.Look() | tree.Rules() | tree.Menu() | tree.Chance()
        ):  # fmt: skip
            _declare_simple(draft, declaration)
        case tree.Title() | tree.Term() | tree.Rulebook() | tree.Uses() | tree.Combines() | tree.Note():
            pass
        case (
            tree.ReplaceBody() | tree.ReplaceDeclaration() | tree.Remove() | tree.Forbid() | tree.Allow() | tree.Hook()
            | tree.AddItems() | tree.AddKind() | tree.SetValue() | tree.SetCapital() | tree.Breaks() | tree.Drops()
        ):  # fmt: skip
            pass
        case _:
            _declare_promise(draft, declaration)


def _declare_promise(draft: Draft, promise: tree.Promise) -> None:
    name = promise_name(promise)
    has_own_name = not isinstance(promise, tree.NeverStuck | tree.Ends | tree.Secret | tree.OddsPromise)
    if has_own_name and name in draft.promises:
        hint = "a promise is never replaced: 'drops' the older one, and give this one another name"
        draft.twice(name, promise.span, draft.promises[name], hint)
        return
    draft.promises.setdefault(name, promise.span)
    draft.merged.promises += (promise,)


def _declare_whenever(draft: Draft, rule: tree.Whenever) -> None:
    for other in draft.merged.whenevers:
        if rule.name is not None and rule.name == other.name:
            draft.twice(rule.name, rule.span, other.span, f"to change it: 'remove {rule.name}', and another name here")
            return
    draft.merged.whenevers += (rule,)


def _declare_simple(
    draft: Draft,
    declaration: (
        tree.Option | tree.Const | tree.Shape | tree.Table | tree.Place | tree.State | tree.Picture | tree.Look
        | tree.Rules | tree.Menu | tree.Chance
    ),
) -> None:  # fmt: skip
    name = table_key(declaration) if isinstance(declaration, tree.Table) else declaration.name
    found = draft.find(name)
    sort = _SIMPLE[type(declaration)]
    if found is None or (sort is Sort.SHAPE and found.sort is Sort.KIND):
        draft.table(sort)[name] = declaration
    elif found.sort is Sort.DEFINE and isinstance(declaration, tree.Table | tree.Const):
        _give_body(draft, name, declaration)
    else:
        _two_bodies(draft, name, declaration, found.node)


def _give_body(draft: Draft, name: str, body: tree.Table | tree.Const) -> None:
    """A table or a constant gives the body of a define that was left open."""
    (define, *others) = draft.merged.defines[name]
    params = body.params if isinstance(body, tree.Table) else ()
    if others or define.body is not None:
        _two_bodies(draft, name, body, define)
    elif len(params) != len(define.params):
        draft.filled[name] = define.span
        draft.wrong_count(name, body.span, len(params), len(define.params), define.span)
    else:
        del draft.merged.defines[name]
        draft.filled[name] = define.span
        if isinstance(body, tree.Table):
            names = renaming(define.params, params)
            params = inherit_params(params, define.params, names)
            table = replace(body, params=params, tail=inherit_tail(body.tail, define.tail, names))
            draft.merged.tables[name] = table
        else:
            draft.merged.consts[name] = replace(body, tail=inherit_tail(body.tail, define.tail, {}))


def _two_bodies(draft: Draft, name: str, new: tree.Declaration, old: tree.Node) -> None:
    """Report a name that is taken: a second body of what was left open, or just a second declaration."""
    opened = draft.filled.get(name)
    if opened is None:
        found = draft.find(name)
        hint = _hint_to_change(found) if found else None
        draft.twice(name, new.span, old.span, hint)
    else:
        labels = [Label(old.span, "the other body"), Label(opened, "left open here")]
        draft.report.add(Code.TWO_BODIES, new.span, f"'{name}' has two bodies", labels=labels)


def _hint_to_change(found: Found) -> str | None:
    match found.sort:
        case Sort.OPTION | Sort.CONST | Sort.TYPE | Sort.BOARD:
            return "to change it, say 'set'"
        case Sort.KIND | Sort.SHAPE:
            return None
        case Sort.TABLE | Sort.COMPONENT | Sort.MENU | Sort.PLACE | Sort.STATE | Sort.PICTURE | Sort.LOOK:
            return f"to change it, say 'replace {found.sort.home.removesuffix('s')} ..'"
        case _:
            return "to change it, say 'replace'"


def _declare_thing(draft: Draft, declaration: tree.TypeDecl | tree.Board | tree.Component) -> None:
    name = declaration.name
    if isinstance(declaration, tree.Component):
        check_kinds(draft, name, declaration.kinds, ())
    found = draft.find(name)
    if found is None:
        draft.table(_SORT_OF_THING[type(declaration)])[name] = declaration
    elif found.sort is not _SORT_OF_THING[type(declaration)]:
        draft.twice(name, declaration.span, found.node.span)
    else:
        assert isinstance(found.node, tree.TypeDecl | tree.Board | tree.Component)
        _join_things(draft, found.node, declaration)


def _join_things(
    draft: Draft, old: tree.TypeDecl | tree.Board | tree.Component, new: tree.TypeDecl | tree.Board | tree.Component
) -> None:
    """Two declarations of one type, board or component: one of them must be left open."""
    if not is_open(old) and not is_open(new):
        _two_bodies(draft, new.name, new, old)
        return
    opened, body = (old, new) if is_open(old) else (new, old)
    if not is_open(body):
        draft.filled[new.name] = opened.span
    tail = inherit_tail(body.tail, opened.tail, {})
    if isinstance(body, tree.TypeDecl):
        draft.merged.types[body.name] = replace(body, tail=tail)
    elif isinstance(body, tree.Board):
        draft.merged.boards[body.name] = replace(body, tail=tail)
    elif isinstance(opened, tree.Component):
        if body.facts and opened.facts and body.facts != opened.facts:
            message = f"the facts of {body.name} are not those with which it was left open"
            labels = [Label(opened.span, "left open here")]
            draft.report.add(Code.WRONG_CHANGE, body.span, message, labels=labels, hint="leave the facts out here")
        facts = opened.facts or body.facts
        requires = body.requires or opened.requires
        draft.merged.components[body.name] = replace(body, facts=facts, requires=requires, tail=tail)


# -------------------------------------------------------------------------------------------------- clauses of families


def _declare_clause(draft: Draft, declaration: Clause) -> None:
    name, sort = declaration.name, _SORT_OF_CLAUSE[type(declaration)]
    found = draft.find(name)
    if name in ENTRIES and name not in draft.table(sort) and (found is None or found.sort in _SORTS_OF_STEPS):
        found = None
    elif name in ENTRIES and sort is Sort.PROCEDURE:
        found = draft.entry(name, ()) or found
    if found is None:
        draft.table(sort)[name] = (declaration,)
        return
    if found.sort is not sort:
        if isinstance(declaration, tree.Define) and is_open(declaration) and isinstance(found.node, tree.Table):
            draft.filled[name] = declaration.span
        else:
            draft.twice(name, declaration.span, found.node.span)
        return
    clauses = cast(tuple[Clause, ...], draft.table(sort)[name])
    new_type = _kind_of_clause(draft, declaration)
    for index, clause in enumerate(clauses):
        old_type = _kind_of_clause(draft, clause)
        if old_type is None or new_type is None or old_type == new_type:
            joined = _join_clauses(draft, clause, declaration)
            draft.table(sort)[name] = (*clauses[:index], joined, *clauses[index + 1 :])
            return
    if len(declaration.params) != len(clauses[0].params):
        draft.wrong_count(name, declaration.span, len(declaration.params), len(clauses[0].params), clauses[0].span)
        return
    draft.table(sort)[name] = (*clauses, declaration)


def _kind_of_clause(draft: Draft, clause: Clause) -> tree.TypeExpr | None:
    """The type of pieces that tells this clause from the others of its family."""
    type = clause.params[0].type if clause.params else None
    return type if is_of_pieces(type, draft.kinds) else None


def _join_clauses(draft: Draft, old: Clause, new: Clause) -> Clause:
    """Two declarations for the same arguments: one of them must be left open."""
    if not is_open(old) and not is_open(new):
        _two_bodies(draft, new.name, new, old)
        return old
    opened, body = (old, new) if is_open(old) else (new, old)
    if not is_open(body):
        draft.filled[new.name] = opened.span
    if len(new.params) != len(old.params):
        draft.wrong_count(new.name, new.span, len(new.params), len(old.params), old.span)
        return old
    names = renaming(opened.params, body.params)
    params = inherit_params(body.params, opened.params, names)
    tail = inherit_tail(body.tail, opened.tail, names)
    if isinstance(body, tree.Define) and isinstance(opened, tree.Define):
        return replace(body, params=params, tail=tail, result=body.result or opened.result)
    return replace(body, params=params, tail=tail)
