"""What is wrong where the parser can not go on, in words of the language.

In: the states of the parser before a token, and the token. Out: one diagnostic. What could stand there is asked of
the table; common slips (habits from other languages, a missing body, a capital letter) have messages of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report, near
from seaspec.source import SourceFile, Span
from seaspec.syntax import habits
from seaspec.syntax.grammar import CHUNK, END, LONE_EXPRESSION, Grammar, load_grammar

TOO_DEEP = "TOO_DEEP"
_LONGEST_LIST = 8
_ENDS = {"_NL": "the line ends", "_DEDENT": "the block ends", END: "the text ends", "_INDENT": "a block begins"}
_KINDS = {
    "NAME": "a name", "TYPE": "a capitalised name", "INT": "a number", "STRING": "a sentence in quotes",
    "CLAUSE": "a clause id such as `play.1`", "DIE": "a die such as `d6`", "_NL": "the end of the line",
    "ORDINAL": "a number such as `2nd`",
    "_INDENT": "an indented block", "_DEDENT": "the end of the block", END: "the end",
}  # fmt: skip
_COMPARISONS = {"=", "!=", "<", "<=", ">", ">=", "in", "is"}
_ARITHMETIC = ("PLUS", "MINUS", "STAR", "SLASH", "MOD", "DOT", "LPAR", "LSQB")
_QUOTE = 'write a plain `"`'
_FOREIGN = {
    "==": "to compare write `=`", ";": "each statement stands on a line of its own", "&&": "write `and`",
    "||": "write `or`", "!": "write `not`, or `!=`", "%": "write `mod`", "'": "a string stands in double quotes",
    "=>": "write `implies`", "->": "write `:` before a type", "++": "write `+= 1`", "**": "write a product",
    "//": "a comment begins with `--`", "/*": "a comment begins with `--`", "<>": "write `!=`", "=<": "write `<=`",
    "::": "write one colon", "\u201c": _QUOTE, "\u201d": _QUOTE, "\u201e": _QUOTE, "\u00ab": _QUOTE, "\u00bb": _QUOTE,
    "\u2018": _QUOTE, "\u2019": _QUOTE, "\u2013": "write a plain `-`", "\u2014": "write `--` for a comment",
    "\u2212": "write a plain `-`", "\u00d7": "write `*`", "\u00f7": "write `/`", "\u2264": "write `<=`",
    "\u2265": "write `>=`", "\u2260": "write `!=`", "\u2026": "write `..`", "\u00a0": "write a plain blank",
    "\t": "write blanks",
}  # fmt: skip
_NEW_BODY = re.compile(r"\s*set\s+([a-z_0-9]+)\s*\(")
_NAMELESS = re.compile(r"(?:replace\s+)?picture\s+of\s+([A-Za-z_0-9]+)")
_NAMELESS_LOOK = re.compile(r"(?:replace\s+)?look\s+(?:of\s+)?([A-Z]\w*)")
_WORD_BEFORE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*\Z")
_SAID = re.compile(r"\w+(?:[ ,']+\w+)*")
_REPLACES = re.compile(r"\b(replace|remove|before|after|forbid|allow|set)\s+\Z")


@dataclass(frozen=True, slots=True)
class Fault:
    """The token that does not fit (`found`: its terminal; "" if it is none), and the states before it.

    `after` is where the token before it ends.
    """

    states: tuple[int, ...]
    found: str
    begin: int
    end: int
    after: int


def explain(fault: Fault, grammar: Grammar, source: SourceFile, report: Report) -> None:
    """Report a fault."""
    span = Span(source, fault.begin, fault.end)
    if fault.found == TOO_DEEP:
        report.add(Code.TOO_DEEP, span, "this is nested too deeply", hint="give a part of it a name of its own")
        return
    if _foreign(fault, span, report) or not fault.found:
        return
    if lacks_body(fault, grammar):
        _without_body(fault, source, report)
        return
    accepted = accepts(fault.states, grammar)
    if _slip(fault, span, accepted, grammar, report):
        return
    expected = _in_words(accepted, grammar)
    found = _ENDS.get(fault.found) or ("found a string" if fault.found == "STRING" else f"found `{span.text}`")
    wanted = f"expected {_listed(expected)}" if expected else f"`{span.text}` can not stand here"
    message = f"{wanted}, but {found}" if expected else wanted
    report.add(Code.SYNTAX, span, message, hint=_hint(fault, span, accepted, grammar))


def lacks_body(fault: Fault, grammar: Grammar) -> bool:
    """Whether the fault lies in the line above: a head without a body."""
    return accepts(fault.states, grammar) == {"_INDENT"}


def accepts(states: tuple[int, ...], grammar: Grammar) -> set[str]:
    """The terminals that can follow."""
    if not states:
        return set()
    return {symbol for symbol in grammar.states[states[-1]] if symbol.isupper() and _fits(states, symbol, grammar)}


def _fits(states: tuple[int, ...], terminal: str, grammar: Grammar) -> bool:
    stack = list(states)
    while True:
        action = grammar.states[stack[-1]].get(terminal)
        if action is None:
            return False
        if action >= 0:
            return True
        production = grammar.productions[~action]
        if production.size:
            del stack[-production.size :]
        stack.append(grammar.states[stack[-1]][production.origin])
        if terminal == END and stack[-1] in (end for _, end in grammar.starts.values()):
            return True


# ------------------------------------------------------------------------------------------------------------- slips


def _foreign(fault: Fault, span: Span, report: Report) -> bool:
    """Signs of other languages, and characters that none has."""
    text = span.file.text
    for start in (fault.begin, fault.begin - 1):
        for sign in (text[start : start + 2], text[start : start + 1]):
            covers = start + len(sign) > fault.begin
            if sign in _FOREIGN and covers and not (fault.found and sign == "!"):
                where = Span(span.file, start, start + len(sign))
                shown = sign if sign.isprintable() and sign.strip() else f"U+{ord(sign):04X}"
                report.add(Code.FOREIGN, where, f"`{shown}` is not used here", hint=_FOREIGN[sign])
                return True
    if fault.found:
        return False
    end = fault.begin + 1
    while end < len(text) and not text[end].isascii() and text[end].isalpha():
        end += 1
    where = Span(span.file, fault.begin, end)
    shown = where.text if where.text.isprintable() else f"U+{ord(where.text[0]):04X}"
    hint = "names are written in the letters a to z, digits and `_`" if shown[0].isalpha() else None
    report.add(Code.BAD_CHARACTER, where, f"`{shown}` can stand only in strings and comments", hint=hint)
    return True


def _without_body(fault: Fault, source: SourceFile, report: Report) -> None:
    start = source.text.rfind("\n", 0, fault.after) + 1
    line = source.text[start : fault.after]
    span = Span(source, start + len(line) - len(line.lstrip()), fault.after)
    report.add(Code.NO_BODY, span, "nothing is indented below this line", hint="indent the lines that belong to it")


def _slip(fault: Fault, span: Span, accepted: set[str], grammar: Grammar, report: Report) -> bool:
    """The slips that deserve their own message."""
    text = span.file.text
    word = span.text
    before = text[fault.after - 1 : fault.after]
    if fault.found == "_INDENT":
        where = Span(span.file, fault.begin, fault.begin + 1)
        hint = "a block begins below a head such as `if P`, which has no colon"
        report.add(Code.INDENTATION, where, "this line is indented, but the one above begins no block", hint=hint)
    elif fault.found == "_NL" and before == ":":
        hint = "a block has no colon at its head; after a colon one statement follows on the same line"
        report.add(Code.NO_BODY, Span(span.file, fault.after - 1, fault.after), "nothing follows the colon", hint=hint)
    elif fault.found in ("ELSE", "OTHERWISE") and not text[text.rfind("\n", 0, fault.begin) + 1 : fault.begin].strip():
        partner = "an `if`" if fault.found == "ELSE" else "a choice"
        hint = f"it stands right below the block of {partner}, in its column, and ends its line or has a colon"
        hint += "" if fault.found == "ELSE" else "; after an `if` say `else`"
        report.add(Code.STRAY_ELSE, span, f"`{word}` without {partner}", hint=hint)
    elif word in _COMPARISONS and "AND" in accepted:
        hint = "write `a < b and b < c`"
        report.add(Code.SYNTAX, span, "one comparison can not follow another", hint=hint)
    elif fault.found in grammar.words.values() and {"LPAR", "INT"} <= accepted and fault.found in _openings():
        start = text.rfind("\n", 0, fault.begin) + 1
        meant = habits.by_look(text[start:].split("\n", 1)[0], fault.begin - start)
        hint = meant or "put it in brackets: `(" + word + " ..)`"
        report.add(Code.SYNTAX, span, f"`{word}` must stand in brackets here", hint=hint)
    elif fault.found in grammar.words.values() and "NAME" in accepted:
        start = text.rfind("\n", 0, fault.begin) + 1
        meant = habits.by_look(text[start:].split("\n", 1)[0], fault.begin - start)
        report.add(Code.SYNTAX, span, f"`{word}` is a word of the language, and never a name", hint=meant)
    elif (
        fault.found in ("NAME", "TYPE")
        and not {"NAME", "TYPE"} <= accepted
        and not _hint(fault, span, accepted, grammar)
    ):
        if "TYPE" in accepted:
            hint = f"write '{word[:1].upper()}{word[1:]}'"
            report.add(Code.CAPITALS, span, f"a capitalised name stands here, not '{word}'", hint=hint)
        elif "NAME" in accepted:
            hint = f"write '{word[:1].lower()}{word[1:]}'"
            report.add(Code.CAPITALS, span, f"this name begins with a small letter, not '{word}'", hint=hint)
        else:
            return False
    else:
        return False
    return True


def _hint(fault: Fault, span: Span, accepted: set[str], grammar: Grammar) -> str | None:
    """The keyword that was meant: here, or just before; what other languages say otherwise."""
    start = span.file.text.rfind("\n", 0, fault.begin if fault.found != "_NL" else fault.after) + 1
    line, column = span.file.text[start:], (fault.begin if fault.found != "_NL" else fault.after) - start
    line = line.split("\n", 1)[0]
    if known := habits.by_look(line, column) or habits.by_first_word(line):
        return known
    if nameless := _NAMELESS.match(line):
        return f"a picture has a name of its own: `picture {nameless[1].lower()}_picture of {nameless[1]}`"
    if nameless := _NAMELESS_LOOK.match(line):
        return f"a look has a name of its own: `look {nameless[1].lower()}_look of {nameless[1]}: ..`"
    if new := _NEW_BODY.match(line):
        return f"`set` gives a constant or an option another value; a new body is `replace {new[1]}(..) = ..`"
    if fault.found == "_NL" and "ELSE" in accepted:
        return "every `if .. then ..` has an `else ..`"
    if fault.found == "_NL" and span.file.text[fault.after - 1 : fault.after] == "=":
        return "begin the value on this line; a block has no `=` above it"
    word = _WORD_BEFORE.search(span.file.text, max(0, fault.after - 40), fault.after)
    if word is not None and word[1] in grammar.hard and span.text in (":", ":=", "=", "+=", "-=", "(", "["):
        return f"`{word[1]}` is a word of the language, and never a name"
    if span.text == ":=":
        return "`:=` changes a state; to compare write `=`"
    if span.text == "#":
        return _FOREIGN["//"]
    if fault.found == "NAME" and len(span.text) > 2:
        possible = [word for word, terminal in grammar.words.items() if terminal in accepted]
        if found := near(span.text, possible):
            return found
    if _wants_type(accepted, grammar):
        return habits.of_type(word[1] if word is not None else "")
    is_text = fault.found in ("NAME", "TYPE") or span.text in ("the", "no", "every", "all", "first")
    if {"STRING", "_NL"} <= accepted and is_text and grammar.marks[":="] not in accepted:
        said = _SAID.match(span.file.text, fault.begin)
        assert said is not None
        return f'words that people read stand in quotes: `"{said[0].strip()}"`'
    if word is not None and word[1] in ("random", "rand"):
        return habits.HABITS[word[1]]
    if (
        word is not None
        and _REPLACES.search(span.file.text, max(0, word.start() - 20), word.start())
        and word[1] in grammar.heads
    ):
        return f"write the name alone, without `{word[1]}`"
    if word is not None and len(word[1]) > 1 and word[1] not in grammar.words:
        return near(word[1], [word for word in grammar.words if abs(len(word) - len(word[0])) < 3])
    return None


# ------------------------------------------------------------------------------------------------ what was expected


def _in_words(accepted: set[str], grammar: Grammar) -> list[str]:
    """What can follow, the common groups in one word; what makes an expression longer is not worth telling."""
    if _wants_type(accepted, grammar):
        return ["a range such as `0..9`"]
    rest = set(accepted)
    said: list[str] = []
    if "MOVE" in rest:
        said.append("a statement")
        rest = rest & {"_DEDENT"}
    elif {"WHEN", "GIVEN"} <= rest:
        said.append("a line of the example")
        rest = set()
    elif rest == accepts((grammar.starts[CHUNK][0],), grammar):
        return ["a declaration"]
    if {"LPAR", "LBRACE", "INT"} <= rest:
        said.append("an expression")
        rest -= _openings() | _operand_openings()
    if ({"PLUS", "STAR"} <= rest or ("DOT" in rest and "INT" not in rest)) and (rest - _continuations() or said):
        rest -= _continuations()
    if {"STRING", "CITES"} <= rest and len(rest) > 3:
        rest -= {"STRING", "CITES", "ASSUME"}
    literal = {terminal: word for word, terminal in (grammar.words | grammar.marks).items()}
    kinds = [words for terminal, words in _KINDS.items() if terminal in rest]
    return said + sorted(f"`{literal[terminal]}`" for terminal in rest if terminal in literal) + kinds


def _wants_type(accepted: set[str], grammar: Grammar) -> bool:
    """Whether what stands there was read as the beginning of a range, where a type is wanted."""
    return grammar.marks[".."] in accepted and accepted <= {grammar.marks[".."], *_ARITHMETIC}


def _listed(words: list[str]) -> str:
    if len(words) > _LONGEST_LIST:
        return ", ".join(words[:_LONGEST_LIST]) + " or the like"
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


@cache
def _openings() -> frozenset[str]:
    """The words that begin an open form, or a negation: what an expression can begin with, and an operand can not."""
    grammar = load_grammar()
    words = ("if", "every", "some", "count", "sum", "most", "least", "the", "first", "reach", "ways", "openly", "not")
    return frozenset(grammar.words[word] for word in words)


@cache
def _operand_openings() -> frozenset[str]:
    grammar = load_grammar()
    return frozenset(accepts((grammar.starts[LONE_EXPRESSION][0],), grammar)) - _openings()


@cache
def _continuations() -> frozenset[str]:
    """What can follow a name in an expression."""
    grammar = load_grammar()
    start = grammar.starts[LONE_EXPRESSION][0]
    return frozenset(accepts((start, grammar.states[start]["NAME"]), grammar)) - {END}
