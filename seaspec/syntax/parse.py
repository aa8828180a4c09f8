"""The parser: text in, tree and diagnostics out.

The table of grammar/sea.lark is run over each chunk of lines, token by token; the state of the table says which words
are keywords at a place. A fault spoils its own line (and what is indented under it): parsing goes on with the next
one, to report as many faults as make sense; a chunk with a fault gives no declaration. syntax_error.py has the
messages.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report, near
from seaspec.source import SourceFile, Span
from seaspec.syntax import tree
from seaspec.syntax.build import Build
from seaspec.syntax.build_things import More
from seaspec.syntax.grammar import CHUNK, END, LONE_EXPRESSION, load_grammar
from seaspec.syntax.lines import MAX_ERRORS, Chunk, Line, split_lines
from seaspec.syntax.syntax_error import TOO_DEEP, Fault, explain, lacks_body

MAX_SIZE = 1_000_000
MAX_NESTING = 120
_MAX_STACK = 3000
_CHAINS = ("junction", "value_block")  # each child stands one deeper than the next
_NEWLINE, _INDENT, _DEDENT = "_NL", "_INDENT", "_DEDENT"
_ORDINARY = ("STRING", "INT", "NAME", "TYPE")
_CHAPTERS = frozenset((*(kind.value for kind in tree.ChapterKind), "more"))
_HEADING_HINT = 'begin the file with a line such as `game Name "Name"`'
_BLANKS = " \t\r\n"
_IGNORED = ("COMMENT", "BLANKS")
_WORD = re.compile(r"[a-z]+\b")
_BRACE = re.compile(r"[{}]")


Tokens = dict[int, tuple[int, str]]
"""By the offset at which a token begins: where it ends, and its terminal. A sentence has others within it."""


def parse(source: SourceFile, report: Report, tokens: Tokens | None = None) -> tree.File:
    """The chapters of a file; what can not be read is reported and left out. The `tokens` that were read are added."""
    start = Span(source, 0, 0)
    if len(source.text) > MAX_SIZE:
        message = f"the file has {len(source.text):,} characters"
        report.add(Code.TOO_LONG, start, message, hint=f"at most {MAX_SIZE:,} are read")
        return tree.File(start, ())
    found_before = len(report.diagnostics)
    layout = split_lines(source, report)
    parser = _Parser(source, layout.text, report, tokens)
    if not layout.chunks:
        report.add(Code.NO_HEADING, start, "the file is empty", hint=_HEADING_HINT)
    elif parser.first_word(first := layout.chunks[0].lines[0]) in parser.grammar.heads - _CHAPTERS:
        span = Span(source, first.start, first.end)
        report.add(Code.NO_HEADING, span, "a declaration before any heading", hint=_HEADING_HINT)
    chapters: list[tuple[tree.Chapter, list[tree.Declaration]]] = []
    declarations: list[tree.Declaration] = []
    for chunk in layout.chunks:
        if parser.first_word(chunk.lines[0]) in _CHAPTERS:
            declarations = []  # what follows a heading that is faulty belongs to nothing
        node = None if chunk.broken else parser.chunk(chunk)
        if isinstance(node, tree.Chapter):
            chapters.append((node, declarations))
        elif isinstance(node, More):
            declarations = _gone_on_with(node, chapters, report)
        elif node is not None:
            declarations.append(node)
        if len(report.diagnostics) - found_before >= MAX_ERRORS:
            break
    report.diagnostics[found_before:] = sorted(report.diagnostics[found_before:], key=lambda found: found.span.start)
    if len(report.diagnostics) - found_before >= MAX_ERRORS:
        report.add(Code.TOO_MANY, start, f"there may be more than these {MAX_ERRORS} errors")
    whole = tuple(replace(heading, declarations=tuple(owned)) for heading, owned in chapters)
    return tree.File(Span(source, 0, len(source.text)), whole)


def _gone_on_with(
    more: More, chapters: list[tuple[tree.Chapter, list[tree.Declaration]]], report: Report
) -> list[tree.Declaration]:
    """What the chapter owns with which `more of` goes on; it stands above, in the same file."""
    for heading, declarations in chapters:
        if heading.name == more.name:
            return declarations
    hint = near(more.name, [heading.name for heading, _ in chapters])
    report.add(Code.NO_HEADING, more.span, f"no chapter '{more.name}' stands above in this file", hint=hint)
    return []


def parse_expression(text: Span | SourceFile, report: Report) -> tree.Expr | None:
    """One expression, alone in a file or in a span of it.

    >>> parse_expression(SourceFile("<example>", "size of hand[Ann] + 1"), Report())
    Binary(op=<Operator.ADD: '+'>, left=Unary(op=<Operator.SIZE: 'size of'>, operand=Index(base=Name(name='hand'), \
indices=(Capital(name='Ann'),))), right=Number(value=1))
    """
    span = text if isinstance(text, Span) else Span(text, 0, len(text.text))
    return _Parser(span.file, span.file.text, report).expression(span)


class _Parser:
    """Parses the chunks of one file. `text` is its text with the comments blank."""

    def __init__(self, source: SourceFile, text: str, report: Report, tokens: Tokens | None = None) -> None:
        self.tokens = tokens
        self.source = source
        self.text = text
        self.report = report
        self.errors = 0
        self.grammar = load_grammar()
        build = Build(report, self.sentence)
        self.builders = [build.builder(p.build) if p.build else None for p in self.grammar.productions]

    def first_word(self, line: Line) -> str:
        word = _WORD.match(self.text, line.start)
        return word[0] if word is not None else ""

    def chunk(self, chunk: Chunk) -> Any:
        """The node of a chunk; None if it has a fault, which is then reported."""
        machine = _Machine(self, CHUNK)
        lines = chunk.lines
        number = depth = 0
        failed = skipped = False
        before = [(machine.snapshot(), 0)]  # before the last line of each depth: the machine, and the depth above it
        while True:
            here = machine.snapshot()
            try:
                if number == len(lines):
                    machine.indent(-depth, lines[-1].end)
                    node = machine.finish(lines[-1].end)
                    return None if failed else node
                line = lines[number]
                machine.indent(line.depth - depth, line.start)
                machine.line(line.start, line.end)
                machine.feed(_NEWLINE, "", line.end, line.end)
                before[line.depth :] = [(here, depth)]
                depth, skipped = line.depth, False
                number += 1
                continue
            except _Unexpected as unexpected:
                fault = unexpected.fault
            bodiless = lacks_body(fault, self.grammar)
            consequence = skipped and (number == len(lines) or fault.begin <= lines[number].start)
            if consequence and not bodiless:
                return None
            if not consequence:
                self.errors += 1
                explain(fault, self.grammar, self.source, self.report)
            failed = skipped = True
            if number == 0 or (bodiless and depth == 0) or self.errors >= MAX_ERRORS:
                return None
            if bodiless:  # the head above has nothing to own: forget it, too
                snapshot, depth = before[depth]
                machine.restore(snapshot)
            elif number == len(lines):
                return None
            else:
                machine.restore(here)
                number = self._next_line(lines, number)

    def _next_line(self, lines: tuple[Line, ...], number: int) -> int:
        """The next line after a faulty one, its block, and the `else` and `otherwise` that belong to it."""
        depth = lines[number].depth
        number += 1
        while number < len(lines):
            line = lines[number]
            partner = self.first_word(line) in ("else", "otherwise")
            if line.depth < depth or (line.depth == depth and not partner):
                break
            number += 1
        return number

    def expression(self, span: Span) -> tree.Expr | None:
        machine = _Machine(self, LONE_EXPRESSION)
        try:
            machine.line(span.start, span.end)
            expr: tree.Expr = machine.finish(span.end)
            return expr
        except _Unexpected as unexpected:
            self.errors += 1
            explain(unexpected.fault, self.grammar, self.source, self.report)
        return None

    def sentence(self, span: Span, quoted: str) -> tree.Sentence:
        """A string that people read, with the expressions in its braces."""
        if "{" not in quoted and "}" not in quoted:
            return tree.Sentence(span, (quoted[1:-1],) if len(quoted) > 2 else ())
        parts: list[str | tree.Expr] = []
        start, open_at, depth = 1, 0, 0
        for brace in _BRACE.finditer(quoted):
            offset = brace.start()
            depth += 1 if brace[0] == "{" else -1
            if depth < 0:
                self._hole(span, offset, "`}` closes nothing")
                return tree.Sentence(span, (quoted[1:-1],))
            if depth == 1 and brace[0] == "{":
                open_at = offset
                if offset > start:
                    parts.append(quoted[start:offset])
            elif depth == 0:
                start = offset + 1
                hole = Span(self.source, span.start + open_at + 1, span.start + offset)
                if not hole.text.strip():
                    self._hole(span, open_at, "nothing between the braces")
                elif (expr := self.expression(hole)) is not None:
                    parts.append(expr)
        if depth > 0:
            self._hole(span, open_at, "`{` is never closed")
            return tree.Sentence(span, (quoted[1:-1],))
        if start < len(quoted) - 1:
            parts.append(quoted[start:-1])
        return tree.Sentence(span, tuple(parts))

    def _hole(self, span: Span, offset: int, message: str) -> None:
        self.errors += 1
        self.report.add(Code.HOLE, Span(self.source, span.start + offset, span.start + offset + 1), message)


class _Unexpected(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.found)
        self.fault = fault


# A value that is spliced into its parent: those to the left of it, and its own.
_Spliced = tuple[Any, tuple[Any, ...]] | None


class _Machine:
    """Runs the table. Four stacks beside the states: values, where their texts begin and end, how deep they are."""

    __slots__ = ("begins", "depths", "ends", "first", "last", "parser", "states", "table", "values")

    def __init__(self, parser: _Parser, start: str) -> None:
        self.parser = parser
        self.table = parser.grammar.states
        self.first, self.last = parser.grammar.starts[start]
        self.states: list[int] = [self.first]
        self.values: list[Any] = []
        self.begins: list[int] = []
        self.ends: list[int] = [0]
        self.depths: list[int] = [0]

    def snapshot(self) -> tuple[list[Any], ...]:
        return self.states.copy(), self.values.copy(), self.begins.copy(), self.ends.copy(), self.depths.copy()

    def restore(self, snapshot: tuple[list[Any], ...]) -> None:
        self.states, self.values, self.begins, self.ends, self.depths = (stack.copy() for stack in snapshot)

    def line(self, begin: int, end: int) -> None:
        """Read the tokens between two offsets."""
        parser = self.parser
        grammar, text, tokens = parser.grammar, parser.text, parser.tokens
        words, marks, hard, table = grammar.words, grammar.marks, grammar.hard, self.table
        if "ART" in table[self.states[-1]]:
            self.feed("ART", text[begin:end], begin, end)
            return
        token, special = _token_patterns()
        while (found := token.match(text, begin, end)) is not None:
            kind = found.lastgroup
            assert kind is not None
            begin, stop = found.span(kind)
            word = found[kind]
            actions = table[self.states[-1]]
            if kind in ("NAME", "INT"):
                keyword = words.get(word)
                if keyword is not None and (keyword in actions or word in hard):
                    kind = keyword
                for terminal, pattern in special:
                    if terminal in actions and (other := pattern.match(text, begin, end)) and other.end() >= stop:
                        kind, word, stop = terminal, other[0], other.end()
            elif kind == "MARK":
                kind = marks[word]
            if tokens is not None:
                tokens[begin] = stop, kind
            self.feed(kind, word, begin, stop)
            begin = stop
        rest = text[begin:end]
        if rest.strip(_BLANKS):
            begin += len(rest) - len(rest.lstrip(_BLANKS))
            raise _Unexpected(Fault(tuple(self.states), "", begin, begin + 1, self.ends[-1]))

    def indent(self, levels: int, offset: int) -> None:
        """Open (at most one) or close blocks."""
        for _ in range(levels):
            self.feed(_INDENT, "", offset, offset)
        for _ in range(-levels):
            self.feed(_DEDENT, "", self.ends[-1], self.ends[-1])

    def feed(self, terminal: str, value: Any, begin: int, end: int) -> None:
        """Take a token: complete the rules that end before it, then put it on the stacks."""
        states, table = self.states, self.table
        action = table[states[-1]].get(terminal)
        if action is None or action < 0:
            before = states.copy()
            while action is not None and action < 0:
                self.reduce(~action)
                action = table[states[-1]].get(terminal)
            if action is None:
                raise _Unexpected(Fault(tuple(before), terminal, begin, end, self.ends[-1]))
        if len(states) > _MAX_STACK:
            raise _Unexpected(Fault((), TOO_DEEP, begin, end, begin))
        states.append(action)
        self.values.append(value)
        self.begins.append(begin)
        self.ends.append(end)
        self.depths.append(0)

    def finish(self, end: int) -> Any:
        """The value of the start rule."""
        before = self.states.copy()
        while True:
            action = self.table[self.states[-1]].get(END)
            if action is None:
                raise _Unexpected(Fault(tuple(before), END, end, end, self.ends[-1]))
            self.reduce(~action)
            if self.states[-1] == self.last:
                return self.values[-1]

    def reduce(self, number: int) -> None:
        """Replace the values of a complete rule by the value of the rule."""
        production = self.parser.grammar.productions[number]
        size, picks = production.size, production.picks
        states = self.states
        build = self.parser.builders[number]
        if size == 1 and build is None and picks == (0,) and production.origin[0] != "_":
            states.pop()
            states.append(self.table[states[-1]][production.origin])
            return
        values = self.values
        if size:
            own = values[-size:]
            begin, depth = self.begins[-size], max(self.depths[-size:])
            end = self.ends[-1]
            del states[-size:], values[-size:], self.begins[-size:], self.ends[-size:], self.depths[-size:]
        else:
            own, depth = [], 0
            begin = end = self.ends[-1]
        value: Any
        if build is None and production.origin[0] == "_":
            left: _Spliced = own[0] if picks and picks[0] == -1 else None
            value = left, tuple(_kept(own, picks[1:] if left is not None else picks))
        elif build is None:
            value = _kept(own, picks)[0]
        else:
            children = _kept(own, picks)
            if production.single and len(children) == 1:
                value = children[0]
            else:
                value = build(Span(self.parser.source, begin, end), *children)
                if production.build in _CHAINS:
                    depth += len(children)
                elif isinstance(value, tree.Node):
                    depth += 1
                if depth > MAX_NESTING:
                    raise _Unexpected(Fault((), TOO_DEEP, begin, end, begin))
        states.append(self.table[states[-1]][production.origin])
        values.append(value)
        self.begins.append(begin)
        self.ends.append(end)
        self.depths.append(depth)


def _kept(own: list[Any], picks: tuple[int | None, ...]) -> list[Any]:
    kept: list[Any] = []
    for pick in picks:
        if pick is None:
            kept.append(None)
        elif pick >= 0:
            kept.append(own[pick])
        else:
            spliced: _Spliced = own[~pick]
            parts = []
            while spliced is not None:
                spliced, items = spliced
                parts.append(items)
            for items in reversed(parts):
                kept += items
    return kept


@cache
def _token_patterns() -> tuple[re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...]]:
    """What any token looks like; and the terminals that are known only where they can stand."""
    grammar = load_grammar()
    marks = "|".join(re.escape(mark) for mark in sorted(grammar.marks, key=len, reverse=True))
    ordinary = "|".join(f"(?P<{name}>{grammar.patterns[name]})" for name in _ORDINARY)
    special = {name: pattern for name, pattern in grammar.patterns.items() if name not in _ORDINARY + _IGNORED}
    whole = re.compile(rf"[{_BLANKS}]*(?:{ordinary}|(?P<MARK>{marks}))")
    return whole, tuple((name, re.compile(pattern)) for name, pattern in special.items())
