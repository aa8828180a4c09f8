"""Finding things: from what stands on the command line to games with variants, rule books and options.

A spec is a path (`rules/cards.sea`), a game's name in snake case (`cards`), or a stack (`cards + short + rich`): the
first is a game or a path, the rest are variants of that game, one of its worlds, or paths to files with one variant.
It gives a list of subjects, each a game with some of its variants. A path gives the file's game if it has one, else
each variant of the file with all that it is built on. Where chapters are looked for: shelf.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seaspec.check.describe import describe_chapter, snake_case
from seaspec.check.merging.order import forbidden_pairs, is_built_on, lineage, order_chapters, says
from seaspec.check.rules.cover import Coverage, book_of, check_citations, cover
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report, near
from seaspec.rulebook import Rulebook, read_rulebook
from seaspec.shelf import SUFFIX, Shelf, near_name, packaged_spec, read_file
from seaspec.source import SourceFile, Span
from seaspec.syntax import tree

MAX_STACKS = 1000


@dataclass(frozen=True, slots=True)
class Subject:
    """A game with some of its variants: what is checked, played or compared.

    `chapters`: in merge order, with modules; `asked`: the variants (and world) that were asked for, without what they
    are built on; `worlds`: those that hold for this subject; `family`: all variants and worlds of the game.
    """

    name: str
    game: tree.Chapter
    chapters: tuple[tree.Chapter, ...]
    asked: tuple[tree.Chapter, ...]
    worlds: tuple[tree.Chapter, ...]
    family: tuple[tree.Chapter, ...]

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The files that the chapters stand in."""
        return tuple({chapter.span.file.name: chapter.span.file for chapter in self.chapters}.values())

    def in_world(self, world: tree.Chapter) -> tuple[tree.Chapter, ...]:
        """The chapters to merge for a world."""
        return (*self.chapters, world)


def load_subjects(spec: str, report: Report) -> list[Subject]:
    """What a spec names, loaded; whatever is wrong is reported.

    Files with syntax errors give what could be read of them: ask the report before going on.
    """
    return _load_subjects(Shelf(report), spec)


def load_subject_of(spec: str, report: Report) -> Subject | None:
    """The one thing that a spec names; several are an error, too."""
    subjects = load_subjects(spec, report)
    if len(subjects) > 1:
        names = [subject.name for subject in subjects]
        message = f"{spec} has {len(names)} variants: {', '.join(names)}"
        hint = f"say which: '{spec} + {names[0].rpartition(' + ')[2]}'"
        report.add(Code.SEVERAL_GAMES, _line(spec), message, hint=hint)
    return None if report.failed or not subjects else subjects[0]


def load_chapters(spec: str, report: Report) -> tuple[tree.Chapter, ...]:
    """All that stands in the book of a spec: a game with its modules and all variants and worlds, or a module alone."""
    shelf = Shelf(report)
    module = _find_module(shelf, spec)
    if module is not None:
        return (module,)
    chapters: dict[int, tree.Chapter] = {}
    for subject in _load_subjects(shelf, spec):
        chapters |= {id(chapter): chapter for chapter in chapters_in_book(subject)}
    return tuple(chapters.values())


def chapters_in_book(subject: Subject) -> tuple[tree.Chapter, ...]:
    """All that stands in the book of a game: with its modules, and all variants and worlds."""
    chapters = {id(chapter): chapter for chapter in (*subject.chapters, *subject.family)}
    return tuple(chapters.values())


def load_rulebook(chapter: tree.Chapter, name: str, report: Report) -> Rulebook | None:
    """The catalogue that a chapter names with `rulebook`: in rulebooks/ beside its file, or in the packaged spec/."""
    beside = Path(chapter.span.file.name).parent
    folders = [folder / "rulebooks" for folder in (beside, beside / "..", packaged_spec())]
    for folder in folders:
        path = folder / f"{name}.md"
        if path.is_file():
            source = read_file(path, report, chapter.span)
            return None if source is None else _checked(read_rulebook(source, name), source, report)
    known = [path.stem for folder in folders for path in sorted(folder.glob("*.md"))]
    message = f"there is no rule book '{name}' (rulebooks/{name}.md)"
    report.add(Code.NO_RULEBOOK, chapter.span, message, hint=near(name, known))
    return None


