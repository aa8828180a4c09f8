"""Where text comes from: files, and spans of them.

A `Span` is a pair of offsets into a `SourceFile`; lines and columns are computed only when a person is told.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text with a name (a path as the user wrote it)."""

    name: str
    text: str = field(repr=False)
    _line_starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        object.__setattr__(self, "_line_starts", tuple(starts))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1.

        >>> SourceFile("a.sea", "game A\\nnote").position(8)
        (2, 2)
        """
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] - 1 if number < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a file, from `start` up to but not including `end`."""

    file: SourceFile = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of the other."""
        return Span(self.file, self.start, max(self.end, other.end))

    def word(self, name: str) -> Span:
        """The first place in this span where a word stands; the whole of it if the word is not there.

        >>> Span(SourceFile("a.sea", "let cost = 3"), 0, 12).word("cost").start
        4
        """
        found = re.search(rf"\b{re.escape(name)}\b", self.text)
        return self if found is None else Span(self.file, self.start + found.start(), self.start + found.end())

    def __str__(self) -> str:
        line, _ = self.file.position(self.start)
        return f"{self.file.name}:{line}"


NOWHERE = Span(SourceFile("<library>", ""), 0, 0)
