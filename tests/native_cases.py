"""What native code and the interpreter are compared on: every game of the tree, in every mode that is allowed.

A case is a stack of a game (each variant alone, each allowed stack, each world) with values for the options that change
which rules are met. Combinations that the rules do not allow are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations as pairs
from itertools import product
from pathlib import Path

from seaspec.cli.checking.schedule import load_worlds
from seaspec.compile import compile_chapters
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.library import Subject, allowed_stacks, load_subjects, single_variants
from seaspec.loading import LoadError, load_subject, option_values
from seaspec.syntax import tree

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("spec", "spec/anchors", "tests/cases/games", "tests/cases/excerpts")
VARIED = (
    "players", "level", "patron", "sets", "squadrons", "situations", "islets", "side", "again", "layout", "sides",
    "hands",
)  # fmt: skip
"""Options that change which rules are met; others stay at their default."""
MOST_COMBINATIONS = 30
TOGETHER = "SEA414"
"""The error of options that do not go together."""


def games() -> Iterator[tuple[str, Path]]:
    """The games by name, each once: an excerpt only if the whole game is not there."""
    seen = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.sea")):
            has_game = any(line.startswith("game ") for line in path.read_text("utf-8").splitlines())
            if has_game and path.stem not in seen:
                seen.add(path.stem)
                yield path.stem, path


@dataclass(frozen=True)
class Case:
    """A subject with values for options, or in one of its worlds."""

    subject: Subject
    options: dict[str, str]
    world: tree.Chapter | None = None

    @property
    def name(self) -> str:
        within = [] if self.world is None else [f"in {self.world.name}"]
        return " ".join([self.subject.name, *(f"{n}={v}" for n, v in self.options.items()), *within])

    def game(self) -> Game | None:
        """The game; None if the options do not go together, or the world and the variants do not."""
        try:
            if self.world is None:
                return load_subject(self.subject, self.options)
            report = Report()
            core = compile_chapters(self.subject.in_world(self.world), self.options, report)
            if core is None:
                raise LoadError(report)
            return Game(core)
        except LoadError as error:
            if {diagnostic.code.id for diagnostic in error.report} == {TOGETHER}:
                return None
            if self.world is not None and self.world.name in load_worlds(self.subject, Report())[1]:
                return None
            raise


def cases(path: Path) -> list[Case]:
    """All cases of a game."""
    found = []
    for subject in subjects(path):
        found += [Case(subject, options) for options in combinations(subject)]
    return found + [Case(subject, {}, world) for subject in subjects(path) for world in subject.worlds]


def combinations(subject: Subject) -> list[dict[str, str]]:
    """Values for the options that matter: all combinations, or, if these are many, all of any two options."""
    values = {n: v.values for n, v in option_values(subject).items() if n in VARIED and len(v.values) > 1}
    every = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    if len(every) <= MOST_COMBINATIONS:
        return every
    found: list[dict[str, str]] = []
    missing = {pair for options in every for pair in pairs(options.items(), 2)}
    while missing:
        best = max(every, key=lambda options: len(missing.intersection(pairs(options.items(), 2))))
        missing.difference_update(pairs(best.items(), 2))
        found.append(best)
    return found


def some_cases(path: Path, most: int) -> list[Case]:
    """So many cases, different stacks and worlds first."""
    by_stack: dict[tuple[str, str | None], list[Case]] = {}
    for case in cases(path):
        by_stack.setdefault((case.subject.name, None if case.world is None else case.world.name), []).append(case)
    groups = list(by_stack.values())
    chosen = groups if len(groups) <= most else [groups[n * len(groups) // most] for n in range(most)]
    return [group[(7 * n) % len(group)] for n, group in enumerate(chosen)]


def subjects(path: Path) -> list[Subject]:
    """A game, its variants one by one, its allowed stacks."""
    report = Report()
    (base,) = load_subjects(str(path), report)
    found = {s.name: s for s in (base, *single_variants(base, report), *allowed_stacks(base, report))}
    return list(found.values())