def load_coverage(chapters: Sequence[tree.Chapter], report: Report) -> Coverage | None:
    """What the chapters of a game, or a module, do about the clauses of its rule book. None if it names none, or it can
    not be read; citations of what it does not have are reported."""
    main = next((chapter for chapter in chapters if chapter.kind is tree.ChapterKind.GAME), chapters[0])
    books: dict[str, Rulebook] = {}
    for chapter in (main, *chapters):
        name = book_of(chapter, chapters)
        if name is not None and name not in books:
            book = load_rulebook(chapter, name, report)
            if book is not None:
                books[name] = book
    own = books.get(book_of(main, chapters) or "")
    if own is None:
        return None
    check_citations(chapters, books, report)
    return cover(chapters, own, books)


def _checked(book: Rulebook, source: SourceFile, report: Report) -> Rulebook:
    """A catalogue, whose faults are reported."""
    if not book.clauses:
        hint = "write a table below `## Clauses`, whose first column is headed `id`"
        report.add(Code.BAD_RULEBOOK, Span(source, 0, 0), f"the rule book {book.name} has no clauses", hint=hint)
    for id, line in book.repeated:
        above = source.text.split("\n")[: line - 1]
        start = source.text.index(id, sum(len(text) + 1 for text in above))
        message = f"the clause {id} stands twice in the rule book {book.name}"
        report.add(Code.BAD_RULEBOOK, Span(source, start, start + len(id)), message)
    return book


def parse_options(texts: Sequence[str], report: Report) -> list[tuple[str, str]]:
    """Options as given on the command line; a name may come more than once, and what that means is up to the caller.

    >>> parse_options(["players=3", "level = hard"], Report())
    [('players', '3'), ('level', 'hard')]
    """
    options = []
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value or not re.fullmatch(r"[a-z_]\w*", name):
            hint = "write it as in 'players=3'"
            report.add(Code.NO_OPTION, _line(text), f"'{text}' is no option", hint=hint)
        else:
            options.append((name, value))
    return options


# ----------------------------------------------------------------------------------------------------- variants, stacks


def single_variants(subject: Subject, report: Report) -> list[Subject]:
    """The subject's game with each of its variants alone."""
    return [_with_variants(subject, [variant], report) for variant in _variants(subject.family)]


def allowed_stacks(subject: Subject, report: Report) -> list[Subject]:
    """All stacks of two and more variants of the subject's game that its rule book combines, the small ones first.

    Every two of them must be combined by a `combines with` line of one or the other. At most MAX_STACKS are given.
    """
    stacks: list[list[tree.Chapter]] = [[]]
    for variant in _variants(subject.family):
        for stack in stacks[:]:
            related = any(_is_built_on(subject, variant, other) for other in stack)
            if len(stacks) < MAX_STACKS and not related and all(combined(subject, v, variant) for v in stack):
                stacks.append([*stack, variant])
    several = sorted((stack for stack in stacks if len(stack) > 1), key=len)
    return [_with_variants(subject, stack, report) for stack in several]


def combined(subject: Subject, one: tree.Chapter, other: tree.Chapter) -> bool:
    """Whether the rule book combines two variants: one of them, or what it is built on, says `combines with` the other.

    A variant and what it is built on always go together.
    """
    chapters = (*subject.chapters, *subject.family)
    return is_built_on(one, other, chapters) or says(one, other, chapters, allowed=True)


def _is_built_on(subject: Subject, one: tree.Chapter, other: tree.Chapter) -> bool:
    return is_built_on(one, other, (*subject.chapters, *subject.family))


def _named(chapter: tree.Chapter) -> Iterator[str]:
    """The variants that a chapter names."""
    yield from chapter.after
    for declaration in chapter.declarations:
        if isinstance(declaration, tree.Combines):
            yield from declaration.names
        elif isinstance(declaration, tree.SetValue) and declaration.beside is not None:
            yield declaration.beside


def _lineage(subject: Subject, variant: tree.Chapter) -> list[tree.Chapter]:
    return lineage(variant, (*subject.chapters, *subject.family))


def _variants(chapters: Sequence[tree.Chapter]) -> list[tree.Chapter]:
    return [chapter for chapter in chapters if chapter.kind is tree.ChapterKind.VARIANT]


