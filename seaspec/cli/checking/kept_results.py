"""Results of whole checks, kept on disk: what did not change is not checked again.

The key of a result is all that it depends on: the texts of the chapters of the game and of its worlds with the places
where they stand, options, how thoroughly it was checked (the time that it had, too: who gives more time is never served
what was cut short by less), SeaSpec's own sources, the versions of the solver and the compiler. A check that somebody
has interrupted is not kept. Citations are no part of a result: they are looked at each time.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path

import seaspec
from seaspec.cli.checking.how import How
from seaspec.cli.checking.result import Result, from_data, to_data
from seaspec.kept import Entries, digest, digest_of_files
from seaspec.library import Subject
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.grammar import grammar_path

MAGIC = b"seaspec result\n"
MOST_ENTRIES = 1_000
"""The oldest ones beyond this number are removed."""
_SOLVERS = ("z3-solver", "cvc5", "llvmlite", "lark")
_HEADING = re.compile(r"^(?:game|module|variant|world|more +of +(\w+))\b", re.MULTILINE)


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


def files_of(subject: Subject) -> dict[str, SourceFile]:
    """The texts that a result may speak of, by the names of the files."""
    return {chapter.span.file.name: chapter.span.file for chapter in (*subject.chapters, *subject.worlds)}


def _entries(folder: Path) -> Entries:
    return Entries(folder / "results", "result", MAGIC)


def _key(subject: Subject, options: Mapping[str, str], how: How) -> bytes:
    asked = (how.plays, how.seed, how.full, how.seconds, how.large_seconds, how.proves, how.memory, how.threads)
    chapters = [part for chapter in subject.chapters for part in _told(chapter)]
    worlds = [part for world in subject.worlds for part in _told(world)]
    parts = [subject.name, repr(sorted(options.items())), repr(asked), str(len(chapters)), *chapters, *worlds]
    return digest([*_tool(), *parts])


def _told(chapter: tree.Chapter) -> Iterator[str]:
    """A chapter: its file, and each part of it (`more of` goes on with it below others): where it stands, its text."""
    file = chapter.span.file
    yield file.name
    headings = [*_HEADING.finditer(file.text)]
    ends = [*(heading.start() for heading in headings[1:]), len(file.text)]
    for heading, end in zip(headings, ends, strict=True):
        if heading.start() == chapter.span.start or heading[1] == chapter.name:
            yield repr((heading.start(), file.position(heading.start())))
            yield file.text[heading.start() : end]


@cache
def _tool() -> tuple[str, ...]:
    """The tool, with all that it computes by; as it was when this process began."""
    package = Path(seaspec.__file__).parent
    sources = digest_of_files([*package.rglob("*.py"), grammar_path()]).hex()
    return (sources, sys.version, platform.machine(), *(_version(name) for name in _SOLVERS))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
