"""What is of a house rule that is checked, and what is of its base."""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.core import ir
from seaspec.examples.nearest import words_of
from seaspec.examples.run import ExampleResult, Verdict
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.source import Span
from seaspec.syntax import tree


def is_own(subject: Subject, span: Span) -> bool:
    """Whether something stands in the house rule itself."""
    lines = (declared.span for chapter in subject.asked for declared in chapter.declarations)
    return any(span.file.name == line.file.name and line.start <= span.start <= line.end for line in lines)


def of_the_base(subject: Subject, rules: ir.Game) -> Iterator[ir.Example]:
    """The examples that the house rule has not brought along."""
    return (example for example in rules.examples if not is_own(subject, example.source.span))


def is_changed(subject: Subject, game: Game, result: ExampleResult) -> bool:
    """Whether an example that is not as said is one of the base, which ends otherwise with the house rule."""
    own = {d.name for c in subject.asked for d in c.declarations if isinstance(d, tree.Example)}
    name = result.example.name
    fails = result.verdict is not Verdict.FAULTY and name not in game.rules.breaks
    return bool(subject.asked) and fails and name not in own


def words_of_rule(subject: Subject) -> frozenset[str]:
    """The words of the house rule that is checked."""
    return frozenset[str]().union(*(words_of(chapter.span.text) for chapter in subject.asked))
