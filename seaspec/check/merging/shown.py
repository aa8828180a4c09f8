"""What is shown and means nothing to the rules: terms, and the looks of pieces.

Terms are what a rule book calls, in its own language, what has a name in the rules. A chapter says them of anything
that the merged game has: its own things, those of its modules and of the game that it varies. What is said last of a
name holds; books show it, and are searched by it.

What a variant has taken out of the game, or replaced by something without it, falls out of terms and looks, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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


def settle_shown(draft: Draft) -> None:
    """Keep what is said of what there is, and look whether terms are a few words each, of something that there is, each
    said once in a chapter for a language."""
    names = _Names(set(_within(_merged(draft))), set(_within(_written(draft))))
    for terms in draft.terms:
        said: dict[tuple[str, str], Span] = {}
        for term in terms:
            _check(draft, term, said, names)
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


def terms_of(merged: MergedGame) -> Iterator[tree.Term]:
    """The terms of a merged game, a declaration for each language."""
    for language in dict.fromkeys(language for language, _ in merged.terms):
        words = tuple(word for (of, _), word in merged.terms.items() if of == language)
        yield tree.Term(words[0].span, language, words)


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
        if isinstance(node, tree.Component | tree.AddKind | tree.TypeDecl | tree.Option | tree.Board | tree.Shape):
            for part in walk(node):
                match part:
                    case tree.KindDecl(name=name) | tree.EnumValue(name=name) | tree.Fact(name=str() as name):
                        yield name
                    case tree.Drawing(key=key):
                        yield from (name for _, name in key)
                    case _:  # cautious: it names nothing by itself
                        pass


def _check(draft: Draft, term: tree.Term, said: dict[tuple[str, str], Span], names: _Names) -> None:
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
