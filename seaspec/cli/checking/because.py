"""Because of which lines of a house rule something is broken: found by leaving them out (verdict/blame.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from seaspec.cli.checking.result import Line, place_of
from seaspec.core import ir
from seaspec.examples.run import ExampleResult, other_options
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.verdict.blame import blamed, shown_by_example, shown_by_pair, shown_by_play
from seaspec.verdict.check import Checked, Failure
from seaspec.verdict.verdicts import PromiseVerdict, World

SECONDS = 3.0
"""For all that is broken in a game."""


class Because:
    """Explains what is broken in a game, as long as there is time."""

    def __init__(self, subject: Subject, options: Mapping[str, str], checked: Checked) -> None:
        self.subject, self.options, self.checked = subject, options, checked
        self._ends = time.monotonic() + SECONDS
        self.notes: list[str] = []
        """What went wrong meanwhile."""

    def promise(self, verdict: PromiseVerdict) -> tuple[Line, ...]:
        if verdict.kept is not False or verdict.found is None:
            return ()
        if not verdict.found.answers and not isinstance(verdict.promise, ir.NeverStuck):
            return ()
        machine = self.checked.where(verdict).machine
        if verdict.found.beside is not None:
            shows = shown_by_pair(machine, verdict.found, verdict.found.beside)
            return self._lines(verdict.world, self.options, shows)
        name = None if isinstance(verdict.promise, ir.NeverStuck) else verdict.name
        shows = shown_by_play(machine, verdict.found, name)
        return self._lines(verdict.world, self.options, shows)

    def failure(self, failure: Failure) -> tuple[Line, ...]:
        machine = self.checked.in_world(failure.world).machine
        return self._lines(failure.world, self.options, shown_by_play(machine, failure.found, None))

    def example(self, result: ExampleResult) -> tuple[Line, ...]:
        other = other_options(self.checked.game, result.example)
        return self._lines(None, {**self.options, **other}, shown_by_example(result.example.name))

    def _lines(
        self, world: World | None, options: Mapping[str, str], shows: Callable[[Game], bool]
    ) -> tuple[Line, ...]:
        subject = self.subject
        if world is not None:
            chapter = next(chapter for chapter in subject.worlds if chapter.name == world.name)
            subject, options = replace(subject, chapters=subject.in_world(chapter)), {}
        try:
            found = blamed(subject, options, shows, lambda: time.monotonic() < self._ends)
        except Exception as error:  # what is broken is told all the same
            self.notes.append(f"which lines are to blame can not be said: {type(error).__name__}, a bug of seaspec")
            return ()
        return tuple(Line(place_of(change.span), change.span.text.splitlines()[0]) for change in found)
