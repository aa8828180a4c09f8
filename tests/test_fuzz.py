"""The way from text to core under fire: no traceback, no hang, every problem a diagnostic with a place in the text.

SEASPEC_FUZZ sets how many small texts are tried (.ci/run tries 20,000), SEASPEC_FUZZ_GAMES how many whole games.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random

import pytest

from seaspec.compile import compile_chapters, parse_text
from seaspec.diagnostics.model import Report, Stop
from seaspec.syntax import tree

SMALL = int(os.environ.get("SEASPEC_FUZZ", "1000"))
WHOLE = int(os.environ.get("SEASPEC_FUZZ_GAMES", "40"))
PARTS = 20
"""Small texts are tried in so many tests, so that they can run side by side."""
ROOT = Path(__file__).parent.parent
GAMES = [ROOT / "spec" / "calm.sea", *sorted((ROOT / "tests" / "cases" / "excerpts").glob("*.sea"))]
SOURCES = sorted((ROOT / "tests" / "cases" / "games").glob("*.sea"))
TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|\n *|[^\sA-Za-z0-9]|  *')
LONGEST = 40
"""Lines of a small text."""


def small_texts() -> list[str]:
    """Pieces of games: the heading, and some declarations that stand together."""
    found = []
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for start in range(1, len(lines), 15):
            if not lines[start].startswith(" "):
                found.append("\n".join([lines[0] or "game A", *lines[start : start + LONGEST - 1]]) + "\n")
        found.append("\n".join(lines[:LONGEST]) + "\n")
    return found


TEXTS = small_texts()
WORDS = sorted({token for text in TEXTS for token in TOKEN.findall(text)})


def spoilt(text: str, random: Random) -> str:
    """The text with a few of its tokens dropped, doubled, swapped or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(random.randint(1, 4)):
        if len(tokens) < 3:
            break
        here, there = random.randrange(len(tokens)), random.randrange(len(tokens))
        match random.randrange(5):
            case 0:
                del tokens[here]
            case 1:
                tokens.insert(here, tokens[there])
            case 2:
                tokens[here], tokens[there] = tokens[there], tokens[here]
            case 3:
                tokens[here] = random.choice(WORDS)
            case _:
                del tokens[here : here + random.randint(1, 12)]
    return "".join(tokens)


def compile_all(text: str) -> None:
    """Text to core for each game, variant and world in it; whatever is wrong with it is reported."""
    report = Report()
    file = parse_text("fuzz.sea", text, report)
    stems = [c for c in file.chapters if c.kind in (tree.ChapterKind.MODULE, tree.ChapterKind.GAME)]
    others = [c for c in file.chapters if c not in stems]
    for chapters in [stems, *([*stems, other] for other in others)]:
        try:
            compile_chapters(chapters, {}, report)
        except Stop as stop:
            assert stop.report.failed
    for diagnostic in report:
        assert diagnostic.message
        if diagnostic.span.file.name == "fuzz.sea":
            assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text) + 1


@pytest.mark.parametrize("part", range(PARTS))
def test_spoilt_small_texts(part: int) -> None:
    random = Random(f"small {part}")
    for _ in range(SMALL // PARTS):
        text = spoilt(random.choice(TEXTS), random)
        try:
            compile_all(text)
        except Exception as error:
            raise AssertionError(f"{error!r} for:\n{text}") from error


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_spoilt_whole_games(path: Path) -> None:
    random = Random(f"whole {path.stem}")
    text = path.read_text(encoding="utf-8")
    for _ in range(WHOLE // len(GAMES) + 1):
        spoilt_text = spoilt(text, random)
        try:
            compile_all(spoilt_text)
        except Exception as error:
            raise AssertionError(f"{error!r} for {path.name}, seed {random!r}") from error
