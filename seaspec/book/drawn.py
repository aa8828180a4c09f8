"""The pictures of a book: how the game begins, what each worked example shows, and the plays that show verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.book.contents import Verdict
from seaspec.book.plays import Step, of_course, of_play
from seaspec.compile import compile_chapters
from seaspec.core import ir
from seaspec.diagnostics.model import Report, Stop
from seaspec.drawing import draw_svg
from seaspec.examples.run import other_options
from seaspec.examples.seen import course_of
from seaspec.game import Game
from seaspec.sampling.telling import open_table

BEGINNING = "beginning.svg"


def of_example(name: str) -> str:
    """The file with the picture of an example."""
    return f"example-{name}.svg"


def beginning(game: Game) -> Iterator[tuple[str, str]]:
    """The picture of how the game begins, by the name of its file."""
    try:
        play = game.start(seed=1)
        yield BEGINNING, draw_svg(game.rules, open_table(game.machine, play.position), game.title, "how it begins")
    except RuleError:
        pass  # the rules fail before somebody chooses: `seaspec check` tells it


def examples(game: Game) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """What worked examples show, by their names: the position that is given, and what is done. A myth does not come
    about; where nothing is done and there is no board, there is little to draw."""
    for example in game.rules.examples:
        does = any(isinstance(line, ir.Step) for line in example.lines)
        shows = does or (example.given and game.rules.boards)
        if not shows or example.myth or other_options(game, example):
            continue
        course = course_of(game, example)
        if course is not None:
            yield example.name, of_course(game, course)


def plays(game: Game, verdicts: Mapping[str, Verdict]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The plays that show verdicts, by the names of the promises, as far as the rules still allow them."""
    games: dict[str, Game | None] = {}
    for name, verdict in verdicts.items():
        rules = verdict.saved.get("rules")
        if not rules:
            continue
        key = repr((rules.get("stack"), rules.get("options")))
        if key not in games:
            games[key] = _as_played(game, rules)
        played = games[key]
        steps = () if played is None else of_play(played, name, verdict.saved, verdict.kept)
        if steps:
            yield name, steps


def _as_played(game: Game, rules: Mapping[str, Any]) -> Game | None:
    """The game with the world and the options by which it was played; None if there is no such world any more."""
    subject = game.subject
    assert subject is not None
    stack, options = rules.get("stack") or [], rules.get("options") or {}
    if stack == list(game.stack) and options == game.options:
        return game
    worlds = [world for world in subject.worlds if world.name in stack]
    try:
        core = compile_chapters((*subject.chapters, *worlds), options, Report())
    except Stop:
        return None
    return None if core is None else Game(core)
