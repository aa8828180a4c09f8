"""Mutants of a text: the same rules with one small thing wrong, at a known place.

A mutant is made in the syntax tree, so that all checks of the language see it, and what is wrong has a line. Promises,
examples and sentences are left as they are: they are what must find it. So is what only they use (a define, a constant,
a type): with another one the game would be the same.

    guards        a guard never bites, or bites where it should not and only there
    comparisons   < for <=, = for !=, and so on
    bounds        a number is greater by one, or smaller; not of options
    effects       a step is not done
    changes       a change that a variant makes is not made
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from seaspec.library import Subject
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import Node, Operator
from seaspec.syntax.walk import rewrite, walk

SORTS = ("guards", "comparisons", "bounds", "effects", "changes")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One thing that is wrong. `within`: the declaration it stands in; `changed`: what was done to it, in words."""

    sort: str
    span: Span
    within: str
    changed: str
    subject: Subject

    @property
    def place(self) -> str:
        """File and line."""
        return str(self.span)


def mutants(subject: Subject, sorts: Sequence[str] = SORTS) -> Iterator[Mutant]:
    """All mutants of these sorts: of what was asked for, variants without their game, in written order."""
    asked = subject.asked or tuple(c for c in subject.chapters if c.kind is not tree.ChapterKind.WORLD)
    used = _used_by_rules(subject.chapters)
    for place, chapter in enumerate(subject.chapters):
        if any(chapter is other for other in asked):
            for mutant, other in _of_chapter(chapter, sorts, used):
                chapters = (*subject.chapters[:place], other, *subject.chapters[place + 1 :])
                yield replace(mutant, subject=replace(subject, chapters=chapters))


def _of_chapter(
    chapter: tree.Chapter, sorts: Sequence[str], used: Collection[str]
) -> Iterator[tuple[Mutant, tree.Chapter]]:
    for place, declaration in enumerate(chapter.declarations):
        if isinstance(declaration, LEFT) or (isinstance(declaration, HELPING) and declaration.name not in used):
            continue
        before, after = chapter.declarations[:place], chapter.declarations[place + 1 :]
        within = str(getattr(declaration, "name", type(declaration).__name__.lower()))
        if "changes" in sorts and isinstance(declaration, get_args(tree.Change)):
            text = _first_line(declaration.span)
            dropped = Mutant("changes", declaration.span, within, f"dropped: {text}", _NOWHERE)
            yield dropped, replace(chapter, declarations=(*before, *after))
        for sort, node, new, changed in _changes(declaration):
            if sort in sorts:
                other = _with(declaration, node, new)
                made = Mutant(sort, node.span, within, changed, _NOWHERE)
                yield made, replace(chapter, declarations=(*before, other, *after))


LEFT = (*get_args(tree.About), *get_args(tree.Promise), tree.Breaks, tree.Drops)
"""Declarations that are not rules."""
HELPING = (tree.Define, tree.Const, tree.TypeDecl)
"""Declarations that are rules if a rule uses them."""
_NOWHERE: Subject = None  # type: ignore[assignment]


def _used_by_rules(chapters: Sequence[tree.Chapter]) -> set[str]:
    """All words of the rules, and of what they use, directly or by way of others."""
    helping: dict[str, list[Node]] = {}
    waiting: list[Node] = []
    for chapter in chapters:
        for declaration in chapter.declarations:
            if isinstance(declaration, HELPING):
                helping.setdefault(declaration.name, []).append(declaration)
            elif not isinstance(declaration, LEFT):
                waiting.append(declaration)
    used: set[str] = set()
    while waiting:
        new = _words(waiting.pop()) - used
        used |= new
        waiting += (declaration for word in new for declaration in helping.get(word, ()))
    return used


def _words(declaration: Node) -> set[str]:
    found: set[str] = set()
    waiting: list[object] = [getattr(node, field.name) for node in walk(declaration) for field in fields(node)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, tuple):
            waiting += value
    return found


def _changes(declaration: Node) -> Iterator[tuple[str, Node, Node | None, str]]:
    """What can go wrong in a declaration: the sort, a node, what stands there instead (None: nothing), in words."""
    if isinstance(declaration, tree.Forbid):
        text = _first_line(declaration.when.span)
        bare = replace(declaration.tail, sentence=None)
        for when, word in ((tree.YesNo(declaration.when.span, False), "dropped"), (_not(declaration.when), "negated")):
            yield "guards", declaration, replace(declaration, when=when, tail=bare), f"forbid {word}: {text}"
    for node in _rules_in(declaration):
        match node:
            case tree.Needs(_, name, test, tail):
                text = f"{name}: {_first_line(test.span)}" if name else _first_line(test.span)
                bare = replace(tail, sentence=None)
                if name is None:
                    yield "guards", node, None, f"guards dropped: {text}"
                    continue
                never = replace(node, test=tree.YesNo(test.span, True), tail=bare)
                yield "guards", node, never, f"guard dropped: {text}"
                yield "guards", node, replace(node, test=_not(test), tail=bare), f"guard negated: {text}"
            case tree.Binary(_, op) if op in COMPARED:
                text = f"{_first_line(node.span)}: {COMPARED[op].value} for {op.value}"
                yield "comparisons", node, replace(node, op=COMPARED[op]), text
            case tree.Number(_, value) if not isinstance(declaration, tree.Option):  # what may be chosen is no rule
                for other in (value + 1, value - 1):
                    if other >= 0:
                        yield "bounds", node, replace(node, value=other), f"{other} for {value}"
            case _ if isinstance(node, EFFECTS):
                span = node.span
                yield "effects", node, tree.Nothing(span, tree.Tail(span)), f"not done: {_first_line(span)}"
            case _:  # cautious: it is not mutated; what is missing here only makes the count of mutants smaller
                pass


COMPARED = {
    Operator.LESS: Operator.AT_MOST,
    Operator.AT_MOST: Operator.LESS,
    Operator.MORE: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.MORE,
    Operator.EQUAL: Operator.UNEQUAL,
    Operator.UNEQUAL: Operator.EQUAL,
}
EFFECTS = (
    tree.Call, tree.Assign, tree.Move, tree.MoveSome, tree.Draw, tree.Shuffle, tree.Show, tree.Win, tree.Lose,
    tree.NobodyWins, tree.DropOut, tree.Stop,
)  # fmt: skip


def _rules_in(node: Node) -> Iterator[Node]:
    """The nodes of a declaration, without what people read."""
    read = {id(inner) for tail in walk(node) if isinstance(tail, tree.Sentence) for inner in walk(tail)}
    return (inner for inner in walk(node) if id(inner) not in read)


def _not(test: tree.Expr) -> tree.Expr:
    return tree.Unary(test.span, Operator.NOT, test)


def _with(declaration: tree.Declaration, old: Node, new: Node | None) -> tree.Declaration:
    """The declaration with another node in place of one, or without it, where it is one of several."""

    def change(node: Node) -> Node:
        if node is old and new is not None:
            return new
        if new is None:
            for field in fields(node):
                value = getattr(node, field.name)
                if isinstance(value, tuple) and any(item is old for item in value):
                    fewer: dict[str, Any] = {field.name: tuple(item for item in value if item is not old)}
                    return replace(node, **fewer)
        return node

    return rewrite(declaration, change)


def _first_line(span: Span) -> str:
    """The text of a span, as far as it stands on one line."""
    lines = span.text.strip().splitlines() or [""]
    return lines[0].rstrip() + (" .." if len(lines) > 1 else "")
