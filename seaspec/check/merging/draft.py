"""What merging works on: the game as merged so far, what each name stands for, and who has changed what.

A `Touch` notes that a chapter has set, replaced or removed something; two touches of one thing by variants whose order
is not settled are a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from seaspec.check.describe import describe_chapter
from seaspec.check.merging.merged import MergedGame
from seaspec.check.merging.order import MergeOrder
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report, near
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.walk import AnyNode, rewrite

ENTRIES = ("setup", "play")
"""Procedures that nobody calls: an action may have their name (`action play(..)` beside `to play`)."""

Collected = tree.Forbid | tree.Allow | tree.Hook | tree.Breaks | tree.Drops


class Sort(Enum):
    """What a name can stand for: the field of MergedGame, and the word for it. Kinds stand in their components."""

    OPTION = ("options", "an option")
    CONST = ("consts", "a constant")
    TYPE = ("types", "a type")
    BOARD = ("boards", "a board")
    SHAPE = ("shapes", "a shape")
    TABLE = ("tables", "a table")
    COMPONENT = ("components", "a component")
    PLACE = ("places", "a place")
    STATE = ("states", "a state")
    PICTURE = ("pictures", "a picture")
    LOOK = ("looks", "a look")
    DEFINE = ("defines", "a define")
    RULES = ("rules", "a list of rules")
    MENU = ("menus", "a menu")
    ACTION = ("actions", "an action")
    PROCEDURE = ("procedures", "a procedure")
    CHANCE = ("chances", "a throw")
    KIND = ("", "a kind")

    def __init__(self, home: str, words: str) -> None:
        self.home = home
        self.words = words


@dataclass(frozen=True, slots=True)
class Found:
    """What a name stands for; `node` is the first clause of a family."""

    sort: Sort
    node: tree.Node


@dataclass(frozen=True, slots=True)
class Touch:
    """A chapter changes something: `clause` is the first type of one clause of a family, None for the whole."""

    verb: str
    chapter: tree.Chapter
    span: Span
    clause: tree.TypeExpr | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """A chapter has removed something that is no kind; `sort` is None for promises and `whenever` rules."""

    chapter: tree.Chapter
    change: tree.Remove
    sort: Sort | None


@dataclass(slots=True)
class Draft:
    """The merged game in the making. `kinds`: all names of types of pieces, in whatever chapter."""

    merged: MergedGame
    order: MergeOrder
    report: Report
    kinds: frozenset[str]
    filled: dict[str, Span] = field(default_factory=dict)
    """What was left open and was given a body (be it a wrong one): where it was left open."""
    older: set[str] = field(default_factory=set)
    """The names under which older bodies are kept."""
    removed: dict[str, Removal] = field(default_factory=dict)
    promises: dict[str, Span] = field(default_factory=dict)
    added_items: list[tuple[tree.Chapter, tree.AddItems]] = field(default_factory=list)
    added_kinds: list[tuple[tree.Chapter, tree.AddKind]] = field(default_factory=list)
    terms: list[tuple[tree.Term, ...]] = field(default_factory=list)
    """Of each chapter that says some."""
    collected: list[tuple[tree.Chapter, Collected]] = field(default_factory=list)
    """Changes that stand beside what they belong to, in merge order; looked at when all else is merged."""
    _touches: dict[str, list[Touch]] = field(default_factory=dict)

    # ------------------------------------------------------------------------------------------------------ finding

    def find(self, name: str) -> Found | None:
        """What a name stands for in the game as merged so far."""
        for sort in Sort:
            if sort.home and name in (table := self.table(sort)):
                entry = table[name]
                return Found(sort, entry[0] if isinstance(entry, tuple) else entry)
        for component in self.merged.components.values():
            for kind in kinds_in(component.kinds):
                if kind.name == name:
                    return Found(Sort.KIND, kind)
        return None

    def entry(self, name: str, params: tuple[tree.Param, ...]) -> Found | None:
        """The procedure `setup` or `play`, if a name without parameters means it."""
        procedures = self.merged.procedures.get(name, ()) if name in ENTRIES and not params else ()
        return Found(Sort.PROCEDURE, procedures[0]) if procedures else None

    def table(self, sort: Sort) -> dict[str, tree.Node | tuple[tree.Node, ...]]:
        table: dict[str, tree.Node | tuple[tree.Node, ...]] = getattr(self.merged, sort.home)
        return table

    def names(self) -> Iterator[str]:
        """All names there are, for hints."""
        for sort in Sort:
            if sort.home:
                yield from self.table(sort)
        for component in self.merged.components.values():
            yield from (kind.name for kind in kinds_in(component.kinds))

    def look_up(self, name: str, span: Span, chapter: tree.Chapter) -> Found | None:
        """What a change is about, or None after a report.

        It is no error to change what another variant has removed, as long as their order is open.
        """
        found = self.find(name)
        if found is None:
            self.report_missing(name, span, chapter)
        return found

    def report_missing(self, name: str, span: Span, chapter: tree.Chapter) -> None:
        gone = self.removed.get(name)
        if gone is None:
            hint = near(name, self.names()) or self._declared_later(name, chapter)
            self.report.add(Code.NOBODY_HAS, span, f"nobody has '{name}'", hint=hint)
        elif self.must_know(gone, chapter):
            message = f"'{name}' is not there any more"
            label = Label(gone.change.span, f"{describe_chapter(gone.chapter)} removes it")
            self.report.add(Code.NOBODY_HAS, span, message, labels=[label])

    def must_know(self, gone: Removal, chapter: tree.Chapter) -> bool:
        """Whether a chapter must not name what was removed: a world may, for it serves many stacks."""
        return chapter.kind is not tree.ChapterKind.WORLD and self.order.goes_before(gone.chapter, chapter)

    def has_variant(self, name: str | None) -> bool:
        """Whether this variant is in the stack, or none is asked for."""
        return name is None or any(chapter.name == name for chapter in self.order.chapters)

    def _declared_later(self, name: str, chapter: tree.Chapter) -> str | None:
        for other in self.order.chapters:
            if other is not chapter and any(getattr(d, "name", None) == name for d in other.declarations):
                return f"{other.name} has it: say 'variant {chapter.name} of {chapter.of} after {other.name}'"
        return None

    # ----------------------------------------------------------------------------------------------------- changing

    def touch(self, name: str, touch: Touch) -> None:
        """Note a change of something, and report what it is in conflict with."""
        for other in self._touches.setdefault(name, []):
            same = other.clause is None or touch.clause is None or other.clause == touch.clause
            if not same or (touch.verb == "remove" and other.verb == "remove"):
                continue
            if other.chapter is touch.chapter:
                if {touch.verb, other.verb} <= {"set", "replace"}:
                    label = Label(other.span, "the first time")
                    self.report.add(Code.CHANGED_TWICE, touch.span, f"'{name}' is changed twice", labels=[label])
            elif not self.order.is_settled(other.chapter, touch.chapter):
                first, second = other.chapter, touch.chapter
                message = f"{first.name} and {second.name} both change '{name}'"
                label = Label(other.span, f"{first.name}: {other.verb} {name}")
                hint = settle_hint(first, second)
                self.report.add(Code.CONFLICT, touch.span, message, labels=[label], hint=hint)
        self._touches[name].append(touch)

    def touches_of(self, name: str) -> tuple[Touch, ...]:
        return tuple(self._touches.get(name, ()))

    def fresh_name(self, name: str, suffix: str) -> str:
        """A name that nobody has, for an older body."""
        candidate = fresh = f"{name}_before_{suffix}"
        number = 2
        while self.find(fresh):
            fresh = f"{candidate}_{number}"
            number += 1
        self.older.add(fresh)
        return fresh

    def twice(self, name: str, span: Span, other: Span, hint: str | None = None) -> None:
        label = Label(other, "the other declaration")
        self.report.add(Code.DECLARED_TWICE, span, f"'{name}' is declared twice", labels=[label], hint=hint)

    def wrong_change(self, span: Span, message: str, found: Found, hint: str | None = None) -> None:
        self.report.add(Code.WRONG_CHANGE, span, message, labels=[Label(found.node.span, "declared here")], hint=hint)

    def wrong_count(self, name: str, span: Span, found: int, wanted: int, other: Span) -> None:
        message = f"'{name}' has {count(wanted, 'parameter')}, and this names {found or 'none'}"
        self.report.add(Code.PARAMETERS, span, message, labels=[Label(other, "declared here")])


def settle_hint(first: tree.Chapter, second: tree.Chapter) -> str:
    return f"say which goes first, as in 'variant {second.name} of {second.of} after {first.name}'"


def count(number: int, thing: str) -> str:
    """A number with a noun: "1 parameter", "2 parameters"."""
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def table_key(table: tree.Table) -> str:
    """Under which name a table stands: its own, or "of Class"."""
    return table.name or f"of {table.of}"


def kinds_in(kinds: tuple[tree.KindDecl, ...]) -> Iterator[tree.KindDecl]:
    """Kinds and the kinds in them."""
    for kind in kinds:
        yield kind
        yield from kinds_in(kind.kinds)


def check_kinds(
    draft: Draft, component: str, kinds: tuple[tree.KindDecl, ...], beside: tuple[tree.KindDecl, ...]
) -> bool:
    """Whether kinds may be put into a component, beside those that stay there: their names must be free.

    More pieces of a kind that is there already are no new kind: `Card(p, red) for p in Player` after `Card(p, black)`.
    """
    older = draft.merged.components.get(component)
    own = list(kinds_in(older.kinds)) if older else []
    known = {kind.name: kind for kind in kinds_in(beside)}
    fine = True
    for kind in kinds_in(kinds):
        other: tree.Node | None = known.get(kind.name)
        found = draft.find(kind.name)
        if isinstance(other, tree.KindDecl):
            other = None if _gives_facts(kind) and _gives_facts(other) else other
        elif found is not None and found.sort is not Sort.SHAPE and kind.name != component:
            other = None if any(found.node is one for one in own) else found.node
        if other is not None:
            draft.twice(kind.name, kind.span, other.span)
            fine = False
        known.setdefault(kind.name, kind)
    return fine


def _gives_facts(kind: tree.KindDecl) -> bool:
    return any(fact.value is not None for fact in kind.facts)


def is_open(declaration: tree.Node) -> bool:
    """Whether a declaration says `left open` instead of a body."""
    match declaration:
        case tree.TypeDecl(type=None) | tree.Board(form=None) | tree.Component(left_open=True):
            return True
        case tree.Define(body=None) | tree.Procedure(body=None):
            return True
        case _:  # cautious: there is a body, or there is none to be left open
            return False


def rename(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    """A copy where names (not those that are bound inside) are replaced."""
    if all(new == old for old, new in names.items()):
        return node

    def change(inner: tree.Node) -> tree.Node:
        if isinstance(inner, tree.Name) and inner.name in names:
            return tree.Name(inner.span, names[inner.name])
        return inner

    return rewrite(node, change)


def inherit_tail(new: tree.Tail, old: tree.Tail, names: Mapping[str, str]) -> tree.Tail:
    """The tail of a new body: what it does not say in words is said by the older one."""
    if new.sentence is not None or old.sentence is None:
        return new
    return tree.Tail(new.span, rename(old.sentence, names), new.cites, new.assumes)


def inherit_params(
    new: tuple[tree.Param, ...], old: tuple[tree.Param, ...], names: Mapping[str, str]
) -> tuple[tree.Param, ...]:
    """Parameters with the types of the older ones where they say none."""
    result = []
    for param, older in zip(new, old, strict=True):
        if param.type is None:
            within = param.within or (rename(older.within, names) if older.within else None)
            where = param.where or (rename(older.where, names) if older.where else None)
            param = tree.Param(param.span, param.name, older.type, within, where)
        result.append(param)
    return tuple(result)


def renaming(old: tuple[tree.Param, ...], new: tuple[tree.Param, ...]) -> dict[str, str]:
    """From older names of parameters to the new ones."""
    return {older.name: param.name for older, param in zip(old, new, strict=True)}
