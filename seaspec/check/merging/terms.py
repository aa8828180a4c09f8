"""Terms: what a rule book calls, in its own language, what has a name in the rules.

A chapter says them of anything that the merged game has: its own things, those of its modules and of the game that it
varies. What is said last of a name holds. They mean nothing to the rules; books show them, and are searched by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from seaspec.check.merging.draft import Draft
from seaspec.check.merging.merged import MergedGame
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.walk import walk

_LONGEST, _MOST_WORDS = 40, 5
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_NO_WORD = re.compile(r"[.,;:!?{}]")
_EXAMPLE = 'as in `term ru Card "карта", lay "сыграть карту"`'


def terms_of(merged: MergedGame) -> Iterator[tree.Term]:
    """The terms of a game, of each name the last one, without those of what was removed."""
    terms = [term for several in merged.terms.values() for term in several]
    last = {(term.language, word.name): word for term in terms for word in term.words}
    for term in terms:
        words = tuple(word for word in term.words if last[term.language, word.name] is word)
        words = tuple(word for word in words if word.name not in merged.removed)
        if words:
            yield replace(term, words=words)


def check_terms(draft: Draft) -> None:
    """Terms are a few words each, of something that there is, once in a chapter for each language."""
    for terms in draft.merged.terms.values():
        said: dict[tuple[str, str], Span] = {}
        for term in terms:
            _check(draft, term, said)


def _check(draft: Draft, term: tree.Term, said: dict[tuple[str, str], Span]) -> None:
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
        elif draft.find(word.name) is None and word.name not in draft.removed:
            values = set(_values(draft.merged))
            if word.name not in values:
                known = near(word.name, [*draft.names(), *values])
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


def _values(merged: MergedGame) -> Iterator[str]:
    """The words that are values of types and options, and the parts of boards and shapes."""
    for declared in (*merged.types.values(), *merged.options.values()):
        yield from (node.name for node in walk(declared) if isinstance(node, tree.EnumValue))
    for form in (*merged.boards.values(), *merged.shapes.values()):
        for node in walk(form):
            if isinstance(node, tree.Drawing):
                yield from (name for _, name in node.key)
