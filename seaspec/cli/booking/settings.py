"""In which ways the game of a book can be played in it: as it stands, and as the author lists.

A way is told as on the command line: `calm players=3`, `calm + solo`. An option may have several values, `players=2,3`,
or all that there are, `players=all`: each makes a way of its own. Where there is one book, its game need not be named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from seaspec.cli.output import Fault
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.library import Subject, load_subject_of, parse_options
from seaspec.loading import choices_in, load_subject, option_values

ALL = "all"
MOST = 40
"""So many ways at most has a book."""
_WAY = re.compile(r"(?P<spec>.*?)(?P<options>(?:\s[a-z_]\w*\s*=\s*\S+)*)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Setting:
    """A way to play: what is played, with which options. `told`: what the author has said; empty: as it stands.
    `is_one_of_all`: who said that all values are meant, meant those that go with the others."""

    subject: Subject
    options: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    is_one_of_all: bool = False

    def load(self) -> Game:
        """The game. LoadError if there is no such option, or no such value."""
        return load_subject(self.subject, self.options)


def settings_of(texts: Sequence[str], games: Sequence[Game], report: Report) -> list[list[Setting]]:
    """What is listed for each of the games, which have books; what is listed for none is a fault."""
    found: list[list[Setting]] = [[] for _ in games]
    for text in texts:
        matched = _WAY.fullmatch(f" {text}")
        assert matched is not None
        spec = matched["spec"].strip()
        if not text.strip():
            raise Fault("a way to play is empty", "write it as in 'players=2,3' or 'calm + solo'")
        options = parse_options(re.sub(r"\s*=\s*", "=", matched["options"]).split(), report)
        names = [name for name, _ in options]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise Fault(f"'{text}' says twice what {twice} is", f"several values as in '{twice}=2,3'")
        if any("" in value.split(",") for _, value in options):
            raise Fault(f"between commas of '{text}' there is no value", "write them as in 'players=2,3'")
        place, subject = _book_of(spec, text, games, report)
        if subject is None:
            continue
        found[place] += _chosen(games[place], subject, options, text)
        if len(found[place]) > MOST:
            hint = "list those that people play"
            raise Fault(
                f"{subject.name} can be played in its book in {MOST} ways at most, not {len(found[place])}", hint
            )
    return found


def _book_of(spec: str, text: str, games: Sequence[Game], report: Report) -> tuple[int, Subject | None]:
    """Which book a way to play belongs to; and what is played: None if that is faulty, which is reported."""
    names = [game.subject.name for game in games if game.subject is not None]
    if not spec:
        if len(games) > 1:
            hint = f"as in '{names[0]} {text.strip()}'"
            raise Fault(f"of which game is '{text}'? There are books of {', '.join(names)}", hint)
        return 0, games[0].subject
    subject = load_subject_of(spec, report)
    if subject is None:
        return 0, None
    for place, game in enumerate(games):
        if game.subject is not None and _home(game.subject) == _home(subject):
            return place, subject
    raise Fault(f"'{text}' is to be played, and there is no book of it", f"there are books of {', '.join(names)}")


def _home(subject: Subject) -> tuple[str, str]:
    return subject.game.name, subject.game.span.file.name


def _chosen(game: Game, subject: Subject, options: Sequence[tuple[str, str]], text: str) -> Iterator[Setting]:
    """Every choice of the values that are told of each option."""
    known = {}
    if any(value == ALL for _, value in options):
        known = choices_in(game.rules) if game.subject is subject else option_values(subject)
    every = {name: choices.values for name, choices in known.items() if ALL not in choices.values}
    values = [every[name] if value == ALL and name in every else value.split(",") for name, value in options]
    is_one_of_all = bool(known) and all(name in known for name, _ in options)
    for chosen in product(*values):
        yield Setting(subject, dict(zip((name for name, _ in options), chosen, strict=True)), text, is_one_of_all)
