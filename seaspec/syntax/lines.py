"""The line lexer: from a file to chunks of lines.

What goes in is a file, what comes out is its `Layout`: the text with comments and the like made blank, so that all
offsets stay those of the file, and the chunks: a line at the margin and what is indented under it. A `Line` may go
on over several lines of the file; its `depth` counts the blocks it stands in. Which words make a line go on stands
in grammar/sea.lark (`goes_on`, `goes_on_in_expression`). What is indented below the head of a picture is one line, as
it stands: nothing in it is a comment, a string or a bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import SourceFile, Span
from seaspec.syntax.grammar import Grammar, load_grammar

MAX_ERRORS = 50
MAX_BRACKETS = 100
MAX_DEPTH = 40
TAB_WIDTH = 8
_OPENS = {")": "(", "]": "[", "}": "{"}
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_FAR = 40
_FIRST = re.compile(r"[A-Za-z0-9_]+|--|.")
_PICTURE = re.compile(r"(replace[ \t]+)?picture[ \t]+\w")
_NOTHING_MORE = re.compile(r"\s*(:|cites\b|assume\b|--|$)")
_WORDS_BEFORE = re.compile(r"(?<![\w{}'])([A-Za-z{][\w{}' ,]*)$")
_IF_THEN = re.compile(r"\b(if|then)\b")


@dataclass(frozen=True, slots=True)
class Line:
    """Where the tokens of a line lie, and how many blocks it stands in."""

    start: int
    end: int
    depth: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A line at the margin and what is indented under it. A `broken` one has been reported, and is not parsed."""

    lines: tuple[Line, ...]
    broken: bool


@dataclass(frozen=True, slots=True)
class Layout:
    text: str
    chunks: tuple[Chunk, ...]


def split_lines(source: SourceFile, report: Report) -> Layout:
    """Cut a file into chunks of lines; what is wrong with strings, brackets and indentation is reported."""
    splitter = _Splitter(source, report, load_grammar())
    splitter.run()
    return Layout("".join(splitter.pieces), tuple(_chunks(splitter)))


@dataclass(slots=True)
class _Row:
    """A line of the file that holds more than a comment."""

    start: int
    end: int
    indent: int
    brackets: list[tuple[int, str]]
    broken: bool
    drawn: bool = False  # a part of a picture


@dataclass(slots=True)
class _Open:
    """A line that may still go on."""

    start: int
    end: int
    indent: int
    broken: bool
    drawn: bool
    without_then: int = 0  # how many `if` still lack their `then`


@cache
def _scan(string: str, comment: str) -> re.Pattern[str]:
    return re.compile(rf'(?P<string>{string})|(?P<comment>{comment})|[()\[\]{{}}]|(?P<open>")')


