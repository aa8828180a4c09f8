"""Looks that the author gives: what shape pieces have, and which of their facts and states are seen on them.

All names in a look are of facts that are printed on a piece, and of states that have the piece as their only index. So
what a player may not see of a piece is not seen in its picture, either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from seaspec.check import texts, typing
from seaspec.check.context import Context, Scope
from seaspec.core import ir, types
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import LookSort

_ROUND = (4, 8)
"""How many values directions have."""


def looks(ctx: Context) -> None:
    """All looks; of a kind there is one."""
    first: dict[str, Span] = {}
    for name, declared in ctx.merged.looks.items():
        kinds = tuple(kind.name for kind in declared.of if _is_kind(ctx, kind))
        for kind in declared.of:
            other = first.setdefault(kind.name, kind.span)
            if other is not kind.span:
                message = f"{kind.name} has a look already"
                _fault(ctx, kind.span, message, "say it in one look, or of kinds of it", [Label(other, "the other")])
        shape = _shape(ctx, declared.shape)
        if len(kinds) == len(declared.of) and shape is not None:
            ctx.looks[name] = _Made(ctx, declared, kinds).look(shape)


def _fault(ctx: Context, span: Span, message: str, hint: str | None, labels: list[Label] | None = None) -> None:
    ctx.error(Code.LOOK, span, message, hint=hint, labels=labels or ())


def _is_kind(ctx: Context, kind: tree.LookName) -> bool:
    if kind.name in ctx.kinds:
        return True
    what = f"{kind.name} is no kind of piece" if kind.name in ctx.types else f"'{kind.name}' is not known"
    _fault(ctx, kind.span, what, near(kind.name, ctx.kinds) or "a look is of a component, or of a kind in it")
    return False


def _shape(ctx: Context, shape: tree.LookName) -> ir.LookShape | None:
    known = [one.value for one in ir.LookShape]
    if shape.name in known:
        return ir.LookShape(shape.name)
    hint = near(shape.name, known) or f"pieces look like one of these: {', '.join(known)}"
    _fault(ctx, shape.span, f"'{shape.name}' is no shape", hint)
    return None


@dataclass(slots=True)
class _Made:
    """A look in the making."""

    ctx: Context
    declared: tree.Look
    kinds: tuple[str, ...]

    def look(self, shape: ir.LookShape) -> ir.Look:
        said: dict[LookSort, tree.LookWord] = {}
        for word in self.declared.words:
            other = said.setdefault(word.sort, word)
            if other is not word:
                message = f"a second `{word.sort.value}`"
                hint = f"say all in one: `{word.sort.value} a, b`" if word.sort in _MANY else "keep one of them"
                _fault(self.ctx, word.span, message, hint, [Label(other.span, "the first")])
        found = {sort: tuple(self._names(said[sort])) if sort in said else () for sort in LookSort}
        coloured = found[LookSort.COLOURED]
        is_colour = bool(coloured) and coloured[0] not in self._known()
        return ir.Look(
            self.declared.name,
            self.kinds,
            shape,
            pointing=next(iter(found[LookSort.POINTING]), None),
            coloured=coloured[0] if coloured and not is_colour else None,
            colour=coloured[0] if is_colour else None,
            showing=found[LookSort.SHOWING],
            numbered=found[LookSort.NUMBERED],
            source=texts.source(self.ctx, self.declared.tail, self.declared.span, Scope()),
        )

    def _names(self, word: tree.LookWord) -> Iterator[str]:
        """The names that fit what is told by them."""
        known = self._known()
        for name in word.names:
            ty = known.get(name.name)
            if ty is None:
                yield from self._unknown(word.sort, name, known)
            elif (fault := self._misfit(word.sort, name.name, ty)) is None:
                yield name.name
            else:
                _fault(self.ctx, name.span, *fault)

    def _unknown(self, sort: LookSort, name: tree.LookName, known: Mapping[str, Type]) -> Iterator[str]:
        if sort is LookSort.COLOURED and name.name in ir.COLOURS:
            yield name.name
        else:
            names = [*known, *(ir.COLOURS if sort is LookSort.COLOURED else ())]
            hint = near(name.name, names)
            if hint is None and sort is LookSort.COLOURED:
                hint = f"a fact or state that is a player or a word, or a colour: {', '.join(ir.COLOURS)}"
            if hint is None:
                there = f"; there are {', '.join(known)}" if known else ", and there are none"
                hint = f"facts of the piece are seen, and states for each {self.kinds[0]}{there}"
            _fault(self.ctx, name.span, f"{self.kinds[0]} has no fact or state '{name.name}'", hint)

    def _known(self) -> dict[str, Type]:
        """The facts and states of the pieces, with their types; before `or none` is looked at."""
        ctx = self.ctx
        members = {member for kind in self.kinds for member in ctx.kinds[kind].members}
        found: dict[str, Type] = {}
        for member in sorted(members):
            found |= {name: ty for name, _, ty in ctx.pieces[member].facts}
        for name, state in ctx.states.items():
            of = state.index[0].type if len(state.index) == 1 else None
            if isinstance(of, types.Pieces) and (members & set(of.members) or not members):
                found[name] = state.type
        return found

    def _misfit(self, sort: LookSort, name: str, ty: Type) -> tuple[str, str] | None:
        """What is wrong with a name, and a hint."""
        inner = ty.of if isinstance(ty, types.Optional) else ty
        told = f"'{name}' is {typing.name(ty)}"
        match sort:
            case LookSort.POINTING:
                compasses = {board.compass for board in self.ctx.boards.values()} - {None}
                if isinstance(inner, types.Enum) and inner.name in compasses and len(inner.values) in _ROUND:
                    return None
                return f"{told}, and no direction", "directions are the ring that a board goes `towards`"
            case LookSort.COLOURED:
                if isinstance(inner, types.Enum):
                    return None
                return f"{told}, and no player and no word", f"colours are {', '.join(ir.COLOURS)}, or go by words"
            case LookSort.SHOWING:
                if isinstance(inner, types.Int | types.Bool | types.Enum):
                    return None
                return f"{told}, and that is not seen on a piece", "numbers are, and words, and yes or no"
            case LookSort.NUMBERED:
                if name in self.ctx.states and not self._is_fact(name):
                    return f"'{name}' is a state, and can change", f"what is printed has a number; say `showing {name}`"
                if isinstance(inner, types.Int | types.Enum | types.Cells):
                    return None
                return f"{told}, and that is not printed on a piece", "numbers are, and words, and cells"
            case _:
                assert_never(sort)

    def _is_fact(self, name: str) -> bool:
        pieces = (self.ctx.pieces[member] for kind in self.kinds for member in self.ctx.kinds[kind].members)
        return any(name == fact for piece in pieces for fact, _, _ in piece.facts)


_MANY = (LookSort.SHOWING, LookSort.NUMBERED)