def _with_variants(subject: Subject, asked: Sequence[tree.Chapter], report: Report) -> Subject:
    modules = [chapter for chapter in subject.chapters if chapter.kind is tree.ChapterKind.MODULE]
    chapters = [chapter for variant in asked for chapter in reversed(_lineage(subject, variant))]
    return _assemble(report, subject.game, [*modules, *chapters], asked, subject.family)


# ------------------------------------------------------------------------------------------------------------- a stack


@dataclass(frozen=True, slots=True)
class _Word:
    """One part of a stack, and where it stands."""

    text: str
    span: Span

    @property
    def is_path(self) -> bool:
        return self.text.endswith(SUFFIX) or "/" in self.text or os.sep in self.text


def _line(text: str) -> Span:
    return Span(SourceFile("<command line>", text), 0, len(text))


def _split(spec: str, report: Report) -> list[_Word] | None:
    line = _line(spec)
    if spec.endswith(SUFFIX) and os.path.isfile(spec):
        return [_Word(spec, line)]
    words = []
    start = 0
    for part in spec.split("+"):
        inner = start + len(part) - len(part.lstrip())
        words.append(_Word(part.strip(), Span(line.file, inner, inner + len(part.strip()))))
        start += len(part) + 1
    if all(word.text for word in words):
        return words
    report.add(Code.NOT_FOUND, line, "a name is missing", hint="write a stack as in 'game + variant'")
    return None


def _load_subjects(shelf: Shelf, spec: str) -> list[Subject]:
    stack = _split(spec, shelf.report)
    if stack is None:
        return []
    first, rest = stack[0], stack[1:]
    heads = _find_heads(shelf, first, rest)
    subjects = [_build(shelf, head, rest) for head in heads]
    return [subject for subject in subjects if subject is not None]


def _find_heads(shelf: Shelf, first: _Word, rest: list[_Word]) -> list[tree.Chapter]:
    """What the first word of a stack stands for: a game, or the variants (else worlds) of a file.

    The name of a game that comes after a file with several games is taken off the rest.
    """
    if not first.is_path:
        game = shelf.find_game(first.text)
        if game is None and not os.path.isdir(first.text):
            shelf.report_unknown_game(first.text, first.span)
        elif game is None:
            shelf.read_chapters(Path(first.text), first.span)
        return [game] if game else []
    chapters = shelf.read_chapters(Path(first.text), first.span)
    if chapters is None:
        return []
    games = [chapter for chapter in chapters if chapter.kind is tree.ChapterKind.GAME]
    if len(games) > 1:
        chosen = [game for game in games if rest and rest[0].text == snake_case(game.name)]
        if chosen:
            del rest[0]
        else:
            names = [snake_case(game.name) for game in games]
            message = f"{first.text} has several games: {', '.join(names)}"
            hint = f"say which: '{first.text} + {names[0]}'"
            shelf.report.add(Code.SEVERAL_GAMES, first.span, message, hint=hint)
        return chosen
    heads = games or _variants(chapters) or [c for c in chapters if c.kind is tree.ChapterKind.WORLD]
    chosen = [head for head in heads if rest and rest[0].text == snake_case(head.name)]
    if len(heads) > 1 and chosen:
        del rest[0]
        return chosen
    if not heads and not shelf.report.failed:
        what = "only modules" if chapters else "nothing"
        advice = "name a game that uses them" if chapters else None
        message = f"{first.text} has {what}: no game and no variant"
        shelf.report.add(Code.NOTHING_TO_CHECK, first.span, message, hint=advice)
    return heads


def _find_module(shelf: Shelf, spec: str) -> tree.Chapter | None:
    """The module that a spec means, if it means a module and nothing else."""
    if not spec.endswith(SUFFIX):
        game = Shelf(Report()).find_game(spec)
        return None if game else shelf.find(spec, [tree.ChapterKind.MODULE], None)
    chapters = shelf.read_chapters(Path(spec), _line(spec)) if os.path.isfile(spec) else None
    modules = [chapter for chapter in chapters or () if chapter.kind is tree.ChapterKind.MODULE]
    return modules[0] if modules and len(modules) == len(chapters or ()) else None


