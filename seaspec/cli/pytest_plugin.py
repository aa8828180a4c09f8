"""A plugin for pytest: a `.sea` file is collected as tests, one for its text, one for each promise and each example.

    pytest rules/house.sea            files that are named are always collected
    pytest                            with `seaspec = true` in the settings of pytest, all others, too

A game is checked once, when its first test is run, as `seaspec check` does it, and what has not changed is not checked
again. A promise that is broken fails with its play; what is undecided is skipped (`--seaspec-strict`: fails). This
module is loaded with pytest wherever SeaSpec is installed, so all that checks is imported only where there is a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from seaspec.cli.checking.how import How
    from seaspec.cli.checking.result import Result
    from seaspec.diagnostics.model import Report
    from seaspec.game import Game
    from seaspec.library import Subject

SUFFIX = ".sea"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("seaspec", "games of SeaSpec")
    group.addoption("--seaspec-quick", action="store_true", help="10 seconds for the check of a game")
    group.addoption("--seaspec-limit", metavar="N", type=int, help="seconds for the check of a game (60)")
    group.addoption("--seaspec-strict", action="store_true", help="a promise that is undecided fails")
    parser.addini("seaspec", "collect all .sea files, not only those that are named", type="bool", default=False)


def pytest_report_header(config: pytest.Config) -> str | None:
    named = any(str(word).partition("::")[0].endswith(SUFFIX) for word in config.args)
    if not named and not config.getini("seaspec"):
        return None
    from seaspec.cli.main import version

    seconds, folder = _how(config).seconds, _how(config).folder
    return f"seaspec: {version()}, {seconds:.0f} s for the check of a game, results are kept in {folder}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != SUFFIX:
        return None
    if not parent.session.isinitpath(file_path) and not parent.config.getini("seaspec"):
        return None
    return SeaFile.from_parent(parent, path=file_path)


def _how(config: pytest.Config) -> How:
    from seaspec.cli.checking.how import how

    limit = config.getoption("--seaspec-limit")
    several = 2 if hasattr(config, "workerinput") else 1  # pytest-xdist uses the cores
    return how(quick=config.getoption("--seaspec-quick"), limit=limit, cases=several)


class Told(Exception):
    """A test has failed; the message says it all."""


class SeaFile(pytest.File):
    """A file: the game in it, or each of its variants. What holds nothing that can be checked has no tests."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        from seaspec.cli.checking.check import check_all_citations
        from seaspec.diagnostics.codes import Code
        from seaspec.diagnostics.model import Report, Stop
        from seaspec.library import load_subjects

        report = Report()
        subjects: list[Subject] = []
        try:
            subjects = load_subjects(_as_written(self.path), report)
            if not report.failed:
                check_all_citations(subjects, report)
        except Stop as stop:
            report.extend(stop.report)
        if all(d.code is Code.NOTHING_TO_CHECK for d in report) and not subjects:
            return
        if report.failed:
            yield FaultyText.from_parent(self, name="text", report=report)
            return
        for subject in subjects:
            yield SeaGame.from_parent(self, name=subject.name, subject=subject)


def _as_written(path: Path) -> str:
    """A path as a person would write it."""
    here = Path.cwd()
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)


class FaultyText(pytest.Item):
    """A text that can not be checked."""

    def __init__(self, *, report: Report, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.report = report

    def runtest(self) -> None:
        from seaspec.diagnostics.render import render

        raise Told(render(list(self.report), colour=False))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        return str(excinfo.value)


class SeaGame(pytest.Collector):
    """A game with default options."""

    def __init__(self, *, subject: Subject, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.subject = subject

    @cached_property
    def result(self) -> Result:
        """What the check has found out."""
        from seaspec.cli.checking.check import PLAYS_FOLDER, check_case, with_saved_plays
        from seaspec.files import file_name

        result = check_case(self.subject, {}, _how(self.config))
        return with_saved_plays(result, self.subject, PLAYS_FOLDER / file_name(self.subject.name))

    def collect(self) -> Iterator[pytest.Item]:
        yield TextItem.from_parent(self, name="text")
        games = list(self._games())
        if not games:
            return
        yield RulesItem.from_parent(self, name="rules")
        for promise in games[0].rules.promises:
            yield PromiseItem.from_parent(self, name=f"promise {promise.name}", wanted=promise.name)
        names = dict.fromkeys(example.name for game in games for example in game.rules.examples)
        for name in names:
            yield ExampleItem.from_parent(self, name=f"example {name}", wanted=name)

    def _games(self) -> Iterator[Game]:
        """The game, and its worlds; none if the text is faulty."""
        from seaspec.cli.checking.schedule import load_worlds
        from seaspec.diagnostics.model import Report
        from seaspec.loading import LoadError, load_subject

        report = Report()
        try:
            game = load_subject(self.subject, {})
        except LoadError:
            return
        worlds, _ = load_worlds(self.subject, report)
        if not report.failed:
            yield game
            yield from (world.game for world in worlds)


class GameItem(pytest.Item):
    """A test of a game; what comes out is looked up in the result of its check."""

    def __init__(self, *, wanted: str = "", **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.wanted = wanted

    @property
    def result(self) -> Result:
        assert isinstance(self.parent, SeaGame)
        return self.parent.result

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:  # type: ignore[override]
        return str(excinfo.value) if isinstance(excinfo.value, Told) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.parent.name if self.parent else ''}: {self.name}"


class TextItem(GameItem):
    """The text of a game is free of errors."""

    def runtest(self) -> None:
        from seaspec.diagnostics.render import render

        told = render(list(self.result.diagnostics), colour=False)
        if self.result.faulty:
            raise Told(told)
        self.add_report_section("call", "warnings", told)


class RulesItem(GameItem):
    """The rules do not fail in any play that was tried."""

    def runtest(self) -> None:
        from seaspec.cli.checking.verdict_text import failure_lines

        if self.result.failures:
            raise Told("\n".join(line for failure in self.result.failures for line in failure_lines(failure)))


class PromiseItem(GameItem):
    """A promise is kept."""

    def runtest(self) -> None:
        from seaspec.cli.checking.verdict_text import broken_lines

        promise = next(promise for promise in self.result.promises if promise.name == self.wanted)
        if promise.kept is False:
            raise Told("\n".join(broken_lines(promise)))
        if promise.kept is None:
            said = f"undecided: {promise.detail}"
            if self.config.getoption("--seaspec-strict"):
                raise Told(f"{said}   {promise.at}")
            pytest.skip(said)
        self.add_report_section("call", "verdict", f"{promise.verdict}: {promise.detail}")


class ExampleItem(GameItem):
    """An example shows what it says."""

    def runtest(self) -> None:
        found = [example for example in self.result.examples if example.name == self.wanted]
        if not found:
            pytest.skip("it does not apply here")
        for example in found:
            if example.changed and not self.config.getoption("--seaspec-strict"):
                pytest.skip(f"it ends otherwise: {example.detail}")
            if not example.ok:
                raise Told(f"{example.detail}\nthe example: {example.at}")