class _Splitter:
    def __init__(self, source: SourceFile, report: Report, grammar: Grammar) -> None:
        self.source = source
        self.report = report
        self.grammar = grammar
        self.scan = _scan(grammar.patterns["STRING"], grammar.patterns["COMMENT"])
        self.goes_on = grammar.word_lists["goes_on"]
        self.goes_on_in_expression = grammar.word_lists["goes_on_in_expression"]
        self.heads = grammar.heads
        self.pieces: list[str] = []
        self.lines: list[_Open] = []
        self.brackets: list[tuple[int, str]] = []
        self.said: set[Code] = set()  # what is said once a file
        self.in_picture = False  # the last line at the margin is the head of one
        self.errors = 0

    def error(self, code: Code, span: Span, message: str, label: Label | None = None, hint: str | None = None) -> None:
        self.errors += 1
        if self.errors <= MAX_ERRORS:
            self.report.add(code, span, message, labels=() if label is None else (label,), hint=hint)

    def run(self) -> None:
        rows = list(self._rows())
        for number, row in enumerate(rows):
            line = self.lines[-1] if self.lines else None
            if line is not None and self._continues(line, rows, number):
                line.end = row.end
                line.broken = line.broken or row.broken
            else:
                self._close_brackets()
                line = _Open(row.start, row.end, row.indent, row.broken, row.drawn)
                self.lines.append(line)
            if row.drawn:
                continue
            for word in self._ifs_and_thens(self.source.text[row.start : row.end]):
                line.without_then = max(0, line.without_then + (1 if word == "if" else -1))
            for offset, bracket in row.brackets:
                self._bracket(line, offset, bracket)
        self._close_brackets()

    # ------------------------------------------------------------------------------------------- lines of the file

    def _rows(self) -> Iterator[_Row]:
        text = self.source.text
        end = -1
        while end < len(text):
            start = end + 1
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            if self.in_picture and self.source.text[start : start + 1] in (" ", "\t"):
                row = self._drawn_row(start, end)
            else:
                row = self._row(start, end)
                if row is not None:
                    self.in_picture = row.indent == 0 and _PICTURE.match(self.source.text, row.start) is not None
            self.pieces.append("\n")
            if row is not None:
                yield row
        self.pieces.pop()

    def _row(self, start: int, end: int) -> _Row | None:
        text = self.source.text[start:end]
        broken = False
        brackets: list[tuple[int, str]] = []
        clean = text
        if start == 0 and text.startswith("\ufeff"):
            clean = " " + text[1:]
        for match in self.scan.finditer(text):
            kind = match.lastgroup
            if kind is None:
                brackets.append((start + match.start(), match[0]))
            elif kind == "comment":
                clean = clean[: match.start()] + " " * (end - start - match.start())
                break
            elif kind == "open":
                broken = True
                span = Span(self.source, start + match.start(), end)
                self.error(Code.OPEN_STRING, span, "this string is not closed", hint=_how_closed(text, match.start()))
                break
            elif (found := _CONTROL.search(match[0])) is not None:
                broken = True
                self._control(start + match.start() + found.start())
        if clean.endswith("\r"):
            clean = clean[:-1] + " "
        broken = broken or "\r" in clean
        if "\r" in clean and Code.LINE_ENDS not in self.said:
            self.said.add(Code.LINE_ENDS)
            where = start + clean.index("\r")
            span = Span(self.source, where, where + 1)
            hint = "save the file with line ends LF or CRLF"
            self.error(Code.LINE_ENDS, span, "a carriage return within a line", hint=hint)
        self.pieces.append(clean)
        content = clean.strip(" \t")
        if not content:
            return None
        first = len(clean) - len(clean.lstrip(" \t"))
        margin = clean[:first]
        if start == 0 and text.startswith("\ufeff"):
            margin = margin[1:]
        if "\t" in margin and Code.TABS not in self.said:
            self.said.add(Code.TABS)
            span = Span(self.source, start, start + first)
            self.error(Code.TABS, span, "a tab in the indentation", hint="indent with blanks, two for each block")
        last = start + len(clean.rstrip(" \t"))
        return _Row(start + first, last, len(margin.expandtabs(TAB_WIDTH)), brackets, broken)

    def _drawn_row(self, start: int, end: int) -> _Row | None:
        """A line of a picture; where its signs stand counts, so it has no tabs."""
        text = self.source.text[start:end].removesuffix("\r")
        self.pieces.append(text.ljust(end - start))
        content = text.strip(" \t")
        found = re.search(r"\t", text) or _CONTROL.search(text)
        if found is not None and found[0] != "\t":
            self._control(start + found.start(), "a picture")
        elif found is not None and content and Code.TABS not in self.said:
            self.said.add(Code.TABS)
            span = Span(self.source, start + found.start(), start + found.end())
            self.error(Code.TABS, span, "a tab in a picture", hint="write blanks, so that all see the same picture")
        if not content:
            return None
        first = len(text) - len(text.lstrip(" \t"))
        last = start + len(text.rstrip(" \t"))
        return _Row(start + first, last, first, [], broken=found is not None, drawn=True)

    def _control(self, offset: int, where: str = "a string") -> None:
        span = Span(self.source, offset, offset + 1)
        name = f"U+{ord(self.source.text[offset]):04X}"
        self.error(Code.BAD_CHARACTER, span, f"a control character ({name}) in {where}")

    # ---------------------------------------------------------------------------------------- what a line begins with

    def _word(self, row: _Row) -> str:
        found = _FIRST.match(self.source.text, row.start)
        return found[0] if found else ""

    def _continues(self, line: _Open, rows: list[_Row], number: int) -> bool:
        row = rows[number]
        if row.drawn:
            return line.drawn
        word = self._word(row)
        begins = row.indent == 0 and word in self.heads and word not in self.goes_on
        if begins:
            return False
        if self.brackets or self.source.text[line.end - 1] == ",":
            return True
        if word == '"':
            return "STRING" in self.goes_on
        if word == "-" and self.source.text[row.start + 1 : row.start + 2].isdigit():
            return False  # a row of a table, or a case, that begins with a negative number
        if word in self.goes_on:
            return True
        if word not in self.goes_on_in_expression:
            return False
        if word == "then":
            return line.without_then > 0
        return self._in_expression(row, rows, number)

    def _in_expression(self, row: _Row, rows: list[_Row], number: int) -> bool:
        """Whether an `else` or `otherwise` at the start of a line belongs to an expression."""
        word = self._word(row)
        rest = self.source.text[row.start + len(word) : row.end].strip()
        if not rest or rest.startswith(":"):
            return False
        if not re.match(r"if\b", rest):
            return True
        missing, brackets, comma = 0, 0, False
        for later in rows[number : number + _FAR]:
            first = self._word(later)
            own = later is not row and brackets <= 0 and not comma and first not in self.goes_on | {'"', "then"}
            if own:
                break
            text = self.source.text[later.start : later.end]
            for word in self._ifs_and_thens(text):
                missing += 1 if word == "if" else -1
                if missing == 0:
                    return True
            brackets += sum(1 if bracket in _CLOSES else -1 for _, bracket in later.brackets)
            comma = text.endswith(",")
        return False

    def _ifs_and_thens(self, text: str) -> list[str]:
        if "if" not in text and "then" not in text:
            return []
        return _IF_THEN.findall(self.scan.sub(_blank, text))

    # ------------------------------------------------------------------------------------------------------- brackets

    def _bracket(self, line: _Open, offset: int, bracket: str) -> None:
        span = Span(self.source, offset, offset + 1)
        if bracket in _CLOSES:
            self.brackets.append((offset, bracket))
            if len(self.brackets) == MAX_BRACKETS + 1:
                line.broken = True
                self.error(Code.TOO_DEEP, span, f"more than {MAX_BRACKETS} brackets are open here")
            return
        if not self.brackets:
            line.broken = True
            self.error(Code.BRACKETS, span, f"`{bracket}` closes nothing")
            return
        where, opening = self.brackets.pop()
        if opening != _OPENS[bracket]:
            line.broken = True
            label = Label(Span(self.source, where, where + 1), "opened here")
            message = f"`{bracket}` closes `{opening}`, which wants `{_CLOSES[opening]}`"
            self.error(Code.BRACKETS, span, message, label=label)

    def _close_brackets(self) -> None:
        if not self.brackets:
            return
        offset, bracket = self.brackets[-1]
        self.lines[-1].broken = True
        span = Span(self.source, offset, offset + 1)
        self.error(Code.BRACKETS, span, f"`{bracket}` is never closed")
        self.brackets.clear()


