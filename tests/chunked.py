"""Error cases: a .sea file of small chunks, parted by `---`; each error that is expected stands on its own line.

    let x = 4  ### SEA302 "'x' is already a name here"
    move to 3  ### SEA101 `to` "a piece"  ### SEA119 "too many"

After `###` come the code, if one likes the very text that is pointed at (in backticks), a pattern to be found in the
message, and, after `hint`, one for the hint. An error too many or too few is a fault. A chunk is a game by itself;
what nearly all of them would begin and end with, `game Case` and `to play: nothing`, may be left out. `-- options:
players=3` in a chunk sets options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from seaspec.diagnostics.model import Diagnostic, Report
from seaspec.source import SourceFile

Check = Callable[[SourceFile, Mapping[str, str], Report], None]
"""A stage: reports what is wrong with a text."""

MARK = "###"
_EXPECTED = re.compile(r'\s*(SEA\d{3})\s*(?:`([^`]*)`)?\s*"([^"]*)"\s*(?:hint\s*"([^"]*)"\s*)?')
_HEADING = re.compile(r"^(game|module|variant|world)\b", re.MULTILINE)
_OPTIONS = re.compile(r"^-- options: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Expected:
    """An error that must be reported; `line` is that of the file."""

    line: int
    code: str
    place: str | None
    pattern: str
    hint: str | None

    def fits(self, line: int, diagnostic: Diagnostic) -> bool:
        return (
            self.line == line
            and self.code == diagnostic.code.id
            and self.place in (None, diagnostic.span.text.split("\n")[0])
            and re.search(self.pattern, diagnostic.message) is not None
            and (self.hint is None or re.search(self.hint, diagnostic.hint or "") is not None)
        )


@dataclass(frozen=True)
class Chunk:
    """A small text; its first line is the one of this number in the file."""

    path: Path
    line: int
    text: str
    expected: tuple[Expected, ...]

    @property
    def options(self) -> dict[str, str]:
        found = _OPTIONS.search(self.text)
        return {} if found is None else dict(part.split("=", 1) for part in found[1].split())

    def as_game(self) -> Chunk:
        """With the heading and the `to play` that were left out; the heading takes the place of the line `---`."""
        text, line = self.text, self.line
        if not _HEADING.search(text):
            text, line = f"game Case\n{text}", line - 1
        if "to play" not in text:
            text += "to play: nothing\n"
        return Chunk(self.path, line, text, self.expected)


def read_chunks(path: Path) -> Iterator[Chunk]:
    """The chunks of a file, without the marks."""
    number = 1
    for part in path.read_text(encoding="utf-8").split("---\n"):
        lines, expected = [], []
        for offset, line in enumerate(part.splitlines()):
            text, *marks = line.split(MARK)
            lines.append(text.rstrip() if marks else line)
            for mark in marks:
                found = _EXPECTED.fullmatch(mark)
                assert found, f"{path}:{number + offset}: not an expected error: {mark}"
                expected.append(Expected(number + offset, found[1], found[2], found[3], found[4]))
        yield Chunk(path, number, "".join(f"{line}\n" for line in lines), tuple(expected))
        number += part.count("\n") + 1


def faults(chunk: Chunk, check: Check) -> list[str]:
    """What is reported and not expected, or expected and not reported, or points nowhere."""
    report = Report()
    source = SourceFile(str(chunk.path), chunk.text)
    check(source, chunk.options, report)
    return list(_differences(chunk, source, report.diagnostics))


def _differences(chunk: Chunk, source: SourceFile, diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    waiting = list(chunk.expected)
    for diagnostic in diagnostics:
        line = source.position(diagnostic.span.start)[0] + chunk.line - 1
        where = f"{chunk.path.name}:{line}: {diagnostic.code.id} `{diagnostic.span.text}`"
        shown = f"{where} {diagnostic.message} ({diagnostic.hint})"
        if diagnostic.span.file is not source:
            yield f"{shown}: this points to no place of the text"
            continue
        found = next((e for e in waiting if e.fits(line, diagnostic)), None)
        if found is None:
            yield f"{shown}: not expected"
        else:
            waiting.remove(found)
    for missing in waiting:
        yield f'{chunk.path.name}:{missing.line}: {missing.code} "{missing.pattern}": expected, and not reported'
