"""What the catalogues of the games say of their properties, and what `seaspec check` says: docs/properties.md.

    python docs/properties.py            check all games and their variants: about half an hour
    python docs/properties.py calm ..    these games only; of the others what is known stays

What is found is kept in properties.json, beside this file; docs/generate.py makes the page of it. Whole results are kept
in checks/, for the books of the site. The catalogues say which properties there are, the texts of the games which
promises and examples cite them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from seaspec.check.rules.cover import Use, book_of, cover  # noqa: E402
from seaspec.cli.checking.schedule import check  # noqa: E402
from seaspec.cli.checking.kept_results import record  # noqa: E402
from seaspec.cli.checking.how import LARGE_SECONDS, SECONDS, how  # noqa: E402
from seaspec.cli.checking.result import Result  # noqa: E402
from seaspec.core import ir  # noqa: E402
from seaspec.diagnostics.model import Report  # noqa: E402
from seaspec.library import Subject, load_chapters, load_rulebook, load_subjects, single_variants  # noqa: E402
from seaspec.loading import load_subject  # noqa: E402
from seaspec.rulebook import EntryKind, Rulebook  # noqa: E402
from seaspec.verdict.verdicts import Verdict  # noqa: E402

FOUND = Path(__file__).with_suffix(".json")
CHECKS = Path(__file__).with_name("checks")
GAMES = {"calm": SECONDS, "admiral": LARGE_SECONDS, "pirate_bay": LARGE_SECONDS, "sea_lords": LARGE_SECONDS}
"""The games, and the seconds for the check of each, and of each variant: those that a check takes by itself."""
PLAYS = 12
"""Random plays of each."""
LONGEST = 24
"""A play of more steps is not told on the page."""
SHORT = 170
"""A detail of a verdict is told up to so many characters."""


@dataclass(frozen=True)
class Row:
    """What `check` says of a promise or example that cites properties. `verdict`: of an example `holds` or `fails`."""

    name: str
    kind: str
    myth: bool
    says: str
    properties: list[str]
    stack: str
    verdict: str
    detail: str
    steps: list[str] = field(default_factory=list)

    @property
    def what(self) -> str:
        """As the text begins: `myth always idle_is_safe`; some promises have no name but what they say."""
        named = self.name if self.name.startswith(self.kind) else f"{self.kind} {self.name}"
        return f"myth {named}" if self.myth else named


# --------------------------------------------------------------------------------------------------- what the texts say


@dataclass(frozen=True)
class Catalogue:
    """The properties of a game. `said`: by id, what the rule book says; `tags`: those that a tag of a module stands
    for; `notes`: what the text says of them without a promise."""

    title: str
    said: dict[str, str]
    tags: dict[str, tuple[str, ...]]
    notes: dict[str, list[str]]

    def cited_by(self, cites: Iterable[str]) -> list[str]:
        """The properties that these ids stand for."""
        return [id for cited in cites for id in self.tags.get(cited, (cited,)) if id in self.said]


def catalogue(game: str) -> Catalogue:
    report = Report()
    chapters = load_chapters(game, report)
    books: dict[str, Rulebook] = {}
    for chapter in chapters:
        name = book_of(chapter, chapters)
        book = None if name is None or name in books else load_rulebook(chapter, name, report)
        if book is not None:
            books[book.name] = book
    book = books[game]
    entries = [entry for entry in book.clauses.values() if entry.kind is EntryKind.PROPERTY]
    rows = (ROOT / "spec" / "rulebooks" / f"{game}.md").read_text(encoding="utf-8").splitlines()
    said = {entry.id: ": ".join(rows[entry.line - 1].strip("| ").split(" | ")[2:]) for entry in entries}
    tags = {tag: ids[game] for one in books.values() for tag, ids in one.tags.items() if game in ids}
    coverage = cover(chapters, book, books)
    noted = {id: uses for id, uses in coverage.notes.items() if id in said and id not in coverage.cited}
    notes = {id: [_sentence(use) for use in noted[id]] for id in said if id in noted}
    return Catalogue(book.title.split(" (")[0].split(":")[0], said, tags, notes)


def _sentence(use: Use) -> str:
    """The sentence of a note: the string before what it cites."""
    strings = re.findall(r'"([^"\n]*)"', use.span.file.text[: use.span.start])
    return strings[-1] if strings else use.what


# ------------------------------------------------------------------------------------------------------------- checking


def checked(game: str) -> Iterator[list[Row]]:
    """All that cites a property of a game, with what `check` says: in the game, then in each variant that adds to it.
    Of those that are still to come what is known stays, so each time these are all that there are."""
    found: dict[str, list[Row]] = {}
    for row in kept().get(game, ()):
        found.setdefault(row.stack, []).append(row)
    subjects = list(speaking(game))
    for subject, news in subjects:
        result = check(subject, {}, how(plays=PLAYS, limit=GAMES[game]))
        print(f"{subject.name}, {result.seconds:.0f} s: {_proved(result)}", file=sys.stderr, flush=True)
        record(subject, result, CHECKS)
        found[subject.name] = list(rows_of(result, news))
        yield [row for other, _ in subjects for row in found.get(other.name, ())]


def _proved(result: Result) -> str:
    """How much of each kind is proved."""
    kinds: dict[str, list[bool]] = {}
    for promise in result.promises:
        if not promise.myth and promise.verdict != Verdict.BROKEN.value:
            kinds.setdefault(promise.kind, []).append(promise.verdict == Verdict.PROVED.value)
    return ", ".join(f"{sum(proved)} of {len(proved)} {kind}" for kind, proved in kinds.items() if any(proved))


def speaking(game: str) -> Iterator[tuple[Subject, dict[str, list[str]]]]:
    """The game and those of its variants that say something new of properties: by name, which properties."""
    book = catalogue(game)
    report = Report()
    (base,) = load_subjects(game, report)
    told: set[str] = set()
    for subject in [base, *single_variants(base, report)]:
        news = news_of(load_subject(subject, {}).rules, book, told)
        if news:
            yield subject, news
            told |= set(news)


def news_of(rules: ir.Game, book: Catalogue, told: Collection[str]) -> dict[str, list[str]]:
    """What cites properties and is not told yet, or broken here on purpose: by the name of a promise or example."""
    found = {}
    for said in [*rules.promises, *rules.examples]:
        properties = book.cited_by(said.source.cites)
        if properties and (said.name not in told or said.name in rules.breaks):
            found[said.name] = properties
    return found


def rows_of(result: Result, news: dict[str, list[str]]) -> Iterator[Row]:
    stack = result.subject
    for promise in result.promises:
        if promise.name in news:
            shows = promise.verdict in (Verdict.REFUTED.value, Verdict.BROKEN.value)
            told = shows and promise.play is not None and len(promise.play.steps) <= LONGEST
            steps = list(promise.play.steps) if told and promise.play is not None else []
            about = promise.name, promise.kind, promise.myth, promise.sentence, news[promise.name], stack
            yield Row(*about, promise.verdict, promise.detail, steps)
    for example in result.examples:
        if example.name in news:
            about = example.name, "example", False, example.sentence, news[example.name], stack
            yield Row(*about, "holds" if example.ok else "fails", example.detail)


# ------------------------------------------------------------------------------------------------------------- the page


def kept() -> dict[str, list[Row]]:
    """What was found, by game."""
    found = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    return {game: [Row(**row) for row in rows] for game, rows in found.items()}


def page() -> str:
    """The page."""
    found = kept()
    lines = [
        "# Properties",
        "",
        "<!-- made by docs/properties.py and docs/generate.py: change these, or the games, not this page -->",
        "",
        "The catalogues of four rule books list properties that are worth knowing, some of them *false*: things",
        "that one would believe. Here is what the texts of the games say about each, and what `seaspec check` finds:",
        "a row for each promise or example that cites the property. Names are those of the texts in `spec/`, verdicts",
        "those of [the command](cli.md#seaspec-check). Where a row names no stack, the game itself was checked, with",
        f"its default options and small worlds, {PLAYS} random plays, and up to {max(GAMES.values())} seconds; what a",
        "variant adds was checked with that variant. `make properties` does it again.",
    ]
    for game in GAMES:
        book = catalogue(game)
        rows = found.get(game, [])
        lines += ["", f"## {book.title}", "", summary(book, rows)]
        lines += [
            "",
            "| property | what the catalogue says | what the text says | and `seaspec check` |",
            "|---|---|---|---|",
        ]
        for id, said in book.said.items():
            own = [row for row in rows if id in row.properties]
            lines += _table_rows(game, id, said, own, book.notes.get(id, []))
        plays = [row for row in rows if row.steps]
        if plays:
            lines += ["", f"### Plays that show what is not so: {game}", ""]
            lines += [line for row in plays for line in _told_play(row)]
    return "\n".join(lines) + "\n"


def summary(book: Catalogue, rows: list[Row]) -> str:
    """How many there are of what, best first."""
    order = [verdict.value for verdict in Verdict] + ["holds", "fails"]
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in order}
    said = ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
    return f"{len(book.said)} properties; of the promises and examples that speak of them are {said}."


def _table_rows(game: str, id: str, said: str, rows: Iterable[Row], notes: Iterable[str]) -> Iterator[str]:
    first = [f"**{id}**", said]
    cells = [[f"`{row.what}` {_quoted(row.says)}".strip(), _verdict(game, row)] for row in rows]
    cells += [[_cell(note), "a note: nothing to check"] for note in notes]
    for number, pair in enumerate(cells or [["", "not said"]]):
        head = first if number == 0 else ["", ""]
        yield "| " + " | ".join(_cell(cell) for cell in [*head, *pair]) + " |"


def _quoted(sentence: str) -> str:
    return f'"{sentence}"' if sentence else ""


def _verdict(game: str, row: Row) -> str:
    where = "" if row.stack == game else f" ({row.stack})"
    detail = row.detail.split("; not proved")[0].split("; the odds that")[0]
    if len(detail) > SHORT:
        detail = detail[:SHORT].rsplit(" ", 1)[0] + " .."
    return f"**{row.verdict}**{where}{': ' if detail else ''}{detail}"


def _told_play(row: Row) -> Iterator[str]:
    yield f"**{_quoted(row.says) or row.what}** ({', '.join(row.properties)}; `{row.what}`, {row.stack}, {row.detail})"
    yield ""
    for step in row.steps:
        yield f"1. {step}"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def main(words: list[str]) -> int:
    unknown = set(words) - set(GAMES)
    if unknown:
        print(f"no such game: {', '.join(sorted(unknown))}; there are {', '.join(GAMES)}", file=sys.stderr)
        return 2
    for game in words or GAMES:
        for rows in checked(game):
            found = {**kept(), game: rows}
            data = {name: [asdict(row) for row in found[name]] for name in GAMES if name in found}
            FOUND.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            FOUND.with_suffix(".md").write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
