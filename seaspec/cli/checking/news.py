"""What a check finds is told at once: a line for each break, with the play that shows it, while the rest goes on.

Several processes look for the same; what one of them has told, the others do not tell again.
"""

from __future__ import annotations

import multiprocessing
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.cli.checking.how import Channel
from seaspec.cli.checking.verdict_text import of_the_table, plainly
from seaspec.cli.output import BOLD, DIM, RED, paint, print_json_line, redraws
from seaspec.cli.saving import save_aside
from seaspec.core import ir
from seaspec.examples.run import ExampleResult
from seaspec.files import file_name
from seaspec.game import Game
from seaspec.sampling.plays import PlayFindings
from seaspec.sampling.secrets import Leaks
from seaspec.sampling.telling import as_play, each_step, sentence_of, steps
from seaspec.sampling.watch import Found
from seaspec.saved import PlayError

if TYPE_CHECKING:
    from seaspec.verdict.check import Checked
    from seaspec.verdict.verdicts import World

FAILURE, LOOP = "failure 1", "a play without an end"
"""What breaks no promise: rules that fail, or somebody who is stuck; and plays that need not end."""
PATIENCE = 0.5
"""Seconds for which one process waits until another one has noted what it tells."""


@dataclass(slots=True)
class News:
    """The news of a check that has begun at a time, by `time.monotonic`. `channel` None: nobody wants any."""

    game: Game
    channel: Channel | None
    begun: float
    told: Any = field(init=False)
    """Of each promise (and, at last, of rules that fail, and of plays that need not end) how much has been told, in
    memory that processes share."""

    _has_told_examples: bool = False
    _one_at_a_time: Any = field(default_factory=multiprocessing.Lock)

    def __post_init__(self) -> None:
        self.told = multiprocessing.RawArray("b", len(self.game.rules.promises) + 2)

    def look(self, findings: PlayFindings, failed: Sequence[ExampleResult] = (), leaks: Leaks | None = None) -> None:
        """Tell what is broken, and has not been told; which secrets are told; and which examples fail."""
        if self.channel is None:
            return
        if failed:
            self._tell_examples(self.channel, [result.example.name for result in failed])
        for number, what, sentence, found in (*self._broken(self.game.rules, findings), *self._leaking(leaks)):
            self._tell_once(self.channel, number, what, sentence, found, None)

    def look_in(self, world: World, findings: PlayFindings) -> None:
        """Tell what plays of a small world have broken, and has not been told."""
        if self.channel is not None:
            for number, what, sentence, found in self._broken(world.game.rules, findings):
                self._tell_once(self.channel, number, what, sentence, found, world)

    def look_at(self, checked: Checked) -> None:
        """Tell what is known to be broken, and has not been told: what explorations and small worlds have shown."""
        if self.channel is None:
            return
        names = [promise.name for promise in self.game.rules.promises]
        for verdict in checked.broken:
            if verdict.found is not None:
                sentence = sentence_of(self.game.rules, verdict.promise.source)
                number = names.index(verdict.name)
                self._tell_once(self.channel, number, verdict.name, sentence, verdict.found, verdict.world)
        for failure in checked.rule_errors:
            number = len(names) + (failure.found.back is not None)
            what, said = (FAILURE, f"{failure.message} at {failure.span}") if failure.found.back is None else (LOOP, "")
            self._tell_once(self.channel, number, what, said, failure.found, failure.world)

    def _tell_once(
        self, channel: Channel, number: int, what: str, sentence: str, found: Found, world: World | None
    ) -> None:
        much = 1 if found.back is None else 2  # that plays can go on for ever says more than that one is long
        is_held = self._one_at_a_time.acquire(timeout=PATIENCE)  # who has died with it does not silence the others
        try:
            is_new, is_first = self.told[number] < much, not any(self.told)
            self.told[number] = max(much, self.told[number])
        finally:
            if is_held:
                self._one_at_a_time.release()
        if is_new:
            self._tell(channel, what, sentence, found, is_first, world)

    def _broken(self, rules: ir.Game, findings: PlayFindings) -> Iterator[tuple[int, str, str, Found]]:
        """What plays of the game, or of a small world with these rules, break of what the game promises."""
        own = self.game.rules
        numbers = {promise.name: number for number, promise in enumerate(own.promises)}
        for promise in rules.promises:
            if isinstance(promise, ir.Reachable):
                found = findings.watched.witnessed.get(promise.name) if promise.myth else None
            elif isinstance(promise, ir.NeverStuck):
                found = None if findings.stuck is None else findings.stuck[1]
            else:
                found = None if promise.myth else findings.watched.broken.get(promise.name)
            is_meant = promise.name in rules.breaks or promise.name in own.breaks
            if found is not None and promise.name in numbers and not is_meant:
                yield numbers[promise.name], promise.name, sentence_of(rules, promise.source), found
        failed = list(findings.failed.values())
        if findings.stuck is not None and not any(isinstance(promise, ir.NeverStuck) for promise in rules.promises):
            failed.append(findings.stuck)
        for error, found in failed:
            yield len(own.promises), FAILURE, f"{error.message} at {error.span}", found
        if findings.endless is not None:
            yield len(own.promises) + 1, LOOP, "", findings.endless

    def _leaking(self, leaks: Leaks | None) -> Iterator[tuple[int, str, str, Found]]:
        rules = self.game.rules
        for number, promise in enumerate(rules.promises):
            if leaks is not None and isinstance(promise, ir.Secret) and not promise.myth:
                found = leaks.of(promise)
                if found is not None and promise.name not in rules.breaks:
                    yield number, promise.name, sentence_of(rules, promise.source), found

    def _tell(
        self, channel: Channel, what: str, sentence: str, found: Found, is_first: bool, world: World | None
    ) -> None:
        """`world`: the small one in which it was found, if it was not found in the game itself."""
        game = self.game if world is None else world.game
        machine = game.machine
        if channel.as_json:
            said: dict[str, Any] = {"what": what, "sentence": sentence, "detail": found.detail}
            said["world"] = None if world is None else world.name
            told = [[*each_step(machine, found.answers)], [*each_step(machine, found.beside)]] if found.beside else []
            plays = {"steps": told[0], "beside": told[1]} if told else {"steps": [*steps(machine, found)]}
            print_json_line({"news": "broken", **said, "seconds": self._seconds(), **plays})
            return
        if found.beside is not None:
            self._save(channel.folder / f"{file_name(f'{what} beside')}.play", Found(found.beside), game)
        path = self._save(channel.folder / f"{file_name(what)}.play", found, game)
        name = _told(what, sentence, found)
        after = f"after {len(found.answers)} step{'s' * (len(found.answers) != 1)}"
        after = after if found.answers else "before anything happens"
        after += "" if world is None else f", in the world {world.name}"
        lines = [f"{self._seconds()} s: {paint('broken', BOLD, RED, stream=sys.stderr)}: {name}, {after}"]
        if found.beside is not None:
            lines += textwrap.wrap(found.detail, 100, initial_indent="  ", subsequent_indent="  ")
        if path is not None:
            lines.append(f"  see it: seaspec replay {path}")
        if is_first:
            rest = "  the rest is still looked at; Ctrl-C ends that, and all that was found is told"
            lines.append(paint(rest, DIM, stream=sys.stderr))
        self._print(lines)

    def _tell_examples(self, channel: Channel, names: Sequence[str]) -> None:
        if channel.as_json:
            print_json_line({"news": "examples", "fail": list(names), "seconds": self._seconds()})
            return
        more, self._has_told_examples = " more" * self._has_told_examples, True
        what = f"1{more} example ends" if len(names) == 1 else f"{len(names)}{more} examples end"
        self._print(
            textwrap.wrap(f"{self._seconds()} s: {what} otherwise: {', '.join(names)}", 100, subsequent_indent="  ")
        )

    def _seconds(self) -> float:
        return round(time.monotonic() - self.begun, 1)

    def _print(self, lines: Sequence[str]) -> None:
        clear = "\r\x1b[K" if redraws(sys.stderr) else ""
        print(clear + "\n".join(lines), file=sys.stderr, flush=True)

    def _save(self, path: Path, found: Found, game: Game) -> Path | None:
        """Where the play was saved; None: it could not be, or nothing can be played."""
        try:
            return save_aside(path, as_play(game, found).save)
        except (PlayError, RuleError):
            return None


def _told(what: str, sentence: str, found: Found) -> str:
    """What is broken, and how, in a line."""
    if what in (FAILURE, LOOP):
        return plainly(sentence or found.detail)
    name = f'{what} "{sentence}"' if sentence else what
    return name if not found.detail or found.beside is not None else f"{name}: {of_the_table(found.detail)}"
