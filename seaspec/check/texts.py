"""Sentences and sources: what people read, with its expressions elaborated."""

from __future__ import annotations

from seaspec.check.context import Context, Scope
from seaspec.check.expressions import expressions
from seaspec.core import ir
from seaspec.source import Span
from seaspec.syntax import tree


def text(ctx: Context, sentence: tree.Sentence, scope: Scope) -> ir.Text:
    """A sentence whose expressions are over the names of a scope."""
    parts: list[str | ir.Expr] = []
    for part in sentence.parts:
        parts.append(part if isinstance(part, str) else expressions.expression(ctx, part, scope.quiet()))
    return ir.Text(tuple(parts))


def source(ctx: Context, tail: tree.Tail, span: Span, scope: Scope) -> ir.Source:
    """Where a thing stands, its sentence, its clauses."""
    return ir.Source(
        span,
        text(ctx, tail.sentence, scope) if tail.sentence is not None else None,
        tuple(clause.id for clause in tail.cites),
        tuple(plain(sentence) for sentence in tail.assumes),
    )


def plain(sentence: tree.Sentence) -> str:
    """A sentence as it was written."""
    return "".join(part if isinstance(part, str) else "{" + part.span.text + "}" for part in sentence.parts)
