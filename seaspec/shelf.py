"""The shelf: reading files, and finding chapters, games and their variants in them. No other module reads files.

A chapter is looked for in the file that names it, then beside that file, then in the spec/ that comes with the tool and
in its folders: first in the file of its name, then in all files that have its heading. A text is parsed once, and only
if needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from seaspec.check.describe import describe_chapter, snake_case
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Diagnostic, Label, Report, near
from seaspec.source import SourceFile, Span
from seaspec.syntax import tree
from seaspec.syntax.parse import parse

SUFFIX = ".sea"
MAX_BYTES = 4_000_000
_HEADING = re.compile(r"^(?:game|module|variant|world)[ \t]+(\w+)", re.MULTILINE)
_BUILDS = (tree.ChapterKind.GAME, tree.ChapterKind.VARIANT)


@dataclass(slots=True)
class Shelf:
    """The files read so far."""

    report: Report
    _read: dict[str, tuple[tree.Chapter, ...] | None] = field(default_factory=dict)

    def read_chapters(self, path: Path, span: Span) -> tuple[tree.Chapter, ...] | None:
        """The chapters of a file that must be there."""
        key = os.path.abspath(path)
        if key not in self._read:
            source = read_file(path, self.report, span)
            self._read[key] = self._parsed(source) if source else None
        return self._read[key]

    def _parsed(self, source: SourceFile) -> tuple[tree.Chapter, ...]:
        chapters, found = _parse(source)
        self.report.extend(found)
        return chapters

    def find(self, name: str, kinds: Sequence[tree.ChapterKind], near_to: tree.Chapter | None) -> tree.Chapter | None:
        """A chapter by its name: in the file of another, beside it, in the packaged spec."""
        for path in self._places(name, near_to):
            for chapter in self._peek(path, name):
                if chapter.name == name and chapter.kind in kinds:
                    return chapter
        return None

    def find_game(self, snake: str) -> tree.Chapter | None:
        """A game by its name in snake case: in the working directory, or in the packaged spec."""
        for path in (*_files(Path(), snake), *_packaged(snake)):
            for name in dict.fromkeys(_headings(path)):
                if snake_case(name) == snake:
                    for chapter in self._peek(path, name):
                        if chapter.name == name and chapter.kind is tree.ChapterKind.GAME:
                            return chapter
        return None

    def chain(self, chapter: tree.Chapter) -> list[tree.Chapter] | None:
        """A chapter and all that it is built on, the game first; None after a report."""
        chain = [chapter]
        while chain[0].of is not None:
            base = self.find(chain[0].of, _BUILDS, chain[0])
            if base is None:
                message = f"{describe_chapter(chain[0])}: there is no {chain[0].of}"
                hint = near(chain[0].of, [*self._names_of_games(), *self._names_beside(chain[0])])
                self.report.add(Code.BASE_MISSING, chain[0].span, message, hint=hint)
                return None
            if any(base is other for other in chain):
                labels = [Label(other.span, describe_chapter(other)) for other in chain if other is not base]
                message = f"{describe_chapter(base)} is built on itself"
                self.report.add(Code.CIRCLE, base.span, message, labels=labels)
                return None
            chain.insert(0, base)
        return chain

    def family(self, game: tree.Chapter, others: Sequence[tree.Chapter] = ()) -> list[tree.Chapter]:
        """The variants and worlds of a game: those in its file, in the folder of its name beside it, and in the files
        of the other chapters."""
        paths = [*self._book(game), *(Path(other.span.file.name) for other in others)]
        chapters = [c for path in dict.fromkeys(paths) for c in self.read_chapters(path, game.span) or ()]
        chapters = list({id(chapter): chapter for chapter in chapters}.values())
        names = {game.name}
        for _ in chapters:
            names.update(c.name for c in chapters if c.of in names and c.kind is tree.ChapterKind.VARIANT)
        return [chapter for chapter in chapters if chapter.of in names]

    def is_in_book(self, game: tree.Chapter, chapter: tree.Chapter) -> bool:
        """Whether a variant stands in the game's own file or folder, and is thus no house rule."""
        return _real(Path(chapter.span.file.name)) in [_real(path) for path in self._book(game)]

    def _book(self, game: tree.Chapter) -> list[Path]:
        path = Path(game.span.file.name)
        return [path, *sorted((path.parent / snake_case(game.name)).glob(f"*{SUFFIX}"))]

    def modules(self, game: tree.Chapter) -> list[tree.Chapter]:
        """The modules that a game uses, and those that these use."""
        modules: list[tree.Chapter] = []
        waiting = [game]
        while waiting:
            chapter = waiting.pop(0)
            for declaration in chapter.declarations:
                for name in declaration.names if isinstance(declaration, tree.Uses) else ():
                    if any(module.name == name for module in modules):
                        continue
                    module = self.find(name, [tree.ChapterKind.MODULE], chapter)
                    if module is None:
                        self.report.add(Code.BASE_MISSING, declaration.span, f"there is no module '{name}'")
                    else:
                        modules.append(module)
                        waiting.append(module)
        return modules

    def report_unknown_game(self, word: str, span: Span) -> None:
        games = [snake_case(name) for name in self._names_of_games()]
        message = f"there is no game '{word}'"
        hint = near_name(word, games) or f"the games are {', '.join(games)}; a file needs its '{SUFFIX}'"
        quiet = Shelf(Report())
        if quiet.find(word, [tree.ChapterKind.MODULE], None) is not None:
            message, hint = f"'{word}' is a module, and no game", "name a game that uses it"
        for game in games:
            found = quiet.find_game(game)
            family = quiet.family(found) if found else []
            if any(snake_case(chapter.name) == word for chapter in family):
                message, hint = f"'{word}' is no game", f"did you mean '{game} + {word}'?"
        self.report.add(Code.NOT_FOUND, span, message, hint=hint)

    def _names_of_games(self) -> list[str]:
        names = []
        for path in (*_files(Path(), ""), *_packaged("")):
            text = _text(path)
            names += re.findall(r"^game[ \t]+(\w+)", text, re.MULTILINE)
        return list(dict.fromkeys(names))

    def _names_beside(self, chapter: tree.Chapter) -> Iterator[str]:
        for path in self._places("", chapter):
            yield from _headings(path)

    def _places(self, name: str, near_to: tree.Chapter | None) -> Iterator[Path]:
        snake = snake_case(name)
        if near_to is not None:
            path = Path(near_to.span.file.name)
            yield path
            yield from _files(path.parent, snake)
            if _real(path).parent.with_suffix(SUFFIX).is_file():
                yield from _files(path.parent / "..", snake)
        else:
            yield from _files(Path(), snake)
        yield from _packaged(snake)

    def _peek(self, path: Path, name: str) -> tuple[tree.Chapter, ...]:
        """The chapters of a file that may be there, if it has such a heading."""
        if os.path.abspath(path) not in self._read and name not in _headings(path):
            return ()
        return self.read_chapters(path, Span(SourceFile(str(path), ""), 0, 0)) or ()


