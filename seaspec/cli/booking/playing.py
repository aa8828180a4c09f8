"""The page of a book on which its game is played. What is compiled for it is kept on disk, as machine code is."""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path

import seaspec
import seaspec.kept as kept
from seaspec.backends.native.cache import digest
from seaspec.book.links import Book
from seaspec.book.texts import prose
from seaspec.game import Game
from seaspec.web import NotShown, packed_game, page_script, page_style

GAME, SCRIPT, STYLE = "play-game.js", "play.js", "play.css"
MAGIC = b"seaspec game in a page\n"
MOST_ENTRIES = 60
_WORDS = """\
# Play

The rules of this book, compiled into the page: it plays without a server, alone, with others at one screen, or against
bots. What may be done is said in sentences, and shown on the board; "Why not ..?" names the rule that forbids it.

<link rel="stylesheet" href="{style}">
<div class="seaspec-play" id="seaspec-play"><p>The game is opened. (It needs scripts.)</p></div>
<script src="{game}"></script>
<script src="{script}"></script>
"""


def play_page(game: Game, book: Book) -> str:
    """The page; its files are put beside the pictures of the book. A game that can not be compiled: why."""
    try:
        packed = _packed(game, book)
    except NotShown as reason:
        return f"# Play\n\nThis game can not be played in a page: {prose(str(reason))}."
    book.pictures |= {GAME: packed, SCRIPT: _script(), STYLE: page_style()}
    places = {"game": book.asset(GAME), "script": book.asset(SCRIPT), "style": book.asset(STYLE)}
    return _WORDS.format(**{name: escape(place) for name, place in places.items()})


def _packed(game: Game, book: Book) -> str:
    """The game as a script, from what is kept if it is there."""
    names = [
        *game.rules.actions,
        *(f"clause {id}" for id in ([] if book.coverage is None else book.coverage.rulebook.clauses)),
    ]
    found = {name: book.to_name(name.removeprefix("clause ")) for name in names}
    pages = {name: address for name, address in found.items() if address is not None}
    entries = kept.Entries(kept.usual_folder(), "page", MAGIC)
    key = kept.digest([digest(game.flow, "page"), _own_source(), game.digest, game.title, repr(sorted(pages.items()))])
    entry = entries.read(key)
    if entry is not None:
        return entry.decode()
    text = packed_game(game, pages)
    entries.write(key, text.encode())
    entries.keep_newest(MOST_ENTRIES)
    return text


@cache
def _script() -> str:
    return page_script()


@cache
def _own_source() -> bytes:
    """A digest of what describes a game, and of how it is drawn."""
    here = Path(seaspec.__file__).parent
    return kept.digest_of_files(path for part in ("web", "drawing", "analysis") for path in (here / part).rglob("*.py"))
