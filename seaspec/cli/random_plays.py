"""Random plays in several processes. Play `n` of a seed is the same whoever runs it, so jobs change no result."""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from seaspec.backends.interpreter.errors import RuleError
from seaspec.cli.arguments import game_of, one_subject, options_of
from seaspec.core import flow
from seaspec.core.show import plain
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.play import Play
from seaspec.source import NOWHERE

CUT_OFF = "not over yet when it was cut off"


@dataclass(frozen=True, slots=True)
class Played:
    """One play. `reason`: the sentence of the rule that ended it; `outcome`: the same with how many win; `length`: in
    choices; `decisions`, `options`: by menu, how often somebody was asked, and how many options there were in all;
    `failure`: how the rules failed.
    """

    reason: str
    winners: tuple[int, ...]
    outcome: str
    length: int
    decisions: dict[str, int]
    options: dict[str, int]
    failure: str | None = None


def play_all(
    game: Game, spec: str, options: Sequence[str], plays: int, seed: int, limit: int, jobs: int
) -> Iterator[list[Played]]:
    """All plays, in order, some at a time."""
    size = max(1, min(20, plays // (jobs * 4)))
    parts = [range(first, min(first + size, plays)) for first in range(0, plays, size)]
    if jobs == 1 or len(parts) == 1:
        for part in parts:
            yield [random_play(game, seed, number, limit) for number in part]
        return
    forks = "fork" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if forks else "spawn")
    _worker.game = game
    _ = game.machine  # compiled once, before the processes part
    with context.Pool(min(jobs, len(parts)), _start, (spec, tuple(options))) as pool:
        yield from pool.imap(_play_some, [(part, seed, limit) for part in parts])


def random_play(game: Game, seed: int, number: int, limit: int) -> Played:
    """One play in which every option is equally likely."""
    machine = game.machine
    random = Random(f"{seed}:{number}")
    state = machine.begin()
    decisions: Counter[str] = Counter()
    options: Counter[str] = Counter()
    try:
        while True:
            node = machine.node(state)
            if isinstance(node, flow.Decision):
                if decisions.total() >= limit:
                    return Played(CUT_OFF, (), f"{CUT_OFF}, after {limit} choices", limit, decisions, options)
                found = machine.options(state)
                decisions[node.menu] += 1
                options[node.menu] += len(found)
                state = machine.step(state, found.random(random))
            elif machine.is_chance(state):
                state = machine.step(state, machine.outcomes(state).sample(random))
            else:
                break
    except RuleError as error:
        where = "" if error.span is NOWHERE else f" ({error.span})"
        failure = f"{error.message}{where}"
        return Played("", (), f"the rules fail: {error.message}", decisions.total(), decisions, options, failure)
    winners, losers, _ = state.result or ((), (), None)
    sentence = node.how.source.sentence if isinstance(node, flow.Over) and node.how is not None else None
    reason = "" if sentence is None else plain(sentence, game.rules)
    outcome = _who_wins(len(game.players), len(winners), len(losers)) + (f": {reason}" if reason else "")
    return Played(reason, winners, outcome, decisions.total(), decisions, options)


def failed_play(game: Game, seed: int, number: int) -> Play:
    """The play of this number again, up to where the rules fail."""
    random = Random(f"{seed}:{number}")
    play = game.start(automatic=False)
    try:
        while True:
            if (options := play.options) is not None:
                play.do(options.random(random))
            elif (outcomes := play.chance) is not None:
                play.happen(outcomes.canonical(outcomes.sample(random)))
            else:
                break
    except RuleError:
        pass
    return play


def _who_wins(players: int, winners: int, losers: int) -> str:
    if winners == 0:
        return "nobody wins" if losers == 0 else "all lose"
    if winners == players:
        return "all win" if players > 1 else "a win"
    return "one wins" if winners == 1 else f"{winners} win"


# ----------------------------------------------------------------------------------------------------------- processes


class _Worker:
    """What a process plays: handed on where processes are forked, loaded anew where they are not."""

    game: Game | None = None


_worker = _Worker()


def _start(spec: str, options: Sequence[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process alone is interrupted
    if _worker.game is None:
        report = Report()
        _worker.game = game_of(one_subject(spec, report), options_of(options, report))


def _play_some(task: tuple[range, int, int]) -> list[Played]:
    numbers, seed, limit = task
    assert _worker.game is not None
    return [random_play(_worker.game, seed, number, limit) for number in numbers]
