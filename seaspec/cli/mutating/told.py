"""What is said of mutants: of each that survives at once, and of all at the end."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from seaspec.cli.arguments import options_of
from seaspec.cli.main import BROKEN, INTERRUPTED, OK, UNDECIDED
from seaspec.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, aligned, paint, print_json, print_json_line
from seaspec.cli.saving import save_aside
from seaspec.diagnostics.model import Report
from seaspec.library import Subject
from seaspec.loading import load_subject
from seaspec.mutate.hunt import Difference, Killed
from seaspec.mutate.mutants import Mutant
from seaspec.sampling.telling import as_play
from seaspec.sampling.watch import Found

FINDERS = ("language", "example", "play", "world", "proof")
"""What a mutant may be found by, in the order in which it is tried."""
SHOWN = 5
"""The last moves before a difference are told."""


@dataclass(frozen=True, slots=True)
class Hunted:
    """What has become of a mutant: found by a check, or not; then what differs, and in how many plays was looked."""

    number: int
    killed: Killed | None
    seconds: float
    different: Difference | None = None
    compared: int = 0


@dataclass(slots=True)
class Telling:
    """What is said of these mutants of a subject, in the order in which it becomes known. `saved`: plays on which those
    that survive differ."""

    args: argparse.Namespace
    subject: Subject
    made: Sequence[Mutant]
    hunted: list[Hunted] = field(default_factory=list)
    saved: dict[int, str] = field(default_factory=dict)

    @property
    def survivors(self) -> int:
        return sum(one.killed is None for one in self.hunted)

    def tell(self, one: Hunted) -> None:
        """What has become of a mutant: at once, if it survives or all is to be told."""
        self.hunted.append(one)
        if one.different is not None:
            path = self._save(one.number, one.different)
            self.saved.update({} if path is None else {one.number: path})
        if self.args.json_lines:
            print_json_line({"news": "found" if one.killed is not None else "survives", **self._data(one)})
        elif not self.args.json:
            for line in self._lines(one):
                print(line, flush=True)

    def tell_all(self, seconds: float, interrupted: bool) -> int:
        """What has become of all; the exit code."""
        self.hunted.sort(key=lambda one: one.number)
        if self.args.json or self.args.json_lines:
            (print_json_line if self.args.json_lines else print_json)(self._all_data(seconds))
        else:
            print("\n".join(self._all_lines(seconds, interrupted)))
        if interrupted:
            return INTERRUPTED
        if any(one.killed is None and one.different is not None for one in self.hunted):
            return BROKEN
        is_open = self.survivors or len(self.hunted) < len(self.made)
        return UNDECIDED if self.args.strict and is_open else OK

    # ------------------------------------------------------------------------------------------------------------ text

    def _lines(self, one: Hunted) -> Iterator[str]:
        mutant = self.made[one.number]
        head = f"{mutant.place}  {paint(mutant.within, CYAN)}  {mutant.changed}"
        if one.killed is not None:
            if self.args.verbose:
                yield f"{paint('found', GREEN)}  {head}   {paint(f'{one.killed.by}: {one.killed.what}', DIM)}"
        elif one.different is None:
            yield f"{paint('survives', YELLOW)}  {head}"
            yield f"  no difference found in {one.compared} play{'s' * (one.compared != 1)}: it may be the same game"
        else:
            yield f"{paint('a hole', RED)}  {head}"
            yield from _difference_lines(one.different)
            if one.number in self.saved:
                yield f"  replay: seaspec replay {self.saved[one.number]}"

    def _all_lines(self, seconds: float, interrupted: bool) -> Iterator[str]:
        if self.survivors or (self.args.verbose and self.hunted):
            yield ""
        why = ", interrupted" if interrupted else ""
        yield f"{paint(self.subject.name, BOLD)}: {len(self.made)} mutants, {seconds:.0f} s{why}"
        yield ""
        yield from aligned(_table(self.made, self.hunted), range(1, 5 + len(FINDERS)))
        left = len(self.made) - len(self.hunted)
        if left:
            yield f"  {left} were not looked at"
        times = [one.seconds for one in self.hunted if one.killed is not None]
        if times:
            yield f"  found after {median(times):.1f} s in the median, {max(times):.1f} s at most"

    def _save(self, number: int, different: Difference) -> str | None:
        """The play up to the difference, by the rules of the game; None where nothing can be written."""
        play = as_play(load_subject(self.subject, options_of(self.args.set, Report())), Found(different.answers))
        path = save_aside(Path(".seaspec") / f"mutant_{number + 1}.play", play.save)
        return None if path is None else str(path)

    # ------------------------------------------------------------------------------------------------------------ JSON

    def _data(self, one: Hunted) -> dict[str, Any]:
        mutant = self.made[one.number]
        data = {"sort": mutant.sort, "where": mutant.place, "within": mutant.within, "changed": mutant.changed}
        if one.killed is not None:
            return {**data, "by": one.killed.by, "what": one.killed.what, "seconds": one.seconds}
        found = one.different
        return {
            **data,
            "difference": None if found is None else {"what": found.what, "moves": list(found.moves)},
            "compared": one.compared,
            "saved": self.saved.get(one.number),
        }

    def _all_data(self, seconds: float) -> dict[str, Any]:
        times = [one.seconds for one in self.hunted if one.killed is not None]
        return {
            "game": self.subject.name,
            "mutants": len(self.made),
            "killed": [self._data(one) for one in self.hunted if one.killed is not None],
            "survivors": [self._data(one) for one in self.hunted if one.killed is None],
            "left": len(self.made) - len(self.hunted),
            "seconds": seconds,
            "median": median(times) if times else None,
        }


def _difference_lines(found: Difference) -> Iterator[str]:
    moves = found.moves
    yield f"  differs after {len(moves)} moves: {found.what}"
    if len(moves) > SHOWN:
        yield f"    .. {len(moves) - SHOWN} moves"
    for number, move in list(enumerate(moves, 1))[-SHOWN:]:
        yield f"    {number:>3}. {move}"


def _table(made: Sequence[Mutant], hunted: Sequence[Hunted]) -> list[list[str]]:
    """How many of each sort were found, and by what."""
    rows = [["", "mutants", "found", "", *FINDERS, "survive"]]
    by_sort: dict[str, list[Hunted]] = {}
    for one in hunted:
        by_sort.setdefault(made[one.number].sort, []).append(one)
    groups = [*by_sort.items(), ("all", list(hunted))] if len(by_sort) > 1 else list(by_sort.items())
    for sort, several in groups:
        by = Counter(one.killed.by for one in several if one.killed is not None)
        killed = sum(by.values())
        share = f"{100 * killed / len(several):.1f}%"
        counts = [str(by[name]) for name in FINDERS]
        rows.append([sort, str(len(several)), str(killed), share, *counts, str(len(several) - killed)])
    return rows
