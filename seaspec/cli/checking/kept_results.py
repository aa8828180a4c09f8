"""Results of whole checks, kept on disk: what did not change is not checked again.

The key of a result is all that it depends on: the texts of the chapters of the game and of its worlds with the places
where they stand, options, how thoroughly it was checked (the time that it had, too: who gives more time is never served
what was cut short by less), SeaSpec's own sources, the versions of the solver and the compiler. A check that somebody
has interrupted is not kept. Citations are no part of a result: they are looked at each time.

Besides, the last result of each game, whatever its text was then, is kept for books: they tell it as what it is. A site
that is built where nothing has been checked has records of checks in a folder of its own.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import seaspec
from seaspec.cli.checking.how import How
from seaspec.cli.checking.result import Result, from_data, to_data
from seaspec.files import write_whole
from seaspec.kept import Entries, digest, digest_of_files
from seaspec.library import Subject
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.grammar import grammar_path

MAGIC = b"seaspec result\n"
LAST = b"seaspec last result\n"
MOST_ENTRIES = 1_000
"""The oldest ones beyond this number are removed."""
_SOLVERS = ("z3-solver", "cvc5", "llvmlite", "lark")
_HEADING = re.compile(r"^(?:game|module|variant|world|more +of +(\w+))\b", re.MULTILINE)
_WORDS_ALONE = re.compile(r"more[^\n]*\n(?:(?:look|term|title) [^\n]*\n|--[^\n]*\n|[ \t]*\n)*")
"""A part of a file that is read by people alone, one line each."""
_REMARKS_AT_END = re.compile(r"\n(?:--[^\n]*\n|[ \t]*\n)*\Z")


@dataclass(frozen=True, slots=True)
class Last:
    """The last result of a game, and whether it was found with the same text, and by this very version of the tool;
    `tools`: what was used, by name."""

    result: Result
    same_text: bool
    same_tool: bool
    tools: dict[str, str]


def find(subject: Subject, options: Mapping[str, str], how: How) -> Result | None:
    """The result of a check, if it is kept."""
    if how.folder is None:
        return None
    content = _entries(how.folder).read(_key(subject, options, how))
    if content is None:
        return None
    return replace(from_data(json.loads(content), files_of(subject)), cached=True)


def keep(subject: Subject, options: Mapping[str, str], how: How, result: Result) -> None:
    """Keep a result: not of a faulty text, which is quickly found, nor what was interrupted."""
    if how.folder is None or result.faulty or result.interrupted:
        return
    entries = _entries(how.folder)
    entries.write(_key(subject, options, how), json.dumps(to_data(result)).encode())
    entries.keep_newest(MOST_ENTRIES)
    lasting = _last_entries(how.folder)
    lasting.write(_last_key(subject, options), json.dumps(_last(subject, result)).encode())
    lasting.keep_newest(MOST_ENTRIES)


def find_last(subject: Subject, options: Mapping[str, str], folder: Path) -> Last | None:
    """The last result that was kept of a game, or of a stack: also of another text, or by another version."""
    content = _last_entries(folder).read(_last_key(subject, options))
    return None if content is None else _last_of(json.loads(content), subject)


def record(subject: Subject, result: Result, folder: Path) -> None:
    """Write what was found into a folder, for books that are made elsewhere."""
    text = json.dumps(_last(subject, result), indent=1, ensure_ascii=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / _record_name(subject), text)


def find_record(subject: Subject, folder: Path) -> Last | None:
    """What was recorded of a game, or of a stack. None if it is unreadable: a book says then that it knows nothing."""
    try:
        data = json.loads((folder / _record_name(subject)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return _last_of(data, subject)


def _record_name(subject: Subject) -> str:
    return f"{subject.name.replace(' ', '')}.json"


def _last(subject: Subject, result: Result) -> dict[str, Any]:
    return {"texts": _texts(subject), "tool": tool(), "tools": tools(), "result": to_data(result)}


def _last_of(data: Any, subject: Subject) -> Last | None:
    try:
        result = replace(from_data(data["result"], files_of(subject)), cached=True)
        return Last(result, data["texts"] == _texts(subject), data["tool"] == list(tool()), dict(data["tools"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # another version has written it otherwise, or somebody else has


def files_of(subject: Subject) -> dict[str, SourceFile]:
    """The texts that a result may speak of, by the names of the files."""
    return {chapter.span.file.name: chapter.span.file for chapter in (*subject.chapters, *subject.worlds)}


def _entries(folder: Path) -> Entries:
    return Entries(folder / "results", "result", MAGIC)


def _last_entries(folder: Path) -> Entries:
    return Entries(folder / "last", "last", LAST)


def _last_key(subject: Subject, options: Mapping[str, str]) -> bytes:
    """Which game it is: its file, what it is stacked with."""
    files = sorted({str(Path(chapter.span.file.name).resolve()) for chapter in subject.chapters})
    return digest([subject.name, repr(sorted(options.items())), *files])


def _texts(subject: Subject) -> str:
    """What tells these texts from others, whatever their files are called from where one stands."""
    parts = [[*_told(chapter)][1:] for chapter in (*subject.chapters, *subject.worlds)]
    return digest(text for chapter in parts for text in chapter).hex()


def _key(subject: Subject, options: Mapping[str, str], how: How) -> bytes:
    asked = (how.plays, how.seed, how.full, how.seconds, how.large_seconds, how.proves, how.memory, how.threads)
    chapters = [part for chapter in subject.chapters for part in _told(chapter)]
    worlds = [part for world in subject.worlds for part in _told(world)]
    parts = [subject.name, repr(sorted(options.items())), repr(asked), str(len(chapters)), *chapters, *worlds]
    return digest([*tool(), *parts])


def _told(chapter: tree.Chapter) -> Iterator[str]:
    """A chapter: its file, and each part of it (`more of` goes on with it below others): where it stands, its text.

    Parts that a file ends with are left out, if they hold nothing but looks, terms and titles: nothing is found with
    them, and they move nothing that stands below them.
    """
    file = chapter.span.file
    yield file.name
    headings = [*_HEADING.finditer(file.text)]
    end = len(file.text)
    while headings and headings[-1][1] and _WORDS_ALONE.fullmatch(file.text, headings[-1].start(), end):
        end = headings.pop().start()
    if end < len(file.text):  # so do the comments above them
        end = len(_REMARKS_AT_END.sub("\n", file.text[:end]))
    for heading, until in zip(headings, [*(heading.start() for heading in headings[1:]), end], strict=True):
        if heading.start() == chapter.span.start or heading[1] == chapter.name:
            yield repr((heading.start(), file.position(heading.start())))
            yield file.text[heading.start() : until]


@cache
def tool() -> tuple[str, ...]:
    """The tool, with all that it computes by; as it was when this process began."""
    package = Path(seaspec.__file__).parent
    sources = digest_of_files([*package.rglob("*.py"), grammar_path()]).hex()
    return (sources, sys.version, platform.machine(), *(_version(name) for name in _SOLVERS))


def tools() -> dict[str, str]:
    """The tools whose work a result is, with their versions; one that is not installed is left out."""
    names = {"SeaSpec": "seaspec", "Z3": "z3-solver", "cvc5": "cvc5", "LLVM by llvmlite": "llvmlite"}
    return {called: version for called, name in names.items() if (version := _version(name))}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
