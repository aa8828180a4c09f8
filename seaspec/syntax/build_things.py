"""The tree builder, second part: chapters, things and definitions. See build.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.build_values import BuildValues, Value
from seaspec.syntax.tree import (
    ChapterKind,
    Expr,
    Order,
    Param,
    Sentence,
    Tail,
    TypeExpr,
)


@dataclass(frozen=True, slots=True)
class _Key:
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class More:
    """A heading that goes on with the chapter of this name."""

    span: Span
    name: str


class BuildThings(BuildValues):
    """The functions for what a game has."""

    # ----------------------------------------------------------------------------------------- chapters and sources

    def game(self, span: Span, name: str, tail: Tail) -> tree.Chapter:
        return tree.Chapter(span, ChapterKind.GAME, name, None, (), tail, ())

    def module(self, span: Span, name: str, tail: Tail) -> tree.Chapter:
        return tree.Chapter(span, ChapterKind.MODULE, name, None, (), tail, ())

    def variant(
        self, span: Span, name: str, of: str, tail: Tail, after: tuple[str, ...] | None, more: Tail | None
    ) -> tree.Chapter:
        tails = (tail,) if more is None else (tail, more)
        return tree.Chapter(span, ChapterKind.VARIANT, name, of, after or (), self.joined(*tails), ())

    def world(self, span: Span, name: str, of: str, tail: Tail) -> tree.Chapter:
        return tree.Chapter(span, ChapterKind.WORLD, name, of, (), tail, ())

    def more_of(self, span: Span, name: str, sentence: Sentence | None) -> More:
        return More(span, name)

    def combines(self, span: Span, *parts: str | Tail) -> tree.Combines:
        return self._pairs(span, True, parts)

    def never_with(self, span: Span, *parts: str | Tail) -> tree.Combines:
        return self._pairs(span, False, parts)

    def _pairs(self, span: Span, allowed: bool, parts: tuple[str | Tail, ...]) -> tree.Combines:
        *names, tail = parts
        assert isinstance(tail, Tail)
        return tree.Combines(span, tuple(name for name in names if isinstance(name, str)), allowed, tail)

    def title(self, span: Span, language: str, text: str) -> tree.Title:
        return tree.Title(span, language, text[1:-1])

    def term(self, span: Span, language: str, *words: tree.TermOf) -> tree.Term:
        return tree.Term(span, language, words)

    def term_of(self, span: Span, name: str, word: str) -> tree.TermOf:
        return tree.TermOf(span, name, word[1:-1])

    def note(self, span: Span, sentence: Sentence, sources: Tail) -> tree.Note:
        return tree.Note(span, Tail(sentence.span.to(sources.span), sentence, sources.cites, sources.assumes))

    # ------------------------------------------------------------------------------------------------------- things

    def option(
        self,
        span: Span,
        name: str,
        type: TypeExpr,
        default: Expr | None,
        tail: Tail,
        requires: Expr | None,
        more: Tail | None,
    ) -> tree.Option:
        tails = (tail,) if more is None else (tail, more)
        return tree.Option(span, name, type, default, requires, self.joined(*tails))

    def type_open(self, span: Span, name: str, tail: Tail, more: Tail) -> tree.TypeDecl:
        return tree.TypeDecl(span, name, None, self.joined(tail, more))

    def one_of(self, span: Span, *values: tree.EnumValue) -> tree.OneOf:
        return tree.OneOf(span, values, ring=False)

    def ring(self, span: Span, *values: tree.EnumValue) -> tree.OneOf:
        return tree.OneOf(span, values, ring=True)

    def grid(
        self, span: Span, columns: Expr, rows: Expr, from_top: bool | None, without: Expr | None, towards: str | None
    ) -> tree.Grid:
        return tree.Grid(span, columns, rows, from_top, without, towards)

    def drawn_board(self, span: Span, name: str, towards: str | None, tail: Tail, drawing: tree.Drawing) -> tree.Board:
        return tree.Board(span, name, tree.DrawnBoard(drawing.span, drawing, towards), tail)

    def board_open(self, span: Span, name: str, tail: Tail, more: Tail) -> tree.Board:
        return tree.Board(span, name, None, self.joined(tail, more))

    def shape(self, span: Span, name: str, tail: Tail, drawing: tree.Drawing) -> tree.Shape:
        return tree.Shape(span, name, drawing, tail)

    def drawing(self, span: Span, *lines: tuple[tree.Symbol, ...] | _Key) -> tree.Drawing:
        rows = tuple(line for line in lines if isinstance(line, tuple))
        key = tuple(item for line in lines if isinstance(line, _Key) for item in line.items)
        start = rows[0][0].span
        return tree.Drawing(start.to(span), rows, key)

    def symbol(self, span: Span, *parts: str) -> tree.Symbol:
        return tree.Symbol(span, "".join(parts))

    def key(self, span: Span, *items: tuple[str, str]) -> _Key:
        return _Key(items)

    def key_symbol(self, span: Span, text: str) -> str:
        return text

    def picture(self, span: Span, name: str, *parts: Any) -> tree.Picture:
        *of, tail, art = parts
        return tree.Picture(span, name, tuple(of), art, tail)

    def look(self, span: Span, name: str, *parts: Any) -> tree.Look:
        *before, tail = parts
        words = tuple(part for part in before if isinstance(part, tree.LookWord))
        *of, shape = (part for part in before if isinstance(part, tree.LookName))
        return tree.Look(span, name, tuple(of), shape, words, tail)

    def pointing(self, span: Span, name: tree.LookName) -> tree.LookWord:
        return tree.LookWord(span, tree.LookSort.POINTING, (name,))

    def coloured(self, span: Span, name: tree.LookName) -> tree.LookWord:
        return tree.LookWord(span, tree.LookSort.COLOURED, (name,))

    def showing(self, span: Span, *names: tree.LookName) -> tree.LookWord:
        return tree.LookWord(span, tree.LookSort.SHOWING, names)

    def numbered(self, span: Span, *names: tree.LookName) -> tree.LookWord:
        return tree.LookWord(span, tree.LookSort.NUMBERED, names)

    def art(self, span: Span, text: str) -> tree.Art:
        """The first line is indented as the others are: what stands before it in the file is looked up there."""
        before = span.start - (span.file.text.rfind("\n", 0, span.start) + 1)
        rows = [row.rstrip() for row in (" " * before + text).split("\n")]
        indent = min(len(row) - len(row.lstrip(" ")) for row in rows if row)
        return tree.Art(span, tuple(row[indent:] for row in rows))

    def table(
        self, span: Span, name: str, params: tuple[Param, ...], type: TypeExpr, tail: Tail, drawing: tree.Drawing
    ) -> tree.Table:
        return tree.Table(span, name, None, params, type, drawing, None, tail)

    def table_value(
        self, span: Span, name: str, params: tuple[Param, ...], type: TypeExpr, tail: Tail, value: Expr, more: Tail
    ) -> tree.Table:
        return tree.Table(span, name, None, params, type, None, value, self.joined(tail, more))

    def table_of(self, span: Span, of: str, type: TypeExpr, tail: Tail, drawing: tree.Drawing) -> tree.Table:
        return tree.Table(span, None, of, (), type, drawing, None, tail)

    def component(
        self,
        span: Span,
        name: str,
        facts: tuple[tree.Fact, ...] | None,
        tail: Tail,
        requires: Expr | None,
        more: Tail | None,
        kinds: tuple[tree.KindDecl, ...] | None,
    ) -> tree.Component:
        tails = (tail,) if more is None else (tail, more)
        return tree.Component(span, name, facts or (), requires, kinds or (), False, self.joined(*tails))

    def component_open(
        self, span: Span, name: str, facts: tuple[tree.Fact, ...] | None, tail: Tail, more: Tail
    ) -> tree.Component:
        return tree.Component(span, name, facts or (), None, (), True, self.joined(tail, more))

    def kind_head(
        self,
        span: Span,
        name: str,
        facts: tuple[tree.Fact, ...] | None,
        quantity: tuple[Expr | None, bool, tuple[tree.Binding, ...]] | None,
        kept_in: str | None,
    ) -> tree.KindDecl:
        times, each, loops = quantity or (None, False, ())
        return tree.KindDecl(span, name, facts or (), times, each, loops, kept_in, Tail(end_of(span)), ())

    def kind(
        self, span: Span, head: tree.KindDecl, tail: Tail, kinds: tuple[tree.KindDecl, ...] | None
    ) -> tree.KindDecl:
        return replace(head, span=span, tail=tail, kinds=kinds or ())

    def times(self, span: Span, times: Expr, each: bool | None, *loops: tree.Binding) -> tuple[Any, ...]:
        return times, bool(each), loops

    def for_all(self, span: Span, *loops: tree.Binding) -> tuple[Any, ...]:
        return None, False, loops

    def fact_declared(self, span: Span, name: str, type: TypeExpr) -> tree.Fact:
        return tree.Fact(span, name, type, None)

    def fact_given(self, span: Span, value: Expr) -> tree.Fact:
        return tree.Fact(span, None, None, value)

    def order(self, span: Span, word: str) -> Order:
        return Order(word)

    def holds(self, span: Span, order: Order, kinds: tuple[str, ...], laid_on: str | None) -> tuple[Any, ...]:
        return order, None, kinds, laid_on

    def holds_up_to(self, span: Span, order: Order, capacity: Expr, kinds: tuple[str, ...]) -> tuple[Any, ...]:
        return order, capacity, kinds, None

    def holds_at_most(self, span: Span, capacity: Expr, kinds: tuple[str, ...]) -> tuple[Any, ...]:
        return Order.SLOT, capacity, kinds, None

    def seen_by_all(self, span: Span) -> tree.Seen:
        return tree.Seen(span, True, None)

    def seen_by_nobody(self, span: Span) -> tree.Seen:
        return tree.Seen(span, False, None)

    def seen_by(self, span: Span, by: Expr) -> tree.Seen:
        return tree.Seen(span, False, by)

    def uncounted(self, span: Span) -> tuple[str, Any, Span]:
        return "uncounted", True, span

    def fixed(self, span: Span) -> tuple[str, Any, Span]:
        return "fixed after setup", True, span

    def until_end(self, span: Span, procedure: str) -> tuple[str, Any, Span]:
        return "until end of", procedure, span

    def while_in(self, span: Span, place: str) -> tuple[str, Any, Span]:
        return "while in", place, span

    def _words(self, words: tuple[tree.Seen | tuple[str, Any, Span], ...]) -> dict[str, Any]:
        """What the words after a place or state say, each said once."""
        said: dict[str, tuple[Any, Span]] = {}
        for word in words:
            what, value, span = ("seen", word, word.span) if isinstance(word, tree.Seen) else word
            if what in said:
                label = Label(said[what][1], "the first time")
                about = "who sees it" if what == "seen" else f"`{what}`"
                self.report.add(Code.TWICE, span, f"{about} is said twice", labels=(label,))
            said.setdefault(what, (value, span))
        return {what: value for what, (value, _) in said.items()}

    def place(
        self, span: Span, name: str, index: tuple[Param, ...] | None, holds: tuple[Any, ...], *rest: Any
    ) -> tree.Place:
        said = self._words(rest[:-1])
        if "seen" not in said:
            hint = "add `open`, `hidden` or `seen by ..`"
            self.report.add(Code.VISIBILITY, _line(span), f"nothing says who sees the place '{name}'", hint=hint)
        order, capacity, kinds, laid_on = holds
        return tree.Place(
            span, name, index or (), order, capacity, kinds, laid_on,
            said.get("seen"), said.get("uncounted", False), said.get("fixed after setup", False), rest[-1],
        )  # fmt: skip

    def state(
        self, span: Span, name: str, index: tuple[Param, ...] | None, type: TypeExpr, initial: Expr | None, *rest: Any
    ) -> tree.State:
        said = self._words(rest[:-1])
        return tree.State(
            span, name, index or (), type, initial, said.get("seen"), said.get("fixed after setup", False),
            said.get("until end of"), said.get("while in"), False, rest[-1],
        )  # fmt: skip

    def track(self, span: Span, *rest: Any) -> tree.State:
        return replace(self.state(span, *rest), track=True)

    # ------------------------------------------------------------------------------------------------ words, menus

    def define_head(
        self,
        span: Span,
        name: str,
        params: tuple[Param, ...] | None,
        result: TypeExpr | None,
        shrinking: str | None,
        tail: Tail,
    ) -> tree.Define:
        return tree.Define(span, name, params or (), result, shrinking, None, tail)

    def define_line(self, span: Span, head: tree.Define, body: Expr, more: Tail) -> tree.Define:
        return replace(head, span=span, body=body, tail=self.joined(head.tail, more))

    def define_block(self, span: Span, head: tree.Define, block: Value) -> tree.Define:
        return self.define_line(span, head, block.expr, block.tail)

    def define_open(self, span: Span, head: tree.Define, more: Tail) -> tree.Define:
        return replace(head, span=span, tail=self.joined(head.tail, more))


def end_of(span: Span) -> Span:
    return Span(span.file, span.end, span.end)


def _line(span: Span) -> Span:
    """The first line of a span."""
    end = span.file.text.find("\n", span.start, span.end)
    return span if end < 0 else Span(span.file, span.start, end)