def _build(shelf: Shelf, head: tree.Chapter, rest: Sequence[_Word]) -> Subject | None:
    """A subject from a game or variant, with all that it is built on, and the rest of the stack."""
    chain = shelf.chain(head)
    if chain is None:
        return None
    game = chain[0]
    chapters = list(chain[1:])
    asked = [] if head is game else [head]
    family = shelf.family(game, chapters)
    for word in rest:
        found = _find_in_stack(shelf, word, game, family)
        lineage = shelf.chain(found) if found is not None else None
        if found is None or lineage is None:
            return None
        if lineage[0] is not game:
            message = f"{describe_chapter(found)} belongs to {lineage[0].name}, and not to {game.name}"
            shelf.report.add(Code.NOT_FOUND, word.span, message)
            return None
        if any(found is chapter for chapter in asked):
            shelf.report.add(Code.TWICE, word.span, f"'{word.text}' stands twice in the stack")
            continue
        asked.append(found)
        chapters += lineage[1:]
        family = shelf.family(game, chapters)
    _check_headings(shelf, family)
    subject = _assemble(shelf.report, game, [*shelf.modules(game), *chapters], asked, family)
    _warn_uncombined(shelf, subject)
    return subject


def _assemble(
    report: Report,
    game: tree.Chapter,
    chapters: Sequence[tree.Chapter],
    asked: Sequence[tree.Chapter],
    family: Sequence[tree.Chapter],
) -> Subject:
    ordered = order_chapters(tuple({id(chapter): chapter for chapter in (game, *chapters)}.values()), report).chapters
    own = tuple(chapter for chapter in ordered if any(chapter is one for one in asked))
    name = " + ".join(snake_case(chapter.name) for chapter in (game, *own))
    names = {chapter.name for chapter in ordered}
    worlds = tuple(world for world in family if world.kind is tree.ChapterKind.WORLD and world.of in names)
    return Subject(name, game, ordered, own, worlds, tuple(family))


def _find_in_stack(
    shelf: Shelf, word: _Word, game: tree.Chapter, family: Sequence[tree.Chapter]
) -> tree.Chapter | None:
    if word.is_path:
        chapters = shelf.read_chapters(Path(word.text), word.span) or ()
        variants = _variants(chapters)
        if len(variants) == 1:
            return variants[0]
        if chapters:
            message = f"{word.text} has {len(variants) or 'no'} variants, and a stack takes a file with one"
            shelf.report.add(Code.NOT_FOUND, word.span, message)
        return None
    for chapter in family:
        if snake_case(chapter.name) == word.text:
            return chapter
    names = [snake_case(chapter.name) for chapter in family]
    message = f"{game.name} has no variant '{word.text}'"
    shelf.report.add(Code.NOT_FOUND, word.span, message, hint=near_name(word.text, names))
    return None


def _check_headings(shelf: Shelf, family: Sequence[tree.Chapter]) -> None:
    """`after`, `combines with`, `never with` and `set .. with` name variants of the same game."""
    names = [chapter.name for chapter in family]
    known = {*names, *(snake_case(name) for name in names)}
    for chapter in family:
        for name in _named(chapter):
            if name not in known:
                message = f"{describe_chapter(chapter)} names '{name}', and there is no such variant"
                shelf.report.add(Code.NOBODY_HAS, chapter.span, message, hint=near(name, names))


def _warn_uncombined(shelf: Shelf, subject: Subject) -> None:
    """A stack of which the rule book does not say a word may make sense or not; house rules are nobody's business.

    What it forbids is an error, of merging.
    """
    forbidden = [{one.name, other.name} for one, other in forbidden_pairs(subject.chapters)]
    own = [chapter for chapter in _variants(subject.asked) if shelf.is_in_book(subject.game, chapter)]
    for index, one in enumerate(own):
        for other in own[index + 1 :]:
            if not combined(subject, one, other) and {one.name, other.name} not in forbidden:
                message = f"the rule book does not say whether {one.name} and {other.name} go together"
                labels = [Label(one.span, one.name)]
                hint = f"if they do: 'combines with {other.name}' in {one.name}"
                shelf.report.add(Code.UNCOMBINED, other.span, message, labels=labels, hint=hint)