@lru_cache(maxsize=64)
def _parse(source: SourceFile) -> tuple[tuple[tree.Chapter, ...], tuple[Diagnostic, ...]]:
    """The chapters of a text, and what is to be told of it. Whoever loads many games and variants in one process reads
    the same few files again and again; nodes never change, so all can have the same ones."""
    report = Report()
    return parse(source, report).chapters, tuple(report.diagnostics)


def _files(folder: Path, first: str) -> list[Path]:
    """The files of a folder and of the folders in it that belong to games, the one of that name first."""
    files = sorted(folder.glob(f"*{SUFFIX}"))
    inner = [path for file in files for path in sorted(file.with_suffix("").glob(f"*{SUFFIX}"))]
    return sorted([_short(path) for path in (*files, *inner)], key=lambda path: path.stem != first)


def _packaged(first: str) -> list[Path]:
    """The files of the packaged spec, and of the folders in it that belong to no game: the one of that name first."""
    spec = packaged_spec()
    loose = [folder for folder in sorted(spec.glob("*")) if folder.is_dir() and not folder.with_suffix(SUFFIX).exists()]
    files = [path for folder in (spec, *loose) for path in _files(folder, first)]
    return sorted(files, key=lambda path: path.stem != first)


def _short(path: Path) -> Path:
    """A path as a person would write it: from the working directory on, if it lies there."""
    try:
        return _real(path).relative_to(Path.cwd())
    except ValueError:
        return path


def _real(path: Path) -> Path:
    """A path without links. `Path.resolve` would fail where links lead in a circle."""
    return Path(os.path.realpath(path))


def _headings(path: Path) -> list[str]:
    return _HEADING.findall(_text(path))


def _text(path: Path) -> str:
    """The text of a file that is only looked into."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What would act where a name is printed: on a terminal, in a log, in lines of which it would make several."""


def read_file(path: Path, report: Report, span: Span) -> SourceFile | None:
    """The text of a file, or None after a report at the place that asks for it."""
    name = str(path)
    hidden = _HIDDEN.search(name)
    if hidden is not None:
        message = f"the name of the file has a control character (U+{ord(hidden[0]):04X})"
        report.add(Code.UNREADABLE, span, message, hint="give it a name that can be shown as it is")
        return None
    try:
        if path.is_dir():
            files = [str(inner) for inner in sorted(path.glob(f"*{SUFFIX}"))]
            hint = f"name a file in it, such as {files[0]}" if files else None
            report.add(Code.DIRECTORY, span, f"{name} is a directory", hint=hint)
            return None
        if not path.exists():
            beside = [str(path.with_name(other)) for other in _names_in(path.parent)]
            report.add(Code.NOT_FOUND, span, f"there is no file {name}", hint=near(name, beside))
            return None
        if not path.is_file():
            report.add(Code.UNREADABLE, span, f"{name} is no ordinary file")
            return None
        size = path.stat().st_size
        if size > MAX_BYTES:
            hint = f"at most {MAX_BYTES:,} are read"
            report.add(Code.TOO_LONG, span, f"{name} has {size:,} bytes", hint=hint)
            return None
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        report.add(Code.UNREADABLE, span, f"{name} can not be read: {reason}")
        return None
    try:
        return SourceFile(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        source = SourceFile(name, data.decode("utf-8", errors="replace"))
        offset = error.start
        before = len(data[:offset].decode("utf-8", errors="replace"))
        line, _ = source.position(before)
        message = f"{name} is not UTF-8: byte {offset} (0x{data[offset]:02x}), in line {line}"
        hint = "save it as UTF-8"
        report.add(Code.NOT_UTF8, Span(source, before, before + 1), message, hint=hint)
        return None


def _names_in(folder: Path) -> Iterable[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return ()


def packaged_spec() -> Path:
    """The games that come with the tool: spec/ beside the package in a checkout, inside it in an installed wheel."""
    package = Path(__file__).resolve().parent
    inside = package / "spec"
    return inside if inside.is_dir() else package.parent / "spec"


def near_name(text: str, names: Sequence[str]) -> str | None:
    """A hint: the one name that begins so, or the nearest."""
    begun = [name for name in dict.fromkeys(names) if name.startswith(text.lower())]
    return f"did you mean '{begun[0]}'?" if len(begun) == 1 else near(text.lower(), names)
