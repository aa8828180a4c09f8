"""The pages of a book, in the order in which a player learns the game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from seaspec.book.changes import changed_examples, in_short, promises, summary
from seaspec.book.contents import Check, Contents, Sort, contents, main_chapters
from seaspec.book.drawn import BEGINNING, alone, beginning, examples, of_example, plays
from seaspec.book.links import Book, Layout, variant_page
from seaspec.book.parts import block, clause_row, outline
from seaspec.book.reference import glossary, odds_page, odds_promises, options_page
from seaspec.book.texts import prose, rows, said
from seaspec.book.turn import turns
from seaspec.book.verdicts import LEVELS, checked, scripts, standing
from seaspec.check.describe import snake_case
from seaspec.check.rules.cover import Coverage
from seaspec.core import ir
from seaspec.core.show import show_value
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import Choices
from seaspec.syntax import tree

SILENT, LISTED = "Where the book is silent", "What else is listed"
Play = Callable[[Book], str]
"""What writes the page on which a game is played, and puts the files that it needs beside the pictures."""
_FURTHER = {"play-it": "Play it here", "odds": "Odds", "options": "What can be chosen", "glossary": "Glossary"}
_NAMES = {
    "index": "What it is",
    "rules": "Rules",
    "examples": "Examples",
    "promises": "Promises",
    "odds": "Odds",
    "options": "Options",
    "glossary": "Glossary",
    "clauses": "Clauses",
}


def book(
    game: Game,
    options: Mapping[str, Choices],
    coverage: Coverage | None = None,
    check: Check | None = None,
    layout: Layout = Layout.FILES,
    variant_checks: Mapping[str, Check] | None = None,
    play: Play | None = None,
    stacks: Mapping[str, Subject] | None = None,
) -> dict[str, str]:
    """The pages of a game by path, below a folder of its own: Markdown, pictures, and the plays that are stepped
    through.

    `coverage`: of its rule book, if it has one; `check`: what was found out about its promises; `variant_checks`: the
    same of the game with each of its variants, by the names of these. A game that is loaded with variants is shown with
    them: what they change is marked beside each rule. `play`: what writes the page on which it is played; `stacks`: the
    game with each of its variants, by their names, so that their plays and examples are drawn.
    """
    subject = game.subject
    assert subject is not None
    here = {chapter.name for chapter in subject.chapters}
    variants = [one for one in subject.family if one.kind is tree.ChapterKind.VARIANT and one.name not in here]
    parts = contents([*main_chapters(subject.chapters), *variants])
    main = parts[: len(parts) - len(variants)]
    check = check or Check()
    shown = dict(examples(game))
    pictures = dict(beginning(game)) | {of_example(name): steps[-1].drawn for name, steps in shown.items()}
    variants_alone = {}
    for part in parts[len(main) :]:
        name = part.chapter.name
        own = {thing.name: thing.anchor for thing in part.things if isinstance(thing.node, tree.Example)}
        if name in (stacks or {}):
            found = alone((stacks or {})[name], (variant_checks or {}).get(name) or Check(), own)
            variants_alone[name] = found
            pictures |= {of_example(anchor): steps[-1].drawn for anchor, steps in found.examples.items()}
    made = Book(
        subject.name,
        main,
        parts[len(main) :],
        check,
        coverage,
        layout,
        pictures,
        plays=dict(plays(game, check.verdicts)),
        examples=shown,
        variant_checks=variant_checks or {},
        alone=variants_alone,
        turns=list(turns(game.flow)),
    )
    writers: dict[str, Callable[[], str]] = {
        "index": lambda: _index(made, game, subject, options),
        Sort.RULE: lambda: _sections(made, main, Sort.RULE, "The rules"),
    }
    if any(list(part.of(Sort.EXAMPLE)) for part in main):
        writers[Sort.EXAMPLE] = lambda: _sections(made, main, Sort.EXAMPLE, "Worked examples")
    if any(list(part.of(Sort.PROMISE)) for part in main):
        writers[Sort.PROMISE] = lambda: _sections(made, main, Sort.PROMISE, "What is promised") + _legend(made)
    if play is not None:
        writers["play-it"] = partial(play, made)
    if odds_promises(game.rules):
        writers["odds"] = lambda: odds_page(made, game.rules)
    if options:
        writers["options"] = lambda: options_page(made, options)
    writers["glossary"] = lambda: glossary(made)
    made.further = [page for page in writers if page in _FURTHER]
    if coverage is not None:
        writers["clauses"] = lambda: _clauses(made)
    for part in made.variants:
        writers[_page_of(part)] = partial(_variant, made, part)
    pages = {}
    for page, write in writers.items():
        made.turn_to(page)
        pages[page] = "\n\n".join([write(), *scripts(made)])
    folder = subject.name.replace(" + ", "_")
    written = {f"{folder}/{name}.md": f"{text}\n" for name, text in pages.items()}
    return written | {f"{folder}/{name}": picture for name, picture in made.pictures.items()}


def _typed(name: str) -> str:
    """A game, or a stack, as one types it.

    >>> _typed("calm + reefs")
    "'calm + reefs'"
    """
    return f"'{name}'" if " " in name else name


def navigation(pages: Mapping[str, str]) -> list[dict[str, str]]:
    """The pages of a book with their titles, in their order."""
    found = []
    for path in pages:
        name = path.rpartition("/")[2].removesuffix(".md")
        if path.endswith(".md"):
            title = _NAMES.get(name) or pages[path].partition("\n")[0].removeprefix("# ")
            found.append({title: path})
    return found


def _index(made: Book, game: Game, subject: Subject, options: Mapping[str, Choices]) -> str:
    """What the game is, what is in the box, who may choose what; and the way to the other pages."""
    head = subject.game
    played_with = [_title(part) for part in made.main if part.chapter.kind is tree.ChapterKind.VARIANT]
    parts = [f"# {prose(game.title)}" + (f" with {prose(', '.join(played_with))}" if played_with else "")]
    parts.append(_titles(head))
    parts += [prose(text) for text in _for_players(made.main[0].introduction[:2], game.title)]
    parts.append(_standing(made))
    ways = [made.link(title, page) for page, title in (("rules", "The rules"), *_others(made))]
    parts.append(" · ".join(ways))
    parts += made.picture(BEGINNING, f"{game.title}: how it begins")
    parts.append(made.heading("What is in the box") + "\n\n" + _box(made, game.rules))
    if options:
        lines = []
        for name, choices in options.items():
            declared = next((one for one in made.declared.get(name, ()) if isinstance(one.node, tree.Option)), None)
            values = ", ".join(choices.values[:12]) + (" .." if len(choices.values) > 12 else "")
            sentence = "" if declared is None else said(declared.tail.sentence)
            lines.append(
                [made.link(name, "options", f"option-{name}"), sentence, prose(values), prose(choices.default)]
            )
        parts.append(
            made.heading("What can be chosen") + "\n\n" + rows(("option", "", "values", "if nothing is said"), lines)
        )
    if made.variants:
        lines = [
            [made.link(prose(_title(part)), _page_of(part)), _titles(part.chapter), in_short(part)]
            for part in made.variants
        ]
        titled = any(line[1] for line in lines)
        head_row = ("variant", "in the rule book", "") if titled else ("variant", "")
        lines = lines if titled else [[line[0], line[2]] for line in lines]
        parts.append(made.heading("Variants") + "\n\n" + rows(head_row, lines))
    return "\n\n".join(part for part in parts if part)


def _page_of(part: Contents) -> str:
    return f"variant-{variant_page(part.chapter)}"


def _titles(chapter: tree.Chapter) -> str:
    """What it is called in other languages."""
    titles = [node for node in chapter.declarations if isinstance(node, tree.Title)]
    return " · ".join(f'<span class="term" lang="{node.language}">{prose(node.text)}</span>' for node in titles)


def _for_players(paragraphs: Iterable[str], title: str) -> Iterator[str]:
    """What a file begins with, without its title and what is said of files."""
    for text in paragraphs:
        plain = text.removeprefix(f"{title}. ")
        told = [part for part in re.split(r"(?<=\.) (?=[A-Z])", plain) if not _OF_FILES.search(part)]
        if told:
            yield " ".join(told)


_OF_FILES = re.compile(r"\.(sea|md)\b|^An id such as|\bstand in ")


def _others(made: Book) -> Iterator[tuple[str, str]]:
    shown = set(made.pages.values())
    for page, title in ((Sort.EXAMPLE, "Worked examples"), (Sort.PROMISE, "What is promised")):
        if page in shown:
            yield page, title
    for page in made.further:
        yield page, _FURTHER[page]
    if made.coverage is not None:
        yield "clauses", "Clauses of the rule book"


def _standing(made: Book) -> str:
    """In one line: clauses that are covered, and verdicts."""
    told = []
    if made.coverage is not None:
        whole, missing = len(made.coverage.clauses), len(made.coverage.missing)
        told.append(f"{whole - missing} of {whole} clauses of the rule book are covered")
    told += filter(None, [standing(made.check)])
    return "; ".join(told) + "." if told else ""


def _box(made: Book, rules: ir.Game) -> str:
    """The pieces, by their kinds."""
    counts = Counter(piece.kinds for piece in rules.pieces)
    lines = []
    for kinds, number in counts.items():
        facts: dict[str, set[object]] = {}
        for piece in rules.pieces:
            if piece.kinds == kinds:
                for name, value, ty in piece.facts:
                    facts.setdefault(name, set()).add(show_value(value, ty, rules))
        varied = [f"{name} {_some(values)}" for name, values in facts.items() if len(values) > 1]
        lines.append(
            [
                " · ".join(filter(None, (prose(_spaced(kinds[0])), made.term(kinds[0])))),
                prose(kinds[-1]) if len(kinds) > 1 else "",
                str(number),
                prose("; ".join(varied)),
            ]
        )
    return rows(("piece", "of", "how many", "they differ in"), lines)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _some(values: set[object]) -> str:
    named = sorted(map(str, values), key=lambda name: (0, int(name), "") if name.isdigit() else (1, 0, name))
    if len(named) > 6:
        return f"{named[0]} .. {named[-1]}"
    return ", ".join(named)


def _sections(made: Book, parts: Sequence[Contents], sort: str, title: str) -> str:
    """A page of things of one sort, under the headings of the text."""
    shown = [f"# {title}"]
    if sort == Sort.PROMISE:
        shown.append(checked(made.check, f"seaspec check {_typed(made.game)}"))
    if sort == Sort.RULE:
        shown += outline(made)
    for part in parts:
        sections = list(part.of(sort))
        if sections and part is not parts[0]:
            shown.append(made.heading(_title(part)))
            shown += [prose(text) for text in part.introduction[:1]] if sort == Sort.RULE else []
        for section, things in sections:
            if section.title:
                shown.append(made.heading(section.title))
            if sort == Sort.RULE or len(things) == len(
                section.things
            ):  # prose is told once, and with rules if there are
                shown += [prose(text) for text in section.prose]
            shown += [block(made, thing) for thing in things]
    return "\n\n".join(shown)


def _variant(made: Book, part: Contents) -> str:
    """A variant alone: what it adds, changes, promises, shows."""
    titles = _titles(part.chapter)
    shown = [f"# {prose(_title(part))}", *([titles] if titles else [])]
    named = {other.chapter.name: made.link(prose(_title(other)), _page_of(other)) for other in made.variants}
    base = named.get(part.chapter.of or "") or made.link(prose(_title(made.main[0])), "index")
    after = f", after {', '.join(named.get(name, prose(name)) for name in part.chapter.after)}"
    shown.append(f"A variant of {base}{after if part.chapter.after else ''}: what is different.")
    stack = _typed(f"{made.game} + {snake_case(part.chapter.name)}")
    shown.append(f"The whole book with it, all changes marked: `seaspec book {stack} pages`")
    shown.append(made.heading("At a glance") + "\n\n" + summary(made, part))
    shown.append(made.heading("What becomes of the promises"))
    check = made.variant_checks.get(part.chapter.name) or Check()
    shown += promises(made, part.chapter.name, check, f"seaspec check {stack}")
    shown += changed_examples(made, part.chapter.name, check)
    shown.append(made.heading("What it says"))
    for section in part.sections:
        if section.title:
            shown.append(made.heading(section.title))
        shown += [prose(text) for text in section.prose]
        shown += [block(made, thing) for thing in section.things]
    return "\n\n".join(shown)


def _title(part: Contents) -> str:
    return called(part.chapter)


def called(chapter: tree.Chapter) -> str:
    """The title of a chapter; its name if it has none."""
    sentence = chapter.tail.sentence
    plain = sentence is not None and all(isinstance(text, str) for text in sentence.parts)
    return "".join(map(str, sentence.parts)) if sentence is not None and plain else chapter.name


def _clauses(made: Book) -> str:
    """The rule book clause by clause, in our words, with who does, promises, shows it; then its silences."""
    assert made.coverage is not None
    shown = ["# Clauses of the rule book", "In our words; and what is done about each."]
    gaps = set(made.coverage.gaps)
    for title, entries in (("", made.coverage.clauses), (SILENT, made.coverage.gaps)):
        if title and entries:
            shown.append(made.heading(title))
        section = ""
        lines: list[str] = []
        for entry in entries:
            if entry.section != section and entry not in gaps:
                shown += [f"<dl>{''.join(lines)}</dl>"] if lines else []
                section, lines = entry.section, []
                shown.append(made.heading(section))
            lines.append(clause_row(made, entry))
        shown += [f"<dl>{''.join(lines)}</dl>"] if lines else []
    others = [
        entry
        for entry in made.coverage.rulebook.clauses.values()
        if entry not in made.coverage.clauses and entry not in gaps and made.citing[entry.id]
    ]
    if others:
        shown.append(made.heading(LISTED))
        shown.append(f"<dl>{''.join(clause_row(made, entry) for entry in others)}</dl>")
    return "\n\n".join(shown)


def _legend(made: Book) -> str:
    lines = [f"<dt>{level}</dt><dd>{prose(text)}</dd>" for level, text in LEVELS.items()]
    return f"\n\n{made.heading('What the words mean')}\n\n<dl>{''.join(lines)}</dl>"
