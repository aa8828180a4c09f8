"""Pictures that the author gives: where the cells of what is no grid are drawn.

A picture shows the values of a type (with all places and states that have it as their index, and the states that say
where something stands), or the instances of places and states that it names. The words in it are their names; all else
is drawn as it stands, words in quotes, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from seaspec.check import texts
from seaspec.check.context import Context, Scope
from seaspec.core import ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree

MOST_CELLS = 2_000
_WIDEST = 30
"""No more room than this is taken at the end of a line."""
_WORD = re.compile(r'"[^"]*"?|[^\W_](?:\w*[^\W_])?(?:\.[^\W_](?:\w*[^\W_])?)*')
_OPENS, _CLOSES = "([{<|/\\", ")]}>|/\\"
_MOST_NAMED = 4

Instance = tuple[str, tuple[Value, ...]]
Thing = ir.Place | ir.State


def pictures(ctx: Context) -> None:
    """All pictures. One that does not fit what a world or chosen options have made of the cells is left out."""
    for name, declared in ctx.merged.pictures.items():
        made = _Drawn(ctx, declared)
        if made.subjects() and made.cells() and made.fits():
            ctx.pictures[name] = made.picture()
        elif not _is_made_smaller(ctx):
            for span, message, hint, labels in made.faults:
                ctx.error(Code.PICTURE, span, message, hint=hint, labels=labels)
    shown: dict[str, str] = {}
    for name, picture in ctx.pictures.items():
        for thing in (*picture.things, *picture.standing):
            if thing in shown:
                span = ctx.merged.pictures[name].span.word(name)
                label = Label(ctx.merged.pictures[shown[thing]].span.word(shown[thing]), "the other picture")
                ctx.error(Code.PICTURE, span, f"'{thing}' is drawn in two pictures", labels=[label])
                break
            shown[thing] = name


def _is_made_smaller(ctx: Context) -> bool:
    return bool(ctx.chosen) or any(chapter.kind is tree.ChapterKind.WORLD for chapter in ctx.merged.chapters)


@dataclass(slots=True)
class _Drawn:
    """A picture in the making."""

    ctx: Context
    declared: tree.Picture
    things: dict[str, Thing] = field(default_factory=dict)
    standing: dict[str, ir.State] = field(default_factory=dict)
    board: ir.Board | None = None
    shows: dict[str, list[Instance]] = field(default_factory=dict)
    """The cells by their names, and what is shown there."""
    of_types: set[str] = field(default_factory=set)
    """The cells that are values of a type."""
    spots: list[ir.Spot] = field(default_factory=list)
    faults: list[tuple[Span, str, str | None, Sequence[Label]]] = field(default_factory=list)

    def fault(self, span: Span, message: str, hint: str | None = None, labels: Sequence[Label] = ()) -> None:
        self.faults.append((span, message, hint, labels))

    def picture(self) -> ir.Picture:
        rows = tuple(row.replace('"', " ") for row in self.declared.art.rows)
        said = texts.source(self.ctx, self.declared.tail, self.declared.span, Scope())
        board = self.board
        return ir.Picture(
            self.declared.name, rows, tuple(self.spots), tuple(self.things), tuple(self.standing),
            None if board is None else board.name, None if board is None else board.compass, said,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------- what a picture shows

    def subjects(self) -> bool:
        """What stands after `of`."""
        for number, word in enumerate(self.declared.of):
            span = self._named(word)
            if word in self.declared.of[:number]:
                self.fault(span, f"{word} stands here twice")
                break
            if word[0].isupper():
                self._type(word, span)
            else:
                self._thing(word, span)
        return not self.faults

    def _named(self, word: str) -> Span:
        """Where a word stands after `of`."""
        span = self.declared.span
        found = re.compile(rf"\b{word}\b").search(span.text, span.text.index(" of ") + 3)
        assert found is not None
        return Span(span.file, span.start + found.start(), span.start + found.end())

    def _type(self, word: str, span: Span) -> None:
        ty = self.ctx.types.get(word)
        if ty is None or not isinstance(ty, types.Enum | types.Int | types.Cells):
            known = [
                name for name, one in self.ctx.types.items() if isinstance(one, types.Enum | types.Int | types.Cells)
            ]
            what = f"{word} has no cells to be drawn" if ty or word in self.ctx.kinds else f"'{word}' is not known"
            hint = near(word, known) or "a picture is of a board, a type of words or numbers, or of places and states"
            self.fault(span, what, hint)
            return
        if isinstance(ty, types.Cells):
            self.board = self.ctx.boards[ty.board]
            if self.board.name != word:
                self.fault(span, f"{word} is a part of {self.board.name}", f"draw all of it: 'of {self.board.name}'")
                return
        merged = self.ctx.merged
        found: dict[str, Thing] = {}
        for declared in [*merged.places.values(), *merged.states.values()]:
            assert isinstance(declared, tree.Place | tree.State)
            thing = self._made(declared.name)
            if len(declared.index) == 1 and thing is not None and self._is(declared.index[0].type, word):
                found[declared.name] = thing
        for state in merged.states.values():
            made = self.ctx.states.get(state.name)
            if made is not None and self._is(state.type, word) and state.name not in found:
                self.standing[state.name] = made
        if not found and not any(self._is(state.type, word) for state in merged.states.values()):
            hint = f"a place such as 'place on[c: {word}] ..', or a state that is a {word}, is drawn in it"
            self.fault(span, f"nothing lies on {word}, so there is nothing to be drawn", hint)
        self.things |= found
        cells = list(types.values(ty)) if types.size(ty) <= MOST_CELLS else []
        if not cells:
            self.fault(span, f"{word} has more than {MOST_CELLS:,} cells")
        for value in cells:
            name = show_value(value, ty, self.ctx)
            self._cell(name, [(thing, (value,)) for thing in found], span, name in self.shows)
            self.of_types.add(name)

    def _thing(self, word: str, span: Span) -> None:
        thing = self._made(word)
        if thing is None:
            hint = near(word, [*self.ctx.places, *self.ctx.states, *self.ctx.types])
            self.fault(span, f"there is no place or state '{word}'", hint)
            return
        if word in self.things:
            self.fault(span, f"'{word}' is drawn by what stands before it, already")
            return
        if any(isinstance(v.type, types.Pieces) for v in thing.index):
            self.fault(span, f"'{word}' is for each piece, and pieces have no place of their own in a picture")
            return
        self.things[word] = thing
        keys: list[tuple[Value, ...]] = [()]
        for variable in thing.index:
            keys = [(*key, value) for key in keys for value in types.values(variable.type)]
            if len(keys) > MOST_CELLS:
                self.fault(span, f"'{word}' has more than {MOST_CELLS:,} cells")
                return
        for key in keys:
            parts = [show_value(value, v.type, self.ctx) for value, v in zip(key, thing.index, strict=True)]
            name = ".".join(parts) or word
            self._cell(name, [(word, key)], span, name in self.of_types)

    def _cell(self, name: str, shows: list[Instance], span: Span, is_another: bool) -> None:
        if name.startswith("-") and not self.faults:
            self.fault(span, f"{name} is a cell of it, and a picture has no negative numbers")
        if is_another and not self.faults:
            self.fault(span, f"two cells of this picture are called {name}", "draw them in pictures of their own")
        self.shows.setdefault(name, []).extend(shows)

    def _made(self, name: str) -> Thing | None:
        return self.ctx.places.get(name) or self.ctx.states.get(name)

    def _is(self, node: tree.TypeExpr | None, word: str) -> bool:
        """Whether a type is written as this one, or as another name of it, a part of it, or with `or none`."""
        match node:
            case tree.TypeName(name=name):
                part = self.ctx.types.get(name)
                return self._root(name) == self._root(word) or (isinstance(part, types.Cells) and part.board == word)
            case tree.UnionType(options=options):
                return all(isinstance(one, tree.NoneType) or self._is(one, word) for one in options)
            case _:  # cautious: it is another type
                return False

    def _root(self, word: str) -> str:
        """The type that others are only another name of."""
        declared = self.ctx.merged.types.get(word)
        return self._root(declared.type.name) if declared and isinstance(declared.type, tree.TypeName) else word

    # ------------------------------------------------------------------------------------------ where the names stand

    def cells(self) -> bool:
        """The names in the picture: each cell once, and no other words."""
        first: dict[str, Span] = {}
        for row, text in enumerate(self.declared.art.rows):
            for found in _WORD.finditer(text):
                word = found[0]
                if word.startswith('"'):
                    if len(word) < 2 or not word.endswith('"'):
                        self.fault(self._at(row, found.start(), len(word)), 'these words lack their closing `"`')
                    continue
                span = self._at(row, found.start(), len(word))
                if word not in self.shows:
                    hint = near(word, self.shows) or f'words that are no cell stand in quotes: "{word}"'
                    self.fault(span, f"'{word}' is no cell of {self._of()}", hint)
                elif word in first:
                    self.fault(span, f"the cell {word} stands in the picture twice", None, [Label(first[word], "here")])
                else:
                    first[word] = span
                    room = _room(text, found.start(), found.end())
                    self.spots.append(ir.Spot(row, found.start(), word, room, tuple(self.shows[word])))
        missing = [name for name in self.shows if name not in first]
        if missing and not self.faults:
            named = ", ".join(missing[:_MOST_NAMED])
            more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
            hint = "each cell stands in it once, by its name"
            if self.ctx.merged.chapters[-1].kind is tree.ChapterKind.VARIANT:
                hint += f"; a variant with other cells says 'replace picture {self.declared.name} of ..'"
            self.fault(self.declared.span.word(self.declared.name), f"the picture lacks {named}{more}", hint)
        return not self.faults

    def _of(self) -> str:
        return " or ".join(self.declared.of)

    def _at(self, row: int, column: int, length: int) -> Span:
        """A stretch of a line of the picture, in the file."""
        span = self.declared.art.span
        start = span.file.text.rfind("\n", 0, span.start) + 1
        lines = span.file.text[start : span.end].split("\n")
        indent = min(len(line) - len(line.lstrip(" ")) for line in lines if line.strip())
        offset = start + sum(len(line) + 1 for line in lines[:row]) + indent + column
        return Span(span.file, offset, offset + length)

    # -------------------------------------------------------------------------------------------------- enough room

    def fits(self) -> bool:
        """Whether each cell has room for what can be there, in as few signs as tell it."""
        for spot in self.spots:
            wanted = self._wanted(spot)
            room = spot.room[1] - spot.room[0]
            if room < wanted:
                signs = "sign" if room == 1 else "signs"
                message = f"{spot.name} has room for {room} {signs}, and what can be there wants {wanted}"
                hint = f"leave blanks after {spot.name}, up to what stands beside it"
                self.fault(self._at(spot.row, spot.column, len(spot.name)), message, hint)
        return not self.faults

    def _wanted(self, spot: ir.Spot) -> int:
        """Signs for what is shown as briefly as can be: a letter for a piece, `2x` for several, a number as it is."""
        wide = [*self._widths(spot), *(1 for state in self.standing.values() for _ in _instances(state))]
        return max([1, *wide, *([2] if len(wide) > 1 else [])])

    def _widths(self, spot: ir.Spot) -> Iterator[int]:
        for name, _ in spot.shows:
            thing = self.things[name]
            if isinstance(thing, ir.State):
                inner = thing.type.of if isinstance(thing.type, types.Optional) else thing.type
                yield max(len(str(inner.low)), len(str(inner.high))) if isinstance(inner, types.Int) else 1
            else:
                capacity = self.ctx.known_value(thing.capacity) if thing.capacity is not None else None
                most = min(len(thing.holds.members), capacity if isinstance(capacity, int) else len(self.ctx.pieces))
                yield 1 if most <= 1 else 1 + len(str(most))


def _instances(state: ir.State) -> Iterator[int]:
    number = 1
    for variable in state.index:
        number *= types.size(variable.type)
    yield from range(min(number, 2))


def _room(text: str, start: int, end: int) -> tuple[int, int]:
    """The blanks on both sides of a word: those after it up to the next sign, those before it if they are no other's.

    One blank stays between it and the next sign, but for one that closes or parts: `|`, `)`.
    """
    after = text[end:]
    blanks = len(after) - len(after.lstrip(" "))
    right = end + (_WIDEST if blanks == len(after) else blanks - (after[blanks] not in _CLOSES and blanks > 0))
    before = text[:start]
    left = len(before.rstrip(" "))
    if left == 0:
        return 0, right
    beside = before[left - 1]
    if beside.isalnum() or beside == '"':
        return start, right
    return min(start, left + (beside not in _OPENS)), right
