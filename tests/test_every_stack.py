"""Every mode, allowed stack and number of players of the packaged games: plays end, nothing is stuck, lost or leaked.

Each value of each option is tried with the game and with each variant alone, and the options meet in different ways;
of a longer stack a few are tried, others of each.

SEASPEC_PLAYS sets the number of plays of each that the interpreter watches (1 by default); machine code makes 40,000
steps for each of them. If it is more than 1, all values are tried with one another in each stack.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice, product

import pytest
from roamed import broken, seen

from seaspec.backends.interpreter.state import contents
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.library import Subject, allowed_stacks, load_subjects, single_variants
from seaspec.loading import load_subject, option_values
from seaspec.sampling.plays import replay, watched_plays
from seaspec.sampling.secrets import secret_trial
from seaspec.sampling.watch import Found

PLAYS = int(os.environ.get("SEASPEC_PLAYS", "1"))
GAMES = ("calm",)
VARIED = ("players", "level", "patron")
"""Options that change which rules are met; others, such as who begins, stay at their default."""
FEW = 2
"""Of a stack of several variants so many."""


def subjects(game: str) -> list[Subject]:
    report = Report()
    (base,) = load_subjects(game, report)
    found = {s.name: s for s in [base, *single_variants(base, report), *allowed_stacks(base, report)]}
    return list(found.values())


def cases() -> list[tuple[Subject, dict[str, str]]]:
    found = []
    for game in GAMES:
        for subject in subjects(game):
            values = {n: v.values for n, v in option_values(subject).items() if n in VARIED and len(v.values) > 1}
            if PLAYS > 1:
                together = product(*values.values())
            elif len(subject.asked) <= 1:
                together = _in_turn([*values.values()], len(found))
            else:
                together = islice(_in_turn([*values.values()], len(found), begin=len(found)), FEW)
            found += [(subject, dict(zip(values, chosen, strict=True))) for chosen in together]
    return found


def _in_turn(values: list[tuple[str, ...]], shift: int, begin: int = 0) -> Iterator[tuple[str, ...]]:
    """Each value at least once."""
    for number in range(begin, begin + max(map(len, values), default=1)):
        yield tuple(each[(number + place * shift) % len(each)] for place, each in enumerate(values))


def ids(case: object) -> str:
    if isinstance(case, Subject):
        return case.name.replace(" ", "")
    return ",".join(f"{n}={v}" for n, v in case.items()) if isinstance(case, dict) else str(case)


@pytest.mark.parametrize(("subject", "options"), cases(), ids=ids)
def test_random_plays(subject: Subject, options: dict[str, str]) -> None:
    game = load_subject(subject, options)
    found = seen(game, 40_000 * PLAYS)
    assert not broken(game, found) and not found.cut_off
    findings = watched_plays(game.machine, PLAYS, seed=1)
    assert not findings.failed, list(findings.failed)
    assert findings.stuck is None, findings.stuck
    assert not findings.unfinished
    assert_no_card_is_lost(game)
    leaks = secret_trial(game.machine, PLAYS, seed=1)
    assert not leaks.found, {place: found.detail for place, found in leaks.found.items()}


def assert_no_card_is_lost(game: Game) -> None:
    """Each piece lies in exactly one place, at the end of a play."""
    play = game.start(seed=1)
    while not play.is_over:
        play.do(0)
    machine = game.machine
    state = replay(machine, Found(tuple(move.answer for move in play.history)))
    lying = [
        piece
        for slot in machine.layout.place_slots
        for piece in contents(machine.layout.place_of[slot][0].order, state.slots[slot])
    ]
    assert sorted(lying) == list(range(len(game.rules.pieces)))
