"""What is looked at when all chapters are merged: what was left open, and changes that stand beside what they name.

`forbid`, `allow`, hooks, `breaks` and `drops` are judged by the game as it is in the end, so the order of the chapters
does not matter to them. Those that name something that another variant has removed fall away with it; an exception to
a guard falls away when another variant has replaced the guard. What was removed must not be called by anybody, except
in examples: an example that names it does not apply.

Terms and looks are settled last. A chapter says them of anything that the merged game has: its own things, those of its
modules and of the game that it varies. What a variant has taken out of the game, or replaced by something without it,
falls out of them, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from seaspec.check.describe import declares, describe, promise_name
from seaspec.check.merging.draft import Draft, Found, Sort, kinds_in
from seaspec.check.merging.hooks import check_hooks
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.walk import walk


def finish(draft: Draft) -> None:
    """Close what was left open, attach the collected changes, and check what is named."""
    _close(draft)
    _attach(draft)
    _drop_unused(draft)
    _check_removed(draft)
    check_hooks(draft)
    if draft.terms or draft.merged.looks:
        _settle_shown(draft)


# ---------------------------------------------------------------------------------------------------------- left open


def _close(draft: Draft) -> None:
    """A procedure left open does nothing; anything else must have got a body."""
    merged = draft.merged
    for name, procedures in merged.procedures.items():
        merged.procedures[name] = tuple(replace(p, body=()) if p.body is None else p for p in procedures)
    for name, defines in merged.defines.items():
        closed = tuple(define for define in defines if define.body is not None)
        if closed:
            merged.defines[name] = closed
        elif name not in draft.filled:  # a body with the wrong parameters has been reported
            _report_open(draft, name, defines[0].span, f"give its value: 'define {name}.. = ..'")
    for type_ in merged.types.values():
        if type_.type is None:
            _report_open(draft, type_.name, type_.span, f"declare it: 'type {type_.name} = ..'")
    for board in merged.boards.values():
        if board.form is None:
            _report_open(draft, board.name, board.span, f"declare it: 'board {board.name}: ..'")
    for component in merged.components.values():
        if component.left_open:
            hint = f"give its kinds: 'component {component.name}', and a line for each"
            _report_open(draft, component.name, component.span, hint)


def _report_open(draft: Draft, name: str, span: Span, hint: str) -> None:
    game = draft.merged.game
    message = f"'{name}' is left open, and nothing in {game.name} gives it a body"
    draft.report.add(Code.LEFT_OPEN, span, message, labels=[Label(game.span, "the game")], hint=hint)


def _drop_unused(draft: Draft) -> None:
    """An older body whose own successor has been replaced without a `base` is called by nobody."""
    while draft.older:
        used = {
            name
            for declaration in _declarations(draft)
            for name, _ in _names_used(declaration)
            if name in draft.older and name != getattr(declaration, "name", None)
        }
        unused = draft.older - used
        if not unused:
            return
        for name in unused:
            for sort in (Sort.DEFINE, Sort.TABLE, Sort.RULES, Sort.ACTION, Sort.PROCEDURE, Sort.CHANCE):
                draft.table(sort).pop(name, None)
        draft.older -= unused


# ------------------------------------------------------------------------------------------------- collected changes


def _attach(draft: Draft) -> None:
    merged = draft.merged
    said: dict[tuple[str, str], Span] = {}
    dropped: set[str] = set()
    for chapter, change in draft.collected:
        match change:
            case tree.Forbid():
                if _find_action(draft, chapter, change):
                    merged.forbids[change.name] = (*merged.forbids.get(change.name, ()), change)
            case tree.Allow():
                if _find_action(draft, chapter, change) and _has_guard(draft, chapter, change):
                    merged.allows[change.name] = (*merged.allows.get(change.name, ()), change)
            case tree.Hook():
                if _find_point(draft, chapter, change):
                    hooks = merged.before if change.before else merged.after
                    hooks[change.name] = (*hooks.get(change.name, ()), change)
            case tree.Breaks():
                if _find_promise(draft, chapter, change.name, change.span):
                    _say_once(draft, said, chapter, change.name, change.span)
                    merged.breaks[change.name] = change
            case tree.Drops():
                for name in change.names:
                    if _find_promise(draft, chapter, name, change.span):
                        _say_once(draft, said, chapter, name, change.span)
                        dropped.add(name)
                        if not any(p for p in merged.promises if promise_name(p) == name and not declares(chapter, p)):
                            message = f"'{name}' is promised here, and not by what this builds on"
                            draft.report.add(Code.NO_SUCH_PROMISE, change.span, message, hint="leave it out")
            case _:
                assert_never(change)
    for name in dropped:
        merged.breaks.pop(name, None)
    merged.promises = tuple(promise for promise in merged.promises if not _is_dropped(draft, promise))
    merged.removed = {
        name: replace(removal.change, names=(name,))
        for name, removal in draft.removed.items()
        if draft.find(name) is None
    }


def _is_dropped(draft: Draft, promise: tree.Promise) -> bool:
    """Whether a chapter drops a promise. What it promises itself it does not mean: `ends` of its own stands in for that
    of the base."""
    name = promise_name(promise)
    return any(
        isinstance(change, tree.Drops) and name in change.names and not declares(chapter, promise)
        for chapter, change in draft.collected
    )


def _say_once(draft: Draft, said: dict[tuple[str, str], Span], chapter: tree.Chapter, name: str, span: Span) -> None:
    """A chapter says once that it breaks or drops a promise; two chapters may each have a reason of their own."""
    before = said.get((chapter.name, name))
    said[chapter.name, name] = span
    if before is not None:
        labels = [Label(before, "the first time")]
        draft.report.add(Code.CHANGED_TWICE, span, f"'{name}' is changed twice", labels=labels)


def _find_action(draft: Draft, chapter: tree.Chapter, change: tree.Forbid | tree.Allow) -> bool:
    found = draft.look_up(change.name, change.span, chapter)
    if found is None:
        return False
    if not isinstance(found.node, tree.Action):
        message = f"'{change.name}' is {found.sort.words}, and only actions have guards"
        draft.wrong_change(change.span, message, found)
        return False
    return _count_fits(draft, change.name, change.params, change.span, found, found.node.params)


def _find_point(draft: Draft, chapter: tree.Chapter, hook: tree.Hook) -> bool:
    found = draft.look_up(hook.name, hook.span, chapter)
    if found is None:
        return False
    if not isinstance(found.node, tree.Action | tree.Procedure):
        message = f"'{hook.name}' is {found.sort.words}, and hooks belong to procedures and actions"
        draft.wrong_change(hook.span, message, found)
        return False
    return _count_fits(draft, hook.name, hook.params, hook.span, found, found.node.params)


def _count_fits(
    draft: Draft,
    name: str,
    params: tuple[tree.Param, ...],
    span: Span,
    found: Found,
    wanted: tuple[tree.Param, ...],
) -> bool:
    if len(params) <= len(wanted):  # the last parameters may be left out
        return True
    draft.wrong_count(name, span, len(params), len(wanted), found.node.span)
    return False


def _has_guard(draft: Draft, chapter: tree.Chapter, allow: tree.Allow) -> bool:
    actions = draft.merged.actions[allow.name]
    names = {name for action in actions for name in guard_names(draft, action.body)}
    if allow.despite in names:
        return True
    replaced = [touch for touch in draft.touches_of(allow.name) if touch.verb == "replace"]
    if any(touch.chapter is not chapter and not draft.order.goes_before(touch.chapter, chapter) for touch in replaced):
        return False
    labels = [Label(actions[0].span, "its guards stand here")]
    message = f"{describe(actions[0])} has no guard '{allow.despite}'"
    draft.report.add(Code.NO_SUCH_GUARD, allow.span, message, labels=labels, hint=near(allow.despite, names))
    return False


def guard_names(draft: Draft, body: tuple[tree.Statement, ...]) -> Iterator[str]:
    """The names of guards, also of those in `rules` that are spliced in."""
    for statement in body:
        match statement:
            case tree.Needs(name=str() as name):
                yield name
            case tree.Needs(test=tree.Apply(function=tree.Name(name=name)) | tree.Name(name=name)):
                if name in draft.merged.rules:
                    yield from guard_names(draft, draft.merged.rules[name].body)
            case _:  # cautious: no guard with a name; who looks for it gets an error
                pass


def _find_promise(draft: Draft, chapter: tree.Chapter, name: str, span: Span) -> bool:
    if name in draft.promises:
        return True
    gone = draft.removed.get(name)
    if gone is None or draft.must_know(gone, chapter):
        unnamed = next((word for word in ("never_stuck", "ends", "secret") if name.startswith(f"{word}_")), None)
        hint = f"promises without a name of their own are called '{unnamed}'" if unnamed in draft.promises else None
        hint = hint or near(name, draft.promises)
        draft.report.add(Code.NO_SUCH_PROMISE, span, f"there is no promise '{name}'", hint=hint)
    return False


# ------------------------------------------------------------------------------------------------------------ removed


def _check_removed(draft: Draft) -> None:
    """What was removed, and is not there again, must not be named any more."""
    gone = draft.merged.removed
    if not gone:
        return
    used: dict[str, Span] = {}
    for declaration in _declarations(draft):
        bound = {node.name for node in walk(declaration) if isinstance(node, tree.Param | tree.Binding)}
        for name, span in _names_used(declaration):
            if name in gone and name not in bound:
                used.setdefault(name, span)
    for name, span in used.items():
        hint = _instead(name, draft.removed[name].sort)
        message = f"'{name}' is removed, and is still used"
        draft.report.add(Code.STILL_USED, gone[name].span, message, labels=[Label(span, "used here")], hint=hint)


def _instead(name: str, sort: Sort | None) -> str | None:
    """What to say instead of `remove`."""
    match sort:
        case Sort.ACTION | Sort.PROCEDURE:
            return f"if it shall do nothing, say 'replace {name}: nothing'"
        case Sort.DEFINE | Sort.MENU | Sort.TABLE:
            return f"if it shall be something else, say 'replace {name} = ..'"
        case _:
            return None


def _declarations(draft: Draft) -> Iterator[tree.Node]:
    """Everything in the merged game but examples."""
    merged = draft.merged
    for sort in Sort:
        if sort is not Sort.KIND:
            for entry in draft.table(sort).values():
                yield from entry if isinstance(entry, tuple) else (entry,)
    for changes in (merged.forbids, merged.allows, merged.before, merged.after):
        for several in changes.values():
            yield from several
    yield from merged.fixed_options.values()
    yield from merged.whenevers
    for promise in merged.promises:
        if not isinstance(promise, tree.Example):
            yield promise


def _names_used(declaration: tree.Node) -> Iterator[tuple[str, Span]]:
    """All names of other declarations, wherever they stand."""
    for node in walk(declaration):
        match node:
            case tree.Name(name=name) | tree.Capital(name=name) | tree.TypeName(name=name):
                yield name, node.span
            case tree.Dot(name=name) | tree.MenuItem(name=name) | tree.Stop(procedure=name):
                yield name, node.span
            case tree.State(until=until, while_in=while_in):
                yield from ((name, node.span) for name in (until, while_in) if name)
            case tree.Is(menu=str() as name):
                yield name, node.span
            case tree.KindDecl(kept_in=str() as name) | tree.Place(laid_on=str() as name):
                yield name, node.span
            case tree.Grid(towards=str() as name) | tree.DrawnBoard(towards=str() as name):
                yield name, node.span
            case tree.Table(of=str() as name) | tree.Ends(procedure=name) | tree.Head(name=name):
                yield name, node.span
            case tree.Place(holds=names) | tree.Invariant(procedures=names) | tree.Secret(names=names):
                yield from ((name, node.span) for name in names)
            case tree.Renaming(type=name):
                yield name, node.span
            case _:  # cautious: it names nothing itself; a name that is missing is found when it is resolved
                pass


# ------------------------------------------------------------------------------------------------------ terms and looks


_LONGEST, _MOST_WORDS = 40, 5
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_NO_WORD = re.compile(r"[.,;:!?{}]")
_EXAMPLE = 'as in `term ru Card "карта", lay "сыграть карту"`'


def _settle_shown(draft: Draft) -> None:
    """Keep of terms and looks, which mean nothing to the rules, what is said of what there is; and look whether terms
    are a few words each, of something that there is, each said once in a chapter for a language."""
    names = _Names(set(_within(_merged(draft))), set(_within(_written(draft))))
    for terms in draft.terms:
        said: dict[tuple[str, str], Span] = {}
        for term in terms:
            _check_term(draft, term, said, names)
            for word in term.words:
                if word.name in names.there:
                    draft.merged.terms[term.language, word.name] = word
    for name, look in list(draft.merged.looks.items()):
        of = tuple(kind for kind in look.of if not names.has_gone(kind.name))
        words = (
            replace(word, names=tuple(one for one in word.names if not names.has_gone(one.name))) for word in look.words
        )
        draft.merged.looks[name] = replace(look, of=of, words=tuple(word for word in words if word.names))
        if not of:
            del draft.merged.looks[name]


@dataclass(frozen=True, slots=True)
class _Names:
    """What is in the merged game, and what is in any of its chapters."""

    there: set[str]
    written: set[str]

    def has_gone(self, name: str) -> bool:
        return name in self.written and name not in self.there


def _merged(draft: Draft) -> Iterator[tree.Node]:
    merged = draft.merged
    for declared in (
        merged.options, merged.consts, merged.types, merged.boards, merged.shapes, merged.tables, merged.components,
        merged.places, merged.states, merged.rules, merged.menus, merged.chances,
    ):  # fmt: skip
        yield from declared.values()
    for clauses in (merged.defines, merged.actions, merged.procedures):
        yield from (several[0] for several in clauses.values())


def _written(draft: Draft) -> Iterator[tree.Node]:
    for chapter in draft.order.chapters:
        for declared in chapter.declarations:
            yield declared.declaration if isinstance(declared, tree.ReplaceDeclaration) else declared


def _within(nodes: Iterable[tree.Node]) -> Iterator[str]:
    """The names of declarations, and those in them: kinds, facts, words of a type, parts of a board or shape."""
    for node in nodes:
        if isinstance(node, tree.Thing | tree.Word | tree.Flow) and node.name is not None:
            yield node.name
        match node:
            case tree.Component(facts=facts, kinds=kinds):
                yield from _kinds_and_facts(facts, kinds)
            case tree.AddKind(kind=kind):
                yield from _kinds_and_facts((), (kind,))
            case tree.TypeDecl(type=tree.OneOf(values=values)) | tree.Option(type=tree.OneOf(values=values)):
                yield from (value.name for value in values)
            case tree.Board(form=tree.DrawnBoard(drawing=drawing)) | tree.Shape(drawing=drawing):
                yield from (name for _, name in drawing.key)
            case _:  # cautious: nothing else is named in it; a term of something else is refused
                pass


def _kinds_and_facts(facts: tuple[tree.Fact, ...], kinds: tuple[tree.KindDecl, ...]) -> Iterator[str]:
    for kind in kinds_in(kinds):
        yield kind.name
        yield from (fact.name for fact in kind.facts if fact.name is not None)
    yield from (fact.name for fact in facts if fact.name is not None)


def _check_term(draft: Draft, term: tree.Term, said: dict[tuple[str, str], Span], names: _Names) -> None:
    if not _LANGUAGE.fullmatch(term.language):
        hint = "a language is called by two or three small letters: `ru`, `uk`, `en`"
        draft.report.add(Code.TERM, term.span.word(term.language), f"'{term.language}' is no language", hint=hint)
    for word in term.words:
        _check_word(draft, word)
        span = word.span.word(word.name)
        first = said.setdefault((term.language, word.name), span)
        if first is not span:
            message = f"a second term for '{word.name}'"
            draft.report.add(Code.TERM, span, message, labels=[Label(first, "the first")], hint="keep one of them")
        elif word.name not in names.there and word.name not in names.written:
            known = near(word.name, names.there)
            draft.report.add(Code.TERM, span, f"nothing is called '{word.name}' here", hint=known)


def _check_word(draft: Draft, term: tree.TermOf) -> None:
    words = term.word.split()
    if not words:
        fault = "there is no word here"
    elif _NO_WORD.search(term.word):
        fault = "a term is no sentence"
    elif len(term.word) > _LONGEST or len(words) > _MOST_WORDS:
        fault = "that is too long for a term"
    else:
        return
    span = Span(term.span.file, term.span.start + term.span.text.index('"'), term.span.end)
    draft.report.add(Code.TERM, span, fault, hint=f"a word or a few, {_EXAMPLE}")
