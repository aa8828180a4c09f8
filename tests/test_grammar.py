"""The grammar is LALR(1) without a conflict, is cached without harm, and is where the line lexer's words come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seaspec.diagnostics.model import Report
from seaspec.source import SourceFile
from seaspec.syntax import grammar as module
from seaspec.syntax.build import Build
from seaspec.syntax.grammar import CHUNK, Grammar, build_lark, compile_grammar, grammar_path, load_grammar
from seaspec.syntax.lines import split_lines
from seaspec.syntax.parse import parse

TEXT = grammar_path().read_text(encoding="utf-8")
CASES = sorted((Path(__file__).parent / "cases" / "excerpts").glob("*.sea"))


def test_there_is_no_conflict() -> None:
    build_lark(TEXT, strict=True)


def test_every_rule_has_a_builder() -> None:
    build = Build(Report(), lambda span, text: pytest.fail("no sentence here"))
    for production in load_grammar().productions:
        if production.build:
            assert callable(build.builder(production.build))


def test_every_keyword_is_a_whole_word() -> None:
    report = Report()
    file = parse(SourceFile("a.sea", "game Case\ndefine f(orange: Notion, android: Inn) = orange\n"), report)
    assert not report.diagnostics
    assert file.chapters[0].declarations[0].params[0].name == "orange"  # type: ignore[union-attr]


@pytest.mark.parametrize("word", sorted(load_grammar().words.keys() - load_grammar().hard))
def test_a_word_that_is_not_hard_is_a_name_where_it_can_be_no_keyword(word: str) -> None:
    report = Report()
    text = f"game Case\ndefine {word}(x: A) = 3\ndefine g(x: A) = f({word}(x), x.{word}) + {word}\n"
    parse(SourceFile("a.sea", text), report)
    assert not report.diagnostics


@pytest.mark.parametrize("word", sorted(load_grammar().hard))
def test_a_hard_word_is_never_a_name(word: str) -> None:
    report = Report()
    parse(SourceFile("a.sea", f"game Case\ndefine {word} = 3\n"), report)
    assert [diagnostic.message for diagnostic in report] == [f"`{word}` is a word of the language, and never a name"]


def test_a_head_can_begin_a_condition_line() -> None:
    report = Report()
    parse(SourceFile("a.sea", "game Case\ndefine f(n: N)\n  before(n, c) implies note(n)\n  place(n)\n"), report)
    assert not report.diagnostics


@pytest.mark.parametrize("word", sorted(load_grammar().word_lists["goes_on"] - {"STRING"}))
def test_the_words_that_make_a_line_go_on_come_from_the_grammar(word: str) -> None:
    layout = split_lines(SourceFile("a.sea", f"game Case\ndefine f = a\n  {word} b\n  c\n"), Report())
    assert len(layout.chunks[1].lines) == 2


def test_a_changed_grammar_changes_the_words() -> None:
    changed = compile_grammar(TEXT.replace('goes_on: STRING | "="', 'goes_on: STRING | "calls" | "="'))
    assert changed.word_lists["goes_on"] == load_grammar().word_lists["goes_on"] | {"calls"}


def test_lark_reads_the_same_tokens() -> None:
    """Lark's own run of its table agrees with ours: it takes the tokens that parse.py took."""
    lark = build_lark(TEXT, strict=False)
    assert CASES
    for path in CASES:
        for tokens in _tokens_of(path):
            interactive = lark.parse_interactive(start=CHUNK)
            for terminal, text in tokens:
                interactive.feed_token(_token(terminal, text))
            interactive.feed_eof()


def _tokens_of(path: Path) -> list[list[tuple[str, str]]]:
    from seaspec.syntax import parse as parse_module

    chunks: list[list[tuple[str, str]]] = []

    class Recording(parse_module._Machine):
        def __init__(self, parser: Any, start: str) -> None:
            super().__init__(parser, start)
            self.tokens: list[tuple[str, str]] = []
            if start == CHUNK:
                chunks.append(self.tokens)

        def feed(self, terminal: str, value: Any, begin: int, end: int) -> None:
            super().feed(terminal, value, begin, end)
            self.tokens.append((terminal, str(value)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse_module, "_Machine", Recording)
        report = Report()
        parse(SourceFile(str(path), path.read_text(encoding="utf-8")), report)
    assert not report.failed
    return chunks


def _token(terminal: str, text: str) -> Any:
    from lark import Token

    return Token(terminal, text)


# ---------------------------------------------------------------------------------------------------------- the cache


def is_whole(grammar: Grammar) -> bool:
    """Equal to the one in use; Lark numbers the states anew each time."""
    known = load_grammar()
    return (
        len(grammar.states) == len(known.states)
        and grammar.productions == known.productions
        and (grammar.words, grammar.marks, grammar.patterns) == (known.words, known.marks, known.patterns)
        and grammar.word_lists == known.word_lists
    )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_the_cache_gives_the_same_grammar(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = module.load_grammar.__wrapped__()
    assert [path.name.partition("-")[0] for path in cache.iterdir()] == ["grammar"]
    monkeypatch.setattr(module, "compile_grammar", None)
    assert module.load_grammar.__wrapped__() == written
    assert is_whole(written)


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"0\n{}", None])
def test_a_damaged_cache_is_built_again(cache: Path, damage: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    module.load_grammar.__wrapped__()
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-100] if damage is None else damage)
    assert is_whole(module.load_grammar.__wrapped__())
    monkeypatch.setattr(module, "compile_grammar", None)
    assert is_whole(module.load_grammar.__wrapped__())


def test_a_folder_that_can_not_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "file"))
    assert is_whole(module.load_grammar.__wrapped__())
