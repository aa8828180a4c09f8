"""The page of a book on which its game is played. What is compiled for it is kept on disk, as machine code is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from html import escape

import seaspec.kept as kept
from seaspec.book import Layout
from seaspec.book.links import Book
from seaspec.book.pages import called
from seaspec.book.texts import prose
from seaspec.cli.booking.settings import Setting
from seaspec.cli.checking import kept_results
from seaspec.cli.output import Fault
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Severity
from seaspec.library import Subject
from seaspec.loading import LoadError
from seaspec.web import NotShown, game_script, games_script, packed_game, page_script, page_style
from seaspec.web.values import Data

GAME, GAMES, SCRIPT, STYLE = "play-game.js", "play-games.js", "play.js", "play.css"
MAGIC = b"seaspec game in a page\n"
MOST_ENTRIES = 200
_WORDS = """\
# Play

The rules of this book, compiled into the page: it plays without a server, alone, with others at one screen, or against
bots. What may be done is said in sentences, and shown on the board; "Why not ..?" names the rule that forbids it.

<link rel="stylesheet" href="{style}">
<div class="seaspec-play" id="seaspec-play"><p>The game is opened. (It needs scripts.)</p></div>
{scripts}
"""


def play_page(settings: Sequence[Setting], book: Book) -> str:
    """The page; its files are put beside the pictures of the book. `settings`: the ways to play; the first one is the
    game as it stands: where that can not be compiled, the page says why. In one file all of them stand in the page;
    else the page loads those that are chosen."""
    try:
        first = _packed(settings[0], book)
    except NotShown as reason:
        return f"# Play\n\nThis game can not be played in a page: {prose(str(reason))}."
    assert first is not None
    packed = {first["rules"]["digest"]: first}
    subjects = {first["rules"]["digest"]: settings[0].subject}
    for setting in settings[1:]:
        try:
            more = _packed(setting, book)
        except NotShown as reason:
            raise Fault(f"'{setting.told}' can not be played in a page: {reason}", "leave it out") from reason
        if more is not None:
            packed.setdefault(more["rules"]["digest"], more)
            subjects.setdefault(more["rules"]["digest"], setting.subject)
    listed = []
    labels = _labels([one["rules"] for one in packed.values()], list(subjects.values()))
    for number, (one, label) in enumerate(zip(packed.values(), labels, strict=True), 1):
        name = GAME if number == 1 else GAME.replace(".", f"-{number}.")
        book.pictures[name] = game_script(one)
        listed.append({"label": label, **one["rules"], "file": book.asset(name)})
    book.pictures |= {GAMES: games_script(listed), SCRIPT: _script(), STYLE: page_style()}
    in_page = listed if book.layout is Layout.ONE else listed[:1]
    scripts = [*(one["file"] for one in in_page), book.asset(GAMES), book.asset(SCRIPT)]
    tags = "\n".join(f'<script src="{escape(place)}"></script>' for place in scripts)
    return _WORDS.format(style=escape(book.asset(STYLE)), scripts=tags)


def _labels(rules: Sequence[Data], subjects: Sequence[Subject]) -> list[str]:
    """What tells the ways to play from one another: variants, and the options in which they differ.

    >>> two, three = ({"options": {"players": number, "hard": "no"}} for number in "23")
    >>> _labels([two, three], [])
    ['players 2', 'players 3']
    """
    values: dict[str, set[str]] = {}
    for one in rules:
        for name, value in one["options"].items():
            values.setdefault(name, set()).add(value)
    labels = []
    for number, one in enumerate(rules):
        asked = subjects[number].asked if subjects else ()
        parts = [called(chapter) for chapter in asked]
        told = [f"{name.replace('_', ' ')} {value}" for name, value in one["options"].items() if len(values[name]) > 1]
        labels.append(", ".join(parts + told) or "as it stands")
    return labels


def _packed(setting: Setting, book: Book) -> Data | None:
    """The game, from what is kept if it is there; None if it is one of all, and its options do not go together."""
    clauses = () if book.coverage is None else book.coverage.rulebook.clauses
    found = {name: book.to_name(name) for name in book.anchors} | {f"clause {id}": book.to_name(id) for id in clauses}
    pages = {name: address for name, address in found.items() if address is not None}
    entries = kept.Entries(kept.usual_folder(), "page", MAGIC)
    subject = setting.subject
    texts = [part for file in subject.files for part in (file.name, file.text)]
    means = [repr([chapter.name for chapter in subject.chapters]), repr(sorted(setting.options.items()))]
    key = kept.digest([repr(kept_results.tool()), *texts, *means, repr(sorted(pages.items()))])
    entry = entries.read(key)
    if entry is not None:
        known: Data | None = json.loads(entry)
        if known is not None or setting.is_one_of_all:
            return known
    try:
        packed = packed_game(setting.load(), pages)
    except LoadError as error:
        faults = (fault for fault in error.report if fault.severity is Severity.ERROR)
        if not setting.is_one_of_all or any(fault.code is not Code.OPTION for fault in faults):
            raise
        packed = None
    entries.write(key, json.dumps(packed).encode())
    entries.keep_newest(MOST_ENTRIES)
    return packed


@cache
def _script() -> str:
    return page_script()
