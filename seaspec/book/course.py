"""The course of a game at a glance: who is asked what, in which order; where chance comes in; where it ends.

An outline of `to play` and of all that it calls. Of each statement its first line is shown, as it is written; what
neither asks nor throws nor ends anything, nor calls what does, is left out. What is called more than once is told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.walk import children, walk

_EVENTS = (tree.Choose, tree.Roll, tree.Draw, tree.Win, tree.Lose, tree.NobodyWins, tree.DropOut, tree.Shuffle)
"""What somebody, or chance, decides; and ends."""
DEEPEST = 9


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the outline, what it is to the eye, and what belongs under it."""

    span: Span
    sort: str
    inner: tuple[Step, ...]


Name = tuple[bool, str]
"""Of a procedure, or of an action (or a menu of such): these may be called alike."""
BEGIN = (True, "play")


def course(things: Iterable[tree.Declaration]) -> tuple[Step, ...]:
    """The outline. Of a name with several clauses, the first is shown."""
    declared: dict[Name, tree.Declaration] = {}
    for thing in things:
        if isinstance(thing, tree.Procedure | tree.Action | tree.Menu):
            declared.setdefault((isinstance(thing, tree.Procedure), thing.name), thing)
    told = {BEGIN}

    @cache
    def matters(name: Name) -> bool:
        """Whether a procedure, or an action, leads to something that is decided."""
        return _leads(name, declared, set())

    def steps(statements: Iterable[tree.Node], depth: int) -> tuple[Step, ...]:
        found: list[Step] = []
        for statement in statements:
            if isinstance(statement, tree.StatementCase) or not isinstance(statement, tree.Statement):
                found += steps(_below(statement), depth)
                continue
            called = [name for name in _called(statement) if matters(name)]
            inner = steps(_below(statement), depth + 1) if depth < DEEPEST else ()
            for name in _spread(called, declared):
                if name not in told and depth < DEEPEST and matters(name):
                    told.add(name)
                    inner += steps(_body(declared[name]), depth + 1)
            if isinstance(statement, _EVENTS) or called or inner:
                found.append(Step(_head(statement), _sort(statement), inner))
        return tuple(found)

    return steps(_body(declared[BEGIN]), 0) if BEGIN in declared else ()


def _spread(names: Sequence[Name], declared: Mapping[Name, tree.Declaration]) -> Iterator[Name]:
    """Menus are the actions in them."""
    for name in names:
        menu = declared.get(name)
        yield from [(False, item.name) for item in menu.items] if isinstance(menu, tree.Menu) else [name]


def _leads(name: Name, declared: Mapping[Name, tree.Declaration], asked: set[Name]) -> bool:
    if name in asked or name not in declared:
        return False
    asked.add(name)
    if isinstance(menu := declared[name], tree.Menu):
        return any(_leads((False, item.name), declared, asked) for item in menu.items)
    for node in walk(*_body(declared[name])):
        if isinstance(node, _EVENTS) or any(_leads(called, declared, asked) for called in _called(node)):
            return True
    return False


def _below(node: tree.Node) -> list[tree.Node]:
    return [child for child in children(node) if isinstance(child, tree.Statement | tree.StatementCase)]


def _body(declared: tree.Declaration) -> Sequence[tree.Node]:
    return [node for node in getattr(declared, "body", None) or () if not isinstance(node, tree.Needs)]


def _called(statement: tree.Node) -> list[Name]:
    """The procedures that a statement calls itself, and the actions that it offers."""
    if isinstance(statement, tree.Call):
        called = statement.call.function if isinstance(statement.call, tree.Apply) else statement.call
        return [(True, called.name)] if isinstance(called, tree.Name) else []
    if isinstance(statement, tree.Choose) and isinstance(statement.offer, tree.OfferActions):
        return [(False, item.name) for item in statement.offer.items]
    return []


def _sort(statement: tree.Node) -> str:
    match statement:
        case tree.Choose(decider=None) | tree.Roll() | tree.Draw() | tree.Shuffle():
            return "chance"
        case tree.Choose() | tree.AnyOrder():
            return "asked"
        case tree.Win() | tree.Lose() | tree.NobodyWins() | tree.DropOut():
            return "end"
        case _:  # cautious: it only holds together what is below it
            return "frame"


def _head(statement: tree.Node) -> Span:
    """The first line of a statement, without its sources."""
    span = statement.span
    inside = [child.span.start for child in _below(statement)]
    line = span.text.partition("\n")[0]
    end = min([span.start + len(line), *inside])
    text = span.file.text[span.start : end]
    for word in (" cites ", " assume "):
        text = text.partition(word)[0]
    return Span(span.file, span.start, span.start + len(text.rstrip().removesuffix(":").rstrip()))