def _how_closed(text: str, quote: int) -> str:
    """Where a `"` has no partner: if nothing is in it, words before it may lack theirs."""
    if _NOTHING_MORE.match(text, quote + 1) and (words := _WORDS_BEFORE.search(text[:quote])):
        return f'a string begins with `"`, too: is it `"{words[1].strip()}"`?'
    return 'a string ends in `"`, on its own line'


def _blank(match: re.Match[str]) -> str:
    return match[0] if match.lastgroup is None else " "


def _chunks(splitter: _Splitter) -> Iterator[Chunk]:
    lines: list[Line] = []
    indents: list[int] = []
    broken = False
    for line in splitter.lines:
        if line.indent == 0 or not lines:
            if lines:
                yield Chunk(tuple(lines), broken)
            lines, indents, broken = [], [line.indent], False
            if line.indent > 0:
                broken = True
                _indentation(splitter, line, "a declaration begins at the margin")
        broken = broken or line.broken
        if line.indent > indents[-1]:
            indents.append(line.indent)
            if len(indents) == MAX_DEPTH + 1:
                broken = True
                span = Span(splitter.source, line.start, line.end)
                splitter.error(Code.TOO_DEEP, span, f"more than {MAX_DEPTH} blocks within one another")
        while line.indent < indents[-1] and len(indents) > 1:
            indents.pop()
        if line.indent > indents[-1]:
            _indentation(splitter, line, "this line stands between the indentations of the lines above")
            indents.append(line.indent)
        lines.append(Line(line.start, line.end, len(indents) - 1))
    if lines:
        yield Chunk(tuple(lines), broken)


def _indentation(splitter: _Splitter, line: _Open, message: str) -> None:
    span = Span(splitter.source, line.start - line.indent if line.indent <= line.start else line.start, line.start)
    hint = "the lines of a block begin in the same column" if "between" in message else "remove the blanks before it"
    splitter.error(Code.INDENTATION, span, message, hint=hint)
