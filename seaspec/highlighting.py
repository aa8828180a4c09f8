"""The lexer for Pygments, which colours `.sea` on pages (MkDocs finds it by its entry point) and in terminals.

It knows no grammar of its own: syntax/tokens.py asks the parser. Pygments is asked for only by who colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Punctuation, String, Whitespace, _TokenType

from seaspec.syntax.tokens import Look, pieces

_TOKENS: dict[Look, _TokenType] = {
    Look.BLANK: Whitespace,
    Look.COMMENT: Comment.Single,
    Look.KEYWORD: Keyword,
    Look.HEAD: Keyword.Declaration,
    Look.NAME: Name,
    Look.TYPE: Name.Class,
    Look.NUMBER: Number.Integer,
    Look.SENTENCE: String,
    Look.CLAUSE: Name.Label,
    Look.MARK: Punctuation,
    Look.WRONG: Error,
}


class SeaLexer(Lexer):  # type: ignore[misc]  # Pygments has no types
    """Colours the rules of games.

    >>> from pygments import highlight
    >>> from pygments.formatters import RawTokenFormatter
    >>> highlight("board Pond: grid 2 by 2", SeaLexer(), RawTokenFormatter()).splitlines()[0]
    b"Token.Keyword.Declaration\\t'board'"
    """

    name = "SeaSpec"
    aliases: ClassVar[list[str]] = ["sea", "seaspec"]
    filenames: ClassVar[list[str]] = ["*.sea"]
    mimetypes: ClassVar[list[str]] = ["text/x-sea"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        at = 0
        for piece in pieces(text):
            yield at, _TOKENS[piece.look], piece.text
            at += len(piece.text)
