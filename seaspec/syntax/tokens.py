"""What each piece of a text is, for those who colour it: keyword, name, type, number, sentence, clause, comment, mark.

Which words are keywords depends on where they stand, and only the parser knows it: so the parser is asked. Where it
has not understood a line, as in a text that is being typed, the words that may begin a line are taken for keywords
there, and elsewhere those that are never names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from seaspec.diagnostics.model import Report
from seaspec.source import SourceFile
from seaspec.syntax.grammar import Grammar, load_grammar
from seaspec.syntax.parse import Tokens, parse


class Look(Enum):
    """What a piece of text is to the eye."""

    BLANK = "blank"
    COMMENT = "comment"
    KEYWORD = "keyword"
    HEAD = "head"
    NAME = "name"
    TYPE = "type"
    NUMBER = "number"
    SENTENCE = "sentence"
    CLAUSE = "clause"
    MARK = "mark"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Piece:
    look: Look
    text: str


_LOOKS = {
    "STRING": Look.SENTENCE,
    "INT": Look.NUMBER,
    "DIE": Look.NUMBER,
    "ORDINAL": Look.NUMBER,
    "NAME": Look.NAME,
    "TYPE": Look.TYPE,
    "CLAUSE": Look.CLAUSE,
}


def pieces(text: str) -> Iterator[Piece]:
    """The text, cut up without a rest; pieces that look alike and lie side by side are not put together.

    >>> [(piece.text, piece.look.value) for piece in pieces('game Tiny "Tiny" -- so small') if piece.text.strip()]
    [('game', 'head'), ('Tiny', 'type'), ('"Tiny"', 'sentence'), ('-- so small', 'comment')]
    """
    grammar = load_grammar()
    tokens: Tokens = {}
    parse(SourceFile("<text>", text), Report(), tokens)
    yield from _between(text, 0, len(text), tokens, sorted(tokens), grammar)


def _between(text: str, begin: int, end: int, tokens: Tokens, starts: list[int], grammar: Grammar) -> Iterator[Piece]:
    """What lies between two offsets; `starts` are those of the tokens there, in order."""
    at = begin
    number = 0
    while number < len(starts):
        start = starts[number]
        stop, terminal = tokens[start]
        yield from _unread(text, at, start, grammar)
        number += 1
        inner = number
        while inner < len(starts) and starts[inner] < stop:
            inner += 1
        if inner > number:
            yield from _sentence(text, start, stop, tokens, starts[number:inner], grammar)
        else:
            look = _LOOKS.get(terminal)
            if look is None:
                word = text[start:stop]
                look = Look.MARK if terminal not in grammar.words.values() else Look.KEYWORD
                if look is Look.KEYWORD and word in grammar.heads and _at_margin(text, start):
                    look = Look.HEAD
            yield Piece(look, text[start:stop])
        number, at = inner, stop
    yield from _unread(text, at, end, grammar)


def _sentence(text: str, begin: int, end: int, tokens: Tokens, starts: list[int], grammar: Grammar) -> Iterator[Piece]:
    """A sentence with expressions in its braces."""
    at = begin
    for hole in _HOLE.finditer(text, begin, end):
        within = [start for start in starts if hole.start() < start < hole.end()]
        yield Piece(Look.SENTENCE, text[at : hole.start()])
        yield Piece(Look.MARK, "{")
        yield from _between(text, hole.start() + 1, hole.end() - 1, tokens, within, grammar)
        yield Piece(Look.MARK, "}")
        at = hole.end()
    yield Piece(Look.SENTENCE, text[at:end])


_HOLE = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")


def _unread(text: str, begin: int, end: int, grammar: Grammar) -> Iterator[Piece]:
    """What the parser has passed over (blanks, comments) or not understood."""
    for found in _plain().finditer(text, begin, end):
        kind, word = found.lastgroup, found[0]
        if kind == "WORD":
            at_first = not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip()
            if word in grammar.heads and _at_margin(text, found.start()):
                look = Look.HEAD
            else:
                look = Look.KEYWORD if word in grammar.hard or (at_first and word in grammar.words) else Look.NAME
        else:
            look = _PLAIN[kind or ""]
        yield Piece(look, word)


_PLAIN = {
    "BLANK": Look.BLANK,
    "COMMENT": Look.COMMENT,
    "STRING": Look.SENTENCE,
    "CLAUSE": Look.CLAUSE,
    "TYPE": Look.TYPE,
    "NUMBER": Look.NUMBER,
    "MARK": Look.MARK,
    "WRONG": Look.WRONG,
}


@cache
def _plain() -> re.Pattern[str]:
    grammar = load_grammar()
    marks = "|".join(re.escape(mark) for mark in sorted(grammar.marks, key=len, reverse=True))
    known = grammar.patterns
    return re.compile(
        rf"(?P<BLANK>\s+)|(?P<COMMENT>{known['COMMENT']})|(?P<STRING>{known['STRING']})|(?P<CLAUSE>{known['CLAUSE']})"
        rf"|(?P<TYPE>{known['TYPE']})|(?P<WORD>{known['NAME']})|(?P<NUMBER>{known['ORDINAL']}|{known['INT']})"
        rf"|(?P<MARK>{marks})|(?P<WRONG>.)"
    )


def _at_margin(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] == "\n"
