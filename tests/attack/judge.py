"""One game attacked: written, its truth found, promises picked, each level asked; what is wrong, what was asked.

Of the promises that are drawn few are kept: those that nearly hold (they fail at few positions), and those that hold
and say something. A game whose plays end at once is not worth asking about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from relational_truth import TooLarge, is_symmetric, leak

from attack.generator import game as written
from attack.levels import JUMPS, Hasty, Oddity, patched, says
from attack.lock import twins
from attack.mirror import mirrored
from attack.sight import leaks
from attack.truth import Truth, lemma_fails, truth
from seaspec.backends.interpreter import machine as interpreter
from seaspec.backends.interpreter.errors import RuleError
from seaspec.compile import compile_chapters, parse_text
from seaspec.core import flow, ir
from seaspec.diagnostics.model import Report, Stop
from seaspec.game import Game

POSITIONS = 500
"""Games with more positions are too large to know the truth of; they are looked at as far as that."""
BEHIND = 3_000
"""Positions behind the small lock."""
DRAWN, KEPT = 14, 5
"""Promises that are drawn, and of how many the levels are asked."""
PROMISE = re.compile(
    r"(myth )?(invariant|always|lemma|never stuck|ends within|secret|symmetry|reachable|winnable|odds|mean) ?"
)


@dataclass(frozen=True)
class Wrong:
    """A wrong verdict, or something that must not happen. `promise`: as it is written; `so`: what is so instead."""

    seed: str
    level: str
    kind: str
    promise: str
    how: str
    so: str
    text: str


@dataclass
class Outcome:
    """What came out of some games. `counts`: by kind of promise, whether it is kept, level and verdict."""

    games: int = 0
    refused: int = 0
    idle: int = 0
    whole: int = 0
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    wrong: list[Wrong] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Outcome) -> None:
        self.games += other.games
        self.refused += other.refused
        self.idle += other.idle
        self.whole += other.whole
        self.counts += other.counts
        self.wrong += other.wrong
        self.seconds += other.seconds


def compiled(text: str) -> Game | None:
    """The game of a text; None if it is refused."""
    report = Report()
    try:
        file = parse_text("attack.sea", text, report)
        game = None if report.failed else compile_chapters(file.chapters, {}, report)
    except Stop:
        return None
    return None if game is None else Game(game)


def known(game: Game, limit: int = POSITIONS) -> Truth:
    with patched((interpreter, "JUMPS", JUMPS)):
        return truth(game.flow, limit)


def attack(seed: str, levels: Sequence[str], seconds: float = 0.8) -> Outcome:
    """Attack one game."""
    began = monotonic()
    found = Outcome(games=1)
    text = written(seed, DRAWN)
    try:
        _attack(text, seed, levels, seconds, found)
    except Exception as error:  # nothing that is written may do this
        at = f"{type(error).__name__}: {str(error)[:100]}"
        found.wrong.append(Wrong(seed, "truth", "crash", "", at, "a traceback", text))
    found.seconds = monotonic() - began
    return found


def _attack(text: str, seed: str, levels: Sequence[str], seconds: float, found: Outcome) -> None:
    game = compiled(text)
    if game is None:
        found.refused = 1
        return
    so = known(game)
    if len(so.positions) < 3 and not so.broken:
        found.idle = 1
        return
    parts = picked(text, game, so)
    lines = {part.split("\n")[0] for part in parts}
    asked = tuple(promise for promise in game.rules.promises if line_of(text, promise) in lines)
    game = Game(replace(game.rules, promises=asked))
    found.whole = so.complete
    found.wrong += judged(text, game, so, seed, levels, seconds, found.counts)
    if found.wrong:
        shorter = "\n".join(parts) + "\n"
        text = shorter if compiled(shorter) is not None else text
        found.wrong = [replace(wrong, text=text) for wrong in found.wrong]


def judged(
    text: str,
    game: Game,
    so: Truth,
    seed: str,
    levels: Sequence[str],
    seconds: float,
    counts: Counter[tuple[str, str, str]] | None = None,
) -> list[Wrong]:
    """What levels say wrongly of a game; what they say is counted."""
    wrong, hasty = [], Hasty()
    promises = {promise.name: promise for promise in game.rules.promises}
    try:
        kept = {name: is_kept(game, promise, so) for name, promise in promises.items()}
    except Exception as error:
        return [Wrong(seed, "truth", "crash", "", f"{type(error).__name__}: {error}"[:120], "a traceback", text)]
    for name, promise in promises.items():
        if counts is not None:
            counts[kind_of(promise), said(kept[name]), "all"] += 1
    for level in levels:
        asked = game
        if level == "locked":
            large, small = (compiled(twin) for twin in twins(text))
            if large is None or small is None:
                continue
            asked, game, so = large, small, known(small, BEHIND)
            promises = {promise.name: promise for promise in small.rules.promises}
            kept = {name: is_kept(small, promise, so) for name, promise in promises.items()}
        for one in says(level, asked, so, seconds, seed, hasty):
            if isinstance(one, Oddity):
                wrong.append(Wrong(seed, level, "oddity", "", one.what, "it must not happen", text))
                continue
            promise = promises[one.promise]
            here = kept[one.promise]
            if counts is not None:
                counts[kind_of(promise), said(here), f"{level}: {one.how}"] += 1
            if here is not None and here is not one.kept:
                why = so.broken.get(one.promise, said(here))
                line = line_of(text, promise)
                wrong.append(Wrong(seed, level, kind_of(promise), line, one.how, f"{said(here)}: {why}", text))
    return wrong


def is_kept(game: Game, promise: ir.Promise, so: Truth) -> bool | None:
    """Whether a promise is kept, if that is known."""
    with patched((interpreter, "JUMPS", JUMPS)):
        return _is_kept(game, promise, so)


def _is_kept(game: Game, promise: ir.Promise, so: Truth) -> bool | None:
    match promise:
        case ir.Lemma():
            return False if lemma_fails(game.flow, promise, so) else None
        case ir.Symmetry():
            found = mirrored(game.flow, promise, so)
            return _compared(game, promise) if found is not False and so.complete else found
        case ir.Secret():
            told = _leaks(game, promise) if so.complete else None
            return False if told or leaks(game.flow, promise, so) else None if told is None else True
    return so.kept(promise)


def _compared(game: Game, promise: ir.Symmetry) -> bool | None:
    """Whether a symmetry holds, of pieces that are alike, too: positions that differ by these alone are one."""
    try:
        return is_symmetric(game.machine, promise)
    except (TooLarge, RuleError):
        return None


def _leaks(game: Game, promise: ir.Secret) -> bool | None:
    """Whether plays of which a player has seen the same go on differently. That is known if all that is hidden is
    promised to be secret."""
    if any(isinstance(block.exit, flow.Decision) and block.exit.secretly for block in game.flow.blocks):
        return None  # nobody sees how often
    things = {**game.rules.places, **game.rules.states}
    hidden = {name for name, thing in things.items() if name != ir.BOX and not thing.sight.all}
    if not hidden <= set(promise.things):
        return None
    try:
        return leak(game.machine) is not None
    except (TooLarge, RuleError):
        return None


def kind_of(promise: ir.Promise) -> str:
    return type(promise).__name__


def said(kept: bool | None) -> str:
    return {True: "true", False: "false", None: "unknown"}[kept]


def line_of(text: str, promise: ir.Promise) -> str:
    """The promise as it is written."""
    start = promise.source.span.start
    return text[text.rfind("\n", 0, start) + 1 :].split("\n", 1)[0]


# ------------------------------------------------------------------------------------------------ which are asked about


def chunks(text: str) -> list[str]:
    """A line at the margin, and what is indented below it."""
    found: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith(" ") and found:
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


def picked(text: str, game: Game, so: Truth) -> list[str]:
    """The text, by its declarations, with few of its promises."""
    parts = chunks(text)
    worth: dict[int, float] = {}
    by_line = {line_of(text, promise): promise for promise in game.rules.promises}
    for number, part in enumerate(parts):
        if PROMISE.match(part):
            promise = by_line.get(part.split("\n")[0])
            worth[number] = 0.0 if promise is None else _worth(game, promise, so)
    best = sorted(worth, key=lambda number: (-worth[number], number))
    false = [number for number in best if worth[number] >= 1.0][: KEPT - 2]
    best = [*false, *(number for number in best if worth[number] < 1.0)][:KEPT]
    return [part for number, part in enumerate(parts) if number not in worth or number in best]


def _worth(game: Game, promise: ir.Promise, so: Truth) -> float:
    """How much a wrong verdict about a promise would tell: most, where it fails seldom."""
    match promise:
        case ir.Invariant() | ir.Always():
            if not so.looked[promise.name]:
                return 0.05
            share = so.wrong[promise.name] / so.looked[promise.name]
            return 0.9 if share == 0 else max(0.0, 2.0 - 1.8 * share)
        case ir.NeverStuck():
            return 0.95 if so.stuck else 0.5
        case ir.Symmetry() | ir.Secret():
            return 0.92
        case ir.Lemma():
            return 1.5 if lemma_fails(game.flow, promise, so) else 0.91
        case ir.EndsWithin():
            return 0.55 if promise.measure is None else 0.91
        case _:
            return 0.5
