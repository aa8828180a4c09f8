"""The parser, the formatter and the renderer on random texts: no traceback, no hang, and what parses is printed back.

Three kinds of texts: derived from the grammar's rules, strung together from its terminals, and spoilt pieces of real
files. SEASPEC_FUZZ_PARSE sets how many of each are tried.
"""

from __future__ import annotations

import os
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report
from seaspec.diagnostics.render import render, to_json
from seaspec.source import SourceFile
from seaspec.syntax.format import format_file
from seaspec.syntax.grammar import CHUNK, build_lark, grammar_path, load_grammar
from seaspec.syntax.parse import parse

TIMES = int(os.environ.get("SEASPEC_FUZZ_PARSE", "120"))
CASES = sorted((Path(__file__).parent / "cases" / "excerpts").glob("*.sea"))
LONGEST = 40
INTERNAL = re.compile(r"_NL|_INDENT|_DEDENT|__ANON|\$END|found ``|^`` ")
SAMPLES = {
    "NAME": ("a", "b", "field", "cell", "play", "p", "x_1", "up", "any", "all", "at", "move", "end", "set", "d6"),
    "TYPE": ("A", "Card", "Sea", "B3", "Player"),
    "INT": ("0", "1", "7", "80"),
    "STRING": ('"words"', '"{a} and {f(b)}"', '""'),
    "CLAUSE": ("play.1", "gap.12", "a.1b.c"),
    "DIE": ("d6", "d20"),
    "ORDINAL": ("1st", "22nd"),
    "ART": ("a", '(A1)  -- "if"  | 7'),
}
fuzz = settings(
    max_examples=TIMES, deadline=None, database=None, suppress_health_check=list(HealthCheck), derandomize=False
)


def check(text: str) -> bool:
    """Parse, render, print and parse again; whether there was no error."""
    report = Report()
    source = SourceFile("fuzz.sea", text)
    file = parse(source, report)
    for diagnostic in report:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text) + 1
        assert INTERNAL.search(text) or not INTERNAL.search(diagnostic.message)  # a message may show the text
    render(report, colour=True)
    to_json(report)
    if report.failed:
        assert any(diagnostic.message for diagnostic in report)
        return False
    printed = format_file(file)
    again = Report()
    assert parse(SourceFile("again.sea", printed), again) == file, printed
    assert not again.diagnostics
    assert format_file(file) == printed
    return True


# ------------------------------------------------------------------------------------------ derived from the grammar


@cache
def _rules() -> dict[str, list[list[tuple[bool, str]]]]:
    rules: dict[str, list[list[tuple[bool, str]]]] = {}
    for rule in build_lark(grammar_path().read_text(encoding="utf-8"), strict=False).rules:
        expansion = [(symbol.is_term, str(symbol.name)) for symbol in rule.expansion]
        rules.setdefault(str(rule.origin.name), []).append(expansion)
    return rules


@cache
def _heights() -> dict[str, int]:
    """How deep the shallowest derivation of each rule is."""
    rules = _rules()
    heights = dict.fromkeys(rules, 1000)
    changed = True
    while changed:
        changed = False
        for name, expansions in rules.items():
            best = min(_height(expansion, heights) for expansion in expansions)
            changed = changed or best < heights[name]
            heights[name] = min(best, heights[name])
    return heights


def _height(expansion: list[tuple[bool, str]], heights: dict[str, int]) -> int:
    return 1 + max((heights[name] for is_terminal, name in expansion if not is_terminal), default=0)


def derive(rng: random.Random, depth: int) -> str:
    """A random chunk of the grammar, as text."""
    tokens: list[str] = []
    stack: list[tuple[bool, str, int]] = [(False, CHUNK, depth)]
    while stack:
        is_terminal, name, left = stack.pop()
        if is_terminal:
            tokens.append(name)
            continue
        expansions = _rules()[name]
        heights = _heights()
        fitting = [e for e in expansions if _height(e, heights) <= left]
        chosen = rng.choice(fitting or [min(expansions, key=lambda e: _height(e, heights))])
        stack.extend((is_terminal, name, left - 1) for is_terminal, name in reversed(chosen))
    return _as_text(rng, tokens)


