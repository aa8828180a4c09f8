"""`replace`: a new body takes the place of an older one, which `base(..)` still means.

If the new body says `base`, the older one is kept under a name of its own (`limit_before_storms`), and `base` becomes
that name; when several variants replace the same thing, each means by `base` the one before. What a variant replaces
keeps its name, so hooks, `forbid` and `allow` of whatever chapter belong to the new body.

- Parameters without a type take the types of what is replaced. Of a family, all clauses are replaced, and the first
  parameter takes the union of their types; a first parameter with the type of one clause replaces that clause alone.
- An action is replaced with its guards. The older body, if `base` calls it, is a procedure without guards: these are
  judged once, when the (new) action is chosen.
- An older define that calls itself goes on calling itself, not the new one: it must still shrink.
- In a menu, `base` stands for all the older options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from seaspec.check.describe import snake_case
from seaspec.check.merging.draft import (
    Draft,
    Found,
    Sort,
    Touch,
    check_kinds,
    inherit_params,
    inherit_tail,
    kinds_in,
    rename,
    renaming,
    table_key,
)
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.walk import rewrite, walk

BASE = "base"

Clause = tree.Define | tree.Action | tree.Procedure
AnyClause = TypeVar("AnyClause", tree.Define, tree.Action, tree.Procedure, tree.Rules, tree.Chance, tree.Table)


@dataclass(frozen=True, slots=True)
class Change:
    """A `replace`, as written."""

    chapter: tree.Chapter
    name: str
    params: tuple[tree.Param, ...]
    span: Span
    tail: tree.Tail
    value: tree.Expr | None = None
    body: tuple[tree.Statement, ...] | None = None
    result: tree.TypeExpr | None = None
    shrinking: str | None = None


def replace_body(draft: Draft, chapter: tree.Chapter, written: tree.ReplaceBody) -> None:
    """`replace f(x) = e`, or with a block."""
    change = Change(
        chapter, written.name, written.params or (), written.span, written.tail, written.value, written.body
    )
    found = _look_up(draft, change)
    if found is None:
        return
    match found.node:
        case tree.Define() | tree.Table():
            if change.value is None:
                message = f"'{change.name}' is {found.sort.words}: it takes a value, not steps"
                draft.wrong_change(change.span, message, found, f"say 'replace {change.name}(..) = ..'")
            else:
                _replace_value(draft, change)
        case tree.Action() | tree.Procedure():
            if _takes_block(draft, change, found):
                _replace_steps(draft, change, found.sort)
        case tree.Rules() | tree.Chance():
            if _takes_block(draft, change, found):
                _replace_single(draft, change, found.node)
        case tree.Menu():
            items = None if change.value is None else _as_items(change.value)
            if items is None:
                draft.wrong_change(change.span, f"'{change.name}' is a menu: it takes options", found)
            else:
                _replace_menu(draft, change, found.node, items)
        case _:  # cautious: it is refused
            by_set = found.sort in (Sort.CONST, Sort.OPTION, Sort.TYPE, Sort.BOARD)
            hint = f"say 'set {change.name} = ..'" if by_set else None
            if found.sort in (Sort.PLACE, Sort.STATE, Sort.COMPONENT, Sort.PICTURE, Sort.LOOK):
                hint = f"say 'replace {found.sort.home.removesuffix('s')} {change.name} ..' and all of it anew"
            draft.wrong_change(change.span, f"'{change.name}' is {found.sort.words}: it has no body", found, hint)


def replace_declaration(draft: Draft, chapter: tree.Chapter, written: tree.ReplaceDeclaration) -> None:
    """`replace component Card`, `replace table worth(..)`, and the like: a whole declaration."""
    new = written.declaration
    name = table_key(new) if isinstance(new, tree.Table) else new.name
    params = new.params if isinstance(new, tree.Define | tree.Table | tree.Menu) else ()
    change = Change(chapter, name, params, new.span, new.tail)
    found = _look_up(draft, change)
    if found is None:
        return
    match new, found.node:
        case tree.Define(), tree.Define() | tree.Table():
            _replace_value(draft, replace(change, value=new.body, result=new.result, shrinking=new.shrinking))
        case tree.Table(), tree.Define() | tree.Table():
            _replace_by_table(draft, change, new)
        case tree.Menu(), tree.Menu():
            _replace_menu(draft, change, found.node, new.items)
        case tree.Component(), tree.Component():
            _replace_component(draft, chapter, new, found.node)
        case tree.Board(), tree.Board():
            _replace_board(draft, new, found.node)
        case tree.Place(), tree.Place():
            if _counts_agree(draft, change, new.index, found.node.index, found):
                draft.merged.places[name] = replace(new, index=inherit_params(new.index, found.node.index, {}))
        case tree.State(), tree.State():
            if _counts_agree(draft, change, new.index, found.node.index, found):
                draft.merged.states[name] = replace(new, index=inherit_params(new.index, found.node.index, {}))
        case tree.Picture(), tree.Picture():
            draft.merged.pictures[name] = replace(new, tail=inherit_tail(new.tail, found.node.tail, {}))
        case tree.Look(), tree.Look():
            draft.merged.looks[name] = replace(new, tail=inherit_tail(new.tail, found.node.tail, {}))
        case _:  # cautious: it is refused
            draft.wrong_change(new.span, f"'{name}' is {found.sort.words}", found)


def _look_up(draft: Draft, change: Change) -> Found | None:
    clause = change.params[0].type if change.params else None
    found = draft.find(change.name)
    if found is not None and found.sort in (Sort.DEFINE, Sort.ACTION, Sort.PROCEDURE):
        clauses = cast(tuple[Clause, ...], draft.table(found.sort)[change.name])
        if not any(other.params and other.params[0].type == clause for other in clauses) or len(clauses) == 1:
            clause = None
    else:
        clause = None
    draft.touch(change.name, Touch("replace", change.chapter, change.span, clause))
    return draft.entry(change.name, change.params) or draft.look_up(change.name, change.span, change.chapter)


def _takes_block(draft: Draft, change: Change, found: Found) -> bool:
    if change.body is not None:
        return True
    message = f"'{change.name}' is {found.sort.words}: it takes steps, not a value"
    draft.wrong_change(change.span, message, found, f"say 'replace {change.name}(..): ..', or a block")
    return False


def _counts_agree(
    draft: Draft, change: Change, new: Sequence[tree.Param], old: Sequence[tree.Param], found: Found
) -> bool:
    if len(new) == len(old):
        return True
    draft.wrong_count(change.name, change.span, len(new), len(old), found.node.span)
    return False


# ------------------------------------------------------------------------------------------------------------ families


@dataclass(frozen=True, slots=True)
class _Older:
    """What is replaced: some or all clauses of a family, and what stays of it."""

    replaced: tuple[Clause, ...]
    kept: tuple[Clause, ...]
    params: tuple[tree.Param, ...]


def _older_clauses(draft: Draft, change: Change, sort: Sort) -> _Older | None:
    clauses = cast(tuple[Clause, ...], draft.table(sort)[change.name])
    wanted = change.params[0].type if change.params else None
    chosen = tuple(c for c in clauses if wanted is not None and c.params and c.params[0].type == wanted) or clauses
    (first, *others) = chosen
    if not _counts_agree(draft, change, change.params, first.params, Found(sort, first)):
        return None
    params = first.params
    if others:
        types = tuple(dict.fromkeys(c.params[0].type for c in chosen if c.params[0].type is not None))
        types = tuple(t for t in types if not _is_kind_of_another(draft, t, types))
        union = types[0] if len(types) == 1 else tree.UnionType(params[0].span, types)
        params = (tree.Param(params[0].span, params[0].name, union), *params[1:])
    return _Older(chosen, tuple(c for c in clauses if c not in chosen), params)


def _is_kind_of_another(draft: Draft, type: tree.TypeExpr, types: Sequence[tree.TypeExpr]) -> bool:
    """Whether all pieces of one type are of another one in the list: `Joker` beside `Card`."""
    names = {other.name for other in types if isinstance(other, tree.TypeName)}
    if not isinstance(type, tree.TypeName):
        return False
    return any(
        type.name in path[1:] and names & set(path[: path.index(type.name)])
        for component in draft.merged.components.values()
        for path in _paths(component)
    )


def _paths(parent: tree.Component | tree.KindDecl) -> list[list[str]]:
    """The names from a component down to each of its kinds."""
    return [[parent.name]] + [[parent.name, *path] for kind in parent.kinds for path in _paths(kind)]


def _replace_value(draft: Draft, change: Change) -> None:
    """The new body of a define (or of a table, which becomes a define)."""
    sort = Sort.DEFINE if change.name in draft.merged.defines else Sort.TABLE
    result: tree.TypeExpr | None
    shrinking: str | None
    if sort is Sort.TABLE:
        table = draft.merged.tables[change.name]
        if not _counts_agree(draft, change, change.params, table.params, Found(sort, table)):
            return
        older = _Older((), (), table.params)
        result, shrinking, old_tail = table.type, None, table.tail
    else:
        clauses = _older_clauses(draft, change, sort)
        if clauses is None:
            return
        older = clauses
        defines = cast(tuple[tree.Define, ...], older.replaced)
        if any(define.body is None for define in defines):
            message = f"'{change.name}' is left open: there is nothing to replace"
            found = Found(sort, defines[0])
            draft.wrong_change(change.span, message, found, f"declare it: 'define {change.name} ..'")
            return
        results = {define.result for define in defines}
        result = results.pop() if len(results) == 1 else None
        shrinking, old_tail = defines[0].shrinking, defines[0].tail
    names = renaming(older.params, change.params)
    value, fresh = _base_is(draft, change, change.value)
    define = tree.Define(
        change.span,
        change.name,
        inherit_params(change.params, older.params, names),
        change.result or result,
        change.shrinking or (names.get(shrinking, shrinking) if shrinking else None),
        value,
        inherit_tail(change.tail, old_tail, names),
    )
    if sort is Sort.TABLE:
        table = draft.merged.tables.pop(change.name)
        if fresh:
            draft.merged.tables[fresh] = replace(table, name=fresh)
        draft.merged.defines[change.name] = (define,)
    else:
        if fresh:
            kept = tuple(_calling_itself(clause, fresh) for clause in cast(tuple[tree.Define, ...], older.replaced))
            draft.merged.defines[fresh] = kept
        draft.merged.defines[change.name] = (*cast(tuple[tree.Define, ...], older.kept), define)


def _calling_itself(define: tree.Define, fresh: str) -> tree.Define:
    old_name = define.name
    define = replace(define, name=fresh)
    return rename(define, {old_name: fresh}) if define.shrinking else define


def _replace_steps(draft: Draft, change: Change, sort: Sort) -> None:
    """The new body of an action or a procedure."""
    older = _older_clauses(draft, change, sort)
    if older is None or change.body is None:
        return
    names = renaming(older.params, change.params)
    body, fresh = _base_in_steps(draft, change, change.body)
    params = inherit_params(change.params, older.params, names)
    tail = inherit_tail(change.tail, older.replaced[0].tail, names)
    if sort is Sort.PROCEDURE:
        procedure = tree.Procedure(change.span, change.name, params, body, tail)
        draft.merged.procedures[change.name] = (*cast(tuple[tree.Procedure, ...], older.kept), procedure)
    else:
        action = tree.Action(change.span, change.name, params, body, tail)
        draft.merged.actions[change.name] = (*cast(tuple[tree.Action, ...], older.kept), action)
    if fresh is None:
        return
    if sort is Sort.ACTION and _offers_base(change.body):
        actions = cast(tuple[tree.Action, ...], older.replaced)
        draft.merged.actions[fresh] = tuple(replace(clause, name=fresh) for clause in actions)
    else:
        steps = cast(tuple[tree.Action | tree.Procedure, ...], older.replaced)
        draft.merged.procedures[fresh] = tuple(
            tree.Procedure(clause.span, fresh, clause.params, _without_guards(clause.body or ()), clause.tail)
            for clause in steps
        )


def _without_guards(body: tuple[tree.Statement, ...]) -> tuple[tree.Statement, ...]:
    return tuple(statement for statement in body if not isinstance(statement, tree.Needs))


def _offers_base(body: tuple[tree.Statement, ...]) -> bool:
    return any(isinstance(node, tree.MenuItem) and node.name == BASE for node in walk(*body))


# ------------------------------------------------------------------------------------------------------ things alone


def _replace_single(draft: Draft, change: Change, old: tree.Rules | tree.Chance) -> None:
    """The new body of a list of rules or of a throw."""
    found = Found(Sort.RULES if isinstance(old, tree.Rules) else Sort.CHANCE, old)
    if change.body is None or not _counts_agree(draft, change, change.params, old.params, found):
        return
    names = renaming(old.params, change.params)
    params = inherit_params(change.params, old.params, names)
    body, fresh = _base_in_steps(draft, change, change.body)
    tail = inherit_tail(change.tail, old.tail, names)
    if isinstance(old, tree.Rules):
        draft.merged.rules[change.name] = tree.Rules(change.span, change.name, params, body, tail)
        if fresh:
            draft.merged.rules[fresh] = replace(old, name=fresh)
    else:
        draft.merged.chances[change.name] = tree.Chance(change.span, change.name, params, body, tail)
        if fresh:
            draft.merged.chances[fresh] = replace(old, name=fresh)


def _replace_by_table(draft: Draft, change: Change, new: tree.Table) -> None:
    old: tree.Define | tree.Table
    if change.name in draft.merged.defines:
        (old, *others) = draft.merged.defines[change.name]
        if others:
            found = Found(Sort.DEFINE, old)
            draft.wrong_change(change.span, f"'{change.name}' is a family, and this is a table", found)
            return
    else:
        old = draft.merged.tables[change.name]
    if not _counts_agree(draft, change, new.params, old.params, Found(Sort.TABLE, old)):
        return
    names = renaming(old.params, new.params)
    params = inherit_params(new.params, old.params, names)
    value, fresh = _base_is(draft, change, new.value)
    if isinstance(old, tree.Define):
        del draft.merged.defines[change.name]
        if fresh:
            draft.merged.defines[fresh] = (_calling_itself(old, fresh),)
    elif fresh:
        draft.merged.tables[fresh] = replace(old, name=fresh)
    tail = inherit_tail(new.tail, old.tail, names)
    draft.merged.tables[change.name] = replace(new, params=params, value=value, tail=tail)


def _replace_menu(draft: Draft, change: Change, old: tree.Menu, items: tuple[tree.MenuItem, ...]) -> None:
    if not _counts_agree(draft, change, change.params, old.params, Found(Sort.MENU, old)):
        return
    names = renaming(old.params, change.params)
    spliced: list[tree.MenuItem] = []
    for item in items:
        spliced.extend((rename(older, names) for older in old.items) if item.name == BASE else (item,))
    params = inherit_params(change.params, old.params, names)
    tail = inherit_tail(change.tail, old.tail, names)
    draft.merged.menus[change.name] = tree.Menu(change.span, change.name, params, tuple(spliced), tail)


def _as_items(value: tree.Expr) -> tuple[tree.MenuItem, ...] | None:
    """The options of a menu, which `replace deed(p) = play or finish(p)` wrote like an expression."""
    match value:
        case tree.Binary(op=tree.Operator.OR, left=left, right=right):
            one, other = _as_items(left), _as_items(right)
            return None if one is None or other is None else one + other
        case tree.Name(span=span, name=name):
            return (tree.MenuItem(span, name),)
        case tree.Apply(span=span, function=tree.Name(name=name), arguments=arguments):
            return (tree.MenuItem(span, name, arguments),)
        case _:  # cautious: no option of a menu; it is refused
            return None


def _replace_component(draft: Draft, chapter: tree.Chapter, new: tree.Component, old: tree.Component) -> None:
    check_kinds(draft, new.name, new.kinds, ())
    for kind in kinds_in(new.kinds):
        gone = draft.merged.removed_kinds.get(kind.name)
        if gone is not None and _removed_before(draft, kind.name, chapter):
            del draft.merged.removed_kinds[kind.name]
    if old.left_open:
        _report_open(draft, new, old.span, f"declare it: 'component {new.name} ..'")
        return
    requires = new.requires or old.requires
    tail = inherit_tail(new.tail, old.tail, {})
    draft.merged.components[new.name] = replace(new, facts=new.facts or old.facts, requires=requires, tail=tail)


def _replace_board(draft: Draft, new: tree.Board, old: tree.Board) -> None:
    if new.form is None or old.form is None:
        _report_open(draft, new, old.span, f"declare it: 'board {new.name}: ..'")
        return
    form = inherit_directions(new.form, old.form)
    draft.merged.boards[new.name] = replace(new, form=form, tail=inherit_tail(new.tail, old.tail, {}))


def inherit_directions(
    new: tree.Grid | tree.DrawnBoard, old: tree.Grid | tree.DrawnBoard
) -> tree.Grid | tree.DrawnBoard:
    """A board that does not say `from` or `towards` keeps what the older one says."""
    towards = new.towards or old.towards
    if isinstance(new, tree.Grid) and isinstance(old, tree.Grid) and new.from_top is None:
        return replace(new, from_top=old.from_top, towards=towards)
    return replace(new, towards=towards)


def _report_open(draft: Draft, new: tree.Component | tree.Board, old: Span, hint: str) -> None:
    labels = [Label(old, "left open here")]
    message = f"'{new.name}' is left open: there is nothing to replace"
    draft.report.add(Code.WRONG_CHANGE, new.span, message, labels=labels, hint=hint)


def _removed_before(draft: Draft, kind: str, chapter: tree.Chapter) -> bool:
    """Whether it is settled that a kind was removed before this chapter."""
    change = draft.merged.removed_kinds[kind]
    owner = next(c for c in draft.order.chapters if any(d.span is change.span for d in c.declarations))
    return owner is chapter or draft.order.goes_before(owner, chapter)


# ---------------------------------------------------------------------------------------------------------- `base(..)`


def _base_is(draft: Draft, change: Change, value: tree.Expr | None) -> tuple[tree.Expr | None, str | None]:
    """A value whose `base` has the name under which the older body is kept; that name, if there is any `base`."""
    if value is None or not any(_is_base(node) for node in walk(value)):
        return value, None
    fresh = draft.fresh_name(change.name, snake_case(change.chapter.name))
    return rewrite(value, lambda node: _rename_base(node, fresh)), fresh


def _base_in_steps(
    draft: Draft, change: Change, body: tuple[tree.Statement, ...]
) -> tuple[tuple[tree.Statement, ...], str | None]:
    if not any(_is_base(node) for node in walk(*body)):
        return body, None
    fresh = draft.fresh_name(change.name, snake_case(change.chapter.name))
    return tuple(rewrite(statement, lambda node: _rename_base(node, fresh)) for statement in body), fresh


def _is_base(node: tree.Node) -> bool:
    return isinstance(node, tree.Name | tree.MenuItem) and node.name == BASE


def _rename_base(node: tree.Node, fresh: str) -> tree.Node:
    if isinstance(node, tree.Name | tree.MenuItem) and _is_base(node):
        return replace(node, name=fresh)
    return node
