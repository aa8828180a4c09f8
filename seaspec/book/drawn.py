"""The pictures of a book: how the game begins, what each worked example shows, and the plays that show verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.book.contents import Check, Verdict
from seaspec.book.plays import Step, of_course, of_play
from seaspec.compile import compile_chapters
from seaspec.core import ir
from seaspec.diagnostics.model import Report, Stop
from seaspec.drawing import draw_svg
from seaspec.examples.run import other_options
from seaspec.examples.seen import course_of
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject
from seaspec.sampling.telling import open_table

BEGINNING = "beginning.svg"
SEVERAL = 3


def of_example(name: str) -> str:
    """The file with the picture of an example, by its name; of a variant, by its anchor."""
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
    yield from shown(game, game.rules.examples)


def shown(game: Game, examples: Iterable[ir.Example]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The same of some of them. With options of their own the game is another one, and it takes time to make it: that
    is done where several examples choose the same ones."""
    by_options: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for example in examples:
        by_options.setdefault(tuple(other_options(game, example).items()), []).append(example.name)
    for options, names in by_options.items():
        if options and len(names) < SEVERAL:
            continue
        playing = _with_options(game, dict(options)) if options else game
        if playing is None:
            continue
        for example in playing.rules.examples:
            if example.name in names and not example.myth and (steps := _stepped(playing, example)):
                yield example.name, steps


def _stepped(game: Game, example: ir.Example) -> tuple[Step, ...]:
    """What an example shows; nothing if it does nothing and there is no board, or if it does not hold."""
    does = any(isinstance(line, ir.Step) for line in example.lines)
    course = course_of(game, example) if does or (example.given and game.rules.boards) else None
    return () if course is None else of_course(game, course)


def _with_options(game: Game, options: Mapping[str, str]) -> Game | None:
    try:
        return None if game.subject is None else load_subject(game.subject, {**game.options, **options})
    except LoadError:
        return None


@dataclass(frozen=True, slots=True)
class Alone:
    """What is seen of a variant alone: the plays that show verdicts; its worked examples, by their anchors; and those
    of its base that end otherwise with it."""

    plays: Mapping[str, tuple[Step, ...]]
    examples: Mapping[str, tuple[Step, ...]]
    changed: Mapping[str, tuple[Step, ...]]


def alone(stack: Subject, check: Check, own: Mapping[str, str]) -> Alone:
    """A game with a variant. `own`: the anchors of the variant's examples, by their names. Of a faulty one nothing is
    seen: `seaspec check` says what is wrong."""
    try:
        if not (own or check.changed or any(verdict.saved for verdict in check.verdicts.values())):
            return Alone({}, {}, {})
        game = load_subject(stack, {})
    except LoadError:
        return Alone({}, {}, {})
    told = {example.name: example for example in game.rules.examples}
    found = {own[name]: steps for name, steps in shown(game, [told[name] for name in own if name in told])}
    changed = {}
    for name in check.changed:
        course = course_of(game, told[name], holds=False) if name in told else None
        if course is not None:
            changed[name] = of_course(game, course)
    return Alone(dict(plays(game, check.verdicts)), found, changed)


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