def _as_text(rng: random.Random, tokens: list[str]) -> str:
    grammar = load_grammar()
    literal = {terminal: text for text, terminal in (grammar.words | grammar.marks).items()}
    lines, line, level = [], [], 0
    for token in tokens:
        match token:
            case "_NL":
                lines.append("  " * level + " ".join(line))
                line = []
            case "_INDENT":
                level += 1
            case "_DEDENT":
                level -= 1
            case _:
                line.append(literal.get(token) or rng.choice(SAMPLES[token]))
    return "\n".join([*lines, " ".join(line)])


@given(st.integers(0, 2**40), st.integers(6, 22))
@fuzz
def test_what_the_grammar_derives(seed: int, depth: int) -> None:
    text = derive(random.Random(seed), depth)
    check(text if text.startswith(("game", "module", "variant", "world")) else f"game Fuzz\n{text}")


def test_most_of_what_the_grammar_derives_is_read() -> None:
    """So that the test above is no empty one; a minus at the start of a line, or the like, may spoil a few."""
    rng = random.Random(1)
    texts = [derive(rng, rng.randrange(6, 16)) for _ in range(100)]
    read = [
        check(text if text.startswith(("game", "module", "variant", "world")) else f"game Fuzz\n{text}")
        for text in texts
    ]
    assert sum(read) > 60


# ----------------------------------------------------------------------------------------------- terminals in a row


@cache
def _vocabulary() -> list[str]:
    grammar = load_grammar()
    odd = ["=", "==", ";", "\t", "!", "@", "я", "“", '"', "{", "}", "--", "99999999999999999999", "\r", "\x00", "'"]
    samples = [sample for group in SAMPLES.values() for sample in group]
    return [*grammar.words, *grammar.marks, *samples, *odd]


@given(st.data())
@fuzz
def test_terminals_in_a_row(data: Any) -> None:
    rng = random.Random(data.draw(st.integers(0, 2**40)))
    words = _vocabulary()
    heads = sorted(load_grammar().heads)
    lines = []
    for number in range(rng.randrange(1, LONGEST)):
        indent = "  " * rng.choice((0, 0, 1, 1, 1, 2, 3)) if number else ""
        first = rng.choice(heads) if not indent and rng.random() < 0.8 else rng.choice(words)
        lines.append(indent + " ".join([first, *(rng.choice(words) for _ in range(rng.randrange(0, 9)))]))
    check("\n".join(lines))


@given(st.text(max_size=200))
@fuzz
def test_any_text(text: str) -> None:
    check(text)


# --------------------------------------------------------------------------------------------------- spoilt real text


def spoil(rng: random.Random, text: str) -> str:
    """A few random changes: letters, words, lines, indentation."""
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice((1, 1, 2, 5, 20)))
        lines = text.split("\n")
        row = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + rng.choice(_vocabulary()) + text[at:]
            case 2:
                text = text[:at] + " " + rng.choice(_vocabulary()) + " " + text[end:]
            case 3:
                lines.insert(row, lines[rng.randrange(len(lines))])
                text = "\n".join(lines)
            case 4:
                del lines[row]
                text = "\n".join(lines)
            case 5:
                lines[row] = " " * rng.randrange(8) + lines[row].lstrip()
                text = "\n".join(lines)
            case _:
                words = text[at:].split(" ", 2)
                text = text[:at] + " ".join([*words[1:2], *words[:1], *words[2:]])
    return text


@given(st.integers(0, 2**40))
@fuzz
def test_spoilt_texts(seed: int) -> None:
    rng = random.Random(seed)
    lines = rng.choice([path.read_text(encoding="utf-8") for path in CASES]).split("\n")
    start = rng.randrange(max(1, len(lines) - LONGEST))
    piece = lines[start : start + rng.randrange(5, LONGEST)]
    while piece and piece[0].startswith(" "):
        piece = piece[1:]
    check(spoil(rng, "game Fuzz\n" + "\n".join(piece)))


def test_a_spoilt_text_has_few_errors() -> None:
    """One change must not set off a landslide."""
    rng = random.Random(2)
    text = CASES[0].read_text(encoding="utf-8")
    numbers = []
    for _ in range(20):
        report = Report()
        at = text.index(" ", rng.randrange(len(text) - 100))
        parse(SourceFile("a.sea", text[:at] + " oops " + text[at:]), report)
        assert not any(diagnostic.code is Code.TOO_MANY for diagnostic in report)
        numbers.append(len(report.diagnostics))
    assert max(numbers) <= 4
