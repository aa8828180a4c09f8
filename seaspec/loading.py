"""From what a user names to a game that can be played: find the files, compile, wrap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from seaspec.compile import compile_chapters
from seaspec.core import ir
from seaspec.core.show import show_value
from seaspec.diagnostics.model import Report, Stop
from seaspec.diagnostics.render import render
from seaspec.game import Game
from seaspec.library import Subject, load_subject_of


class LoadError(Exception):
    """The text or the options are faulty; `report` says where and why."""

    def __init__(self, report: Report) -> None:
        super().__init__(render(list(report), colour=False))
        self.report = report


def load(spec: str, **options: object) -> Game:
    """A game by path, name or stack, with options by name.

    >>> game = load("calm", players=3)
    >>> game.name
    'Calm'
    """
    report = Report()
    try:
        subject = load_subject_of(spec, report)
        if subject is None:
            raise LoadError(report)
        return load_subject(subject, {name: text_of(value) for name, value in options.items()})
    except Stop as stop:
        raise LoadError(stop.report) from None


def load_subject(subject: Subject, options: Mapping[str, str], report: Report | None = None) -> Game:
    """A subject with options given as text; `report` gets the warnings, and errors are raised."""
    report = Report() if report is None else report
    try:
        core = compile_chapters(subject.chapters, options, report)
    except Stop as stop:
        raise LoadError(stop.report) from None
    if core is None:
        raise LoadError(report)
    return Game(core, subject)


class Choices(NamedTuple):
    """The values that an option may have, as text, and the one it has if nothing is said."""

    default: str
    values: tuple[str, ...]


def option_values(subject: Subject) -> dict[str, Choices]:
    """The options of a subject and the values that each may have; nothing if the text is faulty."""
    try:
        core = compile_chapters(subject.chapters, {}, Report())
    except Stop:
        return {}
    if core is None:
        return {}
    return choices_in(core)


def choices_in(core: ir.Game) -> dict[str, Choices]:
    """The options of a game that was compiled as it stands, and the values that each may have."""
    return {
        o.name: Choices(show_value(o.value, o.type, core), tuple(show_value(v, o.type, core) for v in o.values))
        for o in core.options
    }


def text_of(value: object) -> str:
    """The value of an option as it is written in rules.

    >>> text_of(True), text_of(3), text_of("hard")
    ('yes', '3', 'hard')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
