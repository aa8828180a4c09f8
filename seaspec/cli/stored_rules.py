"""The rules of a saved play: as they are now in the files that it names, or as they were stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seaspec.cli.output import Fault
from seaspec.compile import chapters_of, compile_chapters, stacked
from seaspec.diagnostics.model import Report
from seaspec.files import read_play
from seaspec.game import Game
from seaspec.library import load_subjects
from seaspec.loading import LoadError
from seaspec.saved import FORMAT, PlayError
from seaspec.shelf import packaged_spec
from seaspec.syntax import tree

_STORED = "--stored plays it by the rules that were saved with it"


def read_rules(path: Path) -> dict[str, Any]:
    """The data of a saved play, whose rules are all there; PlayError says what is wrong with the file."""
    data = read_play(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("rules"), dict):
        raise PlayError("this is no saved play", str(path))
    rules = data["rules"]
    texts, stack, options = rules.get("texts"), rules.get("stack"), rules.get("options")
    names = [rules.get("name"), *stack] if isinstance(stack, list) else [None]
    if not _is_texts(texts) or not _is_texts(options) or not all(isinstance(name, str) for name in names):
        raise PlayError("the rules of the saved play are not all there", str(path))
    return data


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def stored_game(data: Mapping[str, Any]) -> Game:
    """The game by the rules as they were."""
    return _game(data, data["rules"]["texts"])


def current_game(data: Mapping[str, Any], saved: Path) -> Game:
    """The game by the rules as they are now, in the files that the saved play names."""
    texts = {}
    for name in data["rules"]["texts"]:
        path = _find(name, saved)
        if path is None:
            raise Fault(f"{name}, which has the rules of this play, is not there any more", _STORED)
        texts[name] = path.read_text(encoding="utf-8", errors="replace")
    try:
        game = _game(data, texts)
    except LoadError as error:
        if texts == data["rules"]["texts"]:
            raise
        first = next(iter(error.report), None)
        told = f": {first.span}: {first.message}" if first else ""
        raise Fault(f"the rules of this play have changed, and are faulty now{told}", _STORED) from error
    return game


def _find(name: str, saved: Path) -> Path | None:
    """A file of rules: as it is named, beside the saved play, or among the games that come with the tool."""
    candidates = [Path(name), saved.parent / name, saved.parent / Path(name).name, packaged_spec() / Path(name).name]
    return next((path for path in candidates if path.is_file()), None)


def _game(data: Mapping[str, Any], texts: Mapping[str, str]) -> Game:
    """The chapters of the stack, from these texts."""
    rules = data["rules"]
    report = Report()
    chapters = chapters_of(texts, report)
    names = [rules["name"], *rules["stack"]]
    missing = [name for name in names if name not in chapters]
    if not report.failed and missing:
        raise Fault(f"the rules of this play have no {missing[0]} any more", _STORED)
    stack = stacked(chapters, names)
    core = None if report.failed else compile_chapters(stack, rules["options"], report)
    if core is None:
        raise LoadError(report)
    game = Game(core)
    first = next((chapter for chapter in stack if chapter.kind is tree.ChapterKind.GAME), None)
    if first is not None and Path(first.span.file.name).is_file():
        subjects = load_subjects(first.span.file.name, Report())
        game.subject = subjects[0] if len(subjects) == 1 else None
    return game
